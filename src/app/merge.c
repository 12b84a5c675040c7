// SPDX-License-Identifier: MIT
// tact merge: the shards of a batch become what one call would have written, to the byte.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/batch_manifest.h"

enum { MERGE_SHARDS = 1000000, MERGE_CHUNK = 256, MERGE_BYTES = 4 << 20 };

static const char help[] =
    "Each SHARD is the folder of `tact batch SPEC --shard I/N`; together they must hold every environment once. OUTPUT becomes\n"
    "the folder that `tact batch SPEC` would have written, byte by byte. A merge that was broken off goes on.\n"
    "\n"
    "example:\n"
    "  for i in 0 1 2; do tact batch spec.json --shard $i/3 --output part$i; done\n"
    "  tact merge all part0 part1 part2\n";

// One of the folders.
typedef struct {
    const char *path;
    long long first, count;
} merge_shard;

typedef struct {
    int nshard;
    merge_shard *shard;  // (nshard) by first
    tact_text head;      // of the manifest, the same in all
    tact_json json;      // of the first shard
    tact_text text;      //
    bool parsed;         //
    tact_digest_text digest;
    tact_fingerprint bits;
    long long envs;
    int narray;
    tact_batch_array array[TACT_BATCH_ARRAYS];
    size_t bytes;  // of one environment
} merge_job;

static bool refuse(const char *path, const char *reason, tact_errors *errors) {
    tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path}, "%s", reason);
    return false;
}

static bool get_count(const tact_json *json, int node, long long *value) {
    if (node < 0 || !tact_json_expect(json, node, TACT_JSON_NUMBER)) return false;
    double x = tact_json_value(json, node);
    *value = x >= 0 && x < 9e15 ? (long long)x : -1;
    if (*value >= 0 && (double)*value == x) return true;
    tact_json_refuse(json, node, "must be a whole number >= 0 (found %s)", tact_number_print(x).text);
    return false;
}

static bool read_shape(const tact_json *json, int node, tact_batch_array *array) {
    long long size = 0;
    int i = node >= 0 ? tact_json_first(json, node) : -1;
    array->bytes = array->whole ? 4 : 8;
    // the first axis is that of the environments
    for (i = i >= 0 ? tact_json_after(json, i) : -1; i >= 0; i = tact_json_after(json, i)) {
        if (array->ndim == 3 || !get_count(json, i, &size)) return false;
        if (size > 0 && array->bytes > SIZE_MAX / 64 / (size_t)size) return false;
        array->shape[array->ndim++] = size;
        array->bytes *= (size_t)size;
    }
    return true;
}

static const char *get_text(const tact_json *json, int object, const char *key) {
    int node = tact_json_need(json, object, key);
    return node >= 0 ? tact_json_get_string(json, node, 400) : NULL;
}

static bool read_array(merge_job *job, int node) {
    const tact_json *json = &job->json;
    if (!tact_json_expect(json, node, TACT_JSON_OBJECT)) return false;
    const char *name = get_text(json, node, "name"), *dtype = get_text(json, node, "dtype"), *unit = get_text(json, node, "unit"),
               *meaning = get_text(json, node, "meaning");
    if (!name || !dtype || !unit || !meaning || job->narray == TACT_BATCH_ARRAYS) return false;
    if (strchr(name, '/') || !name[0] || strlen(name) > 40) return false;
    tact_batch_array *array = &job->array[job->narray++];
    *array = (tact_batch_array){.name = name, .unit = unit, .meaning = meaning, .whole = strcmp(dtype, "int32") == 0};
    if (!read_shape(json, tact_json_need(json, node, "shape"), array)) return false;
    job->bytes += array->bytes;
    return true;
}

