// SPDX-License-Identifier: MIT
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solve/skyline.h"
#include "tact/json.h"
#include "tact/text.h"
#include "tact/trace.h"

#define STEPS "../shared/oracle/steps.jsonl"
#define PROBLEMS "../shared/oracle/barrier.jsonl"
#define GOLDEN "data/golden/six_contacts.jsonl"

enum { CASES = 400, DOFS = 24, CONTACTS = 10 };

static double read_clock(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double peer_clock(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double peer_processor(void) {
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double peer_median(double *sample, int count) {
    qsort(sample, (size_t)count, sizeof *sample, compare);
    return sample[count / 2];
}

static double *numbers(size_t count) {
    double *x = calloc(count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

static tact_state state;
static tact_work work;
static tact_world *world;

// one for all: state and scratch of the lesson
static void open_lesson(const tact_scene *lesson) {
    if (world) return;
    size_t state_size = tact_state_size(&lesson->model), work_size = tact_work_size(&lesson->model);
    world = calloc(1, sizeof *world);
    if (tact_state_init(&state, &lesson->model, malloc(state_size), state_size) < 0) abort();
    if (tact_work_init(&work, &lesson->model, malloc(work_size), work_size) < 0) abort();
}

int peer_step(const tact_scene *lesson, const peer_case *item) {
    tact_options options = lesson->options;
    tact_input input = {.u = item->u};
    options.warm_start = false;
    tact_state_reset(&state, &lesson->model);
    memcpy(state.q, item->q, (size_t)lesson->model.nq * sizeof *state.q);
    tact_status status = tact_step(&lesson->model, &options, &input, &state, &work);
    return status < 0 ? (int)status : work.iterations;
}

// the problem that the last step left behind, dense
static void copy_problem(peer_case *item) {
    const tact_barrier_problem *p = &work.problem;
    size_t n = (size_t)p->n;
    item->n = p->n;
    item->nc = p->ncone;
    item->P = numbers(n * n);
    item->b = numbers(n);
    item->x0 = numbers(n);
    item->J = numbers(3 * (size_t)p->ncone * n);
    item->c = numbers(3 * (size_t)p->ncone);
    item->mu = numbers((size_t)p->ncone);
    for (int i = 0; i < p->n; i++) {
        item->b[i] = (double)p->p[i];
        for (int j = p->P.first[i]; j <= i; j++)
            item->P[(size_t)i * n + (size_t)j] = item->P[(size_t)j * n + (size_t)i] = (double)tact_skyline_row(&p->P, i)[j];
    }
    for (int i = 0; i < p->ncone; i++) {
        const tact_cone *cone = &p->cone[i];
        item->mu[i] = (double)cone->mu;
        item->kappa = (double)cone->kappa;
        for (int row = 0; row < 3; row++) {
            item->c[3 * i + row] = (double)cone->c[row];
            for (int k = 0; k < cone->width; k++)
                item->J[(size_t)(3 * i + row) * n + (size_t)cone->column[k]] = (double)cone->J[row * cone->width + k];
        }
    }
}

static void add_step(peer_cases *cases, const tact_scene *lesson, const char *category, const tact_real *q, const tact_real *u) {
    peer_case *item = &cases->item[cases->count];
    *item = (peer_case){.step = true};
    snprintf(item->category, sizeof item->category, "%s", category);
    item->q = calloc((size_t)lesson->model.nq, sizeof *item->q);
    item->u = calloc((size_t)lesson->model.nu, sizeof *item->u);
    memcpy(item->q, q, (size_t)lesson->model.nq * sizeof *q);
    memcpy(item->u, u, (size_t)lesson->model.nu * sizeof *u);
    if (cases->count >= CASES || peer_step(lesson, item) < 0) return;
    copy_problem(item);
    cases->count++;
}

static const char *get_category(const tact_json *json) {
    const char *found = tact_json_get_string(json, tact_json_need(json, 0, "category"), 23);
    return found ? found : "";
}

// a line of steps.jsonl
static void read_step(peer_cases *cases, const tact_scene *lesson, const tact_json *json) {
    tact_real q[64], u[64];
    int nu = lesson->model.nu;
    tact_json_get_vector(json, tact_json_need(json, 0, "q_a"), nu, tact_range_any(), q);
    tact_json_get_vector(json, tact_json_need(json, 0, "q_o"), 3, tact_range_any(), q + nu);
    tact_json_get_vector(json, tact_json_need(json, 0, "u"), nu, tact_range_any(), u);
    if (json->errors->errors == 0) add_step(cases, lesson, get_category(json), q, u);
}

// a line of barrier.jsonl: the hand's problems have 24 unknowns and a solution
static void read_problem(peer_cases *cases, const tact_scene *lesson, const tact_json *json) {
    peer_case *item = &cases->item[cases->count];
    int n = 0, nc = 0, answer = tact_json_find(json, 0, "x_opt");
    tact_real x[3 * DOFS * DOFS];
    (void)lesson;
    tact_json_get_integer(json, tact_json_need(json, 0, "n"), 1, 1000, &n);
    tact_json_get_integer(json, tact_json_need(json, 0, "nc"), 0, 1000, &nc);
    if (n != DOFS || nc < 1 || nc > CONTACTS || answer < 0 || tact_json_type(json, answer) != TACT_JSON_ARRAY ||
        cases->count >= CASES)
        return;
    int P = tact_json_need(json, 0, "P"), diagonal = tact_json_length(json, P) == n;
    *item = (peer_case){.n = n, .nc = nc, .P = numbers(DOFS * DOFS), .b = numbers(DOFS), .J = numbers((size_t)(3 * nc * n))};
    item->c = numbers((size_t)(3 * nc));
    item->mu = numbers((size_t)nc);
    item->x0 = numbers(DOFS);
    double *to[] = {item->P, item->b, item->J, item->c, item->mu, item->x0};
    const char *const key[] = {"P", "b", "J", "c", "mu", "x0"};
    const int count[] = {diagonal ? n : n * n, n, 3 * nc * n, 3 * nc, nc, n};
    for (int k = 0; k < 6; k++) {
        int node = tact_json_find(json, 0, key[k]);
        if (node < 0 || tact_json_type(json, node) != TACT_JSON_ARRAY) continue;
        tact_json_get_vector(json, node, count[k], tact_range_any(), x);
        for (int i = 0; i < count[k]; i++) to[k][k == 0 && diagonal ? i * (n + 1) : i] = (double)x[i];
    }
    tact_real kappa = 0;
    tact_json_get_number(json, tact_json_need(json, 0, "kappa"), tact_range_above(0), &kappa);
    item->kappa = (double)kappa;
    snprintf(item->category, sizeof item->category, "%s", get_category(json));
    if (json->errors->errors == 0) cases->count++;
}

typedef void reader(peer_cases *cases, const tact_scene *lesson, const tact_json *json);

static bool read_lines(peer_cases *cases, const tact_scene *lesson, const char *path, reader *read) {
    tact_errors errors = {0};
    tact_text text = {0};
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors)) return false;
    int line = 1;
    for (const char *at = text.bytes; at && *at; line++) {
        const char *end = strchr(at, '\n');
        tact_json json;
        if (tact_json_read(&json, (tact_source){path, at, end ? (size_t)(end - at) : strlen(at), line}, &errors)) {
            read(cases, lesson, &json);
            tact_json_free(&json);
        }
        at = end ? end + 1 : NULL;
    }
    tact_text_free(&text);
    return true;
}

static void read_golden(peer_cases *cases, const tact_scene *lesson) {
    char message[TACT_ERROR_LENGTH];
    tact_trace_reader *trace = tact_trace_open(GOLDEN, message, sizeof message);
    while (trace && tact_trace_next(trace, message, sizeof message) == 1)
        add_step(cases, lesson, "golden", trace->step.q, trace->step.u);
    tact_trace_close(trace);
}

peer_cases peer_load(const tact_scene *lesson) {
    peer_cases cases = {.item = calloc(CASES + 1, sizeof *cases.item)};
    if (!cases.item) abort();
    open_lesson(lesson);
    bool found = read_lines(&cases, lesson, STEPS, read_step) && read_lines(&cases, lesson, PROBLEMS, read_problem);
    if (!found) read_golden(&cases, lesson);
    return cases;
}

// the solver's form of one problem
static struct {
    tact_barrier_work work;
    void *memory;
    int n, nc;
    int first[DOFS], start[DOFS + 1], column[DOFS * CONTACTS];
    tact_real P[DOFS * DOFS], p[DOFS], J[3 * DOFS * CONTACTS], lambda[3 * CONTACTS];
    tact_cone cone[CONTACTS];
    tact_skyline skyline;
} own;

static void give_memory(int n, int nc) {
    if (n == own.n && nc <= own.nc) return;
    tact_arena arena = {0};
    tact_barrier_size size = {.n = n, .ncone = nc, .columns = n * nc, .envelope = n * (n + 1) / 2};
    tact_barrier_place(&own.work, size, &arena);
    free(own.memory);
    arena = (tact_arena){.memory = own.memory = malloc(arena.used), .size = arena.used};
    tact_barrier_place(&own.work, size, &arena);
    own.n = n;
    own.nc = nc;
}

// P with its envelope, and p = P x0 + b
static void fill_quadratic(const peer_case *item) {
    int n = item->n;
    for (int i = 0; i < n; i++) {
        own.first[i] = 0;
        while (own.first[i] < i && item->P[i * n + own.first[i]] == 0) own.first[i]++;
    }
    own.skyline = (tact_skyline){.n = n, .first = own.first, .start = own.start, .value = own.P};
    tact_skyline_layout(&own.skyline);
    for (int i = 0; i < n; i++) {
        double p = item->b[i];
        for (int j = 0; j < n; j++) p += item->P[i * n + j] * item->x0[j];
        own.p[i] = (tact_real)p;
        for (int j = own.first[i]; j <= i; j++) tact_skyline_row(&own.skyline, i)[j] = (tact_real)item->P[i * n + j];
    }
}

static void fill_cones(const peer_case *item) {
    int n = item->n, *column = own.column;
    tact_real *to = own.J;
    for (int i = 0; i < item->nc; i++) {
        const double *J = item->J + 3 * i * n;
        tact_cone *cone = &own.cone[i];
        *cone = (tact_cone){.mu = (tact_real)item->mu[i], .kappa = (tact_real)item->kappa, .column = column, .J = to};
        for (int k = 0; k < n; k++)
            if (J[k] != 0 || J[n + k] != 0 || J[2 * n + k] != 0) column[cone->width++] = k;
        column += cone->width;
        for (int row = 0; row < 3; row++, J += n) {
            double c = item->c[3 * i + row];
            for (int k = 0; k < n; k++) c += J[k] * item->x0[k];
            cone->c[row] = (tact_real)c;
            for (int k = 0; k < cone->width; k++) *to++ = (tact_real)J[cone->column[k]];
        }
    }
}

void peer_prepare(const peer_case *item) {
    if (item->n > DOFS || item->nc > CONTACTS) abort();
    give_memory(item->n, item->nc);
    fill_quadratic(item);
    fill_cones(item);
}

int peer_solve(const peer_case *item, tact_real *x) {
    tact_barrier_problem problem = {.n = item->n, .ncone = item->nc, .P = own.skyline, .p = own.p, .cone = own.cone};
    tact_barrier_options options = tact_barrier_options_default();
    tact_barrier_solution solution = {.d = x, .lambda = own.lambda};
    tact_status status = tact_barrier_solve(&problem, &options, &own.work, &solution);
    for (int i = 0; i < item->n; i++) x[i] += (tact_real)item->x0[i];
    return status < 0 ? (int)status : solution.iterations;
}
