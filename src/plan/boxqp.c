// SPDX-License-Identifier: MIT
#include "plan/boxqp.h"

#include "math/elementary.h"

enum { BOXQP_ITERATIONS = 50, BOXQP_HALVINGS = 20 };

// 1/2 x'Hx + g'x
static tact_real boxqp_value(const tact_boxqp *box, const tact_real *x) {
    tact_real sum = 0;
    for (int i = 0; i < box->n; i++) sum += x[i] * (tact_dot(box->H + i * box->n, x, box->n) / 2 + box->g[i]);
    return sum;
}

// L L' = H on the free variables.
static bool boxqp_factor(tact_boxqp *box) {
    int n = box->n;
    for (int i = 0; i < n; i++) {
        tact_real *row = box->L + i * n;
        for (int j = 0; j <= i; j++) {
            // held variables keep their place, with a row of the identity
            bool free = !box->held[i] && !box->held[j];
            tact_real sum = free ? box->H[i * n + j] : i == j;
            for (int k = 0; k < j && free; k++) sum -= row[k] * box->L[j * n + k];
            if (i == j && !(sum > 0)) return false;
            row[j] = i == j ? tact_sqrt(sum) : sum / box->L[j * n + j];
        }
    }
    return true;
}

void tact_boxqp_apply(const tact_boxqp *box, tact_real *X, int columns) {
    const tact_real *L = box->L;
    int n = box->n;
    // L, then L', all columns at once
    for (int i = 0; i < n; i++) {
        tact_real *row = X + i * columns;
        for (int j = 0; j < columns && box->held[i]; j++) row[j] = 0;
        tact_add_rows(row, -1, L + i * n, 1, X, i, columns);
        for (int j = 0; j < columns; j++) row[j] /= L[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        tact_real *row = X + i * columns;
        tact_add_rows(row, -1, L + (i + 1) * n + i, n, row + columns, n - 1 - i, columns);
        for (int j = 0; j < columns; j++) row[j] /= L[i * n + i];
    }
}

// Marks the variables at a bound that the gradient pushes against, and puts the gradient into step. Whether any mark changed.
static bool boxqp_mark(tact_boxqp *box, const tact_real *x) {
    bool changed = false;
    for (int i = 0; i < box->n; i++) {
        // gradient g + H x
        tact_real slope = box->g[i];
        for (int j = 0; j < box->n; j++) slope += box->H[i * box->n + j] * x[j];
        box->step[i] = slope;
        bool held = (x[i] <= box->lower[i] && slope > 0) || (x[i] >= box->upper[i] && slope < 0);
        changed = changed || held != box->held[i];
        box->held[i] = held;
    }
    return changed;
}

bool tact_boxqp_solve(tact_boxqp *box, tact_real *x) {
    TACT_ASSERT(box && (x || box->n == 0));
    int n = box->n;
    // the start, projected onto the box
    for (int i = 0; i < n; i++) {
        TACT_ASSERT(box->lower[i] <= box->upper[i]);
        x[i] = tact_clamp(x[i], box->lower[i], box->upper[i]);
        box->held[i] = false;
    }
    for (int iteration = 0; iteration < BOXQP_ITERATIONS; iteration++) {
        // Newton direction on the free variables: -H_ff^-1 gradient_f
        bool changed = boxqp_mark(box, x);
        if ((changed || iteration == 0) && !boxqp_factor(box)) return false;
        tact_real decrease = 0;
        for (int i = 0; i < n; i++) box->trial[i] = box->step[i];
        tact_boxqp_apply(box, box->step, 1);
        for (int i = 0; i < n; i++)
            if (!box->held[i]) decrease += box->step[i] * box->trial[i];
        tact_real now = boxqp_value(box, x);
        // the expected decrease is rounding
        if (!(decrease > 4 * TACT_EPS * (tact_fabs(now) + TACT_EPS))) return true;
        // Armijo search along the projected path
        tact_real length = 1;
        for (int k = 0; k < BOXQP_HALVINGS; k++, length /= 2) {
            for (int i = 0; i < n; i++) {
                tact_real to = box->held[i] ? x[i] : x[i] - length * box->step[i];
                box->trial[i] = tact_clamp(to, box->lower[i], box->upper[i]);
            }
            if (boxqp_value(box, box->trial) <= now - TACT_REAL(0.01) * length * decrease || k == BOXQP_HALVINGS - 1) break;
        }
        bool moved = false;
        for (int i = 0; i < n; i++) {
            moved = moved || x[i] != box->trial[i];
            x[i] = box->trial[i];
        }
        if (!moved) return true;
    }
    // at the iteration limit: the held variables, and the factor of the free ones, at the last x
    boxqp_mark(box, x);
    return boxqp_factor(box);
}
