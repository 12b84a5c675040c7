// SPDX-License-Identifier: MIT
// Duplicate keys by one hash table over all members of the document. The hash of a member is the polynomial of its key's
// bytes over its parent's number, modulo the prime 2^31 - 1 (Carter and Wegman 1979), at a point taken from the address of
// the table: whoever writes a file cannot know it, so no file makes the search slow. The answer does not depend on it.
#include <errno.h>
#include <string.h>

#include "scene/json_parts.h"
#include "tact/memory.h"

#define PRIME 2147483647u

typedef struct {
    const tact_json *json;
    uint32_t *slots;  // (2^bits) node, 0 free
    int bits;
    uint64_t point;
} table;

// the member before with the same parent and key, -1 when this one is new and now in the table
static int find_or_insert(table *t, int node) {
    const tact_json_node *nodes = t->json->nodes;
    const tact_json_node *member = &t->json->nodes[node];
    uint64_t h = (uint64_t)member->parent + 1;
    for (const char *c = member->item->string; *c; c++) h = (h * t->point + (unsigned char)*c) % PRIME;
    // keys that differ little must not crowd neighbouring slots: multiplied twice, the top bits taken
    h *= 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
    uint32_t slot = ((uint32_t)(h >> (64 - t->bits))), mask = ((uint32_t)1 << t->bits) - 1;
    for (; t->slots[slot]; slot = (slot + 1) & mask) {
        int other = (int)t->slots[slot];
        if (nodes[other].parent == nodes[node].parent && strcmp(nodes[other].item->string, nodes[node].item->string) == 0)
            return other;
    }
    t->slots[slot] = (uint32_t)node;
    return -1;
}

bool tact_json_check_duplicates(const tact_json *json) {
    uint32_t members = 0;
    for (int i = 0; i < json->count; i++) members += json->nodes[i].key_at != 0;
    table t = {.json = json, .bits = 4};
    // A hash table twice as large as there are members.
    while ((uint32_t)1 << t.bits < 2 * members) t.bits++;
    size_t size = sizeof t.slots[0] << t.bits;
    t.slots = tact_memory_get(size);
    if (!t.slots) return tact_file_refuse(json->source.name, ENOMEM, json->errors);
    memset(t.slots, 0, size);
    // Where the polynomial hash is evaluated depends on an address, so that no file can be made to collide.
    t.point = 256 + ((uintptr_t)t.slots >> 4) % (PRIME - 512);
    bool good = true;
    for (int i = 0; i < json->count; i++) {
        if (json->nodes[i].key_at == 0) continue;
        int first = find_or_insert(&t, i);
        if (first < 0) continue;
        good = false;
        // the lines of the two equal keys
        const tact_json_node *node = &json->nodes[i];
        int lines[2] = {0, 0};
        if (!tact_errors_full(json->errors, TACT_ERROR_REFUSED)) {
            lines[0] = tact_json_line(json, json->nodes[first].key_at);
            lines[1] = tact_json_line(json, node->key_at);
        }
        tact_json_report(json, node->parent, node->key_at, TACT_ERROR_REFUSED, "key %s given twice (lines %d and %d)",
                         tact_quote(node->item->string).text, lines[0], lines[1]);
    }
    tact_memory_release(t.slots);
    return good;
}
