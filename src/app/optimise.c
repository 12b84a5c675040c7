// SPDX-License-Identifier: MIT
// tact optimise: finds commands that bring a body to the scene's goal, by gradient descent through a rollout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/goal.h"
#include "app/rewrite.h"
#include "app/stage.h"
#include "app/table.h"
#include "scene/number.h"
#include "scene/quote.h"
#include "tact/virtual.h"
#include "trace/names.h"
#include "trace/write.h"

enum { ITERATIONS = 100, ITERATIONS_MAX = 100000, STAGES = 4 };

// what ten iterations must take from the loss, before and after the goal is reached
#define GAIN_LEAST TACT_REAL(0.001)
#define GAIN_REACHED TACT_REAL(0.05)

static const char help[] =
    "The scene says where a body is to be brought (\"goal\", see: tact help scene). The commands of all driven joints are\n"
    "linear between knots, begin at the initial coordinates, and stay within the joints' limits; the first guess is to\n"
    "hold. Each evaluation is a rollout of the scene and one pass back through its derivatives, and L-BFGS descends. The\n"
    "gradient is there before anything touches. The table has the loss, its largest slope by a command that no limit holds,\n"
    "and the distance of the body from its goal at the end. The search ends, too, where ten iterations take less than 0.1 %\n"
    "from the loss, or 5 % once the goal is reached. Under the virtual law \"hard loss\" is that of the same commands at\n"
    "temperature 0; \"least gap\" is the smallest on the way, below 0 where bodies overlap.\n"
    "\n"
    "--output writes the scene with the commands found as its trajectory, ready for tact run; what --set and --law changed\n"
    "is in it. --trace records the run under these commands. Exit code 1 when the goal is not reached.\n"
    "\n"
    "--anneal begins at a temperature at which contacts are felt from afar, and goes down to the scene's in four descents, each\n"
    "from the commands of the one before and with a quarter of the iterations (law virtual).\n"
    "\n"
    "examples:\n"
    "  tact optimise data/scenes/roll_to_goal.json\n"
    "  tact optimise data/scenes/roll_to_goal.json --output rolled.json --trace rolled.jsonl\n"
    "  tact optimise data/scenes/roll_to_goal.json --set goal.position=[0.225,0.04,-0.16]\n"
    "  tact optimise data/scenes/push_to_goal.json --set options.temperature=1e-4 --anneal 0.02\n";

typedef struct {
    tact_world world;
    tact_goal_plan plan;
    tact_table table;
    tact_progress progress;
    int told;        // iteration of the last row
    int iterations;  // of the descents before
    int evaluations;
    tact_real mark;  // loss ten iterations before
    bool reached;    // at the last row
    bool slow;       // the search ended because it gained little
} optimise_job;

// to six digits
static tact_number_text print_rounded(tact_real value) {
    char text[40];
    // the same locale writes and reads
    snprintf(text, sizeof text, "%.5e", (double)value);
    return tact_number_print(strtod(text, NULL));
}

static void add_rounded(tact_table *table, tact_real value) {
    tact_table_add(table, print_rounded(value).text);
}

static void add_row(optimise_job *job, const tact_lbfgs_progress *at) {
    // the rollout that was made last is not always that of x
    tact_goal_plan_value(&job->plan, at->x, NULL);
    tact_table_add_integer(&job->table, job->iterations + at->iteration);
    tact_table_add_integer(&job->table, job->evaluations + at->evaluations);
    add_rounded(&job->table, at->value);
    add_rounded(&job->table, at->gradient);
    tact_real distance = tact_goal_distance(job->world.scene, &job->plan.kinematics, job->plan.rollout.state.q);
    add_rounded(&job->table, distance);
    tact_table_end_row(&job->table);
    job->told = job->iterations + at->iteration;
    job->reached = distance <= job->world.scene->goal.tolerance;
}

