// SPDX-License-Identifier: MIT
#include "tact/virtual.h"

#include "law/virtual_chain.h"
#include "math/elementary.h"
#include "sim/step.h"

typedef struct {
    const tact_virtual_job *job;
    const tact_input *input;
    const tact_kinematics *kinematics;
    const tact_virtual_change *change;
    tact_virtual_scheme scheme;
    const tact_real *wa;  // change of w of the stage before; NULL: of v_past
} virtual_tangent;

// dx and dw of a stage, from H (dx - dcentre) = M (dqhat - dcentre) + beta K dcentre + beta dQ, a form in which sigma does not
// amplify rounding of the coordinates.
static void virtual_push_stage(const virtual_tangent *t, tact_real *dx, tact_real *dw) {
    const tact_virtual_job *job = t->job;
    const tact_virtual_change *change = t->change;
    tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = job->stage;
    tact_real *way = soft->q_bar, *dcentre = soft->c_bar, *held = soft->r;
    int n = job->model->nv;
    // scheme: qhat and centre are linear combinations of q, v and the previous stage or state (table in docs/laws/virtual.md)
    for (int i = 0; i < n; i++) {
        int v = soft->dof[i];
        tact_real v_past = change->v_past ? change->v_past[v] : 0;
        const tact_real known[4] = {change->q ? change->q[v] : 0, change->v ? change->v[v] : 0,
                                    change->q_past ? change->q_past[v] : 0, t->wa ? t->wa[i] : v_past};
        way[i] = dcentre[i] = held[i] = 0;
        for (int k = 0; k < 4; k++) {
            way[i] += (t->scheme.hat[k] - t->scheme.centre[k]) * known[k];
            dcentre[i] += t->scheme.centre[k] * known[k];
        }
    }
    // right-hand side: M (dqhat - dcentre) + beta (K dcentre + dQ)
    tact_virtual_apply_mass(soft, way, dx);
    tact_virtual_add_stiffness(job, dcentre, false, held);
    for (int i = 0; i < n; i++) {
        const tact_dof *dof = &job->model->dof[soft->dof[i]];
        dx[i] -= held[i];
        if (change->force) dx[i] += stage->beta * change->force[soft->dof[i]];
        if (change->u && dof->u >= 0) dx[i] += stage->beta * (dof->force ? 1 : dof->stiffness) * change->u[dof->u];
    }
    if (change->parameter) tact_virtual_add_parameter(job, t->input, t->kinematics, *change->parameter, dx);
    // H of equation (6) was factored by the step
    tact_blocks_solve(&soft->H, dx);
    for (int i = 0; i < n; i++) {
        dw[i] = stage->sigma * dx[i];
        dx[i] += dcentre[i];
    }
}

// Change of the forces of one pair's contacts, at the poses and velocities of the last evaluation.
static tact_vec2 virtual_push_pair(const tact_virtual_job *job, int pair, const tact_virtual_force *force,
                                   const tact_virtual_change *change, const tact_real *dx, const tact_real *dw) {
    TACT_ASSERT(0 <= pair && pair < job->model->npair);
    tact_virtual_work *soft = job->soft;
    tact_virtual_material material = {job->options, job->a, job->model->pair[pair].mu, false};
    tact_virtual_ends ends;
    tact_real rate[2][3];
    tact_vec2 sum = {0, 0};
    int count = tact_virtual_gather(soft, pair, &ends);
    // velocities of both movers for this change of the coordinates
    for (int end = 0; end < 2; end++) tact_virtual_rate(soft, force->mover[end], dx, rate[end]);
    // each contact of the pair: change of its force by the slip, and by the motion of its point and normal
    for (int k = 0; k < count; k++) {
        const tact_virtual *contact = &soft->found[k];
        tact_virtual_response response = tact_virtual_react(&material, contact, &ends);
        tact_virtual_force own = *force;
        own.x = contact->x;
        own.n = contact->n;
        own.d = contact->d;
        tact_virtual_load(&ends, &response, &own);
        tact_vec2 slip = tact_vec2_add(tact_virtual_slip(soft, &own, dw), tact_chain_slip(soft, own.mover, dx));
        // df = (df/dv) slip + sum over both movers' rates of (df/dx) rate
        sum.x += own.by_v[0][0] * slip.x + own.by_v[0][1] * slip.y;
        sum.y += own.by_v[1][0] * slip.x + own.by_v[1][1] * slip.y;
        for (int c = 0; c < 6; c++)
            sum = tact_vec2_add_scaled(sum, rate[c / 3][c % 3], tact_virtual_force_slope(contact, &ends, &response, c));
    }
    // the direct dependence on a parameter
    if (change->parameter) sum = tact_vec2_add(sum, tact_virtual_parameter_force(job, pair, *change->parameter, force, NULL));
    return sum;
}

