// SPDX-License-Identifier: MIT
#include "tact/batch.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/kind.h"
#include "tact/keys.h"
#include "tact/memory.h"

static const tact_key record_keys[] = {
    TACT_ROW(BOOL, "final", .fallback = "true", .meaning = "the last state of each environment: q, v"),
    TACT_ROW(OTHER, "every", .form = "integer", .fallback = "0: none",
             .meaning = "states of every so many steps, the initial one included: path_q, path_v"),
    TACT_ROW(BOOL, "forces", .fallback = "false",
             .meaning = "contact forces by pair, along normal, tangent, tangent: lambda, path_lambda"),
    TACT_ROW(BOOL, "derivatives", .fallback = "false", .meaning = "of the last step: A, B, C, D, kink"),
    {0}};

static const tact_key draw_keys[] = {
    TACT_ROW(OTHER, "path", .required = true, .form = "string", .meaning = "of a value of the scene, as in --set: bodies.0.mass"),
    TACT_ROW(OTHER, "uniform", .form = "[low, high]", .meaning = "evenly between"),
    TACT_ROW(OTHER, "normal", .form = "[mean, deviation]", .meaning = "normally distributed"),
    TACT_ROW(OTHER, "log_uniform", .form = "[low, high]", .meaning = "evenly in the logarithm, both above 0"),
    TACT_ROW(OTHER, "choice", .form = "list", .meaning = "one of these, equally likely"),
    {0}};

static const tact_key spec_keys[] = {
    TACT_ROW(OTHER, "tact_batch", .required = true, .form = "1", .meaning = "version of the format"),
    TACT_ROW(OTHER, "scene", .form = "string", .meaning = "file of the scene, from the folder of the spec"),
    TACT_ROW(OTHER, "scenes", .form = "list of strings", .meaning = "several: environment i steps scene i mod their number"),
    TACT_ROW(OTHER, "envs", .form = "integer", .fallback = "1", .meaning = "environments, 1 to 1e12"),
    TACT_ROW(OTHER, "steps", .form = "integer", .fallback = "1", .meaning = "of each, 1 to 1e9"),
    TACT_ROW(OTHER, "seed", .form = "integer", .fallback = "0", .meaning = "of the parameters, to 2^53"),
    TACT_ROW(LIST, "parameters", .keys = draw_keys, .fallback = "none",
             .meaning = "what differs between environments: a path and one distribution"),
    TACT_ROW(OTHER, "command", .form = "object, or string", .fallback = "the scene's",
             .meaning = "as in a scene; or a .npy file, (steps, nu) or (envs, steps, nu)"),
    TACT_ROW(OBJECT, "record", .keys = record_keys, .fallback = "final", .meaning = "what is written"),
    {0}};

// what reading needs at hand
typedef struct {
    tact_batch_spec *spec;
    const tact_json *json;
    const char *path;  // of the spec
    tact_errors *errors;
    tact_arena arena;  // of strings and lists
} spec_reader;

static bool read_count(const tact_json *json, int node, long long low, long long high, long long *value) {
    TACT_ASSERT(low <= high);
    if (node < 0) return true;
    if (!tact_json_expect(json, node, TACT_JSON_NUMBER)) return false;
    // Whole numbers within the range; anything else is refused with the range.
    double x = tact_json_value(json, node);
    if (floor(x) < x || x < (double)low || x > (double)high) {
        tact_json_refuse(json, node, "must be a whole number within [%lld, %lld] (found %s)", low, high,
                         tact_number_print(x).text);
        return false;
    }
    *value = (long long)x;
    return true;
}

// a path of the spec as seen from here: relative ones begin at the spec's folder
static const char *join_path(spec_reader *reader, const char *name) {
    const char *slash = strrchr(reader->path, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - reader->path) + 1, size = strlen(name) + 1;
    char *joined = tact_arena_take(&reader->arena, folder + size, 1);
    if (!joined) return "";
    memcpy(joined, reader->path, folder);
    memcpy(joined + folder, name, size);
    return joined;
}

