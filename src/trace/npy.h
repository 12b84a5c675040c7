// SPDX-License-Identifier: MIT
// Arrays as NumPy keeps them: .npy (version 1.0, C order) and .npz (a zip archive of these, stored).
#ifndef TACT_TRACE_NPY_H
#define TACT_TRACE_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scene/errors.h"

enum { TACT_NPY_DIMS = 4, TACT_NPY_HEADER = 192 };

// What stands before the numbers of a file, a multiple of 64 bytes.
typedef struct {
    size_t size;
    char bytes[TACT_NPY_HEADER];
} tact_npy_header;

// whole: int32; otherwise double. Numbers are in the order of this machine, which the header names.
tact_npy_header tact_npy_make_header(bool whole, int ndim, const long long *shape);

// An array that is read.
typedef struct {
    const char *name;  // for messages
    int file;
    bool single;  // float32; otherwise float64
    bool whole;   // int32
    int ndim;
    long long shape[TACT_NPY_DIMS];
    size_t start;  // [bytes] of the numbers in the file
} tact_npy;

// Opens an array of float64, float32 or int32 in C order; false and one error when it is none, or shorter than its shape.
bool tact_npy_open(tact_npy *npy, const char *path, tact_errors *errors);

// Numbers from index at on: 0, or errno when they cannot be read.
int tact_npy_read(const tact_npy *npy, long long at, int count, double *numbers);

void tact_npy_close(tact_npy *npy);

#endif
