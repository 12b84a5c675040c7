// SPDX-License-Identifier: MIT
// Condensing of intervals, the sweep back over them, and the search: see the header for the equations.
#include "plan/ilqr.h"

#include "math/elementary.h"

enum { ILQR_HALVINGS = 4, ILQR_RAISES = 10 };

// Memory of the iterative LQR over the intervals between knots; an arena without memory measures.
void tact_ilqr_place(tact_ilqr *ilqr, const tact_plan_task *task, int n, tact_arena *arena) {
    TACT_ASSERT(ilqr && task && task->model && n >= 0);
    const tact_model *model = task->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nq = (size_t)model->nq, knots = (size_t)task->knots, size = (size_t)n;
    size_t pairs = (size_t)model->npair, nz = nv + nu, nx = nz + nu;
    ilqr->nz = (int)nz;
    ilqr->nx = (int)nx;
    for (int i = 0; i < task->nresidual; i++)
        ilqr->forces =
            ilqr->forces || task->residual[i].kind == TACT_RESIDUAL_FORCE || task->residual[i].kind == TACT_RESIDUAL_SLIP;
    if (!ilqr->forces) pairs = 0;
    // Of each interval: its map, its Hessian, and the state where it begins.
    ilqr->T = tact_arena_take(arena, knots * nv * nx, sizeof(tact_real));
    ilqr->S = tact_arena_take(arena, knots * nx * nx, sizeof(tact_real));
    TACT_VECTORS(arena, knots * nq, &ilqr->q, &ilqr->q_of);
    TACT_VECTORS(arena, size, &ilqr->k, &ilqr->x, &ilqr->trial, &ilqr->g);
    ilqr->K = tact_arena_take(arena, size * nz, sizeof(tact_real));
    // Of one step: the law's derivatives, and products of them.
    TACT_VECTORS(arena, nv * nv, &ilqr->A, &ilqr->qq);
    ilqr->B = tact_arena_take(arena, nv * nu, sizeof(tact_real));
    ilqr->C = tact_arena_take(arena, 3 * pairs * nv, sizeof(tact_real));
    ilqr->D = tact_arena_take(arena, 3 * pairs * nu, sizeof(tact_real));
    ilqr->M = tact_arena_take(arena, nv * nx, sizeof(tact_real));
    ilqr->SM = tact_arena_take(arena, nx * nx, sizeof(tact_real));
    ilqr->ll = tact_arena_take(arena, 9 * pairs, sizeof(tact_real));
    ilqr->row = tact_arena_take(arena, 3 * nx, sizeof(tact_real));
    // Value function, and the quadratic of one interval with its box.
    ilqr->V = tact_arena_take(arena, nz * nz, sizeof(tact_real));
    TACT_VECTORS(arena, nz, &ilqr->v, &ilqr->dz);
    ilqr->Q = tact_arena_take(arena, nx * nx, sizeof(tact_real));
    ilqr->Q_x = tact_arena_take(arena, nx, sizeof(tact_real));
    TACT_VECTORS(arena, nu * nu, &ilqr->Qww, &ilqr->factor);
    TACT_VECTORS(arena, nu, &ilqr->Qw, &ilqr->lower, &ilqr->upper, &ilqr->step, &ilqr->try, &ilqr->column);
    ilqr->held = tact_arena_take(arena, nu, sizeof(bool));
}

// R (rows, nx) = [X, (1 - s) Y/scale, s Y/scale] of X (rows, nv) and Y (rows, nu): by the state, the knot before, the knot after.
static void ilqr_join(const tact_planner *planner, const tact_real *X, const tact_real *Y, tact_real s, int rows, tact_real *R) {
    int nv = planner->task.model->nv, nu = planner->task.model->nu, nx = planner->ilqr->nx;
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < nv; j++) R[i * nx + j] = X[i * nv + j];
        for (int j = 0; j < nu; j++) {
            tact_real y = Y[i * nu + j] / planner->scale[j];
            R[i * nx + nv + j] = (1 - s) * y;
            R[i * nx + nv + nu + j] = s * y;
        }
    }
}

// S += F'G for F (rows, nx) and G (rows, nx) whose product is symmetric: the lower half.
static void ilqr_add_product(int nx, int rows, const tact_real *F, const tact_real *G, tact_real *S) {
    for (int l = 0; l < rows; l++)
        for (int i = 0; i < nx; i++) {
            tact_real f = F[l * nx + i];
            if (f == 0) continue;
            for (int j = 0; j <= i; j++) S[i * nx + j] += f * G[l * nx + j];
        }
}

static void ilqr_mirror(int n, tact_real *S) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) S[j * n + i] = S[i * n + j];
}

