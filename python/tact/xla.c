// SPDX-License-Identifier: MIT
#include "xla.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---- the binary interface of XLA's foreign functions, version 0.1: the part of it that is used here. Each struct begins with
// its size as the caller knows it; later versions add members at the end.

enum { VERSION_MAJOR = 0, VERSION_MINOR = 1 };
enum { EXTENSION_METADATA = 1 };
enum { STAGE_EXECUTE = 3 };
enum { OF_BUFFER = 1, ATTRIBUTE_SCALAR = 3 };
enum { TYPE_S32 = 4, TYPE_S64 = 5, TYPE_U8 = 6, TYPE_U32 = 8, TYPE_U64 = 9, TYPE_F32 = 11, TYPE_F64 = 12 };
enum { INVALID_ARGUMENT = 3, RESOURCE_EXHAUSTED = 8, FAILED_PRECONDITION = 9 };

typedef struct xla_extension {
    size_t struct_size;
    int type;
    struct xla_extension *next;
} xla_extension;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    int major, minor;
} xla_version;

typedef struct {
    size_t struct_size;
    xla_version version;
    uint32_t traits;
} xla_metadata;

typedef struct {
    xla_extension head;
    xla_metadata *metadata;
} xla_metadata_extension;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    const char *message;
    int code;
} xla_error;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    xla_version version;
    void *internal;
    void *(*make_error)(xla_error *error);
} xla_api;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    int type;
    void *data;
    int64_t rank;
    int64_t *dims;  // (rank)
} xla_buffer;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    int *type;    // (count)
    void **item;  // (count)
} xla_items;

typedef struct {
    const char *text;
    size_t length;
} xla_name;

typedef struct {
    int type;
    void *value;
} xla_scalar;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    int64_t count;
    int *type;        // (count)
    xla_name **name;  // (count)
    void **item;      // (count)
} xla_attributes;

typedef struct {
    size_t struct_size;
    xla_extension *extensions;
    const xla_api *api;
    void *context;
    int stage;
    xla_items operands, results;
    xla_attributes attributes;
} xla_frame;

// up to a member, as sizes are counted
#define SIZE_UP_TO(type, member) (offsetof(type, member) + sizeof(((type *)0)->member))

// ---- worlds that are lent

typedef struct loan {
    struct loan *next;
    int number, users;
    tact_worlds *worlds;
    pthread_mutex_t in_use;
    int npath, nslope;
    char **path;
    tact_real *values;  // (npath, n) as they are set
    bool set;           // they are
    size_t state_size;  // [bytes] of a world
} loan;

static pthread_mutex_t loans_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t loans_changed = PTHREAD_COND_INITIALIZER;
static loan *loans;
static int numbers;

static void free_loan(loan *entry) {
    for (int i = 0; entry->path && i < entry->npath; i++) free(entry->path[i]);
    free(entry->path);
    free(entry->values);
    pthread_mutex_destroy(&entry->in_use);
    free(entry);
}

int tact_xla_lend(tact_worlds *worlds, const char *const *paths, int npath, int nslope) {
    size_t n = (size_t)tact_worlds_count(worlds), count = (size_t)npath;
    loan *entry = calloc(1, sizeof *entry);
    if (!entry) return 0;
    pthread_mutex_init(&entry->in_use, NULL);
    entry->worlds = worlds;
    entry->npath = npath;
    entry->nslope = nslope;
    entry->path = calloc(count + 1, sizeof *entry->path);
    entry->values = calloc(count * n + 1, sizeof *entry->values);
    bool good = entry->path && entry->values;
    for (size_t i = 0; good && i < count; i++) {
        size_t size = strlen(paths[i]) + 1;
        entry->path[i] = malloc(size);
        good = entry->path[i] != NULL;
        if (good) memcpy(entry->path[i], paths[i], size);
    }
    if (!good) {
        free_loan(entry);
        return 0;
    }
    entry->state_size = tact_worlds_save(worlds, 0, NULL, 0);
    pthread_mutex_lock(&loans_lock);
    // a program that another process has compiled does not find these by chance
    if (numbers == 0) numbers = (int)((unsigned)getpid() % 30000u) * 65536;
    entry->number = ++numbers;
    entry->next = loans;
    loans = entry;
    pthread_mutex_unlock(&loans_lock);
    return entry->number;
}

