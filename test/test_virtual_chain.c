// SPDX-License-Identifier: MIT
// Chains of the virtual law whose mass matrix changes with the pose: a two-hinge finger that pushes a disc against its equations
// written out and integrated by tiny steps; trees of random joints against the mass matrix and bias of three dimensions; columns
// of a step by differences; one pass back over a run against columns carried forwards.
#include "tact/rollout.h"
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;

// ---- a finger and a disc: two hinges, x, y, angle

enum { F = 5 };

static const double length1 = 0.5, length2 = 0.4, centre1 = 0.2, centre2 = 0.25, mass1 = 0.6, mass2 = 0.3, inertia1 = 0.02,
                    inertia2 = 0.006, tip = 0.05, radius = 0.2, mass3 = 0.4, inertia3 = 0.01, mu = 0.6, weight = 3;

static void make_finger(virtual_scene *s, tact_integrator integrator, double dt) {
    virtual_begin(s);
    for (int k = 0; k < 2; k++) {
        int b = virtual_add_body(s, TACT_JOINT_CONTINUOUS, k == 0 ? mass1 : mass2, k == 0 ? inertia1 : inertia2);
        s->body[b].com.x = (tact_real)(k == 0 ? centre1 : centre2);
    }
    s->body[1].parent = 0;
    s->body[1].place.p.x = (tact_real)length1;
    int disc = virtual_add_body(s, TACT_JOINT_PLANAR, mass3, inertia3);
    int a = virtual_add_shape(s, 1, TACT_SHAPE_CIRCLE, tip, 0, 0),
        b = virtual_add_shape(s, disc, TACT_SHAPE_CIRCLE, radius, 0, 0);
    s->shape[a].place.p.x = (tact_real)length2;
    virtual_add_pair(s, a, b, mu);
    s->dof[0].force = true;
    const double q0[F] = {0.4, 0.9, 0.25, 0.72, 0.3}, v0[F] = {0.5, 1.5, 0.3, -0.2, 0.5};
    for (int i = 0; i < F; i++) {
        s->q0[i] = (tact_real)q0[i];
        s->v0[i] = (tact_real)v0[i];
    }
    s->options.gravity.y = (tact_real)-weight;
    s->options.dt = (tact_real)dt;
    s->options.kn = 300;
    s->options.kd = 20;
    s->options.kt = 2;
    s->options.temperature = TACT_REAL(0.03);
    s->options.penalty = TACT_PENALTY_SOFTPLUS;
    s->options.friction = TACT_FRICTION_TANH;
    s->options.integrator = integrator;
    virtual_end(s);
}

// the contact's forces on the finger's hinges and on the disc
static void finger_contact(const virtual_scene *s, const double *y, double Q[F]) {
    double c1 = cos(y[0]), s1 = sin(y[0]), c12 = cos(y[0] + y[1]), s12 = sin(y[0] + y[1]);
    double knee[2] = {length1 * c1, length1 * s1}, end[2] = {knee[0] + length2 * c12, knee[1] + length2 * s12};
    double apart[2] = {y[2] - end[0], y[3] - end[1]}, far = hypot(apart[0], apart[1]), d = tip + radius - far;
    double n[2] = {apart[0] / far, apart[1] / far}, t[2] = {-n[1], n[0]};
    double x[2] = {end[0] + n[0] * (tip - d / 2), end[1] + n[1] * (tip - d / 2)};
    const double *v = y + F;
    double one[2] = {-x[1] * v[0] - (x[1] - knee[1]) * v[1], x[0] * v[0] + (x[0] - knee[0]) * v[1]};
    double two[2] = {v[2] - (x[1] - y[3]) * v[4], v[3] + (x[0] - y[2]) * v[4]}, slip[2] = {one[0] - two[0], one[1] - two[1]};
    double a = (double)s->options.temperature,
           rate = (double)s->options.kn + (double)s->options.kd * (n[0] * slip[0] + n[1] * slip[1]);
    double fn = rate > 0 ? a * log1p(exp(d / a)) * rate : 0, most = mu * fn;
    double side = most > 0 ? most * tanh((double)s->options.kt * (t[0] * slip[0] + t[1] * slip[1]) / most) : 0;
    double f[2] = {-fn * n[0] - side * t[0], -fn * n[1] - side * t[1]};
    Q[0] += x[0] * f[1] - x[1] * f[0];
    Q[1] += (x[0] - knee[0]) * f[1] - (x[1] - knee[1]) * f[0];
    Q[2] -= f[0];
    Q[3] -= f[1];
    Q[4] -= (x[0] - y[2]) * f[1] - (x[1] - y[3]) * f[0];
}

