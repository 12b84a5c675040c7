// SPDX-License-Identifier: MIT
// tact bench: how fast this machine steps a scene. A sample is one pass over all states, timed as a whole and divided by
// their number.
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

#include "app/bench_parts.h"
#include "app/mpc_loop.h"

#define LESSON "data/scenes/lesson.json"

enum { STATES = 16, STATES_MAX = 4096, SAMPLES = 200, RUN = 10 };

static const char help[] =
    "Without SCENE " LESSON " is taken, and if that is not there, a hand with five fingers over a ball. The states are those\n"
    "of the first 16 steps, or the ones in a trace of the same scene. A sample is a pass over all states, of which copies\n"
    "and commands are made before the clock runs; the table has the median, least and largest of the samples. A cold step\n"
    "starts without forces; a warm one is the step after it, from its forces, and one in a run comes after ten more;\n"
    "solve is the solver alone, from a cold start, divided by its iterations. Derivatives come after a step and count what\n"
    "they take beyond it. Under the virtual law a rollout is also timed without and with its adjoint pass.\n"
    "\n"
    "--mpc runs the controller of tact mpc on tasks with random goals, and prints how many it reaches and how far off it\n"
    "ends; an interrupt ends it with the table of what is done. Without the columns of ms equal seeds give equal tables.\n"
    "\n"
    "examples:\n"
    "  tact bench\n"
    "  tact bench --mpc --tasks cube-yaw --goals 20\n"
    "  tact bench --mpc --plant-mass 30 --noise-joint 0.02 --delay 0.02\n"
    "  tact bench --scaling\n"
    "  tact bench --lanes --samples 20\n"
    "  tact bench data/scenes/lift_hex.json\n"
    "  tact bench data/scenes/lesson.json --set options.margin=0.2 --steps data/golden/six_contacts.jsonl\n"
    "  tact run data/scenes/lesson.json --quiet --trace run.jsonl && tact bench data/scenes/lesson.json --steps run.jsonl\n";

typedef struct {
    tact_world world;
    int nstate;
    tact_state *state;    // (nstate)
    tact_state *next;     // (nstate) one step later: with forces to start from
    tact_state *later;    // (nstate) RUN steps after that
    tact_state *trial;    // (nstate) what is stepped while the clock runs ...
    tact_input *input;    // (nstate) ... and with which input
    tact_real *u;         // (nstate, nu) commands of the inputs
    tact_wrench *wrench;  // (nstate, nbody) and wrenches
    tact_deriv_work deriv;
    tact_jacobians matrix;
    tact_real *q_next, *q_bar, *u_bar;  // (nv), (nv), (nu) of the reverse form
    double *sample;                     // (samples) [s]
    int samples;
    bool json;  // rows as lines of JSON
    void *memory;
} bench_job;

// steps one state
typedef void bench_function(bench_job *job, const tact_state *state);

static void bench_kinematics(bench_job *job, const tact_state *state) {
    tact_kinematics_update(&job->world.work.kinematics, &job->world.scene->model, state->q);
}

static void bench_contacts(bench_job *job, const tact_state *state) {
    const tact_scene *scene = job->world.scene;
    tact_kinematics_update(&job->world.work.kinematics, &scene->model, state->q);
    tact_contacts_detect(&job->world.work.contacts, &scene->model, &job->world.work.kinematics,
                         tact_margin(&scene->model, &scene->options), NULL);
}

// microseconds, to the nanosecond
static void add_time(tact_table *table, double seconds) {
    tact_table_add(table, tact_number_print((double)(long long)(1e9 * seconds + 0.5) / 1e3).text);
}

void tact_bench_row(tact_table *table, const char *what, tact_bench_states states) {
    double median = tact_bench_median(states.sample, states.samples);
    tact_table_add(table, what);
    add_time(table, median);
    add_time(table, states.sample[0]);
    add_time(table, states.sample[states.samples - 1]);
}

static tact_bench_states warm_states(const bench_job *job) {
    return (tact_bench_states){
        .from = job->next, .count = job->nstate, .sample = job->sample, .samples = job->samples, .json = job->json};
}

static void add_samples(tact_table *table, const char *what, bench_job *job) {
    tact_bench_row(table, what, warm_states(job));
}

