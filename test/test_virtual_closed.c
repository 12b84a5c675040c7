// SPDX-License-Identifier: MIT
// The virtual law against closed forms, once more: limits of joints, a pendulum, bounces in their time, a disc that slides and
// then rolls, an oblique impact with all its slopes, balls in a row. Slopes are carried forwards through all steps.
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;

enum { MOST = 15 };

// A scene and what a unit of its start makes of its state.
typedef struct {
    virtual_scene *s;
    tact_real dq[MOST], dv[MOST];
} journey;

// So many steps; with slopes the tangent goes along.
static void travel(journey *j, int steps, bool slopes) {
    static unsigned char memory[1 << 14];
    virtual_scene *s = j->s;
    tact_state before;
    tact_input input = {0};
    CHECK_INT(tact_state_init(&before, &s->model, memory, sizeof memory), TACT_CONVERGED);
    for (int k = 0; k < steps; k++) {
        tact_real q[MOST], v[MOST];
        tact_state_copy(&before, &s->state, &s->model);
        CHECK_INT(virtual_go(s, NULL, NULL), TACT_CONVERGED);
        if (!slopes) continue;
        tact_virtual_change change = {.q = j->dq, .v = j->dv};
        tact_virtual_effect effect = {q, v, NULL};
        CHECK_INT(tact_virtual_differentiate(&s->model, &s->options, &input, &before, &s->work, &change, &effect),
                  TACT_CONVERGED);
        memcpy(j->dq, q, sizeof j->dq);
        memcpy(j->dv, v, sizeof j->dv);
    }
}

static journey begin_journey(virtual_scene *s, int q, int v) {
    journey j = {.s = s};
    if (q >= 0) j.dq[q] = 1;
    if (v >= 0) j.dv[v] = 1;
    tact_state_reset(&s->state, &s->model);
    return j;
}

static void make_slider(virtual_scene *s, double kd) {
    virtual_begin(s);
    int slider = virtual_add_body(s, TACT_JOINT_PRISMATIC, 0.5, 0);
    s->body[slider].axis = tact_vec3_make(0, 1, 0);
    s->dof[0].lower = TACT_REAL(-0.1);
    s->dof[0].upper = TACT_REAL(0.1);
    s->options.kn = 2000;
    s->options.kd = (tact_real)kd;
    s->options.integrator = TACT_INTEGRATOR_MIDPOINT;
}

// It hangs in its limit by m g / kn; without limits it falls.
static void test_rest_on_limit(void) {
    static virtual_scene s;
    make_slider(&s, 20000);
    s.options.gravity.y = TACT_REAL(-9.81);
    s.options.dt = TACT_REAL(0.005);
    virtual_end(&s);
    journey j = begin_journey(&s, -1, -1);
    travel(&j, 2000, false);
    CHECK_CLOSE(s.state.q[0], -0.1 - 0.5 * 9.81 / 2000, is_double ? 1e-9 : 1e-5);
    s.options.limits = false;
    tact_state_reset(&s.state, &s.model);
    travel(&j, 200, false);
    CHECK_CLOSE(s.state.q[0], -0.5 * 9.81, is_double ? 1e-9 : 1e-3);
}

// Between both limits, without loss: in a spring for half its period, pi sqrt(m/k), and back with the same speed.
static void test_bounce_off_limit(void) {
    static virtual_scene s;
    make_slider(&s, 0);
    s.options.dt = TACT_REAL(2e-4);
    s.v0[0] = 1;
    virtual_end(&s);
    journey j = begin_journey(&s, -1, -1);
    double inside = 3.14159265358979 * sqrt(0.5 / 2000), T = 0.4;
    travel(&j, 2000, false);
    // up to 0.1, back through -0.1, and on
    double x = -0.1 + (T - 0.1 - inside - 0.2 - inside) * 1;
    CHECK_CLOSE(s.state.q[0], x, 1e-3);
    CHECK_CLOSE(s.state.v[0], 1, is_double ? 1e-3 : 1e-2);
}

static void swing(double t, const double *y, double *dy) {
    (void)t;
    // a rod of 0.4 m about its end, against a spring of 50 N m per rad at 0.3
    double I = 0.3 * 0.2 * 0.2 + 0.004, torque = -0.3 * 9.81 * 0.2 * sin(y[0]);
    if (y[0] > 0.3) torque -= 50 * (y[0] - 0.3);
    dy[0] = y[1];
    dy[1] = torque / I;
}

