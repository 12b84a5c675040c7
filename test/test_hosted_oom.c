// SPDX-License-Identifier: MIT
// Every allocation of the hosted library fails once and for ever while it reads a trace, writes one, opens a batch, computes a
// chunk of it and stores that: no crash, no leak, and the caller is told. Stepping a world asks for nothing. (Scenes:
// test_scene_oom.c; the whole command: test_faults.sh.) malloc and free are replaced for that, which sanitizers do not bear.
#define _XOPEN_SOURCE 700

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define REPLACES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define REPLACES 0
#endif
#endif
#if !defined(REPLACES) && defined(__GLIBC__)
#define REPLACES 1
#endif

#include "files.h"
#include "test.h"

#if REPLACES

#include "batch/worker.h"
#include "tact/files.h"
#include "tact/store.h"
#include "tact/trace.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static long allocations, living, fail_at;  // fail_at: the number of the allocation that fails, 0 for none
static bool fail_on;                       // and all after it

static bool fails(void) {
    allocations++;
    return fail_at > 0 && (allocations == fail_at || (fail_on && allocations > fail_at));
}

static void *count(void *memory) {
    living += memory != NULL;
    return memory;
}

void *malloc(size_t size) {
    return fails() ? NULL : count(__libc_malloc(size));
}

void *calloc(size_t number, size_t size) {
    return fails() ? NULL : count(__libc_calloc(number, size));
}

void *realloc(void *memory, size_t size) {
    if (fails()) return NULL;
    return memory ? __libc_realloc(memory, size) : count(__libc_realloc(memory, size));
}

void free(void *memory) {
    living -= memory != NULL;
    __libc_free(memory);
}

static char folder[300], scene_path[340], spec_path[340], trace_path[340], store_path[340];
static tact_world *world;

static const char scene[] =
    "{\"tact\":1,\"law\":\"%s\",\"bodies\":[{\"name\":\"ball\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],"
    "\"joint\":{\"name\":\"ball\",\"type\":\"%s\"}}],\"shapes\":[{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"%s\",\"radius\":"
    "0.1},"
    "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"%s\"}],\"mu\":0.5,\"pairs\":[{\"a\":\"floor\",\"b\":\"ball\"}],"
    "\"state\":{\"q\":{\"ball\":[0,0.12,%s]}}}";
static const char spec[] =
    "{\"tact_batch\":1,\"scene\":\"scene.json\",\"envs\":5,\"steps\":2,\"seed\":7,\"parameters\":[{\"path\":\"mu\","
    "\"uniform\":[0.2,0.7]},{\"path\":\"command.mode\",\"choice\":[\"hold\",\"fixed\"]}],\"record\":{\"every\":1}}";

// Each of these does its work; true when it came out right, false when it was told that there is no memory.
static bool read_trace(void) {
    char message[300] = "";
    tact_trace_reader *reader = tact_trace_open(trace_path, message, sizeof message);
    int got = reader ? 1 : -1, steps = 0;
    while (got > 0) {
        got = tact_trace_next(reader, message, sizeof message);
        steps += got > 0;
    }
    if (reader) tact_trace_close(reader);
    CHECK(got < 0 ? strstr(message, "out of memory") != NULL : steps == 3);
    return got == 0;
}

static bool write_trace(void) {
    tact_errors errors = {0};
    tact_output output;
    bool good = tact_output_open(&output, trace_path, &errors);
    if (good) {
        tact_trace_add_header(world->scene, &output.text);
        tact_text_add(&output.text, "\n");
        for (int i = 0; i < 3; i++) {
            tact_trace_add_step(world->scene, i, &world->state, i > 0 ? &world->work : NULL, world->u, &output.text);
            tact_text_add(&output.text, "\n");
            tact_output_spill(&output);
        }
        good = tact_output_finish(&output, &errors);
    }
    CHECK(good || (errors.kind == TACT_ERROR_NO_MEMORY && errors.errors == 1));
    return good;
}

static void remove_store(void) {
    static const char *const names[] = {"q", "v", "path_q", "path_v", "parameters", "status", "steps", "iterations"};
    char path[420];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s.npy", store_path, names[i]);
        unlink(path);
    }
    for (int i = 0; i < 3; i++) {
        static const char *const others[] = {"journal", "manifest.json", "arrays.npz"};
        snprintf(path, sizeof path, "%s/%s", store_path, others[i]);
        unlink(path);
    }
    rmdir(store_path);
}