static void finger_rates(const virtual_scene *s, const double *y, double torque, double *rate) {
    const double *v = y + F;
    double c1 = cos(y[0]), c2 = cos(y[1]), c12 = cos(y[0] + y[1]), h = mass2 * length1 * centre2 * sin(y[1]);
    double Q[F] = {torque, 0, 0, -weight * mass3, 0};
    Q[0] -= weight * ((mass1 * centre1 + mass2 * length1) * c1 + mass2 * centre2 * c12);
    Q[1] -= weight * mass2 * centre2 * c12;
    Q[0] += h * (2 * v[0] * v[1] + v[1] * v[1]);
    Q[1] -= h * v[0] * v[0];
    finger_contact(s, y, Q);
    double m22 = inertia2 + mass2 * centre2 * centre2, m12 = m22 + mass2 * length1 * centre2 * c2;
    double m11 = inertia1 + mass1 * centre1 * centre1 + mass2 * length1 * length1 + 2 * m12 - m22;
    double det = m11 * m22 - m12 * m12;
    for (int i = 0; i < F; i++) rate[i] = v[i];
    rate[F] = (m22 * Q[0] - m12 * Q[1]) / det;
    rate[F + 1] = (m11 * Q[1] - m12 * Q[0]) / det;
    rate[F + 2] = Q[2] / mass3;
    rate[F + 3] = Q[3] / mass3;
    rate[F + 4] = Q[4] / inertia3;
}