// Reads from the first shard's manifest what all shards share.
static bool read_common(merge_job *job, const char *path, tact_errors *errors) {
    const tact_json *json = &job->json;
    const char *digest = get_text(json, 0, "digest"), *bits = get_text(json, 0, "bits");
    int arrays = tact_json_need(json, 0, "arrays");
    if (!digest || strlen(digest) != 64 || !bits || strlen(bits) != 16 ||
        !get_count(json, tact_json_need(json, 0, "envs"), &job->envs) || arrays < 0 || tact_json_length(json, arrays) <= 0)
        return errors->errors > 0 ? false : refuse(path, "is not the manifest of a batch", errors);
    memcpy(job->digest.text, digest, 65);
    memcpy(job->bits.text, bits, 17);
    for (int i = tact_json_first(json, arrays); i >= 0; i = tact_json_after(json, i))
        if (!read_array(job, i)) return errors->errors > 0 ? false : refuse(path, "lists an array that no batch has", errors);
    return true;
}

// The part of a manifest that all shards have in common.
static size_t head_size(const tact_text *text) {
    const char *rows = text->bytes ? strstr(text->bytes, "\n\"first\": ") : NULL;
    return rows ? (size_t)(rows - text->bytes) + 1 : 0;
}

// A shard of the same batch as the first one, by a build that computes the same bits.
static bool check_common(const merge_job *job, const tact_json *json, const tact_text *text, const char *path,
                         tact_errors *errors) {
    const char *bits = get_text(json, 0, "bits");
    size_t size = head_size(text);
    if (!bits) return false;
    if (strcmp(bits, job->bits.text) != 0) {
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path},
                        "is by a build that computes other bits (%.16s) than that of the first shard (%s)", bits, job->bits.text);
        return false;
    }
    if (job->head.bytes && size == job->head.size && memcmp(text->bytes, job->head.bytes, size) == 0) return true;
    return refuse(path, "is of another batch than the first shard", errors);
}

// Whether a shard has the journal of a batch under way or broken off.
static bool is_begun(const char *folder) {
    tact_text journal = {0};
    tact_text_print(&journal, "%-s/journal", folder);
    bool found = !journal.failed && access(journal.bytes, F_OK) == 0;
    tact_text_free(&journal);
    return found;
}

// Reads the manifest of shard k.
static bool read_shard(merge_job *job, int k, tact_errors *errors) {
    tact_text path = {0}, text = {0};
    tact_json json;
    bool parsed = false, good = false;
    tact_text_print(&path, "%-s/manifest.json", job->shard[k].path);
    if (path.failed) return tact_file_refuse(job->shard[k].path, ENOMEM, errors);
    struct stat status;
    const bool there = stat(job->shard[k].path, &status) == 0, bare = there && access(path.bytes, F_OK) != 0 && errno == ENOENT;
    if (there && S_ISREG(status.st_mode))
        refuse(job->shard[k].path, "is a file: a shard is the folder that tact batch --shard I/N writes", errors);
    else if (bare && is_begun(job->shard[k].path))
        refuse(job->shard[k].path, "is not finished: run its batch again, which goes on where it stopped", errors);
    else if (bare)
        tact_errors_add(errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path.bytes},
                        "No such file or directory: a shard is the folder that tact batch --shard I/N writes");
    else
        good = tact_text_read(&text, path.bytes, TACT_TEXT_LIMIT, errors);
    if (good) good = parsed = tact_json_read(&json, tact_text_source(&text, path.bytes), errors);
    size_t size = good ? head_size(&text) : 0;
    if (good && (size == 0 || !tact_json_expect(&json, 0, TACT_JSON_OBJECT)))
        good = errors->errors > 0 ? false : refuse(path.bytes, "is not the manifest of a batch", errors);
    good = good && get_count(&json, tact_json_need(&json, 0, "first"), &job->shard[k].first) &&
           get_count(&json, tact_json_need(&json, 0, "count"), &job->shard[k].count) &&
           tact_store_check_seal(&text, path.bytes, errors);
    if (good && k == 0) {
        tact_text_add_bytes(&job->head, text.bytes, size);
        if (job->head.failed) tact_file_refuse(path.bytes, ENOMEM, errors);
        job->text = text;
        job->json = json;
        job->parsed = true;
        good = !job->head.failed && read_common(job, path.bytes, errors);
        good = good && tact_store_check_files(job->shard[k].path, &job->json, errors);
        // names point into the document, which is kept; the path is needed no longer
        tact_text_free(&path);
        return good;
    }
    good = good && check_common(job, &json, &text, path.bytes, errors);
    good = good && tact_store_check_files(job->shard[k].path, &json, errors);
    if (parsed) tact_json_free(&json);
    tact_text_free(&text);
    tact_text_free(&path);
    return good;
}

