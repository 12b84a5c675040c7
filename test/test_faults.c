// SPDX-License-Identifier: MIT
// Each number of what the library takes, replaced by NaN, infinities, huge, tiny and negative ones: refused by the field's name
// with everything else untouched, or accepted with finite results.
#include <limits.h>

#include "random_model.h"
#include "tact/tact.h"

static const double hostile[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e308, -1e308, 5e-324, -1};
enum { HOSTILE = sizeof hostile / sizeof hostile[0], MUST_REFUSE = 3, HUGE_TOO = 5 };

typedef struct {
    test_model *t;
    tact_options options;
    tact_real u[2];
    tact_wrench wrench[7];
    tact_real clear[8];  // of the pairs
    tact_real way[64];   // of the dofs
    tact_state state;
    tact_work work;
    unsigned char *memory, *spare, *scratch;
    size_t size, room;
} step_bench;

static tact_real rate(double x) {
    // in single precision the huge ones are infinite, the tiny ones 0
    return (tact_real)x;
}

// bodies: 0 slider, 1 hinge on it, 2 follows 1, 3 free, 4 fixed on 2, 5 translation, 6 planar
static test_model *make_model(void) {
    static const tact_shape_type types[] = {TACT_SHAPE_BOX, TACT_SHAPE_CAPSULE, TACT_SHAPE_CYLINDER, TACT_SHAPE_ELLIPSOID};
    test_model *t = test_model_new();
    test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 10);
    test_model_add(t, 0, TACT_JOINT_REVOLUTE, 1);
    test_model_mimic(t, test_model_body(t, 0, TACT_JOINT_CONTINUOUS), 1, 0.5, 0.1);
    test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    test_model_add(t, 2, TACT_JOINT_FIXED, 0);
    test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, 0);
    test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0);
    t->dof[1].lower = -1;
    t->dof[1].upper = 1;
    t->body[4].place.p.x = TACT_REAL(0.1);
    t->q0[0] = 1;
    t->q0[t->body[3].q + 2] = TACT_REAL(0.02);
    t->q0[t->body[5].q + 2] = TACT_REAL(0.02);
    t->q0[t->body[5].q] = TACT_REAL(0.3);
    t->body[6].place.p = tact_vec3_make(0, TACT_REAL(0.5), TACT_REAL(0.2));
    test_model_pair(t, TACT_WORLD, 3);
    test_model_pair(t, TACT_WORLD, 5);
    test_model_pair(t, 4, 3);
    for (int k = 0; k < 4; k++) {
        tact_shape shape = {.body = TACT_WORLD,
                            .type = types[k],
                            .place = tact_pose_identity(),
                            .size = {TACT_REAL(0.1), TACT_REAL(0.1), TACT_REAL(0.1)}};
        shape.place.p = tact_vec3_make(TACT_REAL(0.3) + (tact_real)k, TACT_REAL(0.2), TACT_REAL(0.1));
        t->shape[t->model.nshape] = shape;
        t->pair[t->model.npair++] = (tact_pair){t->model.nshape++, 6, TACT_REAL(0.5), 0, 0};
    }
    return t;
}

static void open_step(step_bench *s) {
    *s = (step_bench){.t = make_model(), .options = tact_options_default()};
    CHECK_INT(test_model_prepare(s->t, 0), TACT_CONVERGED);
    const tact_model *model = &s->t->model;
    s->options.anchor = true;
    s->options.margin = TACT_REAL(0.5);
    s->u[0] = 1;
    s->size = tact_state_size(model);
    s->room = tact_work_size(model);
    s->memory = calloc(1, s->size);
    s->spare = malloc(s->size);
    s->scratch = calloc(1, s->room);
    CHECK_INT(tact_state_init(&s->state, model, s->memory, s->size), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&s->work, model, s->scratch, s->room), TACT_CONVERGED);
}

static void close_step(step_bench *s) {
    test_model_free(s->t);
    free(s->memory);
    free(s->spare);
    free(s->scratch);
}

static bool all_finite(const tact_real *x, int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite((double)x[i])) return false;
    return true;
}

