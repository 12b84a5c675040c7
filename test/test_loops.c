// SPDX-License-Identifier: MIT
// Loops and springs: closed forms, derivatives against differences, scenes and MJCF that are refused, and what the core does.
#include "deriv_check.h"
#include "law/rigid.h"
#include "law/tie.h"
#include "loop_scene.h"
#include "scene_test.h"
#include "tact/lanes.h"
#include "tact/robot.h"
#include "tact/virtual.h"

#ifdef TACT_FLOAT
enum { DOUBLE = 0 };
#else
enum { DOUBLE = 1 };
#endif

static tact_world *open_text(const char *text, const char *law) {
    tact_scene_settings settings = {.law = law};
    tact_scene *made = parse_text(text, &settings);
    CHECK(made != NULL);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    static tact_world opened;
    static void *memory[4];
    if (!made) return NULL;
    const tact_model *model = &made->model;
    size_t size[4] = {tact_state_size(model), tact_work_size(model), (size_t)model->nu * sizeof(tact_real),
                      (size_t)model->nbody * sizeof(tact_wrench)};
    opened = (tact_world){.scene = made};
    for (int i = 0; i < 4; i++) {
        free(memory[i]);
        memory[i] = test_memory(size[i] + 1);
    }
    CHECK_INT(tact_state_init(&opened.state, model, memory[0], size[0]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&opened.work, model, memory[1], size[1]), TACT_CONVERGED);
    opened.u = memory[2];
    opened.wrench = memory[3];
    return &opened;
}

static double open_by(tact_world *w) {
    double most = 0;
    tact_kinematics_update(&w->work.kinematics, &w->scene->model, w->state.q);
    for (int i = 0; i < w->scene->model.nloop; i++) {
        tact_vec3 e = tact_loop_error(&w->scene->model, &w->work.kinematics, i);
        most = fmax(most, sqrt((double)tact_vec3_dot(e, e)));
    }
    return most;
}

// ---- what a loop does ----

// A pendulum's bob, free, held by a loop of the stiffness k: it hangs m g/k below the anchor, and does not drift.
static void test_hanging(const char *law) {
    static const char text[] =
        "{\"tact\":1,\"bodies\":[{\"name\":\"bob\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[1e-3,1e-3,1e-3,0,0,0],"
        "\"joint\":{\"name\":\"bob\",\"type\":\"free\"}}],"
        "\"loops\":[{\"a\":\"bob\",\"b\":\"world\",\"at_a\":[0,0,0.1],\"stiffness\":1000}]}";
    tact_world *w = open_text(text, law);
    if (!w) return;
    for (int k = 0; k < 300; k++) CHECK(tact_world_step(w) >= 0);
    double hangs = -0.5 * 9.81 / 1000;
    CHECK_CLOSE((double)w->state.q[2], hangs, DOUBLE ? 1e-9 : 1e-5);
    CHECK_CLOSE(open_by(w), -hangs, DOUBLE ? 1e-9 : 1e-5);
    tact_scene_free(w->scene);
}

