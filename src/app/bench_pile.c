// SPDX-License-Identifier: MIT
// How the time of a step and its memory grow: spheres of 2 cm on free joints in a box of five planes, dropped as a loose lattice,
// and heaps of ten on a floor, far from each other, under the barrier and the rigid law. Pairs are found in each step. Times are
// the processor's. Every step is made twice from the same state, cold and warm; the pile goes on from the warm one.
#include "app/bench_parts.h"

#include <stdio.h>
#include <time.h>

#include "app/stage.h"

// Steps of a window, those that fall first; and the windows that are shown: falling, piled up, and at rest.
enum { PILE_WINDOW = 20, PILE_SPACING = 4600, PILE_JITTER = 200, PILE_WINDOWS = 21, PILE_SHOWN = 3 };
static const int pile_shown[PILE_SHOWN] = {0, 2, PILE_WINDOWS - 1};
static const char *const pile_name[PILE_SHOWN] = {", falling", ", piled up", ", at rest"};
// From this many bodies on a pile takes seconds: only under the barrier law, and with whole windows.
enum { PILE_HUGE = 1000 };
// Heaps of nine side by side and one on top, and how far they are apart; steps that are made of them. More take seconds.
enum { HEAP = 10, HEAP_SPACING = 50000, HEAP_STEPS = 3, HEAP_HUGE = 3000 };

static void add_with(tact_text *out, const char *before, long long number, const char *after) {
    tact_text_add(out, before);
    tact_text_add_integer(out, number);
    tact_text_add(out, after);
}

// number * 1e-5, so that no locale matters
static void add_hundredth(tact_text *out, long long number, const char *after) {
    add_with(out, "", number, "e-5");
    tact_text_add(out, after);
}

// between -PILE_JITTER and PILE_JITTER, by a linear congruence
static int pile_jitter(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)(*state >> 33) % (2 * PILE_JITTER + 1) - PILE_JITTER;
}

void tact_bench_pile_scene(int bodies, bool rigid, bool spread, tact_text *out) {
    // a loose lattice over the box; lengths in units of 1e-5 m, so that the text is exact
    // Side of the cube lattice that holds all bodies
    int side = 1;
    while (side * side * side < bodies) side++;
    int middle = (side - 1) * PILE_SPACING / 2;

    uint64_t state = 1;
    tact_text_add(out, rigid ? "{\"tact\":1,\"name\":\"pile\",\"law\":\"rigid\",\"options\":{\"dt\":0.005},\n"
                             : "{\"tact\":1,\"name\":\"pile\",\"law\":\"barrier\",\"options\":{\"dt\":0.005,\"kappa\":10000,"
                               "\"margin\":0.01},\n");
    add_with(out, "\"pairs\":\"auto\",\"max_contacts\":", (spread ? 4 : 10) * bodies + 40, ",\"mu\":0.5,\"bodies\":[\n");
    for (int i = 0; i < bodies; i++) {
        add_with(out, i > 0 ? ",\n{\"name\":\"b" : "{\"name\":\"b", i, "\",\"parent\":\"world\",\"mass\":0.0335,");
        add_with(out, "\"inertia\":[5.4e-6,5.4e-6,5.4e-6,0,0,0],\"joint\":{\"name\":\"b", i, "\",\"type\":\"free\"}}");
    }
    tact_text_add(out, "],\n\"shapes\":[\n");
    // The floor, and four walls around
    int walls = spread ? 0 : 4;
    static const char *const normal[] = {"1,0", "-1,0", "0,1", "0,-1"};
    tact_text_add(out, "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0}");
    for (int wall = 0; wall < walls; wall++) {
        add_with(out, ",\n{\"name\":\"wall", wall, "\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[");
        tact_text_print(out, "%-s,0],\"offset\":", normal[wall]);
        add_hundredth(out, -(side * PILE_SPACING / 2 + 400), "}");
    }
    for (int i = 0; i < bodies; i++) {
        add_with(out, ",\n{\"name\":\"b", i, "\",\"type\":\"sphere\",\"radius\":0.02,\"body\":\"b");
        add_with(out, "", i, "\"}");
    }
    tact_text_add(out, "],\n\"state\":{\"q\":{");
    for (int i = 0; i < bodies; i++) {
        add_with(out, i > 0 ? ",\n\"b" : "\n\"b", i, "\":[");
        if (spread) {
            // The place of a sphere of the heaps.
            int across = 1, heap = i / HEAP, k = i % HEAP;
            while (across * across * HEAP < bodies) across++;
            bool top = k == HEAP - 1;
            add_hundredth(out, heap % across * HEAP_SPACING + (top ? 2025 : k % 3 * 4050) + pile_jitter(&state) / 8, ",");
            add_hundredth(out, heap / across * HEAP_SPACING + (top ? 2025 : k / 3 * 4050) + pile_jitter(&state) / 8, ",");
            add_hundredth(out, top ? 4920 : 2020, ",1,0,0,0]");
            continue;
        }
        add_hundredth(out, i % side * PILE_SPACING - middle + pile_jitter(&state), ",");
        add_hundredth(out, i / side % side * PILE_SPACING - middle + pile_jitter(&state), ",");
        add_hundredth(out, i / (side * side) * PILE_SPACING + 2500, ",1,0,0,0]");
    }
    tact_text_add(out, "}}}\n");
}

