// SPDX-License-Identifier: MIT
// Reverse mode with checkpoints. Forwards, states at the beginning of segments are kept, and all steps of the last segment.
// Backwards,
//
//     g_N = dloss_N ,   (g_k, dL/du_k) = pullback of step k (g_{k+1}, dloss_{k+1}/dlambda) ,   g_k += dloss_k
//
// where each earlier segment is stepped again from its checkpoint. All segments but the first have the same length.
#include "deriv/record.h"
#include "math/elementary.h"
#include "sim/step.h"
#include "tact/rollout.h"

static size_t rollout_round_up(size_t size) {
    return (size + TACT_ALIGN - 1) / TACT_ALIGN * TACT_ALIGN;
}

static int rollout_count_segments(int steps, int segment) {
    return steps / segment + (steps % segment > 0);
}

typedef struct {
    unsigned char *kept, *slot;  // memory of the states and of the slots
    size_t state, work;          // [bytes] of one state, and of one slot
} rollout_memory;

// Memory of a rollout's reverse pass: checkpoints, steps of one segment, and adjoints; an arena that only measures returns
// none.
static rollout_memory place_rollout(tact_rollout_work *work, const tact_model *model, int steps, int segment, tact_arena *arena) {
    TACT_ASSERT(steps >= 0 && segment > 0);
    size_t nv = (size_t)model->nv, npair = (size_t)tact_model_pairs(model), slots = (size_t)segment;
    rollout_memory memory = {.state = rollout_round_up(tact_state_size(model)), .work = rollout_round_up(tact_work_size(model))};
    work->of = tact_model_sizes(model);
    work->steps = steps;
    work->segment = segment;
    work->nstate = rollout_count_segments(steps, segment);
    size_t states = (size_t)work->nstate;
    // checkpoints, and slots for the steps of one segment
    work->kept = tact_arena_take(arena, states, sizeof(tact_state));
    work->slot = tact_arena_take(arena, slots, sizeof(tact_rollout_slot));
    memory.kept = tact_arena_take(arena, states + 1, memory.state);
    memory.slot = tact_arena_take(arena, slots, memory.state + memory.work);
    tact_linear_place(&work->deriv, model, arena);
    work->anchor_bar = tact_arena_take(arena, npair, sizeof(tact_vec3));
    work->normal_bar = tact_arena_take(arena, npair, sizeof(tact_vec3));
    // adjoints of the state, the forces and the command
    TACT_VECTORS(arena, nv, &work->q_bar, &work->v_bar, &work->q_past_bar, &work->v_past_bar);
    work->lambda_bar = tact_arena_take(arena, 3 * npair, sizeof(tact_real));
    work->u_bar = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    return memory;
}

static size_t rollout_measure(const tact_model *model, int steps, int segment) {
    tact_arena arena = {0};
    tact_rollout_work work;
    place_rollout(&work, model, steps, segment, &arena);
    return arena.used;
}

// Segment length of least memory: N/m states and m slots are fewest at m = sqrt(N state/slot).
static int rollout_least_segment(const tact_model *model, int steps) {
    tact_real state = (tact_real)tact_state_size(model), slot = state + (tact_real)tact_work_size(model);
    int segment = (int)(tact_sqrt((tact_real)steps * state / slot) + TACT_REAL(0.5));
    return segment < 1 ? 1 : segment > steps && steps > 0 ? steps : segment;
}

size_t tact_rollout_size(const tact_model *model, int steps, int segment) {
    TACT_ASSERT(model && steps >= 0 && segment >= 0);
    int most = steps > 1 ? steps : 1;
    return rollout_measure(model, steps, segment > most ? most : segment > 0 ? segment : rollout_least_segment(model, steps));
}

tact_status tact_rollout_init(tact_rollout_work *work, const tact_model *model, int steps, void *memory, size_t size) {
    TACT_ASSERT(work && model && steps >= 0);
    // the longest segment that fits into memory: fewer states, less recomputation
    int low = rollout_least_segment(model, steps), high = steps > low ? steps + 1 : low + 1;
    if (rollout_measure(model, steps, low) > size) return TACT_NO_MEMORY;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (rollout_measure(model, steps, middle) <= size)
            low = middle;
        else
            high = middle;
    }
    tact_arena arena = {.memory = memory, .size = size};
    rollout_memory found = place_rollout(work, model, steps, low, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    // checkpoints, then state and work of each step of one segment
    tact_state_init(&work->state, model, found.kept, found.state);
    for (int i = 0; i < work->nstate; i++)
        tact_state_init(&work->kept[i], model, found.kept + (size_t)(i + 1) * found.state, found.state);
    for (int i = 0; i < work->segment; i++) {
        unsigned char *at = found.slot + (size_t)i * (found.state + found.work);
        tact_state_init(&work->slot[i].before, model, at, found.state);
        tact_work_init(&work->slot[i].work, model, at + found.state, found.work);
    }
    return TACT_CONVERGED;
}

typedef struct {
    const tact_model *model;
    const tact_options *options;
    const tact_rollout *rollout;
    tact_rollout_work *work;
    int nstate;  // segments of this rollout
    bool by_v;   // the loss depends on velocities, and the law has them
} rollout_job;

