// SPDX-License-Identifier: MIT
// --set path=value, worked into the text of a scene before it is checked: a value that is there is replaced, a key that is
// not is added with the objects around it. Items of lists are found by number or by name. Nothing that is put in has a line
// break, so that lines keep their numbers.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

#define STEP_SIZE 256

// one argument, and where reading its path has come to
typedef struct {
    const char *argument, *at, *end;  // the path's rest, its end
    const char *option;               // by which it was given
    char separator;
    tact_errors *errors;
    const tact_json *origin;  // as in tact_scene_settings
    int node;
} setting;

static bool refuse(const setting *s, const char *format, ...) TACT_PRINTF(2, 3);

static bool refuse(const setting *s, const char *format, ...) {
    char name[400];
    va_list arguments;
    va_start(arguments, format);
    if (s->origin) {
        tact_json origin = *s->origin;
        origin.errors = s->errors;
        tact_json_report_list(&origin, s->node, origin.nodes[s->node].at, TACT_ERROR_REFUSED, format, arguments);
    } else {
        snprintf(name, sizeof name, "%.40s %.300s", s->option, s->argument);
        tact_errors_add_list(s->errors, TACT_ERROR_REFUSED, (tact_place){.file = name}, format, arguments);
    }
    va_end(arguments);
    return false;
}

// the next step of the path with ~1 and ~0 of JSON Pointers resolved; false at its end
static bool next_step(setting *s, char step[STEP_SIZE]) {
    size_t size = 0;
    if (s->at >= s->end) return false;
    while (s->at < s->end && *s->at != s->separator) {
        char c = *s->at++;
        if (c == '~' && s->separator == '/' && s->at < s->end && (*s->at == '0' || *s->at == '1'))
            c = *s->at++ == '0' ? '~' : '/';
        if (size < STEP_SIZE - 1) step[size++] = c;
    }
    step[size] = '\0';
    s->at++;
    return true;
}

static int find_index(const tact_json *json, int array, const char *step) {
    int index = 0, i = tact_json_first(json, array);
    for (const char *c = step; *c; c++) {
        if (*c < '0' || *c > '9' || index > 100000000) return -1;
        index = 10 * index + (*c - '0');
    }
    for (; i >= 0 && index > 0; index--) i = tact_json_after(json, i);
    return step[0] ? i : -1;
}

#define SEVERAL (-2)  // items that a step may mean

// The string of an object's key; NULL: none.
static const char *find_word(const tact_json *json, int item, const char *key) {
    int node = tact_json_type(json, item) == TACT_JSON_OBJECT ? tact_json_find(json, item, key) : -1;
    return node >= 0 && tact_json_type(json, node) == TACT_JSON_STRING ? tact_json_string(json, node) : NULL;
}

// What an item of a list is called: its name, the joint of a drive, the body of a force, the prefix of a robot, both shapes of
// a pair, "a,b" or turned "b,a", which are put into room. NULL: nothing.
static const char *item_name(const tact_json *json, int item, bool turned, char room[2 * STEP_SIZE]) {
    static const char *const keys[] = {"name", "joint", "body", "prefix"};
    const char *a = find_word(json, item, "a"), *b = find_word(json, item, "b");
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
        const char *text = find_word(json, item, keys[k]);
        // a prefix that looks like a number is none here: robots are told apart by theirs when scenes are written
        if (text) return strcmp(keys[k], "prefix") == 0 && text[0] >= '0' && text[0] <= '9' ? NULL : text;
    }
    if (!a || !b) return NULL;
    snprintf(room, 2 * STEP_SIZE, "%s,%s", turned ? b : a, turned ? a : b);
    return room;
}

static bool is_called(const tact_json *json, int item, const char *step) {
    char room[2 * STEP_SIZE];
    const char *name = item_name(json, item, false, room);
    if (name != room) return name && strcmp(name, step) == 0;
    return strcmp(name, step) == 0 || strcmp(item_name(json, item, true, room), step) == 0;
}

// The item of a list with a number or a name; -1: none.
static int find_item(const tact_json *json, int array, const char *step) {
    int found = find_index(json, array, step);
    for (int i = tact_json_first(json, array); i >= 0; i = tact_json_after(json, i)) {
        if (i == found || !is_called(json, i, step)) continue;
        if (found >= 0) return SEVERAL;
        found = i;
    }
    return found;
}

