// SPDX-License-Identifier: MIT
// Hundreds of bodies: the bits of steps that threads share, and the memory of a step.
#include <pthread.h>

#include "tact/errors.h"
#include "tact/scene.h"
#include "tact/sim.h"
#include "tact/text.h"
#include "test.h"

enum { SIDE = 7, STEPS = 6, MOST_JOBS = 64 };

// Spheres of 2 cm as a lattice in a box of five planes, SIDE along each edge; or as many one beside the other, each touching
// nothing but the floor.
static void write_scene(tact_text *out, const char *law, int bodies, bool piled, int room) {
    uint64_t seed = 5;
    tact_text_print(out, "{\"tact\":1,\"law\":%s,\"options\":{\"dt\":0.005", law);
    if (strcmp(law, "barrier") == 0) tact_text_add(out, ",\"kappa\":10000,\"margin\":0.01");
    tact_text_add(out, "},\"pairs\":\"auto\",\"mu\":0.5,");
    tact_text_print(out, "\"max_contacts\":%d,\"bodies\":[", room);
    for (int i = 0; i < bodies; i++)
        tact_text_print(out,
                        "{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":0.0335,\"inertia\":[5.4e-6,5.4e-6,5.4e-6,0,0,0],"
                        "\"joint\":{\"name\":\"b%d\",\"type\":\"free\"}},",
                        i, i);
    out->size--;
    tact_text_add(out,
                  "],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0}");
    static const char *const normal[] = {"1,0", "-1,0", "0,1", "0,-1"};
    for (int k = 0; k < 4 && piled; k++) {
        tact_text_print(out, ",{\"name\":\"wall%d\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[", k);
        tact_text_add(out, normal[k]);
        tact_text_print(out, ",0],\"offset\":%g}", k % 2 ? -0.041 * SIDE : -0.001);
    }
    for (int i = 0; i < bodies; i++)
        tact_text_print(out, ",{\"name\":\"b%d\",\"type\":\"sphere\",\"radius\":0.02,\"body\":\"b%d\"}", i, i);
    tact_text_add(out, "],\"state\":{\"q\":{");
    for (int i = 0; i < bodies; i++) {
        double wide = piled ? 0.041 : 0.2, height = piled ? i / (SIDE * SIDE) * 0.041 : 0;
        int across = piled ? SIDE : 32;
        tact_text_print(out, "\"b%d\":[%g,%g,%g,1,0,0,0],", i, 0.0205 + wide * (i % across) + test_random(&seed, 0, 0.0004),
                        0.0205 + wide * (i / across % across) + test_random(&seed, 0, 0.0004), 0.0203 + height);
    }
    out->size--;
    tact_text_add(out, "}}}");
}

static tact_scene *open_scene(const char *law, int bodies, bool piled, int room) {
    tact_text text = {0};
    tact_errors errors = {0};
    const tact_scene_settings settings = {.finds = true};
    write_scene(&text, law, bodies, piled, room);
    tact_scene *scene = tact_scene_parse(tact_text_source(&text, "(test)"), "", &settings, &errors);
    for (int i = 0; i < errors.kept && !scene; i++) printf("%s\n", errors.items[i].text);
    CHECK(scene != NULL);
    tact_text_free(&text);
    return scene;
}

// One thread, the last job first; counts its jobs.
static void run_backwards(void *crew, int count, void (*job)(void *data, int i), void *data) {
    *(long long *)crew += count;
    for (int i = count - 1; i >= 0; i--) job(data, i);
}

typedef struct {
    void (*job)(void *data, int i);
    void *data;
    int i;
} one_job;

static void *run_one(void *argument) {
    const one_job *own = argument;
    own->job(own->data, own->i);
    return NULL;
}

// A thread for each job.
static void run_threads(void *crew, int count, void (*job)(void *data, int i), void *data) {
    one_job jobs[MOST_JOBS];
    pthread_t thread[MOST_JOBS];
    CHECK(count <= MOST_JOBS);
    *(long long *)crew += count;
    for (int i = 0; i < count; i++) {
        jobs[i] = (one_job){job, data, i};
        CHECK(pthread_create(&thread[i], NULL, run_one, &jobs[i]) == 0);
    }
    for (int i = 0; i < count; i++) pthread_join(thread[i], NULL);
}

typedef struct {
    tact_state state;
    tact_work work;
    void *memory[2];
} stand;

static void set_up(stand *s, const tact_model *model) {
    size_t size[2] = {tact_state_size(model), tact_work_size(model)};
    for (int k = 0; k < 2; k++) s->memory[k] = malloc(size[k]);
    tact_state_init(&s->state, model, s->memory[0], size[0]);
    tact_work_init(&s->work, model, s->memory[1], size[1]);
}

static void test_threads(const char *law, int room) {
    tact_scene *scene = open_scene(law, SIDE * SIDE * SIDE, true, room);
    const tact_model *model = &scene->model;
    const tact_input input = {.u = NULL};
    static const int width[] = {2, 2, 3, 7};
    stand one, some[4];
    long long jobs[4] = {0, 0, 0, 0};
    set_up(&one, model);
    for (int k = 0; k < 4; k++) {
        set_up(&some[k], model);
        tact_work_share(&some[k].work, (tact_threads){k ? run_threads : run_backwards, &jobs[k], width[k]});
    }
    // with as many threads, the same steps to the bit
    for (int i = 0; i < STEPS; i++) {
        CHECK_INT(tact_step(model, &scene->options, &input, &one.state, &one.work), TACT_CONVERGED);
        for (int k = 0; k < 4; k++) {
            CHECK_INT(tact_step(model, &scene->options, &input, &some[k].state, &some[k].work), TACT_CONVERGED);
            CHECK(memcmp(one.state.q, some[k].state.q, (size_t)model->nq * sizeof(tact_real)) == 0);
            CHECK(memcmp(one.state.lambda, some[k].state.lambda, 3 * (size_t)one.state.npair * sizeof(tact_real)) == 0);
        }
    }
    for (int k = 0; k < 4; k++) {
        // the barrier law's factors are shared
        CHECK(strcmp(law, "barrier") == 0 ? jobs[k] > 100 : jobs[k] == 0);
        for (int m = 0; m < 2; m++) free(some[k].memory[m]);
    }
    for (int m = 0; m < 2; m++) free(one.memory[m]);
    tact_scene_free(scene);
}

// Bytes a body of state and work, with room for four pairs each.
static void test_memory(const char *law, double most) {
    enum { BODIES = 1000 };
    tact_scene *scene = open_scene(law, BODIES, false, 4 * BODIES);
    double size = (double)(tact_state_size(&scene->model) + tact_work_size(&scene->model)) / BODIES;
    CHECK(size < most);
    if (!(size < most)) printf("%s: %.0f bytes a body\n", law, size);
    tact_scene_free(scene);
}

int main(void) {
    test_threads("barrier", 4000);
    test_threads("rigid", 4000);
    test_memory("barrier", 20000);
    test_memory("rigid", 31500);
    return test_end("scale");
}
