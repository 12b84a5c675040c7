// SPDX-License-Identifier: MIT
// tact ik: inverse kinematics, one set of targets a line.
#include <math.h>

#include "app/lookup.h"
#include "app/reach.h"
#include "app/records.h"
#include "app/stage.h"

enum { TARGETS_MAX = 4096, SEED_MAX = 2147483647 };

static const char help[] =
    "Each line of standard input gives target positions of points of bodies:\n"
    "  {\"targets\":[{\"body\":NAME,\"position\":[3],\"point\":[3],\"orientation\":[w,x,y,z],\"angle_weight\":0.1}],\"q\":{..}}\n"
    "position [m] is in the world, point in the body's frame (default 0). With an orientation of the body the error of a\n"
    "target is sqrt(|distance|^2 + (angle_weight angle)^2), angle_weight [m/rad] being 0.1 by default. q is the start\n"
    "of the search, as in tact fk; joints that it does not name start at their initial value. Each answer is a line\n"
    "  {\"status\":\"converged\",\"q\":{\"JOINT\":value},\"residual\":[error of each target in m],\"iterations\":6,\n"
    "   \"restarts\":0}\n"
    "status is converged, stationary (a local minimum of the error within the limits) or iteration_limit.\n"
    "Targets that are missed from q are tried again from up to --restarts random starts within the limits, separately for\n"
    "targets that share no joint. The answer is the nearest point found; restarts is the number of restarts. A target that\n"
    "is missed is not proven to be out of reach. Only driven joints move, unless --all is given. Ids are echoed, blank lines\n"
    "skipped. A bad line gives {\"error\":\"reason\"}. Exit code 1 if a line is bad or did not converge.\n"
    "\n"
    "examples:\n"
    "  echo '{\"targets\":[{\"body\":\"finger_r_link_2_index4\",\"position\":[0.15,0.05,-0.1]}]}' |"
    " tact ik data/scenes/lesson.json\n"
    "  tact ik data/scenes/lesson.json --all < targets.jsonl\n";

#define FAR 50.0  // times the size of a scene that its writer gave in another unit

typedef struct {
    tact_world world;
    tact_lookup joints, bodies;
    tact_ik_options options;
    // for the targets of a line
    int capacity;
    tact_ik ik;
    tact_ik_target *target;
    tact_real *q;
    void *memory;
    bool told;    // that no driven joint moves a target,
    bool far;     // that one is in other units,
    bool turned;  // that the orientation of one has another order
} ik_job;

static void place_job(void *context, tact_arena *arena) {
    ik_job *job = context;
    const tact_model *model = &job->world.scene->model;
    tact_ik_place(&job->ik, model, job->capacity, arena);
    job->target = tact_arena_take(arena, (size_t)job->capacity, sizeof(tact_ik_target));
    job->q = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
}

// Room for the targets of a line.
static bool reserve(ik_job *job, int targets) {
    if (job->memory && targets <= job->capacity) return true;
    tact_memory_release(job->memory);
    job->capacity = targets;
    job->memory = tact_memory_place(place_job, job);
    return job->memory != NULL;
}

// Reads orientation and angle_weight of a target; without an orientation the weight is 0. A quaternion must have norm 1 within
// 1e-3, and is then made unit.
static void read_orientation(const tact_json *json, int object, tact_ik_target *target) {
    tact_real w[4] = {1, 0, 0, 0};
    int node = tact_json_find(json, object, "orientation"), weight = tact_json_find(json, object, "angle_weight");
    target->angle_weight = 0;
    target->orientation = (tact_quat){1, 0, 0, 0};
    if (node < 0 && weight >= 0) tact_json_refuse(json, weight, "goes with an orientation");
    if (node < 0 || !tact_json_get_vector(json, node, 4, tact_range_within(-2, 2), w)) return;
    if (!tact_scene_read_orientation(json, node, w, &target->orientation)) return;
    target->angle_weight = TACT_REAL(0.1);
    tact_json_get_number(json, weight, tact_range_within(0, 1000), &target->angle_weight);
}