// Reads the key "scene" or "scenes": file names, as seen from the folder of the spec.
static void read_scenes(spec_reader *reader) {
    const tact_json *json = reader->json;
    tact_batch_spec *spec = reader->spec;
    int one = tact_json_find(json, 0, "scene"), list = tact_json_find(json, 0, "scenes");
    // Exactly one of the two keys.
    if ((one >= 0) == (list >= 0)) {
        tact_json_refuse(json, list >= 0 ? list : 0, "expected one of the keys \"scene\" and \"scenes\"");
        return;
    }
    int count = one >= 0 ? 1 : tact_json_length(json, list);
    if (count == 0 || count > TACT_BATCH_SCENES_MAX)
        tact_json_refuse(json, list, "must have 1 to %d scenes (found %d)", TACT_BATCH_SCENES_MAX, count);
    if (count <= 0 || count > TACT_BATCH_SCENES_MAX) return;
    spec->scene = tact_arena_take(&reader->arena, (size_t)count, sizeof *spec->scene);
    spec->nscene = count;
    int node = one >= 0 ? one : tact_json_first(json, list);
    // Names as seen from the folder of the spec.
    for (int i = 0; i < count; i++, node = tact_json_after(json, node)) {
        const char *name = tact_json_get_string(json, node, 4096);
        const char *joined = name ? join_path(reader, name) : "";
        if (spec->scene) spec->scene[i] = joined;
    }
}

// the bytes of a value of the document
static const char *copy_value(spec_reader *reader, int node) {
    const tact_json *json = reader->json;
    tact_text text = {0};
    const char *name = tact_json_string(json, node);
    // Strings are quoted anew, other values are copied as they stand.
    if (tact_json_type(json, node) == TACT_JSON_STRING) {
        tact_text_add_json(&text, name);
    } else {
        size_t at = json->nodes[node].at;
        tact_text_add_bytes(&text, json->source.bytes + at, tact_json_word(json, at));
    }
    char *copy = tact_arena_take(&reader->arena, text.size + 1, 1);
    if (text.failed)
        tact_file_refuse(reader->path, ENOMEM, reader->errors);
    else if (copy)
        memcpy(copy, text.bytes, text.size + 1);
    tact_text_free(&text);
    return copy;
}

// Reads a list of choices: numbers, or the text of each where one is not a number.
static void read_choice(spec_reader *reader, int node, tact_draw *draw) {
    const tact_json *json = reader->json;
    int count = tact_json_length(json, node), k = 0;
    bool words = false;
    // First pass: kinds of the choices; words as soon as one is not a number.
    if (count == 0) tact_json_refuse(json, node, "must not be empty");
    if (count <= 0) return;
    tact_real *value = tact_arena_take(&reader->arena, (size_t)count, sizeof *value);
    const char **word = tact_arena_take(&reader->arena, (size_t)count, sizeof *word);
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), k++) {
        tact_json_kind kind = tact_json_type(json, i);
        if (kind == TACT_JSON_ARRAY || kind == TACT_JSON_OBJECT || kind == TACT_JSON_NULL)
            tact_json_refuse(json, i, "expected a number, a string, true or false, found %s", tact_json_kind_name(kind));
        else if (!words)
            words = kind != TACT_JSON_NUMBER;
    }
    // Second pass: numbers, or the text of the words.
    k = 0;
    for (int i = tact_json_first(json, node); i >= 0 && reader->errors->errors == 0; i = tact_json_after(json, i), k++) {
        const char *copy = words ? copy_value(reader, i) : NULL;
        tact_real number = (tact_real)k;
        if (!words) tact_json_get_number(json, i, tact_range_any(), &number);
        if (!value || !word) continue;
        value[k] = number;
        word[k] = copy;
    }
    draw->nchoice = count;
    draw->value = value;
    draw->word = words ? word : NULL;
}

// Reads one drawn parameter: its path in the scene, and its distribution.
static void read_draw(spec_reader *reader, int node, tact_draw *draw) {
    static const char *const names[] = {"uniform", "normal", "log_uniform", "choice"};
    const tact_json *json = reader->json;
    int found = 0, at = -1;
    tact_real ends[2] = {0, 1};
    *draw = (tact_draw){.path = ""};
    if (!tact_keys_check(json, node, draw_keys, NULL)) return;
    // Path, then exactly one distribution.
    draw->node = tact_json_need(json, node, "path");
    const char *path = tact_json_get_string(json, draw->node, 4096);
    if (path && path[0]) draw->path = path;
    if (path && !path[0]) tact_json_refuse(json, draw->node, "must not be empty");
    for (int i = 0; i < 4; i++) {
        int value = tact_json_find(json, node, names[i]);
        if (value < 0) continue;
        found++;
        at = value;
        draw->kind = (tact_draw_kind)i;
    }
    if (found != 1) tact_json_refuse(json, node, "expected one of uniform, normal, log_uniform, choice (found %d)", found);
    if (found != 1) return;
    if (draw->kind == TACT_DRAW_CHOICE) {
        read_choice(reader, at, draw);
        return;
    }
    // Both ends, in order and not too far apart.
    tact_range range = draw->kind == TACT_DRAW_LOG_UNIFORM ? tact_range_above(0) : tact_range_any();
    if (!tact_json_get_vector(json, at, 2, range, ends)) return;
    draw->a = ends[0];
    draw->b = ends[1];
    tact_number_text a = tact_key_print(ends[0]), b = tact_key_print(ends[1]);
    if (draw->kind == TACT_DRAW_NORMAL && ends[1] < 0) tact_json_refuse(json, at, "deviation %s: must be >= 0", b.text);
    if (draw->kind != TACT_DRAW_NORMAL && ends[0] > ends[1]) tact_json_refuse(json, at, "low %s > high %s", a.text, b.text);
    if (!(ends[1] - ends[0] <= TACT_MAX)) tact_json_refuse(json, at, "%s to %s is too wide", a.text, b.text);
}

