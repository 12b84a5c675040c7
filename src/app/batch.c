// SPDX-License-Identifier: MIT
// tact batch: many environments.
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/batch_manifest.h"
#include "app/batch_scene.h"
#include "app/ranks.h"
#include "app/stage.h"
#include "app/table.h"

enum { THREADS_MAX = 1024, SHARDS_MAX = 1000000 };

static const char help[] =
    "SPEC is a JSON file; a scene in its place is a batch without parameters. Environment i begins in the scene with the\n"
    "values that its parameters drew: they depend on the seed, i and the parameter only. A spec, of which all fields are below:\n"
    "  {\"tact_batch\": 1, \"scene\": \"lesson.json\", \"envs\": 1000, \"steps\": 100, \"seed\": 1,\n"
    "   \"parameters\": [{\"path\": \"bodies.0.mass\", \"uniform\": [0.3, 0.7]}, // or normal, log_uniform\n"
    "                  {\"path\": \"pairs.0.mu\", \"choice\": [0.3, 0.5]}],\n"
    "   \"command\": \"u.npy\",                  // or as in a scene; .npy: (steps, nu) or (envs, steps, nu)\n"
    "   \"record\": {\"final\": true, \"every\": 10, \"forces\": true, \"derivatives\": false}}\n"
    "\"scenes\": [..] names several; environment i steps number i mod their count. A path is one that --set takes: the keys of\n"
    "the scene's JSON and, in lists, numbers from 0 or names, of a pair those of its shapes (pairs.tip,ball.mu),\n"
    "with dots between (state.q.ball.2), or slashes (/state/q/ball/2).\n"
    "\n"
    "The results are arrays of NumPy in a folder: q, v (last states), path_q, path_v (of every so many steps, the initial one\n"
    "first), lambda, path_lambda (forces by pair: normal, tangent, tangent), A, B, C, D (of the last step: dx+/dx, dx+/du,\n"
    "dlambda/dx, dlambda/du; x is q, under the laws rigid and virtual q and v; kink: 1 they hold to one side), parameters,\n"
    "status (0 converged, > 0 usable, < 0 no answer: that environment ended), steps, iterations; and manifest.json, which\n"
    "says what they hold and appears when all is there. The same call goes on with what was broken off, and checks it: damaged\n"
    "chunks are computed again, other damage and builds with other bits are refused. The bytes do not depend on threads,\n"
    "shards, ranks or interruptions. Exit code 1 when an environment did not converge.\n"
    "\n"
    "examples:\n"
    "  tact batch data/scenes/lesson.json --envs 1000 --steps 100 --output lesson.batch\n"
    "  tact batch data/batch/grasp.json --threads 2\n"
    "  tact batch data/batch/grasp.json --env 17 --write-scene odd.json && tact run odd.json\n"
    "  tact batch data/batch/grasp.json --shard 3/8 --output part3     # then: tact merge all part*\n";

// what a call asks for
typedef struct {
    const tact_call *call;
    tact_batch_spec spec;
    tact_batch batch;
    tact_batch_source source;  // of commands
    tact_ranks *ranks;
    char output[4200];
    long long threads, lanes, shard, shards;
    bool quiet;
} batch_call;

// Reads --lanes, which must be a width that this machine has.
static bool read_lanes(batch_call *b) {
    int width[5], count = tact_lanes_widths(width), i = 0;
    char known[80] = "";
    size_t used = 0;
    if (!tact_call_integer(b->call, "--lanes", 0, 1024, 0, &b->lanes)) return false;
    for (; i < count && b->lanes != width[i]; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, i > 0 ? ", %d" : "%d", width[i]);
    if (b->lanes == 0 || i < count) return true;
    tact_say_usage(b->call->command, "--lanes: this machine has %s (found %lld)", known, b->lanes);
    return false;
}

