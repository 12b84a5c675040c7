// SPDX-License-Identifier: MIT
// Primal-dual Newton steps with Nesterov-Todd scaling and Mehrotra's corrector, from a start that need not be feasible.
//
//     P dd - J'dz     = -(P d + p - J'z)                          force balance
//     J dd - ds       = -(J d + c - s)                            gaps
//     W^-1 ds + W dz  = l^-1 o (target e - l o l - second order)  complementarity in scaled coordinates
#include "solve/path.h"

#include "math/elementary.h"
#include "solve/columns.h"
#include "solve/newton.h"

static tact_real largest(const tact_real *x, int n, tact_real least) {
    for (int i = 0; i < n; i++) least = tact_max(least, tact_fabs(x[i]));
    return least;
}

static tact_wide largest_wide(const tact_wide *x, int n, tact_wide least) {
    for (int i = 0; i < n; i++) least = tact_wide_max(least, tact_wide_abs(x[i]));
    return least;
}

// the largest |c|
static tact_real largest_gap(const tact_path *path) {
    tact_wide most = tact_wide_all(0);
    for (int i = 0; i < path->work->ngroup; i++) most = largest_wide(path->work->cone[i].c, 3, most);
    tact_real size = tact_each_most(most);
    for (int j = 0; j < path->problem->nbound; j++) size = tact_max(size, tact_fabs(path->work->bound[j].c));
    return size;
}

// The problem's own scales; d = 0.
static void begin(tact_path *path) {
    for (int i = 0; i < path->work->H.n; i++) path->work->d[i] = 0;
    path->extent = largest_gap(path);
    path->short_steps = 0;
    path->before = TACT_MAX;
    path->aim = 0;
    for (int i = 0; i < path->work->ngroup; i++)
        path->aim = tact_each_add(path->aim, path->work->cone[i].tau, path->work->cone[i].members);
    for (int j = 0; j < path->problem->nbound; j++) path->aim += path->work->bound[j].tau;
    path->aim /= (tact_real)(path->problem->ncone + path->problem->nbound);
}

// The largest gap where every unknown yields to p by itself: how far the step may go.
static tact_real largest_way(const tact_path *path) {
    tact_barrier_work *work = path->work;
    tact_wide size = tact_wide_all(0);
    for (int i = 0; i < work->H.n; i++) work->step[i] = work->diagonal[i] > 0 ? -work->p[i] / work->diagonal[i] : 0;
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        tact_wide gap[3] = {cone->rest[0], cone->rest[1], cone->rest[2]};
        tact_columns_gap(tact_columns_of(cone), work->step, gap);
        size = largest_wide(gap, 3, size);
    }
    return tact_each_most(size);
}

void tact_path_start_cold(tact_path *path) {
    tact_barrier_work *work = path->work;
    begin(path);
    tact_real gap = tact_max(path->extent, largest_way(path) / 2), force = path->pull;
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        tact_wide s = tact_wide_all(gap > 0 ? gap : 1);
        if (!(gap > 0) && force > 0) s = cone->tau / force;
        cone->s[0] = s;
        cone->z[0] = tact_wide_max(tact_wide_all(force), cone->tau / s);
        cone->s[1] = cone->s[2] = cone->z[1] = cone->z[2] = tact_wide_all(0);
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_real tau = work->bound[j].tau;
        tact_real s = gap > 0 ? gap : (force > 0 ? tau / force : 1);
        work->bound[j].s = s;
        work->bound[j].z = tact_max(force, tau / s);
    }
}

// one component of the forces of the cones in the lanes
static tact_wide gather(const tact_cone_iterate *cone, const tact_real *lambda) {
    tact_wide z = tact_wide_all(0);
    for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&z, lane, lambda[3 * tact_cone_member(cone, lane)]);
    return z;
}

