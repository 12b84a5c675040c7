// SPDX-License-Identifier: MIT
// What a scene may say but its writer can hardly mean, reported once each: a body that nothing can touch, a robot without a
// drive, degrees in the place of radians, a quaternion in another order, an inertia in other units. Warnings; refused under
// --strict.
#include <string.h>

#include "scene/suspect.h"

#define TURN 6.283185307179586
#define DEGREE (TURN / 360)
#define SMALL_TURN 0.99  // cos(angle / 2) of 16 degrees,
#define RIGHT 0.7071     // and of 90
#define ROUND 1e-3       // what is 0 but for rounding

enum { DIGITS = 4 };

// A robot file in the place of a scene: nothing drives it; and a scene in which nothing ever moves.
static void suspect_robot_file(const tact_scene_build *build) {
    tact_draft_mark mark = {.json = build->json, .node = 0};
    bool moving = false, driven = false;
    for (int i = 0; i < build->draft.nbody; i++) {
        moving = moving || build->links[i].dofs > 0;
        driven = driven || build->links[i].driven;
    }
    const tact_vec3 *g = &build->options.gravity;
    const bool moved = driven || tact_vec3_dot(*g, *g) > 0 || build->npair > 0 || build->search.finder || build->nspring > 0 ||
                       build->nloop > 0 || build->nforce > 0 ||
                       tact_json_find(build->json, tact_json_find(build->json, 0, "state"), "v") >= 0;
    if (!moving && build->draft.nbody > 0)
        tact_draft_doubt(&build->draft, &mark, NULL,
                         "nothing can move: no body has a joint that is not fixed (\"joint\": {\"type\": \"free\", ...})");
    else if (moving && !moved && !tact_scene_is_robot(build))
        tact_draft_doubt(&build->draft, &mark, NULL,
                         "nothing will move: there is no drive, gravity, pair, spring, force or velocity");
    if (!moving || driven || !tact_scene_is_robot(build)) return;
    tact_draft_doubt(&build->draft, &mark, NULL,
                     "has the keys of a robot file only, and nothing is driven: a scene names such a file under \"robots\" "
                     "(tact new --robot FILE makes one)");
}

// Whether w, x, y, z is almost half a turn about z, and would be a small turn with w at the end: x, y, z, w were meant, since
// small turns are written by hand more often than turns near 180 degrees are. What it would be [degrees], or -1.
static double swapped_turn(const double q[4]) {
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    // cos(angle / 2), with w in the last place; rounding goes beyond 1
    double c = norm > 0 ? q[3] / norm : 0;
    // exactly half a turn: no turn in the other order
    if (q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] != 0) return 0;
    return c >= SMALL_TURN ? 2 * acos(fmin(c, 1)) / DEGREE : -1;
}

// |cos(angle / 2)| of the turn between two orientations
static double find_closeness(tact_quat a, tact_quat b) {
    return fabs((double)tact_quat_multiply(tact_quat_conjugate(a), b).w);
}

double tact_scene_swapped_turn(tact_quat q, tact_quat start) {
    const tact_quat other = {q.z, q.w, q.x, q.y};
    const bool tilted = fabs((double)q.w) < ROUND && (fabs((double)q.x) < ROUND) != (fabs((double)q.y) < ROUND);
    const bool swapped = tilted && fabs((double)q.z) > RIGHT + ROUND && find_closeness(start, q) < RIGHT - ROUND &&
                         find_closeness(start, other) > RIGHT + ROUND;
    return swapped ? 2 * acos(fmin(fabs((double)q.z), 1)) / DEGREE : -1;
}

// order: of the numbers as they are written, "w, x, y, z" or that of a free joint.
static void tell_swapped(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const double q[4],
                         const char *order) {
    TACT_ASSERT(order);
    double turn = swapped_turn(q);
    tact_draft_doubt(&build->draft, mark, key,
                     turn > 0
                         ? "almost half a turn about z: the order is %s; in the order x, y, z, w it were a turn of %s degrees"
                         : "half a turn about z: the order is %s, and no turn is 1, 0, 0, 0",
                     order, tact_rounded(turn, DIGITS).text);
}

// The first angle of a keyframe that is more than a turn.
static void suspect_keyframes(const tact_scene_build *build) {
    for (int i = 0; i < build->draft.nkeyframe; i++) {
        const tact_draft_keyframe *keyframe = &build->draft.keyframes[i];
        for (int k = 0; k < keyframe->nq; k++) {
            const tact_draft_coordinate *x = &keyframe->q[k];
            int body = x->joint ? tact_name_table_find(&build->joints, 0, x->joint) : -1;
            tact_joint_type type = body < 0 ? TACT_JOINT_FIXED : build->draft.bodies[body].type;
            // no hand winds up: 45 is degrees
            bool turns = type == TACT_JOINT_REVOLUTE || type == TACT_JOINT_CONTINUOUS;
            if (!turns || !(fabs((double)x->value[0]) > TURN)) continue;
            tact_draft_doubt(
                &build->draft, &keyframe->mark, "q", "joint %.200s: more than a turn: angles are in radians (%s degrees are %s)",
                x->joint, tact_number_print((double)x->value[0]).text, tact_rounded((double)x->value[0] * DEGREE, DIGITS).text);
            return;
        }
    }
}