// R (rows, columns) = X (rows, inner) Y (inner, columns), X's rows being stride apart.
static void ilqr_multiply(int rows, int inner, int columns, const tact_real *X, int stride, const tact_real *Y, tact_real *R) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) R[i * columns + j] = 0;
        for (int l = 0; l < inner; l++) {
            tact_real x = X[i * stride + l];
            if (x == 0) continue;
            for (int j = 0; j < columns; j++) R[i * columns + j] += x * Y[l * columns + j];
        }
    }
}

void tact_ilqr_condense(tact_planner *planner, int k, const tact_work *work, tact_deriv_work *deriv) {
    TACT_ASSERT(planner && planner->ilqr && 0 <= k && k < planner->task.horizon && work && deriv);
    tact_ilqr *ilqr = planner->ilqr;
    const tact_plan_task *task = &planner->task;
    const tact_model *model = task->model;
    int nv = model->nv, nu = model->nu, nx = ilqr->nx, knots = task->knots;
    // The last step comes first: S = 0 and T = (I, 0, 0) of all intervals, since in one without steps the state stays.
    if (k == task->horizon - 1) {
        for (int i = 0; i < knots * nx * nx; i++) ilqr->S[i] = 0;
        for (int i = 0; i < knots * nv * nx; i++) ilqr->T[i] = (i % (nv * nx)) / nx == i % nx ? 1 : 0;
    }
    tact_real s = planner->part[k], *S = ilqr->S + planner->knot[k] * nx * nx, *T = ilqr->T + planner->knot[k] * nv * nx;
    tact_jacobians matrices = {.A = ilqr->A, .B = ilqr->B};
    // A, B, and for residuals of forces C, D; M = dq+/d(q, y, w).
    if (ilqr->forces) {
        matrices.C = ilqr->C;
        matrices.D = ilqr->D;
    }
    tact_deriv_matrices(model, work, deriv, &matrices);
    ilqr_join(planner, ilqr->A, ilqr->B, s, nv, ilqr->M);

    // S <- M'S_qq M + M'S_qr + S_rq M + S_rr with r = (y, w), S_qq including the residuals of the state after the step
    tact_real *Q = ilqr->Q;
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv; j++) S[i * nx + j] += ilqr->qq[i * nv + j];
    ilqr_multiply(nv, nv, nx, S, nx, ilqr->M, ilqr->SM);
    for (int i = 0; i < nx; i++)
        for (int j = 0; j <= i; j++) Q[i * nx + j] = j >= nv ? S[i * nx + j] : 0;
    ilqr_add_product(nx, nv, ilqr->M, ilqr->SM, Q);
    for (int l = 0; l < nv; l++)
        for (int i = 0; i < nx; i++) {
            tact_real m = ilqr->M[l * nx + i];
            if (m == 0) continue;
            for (int j = nv; j <= i; j++) Q[i * nx + j] += m * S[l * nx + j];
            for (int j = i > nv ? i : nv; j < nx; j++) Q[j * nx + i] += m * S[l * nx + j];
        }
    // R'W R of the forces, R = (C, D) of each contact.
    for (int c = 0; c < work->contacts.count && ilqr->forces; c++) {
        const tact_real *W = ilqr->ll + 9 * c;
        bool counts = false;
        for (int i = 0; i < 9; i++) counts = counts || W[i] != 0;
        // contacts on which no term depends
        if (!counts) continue;
        ilqr_join(planner, ilqr->C + 3 * c * nv, ilqr->D + 3 * c * nu, s, 3, ilqr->row);
        ilqr_multiply(3, 3, nx, W, 3, ilqr->row, ilqr->SM);
        ilqr_add_product(nx, 3, ilqr->row, ilqr->SM, ilqr->Q);
    }
    ilqr_mirror(nx, Q);
    for (int i = 0; i < nx * nx; i++) S[i] = Q[i];

    // T <- T_q M + (0, T_y, T_w)
    ilqr_multiply(nv, nv, nx, T, nx, ilqr->M, ilqr->SM);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nx; j++) T[i * nx + j] = ilqr->SM[i * nx + j] + (j >= nv ? T[i * nx + j] : 0);
}

