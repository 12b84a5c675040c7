// SPDX-License-Identifier: MIT
// Phase 1 minimises the violation |w|^2 / 2 of J d + c + w in the cones. Its optimal w is in the dual cone with J'w = 0 and
// c'w = -|w|^2: either w = 0, or w is a certificate that no d exists, because 0 <= w'(J d + c) = c'w < 0 would hold for it.
#include "solve/certificate.h"

#include "math/elementary.h"
#include "solve/cone.h"
#include "solve/newton.h"

enum { PHASE_ITERATIONS = 60, POLISH_ITERATIONS = 16 };

// A candidate certificate y lives in y of the cones and bounds.
static tact_real candidate_normalise(tact_path *path) {
    tact_real sum = 0;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < path->problem->ncone; i++)
        for (int k = 0; k < 3 && !work->cone[i].muted; k++) sum += work->cone[i].z[k] * work->cone[i].z[k];
    for (int j = 0; j < path->problem->nbound; j++)
        if (!work->bound[j].muted) sum += work->bound[j].z * work->bound[j].z;
    tact_real f = sum > 0 ? 1 / tact_sqrt(sum) : 0;
    for (int i = 0; i < path->problem->ncone; i++)
        for (int k = 0; k < 3; k++) work->cone[i].y[k] = work->cone[i].muted ? 0 : f * work->cone[i].z[k];
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].y = work->bound[j].muted ? 0 : f * work->bound[j].z;
    return f;
}

// Leaves out, or takes in again, those with next to no violation: at the least violation most have none.
static void candidate_mute(tact_path *path, bool mute) {
    tact_barrier_work *work = path->work;
    tact_real most = 0;
    for (int i = 0; i < path->problem->ncone; i++) most = tact_max(most, work->cone[i].z[0]);
    for (int j = 0; j < path->problem->nbound; j++) most = tact_max(most, work->bound[j].z);
    tact_real least = TACT_REAL(1e-4) * most;
    for (int i = 0; i < path->problem->ncone; i++) work->cone[i].muted = mute && work->cone[i].z[0] < least;
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].muted = mute && work->bound[j].z < least;
}

// step = J'y; returns its largest entry relative to that of |J|' (y_n, y_n, y_n), where y_n >= |y_t|
static tact_real candidate_balance(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    tact_real *r = work->step, *size = work->g, worst = 0, scale = 0;
    for (int i = 0; i < problem->n; i++) r[i] = size[i] = 0;
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        const tact_real *J = work->J + 3 * cone->first, *y = cone->y;
        for (int k = 0; k < cone->nown + cone->nshared; k++, J += 3) {
            int place = work->row[cone->first + k];
            r[place] += J[0] * y[0] + J[1] * y[1] + J[2] * y[2];
            size[place] += (tact_fabs(J[0]) + tact_fabs(J[1]) + tact_fabs(J[2])) * y[0];
        }
    }
    for (int j = 0; j < problem->nbound; j++) {
        r[work->bound[j].place] += work->bound[j].sign * work->bound[j].y;
        size[work->bound[j].place] += tact_fabs(work->bound[j].y);
    }
    for (int i = 0; i < problem->n; i++) {
        worst = tact_max(worst, tact_fabs(r[i]));
        scale = tact_max(scale, size[i]);
    }
    return scale > 0 ? worst / scale : 0;
}

// y -= B J H^-1 J'y: towards the null space of J', in the metric in which the cones' boundaries are far
static void candidate_project(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int i = 0; i < path->problem->ncone; i++)
        for (int k = 0; k < 3; k++) work->cone[i].dz[k] = 0;
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].dz = 0;
    tact_newton_solve(path);
    for (int i = 0; i < path->problem->ncone; i++)
        for (int k = 0; k < 3; k++) work->cone[i].y[k] += work->cone[i].dz[k];
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].y += work->bound[j].dz;
}

