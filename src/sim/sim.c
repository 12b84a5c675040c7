// SPDX-License-Identifier: MIT
#include "law/tie.h"
#include "law/virtual_force.h"
#include "sim/step.h"

#include <string.h>

#include "math/elementary.h"

// Defaults of all options; the header says what each is.
tact_options tact_options_default(void) {
    tact_options options = {.dt = TACT_REAL(0.01),
                            .gravity = {0, 0, TACT_REAL(-9.81)},
                            .kappa = 100,
                            .epsilon = TACT_REAL(0.1),
                            .margin = TACT_MARGIN_AUTO,
                            .limits = true,
                            .limit_kappa = 1000000,
                            .anchor = false,
                            .force_min = TACT_FORCE_AUTO,
                            .level = TACT_LEVEL_POSITION,
                            .cone = TACT_CONE_EXACT,
                            .gravity_on_driven = false,
                            .warm_start = true,
                            .tolerance = TACT_TOLERANCE,
                            .max_iterations = 100,
                            .integrator = TACT_INTEGRATOR_BDF1,
                            .penalty = TACT_PENALTY_SOFTPLUS,
                            .temperature = 0,
                            .kn = 1000,
                            .kd = 0,
                            .kt = 100,
                            .friction = TACT_FRICTION_CLAMP,
                            .damping = TACT_DAMPING_PRODUCT,
                            .gradient = TACT_GRADIENT_EXACT,
                            .manifold = TACT_MANIFOLD_FEATURES,
                            .spread = TACT_REAL(0.01)};
    return options;
}

static bool within(tact_real x, tact_real low, tact_real high) {
    return x >= low && x <= high;
}

const char *tact_options_check(const tact_options *options) {
    TACT_ASSERT(options);
    // Options of all laws.
    if (!within(options->dt, TACT_REAL(1e-6), 1)) return "dt";
    const tact_vec3 *g = &options->gravity;
    if (!(within(g->x, -1000, 1000) && within(g->y, -1000, 1000) && within(g->z, -1000, 1000))) return "gravity";
    // Barrier and rigid laws.
    if (!within(options->kappa, 1, TACT_REAL(1e8))) return "kappa";
    if (!within(options->epsilon, 0, 1000)) return "epsilon";
    if (!(options->margin == TACT_MARGIN_AUTO || within(options->margin, 0, TACT_MAX))) return "margin";
    if (!within(options->limit_kappa, 1, TACT_REAL(1e12))) return "limit_kappa";
    if (!(options->force_min == TACT_FORCE_AUTO || within(options->force_min, 0, TACT_MAX))) return "force_min";
    if ((unsigned)options->level > TACT_LEVEL_VELOCITY) return "level";
    if ((unsigned)options->cone > TACT_CONE_EXACT) return "cone";
    if (!(options->tolerance > 0 && options->tolerance <= TACT_REAL(0.01))) return "tolerance";
    if (options->max_iterations < 1 || options->max_iterations > 10000) return "max_iterations";
    // the virtual law; enumerations by their last value, numbers by their range, which NaN fails
    if ((unsigned)options->integrator > TACT_INTEGRATOR_MIDPOINT) return "integrator";
    if ((unsigned)options->penalty > TACT_PENALTY_QUADRATIC) return "penalty";
    if (!within(options->temperature, 0, 1000)) return "temperature";
    if (!within(options->kn, 0, TACT_REAL(1e12))) return "kn";
    if (!within(options->kd, 0, TACT_REAL(1e12))) return "kd";
    if (!within(options->kt, 0, TACT_REAL(1e12))) return "kt";
    if ((unsigned)options->friction > TACT_FRICTION_NONE) return "friction";
    if ((unsigned)options->damping > TACT_DAMPING_SUM) return "damping";
    if ((unsigned)options->gradient > TACT_GRADIENT_FROZEN) return "gradient";
    if ((unsigned)options->manifold > TACT_MANIFOLD_DESCENT) return "manifold";
    if (!within(options->spread, TACT_REAL(1e-9), 1000)) return "spread";
    return NULL;
}

// Weight of the lightest undriven body; 0 if there is none.
static tact_real lightest_weight(const tact_model *model, tact_vec3 g) {
    tact_real lightest = TACT_MAX;
    for (int b = 0; b < model->nbody; b++)
        // bodies with an undriven dof on their path
        if (model->loose[b] && model->body[b].mass > 0) lightest = tact_min(lightest, model->body[b].mass);
    return lightest < TACT_MAX ? lightest * tact_sqrt(tact_vec3_dot(g, g)) : 0;
}

