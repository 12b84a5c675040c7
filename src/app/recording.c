// SPDX-License-Identifier: MIT
#include "app/recording.h"

#include <errno.h>
#include <string.h>

enum { PEEK = 4096, LONG = 1000000 };  // LONG: steps that take a while

// Whether a file begins as a trace, which standard input is taken for. *code is set where the file cannot be read.
bool tact_recording_is_trace(const char *path, int *code) {
    char bytes[PEEK + 1];
    tact_errors errors = {0};
    size_t size = 0;
    if (strcmp(path, "-") == 0) return true;
    int file = tact_file_open(path, &errors);
    size_t length = strlen(path);
    if (file < 0 && errno == ENOENT && length > 6 && strcmp(path + length - 6, ".jsonl") == 0)
        tact_say("there is no such recorded run: tact run SCENE --trace %s makes one", path);
    for (ptrdiff_t got = 1; file >= 0 && got > 0 && size < PEEK;) {
        got = tact_file_read(file, path, bytes + size, PEEK - size, &errors);
        size += got > 0 ? (size_t)got : 0;
    }
    tact_file_close(file);
    bytes[size] = '\0';
    if (errors.errors > 0) *code = tact_say_errors(&errors);
    return strstr(bytes, "\"tact_trace\"") != NULL;
}

bool tact_recording_check_options(const tact_call *call) {
    // --step, of tact render, is of traces, too
    static const char *const idle[] = {"--set", "--law", "--steps"};
    for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++) {
        if (!tact_call_value(call, idle[i])) continue;
        tact_say_usage(call->command, "%s is of a scene: a recorded run stays as it is", idle[i]);
        return false;
    }
    return true;
}

const char *tact_recording_difference(const tact_scene *scene, const tact_trace_header *header) {
    const tact_model *model = &scene->model;
    for (int i = 0; i < model->nq && i < header->nq; i++)
        if (strcmp(header->coordinate[i], tact_coordinate_name(model, i).text) != 0) return "joints";
    if (header->nq != model->nq || header->nv != model->nv) return "coordinates";
    if (header->nu != model->nu) return "commands";
    if (header->npair != model->npair) return "pairs";
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &header->pair[i];
        if (strcmp(header->shape[pair->a], tact_shape_name(model, model->pair[i].a).text) != 0) return "pairs";
        if (strcmp(header->shape[pair->b], tact_shape_name(model, model->pair[i].b).text) != 0) return "pairs";
    }
    return header->dt != scene->options.dt ? "time step" : NULL;
}

static int open_trace(tact_recording *recording, const char *path) {
    recording->reader = tact_trace_reader_open(path, &recording->errors);
    if (!recording->reader) return tact_say_errors(&recording->errors);
    recording->header = &recording->reader->header;
    recording->json = tact_trace_reader_json(recording->reader, &recording->errors);
    return TACT_EXIT_DONE;
}

// The first line that a trace of the scene would have.
static int describe_scene(tact_recording *recording, const char *path) {
    const tact_model *model = &recording->world.scene->model;
    tact_trace_add_header(recording->world.scene, &recording->text);
    if (recording->text.failed)
        tact_file_refuse(path, ENOMEM, &recording->errors);
    else
        recording->open = tact_json_read(&recording->parsed, tact_text_source(&recording->text, path), &recording->errors);
    if (!recording->open) return tact_say_errors(&recording->errors);
    recording->json = &recording->parsed;
    recording->own = (tact_trace_header){.scene = model->names ? model->names->scene : "",
                                         .law = model->law->name,
                                         .dt = recording->world.scene->options.dt,
                                         .nq = model->nq,
                                         .nv = model->nv,
                                         .nu = model->nu,
                                         .nbody = model->nbody,
                                         .nshape = model->nshape,
                                         .npair = model->npair,
                                         .pair = model->pair};
    recording->header = &recording->own;
    return TACT_EXIT_DONE;
}

