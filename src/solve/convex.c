// SPDX-License-Identifier: MIT
// Dual active set method for
//
//     min 1/2 x'G x + a'x   subject to   n_i'x + c_i >= 0 or = 0,      G positive semi-definite.
//
// An outer proximal point iteration makes it strictly convex: x+ = argmin of the objective plus rho/2 |x - x_k|^2, whose
// residual in the original stationarity condition is exactly rho (x+ - x_k). The inner problem is solved by the method of
// Goldfarb and Idnani (Mathematical Programming 27, 1983): from the minimiser on the active rows, a violated row is added along
//
//     z = J_2 J_2'n,   r = R^-1 J_1'n,      J J' = (G + rho I)^-1,   J'N = (R; 0)
//
// and rows whose multiplier would change sign are dropped on the way. If there is no direction and no row to drop, the problem
// is infeasible. Every proximal step starts with the active rows of the last one, and at the best point on the line of its last
// step.
#include "solve/convex.h"

#include "math/elementary.h"

// Marks in held: active, or linearly dependent on the active rows.
enum { ACTIVE = 1, DEPENDENT = 2 };

void tact_convex_place(tact_convex_work *work, int n, int m, tact_arena *arena) {
    TACT_ASSERT(work);
    TACT_ASSERT(n >= 0 && m >= 0);
    size_t size = (size_t)n, rows = (size_t)m;
    *work = (tact_convex_work){.n = n, .m = m};
    // Goldfarb and Idnani's matrices: L of G + rho I, J = L^-T Q, and R of the active rows
    TACT_VECTORS(arena, size * size, &work->G, &work->J, &work->R);
    tact_real **vectors[] = {&work->a, &work->y, &work->d, &work->z, &work->r, &work->u, &work->center, &work->sign};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = tact_arena_take(arena, size, sizeof(tact_real));
    work->norm = tact_arena_take(arena, rows, sizeof(tact_real));
    work->active = tact_arena_take(arena, size, sizeof(int));
    work->held = tact_arena_take(arena, rows, 1);
}

// g'x + constant of a row's linear part
static tact_real row_value(const tact_quadratic *row, const tact_real *x) {
    tact_real value = row->constant;
    for (int k = 0; k < row->nlinear; k++) value += row->linear[k].value * x[row->linear[k].column];
    return value;
}

// Magnitude of a row's terms, for their rounding.
static tact_real row_size(const tact_quadratic *row, tact_real extent) {
    tact_real size = tact_fabs(row->constant);
    for (int k = 0; k < row->nlinear; k++) size += tact_fabs(row->linear[k].value) * extent;
    return size;
}

// g'J of a row's linear part
static tact_real row_dot(const tact_quadratic *row, const tact_real *J) {
    tact_real sum = 0;
    for (int k = 0; k < row->nlinear; k++) sum += row->linear[k].value * J[row->linear[k].column];
    return sum;
}

// Factors L L' = G + rho I and J = L^-T, by rows of its transpose; false when G is not positive semi-definite to rounding.
static bool factor_convex(const tact_convex_problem *problem, tact_convex_work *work, tact_real rho) {
    TACT_ASSERT(work->n == problem->n);
    int n = problem->n;
    tact_real *L = work->G;
    // Cholesky by rows; a pivot that is not positive ends it
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            tact_real sum = problem->G[i * n + j] + (i == j ? rho : 0) - tact_dot(L + i * n, L + j * n, j);
            if (j < i) L[i * n + j] = sum / L[j * n + j];
            if (j == i && !(sum > 0)) return false;
            if (j == i) L[i * n + i] = tact_sqrt(sum);
        }
    }
    // J = L^-T, so that J'n is a product; row k of J holds column k of L^-T, that is row k of L^-1
    for (int k = 0; k < n; k++) {
        tact_real *row = work->J + k * n;
        for (int i = 0; i < n; i++) row[i] = 0;
        row[k] = 1;
        for (int j = 0; j < k; j++)
            for (int i = 0; i <= j; i++) row[i] -= L[k * n + j] * work->J[j * n + i];
        for (int i = 0; i <= k; i++) row[i] /= L[k * n + k];
    }
    work->q = 0;
    return true;
}

