// SPDX-License-Identifier: MIT
// Steps per second of many scenes side by side, by the width of the lanes, beside one scene after the other.
#include "app/bench_parts.h"

enum { SCENES = 1024 };

typedef struct {
    tact_world *world;
    const tact_state *from;  // (nfrom) where the scenes begin, in turn
    int nfrom;
    double *sample;  // (samples)
    int samples;
    bool json;
    tact_lanes lanes;
    const tact_model *model[SCENES];
    tact_options options[SCENES];
    tact_input input[SCENES];
    tact_state state[SCENES];
    tact_status status[SCENES];
    tact_real *u;         // (SCENES, nu)
    tact_wrench *wrench;  // (SCENES, nbody)
} lanes_job;

// Memory for states, commands and forces of all scenes; an arena without memory measures.
static void lanes_job_place(void *context, tact_arena *arena) {
    lanes_job *job = context;
    const tact_model *model = &job->world->scene->model;
    size_t size = tact_state_size(model);
    job->u = tact_arena_take(arena, (size_t)SCENES * (size_t)model->nu, sizeof(tact_real));
    job->wrench = tact_arena_take(arena, (size_t)SCENES * (size_t)model->nbody, sizeof(tact_wrench));
    for (int i = 0; i < SCENES; i++) {
        void *memory = tact_arena_take(arena, size, 1);
        if (memory) tact_state_init(&job->state[i], model, memory, size);
    }
}

// Median time of a step [s]; width 0: one scene after the other by tact_step.
static double lanes_job_measure(lanes_job *job, int width, bool warm) {
    for (int i = -2; i < job->samples; i++) {
        // Puts all scenes where they begin.
        const tact_scene *scene = job->world->scene;
        for (int j = 0; j < SCENES; j++) {
            tact_wrench *wrench = job->wrench + (size_t)j * (size_t)scene->model.nbody;
            tact_real *u = job->u + (size_t)j * (size_t)scene->model.nu;
            job->model[j] = &scene->model;
            job->options[j] = scene->options;
            job->options[j].warm_start = warm;
            tact_state_copy(&job->state[j], &job->from[j % job->nfrom], &scene->model);
            tact_scene_command(scene, &job->state[j], u);
            job->input[j] = (tact_input){.u = u};
            if (tact_scene_wrench(scene, &job->state[j], wrench)) job->input[j].wrench = wrench;
        }
        double begin = tact_clock();
        for (int s = 0; s < SCENES && width == 0; s++)
            job->status[s] = tact_step(job->model[s], &job->options[s], &job->input[s], &job->state[s], &job->world->work);
        if (width > 0) tact_lanes_step(&job->lanes, SCENES, job->model, job->options, job->input, job->state, job->status, NULL);
        // the first two warm the caches
        if (i >= 0) job->sample[i] = (tact_clock() - begin) / SCENES;
    }
    return tact_bench_median(job->sample, job->samples);
}

static void add_rate(tact_table *table, double time, double single) {
    tact_table_add(table, tact_number_print((double)(long long)(1e9 * time + 0.5) / 1e3).text);
    tact_table_add_integer(table, (long long)(1 / time + 0.5));
    tact_table_add(table, tact_number_print((double)(long long)(100 * single / time + 0.5) / 100).text);
    tact_table_end_row(table);
}

// Prints the time of a step alone and in lanes of each width. False without memory.
static bool lanes_job_print(lanes_job *job, bool warm, tact_text *out) {
    static const char *const head[] = {"lanes", "step [us]", "steps/s", "ratio", NULL};
    const tact_model *model = &job->world->scene->model;
    tact_table table = tact_table_begin(0, head);
    int width[5], count = tact_lanes_widths(width);
    // the scalar step, to which all widths are compared
    double single = lanes_job_measure(job, 0, warm);
    tact_table_add(&table, "tact_step");
    add_rate(&table, single, single);
    bool enough = true;
    for (int i = 0; i < count && enough; i++) {
        size_t size = tact_lanes_size(model, width[i]);
        void *memory = tact_memory_get(size);
        enough = memory && tact_lanes_init(&job->lanes, model, width[i], memory, size) == TACT_CONVERGED;
        if (enough) {
            tact_table_add_integer(&table, width[i]);
            add_rate(&table, lanes_job_measure(job, width[i], warm), single);
        }
        tact_memory_release(memory);
    }
    if (job->json) {
        tact_table_print_json(&table, warm ? "lanes, warm" : "lanes, cold", out);
        return enough;
    }
    tact_text_print(out, "%-s%d scenes, one core\n", warm ? "warm steps, " : "cold steps, ", SCENES);
    tact_table_print(&table, out);
    return enough;
}

bool tact_bench_lanes(tact_world *world, tact_bench_states states, bool warm, tact_text *out) {
    lanes_job *job = tact_memory_get(sizeof *job);
    if (!job) return false;
    *job = (lanes_job){.world = world,
                       .from = states.from,
                       .nfrom = states.count,
                       .sample = states.sample,
                       .samples = states.samples,
                       .json = states.json};
    void *memory = tact_memory_place(lanes_job_place, job);
    bool enough = memory && lanes_job_print(job, warm, out);
    tact_memory_release(memory);
    tact_memory_release(job);
    return enough;
}
