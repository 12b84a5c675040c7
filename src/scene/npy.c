// SPDX-License-Identifier: MIT
// The format: "\x93NUMPY", version, length of the header, the header - a literal of a Python dictionary, padded with blanks and
// ended by a newline -, the numbers.
#include "tact/npy.h"

#include <stdio.h>
#include <string.h>

#include "tact/text.h"

static bool is_little(void) {
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    return first == 1;
}

tact_npy_header tact_npy_make_header(tact_npy_type type, int ndim, const long long *shape) {
    TACT_ASSERT(ndim > 0 && ndim <= TACT_NPY_DIMS && shape);
    static const char *const names[] = {
        [TACT_NPY_DOUBLE] = "f8", [TACT_NPY_SINGLE] = "f4", [TACT_NPY_WHOLE] = "i4", [TACT_NPY_SHORT] = "i2"};
    tact_npy_header header = {.size = TACT_NPY_HEADER};
    char *text = header.bytes + 10;
    size_t room = sizeof header.bytes - 10, used = 0;
    memcpy(header.bytes, "\x93NUMPY\x01\x00", 8);
    used = (size_t)snprintf(text, room, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", is_little() ? '<' : '>',
                            names[type]);
    for (int i = 0; i < ndim; i++) used += (size_t)snprintf(text + used, room - used, i > 0 ? ", %lld" : "%lld", shape[i]);
    used += (size_t)snprintf(text + used, room - used, "%s), }", ndim == 1 ? "," : "");
    // data begins at a multiple of 64 bytes; the header ends with a newline
    header.size = (10 + used + 1 + 63) / 64 * 64;
    memset(text + used, ' ', header.size - 10 - used);
    header.bytes[header.size - 1] = '\n';
    // its length, little-endian
    header.bytes[8] = (char)((header.size - 10) % 256);
    header.bytes[9] = (char)((header.size - 10) / 256);
    return header;
}

size_t tact_npy_item(const tact_npy *npy) {
    return npy->type == TACT_NPY_DOUBLE ? 8 : npy->type == TACT_NPY_SHORT ? 2 : 4;
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
            // ten times as much would still fit
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

bool tact_npy_parse(tact_npy *npy, const char *bytes, size_t given, uint64_t size, tact_errors *errors) {
    TACT_ASSERT(npy && bytes && errors);
    char text[TACT_NPY_HEADER_MAX + 1];
    unsigned char head[12];
    if (given < sizeof head || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return refuse(npy, errors,
                      given > 2 && memcmp(bytes, "PK", 2) == 0
                          ? "is not a .npy file but an archive (.npz): numpy.save one of its arrays"
                          : "is not a .npy file");
    memcpy(head, bytes, sizeof head);
    bool first = head[6] == 1;
    size_t length = head[8] + 256u * head[9] + (first ? 0 : 65536u * head[10] + 16777216u * head[11]);
    npy->start = (first ? 10 : 12) + length;
    if (head[6] < 1 || head[6] > 3 || length > TACT_NPY_HEADER_MAX || npy->start > given)
        return refuse(npy, errors, "its header is not known");
    memcpy(text, bytes + (first ? 10 : 12), length);
    text[length] = '\0';
    // Dictionary of the head: type, order, shape
    const char *descr = find_value(text, "'descr'");
    npy->type = is_type(descr, "f4")   ? TACT_NPY_SINGLE
                : is_type(descr, "i4") ? TACT_NPY_WHOLE
                : is_type(descr, "i2") ? TACT_NPY_SHORT
                                       : TACT_NPY_DOUBLE;
    if (npy->type == TACT_NPY_DOUBLE && !is_type(descr, "f8"))
        return refuse(npy, errors,
                      descr[0] != '\'' ? "is a table of several columns (numpy.save of an array of float64 is read)"
                      : strncmp(descr + 1, "|O", 2) == 0 ? "holds Python objects, not numbers: numpy.save(FILE, x.astype(float))"
                      : strncmp(descr + 2, "c", 1) == 0  ? "holds complex numbers (read are float64, float32, int32, int16)"
                                                         : "its numbers are none of float64, float32, int32, int16 in this "
                                                           "machine's order: numpy.save(FILE, x.astype(float))");
    if (strncmp(find_value(text, "'fortran_order'"), "False", 5) != 0)
        return refuse(npy, errors, "is in Fortran order (use numpy.ascontiguousarray)");
    if (!read_shape(npy, find_value(text, "'shape'")))
        return refuse(npy, errors, "its shape cannot be read, or has more than 4 axes");
    // The file holds all elements of the shape.
    uint64_t count = 1, item = tact_npy_item(npy);
    for (int i = 0; i < npy->ndim; i++) {
        uint64_t axis = (uint64_t)npy->shape[i];
        if (axis > 0 && count > UINT64_MAX / 16 / axis) return refuse(npy, errors, "its shape is too large");
        count *= axis;
    }
    if (size < npy->start || (size - npy->start) / item < count) return refuse(npy, errors, "is shorter than its shape says");
    return size - npy->start == count * item || refuse(npy, errors, "has bytes behind its array: numpy.save(FILE, x) writes one");
}