static void finger_integrate(const virtual_scene *s, double *y, double torque, double time, int steps) {
    double h = time / steps, k[4][2 * F], at[2 * F];
    for (int n = 0; n < steps; n++) {
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
            for (int i = 0; i < 2 * F; i++) at[i] = y[i] + (stage ? part * k[stage - 1][i] : 0);
            finger_rates(s, at, torque, k[stage]);
        }
        for (int i = 0; i < 2 * F; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
}

static double finger_error(virtual_scene *s, const double *exact, double time, int steps, bool *touched) {
    const tact_real u[1] = {TACT_REAL(0.8)};
    double worst = 0;
    s->options.dt = (tact_real)(time / steps);
    tact_state_reset(&s->state, &s->model);
    for (int k = 0; k < steps; k++) {
        CHECK_INT(virtual_go(s, u, NULL), TACT_CONVERGED);
        if (s->work.contacts.count && s->work.contacts.contact[0].lambda[0] > 1) *touched = true;
    }
    for (int i = 0; i < F; i++) {
        worst = fmax(worst, fabs((double)s->state.q[i] - exact[i]));
        worst = fmax(worst, fabs((double)s->state.v[i] - exact[F + i]));
    }
    return worst;
}

// each integrator tends to the equations' answer at its order
static void test_finger(void) {
    static virtual_scene s;
    static const double order[3] = {1, 2, 2};
    const double time = 0.4;
    for (int integrator = 0; integrator < 3; integrator++) {
        make_finger(&s, (tact_integrator)integrator, 1e-3);
        double y[2 * F], error[2];
        bool touched = false;
        for (int i = 0; i < F; i++) {
            y[i] = (double)s.q0[i];
            y[F + i] = (double)s.v0[i];
        }
        finger_integrate(&s, y, 0.8, time, 20000);
        int steps = is_double ? 400 : 200;
        for (int k = 0; k < 2; k++) error[k] = finger_error(&s, y, time, steps << k, &touched);
        double found = log2(error[0] / error[1]);
        printf("    finger and disc, integrator %d: off by %.2g, order %.3f\n", integrator, error[1], found);
        CHECK(touched);
        CHECK(error[1] < (is_double ? (integrator == 0 ? 0.02 : 1e-4) : 0.05));
        CHECK(!is_double || fabs(found - order[integrator]) < 0.1);
    }
}

// ---- trees of random joints, against the dynamics of three dimensions

static void make_tree(virtual_scene *s, uint64_t *seed) {
    virtual_begin(s);
    for (int b = 0; b < 5; b++) {
        static const tact_joint_type types[4] = {TACT_JOINT_CONTINUOUS, TACT_JOINT_PRISMATIC, TACT_JOINT_CONTINUOUS,
                                                 TACT_JOINT_PLANAR};
        int body = virtual_add_body(s, types[test_random_bits(seed) % (b == 0 ? 4 : 3)], test_random(seed, 0.2, 1),
                                    test_random(seed, 0.01, 0.1));
        tact_body *own = &s->body[body];
        if (own->joint == TACT_JOINT_CONTINUOUS && test_random_bits(seed) % 2) own->axis.z = -1;
        double way = test_random(seed, 0, 6);
        if (own->joint == TACT_JOINT_PRISMATIC) own->axis = tact_vec3_make((tact_real)cos(way), (tact_real)sin(way), 0);
        own->parent = b == 0 ? TACT_WORLD : (int)(test_random_bits(seed) % (uint64_t)b);
        own->place.p = tact_vec3_make((tact_real)test_random(seed, -0.5, 0.5), (tact_real)test_random(seed, -0.5, 0.5), 0);
        own->com = tact_vec3_make((tact_real)test_random(seed, -0.3, 0.3), (tact_real)test_random(seed, -0.3, 0.3), 0);
    }
    // a joint that follows another
    tact_body *follower = &s->body[4];
    if (follower->joint != TACT_JOINT_PLANAR && s->body[3].joint != TACT_JOINT_PLANAR) {
        s->model.nv = s->model.nq -= 1;
        follower->q = follower->v = s->body[3].v;
        follower->ratio = TACT_REAL(-0.7);
        follower->offset = TACT_REAL(0.2);
    }
    for (int i = 0; i < s->model.nv; i++) {
        s->q0[i] = (tact_real)test_random(seed, -1, 1);
        s->v0[i] = (tact_real)test_random(seed, -2, 2);
    }
    s->options.gravity = tact_vec3_make(1, -4, 0);
    s->options.integrator = TACT_INTEGRATOR_BDF1;
    virtual_end(s);
}

// M(q+) (v+ - v) + h bias(q+, v+) = h J'f is what a step of bdf1 solves
static void test_trees(void) {
    static virtual_scene s;
    static unsigned char memory[1 << 16];
    uint64_t seed = test_seed(20261122);
    double worst = 0;
    for (int round = 0; round < 60; round++) {
        make_tree(&s, &seed);
        int nv = s.model.nv;
        tact_real v[16], M[16 * 16], bias[16], J[6 * 16];
        double scale = 1;
        tact_wrench wrench[VIRTUAL_BODIES] = {0};
        int pushed = (int)(test_random_bits(&seed) % 5);
        wrench[pushed].force = tact_vec3_make((tact_real)test_random(&seed, -3, 3), (tact_real)test_random(&seed, -3, 3), 0);
        wrench[pushed].torque.z = (tact_real)test_random(&seed, -1, 1);
        s.options.dt = TACT_REAL(0.01);
        for (int i = 0; i < nv; i++) v[i] = s.state.v[i];
        CHECK_INT(virtual_go(&s, NULL, wrench), TACT_CONVERGED);
        tact_arena arena = {.memory = memory, .size = sizeof memory};
        tact_kinematics kinematics;
        tact_dynamics dynamics;
        tact_kinematics_place(&kinematics, &s.model, &arena);
        tact_dynamics_place(&dynamics, &s.model, &arena);
        tact_kinematics_update(&kinematics, &s.model, s.state.q);
        tact_mass_matrix(&s.model, &kinematics, &dynamics, M);
        tact_bias_force(&s.model, &kinematics, &dynamics, s.options.gravity, s.state.v, bias);
        tact_body_jacobian(&s.model, &kinematics, pushed, J);
        tact_vec3 arm = tact_mat3_apply(kinematics.pose[pushed].R, s.body[pushed].com), f = wrench[pushed].force;
        double torque = (double)(wrench[pushed].torque.z + arm.x * f.y - arm.y * f.x);
        for (int i = 0; i < nv; i++) {
            double push = (double)(J[3 * nv + i] * f.x + J[4 * nv + i] * f.y) + (double)J[2 * nv + i] * torque;
            double left = 0.01 * ((double)bias[i] - push);
            for (int j = 0; j < nv; j++) left += (double)M[i * nv + j] * ((double)s.state.v[j] - (double)v[j]);
            scale = fmax(scale, fabs((double)bias[i]));
            worst = fmax(worst, fabs(left) / scale);
        }
    }
    printf("    trees: equations of motion left %.2g\n", worst);
    CHECK(worst <= (is_double ? 1e-13 : 1e-3));
}

// a double pendulum keeps its energy under the midpoint rule: no drift, and the swing falls with the square of the step
static double pendulum_swing(virtual_scene *s, double dt, int steps, double *drift) {
    static unsigned char memory[1 << 16];
    double first = 0, low = 0, high = 0, mean[2] = {0, 0};
    make_finger(s, TACT_INTEGRATOR_MIDPOINT, dt);
    s->model.npair = 0;
    s->dof[0].force = false;
    s->dof[0].u = -1;
    s->model.nu = 0;
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_kinematics kinematics;
    tact_dynamics dynamics;
    tact_kinematics_place(&kinematics, &s->model, &arena);
    tact_dynamics_place(&dynamics, &s->model, &arena);
    for (int k = 0; k <= steps; k++) {
        tact_real p[F];
        tact_kinematics_update(&kinematics, &s->model, s->state.q);
        tact_momentum_update(&s->model, &kinematics, &dynamics, s->state.v, p, NULL);
        // the disc falls freely
        double energy = (double)tact_weight_energy(&s->model, &kinematics, s->options.gravity);
        for (int i = 0; i < F; i++) energy += 0.5 * (double)(p[i] * s->state.v[i]);
        if (k == 0) first = energy;
        low = fmin(low, energy - first);
        high = fmax(high, energy - first);
        if (k < steps / 10) mean[0] += (energy - first) / (steps / 10);
        if (k > steps - steps / 10) mean[1] += (energy - first) / (steps / 10);
        CHECK_INT(virtual_go(s, NULL, NULL), TACT_CONVERGED);
    }
    *drift = fabs(mean[1] - mean[0]);
    return high - low;
}

static void test_energy(void) {
    static virtual_scene s;
    double drift[2], swing[2];
    // the disc falls out of the reach of single precision
    int steps = is_double ? 2000 : 100;
    for (int k = 0; k < 2; k++) swing[k] = pendulum_swing(&s, 0.01 / (1 << k), steps << k, &drift[k]);
    printf("    midpoint: energy swings by %.2g and %.2g, drifts by %.2g and %.2g\n", swing[0], swing[1], drift[0], drift[1]);
    CHECK(!is_double || (swing[0] < 0.02 && swing[1] < 0.3 * swing[0]));
    CHECK(drift[1] < 0.3 * swing[1] + (is_double ? 0 : 0.01));
}

// ---- a fast finger in a ring of posts: pairs that come in late are found, as if all had been looked at

static void run_ring(virtual_scene *s, bool all, double *q) {
    virtual_begin(s);
    for (int k = 0; k < 2; k++) {
        int b = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.4, 0.01);
        s->body[b].com.x = TACT_REAL(0.2);
        int tip_shape = virtual_add_shape(s, b, TACT_SHAPE_CIRCLE, 0.05, 0, 0);
        s->shape[tip_shape].place.p.x = TACT_REAL(0.4);
    }
    s->body[1].parent = 0;
    s->body[1].place.p.x = TACT_REAL(0.4);
    for (int k = 0; k < 12; k++) {
        int post = virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_CIRCLE, 0.02, 0, 0);
        double at = 2 * 3.14159265358979323846 * k / 12, far = k % 3 ? 0.8 : 0.46;
        s->shape[post].place.p = tact_vec3_make((tact_real)(far * cos(at)), (tact_real)(far * sin(at)), 0);
        for (int tip_shape = 0; tip_shape < 2; tip_shape++) virtual_add_pair(s, tip_shape, post, 0.3);
    }
    s->q0[0] = TACT_REAL(0.2);
    s->v0[0] = 30;
    s->v0[1] = 25;
    s->options.dt = TACT_REAL(0.01);
    s->options.kn = 20000;
    s->options.temperature = TACT_REAL(1e-5);
    s->options.penalty = TACT_PENALTY_EXP;
    if (all) s->options.margin = 10;
    virtual_end(s);
    for (int k = 0; k < 40; k++) {
        CHECK_INT(virtual_go(s, NULL, NULL), TACT_CONVERGED);
        for (int i = 0; i < 2; i++) q[2 * k + i] = (double)s->state.q[i];
    }
}

