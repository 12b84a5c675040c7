// SPDX-License-Identifier: MIT
// The virtual law against closed forms of rigid bodies, values and slopes: elastic impact, bounce, rolling, two balls; and
// descents through it whose results are judged by the exact physics.
#include "plan/lbfgs.h"
#include "tact/rollout.h"
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;

// a rollout of n steps under forces u (n, nu) with the loss of a final state
typedef struct {
    virtual_scene *s;
    tact_rollout rollout;
    tact_rollout_work work;
    void *memory;
    tact_state start;
    unsigned char start_memory[1 << 12];
    int steps;
    int watched;    // coordinate
    bool point;     // the loss is the squared distance of one or two coordinates from the target; else the coordinate
    double target;  //
    tact_real *u, *u_bar;
    double effort;  // of the integral of u^2
} descent;

static tact_real watch(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                       tact_real *lambda_bar) {
    const descent *d = context;
    (void)contacts, (void)lambda_bar;
    if (k < d->steps) return 0;
    double sum = 0;
    for (int i = d->watched; i < d->watched + (d->point && d->s->model.nv > 2 ? 2 : 1); i++) {
        double off = (double)state->q[i] - d->target;
        if (q_bar) q_bar[i] += (tact_real)(d->point ? 2 * off : 1);
        sum += d->point ? off * off : (double)state->q[i];
    }
    return (tact_real)sum;
}

static void begin_descent(descent *d, virtual_scene *s, int steps) {
    size_t bytes = tact_rollout_size(&s->model, steps, steps), count = (size_t)steps * (size_t)s->model.nu + 1;
    memset(d, 0, sizeof *d);
    d->s = s;
    d->steps = steps;
    d->memory = malloc(bytes);
    d->u = calloc(count, sizeof(tact_real));
    d->u_bar = calloc(count, sizeof(tact_real));
    CHECK_INT(tact_rollout_init(&d->work, &s->model, steps, d->memory, bytes), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&d->start, &s->model, d->start_memory, sizeof d->start_memory), TACT_CONVERGED);
    d->rollout = (tact_rollout){.steps = steps, .u = d->u, .context = d, .loss = watch};
}

static void end_descent(descent *d) {
    free(d->memory);
    free(d->u);
    free(d->u_bar);
}

static double find_value(descent *d, tact_rollout_slope *slope) {
    tact_rollout_result result = tact_rollout_gradient(&d->s->model, &d->s->options, &d->rollout, &d->start, &d->work, slope);
    CHECK_INT(result.status, TACT_CONVERGED);
    return (double)result.loss;
}

static int add_ball(virtual_scene *s, double r, double m, double x, double y) {
    int body = virtual_add_body(s, TACT_JOINT_PLANAR, m, m * r * r / 2);
    s->q0[3 * body] = (tact_real)x;
    s->q0[3 * body + 1] = (tact_real)y;
    return virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, r, 0, 0);
}

// A ball falls on a plane and comes back: y(T) = 2 R - y0 - v0 T + ... In exact physics without gravity, with speed v down from
// y0: y(T) = v T - (y0 - R) + R, so dy/dy0 = -1, dy/dv0 = -T (v0 = -v), and vy(T) = v.
static void test_bounce(void) {
    static virtual_scene s;
    descent d;
    tact_real by_q[3], by_v[3];
    virtual_begin(&s);
    int ball = add_ball(&s, 0.2, 1, 0, 1);
    virtual_add_pair(&s, ball, virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), 0);
    s.v0[1] = -2;
    s.options.dt = TACT_REAL(1) / 480;
    s.options.kn = 20000;
    // the layer is resolved: a >= 1.5 |v_n| h
    s.options.temperature = TACT_REAL(1.5 * 2.0 / 480);
    s.options.penalty = TACT_PENALTY_SOFTPLUS;
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    begin_descent(&d, &s, 480);
    d.watched = 1;
    tact_rollout_slope slope = {.q = by_q, .v = by_v};
    double y = find_value(&d, &slope);
    CHECK_CLOSE(y, 2 - 0.8 + 0.2, 0.04);
    CHECK_CLOSE(d.work.state.v[1], 2, 0.01);
    CHECK_CLOSE(by_q[1], -1, 0.02);
    CHECK_CLOSE(by_v[1], -1, 0.06);
    end_descent(&d);
}

