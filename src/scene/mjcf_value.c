// SPDX-License-Identifier: MIT
// Attributes to numbers, words, places and names.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"
#include "scene/utf8.h"

#define MOST 1e12
#define PI 3.14159265358979323846

const char *tact_mjcf_text(tact_mjcf *m, int node, const char *attribute) {
    const tact_mjcf_document *document = m->documents[m->nodes[node].document];
    const tact_xml *xml = &document->xml;
    int at = m->nodes[node].at;
    for (int i = xml->nodes[at].attributes; i < xml->nodes[at + 1].attributes; i++) {
        const tact_xml_attribute *a = &xml->attributes[i];
        if (strcmp(xml->strings.bytes + a->name, attribute) != 0) continue;
        document->seen[i] = true;
        return xml->strings.bytes + a->value;
    }
    return NULL;
}

// one word of an attribute
static bool read_number(tact_mjcf *m, int node, const char *attribute, const char *word, size_t size, double *x) {
    tact_number_status status = tact_number_read_loose(word, size, x);
    if (status == TACT_NUMBER_READ && fabs(*x) <= MOST) return true;
    if (status == TACT_NUMBER_NOT)
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "%s: not a number%s", tact_quote_bytes(word, size).text,
                        memchr(word, ',', size) ? " (blanks stand between numbers, and the decimal sign is a point)" : "");
    else
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "%s: too large, at most %s in magnitude",
                        tact_quote_bytes(word, size).text, tact_number_print(MOST).text);
    return false;
}

// Reads between least and most numbers of an attribute into x. How many there were; 0 without the attribute and after an error.
int tact_mjcf_numbers(tact_mjcf *m, int node, const char *attribute, double *x, int least, int most) {
    const char *text = tact_mjcf_text(m, node, attribute);
    double read[16];
    int count = 0;
    if (!text) return 0;
    for (size_t size = 0; (size = tact_number_word(&text)) > 0; text += size, count++)
        if (count < most && !read_number(m, node, attribute, text, size, &read[count])) return 0;
    if (count < least || count > most) {
        if (least == most)
            tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "expected %d number%s, found %d", most, most > 1 ? "s" : "", count);
        else
            tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "expected %d to %d numbers, found %d", least, most, count);
        return 0;
    }
    memcpy(x, read, (size_t)count * sizeof x[0]);
    return count;
}

double *tact_mjcf_list(tact_mjcf *m, int node, const char *attribute, int *count) {
    const char *text = tact_mjcf_text(m, node, attribute), *at = text;
    int words = 0;
    *count = 0;
    if (!text) return NULL;
    for (size_t size = 0; (size = tact_number_word(&at)) > 0; at += size) words++;
    double *x = tact_draft_take(m->draft, (size_t)(words + 1) * sizeof x[0]);
    for (size_t size = 0; x && (size = tact_number_word(&text)) > 0; text += size)
        if (!read_number(m, node, attribute, text, size, &x[(*count)++])) return NULL;
    return x;
}

bool tact_mjcf_number(tact_mjcf *m, int node, const char *attribute, double *x) {
    return tact_mjcf_numbers(m, node, attribute, x, 1, 1) == 1;
}

bool tact_mjcf_whole(tact_mjcf *m, int node, const char *attribute, int *x) {
    double value = 0;
    if (!tact_mjcf_number(m, node, attribute, &value)) return false;
    if (value != floor(value) || fabs(value) > 2147483647) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "must be a whole number (found %s)", tact_number_print(value).text);
        return false;
    }
    *x = (int)value;
    return true;
}

bool tact_mjcf_from_zero(tact_mjcf *m, int node, const char *attribute, double *x) {
    bool given = tact_mjcf_number(m, node, attribute, x);
    if (given && *x < 0)
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "must not be negative (found %s)", tact_number_print(*x).text);
    return given && !(*x < 0);
}

bool tact_mjcf_within(tact_mjcf *m, int node, const char *attribute, const double *x, int count, double most) {
    for (int i = 0; i < count; i++) {
        if (fabs(x[i]) <= most) continue;
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "too large: at most %s in magnitude (found %s)",
                        tact_number_print(most).text, tact_number_print(x[i]).text);
        return false;
    }
    return true;
}

bool tact_mjcf_bounded(tact_mjcf *m, int node, const char *attribute, double *x, int count, double most) {
    return tact_mjcf_numbers(m, node, attribute, x, count, count) && tact_mjcf_within(m, node, attribute, x, count, most);
}

bool tact_mjcf_word(tact_mjcf *m, int node, const char *attribute, const char *const *words, int *index) {
    const char *text = tact_mjcf_text(m, node, attribute);
    char allowed[200] = "";
    size_t used = 0;
    if (!text) return false;
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) == 0) {
            *index = i;
            return true;
        }
        used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "unknown word %s (allowed: %s)", tact_quote(text).text, allowed);
    return false;
}

bool tact_mjcf_bool(tact_mjcf *m, int node, const char *attribute, bool *value) {
    static const char *const words[] = {"false", "true", NULL};
    int index = 0;
    if (!tact_mjcf_word(m, node, attribute, words, &index)) return false;
    *value = index == 1;
    return true;
}