// Lifts the normal components onto the cone where the projection left them below it.
static void candidate_lift(tact_path *path) {
    for (int i = 0; i < path->problem->ncone; i++) {
        tact_real *y = path->work->cone[i].y;
        y[0] = tact_max(y[0], tact_sqrt(y[1] * y[1] + y[2] * y[2]) * (1 + 4 * TACT_EPS));
    }
    for (int j = 0; j < path->problem->nbound; j++) path->work->bound[j].y = tact_max(path->work->bound[j].y, 0);
}

// c'y relative to |c|'|y|
static tact_real candidate_value(const tact_path *path) {
    tact_real value = 0, size = 0;
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone *cone = &path->problem->cone[i];
        const tact_real *y = path->work->cone[i].y;
        for (int k = 0; k < 3; k++) {
            tact_real term = (k ? cone->mu : 1) * cone->c[k] * y[k];
            value += term;
            size += tact_fabs(term);
        }
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_real term = path->problem->bound[j].c * path->work->bound[j].y;
        value += term;
        size += tact_fabs(term);
    }
    return size > 0 ? value / size : 0;
}

// Whether the present violation, cleaned of rounding by alternating projections, proves the contradiction: c'y at most the
// given share of |c|'|y|.
static bool candidate_proves(tact_path *path, tact_real share) {
    if (!(candidate_normalise(path) > 0)) return false;
    for (int k = 0; k < POLISH_ITERATIONS; k++) {
        candidate_lift(path);
        if (candidate_balance(path) <= 64 * TACT_EPS) return candidate_value(path) <= share;
        candidate_project(path);
    }
    return false;
}

// With all cones, and with those only that are violated.
static bool proves_either_way(tact_path *path, tact_real share) {
    bool proven = tact_newton_factor(path) && candidate_proves(path, share);
    if (proven) return true;
    candidate_mute(path, true);
    proven = tact_newton_factor(path) && candidate_proves(path, share);
    candidate_mute(path, false);
    return proven;
}

static void candidate_report(const tact_path *path, tact_barrier_solution *solution) {
    for (int i = 0; i < path->problem->ncone; i++)
        for (int k = 0; k < 3; k++) solution->lambda[3 * i + k] = (k ? path->problem->cone[i].mu : 1) * path->work->cone[i].y[k];
    for (int j = 0; j < path->problem->nbound; j++) solution->bound_lambda[j] = path->work->bound[j].y;
}

static tact_real largest_jacobian(const tact_barrier_problem *problem) {
    tact_real size = problem->nbound > 0 ? 1 : 0;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < 3 * problem->cone[i].width; k++) size = tact_max(size, tact_fabs(problem->cone[i].J[k]));
    return size;
}

tact_phase tact_certificate_search(tact_path *path, tact_barrier_solution *solution) {
    tact_real J = largest_jacobian(path->problem);
    path->soft = 1;
    path->ridge = tact_sqrt(TACT_EPS) * (J > 0 ? J * J : 1);
    tact_newton_pack(path);
    tact_path_start_cold(path);
    tact_real least = 16 * TACT_EPS * path->extent;
    for (int k = 0; k < PHASE_ITERATIONS; k++) {
        tact_path_measure(path);
        if (tact_path_inside(path)) return TACT_PHASE_INSIDE;
        // strict proof at any time; a touching contradiction (c'y = 0) only when nothing is left to find
        bool last = !(path->mean > least * least) || k + 1 == PHASE_ITERATIONS;
        if (proves_either_way(path, last ? 16 * TACT_EPS : -16 * TACT_EPS)) {
            candidate_report(path, solution);
            return TACT_PHASE_CONTRADICTION;
        }
        if (last || !tact_newton_factor(path)) return TACT_PHASE_UNDECIDED;
        tact_path_measure(path);  // the search used the place of g
        if (!tact_path_step(path)) return TACT_PHASE_UNDECIDED;
    }
    return TACT_PHASE_UNDECIDED;
}
