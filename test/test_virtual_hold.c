// SPDX-License-Identifier: MIT
// Manifolds of which something is held while a step is solved: every step converges, within few iterations; derivatives agree
// with differences of whole steps, or the status says what is held.
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;
static uint64_t seed;

static double any(double low, double high) {
    return test_random(&seed, low, high);
}

// a hexagon on the ground and a box, a disc or a smooth union that leans on it, in random motion
static void make_heap(virtual_scene *s, tact_manifold manifold, int kind) {
    virtual_begin(s);
    int ground = virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_HALFPLANE, 0, 0, 0), body[2], shape[2];
    for (int b = 0; b < 2; b++) body[b] = virtual_add_body(s, TACT_JOINT_PLANAR, any(0.5, 2), any(0.01, 0.05));
    shape[0] = virtual_add_polygon(s, body[0], 6, 0.2, any(0, 1));
    shape[1] = kind == 0   ? virtual_add_shape(s, body[1], TACT_SHAPE_CIRCLE, 0.15, 0, 0)
               : kind == 1 ? virtual_add_shape(s, body[1], TACT_SHAPE_RECTANGLE, 0.3, 0.2, 0)
                           : virtual_add_polygon(s, body[1], 3, 0.25, any(0, 2));
    for (int b = 0; b < 2; b++) {
        virtual_add_pair(s, shape[b], ground, 0.4);
        for (int k = 0; k < 3; k++) s->v0[3 * b + k] = (tact_real)any(-1, 1);
        s->q0[3 * b] = (tact_real)(0.33 * b);
        s->q0[3 * b + 1] = (tact_real)any(0.15, 0.2);
        s->q0[3 * b + 2] = (tact_real)any(-0.3, 0.3);
    }
    virtual_add_pair(s, shape[0], shape[1], 0.4);
    s->dof[0].stiffness = 10;
    s->options.manifold = manifold;
    s->options.dt = TACT_REAL(0.004);
    s->options.gravity = tact_vec3_make(0, TACT_REAL(-9.81), 0);
    s->options.kn = 2000;
    s->options.kd = 500;
    s->options.kt = 50;
    s->options.temperature = TACT_REAL(0.004);
    s->options.friction = TACT_FRICTION_TANH;
    virtual_end(s);
}

static void test_converges(void) {
    static const tact_manifold manifolds[] = {TACT_MANIFOLD_CLOSEST, TACT_MANIFOLD_STEIN, TACT_MANIFOLD_DESCENT};
    static virtual_scene s;
    for (int m = 0; m < 3; m++) {
        int most = 0, steps = 0, touching = 0;
        for (int round = 0; round < (m == 0 ? test_rounds(180) : 6); round++) {
            make_heap(&s, manifolds[m], round % 3);
            s.options.integrator = (tact_integrator)(round / 3 % 3);
            s.options.friction = (tact_friction)(round % 2);
            if (round % 4 == 3) s.options.temperature = 0;
            tact_real u = s.state.q[0];
            for (int k = 0; k < 50; k++, steps++) {
                CHECK_INT(virtual_go(&s, &u, NULL), TACT_CONVERGED);
                most = most > s.work.iterations ? most : s.work.iterations;
                touching += s.work.contacts.count > 0;
            }
        }
        printf("    manifold %d: %d steps, %d in contact, at most %d iterations\n", (int)manifolds[m], steps, touching, most);
        CHECK(most <= 30);
        CHECK(touching > steps / 2);
    }
}

// One step from a start, and where it leads: q, v. How the start is changed: coordinate, velocity, command or a parameter.
typedef struct {
    virtual_scene *s;
    tact_state start;
    unsigned char memory[1 << 13];
    tact_real u;
} trial;

enum { BY_Q, BY_V, BY_U, BY_KN, BY_MASS, CHANGES };

static void run_trial(trial *t, int kind, int at, double change, double out[12]) {
    virtual_scene *s = t->s;
    tact_real u = t->u, *place = kind == BY_KN ? &s->options.kn : &s->body[at].mass, kept = *place;
    tact_state_copy(&s->state, &t->start, &s->model);
    if (kind == BY_Q) s->state.q[at] += (tact_real)change;
    if (kind == BY_V) s->state.v[at] += (tact_real)change;
    if (kind == BY_U) u += (tact_real)change;
    if (kind >= BY_KN) *place += (tact_real)change;
    CHECK_INT(tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]), TACT_CONVERGED);
    CHECK_INT(virtual_go(s, &u, NULL), TACT_CONVERGED);
    for (int i = 0; i < 6; i++) {
        out[i] = (double)s->state.q[i];
        out[6 + i] = (double)s->state.v[i];
    }
    *place = kept;
}

