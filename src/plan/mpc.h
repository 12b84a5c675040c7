// SPDX-License-Identifier: MIT
#ifndef TACT_PLAN_MPC_H
#define TACT_PLAN_MPC_H

#include "tact/mpc.h"

// Cost of a state q, share being that of the goal's weights, with its gradient (nv) and Gauss-Newton Hessian (nv, nv).
tact_real tact_mpc_state_cost(tact_mpc *mpc, const tact_mpc_options *options, const tact_pose_goal *goal, tact_real share,
                              const tact_real *q, tact_real *slope, tact_real *bend);

// Sets mpc->tip: of each limb that may touch the body the outermost shape.
void tact_mpc_find_tips(tact_mpc *mpc, int body);

#endif
