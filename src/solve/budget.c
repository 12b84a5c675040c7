// SPDX-License-Identifier: MIT
#include "solve/budget.h"

#include "math/elementary.h"
#include "solve/columns.h"
#include "solve/newton.h"

enum { BUDGET_HALVINGS = 40, BUDGET_BISECTIONS = 4, BUDGET_REFLECTIONS = 32 };

// Quadratic 1/2 d'P d + p'd along d = from + t x, x = to - from: slope (p + P from)'x at t = 0, and curvature x'P x.
typedef struct {
    tact_real slope, curve;
} segment_energy;

// Derivative of the objective at t: that of the quadratic minus sum tau (s o ds)/det(s), s = nu + t ds.
static tact_real budget_slope(const tact_path *path, segment_energy energy, tact_real t) {
    const tact_barrier_work *work = path->work;
    tact_real slope = energy.slope + t * energy.curve;
    // d/dt of -tau/2 log det s = -tau (s o ds)/det s, with s o ds = s_0 ds_0 - s_t'ds_t
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        const tact_wide *ds = cone->ds;
        tact_wide s[3];
        // gap on the segment
        for (int k = 0; k < 3; k++) s[k] = cone->nu[k] + t * ds[k];
        tact_wide pull = s[0] * ds[0] - s[1] * ds[1] - s[2] * ds[2];
        slope = tact_each_take(slope, cone->tau * pull / tact_cone_interior_det(s), cone->members);
    }
    // d/dt of -tau log s in one dimension
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        slope -= bound->tau * bound->ds / (bound->nu + t * bound->ds);
    }
    return slope;
}

void tact_budget_begin(const tact_path *path, bool rest) {
    TACT_ASSERT(path);
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) cone->y[k] = rest ? cone->c[k] : cone->nu[k];
    }
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].y = rest ? work->bound[j].c : work->bound[j].nu;
}

void tact_budget_line_search(const tact_path *path, const tact_real *from, tact_real *to) {
    // quadratic along the segment
    const tact_barrier_problem *problem = path->problem;
    segment_energy energy = {0, 0};
    TACT_ASSERT(problem->p && from && to);
    for (int i = 0; i < problem->n; i++) {
        // row i of the lower triangle; off-diagonal entries count twice, since P is symmetric
        const tact_real *row = tact_skyline_row(&problem->P, i);
        tact_real x = to[i] - from[i];
        energy.slope += problem->p[i] * x;
        for (int j = problem->P.first[i]; j <= i; j++) {
            tact_real f = row[j], y = to[j] - from[j];
            energy.slope += f * from[j] * x;
            energy.curve += f * x * y;
            if (j == i) continue;
            energy.slope += f * from[i] * y;
            energy.curve += f * x * y;
        }
    }
    // segment from the gaps y to nu: ds = nu - y, then nu = y
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) {
            cone->ds[k] = cone->nu[k] - cone->y[k];
            cone->nu[k] = cone->y[k];
        }
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->ds = bound->nu - bound->y;
        bound->nu = bound->y;
    }
    // not a descent direction: t = 0; otherwise halve t until the slope is not positive, then bisect towards its zero
    tact_real t = budget_slope(path, energy, 0) < 0 ? tact_path_reach(path) : 0, above = t;
    for (int k = 0; k < BUDGET_HALVINGS && budget_slope(path, energy, t) > 0; k++) {
        above = t;
        t /= 2;
    }
    // the zero lies between t, where the objective falls, and above; four bisections reduce this to a sixteenth
    for (int k = 0; k < BUDGET_BISECTIONS && t < above; k++) {
        tact_real half = (t + above) / 2;
        if (budget_slope(path, energy, half) > 0)
            above = half;
        else
            t = half;
    }
    for (int i = 0; i < path->problem->n; i++) to[i] = from[i] + t * (to[i] - from[i]);
}

// Smallest margin nu_n - mu |nu_t| of all gaps; negative if one is closed.
static tact_real budget_margin(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    tact_wide least = tact_wide_all(TACT_MAX);
    // in the coordinates (nu_n, mu |nu_t|) of the cones the margin is nu_0 - |nu_t|
    for (int i = 0; i < work->ngroup; i++) {
        const tact_wide *nu = work->cone[i].nu;
        least = tact_wide_min(least, nu[0] - tact_wide_sqrt(nu[1] * nu[1] + nu[2] * nu[2]));
    }
    tact_real margin = tact_each_least(least);
    for (int j = 0; j < path->problem->nbound; j++) margin = tact_min(margin, work->bound[j].nu);
    return margin;
}

// Copies a displacement (by unknown; NULL: zero) to the path and returns its smallest margin.
static tact_real budget_evaluate(tact_clearance *clear, const tact_real *d) {
    tact_barrier_work *work = clear->path->work;
    for (int i = 0; i < clear->path->problem->n; i++) work->d[i] = d ? d[work->unknown[i]] : 0;
    tact_clearance_measure(clear);
    return budget_margin(clear->path);
}