// k, K and the value function before an interval. False when Q_ww is not positive definite.
static bool ilqr_minimise(tact_planner *planner, int j) {
    tact_ilqr *ilqr = planner->ilqr;
    int nu = planner->task.model->nu, nx = ilqr->nx, nz = ilqr->nz;
    const tact_real *Q = ilqr->Q;
    tact_real *k = ilqr->k + j * nu, *K = ilqr->K + j * nu * nz;
    // k = argmin 1/2 w'Q_ww w + Q_w'w within the bounds of the knot.
    for (int i = 0; i < nu; i++) {
        for (int l = 0; l < nu; l++) ilqr->Qww[i * nu + l] = Q[(nz + i) * nx + nz + l];
        ilqr->Qw[i] = ilqr->Q_x[nz + i];
        ilqr->lower[i] = planner->lower[j * nu + i] - ilqr->x[j * nu + i];
        ilqr->upper[i] = planner->upper[j * nu + i] - ilqr->x[j * nu + i];
        k[i] = 0;
    }
    tact_boxqp box = {nu, ilqr->Qww, ilqr->Qw, ilqr->lower, ilqr->upper, ilqr->factor, ilqr->held, ilqr->step, ilqr->try};
    if (!tact_boxqp_solve(&box, k)) return false;
    // K = -Q_ww^-1 Q_wz on the free rows.
    for (int i = 0; i < nu; i++)
        for (int l = 0; l < nz; l++) K[i * nz + l] = -Q[(nz + i) * nx + l];
    tact_boxqp_apply(&box, K, nz);
    for (int i = 0; i < nu; i++) {
        // change of f that the model predicts for a step length a: a linear + a^2 quadratic
        tact_real row = 0;
        for (int l = 0; l < nu; l++) row += ilqr->Qww[i * nu + l] * k[l];
        ilqr->linear += ilqr->Qw[i] * k[i];
        ilqr->quadratic += row * k[i] / 2;
    }
    for (int i = 0; i < nz; i++) {
        // V = Q_zz + Q_zw K, v = Q_z + Q_zw k.
        for (int l = 0; l <= i; l++) ilqr->V[i * nz + l] = Q[i * nx + l];
        ilqr->v[i] = ilqr->Q_x[i];
        for (int m = 0; m < nu; m++) {
            tact_real q = Q[i * nx + nz + m];
            ilqr->v[i] += q * k[m];
            if (q == 0) continue;
            for (int l = 0; l <= i; l++) ilqr->V[i * nz + l] += q * K[m * nz + l];
        }
    }
    ilqr_mirror(nz, ilqr->V);
    return true;
}

// The value function before interval j is that after interval j - 1, whose w is this y.
static bool ilqr_sweep(tact_planner *planner, tact_real damping) {
    tact_ilqr *ilqr = planner->ilqr;
    for (int i = 0; i < ilqr->nz * ilqr->nz; i++) ilqr->V[i] = 0;
    for (int i = 0; i < ilqr->nz; i++) ilqr->v[i] = 0;
    ilqr->linear = ilqr->quadratic = 0;
    for (int j = planner->task.knots - 1; j >= 0; j--) {
        // Q and its linear term of an interval: S + F'V F, F = (T; 0 0 I), with effort and posture of the knot after it.
        const tact_plan_task *task = &planner->task;
        int nv = task->model->nv, nu = task->model->nu, nx = ilqr->nx, nz = ilqr->nz;
        const tact_real *T = ilqr->T + j * nv * nx, *S = ilqr->S + j * nx * nx, *V = ilqr->V;
        tact_real *VF = ilqr->SM, *Q = ilqr->Q;
        tact_real effort = 2 * task->effort * (tact_real)task->knots, posture = 2 * task->posture / (tact_real)task->knots;
        // V F: columns of q by T, and those of y added to w
        ilqr_multiply(nz, nv, nx, V, nz, T, VF);
        for (int i = 0; i < nz; i++)
            for (int l = 0; l < nu; l++) VF[i * nx + nz + l] += V[i * nz + nv + l];
        // Q = S + F'V F.
        for (int i = 0; i < nx * nx; i++) Q[i] = S[i];
        ilqr_add_product(nx, nv, T, VF, Q);
        for (int l = 0; l < nu; l++)
            for (int i = 0; i <= nz + l; i++) Q[(nz + l) * nx + i] += VF[(nv + l) * nx + i];
        for (int l = 0; l < nu; l++) {
            // Effort |w - y|^2 and posture |w - x_0|^2 in the diagonal and beside it.
            Q[(nz + l) * nx + nz + l] += effort + posture + damping;
            if (j == 0) continue;
            Q[(nz + l) * nx + nv + l] -= effort;
            Q[(nv + l) * nx + nv + l] += effort;
        }
        ilqr_mirror(nx, Q);
        // Linear term: F'v, and the gradient by the knot.
        for (int i = 0; i < nx; i++) ilqr->Q_x[i] = 0;
        for (int l = 0; l < nv; l++)
            for (int i = 0; i < nx; i++) ilqr->Q_x[i] += T[l * nx + i] * ilqr->v[l];
        for (int l = 0; l < nu; l++) ilqr->Q_x[nz + l] += ilqr->v[nv + l] + ilqr->g[j * nu + l];
        if (!ilqr_minimise(planner, j)) return false;
    }
    return true;
}

