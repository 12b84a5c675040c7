// SPDX-License-Identifier: MIT
// tact render: a picture of a scene, or of one step of a run, or a moving picture of the run, as SVG.
#include <stdio.h>
#include <string.h>

#include "app/plot.h"

enum { STEPS_MAX = 1000000000, FRAMES = 40, FRAMES_MAX = 400 };

static const char help[] =
    "TRACE is a recorded run (- is standard input), SCENE a scene, which is stepped as far as --step says. A trace without\n"
    "--step is drawn at its last step, a scene at its first. The forces are those that the solver found in the step that\n"
    "led there; arrows are on b. Scenes whose motion is in one plane are seen along its normal, others from --azimuth and\n"
    "--elevation.\n"
    "\n"
    "--animate draws the whole run (of a scene: --step steps, 100 without it) in at most --frames pictures that follow each\n"
    "other in the time of the run, over and over, without any script. The file appears when it is whole.\n"
    "\n"
    "examples:\n"
    "  tact render data/scenes/lesson.json -o hand.svg\n"
    "  tact render data/scenes/hand_lift.json --step 300 --azimuth -30 -o grasp.svg\n"
    "  tact render run.jsonl --animate -o run.svg\n"
    "  tact render data/scenes/lift_roll_hex.json --contacts --set options.manifold=stein --set options.spread=0.1\n";

// A state that is kept, with its contacts behind it in the same memory.
typedef struct {
    tact_trace_step step;
    void *memory;
} frame;

typedef struct {
    const tact_call *call;
    tact_recording recording;
    tact_picture picture;
    tact_extent extent;
    tact_drawing drawing;
    frame *frame;  // (room)
    int count, room;
    long long seen, every;
    bool animate, contacts, failed;
    double duration;  // [s]
    tact_viewpoint from;
} render_job;

static size_t place_frame(const render_job *job, const tact_trace_step *from, void *memory, tact_trace_step *to) {
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    size_t nq = (size_t)job->recording.header->nq, count = (size_t)from->ncontact;
    tact_real *q = tact_arena_take(&arena, nq, sizeof *q);
    tact_trace_contact *contact = tact_arena_take(&arena, count, sizeof *contact);
    if (!memory) return arena.used;
    *to = *from;
    to->q = memcpy(q, from->q, nq * sizeof *q);
    if (count > 0) memcpy(contact, from->contact, count * sizeof *contact);
    to->contact = contact;
    return arena.used;
}

static void drop_frame(frame *one) {
    tact_memory_release(one->memory);
    *one = (frame){0};
}

// Keeps a frame; drops every second one when there are too many.
static void keep(render_job *job, const tact_trace_step *step) {
    // full: every second frame goes, and from here on twice as many are passed over
    if (job->count == job->room && job->room > 1) {
        for (int i = 0; i < job->room; i++) {
            frame one = job->frame[i];
            job->frame[i] = (frame){0};
            if (i % 2 == 0)
                job->frame[i / 2] = one;
            else
                drop_frame(&one);
        }
        job->count = (job->room + 1) / 2;
        job->every *= 2;
    }
    if (job->seen++ % job->every != 0) return;
    frame *to = &job->frame[job->room == 1 ? 0 : job->count];
    drop_frame(to);
    to->memory = tact_memory_get(place_frame(job, step, NULL, NULL));
    job->failed = job->failed || !to->memory;
    if (!to->memory) return;
    place_frame(job, step, to->memory, &to->step);
    if (job->room > 1 || job->count == 0) job->count++;
}

// Reads up to the step that is wanted, or all of them.
static int read_frames(render_job *job, long long wanted) {
    int code = TACT_EXIT_DONE;
    long long last = -1;
    while ((wanted < 0 || last < wanted) && tact_recording_next(&job->recording, &code)) {
        const tact_trace_step *step = &job->recording.step;
        last = step->step;
        keep(job, step);
    }
    if (job->failed) return tact_say_no_memory("");
    if (code != TACT_EXIT_DONE && code != TACT_EXIT_UNSOLVED) return code;
    // a step that the run does not reach
    if (job->count == 0 || (wanted >= 0 && last < wanted && !job->animate)) {
        if (last < 0)
            tact_say("render: error: the trace has no steps");
        else
            tact_say("render: error: the run ends at step %lld", last);
        return TACT_EXIT_REFUSED;
    }
    return code;
}

