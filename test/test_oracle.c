// SPDX-License-Identifier: MIT
// Against problems solved elsewhere (../shared/oracle, where it is there): whole steps of the notebook's hand, made with the
// notebook's code and solved to rounding, and link poses and Jacobians, made with MuJoCo from the same URDF. The barrier
// problems go through the command: test_solve.sh.
#include "tact/json.h"
#include "tact/tact.h"
#include "tact/text.h"
#include "test.h"

#ifdef TACT_FLOAT
#define STEP 1e-4
#define POSE 2e-6
#else
#define STEP 1e-9
#define POSE 1e-12
#endif

enum { JOINTS = 21, DOFS = 24, MOST = 64 };

static tact_scene *scene;
static tact_state state;
static tact_work work;

// numbers of a member of an object; returns how many
static int read_numbers(const tact_json *json, int object, const char *key, double *out, int most) {
    int node = tact_json_find(json, object, key), count = node < 0 ? 0 : tact_json_length(json, node);
    tact_real value = 0;
    CHECK(count <= most);
    for (int i = tact_json_first(json, node), k = 0; i >= 0 && k < most; i = tact_json_after(json, i), k++) {
        CHECK(tact_json_get_number(json, i, tact_range_any(), &value));
        out[k] = (double)value;
    }
    return count;
}

static double read_number(const tact_json *json, int object, const char *key) {
    tact_real value = (tact_real)NAN;
    tact_json_get_number(json, tact_json_find(json, object, key), tact_range_any(), &value);
    return (double)value;
}

static int steps, six, iterations, most_iterations;

static void check_step(const tact_json *json) {
    double q_a[JOINTS], q_o[3], u[JOINTS], q_plus[DOFS], force[3 * MOST];
    int given = tact_json_find(json, 0, "scene");
    read_numbers(json, 0, "q_a", q_a, JOINTS);
    read_numbers(json, 0, "q_o", q_o, 3);
    read_numbers(json, 0, "u", u, JOINTS);
    read_numbers(json, 0, "q_plus", q_plus, DOFS);
    int nc = read_numbers(json, 0, "contact_force_world", force, 3 * MOST) / 3;
    tact_real command[JOINTS];
    tact_options options = scene->options;
    options.margin = (tact_real)read_number(json, given, "threshold_phi");
    options.kappa = (tact_real)read_number(json, given, "kappa");
    CHECK_CLOSE(read_number(json, given, "object_radius"), 0.04, 1e-7);
    CHECK_CLOSE(read_number(json, given, "table_height"), -0.2, 1e-7);
    tact_state_reset(&state, &scene->model);
    for (int i = 0; i < JOINTS; i++) {
        state.q[i] = (tact_real)q_a[i];
        command[i] = (tact_real)u[i];
    }
    for (int i = 0; i < 3; i++) state.q[JOINTS + i] = (tact_real)q_o[i];
    tact_input input = {.u = command};
    CHECK_INT(tact_step(&scene->model, &options, &input, &state, &work), TACT_CONVERGED);
    for (int i = 0; i < JOINTS; i++) CHECK_CLOSE(state.q[i], q_plus[3 + i], STEP);
    for (int i = 0; i < 3; i++) CHECK_CLOSE(state.q[JOINTS + i], q_plus[i], STEP);
    CHECK_INT(work.contacts.count, nc);
    for (int i = 0; i < nc && i < work.contacts.count; i++) {
        const tact_vec3 *f = &work.contacts.contact[i].force;
        CHECK_CLOSE(f->x, force[3 * i], STEP);
        CHECK_CLOSE(f->y, force[3 * i + 1], STEP);
        CHECK_CLOSE(f->z, force[3 * i + 2], STEP);
    }
    steps += nc > 0;
    six += nc == 6;
    iterations += nc > 0 ? work.iterations : 0;
    if (work.iterations > most_iterations) most_iterations = work.iterations;
}

static int body_index(const char *name) {
    for (int b = 0; b < scene->model.nbody; b++)
        if (strcmp(scene->model.names->body[b], name) == 0) return b;
    return -1;
}

