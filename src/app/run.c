// SPDX-License-Identifier: MIT
// tact run: steps a scene.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/lifted.h"
#include "app/slopes.h"
#include "app/stage.h"
#include "app/summary.h"
#include "app/table.h"

enum { STEPS = 100, STEPS_MAX = 1000000000, THREADS_MAX = 256 };

#define LOOP_OPEN 1e-3  // a loop that is open by more is reported [m]

static const char help[] =
    "SCENE is a scene file, - standard input (see: tact help scene). A table of the result goes to standard output: it is\n"
    "the same on every machine; the time that the run took goes to standard error.\n"
    "\n"
    "The trace is JSON Lines: a first line with the names of all things and the options in force, then a line for each\n"
    "step, step 0 being the initial state:\n"
    "  {\"step\":1,\"t\":0.01,\"q\":[..],\"v\":[..],\"u\":[..],\"status\":\"converged\",\"iterations\":5,\"decrement\":..,\n"
    "   "
    "\"contacts\":[{\"pair\":0,\"a\":\"table\",\"b\":\"ball\",\"gap\":..,\"point\":[3],\"normal\":[3],\"frame\":[9],\"force\":[3]"
    ",\n"
    "                \"lambda\":[3]}]}\n"
    "q, v and t are those after the step. Contacts are those found at its start (under the virtual law at its end, or at the\n"
    "mean under midpoint), with their forces on b, averaged over the step:\n"
    "force in the world, lambda along the rows of frame (normal from a to b, tangent, tangent). \"degenerate\":true marks a\n"
    "normal that is not unique and was chosen by rule. Under the rigid law, \"energy\" is [kinetic, potential] after the\n"
    "step [J]. With the option anchor of the scene, \"anchors\" holds the stored displacements. A trace file appears when it\n"
    "is complete; with - the trace goes to standard output and the table to standard error.\n"
    "\n"
    "The table has six significant digits, poses of free bodies four, unless --digits says otherwise.\n"
    "\n"
    "The run ends at a step that has no solution; the trace has that step with its status and unchanged q. Exit code 1 for\n"
    "that, and if a step did not converge. decrement is the solver's residual; under the virtual law it is the displacement "
    "caused\n"
    "by the remaining force imbalance, relative to the largest displacement of the step or of free fall in it.\n"
    "\n"
    "With --json the result is one line: scene, law, steps wanted and made, how many of each status, failure (null, or the\n"
    "status that ended the run), time [s], iterations, loops_open (how far a loop opened at most [m]), contacts of the last\n"
    "step, and for each unactuated body its position p, how far it moved from the start [m], and its coordinates q.\n"
    "\n"
    "examples:\n"
    "  tact run data/scenes/lesson.json\n"
    "  tact run data/scenes/lesson.json --steps 500 --set options.kappa=1e4 --trace run.jsonl\n"
    "  tact run data/scenes/lesson.json --trace - --quiet | tail -n 1\n";

#define OVERLAP_LEAST TACT_REAL(1e-4)  // [m] that is reported at the end of a run
#define PAIRS_MANY 5000                // contacts without a margin that make a step slow
#define MARGIN_LARGE 10                // [m], more than the size of a robot: all pairs are within it

// a body that goes to and fro by less from step to step is at rest [m], [rad]
#define TO_AND_FRO TACT_REAL(1e-4)

// Says that a loop is open by more than a millimetre: its stiffness is too low for its force, or nothing can close it.
static void warn_open(const tact_world *world, const tact_tally *tally) {
    const tact_model *model = &world->scene->model;
    if (!(tally->open > LOOP_OPEN)) return;
    const tact_loop *loop = &model->loop[tally->loop];
    tact_thing_name a = tact_body_name(model, loop->body[0]), b = tact_body_name(model, loop->body[1]);
    tact_say("run: warning: the loop of %s and %s is open by %s m after step %lld", tact_quote(a.text).text,
             tact_quote(b.text).text, tact_rounded(tally->open, 3).text, tally->open_step);
}

typedef struct {
    const tact_call *call;
    tact_world world;
    tact_tally tally;
    tact_lifted hold;
    tact_real *past;  // (2, nq) of the last step and the one before, in turns; NULL: not watched
    tact_output trace;
    tact_force_slopes slopes;
    bool tracing, quiet, json;
    int digits;  // of the table
} run_job;

static bool add_trace(run_job *job, const tact_work *work) {
    if (!job->tracing) return true;
    tact_trace_add_step(job->world.scene, (int)job->tally.done, &job->world.state, work, job->world.u, &job->trace.text);
    tact_force_slopes_add(&job->slopes, &job->world, &job->trace.text);
    tact_text_add(&job->trace.text, "\n");
    return tact_output_spill(&job->trace);
}

