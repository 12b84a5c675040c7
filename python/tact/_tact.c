// SPDX-License-Identifier: MIT
// The module under tact/__init__.py: worlds of include/tact/worlds.h as a type, arrays by the buffer protocol. Against the
// limited API of Python 3.11, so that one wheel serves all later versions; NumPy is not needed to compile it.
//
// Python's lock is released while worlds are stepped, unless that takes a few microseconds. Meanwhile they are marked as in use,
// and other threads are refused. Memory that views show stays until the last of them is gone, also after close().
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string.h>
#include <time.h>

#include "arguments.h"
#include "plan.h"
#include "tact/worlds.h"
#include "xla.h"

// TACT_SHAPE_HULL of include/tact/model.h
enum { HULL = 12 };

enum { KEYWORDS = 3, MESSAGE = 1300, BRIEF = 100 };

typedef struct {
    PyObject ob_base;
    tact_worlds *worlds;    // NULL: not opened, or closed
    int in_use;             // by a thread that has released the lock
    int closed;             // close() was called
    int lent;               // to the handlers of XLA, under this number; 0: to nobody
    Py_ssize_t views;       // that are alive
    PyThreadState *others;  // while the lock is released
    double asked;           // when Python last looked for an interrupt [s]
    PyObject *status;       // what step() returns, with its buffer
    Py_buffer status_buffer;
    int n, nq, nv, nu, npair, nbody, nx;
} worlds_object;

// An array of all worlds; exported as a buffer.
typedef struct {
    PyObject ob_base;
    worlds_object *owner;
    double *data;
    int ndim;
    Py_ssize_t shape[AXES], strides[AXES];
} view_object;

static PyObject *scene_error;
static PyTypeObject *view_type;

static PyObject *refuse_use(const worlds_object *self) {
    if (self->closed)
        PyErr_SetString(PyExc_ValueError, "the worlds are closed");
    else if (!self->worlds)
        PyErr_SetString(PyExc_ValueError, "the worlds were not opened: Worlds.__init__ was not called");
    else
        PyErr_SetString(PyExc_RuntimeError,
                        self->lent ? "the worlds are lent to XLA" : "the worlds are in use by another thread");
    return NULL;
}

static int usable(const worlds_object *self) {
    return self->worlds && !self->closed && !self->in_use && !self->lent;
}

// The message of a call that failed.
static PyObject *fail(const worlds_object *self, tact_status status) {
    const char *message = tact_worlds_message(self->worlds);
    if (status == TACT_NO_MEMORY) return PyErr_NoMemory();
    PyErr_SetString(PyExc_ValueError, message[0] ? message : "refused");
    return NULL;
}

// ---- work without Python's lock

static double read_clock(void) {
    struct timespec now;
    return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (double)now.tv_sec + 1e-9 * (double)now.tv_nsec : 0;
}

// Between steps: twenty times a second Python looks whether it was interrupted, which ends the call.
static bool go_on(void *context) {
    worlds_object *self = context;
    if (!self->others || read_clock() < self->asked + 0.05) return true;
    PyEval_RestoreThread(self->others);
    int interrupted = PyErr_CheckSignals() != 0;
    self->others = PyEval_SaveThread();
    self->asked = read_clock();
    return !interrupted;
}

static void leave_python(worlds_object *self) {
    self->in_use = 1;
    self->asked = read_clock();
    self->others = PyEval_SaveThread();
}

static void enter_python(worlds_object *self) {
    if (self->others) PyEval_RestoreThread(self->others);
    self->others = NULL;
    self->in_use = 0;
}

// What a call returns that ended with a status: None, or NULL with an exception.
static PyObject *conclude(const worlds_object *self, tact_status status) {
    if (PyErr_Occurred()) return NULL;
    if (status == TACT_NO_MEMORY || (status < 0 && tact_worlds_message(self->worlds)[0])) return fail(self, status);
    Py_RETURN_NONE;
}

static void free_worlds(worlds_object *self) {
    tact_worlds *worlds = self->worlds;
    self->worlds = NULL;
    if (!worlds) return;
    PyThreadState *others = PyEval_SaveThread();
    if (self->lent) tact_xla_take_back(self->lent);
    self->lent = 0;
    tact_worlds_close(worlds);
    PyEval_RestoreThread(others);
}

// ---- views