static void test_ring(void) {
    static virtual_scene s;
    double near[80], all[80], worst = 0;
    run_ring(&s, false, near);
    run_ring(&s, true, all);
    for (int i = 0; i < 80; i++) worst = fmax(worst, fabs(near[i] - all[i]));
    printf("    ring of posts: found pairs against all %.2g, the hinges end at %.3f %.3f\n", worst, near[78], near[79]);
    CHECK(worst <= (is_double ? 1e-11 : 1e-2));
}

// ---- derivatives: a finger of a hinge, a slide and a hinge, another pad, a box with its centre of mass off the origin

enum { N = 7, INPUTS = 4 * N + 4, PARAMETERS = 11 };

static void make_grip(virtual_scene *s, int integrator) {
    virtual_begin(s);
    int arm = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.5, 0.01);
    int slide = virtual_add_body(s, TACT_JOINT_PRISMATIC, 0.2, 0.004);
    int paw = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.3, 0.02);
    int thumb = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.3, 0.02);
    s->body[arm].com = tact_vec3_make(TACT_REAL(0.1), TACT_REAL(0.05), 0);
    s->body[arm].place.p = tact_vec3_make(TACT_REAL(-0.6), TACT_REAL(0.1), 0);
    s->body[slide].parent = arm;
    s->body[slide].axis = tact_vec3_make(TACT_REAL(0.8), TACT_REAL(0.6), 0);
    s->body[slide].place.p.x = TACT_REAL(0.2);
    s->body[slide].com.y = TACT_REAL(0.03);
    s->body[paw].parent = slide;
    s->body[paw].axis.z = -1;
    s->body[paw].com.x = TACT_REAL(0.12);
    s->body[thumb].place.p = tact_vec3_make(TACT_REAL(0.5), TACT_REAL(0.05), 0);
    s->body[thumb].com.x = TACT_REAL(-0.1);
    int welded = virtual_add_body(s, TACT_JOINT_FIXED, 0.05, 0.001);
    s->body[welded].parent = paw;
    s->body[welded].place.p = tact_vec3_make(TACT_REAL(0.2), TACT_REAL(0.02), 0);
    int box = virtual_add_body(s, TACT_JOINT_PLANAR, 0.4, 0.01);
    s->body[box].com = tact_vec3_make(TACT_REAL(0.03), TACT_REAL(-0.02), 0);
    int a = virtual_add_shape(s, welded, TACT_SHAPE_CIRCLE, 0.06, 0, 0),
        b = virtual_add_shape(s, thumb, TACT_SHAPE_CIRCLE, 0.07, 0, 0);
    int c = virtual_add_shape(s, box, TACT_SHAPE_RECTANGLE, 0.2, 0.12, 0.03);
    int d = virtual_add_shape(s, slide, TACT_SHAPE_CIRCLE, 0.05, 0, 0);
    s->shape[b].place.p.x = TACT_REAL(-0.2);
    virtual_add_pair(s, a, c, 0.4);
    virtual_add_pair(s, c, b, 0.3);
    virtual_add_pair(s, d, c, 0.2);
    virtual_add_pair(s, a, d, 0.2);
    s->dof[0].stiffness = 30;
    s->dof[0].damping = 1;
    s->dof[1].stiffness = 200;
    s->dof[2].force = true;
    s->dof[3].force = true;
    s->dof[2].upper = TACT_REAL(0.22);
    const double q0[N] = {0.1, 0.05, 0.2, -0.05, 0.07, 0.1, 0.31}, v0[N] = {0.5, -0.3, 0.8, 0.4, 0.2, -0.3, 1};
    for (int i = 0; i < N; i++) {
        s->q0[i] = (tact_real)q0[i];
        s->v0[i] = (tact_real)v0[i];
    }
    s->options.gravity = tact_vec3_make(TACT_REAL(0.5), -5, 0);
    s->options.dt = TACT_REAL(0.01);
    s->options.kn = 200;
    s->options.kd = 5;
    s->options.kt = 8;
    s->options.temperature = TACT_REAL(0.03);
    s->options.spread = TACT_REAL(0.05);
    s->options.penalty = TACT_PENALTY_EXP;
    s->options.friction = TACT_FRICTION_TANH;
    s->options.integrator = (tact_integrator)integrator;
    virtual_end(s);
    CHECK_INT(s->model.nv, N);
    CHECK_INT(s->model.nu, 4);
}

