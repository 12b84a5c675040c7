// SPDX-License-Identifier: MIT
// The door to the derivatives, tact/record.h, under every law: push against the matrices, pull against push (they are each
// other's transposes), rollout gradients against differences of rollouts, and what is refused.
#include "tact/rollout.h"
#include "tact/scene.h"
#include "test.h"

enum { MOST = 64, FORCES = 96 };

static tact_scene *scene;
static const tact_model *model;
static tact_state before, after;
static tact_work work;
static tact_linear linear;
static tact_real u[MOST];
static tact_wrench wrench[MOST];
static tact_input input;
static tact_record made;
static void *memory[4];

static tact_real spread(uint64_t *seed) {
    return (tact_real)test_random(seed, -1, 1);
}

static void fill(tact_real *x, int count, uint64_t *seed) {
    for (int i = 0; i < count; i++) x[i] = spread(seed);
}

static double dot(const tact_real *a, const tact_real *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

static double size(const tact_real *x, int count) {
    return sqrt(dot(x, x, count));
}

static bool open_model(const char *name, const char *law, const char *set) {
    char path[100];
    tact_errors errors = {0};
    tact_scene_settings settings = {.law = law, .set = &set, .nset = set != NULL};
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    scene = tact_scene_read(path, &settings, &errors);
    CHECK(scene != NULL);
    if (!scene) printf("    %s\n", errors.items[0].text);
    if (!scene) return false;
    model = &scene->model;
    CHECK(model->nv <= MOST && model->nu <= MOST && model->nbody <= MOST);
    size_t state = tact_state_size(model), room[4] = {state, state, tact_work_size(model), tact_linear_size(model)};
    for (int i = 0; i < 4; i++) memory[i] = calloc(1, room[i] + 1);
    CHECK_INT(tact_state_init(&before, model, memory[0], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&after, model, memory[1], state), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, memory[2], room[2]), TACT_CONVERGED);
    CHECK_INT(tact_linear_init(&linear, model, memory[3], room[3] - 1), TACT_NO_MEMORY);
    CHECK_INT(tact_linear_init(&linear, model, NULL, room[3]), TACT_NO_MEMORY);
    CHECK_INT(tact_linear_init(&linear, model, memory[3], room[3]), TACT_CONVERGED);
    return true;
}

static void close_model(void) {
    for (int i = 0; i < 4; i++) free(memory[i]);
    tact_scene_free(scene);
}

static tact_status go(int steps) {
    tact_status status = TACT_CONVERGED;
    for (int k = 0; k < steps && status >= 0; k++) {
        tact_state_copy(&before, &after, model);
        tact_scene_command(scene, &before, u);
        input = (tact_input){.u = u, .wrench = tact_scene_wrench(scene, &before, wrench) ? wrench : NULL};
        status = tact_step(model, &scene->options, &input, &after, &work);
    }
    made = (tact_record){model, &scene->options, &input, &before, &after, &work};
    return status;
}

// dx+ and dlambda by the matrices
static void multiply(const tact_jacobians *m, const tact_real *dx, const tact_real *du, tact_real *x, tact_real *force) {
    int nx = tact_linear_order(model), nu = model->nu, nl = 3 * work.contacts.count;
    for (int i = 0; i < nx; i++) x[i] = (tact_real)(dot(m->A + i * nx, dx, nx) + dot(m->B + i * nu, du, nu));
    for (int i = 0; i < nl; i++) force[i] = (tact_real)(dot(m->C + i * nx, dx, nx) + dot(m->D + i * nu, du, nu));
}

static void check_near(const tact_real *got, const tact_real *wanted, int count, double tolerance, const char *what) {
    double off = 0, scale = 1 + size(wanted, count);
    for (int i = 0; i < count; i++) off = fmax(off, fabs((double)got[i] - (double)wanted[i]));
    CHECK(off <= tolerance * scale);
    if (!(off <= tolerance * scale)) printf("    %s, law %s: off by %g of %g\n", what, model->law->name, off, scale);
}

