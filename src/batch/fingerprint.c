// SPDX-License-Identifier: MIT
// Three scenes are stepped a few times, the barrier's in lanes, and the last step is differentiated. All states, forces and
// matrices are mixed into 64 bits. A fused multiply-add, reordered sums or another library of functions anywhere on the way
// change them; what no build changes (widths of lanes, threads) does not.
#include "tact/batch.h"

#include <stdio.h>
#include <string.h>

#include "batch/slopes.h"
#include "tact/lanes.h"
#include "tact/memory.h"

enum { ABREAST = 3, STEPS = 2 };

// an arm that slides and turns, a ball and a box before it; planar shapes that press on each other
static const char solid[] =
    "{\"tact\":1,\"gravity\":[0.3,0.1,-9.81],\"options\":{\"dt\":0.01,\"kappa\":2000,\"margin\":0.3},\"bodies\":["
    "{\"name\":\"base\",\"parent\":\"world\",\"mass\":0.3,\"joint\":{\"name\":\"slide\",\"type\":\"prismatic\",\"axis\":[1,0,0.1]"
    "}},"
    "{\"name\":\"arm\",\"parent\":\"base\",\"mass\":0.2,\"com\":[0.05,0,0.01],\"inertia\":[1e-4,3e-4,3e-4,1e-5,0,0],"
    "\"joint\":{\"name\":\"turn\",\"type\":\"revolute\",\"axis\":[0.1,0,1],\"xyz\":[0,0.01,0.05],\"rpy\":[0.1,0.2,0.3]}},"
    "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[3e-4,3e-4,3e-4,0,0,0],"
    "\"joint\":{\"name\":\"ball\",\"type\":\"translation\"}},"
    "{\"name\":\"box\",\"parent\":\"world\",\"mass\":0.4,\"inertia\":[1e-4,2e-4,2.5e-4,1e-5,0,0],"
    "\"joint\":{\"name\":\"box\",\"type\":\"free\"}}],\"shapes\":["
    "{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0.02,0.01,1],\"offset\":0},"
    "{\"name\":\"tip\",\"body\":\"arm\",\"type\":\"sphere\",\"radius\":0.015,\"xyz\":[0.1,0,0]},"
    "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04},"
    "{\"name\":\"box\",\"body\":\"box\",\"type\":\"box\",\"size\":[0.1,0.08,0.06],\"round\":0.005},"
    "{\"name\":\"corner\",\"body\":\"box\",\"type\":\"sphere\",\"radius\":0.001,\"xyz\":[-0.05,-0.04,-0.03]},"
    "{\"name\":\"rod\",\"body\":\"world\",\"type\":\"capsule\",\"radius\":0.01,\"length\":0.2,\"xyz\":[0.15,0.06,0.03],\"rpy\":["
    "1.5,0.1,0]}],"
    "\"pairs\":[{\"a\":\"table\",\"b\":\"ball\",\"mu\":0.5},{\"a\":\"tip\",\"b\":\"ball\",\"mu\":0.4},"
    "{\"a\":\"box\",\"b\":\"ball\",\"mu\":0.3},{\"a\":\"table\",\"b\":\"corner\",\"mu\":0.6,\"restitution\":0.2},"
    "{\"a\":\"rod\",\"b\":\"ball\",\"mu\":0.2}],"
    "\"drives\":[{\"joint\":\"slide\",\"stiffness\":300,\"damping\":2},{\"joint\":\"turn\",\"stiffness\":4}],\"state\":{\"q\":{"
    "\"slide\":0.01,\"turn\":0.1,\"ball\":[0.155,0.045,0.041],\"box\":[0.24,0.02,0.032,0.998,0.02,0.03,0.05]},"
    "\"v\":{\"ball\":[0.1,0,-0.2],\"box\":[1,2,3,-0.3,0,-0.1]}},\"command\":{\"mode\":\"hold\"}}";
static const char flat[] =
    "{\"tact\":1,\"law\":\"virtual\",\"gravity\":[0.2,-9.81,0],\"options\":{\"dt\":0.005,\"kn\":4000,\"kd\":40,\"kt\":200},"
    "\"bodies\":["
    "{\"name\":\"hex\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[1e-3,1e-3,1e-3,0,0,0],\"joint\":{\"name\":\"hex\",\"type\":"
    "\"planar\"}},"
    "{\"name\":\"arm\",\"parent\":\"world\",\"mass\":0.2,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
    "\"joint\":{\"name\":\"arm\",\"type\":\"revolute\",\"axis\":[0,0,1],\"xyz\":[-0.1,0.12,0]}},"
    "{\"name\":\"finger\",\"parent\":\"arm\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
    "\"joint\":{\"name\":\"finger\",\"type\":\"revolute\",\"axis\":[0,0,1],\"xyz\":[0.06,0,0]}}],\"shapes\":["
    "{\"name\":\"hex\",\"body\":\"hex\",\"type\":\"polygon\",\"regular\":{\"sides\":6,\"radius\":0.05}},"
    "{\"name\":\"finger\",\"body\":\"finger\",\"type\":\"rectangle\",\"size\":[0.08,0.02],\"round\":0.004,\"xyz\":[0.03,0,0]},"
    "{\"name\":\"stop\",\"body\":\"world\",\"type\":\"circle\",\"radius\":0.02,\"xyz\":[0.062,0.03,0]},"
    "{\"name\":\"table\",\"body\":\"world\",\"type\":\"halfplane\"}],\"pairs\":[{\"a\":\"hex\",\"b\":\"table\",\"mu\":0.6},"
    "{\"a\":\"hex\",\"b\":\"stop\",\"mu\":0.4},{\"a\":\"finger\",\"b\":\"hex\",\"mu\":0.3}],"
    "\"drives\":[{\"joint\":\"arm\",\"stiffness\":5},{\"joint\":\"finger\",\"stiffness\":2,\"damping\":0.1}],"
    "\"state\":{\"q\":{\"hex\":[0.001,0.0425,0.02],\"arm\":-0.3,\"finger\":-0.25},\"v\":{\"hex\":[0.1,-0.2,1]}}}";

