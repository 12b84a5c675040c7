// SPDX-License-Identifier: MIT
// tact qcqp: quadratically constrained problems, one a line.

#include "app/qcqp_scene.h"
#include "app/records.h"
#include "app/stage.h"

static const char help[] =
    "Each line of FILE (standard input without one) is a problem\n"
    "  "
    "{\"id\":1,\"n\":2,\"objective\":{\"Q\":..,\"r\":..,\"c\":0},\"constraints\":[{\"Q\":..,\"r\":..,\"c\":..,\"type\":\">=\"},.."
    ".],\"x0\":[n]}\n"
    "    min over x   1/2 x'Qx + r'x + c   subject to   1/2 x'Q_i x + r_i'x + c_i >= 0 (type \">=\") or = 0 (type \"=\")\n"
    "Q is n*n numbers, row by row, or entries [[i,j,value],...] with both halves given, or empty, null or absent; r is n\n"
    "numbers or entries [[i,value],...]. x0 is a guess. name serves as id, other keys are ignored. Each answer is a line\n"
    "  "
    "{\"id\":1,\"status\":\"solved\",\"certificate\":\"global\",\"x\":[n],\"objective\":..,\"violation\":..,\"complementarity\":."
    ".,\n"
    "   \"multipliers\":[one a constraint],\"stationary\":true,\"choices\":3,\"nodes\":5}\n"
    "A constraint that is a product of two linear ones is a choice: one of them is zero. The choices are searched, and the\n"
    "answer is certified global when the search was complete, or when the Lagrangian is convex. What else is not convex is\n"
    "solved from several starts, then searched box by box, to a relative gap of 5e-7, when all unknowns are bounded by the\n"
    "constraints and there are at most 256 unknowns and products of them: \"bound\" is below every value, proven beyond\n"
    "rounding, \"gap\" the rest; global when the search was complete, else local. status is solved, iteration_limit (x is\n"
    "the best point found), undecided (none was found), infeasible (proven: nothing satisfies the constraints), unbounded or\n"
    "bad_input (with \"reason\"). Exit code 1 when a problem has another status than solved.\n"
    "\n"
    "With --scene the problem is a plan: forces u on the driven dofs that bring the goal's body to its position, at rest, after\n"
    "the goal's horizon, with the least h/2 sum u^2, through contacts without friction. Scenes whose motion is linear (carts,\n"
    "pucks, gantries) have such a problem; the answer holds q, v, u and f, one row a step.\n"
    "\n"
    "examples:\n"
    "  echo "
    "'{\"id\":1,\"n\":1,\"objective\":{},\"constraints\":[{\"r\":[1]},{\"r\":[5e-5],\"c\":-6e-3},{\"Q\":[-1e-4],\"r\":[6e-3]}]}' "
    "| tact qcqp\n"
    "  tact qcqp problems.jsonl > answers.jsonl\n"
    "  tact qcqp --scene data/scenes/cart_stop.json --trace stop.jsonl\n";

// a problem as a line states it
typedef struct {
    tact_qcqp problem;
    tact_quadratic *constraint;
    bool *equality;
    tact_triplet *entry;  // of all functions, one behind the other
    int nentry, most;     // so far, and what the line can hold
    tact_real *x0;
    tact_qcqp_solution solution;
    void *memory, *scratch;
    size_t scratch_size;
} job;

static void place_job(void *context, tact_arena *arena) {
    job *j = context;
    size_t n = (size_t)j->problem.n, ncon = (size_t)j->problem.ncon;
    j->constraint = tact_arena_take(arena, ncon, sizeof(tact_quadratic));
    j->equality = tact_arena_take(arena, ncon, sizeof(bool));
    j->entry = tact_arena_take(arena, (size_t)j->most, sizeof(tact_triplet));
    j->x0 = tact_arena_take(arena, n, sizeof(tact_real));
    j->solution.x = tact_arena_take(arena, n, sizeof(tact_real));
    j->solution.multiplier = tact_arena_take(arena, ncon, sizeof(tact_real));
}

static void add_entry(job *j, int row, int column, tact_real value) {
    if (value != 0) j->entry[j->nentry++] = (tact_triplet){row, column, value};
}