// Givens rotation that takes (a, b) to (length, 0).
typedef struct {
    tact_real c, s;
} givens;

// Givens rotation that maps (a, b) to (|(a, b)|, 0).
static givens givens_to(tact_real a, tact_real b) {
    tact_real length = tact_sqrt(a * a + b * b);
    givens t = {1, 0};
    if (length > 0) t = (givens){a / length, b / length};
    return t;
}

// Applies a Givens rotation to the rows a and b.
static void rotate_rows(givens t, tact_real *a, tact_real *b, int n) {
    for (int i = 0; i < n; i++) {
        tact_real x = a[i], y = b[i];
        a[i] = t.c * x + t.s * y;
        b[i] = t.c * y - t.s * x;
    }
}

// Adds to the active rows the one for which d = J'n was computed.
static void add_active(tact_convex_work *work, int row, tact_real sign, tact_real multiplier) {
    TACT_ASSERT(0 <= row && row < work->m && work->q < work->n);
    // Givens rotations eliminate d_(q+1..n), starting with the last; its length becomes the new diagonal entry of R
    int n = work->n, q = work->q;
    for (int k = n - 2; k >= q; k--) {
        if (work->d[k + 1] == 0) continue;
        givens t = givens_to(work->d[k], work->d[k + 1]);
        rotate_rows(t, work->J + k * n, work->J + (k + 1) * n, n);
        work->d[k] = t.c * work->d[k] + t.s * work->d[k + 1];
        work->d[k + 1] = 0;
    }
    // new column of R
    for (int i = 0; i <= q; i++) work->R[q * n + i] = work->d[i];
    work->active[q] = row;
    work->sign[q] = sign;
    work->u[q] = multiplier;
    work->held[row] = ACTIVE;
    work->q++;
}

// Drops an active row; rows that depended on the active ones are free again.
static void drop_active(tact_convex_work *work, int at) {
    TACT_ASSERT(at >= 0 && at < work->q);
    int n = work->n;
    work->held[work->active[at]] = 0;
    for (int i = 0; i < work->m; i++)
        if (work->held[i] == DEPENDENT) work->held[i] = 0;
    work->q--;
    // columns of R behind it move up, which leaves one entry below the diagonal in each ...
    for (int j = at; j < work->q; j++) {
        work->active[j] = work->active[j + 1];
        work->sign[j] = work->sign[j + 1];
        work->u[j] = work->u[j + 1];
        for (int i = 0; i <= j + 1; i++) work->R[j * n + i] = work->R[(j + 1) * n + i];
    }
    // ... which Givens rotations of R and J eliminate
    for (int j = at; j < work->q; j++) {
        givens t = givens_to(work->R[j * n + j], work->R[j * n + j + 1]);
        rotate_rows(t, work->J + j * n, work->J + (j + 1) * n, n);
        for (int k = j; k < work->q; k++) {
            tact_real *column = work->R + k * n, x = column[j], y = column[j + 1];
            column[j] = t.c * x + t.s * y;
            column[j + 1] = t.c * y - t.s * x;
        }
    }
}

// Recomputes x and u from the factors: y_1 = R^-T b, y_2 = -J_2'a, x = J y, R u = y_1 + J_1'a.
static void refresh(const tact_convex_problem *problem, tact_convex_work *work, tact_real *x) {
    // active rows are equations n'x = -c, triangular in the coordinates y = J^-1 x
    int n = work->n, q = work->q;
    for (int i = 0; i < n; i++) x[i] = 0;
    for (int k = 0; k < n; k++) {
        tact_real Ja = tact_dot(work->J + k * n, work->a, n), y = -Ja;
        if (k < q) {
            y = -work->sign[k] * problem->row[work->active[k]].constant;
            for (int i = 0; i < k; i++) y -= work->R[k * n + i] * work->y[i];
            y /= work->R[k * n + k];
        }
        work->y[k] = y;
        work->d[k] = y + Ja;
        for (int i = 0; i < n; i++) x[i] += y * work->J[k * n + i];
    }
    // multipliers: R u = y_1 + J_1'a
    for (int i = q - 1; i >= 0; i--) {
        tact_real sum = work->d[i];
        for (int j = i + 1; j < q; j++) sum -= work->R[j * n + i] * work->u[j];
        work->u[i] = sum / work->R[i * n + i];
    }
}

