// SPDX-License-Identifier: MIT
// tact solve: barrier problems, one a line.
#include "app/records.h"

static const char help[] =
    "Each line of FILE (standard input without one) is a problem\n"
    "  {\"id\":1,\"n\":3,\"nc\":1,\"P\":[n or n*n],\"b\":[n],\"J\":[3*nc*n],\"c\":[3*nc],\"mu\":[nc],\"kappa\":100,\"x0\":[n]}\n"
    "    min over x   1/2 x'P x + b'x - (1/kappa) sum log(nu_n^2/mu^2 - |nu_t|^2),   nu = J x + c,  nu_n > 0\n"
    "P is its diagonal or the whole matrix, row by row; J has the rows normal, tangent, tangent of each contact. x0 is\n"
    "checked and not used: no answer depends on where it begins. name serves as id, other keys are ignored. Each answer is\n"
    "a line\n"
    "  {\"id\":1,\"status\":\"converged\",\"x\":[n],\"lambda\":[3*nc],\"iterations\":7,\"decrement\":1e-12,\"balance\":1e-16}\n"
    "status is converged (x and lambda are within 1e-8 of the minimum's, relative to the largest of each), iteration_limit\n"
    "(x is feasible, but not the minimum, or nearer to a cone's boundary than its digits tell; with \"reason\" and without x:\n"
    "no feasible x was found, nor a proof that there is none), infeasible (with \"certificate\", forces inside their cones that\n"
    "prove it: c'lambda < 0 by more than J'lambda, all but 0, times any x) or bad_input (with \"reason\"). Of the numbers\n"
    "given, in exact arithmetic: decrement is the largest error of kappa nu'lambda / 2 = 1 and of lambda's direction, balance\n"
    "the largest of |P x + b - J'lambda|, relative to the largest sum of magnitudes in it.\n"
    "Exit code 1 when a problem has another status than converged.\n"
    "\n"
    "examples:\n"
    "  echo '{\"id\":1,\"n\":3,\"nc\":1,\"P\":[1,1,1],\"b\":[0,0,1],\"J\":[0,0,1,1,0,0,0,1,0],\"c\":[0,0,0],\"mu\":[0.5],"
    "\"kappa\":100,\"x0\":[0,0,1]}' | tact solve\n"
    "  tact solve problems.jsonl > answers.jsonl\n";

static void add_effort(const tact_barrier_solution *solution, tact_text *out) {
    tact_text_print(out, ",\"iterations\":%d,\"decrement\":%g,\"balance\":%g}", solution->iterations, (double)solution->decrement,
                    (double)solution->balance);
}

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    tact_problem problem;
    tact_status status = TACT_BAD_INPUT;
    if (tact_problem_read(&problem, json, 0)) {
        status = tact_problem_solve(&problem, *(const int *)context);
        // a proof that there is no answer is an answer
        if (status >= 0 || status == TACT_INFEASIBLE) {
            // Status, x and lambda (or a certificate), effort
            const tact_barrier_solution *solution = &problem.solution;
            tact_record_begin_status(json, tact_status_name(status), out);
            if (status == TACT_INFEASIBLE) {
                tact_record_add_numbers(out, "certificate", solution->lambda, 3 * problem.nc);
            } else {
                tact_record_add_numbers(out, "x", problem.x, problem.n);
                tact_record_add_numbers(out, "lambda", solution->lambda, 3 * problem.nc);
            }
            add_effort(solution, out);
        } else if (status == TACT_UNDECIDED) {
            // There is no x to give, nor a certificate.
            int budget = *(const int *)context;
            bool spent = problem.solution.iterations >= budget;
            tact_record_begin_status(json, "iteration_limit", out);
            tact_text_add(out, ",\"reason\":");
            tact_text_add_json(out,
                               spent ? "no feasible x was found within the iterations, nor a proof that there is none"
                                     : "no feasible x was found, nor a proof that there is none: rounding hides the difference");
            add_effort(&problem.solution, out);
        } else if (status == TACT_SINGULAR)
            tact_json_refuse(json, 0, "no answer: P and J leave a direction free");
        else
            tact_problem_refuse_products(json);
    }
    (void)errors;
    tact_problem_free(&problem);
    return status == TACT_CONVERGED;
}

static int run(const tact_call *call) {
    long long limit = 0;
    int iterations = tact_barrier_options_default().max_iterations;
    if (!tact_call_integer(call, "--max-iterations", 1, 10000, iterations, &limit)) return TACT_EXIT_USAGE;
    iterations = (int)limit;
    const char *path = tact_call_operand(call, 0);
    tact_records records = {
        .context = &iterations, .wanted = "lines of problems", .answer = answer, .refuse = tact_record_refuse_problem};
    return tact_records_run(&records, path ? path : "-");
}

static const tact_call_option options[] = {{"--max-iterations", "N", "factorisations for one problem, 1 to 10000 (default 100)"},
                                           {0}};

const tact_subcommand tact_solve_command = {.name = "solve",
                                            .operands = "[FILE]",
                                            .summary = "Solves barrier problems, one a line.",
                                            .help = help,
                                            .options = options,
                                            .most = 1,
                                            .run = run};
