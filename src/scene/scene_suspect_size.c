// SPDX-License-Identifier: MIT
// Numbers in other units: millimetres where metres stand, degrees in the place of radians. A length is suspect that is ten times
// longer than all but a few of the scene's.
#include <string.h>

#include "scene/suspect.h"
#include "tact/mesh.h"

#define TURN 6.283185307179586
#define FAR 10.0               // times longer than the others
#define ALONE 500.0            // the same of a single one in a scene of few lengths
#define LONG 2.0               // [m] what is shorter is never suspect
#define HALL 100.0             // [m] that the base of a robot is within
#define CORNER 0.9             // of a box's size and where the spheres at its corners end
enum { DIGITS = 4, FEW = 4 };  // one in so many lengths may be far

// A length that the scene names, and where.
typedef struct {
    double value;
    const tact_draft_mark *mark;
    const char *key;
    int node;  // where that is known better than by mark and key, else -1
} length;

typedef struct {
    length *all;
    int count;
} lengths;

static void add(lengths *list, double value, const tact_draft_mark *mark, const char *key, int node) {
    if (value > 0) list->all[list->count++] = (length){value, mark, key, node};
}

double tact_scene_shape_size(const tact_draft_shape *shape) {
    tact_shape as = {.type = shape->type, .count = shape->count, .point = shape->point, .hull = shape->hull, .grid = shape->grid};
    memcpy(as.size, shape->size, sizeof as.size);
    const double radius = tact_shape_radius(&as);
    return radius < HUGE_VAL ? radius : 0;
}

// how many coordinates of a joint are lengths
static int count_lengths(tact_joint_type type) {
    if (type == TACT_JOINT_FREE || type == TACT_JOINT_TRANSLATION) return 3;
    return type == TACT_JOINT_PLANAR ? 2 : type == TACT_JOINT_PRISMATIC ? 1 : 0;
}

// The members of /state/q that have a place.
static void add_state(const tact_scene_build *build, lengths *list) {
    const tact_json *json = build->json;
    int state = tact_json_find(json, 0, "state"), node = state >= 0 ? tact_json_find(json, state, "q") : -1;
    for (int i = node >= 0 ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        if (body < 0) continue;
        int count = count_lengths(build->draft.bodies[body].type);
        add(list, tact_scene_longest(&build->q0[build->links[body].q], count), &build->draft.bodies[body].mark, NULL, i);
    }
}

// The node of the number of the largest magnitude: of a command, or of its times; -1 where there is none.
static int find_largest(const tact_json *json, int node) {
    bool list = node >= 0 && tact_json_type(json, node) == TACT_JSON_ARRAY;
    int most = -1;
    for (int k = list ? tact_json_first(json, node) : node; k >= 0; k = list ? tact_json_after(json, k) : -1) {
        bool more = tact_json_type(json, k) == TACT_JSON_NUMBER;
        if (more && (most < 0 || fabs(tact_json_value(json, k)) > fabs(tact_json_value(json, most)))) most = k;
    }
    return most;
}

// Commands of joints that slide, one length each: the largest.
static void add_command(const tact_scene_build *build, lengths *list) {
    const tact_json *json = build->json;
    int node = tact_json_find(json, tact_json_find(json, 0, "command"), "q");
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        const int most = find_largest(json, i);
        if (body < 0 || build->draft.bodies[body].type != TACT_JOINT_PRISMATIC || build->links[body].force || most < 0) continue;
        add(list, fabs(tact_json_value(json, most)), NULL, NULL, i);
    }
}