static void measure(bench_job *job, bench_function *one, tact_table *table, const char *what) {
    for (int i = -2; i < job->samples; i++) {
        double begin = tact_clock();
        for (int s = 0; s < job->nstate; s++) one(job, &job->state[s]);
        // the first two warm the caches
        if (i >= 0) job->sample[i] = (tact_clock() - begin) / job->nstate;
    }
    add_samples(table, what, job);
    tact_table_end_row(table);
}

static void measure_steps(bench_job *job, const tact_state *from, bool warm, tact_table *table, const char *what) {
    const tact_model *model = &job->world.scene->model;
    tact_work *work = &job->world.work;
    tact_options options = job->world.scene->options;
    long long iterations = 0;
    options.warm_start = warm;
    // two rounds fill the caches and are not counted
    for (int i = -2; i < job->samples; i++) {
        iterations = 0;
        // Copies of the states, and their inputs
        const tact_scene *scene = job->world.scene;
        for (int s = 0; s < job->nstate; s++) {
            tact_real *u = job->u + s * model->nu;
            tact_wrench *wrench = job->wrench + s * model->nbody;
            tact_state_copy(&job->trial[s], &from[s], model);
            tact_scene_command(scene, &from[s], u);
            job->input[s] = (tact_input){.u = u, .wrench = tact_scene_wrench(scene, &from[s], wrench) ? wrench : NULL};
        }
        double begin = tact_clock();
        for (int s = 0; s < job->nstate; s++) {
            tact_step(model, &options, &job->input[s], &job->trial[s], work);
            iterations += work->iterations;
        }
        if (i >= 0) job->sample[i] = (tact_clock() - begin) / job->nstate;
    }
    add_samples(table, what, job);
    long long hundredths = 100 * iterations / job->nstate;
    tact_table_add(table, tact_number_print((double)hundredths / 100).text);
    tact_table_end_row(table);
}

// The solver on the problem that a step leaves behind, of one state after the other.
static void measure_solver(bench_job *job, tact_table *table) {
    tact_work *work = &job->world.work;
    tact_barrier_options how = {.max_iterations = job->world.scene->options.max_iterations,
                                .tolerance = job->world.scene->options.tolerance};
    tact_barrier_solution solution = {.d = work->d, .lambda = work->lambda, .bound_lambda = work->bound_lambda};
    for (int i = -2; i < job->samples; i++) {
        double spent = 0;
        long long iterations = 0;
        for (int s = 0; s < job->nstate; s++) {
            // the step itself is not timed: it leaves its problem in the work
            tact_bench_step(&job->world, &job->state[s], false);
            double begin = tact_clock();
            for (int k = 0; k < 8; k++) {
                tact_barrier_solve(&work->problem, &how, &work->barrier, &solution);
                iterations += solution.iterations;
            }
            spent += tact_clock() - begin;
        }
        // time of one iteration
        if (i >= 0) job->sample[i] = iterations > 0 ? spent / (double)iterations : 0;
    }
    add_samples(table, "solve, per iteration", job);
    tact_table_end_row(table);
}

// Times the derivatives of a step, at one state after the other.
static void measure_derivatives(bench_job *job, tact_table *table, bool reverse) {
    const tact_model *model = &job->world.scene->model;
    const tact_options *options = &job->world.scene->options;
    tact_input input = {.u = job->world.u};
    // a seed without zeros
    for (int i = 0; i < model->nv; i++) job->q_next[i] = 1;
    for (int i = -2; i < job->samples; i++) {
        double spent = 0;
        for (int s = 0; s < job->nstate; s++) {
            tact_bench_step(&job->world, &job->state[s], false);
            if (tact_deriv_linearise(model, options, &input, &job->state[s], &job->world.work, &job->deriv) < 0) continue;
            double begin = tact_clock();
            for (int k = 0; k < 8 && reverse; k++)
                tact_deriv_pullback(model, &job->world.work, &job->deriv, (tact_deriv_seed){.q = job->q_next}, job->q_bar,
                                    job->u_bar);
            for (int k = 0; k < 8 && !reverse; k++) {
                tact_deriv_linearise(model, options, &input, &job->state[s], &job->world.work, &job->deriv);
                tact_deriv_matrices(model, &job->world.work, &job->deriv, &job->matrix);
            }
            spent += tact_clock() - begin;
        }
        if (i >= 0) job->sample[i] = spent / (8 * job->nstate);
    }
    add_samples(table, reverse ? "derivatives, a reverse product" : "derivatives, A, B, C and D", job);
    tact_table_end_row(table);
}