// Whether a change moves or resizes shapes whose contact features are frozen at the beginning of the step.
static bool virtual_moves_place(const tact_model *model, const tact_virtual_change *change) {
    bool moves =
        change->parameter && (change->parameter->kind == TACT_PARAMETER_SIZE || change->parameter->kind == TACT_PARAMETER_RADIUS);
    for (int i = 0; change->q && i < model->nv; i++) moves = moves || change->q[i] != 0;
    return moves;
}

tact_status tact_virtual_differentiate(const tact_model *model, const tact_options *options, const tact_input *input,
                                       const tact_state *before, tact_work *work, const tact_virtual_change *change,
                                       const tact_virtual_effect *effect) {
    TACT_ASSERT(model && options && input && before && change && effect);
    TACT_ASSERT(tact_state_fits(before, model) && tact_work_fits(work, model) && work->soft);
    TACT_ASSERT(work->soft->last >= 0);
    tact_virtual_work *soft = work->soft;
    tact_virtual_job job = tact_virtual_slope_job(model, options, work, soft->last);
    tact_real *dx = soft->trial, *dw = soft->step, *wa = soft->z;
    bool mean = options->integrator == TACT_INTEGRATOR_MIDPOINT;
    // stage after stage, each from the change of the last one
    for (int s = 0; s <= soft->last; s++) {
        virtual_tangent tangent = {&job, input, &work->kinematics, change, {{0}, {0}, 0, 0}, s > 0 ? wa : NULL};
        job.stage = &soft->stage[s];
        tangent.scheme = tact_virtual_choose_scheme(options->integrator, before->past, s, options->dt);
        tact_status status = tact_virtual_revisit(&job, s);
        if (status < 0) return status;
        virtual_push_stage(&tangent, dx, dw);
        for (int i = 0; i < model->nv; i++) wa[i] = dw[i];
    }
    // midpoint rule: the unknowns are midpoints, hence 2 dx - dq
    for (int i = 0; i < model->nv; i++) {
        int v = soft->dof[i];
        if (effect->q) effect->q[v] = mean ? 2 * dx[i] - (change->q ? change->q[v] : 0) : dx[i];
        if (effect->v) effect->v[v] = mean ? 2 * dw[i] - (change->v ? change->v[v] : 0) : dw[i];
    }
    if (effect->lambda) {
        // contacts of the last evaluation are in the order of the pairs; a pair without force has no change
        for (int c = 0, i = 0; c < work->contacts.count; c++) {
            const tact_contact *contact = &work->contacts.contact[c];
            while (i < soft->nforce && soft->force[i].pair != contact->pair) i++;
            if (i == soft->nforce) {
                for (int row = 0; row < 3; row++) effect->lambda[3 * c + row] = 0;
                i = 0;
                continue;
            }
            tact_vec2 df = virtual_push_pair(&job, contact->pair, &soft->force[i], change, dx, dw);
            tact_vec3 f = tact_mat3_apply(contact->frame, tact_plane_vector(&soft->planar.plane, df));
            effect->lambda[3 * c] = -f.x;
            effect->lambda[3 * c + 1] = -f.y;
            effect->lambda[3 * c + 2] = -f.z;
        }
    }
    return tact_virtual_slope_status(options, virtual_moves_place(model, change));
}

// Derivatives of the coordinates and of the velocities by one kind of variable: row-major matrices, which may be NULL.
typedef struct {
    tact_real *q, *v;
    int columns;
} virtual_block;

static tact_real *virtual_accumulator(const virtual_block *block) {
    return block->q ? block->q : block->v;
}

// column += factor x for the listed unknowns, at the places of their dofs.
static void virtual_add_column(const tact_virtual_work *soft, const virtual_block *block, int column, tact_real factor,
                               const tact_real *x) {
    tact_real *to = virtual_accumulator(block);
    if (!to || factor == 0) return;
    for (int i = 0; i < soft->nlisted; i++) {
        int row = soft->listed[i];
        to[soft->dof[row] * block->columns + column] += factor * x[row];
    }
}

// Lists the unknowns that H^-1 couples with those of a group.
static void virtual_list_island(tact_virtual_work *soft, int group) {
    soft->nlisted = 0;
    for (int g = 0; g < soft->ngroup; g++)
        for (int i = soft->group_start[g]; soft->H.island[g] == soft->H.island[group] && i < soft->group_start[g + 1]; i++)
            soft->listed[soft->nlisted++] = i;
}

