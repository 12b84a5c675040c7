// SPDX-License-Identifier: MIT
// Any bytes as a trace or, where the first byte is even, as the spec of a batch.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "batch/spec.h"
#include "fuzz.h"

static void read_trace(const char *path) {
    char message[400] = "";
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    fuzz_require(reader != NULL || message[0], "a trace or a reason");
    if (!reader) return;
    int got = 1, nq = reader->header.nq;
    while (got > 0) {
        message[0] = '\0';
        got = tact_trace_next(reader, message, sizeof message);
        fuzz_require(got >= 0 || message[0], "a step, an end or a reason");
        if (got > 0 && reader->step.status >= 0) fuzz_require(fuzz_finite(reader->step.q, nq), "coordinates are finite");
    }
    tact_trace_close(reader);
}

static void read_spec(const char *path) {
    static tact_errors errors;
    errors = (tact_errors){0};
    tact_batch_spec spec;
    bool read = tact_batch_spec_read(&spec, path, &errors);
    fuzz_require(read != (errors.errors > 0), "a spec or an error");
    tact_batch_spec_free(&spec);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    char path[40];
    int file = memfd_create("fuzz", 0);
    if (size == 0 || file < 0) return file < 0 ? abort(), 0 : close(file);
    if (write(file, bytes + 1, size - 1) != (ssize_t)(size - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (bytes[0] % 2)
        read_trace(path);
    else
        read_spec(path);
    close(file);
    return 0;
}
