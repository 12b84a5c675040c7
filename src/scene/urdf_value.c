// SPDX-License-Identifier: MIT
// Attributes to values, names and places.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/urdf_parts.h"
#include "scene/utf8.h"

#define DIGITS_SHOWN 40
#define SUGGEST_MOST 250

static const char *find_value(const tact_urdf *urdf, int node, const char *attribute) {
    const char *value = tact_xml_value(&urdf->xml, node, attribute);
    if (!value) tact_xml_refuse(&urdf->xml, node, NULL, "attribute \"%s\" is missing", attribute);
    return value;
}

const char *tact_urdf_name(tact_urdf *urdf, int node, const char *attribute) {
    const char *name = find_value(urdf, node, attribute);
    if (!name) return NULL;
    size_t size = strlen(name);
    if (size == 0) {
        tact_xml_refuse(&urdf->xml, node, attribute, "must not be empty");
    } else if (size > TACT_NAME_MAX) {
        tact_xml_refuse(&urdf->xml, node, attribute, "name of %zu bytes is too long (allowed %d)", size, TACT_NAME_MAX);
    } else if (!tact_utf8_is_plain(name, size)) {
        tact_xml_refuse(&urdf->xml, node, attribute, "control characters are not allowed in a name");
    } else {
        return tact_draft_string(urdf->draft, name, size);
    }
    return NULL;
}

// one word of an attribute
static bool read_word(const tact_urdf *urdf, int node, const char *attribute, const char *word, size_t size, double *x) {
    switch (tact_number_read_loose(word, size, x)) {
    case TACT_NUMBER_READ: return true;
    case TACT_NUMBER_NOT:
        tact_xml_refuse(&urdf->xml, node, attribute, "%s: not a number%s", tact_quote_bytes(word, size).text,
                        memchr(word, ',', size) ? " (blanks stand between numbers, and the decimal sign is a point)" : "");
        break;
    case TACT_NUMBER_TOO_LARGE:
        tact_xml_refuse(&urdf->xml, node, attribute, "number too large for a double (%.*s%s)",
                        size > DIGITS_SHOWN ? DIGITS_SHOWN : (int)size, word, size > DIGITS_SHOWN ? "..." : "");
        break;
    }
    return false;
}

static bool check_most(const tact_urdf *urdf, int node, const char *attribute, double most, double x) {
    if (fabs(x) <= most) return true;
    tact_xml_refuse(&urdf->xml, node, attribute, "too large: at most %s in magnitude (found %s)", tact_number_print(most).text,
                    tact_number_print(x).text);
    return false;
}

bool tact_urdf_double(const tact_urdf *urdf, int node, const char *attribute, double *value) {
    const char *text = find_value(urdf, node, attribute);
    if (!text) return false;
    size_t whole = strlen(text), size = tact_number_word(&text);
    // one word with white space about it; what else there is does not make a number
    bool one = text[size + strspn(text + size, " \t\r\n")] == '\0';
    if (!read_word(urdf, node, attribute, text, one ? size : strlen(text), value)) return false;
    if (size != whole) tact_xml_doubt(&urdf->xml, node, attribute, "white space about a number");
    return true;
}

bool tact_urdf_doubles(const tact_urdf *urdf, int node, const char *attribute, double value[3]) {
    const char *text = find_value(urdf, node, attribute);
    double x[3] = {0, 0, 0};
    int count = 0;
    if (!text) return false;
    for (size_t size = 0; (size = tact_number_word(&text)) > 0; text += size, count++) {
        if (count < 3 && !read_word(urdf, node, attribute, text, size, &x[count])) return false;
    }
    if (count != 3) {
        tact_xml_refuse(&urdf->xml, node, attribute, "expected 3 numbers, found %d", count);
        return false;
    }
    memcpy(value, x, sizeof x);
    return true;
}

bool tact_urdf_number(const tact_urdf *urdf, int node, const char *attribute, double most, tact_real *value) {
    double x = 0;
    if (!tact_urdf_double(urdf, node, attribute, &x) || !check_most(urdf, node, attribute, most, x)) return false;
    *value = (tact_real)x;
    return true;
}

bool tact_urdf_vector(const tact_urdf *urdf, int node, const char *attribute, double most, tact_real value[3]) {
    double x[3];
    if (!tact_urdf_doubles(urdf, node, attribute, x)) return false;
    for (int i = 0; i < 3; i++)
        if (!check_most(urdf, node, attribute, most, x[i])) return false;
    for (int i = 0; i < 3; i++) value[i] = (tact_real)x[i];
    return true;
}

bool tact_urdf_origin(const tact_urdf *urdf, int node, tact_draft_frame *frame) {
    int origin = tact_xml_find(&urdf->xml, node, "origin");
    bool good = true;
    if (origin < 0) return true;
    if (tact_xml_value(&urdf->xml, origin, "quat_xyzw")) {
        tact_xml_refuse(&urdf->xml, origin, "quat_xyzw", "a quaternion is not read (allowed rpy)");
        good = false;
    }
    if (tact_xml_value(&urdf->xml, origin, "xyz"))
        good = tact_urdf_vector(urdf, origin, "xyz", TACT_MOST_LENGTH, frame->xyz) && good;
    if (tact_xml_value(&urdf->xml, origin, "rpy"))
        good = tact_urdf_vector(urdf, origin, "rpy", TACT_MOST_LENGTH, frame->rpy) && good;
    return good;
}