static bool store_chunks(const tact_batch *batch, tact_errors *errors) {
    tact_store store;
    tact_store_plan plan = {
        .path = store_path, .narray = batch->narray, .array = batch->array, .rows = batch->spec->envs, .chunk = batch->chunk};
    tact_text manifest = {0};
    bool good = tact_store_open(&store, &plan, errors);
    tact_batch_worker *worker = good ? tact_batch_worker_make(batch) : NULL;
    atomic_bool stop = false;
    long long steps = 0;
    for (long long chunk = 0; worker && good && chunk < batch->chunks; chunk++) {
        unsigned char *buffer = malloc(batch->bytes * (size_t)tact_batch_count(batch, chunk));
        good = buffer && tact_batch_worker_run(worker, chunk, buffer, &stop, &steps) == TACT_CHUNK_DONE;
        good = good && tact_store_put(&store, chunk, buffer);
        free(buffer);
    }
    if (good && worker) good = tact_store_keep(&store);
    tact_text_add(&manifest, "{}\n");
    if (good && worker && !manifest.failed) good = tact_store_finish(&store, "arrays.npz", &manifest, errors);
    good = good && worker && !manifest.failed;
    tact_text_free(&manifest);
    tact_batch_worker_free(worker);
    tact_store_close(&store);
    return good;
}

static bool run_batch(void) {
    tact_errors errors = {0};
    tact_batch_spec read = {0};
    tact_batch batch = {0};
    tact_scene_settings settings = {0};
    bool good = tact_batch_spec_read(&read, spec_path, &errors), opened = good;
    if (good) good = tact_batch_open(&batch, &read, &settings, &errors);
    CHECK(good == (errors.errors == 0));
    if (good) good = store_chunks(&batch, &errors);
    bool told = errors.errors == 0 || tact_errors_exit(&errors) == 5;
    CHECK(told);
    if (!told) printf("    %s\n", errors.items[0].text);
    if (opened) tact_batch_free(&batch);
    tact_batch_spec_free(&read);
    remove_store();
    return good;
}

// Every allocation of it in turn.
static void fail_each(const char *name, bool (*work)(void)) {
    for (int on = 0; on < 2; on++) {
        long number = 1, all = 2;
        for (; number < all; number++) {
            long before = living;
            allocations = 0;
            fail_at = number;
            fail_on = on;
            bool good = work();
            bool failed = allocations >= number;
            fail_at = 0;
            if (good != !failed) printf("    %s: allocation %ld of %ld\n", name, number, allocations);
            CHECK(good == !failed);
            CHECK_INT(living, before);
            all = failed ? number + 2 : number;
        }
        printf("%s: %ld allocations\n", name, number - 1);
        CHECK(number > 3);
    }
}

// The laws step a world with the memory that it has.
static void test_steps(void) {
    static const char *const law[] = {"barrier", "virtual", "rigid"};
    char text[1000], message[300];
    for (int i = 0; i < 3; i++) {
        bool planar = i == 1;
        snprintf(text, sizeof text, scene, law[i], planar ? "planar" : "translation", planar ? "circle" : "sphere",
                 planar ? "halfplane" : "plane", planar ? "0" : "0.12");
        test_write_text(scene_path, text);
        tact_world *own = tact_world_open(scene_path, message, sizeof message);
        CHECK(own != NULL);
        if (!own) printf("    %s\n", message);
        allocations = 0;
        for (int step = 0; own && step < 50; step++) CHECK(tact_world_step(own) >= 0);
        CHECK_INT(allocations, 0);
        tact_world_close(own);
    }
}

int main(void) {
    // thousands of small files that are synced: in memory where that is possible
    char text[1000], message[300];
    test_make_folder(folder, sizeof folder, "/dev/shm");
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    snprintf(spec_path, sizeof spec_path, "%s/spec.json", folder);
    snprintf(trace_path, sizeof trace_path, "%s/trace.jsonl", folder);
    snprintf(store_path, sizeof store_path, "%s/store", folder);
    test_steps();
    snprintf(text, sizeof text, scene, "barrier", "translation", "sphere", "plane", "0.12");
    test_write_text(scene_path, text);
    test_write_text(spec_path, spec);
    world = tact_world_open(scene_path, message, sizeof message);
    CHECK(world != NULL);
    if (world) {
        fail_each("write a trace", write_trace);
        fail_each("read a trace", read_trace);
        fail_each("a batch", run_batch);
    }
    tact_world_close(world);
    unlink(scene_path);
    unlink(spec_path);
    unlink(trace_path);
    CHECK(rmdir(folder) == 0);
    return test_end("hosted_oom");
}

#else

int main(void) {
    return test_end("hosted_oom (not with this C library or under a sanitizer)");
}

#endif
