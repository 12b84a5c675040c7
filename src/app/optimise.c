// SPDX-License-Identifier: MIT
// tact optimise: finds commands that reach the scene's goal, by the planner of the library.
#include <stdio.h>
#include <string.h>

#include "app/optimise_start.h"
#include "app/reach.h"
#include "app/rewrite.h"
#include "app/table.h"
#include "app/through.h"

enum { ITERATIONS = 100, ITERATIONS_MAX = 100000, STAGES = 4, STARTS_MAX = 100000 };

static const char help[] =
    "The goal is in the scene (\"goal\", see: tact help scene): the pose of a body, and \"terms\": points, waypoints,\n"
    "joints, contact forces. The commands of all driven joints are linear between knots, begin at the initial coordinates,\n"
    "and stay within the joints' limits. The first guess is to hold, or --start: \"scene\" for the scene's own command, or a\n"
    "file: a trace, or a line of JSON for each step, [..] or {\"u\": [..]}. --starts N searches from N starts, the first as\n"
    "before, the others at random by --seed; each has a row. The one with the least \"error\" is kept; of those that reach the\n"
    "goal, the one with the least loss.\n"
    "\n"
    "--method ilqr is Gauss-Newton through the contacts, under the law barrier; lbfgs uses gradients only, under all laws.\n"
    "The default is the better one for the law. Gradients exist before contact. The table has the loss, its largest\n"
    "derivative by a command that is not at a limit, and the distance of the body from its goal at the end; \"error\" is the\n"
    "largest of all errors over their tolerances. The search also ends if its last iterations gained little. Under the\n"
    "virtual law \"hard loss\" is that of the same commands at temperature 0; \"least gap\" is the smallest in the run, below 0\n"
    "if bodies overlap.\n"
    "\n"
    "--output writes the scene with the commands found as its trajectory, ready for tact run; what --set and --law changed\n"
    "is in it. --trace records the run under these commands. Exit code 1 when the goal is not reached. An interrupt ends the\n"
    "search, and the best commands so far are written; a second one ends at once.\n"
    "\n"
    "--anneal begins at a temperature at which contacts act at a distance, and lowers it to the scene's in four searches, each\n"
    "from the commands of the one before and with a quarter of the iterations (law virtual).\n"
    "\n"
    "examples:\n"
    "  tact optimise data/scenes/roll_to_goal.json\n"
    "  tact optimise data/scenes/roll_to_goal.json --output rolled.json --trace rolled.jsonl\n"
    "  tact optimise data/scenes/roll_to_goal.json --set goal.position=[0.225,0.04,-0.16] --method lbfgs\n"
    "  tact optimise data/scenes/allegro_cube.json --starts 8 --seed 1\n"
    "  tact optimise data/scenes/push_to_goal.json --set options.temperature=1e-4 --anneal 0.02\n";

static const char *const methods[] = {[TACT_PLAN_AUTO] = "auto", [TACT_PLAN_ILQR] = "ilqr", [TACT_PLAN_LBFGS] = "lbfgs"};

// What the words ask for.
typedef struct {
    int iterations, starts;
    uint64_t seed;
    tact_real anneal;         // 0: no
    tact_plan_method method;  //
} optimise_wish;

typedef struct {
    tact_world world;
    tact_scene_plan plan;
    tact_table table;
    tact_progress progress;
    int iterations, evaluations;  // of the descents before
    int told;                     // iteration of the last row
    bool each;                    // rows are of iterations, not of starts
    bool begun, idle;             // a row was reported; the first of them, before any iteration, had reached the goal
} optimise_job;

// to six digits
static tact_number_text print_rounded(tact_real value) {
    return tact_rounded((double)value, 6);
}

// Residuals of the goal's pose come first: that of the position, and of the orientation at the end; -1 without.
static int find_pose(const tact_goal *goal, tact_residual_kind kind) {
    for (int i = 0; goal->body >= 0 && i < goal->nresidual; i++)
        if (goal->residual[i].kind == kind && goal->residual[i].body == goal->body && goal->residual[i].first == goal->horizon)
            return i;
    return -1;
}

