// SPDX-License-Identifier: MIT
// Phase 1 (clearance.h) leads to a displacement strictly inside all cones, or to forces that prove infeasibility. The forces of
// its iterates balance only to the accuracy of the iteration; here they are projected to rounding, and the forces reported are
// judged by the definition of a certificate. y /= 0 in the cones, J'y = 0 and c'y <= 0 would exclude every d; since J'y is zero
// only to rounding, it excludes
//
//     every d with |d_v| <= D_v,   c'y + sum_v |(J'y)_v| D_v < 0,
//
// with a box D of CERTIFICATE_BOX times the largest length |c| / |J| of a contact that moves with the unknown. The sums are
// evaluated in effectively doubled precision. Source: Ogita, Rump, Oishi, Accurate sum and dot product, 2005, Dot2.
#include "solve/certificate.h"

#include "math/elementary.h"
#include "solve/budget.h"
#include "solve/cone.h"
#include "solve/clearance.h"
#include "solve/newton.h"

enum { POLISH_ITERATIONS = 16 };

// Accepted |J'y| relative to the largest generalised force of one contact; and c'y relative to |c|'|y| below which an attempt
// is made.
#define BALANCED (64 * TACT_EPS)
#ifdef TACT_FLOAT
#define TOUCHING (16 * TACT_EPS)
#define CERTIFICATE_BOX 64
#define CERTIFICATE_HALF 4097
#else
#define TOUCHING (1024 * TACT_EPS)
#define CERTIFICATE_BOX 16384
#define CERTIFICATE_HALF 134217729
#endif

// A candidate certificate y is stored in y of the cones and bounds: the present forces relative to the largest one, without
// those below the given share of it. False when there is none.
static bool candidate_take(tact_path *path, tact_real share) {
    tact_barrier_work *work = path->work;
    tact_wide zero = tact_wide_all(0), largest = zero;
    for (int i = 0; i < work->ngroup; i++) largest = tact_wide_max(largest, work->cone[i].z[0]);
    tact_real most = tact_each_most(largest);
    for (int j = 0; j < path->problem->nbound; j++) most = tact_max(most, work->bound[j].z);
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        // contacts with negligible force take no part in the certificate
        tact_mask small = cone->z[0] < tact_wide_all(share * most);
        for (int k = 0; k < 3; k++) cone->y[k] = tact_wide_select(small, zero, cone->z[k] / most);
    }
    for (int j = 0; j < path->problem->nbound; j++)
        work->bound[j].y = work->bound[j].z < share * most ? 0 : work->bound[j].z / most;
    return most > 0 && most <= TACT_MAX;
}

// Factors the system that projects the candidate y onto J'y = 0, with the metric of the projection in B of each cone.
static bool candidate_factor(tact_path *path, tact_real least) {
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++) {
        // metric of the projection, y_0^2 (I - (1 - room^2) n n'): changes along the nearby boundary of the cone are cheap,
        // changes through it are not
        tact_cone_iterate *cone = &work->cone[i];
        const tact_wide *y = cone->y, zero = tact_wide_all(0), one = tact_wide_all(1);
        tact_wide t = tact_wide_sqrt(y[1] * y[1] + y[2] * y[2]), size = y[0] * y[0];
        tact_mask aside = t > zero;
        tact_wide room = tact_wide_select(y[0] > zero, (y[0] - t) / y[0], one);
        tact_wide across = tact_wide_select(aside, tact_wide_max(tact_wide_all(least), room * room), one);
        tact_wide a = tact_wide_select(aside, -y[1] / t, zero), b = tact_wide_select(aside, -y[2] / t, zero);
        tact_wide f = size * (1 - across) / 2;
        // lower triangle of B by rows, with n = (1, a, b)/sqrt 2
        cone->B[0] = size - f;
        cone->B[1] = -f * a;
        cone->B[2] = size - f * a * a;
        cone->B[3] = -f * b;
        cone->B[4] = -f * a * b;
        cone->B[5] = size - f * b * b;
    }
    // a bound has dimension one: B = y^2
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].B = work->bound[j].y * work->bound[j].y;
    return tact_newton_factor_given(path);
}