static bool is_equal(const tact_convex_problem *problem, int row) {
    return problem->kind[row] == TACT_ROW_EQUAL;
}

// The most violated row relative to its norm, equalities first; -1: none beyond rounding.
static int most_violated(const tact_convex_problem *problem, const tact_convex_work *work, const tact_real *x) {
    int worst = -1;
    tact_real most = 0, extent = tact_largest(x, problem->n);
    bool equal = false;
    // relative to the norm of the row, beyond the rounding of its terms
    for (int i = 0; i < problem->m; i++) {
        if (problem->kind[i] == TACT_ROW_OFF || work->held[i] || !(work->norm[i] > 0)) continue;
        if (equal && !is_equal(problem, i)) continue;
        tact_real value = row_value(&problem->row[i], x), wrong = is_equal(problem, i) ? tact_fabs(value) : -value;
        if (!(wrong > 64 * TACT_EPS * row_size(&problem->row[i], extent))) continue;
        bool first = is_equal(problem, i) && !equal;
        if (!first && wrong / work->norm[i] <= most) continue;
        most = wrong / work->norm[i];
        worst = i;
        equal = is_equal(problem, i);
    }
    return worst;
}

// Whether a dependent row is consistent with the active ones to rounding; marks it DEPENDENT. A row without a constant is
// compared with the magnitudes that x has had, since at x = 0 its own terms vanish.
static bool agrees(const tact_quadratic *row, tact_convex_work *work, int index, const tact_real *x) {
    work->held[index] = DEPENDENT;
    tact_real close = TACT_CLOSE * row_size(row, tact_largest(x, work->n));
    if (row->constant == 0) close = tact_max(close, 4 * TACT_EPS * row_size(row, work->reach));
    return tact_fabs(row_value(row, x)) <= close;
}

// Adds one violated row, dropping others if necessary. A row that depends on the active ones and is consistent with them counts
// as held until one of those is dropped. False: infeasible, or overflow (lost).
static bool satisfy(const tact_convex_problem *problem, tact_convex_work *work, int row, tact_real *x) {
    TACT_ASSERT(row >= 0 && row < problem->m);
    const tact_quadratic *p = &problem->row[row];
    tact_real sign = row_value(p, x) > 0 ? -1 : 1, multiplier = 0;
    work->contrary = row;
    work->side = sign;
    for (;;) {
        tact_real blocked = 0, whole = 0, part = 0, full = TACT_MAX;
        // d = J'n, z = J_2 d_2, r = R^-1 d_1
        int n = work->n, q = work->q;
        // d = J'n; its last n - q entries measure its independence of the active rows
        for (int k = 0; k < n; k++) work->d[k] = sign * row_dot(p, work->J + k * n);
        for (int i = 0; i < n; i++) work->z[i] = 0;
        for (int k = q; k < n; k++)
            for (int i = 0; i < n; i++) work->z[i] += work->d[k] * work->J[k * n + i];
        // R r = d_1 by back substitution
        for (int i = q - 1; i >= 0; i--) {
            tact_real sum = work->d[i];
            for (int j = i + 1; j < q; j++) sum -= work->R[j * n + i] * work->r[j];
            work->r[i] = sum / work->R[i * n + i];
        }
        // part: |d_2|^2, the part of the row that is independent of the active ones
        for (int k = 0; k < work->n; k++) {
            whole += work->d[k] * work->d[k];
            if (k >= work->q) part += work->d[k] * work->d[k];
        }
        // overflow is not infeasibility
        work->lost = !tact_is_finite(whole);
        if (work->lost) return false;
        bool moves = part > whole * (4096 * TACT_EPS * TACT_EPS) * (tact_real)work->n;
        // active inequality whose multiplier vanishes first, and the step at which it does
        int first = -1;
        blocked = TACT_MAX;
        // ratio test of the multipliers: u - t r >= 0
        for (int i = 0; i < work->q; i++) {
            if (is_equal(problem, work->active[i]) || !(work->r[i] > 0)) continue;
            tact_real ratio = tact_max(work->u[i], 0) / work->r[i];
            if (ratio < blocked) {
                blocked = ratio;
                first = i;
            }
        }
        if (moves) full = -sign * row_value(p, x) / part;
        if (!moves && first < 0) {
            if (agrees(p, work, row, x)) return true;
            // accumulated rounding may exceed that of a point: test again at recomputed x
            refresh(problem, work, x);
            work->held[row] = 0;
            return (!is_equal(problem, row) && row_value(p, x) >= 0) || agrees(p, work, row, x);
        }
        work->lost = first < 0 && !(full <= blocked);
        if (work->lost) return false;
        // with the full step the row becomes active; with a shorter one an active row is dropped first
        tact_real step = tact_min(blocked, full);
        if (moves)
            for (int i = 0; i < work->n; i++) x[i] += step * work->z[i];
        work->reach = tact_max(work->reach, tact_largest(x, work->n));
        for (int i = 0; i < work->q; i++) work->u[i] -= step * work->r[i];
        multiplier += step;
        if (full <= blocked) {
            add_active(work, row, sign, multiplier);
            return true;
        }
        drop_active(work, first);
    }
}

