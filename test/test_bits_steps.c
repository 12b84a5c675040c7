// SPDX-License-Identifier: MIT
// The bits of steps, of their effort and their derivatives do not change unnoticed: digests of the scenes under many options,
// against data/golden/bits_steps.txt. Where a change of the bits is meant, TACT_WRITE=1 writes the table anew. Single precision
// has none.
#define BITS_TABLE "data/golden/bits_steps.txt"
#include "bits.h"
#include "tact/rollout.h"
#include "tact/scene.h"
#include "tact/virtual.h"

enum { SETTINGS = 4, PARAMETERS = 24 };

typedef struct {
    const char *scene, *law;
    int steps;
    const char *set[SETTINGS];
} bits_run;

static const bits_run RUNS[] = {
    {"ball_drop", NULL, 60, {NULL}},
    {"cube_in_hand", NULL, 3, {NULL}},
    {"egg_cup", NULL, 10, {NULL}},
    {"hand_lift", NULL, 12, {NULL}},
    {"hand_lift", NULL, 6, {"warm_start=false", "anchor=true"}},
    {"hand_lift", NULL, 6, {"max_iterations=4"}},
    {"hand_lift", NULL, 6, {"robot_gravity=true", "limits=barrier"}},
    {"hand_lift", "rigid", 6, {NULL}},
    {"hand_lift", "rigid", 6, {"cone=polyhedral", "limits=barrier"}},
    {"incline", NULL, 20, {NULL}},
    {"lesson", NULL, 10, {"margin=0.2"}},
    {"lesson", NULL, 4, {"margin=0.2", "limits=barrier", "warm_start=false"}},
    {"pusher", NULL, 5, {NULL}},
    {"roll_to_goal", NULL, 20, {NULL}},
    {"two_fingers_disc", NULL, 40, {NULL}},
    {"two_fingers_disc", NULL, 20, {"kappa=100", "margin=0.1", "force_min=0"}},
    {"two_fingers_disc", NULL, 20, {"epsilon=0.01", "limits=barrier"}},
    {"two_fingers_disc", "rigid", 40, {NULL}},
    {"block_on_slope", NULL, 20, {NULL}},
    {"block_on_slope", NULL, 20, {"cone=polyhedral"}},
    {"box_stack", NULL, 6, {NULL}},
    {"box_stack", NULL, 4, {"cone=polyhedral", "level=velocity"}},
    {"box_stack", NULL, 4, {"warm_start=false", "max_iterations=3"}},
    {"cart", NULL, 30, {NULL}},
    {"cart_stop", NULL, 80, {NULL}},
    {"newton_cradle", NULL, 60, {NULL}},
    {"painleve_rod", NULL, 30, {NULL}},
    {"two_carts", NULL, 60, {NULL}},
    {"two_carts", NULL, 60, {"level=position"}},
    {"flip_box", NULL, 20, {NULL}},
    {"flip_box", NULL, 20, {"manifold=closest"}},
    {"flip_box", NULL, 20, {"manifold=sum", "spread=0.01"}},
    {"two_balls", NULL, 1, {"manifold=stein", "spread=0.01"}},
    {"lift_circle", NULL, 20, {NULL}},
    {"lift_hex", NULL, 20, {"integrator=midpoint"}},
    {"lift_hex", NULL, 20, {"penalty=quadratic", "friction=tanh"}},
    {"lift_roll_hex", NULL, 20, {NULL}},
    {"lift_roll_hex", NULL, 20, {"integrator=bdf2", "penalty=softplus", "damping=sum", "kd=3"}},
    {"lift_roll_hex", NULL, 20, {"gradient=straight", "temperature=0.01"}},
    {"lift_roll_hex", NULL, 20, {"gradient=frozen", "friction=none"}},
    {"lift_two_pushers", NULL, 20, {NULL}},
    {"lift_two_pushers", NULL, 20, {"penalty=algebraic", "integrator=midpoint", "limits=barrier"}},
    {"pile_200", NULL, 1, {NULL}},
    {"push_to_goal", NULL, 20, {NULL}},
    {"rolling_disc", NULL, 20, {"integrator=bdf2"}},
    {"slide_hex", NULL, 20, {NULL}},
    {"slide_hex", NULL, 20, {"max_iterations=2"}},
    {"two_balls", NULL, 20, {NULL}},
};