// Memory of the states, inputs, derivatives and samples; an arena without memory measures.
static void place_job(void *context, tact_arena *arena) {
    bench_job *job = context;
    const tact_model *model = &job->world.scene->model;
    size_t size = tact_state_size(model), nv = (size_t)model->nv, nu = (size_t)model->nu, rows = 3 * (size_t)model->npair;
    // the laws of velocities are measured without derivatives here
    if (!model->law->velocities) {
        size_t deriv_size = tact_deriv_size(model);
        void *deriv = tact_arena_take(arena, deriv_size, 1);
        if (deriv) tact_deriv_init(&job->deriv, model, deriv, deriv_size);
        job->matrix.A = tact_arena_take(arena, nv * nv, sizeof(tact_real));
        job->matrix.B = tact_arena_take(arena, nv * nu, sizeof(tact_real));
        job->matrix.C = tact_arena_take(arena, rows * nv, sizeof(tact_real));
        job->matrix.D = tact_arena_take(arena, rows * nu, sizeof(tact_real));
    }
    job->q_next = tact_arena_take(arena, nv, sizeof(tact_real));
    job->q_bar = tact_arena_take(arena, nv, sizeof(tact_real));
    job->u_bar = tact_arena_take(arena, nu, sizeof(tact_real));
    job->state = tact_arena_take(arena, (size_t)job->nstate, sizeof(tact_state));
    job->next = tact_arena_take(arena, (size_t)job->nstate, sizeof(tact_state));
    job->later = tact_arena_take(arena, (size_t)job->nstate, sizeof(tact_state));
    job->trial = tact_arena_take(arena, (size_t)job->nstate, sizeof(tact_state));
    job->input = tact_arena_take(arena, (size_t)job->nstate, sizeof(tact_input));
    job->u = tact_arena_take(arena, (size_t)job->nstate * nu, sizeof(tact_real));
    job->wrench = tact_arena_take(arena, (size_t)job->nstate * (size_t)model->nbody, sizeof(tact_wrench));
    job->sample = tact_arena_take(arena, (size_t)job->samples, sizeof(double));
    // states of the trace, one step later, two steps later, and to step from
    tact_state *const all[] = {job->state, job->next, job->later, job->trial};
    for (int s = 0; s < 4 * job->nstate; s++) {
        void *memory = tact_arena_take(arena, size, 1);
        if (memory) tact_state_init(&all[s / job->nstate][s % job->nstate], model, memory, size);
    }
}

static bool give_memory(bench_job *job) {
    job->memory = tact_memory_place(place_job, job);
    if (!job->memory) tact_say("error: out of memory");
    return job->memory != NULL;
}

// Copies the trace's states to the job, or counts them when it has no memory yet. The exit code.
static int read_states(bench_job *job, const char *path) {
    const tact_model *model = &job->world.scene->model;
    tact_errors errors = {0};
    tact_trace_reader *reader = tact_trace_reader_open(path, &errors);
    int count = 0;
    if (!reader) return tact_say_errors(&errors);
    const tact_trace_header *header = &reader->header;
    // the sizes must be those of the scene
    bool other = header->nq != model->nq || header->nv != model->nv || header->npair != model->npair;
    while (!other && count < STATES_MAX && tact_trace_reader_next(reader, &errors) == 1) {
        if (reader->step.status < 0) continue;
        if (job->memory && count < job->nstate) tact_trace_restore(&reader->step, model, &job->state[count]);
        count++;
    }
    tact_trace_close(reader);
    if (other) tact_say("bench: error: %s is the trace of another scene", path);
    if (!other && errors.errors == 0 && count == 0) tact_say("bench: error: %s holds no state", path);
    if (!job->memory) job->nstate = count;
    if (errors.errors > 0) return tact_say_errors(&errors);
    return other || count == 0 ? TACT_EXIT_REFUSED : TACT_EXIT_DONE;
}

static int prepare_states(bench_job *job, const char *trace) {
    if (!trace) {
        // States of the scene's own first steps
        job->nstate = STATES;
        if (!give_memory(job)) return TACT_EXIT_NO_MEMORY;
        for (int s = 0; s < STATES; s++) {
            tact_state_copy(&job->state[s], &job->world.state, &job->world.scene->model);
            if (tact_world_step(&job->world) < 0) {
                tact_say("bench: error: step %d: %s", s + 1, tact_status_name(job->world.work.status));
                return TACT_EXIT_UNSOLVED;
            }
        }
        return TACT_EXIT_DONE;
    }
    if (trace[strspn(trace, "0123456789")] == '\0' && strlen(trace) < 10 && access(trace, F_OK) != 0) {
        tact_say(
            "bench: error: --steps: takes the trace of a run, not a number (found %s): tact run SCENE --steps %s --trace FILE",
            trace, trace);
        return TACT_EXIT_USAGE;
    }
    int code = read_states(job, trace);
    if (code != TACT_EXIT_DONE) return code;
    return give_memory(job) ? read_states(job, trace) : TACT_EXIT_NO_MEMORY;
}

