// SPDX-License-Identifier: MIT
// tact lcp: linear complementarity problems, one a line.

#include <string.h>

#include "app/records.h"

static const char help[] =
    "Each line of FILE (standard input without one) is a problem\n"
    "  {\"id\":1,\"n\":2,\"M\":[n*n],\"q\":[n]}     w = M z + q >= 0,  z >= 0,  w'z = 0\n"
    "M is given row by row. With \"lo\":[n] and \"hi\":[n] (null: no bound; without them 0 and none) it is lo <= z <= hi, w\n"
    ">= 0 at lo, w <= 0 at hi, w = 0 in between. name serves as id, other keys are ignored. Each answer is a line\n"
    "  {\"id\":1,\"status\":\"solved\",\"z\":[n],\"residual\":1e-16,\"pivots\":3,\"method\":\"pivot\"}\n"
    "residual is the largest |min(z_i / max z, w_i / (|q_i| + sum_j |M_ij z_j|))|, solved when at most 1e-10. status is\n"
    "solved; infeasible, with \"certificate\" y >= 0, M'y <= 0, q'y < 0 (none with bounds: no z satisfies the inequalities);\n"
    "unsolvable (n <= 12: no active set gives a solution); ray, with the \"ray\" on which Lemke's method ended, which proves\n"
    "nothing; iteration_limit (z is the best found) or bad_input (with \"reason\"). Exit code 1 when one is not solved.\n"
    "\n"
    "methods:\n"
    "  auto       picks, and tries the others when one fails (the default)\n"
    "  pivot      block principal pivoting; for symmetric M principal pivoting with updates of the factor\n"
    "  lemke      Lemke's method, lexicographic\n"
    "  interior   interior point with crossover, for monotone problems\n"
    "  sweep      projected Gauss-Seidel, 1000 sweeps: approximate\n"
    "  enumerate  every active set, n <= 12; without bounds \"solutions\" lists all of them, \"continuum\" whether some are not "
    "isolated\n"
    "\n"
    "examples:\n"
    "  echo '{\"id\":1,\"n\":2,\"M\":[2,1,1,2],\"q\":[-5,-6]}' | tact lcp\n"
    "  echo '{\"id\":\"rod\",\"n\":1,\"M\":[-0.8],\"q\":[4.5]}' | tact lcp --method enumerate\n"
    "  tact lcp problems.jsonl > answers.jsonl\n";

static const char *const methods[] = {"auto", "pivot", "lemke", "interior", "sweep", "enumerate", NULL};

enum { SOLUTIONS = 4096 };

// A problem as a line states it.
typedef struct {
    tact_lcp_problem problem;
    tact_real *M, *q, *lo, *hi;
    int doubled;
    bool all;
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_lcp_list list;
    void *memory[2];
} job;

static void place_input(void *context, tact_arena *arena) {
    job *j = context;
    size_t n = (size_t)j->problem.n;
    j->M = tact_arena_take(arena, n * n, sizeof(tact_real));
    j->q = tact_arena_take(arena, n, sizeof(tact_real));
    j->lo = tact_arena_take(arena, n, sizeof(tact_real));
    j->hi = tact_arena_take(arena, n, sizeof(tact_real));
}

static void place_solver(void *context, tact_arena *arena) {
    job *j = context;
    int n = j->problem.n;
    tact_lcp_place(&j->work, n, j->doubled, arena);
    tact_lcp_solution_place(&j->solution, n, arena);
    j->list.most = j->all ? SOLUTIONS : 0;
    j->list.z = tact_arena_take(arena, (size_t)j->list.most * (size_t)n, sizeof(tact_real));
}

// Reads an array of n bounds; null stands for none.
static const tact_real *read_bounds(const tact_json *json, const char *key, int n, tact_real none, tact_real *to) {
    int node = tact_json_find(json, 0, key), k = 0;
    if (node < 0 || tact_json_type(json, node) == TACT_JSON_NULL) return NULL;
    if (tact_json_type(json, node) != TACT_JSON_ARRAY || tact_json_length(json, node) != n) {
        // says what is wrong
        tact_json_get_vector(json, node, n, tact_range_any(), NULL);
        return NULL;
    }
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), k++) {
        to[k] = none;
        if (tact_json_type(json, i) != TACT_JSON_NULL) tact_problem_get_number(json, i, tact_range_any(), &to[k]);
    }
    return to;
}