// Takes the trial: knots, and the coordinates at them.
static void ilqr_take(tact_planner *planner) {
    tact_ilqr *ilqr = planner->ilqr;
    for (int i = 0; i < planner->n; i++) ilqr->x[i] = ilqr->trial[i];
    for (int i = 0; i < planner->task.knots * planner->task.model->nq; i++) ilqr->q_of[i] = ilqr->q[i];
}

// Steps of the sweep, shorter and shorter, until f falls by a share of what the sweep predicts. The ratio of both; 0: none did.
static tact_real ilqr_search_line(tact_planner *planner, tact_plan_result *result) {
    tact_ilqr *ilqr = planner->ilqr;
    tact_real length = 1;
    for (int i = 0; i < ILQR_HALVINGS; i++, length /= 4) {
        // Armijo's rule with the predicted change.
        tact_real change = length * ilqr->linear + length * length * ilqr->quadratic;
        ilqr->policy = true;
        ilqr->length = length;
        tact_real value = tact_planner_roll(planner, NULL, result->value + TACT_REAL(0.05) * change, ilqr->g);
        result->evaluations++;
        ilqr->policy = false;
        if (value <= result->value + TACT_REAL(0.05) * change) {
            tact_real ratio = length * (result->value - value) / -change;
            result->value = value;
            ilqr_take(planner);
            return ratio;
        }
        result->rejected++;
        if (planner->status >= 0 || planner->step > planner->task.horizon) continue;
        // a pass back may have ended half way: the iterate's maps again
        tact_planner_roll(planner, ilqr->x, TACT_MAX, ilqr->g);
        result->evaluations++;
    }
    return 0;
}

// One iteration: sweeps with more and more damping until one gains. False: none does.
static bool ilqr_improve(tact_planner *planner, tact_real *damping, tact_plan_result *result) {
    tact_ilqr *ilqr = planner->ilqr;
    // The largest curvature of f by one knot, of the last interval: the scale of the damping.
    int nx = ilqr->nx, knots = planner->task.knots;
    tact_real scale = 2 * planner->task.effort * (tact_real)knots + TACT_EPS;
    for (int j = 0; j < knots; j++)
        for (int i = ilqr->nz; i < nx; i++) scale = tact_max(scale, ilqr->S[j * nx * nx + i * nx + i]);
    for (int i = 0; i < ILQR_RAISES; i++) {
        tact_real ratio = 0;
        if (ilqr_sweep(planner, *damping * scale)) {
            // nothing is to be gained beyond rounding
            if (!(-(ilqr->linear + ilqr->quadratic) > 4 * TACT_EPS * tact_fabs(result->value))) return false;
            ratio = ilqr_search_line(planner, result);
        }
        if (ratio > TACT_REAL(0.5)) *damping = *damping > TACT_REAL(1e-8) ? *damping / 10 : 0;
        if (ratio < TACT_REAL(0.2)) *damping = tact_max(10 * *damping, TACT_REAL(1e-5));
        if (ratio > 0) return true;
    }
    return false;
}

// Iterative LQR from planner->x: backward sweep, then line search along the policy, until no further iteration is
// wanted, their limit is reached or no step improves the plan.
tact_plan_result tact_ilqr_search(tact_planner *planner, const tact_plan_options *options) {
    TACT_ASSERT(planner && planner->ilqr && options);
    tact_plan_result result = {.status = TACT_ITERATION_LIMIT, .method = TACT_PLAN_ILQR, .evaluations = 1};
    tact_ilqr *ilqr = planner->ilqr;
    tact_plan_judge judge = {0, 0};
    tact_real damping = 0;
    ilqr->policy = false;
    // the first rollout, with the derivatives of its steps
    result.value = tact_planner_roll(planner, planner->x, TACT_MAX, ilqr->g);
    if (planner->status < 0) {
        result.status = planner->status;
        result.step = planner->step;
        return result;
    }
    ilqr_take(planner);
    // An iteration: judge the iterate, then sweep back and search along the policy.
    for (;;) {
        result.step = planner->step;
        result.gradient = tact_planner_slope(planner, ilqr->x, ilqr->g);
        bool wanted = tact_planner_go_on(planner, options, &judge, &result, ilqr->x);
        if (!wanted || result.iterations >= options->iteration_limit) break;
        if (!ilqr_improve(planner, &damping, &result)) {
            result.status = result.gradient > 0 ? TACT_STATIONARY : TACT_CONVERGED;
            break;
        }
        result.iterations++;
    }
    for (int i = 0; i < planner->n; i++) planner->x[i] = ilqr->x[i];
    // the last rollout is not always that of the plan
    tact_planner_value(planner, planner->x, NULL);
    result.excess = tact_planner_excess(planner);
    return result;
}
