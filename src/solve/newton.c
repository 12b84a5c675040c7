// SPDX-License-Identifier: MIT
#include "solve/newton.h"

#include "math/elementary.h"
#include "solve/columns.h"

void tact_newton_multiply_add(const tact_path *path, const tact_real *x, tact_real *y) {
    const tact_barrier_work *work = path->work;
    const tact_skyline *P = &path->problem->P;
    for (int i = 0; i < work->H.n; i++) y[i] += work->diagonal[i] * x[i];
    for (int i = 0; i < work->H.n; i++) {
        int unknown = work->unknown[i];
        const tact_real *row = tact_skyline_row(P, unknown);
        for (int j = P->first[unknown]; j < unknown; j++) {
            int other = work->place[j];
            y[i] += row[j] * x[other];
            y[other] += row[j] * x[i];
        }
    }
}

// The largest p_i / P_ii that may be eliminated: what the unknown would move by itself cancels against the force's part in the
// gap, and must not leave more than this share of the gap 2/(kappa lambda) in rounding.
static tact_real softest(const tact_barrier_problem *problem) {
    tact_real kappa = 0, pull = 0, share = tact_sqrt(TACT_EPS);
    for (int i = 0; i < problem->ncone; i++) kappa = tact_max(kappa, problem->cone[i].kappa);
    for (int i = 0; i < problem->n; i++) pull = tact_max(pull, tact_fabs(problem->p[i]));
    tact_real bite = TACT_EPS * kappa * pull;
    return bite > 0 ? 2 * share / bite : TACT_MAX;
}

static bool is_stiff(const tact_barrier_problem *problem, int i, tact_real limit) {
    tact_real P = *tact_skyline_diagonal(&problem->P, i);
    return P > 0 && tact_fabs(problem->p[i]) <= limit * P;
}

bool tact_newton_alike(const tact_barrier_problem *a, const tact_barrier_problem *b) {
    tact_real limit_a = softest(a), limit_b = softest(b);
    for (int i = 0; i < a->n; i++)
        if (is_stiff(a, i, limit_a) != is_stiff(b, i, limit_b)) return false;
    return true;
}

// How P holds an unknown: from where on it couples it, and whether by itself it holds it, as it does none in phase 1.
static int hold(const tact_path *path, int i, tact_real limit) {
    bool stiff = !path->phase1 && is_stiff(path->problem, i, limit);
    return 2 * path->problem->P.first[i] + stiff;
}

// An unknown is shared when two cones move it, when it has a bound, when P couples it to another, or when P leaves it free or
// nearly so; in phase 1 all are. The count of what holds it comes to stand in place.
static void count_owners(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    int *owners = path->work->place;
    for (int i = 0; i < problem->n; i++) owners[i] = path->work->held[i] % 2 == 1 ? 0 : 2;
    for (int i = 0; i < problem->n; i++)
        for (int j = problem->P.first[i]; j < i; j++) owners[i] = owners[j] = 2;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < problem->cone[i].width; k++) owners[problem->cone[i].column[k]]++;
    for (int j = 0; j < problem->nbound; j++) owners[problem->bound[j].column] += 2;
}

// Shared unknowns keep their order; place turns from a count into a place.
static void assign_places(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int at = 0;
    for (int i = 0; i < problem->n; i++)
        if (work->place[i] >= 2) work->unknown[at++] = i;
    work->H.n = at;
    for (int i = 0; i < problem->ncone; i++) {
        tact_cone_seat *seat = &work->seat[i];
        seat->own = at;
        for (int k = 0; k < problem->cone[i].width; k++)
            if (work->place[problem->cone[i].column[k]] == 1) work->unknown[at++] = problem->cone[i].column[k];
        seat->nown = at - seat->own;
        seat->nshared = problem->cone[i].width - seat->nown;
    }
    for (int i = 0; i < problem->n; i++)
        if (work->place[i] == 0) work->unknown[at++] = i;
    for (int i = 0; i < problem->n; i++) work->place[work->unknown[i]] = i;
}

// The Jacobian of a cone, and the places of its unknowns.
static void pack_columns(tact_barrier_work *work, const tact_cone *given, const tact_cone_seat *seat) {
    int own = seat->first, shared = seat->first + seat->nown, width = given->width;
    tact_real mu = given->mu;
    for (int k = 0; k < width; k++) {
        int place = work->place[given->column[k]], at = place < work->H.n ? shared++ : own++;
        work->row[at] = place;
        work->J[3 * at] = given->J[k];
        work->J[3 * at + 1] = mu * given->J[width + k];
        work->J[3 * at + 2] = mu * given->J[2 * width + k];
    }
}

// What the unknowns of a cone's own add: its compliance, and where its gap rests.
static void pack_own(const tact_barrier_work *work, const tact_cone_seat *seat, tact_real K[6], tact_real rest[3]) {
    const tact_real *J = work->J + 3 * seat->first;
    for (int k = 0; k < 6; k++) K[k] = 0;
    for (int k = 0; k < seat->nown; k++, J += 3) {
        tact_real weight = 1 / work->diagonal[seat->own + k], p = work->p[seat->own + k];
        tact_real n = weight * J[0], t = weight * J[1], u = weight * J[2];
        K[0] += n * J[0];
        K[1] += t * J[0];
        K[2] += t * J[1];
        K[3] += u * J[0];
        K[4] += u * J[1];
        K[5] += u * J[2];
        rest[0] -= n * p;
        rest[1] -= t * p;
        rest[2] -= u * p;
    }
}

