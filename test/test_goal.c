// SPDX-License-Identifier: MIT
// The goal of a scene: what is read and refused, its loss as a function of the commands against differences, and the search.
#include "plan/ilqr.h"
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
    CHECK_SCENE(WITH_GOAL("\"goal\":[]"), "/goal: expected an object, found an array: {\"body\": ..., \"position\": ...}");
    CHECK_SCENE(WITH_GOAL("\"goal\":{}"), "/goal: key \"body\" is missing", "/goal: key \"position\" is missing");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"terms\":[],\"body\":\"ball\"}"), "/goal: key \"position\" is missing");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"terms\":[],\"position\":[0,0,0]}"), "/goal: key \"body\" is missing");
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
        "angle_weight, posture, reach, terms, position_tolerance, angle_tolerance, hold)");
}

#define TERMS(terms)                                                                                                            \
    WITH_GOAL("\"pairs\":[{\"a\":\"tip\",\"b\":\"ball\",\"mu\":0},{\"a\":\"b\",\"b\":\"ball\"}],\"mu\":1,\"shapes\":["          \
              "{\"name\":\"tip\",\"body\":\"slide\",\"type\":\"sphere\",\"radius\":0.01},{\"name\":\"ball\",\"body\":\"ball\"," \
              "\"type\":\"sphere\",\"radius\":0.03},"                                                                           \
              "{\"name\":\"b\",\"body\":\"world\",\"type\":\"plane\"},{\"name\":\"bar\",\"body\":\"slide\",\"type\":"           \
              "\"capsule\",\"radius\":0.01,\"length\":0.1}],"                                                                   \
              "\"goal\":{\"horizon\":10,\"terms\":[" terms "]}")

