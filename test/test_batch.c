// SPDX-License-Identifier: MIT
// Draws by their distributions, digests by published values, stores that fail and go on, chunks from any worker.

#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "batch/worker.h"
#include "files.h"
#include "tact/files.h"
#include "tact/lanes.h"
#include "tact/store.h"
#include "test.h"
#include "trace/checksum.h"

enum { DRAWS = 20000 };

static void check_moments(tact_draw draw, uint64_t seed, double mean, double deviation, bool logarithm) {
    double sum = 0, squares = 0;
    int index;
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = (double)tact_draw_value(&draw, seed, i, 3, &index);
        if (logarithm) x = log(x);
        sum += x;
        squares += x * x;
    }
    double m = sum / DRAWS, s = sqrt(squares / DRAWS - m * m);
    // five standard errors
    CHECK(fabs(m - mean) < 5 * deviation / sqrt(DRAWS));
    CHECK(fabs(s - deviation) < 5 * deviation / sqrt(DRAWS));
}

static void test_draws(uint64_t seed) {
    tact_real words[] = {0, 1, 2};
    int index = -1, count[3] = {0};
    check_moments((tact_draw){.kind = TACT_DRAW_UNIFORM, .a = -1, .b = 3}, seed, 1, 4 / sqrt(12), false);
    check_moments((tact_draw){.kind = TACT_DRAW_NORMAL, .a = 2, .b = TACT_REAL(0.5)}, seed, 2, 0.5, false);
    check_moments((tact_draw){.kind = TACT_DRAW_LOG_UNIFORM, .a = 1, .b = 100}, seed, log(10), log(100) / sqrt(12), true);
    tact_draw choice = {.kind = TACT_DRAW_CHOICE, .nchoice = 3, .value = words};
    for (uint64_t i = 0; i < DRAWS; i++) {
        tact_real x = tact_draw_value(&choice, seed, i, 0, &index);
        CHECK(x == words[index]);
        count[index]++;
    }
    for (int k = 0; k < 3; k++) CHECK(fabs(count[k] - DRAWS / 3.0) < 5 * sqrt(DRAWS * 2.0 / 9));
    // neighbours in seed, environment and parameter have nothing in common
    tact_draw unit = {.kind = TACT_DRAW_UNIFORM, .a = 0, .b = 1};
    double product[3] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        double x = (double)tact_draw_value(&unit, seed, i, 0, &index) - 0.5;
        product[0] += x * ((double)tact_draw_value(&unit, seed, i + 1, 0, &index) - 0.5);
        product[1] += x * ((double)tact_draw_value(&unit, seed, i, 1, &index) - 0.5);
        product[2] += x * ((double)tact_draw_value(&unit, seed + 1, i, 0, &index) - 0.5);
    }
    for (int k = 0; k < 3; k++) CHECK(fabs(product[k]) < 5 * sqrt(DRAWS) / 12);
}

static tact_digest_text digest_of(const char *text, int times) {
    tact_digest digest;
    tact_digest_begin(&digest);
    for (int i = 0; i < times; i++) tact_digest_add(&digest, text, strlen(text));
    return tact_digest_end(&digest);
}

