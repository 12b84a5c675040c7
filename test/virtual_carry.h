// SPDX-License-Identifier: MIT
// A loss of the last state of a run under the virtual law, and its slope by columns that are carried forwards.
#ifndef TACT_TEST_VIRTUAL_CARRY_H
#define TACT_TEST_VIRTUAL_CARRY_H

#include "tact/rollout.h"
#include "tact/virtual.h"
#include "virtual_scene.h"

enum { CARRY_DOFS = 7, CARRY_COLUMNS = 32 };

typedef struct {
    int steps, nv;
} carry_run;

static inline double carry_weight_q(const carry_run *run, int i) {
    return (1 + i) / (double)run->nv;
}

static inline double carry_weight_v(const carry_run *run, int i) {
    return (i - 2) / (double)run->nv;
}

static inline tact_real carry_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                                   tact_real *lambda_bar) {
    const carry_run *run = context;
    tact_real sum = 0;
    (void)contacts, (void)lambda_bar;
    if (k < run->steps) return 0;
    for (int i = 0; q_bar && i < run->nv; i++) q_bar[i] += (tact_real)carry_weight_q(run, i);
    for (int i = 0; i < run->nv; i++)
        sum += (tact_real)carry_weight_q(run, i) * state->q[i] + (tact_real)carry_weight_v(run, i) * state->v[i];
    return sum;
}

static inline void carry_loss_by_v(void *context, int k, const tact_state *state, tact_real *v_bar) {
    const carry_run *run = context;
    (void)state;
    for (int i = 0; k == run->steps && i < run->nv; i++) v_bar[i] += (tact_real)carry_weight_v(run, i);
}

// slope (2 nv + nu + nparameter): of the loss by q_0, v_0, the first command and parameters; u (steps, nu)
static inline void carry_forwards(virtual_scene *s, carry_run run, const tact_real *u, const tact_parameter *parameter,
                                  int nparameter, double *slope) {
    static tact_real x[CARRY_COLUMNS][4 * CARRY_DOFS];
    static unsigned char memory[1 << 12];
    int n = run.nv, nu = s->model.nu, columns = 2 * n + nu + nparameter;
    tact_state before;
    if (n > CARRY_DOFS || columns > CARRY_COLUMNS) exit(1);
    tact_state_init(&before, &s->model, memory, sizeof memory);
    tact_state_reset(&s->state, &s->model);
    memset(x, 0, sizeof x);
    for (int c = 0; c < 2 * n; c++) x[c][c] = 1;
    for (int k = 0; k < run.steps; k++) {
        tact_state_copy(&before, &s->state, &s->model);
        CHECK_INT(virtual_go(s, u + nu * k, NULL), TACT_CONVERGED);
        tact_input input = {.u = u + nu * k};
        for (int c = 0; c < columns; c++) {
            tact_real unit[CARRY_COLUMNS] = {0}, next[2 * CARRY_DOFS];
            if (c >= 2 * n && c < 2 * n + nu) unit[c - 2 * n] = 1;
            tact_virtual_change change = {.q = x[c], .v = x[c] + n, .q_past = x[c] + 2 * n, .v_past = x[c] + 3 * n};
            if (k == 0) change.u = unit;
            if (c >= 2 * n + nu) change.parameter = &parameter[c - 2 * n - nu];
            tact_virtual_effect effect = {next, next + n, NULL};
            tact_virtual_differentiate(&s->model, &s->options, &input, &before, &s->work, &change, &effect);
            for (int i = 0; i < 2 * n; i++) {
                x[c][2 * n + i] = x[c][i];
                x[c][i] = next[i];
            }
        }
    }
    for (int c = 0; c < columns; c++) {
        slope[c] = 0;
        for (int i = 0; i < n; i++)
            slope[c] += carry_weight_q(&run, i) * (double)x[c][i] + carry_weight_v(&run, i) * (double)x[c][n + i];
    }
}

#endif