static void test_terms(void) {
    open_scene(
        TERMS("{\"body\":\"ball\",\"position\":[1,2,3],\"point\":[0,0,1],\"orientation\":[0,1,0,0],\"weight\":5,\"time\":0.05},"
              "{\"joint\":\"slide\",\"value\":0.5},"
              "{\"b\":\"b\",\"a\":\"ball\",\"least\":1,\"slip\":0.5,\"time\":0,\"until\":0.1}"));
    const tact_goal *goal = &scene->goal;
    CHECK_INT(goal->body, TACT_WORLD);
    CHECK_INT(goal->nresidual, 5);
    const tact_residual *r = goal->residual;
    CHECK(r[0].kind == TACT_RESIDUAL_POINT && r[0].weight == 10 && r[0].first == 5 && r[0].last == 5 && r[0].point.z == 1);
    CHECK_TEXT(scene->model.names->body[r[0].body], "ball");
    CHECK(r[1].kind == TACT_RESIDUAL_TURN && r[1].orientation.x == 1);
    CHECK_CLOSE(r[1].weight, 2 * 5 * 0.0025, 1e-6);
    CHECK(r[2].kind == TACT_RESIDUAL_JOINT && r[2].value == TACT_REAL(0.5) && r[2].first == 10 && r[2].weight == 200);
    CHECK(r[3].kind == TACT_RESIDUAL_FORCE && r[3].least == 1 && r[3].most == TACT_MAX && r[3].first == 1 && r[3].last == 10);
    CHECK_CLOSE(r[3].weight, 2. / 10, 1e-6);
    CHECK(r[4].kind == TACT_RESIDUAL_SLIP && r[4].bearing == TACT_REAL(0.5) && r[4].tolerance == TACT_MAX);
    close_scene();
    open_scene(TERMS("{\"body\":\"ball\",\"position\":[1,2,3]}"));
    CHECK_INT(scene->goal.nresidual, 1);
    close_scene();
    CHECK_SCENE(TERMS("{}"), "/goal/terms/0: one of \"body\", \"joint\" and \"a\" with \"b\" is needed");
    CHECK_SCENE(TERMS("{\"body\":\"ball\",\"joint\":\"slide\"}"),
                "/goal/terms/0: one of \"body\", \"joint\" and \"a\" with \"b\" is needed, not several");
    CHECK_SCENE(TERMS("{\"body\":\"ball\"}"), "/goal/terms/0: \"position\" or \"orientation\" is needed beside \"body\"");
    CHECK_SCENE(TERMS("{\"body\":\"world\",\"position\":[0,0,0]}"), "/goal/terms/0/body: the world does not move");
    CHECK_SCENE(TERMS("{\"body\":\"bal\",\"position\":[0,0,0]}"), "/goal/terms/0/body: no body \"bal\" (did you mean \"ball\"?)");
    CHECK_SCENE(TERMS("{\"body\":\"ball\",\"orientation\":[0,0,0,2]}"),
                "/goal/terms/0/orientation: norm 2: must be 1 within 1e-3 (w, x, y, z)");
    CHECK_SCENE(TERMS("{\"joint\":\"slid\",\"value\":0}"), "/goal/terms/0/joint: no joint \"slid\" (did you mean \"slide\"?)");
    CHECK_SCENE(TERMS("{\"joint\":\"slide\"}"), "/goal/terms/0: key \"value\" is missing");
    CHECK_SCENE(TERMS("{\"joint\":\"slide\",\"value\":2}"), "/goal/terms/0/value: 2 outside [-1, 1]");
    CHECK_SCENE(TERMS("{\"joint\":\"ball\",\"value\":0}"),
                "/goal/terms/0/joint: it has not one coordinate: use \"body\" with a pose");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"least\":1}"), "/goal/terms/0: key \"b\" is missing");
    CHECK_SCENE(TERMS("{\"b\":\"tip\",\"least\":1}"), "/goal/terms/0: key \"a\" is missing");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"b\":\"ball\"}"),
                "/goal/terms/0: \"least\", \"most\" or \"slip\" is needed beside \"a\" and \"b\"");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"b\":\"bal\",\"most\":1}"), "/goal/terms/0/b: no shape \"bal\" (did you mean \"ball\"?)");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"b\":\"b\",\"most\":1}"),
                "/goal/terms/0: \"tip\" and \"b\" are no pair: add one to /pairs");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"b\":\"ball\",\"least\":2,\"most\":1}"), "/goal/terms/0/most: less than \"least\"");
    CHECK_SCENE(TERMS("{\"a\":\"tip\",\"b\":\"ball\",\"slip\":1}"),
                "/goal/terms/0/slip: the pair has no friction: it always slips");
    CHECK_SCENE(
        TERMS("{\"joint\":\"slide\",\"value\":0,\"time\":0.2}"),
        "/goal/terms/0/time: warning: after the end of the plan, 0.1 s, which counts in its place: raise goal.horizon to 20");
    CHECK_SCENE(
        TERMS("{\"joint\":\"slide\",\"value\":0,\"until\":0.2}"),
        "/goal/terms/0/until: warning: after the end of the plan, 0.1 s, which counts in its place: raise goal.horizon to 20");
    CHECK_SCENE(TERMS("{\"joint\":\"slide\",\"value\":0,\"time\":0.1,\"until\":0.05}"), "/goal/terms/0/until: before \"time\"");
    CHECK_SCENE(TERMS("{\"joint\":\"slide\",\"valu\":0}"), "/goal/terms/0: unknown key \"valu\" (did you mean \"value\"?)");
    CHECK_SCENE(TERMS("3"), "/goal/terms/0: expected an object, found a number: {\"body\": ..., \"point\": ...}");
    CHECK_SCENE(WITH_GOAL("\"goal\":{\"terms\":3}"), "/goal/terms: expected an array, found a number");
    CHECK_SCENE(WITH_GOAL("\"law\":\"rigid\",\"pairs\":[{\"a\":\"p\",\"b\":\"s\",\"mu\":1}],\"shapes\":[{\"name\":\"p\",\"body\":"
                          "\"world\",\"type\":\"plane\"},"
                          "{\"name\":\"s\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.1}],\"goal\":{\"terms\":[{\"a\":"
                          "\"p\",\"b\":\"s\",\"least\":1}]}"),
                "/goal/terms/0: law \"rigid\": only the barrier law has goals of forces");
    CHECK_SCENE(
        WITH_GOAL(
            "\"pairs\":[{\"a\":\"p\",\"b\":\"s\",\"mu\":1}],\"shapes\":[{\"name\":\"p\",\"body\":\"world\",\"type\":\"plane\"},"
            "{\"name\":\"s\",\"body\":\"ball\",\"type\":\"capsule\",\"radius\":0.1,\"length\":0.2}],\"goal\":{\"terms\":[{\"a\":"
            "\"p\",\"b\":\"s\",\"least\":1}]}"),
        "/goal/terms/0: \"p\" and \"s\" touch in 2 contacts: name shapes that touch in one, as spheres do");
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

