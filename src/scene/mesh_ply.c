// SPDX-License-Identifier: MIT
// PLY, Stanford's format of polygons. A head of lines: ply, format FORM 1.0, then for each list of the file element NAME COUNT
// and its properties, property TYPE NAME or property list TYPE TYPE NAME, until end_header. The items of each element follow in
// that order, as words or as bytes of either order. Read are x, y, z of "vertex" and the list vertex_indices (vertex_index) of
// "face"; all else is passed over.
#include <stdint.h>
#include <string.h>

#include "scene/mesh_parts.h"

enum { ELEMENTS_MOST = 16, PROPERTIES_MOST = 64, WORDS_MOST = 5 };

typedef enum { PLY_CHAR, PLY_UCHAR, PLY_SHORT, PLY_USHORT, PLY_INT, PLY_UINT, PLY_FLOAT, PLY_DOUBLE, PLY_NONE } ply_type;

typedef struct {
    ply_type count, type;  // count: of a list, PLY_NONE for one number
    int axis;              // of a vertex 0 to 2; of a face 0: its corners; -1: passed over
} ply_property;

typedef struct {
    double count;
    bool vertex, face;
    int first, nproperty;  // of property
} ply_element;

typedef struct {
    tact_mesh *mesh;
    tact_source source;
    tact_errors *errors;
    const char *at, *end;
    bool words, large_end, no_memory;
    int nelement, nproperty;
    ply_element element[ELEMENTS_MOST];
    ply_property property[PROPERTIES_MOST];
} ply_reading;

typedef struct {
    const char *at;
    size_t size;
} ply_word;

static bool is(ply_word word, const char *text) {
    return word.size == strlen(text) && memcmp(word.at, text, word.size) == 0;
}