static bool draw_frames(render_job *job, tact_text *out) {
    for (int i = 0; i < job->count; i++) {
        const tact_trace_step *step = &job->frame[i].step;
        if (job->count > 1) tact_text_add(out, i == 0 ? "<g>" : "<g display=\"none\">");
        if (job->count > 1) {
            // Shows a group of the picture from one part of the time to another.
            char text[300];
            tact_decimal begin = tact_decimal_print(100000LL * i / job->count, -5),
                         end = tact_decimal_print(100000LL * (i + 1) / job->count, -5),
                         time = tact_decimal_print((long long)(job->duration * 1000 + 0.5), -3);
            bool first = i == 0, last = i == job->count - 1;
            snprintf(text, sizeof text,
                     "<animate attributeName=\"display\" calcMode=\"discrete\" dur=\"%ss\" repeatCount=\"indefinite\" ",
                     time.text);
            tact_text_add(out, text);
            snprintf(text, sizeof text, "values=\"%s%s%s\" keyTimes=\"%s%s%s%s\"/>\n", first ? "" : "none;", "inline",
                     last ? "" : ";none", first ? "0" : "0;", first ? "" : begin.text, last ? "" : ";", last ? "" : end.text);
            tact_text_add(out, text);
        }
        tact_picture_move(&job->picture, step->q);
        if (!tact_draw_frame(&job->drawing, step, out)) return false;
        if (job->contacts && !tact_render_contacts(&job->recording.world, &job->drawing, out)) return false;
        // Caption: time, step, and status where it did not converge
        char line[200];
        snprintf(line, sizeof line, "t = %.4g s, step %d%s%s", (double)step->time, step->step,
                 step->status == TACT_CONVERGED ? "" : ", ",
                 step->status == TACT_CONVERGED ? "" : tact_status_name(step->status));
        for (char *c = line; *c; c++)
            if (*c == ',' && c[1] >= '0' && c[1] <= '9') *c = '.';
        tact_svg_label(out, "small soft", "end", job->drawing.width - 20, 24, line);
        if (job->count > 1) tact_text_add(out, "</g>\n");
    }
    return true;
}

// Draws all frames that were read as one SVG.
static void draw(render_job *job, tact_text *out) {
    char title[600];
    const tact_trace_header *header = job->recording.header;
    const tact_trace_step *last = &job->frame[job->count - 1].step;
    const char *scene = header->scene && header->scene[0] ? header->scene : "scene";
    snprintf(title, sizeof title, "%.400s, law %.100s", scene, header->law ? header->law : "");
    // Extent of all frames, so that the view stands still
    for (int i = 0; i < job->count; i++) {
        tact_picture_move(&job->picture, job->frame[i].step.q);
        tact_extent_add(&job->extent, &job->picture, &job->frame[i].step);
    }
    tact_draw_begin(&job->drawing, &job->picture, &job->extent, job->from);
    for (int i = 0; i < job->count; i++) tact_draw_fit_forces(&job->drawing, &job->frame[i].step);
    double span = (double)(last->time - job->frame[0].step.time);
    // the last picture stays as long as the others
    job->duration = job->count > 1 && span > 0 ? span * job->count / (job->count - 1) : 1;
    tact_svg_begin(out, job->from.width, job->from.height, title,
                   job->count > 1 ? "The run, over and over. Arrows are contact forces." : "Arrows are contact forces.");
    tact_draw_definitions(out);
    if (!draw_frames(job, out)) out->failed = true;
    tact_svg_label(out, "big ink", "start", 20, 26, title);
    tact_draw_legend(&job->drawing, out);
    tact_svg_end(out);
    tact_draw_end(&job->drawing);
}

