// SPDX-License-Identifier: MIT
// Validity of the numbers of a barrier problem. A NaN fails every comparison.
#include "solve/barrier.h"

#include "math/elementary.h"

static tact_fault barrier_fault(const char *field, int index) {
    tact_fault fault = {field, index};
    return fault;
}

static bool is_sharpness(tact_real kappa) {
    return kappa >= 1 / TACT_MOST_NUMBER && kappa <= TACT_MOST_NUMBER;
}

static tact_fault check_cone(const tact_cone *cone, int i) {
    TACT_ASSERT(cone->width >= 0 && (cone->width == 0 || cone->J));
    if (!(cone->mu >= 0 && cone->mu <= TACT_MOST_NUMBER)) return barrier_fault("cone.mu", i);
    if (!is_sharpness(cone->kappa)) return barrier_fault("cone.kappa", i);
    if (tact_find_larger(cone->c, 3, TACT_MOST_NUMBER) < 3) return barrier_fault("cone.c", i);
    int count = 3 * cone->width;
    return barrier_fault(tact_find_larger(cone->J, count, TACT_MOST_NUMBER) < count ? "cone.J" : NULL, i);
}

static tact_fault check_bound(const tact_bound *bound, int j) {
    if (!(bound->sign == 1 || bound->sign == -1)) return barrier_fault("bound.sign", j);
    if (!is_sharpness(bound->kappa)) return barrier_fault("bound.kappa", j);
    return barrier_fault(tact_fabs(bound->c) <= TACT_MOST_NUMBER ? NULL : "bound.c", j);
}

tact_fault tact_barrier_check_quadratic(const tact_barrier_problem *problem) {
    TACT_ASSERT(problem);
    int entries = problem->P.start[problem->n];
    int i = tact_find_larger(problem->p, problem->n, TACT_MOST_NUMBER);
    if (i < problem->n) return barrier_fault("p", i);
    i = tact_find_larger(problem->P.value, entries, TACT_MOST_NUMBER);
    return barrier_fault(i < entries ? "P.value" : NULL, i);
}

tact_fault tact_barrier_check(const tact_barrier_problem *problem, const tact_barrier_options *options) {
    TACT_ASSERT(problem && options && problem->n >= 0 && problem->ncone >= 0 && problem->nbound >= 0 && problem->P.start);
    TACT_ASSERT((problem->p || problem->n == 0) && (problem->cone || problem->ncone == 0) &&
                (problem->bound || problem->nbound == 0));
    if (!(options->tolerance > 0 && options->tolerance < 1)) return barrier_fault("options.tolerance", 0);
    if (options->max_iterations < 1) return barrier_fault("options.max_iterations", 0);
    tact_fault fault = tact_barrier_check_quadratic(problem);
    for (int i = 0; !fault.field && i < problem->ncone; i++) fault = check_cone(&problem->cone[i], i);
    for (int i = 0; !fault.field && i < problem->nbound; i++) fault = check_bound(&problem->bound[i], i);
    return fault;
}