// with all kinds of residuals, anchors and a posture
static const char *const settings[][2] = {
    {"\"effort\":0.3,", "\"effort\":0.3,\"posture\":2,\"reach\":50,\"orientation\":[0.96,0.28,0,0],\"terms\":["
                        "{\"body\":\"hand\",\"point\":[0.02,0,0],\"position\":[0,0,0.05],\"time\":0.1,\"until\":0.2},"
                        "{\"joint\":\"hand\",\"value\":0.05},"
                        "{\"a\":\"tip\",\"b\":\"ball\",\"least\":0.3,\"most\":0.4,\"time\":0.1,\"until\":0.25},"
                        "{\"a\":\"table\",\"b\":\"ball\",\"slip\":0.5,\"time\":0,\"until\":0.25}],"},
    {"\"margin\":0.3", "\"margin\":0.3,\"anchor\":true"},
};

// The rolling scene, with the first so many of the settings.
static void open_rolling(int count) {
    char text[8192];
    snprintf(text, sizeof text, "%s", rolling);
    for (int i = 0; i < count; i++) {
        char before[8192];
        snprintf(before, sizeof before, "%s", text);
        char *at = strstr(before, settings[i][0]);
        CHECK(at != NULL);
        if (!at) continue;
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - before), before, settings[i][1], at + strlen(settings[i][0]));
    }
    open_scene(text);
}

typedef struct {
    tact_scene_plan plan;
    tact_state start;
    void *memory;
} fixture;

static void begin_plan(fixture *f, tact_plan_method method) {
    tact_fault fault;
    size_t size = tact_state_size(&scene->model);
    f->memory = malloc(size);
    CHECK_INT(tact_state_init(&f->start, &scene->model, f->memory, size), TACT_CONVERGED);
    CHECK(tact_scene_plan_open(&f->plan, scene, &f->start, method, &fault));
}

static void end_plan(fixture *f) {
    tact_scene_plan_close(&f->plan);
    free(f->memory);
}

// Gradients by both methods' rollouts against differences at random knots.
static void test_gradient(uint64_t *seed, int count, tact_plan_method method) {
    fixture f;
    open_rolling(count);
    begin_plan(&f, method);
    tact_planner *planner = &f.plan.planner;
    int n = planner->n;
    CHECK_INT(n, 8);
    tact_scene_plan_command(&f.plan);
    // hold, at the initial coordinates
    for (int i = 0; i < n + 2; i++)
        CHECK_CLOSE(f.plan.command.u[i], i % 2 == 0 ? 0.05 : 0, sizeof(tact_real) == 8 ? 1e-15 : 1e-7);
    tact_real g[8], x[8], moved[8];
    for (int i = 0; i < n; i++) x[i] = planner->x[i] + (tact_real)test_random(seed, -0.1, 0.1);
    tact_real value = tact_planner_value(planner, x, g);
    CHECK(value < TACT_MAX && value == tact_planner_value(planner, x, NULL));
    double h = sizeof(tact_real) == 8 ? 1e-4 : 3e-2, norm = 0;
    for (int i = 0; i < n; i++) norm = fmax(norm, fabs((double)g[i]));
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = -2; k <= 2; k++) {
            static const double factor[] = {1, -8, 0, 8, -1};
            for (int j = 0; j < n; j++) moved[j] = x[j];
            moved[i] = (tact_real)((double)x[i] + k * h);
            sum += factor[k + 2] * (double)tact_planner_value(planner, moved, NULL);
        }
        // bounds of forces and anchors have kinks
        double tolerance = count > 0 ? 1e-5 : 1e-8;
        CHECK_CLOSE((sum / (12 * h) - (double)g[i]) / norm, 0, sizeof(tact_real) == 8 ? tolerance : 0.02);
    }
    // a step without answer
    moved[0] = (tact_real)NAN;
    CHECK(tact_planner_value(planner, moved, g) == TACT_MAX);
    CHECK_INT(planner->status, TACT_BAD_INPUT);
    end_plan(&f);
    close_scene();
}