tact_real tact_margin(const tact_model *model, const tact_options *options) {
    TACT_ASSERT(model && options);
    if (options->margin >= 0) return options->margin;
    // penalty forces: the distance at which they begin
    if (model->law && model->law->springs) return tact_soft_reach(options->penalty, options->temperature);
    tact_vec3 g = options->gravity;
    tact_real weight = lightest_weight(model, g), h = options->dt;
    if (!(weight > 0 && options->epsilon > 0)) return TACT_MAX;
    // 2/(kappa F) + 2 g h^2/epsilon with F a thousandth of the lightest weight
    return tact_min(TACT_MAX, 2000 / (options->kappa * weight) + 2 * tact_sqrt(tact_vec3_dot(g, g)) * h * h / options->epsilon);
}

tact_real tact_force_min(const tact_model *model, const tact_options *options) {
    TACT_ASSERT(model && options);
    return options->force_min >= 0 ? options->force_min : lightest_weight(model, options->gravity) / 100;
}

void tact_state_place(tact_state *state, const tact_model *model, tact_arena *arena) {
    size_t npair = (size_t)tact_model_pairs(model);
    TACT_ASSERT(model->nq >= 0 && model->nv >= 0 && model->npair >= 0);
    state->nq = model->nq;
    state->nv = model->nv;
    state->npair = tact_model_pairs(model);
    state->q = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
    state->v = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_real));
    state->lambda = tact_arena_take(arena, 3 * npair, sizeof(tact_real));
    state->anchor = tact_arena_take(arena, npair, sizeof(tact_vec3));
    state->normal = tact_arena_take(arena, npair, sizeof(tact_vec3));
    // the previous state, for BDF2
    state->q_past = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
    state->v_past = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_real));
    // keys of the pairs that were found
    state->key = tact_arena_take(arena, npair - (size_t)model->npair, sizeof(uint64_t));
}

size_t tact_state_size(const tact_model *model) {
    TACT_ASSERT(model);
    tact_arena arena = {0};
    tact_state state;
    tact_state_place(&state, model, &arena);
    return arena.used;
}

