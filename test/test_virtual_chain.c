// SPDX-License-Identifier: MIT
// Chains of the virtual law whose mass matrix changes with the pose: a two-hinge finger that pushes a disc against its equations
// written out and integrated by tiny steps; trees of random joints against the mass matrix and bias of three dimensions, their
// slopes against differences; energy; pairs that come in late. Derivatives with contacts: test_virtual_chain_deriv.c.
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

static tact_vec3 random_place(uint64_t *seed, double far) {
    double x = test_random(seed, -far, far);
    return tact_vec3_make((tact_real)x, (tact_real)test_random(seed, -far, far), 0);
}

static void make_tree(virtual_scene *s, uint64_t *seed) {
    static const tact_joint_type types[4] = {TACT_JOINT_CONTINUOUS, TACT_JOINT_PRISMATIC, TACT_JOINT_CONTINUOUS,
                                             TACT_JOINT_PLANAR};
    virtual_begin(s);
    for (int b = 0; b < 5; b++) {
        tact_joint_type type = types[test_random_bits(seed) % (b == 0 ? 4 : 3)];
        double mass = test_random(seed, 0.2, 1), way = test_random(seed, 0, 6);
        int body = virtual_add_body(s, type, mass, test_random(seed, 0.01, 0.1));
        tact_body *own = &s->body[body];
        if (type == TACT_JOINT_CONTINUOUS && test_random_bits(seed) % 2) own->axis.z = -1;
        if (type == TACT_JOINT_PRISMATIC) own->axis = tact_vec3_make((tact_real)cos(way), (tact_real)sin(way), 0);
        own->parent = b == 0 ? TACT_WORLD : (int)(test_random_bits(seed) % (uint64_t)b);
        own->place.p = random_place(seed, 0.5);
        own->com = random_place(seed, 0.3);
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
        wrench[pushed].force = random_place(&seed, 3);
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

static void step_tree(virtual_scene *s, const tact_real *x, tact_real *out) {
    int nv = s->model.nv;
    tact_state_reset(&s->state, &s->model);
    for (int i = 0; i < nv; i++) {
        s->state.q[i] = x[i];
        s->state.v[i] = x[nv + i];
    }
    CHECK_INT(virtual_go(s, NULL, NULL), TACT_CONVERGED);
    for (int i = 0; i < nv; i++) {
        out[i] = s->state.q[i];
        out[nv + i] = s->state.v[i];
    }
}

// branches and joints that follow others: the step's matrices against differences
static void test_tree_slopes(void) {
    static virtual_scene s;
    static unsigned char memory[1 << 12];
    static tact_real matrix[4][16 * 16], scratch[200];
    uint64_t seed = test_seed(20261123);
    double worst = 0;
    for (int round = 0; round < 30; round++) {
        make_tree(&s, &seed);
        s.options.integrator = round % 2 ? TACT_INTEGRATOR_MIDPOINT : TACT_INTEGRATOR_BDF1;
        s.options.dt = TACT_REAL(0.01);
        int nv = s.model.nv;
        tact_real x[32], up[32], down[32];
        tact_state before;
        for (int i = 0; i < nv; i++) {
            x[i] = s.state.q[i];
            x[nv + i] = s.state.v[i];
        }
        tact_state_init(&before, &s.model, memory, sizeof memory);
        step_tree(&s, x, up);
        tact_virtual_jacobians jacobians = {.q_q = matrix[0], .q_v = matrix[1], .v_q = matrix[2], .v_v = matrix[3]};
        tact_input input = {.u = NULL};
        CHECK_INT(tact_virtual_matrices(&s.model, &s.options, &input, &before, &s.work, &jacobians, scratch), TACT_CONVERGED);
        for (int by = 0; by < 2 * nv; by++) {
            double h = is_double ? 2e-4 : 1e-2, slope[2][32], size = 1;
            tact_real kept = x[by];
            for (int k = 0; k < 2; k++, h /= 2) {
                x[by] = kept + (tact_real)h;
                step_tree(&s, x, up);
                x[by] = kept - (tact_real)h;
                step_tree(&s, x, down);
                x[by] = kept;
                for (int i = 0; i < 2 * nv; i++) slope[k][i] = ((double)up[i] - (double)down[i]) / (2 * h);
            }
            for (int i = 0; i < 2 * nv; i++) {
                double wanted = (4 * slope[1][i] - slope[0][i]) / 3;
                size = fmax(size, fabs(wanted));
                int which = (i >= nv ? 2 : 0) + (by >= nv ? 1 : 0);
                double got = (double)matrix[which][(i % nv) * nv + by % nv];
                worst = fmax(worst, fabs(got - wanted) / size);
            }
        }
    }
    printf("    trees: columns off by %.2g\n", worst);
    CHECK(worst <= (is_double ? 1e-8 : 0.1));
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
    CHECK_INT(tact_model_prepare(&s->model, &arena), TACT_CONVERGED);
    // as it stands, without the pairs
    tact_state begun = s->state;
    size_t size = tact_state_size(&s->model);
    CHECK_INT(tact_state_init(&s->state, &s->model, tact_arena_take(&arena, size, 1), size), TACT_CONVERGED);
    for (int i = 0; i < s->model.nq; i++) s->state.q[i] = begun.q[i];
    for (int i = 0; i < s->model.nv; i++) s->state.v[i] = begun.v[i];
    CHECK_INT(tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]), TACT_CONVERGED);
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

int main(void) {
    test_finger();
    test_trees();
    test_tree_slopes();
    test_energy();
    test_ring();
    return test_end("virtual_chain");
}
