// SPDX-License-Identifier: MIT
// STL, the format of stereolithography. Binary: 80 bytes of anything, the number of triangles in 4 bytes, and 50 bytes for each:
// normal, three corners (floats, little-endian), two bytes of anything. Text: solid NAME, then for each triangle
// facet normal .. outer loop, vertex x y z three times, endloop endfacet; at last endsolid. Normals are not used.
#include <stdint.h>
#include <string.h>

#include "scene/mesh_parts.h"

enum { HEAD = 84, RECORD = 50 };

static uint32_t read_word(const char *at) {
    const unsigned char *byte = (const unsigned char *)at;
    return byte[0] | (uint32_t)byte[1] << 8 | (uint32_t)byte[2] << 16 | (uint32_t)byte[3] << 24;
}

// A triangle of three new points.
static bool add_corners(tact_mesh *mesh, double x[3][3], bool *no_memory) {
    int first = mesh->npoint;
    for (int i = 0; i < 3; i++)
        if (!tact_mesh_add_point(mesh, x[i])) *no_memory = true;
    if (!*no_memory && !tact_mesh_add_triangle(mesh, first, first + 1, first + 2)) *no_memory = true;
    return !*no_memory;
}

static bool is_word(const char *at, size_t size, const char *word) {
    return size == strlen(word) && memcmp(at, word, size) == 0;
}

// Three numbers; *at moves behind them.
static bool read_vertex(tact_source source, const char **at, double x[3], tact_errors *errors) {
    for (int k = 0; k < 3; k++) {
        size_t size = tact_number_word(at);
        if (tact_number_read_loose(*at, size, &x[k]) != TACT_NUMBER_READ || !tact_mesh_number_is_good(x[k]))
            return tact_mesh_refuse(source, *at, errors, "%s: not a number of a corner", tact_quote_bytes(*at, size).text);
        *at += size;
    }
    return true;
}

// Reads an STL file in words. False after reporting, or without memory.
static bool read_words(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    const char *at = source.bytes;
    double x[3][3];
    int corners = 0;
    bool ended = false;
    for (size_t size = 0; (size = tact_number_word(&at)) > 0;) {
        const char *word = at;
        at += size;
        // what follows on that line is a name
        if (is_word(word, size, "solid") || is_word(word, size, "endsolid")) {
            ended = word[0] == 'e';
            at += strcspn(at, "\n");
        } else if (is_word(word, size, "vertex")) {
            if (corners == 3) return tact_mesh_refuse(source, word, errors, "a facet of more than three corners");
            if (!read_vertex(source, &at, x[corners++], errors)) return false;
        } else if (is_word(word, size, "endfacet")) {
            if (corners != 3) return tact_mesh_refuse(source, word, errors, "a facet of %d corners", corners);
            if (!add_corners(mesh, x, no_memory)) return false;
            corners = 0;
        }
    }
    return ended || tact_mesh_refuse(source, at, errors, "cut off: there is no endsolid");
}

bool tact_mesh_read_stl(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    // the heads of some binary files begin with the word, too
    bool words = source.size >= 5 && memcmp(source.bytes, "solid", 5) == 0;
    if (words && source.size >= HEAD && (uint64_t)read_word(source.bytes + 80) * RECORD + HEAD == source.size) words = false;
    if (words) return read_words(mesh, source, errors, no_memory);
    // Binary STL: a head of 80 bytes, the count, 50 bytes per triangle
    uint32_t count = source.size < HEAD ? 0 : read_word(source.bytes + 80);
    if (source.size < HEAD) return tact_mesh_refuse(source, NULL, errors, "cut off: %zu bytes", source.size);
    if ((uint64_t)count * RECORD + HEAD != source.size)
        return tact_mesh_refuse(source, NULL, errors, "says %lu triangles, and is of %zu bytes instead of %llu",
                                (unsigned long)count, source.size, (unsigned long long)count * RECORD + HEAD);
    for (uint32_t t = 0; t < count; t++) {
        const char *record = source.bytes + HEAD + (size_t)t * RECORD;
        double x[3][3];
        // twelve floats and two bytes a triangle: the normal, which is not read, then three corners
        for (int k = 0; k < 9; k++) {
            uint32_t bits = read_word(record + 12 + 4 * k);
            float number = 0;
            memcpy(&number, &bits, sizeof number);
            x[k / 3][k % 3] = (double)number;
            if (!tact_mesh_number_is_good(x[k / 3][k % 3]))
                return tact_mesh_refuse(source, NULL, errors, "triangle %lu has a corner that is not finite, or too far away",
                                        (unsigned long)t + 1);
        }
        if (!add_corners(mesh, x, no_memory)) return false;
    }
    return true;
}