// The worst of a column against differences, relative to its largest entry or the step.
static double column_off(trial *t, int kind, int at, tact_status *status) {
    static double out[12], up[12], down[12];
    virtual_scene *s = t->s;
    double h = kind == BY_KN ? 0.1 : kind >= BY_U ? 1e-4 : 1e-6, off = 0, size = 1e-3;
    tact_real x[6] = {0}, one = 1, dq[6], dv[6];
    if (kind < BY_U) x[at] = 1;
    tact_parameter parameter = {.kind = kind == BY_KN ? TACT_PARAMETER_KN : TACT_PARAMETER_MASS, .index = at};
    tact_virtual_change change = {.q = kind == BY_Q ? x : NULL,
                                  .v = kind == BY_V ? x : NULL,
                                  .u = kind == BY_U ? &one : NULL,
                                  .parameter = kind >= BY_KN ? &parameter : NULL};
    tact_virtual_effect effect = {dq, dv, NULL};
    run_trial(t, kind, at, h, up);
    run_trial(t, kind, at, -h, down);
    run_trial(t, kind, at, 0, out);
    tact_input input = {.u = &t->u};
    *status = tact_virtual_differentiate(&s->model, &s->options, &input, &t->start, &s->work, &change, &effect);
    for (int i = 0; i < 12; i++) {
        double wanted = (up[i] - down[i]) / (2 * h), got = (double)(i < 6 ? dq[i] : dv[i - 6]);
        off = fmax(off, fabs(got - wanted));
        size = fmax(size, fabs(wanted));
    }
    return off / size;
}

static void test_derivatives(void) {
    static const tact_manifold manifolds[] = {TACT_MANIFOLD_CLOSEST, TACT_MANIFOLD_STEIN, TACT_MANIFOLD_DESCENT};
    static virtual_scene s;
    static trial t;
    for (int m = 0; m < 3; m++) {
        int columns = 0, off = 0, held = 0;
        double worst = 0;
        for (int round = 0; round < (m == 0 ? test_rounds(90) : 6); round++) {
            make_heap(&s, manifolds[m], round % 3);
            s.options.integrator = (tact_integrator)(round / 3 % 3);
            t.s = &s;
            t.u = s.state.q[0];
            for (int k = 0; k < 12 + round; k++) virtual_go(&s, &t.u, NULL);
            CHECK_INT(tact_state_init(&t.start, &s.model, t.memory, sizeof t.memory), TACT_CONVERGED);
            tact_state_copy(&t.start, &s.state, &s.model);
            for (int kind = 0; kind < CHANGES; kind++)
                for (int at = 0; at < (kind < BY_U ? 6 : kind == BY_MASS ? 2 : 1); at++) {
                    tact_status status;
                    double now = column_off(&t, kind, at, &status);
                    if (manifolds[m] != TACT_MANIFOLD_CLOSEST && kind == BY_Q) {
                        CHECK_INT(status, TACT_HELD);
                        held++;
                        continue;
                    }
                    CHECK_INT(status, TACT_CONVERGED);
                    columns++;
                    // where the choice changes between the two sides of a difference there is no derivative
                    off += now > 2e-6;
                    if (now <= 2e-6) worst = fmax(worst, now);
                }
        }
        printf("    manifold %d: %d columns, off by %.1e, %d at kinks; %d held\n", (int)manifolds[m], columns, worst, off, held);
        CHECK(columns >= 60 && off <= columns / 100);
    }
    // whoever asks for frozen points is told nothing else
    s.options.gradient = TACT_GRADIENT_FROZEN;
    tact_status status;
    run_trial(&t, BY_Q, 0, 0, (double[12]){0});
    column_off(&t, BY_Q, 0, &status);
    CHECK_INT(status, TACT_CONVERGED);
}

// what is held is that of where a step begins, and nothing of the step before
static void test_history(void) {
    static virtual_scene s;
    for (int manifold = 0; manifold <= TACT_MANIFOLD_DESCENT; manifold++) {
        static trial t;
        double fresh[12], used[12];
        make_heap(&s, (tact_manifold)manifold, 1);
        t.s = &s;
        t.u = s.state.q[0];
        CHECK_INT(tact_state_init(&t.start, &s.model, t.memory, sizeof t.memory), TACT_CONVERGED);
        for (int k = 0; k < 20; k++) virtual_go(&s, &t.u, NULL);
        tact_state_copy(&t.start, &s.state, &s.model);
        virtual_go(&s, &t.u, NULL);
        for (int i = 0; i < 12; i++) used[i] = (double)(i < 6 ? s.state.q[i] : s.state.v[i - 6]);
        run_trial(&t, BY_Q, 0, 0, fresh);
        for (int i = 0; i < 12; i++) CHECK(used[i] == fresh[i]);
    }
}

int main(void) {
    seed = test_seed(20261124);
    test_converges();
    if (is_double) test_derivatives();
    test_history();
    return test_end("virtual_hold");
}
