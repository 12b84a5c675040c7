// SPDX-License-Identifier: MIT
// Lanes against tact_step: the same bits, of every width that the machine runs, over steps of scenes that differ in their
// numbers, among them ones without an answer and ones that run out of iterations.
#include "batch/lane.h"
#include "tact/errors.h"
#include "tact/lanes.h"
#include "tact/scene.h"
#include "test.h"

enum { SCENES = 41, STEPS = 12 };

static uint64_t seed = 1;

static double uniform(double low, double high) {
    return test_random(&seed, low, high);
}

// One scene's own numbers: bodies, pairs, shapes and drives are copies.
typedef struct {
    tact_model model;
    tact_options options;
    tact_input input;
    tact_state wide, single;
    tact_real *u;
    tact_wrench *wrench;
    tact_real *spare, *guess;
    void *memory[2];
} member;

static member group[SCENES];

static void *copy(const void *from, size_t size) {
    void *to = malloc(size > 0 ? size : 1);
    if (to && size > 0) memcpy(to, from, size);
    return to;
}

static void vary_model(tact_model *model) {
    tact_body *body = copy(model->body, (size_t)model->nbody * sizeof *body);
    tact_pair *pair = copy(model->pair, (size_t)model->npair * sizeof *pair);
    tact_dof *dof = copy(model->dof, (size_t)model->nv * sizeof *dof);
    tact_shape *shape = copy(model->shape, (size_t)model->nshape * sizeof *shape);
    for (int i = 0; i < model->nbody; i++) body[i].mass *= (tact_real)uniform(0.5, 2);
    for (int i = 0; i < model->nbody; i++)
        if (tact_joint_dofs(body[i].joint) == 1) body[i].armature = TACT_REAL(0.01) * (tact_real)(i % 3);
    for (int i = 0; i < model->npair; i++) pair[i].mu = uniform(0, 1) < 0.1 ? 0 : (tact_real)uniform(0.1, 1.5);
    for (int i = 0; i < model->nv; i++) dof[i].stiffness *= (tact_real)uniform(0.5, 3);
    for (int i = 0; i < model->nshape; i++)
        if (shape[i].type == TACT_SHAPE_SPHERE) shape[i].size[0] *= (tact_real)uniform(0.9, 1.1);
    model->body = body;
    model->pair = pair;
    model->dof = dof;
    model->shape = shape;
}

static void open_member(member *m, const tact_scene *scene) {
    size_t size = tact_state_size(&scene->model);
    m->model = scene->model;
    vary_model(&m->model);
    m->options = scene->options;
    for (int k = 0; k < 2; k++) m->memory[k] = malloc(size);
    tact_state_init(&m->wide, &m->model, m->memory[0], size);
    tact_state_init(&m->single, &m->model, m->memory[1], size);
    m->u = malloc((size_t)m->model.nu * sizeof *m->u + 1);
    m->wrench = calloc((size_t)m->model.nbody, sizeof *m->wrench);
    for (int i = 0; i < m->model.nv; i++)
        if (m->model.dof[i].q >= 0) m->wide.q[m->model.dof[i].q] += (tact_real)uniform(-0.03, 0.03);
    m->input.u = m->u;
    m->input.wrench = uniform(0, 1) < 0.5 ? m->wrench : NULL;
    // of every third scene gaps are off by up to 4 mm
    m->spare = calloc((size_t)m->model.npair, sizeof *m->spare);
    for (int i = 0; i < m->model.npair; i++) m->spare[i] = (tact_real)(i % 5 - 2) * TACT_REAL(0.002);
    m->input.spare = (m - group) % 3 == 1 ? m->spare : NULL;
    // and half of the scenes begin from a displacement that is expected, by the last one or at random
    m->guess = calloc((size_t)m->model.nv + 1, sizeof *m->guess);
    m->input.guess = (m - group) % 4 < 2 ? m->guess : NULL;
    if (uniform(0, 1) < 0.2) m->options.max_iterations = (int)uniform(1, 8);
    if (uniform(0, 1) < 0.5) m->options.kappa *= (tact_real)uniform(1, 100);
    if (uniform(0, 1) < 0.3) m->options.warm_start = !m->options.warm_start;
    if (uniform(0, 1) < 0.05) m->options.dt = -1;
}

static void drive_member(member *m, int step) {
    tact_hold(&m->model, &m->wide, m->u);
    for (int i = 0; i < m->model.nu; i++) m->u[i] += (tact_real)uniform(-0.05, 0.05);
    for (int i = 0; i < m->model.nbody; i++) m->wrench[i].force = tact_vec3_make((tact_real)uniform(-1, 1), 0, (tact_real)0.5);
    for (int i = 0; i < m->model.nv; i++) m->guess[i] = step % 2 ? m->wide.v[i] * m->options.dt : (tact_real)uniform(-0.02, 0.02);
    // some are thrown somewhere else, deep inside each other
    if (step > 0 && uniform(0, 1) < 0.05)
        for (int i = 0; i < m->model.nv; i++)
            if (m->model.dof[i].q >= 0) m->wide.q[m->model.dof[i].q] += (tact_real)uniform(-0.2, 0.2);
    if (uniform(0, 1) < 0.01) m->wide.q[0] = (tact_real)NAN;
    tact_state_copy(&m->single, &m->wide, &m->model);
}