static PyObject *make_view(worlds_object *owner, tact_worlds_what what, int ndim, const Py_ssize_t *shape) {
    ptrdiff_t stride = 0;
    double *data = tact_worlds_view(owner->worlds, what, &stride);
    if (!data) return PyErr_NoMemory();
    view_object *view = PyObject_New(view_object, view_type);
    if (!view) return NULL;
    Py_INCREF((PyObject *)owner);
    view->owner = owner;
    view->data = data;
    view->ndim = ndim;
    owner->views++;
    Py_ssize_t step = sizeof(double);
    for (int i = ndim - 1; i > 0; i--) {
        view->shape[i] = shape[i];
        view->strides[i] = step;
        step *= shape[i];
    }
    view->shape[0] = shape[0];
    view->strides[0] = stride;
    return (PyObject *)view;
}

static void view_dealloc(PyObject *object) {
    view_object *view = (view_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    worlds_object *owner = view->owner;
    if (--owner->views == 0 && owner->closed) free_worlds(owner);
    Py_DECREF((PyObject *)owner);
    PyObject_Free(object);
    Py_DECREF((PyObject *)type);
}

static int view_getbuffer(PyObject *object, Py_buffer *buffer, int flags) {
    static char format[] = "d";
    view_object *view = (view_object *)object;
    Py_ssize_t length = sizeof(double);
    for (int i = 0; i < view->ndim; i++) length *= view->shape[i];
    buffer->obj = NULL;
    if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES) {
        PyErr_SetString(PyExc_BufferError, "a view has strides");
        return -1;
    }
    *buffer = (Py_buffer){.buf = view->data,
                          .len = length,
                          .itemsize = sizeof(double),
                          .ndim = view->ndim,
                          .format = flags & PyBUF_FORMAT ? format : NULL,
                          .shape = view->shape,
                          .strides = view->strides};
    Py_INCREF(object);
    buffer->obj = object;
    return 0;
}

// ---- worlds

static void worlds_dealloc(PyObject *object) {
    worlds_object *self = (worlds_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    free_worlds(self);
    if (self->status_buffer.obj) PyBuffer_Release(&self->status_buffer);
    Py_CLEAR(self->status);
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(object);
    Py_DECREF((PyObject *)type);
}

static int worlds_init(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"scene", "n", "threads", "law", "set", "folder", "lanes", NULL};
    worlds_object *self = (worlds_object *)object;
    const char *set[256];
    char message[MESSAGE] = "";
    tact_worlds_options options = {.size = sizeof options, .count = 1, .set = set};
    PyObject *list = Py_None;
    if (self->worlds) {
        PyErr_SetString(PyExc_ValueError, "the worlds are open already");
        return -1;
    }
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "s|iizOzi", names, &options.scene, &options.count, &options.threads,
                                     &options.law, &list, &options.folder, &options.lanes))
        return -1;
    options.nset = tact_python_strings(list, "set", set, 256);
    if (options.nset < 0) return -1;
    if (options.count < 1 || options.threads < 0) {
        PyErr_SetString(PyExc_ValueError, options.count < 1 ? "n: expected 1 or more" : "threads: expected 0 or more");
        return -1;
    }
    tact_worlds *worlds = NULL;
    PyThreadState *others = PyEval_SaveThread();
    worlds = tact_worlds_open_with(&options, message, sizeof message);
    PyEval_RestoreThread(others);
    if (!worlds) {
        PyErr_SetString(strcmp(message, "out of memory") == 0 ? PyExc_MemoryError : scene_error, message);
        return -1;
    }
    self->worlds = worlds;
    self->closed = 0;
    tact_worlds_watch(worlds, go_on, self);
    self->n = tact_worlds_count(worlds);
    self->nq = tact_worlds_nq(worlds);
    self->nv = tact_worlds_nv(worlds);
    self->nu = tact_worlds_nu(worlds);
    self->npair = tact_worlds_npair(worlds);
    self->nbody = tact_worlds_size(worlds, TACT_WORLDS_BODY);
    self->nx = tact_worlds_nx(worlds);
    return 0;
}

static PyObject *worlds_close(PyObject *object, PyObject *nothing) {
    worlds_object *self = (worlds_object *)object;
    (void)nothing;
    if (self->in_use) return refuse_use(self);
    self->closed = 1;
    if (self->views == 0) free_worlds(self);
    Py_RETURN_NONE;
}

// The array that step() returns, of n int32.
static PyObject *worlds_bind(PyObject *object, PyObject *array) {
    worlds_object *self = (worlds_object *)object;
    expectation wanted = {.name = "status", .format = 'i', .writable = 1, .ndim = 1, .shape = {self->n}};
    Py_buffer buffer;
    if (!usable(self)) return refuse_use(self);
    if (!tact_python_take(array, &wanted, &buffer)) return NULL;
    if (self->status_buffer.obj) PyBuffer_Release(&self->status_buffer);
    Py_XDECREF(self->status);
    self->status_buffer = buffer;
    Py_INCREF(array);
    self->status = array;
    Py_RETURN_NONE;
}

