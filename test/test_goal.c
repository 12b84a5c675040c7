// SPDX-License-Identifier: MIT
// The goal of a scene: what is refused, and its loss as a function of the commands against differences.
// the command's own part, which is in no library
#include "app/goal.c"

#include "scene_test.h"

#define WITH_GOAL(goal)                                      \
    "{\"tact\":1,\"bodies\":[" BALL("ball") "," SLIDE(       \
        "slide", ",\"axis\":[1,0,0],\"limits\":[-1,1]") "]," \
                                                        "\"drives\":[{\"joint\":\"slide\",\"stiffness\":300}]," goal "}"

static void test_reading(void) {
    const tact_model *model =
        open_scene(WITH_GOAL("\"goal\":{\"body\":\"slide\",\"position\":[1,-2,3],\"horizon\":7,\"knots\":2,\"weight\":5,"
                             "\"path\":0.5,\"effort\":0.25,\"tolerance\":0.125}"));
    CHECK_INT(scene->goal.body, 1);
    CHECK_TEXT(model->names->body[scene->goal.body], "slide");
    CHECK(scene->goal.position.x == 1 && scene->goal.position.y == -2 && scene->goal.position.z == 3);
    CHECK_INT(scene->goal.horizon, 7);
    CHECK_INT(scene->goal.knots, 2);
    CHECK(scene->goal.weight == 5 && scene->goal.path == TACT_REAL(0.5) && scene->goal.effort == TACT_REAL(0.25));
    CHECK(scene->goal.tolerance == TACT_REAL(0.125));
    close_scene();
    // bodies parents first: the goal's has another index than in the file
    open_scene("{\"tact\":1,\"bodies\":[{\"name\":\"b\",\"parent\":\"a\",\"joint\":{\"type\":\"fixed\"}}," BALL(
        "a") "],"
             "\"goal\":{\"body\":\"b\",\"position\":[0,0,0]}}");
    CHECK_TEXT(scene->model.names->body[scene->goal.body], "b");
    CHECK_INT(scene->goal.horizon, 100);
    CHECK_INT(scene->goal.knots, 4);
    close_scene();
    open_scene(BODIES(BALL("ball")) "}");
    CHECK_INT(scene->goal.body, TACT_WORLD);
    close_scene();
}

static void test_refused(void) {
    CHECK_SCENE(WITH_GOAL("\"goal\":[]"), "/goal: expected an object, found an array");
    CHECK_SCENE(WITH_GOAL("\"goal\":{}"), "/goal: key \"body\" is missing", "/goal: key \"position\" is missing");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"bal\",\"position\":[0,0,0]}"),
                "/goal/body: no body \"bal\" (did you mean \"ball\"?)");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"world\",\"position\":[0,0,0]}"), "/goal/body: the world does not move");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0]}"), "/goal/position: expected 3 numbers, found 2");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,2e6]}"),
                "/goal/position/2: too large: at most 1000000 in magnitude (found 2000000)");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,0],\"horizon\":0}"),
                "/goal/horizon: must be within [1, 1000000] (found 0)");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,0],\"knots\":1.5}"),
                "/goal/knots: must be an integer (found 1.5)");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,0],\"weight\":-1}"),
                "/goal/weight: must be within [0, 1000000000] (found -1)");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,0],\"efort\":1}"),
                "/goal: unknown key \"efort\" (did you mean \"effort\"?)");
    CHECK_SCENE(
        WITH_GOAL("\"goal\":{\"body\":\"ball\",\"position\":[0,0,0],\"goal\":1}"),
        "/goal: unknown key \"goal\" (allowed: body, position, horizon, knots, weight, path, effort, tolerance, orientation, "
        "position_tolerance, angle_tolerance, hold)");
}

