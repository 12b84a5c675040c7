// SPDX-License-Identifier: MIT
// Large sparse problems with symmetric M, scaled to a unit diagonal; active sets are factored in envelope storage. Block
// principal pivoting (lcp_block.c) with a small ridge, which allows singular sets, comes first; where it does not end, the
// interior-point method of lcp_interior.c, which factors M + W/Z as a whole, with a crossover to the set z > w. Both end with
// proximal steps (M_FF + ridge) dz = -w_F on the set found.
#include "math/elementary.h"
#include "solve/lcp.h"
#include "solve/ordering.h"
#include "solve/skyline.h"

enum { SPARSE_PATIENCE = 4, SPARSE_VECTORS = 14 };

void tact_lcp_sparse_place(tact_lcp_sparse_work *work, int n, int entries, int64_t envelope, tact_arena *arena) {
    TACT_ASSERT(work);
    TACT_ASSERT(n >= 0 && entries >= 0 && envelope >= 0);
    size_t count = (size_t)n;
    work->n = n;
    work->entries = entries;
    work->envelope = envelope;
    TACT_INDICES(arena, count, &work->order, &work->place, &work->first, &work->list);
    work->row = tact_arena_take(arena, count + 1, sizeof(int));
    // memory of the pairs (start, member) and of the elimination (start, set, list)
    work->scratch = tact_arena_take(arena, 3 * (size_t)entries + 5 * count + 2, sizeof(int));
    work->mark = tact_arena_take(arena, count, sizeof(bool));
    work->active = tact_arena_take(arena, count, 1);
    work->trial = tact_arena_take(arena, count, 1);
    work->factor = tact_arena_take(arena, (size_t)envelope, sizeof(tact_real));
    work->scaled = tact_arena_take(arena, (size_t)entries, sizeof(tact_real));
    work->vector = tact_arena_take(arena, SPARSE_VECTORS * count, sizeof(tact_real));
}

// Index of the entry (row, column); -1: none.
static int find_entry(const tact_lcp_sparse *p, int row, int column) {
    TACT_ASSERT(row >= 0 && row < p->n);
    int low = p->start[row], high = p->start[row + 1];
    // bisection: columns ascend within a row
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[row + 1] && p->column[low] == column ? low : -1;
}

static tact_real diagonal_of(const tact_lcp_sparse *p, int i) {
    int k = find_entry(p, i, i);
    return k < 0 ? 0 : p->value[k];
}

int64_t tact_lcp_sparse_order(const tact_lcp_sparse *p, tact_lcp_sparse_work *work) {
    TACT_ASSERT(p && work && 0 <= p->n && p->n <= work->n && p->start && p->start[p->n] <= work->entries);
    int n = p->n, pairs = 0, *start = work->scratch, *member = start + p->start[n] + 1;
    for (int i = 0; i < p->n; i++) {
        // a negative diagonal entry: M is not semi-definite
        if (!(diagonal_of(p, i) >= 0)) return -1;
        // columns in range and ascending, and each entry equal to its mirror image to rounding
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int j = p->column[k];
            if (j < 0 || j >= p->n || (k > p->start[i] && p->column[k - 1] >= j)) return -1;
            int twin = find_entry(p, j, i);
            tact_real a = p->value[k], b = twin < 0 ? 0 : p->value[twin];
            if (a != b && !(tact_fabs(a - b) <= 64 * TACT_EPS * (tact_fabs(a) + tact_fabs(b)))) return -1;
        }
    }
    // each off-diagonal entry is a clique of two in the elimination graph
    start[0] = 0;
    for (int i = 0; i < n; i++)
        for (int k = p->start[i]; k < p->start[i + 1] && p->column[k] < i; k++) {
            member[2 * pairs] = p->column[k];
            member[2 * pairs + 1] = i;
            pairs++;
            start[pairs] = 2 * pairs;
        }
    tact_cliques cliques = {.n = n, .count = pairs, .start = start, .member = member};
    // scratch of the elimination behind the pairs
    int *rest = member + 2 * pairs;
    tact_elimination elimination = {.start = rest, .set = rest + n + 1, .list = work->scratch, .active = work->mark};
    elimination.list = elimination.set + 2 * pairs;
    return tact_elimination_choose(&cliques, &elimination, work->order, work->place);
}

