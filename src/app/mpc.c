// SPDX-License-Identifier: MIT
// tact mpc: a controller that brings a body to its goal, in closed loop with a plant.
#include <stdio.h>

#include "app/lookup.h"
#include "app/mpc_loop.h"
#include "app/reach.h"
#include "app/records.h"
#include "app/through.h"

enum { RANDOM_MAX = 1000000 };

static const char help[] =
    "The controller plans by steps of the barrier law (\"mpc\" in the scene, see: tact help scene) which commands bring the\n"
    "goal's body to its pose, sends the first of them to the plant, measures the coordinates, and plans again, --rate times\n"
    "a second. The plant is the same scene under the rigid law with steps of at most 5 ms, the barrier law, or another scene\n"
    "with the same joints. A goal is reached when the body has stayed within its tolerances for its time of \"hold\"; then\n"
    "the next one begins.\n"
    "\n"
    "Goals come from the scene (\"goal\"), from --goals FILE, a line each (- is standard input), or at random:\n"
    "  {\"id\":1,\"state\":{\"q\":{\"JOINT\":value}},\"goal\":{\"body\":\"cube\",\"position\":[0,0,0.04]}}\n"
    "state is where the plant begins, joints that it does not name at their initial values. --random N turns the start by a\n"
    "random yaw and sets N goals, rotations of up to --within degrees from there about the vertical or, with --any, about\n"
    "any axis. The yaw is such that the body stays at rest for 0.5 s while the plant holds its start. A goal in which\n"
    "the body would overlap the palm or the table is raised until it touches.\n"
    "\n"
    "Each goal has a line of results on standard output; with --json\n"
    "  {\"id\":1,\"success\":true,\"angle\":rad,\"position\":m,\"time\":s,\"dropped\":false,\"late\":0,\n"
    "   \"unanswered\":0,\"solve_ms\":{\"median\":..,\"p99\":..,\"worst\":..}}\n"
    "angle and position are the errors at the end, time is that of the plant, late counts solves longer than a tick, and\n"
    "unanswered those in which a planning step had no solution. If a step of the plant has none, the goal has failed:\n"
    "\"failed\":{\"status\":\"..\",\"step\":n}, the errors being those before it.\n"
    "Exit code 0 when all goals were reached, 1 when some were not.\n"
    "\n"
    "examples:\n"
    "  tact mpc data/scenes/allegro_cube.json\n"
    "  tact mpc data/scenes/allegro_cube.json --random 20 --within 90 --seed 1\n"
    "  tact mpc data/scenes/allegro_cube.json --plant-set mu=0.35 --noise-joint 0.02 --noise-position 0.005 --delay 0.02\n"
    "  tact mpc data/scenes/allegro_cube.json --trace turn.jsonl && tact view turn.jsonl\n";

typedef struct {
    tact_mpc_loop loop;
    tact_lookup joints, bodies;
    tact_through through;
    tact_progress bar;
    bool json;
} mpc_job;

// What the plant's step came to; MuJoCo has said it.
static const char *failure(const tact_mpc_loop_outcome *outcome) {
    return outcome->failure < 0 ? tact_status_name(outcome->failure) : "no answer";
}

// Adds the outcome of a goal, in JSON or in words.
static void add_outcome(const mpc_job *job, const tact_goal *goal, const tact_mpc_loop_outcome *outcome, tact_text *out) {
    if (job->json) {
        tact_text_print(out, "\"success\":%-s,\"angle\":%g,\"position\":%g,\"time\":%g,\"dropped\":%-s",
                        outcome->success ? "true" : "false", (double)outcome->angle, (double)outcome->position,
                        (double)outcome->time, outcome->dropped ? "true" : "false");
        if (outcome->failed)
            tact_text_print(out, ",\"failed\":{\"status\":\"%-s\",\"step\":%lld}", failure(outcome), outcome->step);
        if (job->loop.guide.map) tact_text_print(out, ",\"legs\":%d", outcome->legs);
        tact_text_print(out, ",\"late\":%lld,\"unanswered\":%lld,\"solve_ms\":{\"median\":%g,\"p99\":%g,\"worst\":%g}}",
                        outcome->late, outcome->unanswered, outcome->median, outcome->p99, outcome->worst);
        return;
    }
    // the same in words
    char line[600], failed[80], widths[60], inside[100] = "", allowed[100] = "", unanswered[60] = "";
    const double degrees = 180 / 3.14159265358979;
    int size = snprintf(widths, sizeof widths, "%.3g mm", 1e3 * (double)goal->position_tolerance);
    if (goal->oriented)
        snprintf(widths + size, sizeof widths - (size_t)size, ", %.3g degrees", (double)goal->angle_tolerance * degrees);
    // what a wide tolerance calls reached, and what a narrow one does not
    if (outcome->inside && outcome->success)
        snprintf(inside, sizeof inside, " (it began within its tolerances: %s)", widths);
    else
        snprintf(allowed, sizeof allowed, " (tolerances: %s, for %.3g s)", widths, (double)goal->hold);
    if (outcome->unanswered > 0) snprintf(unanswered, sizeof unanswered, ", %lld without an answer", outcome->unanswered);
    snprintf(failed, sizeof failed, "failed (step %lld of the plant: %s)", outcome->step, failure(outcome));
    snprintf(line, sizeof line, "%s%s after %.1f s: %.1f degrees, %.1f mm off%s; solves %.2f ms median, %.2f p99, %.2f worst%s",
             outcome->failed    ? failed
             : outcome->success ? "reached"
             : outcome->dropped ? "dropped"
                                : "not reached",
             inside, (double)outcome->time, (double)outcome->angle * degrees, (double)outcome->position * 1e3, allowed,
             outcome->median, outcome->p99, outcome->worst, unanswered);
    tact_text_add(out, line);
    if (!job->loop.guide.map) return;
    snprintf(line, sizeof line, "; by way of %d grasps", outcome->legs);
    tact_text_add(out, line);
}

