// SPDX-License-Identifier: MIT
// The commands of tact new --lift: a grasp is sought under the barrier law with less friction and longer steps than the scene
// has, and the first that lifts the object under both laws of the scene itself is taken.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/new.h"
#include "tact/grasp.h"

#define REST 0.5           // how long the object is held at the end [s]
#define RISEN 0.9          // of the way up counts as lifted
#define SLIGHT 0.01        // of the force that holds it surely: no grip
#define LESS_FRICTION 0.7  // of the scene's while the grasp is sought

enum { CANDIDATES = 96 };

// Commands of the joints of a driven base.
static bool find_base(const tact_model *model, int base[6]) {
    static const char *const names[] = {"base_x", "base_y", "base_z", "base_yaw", "base_pitch", "base_roll"};
    int found = 0;
    for (int k = 0; k < 6; k++)
        for (int v = 0; v < model->nv; v++) {
            if (model->dof[v].u < 0 || strcmp(tact_dof_name(model, v).text, names[k]) != 0) continue;
            base[k] = model->dof[v].u;
            found++;
        }
    return found == 6;
}

void tact_new_add_lift(const tact_model *model, const tact_real *u, tact_text *out) {
    tact_text_add(out, "  \"command\": {\n    \"mode\": \"trajectory\",\n    \"times\": ");
    tact_new_add_numbers(out, tact_grasp_times, TACT_GRASP_KNOTS);
    tact_text_add(out, ",\n    \"q\": {");
    int count = 0;
    // a list by knot for each driven joint
    for (int v = 0; v < model->nv; v++) {
        double way[TACT_GRASP_KNOTS];
        if (model->dof[v].u < 0) continue;
        for (int k = 0; k < TACT_GRASP_KNOTS; k++) {
            double x = (double)u[k * model->nu + model->dof[v].u];
            way[k] = fabs(x) < 1e-6 ? 0 : tact_key_round(x, 5);
        }
        tact_text_print(out, "%-s%s: ", count++ > 0 ? ",\n      " : "\n      ", tact_dof_name(model, v).text);
        tact_new_add_numbers(out, way, TACT_GRASP_KNOTS);
    }
    tact_text_add(out, "\n    }\n  }\n}\n");
}

// How far the object rises under a law [m]; < 0 where a step does not converge.
static double try_lift(const tact_text *text, const char *law) {
    tact_world world;
    bool good = true;
    if (text->failed || tact_stage_parse_as(tact_text_source(text, "new scene"), law, &world) != TACT_EXIT_DONE) return -1;
    const tact_model *model = &world.scene->model;
    const tact_real *q = world.state.q + model->body[tact_new_find_object(model)].q;
    // through the command and a rest at its end, in which what slips falls
    const double from = (double)q[2], dt = (double)world.scene->options.dt;
    for (int k = 0; k * dt < tact_grasp_times[TACT_GRASP_KNOTS - 1] + REST && good; k++)
        good = tact_world_step(&world) == TACT_CONVERGED;
    double rise = good ? (double)q[2] - from : -1;
    tact_stage_close(&world);
    return rise;
}

typedef struct {
    tact_new_plan *plan;
    tact_text *text;  // the scene's
    double rise[2];   // under barrier and rigid [m]
    int refused;      // grasps that did not lift it so far in the scene itself
    double best[2];   // the farthest that these did [m]
    int rounds;
    tact_grasp_round nearest;  // of them
    char what[200];
    tact_progress bar;
} lift_search;

static bool report(void *context, const tact_grasp_round *round) {
    lift_search *search = context;
    // How near it came. What nothing presses is no grasp, however high it was: it was thrown up, or lay on a link.
    const double rise = round->press > SLIGHT * round->firm ? round->rise : 0;
    if (rise > search->nearest.rise || (search->nearest.rise == 0 && round->press >= search->nearest.press)) {
        search->nearest = *round;
        search->nearest.rise = rise;
    }
    // before the first round, and while no finger has touched the object, there is no best
    if (search->nearest.rise > 0 || search->nearest.press > 0)
        snprintf(search->what, sizeof search->what,
                 "new: a grasp is sought: the best so far raised the object %.0f of %.0f mm and pressed it with %.2g of %.2g N: "
                 "round",
                 1e3 * search->nearest.rise, 1e3 * search->plan->lift, search->nearest.press, round->firm);
    search->rounds = round->round;
    tact_progress_show(&search->bar, round->round);
    return true;
}

