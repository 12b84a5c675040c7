// SPDX-License-Identifier: MIT
// A controller without heap and without files: the model is written in C, all memory is static, and only the core is linked:
//
//     cc examples/no_heap.c -Iinclude build/libtact-core.a -lm -o no_heap
//
// A pusher on a spring of 1 N/m is told to go to 0.1 m; a block of 10 g stands in its way. The closed form of the block's place
// is in the paper: 0.20099503719021 m after the first step.
#include <stdio.h>
#include <tact/sim.h>

static tact_body body[2];
static tact_dof dof[2];
static tact_shape shape[2];
static tact_pair pair[1];
static const tact_real q0[2] = {0, TACT_REAL(0.2)}, v0[2];
static unsigned char memory[3][1 << 14];  // what the model derives, state, scratch

int main(void) {
    for (int i = 0; i < 2; i++) {
        body[i] = (tact_body){.parent = TACT_WORLD,
                              .joint = TACT_JOINT_PRISMATIC,
                              .place = tact_pose_identity(),
                              .axis = {1, 0, 0},
                              .q = i,
                              .v = i,
                              .ratio = 1,
                              .mass = TACT_REAL(0.01)};
        dof[i] = (tact_dof){.body = i, .q = i, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
    }
    dof[0].u = 0;  // driven
    dof[0].stiffness = 1;
    // the tip, a sphere just behind the pusher's origin, and the block
    shape[0] = (tact_shape){.body = 0, .type = TACT_SHAPE_SPHERE, .place = tact_pose_identity(), .size = {TACT_REAL(0.02)}};
    shape[0].place.p.x = TACT_REAL(-0.02);
    shape[1] = (tact_shape){.body = 1,
                            .type = TACT_SHAPE_BOX,
                            .place = tact_pose_identity(),
                            .size = {TACT_REAL(0.1), TACT_REAL(0.1), TACT_REAL(0.1)}};
    pair[0] = (tact_pair){.a = 0, .b = 1};

    tact_model model = {.law = &tact_law_barrier,
                        .nbody = 2,
                        .nshape = 2,
                        .npair = 1,
                        .nq = 2,
                        .nv = 2,
                        .nu = 1,
                        .body = body,
                        .dof = dof,
                        .shape = shape,
                        .pair = pair,
                        .q0 = q0,
                        .v0 = v0};
    tact_arena arena = {.memory = memory[0], .size = sizeof memory[0]};
    tact_state state;
    tact_work work;
    if (tact_model_prepare(&model, &arena) < 0 || tact_state_init(&state, &model, memory[1], sizeof memory[1]) < 0 ||
        tact_work_init(&work, &model, memory[2], sizeof memory[2]) < 0)
        return 1;

    tact_options options = tact_options_default();
    options.kappa = 200;
    options.epsilon = 1;
    options.gravity = (tact_vec3){0, 0, 0};
    const tact_real u[1] = {TACT_REAL(0.1)};
    tact_input input = {.u = u};
    tact_status status = tact_step(&model, &options, &input, &state, &work);
    printf("%s: pusher %.6f m, block %.6f m, force %.6f N\n", tact_status_name(status), (double)state.q[0], (double)state.q[1],
           (double)work.contacts.contact[0].lambda[0]);
    printf("bytes: model %zu, state %zu, work %zu\n", arena.used, tact_state_size(&model), tact_work_size(&model));
    return status < 0;
}