// Reads a matrix entry [i, j, value] or a vector entry [i, value].
static bool read_entry(job *j, const tact_json *json, int node, int length) {
    int at = tact_json_first(json, node), n = j->problem.n, index[2] = {-1, -1};
    tact_real value = 0;
    if (tact_json_length(json, node) != length) {
        tact_json_refuse(json, node, length == 3 ? "expected an entry [i, j, value]" : "expected an entry [i, value]");
        return false;
    }
    for (int k = 3 - length; k < 2; k++, at = tact_json_after(json, at))
        if (!tact_json_get_integer(json, at, 0, n - 1, &index[k])) return false;
    if (!tact_problem_get_number(json, at, tact_range_any(), &value)) return false;
    add_entry(j, index[0], index[1], value);
    return true;
}

// Q (dimensions 2) or r (1): numbers or entries. Returns how many entries were added; -1 after a report.
static int read_array(job *j, const tact_json *json, int node, int dimensions) {
    int before = j->nentry, n = j->problem.n, at = 0, i = 0;
    if (node < 0 || tact_json_type(json, node) == TACT_JSON_NULL) return 0;
    if (!tact_json_expect(json, node, TACT_JSON_ARRAY)) return -1;
    at = tact_json_first(json, node);
    // dense, all numbers, or sparse, a list of [row, column, value]
    bool numbers = at >= 0 && tact_json_type(json, at) == TACT_JSON_NUMBER;
    long long wanted = dimensions == 2 ? (long long)n * n : n;
    if (numbers && tact_json_length(json, node) != wanted) {
        tact_json_refuse(json, node, "expected %lld numbers or a list of entries, found %d numbers", wanted,
                         tact_json_length(json, node));
        return -1;
    }
    for (; at >= 0; at = tact_json_after(json, at), i++) {
        tact_real value = 0;
        if (!numbers) {
            if (!tact_json_expect(json, at, TACT_JSON_ARRAY) || !read_entry(j, json, at, dimensions + 1)) return -1;
            continue;
        }
        if (!tact_problem_get_number(json, at, tact_range_any(), &value)) return -1;
        // row -1 is the linear part
        add_entry(j, dimensions == 2 ? i / n : -1, i % n, value);
    }
    return j->nentry - before;
}

static bool read_quadratic(job *j, const tact_json *json, int node, tact_quadratic *f) {
    *f = (tact_quadratic){.quadratic = j->entry + j->nentry};
    if (!tact_json_expect(json, node, TACT_JSON_OBJECT)) return false;
    f->nquadratic = read_array(j, json, tact_json_find(json, node, "Q"), 2);
    f->linear = j->entry + j->nentry;
    f->nlinear = read_array(j, json, tact_json_find(json, node, "r"), 1);
    int c = tact_json_find(json, node, "c");
    return f->nquadratic >= 0 && f->nlinear >= 0 && (c < 0 || tact_problem_get_number(json, c, tact_range_any(), &f->constant));
}

static bool read_problem(job *j, const tact_json *json) {
    int constraints = tact_json_need(json, 0, "constraints"), objective = tact_json_need(json, 0, "objective");
    int x0 = tact_json_find(json, 0, "x0");
    if (!tact_json_get_integer(json, tact_json_need(json, 0, "n"), 1, 2000, &j->problem.n)) return false;
    if (objective < 0 || constraints < 0 || !tact_json_expect(json, constraints, TACT_JSON_ARRAY)) return false;
    j->problem.ncon = tact_json_length(json, constraints);
    j->most = json->count;
    j->memory = tact_problem_place(place_job, j, json);
    if (!j->memory) return false;
    // Objective, then the constraints
    static const char *const types[] = {">=", "=", NULL};
    bool good = read_quadratic(j, json, objective, &j->problem.objective);
    int i = 0;
    for (int at = tact_json_first(json, constraints); good && at >= 0; at = tact_json_after(json, at), i++) {
        good = read_quadratic(j, json, at, &j->constraint[i]);
        int type = good ? tact_json_find(json, at, "type") : -1, choice = type < 0 ? 0 : tact_json_get_choice(json, type, types);
        good = good && choice >= 0;
        j->equality[i] = choice == 1;
    }
    if (!good) return false;

    j->problem.constraint = j->constraint;
    j->problem.equality = j->equality;
    if (x0 < 0 || tact_json_type(json, x0) == TACT_JSON_NULL) return true;
    j->problem.x0 = j->x0;
    return tact_problem_get_vector(json, x0, j->problem.n, tact_range_any(), j->x0);
}