// Joint angles of more than a turn, and quaternions that would be a small turn with w at the end.
static void suspect_state(const tact_scene_build *build) {
    const tact_json *json = build->json;
    int state = tact_json_find(json, 0, "state"), node = state >= 0 ? tact_json_find(json, state, "q") : -1;
    bool told[2] = {false, false};
    for (int i = node >= 0 ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        if (body < 0) continue;
        tact_joint_type type = build->draft.bodies[body].type;
        const tact_real *q = &build->q0[build->links[body].q];
        tact_draft_mark mark = {.json = json, .node = i};
        bool turns = type == TACT_JOINT_REVOLUTE || type == TACT_JOINT_CONTINUOUS;
        const double angle = type == TACT_JOINT_PLANAR ? (double)q[2] : turns ? (double)q[0] : 0;
        if (fabs(angle) > TURN && !told[0]) {
            tact_draft_doubt_angle(&build->draft, &mark, NULL, angle, false);
            told[0] = true;
        }
        if (type != TACT_JOINT_FREE || told[1]) continue;
        // position, then the quaternion
        const double turn[4] = {(double)q[3], (double)q[4], (double)q[5], (double)q[6]};
        if (swapped_turn(turn) >= 0) {
            tell_swapped(build, &mark, NULL, turn, "x y z w x y z");
            told[1] = true;
            continue;
        }
        const double tilted = tact_scene_swapped_turn((tact_quat){q[3], q[4], q[5], q[6]}, (tact_quat){1, 0, 0, 0});
        if (tilted < 0) continue;
        tact_draft_doubt(&build->draft, &mark, NULL, TACT_SCENE_TILTED, "x y z w x y z", tact_rounded(tilted, DIGITS).text);
        told[1] = true;
    }
}

// x, y, z, w in the place of w, x, y, z; true: it was reported
static bool suspect_turn(const tact_scene_build *build, const tact_json *json, int object, const char *key) {
    tact_draft_mark mark = {.json = json, .node = json ? tact_json_find(json, object, key) : -1};
    if (mark.node < 0 || !tact_scene_is_quaternion(json, mark.node)) return false;
    int at = tact_json_first(json, mark.node);
    double q[4];
    for (int k = 0; k < 4; k++, at = tact_json_after(json, at)) q[k] = tact_json_value(json, at);
    if (swapped_turn(q) < 0) return false;
    tell_swapped(build, &mark, NULL, q, "w, x, y, z");
    return true;
}

// The goal's orientation, and the first frame of a base, joint or shape of the scene's own: in files of robots half turns are
// usual.
static void suspect_turns(const tact_scene_build *build) {
    const tact_json *json = build->json;
    suspect_turn(build, json, tact_json_find(json, 0, "goal"), "orientation");
    int robots = tact_json_find(json, 0, "robots");
    for (int i = tact_json_first(json, robots); i >= 0; i = tact_json_after(json, i))
        if (suspect_turn(build, json, tact_json_find(json, i, "base"), "quat")) return;
    for (int i = 0; i < build->draft.nbody; i++) {
        tact_draft_mark joint = tact_scene_joint_mark(&build->draft.bodies[i]);
        if (joint.json == json && suspect_turn(build, json, joint.node, "quat")) return;
    }
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_mark *mark = &build->draft.shapes[i].mark;
        if (mark->json == json && suspect_turn(build, json, mark->node, "quat")) return;
    }
}

// Weight that draws upwards: z is up everywhere else.
static void suspect_gravity(const tact_scene_build *build) {
    const tact_vec3 *g = &build->options.gravity;
    tact_draft_mark mark = {.json = build->json, .node = tact_json_find(build->json, 0, "gravity")};
    if (mark.node >= 0 && tact_vec3_dot(*g, *g) > TACT_REAL(1e4))
        tact_draft_doubt(&build->draft, &mark, NULL, "more than ten times the earth's: the unit is m/s^2, and that is 9.81");
    if (mark.node < 0 || g->x != 0 || g->y != 0 || !(g->z > 0)) return;
    tact_draft_doubt(&build->draft, &mark, NULL, "upwards: z is up, and the earth's gravity is 0, 0, -9.81");
}

bool tact_scene_suspect(tact_scene_build *build) {
    const int before = build->errors->warnings;
    suspect_gravity(build);
    suspect_robot_file(build);
    suspect_state(build);
    suspect_keyframes(build);
    suspect_turns(build);
    tact_scene_suspect_idle(build);
    double extent = 0;
    if (!tact_scene_suspect_sizes(build, &extent) || !tact_scene_suspect_masses(build, extent)) return false;
    // robots of which no joint is driven
    int node = tact_json_find(build->json, 0, "robots");
    int count = node >= 0 ? tact_json_length(build->json, node) : 0;
    enum { MOVES = 1, DRIVEN = 2 };
    unsigned char *is = tact_draft_take(&build->draft, (size_t)count + 1);
    if (!is) return false;
    memset(is, 0, (size_t)count);
    for (int i = 0; i < build->draft.nbody; i++) {
        int r = build->draft.bodies[i].robot;
        if (r < 0 || r >= count || build->links[i].dofs == 0) continue;
        // a follower is driven with its leader
        is[r] |= build->links[build->links[i].leader].driven ? MOVES | DRIVEN : MOVES;
    }
    int at = count > 0 ? tact_json_first(build->json, node) : -1;
    for (int r = 0; r < count; r++, at = tact_json_after(build->json, at)) {
        if (is[r] == MOVES)
            tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, at), NULL,
                             "none of its joints is driven: it takes no commands (see: drives in tact help scene)");
    }
    bool done = tact_scene_suspect_rest(build);
    // what else is odd may be why a goal cannot be reached
    build->undoubted = build->errors->warnings == before;
    return done;
}