// the search so far, loss, gradient and errors
static void end_row(optimise_job *job, int iterations, int evaluations, tact_real value, tact_real gradient,
                    const tact_real *error, tact_real excess) {
    const tact_goal *goal = &job->world.scene->goal;
    int position = find_pose(goal, TACT_RESIDUAL_POINT), turn = find_pose(goal, TACT_RESIDUAL_TURN);
    tact_table_add_integer(&job->table, iterations);
    tact_table_add_integer(&job->table, evaluations);
    tact_table_add_number(&job->table, value);
    tact_table_add_number(&job->table, gradient);
    if (position >= 0) tact_table_add_number(&job->table, error[position]);
    if (turn >= 0) tact_table_add_number(&job->table, error[turn]);
    tact_table_add_number(&job->table, excess);
    tact_table_end_row(&job->table);
}

// Prints a row for each of the first ten iterations, then for each tenth.
static bool report(void *context, const tact_plan_progress *at) {
    optimise_job *job = context;
    tact_progress_show(&job->progress, job->iterations + at->iteration);
    if (!job->begun) job->idle = at->iteration == 0 && at->excess <= 1;
    job->begun = true;
    bool row = job->each && (at->iteration <= 10 || at->iteration % 10 == 0);
    if (row) {
        end_row(job, job->iterations + at->iteration, job->evaluations + at->evaluations, at->value, at->gradient, at->error,
                at->excess);
        job->told = job->iterations + at->iteration;
    }
    return tact_console_signal() == 0;
}

// One search from the plan at hand; iterations and evaluations in the result are those of all.
static tact_plan_result search_once(optimise_job *job, const optimise_wish *wish, int iterations) {
    tact_plan_options options = tact_plan_options_default();
    options.method = wish->method;
    options.iteration_limit = iterations;
    options.report = report;
    options.context = job;
    tact_plan_result result = tact_planner_search(&job->plan.planner, &options);
    job->iterations = result.iterations += job->iterations;
    job->evaluations = result.evaluations += job->evaluations;
    if (result.status < 0 || !job->each || (job->told == result.iterations && result.relaxations == 0)) return result;
    end_row(job, result.iterations, result.evaluations, result.value, result.gradient, job->plan.planner.error, result.excess);
    return result;
}

// Searches at temperatures from `anneal` down to the scene's; once where anneal is 0.
static tact_plan_result search_annealed(optimise_job *job, const optimise_wish *wish) {
    tact_scene *scene = job->world.scene;
    tact_real last = scene->options.temperature;
    tact_plan_result result = {.status = TACT_CONVERGED};
    int stages = wish->anneal > 0 ? STAGES : 1, iterations = wish->iterations;
    job->iterations = job->evaluations = 0;
    job->told = -1;
    for (int stage = 0; stage < stages && result.status >= 0 && tact_console_signal() == 0; stage++) {
        int share = (iterations * (stage + 1)) / stages - (iterations * stage) / stages;
        if (wish->anneal > 0) scene->options.temperature = tact_virtual_anneal(wish->anneal, last, stage, stages);
        result = search_once(job, wish, share);
    }
    scene->options.temperature = last;
    return result;
}