static const tact_parameter grip_parameters[PARAMETERS] = {
    {TACT_PARAMETER_MASS, 0, 0},      {TACT_PARAMETER_MASS, 2, 0},    {TACT_PARAMETER_MASS, 5, 0}, {TACT_PARAMETER_INERTIA, 2, 0},
    {TACT_PARAMETER_INERTIA, 5, 0},   {TACT_PARAMETER_KN, 0, 0},      {TACT_PARAMETER_MU, 0, 0},   {TACT_PARAMETER_RADIUS, 0, 0},
    {TACT_PARAMETER_STIFFNESS, 1, 0}, {TACT_PARAMETER_DAMPING, 0, 0}, {TACT_PARAMETER_FORCE, 2, 1}};

// one step from x: q, v, q', v', u; with one parameter moved
static void step_grip(virtual_scene *s, const double *x, bool past, int parameter, double by, double *out, double *forces) {
    tact_real u[4], kept = 0, *place = NULL;
    tact_wrench wrench[VIRTUAL_BODIES] = {0};
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    if (parameter == PARAMETERS - 1) {
        wrench[2].force.y = (tact_real)by;
    } else if (parameter >= 0) {
        place = virtual_parameter(s, grip_parameters[parameter]);
        kept = *place;
        *place += (tact_real)by;
        tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
    }
    for (int i = 0; i < N; i++) {
        s->state.q[i] = (tact_real)x[i];
        s->state.v[i] = (tact_real)x[N + i];
        s->state.q_past[i] = (tact_real)x[2 * N + i];
        s->state.v_past[i] = (tact_real)x[3 * N + i];
    }
    s->state.past = past;
    tact_status status = virtual_go(s, u, wrench);
    CHECK(is_double ? status == TACT_CONVERGED : status >= 0);
    for (int i = 0; i < N; i++) {
        out[i] = (double)s->state.q[i];
        out[N + i] = (double)s->state.v[i];
    }
    for (int c = 0; c < s->work.contacts.count; c++) {
        const tact_vec3 f = s->work.contacts.contact[c].force;
        forces[2 * c] = (double)f.x;
        forces[2 * c + 1] = (double)f.y;
    }
    if (!place) return;
    *place = kept;
    tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
}