static int told;

static bool stop_at_two(void *context, const tact_plan_progress *at) {
    (void)context;
    told++;
    return at->iteration < 2;
}

// Both methods come to the same minimum, Gauss-Newton in fewer iterations; stops, starts and refusals.
static void test_search(void) {
    tact_plan_options options = tact_plan_options_default();
    tact_plan_result result[2];
    fixture f;
    open_rolling(0);
    options.relaxations = 0;
    options.gain_reached = options.gain_least = TACT_REAL(1e-5);
    for (int i = 0; i < 2; i++) {
        options.method = i == 0 ? TACT_PLAN_ILQR : TACT_PLAN_LBFGS;
        begin_plan(&f, options.method);
        result[i] = tact_planner_search(&f.plan.planner, &options);
        CHECK(result[i].status >= 0 && result[i].method == options.method);
        CHECK(tact_planner_value(&f.plan.planner, f.plan.planner.x, NULL) == result[i].value);
        for (int k = 0; k < f.plan.planner.n; k++)
            CHECK(f.plan.planner.x[k] >= f.plan.planner.lower[k] && f.plan.planner.x[k] <= f.plan.planner.upper[k]);
        // memory for the one method is none for the other
        options.method = i == 0 ? TACT_PLAN_LBFGS : TACT_PLAN_ILQR;
        tact_plan_result refused = tact_planner_search(&f.plan.planner, &options);
        CHECK_INT(refused.status, TACT_BAD_INPUT);
        CHECK_TEXT(refused.fault.field, "options.method");
        end_plan(&f);
    }
    CHECK_CLOSE(result[0].value / result[1].value, 1, 2e-3);
    CHECK(result[0].iterations < result[1].iterations);
    // report ends it, and so does the limit
    begin_plan(&f, TACT_PLAN_AUTO);
    options = tact_plan_options_default();
    options.report = stop_at_two;
    tact_plan_result stopped = tact_planner_search(&f.plan.planner, &options);
    CHECK(stopped.stopped && stopped.iterations == 2 && told == 3);
    options.report = NULL;
    options.iteration_limit = 0;
    stopped = tact_planner_search(&f.plan.planner, &options);
    CHECK_INT(stopped.status, TACT_ITERATION_LIMIT);
    CHECK_INT(stopped.evaluations, 1);
    // random starts: the same by the same seed, within the limits
    tact_real x[8];
    tact_planner_scatter(&f.plan.planner, 3, 7);
    for (int k = 0; k < 8; k++) x[k] = f.plan.planner.x[k];
    tact_planner_scatter(&f.plan.planner, 3, 8);
    CHECK(x[0] != f.plan.planner.x[0]);
    tact_planner_scatter(&f.plan.planner, 3, 7);
    for (int k = 0; k < 8; k++)
        CHECK(x[k] == f.plan.planner.x[k] && x[k] >= f.plan.planner.lower[k] && x[k] <= f.plan.planner.upper[k]);
    // commands of steps: the last one is held
    const tact_real commands[] = {1, 1, 1, 1, TACT_REAL(0.1), TACT_REAL(0.05)};
    tact_planner_take(&f.plan.planner, commands, 3);
    for (int k = 0; k < 8; k++)
        CHECK_CLOSE((double)f.plan.planner.x[k] / (double)f.plan.planner.scale[k % 2], k % 2 == 0 ? 0.1 : 0.05, 1e-6);
    end_plan(&f);
    close_scene();
}

