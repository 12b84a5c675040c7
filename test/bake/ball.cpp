// SPDX-License-Identifier: MIT
// The core in one file, used from C++: a ball on a plane, built by hand, comes to rest where the barrier force bears its weight.
#include "tact.h"

#include <cmath>
#include <cstdio>
#include <vector>

int main() {
    tact_body body = {};
    body.parent = TACT_WORLD;
    body.joint = TACT_JOINT_TRANSLATION;
    body.place = tact_pose_identity();
    body.axis = tact_vec3_make(0, 0, 1);
    body.ratio = 1;
    body.mass = 1;
    tact_dof dof[3] = {};
    for (int i = 0; i < 3; i++) {
        dof[i].q = i;
        dof[i].u = -1;
        dof[i].lower = -TACT_MAX;
        dof[i].upper = TACT_MAX;
    }
    tact_shape shape[2] = {};
    shape[0].body = TACT_WORLD;
    shape[0].type = TACT_SHAPE_PLANE;
    shape[1].type = TACT_SHAPE_SPHERE;
    shape[1].size[0] = TACT_REAL(0.1);
    shape[0].place = shape[1].place = tact_pose_identity();
    tact_pair pair = {0, 1, TACT_REAL(0.5), 0, 0};
    const tact_real q0[3] = {0, 0, TACT_REAL(0.15)}, v0[3] = {0, 0, 0};

    tact_model model = {};
    model.nbody = 1, model.nshape = 2, model.npair = 1, model.nq = 3, model.nv = 3;
    model.body = &body, model.dof = dof, model.shape = shape, model.pair = &pair;
    model.q0 = q0, model.v0 = v0, model.law = &tact_law_barrier;
    tact_arena arena = {};
    if (tact_model_prepare(&model, &arena) != TACT_CONVERGED) return 2;
    std::vector<unsigned char> lists(arena.used + TACT_ALIGN);
    arena.memory = lists.data(), arena.size = lists.size(), arena.used = 0;
    if (tact_model_prepare(&model, &arena) != TACT_CONVERGED) return 3;

    std::vector<unsigned char> state_memory(tact_state_size(&model)), work_memory(tact_work_size(&model));
    tact_state state;
    tact_work work;
    if (tact_state_init(&state, &model, state_memory.data(), state_memory.size()) != TACT_CONVERGED) return 4;
    if (tact_work_init(&work, &model, work_memory.data(), work_memory.size()) != TACT_CONVERGED) return 5;
    tact_options options = tact_options_default();
    tact_input input = {};
    for (int k = 0; k < 300; k++)
        if (tact_step(&model, &options, &input, &state, &work) != TACT_CONVERGED) return 6;
    // F = m g rests at the gap 2/(kappa F)
    double gap = double(state.q[2]) - 0.1, wanted = 2 / (100 * 9.81);
    std::printf("gap %.9g, wanted %.9g\n", gap, wanted);
    return std::fabs(gap - wanted) < (sizeof(tact_real) == 8 ? 1e-12 : 1e-6) ? 0 : 1;
}
