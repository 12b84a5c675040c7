// SPDX-License-Identifier: MIT
#include "app/view.h"

#include <stdio.h>
#include <string.h>

#include "app/recording.h"

// of the lines of a trace: what a page is given unasked, and at most
enum { PATH = 4096, TRACE_FAIR = 32 << 20, TRACE_MOST = 128 << 20 };

// Adds JSON, with each < (which only strings have) escaped for HTML.
static void add_escaped(tact_text *out, const tact_text *plain) {
    if (plain->failed) out->failed = true;
    const char *at = plain->bytes;
    while (at && *at) {
        size_t size = strcspn(at, "<");
        tact_text_add_bytes(out, at, size);
        at += size;
        if (*at == '<') tact_text_add(out, "\\u003c");
        at += *at == '<';
    }
}

void tact_view_add_safe(tact_text *out, const char *string) {
    tact_text plain = {0};
    tact_text_add_json(&plain, string);
    add_escaped(out, &plain);
    tact_text_free(&plain);
}

// The arrays of a document's grids, likewise. folder: of the document, "" or ended by /
static bool add_grids(tact_text *out, const char *folder, const tact_json *json, tact_errors *errors) {
    char place[PATH];
    bool good = true;
    int shapes = tact_json_find(json, 0, "shapes");
    for (int i = tact_json_first(json, shapes); good && i >= 0; i = tact_json_after(json, i)) {
        int node = tact_json_type(json, i) == TACT_JSON_OBJECT ? tact_json_find(json, i, "file") : -1;
        const char *file = node >= 0 ? tact_json_get_string(json, node, PATH / 2) : NULL;
        tact_text array = {0};
        tact_base64 base64 = {.out = out};
        if (!file) continue;
        // relative to the document
        snprintf(place, sizeof place, "%s%s", file[0] == '/' ? "" : folder, file);
        good = tact_text_read(&array, place, TACT_GRID_FILE_LIMIT, errors);
        if (good) {
            tact_text_add(out, ",");
            tact_view_add_safe(out, place);
            tact_text_add(out, ":{\"base64\":\"");
            for (size_t k = 0; k < array.size; k++) tact_base64_put(&base64, (unsigned char)array.bytes[k]);
            tact_base64_end(&base64);
            tact_text_add(out, "\"}");
        }
        tact_text_free(&array);
    }
    return good;
}

// Adds the grids of a robot file that is in the page.
static bool add_robot_grids(tact_text *out, const char *path, const tact_text *robot, tact_errors *errors) {
    tact_json json;
    char folder[PATH];
    const char *slash = strrchr(path, '/');
    if (!tact_json_read(&json, tact_text_source(robot, path), errors)) return false;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 0, path);
    bool good = add_grids(out, folder, &json, errors);
    tact_json_free(&json);
    return good;
}

// The files that the scene names under robots, each once by the name it has there: the page finds them by it. law: of its run,
// NULL: its own.
static bool add_robots(tact_text *out, const char *path, const tact_text *scene, const char *law, tact_errors *errors) {
    tact_json json;
    char place[PATH];
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash + 1 - path) : 0;
    if (!tact_json_read(&json, tact_text_source(scene, path), errors)) return false;
    char own[PATH];
    snprintf(own, sizeof own, "%.*s", folder, path);
    bool good = add_grids(out, own, &json, errors);
    int robots = tact_json_find(&json, 0, "robots"), said = tact_json_find(&json, 0, "law");
    const char *of_scene = said >= 0 ? tact_json_get_string(&json, said, PATH) : "barrier";
    if (law && of_scene && strcmp(law, of_scene) != 0)
        tact_say("view: the page goes on under the law of the trace, %s, not that of the scene, %s", law, of_scene);
    for (int i = tact_json_first(&json, robots); good && i >= 0; i = tact_json_after(&json, i)) {
        const char *file = tact_json_get_string(&json, tact_json_find(&json, i, "file"), PATH / 2);
        tact_text text = {0};
        if (!file) continue;
        snprintf(place, sizeof place, "%.*s%s", file[0] == '/' ? 0 : folder, path, file);
        // URDF and MJCF are read here: the page has no reader of XML
        good = tact_scene_read_robot(place, &json, i, &text, errors);
        if (good) {
            // path of the robot's file, then its text
            tact_text_add(out, ",");
            tact_view_add_safe(out, place);
            tact_text_add(out, ":");
            tact_view_add_safe(out, text.bytes ? text.bytes : "");
        }
        good = good && add_robot_grids(out, place, &text, errors);
        tact_text_free(&text);
    }
    tact_json_free(&json);
    return good;
}