// Writes the first two lines of the trace. False when the trace would not fit on its disk.
static bool begin_trace(run_job *job) {
    if (!job->tracing) return true;
    tact_trace_add_header(job->world.scene, &job->trace.text);
    tact_text_add(&job->trace.text, "\n");
    size_t header = job->trace.text.size;
    tact_world_command(&job->world);
    tact_trace_add_step(job->world.scene, 0, &job->world.state, NULL, job->world.u, &job->trace.text);
    tact_text_add(&job->trace.text, "\n");
    // a line may become shorter, but hardly by half
    double size = (double)(job->trace.text.size - header) / 2 * (double)job->tally.wanted;
    size_t room = tact_output_free(&job->trace);
    if (room == SIZE_MAX || size <= (double)room) return true;
    tact_say("run: error: the trace would take %.2g bytes or more (free: %zu)", size, room);
    return false;
}

// Takes all steps and records them. False when the trace cannot be written.
static bool step_all(run_job *job) {
    tact_progress progress;
    bool written = true;
    tact_progress_begin(&progress, job->tally.wanted, !job->quiet);
    while (written && job->tally.done < job->tally.wanted && job->tally.failure == TACT_CONVERGED) {
        tact_force_slopes_keep(&job->slopes, &job->world);
        size_t nq = (size_t)job->world.scene->model.nq;
        // the two states before, by which going to and fro is noticed
        if (job->past && nq > 0)
            memcpy(job->past + (size_t)(job->tally.done % 2) * nq, job->world.state.q, nq * sizeof *job->past);
        tact_world_step(&job->world);
        tact_tally_add(&job->tally, &job->world.work);
        written = add_trace(job, &job->world.work);
        tact_tally_add_loops(&job->tally, &job->world);
        tact_lifted_add(&job->hold, &job->world);
        tact_progress_show(&progress, job->tally.done);
    }
    tact_progress_end(&progress);
    return written;
}

static int print_summary(run_job *job, bool to_stderr, int code) {
    tact_text text = {0};
    if (job->quiet && !job->json) return code;
    if (job->json)
        tact_summary_print_json(&job->tally, &job->world, &text);
    else
        tact_summary_print(&job->tally, &job->world, job->digits, &text);
    if (!job->json) tact_lifted_print(&job->hold, &job->world, &text);
    return tact_print_summary(&text, to_stderr, code);
}

// Says so if the scene's command lasts longer than a run without --steps.
static void say_longer(const run_job *job) {
    const tact_scene *scene = job->world.scene;
    const double dt = (double)scene->options.dt, most = (double)STEPS_MAX;
    double end = scene->command.ntime > 1 ? (double)scene->command.times[scene->command.ntime - 1] : 0;
    if (!job->quiet && !tact_call_value(job->call, "--steps") && job->tally.failure == TACT_CONVERGED && end / dt > STEPS + 0.5 &&
        end / dt < most)
        tact_say("run: the scene's command lasts %s s, of which this was %s s: --steps %.0f runs all of it",
                 tact_rounded(end, 4).text, tact_rounded(STEPS * dt, 4).text, ceil(end / dt - 0.01));
}

