// SPDX-License-Identifier: MIT
// The virtual law's forces and steps: golden figures of others' programs, closed forms, conservation.
#include "law/virtual_force.h"
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;

// derivatives of g_a(d) against differences, and its limit
static void test_soften(void) {
    double step = is_double ? 1e-6 : 1e-2, tight = is_double ? 1e-8 : 2e-3;
    for (int penalty = 0; penalty < 4; penalty++)
        for (int i = -40; i <= 40; i++) {
            tact_real a = TACT_REAL(0.5), d = (tact_real)(0.1 * i + 0.013), h = (tact_real)step;
            tact_penalty p = (tact_penalty)penalty;
            tact_soft_depth g = tact_soften(p, d, a), up = tact_soften(p, d + h, a), down = tact_soften(p, d - h, a);
            tact_soft_depth more = tact_soften(p, d, a + h), less = tact_soften(p, d, a - h);
            double at = (double)((d + h) - (d - h)), by = (double)((a + h) - (a - h));
            CHECK_CLOSE((double)(up.value - down.value) / at, g.slope, tight);
            CHECK_CLOSE((double)(up.slope - down.slope) / at, g.curve, tight);
            CHECK_CLOSE((double)(more.value - less.value) / by, g.by_a, tight);
            CHECK_CLOSE((double)(more.slope - less.slope) / by, g.slope_by_a, tight);
            tact_soft_depth hard = tact_soften(p, d, 0), cold = tact_soften(p, d, TACT_REAL(1e-5));
            CHECK_CLOSE(hard.value, d > 0 ? d : 0, 0);
            CHECK_CLOSE(cold.value, hard.value, 2e-5);
        }
}

// math-virtual: the lift of one body off a plane, by four temperatures
static void make_lift(virtual_scene *s, double a, double mu, int sides) {
    virtual_begin(s);
    int body = virtual_add_body(s, TACT_JOINT_PLANAR, 0.1, 0.1);
    int ground = virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0);
    double pi = 3.14159265358979323846;
    int shape = sides ? virtual_add_polygon(s, body, sides, 1.5, 0) : virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 1.5, 0, 0);
    virtual_add_pair(s, shape, ground, mu);
    s->q0[1] = (tact_real)(sides ? 1.5 * cos(pi / 6) : 1.5);
    s->options.dt = TACT_REAL(1) / 60;
    s->options.gravity = tact_vec3_make(0, TACT_REAL(-9.81), 0);
    s->options.temperature = (tact_real)a;
    s->options.penalty = TACT_PENALTY_EXP;
    virtual_end(s);
}

static tact_wrench lift_force(int k) {
    return (tact_wrench){.force = {0, (tact_real)(0.1 * 15 * k / 129.0), 0}};
}

static double lift_slope(virtual_scene *s, const tact_state *before, const tact_wrench *wrench) {
    tact_real q_f[9], scratch[16];
    tact_input input = {.wrench = wrench};
    tact_virtual_jacobians jacobians = {.q_f = q_f};
    CHECK_INT(tact_virtual_matrices(&s->model, &s->options, &input, before, &s->work, &jacobians, scratch), TACT_CONVERGED);
    return (double)q_f[4];
}

static void test_lift(void) {
    static virtual_scene s;
    static const double golden[4][5] = {{0, .512023844961, 1.974593023256, 7.3529411765e-4, 7.3529411765e-4},
                                        {.0005, .524219635502, 1.988673782600, 7.3529411765e-4, 1.2327028242e-3},
                                        {.001, .533393842601, 1.998123626602, 7.4291147863e-4, 1.7064107341e-3},
                                        {.005, .591227194566, 2.048362088080, 1.2064579360e-3, 2.4643575532e-3}};
    unsigned char memory[1 << 12];
    double tight = is_double ? 5e-13 : 2e-4;
    for (int i = 0; i < 4; i++)
        for (int sides = 0; sides <= 6; sides += 6) {
            tact_state before;
            int most = 0;
            make_lift(&s, golden[i][0], sides ? 0.5 : 0, sides);
            tact_state_init(&before, &s.model, memory, sizeof memory);
            for (int k = 0; k < 130; k++) {
                tact_wrench wrench = lift_force(k);
                tact_state_copy(&before, &s.state, &s.model);
                CHECK_INT(virtual_go(&s, NULL, &wrench), TACT_CONVERGED);
                if (s.work.iterations > most) most = s.work.iterations;
                if (k == 0) CHECK_CLOSE(lift_slope(&s, &before, &wrench) * 1e3, golden[i][3] * 1e3, is_double ? 5e-11 : 1e-3);
                if (k == 65) CHECK_CLOSE(lift_slope(&s, &before, &wrench) * 1e3, golden[i][4] * 1e3, is_double ? 5e-11 : 1e-2);
            }
            CHECK_CLOSE(s.state.q[1] - s.q0[1], golden[i][1], tight);
            CHECK_CLOSE(s.state.v[1], golden[i][2], tight);
            // friction without a sideways push does nothing
            CHECK_CLOSE(s.state.q[0], 0, is_double ? 1e-15 : 1e-6);
            CHECK(most <= 4 || !is_double);
        }
}

