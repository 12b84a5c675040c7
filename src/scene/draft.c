// SPDX-License-Identifier: MIT
#include "tact/draft.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tact/memory.h"

#define CHUNK 65536

struct tact_draft_chunk {
    tact_draft_chunk *before;
    max_align_t data[];
};

static void report_no_memory(const tact_draft *draft) {
    tact_errors_add(draft->errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
}

// tact_draft_add_NAME: one more item of a list of the draft, with these values to begin with; NULL when there is no memory.
#define DRAFT_LIST(name, type, list, count, room, ...)                                                \
    type *tact_draft_add_##name(tact_draft *draft) {                                                  \
        type *items = tact_memory_grow(draft->list, draft->count, &draft->room, 16, sizeof items[0]); \
        if (!items) report_no_memory(draft);                                                          \
        if (!items) return NULL;                                                                      \
        draft->list = items;                                                                          \
        items[draft->count] = (type){__VA_ARGS__};                                                    \
        return &items[draft->count++];                                                                \
    }
DRAFT_LIST(body, tact_draft_body, bodies, nbody, body_room, .ratio = 1, .robot = -1)
DRAFT_LIST(shape, tact_draft_shape, shapes, nshape, shape_room, .contype = 1, .conaffinity = 1, .mu = -1, .robot = -1)
DRAFT_LIST(drive, tact_draft_drive, drives, ndrive, drive_room, .robot = -1)
DRAFT_LIST(mesh, tact_draft_mesh, meshes, nmesh, mesh_room, .robot = -1, .scale = {1, 1, 1})
DRAFT_LIST(excluded, tact_draft_contact, excluded, nexcluded, excluded_room, .mu = -1, .robot = -1)
DRAFT_LIST(pair, tact_draft_contact, pairs, npair, pair_room, .mu = -1, .robot = -1)
DRAFT_LIST(keyframe, tact_draft_keyframe, keyframes, nkeyframe, keyframe_room, .robot = -1)
DRAFT_LIST(loop, tact_draft_loop, loops, nloop, loop_room, .stiffness = TACT_REAL(TACT_LOOP_STIFFNESS), .robot = -1)
DRAFT_LIST(spring, tact_draft_spring, springs, nspring, spring_room, .robot = -1)

void *tact_draft_take(tact_draft *draft, size_t size) {
    size_t unit = sizeof(max_align_t);
    size = size > SIZE_MAX / 2 ? SIZE_MAX : (size / unit + 1) * unit;
    if (size <= draft->chunk_left) {
        draft->chunk_left -= size;
        return (unsigned char *)draft->chunks->data + draft->chunk_left;
    }
    // what is large gets a chunk of its own, behind the one in use
    bool large = size > CHUNK / 4;
    size_t data = large ? size : CHUNK;
    tact_draft_chunk *chunk = size == SIZE_MAX ? NULL : tact_memory_get(sizeof *chunk + data);
    if (!chunk) {
        report_no_memory(draft);
        return NULL;
    }
    bool behind = large && draft->chunks;
    chunk->before = behind ? draft->chunks->before : draft->chunks;
    *(behind ? &draft->chunks->before : &draft->chunks) = chunk;
    if (behind) return chunk->data;
    draft->chunk_left = data - size;
    return (unsigned char *)chunk->data + draft->chunk_left;
}

const char *tact_draft_string(tact_draft *draft, const char *bytes, size_t size) {
    char *copy = tact_draft_take(draft, size + 1);
    if (!copy) return NULL;
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    return copy;
}

static void report(const tact_draft *draft, tact_error_kind kind, const tact_draft_mark *mark, const char *key,
                   const char *format, va_list arguments) TACT_PRINTF(5, 0);

static void report(const tact_draft *draft, tact_error_kind kind, const tact_draft_mark *mark, const char *key,
                   const char *format, va_list arguments) {
    if (!mark->json) {
        tact_errors_add_list(draft->errors, kind, mark->place, format, arguments);
        return;
    }
    int node = key ? tact_json_find(mark->json, mark->node, key) : -1;
    if (node < 0) node = mark->node;
    tact_json_report_list(mark->json, node, mark->json->nodes[node].at, kind, format, arguments);
}

void tact_draft_refuse(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(draft, TACT_ERROR_REFUSED, mark, key, format, arguments);
    va_end(arguments);
}

void tact_draft_warn(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(draft, TACT_ERROR_WARNING, mark, key, format, arguments);
    va_end(arguments);
}

void tact_draft_doubt(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    report(draft, draft->errors->strict ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING, mark, key, format, arguments);
    va_end(arguments);
}

void tact_draft_path(const tact_draft_mark *mark, char *out, size_t size) {
    if (mark->json) {
        tact_json_path(mark->json, mark->node, out, size);
    } else {
        snprintf(out, size, "%s", mark->place.path ? mark->place.path : "");
    }
}

// Frees the lists of a draft and the chunks that hold its strings and arrays; the errors stay.
void tact_draft_free(tact_draft *draft) {
    while (draft->chunks) {
        tact_draft_chunk *before = draft->chunks->before;
        tact_memory_release(draft->chunks);
        draft->chunks = before;
    }
    tact_memory_release(draft->bodies);
    tact_memory_release(draft->shapes);
    tact_memory_release(draft->drives);
    tact_memory_release(draft->meshes);
    tact_memory_release(draft->excluded);
    tact_memory_release(draft->pairs);
    tact_memory_release(draft->keyframes);
    tact_memory_release(draft->loops);
    tact_memory_release(draft->springs);
    *draft = (tact_draft){.errors = draft->errors};
}