// What a value is not, though it may have been meant: a number with its unit, a list, or a word of Python.
static const char *find_slip(const char *text) {
    const char *inner = text + (text[0] == '(' || text[0] == '{');
    size_t digits = inner[0] && strchr("-0123456789", inner[0]) ? strspn(inner, "+-.0123456789eE") : 0;
    const char *rest = inner + digits + strspn(inner + digits, " ");
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0 || strcmp(text, "None") == 0)
        return "JSON writes true, false, null in small letters";
    if (digits == 0) return NULL;
    if (rest[0] == ',') return "a list has brackets around it: [0, 0, -9.81], and the decimal sign is a point: 0.5";
    // letters alone behind a number: others are names, as 2f85.urdf
    size_t letters = strspn(rest, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bool unit = letters > 0 && !rest[letters];
    return unit ? "a number has no unit behind it: all are in SI units and radians" : NULL;
}

// the value after "=": JSON as it stands, anything else as a string
static bool take_value(const setting *s, tact_text *value) {
    char name[400];
    const char *text = s->end + 1;
    tact_json json;
    tact_errors own = {0};
    snprintf(name, sizeof name, "%.40s %.300s", s->option, s->argument);
    tact_source source = {.name = name, .bytes = text, .size = strlen(text), .line = 1};
    const char *slip = find_slip(text);
    if (slip) return refuse(s, "%s (found %s)", slip, tact_quote(text).text);
    bool plain = !text[0] || !strchr("{[\"-0123456789", text[0]);
    bool read = tact_json_read(&json, source, plain ? &own : s->errors);
    if (read) tact_json_free(&json);
    if (own.kind == TACT_ERROR_NO_MEMORY) return tact_file_refuse("--set", ENOMEM, s->errors);
    if (!read && !plain) return false;
    if (!read) tact_text_add_json(value, text);
    for (size_t i = 0; read && text[i]; i++) tact_text_add_bytes(value, strchr("\r\n\t", text[i]) ? " " : &text[i], 1);
    return true;
}

// Where the path leads: to the value at node; or out of the object at node, by a key that is not there.
typedef struct {
    int node;
    const tact_key *keys;     // that may stand at the node, NULL: any
    const tact_key *key;      // row of the missing key, NULL: any
    char missing[STEP_SIZE];  // "": none
} set_target;

// Of a name at the top: the list whose item it is, or the option that is near to it.
static const char *find_owner(const tact_json *json, const char *step, tact_nearest *near, char of[2 * STEP_SIZE]) {
    for (int i = tact_json_first(json, 0); i >= 0; i = tact_json_after(json, i))
        if (tact_json_type(json, i) == TACT_JSON_ARRAY && find_item(json, i, step) >= 0 && (step[0] < '0' || step[0] > '9'))
            return near->best = step, tact_json_key(json, i);
    // a member of such an item: the first that has it
    for (int i = tact_json_first(json, 0); i >= 0; i = tact_json_after(json, i)) {
        int item = tact_json_type(json, i) == TACT_JSON_ARRAY ? tact_json_first(json, i) : -1;
        while (item >= 0 && (tact_json_type(json, item) != TACT_JSON_OBJECT || tact_json_find(json, item, step) < 0))
            item = tact_json_after(json, item);
        char room[2 * STEP_SIZE];
        const char *name = item >= 0 ? item_name(json, item, false, room) : NULL;
        if (!name || name == room) continue;
        snprintf(of, 2 * STEP_SIZE, "%s.%s", tact_json_key(json, i), name);
        return near->best = step, of;
    }
    if (near->best) return NULL;
    for (const tact_key *key = tact_scene_option_keys; key->name; key++) tact_nearest_try(near, key->name);
    return near->best ? "options" : NULL;
}

static bool refuse_unknown(const setting *s, const tact_json *json, const char *path, const tact_key *keys, const char *step) {
    const char *names[TACT_KEYS_MAX + 1] = {NULL};
    int count = 0;
    for (const tact_key *key = keys; key && key->name && count < TACT_KEYS_MAX; key++) names[count++] = key->name;
    // at the top of the scene: a key of one of its objects, then an item's name without its list, then the nearest key
    const tact_key *within = keys == tact_scene_keys ? tact_key_find_within(keys, step) : NULL;
    if (within)
        return refuse(s, "there is no %s in %s (did you mean \"%s.%s\"?)", tact_quote(step).text, path, within->name, step);
    if (strcmp(path, "/pairs") == 0)
        return refuse(s, "there is no %s in /pairs, which is no list: \"shapes.A.mu\" is the friction of shape A",
                      tact_quote(step).text);
    if (strchr(step, '['))
        return refuse(s, "there is no %s in %s: items go by name or number, as bodies.0.mass", tact_quote(step).text, path);
    tact_nearest near = {.word = step};
    tact_nearest_try_all(&near, names);
    char of[2 * STEP_SIZE];
    const char *owner = keys == tact_scene_keys ? find_owner(json, step, &near, of) : NULL;
    if (owner) return refuse(s, "there is no %s in %s (did you mean \"%s.%s\"?)", tact_quote(step).text, path, owner, near.best);
    return refuse(s, "there is no %s in %s%s", tact_quote(step).text, path, count > 0 ? tact_nearest_key(step, names).text : "");
}