// Factors J'J plus the ridge of phase 1; false when that is singular.
static bool budget_factor(tact_path *path) {
    tact_barrier_work *work = path->work;
    const tact_wide zero = tact_wide_all(0), one = tact_wide_all(1);
    // identity as the weight of every cone: B = I
    for (int i = 0; i < work->ngroup; i++) {
        tact_wide *B = work->cone[i].B;
        B[0] = B[2] = B[5] = one;
        B[1] = B[3] = B[4] = zero;
    }
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].B = 1;
    return tact_newton_factor_given(path);
}

// Douglas-Rachford iteration from zero displacement; returns the largest margin found, with its displacement in `best`, by
// unknown.
static tact_real budget_iterate(tact_clearance *clear, tact_real closed, tact_real *best) {
    tact_path *path = clear->path;
    // margin to aim for: the resting gap under the forces, or half the depth of the deepest closed gap
    tact_real rest = path->force_scale > 0 ? tact_min(path->extent, path->aim / path->force_scale) : path->extent;
    tact_real widest = closed, wanted = tact_max(rest, -closed / 2);
    if (!(wanted > 0)) wanted = 1;
    tact_budget_begin(path, true);
    // a quarter of that margin is sufficient
    for (int k = 0; k < BUDGET_REFLECTIONS && widest < wanted / 4; k++) {
        // one Douglas-Rachford step between the affine set of gaps {J d + c} and the cones shrunk by the margin:
        // p = P_cones(y),  q = P_gaps(2 p - y),  y += q - p
        // p is stored in dz, q in nu; d is the displacement of q
        tact_barrier_work *work = path->work;
        // right-hand side of the least-squares problem: J'(2 p - y - c)
        for (int i = 0; i < path->problem->n; i++) work->d[i] = 0;
        for (int i = 0; i < work->ngroup; i++) {
            // p: projection onto the cone with its apex shifted by the margin along the normal
            tact_cone_iterate *cone = &work->cone[i];
            tact_wide *y = cone->y, *p = cone->dz, v[3] = {y[0] - wanted, y[1], y[2]};
            // projection of y onto the second-order cone
            const tact_wide zero = tact_wide_all(0), one = tact_wide_all(1);
            // inside the cone: itself; in the polar cone: 0 (part = 0); otherwise ((y_0 + |y_t|)/2) (1, y_t/|y_t|), on the
            // boundary
            tact_wide t = tact_wide_sqrt(v[1] * v[1] + v[2] * v[2]), part = tact_wide_max((v[0] + t) / 2, zero);
            tact_wide f = tact_wide_select(part < t, part / t, one);
            p[0] = tact_wide_select(v[0] < t, part, v[0]);
            p[1] = f * v[1];
            p[2] = f * v[2];
            p[0] += wanted;
            for (int r = 0; r < 3; r++) v[r] = 2 * p[r] - y[r] - cone->c[r];
            tact_columns_push(tact_columns_of(cone), v[0], v[1], v[2], work->d);
        }
        // half-line s >= margin in one dimension
        for (int j = 0; j < path->problem->nbound; j++) {
            tact_bound_iterate *bound = &work->bound[j];
            bound->dz = tact_max(bound->y, wanted);
            work->d[bound->place] += bound->sign * (2 * bound->dz - bound->y - bound->c);
        }
        // d = (J'J)^-1 J'(2 p - y - c); q = J d + c is measured as nu
        tact_newton_back(work, work->d);
        tact_clearance_measure(clear);
        // y += q - p
        for (int i = 0; i < work->ngroup; i++)
            for (int r = 0; r < 3; r++) work->cone[i].y[r] += work->cone[i].nu[r] - work->cone[i].dz[r];
        for (int j = 0; j < path->problem->nbound; j++) work->bound[j].y += work->bound[j].nu - work->bound[j].dz;
        // keep the best: the margin is not monotone in the iterates
        tact_real margin = budget_margin(path);
        if (!(margin > widest)) continue;
        widest = margin;
        for (int i = 0; i < path->problem->n; i++) best[path->work->unknown[i]] = path->work->d[i];
    }
    return widest;
}

bool tact_budget_search(tact_clearance *clear, int budget, tact_real *d) {
    TACT_ASSERT(clear);
    tact_path *path = clear->path;
    tact_real *best = path->work->response;
    bool finite = tact_all_finite(d, path->problem->n);
    // margins of the solver's displacement and of zero; then the search with the rest of the budget
    tact_real solver_margin = budget_evaluate(clear, d), closed = budget_evaluate(clear, NULL), margin = closed;
    for (int i = 0; i < path->problem->n; i++) best[i] = 0;
    if (path->iterations < budget && budget_factor(path)) margin = budget_iterate(clear, closed, best);
    budget_evaluate(clear, best);
    // all gaps open: line search from there towards the solver's displacement
    if (clear->inside && finite) {
        tact_budget_begin(path, false);
        budget_evaluate(clear, d);
        tact_budget_line_search(path, best, d);
        margin = budget_evaluate(clear, d);
    }
    // a gap remains closed: return the displacement with the larger margin
    if (clear->inside) return false;
    if (solver_margin > margin) return true;
    for (int i = 0; i < path->problem->n; i++) d[i] = best[i];
    return margin > closed;
}