static void check_finite(const step_bench *s, const char *name, double value) {
    const tact_model *model = &s->t->model;
    const tact_state *state = &s->state;
    bool finite = all_finite(state->q, model->nq) && all_finite(state->v, model->nv) &&
                  all_finite(state->lambda, 3 * model->npair) && all_finite(&state->anchor[0].x, 3 * model->npair) &&
                  all_finite(&state->normal[0].x, 3 * model->npair) && all_finite(&state->time, 1);
    finite = finite && all_finite(&s->work.decrement, 1) && all_finite(&s->work.balance, 1);
    for (int i = 0; i < s->work.contacts.count; i++) {
        const tact_contact *contact = &s->work.contacts.contact[i];
        finite = finite && all_finite(contact->lambda, 3) && all_finite(&contact->force.x, 3) && all_finite(&contact->gap, 1);
        finite = finite && all_finite(&contact->point.x, 3) && all_finite(&contact->frame.m[0][0], 9);
    }
    CHECK(finite);
    if (!finite) printf("    %s = %g: not finite\n", name, value);
}

// One step with whatever was spoilt. must: it has to be refused.
static void step_once(step_bench *s, const char *name, int index, double value, bool must) {
    tact_input input = {.u = s->u, .wrench = s->wrench, .spare = s->clear, .guess = s->way};
    tact_real time = s->state.time;
    memcpy(s->spare, s->memory, s->size);
    tact_status status = tact_step(&s->t->model, &s->options, &input, &s->state, &s->work);
    bool refused = status == TACT_BAD_INPUT && s->work.fault.field;
    CHECK(refused || !must);
    if (must && !refused) printf("    %s[%d] = %g: %s\n", name, index, value, tact_status_name(status));
    CHECK_INT(s->work.status, status);
    if (status < 0) {
        CHECK(memcmp(s->spare, s->memory, s->size) == 0);
        CHECK(memcmp(&time, &s->state.time, sizeof time) == 0);
    }
    if (refused) {
        CHECK_TEXT(s->work.fault.field, name);
        CHECK_INT(s->work.fault.index, index);
        CHECK_INT(s->work.contacts.count, 0);
        CHECK_INT(s->work.iterations, 0);
        return;
    }
    CHECK(status != TACT_BAD_INPUT || sizeof(tact_real) < 8);
    CHECK(!s->work.fault.field);
    if (status >= 0) check_finite(s, name, value);
}

// A number of the step: refused where it is not finite, and, unless free, where it is huge.
static void spoil(step_bench *s, tact_real *item, const char *name, int index, bool free_size) {
    tact_input input = {.u = s->u, .wrench = s->wrench, .spare = s->clear, .guess = s->way};
    for (int k = 0; k < HOSTILE; k++) {
        tact_state_reset(&s->state, &s->t->model);
        // something to be stale
        CHECK_INT(tact_step(&s->t->model, &s->options, &input, &s->state, &s->work), TACT_CONVERGED);
        CHECK(s->work.contacts.count > 0);
        tact_real good = *item, bad = rate(hostile[k]);
        *item = bad;
        step_once(s, name, index, hostile[k], k < MUST_REFUSE || (k < HUGE_TOO && !(free_size && hostile[k] > 0)));
        *item = good;
    }
}

static void test_options(step_bench *s) {
    tact_options *o = &s->options;
    spoil(s, &o->dt, "dt", 0, false);
    spoil(s, &o->gravity.x, "gravity", 0, false);
    spoil(s, &o->gravity.y, "gravity", 0, false);
    spoil(s, &o->gravity.z, "gravity", 0, false);
    spoil(s, &o->kappa, "kappa", 0, false);
    spoil(s, &o->epsilon, "epsilon", 0, false);
    spoil(s, &o->margin, "margin", 0, sizeof(tact_real) == 8);
    spoil(s, &o->limit_kappa, "limit_kappa", 0, false);
    spoil(s, &o->force_min, "force_min", 0, sizeof(tact_real) == 8);
    spoil(s, &o->tolerance, "tolerance", 0, false);
    static const int counts[] = {0, -1, 10001, INT_MAX, INT_MIN};
    for (int k = 0; k < 5; k++) {
        int good = o->max_iterations;
        o->max_iterations = counts[k];
        step_once(s, "max_iterations", 0, counts[k], true);
        o->max_iterations = good;
    }
}

