// SPDX-License-Identifier: MIT
// Whole steps of the barrier law on small models built by hand, against closed forms.
#include "tact/sim.h"
#include "test.h"

#ifdef TACT_FLOAT
#define TIGHT 2e-3
#define KAPPA 1e3
#else
#define TIGHT 1e-8
#define KAPPA 1e6
#endif

// A ball of 0.52 kg (three translations) above a plane through the origin that is tilted by an angle about y.
typedef struct {
    tact_body body[1];
    tact_dof dof[3];
    tact_shape shape[2];
    tact_pair pair[1];
    tact_real q0[3], v0[3];
    tact_model model;
    tact_options options;
    tact_state state;
    tact_work work;
    unsigned char memory[3][1 << 14];
} ball_scene;

static void ball_init(ball_scene *s, double tilt, double mu, double height) {
    double c = cos(tilt), n = sin(tilt);
    memset(s, 0, sizeof *s);
    s->body[0] = (tact_body){.parent = TACT_WORLD,
                             .joint = TACT_JOINT_TRANSLATION,
                             .place = tact_pose_identity(),
                             .ratio = 1,
                             .mass = TACT_REAL(0.52)};
    for (int i = 0; i < 3; i++) s->dof[i] = (tact_dof){.q = i, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
    tact_pose plane = {.R = {{{(tact_real)c, 0, (tact_real)n}, {0, 1, 0}, {(tact_real)-n, 0, (tact_real)c}}}};
    s->shape[0] = (tact_shape){.body = TACT_WORLD, .type = TACT_SHAPE_PLANE, .place = plane};
    s->shape[1] = (tact_shape){.body = 0, .type = TACT_SHAPE_SPHERE, .place = tact_pose_identity(), .size = {TACT_REAL(0.04)}};
    s->pair[0] = (tact_pair){.a = 0, .b = 1, .mu = (tact_real)mu};
    s->q0[0] = (tact_real)((0.04 + height) * n);
    s->q0[2] = (tact_real)((0.04 + height) * c);
    s->model = (tact_model){.law = &tact_law_barrier,
                            .nbody = 1,
                            .nshape = 2,
                            .npair = 1,
                            .nq = 3,
                            .nv = 3,
                            .body = s->body,
                            .dof = s->dof,
                            .shape = s->shape,
                            .pair = s->pair,
                            .q0 = s->q0,
                            .v0 = s->v0};
    tact_arena arena = {.memory = s->memory[0], .size = sizeof s->memory[0]};
    CHECK_INT(tact_model_prepare(&s->model, &arena), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&s->state, &s->model, s->memory[1], sizeof s->memory[1]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]), TACT_CONVERGED);
    CHECK(tact_state_size(&s->model) <= sizeof s->memory[1] && tact_work_size(&s->model) <= sizeof s->memory[2]);
    s->options = tact_options_default();
    s->options.kappa = (tact_real)KAPPA;
}

static tact_status ball_step(ball_scene *s) {
    tact_input input = {.u = s->q0};
    return tact_step(&s->model, &s->options, &input, &s->state, &s->work);
}

