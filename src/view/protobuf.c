// SPDX-License-Identifier: MIT
#include "view/protobuf.h"

#include <string.h>

enum { VARINT = 0, FIXED64 = 1, DELIMITED = 2 };

// bytes of a message's length: known only at its end, so that the varint is padded to the same width always
enum { LENGTH = 4 };

void tact_bytes_add(tact_text *out, uint64_t value, int count) {
    char bytes[8];
    for (int i = 0; i < count; i++) bytes[i] = (char)(unsigned char)(value >> (8 * i) & 255);
    tact_text_add_bytes(out, bytes, (size_t)count);
}

void tact_bytes_set(tact_text *out, size_t at, uint64_t value, int count) {
    for (int i = 0; i < count && !out->failed; i++) out->bytes[at + (size_t)i] = (char)(unsigned char)(value >> (8 * i) & 255);
}

// Seven bits a byte, the lowest first; the eighth says that another byte follows.
static void add_varint(tact_text *out, uint64_t value) {
    char bytes[10];
    size_t count = 0;
    for (; value > 127; value >>= 7) bytes[count++] = (char)(unsigned char)(128 | (value & 127));
    bytes[count++] = (char)value;
    tact_text_add_bytes(out, bytes, count);
}

static void add_tag(tact_text *out, int field, int type) {
    add_varint(out, (uint64_t)field << 3 | (uint64_t)type);
}

void tact_protobuf_integer(tact_text *out, int field, uint64_t value) {
    if (value == 0) return;
    add_tag(out, field, VARINT);
    add_varint(out, value);
}

void tact_protobuf_double(tact_text *out, int field, double value) {
    uint64_t bits = 0;
    if (value == 0) return;
    memcpy(&bits, &value, sizeof bits);
    add_tag(out, field, FIXED64);
    tact_bytes_add(out, bits, 8);
}

void tact_protobuf_string(tact_text *out, int field, const char *value) {
    size_t size = strlen(value);
    if (size == 0) return;
    add_tag(out, field, DELIMITED);
    add_varint(out, size);
    tact_text_add_bytes(out, value, size);
}

size_t tact_protobuf_begin(tact_text *out, int field) {
    add_tag(out, field, DELIMITED);
    tact_text_add_bytes(out, "\0\0\0\0", LENGTH);
    return out->size;
}

void tact_protobuf_end(tact_text *out, size_t place) {
    size_t size = out->size - place;
    for (int i = 0; i < LENGTH && !out->failed; i++) {
        unsigned bits = (unsigned)(size >> (7 * i) & 127);
        out->bytes[place - LENGTH + (size_t)i] = (char)(unsigned char)(i < LENGTH - 1 ? bits | 128 : bits);
    }
}