static tact_scene *scene;
static const tact_model *model;
static tact_state before, after;
static tact_work work;
static tact_real *u;
static tact_wrench *wrench;
static tact_input input;

static void *take(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) abort();
    return memory;
}

static bool open_run(const bits_run *run, void *memory[5]) {
    char path[100], set[SETTINGS][60];
    const char *settings[SETTINGS];
    tact_errors errors = {0};
    tact_scene_settings given = {.set = settings, .law = run->law};
    for (; given.nset < SETTINGS && run->set[given.nset]; given.nset++) {
        snprintf(set[given.nset], sizeof set[0], "options.%s", run->set[given.nset]);
        settings[given.nset] = set[given.nset];
    }
    snprintf(path, sizeof path, "data/scenes/%s.json", run->scene);
    scene = tact_scene_read(path, &given, &errors);
    CHECK(scene != NULL);
    if (!scene) printf("    %s\n", errors.items[0].text);
    if (!scene) return false;
    model = &scene->model;
    size_t state = tact_state_size(model), size = tact_work_size(model);
    for (int i = 0; i < 2; i++) memory[i] = take(state, 1);
    memory[2] = take(size, 1);
    memory[3] = u = take((size_t)model->nu, sizeof *u);
    memory[4] = wrench = take((size_t)model->nbody, sizeof *wrench);
    CHECK_INT(tact_state_init(&before, model, memory[0], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&after, model, memory[1], state), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, memory[2], size), TACT_CONVERGED);
    return true;
}

static tact_status go(void) {
    tact_state_copy(&before, &after, model);
    tact_scene_command(scene, &before, u);
    input = (tact_input){.u = u, .wrench = tact_scene_wrench(scene, &before, wrench) ? wrench : NULL};
    return tact_step(model, &scene->options, &input, &after, &work);
}

static void digest_state(void) {
    bits_numbers(after.q, model->nq);
    bits_numbers(after.v, model->nv);
    bits_numbers(after.lambda, 3 * model->npair);
    for (int i = 0; i < model->npair; i++) {
        bits_numbers(&after.anchor[i].x, 1);
        bits_numbers(&after.anchor[i].y, 1);
        bits_numbers(&after.anchor[i].z, 1);
    }
}

static void digest_effort(tact_status status) {
    bits_mix((uint64_t)status);
    bits_mix((uint64_t)work.iterations);
    bits_mix((uint64_t)work.contacts.count);
    bits_mix((uint64_t)work.worst_pair);
    bits_number((double)work.decrement);
    bits_number((double)work.balance);
    if (model->law == &tact_law_rigid) bits_number((double)work.kinetic);
    if (model->law == &tact_law_rigid) bits_number((double)work.potential);
}

// of nv and nc three matrices by the state, two by the command
typedef struct {
    size_t nv, nu, nl;
    tact_real *memory;
} slopes_room;

static tact_jacobians place_jacobians(const slopes_room *room, size_t n) {
    tact_real *A = room->memory, *B = A + n * n, *C = B + n * room->nu;
    return (tact_jacobians){A, B, C, C + room->nl * n};
}