tact_hint tact_urdf_suggest(const tact_urdf *urdf, int scope, const char *name) {
    tact_nearest nearest = {.word = name};
    int count = scope == TACT_URDF_LINK ? urdf->nlink : urdf->njoint;
    // names of 255 bytes each take their time
    if (count > SUGGEST_MOST || tact_errors_full(urdf->draft->errors, TACT_ERROR_REFUSED)) count = 0;
    for (int i = 0; i < count; i++) {
        const char *other = scope == TACT_URDF_LINK ? urdf->links[i].name : urdf->joints[i].name;
        if (other) tact_nearest_try(&nearest, other);
    }
    return tact_nearest_hint(&nearest);
}

static int index_of(const char *const *names, const char *name) {
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static void warn_unknown(const tact_urdf *urdf, int node, const char *const *single, const char *const *others) {
    const char *name = tact_xml_name(&urdf->xml, node);
    tact_nearest nearest = {.word = name};
    if (strchr(name, ':')) return;
    if (!tact_errors_full(urdf->draft->errors, TACT_ERROR_WARNING)) {
        tact_nearest_try_all(&nearest, single);
        tact_nearest_try_all(&nearest, others);
    }
    tact_xml_unknown(&urdf->xml, node, NULL, &nearest);
}

// Warns of attributes that URDF does not have: their values would be lost without a word.
static void warn_attributes(const tact_urdf *urdf, int node) {
    static const struct {
        const char *element, *names[7];
    } known[] = {{"origin", {"xyz", "rpy"}},
                 {"axis", {"xyz"}},
                 {"limit", {"lower", "upper", "effort", "velocity"}},
                 {"mimic", {"joint", "multiplier", "offset"}},
                 {"mass", {"value"}},
                 {"inertia", {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}},
                 {"dynamics", {"damping", "friction"}}};
    const tact_xml *xml = &urdf->xml;
    for (size_t e = 0; e < sizeof known / sizeof known[0]; e++)
        for (int k = xml->nodes[node].attributes; k < xml->nodes[node + 1].attributes; k++) {
            const char *name = xml->strings.bytes + xml->attributes[k].name;
            tact_nearest nearest = {.word = name};
            if (strcmp(known[e].element, tact_xml_name(xml, node)) != 0 || index_of(known[e].names, name) >= 0) continue;
            if (strchr(name, ':') || tact_errors_full(urdf->draft->errors, TACT_ERROR_WARNING)) continue;
            tact_nearest_try_all(&nearest, known[e].names);
            tact_xml_unknown(xml, node, name, &nearest);
        }
}

void tact_urdf_check_children(const tact_urdf *urdf, int node, const char *const *single, const char *const *others) {
    const tact_xml *xml = &urdf->xml;
    uint32_t seen = 0;
    for (int i = tact_xml_first(xml, node); i >= 0; i = tact_xml_after(xml, i)) {
        const char *name = tact_xml_name(xml, i);
        int index = index_of(single, name);
        if (index < 0) {
            if (index_of(others, name) < 0) warn_unknown(urdf, i, single, others);
            continue;
        }
        warn_attributes(urdf, i);
        if (seen >> index & 1) tact_xml_warn(xml, i, NULL, "given twice: only the first is read");
        seen |= (uint32_t)1 << index;
    }
}

tact_draft_mark tact_urdf_mark(const tact_urdf *urdf, int node, const char *path) {
    const tact_xml_node *n = &urdf->xml.nodes[node];
    char text[TACT_XML_PATH];
    // elements without a name are numbered by a search, and refused anyway
    if (!path && !tact_xml_value(&urdf->xml, node, "name")) path = "/robot";
    if (!path) {
        tact_xml_path(&urdf->xml, node, NULL, text, sizeof text);
        path = tact_draft_string(urdf->draft, text, strlen(text));
    }
    return (tact_draft_mark){.place = {.file = urdf->file, .line = n->line, .column = n->column, .path = path, .noise = true}};
}

// base, suffix and, from 2 on, a number, the base cut between characters to fit a name
static size_t put_together(char out[TACT_NAME_MAX + 1], const char *base, const char *suffix, int number) {
    char end[64] = "";
    if (number > 1) {
        snprintf(end, sizeof end, "%s_%d", suffix, number);
    } else {
        snprintf(end, sizeof end, "%s", suffix);
    }
    return (size_t)snprintf(out, TACT_NAME_MAX + 1, "%.*s%s", (int)tact_utf8_fit(base, TACT_NAME_MAX - strlen(end)), base, end);
}

const char *tact_urdf_unique(tact_urdf *urdf, int scope, const char *base, const char *suffix) {
    char text[TACT_NAME_MAX + 1];
    size_t size = put_together(text, base, suffix, 1);
    // the number goes on from name to name, so that all searches together are linear
    if (urdf->numbered < 1) urdf->numbered = 1;
    while (tact_name_table_find(&urdf->names, scope, text) >= 0) size = put_together(text, base, suffix, ++urdf->numbered);
    const char *name = tact_draft_string(urdf->draft, text, size);
    if (name) tact_name_table_add(&urdf->names, scope, name, size, 0);
    return name;
}
