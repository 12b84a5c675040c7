// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "tact/files.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool read_header(tact_npy *npy, uint64_t size, tact_errors *errors) {
    char bytes[TACT_NPY_HEADER_MAX + 12];
    size_t given = size < sizeof bytes ? (size_t)size : sizeof bytes;
    int reason = tact_file_read_at(npy->file, 0, bytes, given);
    if (reason != 0) return tact_file_refuse(npy->name, reason > 0 ? reason : EIO, errors);
    return tact_npy_parse(npy, bytes, given, size, errors);
}

bool tact_npy_open(tact_npy *npy, const char *path, tact_errors *errors) {
    TACT_ASSERT(npy);
    struct stat status;
    *npy = (tact_npy){.name = tact_text_name(path), .file = tact_file_open(path, errors)};
    bool looked = npy->file >= 0 && (fstat(npy->file, &status) == 0 || tact_file_refuse(npy->name, errno, errors));
    if (looked && read_header(npy, (uint64_t)status.st_size, errors)) return true;
    tact_npy_close(npy);
    return false;
}

static int read_at(const tact_npy *npy, size_t at, void *bytes, size_t size) {
    int reason = tact_file_read_at(npy->file, npy->start + at, bytes, size);
    return reason >= 0 ? reason : EIO;
}

int tact_npy_read(const tact_npy *npy, long long at, int count, double *numbers) {
    TACT_ASSERT(npy);
    enum { PIECE = 512 };
    const size_t item = tact_npy_item(npy);
    unsigned char piece[PIECE * 4];
    int reason = 0;
    // Numbers of 8 bytes as they are, of 4 bytes widened piece by piece.
    if (item == 8) return read_at(npy, 8 * (size_t)at, numbers, 8 * (size_t)count);
    while (count > 0 && reason == 0) {
        int part = count < PIECE ? count : PIECE;
        reason = read_at(npy, item * (size_t)at, piece, item * (size_t)part);
        for (int i = 0; reason == 0 && i < part; i++) {
            float single = 0;
            int32_t whole = 0;
            int16_t brief = 0;
            if (npy->type == TACT_NPY_SHORT) memcpy(&brief, piece + item * (size_t)i, sizeof brief);
            if (npy->type == TACT_NPY_WHOLE) memcpy(&whole, piece + item * (size_t)i, sizeof whole);
            if (npy->type == TACT_NPY_SINGLE) memcpy(&single, piece + item * (size_t)i, sizeof single);
            numbers[i] = npy->type == TACT_NPY_SINGLE ? (double)single : (double)(whole + brief);
        }
        numbers += part;
        at += part;
        count -= part;
    }
    return reason;
}

void tact_npy_close(tact_npy *npy) {
    tact_file_close(npy->file);
    npy->file = -1;
}
