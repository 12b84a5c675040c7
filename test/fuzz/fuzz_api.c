// SPDX-License-Identifier: MIT
// A model, options and inputs of any numbers, and calls in any order, within what the headers leave to be checked: a model is
// refused by its check or prepared; then it is stepped under its law, its steps are differentiated, it is stepped in lanes,
// rolled out, and its joints are sought. States stay finite, one whose step has no answer stays as it is, lanes give the bits of
// single steps, and what the checks refuse by name is refused by those who ask them.
#include "fuzz_model.h"

// steps take most of the time, and more inputs find more than longer ones
enum { MOST_STEPS = 6 };
enum { FOR_WORK, FOR_LANES, FOR_ROLLOUT };
static fuzz_block blocks[3];

typedef struct {
    any_model any;
    const tact_model *model;
    fuzz_source *source;
    tact_options options;
    tact_state state, before;
    tact_work work;
    size_t state_size;
    void *memory[3];  // of state, before, work
    tact_real u[DOFS];
    tact_wrench wrench[BODIES];
    tact_input input;
    bool stepped;  // work and before are of the step that led to state
    int steps;     // made so far, also in lanes and rollouts
} session;

static void any_options(tact_options *options, fuzz_source *source) {
    tact_real *const number[] = {&options->dt,       &options->gravity.x, &options->kappa,       &options->epsilon,
                                 &options->margin,   &options->kn,        &options->limit_kappa, &options->temperature,
                                 &options->kd,       &options->kt,        &options->spread,      &options->tolerance,
                                 &options->gravity.z};
    int which = fuzz_below(source, 13);
    tact_real value = fuzz_real(source);
    static const tact_real usual[] = {TACT_REAL(0.004), 3, 100, TACT_REAL(0.1),  TACT_REAL(0.1), 1000, 1000,
                                      TACT_REAL(0.01),  1, 1,   TACT_REAL(0.01), TACT_TOLERANCE, 3};
    *number[which] = source->wild                ? value
                     : which == 1 || which == 12 ? 3 * value
                                                 : usual[which] * (TACT_REAL(0.1) + value * value);
    if (!source->wild && which == 11) options->tolerance = TACT_TOLERANCE;
    if (!source->wild && which == 0 && options->dt > 1) options->dt = 1;
    uint8_t flags = fuzz_byte(source);
    options->anchor = flags & 1, options->warm_start = flags & 2, options->limits = flags & 4;
    options->gravity_on_driven = flags & 8, options->level = (tact_level)(flags >> 4 & 1);
    options->cone = (tact_cone_kind)(flags >> 5 & 1);
    options->max_iterations = fuzz_below(source, 20) + !source->wild;
    options->integrator = (tact_integrator)fuzz_below(source, 3);
    options->penalty = (tact_penalty)fuzz_below(source, 4);
    options->friction = (tact_friction)fuzz_below(source, 3);
    options->damping = (tact_damping)fuzz_below(source, 2);
    options->gradient = (tact_gradient)fuzz_below(source, 3);
    options->manifold = (tact_manifold)fuzz_below(source, 3);
}

static bool is_finite(const session *s) {
    const tact_model *model = s->model;
    return fuzz_finite(s->state.q, model->nq) && fuzz_finite(s->state.v, model->nv) &&
           fuzz_finite(s->state.lambda, 3 * model->npair);
}

static void make_step(session *s) {
    s->steps++;
    tact_fault fault = tact_step_check(s->model, &s->options, &s->input, &s->state);
    tact_state_copy(&s->before, &s->state, s->model);
    memcpy(s->memory[1], s->memory[0], s->state_size);
    tact_status status = tact_step(s->model, &s->options, &s->input, &s->state, &s->work);
    fuzz_require(tact_status_name(status) && status == s->work.status, "a status has a name and is kept");
    fuzz_require(!fault.field || status == TACT_BAD_INPUT, "what the check finds is refused");
    fuzz_require(!fault.field || strcmp(fault.field, s->work.fault.field) == 0, "and by its name");
    bool counted = status != TACT_BAD_INPUT && s->model->law != &tact_law_rigid;
    fuzz_require(!counted || s->work.iterations <= s->options.max_iterations, "a step within its budget");
    fuzz_require(status >= 0 || memcmp(s->memory[0], s->memory[1], s->state_size) == 0, "without an answer the state stays");
    fuzz_require(is_finite(s), "the state is finite");
    s->stepped = status >= 0;
}