// Why there is no grasp as the base is turned, and what helps.
static void say_no_grasp(const lift_search *search) {
    const tact_grasp_round *nearest = &search->nearest;
    const double lift = search->plan->lift;
    const bool touched = nearest->press > SLIGHT * nearest->firm;
    char best[200] = "no two links closed on the object";
    if (touched)
        snprintf(best, sizeof best, "the best raised the object %.2g of %.2g m, pressed with %.2g N (%.2g N hold it surely)",
                 nearest->rise, lift, nearest->press, nearest->firm);
    tact_say("new: no grasp with the base turned so, after %d rounds of %d: %s", search->rounds, TACT_GRASP_ROUNDS, best);
    if (search->refused > 0)
        tact_say(
            "new: %d grasps were tried in the scene itself, whose best raised it %.2g m under barrier and %.2g m under rigid",
            search->refused, fmax(0, search->best[0]), fmax(0, search->best[1]));
    if (!touched)
        tact_say("new: the object is %.2g m wide at its narrowest: a smaller one, a hand that opens wider, or another --base-rpy",
                 search->plan->form.least);
    else
        tact_say("new: %s",
                 search->refused > 0 || nearest->rise > lift / 2
                     ? "it slips: a higher --mu, a smaller --object-density, or --contacts shapes"
                 : nearest->press < nearest->firm / 2
                     ? "the fingers hardly press it: a larger or smaller object, --contacts shapes, or another --base-rpy"
                     : "it is pressed but stays down: a higher --mu, a smaller object, or another --base-rpy");
}

// Whether commands lift the object under both laws; the scene's text has them then.
static bool accept(void *context, const tact_real *u) {
    lift_search *search = context;
    tact_new_plan *plan = search->plan;
    const double least = RISEN * plan->lift;
    // the scene's text with these commands
    plan->grasp = u;
    tact_text_clear(search->text);
    tact_new_write(plan, plan->place.rpy, search->text);
    plan->grasp = NULL;
    search->rise[0] = try_lift(search->text, "barrier");
    search->rise[1] = search->rise[0] >= least ? try_lift(search->text, "rigid") : -1;
    search->refused += search->rise[1] < least;
    for (int k = 0; k < 2; k++) search->best[k] = fmax(search->best[k], search->rise[k]);
    return search->rise[1] >= least;
}

// Worlds in which grasps are sought.
static tact_worlds *open_worlds(const tact_new_plan *of, const tact_text *text) {
    const int count = 2 * of->model->nu > CANDIDATES ? 2 * of->model->nu : CANDIDATES;
    char message[400], friction[64];
    const char *set[] = {friction, "options.dt=0.04"};
    // what holds with less friction and coarser steps holds with a margin
    snprintf(friction, sizeof friction, "mu=%.17g", LESS_FRICTION * of->mu);
    tact_worlds_options open = {
        .size = sizeof open, .scene = text->bytes, .law = "barrier", .set = set, .nset = 2, .count = count};
    tact_worlds *worlds = tact_worlds_open_with(&open, message, sizeof message);
    if (!worlds) tact_say("new: error: %s", message);
    return worlds;
}

int tact_new_seek_grasp(tact_new_plan *to, tact_text *text) {
    lift_search search = {.plan = to, .text = text};
    tact_grasp_options options = {.above = to->above,
                                  .lift = to->lift,
                                  .size = to->form.least,
                                  .seed = to->seed,
                                  .accept = accept,
                                  .report = report,
                                  .context = &search};
    bool found = false;
    if (!find_base(to->model, options.base)) {
        tact_say("new: error: --lift: the base has no joints base_x, base_y, base_z, base_yaw, base_pitch and base_roll");
        return TACT_EXIT_REFUSED;
    }
    // it is the callback that leaves the scene's text as it shall be
    tact_real *u = tact_memory_get((size_t)TACT_GRASP_KNOTS * (size_t)to->model->nu * sizeof *u);
    if (!u) return tact_say_no_memory("new: ");
    tact_worlds *worlds = open_worlds(to, text);
    tact_progress_begin(&search.bar, TACT_GRASP_ROUNDS, !tact_call_value(to->call, "--quiet"));
    snprintf(search.what, sizeof search.what, "new: a grasp is sought: round");
    search.bar.what = search.what;
    tact_status status = worlds ? tact_grasp_find(worlds, &options, u, &found) : TACT_CONVERGED;
    tact_progress_end(&search.bar);
    if (worlds) tact_worlds_close(worlds);
    tact_memory_release(u);
    if (status == TACT_NO_MEMORY) return tact_say_no_memory("new: ");
    if (found)
        tact_say("new: the hand lifts the object %s m under barrier and %s m under rigid (wanted: %s m), in %s s",
                 tact_rounded(search.rise[0], 3).text, tact_rounded(search.rise[1], 3).text, tact_number_print(to->lift).text,
                 tact_number_print(tact_grasp_times[TACT_GRASP_KNOTS - 1]).text);
    else if (worlds)
        say_no_grasp(&search);
    return found ? TACT_EXIT_DONE : TACT_EXIT_REFUSED;
}
