// SPDX-License-Identifier: MIT
// Derivatives of a step as matrices, and the reverse of a rollout. Of a rollout all states are kept; backwards each step is made
// again, to the same bits, and
//
//     (x_k_bar, u_k_bar) = (A, B)'x_{k+1}_bar + (C, D)'lambda_k_bar ,   x_k_bar += T'q_k_bar
//
// by tact_linear_pull.
#include <string.h>

#include "law/virtual.h"
#include "tact/memory.h"
#include "worlds/worlds.h"

enum { PARAMETERS = 1024 };

// A thread's scratch.
typedef struct {
    void *memory, *work_memory;
    tact_work work;
    tact_slopes slopes;
    tact_state state;
    tact_state *kept;  // (steps + 1)
    tact_kinematics kinematics;
    tact_wrench *wrench;                                 // (nbody)
    tact_vec3 *anchor_bar, *normal_bar;                  // (npair)
    tact_real *q_bar, *v_bar, *q_past_bar, *v_past_bar;  // (nv)
    tact_real *lambda_bar;                               // (npair, 3)
    tact_real *u_bar, *by_parameter;
} back_member;

typedef struct {
    tact_worlds *worlds;
    int first, count;  // worlds
    int steps;         // that are kept
    const tact_worlds_run *run;
    const tact_worlds_bars *bars;
    const tact_worlds_matrices *matrices;
    const tact_real *u;         // of the matrices
    int nparameter;             // of steps
    tact_parameter *parameter;  // (nparameter)
    int *of;                    // (nparameter) path that each belongs to
    size_t work_size;           // the most of all worlds
    back_member member[256];
    tact_status least[256];
} back_job;

typedef struct {
    back_job *job;
    back_member *member;
} back_place;

// Memory of one thread's scratch for derivatives; an arena without memory measures.
static void place_back(void *context, tact_arena *arena) {
    const back_place *place = context;
    back_job *job = place->job;
    back_member *member = place->member;
    const tact_model *model = &job->worlds->scene->model;
    size_t nv = (size_t)model->nv, npair = (size_t)tact_model_pairs(model), real = sizeof(tact_real),
           size = tact_state_size(model);
    // Scratch of a step and of its derivatives.
    member->work_memory = tact_arena_take(arena, job->work_size, 1);
    if (member->work_memory) tact_work_init(&member->work, model, member->work_memory, job->work_size);
    tact_slopes_place(&member->slopes, model, arena);
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_state_init(&member->state, model, memory, size);
    // All states of a rollout are kept: the reverse needs each step's beginning.
    member->kept = tact_arena_take(arena, (size_t)job->steps + 1, sizeof(tact_state));
    for (int k = 0; k <= job->steps; k++) {
        memory = tact_arena_take(arena, size, 1);
        if (memory) tact_state_init(&member->kept[k], model, memory, size);
    }
    tact_kinematics_place(&member->kinematics, model, arena);
    member->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    member->anchor_bar = tact_arena_take(arena, npair, sizeof(tact_vec3));
    member->normal_bar = tact_arena_take(arena, npair, sizeof(tact_vec3));
    tact_real **vector[] = {&member->q_bar, &member->v_bar, &member->q_past_bar, &member->v_past_bar};
    for (size_t i = 0; i < sizeof vector / sizeof vector[0]; i++) *vector[i] = tact_arena_take(arena, nv, real);
    member->lambda_bar = tact_arena_take(arena, 3 * npair, real);
    member->u_bar = tact_arena_take(arena, (size_t)model->nu, real);
    member->by_parameter = tact_arena_take(arena, (size_t)job->nparameter, real);
}

// Scratch of a world whose model prepares its own.
static void renew(const back_job *job, back_member *member, int world) {
    const tact_worlds *worlds = job->worlds;
    if (worlds->loaded) tact_work_init(&member->work, &worlds->loaded[world]->model, member->work_memory, job->work_size);
}

static tact_input find_input(const back_job *job, back_member *member, int world, const tact_real *u, const tact_state *state) {
    const tact_scene *scene = tact_worlds_scene(job->worlds, world);
    tact_input input = {.u = u};
    if (scene->nforce > 0 && tact_scene_wrench(scene, state, member->wrench)) input.wrench = member->wrench;
    return input;
}

static void clear(tact_real *x, int count) {
    for (int i = 0; i < count; i++) x[i] = 0;
}

