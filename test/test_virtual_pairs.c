// SPDX-License-Identifier: MIT
// Few pairs are all looked at, of many only the near ones: pairs of shapes far away change nothing, however fast bodies come
// together, turn or are pushed.
#include "virtual_scene.h"

enum { BODIES = 3, FAR = 6, STEPS = 60 };

#ifdef TACT_FLOAT
#define SAME 2e-3
#else
#define SAME 1e-9
#endif

// Discs with an arm on each, held by a fixed joint: one is shot at the next, of which the arm stands a little before the third.
// Below them a bar on a body fixed to the world. far: so many more shapes with which each arm is paired.
static void make_row(virtual_scene *s, int far, tact_integrator integrator, uint64_t seed) {
    virtual_begin(s);
    int arm[BODIES], disc[BODIES];
    double shift = test_random(&seed, 0.002, 0.1), at[BODIES] = {-0.46, 0, 0.55 + shift};
    for (int i = 0; i < BODIES; i++) {
        int b = virtual_add_body(s, TACT_JOINT_PLANAR, test_random(&seed, 0.5, 2), test_random(&seed, 0.01, 0.05));
        int tip = virtual_add_body(s, TACT_JOINT_FIXED, 0, 0);
        s->body[tip].parent = b;
        s->body[tip].place.p = tact_vec3_make(TACT_REAL(0.3), 0, 0);
        disc[i] = virtual_add_shape(s, b, TACT_SHAPE_CIRCLE, 0.2, 0, 0);
        arm[i] = virtual_add_shape(s, tip, TACT_SHAPE_CIRCLE, 0.05, 0, 0);
        s->q0[3 * i] = (tact_real)at[i];
        s->q0[3 * i + 1] = (tact_real)test_random(&seed, -0.1, 0.1);
    }
    s->q0[2] = 3;
    s->v0[0] = (tact_real)test_random(&seed, 5, 25);
    s->v0[2] = (tact_real)test_random(&seed, -5, 5);
    int frame = virtual_add_body(s, TACT_JOINT_FIXED, 0, 0), wall = virtual_add_body(s, TACT_JOINT_FIXED, 0, 0);
    s->body[wall].parent = frame;
    s->body[wall].place.p = tact_vec3_make(0, -1, 0);
    int floor = virtual_add_shape(s, wall, TACT_SHAPE_RECTANGLE, 4, 0.1, 0), post[FAR];
    for (int i = 0; i < far; i++) {
        post[i] = virtual_add_shape(s, TACT_WORLD, TACT_SHAPE_CIRCLE, 0.1, 0, 0);
        s->shape[post[i]].place.p = tact_vec3_make((tact_real)(100 + i), 200, 0);
    }
    for (int i = 0; i < BODIES; i++) {
        if (i > 0) virtual_add_pair(s, disc[i], disc[i - 1], 0.4);
        if (i > 0) virtual_add_pair(s, disc[i], arm[i - 1], 0.4);
        virtual_add_pair(s, disc[i], floor, 0.4);
        virtual_add_pair(s, arm[i], floor, 0.4);
        for (int k = 0; k < far; k++) virtual_add_pair(s, arm[i], post[k], 0.4);
    }
    s->options.gravity = tact_vec3_make(0, seed % 2 ? TACT_REAL(-9.81) : 0, 0);
    s->options.dt = TACT_REAL(0.01);
    s->options.penalty = TACT_PENALTY_QUADRATIC;
    s->options.temperature = TACT_REAL(0.001);
    s->options.kn = 5000;
    s->options.kt = 50;
    s->options.integrator = integrator;
    virtual_end(s);
}

static void check_far(tact_integrator integrator, uint64_t seed, int *met, int *odd) {
    static virtual_scene near, many;
    make_row(&near, 0, integrator, seed);
    make_row(&many, FAR, integrator, seed);
    for (int k = 0; k < STEPS; k++) {
        tact_status one = virtual_go(&near, NULL, NULL), two = virtual_go(&many, NULL, NULL);
        // a step with several answers takes Newton's method long, and from elsewhere it may find another
        bool plain = near.work.iterations < 40 && many.work.iterations < 40;
        CHECK(!plain || (one == TACT_CONVERGED && two == TACT_CONVERGED));
        *odd += !plain;
        for (int i = 0; plain && i < near.model.nv; i++) {
            CHECK_CLOSE(many.state.q[i], near.state.q[i], SAME);
            CHECK_CLOSE(many.state.v[i], near.state.v[i], 100 * SAME);
        }
        *met += near.work.contacts.count > 0;
        // the same from the same, so that differences do not add up; the two differ in their pairs only
        for (int i = 0; i < near.model.nq; i++) {
            many.state.q[i] = near.state.q[i];
            many.state.q_past[i] = near.state.q_past[i];
        }
        for (int i = 0; i < near.model.nv; i++) {
            many.state.v[i] = near.state.v[i];
            many.state.v_past[i] = near.state.v_past[i];
        }
        many.state.past = near.state.past;
        many.state.time = near.state.time;
        for (int i = 0; i < 3 * many.model.npair; i++) many.state.lambda[i] = 0;
    }
}

int main(void) {
    static const tact_integrator all[] = {TACT_INTEGRATOR_BDF1, TACT_INTEGRATOR_BDF2, TACT_INTEGRATOR_MIDPOINT};
    uint64_t seed = test_seed(3);
    int met = 0, odd = 0;
    for (int k = 0; k < 30; k++) check_far(all[k % 3], test_random_bits(&seed), &met, &odd);
    printf("%d steps in contact, %d left out\n", met, odd);
    CHECK(met > 100 && odd < 30);
    return test_end("virtual_pairs");
}
