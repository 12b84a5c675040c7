// SPDX-License-Identifier: MIT
// Arrays as NumPy keeps them: headers. Hosted; files of them are read by tact/files.h.
#ifndef TACT_NPY_H
#define TACT_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/errors.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { TACT_NPY_DIMS = 4, TACT_NPY_HEADER = 192, TACT_NPY_HEADER_MAX = 4096 };

typedef enum {
    TACT_NPY_DOUBLE,  // float64
    TACT_NPY_SINGLE,  // float32
    TACT_NPY_WHOLE,   // int32
    TACT_NPY_SHORT,   // int16
} tact_npy_type;

// What stands before the numbers of a file, a multiple of 64 bytes.
typedef struct {
    size_t size;
    char bytes[TACT_NPY_HEADER];
} tact_npy_header;

// Numbers are in the order of this machine, which the header names.
tact_npy_header tact_npy_make_header(tact_npy_type type, int ndim, const long long *shape);

// An array that is read.
typedef struct {
    const char *name;  // for messages
    int file;          // where it is read from one
    tact_npy_type type;
    int ndim;
    long long shape[TACT_NPY_DIMS];
    size_t start;  // [bytes] of the numbers in the file
} tact_npy;

// Bytes of a number.
size_t tact_npy_item(const tact_npy *npy);

// Type, shape and start from the first given bytes of a file of size bytes; name is set. False and one error where that is no
// array in C order of a known type, or is shorter than its shape.
bool tact_npy_parse(tact_npy *npy, const char *bytes, size_t given, uint64_t size, tact_errors *errors);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
