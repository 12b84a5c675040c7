// SPDX-License-Identifier: MIT
// The arithmetic of the walk along the central path (path.c, newton.c), of one scene, and of several of one pattern side by side.
#ifndef TACT_SOLVE_WALK_H
#define TACT_SOLVE_WALK_H

#include "solve/columns.h"
#include "solve/newton.h"

// Problem and iterate; the scenes share the pattern, not the numbers.
typedef struct {
    const tact_barrier_problem *problem;  // pattern of P, number of cones and limits
    const tact_barrier_work *layout;      // places of the unknowns
    const tact_each *P;                   // by the problem's skyline
    const tact_each *diagonal, *p;        // by place
    tact_each *d, *g, *step;              // displacement, residual of the force balance, direction
    tact_cone_iterate *cone;              // (count)
    tact_bound_iterate *bound;            // (bounds of the problem)
    int count;                            // groups of cones in lanes
} tact_walk;

// Residuals, as in tact_path.
typedef struct {
    tact_each mean, centrality, miss, gap, off, balance;
} tact_walk_residual;

#if TACT_SCENES == 1
static inline tact_walk tact_path_walk(const tact_path *path) {
    tact_barrier_work *work = path->work;
    return (tact_walk){
        path->problem, work,        path->problem->P.value, work->diagonal, work->p, work->d, work->g, work->step, work->cone,
        work->bound,   work->ngroup};
}
#endif

static inline tact_each walk_largest(const tact_each *x, int n, tact_each least) {
    for (int i = 0; i < n; i++) least = tact_each_max(least, tact_each_abs(x[i]));
    return least;
}

// y += P x of the shared unknowns
static inline void walk_multiply_add(const tact_walk *walk, const tact_each *x, tact_each *y) {
    const tact_skyline *P = &walk->problem->P;
    int n = walk->layout->H.n;
    // Diagonal, then each entry of the strict lower triangle in both places.
    for (int i = 0; i < n; i++) y[i] += walk->diagonal[i] * x[i];
    for (int i = 0; i < n; i++) {
        int unknown = walk->layout->unknown[i];
        const tact_each *row = walk->P + (P->start[unknown] - P->first[unknown]);
        for (int j = P->first[unknown]; j < unknown; j++) {
            int other = walk->layout->place[j];
            y[i] += row[j] * x[other];
            y[other] += row[j] * x[i];
        }
    }
}

// H = P, of phase 1 its diagonal, and the limits
static inline void walk_fill(const tact_walk *walk, const tact_envelope *H, bool phase1) {
    const tact_skyline *P = &walk->problem->P;
    for (int i = 0; i < H->start[H->n]; i++) H->value[i] = tact_each_all(0);
    // Lower triangle of P at the places of its unknowns. Couplings leave the order of coupled unknowns as it was, so that j
    // stands left of i.
    for (int i = 0; i < H->n; i++) {
        int unknown = walk->layout->unknown[i];
        const tact_each *from = walk->P + (P->start[unknown] - P->first[unknown]);
        tact_each *row = tact_envelope_row(H, i);
        row[i] = walk->diagonal[i];
        for (int j = P->first[unknown]; j < unknown && !phase1; j++) row[walk->layout->place[j]] = from[j];
    }
    // A joint limit adds its weight B = z/s to the diagonal.
    for (int j = 0; j < walk->problem->nbound; j++) {
        int place = walk->bound[j].place;
        tact_envelope_row(H, place)[place] += walk->bound[j].B;
    }
}

// Contribution of a cone's own unknowns, with columns J: K += D^-1 J_k J_k', rest -= D^-1 J_k p_k; pivot holds D^-1.
static inline void walk_yield(const tact_each *J, const tact_each *pivot, const tact_each *p, int count, tact_each K[6],
                              tact_each rest[3]) {
    for (int k = 0; k < 6; k++) K[k] = tact_each_all(0);
    for (int k = 0; k < count; k++, J += 3) {
        // D^-1 times the column.
        tact_each n = pivot[k] * J[0], t = pivot[k] * J[1], u = pivot[k] * J[2];
        K[0] += n * J[0];
        K[1] += t * J[0];
        K[2] += t * J[1];
        K[3] += u * J[0];
        K[4] += u * J[1];
        K[5] += u * J[2];
        rest[0] -= n * p[k];
        rest[1] -= t * p[k];
        rest[2] -= u * p[k];
    }
}

// Largest |J d + c| at the free displacement of each unknown, d_i = -p_i / P_ii: an estimate of how far the step goes. Uses step.
static inline tact_each walk_free_gap(const tact_walk *walk) {
    // Divisions by what holds nothing are by 1 instead, and not looked at.
    const tact_each zero = tact_each_all(0), one = tact_each_all(1);
    tact_wide size = tact_wide_all(0);
    // Free displacement of each unknown; 0 where the diagonal of P holds nothing.
    for (int i = 0; i < walk->layout->H.n; i++) {
        tact_each_mask holds = walk->diagonal[i] > zero;
        walk->step[i] = tact_each_select(holds, -walk->p[i] / tact_each_select(holds, walk->diagonal[i], one), zero);
    }
    // nu = rest + J d at that displacement.
    for (int i = 0; i < walk->count; i++) {
        const tact_cone_iterate *cone = &walk->cone[i];
        tact_wide gap[3] = {cone->rest[0], cone->rest[1], cone->rest[2]};
        tact_columns_gap(tact_columns_of(cone), walk->step, gap);
        for (int k = 0; k < 3; k++) size = tact_wide_max(size, tact_wide_abs(gap[k]));
    }
    return tact_each_most(size);
}