// Errors are lengths: a residual without a weight has the same one. What cannot begin says why, under both methods; a planner
// that was placed for one method takes that one.
static void test_unweighted(void) {
    fixture f;
    tact_real before[8];
    tact_plan_options options = tact_plan_options_default();
    open_rolling(2);
    begin_plan(&f, TACT_PLAN_LBFGS);
    tact_planner *planner = &f.plan.planner;
    int count = planner->task.nresidual;
    CHECK(count > 4 && count <= 8);
    CHECK(tact_planner_value(planner, planner->x, NULL) < TACT_MAX);
    for (int i = 0; i < count; i++) before[i] = planner->error[i];
    for (int i = 0; i < count; i++) scene->goal.residual[i].weight = 0;
    CHECK(planner->task.residual == scene->goal.residual);
    CHECK(tact_planner_value(planner, planner->x, NULL) < TACT_MAX);
    for (int i = 0; i < count; i++) CHECK_CLOSE((double)(planner->error[i] - before[i]), 0, 100 * (double)TACT_EPS);
    options.iteration_limit = 1;
    tact_plan_result result = tact_planner_search(planner, &options);
    CHECK(result.status >= 0 && result.method == TACT_PLAN_LBFGS && !result.both);
    planner->start.q[0] = (tact_real)NAN;
    CHECK_INT(tact_planner_search(planner, &options).status, TACT_BAD_INPUT);
    end_plan(&f);
    close_scene();
}

// More knots than steps, a task that cannot be reached, and a start without answer.
static void test_ends(void) {
    fixture f;
    tact_plan_options options = tact_plan_options_default();
    open_rolling(2);
    scene->goal.knots = 40;
    begin_plan(&f, TACT_PLAN_ILQR);
    options.iteration_limit = 12;
    tact_real before = tact_planner_value(&f.plan.planner, f.plan.planner.x, NULL);
    tact_plan_result result = tact_planner_search(&f.plan.planner, &options);
    CHECK(result.status >= 0 && result.value < before / 2);
    tact_advice advice = tact_scene_plan_advise(&f.plan, &result);
    CHECK(!advice.numb && advice.anchors == (result.kinks > 0));
    result.kinks = result.jumps = result.rejected = 1;
    advice = tact_scene_plan_advise(&f.plan, &result);
    CHECK(advice.anchors && advice.jumps);
    CHECK_CLOSE(advice.wanted_margin / advice.margin, 2, 0.05);
    CHECK_CLOSE(advice.jump * advice.margin * scene->options.kappa, 2, 1e-5);
    // not what was tried already: a search without anchors, and a margin wider than the body, a ball of 8 cm
    int goal = scene->goal.body;
    scene->options.anchor = false;
    scene->goal.body = 2;
    advice = tact_scene_plan_advise(&f.plan, &result);
    CHECK(!advice.anchors && !advice.jumps);
    scene->options.margin = TACT_REAL(0.03);
    CHECK(tact_scene_plan_advise(&f.plan, &result).jumps);
    scene->options.anchor = true;
    scene->options.margin = TACT_REAL(0.3);
    scene->goal.body = goal;
    f.plan.planner.start.q[0] = (tact_real)NAN;
    CHECK_INT(tact_planner_search(&f.plan.planner, &options).status, TACT_BAD_INPUT);
    end_plan(&f);
    // out of reach: effort falls, and the loss told is by the effort that was asked for
    scene->goal.knots = 4;
    scene->goal.residual[0].target.x = 9;
    begin_plan(&f, TACT_PLAN_ILQR);
    options.iteration_limit = 100;
    result = tact_planner_search(&f.plan.planner, &options);
    CHECK(result.excess > 1 && result.relaxations > 0);
    CHECK(f.plan.planner.task.effort == scene->goal.effort);
    CHECK(tact_planner_value(&f.plan.planner, f.plan.planner.x, NULL) == result.value);
    end_plan(&f);
    // both in turn
    begin_plan(&f, TACT_PLAN_AUTO);
    CHECK_INT(f.plan.planner.method, TACT_PLAN_LBFGS);
    result = tact_planner_search(
        &f.plan.planner,
        &(tact_plan_options){.iteration_limit = 200, .idle = 3, .gain_least = TACT_REAL(0.001), .relaxations = 1});
    CHECK(result.both && result.relaxations == 1 && result.method == TACT_PLAN_ILQR);
    end_plan(&f);
    // nothing within the margin: the nearest pair is told
    scene->options.margin = TACT_REAL(0.001);
    scene->goal.nresidual = 1;
    begin_plan(&f, TACT_PLAN_ILQR);
    result = tact_planner_search(&f.plan.planner, &options);
    advice = tact_scene_plan_advise(&f.plan, &result);
    CHECK(advice.numb && advice.pair == 1 && advice.gap > advice.margin && advice.wanted_margin > advice.gap);
    end_plan(&f);
    close_scene();
}