// Adds the gradients by a row of the rollout.
static void add_row(const back_job *job, back_member *member, const tact_model *model, size_t row, const tact_state *state) {
    const tact_worlds_bars *bars = job->bars;
    // q_bar is by coordinates; T' takes it to the tangent space.
    if (bars->q_bar) {
        tact_kinematics_update(&member->kinematics, model, state->q);
        tact_tangent_pull(model, &member->kinematics, state->q, bars->q_bar + row * (size_t)model->nq, member->q_bar);
    }
    for (int i = 0; bars->v_bar && i < model->nv; i++) member->v_bar[i] += bars->v_bar[row * (size_t)model->nv + (size_t)i];
}

// dL by the forces of the contacts of a step, by contact.
static void take_force_bar(const back_job *job, back_member *member, const tact_model *model, size_t step) {
    const tact_contacts *contacts = &member->work.contacts;
    clear(member->lambda_bar, 3 * contacts->count);
    if (!job->bars->force_bar) return;
    const tact_real *given = job->bars->force_bar + step * 3 * (size_t)tact_model_pairs(model);
    for (int c = 0; c < contacts->count; c++)
        for (int k = 0; k < 3; k++) member->lambda_bar[3 * c + k] = given[3 * contacts->contact[c].pair + k];
}

// The gradients at the end of a step become those at its beginning; positive where they are not all that there is to say.
static tact_status pull_step(const back_job *job, back_member *member, const tact_record *step) {
    tact_linear *linear = &member->slopes.linear;
    // The virtual law's reverse product.
    tact_step_adjoint adjoint = {.q = member->q_bar,
                                 .v = member->v_bar,
                                 .q_past = member->q_past_bar,
                                 .v_past = member->v_past_bar,
                                 .anchor = member->anchor_bar,
                                 .normal = member->normal_bar,
                                 .lambda = member->lambda_bar,
                                 .u = member->u_bar,
                                 .nparameter = job->nparameter,
                                 .parameter = job->parameter,
                                 .by_parameter = member->by_parameter};
    tact_status status = tact_linearise(linear, step);
    if (status >= 0) status = tact_linear_pull(linear, &adjoint);
    return status == TACT_CONVERGED && linear->kink ? TACT_ITERATION_LIMIT : status;
}

// Keeps the states of a world; returns how many steps have an answer.
static int go_forward(back_job *job, int number, int world, tact_status *worst) {
    TACT_ASSERT(0 <= world && world < job->worlds->count);
    back_member *member = &job->member[number];
    const tact_scene *scene = tact_worlds_scene(job->worlds, world);
    size_t nu = (size_t)scene->model.nu;
    // The same steps as the rollout's, to the bits.
    tact_worlds_begin(job->worlds, job->run, world, &member->kept[0]);
    for (int k = 0; k < job->steps; k++) {
        tact_state *state = &member->kept[k + 1];
        const tact_real *u = job->run->u + ((size_t)world * (size_t)job->steps + (size_t)k) * nu;
        tact_state_copy(state, &member->kept[k], &scene->model);
        tact_input input = find_input(job, member, world, u, state);
        tact_status status = tact_step(&scene->model, &scene->options, &input, state, &member->work);
        if (status != TACT_CONVERGED) *worst = status;
        if (status < 0) tact_worlds_keep_reason(job->worlds, world, &member->work);
        if (status < 0 || !tact_worlds_goes_on(job->worlds, number)) return k;
    }
    return job->steps;
}

static bool all_finite(const tact_real *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!(x[i] >= -TACT_MAX && x[i] <= TACT_MAX)) return false;
    return true;
}

// Whether the gradients of a world are numbers: large ones that were given overflow on the way back.
static bool check_bars_of(const back_job *job, const back_member *member, const tact_model *model, int world) {
    size_t nv = (size_t)model->nv, each = (size_t)job->steps * (size_t)model->nu;
    return all_finite(member->q_bar, nv) && all_finite(member->v_bar, nv) &&
           all_finite(member->by_parameter, (size_t)job->nparameter) &&
           (!job->bars->u || all_finite(job->bars->u + (size_t)world * each, each));
}