static int compare(const void *a, const void *b) {
    const merge_shard *x = a, *y = b;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x->count > y->count) - (x->count < y->count);
}

// Checks that the shards hold every environment once.
static bool check_cover(merge_job *job, tact_errors *errors) {
    long long at = 0;
    qsort(job->shard, (size_t)job->nshard, sizeof *job->shard, compare);
    for (int k = 0; k <= job->nshard; k++) {
        long long first = k < job->nshard ? job->shard[k].first : job->envs;
        if (k < job->nshard && job->shard[k].count == 0) continue;
        if (first != at) {
            // what no shard has is nobody's fault, and what two have is the later one's
            bool twice = first < at;
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = twice ? job->shard[k].path : NULL},
                            twice ? "environments %lld to %lld are in two shards: name each shard once"
                                  : "merge: environments %lld to %lld are in no shard that is named: name the folders of all",
                            twice ? first : at, (twice ? at : first) - 1);
            return false;
        }
        if (k < job->nshard) at += job->shard[k].count;
    }
    return true;
}

// Copies a shard's rows of an array.
static bool copy_rows(const tact_batch_array *from, const merge_shard *shard, long long first, long long count, unsigned char *to,
                      tact_errors *errors) {
    tact_text path = {0};
    tact_npy npy = {.file = -1};
    tact_text_print(&path, "%-s/%-s", shard->path, tact_store_file_name(from).text);
    bool good = !path.failed || tact_file_refuse(shard->path, ENOMEM, errors);
    good = good && tact_npy_open(&npy, path.bytes, errors);
    // the file's own header must agree with the manifest
    if (good && (npy.ndim != from->ndim + 1 || npy.shape[0] != shard->count ||
                 npy.type != (from->whole ? TACT_NPY_WHOLE : TACT_NPY_DOUBLE)))
        good = refuse(path.bytes, "is not what the manifest says", errors);
    for (int k = 0; good && k < from->ndim; k++)
        if (npy.shape[k + 1] != from->shape[k]) good = refuse(path.bytes, "is not what the manifest says", errors);
    // rows lie behind each other
    size_t at = npy.start + (size_t)(first - shard->first) * from->bytes;
    int reason = good ? tact_file_read_at(npy.file, at, to, (size_t)count * from->bytes) : 0;
    if (reason != 0) good = tact_file_refuse(path.bytes, reason > 0 ? reason : EIO, errors);
    tact_npy_close(&npy);
    tact_text_free(&path);
    return good;
}

// All arrays of all shards are there and have their shapes.
static bool check_arrays(const merge_job *job, tact_errors *errors) {
    unsigned char none = 0;
    bool good = true;
    for (int k = 0; k < job->nshard; k++)
        for (int i = 0; i < job->narray && good; i++)
            good = copy_rows(&job->array[i], &job->shard[k], job->shard[k].first, 0, &none, errors);
    return good;
}

// False when a shard cannot be read; a failure to write is the store's to tell.
static bool copy_chunk(const merge_job *job, tact_store *store, long long chunk, unsigned char *buffer, tact_errors *errors) {
    long long begin = chunk * store->plan.chunk, end = begin + store->plan.chunk;
    unsigned char *to = buffer;
    if (end > job->envs) end = job->envs;
    for (int i = 0; i < job->narray; i++) {
        for (int k = 0; k < job->nshard; k++) {
            const merge_shard *shard = &job->shard[k];
            long long low = shard->first > begin ? shard->first : begin, high = shard->first + shard->count;
            if (high > end) high = end;
            if (low >= high) continue;
            if (!copy_rows(&job->array[i], shard, low, high - low, to, errors)) return false;
            to += (size_t)(high - low) * job->array[i].bytes;
        }
    }
    return tact_store_put(store, chunk, buffer);
}

