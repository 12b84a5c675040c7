// SPDX-License-Identifier: MIT
// The foreign functions of XLA (python/tact/xla.c) against tact_worlds_rollout and tact_worlds_pullback, by call frames that are
// made by hand: bytes at the offsets that XLA's interface, version 0.1, has on a 64-bit machine, without the declarations under
// test.
#include "../python/tact/xla.c"

#include "test.h"

enum { LEAST_FRAME = 168, ARRAYS = 16, WORLDS = 3, STEPS = 6 };

typedef struct {
    unsigned char bytes[48];
    int64_t dims[6];
} hand_buffer;

// A frame, and all that it points to.
typedef struct {
    unsigned char frame[176], api[72], scalar[16], name[16];
    int operand_type[ARRAYS], result_type[ARRAYS], attribute_type[1];
    void *operand[ARRAYS], *result[ARRAYS], *attribute[1], *names[1];
    hand_buffer buffer[ARRAYS];
    int64_t number;
    int operands, results;
} hand;

static char error_text[500];
static int error_code;

static void *make_test_error(xla_error *given) {
    const unsigned char *bytes = (const unsigned char *)given;
    size_t size;
    const char *text;
    memcpy(&size, bytes, 8);
    memcpy(&text, bytes + 16, 8);
    memcpy(&error_code, bytes + 24, 4);
    CHECK_INT(size, 28);
    snprintf(error_text, sizeof error_text, "%s", text);
    return error_text;
}

static void put_size(unsigned char *at, size_t value) {
    memcpy(at, &value, 8);
}
static void put_place(unsigned char *at, const void *value) {
    memcpy(at, &value, 8);
}
static void put_int(unsigned char *at, int value) {
    memcpy(at, &value, 4);
}

static void begin_frame(hand *h, int number) {
    void *(*error)(xla_error *) = make_test_error;
    memset(h, 0, sizeof *h);
    put_size(h->frame, LEAST_FRAME + 8);
    put_place(h->frame + 16, h->api);
    put_int(h->frame + 32, 3);
    put_size(h->api, sizeof h->api);
    memcpy(h->api + 48, &error, 8);
    put_size(h->frame + 120, 48);
    put_size(h->frame + 136, 1);
    put_place(h->frame + 144, h->attribute_type);
    put_place(h->frame + 152, h->names);
    put_place(h->frame + 160, h->attribute);
    h->number = number;
    h->attribute_type[0] = 3;
    h->attribute[0] = h->scalar;
    put_int(h->scalar, 5);
    put_place(h->scalar + 8, &h->number);
    put_place(h->name, "worlds and what follows");
    put_size(h->name + 8, 6);
    h->names[0] = h->name;
}

static void add_array(hand *h, bool result, int type, void *data, int ndim, const int64_t *dims) {
    hand_buffer *buffer = &h->buffer[h->operands + h->results];
    put_size(buffer->bytes, 48);
    put_int(buffer->bytes + 16, type);
    put_place(buffer->bytes + 24, data);
    put_size(buffer->bytes + 32, (size_t)ndim);
    put_place(buffer->bytes + 40, buffer->dims);
    for (int i = 0; i < ndim; i++) buffer->dims[i] = dims[i];
    if (result) {
        h->result_type[h->results] = 1;
        h->result[h->results++] = buffer->bytes;
    } else {
        h->operand_type[h->operands] = 1;
        h->operand[h->operands++] = buffer->bytes;
    }
    for (int k = 0; k < 2; k++) {
        unsigned char *at = h->frame + (k ? 80 : 40);
        put_size(at, 40);
        put_size(at + 16, (size_t)(k ? h->results : h->operands));
        put_place(at + 24, k ? h->result_type : h->operand_type);
        put_place(at + 32, k ? h->result : h->operand);
    }
}

// Arrays of a rollout and its reverse, for so many portions, as numbers of the library and of the other precision.
typedef struct {
    tact_worlds *worlds;
    int number, portions, npath;
    int nq, nv, nu, npair;
    size_t state_size;
    unsigned char *state;
    tact_real *real[ARRAYS];
    void *other[ARRAYS];
    size_t count[ARRAYS];
    int64_t dims[ARRAYS][6];
    int ndim[ARRAYS];
    int status[8 * WORLDS], kinks[8 * WORLDS];
} bench;