static void read_draws(spec_reader *reader) {
    const tact_json *json = reader->json;
    int node = tact_json_find(json, 0, "parameters"), count = node >= 0 ? tact_json_length(json, node) : 0, k = 0;
    // At most TACT_BATCH_DRAWS_MAX, whose values lie on the stack.
    if (count > TACT_BATCH_DRAWS_MAX)
        tact_json_refuse(json, node, "more than %d parameters (found %d)", TACT_BATCH_DRAWS_MAX, count);
    if (count <= 0 || count > TACT_BATCH_DRAWS_MAX) return;
    tact_draw *draw = tact_arena_take(&reader->arena, (size_t)count, sizeof *draw);
    reader->spec->draw = draw;
    reader->spec->ndraw = count;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), k++) {
        tact_draw one;
        read_draw(reader, i, &one);
        if (draw) draw[k] = one;
    }
}

// Reads the key "command": a scene's command, or the name of a .npy file.
static void read_command(spec_reader *reader) {
    const tact_json *json = reader->json;
    tact_batch_spec *spec = reader->spec;
    int node = tact_json_find(json, 0, "command");
    if (node < 0) return;
    // An object is a scene's command, a string the name of a file.
    tact_json_kind kind = tact_json_type(json, node);
    if (kind == TACT_JSON_STRING) {
        const char *name = tact_json_get_string(json, node, 4096);
        if (name) spec->command_file = join_path(reader, name);
    } else if (kind == TACT_JSON_OBJECT) {
        size_t at = json->nodes[node].at;
        tact_text_clear(&spec->command);
        tact_text_add_bytes(&spec->command, json->source.bytes + at, tact_json_extent(json, at));
    } else {
        tact_json_refuse(json, node, "expected an object or the name of a .npy file, found %s", tact_json_kind_name(kind));
    }
}

// Reads the whole spec: called once to measure the arena, once to fill it.
static void read_all(spec_reader *reader) {
    const tact_json *json = reader->json;
    tact_batch_spec *spec = reader->spec;
    // Unknown keys are refused first.
    if (!tact_keys_check(json, 0, spec_keys, NULL)) return;
    int version = tact_json_need(json, 0, "tact_batch");
    if (version >= 0 && tact_json_expect(json, version, TACT_JSON_NUMBER) && tact_json_value(json, version) != 1)
        tact_json_refuse(json, version, "must be 1 (found %s)", tact_number_print(tact_json_value(json, version)).text);
    read_scenes(reader);
    read_count(json, tact_json_find(json, 0, "envs"), 1, TACT_BATCH_ENVS_MAX, &spec->envs);
    read_count(json, tact_json_find(json, 0, "steps"), 1, TACT_BATCH_STEPS_MAX, &spec->steps);
    read_count(json, tact_json_find(json, 0, "seed"), 0, TACT_BATCH_SEED_MAX, &spec->seed);
    read_draws(reader);
    read_command(reader);
    int node = tact_json_find(json, 0, "record");
    if (node < 0 || !tact_keys_check(json, node, record_keys, NULL)) return;
    tact_json_get_bool(json, tact_json_find(json, node, "final"), &spec->final);
    tact_json_get_bool(json, tact_json_find(json, node, "forces"), &spec->forces);
    tact_json_get_bool(json, tact_json_find(json, node, "derivatives"), &spec->derivatives);
    read_count(json, tact_json_find(json, node, "every"), 0, TACT_BATCH_STEPS_MAX, &spec->every);
}