// three turns by the compiler's sequence: lower case about the axes as they are turned, upper case about those of the parent
static void turn_euler(const tact_mjcf *m, const double angle[3], double q[4]) {
    double whole[4] = {1, 0, 0, 0};
    for (int i = 0; i < 3; i++) {
        char letter = m->sequence[i];
        bool fixed = letter < 'a';
        double axis[3] = {0, 0, 0}, turn[4];
        axis[letter - (fixed ? 'X' : 'x')] = 1;
        tact_mjcf_axis_angle(axis, m->degrees ? angle[i] * PI / 180 : angle[i], turn);
        tact_mjcf_multiply(fixed ? turn : whole, fixed ? whole : turn, whole);
    }
    tact_mjcf_normalise(whole, 4);
    memcpy(q, whole, sizeof whole);
}

// Two axes as a quaternion: x is a unit vector, y is made perpendicular to it and unit, z = x cross y. False where y is along x.
static bool turn_axes(double x[6], double q[4]) {
    double R[3][3], along = x[0] * x[3] + x[1] * x[4] + x[2] * x[5];
    for (int i = 0; i < 3; i++) x[3 + i] -= along * x[i];
    if (!tact_mjcf_normalise(x + 3, 3)) return false;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        R[i][0] = x[i];
        R[i][1] = x[3 + i];
        R[i][2] = x[j] * x[3 + k] - x[k] * x[3 + j];
    }
    tact_mjcf_quaternion(R, q);
    return true;
}

void tact_mjcf_place(tact_mjcf *m, int node, tact_mjcf_pose *pose) {
    // an orientation is given once, in one of five ways: so many numbers, of which the first ones have a direction
    static const struct {
        const char *name;
        int count, direction;
    } kinds[] = {{"quat", 4, 4}, {"axisangle", 4, 3}, {"euler", 3, 0}, {"xyaxes", 6, 3}, {"zaxis", 3, 3}};
    const char *given = NULL;
    double x[6] = {0};
    bool good = true;
    tact_mjcf_bounded(m, node, "pos", pose->p, 3, TACT_MOST_LENGTH);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (!tact_mjcf_text(m, node, kinds[i].name)) continue;
        if (given) tact_xml_refuse(TACT_MJCF_AT(m, node), kinds[i].name, "the orientation is already given by \"%s\"", given);
        given = kinds[i].name;
        if (!tact_mjcf_numbers(m, node, given, x, kinds[i].count, kinds[i].count)) return;
        good = kinds[i].direction == 0 || tact_mjcf_normalise(x, kinds[i].direction);
    }
    switch (given && good ? given[0] : ' ') {
    case 'q': memcpy(pose->q, x, sizeof pose->q); break;
    case 'a': tact_mjcf_axis_angle(x, m->degrees ? x[3] * PI / 180 : x[3], pose->q); break;
    case 'e': turn_euler(m, x, pose->q); break;
    case 'x': good = turn_axes(x, pose->q); break;
    case 'z': tact_mjcf_z_to(x, pose->q); break;
    default: break;
    }
    if (!good) tact_xml_refuse(TACT_MJCF_AT(m, node), given, "has no direction");
}

const char *tact_mjcf_name(tact_mjcf *m, int node, const char *attribute) {
    const char *name = tact_mjcf_text(m, node, attribute);
    size_t size = name ? strlen(name) : 0;
    // an empty name is none, as in MuJoCo
    if (size == 0) return NULL;
    if (size > TACT_NAME_MAX) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "name of %zu bytes is too long (allowed %d)", size, TACT_NAME_MAX);
    } else if (!tact_utf8_is_plain(name, size)) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "control characters are not allowed in a name");
    } else {
        return tact_draft_string(m->draft, name, size);
    }
    return NULL;
}

bool tact_mjcf_add_name(tact_mjcf *m, int scope, int node, const char *name, int value) {
    if (tact_name_table_add(&m->names, scope, name, strlen(name), value) < 0) return true;
    tact_xml_refuse(TACT_MJCF_AT(m, node), "name", "the name %s is already used", tact_quote(name).text);
    return false;
}

const char *tact_mjcf_make_name(tact_mjcf *m, int scope, const char *base, const char *infix, int *number) {
    char text[TACT_NAME_MAX + 1], end[32];
    for (;;) {
        size_t size = (size_t)snprintf(end, sizeof end, "%s_%d", infix, ++*number), room = TACT_NAME_MAX - size;
        size = (size_t)snprintf(text, sizeof text, "%.*s%s", (int)tact_utf8_fit(base, room), base, end);
        if (tact_name_table_find(&m->names, scope, text) >= 0) continue;
        const char *name = tact_draft_string(m->draft, text, size);
        if (name) tact_name_table_add(&m->names, scope, name, size, 0);
        return name;
    }
}

tact_draft_mark tact_mjcf_mark(const tact_mjcf *m, int node) {
    const tact_xml *xml = &m->documents[m->nodes[node].document]->xml;
    const tact_xml_node *n = &xml->nodes[m->nodes[node].at];
    char text[TACT_XML_PATH] = "/mujoco";
    // elements without a name are numbered by a search
    if (tact_xml_value(TACT_MJCF_AT(m, node), "name")) tact_xml_path(TACT_MJCF_AT(m, node), NULL, text, sizeof text);
    const char *path = tact_draft_string(m->draft, text, strlen(text));
    return (tact_draft_mark){.place = {.file = m->nodes[node].document == 0 ? m->file : xml->source.name,
                                       .line = n->line,
                                       .column = n->column,
                                       .path = path}};
}
