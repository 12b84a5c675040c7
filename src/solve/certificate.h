// SPDX-License-Identifier: MIT
// Phase 1: a displacement strictly inside all cones, or the proof that there is none.
#ifndef TACT_SOLVE_CERTIFICATE_H
#define TACT_SOLVE_CERTIFICATE_H

#include "solve/path.h"

typedef enum {
    TACT_PHASE_INSIDE,         // path->d is strictly feasible
    TACT_PHASE_CONTRADICTION,  // lambda and bound_lambda of the solution are a certificate
    TACT_PHASE_UNDECIDED,      // rounding hides which
} tact_phase;

tact_phase tact_certificate_search(tact_path *path, int budget, tact_barrier_solution *solution);

#endif
