// SPDX-License-Identifier: MIT
// The way of a scene's body to its goal: problem, solution, steps along it, and scenes that have none.
#include "tact/passage.h"

#include <string.h>

#include "test.h"

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
    test_cart();
    test_aside();
    test_refused("data/scenes/incline.json", 10, "goal");
    test_refused("data/scenes/roll_to_goal.json", 10, "body");
    test_refused("data/scenes/push_to_goal.json", 10, "pair");
    test_refused("data/scenes/cart_stop.json", 10001, "steps");
    return test_end("passage");
}
