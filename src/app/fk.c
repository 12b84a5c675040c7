// SPDX-License-Identifier: MIT
// tact fk: forward kinematics, one configuration a line.
#include "app/lookup.h"
#include "app/records.h"
#include "app/stage.h"

static const char help[] =
    "Each line of standard input is a configuration: {\"q\":[all coordinates in order]} or {\"q\":{\"JOINT\":value}}, where the\n"
    "other joints are at their initial value and a joint with several coordinates has an array. tact check prints the order.\n"
    "Each answer is a line\n"
    "  {\"bodies\":{\"NAME\":{\"p\":[3],\"R\":[9]}},\"jacobians\":{\"NAME\":[6*nv]}}\n"
    "p is the body's origin, R its orientation row by row; a Jacobian has the rows angular, then linear velocity of the\n"
    "origin, world-aligned. An id is echoed, blank lines are skipped. A bad line gives {\"error\":\"reason\"}, exit code 1.\n"
    "\n"
    "examples:\n"
    "  echo '{\"q\":{}}' | tact fk data/scenes/lesson.json\n"
    "  tact fk data/scenes/lesson.json < configurations.jsonl > poses.jsonl\n";

typedef struct {
    tact_world world;
    tact_lookup joints;
    tact_real *q, *J;  // (nq), (6, nv)
    void *memory;
    bool told;  // of degrees
} fk_job;

#define TURN TACT_REAL(6.283185307179586)

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    fk_job *job = context;
    const tact_model *model = &job->world.scene->model;
    // joints that the line does not name stay where the scene has them
    for (int i = 0; i < model->nq; i++) job->q[i] = job->world.state.q[i];
    (void)errors;
    if (!tact_lookup_coordinates(&job->joints, model, json, tact_json_need(json, 0, "q"), job->q)) return false;
    // The first angle of all lines that is more than a turn.
    // once for all lines
    for (int b = 0; b < model->nbody && !job->told; b++) {
        const tact_body *body = &model->body[b];
        bool turns = body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS;
        if (!turns || (job->q[body->q] <= TURN && job->q[body->q] >= -TURN)) continue;
        job->told = true;
        tact_say("fk: warning: joint %s at %s: more than a turn; angles are in radians (90 degrees are 1.571)",
                 tact_quote(tact_joint_name(model, b).text).text, tact_number_print((double)job->q[body->q]).text);
    }
    tact_kinematics_update(&job->world.work.kinematics, model, job->q);
    tact_record_begin(json, out);
    tact_text_add(out, "\"bodies\":{");
    // Position and rotation matrix of each body
    for (int b = 0; b < model->nbody; b++) {
        const tact_pose *pose = &job->world.work.kinematics.pose[b];
        const tact_real p[3] = {pose->p.x, pose->p.y, pose->p.z};
        if (b > 0) tact_text_add(out, ",");
        tact_text_print(out, "%s:{\"p\":", tact_body_name(model, b).text);
        tact_text_add_vector(out, p, 3);
        tact_text_add(out, ",\"R\":");
        tact_text_add_vector(out, &pose->R.m[0][0], 9);
        tact_text_add(out, "}");
    }
    tact_text_add(out, "},\"jacobians\":{");
    for (int b = 0; b < model->nbody; b++) {
        tact_body_jacobian(model, &job->world.work.kinematics, b, job->J);
        if (b > 0) tact_text_add(out, ",");
        tact_text_print(out, "%s:", tact_body_name(model, b).text);
        tact_text_add_vector(out, job->J, 6 * (size_t)model->nv);
    }
    tact_text_add(out, "}}");
    return true;
}

static void place_job(void *context, tact_arena *arena) {
    fk_job *job = context;
    const tact_model *model = &job->world.scene->model;
    job->q = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
    job->J = tact_arena_take(arena, 6 * (size_t)model->nv, sizeof(tact_real));
}

// Answers each line of the input, a state, with the poses at its coordinates.
static int run(const tact_call *call) {
    fk_job job = {0};
    int code = tact_stage_open(call, tact_call_operand(call, 0), &job.world);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &job.world.scene->model;
    job.memory = tact_memory_place(place_job, &job);
    if (job.memory && tact_lookup_make(&job.joints, model->names->joint, model->nbody)) {
        static const char *const keys[] = {"q", "id", "name", NULL};
        tact_records records = {.context = &job,
                                .form = "{\"q\": ...}",
                                .keys = keys,
                                .wanted = "lines of states",
                                .answer = answer,
                                .refuse = tact_record_add_error};
        code = tact_records_run(&records, "-");
    } else {
        code = tact_say_no_memory("");
    }
    tact_lookup_free(&job.joints);
    tact_memory_release(job.memory);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS, {0}};

const tact_subcommand tact_fk_command = {.name = "fk",
                                         .operands = "SCENE",
                                         .summary = "Poses and Jacobians of all bodies, for configurations on standard input.",
                                         .help = help,
                                         .options = options,
                                         .least = 1,
                                         .most = 1,
                                         .run = run};
