// SPDX-License-Identifier: MIT
// Primal-dual Newton steps with Nesterov-Todd scaling and Mehrotra's corrector, from a start that need not be feasible.
//
//     P dd - J'dz     = -(P d + p - J'z)                          force balance
//     J dd - ds       = -(J d + c - s)                            gaps
//     W^-1 ds + W dz  = l^-1 o (target e - l o l - second order)  complementarity in scaled coordinates
#include "solve/path.h"

#include "math/elementary.h"
#include "solve/walk.h"

// Starts the iteration: d = 0, extent = the largest |c|, aim = the mean of the targets tau.
static void begin(tact_path *path) {
    TACT_ASSERT(path->problem->ncone + path->problem->nbound > 0);
    for (int i = 0; i < path->work->H.n; i++) path->work->d[i] = 0;
    // largest gap of the problem, max |c|
    tact_wide most = tact_wide_all(0);
    for (int i = 0; i < path->work->ngroup; i++)
        for (int k = 0; k < 3; k++) most = tact_wide_max(most, tact_wide_abs(path->work->cone[i].c[k]));
    tact_real size = tact_each_most(most);
    for (int j = 0; j < path->problem->nbound; j++) size = tact_max(size, tact_fabs(path->work->bound[j].c));
    path->extent = size;
    path->short_steps = 0;
    path->centred = false;
    path->before = TACT_MAX;
    path->aim = 0;
    for (int i = 0; i < path->work->ngroup; i++)
        path->aim = tact_each_add(path->aim, path->work->cone[i].tau, path->work->cone[i].members);
    for (int j = 0; j < path->problem->nbound; j++) path->aim += path->work->bound[j].tau;
    path->aim /= (tact_real)(path->problem->ncone + path->problem->nbound);
}

void tact_path_start_cold(tact_path *path) {
    tact_barrier_work *work = path->work;
    begin(path);
    // scales: s from the largest gap at d = 0, or half of that at the free displacement; z from the largest p, which contacts
    // may have to bear
    TACT_ASSERT(work->diagonal || work->H.n == 0);
    const tact_walk walk = tact_path_walk(path);
    tact_real gap = tact_max(path->extent, walk_free_gap(&walk) / 2), force = path->force_scale;
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        // s = gap e; if all gaps are 0 the force sets the scale: s = tau/force has the product at its target
        tact_wide s = tact_wide_all(gap > 0 ? gap : 1);
        if (!(gap > 0) && force > 0) s = cone->tau / force;
        cone->s[0] = s;
        // z = max(force, tau/s) e, so that no product starts below its target
        cone->z[0] = tact_wide_max(tact_wide_all(force), cone->tau / s);
        cone->s[1] = cone->s[2] = cone->z[1] = cone->z[2] = tact_wide_all(0);
    }
    // joint limits are cones of dimension one
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_real tau = work->bound[j].tau;
        tact_real s = gap > 0 ? gap : (force > 0 ? tau / force : 1);
        work->bound[j].s = s;
        work->bound[j].z = tact_max(force, tau / s);
    }
}

// One component of lambda for the cones in the lanes.
static tact_wide gather(const tact_cone_iterate *cone, const tact_real *lambda) {
    tact_wide z = tact_wide_all(0);
    for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&z, lane, lambda[3 * tact_cone_member(cone, lane)]);
    return z;
}

bool tact_path_start_warm(tact_path *path, const tact_real *lambda, const tact_real *bound_lambda) {
    TACT_ASSERT(path);
    const tact_barrier_problem *problem = path->problem;
    begin(path);
    for (int i = 0; i < path->work->ngroup; i++) {
        // z = (lambda_n, lambda_t/mu): in these coordinates every cone is z_0 > |z_t|; without friction z_t = 0
        tact_cone_iterate *cone = &path->work->cone[i];
        const tact_wide zero = tact_wide_all(0);
        tact_wide mu = zero, z[3] = {gather(cone, lambda), gather(cone, lambda + 1), gather(cone, lambda + 2)};
        for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&mu, lane, problem->cone[tact_cone_member(cone, lane)].mu);
        for (int k = 1; k < 3; k++) z[k] = tact_wide_select(mu > zero, z[k] / mu, zero);
        // a force on or outside the boundary has no gap on the central path: start cold
        if (tact_mask_any(tact_mask_not((z[0] > zero) & (tact_cone_det(z) > zero)))) return false;
        for (int k = 0; k < 3; k++) cone->z[k] = z[k];
        // equation (9) of docs/laws/barrier.md solved for the gap: s = tau z^-1
        tact_cone_inverse(z, cone->tau, cone->s);
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &path->work->bound[j];
        bound->z = bound_lambda[j];
        if (!(bound->z > 0)) return false;
        bound->s = bound->tau / bound->z;
    }
    return true;
}