// A pendulum with a limit, against Runge and Kutta's method.
static void test_pendulum(void) {
    static virtual_scene s;
    virtual_begin(&s);
    int rod = virtual_add_body(&s, TACT_JOINT_REVOLUTE, 0.3, 0.004);
    s.body[rod].com = tact_vec3_make(0, TACT_REAL(-0.2), 0);
    s.dof[0].upper = TACT_REAL(0.3);
    s.dof[0].lower = -3;
    s.q0[0] = -1;
    s.options.kn = 50;
    s.options.gravity.y = TACT_REAL(-9.81);
    s.options.dt = TACT_REAL(2.5e-4);
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    journey j = begin_journey(&s, -1, -1);
    double y[2] = {-1, 0}, h = 1e-5;
    travel(&j, 4000, false);
    for (int k = 0; k < 100000; k++) {
        double a[2], b[2], c[2], d[2], at[2];
        swing(0, y, a);
        for (int i = 0; i < 2; i++) at[i] = y[i] + h / 2 * a[i];
        swing(0, at, b);
        for (int i = 0; i < 2; i++) at[i] = y[i] + h / 2 * b[i];
        swing(0, at, c);
        for (int i = 0; i < 2; i++) at[i] = y[i] + h * c[i];
        swing(0, at, d);
        for (int i = 0; i < 2; i++) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
    }
    CHECK_CLOSE(s.state.q[0], y[0], is_double ? 2e-5 : 2e-2);
    CHECK_CLOSE(s.state.v[0], y[1], is_double ? 2e-4 : 0.2);
}

static int add_ball(virtual_scene *s, double x, double y) {
    int body = virtual_add_body(s, TACT_JOINT_PLANAR, 1, 0.02);
    s->q0[3 * body] = (tact_real)x;
    s->q0[3 * body + 1] = (tact_real)y;
    return virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 0.2, 0, 0);
}

// Hard springs give the bounce its time, (y0 - R)/v + pi sqrt(m/k), and all of the speed back.
static void test_bounce_time(void) {
    static virtual_scene s;
    virtual_begin(&s);
    int ball = add_ball(&s, 0, 0.5);
    virtual_add_pair(&s, ball, virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), 0);
    s.v0[1] = -2;
    s.options.kn = 20000;
    s.options.dt = TACT_REAL(1e-4);
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    journey j = begin_journey(&s, -1, -1);
    travel(&j, 5000, false);
    CHECK_CLOSE(s.state.v[1], 2, is_double ? 2e-4 : 2e-2);
    CHECK_CLOSE(s.state.q[1], 0.2 + 2 * (0.5 - 0.15 - 3.14159265358979 * sqrt(1 / 20000.0)), is_double ? 2e-4 : 1e-2);
}

// A disc thrown along the ground slides until it rolls, with 2/3 of its speed: x = v^2/(18 mu g) + 2/3 v T.
static void test_slide_to_roll(void) {
    static virtual_scene s;
    virtual_begin(&s);
    int ball = add_ball(&s, 0, 0.2);
    virtual_add_pair(&s, ball, virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), 0.3);
    s.q0[1] = TACT_REAL(0.2 - 9.81 / 1e5);
    s.v0[0] = 3;
    s.options.gravity.y = TACT_REAL(-9.81);
    s.options.kn = 100000;
    s.options.kd = 10000;
    s.options.kt = 2000;
    s.options.dt = TACT_REAL(1e-3);
    virtual_end(&s);
    journey j = begin_journey(&s, -1, 0);
    travel(&j, 1000, is_double);
    double g = 9.81, mu = 0.3, v = 3, T = 1;
    CHECK_CLOSE(s.state.v[0], 2, is_double ? 1e-3 : 1e-2);
    CHECK_CLOSE(s.state.v[2], -10, is_double ? 1e-2 : 0.1);
    CHECK_CLOSE(s.state.q[0], v * v / (18 * mu * g) + 2 * v * T / 3, 5e-3);
    if (is_double) CHECK_CLOSE(j.dv[0], 2.0 / 3, 1e-3);
    if (is_double) CHECK_CLOSE(j.dq[0], v / (9 * mu * g) + 2 * T / 3, 5e-3);
}