static void begin_back(const back_job *job, back_member *member, const tact_model *model) {
    clear(member->q_bar, model->nv);
    clear(member->v_bar, model->nv);
    clear(member->q_past_bar, model->nv);
    clear(member->v_past_bar, model->nv);
    clear(member->by_parameter, job->nparameter);
    for (int i = 0; i < tact_model_pairs(model); i++) member->anchor_bar[i] = member->normal_bar[i] = tact_vec3_make(0, 0, 0);
}

// What a parameter of a step changes by when its number does by 1: forces on bodies stand for gravity, and of a body's inertia
// that across the plane counts.
static tact_real find_share(const tact_model *model, const back_member *member, tact_parameter parameter) {
    // Gravity: each body's force grows with its mass. Inertia: n'I n of the plane's normal n.
    if (parameter.kind == TACT_PARAMETER_FORCE) return model->body[parameter.index].mass;
    if (parameter.kind != TACT_PARAMETER_INERTIA) return 1;
    tact_vec3 n = tact_mat3_apply_transposed(member->kinematics.pose[parameter.index].R, member->work.soft->planar.plane.z);
    const tact_real product[6] = {n.x * n.x, n.y * n.y, n.z * n.z, 2 * n.x * n.y, 2 * n.x * n.z, 2 * n.y * n.z};
    return product[parameter.component];
}

static void pull_world(void *context, int world, int number) {
    back_job *job = context;
    back_member *member = &job->member[number];
    const tact_worlds_bars *bars = job->bars;
    const tact_scene *scene = tact_worlds_scene(job->worlds, world);
    const tact_model *model = &scene->model;
    size_t nu = (size_t)model->nu, steps = (size_t)job->steps, first = (size_t)world * steps;
    tact_status worst = TACT_CONVERGED, status = TACT_CONVERGED;
    int kinks = 0;
    if (!tact_worlds_goes_on(job->worlds, number)) return;
    // Forward: states and how far they go.
    renew(job, member, world);
    int made = go_forward(job, number, world, &worst);
    begin_back(job, member, model);
    if (bars->u) memset(bars->u + first * nu, 0, steps * nu * sizeof(tact_real));
    // rows after the last answer are the same state
    for (int k = job->steps; k >= made; k--) add_row(job, member, model, first + (size_t)world + (size_t)k, &member->kept[made]);
    for (int k = made - 1; k >= 0 && status >= 0 && tact_worlds_goes_on(job->worlds, number); k--) {
        const tact_state *before = &member->kept[k];
        tact_input input = find_input(job, member, world, job->run->u + (first + (size_t)k) * nu, before);
        tact_record step = {model, &scene->options, &input, before, &member->state, &member->work};
        tact_state_copy(&member->state, before, model);
        tact_step(model, &scene->options, &input, &member->state, &member->work);
        take_force_bar(job, member, model, first + (size_t)k);
        status = pull_step(job, member, &step);
        kinks += status > 0;
        if (status >= 0 && bars->u && nu > 0) memcpy(bars->u + (first + (size_t)k) * nu, member->u_bar, nu * sizeof(tact_real));
        if (status >= 0) add_row(job, member, model, first + (size_t)world + (size_t)k, before);
    }
    // Overflow on the way back is refused, and leaves zeros.
    if (status >= 0 && !check_bars_of(job, member, model, world)) status = TACT_BAD_INPUT;
    if (status < 0) {
        begin_back(job, member, model);
        if (bars->u) memset(bars->u + first * nu, 0, steps * nu * sizeof(tact_real));
        worst = status;
    }
    // The gradients of a world, as they are wanted; zeros: there are none.
    size_t i = (size_t)world, nq = (size_t)model->nq, nv = (size_t)model->nv, count = (size_t)job->worlds->count;
    tact_kinematics_update(&member->kinematics, model, member->kept[0].q);
    // q_bar is by dofs: the tangent map gives the gradient by coordinates
    if (bars->q) {
        clear(bars->q + i * nq, model->nq);
        tact_tangent_push(model, &member->kinematics, member->kept[0].q, member->q_bar, bars->q + i * nq);
    }
    for (size_t k = 0; bars->v && k < nv; k++) bars->v[i * nv + k] = member->v_bar[k];
    for (int k = 0; bars->by_parameter && k < bars->nparameter; k++) bars->by_parameter[(size_t)k * count + i] = 0;
    // one parameter of the caller may be several of the law's, each with its share
    for (int k = 0; bars->by_parameter && k < job->nparameter; k++)
        bars->by_parameter[(size_t)job->of[k] * count + i] +=
            member->by_parameter[k] * find_share(model, member, job->parameter[k]);
    if (bars->status) bars->status[world] = worst;
    if (bars->kinks) bars->kinks[world] = kinks;
    if (worst < job->least[number]) job->least[number] = worst;
}

