// SPDX-License-Identifier: MIT
#include "scene/kind.h"

#include <stdint.h>
#include <string.h>

enum { LOOKED_AT = 4096, STL_HEAD = 84, STL_FACET = 50 };

// whether a word is among the first bytes
static bool has(const char *bytes, size_t size, const char *word) {
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= size && i < LOOKED_AT; i++)
        if (memcmp(bytes + i, word, length) == 0) return true;
    return false;
}

static bool begins(const char *bytes, size_t size, const char *word) {
    size_t length = strlen(word);
    return size >= length && memcmp(bytes, word, length) == 0;
}

static tact_file_kind kind_of_xml(const char *bytes, size_t size) {
    if (begins(bytes, size, "<html") || begins(bytes, size, "<!DOCTYPE html") || begins(bytes, size, "<!doctype html"))
        return TACT_KIND_HTML;
    if (has(bytes, size, "<robot")) return TACT_KIND_URDF;
    if (has(bytes, size, "<mujoco")) return TACT_KIND_MJCF;
    if (has(bytes, size, "<sdf")) return TACT_KIND_SDF;
    return has(bytes, size, "<COLLADA") ? TACT_KIND_COLLADA : TACT_KIND_XML;
}

static tact_file_kind kind_of_object(const char *bytes, size_t size) {
    if (has(bytes, size, "\"tact_trace\"")) return TACT_KIND_TRACE;
    if (has(bytes, size, "\"tact_roadmap\"")) return TACT_KIND_ROADMAP;
    if (has(bytes, size, "\"tact_batch\"")) return TACT_KIND_BATCH;
    if (begins(bytes, size, "{\"step\":")) return TACT_KIND_STEPS;
    return has(bytes, size, "\"tact_batch_manifest\"") ? TACT_KIND_MANIFEST : TACT_KIND_JSON;
}

// A line that begins as those of Wavefront's meshes do, after comments.
static bool is_obj(const char *bytes, size_t size) {
    static const char *const words[] = {"v ", "vn ", "vt ", "o ", "g ", "f ", "mtllib ", "usemtl "};
    size_t at = 0;
    bool comment = false;
    for (; at < size && (comment || bytes[at] == '#' || (bytes[at] && strchr(" \t\r\n", bytes[at]))); at++)
        comment = bytes[at] != '\n' && (comment || bytes[at] == '#');
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (at < size && begins(bytes + at, size - at, words[i])) return true;
    return false;
}

// A head of 80 bytes, the number of facets, and so many of them.
static bool is_binary_stl(const char *bytes, size_t size) {
    uint64_t count = 0;
    if (size < STL_HEAD) return false;
    for (int i = 3; i >= 0; i--) count = count * 256 + (unsigned char)bytes[80 + i];
    return count > 0 && STL_HEAD + count * STL_FACET == size;
}

// Behind its mark, or with a NUL in the first of its characters. XML may be so: its reader takes it.
static bool is_utf16(const char *bytes, size_t size) {
    bool marked = begins(bytes, size, "\xff\xfe") || begins(bytes, size, "\xfe\xff");
    if (size < 4) return false;
    if (marked) return bytes[2] != '<' && bytes[3] != '<';
    return (bytes[0] == '{' && !bytes[1] && bytes[2] && !bytes[3]) || (!bytes[0] && bytes[1] == '{' && !bytes[2] && bytes[3]);
}

// No text: it begins neither as JSON nor with a NUL, and holds one. Of a document with a NUL the place is reported instead.
static bool is_binary(const char *bytes, size_t size) {
    bool marked = begins(bytes, size, "\xff\xfe") || begins(bytes, size, "\xfe\xff");
    if (size < 4 || marked || !bytes[0] || strchr("{[ \t\r\n", bytes[0])) return false;
    return memchr(bytes, 0, size < LOOKED_AT ? size : LOOKED_AT) != NULL;
}

// The kind of a file by its first bytes, formats with a signature before those that are guessed from text.
tact_file_kind tact_kind_of(const char *bytes, size_t size) {
    size_t at = begins(bytes, size, "\xef\xbb\xbf") ? 3 : 0;
    if (is_binary_stl(bytes, size)) return TACT_KIND_STL;
    if (begins(bytes, size, "ply\n") || begins(bytes, size, "ply\r\n")) return TACT_KIND_PLY;
    if (begins(bytes, size, "\x93NUMPY")) return TACT_KIND_NPY;
    if (begins(bytes, size, "PK\x03\x04")) return TACT_KIND_ZIP;
    if (begins(bytes, size,
               "\x89"
               "MCAP"))
        return TACT_KIND_MCAP;
    if (begins(bytes, size, "\x1f\x8b")) return TACT_KIND_GZIP;
    if (is_utf16(bytes, size)) return TACT_KIND_UTF16;
    if (is_binary(bytes, size)) return TACT_KIND_BINARY;
    while (at < size && bytes[at] && strchr(" \t\r\n", bytes[at])) at++;
    const char *rest = bytes + at;
    size -= at;
    if (begins(rest, size, "<")) return kind_of_xml(rest, size);
    if (begins(rest, size, "{")) return kind_of_object(rest, size);
    if (begins(rest, size, "solid ") && has(rest, size, "facet ")) return TACT_KIND_STL;
    return is_obj(rest, size) ? TACT_KIND_OBJ : TACT_KIND_OTHER;
}