// First step of a segment; N for the segment after the last.
static int rollout_find_begin(const rollout_job *job, int segment) {
    return segment > 0 ? job->rollout->steps - job->work->segment * (job->nstate - segment) : 0;
}

static tact_input rollout_find_input(const rollout_job *job, int step, const tact_state *state) {
    const tact_rollout *rollout = job->rollout;
    tact_input input = {.u = rollout->u ? rollout->u + (size_t)step * (size_t)job->model->nu : NULL};
    if (rollout->drive) rollout->drive(rollout->context, step, state, &input);
    return input;
}

static tact_status rollout_make_step(const rollout_job *job, int step, tact_rollout_slot *slot) {
    tact_input input = rollout_find_input(job, step, &job->work->state);
    tact_state_copy(&slot->before, &job->work->state, job->model);
    return tact_step(job->model, job->options, &input, &job->work->state, &slot->work);
}

static void rollout_refuse(tact_rollout_result *result, tact_fault fault, int step) {
    result->status = TACT_BAD_INPUT;
    result->fault = fault;
    result->step = step;
}

// The first command that a step would refuse; steps: none.
static int rollout_find_bad_step(const rollout_job *job, tact_fault *fault) {
    int nu = job->model->nu, steps = job->rollout->steps;
    // commands outside of the accepted range, before any step is made
    for (int k = 0; job->rollout->u && k < steps; k++) {
        int i = tact_find_larger(job->rollout->u + (size_t)k * (size_t)nu, nu, TACT_REAL(TACT_MOST_LENGTH));
        if (i == nu) continue;
        *fault = (tact_fault){"rollout.u", i};
        return k;
    }
    return steps;
}

// Forward pass: keeps the first state of each segment and all of the last one.
static void rollout_forward(const rollout_job *job, tact_rollout_result *result) {
    const tact_rollout *rollout = job->rollout;
    tact_rollout_work *work = job->work;
    // only the steps of the last segment are kept; earlier ones are repeated on the way back
    int segment = 0, last = rollout_find_begin(job, job->nstate - 1);
    result->loss = rollout->loss(rollout->context, 0, &work->state, NULL, NULL, NULL);
    for (int k = 0; k < rollout->steps; k++) {
        tact_rollout_slot *slot = &work->slot[k < last ? 0 : k - last];
        // checkpoint: the state where a segment begins
        if (k == rollout_find_begin(job, segment)) tact_state_copy(&work->kept[segment++], &work->state, job->model);
        tact_status status = rollout_make_step(job, k, slot);
        if (status != TACT_CONVERGED) result->status = status;
        if (status < 0) {
            result->fault = slot->work.fault;
            result->step = k;
            return;
        }
        result->loss += rollout->loss(rollout->context, k + 1, &work->state, &slot->work.contacts, NULL, NULL);
    }
    if (!tact_is_finite(result->loss)) rollout_refuse(result, (tact_fault){"rollout.loss", 0}, rollout->steps);
}

// Pullback from the adjoint of state k + 1, without the loss there, to that of state k.
static tact_status rollout_step_back(const rollout_job *job, int k, tact_rollout_slot *slot, const tact_state *next,
                                     const tact_rollout_slope *slope, tact_real *u_bar) {  // NOLINT: a step writes there
    tact_rollout_work *work = job->work;
    const tact_rollout *rollout = job->rollout;
    int nv = job->model->nv, nl = 3 * slot->work.contacts.count;
    // the loss's own gradient at state k + 1 is added to that of later steps
    for (int i = 0; i < nl; i++) work->lambda_bar[i] = 0;
    rollout->loss(rollout->context, k + 1, next, &slot->work.contacts, work->q_bar, work->lambda_bar);
    if (job->by_v) rollout->loss_by_v(rollout->context, k + 1, next, work->v_bar);
    if (!tact_all_finite(work->q_bar, nv) || !tact_all_finite(work->lambda_bar, nl) || !tact_all_finite(work->v_bar, nv)) {
        work->deriv.fault = (tact_fault){"rollout.loss", 0};
        return TACT_BAD_INPUT;
    }
    // equations (1) to (3) of docs/derivatives.md, transposed; stored displacements before and after
    tact_input input = rollout_find_input(job, k, &slot->before);
    tact_record step = {job->model, job->options, &input, &slot->before, next, &slot->work};
    tact_step_adjoint adjoint = {.q = work->q_bar,
                                 .v = work->v_bar,
                                 .q_past = work->q_past_bar,
                                 .v_past = work->v_past_bar,
                                 .anchor = work->anchor_bar,
                                 .normal = work->normal_bar,
                                 .lambda = work->lambda_bar,
                                 .u = u_bar,
                                 .nparameter = slope->by_parameter ? slope->nparameter : 0,
                                 .parameter = slope->parameter,
                                 .by_parameter = slope->by_parameter};
    tact_status status = tact_linearise(&work->deriv, &step);
    if (status >= 0) status = tact_linear_pull(&work->deriv, &adjoint);
    if (status >= 0 && rollout->linear) rollout->linear(rollout->context, k, &slot->work, &work->deriv.barrier);
    return status;
}

