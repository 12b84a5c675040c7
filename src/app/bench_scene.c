// SPDX-License-Identifier: MIT
#include "app/bench_parts.h"

#include <stdio.h>

enum { LINKS = 4 };

// text with a number in its two places
static void add_numbered(tact_text *out, const char *before, int number, const char *middle, int other, const char *after) {
    tact_text_add(out, before);
    tact_text_add_integer(out, number);
    tact_text_add(out, middle);
    tact_text_add_integer(out, other);
    tact_text_add(out, after);
}

void tact_bench_scene(int fingers, int balls, tact_text *out) {
    bool many = fingers > 5 || balls > 1;
    tact_text_add(out, many
                           ? "{\"tact\":1,\"name\":\"many\",\"law\":\"barrier\",\"options\":{\"margin\":10,\"limits\":\"off\"},\n"
                           : "{\"tact\":1,\"name\":\"five fingers\",\"law\":\"barrier\",\"options\":{\"margin\":0.05},\n");
    // Bodies: a palm that slides, fingers of four links each, balls
    tact_text_add(out,
                  "\"bodies\":[\n{\"name\":\"palm\",\"parent\":\"world\",\"joint\":{\"name\":\"slide\",\"type\":\"prismatic\","
                  "\"axis\":[0,0,1],\"limits\":[-1,1]}}");
    for (int finger = 0; finger < fingers; finger++) {
        // A chain of links of 4 cm along x, the first turning sideways, the others towards the ball.
        char line[320];
        for (int link = 0; link < LINKS; link++) {
            char parent[32];
            snprintf(parent, sizeof parent, link > 0 ? "finger%d_%d" : "palm", finger, link);
            // thousandths, so that no locale matters
            snprintf(line, sizeof line,
                     ",\n{\"name\":\"finger%d_%d\",\"parent\":\"%s\",\"joint\":{\"name\":\"joint%d_%d\",\"type\":\"revolute\","
                     "\"axis\":["
                     "0,%d,%d],"
                     "\"limits\":[-2,2],\"xyz\":[%de-3,%de-3,0]}}",
                     finger, link + 1, parent, finger, link + 1, link > 0, link == 0, link > 0 ? 40 : 20,
                     link > 0 ? 0 : 30 * (finger - 2));
            tact_text_add(out, line);
        }
    }
    for (int ball = 0; ball < balls; ball++)
        add_numbered(out, ",\n{\"name\":\"ball", ball,
                     "\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[3e-4,3e-4,3e-4,0,0,0],"
                     "\"joint\":{\"type\":\"translation\",\"name\":\"ball",
                     ball, "\"}}");
    // Shapes: table, capsules of the links, balls
    tact_text_add(out, "],\n\"shapes\":[\n{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],"
                       "\"offset\":-0.2}");
    for (int finger = 0; finger < fingers; finger++)
        add_numbered(out, ",\n{\"type\":\"sphere\",\"radius\":0.015,\"xyz\":[0.03,0,0],\"name\":\"tip", finger,
                     "\",\"body\":\"finger", finger, "_4\"}");
    for (int ball = 0; ball < balls; ball++)
        add_numbered(out, ",\n{\"type\":\"sphere\",\"radius\":0.04,\"name\":\"ball", ball, "\",\"body\":\"ball", ball, "\"}");
    // Pairs: table and ball, finger tip and ball
    tact_text_add(out, "],\n\"pairs\":[");
    for (int ball = 0; ball < balls; ball++)
        add_numbered(out, ball > 0 ? ",\n{\"a\":\"table\",\"b\":\"ball" : "\n{\"a\":\"table\",\"b\":\"ball", ball, "\",\"mu\":0.",
                     5, "}");
    for (int finger = 0; finger < fingers; finger++)
        add_numbered(out, ",\n{\"b\":\"ball0\",\"a\":\"tip", finger, "\",\"mu\":0.", 5, "}");
    tact_text_add(out, "],\n\"drives\":[{\"joint\":\"slide\",\"stiffness\":100}");
    if (fingers > 0) tact_text_add(out, ",{\"joint\":\"joint*\",\"stiffness\":1}");
    tact_text_add(out, "],\n\"state\":{\"q\":{\"slide\":0.02");
    for (int ball = 0; ball < balls; ball++) add_numbered(out, ",\"ball", ball, "\":[0.12,", ball, ",-0.07]");
    tact_text_add(out, "}},\"command\":{\"mode\":\"hold\"}}\n");
}