// Solves the strictly convex program of one proximal step.
static tact_status solve_strictly(const tact_convex_problem *problem, tact_convex_work *work, tact_real *x) {
    // drop the most negative multiplier, one at a time, until there is none
    for (;;) {
        int worst = -1;
        tact_real least = 0;
        refresh(problem, work, x);
        for (int i = 0; i < work->q; i++)
            if (!is_equal(problem, work->active[i]) && work->u[i] < least) {
                least = work->u[i];
                worst = i;
            }
        if (worst < 0) break;
        drop_active(work, worst);
    }
    work->reach = tact_largest(x, work->n);
    for (int iteration = 0; iteration < 20 * (problem->n + problem->m) + 100; iteration++) {
        // add violated rows in turn; a last test at recomputed x
        int row = most_violated(problem, work, x);
        if (row < 0) {
            refresh(problem, work, x);
            if (most_violated(problem, work, x) < 0) return TACT_CONVERGED;
            continue;
        }
        if (!satisfy(problem, work, row, x)) return work->lost ? TACT_ITERATION_LIMIT : TACT_INFEASIBLE;
    }
    return TACT_ITERATION_LIMIT;
}

bool tact_convex_holds(const tact_convex_problem *problem, tact_convex_work *work) {
    TACT_ASSERT(problem && work);
    tact_real size = 0;
    work->n = problem->n;
    // a matrix with a zero diagonal is semi-definite only if it is zero
    for (int i = 0; i < problem->n; i++) size = tact_max(size, tact_fabs(problem->G[i * problem->n + i]));
    for (int i = 0; i < problem->n * problem->n && size == 0; i++)
        if (problem->G[i] != 0) return false;
    return size == 0 || factor_convex(problem, work, size * 1024 * TACT_EPS);
}

// From x along the last proximal step: to the minimum on that line or to the first row. False: unbounded below.
static bool extrapolate(const tact_convex_problem *problem, tact_convex_work *work, tact_real *x) {
    int n = problem->n;
    // along x + t z the objective is -slope t + curvature t^2/2
    tact_real slope = 0, curvature = 0, step = TACT_MAX, extent = 0, terms = 0;
    for (int i = 0; i < n; i++) {
        work->z[i] = x[i] - work->center[i];
        extent = tact_max(extent, tact_fabs(work->z[i]));
    }
    for (int i = 0; i < n; i++) {
        tact_real Gd = tact_dot(problem->G + i * n, work->z, n),
                  down = (tact_dot(problem->G + i * n, x, n) + problem->a[i]) * work->z[i];
        slope -= down;
        terms += tact_fabs(down);
        curvature += work->z[i] * Gd;
    }
    if (!(slope > 1024 * TACT_EPS * terms)) return true;
    if (curvature > TACT_EPS * slope) step = slope / curvature;
    // first row that the step meets
    for (int i = 0; i < problem->m; i++) {
        if (problem->kind[i] == TACT_ROW_OFF) continue;
        tact_real rate = row_dot(&problem->row[i], work->z), value = row_value(&problem->row[i], x);
        if (is_equal(problem, i)) rate = -tact_fabs(rate);
        // the step itself may have met a row that is now held; other held rows differ from zero by rounding
        tact_real least = work->held[i] ? TACT_CLOSE : 64 * TACT_EPS;
        if (rate < -least * work->norm[i] * extent) step = tact_min(step, work->held[i] ? 0 : tact_max(value, 0) / -rate);
    }
    if (step == TACT_MAX) return false;
    for (int i = 0; i < n; i++) x[i] += step * work->z[i];
    return true;
}

