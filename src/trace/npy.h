// SPDX-License-Identifier: MIT
// Arrays as NumPy keeps them, read from their files: .npy, and .npz (a zip archive of these, stored).
#ifndef TACT_TRACE_NPY_H
#define TACT_TRACE_NPY_H

#include "scene/npy.h"

// Opens an array of float64, float32, int32 or int16 in C order; false and one error when it is none, or shorter than its shape.
bool tact_npy_open(tact_npy *npy, const char *path, tact_errors *errors);

// Numbers from index at on: 0, or errno when they cannot be read.
int tact_npy_read(const tact_npy *npy, long long at, int count, double *numbers);

void tact_npy_close(tact_npy *npy);

#endif