void tact_path_start_inside(tact_path *path) {
    TACT_ASSERT(path);
    begin(path);
    for (int i = 0; i < path->work->ngroup; i++) {
        tact_cone_iterate *cone = &path->work->cone[i];
        // z = max(tau, force_scale s_0) s^-1: on the central path, or where the gap is wide with a force of the scale of p
        tact_cone_inverse(cone->s, tact_wide_max(cone->tau, path->force_scale * cone->s[0]), cone->z);
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &path->work->bound[j];
        bound->z = tact_max(bound->tau / bound->s, path->force_scale);
    }
}

// Whether nu is inside the cone by more than the rounding of a sum of terms of magnitude size: nu_n > 0, det(nu) > 4 eps size
// nu_n.
static bool cones_hold(const tact_wide gap[3], tact_wide size) {
    tact_wide det = tact_cone_det(gap);
    tact_mask inside = (gap[0] > tact_wide_all(0)) & (det > 4 * TACT_EPS * size * gap[0]);
    return !tact_mask_any(tact_mask_not(inside));
}

bool tact_path_inside(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    const tact_wide extent = tact_wide_all(path->extent);
    // the terms of J d and c determine the rounding of nu
    for (int i = 0; i < work->ngroup; i++)
        if (!cones_hold(work->cone[i].nu, tact_wide_max(extent, tact_columns_largest(tact_columns_of(&work->cone[i]), work->d))))
            return false;
    for (int j = 0; j < path->problem->nbound; j++)
        if (!(work->bound[j].nu > TACT_EPS * tact_max(path->extent, tact_fabs(work->d[work->bound[j].place])))) return false;
    return true;
}

bool tact_path_starts_inside(const tact_path *path) {
    for (int i = 0; i < path->work->ngroup; i++)
        if (!cones_hold(path->work->cone[i].c, path->work->cone[i].c[0])) return false;
    for (int j = 0; j < path->problem->nbound; j++)
        if (!(path->work->bound[j].c > 0)) return false;
    return true;
}

tact_real tact_path_reach(const tact_path *path) {
    TACT_ASSERT(path);
    const tact_barrier_work *work = path->work;
    tact_real reach = TACT_MAX;
    // largest t with nu + t ds in the cone, a root of a quadratic
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        reach = tact_min(reach, tact_each_least(tact_cone_max_step(cone->nu, cone->ds, tact_cone_interior_det(cone->nu))));
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        if (bound->ds < 0) reach = tact_min(reach, -bound->nu / bound->ds);
    }
    // fraction to the boundary 0.9: closer to it, the barrier's gradient would be rounding
    return tact_min(1, TACT_REAL(0.9) * reach);
}

void tact_path_measure(tact_path *path) {
    const tact_walk walk = tact_path_walk(path);
    tact_walk_residual left = walk_measure(&walk, path->extent, path->force_scale, path->iterations > 0);
    // the residuals of the iterate, as the walk has them
    path->mean = left.mean;
    path->centrality = left.centrality;
    path->miss = left.miss;
    path->gap = left.gap;
    path->off = left.off;
    path->balance = left.balance;
}

// Sum of the magnitudes of the terms of J'z; uses the memory of work->response.
static const tact_real *sum_force_magnitudes(const tact_path *path) {
    const tact_walk walk = tact_path_walk(path);
    walk_weigh(&walk, path->work->response);
    return path->work->response;
}

// Whether nu = J d + c and s agree to within the rounding of J d, whose terms may be large compared with their sum.
static bool gaps_agree(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        tact_wide off = tact_wide_all(0);
        // largest difference of a component, against eight roundings of the largest term of J d
        for (int k = 0; k < 3; k++) off = tact_wide_max(off, tact_wide_abs(cone->nu[k] - cone->s[k]));
        if (tact_mask_any(off > 8 * TACT_EPS * tact_columns_largest(tact_columns_of(cone), work->d))) return false;
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        if (tact_fabs(bound->nu - bound->s) > 8 * TACT_EPS * tact_fabs(work->d[bound->place])) return false;
    }
    return true;
}

// Whether the rounding of nu is small enough to evaluate the products nu o z.
static bool products_are_known(tact_path *path) {
    const tact_walk walk = tact_path_walk(path);
    path->miss = walk_product_error(&walk, path->miss);
    return path->miss <= TACT_PATH_PRODUCT_ERROR;
}

