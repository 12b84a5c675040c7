// SPDX-License-Identifier: MIT
// Open addressing. The hash of a name is the polynomial of its bytes over its scope modulo the prime 2^31 - 1 (Carter and
// Wegman 1979), at a point taken from the address of the table, which whoever writes a file cannot know. It grows byte by
// byte, so that all beginnings of a name are looked up in one pass. No answer depends on it.
#include "scene/names.h"

#include <string.h>

#define PRIME 2147483647u

static uint64_t hash_begin(int scope) {
    return (uint64_t)scope + 2;
}

static uint64_t hash_byte(const tact_name_table *table, uint64_t hash, char byte) {
    return (hash * table->point + (unsigned char)byte + 1) % PRIME;
}

// the slot where a name of this hash is, or the free one where it would be
static tact_name_slot *find_slot(const tact_name_table *table, uint64_t hash, int scope, const char *name, size_t size) {
    uint64_t mask = ((uint64_t)1 << table->bits) - 1;
    // names that differ little must not crowd neighbouring slots: multiplied twice, the top bits taken
    uint64_t mixed = hash * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u;
    for (uint64_t i = mixed >> (64 - table->bits);; i = (i + 1) & mask) {
        tact_name_slot *slot = &table->slots[i];
        if (!slot->name) return slot;
        if (slot->scope == scope && slot->size == size && memcmp(slot->name, name, size) == 0) return slot;
    }
}

static tact_name_slot *find_name(const tact_name_table *table, int scope, const char *name, size_t size) {
    uint64_t hash = hash_begin(scope);
    for (size_t i = 0; i < size; i++) hash = hash_byte(table, hash, name[i]);
    return find_slot(table, hash, scope, name, size);
}

bool tact_name_table_make(tact_name_table *table, tact_draft *draft, int most) {
    *table = (tact_name_table){.bits = 4};
    while ((int64_t)1 << table->bits < 2 * (int64_t)most) table->bits++;
    size_t size = sizeof table->slots[0] << table->bits;
    table->slots = tact_draft_take(draft, size);
    if (!table->slots) return false;
    memset(table->slots, 0, size);
    table->point = 256 + ((uintptr_t)table->slots >> 4) % (PRIME - 512);
    return true;
}

int tact_name_table_add(tact_name_table *table, int scope, const char *name, size_t size, int value) {
    tact_name_slot *slot = find_name(table, scope, name, size);
    if (slot->name) return slot->value;
    *slot = (tact_name_slot){.name = name, .size = (uint32_t)size, .scope = scope, .value = value};
    return -1;
}

int tact_name_table_find(const tact_name_table *table, int scope, const char *name) {
    const tact_name_slot *slot = find_name(table, scope, name, strlen(name));
    return slot->name ? slot->value : -1;
}

int tact_name_table_find_begin(const tact_name_table *table, int scope, const char *name, const bool *lengths, bool *hit) {
    size_t size = strlen(name);
    uint64_t hash = hash_begin(scope);
    int least = -1;
    for (size_t length = 0; length <= size; length++) {
        const tact_name_slot *slot = lengths[length] ? find_slot(table, hash, scope, name, length) : NULL;
        if (slot && slot->name) {
            hit[slot->value] = true;
            if (least < 0 || slot->value < least) least = slot->value;
        }
        if (length < size) hash = hash_byte(table, hash, name[length]);
    }
    return least;
}