static void test_faults(void) {
    tact_fault fault = {NULL, 0};
    tact_scene_plan plan;
    open_rolling(1);
    tact_plan_task task = {.model = &scene->model, .options = &scene->options, .horizon = 1, .knots = 1};
    CHECK(tact_plan_check(&task).field == NULL);
#define CHECK_FAULT(member, bad, good, name)        \
    task.member = bad;                              \
    CHECK_TEXT(tact_plan_check(&task).field, name); \
    task.member = good
    CHECK_FAULT(horizon, 0, 1, "task.horizon");
    CHECK_FAULT(horizon, 1000001, 1, "task.horizon");
    CHECK_FAULT(knots, 0, 1, "task.knots");
    CHECK_FAULT(effort, -1, 0, "task.effort");
    CHECK_FAULT(posture, (tact_real)NAN, 0, "task.posture");
    CHECK_FAULT(knots, 1000001, 1, "task.knots");
    CHECK_FAULT(effort, (tact_real)INFINITY, 0, "task.effort");
    CHECK_FAULT(posture, (tact_real)INFINITY, 0, "task.posture");
    const tact_law still = {.name = "still"};
    const tact_law *laws[] = {NULL, &still, &tact_law_rigid};
    for (int k = 0; k < 3; k++) {
        scene->model.law = laws[k];
        fault = tact_plan_check(&task);
        CHECK(k == 2 ? !fault.field : fault.field && strcmp(fault.field, "model.law") == 0);
    }
    scene->model.law = &tact_law_barrier;
    task.residual = scene->goal.residual;
    task.nresidual = scene->goal.nresidual;
    CHECK_TEXT(tact_plan_check(&task).field, "residual.last");
    task.horizon = scene->goal.horizon;
    CHECK(tact_plan_check(&task).field == NULL);
    scene->model.law = &tact_law_rigid;
    CHECK_TEXT(tact_plan_check(&task).field, "model.law");
    CHECK(!tact_scene_plan_open(&plan, scene, &(tact_state){0}, TACT_PLAN_AUTO, &fault));
    CHECK_TEXT(fault.field, "model.law");
    scene->model.law = &tact_law_barrier;
    int nu = scene->model.nu;
    scene->model.nu = 0;
    CHECK_TEXT(tact_plan_check(&task).field, "model.nu");
    scene->model.nu = nu;
    close_scene();
}

// Drives on sums of coordinates and drives by force have no limits; too little memory is told.
static void test_bounds(void) {
    static const char *const names[] = {"data/scenes/four_bar.json", "data/scenes/lift_two_pushers.json",
                                        "data/scenes/hinge_fingers.json"};
    for (int k = 0; k < 3; k++) {
        char message[500];
        tact_scene *own = tact_scene_load(names[k], message, sizeof message);
        CHECK(own);
        if (!own) continue;
        tact_plan_task task = {.model = &own->model, .options = &own->options, .horizon = 4, .knots = 2, .effort = 1};
        size_t size = tact_planner_size(&task, TACT_PLAN_LBFGS, SIZE_MAX), room = tact_state_size(&own->model);
        void *memory = malloc(size), *place = malloc(room);
        tact_state state;
        tact_planner planner;
        CHECK_INT(tact_state_init(&state, &own->model, place, room), TACT_CONVERGED);
        CHECK_INT(tact_planner_init(&planner, &task, TACT_PLAN_LBFGS, SIZE_MAX, &state, memory, size / 2), TACT_NO_MEMORY);
        CHECK_INT(tact_planner_init(&planner, &task, TACT_PLAN_LBFGS, SIZE_MAX, &state, memory, size), TACT_CONVERGED);
        for (int v = 0; v < own->model.nv; v++) {
            const tact_dof *dof = &own->model.dof[v];
            if (dof->u < 0) continue;
            bool free = dof->force || dof->stiffness == 0;
            CHECK(planner.scale[dof->u] > 0);
            CHECK((planner.lower[dof->u] > -TACT_MAX) == (!free && dof->lower > -TACT_MAX));
            CHECK((planner.upper[dof->u] < TACT_MAX) == (!free && dof->upper < TACT_MAX));
        }
        tact_planner_scatter(&planner, 1, 2);
        for (int i = 0; i < planner.n; i++) CHECK(planner.x[i] >= planner.lower[i] && planner.x[i] <= planner.upper[i]);
        free(memory);
        free(place);
        tact_scene_free(own);
    }
}