bool tact_path_start_warm(tact_path *path, const tact_real *lambda, const tact_real *bound_lambda) {
    const tact_barrier_problem *problem = path->problem;
    begin(path);
    for (int i = 0; i < path->work->ngroup; i++) {
        tact_cone_iterate *cone = &path->work->cone[i];
        const tact_wide zero = tact_wide_all(0);
        tact_wide mu = zero, z[3] = {gather(cone, lambda), gather(cone, lambda + 1), gather(cone, lambda + 2)};
        for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&mu, lane, problem->cone[tact_cone_member(cone, lane)].mu);
        for (int k = 1; k < 3; k++) z[k] = tact_wide_select(mu > zero, z[k] / mu, zero);
        if (tact_mask_any(tact_mask_not((z[0] > zero) & (tact_cone_det(z) > zero)))) return false;
        for (int k = 0; k < 3; k++) cone->z[k] = z[k];
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
    begin(path);
    for (int i = 0; i < path->work->ngroup; i++) {
        tact_cone_iterate *cone = &path->work->cone[i];
        tact_cone_inverse(cone->s, tact_wide_max(cone->tau, path->pull * cone->s[0]), cone->z);
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &path->work->bound[j];
        bound->z = tact_max(bound->tau / bound->s, path->pull);
    }
}

// inside by more than the rounding of a sum of such terms
static bool cones_hold(const tact_wide gap[3], tact_wide size) {
    tact_wide det = tact_cone_det(gap);
    tact_mask inside = (gap[0] > tact_wide_all(0)) & (det > 4 * TACT_EPS * size * gap[0]);
    return !tact_mask_any(tact_mask_not(inside));
}

// of J d
static tact_wide largest_term(const tact_barrier_work *work, const tact_cone_iterate *cone) {
    tact_columns columns = tact_columns_of(cone);
    tact_wide size = tact_wide_all(0);
    for (int a = 0; a < columns.count; a++)
        size = tact_wide_max(size, largest_wide(columns.J + 3 * a, 3, tact_wide_all(0)) * tact_fabs(work->d[columns.place[a]]));
    return size;
}

bool tact_path_inside(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    const tact_wide extent = tact_wide_all(path->extent);
    for (int i = 0; i < work->ngroup; i++)
        if (!cones_hold(work->cone[i].nu, tact_wide_max(extent, largest_term(work, &work->cone[i])))) return false;
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
    const tact_barrier_work *work = path->work;
    tact_real reach = TACT_MAX;
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        reach = tact_min(reach, tact_each_least(tact_cone_max_step(cone->nu, cone->ds, tact_cone_interior_det(cone->nu))));
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        if (bound->ds < 0) reach = tact_min(reach, -bound->nu / bound->ds);
    }
    return tact_min(1, TACT_REAL(0.9) * reach);
}

void tact_path_measure(tact_path *path) {
    tact_barrier_work *work = path->work;
    int n = work->H.n, ncone = path->problem->ncone, nbound = path->problem->nbound;
    tact_real *g = work->g, force = path->pull;
    const tact_wide zero = tact_wide_all(0);
    tact_cone_residual part = {zero, zero, zero, tact_wide_all(path->extent)};
    tact_real mean = 0;
    // before the first step d is 0
    bool moved = path->iterations > 0;
    for (int i = 0; i < n; i++) g[i] = work->p[i];
    if (moved) tact_newton_multiply_add(path, work->d, g);
    force = largest(g, n, force);
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        tact_columns columns = tact_columns_of(cone);
        tact_newton_gap(cone, columns, work->d);
        tact_cone_measure(cone, &mean, &part);
        tact_columns_pull(columns, cone->z[0], cone->z[1], cone->z[2], g);
    }
    tact_residual sum = tact_cone_residual_join(mean, &part);
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->nu = bound->c + bound->sign * work->d[bound->place];
        tact_bound_measure(bound, &sum);
        g[bound->place] -= bound->sign * bound->z;
    }
    path->mean = sum.mean / (tact_real)(ncone + nbound);
    path->centrality = sum.centrality;
    path->miss = sum.miss;
    path->gap = sum.size > 0 ? sum.off / sum.size : sum.off;
    // where nothing but the contacts pulls, what they leave is all out of balance
    tact_real off = largest(g, n, 0);
    path->balance = force > 0 ? off / force : (off > 0 ? 1 : 0);
}