static bool list_lengths(tact_scene_build *build, lengths *list) {
    const tact_draft *draft = &build->draft;
    // state and command name each joint once, and followers not at all
    size_t room = 5 * (size_t)draft->nbody + 3 * (size_t)draft->nshape + 1;
    *list = (lengths){.all = tact_draft_take(&build->draft, room * sizeof list->all[0])};
    if (!list->all) return false;
    for (int i = 0; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        const tact_real com[3] = {body->com.x, body->com.y, body->com.z};
        add(list, tact_scene_longest(body->frame.xyz, 3), &body->mark, "joint", -1);
        add(list, tact_scene_longest(com, 3), &body->mark, "com", -1);
        // of the scene's own joints
        // How far a joint slides to the one or the other side; 0 without limits.
        bool slides = body->type == TACT_JOINT_PRISMATIC && body->limited && body->robot < 0;
        double low = slides && (double)body->lower > -TACT_MOST_LENGTH ? fabs((double)body->lower) : 0;
        double stroke = slides && (double)body->upper < TACT_MOST_LENGTH ? fmax(low, fabs((double)body->upper)) : low;
        if (stroke > 0) add(list, stroke, NULL, NULL, tact_json_find(build->json, tact_scene_joint_mark(body).node, "limits"));
    }
    for (int i = 0; i < draft->nshape; i++) {
        const tact_draft_shape *shape = &draft->shapes[i];
        add(list, tact_scene_longest(shape->frame.xyz, 3), &shape->mark, "xyz", -1);
        add(list, tact_scene_shape_size(shape), &shape->mark, NULL, -1);
        add(list, fabs((double)shape->offset), &shape->mark, "offset", -1);
    }
    add_state(build, list);
    add_command(build, list);
    // the goal's position is also a length of the scene
    int goal = tact_json_find(build->json, 0, "goal"), node = goal >= 0 ? tact_json_find(build->json, goal, "position") : -1;
    const tact_real position[3] = {build->goal.position.x, build->goal.position.y, build->goal.position.z};
    if (node >= 0) add(list, tact_scene_longest(position, 3), NULL, NULL, node);
    return true;
}

// The first hull of a mesh that is as long as no object of a hand: a mesh whose unit is not the metre; true: it was reported.
static bool suspect_hulls(const tact_scene_build *build) {
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        const tact_draft_mark *mark = &shape->mark;
        if (!shape->hull || !mark->json || tact_json_find(mark->json, mark->node, "file") < 0) continue;
        double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, most = 0;
        for (int n = 0; n < shape->hull->nvertex; n++) {
            const tact_vec3 *v = &shape->hull->vertex[n];
            const double x[3] = {(double)v->x, (double)v->y, (double)v->z};
            for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
        }
        for (int k = 0; k < 3; k++) most = fmax(most, high[k] - low[k]);
        if (!(most > LONG)) continue;
        tact_draft_doubt(&build->draft, mark, "file",
                         "the mesh is %s m long: the unit is the metre (\"scale\": 0.001 is for millimetres)",
                         tact_rounded(most, DIGITS).text);
        return true;
    }
    return false;
}

// Eight spheres of a body that stand at the corners of a box in the frame of another shape of it: half its size, rounded by their
// radius. False: there are others.
static bool find_corners(const tact_scene_build *build, int of, double half[3], double *radius) {
    const tact_pose from = tact_scene_pose(&build->draft.shapes[of].frame);
    unsigned seen = 0;
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        if (build->shape_body[i] != build->shape_body[of] || shape->type != TACT_SHAPE_SPHERE) continue;
        tact_vec3 at = tact_vec3_sub(tact_scene_pose(&shape->frame).p, from.p);
        at = tact_mat3_apply_transposed(from.R, at);
        const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
        unsigned corner = (x[0] > 0 ? 1U : 0U) | (x[1] > 0 ? 2U : 0U) | (x[2] > 0 ? 4U : 0U);
        for (int k = 0; k < 3; k++) {
            if (seen == 0) half[k] = fabs(x[k]);
            if (!(fabs(fabs(x[k]) - half[k]) <= 1e-3 * half[k])) return false;
        }
        if (seen & (1U << corner)) return false;
        seen |= 1U << corner;
        *radius = (double)shape->size[0];
    }
    return seen == 255;
}

// The axis along which a box of a body is not that of the spheres at its corners, which are so wide there; 3: it fits everywhere,
// -1: there are none.
static int find_misfit(const tact_scene_build *build, int i, double *wide) {
    const tact_draft_shape *box = &build->draft.shapes[i];
    double half[3] = {0, 0, 0}, radius = 0;
    int k = 0;
    if (box->type != TACT_SHAPE_BOX || build->shape_body[i] == TACT_WORLD || !find_corners(build, i, half, &radius)) return -1;
    while (k < 3 && (double)box->size[k] >= CORNER * half[k] && (double)box->size[k] * CORNER <= half[k] + radius) k++;
    *wide = 2 * (half[k % 3] + radius);
    return k;
}

