// SPDX-License-Identifier: MIT
// Proof beyond rounding that a problem is infeasible. Multipliers m_i, y_i, those of inequalities >= 0, combine rows and
// general constraints into one function
//
//     L(x) = c + s'x + 1/2 x'Q x,
//
// which every feasible point makes >= 0. It is a proof if L < 0 everywhere. For x = z + d with any point z,
//
//     L(x) <= L(z) + sum |s_j + (Q z)_j| |d_j|                         over the columns without curvature,
//                  + sum (s_j + (Q z)_j)^2/(2 D_j lambda)              over those with, D = -diag Q,
//
// where lambda is below the least eigenvalue of -D^-1/2 Q D^-1/2: a Cholesky factorisation of that minus mu I succeeds in
// rounded arithmetic only if the eigenvalues exceed mu minus a bound on its rounding (Rump, BIT 46, 2006). A column without
// curvature and without bounds must have s_j = 0 exactly, by sums and products that do not round. Rounding of every other
// number is bounded.
#include "math/elementary.h"
#include "solve/qcqp_parts.h"

// Multipliers are tried as multiples of up to 1/512 of the largest.
enum { MULTIPLES = 512 };

#ifdef TACT_FLOAT
#define SPLITTER 4097.0f  // 2^12 + 1
#define INTEGRAL 1e-3f
#define TINY 1e-30f  // below this the rounding error of a product may underflow
#else
#define SPLITTER 134217729.0  // 2^27 + 1
#define INTEGRAL 1e-7
#define TINY 1e-290
#endif

// A sum, the magnitudes of its terms, and whether it was computed exactly.
typedef struct {
    tact_real value, terms;
    int count;
    bool exact;
} rounded_sum;

static const rounded_sum NOTHING = {.exact = true};

// Whether the product p = a b is exact (Dekker 1971).
static bool product_is_exact(tact_real a, tact_real b, tact_real p) {
    if (a == 0 || b == 0) return true;
    if (!(tact_fabs(p) > TINY) || !(tact_fabs(a) < TACT_MAX / (2 * SPLITTER)) || !(tact_fabs(b) < TACT_MAX / (2 * SPLITTER)))
        return false;
    // halves of a and b, whose products are exact
    tact_real ca = SPLITTER * a, cb = SPLITTER * b, ah = ca - (ca - a), bh = cb - (cb - b), al = a - ah, bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl == 0;
}

static void add_rounded(rounded_sum *s, tact_real a, tact_real b) {
    tact_real p = a * b, before = s->value, after = before + p, part = after - before;
    // Knuth's two-sum: the error of a sum, zero if it is exact
    s->exact = s->exact && product_is_exact(a, b, p) && (before - (after - part)) + (p - part) == 0;
    s->value = after;
    s->terms += tact_fabs(p);
    // a product that underflows is below this
    if (p == 0 ? a != 0 && b != 0 : tact_fabs(p) < TINY) s->terms += TINY;
    s->count++;
}

// Upper bound on the rounding error of the sum.
static tact_real rounding(const rounded_sum *s) {
    return s->exact ? 0 : 2 * TACT_EPS * (tact_real)(s->count + 4) * s->terms;
}

// Which sum of L: entry j of the slope, (j, k) of Q, or the constant.
typedef enum { CONSTANT, SLOPE, CURVATURE } proof_part;

static void add_part(rounded_sum *s, const tact_quadratic *f, tact_real weight, proof_part kind, int j, int k) {
    if (kind == CONSTANT) add_rounded(s, weight, f->constant);
    for (int e = 0; kind == SLOPE && e < f->nlinear; e++)
        if (f->linear[e].column == j) add_rounded(s, weight, f->linear[e].value);
    for (int e = 0; kind == CURVATURE && e < f->nquadratic; e++) {
        const tact_triplet *q = &f->quadratic[e];
        // half of each entry to (j, k) and to (k, j)
        if (q->row == j && q->column == k) add_rounded(s, weight / 2, q->value);
        if (q->row == k && q->column == j) add_rounded(s, weight / 2, q->value);
    }
}

// Entry of the Lagrangian: sum of the multipliers m of the rows and y of the constraints times their parts, with a bound on the
// rounding error.
static rounded_sum part_of(const tact_qcqp_work *work, const tact_real *m, const tact_real *y, proof_part kind, int j, int k) {
    rounded_sum s = NOTHING;
    for (int i = 0; kind != CURVATURE && i < work->nrow; i++)
        if (work->present[i] != TACT_ROW_OFF && m[i] != 0) add_part(&s, &work->row[i], m[i], kind, j, k);
    for (int i = 0; y && i < work->problem->ncon; i++)
        if (work->general[i] && y[i] != 0) add_part(&s, &work->problem->constraint[i], y[i], kind, j, k);
    return s;
}