tact_real tact_lcp_sparse_residual(const tact_lcp_sparse *p, const tact_real *z, tact_real *w) {
    TACT_ASSERT(p);
    tact_real most = 0, worst = 0;
    for (int i = 0; i < p->n; i++) most = tact_max(most, tact_fabs(z[i]));
    // z relative to its largest entry, w to the magnitudes of its terms: the residual is dimensionless
    tact_real unit = most > 0 ? 1 / most : 1;
    for (int i = 0; i < p->n; i++) {
        tact_real sum = p->q[i], size = tact_fabs(sum);
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            tact_real t = p->value[k] * z[p->column[k]];
            sum += t;
            size += tact_fabs(t);
        }
        w[i] = sum;
        tact_real value =
            tact_lcp_mismatch(size > 0 ? sum / size : 0, z[i], p->lo ? p->lo[i] : 0, p->hi ? p->hi[i] : TACT_MAX, unit);
        // overflow: no residual
        if (!(value <= worst) || !tact_is_finite(size)) worst = tact_is_finite(value + size) ? value : TACT_MAX;
    }
    return worst;
}

// Whether a solution can be trusted not to be a ray. Along a ray the residual falls as z grows, and means nothing once q is
// lost in the rounding of M z: far out, only a residual at rounding level counts.
static bool is_near_sparse(const tact_lcp_sparse *p, const tact_lcp_solution *solution) {
    // max |M z| against max |q|
    TACT_ASSERT(solution->z || p->n == 0);
    tact_real product = 0, q = 0;
    for (int i = 0; i < p->n; i++) {
        tact_real sum = 0;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += tact_fabs(p->value[k] * solution->z[p->column[k]]);
        product = tact_max(product, sum);
        q = tact_max(q, tact_fabs(p->q[i]));
    }
    if (product < TACT_LCP_FAR * q || product == 0) return true;
    return solution->residual <= 16 * TACT_EPS && product * 16 * TACT_EPS < q;
}

// z projected to its bounds.
static tact_real clip_sparse(const tact_lcp_sparse *p, int i, tact_real z) {
    return tact_clamp(z, p->lo ? p->lo[i] : 0, p->hi ? p->hi[i] : TACT_MAX);
}

static void begin_sweeps(const tact_lcp_sparse *p, tact_real *z) {
    for (int i = 0; i < p->n; i++) z[i] = clip_sparse(p, i, 0);
}

// Projected Gauss-Seidel; returns the number of sweeps. On divergence z returns to its start.
static int sweep_sparse(const tact_lcp_sparse *p, const tact_lcp_options *options, tact_real *z, tact_real *w) {
    int limit = options->max_pivots > 0 ? options->max_pivots : 1000, sweep = 0;
    begin_sweeps(p, z);
    // z_i = clip(z_i - w_i/M_ii); the residual costs as much as a sweep and is tested every eighth time
    for (; sweep < limit; sweep++) {
        if (sweep % 8 == 0 && tact_lcp_sparse_residual(p, z, w) <= options->tolerance) break;
        for (int i = 0; i < p->n; i++) {
            tact_real sum = p->q[i], diagonal = diagonal_of(p, i);
            for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += p->value[k] * z[p->column[k]];
            if (!(diagonal > 0)) continue;
            z[i] = clip_sparse(p, i, z[i] - sum / diagonal);
            // divergence: M is not positive definite
            if (tact_fabs(z[i]) <= TACT_MOST_NUMBER) continue;
            begin_sweeps(p, z);
            return sweep;
        }
    }
    return sweep;
}

// The scaled problem: M with a unit diagonal, its q, and iterates.
typedef struct {
    const tact_lcp_sparse *p;
    tact_lcp_sparse_work *work;
    tact_real *scale, *q, *z, *w, *dz, *dw, *add, *pivot, *right, *Mz, *keep;
    tact_skyline A;
    tact_real ridge, unit;
    int steps;
} sparse_case;