// Puts positional and named arguments in their places; false after an exception.
static int place_arguments(const char *method, const char *const *names, PyObject *const *arguments, Py_ssize_t count,
                           PyObject *named, PyObject **place) {
    Py_ssize_t more = named ? PyTuple_Size(named) : 0;
    for (Py_ssize_t i = 0; i < count + more; i++) {
        Py_ssize_t at = i;
        PyObject *key = i < count ? NULL : PyTuple_GetItem(named, i - count);
        for (at = key ? 0 : i; key && at < KEYWORDS && PyUnicode_CompareWithASCIIString(key, names[at]) != 0; at++) {
        }
        if (at < KEYWORDS && !place[at]) {
            place[at] = arguments[i];
            continue;
        }
        PyErr_Format(PyExc_TypeError, "%s(): too many arguments, one twice or one of another name (allowed %s, %s, %s)", method,
                     names[0], names[1], names[2]);
        return 0;
    }
    return 1;
}

static PyObject *worlds_step(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *named) {
    static const char *const names[KEYWORDS] = {"u", "steps", "wrench"};
    worlds_object *self = (worlds_object *)object;
    PyObject *place[KEYWORDS] = {NULL, NULL, NULL};
    Py_buffer buffer[2];
    if (!usable(self)) return refuse_use(self);
    if (!place_arguments("step", names, arguments, count, named, place)) return NULL;
    if (place[0] && PyLong_Check(place[0])) {
        PyErr_SetString(PyExc_TypeError, "u: expected commands, found a whole number: steps=N is how many steps");
        return NULL;
    }
    long steps = place[1] ? PyLong_AsLong(place[1]) : 1;
    if (steps < 0 || steps > 1000000000) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_SetString(PyExc_ValueError, "steps: expected 0 to 1e9");
        else
            PyErr_SetString(PyExc_TypeError, "steps: expected a whole number");
        return NULL;
    }
    expectation wanted[2] = {{"u", 'd', 0, 1, 2, {self->n, self->nu}}, {"wrench", 'd', 0, 1, 3, {self->n, self->nbody, 6}}};
    PyObject *const arrays[2] = {place[0], place[2]};
    if (!tact_python_take_all(arrays, wanted, 2, buffer)) return NULL;
    // a few microseconds are less than what other threads would wait for the lock
    int brief = (long long)self->n * steps * (self->nv + 3 * self->npair) <= BRIEF;
    self->in_use = 1;
    if (!brief) leave_python(self);
    tact_status status = tact_worlds_step(self->worlds, buffer[0].buf, buffer[1].buf, (int)steps, self->status_buffer.buf);
    enter_python(self);
    tact_python_release(buffer, 2);
    if (!brief && PyErr_Occurred()) return NULL;
    if (status == TACT_NO_MEMORY) return PyErr_NoMemory();
    PyObject *result = self->status ? self->status : Py_None;
    Py_INCREF(result);
    return result;
}

static PyObject *worlds_view(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    int what = 0;
    if (!PyArg_ParseTuple(arguments, "i", &what)) return NULL;
    if (!usable(self)) return refuse_use(self);
    Py_ssize_t n = self->n, vectors[3] = {n, self->npair, 3}, poses[3] = {n, self->nbody, 12}, flat[2] = {n, 0},
               twos[3] = {n, self->npair, 2};
    switch ((tact_worlds_what)what) {
    case TACT_WORLDS_Q:
    case TACT_WORLDS_V:
    case TACT_WORLDS_U:
    case TACT_WORLDS_GAP:
        flat[1] = tact_worlds_width(self->worlds, (tact_worlds_what)what);
        return make_view(self, (tact_worlds_what)what, 2, flat);
    case TACT_WORLDS_TIME: return make_view(self, TACT_WORLDS_TIME, 1, flat);
    case TACT_WORLDS_POSE: return make_view(self, TACT_WORLDS_POSE, 3, poses);
    case TACT_WORLDS_TOUCH: return make_view(self, TACT_WORLDS_TOUCH, 3, twos);
    case TACT_WORLDS_LAMBDA:
    case TACT_WORLDS_ANCHOR:
    case TACT_WORLDS_POINT:
    case TACT_WORLDS_NORMAL:
    case TACT_WORLDS_FORCE: return make_view(self, (tact_worlds_what)what, 3, vectors);
    }
    PyErr_SetString(PyExc_ValueError, "what: there is no such array");
    return NULL;
}

