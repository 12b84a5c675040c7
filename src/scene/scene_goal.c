// SPDX-License-Identifier: MIT
// Where `tact optimise` and `tact mpc` shall bring a body, and how the latter plans.
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "scene/urdf_parts.h"

// what the table fills
typedef struct {
    const char *body;
    tact_real orientation[4];
    tact_goal goal;
} goal_entry;

static const goal_entry goal_defaults = {.goal = {.horizon = 100,
                                                  .knots = 4,
                                                  .weight = 10000,
                                                  .path = 0,
                                                  .effort = TACT_REAL(0.1),
                                                  .tolerance = TACT_REAL(0.002),
                                                  .angle_weight = -1,
                                                  .orientation = {1, 0, 0, 0},
                                                  .position_tolerance = TACT_REAL(0.02),
                                                  .angle_tolerance = TACT_GOAL_ANGLE,
                                                  .hold = 2}};

const tact_key tact_scene_goal_keys[] = {
    TACT_ROW(NAME, "body", .offset = offsetof(goal_entry, body), .fallback = "needed without \"terms\"",
             .meaning = "the body that has the goal"),
    TACT_ROW(VECTOR, "position", .count = 3, .offset = offsetof(goal_entry, goal.position), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .meaning = "of its origin at the end, in the world [m]"),
    TACT_ROW(INTEGER, "horizon", .offset = offsetof(goal_entry, goal.horizon), .range = TACT_RANGE_WITHIN(1, 1000000),
             .fallback = "100", .meaning = "steps until then"),
    TACT_ROW(INTEGER, "knots", .offset = offsetof(goal_entry, goal.knots), .range = TACT_RANGE_WITHIN(1, 1000), .fallback = "4",
             .meaning = "times at which each command is free; linear between, the initial coordinates before"),
    TACT_ROW(NUMBER, "weight", .offset = offsetof(goal_entry, goal.weight), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "1e4",
             .meaning = "of the squared distance at the end [1/m^2]"),
    TACT_ROW(NUMBER, "path", .offset = offsetof(goal_entry, goal.path), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "0",
             .meaning = "of the mean squared distance on the way [1/m^2]"),
    TACT_ROW(
        NUMBER, "effort", .offset = offsetof(goal_entry, goal.effort), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "0.1",
        .meaning =
            "of stiffness times the commands' squared travel from knot to knot, times knots [1/J]; of drives by force of the "
            "integral of the squared force [1/(N^2 s)]"),
    TACT_ROW(NUMBER, "tolerance", .offset = offsetof(goal_entry, goal.tolerance), .range = TACT_RANGE_WITHIN(0, 1e6),
             .fallback = "that", .meaning = "older word for position_tolerance; beside it, that of tact optimise alone"),
    TACT_ROW(VECTOR, "orientation", .count = 4, .offset = offsetof(goal_entry, orientation), .range = TACT_RANGE_WITHIN(-2, 2),
             .fallback = "any", .meaning = "of the body, in the world: quaternion w, x, y, z"),
    TACT_ROW(NUMBER, "angle_weight", .offset = offsetof(goal_entry, goal.angle_weight), .range = TACT_RANGE_WITHIN(0, 1e9),
             .fallback = "weight x (5 cm)^2",
             .meaning = "of the squared angle at the end [1/rad^2], and on the way as path to weight (tact optimise)"),
    TACT_ROW(NUMBER, "posture", .offset = offsetof(goal_entry, goal.posture), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "0",
             .meaning =
                 "of stiffness times the mean squared distance of the knots from the initial coordinates [1/J] (tact optimise)"),
    TACT_ROW(NUMBER, "reach", .offset = offsetof(goal_entry, goal.reach), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "0",
             .meaning = "of the mean squared distance of each fingertip from the body [1/m^2] (tact optimise)"),
    TACT_ROW(LIST, "terms", .keys = tact_scene_term_keys, .fallback = "none",
             .meaning = "further goals: points, waypoints, joints, forces (tact optimise)"),
    TACT_ROW(NUMBER, "position_tolerance", .offset = offsetof(goal_entry, goal.position_tolerance),
             .range = TACT_RANGE_WITHIN(0, 1e6), .fallback = "0.002 to optimise, 0.02 to mpc",
             .meaning = "distance at which it counts as reached [m]"),
    TACT_ROW(NUMBER, "angle_tolerance", .offset = offsetof(goal_entry, goal.angle_tolerance), .range = TACT_RANGE_WITHIN(0, 4),
             .fallback = "0.2443, 14 degrees", .meaning = "angle likewise [rad]"),
    TACT_ROW(NUMBER, "hold", .offset = offsetof(goal_entry, goal.hold), .range = TACT_RANGE_WITHIN(0, 1e6), .fallback = "2",
             .meaning = "for how long [s] (tact mpc)"),
    {0},
};