// a parameter that the model has
static tact_parameter any_parameter(session *s) {
    const tact_model *model = s->model;
    tact_parameter p = {(tact_parameter_kind)fuzz_below(s->source, TACT_PARAMETER_DAMPING + 1), 0, 0};
    int count = 1;
    switch (p.kind) {
    case TACT_PARAMETER_MU: count = model->npair; break;
    case TACT_PARAMETER_RADIUS:
    case TACT_PARAMETER_SIZE: count = model->nshape; break;
    case TACT_PARAMETER_MASS:
    case TACT_PARAMETER_FORCE:
    case TACT_PARAMETER_INERTIA: count = model->nbody; break;
    case TACT_PARAMETER_STIFFNESS:
    case TACT_PARAMETER_DAMPING: count = model->nv; break;
    default: break;
    }
    if (count < 1) p.kind = TACT_PARAMETER_KAPPA, count = 1;
    p.index = fuzz_below(s->source, count);
    if (p.kind == TACT_PARAMETER_FORCE) p.component = fuzz_below(s->source, 6);
    if (p.kind == TACT_PARAMETER_RADIUS && !tact_shape_is_ball(model->shape[p.index].type))
        p.kind = TACT_PARAMETER_KAPPA, p.index = 0;
    if (p.kind == TACT_PARAMETER_STIFFNESS && model->dof[p.index].u < 0) p.kind = TACT_PARAMETER_EPSILON, p.index = 0;
    return p;
}

enum { ROWS = 2 * DOFS, LOADS = 3 * PAIRS };

// the numbers of a step of tame ones have derivatives that are numbers, where they exist at all
static void expect_finite(const session *s, const tact_real *x, int count) {
    fuzz_require(s->source->wild || fuzz_finite(x, count), "derivatives are finite");
}

static void differentiate_barrier(session *s) {
    const tact_model *model = s->model;
    static tact_real A[DOFS * DOFS], B[DOFS * DOFS], C[LOADS * DOFS], D[LOADS * DOFS];
    tact_real q_bar[DOFS], u_bar[DOFS], seed[DOFS], q[DOFS], lambda[LOADS], forces[LOADS];
    tact_deriv_work deriv;
    size_t size = tact_deriv_size(model);
    void *memory = malloc(size);
    fuzz_require(tact_deriv_init(&deriv, model, memory, size) == TACT_CONVERGED, "derivatives have their memory");
    deriv.frozen_geometry = fuzz_below(s->source, 4) == 0;
    if (tact_deriv_linearise(model, &s->options, &s->input, &s->before, &s->work, &deriv) == TACT_CONVERGED) {
        int nv = model->nv, nc = s->work.contacts.count;
        tact_jacobians jacobians = {A, B, C, D};
        tact_deriv_matrices(model, &s->work, &deriv, &jacobians);
        expect_finite(s, A, nv * nv);
        expect_finite(s, D, 3 * nc * model->nu);
        fuzz_fill(s->source, seed, nv);
        fuzz_fill(s->source, forces, 3 * nc);
        tact_deriv_pullback(model, &s->work, &deriv, (tact_deriv_seed){seed, forces}, q_bar, u_bar);
        expect_finite(s, q_bar, nv);
        tact_parameter parameter = any_parameter(s);
        if (parameter.kind <= TACT_PARAMETER_FORCE) {
            expect_finite(
                s, (tact_real[]){tact_deriv_parameter_pullback(model, &s->options, &s->work, &deriv, forces, parameter)}, 1);
            tact_deriv_parameter(model, &s->options, &s->work, &deriv, parameter, (tact_deriv_column){q, lambda});
            expect_finite(s, q, nv);
        }
    }
    free(memory);
}