static bool read_spec(tact_batch_spec *spec, const char *path, tact_errors *errors) {
    // First pass measures the arena, second fills it.
    spec_reader reader = {.spec = spec, .json = &spec->json, .path = path, .errors = errors};
    read_all(&reader);
    if (errors->errors > 0) return false;
    spec->memory = tact_memory_get(reader.arena.used);
    if (!spec->memory) return tact_file_refuse(path, ENOMEM, errors);
    reader.arena = (tact_arena){.memory = spec->memory, .size = reader.arena.used};
    read_all(&reader);
    if (spec->command.failed) tact_file_refuse(path, ENOMEM, errors);
    return errors->errors == 0;
}

// Makes the spec of a batch of one scene, where the text is a scene.
static bool take_scene(tact_batch_spec *spec, const char *path, tact_errors *errors) {
    TACT_ASSERT(path);
    size_t size = strlen(path) + 1;
    char *memory = tact_memory_get(sizeof(char *) + size);
    spec->memory = memory;
    if (!memory) return tact_file_refuse(path, ENOMEM, errors);
    memcpy(memory + sizeof(char *), path, size);
    spec->scene = spec->memory;
    spec->scene[0] = memory + sizeof(char *);
    spec->nscene = 1;
    return true;
}

bool tact_batch_spec_read(tact_batch_spec *spec, const char *path, tact_errors *errors) {
    TACT_ASSERT(spec);
    *spec = (tact_batch_spec){.envs = 1, .steps = 1, .final = true};
    // A batch that is interrupted goes on later from its file.
    if (strcmp(path, "-") == 0) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = "<stdin>"},
                        "a batch is read from a file, so that a later call can continue it");
        return false;
    }
    if (!tact_text_read(&spec->text, path, TACT_TEXT_LIMIT, errors)) return false;
    tact_source source = tact_text_source(&spec->text, path);
    tact_file_kind kind = tact_kind_of(source.bytes, source.size);
    if (kind != TACT_KIND_BATCH && tact_kind_refuse(source, "a batch or a scene", errors)) return false;
    spec->parsed = tact_json_read(&spec->json, source, errors);
    if (!spec->parsed) return false;
    bool scene = tact_json_type(&spec->json, 0) == TACT_JSON_OBJECT && tact_json_find(&spec->json, 0, "tact_batch") < 0 &&
                 tact_json_find(&spec->json, 0, "tact") >= 0;
    return scene ? take_scene(spec, path, errors) : read_spec(spec, path, errors);
}

void tact_batch_spec_report(const tact_batch_spec *spec, int draw, tact_error_kind kind, tact_errors *errors, const char *format,
                            ...) {
    TACT_ASSERT(spec);
    tact_json json = spec->json;
    int node = spec->draw[draw].node;
    va_list arguments;
    json.errors = errors;
    va_start(arguments, format);
    tact_json_report_list(&json, node, json.nodes[node].at, kind, format, arguments);
    va_end(arguments);
}

void tact_batch_spec_place(const tact_batch_spec *spec, int scene, tact_errors *errors) {
    TACT_ASSERT(spec);
    tact_json json = spec->json;
    json.errors = errors;
    int node = tact_json_find(&json, 0, scene == TACT_BATCH_COMMAND ? "command" : "scene");
    if (node < 0) {
        node = tact_json_first(&json, tact_json_find(&json, 0, "scenes"));
        for (int i = 0; i < scene && node >= 0; i++) node = tact_json_after(&json, node);
    }
    // names are from the folder of the spec, wherever the command was started
    const char *path = scene == TACT_BATCH_COMMAND ? spec->command_file : spec->scene[scene],
               *name = node < 0 ? "" : tact_json_string(&json, node);
    const size_t folder = strlen(path) > strlen(name) ? strlen(path) - strlen(name) : 0;
    char hint[400] = "";
    if (name[0] != '/' && !tact_file_same(path, path))
        snprintf(hint, sizeof hint, ": looked for from the folder of the spec, %s%.300s", folder > 0 ? "in " : "",
                 folder > 0 ? tact_quote_bytes(path, folder).text : "where the command was started");
    tact_json_place_unreadable(&json, node, hint);
}

void tact_batch_spec_free(tact_batch_spec *spec) {
    TACT_ASSERT(spec);
    if (spec->parsed) tact_json_free(&spec->json);
    tact_text_free(&spec->text);
    tact_text_free(&spec->command);
    tact_memory_release(spec->memory);
    *spec = (tact_batch_spec){0};
}

void tact_batch_spec_help(tact_text *out) {
    tact_text_add(out, "spec:\n");
    tact_keys_describe(spec_keys, NULL, out);
    tact_text_add(out, "\nparameters:\n");
    tact_keys_describe(draw_keys, NULL, out);
    tact_text_add(out, "\nrecord:\n");
    tact_keys_describe(record_keys, NULL, out);
}
