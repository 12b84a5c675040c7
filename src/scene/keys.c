// SPDX-License-Identifier: MIT
#include "tact/keys.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/utf8.h"

#define DIRECTION_LEAST 1e-150
#define DIRECTION_SLACK (8 * (double)TACT_EPS)

static int add_names(const char **names, int count, const tact_key *keys) {
    for (; keys && keys->name; keys++) {
        assert(count < TACT_KEYS_MAX);
        names[count++] = keys->name;
    }
    return count;
}

bool tact_keys_check(const tact_json *json, int node, const tact_key *keys, const tact_key *more) {
    TACT_ASSERT(json && keys);
    const char *names[TACT_KEYS_MAX + 1];
    int count = add_names(names, 0, keys);
    count = add_names(names, count, more);
    // a key of an object that stands here, as dt of the options: told with the place where it belongs
    bool object = node >= 0 && tact_json_type(json, node) == TACT_JSON_OBJECT;
    for (int i = object ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i)) {
        const char *word = tact_json_key(json, i);
        const tact_key *within =
            tact_key_find(keys, word) || (more && tact_key_find(more, word)) ? NULL : tact_key_find_within(keys, word);
        // the word of the options is a choice of one law: at the top it is meant as a number
        if (!within || count == TACT_KEYS_MAX || strcmp(word, "friction") == 0) continue;
        tact_json_refuse(json, i, "unknown key %s (it belongs into \"%s\")", tact_quote(word).text, within->name);
        names[count++] = word;
    }
    names[count] = NULL;
    return tact_json_check_object(json, node, names);
}

double tact_key_round(double x, int digits) {
    // written and read in the same locale
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return strtod(text, NULL);
}

tact_number_text tact_key_print(tact_real x) {
    for (int digits = 6; digits <= 9; digits++) {
        double rounded = tact_key_round((double)x, digits);
        if ((tact_real)rounded == x) return tact_number_print(rounded);
    }
    return tact_number_print((double)x);
}

const tact_key *tact_key_find(const tact_key *keys, const char *name) {
    for (; keys->name; keys++)
        if (strcmp(keys->name, name) == 0) return keys;
    return NULL;
}

const tact_key *tact_key_find_within(const tact_key *keys, const char *name) {
    for (; keys->name; keys++)
        if (keys->kind == TACT_KEY_OBJECT && keys->keys && tact_key_find(keys->keys, name)) return keys;
    return NULL;
}

// the values at and after a node are not too large
static bool check_magnitude(const tact_json *json, int node, const tact_key *key) {
    double x = tact_json_value(json, node);
    if (!(key->most > 0) || fabs(x) <= key->most) return true;
    tact_json_refuse(json, node, "too large: at most %s in magnitude (found %s)", tact_number_print(key->most).text,
                     tact_number_print(x).text);
    return false;
}

bool tact_key_read_numbers(const tact_json *json, int node, const tact_key *key, int count, tact_real *values) {
    TACT_ASSERT(json && key && values);
    if (key->kind == TACT_KEY_NUMBER) {
        return tact_json_get_number(json, node, key->range, values) && check_magnitude(json, node, key);
    }
    bool good = tact_json_get_vector(json, node, count, key->range, values);
    for (int i = good ? tact_json_first(json, node) : -1; i >= 0; i = tact_json_after(json, i)) {
        good = check_magnitude(json, i, key) && good;
    }
    return good;
}

tact_vec3 tact_key_direction(const double x[3]) {
    double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))), a[3];
    for (int k = 0; k < 3; k++) a[k] = x[k] / largest;
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]), whole = largest * length;
    if (fabs(whole - 1) <= DIRECTION_SLACK) return tact_vec3_make((tact_real)x[0], (tact_real)x[1], (tact_real)x[2]);
    return tact_vec3_make((tact_real)(a[0] / length), (tact_real)(a[1] / length), (tact_real)(a[2] / length));
}

// Reads three numbers as a unit vector. Refused is one whose largest component is below DIRECTION_LEAST.
bool tact_key_read_direction(const tact_json *json, int node, const tact_key *key, tact_vec3 *unit) {
    tact_real read[3];
    double a[3], largest = 0;
    if (!tact_key_read_numbers(json, node, key, 3, read)) return false;
    int i = tact_json_first(json, node);
    for (int k = 0; k < 3; k++, i = tact_json_after(json, i)) {
        a[k] = tact_json_value(json, i);
        largest = fmax(largest, fabs(a[k]));
    }
    if (largest < DIRECTION_LEAST) {
        tact_json_refuse(json, node, "length %s: no direction, as [0, 0, 1] is that of z", tact_number_print(largest).text);
        return false;
    }
    *unit = tact_key_direction(a);
    return true;
}

const char *tact_key_read_name(const tact_json *json, int node) {
    const char *name = tact_json_get_name(json, node);
    size_t size = name ? strlen(name) : 0, at = 0;
    while (at < size) {
        uint32_t point = 0;
        int length = tact_utf8_decode(name + at, size - at, &point);
        if (length == 0 || point < 0x20 || (point >= 0x7f && point <= 0x9f)) {
            tact_json_refuse(json, node, "control characters are not allowed in a name");
            return NULL;
        }
        at += (size_t)length;
    }
    return name;
}

