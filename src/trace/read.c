// SPDX-License-Identifier: MIT
// A trace is read line by line: memory for one step, whatever the length of the run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contact/search.h"
#include "tact/files.h"
#include "tact/memory.h"
#include "tact/trace.h"

typedef struct {
    const char *name;
    int index;
} named;

typedef struct {
    tact_trace_reader reader;
    tact_lines lines;
    tact_text first;  // the bytes of the first line; its strings belong to names
    tact_json names;
    bool open;  // names is in use
    void *memory;
    tact_real *q, *v, *u, *q_past, *v_past;
    tact_trace_contact *contact;
    tact_vec3 *anchor, *normal;
    const char **coordinate, **dof, **command, **body, **shape;
    named *sorted;  // the shapes by name
    tact_pair *pair;
    int listed;  // pairs of the first line
} tact_trace_file;

// Memory of one step of the trace and of the header's lists; an arena without memory measures.
static void place_file(tact_trace_file *file, tact_arena *arena) {
    const tact_trace_header *header = &file->reader.header;
    size_t nq = (size_t)header->nq, nv = (size_t)header->nv, nu = (size_t)header->nu, npair = (size_t)header->npair;
    // A state of the trace, its contacts, then the names.
    file->q = tact_arena_take(arena, nq, sizeof(tact_real));
    file->v = tact_arena_take(arena, nv, sizeof(tact_real));
    file->u = tact_arena_take(arena, nu, sizeof(tact_real));
    file->q_past = tact_arena_take(arena, nq, sizeof(tact_real));
    file->v_past = tact_arena_take(arena, nv, sizeof(tact_real));
    file->contact = tact_arena_take(arena, npair, sizeof(tact_trace_contact));
    file->anchor = tact_arena_take(arena, npair, sizeof(tact_vec3));
    file->normal = tact_arena_take(arena, npair, sizeof(tact_vec3));
    file->coordinate = tact_arena_take(arena, nq, sizeof(char *));
    file->dof = tact_arena_take(arena, nv, sizeof(char *));
    file->command = tact_arena_take(arena, nu, sizeof(char *));
    file->body = tact_arena_take(arena, (size_t)header->nbody, sizeof(char *));
    file->shape = tact_arena_take(arena, (size_t)header->nshape, sizeof(char *));
    file->sorted = tact_arena_take(arena, (size_t)header->nshape, sizeof(named));
    file->pair = tact_arena_take(arena, npair, sizeof(tact_pair));
}

static void read_names(const tact_json *json, const char *key, const char **names) {
    int node = tact_json_find(json, 0, key), count = 0;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i))
        names[count++] = tact_json_get_string(json, i, 1024);
}

static int compare_named(const void *a, const void *b) {
    return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

static int find_shape(const tact_json *json, int node, const tact_trace_file *file) {
    named wanted = {tact_json_get_string(json, node, 1024), 0};
    if (!wanted.name) return 0;
    const named *found = bsearch(&wanted, file->sorted, (size_t)file->reader.header.nshape, sizeof(named), compare_named);
    if (!found) tact_json_refuse(json, node, "no shape %s", tact_quote(wanted.name).text);
    return found ? found->index : 0;
}

static bool read_header(tact_trace_file *file, tact_errors *errors) {
    static const char *const arrays[] = {"bodies", "shapes", "pairs", "dofs", "coordinates", "commands"};
    const tact_json *json = &file->names;
    tact_trace_header *header = &file->reader.header;
    int version = 0, *counts[] = {&header->nbody, &header->nshape, &header->npair, &header->nv, &header->nq, &header->nu};
    // Version, scene and law; then the lengths of all lists.
    if (!tact_json_expect(json, 0, TACT_JSON_OBJECT)) return false;
    tact_json_get_integer(json, tact_json_need(json, 0, "tact_trace"), 1, 1, &version);
    header->scene = tact_json_get_string(json, tact_json_need(json, 0, "scene"), TACT_TEXT_LIMIT);
    header->law = tact_json_get_string(json, tact_json_need(json, 0, "law"), TACT_NAME_MAX);
    tact_json_get_number(json, tact_json_need(json, 0, "dt"), tact_range_above(0), &header->dt);
    for (int i = 0; i < 6; i++) {
        int count = tact_json_length(json, tact_json_need(json, 0, arrays[i]));
        *counts[i] = count < 0 ? 0 : count;
    }
    // Behind the listed pairs those that each step finds.
    int most = 0, room = tact_json_find(json, 0, "max_contacts");
    if (room >= 0) tact_json_get_integer(json, room, 1, 10000000, &most);
    file->listed = header->npair;
    header->npair += most;
    // Memory for the lists, then their names.
    if (errors->errors > 0) return false;
    // Measured, taken, placed: one function does both.
    tact_arena arena = {0};
    place_file(file, &arena);
    arena.memory = file->memory = tact_memory_get(arena.used);
    if (!arena.memory) return tact_file_refuse(file->lines.name, ENOMEM, errors);
    arena.size = arena.used;
    arena.used = 0;
    place_file(file, &arena);

    read_names(json, "bodies", file->body);
    read_names(json, "dofs", file->dof);
    read_names(json, "coordinates", file->coordinate);
    read_names(json, "commands", file->command);
    // Shapes of the recording's arrays.
    int count = 0, node = tact_json_find(json, 0, "shapes");
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        const char *name = tact_json_get_string(json, tact_json_need(json, i, "name"), 1024);
        file->sorted[count] = (named){name ? name : "", count};
        file->shape[count++] = name;
    }
    qsort(file->sorted, (size_t)count, sizeof(named), compare_named);
    // Pairs by the names of their shapes.
    node = tact_json_find(json, 0, "pairs");
    tact_pair *pair = file->pair;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), pair++) {
        *pair = (tact_pair){0};
        pair->a = find_shape(json, tact_json_need(json, i, "a"), file);
        pair->b = find_shape(json, tact_json_need(json, i, "b"), file);
        tact_json_get_number(json, tact_json_need(json, i, "mu"), tact_range_from(0), &pair->mu);
        tact_json_get_number(json, tact_json_find(json, i, "restitution"), tact_range_any(), &pair->restitution);
        int vertex = tact_json_find(json, i, "vertex");
        if (vertex >= 0) tact_json_get_integer(json, vertex, -64, 64, &pair->vertex);
    }
    header->body = file->body;
    header->dof = file->dof;
    header->coordinate = file->coordinate;
    header->command = file->command;
    header->shape = file->shape;
    header->pair = file->pair;
    return errors->errors == 0;
}