static bool same(const void *a, const void *b, size_t count, size_t size) {
    return memcmp(a, b, count * size) == 0;
}

static bool same_state(const member *m) {
    const tact_state *a = &m->wide, *b = &m->single;
    size_t nq = (size_t)m->model.nq, nv = (size_t)m->model.nv, npair = (size_t)m->model.npair, real = sizeof(tact_real);
    return same(a->q, b->q, nq, real) && same(a->v, b->v, nv, real) && same(a->lambda, b->lambda, 3 * npair, real) &&
           same(a->anchor, b->anchor, npair, sizeof(tact_vec3)) && same(a->normal, b->normal, npair, sizeof(tact_vec3)) &&
           same(&a->time, &b->time, 1, real);
}

static int tally[3];  // converged, usable, no answer

// the solver in lanes, and of how many scenes that it was given it found the answers
static const tact_lane_kernel *solver;
static int given, answered;

static void solve_and_count(void *memory, tact_lane_scene *const *scene, int count) {
    solver->run(memory, scene, count);
    given += count;
    for (int i = 0; i < count; i++) answered += !scene[i]->open;
}

static void step_group(tact_lanes *lanes, tact_work *work, int count, int step) {
    static const tact_model *model[SCENES];
    static tact_options options[SCENES];
    static tact_input input[SCENES];
    static tact_state state[SCENES];
    tact_status status[SCENES];
    int iterations[SCENES];
    for (int i = 0; i < count; i++) {
        drive_member(&group[i], step);
        model[i] = &group[i].model;
        options[i] = group[i].options;
        input[i] = group[i].input;
        state[i] = group[i].wide;
    }
    tact_lanes_step(lanes, count, model, options, input, state, status, iterations);
    for (int i = 0; i < count; i++) {
        group[i].wide = state[i];
        CHECK_INT(status[i], tact_step(model[i], &options[i], &input[i], &group[i].single, work));
        CHECK(same_state(&group[i]));
        if (status[i] != TACT_BAD_INPUT) CHECK_INT(iterations[i], work->iterations);
        tally[status[i] < 0 ? 2 : status[i] > 0]++;
        // what is not a number is put back
        for (int k = 0; k < group[i].model.nq; k++)
            if (!(group[i].wide.q[k] == group[i].wide.q[k])) group[i].wide.q[k] = group[i].model.q0[k];
    }
}

static void close_member(member *m) {
    free((void *)m->model.body);
    free((void *)m->model.pair);
    free((void *)m->model.dof);
    free((void *)m->model.shape);
    for (int k = 0; k < 2; k++) free(m->memory[k]);
    free(m->u);
    free(m->wrench);
    free(m->spare);
    free(m->guess);
}

// a door that nothing drives, whose hinge may have a rotor, and a driven finger
static const char door[] =
    "{\"tact\":1,\"law\":\"barrier\",\"options\":{\"kappa\":1000},\"mu\":0.5,\"bodies\":[{\"name\":\"door\",\"parent\":\"world\","
    "\"mass\":1,\"com\":[0.1,0,0],\"inertia\":[0.01,0.01,0.01,0,0,0],\"joint\":{\"type\":\"continuous\",\"axis\":[0,0,1]}},"
    "{\"name\":\"fan\",\"parent\":\"door\",\"mass\":0.1,\"inertia\":[0.01,0.01,0.01,0,0,0],\"joint\":{\"type\":\"continuous\"}},"
    "{\"name\":\"finger\",\"parent\":\"world\",\"mass\":0.1,\"joint\":{\"type\":\"prismatic\",\"axis\":[0,1,0]}}],"
    "\"shapes\":[{\"name\":\"door\",\"body\":\"door\",\"type\":\"capsule\",\"radius\":0.01,\"length\":0.2,\"rpy\":[0,1.5708,0],"
    "\"xyz\":[0.1,0,0]},{\"name\":\"tip\",\"body\":\"finger\",\"type\":\"sphere\",\"radius\":0.02,\"xyz\":[0.15,0,0]}],"
    "\"pairs\":[{\"a\":\"tip\",\"b\":\"door\"}],\"drives\":[{\"joint\":\"finger\",\"stiffness\":100}],"
    "\"state\":{\"q\":{\"finger\":-0.05}}}";

