// SPDX-License-Identifier: MIT
// tact friction: contacts with exact Coulomb friction, one problem a line.

#include "app/records.h"
#include "app/table.h"

#include <stdio.h>

enum { CONTACTS_MAX = 2000 };

#define ANSWERED TACT_REAL(1e-8)  // residual

static const char help[] =
    "Each line of FILE (standard input without one) is a problem of nc contacts, rows normal, tangent, tangent\n"
    "  {\"id\":1,\"nc\":1,\"W\":[9*nc*nc],\"q\":[3*nc],\"mu\":[nc]}\n"
    "    u = W r + q,   r in the cone |r_t| <= mu r_n,   u + mu |u_t| n in its dual,   r'(u + mu |u_t| n) = 0\n"
    "for the impulses r and the velocities u: a contact separates (r = 0), sticks (u = 0) or slides (r on the boundary, against\n"
    "u_t). W is the whole matrix, row by row, or in its place \"W_csr\":{\"indptr\":[3*nc+1],\"indices\":[],\"data\":[]}. name\n"
    "serves as id, other keys are ignored. Each answer is a line\n"
    "  {\"id\":1,\"status\":\"converged\",\"r\":[3*nc],\"residual\":1e-16,\"iterations\":3,\"sweeps\":10}\n"
    "with residual = max |r - P(r - (u + mu |u_t| n) / |W_ii|)| / max |r|, P the projection to the cone, |W_ii| the\n"
    "Frobenius norm of the diagonal block, max |r| counted as at most a thousand times the largest |q_i| / |W_ii|. status is\n"
    "converged (residual <= 1e-8, mostly 1e-12), iteration_limit (r is the best found, inside its cones, and \"u\" its\n"
    "velocities: if the problem has no solution, r grows without bound and the residual becomes small relative to it, but u\n"
    "shows at what speed gaps still close), infeasible (with \"certificate\", normal impulses y >= 0 with W'y = 0 and\n"
    "q'y < 0: the contacts cannot all open) or bad_input (with \"reason\"). Exit code 1 when a problem has another status than "
    "converged.\n"
    "\n"
    "examples:\n"
    "  echo '{\"id\":1,\"nc\":1,\"W\":[1,0,0,0,1,0,0,0,1],\"q\":[-1,2,0],\"mu\":[0.5]}' | tact friction\n"
    "  tact friction --timing problems.jsonl > answers.jsonl\n";

// One problem and the options of the call.
typedef struct {
    int nc, entries;
    bool sparse;
    tact_real *W, *q, *mu, *data, *indptr, *indices;
    tact_friction_work work;
    tact_friction_solution solution;
    void *memory;
} friction_job;

typedef struct {
    tact_friction_options options;
    bool timing;
    tact_table table;
} friction_call;

static void place(void *context, tact_arena *arena) {
    friction_job *job = context;
    size_t n = 3 * (size_t)job->nc, entries = job->sparse ? (size_t)job->entries : 0;
    job->q = tact_arena_take(arena, n, sizeof(tact_real));
    job->mu = tact_arena_take(arena, (size_t)job->nc, sizeof(tact_real));
    job->W = tact_arena_take(arena, n * n, sizeof(tact_real));
    job->data = tact_arena_take(arena, entries, sizeof(tact_real));
    job->indices = tact_arena_take(arena, entries, sizeof(tact_real));
    job->indptr = tact_arena_take(arena, job->sparse ? n + 1 : 0, sizeof(tact_real));
    job->solution.r = tact_arena_take(arena, n, sizeof(tact_real));
    job->solution.u = tact_arena_take(arena, n, sizeof(tact_real));
    tact_friction_place(&job->work, job->nc, job->nc * job->nc, arena);
}

// Whole numbers from low to high. Where they are stored as numbers.
static bool get_indices(const tact_json *json, int node, int count, int high, tact_real *values) {
    if (!tact_json_get_vector(json, node, count, tact_range_within(0, high), values)) return false;
    for (int k = 0; k < count; k++) {
        if (values[k] == (tact_real)(int)values[k]) continue;
        tact_json_refuse(json, node, "entry %d is not a whole number", k);
        return false;
    }
    return true;
}

// Reads W given as sparse rows into a dense matrix.
static bool read_sparse(friction_job *job, const tact_json *json, int node) {
    int n = 3 * job->nc, indptr = tact_json_need(json, node, "indptr"), indices = tact_json_need(json, node, "indices");
    if (!tact_problem_get_vector(json, tact_json_need(json, node, "data"), job->entries, tact_range_any(), job->data) ||
        !get_indices(json, indices, job->entries, n - 1, job->indices) ||
        !get_indices(json, indptr, n + 1, job->entries, job->indptr))
        return false;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) job->W[k] = 0;
    for (int i = 0; i < n; i++) {
        if (job->indptr[i] > job->indptr[i + 1] || job->indptr[0] != 0) {
            tact_json_refuse(json, indptr, "must begin with 0 and not decrease");
            return false;
        }
        for (int k = (int)job->indptr[i]; k < (int)job->indptr[i + 1]; k++)
            job->W[(size_t)i * (size_t)n + (size_t)job->indices[k]] += job->data[k];
    }
    return true;
}