// step = J'y; returns its largest entry relative to the largest generalised force of one contact.
static tact_real candidate_balance(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    tact_real *r = work->step, most = 0, pull = 0;
    // J'y of the contacts, then of the bounds
    for (int i = 0; i < problem->n; i++) r[i] = 0;
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_layout *layout = &work->layout[i];
        const tact_real *J = work->J + 3 * layout->first;
        tact_real y[3] = {0, 0, 0};
        tact_cone_get(work->cone[layout->group].y, layout->lane, y);
        for (int k = 0; k < layout->nown + layout->nshared; k++, J += 3) {
            tact_real a = J[0] * y[0], b = J[1] * y[1], c = J[2] * y[2];
            r[work->row[layout->first + k]] += a + b + c;
            pull = tact_max(pull, tact_fabs(a) + tact_fabs(b) + tact_fabs(c));
        }
    }
    for (int j = 0; j < problem->nbound; j++) {
        r[work->bound[j].place] += work->bound[j].sign * work->bound[j].y;
        pull = tact_max(pull, work->bound[j].y);
    }
    // relative to the largest generalised force of one contact
    for (int i = 0; i < problem->n; i++) most = tact_max(most, tact_fabs(r[i]));
    return pull > 0 ? most / pull : 0;
}

// y -= B J H^-1 J'y: projection onto the null space of J', in a metric that keeps away from the cones' boundaries.
static void candidate_project(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->ngroup; i++)
        for (int k = 0; k < 3; k++) work->cone[i].dz[k] = tact_wide_all(0);
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].dz = 0;
    tact_newton_solve(path);
    for (int i = 0; i < work->ngroup; i++)
        // dz = -B J H^-1 J'y by the solution with right-hand side J'y
        for (int k = 0; k < 3; k++) work->cone[i].y[k] += work->cone[i].dz[k];
    for (int j = 0; j < path->problem->nbound; j++) work->bound[j].y += work->bound[j].dz;
}

// Force lambda of contact i in a candidate, in the caller's coordinates.
static void candidate_force(const tact_path *path, int i, tact_real lambda[3]) {
    const tact_cone_layout *layout = &path->work->layout[i];
    tact_cone_get(path->work->cone[layout->group].y, layout->lane, lambda);
    for (int k = 1; k < 3; k++) lambda[k] *= path->problem->cone[i].mu;
}

// A sum of products with its rounding error, and the magnitudes of its terms.
typedef struct {
    tact_real high, low, size;
} certificate_sum;

// sum += a b, with the errors of product and sum (Dekker's split, Knuth's two-sum).
static void certificate_add(certificate_sum *sum, tact_real a, tact_real b) {
    tact_real p = a * b, x = CERTIFICATE_HALF * a, y = CERTIFICATE_HALF * b;
    tact_real a1 = x - (x - a), a2 = a - a1, b1 = y - (y - b), b2 = b - b1;
    tact_real high = sum->high + p, from_p = high - sum->high;
    sum->low += (sum->high - (high - from_p)) + (p - from_p) + (((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2);
    sum->high = high;
    sum->size += tact_fabs(p);
}

// Upper bound of a sum of at most 700 terms, computed in doubled precision.
static tact_real certificate_most(tact_real value, tact_real size) {
    return value + TACT_EPS / 16 * size;
}

// Upper bound of |(J'lambda)_v| times the length scale of unknown v: the largest |c| / max |J| of a contact that moves with it.
static tact_real certificate_reach(const tact_path *path, int v) {
    TACT_ASSERT(0 <= v && v < path->problem->n);
    const tact_barrier_problem *problem = path->problem;
    certificate_sum pull = {0, 0, 0};
    tact_real length = 0;
    // contacts that move with the unknown: their share of J'y, and their length
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        tact_real J = 0, c = 0, lambda[3];
        bool moves = false;
        candidate_force(path, i, lambda);
        for (int a = 0; a < 3 * cone->width; a++) {
            int k = a / cone->width;
            J = tact_max(J, tact_fabs(cone->J[a]));
            c = tact_max(c, tact_fabs(cone->c[k]));
            if (cone->column[a - k * cone->width] != v) continue;
            certificate_add(&pull, cone->J[a], lambda[k]);
            moves = true;
        }
        if (moves && J > 0) length = tact_max(length, c / J);
    }
    // joint limits likewise, with J = +-1
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *bound = &problem->bound[j];
        if (bound->column != v) continue;
        certificate_add(&pull, bound->sign, path->work->bound[j].y);
        length = tact_max(length, tact_fabs(bound->c));
    }
    return length * certificate_most(tact_fabs(pull.high + pull.low), pull.size);
}

