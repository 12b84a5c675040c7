// SPDX-License-Identifier: MIT
// Model predictive control in the page: the plan of a scene under the barrier law, asked tick by tick. What is moved by its
// commands is another scene of the page, so that the loop is that of `tact mpc`.
#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"
#include "page.h"
#include "tact/control.h"
#include "tact/scene.h"

enum { POSE = 12 };

struct tact_page_plan {
    tact_scene *scene;
    tact_options step;
    tact_mpc_options control;
    tact_pose_goal goal;
    tact_mpc mpc;
    void *memory;
    double *q, wanted[7], facts[15], apart[2], *fan;
};

static void put_vec(double *to, tact_vec3 x) {
    to[0] = x.x;
    to[1] = x.y;
    to[2] = x.z;
}

// Goal, options and memory of the controller, which begins in the scene's initial coordinates. False without memory.
static bool prepare(tact_page_plan *plan) {
    const tact_model *model = &plan->scene->model;
    const tact_goal *goal = &plan->scene->goal;
    tact_control_options(plan->scene, 0, &plan->step, &plan->control);
    plan->goal = tact_control_goal(plan->scene, goal);
    put_vec(plan->wanted, goal->position);
    tact_quat turn = goal->orientation;
    plan->wanted[3] = turn.w, plan->wanted[4] = turn.x, plan->wanted[5] = turn.y, plan->wanted[6] = turn.z;
    int horizon = plan->scene->mpc.horizon;
    size_t size = tact_mpc_size(model, horizon);
    plan->memory = malloc(size + 1);
    plan->q = malloc(((size_t)model->nq + (size_t)(horizon + 1) * POSE) * sizeof(double));
    if (!plan->memory || !plan->q) return false;
    plan->fan = plan->q + model->nq;
    memcpy(plan->q, model->q0, (size_t)model->nq * sizeof(double));
    return tact_mpc_init(&plan->mpc, model, horizon, plan->memory, size) == TACT_CONVERGED;
}

// NULL after a message: for a scene that cannot be read, has no goal for a body, or drives no joint.
tact_page_plan *tact_page_plan_open(const char *path, const char *settings) {
    tact_page_plan *plan = calloc(1, sizeof *plan);
    const char *fault = "out of memory";
    if (plan) plan->scene = tact_page_read(path, "barrier", settings);
    if (plan && !plan->scene) fault = NULL;
    if (plan && plan->scene) {
        const tact_scene *scene = plan->scene;
        if (scene->goal.body < 0)
            fault = "the scene has no goal that a body could be brought to";
        else if (scene->model.nu == 0)
            fault = "the scene has no driven joint";
        else if (prepare(plan))
            return plan;
    }
    if (fault) tact_page_say(fault);
    tact_page_plan_close(plan);
    return NULL;
}

void tact_page_plan_close(tact_page_plan *plan) {
    if (!plan) return;
    if (plan->scene) tact_scene_free(plan->scene);
    free(plan->memory);
    free(plan->q);
    free(plan);
}

double *tact_page_plan_facts(tact_page_plan *plan) {
    const tact_goal *goal = &plan->scene->goal;
    const double facts[] = {goal->body,
                            plan->control.tick,
                            tact_control_plant_dt(&plan->control, false),
                            plan->mpc.horizon,
                            goal->oriented,
                            goal->position_tolerance,
                            goal->angle_tolerance,
                            goal->hold};
    memcpy(plan->facts, facts, sizeof facts);
    return plan->facts;
}

double *tact_page_plan_q(tact_page_plan *plan) {
    return plan->q;
}

double *tact_page_plan_goal(tact_page_plan *plan) {
    return plan->wanted;
}

void tact_page_plan_reset(tact_page_plan *plan) {
    tact_mpc_reset(&plan->mpc, plan->q);
}

static void take_goal(tact_page_plan *plan) {
    const double *x = plan->wanted;
    plan->goal.position = tact_vec3_make(x[0], x[1], x[2]);
    plan->goal.orientation = (tact_quat){x[3], x[4], x[5], x[6]};
}

int tact_page_plan_solve(tact_page_plan *plan) {
    take_goal(plan);
    return tact_mpc_solve(&plan->mpc, &plan->step, &plan->control, &plan->goal, plan->q);
}

double *tact_page_plan_u(tact_page_plan *plan) {
    return plan->mpc.last;
}

double *tact_page_plan_error(tact_page_plan *plan) {
    take_goal(plan);
    tact_kinematics_update(&plan->mpc.pose, &plan->scene->model, plan->q);
    tact_pose_error error = tact_pose_goal_error(&plan->goal, &plan->mpc.pose.pose[plan->goal.body]);
    plan->apart[0] = tact_sqrt(tact_vec3_dot(error.position, error.position));
    plan->apart[1] = plan->scene->goal.oriented ? tact_sqrt(tact_vec3_dot(error.rotation, error.rotation)) : 0;
    return plan->apart;
}

int tact_page_plan_steps(const tact_page_plan *plan) {
    return plan->mpc.steps;
}

double *tact_page_plan_fan(tact_page_plan *plan) {
    double *to = plan->fan;
    for (int k = 1; k <= plan->mpc.steps; k++) {
        tact_kinematics_update(&plan->mpc.pose, &plan->scene->model, plan->mpc.state[k].q);
        const tact_pose *pose = &plan->mpc.pose.pose[plan->goal.body];
        put_vec(to, pose->p);
        to += 3;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) *to++ = pose->R.m[i][j];
    }
    return plan->fan;
}
