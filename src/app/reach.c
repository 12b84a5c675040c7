// SPDX-License-Identifier: MIT
#include "app/reach.h"

#include <math.h>

#include "app/console.h"

bool tact_reach_warn(const tact_scene *scene, const tact_goal *goal, const char *command) {
    tact_goal_reach reach;
    if (!tact_goal_find_reach(scene, goal, &reach)) return false;
    tact_say("%s: warning: the goal of %s is out of reach: it lies %s m beyond where any driven link can touch the body; "
             "choose goal.position within %s m of (%s, %s, %s), where the nearest chain of joints begins",
             command, tact_body_name(&scene->model, goal->body).text, tact_rounded(reach.beyond, 2).text,
             tact_rounded(reach.within, 3).text, tact_rounded((double)reach.from.x, 3).text,
             tact_rounded((double)reach.from.y, 3).text, tact_rounded((double)reach.from.z, 3).text);
    return true;
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