int tact_recording_open(tact_recording *recording, const tact_call *call, const char *path, long long steps) {
    *recording = (tact_recording){.call = call, .steps = steps};
    int code = TACT_EXIT_DONE;
    bool trace = tact_recording_is_trace(path, &code);
    if (code == TACT_EXIT_DONE && trace) {
        code = open_trace(recording, path);
    } else if (code == TACT_EXIT_DONE) {
        code = tact_stage_open(call, path, &recording->world);
        if (code == TACT_EXIT_DONE) code = tact_stage_check_start(call, &recording->world);
        if (code == TACT_EXIT_DONE) code = describe_scene(recording, path);
        // a bar where there is a terminal, and a word elsewhere
        tact_progress_begin(&recording->progress, steps, true);
        if (code == TACT_EXIT_DONE && steps >= LONG && !recording->progress.shown)
            tact_say("%s: warning: %lld steps are made before there is a picture", call->command->name, steps);
    }
    if (code != TACT_EXIT_DONE) tact_recording_close(recording);
    return code;
}

// Copies the contacts of the last step into the recording's step. False without memory.
static bool copy_contacts(tact_recording *recording) {
    const tact_contacts *found = &recording->world.work.contacts;
    // before the first step and after a refused one there are none
    bool any = recording->made > 0 && recording->world.work.status != TACT_BAD_INPUT;
    int count = any ? found->count : 0;
    // the list grows with the largest step
    if (count > recording->room) {
        tact_memory_release(recording->contact);
        recording->contact = tact_memory_get((size_t)count * sizeof *recording->contact);
        recording->room = recording->contact ? count : 0;
        if (!recording->contact) return false;
    }
    for (int i = 0; i < count; i++) {
        const tact_contact *from = &found->contact[i];
        tact_trace_contact *to = &recording->contact[i];
        *to = (tact_trace_contact){.pair = from->pair,
                                   .gap = from->gap,
                                   .point = from->point,
                                   .normal = tact_vec3_make(from->frame.m[0][0], from->frame.m[0][1], from->frame.m[0][2]),
                                   .frame = from->frame,
                                   .force = from->force,
                                   .degenerate = from->degenerate};
        for (int k = 0; k < 3; k++) to->lambda[k] = from->lambda[k];
    }
    recording->step.ncontact = count;
    recording->step.contact = recording->contact;
    return true;
}

bool tact_recording_next(tact_recording *recording, int *code) {
    tact_errors errors = {0};
    if (!recording->reader) {
        // One step of the scene; a step without an answer is the last.
        tact_world *world = &recording->world;
        const tact_status before = recording->step.status;
        bool first = recording->step.q == NULL;
        if (!first && (before < 0 || recording->made >= recording->steps)) {
            tact_progress_end(&recording->progress);
            return false;
        }
        // step 0 is the start
        if (first)
            tact_world_command(world);
        else
            tact_world_step(world);
        recording->made += !first;
        tact_progress_show(&recording->progress, recording->made);
        recording->step.step = (int)recording->made;
        recording->step.time = world->state.time;
        recording->step.q = world->state.q;
        recording->step.v = world->state.v;
        recording->step.u = world->u;
        recording->step.status = first ? TACT_CONVERGED : world->work.status;
        recording->step.iterations = first ? 0 : world->work.iterations;
        // the first step that did not converge is reported
        if (recording->step.status < 0 || (recording->step.status != TACT_CONVERGED && *code == TACT_EXIT_DONE))
            tact_stage_say_step(recording->call, world, recording->made);
        if (recording->step.status != TACT_CONVERGED) *code = TACT_EXIT_UNSOLVED;
        if (copy_contacts(recording)) return true;
        *code = tact_say_no_memory("");
        return false;
    }
    int got = tact_trace_reader_next(recording->reader, &errors);
    if (got < 0) *code = tact_say_errors(&errors);
    if (got > 0) recording->step = recording->reader->step;
    return got > 0;
}

void tact_recording_close(tact_recording *recording) {
    if (recording->reader) tact_trace_close(recording->reader);
    if (recording->open) tact_json_free(&recording->parsed);
    tact_text_free(&recording->text);
    tact_memory_release(recording->contact);
    tact_stage_close(&recording->world);
    *recording = (tact_recording){0};
}