// Whether a joint that the search may move carries a body.
static bool moves(const ik_job *job, int body) {
    const tact_model *model = &job->world.scene->model;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++)
        if (job->options.all_dofs || model->dof[model->motion[model->path[k]].dof].u >= 0) return true;
    return false;
}

static double distance(tact_vec3 a, tact_vec3 b) {
    const tact_vec3 d = tact_vec3_sub(a, b);
    return sqrt((double)tact_vec3_dot(d, d));
}

// Reads one target: body, point, position and orientation.
static void read_target(ik_job *job, const tact_json *json, int object, tact_ik_target *target) {
    static const char *const keys[] = {"body", "point", "position", "orientation", "angle_weight", NULL};
    tact_real point[3] = {0, 0, 0}, position[3] = {0, 0, 0};
    if (!tact_json_check_object(json, object, keys)) return;
    int node = tact_json_need(json, object, "body");
    const char *name = tact_json_get_name(json, node);
    target->body = name ? tact_lookup_find(&job->bodies, name) : -1;
    if (name && target->body < 0) tact_lookup_refuse(&job->bodies, json, node, "body", name);
    if (target->body >= 0 && !job->told && !moves(job, target->body)) {
        job->told = true;
        tact_say("ik: warning: no driven joint moves %s: --all moves joints without a drive, too", tact_quote(name).text);
    }
    tact_json_get_vector(json, tact_json_find(json, object, "point"), 3, tact_range_within(-1e6, 1e6), point);
    tact_json_get_vector(json, tact_json_need(json, object, "position"), 3, tact_range_within(-1e6, 1e6), position);
    target->point = tact_vec3_make(point[0], point[1], point[2]);
    target->position = tact_vec3_make(position[0], position[1], position[2]);
    read_orientation(json, object, target);
}

// The first target whose orientation has w at the end.
static void doubt_targets(ik_job *job, int count) {
    const tact_model *model = &job->world.scene->model;
    tact_kinematics_update(&job->ik.kinematics, model, job->q);
    for (int i = 0; i < count; i++) {
        const tact_ik_target *target = &job->target[i];
        tact_quat start = tact_quat_from_matrix(job->ik.kinematics.pose[target->body].R);
        double turn = target->angle_weight > 0 ? tact_scene_swapped_turn(target->orientation, start) : -1;
        if (turn < 0 || job->turned) continue;
        job->turned = true;
        tact_say("ik: warning: orientation of target %d: half a turn about a tilted axis: the order is w, x, y, z; in the order "
                 "x, y, z, w it were a turn of %s degrees",
                 i, tact_rounded(turn, 4).text);
    }
}

// Reads the targets and the start; returns the number of targets, 0 after reporting.
static int read_line(ik_job *job, const tact_json *json, tact_errors *errors) {
    const tact_model *model = &job->world.scene->model;
    int node = tact_json_need(json, 0, "targets"), count = tact_json_length(json, node), start = tact_json_find(json, 0, "q");
    if (count == 0 || count > TARGETS_MAX) tact_json_refuse(json, node, "%d targets (allowed 1 to %d)", count, TARGETS_MAX);
    if (errors->errors > 0) return 0;
    if (!reserve(job, count)) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = json->source.name}, "out of memory");
        return 0;
    }
    tact_ik_target *target = job->target;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) read_target(job, json, i, target++);
    for (int i = 0; i < model->nq; i++) job->q[i] = job->world.state.q[i];
    if (start >= 0) tact_lookup_coordinates(&job->joints, model, json, start, job->q);
    if (errors->errors == 0) doubt_targets(job, count);
    return errors->errors > 0 ? 0 : count;
}

