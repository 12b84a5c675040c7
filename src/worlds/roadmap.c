// SPDX-License-Identifier: MIT
// Samples and extensions are computed in parts of a fixed size, by several threads, and added in the order of their numbers.
#include "worlds/roadmap.h"

#include <math.h>

#include "math/random.h"
#include "tact/memory.h"
#include "worlds/crew.h"

enum { PART = 32, CLOSING_PARTS = 10, LIFTS = 40, SAMPLES_PER_NODE = 50 };

// of a sample: the hand goes to its posture, all settles, then the body is watched [s]
#define CLOSING TACT_REAL(0.6)
#define SETTLING TACT_REAL(0.6)
#define WATCHED TACT_REAL(0.5)
// the body is at rest when it moves less in that time [m], [rad], and in the hand when it is within so much of its place
#define DRIFT TACT_REAL(0.001)
#define DRIFT_ANGLE TACT_REAL(0.0175)
#define PLACE TACT_REAL(0.03)
// how far the body is raised at a time until it is clear [m]
#define LIFT TACT_REAL(0.002)
// after a regrasp the body is watched for so long [s]
#define HELD TACT_REAL(0.2)
// of the squared distance of the commands from the posture of the node that is sought
#define POSTURE TACT_REAL(0.05)

// One of a thread.
typedef struct {
    const tact_roadmap *map;
    const tact_scene *plant;
    tact_options step;
    tact_mpc_options control;
    tact_mpc mpc;
    tact_state state;
    tact_work work;
    tact_region region;
    tact_real *u, *posture;  // (nu)
    void *memory;
} roadmap_worker;

// A build, and the results of the part at hand.
typedef struct {
    tact_roadmap *map;
    roadmap_worker *worker;
    int threads;
    long long first;   // number of the part's first sample or extension
    bool held[PART];   // of samples
    tact_real *q, *u;  // (PART, nq), (PART, nu)
    tact_roadmap_edge edge[PART];
    void *memory;
} roadmap_build;

tact_pose_goal tact_roadmap_goal(const tact_scene *scene) {
    tact_pose_goal goal = tact_control_goal(scene, &scene->goal);
    goal.angle_weight = scene->mpc.angle_weight;
    return goal;
}

tact_real tact_roadmap_between(tact_vec3 p, tact_quat R, tact_vec3 q, tact_quat S) {
    tact_vec3 turn = tact_rotation_log(tact_quat_multiply(S, tact_quat_conjugate(R))), move = tact_vec3_sub(q, p);
    return (tact_real)sqrt((double)tact_vec3_dot(turn, turn)) + 20 * (tact_real)sqrt((double)tact_vec3_dot(move, move));
}

void tact_roadmap_approach(tact_mpc_options *control) {
    control->patience = control->centre = 0;
    control->posture = POSTURE;
}

void tact_roadmap_regrasp(tact_mpc *mpc, const tact_mpc_options *control, const tact_real *u) {
    for (int i = 0; i < mpc->model->nu; i++) mpc->posture[i] = u[i];
    mpc->wandering = 0;
    mpc->opening = control->regrasp;
}

bool tact_roadmap_near(const tact_pose_goal *goal, const tact_pose *pose, tact_real part) {
    tact_pose_error error = tact_pose_goal_error(goal, pose);
    tact_real position = part * goal->position_tolerance, angle = part * goal->angle_tolerance;
    return tact_vec3_dot(error.position, error.position) < position * position &&
           tact_vec3_dot(error.rotation, error.rotation) < angle * angle;
}

// Memory of one thread: controller, plant state and work, and the contact trust region where the scene has one.
static void roadmap_place_worker(void *context, tact_arena *arena) {
    roadmap_worker *w = context;
    const tact_model *model = &w->map->scene->model, *plant = &w->plant->model;
    int horizon = w->map->scene->mpc.horizon;
    size_t mpc = tact_mpc_size(model, horizon), state = tact_state_size(plant), work = tact_work_size(plant);
    size_t region = w->map->scene->mpc.region > 0 ? tact_region_size(model, horizon) : 0;
    w->u = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    w->posture = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    void *mpc_memory = tact_arena_take(arena, mpc, 1), *state_memory = tact_arena_take(arena, state, 1);
    void *work_memory = tact_arena_take(arena, work, 1), *region_memory = tact_arena_take(arena, region, 1);
    // a first pass only measures
    if (!work_memory) return;
    tact_mpc_init(&w->mpc, model, horizon, mpc_memory, mpc);
    tact_state_init(&w->state, plant, state_memory, state);
    tact_work_init(&w->work, plant, work_memory, work);
    // the controller's options as the scene and the rate give them
    tact_control_options(w->map->scene, w->map->options.rate, &w->step, &w->control);
    tact_roadmap_approach(&w->control);
    if (region == 0) return;
    // the contact trust region of the plan's steps
    tact_region_init(&w->region, model, horizon, region_memory, region);
    w->region.bearing = tact_force_min(model, &w->step);
    w->control.region = &w->region;
}