static PyObject *worlds_reset(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    int first = 0, count = self->n;
    if (!PyArg_ParseTuple(arguments, "|ii", &first, &count)) return NULL;
    if (!usable(self)) return refuse_use(self);
    if (first < 0 || count < 0 || first > self->n - count) {
        PyErr_Format(PyExc_ValueError, "first, count: expected worlds of 0 to %d", self->n - 1);
        return NULL;
    }
    tact_worlds_reset(self->worlds, first, count);
    Py_RETURN_NONE;
}

// (u, A, B, C, D, status, kink), C and D or None
static PyObject *worlds_linearise(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    PyObject *array[7];
    Py_buffer buffer[7];
    Py_ssize_t n = self->n, nx = self->nx, nu = self->nu, rows = 3 * (Py_ssize_t)self->npair;
    if (!PyArg_ParseTuple(arguments, "OOOOOOO", &array[0], &array[1], &array[2], &array[3], &array[4], &array[5], &array[6]))
        return NULL;
    if (!usable(self)) return refuse_use(self);
    expectation wanted[7] = {{"u", 'd', 0, 1, 2, {n, nu}},       {"A", 'd', 1, 0, 3, {n, nx, nx}},
                             {"B", 'd', 1, 0, 3, {n, nx, nu}},   {"C", 'd', 1, 0, 3, {n, rows, nx}},
                             {"D", 'd', 1, 0, 3, {n, rows, nu}}, {"status", 'i', 1, 0, 1, {n}},
                             {"kink", 'i', 1, 0, 1, {n}}};
    if (!tact_python_take_all(array, wanted, 7, buffer)) return NULL;
    tact_worlds_matrices matrices = {buffer[1].buf, buffer[2].buf, buffer[3].buf, buffer[4].buf, buffer[5].buf, buffer[6].buf};
    leave_python(self);
    tact_status status = tact_worlds_linearise(self->worlds, 0, self->n, buffer[0].buf, &matrices);
    enter_python(self);
    tact_python_release(buffer, 7);
    return conclude(self, status);
}

// (N, u, q, v, path_q, path_v, path_force, status)
static PyObject *worlds_rollout(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    PyObject *array[7];
    Py_buffer buffer[7];
    int steps = 0;
    if (!PyArg_ParseTuple(arguments, "iOOOOOOO", &steps, &array[0], &array[1], &array[2], &array[3], &array[4], &array[5],
                          &array[6]))
        return NULL;
    if (!usable(self)) return refuse_use(self);
    Py_ssize_t n = self->n, N = steps, nq = self->nq, nv = self->nv, nu = self->nu, npair = self->npair;
    expectation wanted[7] = {{"u", 'd', 0, 1, 3, {n, N, nu}},
                             {"q", 'd', 0, 1, 2, {n, nq}},
                             {"v", 'd', 0, 1, 2, {n, nv}},
                             {"path_q", 'd', 1, 0, 3, {n, N + 1, nq}},
                             {"path_v", 'd', 1, 0, 3, {n, N + 1, nv}},
                             {"path_force", 'd', 1, 0, 4, {n, N, npair, 3}},
                             {"status", 'i', 1, 0, 1, {n}}};
    if (!tact_python_take_all(array, wanted, 7, buffer)) return NULL;
    tact_worlds_run run = {sizeof run, steps, buffer[0].buf, buffer[1].buf, buffer[2].buf};
    tact_worlds_path path = {buffer[3].buf, buffer[4].buf, buffer[5].buf, buffer[6].buf};
    leave_python(self);
    tact_status status = tact_worlds_rollout(self->worlds, &run, &path);
    enter_python(self);
    tact_python_release(buffer, 7);
    return conclude(self, status);
}

enum { BACK = 12 };