// Whether the columns of S with D > 0, scaled to a unit diagonal, minus mu I have a Cholesky factorisation.
static bool is_definite(const tact_qcqp_work *work, const tact_real *D, tact_real mu) {
    int n = work->problem->n;
    tact_real *L = work->proof.factor;
    for (int i = 0; i < n; i++) {
        for (int j = 0; D[i] > 0 && j <= i; j++) {
            if (!(D[j] > 0)) continue;
            // entry of -D^-1/2 S D^-1/2 - mu I, whose diagonal is 1 - mu
            tact_real left = i == j ? 1 - mu : -work->S[i * n + j] / (tact_sqrt(D[i]) * tact_sqrt(D[j]));
            for (int k = 0; k < j; k++)
                if (D[k] > 0) left -= L[i * n + k] * L[j * n + k];
            if (j == i && !(left > 0)) return false;
            L[i * n + j] = j == i ? tact_sqrt(left) : left / L[j * n + j];
        }
    }
    return true;
}

// Q of L in S, D = -diag Q for columns with curvature, and a lower bound of the least eigenvalue of the scaled Q; 0: none.
static tact_real least_eigenvalue(tact_qcqp_work *work, const tact_real *m, const tact_real *y) {
    int n = work->problem->n;
    tact_real *D = work->proof.diagonal, error = 0;
    bool curved = false;
    for (int j = 0; j < n; j++) D[j] = 0;
    for (int j = 0; j < n; j++)
        for (int k = 0; k <= j; k++) {
            rounded_sum s = part_of(work, m, y, CURVATURE, j, k);
            work->S[j * n + k] = work->S[k * n + j] = s.value;
            work->proof.error[j * n + k] = rounding(&s);
            if (s.value == 0 && s.exact) continue;
            // mark; the diagonal follows
            D[j] = D[k] = 1;
            curved = true;
        }
    if (!curved) return 1;
    for (int j = 0; j < n; j++) {
        if (D[j] > 0 && !(work->S[j * n + j] < 0)) return 0;
        if (D[j] > 0) D[j] = -work->S[j * n + j];
    }
    for (int j = 0; j < n; j++)
        for (int k = 0; k <= j && D[j] > 0; k++)
            if (D[k] > 0) error = tact_max(error, work->proof.error[j * n + k] / (tact_sqrt(D[j]) * tact_sqrt(D[k])));
    // error of the entries in n columns, of the scaling, and of the factorisation
    tact_real size = (tact_real)n, lost = size * (error + 8 * TACT_EPS) + 2 * (size + 2) * (size + 2) * TACT_EPS;
    // the largest of a few mu
    tact_real mu = TACT_REAL(0.25);
    while (mu > 2 * lost && !is_definite(work, D, mu)) mu /= 16;
    return mu > 2 * lost ? mu - lost : 0;
}

// Upper bound of |x_j| by its own rows; TACT_MAX: unbounded.
static tact_real reach_of(const tact_qcqp_work *work, int j, tact_real slope) {
    // with bounds, only the side on which the slope leads upwards matters
    tact_real least = -TACT_MAX, most = TACT_MAX;
    for (int i = 0; i < work->nrow; i++) {
        const tact_quadratic *row = &work->row[i];
        if (work->present[i] == TACT_ROW_OFF || row->nlinear != 1 || row->linear[0].column != j || row->linear[0].value == 0)
            continue;
        tact_real bound = -row->constant / row->linear[0].value;
        if (row->linear[0].value > 0 || work->present[i] == TACT_ROW_EQUAL) least = tact_max(least, bound);
        if (row->linear[0].value < 0 || work->present[i] == TACT_ROW_EQUAL) most = tact_min(most, bound);
    }
    tact_real end = slope > 0 ? most : least;
    return tact_fabs(end) < TACT_MAX ? tact_fabs(end) * (1 + 4 * TACT_EPS) + TINY : TACT_MAX;
}