enum { OUT = 2 * N + 8 };

static void differ_grip(virtual_scene *s, double *x, bool past, int by, double *slope) {
    double h = is_double ? 2e-4 : 1e-2, table[3][OUT], up[OUT] = {0}, down[OUT] = {0};
    for (int k = 0; k < 3; k++, h /= 2) {
        double kept = by < INPUTS ? x[by] : 0;
        int parameter = by < INPUTS ? -1 : by - INPUTS;
        if (by < INPUTS) x[by] = kept + h;
        step_grip(s, x, past, parameter, h, up, up + 2 * N);
        if (by < INPUTS) x[by] = kept - h;
        step_grip(s, x, past, parameter, -h, down, down + 2 * N);
        if (by < INPUTS) x[by] = kept;
        for (int i = 0; i < OUT; i++) table[k][i] = (up[i] - down[i]) / (2 * h);
    }
    for (int i = 0; i < OUT; i++) {
        double a = (4 * table[1][i] - table[0][i]) / 3, b = (4 * table[2][i] - table[1][i]) / 3;
        slope[i] = (16 * b - a) / 15;
    }
}

// one column of the step by the formulas: q+, v+, and the forces' x, y
static void push_grip(virtual_scene *s, const double *x, bool past, const tact_state *before, int by, double *slope) {
    tact_real unit[INPUTS] = {0}, dq[N], dv[N], dl[12], u[4];
    double out[2 * N], forces[8];
    step_grip(s, x, past, -1, 0, out, forces);
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    if (by < INPUTS) unit[by] = 1;
    tact_virtual_change change = {
        .q = unit, .v = unit + N, .q_past = unit + 2 * N, .v_past = unit + 3 * N, .u = unit + 4 * N, .parameter = NULL};
    if (by >= INPUTS) change.parameter = &grip_parameters[by - INPUTS];
    tact_input input = {.u = u};
    tact_virtual_effect effect = {dq, dv, dl};
    CHECK_INT(tact_virtual_differentiate(&s->model, &s->options, &input, before, &s->work, &change, &effect), TACT_CONVERGED);
    for (int i = 0; i < N; i++) {
        slope[i] = (double)dq[i];
        slope[N + i] = (double)dv[i];
    }
    for (int c = 0; c < s->work.contacts.count; c++) {
        tact_vec3 f = tact_mat3_apply_transposed(s->work.contacts.contact[c].frame,
                                                 tact_vec3_make(dl[3 * c], dl[3 * c + 1], dl[3 * c + 2]));
        slope[2 * N + 2 * c] = (double)f.x;
        slope[2 * N + 2 * c + 1] = (double)f.y;
    }
}