// Rows of contacts to rows of pairs.
static void spread_rows(const tact_contacts *contacts, const tact_real *from, int npair, int columns, tact_real *to) {
    TACT_ASSERT(npair >= 0);
    clear(to, 3 * npair * columns);
    for (int c = 0; c < contacts->count; c++)
        memcpy(to + (size_t)(3 * contacts->contact[c].pair) * (size_t)columns, from + (size_t)(3 * c) * (size_t)columns,
               3 * (size_t)columns * sizeof(tact_real));
}

// The matrices A, B, C, D of one world's next step, without moving its state.
static void linearise_world(void *context, int piece, int number) {
    back_job *job = context;
    back_member *member = &job->member[number];
    tact_worlds *worlds = job->worlds;
    if (!tact_worlds_goes_on(worlds, number)) return;
    const tact_worlds_matrices *to = job->matrices;
    int world = job->first + piece, nx = tact_worlds_nx(worlds);
    const tact_scene *scene = tact_worlds_scene(worlds, world);
    const tact_model *model = &scene->model;
    size_t i = (size_t)piece, n = (size_t)nx, nu = (size_t)model->nu, rows = 3 * (size_t)tact_model_pairs(model);
    // The step that is linearised: from the world's state, with the command given or the scene's.
    renew(job, member, world);
    tact_state_copy(&member->slopes.before, &worlds->state[world], model);
    tact_state_copy(&member->state, &worlds->state[world], model);
    if (job->u && nu > 0)
        memcpy(member->u_bar, job->u + i * nu, nu * sizeof(tact_real));
    else
        tact_scene_command(scene, &member->state, member->u_bar);
    tact_input input = find_input(job, member, world, member->u_bar, &member->state);
    tact_status status = tact_step(model, &scene->options, &input, &member->state, &member->work);
    if (status < 0) tact_worlds_keep_reason(worlds, world, &member->work);
    tact_slopes_kind kind = TACT_SLOPES_NONE;
    if (status >= 0) kind = tact_slopes_find(&member->slopes, model, &scene->options, &input, &member->state, &member->work);
    if (status >= 0 && kind == TACT_SLOPES_NONE) status = TACT_SINGULAR;
    // Status, kink and matrices of this world; zeros where there are none.
    if (to->status) to->status[i] = status;
    if (to->kink) to->kink[i] = kind == TACT_SLOPES_KINK;
    if (status < job->least[number]) job->least[number] = status;
    const tact_jacobians *m = &member->slopes.matrices;
    if (status < 0) member->work.contacts.count = 0;
    if (to->A) memcpy(to->A + i * n * n, m->A, n * n * sizeof(tact_real));
    if (to->B && nu > 0) memcpy(to->B + i * n * nu, m->B, n * nu * sizeof(tact_real));
    if (to->A && status < 0) clear(to->A + i * n * n, nx * nx);
    if (to->B && status < 0) clear(to->B + i * n * nu, nx * model->nu);
    if (to->C) spread_rows(&member->work.contacts, m->C, tact_model_pairs(model), nx, to->C + i * rows * n);
    if (to->D) spread_rows(&member->work.contacts, m->D, tact_model_pairs(model), model->nu, to->D + i * rows * nu);
}

// Takes scratch for the threads, then runs the pieces, one for each world.
static tact_status run_back(back_job *job, void (*work)(void *context, int piece, int member)) {
    tact_worlds *worlds = job->worlds;
    // One scratch for each thread; without memory for all of them nothing runs.
    int threads = worlds->threads < job->count ? worlds->threads : job->count, placed = 0;
    tact_status least = TACT_CONVERGED;
    job->work_size = tact_worlds_work_size(worlds);
    for (; placed < threads; placed++) {
        back_place place = {job, &job->member[placed]};
        job->member[placed].memory = tact_memory_place(place_back, &place);
        if (!job->member[placed].memory) break;
        job->least[placed] = TACT_CONVERGED;
    }
    if (placed < threads) {
        least = tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    } else {
        tact_worlds_forget_reasons(worlds);
        tact_crew_run(worlds->crew, threads, job->count, work, job);
        for (int i = 0; i < threads; i++)
            if (job->least[i] < least) least = job->least[i];
    }
    for (int i = 0; i < placed; i++) tact_memory_release(job->member[i].memory);
    return tact_worlds_conclude(worlds, least);
}

