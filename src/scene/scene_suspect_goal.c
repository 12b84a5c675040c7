// SPDX-License-Identifier: MIT
// Goals that cannot be reached: farther than the joints of a body let it come, off the plane in which it moves, beyond all that
// could push it there, above what links without friction lift it from, or in fewer steps than commands have knots.
// A chain of joints reaches at most the sum of its links from its first joint,
//     |x - c_b| <= L_b ,   L_b = L_parent + |place_b| + range of a slide ,   c_b: where the first joint of the chain stands
#include "scene/suspect.h"
#include "tact/memory.h"
#include "tact/mesh.h"

#define LEVEL 0.999999  // cosine between the vertical and the normal of a plane along which nothing slides,
#define WALL 0.001      // and of one that bears nothing
#define RIGHT_ANGLE 1.5708
#define ROUND 0.001  // [rad] that a goal in a plane may be tilted by
enum { DIGITS = 4 };

// Where a body can come: its origin stays within a ball. Beyond a joint that moves on a path or freely that is everywhere.
typedef struct {
    tact_pose pose;      // of the first joint above it that moves, else of the body, in the world
    double least, most;  // distance of the body's origin from there [m]
    bool moves, driven;  // a joint above it does, and by a drive
    bool flat;           // by a planar joint that carries it alone
} range;

// where a goal's body starts
typedef struct {
    const tact_scene *scene;
    tact_kinematics kinematics;
} goal_start;

static double length(tact_vec3 x) {
    return sqrt((double)tact_vec3_dot(x, x));
}

static double find_slide(const tact_model *model, const tact_body *body) {
    if (body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS || body->joint == TACT_JOINT_FIXED) return 0;
    const tact_dof *dof = &model->dof[body->v];
    bool bounded = body->joint == TACT_JOINT_PRISMATIC && dof->lower > -TACT_MAX && dof->upper < TACT_MAX;
    double ends[2] = {(double)(body->ratio * dof->lower + body->offset), (double)(body->ratio * dof->upper + body->offset)};
    return bounded ? fmax(fabs(ends[0]), fabs(ends[1])) : (double)INFINITY;
}

// One body, of the range of its parent: two arms of lengths a and b reach between |a - b| and a + b.
static range extend(const tact_model *model, const tact_body *body, range at) {
    const bool moves = body->joint != TACT_JOINT_FIXED;
    const double arm = at.moves ? length(body->place.p) : 0, slide = find_slide(model, body);
    if (!at.moves) at.pose = tact_pose_multiply(at.pose, body->place);
    // what is carried may stand beside the plane
    at.flat = !at.moves && body->joint == TACT_JOINT_PLANAR;
    // what slides may end anywhere between
    at.least = fmax(fmax(arm - at.most, at.least - arm) - slide, 0), at.most += arm + slide;
    at.moves = at.moves || moves;
    at.driven = at.driven || (moves && model->dof[body->v].u >= 0);
    return at;
}

// Of each body; NULL without memory.
static range *list_ranges(const tact_model *model) {
    const range world = {.pose = tact_pose_identity()};
    range *of = tact_memory_get((size_t)model->nbody * sizeof of[0]);
    for (int i = 0; of && i < model->nbody; i++) {
        const int up = model->body[i].parent;
        of[i] = extend(model, &model->body[i], up == TACT_WORLD ? world : of[up]);
    }
    return of;
}

