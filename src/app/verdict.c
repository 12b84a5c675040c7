// SPDX-License-Identifier: MIT
// The conditions in the input's own terms, relative to the sums of the magnitudes of their terms, in double precision:
//   nu = J x + c in the cones,  P x + b = J'lambda,  kappa nu'lambda = 2      for a converged answer
//   lambda in the cones,  J'lambda = 0,  c'lambda <= 0                        for a certificate
#include "app/verdict.h"

#include <math.h>

typedef struct {
    double value, size;  // of a sum, and of the sum of its magnitudes
} total;

static void add(total *sum, double x) {
    sum->value += x;
    sum->size += fabs(x);
}

static bool is_finite(const tact_real *x, int count) {
    for (int i = 0; i < count; i++)
        if (!(x[i] - x[i] == 0)) return false;
    return true;
}

// row of J x + c
static total gap(const tact_problem *problem, int row) {
    const tact_real *J = problem->J + (size_t)row * (size_t)problem->n;
    total sum = {0};
    for (int v = 0; v < problem->n; v++) add(&sum, (double)J[v] * (double)problem->x[v]);
    add(&sum, (double)problem->c[row]);
    return sum;
}

// entry of J'lambda
static total pull(const tact_problem *problem, int v) {
    total sum = {0};
    for (int row = 0; row < 3 * problem->nc; row++) {
        double J = (double)problem->J[(size_t)row * (size_t)problem->n + (size_t)v];
        if (J != 0) add(&sum, J * (double)problem->solution.lambda[row]);
    }
    return sum;
}

// entry of P x + b
static total push(const tact_problem *problem, int v) {
    size_t n = (size_t)problem->n;
    total sum = {0};
    add(&sum, (double)problem->b[v]);
    if (problem->diagonal) add(&sum, (double)problem->P[v] * (double)problem->x[v]);
    for (size_t j = 0; !problem->diagonal && j < n; j++) {
        double P = ((double)problem->P[(size_t)v * n + j] + (double)problem->P[j * n + (size_t)v]) / 2;
        add(&sum, P * (double)problem->x[j]);
    }
    return sum;
}

static bool is_inside(const tact_problem *problem) {
    for (int i = 0; i < problem->nc; i++) {
        double n = gap(problem, 3 * i).value, t = hypot(gap(problem, 3 * i + 1).value, gap(problem, 3 * i + 2).value);
        if (!(n > 0 && n > (double)problem->mu[i] * t)) return false;
    }
    return true;
}

static bool is_central(const tact_problem *problem) {
    const double allowed = sizeof(tact_real) == sizeof(double) ? 1e-3 : 0.3;
    for (int i = 0; i < problem->nc; i++) {
        double product = 0;
        for (int k = 0; k < 3; k++) product += gap(problem, 3 * i + k).value * (double)problem->solution.lambda[3 * i + k];
        if (!(fabs((double)problem->kappa * product / 2 - 1) <= allowed)) return false;
    }
    return true;
}

static bool is_balanced(const tact_problem *problem) {
    double most = 0, worst = 0;
    for (int v = 0; v < problem->n; v++) {
        total force = push(problem, v), contact = pull(problem, v);
        most = fmax(most, force.size + contact.size);
        worst = fmax(worst, fabs(force.value - contact.value));
    }
    return worst <= 100 * (double)TACT_TOLERANCE * most;
}

static bool proves(const tact_problem *problem) {
    const double allowed = 1e4 * (double)TACT_EPS;
    const tact_real *lambda = problem->solution.lambda;
    double most = 0, worst = 0;
    total value = {0};
    for (int i = 0; i < problem->nc; i++) {
        double n = (double)lambda[3 * i], t = hypot((double)lambda[3 * i + 1], (double)lambda[3 * i + 2]);
        if (!((double)problem->mu[i] * n >= t * (1 - allowed) && n >= 0)) return false;
        for (int k = 0; k < 3; k++) add(&value, (double)problem->c[3 * i + k] * (double)lambda[3 * i + k]);
    }
    for (int v = 0; v < problem->n; v++) {
        total sum = pull(problem, v);
        most = fmax(most, sum.size);
        worst = fmax(worst, fabs(sum.value));
    }
    bool any = false;
    for (int i = 0; i < problem->nc; i++) any = any || lambda[3 * i] > 0;
    return any && worst <= allowed * most && value.value <= allowed * value.size;
}

tact_status tact_problem_verdict(const tact_problem *problem, tact_status status) {
    const tact_barrier_solution *solution = &problem->solution;
    if (status < 0 && status != TACT_INFEASIBLE) return status;
    if (!is_finite(solution->lambda, 3 * problem->nc) || !is_finite(&solution->decrement, 1)) return TACT_UNDECIDED;
    if (status == TACT_INFEASIBLE) return proves(problem) ? status : TACT_UNDECIDED;
    if (!is_finite(problem->x, problem->n) || !is_inside(problem)) return TACT_UNDECIDED;
    if (status == TACT_CONVERGED && !(is_balanced(problem) && is_central(problem))) return TACT_ITERATION_LIMIT;
    return status;
}