// Reads a complementarity problem with its bounds, if any. False after reporting.
static bool read_problem(job *j, const tact_json *json) {
    int M = tact_json_need(json, 0, "M"), q = tact_json_need(json, 0, "q"), n = 0;
    if (!tact_json_get_integer(json, tact_json_need(json, 0, "n"), 1, 1 << 14, &n) || M < 0 || q < 0) return false;
    j->problem.n = n;
    bool fits = tact_json_type(json, M) == TACT_JSON_ARRAY && tact_json_length(json, M) == n * n;
    // refused by the reader of vectors, whose message tells what is expected
    if (!fits || tact_json_type(json, q) != TACT_JSON_ARRAY || tact_json_length(json, q) != n) {
        tact_json_get_vector(json, fits ? q : M, fits ? n : n * n, tact_range_any(), NULL);
        return false;
    }
    j->memory[0] = tact_problem_place(place_input, j, json);
    if (!j->memory[0]) return false;
    tact_problem_get_vector(json, M, n * n, tact_range_any(), j->M);
    tact_problem_get_vector(json, q, n, tact_range_any(), j->q);
    j->problem.M = j->M;
    j->problem.q = j->q;
    j->problem.lo = read_bounds(json, "lo", n, -TACT_MAX, j->lo);
    j->problem.hi = read_bounds(json, "hi", n, TACT_MAX, j->hi);
    // unknowns with both bounds or none make the problem one of twice the size
    j->doubled = j->problem.lo || j->problem.hi ? 0 : -1;
    for (int i = 0; i < n && j->doubled >= 0; i++) {
        tact_real lo = j->problem.lo ? j->lo[i] : 0, hi = j->problem.hi ? j->hi[i] : TACT_MAX;
        if (lo > hi) tact_json_refuse(json, 0, "lo is above hi for unknown %d", i);
        j->doubled += (lo > -TACT_MAX) == (hi < TACT_MAX);
    }
    return json->errors->errors == 0;
}

// Solves the problem by a method in memory of its own. Enumeration is refused above its limit; of a problem without lo and hi it
// lists all solutions.
static tact_status solve(job *j, tact_lcp_method method, const tact_json *json) {
    tact_lcp_options options = tact_lcp_options_default();
    options.method = method;
    j->all = method == TACT_LCP_ENUMERATE && j->doubled < 0;
    if (method == TACT_LCP_ENUMERATE && j->problem.n + (j->doubled > 0 ? j->doubled : 0) > TACT_LCP_ENUMERATE_MAX) {
        tact_json_refuse(json, 0, "too large to enumerate: at most %d unknowns, those with two bounds counted twice",
                         TACT_LCP_ENUMERATE_MAX);
        return TACT_BAD_INPUT;
    }
    j->memory[1] = tact_problem_place(place_solver, j, json);
    if (!j->memory[1]) return TACT_BAD_INPUT;
    tact_status status = tact_lcp_solve(&j->problem, &options, &j->work, &j->solution);
    if (j->all && status == TACT_CONVERGED) tact_lcp_enumerate(&j->problem, &j->work, &j->list);
    if (status == TACT_BAD_INPUT) tact_problem_refuse_products(json);
    return status;
}

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    job j = {0};
    tact_status status = TACT_BAD_INPUT;
    if (read_problem(&j, json)) status = solve(&j, *(const tact_lcp_method *)context, json);
    if (errors->errors == 0) {
        int n = j.problem.n;
        const tact_lcp_solution *solution = &j.solution;
        tact_record_begin_status(json, status == TACT_CONVERGED ? "solved" : tact_status_name(status), out);
        if (status >= 0) {
            tact_record_add_numbers(out, "z", solution->z, n);
            tact_text_print(out, ",\"residual\":%g", (double)solution->residual);
        }
        // proofs are of the problem as it was given
        if (status == TACT_INFEASIBLE && j.doubled < 0) tact_record_add_numbers(out, "certificate", solution->ray, n);
        if (status == TACT_RAY && j.doubled < 0) tact_record_add_numbers(out, "ray", solution->ray, n);
        tact_text_print(out, ",\"pivots\":%d,\"method\":\"%-s\"", solution->pivots, methods[solution->method]);
        if (j.all && status == TACT_CONVERGED) {
            // all solutions that were enumerated
            int count = j.list.count < SOLUTIONS ? j.list.count : SOLUTIONS;
            tact_text_add(out, ",\"solutions\":[");
            for (int k = 0; k < count; k++) {
                if (k > 0) tact_text_add(out, ",");
                tact_text_add_vector(out, j.list.z + (size_t)k * (size_t)n, (size_t)n);
            }
            tact_text_add(out, j.list.continuum ? "],\"continuum\":true" : "],\"continuum\":false");
        }
        tact_text_add(out, "}");
    }
    for (int i = 0; i < 2; i++) tact_memory_release(j.memory[i]);
    return status == TACT_CONVERGED;
}

static int run(const tact_call *call) {
    const char *word = tact_call_value(call, "--method"), *path = tact_call_operand(call, 0);
    int method = 0;
    tact_nearest nearest = {.word = word};
    while (word && methods[method] && strcmp(methods[method], word) != 0) tact_nearest_try(&nearest, methods[method++]);
    if (!methods[method])
        return tact_say_usage(call->command, "--method: unknown method %s%s", tact_quote(word).text,
                              tact_nearest_hint(&nearest).text);
    tact_lcp_method chosen = (tact_lcp_method)method;
    tact_records records = {
        .context = &chosen, .wanted = "lines of problems", .answer = answer, .refuse = tact_record_refuse_problem};
    return tact_records_run(&records, path ? path : "-");
}

static const tact_call_option options[] = {{"--method", "M", "auto, pivot, lemke, interior, sweep or enumerate (default auto)"},
                                           {0}};

const tact_subcommand tact_lcp_command = {.name = "lcp",
                                          .operands = "[FILE]",
                                          .summary = "Solves linear complementarity problems, one a line.",
                                          .help = help,
                                          .options = options,
                                          .most = 1,
                                          .run = run};