enum { IN_U, IN_Q, IN_V, IN_VALUES, PATH_Q, PATH_FORCE, PATH_V, BAR_Q, BAR_FORCE, BAR_V, BY_U, BY_Q, BY_V, BY_VALUES, KINDS };

static int own_type(void) {
    return sizeof(tact_real) == 8 ? 12 : 11;
}

static void shape(bench *b, int what, int ndim, const int64_t *dims) {
    b->ndim[what] = ndim + 1;
    b->dims[what][0] = b->portions;
    b->count[what] = (size_t)b->portions;
    for (int i = 0; i < ndim; i++) {
        b->dims[what][i + 1] = dims[i];
        b->count[what] *= (size_t)dims[i];
    }
    b->real[what] = calloc(b->count[what] + 1, sizeof(tact_real));
    b->other[what] = calloc(b->count[what] + 1, 8);
}

static bool open_bench(bench *b, const char *scene, const char *const *paths, int npath, int portions) {
    char message[1300] = "", path[200];
    memset(b, 0, sizeof *b);
    snprintf(path, sizeof path, "data/scenes/%s.json", scene);
    b->worlds = tact_worlds_open(path, WORLDS, 2, message, sizeof message);
    CHECK(b->worlds != NULL);
    if (!b->worlds) return false;
    tact_worlds_step(b->worlds, NULL, NULL, 8, NULL);
    b->portions = portions;
    b->npath = npath;
    b->nq = tact_worlds_nq(b->worlds);
    b->nv = tact_worlds_nv(b->worlds);
    b->nu = tact_worlds_nu(b->worlds);
    b->npair = tact_worlds_npair(b->worlds);
    const int64_t n = WORLDS, N = STEPS, nq = b->nq, nv = b->nv, nu = b->nu, npair = b->npair;
    b->state_size = tact_worlds_save(b->worlds, 0, NULL, 0);
    b->state = malloc((size_t)portions * WORLDS * b->state_size);
    for (int i = 0; i < portions * WORLDS; i++)
        tact_worlds_save(b->worlds, i % WORLDS, b->state + (size_t)i * b->state_size, b->state_size);
    for (int k = 0; k < 2; k++) {
        shape(b, k ? BY_U : IN_U, 3, (const int64_t[]){n, N, nu});
        shape(b, k ? BY_Q : IN_Q, 2, (const int64_t[]){n, nq});
        shape(b, k ? BY_V : IN_V, 2, (const int64_t[]){n, nv});
        shape(b, k ? BY_VALUES : IN_VALUES, 2, (const int64_t[]){npath, n});
        shape(b, k ? BAR_Q : PATH_Q, 3, (const int64_t[]){n, N + 1, nq});
        shape(b, k ? BAR_FORCE : PATH_FORCE, 4, (const int64_t[]){n, N, npair, 3});
        shape(b, k ? BAR_V : PATH_V, 3, (const int64_t[]){n, N + 1, nv});
    }
    uint64_t seed = 5;
    ptrdiff_t stride[3];
    const char *at[3] = {(char *)tact_worlds_view(b->worlds, TACT_WORLDS_U, &stride[0]),
                         (char *)tact_worlds_view(b->worlds, TACT_WORLDS_Q, &stride[1]),
                         (char *)tact_worlds_view(b->worlds, TACT_WORLDS_V, &stride[2])};
    for (int i = 0; i < portions * WORLDS; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < (k == 0 ? STEPS * b->nu : k == 1 ? b->nq : b->nv); j++) {
                const tact_real *row = (const tact_real *)(const void *)(at[k] + (i % WORLDS) * stride[k]);
                tact_real noise = (tact_real)test_random(&seed, -1e-3, 1e-3);
                int width = k == 0 ? STEPS * b->nu : k == 1 ? b->nq : b->nv;
                // numbers that both precisions have
                b->real[IN_U + k][i * width + j] = (tact_real)(float)(row[k == 0 ? j % b->nu : j] + (k == 0 ? noise : 0));
            }
    for (int p = 0; p < portions; p++)
        for (int k = 0; k < npath; k++) {
            tact_real *values = b->real[IN_VALUES] + (p * npath + k) * WORLDS;
            CHECK_INT(tact_worlds_get(b->worlds, paths[k], values), TACT_CONVERGED);
            for (int i = 0; i < WORLDS; i++) values[i] = (tact_real)(float)((double)values[i] * (1 + 0.1 * i + 0.05 * p));
        }
    for (int what = BAR_Q; what <= BAR_V; what++)
        for (size_t i = 0; i < b->count[what]; i++) b->real[what][i] = (tact_real)(float)test_random(&seed, -1, 1);
    b->number = tact_xla_lend(b->worlds, paths, npath, npath);
    CHECK(b->number > 0);
    return b->number > 0;
}