// w = M z + q.
static void multiply_sparse(const sparse_case *s, const tact_real *z, tact_real *w) {
    for (int i = 0; i < s->p->n; i++) {
        tact_real sum = s->q[i];
        for (int k = s->p->start[i]; k < s->p->start[i + 1]; k++) sum += s->work->scaled[k] * z[s->p->column[k]];
        w[i] = sum;
    }
}

// Symmetric scaling to a unit diagonal, and of q to a largest entry of 1.
static void scale_sparse(sparse_case *s) {
    const tact_lcp_sparse *p = s->p;
    // D_i = 1/sqrt(M_ii): M becomes D M D with a unit diagonal, q becomes D q / max |D q|
    tact_real most = 0;
    for (int i = 0; i < p->n; i++) {
        tact_real diagonal = diagonal_of(p, i);
        s->scale[i] = diagonal > 0 ? 1 / tact_sqrt(diagonal) : 1;
        s->q[i] = p->q[i] * s->scale[i];
        most = tact_max(most, tact_fabs(s->q[i]));
    }
    s->unit = most > 0 ? most : 1;
    // entries of a semi-definite M are then at most 1
    for (int i = 0; i < p->n; i++) {
        s->q[i] /= s->unit;
        for (int k = p->start[i]; k < p->start[i + 1]; k++)
            s->work->scaled[k] = p->value[k] * s->scale[i] * s->scale[p->column[k]];
    }
}

// Factors M_FF + add for the active unknowns, in elimination order; false when there is no room or it is singular.
static bool factor_sparse(sparse_case *s, const unsigned char *active) {
    const tact_lcp_sparse *p = s->p;
    tact_lcp_sparse_work *work = s->work;
    // list: F in elimination order; where: place of each unknown in it, -1 outside
    int m = 0, *where = work->scratch;
    for (int k = 0; k < p->n; k++) {
        int i = work->order[k];
        where[i] = active[i] ? m : -1;
        if (active[i]) work->list[m++] = i;
    }
    // envelope of M_FF: each row from its first column in F
    s->A = (tact_skyline){.n = m, .first = work->first, .start = work->row, .value = work->factor};
    for (int r = 0; r < m; r++) {
        int i = work->list[r];
        work->first[r] = r;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int c = where[p->column[k]];
            if (c >= 0 && c < work->first[r]) work->first[r] = c;
        }
    }
    if (tact_skyline_layout(&s->A) > work->envelope) return false;
    for (int k = 0; k < s->A.start[m]; k++) work->factor[k] = 0;
    // lower triangle of M_FF, plus the ridge or W/Z
    for (int r = 0; r < m; r++) {
        int i = work->list[r];
        tact_real *row = tact_skyline_row(&s->A, r);
        for (int k = p->start[i]; k < p->start[i + 1]; k++) {
            int c = where[p->column[k]];
            if (c >= 0 && c <= r) row[c] += work->scaled[k];
        }
        row[r] += s->add[i];
    }
    s->steps++;
    return tact_skyline_factor(&s->A, s->pivot);
}

// x = (M_FF + add)^-1 b, indexed by unknown.
static void solve_sparse(sparse_case *s, const tact_real *b, tact_real *x) {
    // gather b_F, solve, scatter; x is 0 outside F
    int m = s->A.n;
    for (int r = 0; r < m; r++) s->keep[r] = b[s->work->list[r]];
    tact_skyline_solve(&s->A, s->pivot, s->keep);
    for (int i = 0; i < s->p->n; i++) x[i] = 0;
    for (int r = 0; r < m; r++) x[s->work->list[r]] = s->keep[r];
}