// Steps the plant with a command for a time. False: a step had no answer.
static bool roadmap_step(roadmap_worker *w, const tact_real *u, tact_real seconds) {
    const tact_options *options = &w->plant->options;
    long steps = lround((double)(seconds / options->dt));
    tact_input input = {.u = u};
    for (long i = 0; i < steps; i++)
        if (tact_step(&w->plant->model, options, &input, &w->state, &w->work) < 0) return false;
    return true;
}

// Whether a dof's command is of its own coordinate, so that the joint's limits are the command's, and not of a sum.
static bool roadmap_drives_one(const tact_model *model, const tact_dof *dof) {
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        if (spring->u == dof->u) return spring->count == 1 && spring->factor[0] == 1 && spring->rest == 0;
    }
    return dof->stiffness > 0;
}

// Puts the plant to q, at rest.
static void roadmap_put(roadmap_worker *w, const tact_real *q) {
    tact_state_reset(&w->state, &w->plant->model);
    for (int i = 0; i < w->plant->model.nq; i++) w->state.q[i] = w->state.q_past[i] = q[i];
}

static const tact_pose *roadmap_pose(roadmap_worker *w) {
    tact_kinematics_update(&w->work.kinematics, &w->plant->model, w->state.q);
    return &w->work.kinematics.pose[w->map->scene->goal.body];
}

// Uniform from -1 to 1.
static tact_real roadmap_draw(uint64_t *random) {
    return 2 * ((tact_real)(tact_random_bits(random) >> 44) / (tact_real)(1 << 20)) - 1;
}

// Uniform on SO(3): a direction in four dimensions, drawn in the ball.
static tact_quat roadmap_draw_turn(uint64_t *random) {
    for (;;) {
        tact_quat q = {.w = roadmap_draw(random)};
        q.x = roadmap_draw(random);
        q.y = roadmap_draw(random);
        q.z = roadmap_draw(random);
        tact_real square = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
        if (square <= 1 && square > TACT_REAL(0.01)) return tact_quat_normalize(q);
    }
}

// Whether the body is free of contact.
static bool roadmap_clear(roadmap_worker *w) {
    const tact_model *model = &w->plant->model;
    int body = w->map->scene->goal.body;
    roadmap_pose(w);
    tact_contacts_detect(&w->work.contacts, model, &w->work.kinematics, 0, NULL);
    for (int i = 0; i < w->work.contacts.count; i++) {
        const tact_pair *pair = &model->pair[w->work.contacts.contact[i].pair];
        if (model->shape[pair->a].body == body || model->shape[pair->b].body == body) return false;
    }
    return true;
}