static void test_input(step_bench *s) {
    const tact_model *model = &s->t->model;
    for (int i = 0; i < model->nu; i++) spoil(s, &s->u[i], "input.u", i, false);
    for (int b = 0; b < model->nbody; b++) {
        spoil(s, &s->wrench[b].force.y, "input.wrench", b, false);
        spoil(s, &s->wrench[b].torque.z, "input.wrench", b, false);
    }
    CHECK(model->npair > 0 && model->npair <= 8);
    for (int i = 0; i < model->npair; i++) spoil(s, &s->clear[i], "input.spare", i, false);
    CHECK(model->nv <= 64);
    for (int i = 0; i < model->nv; i++) spoil(s, &s->way[i], "input.guess", i, false);
}

static void test_state(step_bench *s) {
    const tact_model *model = &s->t->model;
    for (int i = 0; i < model->nq; i++) {
        int quaternion = model->body[3].q + 3;
        // what spoils the length of a quaternion is found there
        bool turn = i >= quaternion && i < quaternion + 4;
        if (!turn) spoil(s, &s->state.q[i], "state.q", i, false);
        for (int k = 0; turn && k < HOSTILE; k++) {
            tact_state_reset(&s->state, model);
            s->state.q[i] = rate(hostile[k]);
            bool large = !(fabs((double)s->state.q[i]) <= 1e6), off = large || s->state.q[i] == -1;
            // -1 for w is the same rotation; the others then are too long
            if (i == quaternion && !large) off = s->state.q[i] != -1;
            step_once(s, "state.q", large ? i : quaternion, hostile[k], off);
        }
    }
    for (int i = 0; i < model->nv; i++) spoil(s, &s->state.v[i], "state.v", i, false);
    for (int i = 0; i < 3 * model->npair; i++) {
        spoil(s, &s->state.lambda[i], "state.lambda", i / 3, false);
        spoil(s, &s->state.anchor[0].x + i, "state.anchor", i / 3, false);
        spoil(s, &s->state.normal[0].x + i, "state.normal", i / 3, false);
    }
    spoil(s, &s->state.time, "state.time", 0, false);
}

// A number of the model, given in a model like it: NaN, infinities and what is huge are refused by name; what is accepted steps
// to finite numbers.
static void spoil_model(const test_model *like, const tact_real *place, const char *name, int index) {
    for (int k = 0; k < HOSTILE; k++) {
        step_bench s;
        open_step(&s);
        tact_real *item = (tact_real *)(void *)((char *)s.t + ((const char *)place - (const char *)like));
        *item = rate(hostile[k]);
        // too small for single precision: no drive at all, which the numbers of the commands contradict
        if (*item == 0 && strcmp(name, "dof.stiffness") == 0) name = "dof.u";
        tact_fault fault = tact_model_check(&s.t->model);
        bool refused = fault.field != NULL;
        CHECK(refused || k >= HUGE_TOO);
        if (!refused && k < HUGE_TOO) printf("    %s[%d] = %g is accepted\n", name, index, hostile[k]);
        tact_arena measure = {0};
        tact_model copy = s.t->model;
        CHECK_INT(tact_model_prepare(&copy, &measure), refused ? TACT_BAD_INPUT : TACT_CONVERGED);
        if (refused) {
            CHECK_TEXT(fault.field, name);
            CHECK_INT(fault.index, index);
            if (strcmp(name, "dof.u") == 0) name = "dof.stiffness";
        } else {
            tact_state_reset(&s.state, &s.t->model);
            step_once(&s, name, index, hostile[k], false);
            s.options.margin = TACT_MARGIN_AUTO;
            step_once(&s, name, index, hostile[k], false);
        }
        close_step(&s);
    }
}

static void test_bodies(const test_model *t) {
    for (int b = 0; b < t->model.nbody; b++) {
        const tact_body *body = &t->body[b];
        for (int k = 0; k < 9; k++) spoil_model(t, &body->place.R.m[k / 3][k % 3], "body.place", b);
        spoil_model(t, &body->place.p.x, "body.place", b);
        spoil_model(t, &body->axis.z, "body.axis", b);
        spoil_model(t, &body->mass, "body.mass", b);
        spoil_model(t, &body->com.y, "body.com", b);
        for (int k = 0; k < 6; k++) spoil_model(t, &body->inertia[k], "body.inertia", b);
    }
    spoil_model(t, &t->body[2].ratio, "body.ratio", 2);
    spoil_model(t, &t->body[2].offset, "body.offset", 2);
    spoil_model(t, &t->body[1].ratio, "body.ratio", 1);
    spoil_model(t, &t->body[1].offset, "body.offset", 1);
}