// of a list: by its number or a name; keys: of its items
static bool refuse_item(const setting *s, const tact_json *json, int array, const char *step, bool several,
                        const tact_key *keys) {
    char path[300], room[2 * STEP_SIZE], best[2 * STEP_SIZE], after[STEP_SIZE];
    tact_nearest nearest = {.word = step};
    tact_json_path(json, array, path, sizeof path);
    if (several) return refuse(s, "%s in %s may be several items: give a number, counted from 0", tact_quote(step).text, path);
    bool named = false;
    // a pair is listed and looked for with that shape first whose name begins as the step
    for (int i = tact_json_first(json, array); i >= 0; i = tact_json_after(json, i)) {
        const char *b = find_word(json, i, "b"), *name = item_name(json, i, b && b[0] == step[0] && b[1] == step[1], room);
        named = named || name;
        if (name) tact_nearest_try(&nearest, name);
        // the room is for the next one
        if (nearest.best == room) nearest.best = memcpy(best, room, sizeof best);
    }
    // what comes next is no key of an item: the name may go on there
    setting rest = *s;
    const bool cut = s->separator == '.' && keys && next_step(&rest, after) && !tact_key_find(keys, after);
    return refuse(s, "there is no %s in %s, a list of %d, counted from 0%s%s%s", tact_quote(step).text, path,
                  tact_json_length(json, array), named ? "" : ", whose items go by number", tact_nearest_hint(&nearest).text,
                  cut && !nearest.best ? "; a name that has a dot needs slashes: /LIST/NAME/KEY" : "");
}

// one step further; false after refusing it
static bool walk(const setting *s, const tact_json *json, set_target *target, const char *step) {
    char path[300];
    int node = target->node, next = -1;
    const tact_key *key = NULL;
    tact_json_kind kind = tact_json_type(json, node);
    bool object = kind == TACT_JSON_OBJECT, known = object;
    if (object && target->keys) {
        key = tact_key_find(target->keys, step);
        known = key != NULL;
    } else if (kind == TACT_JSON_ARRAY) {
        next = find_item(json, node, step);
        if (next < 0) return refuse_item(s, json, node, step, next == SEVERAL, target->keys);
        known = true;
    }
    if (!known) {
        tact_json_path(json, node, path, sizeof path);
        return refuse_unknown(s, json, path, object ? target->keys : NULL, step);
    }
    if (object) next = tact_json_find(json, node, step);
    if (next < 0) {
        snprintf(target->missing, sizeof target->missing, "%s", step);
        target->key = key;
        return true;
    }
    target->node = next;
    // a list's table is that of its items
    if (object) target->keys = key ? key->keys : NULL;
    return true;
}

// An item of a list that the scene does not have; what robots bring is found under them.
static bool refuse_absent(const setting *s, const tact_json *json, const char *list, const char *step) {
    bool robots = tact_json_find(json, 0, "robots") >= 0 && (strcmp(list, "bodies") == 0 || strcmp(list, "drives") == 0);
    char hint[2 * STEP_SIZE + 60] = "";
    if (robots) snprintf(hint, sizeof hint, " (of a robot: robots.0.%s.%s)", list, step);
    return refuse(s, "the scene has no \"%s\" in which %s could be%s", list, tact_quote(step).text, hint);
}

// "key": {"next": {"last": value}} for the steps from the missing one on
static bool add_members(setting *s, const tact_json *json, const set_target *target, const tact_text *value, tact_text *out) {
    char step[STEP_SIZE];
    const tact_key *key = target->key;
    int depth = 0;
    tact_text_add_json(out, target->missing);
    for (; next_step(s, step); depth++) {
        // where the tables know no more keys, any path may be added
        bool open = !key || (key->kind == TACT_KEY_OTHER && !key->keys);
        bool list = key && key->kind == TACT_KEY_LIST, leaf = key && !open && !key->keys;
        const tact_key *keys = key ? key->keys : NULL;
        key = keys ? tact_key_find(keys, step) : NULL;
        if (list && target->node == 0) return refuse_absent(s, json, target->missing, step);
        if (list || leaf || (!open && !key))
            return refuse_unknown(s, json, "what is to be added", list || leaf ? NULL : keys, step);
        tact_text_print(out, ": {%s", step);
    }
    tact_text_add(out, ": ");
    tact_text_add_bytes(out, value->bytes, value->size);
    while (depth-- > 0) tact_text_add(out, "}");
    return true;
}