static int finish(merge_job *job, tact_store *store) {
    tact_errors errors = {0};
    tact_store_tally tally;
    if (store->finished) return TACT_EXIT_DONE;
    if (!tact_store_count(store, &tally, &errors)) return tact_say_errors(&errors);
    tact_manifest_add_rows(store, 0, &tally, &job->head);
    if (job->head.failed)
        tact_file_refuse(store->plan.path, ENOMEM, &errors);
    else
        tact_store_finish(store, NULL, &job->head, &errors);
    return tact_say_errors(&errors);
}

// Copies all chunks of the shards into one store and finishes it. Returns the exit code.
static int copy_all(merge_job *job, const char *output) {
    tact_errors errors = {0};
    tact_store store;
    int chunk = MERGE_CHUNK;
    while (chunk > 1 && (size_t)chunk * job->bytes > MERGE_BYTES) chunk /= 2;
    tact_store_plan plan = {.path = output,
                            .digest = job->digest,
                            .bits = job->bits,
                            .narray = job->narray,
                            .array = job->array,
                            .rows = job->envs,
                            .chunk = chunk};
    tact_store_open(&store, &plan, &errors);
    int code = tact_say_errors(&errors);
    if (store.damaged > 0)
        tact_say("merge: %s: %lld chunks are damaged and copied again", tact_quote(output).text, store.damaged);
    unsigned char *buffer = code == TACT_EXIT_DONE ? tact_memory_get(job->bytes * (size_t)chunk) : NULL;
    bool good = code == TACT_EXIT_DONE && (buffer || tact_file_refuse(output, ENOMEM, &errors));
    for (long long at = 0; good; at++) {
        at = tact_store_missing(&store, at);
        if (at >= store.chunks) break;
        good = copy_chunk(job, &store, at, buffer, &errors);
    }
    if (code == TACT_EXIT_DONE) {
        // also after a failure what was written is kept, as far as possible
        bool kept = tact_store_keep(&store);
        if (errors.errors == 0 && (!kept || store.reason != 0)) tact_store_report(&store, &errors);
        code = errors.errors > 0 ? tact_say_errors(&errors) : finish(job, &store);
    }
    tact_memory_release(buffer);
    tact_store_close(&store);
    return code;
}

// Reads all shards, checks that together they are one batch, with the same arrays, and copies their rows to the output.
static int merge(merge_job *job, const tact_call *call) {
    tact_errors errors = {0};
    while (tact_call_operand(call, job->nshard + 1)) job->nshard++;
    job->shard = tact_memory_get((size_t)job->nshard * sizeof *job->shard);
    if (!job->shard) return tact_say_no_memory("merge: ");
    for (int k = 0; k < job->nshard; k++) {
        job->shard[k] = (merge_shard){.path = tact_call_operand(call, k + 1)};
        if (tact_file_same(tact_call_operand(call, 0), job->shard[k].path))
            return tact_say_usage(call->command, "%s is a shard, and the output, which is named first",
                                  tact_quote(job->shard[k].path).text);
        if (!read_shard(job, k, &errors)) return tact_say_errors(&errors);
    }
    if (!check_cover(job, &errors) || !check_arrays(job, &errors)) return tact_say_errors(&errors);
    return copy_all(job, tact_call_operand(call, 0));
}

static int run(const tact_call *call) {
    merge_job job = {0};
    int code = merge(&job, call);
    if (job.parsed) tact_json_free(&job.json);
    tact_text_free(&job.text);
    tact_text_free(&job.head);
    tact_memory_release(job.shard);
    return code;
}

static const tact_call_option options[] = {{0}};

const tact_subcommand tact_merge_command = {.name = "merge",
                                            .operands = "OUTPUT SHARD...",
                                            .summary = "Puts the shards of a batch together.",
                                            .help = help,
                                            .options = options,
                                            .least = 2,
                                            .most = MERGE_SHARDS,
                                            .run = run};
