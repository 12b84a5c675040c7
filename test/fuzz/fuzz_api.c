// SPDX-License-Identifier: MIT
// A model, options and inputs of any numbers, and calls in any order, within what the headers leave to be checked: a model is
// refused by its check or prepared and stepped; then states stay finite.
#include "fuzz.h"

enum { BODIES = 3, SHAPES = 4, PAIRS = 3, DOFS = 18 };

typedef struct {
    tact_model model;
    tact_body body[BODIES];
    tact_dof dof[DOFS];
    tact_shape shape[SHAPES];
    tact_pair pair[PAIRS];
    tact_real q0[DOFS + BODIES], v0[DOFS];
} any_model;

static tact_pose any_pose(fuzz_source *source) {
    tact_pose pose = tact_pose_identity();
    pose.p = tact_vec3_make(fuzz_real(source), fuzz_real(source), fuzz_real(source));
    if (fuzz_below(source, 8) == 0) pose.R.m[fuzz_below(source, 3)][fuzz_below(source, 3)] = fuzz_real(source);
    return pose;
}

static void any_body(any_model *any, fuzz_source *source, int b) {
    tact_model *model = &any->model;
    tact_body *body = &any->body[b];
    *body = (tact_body){.parent = fuzz_below(source, b + 1) - 1,
                        .joint = (tact_joint_type)fuzz_below(source, 7),
                        .place = any_pose(source),
                        .axis = {0, 0, 1},
                        .q = model->nq,
                        .v = model->nv,
                        .ratio = 1,
                        .mass = fuzz_real(source),
                        .com = {fuzz_real(source), 0, 0},
                        .inertia = {1, 1, 1, 0, 0, fuzz_real(source) / 16}};
    int dofs = tact_joint_dofs(body->joint), coordinates = tact_joint_coordinates(body->joint);
    for (int i = 0; i < dofs; i++) {
        bool turns = body->joint == TACT_JOINT_FREE && i < 3, free = body->joint == TACT_JOINT_FREE;
        tact_dof *dof = &any->dof[model->nv + i];
        *dof = (tact_dof){
            .body = b, .q = turns ? -1 : model->nq + (free ? i - 3 : i), .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
        if (!free && fuzz_below(source, 2)) {
            dof->u = model->nu++;
            dof->stiffness = fuzz_real(source);
            dof->damping = fuzz_real(source);
            dof->lower = fuzz_real(source);
        }
    }
    for (int i = 0; i < coordinates; i++) any->q0[model->nq + i] = fuzz_real(source);
    if (body->joint == TACT_JOINT_FREE) {
        tact_real *q = any->q0 + model->nq + 3;
        q[0] = 1;
        q[1] = q[2] = q[3] = 0;
    }
    model->nv += dofs;
    model->nq += coordinates;
}

static void make_model(any_model *any, fuzz_source *source) {
    static const tact_law *const laws[] = {&tact_law_barrier, &tact_law_rigid, &tact_law_virtual};
    memset(any, 0, sizeof *any);
    tact_model *model = &any->model;
    model->law = laws[fuzz_below(source, 3)];
    model->planar = model->law == &tact_law_virtual;
    model->nbody = 1 + fuzz_below(source, BODIES);
    model->nshape = fuzz_below(source, SHAPES + 1);
    model->npair = model->nshape > 1 ? fuzz_below(source, PAIRS + 1) : 0;
    for (int b = 0; b < model->nbody; b++) any_body(any, source, b);
    for (int i = 0; i < model->nshape; i++) {
        any->shape[i] = (tact_shape){.body = fuzz_below(source, model->nbody + 1) - 1,
                                     .type = (tact_shape_type)fuzz_below(source, 10),
                                     .place = any_pose(source)};
        fuzz_fill(source, any->shape[i].size, 4);
    }
    for (int i = 0; i < model->npair; i++)
        any->pair[i] = (tact_pair){fuzz_below(source, model->nshape), fuzz_below(source, model->nshape), fuzz_real(source), 0};
    fuzz_fill(source, any->v0, model->nv);
    model->body = any->body, model->dof = any->dof, model->shape = any->shape, model->pair = any->pair;
    model->q0 = any->q0, model->v0 = any->v0;
}

static void any_options(tact_options *options, fuzz_source *source) {
    tact_real *const number[] = {&options->dt,     &options->gravity.x,   &options->kappa, &options->epsilon,
                                 &options->margin, &options->limit_kappa, &options->kn,    &options->temperature};
    *number[fuzz_below(source, 8)] = fuzz_real(source);
    options->anchor = fuzz_below(source, 2);
    options->warm_start = fuzz_below(source, 2);
    options->max_iterations = fuzz_below(source, 20);
}

static void play(const tact_model *model, fuzz_source *source, void *memory[2], size_t size[2]) {
    tact_state state;
    tact_work work;
    tact_real u[DOFS];
    tact_wrench wrench[BODIES] = {0};
    tact_options options = tact_options_default();
    options.max_iterations = 20;
    if (tact_state_init(&state, model, memory[0], size[0]) != TACT_CONVERGED) abort();
    if (tact_work_init(&work, model, memory[1], size[1]) != TACT_CONVERGED) abort();
    tact_hold(model, &state, u);
    for (int calls = 0; calls < 12 && source->at < source->size; calls++) {
        tact_input input = {.u = u, .wrench = wrench};
        switch (fuzz_below(source, 6)) {
        case 0: any_options(&options, source); break;
        case 1: fuzz_fill(source, u, model->nu); break;
        case 2: wrench[fuzz_below(source, model->nbody)].force.y = fuzz_real(source); break;
        case 3: tact_state_reset(&state, model); break;
        case 4: tact_hold(model, &state, u); break;
        default: tact_step(model, &options, &input, &state, &work);
        }
        fuzz_require(fuzz_finite(state.q, model->nq) && fuzz_finite(state.v, model->nv), "the state is finite");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_source source = {bytes, size, 0};
    any_model any;
    make_model(&any, &source);
    tact_arena arena = {0};
    int body = 0;
    if (tact_model_check(&any.model).field) return 0;
    fuzz_require(tact_model_prepare(&any.model, &arena) == TACT_CONVERGED, "what was checked can be measured");
    arena.memory = malloc(arena.used), arena.size = arena.used, arena.used = 0;
    fuzz_require(tact_model_prepare(&any.model, &arena) == TACT_CONVERGED, "what was measured can be prepared");
    if (!any.model.law->refuse || !any.model.law->refuse(&any.model, &body)) {
        size_t sizes[2] = {tact_state_size(&any.model), tact_work_size(&any.model)};
        void *memory[2] = {malloc(sizes[0]), malloc(sizes[1])};
        play(&any.model, &source, memory, sizes);
        free(memory[0]);
        free(memory[1]);
    }
    free(arena.memory);
    return 0;
}
