// SPDX-License-Identifier: MIT
#include "app/bench_scene.h"

#include <stdio.h>

enum { FINGERS = 5, LINKS = 4 };

// A chain of links of 4 cm along x, the first turning sideways, the others towards the ball.
static void add_finger(int finger, tact_text *out) {
    char line[320];
    for (int link = 0; link < LINKS; link++) {
        char parent[32];
        snprintf(parent, sizeof parent, link > 0 ? "finger%d_%d" : "palm", finger, link);
        // thousandths, so that no locale matters
        snprintf(line, sizeof line,
                 "{\"name\":\"finger%d_%d\",\"parent\":\"%s\",\"joint\":{\"name\":\"joint%d_%d\",\"type\":\"revolute\",\"axis\":["
                 "0,%d,%d],"
                 "\"limits\":[-2,2],\"xyz\":[%de-3,%de-3,0]}},\n",
                 finger, link + 1, parent, finger, link + 1, link > 0, link == 0, link > 0 ? 40 : 20,
                 link > 0 ? 0 : 30 * (finger - 2));
        tact_text_add(out, line);
    }
}

void tact_bench_scene(tact_text *out) {
    char line[240];
    tact_text_add(
        out,
        "{\"tact\":1,\"name\":\"five fingers\",\"law\":\"barrier\",\n\"options\":{\"kappa\":100,\"margin\":0.05},\n\"bodies\":[\n"
        "{\"name\":\"palm\",\"parent\":\"world\",\"joint\":{\"name\":\"slide\",\"type\":\"prismatic\",\"axis\":[0,0,1],"
        "\"limits\":[-1,1]}},\n");
    for (int finger = 0; finger < FINGERS; finger++) add_finger(finger, out);
    tact_text_add(out, "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[3e-4,3e-4,3e-4,0,0,0],"
                       "\"joint\":{\"name\":\"ball\",\"type\":\"translation\"}}],\n\"shapes\":[\n"
                       "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04},\n");
    for (int finger = 0; finger < FINGERS; finger++) {
        snprintf(line, sizeof line,
                 "{\"name\":\"tip%d\",\"body\":\"finger%d_4\",\"type\":\"sphere\",\"radius\":0.015,\"xyz\":[0.03,0,0]},\n",
                 finger, finger);
        tact_text_add(out, line);
    }
    tact_text_add(
        out, "{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":-0.2}],\n\"pairs\":[\n");
    for (int finger = 0; finger < FINGERS; finger++) {
        snprintf(line, sizeof line, "{\"a\":\"tip%d\",\"b\":\"ball\",\"mu\":0.5},\n", finger);
        tact_text_add(out, line);
    }
    tact_text_add(out, "{\"a\":\"table\",\"b\":\"ball\",\"mu\":0.5}],\n"
                       "\"drives\":[{\"joint\":\"slide\",\"stiffness\":100},{\"joint\":\"joint*\",\"stiffness\":1}],\n"
                       "\"state\":{\"q\":{\"slide\":0.02,\"ball\":[0.12,0,-0.07]}},\"command\":{\"mode\":\"hold\"}}\n");
}