// Whether L with these multipliers is negative everywhere, beyond rounding.
static bool is_below_zero(tact_qcqp_work *work, const tact_real *m, const tact_real *y) {
    int n = work->problem->n;
    tact_real lambda = 0;
    const tact_real *D = work->proof.diagonal, *z = work->x;
    // multipliers of inequalities must not be negative
    for (int i = 0; i < work->nrow; i++)
        if (work->present[i] == TACT_ROW_AT_LEAST && !(m[i] >= 0)) return false;
    for (int i = 0; y && i < work->problem->ncon; i++)
        if (work->general[i] && !work->problem->equality[i] && !(y[i] >= 0)) return false;
    lambda = least_eigenvalue(work, m, y);
    if (!(lambda > 0)) return false;
    rounded_sum at = part_of(work, m, y, CONSTANT, 0, 0);
    // value: bound of L; size: magnitudes of all terms, for the rounding of the last sums
    tact_real value = at.value, size = at.terms, above = rounding(&at);
    for (int j = 0; j < n; j++) {
        rounded_sum s = part_of(work, m, y, SLOPE, j, 0);
        tact_real slope = s.value, error = rounding(&s), terms = tact_fabs(s.value);
        if (D[j] == 0) {
            // which side matters, or both if the sign of the slope is uncertain
            if (slope == 0 && error == 0) continue;
            tact_real up = slope + error > 0 ? reach_of(work, j, 1) : 0, down = slope - error < 0 ? reach_of(work, j, -1) : 0;
            if (!(tact_max(up, down) < TACT_MAX)) return false;
            above += (tact_fabs(slope) + error) * tact_max(up, down);
            continue;
        }
        // L(z) = c + sum z_j (s_j + (Q z)_j/2), and the slope at z
        tact_real bend = 0, bends = 0;
        for (int k = 0; k < n; k++) {
            bend += work->S[j * n + k] * z[k];
            bends += tact_fabs(work->S[j * n + k] * z[k]);
            error += work->proof.error[j > k ? j * n + k : k * n + j] * tact_fabs(z[k]);
        }
        value += z[j] * (slope + bend / 2);
        size += tact_fabs(z[j]) * (terms + bends);
        above += tact_fabs(z[j]) * error;
        error += 2 * TACT_EPS * (tact_real)(n + 4) * (terms + bends);
        // from z, L can rise along j by at most slope^2/(2 lambda D_j), the maximum of a concave parabola
        tact_real left = tact_fabs(slope + bend) + error;
        above += left * left / (2 * D[j] * lambda) * (1 + 64 * TACT_EPS);
    }
    above += 2 * TACT_EPS * (tact_real)(4 * n + 8) * (size + above) + TINY;
    return value + above < 0;
}

// Rounds the multipliers m_i u_i, with u_i the unit of row i, to multiples of their largest divided by `multiple`. False when
// one is not a multiple to within INTEGRAL.
static bool round_multipliers(const tact_qcqp_work *work, const tact_real *m, int multiple, tact_real *rounded) {
    tact_real most = 0;
    for (int i = 0; i < work->nrow; i++) most = tact_max(most, tact_fabs(m[i]) * work->proof.unit[i]);
    if (!(most > 0) || !(most < TACT_MAX)) return false;
    for (int i = 0; i < work->nrow; i++) {
        tact_real share = m[i] * work->proof.unit[i] / most * (tact_real)multiple, whole = tact_floor(share + TACT_REAL(0.5));
        if (tact_fabs(share - whole) > INTEGRAL) return false;
        rounded[i] = whole / work->proof.unit[i];
    }
    return true;
}

bool tact_qcqp_proves_empty(tact_qcqp_work *work, const tact_real *m, const tact_real *y) {
    TACT_ASSERT(work && m);
    if (is_below_zero(work, m, y)) return true;
    // data with few digits have multipliers with small rational ratios, for which slopes vanish exactly
    if (y) return false;
    // a power of two close to the largest coefficient of each row
    for (int i = 0; i < work->nrow; i++) {
        const tact_quadratic *row = &work->row[i];
        tact_real most = 0, unit = 1;
        for (int k = 0; k < row->nlinear; k++) most = tact_max(most, tact_fabs(row->linear[k].value));
        for (int k = 0; k < 1024 && unit < most; k++) unit *= 2;
        for (int k = 0; k < 1024 && most > 0 && unit >= 2 * most; k++) unit /= 2;
        work->proof.unit[i] = unit;
    }
    for (int multiple = 1; multiple <= MULTIPLES; multiple++)
        if (round_multipliers(work, m, multiple, work->proof.rounded) && is_below_zero(work, work->proof.rounded, NULL))
            return true;
    return false;
}
