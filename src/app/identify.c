// SPDX-License-Identifier: MIT
// tact identify: friction of pairs and masses of bodies from a recorded run.
#include <stdio.h>
#include <string.h>

#include "app/recording.h"
#include "app/table.h"

enum { ITERATIONS = 50, ITERATIONS_MAX = 10000 };

static const char help[] =
    "TRACE is a recorded run (tact run --trace) of the same model; - is standard input. From each of its states one step is\n"
    "predicted under the recorded command, and the parameters are changed until the predictions fit the states that\n"
    "followed, by Gauss-Newton steps with exact derivatives. They begin at the scene's values. The residual is the root of\n"
    "the mean square of a step's error over all coordinates. A body keeps its inertia about its centre of mass. Standard\n"
    "errors hold when the residuals are independent noise. Each law can be fitted; one that makes a contact stick tells no\n"
    "friction of it.\n"
    "\n"
    "Exit code 1 when the fit did not converge, or the run does not determine a parameter (its standard error is at least as "
    "large as its value).\n"
    "\n"
    "examples:\n"
    "  tact run data/scenes/pusher.json --trace run.jsonl\n"
    "  tact identify data/scenes/pusher.json run.jsonl --mass block --set bodies.1.mass=0.02\n"
    "  tact identify scene.json run.jsonl --mu table,ball --mu tip,ball --mass ball\n";

typedef struct {
    tact_world world;
    tact_fit fit;
    tact_parameter parameter[TACT_FIT_MOST];
    char name[TACT_FIT_MOST][600];
    int count;
    tact_table table;
} identify_job;

// The pair of two shapes, "A,B" in either order, whatever their names hold; -1: none.
static int find_pair(const tact_model *model, const char *word) {
    for (int i = 0; i < model->npair; i++) {
        tact_thing_name a = tact_shape_name(model, model->pair[i].a), b = tact_shape_name(model, model->pair[i].b);
        char text[600];
        snprintf(text, sizeof text, "%s,%s", a.text, b.text);
        if (strcmp(text, word) == 0) return i;
        snprintf(text, sizeof text, "%s,%s", b.text, a.text);
        if (strcmp(text, word) == 0) return i;
    }
    return -1;
}

static int find_body(const tact_model *model, const char *word) {
    for (int i = 0; i < model->nbody; i++)
        if (strcmp(tact_body_name(model, i).text, word) == 0) return i;
    return -1;
}

// Whether a word names a shape or its body.
static bool is_named(const tact_model *model, int shape, const char *word) {
    int body = model->shape[shape].body;
    return strstr(word, tact_shape_name(model, shape).text) || (body >= 0 && strstr(word, model->names->body[body]));
}

// Adds the parameter of one --mu or --mass; false after saying what is wrong.
static bool add_parameter(identify_job *job, const char *option, const char *word) {
    const tact_model *model = &job->world.scene->model;
    bool mass = strcmp(option, "--mass") == 0;
    int index = mass ? find_body(model, word) : find_pair(model, word);
    tact_parameter parameter = {.kind = mass ? TACT_PARAMETER_MASS : TACT_PARAMETER_MU, .index = index};
    if (index < 0) {
        // the body that was meant, or those that have a mass
        tact_nearest nearest = {.word = word};
        for (int i = 0; i < model->nbody && mass; i++)
            if (model->body[i].mass > 0) tact_nearest_try(&nearest, model->names->body[i]);
        tact_hint hint = tact_nearest_hint(&nearest);
        // the first pair of the shapes or bodies that the word names, else the first pair
        int p = 0;
        while (!mass && p < model->npair && !(is_named(model, model->pair[p].a, word) && is_named(model, model->pair[p].b, word)))
            p++;
        const tact_pair *pair = model->npair > 0 ? &model->pair[p < model->npair ? p : 0] : NULL;
        if (!mass && pair)
            snprintf(hint.text, sizeof hint.text, " (--mu takes two shapes of a pair, as %.40s,%.40s)",
                     tact_shape_name(model, pair->a).text, tact_shape_name(model, pair->b).text);
        tact_say("identify: error: %s: no %s %s%s", option, mass ? "body" : "pair of shapes", tact_quote(word).text, hint.text);
        return false;
    }
    for (int i = 0; i < job->count; i++) {
        if (job->parameter[i].kind != parameter.kind || job->parameter[i].index != index) continue;
        tact_say("identify: error: %s %s is given twice", option, tact_quote(word).text);
        return false;
    }
    // the logarithm of a parameter is what is fitted
    if (!((mass ? model->body[index].mass : model->pair[index].mu) > 0)) {
        tact_say("identify: error: %s %s: must begin above 0 (see: --set)", option, tact_quote(word).text);
        return false;
    }
    snprintf(job->name[job->count], sizeof job->name[0], "%s %s", mass ? "mass" : "mu", word);
    job->parameter[job->count++] = parameter;
    return true;
}