// A step's push against its matrices, and against its pull.
static void check_step(uint64_t *seed) {
    static tact_real A[4 * MOST * MOST], B[2 * MOST * MOST], C[2 * FORCES * MOST], D[FORCES * MOST];
    tact_real dx[2 * MOST], du[MOST], df[MOST], got[2 * MOST], wanted[2 * MOST], l[FORCES], l_wanted[FORCES];
    tact_real x_bar[2 * MOST], l_bar[FORCES], u_bar[MOST], back[2 * MOST], past[2 * MOST];
    int nv = model->nv, nx = tact_linear_order(model), nl = 3 * work.contacts.count;
    bool moves = nx > nv;
    double tolerance = sizeof(tact_real) == 8 ? 1e-8 : 2e-2;
    const tact_jacobians m = {A, B, C, D};
    CHECK(nl <= FORCES);
    CHECK_INT(tact_linearise(&linear, &made), TACT_CONVERGED);
    CHECK(tact_linear_matrices(&linear, &m) >= 0);
    // halves of the matrices are those of all
    static tact_real part[4 * MOST * MOST + 2 * MOST * MOST], forces[2 * FORCES * MOST + FORCES * MOST];
    const tact_jacobians moves_only = {part, part + nx * nx, NULL, NULL};
    const tact_jacobians forces_only = {NULL, NULL, forces, forces + nl * nx};
    CHECK(tact_linear_matrices(&linear, &moves_only) >= 0);
    CHECK(tact_linear_matrices(&linear, &forces_only) >= 0);
    CHECK(memcmp(part, A, sizeof *A * (size_t)(nx * nx)) == 0 && memcmp(forces, C, sizeof *C * (size_t)(nl * nx)) == 0);
    CHECK(memcmp(part + nx * nx, B, sizeof *B * (size_t)(nx * model->nu)) == 0);
    CHECK(memcmp(forces + nl * nx, D, sizeof *D * (size_t)(nl * model->nu)) == 0);
    fill(dx, nx, seed);
    fill(du, model->nu, seed);
    tact_step_change change = {.q = dx, .v = moves ? dx + nv : NULL, .u = du};
    tact_step_effect effect = {got, got + nv, l};
    CHECK(tact_linear_push(&linear, &change, &effect) >= 0);
    multiply(&m, dx, du, wanted, l_wanted);
    check_near(got, wanted, nx, tolerance, "push, x");
    check_near(l, l_wanted, nl, 100 * tolerance, "push, forces");
    for (int i = 0; !moves && i < nv; i++) CHECK(got[nv + i] == 0);

    // <x_bar, push> = <pull, change>, a parameter among them; a generalised force is a force on each dof
    tact_parameter parameter = {.kind = TACT_PARAMETER_MASS, .index = model->nbody - 1};
    tact_real by_parameter = 0;
    fill(x_bar, nx, seed);
    fill(l_bar, nl, seed);
    fill(df, nv, seed);
    for (int i = 0; i < nl; i++) l_bar[i] = model->law->springs ? 0 : l_bar[i] * TACT_REAL(0.01);
    for (int i = 0; i < 2 * nv; i++) past[i] = 0;
    memcpy(back, x_bar, sizeof back);
    tact_step_adjoint adjoint = {.q = back,
                                 .v = back + nv,
                                 .q_past = past,
                                 .v_past = past + nv,
                                 .lambda = l_bar,
                                 .u = u_bar,
                                 .nparameter = 1,
                                 .parameter = &parameter,
                                 .by_parameter = &by_parameter};
    CHECK(tact_linear_pull(&linear, &adjoint) >= 0);
    change.parameter = &parameter;
    CHECK(tact_linear_push(&linear, &change, &effect) >= 0);
    double there = dot(x_bar, got, nx) + dot(l_bar, l, nl);
    double home = dot(back, dx, nx) + dot(u_bar, du, model->nu) + (double)by_parameter;
    double scale = 1 + size(got, nx) + size(l, nl) + size(back, nx);
    CHECK(fabs(there - home) <= 10 * tolerance * scale);
    if (!(fabs(there - home) <= 10 * tolerance * scale)) printf("    law %s: %.12g, back %.12g\n", model->law->name, there, home);
    // without commands and forces, and the matrices that it has made
    memcpy(back, x_bar, sizeof back);
    adjoint.u = NULL;
    adjoint.lambda = NULL;
    CHECK(tact_linear_pull(&linear, &adjoint) >= 0);

    // a commanded drive is a spring: its command is a force of its stiffness
    for (int i = 0; i < nv; i++) {
        const tact_dof *dof = &model->dof[i];
        df[i] = dof->u < 0 ? 0 : (dof->force ? 1 : dof->stiffness) * du[dof->u];
    }
    CHECK(tact_linear_push(&linear, &(tact_step_change){.force = df}, &effect) >= 0);
    CHECK(tact_linear_push(&linear, &(tact_step_change){.u = du},
                           &(tact_step_effect){wanted, moves ? wanted + nv : NULL, NULL}) >= 0);
    check_near(got, wanted, nx, tolerance, "force");
    CHECK(tact_linear_push(&linear, &(tact_step_change){.parameter = &parameter}, &(tact_step_effect){NULL, NULL, NULL}) >= 0);
    // its forces are those of the parameter and the change together
    tact_real apart[FORCES], both[FORCES];
    CHECK(tact_linear_push(&linear, &(tact_step_change){.parameter = &parameter}, &(tact_step_effect){NULL, NULL, apart}) >= 0);
    CHECK(tact_linear_push(&linear, &(tact_step_change){.q = dx, .parameter = &parameter},
                           &(tact_step_effect){NULL, NULL, both}) >= 0);
    CHECK(tact_linear_push(&linear, &(tact_step_change){.q = dx}, &(tact_step_effect){NULL, NULL, l}) >= 0);
    for (int i = 0; i < nl; i++) apart[i] += l[i];
    check_near(both, apart, nl, 100 * tolerance, "forces of both");
}

