// SPDX-License-Identifier: MIT
#include "app/optimise_start.h"

typedef struct {
    const tact_scene *scene;
    tact_real *u;  // (steps, nu)
    int steps, room;
} start_commands;

// Room for one more row; false without memory.
static bool grow(start_commands *start) {
    size_t nu = (size_t)start->scene->model.nu;
    if (start->steps < start->room) return true;
    int room = start->room > 0 ? 2 * start->room : 256;
    tact_real *u = tact_memory_get((size_t)room * nu * sizeof *u);
    if (!u) return false;
    for (size_t i = 0; i < (size_t)start->steps * nu; i++) u[i] = start->u[i];
    tact_memory_release(start->u);
    start->u = u;
    start->room = room;
    return true;
}

// A line of a trace or of commands. The first line of a trace holds no command, and that of step 0 is in force before it begins.
static void read_line(start_commands *start, const tact_json *json) {
    const tact_scene *scene = start->scene;
    int nu = scene->model.nu, node = 0, step = 1;
    tact_real dt = scene->options.dt;
    if (tact_json_type(json, 0) == TACT_JSON_OBJECT) {
        int header = tact_json_find(json, 0, "tact_trace"), time = tact_json_find(json, 0, "dt");
        tact_json_get_number(json, header >= 0 ? time : -1, tact_range_above(0), &dt);
        if (dt != scene->options.dt)
            tact_json_refuse(json, time, "another time step than the scene's %s s: --set options.dt=%s",
                             tact_key_print(scene->options.dt).text, tact_key_print(dt).text);
        if (header >= 0) return;
        tact_json_get_integer(json, tact_json_find(json, 0, "step"), 0, 1000000000, &step);
        node = tact_json_need(json, 0, "u");
    }
    if (step == 0 || node < 0) return;
    if (!grow(start)) {
        tact_errors_add(json->errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = json->source.name}, "out of memory");
    } else if (tact_json_get_vector(json, node, nu, tact_range_any(), start->u + (size_t)start->steps * (size_t)nu)) {
        // more than the plan has steps is not needed
        start->steps += start->steps <= scene->goal.horizon;
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
    if (code == TACT_EXIT_DONE) tact_planner_take(&plan->planner, start.u, start.steps);
    tact_memory_release(start.u);
    return code;
}