static double energy(const virtual_scene *s) {
    double sum = 0;
    for (int b = 0; b < s->model.nbody; b++) {
        const tact_real *v = s->state.v + 3 * b;
        double m = (double)s->body[b].mass, I = (double)s->body[b].inertia[2];
        sum += m * (double)(v[0] * v[0] + v[1] * v[1]) / 2 + I * (double)(v[2] * v[2]) / 2;
        sum -= m * (double)(s->options.gravity.y * s->state.q[3 * b + 1]);
    }
    return sum;
}

// RedMax: free flight of a box
static void test_redmax_flight(void) {
    static virtual_scene s;
    static const double golden[2] = {2.0322933333333378e+04, 2.1283333333333332e+04};
    for (int i = 0; i < 2; i++) {
        virtual_begin(&s);
        virtual_add_body(&s, TACT_JOINT_PLANAR, 1, 1.0 / 6);
        s.q0[0] = s.q0[1] = -10;
        s.v0[0] = 50;
        s.v0[1] = 200;
        s.v0[2] = 20;
        s.options.dt = TACT_REAL(5e-3);
        s.options.gravity.y = -980;
        s.options.integrator = i == 0 ? TACT_INTEGRATOR_BDF1 : TACT_INTEGRATOR_BDF2;
        virtual_end(&s);
        // V0 is that of the start
        double potential = 980 * (double)s.q0[1];
        for (int k = 0; k < 80; k++) CHECK_INT(virtual_go(&s, NULL, NULL), TACT_CONVERGED);
        CHECK_CLOSE(energy(&s) - potential, golden[i], is_double ? 1e-12 : 1e-3);
    }
}

// RedMax: a box falls on its corners, each counted twice, under the unclamped force
static void test_redmax_ground(void) {
    static virtual_scene s;
    virtual_begin(&s);
    int body = virtual_add_body(&s, TACT_JOINT_PLANAR, 3, 3 * (9 + 1) / 12.0);
    int ground = virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0);
    for (int k = 0; k < 4; k++) {
        int corner = virtual_add_shape(&s, body, TACT_SHAPE_CIRCLE, 0, 0, 0);
        s.shape[corner].place.p =
            tact_vec3_make(k % 2 ? TACT_REAL(1.5) : TACT_REAL(-1.5), k / 2 ? TACT_REAL(0.5) : TACT_REAL(-0.5), 0);
        virtual_add_pair(&s, corner, ground, 0.5);
    }
    s.q0[0] = -1;
    s.q0[1] = 2;
    s.v0[0] = 5;
    s.v0[1] = 70;
    s.v0[2] = 2;
    s.options.dt = TACT_REAL(5e-4);
    s.options.gravity.y = -980;
    s.options.kn = 2 * 100000;
    s.options.kd = 2 * 30;
    s.options.kt = 2 * 100;
    s.options.damping = TACT_DAMPING_SUM;
    virtual_end(&s);
    double potential = 3 * 980 * (double)s.q0[1];
    for (int k = 0; k < 1200; k++) CHECK_INT(virtual_go(&s, NULL, NULL), TACT_CONVERGED);
    double sum = energy(&s) - potential;
    for (int i = 0; i < s.work.contacts.count; i++) {
        double d = -(double)s.work.contacts.contact[i].gap;
        if (d > 0) sum += 0.5 * 2e5 * d * d;
    }
    CHECK_CLOSE(sum, -4.4208045000000002e+03, is_double ? 1e-12 : 1e-2);
}