// (N, u, q, v, q_bar, v_bar, force_bar, u_out, q_out, v_out, by_parameter, status, kinks, paths)
static PyObject *worlds_pullback(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    PyObject *a[BACK], *list = Py_None;
    Py_buffer b[BACK];
    const char *paths[256];
    int steps = 0;
    if (!PyArg_ParseTuple(arguments, "iOOOOOOOOOOOOO", &steps, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &a[6], &a[7], &a[8],
                          &a[9], &a[10], &a[11], &list))
        return NULL;
    if (!usable(self)) return refuse_use(self);
    int npath = tact_python_strings(list, "parameters", paths, 256);
    if (npath < 0) return NULL;
    Py_ssize_t n = self->n, N = steps, nq = self->nq, nv = self->nv, nu = self->nu, npair = self->npair;
    expectation wanted[BACK] = {{"u", 'd', 0, 1, 3, {n, N, nu}},
                                {"q", 'd', 0, 1, 2, {n, nq}},
                                {"v", 'd', 0, 1, 2, {n, nv}},
                                {"q_bar", 'd', 0, 1, 3, {n, N + 1, nq}},
                                {"v_bar", 'd', 0, 1, 3, {n, N + 1, nv}},
                                {"force_bar", 'd', 0, 1, 4, {n, N, npair, 3}},
                                {"u_bar", 'd', 1, 0, 3, {n, N, nu}},
                                {"q0_bar", 'd', 1, 0, 2, {n, nq}},
                                {"v0_bar", 'd', 1, 0, 2, {n, nv}},
                                {"by_parameter", 'd', 1, 0, 2, {npath, n}},
                                {"status", 'i', 1, 0, 1, {n}},
                                {"kinks", 'i', 1, 0, 1, {n}}};
    if (!tact_python_take_all(a, wanted, BACK, b)) return NULL;
    tact_worlds_run run = {sizeof run, steps, b[0].buf, b[1].buf, b[2].buf};
    tact_worlds_bars bars = {.size = sizeof bars,
                             .q_bar = b[3].buf,
                             .v_bar = b[4].buf,
                             .force_bar = b[5].buf,
                             .u = b[6].buf,
                             .q = b[7].buf,
                             .v = b[8].buf,
                             .nparameter = npath,
                             .parameter = paths,
                             .by_parameter = b[9].buf,
                             .status = b[10].buf,
                             .kinks = b[11].buf};
    leave_python(self);
    tact_status status = tact_worlds_pullback(self->worlds, &run, &bars);
    enter_python(self);
    tact_python_release(b, BACK);
    return conclude(self, status);
}

static PyObject *worlds_set(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    const char *path = NULL;
    PyObject *array = NULL;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "sO", &path, &array)) return NULL;
    if (!usable(self)) return refuse_use(self);
    expectation wanted = {"values", 'd', 0, 1, 1, {self->n}};
    if (!tact_python_take(array, &wanted, &buffer)) return NULL;
    tact_status status = TACT_CONVERGED;
    leave_python(self);
    if (buffer.buf) status = tact_worlds_set(self->worlds, path, buffer.buf);
    enter_python(self);
    tact_python_release(&buffer, 1);
    if (status < 0) return fail(self, status);
    // of a number that reaches nothing
    return PyUnicode_FromString(tact_worlds_message(self->worlds));
}

static PyObject *worlds_get(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    const char *path = NULL;
    PyObject *array = NULL;
    Py_buffer buffer;
    if (!PyArg_ParseTuple(arguments, "sO", &path, &array)) return NULL;
    if (!usable(self)) return refuse_use(self);
    expectation wanted = {"values", 'd', 1, 0, 1, {self->n}};
    if (!tact_python_take(array, &wanted, &buffer)) return NULL;
    tact_status status = buffer.buf ? tact_worlds_get(self->worlds, path, buffer.buf) : TACT_CONVERGED;
    tact_python_release(&buffer, 1);
    if (status < 0) return fail(self, status);
    Py_RETURN_NONE;
}

static int find_world(const worlds_object *self, PyObject *index) {
    long i = PyLong_AsLong(index);
    if (i >= 0 && i < self->n) return (int)i;
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))
        PyErr_Format(PyExc_IndexError, "world %ld: expected 0 to %d", i, self->n - 1);
    else
        PyErr_SetString(PyExc_TypeError, "i: expected a whole number, the index of a world");
    return -1;
}

static PyObject *worlds_save(PyObject *object, PyObject *index) {
    worlds_object *self = (worlds_object *)object;
    if (!usable(self)) return refuse_use(self);
    int i = find_world(self, index);
    if (i < 0) return NULL;
    size_t size = tact_worlds_save(self->worlds, i, NULL, 0);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
    if (bytes) tact_worlds_save(self->worlds, i, PyBytes_AsString(bytes), size);
    return bytes;
}

static PyObject *worlds_load(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    PyObject *index = NULL, *state = NULL;
    char *bytes = NULL;
    Py_ssize_t size = 0;
    if (!PyArg_ParseTuple(arguments, "OO", &index, &state)) return NULL;
    if (!usable(self)) return refuse_use(self);
    int i = find_world(self, index);
    if (i < 0) return NULL;
    if (!PyBytes_Check(state)) {
        PyErr_SetString(PyExc_TypeError, "state: expected bytes, which save() gave");
        return NULL;
    }
    if (PyBytes_AsStringAndSize(state, &bytes, &size) != 0) return NULL;
    tact_status status = tact_worlds_load(self->worlds, i, bytes, (size_t)size);
    if (status < 0) return fail(self, status);
    Py_RETURN_NONE;
}

