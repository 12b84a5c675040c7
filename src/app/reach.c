// SPDX-License-Identifier: MIT
// How far driven links go: a chain of joints reaches at most the sum of its links from its first joint,
//     |x - c_b| <= L_b ,   L_b = L_parent + |place_b| + range of a slide ,   c_b: where the first joint of the chain stands
#include "app/reach.h"

#include <math.h>

#include "app/console.h"

typedef struct {
    tact_pose pose;  // of a body that no joint moves ...
    bool still;      // ... which this says
    bool driven;     // a driven joint moves it
    double length;   // L [m]; INFINITY: no bound is known
} reach_body;

static double length(tact_vec3 x) {
    return sqrt((double)tact_vec3_dot(x, x));
}

double tact_reach_radius(const tact_shape *shape) {
    const tact_real radius = tact_contact_bound(shape, (tact_vec3){0, 0, 0});
    return radius < TACT_MAX ? (double)radius : (double)INFINITY;
}

static double find_slide(const tact_model *model, const tact_body *body) {
    if (body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS || body->joint == TACT_JOINT_FIXED) return 0;
    const tact_dof *dof = &model->dof[body->v];
    bool bounded = body->joint == TACT_JOINT_PRISMATIC && dof->lower > -TACT_MAX && dof->upper < TACT_MAX;
    double ends[2] = {(double)(body->ratio * dof->lower + body->offset), (double)(body->ratio * dof->upper + body->offset)};
    return bounded ? fmax(fabs(ends[0]), fabs(ends[1])) : (double)INFINITY;
}

// Bound of a body's reach from its parent's: length, centre, and whether a driven joint moves it.
static reach_body bound_reach(const tact_model *model, const tact_body *body, const reach_body *parent) {
    reach_body next = *parent;
    bool fixed = body->joint == TACT_JOINT_FIXED;
    // what stands still stands where it is put; the first joint's place is the centre of all that it moves
    if (parent->still)
        next.pose = tact_pose_multiply(parent->pose, body->place);
    else
        next.length += length(body->place.p);
    next.still = parent->still && fixed;
    next.length += find_slide(model, body);
    next.driven = parent->driven || (!fixed && model->dof[body->v].u >= 0);
    return next;
}

bool tact_reach_warn(const tact_scene *scene, const tact_goal *goal, const char *command) {
    const tact_model *model = &scene->model;
    const reach_body world = {.pose = tact_pose_identity(), .still = true};
    reach_body *body = goal->body >= 0 ? tact_memory_get((size_t)model->nbody * sizeof *body) : NULL;
    double object = 0, beyond = (double)INFINITY, within = 0;
    tact_vec3 from = {0, 0, 0};
    if (!body) return false;
    for (int i = 0; i < model->nbody; i++)
        body[i] = bound_reach(model, &model->body[i], model->body[i].parent < 0 ? &world : &body[model->body[i].parent]);
    // the body's own size
    for (int i = 0; i < model->nshape; i++)
        if (model->shape[i].body == goal->body)
            object = fmax(object, length(model->shape[i].place.p) + tact_reach_radius(&model->shape[i]));
    bool known = !body[goal->body].driven && !body[goal->body].still;
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        if (shape->body < 0 || shape->body == goal->body || body[shape->body].still) continue;
        // another loose body may serve as a tool
        known = known && body[shape->body].driven;
        double radius = body[shape->body].length + length(shape->place.p) + tact_reach_radius(shape) + object;
        double off = length(tact_vec3_sub(goal->position, body[shape->body].pose.p)) - radius;
        if (!(off < beyond)) continue;
        beyond = off;
        within = radius;
        from = body[shape->body].pose.p;
    }
    known = known && beyond > 0 && beyond < (double)INFINITY;
    if (known)
        tact_say("%s: warning: the goal of %s is out of reach: it lies %s m beyond where any driven link can touch the body; "
                 "choose goal.position within %s m of (%s, %s, %s), where the nearest chain of joints begins",
                 command, tact_body_name(model, goal->body).text, tact_rounded(beyond, 2).text, tact_rounded(within, 3).text,
                 tact_rounded((double)from.x, 3).text, tact_rounded((double)from.y, 3).text,
                 tact_rounded((double)from.z, 3).text);
    tact_memory_release(body);
    return known;
}

// Whether drives, and nothing else, move a body.
static bool is_driven(const tact_model *model, int body) {
    return body >= 0 && !model->loose[body] && model->path_start[body + 1] > model->path_start[body];
}

bool tact_reach_unpaired(const tact_model *model, int goal, const char *command) {
    int mine = -1, link = -1;
    for (int s = 0; s < model->nshape; s++) {
        if (is_driven(model, model->shape[s].body)) link = s;
        if (mine < 0 && model->shape[s].body == goal) mine = s;
    }
    // a loose body that a link touches may be a tool
    bool paired = goal < 0 || mine < 0 || link < 0 || is_driven(model, goal) || model->search;
    for (int i = 0; i < model->npair && !paired; i++) {
        int a = model->shape[model->pair[i].a].body, b = model->shape[model->pair[i].b].body;
        paired = (is_driven(model, a) && b >= 0 && model->loose[b]) || (is_driven(model, b) && a >= 0 && model->loose[a]);
    }
    if (!paired)
        tact_say("%s: warning: no pair of %s with a driven link, so that none can move it: add one to \"pairs\", as {\"a\": "
                 "\"%s\", \"b\": \"%s\"}",
                 command, tact_body_name(model, goal).text, tact_shape_name(model, link).text, tact_shape_name(model, mine).text);
    return !paired;
}

double tact_reach_span(tact_world *world, int but) {
    const tact_model *model = &world->scene->model;
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, span = 0;
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    // the box of the balls about the shapes
    for (int s = 0; s < model->nshape; s++) {
        const tact_shape *shape = &model->shape[s];
        if (shape->body < 0 || shape->body == but) continue;
        const tact_vec3 p = tact_pose_apply(world->work.kinematics.pose[shape->body], shape->place.p);
        const double at[3] = {(double)p.x, (double)p.y, (double)p.z}, ball = (double)tact_contact_bound(shape, p);
        for (int k = 0; k < 3 && ball < 1e6; k++) low[k] = fmin(low[k], at[k] - ball), high[k] = fmax(high[k], at[k] + ball);
    }
    for (int k = 0; k < 3; k++) span = fmax(span, high[k] - low[k]);
    return span;
}