// Tells, once, of a target that is missed and far beyond all that the scene has.
static void doubt_far(ik_job *job, int count) {
    const tact_model *model = &job->world.scene->model;
    double size = tact_reach_span(&job->world, TACT_WORLD);
    const tact_pose *pose = job->world.work.kinematics.pose;
    for (int b = 0; b < model->nbody; b++) size = fmax(size, distance(pose[b].p, (tact_vec3){0, 0, 0}));
    for (int i = 0; i < count && !job->far; i++) {
        const double away = distance(job->target[i].position, pose[job->target[i].body].p);
        job->far = size > 0 && away > FAR * size;
        if (job->far)
            tact_say("ik: warning: a target of %s is %s m away, where all else is within %s m: targets are in metres, a "
                     "millimetre is 0.001",
                     tact_quote(tact_body_name(model, job->target[i].body).text).text, tact_rounded(away, 3).text,
                     tact_rounded(size, 3).text);
    }
}

// Solves the targets of a line; true if all are reached.
static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    ik_job *job = context;
    int count = read_line(job, json, errors);
    if (count == 0) return false;
    tact_ik_result result = tact_ik_solve(&job->ik, &job->world.scene->model, job->target, count, job->options, job->q);
    if (result.status < 0) {
        tact_json_refuse(json, 0, "%s", tact_status_name(result.status));
        return false;
    }
    if (result.status != TACT_CONVERGED) doubt_far(job, count);
    tact_record_begin(json, out);
    tact_text_print(out, "\"status\":%s,\"q\":{", tact_status_name(result.status));
    // "joint": value for each joint with coordinates of its own, several of them as an array; joints that follow others are left
    // out.
    const tact_model *model = &job->world.scene->model;
    bool any = false;
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        int width = tact_joint_coordinates(body->joint);
        if (width == 0 || model->dof[body->v].body != b) continue;
        if (any) tact_text_add(out, ",");
        any = true;
        tact_text_print(out, "%s:", tact_joint_name(model, b).text);
        if (width == 1)
            tact_text_add_number(out, (double)job->q[body->q]);
        else
            tact_text_add_vector(out, &job->q[body->q], (size_t)width);
    }
    tact_text_add(out, "},\"residual\":");
    tact_text_add_vector(out, job->ik.error, (size_t)count);
    tact_text_print(out, ",\"iterations\":%d,\"restarts\":%d}", result.iterations, result.restarts);
    return result.status == TACT_CONVERGED;
}

static int run(const tact_call *call) {
    ik_job job = {.options = tact_ik_options_default()};
    long long restarts = 0, seed = 0;
    if (!tact_call_integer(call, "--restarts", 0, 1000000, job.options.restarts, &restarts) ||
        !tact_call_integer(call, "--seed", 0, SEED_MAX, (long long)job.options.seed, &seed))
        return TACT_EXIT_USAGE;
    job.options.restarts = (int)restarts;
    job.options.seed = (uint64_t)seed;
    job.options.all_dofs = tact_call_value(call, "--all") != NULL;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &job.world);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &job.world.scene->model;
    // the search moves every joint by itself
    if (model->nloop > 0) tact_say("ik: warning: the scene's loops are not kept: coordinates may open them");
    if (tact_lookup_make(&job.joints, model->names->joint, model->nbody) &&
        tact_lookup_make(&job.bodies, model->names->body, model->nbody)) {
        static const char *const keys[] = {"targets", "q", "id", "name", NULL};
        tact_records records = {.context = &job,
                                .keys = keys,
                                .form = "{\"targets\": [{\"body\": ..., \"position\": [x, y, z]}]}",
                                .wanted = "lines of targets",
                                .answer = answer,
                                .refuse = tact_record_add_error};
        code = tact_records_run(&records, "-");
    } else {
        code = tact_say_no_memory("");
    }
    tact_lookup_free(&job.joints);
    tact_lookup_free(&job.bodies);
    tact_memory_release(job.memory);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS,
                                           {"--all", NULL, "move undriven joints as well"},
                                           {"--restarts", "N", "from random starts, 0 to 1000000 (default 60)"},
                                           {"--seed", "N", "of the random starts (default 1)"},
                                           {0}};

const tact_subcommand tact_ik_command = {.name = "ik",
                                         .operands = "SCENE",
                                         .summary = "Inverse kinematics, for targets on standard input.",
                                         .help = help,
                                         .options = options,
                                         .least = 1,
                                         .most = 1,
                                         .run = run};