// The shared columns of one cone among those of the widest of its group.
static void pack_shared(const tact_barrier_work *work, const tact_cone_seat *seat, const tact_cone_iterate *cone, int lane) {
    int at = seat->first + seat->nown, end = at + seat->nshared, place = cone->first + cone->nown;
    tact_wide *wide = (tact_wide *)work->wide + 3 * place;
    for (int k = 0; k < cone->nshared; k++, wide += 3) {
        bool has = at < end && work->row[at] == work->row[place + k];
        const tact_real *J = work->J + 3 * at;
        for (int row = 0; row < 3; row++) tact_wide_put(&wide[row], lane, has ? J[row] : 0);
        at += has;
    }
}

static void pack_lane(const tact_path *path, tact_cone_iterate *cone, int lane) {
    const tact_barrier_work *work = path->work;
    const tact_cone *given = &path->problem->cone[tact_cone_member(cone, lane)];
    const tact_cone_seat *seat = &work->seat[tact_cone_member(cone, lane)];
    // nothing is -0, so that a column of zeros changes no bit
    tact_real K[6], c[3] = {given->c[0] + 0, given->mu * given->c[1] + 0, given->mu * given->c[2] + 0};
    for (int k = 0; k < 3; k++) tact_wide_put(&cone->c[k], lane, c[k]);
    pack_own(work, seat, K, c);
    for (int k = 0; k < 3; k++) tact_wide_put(&cone->rest[k], lane, c[k]);
    for (int k = 0; k < 6; k++) tact_wide_put(&cone->K[k], lane, K[k]);
    tact_wide_put(&cone->tau, lane, 2 / given->kappa);
    tact_wide_put(&cone->rate, lane, given->kappa / 2);
    pack_shared(work, seat, cone, lane);
}

// whether the shared unknowns of a are among those of b
static bool share_within(const tact_barrier_work *work, const tact_cone_seat *a, const tact_cone_seat *b) {
    const int *row_a = work->row + a->first + a->nown, *row_b = work->row + b->first + b->nown;
    int found = 0;
    for (int k = 0; k < b->nshared && found < a->nshared; k++) found += row_a[found] == row_b[k];
    return found == a->nshared;
}

bool tact_newton_softens(const tact_barrier_work *work, int ncone) {
    for (int i = 0; i < ncone; i++)
        if (work->seat[i].nown > 0) return true;
    return false;
}

// How many of the most cones from the first on lie side by side; which of them shares most.
static int find_members(const tact_barrier_work *work, int first, int most, int *widest) {
    int members = 1;
    for (*widest = first; members < TACT_LANES && members < most; members++) {
        const tact_cone_seat *next = &work->seat[first + members], *wide = &work->seat[*widest];
        if (share_within(work, next, wide)) continue;
        if (!share_within(work, wide, next)) break;
        *widest = first + members;
    }
    return members;
}

static void arrange_groups(const tact_path *path) {
    tact_barrier_work *work = path->work;
    int ncone = path->problem->ncone, widest = 0;
    bool soft = tact_newton_softens(work, ncone);
    work->ngroup = 0;
    for (int i = 0; i < ncone; work->ngroup++) {
        tact_cone_iterate *cone = &work->cone[work->ngroup];
        cone->begin = i;
        cone->members = find_members(work, i, ncone - i, &widest);
        cone->nown = work->seat[widest].nown;
        cone->own = work->seat[widest].own;
        cone->nshared = work->seat[widest].nshared;
        cone->first = work->seat[widest].first;
        cone->soft = soft;
        for (int lane = 0; lane < cone->members; lane++) {
            work->seat[i + lane].group = work->ngroup;
            work->seat[i + lane].lane = lane;
        }
        i += cone->members;
    }
}

// Each row of a cone's shared unknowns reaches back to the first of them.
static void arrange_rows(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int *first = work->H.first;
    for (int i = 0; i < work->H.n; i++) {
        int reach = problem->P.first[work->unknown[i]];
        first[i] = reach < work->unknown[i] ? work->place[reach] : i;
    }
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_seat *seat = &work->seat[i];
        const int *row = work->row + seat->first + seat->nown;
        for (int k = 0; k < seat->nshared; k++)
            if (row[0] < first[row[k]]) first[row[k]] = row[0];
    }
    int entries = tact_skyline_layout(&work->H);
    TACT_ASSERT(entries <= work->envelope);
    (void)entries;
}