// The id of a goal's line, or its number where it has none.
static void begin_line(const mpc_job *job, const tact_json *json, int number, tact_text *out) {
    if (job->json && json) {
        tact_record_begin(json, out);
        return;
    }
    tact_text_add(out, job->json ? "{\"id\":" : "goal ");
    tact_text_add_integer(out, number);
    tact_text_add(out, job->json ? "," : ": ");
}

// Pursues one goal; before the first one, warns if the time is too short.
static tact_mpc_loop_outcome pursue(mpc_job *job, const tact_goal *goal) {
    const double time = (double)job->loop.settings.time, hold = (double)goal->hold;
    if (job->loop.goals == 0 && time > 0 && time <= hold)
        tact_say("mpc: warning: --time %s: too little, as a goal is reached when the body has been within its tolerances for "
                 "goal.hold, %s s",
                 tact_rounded(time, 6).text, tact_rounded(hold, 6).text);
    tact_mpc_loop_outcome outcome = tact_mpc_loop_run(&job->loop, goal);
    tact_through_look(&job->through, job->loop.plant.world.state.q);
    return outcome;
}

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    mpc_job *job = context;
    tact_goal goal;
    (void)errors;
    // A goal's line, with its body.
    static const char *const keys[] = {"id", "name", "state", "goal", NULL}, *const states[] = {"q", NULL};
    const tact_model *model = &job->loop.world.scene->model;
    if (!tact_json_check_object(json, 0, keys)) return false;
    int node = tact_json_need(json, 0, "goal"), state = tact_json_find(json, 0, "state");
    const char *body = tact_scene_read_pose_goal(json, node, &goal);
    if (body) goal.body = tact_lookup_find(&job->bodies, body);
    if (body && goal.body < 0) tact_lookup_refuse(&job->bodies, json, node, "body", body);
    for (int i = 0; i < model->nq; i++) job->loop.q[i] = model->q0[i];
    if (state >= 0 && tact_json_check_object(json, state, states)) {
        int q = tact_json_find(json, state, "q");
        if (q >= 0) tact_lookup_coordinates(&job->joints, model, json, q, job->loop.q);
    }
    if (!(json->errors->errors == 0 && goal.body >= 0)) return false;
    tact_reach_warn(job->loop.world.scene, &goal, "mpc");
    tact_mpc_loop_outcome outcome = pursue(job, &goal);
    begin_line(job, json, job->loop.goals, out);
    add_outcome(job, &goal, &outcome, out);
    return outcome.success;
}