// Reads --quiet, --output, --threads, --lanes and --shard, with what holds without them; false after a refusal.
static bool read_options(batch_call *b) {
    const tact_call *call = b->call;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long long usual = tact_ranks_count(b->ranks) > 1 ? 1
                      : processors < 1               ? 1
                      : processors > THREADS_MAX     ? THREADS_MAX
                                                     : processors;
    b->quiet = tact_call_value(call, "--quiet") != NULL;
    // without --output: NAME.batch in the present folder, for NAME.json anywhere
    const char *output = tact_call_value(call, "--output"), *path = tact_call_operand(call, 0);
    const char *end = strrchr(path, '/'), *name = end ? end + 1 : path, *dot = strrchr(name, '.');
    int size = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (output)
        snprintf(b->output, sizeof b->output, "%.4096s", output);
    else
        snprintf(b->output, sizeof b->output, "%.*s.batch", size < 4000 ? size : 4000, name);
    if (!b->output[0]) {
        tact_say_usage(call->command, "--output: must not be empty");
        return false;
    }
    if (!tact_call_integer(call, "--threads", 1, THREADS_MAX, usual, &b->threads) || !read_lanes(b)) return false;
    // --shard I/N: part I of N of the environments
    const char *word = tact_call_value(b->call, "--shard"), *slash = word ? strchr(word, '/') : NULL;
    double i = 0, n = 0;
    b->shards = 1;
    if (!word) return true;
    bool good = slash && tact_number_read(word, (size_t)(slash - word), &i) == TACT_NUMBER_READ &&
                tact_number_read(slash + 1, strlen(slash + 1), &n) == TACT_NUMBER_READ;
    if (!good || n < 1 || n > SHARDS_MAX || i < 0 || i >= n || i != (double)(long long)i || n != (double)(long long)n) {
        tact_say_usage(b->call->command, "--shard: must be I/N with 0 <= I < N (found %s)", tact_quote(word).text);
        return false;
    }
    b->shard = (long long)i;
    b->shards = (long long)n;
    return true;
}

static bool read_counts(batch_call *b) {
    const tact_call *call = b->call;
    tact_batch_spec *spec = &b->spec;
    return tact_call_integer(call, "--envs", 1, TACT_BATCH_ENVS_MAX, spec->envs, &spec->envs) &&
           tact_call_integer(call, "--steps", 1, TACT_BATCH_STEPS_MAX, spec->steps, &spec->steps) &&
           tact_call_integer(call, "--seed", 0, TACT_BATCH_SEED_MAX, spec->seed, &spec->seed);
}

// Warns of values of --set that have no effect, as a drawn parameter replaces them.
static void suspect_settings(const tact_batch *batch, const tact_scene_settings *settings, tact_errors *errors) {
    const tact_variant *variant = &batch->variant[0];
    tact_errors own = {0};
    tact_json json;
    if (!tact_json_read(&json, tact_text_source(&variant->text, variant->path), &own)) return;
    for (int i = 0; i < settings->nset; i++) {
        char path[400];
        snprintf(path, sizeof path, "%.*s", (int)strcspn(settings->set[i], "="), settings->set[i]);
        int node = tact_scene_find(&json, path);
        for (int k = 0; k < batch->spec->ndraw && node >= 0; k++)
            if (variant->span[k].at == json.nodes[node].at)
                tact_errors_add(errors, errors->strict ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING, (tact_place){.file = "--set"},
                                "%s does nothing: a parameter of the batch draws this value", tact_quote(path).text);
    }
    tact_json_free(&json);
}

// Reads the spec and the counts, opens the scenes and the source of commands; reports what is wrong. Returns the exit code.
static int open_batch(batch_call *b) {
    tact_errors errors = tact_stage_errors(b->call);
    tact_scene_settings settings;
    const char **set = NULL;
    bool good = tact_batch_spec_read(&b->spec, tact_call_operand(b->call, 0), &errors);
    if (good && !read_counts(b)) return TACT_EXIT_USAGE;
    good = good && tact_stage_settings(b->call, &settings, &set, &errors);
    good = good && tact_batch_open(&b->batch, &b->spec, &settings, &errors);
    if (good) suspect_settings(&b->batch, &settings, &errors);
    good = good && errors.errors == 0;
    b->batch.lanes = (int)b->lanes;
    good = good && tact_batch_source_open(&b->source, &b->batch, &errors);
    tact_memory_release(set);
    int code = tact_say_errors(&errors);
    return good ? TACT_EXIT_DONE : code;
}

