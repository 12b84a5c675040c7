// SPDX-License-Identifier: MIT
// Rollouts and their reverse as foreign functions of XLA, for JAX. Plain C: neither Python nor XLA is needed to compile it.
//
// XLA calls a handler with a call frame, from threads of its own and without Python's lock. The worlds are named by a number (the
// attribute "worlds"), never by an address: a program that was compiled while they were open may run after they were closed, and
// then gets an error.
//
//   tact_xla_rollout   operands  state (n, bytes) of tact_worlds_save, u (n, N, nu), q (n, nq), v (n, nv), values (paths, n)
//                      results   q (n, N + 1, nq), force (n, N, npair, 3), v (n, N + 1, nv), status (n)
//   tact_xla_pullback  operands  the same, then q_bar, force_bar, v_bar, of the shapes of these results
//                      results   by u, q, v, values, of the shapes of these operands; status (n), kinks (n)
//
// state is of bytes (U8), status and kinks are S32; the others are F64 or F32. All of them may have the same leading axes in
// addition, as vmap with "broadcast_all" gives them: the calls are then made one after the other.
#ifndef TACT_PYTHON_XLA_H
#define TACT_PYTHON_XLA_H

#include "tact/worlds.h"

void *tact_xla_rollout(void *frame);
void *tact_xla_pullback(void *frame);

// Lets handlers use worlds, which nobody else may use until they are taken back. paths (npath) are set to values by each call;
// the gradient is by the first nslope of them, and 0 by the others. Returns their number; 0: no memory.
int tact_xla_lend(tact_worlds *worlds, const char *const *paths, int npath, int nslope);

// Waits until no handler is using them.
void tact_xla_take_back(int number);

#endif