// The members of the document that hold a scene; it is read first, so that it is known to be right. header: of its trace, or
// NULL.
static int add_scene(const tact_call *call, const char *path, const tact_trace_header *header, tact_text *out) {
    tact_errors errors = {0};
    tact_text text = {0};
    tact_world world;
    // without --law a trace goes on as it was made
    const char *own = tact_call_value(call, "--law"), *law = header && !own ? header->law : own;
    int code = own == law ? tact_stage_open(call, path, &world) : tact_stage_open_as(call, path, law, NULL, 0, &world);
    if (code != TACT_EXIT_DONE) return code;
    const char *difference = header ? tact_recording_difference(world.scene, header) : NULL;
    tact_stage_close(&world);
    if (difference && strcmp(difference, "time step") != 0)
        tact_say("view: warning: --scene: the trace is not of this scene (other %s): the page cannot go on from it", difference);
    bool good = tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors);
    if (good) {
        tact_text_add(out, "\"scene\":");
        tact_view_add_safe(out, path);
        tact_text_add(out, ",\"files\":{");
        tact_view_add_safe(out, path);
        tact_text_add(out, ":");
        tact_view_add_safe(out, text.bytes ? text.bytes : "");
        good = add_robots(out, path, &text, own ? NULL : law, &errors);
        tact_text_add(out, "}");
        // What --law and --set say.
        int at = 0, count = 0;
        tact_text_add(out, ",\"law\":");
        tact_view_add_safe(out, law ? law : "");
        tact_text_add(out, ",\"settings\":[");
        for (const char *set = tact_call_next(call, "--set", &at); set; set = tact_call_next(call, "--set", &at)) {
            if (count++ > 0) tact_text_add(out, ",");
            tact_view_add_safe(out, set);
        }
        tact_text_add(out, "],\"meshes\":");
        tact_text meshes = {0};
        tact_mesh_notes notes = {""};
        good = good && tact_view_meshes(&meshes, &notes, path, tact_call_value(call, "--packages"), &errors);
        if (notes.text[0]) tact_say("view: warning: %s", notes.text);
        add_escaped(out, &meshes);
        tact_text_free(&meshes);
    }
    tact_text_free(&text);
    return good ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

int tact_view_add_scene(const tact_call *call, const char *path, tact_text *out) {
    tact_text_add(out, "{");
    int code = add_scene(call, path, NULL, out);
    tact_text_add(out, "}");
    return code;
}

// Reads the whole trace, so that it is known to be right; *size: of its lines, *steps: how many.
static int check_trace(const tact_call *call, const char *path, long long *size, long long *steps) {
    tact_recording recording;
    tact_errors errors = {0};
    tact_lines lines;
    tact_source line;
    int code = tact_recording_open(&recording, call, path, 0);
    if (code != TACT_EXIT_DONE) return code;
    while (tact_recording_next(&recording, &code)) ++*steps;
    tact_recording_close(&recording);
    if (code != TACT_EXIT_DONE) return code;
    if (!tact_lines_open(&lines, path, &errors)) return tact_say_errors(&errors);
    while (tact_lines_next(&lines, &line, &errors) == TACT_LINES_LINE) *size += (long long)line.size + 1;
    tact_lines_close(&lines);
    return tact_say_errors(&errors);
}

// Adds the first line, then every Kth step and the last one.
static int add_lines(const char *path, long long steps, long long every, tact_text *out) {
    tact_errors errors = {0};
    tact_lines lines;
    tact_source line;
    if (!tact_lines_open(&lines, path, &errors)) return tact_say_errors(&errors);
    for (long long k = -1; k < steps && tact_lines_next(&lines, &line, &errors) == TACT_LINES_LINE; k++) {
        if (k >= 0 && k % every != 0 && k != steps - 1) continue;
        tact_text_add_bytes(out, line.bytes, line.size);
        tact_text_add(out, "\n");
    }
    tact_lines_close(&lines);
    return tact_say_errors(&errors);
}

int tact_view_add_trace(const tact_call *call, const char *path, tact_text *out) {
    const char *scene = tact_call_value(call, "--scene");
    long long size = 0, steps = 0, every = 1;
    tact_text text = {0};
    if (!tact_call_integer(call, "--every", 1, 1000000, 0, &every)) return TACT_EXIT_USAGE;
    int code = check_trace(call, path, &size, &steps);
    // large traces are thinned, and that is reported
    if (code == TACT_EXIT_DONE && every == 0) {
        every = size / TRACE_FAIR + 1;
        if (every > 1)
            tact_say("view: %lld bytes: the page holds 1 of %lld of the %lld steps (--every K for others; a page that is open "
                     "reads the whole file when it is dropped on it)",
                     size, every, steps);
    }
    if (code == TACT_EXIT_DONE) code = add_lines(path, steps, every, &text);
    if (code == TACT_EXIT_DONE && text.size > (size_t)TRACE_MOST) {
        tact_say("view: error: %zu bytes of steps are too many for a page (allowed %d): give a larger --every", text.size,
                 TRACE_MOST);
        code = TACT_EXIT_REFUSED;
    }
    tact_text_add(out, "{\"trace\":");
    if (code == TACT_EXIT_DONE) tact_view_add_safe(out, text.bytes ? text.bytes : "");
    out->failed = out->failed || text.failed;
    tact_text_free(&text);
    tact_text_add(out, scene ? "," : "");
    if (code == TACT_EXIT_DONE && scene) {
        // of which it must be a trace
        tact_errors errors = {0};
        tact_trace_reader *reader = tact_trace_reader_open(path, &errors);
        code = reader ? add_scene(call, scene, &reader->header, out) : tact_say_errors(&errors);
        tact_trace_close(reader);
    }
    tact_text_add(out, "}");
    return code;
}