static PyObject *worlds_names(PyObject *object, PyObject *kind) {
    worlds_object *self = (worlds_object *)object;
    long which = PyLong_AsLong(kind);
    if (which == -1 && PyErr_Occurred()) return NULL;
    if (!usable(self)) return refuse_use(self);
    int count = tact_worlds_size(self->worlds, (tact_worlds_kind)which);
    PyObject *list = PyList_New(count);
    for (int i = 0; list && i < count; i++) {
        const char *name = tact_worlds_name(self->worlds, (tact_worlds_kind)which, i);
        PyObject *text = PyUnicode_FromString(name ? name : "");
        if (text && PyList_SetItem(list, i, text) == 0) continue;
        Py_CLEAR(list);
    }
    return list;
}

// (low, high) of each dof
static PyObject *worlds_limits(PyObject *object, PyObject *nothing) {
    worlds_object *self = (worlds_object *)object;
    (void)nothing;
    if (!usable(self)) return refuse_use(self);
    PyObject *list = PyList_New(self->nv);
    for (int i = 0; list && i < self->nv; i++) {
        double low = 0, high = 0;
        tact_worlds_limits(self->worlds, i, &low, &high);
        PyObject *item = Py_BuildValue("(dd)", low, high);
        if (!item || PyList_SetItem(list, i, item) != 0) Py_CLEAR(list);
    }
    return list;
}