static void check_pose(const tact_json *json) {
    double q[JOINTS], p[3], R[9], jp[3 * JOINTS], jr[3 * JOINTS];
    int links = tact_json_find(json, 0, "links"), jacobians = tact_json_find(json, 0, "jac");
    if (links < 0) return;  // the header
    read_numbers(json, 0, "q", q, JOINTS);
    for (int i = 0; i < JOINTS; i++) state.q[i] = (tact_real)q[i];
    tact_kinematics_update(&work.kinematics, &scene->model, state.q);
    for (int link = tact_json_first(json, links); link >= 0; link = tact_json_after(json, link)) {
        int body = body_index(tact_json_key(json, link));
        CHECK(body >= 0);
        if (body < 0) continue;
        read_numbers(json, link, "p", p, 3);
        read_numbers(json, link, "R", R, 9);
        const tact_pose *pose = &work.kinematics.pose[body];
        CHECK_CLOSE(pose->p.x, p[0], POSE);
        CHECK_CLOSE(pose->p.y, p[1], POSE);
        CHECK_CLOSE(pose->p.z, p[2], POSE);
        for (int i = 0; i < 9; i++) CHECK_CLOSE(pose->R.m[i / 3][i % 3], R[i], POSE);
    }
    for (int link = tact_json_first(json, jacobians); link >= 0; link = tact_json_after(json, link)) {
        static tact_real J[6 * DOFS];
        int body = body_index(tact_json_key(json, link));
        CHECK(body >= 0);
        if (body < 0) continue;
        read_numbers(json, link, "jp", jp, 3 * JOINTS);
        read_numbers(json, link, "jr", jr, 3 * JOINTS);
        tact_body_jacobian(&scene->model, &work.kinematics, body, J);
        for (int row = 0; row < 3; row++)
            for (int i = 0; i < JOINTS; i++) {
                CHECK_CLOSE(J[row * DOFS + i], jr[row * JOINTS + i], POSE);
                CHECK_CLOSE(J[(3 + row) * DOFS + i], jp[row * JOINTS + i], POSE);
            }
    }
}

// Each line of a file of JSON Lines; false when the file is not there.
static bool each_line(const char *path, void (*check)(const tact_json *)) {
    tact_errors errors = {0};
    tact_text text = {0};
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors)) return false;
    int line = 1;
    for (const char *at = text.bytes; at && *at; line++) {
        const char *end = strchr(at, '\n');
        size_t size = end ? (size_t)(end - at) : strlen(at);
        tact_json json;
        if (size > 0) {
            CHECK(tact_json_read(&json, (tact_source){path, at, size, line}, &errors));
            check(&json);
            tact_json_free(&json);
        }
        at = end ? end + 1 : NULL;
    }
    tact_text_free(&text);
    return true;
}

int main(void) {
    char message[TACT_ERROR_LENGTH];
    scene = tact_scene_load("data/scenes/lesson.json", message, sizeof message);
    CHECK(scene != NULL);
    if (!scene) return puts(message), test_end("oracle");
    size_t size = tact_state_size(&scene->model), work_size = tact_work_size(&scene->model);
    void *memory = malloc(size), *scratch = malloc(work_size);
    CHECK_INT(tact_state_init(&state, &scene->model, memory, size), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, &scene->model, scratch, work_size), TACT_CONVERGED);
    bool found = each_line("../shared/oracle/steps.jsonl", check_step) && each_line("../shared/oracle/fk.jsonl", check_pose);
    free(memory);
    free(scratch);
    tact_scene_free(scene);
    if (!found) {
        printf("oracle (../shared/oracle is not there): %d passed, %d failed\n", test_passed, test_failed);
        return test_failed > 0;
    }
    printf("%d steps with contacts, %d of them with six: %.2f iterations on average, at most %d\n", steps, six,
           (double)iterations / steps, most_iterations);
    CHECK(iterations <= 7 * steps && most_iterations <= 12);
    return test_end("oracle");
}
