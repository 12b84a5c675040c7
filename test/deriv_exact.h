// SPDX-License-Identifier: MIT
// The barrier problem of a step solved once more: dense Newton in extended precision, from the step's own answer. Difference
// quotients need it where the double's rounding near a cone's boundary would swamp them.
#ifndef TACT_TEST_DERIV_EXACT_H
#define TACT_TEST_DERIV_EXACT_H

#include "tact/law.h"
#include "test.h"

enum { EXACT_DOFS = 64, EXACT_ROWS = 256 };

typedef struct {
    int n;
    long double H[EXACT_DOFS][EXACT_DOFS], g[EXACT_DOFS], d[EXACT_DOFS], lambda[EXACT_ROWS];
} exact_problem;

// lambda of a cone and -dlambda/dnu; false outside
static inline bool exact_cone(const tact_cone *cone, const long double *nu, long double *l, long double W[3][3]) {
    long double mu = (long double)cone->mu, kappa = (long double)cone->kappa, t = hypotl(nu[1], nu[2]);
    long double s = (nu[0] - mu * t) * (nu[0] + mu * t), a = 2 / (kappa * s);
    const long double D[3] = {a, -mu * mu * a, -mu * mu * a};
    for (int i = 0; i < 3; i++) l[i] = D[i] * nu[i];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) W[i][j] = kappa * l[i] * l[j] - (i == j ? D[i] : 0);
    return nu[0] > 0 && s > 0;
}

static inline bool exact_add_cone(exact_problem *e, const tact_cone *cone, long double *l) {
    long double nu[3], W[3][3];
    int width = cone->width;
    for (int i = 0; i < 3; i++) {
        nu[i] = (long double)cone->c[i];
        for (int k = 0; k < width; k++) nu[i] += (long double)cone->J[i * width + k] * e->d[cone->column[k]];
    }
    if (!exact_cone(cone, nu, l, W)) return false;
    for (int a = 0; a < width; a++) {
        long double WJ[3] = {0, 0, 0};
        for (int i = 0; i < 3; i++) {
            e->g[cone->column[a]] -= (long double)cone->J[i * width + a] * l[i];
            for (int j = 0; j < 3; j++) WJ[i] += W[i][j] * (long double)cone->J[j * width + a];
        }
        for (int b = 0; b < width; b++)
            for (int i = 0; i < 3; i++) e->H[cone->column[b]][cone->column[a]] += (long double)cone->J[i * width + b] * WJ[i];
    }
    return true;
}

static inline bool exact_assemble(exact_problem *e, const tact_barrier_problem *problem) {
    const tact_skyline *P = &problem->P;
    for (int i = 0; i < e->n; i++) {
        e->g[i] = (long double)problem->p[i];
        for (int j = 0; j < e->n; j++) e->H[i][j] = 0;
    }
    for (int i = 0; i < e->n; i++)
        for (int j = P->first[i]; j <= i; j++) {
            e->H[i][j] = e->H[j][i] = (long double)P->value[P->start[i] + j - P->first[i]];
            e->g[i] += e->H[i][j] * e->d[j];
            if (j < i) e->g[j] += e->H[i][j] * e->d[i];
        }
    for (int c = 0; c < problem->ncone; c++)
        if (!exact_add_cone(e, &problem->cone[c], e->lambda + 3 * c)) return false;
    for (int k = 0; k < problem->nbound; k++) {
        const tact_bound *b = &problem->bound[k];
        long double nu = (long double)b->sign * e->d[b->column] + (long double)b->c, l = 2 / ((long double)b->kappa * nu);
        if (!(nu > 0)) return false;
        e->g[b->column] -= (long double)b->sign * l;
        e->H[b->column][b->column] += (long double)b->kappa * l * l / 2;
    }
    return true;
}

// x = H^-1 x by Cholesky's factor
static inline bool exact_solve(exact_problem *e, long double *x) {
    for (int i = 0; i < e->n; i++)
        for (int j = 0; j <= i; j++) {
            long double sum = e->H[i][j];
            for (int k = 0; k < j; k++) sum -= e->H[i][k] * e->H[j][k];
            if (i == j && !(sum > 0)) return false;
            e->H[i][j] = i == j ? sqrtl(sum) : sum / e->H[j][j];
        }
    for (int i = 0; i < e->n; i++) {
        for (int k = 0; k < i; k++) x[i] -= e->H[i][k] * x[k];
        x[i] /= e->H[i][i];
    }
    for (int i = e->n - 1; i >= 0; i--) {
        for (int k = i + 1; k < e->n; k++) x[i] -= e->H[k][i] * x[k];
        x[i] /= e->H[i][i];
    }
    return true;
}

// Solves the problem that work holds; false when Newton's steps from work's answer leave a cone.
static inline bool exact_refine(exact_problem *e, const tact_work *work) {
    e->n = work->problem.n;
    for (int i = 0; i < e->n; i++) e->d[i] = (long double)work->d[i];
    for (int step = 0; step < 3; step++) {
        if (!exact_assemble(e, &work->problem)) return false;
        if (step == 2) break;
        if (!exact_solve(e, e->g)) return false;
        for (int i = 0; i < e->n; i++) e->d[i] -= e->g[i];
    }
    return true;
}

#endif