// Solution in the original scaling, and its residual.
static tact_real give_sparse(const sparse_case *s, tact_lcp_solution *solution) {
    // z = D x max |D q|, cut off at 0
    for (int i = 0; i < s->p->n; i++) {
        solution->z[i] = tact_max(s->z[i], 0) * s->scale[i] * s->unit;
        solution->active[i] = solution->z[i] > 0;
    }
    return solution->residual = tact_lcp_sparse_residual(s->p, solution->z, solution->w);
}

// Proximal steps on the factored set; true when the residual is within the tolerance.
static bool refine_sparse(sparse_case *s, tact_real tolerance, tact_lcp_solution *solution) {
    tact_real last = TACT_MAX;
    // (M_FF + ridge) dz = -w_F until the residual is rounding or no longer falls
    for (int round = 0; round < 12; round++) {
        tact_real residual = give_sparse(s, solution);
        if (residual <= 64 * TACT_EPS || !(residual < last)) break;
        last = residual;
        multiply_sparse(s, s->z, s->w);
        for (int i = 0; i < s->p->n; i++) s->right[i] = -s->w[i];
        solve_sparse(s, s->right, s->dz);
        for (int i = 0; i < s->p->n; i++) s->z[i] += s->dz[i];
    }
    return solution->residual <= tolerance;
}

static void set_ridge(sparse_case *s) {
    for (int i = 0; i < s->p->n; i++) s->add[i] = s->ridge;
}

// Marks wrong signs in trial; returns their number, and the last one in *last.
static int find_wrong_sparse(const sparse_case *s, int *last) {
    // wrong beyond rounding: z_i < 0 in F, w_i < 0 outside
    const unsigned char *active = s->work->active;
    tact_real most = 0;
    int count = 0;
    for (int i = 0; i < s->p->n; i++) most = tact_max(most, s->z[i]);
    for (int i = 0; i < s->p->n; i++) {
        bool wrong = active[i] ? s->z[i] < -4 * TACT_EPS * most : s->w[i] < -16 * TACT_EPS * (tact_fabs(s->q[i]) + most);
        s->work->trial[i] = wrong;
        count += wrong;
        if (wrong) *last = i;
    }
    return count;
}

// Block principal pivoting with a ridge, from the given active set; true if the refined solution is within the tolerance.
static bool block_sparse(sparse_case *s, int limit, tact_real tolerance, tact_lcp_solution *solution) {
    TACT_ASSERT(limit >= 0);
    unsigned char *active = s->work->active;
    int best = s->p->n + 1, patience = SPARSE_PATIENCE;
    set_ridge(s);
    // M_FF z_F = -q_F, w = M z + q on the current set
    for (int step = 0; step < limit; step++) {
        int last = -1;
        if (!factor_sparse(s, active)) return false;
        for (int i = 0; i < s->p->n; i++) s->right[i] = -s->q[i];
        solve_sparse(s, s->right, s->z);
        multiply_sparse(s, s->z, s->w);
        int wrong = find_wrong_sparse(s, &last);
        if (wrong == 0) return refine_sparse(s, tolerance, solution);
        // exchange all wrong ones as long as their number falls at least every fourth time; otherwise the sets may cycle
        patience = wrong < best ? SPARSE_PATIENCE : patience - 1;
        if (wrong < best) best = wrong;
        if (patience <= 0) return false;
        for (int i = 0; i < s->p->n; i++)
            if (s->work->trial[i]) active[i] = !active[i];
    }
    return false;
}

static tact_real longest_step_sparse(const sparse_case *s, const tact_real *z, const tact_real *w, tact_real part) {
    // largest t with z + t dz >= 0 and w + t dw >= 0, times part; at most 1
    tact_real t = 1 / part;
    for (int i = 0; i < s->p->n; i++) {
        if (s->dz[i] < 0) t = tact_min(t, -z[i] / s->dz[i]);
        if (s->dw[i] < 0) t = tact_min(t, -w[i] / s->dw[i]);
    }
    return part * t;
}

static tact_real gap_sparse(const sparse_case *s, const tact_real *z, const tact_real *w, tact_real t) {
    // mean product (z + t dz)'(w + t dw)/n
    tact_real sum = 0;
    for (int i = 0; i < s->p->n; i++) sum += (z[i] + t * s->dz[i]) * (w[i] + t * s->dw[i]);
    return sum / (tact_real)s->p->n;
}

