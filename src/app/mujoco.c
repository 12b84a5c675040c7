// SPDX-License-Identifier: MIT
#include "app/mujoco.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/app.h"
#include "app/mujoco_script.h"

struct tact_mujoco {
    const tact_scene *scene;
    pid_t process;
    FILE *in, *out;  // its standard input and output, seen from here
    tact_text line;
    tact_real *q;  // (nq) in MuJoCo's convention
};

// A free joint's coordinates are in its joint frame here, in the world there.
static void move_free(const tact_model *model, tact_real *q, bool to_world) {
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        tact_real *x = q + model->body[b].q;
        tact_pose place = model->body[b].place;
        tact_pose at = {tact_quat_matrix(tact_quat_normalize((tact_quat){x[3], x[4], x[5], x[6]})), {x[0], x[1], x[2]}};
        if (to_world) {
            at = tact_pose_multiply(place, at);
        } else {
            // place^-1 at
            tact_mat3 R = at.R;
            for (int j = 0; j < 3; j++) {
                tact_vec3 column = tact_mat3_apply_transposed(place.R, tact_mat3_column(R, j));
                at.R.m[0][j] = column.x, at.R.m[1][j] = column.y, at.R.m[2][j] = column.z;
            }
            at.p = tact_mat3_apply_transposed(place.R, tact_vec3_sub(at.p, place.p));
        }
        tact_quat turn = tact_quat_from_matrix(at.R);
        const tact_real all[7] = {at.p.x, at.p.y, at.p.z, turn.w, turn.x, turn.y, turn.z};
        memcpy(x, all, sizeof all);
    }
}

// Sends the line that was made, and reads the coordinates of the answer. False after saying what is wrong.
static bool exchange(tact_mujoco *mujoco) {
    const tact_model *model = &mujoco->scene->model;
    char *answer = NULL;
    size_t room = 0;
    bool good = !mujoco->line.failed && fputs(mujoco->line.bytes, mujoco->in) >= 0 && fflush(mujoco->in) == 0;
    ssize_t size = good ? getline(&answer, &room, mujoco->out) : -1;
    good = false;
    // node ended, or was never there
    if (size <= 0) {
        tact_say("mpc: error: mujoco: node gave no answer; is it installed?");
    } else {
        tact_errors errors = {0};
        tact_json json;
        tact_source source = {.name = "<mujoco>", .bytes = answer, .size = (size_t)size, .line = 1};
        if (tact_json_read(&json, source, &errors)) {
            // one line of JSON: coordinates, or what went wrong
            int error = tact_json_find(&json, 0, "error"), q = tact_json_find(&json, 0, "q");
            if (error >= 0)
                tact_say("mpc: error: mujoco: %s", tact_json_get_string(&json, error, 1 << 20));
            else
                good = tact_json_get_vector(&json, q, model->nq, tact_range_any(), mujoco->q);
            tact_json_free(&json);
        }
        if (!good && errors.errors > 0) tact_say_errors(&errors);
    }
    free(answer);
    tact_text_clear(&mujoco->line);
    return good;
}

// The body whose joint has coordinate i of q, and which of its coordinates that is.
static int find_coordinate(const tact_model *model, int i, int *k) {
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        *k = i - body->q;
        if (body->joint == TACT_JOINT_FIXED || model->dof[body->v].body != b) continue;
        if (*k >= 0 && *k < tact_joint_coordinates(body->joint)) return b;
    }
    TACT_ASSERT(false);
    return 0;
}

// The name of a joint in MJCF: of the slide or hinge k where there are several.
static void add_joint_name(tact_text *out, const tact_model *model, int b, int k) {
    static const char *const slides[] = {".x", ".y", ".z"}, *const planar[] = {".x", ".y", ".angle"};
    tact_joint_type type = model->body[b].joint;
    const char *suffix = type == TACT_JOINT_TRANSLATION ? slides[k] : type == TACT_JOINT_PLANAR ? planar[k] : "";
    char name[300];
    snprintf(name, sizeof name, "%s%s", model->names->joint[b], suffix);
    tact_text_add_json(out, name);
}