// Prints how many environments ended with each status, unless --quiet. The exit code is 0 only where all of them converged.
static int print_summary(const batch_call *b, const tact_store *store, const tact_store_tally *tally) {
    tact_text text = {0};
    tact_table table = {0};
    int code = tally->count[TACT_CONVERGED + 110] == store->plan.rows ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED;
    if (b->quiet) return code;
    tact_text_add_escaped(&text, b->output);
    tact_text_print(&text, ": %lld environments, %lld steps\n", store->plan.rows, b->spec.steps);
    for (int i = 0; i < 128; i++) {
        if (tally->count[i] == 0) continue;
        tact_table_add(&table, tact_manifest_status_name(i - 110));
        tact_table_add_integer(&table, tally->count[i]);
        tact_table_end_row(&table);
    }
    tact_table_print(&table, &text);
    if (tally->count[TACT_BAD_INPUT + 110] > 0)
        tact_say(
            "batch: warning: bad_input: a draw or a command out of range; --env I --write-scene FILE writes the scene of one");
    return tact_print_text(&text, code);
}

// Writes the manifest and the archive, once all chunks are written.
static int finish(batch_call *b, tact_store *store, long long first, const char *digest) {
    tact_errors errors = {0};
    tact_store_tally tally;
    tact_text manifest = {0};
    const char *archive = tact_call_value(b->call, "--npz") ? "arrays.npz" : NULL;
    bool good = tact_store_count(store, &tally, &errors);
    if (!good) return tact_say_errors(&errors);
    if (store->finished && !archive) return print_summary(b, store, &tally);
    good = tact_manifest_add_head(&b->batch, digest, &manifest, &errors);
    tact_manifest_add_rows(store, first, &tally, &manifest);
    if (manifest.failed) tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = b->output}, "out of memory");
    if (good && !manifest.failed) tact_store_finish(store, archive, &manifest, &errors);
    tact_text_free(&manifest);
    int code = tact_say_errors(&errors);
    return code != TACT_EXIT_DONE ? code : print_summary(b, store, &tally);
}

// Computes this call's shard into its store, as far as it is not there already, and finishes it. Returns the exit code.
static int fill(batch_call *b, tact_digest_text digest) {
    tact_batch *batch = &b->batch;
    tact_errors errors = {0};
    tact_store store;
    // shard i of n takes the chunks from i/n to (i + 1)/n of all
    long long low = batch->chunks * b->shard / b->shards, high = batch->chunks * (b->shard + 1) / b->shards;
    long long first = low * batch->chunk, last = high * batch->chunk;
    if (last > b->spec.envs) last = b->spec.envs;
    if (b->spec.every > b->spec.steps)
        tact_say("batch: warning: /record/every is %lld of %lld steps: the first states alone are recorded", b->spec.every,
                 b->spec.steps);
    if (b->spec.ndraw == 0 && b->spec.nscene <= 1 && b->spec.envs > 1 && !b->source.each && !b->quiet)
        tact_say("batch: all %lld environments are alike: \"parameters\" of a spec make them differ (see: tact help batch)",
                 b->spec.envs);
    // shards are of whole chunks
    if (last <= first)
        tact_say("batch: warning: shard %lld has no environment: shards are of whole chunks of %d environments, of which there "
                 "are %lld: --shard I/%lld at most",
                 b->shard, batch->chunk, batch->chunks, batch->chunks);
    tact_store_plan plan = {.path = b->output,
                            .digest = digest,
                            .bits = batch->bits,
                            .narray = batch->narray,
                            .array = batch->array,
                            .rows = last - first,
                            .chunk = batch->chunk};
    tact_store_open(&store, &plan, &errors);
    int code = tact_say_errors(&errors);
    // chunks whose checksum does not match are made again
    if (store.damaged > 0)
        tact_say("batch: %s: %lld chunks are damaged and computed again", tact_quote(b->output).text, store.damaged);
    tact_batch_job job = {.batch = batch, .store = &store, .first = low, .threads = (int)b->threads, .quiet = b->quiet};
    if (code == TACT_EXIT_DONE && store.finished && !b->quiet) tact_say("batch: %s: was complete", tact_quote(b->output).text);
    if (code == TACT_EXIT_DONE && store.resumed && !b->quiet)
        tact_say("batch: %s: goes on, %lld of %lld chunks are there", tact_quote(b->output).text, store.kept, store.chunks);
    if (code == TACT_EXIT_DONE && !store.finished && store.kept < store.chunks) code = tact_batch_job_run(&job);
    if (code == TACT_EXIT_DONE) code = finish(b, &store, first, digest.text);
    // Seconds, steps per second and seconds of processor time
    if (!b->quiet && job.steps != 0) {
        fprintf(stderr, "%.3g s, %.4g steps/s, %lld threads", job.seconds,
                (double)job.steps / (job.seconds > 0 ? job.seconds : 1), b->threads);
        if (tact_ranks_count(b->ranks) > 1) fprintf(stderr, ", %d ranks", tact_ranks_count(b->ranks));
        fprintf(stderr, ", %.3g s of processor%s\n", job.processor, tact_ranks_count(b->ranks) > 1 ? " in rank 0" : "");
    }
    tact_store_close(&store);
    return code;
}