// of those parameters that each law has
static int list_parameters(tact_parameter *list, int most) {
    int count = 0;
    if (model->law == &tact_law_barrier)
        for (int k = TACT_PARAMETER_KAPPA; k <= TACT_PARAMETER_DT; k++)
            list[count++] = (tact_parameter){.kind = (tact_parameter_kind)k};
    if (model->law == &tact_law_virtual)
        for (int k = TACT_PARAMETER_KN; k <= TACT_PARAMETER_TEMPERATURE; k++)
            list[count++] = (tact_parameter){.kind = (tact_parameter_kind)k};
    for (int i = 0; i < model->npair && count < most; i++) list[count++] = (tact_parameter){TACT_PARAMETER_MU, i, 0};
    for (int i = 0; i < model->nbody && count < most; i++) list[count++] = (tact_parameter){TACT_PARAMETER_MASS, i, 0};
    for (int i = 0; i < model->nbody && count < most; i++) list[count++] = (tact_parameter){TACT_PARAMETER_FORCE, i, i % 2};
    for (int i = 0; i < model->nv && count < most; i++)
        if (model->dof[i].stiffness > 0) list[count++] = (tact_parameter){TACT_PARAMETER_STIFFNESS, i, 0};
    return count;
}

static void digest_barrier_slopes(const slopes_room *room) {
    size_t size = tact_deriv_size(model);
    void *memory = take(size, 1);
    tact_deriv_work deriv;
    tact_jacobians matrices = place_jacobians(room, room->nv);
    CHECK_INT(tact_deriv_init(&deriv, model, memory, size), TACT_CONVERGED);
    deriv.frozen_geometry = false;
    bits_mix((uint64_t)tact_deriv_linearise(model, &scene->options, &input, &before, &work, &deriv));
    tact_deriv_matrices(model, &work, &deriv, &matrices);
    tact_parameter list[PARAMETERS];
    int count = list_parameters(list, PARAMETERS);
    tact_real *q = take(room->nv + room->nl, sizeof *q);
    for (int i = 0; i < count; i++) {
        tact_deriv_parameter(model, &scene->options, &work, &deriv, list[i], (tact_deriv_column){q, q + room->nv});
        bits_numbers(q, (int)(room->nv + room->nl));
    }
    free(q);
    free(memory);
}

static void digest_rigid_slopes(const slopes_room *room) {
    size_t size = tact_rigid_deriv_size(model);
    void *memory = take(size, 1);
    tact_rigid_deriv deriv;
    tact_jacobians matrices = place_jacobians(room, 2 * room->nv);
    tact_rigid_record record = {model, &scene->options, &input, &before, &after, &work};
    CHECK_INT(tact_rigid_deriv_init(&deriv, model, memory, size), TACT_CONVERGED);
    tact_status status = tact_rigid_linearise(&deriv, &record);
    bits_mix((uint64_t)status);
    if (status >= 0) tact_rigid_matrices(&deriv, &matrices);
    tact_parameter list[PARAMETERS];
    int count = status >= 0 ? list_parameters(list, PARAMETERS) : 0;
    tact_real *q = take(2 * room->nv + room->nl, sizeof *q);
    for (int i = 0; i < count; i++) {
        bits_mix(tact_rigid_parameter(&deriv, list[i], q, q + room->nv, q + 2 * room->nv));
        bits_numbers(q, (int)(2 * room->nv + room->nl));
    }
    free(q);
    free(memory);
}

static void digest_virtual_slopes(const slopes_room *room) {
    size_t nv = room->nv, nu = room->nu, nl = room->nl;
    tact_real *at = room->memory, *scratch = take(4 * nv + nl, sizeof *scratch);
    tact_virtual_jacobians m = {.q_q = at, .q_v = at + nv * nv, .v_q = at + 2 * nv * nv, .v_v = at + 3 * nv * nv};
    m.q_u = at + 4 * nv * nv;
    m.v_u = m.q_u + nv * nu;
    m.l_q = m.v_u + nv * nu;
    m.l_u = m.l_q + nl * nv;
    bits_mix((uint64_t)tact_virtual_matrices(model, &scene->options, &input, &before, &work, &m, scratch));
    tact_parameter list[PARAMETERS];
    int count = list_parameters(list, PARAMETERS);
    for (int i = 0; i < count; i++) {
        tact_virtual_change change = {.parameter = &list[i]};
        tact_virtual_effect effect = {scratch, scratch + nv, scratch + 2 * nv};
        bits_mix((uint64_t)tact_virtual_differentiate(model, &scene->options, &input, &before, &work, &change, &effect));
        bits_numbers(scratch, (int)(2 * nv + nl));
    }
    free(scratch);
}