void tact_xla_take_back(int number) {
    pthread_mutex_lock(&loans_lock);
    loan **place = &loans;
    while (*place && (*place)->number != number) place = &(*place)->next;
    loan *entry = *place;
    if (entry) *place = entry->next;
    while (entry && entry->users > 0) pthread_cond_wait(&loans_changed, &loans_lock);
    pthread_mutex_unlock(&loans_lock);
    if (entry) free_loan(entry);
}

static loan *take_loan(int64_t number) {
    pthread_mutex_lock(&loans_lock);
    loan *entry = loans;
    while (entry && entry->number != number) entry = entry->next;
    if (entry) entry->users++;
    pthread_mutex_unlock(&loans_lock);
    if (entry) pthread_mutex_lock(&entry->in_use);
    return entry;
}

static void give_loan(loan *entry) {
    pthread_mutex_unlock(&entry->in_use);
    pthread_mutex_lock(&loans_lock);
    entry->users--;
    pthread_cond_broadcast(&loans_changed);
    pthread_mutex_unlock(&loans_lock);
}

// ---- operands and results

enum { AXES = 4, MOST = 14 };

// What one of them must be, and then where it is. A real array of the other precision is converted portion by portion.
typedef struct {
    const char *name;
    int type, ndim;  // TYPE_F64 stands for both precisions
    int64_t dims[AXES];
    bool result;
    int given;     // its type
    size_t count;  // numbers of a portion
    void *data;
    tact_real *copy;  // of a portion; NULL: it is used where it is
} array;

typedef struct {
    const xla_frame *frame;
    loan *loan;
    int narray;
    array *array;
    int64_t portions;  // of the leading axes; -1: not known yet
    int code;
    char reason[400];
} call;

static bool refuse_call(call *c, int code, const char *format, ...) {
    va_list rest;
    va_start(rest, format);
    vsnprintf(c->reason, sizeof c->reason, format, rest);
    va_end(rest);
    c->code = code;
    return false;
}

static void print_dims(const int64_t *dims, int64_t count, char text[120]) {
    size_t used = (size_t)snprintf(text, 120, "(");
    for (int64_t i = 0; i < count && used < 90; i++)
        used += (size_t)snprintf(text + used, 120 - used, i > 0 ? ", %lld" : "%lld", (long long)dims[i]);
    snprintf(text + used, 120 - used, count == 1 ? ",)" : ")");
}

static bool fits_type(int wanted, int given) {
    return given == wanted || (wanted == TYPE_F64 && given == TYPE_F32);
}

static bool find_array(call *c, array *a, const xla_buffer *buffer) {
    const int own = sizeof(tact_real) == 8 ? TYPE_F64 : TYPE_F32;
    char wanted[120], found[120];
    if (!buffer || buffer->struct_size < SIZE_UP_TO(xla_buffer, dims))
        return refuse_call(c, INVALID_ARGUMENT, "%s: the struct of the buffer is smaller than that of XLA's version 0.1",
                           a->name);
    if (!fits_type(a->type, buffer->type))
        return refuse_call(c, INVALID_ARGUMENT, "%s: expected %s, found XLA's type %d", a->name,
                           a->type == TYPE_F64   ? "float64 or float32"
                           : a->type == TYPE_S32 ? "int32"
                                                 : "uint8",
                           buffer->type);
    // the last axes are those of a call, the others are of vmap
    int64_t more = buffer->rank - a->ndim, portions = 1;
    bool fits = more >= 0;
    a->count = 1;
    for (int i = 0; fits && i < a->ndim; i++) {
        fits = buffer->dims[more + i] == a->dims[i];
        a->count *= (size_t)a->dims[i];
    }
    for (int64_t i = 0; i < more; i++) portions *= buffer->dims[i];
    if (!fits) {
        print_dims(a->dims, a->ndim, wanted);
        print_dims(buffer->dims, buffer->rank, found);
        return refuse_call(c, INVALID_ARGUMENT, "%s: expected the shape %s behind any axes of vmap, found %s", a->name, wanted,
                           found);
    }
    if (c->portions >= 0 && portions != c->portions)
        return refuse_call(c, INVALID_ARGUMENT, "%s: expected the same leading axes as those of state", a->name);
    c->portions = portions;
    a->given = buffer->type;
    a->data = buffer->data;
    if (a->type != TYPE_F64 || a->given == own || a->count == 0) return true;
    a->copy = malloc(a->count * sizeof *a->copy);
    return a->copy || refuse_call(c, RESOURCE_EXHAUSTED, "out of memory");
}

