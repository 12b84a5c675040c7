// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "tact/json.h"

tact_range tact_range_any(void) {
    return (tact_range){.low = -(double)INFINITY, .high = (double)INFINITY};
}

tact_range tact_range_above(double low) {
    return (tact_range){.low = low, .high = (double)INFINITY, .low_open = true};
}

tact_range tact_range_from(double low) {
    return (tact_range){.low = low, .high = (double)INFINITY};
}

tact_range tact_range_within(double low, double high) {
    return (tact_range){.low = low, .high = high};
}

static void refuse_outside(const tact_json *json, int node, double x, tact_range range) {
    tact_number_text low = tact_number_print(range.low), high = tact_number_print(range.high), found = tact_number_print(x);
    if (range.low >= range.high) {
        tact_json_refuse(json, node, "must be %s (found %s)", low.text, found.text);
    } else if (range.high > DBL_MAX) {
        tact_json_refuse(json, node, "must be %s %s (found %s)", range.low_open ? ">" : ">=", low.text, found.text);
    } else if (range.low < -DBL_MAX) {
        tact_json_refuse(json, node, "must be %s %s (found %s)", range.high_open ? "<" : "<=", high.text, found.text);
    } else {
        tact_json_refuse(json, node, "must be within %c%s, %s%c (found %s)", range.low_open ? '(' : '[', low.text, high.text,
                         range.high_open ? ')' : ']', found.text);
    }
}

bool tact_json_get_number(const tact_json *json, int node, tact_range range, tact_real *value) {
    if (!tact_json_expect(json, node, TACT_JSON_NUMBER)) return false;
    double x = tact_json_value(json, node);
    if (x > (double)TACT_MAX || x < -(double)TACT_MAX) {
        tact_json_refuse(json, node, "number too large for single precision (%s)", tact_number_print(x).text);
        return false;
    }
    // an open end must hold after rounding to single precision, too; a closed one need not
    tact_real rounded = (tact_real)x;
    bool on_end = (range.low_open && (double)rounded <= range.low) || (range.high_open && (double)rounded >= range.high);
    if (!(x >= range.low && x <= range.high) || on_end) {
        refuse_outside(json, node, x, range);
        return false;
    }
    *value = rounded;
    return true;
}

bool tact_json_get_integer(const tact_json *json, int node, int low, int high, int *value) {
    TACT_ASSERT(json && value && low <= high);
    if (!tact_json_expect(json, node, TACT_JSON_NUMBER)) return false;
    double x = tact_json_value(json, node);
    if (floor(x) < x) {
        tact_json_refuse(json, node, "must be an integer (found %s)", tact_number_print(x).text);
        return false;
    }
    if (x < low || x > high) {
        refuse_outside(json, node, x, tact_range_within(low, high));
        return false;
    }
    *value = (int)x;
    return true;
}

// What the numbers of a vector are, by its key.
static const char *parts_of(const tact_json *json, int node) {
    static const char *const parts[][2] = {
        {"inertia", ": xx, yy, zz, xy, xz, yz"},   {"normal", ": x, y, z; how far it is goes into \"offset\""},
        {"size", ": whole lengths along x, y, z"}, {"orientation", ": w, x, y, z"},
        {"rpy", ": roll, pitch, yaw [rad]"},       {"limits", ": lower, upper"}};
    const char *key = tact_json_key(json, node);
    for (size_t i = 0; key && i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(key, parts[i][0]) == 0) return parts[i][1];
    return "";
}

// Reads an array of just so many numbers, each within the range. False after errors, and where there is no node.
bool tact_json_get_vector(const tact_json *json, int node, int count, tact_range range, tact_real *values) {
    TACT_ASSERT(json);
    const char *plural = count == 1 ? "" : "s";
    if (node < 0) return false;
    tact_json_kind kind = tact_json_type(json, node);
    if (kind != TACT_JSON_ARRAY) {
        tact_json_refuse(json, node, "expected an array of %d number%s, found %s%s", count, plural, tact_json_kind_name(kind),
                         count == 3 && kind != TACT_JSON_OBJECT ? ": [x, y, z]" : "");
        return false;
    }
    int length = tact_json_length(json, node);
    if (length != count) {
        tact_json_refuse(json, node, "expected %d number%s, found %d%s", count, plural, length, parts_of(json, node));
        return false;
    }
    bool good = true;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        if (tact_json_type(json, i) == TACT_JSON_ARRAY) {
            tact_json_refuse(json, i, "expected a number, found an array: list the numbers in one array, row by row");
            return false;
        }
        good = tact_json_get_number(json, i, range, values++) && good;
    }
    return good;
}