static bool read_parameters(identify_job *job, const tact_call *call) {
    static const char *const names[] = {"--mu", "--mass"};
    for (int k = 0; k < 2; k++) {
        int at = 0;
        for (const char *word = tact_call_next(call, names[k], &at); word; word = tact_call_next(call, names[k], &at)) {
            if (job->count == TACT_FIT_MOST) {
                tact_say("identify: error: more than %d parameters", TACT_FIT_MOST);
                return false;
            }
            if (!add_parameter(job, names[k], word)) return false;
        }
    }
    return true;
}

// Reads every recorded state that has a next one. Returns the exit code.
static int read_steps(identify_job *job, tact_trace_reader *reader) {
    tact_errors errors = {0};
    tact_state *state = &job->world.state;
    int last = -2;
    while (tact_trace_reader_next(reader, &errors) > 0) {
        const tact_trace_step *step = &reader->step;
        // a step is evidence where the state before it is in the trace, too
        if (step->status >= 0 && step->step == last + 1 && !tact_fit_add(&job->fit, state, step->u, step->q))
            return tact_say_no_memory("");
        if (step->status < 0) continue;
        // tact mpc has a line a tick, of several steps
        tact_real dt = job->world.scene->options.dt, passed = step->time - state->time;
        if (step->step == last + 1 && step->step > 0 && !(passed > dt / 2 && passed < 3 * dt / 2)) {
            tact_say("identify: error: the trace has a line every %s s and its steps are of %s s: a line for each step is "
                     "needed, as of "
                     "tact run --trace",
                     tact_rounded((double)passed, 4).text, tact_key_print(dt).text);
            return TACT_EXIT_REFUSED;
        }
        tact_trace_restore(step, &job->world.scene->model, state);
        last = step->step;
    }
    if (errors.errors > 0) return tact_say_errors(&errors);
    if (job->fit.steps > 0) return TACT_EXIT_DONE;
    tact_say("identify: error: the trace has no two steps that follow each other");
    return TACT_EXIT_REFUSED;
}

// Adds the steps of the trace to the fit. A trace of another model is refused, one of another time step with the setting that
// changes it.
static int read_trace(identify_job *job, const char *path) {
    tact_errors errors = {0};
    tact_trace_reader *reader = tact_trace_reader_open(path, &errors);
    if (!reader) {
        int known = tact_say_errors(&errors);
        // what was read, and is something else
        if (known == TACT_EXIT_REFUSED && !tact_recording_is_trace(path, &known))
            tact_say("identify: %s is not a trace: tact run SCENE --trace FILE writes one", tact_quote(path).text);
        return known;
    }
    const char *difference = tact_recording_difference(job->world.scene, &reader->header);
    int code = TACT_EXIT_REFUSED;
    if (difference && strcmp(difference, "time step") == 0)
        tact_say("identify: error: the trace has a time step of %s s, the scene one of %s s: --set options.dt=%s",
                 tact_key_print(reader->header.dt).text, tact_key_print(job->world.scene->options.dt).text,
                 tact_key_print(reader->header.dt).text);
    else if (difference && strcmp(difference, "joints") != 0 &&
             strcmp(reader->header.law, job->world.scene->model.law->name) != 0)
        tact_say("identify: error: the trace is of the law %s, the scene of %s: --law %s (other %s)", reader->header.law,
                 job->world.scene->model.law->name, reader->header.law, difference);
    else if (difference)
        tact_say("identify: error: the trace is of another model, %s: other %s", tact_quote(reader->header.scene).text,
                 difference);
    else
        code = read_steps(job, reader);
    tact_trace_close(reader);
    return code;
}

static void add_rounded(tact_table *table, double value, int digits) {
    tact_table_add(table, tact_rounded(value, digits).text);
}