// A bounce without weight that lasts so many steps of 1 ms: how far the slope of the height after it by that before is from -1,
// at worst over the phase of the steps in which it comes.
static double bounce_slope(tact_penalty penalty, double multiple, double lasts) {
    double worst = 0, h = 1e-3;
    for (int phase = 0; phase < 12; phase++) {
        static virtual_scene s;
        descent d;
        tact_real by_q[3], by_v[3];
        virtual_begin(&s);
        int ball = add_ball(&s, 0.2, 1, 0, 0.5 + h * phase / 12);
        virtual_add_pair(&s, ball, virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), 0);
        s.v0[1] = -1;
        s.options.dt = (tact_real)h;
        s.options.kn = (tact_real)pow(acos(-1) / (lasts * h), 2);
        s.options.temperature = (tact_real)(multiple * h);
        s.options.penalty = penalty;
        s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
        virtual_end(&s);
        begin_descent(&d, &s, 700);
        d.watched = 1;
        tact_rollout_slope slope = {.q = by_q, .v = by_v};
        find_value(&d, &slope);
        worst = fmax(worst, fabs((double)by_q[1] + 1));
        end_descent(&d);
    }
    return worst;
}

// What the rule a >= 1.5 v h is worth for each penalty, and where more of it is worse.
static void test_penalties(void) {
    static const char *const name[] = {"algebraic", "exp", "softplus", "quadratic"};
    static const tact_penalty penalty[] = {TACT_PENALTY_ALGEBRAIC, TACT_PENALTY_EXP, TACT_PENALTY_SOFTPLUS,
                                           TACT_PENALTY_QUADRATIC};
    static const double most[] = {0.01, 0.05, 1e-6, 0.003};
    for (int i = 0; i < 4 && is_double; i++) {
        double few = bounce_slope(penalty[i], 1.5, 30), many = bounce_slope(penalty[i], 1.5, 100),
               wide = bounce_slope(penalty[i], 3, 30);
        printf("slope of a bounce, %s: off by %.1e when it lasts 30 steps (a twice the rule's: %.1e), by %.1e when 100\n",
               name[i], few, wide, many);
        CHECK(many <= most[i]);
        // the default is the one whose slope is right within few steps
        if (penalty[i] == tact_options_default().penalty) CHECK(few <= 1e-9);
        if (penalty[i] != tact_options_default().penalty) CHECK(few > 1e-3);
    }
}

// Elastic impact of equal balls in line: they exchange velocities.
static void test_impact(void) {
    static virtual_scene s;
    descent d;
    tact_real by_q[6], by_v[6];
    virtual_begin(&s);
    int a = add_ball(&s, 0.2, 1, -1, 0), b = add_ball(&s, 0.2, 1, 0, 0);
    virtual_add_pair(&s, a, b, 0);
    s.v0[0] = 2;
    s.options.dt = TACT_REAL(1) / 480;
    s.options.kn = 20000;
    s.options.temperature = TACT_REAL(1.5 * 2.0 / 480);
    s.options.penalty = TACT_PENALTY_SOFTPLUS;
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    begin_descent(&d, &s, 480);
    d.watched = 3;
    tact_rollout_slope slope = {.q = by_q, .v = by_v};
    // x2(T) = x1 + 2 R... = v T - (gap): 2 - 0.6
    CHECK_CLOSE(find_value(&d, &slope), 2 - 0.6, 0.04);
    CHECK_CLOSE(d.work.state.v[0], 0, 0.01);
    CHECK_CLOSE(d.work.state.v[3], 2, 0.01);
    CHECK_CLOSE(by_q[0], 1, 0.02);
    CHECK_CLOSE(by_q[3], 0, 0.02);
    CHECK_CLOSE(by_v[0], 1, 0.06);
    end_descent(&d);
}