static bool find_arrays(call *c) {
    const xla_items *operands = &c->frame->operands, *results = &c->frame->results;
    int64_t in = 0, out = 0;
    for (int i = 0; i < c->narray; i++) *(c->array[i].result ? &out : &in) += 1;
    if (operands->count != in || results->count != out)
        return refuse_call(c, INVALID_ARGUMENT, "expected %lld operands and %lld results, found %lld and %lld", (long long)in,
                           (long long)out, (long long)operands->count, (long long)results->count);
    in = out = 0;
    for (int i = 0; i < c->narray; i++) {
        array *a = &c->array[i];
        const xla_items *items = a->result ? results : operands;
        int64_t at = a->result ? out++ : in++;
        if (items->type[at] != OF_BUFFER) return refuse_call(c, INVALID_ARGUMENT, "%s: expected a buffer", a->name);
        if (!find_array(c, a, items->item[at])) return false;
    }
    return true;
}

// Numbers of a portion of an array that is real: where they are, or converted.
static tact_real *find_portion(const array *a, int64_t portion) {
    size_t first = (size_t)portion * a->count;
    if (!a->copy) return a->count > 0 ? (tact_real *)a->data + first : NULL;
    if (a->result) return a->copy;
    for (size_t i = 0; i < a->count; i++)
        a->copy[i] = a->given == TYPE_F64 ? (tact_real)((const double *)a->data)[first + i]
                                          : (tact_real)((const float *)a->data)[first + i];
    return a->copy;
}

// A result that was converted goes to its place.
static void put_portion(const array *a, int64_t portion) {
    size_t first = (size_t)portion * a->count;
    if (!a->copy || !a->result) return;
    for (size_t i = 0; i < a->count; i++) {
        if (a->given == TYPE_F64)
            ((double *)a->data)[first + i] = (double)a->copy[i];
        else
            ((float *)a->data)[first + i] = (float)a->copy[i];
    }
}

static int *find_integers(const array *a, int64_t portion) {
    return a->count > 0 ? (int *)a->data + (size_t)portion * a->count : NULL;
}

static bool all_zero(const tact_real *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (x[i] != 0) return false;
    return true;
}

static bool check_numbers(call *c, const array *a, const tact_real *x) {
    for (size_t i = 0; i < a->count; i++)
        if (x[i] - x[i] != 0) return refuse_call(c, INVALID_ARGUMENT, "%s: expected finite numbers", a->name);
    return true;
}

// ---- calls

static void *give_error(const xla_api *api, int code, const char *message) {
    xla_error error = {.struct_size = SIZE_UP_TO(xla_error, code), .message = message, .code = code};
    if (api && api->struct_size >= SIZE_UP_TO(xla_api, make_error)) return api->make_error(&error);
    fprintf(stderr, "tact: %s, and XLA gives no way to say so\n", message);
    abort();
}

// XLA asks for the version before anything else.
static bool tell_version(const xla_frame *frame) {
    for (xla_extension *extension = frame->extensions; extension; extension = extension->next) {
        if (extension->type != EXTENSION_METADATA || extension->struct_size < sizeof *extension) continue;
        xla_metadata *metadata = ((xla_metadata_extension *)(void *)extension)->metadata;
        if (metadata->struct_size < SIZE_UP_TO(xla_metadata, traits)) continue;
        metadata->version.major = VERSION_MAJOR;
        metadata->version.minor = VERSION_MINOR;
        metadata->traits = 0;
        return true;
    }
    return false;
}

// The number of the worlds; -1: there is no such attribute.
static int64_t find_number(const xla_attributes *attributes) {
    for (int64_t i = 0; i < attributes->count; i++) {
        const xla_name *name = attributes->name[i];
        if (attributes->type[i] != ATTRIBUTE_SCALAR || name->length != 6 || memcmp(name->text, "worlds", 6) != 0) continue;
        const xla_scalar *scalar = attributes->item[i];
        if (scalar->type == TYPE_S64 || scalar->type == TYPE_U64) return *(const int64_t *)scalar->value;
        if (scalar->type == TYPE_S32 || scalar->type == TYPE_U32) return *(const int32_t *)scalar->value;
    }
    return -1;
}