static void test_rest(void) {
    static ball_scene s;
    ball_init(&s, 0, 0.5, 0.005);
    for (int i = 0; i < 50; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
    double weight = 0.52 * 9.81;
    CHECK_CLOSE((double)s.work.contacts.contact[0].lambda[0] / weight, 1, TIGHT);
    CHECK_CLOSE(((double)s.state.q[2] - 0.04) / (2 / (KAPPA * weight)), 1, sizeof(tact_real) == 8 ? 1e-6 : 0.02);
    CHECK_CLOSE(s.state.time, 0.5, 1e-5);
    CHECK(s.work.iterations <= 3);
    CHECK_CLOSE(s.state.q[0], 0, 1e-7);
}

// free fall of the quasidynamic law: g h^2 / eps in every step
static void test_fall(void) {
    static ball_scene s;
    ball_init(&s, 0, 0.5, 10);
    CHECK_INT(ball_step(&s), TACT_CONVERGED);
    CHECK_CLOSE(s.state.q[2] - s.q0[2], -9.81 * 1e-4 / 0.1, sizeof(tact_real) == 8 ? 1e-12 : 1e-5);
    CHECK_INT(s.work.contacts.count, 0);
}

// A friction force needs nu_t = 2 lambda_t / (kappa (mu^2 lambda_n^2 - lambda_t^2)) in every step.
static void test_creep(void) {
    static ball_scene s;
    double tilt = 0.2, mu = 0.5, weight = 0.52 * 9.81;
    double n = weight * cos(tilt), t = weight * sin(tilt), creep = 0;
    // what the inertia regularisation takes does not bear on the friction
    for (int i = 0; i < 20; i++) {
        double friction = t - 0.1 * 0.52 / 1e-4 * creep;
        creep = 2 * friction / (KAPPA * (mu * mu * n * n - friction * friction));
    }
    ball_init(&s, tilt, mu, 1e-5);
    for (int i = 0; i < 100; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
    double x = (double)s.state.q[0], z = (double)s.state.q[2];
    CHECK_INT(ball_step(&s), TACT_CONVERGED);
    CHECK_CLOSE(hypot((double)s.state.q[0] - x, (double)s.state.q[2] - z) / creep, 1, sizeof(tact_real) == 8 ? 1e-6 : 0.05);
    // the anchor holds it where it is ...
    ball_init(&s, tilt, mu, 1e-5);
    s.options.anchor = true;
    for (int i = 0; i < 100; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
    x = (double)s.state.q[0];
    z = (double)s.state.q[2];
    for (int i = 0; i < 100; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
    CHECK(hypot((double)s.state.q[0] - x, (double)s.state.q[2] - z) <= creep * (sizeof(tact_real) == 8 ? 1e-6 : 0.5));
    // ... below the friction angle, and above it the ball slides as without
    double speed[2];
    for (int k = 0; k < 2; k++) {
        ball_init(&s, 0.6, 0.5, 1e-5);
        s.options.anchor = k == 1;
        for (int i = 0; i < 200; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
        speed[k] = (double)(s.state.q[0] - s.q0[0]);
        CHECK(speed[k] > 0.01);
    }
    CHECK_CLOSE(speed[1] / speed[0], 1, KAPPA > 1e5 ? 0.03 : 0.5);
}

static void test_forces(void) {
    static ball_scene s;
    ball_init(&s, 0, 0.5, 1e-5);
    tact_wrench wrench = {.force = {0, 0, TACT_REAL(-3.5)}};
    tact_input input = {.u = s.q0, .wrench = &wrench};
    for (int i = 0; i < 30; i++) CHECK_INT(tact_step(&s.model, &s.options, &input, &s.state, &s.work), TACT_CONVERGED);
    CHECK_CLOSE(s.work.contacts.contact[0].force.z, 0.52 * 9.81 + 3.5, TIGHT);
}

// frictionless: no tangential force whatever happens
static void test_frictionless(void) {
    static ball_scene s;
    ball_init(&s, 0.3, 0, 1e-5);
    for (int i = 0; i < 50; i++) {
        CHECK_INT(ball_step(&s), TACT_CONVERGED);
        for (int k = 0; k < s.work.contacts.count; k++)
            CHECK(s.work.contacts.contact[k].lambda[1] == 0 && s.work.contacts.contact[k].lambda[2] == 0);
    }
}

// without the option no displacement is stored, and none of before comes back with it
static void test_stale_anchor(void) {
    static ball_scene s;
    ball_init(&s, 0.2, 0.5, 1e-5);
    s.options.anchor = true;
    for (int i = 0; i < 20; i++) CHECK_INT(ball_step(&s), TACT_CONVERGED);
    CHECK(tact_vec3_dot(s.state.anchor[0], s.state.anchor[0]) > 0);
    s.options.anchor = false;
    CHECK_INT(ball_step(&s), TACT_CONVERGED);
    CHECK(s.work.contacts.count == 1 && tact_vec3_dot(s.state.anchor[0], s.state.anchor[0]) == 0);
}

// Without inertia a block above the friction angle has no balance: no answer, and the state as it was.
static void test_no_inertia(void) {
    static ball_scene s;
    ball_init(&s, 0.6, 0.5, 1e-5);
    s.options.epsilon = 0;
    tact_status status = TACT_CONVERGED;
    for (int i = 0; i < 50 && status >= 0; i++) {
        status = ball_step(&s);
        CHECK(status != TACT_CONVERGED);
    }
    CHECK_INT(status, TACT_SINGULAR);
    for (int i = 0; i < 3; i++) CHECK(fabs((double)s.state.q[i]) < 1e8);
}

static void test_refusals(void) {
    static ball_scene s;
    ball_init(&s, 0, 0.5, 0.01);
    tact_real before[3] = {s.state.q[0], s.state.q[1], s.state.q[2]};
    s.options.kappa = TACT_REAL(NAN);
    CHECK_INT(ball_step(&s), TACT_BAD_INPUT);
    CHECK_TEXT(tact_options_check(&s.options), "kappa");
    s.options.kappa = 100;
    s.options.dt = 0;
    CHECK_TEXT(tact_options_check(&s.options), "dt");
    CHECK_INT(ball_step(&s), TACT_BAD_INPUT);
    s.options.dt = TACT_REAL(0.01);
    CHECK(memcmp(before, s.state.q, sizeof before) == 0);
    s.state.q[1] = TACT_REAL(INFINITY);
    CHECK_INT(ball_step(&s), TACT_BAD_INPUT);
    CHECK_INT(tact_state_init(&s.state, &s.model, s.memory[1], 8), TACT_NO_MEMORY);
    CHECK_INT(tact_work_init(&s.work, &s.model, s.memory[2], 100), TACT_NO_MEMORY);
}

// Masses that are spoilt after the model was prepared are no numbers of a problem: near a contact and far from it.
static void test_spoilt_masses(void) {
    static ball_scene s;
    const tact_real mass[2] = {TACT_REAL(NAN), TACT_REAL(INFINITY)}, height[2] = {TACT_REAL(0.001), 10};
    for (int k = 0; k < 4; k++) {
        ball_init(&s, 0, 0.5, (double)height[k / 2]);
        s.options.margin = TACT_REAL(0.1);
        s.body[0].mass = mass[k % 2];
        tact_real before[3] = {s.state.q[0], s.state.q[1], s.state.q[2]};
        CHECK_INT(ball_step(&s), TACT_BAD_INPUT);
        CHECK(memcmp(before, s.state.q, sizeof before) == 0);
    }
}

// A command may leap over an object outside an explicit margin; the automatic margin of a pair widens by the way that its
// shapes may go.
static void test_no_tunnel(void) {
    static ball_scene s;
    ball_init(&s, 0, 0.5, 1);
    s.dof[0].u = 0;
    s.dof[0].stiffness = 100;
    s.dof[1].u = 1;
    s.dof[1].stiffness = 100;
    s.dof[2].u = 2;
    s.dof[2].stiffness = 100;
    s.model.nu = 3;
    tact_arena arena = {.memory = s.memory[0], .size = sizeof s.memory[0]};
    CHECK_INT(tact_model_prepare(&s.model, &arena), TACT_CONVERGED);
    tact_state_init(&s.state, &s.model, s.memory[1], sizeof s.memory[1]);
    tact_work_init(&s.work, &s.model, s.memory[2], sizeof s.memory[2]);
    tact_real below[3] = {0, 0, -2};
    tact_input input = {.u = below};
    s.options.margin = TACT_REAL(0.001);
    CHECK_INT(tact_step(&s.model, &s.options, &input, &s.state, &s.work), TACT_CONVERGED);
    CHECK(s.state.q[2] < 0);
    // a pair at a distance of 1 enters when its ball may go further than that
    tact_real way[3] = {0, 0, 0};
    tact_state_reset(&s.state, &s.model);
    tact_kinematics_update(&s.work.kinematics, &s.model, s.state.q);
    for (int far = 0; far < 2; far++) {
        way[s.model.place[2]] = far ? TACT_REAL(1.01) : TACT_REAL(0.99);
        tact_contacts_detect(&s.work.contacts, &s.model, &s.work.kinematics, TACT_REAL(0.001), way);
        CHECK_INT(s.work.contacts.count, far);
    }
    tact_contacts_detect(&s.work.contacts, &s.model, &s.work.kinematics, TACT_REAL(0.001), NULL);
    CHECK_INT(s.work.contacts.count, 0);
}

// equal states give equal steps, also after a copy and with other scratch
static void test_same_bits(void) {
    static ball_scene a, b;
    ball_init(&a, 0.1, 0.5, 0.02);
    ball_init(&b, 0.1, 0.5, 0.02);
    for (int i = 0; i < 20; i++) ball_step(&a);
    tact_state_copy(&b.state, &a.state, &a.model);
    for (int i = 0; i < 20; i++) {
        ball_step(&a);
        ball_step(&b);
    }
    CHECK(memcmp(a.state.q, b.state.q, 3 * sizeof(tact_real)) == 0);
    CHECK(memcmp(a.state.lambda, b.state.lambda, 3 * sizeof(tact_real)) == 0);
}

int main(void) {
    test_rest();
    test_fall();
    test_creep();
    test_forces();
    test_frictionless();
    test_stale_anchor();
    test_no_inertia();
    test_refusals();
    test_spoilt_masses();
    test_no_tunnel();
    test_same_bits();
    return test_end("sim");
}