// The balance relative to the forces of the contacts: where these cancel each other it is but their rounding.
static void weigh_balance(tact_path *path) {
    tact_barrier_work *work = path->work;
    int n = work->H.n;
    tact_real *size = work->step, off = largest(work->g, n, 0);
    if (!(off > 0)) return;
    for (int i = 0; i < n; i++) size[i] = 0;
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone_seat *seat = &work->seat[i];
        const tact_real *J = work->J + 3 * (seat->first + seat->nown);
        const int *row = work->row + seat->first + seat->nown;
        tact_real z[3];
        tact_cone_get(work->cone[seat->group].z, seat->lane, z);
        for (int a = 0; a < seat->nshared; a++, J += 3)
            for (int k = 0; k < 3; k++) size[row[a]] += tact_fabs(J[k] * z[k]);
    }
    for (int j = 0; j < path->problem->nbound; j++) size[work->bound[j].place] += work->bound[j].z;
    path->balance = tact_min(path->balance, off / largest(size, n, off));
}

// Whether nu and s differ by no more than the rounding of J d, whose terms may be large beside their sum.
static bool gaps_are_told(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        tact_wide off = tact_wide_all(0);
        for (int k = 0; k < 3; k++) off = tact_wide_max(off, tact_wide_abs(cone->nu[k] - cone->s[k]));
        if (tact_mask_any(off > 8 * TACT_EPS * largest_term(work, cone))) return false;
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        if (tact_fabs(bound->nu - bound->s) > 8 * TACT_EPS * tact_fabs(work->d[bound->place])) return false;
    }
    return true;
}

tact_path_state tact_path_judge(tact_path *path, int budget) {
    tact_real tolerance = path->tolerance;
    if (path->centrality <= tolerance && path->full_step && path->gap > tolerance && gaps_are_told(path)) path->gap = 0;
    bool central = path->centrality <= tolerance && path->gap <= tolerance;
    if (central && path->full_step && path->balance > tolerance) weigh_balance(path);
    bool balanced = path->balance <= tolerance && path->gap <= tolerance;
    if (balanced) {
        // the displacement may be too large for the gap to be told from its rounding
        bool told = path->miss * path->miss * path->miss * path->miss <= tolerance;
        if (path->centrality <= tolerance && told) return TACT_PATH_ARRIVED;
        // near a cone's boundary rounding keeps the products from their targets: as good as they get
        bool stagnant = path->full_step && path->centrality >= path->before / 2;
        if (stagnant && told && path->centrality * path->centrality <= tolerance) return TACT_PATH_ARRIVED;
    }
    // of a point that does not balance yet it says nothing: where old forces begin, every product is on its target
    path->before = balanced ? path->centrality : TACT_MAX;
    bool lost = !tact_is_finite(path->mean + path->balance + path->gap + path->centrality);
    return lost || path->iterations >= budget || path->short_steps >= 3 ? TACT_PATH_STUCK : TACT_PATH_ON;
}

// What a direction is to achieve: products of max(2/kappa, along), a share of the residuals removed, whether it corrects a plain
// Newton step for what the direction before leaves out, and whether it is to be followed.
typedef struct {
    tact_real along, share;
    bool corrects, second, ends;
} purpose;

static void cone_aim(tact_cone_iterate *cone, const purpose *to) {
    tact_wide zero = tact_wide_all(0), target = tact_wide_max(cone->tau, tact_wide_all(to->along));
    if (to->corrects) {
        tact_wide three[3] = {zero, zero, zero};
        if (to->second) tact_cone_second_order(cone, three);
        tact_cone_correct(cone, target, three);
        return;
    }
    for (int k = 0; k < 3; k++) cone->missing[k] = to->share * (cone->nu[k] - cone->s[k]);
    tact_cone_aim(cone, target, cone->missing, cone->aim);
    for (int k = 0; k < 3; k++) cone->dz[k] = cone->aim[k];
}