// Measures everything for one scene and prints the table. False without memory.
static bool print(bench_job *job, tact_text *out) {
    static const char *const heads[2][6] = {{"[us]", "median", "least", "largest", "iterations", NULL},
                                            {"row", "median [us]", "least [us]", "largest [us]", "iterations", NULL}};
    const tact_scene *scene = job->world.scene;
    tact_table table = {0};
    const char *name = scene->model.names->scene ? scene->model.names->scene : "scene";
    tact_text title = {0};
    tact_text_add_escaped(&title, name);
    tact_text_print(&title, ": %d dofs, %d pairs, %d states, %d", scene->model.nv, scene->model.npair, job->nstate, job->samples);
    tact_text_add(&title, sizeof(tact_real) == sizeof(float) ? " samples, single precision\n" : " samples, double precision\n");
    tact_table_add_all(&table, heads[job->json]);
    tact_table_end_row(&table);
    measure(job, bench_kinematics, &table, "kinematics");
    // under the virtual law contacts are found within the solver
    if (!scene->model.law->springs) measure(job, bench_contacts, &table, "kinematics and contacts");
    if (!scene->model.law->velocities) measure_solver(job, &table);
    measure_steps(job, job->state, false, &table, "step, cold");
    measure_steps(job, job->next, true, &table, "step, warm");
    measure_steps(job, job->later, true, &table, "step, warm, in a run");
    if (!scene->model.law->velocities) {
        measure_derivatives(job, &table, false);
        measure_derivatives(job, &table, true);
    }
    tact_text after = {0};
    bool soft = scene->model.law->springs;
    bool enough = !soft || tact_bench_virtual(&job->world, warm_states(job), &table, &after);
    if (job->json) {
        tact_table_print_json(&table, name, out);
    } else {
        tact_text_add(out, title.bytes ? title.bytes : "");
        tact_table_print(&table, out);
        tact_text_add(out, after.bytes ? after.bytes : "");
    }
    out->failed = out->failed || title.failed || after.failed;
    tact_text_free(&title);
    tact_text_free(&after);
    return enough;
}

// Every state once, for a counter of instructions in a function of this name.
static int count_once(bench_job *job, bool cold) {
    tact_text out = {0};
    for (int s = 0; s < job->nstate; s++) tact_bench_counted_step(&job->world, cold ? &job->state[s] : &job->next[s], !cold);
    tact_text_add_integer(&out, job->nstate);
    tact_text_add(&out, " steps\n");
    return tact_print_text(&out, TACT_EXIT_DONE);
}

static bool print_lanes(bench_job *job, tact_text *out) {
    tact_bench_states cold = {.from = job->state,
                              .count = job->nstate,
                              .sample = job->sample,
                              .samples = job->samples,
                              .json = job->json},
                      warm = cold;
    warm.from = job->next;
    return tact_bench_lanes(&job->world, cold, false, out) && tact_bench_lanes(&job->world, warm, true, out);
}

static int open_scene(const tact_call *call, tact_world *world) {
    const char *path = tact_call_operand(call, 0);
    struct stat status;
    if (path || stat(LESSON, &status) == 0) return tact_stage_open(call, path ? path : LESSON, world);
    tact_text text = {0};
    tact_bench_scene(5, 1, &text);
    tact_source source = tact_text_source(&text, "(own scene)");
    int code = tact_stage_parse(call, source, world);
    tact_text_free(&text);
    return code;
}