static void rollout_back(const rollout_job *job, const tact_rollout_slope *slope, tact_rollout_result *result) {
    const tact_model *model = job->model;
    tact_rollout_work *work = job->work;
    // Adjoints of the end state: zero before the loss is added
    for (int i = 0; i < job->model->nv; i++) work->q_bar[i] = work->v_bar[i] = work->q_past_bar[i] = work->v_past_bar[i] = 0;
    for (int i = 0; i < tact_model_pairs(job->model); i++) work->anchor_bar[i] = work->normal_bar[i] = tact_vec3_make(0, 0, 0);
    for (int i = 0; slope->by_parameter && i < slope->nparameter; i++) slope->by_parameter[i] = 0;
    // segment by segment from the last; its steps are repeated from the checkpoint
    for (int s = job->nstate - 1; s >= 0; s--) {
        int begin = rollout_find_begin(job, s), end = rollout_find_begin(job, s + 1);
        if (s < job->nstate - 1) {
            tact_state_copy(&work->state, &work->kept[s], model);
            for (int k = begin; k < end; k++) rollout_make_step(job, k, &work->slot[k - begin]);
        }
        // step by step backwards
        for (int k = end - 1; k >= begin; k--) {
            const tact_state *next = k + 1 < end ? &work->slot[k + 1 - begin].before : &work->state;
            tact_real *u_bar = slope->u ? slope->u + (size_t)k * (size_t)model->nu : work->u_bar;
            tact_rollout_slot *slot = &work->slot[k - begin];
            tact_status status = rollout_step_back(job, k, slot, next, slope, u_bar);
            if (status < 0) {
                result->status = status;
                result->fault = work->deriv.fault;
                result->step = k;
                return;
            }
            if (status > 0 && result->status == TACT_CONVERGED) result->status = status;
            result->kinks += work->deriv.kink;
        }
    }
    // gradient at the start, including the loss there
    const tact_rollout *rollout = job->rollout;
    const tact_state *first = job->nstate > 0 ? &work->kept[0] : &work->state;
    if (slope->q) rollout->loss(rollout->context, 0, first, NULL, work->q_bar, NULL);
    if (slope->v && job->by_v) rollout->loss_by_v(rollout->context, 0, first, work->v_bar);
    for (int i = 0; slope->q && i < job->model->nv; i++) slope->q[i] = work->q_bar[i];
    for (int i = 0; slope->v && i < job->model->nv; i++) slope->v[i] = work->v_bar[i];
}

// Fault for a derivative that the law does not have.
static tact_fault rollout_check_slope(const tact_model *model, const tact_options *options, const tact_rollout_slope *slope) {
    if (!model->law || model->law->derivatives == TACT_DERIV_NONE) return (tact_fault){"model.law", 0};
    for (int i = 0; slope->by_parameter && i < slope->nparameter; i++)
        if (!tact_linear_pulls(model, options, slope->parameter[i])) return (tact_fault){"slope.parameter", i};
    return (tact_fault){NULL, 0};
}

tact_rollout_result tact_rollout_gradient(const tact_model *model, const tact_options *options, const tact_rollout *rollout,
                                          const tact_state *start, tact_rollout_work *work, const tact_rollout_slope *slope) {
    TACT_ASSERT(model && options && rollout && rollout->loss && work && tact_model_has_sizes(model, &work->of));
    TACT_ASSERT(tact_state_fits(start, model));
    tact_rollout_result result = {.status = TACT_CONVERGED, .step = rollout->steps};
    TACT_ASSERT(rollout->u || rollout->drive || model->nu == 0 || rollout->steps == 0);
    // more steps than there is memory for are refused, and derivatives that the law does not have
    if (rollout->steps < 0 || rollout->steps > work->steps) {
        rollout_refuse(&result, (tact_fault){"rollout.steps", 0}, 0);
        return result;
    }
    bool wanted = slope && (slope->q || slope->u || slope->v || slope->by_parameter);
    tact_fault fault = wanted ? rollout_check_slope(model, options, slope) : (tact_fault){NULL, 0};
    if (fault.field) {
        rollout_refuse(&result, fault, 0);
        return result;
    }
    rollout_job job = {model,
                       options,
                       rollout,
                       work,
                       rollout_count_segments(rollout->steps, work->segment),
                       rollout->loss_by_v && model->law && model->law->velocities};
    int bad = rollout_find_bad_step(&job, &fault);
    if (bad < rollout->steps) {
        rollout_refuse(&result, fault, bad);
        return result;
    }
    // forward with the loss, then backward
    tact_state_copy(&work->state, start, model);
    rollout_forward(&job, &result);
    if (!tact_is_finite(result.loss)) result.loss = 0;
    if (result.status >= 0 && rollout->go_back) wanted = wanted && rollout->go_back(rollout->context, result.loss);
    if (result.status >= 0 && wanted) rollout_back(&job, slope, &result);
    return result;
}
