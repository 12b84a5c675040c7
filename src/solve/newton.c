// SPDX-License-Identifier: MIT
#include "solve/newton.h"

#include "solve/sparse.h"
#include "solve/walk.h"

void tact_newton_multiply_add(const tact_path *path, const tact_real *x, tact_real *y) {
    const tact_walk walk = tact_path_walk(path);
    walk_multiply_add(&walk, x, y);
}

// Copies the shared columns of one cone to its lane, in the layout of the widest cone of its group.
static void pack_shared(const tact_barrier_work *work, const tact_cone_layout *layout, const tact_cone_iterate *cone, int lane) {
    int at = layout->first + layout->nown, end = at + layout->nshared, place = cone->first + cone->nown;
    tact_wide *wide = (tact_wide *)work->wide + 3 * place;
    bool all = layout->nshared == cone->nshared;
    // merge of two ascending lists of places: a column that this cone lacks is zero in its lane
    for (int k = 0; k < cone->nshared; k++, wide += 3) {
        bool has = all || (at < end && work->row[at] == work->row[place + k]);
        const tact_real *J = work->J + 3 * at;
        for (int row = 0; row < 3; row++) tact_wide_put(&wide[row], lane, has ? J[row] : 0);
        at += has;
    }
}

// Gathers the cones of a group, one per lane: c, rest, the compliance K = sum D^-1 J_k J_k' of their own unknowns, and shared
// columns.
static void pack_cone(const tact_path *path, tact_cone_iterate *cone) {
    tact_wide kappa = tact_wide_all(0);
    for (int lane = 0; lane < TACT_LANES; lane++) {
        // c, rest, K and columns of the cone in this lane
        const tact_barrier_work *work = path->work;
        const tact_cone *given = &path->problem->cone[tact_cone_member(cone, lane)];
        const tact_cone_layout *layout = &work->layout[tact_cone_member(cone, lane)];
        // adding 0 turns -0 into 0, so that a zero column changes no bit
        tact_real K[6], c[3] = {given->c[0] + 0, given->mu * given->c[1] + 0, given->mu * given->c[2] + 0};
        // c: gap at d = 0; rest: gap when the eliminated unknowns take their displacement due to p alone
        for (int k = 0; k < 3; k++) tact_wide_put(&cone->c[k], lane, c[k]);
        // contribution of the cone's own unknowns: its compliance, and its gap at rest
        const tact_real *J = work->J + 3 * layout->first;
        walk_yield(J, work->pivot + layout->own, work->p + layout->own, layout->nown, K, c);
        for (int k = 0; k < 3; k++) tact_wide_put(&cone->rest[k], lane, c[k]);
        for (int k = 0; k < 6; k++) tact_wide_put(&cone->K[k], lane, K[k]);
        pack_shared(work, layout, cone, lane);
        tact_wide_put(&kappa, lane, path->problem->cone[tact_cone_member(cone, lane)].kappa);
    }
    cone->tau = 2 / kappa;
    cone->rate = kappa / 2;
}

void tact_newton_pack(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    TACT_ASSERT(path->phase1 || problem->p);
    tact_newton_arrange(path);
    // columns of the contacts in elimination order
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *given = &problem->cone[i];
        const int *column_at = work->column_at + work->layout[i].first;
        // rows are (normal, tangent, tangent) of the caller; tangents are scaled by mu, so that every cone becomes nu_0 >
        // |nu_t|
        int width = given->width;
        tact_real mu = given->mu;
        const tact_real *n = given->J, *t = n + width, *u = t + width;
        for (int k = 0; k < width; k++) {
            tact_real *J = work->J + 3 * column_at[k];
            J[0] = n[k];
            J[1] = mu * t[k];
            J[2] = mu * u[k];
        }
    }
    // limits are cones of one row, with J = +-1
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *given = &problem->bound[j];
        tact_bound_iterate *bound = &work->bound[j];
        bound->c = given->c;
        bound->sign = given->sign;
        bound->tau = 2 / given->kappa;
        bound->rate = given->kappa / 2;
        bound->B = 0;
    }
    // diagonal and gradient by place; in phase 1 P is replaced by a floor, and p by 0
    for (int i = 0; i < problem->n; i++) {
        int unknown = work->unknown[i];
        work->diagonal[i] = path->phase1 ? path->floor : *tact_skyline_diagonal(&problem->P, unknown);
        work->p[i] = path->phase1 ? 0 : problem->p[unknown];
    }
    // a cone's own unknowns are eliminated by their diagonal: pivot = D^-1
    for (int i = work->H.n; i < problem->n; i++) work->pivot[i] = 1 / work->diagonal[i];
    for (int i = 0; i < work->ngroup; i++) pack_cone(path, &work->cone[i]);
}

// H += J'B J of one cone. Places ascend, and those of one node are contiguous.
static void square_supernodes(const tact_barrier_work *work, const tact_cone_iterate *cone) {
    const tact_sparse *A = work->sparse;
    const tact_wide *B = cone->B, *J = cone->J;
    const int *place = cone->row;
    for (int b = 0; b < cone->nshared; b++) {
        const tact_panel *panel = &A->panel[A->of[place[b]]];
        const tact_wide *Jb = J + 3 * b;
        // G = B J_b, then J_a'G for all rows from b on
        tact_wide G0 = B[0] * Jb[0] + B[1] * Jb[1] + B[3] * Jb[2];
        tact_wide G1 = B[1] * Jb[0] + B[2] * Jb[1] + B[4] * Jb[2];
        tact_wide G2 = B[3] * Jb[0] + B[4] * Jb[1] + B[5] * Jb[2];
        // columns of one panel have the same rows: their offsets are found once
        bool known = b > 0 && A->of[place[b - 1]] == A->of[place[b]];
        for (int a = b; a < cone->nshared; a++) {
            if (!known) A->offset[a] = tact_sparse_row(A, panel, place[a]);
            tact_real *at = tact_sparse_entry(A, panel, A->offset[a], place[b]);
            *at = tact_each_add(*at, G0 * J[3 * a] + G1 * J[3 * a + 1] + G2 * J[3 * a + 2], cone->members);
        }
    }
}