// The best of all starts, whose knots the planner has then. best (n): room for them.
static tact_plan_result search_all(optimise_job *job, const optimise_wish *wish, tact_real *best) {
    tact_planner *planner = &job->plan.planner;
    tact_plan_result found = {.status = TACT_BAD_INPUT};
    int evaluations = 0;
    // Head of the table: iterations of one start, or one row per start
    const tact_goal *goal = &job->world.scene->goal;
    static const char *const iterations[] = {"iteration", "evaluations", "loss", "gradient", NULL};
    static const char *const starts[] = {"start", "iterations", "evaluations", "loss", "gradient", NULL};
    tact_table_add_all(&job->table, job->each ? iterations : starts);
    if (find_pose(goal, TACT_RESIDUAL_POINT) >= 0) tact_table_add(&job->table, "distance [m]");
    if (find_pose(goal, TACT_RESIDUAL_TURN) >= 0) tact_table_add(&job->table, "angle [rad]");
    tact_table_add(&job->table, "error");
    tact_table_end_row(&job->table);
    // an interrupt before the first start leaves the start itself
    for (int i = 0; i < planner->n; i++) best[i] = planner->x[i];
    if (tact_console_signal() != 0) found = (tact_plan_result){.status = TACT_CONVERGED, .stopped = true};
    for (int start = 0; start < wish->starts && tact_console_signal() == 0; start++) {
        if (start > 0) tact_planner_scatter(planner, wish->seed, (uint64_t)start);
        tact_plan_result result = search_annealed(job, wish);
        evaluations += result.evaluations;
        if (!job->each) {
            tact_table_add_integer(&job->table, start);
            if (result.status >= 0)
                end_row(job, result.iterations, result.evaluations, result.value, result.gradient, planner->error, result.excess);
            if (result.status < 0) tact_table_add_integer(&job->table, result.iterations);
            if (result.status < 0) tact_table_add_integer(&job->table, result.evaluations);
            if (result.status < 0) tact_table_add(&job->table, tact_status_name(result.status));
            if (result.status < 0) tact_table_end_row(&job->table);
        }
        if (start > 0 && !tact_plan_is_better(&result, &found)) continue;
        found = result;
        for (int i = 0; i < planner->n; i++) best[i] = planner->x[i];
    }
    for (int i = 0; i < planner->n; i++) planner->x[i] = best[i];
    if (found.status >= 0) tact_planner_value(planner, planner->x, NULL);
    job->evaluations = evaluations;
    return found;
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
        // step 0 of the trace is the start
        if (k == 0) tact_world_command(world);
        if (path) {
            tact_trace_add_step(world->scene, k, &world->state, k > 0 ? &world->work : NULL, world->u, &trace.text);
            tact_text_add(&trace.text, "\n");
            tact_output_spill(&trace);
        }
        run->limited += k > 0 && world->work.status > 0;
        // the deepest contact of the run
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

// Prints the value of each residual that has a tolerance.
static void add_errors(const optimise_job *job, tact_table *table) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    for (int i = 0; i < scene->goal.nresidual; i++) {
        const tact_residual *r = &scene->goal.residual[i];
        tact_real error = job->plan.planner.error[i];
        tact_thing_name name = {""};
        const char *what = "m from its goal", *unit = " m";
        char line[700], when[64] = "";
        // terms without a tolerance only guide the search
        if (!(r->tolerance < TACT_MAX)) continue;
        if (r->kind == TACT_RESIDUAL_TURN) what = "rad from its goal", unit = " rad";
        if (r->kind == TACT_RESIDUAL_JOINT) what = "from its goal", unit = "";
        if (r->kind == TACT_RESIDUAL_FORCE) what = "N outside its bounds", unit = " N";
        if (r->kind == TACT_RESIDUAL_SLIP) what = "m of slip in a step";
        if (r->kind == TACT_RESIDUAL_POINT || r->kind == TACT_RESIDUAL_TURN) name = tact_body_name(model, r->body);
        if (r->kind == TACT_RESIDUAL_JOINT) name = tact_dof_name(model, r->dof);
        if (r->kind == TACT_RESIDUAL_FORCE || r->kind == TACT_RESIDUAL_SLIP)
            name = tact_shape_name(model, model->pair[r->pair].a);
        if (r->last < scene->goal.horizon)
            snprintf(when, sizeof when, " at %s s", print_rounded((tact_real)r->last * scene->options.dt).text);
        snprintf(line, sizeof line, "%s %s%s: %s (tolerance %s%s)", print_rounded(error).text, what, when,
                 error <= r->tolerance ? "reached" : "not reached", print_rounded(r->tolerance).text, unit);
        tact_table_add_fact(table, name.text, line);
    }
}

// Prints how the search went and ended, and returns `code`.
static int print_result(optimise_job *job, const tact_plan_result *result, const optimise_run *run, bool to_stderr, int code) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    tact_planner *planner = &job->plan.planner;
    tact_table table = {0};
    tact_text text = {0};
    char line[700];
    tact_text_print(&text, "commands of %d joints at %d knots by %-s\n", model->nu, scene->goal.knots,
                    result->both ? "ilqr and lbfgs in turn" : methods[result->method]);
    tact_table_print(&job->table, &text);
    tact_text_add(&text, "\n");
    const char *end = result->slow ? "ended: its last iterations gained little" : tact_status_name(result->status);
    tact_table_add_fact(&table, "search", tact_console_signal() ? "interrupted: the best so far" : end);
    // each relaxation divides the effort by ten
    if (result->relaxations > 0) {
        tact_real factor = 1;
        for (int i = 0; i < result->relaxations; i++) factor /= 10;
        snprintf(
            line, sizeof line,
            "lowered to %s of what the goal says, as it was not reached; the last row is the loss with the goal's own effort",
            print_rounded(factor).text);
        tact_table_add_fact(&table, "effort", line);
    }
    add_errors(job, &table);
    // what the plan is worth without smoothing
    if (scene->model.law->springs && scene->options.temperature > 0) {
        tact_real soft = scene->options.temperature;
        job->world.scene->options.temperature = 0;
        tact_table_add_fact(&table, "hard loss", print_rounded(tact_planner_value(planner, planner->x, NULL)).text);
        job->world.scene->options.temperature = soft;
    }
    if (run->pair >= 0) {
        tact_thing_name a = tact_shape_name(model, model->pair[run->pair].a),
                        b = tact_shape_name(model, model->pair[run->pair].b);
        snprintf(line, sizeof line, "%s m, of %s and %s", print_rounded(run->gap).text, a.text, b.text);
        tact_table_add_fact(&table, "least gap", line);
    }
    tact_table_print(&table, &text);
    return tact_print_summary(&text, to_stderr, code);
}

