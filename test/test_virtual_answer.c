// SPDX-License-Identifier: MIT
// What a step of the virtual law reports is of its answer: forces balance the change of momentum to rounding, also far from the
// origin, and the decrement is the residual of the equations of motion there, whatever the tolerance was.
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;
static uint64_t seed;

static double any(double low, double high) {
    return test_random(&seed, low, high);
}

// a disc or a hexagon that slides and turns on the ground
static void make_slider(virtual_scene *s, double x, bool corners) {
    virtual_begin(s);
    int body = virtual_add_body(s, TACT_JOINT_PLANAR, any(0.5, 2), any(0.01, 0.05));
    int shape =
        corners ? virtual_add_polygon(s, body, 6, 0.2, any(0, 1)) : virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 0.2, 0, 0);
    virtual_add_pair(s, shape, virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), any(0.1, 0.9));
    s->q0[0] = (tact_real)x;
    s->q0[1] = TACT_REAL(0.205);
    s->v0[0] = (tact_real)any(-1, 1);
    s->v0[1] = (tact_real)any(-2, 0);
    s->v0[2] = (tact_real)any(-1, 1);
    s->options.dt = (tact_real)(is_double ? 1e-3 : 1e-2);
    s->options.gravity = tact_vec3_make(0, TACT_REAL(-9.81), 0);
    s->options.kn = (tact_real)(is_double ? 1e6 : 1e4);
    s->options.kd = (tact_real)(is_double ? 1e5 : 1e2);
    s->options.kt = (tact_real)(is_double ? 1e4 : 1e2);
    s->options.temperature = TACT_REAL(0.003);
    virtual_end(s);
}

// How far the reported force is from the change of momentum less the weight, over the forces that the rounding of q makes.
static double momentum_off(const virtual_scene *s, const tact_real *v1, const tact_real *v0) {
    double h = (double)s->options.dt, m = (double)s->body[0].mass, off = 0, size = 1, force = 0;
    bool two = s->options.integrator == TACT_INTEGRATOR_BDF2;
    for (int i = 0; i < 3; i++) size = fmax(size, fabs((double)s->state.q[i]));
    for (int k = 0; k < 2; k++) {
        double v2 = (double)s->state.v[k], change = two ? 1.5 * v2 - 2 * (double)v1[k] + (double)v0[k] / 2 : v2 - (double)v1[k];
        double left = m * change / h + (k == 1 ? 9.81 * m : 0);
        for (int c = 0; c < s->work.contacts.count; c++) {
            tact_vec3 f = s->work.contacts.contact[c].force;
            left += (double)(k == 0 ? f.x : f.y);
            force = fmax(force, fabs((double)(k == 0 ? f.x : f.y)));
        }
        off = fmax(off, fabs(left));
    }
    double stiff = m / (h * h) + ((double)s->options.kt + 0.01 * (double)s->options.kd) / h + (double)s->options.kn;
    return off / ((double)TACT_EPS * (size * stiff + force));
}

static void test_momentum(void) {
    static const double place[] = {0, 1, 1000};
    static virtual_scene s;
    double worst = 0;
    for (int round = 0; round < 3 * 3 * 4 * 3 * 2 * 2; round++) {
        make_slider(&s, place[round % 3], round / 144 % 2);
        s.options.integrator = (tact_integrator)(round / 3 % 3);
        s.options.penalty = (tact_penalty)(round / 9 % 4);
        s.options.friction = (tact_friction)(round / 36 % 3);
        s.options.damping = (tact_damping)(round / 216 % 2);
        tact_real v0[3] = {0}, v1[3] = {0};
        for (int k = 0; k < 120; k++) {
            memcpy(v0, v1, sizeof v0);
            memcpy(v1, s.state.v, sizeof v1);
            if (virtual_go(&s, NULL, NULL) != TACT_CONVERGED) continue;
            // the first step under bdf2 has other stages
            if (k == 0 && s.options.integrator == TACT_INTEGRATOR_BDF2) continue;
            worst = fmax(worst, momentum_off(&s, v1, v0));
        }
    }
    printf("    forces are off the change of momentum by %.1f roundings\n", worst);
    CHECK(worst <= 32);
}

// the same answer has the same decrement
static void test_tolerance(void) {
    static virtual_scene loose, tight;
    int same = 0;
    for (int round = 0; round < 200; round++) {
        uint64_t begin = seed;
        make_slider(&loose, 0, round % 2);
        seed = begin;
        make_slider(&tight, 0, round % 2);
        loose.options.tolerance = (tact_real)(is_double ? 1e-6 : 1e-3);
        tight.options.tolerance = (tact_real)(is_double ? 1e-9 : 1e-4);
        for (int k = 0; k < 10; k++) {
            CHECK_INT(virtual_go(&loose, NULL, NULL), TACT_CONVERGED);
            CHECK_INT(virtual_go(&tight, NULL, NULL), TACT_CONVERGED);
            if (memcmp(loose.state.q, tight.state.q, 3 * sizeof(tact_real)) != 0) break;
            // to the rounding of the forces, which count against the mass
            double h = (double)loose.options.dt, m = (double)loose.body[0].mass, share = 9.81 * h * h;
            double stiff = 1 + (h * h * 1.01 * (double)loose.options.kn + h * (double)loose.options.kt) / m;
            double rounding = 16 * (double)TACT_EPS * stiff / share;
            CHECK_CLOSE(loose.work.decrement, tight.work.decrement, rounding);
            same++;
        }
    }
    CHECK(same > 100);
}

// A ball on the ground that a budget of one or two factorisations leaves: |r|/m as a share of its way.
static void test_residual(void) {
    static virtual_scene s;
    int left = 0;
    for (int round = 0; round < 200; round++) {
        make_slider(&s, 0, false);
        s.options.friction = TACT_FRICTION_NONE;
        s.options.kd = 0;
        s.options.max_iterations = 1 + round % 2;
        s.v0[0] = s.v0[2] = 0;
        s.v0[1] = (tact_real)any(-5, -3);
        tact_state_reset(&s.state, &s.model);
        for (int k = 0; k < 5; k++) {
            double y = (double)s.state.q[1], v = (double)s.state.v[1], h = (double)s.options.dt, m = (double)s.body[0].mass;
            if (virtual_go(&s, NULL, NULL) == TACT_CONVERGED || s.work.contacts.count == 0) continue;
            const tact_contact *contact = &s.work.contacts.contact[0];
            double way = (double)s.state.q[1] - y;
            double r = m * (way - h * v) - h * h * (-(double)contact->force.y - 9.81 * m);
            double wanted = fabs(r) / m / fmax(fabs(way), 9.81 * h * h);
            CHECK_CLOSE(s.work.decrement, wanted, wanted * (is_double ? 1e-6 : 1e-2) + (is_double ? 1e-10 : 1e-3));
            left += wanted > (is_double ? 1e-8 : 1e-3);
        }
    }
    CHECK(left > 20);
}

int main(void) {
    seed = test_seed(20261124);
    test_momentum();
    test_tolerance();
    test_residual();
    return test_end("virtual_answer");
}