// free bodies that collide with friction: nothing from outside
static void test_momentum(void) {
    static virtual_scene s;
    for (int integrator = 0; integrator < 3; integrator++) {
        double P[3] = {0, 0, 0}, Q[3] = {0, 0, 0};
        virtual_begin(&s);
        for (int b = 0; b < 4; b++) {
            double m = 0.5 + 0.3 * b;
            int body = virtual_add_body(&s, TACT_JOINT_PLANAR, m, 0.02 + 0.01 * b);
            int shape = b % 2 ? virtual_add_polygon(&s, body, 3 + b, 0.2, 0.3 * b)
                              : virtual_add_shape(&s, body, TACT_SHAPE_RECTANGLE, 0.2, 0.15, 0.02);
            for (int other = 0; other < shape; other++) virtual_add_pair(&s, other, shape, 0.4);
            s.q0[3 * b] = (tact_real)(0.5 * b);
            s.q0[3 * b + 1] = (tact_real)(0.03 * b);
            s.q0[3 * b + 2] = (tact_real)(0.4 * b);
            s.v0[3 * b] = (tact_real)(2 - b);
            s.v0[3 * b + 2] = (tact_real)(b - 1);
        }
        s.options.dt = TACT_REAL(2e-3);
        s.options.kn = 2000;
        s.options.kt = 20;
        s.options.kd = 10;
        s.options.temperature = TACT_REAL(2e-3);
        s.options.penalty = TACT_PENALTY_SOFTPLUS;
        s.options.integrator = (tact_integrator)integrator;
        virtual_end(&s);
        double touched = 0;
        for (int k = 0; k <= 400; k++) {
            double *M = k == 0 ? P : Q;
            if (k > 0) CHECK_INT(virtual_go(&s, NULL, NULL), TACT_CONVERGED);
            touched += (double)s.work.contacts.count;
            M[0] = M[1] = M[2] = 0;
            for (int b = 0; b < 4; b++) {
                const tact_real *q = s.state.q + 3 * b, *v = s.state.v + 3 * b;
                double m = (double)s.body[b].mass;
                M[0] += m * (double)v[0];
                M[1] += m * (double)v[1];
                M[2] += m * (double)(q[0] * v[1] - q[1] * v[0]) + (double)(s.body[b].inertia[2] * v[2]);
            }
            // of a bent path only the midpoint keeps the moment of the momentum
            bool exact = integrator == TACT_INTEGRATOR_MIDPOINT;
            for (int i = 0; i < (exact ? 3 : 2); i++) CHECK_CLOSE(M[i], P[i], is_double ? 1e-11 : 2e-2);
            if (!exact) CHECK_CLOSE(M[2], P[2], 0.05);
        }
        CHECK(touched > 50);
    }
}

static void test_anneal(void) {
    static const double wanted[] = {0.1, 0.01, 0.001};
    for (int k = 0; k < 3; k++)
        CHECK_CLOSE(tact_virtual_anneal(TACT_REAL(0.1), TACT_REAL(0.001), k, 3), wanted[k], 100 * (double)TACT_EPS);
    CHECK_CLOSE(tact_virtual_anneal(TACT_REAL(0.1), 0, 1, 4), 0.01, 100 * (double)TACT_EPS);
    CHECK(tact_virtual_anneal(TACT_REAL(0.1), 0, 3, 4) == 0);
    CHECK(tact_virtual_anneal(TACT_REAL(0.1), TACT_REAL(0.001), 0, 1) == TACT_REAL(0.001));
    CHECK(tact_virtual_anneal(TACT_REAL(0.1), TACT_REAL(0.001), 5, 5) == TACT_REAL(0.001));
    // without a temperature at first there is none on the way
    for (int k = 0; k < 4; k++) CHECK(tact_virtual_anneal(0, TACT_REAL(0.001), k, 4) == TACT_REAL(0.001));
}

// a motion beyond the library's numbers has no answer; a model that the law cannot step is refused by name
static void test_refused(void) {
    static virtual_scene s;
    for (int integrator = 0; integrator < 3; integrator++) {
        make_lift(&s, 0.001, 0.5, 0);
        s.options.integrator = (tact_integrator)integrator;
        s.state.v[0] = TACT_REAL(1e9);
        CHECK_INT(virtual_go(&s, NULL, NULL), TACT_SINGULAR);
        CHECK(s.state.q[0] == 0 && s.state.v[0] == TACT_REAL(1e9) && s.state.time == 0);
    }
    make_lift(&s, 0.001, 0.5, 0);
    s.body[0].mass = 0;
    CHECK_INT(tact_work_init(&s.work, &s.model, s.memory[2], sizeof s.memory[2]), TACT_CONVERGED);
    CHECK_INT(virtual_go(&s, NULL, NULL), TACT_BAD_INPUT);
    CHECK_TEXT(s.work.fault.field, "body.mass");
    CHECK_INT(s.work.fault.index, 0);
    // the mass of another body is no help, that of one it carries is
    for (int carries = 0; carries < 2; carries++) {
        virtual_begin(&s);
        virtual_add_body(&s, TACT_JOINT_PLANAR, 1, 1);
        virtual_add_body(&s, carries ? TACT_JOINT_REVOLUTE : TACT_JOINT_PLANAR, 1, 1);
        if (carries) s.body[1].parent = 0;
        virtual_end(&s);
        s.body[0].mass = 0;
        CHECK_INT(tact_work_init(&s.work, &s.model, s.memory[2], sizeof s.memory[2]), TACT_CONVERGED);
        CHECK_INT(virtual_go(&s, NULL, NULL), carries ? TACT_CONVERGED : TACT_BAD_INPUT);
    }
}