// sums over a window; of cold steps, then of warm ones
typedef struct {
    double time[2];
    long long iterations[2], contacts;
    int unfinished;
} pile_window;

// One step cold, if asked for, then warm; the state becomes that of the warm one. False when the warm step has no answer.
static bool pile_step(tact_world *world, tact_state *state, bool cold, pile_window *window) {
    for (int warm = !cold; warm < 2; warm++) {
        clock_t begin = clock();
        tact_bench_step(world, state, warm);
        window->time[warm] += (double)(clock() - begin) / CLOCKS_PER_SEC;
        window->iterations[warm] += world->work.iterations;
        window->unfinished += world->work.status != TACT_CONVERGED;
    }
    window->contacts += world->work.contacts.count;
    if (world->work.status < 0) return false;
    tact_state_copy(state, &world->state, &world->scene->model);
    return true;
}

// Of a rollout of a world: how far the bodies go along x in all.
// NOLINTNEXTLINE(readability-non-const-parameter): the type of a loss
static tact_real pile_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {  // NOLINT(readability-non-const-parameter): likewise
    const tact_world *world = context;
    const tact_model *model = &world->scene->model;
    tact_real sum = 0;
    (void)k, (void)contacts, (void)lambda_bar;
    for (int b = 0; b < model->nbody; b++) {
        sum += state->q[model->body[b].q];
        if (q_bar) q_bar[model->body[b].v + 3] += 1;
    }
    return sum;
}

// Seconds a step of a rollout's gradient from the state, the steps themselves included; negative: there is none.
static double pile_gradient(tact_world *world, const tact_state *state, int steps) {
    const tact_model *model = &world->scene->model;
    const tact_rollout rollout = {.steps = steps, .u = world->u, .context = world, .loss = pile_loss};
    size_t nv = (size_t)model->nv, size = tact_rollout_size(model, steps, steps);
    void *memory = tact_memory_get(size);
    tact_real *q = tact_memory_get(nv * sizeof *q);
    double time = -1;
    tact_rollout_work work;
    if (memory && q && tact_rollout_init(&work, model, steps, memory, size) >= 0) {
        const tact_rollout_slope slope = {.q = q};
        clock_t begin = clock();
        tact_rollout_result result = tact_rollout_gradient(model, &world->scene->options, &rollout, state, &work, &slope);
        if (result.status >= 0) time = (double)(clock() - begin) / CLOCKS_PER_SEC / steps;
    }
    tact_memory_release(q);
    tact_memory_release(memory);
    return time;
}

static void pile_row(tact_table *table, int bodies, const char *how, size_t memory, int steps, const pile_window *window,
                     double gradient) {
    tact_table_add_integer(table, bodies);
    tact_table_add(table, how);
    tact_table_add_integer(table, window->contacts / steps);
    for (int warm = 0; warm < 2; warm++) {
        double mean = 1e3 * window->time[warm] / steps, count = (double)window->iterations[warm] / steps;
        tact_table_add(table, tact_number_print((double)(long long)(100 * mean + 0.5) / 100).text);
        tact_table_add(table, tact_number_print((double)(long long)(10 * count + 0.5) / 10).text);
    }
    tact_table_add_integer(table, window->unfinished);
    tact_table_add(table, tact_rounded((double)memory / 1000 / bodies, 3).text);
    tact_table_add(table, gradient < 0 ? "" : tact_rounded(1e3 * gradient, 3).text);
    tact_table_end_row(table);
}