static ply_type find_type(ply_word word) {
    static const char *const names[2][PLY_NONE] = {{"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
                                                   {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
    int k = 0;
    while (k < PLY_NONE && !is(word, names[0][k]) && !is(word, names[1][k])) k++;
    return (ply_type)k;
}

// Reads a line "property TYPE NAME" or "property list COUNT TYPE NAME" of a PLY header, and notes whether it is a coordinate or a
// list of corners.
static bool read_property(ply_reading *from, const ply_word *word, int count) {
    bool list = count == 5 && is(word[1], "list");
    ply_property property = {.count = list ? find_type(word[2]) : PLY_NONE, .type = find_type(word[list ? 3 : 1]), .axis = -1};
    ply_word name = word[count - 1];
    bool whole = !list || property.count < PLY_FLOAT;
    if (from->nelement == 0 || (count != 3 && !list) || property.type == PLY_NONE || !whole)
        return tact_mesh_refuse(from->source, word->at, from->errors, "not a property of an element");
    if (from->nproperty == PROPERTIES_MOST)
        return tact_mesh_refuse(from->source, word->at, from->errors, "more than %d properties", PROPERTIES_MOST);
    ply_element *element = &from->element[from->nelement - 1];
    for (int k = 0; k < 3; k++)
        if (element->vertex && !list && name.size == 1 && name.at[0] == 'x' + k) property.axis = k;
    if (element->face && list && (is(name, "vertex_indices") || is(name, "vertex_index"))) property.axis = 0;
    from->property[from->nproperty++] = property;
    element->nproperty++;
    return true;
}

static bool read_element(ply_reading *from, const ply_word *word, int count) {
    double number = -1;
    bool good = count == 3 && tact_number_read_loose(word[2].at, word[2].size, &number) == TACT_NUMBER_READ && number >= 0 &&
                number <= 1e9 && number == (double)(int64_t)number;
    if (!good) return tact_mesh_refuse(from->source, word->at, from->errors, "not an element and how many there are");
    if (from->nelement == ELEMENTS_MOST)
        return tact_mesh_refuse(from->source, word->at, from->errors, "more than %d elements", ELEMENTS_MOST);
    from->element[from->nelement++] =
        (ply_element){.count = number, .vertex = is(word[1], "vertex"), .face = is(word[1], "face"), .first = from->nproperty};
    return true;
}

// The lines of the head; the first item follows at from->at.
static bool read_head(ply_reading *from) {
    bool first = true, formed = false;
    for (;; first = false) {
        const char *line = from->at, *newline = memchr(line, '\n', (size_t)(from->end - line));
        ply_word word[WORDS_MOST + 1];
        int count = 0;
        if (!newline) return tact_mesh_refuse(from->source, line, from->errors, "cut off: there is no end_header");
        for (const char *at = line; count <= WORDS_MOST && (word[count].size = tact_mesh_word(&at, newline)) > 0; count++) {
            word[count].at = at;
            at += word[count].size;
        }
        from->at = newline + 1;
        if (first && !(count == 1 && is(word[0], "ply"))) return tact_mesh_refuse(from->source, line, from->errors, "not PLY");
        if (first || count == 0 || is(word[0], "comment") || is(word[0], "obj_info")) continue;
        if (is(word[0], "end_header"))
            return formed || tact_mesh_refuse(from->source, line, from->errors, "the line \"format\" is missing");
        bool good = false;
        if (is(word[0], "format")) {
            from->words = count == 3 && is(word[1], "ascii");
            from->large_end = count == 3 && is(word[1], "binary_big_endian");
            good = formed = from->words || from->large_end || (count == 3 && is(word[1], "binary_little_endian"));
            if (!good)
                tact_mesh_refuse(from->source, line, from->errors,
                                 "unknown format (ascii, binary_little_endian, "
                                 "binary_big_endian)");
        } else if (is(word[0], "element")) {
            good = read_element(from, word, count);
        } else if (is(word[0], "property")) {
            good = count >= 3 ? read_property(from, word, count)
                              : tact_mesh_refuse(from->source, line, from->errors, "not a property of an element");
        } else {
            tact_mesh_refuse(from->source, line, from->errors, "%s: no line of a head",
                             tact_quote_bytes(word[0].at, word[0].size).text);
        }
        if (!good) return false;
    }
}

// The next number of a type, moving on; false after reporting.
static bool read_number(ply_reading *from, ply_type type, double *x) {
    static const size_t sizes[PLY_NONE] = {1, 1, 2, 2, 4, 4, 4, 8};
    if (from->words) {
        size_t size = tact_mesh_word(&from->at, from->end);
        if (size == 0) return tact_mesh_refuse(from->source, NULL, from->errors, "cut off: numbers are missing at its end");
        if (tact_number_read_loose(from->at, size, x) != TACT_NUMBER_READ)
            return tact_mesh_refuse(from->source, from->at, from->errors, "%s: not a number",
                                    tact_quote_bytes(from->at, size).text);
        from->at += size;
        return true;
    }
    size_t size = sizes[type];
    uint64_t bits = 0;
    if ((size_t)(from->end - from->at) < size)
        return tact_mesh_refuse(from->source, NULL, from->errors, "cut off: numbers are missing at its end");
    for (size_t k = 0; k < size; k++) bits = bits << 8 | (unsigned char)from->at[from->large_end ? k : size - 1 - k];
    from->at += size;
    uint32_t half = (uint32_t)bits;
    float single = 0;
    memcpy(&single, &half, sizeof single);
    switch (type) {
    case PLY_CHAR: *x = (double)(int8_t)(uint8_t)bits; break;
    case PLY_SHORT: *x = (double)(int16_t)(uint16_t)bits; break;
    case PLY_INT: *x = (double)(int32_t)half; break;
    case PLY_FLOAT: *x = (double)single; break;
    case PLY_DOUBLE: memcpy(x, &bits, sizeof *x); break;
    case PLY_UCHAR:
    case PLY_USHORT:
    case PLY_UINT:
    case PLY_NONE: *x = (double)bits; break;
    }
    return true;
}

// The corners of a face, cut into triangles.
static bool read_corners(ply_reading *from, const ply_property *property, double count) {
    int corner[TACT_MESH_CORNERS], points = from->mesh->npoint;
    if (!(count >= 3 && count <= TACT_MESH_CORNERS && count == (double)(int)count))
        return tact_mesh_refuse(from->source, from->words ? from->at : NULL, from->errors,
                                "a face of %s corners (3 to %d are read)", tact_number_print(count).text, TACT_MESH_CORNERS);
    for (int k = 0; k < (int)count; k++) {
        double index = 0;
        if (!read_number(from, property->type, &index)) return false;
        if (!(index >= 0 && index < points && index == (double)(int)index))
            return tact_mesh_refuse(from->source, from->words ? from->at : NULL, from->errors,
                                    "corner %s of a face: not one of the %d points before it, counted from 0",
                                    tact_number_print(index).text, points);
        corner[k] = (int)index;
    }
    from->no_memory = !tact_mesh_cut(from->mesh, corner, (int)count);
    return !from->no_memory;
}

// One item of an element: all of its properties in turn.
static bool read_item(ply_reading *from, const ply_element *element) {
    double x[3] = {0}, count = 0, passed = 0;
    for (int p = 0; p < element->nproperty; p++) {
        const ply_property *property = &from->property[element->first + p];
        bool list = property->count != PLY_NONE;
        if (!read_number(from, list ? property->count : property->type, &count)) return false;
        if (list && !(count >= 0 && count <= 1e9 && count == (double)(int64_t)count))
            return tact_mesh_refuse(from->source, from->words ? from->at : NULL, from->errors, "a list of %s numbers",
                                    tact_number_print(count).text);
        if (!list && property->axis >= 0) x[property->axis] = count;
        if (list && property->axis >= 0 && !read_corners(from, property, count)) return false;
        // of other lists each number takes a byte or more, so that a wrong count ends with the file
        for (int64_t k = 0; list && property->axis < 0 && (double)k < count; k++)
            if (!read_number(from, property->type, &passed)) return false;
    }
    if (!element->vertex) return true;
    for (int k = 0; k < 3; k++)
        if (!tact_mesh_number_is_good(x[k]))
            return tact_mesh_refuse(from->source, from->words ? from->at : NULL, from->errors,
                                    "point %d is not finite, or too far away", from->mesh->npoint);
    from->no_memory = !tact_mesh_add_point(from->mesh, x);
    return !from->no_memory;
}

bool tact_mesh_read_ply(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    ply_reading from = {.mesh = mesh, .source = source, .errors = errors, .at = source.bytes, .end = source.bytes + source.size};
    bool good = read_head(&from);
    for (int e = 0; good && e < from.nelement; e++) {
        const ply_element *element = &from.element[e];
        int axes = 0;
        for (int p = 0; p < element->nproperty; p++)
            if (from.property[element->first + p].axis >= 0) axes |= 1 << from.property[element->first + p].axis;
        // items without a number would never come to an end
        if (element->vertex && axes != 7) good = tact_mesh_refuse(source, NULL, errors, "its points have no x, y and z");
        if (good && element->nproperty == 0 && element->count > 0)
            good = tact_mesh_refuse(source, NULL, errors, "an element without properties");
        for (int64_t i = 0; good && (double)i < element->count; i++) good = read_item(&from, element);
    }
    *no_memory = from.no_memory;
    return good;
}
