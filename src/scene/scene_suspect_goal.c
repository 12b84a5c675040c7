// SPDX-License-Identifier: MIT
// Goals that cannot be reached: farther than the joints of a body let it come, off the plane in which it moves, beyond all that
// could push it there, or in fewer steps than commands have knots.
#include "scene/suspect.h"

#define LEVEL 0.999999  // cosine between the normal of a plane and the vertical, down which nothing slides
enum { DIGITS = 4 };

// Where a body can come: its origin stays within a ball. Beyond a joint that moves on a path or freely that is everywhere.
typedef struct {
    tact_pose pose;                 // of the first joint above it that moves, else of the body, in the world
    double least, most;             // distance of the body's origin from there [m]
    bool moves, driven;             // a joint above it does, and by a drive or a spring
    const tact_draft_frame *plane;  // of the planar joint that is the first to move
} range;

static double length(tact_vec3 x) {
    return sqrt((double)tact_vec3_dot(x, x));
}

// One body, of the range of its parent: two arms of lengths a and b reach between |a - b| and a + b.
static range extend(const tact_scene_build *build, int i, range at) {
    const tact_draft_body *body = &build->draft.bodies[i];
    const tact_scene_link *link = &build->links[i];
    if (at.moves) {
        double arm = tact_scene_norm(body->frame.xyz), inner = fmax(arm - at.most, at.least - arm);
        // what is carried may stand beside the plane
        at.least = fmax(inner, 0), at.most += arm, at.plane = NULL;
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
    for (int k = 0; k < build->nspring; k++)
        for (int n = 0; n < build->springs[k].count; n++) {
            const int dof = build->springs[k].dof[n];
            at.driven = at.driven || (dof >= link->v && dof < link->v + link->dofs);
        }
    return at;
}

// Whether nothing but driven links, and bodies that they push, brings an object to its goal: it does not begin there, falls
// there, comes down a slope or is drawn by a force.
static bool is_pushed(const tact_scene_build *build, const range *of, double tolerance) {
    const int body = build->goal.body;
    const tact_scene_link *link = &build->links[body];
    const tact_vec3 g = build->options.gravity;
    if (!tact_scene_is_object(build, body) || link->parent != TACT_WORLD || build->nloop > 0 || build->nforce > 0) return false;
    const tact_real *q = &build->q0[link->q], z = build->draft.bodies[body].type == TACT_JOINT_PLANAR ? 0 : q[2];
    tact_vec3 way = tact_vec3_sub(build->goal.position, tact_pose_apply(of[body].pose, tact_vec3_make(q[0], q[1], z)));
    bool level = length(way) > tolerance && (double)tact_vec3_dot(way, g) <= tolerance * length(g);
    for (int i = 0; i < build->draft.nshape && length(g) > 0; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        if (build->shape_body[i] != TACT_WORLD) continue;
        bool flat = shape->type == TACT_SHAPE_PLANE || shape->type == TACT_SHAPE_BOX || shape->type == TACT_SHAPE_CYLINDER;
        tact_pose surface = tact_pose_multiply(tact_scene_pose(&shape->frame), tact_scene_surface(shape));
        level = level && flat && fabs((double)tact_vec3_dot(tact_mat3_column(surface.R, 2), g)) > LEVEL * length(g);
    }
    return level && !of[body].driven;
}

// Whether the goal is beyond all driven links: none of them comes so near that it touches the body, or pushes it by others.
static bool is_beyond(const tact_scene_build *build, const range *of, double slack, double *reach) {
    double nearest = HUGE_VAL;
    *reach = 0;
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        const range *at = build->shape_body[i] == TACT_WORLD ? NULL : &of[build->shape_body[i]];
        const bool endless = shape->type == TACT_SHAPE_PLANE || shape->type == TACT_SHAPE_HALFPLANE;
        const double size = tact_scene_norm(shape->frame.xyz) + (endless ? HUGE_VAL : tact_scene_shape_size(shape));
        if (at && at->moves && !at->driven) slack += 2 * size;
        if (!at || !at->driven) continue;
        nearest = fmin(nearest, length(tact_vec3_sub(build->goal.position, at->pose.p)) - at->most - size);
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
    const double distance = length(away), tolerance = fmax((double)goal->tolerance, (double)goal->position_tolerance);
    double reach = 0, slack = tolerance + fmax((double)build->options.margin, 0);
    double off = at->plane ? fabs((double)tact_vec3_dot(tact_mat3_column(at->pose.R, 2), away)) : 0;
    tact_quoted name = tact_quote(build->draft.bodies[goal->body].name);
    if (distance > at->most + tolerance || distance < at->least - tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         at->moves ? "out of reach: its joints hold the origin of %.200s between %s and %s m from the first of "
                                     "them, and that is %s m away"
                                   : "out of reach: no joint moves %.200s, which is fixed to the world",
                         name.text, tact_rounded(at->least, DIGITS).text, tact_rounded(at->most, DIGITS).text,
                         tact_rounded(distance, DIGITS).text);
    else if (off > tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         "%s m off the plane in which the joint of %.200s moves: it cannot come there",
                         tact_rounded(off, DIGITS).text, name.text);
    else if (!build->law->velocities && is_pushed(build, of, tolerance) && is_beyond(build, of, slack, &reach))
        tact_draft_doubt(
            &build->draft, &mark, "position",
            "out of reach: no driven link comes farther than %s m from its first joint, and nothing else brings %.200s there",
            tact_rounded(reach, DIGITS).text, name.text);
    return true;
}