// Rows for the first ten iterations, then for each tenth, where the search may end: what it gains has become little.
static bool report(void *context, const tact_lbfgs_progress *at) {
    optimise_job *job = context;
    tact_progress_show(&job->progress, job->iterations + at->iteration);
    if (at->iteration > 10 && at->iteration % 10 > 0) return true;
    add_row(job, at);
    if (at->iteration % 10 > 0) return true;
    job->slow = at->iteration > 0 && job->mark - at->value < (job->reached ? GAIN_REACHED : GAIN_LEAST) * at->value;
    job->mark = at->value;
    return !job->slow;
}

static tact_real evaluate(void *context, const tact_real *x, tact_real *gradient) {
    optimise_job *job = context;
    return tact_goal_plan_value(&job->plan, x, gradient);
}

static void precondition(void *context, tact_real *v) {
    optimise_job *job = context;
    tact_goal_plan_precondition(&job->plan, v);
}

static void begin_table(optimise_job *job) {
    static const char *const head[] = {"iteration", "evaluations", "loss", "gradient", "distance [m]", NULL};
    tact_table_add_all(&job->table, head);
    tact_table_end_row(&job->table);
}

// One descent from plan->x; iterations and evaluations in the result are those of all.
static tact_lbfgs_result descend_once(optimise_job *job, int iterations) {
    tact_goal_plan *plan = &job->plan;
    tact_lbfgs_options options = tact_lbfgs_options_default();
    tact_lbfgs_problem problem = {.n = plan->n,
                                  .lower = plan->lower,
                                  .upper = plan->upper,
                                  .context = job,
                                  .evaluate = evaluate,
                                  .precondition = precondition,
                                  .report = report};
    options.iteration_limit = iterations;
    options.evaluation_limit = 20 * iterations + 20;
    tact_lbfgs_result result = tact_lbfgs_minimise(&plan->lbfgs, &problem, options, plan->x);
    tact_lbfgs_progress last = {result.iterations, result.evaluations, result.value, result.gradient, plan->x};
    if (result.status >= 0 && job->iterations + last.iteration != job->told) add_row(job, &last);
    job->iterations = result.iterations += job->iterations;
    job->evaluations = result.evaluations += job->evaluations;
    return result;
}

// Descends, at temperatures from anneal down to the scene's unless it is 0; the commands that were found are the scene's from
// then on.
static tact_lbfgs_result descend(optimise_job *job, const tact_call *call, int iterations, tact_real anneal) {
    tact_scene *scene = job->world.scene;
    tact_real last = scene->options.temperature;
    tact_lbfgs_result result = {.status = TACT_CONVERGED};
    int stages = anneal > 0 ? STAGES : 1;
    begin_table(job);
    tact_progress_begin(&job->progress, iterations, tact_call_value(call, "--quiet") == NULL);
    for (int stage = 0; stage < stages && result.status >= 0; stage++) {
        int share = (iterations * (stage + 1)) / stages - (iterations * stage) / stages;
        if (anneal > 0) scene->options.temperature = tact_virtual_anneal(anneal, last, stage, stages);
        result = descend_once(job, share);
    }
    scene->options.temperature = last;
    tact_progress_end(&job->progress);
    tact_goal_plan_command(&job->plan, job->plan.x);
    scene->command = job->plan.command;
    return result;
}

typedef struct {
    tact_real gap;  // least of all contacts of all steps [m]
    int pair;       // whose
    int limited;    // steps that did not converge
} optimise_run;

