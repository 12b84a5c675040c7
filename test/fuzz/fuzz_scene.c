// SPDX-License-Identifier: MIT
// Any bytes as a scene: refused with an error, or stepped; a step says honestly whether its numbers can be used.
#include "fuzz.h"
#include "scene/scene.h"

#define LARGEST 4000000

static void step(tact_scene *scene) {
    const tact_model *model = &scene->model;
    size_t state_size = tact_state_size(model), work_size = tact_work_size(model);
    if (!model->law || state_size > LARGEST || work_size > LARGEST || model->nu > 100 || model->nbody > 100) return;
    void *memory[2] = {malloc(state_size + 1), malloc(work_size + 1)};
    tact_state state;
    tact_work work;
    tact_real u[100];
    tact_wrench wrench[100];
    fuzz_require(tact_state_init(&state, model, memory[0], state_size) == TACT_CONVERGED, "the state has its memory");
    fuzz_require(tact_work_init(&work, model, memory[1], work_size) == TACT_CONVERGED, "the work has its memory");
    for (int k = 0; k < 3; k++) {
        tact_scene_command(scene, &state, u);
        tact_input input = {.u = u, .wrench = tact_scene_wrench(scene, &state, wrench) ? wrench : NULL};
        scene->options.max_iterations = scene->options.max_iterations > 50 ? 50 : scene->options.max_iterations;
        tact_status status = tact_step(model, &scene->options, &input, &state, &work);
        fuzz_require(tact_status_name(status) != NULL, "a status has a name");
        fuzz_require(fuzz_finite(state.q, model->nq) && fuzz_finite(state.v, model->nv), "the state is finite");
        fuzz_require(fuzz_finite(state.lambda, 3 * model->npair), "forces are finite");
    }
    free(memory[0]);
    free(memory[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static tact_errors errors;
    errors = (tact_errors){0};
    tact_source source = {.name = "scene.json", .bytes = (const char *)bytes, .size = size, .line = 1};
    tact_scene *scene = tact_scene_parse(source, "data/scenes/", NULL, &errors);
    fuzz_require(scene != NULL || errors.errors > 0, "a scene or an error");
    if (scene) step(scene);
    tact_scene_free(scene);
    return 0;
}