// A row for each window that is shown, and its warm times to the fits. The exit code.
static int pile_point(const tact_call *call, int bodies, bool rigid, bool spread, int steps, tact_scaling_fit fit[PILE_SHOWN],
                      tact_table *table) {
    tact_text text = {0};
    tact_world world;
    tact_bench_pile_scene(bodies, rigid, spread, &text);
    if (text.failed) return tact_say_no_memory("");
    int code = tact_stage_parse(call, tact_text_source(&text, "(own scene)"), &world);
    tact_text_free(&text);
    if (code != TACT_EXIT_DONE) return code;
    const tact_model *model = &world.scene->model;
    size_t size = tact_state_size(model);
    void *memory = tact_memory_get(size);
    tact_state state;
    bool going = memory && tact_state_init(&state, model, memory, size) >= 0;
    if (going) tact_state_copy(&state, &world.state, model);
    pile_window window[PILE_WINDOWS] = {{.unfinished = 0}};
    // heaps are shown as they fall; to let huge piles and those of the rigid law come to rest takes minutes
    int shown = spread ? 1 : rigid || bodies >= PILE_HUGE ? 2 : PILE_SHOWN, most = (pile_shown[shown - 1] + 1) * steps;
    for (int i = 0; i < most && going; i++) {
        const bool cold = i / steps == 0 || i / steps == 2 || i / steps == PILE_WINDOWS - 1;
        going = pile_step(&world, &state, cold, &window[i / steps]);
    }
    for (int k = 0; k < shown && going; k++) {
        const pile_window *of = &window[pile_shown[k]];
        // its matrices are dense
        double gradient = k == 1 && shown == PILE_SHOWN ? pile_gradient(&world, &state, steps) : -1;
        pile_row(table, bodies, spread ? "heaps" : pile_name[k] + 2, size + tact_work_size(model), steps, of, gradient);
        if (bodies > 8) tact_scaling_add(&fit[k], bodies, of->time[1] / steps);
    }
    if (!memory) tact_say("error: out of memory");
    tact_memory_release(memory);
    tact_stage_close(&world);
    return memory ? TACT_EXIT_DONE : TACT_EXIT_NO_MEMORY;
}

int tact_bench_pile(const tact_call *call, bool rigid, bool spread, int samples, tact_text *out) {
    static const char *const head[] = {"bodies",    "pile",       "contacts",   "cold [ms]",          "iterations",
                                       "warm [ms]", "iterations", "unfinished", "memory [kB a body]", "gradient [ms]",
                                       NULL};
    static const int size[][6] = {{8, 27, 64, 125, 250, PILE_HUGE}, {100, 300, 1000, HEAP_HUGE, 10000, 0}};
    const char *law = rigid ? "rigid law" : "barrier law", *what = spread ? "spheres in heaps" : "spheres in a box";
    char name[80], line[120];
    snprintf(name, sizeof name, "%s, %s", law, what);
    tact_table table = tact_table_begin(0, head);
    tact_scaling_fit fit[PILE_SHOWN] = {{0}};
    int code = TACT_EXIT_DONE, most = spread ? HEAP_STEPS : PILE_WINDOW;
    for (int i = 0; i < 6 && size[spread][i] > 0 && code == TACT_EXIT_DONE; i++) {
        int bodies = size[spread][i];
        bool huge = spread ? bodies >= HEAP_HUGE : bodies >= PILE_HUGE;
        // the largest take minutes: only when all samples are asked for
        if (huge && ((rigid && !spread) || samples < PILE_WINDOW)) continue;
        code = pile_point(call, bodies, rigid, spread, samples < most ? samples : most, fit, &table);
    }
    if (tact_call_value(call, "--json"))
        tact_table_print_json(&table, name, out);
    else
        tact_table_print(&table, out);
    for (int k = 0; k < (spread ? 1 : rigid ? 2 : PILE_SHOWN) && code == TACT_EXIT_DONE; k++) {
        snprintf(line, sizeof line, "%s%s", name, spread ? "" : pile_name[k]);
        tact_scaling_print(call, &fit[k], line, "time of a warm step ~ size^", out);
    }
    return code;
}
