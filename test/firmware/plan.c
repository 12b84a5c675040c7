// SPDX-License-Identifier: MIT
#include "plan.h"

#include "model.h"

// what the plan needs here; by default what suffices everywhere
#ifndef PLAN_SIZE
#define PLAN_SIZE hand_mpc_size
#endif

static unsigned char plan_memory[PLAN_SIZE], state_memory[MODEL_STATE_SIZE], work_memory[MODEL_WORK_SIZE];
static tact_mpc mpc;
static tact_state plant;
static tact_work work;

const char *plan_begin(plan_record *record) {
    *record = (plan_record){.hash = HAND_HASH};
    if (tact_mpc_init(&mpc, &hand, hand_horizon, plan_memory, sizeof plan_memory) != TACT_CONVERGED) return "memory of the plan";
    if (tact_state_init(&plant, &hand, state_memory, sizeof state_memory) != TACT_CONVERGED) return "memory of the state";
    if (tact_work_init(&work, &hand, work_memory, sizeof work_memory) != TACT_CONVERGED) return "memory of the work";
    return NULL;
}

void plan_solve(plan_record *record) {
    record->unsolved += tact_mpc_solve(&mpc, &hand_mpc_step, &hand_mpc, &hand_goal, plant.q) != TACT_CONVERGED;
    record->solves++;
    record->steps += mpc.steps;
}

void plan_advance(plan_record *record) {
    tact_input input = {.u = mpc.last};
    tact_options options = hand_mpc_step;
    const tact_real *ball = plant.q + hand.nq - 3, wanted[3] = {hand_goal.position.x, hand_goal.position.y, hand_goal.position.z};
    tact_real off = 0;
    options.dt = hand_mpc.tick;
    record->hash = hand_hash(record->hash, mpc.last, hand.nu);
    record->unsolved += tact_step(&hand, &options, &input, &plant, &work) != TACT_CONVERGED;
    for (int i = 0; i < 3; i++) {
        tact_real distance = ball[i] - wanted[i];
        if (distance < 0) distance = -distance;
        if (distance > off) off = distance;
    }
    record->off = (int)(off * 1000000);
}

size_t plan_size(void) {
    return tact_mpc_size(&hand, hand_horizon);
}
