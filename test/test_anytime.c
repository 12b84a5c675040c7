// SPDX-License-Identifier: MIT
// A step whose budget ends early: the state it leaves is finite and feasible, every gap strictly inside its cone as computed
// here from the contacts' Jacobians, and the status says that it is not converged. Where the step begins with a gap that is not
// inside its cone (touching bodies at rest, one inside another) a short budget may not suffice: then the status is negative.
#include "tact/tact.h"
#include "test.h"

// by the displacement that the step made
static bool cone_holds(const tact_work *work, int index, double mu) {
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_cone *cone = &work->cone[index];
    double nu[3];
    for (int row = 0; row < 3; row++) {
        nu[row] = (double)cone->c[row];
        for (int k = 0; k < contact->width; k++)
            nu[row] += (double)contact->J[row * contact->width + k] * (double)work->d[cone->column[k]];
    }
    return nu[0] > 0 && nu[0] * nu[0] > mu * mu * (nu[1] * nu[1] + nu[2] * nu[2]);
}

// whether no motion at all is feasible
static bool begins_inside(const tact_work *work) {
    for (int i = 0; i < work->contacts.count; i++) {
        const tact_real *c = work->cone[i].c, mu = work->cone[i].mu;
        if (!(c[0] > 0 && c[0] * c[0] > mu * mu * (c[1] * c[1] + c[2] * c[2]))) return false;
    }
    for (int j = 0; j < work->problem.nbound; j++)
        if (!(work->bound[j].c > 0)) return false;
    return true;
}

static bool feasible(const tact_model *model, const tact_work *work) {
    for (int i = 0; i < work->contacts.count; i++)
        if (!cone_holds(work, i, (double)model->pair[work->contacts.contact[i].pair].mu)) return false;
    return true;
}

static bool within_limits(const tact_model *model, const tact_options *options, const tact_state *state) {
    for (int i = 0; i < model->nv && options->limits; i++) {
        const tact_dof *dof = &model->dof[i];
        if (dof->q >= 0 && !(state->q[dof->q] > dof->lower && state->q[dof->q] < dof->upper)) return false;
    }
    return true;
}

typedef struct {
    int steps, cut, lost, outside;
    int hard;  // without an answer, where the step did not begin inside
} tally;

static tally sum;

static void count(const tact_model *model, const tact_options *options, const tact_state *state, const tact_work *work) {
    bool lost = work->status < 0, good = feasible(model, work) && within_limits(model, options, state);
    sum.steps++;
    sum.cut += work->status == TACT_ITERATION_LIMIT;
    sum.lost += lost && begins_inside(work);
    sum.hard += lost && !begins_inside(work);
    sum.outside += !lost && !(good && work->iterations <= options->max_iterations);
}

// one step from a state with each budget; the states stay where they are
static void cut_short(const tact_world *world, const tact_real *u, tact_state *state, tact_work *work) {
    const tact_model *model = &world->scene->model;
    for (int budget = 1; budget <= 3; budget++) {
        tact_options options = world->scene->options;
        tact_input input = {.u = u};
        options.max_iterations = budget;
        tact_state_copy(state, &world->state, model);
        tact_status status = tact_step(model, &options, &input, state, work);
        count(model, &options, state, work);
        bool moved = state->time > world->state.time;
        sum.outside += moved != (status >= 0);
    }
}

// a run of which every step is cut short: each goes on from the one before
static void run_short(const tact_world *world, const tact_real *u, int budget, tact_state *state, tact_work *work) {
    const tact_model *model = &world->scene->model;
    tact_options options = world->scene->options;
    tact_input input = {.u = u};
    options.max_iterations = budget;
    tact_state_reset(state, model);
    for (int step = 0; step < 100; step++) {
        tact_step(model, &options, &input, state, work);
        count(model, &options, state, work);
    }
}

static void try_world(tact_world *world, uint64_t *seed, tact_state *state, tact_work *work, tact_real *u) {
    int nu = world->scene->model.nu;
    for (int step = 0; step < 60 && tact_world_step(world) >= 0; step++) {
        // sudden commands, so that one step has far to go
        double jump = step % 3 == 0 ? 0 : 0.3;
        for (int i = 0; i < nu; i++) u[i] = world->u[i] + (tact_real)test_random(seed, -jump, jump);
        cut_short(world, u, state, work);
    }
    for (int budget = 1; budget <= 3; budget++) run_short(world, u, budget, state, work);
}

static void try_scene(const char *path, uint64_t *seed) {
    char message[500];
    tact_world *world = tact_world_open(path, message, sizeof message);
    const tact_model *model = world ? &world->scene->model : NULL;
    bool known = model && model->law == &tact_law_barrier;
    size_t state_size = known ? tact_state_size(model) : 1, work_size = known ? tact_work_size(model) : 1;
    void *memory[2] = {malloc(state_size), malloc(work_size)};
    tact_real *u = malloc(((size_t)(known ? model->nu : 0) + 1) * sizeof *u);
    tact_state state;
    tact_work work;
    tally before = sum;
    CHECK(world && memory[0] && memory[1] && u);
    if (known && memory[0] && memory[1] && u && tact_state_init(&state, model, memory[0], state_size) == TACT_CONVERGED &&
        tact_work_init(&work, model, memory[1], work_size) == TACT_CONVERGED)
        try_world(world, seed, &state, &work, u);
    printf("%s: %d steps, %d cut short, %d lost, %d outside, %d from an infeasible start lost\n", path, sum.steps - before.steps,
           sum.cut - before.cut, sum.lost - before.lost, sum.outside - before.outside, sum.hard - before.hard);
    free(memory[0]);
    free(memory[1]);
    free(u);
    tact_world_close(world);
}

int main(void) {
    uint64_t seed = test_seed(7);
    static const char *const names[] = {"ball_drop", "cart_stop", "cube_in_hand", "egg_cup",      "hand_lift",
                                        "incline",   "lesson",    "pusher",       "roll_to_goal", "two_fingers_disc"};
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++) {
        char path[200];
        snprintf(path, sizeof path, "data/scenes/%s.json", names[i]);
        try_scene(path, &seed);
    }
    CHECK_INT(sum.lost, 0);
    CHECK_INT(sum.outside, 0);
    CHECK(sum.cut > 1000);
    return test_end("anytime");
}