// path: a file, or the text of a scene
static void test_scene(const char *path, int width, double margin) {
    char message[TACT_ERROR_LENGTH];
    tact_errors errors = {0};
    tact_scene *scene =
        path[0] == '{'
            ? tact_scene_parse((tact_source){.name = "door", .bytes = path, .size = strlen(path), .line = 1}, "", NULL, &errors)
            : tact_scene_load(path, message, sizeof message);
    CHECK(scene != NULL);
    if (!scene) return;
    if (margin > 0) scene->options.margin = (tact_real)margin;
    tact_lanes lanes;
    tact_work work;
    size_t size = tact_lanes_size(&scene->model, width), work_size = tact_work_size(&scene->model);
    void *memory = malloc(size), *scratch = malloc(work_size);
    CHECK_INT(tact_lanes_init(&lanes, &scene->model, width, memory, size), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, &scene->model, scratch, work_size), TACT_CONVERGED);
    CHECK_INT(lanes.width, width);
    solver = lanes.solve;
    tact_lane_kernel counting = {.run = solve_and_count};
    lanes.solve = &counting;
    for (int i = 0; i < SCENES; i++) open_member(&group[i], scene);
    for (int step = 0; step < STEPS; step++) step_group(&lanes, &work, 1 + (int)uniform(0, SCENES - 0.01), step);
    for (int i = 0; i < SCENES; i++) close_member(&group[i]);
    free(memory);
    free(scratch);
    tact_scene_free(scene);
}

// Under the other laws scenes are stepped one after the other, each with its own numbers and in any place of the arrays.
static void test_other_law(const char *path) {
    enum { FEW = 5 };
    char message[1280];
    tact_scene *scene = tact_scene_load(path, message, sizeof message);
    CHECK(scene != NULL);
    if (!scene) return;
    size_t size = tact_lanes_size(&scene->model, 0), work_size = tact_work_size(&scene->model);
    tact_lanes lanes;
    void *memory = malloc(size), *work_memory = malloc(work_size);
    CHECK_INT(tact_lanes_init(&lanes, &scene->model, 0, memory, size), TACT_CONVERGED);
    for (int i = 0; i < FEW; i++) open_member(&group[i], scene);
    for (int step = 0; step < 2 * STEPS; step++) {
        const tact_model *model[FEW];
        tact_options options[FEW];
        tact_input input[FEW];
        tact_state state[FEW];
        tact_status status[FEW];
        for (int i = 0; i < FEW; i++) {
            member *m = &group[(i + step) % FEW];
            drive_member(m, 0);
            tact_state_copy(&m->single, &m->wide, &m->model);
            model[i] = &m->model, options[i] = m->options, input[i] = m->input, state[i] = m->wide;
        }
        tact_lanes_step(&lanes, FEW, model, options, input, state, status, NULL);
        for (int i = 0; i < FEW; i++) {
            member *m = &group[(i + step) % FEW];
            tact_work work;
            m->wide = state[i];
            // a work that was made for this model's numbers
            CHECK_INT(tact_work_init(&work, &m->model, work_memory, work_size), TACT_CONVERGED);
            CHECK_INT(status[i], tact_step(&m->model, &m->options, &m->input, &m->single, &work));
            CHECK(memcmp(m->wide.q, m->single.q, (size_t)m->model.nq * sizeof(tact_real)) == 0);
            CHECK(memcmp(m->wide.v, m->single.v, (size_t)m->model.nv * sizeof(tact_real)) == 0);
        }
    }
    for (int i = 0; i < FEW; i++) close_member(&group[i]);
    free(memory);
    free(work_memory);
    tact_scene_free(scene);
}

int main(void) {
    int width[5], count = tact_lanes_widths(width);
    seed = test_seed(1);
    CHECK(count >= 2 && width[0] == 1);
    test_other_law("data/scenes/lift_circle.json");
    test_other_law("data/scenes/hinge_fingers.json");
    test_other_law("data/scenes/newton_cradle.json");
    for (int i = 0; i < count; i++) {
        memset(tally, 0, sizeof tally);
        given = answered = 0;
        test_scene("data/scenes/lesson.json", width[i], 0.2);
        test_scene("data/scenes/lesson.json", width[i], 0);
        test_scene("data/scenes/hand_lift.json", width[i], 0);
        test_scene("data/scenes/cube_in_hand.json", width[i], 0);
        test_scene("data/scenes/egg_cup.json", width[i], 0);
        test_scene("data/scenes/incline.json", width[i], 0);
        test_scene("data/scenes/rods.json", width[i], 0);
        test_scene("data/scenes/two_fingers_disc.json", width[i], 0);
        test_scene("data/scenes/box_stack.json", width[i], 0);
        test_scene("data/scenes/pinched_rock.json", width[i], 0);
        test_scene("data/scenes/spot_lift.json", width[i], 0);
        test_scene("data/scenes/four_bar.json", width[i], 0);
        test_scene(door, width[i], 0);
        printf("%d lanes: %d steps converged, %d usable, %d without answer; of %d given to lanes %d answered there\n", width[i],
               tally[0], tally[1], tally[2], given, answered);
        CHECK(tally[0] > 0 && tally[1] > 0 && tally[2] > 0);
        // the scenes of one pattern, most of them in the ordinary way; not left to tact_step
        CHECK(given > (tally[0] + tally[1]) / 4 && answered > given / 2);
    }
    return test_end("lanes");
}
