// SPDX-License-Identifier: MIT
// tact export: a recorded run as MCAP, for Foxglove, Rerun and what else reads it.
#include <math.h>
#include <string.h>

#include "app/recording.h"

static const char help[] =
    "TRACE is what `tact run --trace` writes (- is standard input). The MCAP file holds, for each state of it,\n"
    "  /tf        foxglove.FrameTransforms  the pose of each body in the frame \"world\"\n"
    "  /contacts  foxglove.SceneUpdate      an arrow for the force of each contact on its shape b\n"
    "  /state     tact.State, JSON          q, v, u by name, normal forces by pair: for plots\n"
    "and once /scene, foxglove.SceneUpdate, the shapes in their bodies' frames. All but /state are Protocol Buffers. Chunks are\n"
    "not compressed. Meshes that robot files name are not in a trace; robots are drawn by their shapes and links.\n"
    "\n"
    "examples:\n"
    "  tact run data/scenes/hand_lift.json --steps 500 --trace run.jsonl\n"
    "  tact export run.jsonl -o run.mcap\n";

// what /state is, for tools that want to know beforehand
static const char state_schema[] =
    "{\"title\":\"tact.State\",\"type\":\"object\",\"properties\":{\"step\":{\"type\":\"integer\"},\"status\":{\"type\":"
    "\"string\"},"
    "\"iterations\":{\"type\":\"integer\"},\"q\":{\"type\":\"object\"},\"v\":{\"type\":\"object\"},\"u\":{\"type\":\"object\"},"
    "\"force\":{\"type\":\"object\"}}}";

// the end of year 9999, behind which protobuf's time stamps do not go [s]
#define LATEST 253402300799.0

enum { CHANNEL_TF, CHANNEL_CONTACTS, CHANNEL_STATE, CHANNEL_SCENE };

typedef struct {
    tact_recording recording;
    tact_picture picture;
    tact_mcap mcap;
    double newton;  // length of an arrow of 1 N [m]
    double reach;   // how far planes are drawn [m]
    bool late;      // a time was too large
} export_job;

static void add_values(tact_text *out, const char *key, const char *const *name, const tact_real *value, int count) {
    tact_text_add(out, key);
    for (int i = 0; i < count; i++) {
        if (i > 0) tact_text_add(out, ",");
        tact_text_print(out, "%s:%g", name[i], (double)value[i]);
    }
    tact_text_add(out, "}");
}

static void add_step(export_job *job, const tact_trace_step *step, bool first) {
    const tact_trace_header *header = job->recording.header;
    double seconds = step->time > 0 ? fmin((double)step->time, LATEST) : 0;
    uint64_t time = (uint64_t)(seconds * 1e9 + 0.5);
    if (time < job->mcap.last) time = job->mcap.last;  // of runs that were put together
    tact_picture_move(&job->picture, step->q);
    if (first) {
        // Sizes of what has none of its own: planes reach twice as far as what moves at the start; the weight of all that no
        // robot is makes an arrow of a tenth of that.
        const tact_picture *picture = &job->picture;
        tact_extent extent = {0};
        double mass = 0;
        tact_extent_add(&extent, picture, step);
        tact_vec3 size = tact_vec3_sub(extent.high, extent.low);
        double span = sqrt((double)tact_vec3_dot(size, size));
        for (int b = 0; b < picture->model.nbody; b++)
            if (!picture->robot[b]) mass += (double)picture->model.body[b].mass;
        double weight = mass * sqrt((double)tact_vec3_dot(picture->gravity, picture->gravity));
        job->reach = span > 0 ? 2 * span : 1;
        job->newton = weight > 0 ? 0.05 * job->reach / weight : 0.01;
        tact_foxglove_add_shapes(&job->picture, header, job->reach, time,
                                 tact_mcap_message_begin(&job->mcap, CHANNEL_SCENE, time));
        tact_mcap_message_end(&job->mcap);
    }
    tact_foxglove_add_transforms(&job->picture, header, time, tact_mcap_message_begin(&job->mcap, CHANNEL_TF, time));
    tact_mcap_message_end(&job->mcap);
    tact_foxglove_add_contacts(header, step, job->newton, time, tact_mcap_message_begin(&job->mcap, CHANNEL_CONTACTS, time));
    tact_mcap_message_end(&job->mcap);
    // The step as JSON: coordinates, velocities, commands, forces
    tact_text *out = tact_mcap_message_begin(&job->mcap, CHANNEL_STATE, time);
    tact_text_print(out, "{\"step\":%d,\"status\":%s,\"iterations\":%d", step->step, tact_status_name(step->status),
                    step->iterations);
    add_values(out, ",\"q\":{", header->coordinate, step->q, header->nq);
    add_values(out, ",\"v\":{", header->dof, step->v, header->nv);
    add_values(out, ",\"u\":{", header->command, step->u, header->nu);
    // Normal forces of pairs, those of a pair's contacts added up; contacts of a pair stand together.
    tact_text_add(out, ",\"force\":{");
    for (int i = 0, next = 0; i < step->ncontact; i = next) {
        const tact_pair *pair = &header->pair[step->contact[i].pair];
        tact_text name = {0};
        double sum = 0;
        // the contacts of this pair
        for (next = i; next < step->ncontact && step->contact[next].pair == step->contact[i].pair; next++)
            sum += (double)step->contact[next].lambda[0];
        tact_text_print(&name, "%-s / %-s", header->shape[pair->a], header->shape[pair->b]);
        if (i > 0) tact_text_add(out, ",");
        tact_text_print(out, "%s:%g", name.failed ? "" : name.bytes, sum);
        out->failed = out->failed || name.failed;
        tact_text_free(&name);
    }
    tact_text_add(out, "}}");
    tact_mcap_message_end(&job->mcap);
}

