// SPDX-License-Identifier: MIT
// Joint limits as penalty forces of the same law as contacts: beyond a limit by d,
//
//     f = g_a(d) max(0, kn + kd ddot) ,   back into the range;   for angles in N m, with kn per rad
#include "law/virtual.h"

// One of the two limits of an unknown.
typedef struct {
    tact_real sign;     // of the force; 0: no limit within range
    tact_real d, ddot;  // excess over the limit, and its rate
    tact_virtual_material material;
} virtual_limit;

// The lower or upper limit of unknown i at coordinate x and rate w.
static virtual_limit virtual_find_limit(const tact_virtual_job *job, int i, bool upper, tact_real x, tact_real w) {
    const tact_dof *dof = &job->model->dof[job->soft->dof[i]];
    tact_real end = upper ? dof->upper : dof->lower, sign = upper ? -1 : 1, d = sign * (end - x);
    virtual_limit limit = {.d = d, .ddot = -sign * w, .material = {job->options, job->a, 0, false}};
    if (!job->options->limits || end == (upper ? TACT_MAX : -TACT_MAX) || d < -job->soft->reach) return limit;
    limit.sign = sign;
    return limit;
}

// Adds the force of a limit to Q, and with slopes its derivative to H.
static void virtual_add_limit(const tact_virtual_job *job, int i, const virtual_limit *limit, bool slopes) {
    tact_virtual_work *soft = job->soft;
    tact_virtual_response response = tact_virtual_respond(&limit->material, limit->d, 1, limit->ddot, 0);
    soft->Q[i] += limit->sign * response.fn;
    soft->limit_drag[i] += response.fn_ddot;
    if (!slopes) return;
    // group of the unknown
    int g = 0;
    while (soft->group_start[g + 1] <= i) g++;
    int begin = soft->group_start[g], size = soft->group_start[g + 1] - begin;
    tact_blocks_diagonal(&soft->H, g)[(i - begin) * (size + 1)] +=
        job->stage->beta * (response.fn_d + job->stage->sigma * response.fn_ddot);
}

void tact_virtual_add_limits(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes) {
    tact_virtual_work *soft = job->soft;
    const tact_dof *dofs = job->model->dof;
    for (int i = 0, n = job->model->nv; i < n; i++) {
        const tact_dof *dof = &dofs[soft->dof[i]];
        soft->limit_drag[i] = 0;
        if (dof->lower == -TACT_MAX && dof->upper == TACT_MAX) continue;
        // lower end, then upper end
        for (int end = 0; end < 2; end++) {
            virtual_limit limit = virtual_find_limit(job, i, end == 1, x[i], w[i]);
            if (limit.sign != 0) virtual_add_limit(job, i, &limit, slopes);
        }
    }
}

// Adds the derivative of the limit forces by a parameter of their material.
void tact_virtual_add_limit_parameter(const tact_virtual_job *job, int kind, tact_real *y) {
    for (int i = 0; i < job->model->nv; i++)
        for (int end = 0; end < 2; end++) {
            virtual_limit limit = virtual_find_limit(job, i, end == 1, job->stage->x[i], job->stage->w[i]);
            if (limit.sign == 0) continue;
            tact_virtual_sensitivity by = tact_virtual_respond_by(&limit.material, limit.d, 1, limit.ddot, 0);
            y[i] += job->stage->beta * limit.sign * by.fn[kind];
        }
}
