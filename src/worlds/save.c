// SPDX-License-Identifier: MIT
// The state of a world as bytes: a head that says what it is of, and the arrays one behind the other.
#include <string.h>

#include "tact/memory.h"
#include "worlds/worlds.h"

enum { HEAD = 8, PARTS = 9 };

#define MARK 0x54434157u  // reads otherwise on a machine of the other byte order

typedef struct {
    void *data;
    size_t size;  // [bytes]
} save_part;

static void list_parts(const tact_model *model, tact_state *state, save_part part[PARTS]) {
    size_t nq = (size_t)model->nq * sizeof(tact_real), nv = (size_t)model->nv * sizeof(tact_real);
    size_t npair = 3 * (size_t)tact_model_pairs(model) * sizeof(tact_real);
    size_t found = (size_t)(tact_model_pairs(model) - model->npair) * sizeof(uint64_t);
    const save_part all[PARTS] = {
        {state->q, nq},         {state->v, nv},      {state->lambda, npair}, {state->anchor, npair},
        {state->normal, npair}, {state->q_past, nq}, {state->v_past, nv},    {&state->time, sizeof(tact_real)},
        {state->key, found}};
    memcpy(part, all, sizeof all);
}

static void write_head(const tact_worlds *worlds, uint32_t head[HEAD]) {
    const tact_model *model = &worlds->scene->model;
    const uint32_t all[HEAD] = {MARK,
                                1,
                                sizeof(tact_real),
                                (uint32_t)model->nq,
                                (uint32_t)model->nv,
                                (uint32_t)tact_model_pairs(model),
                                (uint32_t)model->nbody,
                                0};
    memcpy(head, all, sizeof all);
}

size_t tact_worlds_save(const tact_worlds *worlds, int world, void *bytes, size_t size) {
    save_part part[PARTS];
    uint32_t head[HEAD];
    size_t needed = sizeof head;
    TACT_ASSERT(world >= 0 && world < worlds->count);
    list_parts(&worlds->scene->model, &worlds->state[world], part);
    for (int i = 0; i < PARTS; i++) needed += part[i].size;
    if (!bytes || size < needed) return needed;
    // Head, then the parts of the state.
    write_head(worlds, head);
    head[HEAD - 1] = worlds->state[world].past;
    unsigned char *to = bytes;
    memcpy(to, head, sizeof head);
    to += sizeof head;
    for (int i = 0; i < PARTS; i++) {
        if (part[i].size > 0) memcpy(to, part[i].data, part[i].size);
        to += part[i].size;
    }
    return needed;
}

// Refuses a state that no step would accept, whatever the command.
static tact_fault check_state(const tact_worlds *worlds, int world) {
    TACT_ASSERT(0 <= world && world < worlds->count);
    const tact_scene *scene = tact_worlds_scene(worlds, world);
    tact_state *state = &worlds->state[world];
    tact_input input = {.u = worlds->u + (size_t)world * (size_t)scene->model.nu};
    tact_fault fault = tact_step_check(&scene->model, &scene->options, &input, state);
    // Faults of options or commands are not the state's.
    bool of_state = fault.field && strncmp(fault.field, "state", 5) == 0;
    if (of_state || !state->past) return of_state ? fault : (tact_fault){NULL, 0};
    tact_state before = *state;
    before.q = state->q_past;
    before.v = state->v_past;
    fault = tact_step_check(&scene->model, &scene->options, &input, &before);
    return fault.field && strncmp(fault.field, "state", 5) == 0 ? fault : (tact_fault){NULL, 0};
}

tact_status tact_worlds_load(tact_worlds *worlds, int world, const void *bytes, size_t size) {
    const tact_model *model = &worlds->scene->model;
    uint32_t head[HEAD], wanted[HEAD];
    TACT_ASSERT(world >= 0 && world < worlds->count);
    worlds->message[0] = '\0';
    if (size != tact_worlds_save(worlds, world, NULL, 0) || size < sizeof head)
        return tact_worlds_say(worlds, TACT_BAD_INPUT, "state: not the state of such a world: %zu bytes (expected %zu)", size,
                               tact_worlds_save(worlds, world, NULL, 0));
    memcpy(head, bytes, sizeof head);
    write_head(worlds, wanted);
    if (memcmp(head, wanted, sizeof head - sizeof head[0]) != 0 || head[HEAD - 1] > 1)
        return tact_worlds_say(worlds, TACT_BAD_INPUT, "state: not the state of such a world: another scene, version or machine");
    // what is refused goes back to what was there
    size_t room = tact_state_size(model);
    void *memory = tact_memory_get(room);
    tact_state kept, *state = &worlds->state[world];
    if (!memory || tact_state_init(&kept, model, memory, room) < 0) {
        tact_memory_release(memory);
        return tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    }
    tact_state_copy(&kept, state, model);
    const unsigned char *from = (const unsigned char *)bytes + sizeof head;
    bool past = head[HEAD - 1] == 1;
    save_part part[PARTS];
    list_parts(model, state, part);
    for (int i = 0; i < PARTS; i++) {
        if (part[i].size > 0) memcpy(part[i].data, from, part[i].size);
        from += part[i].size;
    }
    state->past = past;
    tact_fault fault = check_state(worlds, world);
    if (fault.field) tact_state_copy(state, &kept, model);
    tact_memory_release(memory);
    if (!fault.field) return TACT_CONVERGED;
    return tact_worlds_say(worlds, TACT_BAD_INPUT, "state: not the state of such a world: %s[%d] is refused", fault.field,
                           fault.index);
}
