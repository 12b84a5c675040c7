// SPDX-License-Identifier: MIT
// Honest status of quadratically constrained problems, by the judges of honest.h and by enumeration: what is called solved is
// feasible, what is called stationary has its multipliers, and what is called global or infeasible is so for every choice of the
// factors that are zero. With each choice made the problem is a convex quadratic program, of which enumeration tries every set of
// active constraints in plain loops. 10,000 random problems, or as many as TACT_COUNT says.
#include "honest.h"
#include "qcqp_cases.h"

// what the solver's own tolerance leaves, in its units
#ifdef TACT_FLOAT
#define CLOSE 3e-2
#define FEASIBLE 1e-3
#else
#define CLOSE 1e-6
#define FEASIBLE 1e-7
#endif

// A x = b (n, at most QCQP_N + QCQP_ROWS) by elimination with all exchanges; false when singular
static bool solve_dense(double A[][QCQP_N + QCQP_ROWS + 1], int n, double *x) {
    int column[QCQP_N + QCQP_ROWS];
    for (int k = 0; k < n; k++) column[k] = k;
    for (int k = 0; k < n; k++) {
        int row = k, at = k;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabs(A[i][j]) > fabs(A[row][at])) row = i, at = j;
        if (fabs(A[row][at]) < 1e-9) return false;
        for (int j = 0; j <= n; j++) {
            double t = A[k][j];
            A[k][j] = A[row][j];
            A[row][j] = t;
        }
        for (int i = 0; i < n; i++) {
            double t = A[i][k];
            A[i][k] = A[i][at];
            A[i][at] = t;
        }
        int t = column[k];
        column[k] = column[at];
        column[at] = t;
        for (int i = k + 1; i < n; i++)
            for (int j = n; j >= k; j--) A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (int k = n - 1; k >= 0; k--) {
        double sum = A[k][n];
        for (int j = k + 1; j < n; j++) sum -= A[k][j] * x[column[j]];
        x[column[k]] = sum / A[k][k];
    }
    return true;
}

static double row_at(const qcqp_case *c, int i, const double *x) {
    double sum = c->b[i];
    for (int k = 0; k < c->n; k++) sum += c->a[i][k] * x[k];
    return sum;
}

// f's minimum with the rows of a set at zero, where that is feasible; HUGE_VAL where not
static double minimum_of(const qcqp_case *c, unsigned set) {
    double A[QCQP_N + QCQP_ROWS][QCQP_N + QCQP_ROWS + 1] = {{0}}, x[QCQP_N + QCQP_ROWS], value = 0;
    int n = c->n, size = n;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[i][j] = c->Q[i][j];
    }
    for (int i = 0; i < c->nrow; i++) {
        if (!(set >> i & 1)) continue;
        for (int k = 0; k < n; k++) A[size][k] = A[k][size] = c->a[i][k];
        size++;
    }
    if (size > 2 * n) return HUGE_VAL;
    for (int i = 0; i < n; i++) A[i][size] = -c->r[i];
    for (int i = 0, at = n; i < c->nrow; i++)
        if (set >> i & 1) A[at++][size] = -c->b[i];
    if (!solve_dense(A, size, x)) return HUGE_VAL;
    for (int i = 0; i < c->nrow; i++) {
        double g = row_at(c, i, x);
        if (g < -1e-9 || (c->equality[i] && g > 1e-9)) return HUGE_VAL;
    }
    for (int i = 0; i < n; i++) {
        value += c->r[i] * x[i];
        for (int j = 0; j < n; j++) value += c->Q[i][j] * x[i] * x[j] / 2;
    }
    return value;
}

// The least over all sets of rows at zero of which every product has one: the minimum is among these, since the set of its active
// rows, less those that depend on others, is one of them. (Products whose rows all depend on others are covered by their sets.)
static double enumerate(const qcqp_case *c) {
    double best = HUGE_VAL;
    for (unsigned set = 0; set < 1u << c->nrow; set++) {
        bool every = true;
        for (int k = 0; k < c->nproduct; k++) every = every && (set >> 2 * k & 3);
        double value = every ? minimum_of(c, set) : HUGE_VAL;
        if (value < best) best = value;
    }
    return best;
}

typedef struct {
    int solved, global, level, infeasible, other;
    double feasible, stationary, best;
} tally;

static void judge(const qcqp_case *c, tact_status status, const tact_qcqp_solution *s, tally *t) {
    double least = enumerate(c);
    bool none = least >= HUGE_VAL;
    if (status == TACT_INFEASIBLE) {
        t->infeasible++;
        CHECK(none || !s->global);
        return;
    }
    if (status != TACT_CONVERGED) {
        t->other++;
        return;
    }
    t->solved++;
    t->feasible = honest_max(t->feasible, honest_qcqp(&c->problem, s->x));
    if (s->stationary) t->stationary = honest_max(t->stationary, honest_stationary(&c->problem, s->x, s->multiplier));
    t->level += s->stationary;
    if (!s->global) return;
    t->global++;
    // sets of dependent rows are left out by the enumeration: then it may have found less than there is
    double size, value = honest_quadratic(&c->problem.objective, s->x, &size);
    t->best = honest_max(t->best, none ? 0 : (value - least) / (1 + fabs(least)));
}

int main(void) {
    static unsigned char memory[1 << 18];
    static qcqp_case c;
    tally t = {0};
    qcqp_seed = test_seed(5);
    int count = test_rounds(10000);
    for (int k = 0; k < count; k++) {
        tact_real x[QCQP_N], y[QCQP_CONSTRAINTS];
        c = (qcqp_case){.n = 0};
        qcqp_scaled = k % 2;
        qcqp_make(&c);
        tact_qcqp_options options = tact_qcqp_options_default();
        tact_qcqp_solution solution = {.x = x, .multiplier = y};
        tact_status status = tact_qcqp_solve(&c.problem, &options, memory, sizeof memory, &solution);
        CHECK(status != TACT_BAD_INPUT && status != TACT_NO_MEMORY);
        judge(&c, status, &solution, &t);
    }
    printf("qcqp: %d solved (%d certified global, %d with multipliers), infeasible by %.2g, not stationary by %.2g, above the "
           "best by %.2g; "
           "%d infeasible; %d other\n",
           t.solved, t.global, t.level, t.feasible, t.stationary, t.best, t.infeasible, t.other);
    CHECK(t.feasible <= FEASIBLE);
    CHECK(t.stationary <= CLOSE);
    CHECK(t.best <= CLOSE);
    CHECK(10 * t.level >= 9 * t.solved);
    CHECK(t.global > count / 4 && t.infeasible > count / 50);
    return test_end("honest_qcqp");
}