// Whether the residual of the force balance and the rounding of J'z displace every unknown by less than the allowed error,
// TACT_PATH_ACCURACY times the largest unknown or gap. The displacement is bounded by |g_i| / P_ii, since H >= P; where that
// bound is not sufficient, H^-1 |g| is computed, provided the pivots of H are not only rounding.
static bool displacement_is_known(const tact_path *path) {
    tact_barrier_work *work = path->work;
    int n = work->H.n;
    tact_real *off = work->response, allowed = TACT_PATH_ACCURACY * walk_largest(work->d, n, path->extent);
    bool still = true, known = path->iterations > 0;
    // sum of |J|'|z|, whose rounding is an error of the balance that g does not show
    sum_force_magnitudes(path);
    // cheap bound first: |dd_i| <= |off_i| / P_ii
    for (int i = 0; i < n; i++) {
        off[i] = 2 * TACT_EPS * off[i] + tact_fabs(work->g[i]);
        still = still && off[i] <= allowed * work->diagonal[i];
    }
    if (still) return true;
    // H_ii / pivot_i is the cancellation of the pivot; if it is rounding, H^-1 is useless
    for (int i = 0; i < n && known; i++) known = tact_newton_whole(work, i) * work->pivot[i] * (64 * TACT_EPS) <= 1;
    if (known) tact_newton_back(work, off);
    return known && walk_largest(off, n, 0) <= allowed;
}

// A cheaper sufficient test for products_are_known and displacement_is_known, with bounds by the largest unknown and the sum of
// all forces.
static bool is_clearly_accurate(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    // bound on the rounding of the products: every |d_i| replaced by the largest
    tact_real size = walk_largest(work->d, work->H.n, 0), allowed = TACT_PATH_ACCURACY * tact_max(size, path->extent);
    tact_wide most = tact_wide_all(path->miss), pull = tact_wide_all(0), d = tact_wide_all(size);
    for (int i = 0; i < work->ngroup; i++)
        most += tact_newton_rounding_bound(&work->cone[i], tact_columns_of(&work->cone[i]), d, &pull);
    // bound on the rounding of the balance: every force acts on every unknown
    tact_real off = 0;
    for (int j = 0; j < path->problem->nbound; j++) off += work->bound[j].z;
    off = 2 * TACT_EPS * tact_each_add(off, pull, TACT_LANES);
    // off / min P_ii bounds the corresponding displacement
    bool plain = tact_each_most(most) <= TACT_PATH_ACCURACY;
    tact_real least = TACT_MAX;
    for (int i = 0; i < work->H.n; i++) least = tact_min(least, work->diagonal[i]);
    return plain && off + path->off <= allowed * least;
}

tact_path_state tact_path_judge(tact_path *path, int budget) {
    tact_real tolerance = path->tolerance;
    // residuals within the rounding of their own terms count as met; these tests need passes over all columns, so they come
    // last
    if (path->centrality <= tolerance && path->full_step && path->gap > tolerance && gaps_agree(path)) path->gap = 0;
    bool central = path->centrality <= tolerance && path->gap <= tolerance;
    if (central && path->full_step && path->balance > tolerance) {
        // residual of the balance relative to the contact forces: where these cancel, only their rounding is left
        int n = path->work->H.n;
        tact_real off = walk_largest(path->work->g, n, 0);
        if (off > 0) path->balance = tact_min(path->balance, off / walk_largest(sum_force_magnitudes(path), n, off));
    }
    bool balanced = path->balance <= tolerance && path->gap <= tolerance;
    if (balanced) {
        // a displacement may be so large that its rounding hides the gap
        bool known = path->miss * path->miss * path->miss * path->miss <= tolerance;
        if (path->centrality <= tolerance && known) {
            // within the tolerance: converged if rounding leaves the solution determined. The cheap test is omitted without
            // vector registers, where code size matters more than time.
            if (TACT_LANES > 1 && is_clearly_accurate(path)) return TACT_PATH_CONVERGED;
            return products_are_known(path) && displacement_is_known(path) ? TACT_PATH_CONVERGED : TACT_PATH_STUCK;
        }
        // near the boundary of a cone rounding keeps the products from their targets: accept an iterate that no longer improves
        bool stagnant = path->full_step && path->centrality >= path->before / 2;
        if (stagnant && known && path->centrality * path->centrality <= tolerance)
            return products_are_known(path) && displacement_is_known(path) ? TACT_PATH_CONVERGED : TACT_PATH_STUCK;
    }
    // the centrality of an unbalanced iterate says nothing: a warm start puts every product at its target
    path->before = balanced ? path->centrality : TACT_MAX;
    bool lost = !tact_is_finite(path->mean + path->balance + path->gap + path->centrality);
    return lost || path->iterations >= budget || path->short_steps >= 3 ? TACT_PATH_STUCK : TACT_PATH_CONTINUES;
}

// Right-hand side of a direction: along: target of the products, at least tau; share: fraction of the residuals to remove;
// corrects: includes the second-order terms of the last direction; ends: the step length is wanted.
typedef struct {
    tact_real along, share;
    bool corrects, ends;
} direction_target;