static void close_bench(bench *b) {
    tact_xla_take_back(b->number);
    tact_worlds_close(b->worlds);
    free(b->state);
    for (int i = 0; i < KINDS; i++) {
        free(b->real[i]);
        free(b->other[i]);
    }
}

// The frame of a call; with the other precision all real arrays are of that.
static void make_frame(bench *b, hand *h, bool back, bool other) {
    const int64_t states[3] = {b->portions, WORLDS, (int64_t)b->state_size}, integers[2] = {b->portions, WORLDS};
    int type = other ? 23 - own_type() : own_type();
    begin_frame(h, b->number);
    add_array(h, false, 6, b->state, 3, states);
    for (int i = IN_U; i < KINDS; i++) {
        bool result = back ? i >= BY_U : i >= PATH_Q;
        if (back ? i >= PATH_Q && i <= PATH_V : i > PATH_V) continue;
        for (size_t k = 0; other && k < b->count[i]; k++) {
            if (type == 12) ((double *)b->other[i])[k] = (double)b->real[i][k];
            if (type == 11) ((float *)b->other[i])[k] = (float)b->real[i][k];
        }
        add_array(h, result, type, other ? b->other[i] : b->real[i], b->ndim[i], b->dims[i]);
    }
    add_array(h, true, 4, b->status, 2, integers);
    if (back) add_array(h, true, 4, b->kinks, 2, integers);
}

static const tact_real *portion_of(const bench *b, int what, int p) {
    return b->real[what] + (size_t)p * (b->count[what] / (size_t)b->portions);
}