static void test_dofs(const test_model *t) {
    spoil_model(t, &t->dof[0].damping, "dof.damping", 0);
    spoil_model(t, &t->dof[1].lower, "dof.lower", 1);
    spoil_model(t, &t->dof[1].upper, "dof.upper", 1);
    for (int i = 0; i < t->model.nv; i++) spoil_model(t, &t->v0[i], "v0", i);
    int quaternion = t->body[3].q + 3;
    for (int i = 0; i < t->model.nq; i++)
        if (i < quaternion || i >= quaternion + 4) spoil_model(t, &t->q0[i], "q0", i);
    spoil_model(t, &t->dof[1].stiffness, "dof.stiffness", 1);
}

static void test_shapes(const test_model *t) {
    for (int i = 0; i < t->model.nshape; i++) {
        spoil_model(t, &t->shape[i].place.R.m[0][0], "shape.place", i);
        spoil_model(t, &t->shape[i].place.p.z, "shape.place", i);
        for (int k = 0; k < 4; k++) spoil_model(t, &t->shape[i].size[k], "shape.size", i);
    }
    for (int i = 0; i < t->model.npair; i++) {
        spoil_model(t, &t->pair[i].mu, "pair.mu", i);
        spoil_model(t, &t->pair[i].restitution, "pair.restitution", i);
    }
}

// Symmetric matrices with a negative eigenvalue and a good diagonal; a rod, and what breaks the triangle rule, are accepted.
static void test_inertia(void) {
    static const struct {
        double I[6];
        bool good;
    } cases[] = {{{1, 1, 1, 1.2, 0, 0}, false},      {{1, 1, 1, 0, 1.2, 0}, false},          {{1, 1, 1, 0, 0, -1.2}, false},
                 {{1, 1, 1, 0.9, 0.9, -0.9}, false}, {{0, 1, 1, 0.1, 0, 0}, false},          {{0, 0, 0, 1e-9, 0, 0}, false},
                 {{1, 1, 0, 0, 0, 0}, true},         {{1, 1, 1, 0.9, 0.9, 0.9}, true},       {{3, 1, 1, 0, 0, 0}, true},
                 {{0, 0, 0, 0, 0, 0}, true},         {{1e-30, 1e-30, 1e-30, 0, 0, 0}, true}, {{0.5, 0.5, 1, 0.5, 0, 0}, true}};
    test_model *t = make_model();
    for (int c = 0; c < (int)(sizeof cases / sizeof cases[0]); c++) {
        for (int k = 0; k < 6; k++) t->body[3].inertia[k] = (tact_real)cases[c].I[k];
        tact_fault fault = tact_model_check(&t->model);
        CHECK((fault.field == NULL) == cases[c].good);
        if (fault.field) CHECK(strcmp(fault.field, "body.inertia") == 0 && fault.index == 3);
    }
    test_model_free(t);
}