// A crank that turns once round drags the others along: the loop stays shut, though each step turns by 3.6 degrees.
static void test_turning(const char *law) {
    static const char text[] = "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":["
                               "{\"name\":\"crank\",\"parent\":\"world\",\"mass\":0.05,\"inertia\":[1e-5,1e-5,1e-5,0,0,0],"
                               "\"joint\":{\"name\":\"crank\",\"type\":"
                               "\"continuous\",\"axis\":[0,1,0]}},"
                               "{\"name\":\"coupler\",\"parent\":\"crank\",\"mass\":0.05,\"inertia\":[1e-5,1e-5,1e-5,0,0,0],"
                               "\"joint\":{\"name\":\"coupler\","
                               "\"type\":\"continuous\",\"axis\":[0,1,0],\"xyz\":[0.05,0,0]}},"
                               "{\"name\":\"rocker\",\"parent\":\"world\",\"mass\":0.05,\"inertia\":[1e-5,1e-5,1e-5,0,0,0],"
                               "\"joint\":{\"name\":\"rocker\",\"type\":"
                               "\"continuous\",\"axis\":[0,1,0],\"xyz\":[0.15,0,0]}}],"
                               "\"loops\":[{\"a\":\"coupler\",\"b\":\"rocker\",\"at_a\":[0.08,0,-0.1],\"at_b\":[-0.02,0,-0.1]}],"
                               "\"drives\":[{\"joint\":\"crank\",\"stiffness\":100}],"
                               "\"command\":{\"mode\":\"trajectory\",\"times\":[0,1],\"q\":{\"crank\":[0,6.283185307179586]}}}";
    tact_world *w = open_text(text, law);
    double most = 0;
    if (!w) return;
    for (int k = 0; k < 120; k++) {
        CHECK(tact_world_step(w) >= 0);
        most = fmax(most, open_by(w));
    }
    CHECK_CLOSE((double)w->state.q[0], 6.283185307179586, 1e-3);
    printf("%s: a turn of the crank in 100 steps opens its loop by %.2g m\n", law, most);
    CHECK(most < 5e-4);
    CHECK(open_by(w) < (DOUBLE ? 1e-9 : 1e-5));
    tact_scene_free(w->scene);
}

// A drive on the sum of two slides, one of which is held by a spring: x + y = u and k x = K (u - x - y)
static void test_sum(const char *law) {
    static const char text[] =
        "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":["
        "{\"name\":\"x\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],\"joint\":{\"name\":\"x\",\"type\":"
        "\"prismatic\","
        "\"axis\":[1,0,0]}},"
        "{\"name\":\"y\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],\"joint\":{\"name\":\"y\",\"type\":"
        "\"prismatic\","
        "\"axis\":[0,1,0]}}],"
        "\"springs\":[{\"joints\":{\"x\":1,\"y\":1},\"stiffness\":300,\"damping\":3,\"command\":true,\"rest\":0.01},"
        "{\"joints\":{\"x\":1},\"stiffness\":100,\"damping\":3},{\"joints\":{\"y\":2},\"stiffness\":50,\"damping\":1,\"rest\":0."
        "02}],"
        "\"command\":{\"mode\":\"fixed\",\"q\":{\"x\":0.05}}}";
    tact_world *w = open_text(text, law);
    if (!w) return;
    tact_real held[1];
    for (int k = 0; k < 1000; k++) CHECK(tact_world_step(w) >= 0);
    // 300 (x + y - 0.06) + 100 x = 0 and 300 (x + y - 0.06) + 100 (2 y - 0.02) = 0: x = 2 y - 0.02
    double y = (300 * 0.06 + 400 * 0.02) / 1100, x = 2 * y - 0.02;
    CHECK_CLOSE((double)w->state.q[0], x, DOUBLE ? 1e-9 : 1e-5);
    CHECK_CLOSE((double)w->state.q[1], y, DOUBLE ? 1e-9 : 1e-5);
    tact_hold(&w->scene->model, &w->state, held);
    CHECK_CLOSE((double)held[0], x + y - 0.01, DOUBLE ? 1e-9 : 1e-5);
    tact_scene_free(w->scene);
}

// Two pencils that a loop joins spin fast: Newton's method finds the step, and forces through the loop are equal and opposite.
static void test_spinning(void) {
    static const char text[] = "{\"tact\":1,\"gravity\":[0,0,0],\"options\":{\"dt\":0.01},\"bodies\":["
                               "{\"name\":\"p\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[2e-6,1e-3,1e-3,0,0,0],\"joint\":{"
                               "\"name\":\"p\",\"type\":\"free\"}},"
                               "{\"name\":\"r\",\"parent\":\"world\",\"mass\":0.2,\"inertia\":[1e-3,2e-6,1e-3,0,0,0],\"joint\":{"
                               "\"name\":\"r\",\"type\":\"free\"}}],"
                               "\"loops\":[{\"a\":\"p\",\"b\":\"r\",\"at_a\":[0.1,0,0],\"stiffness\":1e4}],"
                               "\"state\":{\"v\":{\"p\":[100,60,20,1,0,0]}}}";
    tact_world *w = open_text(text, "rigid");
    if (!w) return;
    bool bent = false;
    for (int k = 0; k < 20; k++) {
        CHECK_INT(tact_world_step(w), TACT_CONVERGED);
        bent = bent || w->work.rigid->bent;
        CHECK_CLOSE(0.1 * (double)w->state.v[3] + 0.2 * (double)w->state.v[9], 0.1, DOUBLE ? 1e-10 : 1e-4);
        CHECK_CLOSE(0.1 * (double)w->state.v[4] + 0.2 * (double)w->state.v[10], 0, DOUBLE ? 1e-10 : 1e-4);
    }
    CHECK(bent);
    tact_scene_free(w->scene);
}

// ---- derivatives ----

static void test_slopes(void) {
    tact_scene *made = parse_text(loop_scene, NULL);
    CHECK(made != NULL);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    if (!made) return;
    const tact_model *model = &made->model;
    deriv_scene s = {0};
    deriv_scene_begin(&s, model);
    s.options = made->options;
    s.u[0] = TACT_REAL(0.1);
    double worst = 0;
    for (int frozen = 0; frozen < 2; frozen++) {
        deriv_check k = deriv_check_begin(&s, frozen == 1);
        CHECK_INT(k.status, TACT_CONVERGED);
        static double wanted[EXACT_ROWS];
        static tact_real dq[EXACT_DOFS], bar[2 * EXACT_DOFS];
        for (int j = 0; j < model->nv + model->nu && DOUBLE && !frozen; j++) {
            bool command = j >= model->nv;
            deriv_variable by = {.by = command ? BY_U : BY_Q, .index = command ? j - model->nv : j};
            CHECK(deriv_difference(&k, &by, wanted));
            for (int i = 0; i < model->nv; i++) {
                tact_real got = command ? k.matrix.B[i * model->nu + by.index] : k.matrix.A[i * model->nv + j];
                worst = fmax(worst, fabs((double)got - wanted[i]));
            }
        }
        const tact_parameter parameters[] = {{TACT_PARAMETER_DT, 0, 0},
                                             {TACT_PARAMETER_EPSILON, 0, 0},
                                             {TACT_PARAMETER_MASS, 4, 0},
                                             {TACT_PARAMETER_STIFFNESS, 13, 0}};
        CHECK_INT(tact_tie_leader(model, 13), 1);
        for (int p = 0; p < 4; p++) {
            deriv_variable by = {.by = BY_PARAMETER, .parameter = parameters[p]};
            tact_deriv_parameter(model, &s.options, &k.work, &k.deriv, parameters[p], (tact_deriv_column){.q = dq});
            if (DOUBLE && !frozen) {
                CHECK(deriv_difference(&k, &by, wanted));
                for (int i = 0; i < model->nv; i++)
                    worst = fmax(worst, fabs((double)dq[i] - wanted[i]) / deriv_scale(&k, &by, wanted, false));
            }
            // z'dq of the reverse form
            tact_real seed[EXACT_DOFS], sum = 0;
            for (int i = 0; i < model->nv; i++) {
                seed[i] = (tact_real)(i % 3) - TACT_REAL(0.7);
                sum += seed[i] * dq[i];
            }
            tact_deriv_pullback(model, &k.work, &k.deriv, (tact_deriv_seed){.q = seed}, bar, bar + model->nv);
            tact_real back = tact_deriv_parameter_pullback(model, &s.options, &k.work, &k.deriv, NULL, parameters[p]);
            CHECK_CLOSE((double)back, (double)sum, (DOUBLE ? 1e-9 : 1e-3) * (1 + fabs((double)sum)));
        }
        // the reverse of A and B
        for (int j = 0; j < model->nv + model->nu; j++) {
            bool command = j >= model->nv;
            double sum = 0;
            for (int i = 0; i < model->nv; i++)
                sum += ((double)(i % 3) - 0.7) *
                       (double)(command ? k.matrix.B[i * model->nu + j - model->nv] : k.matrix.A[i * model->nv + j]);
            CHECK_CLOSE((double)bar[j], sum, DOUBLE ? 1e-9 : 1e-3);
        }
        deriv_check_end(&k);
    }
    printf("loops and springs on all joints: derivatives off by %.2g\n", worst);
    CHECK(worst < 1e-7);
    deriv_scene_end(&s);
    tact_scene_free(made);
}

// ---- what is refused ----

#define HEAD "{\"tact\":1,\"bodies\":["
#define HINGE(name, parent)                                                                                             \
    "{\"name\":\"" name "\",\"parent\":\"" parent "\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"name\":\"" name \
    "\",\"type\":"                                                                                                      \
    "\"continuous\",\"axis\":[0,0,1]}}"
#define FIXED(name, parent) \
    "{\"name\":\"" name "\",\"parent\":\"" parent "\",\"joint\":{\"name\":\"" name "\",\"type\":\"fixed\"}}"
#define TAIL(more) "]," more "}"

static void test_refused(void) {
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"c\"}]"),
                "/loops/0/b: no body \"c\" (there are: a, world)");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"a\"}]"),
                "/loops/0/b: a loop from \"a\" to itself");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[{\"a\":\"world\",\"b\":\"world\"}]"),
                "/loops/0/b: a loop from the world to itself");
    CHECK_SCENE(HEAD HINGE("a", "world") "," FIXED("b", "a") TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"b\"}]"),
                "/loops/0: no joint moves the two bodies against each other");
    CHECK_SCENE(HEAD HINGE("a", "world") "," HINGE("b", "world")
                    TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"b\",\"at_a\":[1,0,0]},{\"a\":\"b\",\"b\":\"a\",\"at_a\":[1,0,0]}]"),
                "/loops/1: the same bodies and points as in /loops/0");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"world\",\"at_a\":[2e6,0,0]}]"),
                "/loops/0/at_a/0: too large: at most 1000000 in magnitude (found 2000000)");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[{\"a\":\"a\",\"b\":\"world\",\"stiffness\":0}]"),
                "/loops/0/stiffness: must be > 0 (found 0)");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":[3]"),
                "/loops/0: expected an object, found a number: {\"a\": ..., \"b\": ...}");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"loops\":3,\"springs\":4"), "/loops: expected an array, found a number",
                "/springs: expected an array, found a number");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"law\":\"virtual\",\"loops\":[{\"a\":\"a\",\"b\":\"world\"}]"),
                "/loops/0: law \"virtual\" has no loops");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"law\":\"virtual\",\"springs\":[{\"joints\":{\"a\":1},\"stiffness\":1}]"),
                "/springs/0: law \"virtual\" has no springs on joints");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"springs\":[{\"joints\":{\"b\":1},\"stiffness\":1}]"),
                "/springs/0/joints: no joint \"b\" (there are: a)");
    CHECK_SCENE(HEAD HINGE("a", "world") "," BALL("t") TAIL("\"springs\":[{\"joints\":{\"t\":1},\"stiffness\":1}]"),
                "/springs/0/joints: joint \"t\" is not revolute, continuous or prismatic");
    CHECK_SCENE(HEAD HINGE("a", "world")
                    TAIL("\"springs\":[{\"joints\":{},\"stiffness\":1},{\"joints\":{\"a\":0},\"stiffness\":1},4]"),
                "/springs/0/joints: expected 1 to 4 joints, found 0",
                "/springs/2: expected an object, found a number: {\"joints\": ..., \"stiffness\": ...}",
                "/springs/1/joints: has no effect: the factors are 0");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"springs\":[{\"joints\":{\"a\":1},\"stiffness\":0,\"command\":true}]"),
                "/springs/0/stiffness: a drive needs a stiffness");
    CHECK_SCENE(HEAD HINGE("a", "world") "," HINGE("b", "world")
                    TAIL("\"springs\":[{\"joints\":{\"a\":0,\"b\":1},\"stiffness\":1,\"command\":true}]"),
                "/springs/0/joints: the factor of joint \"a\", which has the command, is 0");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"springs\":[{\"joints\":{\"a\":1},\"stiffness\":1,\"command\":true},"
                                              "{\"joints\":{\"a\":2},\"stiffness\":1,\"command\":true}]"),
                "/springs/1/command: joint \"a\" has the command of another spring");
    CHECK_SCENE(HEAD HINGE("a", "world") TAIL("\"springs\":[{\"joints\":{\"a\":1},\"stiffness\":1,\"command\":true}],"
                                              "\"drives\":[{\"joint\":\"*\",\"stiffness\":3}]"),
                "/drives/0: joint \"a\" has the command of /springs/0: list it first with stiffness 0");
    open_scene(HEAD HINGE("a", "world") TAIL("\"springs\":[{\"joints\":{\"a\":1},\"stiffness\":1,\"command\":true}],"
                                             "\"drives\":[{\"joint\":\"a\",\"stiffness\":0},{\"joint\":\"*\",\"stiffness\":3}]"));
    close_scene();
}