// Reads a friction problem, with W dense or in compressed rows. False after reporting.
static bool read_problem(friction_job *job, const tact_json *json) {
    int sparse = tact_json_find(json, 0, "W_csr"), dense = tact_json_find(json, 0, "W");
    if (!tact_json_get_integer(json, tact_json_need(json, 0, "nc"), 0, CONTACTS_MAX, &job->nc)) return false;
    if (sparse < 0) dense = tact_json_need(json, 0, "W");
    job->sparse = sparse >= 0 && dense < 0;
    if (job->sparse) {
        if (!tact_json_check_object(json, sparse, NULL)) return false;
        job->entries = tact_json_length(json, tact_json_need(json, sparse, "data"));
    } else if (tact_json_length(json, dense) != 9 * job->nc * job->nc) {
        // says what is wrong
        tact_json_get_vector(json, dense, 9 * job->nc * job->nc, tact_range_any(), NULL);
    }
    if (json->errors->errors > 0) return false;
    job->memory = tact_problem_place(place, job, json);
    if (!job->memory) return false;
    tact_problem_get_vector(json, tact_json_need(json, 0, "q"), 3 * job->nc, tact_range_any(), job->q);
    tact_problem_get_vector(json, tact_json_need(json, 0, "mu"), job->nc, tact_range_from(0), job->mu);
    if (job->sparse)
        read_sparse(job, json, sparse);
    else
        tact_problem_get_vector(json, dense, 9 * job->nc * job->nc, tact_range_any(), job->W);
    return json->errors->errors == 0;
}

static void add_vector(tact_text *out, const char *key, const tact_real *x, int count) {
    tact_text_add(out, key);
    tact_text_add_vector(out, x, (size_t)count);
}

// the table's row of one problem
static void add_row(friction_call *call, const friction_job *job, const tact_json *json, const char *status, double seconds) {
    tact_text id = {0};
    tact_record_add_id(json, &id);
    tact_table_add(&call->table, id.bytes && !id.failed ? id.bytes + sizeof "\"id\":" - 1 : "");
    tact_table_add_integer(&call->table, job->nc);
    tact_table_add(&call->table, status);
    tact_table_add_integer(&call->table, job->solution.iterations);
    tact_table_add_integer(&call->table, job->solution.sweeps);
    char text[32];
    snprintf(text, sizeof text, "%.1e", (double)job->solution.residual);
    tact_table_add(&call->table, text);
    snprintf(text, sizeof text, "%.3f", seconds * 1e3);
    tact_table_add(&call->table, text);
    tact_table_end_row(&call->table);
    tact_text_free(&id);
}

// Solves the problem of a line; true if it converged.
static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    friction_call *call = context;
    friction_job job = {0};
    tact_status status = TACT_BAD_INPUT;
    (void)errors;
    if (read_problem(&job, json)) {
        tact_friction_problem problem = {.nc = job.nc, .W = job.W, .q = job.q, .mu = job.mu};
        double begin = tact_clock();
        status = tact_friction_solve(&problem, &call->options, &job.work, &job.solution);
        // the search aims lower than what counts as an answer
        if (status == TACT_ITERATION_LIMIT && job.solution.residual <= ANSWERED) status = TACT_CONVERGED;
        if (call->timing) add_row(call, &job, json, tact_status_name(status), tact_clock() - begin);
        if (status >= 0 || status == TACT_INFEASIBLE) {
            // Status, impulses (or a certificate), residual; velocities at the iteration limit
            const tact_friction_solution *solution = &job.solution;
            tact_record_begin_status(json, tact_status_name(status), out);
            add_vector(out, status == TACT_INFEASIBLE ? ",\"certificate\":" : ",\"r\":", solution->r, 3 * job.nc);
            if (status != TACT_INFEASIBLE) {
                tact_text_print(out, ",\"residual\":%g", (double)solution->residual);
            }
            if (status == TACT_ITERATION_LIMIT) add_vector(out, ",\"u\":", solution->u, 3 * job.nc);
            tact_text_print(out, ",\"iterations\":%d,\"sweeps\":%d}", solution->iterations, solution->sweeps);
        } else
            tact_problem_refuse_products(json);
    }
    tact_memory_release(job.memory);
    return status == TACT_CONVERGED;
}

static int run(const tact_call *call) {
    long long limit = 0;
    friction_call job = {.options = tact_friction_options_default()};
    if (!tact_call_integer(call, "--max-iterations", 1, 100000, job.options.max_iterations, &limit)) return TACT_EXIT_USAGE;
    job.options.max_iterations = (int)limit;
    job.timing = tact_call_value(call, "--timing") != NULL;
    if (job.timing) {
        static const char *const names[] = {"problem", "contacts", "status", "iterations", "sweeps", "residual", "ms", NULL};
        tact_table_add_all(&job.table, names);
        tact_table_end_row(&job.table);
    }
    const char *path = tact_call_operand(call, 0);
    tact_records records = {
        .context = &job, .wanted = "lines of problems", .answer = answer, .refuse = tact_record_refuse_problem};
    int code = tact_records_run(&records, path ? path : "-");
    // The table goes to stderr, apart from the answers.
    tact_text text = {0};
    tact_table_print(&job.table, &text);
    if (!text.failed && text.bytes) fputs(text.bytes, stderr);
    tact_text_free(&text);
    return code;
}

static const tact_call_option options[] = {{"--max-iterations", "N", "factorisations of a problem, 1 to 100000 (default 2000)"},
                                           {"--timing", NULL, "a table of iterations, residuals and times on standard error"},
                                           {0}};

const tact_subcommand tact_friction_command = {.name = "friction",
                                               .operands = "[FILE]",
                                               .summary = "Solves contacts with exact Coulomb friction, one problem a line.",
                                               .help = help,
                                               .options = options,
                                               .most = 1,
                                               .run = run};