// Whether nothing but driven links brings an object to its goal: it does not begin there, fall there, or come down a slope, and
// no force, loop or spring draws it or a link. How much higher than its start the goal then is [m].
static bool is_pushed(const tact_scene *scene, const tact_goal *goal, double tolerance, double *rise) {
    const tact_model *model = &scene->model;
    const tact_body *body = &model->body[goal->body];
    const tact_vec3 g = scene->options.gravity;
    const bool flat = body->joint == TACT_JOINT_PLANAR,
               object = body->joint == TACT_JOINT_FREE || body->joint == TACT_JOINT_TRANSLATION;
    if (!(flat || object) || body->parent != TACT_WORLD || model->nloop > 0 || scene->nforce > 0) return false;
    const tact_real *q = &model->q0[body->q];
    tact_vec3 way = tact_vec3_sub(goal->position, tact_pose_apply(body->place, tact_vec3_make(q[0], q[1], flat ? 0 : q[2])));
    bool pushed = length(way) > tolerance && (double)tact_vec3_dot(way, g) <= tolerance * length(g);
    for (int k = 0; k < model->nspring; k++)
        for (int n = 0; n < model->spring[k].count; n++) pushed = pushed && model->dof[model->spring[k].dof[n]].u >= 0;
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        if (shape->body != TACT_WORLD || (shape->type != TACT_SHAPE_PLANE && shape->type != TACT_SHAPE_BOX)) continue;
        double down = fabs((double)tact_vec3_dot(tact_mat3_column(shape->place.R, 2), g));
        pushed = pushed && (down <= WALL * length(g) || down > LEVEL * length(g));
    }
    *rise = length(g) > 0 ? -(double)tact_vec3_dot(way, g) / length(g) : 0;
    return pushed;
}

// How many pairs an object has with driven links, where none has friction, and the first of them; 0 also where something else may
// carry it: another loose body, or what is fixed and has no level top.
static int count_slick(const tact_model *model, const range *of, int body, int *first) {
    int count = 0;
    for (int i = 0; i < model->npair; i++) {
        const tact_shape *a = &model->shape[model->pair[i].a], *b = &model->shape[model->pair[i].b];
        if ((a->body == body) == (b->body == body)) continue;
        const tact_shape *other = a->body == body ? b : a;
        const bool moves = other->body != TACT_WORLD && of[other->body].moves, driven = moves && of[other->body].driven;
        if (!moves && (other->type == TACT_SHAPE_PLANE || other->type == TACT_SHAPE_BOX)) continue;
        if (!driven || model->pair[i].mu > 0) return 0;
        if (count++ == 0) *first = i;
    }
    return count;
}

bool tact_goal_find_reach(const tact_scene *scene, const tact_goal *goal, tact_goal_reach *reach) {
    TACT_ASSERT(scene && goal && reach);
    const tact_model *model = &scene->model;
    const double tolerance = fmax((double)goal->tolerance, (double)goal->position_tolerance);
    double object = 0, rise = 0;
    bool known = goal->body >= 0 && is_pushed(scene, goal, tolerance, &rise);
    range *of = known ? list_ranges(model) : NULL;
    *reach = (tact_goal_reach){.beyond = HUGE_VAL};
    if (!of) return false;
    // the body's own size
    for (int i = 0; i < model->nshape; i++)
        if (model->shape[i].body == goal->body)
            object = fmax(object, length(model->shape[i].place.p) + tact_shape_radius(&model->shape[i]));
    known = !of[goal->body].driven;
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        const range *at = shape->body < 0 || shape->body == goal->body ? NULL : &of[shape->body];
        if (!at || !at->moves) continue;
        // another loose body may serve as a tool
        known = known && at->driven;
        double radius = at->most + length(shape->place.p) + tact_shape_radius(shape) + object;
        double off = length(tact_vec3_sub(goal->position, at->pose.p)) - radius;
        if (off < reach->beyond) *reach = (tact_goal_reach){off, radius, at->pose.p};
    }
    tact_memory_release(of);
    // contacts push what has a weight no farther than friction holds it, and all else to the margin
    const bool light = length(scene->options.gravity) == 0;
    const double push = light ? (double)tact_margin(model, &scene->options) : fmax((double)scene->options.margin, 0);
    return known && reach->beyond > tolerance + push && reach->beyond < HUGE_VAL;
}

static void place_start(void *context, tact_arena *arena) {
    const tact_scene *scene = ((goal_start *)context)->scene;
    tact_kinematics_place(&((goal_start *)context)->kinematics, &scene->model, arena);
}

