// SPDX-License-Identifier: MIT
// Any bytes as what a run or a batch reads back: by the first byte a trace, the spec of a batch, an array, a mesh, or the
// journal, the manifest or an array of a folder of results. What is refused has a reason, and a folder that is accepted can be
// finished.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"
#include "tact/batch.h"
#include "tact/files.h"
#include "tact/store.h"
#include "tact/view.h"

static char folder[64];
static tact_errors errors;

static void read_trace(const char *path) {
    char message[400] = "";
    tact_trace_reader *reader = tact_trace_open(path, message, sizeof message);
    fuzz_require(reader != NULL || message[0], "a trace or a reason");
    if (!reader) return;
    int got = 1, nq = reader->header.nq, last = -1;
    while (got > 0) {
        message[0] = '\0';
        got = tact_trace_next(reader, message, sizeof message);
        fuzz_require(got >= 0 || message[0], "a step, an end or a reason");
        if (got <= 0) break;
        const tact_trace_step *step = &reader->step;
        fuzz_require(tact_status_name(step->status) != NULL, "a status has a name");
        fuzz_require(step->ncontact >= 0 && step->ncontact <= reader->header.npair, "contacts of pairs");
        for (int i = 0; i < step->ncontact; i++)
            fuzz_require(step->contact[i].pair >= 0 && step->contact[i].pair < reader->header.npair, "a contact of a pair");
        if (step->status >= 0) fuzz_require(fuzz_finite(step->q, nq), "coordinates are finite");
        last = step->step;
    }
    (void)last;
    tact_trace_close(reader);
}

static void read_spec(const char *path) {
    tact_batch_spec spec;
    bool read = tact_batch_spec_read(&spec, path, &errors);
    fuzz_require(read != (errors.errors > 0), "a spec or an error");
    if (read) fuzz_require(spec.nscene > 0 && spec.envs > 0 && spec.steps > 0 && spec.ndraw >= 0, "a spec that can be run");
    tact_batch_spec_free(&spec);
}

static void read_array(const char *path) {
    tact_npy npy;
    bool read = tact_npy_open(&npy, path, &errors);
    fuzz_require(read == (errors.errors == 0) && errors.errors <= 1, "an array or one error");
    if (!read) return;
    long long count = 1;
    double number = 0;
    for (int i = 0; i < npy.ndim; i++) count *= npy.shape[i];
    fuzz_require(npy.ndim <= TACT_NPY_DIMS && count >= 0, "a shape");
    if (count > 0)
        fuzz_require(tact_npy_read(&npy, 0, 1, &number) == 0 && tact_npy_read(&npy, count - 1, 1, &number) == 0,
                     "all its numbers");
    tact_npy_close(&npy);
}

static void read_mesh(const uint8_t *bytes, size_t size) {
    static const char *const names[] = {"a.stl", "a.obj", "a.dae", "a.ply"};
    tact_mesh mesh = {0};
    // a source ends with a NUL, and a sanitizer sees what is read behind it
    char *text = malloc(size);
    if (!text) abort();
    memcpy(text, bytes + 1, size - 1);
    text[size - 1] = '\0';
    tact_source source = {.name = names[bytes[0] % 4], .bytes = text, .size = size - 1, .line = 1};
    bool read = tact_mesh_read(&mesh, source, &errors);
    fuzz_require(read == (errors.errors == 0) && errors.errors <= 1, "a mesh or one error");
    fuzz_require(read == (mesh.ntriangle > 0), "triangles");
    for (int i = 0; i < 3 * mesh.ntriangle; i++) {
        int corner = mesh.triangle[i / 3].corner[i % 3];
        fuzz_require(corner >= 0 && corner < mesh.npoint, "a corner is a point");
    }
    for (int i = 0; i < 3 * mesh.npoint; i++) fuzz_require(fabsf(mesh.point[i / 3].x[i % 3]) <= 1e9f, "a point that is near");
    fuzz_require(!read || (tact_mesh_simplify(&mesh, 20) && mesh.ntriangle <= 20), "a coarser mesh");
    tact_mesh_free(&mesh);
    free(text);
}

// folders of results

enum { ROWS = 7, CHUNK = 2, CHUNKS = 4 };
static const tact_batch_array arrays[2] = {{.name = "a", .bytes = sizeof(double)},
                                           {.name = "b", .whole = true, .ndim = 1, .shape = {3}, .bytes = 3 * sizeof(int32_t)}};
static const char *const names[] = {"journal", "manifest.json", "a.npy", "b.npy"};

static const char *name_of(const char *name) {
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void clear_folder(void) {
    for (int i = 0; i < 4; i++) unlink(name_of(names[i]));
    rmdir(folder);
}

// runs what is missing, at most so many chunks; true when it is finished
static bool fill(int most) {
    static const unsigned char rows[CHUNK * (sizeof(double) + 3 * sizeof(int32_t))];
    tact_store store;
    tact_store_plan plan = {.path = folder, .digest = {"d"}, .narray = 2, .array = arrays, .rows = ROWS, .chunk = CHUNK};
    tact_text manifest = {0};
    bool open = tact_store_open(&store, &plan, &errors), finished = false;
    fuzz_require(open == (errors.errors == 0), "a folder or an error");
    if (open && !store.finished) {
        fuzz_require(store.chunks == CHUNKS && store.kept <= CHUNKS, "chunks of the plan");
        for (long long k = tact_store_missing(&store, 0); k < CHUNKS && most-- > 0; k = tact_store_missing(&store, k))
            fuzz_require(tact_store_put(&store, k, rows), "a chunk is written");
        fuzz_require(tact_store_keep(&store), "and kept");
        tact_text_add(&manifest, "{\"digest\":\"d\"}");
        if (store.kept == CHUNKS) fuzz_require(tact_store_finish(&store, NULL, &manifest, &errors), "and finished");
    }
    finished = open && store.kept == CHUNKS;
    tact_text_free(&manifest);
    tact_store_close(&store);
    return finished;
}

static void read_folder(fuzz_source *source) {
    const char *name = names[fuzz_below(source, 4)];
    int kept = fuzz_below(source, CHUNKS + 1), at = fuzz_byte(source);
    bool cut = fuzz_below(source, 2);
    fill(kept);
    int file = open(name_of(name), O_WRONLY | O_CREAT, 0666);
    if (file < 0) abort();
    size_t size = source->size > source->at ? source->size - source->at : 0;
    if (pwrite(file, source->bytes + source->at, size, at) != (ssize_t)size) abort();
    if (cut && ftruncate(file, at + (off_t)size) != 0) abort();
    close(file);
    errors = (tact_errors){0};
    if (fill(CHUNKS)) fuzz_require(fill(0), "what was finished is finished");
    clear_folder();
}

static void leave(void) {
    clear_folder();
}

static int begin(void) {
    const char *place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(folder, sizeof folder, "%s/tact_fuzz_%ld", place, (long)getpid());
    atexit(leave);
    return memfd_create("fuzz", 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static int file = -1;
    char path[40];
    if (file < 0) file = begin();
    if (file < 0) abort();
    if (size == 0) return 0;
    errors = (tact_errors){0};
    fuzz_source source = {bytes, size, 1, false};
    if (bytes[0] % 8 == 7) {
        read_folder(&source);
        return 0;
    }
    if (bytes[0] % 8 == 3 && size > 1) {
        read_mesh(bytes + 1, size - 1);
        return 0;
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes + 1, size - 1, 0) != (ssize_t)(size - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (bytes[0] % 8 == 5)
        read_array(path);
    else if (bytes[0] % 2)
        read_trace(path);
    else
        read_spec(path);
    return 0;
}