// Sample s; true: its state and w->u are a node.
static bool roadmap_sample(roadmap_worker *w, long long s) {
    const tact_model *model = &w->plant->model;
    const tact_body *body = &model->body[w->map->scene->goal.body];
    uint64_t random = tact_random_mix(((uint64_t)w->map->options.seed << 40) + (uint64_t)s);
    roadmap_put(w, model->q0);
    // The body at its place, at a random orientation, raised until it is clear of the hand.
    tact_real *q = w->state.q + body->q;
    tact_quat turn = roadmap_draw_turn(&random);
    tact_vec3 g = w->plant->options.gravity, up = tact_mat3_apply_transposed(body->place.R, g);
    tact_real weight = (tact_real)sqrt((double)tact_vec3_dot(g, g));
    q[3] = turn.w, q[4] = turn.x, q[5] = turn.y, q[6] = turn.z;
    up = tact_vec3_scale(weight > 0 ? -LIFT / weight : 0, up);
    int lifts = 0;
    for (; lifts < LIFTS && !roadmap_clear(w); lifts++) q[0] += up.x, q[1] += up.y, q[2] += up.z;
    if (lifts == LIFTS) return false;
    for (int i = 0; i < model->nq; i++) w->state.q_past[i] = w->state.q[i];
    // A posture within the spread of the scene's.
    tact_hold(model, &w->state, w->u);
    for (int i = 0; i < model->nu; i++) w->posture[i] = w->u[i] + w->control.spread * roadmap_draw(&random);
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[i];
        if (dof->u < 0 || !roadmap_drives_one(model, dof)) continue;
        tact_real *u = &w->posture[dof->u];
        *u = *u < dof->lower ? dof->lower : *u > dof->upper ? dof->upper : *u;
    }
    // The hand goes there while the body falls; then all settles.
    for (int k = CLOSING_PARTS; k > 0; k--) {
        for (int i = 0; i < model->nu; i++) w->u[i] += (w->posture[i] - w->u[i]) / (tact_real)k;
        if (!roadmap_step(w, w->u, CLOSING / CLOSING_PARTS)) return false;
    }
    if (!roadmap_step(w, w->u, SETTLING)) return false;
    tact_pose_goal there = tact_roadmap_goal(w->map->scene);
    const tact_pose *pose = roadmap_pose(w);
    tact_vec3 off = tact_vec3_sub(pose->p, there.position);
    if (!(tact_vec3_dot(off, off) < PLACE * PLACE)) return false;
    // At rest: it stays where it is.
    there.position = pose->p;
    there.orientation = tact_quat_from_matrix(pose->R);
    there.position_tolerance = DRIFT;
    there.angle_tolerance = DRIFT_ANGLE;
    return roadmap_step(w, w->u, WATCHED) && tact_roadmap_near(&there, roadmap_pose(w), 1);
}

// Extends the roadmap from node a towards b.
static tact_roadmap_edge roadmap_extend(roadmap_worker *w, int a, int b) {
    const tact_roadmap *map = w->map;
    int nq = map->scene->model.nq, nu = map->scene->model.nu;
    const tact_real *to = map->u + b * nu, tick = w->control.tick;
    tact_pose_goal goal = tact_roadmap_goal(map->scene);
    tact_roadmap_edge edge = {.from = a, .to = b, .arrived = -1, .time = -1};
    tact_real time = 0;
    goal.position = map->position[b];
    goal.orientation = map->orientation[b];
    roadmap_put(w, map->q + a * nq);
    tact_mpc_reset(&w->mpc, w->state.q);
    // It begins with the command that holds at a, and prefers the posture of b.
    for (int i = 0; i < nu; i++) w->mpc.last[i] = map->u[a * nu + i], w->mpc.rest[i] = to[i];
    for (int k = 0; k < w->mpc.horizon * nu; k++) w->mpc.u[k] = w->mpc.last[k % nu];
    // the controller steers the body to within half of b's tolerances, or the time is spent
    while (!tact_roadmap_near(&goal, roadmap_pose(w), TACT_REAL(0.5))) {
        if (time >= map->options.time - tick / 2) return edge;
        tact_mpc_solve(&w->mpc, &w->step, &w->control, &goal, w->state.q);
        if (!roadmap_step(w, w->mpc.last, tick)) return edge;
        time += tick;
    }
    edge.arrived = time;
    // The hand takes b's posture; the body stays.
    tact_roadmap_regrasp(&w->mpc, &w->control, to);
    while (w->mpc.opening > 0) {
        tact_mpc_solve(&w->mpc, &w->step, &w->control, &goal, w->state.q);
        if (!roadmap_step(w, w->mpc.last, tick)) return edge;
        time += tick;
    }
    // it counts when the body is still there after the hand has held it for a while
    if (!roadmap_step(w, w->mpc.last, HELD) || !tact_roadmap_near(&goal, roadmap_pose(w), 1)) return edge;
    edge.time = time + HELD;
    return edge;
}

static void roadmap_work_sample(void *context, int piece, int member) {
    roadmap_build *build = context;
    roadmap_worker *w = &build->worker[member];
    int nq = w->plant->model.nq, nu = w->plant->model.nu;
    build->held[piece] = roadmap_sample(w, build->first + piece);
    for (int i = 0; i < nq; i++) build->q[piece * nq + i] = w->state.q[i];
    for (int i = 0; i < nu; i++) build->u[piece * nu + i] = w->u[i];
}