// Whether a step t stays in a neighbourhood of the central path.
static bool is_central_sparse(const sparse_case *s, const tact_real *z, const tact_real *w, tact_real t) {
    // no product z_i w_i below 1e-4 of the mean
    tact_real least = TACT_REAL(1e-4) * gap_sparse(s, z, w, t);
    for (int i = 0; i < s->p->n; i++)
        if (!((z[i] + t * s->dz[i]) * (w[i] + t * s->dw[i]) >= least)) return false;
    return true;
}

// Newton direction towards z_i w_i = target, with Mehrotra's second-order term from the present dz, dw.
static void direct_sparse(sparse_case *s, const tact_real *z, const tact_real *w, tact_real target) {
    // (M + W/Z) dz = (target - dz_a dw_a)/z - (M z + q), with the predictor dz_a, dw_a (0 before it)
    for (int i = 0; i < s->p->n; i++) s->right[i] = (target - s->dz[i] * s->dw[i]) / z[i] - s->Mz[i];
    solve_sparse(s, s->right, s->dz);
    multiply_sparse(s, s->dz, s->dw);
    // dw = M dz + (M z + q) - w; multiply_sparse has added q once
    for (int i = 0; i < s->p->n; i++) s->dw[i] += s->Mz[i] - w[i] - s->q[i];
}

// Crossover: block pivoting from the set z > w, with the iterate as the centre of the proximal steps.
static bool cross_sparse(sparse_case *s, const tact_real *z, const tact_real *w, tact_real tolerance,
                         tact_lcp_solution *solution) {
    unsigned char *active = s->work->active;
    // at a strictly complementary solution one of z_i, w_i goes to zero: the larger one tells the set
    for (int i = 0; i < s->p->n; i++) {
        active[i] = z[i] > w[i];
        s->z[i] = active[i] ? z[i] : 0;
    }
    set_ridge(s);
    if (factor_sparse(s, active) && refine_sparse(s, tolerance, solution)) return true;
    return block_sparse(s, 6, tolerance, solution);
}

// Mehrotra's interior-point method on the scaled problem, with crossover; true if the solution is within the tolerance.
static bool interior_sparse(sparse_case *s, int limit, tact_real tolerance, tact_lcp_solution *solution) {
    size_t n = (size_t)s->p->n;
    tact_real *z = s->work->vector + 11 * n, *w = s->work->vector + 12 * n, tried = TACT_REAL(1e-5);
    // start: z = w = e in the scaled problem
    for (size_t i = 0; i < n; i++) z[i] = w[i] = 1;
    for (int step = 0; step < limit; step++) {
        // factor M + W/Z on all unknowns
        for (size_t i = 0; i < n; i++) {
            s->work->trial[i] = 1;
            s->add[i] = w[i] / z[i];
            s->dz[i] = s->dw[i] = 0;
        }
        tact_real mu = gap_sparse(s, z, w, 0);
        if (!(mu > TACT_EPS * TACT_EPS) || !factor_sparse(s, s->work->trial)) break;
        // Mehrotra: predictor to 0, then corrector to sigma mu with sigma = (mu_predicted/mu)^3
        multiply_sparse(s, z, s->Mz);
        direct_sparse(s, z, w, 0);
        tact_real ratio = gap_sparse(s, z, w, tact_min(1, longest_step_sparse(s, z, w, 1))) / mu;
        direct_sparse(s, z, w, tact_max(ratio * ratio * ratio, TACT_REAL(1e-6)) * mu);
        // fraction to the boundary 0.995, shortened until the iterate is central
        tact_real t = tact_min(1, longest_step_sparse(s, z, w, TACT_REAL(0.995)));
        for (int k = 0; k < 30 && !is_central_sparse(s, z, w, t); k++) t *= TACT_REAL(0.9);
        // rounding has ended the iteration
        if (!tact_all_finite(s->dz, s->p->n) || !tact_all_finite(s->dw, s->p->n)) break;
        for (size_t i = 0; i < n; i++) {
            z[i] += t * s->dz[i];
            w[i] += t * s->dw[i];
            s->dz[i] = s->dw[i] = 0;
        }
        // crossover when mu has fallen enough since the last one: an exact set ends the iteration
        mu = gap_sparse(s, z, w, 0);
        if (mu > tried) continue;
        tried = mu * TACT_REAL(1e-2);
        if (cross_sparse(s, z, w, tolerance, solution)) return true;
    }
    // last crossover; if it fails, the iterate itself may be within the tolerance
    if (cross_sparse(s, z, w, tolerance, solution)) return true;
    for (size_t i = 0; i < n; i++) s->z[i] = z[i] > w[i] ? z[i] : 0;
    return give_sparse(s, solution) <= tolerance;
}