// What was warned of when the worlds were opened.
static PyObject *worlds_warnings(PyObject *object, PyObject *nothing) {
    worlds_object *self = (worlds_object *)object;
    const char *said = "";
    (void)nothing;
    if (!usable(self)) return refuse_use(self);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && (said = tact_worlds_warning(self->worlds, i)) != NULL; i++) {
        PyObject *text = PyUnicode_FromString(said);
        if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

static PyObject *worlds_reason(PyObject *object, PyObject *index) {
    worlds_object *self = (worlds_object *)object;
    if (!usable(self)) return refuse_use(self);
    int i = find_world(self, index);
    return i < 0 ? NULL : PyUnicode_FromString(tact_worlds_reason(self->worlds, i));
}

// (body, type, size (4), rotation (9), position (3), points) of each shape
static PyObject *worlds_shapes(PyObject *object, PyObject *nothing) {
    worlds_object *self = (worlds_object *)object;
    tact_worlds_shape shape;
    (void)nothing;
    if (!usable(self)) return refuse_use(self);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && tact_worlds_get_shape(self->worlds, i, &shape); i++) {
        const double *s = shape.size, *R = shape.rotation, *p = shape.position;
        PyObject *points = PyList_New(0);
        for (int k = 0; points && shape.point && k < shape.count; k++) {
            const double *x = shape.point + (shape.type == HULL ? 3 : 2) * k;
            PyObject *point = shape.type == HULL ? Py_BuildValue("(ddd)", x[0], x[1], x[2]) : Py_BuildValue("(dd)", x[0], x[1]);
            if (!point || PyList_Append(points, point) != 0) Py_CLEAR(points);
            Py_XDECREF(point);
        }
        PyObject *item = points ? Py_BuildValue("(ii(dddd)(ddddddddd)(ddd)N)", shape.body, shape.type, s[0], s[1], s[2], s[3],
                                                R[0], R[1], R[2], R[3], R[4], R[5], R[6], R[7], R[8], p[0], p[1], p[2], points)
                                : NULL;
        if (!item || PyList_Append(list, item) != 0) Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *worlds_paths(PyObject *object, PyObject *nothing) {
    worlds_object *self = (worlds_object *)object;
    (void)nothing;
    if (!usable(self)) return refuse_use(self);
    PyObject *list = PyList_New(0);
    for (int i = 0; list && i < tact_worlds_nset(self->worlds); i++) {
        PyObject *path = PyUnicode_FromString(tact_worlds_set_path(self->worlds, i));
        if (!path || PyList_Append(list, path) != 0) Py_CLEAR(list);
        Py_XDECREF(path);
    }
    return list;
}

// (paths, how many of them the gradient is by): lends the worlds to the handlers of XLA for good, and gives their number
static PyObject *worlds_lend(PyObject *object, PyObject *arguments) {
    worlds_object *self = (worlds_object *)object;
    const char *paths[256];
    PyObject *list = Py_None;
    int slopes = 0;
    if (!PyArg_ParseTuple(arguments, "Oi", &list, &slopes)) return NULL;
    if (!usable(self)) return refuse_use(self);
    int count = tact_python_strings(list, "paths", paths, 256);
    if (count < 0) return NULL;
    if (slopes < 0 || slopes > count) {
        PyErr_Format(PyExc_ValueError, "slopes: expected 0 to %d", count);
        return NULL;
    }
    self->lent = tact_xla_lend(self->worlds, paths, count, slopes);
    return self->lent ? PyLong_FromLong(self->lent) : PyErr_NoMemory();
}

// Members that are numbers or strings, by the closure.
enum { GET_N, GET_NQ, GET_NV, GET_NU, GET_NPAIR, GET_NBODY, GET_NX, GET_THREADS, GET_LAW, GET_TEXT, GET_CLOSED, GET_STATUS };

static PyObject *worlds_member(PyObject *object, void *which) {
    worlds_object *self = (worlds_object *)object;
    const int numbers[] = {self->n, self->nq, self->nv, self->nu, self->npair, self->nbody, self->nx};
    int kind = *(const int *)which;
    if (kind == GET_CLOSED) return PyBool_FromLong(self->closed || !self->worlds);
    if (kind <= GET_NX) return PyLong_FromLong(numbers[kind]);
    if (!self->worlds || self->closed) return refuse_use(self);
    if (kind == GET_THREADS) return PyLong_FromLong(tact_worlds_threads(self->worlds));
    if (kind == GET_LAW) return PyUnicode_FromString(tact_worlds_law(self->worlds));
    if (kind == GET_TEXT) return PyUnicode_FromString(tact_worlds_text(self->worlds));
    PyObject *status = self->status ? self->status : Py_None;
    Py_INCREF(status);
    return status;
}

static int worlds_set_threads(PyObject *object, PyObject *value, void *nothing) {
    worlds_object *self = (worlds_object *)object;
    long threads = value ? PyLong_AsLong(value) : -1;
    (void)nothing;
    if (!usable(self)) {
        refuse_use(self);
        return -1;
    }
    if (threads < 0 || threads > 256) {
        if (!value || !PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_OverflowError))
            PyErr_SetString(PyExc_ValueError, "threads: expected 0 to 256");
        else
            PyErr_SetString(PyExc_TypeError, "threads: expected a whole number");
        return -1;
    }
    tact_worlds_set_threads(self->worlds, (int)threads);
    return 0;
}

static const int which[] = {GET_N,  GET_NQ,      GET_NV,  GET_NU,   GET_NPAIR,  GET_NBODY,
                            GET_NX, GET_THREADS, GET_LAW, GET_TEXT, GET_CLOSED, GET_STATUS};
#define MEMBER(name, kind, set, doc) \
    { name, worlds_member, set, doc, (void *)(uintptr_t)&which[kind] }

static PyGetSetDef worlds_members[] = {MEMBER("n", GET_N, NULL, "number of worlds"),
                                       MEMBER("nq", GET_NQ, NULL, "coordinates of a world"),
                                       MEMBER("nv", GET_NV, NULL, "velocities of a world"),
                                       MEMBER("nu", GET_NU, NULL, "commands of a world"),
                                       MEMBER("npair", GET_NPAIR, NULL, "pairs of shapes that may touch"),
                                       MEMBER("nbody", GET_NBODY, NULL, "bodies of a world"),
                                       MEMBER("nx", GET_NX, NULL, "rows of A: nv, or 2 nv where velocities count"),
                                       MEMBER("threads", GET_THREADS, worlds_set_threads, "that step the worlds"),
                                       MEMBER("law", GET_LAW, NULL, "barrier, virtual or rigid"),
                                       MEMBER("text", GET_TEXT, NULL, "the scene as JSON"),
                                       MEMBER("closed", GET_CLOSED, NULL, "whether close() was called"),
                                       MEMBER("status", GET_STATUS, NULL, "of the last step; the array that step() returns"),
                                       {NULL, NULL, NULL, NULL, NULL}};

#define ANY(function) ((PyCFunction)(void (*)(void))(function))

static PyMethodDef worlds_methods[] = {
    {"step", ANY(worlds_step), METH_FASTCALL | METH_KEYWORDS,
     "step($self, /, u=None, steps=1, wrench=None)\n--\n\nSteps all worlds. u (n, nu) holds in all of the steps, None: the "
     "scene's command; "
     "wrench\n"
     "(n, nbody, 6): forces and torques at the centres of mass, None: the scene's. Returns the status of each world, an array\n"
     "that the next step overwrites: 0 converged, > 0 usable, < 0 no answer and the world stays where it was.\n\n"
     ">>> w = tact.Worlds('data/scenes/lesson.json', 2)\n>>> w.step(w.u.copy(), steps=3).tolist()\n[0, 0]"},
    {"close", worlds_close, METH_NOARGS, "close($self, /)\n--\n\nGives the memory back, as soon as no view shows it."},
    {"_bind", worlds_bind, METH_O, NULL},
    {"_view", worlds_view, METH_VARARGS, NULL},
    {"_reset", worlds_reset, METH_VARARGS, NULL},
    {"_linearise", worlds_linearise, METH_VARARGS, NULL},
    {"_rollout", worlds_rollout, METH_VARARGS, NULL},
    {"_pullback", worlds_pullback, METH_VARARGS, NULL},
    {"_set", worlds_set, METH_VARARGS, NULL},
    {"_get", worlds_get, METH_VARARGS, NULL},
    {"_names", worlds_names, METH_O, NULL},
    {"_limits", worlds_limits, METH_NOARGS, NULL},
    {"_warnings", worlds_warnings, METH_NOARGS, NULL},
    {"reason", worlds_reason, METH_O,
     "reason($self, i, /)\n--\n\nWhy the last step of world i, or of a rollout of it, had no answer: the status in words, with "
     "the\n"
     "pair, joint or field that it is about; \"\" when it had one.\n\n"
     ">>> w = tact.Worlds('data/scenes/lesson.json')\n>>> _ = w.step()\n>>> w.reason(0)\n''"},
    {"_shapes", worlds_shapes, METH_NOARGS, NULL},
    {"_paths", worlds_paths, METH_NOARGS, NULL},
    {"_lend", worlds_lend, METH_VARARGS, NULL},
    {"save", worlds_save, METH_O,
     "save($self, i, /)\n--\n\nThe state of world i as bytes: all that its next step depends on.\n\n"
     ">>> w = tact.Worlds('data/scenes/lesson.json', 2)\n>>> before = w.save(0)\n>>> _ = w.step(steps=5)\n"
     ">>> w.load(1, before)\n>>> float(w.time[1])\n0.0"},
    {"load", worlds_load, METH_VARARGS,
     "load($self, i, state, /)\n--\n\nPuts world i into a state that save() gave.\n\n"
     ">>> w = tact.Worlds('data/scenes/lesson.json', 2)\n>>> w.load(0, w.save(1))"},
    {NULL, NULL, 0, NULL}};

static PyType_Slot worlds_slots[] = {{Py_tp_dealloc, worlds_dealloc}, {Py_tp_init, worlds_init},
                                     {Py_tp_methods, worlds_methods}, {Py_tp_getset, worlds_members},
                                     {Py_tp_new, PyType_GenericNew},  {0, NULL}};
static PyType_Spec worlds_spec = {"tact._tact.Worlds", sizeof(worlds_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                                  worlds_slots};

static PyType_Slot view_slots[] = {{Py_tp_dealloc, view_dealloc}, {Py_bf_getbuffer, view_getbuffer}, {0, NULL}};
static PyType_Spec view_spec = {"tact._tact.View", sizeof(view_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                                view_slots};

static struct PyModuleDef module = {
    .m_base = PyModuleDef_HEAD_INIT, .m_name = "_tact", .m_doc = "Worlds of Tact: see the package tact.", .m_size = -1};

PyMODINIT_FUNC PyInit__tact(void);

PyMODINIT_FUNC PyInit__tact(void) {
    PyObject *self = PyModule_Create(&module);
    PyObject *worlds_type = PyType_FromSpec(&worlds_spec);
    view_type = (PyTypeObject *)PyType_FromSpec(&view_spec);
    scene_error = PyErr_NewExceptionWithDoc("tact.SceneError", "A scene is refused: FILE:LINE:COL: /json/path: reason.",
                                            PyExc_ValueError, NULL);
    if (!self || !worlds_type || !view_type || !scene_error) return NULL;
    // addresses for ctypes, which jax.ffi.pycapsule takes
    PyObject *rollout = PyLong_FromVoidPtr((void *)(uintptr_t)tact_xla_rollout);
    PyObject *pullback = PyLong_FromVoidPtr((void *)(uintptr_t)tact_xla_pullback);
    if (PyModule_AddObjectRef(self, "xla_rollout", rollout) != 0 || PyModule_AddObjectRef(self, "xla_pullback", pullback) != 0)
        return NULL;
    Py_DECREF(rollout);
    Py_DECREF(pullback);
    if (PyModule_AddObjectRef(self, "Worlds", worlds_type) != 0 || PyModule_AddObjectRef(self, "SceneError", scene_error) != 0 ||
        PyModule_AddStringConstant(self, "version", tact_version()) != 0 || !tact_python_add_plans(self, scene_error))
        return NULL;
    return self;
}