// The loss of a rollout: q of the last state, and a little of its velocities and forces.
typedef struct {
    int steps;
    tact_real q[MOST], v[MOST], lambda;
    tact_kinematics *kinematics;
    const tact_state *about;
} tail;

static tact_real find_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {
    tail *t = context;
    tact_real sum = 0, difference[MOST];
    if (k < t->steps) return 0;
    tact_kinematics_update(t->kinematics, model, t->about->q);
    tact_model_difference(model, t->kinematics, t->about->q, state->q, difference);
    for (int i = 0; i < model->nv; i++) {
        sum += t->q[i] * difference[i] + (model->law->velocities ? t->v[i] * state->v[i] : 0);
        if (q_bar) q_bar[i] += t->q[i];
    }
    for (int c = 0; contacts && t->lambda != 0 && c < contacts->count; c++) {
        sum += t->lambda * contacts->contact[c].lambda[0];
        if (lambda_bar) lambda_bar[3 * c] += t->lambda;
    }
    return sum;
}

static void find_loss_by_v(void *context, int k, const tact_state *state, tact_real *v_bar) {
    tail *t = context;
    (void)state;
    for (int i = 0; k == t->steps && i < model->nv; i++) v_bar[i] += t->v[i];
}

typedef struct {
    const char *scene, *law, *set;
    int before, steps;  // before the rollout, and of it
    tact_real lambda;
} roll_case;