// Adds the line of an answer: point, bound, residuals and multipliers.
static void add_answer(const job *j, const tact_json *json, tact_status status, tact_text *out) {
    const tact_qcqp_solution *s = &j->solution;
    const char *word = status == TACT_CONVERGED ? "solved" : status == TACT_SINGULAR ? "unbounded" : tact_status_name(status);
    tact_record_begin_status(json, word, out);
    tact_text_print(out, ",\"certificate\":%s", s->global ? "global" : "local");
    if (status >= 0) {
        tact_record_add_numbers(out, "x", s->x, j->problem.n);
        tact_record_add_number(out, "objective", s->objective);
        // the search proves this lower bound
        if (s->bound > -TACT_MAX) {
            tact_record_add_number(out, "bound", s->bound);
            tact_record_add_number(out, "gap", s->objective - s->bound);
        }
        tact_record_add_number(out, "violation", s->violation);
        tact_record_add_number(out, "complementarity", s->complementarity);
        tact_record_add_numbers(out, "multipliers", s->multiplier, j->problem.ncon);
        tact_text_add(out, s->stationary ? ",\"stationary\":true" : ",\"stationary\":false");
    }
    tact_text_print(out, ",\"choices\":%d,\"nodes\":%d}", s->choices, s->nodes);
}

// Answers one line: reads the problem, solves it in memory of its own, and adds the solution. True where it converged.
static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    const tact_qcqp_options *options = context;
    tact_status status = TACT_BAD_INPUT;
    job j = {0};
    if (read_problem(&j, json)) {
        j.scratch_size = tact_qcqp_size(&j.problem);
        j.scratch = tact_memory_get(j.scratch_size);
        if (!j.scratch) tact_problem_report_memory(json);
        if (j.scratch) status = tact_qcqp_solve(&j.problem, options, j.scratch, j.scratch_size, &j.solution);
        if (j.scratch && status == TACT_BAD_INPUT) tact_problem_refuse_products(json);
        if (status != TACT_BAD_INPUT) add_answer(&j, json, status, out);
    }
    (void)errors;
    tact_memory_release(j.memory);
    tact_memory_release(j.scratch);
    return status == TACT_CONVERGED;
}

static int run(const tact_call *call) {
    tact_qcqp_options options = tact_qcqp_options_default();
    long long nodes = 0, starts = 0;
    if (!tact_call_integer(call, "--max-nodes", 1, 1000000, options.max_nodes, &nodes) ||
        !tact_call_integer(call, "--starts", 1, 1000, options.starts, &starts))
        return TACT_EXIT_USAGE;
    options.max_nodes = (int)nodes;
    options.starts = (int)starts;
    const char *path = tact_call_operand(call, 0), *scene = tact_call_value(call, "--scene");
    if (scene && path) return tact_say_usage(call->command, "a FILE and --scene do not go together");
    if (scene) return tact_qcqp_scene_run(call, scene, &options);
    tact_records records = {
        .context = &options, .wanted = "lines of problems", .answer = answer, .refuse = tact_record_refuse_problem};
    return tact_records_run(&records, path ? path : "-");
}

static const tact_call_option options[] = {
    {"--max-nodes", "N", "nodes of one search, 1 to 1000000 (default 20000)"},
    {"--starts", "N", "of the local search, 1 to 1000 (default 30)"},
    {"--scene", "SCENE", "plan the scene's goal through contact: the forces on its driven dofs"},
    {"--steps", "N", "of the plan, 1 to 10000 (default: the goal's horizon)"},
    {"--problem", NULL, "print the scene's problem instead of solving it"},
    {"--trace", "FILE", "the scene's plan as a run"},
    TACT_STAGE_OPTIONS,
    {0}};

const tact_subcommand tact_qcqp_command = {.name = "qcqp",
                                           .operands = "[FILE]",
                                           .summary = "Solves quadratically constrained problems, one a line.",
                                           .help = help,
                                           .options = options,
                                           .most = 1,
                                           .run = run};
