// SPDX-License-Identifier: MIT
// Protocol Buffers' wire format, as far as messages of numbers, strings and messages need it.
// Each field is its number and wire type, (number << 3 | type), and then its value; a field of the default value is left out.
#ifndef TACT_VIEW_PROTOBUF_H
#define TACT_VIEW_PROTOBUF_H

#include <stdint.h>

#include "tact/text.h"

// Little-endian integers of 1 to 8 bytes, as MCAP has them, too.
void tact_bytes_add(tact_text *out, uint64_t value, int count);
void tact_bytes_set(tact_text *out, size_t at, uint64_t value, int count);

void tact_protobuf_integer(tact_text *out, int field, uint64_t value);
void tact_protobuf_double(tact_text *out, int field, double value);
void tact_protobuf_string(tact_text *out, int field, const char *value);

// A message as a field: what is added between begin and end. begin returns the place that end takes.
size_t tact_protobuf_begin(tact_text *out, int field);
void tact_protobuf_end(tact_text *out, size_t place);

#endif