// A box that was changed beside the spheres by which its corners touch; another one of the same body may be theirs.
static void suspect_corners(const tact_scene_build *build) {
    for (int i = 0; i < build->draft.nshape; i++) {
        double wide = 0, other = 0;
        const int axis = find_misfit(build, i, &wide);
        bool fits = axis < 0 || axis == 3;
        for (int k = 0; k < build->draft.nshape && !fits; k++)
            fits = build->shape_body[k] == build->shape_body[i] && find_misfit(build, k, &other) == 3;
        if (fits) continue;
        tact_draft_doubt(&build->draft, &build->draft.shapes[i].mark, "size",
                         "%s m along %c, and the spheres at its corners are those of %s m: their \"xyz\" goes with it",
                         tact_rounded(2 * (double)build->draft.shapes[i].size[axis], DIGITS).text, "xyz"[axis],
                         tact_rounded(wide, DIGITS).text);
        return;
    }
}

// roll, pitch, yaw of bases, of which those of joints and shapes are suspected with the draft; and bases that stand far from all
// else. extent: of that.
static void suspect_bases(const tact_scene_build *build, double extent) {
    const tact_json *json = build->json;
    int robots = tact_json_find(json, 0, "robots");
    for (int i = tact_json_first(json, robots); i >= 0; i = tact_json_after(json, i)) {
        int base = tact_json_find(json, i, "base"), rpy = tact_json_find(json, base, "rpy");
        const int turn = find_largest(json, rpy), far = find_largest(json, tact_json_find(json, base, "xyz"));
        double angle = turn < 0 ? 0 : fabs(tact_json_value(json, turn)), away = far < 0 ? 0 : fabs(tact_json_value(json, far));
        if (angle > TURN) tact_draft_doubt_angle(&build->draft, TACT_SCENE_NODE(build, rpy), NULL, angle, false);
        if (away > fmax(HALL, FAR * extent))
            tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, far), NULL,
                             "%s m, where all else is within %s m: the unit is the metre", tact_rounded(away, DIGITS).text,
                             tact_rounded(extent, DIGITS).text);
    }
}

// Commands of joints with an end to their turning; wheels may go on.
static void suspect_command(const tact_scene_build *build) {
    const tact_json *json = build->json;
    int q = tact_json_find(json, tact_json_find(json, 0, "command"), "q");
    for (int i = tact_json_first(json, q); i >= 0; i = tact_json_after(json, i)) {
        int body = tact_scene_find_moving_joint(build, i);
        if (body < 0 || build->draft.bodies[body].type != TACT_JOINT_REVOLUTE || build->links[body].force) continue;
        const tact_scene_link *link = &build->links[body];
        // outside its limits is reported already
        if (link->lower > -TACT_MAX || link->upper < TACT_MAX) continue;
        const int most = find_largest(json, i);
        const double angle = most < 0 ? 0 : fabs(tact_json_value(json, most));
        if (!(angle > TURN)) continue;
        tact_draft_doubt_angle(&build->draft, TACT_SCENE_NODE(build, most), NULL, angle, false);
        return;
    }
}

bool tact_scene_suspect_sizes(tact_scene_build *build, double *extent) {
    lengths list;
    if (!list_lengths(build, &list)) return false;
    *extent = 0;
    for (int i = 0; i < list.count; i++) *extent = fmax(*extent, list.all[i].value);
    if (!suspect_hulls(build)) {
        // The first of few lengths behind a gap: none of the others is within a tenth of the longest.
        // In a scene of few lengths only where a body begins is suspect.
        const length *first = NULL;
        double most = *extent, under = 0, least = HUGE_VAL;
        int far = 0;
        for (int i = 0; i < list.count; i++) {
            const length *at = &list.all[i];
            // the lengths within a tenth of the longest are far, the others near
            bool within = at->value < most / FAR;
            if (within) under = fmax(under, at->value);
            if (!within) least = fmin(least, at->value);
            far += !within;
            if (!within && !first) first = at;
        }
        if (!(!first || under == 0 || least < FAR * under || least < LONG ||
              (far * FEW > list.count && !(first->mark && first->node >= 0 && most > ALONE * under)))) {
            tact_draft_mark mark = {.json = build->json, .node = first->node};
            if (first->node < 0) mark = *first->mark;
            tact_draft_doubt(&build->draft, &mark, first->node < 0 ? first->key : NULL,
                             "%s m, where all else is within %s m: the unit is the metre",
                             tact_rounded(first->value, DIGITS).text, tact_rounded(under, DIGITS).text);
        }
    }
    suspect_bases(build, *extent);
    suspect_command(build);
    suspect_corners(build);
    return tact_draft_suspect(&build->draft);
}
