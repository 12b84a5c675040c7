// SPDX-License-Identifier: MIT
// Reverse mode of the virtual law's step, with the factors that it left. A stage solves M (x - qhat) = beta Q(x, w, u) with w =
// sigma (x - centre), so that with z = H'^-1 (x_bar + sigma w_bar)
//
//     qhat_bar = M z ,   centre_bar = -beta sigma D'z - sigma w_bar ,   u_bar = beta (dQ/du)' z
#include "law/virtual.h"
#include "sim/step.h"
#include "tact/virtual.h"

tact_virtual_job tact_virtual_slope_job(const tact_model *model, const tact_options *options, tact_work *work, int stage) {
    return (tact_virtual_job){model, options, work->soft, &work->soft->stage[stage], options->temperature, NULL};
}

tact_status tact_virtual_slope_status(const tact_options *options, bool by_place) {
    bool held = by_place && tact_manifold_scatters(options->manifold) && options->gradient != TACT_GRADIENT_FROZEN;
    return held ? TACT_HELD : TACT_CONVERGED;
}

tact_status tact_virtual_revisit(const tact_virtual_job *job, int stage) {
    tact_virtual_work *soft = job->soft;
    bool freeze = job->options->gradient == TACT_GRADIENT_FROZEN;
    if (soft->contact.freeze != freeze) soft->at = -1;
    soft->contact.freeze = freeze;
    // the contacts in the work are of another stage: find them again
    if (soft->at != stage || soft->at_temperature != job->a) {
        tact_virtual_evaluate(job, job->stage->x, job->stage->w, true);
        soft->factored = false;
    }
    soft->at = stage;
    soft->at_temperature = job->a;
    if (!soft->factored) soft->factored = tact_virtual_factor(soft);
    return soft->factored ? TACT_CONVERGED : TACT_SINGULAR;
}

void tact_virtual_add_stiffness(const tact_virtual_job *job, const tact_real *x, bool transposed, tact_real *y) {
    tact_virtual_work *soft = job->soft;
    tact_real *turned = soft->trial_w, share = job->stage->beta * job->stage->sigma;
    for (int i = 0; i < job->model->nv; i++) turned[i] = 0;
    tact_virtual_add_damping(soft, x, transposed, turned);
    tact_blocks_apply_kept(&soft->H, x, transposed, y);
    for (int i = 0; i < job->model->nv; i++) y[i] += share * turned[i];
}

tact_status tact_virtual_pullback(const tact_record *step, tact_step_adjoint *adjoint) {
    TACT_ASSERT(step && step->model && step->options && step->input && adjoint);
    TACT_ASSERT(tact_state_fits(step->before, step->model) && tact_work_fits(step->work, step->model) && step->work->soft);
    const tact_model *model = step->model;
    const tact_options *options = step->options;
    tact_work *work = step->work;
    tact_virtual_work *soft = work->soft;
    tact_real *x_bar = soft->trial, *w_bar = soft->step, *way_bar = soft->q_bar, *c_bar = soft->c_bar;
    tact_virtual_job job = tact_virtual_slope_job(model, options, work, soft->last);
    for (int i = 0; adjoint->u && i < model->nu; i++) adjoint->u[i] = 0;
    // the end of the step, then its stages from last to first; adjoints of the new state become adjoints of the last stage's x
    // and w, and adjoint keeps what bypasses the stage
    bool mean = job.options->integrator == TACT_INTEGRATOR_MIDPOINT, two = job.options->integrator == TACT_INTEGRATOR_BDF2;
    for (int i = 0; i < job.model->nv; i++) {
        int v = soft->dof[i];
        x_bar[i] = mean ? 2 * adjoint->q[v] : adjoint->q[v];
        w_bar[i] = mean ? 2 * adjoint->v[v] : adjoint->v[v];
        adjoint->q[v] = mean ? -adjoint->q[v] : two ? adjoint->q_past[v] : 0;
        adjoint->v[v] = mean ? -adjoint->v[v] : two ? adjoint->v_past[v] : 0;
        adjoint->q_past[v] = adjoint->v_past[v] = 0;
    }
    for (int s = soft->last; s >= 0; s--) {
        job.stage = &soft->stage[s];
        tact_virtual_scheme scheme = tact_virtual_choose_scheme(options->integrator, step->before->past, s, options->dt);
        tact_status status = tact_virtual_revisit(&job, s);
        if (status < 0) return status;
        // one stage back: z (soft->z) = H^-T of dL/dx + sigma dL/dw, then dL by qhat - centre, and by centre with that fixed, a
        // form in which sigma does not amplify rounding of the coordinates
        int n = job.model->nv;
        for (int i = 0; i < n; i++) soft->z[i] = x_bar[i] + job.stage->sigma * w_bar[i];
        tact_blocks_solve_transposed(&soft->H, soft->z);
        tact_virtual_apply_mass(soft, soft->z, way_bar);
        for (int i = 0; i < n; i++) c_bar[i] = 0;
        tact_virtual_add_stiffness(&job, soft->z, true, c_bar);
        for (int i = 0; i < n; i++) c_bar[i] = x_bar[i] - c_bar[i];
        // dL by u of a stage, from z
        for (int i = 0; adjoint->u && i < n; i++) {
            const tact_dof *dof = &job.model->dof[soft->dof[i]];
            if (dof->u >= 0) adjoint->u[dof->u] += job.stage->beta * (dof->force ? 1 : dof->stiffness) * soft->z[i];
        }
        // dL by the parameters of a stage, from z
        const tact_input *input = step->input;
        for (int k = 0; k < adjoint->nparameter; k++) {
            for (int i = 0; i < job.model->nv; i++) soft->r[i] = 0;
            tact_virtual_add_parameter(&job, input, &work->kinematics, adjoint->parameter[k], soft->r);
            for (int i = 0; i < job.model->nv; i++) adjoint->by_parameter[k] += soft->z[i] * soft->r[i];
        }
        for (int i = 0; i < model->nv; i++) {
            // qhat and centre are linear combinations of q, v and the previous state: their weights pass the adjoints on
            tact_real by[4];
            int v = soft->dof[i];
            for (int k = 0; k < 4; k++) by[k] = (scheme.hat[k] - scheme.centre[k]) * way_bar[i] + scheme.centre[k] * c_bar[i];
            adjoint->q[v] += by[0];
            adjoint->v[v] += by[1];
            adjoint->q_past[v] += by[2];
            if (s == 0) adjoint->v_past[v] += by[3];
            x_bar[i] = 0;
            w_bar[i] = by[3];
        }
    }
    return tact_virtual_slope_status(options, true);
}