static tact_status solve_symmetric(const tact_lcp_sparse *p, const tact_lcp_options *options, tact_lcp_sparse_work *work,
                                   tact_lcp_solution *solution) {
    TACT_ASSERT(work->vector || p->n == 0);
    size_t n = (size_t)p->n;
    tact_real *v = work->vector;
    sparse_case s = {.p = p,
                     .work = work,
                     .scale = v,
                     .q = v + n,
                     .z = v + 2 * n,
                     .w = v + 3 * n,
                     .dz = v + 4 * n,
                     .dw = v + 5 * n,
                     .add = v + 6 * n,
                     .pivot = v + 7 * n,
                     .right = v + 8 * n,
                     .Mz = v + 9 * n,
                     .keep = v + 10 * n,
                     .ridge = tact_sqrt(TACT_EPS) / 16};
    // D M D with a unit diagonal
    scale_sparse(&s);
    // first set: that of the last solution, or {i: q_i < 0}
    for (size_t i = 0; i < n; i++) work->active[i] = options->warm ? solution->active[i] : s.q[i] < 0;
    int limit = options->max_pivots > 0 ? options->max_pivots : 60;
    // block pivoting, then the interior-point method
    solution->method = TACT_LCP_PIVOT;
    bool found = options->method != TACT_LCP_INTERIOR && block_sparse(&s, limit, options->tolerance, solution) &&
                 is_near_sparse(p, solution);
    if (!found && options->method != TACT_LCP_PIVOT) {
        solution->method = TACT_LCP_INTERIOR;
        found = interior_sparse(&s, options->max_pivots > 0 ? limit : 80, options->tolerance, solution);
    }
    solution->pivots = s.steps;
    if (!found) give_sparse(&s, solution);
    return solution->residual <= options->tolerance && is_near_sparse(p, solution) ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
}

tact_status tact_lcp_sparse_solve(const tact_lcp_sparse *p, const tact_lcp_options *options, tact_lcp_sparse_work *work,
                                  tact_lcp_solution *solution) {
    TACT_ASSERT(p && options && work && solution && 0 <= p->n && p->n <= work->n);
    if (tact_lcp_sparse_check(p, options).field) return TACT_BAD_INPUT;
    // bounds and nonsymmetric matrices are left to Gauss-Seidel sweeps
    bool bounds = p->lo || p->hi, sweeps = options->method == TACT_LCP_SWEEP;
    int64_t envelope = sweeps || bounds ? -1 : tact_lcp_sparse_order(p, work);
    if (envelope > work->envelope) return TACT_NO_MEMORY;
    if (envelope >= 0) return tact_lcp_finish(solve_symmetric(p, options, work, solution), p->n, solution);
    solution->method = TACT_LCP_SWEEP;
    solution->pivots = sweep_sparse(p, options, solution->z, solution->w);
    solution->residual = tact_lcp_sparse_residual(p, solution->z, solution->w);
    for (int i = 0; i < p->n; i++) solution->active[i] = solution->z[i] > (p->lo ? p->lo[i] : 0);
    tact_status status = solution->residual <= options->tolerance ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
    return tact_lcp_finish(status, p->n, solution);
}
