// SPDX-License-Identifier: MIT
// Any bytes as a scene: refused with an error, or stepped and baked. A step says honestly whether its numbers can be used, one
// without an answer leaves the state as it is, and a scene is baked to the same text twice.
#include "fuzz.h"
#include "tact/bake.h"
#include "tact/scene.h"

#define LARGEST 4000000

static void step(tact_scene *scene) {
    const tact_model *model = &scene->model;
    size_t state_size = tact_state_size(model), work_size = tact_work_size(model);
    if (!model->law || state_size > LARGEST || work_size > LARGEST || model->nu > 100 || model->nbody > 100) return;
    void *memory[3] = {calloc(1, state_size + 1), malloc(work_size + 1), malloc(state_size + 1)};
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
        memcpy(memory[2], memory[0], state_size);
        tact_status status = tact_step(model, &scene->options, &input, &state, &work);
        fuzz_require(tact_status_name(status) != NULL, "a status has a name");
        fuzz_require(status >= 0 || memcmp(memory[2], memory[0], state_size) == 0, "without an answer the state stays");
        fuzz_require(fuzz_finite(state.q, model->nq) && fuzz_finite(state.v, model->nv), "the state is finite");
        fuzz_require(fuzz_finite(state.lambda, 3 * model->npair), "forces are finite");
    }
    for (int k = 0; k < 3; k++) free(memory[k]);
}

static void bake(const tact_scene *scene) {
    tact_text text[2] = {{0}, {0}};
    tact_real u[100] = {0};
    char name[64];
    // the text of half a million pairs takes a sanitizer most of the time that one input has
    if (!scene->model.law || scene->model.nu > 100 || scene->model.npair > 100000) return;
    tact_bake_default_name(scene->model.names ? scene->model.names->scene : NULL, name, sizeof name);
    fuzz_require(tact_bake_name(name), "a name for C");
    tact_bake what = {.model = &scene->model, .options = &scene->options, .u = u, .name = name, .include = "tact.h"};
    for (int k = 0; k < 2; k++) tact_bake_source(&what, &text[k]);
    tact_source once = tact_text_source(&text[0], ""), twice = tact_text_source(&text[1], "");
    fuzz_require(once.size == twice.size && memcmp(once.bytes, twice.bytes, once.size) == 0, "baked to the same text");
    for (int k = 0; k < 2; k++) tact_text_free(&text[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static tact_errors errors;
    errors = (tact_errors){0};
    tact_source source = {.name = "scene.json", .bytes = (const char *)bytes, .size = size, .line = 1};
    tact_scene *scene = tact_scene_parse(source, "data/scenes/", NULL, &errors);
    fuzz_require(scene != NULL || errors.errors > 0, "a scene or an error");
    if (scene) bake(scene);
    if (scene) step(scene);
    tact_scene_free(scene);
    return 0;
}