// Translations in q and all of v, shifts of commands and masses against differences of whole rollouts.
static void check_rollout(const roll_case *c, uint64_t *seed) {
    if (!open_model(c->scene, c->law, c->set)) return;
    CHECK(go(c->before) >= 0);
    int nv = model->nv, nu = model->nu, steps = c->steps, count = nv + nv + nu + 1;
    size_t room = tact_rollout_size(model, steps, 0), some = tact_state_size(model);
    tact_arena arena = {0};
    tact_kinematics kinematics;
    tact_kinematics_place(&kinematics, model, &arena);
    void *places[4] = {malloc(room), malloc(some), malloc(some), malloc(arena.used + 1)};
    arena = (tact_arena){.memory = places[3], .size = arena.used};
    tact_kinematics_place(&kinematics, model, &arena);
    tact_state start, varied;
    tact_rollout_work roll;
    tact_body *body = malloc((size_t)model->nbody * sizeof *body);
    tact_real *commands = calloc((size_t)(steps * nu) + 1, sizeof *commands);
    CHECK_INT(tact_rollout_init(&roll, model, steps, places[0], room), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&start, model, places[1], some), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&varied, model, places[2], some), TACT_CONVERGED);
    tact_state_copy(&start, &after, model);
    tail t = {.steps = steps, .lambda = c->lambda, .kinematics = &kinematics, .about = &start};
    fill(t.q, nv, seed);
    fill(t.v, nv, seed);
    tact_scene_command(scene, &start, u);
    for (int i = 0; i < steps * nu; i++) commands[i] = u[i % nu] + TACT_REAL(0.002) * spread(seed);
    tact_rollout rollout = {.steps = steps, .u = commands, .context = &t, .loss = find_loss, .loss_by_v = find_loss_by_v};
    tact_parameter parameter = {.kind = TACT_PARAMETER_MASS, .index = model->nbody - 1};
    tact_real by_q[MOST], by_v[MOST], by_mass = 0, *by_u = calloc((size_t)(steps * nu) + 1, sizeof *by_u);
    tact_rollout_slope slope = {
        .q = by_q, .u = by_u, .v = by_v, .nparameter = 1, .parameter = &parameter, .by_parameter = &by_mass};
    tact_rollout_result result = tact_rollout_gradient(model, &scene->options, &rollout, &start, &roll, &slope);
    CHECK(result.status >= 0 && result.step == steps);
    CHECK_INT(result.kinks, 0);
    tact_model other = *model;
    memcpy(body, model->body, (size_t)model->nbody * sizeof *body);
    other.body = body;
    int compared = 0;
    for (int k = 0; k < count; k++) {
        bool of_q = k < nv, of_v = !of_q && k < 2 * nv, of_u = !of_q && !of_v && k < 2 * nv + nu;
        if (of_v && !model->law->velocities) continue;
        const tact_joint_type joint = of_q ? model->body[model->dof[k].body].joint : TACT_JOINT_PRISMATIC;
        if (joint == TACT_JOINT_FREE || joint == TACT_JOINT_PLANAR) continue;
        double h = 1e-6, loss[2], slope_of = of_q ? (double)by_q[k] : of_v ? (double)by_v[k - nv] : (double)by_mass;
        for (int i = 0, at = k - 2 * nv; of_u && i < steps; i++) slope_of = (i > 0 ? slope_of : 0) + (double)by_u[i * nu + at];
        for (int side = 0; side < 2; side++) {
            tact_real change = (tact_real)(side == 0 ? h : -h);
            tact_state_copy(&varied, &start, model);
            if (of_q) varied.q[model->dof[k].q] += change;
            if (of_v) varied.v[k - nv] += change;
            for (int i = 0; of_u && i < steps; i++) commands[i * nu + k - 2 * nv] += change;
            if (k == count - 1) body[parameter.index].mass += change;
            // the virtual law prepares its work from the model
            CHECK_INT(tact_rollout_init(&roll, &other, steps, places[0], room), TACT_CONVERGED);
            loss[side] = (double)tact_rollout_gradient(&other, &scene->options, &rollout, &varied, &roll, NULL).loss;
            for (int i = 0; of_u && i < steps; i++) commands[i * nu + k - 2 * nv] -= change;
            if (k == count - 1) body[parameter.index].mass -= change;
        }
        double wanted = (loss[0] - loss[1]) / (2 * h);
        CHECK_CLOSE(slope_of, wanted, 2e-5);
        if (!(fabs(slope_of - wanted) <= 2e-5 * fmax(1, fabs(wanted)))) printf("    %s, direction %d\n", c->scene, k);
        compared++;
    }
    CHECK(compared > 2);
    // the loss that is not a number
    t.q[0] = (tact_real)NAN;
    CHECK_INT(tact_rollout_init(&roll, model, steps, places[0], room), TACT_CONVERGED);
    result = tact_rollout_gradient(model, &scene->options, &rollout, &start, &roll, &slope);
    CHECK_INT(result.status, TACT_BAD_INPUT);
    CHECK_TEXT(result.fault.field, "rollout.loss");
    for (int i = 0; i < 4; i++) free(places[i]);
    free(body);
    free(commands);
    free(by_u);
    close_model();
}

