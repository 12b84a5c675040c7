// SPDX-License-Identifier: MIT
// MCAP files (mcap.dev, version 0): time-stamped messages of several channels, whose schemas stand in the file. Messages are
// gathered in chunks without compression, each with its index and CRC32; the file ends in a summary and an index of chunks.
#ifndef TACT_VIEW_MCAP_H
#define TACT_VIEW_MCAP_H

#include "tact/files.h"

enum { TACT_MCAP_CHANNELS = 8 };

typedef struct {
    uint64_t time;    // [ns]
    uint64_t offset;  // in the chunk
} tact_mcap_entry;

typedef struct {
    uint64_t start, end;                 // times of its messages [ns]
    uint64_t at, size;                   // of its record in the file
    uint64_t indices;                    // size of the indices behind it
    uint64_t content;                    // size of its messages
    uint64_t index[TACT_MCAP_CHANNELS];  // where the index of a channel stands in the file; 0: none
} tact_mcap_chunk;

typedef struct {
    tact_mcap_entry *entry;  // (count) in the chunk at hand
    size_t count, room;
    uint32_t sequence;  // messages so far
} tact_mcap_channel;

// Ends with tact_mcap_close.
typedef struct {
    tact_output *output;
    uint64_t written;  // bytes handed to the output and spilled
    uint32_t crc;      // of them
    int channels;
    tact_mcap_channel channel[TACT_MCAP_CHANNELS];
    tact_text definitions;             // records of schemas and channels, which the summary repeats
    size_t schemas;                    // of their bytes those of the schemas
    tact_text records;                 // of the chunk at hand
    size_t begun;                      // where the record of the message at hand begins in records
    uint64_t start, end, first, last;  // times of the chunk at hand, and of all [ns]
    tact_mcap_chunk *chunk;            // (chunks)
    size_t chunks, room;
    bool any;     // a message was begun
    bool failed;  // no memory
} tact_mcap;

// Begins a file on an output that is open and empty.
void tact_mcap_begin(tact_mcap *mcap, tact_output *output);

// A channel with a schema of its own; all before the first message. Returns its number.
int tact_mcap_add_channel(tact_mcap *mcap, const char *topic, const char *encoding, const char *schema,
                          const char *schema_encoding, const char *definition, size_t size);

// A message: its bytes are added to the returned text between begin and end. Times do not fall.
tact_text *tact_mcap_message_begin(tact_mcap *mcap, int channel, uint64_t time);
void tact_mcap_message_end(tact_mcap *mcap);

// Adds the rest of the file to the output. False when there was no memory.
bool tact_mcap_end(tact_mcap *mcap);

void tact_mcap_close(tact_mcap *mcap);

#endif