// A problem of one cone and one bound on two unknowns.
static void test_barrier(void) {
    int first[2] = {0, 1}, start[3] = {0, 1, 2}, column[2] = {0, 1};
    tact_real value[2] = {1, 1}, p[2] = {0, 1}, J[6] = {0, 1, 1, 0, 0, 0}, d[2], lambda[3] = {0}, wall[1] = {0};
    tact_cone cone = {.width = 2, .column = column, .J = J, .c = {TACT_REAL(0.1), 0, 0}, .mu = TACT_REAL(0.5), .kappa = 100};
    tact_bound bound = {.column = 0, .sign = 1, .c = 1, .kappa = 100};
    tact_barrier_problem problem = {2, 1, 1, {2, first, start, value}, p, &cone, &bound};
    tact_barrier_options options = tact_barrier_options_default();
    tact_barrier_size size = {.n = 2, .ncone = 1, .nbound = 1, .columns = 2, .envelope = 3};
    struct {
        tact_real *item;
        const char *name;
        int index;
    } items[] = {{&p[0], "p", 0},
                 {&p[1], "p", 1},
                 {&value[0], "P.value", 0},
                 {&value[1], "P.value", 1},
                 {&J[1], "cone.J", 0},
                 {&J[5], "cone.J", 0},
                 {&cone.c[0], "cone.c", 0},
                 {&cone.c[2], "cone.c", 0},
                 {&cone.mu, "cone.mu", 0},
                 {&bound.c, "bound.c", 0},
                 {&cone.kappa, "cone.kappa", 0},
                 {&bound.sign, "bound.sign", 0},
                 {&bound.kappa, "bound.kappa", 0},
                 {&options.tolerance, "options.tolerance", 0}};
    tact_arena arena = {0};
    tact_barrier_work work;
    tact_barrier_place(&work, size, &arena);
    arena = (tact_arena){.memory = malloc(arena.used + TACT_ALIGN), .size = arena.used + TACT_ALIGN};
    void *memory = arena.memory;
    tact_barrier_place(&work, size, &arena);
    tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = wall};
    CHECK_INT(tact_barrier_solve(&problem, &options, &work, &solution), TACT_CONVERGED);
    for (int i = 0; i < (int)(sizeof items / sizeof items[0]); i++) {
        tact_real good = *items[i].item;
        for (int k = 0; k < HOSTILE; k++) {
            *items[i].item = rate(hostile[k]);
            tact_fault fault = tact_barrier_check(&problem, &options);
            tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
            CHECK(fault.field || k >= HUGE_TOO);
            CHECK((status == TACT_BAD_INPUT) == (fault.field != NULL));
            if (fault.field) CHECK_TEXT(fault.field, items[i].name);
            if (fault.field) CHECK_INT(fault.index, items[i].index);
            CHECK(all_finite(&solution.decrement, 1) && all_finite(&solution.balance, 1));
            if (status >= 0) CHECK(all_finite(d, 2) && all_finite(lambda, 3) && all_finite(wall, 1));
        }
        *items[i].item = good;
    }
    // forces that are no start are none
    options.warm = true;
    for (int k = 0; k < HOSTILE; k++) {
        for (int i = 0; i < 3; i++) lambda[i] = rate(hostile[k]);
        wall[0] = rate(hostile[k]);
        CHECK_INT(tact_barrier_solve(&problem, &options, &work, &solution), TACT_CONVERGED);
        CHECK(all_finite(d, 2) && all_finite(lambda, 3) && all_finite(wall, 1));
    }
    free(memory);
}

// What ik takes; body 1 shall reach a target.
static void test_ik(void) {
    test_model *t = make_model();
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    tact_ik_target target = {.body = 1, .position = {0, 0, TACT_REAL(0.5)}, .orientation = {1, 0, 0, 0}, .angle_weight = 1};
    tact_ik_options options = tact_ik_options_default();
    tact_real q[32];
    tact_arena arena = {0};
    tact_ik ik;
    tact_ik_place(&ik, &t->model, 1, &arena);
    arena = (tact_arena){.memory = malloc(arena.used + TACT_ALIGN), .size = arena.used + TACT_ALIGN};
    void *memory = arena.memory;
    tact_ik_place(&ik, &t->model, 1, &arena);
    struct {
        tact_real *item;
        const char *name;
        int index;
        bool free_size;
    } items[] = {{&target.point.x, "target.point", 0, false},
                 {&target.position.z, "target.position", 0, false},
                 {&target.orientation.w, "target.orientation", 0, false},
                 {&target.orientation.y, "target.orientation", 0, false},
                 {&target.angle_weight, "target.angle_weight", 0, false},
                 {&options.tolerance, "options.tolerance", 0, true},
                 {&options.stationary, "options.stationary", 0, true},
                 {&options.damping, "options.damping", 0, true},
                 {&q[0], "q", 0, false},
                 {&q[5], "q", 5, false}};
    for (int i = 0; i < (int)(sizeof items / sizeof items[0]); i++) {
        for (int k = 0; k < HOSTILE; k++) {
            tact_real good = *items[i].item, before[32];
            for (int j = 0; j < t->model.nq; j++) q[j] = t->q0[j];
            if (i < 8) good = *items[i].item;
            *items[i].item = rate(hostile[k]);
            memcpy(before, q, sizeof q);
            tact_ik_result result = tact_ik_solve(&ik, &t->model, &target, 1, options, q);
            bool refused = result.status == TACT_BAD_INPUT;
            bool may = items[i].free_size && hostile[k] > 0 && sizeof(tact_real) == 8;
            CHECK(refused == (result.fault.field != NULL));
            CHECK(refused || k >= HUGE_TOO || (k >= MUST_REFUSE && may));
            if (refused) {
                CHECK_TEXT(result.fault.field, items[i].name);
                CHECK_INT(result.fault.index, items[i].index);
                CHECK(memcmp(before, q, (size_t)t->model.nq * sizeof q[0]) == 0);
            } else {
                CHECK(all_finite(q, t->model.nq) && all_finite(&result.error, 1) && all_finite(&result.gradient, 1));
            }
            if (i < 8) *items[i].item = good;
        }
    }
    free(memory);
    test_model_free(t);
}