// Results against calls of the library on worlds of their own.
static void check_scene(const char *scene, const char *const *paths, int npath, bool velocities, bool forces) {
    enum { PORTIONS = 2 };
    bench b, c;
    hand h;
    if (!open_bench(&b, scene, paths, npath, PORTIONS) || !open_bench(&c, scene, paths, npath, PORTIONS)) return;
    if (!forces) memset(b.real[BAR_FORCE], 0, b.count[BAR_FORCE] * sizeof(tact_real));
    if (!velocities) memset(b.real[BAR_V], 0, b.count[BAR_V] * sizeof(tact_real));
    make_frame(&b, &h, false, false);
    CHECK(tact_xla_rollout(h.frame) == NULL);
    make_frame(&b, &h, true, false);
    void *failed = tact_xla_pullback(h.frame);
    CHECK(failed == NULL);
    if (failed) printf("    %s: %s\n", scene, error_text);
    // those of c are used by this test alone
    tact_xla_take_back(c.number);
    tact_worlds_reset(c.worlds, 0, WORLDS);
    for (int p = 0; p < PORTIONS; p++) {
        for (int k = 0; k < npath; k++)
            CHECK_INT(tact_worlds_set(c.worlds, paths[k], portion_of(&b, IN_VALUES, p) + k * WORLDS), TACT_CONVERGED);
        for (int i = 0; i < WORLDS; i++) tact_worlds_load(c.worlds, i, c.state + (size_t)i * c.state_size, c.state_size);
        tact_worlds_run run = {sizeof run, STEPS, portion_of(&b, IN_U, p), portion_of(&b, IN_Q, p), portion_of(&b, IN_V, p)};
        tact_worlds_path path = {c.real[PATH_Q], c.real[PATH_V], c.real[PATH_FORCE], c.status};
        CHECK_INT(tact_worlds_rollout(c.worlds, &run, &path), 0);
        tact_worlds_bars bars = {.size = sizeof bars,
                                 .q_bar = portion_of(&b, BAR_Q, p),
                                 .v_bar = velocities ? portion_of(&b, BAR_V, p) : NULL,
                                 .force_bar = forces ? portion_of(&b, BAR_FORCE, p) : NULL,
                                 .u = c.real[BY_U],
                                 .q = c.real[BY_Q],
                                 .v = c.real[BY_V],
                                 .nparameter = npath,
                                 .parameter = paths,
                                 .by_parameter = npath > 0 ? c.real[BY_VALUES] : NULL,
                                 .kinks = c.kinks};
        CHECK_INT(tact_worlds_pullback(c.worlds, &run, &bars), 0);
        static const int results[] = {PATH_Q, PATH_FORCE, PATH_V, BY_U, BY_Q, BY_V, BY_VALUES};
        for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
            size_t count = b.count[results[i]] / PORTIONS;
            bool equal = count == 0 || memcmp(portion_of(&b, results[i], p), c.real[results[i]], count * sizeof(tact_real)) == 0;
            CHECK(equal);
            if (!equal) printf("    %s: portion %d, result %zu\n", scene, p, i);
        }
        CHECK(memcmp(b.kinks + p * WORLDS, c.kinks, sizeof(int) * WORLDS) == 0);
    }
    // gradients are there
    double sum = 0;
    for (size_t i = 0; i < b.count[BY_U]; i++) sum += fabs((double)b.real[BY_U][i]);
    for (size_t i = 0; i < b.count[BY_VALUES]; i++) sum += fabs((double)b.real[BY_VALUES][i]);
    CHECK(sum > 0);
    // numbers of the other precision are converted
    make_frame(&b, &h, false, true);
    CHECK(tact_xla_rollout(h.frame) == NULL);
    double off = 0;
    for (size_t i = 0; i < b.count[PATH_Q]; i++) {
        double got = own_type() == 12 ? (double)((float *)b.other[PATH_Q])[i] : ((double *)b.other[PATH_Q])[i];
        off = fmax(off, fabs(got - (double)b.real[PATH_Q][i]) / fmax(1, fabs(got)));
    }
    CHECK(off < 1e-7);
    close_bench(&b);
    c.number = -1;
    close_bench(&c);
}

static void test_version(void) {
    unsigned char extension[32] = {0}, metadata[40] = {0};
    hand h;
    begin_frame(&h, 1);
    put_place(h.frame + 8, extension);
    put_place(h.frame + 16, NULL);
    put_int(h.frame + 32, 0);
    put_size(extension, 24);
    put_int(extension + 8, 1);
    put_place(extension + 24, metadata);
    put_size(metadata, 36);
    put_int(metadata + 24, 77);
    put_int(metadata + 28, 77);
    CHECK(tact_xla_rollout(h.frame) == NULL);
    int major, minor;
    memcpy(&major, metadata + 24, 4);
    memcpy(&minor, metadata + 28, 4);
    CHECK_INT(major, 0);
    CHECK_INT(minor, 1);
}

static void check_refused(hand *h, bool back, const char *text) {
    error_text[0] = '\0';
    error_code = 0;
    CHECK((back ? tact_xla_pullback(h->frame) : tact_xla_rollout(h->frame)) == error_text);
    CHECK(error_code > 0);
    CHECK(strstr(error_text, text) != NULL);
    if (!strstr(error_text, text)) printf("    got \"%s\", wanted \"%s\"\n", error_text, text);
}