// Whether the places are those of this problem; it is noted for the next.
static bool keeps_places(const tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    bool same = work->held_n == problem->n && work->held_cones == problem->ncone && work->held_bounds == problem->nbound;
    tact_real limit = softest(problem);
    int at = 0;
    for (int i = 0; i < problem->n; i++) {
        int held = hold(path, i, limit);
        same = same && work->held[i] == held;
        work->held[i] = held;
    }
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        tact_cone_seat *seat = &work->seat[i];
        same = same && seat->nown + seat->nshared == cone->width;
        seat->first = at;
        TACT_ASSERT(at + cone->width <= work->columns);
        for (int k = 0; k < cone->width; k++, at++) {
            same = same && work->column[at] == cone->column[k];
            work->column[at] = cone->column[k];
        }
    }
    for (int j = 0; j < problem->nbound; j++) {
        same = same && work->bound[j].column == problem->bound[j].column;
        work->bound[j].column = problem->bound[j].column;
    }
    work->held_n = problem->n;
    work->held_cones = problem->ncone;
    work->held_bounds = problem->nbound;
    return same;
}

void tact_newton_pack(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    bool kept = keeps_places(path);
    if (!kept) {
        count_owners(path);
        assign_places(path);
    }
    for (int i = 0; i < problem->ncone; i++) pack_columns(work, &problem->cone[i], &work->seat[i]);
    if (!kept) {
        arrange_groups(path);
        arrange_rows(path);
    }
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *given = &problem->bound[j];
        tact_bound_iterate *bound = &work->bound[j];
        bound->place = work->place[given->column];
        bound->c = given->c;
        bound->sign = given->sign;
        bound->tau = 2 / given->kappa;
        bound->rate = given->kappa / 2;
        bound->B = 0;
    }
    for (int i = 0; i < problem->n; i++) {
        int unknown = work->unknown[i];
        work->diagonal[i] = path->phase1 ? path->floor : *tact_skyline_diagonal(&problem->P, unknown);
        work->p[i] = path->phase1 ? 0 : problem->p[unknown];
    }
    for (int i = 0; i < work->ngroup; i++)
        for (int lane = 0; lane < TACT_LANES; lane++) pack_lane(path, &work->cone[i], lane);
}

// Q of the shared unknowns into H, with the bounds
static void add_quadratic(tact_path *path) {
    const tact_skyline *P = &path->problem->P;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->H.start[work->H.n]; i++) work->H.value[i] = 0;
    for (int i = 0; i < work->H.n; i++) {
        int unknown = work->unknown[i];
        tact_real *H = tact_skyline_row(&work->H, i);
        H[i] = work->diagonal[i];
        for (int j = P->first[unknown]; j < unknown && !path->phase1; j++) H[work->place[j]] = tact_skyline_row(P, unknown)[j];
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        int place = work->bound[j].place;
        tact_skyline_row(&work->H, place)[place] += work->bound[j].B;
    }
}

bool tact_newton_factor(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int j = 0; j < path->problem->nbound; j++) tact_bound_scale(&work->bound[j]);
    // in two passes, so that the roots and quotients of some cones need not wait for those of others
    for (int i = 0; i < work->ngroup; i++) tact_cone_scale(&work->cone[i]);
    for (int i = 0; i < work->ngroup; i++) tact_cone_weigh(&work->cone[i]);
    return tact_newton_factor_given(path);
}

bool tact_newton_factor_given(tact_path *path) {
    tact_barrier_work *work = path->work;
    tact_envelope H = {.n = work->H.n, .first = work->H.first, .start = work->H.start, .value = work->H.value};
    add_quadratic(path);
    for (int i = 0; i < work->ngroup; i++) tact_columns_square(tact_columns_of(work, &work->cone[i]), work->cone[i].B, &H);
    for (int i = 0; i < work->H.n && path->phase1; i++) tact_skyline_row(&work->H, i)[i] *= 1 + path->ridge;
    path->iterations++;
    return tact_skyline_factor(&work->H, work->pivot);
}

void tact_newton_solve(tact_path *path) {
    tact_barrier_work *work = path->work;
    int nbound = path->problem->nbound;
    for (int j = 0; j < nbound; j++) work->step[work->bound[j].place] += work->bound[j].sign * work->bound[j].dz;
    for (int i = 0; i < work->ngroup; i++) tact_newton_force(&work->cone[i], tact_columns_of(work, &work->cone[i]), work->step);
    tact_skyline_solve(&work->H, work->pivot, work->step);
    for (int i = 0; i < work->ngroup; i++) tact_newton_expand(&work->cone[i], tact_columns_of(work, &work->cone[i]), work->step);
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        tact_real s = bound->sign * work->step[bound->place];
        bound->dz -= bound->B * s;
        bound->ds = s;
    }
}

void tact_newton_complete(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int i = work->H.n; i < path->problem->n; i++) work->d[i] = -work->p[i];
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone_seat *seat = &work->seat[i];
        const tact_real *J = work->J + 3 * seat->first;
        tact_real z[3];
        tact_cone_get(work->cone[seat->group].z, seat->lane, z);
        for (int k = 0; k < seat->nown; k++, J += 3) work->d[seat->own + k] += J[0] * z[0] + J[1] * z[1] + J[2] * z[2];
    }
    for (int i = work->H.n; i < path->problem->n; i++) work->d[i] /= work->diagonal[i];
}