// Adds all steps of the recording and ends the file. Returns the exit code.
static int write_steps(export_job *job) {
    int code = TACT_EXIT_DONE;
    long long steps = 0;
    while (tact_recording_next(&job->recording, &code)) {
        // MCAP counts nanoseconds in 64 bits
        if ((double)job->recording.step.time > LATEST && !job->late)
            tact_say("export: warning: times after year 9999 are written as its end (step %d)", job->recording.step.step);
        job->late = job->late || (double)job->recording.step.time > LATEST;
        add_step(job, &job->recording.step, steps++ == 0);
    }
    if (code != TACT_EXIT_DONE && code != TACT_EXIT_UNSOLVED) return code;
    if (steps == 0) {
        tact_say("export: error: the trace has no steps");
        return TACT_EXIT_REFUSED;
    }
    if (tact_mcap_end(&job->mcap)) return code;
    return tact_say_no_memory("");
}

static int export_run(export_job *job, const char *path) {
    tact_output output;
    tact_errors errors = {0};
    if (!tact_picture_read(&job->picture, job->recording.json)) return tact_say_errors(&job->recording.errors);
    if (!tact_guard_open(&output, path, &errors)) return tact_say_errors(&errors);
    tact_mcap_begin(&job->mcap, &output);
    // Channels: transforms, contacts, state and scene, with their schemas
    tact_mcap *mcap = &job->mcap;
    tact_text definition = {0};
    tact_foxglove_describe(&definition);
    tact_mcap_add_channel(mcap, "/tf", "protobuf", "foxglove.FrameTransforms", "protobuf", definition.bytes, definition.size);
    tact_mcap_add_channel(mcap, "/contacts", "protobuf", "foxglove.SceneUpdate", "protobuf", definition.bytes, definition.size);
    tact_mcap_add_channel(mcap, "/state", "json", "tact.State", "jsonschema", state_schema, sizeof state_schema - 1);
    tact_mcap_add_channel(mcap, "/scene", "protobuf", "foxglove.SceneUpdate", "protobuf", definition.bytes, definition.size);
    mcap->failed = mcap->failed || definition.failed;
    tact_text_free(&definition);
    int code = write_steps(job);
    if (code != TACT_EXIT_DONE && code != TACT_EXIT_UNSOLVED) {
        tact_guard_abandon(&output);
    } else if (!tact_guard_finish(&output, &errors)) {
        code = tact_say_errors(&errors);
    }
    return code;
}

// Writes a recorded run as MCAP to the file of -o. Anything but a trace is refused.
static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0), *to = tact_call_value(call, "-o");
    export_job job = {0};
    int code = TACT_EXIT_DONE;
    if (!to) return tact_say_usage(call->command, "-o FILE is missing");
    bool trace = tact_recording_is_trace(path, &code);
    if (code != TACT_EXIT_DONE) return code;
    if (!trace) {
        tact_say("export: error: %s is not a trace: tact run SCENE --trace FILE writes one", tact_quote(path).text);
        return TACT_EXIT_REFUSED;
    }
    code = tact_recording_open(&job.recording, call, path, 0);
    if (code == TACT_EXIT_DONE) {
        code = export_run(&job, to);
        tact_mcap_close(&job.mcap);
        tact_picture_free(&job.picture);
        tact_recording_close(&job.recording);
    }
    return code;
}

static const tact_call_option options[] = {{"-o", "FILE", "the MCAP file; - is standard output"}, {0}};

const tact_subcommand tact_export_command = {.name = "export",
                                             .operands = "TRACE",
                                             .summary = "Writes a run as MCAP, for Foxglove and Rerun.",
                                             .help = help,
                                             .options = options,
                                             .least = 1,
                                             .most = 1,
                                             .run = run};