bool tact_scene_is_quaternion(const tact_json *json, int node) {
    bool four = node >= 0 && tact_json_type(json, node) == TACT_JSON_ARRAY && tact_json_length(json, node) == 4;
    for (int i = four ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i))
        four = four && tact_json_type(json, i) == TACT_JSON_NUMBER;
    return four;
}

bool tact_scene_read_orientation(const tact_json *json, int node, const tact_real w[4], tact_quat *orientation) {
    double norm = sqrt((double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]));
    if (!(fabs(norm - 1) <= 1e-3)) {
        tact_json_refuse(json, node, "norm %s: must be 1 within 1e-3 (w, x, y, z)", tact_number_print(norm).text);
        return false;
    }
    tact_real scale = (tact_real)(1 / norm);
    *orientation = (tact_quat){w[0] * scale, w[1] * scale, w[2] * scale, w[3] * scale};
    return true;
}

void tact_scene_read_quat(const tact_json *json, int node, const tact_key *keys, tact_draft_frame *frame) {
    int at = tact_json_find(json, node, "quat");
    tact_real w[4];
    tact_quat turn;
    if (at < 0) return;
    if (tact_json_find(json, node, "rpy") >= 0)
        tact_json_refuse(json, at, "\"rpy\" turns it, too: leave one of them out");
    else if (tact_key_read_numbers(json, at, tact_key_find(keys, "quat"), 4, w) &&
             tact_scene_read_orientation(json, at, w, &turn))
        tact_urdf_angles(tact_quat_matrix(turn), frame->rpy);
}

const char *tact_scene_read_pose_goal(const tact_json *json, int node, tact_goal *goal) {
    goal_entry entry = goal_defaults;
    entry.goal.body = TACT_WORLD;
    *goal = entry.goal;
    if (node < 0 || !tact_keys_check(json, node, tact_scene_goal_keys, NULL)) return NULL;
    int orientation = tact_json_find(json, node, "orientation");
    // "body" and "position" go together, and one of a body and terms is needed.
    int body = tact_json_find(json, node, "body"), position = tact_json_find(json, node, "position");
    bool terms = tact_json_find(json, node, "terms") >= 0;
    if (body < 0 && !(terms && position < 0)) tact_json_need(json, node, "body");
    if (position < 0 && !(terms && body < 0)) tact_json_need(json, node, "position");
    bool good = terms ? (body >= 0) == (position >= 0) : body >= 0 && position >= 0;
    bool read = tact_keys_read(json, node, tact_scene_goal_keys, &entry);
    good = good && read;
    entry.goal.oriented = orientation >= 0;
    // anything but a list of four numbers is refused above
    if (orientation >= 0 && (read || tact_scene_is_quaternion(json, orientation)))
        good = tact_scene_read_orientation(json, orientation, entry.orientation, &entry.goal.orientation) && good;
    // one tolerance serves both commands
    bool older = tact_json_find(json, node, "tolerance") >= 0, newer = tact_json_find(json, node, "position_tolerance") >= 0;
    if (newer && !older) entry.goal.tolerance = entry.goal.position_tolerance;
    if (older && !newer) entry.goal.position_tolerance = entry.goal.tolerance;
    if (entry.goal.angle_weight < 0) entry.goal.angle_weight = TACT_GOAL_LEVER * TACT_GOAL_LEVER * entry.goal.weight;
    *goal = entry.goal;
    return good ? entry.body : NULL;
}

