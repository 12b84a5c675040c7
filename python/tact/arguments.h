// SPDX-License-Identifier: MIT
// Arrays as arguments, by the buffer protocol: what does not fit is refused with the argument's name and what it must be.
#ifndef TACT_PYTHON_ARGUMENTS_H
#define TACT_PYTHON_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

enum { AXES = 4 };

// What an argument must be.
typedef struct {
    const char *name;
    char format;  // 'd' or 'i'
    int writable, finite, ndim;
    Py_ssize_t shape[AXES];
} expectation;

// The buffer of an argument that fits; None: buf is NULL. False after an exception, and nothing is to be released.
int tact_python_take(PyObject *object, const expectation *wanted, Py_buffer *buffer);

// All buffers or none.
int tact_python_take_all(PyObject *const *objects, const expectation *wanted, int count, Py_buffer *buffers);
void tact_python_release(Py_buffer *buffers, int count);

// Strings of a list, and their number; -1 after an exception. They live as long as the list.
int tact_python_strings(PyObject *list, const char *name, const char **strings, Py_ssize_t most);

#endif