// {"xml":..,"joints":[..],"actuators":[..]}
static bool introduce(tact_mujoco *mujoco) {
    const tact_model *model = &mujoco->scene->model;
    tact_text xml = {0}, left_out = {0}, reason = {0}, *line = &mujoco->line;
    bool good = tact_mjcf_write(mujoco->scene, TACT_MUJOCO_STEP, true, &xml, &left_out, &reason);
    if (!good) tact_say("mpc: error: mujoco: %s", tact_quote(reason.bytes ? reason.bytes : "").text);
    if (good) {
        tact_text_print(line, "{\"xml\":%s,\"joints\":[", xml.bytes ? xml.bytes : "");
        // by name, since MuJoCo has an order of its own
        for (int i = 0, k = 0; i < model->nq; i++) {
            int b = find_coordinate(model, i, &k);
            tact_text_add(line, i > 0 ? ",[" : "[");
            add_joint_name(line, model, b, k);
            tact_text_print(line, ",%d]", model->body[b].joint == TACT_JOINT_FREE ? k : 0);
        }
        tact_text_add(line, "],\"actuators\":[");
        for (int v = 0, count = 0; v < model->nv; v++) {
            int b = model->dof[v].body;
            if (model->dof[v].u < 0) continue;
            tact_text_add(line, count++ > 0 ? "," : "");
            add_joint_name(line, model, b, v - model->body[b].v);
        }
        tact_text_add(line, "]}\n");
        line->failed = line->failed || xml.failed;
    }
    tact_text_free(&xml);
    tact_text_free(&left_out);
    tact_text_free(&reason);
    return good && exchange(mujoco);
}

// Starts node with a pipe to and from it.
static bool spawn(tact_mujoco *mujoco) {
    int to[2], from[2];
    if (pipe(to) != 0) return false;
    if (pipe(from) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    // what node inherits of these would keep its input open after this process has closed it
    fcntl(to[1], F_SETFD, FD_CLOEXEC);
    fcntl(from[0], F_SETFD, FD_CLOEXEC);
    mujoco->process = fork();
    if (mujoco->process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        close(to[0]);
        close(from[1]);
        execlp("node", "node", "--input-type=module", "-e", tact_mujoco_script, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    mujoco->in = fdopen(to[1], "w");
    mujoco->out = fdopen(from[0], "r");
    if (!mujoco->in) close(to[1]);
    if (!mujoco->out) close(from[0]);
    return mujoco->process > 0 && mujoco->in && mujoco->out;
}

tact_mujoco *tact_mujoco_open(const tact_scene *scene) {
    tact_mujoco *mujoco = tact_memory_get(sizeof *mujoco);
    if (!mujoco) return NULL;
    *mujoco = (tact_mujoco){.scene = scene};
    mujoco->q = tact_memory_get((size_t)scene->model.nq * sizeof(tact_real));
    if (mujoco->q && spawn(mujoco) && introduce(mujoco)) return mujoco;
    if (!mujoco->q || !mujoco->in || !mujoco->out)
        tact_say("mpc: error: mujoco: node could not be started: %s", tact_reason_print(errno).text);
    tact_mujoco_close(mujoco);
    return NULL;
}

void tact_mujoco_close(tact_mujoco *mujoco) {
    if (!mujoco) return;
    if (mujoco->in) (void)fclose(mujoco->in);
    if (mujoco->out) (void)fclose(mujoco->out);
    if (mujoco->process > 0) waitpid(mujoco->process, NULL, 0);
    tact_text_free(&mujoco->line);
    tact_memory_release(mujoco->q);
    tact_memory_release(mujoco);
}

bool tact_mujoco_reset(tact_mujoco *mujoco, const tact_real *q) {
    const tact_model *model = &mujoco->scene->model;
    memcpy(mujoco->q, q, (size_t)model->nq * sizeof *q);
    move_free(model, mujoco->q, true);
    tact_text_add(&mujoco->line, "{\"q\":");
    tact_text_add_vector(&mujoco->line, mujoco->q, (size_t)model->nq);
    tact_text_add(&mujoco->line, "}\n");
    return exchange(mujoco);
}

bool tact_mujoco_step(tact_mujoco *mujoco, const tact_real *u, double seconds, tact_real *q) {
    const tact_model *model = &mujoco->scene->model;
    tact_text_add(&mujoco->line, "{\"u\":");
    tact_text_add_vector(&mujoco->line, u, (size_t)model->nu);
    tact_text_print(&mujoco->line, ",\"time\":%g}\n", seconds);
    if (!exchange(mujoco)) return false;
    move_free(model, mujoco->q, false);
    memcpy(q, mujoco->q, (size_t)model->nq * sizeof *q);
    return true;
}