// The first line, copied because its strings stay.
static bool read_first(tact_trace_file *file, tact_errors *errors) {
    tact_source line;
    // An empty file has no header.
    tact_lines_status status = tact_lines_next(&file->lines, &line, errors);
    if (status == TACT_LINES_END) tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = file->lines.name}, "is empty");
    if (status != TACT_LINES_LINE) return false;
    tact_text_add_bytes(&file->first, line.bytes, line.size);
    if (file->first.failed) return tact_file_refuse(file->lines.name, ENOMEM, errors);
    line.bytes = file->first.bytes;
    file->open = tact_json_read(&file->names, line, errors);
    return file->open && read_header(file, errors);
}

tact_trace_reader *tact_trace_reader_open(const char *path, tact_errors *errors) {
    TACT_ASSERT(path && errors);
    tact_trace_file *file = tact_memory_get(sizeof *file);
    if (!file) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = tact_text_name(path)}, "out of memory");
        return NULL;
    }
    *file = (tact_trace_file){.lines.file = -1};
    file->reader.memory = file;
    if (tact_lines_open(&file->lines, path, errors) && read_first(file, errors)) return &file->reader;
    tact_trace_close(&file->reader);
    return NULL;
}

void tact_trace_close(tact_trace_reader *reader) {
    if (!reader) return;
    tact_trace_file *file = reader->memory;
    if (file->open) tact_json_free(&file->names);
    tact_text_free(&file->first);
    tact_lines_close(&file->lines);
    tact_memory_release(file->memory);
    tact_memory_release(file);
}

const tact_json *tact_trace_reader_json(tact_trace_reader *reader, tact_errors *errors) {
    TACT_ASSERT(reader);
    tact_trace_file *file = reader->memory;
    file->names.errors = errors;
    return &file->names;
}

static tact_vec3 read_vec3(const tact_json *json, int node) {
    tact_real x[3] = {0, 0, 0};
    tact_json_get_vector(json, node, 3, tact_range_any(), x);
    return tact_vec3_make(x[0], x[1], x[2]);
}