static void test_steps(uint64_t *seed) {
    static const struct {
        const char *scene, *law, *set;
        int steps;
    } runs[] = {
        {"hand_lift", NULL, NULL, 60},
        {"hand_lift", "rigid", NULL, 30},
        {"lesson", NULL, "options.anchor=false", 20},
        {"roll_to_goal", NULL, NULL, 10},
        {"roll_to_goal", "rigid", NULL, 10},
        {"pusher", "virtual", NULL, 20},
        {"lift_hex", NULL, NULL, 20},
        {"rolling_disc", NULL, NULL, 30},
        {"cart", NULL, NULL, 20},
        {"pinched_rock", NULL, NULL, 5},
        {"two_carts", NULL, NULL, 5},
        {"slide_hex", NULL, "options.integrator=midpoint", 5},
    };
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        if (!open_model(runs[i].scene, runs[i].law, runs[i].set)) continue;
        CHECK(go(runs[i].steps) >= 0);
        check_step(seed);
        close_model();
    }
}

static void test_rollouts(uint64_t *seed) {
    static const roll_case cases[] = {
        {"newton_cradle", "rigid", NULL, 2, 10, 0},
        {"roll_to_goal", "rigid", NULL, 20, 12, TACT_REAL(0.01)},
        {"hand_lift", "rigid", NULL, 40, 6, 0},
        {"rods", "rigid", NULL, 4, 8, 0},
        {"pusher", "rigid", NULL, 20, 10, TACT_REAL(0.01)},
        {"pusher", "virtual", NULL, 10, 10, 0},
        {"pusher", NULL, NULL, 10, 10, TACT_REAL(0.01)},
        {"lesson", NULL, "options.anchor=false", 10, 6, TACT_REAL(0.01)},
    };
    // differences of single precision tell nothing
    for (size_t i = 0; sizeof(tact_real) == 8 && i < sizeof cases / sizeof cases[0]; i++) check_rollout(&cases[i], seed);
}

static tact_real no_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                         tact_real *lambda_bar) {
    (void)context, (void)k, (void)state, (void)contacts, (void)q_bar, (void)lambda_bar;
    return 0;
}