static void differentiate_rigid(session *s) {
    const tact_model *model = s->model;
    static tact_real A[ROWS * ROWS], B[ROWS * DOFS], C[LOADS * ROWS], D[LOADS * DOFS];
    tact_real q[DOFS], v[DOFS], lambda[LOADS];
    tact_rigid_deriv deriv;
    size_t size = tact_rigid_deriv_size(model);
    void *memory = malloc(size);
    fuzz_require(tact_rigid_deriv_init(&deriv, model, memory, size) == TACT_CONVERGED, "derivatives have their memory");
    tact_rigid_record record = {model, &s->options, &s->input, &s->before, &s->state, &s->work};
    if (tact_rigid_linearise(&deriv, &record) == TACT_CONVERGED) {
        tact_jacobians jacobians = {A, B, C, D};
        tact_rigid_matrices(&deriv, &jacobians);
        expect_finite(s, A, 4 * model->nv * model->nv);
        if (tact_rigid_parameter(&deriv, any_parameter(s), q, v, lambda)) expect_finite(s, q, model->nv);
    }
    free(memory);
}

static void differentiate_virtual(session *s) {
    const tact_model *model = s->model;
    static tact_real J[10][DOFS * DOFS], l_q[3 * DOFS * 400];
    tact_real dq[DOFS], dv[DOFS], force[DOFS], q[DOFS], v[DOFS], scratch[4 * DOFS + 400];
    tact_parameter parameter = any_parameter(s);
    fuzz_fill(s->source, dq, model->nv);
    fuzz_fill(s->source, dv, model->nv);
    fuzz_fill(s->source, force, model->nv);
    bool has = parameter.kind == TACT_PARAMETER_MU || parameter.kind >= TACT_PARAMETER_MASS;
    if (parameter.kind == TACT_PARAMETER_STIFFNESS || parameter.kind == TACT_PARAMETER_SIZE) has = false;
    tact_virtual_change change = {.q = dq, .v = dv, .force = force, .parameter = has ? &parameter : NULL};
    tact_virtual_effect effect = {.q = q, .v = v};
    tact_status status = tact_virtual_differentiate(model, &s->options, &s->input, &s->before, &s->work, &change, &effect);
    fuzz_require(status == TACT_CONVERGED || status == TACT_SINGULAR, "a derivative or none");
    if (status != TACT_CONVERGED) return;
    expect_finite(s, q, model->nv);
    tact_virtual_jacobians all = {J[0], J[1], J[2], J[3], J[4], J[5], J[6], J[7], NULL, NULL};
    (void)l_q;
    if (3 * s->work.contacts.count > 400) return;
    if (tact_virtual_matrices(model, &s->options, &s->input, &s->before, &s->work, &all, scratch) == TACT_CONVERGED)
        expect_finite(s, J[0], model->nv * model->nv);
}

static void differentiate(session *s) {
    if (!s->stepped || s->work.status < 0) return;
    if (s->model->law == &tact_law_barrier) differentiate_barrier(s);
    if (s->model->law == &tact_law_rigid) differentiate_rigid(s);
    if (s->model->law == &tact_law_virtual) differentiate_virtual(s);
}

