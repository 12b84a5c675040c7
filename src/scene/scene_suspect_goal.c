// SPDX-License-Identifier: MIT
// Goals that cannot be reached: farther than the joints of a body let it come, off the plane in which it moves, beyond all that
// could push it there, or in fewer steps than commands have knots.
#include "scene/suspect.h"

enum { DIGITS = 4 };

// Where a body can come: its origin stays within a ball. Beyond a joint that moves on a path or freely that is everywhere.
typedef struct {
    tact_pose pose;                 // of the first joint above it that moves, else of the body, in the world
    double least, most;             // distance of the body's origin from there [m]
    bool moves, driven;             // a joint above it does, and by a drive
    const tact_draft_frame *plane;  // of the planar joint that is the first to move
} range;

// One body, of the range of its parent: two arms of lengths a and b reach between |a - b| and a + b.
static range extend(const tact_scene_build *build, int i, range at) {
    const tact_draft_body *body = &build->draft.bodies[i];
    const tact_scene_link *link = &build->links[i];
    if (at.moves) {
        double arm = tact_scene_norm(body->frame.xyz), inner = fmax(arm - at.most, at.least - arm);
        at.least = fmax(inner, 0), at.most += arm;
    } else {
        at.pose = tact_pose_multiply(at.pose, tact_scene_pose(&body->frame));
        if (body->type == TACT_JOINT_PLANAR) at.plane = &body->frame;
    }
    // what slides may end anywhere between
    if (link->dofs > 0 && body->type != TACT_JOINT_REVOLUTE && body->type != TACT_JOINT_CONTINUOUS) {
        bool ends = body->type == TACT_JOINT_PRISMATIC && body->limited;
        double travel = ends ? fmax(fabs((double)body->lower), fabs((double)body->upper)) : HUGE_VAL;
        at.least = fmax(at.least - travel, 0), at.most += travel;
    }
    at.moves = at.moves || link->dofs > 0;
    at.driven = at.driven || build->links[link->leader].driven;
    return at;
}

// Whether the goal is beyond all driven links: none of them comes so near that it touches the body, or pushes it by others.
static bool is_beyond(const tact_scene_build *build, const range *of, double *reach) {
    double slack = fmax((double)build->options.margin, 0), nearest = HUGE_VAL;
    *reach = 0;
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        const range *at = build->shape_body[i] == TACT_WORLD ? NULL : &of[build->shape_body[i]];
        const double size = tact_scene_norm(shape->frame.xyz) + tact_scene_shape_size(shape);
        if (at && at->moves && !at->driven) slack += 2 * size;
        if (!at || !at->driven) continue;
        tact_vec3 away = tact_vec3_sub(build->goal.position, at->pose.p);
        nearest = fmin(nearest, sqrt((double)tact_vec3_dot(away, away)) - at->most - size);
        *reach = fmax(*reach, at->most + size);
    }
    return nearest < HUGE_VAL && nearest > slack;
}

bool tact_scene_suspect_goal(tact_scene_build *build) {
    const tact_goal *goal = &build->goal;
    tact_draft_mark mark = {.json = build->json, .node = tact_json_find(build->json, 0, "goal")};
    if (mark.node < 0) return true;
    if (goal->horizon < goal->knots && tact_json_find(build->json, mark.node, "horizon") >= 0)
        tact_draft_doubt(&build->draft, &mark, "horizon",
                         "fewer steps than the %d knots of a command: it counts steps of dt, 100 for %s s", goal->knots,
                         tact_rounded(100 * (double)build->options.dt, DIGITS).text);
    if (goal->body == TACT_WORLD) return true;
    range *of = tact_draft_take(&build->draft, (size_t)build->draft.nbody * sizeof of[0]);
    if (!of) return false;
    for (int k = 0; k < build->draft.nbody; k++) {
        int i = build->order[k], up = build->links[i].parent;
        const range world = {.pose = tact_pose_identity()};
        of[i] = extend(build, i, up == TACT_WORLD ? world : of[up]);
    }
    const range *at = &of[goal->body];
    tact_vec3 away = tact_vec3_sub(goal->position, at->pose.p);
    double distance = sqrt((double)tact_vec3_dot(away, away)), tolerance = (double)goal->tolerance, reach = 0;
    double off = at->plane ? fabs((double)tact_vec3_dot(tact_mat3_column(at->pose.R, 2), away)) : 0;
    tact_quoted name = tact_quote(build->draft.bodies[goal->body].name);
    if (distance > at->most + tolerance || distance < at->least - tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         "out of reach: its joints hold the origin of %.200s between %s and %s m from the first of them, and "
                         "that is %s m away",
                         name.text, tact_rounded(at->least, DIGITS).text, tact_rounded(at->most, DIGITS).text,
                         tact_rounded(distance, DIGITS).text);
    else if (off > tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         "%s m off the plane in which the joint of %.200s moves: it cannot come there",
                         tact_rounded(off, DIGITS).text, name.text);
    else if (!build->law->velocities && !at->driven && is_beyond(build, of, &reach))
        tact_draft_doubt(
            &build->draft, &mark, "position",
            "out of reach: no driven link comes farther than %s m from its first joint, and nothing else brings %.200s there",
            tact_rounded(reach, DIGITS).text, name.text);
    return true;
}
