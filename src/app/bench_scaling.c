// SPDX-License-Identifier: MIT
// How the time of a cold step grows: with the fingers about one ball, and with balls on a table; of a step of piles, see
// bench_pile.c. The exponent is the slope of a line through log time over log size, by least squares.
#include <math.h>
#include <string.h>

#include "app/bench_parts.h"
#include "app/stage.h"

enum { SAMPLES_MOST = 200 };

void tact_scaling_add(tact_scaling_fit *fit, double size, double time) {
    double x = log(size), y = log(1e6 * time);
    fit->n += 1;
    fit->x += x;
    fit->y += y;
    fit->xx += x * x;
    fit->xy += x * y;
}

void tact_scaling_print(const tact_call *call, const tact_scaling_fit *fit, const char *name, const char *of, tact_text *out) {
    double slope = (fit->n * fit->xy - fit->x * fit->y) / (fit->n * fit->xx - fit->x * fit->x);
    if (tact_call_value(call, "--json")) {
        tact_text_print(out, "{\"table\":\"%-s\",\"exponent\":%g}\n", name, slope);
        return;
    }
    tact_text_print(out, "%-s: %-s%-s above 8\n", name, of, tact_number_print((double)(long long)(100 * slope + 0.5) / 100).text);
}

// Adds a row, and the point to the fit where it is large enough for the fixed cost not to count. The exit code.
static int scaling_point(const tact_call *call, int fingers, int balls, int samples, tact_scaling_fit *fit, tact_table *table) {
    tact_text text = {0};
    tact_world world;
    tact_bench_scene(fingers, balls, &text);
    if (text.failed) return tact_say_no_memory("");
    int code = tact_stage_parse(call, tact_text_source(&text, "(own scene)"), &world);
    tact_text_free(&text);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &world.scene->model;
    void *memory = tact_memory_get(tact_state_size(model));
    tact_state state;
    if (memory && tact_state_init(&state, model, memory, tact_state_size(model)) >= 0) {
        double sample[SAMPLES_MOST];
        // the first one fills the caches
        for (int i = -1; i < samples; i++) {
            double begin = tact_clock();
            tact_bench_step(&world, &state, false);
            if (i >= 0) sample[i] = tact_clock() - begin;
        }
        double median = tact_bench_median(sample, samples);
        // time of an iteration
        if (fingers + balls > 8) tact_scaling_add(fit, fingers + balls, median / world.work.iterations);
        tact_table_add_integer(table, fingers);
        tact_table_add_integer(table, model->npair);
        tact_table_add_integer(table, model->nv);
        tact_table_add_integer(table, world.work.iterations);
        tact_table_add(table, tact_number_print((double)(long long)(1e7 * median + 0.5) / 10).text);
        tact_table_end_row(table);
    }
    tact_memory_release(memory);
    tact_stage_close(&world);
    return memory ? TACT_EXIT_DONE : tact_say_no_memory("");
}

// Times steps of sizes 1, 2, 4 ... up to most, fingers about one ball or balls on a table, and prints a table with the fitted
// exponent.
static int scaling_series(const tact_call *call, bool fingers, int most, int samples, tact_text *out) {
    static const char *const head[] = {"fingers", "contacts", "dofs", "iterations", "step [us]", NULL};
    tact_table table = tact_table_begin(0, head);
    tact_scaling_fit fit = {0};
    int code = TACT_EXIT_DONE;
    for (int size = 1; size <= most && code == TACT_EXIT_DONE; size *= 2)
        code = scaling_point(call, fingers ? size : 0, fingers ? 1 : size, samples, &fit, &table);
    const char *name = fingers ? "fingers about one ball" : "balls on a table";
    if (tact_call_value(call, "--json"))
        tact_table_print_json(&table, name, out);
    else
        tact_table_print(&table, out);
    tact_scaling_print(call, &fit, name, "time of an iteration ~ size^", out);
    return code;
}

int tact_bench_scaling(const tact_call *call, int samples) {
    tact_text out = {0};
    if (samples > SAMPLES_MOST) samples = SAMPLES_MOST;
    // piles of one law where it is asked for; fingers and balls are scenes of the barrier law
    const char *law = tact_call_value(call, "--law");
    bool barrier = !law || strcmp(law, "barrier") == 0;
    int code = barrier ? scaling_series(call, true, 64, samples, &out) : TACT_EXIT_DONE;
    if (barrier && code == TACT_EXIT_DONE) code = scaling_series(call, false, 512, samples, &out);
    for (int i = 0; i < 4 && code == TACT_EXIT_DONE; i++)
        if (!law || strcmp(law, i % 2 ? "rigid" : "barrier") == 0)
            code = tact_bench_pile(call, i % 2 == 1, i >= 2, samples, &out);
    return tact_print_text(&out, code);
}