// the matrices of a step in one stage, which are filled another way, are its columns
static void check_grip_matrices(virtual_scene *s, const double *x, bool past, const tact_state *before) {
    static tact_real out[8][N * N], scratch[200];
    tact_real u[4];
    double slope[OUT], step[2 * N], forces[8];
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    tact_input input = {.u = u};
    tact_virtual_jacobians jacobians = {out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], NULL, NULL};
    step_grip(s, x, past, -1, 0, step, forces);
    CHECK_INT(tact_virtual_matrices(&s->model, &s->options, &input, before, &s->work, &jacobians, scratch), TACT_CONVERGED);
    for (int kind = 0; kind < 3; kind++) {
        int columns = kind == 2 ? 4 : N;
        for (int k = 0; k < columns; k++) {
            push_grip(s, x, past, before, kind == 2 ? 4 * N + k : kind * N + k, slope);
            const tact_real *q = kind == 0 ? out[0] : kind == 1 ? out[1] : out[4];
            const tact_real *v = kind == 0 ? out[2] : kind == 1 ? out[3] : out[5];
            for (int i = 0; i < N; i++) {
                CHECK_CLOSE(q[i * columns + k], slope[i], is_double ? 1e-12 : 1e-3);
                CHECK_CLOSE(v[i * columns + k], slope[N + i], is_double ? 1e-12 : 1e-2);
            }
        }
    }
}

static void test_columns(void) {
    static virtual_scene s;
    static unsigned char memory[1 << 12];
    for (int integrator = 0; integrator < 3; integrator++)
        for (int past = 0; past < (integrator == 1 ? 2 : 1); past++) {
            double x[INPUTS], worst = 0, wanted[OUT], found[OUT];
            tact_state before;
            make_grip(&s, integrator);
            for (int i = 0; i < N; i++) {
                x[i] = (double)s.q0[i];
                x[N + i] = (double)s.v0[i];
                x[2 * N + i] = x[i] - 0.01 * x[N + i] + 1e-4 * i;
                x[3 * N + i] = x[N + i] - 0.02 + 0.01 * i;
            }
            x[4 * N] = 0.12;
            x[4 * N + 1] = 0.04;
            x[4 * N + 2] = -0.3;
            x[4 * N + 3] = 0.2;
            tact_state_init(&before, &s.model, memory, sizeof memory);
            before.past = past == 1;
            for (int by = 0; by < INPUTS + PARAMETERS; by++) {
                if (past == 0 && by >= 2 * N && by < 4 * N) continue;
                differ_grip(&s, x, past == 1, by, wanted);
                push_grip(&s, x, past == 1, &before, by, found);
                int count = 2 * N + 2 * s.work.contacts.count;
                double size = 1, off = 0;
                for (int i = 0; i < count; i++) size = fmax(size, fabs(wanted[i]));
                for (int i = 0; i < count; i++) off = fmax(off, fabs(found[i] - wanted[i]) / size);
                if (off > 1e-8 && is_double) printf("    column %d off by %g\n", by, off);
                worst = fmax(worst, off);
            }
            printf("    grip, integrator %d, past %d: %d contacts, columns off by %.2g\n", integrator, past,
                   s.work.contacts.count, worst);
            CHECK(s.work.contacts.count >= 3);
            CHECK(worst <= (is_double ? 1e-8 : 0.2));
            check_grip_matrices(&s, x, past == 1, &before);
        }
}

// ---- a run back and forth

enum { STEPS = 120 };

static tact_real grip_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {
    (void)context, (void)contacts, (void)lambda_bar;
    tact_real sum = 0;
    for (int i = 0; q_bar && k == STEPS && i < N; i++) q_bar[i] += (tact_real)(1 + i) / N;
    for (int i = 0; k == STEPS && i < N; i++) sum += (tact_real)(1 + i) / N * state->q[i] + (tact_real)(i - 2) / N * state->v[i];
    return sum;
}

static void grip_loss_by_v(void *context, int k, const tact_state *state, tact_real *v_bar) {
    (void)context, (void)state;
    for (int i = 0; k == STEPS && i < N; i++) v_bar[i] += (tact_real)(i - 2) / N;
}