// Derivatives that no step of the scene has are refused before the start.
static tact_status check_slopes(tact_worlds *worlds) {
    const char *reason = tact_linear_refuse(&worlds->scene->model);
    worlds->message[0] = '\0';
    return reason ? tact_worlds_say(worlds, TACT_BAD_INPUT, "the scene %s", reason) : TACT_CONVERGED;
}

// Derivatives of one step for worlds first to first + count - 1, shared among the threads.
tact_status tact_worlds_linearise(tact_worlds *worlds, int first, int count, const tact_real *u,
                                  const tact_worlds_matrices *matrices) {
    TACT_ASSERT(first >= 0 && count >= 0 && first <= worlds->count - count);
    tact_status status = check_slopes(worlds);
    back_job *job = status < 0 ? NULL : tact_memory_get(sizeof *job);
    if (status < 0) return status;
    if (!job) return tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    memset(job, 0, sizeof *job);
    job->worlds = worlds;
    job->first = first;
    job->count = count;
    job->u = u;
    job->matrices = matrices;
    status = run_back(job, linearise_world);
    tact_memory_release(job);
    return status;
}

// The numbers that the paths stand for; false after a message.
static bool find_parameters(back_job *job) {
    tact_worlds *worlds = job->worlds;
    const tact_worlds_bars *bars = job->bars;
    const tact_scene *scene = worlds->scene;
    for (int k = 0; bars->by_parameter && k < bars->nparameter; k++) {
        // One path may stand for several parameters of a step; `of` says which path each belongs to.
        int found = tact_worlds_find_parameters(worlds, bars->parameter[k], job->parameter + job->nparameter,
                                                PARAMETERS - job->nparameter);
        if (found < 0) return false;
        for (int i = 0; i < found; i++, job->nparameter++) {
            job->of[job->nparameter] = k;
            if (tact_linear_pulls(&scene->model, &scene->options, job->parameter[job->nparameter])) continue;
            tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: the law %s has no derivative by it with options.anchor",
                            tact_quote(bars->parameter[k]).text, scene->model.law->name);
            return false;
        }
    }
    return true;
}

static tact_status check_bars(tact_worlds *worlds, const tact_worlds_bars *bars) {
    TACT_ASSERT(bars);
    if (bars->size < sizeof *bars) return tact_worlds_say(worlds, TACT_BAD_INPUT, "tact_worlds_bars: size is not set");
    if (bars->v_bar && !worlds->scene->model.law->velocities)
        return tact_worlds_say(worlds, TACT_BAD_INPUT, "v_bar: the barrier law has no velocities; take differences of q");
    if (bars->force_bar && worlds->scene->model.law->springs)
        return tact_worlds_say(worlds, TACT_BAD_INPUT,
                               "force_bar: the virtual law has no derivatives of forces along turning frames");
    return TACT_CONVERGED;
}

// Checks the arrays, then computes the gradients of all worlds in parallel.
tact_status tact_worlds_pullback(tact_worlds *worlds, const tact_worlds_run *run, const tact_worlds_bars *bars) {
    TACT_ASSERT(worlds && run);
    tact_status status = check_slopes(worlds);
    if (status >= 0) status = tact_worlds_check_start(worlds, run);
    if (status >= 0) status = check_bars(worlds, bars);
    if (status < 0) return status;
    // Lists of parameters lie behind the job.
    size_t list = PARAMETERS * (sizeof(tact_parameter) + sizeof(int));
    back_job *job = tact_memory_get(sizeof *job + list);
    if (!job) return tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    memset(job, 0, sizeof *job);
    job->worlds = worlds;
    job->count = worlds->count;
    job->steps = run->steps;
    job->run = run;
    job->bars = bars;
    job->parameter = (tact_parameter *)(job + 1);
    job->of = (int *)(job->parameter + PARAMETERS);
    status = find_parameters(job) ? run_back(job, pull_world) : TACT_BAD_INPUT;
    tact_memory_release(job);
    return status;
}