// Reads the frames of a scene or run, and writes the drawing. Returns the exit code.
static int render(render_job *job, const char *path, long long wanted) {
    tact_text text = {0};
    int code = TACT_EXIT_DONE;
    bool scene = !tact_recording_is_trace(path, &code);
    if (code != TACT_EXIT_DONE) return code;
    if (!scene && !tact_recording_check_options(job->call)) return TACT_EXIT_USAGE;
    // of a scene: its start, or a film of 100 steps
    if (wanted < 0 && scene) wanted = job->animate ? 100 : 0;
    code = tact_recording_open(&job->recording, job->call, path, scene ? wanted : 0);
    if (code != TACT_EXIT_DONE) return code;
    if (job->contacts && (!scene || !job->recording.world.scene->model.law->springs)) {
        tact_say("render: error: --contacts is for a scene under the virtual law");
        return TACT_EXIT_REFUSED;
    }
    job->frame = tact_memory_get((size_t)job->room * sizeof *job->frame);
    if (!job->frame) return tact_say_no_memory("");
    memset(job->frame, 0, (size_t)job->room * sizeof *job->frame);
    if (!tact_picture_read(&job->picture, job->recording.json)) return tact_say_errors(&job->recording.errors);
    code = read_frames(job, wanted);
    if (code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED) {
        draw(job, &text);
        int written = tact_write_text(&text, tact_call_value(job->call, "-o"));
        if (written != TACT_EXIT_DONE) code = written;
    }
    tact_picture_free(&job->picture);
    return code;
}

// Reads the options, draws one step or the frames of an animation, and frees what was drawn. The job is static since it is large.
static int run(const tact_call *call) {
    static render_job job;
    int code = TACT_EXIT_DONE;
    long long step = 0, frames = 0, azimuth = 0, elevation = 0, width = 0, height = 0;
    job = (render_job){.call = call,
                       .every = 1,
                       .animate = tact_call_value(call, "--animate") != NULL,
                       .contacts = tact_call_value(call, "--contacts") != NULL};
    if (job.animate && job.contacts) return tact_say_usage(call->command, "--contacts: not with --animate");
    if (!tact_call_integer(call, "--step", 0, STEPS_MAX, -1, &step)) return TACT_EXIT_USAGE;
    if (!tact_call_integer(call, "--frames", 2, FRAMES_MAX, FRAMES, &frames)) return TACT_EXIT_USAGE;
    if (!tact_call_integer(call, "--azimuth", -360, 360, -55, &azimuth)) return TACT_EXIT_USAGE;
    if (!tact_call_integer(call, "--elevation", -90, 90, 18, &elevation)) return TACT_EXIT_USAGE;
    if (!tact_call_integer(call, "--width", 100, 10000, 720, &width)) return TACT_EXIT_USAGE;
    if (!tact_call_integer(call, "--height", 100, 10000, 480, &height)) return TACT_EXIT_USAGE;
    if (!job.animate && tact_call_value(call, "--frames")) return tact_say_usage(call->command, "--frames: only with --animate");
    if (job.animate && step >= 0 && tact_recording_is_trace(tact_call_operand(call, 0), &code))
        return tact_say_usage(call->command, "--step: not with --animate, which draws all of a recorded run");
    if (code != TACT_EXIT_DONE) return code;
    job.from = (tact_viewpoint){(double)azimuth, (double)elevation, (int)width, (int)height};
    job.room = job.animate ? (int)frames : 1;
    code = render(&job, tact_call_operand(call, 0), step);
    for (int i = 0; job.frame && i < job.room; i++) drop_frame(&job.frame[i]);
    tact_memory_release(job.frame);
    tact_recording_close(&job.recording);
    return code;
}

static const tact_call_option options[] = {{"--step", "K", "which state (a trace: its last; a scene: 0)"},
                                           {"--animate", NULL, "the run as a moving picture"},
                                           {"--frames", "N", "pictures of it, 2 to 400 (default 40)"},
                                           {"--contacts", NULL, "where a scene's virtual contacts are, by weight (law virtual)"},
                                           {"--azimuth", "DEGREES", "of the viewer about z (default -55)"},
                                           {"--elevation", "DEGREES", "of the viewer (default 18)"},
                                           {"--width", "PIXELS", "(default 720)"},
                                           {"--height", "PIXELS", "(default 480)"},
                                           TACT_STAGE_OPTIONS,
                                           {"-o", "FILE", "the picture; standard output without it"},
                                           {0}};

const tact_subcommand tact_render_command = {.name = "render",
                                             .operands = "TRACE|SCENE",
                                             .summary = "Draws a scene or a step of a run as SVG.",
                                             .help = help,
                                             .options = options,
                                             .least = 1,
                                             .most = 1,
                                             .run = run};