// An orientation in another order, or one that is tilted out of the plane, whose frame is at.
static void suspect_orientation(const tact_scene_build *build, const tact_scene *scene, const tact_draft_mark *mark,
                                const range *at) {
    goal_start start = {.scene = scene};
    const tact_goal *goal = &scene->goal;
    void *memory = goal->oriented ? tact_memory_place(place_start, &start) : NULL;
    if (!memory) return;
    tact_kinematics_update(&start.kinematics, &scene->model, scene->model.q0);
    double turn = tact_scene_swapped_turn(goal->orientation, tact_quat_from_matrix(start.kinematics.pose[goal->body].R));
    tact_memory_release(memory);
    tact_vec3 normal = tact_mat3_column(at->pose.R, 2), up = tact_mat3_column(tact_quat_matrix(goal->orientation), 2);
    const double tilt = at->flat ? acos(fmax(-1, fmin(1, (double)tact_vec3_dot(normal, up)))) : 0;
    if (turn >= 0)
        tact_draft_doubt(&build->draft, mark, "orientation", TACT_SCENE_TILTED, "w, x, y, z", tact_rounded(turn, DIGITS).text);
    else if (tilt > fmax((double)goal->angle_tolerance, ROUND))
        tact_draft_doubt(&build->draft, mark, "orientation",
                         "tilted by %s rad out of the plane in which the joint of %.200s moves: it cannot turn there",
                         tact_rounded(tilt, DIGITS).text, tact_quote(build->draft.bodies[build->goal.body].name).text);
}

void tact_scene_suspect_goal(const tact_scene_build *build, const tact_scene *scene) {
    const tact_goal *goal = &scene->goal;
    tact_draft_mark mark = {.json = build->json, .node = tact_json_find(build->json, 0, "goal")};
    if (mark.node < 0 || !build->undoubted) return;
    if (goal->horizon < goal->knots && tact_json_find(build->json, mark.node, "horizon") >= 0)
        tact_draft_doubt(&build->draft, &mark, "horizon",
                         "fewer steps than the %d knots of a command: it counts steps of dt, 100 for %s s", goal->knots,
                         tact_rounded(100 * (double)build->options.dt, DIGITS).text);
    if ((double)goal->angle_tolerance > RIGHT_ANGLE)
        tact_draft_doubt(&build->draft, &mark, "angle_tolerance",
                         "more than a right angle: angles are in radians (14 degrees are 0.2443)");
    range *of = goal->body == TACT_WORLD ? NULL : list_ranges(&scene->model);
    if (!of) return;
    const range at = of[goal->body];
    int first = 0;
    const int slick = scene->model.search || build->planar ? 0 : count_slick(&scene->model, of, goal->body, &first);
    tact_memory_release(of);
    suspect_orientation(build, scene, &mark, &at);
    tact_goal_reach reach;
    tact_vec3 away = tact_vec3_sub(goal->position, at.pose.p);
    const double distance = length(away), tolerance = fmax((double)goal->tolerance, (double)goal->position_tolerance);
    double rise = 0, off = at.flat ? fabs((double)tact_vec3_dot(tact_mat3_column(at.pose.R, 2), away)) : 0;
    tact_quoted name = tact_quote(build->draft.bodies[build->goal.body].name);
    if (distance > at.most + tolerance || distance < at.least - tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         at.moves ? "out of reach: its joints hold the origin of %.200s between %s and %s m from the first of "
                                    "them, and that is %s m away"
                                  : "out of reach: no joint moves %.200s, which is fixed to the world",
                         name.text, tact_rounded(at.least, DIGITS).text, tact_rounded(at.most, DIGITS).text,
                         tact_rounded(distance, DIGITS).text);
    else if (off > tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         "%s m off the plane in which the joint of %.200s moves: it cannot come there",
                         tact_rounded(off, DIGITS).text, name.text);
    else if (!build->law->velocities && tact_goal_find_reach(scene, goal, &reach))
        tact_draft_doubt(&build->draft, &mark, "position",
                         "out of reach: it lies %s m beyond where any driven link can touch %.200s",
                         tact_rounded(reach.beyond, 2).text, name.text);
    else if (slick > 0 && is_pushed(scene, goal, tolerance, &rise) && rise > tolerance)
        tact_draft_doubt(&build->draft, &mark, "position",
                         "%s m above the start, and no pair of %.200s with a driven link has friction (%d, first %.150s and "
                         "%.150s): without it links lift only from below: give the pairs \"mu\"",
                         tact_rounded(rise, DIGITS).text, name.text, slick,
                         tact_quote(scene->model.names->shape[scene->model.pair[first].a]).text,
                         tact_quote(scene->model.names->shape[scene->model.pair[first].b]).text);
}