// A disc on a slope rolls: acceleration g sin / (1 + I/(m r^2)), friction far below its limit; slid on ice: g sin.
static void test_rolling(void) {
    static virtual_scene s;
    for (int ice = 0; ice < 2; ice++) {
        double slope = 0.25, g = 9.81, r = 0.2;
        virtual_begin(&s);
        int ball = add_ball(&s, r, 1, 0, r - 5e-4);
        virtual_add_pair(&s, ball, virtual_add_shape(&s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), ice ? 0 : 0.5);
        s.options.gravity = tact_vec3_make((tact_real)(g * sin(slope)), (tact_real)(-g * cos(slope)), 0);
        s.options.dt = TACT_REAL(0.002);
        s.options.kn = 20000;
        s.options.kd = 20000;
        s.options.kt = 20000;
        s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
        virtual_end(&s);
        for (int k = 0; k < 500; k++) CHECK_INT(virtual_go(&s, NULL, NULL), TACT_CONVERGED);
        double wanted = ice ? g * sin(slope) : g * sin(slope) / 1.5;
        CHECK_CLOSE(s.state.v[0], wanted, 2e-3);
        CHECK_CLOSE((double)s.state.v[2] * -r, ice ? 0 : wanted, 5e-3);
    }
}

// Two balls, of tact optimise: exact elastic physics under constant forces during each step.
static double exact_two_balls(const tact_real *u, int steps, double h) {
    double x[2][2] = {{-2, -2}, {-1, -1}}, v[2][2] = {{0, 0}, {0, 0}}, sum = 0;
    for (int k = 0; k < steps; k++) {
        double a[2] = {(double)u[3 * k], (double)u[3 * k + 1]}, left = h;
        sum += 0.1 * h * (a[0] * a[0] + a[1] * a[1]);
        for (int hits = 0; hits < 4 && left > 0; hits++) {
            double low = 0, high = left, away[2], speed[2];
            for (int pass = 0; pass < 60; pass++) {
                double t = pass == 0 ? left : (low + high) / 2;
                for (int i = 0; i < 2; i++) {
                    away[i] = x[1][i] + v[1][i] * t - x[0][i] - v[0][i] * t - a[i] * t * t / 2;
                    speed[i] = v[1][i] - v[0][i] - a[i] * t;
                }
                bool inside = hypot(away[0], away[1]) < 0.4 && away[0] * speed[0] + away[1] * speed[1] < 0;
                if (inside) high = t;
                if (!inside) low = t;
                if (pass == 0 && !inside) break;
            }
            double t = low;
            for (int i = 0; i < 2; i++) {
                x[0][i] += v[0][i] * t + a[i] * t * t / 2;
                v[0][i] += a[i] * t;
                x[1][i] += v[1][i] * t;
            }
            left -= t;
            if (left <= 0) break;
            double n[2] = {x[1][0] - x[0][0], x[1][1] - x[0][1]}, length = hypot(n[0], n[1]), rate = 0;
            for (int i = 0; i < 2; i++) rate += (v[0][i] - v[1][i]) * n[i] / length;
            for (int i = 0; i < 2; i++) {
                v[0][i] -= rate * n[i] / length;
                v[1][i] += rate * n[i] / length;
            }
        }
    }
    return sum + x[1][0] * x[1][0] + x[1][1] * x[1][1];
}

static tact_real evaluate(void *context, const tact_real *x, tact_real *gradient) {
    descent *d = context;
    int n = d->steps * d->s->model.nu;
    double h = (double)d->s->options.dt, sum;
    tact_rollout_slope slope = {.u = gradient};
    for (int i = 0; i < n; i++) d->u[i] = x[i];
    sum = find_value(d, gradient ? &slope : NULL);
    for (int i = 0; i < n; i++) {
        sum += d->effort * h * (double)x[i] * (double)x[i];
        if (gradient) gradient[i] += (tact_real)(2 * d->effort * h) * x[i];
    }
    return (tact_real)sum;
}

static tact_lbfgs_result minimise(descent *d, tact_real *x, int iterations) {
    int n = d->steps * d->s->model.nu;
    tact_arena arena = {0};
    tact_lbfgs lbfgs;
    tact_lbfgs_place(&lbfgs, n, 20, &arena);
    void *memory = malloc(arena.used);
    arena = (tact_arena){.memory = memory, .size = arena.used};
    tact_lbfgs_place(&lbfgs, n, 20, &arena);
    tact_lbfgs_options options = tact_lbfgs_options_default();
    options.iteration_limit = iterations;
    options.evaluation_limit = 20 * iterations;
    tact_lbfgs_problem problem = {.n = n, .context = d, .evaluate = evaluate};
    tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
    free(memory);
    return result;
}