// FIPS 180-4, and the check value of the checksum
static void test_digests(void) {
    CHECK_TEXT(digest_of("", 1).text, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK_TEXT(digest_of("abc", 1).text, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_TEXT(digest_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1).text,
               "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK_TEXT(digest_of("aaaaaaaaaa", 100000).text, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    CHECK_INT(tact_crc32(0, "123456789", 9), 0xcbf43926);
    // RFC 3720, B.4: zeros, ones, ascending and descending bytes; and the usual check value, in two pieces
    unsigned char up[32], down[32], zeros[32] = {0}, ones[32];
    memset(ones, 0xff, sizeof ones);
    for (int i = 0; i < 32; i++) up[i] = down[31 - i] = (unsigned char)i;
    CHECK_INT(tact_crc32c(0, zeros, 32), 0x8a9136aa);
    CHECK_INT(tact_crc32c(0, ones, 32), 0x62a8ab43);
    CHECK_INT(tact_crc32c(0, up, 32), 0x46dd794e);
    CHECK_INT(tact_crc32c(0, down, 32), 0x113fdb5c);
    CHECK_INT(tact_crc32c(tact_crc32c(0, "1234", 4), "56789", 5), 0xe3069283);
}

// Every width of the lanes has the same bits.
static void test_fingerprint(void) {
    int width[5], count = tact_lanes_widths(width);
    tact_fingerprint first, other;
    tact_errors errors = {0};
    CHECK(tact_fingerprint_find(0, &first, &errors));
    for (int i = 0; i < count; i++) {
        CHECK(tact_fingerprint_find(width[i], &other, &errors));
        CHECK_TEXT(other.text, first.text);
    }
    CHECK_INT(strlen(first.text), 16);
    CHECK_INT(errors.errors + errors.warnings, 0);
}

static void test_header(void) {
    const long long shape[] = {3, 4};
    tact_npy_header header = tact_npy_make_header(TACT_NPY_DOUBLE, 2, shape);
    CHECK_INT(header.size % 64, 0);
    CHECK(memcmp(header.bytes, "\x93NUMPY\x01\x00", 8) == 0);
    CHECK(header.bytes[header.size - 1] == '\n');
    const long long huge[] = {999999999999999999, 999999999999999999, 999999999999999999, 999999999999999999};
    CHECK(tact_npy_make_header(TACT_NPY_WHOLE, 4, huge).size <= TACT_NPY_HEADER);
}

// Two arrays of ten rows, three rows a chunk.
static const tact_batch_array arrays[] = {{.name = "x", .unit = "m", .meaning = "", .ndim = 1, .shape = {2}, .bytes = 16},
                                          {.name = "status", .unit = "", .meaning = "", .whole = true, .bytes = 4}};

static void fill_chunk(long long chunk, unsigned char *buffer) {
    int rows = chunk < 3 ? 3 : 1;
    for (int r = 0; r < rows; r++) {
        double x[2] = {(double)(10 * chunk + r), -(double)chunk};
        int32_t status = (int32_t)(chunk + 1);
        memcpy(buffer + 16 * r, x, 16);
        memcpy(buffer + 16 * rows + 4 * r, &status, 4);
    }
}

static void check_store(const char *folder) {
    char path[300];
    tact_errors errors = {0};
    tact_npy npy;
    double x[20];
    snprintf(path, sizeof path, "%s/x.npy", folder);
    CHECK(tact_npy_open(&npy, path, &errors));
    CHECK(npy.ndim == 2 && npy.shape[0] == 10 && npy.shape[1] == 2);
    CHECK_INT(tact_npy_read(&npy, 0, 20, x), 0);
    for (int r = 0; r < 10; r++) CHECK(x[2 * r] == 10 * (r / 3) + r % 3 && x[2 * r + 1] == -(r / 3));
    tact_npy_close(&npy);
}

static void open_store(tact_store *store, const char *folder, tact_errors *errors) {
    tact_store_plan plan = {.path = folder, .digest = digest_of(folder, 1), .narray = 2, .array = arrays, .rows = 10, .chunk = 3};
    CHECK(tact_store_open(store, &plan, errors));
}

static void remove_store(const char *folder) {
    static const char *const names[] = {"x.npy", "status.npy", "manifest.json", "journal", "arrays.npz"};
    char path[300];
    for (int i = 0; i < 5; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    CHECK(rmdir(folder) == 0);
}

// Chunks in any order, over two calls; what is not in the journal is asked for again.
static void test_store(const char *folder) {
    unsigned char buffer[60];
    tact_errors errors = {0};
    tact_store store;
    tact_store_tally tally;
    open_store(&store, folder, &errors);
    CHECK_INT(tact_store_missing(&store, 0), 0);
    for (long long chunk = 3; chunk > 0; chunk -= 2) {
        fill_chunk(chunk, buffer);
        CHECK(tact_store_put(&store, chunk, buffer));
    }
    CHECK(tact_store_keep(&store));
    fill_chunk(0, buffer);
    CHECK(tact_store_put(&store, 0, buffer));
    CHECK(tact_store_count(&store, &tally, &errors));
    CHECK_INT(tally.count[TACT_STORE_NOT_RUN + 110], 3);
    // a second one finds it in use
    tact_store second;
    tact_store_plan plan = store.plan;
    CHECK(!tact_store_open(&second, &plan, &errors) && errors.kind == TACT_ERROR_UNREADABLE);
    CHECK(strstr(errors.items[0].text, "in use by pid") != NULL);
    tact_store_close(&second);
    tact_store_close(&store);

    errors = (tact_errors){0};
    open_store(&store, folder, &errors);
    CHECK(store.resumed && store.kept == 2);
    CHECK_INT(tact_store_missing(&store, 0), 0);
    CHECK_INT(tact_store_missing(&store, 1), 2);
    for (long long chunk = 0; chunk < 3; chunk += 2) {
        fill_chunk(chunk, buffer);
        CHECK(tact_store_put(&store, chunk, buffer));
    }
    CHECK(tact_store_keep(&store));
    tact_text manifest = {0};
    tact_text_add(&manifest, "{\"digest\": \"");
    tact_text_add(&manifest, store.plan.digest.text);
    tact_text_add(&manifest, "\"}\n");
    CHECK(tact_store_finish(&store, "arrays.npz", &manifest, &errors));
    tact_text_free(&manifest);
    tact_store_close(&store);
    check_store(folder);
    open_store(&store, folder, &errors);
    CHECK(store.finished);
    tact_store_close(&store);
    remove_store(folder);
}

// A byte of the file that is turned over.
static void spoil(const char *folder, const char *name, long at) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r+b");
    int byte = file && fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0 ? fgetc(file) : EOF;
    CHECK(byte != EOF);
    CHECK(file && fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0 && fputc(byte ^ 4, file) != EOF && fclose(file) == 0);
}

static void check_refused(const char *folder, const char *bits, const char *wanted) {
    tact_store store;
    tact_errors errors = {0};
    tact_store_plan plan = {.path = folder, .digest = digest_of(folder, 1), .narray = 2, .array = arrays, .rows = 10, .chunk = 3};
    snprintf(plan.bits.text, sizeof plan.bits.text, "%s", bits);
    CHECK(!tact_store_open(&store, &plan, &errors) && errors.kind == TACT_ERROR_REFUSED);
    CHECK(errors.errors == 1 && strstr(errors.items[0].text, wanted) != NULL);
    if (errors.errors == 1 && !strstr(errors.items[0].text, wanted)) printf("    %s\n", errors.items[0].text);
    tact_store_close(&store);
}

// Chunks that are not what was put are asked for again; results of another build, and spoilt ones, are refused.
static void test_damage(const char *folder) {
    unsigned char buffer[60];
    tact_errors errors = {0};
    tact_store store;
    open_store(&store, folder, &errors);
    for (long long chunk = 0; chunk < 4; chunk++) {
        fill_chunk(chunk, buffer);
        CHECK(tact_store_put(&store, chunk, buffer));
    }
    CHECK(tact_store_keep(&store));
    tact_store_close(&store);
    check_refused(folder, "0123456789abcdef", "was begun by a build that computes other bits");
    spoil(folder, "x.npy", -1);
    spoil(folder, "journal", 256 + 10);
    open_store(&store, folder, &errors);
    CHECK_INT(store.kept, 2);
    CHECK_INT(store.damaged, 2);
    CHECK_INT(tact_store_missing(&store, 0), 1);
    CHECK_INT(tact_store_missing(&store, 2), 3);
    for (long long chunk = 1; chunk < 4; chunk += 2) {
        fill_chunk(chunk, buffer);
        CHECK(tact_store_put(&store, chunk, buffer));
    }
    CHECK(tact_store_keep(&store));
    // what is spoilt after it was put is noticed before the manifest vouches for it
    tact_text manifest = {0};
    tact_text_add(&manifest, "{\"digest\": \"");
    tact_text_add(&manifest, store.plan.digest.text);
    tact_text_add(&manifest, "\", \"bits\": \"\"}\n");
    size_t size = manifest.size;
    spoil(folder, "status.npy", -1);
    CHECK(!tact_store_finish(&store, NULL, &manifest, &errors));
    CHECK(strstr(errors.items[0].text, "chunk 3 does not read back as it was written") != NULL);
    spoil(folder, "status.npy", -1);
    errors = (tact_errors){0};
    manifest.size = size;
    CHECK(tact_store_finish(&store, NULL, &manifest, &errors));
    tact_store_close(&store);
    check_store(folder);
    check_refused(folder, "0123456789abcdef", "that computes other bits () than this one (0123456789abcdef)");
    spoil(folder, "x.npy", 20);
    check_refused(folder, "", "x.npy: is damaged: its SHA-256 is not the manifest's");
    spoil(folder, "x.npy", 20);
    spoil(folder, "manifest.json", 5);
    check_refused(folder, "", "manifest.json: is damaged: its SHA-256 is another");
    spoil(folder, "manifest.json", 5);
    open_store(&store, folder, &errors);
    CHECK(store.finished);
    tact_store_close(&store);
    tact_text_free(&manifest);
    remove_store(folder);
}

// A write that fails is told of, and what was kept before stays.
static void test_failure(const char *folder) {
    unsigned char buffer[60];
    struct rlimit before, small;
    tact_errors errors = {0};
    tact_store store;
    signal(SIGXFSZ, SIG_IGN);
    open_store(&store, folder, &errors);
    fill_chunk(0, buffer);
    CHECK(tact_store_put(&store, 0, buffer));
    CHECK(tact_store_keep(&store));
    CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
    small = before;
    small.rlim_cur = 200;
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    fill_chunk(2, buffer);
    CHECK(!tact_store_put(&store, 2, buffer));
    CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
    tact_store_report(&store, &errors);
    CHECK(errors.errors == 1 && strstr(errors.items[0].text, "x.npy: File too large; 1 of 4 chunks written, rerun to continue"));
    tact_store_close(&store);
    errors = (tact_errors){0};
    open_store(&store, folder, &errors);
    CHECK(store.resumed && store.kept == 1);
    tact_store_close(&store);
    remove_store(folder);
}

// A worker that computes chunks backwards gives what one gives that computes them in order.
static void test_workers(void) {
    tact_batch_spec spec;
    tact_batch batch;
    tact_errors errors = {0};
    tact_scene_settings settings = {0};
    atomic_bool stop = false;
    long long steps = 0;
    CHECK(tact_batch_spec_read(&spec, "data/batch/grasp.json", &errors));
    spec.envs = 60;
    spec.steps = 20;
    CHECK(tact_batch_open(&batch, &spec, &settings, &errors));
    CHECK_INT(errors.errors, 0);
    CHECK(batch.variant[0].quick && batch.chunks > 2);
    tact_batch_worker *one = tact_batch_worker_make(&batch), *other = tact_batch_worker_make(&batch);
    size_t size = batch.bytes * (size_t)batch.chunk;
    unsigned char *a = malloc(size), *b = malloc(size);
    // the other one has just computed something else
    for (long long chunk = 0; chunk < batch.chunks; chunk++) {
        long long last = batch.chunks - 1 - chunk;
        CHECK(tact_batch_worker_run(one, chunk, a, &stop, &steps) == TACT_CHUNK_DONE);
        CHECK(tact_batch_worker_run(other, last, b, &stop, &steps) == TACT_CHUNK_DONE);
        CHECK(tact_batch_worker_run(other, chunk, b, &stop, &steps) == TACT_CHUNK_DONE);
        CHECK(memcmp(a, b, batch.bytes * (size_t)tact_batch_count(&batch, chunk)) == 0);
    }
    // patched scenes and scenes loaded from their text are the same
    batch.variant[0].quick = false;
    CHECK(tact_batch_worker_run(other, batch.chunks - 1, b, &stop, &steps) == TACT_CHUNK_DONE);
    CHECK(memcmp(a, b, batch.bytes * (size_t)tact_batch_count(&batch, batch.chunks - 1)) == 0);
    stop = true;
    CHECK(tact_batch_worker_run(one, 0, a, &stop, &steps) == TACT_CHUNK_STOPPED);
    free(a);
    free(b);
    tact_batch_worker_free(one);
    tact_batch_worker_free(other);
    tact_batch_free(&batch);
    tact_batch_spec_free(&spec);
}

int main(void) {
    char folder[200], inside[220];
    uint64_t seed = test_seed(1);
    test_draws(seed);
    test_digests();
    test_fingerprint();
    test_header();
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(inside, sizeof inside, "%s/store", folder);
    test_store(inside);
    test_damage(inside);
    test_failure(inside);
    CHECK(rmdir(folder) == 0);
    test_workers();
    return test_end("batch");
}
