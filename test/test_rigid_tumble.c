// SPDX-License-Identifier: MIT
// Bodies that tumble, of inertias as unlike as a pencil's: every step that turns one by at most a quarter turn has its answer,
// with an arm by half a radian, and angular momentum stays to rounding.
#include "rigid_world.h"
#include "tact/law.h"

enum { CASES = 60, STEPS = 50 };

static const char FLYING[] =
    "{\"tact\":1,\"name\":\"tumble\",\"law\":\"rigid\",\"gravity\":[0,0,%g],\"options\":{\"dt\":%g},\"mu\":0.4,\"bodies\":["
    "{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[%g,%g,%g,0,0,0],\"joint\":{\"name\":\"b\",\"type\":\"free\"}}%"
    "s],"
    "%s\"state\":{\"q\":{\"b\":[0,0,%g,%g,%g,%g,%g]},\"v\":{\"b\":[%g,%g,%g,0.1,0.2,0.3]}}}";

static const char ARM[] =
    ",{\"name\":\"arm\",\"parent\":\"b\",\"mass\":0.2,\"com\":[0.1,0,0],\"inertia\":[1e-5,1e-3,1e-3,0,0,0],"
    "\"joint\":{\"name\":\"elbow\",\"type\":\"revolute\",\"xyz\":[0,0,0.3],\"axis\":[0,1,0],\"limits\":[-1e6,1e6]}}";

static const char FLOOR[] =
    "\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0},"
    "{\"name\":\"tip\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0,0,0.17]},"
    "{\"name\":\"end\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0,0,-0.17]}],\"pairs\":\"auto\",";

// angular momentum about the world's origin: what the free joint bears, and its arm times the momentum
static void spin_of(double L[3]) {
    const tact_model *model = &world.scene->model;
    tact_real p[20];
    tact_kinematics_update(&world.work.kinematics, model, world.state.q);
    tact_momentum_update(model, &world.work.kinematics, &world.work.dynamics, world.state.v, p, NULL);
    const tact_real *x = world.state.q;
    for (int k = 0; k < 3; k++)
        L[k] = (double)p[k] + (double)x[(k + 1) % 3] * (double)p[3 + (k + 2) % 3] -
               (double)x[(k + 2) % 3] * (double)p[3 + (k + 1) % 3];
}

static void tumble(uint64_t *seed, bool arm, bool floor, int *steps, double *drift) {
    char text[3000];
    double h = pow(10, test_random(seed, -3, -1)), ratio = pow(10, test_random(seed, 0, 2.7)), I = 0.01, w[3], turn[4], L[3],
           now[3];
    // a quarter turn: h |w| <= pi/2
    double fast = test_random(seed, 0.01, 1.5) / h / sqrt(3), size = 0, norm = 0;
    for (int k = 0; k < 3; k++) w[k] = test_random(seed, -fast, fast);
    for (int k = 0; k < 4; k++) turn[k] = test_random(seed, -1, 1);
    for (int k = 0; k < 4; k++) norm += turn[k] * turn[k];
    for (int k = 0; k < 4; k++) turn[k] /= sqrt(norm);
    snprintf(text, sizeof text, FLYING, floor ? -9.81 : 0.0, h, I, I, I / ratio, arm ? ARM : "", floor ? FLOOR : "",
             floor ? 0.2 : 0.0, turn[0], turn[1], turn[2], turn[3], w[0], w[1], w[2]);
    if (!world_text(text)) return;
    spin_of(L);
    for (int k = 0; k < 3; k++) size = fmax(size, fabs(L[k]));
    for (int k = 0; k < STEPS; k++) {
        double quick = 0;
        tact_status status = tact_world_step(&world);
        for (int i = 0; i < 3; i++) quick += pow((double)world.state.v[i], 2);
        quick = h * (sqrt(quick) + (arm ? fabs((double)world.state.v[6]) : 0));
        spin_of(now);
        if (quick > (arm ? 0.5 : 1.57)) break;
        for (int i = 0; i < 3 && !floor; i++) *drift = fmax(*drift, fabs(now[i] - L[i]) / size);
        CHECK_INT(status, TACT_CONVERGED);
        if (status != TACT_CONVERGED) printf("    h %g, ratio %g, w %g %g %g, step %d\n", h, ratio, w[0], w[1], w[2], k);
        if (status != TACT_CONVERGED) break;
        ++*steps;
    }
    world_end();
}

int main(void) {
    uint64_t seed = test_seed(3);
    static const char *const kind[] = {"in flight", "with an arm", "over a floor"};
    for (int k = 0; k < 3; k++) {
        int steps = 0;
        double drift = 0;
        for (int n = 0; n < test_rounds(CASES); n++) tumble(&seed, k == 1, k == 2, &steps, &drift);
        printf("%s: %d steps, momentum off by %.1e\n", kind[k], steps, drift);
        CHECK(drift <= within(2e-14 * STEPS, 2e-5 * STEPS));
    }
    return test_end("rigid_tumble");
}
