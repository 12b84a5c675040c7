// SPDX-License-Identifier: MIT
// What an answer to a barrier problem is worth, checked on the numbers that are given out, apart from the solver.
#ifndef TACT_APP_VERDICT_H
#define TACT_APP_VERDICT_H

#include "app/problem.h"

// The status that the solver's answer deserves: it stays, or a converged one becomes TACT_ITERATION_LIMIT, or there is no
// answer, TACT_UNDECIDED: numbers that are none, an x that does not satisfy the contacts, a certificate that proves nothing.
tact_status tact_problem_verdict(const tact_problem *problem, tact_status status);

#endif
