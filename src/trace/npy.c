// SPDX-License-Identifier: MIT
// The format: "\x93NUMPY", version, length of the header, the header - a literal of a Python dictionary, padded with blanks and
// ended by a newline -, the numbers.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64

#include "trace/npy.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "scene/file.h"
#include "scene/text.h"

#define HEADER_MAX 4096

static bool is_little(void) {
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

tact_npy_header tact_npy_make_header(bool whole, int ndim, const long long *shape) {
    TACT_ASSERT(0 <= ndim && ndim <= TACT_NPY_DIMS);
    tact_npy_header header = {.size = TACT_NPY_HEADER};
    char *text = header.bytes + 10;
    size_t room = sizeof header.bytes - 10, used = 0;
    memcpy(header.bytes, "\x93NUMPY\x01\x00", 8);
    used = (size_t)snprintf(text, room, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", is_little() ? '<' : '>',
                            whole ? "i4" : "f8");
    for (int i = 0; i < ndim; i++) used += (size_t)snprintf(text + used, room - used, i > 0 ? ", %lld" : "%lld", shape[i]);
    used += (size_t)snprintf(text + used, room - used, "%s), }", ndim == 1 ? "," : "");
    // Padded by spaces: numbers begin at a multiple of 64 bytes.
    header.size = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', header.size - 10 - used);
    header.bytes[header.size - 1] = '\n';
    header.bytes[8] = (char)((header.size - 10) % 256);
    header.bytes[9] = (char)((header.size - 10) / 256);
    return header;
}

static bool refuse(const tact_npy *npy, tact_errors *errors, const char *reason) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = npy->name}, "%s", reason);
    return false;
}

static const char *find_value(const char *text, const char *key) {
    const char *at = strstr(text, key);
    if (!at) return "";
    at += strlen(key);
    while (*at == ' ' || *at == ':') at++;
    return at;
}

// (2, 3) or (2,)
static bool read_shape(tact_npy *npy, const char *at) {
    if (*at++ != '(') return false;
    for (;;) {
        long long size = 0;
        while (*at == ' ') at++;
        if (*at == ')') return true;
        if (*at < '0' || *at > '9' || npy->ndim == TACT_NPY_DIMS) return false;
        for (; *at >= '0' && *at <= '9'; at++) {
            if (size > 100000000000000000) return false;
            size = 10 * size + (*at - '0');
        }
        npy->shape[npy->ndim++] = size;
        while (*at == ' ') at++;
        if (*at == ',')
            at++;
        else if (*at != ')')
            return false;
    }
}

// 'descr' is such a type, in this machine's order; reads no further than the text's end
static bool is_type(const char *descr, const char *type) {
    return descr[0] == '\'' && descr[1] == (is_little() ? '<' : '>') && strncmp(descr + 2, type, 2) == 0 && descr[4] == '\'';
}

static bool read_dictionary(tact_npy *npy, const char *text, tact_errors *errors) {
    const char *descr = find_value(text, "'descr'");
    npy->single = is_type(descr, "f4");
    npy->whole = is_type(descr, "i4");
    if (!npy->single && !npy->whole && !is_type(descr, "f8"))
        return refuse(npy, errors, "its numbers are none of float64, float32, int32 in this machine's order");
    if (strncmp(find_value(text, "'fortran_order'"), "False", 5) != 0)
        return refuse(npy, errors, "is in Fortran order (use numpy.ascontiguousarray)");
    if (!read_shape(npy, find_value(text, "'shape'")))
        return refuse(npy, errors, "its shape cannot be read, or has more than 4 axes");
    return true;
}

static bool check_size(tact_npy *npy, uint64_t size, tact_errors *errors) {
    uint64_t count = 1, item = npy->single || npy->whole ? 4 : 8;
    for (int i = 0; i < npy->ndim; i++) {
        uint64_t axis = (uint64_t)npy->shape[i];
        if (axis > 0 && count > UINT64_MAX / 16 / axis) return refuse(npy, errors, "its shape is too large");
        count *= axis;
    }
    if (size < npy->start || (size - npy->start) / item < count) return refuse(npy, errors, "is shorter than its shape says");
    return true;
}

static bool read_header(tact_npy *npy, uint64_t size, tact_errors *errors) {
    unsigned char head[12];
    char text[HEADER_MAX + 1];
    int reason = size < 12 ? 0 : tact_file_read_at(npy->file, 0, head, 12);
    if (reason > 0) return tact_file_refuse(npy->name, reason, errors);
    if (size < 12 || reason < 0 || memcmp(head, "\x93NUMPY", 6) != 0) return refuse(npy, errors, "is not a .npy file");
    // Version 1 has 2 bytes for the length, later ones 4.
    bool first = head[6] == 1;
    size_t length = head[8] + 256u * head[9] + (first ? 0 : 65536u * head[10] + 16777216u * head[11]);
    npy->start = (first ? 10 : 12) + length;
    if (head[6] < 1 || head[6] > 3 || length > HEADER_MAX || npy->start > size)
        return refuse(npy, errors, "its header is not known");
    reason = tact_file_read_at(npy->file, first ? 10 : 12, text, length);
    if (reason != 0) return tact_file_refuse(npy->name, reason > 0 ? reason : EIO, errors);
    text[length] = '\0';
    return read_dictionary(npy, text, errors) && check_size(npy, size, errors);
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
    size_t item = npy->single || npy->whole ? 4 : 8;
    unsigned char piece[PIECE * 4];
    int reason = 0;
    // Numbers of 8 bytes as they are, of 4 bytes widened piece by piece.
    if (item == 8) return read_at(npy, 8 * (size_t)at, numbers, 8 * (size_t)count);
    while (count > 0 && reason == 0) {
        int part = count < PIECE ? count : PIECE;
        reason = read_at(npy, 4 * (size_t)at, piece, 4 * (size_t)part);
        for (int i = 0; reason == 0 && i < part; i++) {
            float single = 0;
            int32_t whole = 0;
            memcpy(&single, piece + 4 * i, 4);
            memcpy(&whole, piece + 4 * i, 4);
            numbers[i] = npy->whole ? (double)whole : (double)single;
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