// Copies the scene's text to out with the value put in at the setting's path.
static bool splice(setting *s, const tact_json *json, const tact_text *value, tact_text *out) {
    char step[STEP_SIZE];
    set_target target = {.node = 0, .keys = tact_scene_keys};
    // walk down as far as the text has the path
    while (!target.missing[0] && next_step(s, step))
        if (!walk(s, json, &target, step)) return false;
    const char *bytes = json->source.bytes;
    size_t at = json->nodes[target.node].at, rest = at + tact_json_extent(json, at);
    // a missing member comes first in its object; a value that is there is replaced
    if (target.missing[0]) {
        rest = at + 1;
        tact_text_add_bytes(out, bytes, rest);
        if (!add_members(s, json, &target, value, out)) return false;
        if (tact_json_first(json, target.node) >= 0) tact_text_add(out, ", ");
    } else {
        tact_text_add_bytes(out, bytes, at);
        tact_text_add_bytes(out, value->bytes, value->size);
    }
    tact_text_add_bytes(out, bytes + rest, json->source.size - rest);
    return !out->failed || tact_file_refuse("--set", ENOMEM, s->errors);
}

static bool apply(const char *option, const char *argument, const tact_scene_settings *settings, tact_source source,
                  tact_text *out, tact_errors *errors) {
    setting s = {.argument = argument,
                 .at = argument,
                 .end = strchr(argument, '='),
                 .option = option,
                 .errors = errors,
                 .origin = settings->origin,
                 .node = settings->node};
    tact_text value = {0};
    tact_json json;
    // paths are written with dots or, as JSON pointers are, with slashes
    if (s.end) s.separator = memchr(argument, '/', (size_t)(s.end - argument)) ? '/' : '.';
    if (s.end && s.at[0] == s.separator) s.at++;
    if (!s.end || s.at == s.end) return refuse(&s, "expected path=value, as in options.kappa=1e4");
    bool good = take_value(&s, &value);
    if (good && value.failed) good = tact_file_refuse("--set", ENOMEM, s.errors);
    if (good && tact_json_read(&json, source, errors)) {
        good = splice(&s, &json, &value, out);
        tact_json_free(&json);
    } else {
        good = false;
    }
    tact_text_free(&value);
    return good;
}

const char *tact_scene_set_option(const tact_scene_settings *settings, int i) {
    return settings->option && i >= settings->first ? settings->option : "--set";
}

// Where the settings have come to stand in the text.
bool tact_scene_place_settings(tact_draft *draft, const tact_scene_settings *settings, tact_json *json) {
    size_t count = (size_t)settings->nset;
    tact_json_insert *insert = tact_draft_take(draft, count * sizeof insert[0]);
    if (!insert) return false;
    for (int i = 0; i < settings->nset; i++) {
        char text[STEP_SIZE + 400];
        const char *set = settings->set[i];
        int size = (int)strcspn(set, "=");
        snprintf(text, sizeof text, "%.*s", size < 300 ? size : 300, set);
        int node = tact_scene_find(json, text);
        if (node < 0) continue;
        size_t at = json->nodes[node].at;
        size = snprintf(text, sizeof text, "%.40s %.300s", tact_scene_set_option(settings, i), set);
        const char *name = tact_draft_string(draft, text, (size_t)size);
        if (!name) return false;
        insert[json->ninsert++] = (tact_json_insert){at, at + tact_json_extent(json, at), name};
    }
    json->insert = insert;
    return true;
}

bool tact_scene_apply(tact_source source, const tact_scene_settings *settings, tact_text *result, tact_errors *errors) {
    TACT_ASSERT(settings && result && errors);
    for (int i = 0; i < settings->nset; i++) {
        tact_text next = {0};
        if (!apply(tact_scene_set_option(settings, i), settings->set[i], settings, source, &next, errors)) {
            tact_text_free(&next);
            return false;
        }
        tact_text_free(result);
        *result = next;
        source.bytes = next.bytes;
        source.size = next.size;
    }
    return true;
}

int tact_scene_find(const tact_json *json, const char *path) {
    TACT_ASSERT(json && path);
    char step[STEP_SIZE];
    setting s = {.argument = path, .at = path, .end = path + strlen(path), .separator = strchr(path, '/') ? '/' : '.'};
    int node = 0;
    if (s.at[0] == s.separator) s.at++;
    while (node >= 0 && next_step(&s, step)) {
        tact_json_kind kind = tact_json_type(json, node);
        node = kind == TACT_JSON_OBJECT  ? tact_json_find(json, node, step)
               : kind == TACT_JSON_ARRAY ? find_item(json, node, step)
                                         : -1;
    }
    return node;
}
