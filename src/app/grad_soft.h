// SPDX-License-Identifier: MIT
// Derivatives under the virtual law: its state is q and v. Of the last of N steps, or of all of them forwards: columns of changes
// are carried along from step to step.
#ifndef TACT_APP_GRAD_SOFT_H
#define TACT_APP_GRAD_SOFT_H

#include "scene/text.h"
#include "tact/scene.h"
#include "tact/virtual.h"

typedef struct {
    int steps;           // made; the last of them failed when status is negative
    tact_status status;  // of a step that failed, else the worst
    tact_state before;   // the last step
    tact_real *q;        // (columns, nv) dq+ by q, v, u, forces; each column in one piece
    tact_real *v;        // (columns, nv) dv+
    tact_real *lambda;   // (columns, 3 nc)
    int columns;         // 3 nv + nu; of a whole run 2 nv + nu
    void *memory;
} tact_grad_soft;

// Makes the steps from the world's state. whole: derivatives of the run, the commands shifted by a constant and, where the
// scene's command is hold, following the coordinates; else those of its last step. False when there is no memory; ends with
// tact_grad_soft_free.
bool tact_grad_soft_make(tact_grad_soft *soft, tact_world *world, int steps, bool whole);

// "A", "B", "C", "D" and the rest: keys and matrices, row by row.
void tact_grad_soft_print(const tact_grad_soft *soft, const tact_world *world, bool whole, tact_text *out);

void tact_grad_soft_free(tact_grad_soft *soft);

#endif