tact_status tact_convex_solve(const tact_convex_problem *problem, tact_convex_work *work, tact_real *x, tact_real *multiplier) {
    int n = problem->n;
    tact_real size = 0, slope = tact_largest(problem->a, n);
    tact_status status = TACT_ITERATION_LIMIT;
    work->n = n;
    // norms of the rows; none is active
    TACT_ASSERT(problem->m <= work->m);
    for (int i = 0; i < problem->m; i++) {
        tact_real sum = 0;
        for (int k = 0; k < problem->row[i].nlinear; k++)
            sum += problem->row[i].linear[k].value * problem->row[i].linear[k].value;
        work->norm[i] = tact_sqrt(sum);
    }
    for (int i = 0; i < work->m; i++) work->held[i] = 0;
    // rows without unknowns are either satisfied or infeasible
    for (int i = 0; i < problem->m; i++) {
        if (problem->kind[i] == TACT_ROW_OFF || work->norm[i] > 0) continue;
        tact_real c = problem->row[i].constant;
        if (!(c < 0 || (is_equal(problem, i) && c != 0))) continue;
        for (int k = 0; k < problem->m; k++) multiplier[k] = 0;
        multiplier[i] = c < 0 ? 1 : -1;
        return TACT_INFEASIBLE;
    }
    for (int i = 0; i < n; i++) size = tact_max(size, problem->G[i * n + i]);
    // rho: 1e-5 of the largest diagonal entry of the Hessian, or for linear programs relative to the gradient
    tact_real rho = size > 0 ? size * TACT_REAL(1e-5) : tact_max(slope, 1) * TACT_REAL(1e-3);
    if (!factor_convex(problem, work, rho)) return TACT_SINGULAR;
    for (int round = 0; round < 200 && status == TACT_ITERATION_LIMIT; round++) {
        // proximal step: min f + rho/2 |x - x_k|^2, with a - rho x_k and G + rho I
        for (int i = 0; i < n; i++) {
            work->center[i] = x[i];
            work->a[i] = problem->a[i] - rho * x[i];
        }
        tact_status inner = solve_strictly(problem, work, x);
        if (inner == TACT_INFEASIBLE) {
            // side n'x = sum r_k sign_k n_k'x: the row minus the active ones is a constant, which is negative
            for (int i = 0; i < problem->m; i++) multiplier[i] = 0;
            for (int k = 0; k < work->q; k++) multiplier[work->active[k]] = -work->sign[k] * work->r[k];
            multiplier[work->contrary] = work->side;
        }
        if (inner != TACT_CONVERGED) return inner;
        // the residual of the stationarity condition is exactly rho (x+ - x_k)
        tact_real moved = 0;
        for (int i = 0; i < n; i++) moved = tact_max(moved, tact_fabs(x[i] - work->center[i]));
        // without an objective every feasible point is a minimum, and x changes by rounding only
        bool still = size == 0 && slope == 0 && moved <= 16 * TACT_EPS * tact_largest(x, n);
        if (still || rho * moved <= 4 * TACT_EPS * (slope + size * tact_largest(x, n)))
            status = TACT_CONVERGED;
        else if (!extrapolate(problem, work, x))
            status = TACT_SINGULAR;
    }
    // multipliers of the active rows, with the signs of their normals
    for (int i = 0; i < problem->m; i++) multiplier[i] = 0;
    for (int k = 0; k < work->q; k++) multiplier[work->active[k]] = work->sign[k] * work->u[k];
    return status;
}