static void virtual_scale_row(tact_real *to, const tact_real *from, tact_real factor, int count) {
    for (int k = 0; k < count; k++) to[k] = factor * from[k];
}

// Turns the accumulated dx into dq+ and dv+; q and centre: derivatives of the old q or v and of the centre by the columns'
// variable.
static void virtual_conclude_block(const tact_virtual_job *job, const virtual_block *block, tact_real centre, tact_real q,
                                   tact_real v) {
    const tact_real *from = virtual_accumulator(block);
    // q+ = x, v+ = sigma (x - centre); midpoint rule: q+ = 2 x - q, v+ = 2 sigma (x - centre) - v
    bool mean = job->options->integrator == TACT_INTEGRATOR_MIDPOINT;
    tact_real twice = mean ? 2 : 1, sigma = job->stage->sigma;
    bool done = !mean && !block->v, unit = centre != 0 || (mean && (q != 0 || v != 0));
    for (int i = 0; from && !done && i < job->model->nv; i++) {
        int row = i * block->columns, own = row + i;
        tact_real dx = unit ? from[own] : 0;
        if (block->v) virtual_scale_row(block->v + row, from + row, twice * sigma, block->columns);
        if (block->q && mean) virtual_scale_row(block->q + row, from + row, 2, block->columns);
        if (!unit) continue;
        if (block->v) block->v[own] = twice * sigma * (dx - centre) - (mean ? v : 0);
        if (block->q) block->q[own] = twice * dx - (mean ? q : 0);
    }
}

// Matrices of a step with one stage, from the columns x of H^-1 one by one:
//   dx/dq = H^-1 (hat M - beta sigma centre D) ,   dx/dv = hat' H^-1 M ,   dx/du = beta H^-1 B ,   dx/df = beta H^-1
typedef struct {
    const tact_virtual_job *job;
    tact_virtual_scheme scheme;
    virtual_block by_q, by_v, by_u, by_f;
} virtual_filling;

// Adds the contribution of row k of M and D, and x = H^-1 e_k, to all four matrices; k is an unknown of the group.
static void virtual_fill_unknown(const virtual_filling *fill, int group, int k) {
    TACT_ASSERT(k >= 0 && group >= 0);
    tact_virtual_work *soft = fill->job->soft;
    const tact_virtual_stage *stage = fill->job->stage;
    const tact_dof *dof = &fill->job->model->dof[soft->dof[k]];
    // row k of the group's mass matrix
    int begin = soft->group_start[group], size = soft->group_start[group + 1] - begin;
    const tact_real *M = soft->M + soft->M_start[group] + (k - begin) * size;
    tact_real *x = soft->trial, *damping = soft->step;
    for (int i = 0; i < soft->nlisted; i++) x[soft->listed[i]] = damping[soft->listed[i]] = 0;
    x[k] = 1;
    // row k of D, as D'e_k: drives and limits, contacts with an end in this group, then the chain's own terms
    damping[k] -= soft->damping[k] + soft->limit_drag[k];
    for (int i = 0; i < soft->ncouple; i++) {
        const tact_virtual_couple *couple = &soft->couple[i];
        bool touches = false;
        for (int end = 0; end < 2; end++)
            touches = touches || (couple->mover[end] != TACT_WORLD && soft->group[couple->mover[end]] == group);
        if (touches) tact_virtual_damp(soft, couple, x, true, damping);
    }
    if (soft->bending && soft->bends[group]) tact_chain_damp(soft, group, x, true, damping);
    // column x = H^-1 e_k, shared by by_q, by_v, by_u and by_f
    tact_blocks_solve_node(&soft->H, group, x);
    for (int i = 0; i < soft->nlisted; i++) {
        int j = soft->listed[i];
        tact_real m = j >= begin && j < begin + size ? M[j - begin] : 0;
        tact_real share = fill->scheme.hat[0] * m - stage->beta * stage->sigma * fill->scheme.centre[0] * damping[j];
        virtual_add_column(soft, &fill->by_q, soft->dof[j], share, x);
        virtual_add_column(soft, &fill->by_v, soft->dof[j], fill->scheme.hat[1] * m, x);
    }
    if (dof->u >= 0) virtual_add_column(soft, &fill->by_u, dof->u, stage->beta * (dof->force ? 1 : dof->stiffness), x);
    virtual_add_column(soft, &fill->by_f, soft->dof[k], stage->beta, x);
}