static void report(void *context, const tact_fit_progress *progress) {
    identify_job *job = context;
    tact_table_add_integer(&job->table, progress->iteration);
    add_rounded(&job->table, progress->residual, 6);
    for (int i = 0; i < job->count; i++) add_rounded(&job->table, progress->value[i], 10);
    tact_table_end_row(&job->table);
}

// Prints the number of steps, the fit's progress and status, and each parameter with its standard error and start.
static int print_result(identify_job *job, const tact_fit_result *result, const double *start, int code) {
    static const char *const head[] = {"parameter", "value", "standard error", "start", NULL};
    tact_table table = tact_table_begin(0, head);
    tact_text text = {0};
    tact_text_print(&text, "%d steps\n", job->fit.steps);
    tact_table_print(&job->table, &text);
    tact_text_print(&text, "\n%-s\n", tact_status_name(result->status));
    for (int i = 0; i < job->count; i++) {
        tact_table_add(&table, job->name[i]);
        add_rounded(&table, job->fit.value[i], 10);
        add_rounded(&table, job->fit.error[i], 2);
        add_rounded(&table, start[i], 10);
        tact_table_end_row(&table);
    }
    tact_table_print(&table, &text);
    // log p is fitted; its standard error is the relative error of p: 1 means a factor of e
    for (int i = 0; i < job->count; i++) {
        if (job->fit.error[i] < job->fit.value[i]) continue;
        tact_say("identify: error: the run does not determine %s: its standard error is at least as large as its value",
                 job->name[i]);
        code = TACT_EXIT_UNSOLVED;
    }
    return tact_print_text(&text, code);
}

static int identify(identify_job *job, const tact_call *call, int iterations) {
    double start[TACT_FIT_MOST];
    int code = read_trace(job, tact_call_operand(call, 1));
    if (code != TACT_EXIT_DONE) return code;
    memcpy(start, job->fit.value, sizeof start);
    // Head of the table: iteration, residual, one column per parameter
    tact_table_add(&job->table, "iteration");
    tact_table_add(&job->table, "residual");
    for (int i = 0; i < job->count; i++) tact_table_add(&job->table, job->name[i]);
    tact_table_end_row(&job->table);
    tact_fit_result result = tact_fit_solve(&job->fit, iterations, report, job);
    if (result.status == TACT_SINGULAR && result.free >= 0 && result.free < job->count) {
        tact_say("identify: error: the run does not determine %s", job->name[result.free]);
    } else if (result.status < 0) {
        tact_say("identify: error: a prediction of step %d: %s", result.free + 1, tact_status_name(result.status));
    } else {
        return print_result(job, &result, start, result.status == TACT_ITERATION_LIMIT ? TACT_EXIT_UNSOLVED : TACT_EXIT_DONE);
    }
    tact_text_free(&job->table.cells);
    return TACT_EXIT_UNSOLVED;
}

// Fits the friction of the pairs of --mu and the masses of the bodies of --mass to a recorded run.
static int run(const tact_call *call) {
    identify_job job = {0};
    long long iterations = 0;
    if (!tact_call_value(call, "--mu") && !tact_call_value(call, "--mass"))
        return tact_say_usage(call->command, "nothing to identify: give --mu or --mass");
    if (!tact_call_integer(call, "--iterations", 0, ITERATIONS_MAX, ITERATIONS, &iterations)) return TACT_EXIT_USAGE;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &job.world);
    if (code != TACT_EXIT_DONE) return code;
    code = TACT_EXIT_REFUSED;
    if (read_parameters(&job, call)) {
        if (tact_fit_make(&job.fit, job.world.scene, job.parameter, job.count)) {
            code = identify(&job, call, (int)iterations);
        } else {
            code = tact_say_no_memory("");
        }
    }
    tact_fit_free(&job.fit);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {TACT_STAGE_OPTIONS,
                                           {"--mu", "A,B", "find the friction of the pair of shapes A and B; may be repeated"},
                                           {"--mass", "BODY", "find the mass of a body; may be repeated"},
                                           {"--iterations", "N", "most iterations, 0 to 1e4 (default 50)"},
                                           {0}};

const tact_subcommand tact_identify_command = {.name = "identify",
                                               .operands = "SCENE TRACE",
                                               .summary = "Finds friction and masses from a recorded run.",
                                               .help = help,
                                               .options = options,
                                               .least = 2,
                                               .most = 2,
                                               .run = run};