// Why a search may have ended before the goal, and what to do.
static void advise(const optimise_job *job, const tact_plan_result *result) {
    const tact_scene *scene = job->world.scene;
    tact_advice advice = tact_scene_plan_advise(&job->plan, result);
    // no slope: nothing driven is near the body, or nothing bears on it under a law without forces before contact
    if (advice.numb && !scene->model.law->distant) {
        tact_say("optimise: no command moves the body: the law %s has no forces before contact: search with --law barrier, whose "
                 "plan --start takes",
                 scene->model.law->name);
    } else if (advice.numb && advice.pair >= 0) {
        const tact_pair *pair = &scene->model.pair[advice.pair];
        tact_say(
            "optimise: no command moves the body: is anything driven within options.margin of it? %s and %s begin %s m apart, "
            "the margin is %s m: try --set options.margin=%s",
            tact_shape_name(&scene->model, pair->a).text, tact_shape_name(&scene->model, pair->b).text,
            print_rounded(advice.gap).text, print_rounded(advice.margin).text, print_rounded(advice.wanted_margin).text);
    } else if (advice.numb) {
        tact_say("optimise: no command moves the body: is anything driven within options.margin of it?");
    } else if (advice.jumps) {
        tact_say(
            "optimise: %d times a pair came into the margin of %s m or left it between two iterations, where its force jumps by "
            "%s N: try --set options.margin=%s",
            result->jumps, print_rounded(advice.margin).text, print_rounded(advice.jump).text,
            print_rounded(advice.wanted_margin).text);
    } else {
        // whatever of this was not asked for
        const char *reach = "where the driven links begin far from the body, --set goal.reach=10 draws them to it; ";
        tact_say("optimise: %stact mpc replans on the way, %s other beginnings, and a nearer goal is found sooner",
                 advice.far && scene->goal.reach == 0 ? reach : "", job->each ? "--starts 8 tries" : "more --starts try");
    }
    if (advice.anchors)
        tact_say("optimise: anchors are at their cap in %d of %d steps, where the loss has kinks: tact mpc replans on the way; "
                 "or search "
                 "with --set options.anchor=false, then see what the plan does with anchors",
                 result->kinks, scene->goal.horizon);
}

// A plan that was searched without the anchors of the scene, as advised, may do otherwise with them.
static void warn_unanchored(optimise_job *job, const tact_call *call) {
    tact_planner *planner = &job->plan.planner;
    tact_options *options = &job->world.scene->options;
    int at = 0;
    bool taken = false;
    for (const char *set = tact_call_next(call, "--set", &at); set; set = tact_call_next(call, "--set", &at))
        taken = taken || strstr(set, "options.anchor=") == set || strstr(set, "/options/anchor=") == set;
    if (!taken || options->anchor) return;
    options->anchor = true;
    tact_planner_value(planner, planner->x, NULL);
    tact_real excess = tact_planner_excess(planner);
    options->anchor = false;
    tact_planner_value(planner, planner->x, NULL);
    if (excess > 1)
        tact_say(
            "optimise: warning: with anchors, which --set took away, this plan ends %s times its tolerances from the goal; tact "
            "mpc replans on the way",
            tact_rounded((double)excess, 3).text);
}

