// SPDX-License-Identifier: MIT
// tact bench --mpc: tasks of model predictive control with random goals, in a table beside what is published.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/batch_run.h"
#include "app/bench_parts.h"
#include "app/mpc_loop.h"
#include "app/shipped.h"

enum { GOALS = 100, GOALS_MAX = 100000, TRIALS = 7, CELL = 64 };

// A task: a scene, goals drawn about it, and which published figures stand beside it.
typedef struct {
    const char *name, *scene;
    int within;    // largest turn [degrees]; 0: quarter turns about axes of the body
    bool any;      // about any axis
    bool endless;  // goals follow each other until one is not reached
    int time;      // most for a goal [s]
    const char *published;
} mpc_task;

static const mpc_task tasks[] = {
    {"cube-yaw-90", "allegro_cube", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"cube-yaw-180", "allegro_cube", 180, false, false, 30, ""},
    {"cube-any-90", "allegro_cube", 90, true, false, 60, ""},
    {"cube-any-180", "allegro_cube", 180, true, false, 60, "11.5 deg [2]"},
    {"cube-endless", "allegro_cube", 0, true, true, 60, "tens in a row [3]"},
    {"ball-yaw-90", "allegro_ball", 90, false, false, 30, ""},
    {"ball-any-180", "allegro_ball", 180, true, false, 60, ""},
    {"capsule-yaw-90", "allegro_capsule", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"hull-yaw-90", "allegro_hull", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"hull-any-90", "allegro_hull", 90, true, false, 60, ""},
    {"mug-yaw-90", "allegro_mug_turn", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"hand-ball-90", "hand_ball", 90, false, false, 30, ""},
    {"hand-lift-45", "hand_lift_turn", 45, false, false, 30, ""},
    {"hand-cube-90", "hand_cube", 90, false, false, 30, ""},
    {"trifinger-yaw-90", "trifinger_cube", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"trifinger-yaw-180", "trifinger_cube", 180, false, false, 30, ""},
    {"fingertips-yaw-90", "fingertips_cube", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
    {"fingertips-yaw-180", "fingertips_cube", 180, false, false, 30, ""},
    {"lid-180", "allegro_lid", 180, false, false, 30, ""},
    {"push-t-180", "push_t", 180, false, false, 60, ""},
    {"bucket-180", "bucket", 180, false, false, 60, ""},
    {"fingertips-air-90", "fingertips_lift", 90, false, false, 30, "96.5 %, 11 deg, 7.8 mm [1]"},
};

enum { TASKS = sizeof tasks / sizeof tasks[0] };

static const char sources[] = "strict: within 14 degrees and 20 mm for 2 s; Jin: 1 - (q.q*)^2 < 0.04, about 23 degrees, and 20 "
                              "mm for 2 s; failed: a step of the\n"
                              "plant had no answer; stalls: neither reached, dropped nor failed; inside: goals that began within "
                              "the strict tolerances. Degrees and mm are medians of "
                              "the errors at the end, ms are of\n"
                              "processor time in a solve. In a row: median over trials of the goals reached before one was not.\n"
                              "[1] Jin 2024, arXiv 2408.07855: in MuJoCo, mean over 17 objects, by Jin's rule\n"
                              "[2] Suh, Pang et al. 2025, arXiv 2505.02291: hardware, median over 52 segments of a plan\n"
                              "[3] policies by reinforcement learning (DeXtreme, Isaac Gym, MuJoCo Playground)\n";

// What came of a task.
typedef struct {
    int goals, strict, jin, drops, failed, inside, trials;
    double *angle, *position;  // (goals) at the end [degrees], [mm]
    double *row;               // (trials) goals reached before one was not
    double *spent;             // (solves) [ms]
    long long solves, room;
    void *memory;
} mpc_score;

typedef struct {
    const tact_call *call;
    tact_mpc_loop_settings settings;
    int goals, done;
    bool chosen[TASKS];
    tact_progress progress;
    tact_table table;
} mpc_bench;

static bool go_on(void) {
    return tact_batch_job_signal() == 0;
}

// Of numbers that it sorts; of an even count the lower one of two.
static double quantile(double *x, long long count, double part) {
    if (count == 0) return 0;
    qsort(x, (size_t)count, sizeof *x, tact_compare_numbers);
    return x[(long long)(part * (double)(count - 1))];
}

static void place_score(void *context, tact_arena *arena) {
    mpc_score *score = context;
    score->angle = tact_arena_take(arena, (size_t)score->goals, sizeof(double));
    score->position = tact_arena_take(arena, (size_t)score->goals, sizeof(double));
    score->row = tact_arena_take(arena, (size_t)score->trials, sizeof(double));
}

// Keeps the times of a goal's solves, in memory that doubles.
static bool keep_times(mpc_score *score, const double *spent, long long count) {
    if (score->solves + count > score->room) {
        long long room = 2 * (score->solves + count);
        double *more = tact_memory_get((size_t)room * sizeof *more);
        if (!more) return false;
        if (score->solves > 0) memcpy(more, score->spent, (size_t)score->solves * sizeof *more);
        tact_memory_release(score->spent);
        score->spent = more;
        score->room = room;
    }
    memcpy(score->spent + score->solves, spent, (size_t)count * sizeof *spent);
    score->solves += count;
    return true;
}

static bool add_outcome(mpc_score *score, const tact_mpc_loop *loop, const tact_mpc_loop_outcome *outcome) {
    score->angle[score->goals] = (double)outcome->angle * 180 / 3.14159265358979;
    score->position[score->goals] = 1e3 * (double)outcome->position;
    score->goals++;
    score->strict += outcome->success;
    score->jin += outcome->jin;
    score->drops += outcome->dropped;
    score->failed += outcome->failed;
    score->inside += outcome->inside;
    return keep_times(score, loop->spent, outcome->solves < loop->room ? outcome->solves : loop->room);
}

// Goals from one start of the loop, or from a start each. The exit code.
static int run_trial(mpc_bench *bench, const mpc_task *task, int trial, mpc_score *score) {
    tact_mpc_loop loop = {0};
    tact_mpc_loop_settings settings = bench->settings;
    tact_mpc_loop_draw how = {.within = (tact_real)task->within * TACT_REAL(3.14159265358979323846) / 180,
                              .any = task->any,
                              .quarter = task->within == 0};
    char path[TACT_SHIPPED_PATH];
    settings.time = (tact_real)task->time;
    settings.endless = task->endless;
    settings.seed += trial;
    bool shipped = tact_shipped_scene(task->scene, path);
    if (!shipped)
        tact_say("bench: --mpc %s: the scene %s, which comes along, is not beside this command", task->name, task->scene);
    int code = tact_mpc_loop_open(&loop, bench->call, shipped ? path : task->scene, &settings), row = 0;
    loop.clock = tact_clock_processor;
    loop.go_on = go_on;
    for (int i = 0; code == TACT_EXIT_DONE && i < bench->goals; i++) {
        tact_goal goal;
        tact_mpc_loop_draw_goal(&loop, &how, i, &goal);
        tact_mpc_loop_outcome outcome = tact_mpc_loop_run(&loop, &goal);
        // what was interrupted does not count, nor what MuJoCo, which the same signal may end, did not answer
        if (outcome.stopped || !go_on()) break;
        if (!add_outcome(score, &loop, &outcome)) code = TACT_EXIT_NO_MEMORY;
        tact_progress_show(&bench->progress, ++bench->done);
        row += outcome.success;
        if (task->endless && !outcome.success) break;
    }
    if (go_on()) score->row[score->trials++] = row;
    // goals that were left out in an endless trial
    bench->done = (bench->done + bench->goals - 1) / bench->goals * bench->goals;
    tact_mpc_loop_close(&loop);
    return code;
}

static void add_decimals(tact_table *table, double value, int decimals) {
    char cell[CELL];
    snprintf(cell, sizeof cell, "%.*f", decimals, value);
    tact_table_add(table, cell);
}

static int run_task(mpc_bench *bench, const mpc_task *task) {
    // an endless task needs several trials for a median
    int trials = task->endless ? TRIALS : 1, code = TACT_EXIT_DONE;
    mpc_score score = {.goals = trials * bench->goals, .trials = trials};
    score.memory = tact_memory_place(place_score, &score);
    score.goals = score.trials = 0;
    if (!score.memory) code = TACT_EXIT_NO_MEMORY;
    for (int i = 0; code == TACT_EXIT_DONE && i < trials && go_on(); i++) code = run_trial(bench, task, i, &score);
    // The task's row: counts of goals, medians of the errors, quantiles of the solves' times.
    if (code == TACT_EXIT_DONE && score.goals > 0) {
        tact_table *table = &bench->table;
        tact_table_add(table, task->name);
        tact_table_add(table, bench->settings.plant ? bench->settings.plant : "rigid");
        // goals that were neither reached nor dropped
        const int stalls = score.goals - score.strict - score.drops - score.failed;
        const int counts[] = {score.goals, score.inside, score.strict, score.jin, score.drops, score.failed, stalls};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) tact_table_add_integer(table, counts[i]);
        if (task->endless)
            add_decimals(table, quantile(score.row, score.trials, 0.5), 0);
        else
            tact_table_add(table, "");
        add_decimals(table, quantile(score.angle, score.goals, 0.5), 1);
        add_decimals(table, quantile(score.position, score.goals, 0.5), 1);
        add_decimals(table, quantile(score.spent, score.solves, 0.5), 2);
        add_decimals(table, quantile(score.spent, score.solves, 0.99), 2);
        add_decimals(table, quantile(score.spent, score.solves, 1), 2);
        tact_table_add(table, task->published);
        tact_table_end_row(table);
    }
    tact_memory_release(score.spent);
    tact_memory_release(score.memory);
    if (code == TACT_EXIT_NO_MEMORY) tact_say("error: out of memory");
    return code;
}