// ---- faults of a model ----

static void test_faults(void) {
    const tact_model *model = open_scene(loop_scene);
    tact_model m = *model;
    tact_loop loops[5];
    tact_spring springs[2];
    static const char *const fields[] = {
        "nloop",        "nspring",     "loop.body",  "loop.body",  "loop.at",       "loop.at",          "loop.stiffness",
        "spring.count", "spring.dof",  "spring.dof", "spring.dof", "spring.factor", "spring.stiffness", "spring.damping",
        "spring.rest",  "spring.u",    "dof.u",      "dof.u",      "loop.body",     "loop.body",        "spring.force_limit",
        "spring.dof",   "spring.count"};
    for (int i = 0; i < (int)(sizeof fields / sizeof fields[0]); i++) {
        m = *model;
        memcpy(loops, model->loop, sizeof loops);
        memcpy(springs, model->spring, sizeof springs);
        m.loop = loops;
        m.spring = springs;
        CHECK(tact_model_check(&m).field == NULL);
        if (i == 0) m.nloop = -1;
        if (i == 1) m.nspring = -1;
        if (i == 2) loops[1].body[0] = loops[1].body[1];
        if (i == 3) loops[1].body[1] = model->nbody;
        if (i == 4) loops[1].at[0].x = TACT_REAL(3e6);
        if (i == 5) loops[1].at[1].y = (tact_real)NAN;
        if (i == 6) loops[1].stiffness = -1;
        if (i == 7) springs[1].count = 5;
        if (i == 8) springs[1].dof[2] = model->nv;
        if (i == 9) springs[1].dof[2] = 0;
        if (i == 10) springs[0].dof[1] = springs[0].dof[0];
        if (i == 11) springs[1].factor[1] = (tact_real)NAN;
        if (i == 12) springs[1].stiffness = -1;
        if (i == 13) springs[1].damping = -1;
        if (i == 14) springs[1].rest = (tact_real)NAN;
        if (i == 15) springs[0].u = 7;
        if (i == 16) springs[0].u = 0;
        if (i == 17) springs[1].u = -1;
        if (i == 18) loops[1].body[0] = model->nbody;
        if (i == 19) loops[1].body[0] = -2;
        if (i == 20) springs[0].force_limit = -1;
        if (i == 21) springs[0].dof[0] = -1;
        if (i == 22) springs[0].count = 0;
        tact_fault fault = tact_model_check(&m);
        CHECK_TEXT(fault.field ? fault.field : "", fields[i]);
    }
    CHECK_INT(tact_tie_leader(model, 0), -1);
    close_scene();
    m = *open_scene(HEAD HINGE("a", "world") TAIL("\"law\":\"virtual\""));
    CHECK(tact_virtual_check(&m).field == NULL);
    m.nloop = 1;
    CHECK_TEXT(tact_virtual_check(&m).field, "nloop");
    m.nloop = 0;
    m.nspring = 1;
    CHECK_TEXT(tact_virtual_check(&m).field, "nspring");
    close_scene();
}

int main(void) {
    for (int rigid = 0; rigid < 2; rigid++) {
        const char *law = rigid ? "rigid" : "barrier";
        test_hanging(law);
        test_turning(law);
        test_sum(law);
    }
    test_spinning();
    test_slopes();
    test_refused();
    test_faults();
    return test_end("loops");
}