// Searches from the start that is set, prints and writes the result. Returns the exit code.
static int optimise(optimise_job *job, const tact_call *call, tact_source source, const optimise_wish *wish, tact_real *best) {
    const char *trace = tact_call_value(call, "--trace"), *output = tact_call_value(call, "--output");
    bool quiet = tact_call_value(call, "--quiet") != NULL;
    optimise_run run = {.gap = TACT_MAX, .pair = -1};
    double begin = tact_clock();
    // without momentum a body stays where no link goes
    bool beyond =
        !job->world.scene->model.law->velocities && tact_reach_warn(job->world.scene, &job->world.scene->goal, "optimise");
    // what a wide tolerance calls reached before anything moves
    const char *from = tact_call_value(call, "--start");
    bool held = !from || strcmp(from, "hold") == 0;
    job->each = wish->starts == 1;
    tact_progress_begin(&job->progress, wish->iterations, !quiet);
    tact_console_catch(true);
    tact_plan_result result = search_all(job, wish, best);
    tact_console_catch(false);
    tact_progress_end(&job->progress);
    double spent = tact_clock() - begin;
    tact_scene_plan_command(&job->plan);
    job->world.scene->command = job->plan.command;
    if (result.status < 0) {
        // that step once more, for what it says of shapes and joints
        for (int k = 0; k < result.step && job->world.work.status >= 0; k++) tact_world_step(&job->world);
        if (tact_world_step(&job->world) >= 0) job->world.work.status = result.status;
        tact_stage_say_step(call, &job->world, result.step + 1);
        tact_text_free(&job->table.cells);
        return TACT_EXIT_UNSOLVED;
    }
    // the commands found are run, so that what is reported is what happens
    int code = play(job, trace, &run);
    if (code == TACT_EXIT_DONE) code = write_scene(job, call, source);
    if (code != TACT_EXIT_DONE || quiet) {
        tact_text_free(&job->table.cells);
    } else {
        // standard output is taken by the trace or the scene
        bool taken = (trace && strcmp(trace, "-") == 0) || (output && strcmp(output, "-") == 0);
        code = print_result(job, &result, &run, taken, code);
        fprintf(stderr, "%.3g s, %d rollout%s of %d steps\n", spent, job->evaluations, job->evaluations == 1 ? "" : "s",
                job->world.scene->goal.horizon);
    }
    if (code != TACT_EXIT_DONE) return code;
    if (!(result.excess <= 1) && !beyond &&
        !tact_reach_unpaired(&job->world.scene->model, job->world.scene->goal.body, "optimise"))
        advise(job, &result);
    if (held && job->idle)
        tact_say("optimise: warning: the goal is reached by holding still: goal.tolerance %s m and goal.angle_tolerance %s rad "
                 "are wide "
                 "for it",
                 print_rounded(job->world.scene->goal.tolerance).text,
                 print_rounded(job->world.scene->goal.angle_tolerance).text);
    if (result.excess <= 1) warn_unanchored(job, call);
    // under the virtual law shapes in contact do overlap
    if (strcmp(tact_call_operand(call, 0), "-") != 0 && !job->world.scene->model.law->springs) {
        // Shapes that the plan moved through each other
        tact_through through;
        tact_through_open(&through, call, tact_call_operand(call, 0));
        tact_through_look(&through, job->world.state.q);
        tact_through_tell(&through, &job->world.scene->model, "optimise");
        tact_through_close(&through);
    }
    if (run.limited > 0) tact_say("optimise: warning: %d steps did not converge within the iteration limit", run.limited);
    if (tact_console_signal()) return 128 + tact_console_signal();
    return run.limited > 0 || !(result.excess <= 1) ? TACT_EXIT_UNSOLVED : TACT_EXIT_DONE;
}

// Why the scene cannot be optimised; NULL: it can.
static const char *find_fault(const tact_scene *scene, const optimise_wish *wish) {
    const tact_law *law = scene->model.law;
    bool barrier = law->derivatives == TACT_DERIV_BARRIER;
    if (scene->goal.nresidual == 0)
        return "the scene has no goal: add \"goal\": {\"body\": NAME, \"position\": [x, y, z]} (see: tact help scene)";
    if (scene->model.nu == 0)
        return "the scene has no driven joint: \"drives\": [{\"joint\": NAME, \"stiffness\": 100}] drives one";
    if (law->derivatives == TACT_DERIV_NONE) return "this law has no derivatives: try --law barrier";
    if (wish->method == TACT_PLAN_ILQR && !barrier)
        return "--method ilqr: only the barrier law has it (try --method lbfgs, or --law barrier)";
    if (wish->anneal > 0 && !law->springs) return "--anneal: only the virtual law has a temperature";
    if (wish->anneal > 0 && !(wish->anneal > scene->options.temperature)) return "--anneal: not above the scene's temperature";
    return NULL;
}

