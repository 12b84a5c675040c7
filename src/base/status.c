// SPDX-License-Identifier: MIT
#include "tact/base.h"

const char *tact_version(void) {
    return TACT_VERSION;
}

// The name by which files and messages call a status; "unknown" for a number that is none.
const char *tact_status_name(tact_status status) {
    switch (status) {
    case TACT_CONVERGED: return "converged";
    case TACT_ITERATION_LIMIT: return "iteration_limit";
    case TACT_STATIONARY: return "stationary";
    case TACT_AMBIGUOUS: return "ambiguous";
    case TACT_HELD: return "held";
    case TACT_INFEASIBLE: return "infeasible";
    case TACT_SINGULAR: return "singular";
    case TACT_BAD_INPUT: return "bad_input";
    case TACT_NO_MEMORY: return "no_memory";
    case TACT_UNDECIDED: return "undecided";
    case TACT_UNSOLVABLE: return "unsolvable";
    case TACT_RAY: return "ray";
    }
    return "unknown";
}
