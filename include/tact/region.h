// SPDX-License-Identifier: MIT
// The contact trust region of a step of the barrier law (Suh, Pang, Zhao, Tedrake 2025, arXiv 2505.02291): the changes du of its
// commands for which the linearised contacts stay valid. Core: no heap, fixed memory.
//
// With D = dlambda/du the forces of the linearised step are lambda_i + D_i du, and its gaps nu_i + N_i du. By the barrier law
// nu_n = 2 mu^2 lambda_n / (kappa z), nu_t = -2 lambda_t / (kappa z), z = mu^2 lambda_n^2 - |lambda_t|^2, so that N_i follows
// from D_i. The region requires of each contact
//
//     nu_n >= mu |nu_t|        the gap does not close ,
//     mu lambda_n >= |lambda_t|    the force stays in the friction cone; for contacts with at least a given force
//
// which together with bounds on du is a second-order cone program for a quadratic cost.
#ifndef TACT_REGION_H
#define TACT_REGION_H

#include "tact/deriv.h"
#include "tact/solve.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Regions of several steps, and one solver for all.
typedef struct {
    int steps, npair, nu;  // room
    int *count;            // (steps) contacts of each step
    tact_real *lambda;     // (steps, npair, 3) their forces
    tact_real *mu;         // (steps, npair)
    tact_real *D;          // (steps, npair, 3, nu) dlambda/du
    tact_real kappa;       // of the last step that was set
    tact_real bearing;     // least normal force from which on the force's cone counts [N]; 0: of all contacts
    // scratch of the program
    tact_cone *cone;    // (2 npair)
    tact_bound *bound;  // (2 nu)
    tact_real *N;       // (npair, 3, nu)
    tact_real *d, *lambda_of, *bound_lambda;
    int *column, *first, *start;
    tact_real *P;
    tact_barrier_work work;
} tact_region;

// Bytes that tact_region_init needs for the trust regions of so many steps, at least 1.
size_t tact_region_size(const tact_model *model, int steps);

// Places the regions in the caller's memory, which must outlive them; no step has one until tact_region_set. TACT_NO_MEMORY
// if size is too small.
tact_status tact_region_init(tact_region *region, const tact_model *model, int steps, void *memory, size_t size);

// Sets the region of step k from the step that work has made, under the options' kappa. D (3 nc, nu): of tact_deriv_matrices,
// or of tact_linear_matrices.
void tact_region_set(tact_region *region, int k, const tact_model *model, const tact_options *options, const tact_work *work,
                     const tact_real *D);

// The extent of the region of step k along du (nu): the largest t for which t du is inside; TACT_MAX: unbounded. du is inside if
// t > 1.
tact_real tact_region_reach(const tact_region *region, int k, const tact_real *du);

// min 1/2 du'H du + g'du over the region of step k and lower <= du <= upper, H (nu, nu) positive semidefinite. du: on
// entry the minimiser within the bounds alone, on return the solution; its cost exceeds the minimum by at most a thousandth of
// the gain of the former. On a negative status du is unchanged: as tact_barrier_solve, or TACT_UNDECIDED for a solution outside
// the region.
tact_status tact_region_minimise(tact_region *region, int k, const tact_real *H, const tact_real *g, const tact_real *lower,
                                 const tact_real *upper, tact_real *du);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