static void test_two_balls(void) {
    static virtual_scene s;
    static tact_real x[3 * 480];
    descent d;
    virtual_begin(&s);
    int a = add_ball(&s, 0.2, 1, -2, -2), b = add_ball(&s, 0.2, 1, -1, -1);
    virtual_add_pair(&s, a, b, 0);
    for (int i = 0; i < 3; i++) s.dof[i].force = true;
    s.options.dt = TACT_REAL(1) / 480;
    s.options.kn = 100000;
    s.options.temperature = TACT_REAL(0.004);
    s.options.penalty = TACT_PENALTY_SOFTPLUS;
    s.options.integrator = TACT_INTEGRATOR_MIDPOINT;
    virtual_end(&s);
    begin_descent(&d, &s, 480);
    d.watched = 3;
    d.point = true;
    d.effort = 0.1;
    for (int i = 0; i < 3 * 480; i++) x[i] = i % 3 < 2 ? 3 : 0;
    tact_lbfgs_result result = minimise(&d, x, 20);
    double exact = exact_two_balls(x, 480, 1.0 / 480);
    printf("    two balls: %d iterations, loss %.6f, in exact physics %.6f\n", result.iterations, (double)result.value, exact);
    CHECK(result.iterations <= 20);
    CHECK(exact <= (is_double ? 1.400 : 1.41));
    CHECK(exact >= 1.3965);
    end_descent(&d);
}

// A pusher and a block on a line, 0.3 m apart, with drag.
static void make_push(virtual_scene *s, double temperature) {
    virtual_begin(s);
    for (int b = 0; b < 2; b++) {
        int body = virtual_add_body(s, TACT_JOINT_PRISMATIC, 1, 0);
        s->body[body].axis = tact_vec3_make(1, 0, 0);
        s->dof[b].damping = 1;
    }
    int pusher = virtual_add_shape(s, 0, TACT_SHAPE_CIRCLE, 0.05, 0, 0);
    int block = virtual_add_shape(s, 1, TACT_SHAPE_RECTANGLE, 0.1, 0.1, 0);
    s->shape[pusher].place.p.x = TACT_REAL(-0.05);
    s->shape[block].place.p.x = TACT_REAL(0.1);
    virtual_add_pair(s, pusher, block, 0);
    s->q0[0] = TACT_REAL(-0.3);
    s->dof[0].force = true;
    s->options.dt = TACT_REAL(1) / 60;
    s->options.temperature = (tact_real)temperature;
    s->options.penalty = TACT_PENALTY_ALGEBRAIC;
    virtual_end(s);
}

static void test_push(void) {
    static virtual_scene s;
    tact_real x[60] = {0}, gradient[60];
    descent d;
    make_push(&s, 1e-3);
    begin_descent(&d, &s, 60);
    d.watched = 1;
    d.point = true;
    d.target = 0.5;
    d.effort = 1e-3;
    double start = (double)evaluate(&d, x, gradient), most = 0;
    for (int i = 0; i < 60; i++) most = fmax(most, fabs((double)gradient[i]));
    CHECK_CLOSE(start, 0.25, 0.01);
    CHECK(most > 1e-6);
    tact_lbfgs_result result = minimise(&d, x, 60);
    s.options.temperature = 0;
    double hard = (double)evaluate(&d, x, NULL);
    printf("    push: %d iterations, loss %.6f, hard contact %.6f\n", result.iterations, (double)result.value, hard);
    CHECK(result.iterations <= 60);
    CHECK(hard <= 0.009);
    // the hard model itself sees nothing from there
    for (int i = 0; i < 60; i++) x[i] = 0;
    evaluate(&d, x, gradient);
    for (int i = 0; i < 60; i++) CHECK_CLOSE(gradient[i], 0, 0);
    end_descent(&d);
}

int main(void) {
    test_bounce();
    test_penalties();
    test_impact();
    test_rolling();
    test_two_balls();
    test_push();
    return test_end("virtual_physics");
}
