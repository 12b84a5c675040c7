// SPDX-License-Identifier: MIT
// Common parts of the solver in doubled precision and of its judge.
#ifndef TACT_SOLVE_PRECISE_PARTS_H
#define TACT_SOLVE_PRECISE_PARTS_H

#include "solve/precise.h"

// Largest change of the last step, in the metric of the cones and relative to the displacement: the next change would be of the
// order of its square.
#define TACT_PRECISE_CHANGE 1e-9

// A cone's iterate: gap s = (nu_n, mu nu_t) and force z = (lambda_n, lambda_t / mu) as in cone.h.
struct tact_precise_cone {
    tact_twin tau;                  // 2/kappa
    tact_twin s[3], z[3], nu[3];    // gap, force, and the gap of the displacement
    tact_twin ds[3], dz[3], u[3];   // directions, u = W dz
    tact_twin w[3], unscale, half;  // W^-1: its direction, 1/eta, 1/(1 + w_0)
    int rows;                       // 3; 1 of a bound and without friction
};

// A cone, or a bound as the cone without friction that it is.
typedef struct {
    int width;
    const int *column;
    const tact_real *J;  // (3, width)
    tact_real c[3];
    double mu, kappa;
} tact_precise_member;

// Member i in one form for both kinds: the cones first, then the bounds as cones of one dimension.
static inline tact_precise_member tact_precise_member_of(const tact_barrier_problem *problem, int i) {
    static const tact_real up[3] = {1, 0, 0}, down[3] = {-1, 0, 0};
    tact_precise_member member = {.width = 1};
    if (i < problem->ncone) {
        const tact_cone *cone = &problem->cone[i];
        member.width = cone->width;
        member.column = cone->column;
        member.J = cone->J;
        for (int k = 0; k < 3; k++) member.c[k] = cone->c[k];
        member.mu = (double)cone->mu;
        member.kappa = (double)cone->kappa;
    } else {
        const tact_bound *bound = &problem->bound[i - problem->ncone];
        member.column = &bound->column;
        member.J = bound->sign > 0 ? up : down;
        member.c[0] = bound->c;
        member.kappa = (double)bound->kappa;
    }
    return member;
}

// Rows that count: 1 of a bound and without friction.
static inline int tact_precise_rows(const tact_precise_member *member) {
    return member->mu > 0 ? 3 : 1;
}

// A number of row k of J or c, tangents times mu.
static inline tact_twin tact_precise_entry(const tact_precise_member *member, int k, tact_real x) {
    return k ? tact_twin_product(member->mu, (double)x) : tact_twin_of((double)x);
}

// lambda of a cone, (lambda, 0, 0) of a bound
static inline void tact_precise_forces(const tact_barrier_problem *problem, const tact_barrier_solution *solution, int i,
                                       tact_twin force[3]) {
    for (int k = 0; k < 3; k++) {
        tact_real l = 0;
        if (i < problem->ncone)
            l = solution->lambda[3 * i + k];
        else if (k == 0)
            l = solution->bound_lambda[i - problem->ncone];
        force[k] = tact_twin_of((double)l);
    }
}

// Whether the certificate holds, its own rounding included, for all d in the box of precise_judge.c.
bool tact_precise_proves(const tact_barrier_problem *problem, tact_precise_work *work, const tact_barrier_solution *solution);

// Whether an answer is as near to the minimum as promised, by a bound that needs no factor (precise_judge.c).
bool tact_precise_is_right(const tact_barrier_problem *problem, tact_precise_work *work, const tact_barrier_solution *solution);

// The residuals of the numbers given; the status becomes less where they are too large, TACT_UNDECIDED where a gap is closed.
tact_status tact_precise_judge(const tact_barrier_problem *problem, tact_precise_work *work, tact_status status,
                               tact_barrier_solution *solution);

#endif