static void test_refused(void) {
    static const char *const paths[] = {"bodies.0.mass"};
    bench b;
    hand h;
    if (!open_bench(&b, "push_to_goal", paths, 1, 1)) return;
    make_frame(&b, &h, false, false);
    put_size(h.frame, LEAST_FRAME - 8);
    check_refused(&h, false, "the call frame is smaller");
    make_frame(&b, &h, false, false);
    put_size(h.buffer[2].bytes, 40);
    check_refused(&h, false, "q: the struct of the buffer is smaller");
    make_frame(&b, &h, false, false);
    put_size(h.frame + 40, 32);
    check_refused(&h, false, "the structs of operands, results or attributes are smaller");
    make_frame(&b, &h, false, false);
    put_int(h.buffer[1].bytes + 16, 5);
    check_refused(&h, false, "u: expected float64 or float32, found XLA's type 5");
    make_frame(&b, &h, false, false);
    h.buffer[1].dims[3]++;
    check_refused(&h, false, "u: expected the shape (3, 6, 1) behind any axes of vmap, found (1, 3, 6, 2)");
    make_frame(&b, &h, false, false);
    h.buffer[1].dims[2]++;
    check_refused(&h, false, "path_q: expected the shape (3, 8,");
    make_frame(&b, &h, false, false);
    h.buffer[3].dims[0]++;
    check_refused(&h, false, "v: expected the same leading axes");
    make_frame(&b, &h, false, false);
    put_size(h.frame + 96, 3);
    check_refused(&h, false, "expected 5 operands and 4 results, found 5 and 3");
    make_frame(&b, &h, false, false);
    h.number = 1;
    check_refused(&h, false, "worlds: they are closed");
    make_frame(&b, &h, true, false);
    check_refused(&h, true, "force_bar: the virtual law");
    memset(b.real[BAR_FORCE], 0, b.count[BAR_FORCE] * sizeof(tact_real));
    make_frame(&b, &h, true, false);
    CHECK(tact_xla_pullback(h.frame) == NULL);
    b.real[IN_U][3] = (tact_real)NAN;
    check_refused(&h, true, "u: expected finite numbers");
    b.real[IN_U][3] = 0;
    b.real[IN_VALUES][1] = -1;
    check_refused(&h, true, "mass");
    b.real[IN_VALUES][1] = 1;
    b.state[0] ^= 1;
    check_refused(&h, true, "state: not the state of such a world");
    b.state[0] ^= 1;
    // stages before the call have nothing to do
    b.status[0] = 99;
    put_int(h.frame + 32, 1);
    CHECK(tact_xla_pullback(h.frame) == NULL);
    CHECK_INT(b.status[0], 99);
    put_int(h.frame + 32, 3);
    CHECK(tact_xla_pullback(h.frame) == NULL);
    CHECK_INT(b.status[0], 0);
    tact_xla_take_back(b.number);
    check_refused(&h, true, "worlds: they are closed");
    close_bench(&b);
}

static void *call_often(void *frame) {
    for (int i = 0; i < 30; i++)
        if (tact_xla_rollout(frame)) return frame;
    return NULL;
}

// XLA calls from several threads at once; each gets its own results.
static void test_threads(void) {
    enum { THREADS = 3 };
    bench b;
    static hand h[THREADS];
    pthread_t thread[THREADS];
    if (!open_bench(&b, "hand_lift", NULL, 0, 1)) return;
    size_t count = b.count[PATH_Q], size = count * sizeof(tact_real);
    tact_real *out = calloc(count * THREADS, sizeof(tact_real));
    for (int i = 0; i < THREADS; i++) {
        make_frame(&b, &h[i], false, false);
        put_place(h[i].buffer[5].bytes + 24, out + (size_t)i * count);
        pthread_create(&thread[i], NULL, call_often, h[i].frame);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(thread[i], &failed);
        CHECK(failed == NULL);
    }
    for (int i = 1; i < THREADS; i++) CHECK(memcmp(out, out + (size_t)i * count, size) == 0);
    CHECK(memcmp(out, b.real[IN_Q], (size_t)b.nq * sizeof(tact_real)) == 0 && out[b.nq] != 0);
    free(out);
    close_bench(&b);
}

int main(void) {
    static const char *const ball[] = {"bodies.ball.mass"}, *const two[] = {"options.kn", "bodies.0.mass"},
                             *const first[] = {"bodies.0.mass"};
    if (sizeof(void *) == 8) {
        test_version();
        check_scene("roll_to_goal", ball, 1, false, true);
        check_scene("push_to_goal", two, 2, true, false);
        check_scene("cart_stop", first, 1, true, true);
        check_scene("lesson", NULL, 0, false, true);
        test_refused();
        test_threads();
    }
    return test_end("xla");
}