// already as a force: B (target/z - s - second order - missing)
static tact_real bound_aim(const tact_bound_iterate *bound, const purpose *to) {
    tact_real second = to->second ? bound->ds * bound->dz * bound->over_z : 0;
    tact_real missing = to->share * (bound->nu - bound->s);
    return bound->B * (tact_max(bound->tau, to->along) * bound->over_z - bound->s - second - missing);
}

// How far the direction can be followed, at most 1; 0 when it is not finite.
static tact_real path_reach(const tact_path *path) {
    const tact_barrier_work *work = path->work;
    tact_wide nearest = tact_wide_all(0);
    tact_real sum = 0;
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        const tact_wide *ds = cone->ds, *dz = cone->dz;
        sum = tact_each_add(sum, (ds[0] + ds[1] + ds[2]) + (dz[0] + dz[1] + dz[2]), cone->members);
        nearest = tact_wide_max(nearest, tact_cone_nearness(cone->s, ds, cone->det_s, cone->over_s));
        nearest = tact_wide_max(nearest, tact_cone_nearness(cone->z, dz, cone->det_z, cone->over_z));
    }
    tact_real near = tact_each_most(nearest);
    for (int j = 0; j < path->problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        sum += bound->ds + bound->dz;
        near = tact_max(near, tact_max(-bound->ds * bound->over_s, -bound->dz * bound->over_z));
    }
    if (!tact_is_finite(sum)) return 0;
    // stop short of the boundary; a whole Newton step where there is room for it
    return near > TACT_REAL(0.99) ? TACT_REAL(0.99) / near : 1;
}

// Returns how far the direction can be followed; 1, too, of one that is not to be.
static tact_real find_direction(tact_path *path, const purpose *to) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->H.n; i++) work->step[i] = -to->share * work->g[i];
    for (int i = 0; i < work->ngroup; i++) cone_aim(&work->cone[i], to);
    for (int j = 0; j < problem->nbound; j++) work->bound[j].dz = bound_aim(&work->bound[j], to);
    tact_newton_solve(path);
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) cone->ds[k] += cone->missing[k];
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->ds += to->share * (bound->nu - bound->s);
    }
    return to->ends ? path_reach(path) : 1;
}

static void follow(tact_path *path, tact_real t) {
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
    path->full_step = !(t < 1);
    path->short_steps = t < TACT_REAL(0.05) ? path->short_steps + 1 : 0;
}

bool tact_path_step(tact_path *path) {
    bool trusted = path->iterations < TACT_PATH_PATIENCE;
    tact_real off = tact_max(path->centrality, tact_max(path->balance, path->gap));
    bool far = path->mean > 2 * path->aim || off > TACT_PATH_NEAR;
    int order = trusted && !far ? (int)tact_path_order(off, path->tolerance) : 1;
    const purpose straight = {.share = 1, .ends = true}, first = {.share = 1, .ends = far || order == 1},
                  centre = {.along = path->mean, .share = TACT_REAL(0.3), .ends = true};
    tact_real predicted = find_direction(path, &first), t = predicted;
    // far from the centre: aim at a target that the predictor shows to be within reach
    if (far || t < TACT_REAL(0.99)) order = 2;
    tact_real rest = 1 - predicted;
    purpose corrected = {.along = rest * rest * rest * path->mean, .share = 1, .corrects = true, .second = trusted};
    for (int k = 2; k <= order; k++) {
        corrected.ends = k == order;
        t = find_direction(path, &corrected);
    }
    // where the second order misleads: to the centre first where the way is blocked, else straight on
    if (order > 1 && (t < TACT_REAL(0.1) || 2 * t < predicted))
        t = find_direction(path, predicted < TACT_REAL(0.1) ? &centre : &straight);
    if (t > 0) follow(path, t);
    return t > 0;
}