// three scenes side by side, one of them the session's
static void step_lanes(session *s) {
    enum { SCENES = 3 };
    const tact_model *model[SCENES] = {s->model, s->model, s->model};
    tact_options options[SCENES];
    tact_input input[SCENES];
    tact_state state[SCENES];
    tact_status status[SCENES];
    tact_lanes lanes;
    s->steps += SCENES;
    int widths[5], count = tact_lanes_widths(widths), width = widths[fuzz_below(s->source, count)], iterations[SCENES];
    size_t size = tact_lanes_size(s->model, width);
    void *memory[SCENES], *all = fuzz_block_take(&blocks[FOR_LANES], size);
    tact_status made = tact_lanes_init(&lanes, s->model, width, all, size);
    for (int i = 0; i < SCENES; i++) {
        memory[i] = malloc(s->state_size);
        fuzz_require(tact_state_init(&state[i], s->model, memory[i], s->state_size) == TACT_CONVERGED, "a state for a lane");
        tact_state_copy(&state[i], &s->state, s->model);
        options[i] = s->options;
        input[i] = s->input;
        if (i == 1) state[i].v[0] /= 2;
    }
    if (made == TACT_CONVERGED) {
        tact_lanes_step(&lanes, SCENES, model, options, input, state, status, iterations);
        make_step(s);
        fuzz_require(status[0] == s->work.status && status[2] == status[0], "lanes: the status of a single step");
        bool same = memcmp(state[0].q, s->state.q, (size_t)s->model->nq * sizeof(tact_real)) == 0 &&
                    memcmp(state[2].v, s->state.v, (size_t)s->model->nv * sizeof(tact_real)) == 0;
        fuzz_require(same, "lanes: the bits of a single step");
    }
    for (int i = 0; i < SCENES; i++) free(memory[i]);
}

static tact_real sum_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                          tact_real *lambda_bar) {
    const tact_model *model = context;
    tact_real sum = 0;
    for (int v = 0; v < model->nv; v++)
        if (model->dof[v].q >= 0) sum += state->q[model->dof[v].q];
    for (int v = 0; v < model->nv && q_bar; v++) q_bar[v] += model->dof[v].q >= 0 ? 1 : 0;
    for (int i = 0; contacts && lambda_bar && i < contacts->count && k % 2; i++) lambda_bar[3 * i] += 1;
    return sum;
}

static void roll_out(session *s) {
    enum { STEPS = 3 };
    const tact_model *model = s->model;
    tact_real u[STEPS * DOFS], u_bar[STEPS * DOFS], q_bar[DOFS];
    tact_rollout_work work;
    size_t size = tact_rollout_size(model, STEPS, fuzz_below(s->source, 4));
    void *memory = fuzz_block_take(&blocks[FOR_ROLLOUT], size);
    fuzz_require(tact_rollout_init(&work, model, STEPS, memory, size) == TACT_CONVERGED, "a rollout has its memory");
    for (int k = 0; k < STEPS; k++)
        for (int j = 0; j < model->nu; j++) u[k * model->nu + j] = s->u[j] + (k ? fuzz_real(s->source) / 16 : 0);
    tact_rollout rollout = {.steps = STEPS, .u = u, .context = (void *)(uintptr_t)model, .loss = sum_loss};
    tact_rollout_slope slope = {.q = q_bar, .u = u_bar};
    if (model->law == &tact_law_virtual) slope.v = NULL;
    tact_rollout_result result = tact_rollout_gradient(model, &s->options, &rollout, &s->state, &work, &slope);
    fuzz_require(tact_status_name(result.status) != NULL, "a rollout's status has a name");
    fuzz_require(result.status < 0 || (fuzz_finite(&result.loss, 1) && fuzz_finite(q_bar, model->nv)),
                 "a rollout's slope is finite");
    s->stepped = false;
    s->steps += STEPS;
}

static void place_ik(void *ik, const void *model, tact_arena *arena) {
    tact_ik_place(ik, model, 1, arena);
}