// Steps, traces, and says what came of it.
static int run_job_all(run_job *job, const char *path) {
    tact_errors errors = {0};
    if (job->tracing && !tact_guard_open(&job->trace, path, &errors)) return tact_say_errors(&errors);
    if (!begin_trace(job)) {
        tact_guard_abandon(&job->trace);
        return TACT_EXIT_UNREADABLE;
    }
    double begin = tact_clock();
    step_all(job);
    double spent = tact_clock() - begin;
    // What is reported of the run
    if (job->tally.failure < 0) tact_stage_say_step(job->call, &job->world, job->tally.done);
    if (job->past && job->tally.done >= 2 && job->tally.failure == TACT_CONVERGED) {
        const tact_real *even = job->past, *odd = job->past + job->world.scene->model.nq;
        bool last_is_even = job->tally.done % 2 != 0;
        // Where the barrier law, which has no velocities, goes back and forth between two states, although each step converged.
        const tact_world *world = &job->world;
        const tact_real *last = last_is_even ? even : odd;
        const tact_real *before_last = last_is_even ? odd : even;
        const tact_model *model = &world->scene->model;
        int worst = -1;
        tact_real most = TO_AND_FRO, drift = 0;
        for (int i = 0; i < model->nq; i++) {
            tact_real step = (tact_real)fabs((double)(world->state.q[i] - last[i])),
                      two = (tact_real)fabs((double)(world->state.q[i] - before_last[i]));
            drift = two > drift ? two : drift;
            if (!(step > most)) continue;
            most = step;
            worst = i;
        }
        if (!(worst < 0 || drift > most / 10))
            tact_say(
                "run: warning: %s goes to and fro by %s from step to step at the end; see \"To and fro\" in docs/choosing.md",
                tact_quote(tact_coordinate_name(model, worst).text).text, tact_rounded((double)most, 2).text);
    }
    warn_open(&job->world, &job->tally);
    long long limited = job->tally.limited - job->tally.ambiguous;
    if (limited > 0) {
        // Steps that reached the iteration limit
        const tact_options *options = &job->world.scene->options;
        long long done = job->tally.done;
        bool strict = options->tolerance < TACT_REAL(4) * TACT_EPS;
        tact_say("run: warning: %lld of %lld steps did not converge within the iteration limit: %s (%s)", limited, done,
                 strict ? "options.tolerance is below rounding" : "raise options.max_iterations",
                 strict ? tact_key_print(options->tolerance).text : tact_number_print((double)options->max_iterations).text);
    }
    if (job->tally.ambiguous > 0)
        tact_say("run: warning: %lld of %lld steps have a second answer, with a force where this one has none",
                 job->tally.ambiguous, job->tally.done);
    int code = job->tally.failure < 0 || job->tally.limited > 0 ? TACT_EXIT_UNSOLVED : TACT_EXIT_DONE;
    if (job->tracing && !tact_guard_finish(&job->trace, &errors)) return tact_say_errors(&errors);
    code = print_summary(job, path && strcmp(path, "-") == 0, code);
    say_longer(job);
    if (!job->quiet)
        fprintf(stderr, "%.3g s, %.3g us a step\n", spent, 1e6 * spent / (double)(job->tally.done > 0 ? job->tally.done : 1));
    return code;
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0), *trace = tact_call_value(call, "--trace");
    run_job job = {.call = call,
                   .tracing = trace != NULL,
                   .quiet = tact_call_value(call, "--quiet") != NULL,
                   .json = tact_call_value(call, "--json") != NULL};
    if (!tact_call_integer(call, "--steps", 0, STEPS_MAX, STEPS, &job.tally.wanted)) return TACT_EXIT_USAGE;
    if (!tact_table_read_digits(call, &job.digits)) return TACT_EXIT_USAGE;
    // 0: the number of digits that suits each table
    if (!tact_call_value(call, "--digits")) job.digits = 0;
    long long threads = 1;
    if (!tact_call_integer(call, "--threads", 1, THREADS_MAX, 1, &threads)) return TACT_EXIT_USAGE;
    int code = tact_stage_open(call, path, &job.world);
    if (code == TACT_EXIT_DONE) code = tact_stage_check_start(call, &job.world);
    if (code != TACT_EXIT_DONE) return code;
    if (!job.world.scene->model.law->velocities)
        job.past = tact_memory_get(2 * (size_t)job.world.scene->model.nq * sizeof *job.past);
    if (!job.quiet && !job.json) tact_lifted_begin(&job.hold, &job.world);
    const tact_scene *scene = job.world.scene;
    if (scene->model.law->distant && scene->model.npair > PAIRS_MANY &&
        !(tact_margin(&scene->model, &scene->options) < MARGIN_LARGE))
        tact_say(
            "run: warning: %d contacts are in every step, near or far: with --set options.kappa=1e5 --set options.margin=0.01 "
            "only those within 1 cm are, where each bears 2 mN",
            scene->model.npair);
    bool slopes = tact_call_value(call, "--slopes") != NULL;
    tact_crew *crew = threads > 1 ? tact_crew_make() : NULL;
    if (crew) tact_work_share(&job.world.work, tact_crew_threads(crew, (int)threads));
    if (slopes && !job.world.scene->model.law->springs) {
        tact_say("run: error: --slopes is for the law virtual");
        code = TACT_EXIT_REFUSED;
    } else if (slopes && !tact_force_slopes_make(&job.slopes, &job.world)) {
        code = tact_say_no_memory("");
    } else {
        code = run_job_all(&job, trace);
        // shapes that overlap at the end: a step far beyond the margin may pass through a shape whose contact was not detected
        if (code == TACT_EXIT_DONE) {
            // Shapes that overlap at the end
            tact_world *world = &job.world;
            tact_sentence overlap =
                tact_overlap_explain(&world->scene->model, world->state.q, OVERLAP_LEAST, "end", &world->work);
            if (overlap.text[0]) tact_say("run: warning: %s", overlap.text);
        }
    }
    tact_memory_release(job.past);
    tact_lifted_free(&job.hold);
    tact_force_slopes_free(&job.slopes);
    tact_stage_close(&job.world);
    tact_crew_free(crew);
    return code;
}

static const tact_call_option options[] = {
    {"--steps", "N", "steps to make, 0 to 1e9 (default 100)"},
    TACT_STAGE_OPTIONS,
    {"--trace", "FILE", "record the run; - is standard output"},
    {"--slopes", NULL, "law virtual: \"slope\" in the trace, diagonal of dq+ by forces on dofs"},
    {"--threads", "N", "law barrier: threads that share the steps of hundreds of bodies, 1 to 256 (default 1)"},
    TACT_TABLE_OPTION,
    {"--json", NULL, "the result as one line of JSON instead of the table, with all bodies and contacts"},
    {"--quiet", NULL, "no table, no progress bar, no time"},
    {0}};

const tact_subcommand tact_run_command = {.name = "run",
                                          .operands = "SCENE",
                                          .summary = "Steps a scene.",
                                          .help = help,
                                          .options = options,
                                          .least = 1,
                                          .most = 1,
                                          .run = run};