static int run(const tact_call *call) {
    bench_job job = {0};
    long long samples = 0;
    // Options that go with --mpc, or without
    static const char *const suite[] = {"--tasks",      "--goals",      "--seed",           "--plant",          "--plant-set",
                                        "--rate",       "--delay",      "--noise-joint",    "--noise-position", "--noise-angle",
                                        "--plant-mass", "--plant-size", "--plant-friction", "--push",           NULL},
                             *const speed[] = {"--law",     "--strict", "--steps", "--samples",
                                               "--scaling", "--lanes",  "--once",  NULL};
    bool mpc = tact_call_value(call, "--mpc") != NULL;
    if (mpc && tact_call_operand(call, 0)) {
        tact_say_usage(call->command, "--mpc has scenes of its own: it takes no SCENE");
        return TACT_EXIT_USAGE;
    }
    // an option of the other kind would do nothing
    for (const char *const *option = mpc ? speed : suite; *option; option++) {
        if (!tact_call_value(call, *option)) continue;
        tact_say_usage(call->command, mpc ? "%s: not with --mpc" : "%s: only with --mpc", *option);
        return TACT_EXIT_USAGE;
    }
    if (tact_call_value(call, "--mpc")) return tact_bench_mpc(call);
    if (!tact_call_integer(call, "--samples", 3, 1000000, SAMPLES, &samples)) return TACT_EXIT_USAGE;
    job.samples = (int)samples;
    job.json = tact_call_value(call, "--json") != NULL;
    const char *once = tact_call_value(call, "--once");
    bool cold = once && strcmp(once, "cold") == 0;
    if (once && !cold && strcmp(once, "warm") != 0) return tact_say_usage(call->command, "--once: cold or warm");
    if (tact_call_value(call, "--scaling")) return tact_bench_scaling(call, job.samples);
    const char *states = tact_call_value(call, "--steps");
    double number = 0;
    if (states && strlen(states) < 10 && tact_number_read_loose(states, strlen(states), &number) == TACT_NUMBER_READ &&
        !tact_file_same(states, states))
        return tact_say_usage(
            call->command, "--steps takes a trace, of tact run SCENE --trace FILE; how often to measure: --samples %s", states);
    int code = open_scene(call, &job.world);
    if (code != TACT_EXIT_DONE) return code;
    code = prepare_states(&job, states);
    // --once: one step for a program that counts instructions
    if (code == TACT_EXIT_DONE) {
        // Warm starts: the state after one step, and after the whole run
        int further = once ? 0 : RUN;
        const tact_model *model = &job.world.scene->model;
        for (int s = 0; s < job.nstate; s++) {
            tact_bench_step(&job.world, &job.state[s], false);
            tact_state_copy(&job.next[s], &job.world.state, model);
            tact_state_copy(&job.later[s], &job.world.state, model);
            for (int k = 0; k < further; k++) {
                tact_bench_step(&job.world, &job.later[s], true);
                tact_state_copy(&job.later[s], &job.world.state, model);
            }
        }
    }
    if (code == TACT_EXIT_DONE && once) {
        code = count_once(&job, cold);
    } else if (code == TACT_EXIT_DONE) {
        tact_text text = {0};
        bool enough = true;
        enough = tact_call_value(call, "--lanes") ? print_lanes(&job, &text) : print(&job, &text);
        if (!enough) tact_say("error: out of memory");
        code = tact_print_text(&text, enough ? TACT_EXIT_DONE : TACT_EXIT_NO_MEMORY);
    }
    tact_memory_release(job.memory);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {
    TACT_STAGE_OPTIONS,
    {"--steps", "TRACE", "take the states from a trace of the scene"},
    {"--samples", "N", "samples of each figure, 3 to 1e6 (default 200)"},
    {"--scaling", NULL, "how the time of a step grows: fingers, balls, piles, heaps"},
    {"--lanes", NULL, "steps per second of many scenes side by side"},
    {"--json", NULL, "a line of JSON for each row instead of tables"},
    {"--once", "KIND", "no times: one cold or warm step of each state, for a counter"},
    {"--mpc", NULL, "tasks of tact mpc instead, in a table beside published figures"},
    {"--tasks", "LIST", "those whose names begin with one of the words a,b (default: all)"},
    {"--goals", "N", "goals of each task; of an endless one at most, in each of 7 trials (default 100)"},
    {"--seed", "N", "of goals and noise (default 1)"},
    {"--plant", "LAW", "barrier, rigid (the default, with steps of at most 5 ms) or mujoco"},
    {"--plant-set", "PATH=VALUE", "change a value of the plant only; may be repeated"},
    TACT_LOOP_OPTIONS,
    {0}};

const tact_subcommand tact_bench_command = {.name = "bench",
                                            .operands = "[SCENE]",
                                            .summary = "Prints the speed of this machine.",
                                            .help = help,
                                            .options = options,
                                            .most = 1,
                                            .run = run};