static void test_refusals(void) {
    tact_real q[MOST] = {0}, v[MOST] = {0}, past[2 * MOST] = {0}, bar[FORCES] = {1}, by[2];
    const tact_parameter mu = {.kind = TACT_PARAMETER_MU}, kn = {.kind = TACT_PARAMETER_KN};
    static const char *const laws[] = {"barrier", "rigid", "virtual"};
    for (int i = 0; i < 3; i++) {
        if (!open_model(i < 2 ? "pusher" : "slide_hex", laws[i], NULL)) continue;
        CHECK(go(30) >= 0);
        CHECK(tact_linear_refuse(model) == NULL);
        CHECK(tact_linear_has(model, mu));
        CHECK_INT(tact_linear_has(model, kn), i == 2);
        CHECK_INT(tact_linear_order(model), (i > 0 ? 2 : 1) * model->nv);
        // the cap of stored displacements depends on the friction
        tact_options anchored = scene->options;
        anchored.anchor = true;
        CHECK_INT(tact_linear_pulls(model, &anchored, mu), i > 0);
        anchored.anchor = false;
        CHECK(tact_linear_pulls(model, &anchored, mu));
        // forces of the virtual law have no reverse
        CHECK_INT(tact_linearise(&linear, &made), TACT_CONVERGED);
        tact_step_adjoint adjoint = {.q = q, .v = v, .q_past = past, .v_past = past + MOST, .lambda = bar};
        CHECK(i == 1 || work.contacts.count > 0);
        CHECK_INT(tact_linear_pull(&linear, &adjoint), i == 2 ? TACT_BAD_INPUT : TACT_CONVERGED);
        if (i == 2) CHECK_TEXT(linear.fault.field, "adjoint.lambda");
        // a step without an answer
        work.status = TACT_INFEASIBLE;
        CHECK_INT(tact_linearise(&linear, &made), TACT_BAD_INPUT);
        CHECK_TEXT(linear.fault.field, "work.status");
        // a parameter that the law has not
        size_t room = tact_rollout_size(model, 1, 1);
        void *place = malloc(room);
        tact_rollout_work roll;
        const tact_parameter both[2] = {mu, i == 2 ? (tact_parameter){.kind = TACT_PARAMETER_KAPPA} : kn};
        tact_rollout rollout = {.steps = 1, .u = u, .loss = no_loss};
        tact_rollout_slope slope = {.nparameter = 2, .parameter = both, .by_parameter = by};
        CHECK_INT(tact_rollout_init(&roll, model, 1, place, room), TACT_CONVERGED);
        tact_rollout_result result = tact_rollout_gradient(model, &scene->options, &rollout, &after, &roll, &slope);
        CHECK_INT(result.status, TACT_BAD_INPUT);
        CHECK_TEXT(result.fault.field, "slope.parameter");
        CHECK_INT(result.fault.index, 1);
        slope.nparameter = 1;
        CHECK(tact_rollout_gradient(model, &scene->options, &rollout, &after, &roll, &slope).status >= 0);
        free(place);
        close_model();
    }
}

// A law of one's own steps, and has no derivatives.
static void test_other_law(void) {
    if (!open_model("pusher", NULL, NULL)) return;
    tact_law own = *model->law;
    tact_model other = *model;
    own.derivatives = TACT_DERIV_NONE;
    other.law = &own;
    CHECK(go(2) >= 0);
    CHECK_TEXT(tact_linear_refuse(&other), "is under a law without derivatives");
    CHECK(!tact_linear_has(&other, (tact_parameter){.kind = TACT_PARAMETER_MU}));
    size_t room = tact_linear_size(&other), rooms = tact_rollout_size(&other, 1, 1);
    void *place = malloc(room + 1), *places = malloc(rooms);
    work.law = &own;
    made.model = &other;
    CHECK_INT(tact_linear_init(&linear, &other, place, room), TACT_CONVERGED);
    CHECK_INT(tact_linearise(&linear, &made), TACT_BAD_INPUT);
    CHECK_TEXT(linear.fault.field, "model.law");
    tact_rollout_work roll;
    tact_real by_q[MOST];
    tact_rollout rollout = {.steps = 1, .u = u, .loss = no_loss};
    CHECK_INT(tact_rollout_init(&roll, &other, 1, places, rooms), TACT_CONVERGED);
    tact_rollout_result result =
        tact_rollout_gradient(&other, &scene->options, &rollout, &after, &roll, &(tact_rollout_slope){.q = by_q});
    CHECK_INT(result.status, TACT_BAD_INPUT);
    CHECK_TEXT(result.fault.field, "model.law");
    other.law = NULL;
    CHECK_INT(tact_linear_order(&other), model->nv);
    CHECK(tact_linear_refuse(&other) != NULL);
    free(place);
    free(places);
    close_model();
}

int main(void) {
    uint64_t seed = test_seed(31);
    test_steps(&seed);
    test_rollouts(&seed);
    test_refusals();
    test_other_law();
    return test_end("record");
}