bool tact_scene_read_goal(tact_scene_build *build) {
    tact_draft_mark mark = {.json = build->json, .node = tact_json_find(build->json, 0, "goal")};
    const char *body = tact_scene_read_pose_goal(build->json, mark.node, &build->goal);
    if (body && strcmp(body, TACT_SCENE_WORLD) == 0)
        tact_draft_refuse(&build->draft, &mark, "body", "the world does not move");
    else if (body)
        build->goal.body = tact_scene_find_body(build, &mark, "body", body);
    return tact_scene_read_terms(build, mark.node);
}

static const char *const regions[] = {"box", "contact", NULL};

#define MPC(field) offsetof(tact_mpc_settings, field)

const tact_key tact_scene_mpc_keys[] = {
    TACT_ROW(NUMBER, "dt", .offset = MPC(dt), .range = TACT_RANGE_WITHIN(1e-6, 1), .fallback = "0.1",
             .meaning = "of a planning step [s]"),
    TACT_ROW(INTEGER, "horizon", .offset = MPC(horizon), .range = TACT_RANGE_WITHIN(1, 1000), .fallback = "8",
             .meaning = "planning steps"),
    TACT_ROW(NUMBER, "rate", .offset = MPC(rate), .range = TACT_RANGE_WITHIN(1e-3, 1e6), .fallback = "50",
             .meaning = "solves a second [1/s]"),
    TACT_ROW(INTEGER, "sweeps", .offset = MPC(control.sweeps), .range = TACT_RANGE_WITHIN(1, 1000), .fallback = "1",
             .meaning = "rollouts with a backward pass in each solve"),
    TACT_ROW(NUMBER, "kappa", .offset = MPC(kappa), .range = TACT_RANGE_WITHIN(1, 1e8), .fallback = "3000",
             .meaning = "sharpness of planned contacts [1/J]"),
    TACT_ROW(NUMBER, "epsilon", .offset = MPC(epsilon), .range = TACT_RANGE_WITHIN(0, 1000), .fallback = "automatic",
             .meaning = "weight of undriven mass; automatic: epsilon m/dt^2 is 1000 N/m for the goal's body"),
    TACT_ROW(NUMBER, "margin", .offset = MPC(margin), .range = TACT_RANGE_FROM(0), .fallback = "0.03",
             .meaning = "pairs with a smaller gap enter planning steps [m]"),
    TACT_ROW(NUMBER, "position_weight", .offset = MPC(position_weight), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "10000",
             .meaning = "of the squared distance from the goal [1/m^2]"),
    TACT_ROW(NUMBER, "angle_weight", .offset = MPC(angle_weight), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "15",
             .meaning = "of the squared angle from the goal [1/rad^2]"),
    TACT_ROW(NUMBER, "path", .offset = MPC(control.path), .range = TACT_RANGE_WITHIN(0, 1e6), .fallback = "0.1",
             .meaning = "weight of the goal before the end of the horizon, as a share of its weight there"),
    TACT_ROW(NUMBER, "effort", .offset = MPC(control.effort), .range = TACT_RANGE_WITHIN(1e-9, 1e9), .fallback = "0.2",
             .meaning = "weight of squared changes of commands [1/rad^2]"),
    TACT_ROW(NUMBER, "posture", .offset = MPC(control.posture), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "0",
             .meaning = "weight of squared distances of commands from the initial coordinates [1/rad^2]"),
    TACT_ROW(NUMBER, "reach", .offset = MPC(control.reach), .range = TACT_RANGE_WITHIN(0, 1e9), .fallback = "2",
             .meaning = "weight of squared distances of fingertips from the body [1/m^2]"),
    TACT_ROW(NUMBER, "trust", .offset = MPC(control.trust), .range = TACT_RANGE_ABOVE(0), .fallback = "0.1",
             .meaning = "maximum change of a planned command in one sweep [rad]"),
    TACT_ROW(CHOICE, "region", .offset = MPC(region), .choices = regions, .fallback = "box",
             .meaning =
                 "further bounds on a change of commands; contact: linearised gaps stay open and forces inside their cones"),
    TACT_ROW(NUMBER, "lead", .offset = MPC(control.lead), .range = TACT_RANGE_ABOVE(0), .fallback = "0.2",
             .meaning = "maximum distance of a command from its coordinate [rad]: bounds the drives' forces"),
    TACT_ROW(NUMBER, "velocity", .offset = MPC(control.velocity), .range = TACT_RANGE_ABOVE(0), .fallback = "3",
             .meaning = "maximum rate of a command [rad/s]"),
    TACT_ROW(NUMBER, "patience", .offset = MPC(control.patience), .range = TACT_RANGE_FROM(0), .fallback = "1.5",
             .meaning = "time without progress after which the hand opens and grasps again [s]; 0: never"),
    TACT_ROW(NUMBER, "regrasp", .offset = MPC(control.regrasp), .range = TACT_RANGE_FROM(0), .fallback = "0.5",
             .meaning = "how long it takes to open [s]"),
    TACT_ROW(NUMBER, "spread", .offset = MPC(control.spread), .range = TACT_RANGE_FROM(0), .fallback = "0.3",
             .meaning = "it opens to the initial posture, each joint by up to this random offset [rad]"),
    TACT_ROW(NUMBER, "detour", .offset = MPC(control.detour), .range = TACT_RANGE_WITHIN(0, 3), .fallback = "0.7",
             .meaning = "every second time it first goes to a random orientation about this far from the goal's [rad]; 0: never"),
    TACT_ROW(NUMBER, "slide", .offset = MPC(control.slide), .range = TACT_RANGE_ABOVE(0), .fallback = "1",
             .meaning = "factor of trust, lead, velocity and spread for prismatic joints: metres for a radian [m/rad]"),
    TACT_ROW(NUMBER, "sizing", .offset = MPC(control.sizing), .range = TACT_RANGE_FROM(0), .fallback = "0.1",
             .meaning = "averaging time of the body's gaps [s]: where they overlap it is planned as smaller, where all are open "
                        "as larger; 0: never"),
    {0},
};

void tact_scene_read_mpc(tact_scene_build *build) {
    tact_mpc_settings *mpc = &build->mpc;
    *mpc = (tact_mpc_settings){.dt = TACT_REAL(0.1),
                               .kappa = 3000,
                               .epsilon = -1,
                               .margin = TACT_REAL(0.03),
                               .horizon = 8,
                               .rate = 50,
                               .position_weight = 10000,
                               .angle_weight = 15,
                               .control = tact_mpc_options_default()};
    int node = tact_json_find(build->json, 0, "mpc");
    if (node < 0 || !tact_keys_check(build->json, node, tact_scene_mpc_keys, NULL)) return;
    tact_keys_read(build->json, node, tact_scene_mpc_keys, mpc);
    // a tick of the controller lies within one step of its plan
    mpc->control.tick = 1 / mpc->rate;
    if (mpc->control.tick > mpc->dt * (1 + 4 * TACT_EPS))
        tact_json_refuse(build->json, node, "rate %s: a tick may not be longer than dt", tact_key_print(mpc->rate).text);
    mpc->control.tick = mpc->control.tick < mpc->dt ? mpc->control.tick : mpc->dt;
}