// Two equal balls of radius 0.2 that meet without friction; x: positions and velocities; to: those after a time.
static void exact_impact(const double *x, double T, double *to) {
    double rx = x[2] - x[0], ry = x[3] - x[1], ux = x[6] - x[4], uy = x[7] - x[5];
    double a = ux * ux + uy * uy, b = rx * ux + ry * uy, c = rx * rx + ry * ry - 0.16, t = (-b - sqrt(b * b - a * c)) / a;
    double nx = (rx + t * ux) / 0.4, ny = (ry + t * uy) / 0.4, along = ux * nx + uy * ny;
    memcpy(to, x, 8 * sizeof *to);
    for (int k = 0; k < 4; k++) to[k] += t * x[4 + k];
    to[4] += along * nx;
    to[5] += along * ny;
    to[6] -= along * nx;
    to[7] -= along * ny;
    for (int k = 0; k < 4; k++) to[k] += (T - t) * to[4 + k];
}

// The slopes of an oblique impact by positions and velocities, with the temperature of the rule: off by as much as the step is
// long.
static void test_oblique(void) {
    static virtual_scene s;
    double worst[2] = {0, 0}, size = 0;
    if (!is_double) return;
    for (int fine = 0; fine < 2; fine++) {
        double x[8] = {-0.8, 0.05, 0, 0, 2, 0.2, 0, 0}, wanted[8], up[8], down[8];
        int steps = fine ? 1920 : 480;
        virtual_begin(&s);
        int a = add_ball(&s, x[0], x[1]), b = add_ball(&s, x[2], x[3]);
        virtual_add_pair(&s, a, b, 0);
        s.v0[0] = (tact_real)x[4];
        s.v0[1] = (tact_real)x[5];
        s.options.dt = 1 / (tact_real)steps;
        s.options.temperature = TACT_REAL(1.5) * 2 * s.options.dt;
        s.options.kn = fine ? 320000 : 20000;
        s.options.penalty = TACT_PENALTY_SOFTPLUS;
        s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
        virtual_end(&s);
        exact_impact(x, 1, wanted);
        for (int column = 0; column < 8; column++) {
            static const int dof[4] = {0, 1, 3, 4};
            journey j = begin_journey(&s, column < 4 ? dof[column] : -1, column < 4 ? -1 : dof[column - 4]);
            double h = 1e-6, kept = x[column];
            travel(&j, steps, true);
            x[column] = kept + h;
            exact_impact(x, 1, up);
            x[column] = kept - h;
            exact_impact(x, 1, down);
            x[column] = kept;
            for (int k = 0; k < 8; k++) size = fmax(size, fabs(up[k] - down[k]) / (2 * h));
            for (int k = 0; k < 4; k++) {
                worst[fine] = fmax(worst[fine], fabs((double)j.dq[dof[k]] - (up[k] - down[k]) / (2 * h)));
                worst[fine] = fmax(worst[fine], fabs((double)j.dv[dof[k]] - (up[4 + k] - down[4 + k]) / (2 * h)));
                if (column == 0) CHECK_CLOSE(s.state.q[dof[k]], wanted[k], fine ? 0.02 : 0.08);
                if (column == 0) CHECK_CLOSE(s.state.v[dof[k]], wanted[4 + k], fine ? 0.02 : 0.08);
            }
        }
    }
    printf("    oblique impact: slopes of at most %.3g off by %.2g, with a quarter of the step %.2g\n", size, worst[0], worst[1]);
    CHECK(worst[0] < 0.07 * size && worst[1] < worst[0] / 3);
}

// Balls with gaps: the first comes in, the last goes out, and where the first began says where the last is.
static void test_row(void) {
    static virtual_scene s;
    virtual_begin(&s);
    int ball[5];
    for (int i = 0; i < 5; i++) ball[i] = add_ball(&s, i == 0 ? -0.6 : 0.41 * i, 0);
    for (int i = 1; i < 5; i++) virtual_add_pair(&s, ball[i - 1], ball[i], 0);
    s.v0[0] = 1;
    s.options.kn = 1000000;
    s.options.dt = TACT_REAL(2e-4);
    s.options.temperature = TACT_REAL(3e-4);
    s.options.penalty = TACT_PENALTY_SOFTPLUS;
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    journey j = begin_journey(&s, 0, -1);
    travel(&j, 5000, is_double);
    for (int i = 0; i < 4; i++) CHECK_CLOSE(s.state.v[3 * i], 0, 2e-2);
    CHECK_CLOSE(s.state.v[12], 1, 2e-2);
    if (is_double) CHECK_CLOSE(j.dq[12], 1, 0.1);
    if (is_double) CHECK_CLOSE(j.dq[0], 0, 0.1);
}

int main(void) {
    test_rest_on_limit();
    test_bounce_off_limit();
    test_pendulum();
    test_bounce_time();
    test_slide_to_roll();
    test_oblique();
    test_row();
    return test_end("virtual_closed");
}