// Numbers of the scene, unless they are set as they are.
static bool set_values(call *c, const tact_real *values) {
    loan *entry = c->loan;
    size_t n = (size_t)tact_worlds_count(entry->worlds), size = (size_t)entry->npath * n * sizeof *values;
    if (size == 0 || (entry->set && memcmp(entry->values, values, size) == 0)) return true;
    entry->set = false;
    for (int k = 0; k < entry->npath; k++)
        if (tact_worlds_set(entry->worlds, entry->path[k], values + (size_t)k * n) < 0)
            return refuse_call(c, INVALID_ARGUMENT, "%s", tact_worlds_message(entry->worlds));
    memcpy(entry->values, values, size);
    entry->set = true;
    return true;
}

enum { STATE, U, Q, V, VALUES, OPERANDS };

// The part that both calls have in common: the worlds' states, and where the rollout begins.
static bool begin_portion(call *c, int64_t portion, tact_worlds_run *run) {
    const array *a = c->array;
    tact_worlds *worlds = c->loan->worlds;
    size_t size = c->loan->state_size;
    const unsigned char *bytes = (const unsigned char *)a[STATE].data + (size_t)portion * a[STATE].count;
    const tact_real *x[OPERANDS] = {NULL};
    for (int i = U; i < OPERANDS; i++) {
        x[i] = find_portion(&a[i], portion);
        if (!check_numbers(c, &a[i], x[i])) return false;
    }
    if (!set_values(c, x[VALUES])) return false;
    for (int i = 0; i < tact_worlds_count(worlds); i++)
        if (tact_worlds_load(worlds, i, bytes + (size_t)i * size, size) < 0)
            return refuse_call(c, INVALID_ARGUMENT, "%s", tact_worlds_message(worlds));
    *run = (tact_worlds_run){sizeof *run, (int)a[U].dims[1], x[U], x[Q], x[V]};
    return true;
}

static bool roll_portion(call *c, int64_t portion) {
    enum { PATH = OPERANDS, FORCE, SPEED, STATUS };
    const array *a = c->array;
    tact_worlds_run run;
    if (!begin_portion(c, portion, &run)) return false;
    tact_worlds_path path = {.q = find_portion(&a[PATH], portion),
                             .v = find_portion(&a[SPEED], portion),
                             .force = find_portion(&a[FORCE], portion),
                             .status = find_integers(&a[STATUS], portion)};
    tact_status status = tact_worlds_rollout(c->loan->worlds, &run, &path);
    if (status == TACT_NO_MEMORY || (status < 0 && tact_worlds_message(c->loan->worlds)[0]))
        return refuse_call(c, INVALID_ARGUMENT, "%s", tact_worlds_message(c->loan->worlds));
    for (int i = PATH; i < STATUS; i++) put_portion(&a[i], portion);
    return true;
}

static bool pull_portion(call *c, int64_t portion) {
    enum { Q_BAR = OPERANDS, FORCE_BAR, V_BAR, BY_U, BY_Q, BY_V, BY_VALUES, STATUS, KINKS };
    const array *a = c->array;
    tact_worlds_run run;
    if (!begin_portion(c, portion, &run)) return false;
    const tact_real *bar[3];
    for (int i = 0; i < 3; i++) {
        bar[i] = find_portion(&a[Q_BAR + i], portion);
        if (!check_numbers(c, &a[Q_BAR + i], bar[i])) return false;
        // what a loss does not depend on: the law may have no derivative of it
        if (all_zero(bar[i], a[Q_BAR + i].count)) bar[i] = NULL;
    }
    tact_worlds_bars bars = {.size = sizeof bars,
                             .q_bar = bar[0],
                             .force_bar = bar[1],
                             .v_bar = bar[2],
                             .u = find_portion(&a[BY_U], portion),
                             .q = find_portion(&a[BY_Q], portion),
                             .v = find_portion(&a[BY_V], portion),
                             .nparameter = c->loan->nslope,
                             .parameter = (const char *const *)c->loan->path,
                             .by_parameter = find_portion(&a[BY_VALUES], portion),
                             .status = find_integers(&a[STATUS], portion),
                             .kinks = find_integers(&a[KINKS], portion)};
    for (size_t i = 0; i < a[BY_VALUES].count; i++) bars.by_parameter[i] = 0;
    tact_status status = tact_worlds_pullback(c->loan->worlds, &run, &bars);
    if (status == TACT_NO_MEMORY || (status < 0 && tact_worlds_message(c->loan->worlds)[0]))
        return refuse_call(c, INVALID_ARGUMENT, "%s", tact_worlds_message(c->loan->worlds));
    for (int i = BY_U; i < STATUS; i++) put_portion(&a[i], portion);
    return true;
}