// Solves for a direction (d, s, z). Returns its step length; 1 where none is wanted.
static tact_real find_direction(tact_path *path, const direction_target *to) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    // right-hand sides: -share g, and for cones and limits the target minus the product
    for (int i = 0; i < work->H.n; i++) work->step[i] = -to->share * work->g[i];
    for (int i = 0; i < work->ngroup; i++) {
        // right-hand side of a cone
        tact_cone_iterate *cone = &work->cone[i];
        // the corrector changes only the target of the plain Newton step; its residuals are removed in full
        tact_wide zero = tact_wide_all(0), target = tact_wide_max(cone->tau, tact_wide_all(to->along));
        if (to->corrects) {
            tact_wide three[3] = {zero, zero, zero};
            tact_cone_second_order(cone, three);
            tact_cone_correct(cone, target, three);
            continue;
        }
        // plain direction: the share of the gap residual to remove, then target l^-1 - l - W^-1 missing
        for (int k = 0; k < 3; k++) cone->missing[k] = to->share * (cone->nu[k] - cone->s[k]);
        tact_cone_aim(cone, target, cone->missing, cone->aim);
        for (int k = 0; k < 3; k++) cone->dz[k] = cone->aim[k];
    }
    for (int j = 0; j < problem->nbound; j++) {
        // a limit, in one dimension: B (target/z - s - ds dz/z - share (nu - s)), a force
        const tact_bound_iterate *bound = &work->bound[j];
        tact_real second = to->corrects ? bound->ds * bound->dz * bound->over_z : 0;
        tact_real missing = to->share * (bound->nu - bound->s);
        work->bound[j].dz = bound->B * (tact_max(bound->tau, to->along) * bound->over_z - bound->s - second - missing);
    }
    // H dd = right-hand side; ds = J dd + share (nu - s), dz from the scaled complementarity
    tact_newton_solve(path);
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) cone->ds[k] += cone->missing[k];
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->ds += to->share * (bound->nu - bound->s);
    }
    const tact_walk walk = tact_path_walk(path);
    return to->ends ? walk_reach(&walk) : 1;
}

bool tact_path_step(tact_path *path) {
    // predictor: near the solution aim at the targets themselves, and correct up to the given order with the same factor
    bool trusted = path->iterations < TACT_PATH_PATIENCE;
    bool above = path->mean > 2 * path->aim;
    tact_real off = tact_max(path->centrality, tact_max(path->balance, path->gap));
    bool far = above || off > TACT_PATH_NEAR;
    // Mehrotra's steps can cycle between two points far from the central path (C. Cartis, Applied Numerical Mathematics 59,
    // 2009). Late and far from the targets, each is preceded by centring steps, which lead back to the central path.
    bool recentres = !trusted && above && !path->centred;
    int order = trusted && !far ? (int)tact_path_order(off, path->tolerance) : 1;
    const direction_target straight = {.share = 1, .ends = true}, first = {.share = 1, .ends = far || order == 1},
                           centre = {.along = path->mean, .share = TACT_REAL(0.3), .ends = true},
                           level = {.along = path->mean, .share = 1, .ends = true};
    tact_real predicted = find_direction(path, recentres ? &level : &first), t = predicted;
    // corrector (Mehrotra): target (1 - t)^3 times the mean product, t being the predictor's step length
    if (!recentres && (far || t < TACT_REAL(0.99))) order = 2;
    tact_real rest = 1 - predicted;
    direction_target corrected = {.along = rest * rest * rest * path->mean, .share = 1, .corrects = true};
    for (int k = 2; k <= order; k++) {
        corrected.ends = k == order;
        t = find_direction(path, &corrected);
    }
    // safeguard: a corrector with a short step is replaced by a centring step, or by the plain Newton direction
    if (order > 1 && (t < TACT_REAL(0.1) || 2 * t < predicted))
        t = find_direction(path, predicted < TACT_REAL(0.1) ? &centre : &straight);
    if (t > 0) {
        // step of length t in d, s, z
        tact_barrier_work *work = path->work;
        for (int i = 0; i < work->H.n; i++) work->d[i] += t * work->step[i];
        for (int i = 0; i < work->ngroup; i++)
            for (int k = 0; k < 3; k++) {
                work->cone[i].s[k] += t * work->cone[i].ds[k];
                work->cone[i].z[k] += t * work->cone[i].dz[k];
            }
        for (int j = 0; j < path->problem->nbound; j++) {
            work->bound[j].s += t * work->bound[j].ds;
            work->bound[j].z += t * work->bound[j].dz;
        }
        // full steps allow the tests of rounding above; three successive steps below 0.05 indicate that the cones are
        // infeasible
        path->full_step = !(t < 1);
        path->centred = recentres && path->full_step;
        path->short_steps = t < TACT_REAL(0.05) ? path->short_steps + 1 : 0;
    }
    return t > 0;
}
