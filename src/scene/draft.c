// SPDX-License-Identifier: MIT
#include "tact/draft.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tact/json.h"
#include "tact/memory.h"

#define CHUNK 65536

struct tact_draft_chunk {
    tact_draft_chunk *before;
    max_align_t data[];
};

static void report_no_memory(const tact_draft *draft) {
    tact_errors_add(draft->errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
}

// room for one more item: the list as it is or a larger copy, NULL when there is no memory
static void *grow(const tact_draft *draft, void *items, int count, int *room, size_t item_size) {
    if (count < *room) return items;
    int more = *room < 16 ? 16 : *room > INT_MAX / 2 ? 0 : 2 * *room;
    void *larger = more > 0 && (size_t)more < SIZE_MAX / item_size ? tact_memory_get((size_t)more * item_size) : NULL;
    if (!larger) {
        report_no_memory(draft);
        return NULL;
    }
    if (count > 0) memcpy(larger, items, (size_t)count * item_size);
    tact_memory_release(items);
    *room = more;
    return larger;
}

tact_draft_body *tact_draft_add_body(tact_draft *draft) {
    tact_draft_body *bodies = grow(draft, draft->bodies, draft->nbody, &draft->body_room, sizeof bodies[0]);
    if (!bodies) return NULL;
    draft->bodies = bodies;
    bodies[draft->nbody] = (tact_draft_body){.ratio = 1, .robot = -1};
    return &bodies[draft->nbody++];
}

tact_draft_shape *tact_draft_add_shape(tact_draft *draft) {
    tact_draft_shape *shapes = grow(draft, draft->shapes, draft->nshape, &draft->shape_room, sizeof shapes[0]);
    if (!shapes) return NULL;
    draft->shapes = shapes;
    shapes[draft->nshape] = (tact_draft_shape){.contype = 1, .conaffinity = 1, .mu = -1, .robot = -1};
    return &shapes[draft->nshape++];
}

tact_draft_drive *tact_draft_add_drive(tact_draft *draft) {
    tact_draft_drive *drives = grow(draft, draft->drives, draft->ndrive, &draft->drive_room, sizeof drives[0]);
    if (!drives) return NULL;
    draft->drives = drives;
    drives[draft->ndrive] = (tact_draft_drive){.robot = -1};
    return &drives[draft->ndrive++];
}

tact_draft_mesh *tact_draft_add_mesh(tact_draft *draft) {
    tact_draft_mesh *meshes = grow(draft, draft->meshes, draft->nmesh, &draft->mesh_room, sizeof meshes[0]);
    if (!meshes) return NULL;
    draft->meshes = meshes;
    meshes[draft->nmesh] = (tact_draft_mesh){.robot = -1, .scale = {1, 1, 1}};
    return &meshes[draft->nmesh++];
}

tact_draft_contact *tact_draft_add_excluded(tact_draft *draft) {
    tact_draft_contact *excluded = grow(draft, draft->excluded, draft->nexcluded, &draft->excluded_room, sizeof excluded[0]);
    if (!excluded) return NULL;
    draft->excluded = excluded;
    excluded[draft->nexcluded] = (tact_draft_contact){.mu = -1, .robot = -1};
    return &excluded[draft->nexcluded++];
}

tact_draft_contact *tact_draft_add_pair(tact_draft *draft) {
    tact_draft_contact *pairs = grow(draft, draft->pairs, draft->npair, &draft->pair_room, sizeof pairs[0]);
    if (!pairs) return NULL;
    draft->pairs = pairs;
    pairs[draft->npair] = (tact_draft_contact){.mu = -1, .robot = -1};
    return &pairs[draft->npair++];
}

tact_draft_keyframe *tact_draft_add_keyframe(tact_draft *draft) {
    tact_draft_keyframe *keyframes = grow(draft, draft->keyframes, draft->nkeyframe, &draft->keyframe_room, sizeof keyframes[0]);
    if (!keyframes) return NULL;
    draft->keyframes = keyframes;
    keyframes[draft->nkeyframe] = (tact_draft_keyframe){.robot = -1};
    return &keyframes[draft->nkeyframe++];
}

tact_draft_loop *tact_draft_add_loop(tact_draft *draft) {
    tact_draft_loop *loops = grow(draft, draft->loops, draft->nloop, &draft->loop_room, sizeof loops[0]);
    if (!loops) return NULL;
    draft->loops = loops;
    loops[draft->nloop] = (tact_draft_loop){.stiffness = TACT_REAL(TACT_LOOP_STIFFNESS), .robot = -1};
    return &loops[draft->nloop++];
}

tact_draft_spring *tact_draft_add_spring(tact_draft *draft) {
    tact_draft_spring *springs = grow(draft, draft->springs, draft->nspring, &draft->spring_room, sizeof springs[0]);
    if (!springs) return NULL;
    draft->springs = springs;
    springs[draft->nspring] = (tact_draft_spring){.robot = -1};
    return &springs[draft->nspring++];
}

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