// Newton matrix H = P + limits + sum J'B J in supernodes, and its factorisation. False when it is singular.
static bool factor_supernodes(tact_path *path) {
    const tact_skyline *P = &path->problem->P;
    tact_barrier_work *work = path->work;
    tact_sparse *H = work->sparse;
    tact_sparse_zero(H);
    for (int i = 0; i < work->H.n; i++) {
        // P, limits, then the cones; in phase 1 a ridge
        int unknown = work->unknown[i];
        *tact_sparse_at(H, i, i) = work->diagonal[i];
        for (int j = P->first[unknown]; j < unknown && !path->phase1; j++) {
            int other = work->place[j];
            *tact_sparse_at(H, i > other ? i : other, i > other ? other : i) = tact_skyline_row(P, unknown)[j];
        }
    }
    // H += B of each limit, J'B J of each cone
    for (int j = 0; j < path->problem->nbound; j++) {
        int place = work->bound[j].place;
        *tact_sparse_at(H, place, place) += work->bound[j].B;
    }
    for (int i = 0; i < work->ngroup; i++) square_supernodes(work, &work->cone[i]);
    // phase 1: a ridge relative to the diagonal
    for (int i = 0; i < work->H.n && path->phase1; i++) *tact_sparse_at(H, i, i) *= 1 + path->ridge;
    path->iterations++;
    return tact_sparse_factor(H, work->pivot);
}

bool tact_newton_factor(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int j = 0; j < path->problem->nbound; j++) tact_bound_scale(&work->bound[j]);
    // two passes over the cones, so that square roots and divisions of different cones overlap
    for (int i = 0; i < work->ngroup; i++) tact_cone_scale(&work->cone[i]);
    for (int i = 0; i < work->ngroup; i++) tact_cone_weigh(&work->cone[i]);
    return tact_newton_factor_given(path);
}

bool tact_newton_factor_given(tact_path *path) {
    tact_barrier_work *work = path->work;
    if (tact_sparse_holds(work)) return factor_supernodes(path);
    tact_envelope H = tact_skyline_envelope(&work->H);
    // H = Q + sum J'B J
    const tact_walk walk = tact_path_walk(path);
    walk_fill(&walk, &H, path->phase1);
    for (int i = 0; i < work->ngroup; i++) tact_columns_square(tact_columns_of(&work->cone[i]), work->cone[i].B, &H);
    // phase 1: a relative ridge makes a rank-deficient J factorable
    for (int i = 0; i < work->H.n && path->phase1; i++) tact_skyline_row(&work->H, i)[i] *= 1 + path->ridge;
    path->iterations++;
    return tact_skyline_factor(&work->H, work->pivot);
}

void tact_newton_back(const tact_barrier_work *work, tact_real *x) {
    if (tact_sparse_holds(work))
        tact_sparse_solve(work->sparse, work->pivot, x);
    else
        tact_skyline_solve(&work->H, work->pivot, x);
}

tact_real tact_newton_whole(const tact_barrier_work *work, int i) {
    return tact_sparse_holds(work) ? work->sparse->whole[i] : *tact_skyline_diagonal(&work->H, i);
}

void tact_newton_solve(tact_path *path) {
    tact_barrier_work *work = path->work;
    tact_envelope H = tact_skyline_envelope(&work->H);
    int nbound = path->problem->nbound;
    // Right-hand side: r + J'f, with f of the cones and of the limits.
    for (int j = 0; j < nbound; j++) work->step[work->bound[j].place] += work->bound[j].sign * work->bound[j].dz;
    for (int i = 0; i < work->ngroup; i++) tact_newton_force(&work->cone[i], tact_columns_of(&work->cone[i]), work->step);
    // one copy of the loop is enough for small machines, which have no vectors
    if (TACT_LANES > 1 && !tact_sparse_holds(work))
        tact_envelope_solve(&H, work->pivot, work->step);
    else
        tact_newton_back(work, work->step);
    // Back substitution: dz = f - B J dd, ds = J dd + K dz.
    for (int i = 0; i < work->ngroup; i++) tact_newton_expand(&work->cone[i], tact_columns_of(&work->cone[i]), work->step);
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        tact_real s = bound->sign * work->step[bound->place];
        bound->dz -= bound->B * s;
        bound->ds = s;
    }
}

void tact_newton_complete(const tact_path *path, tact_real *d) {
    const tact_barrier_work *work = path->work;
    const int *unknown = work->unknown;
    int at = work->H.n;
    // The shared unknowns are the solution of the reduced system.
    for (int i = 0; i < at; i++) d[unknown[i]] = work->d[i];
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone_layout *layout = &work->layout[i];
        const tact_real *J = work->J + 3 * layout->first;
        tact_real z[3];
        tact_cone_get(work->cone[layout->group].z, layout->lane, z);
        // Own unknowns follow from the force: d_o = D^-1 (J_o'z - p_o).
        for (int k = 0; k < layout->nown; k++, at++, J += 3)
            d[unknown[at]] = ((J[0] * z[0] + J[1] * z[1] + J[2] * z[2]) - work->p[at]) * work->pivot[at];
    }
    // Unknowns that no contact moves: d = -p/P.
    for (; at < path->problem->n; at++) d[unknown[at]] = -work->p[at] * work->pivot[at];
    TACT_ASSERT(at == path->problem->n);
}