static bool read_key(const tact_json *json, int node, const tact_key *key, void *place) {
    switch (key->kind) {
    // read elsewhere, by the reader of that object or list
    case TACT_KEY_OTHER:
    case TACT_KEY_OBJECT:
    case TACT_KEY_LIST: return true;
    case TACT_KEY_NUMBER:
    case TACT_KEY_VECTOR: return tact_key_read_numbers(json, node, key, key->count, place);
    case TACT_KEY_INTEGER: return tact_json_get_integer(json, node, (int)key->range.low, (int)key->range.high, place);
    case TACT_KEY_BOOL: return tact_json_get_bool(json, node, place);
    case TACT_KEY_CHOICE: {
        int choice = tact_json_get_choice(json, node, key->choices);
        if (choice >= 0) *(int *)place = choice;
        return choice >= 0;
    }
    case TACT_KEY_NAME: {
        const char *name = tact_key_read_name(json, node);
        if (name) *(const char **)place = name;
        return name != NULL;
    }
    }
    return true;
}

bool tact_keys_read(const tact_json *json, int node, const tact_key *keys, void *target) {
    TACT_ASSERT(json && keys && target);
    bool good = true;
    for (const tact_key *key = keys; key->name; key++) {
        int value = key->required ? tact_json_need(json, node, key->name) : tact_json_find(json, node, key->name);
        if (value < 0) {
            good = good && !key->required;
        } else if (!key->apart) {
            good = read_key(json, value, key, (unsigned char *)target + key->offset) && good;
        }
    }
    return good;
}

typedef struct {
    char text[160];
} phrase;

static void append(phrase *p, const char *text) {
    size_t used = strlen(p->text);
    snprintf(p->text + used, sizeof p->text - used, "%s", text);
}

// 1e8 instead of 100000000
static void append_number(phrase *p, double x) {
    char power[16];
    double digits = x == 0 ? 0 : floor(log10(fabs(x)));
    snprintf(power, sizeof power, "1e%d", (int)digits);
    append(p, digits >= 5 && x == pow(10, digits) ? power : tact_number_print(x).text);
}

static phrase describe_range(tact_range range) {
    phrase p = {""};
    bool low = range.low >= -DBL_MAX, high = range.high <= DBL_MAX;
    if (low && high) {
        append(&p, range.low_open ? " in (" : " in [");
        append_number(&p, range.low);
        append(&p, ", ");
        append_number(&p, range.high);
        append(&p, range.high_open ? ")" : "]");
    } else if (low) {
        append(&p, range.low_open ? " > " : " >= ");
        append_number(&p, range.low);
    }
    return p;
}

// The form of a key's value in words, with its range.
static phrase describe_form(const tact_key *key) {
    phrase p = {""};
    if (key->form) {
        append(&p, key->form);
        return p;
    }
    switch (key->kind) {
    case TACT_KEY_OTHER: break;
    case TACT_KEY_OBJECT: append(&p, "object"); break;
    case TACT_KEY_LIST: append(&p, "list of objects"); break;
    case TACT_KEY_BOOL: append(&p, "true or false"); break;
    case TACT_KEY_NAME: append(&p, "name"); break;
    case TACT_KEY_CHOICE:
        for (int i = 0; key->choices[i]; i++) {
            if (i > 0) append(&p, " | ");
            append(&p, key->choices[i]);
        }
        break;
    case TACT_KEY_VECTOR: snprintf(p.text, sizeof p.text, "%d numbers", key->count); break;
    case TACT_KEY_NUMBER: append(&p, "number"); break;
    case TACT_KEY_INTEGER: append(&p, "integer"); break;
    }
    // numbers have a range; the form of the others says all
    bool numbers = key->kind == TACT_KEY_NUMBER || key->kind == TACT_KEY_INTEGER || key->kind == TACT_KEY_VECTOR;
    if (numbers) append(&p, describe_range(key->range).text);
    return p;
}

static phrase describe_fallback(const tact_key *key, const void *defaults) {
    phrase p = {""};
    if (key->required) {
        append(&p, "required");
    } else if (key->fallback) {
        append(&p, key->fallback);
    } else if (defaults) {
        const void *place = (const unsigned char *)defaults + key->offset;
        if (key->kind == TACT_KEY_NUMBER) append(&p, tact_key_print(*(const tact_real *)place).text);
        if (key->kind == TACT_KEY_INTEGER) append_number(&p, *(const int *)place);
        if (key->kind == TACT_KEY_BOOL) append(&p, *(const bool *)place ? "true" : "false");
        if (key->kind == TACT_KEY_CHOICE) append(&p, key->choices[*(const int *)place]);
    }
    return p;
}

// A line's part in a column of a table; what is too long for it ends the line, and the next one begins where the column ends.
static void add_cell(tact_text *out, const char *text, int width, int end) {
    char cell[260];
    if ((int)strlen(text) <= width)
        snprintf(cell, sizeof cell, "%-*s ", width, text);
    else
        snprintf(cell, sizeof cell, "%s\n%*s", text, end, "");
    tact_text_add(out, cell);
}

void tact_keys_describe(const tact_key *keys, const void *defaults, tact_text *out) {
    for (; keys->name; keys++) {
        tact_text_add(out, "  ");
        add_cell(out, keys->name, 15, 18);
        add_cell(out, describe_form(keys).text, 37, 56);
        add_cell(out, describe_fallback(keys, defaults).text, 12, 69);
        tact_text_print(out, "%-s\n", keys->meaning);
    }
}
