// SPDX-License-Identifier: MIT
#include "tact/view.h"

#include <string.h>

#include "tact/memory.h"
#include "trace/checksum.h"
#include "view/protobuf.h"

// a chunk is closed when it holds so much [bytes]
#define CHUNK 1048576

static const char magic[8] = {(char)0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

enum {
    HEADER = 1,
    FOOTER = 2,
    SCHEMA = 3,
    CHANNEL = 4,
    MESSAGE = 5,
    CHUNK_RECORD = 6,
    MESSAGE_INDEX = 7,
    CHUNK_INDEX = 8,
    STATISTICS = 11,
    SUMMARY_OFFSET = 14,
    DATA_END = 15,
};

// A record is its kind, the size of its content, and that.
static size_t begin_record(tact_text *out, int kind) {
    tact_bytes_add(out, (uint64_t)kind, 1);
    tact_bytes_add(out, 0, 8);
    return out->size;
}

static void end_record(tact_text *out, size_t place) {
    tact_bytes_set(out, place - 8, out->size - place, 8);
}

// Strings, bytes, lists and maps have their size before them.
static void add_sized(tact_text *out, const char *bytes, size_t size) {
    tact_bytes_add(out, size, 4);
    tact_text_add_bytes(out, bytes, size);
}

static void add_string(tact_text *out, const char *string) {
    add_sized(out, string, strlen(string));
}

// Where the next byte of the file stands; the bytes so far join the checksum when they are handed on.
static uint64_t place_in_file(const tact_mcap *mcap) {
    return mcap->written + mcap->output->text.size;
}

static void hand_on(tact_mcap *mcap) {
    tact_text *text = &mcap->output->text;
    if (!text->failed) mcap->crc = tact_crc32(mcap->crc, text->bytes, text->size);
    mcap->written += text->size;
    tact_output_flush(mcap->output);
}

void tact_mcap_begin(tact_mcap *mcap, tact_output *output) {
    TACT_ASSERT(mcap && output);
    *mcap = (tact_mcap){.output = output};
    tact_text_add_bytes(&output->text, magic, sizeof magic);
    size_t header = begin_record(&output->text, HEADER);
    add_string(&output->text, "");
    add_string(&output->text, "tact " TACT_VERSION);
    end_record(&output->text, header);
}

int tact_mcap_add_channel(tact_mcap *mcap, const char *topic, const char *encoding, const char *schema,
                          const char *schema_encoding, const char *definition, size_t size) {
    TACT_ASSERT(mcap->channels < TACT_MCAP_CHANNELS);
    tact_text *out = &mcap->definitions, channels = {0};
    int id = mcap->channels++;
    // schemas stand before channels: those that are there already move behind the new one
    if (out->size > mcap->schemas) tact_text_add_bytes(&channels, out->bytes + mcap->schemas, out->size - mcap->schemas);
    out->size = mcap->schemas;
    size_t record = begin_record(out, SCHEMA);
    tact_bytes_add(out, (uint64_t)id + 1, 2);
    add_string(out, schema);
    add_string(out, schema_encoding);
    add_sized(out, definition, size);
    end_record(out, record);
    mcap->schemas = out->size;
    if (channels.size > 0) tact_text_add_bytes(out, channels.bytes, channels.size);
    record = begin_record(out, CHANNEL);
    tact_bytes_add(out, (uint64_t)id, 2);
    tact_bytes_add(out, (uint64_t)id + 1, 2);
    add_string(out, topic);
    add_string(out, encoding);
    add_sized(out, "", 0);
    end_record(out, record);
    mcap->failed = mcap->failed || channels.failed;
    tact_text_free(&channels);
    return id;
}

static bool note_message(tact_mcap_channel *channel, uint64_t time, uint64_t offset) {
    tact_mcap_entry *entry = tact_memory_grow(channel->entry, channel->count, &channel->room, 16, sizeof *entry);
    if (!entry) return false;
    channel->entry = entry;
    channel->entry[channel->count++] = (tact_mcap_entry){time, offset};
    return true;
}

// Begins a message of a channel and notes its time for the chunk's index. The caller adds the data to the text that is returned,
// then calls tact_mcap_message_end.
tact_text *tact_mcap_message_begin(tact_mcap *mcap, int channel, uint64_t time) {
    TACT_ASSERT(channel >= 0 && channel < mcap->channels && time >= mcap->last);
    tact_text *out = &mcap->records;
    tact_mcap_channel *to = &mcap->channel[channel];
    if (!note_message(to, time, out->size)) mcap->failed = true;
    if (out->size == 0) mcap->start = time;
    if (!mcap->any) mcap->first = time;
    mcap->any = true;
    mcap->end = mcap->last = time;
    mcap->begun = begin_record(out, MESSAGE);
    tact_bytes_add(out, (uint64_t)channel, 2);
    tact_bytes_add(out, to->sequence++, 4);
    tact_bytes_add(out, time, 8);
    tact_bytes_add(out, time, 8);
    return out;
}

// Writes the records gathered so far as a chunk with its indices.
static void add_chunk(tact_mcap *mcap) {
    tact_text *out = &mcap->output->text, *records = &mcap->records;
    if (records->size == 0) return;
    tact_mcap_chunk *chunk = tact_memory_grow(mcap->chunk, mcap->chunks, &mcap->room, 16, sizeof *chunk);
    mcap->failed = mcap->failed || !chunk;
    if (!chunk) return;
    mcap->chunk = chunk;
    // Schemas and channels stand before the first chunk.
    if (mcap->chunks == 0) tact_text_add_bytes(out, mcap->definitions.bytes, mcap->definitions.size);
    chunk += mcap->chunks++;
    *chunk = (tact_mcap_chunk){.start = mcap->start, .end = mcap->end, .at = place_in_file(mcap), .content = records->size};
    // Times, uncompressed size, checksum, no compression, then the records.
    size_t record = begin_record(out, CHUNK_RECORD);
    tact_bytes_add(out, chunk->start, 8);
    tact_bytes_add(out, chunk->end, 8);
    tact_bytes_add(out, chunk->content, 8);
    tact_bytes_add(out, records->failed ? 0 : tact_crc32(0, records->bytes, records->size), 4);
    add_string(out, "");
    tact_bytes_add(out, chunk->content, 8);
    tact_text_add_bytes(out, records->bytes, records->size);
    end_record(out, record);
    chunk->size = place_in_file(mcap) - chunk->at;
    // A Message Index record for each channel of the chunk; the channels' lists are empty after it.
    uint64_t begin = place_in_file(mcap);
    for (int c = 0; c < mcap->channels; c++) {
        tact_mcap_channel *channel = &mcap->channel[c];
        if (channel->count == 0) continue;
        // Time and offset within the chunk of each message of the channel.
        chunk->index[c] = place_in_file(mcap);
        size_t list = begin_record(out, MESSAGE_INDEX);
        tact_bytes_add(out, (uint64_t)c, 2);
        tact_bytes_add(out, 16 * (uint64_t)channel->count, 4);
        for (int i = 0; i < channel->count; i++) {
            tact_bytes_add(out, channel->entry[i].time, 8);
            tact_bytes_add(out, channel->entry[i].offset, 8);
        }
        end_record(out, list);
        channel->count = 0;
    }
    chunk->indices = place_in_file(mcap) - begin;
    mcap->failed = mcap->failed || records->failed;
    tact_text_clear(records);
    hand_on(mcap);
}

void tact_mcap_message_end(tact_mcap *mcap) {
    end_record(&mcap->records, mcap->begun);
    if (mcap->records.size >= CHUNK) add_chunk(mcap);
}

// Adds a Chunk Index record for each chunk.
static void add_chunk_indices(const tact_mcap *mcap, tact_text *out) {
    for (int k = 0; k < mcap->chunks; k++) {
        const tact_mcap_chunk *chunk = &mcap->chunk[k];
        size_t record = begin_record(out, CHUNK_INDEX);
        tact_bytes_add(out, chunk->start, 8);
        tact_bytes_add(out, chunk->end, 8);
        tact_bytes_add(out, chunk->at, 8);
        tact_bytes_add(out, chunk->size, 8);
        // Where each channel's index stands, behind the size of that map.
        size_t map = out->size;
        tact_bytes_add(out, 0, 4);
        for (int c = 0; c < mcap->channels; c++) {
            if (chunk->index[c] == 0) continue;
            tact_bytes_add(out, (uint64_t)c, 2);
            tact_bytes_add(out, chunk->index[c], 8);
        }
        tact_bytes_set(out, map, out->size - map - 4, 4);
        tact_bytes_add(out, chunk->indices, 8);
        add_string(out, "");
        tact_bytes_add(out, chunk->content, 8);
        tact_bytes_add(out, chunk->content, 8);
        end_record(out, record);
    }
}

static void add_group_offset(tact_text *out, int kind, uint64_t start, uint64_t end) {
    if (start == end) return;
    size_t record = begin_record(out, SUMMARY_OFFSET);
    tact_bytes_add(out, (uint64_t)kind, 1);
    tact_bytes_add(out, start, 8);
    tact_bytes_add(out, end - start, 8);
    end_record(out, record);
}

bool tact_mcap_end(tact_mcap *mcap) {
    TACT_ASSERT(mcap);
    tact_text *out = &mcap->output->text;
    add_chunk(mcap);
    hand_on(mcap);
    size_t record = begin_record(out, DATA_END);
    tact_bytes_add(out, mcap->crc, 4);
    end_record(out, record);
    hand_on(mcap);

    // the summary: all definitions again, then what is where; its groups are found by offsets
    uint64_t at[5] = {place_in_file(mcap)};
    tact_text_add_bytes(out, mcap->definitions.bytes, mcap->definitions.size);
    at[1] = at[0] + mcap->schemas;
    at[2] = place_in_file(mcap);
    // the Statistics record
    uint64_t messages = 0;
    for (int c = 0; c < mcap->channels; c++) messages += mcap->channel[c].sequence;
    size_t statistics = begin_record(out, STATISTICS);
    // messages, schemas, channels, attachments, metadata, chunks, first and last time, then messages of each channel
    tact_bytes_add(out, messages, 8);
    tact_bytes_add(out, (uint64_t)mcap->channels, 2);
    tact_bytes_add(out, (uint64_t)mcap->channels, 4);
    tact_bytes_add(out, 0, 4);
    tact_bytes_add(out, 0, 4);
    tact_bytes_add(out, (uint64_t)mcap->chunks, 4);
    tact_bytes_add(out, mcap->first, 8);
    tact_bytes_add(out, mcap->last, 8);
    tact_bytes_add(out, 10 * (uint64_t)mcap->channels, 4);
    for (int c = 0; c < mcap->channels; c++) {
        tact_bytes_add(out, (uint64_t)c, 2);
        tact_bytes_add(out, mcap->channel[c].sequence, 8);
    }
    end_record(out, statistics);
    at[3] = place_in_file(mcap);
    add_chunk_indices(mcap, out);
    at[4] = place_in_file(mcap);
    add_group_offset(out, SCHEMA, at[0], at[1]);
    add_group_offset(out, CHANNEL, at[1], at[2]);
    add_group_offset(out, STATISTICS, at[2], at[3]);
    add_group_offset(out, CHUNK_INDEX, at[3], at[4]);
    record = begin_record(out, FOOTER);
    tact_bytes_add(out, at[0], 8);
    tact_bytes_add(out, at[4], 8);
    tact_bytes_set(out, record - 8, 20, 8);
    // the checksum covers the summary and the footer up to itself
    tact_bytes_add(out, out->failed ? 0 : tact_crc32(0, out->bytes, out->size), 4);
    tact_text_add_bytes(out, magic, sizeof magic);
    return !mcap->failed && !mcap->definitions.failed && !out->failed;
}

void tact_mcap_close(tact_mcap *mcap) {
    for (int c = 0; c < TACT_MCAP_CHANNELS; c++) tact_memory_release(mcap->channel[c].entry);
    tact_memory_release(mcap->chunk);
    tact_text_free(&mcap->definitions);
    tact_text_free(&mcap->records);
    *mcap = (tact_mcap){0};
}
