// SPDX-License-Identifier: MIT
// The way of a scene's body to its goal: problem, solution, steps along it, and scenes that have none.
#include "tact/passage.h"

#include <string.h>

#include "scene_test.h"

static tact_status open_passage(tact_passage *passage, tact_world *world, int steps, tact_fault *fault) {
    return tact_passage_open(passage, world->scene, steps, &world->work.kinematics, fault);
}

// A goal that the cart cannot reach.
static void test_aside(void) {
    char message[1280];
    tact_passage passage;
    tact_fault fault = {0};
    tact_world *world = tact_world_open("data/scenes/cart_stop.json", message, sizeof message);
    CHECK(world != NULL);
    if (!world) return;
    world->scene->goal.position.y = 1;
    CHECK(open_passage(&passage, world, 10, &fault) == TACT_BAD_INPUT);
    CHECK_TEXT(fault.field, "position");
    tact_passage_close(&passage);
    tact_world_close(world);
}

static void test_refused(const char *path, int steps, const char *field) {
    char message[1280];
    tact_passage passage;
    tact_fault fault = {0};
    tact_world *world = tact_world_open(path, message, sizeof message);
    CHECK(world != NULL);
    if (!world) return;
    CHECK(open_passage(&passage, world, steps, &fault) == TACT_BAD_INPUT);
    CHECK_TEXT(fault.field, field);
    tact_passage_close(&passage);
    tact_world_close(world);
}

// What no linear problem is made of, and arenas that are too small.
static void test_models(void) {
#define SLIDER "{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"prismatic\",\"axis\":[1,0,0]}}"
    static const char *const bodies[] = {
        SLIDER, SLIDER,
        "{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"revolute\",\"axis\":[0,"
        "0,1],"
        "\"limits\":[-1,1]}},{\"name\":\"b\",\"parent\":\"a\",\"mass\":1,\"com\":[0.1,0,0],\"inertia\":[1,1,1,0,0,0],\"joint\":{"
        "\"type\":"
        "\"prismatic\",\"axis\":[1,0,0]}}",
        SLIDER};
    static const char *const rest[] = {
        "", "", "",
        ",\"mu\":0.5,\"shapes\":[{\"name\":\"w\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[-1,0,0],\"offset\":-1},{"
        "\"name\":\"s\","
        "\"body\":\"a\",\"type\":\"sphere\",\"radius\":0.1}],\"pairs\":[{\"a\":\"w\",\"b\":\"s\"}]"};
    static const tact_status wanted[] = {TACT_CONVERGED, TACT_SINGULAR, TACT_BAD_INPUT, TACT_BAD_INPUT};
    static const char *const field[] = {NULL, NULL, "body", "pair"};
    for (int k = 0; k < 4; k++) {
        char text[2000];
        snprintf(text, sizeof text, "{\"tact\":1,\"law\":\"rigid\",\"bodies\":[%s]%s}", bodies[k], rest[k]);
        tact_scene *own = parse_text(text, NULL);
        for (int i = 0; !own && i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
        CHECK(own != NULL);
        if (!own) continue;
        tact_model *model = &own->model;
        // of which no scene is made
        if (k == 1) ((tact_body *)&model->body[0])->mass = 0;
        static bool reach[8];
        static tact_real target[8];
        tact_trajectory_task task = {
            .model = model, .dt = TACT_REAL(0.1), .gravity = {0, 0, -10}, .steps = 3, .reach = reach, .target = target};
        tact_trajectory trajectory;
        tact_fault fault;
        tact_arena arena = {0};
        CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), TACT_CONVERGED);
        size_t size = arena.used;
        void *memory = malloc(size);
        arena = (tact_arena){.memory = memory, .size = size / 2};
        CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), TACT_NO_MEMORY);
        arena = (tact_arena){.memory = memory, .size = size};
        CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), wanted[k]);
        if (field[k]) CHECK_TEXT(fault.field, field[k]);
        arena = (tact_arena){.memory = memory, .size = size};
        int *counts[] = {&model->nloop, &model->nspring};
        for (int i = 0; i < 2; i++) {
            *counts[i] = 1;
            CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), TACT_BAD_INPUT);
            CHECK_TEXT(fault.field, i == 0 ? "nloop" : "nspring");
            *counts[i] = 0;
        }
        task.gravity.x = 2000;
        CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), TACT_BAD_INPUT);
        CHECK_TEXT(fault.field, "gravity");
        task.gravity.x = 0, task.dt = 2;
        CHECK_INT(tact_trajectory_build(&task, &trajectory, &fault, &arena), TACT_BAD_INPUT);
        CHECK_TEXT(fault.field, "dt");
        free(memory);
        tact_scene_free(own);
    }
}

static void test_cart(void) {
    enum { STEPS = 20 };
    char message[1280];
    tact_passage passage;
    tact_fault fault = {0};
    tact_world *world = tact_world_open("data/scenes/cart_stop.json", message, sizeof message);
    CHECK(world != NULL);
    if (!world) return;
    const tact_goal *goal = &world->scene->goal;
    CHECK(open_passage(&passage, world, STEPS, &fault) == TACT_CONVERGED);
    CHECK(passage.trajectory.steps == STEPS && passage.trajectory.problem.n > 0);
    tact_qcqp_options options = tact_qcqp_options_default();
    CHECK(tact_passage_solve(&passage, &options) == TACT_CONVERGED);
    for (int k = 0; k < STEPS; k++) tact_passage_step(&passage, k, &world->state, &world->work, world->u);
    CHECK_CLOSE((double)world->state.time, STEPS * (double)passage.task.dt, 1e-5);
    tact_kinematics_update(&world->work.kinematics, &world->scene->model, world->state.q);
    tact_vec3 left = tact_vec3_sub(world->work.kinematics.pose[goal->body].p, goal->position);
    CHECK_CLOSE((double)tact_vec3_dot(left, left), 0, 1e-8);
    for (int i = 0; i < world->scene->model.nv; i++)
        if (passage.reach[i]) CHECK_CLOSE((double)world->state.v[i], 0, 1e-4);
    tact_passage_close(&passage);
    CHECK(passage.reach == NULL);
    tact_world_close(world);
}

int main(void) {
    test_models();
    test_cart();
    test_aside();
    test_refused("data/scenes/incline.json", 10, "goal");
    test_refused("data/scenes/roll_to_goal.json", 10, "body");
    test_refused("data/scenes/push_to_goal.json", 10, "pair");
    test_refused("data/scenes/cart_stop.json", 10001, "steps");
    return test_end("passage");
}