static const char rolling[] = "{\"tact\":1,\"options\":{\"kappa\":500,\"margin\":0.3},\"bodies\":["
                              "{\"name\":\"arm\",\"parent\":\"world\",\"joint\":{\"type\":\"revolute\",\"axis\":[0,0,1],"
                              "\"limits\":[-0.4,0.4],\"xyz\":[-0.2,0,0.05]}},"
                              "{\"name\":\"hand\",\"parent\":\"arm\",\"joint\":{\"type\":\"prismatic\",\"axis\":[1,0,0],"
                              "\"limits\":[-0.1,0.1],\"xyz\":[0.1,0,0]}},"
                              "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[3e-4,3e-4,3e-4,0,0,0],\"joint\":"
                              "{\"type\":\"free\",\"rpy\":[0.2,0.1,0.3]}},"
                              "{\"name\":\"mark\",\"parent\":\"ball\",\"joint\":{\"type\":\"fixed\",\"xyz\":[0.01,0.02,0.03]}}],"
                              "\"shapes\":[{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\"},"
                              "{\"name\":\"tip\",\"body\":\"hand\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0.02,0,0]},"
                              "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04}],"
                              "\"pairs\":[{\"a\":\"table\",\"b\":\"ball\",\"mu\":0.5},{\"a\":\"tip\",\"b\":\"ball\",\"mu\":0.5}],"
                              "\"drives\":[{\"joint\":\"arm\",\"stiffness\":2},{\"joint\":\"hand\",\"stiffness\":300}],"
                              "\"forces\":[{\"body\":\"ball\",\"times\":[0,1],\"force\":[[0,0,0],[0,-0.3,0]]}],"
                              "\"state\":{\"q\":{\"arm\":0.05,\"ball\":[0,0.005,0.042,1,0,0,0]}},"
                              "\"goal\":{\"body\":\"mark\",\"position\":[0.1,0.03,0.05],\"horizon\":25,\"knots\":4,\"path\":300,"
                              "\"effort\":0.3,\"weight\":200}}";

static void test_gradient(uint64_t *seed) {
    open_scene(rolling);
    tact_goal_plan plan;
    tact_state start;
    size_t size = tact_state_size(&scene->model);
    void *memory = malloc(size);
    CHECK_INT(tact_state_init(&start, &scene->model, memory, size), TACT_CONVERGED);
    CHECK(tact_goal_plan_make(&plan, scene, &start));
    int n = plan.n, nu = scene->model.nu;
    CHECK_INT(n, 8);
    // hold, at the initial coordinates
    for (int i = 0; i < n + nu; i++)
        CHECK_CLOSE(plan.command.u[i], i % nu == 0 ? 0.05 : 0, sizeof(tact_real) == 8 ? 1e-15 : 1e-7);
    tact_real *g = malloc((size_t)n * sizeof *g), *x = malloc((size_t)n * sizeof *x), *none = malloc((size_t)n * sizeof *none);
    for (int i = 0; i < n; i++) x[i] = plan.x[i] + (tact_real)test_random(seed, -0.1, 0.1);
    tact_real value = tact_goal_plan_value(&plan, x, g);
    CHECK(isfinite((double)value) && value == tact_goal_plan_value(&plan, x, NULL));
    double h = sizeof(tact_real) == 8 ? 1e-4 : 3e-2, norm = 0;
    for (int i = 0; i < n; i++) norm = fmax(norm, fabs((double)g[i]));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = -2; k <= 2; k++) {
            static const double factor[] = {1, -8, 0, 8, -1};
            for (int j = 0; j < n; j++) none[j] = x[j];
            none[i] = (tact_real)((double)x[i] + k * h);
            sum += factor[k + 2] * (double)tact_goal_plan_value(&plan, none, NULL);
        }
        CHECK_CLOSE((sum / (12 * h) - (double)g[i]) / norm, 0, sizeof(tact_real) == 8 ? 1e-8 : 0.02);
    }
    // M is the inverse of the effort's second derivative: of the differences of M v to their neighbours come v
    for (int i = 0; i < n; i++) none[i] = g[i] = (tact_real)test_random(seed, -1, 1);
    tact_goal_plan_precondition(&plan, none);
    for (int i = 0; i < n; i++) {
        double before = i >= nu ? (double)none[i - nu] : 0, after = i + nu < n ? (double)none[i + nu] : (double)none[i];
        CHECK_CLOSE(2 * (double)none[i] - before - after, g[i], sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
    }
    // a step without answer
    none[0] = (tact_real)NAN;
    CHECK(isinf((double)tact_goal_plan_value(&plan, none, g)));
    CHECK_INT(plan.status, TACT_BAD_INPUT);
    free(g);
    free(x);
    free(none);
    tact_goal_plan_free(&plan);
    free(memory);
    close_scene();
}

int main(void) {
    uint64_t seed = test_seed(5);
    test_reading();
    test_refused();
    test_gradient(&seed);
    return test_end("goal");
}