// Runs the scene's goal, or random ones. Returns the exit code.
static int run_goals(mpc_job *job, int count, const tact_mpc_loop_draw *how) {
    tact_mpc_loop *loop = &job->loop;
    const tact_model *model = &loop->world.scene->model;
    bool all = true, written = true;
    tact_errors errors = {0};
    tact_output output;
    tact_output_open(&output, "-", &errors);
    tact_reach_warn(loop->world.scene, &loop->world.scene->goal, "mpc");
    for (int i = 0, one = count == 0; written && i < count + one; i++) {
        tact_goal goal = loop->world.scene->goal;
        // each goal starts from the scene's own state
        for (int k = 0; k < model->nq; k++) loop->q[k] = model->q0[k];
        if (!one) tact_mpc_loop_draw_goal(loop, how, i, &goal);
        tact_mpc_loop_outcome outcome = pursue(job, &goal);
        all = all && outcome.success;
        if (loop->settings.endless && !outcome.success) count = 0;
        begin_line(job, NULL, i + 1, &output.text);
        add_outcome(job, &goal, &outcome, &output.text);
        tact_text_add(&output.text, "\n");
        written = tact_output_flush(&output);
    }
    return tact_print_finish(&output, all ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

// Pursues all goals, given or drawn, records them where asked, and warns of what went wrong. Returns the exit code.
static int run_loop(mpc_job *job, const tact_call *call, int count, const tact_mpc_loop_draw *how) {
    const char *goals = tact_call_value(call, "--goals"), *trace = tact_call_value(call, "--trace");
    tact_mpc_loop *loop = &job->loop;
    tact_errors errors = {0};
    loop->tracing = trace != NULL;
    if (trace && !tact_guard_open(&loop->trace, trace, &errors)) return tact_say_errors(&errors);
    if (trace) {
        tact_trace_add_header(loop->plant.world.scene, &loop->trace.text);
        tact_text_add(&loop->trace.text, "\n");
        tact_guard_show(&loop->trace);
    }
    // goals from lines of JSON, or drawn at random
    tact_records records = {.context = job,
                            .form = "{\"goal\": {\"body\": ..., \"position\": [x, y, z]}}",
                            .wanted = "lines of goals",
                            .needed = true,
                            .answer = answer,
                            .refuse = tact_record_add_error};
    int code = goals ? tact_records_run(&records, goals) : run_goals(job, count, how);
    if (trace && !tact_guard_finish(&loop->trace, &errors)) return tact_say_errors(&errors);
    if (loop->goals > 1)
        tact_say("mpc: %d of %d goals reached, %d dropped, %d failed; worst solve %.2f ms, %lld of %lld late", loop->reached,
                 loop->goals, loop->dropped, loop->failed, loop->worst, loop->late, loop->solves);
    if (loop->late > loop->solves / 2)
        tact_say(
            "mpc: warning: %lld of %lld solves took longer than the tick of %s ms, which a real hand does not wait for: fewer "
            "pairs or simpler shapes help, or a lower --rate or --set mpc.horizon",
            loop->late, loop->solves, tact_rounded(1e3 * (double)loop->control.tick, 3).text);
    if (loop->unanswered > 0)
        tact_say("mpc: warning: in %lld of %lld solves a planning step had no answer, and the plan ended before it; first at %s "
                 "s, step %d of the plan: %s; shapes that begin within each other and joints beyond their limits have no answer: "
                 "--trace and tact view show where",
                 loop->unanswered, loop->solves, tact_rounded((double)loop->when, 3).text, loop->ended, loop->why.text);
    const bool unpaired = loop->reached < loop->goals && !goals &&
                          tact_reach_unpaired(&loop->world.scene->model, loop->world.scene->goal.body, "mpc");
    const double span = tact_reach_span(&loop->world, loop->world.scene->goal.body), lead = (double)loop->control.lead;
    if (loop->reached < loop->goals && !unpaired && span > TACT_REACH_ARM && lead > 2 * TACT_REACH_LEAD(span))
        tact_say(
            "mpc: warning: mpc.lead is %s rad: links of a robot of %s m go up to %s m ahead of where they are and strike the "
            "body away; --set mpc.lead=%s, with mpc.trust, velocity and spread in proportion",
            tact_rounded(lead, 3).text, tact_rounded(span, 2).text, tact_rounded(lead * span, 2).text,
            tact_rounded(TACT_REACH_LEAD(span), 2).text);
    if (loop->restless > 0)
        tact_say(
            "mpc: warning: in %d of %d goals the body did not stay where it was put for half a second without control, however "
            "it was turned, and may be lost before a plan helps: see tact run, and change its place in state.q",
            loop->restless, loop->goals);
    tact_through_tell(&job->through, &loop->world.scene->model, "mpc");
    return code;
}

// Why the scene cannot be controlled; NULL: it can.
static const char *find_fault(const mpc_job *job, const tact_call *call, int count) {
    const tact_scene *scene = job->loop.world.scene;
    if (!tact_call_value(call, "--goals") && scene->goal.body < 0)
        return "the scene has no goal: add \"goal\": {\"body\": NAME, \"position\": [x, y, z]} (see: tact help scene), or "
               "--goals";
    if (count == 0 || scene->goal.body < 0) return NULL;
    tact_joint_type joint = scene->model.body[scene->goal.body].joint;
    if (joint != TACT_JOINT_FREE && joint != TACT_JOINT_CONTINUOUS)
        return "--random: the goal's body has neither a free joint nor a continuous one";
    if (joint != TACT_JOINT_FREE && (tact_call_value(call, "--any") || tact_call_value(call, "--quarter")))
        return "--any and --quarter: the goal's body has no free joint";
    return NULL;
}

static int start(mpc_job *job, const tact_call *call, int count, const tact_mpc_loop_draw *how) {
    const tact_model *model = &job->loop.world.scene->model;
    const char *fault = find_fault(job, call, count);
    if (fault) {
        tact_say("mpc: error: %s", fault);
        return TACT_EXIT_REFUSED;
    }
    if (tact_lookup_make(&job->joints, model->names->joint, model->nbody) &&
        tact_lookup_make(&job->bodies, model->names->body, model->nbody))
        return run_loop(job, call, count, how);
    return tact_say_no_memory("");
}

// Options that have no meaning without another; false after saying so.
static bool check_options(const tact_call *call) {
    static const char *const drawn[] = {"--within", "--any", "--quarter", "--endless"};
    for (size_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        if (!tact_call_value(call, drawn[i]) || tact_call_value(call, "--random")) continue;
        tact_say_usage(call->command, "%s: only with --random", drawn[i]);
        return false;
    }
    bool turned = tact_call_value(call, "--within") || tact_call_value(call, "--any");
    const char *wrong = tact_call_value(call, "--quarter") && turned ? "--quarter: not with --within or --any"
                        : tact_call_value(call, "--goals") && tact_call_value(call, "--random") ? "--random: not with --goals"
                                                                                                : NULL;
    if (wrong) tact_say_usage(call->command, "%s", wrong);
    return !wrong;
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0);
    long long count = 0;
    mpc_job job = {0};
    tact_mpc_loop_settings settings = {0};
    tact_mpc_loop_draw how = {.any = tact_call_value(call, "--any") != NULL,
                              .quarter = tact_call_value(call, "--quarter") != NULL};
    if (!check_options(call) || !tact_call_integer(call, "--random", 1, RANDOM_MAX, 0, &count) ||
        !tact_call_real(call, "--within", 0, 180, 90, &how.within) || !tact_mpc_loop_read(call, &settings) ||
        !tact_call_real(call, "--time", 0, 1e6, 30, &settings.time))
        return TACT_EXIT_USAGE;
    if (!(settings.time > 0)) tact_say("mpc: warning: --time 0: goals are drawn, and none is pursued");
    tact_call_doubt_degrees(call, "--within", (double)how.within);
    // degrees on the command line, radians within
    how.within *= TACT_REAL(3.14159265358979323846) / 180;
    job.json = tact_call_value(call, "--json") != NULL;
    settings.endless = tact_call_value(call, "--endless") != NULL;
    settings.plant_scene = tact_call_value(call, "--plant-scene");
    settings.roadmap = tact_call_value(call, "--roadmap");
    int code = tact_mpc_loop_open(&job.loop, call, path, &settings);
    job.loop.bar = &job.bar;
    // another plant may have other coordinates
    if (code == TACT_EXIT_DONE && !settings.plant_scene) tact_through_open(&job.through, call, path);
    if (code == TACT_EXIT_DONE) code = start(&job, call, (int)count, &how);
    tact_lookup_free(&job.joints);
    tact_lookup_free(&job.bodies);
    tact_mpc_loop_close(&job.loop);
    tact_through_close(&job.through);
    return code;
}

static const tact_call_option options[] = {
    {"--goals", "FILE", "goals, a line each; - is standard input"},
    {"--random", "N", "N random turns of the goal's body"},
    {"--within", "DEGREES", "largest of these turns (default 90)"},
    {"--any", NULL, "turns about any axis, not only the vertical"},
    {"--quarter", NULL, "turns by 90 degrees about an axis of the body, drawn at random"},
    {"--endless", NULL, "each random goal from where the last one ended, until one is not reached"},
    {"--roadmap", "FILE", "go by way of the grasps of tact roadmap, where that is sooner"},
    {"--plant", "LAW", "barrier, rigid (the default, with steps of at most 5 ms) or mujoco"},
    {"--plant-scene", "FILE", "another scene as the plant, under its own law and time step"},
    {"--plant-set", "PATH=VALUE", "change a value of the plant only; may be repeated"},
    {"--time", "S", "most time for a goal (default 30)"},
    TACT_LOOP_OPTIONS,
    {"--seed", "N", "of random goals and noise (default 1)"},
    {"--set", "PATH=VALUE", "change a value of the scene, as mpc.horizon=8; may be repeated"},
    {"--json", NULL, "a line of JSON for each goal"},
    {"--trace", "FILE", "record the plant, a line each tick; goals follow each other"},
    {0}};

const tact_subcommand tact_mpc_command = {.name = "mpc",
                                          .operands = "SCENE",
                                          .summary = "Brings a body to a pose, in closed loop with a plant.",
                                          .help = help,
                                          .options = options,
                                          .least = 1,
                                          .most = 1,
                                          .run = run};