// The run under the commands found, with its trace. The exit code of writing it.
static int play(optimise_job *job, const char *path, optimise_run *run) {
    tact_errors errors = {0};
    tact_output trace;
    tact_world *world = &job->world;
    if (path && !tact_guard_open(&trace, path, &errors)) return tact_say_errors(&errors);
    if (path) {
        tact_trace_add_header(world->scene, &trace.text);
        tact_text_add(&trace.text, "\n");
    }
    for (int k = 0; k <= world->scene->goal.horizon; k++) {
        if (k > 0) tact_world_step(world);
        if (k == 0) tact_scene_command(world->scene, &world->state, world->u);
        if (path) {
            tact_trace_add_step(world->scene, k, &world->state, k > 0 ? &world->work : NULL, world->u, &trace.text);
            tact_text_add(&trace.text, "\n");
            tact_output_spill(&trace);
        }
        run->limited += k > 0 && world->work.status > 0;
        for (int i = 0; k > 0 && i < world->work.contacts.count; i++) {
            const tact_contact *contact = &world->work.contacts.contact[i];
            if (!(contact->gap < run->gap)) continue;
            run->gap = contact->gap;
            run->pair = contact->pair;
        }
    }
    return !path || tact_guard_finish(&trace, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

static int write_scene(optimise_job *job, const tact_call *call, tact_source source) {
    tact_errors errors = {0};
    tact_output output;
    const char *path = tact_call_value(call, "--output");
    if (!path) return TACT_EXIT_DONE;
    if (!tact_guard_open(&output, path, &errors)) return tact_say_errors(&errors);
    if (!tact_scene_rewrite(call, source, job->world.scene, &job->plan.command, &output.text, &errors)) {
        tact_guard_abandon(&output);
        return tact_say_errors(&errors);
    }
    return tact_guard_finish(&output, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

static int print_result(optimise_job *job, const tact_lbfgs_result *result, const optimise_run *run, tact_real distance,
                        bool to_stderr, int code) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    tact_table table = {0};
    tact_text text = {0};
    char line[700];
    tact_text_add(&text, "commands of ");
    tact_text_add_integer(&text, model->nu);
    tact_text_add(&text, " joints at ");
    tact_text_add_integer(&text, scene->goal.knots);
    tact_text_add(&text, " knots\n");
    tact_table_print(&job->table, &text);
    tact_text_add(&text, "\n");
    tact_table_add_fact(&table, "search",
                        job->slow ? "ended: its last ten iterations gained little" : tact_status_name(result->status));
    snprintf(line, sizeof line, "%s m from its goal: %s (tolerance %s m)", print_rounded(distance).text,
             distance <= scene->goal.tolerance ? "reached" : "not reached", print_rounded(scene->goal.tolerance).text);
    tact_table_add_fact(&table, tact_body_name(model, scene->goal.body).text, line);
    if (scene->model.law->springs && scene->options.temperature > 0) {
        tact_real soft = scene->options.temperature;
        job->world.scene->options.temperature = 0;
        tact_table_add_fact(&table, "hard loss", print_rounded(tact_goal_plan_value(&job->plan, job->plan.x, NULL)).text);
        job->world.scene->options.temperature = soft;
    }
    if (run->pair >= 0) {
        tact_thing_name a = tact_shape_name(model, model->pair[run->pair].a),
                        b = tact_shape_name(model, model->pair[run->pair].b);
        snprintf(line, sizeof line, "%s m, of %s and %s", print_rounded(run->gap).text, a.text, b.text);
        tact_table_add_fact(&table, "least gap", line);
    }
    tact_table_print(&table, &text);
    if (!to_stderr) return tact_print_text(&text, code);
    if (!text.failed) fputs(text.bytes, stderr);
    tact_text_free(&text);
    return code;
}

// Everything after the scene was read. The exit code.
static int optimise(optimise_job *job, const tact_call *call, tact_source source, int iterations, tact_real anneal) {
    const char *trace = tact_call_value(call, "--trace"), *output = tact_call_value(call, "--output");
    bool quiet = tact_call_value(call, "--quiet") != NULL;
    optimise_run run = {.gap = TACT_MAX, .pair = -1};
    double begin = tact_clock();
    tact_lbfgs_result result = descend(job, call, iterations, anneal);
    double spent = tact_clock() - begin;
    if (result.status < 0) {
        tact_say("optimise: step %d: %s", job->plan.step + 1, tact_status_name(job->plan.status));
        tact_text_free(&job->table.cells);
        return TACT_EXIT_UNSOLVED;
    }
    int code = play(job, trace, &run);
    if (code == TACT_EXIT_DONE) code = write_scene(job, call, source);
    if (code != TACT_EXIT_DONE || quiet) {
        tact_text_free(&job->table.cells);
    } else {
        bool taken = (trace && strcmp(trace, "-") == 0) || (output && strcmp(output, "-") == 0);
        tact_real distance = tact_goal_distance(job->world.scene, &job->plan.kinematics, job->world.state.q);
        code = print_result(job, &result, &run, distance, taken, code);
        fprintf(stderr, "%.3g s, %d rollouts of %d steps\n", spent, result.evaluations, job->world.scene->goal.horizon);
    }
    if (code != TACT_EXIT_DONE) return code;
    if (result.iterations == 0 && result.gradient == 0 && iterations > 0)
        tact_say("optimise: no command moves the body: is anything driven within options.margin of it?");
    if (run.limited > 0) tact_say("optimise: %d steps did not converge within the iteration limit", run.limited);
    tact_real distance = tact_goal_distance(job->world.scene, &job->plan.kinematics, job->world.state.q);
    return run.limited > 0 || !(distance <= job->world.scene->goal.tolerance) ? TACT_EXIT_UNSOLVED : TACT_EXIT_DONE;
}

// What can be optimised: NULL, or why not.
static const char *find_fault(const tact_scene *scene, tact_real anneal) {
    if (scene->goal.body < 0) return "the scene has no goal (see: tact help scene)";
    if (scene->model.nu == 0) return "the scene has no driven joint";
    if (scene->model.law->derivatives == TACT_DERIV_NONE) return "this law has no derivatives of rollouts";
    if (anneal > 0 && !scene->model.law->springs) return "--anneal: only the virtual law has a temperature";
    if (anneal > 0 && !(anneal > scene->options.temperature)) return "--anneal: not above the scene's temperature";
    return NULL;
}

// The temperature that --anneal begins with; 0 without it. False after saying what is wrong.
static bool read_anneal(const tact_call *call, double *anneal) {
    const char *word = tact_call_value(call, "--anneal");
    *anneal = 0;
    if (!word) return true;
    bool read = tact_number_read_loose(word, strlen(word), anneal) == TACT_NUMBER_READ;
    if (read && *anneal > 0 && *anneal <= 1000) return true;
    tact_say_usage(call->command, "--anneal: must be a temperature within (0, 1000] (found %s)", tact_quote(word).text);
    return false;
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0);
    optimise_job job = {.told = -1};
    tact_errors errors = {0};
    tact_text text = {0};
    long long iterations = 0;
    double anneal = 0;
    if (!tact_call_integer(call, "--iterations", 0, ITERATIONS_MAX, ITERATIONS, &iterations)) return TACT_EXIT_USAGE;
    if (!read_anneal(call, &anneal)) return TACT_EXIT_USAGE;
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors)) return tact_say_errors(&errors);
    tact_source source = tact_text_source(&text, path);
    int code = strcmp(path, "-") == 0 ? tact_stage_parse(call, source, &job.world) : tact_stage_open(call, path, &job.world);
    if (code == TACT_EXIT_DONE) {
        const char *fault = find_fault(job.world.scene, (tact_real)anneal);
        if (fault) {
            tact_say("optimise: %s", fault);
            code = TACT_EXIT_REFUSED;
        } else if (tact_goal_plan_make(&job.plan, job.world.scene, &job.world.state)) {
            code = optimise(&job, call, source, (int)iterations, (tact_real)anneal);
        } else {
            tact_say("out of memory");
            code = TACT_EXIT_NO_MEMORY;
        }
        tact_stage_close(&job.world);
    }
    tact_goal_plan_free(&job.plan);
    tact_text_free(&text);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS,
                                           {"--iterations", "N", "most iterations, 0 to 1e5 (default 100)"},
                                           {"--anneal", "A", "begin at this temperature [m], end at the scene's"},
                                           {"--output", "FILE", "write the scene with the commands found; - is standard output"},
                                           {"--trace", "FILE", "record the run under them; - is standard output"},
                                           {"--quiet", NULL, "no table, no progress bar, no time"},
                                           {0}};

const tact_subcommand tact_optimise_command = {.name = "optimise",
                                               .operands = "SCENE",
                                               .summary = "Finds commands that bring a body to the scene's goal.",
                                               .help = help,
                                               .options = options,
                                               .least = 1,
                                               .most = 1,
                                               .run = run};