static bool read_wish(const tact_call *call, optimise_wish *wish) {
    long long iterations = 0, starts = 0, seed = 0;
    if (!tact_call_integer(call, "--iterations", 0, ITERATIONS_MAX, ITERATIONS, &iterations)) return false;
    if (!tact_call_integer(call, "--starts", 1, STARTS_MAX, 1, &starts)) return false;
    if (!tact_call_integer(call, "--seed", 0, 1000000000, 1, &seed)) return false;
    if (tact_call_value(call, "--seed") && !tact_call_value(call, "--starts")) {
        tact_say_usage(call->command, "--seed: only with --starts: it seeds the random starts");
        return false;
    }
    wish->iterations = (int)iterations;
    wish->starts = (int)starts;
    wish->seed = (uint64_t)seed;
    if (!tact_call_real(call, "--anneal", 1e-9, 1000, 0, &wish->anneal)) return false;
    // --method: a name from the list; auto where none is given
    tact_plan_method *method = &wish->method;
    const char *word = tact_call_value(call, "--method");
    *method = TACT_PLAN_AUTO;
    for (int i = 0; word && i < 3; i++)
        if (strcmp(word, methods[i]) == 0) *method = (tact_plan_method)i;
    if (!word || strcmp(word, methods[*method]) == 0) return true;
    tact_say_usage(call->command, "--method: must be auto, ilqr or lbfgs (found %s)", tact_quote(word).text);
    return false;
}

// Sets the plan to where it begins. The exit code.
static int set_start(optimise_job *job, const tact_call *call) {
    const char *start = tact_call_value(call, "--start");
    if (!start || strcmp(start, "hold") == 0) return TACT_EXIT_DONE;
    if (strcmp(start, "scene") != 0) return tact_optimise_read_start(&job->plan, start);
    if (job->world.scene->command.mode == TACT_COMMAND_HOLD)
        tact_say("optimise: warning: --start scene: the scene commands to hold");
    tact_scene_plan_take(&job->plan);
    return TACT_EXIT_DONE;
}

// Opens the plan of a scene, sets its start, optimises, and frees it. A scene without what a plan needs is refused.
static int plan(optimise_job *job, const tact_call *call, tact_source source, const optimise_wish *wish) {
    tact_fault none = {NULL, 0};
    const char *fault = find_fault(job->world.scene, wish);
    if (fault) {
        tact_say("optimise: error: %s", fault);
        return TACT_EXIT_REFUSED;
    }
    bool open = tact_scene_plan_open(&job->plan, job->world.scene, &job->world.state, wish->method, &none);
    tact_real *best = open ? tact_memory_get((size_t)job->plan.planner.n * sizeof *best) : NULL;
    if (!best) tact_say(none.field ? "optimise: error: the plan is refused: %s" : "error: out of memory", none.field);
    int code = best ? set_start(job, call) : none.field ? TACT_EXIT_REFUSED : TACT_EXIT_NO_MEMORY;
    if (code == TACT_EXIT_DONE) code = optimise(job, call, source, wish, best);
    tact_memory_release(best);
    tact_scene_plan_close(&job->plan);
    return code;
}

// Reads the options and the scene, from a file or from standard input, and plans.
static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0);
    optimise_job job = {.told = -1};
    optimise_wish wish = {0};
    tact_errors errors = {0};
    tact_text text = {0};
    if (!read_wish(call, &wish)) return TACT_EXIT_USAGE;
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, &errors)) return tact_say_errors(&errors);
    tact_source source = tact_text_source(&text, path);
    int code = strcmp(path, "-") == 0 ? tact_stage_parse(call, source, &job.world) : tact_stage_open(call, path, &job.world);
    if (code == TACT_EXIT_DONE) {
        code = plan(&job, call, source, &wish);
        tact_stage_close(&job.world);
    }
    tact_text_free(&text);
    return code;
}

static const tact_call_option options[] = {
    TACT_STAGE_OPTIONS,
    {"--method", "WORD", "auto, ilqr or lbfgs (default auto)"},
    {"--start", "FILE", "hold, scene, or commands of a trace or JSON lines (default: hold)"},
    {"--starts", "N", "search from N starts and keep the best (default 1)"},
    {"--seed", "N", "of the random starts, 0 to 1e9 (default 1)"},
    {"--iterations", "N", "most iterations, 0 to 1e5 (default 100)"},
    {"--anneal", "A", "begin at this temperature [m], end at the scene's"},
    {"--output", "FILE", "write the scene with the commands found; - is standard output"},
    {"--trace", "FILE", "record the run under them; - is standard output"},
    {"--quiet", NULL, "no table, no progress bar, no time"},
    {0}};

const tact_subcommand tact_optimise_command = {.name = "optimise",
                                               .operands = "SCENE",
                                               .summary = "Finds commands that reach the scene's goal.",
                                               .help = help,
                                               .options = options,
                                               .least = 1,
                                               .most = 1,
                                               .run = run};