// memory of a scene's steps
typedef struct {
    tact_scene *scene;
    int width;
    tact_state state[ABREAST];
    tact_options options[ABREAST];
    tact_real *u[ABREAST];
    tact_work work;
    tact_lanes lanes;
    tact_slopes slopes;
} trial;

static void place(void *context, tact_arena *arena) {
    trial *t = context;
    const tact_model *model = &t->scene->model;
    size_t state = tact_state_size(model), work = tact_work_size(model), lanes = tact_lanes_size(model, t->width);
    // States side by side, then scratch of single steps, of lanes and of derivatives.
    for (int i = 0; i < ABREAST; i++) {
        void *memory = tact_arena_take(arena, state, 1);
        if (memory) tact_state_init(&t->state[i], model, memory, state);
        t->u[i] = tact_arena_take(arena, (size_t)model->nu, sizeof(tact_real));
    }
    void *memory = tact_arena_take(arena, work, 1);
    if (memory) tact_work_init(&t->work, model, memory, work);
    memory = tact_arena_take(arena, lanes, 1);
    if (memory) tact_lanes_init(&t->lanes, model, t->width, memory, lanes);
    tact_slopes_place(&t->slopes, model, arena);
}

// Mixes numbers into a hash, exactly: each by the bits of its double.
static void mix(uint64_t *bits, const tact_real *x, int count) {
    for (int i = 0; i < count; i++) {
        double wide = (double)x[i];
        uint64_t word = 0;
        memcpy(&word, &wide, sizeof word);
        *bits = (*bits ^ word) * 0x9e3779b97f4a7c15u;
        *bits ^= *bits >> 29;
    }
}

static void mix_state(uint64_t *bits, const tact_model *model, const tact_state *state) {
    mix(bits, state->q, model->nq);
    mix(bits, state->v, model->nv);
    mix(bits, state->lambda, 3 * model->npair);
}

// One more step of the first scene, and its derivatives, into the digest.
static void step_differentiated(trial *t, uint64_t *bits) {
    const tact_model *model = &t->scene->model;
    const tact_options *options = &t->scene->options;
    const tact_jacobians *m = &t->slopes.matrices;
    tact_input input = {.u = t->u[0]};
    int nx = tact_linear_order(model);
    tact_state_copy(&t->slopes.before, &t->state[0], model);
    tact_status status = tact_step(model, options, &input, &t->state[0], &t->work);
    mix_state(bits, model, &t->state[0]);
    if (status < 0 || tact_slopes_find(&t->slopes, model, options, &input, &t->state[0], &t->work) == TACT_SLOPES_NONE) return;
    // A, B, C, D of this step.
    int rows = 3 * t->work.contacts.count;
    mix(bits, m->A, nx * nx);
    mix(bits, m->B, nx * model->nu);
    mix(bits, m->C, rows * nx);
    mix(bits, m->D, rows * model->nu);
}

// Steps a scene under a law, once with each contact manifold, into the digest.
static bool try_scene(const char *text, const char *law, int width, uint64_t *bits, tact_errors *errors) {
    static const tact_manifold manifolds[] = {TACT_MANIFOLD_FEATURES, TACT_MANIFOLD_CLOSEST};
    tact_source source = {.name = "fingerprint", .bytes = text, .size = strlen(text)};
    tact_scene_settings settings = {.law = law};
    trial t = {.scene = tact_scene_parse(source, "", &settings, errors), .width = width};
    if (!t.scene) return false;
    const tact_model *model = &t.scene->model;
    void *memory = tact_memory_place(place, &t);
    // Under the virtual law with each manifold.
    for (int k = 0; k < (model->law->springs ? 2 : 1) && memory; k++) {
        t.scene->options.manifold = manifolds[k];
        for (int i = 0; i < ABREAST; i++) tact_state_reset(&t.state[i], model);
        // Side by side with different commands; the barrier law's go by lanes.
        for (int i = 0; i < STEPS; i++) {
            const tact_model *models[ABREAST] = {model, model, model};
            tact_input input[ABREAST];
            tact_status status[ABREAST];
            for (int lane = 0; lane < ABREAST; lane++) {
                tact_scene_command(t.scene, &t.state[lane], t.u[lane]);
                // commands that differ, so that lanes take different ways
                for (int j = 0; j < model->nu; j++) t.u[lane][j] += TACT_REAL(0.003) * (tact_real)(lane + 1);
                input[lane] = (tact_input){.u = t.u[lane]};
                t.options[lane] = t.scene->options;
            }
            tact_lanes_step(&t.lanes, ABREAST, models, t.options, input, t.state, status, NULL);
            for (int lane = 0; lane < ABREAST; lane++) mix_state(bits, model, &t.state[lane]);
        }
        step_differentiated(&t, bits);
    }
    tact_memory_release(memory);
    tact_scene_free(t.scene);
    if (!memory) tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
    return memory != NULL;
}

bool tact_fingerprint_find(int lanes, tact_fingerprint *fingerprint, tact_errors *errors) {
    TACT_ASSERT(fingerprint);
    uint64_t bits = 0;
    bool good = try_scene(solid, "barrier", lanes, &bits, errors) && try_scene(solid, "rigid", lanes, &bits, errors) &&
                try_scene(flat, NULL, lanes, &bits, errors);
    snprintf(fingerprint->text, sizeof fingerprint->text, "%016llx", (unsigned long long)bits);
    return good;
}