// Reads one contact of a step; of a pair that the broad phase found also its shapes.
static void read_contact(const tact_json *json, int node, tact_trace_file *file, tact_trace_contact *contact) {
    int npair = file->reader.header.npair;
    TACT_ASSERT(npair > 0);
    *contact = (tact_trace_contact){0};
    tact_json_get_integer(json, tact_json_need(json, node, "pair"), 0, npair - 1, &contact->pair);
    tact_json_get_number(json, tact_json_need(json, node, "gap"), tact_range_any(), &contact->gap);
    contact->point = read_vec3(json, tact_json_need(json, node, "point"));
    contact->normal = read_vec3(json, tact_json_need(json, node, "normal"));
    tact_json_get_vector(json, tact_json_need(json, node, "frame"), 9, tact_range_any(), &contact->frame.m[0][0]);
    contact->force = read_vec3(json, tact_json_need(json, node, "force"));
    tact_json_get_vector(json, tact_json_need(json, node, "lambda"), 3, tact_range_any(), contact->lambda);
    tact_json_get_bool(json, tact_json_find(json, node, "degenerate"), &contact->degenerate);
    // A pair that was found has the names of its shapes here.
    tact_pair *pair = &file->pair[contact->pair];
    if (contact->pair >= file->listed) {
        int vertex = tact_json_find(json, node, "vertex");
        *pair = (tact_pair){0};
        pair->a = find_shape(json, tact_json_need(json, node, "a"), file);
        pair->b = find_shape(json, tact_json_need(json, node, "b"), file);
        if (vertex >= 0) tact_json_get_integer(json, vertex, -4, 2, &pair->vertex);
    }
    contact->a = pair->a;
    contact->b = pair->b;
    contact->vertex = pair->vertex;
}

static void read_status(const tact_json *json, tact_trace_step *step) {
    int node = tact_json_need(json, 0, "status");
    const char *word = tact_json_get_string(json, node, TACT_NAME_MAX);
    // Names of all status values.
    for (int i = -16; word && i <= 16; i++) {
        step->status = (tact_status)i;
        if (strcmp(tact_status_name(step->status), word) == 0 && strcmp(word, "unknown") != 0) return;
    }
    if (word) tact_json_refuse(json, node, "unknown status %s", tact_quote(word).text);
}

// Reads the line of a step into the reader's step, whose arrays are the file's own.
static void read_step(const tact_json *json, tact_trace_file *file) {
    tact_trace_step *step = &file->reader.step;
    const tact_trace_header *header = &file->reader.header;
    int decrement = tact_json_find(json, 0, "decrement");
    step->iterations = 0;
    step->decrement = 0;
    tact_json_get_integer(json, tact_json_need(json, 0, "step"), 0, 2147483647, &step->step);
    tact_json_get_number(json, tact_json_need(json, 0, "t"), tact_range_any(), &step->time);
    tact_json_get_vector(json, tact_json_need(json, 0, "q"), header->nq, tact_range_any(), file->q);
    tact_json_get_vector(json, tact_json_need(json, 0, "v"), header->nv, tact_range_any(), file->v);
    tact_json_get_vector(json, tact_json_need(json, 0, "u"), header->nu, tact_range_any(), file->u);
    read_status(json, step);
    tact_json_get_integer(json, tact_json_find(json, 0, "iterations"), 0, 2147483647, &step->iterations);
    // null where it was not finite
    if (decrement >= 0 && tact_json_type(json, decrement) != TACT_JSON_NULL)
        tact_json_get_number(json, decrement, tact_range_any(), &step->decrement);
    // Contacts of the step, no more than pairs
    int npair = file->reader.header.npair, node = tact_json_need(json, 0, "contacts");
    // More contacts than pairs cannot be.
    int count = tact_json_length(json, node);
    tact_trace_contact *contact = file->contact;
    file->reader.step.ncontact = 0;
    if (count > npair) tact_json_refuse(json, node, "%d contacts, but the first line names %d pairs", count, npair);
    if (!(count < 0 || count > npair)) {
        for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) read_contact(json, i, file, contact++);
        file->reader.step.ncontact = count;
    }
    // Anchors by their pair; a pair that is not listed has none stored.
    int anchors = tact_json_find(json, 0, "anchors");
    bool stored = anchors >= 0 && tact_json_expect(json, anchors, TACT_JSON_ARRAY);
    for (int i = 0; i < npair; i++) file->anchor[i] = file->normal[i] = tact_vec3_make(0, 0, 0);
    for (int i = stored ? tact_json_first(json, anchors) : -1; i >= 0; i = tact_json_after(json, i)) {
        int pair = -1;
        if (!tact_json_get_integer(json, tact_json_need(json, i, "pair"), 0, npair - 1, &pair)) continue;
        file->anchor[pair] = read_vec3(json, tact_json_need(json, i, "anchor"));
        file->normal[pair] = read_vec3(json, tact_json_need(json, i, "normal"));
    }
    step->nq = header->nq;
    step->nv = header->nv;
    step->npair = header->npair;
    int past = tact_json_find(json, 0, "q_past");
    if (past >= 0) {
        tact_json_get_vector(json, past, header->nq, tact_range_any(), file->q_past);
        tact_json_get_vector(json, tact_json_need(json, 0, "v_past"), header->nv, tact_range_any(), file->v_past);
    }
    step->q_past = past >= 0 ? file->q_past : NULL;
    step->v_past = past >= 0 ? file->v_past : NULL;
    step->q = file->q;
    step->v = file->v;
    step->u = file->u;
    step->contact = file->contact;
    step->anchor = file->anchor;
    step->normal = file->normal;
}

