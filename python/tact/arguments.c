// SPDX-License-Identifier: MIT
#include "arguments.h"

#include <stdio.h>
#include <string.h>

// "(3, 4)"
static void print_shape(const Py_ssize_t *shape, int ndim, char text[100]) {
    size_t used = (size_t)snprintf(text, 100, "(");
    for (int i = 0; i < ndim && used < 80; i++)
        used += (size_t)snprintf(text + used, 100 - used, i > 0 ? ", %zd" : "%zd", shape[i]);
    snprintf(text + used, 100 - used, ndim == 1 ? ",)" : ")");
}

static int refuse_argument(const expectation *wanted, const char *found) {
    char shape[100];
    print_shape(wanted->shape, wanted->ndim, shape);
    PyErr_Format(PyExc_ValueError, "%s: expected a %sC-ordered array of %s with shape %s, found %s", wanted->name,
                 wanted->writable ? "writable " : "", wanted->format == 'd' ? "float64" : "int32", shape, found);
    return 0;
}

static int fits_format(const Py_buffer *buffer, char format) {
    const char *text = buffer->format ? buffer->format : "B";
    if (*text == '@' || *text == '=' || *text == '<') text++;
    if (format == 'i' && *text == 'l' && buffer->itemsize == 4) return text[1] == '\0';
    return text[0] == format && text[1] == '\0' && buffer->itemsize == (format == 'd' ? 8 : 4);
}

// What the items of a buffer are, if their format does not say it plainly.
static const char *describe_items(const char *format) {
    if (strchr("@=<>!", *format) && *format) format++;
    size_t digits = strspn(format, "0123456789");
    const char *kind = format + digits;
    if (strcmp(format, "d") == 0) return ", of another byte order; x.astype(float) converts them";
    if (strcmp(format, "f") == 0) return ", which is float32; x.astype(float) converts it";
    if (strcmp(format, "e") == 0) return ", which is float16; x.astype(float) converts it";
    if (strcmp(format, "g") == 0) return ", which is longdouble; x.astype(float) converts it";
    if (strcmp(kind, "w") == 0 || strcmp(kind, "s") == 0) return ", text; x.astype(float) converts numbers in it";
    if (strcmp(format, "O") == 0) return ", objects; x.astype(float) converts numbers among them";
    if (*format == 'Z') return ", complex numbers";
    if (*format && strchr("bhilqBHILQ?", *format)) return ", whole numbers; x.astype(float) converts them";
    return "";
}

// One world's array may leave out the first axis.
static int fits_shape(const Py_buffer *buffer, const expectation *wanted) {
    int skip = wanted->shape[0] == 1 && buffer->ndim == wanted->ndim - 1;
    if (buffer->ndim + skip != wanted->ndim) return 0;
    for (int i = 0; i < buffer->ndim; i++)
        if (buffer->shape[i] != wanted->shape[i + skip]) return 0;
    return 1;
}

static int check_finite(const Py_buffer *buffer, const expectation *wanted) {
    const double *x = buffer->buf;
    Py_ssize_t count = buffer->len / (Py_ssize_t)sizeof *x, i = 0;
    double sum[4] = {0, 0, 0, 0};
    // x - x is 0 of finite numbers only
    for (; i + 4 <= count; i += 4)
        for (int k = 0; k < 4; k++) sum[k] += x[i + k] - x[i + k];
    for (; i < count; i++) sum[0] += x[i] - x[i];
    if (sum[0] + sum[1] + sum[2] + sum[3] == 0) return 1;
    for (i = 0; i < count; i++) {
        if (x[i] - x[i] == 0) continue;
        char text[100];
        Py_ssize_t place[AXES], rest = i;
        for (int k = buffer->ndim - 1; k >= 0; k--) {
            place[k] = rest % buffer->shape[k];
            rest /= buffer->shape[k];
        }
        print_shape(place, buffer->ndim, text);
        PyErr_Format(PyExc_ValueError, "%s: expected finite numbers, found %s at %s", wanted->name,
                     x[i] != x[i] ? "nan" : "an infinity", text);
        return 0;
    }
    return 1;
}

int tact_python_take(PyObject *object, const expectation *wanted, Py_buffer *buffer) {
    char found[160], shape[100];
    memset(buffer, 0, sizeof *buffer);
    if (!object || object == Py_None) return 1;
    if (PyObject_GetBuffer(object, buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
        PyErr_Clear();
        PyObject *type = PyObject_GetAttrString((PyObject *)Py_TYPE(object), "__name__"), *name = NULL;
        if (type) name = PyUnicode_AsUTF8String(type);
        PyErr_Clear();
        const char *kind = name && PyBytes_AsString(name) ? PyBytes_AsString(name) : "?";
        snprintf(found, sizeof found, "an object of the type %.60s, without a buffer; %s makes one", kind,
                 strcmp(kind, "Tensor") == 0 ? "x.detach().cpu().double().numpy()" : "numpy.array(x, float)");
        Py_XDECREF(type);
        Py_XDECREF(name);
        PyErr_Clear();
        return refuse_argument(wanted, found);
    }
    int good = 0;
    if (!fits_format(buffer, wanted->format)) {
        const char *format = buffer->format ? buffer->format : "B";
        snprintf(found, sizeof found, "items of the format \"%.20s\"%s", format, describe_items(format));
        refuse_argument(wanted, found);
    } else if (!fits_shape(buffer, wanted)) {
        print_shape(buffer->shape, buffer->ndim < AXES ? buffer->ndim : AXES, shape);
        refuse_argument(wanted, shape);
    } else if (!PyBuffer_IsContiguous(buffer, 'C')) {
        refuse_argument(wanted, "another order or steps; numpy.ascontiguousarray(x) puts it in order");
    } else if (wanted->writable && buffer->readonly) {
        refuse_argument(wanted, "a read-only one");
    } else {
        good = !wanted->finite || check_finite(buffer, wanted);
    }
    if (!good) PyBuffer_Release(buffer);
    return good;
}

void tact_python_release(Py_buffer *buffers, int count) {
    for (int i = 0; i < count; i++)
        if (buffers[i].obj) PyBuffer_Release(&buffers[i]);
}

int tact_python_take_all(PyObject *const *objects, const expectation *wanted, int count, Py_buffer *buffers) {
    for (int i = 0; i < count; i++) {
        if (tact_python_take(objects[i], &wanted[i], &buffers[i])) continue;
        tact_python_release(buffers, i);
        return 0;
    }
    return 1;
}

int tact_python_strings(PyObject *list, const char *name, const char **strings, Py_ssize_t most) {
    Py_ssize_t count = list == Py_None ? 0 : PySequence_Size(list);
    if (count < 0 || count > most) {
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: expected a list of at most %zd strings", name, most);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *item = PySequence_GetItem(list, i);
        Py_ssize_t size = 0;
        strings[i] = item ? PyUnicode_AsUTF8AndSize(item, &size) : NULL;
        Py_XDECREF(item);
        int whole = strings[i] && strlen(strings[i]) == (size_t)size;
        if (whole) continue;
        PyErr_Clear();
        PyErr_Format(PyExc_ValueError, "%s: expected strings, found %s at %zd", name,
                     strings[i] ? "a null character in that" : "something else", i);
        return -1;
    }
    return (int)count;
}