static void digest_slopes(void) {
    slopes_room room = {(size_t)model->nv, (size_t)model->nu, 3 * (size_t)work.contacts.count, NULL};
    size_t count = 2 * (room.nl + 2 * room.nv) * (room.nv + room.nu);
    room.memory = take(count, sizeof *room.memory);
    if (model->law == &tact_law_barrier) digest_barrier_slopes(&room);
    if (model->law == &tact_law_rigid) digest_rigid_slopes(&room);
    if (model->law == &tact_law_virtual) digest_virtual_slopes(&room);
    bits_numbers(room.memory, (int)count);
    free(room.memory);
}

static tact_real loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                      tact_real *lambda_bar) {
    const int *steps = context;
    tact_real sum = 0;
    (void)contacts;
    (void)lambda_bar;
    for (int i = 0; k == *steps && i < model->nv; i++) sum += state->v[i];
    for (int i = 0; k == *steps && q_bar && i < model->nv; i++) q_bar[i] += 1 + (tact_real)i / 8;
    return sum;
}

static void digest_rollout(int steps) {
    size_t size = tact_rollout_size(model, steps, 0), nv = (size_t)model->nv, nu = (size_t)model->nu, n = (size_t)steps;
    void *memory = take(size, 1);
    tact_real *commands = take(n * nu, sizeof *commands), *by_u = take(n * nu, sizeof *by_u), *by_q = take(2 * nv, sizeof *by_q);
    tact_rollout_work roll;
    tact_rollout rollout = {.steps = steps, .u = commands, .context = &steps, .loss = loss};
    tact_rollout_slope slope = {.q = by_q, .u = by_u, .v = model->law == &tact_law_virtual ? by_q + nv : NULL};
    for (size_t i = 0; i < n * nu; i++) commands[i] = u[i % nu];
    CHECK_INT(tact_rollout_init(&roll, model, steps, memory, size), TACT_CONVERGED);
    tact_rollout_result result = tact_rollout_gradient(model, &scene->options, &rollout, &after, &roll, &slope);
    bits_mix((uint64_t)result.status);
    bits_number((double)result.loss);
    bits_numbers(by_u, steps * model->nu);
    bits_numbers(by_q, 2 * model->nv);
    free(memory);
    free(commands);
    free(by_u);
    free(by_q);
}

static void end_line(const bits_run *run, const char *what) {
    char name[BITS_NAME];
    int at = snprintf(name, sizeof name, "%s: %s", what, run->scene);
    if (run->law) at += snprintf(name + at, sizeof name - (size_t)at, ", %s", run->law);
    for (int i = 0; i < SETTINGS && run->set[i]; i++) at += snprintf(name + at, sizeof name - (size_t)at, " %s", run->set[i]);
    bits_end_line(name);
}

static void digest_run(const bits_run *run) {
    void *memory[5];
    if (!open_run(run, memory)) return;
    uint64_t effort = 0;
    for (int k = 0; k < run->steps; k++) {
        tact_status status = go();
        digest_state();
        uint64_t states = bits_now;
        bits_now = effort;
        digest_effort(status);
        effort = bits_now;
        bits_now = states;
    }
    end_line(run, "states");
    bits_now = effort;
    end_line(run, "effort");
    if (work.status >= 0) digest_slopes();
    end_line(run, "slopes");
    if (model->law != &tact_law_rigid) {
        digest_rollout(model->nv > 100 ? 1 : 3);
        end_line(run, "gradient");
    }
    for (int i = 0; i < 5; i++) free(memory[i]);
    tact_scene_free(scene);
}

int main(void) {
    if (sizeof(tact_real) != sizeof(double)) return test_end("bits_steps (of double only)");
    if (!getenv("TACT_WRITE")) bits_read();
    for (size_t i = 0; i < sizeof RUNS / sizeof RUNS[0]; i++) digest_run(&RUNS[i]);
    bits_compare();
    return test_end("bits_steps");
}