static tact_real loss_value, loss_slope;

static tact_real add_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                          tact_real *lambda_bar) {
    (void)context;
    (void)contacts;
    (void)lambda_bar;
    if (q_bar) q_bar[0] += loss_slope;
    return k == 3 ? loss_value : state->q[0];
}

// The inputs of a rollout of three steps, and those of a linearisation.
static void test_rollout(step_bench *s) {
    const tact_model *model = &s->t->model;
    size_t size = tact_rollout_size(model, 3, 3);
    void *memory = malloc(size);
    tact_rollout_work work;
    tact_real u[6], q_bar[32], u_bar[6];
    tact_rollout rollout = {.steps = 3, .u = u, .loss = add_loss};
    tact_rollout_slope slope = {.q = q_bar, .u = u_bar};
    CHECK_INT(tact_rollout_init(&work, model, 3, memory, size), TACT_CONVERGED);
    for (int k = 0; k < HOSTILE; k++) {
        tact_real bad = rate(hostile[k]);
        for (int spoilt = 0; spoilt < 5; spoilt++) {
            static const char *const names[] = {"rollout.u", "state.q", "dt", "rollout.loss", "rollout.loss"};
            tact_options options = s->options;
            tact_state_reset(&s->state, model);
            for (int i = 0; i < 6; i++) u[i] = i % 2 ? 0 : 1;
            loss_value = loss_slope = 1;
            *(tact_real *[]){&u[5], &s->state.q[0], &options.dt, &loss_value, &loss_slope}[spoilt] = bad;
            tact_rollout_result result = tact_rollout_gradient(model, &options, &rollout, &s->state, &work, &slope);
            bool refused = result.status == TACT_BAD_INPUT, callers = spoilt > 2;
            CHECK(refused || k >= HUGE_TOO || (callers && isfinite((double)bad)));
            if (refused) CHECK_TEXT(result.fault.field, names[spoilt]);
            CHECK(all_finite(&result.loss, 1));
            if (result.status >= 0) CHECK(all_finite(q_bar, model->nv) && all_finite(u_bar, 6));
        }
    }
    size_t room = tact_deriv_size(model);
    void *scratch = malloc(room);
    tact_deriv_work deriv;
    CHECK_INT(tact_deriv_init(&deriv, model, scratch, room), TACT_CONVERGED);
    tact_state_reset(&s->state, model);
    tact_input input = {.u = s->u, .wrench = s->wrench, .spare = s->clear, .guess = s->way};
    tact_state_copy(&work.state, &s->state, model);
    CHECK_INT(tact_step(model, &s->options, &input, &s->state, &s->work), TACT_CONVERGED);
    CHECK_INT(tact_deriv_linearise(model, &s->options, &input, &work.state, &s->work, &deriv), TACT_CONVERGED);
    for (int k = 0; k < MUST_REFUSE; k++) {
        tact_real good = s->u[1];
        s->u[1] = rate(hostile[k]);
        CHECK_INT(tact_deriv_linearise(model, &s->options, &input, &work.state, &s->work, &deriv), TACT_BAD_INPUT);
        CHECK_TEXT(deriv.fault.field, "input.u");
        s->u[1] = good;
    }
    s->work.status = TACT_INFEASIBLE;
    CHECK_INT(tact_deriv_linearise(model, &s->options, &input, &work.state, &s->work, &deriv), TACT_BAD_INPUT);
    CHECK_TEXT(deriv.fault.field, "work.status");
    free(scratch);
    free(memory);
}

int main(void) {
    step_bench s;
    open_step(&s);
    test_options(&s);
    test_input(&s);
    test_state(&s);
    test_rollout(&s);
    test_bodies(s.t);
    test_dofs(s.t);
    test_shapes(s.t);
    test_inertia();
    test_barrier();
    test_ik();
    close_step(&s);
    return test_end("faults");
}
