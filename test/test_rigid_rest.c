// SPDX-License-Identifier: MIT
// Stacks whose boxes weigh from 0.1 to 1000 kg in any order, dropped from a millimetre, repeat their state to the bit from some
// step on; what moves slowly, though, is not taken for at rest.
#include "rigid_world.h"

enum { STACKS = 8, BOXES = 10, FALL = 60, WATCH = 200 };

static void test_stack(uint64_t *seed, double lift) {
    char mass[BOXES][60];
    const char *set[BOXES + 1] = {NULL};
    for (int i = 0; i < BOXES; i++) {
        snprintf(mass[i], sizeof mass[i], "bodies.%d.mass=%.3g", i, pow(10, test_random(seed, -1, 3)));
        set[i] = mass[i];
    }
    if (!world_scene("box_stack", set)) return;
    const tact_model *model = &world.scene->model;
    for (int i = 0; i < BOXES; i++) {
        tact_real *q = world.state.q + 7 * i;
        for (int k = 0; k < 2; k++) q[k] += (tact_real)test_random(seed, -0.0004, 0.0004);
        q[2] += (tact_real)(lift * (i + 1));
    }
    for (int k = 0; k < FALL; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nl = 3 * (size_t)model->npair;
    tact_real *kept = malloc((nq + nv + nl) * sizeof *kept), most = 0;
    memcpy(kept, world.state.q, nq * sizeof *kept);
    memcpy(kept + nq, world.state.v, nv * sizeof *kept);
    memcpy(kept + nq + nv, world.state.lambda, nl * sizeof *kept);
    for (size_t i = 0; i < nv; i++) most = world.state.v[i] > most ? world.state.v[i] : most;
    bool same = most == 0;
    for (int k = 0; k < WATCH; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        same = same && memcmp(kept, world.state.q, nq * sizeof *kept) == 0 &&
               memcmp(kept + nq, world.state.v, nv * sizeof *kept) == 0 &&
               memcmp(kept + nq + nv, world.state.lambda, nl * sizeof *kept) == 0;
    }
    CHECK(same);
    if (!same) printf("    moves at %g m/s\n", (double)most);
    free(kept);
    world_end();
}

// a ball that rolls down one in a hundred million; a box that friction hardly lets slide
static void test_slow(void) {
    char text[1500];
    snprintf(text, sizeof text,
             "{\"tact\":1,\"name\":\"slow\",\"law\":\"rigid\",\"gravity\":[1e-7,0,-10],\"options\":{\"dt\":0.01},\"bodies\":[{"
             "\"name\":"
             "\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.004,0.004,0.004,0,0,0],\"joint\":{\"name\":\"b\",\"type\":"
             "\"free\"}}],"
             "\"shapes\":[{\"name\":\"f\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0},{\"name\":\"s\","
             "\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.1}],\"pairs\":[{\"a\":\"f\",\"b\":\"s\",\"mu\":0.5}],\"state\":{"
             "\"q\":{\"b\":"
             "[0,0,0.1,1,0,0,0]}}}");
    if (!world_text(text)) return;
    for (int k = 0; k < 100; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    // a = g sin / (1 + I / (m R^2)) for a second
    if (DOUBLE) CHECK_CLOSE((double)world.state.v[3] * 1e7, 1 / 1.4, 1e-4);
    world_end();
}

int main(void) {
    uint64_t seed = test_seed(29);
    for (int k = 0; k < test_rounds(STACKS); k++) test_stack(&seed, DOUBLE && k % 2 ? 1e-3 : 0);
    test_slow();
    return test_end("rigid_rest");
}