static void push_up(void *context, int step, const tact_state *state, tact_input *input) {
    static tact_wrench wrench[64];
    (void)state;
    wrench[0].force.z = TACT_REAL(1e-3) * (tact_real)step;
    input->wrench = wrench;
    ++*(int *)context;
}

// Drives whose force has a limit keep the bounds of their joints and the scale of their stiffness; other forces are the caller's.
static void test_limited(void) {
    const char *const set[] = {"robots.0.drives.ff_base_j.force_limit=0.35", "robots.0.drives.mf_medial_j.force_limit=0.3"};
    tact_errors own_errors = {0};
    tact_scene *own =
        tact_scene_read("data/scenes/allegro_cube.json", &(tact_scene_settings){.set = set, .nset = 2}, &own_errors);
    CHECK(own != NULL && own->model.nspring == 2);
    if (!own) return;
    int asked = 0;
    tact_plan_task task = {.model = &own->model,
                           .options = &own->options,
                           .horizon = 3,
                           .knots = 2,
                           .effort = 1,
                           .drive = push_up,
                           .context = &asked};
    size_t size = tact_planner_size(&task, TACT_PLAN_LBFGS, SIZE_MAX), room = tact_state_size(&own->model);
    void *memory = malloc(size), *place = malloc(room);
    tact_state state;
    tact_planner planner;
    CHECK_INT(tact_state_init(&state, &own->model, place, room), TACT_CONVERGED);
    CHECK_INT(tact_planner_init(&planner, &task, TACT_PLAN_LBFGS, SIZE_MAX, &state, memory, size), TACT_CONVERGED);
    for (int s = 0; s < own->model.nspring; s++) {
        const tact_spring *spring = &own->model.spring[s];
        const tact_dof *dof = &own->model.dof[spring->dof[0]];
        if (spring->u < 0) continue;
        CHECK_CLOSE((double)planner.scale[spring->u], sqrt((double)spring->stiffness), 1e-6);
        CHECK_CLOSE((double)planner.lower[spring->u], (double)(planner.scale[spring->u] * dof->lower), 1e-6);
        CHECK_CLOSE((double)planner.upper[spring->u], (double)(planner.scale[spring->u] * dof->upper), 1e-6);
    }
    CHECK(tact_planner_value(&planner, planner.x, planner.gradient) < TACT_MAX);
    CHECK(asked >= 3);
    // of a variable at a bound only a gradient that points inwards counts
    for (int i = 0; i < planner.n; i++) planner.gradient[i] = 0;
    for (int side = -1; side <= 1; side += 2)
        for (int sign = -1; sign <= 1; sign += 2) {
            planner.x[0] = side < 0 ? planner.lower[0] : planner.upper[0];
            planner.gradient[0] = (tact_real)sign;
            CHECK(tact_planner_slope(&planner, planner.x, planner.gradient) == (side == sign ? 1 : 0));
        }
    free(memory);
    free(place);
    tact_scene_free(own);
}

int main(void) {
    uint64_t seed = test_seed(5);
    test_limited();
    test_reading();
    test_refused();
    test_terms();
    test_gradient(&seed, 0, TACT_PLAN_LBFGS);
    test_gradient(&seed, 0, TACT_PLAN_ILQR);
    test_gradient(&seed, 1, TACT_PLAN_ILQR);
    test_gradient(&seed, 2, TACT_PLAN_ILQR);
    test_search();
    test_ends();
    test_unweighted();
    test_faults();
    test_bounds();
    return test_end("goal");
}