static void virtual_put_column(tact_real *matrix, const tact_real *column, int rows, int columns, int at) {
    for (int i = 0; matrix && i < rows; i++) matrix[i * columns + at] = column[i];
}

tact_status tact_virtual_matrices(const tact_model *model, const tact_options *options, const tact_input *input,
                                  const tact_state *before, tact_work *work, const tact_virtual_jacobians *jacobians,
                                  tact_real *scratch) {
    TACT_ASSERT(model && options && input && before && jacobians && (scratch || !model->nv));
    TACT_ASSERT(tact_state_fits(before, model) && tact_work_fits(work, model) && work->soft);
    int nv = model->nv, nu = model->nu, nl = 3 * work->contacts.count;
    tact_real *unit = scratch, *dq = unit + (nv > nu ? nv : nu), *dv = dq + nv, *lambda = dv + nv;
    bool direct = work->soft->last == 0;
    tact_virtual_job job = tact_virtual_slope_job(model, options, work, 0);
    virtual_filling fill = {&job,
                            tact_virtual_choose_scheme(options->integrator, before->past, 0, options->dt),
                            {jacobians->q_q, jacobians->v_q, nv},
                            {jacobians->q_v, jacobians->v_v, nv},
                            {jacobians->q_u, jacobians->v_u, nu},
                            {jacobians->q_f, jacobians->v_f, nv}};
    const virtual_block *blocks[4] = {&fill.by_q, &fill.by_v, &fill.by_u, &fill.by_f};
    // several stages: column by column through all of them, by q, v, u and external forces; one stage: directly from H^-1
    for (int kind = 0; kind < 4; kind++) {
        tact_real *q = direct ? NULL : blocks[kind]->q, *v = direct ? NULL : blocks[kind]->v;
        tact_real *l = kind == 0 ? jacobians->l_q : kind == 2 ? jacobians->l_u : NULL;
        int columns = blocks[kind]->columns;
        tact_virtual_effect effect = {q ? dq : NULL, v ? dv : NULL, l ? lambda : NULL};
        // a unit of one variable at a time: one column of each block
        for (int k = 0; (q || v || l) && k < columns; k++) {
            tact_virtual_change change = {0};
            *(kind == 0 ? &change.q : kind == 1 ? &change.v : kind == 2 ? &change.u : &change.force) = unit;
            for (int i = 0; i < columns; i++) unit[i] = i == k;
            tact_status status = tact_virtual_differentiate(model, options, input, before, work, &change, &effect);
            if (status < 0) return status;
            virtual_put_column(q, dq, nv, columns, k);
            virtual_put_column(v, dv, nv, columns, k);
            virtual_put_column(l, lambda, nl, columns, k);
        }
    }
    tact_status status = direct ? tact_virtual_revisit(&job, 0) : TACT_CONVERGED;
    if (direct && status >= 0) {
        // columns of H^-1 times each right-hand side, island by island
        tact_virtual_work *soft = fill.job->soft;
        // islands: H^-1 is zero between bodies that are not connected
        for (int b = 0; b < 4; b++) {
            // zero the block
            const virtual_block *block = blocks[b];
            tact_real *to = virtual_accumulator(block);
            int count = to ? fill.job->model->nv * block->columns : 0;
            for (int i = 0; i < count; i++) to[i] = 0;
        }
        tact_blocks_find_islands(&soft->H);
        for (int g = 0; g < soft->ngroup; g++) {
            virtual_list_island(soft, g);
            for (int k = soft->group_start[g]; k < soft->group_start[g + 1]; k++) virtual_fill_unknown(&fill, g, k);
        }
        virtual_conclude_block(fill.job, &fill.by_q, fill.scheme.centre[0], 1, 0);
        virtual_conclude_block(fill.job, &fill.by_v, fill.scheme.centre[1], 0, 1);
        virtual_conclude_block(fill.job, &fill.by_u, 0, 0, 0);
        virtual_conclude_block(fill.job, &fill.by_f, 0, 0, 0);
    }
    if (status < 0) return status;
    return tact_virtual_slope_status(options, jacobians->q_q || jacobians->v_q || jacobians->l_q);
}

tact_real tact_virtual_anneal(tact_real first, tact_real last, int stage, int stages) {
    TACT_ASSERT(stages >= 1);
    if (stage >= stages - 1 || !(first > 0)) return last;
    // geometric from first to last; towards 0 down to a thousandth
    tact_real low = last > 0 ? last : first / 1000, share = (tact_real)stage / (tact_real)(stages - 1);
    return first * tact_exp(share * tact_log(low / first));
}
