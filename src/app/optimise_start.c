// SPDX-License-Identifier: MIT
#include "app/optimise_start.h"

#include <math.h>

typedef struct {
    const tact_scene *scene;
    tact_real *u;  // (steps, nu)
    int steps, room, lines;
    bool timed;       // lines of a trace, with times
    tact_real begin;  // time of its step 0
    tact_real end;    // of its last line, from there
} start_commands;

// A line of a trace or of commands. The first line of a trace holds no command, and that of step 0 is in force before it begins.
// A line of a trace is in force from the time of the line before to its own: step k of the plan takes the one that is at
// (k - 1/2) dt, whatever the time step of the trace.
static void read_line(start_commands *start, const tact_json *json) {
    const tact_scene *scene = start->scene;
    int node = 0, step = 1;
    tact_real time = 0, dt = scene->options.dt;
    if (tact_json_type(json, 0) == TACT_JSON_OBJECT) {
        start->timed = start->timed || tact_json_find(json, 0, "tact_trace") >= 0;
        if (tact_json_find(json, 0, "tact_trace") >= 0) return;
        tact_json_get_integer(json, tact_json_find(json, 0, "step"), 0, 1000000000, &step);
        if (start->timed) tact_json_get_number(json, tact_json_find(json, 0, "t"), tact_range_any(), &time);
        node = tact_json_need(json, 0, "u");
    }
    // goals that follow each other in a trace each begin with a step 0
    if (step == 0) start->begin = time - start->end;
    if (step == 0 || node < 0) return;
    start->lines++;
    start->end = start->timed ? time - start->begin : (tact_real)start->lines * dt;
    // more than the plan has steps is not needed
    while (start->steps <= scene->goal.horizon && start->end > ((tact_real)start->steps + TACT_REAL(0.5)) * dt) {
        // The command of a line for the next step of the plan
        size_t nu = (size_t)start->scene->model.nu;
        tact_real *u = tact_memory_grow(start->u, start->steps, &start->room, 256, nu * sizeof *u);
        if (!u) {
            tact_errors_add(json->errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = json->source.name}, "out of memory");
            return;
        }
        start->u = u;
        if (!tact_json_get_vector(json, node, (int)nu, tact_range_any(), start->u + (size_t)start->steps * nu)) return;
        start->steps++;
    }
}

int tact_optimise_read_start(tact_scene_plan *plan, const char *path) {
    start_commands start = {.scene = plan->scene};
    tact_errors errors = {0};
    tact_lines lines;
    bool open = tact_lines_open(&lines, path, &errors);
    if (open) tact_lines_expect(&lines, "lines of commands, nor a recorded run,", "\"tact_trace\"", &errors);
    while (open && errors.errors == 0) {
        tact_source line;
        tact_json json;
        // a line a step; traces have a first line of another kind, which read_line passes over
        if (tact_lines_next(&lines, &line, &errors) != TACT_LINES_LINE || !tact_json_read(&json, line, &errors)) break;
        read_line(&start, &json);
        tact_json_free(&json);
    }
    if (open) tact_lines_close(&lines);
    int code = errors.errors > 0 ? tact_say_errors(&errors) : TACT_EXIT_DONE;
    if (code == TACT_EXIT_DONE && start.steps == 0) {
        tact_say("optimise: error: no commands in %s: a line for each step is needed, [..] or {\"u\": [..]}, or a trace", path);
        code = TACT_EXIT_REFUSED;
    }
    tact_real plan_end = (tact_real)start.scene->goal.horizon * start.scene->options.dt;
    if (code == TACT_EXIT_DONE && start.end > plan_end + start.scene->options.dt / 2)
        tact_say("optimise: warning: %s has commands for %s s, of which the plan takes its first %s s: --set goal.horizon=%d",
                 path, tact_rounded((double)start.end, 6).text, tact_rounded((double)plan_end, 6).text,
                 (int)fmin((double)(start.end / start.scene->options.dt) + 0.5, 1e6));
    if (code == TACT_EXIT_DONE) tact_planner_take(&plan->planner, start.u, start.steps);
    tact_memory_release(start.u);
    return code;
}