static int run_ranks(batch_call *b) {
    tact_digest_text digest = {""};
    bool first = tact_ranks_rank(b->ranks) == 0;
    int code = open_batch(b);
    if (code == TACT_EXIT_DONE) {
        // All that results depend on.
        tact_errors errors = {0};
        tact_digest sum;
        tact_digest_begin(&sum);
        if (tact_batch_digest(&b->batch, &sum, &errors)) tact_batch_source_digest(&b->source, &sum, &errors);
        digest = tact_digest_end(&sum);
        code = tact_say_errors(&errors);
    }
    code = tact_ranks_agree(b->ranks, code, digest.text);
    if (code != TACT_EXIT_DONE) return code;
    if (!first) return tact_ranks_work(b->ranks, &b->batch, (int)b->threads);
    code = fill(b, digest);
    tact_ranks_dismiss(b->ranks);
    return code;
}

static int write_scene(batch_call *b) {
    long long environment = 0;
    const char *path = tact_call_value(b->call, "--write-scene");
    if (!tact_call_value(b->call, "--env") || !path)
        return tact_say_usage(b->call->command, "--env and --write-scene go together");
    int code = open_batch(b);
    if (code != TACT_EXIT_DONE) return code;
    if (!tact_call_integer(b->call, "--env", 0, b->spec.envs - 1, 0, &environment)) return TACT_EXIT_USAGE;
    return tact_batch_write_scene(&b->batch, environment, path);
}

static int run(const tact_call *call) {
    batch_call b = {.call = call, .source = {.npy = {.file = -1}}};
    int code = TACT_EXIT_USAGE;
    b.ranks = tact_ranks_begin();
    if (read_options(&b)) {
        bool scene = tact_call_value(call, "--env") || tact_call_value(call, "--write-scene");
        code = scene ? write_scene(&b) : run_ranks(&b);
    }
    if (b.batch.spec) tact_batch_free(&b.batch);
    tact_batch_source_close(&b.source);
    tact_batch_spec_free(&b.spec);
    tact_ranks_end(b.ranks);
    return code;
}

static const tact_call_option options[] = {{"--envs", "N", "environments, 1 to 1e12, instead of the spec's"},
                                           {"--steps", "N", "steps of each, 1 to 1e9, instead of the spec's"},
                                           {"--seed", "N", "of the parameters, instead of the spec's"},
                                           {"--output", "FOLDER", "where the results go (default NAME.batch)"},
                                           {"--threads", "N", "1 to 1024 (default: as many as processors)"},
                                           {"--lanes", "N", "scenes in a vector register (default: as many as fit)"},
                                           {"--shard", "I/N", "only this part of the environments; see tact help merge"},
                                           {"--npz", NULL, "all arrays also in one file, arrays.npz"},
                                           {"--env", "I", "with --write-scene: which environment"},
                                           {"--write-scene", "FILE", "write the scene of an environment; nothing is stepped"},
                                           TACT_STAGE_OPTIONS,
                                           {"--quiet", NULL, "no summary, no progress bar, no rate"},
                                           {0}};

const tact_subcommand tact_batch_command = {.name = "batch",
                                            .operands = "SPEC|SCENE",
                                            .summary = "Steps many environments.",
                                            .help = help,
                                            .fields = tact_batch_spec_help,
                                            .options = options,
                                            .least = 1,
                                            .most = 1,
                                            .run = run};
