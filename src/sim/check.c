// SPDX-License-Identifier: MIT
// Validity of state and input at the beginning of a step. A NaN fails every comparison.
#include "sim/step.h"

#include "math/elementary.h"

static tact_fault step_fault(const char *field, int index) {
    tact_fault fault = {field, index};
    return fault;
}

static bool step_is_unit(tact_real square) {
    return tact_fabs(square - 1) <= TACT_REAL(2e-3);
}

static tact_fault step_check_input(const tact_model *model, const tact_input *input) {
    TACT_ASSERT((input->u || !model->nu) && (TACT_GUESS || !input->guess));
    int i = tact_find_larger(input->u, model->nu, TACT_REAL(TACT_MOST_LENGTH));
    if (i < model->nu) return step_fault("input.u", i);
    i = input->spare ? tact_find_larger(input->spare, model->npair, TACT_REAL(TACT_MOST_LENGTH)) : model->npair;
    if (i < model->npair) return step_fault("input.spare", i);
    i = TACT_GUESS && input->guess ? tact_find_larger(input->guess, model->nv, TACT_REAL(TACT_MOST_LENGTH)) : model->nv;
    if (i < model->nv) return step_fault("input.guess", i);
    if (!input->wrench) return step_fault(NULL, 0);
    i = tact_find_larger((const tact_real *)input->wrench, 6 * model->nbody, TACT_REAL(TACT_MOST_FORCE));
    return i < 6 * model->nbody ? step_fault("input.wrench", i / 6) : step_fault(NULL, 0);
}

static tact_fault step_check_motion(const tact_model *model, const tact_state *state) {
    int i = tact_find_larger(state->q, model->nq, TACT_REAL(TACT_MOST_LENGTH));
    if (i < model->nq) return step_fault("state.q", i);
    i = tact_find_larger(state->v, model->nv, TACT_REAL(TACT_MOST_RATE));
    if (i < model->nv) return step_fault("state.v", i);
    const tact_dof *dof = model->dof;
    // A free joint's quaternion is of length 1; its six dofs follow each other.
    for (const tact_dof *end = dof + model->nv; dof < end; dof++) {
        if (dof->q >= 0) continue;
        const tact_real *w = &state->q[model->body[dof->body].q + 3];
        if (!step_is_unit(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]))
            return step_fault("state.q", (int)(w - state->q));
        dof += 5;
    }
    return step_fault(tact_fabs(state->time) <= TACT_REAL(TACT_MOST_TIME) ? NULL : "state.time", 0);
}

static tact_fault step_check_contacts(const tact_model *model, const tact_state *state) {
    int npair = tact_model_pairs(model);
    if (npair == 0) return step_fault(NULL, 0);
    int i = tact_find_larger(state->lambda, 3 * npair, TACT_REAL(TACT_MOST_CONTACT));
    if (i < 3 * npair) return step_fault("state.lambda", i / 3);
    i = tact_find_larger((const tact_real *)state->anchor, 3 * npair, TACT_REAL(TACT_MOST_LENGTH));
    if (i < 3 * npair) return step_fault("state.anchor", i / 3);
    // 0: a pair that had no contact.
    for (i = 0; i < npair; i++) {
        tact_real square = tact_vec3_dot(state->normal[i], state->normal[i]);
        if (!(square == 0 || step_is_unit(square))) return step_fault("state.normal", i);
    }
    return step_fault(NULL, 0);
}

tact_fault tact_step_check(const tact_model *model, const tact_options *options, const tact_input *input,
                           const tact_state *state) {
    TACT_ASSERT(model && options && input && tact_state_fits(state, model));
    tact_fault fault = step_fault(tact_options_check(options), 0);
    if (!fault.field) fault = step_check_input(model, input);
    if (!fault.field) fault = step_check_motion(model, state);
    return fault.field ? fault : step_check_contacts(model, state);
}