int tact_trace_reader_next(tact_trace_reader *reader, tact_errors *errors) {
    TACT_ASSERT(reader && errors);
    tact_trace_file *file = reader->memory;
    int before = errors->errors;
    tact_source line;
    tact_json json;
    tact_lines_status status = tact_lines_next(&file->lines, &line, errors);
    if (status == TACT_LINES_LINE && tact_json_read(&json, line, errors)) {
        if (tact_json_expect(&json, 0, TACT_JSON_OBJECT)) read_step(&json, file);
        tact_json_free(&json);
    }
    if (status == TACT_LINES_END) return 0;
    return errors->errors > before ? -1 : 1;
}

static void tell(const tact_errors *errors, char *message, size_t message_size) {
    if (message_size > 0) snprintf(message, message_size, "%s", errors->kept > 0 ? errors->items[0].text : "");
}

tact_trace_reader *tact_trace_open(const char *path, char *message, size_t message_size) {
    TACT_ASSERT(path && (message || message_size == 0));
    tact_errors errors = {0};
    tact_trace_reader *reader = tact_trace_reader_open(path, &errors);
    tell(&errors, message, message_size);
    return reader;
}

int tact_trace_next(tact_trace_reader *reader, char *message, size_t message_size) {
    TACT_ASSERT(reader && (message || message_size == 0));
    tact_errors errors = {0};
    int got = tact_trace_reader_next(reader, &errors);
    tell(&errors, message, message_size);
    return got;
}

tact_status tact_trace_restore(const tact_trace_step *step, const tact_model *model, tact_state *state) {
    TACT_ASSERT(step && model && state);
    TACT_ASSERT(state->nq == model->nq && state->nv == model->nv && state->npair == tact_model_pairs(model));
    if (step->status < 0 || step->nq != model->nq || step->nv != model->nv || step->npair != state->npair) return TACT_BAD_INPUT;
    for (int i = 0; i < model->nq; i++) state->q[i] = step->q[i];
    for (int i = 0; i < model->nv; i++) state->v[i] = step->v[i];
    state->past = step->q_past != NULL;
    for (int i = 0; i < model->nq; i++) state->q_past[i] = state->past ? step->q_past[i] : step->q[i];
    for (int i = 0; i < model->nv; i++) state->v_past[i] = state->past ? step->v_past[i] : step->v[i];
    // Pairs without a contact have no force.
    for (int i = 0; i < state->npair; i++) {
        for (int k = 0; k < 3; k++) state->lambda[3 * i + k] = 0;
        state->anchor[i] = step->anchor[i];
        state->normal[i] = step->normal[i];
    }
    for (int i = 0; i < step->ncontact; i++)
        for (int k = 0; k < 3; k++) state->lambda[3 * step->contact[i].pair + k] = step->contact[i].lambda[k];
    // Of pairs that were found only those in contact are known; they come to stand side by side, in their order.
    int to = model->npair;
    for (int i = 0; i < step->ncontact; i++) {
        const tact_trace_contact *contact = &step->contact[i];
        int from = contact->pair;
        // listed pairs have their own places
        if (from < model->npair) continue;
        // The key of the slot that a contact was in.
        const int *slot_of = model->names ? model->names->slot_of : NULL;
        int a = contact->a, b = contact->b, k = 0;
        if (slot_of && slot_of[a] >= 0) a = slot_of[a];
        if (slot_of && slot_of[b] >= 0) b = slot_of[b];
        tact_patch patch = tact_search_patch(model, a, b);
        for (int slots = tact_patch_slots(&patch); k < slots - 1; k++) {
            tact_pair slot = tact_patch_slot(&patch, k);
            if (slot.a == contact->a && slot.b == contact->b && slot.vertex == contact->vertex) break;
        }
        state->key[to - model->npair] = tact_search_key(a, b, k);
        for (int row = 0; row < 3; row++) state->lambda[3 * to + row] = contact->lambda[row];
        state->anchor[to] = step->anchor[from];
        state->normal[to++] = step->normal[from];
    }
    // places that are left: no force, and the key above all others
    for (int i = to; i < state->npair; i++) {
        for (int row = 0; row < 3; row++) state->lambda[3 * i + row] = 0;
        state->key[i - model->npair] = UINT64_MAX;
        state->anchor[i] = state->normal[i] = tact_vec3_make(0, 0, 0);
    }
    state->time = step->time;
    return TACT_CONVERGED;
}