tact_status tact_state_init(tact_state *state, const tact_model *model, void *memory, size_t size) {
    TACT_ASSERT(state && model);
    tact_arena arena = {.memory = memory, .size = size};
    tact_state_place(state, model, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    tact_state_reset(state, model);
    return TACT_CONVERGED;
}

void tact_state_reset(tact_state *state, const tact_model *model) {
    TACT_ASSERT(model && tact_state_fits(state, model));
    for (int i = 0; i < model->nq; i++) state->q[i] = state->q_past[i] = model->q0[i];
    for (int i = 0; i < model->nv; i++) state->v[i] = state->v_past[i] = model->v0[i];
    state->past = false;
    for (int i = model->npair; i < state->npair; i++) state->key[i - model->npair] = UINT64_MAX;
    for (int i = 0; i < state->npair; i++) {
        for (int k = 0; k < 3; k++) state->lambda[3 * i + k] = 0;
        state->anchor[i] = state->normal[i] = tact_vec3_make(0, 0, 0);
    }
    state->time = 0;
}

// Arrays of length 0 may be NULL.
static void copy_array(void *to, const void *from, size_t size) {
    if (size > 0 && to != from) memcpy(to, from, size);
}

void tact_state_copy(tact_state *to, const tact_state *from, const tact_model *model) {
    TACT_ASSERT(model && tact_state_fits(to, model) && tact_state_fits(from, model));
    // each array by its own length; a state may be copied onto itself
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv, npair = (size_t)from->npair;
    copy_array(to->q, from->q, nq * sizeof(tact_real));
    copy_array(to->v, from->v, nv * sizeof(tact_real));
    copy_array(to->q_past, from->q_past, nq * sizeof(tact_real));
    copy_array(to->v_past, from->v_past, nv * sizeof(tact_real));
    copy_array(to->lambda, from->lambda, 3 * npair * sizeof(tact_real));
    copy_array(to->anchor, from->anchor, npair * sizeof(tact_vec3));
    copy_array(to->normal, from->normal, npair * sizeof(tact_vec3));
    if (model->search) copy_array(to->key, from->key, (npair - (size_t)model->npair) * sizeof(uint64_t));
    to->past = from->past;
    to->time = from->time;
}

static void place_work(tact_work *work, const tact_model *model, tact_arena *arena) {
    work->of = tact_model_sizes(model);
    work->law = model->law;
    // memory of single laws, which place it
    work->P = NULL;
    work->rigid = NULL;
    work->soft = NULL;
    work->found = NULL;
    tact_kinematics_place(&work->kinematics, model, arena);
    tact_dynamics_place(&work->dynamics, model, arena);
    if (model->law) model->law->place(work, model, arena);
    if (model->search) model->search->finder->place(work, model, arena);
}

size_t tact_work_size(const tact_model *model) {
    tact_arena arena = {0};
    tact_work work;
    place_work(&work, model, &arena);
    return arena.used;
}

// Clears what the last step reported.
static void clear_outcome(tact_work *work) {
    work->status = TACT_CONVERGED;
    work->fault = (tact_fault){NULL, 0};
    work->contacts.count = 0;
    work->iterations = 0;
    work->decrement = work->balance = work->kinetic = work->potential = 0;
    work->worst_pair = work->worst_dof = -1;
}

tact_status tact_work_init(tact_work *work, const tact_model *model, void *memory, size_t size) {
    TACT_ASSERT(work && model);
    // The model must need nothing that was left out of this build.
    bool within = model->nv <= TACT_MOST_UNKNOWNS && (TACT_TIES || model->nloop + model->nspring == 0);
    for (int i = 0; i < model->nshape; i++) {
        // shapes that were left out of this build
        within = within && (TACT_HULLS || model->shape[i].type != TACT_SHAPE_HULL);
        within = within && (TACT_GRIDS || model->shape[i].type != TACT_SHAPE_GRID);
        within = within && (TACT_POLYGONS || model->shape[i].type != TACT_SHAPE_POLYGON);
    }
    for (int i = 0; TACT_BALLS_ONLY && i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        within = within && (tact_shape_is_ball(model->shape[pair->a].type) || tact_shape_is_ball(model->shape[pair->b].type));
    }
    TACT_ASSERT(within);
    (void)within;
    tact_arena arena = {.memory = memory, .size = size};
    place_work(work, model, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    if (model->law) model->law->prepare(work, model);
    clear_outcome(work);
    return TACT_CONVERGED;
}

bool tact_step_begin(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                     tact_work *work, tact_options *inforce) {
    TACT_ASSERT(inforce);
    TACT_ASSERT(model && options && input && model->law);
    TACT_ASSERT(tact_state_fits(state, model) && tact_work_fits(work, model));
    // checked before anything changes; then automatic options get their values
    clear_outcome(work);
    work->status = TACT_BAD_INPUT;
    work->fault = tact_step_check(model, options, input, state);
    if (work->fault.field) return false;
    *inforce = *options;
    inforce->margin = tact_margin(model, options);
    if (options->anchor) inforce->force_min = tact_force_min(model, options);
    work->sweeping = options->margin < 0;
    return true;
}

tact_status tact_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                      tact_work *work) {
    TACT_ASSERT(model && options && state && work);
    tact_options inforce;
    if (!tact_step_begin(model, options, input, state, work, &inforce)) return work->status;
    tact_kinematics_update(&work->kinematics, model, state->q);
    tact_status status = model->search ? model->search->finder->step(model, &inforce, input, state, work)
                                       : model->law->step(model, &inforce, input, state, work);
    if (status >= 0) state->time += options->dt;
    return status;
}

void tact_hold(const tact_model *model, const tact_state *state, tact_real *u) {
    TACT_ASSERT(model && tact_state_fits(state, model) && (u || !model->nu));
    for (int i = 0; i < model->nv; i++)
        if (model->dof[i].u >= 0) u[model->dof[i].u] = model->dof[i].force ? 0 : state->q[model->dof[i].q];
    for (int i = 0; tact_ties(model) > 0 && i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        tact_real sum = 0;
        for (int k = 0; k < spring->count; k++) sum += spring->factor[k] * state->q[model->dof[spring->dof[k]].q];
        if (spring->u >= 0) u[spring->u] = sum - spring->rest;
    }
}