static void roadmap_work_edge(void *context, int piece, int member) {
    roadmap_build *build = context;
    const tact_roadmap *map = build->map;
    int number = (int)build->first + piece, each = tact_roadmap_edges(map) / map->options.nodes;
    // The k-th nearest of the other nodes, the lower number first.
    int a = number / each;
    int k = number % each;
    tact_real last = -1;
    int to = -1;
    // selection by distance, then number, above the last one: nothing is sorted or kept
    for (int rank = 0; rank <= k; rank++) {
        tact_real best = TACT_MAX;
        int next = -1;
        for (int b = 0; b < map->nnode; b++) {
            tact_real d = tact_roadmap_between(map->position[a], map->orientation[a], map->position[b], map->orientation[b]);
            if (b == a || d < last || (d <= last && b <= to) || d >= best) continue;
            best = d;
            next = b;
        }
        last = best;
        to = next;
    }
    build->edge[piece] = roadmap_extend(&build->worker[member], number / each, to);
}

static void roadmap_place_build(void *context, tact_arena *arena) {
    roadmap_build *build = context;
    const tact_model *model = &build->map->scene->model;
    build->worker = tact_arena_take(arena, (size_t)build->threads, sizeof(roadmap_worker));
    build->q = tact_arena_take(arena, PART * (size_t)model->nq, sizeof(tact_real));
    build->u = tact_arena_take(arena, PART * (size_t)model->nu, sizeof(tact_real));
}

// Samples until there are nodes enough, then extensions. False after errors, or where report ended it.
static bool roadmap_run(roadmap_build *build, tact_crew *crew, bool (*report)(void *context, int done), void *context,
                        tact_errors *errors) {
    tact_roadmap *map = build->map;
    int nodes = map->options.nodes, edges = tact_roadmap_edges(map);
    bool good = true;
    for (build->first = map->samples; good && map->nnode < nodes;) {
        int count = nodes - map->nnode < PART ? nodes - map->nnode : PART;
        // a hand that lets nearly every sample fall is refused
        if (build->first > (long long)SAMPLES_PER_NODE * (map->nnode + 2))
            return tact_roadmap_refuse(map, TACT_ERROR_REFUSED, "too few samples hold: the hand lets the body fall", errors);
        tact_crew_run(crew, build->threads, count, roadmap_work_sample, build);
        // in the order of the samples, whichever thread had them
        for (int i = 0; good && i < count; i++)
            if (build->held[i])
                good = tact_roadmap_add_node(map, build->first + i, build->q + i * map->scene->model.nq,
                                             build->u + i * map->scene->model.nu, errors);
        build->first += count;
        good = good && (!report || report(context, map->nnode));
    }
    // extensions from where the file ends: of each node to its nearest neighbours
    for (build->first = map->nedge; good && map->nedge < edges; build->first = map->nedge) {
        int count = edges - map->nedge < PART ? edges - map->nedge : PART;
        tact_crew_run(crew, build->threads, count, roadmap_work_edge, build);
        for (int i = 0; good && i < count; i++) good = tact_roadmap_add_edge(map, build->edge[i], errors);
        good = good && (!report || report(context, nodes + map->nedge));
    }
    return good;
}

bool tact_roadmap_build(tact_roadmap *map, const tact_scene *plant, int threads, bool (*report)(void *context, int done),
                        void *context, tact_errors *errors) {
    TACT_ASSERT(map && plant && threads >= 1 && map->memory);
    roadmap_build build = {.map = map, .threads = threads < PART ? threads : PART};
    build.memory = tact_memory_place(roadmap_place_build, &build);
    tact_crew *crew = tact_crew_make();
    int ready = 0;
    // each thread has a state, a controller and memory of its own
    for (bool good = build.memory && crew; good && ready < build.threads; ready += good) {
        roadmap_worker *w = &build.worker[ready];
        *w = (roadmap_worker){.map = map, .plant = plant};
        w->memory = tact_memory_place(roadmap_place_worker, w);
        good = w->memory != NULL;
    }
    bool good = ready == build.threads ? roadmap_run(&build, crew, report, context, errors)
                                       : tact_roadmap_refuse(map, TACT_ERROR_NO_MEMORY, "out of memory", errors);
    for (int i = 0; i < ready; i++) tact_memory_release(build.worker[i].memory);
    tact_crew_free(crew);
    tact_memory_release(build.memory);
    return good;
}