// The margin in force, which a trace's header and `tact check` tell, gives the bits of the automatic one when it is given: on the
// ground and above it.
static void test_margin(void) {
    static virtual_scene s[2];
    for (int k = 0; k < 4 * 2 * 2; k++) {
        for (int given = 0; given < 2; given++) {
            make_lift(&s[given], k & 1 ? 0.05 : 0.001, 0.5, 6);
            s[given].state.q[1] += k & 2 ? TACT_REAL(0.5) : 0;
            s[given].options.penalty = (tact_penalty)(k >> 2);
            if (given) s[1].options.margin = tact_margin(&s[0].model, &s[0].options);
        }
        CHECK(s[0].options.margin == TACT_MARGIN_AUTO && s[1].options.margin >= 0);
        for (int step = 0; step < 10; step++) {
            for (int given = 0; given < 2; given++) CHECK_INT(virtual_go(&s[given], NULL, NULL), TACT_CONVERGED);
            int count = s[0].work.contacts.count;
            CHECK_INT(s[1].work.contacts.count, count);
            const tact_contact *a = s[0].work.contacts.contact, *b = s[1].work.contacts.contact;
            CHECK(count == 0 || (a->gap == b->gap && memcmp(a->lambda, b->lambda, sizeof a->lambda) == 0));
            CHECK(memcmp(s[0].state.q, s[1].state.q, 3 * sizeof(tact_real)) == 0);
        }
    }
    s[0].model.law = NULL;
    CHECK(tact_margin(&s[0].model, &s[0].options) > 0);
}

// Driven bodies without mass. A slide: K (u - q) = D q'. An arm whose centre of mass, at l, is pushed inwards by a force F that
// keeps its direction: K (u - q) + F l sin q = 0, with a slope that vanishes at q = 0 for F l = K, where there is no answer, and
// is positive beyond it.
static void test_massless(void) {
    static virtual_scene s;
    double h = 0.01, u = 0.3;
    for (int turns = 0; turns < 2; turns++)
        for (int push = 0; push <= 2 * turns; push++) {
            virtual_begin(&s);
            virtual_add_body(&s, turns ? TACT_JOINT_REVOLUTE : TACT_JOINT_PRISMATIC, 0, 0);
            virtual_add_shape(&s, virtual_add_body(&s, TACT_JOINT_PLANAR, 1, 1), TACT_SHAPE_CIRCLE, 0.1, 0, 0);
            if (turns) s.body[0].com = tact_vec3_make(TACT_REAL(0.5), 0, 0);
            if (!turns) s.body[0].axis = tact_vec3_make(1, 0, 0);
            s.dof[0].stiffness = 100;
            s.dof[0].damping = turns ? 0 : 2;
            s.options.dt = (tact_real)h;
            virtual_end(&s);
            double F = -200 * push, q = 0;
            tact_real command = push ? 0 : (tact_real)u;
            tact_wrench wrench[2] = {{.force = {(tact_real)F, 0, 0}}};
            for (int k = 0; k < 5; k++) {
                CHECK_INT(virtual_go(&s, &command, wrench), push == 1 ? TACT_SINGULAR : TACT_CONVERGED);
                // K (u - q1) = D (q1 - q)/h
                q = turns ? (push ? 0 : u) : (100 * u + 2 / h * q) / (100 + 2 / h);
                CHECK_CLOSE(s.state.q[0], q, sizeof(tact_real) == 8 ? 1e-13 : 1e-6);
            }
        }
}

int main(void) {
    test_refused();
    test_massless();
    test_margin();
    test_soften();
    test_anneal();
    test_lift();
    test_redmax_flight();
    test_redmax_ground();
    test_momentum();
    return test_end("virtual");
}