// Whether the candidate's forces exclude every displacement in the box.
static bool certificate_holds(const tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    // Farkas: c'y plus the maximum of (J'y)'d in the box is negative, but a feasible displacement would make it 0 or positive
    certificate_sum value = {0, 0, 0};
    for (int i = 0; i < problem->ncone; i++) {
        tact_real lambda[3];
        candidate_force(path, i, lambda);
        for (int k = 0; k < 3; k++) certificate_add(&value, problem->cone[i].c[k], lambda[k]);
    }
    for (int j = 0; j < problem->nbound; j++) certificate_add(&value, problem->bound[j].c, path->work->bound[j].y);
    tact_real sum = certificate_most(value.high + value.low, value.size);
    for (int v = 0; v < problem->n; v++) sum += CERTIFICATE_BOX * certificate_reach(path, v);
    return sum < 0;
}

// Whether the candidate becomes a certificate, by alternating projections that remove its rounding.
static bool candidate_proves(tact_path *path) {
    for (int k = 0; k < POLISH_ITERATIONS; k++) {
        if (k > 0) candidate_project(path);
        // lift the normal components onto the cone where the projection has left them below it
        for (int i = 0; i < path->work->ngroup; i++) {
            tact_wide *y = path->work->cone[i].y;
            y[0] = tact_wide_max(y[0], tact_wide_sqrt(y[1] * y[1] + y[2] * y[2]) * (1 + 8 * TACT_EPS));
        }
        for (int j = 0; j < path->problem->nbound; j++) path->work->bound[j].y = tact_max(path->work->bound[j].y, 0);
        if (candidate_balance(path) <= BALANCED && certificate_holds(path)) return true;
    }
    return false;
}

// Tries to prove infeasibility with the present forces. All forces first; near the end only those above several shares of the
// largest. Each in two metrics: strictly along the boundaries of the cones, then less so.
static bool proves(tact_path *path, const tact_clearance *clear, int budget) {
    static const tact_real share[] = {0, TACT_REAL(1e-4), TACT_REAL(1e-2), TACT_REAL(1e-6)};
    static const tact_real least[] = {TACT_REAL(1e-8), TACT_REAL(1e-3)};
    // whether the forces are close enough to a certificate for an attempt: near the end c'z itself is rounding
    if (!candidate_take(path, 0)) return false;
    tact_real balance = candidate_balance(path);
    if (!(balance <= TACT_REAL(0.01))) return false;
    // c'y relative to |c|'|y|
    tact_real value = 0, size = 0;
    for (int i = 0; i < path->problem->ncone; i++) {
        const tact_cone *cone = &path->problem->cone[i];
        const tact_cone_layout *layout = &path->work->layout[i];
        tact_real y[3];
        tact_cone_get(path->work->cone[layout->group].y, layout->lane, y);
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
    // close: c'y is not above its rounding, or the mean clearance has nearly vanished
    if (!((size > 0 ? value / size : 0) <= 2 * balance + TOUCHING || clear->mean < 100 * TACT_EPS * clear->most)) return false;
    int attempts = clear->mean < TACT_REAL(1e-6) * clear->most ? 4 : 1;
    // each attempt leaves out forces below another share; near the end in two metrics
    for (int k = 0; k < attempts; k++) {
        candidate_take(path, share[k]);
        for (int stage = attempts > 1 ? 0 : 1; stage < 2 && path->iterations < budget; stage++)
            if (candidate_factor(path, least[stage]) && candidate_proves(path)) return true;
    }
    return false;
}

// Phase 1: iterates until d is strictly feasible, infeasibility is proven, or the budget of factorisations is exhausted.
tact_phase tact_certificate_search(tact_path *path, int budget, tact_barrier_solution *solution) {
    TACT_ASSERT(solution);
    tact_clearance clear;
    tact_clearance_begin(&clear, path);
    if (path->work->full) return TACT_PHASE_UNDECIDED;
    for (;;) {
        tact_clearance_measure(&clear);
        if (clear.inside) return TACT_PHASE_INSIDE;
        if (proves(path, &clear, budget - 1)) {
            // the forces of the certificate
            for (int i = 0; i < path->problem->ncone; i++) candidate_force(path, i, solution->lambda + 3 * i);
            for (int j = 0; j < path->problem->nbound; j++) solution->bound_lambda[j] = path->work->bound[j].y;
            return TACT_PHASE_CONTRADICTION;
        }
        // the last factorisation is reserved for the line search
        if (path->iterations >= budget - 1) {
            solution->nearer = tact_budget_search(&clear, budget, solution->d);
            return clear.inside ? TACT_PHASE_INSIDE : TACT_PHASE_UNDECIDED;
        }
        bool spent = !(clear.mean > TACT_EPS * TACT_EPS * clear.most);
        if (spent || !tact_newton_factor(path) || !tact_clearance_step(&clear)) return TACT_PHASE_UNDECIDED;
    }
}