#define MESH(format)                                                                                                          \
    "a mesh (" format "): tact convert MESH --sdf 49 -o MESH.npy makes a shape of it; a robot's URDF or MJCF names it, with " \
    "--fit"

// What a file of this kind is and which command takes it, to end a refusal with; NULL where there is nothing to say.
const char *tact_kind_advice(tact_file_kind kind) {
    switch (kind) {
    case TACT_KIND_OTHER:
    case TACT_KIND_JSON: break;
    case TACT_KIND_URDF:
        return "a robot in URDF: tact new --robot FILE --object sphere:0.03 makes a scene with it, tact import FILE a robot file";
    case TACT_KIND_MJCF:
        return "a model in MJCF: tact new --robot FILE --object sphere:0.03 makes a scene with it, tact import FILE a robot file";
    case TACT_KIND_COLLADA: return MESH("COLLADA");
    case TACT_KIND_SDF: return "a model in SDF (of Gazebo): convert it to URDF or MJCF first";
    case TACT_KIND_XML: return "XML, and neither URDF nor MJCF";
    case TACT_KIND_HTML: return "a web page (HTML): download the file itself, on GitHub with the Raw button";
    case TACT_KIND_TRACE: return "a recorded run: tact plot, render, view, export and identify take it";
    case TACT_KIND_BATCH: return "a batch: tact batch takes it";
    case TACT_KIND_MANIFEST: return "the manifest of a batch: its folder is what tact batch and tact merge take";
    case TACT_KIND_OBJ: return MESH("OBJ");
    case TACT_KIND_STL: return MESH("STL");
    case TACT_KIND_PLY: return MESH("PLY");
    case TACT_KIND_NPY: return "an array of NumPy: numpy.load reads it";
    case TACT_KIND_MCAP: return "a recording in MCAP: Foxglove and Rerun open it; tact reads the trace that it was exported from";
    case TACT_KIND_ZIP: return "an archive (zip or npz)";
    case TACT_KIND_GZIP: return "a file compressed by gzip: gunzip it first";
    case TACT_KIND_UTF16: return "text in UTF-16: save it as UTF-8";
    case TACT_KIND_BINARY: return "a binary file";
    case TACT_KIND_STEPS:
        return "steps of a recorded run without its first line, which names all things: tact run SCENE --trace FILE writes both";
    case TACT_KIND_ROADMAP: return "a roadmap: tact mpc --roadmap takes it";
    }
    return NULL;
}

bool tact_kind_refuse(tact_source source, const char *wanted, tact_errors *errors) {
    const char *advice = tact_kind_advice(tact_kind_of(source.bytes, source.size));
    if (!advice) return false;
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = source.name}, "not %s but %s", wanted, advice);
    return true;
}

// By a key that each of them has near its beginning. Where the first line is an object by itself, as a line of a stream is, it
// must name itself one as well.
static bool is_scene(const char *bytes, size_t size) {
    const char *line = memchr(bytes, '\n', size);
    size_t end = line ? (size_t)(line - bytes) : size;
    while (end > 0 && bytes[end - 1] && strchr(" \t\r", bytes[end - 1])) end--;
    bool whole = end > 0 && bytes[end - 1] == '}', lists = has(bytes, size, "\"bodies\"") || has(bytes, size, "\"robots\"");
    bool named = has(bytes, size, "\"tact\":") || has(bytes, size, "\"tact\" :");
    return whole ? named && lists : named || lists;
}

bool tact_kind_refuse_lines(tact_source source, const char *wanted, const char *own, tact_errors *errors) {
    tact_file_kind kind = tact_kind_of(source.bytes, source.size);
    bool known = (kind == TACT_KIND_TRACE || kind == TACT_KIND_ROADMAP) && own && has(source.bytes, source.size, own);
    if (known || (kind == TACT_KIND_JSON && !is_scene(source.bytes, source.size))) return false;
    // text of several lines, none of which is JSON: a table, of which each line would be refused by itself
    const char *end = source.bytes ? memchr(source.bytes, '\n', source.size) : NULL;
    bool table = kind == TACT_KIND_OTHER && source.size > 0 && source.bytes[0] > ' ' && !has(source.bytes, source.size, "{") &&
                 !has(source.bytes, source.size, "[") && end && end + 1 < source.bytes + source.size;
    if (kind != TACT_KIND_JSON && !table) return tact_kind_refuse(source, wanted, errors);
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = source.name}, "not %s but %s", wanted,
                    table ? "a table or other text: a line is JSON" : "a scene or a robot file");
    return true;
}
