// SPDX-License-Identifier: MIT
// Where an element or attribute stands, worked out only when a message needs it.
#include <stdio.h>
#include <string.h>

#include "scene/utf8.h"
#include "scene/xml.h"

static void count_lines(const tact_xml *xml, tact_place *place, size_t from, size_t to) {
    if (to > xml->source.size) to = xml->source.size;
    if (from < to) tact_utf8_pass(xml->source.bytes + from, to - from, &place->line, &place->column);
}

// offset of an attribute within the start tag of its element, that of the element when it has none of this name
static size_t find_attribute(const tact_xml *xml, int node, const char *attribute) {
    static const char space[] = " \t\r\n";
    size_t start = xml->nodes[node].at, wanted = strlen(attribute);
    const char *c = xml->source.bytes + start;
    if (!tact_xml_value(xml, node, attribute)) return start;
    // the tag was parsed, so the search ends within it
    c += strcspn(c, " \t\r\n");
    for (;;) {
        c += strspn(c, space);
        size_t length = strcspn(c, " \t\r\n=");
        if (length == wanted && memcmp(c, attribute, length) == 0) return (size_t)(c - xml->source.bytes);
        c += length;
        c += strcspn(c, "\"'");
        c = strchr(c + 1, *c) + 1;
    }
}

static void add(tact_utf8_path *p, const char *word) {
    tact_utf8_add(p, word, strlen(word));
}

// a long name is cut between two characters
static void add_name(tact_utf8_path *p, const char *name) {
    char text[100];
    size_t length = tact_utf8_fit(name, sizeof text - 4);
    snprintf(text, sizeof text, "%.*s%s", (int)length, name, name[length] ? "..." : "");
    add(p, text);
}

// the number of an element among its parent's of the same name, counted from 1; 0 when it is the only one
static int number_of(const tact_xml *xml, int node) {
    int parent = xml->nodes[node].parent, number = 0, others = 0;
    if (parent < 0) return 0;
    for (int i = parent + 1; i < xml->count && xml->nodes[i].parent == parent; i = xml->nodes[i].next) {
        bool same = strcmp(tact_xml_name(xml, i), tact_xml_name(xml, node)) == 0;
        if (same && i <= node) number++;
        if (same && i != node) others++;
        // open elements have no next yet
        if (xml->nodes[i].next <= i) break;
    }
    return others > 0 ? number : 0;
}

// Adds one step of an XPath: the name of the element, then its name attribute or, where siblings are called alike, its number.
static void add_step(tact_utf8_path *p, const tact_xml *xml, int node) {
    char digits[16];
    const char *name = tact_xml_value(xml, node, "name");
    add(p, "/");
    add_name(p, tact_xml_name(xml, node));
    if (xml->nodes[node].parent < 0) return;
    if (name) {
        add(p, "[name=\"");
        add_name(p, name);
        add(p, "\"]");
        return;
    }
    int number = number_of(xml, node);
    if (number == 0) return;
    snprintf(digits, sizeof digits, "[%d]", number);
    add(p, digits);
}

void tact_xml_path(const tact_xml *xml, int node, const char *attribute, char *out, size_t size) {
    int chain[TACT_XML_DEPTH];
    int depth = 0;
    tact_utf8_path p = {.out = out, .size = size};
    out[0] = '\0';
    for (; node >= 0; node = xml->nodes[node].parent) chain[depth++] = node;
    if (depth == 0) add(&p, "/");
    while (depth > 0) add_step(&p, xml, chain[--depth]);
    if (!attribute) return;
    add(&p, "@");
    add_name(&p, attribute);
}

static void report(const tact_xml *xml, int node, const char *attribute, tact_error_kind kind, const char *format,
                   va_list arguments) TACT_PRINTF(5, 0);

static void report(const tact_xml *xml, int node, const char *attribute, tact_error_kind kind, const char *format,
                   va_list arguments) {
    char text[TACT_XML_PATH];
    tact_place place = {.file = xml->source.name, .noise = true};
    // not for messages that are only counted
    if (!tact_errors_full(xml->errors, kind)) {
        const tact_xml_node *n = &xml->nodes[node];
        place.line = n->line;
        place.column = n->column;
        place.path = text;
        if (attribute) count_lines(xml, &place, n->at, find_attribute(xml, node, attribute));
        tact_xml_path(xml, node, attribute, text, sizeof text);
    }
    tact_errors_add_list(xml->errors, kind, place, format, arguments);
}

void tact_xml_refuse(const tact_xml *xml, int node, const char *attribute, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(xml, node, attribute, TACT_ERROR_REFUSED, format, arguments);
    va_end(arguments);
}

void tact_xml_unreadable(const tact_xml *xml, int node, const char *attribute, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(xml, node, attribute, TACT_ERROR_UNREADABLE, format, arguments);
    va_end(arguments);
}

void tact_xml_warn(const tact_xml *xml, int node, const char *attribute, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(xml, node, attribute, TACT_ERROR_WARNING, format, arguments);
    va_end(arguments);
}

void tact_xml_unknown(const tact_xml *xml, int node, const char *attribute, const tact_nearest *nearest) {
    tact_errors *errors = xml->errors;
    char reason[600];
    snprintf(reason, sizeof reason, "unknown %s %.200s is not read%s", attribute ? "attribute" : "element",
             tact_quote(nearest->word).text, tact_nearest_hint(nearest).text);
    for (int i = 0; i < errors->kept; i++) {
        if (!strstr(errors->items[i].text, reason)) continue;
        errors->warnings++;
        return;
    }
    tact_xml_warn(xml, node, attribute, "%s", reason);
    // no noise: what it says is lost
    if (!tact_errors_full(errors, TACT_ERROR_WARNING)) errors->items[errors->kept - 1].noise = false;
}

void tact_xml_doubt(const tact_xml *xml, int node, const char *attribute, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(xml, node, attribute, xml->errors->strict ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING, format, arguments);
    va_end(arguments);
}

void tact_xml_report(const tact_xml *xml, int node, size_t at, tact_error_kind kind, const char *format, ...) {
    char text[TACT_XML_PATH];
    tact_place place = {.file = xml->source.name, .line = xml->source.line, .column = 1, .path = text, .noise = true};
    va_list arguments;
    if (!tact_errors_full(xml->errors, kind)) {
        count_lines(xml, &place, 0, at);
        tact_xml_path(xml, node, NULL, text, sizeof text);
    }
    va_start(arguments, format);
    tact_errors_add_list(xml->errors, kind, place, format, arguments);
    va_end(arguments);
}
