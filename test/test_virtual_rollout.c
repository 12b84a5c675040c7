// SPDX-License-Identifier: MIT
// Runs of the virtual law: the gradient of one pass back against columns carried forwards and against differences; gradient
// modes.
#include "virtual_carry.h"

static const bool is_double = sizeof(tact_real) == 8;

enum { N = 6 };

// One pass back over a run against columns carried forwards, and against differences of the loss.
enum { STEPS = 480 };

// two polygons that bounce on a plane and on each other, one pushed by forces
static void make_run(virtual_scene *s, tact_integrator integrator) {
    virtual_begin(s);
    for (int b = 0; b < 2; b++) {
        int body = virtual_add_body(s, TACT_JOINT_PLANAR, 0.4 + 0.2 * b, 0.02);
        virtual_add_polygon(s, body, 5 + b, 0.2, 0.3 * b);
    }
    int ground = virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0);
    for (int b = 0; b < 2; b++) virtual_add_pair(s, b, ground, 0.4);
    virtual_add_pair(s, 0, 1, 0.3);
    s->q0[1] = TACT_REAL(0.3);
    s->q0[3] = TACT_REAL(0.32);
    s->q0[4] = TACT_REAL(0.45);
    s->q0[5] = TACT_REAL(0.4);
    s->v0[0] = TACT_REAL(0.5);
    for (int k = 0; k < 3; k++) s->dof[k].force = true;
    s->options.gravity.y = TACT_REAL(-2);
    s->options.dt = TACT_REAL(1) / 480;
    s->options.kn = 300;
    s->options.kd = 40;
    s->options.kt = 3;
    s->options.temperature = TACT_REAL(0.01);
    s->options.spread = TACT_REAL(0.05);
    s->options.penalty = TACT_PENALTY_SOFTPLUS;
    s->options.friction = TACT_FRICTION_TANH;
    s->options.integrator = integrator;
    virtual_end(s);
}

static double run_loss(virtual_scene *s, const tact_rollout *rollout, tact_rollout_work *work, int c, double h) {
    static unsigned char memory[1 << 12];
    tact_state start;
    static tact_real moved[3 * STEPS];
    tact_rollout other = *rollout;
    tact_state_init(&start, &s->model, memory, sizeof memory);
    memcpy(moved, rollout->u, sizeof moved);
    other.u = moved;
    if (c < N) start.q[c] += (tact_real)h;
    if (c >= N && c < 2 * N) start.v[c - N] += (tact_real)h;
    if (c >= 2 * N) moved[c - 2 * N] += (tact_real)h;
    return (double)tact_rollout_gradient(&s->model, &s->options, &other, &start, work, NULL).loss;
}

static void test_rollout(void) {
    static virtual_scene s;
    static tact_real u[3 * STEPS], by_q[N], by_v[N], by_u[3 * STEPS];
    uint64_t seed = 5;
    carry_run last = {STEPS, N};
    for (int i = 0; i < 3 * STEPS; i++) u[i] = (tact_real)test_random(&seed, -1, 1);
    for (int integrator = 0; integrator < 3; integrator++) {
        make_run(&s, (tact_integrator)integrator);
        double forwards[2 * N + 3], size = 1, worst = 0, off = 0;
        carry_forwards(&s, last, u, NULL, 0, forwards);
        // half of the steps in memory, the others made again
        size_t bytes = tact_rollout_size(&s.model, STEPS, STEPS / 4);
        void *memory = malloc(bytes);
        tact_rollout_work work;
        CHECK_INT(tact_rollout_init(&work, &s.model, STEPS, memory, bytes), TACT_CONVERGED);
        tact_parameter list[3] = {{TACT_PARAMETER_KN, 0, 0}, {TACT_PARAMETER_MASS, 1, 0}, {TACT_PARAMETER_SIZE, 0, 0}};
        tact_real bar[3];
        tact_rollout rollout = {.steps = STEPS, .u = u, .context = &last, .loss = carry_loss, .loss_by_v = carry_loss_by_v};
        tact_rollout_slope slope = {.q = by_q, .u = by_u, .v = by_v, .nparameter = 3, .parameter = list, .by_parameter = bar};
        tact_state_reset(&s.state, &s.model);
        tact_rollout_result result = tact_rollout_gradient(&s.model, &s.options, &rollout, &s.state, &work, &slope);
        CHECK_INT(result.status, TACT_CONVERGED);
        for (int c = 0; c < 2 * N + 3; c++) size = fmax(size, fabs(forwards[c]));
        for (int c = 0; c < 2 * N + 3; c++) {
            double back = (double)(c < N ? by_q[c] : c < 2 * N ? by_v[c - N] : by_u[c - 2 * N]), h = is_double ? 1e-6 : 1e-3;
            double difference = (run_loss(&s, &rollout, &work, c, h) - run_loss(&s, &rollout, &work, c, -h)) / (2 * h);
            double finer = (run_loss(&s, &rollout, &work, c, h / 2) - run_loss(&s, &rollout, &work, c, -h / 2)) / h;
            worst = fmax(worst, fabs(back - forwards[c]) / size);
            off = fmax(off, fabs(back - (4 * finer - difference) / 3) / size);
        }
        for (int p = 0; p < 3; p++) {
            tact_real *place = virtual_parameter(&s, list[p]), kept = *place;
            double h = (is_double ? 1e-6 : 1e-3) * (double)kept, value[2];
            for (int k = 0; k < 2; k++) {
                *place = kept + (tact_real)(k ? h : -h);
                tact_rollout_init(&work, &s.model, STEPS, memory, bytes);
                value[k] = run_loss(&s, &rollout, &work, 0, 0);
            }
            *place = kept;
            tact_rollout_init(&work, &s.model, STEPS, memory, bytes);
            off = fmax(off, fabs((double)bar[p] - (value[1] - value[0]) / (2 * h)) / fmax(size, fabs((double)bar[p])));
        }
        printf("    integrator %d: back against forth %.2g, against differences %.2g\n", integrator, worst, off);
        CHECK(worst <= (is_double ? 1e-13 : 1e-2));
        CHECK(!is_double || off <= 1e-6);
        free(memory);
    }
}

