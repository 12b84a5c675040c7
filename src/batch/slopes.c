// SPDX-License-Identifier: MIT
#include "batch/slopes.h"

void tact_slopes_place(tact_slopes *slopes, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(slopes && model && arena);
    size_t nu = (size_t)model->nu, nx = (size_t)tact_linear_order(model), rows = 3 * (size_t)tact_model_pairs(model),
           real = sizeof(tact_real), size = tact_state_size(model);
    // State before the step, and matrices for as many contacts as there are pairs.
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) tact_state_init(&slopes->before, model, memory, size);
    slopes->matrices = (tact_jacobians){.A = tact_arena_take(arena, nx * nx, real),
                                        .B = tact_arena_take(arena, nx * nu, real),
                                        .C = tact_arena_take(arena, rows * nx, real),
                                        .D = tact_arena_take(arena, rows * nu, real)};
    tact_linear_place(&slopes->linear, model, arena);
}

tact_slopes_kind tact_slopes_find(tact_slopes *slopes, const tact_model *model, const tact_options *options,
                                  const tact_input *input, const tact_state *after, tact_work *work) {
    tact_record step = {model, options, input, &slopes->before, after, work};
    if (tact_linearise(&slopes->linear, &step) < 0) return TACT_SLOPES_NONE;
    if (tact_linear_matrices(&slopes->linear, &slopes->matrices) < 0) return TACT_SLOPES_NONE;
    return slopes->linear.kink ? TACT_SLOPES_KINK : TACT_SLOPES_SMOOTH;
}