// Gaps, force balance and residuals at the iterate; of scenes that have not moved d is 0. extent, force: scales of gaps and
// forces.
static inline tact_walk_residual walk_measure(const tact_walk *walk, tact_each extent, tact_each force, bool moved) {
    int n = walk->layout->H.n, ncone = walk->problem->ncone, nbound = walk->problem->nbound;
    tact_each *g = walk->g, mean = tact_each_all(0);
    const tact_each zero = mean, one = tact_each_all(1);
    const tact_wide none = tact_wide_all(0);
    tact_cone_residual part = {none, none, none, tact_each_spread(extent)};
    // Residual of the force balance: g = P d + p - J'z.
    for (int i = 0; i < n; i++) g[i] = walk->p[i];
    if (moved) walk_multiply_add(walk, walk->d, g);
    force = walk_largest(g, n, force);
    // Cones: nu = J d + c, the products s o z, and their part of g.
    for (int i = 0; i < walk->count; i++) {
        tact_cone_iterate *cone = &walk->cone[i];
        tact_columns columns = tact_columns_of(cone);
        tact_newton_gap(cone, columns, walk->d);
        tact_cone_measure(cone, &mean, &part);
        tact_columns_pull(columns, cone->z[0], cone->z[1], cone->z[2], g);
    }
    // Limits: the same in one dimension.
    tact_path_residual sum = tact_cone_residual_join(mean, &part);
    for (int j = 0; j < nbound; j++) {
        tact_bound_iterate *bound = &walk->bound[j];
        bound->nu = bound->c + bound->sign * walk->d[bound->place];
        tact_bound_measure(bound, &sum);
        g[bound->place] -= bound->sign * bound->z;
    }
    // Residuals without units: mean product, distance from the central path, gaps, forces. Without other forces (p = 0) any
    // unbalanced contact force counts in full.
    tact_walk_residual left = {.mean = sum.mean / (tact_real)(ncone + nbound), .centrality = sum.centrality, .miss = sum.miss};
    left.gap = sum.off / tact_each_select(sum.size > zero, sum.size, one);
    left.off = walk_largest(g, n, zero);
    tact_each all = tact_each_select(left.off > zero, one, zero);
    left.balance = tact_each_select(force > zero, left.off / tact_each_select(force > zero, force, one), all);
    return left;
}

// Sum of the magnitudes of the terms of J'z, for each shared unknown.
static inline void walk_weigh(const tact_walk *walk, tact_each *size) {
    // |J|'|z|, cone by cone, then the joint limits, whose J is +-1.
    for (int i = 0; i < walk->layout->H.n; i++) size[i] = tact_each_all(0);
    for (int i = 0; i < walk->count; i++) tact_columns_weigh(tact_columns_of(&walk->cone[i]), walk->cone[i].z, size);
    for (int j = 0; j < walk->problem->nbound; j++) size[walk->bound[j].place] += walk->bound[j].z;
}

// The error that the rounding of nu leaves in the products nu o z, relative to their target tau; at least miss.
static inline tact_each walk_product_error(const tact_walk *walk, tact_each miss) {
    // miss: what the gap itself is off by, in the same units.
    tact_wide most = tact_each_spread(miss);
    for (int i = 0; i < walk->count; i++)
        most = tact_wide_max(most, tact_newton_rounding(&walk->cone[i], tact_columns_of(&walk->cone[i]), walk->d));
    return tact_each_most(most);
}

// Step length: the largest t <= 1 with s + t ds and z + t dz inside their cones, times 0.99 where they limit it; 0 where the
// direction is not finite.
static inline tact_each walk_reach(const tact_walk *walk) {
    // Largest 1/t over all cones, of gaps and of forces, so that one maximum replaces a minimum of quotients.
    tact_wide nearest = tact_wide_all(0);
    tact_each sum = tact_each_all(0), zero = sum, limit = tact_each_all(TACT_REAL(0.99));
    for (int i = 0; i < walk->count; i++) {
        const tact_cone_iterate *cone = &walk->cone[i];
        const tact_wide *ds = cone->ds, *dz = cone->dz;
        // Any NaN or infinity shows in the sum of all components.
        sum = tact_each_add(sum, (ds[0] + ds[1] + ds[2]) + (dz[0] + dz[1] + dz[2]), cone->members);
        nearest = tact_wide_max(nearest, tact_cone_nearness(cone->s, ds, cone->det_s, cone->over_s));
        nearest = tact_wide_max(nearest, tact_cone_nearness(cone->z, dz, cone->det_z, cone->over_z));
    }
    tact_each near = tact_each_most(nearest);
    // In one dimension the boundary is at t = -s/ds.
    for (int j = 0; j < walk->problem->nbound; j++) {
        const tact_bound_iterate *bound = &walk->bound[j];
        sum += bound->ds + bound->dz;
        near = tact_each_max(near, tact_each_max(-bound->ds * bound->over_s, -bound->dz * bound->over_z));
    }
    // Fraction to the boundary 0.99; the full Newton step where the boundary is farther.
    tact_each reach = limit / tact_each_max(near, limit);
    return tact_each_select(sum - sum == zero, reach, zero);
}

#endif