// straight-through: hard steps, soft slopes; frozen: other slopes; bundled: the same at no disturbance
static void test_modes(void) {
    static virtual_scene s;
    static tact_real u[3 * STEPS], by_u[4][3 * STEPS], scratch[2][3 * STEPS];
    enum { SHORT = 60 };
    carry_run last = {SHORT, N};
    size_t bytes;
    double loss[4];
    make_run(&s, TACT_INTEGRATOR_BDF1);
    bytes = tact_rollout_size(&s.model, SHORT, SHORT);
    void *memory = malloc(bytes);
    tact_rollout_work work;
    tact_rollout rollout = {.steps = SHORT, .u = u, .context = &last, .loss = carry_loss, .loss_by_v = carry_loss_by_v};
    for (int mode = 0; mode < 4; mode++) {
        s.options.gradient = mode < 3 ? (tact_gradient)mode : TACT_GRADIENT_EXACT;
        if (mode == 3) s.options.temperature = 0;
        CHECK_INT(tact_rollout_init(&work, &s.model, SHORT, memory, bytes), TACT_CONVERGED);
        tact_rollout_slope slope = {.u = by_u[mode]};
        loss[mode] = (double)tact_rollout_gradient(&s.model, &s.options, &rollout, &s.state, &work, &slope).loss;
    }
    CHECK_CLOSE(loss[TACT_GRADIENT_FROZEN], loss[TACT_GRADIENT_EXACT], 0);
    CHECK_CLOSE(loss[TACT_GRADIENT_STRAIGHT], loss[3], 0);
    CHECK(fabs(loss[3] - loss[0]) > 1e-6);
    double straight = 0, frozen = 0;
    for (int i = 0; i < 3 * SHORT; i++) {
        straight = fmax(straight, fabs((double)(by_u[TACT_GRADIENT_STRAIGHT][i] - by_u[3][i])));
        frozen = fmax(frozen, fabs((double)(by_u[TACT_GRADIENT_FROZEN][i] - by_u[TACT_GRADIENT_EXACT][i])));
    }
    CHECK(straight > 1e-6 && frozen > 1e-6);
    s.options.temperature = TACT_REAL(0.01);
    tact_rollout_bundle bundle = {.samples = 2, .sigma = 0, .seed = 1, .u = scratch[0], .sum = scratch[1]};
    tact_rollout_gradient_bundled(&s.model, &s.options, &rollout, &s.state, &work, &bundle, by_u[3]);
    for (int i = 0; i < 3 * SHORT; i++) CHECK_CLOSE(by_u[3][i], by_u[0][i], is_double ? 1e-14 : 1e-5);
    bundle.sigma = TACT_REAL(0.5);
    tact_rollout_gradient_bundled(&s.model, &s.options, &rollout, &s.state, &work, &bundle, by_u[3]);
    tact_rollout_gradient_bundled(&s.model, &s.options, &rollout, &s.state, &work, &bundle, by_u[2]);
    double moved = 0;
    for (int i = 0; i < 3 * SHORT; i++) {
        CHECK_CLOSE(by_u[3][i], by_u[2][i], 0);
        moved = fmax(moved, fabs((double)(by_u[3][i] - by_u[0][i])));
    }
    CHECK(moved > 1e-6 && moved < 10);
    free(memory);
}

int main(void) {
    test_rollout();
    test_modes();
    return test_end("virtual_rollout");
}
