// SPDX-License-Identifier: MIT
// A cube in a valley between two walls and a floor, and fingers that press it into them: corners touch two walls at once, few of
// the contacts within the margin bear, and those that bear are wedged. Every step has its answer, whatever the margin says.
#include "rigid_world.h"

enum { FINGERS = 3, RUNS = 12, STEPS = 80 };

#define CORNER(n, x, y, z) "{\"name\":\"c" n "\",\"body\":\"cube\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[" x "," y "," z "]},"
#define FINGER(n, x, y, z, axis)                                                                                    \
    "{\"name\":\"f" n "\",\"parent\":\"world\",\"mass\":0.05,\"joint\":{\"xyz\":[" x "," y "," z "],\"name\":\"f" n \
    "\",\"type\":\"prismatic\",\"axis\":" axis ",\"limits\":[-0.02,0.05]}}"
#define TIP(n) "{\"name\":\"t" n "\",\"body\":\"f" n "\",\"type\":\"sphere\",\"radius\":0.012}"

static const char WEDGE[] =
    "{\"tact\":1,\"name\":\"wedge\",\"law\":\"rigid\",\"options\":{\"dt\":0.01,\"margin\":%g},\"mu\":%g,\"pairs\":\"auto\","
    "\"bodies\":["
    "{\"name\":\"cube\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[4.2e-5,4.2e-5,4.2e-5,0,0,0],\"joint\":{\"type\":\"free\"}}"
    "," FINGER("0", "-0.04", "0", "0.07", "[1,0,-0.5]") "," FINGER("1", "0.05", "0.005", "0.05", "[-1,0,0.1]") "," FINGER(
        "2", "0", "-0.05", "0.06",
        "[0,1,-0.2]") "],\"shapes\":["
                      "{\"name\":\"cube\",\"body\":\"cube\",\"type\":\"box\",\"size\":[0.05,0.05,0.05]}," CORNER(
                          "1", "-0.025", "-0.025", "-0.025") CORNER("2", "-0.025", "-0.025", "0.025")
                          CORNER("3", "-0.025", "0.025", "-0.025") CORNER("4", "-0.025", "0.025", "0.025")
                              CORNER("5", "0.025", "-0.025", "-0.025") CORNER("6", "0.025", "-0.025",
                                                                              "0.025") CORNER("7", "0.025", "0.025", "-0.025")
                                  CORNER("8", "0.025", "0.025",
                                         "0.025") "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],"
                                                  "\"offset\":0},"
                                                  "{\"name\":\"left\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[1,0.1,0."
                                                  "2],\"offset\":-0.03},"
                                                  "{\"name\":\"back\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[-0.1,-1,"
                                                  "0.3],\"offset\":-0.03}," TIP("0") "," TIP("1") "," TIP(
                                                      "2") "],\"drives\":[{\"joint\":\"f*\",\"stiffness\":400,\"damping\":2}],"
                                                           "\"state\":{\"q\":{\"cube\":[0.002,0,0.03,1,0,0,0]}}}";

// the share of steps that converged
static int run_wedge(uint64_t *seed, double margin, double mu) {
    char text[6000];
    int converged = 0;
    double to[FINGERS];
    snprintf(text, sizeof text, WEDGE, margin, mu);
    for (int f = 0; f < FINGERS; f++) to[f] = test_random(seed, 0.01, 0.045);
    if (!world_text(text)) return 0;
    for (int k = 0; k < STEPS; k++) {
        for (int f = 0; f < FINGERS; f++) world.u[f] = (tact_real)(to[f] * fmin(1, k / 40.0));
        tact_status status = tact_world_step(&world);
        converged += status == TACT_CONVERGED;
        if (status != TACT_CONVERGED)
            printf("    mu %.3f, margin %g, step %d: %s, residual %.1e\n", mu, margin, k, tact_status_name(status),
                   (double)world.work.decrement);
    }
    world_end();
    return converged;
}

int main(void) {
    uint64_t seed = test_seed(5);
    static const double margin[] = {0.03, 0.003};
    for (int k = 0; k < test_rounds(RUNS); k++) CHECK_INT(run_wedge(&seed, margin[k % 2], test_random(&seed, 0.2, 1.5)), STEPS);
    return test_end("rigid_wedge");
}