enum { CARRIED = 2 * N + 4 + PARAMETERS };

static void carry_grip(virtual_scene *s, const tact_real *u, double *slope) {
    static tact_real x[CARRIED][4 * N];
    static unsigned char memory[1 << 12];
    tact_state before;
    tact_state_init(&before, &s->model, memory, sizeof memory);
    tact_state_reset(&s->state, &s->model);
    memset(x, 0, sizeof x);
    for (int c = 0; c < 2 * N; c++) x[c][c] = 1;
    for (int k = 0; k < STEPS; k++) {
        tact_state_copy(&before, &s->state, &s->model);
        CHECK_INT(virtual_go(s, u + 4 * k, NULL), TACT_CONVERGED);
        tact_input input = {.u = u + 4 * k};
        for (int c = 0; c < CARRIED; c++) {
            tact_real unit[4] = {0}, next[2 * N];
            if (c >= 2 * N && c < 2 * N + 4) unit[c - 2 * N] = 1;
            tact_virtual_change change = {.q = x[c], .v = x[c] + N, .q_past = x[c] + 2 * N, .v_past = x[c] + 3 * N};
            if (k == 0) change.u = unit;
            if (c >= 2 * N + 4) change.parameter = &grip_parameters[c - 2 * N - 4];
            tact_virtual_effect effect = {next, next + N, NULL};
            tact_virtual_differentiate(&s->model, &s->options, &input, &before, &s->work, &change, &effect);
            for (int i = 0; i < 2 * N; i++) {
                x[c][2 * N + i] = x[c][i];
                x[c][i] = next[i];
            }
        }
    }
    for (int c = 0; c < CARRIED; c++) {
        slope[c] = 0;
        for (int i = 0; i < N; i++) slope[c] += (1 + i) / (double)N * (double)x[c][i] + (i - 2) / (double)N * (double)x[c][N + i];
    }
}

static void test_adjoint(void) {
    static virtual_scene s;
    static tact_real u[4 * STEPS], by_q[N], by_v[N], by_u[4 * STEPS], by_parameter[PARAMETERS];
    for (int k = 0; k < STEPS; k++) {
        u[4 * k] = TACT_REAL(0.15);
        u[4 * k + 1] = TACT_REAL(0.05);
        u[4 * k + 2] = (tact_real)(-0.4 * sin(0.03 * k));
        u[4 * k + 3] = TACT_REAL(0.3);
    }
    for (int integrator = 0; integrator < 3; integrator++) {
        double forwards[CARRIED], size = 1, worst = 0;
        make_grip(&s, integrator);
        s.options.dt = TACT_REAL(0.002);
        carry_grip(&s, u, forwards);
        size_t bytes = tact_rollout_size(&s.model, STEPS, STEPS / 4);
        void *memory = malloc(bytes);
        tact_rollout_work work;
        CHECK_INT(tact_rollout_init(&work, &s.model, STEPS, memory, bytes), TACT_CONVERGED);
        tact_rollout rollout = {.steps = STEPS, .u = u, .loss = grip_loss, .loss_by_v = grip_loss_by_v};
        tact_rollout_slope slope = {.q = by_q,
                                    .u = by_u,
                                    .v = by_v,
                                    .nparameter = PARAMETERS,
                                    .parameter = grip_parameters,
                                    .by_parameter = by_parameter};
        tact_state_reset(&s.state, &s.model);
        tact_rollout_result result = tact_rollout_gradient(&s.model, &s.options, &rollout, &s.state, &work, &slope);
        CHECK_INT(result.status, TACT_CONVERGED);
        for (int c = 0; c < CARRIED; c++) size = fmax(size, fabs(forwards[c]));
        for (int c = 0; c < CARRIED; c++) {
            double back = (double)(c < N           ? by_q[c]
                                   : c < 2 * N     ? by_v[c - N]
                                   : c < 2 * N + 4 ? by_u[c - 2 * N]
                                                   : by_parameter[c - 2 * N - 4]);
            worst = fmax(worst, fabs(back - forwards[c]) / size);
        }
        printf("    integrator %d: back against forth %.2g\n", integrator, worst);
        CHECK(worst <= (is_double ? 1e-12 : 1e-2));
        free(memory);
    }
}

int main(void) {
    test_finger();
    test_trees();
    test_energy();
    test_ring();
    test_columns();
    test_adjoint();
    return test_end("virtual_chain");
}