// --tasks: words that names of tasks begin with. False after saying what is wrong.
static bool choose_tasks(mpc_bench *bench) {
    const char *word = tact_call_value(bench->call, "--tasks");
    for (int i = 0; i < TASKS; i++) bench->chosen[i] = !word;
    for (; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        size_t size = strcspn(word, ",");
        bool found = false;
        for (int i = 0; i < TASKS; i++) {
            // a word stands for all tasks that begin with it
            if (size == 0 || strncmp(tasks[i].name, word, size) != 0) continue;
            bench->chosen[i] = found = true;
        }
        if (found) continue;
        char text[64], names[600] = "";
        snprintf(text, sizeof text, "%.*s", (int)(size < 60 ? size : 60), word);
        for (int i = 0; i < TASKS; i++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "", tasks[i].name);
        tact_say_usage(bench->call->command, "--tasks: no task begins with %s (there are %s)", tact_quote(text).text, names);
        return false;
    }
    return true;
}

int tact_bench_mpc(const tact_call *call) {
    mpc_bench bench = {.call = call};
    long long goals = 0;
    if (!tact_mpc_loop_read(call, &bench.settings) || !tact_call_integer(call, "--goals", 1, GOALS_MAX, GOALS, &goals) ||
        !choose_tasks(&bench))
        return TACT_EXIT_USAGE;
    bench.goals = (int)goals;
    static const char *const head[] = {"task",      "plant",  "goals",  "inside",    "strict",  "Jin",
                                       "drops",     "failed", "stalls", "in a row",  "degrees", "mm",
                                       "ms median", "p99",    "worst",  "published", NULL};
    tact_table_add_all(&bench.table, head);
    tact_table_end_row(&bench.table);
    int total = 0, code = TACT_EXIT_DONE;
    // goals of all tasks, for the progress
    for (int i = 0; i < TASKS; i++) total += bench.chosen[i] ? bench.goals * (tasks[i].endless ? TRIALS : 1) : 0;
    tact_batch_job_catch_signals();
    tact_progress_begin(&bench.progress, total, true);
    for (int i = 0; code == TACT_EXIT_DONE && i < TASKS && go_on(); i++)
        if (bench.chosen[i]) code = run_task(&bench, &tasks[i]);
    tact_progress_end(&bench.progress);
    tact_text text = {0};
    if (tact_call_value(call, "--json")) {
        tact_table_print_json(&bench.table, "mpc", &text);
    } else {
        tact_table_print(&bench.table, &text);
        tact_text_add(&text, sources);
    }
    // a table without rows says nothing beside the error
    if (code != TACT_EXIT_DONE && bench.done == 0) tact_text_clear(&text);
    // what was done is printed, too
    if (!go_on()) {
        tact_say("bench: interrupted: the table has what was done");
        code = 128 + tact_batch_job_signal();
    }
    return tact_print_text(&text, code);
}