// N of the operand u; -1: it is not known.
static int64_t find_steps(const xla_frame *frame) {
    const xla_items *operands = &frame->operands;
    if (operands->count <= U) return -1;
    const xla_buffer *u = operands->item[U];
    if (operands->type[U] != OF_BUFFER || !u || u->struct_size < SIZE_UP_TO(xla_buffer, dims) || u->rank < 3) return -1;
    return u->dims[u->rank - 2] <= 1000000000 ? u->dims[u->rank - 2] : -1;
}

// The shapes of a call of N steps.
static int list_arrays(const tact_worlds *worlds, const loan *entry, int64_t N, bool back, array list_of[MOST]) {
    int64_t n = tact_worlds_count(worlds), nq = tact_worlds_nq(worlds), nv = tact_worlds_nv(worlds), nu = tact_worlds_nu(worlds);
    int64_t npair = tact_worlds_npair(worlds), npath = entry->npath;
    const array q = {"path_q", TYPE_F64, 3, {n, N + 1, nq}, .result = !back};
    const array force = {"path_force", TYPE_F64, 4, {n, N, npair, 3}, .result = !back};
    const array v = {"path_v", TYPE_F64, 3, {n, N + 1, nv}, .result = !back};
    const array begin[OPERANDS] = {{"state", TYPE_U8, 2, {n, (int64_t)entry->state_size}, .result = false},
                                   {"u", TYPE_F64, 3, {n, N, nu}, .result = false},
                                   {"q", TYPE_F64, 2, {n, nq}, .result = false},
                                   {"v", TYPE_F64, 2, {n, nv}, .result = false},
                                   {"values", TYPE_F64, 2, {npath, n}, .result = false}};
    int count = 0;
    for (int i = 0; i < OPERANDS; i++) list_of[count++] = begin[i];
    list_of[count++] = q;
    list_of[count++] = force;
    list_of[count++] = v;
    if (back) {
        const char *const names[3] = {"q_bar", "force_bar", "v_bar"};
        for (int i = 0; i < 3; i++) list_of[OPERANDS + i].name = names[i];
        for (int i = U; i < OPERANDS; i++) {
            list_of[count] = begin[i];
            list_of[count++].result = true;
        }
    }
    list_of[count++] = (array){"status", TYPE_S32, 1, {n}, .result = true};
    if (back) list_of[count++] = (array){"kinks", TYPE_S32, 1, {n}, .result = true};
    return count;
}

static void *handle(void *given, bool back) {
    const xla_frame *frame = given;
    call c = {.frame = frame, .portions = -1};
    array arrays[MOST];
    memset(arrays, 0, sizeof arrays);
    if (frame->struct_size < SIZE_UP_TO(xla_frame, attributes))
        return give_error(frame->api, INVALID_ARGUMENT, "the call frame is smaller than that of XLA's version 0.1");
    if (tell_version(frame) || frame->stage != STAGE_EXECUTE) return NULL;
    if (frame->operands.struct_size < sizeof frame->operands || frame->results.struct_size < sizeof frame->results ||
        frame->attributes.struct_size < sizeof frame->attributes)
        return give_error(frame->api, INVALID_ARGUMENT,
                          "the structs of operands, results or attributes are smaller than those of XLA's version 0.1");
    int64_t steps = find_steps(frame);
    c.loan = take_loan(find_number(&frame->attributes));
    if (!c.loan) return give_error(frame->api, FAILED_PRECONDITION, "worlds: they are closed, or those of another process");
    c.array = arrays;
    c.narray = list_arrays(c.loan->worlds, c.loan, steps < 0 ? 0 : steps, back, arrays);
    bool good = steps >= 0 || refuse_call(&c, INVALID_ARGUMENT, "u: expected the shape (n, N, nu) behind any axes of vmap");
    good = good && find_arrays(&c);
    for (int64_t p = 0; good && p < c.portions; p++) good = back ? pull_portion(&c, p) : roll_portion(&c, p);
    for (int i = 0; i < c.narray; i++) free(arrays[i].copy);
    give_loan(c.loan);
    return good ? NULL : give_error(frame->api, c.code, c.reason);
}

void *tact_xla_rollout(void *frame) {
    return handle(frame, false);
}

void *tact_xla_pullback(void *frame) {
    return handle(frame, true);
}