static void seek_joints(session *s) {
    const tact_model *model = s->model;
    tact_ik ik;
    tact_real q[DOFS + BODIES], start[DOFS + BODIES];
    void *memory = fuzz_take(place_ik, &ik, model);
    tact_ik_options options = tact_ik_options_default();
    tact_ik_target target = {.body = fuzz_below(s->source, model->nbody), .orientation = {1, 0, 0, 0}};
    options.iteration_limit = 1 + fuzz_below(s->source, 12);
    options.all_dofs = fuzz_below(s->source, 2);
    fuzz_fill(s->source, &target.point.x, 3);
    fuzz_fill(s->source, &target.position.x, 3);
    if (fuzz_below(s->source, 2)) target.angle_weight = fuzz_real(s->source);
    if (s->source->wild) fuzz_fill(s->source, &options.tolerance, 1);
    memcpy(q, s->state.q, (size_t)model->nq * sizeof *q);
    memcpy(start, q, sizeof q);
    tact_ik_result result = tact_ik_solve(&ik, model, &target, 1, options, q);
    fuzz_require(result.status != TACT_BAD_INPUT || (result.fault.field && memcmp(q, start, (size_t)model->nq * sizeof *q) == 0),
                 "ik: refused by name, and untouched");
    fuzz_require(result.status == TACT_BAD_INPUT || result.status >= 0, "ik: a status that is named");
    fuzz_require(fuzz_finite(q, model->nq) || !fuzz_finite(start, model->nq), "ik: finite coordinates");
    fuzz_require(result.status != TACT_CONVERGED || result.error <= options.tolerance, "ik: converged");
    free(memory);
}

static void play(session *s) {
    tact_hold(s->model, &s->state, s->u);
    for (int calls = 0; calls < 10 && s->steps < MOST_STEPS && s->source->at < s->source->size; calls++) {
        switch (fuzz_below(s->source, 12)) {
        case 0: any_options(&s->options, s->source); break;
        case 1: fuzz_fill(s->source, s->u, s->model->nu); break;
        case 2: s->wrench[fuzz_below(s->source, s->model->nbody)].force.y = fuzz_real(s->source); break;
        case 3: s->wrench[fuzz_below(s->source, s->model->nbody)].torque.z = fuzz_real(s->source); break;
        case 4: tact_state_reset(&s->state, s->model), s->stepped = false; break;
        case 5: tact_hold(s->model, &s->state, s->u); break;
        case 6: step_lanes(s); break;
        case 7: roll_out(s); break;
        case 8: seek_joints(s); break;
        case 9: make_step(s), differentiate(s); break;
        default: make_step(s);
        }
        fuzz_require(is_finite(s), "the state is finite");
    }
}

static void begin(session *s, fuzz_source *source) {
    *s = (session){.model = &s->any.model, .source = source, .any = s->any};
    s->options = tact_options_default();
    s->options.max_iterations = 20;
    s->state_size = tact_state_size(s->model);
    size_t work_size = tact_work_size(s->model);
    // the same bytes in the same places
    size_t whole = (s->state_size + TACT_ALIGN - 1) / TACT_ALIGN * TACT_ALIGN;
    for (int k = 0; k < 2; k++) s->memory[k] = memset(aligned_alloc(TACT_ALIGN, whole), 0, whole);
    s->memory[2] = fuzz_block_take(&blocks[FOR_WORK], work_size);
    s->input = (tact_input){.u = s->u, .wrench = s->wrench};
    if (tact_state_init(&s->state, s->model, s->memory[0], s->state_size) != TACT_CONVERGED) abort();
    if (tact_state_init(&s->before, s->model, s->memory[1], s->state_size) != TACT_CONVERGED) abort();
    if (tact_work_init(&s->work, s->model, s->memory[2], work_size) != TACT_CONVERGED) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_source source = fuzz_begin(bytes, size);
    static session s;
    tact_arena arena = {0};
    int body = 0;
    make_model(&s.any, &source);
    tact_model *model = &s.any.model;
    if (tact_model_check(model).field) return 0;
    fuzz_require(tact_model_prepare(model, &arena) == TACT_CONVERGED, "what was checked can be measured");
    arena.memory = malloc(arena.used), arena.size = arena.used, arena.used = 0;
    fuzz_require(tact_model_prepare(model, &arena) == TACT_CONVERGED, "what was measured can be prepared");
    if (!model->law->refuse || !model->law->refuse(model, &body)) {
        begin(&s, &source);
        play(&s);
        for (int k = 0; k < 2; k++) free(s.memory[k]);
    }
    free(arena.memory);
    return 0;
}
