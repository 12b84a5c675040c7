// SPDX-License-Identifier: MIT
// Where `tact optimise` shall bring a body.
#include <stddef.h>
#include <string.h>

#include "scene/build.h"

// what the table fills
typedef struct {
    const char *body;
    tact_goal goal;
} goal_entry;

static const goal_entry goal_defaults = {
    .goal = {.horizon = 100, .knots = 4, .weight = 10000, .path = 0, .effort = TACT_REAL(0.1), .tolerance = TACT_REAL(0.002)}};

const tact_key tact_scene_goal_keys[] = {
    {.name = "body",
     .kind = TACT_KEY_NAME,
     .required = true,
     .offset = offsetof(goal_entry, body),
     .meaning = "that is to get there"},
    {.name = "position",
     .kind = TACT_KEY_VECTOR,
     .required = true,
     .count = 3,
     .offset = offsetof(goal_entry, goal.position),
     .range = TACT_RANGE_ANY,
     .most = TACT_MOST_LENGTH,
     .meaning = "of its origin at the end, in the world [m]"},
    {.name = "horizon",
     .kind = TACT_KEY_INTEGER,
     .offset = offsetof(goal_entry, goal.horizon),
     .range = TACT_RANGE_WITHIN(1, 1000000),
     .fallback = "100",
     .meaning = "steps until then"},
    {.name = "knots",
     .kind = TACT_KEY_INTEGER,
     .offset = offsetof(goal_entry, goal.knots),
     .range = TACT_RANGE_WITHIN(1, 1000),
     .fallback = "4",
     .meaning = "times at which each command is free; linear between, the initial coordinates before"},
    {.name = "weight",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(goal_entry, goal.weight),
     .range = TACT_RANGE_WITHIN(0, 1e9),
     .fallback = "1e4",
     .meaning = "of the squared distance at the end [1/m^2]"},
    {.name = "path",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(goal_entry, goal.path),
     .range = TACT_RANGE_WITHIN(0, 1e9),
     .fallback = "0",
     .meaning = "of the mean squared distance on the way [1/m^2]"},
    {.name = "effort",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(goal_entry, goal.effort),
     .range = TACT_RANGE_WITHIN(0, 1e9),
     .fallback = "0.1",
     .meaning = "of stiffness times the commands' squared travel from knot to knot, times knots [1/J]; of drives by force of the "
                "integral of the squared force [1/(N^2 s)]"},
    {.name = "tolerance",
     .kind = TACT_KEY_NUMBER,
     .offset = offsetof(goal_entry, goal.tolerance),
     .range = TACT_RANGE_WITHIN(0, 1e6),
     .fallback = "0.002",
     .meaning = "distance at which it counts as reached [m]"},
    {0},
};

void tact_scene_read_goal(tact_scene_build *build) {
    const tact_json *json = build->json;
    goal_entry entry = goal_defaults;
    tact_draft_mark mark = {.json = json, .node = tact_json_find(json, 0, "goal")};
    build->goal = entry.goal;
    build->goal.body = TACT_WORLD;
    if (mark.node < 0 || !tact_keys_check(json, mark.node, tact_scene_goal_keys, NULL)) return;
    tact_keys_read(json, mark.node, tact_scene_goal_keys, &entry);
    build->goal = entry.goal;
    build->goal.body = TACT_WORLD;
    if (entry.body && strcmp(entry.body, TACT_SCENE_WORLD) == 0)
        tact_draft_refuse(&build->draft, &mark, "body", "the world does not move");
    else if (entry.body)
        build->goal.body = tact_scene_find_body(build, &mark, "body", entry.body);
}
