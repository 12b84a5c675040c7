// SPDX-License-Identifier: MIT
// Drives whose force has a limit: closed forms, the force that a contact bears, derivatives against differences, what is refused.
#include "law/tie.h"
#include "tact/robot.h"
#include "deriv_check.h"
#include "scene_test.h"
#include "tact/record.h"
#include "tact/virtual.h"
#include "tact/worlds.h"

#ifdef TACT_FLOAT
enum { DOUBLE = 0 };
#else
enum { DOUBLE = 1 };
#endif

enum { MOST = 16, ROOM = 4096 };

// Two fingers squeeze a ball, one with 5 N at most; a slide pulls on a spring with 20 N at most, and a sum of two hinges, on one
// of which a spring pulls, with 0.3 N m; a drive that asks for less than its limit.
#define LINEAR(name, at, axis)                                                                                                \
    "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],\"joint\":{\"name\":\"" name \
    "\",\"type\":\"prismatic\",\"axis\":[" axis "],\"xyz\":[" at "]}}"
#define ROTARY(name, at)                                                                                                      \
    "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-3,1e-3,1e-3,0,0,0],\"joint\":{\"name\":\"" name \
    "\",\"type\":\"continuous\",\"axis\":[0,0,1],\"xyz\":[" at "]}}"
// clang-format off
static const char scene_text[] =
    "{\"tact\":1,\"options\":{\"dt\":0.01,\"kappa\":1e4,\"anchor\":false},\"gravity\":[0,0,0],"
    "\"bodies\":["
        LINEAR("x", "-0.1,0,0", "1,0,0") ","
        LINEAR("y", "0.1,0,0", "-1,0,0") ","
        LINEAR("pull", "0,1,0", "0,1,0") ","
        ROTARY("a", "0,2,0") ","
        ROTARY("b", "0,3,0") ","
        LINEAR("easy", "0,4,0", "0,0,1") ","
        "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":0.2,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
         "\"joint\":{\"name\":\"ball\",\"type\":\"free\"}}],"
    "\"shapes\":["
        "{\"name\":\"tip_x\",\"body\":\"x\",\"type\":\"sphere\",\"radius\":0.01},"
        "{\"name\":\"tip_y\",\"body\":\"y\",\"type\":\"sphere\",\"radius\":0.01},"
        "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.03}],"
    "\"pairs\":["
        "{\"a\":\"tip_x\",\"b\":\"ball\",\"mu\":0.5},"
        "{\"a\":\"ball\",\"b\":\"tip_y\",\"mu\":0.5}],"
    "\"drives\":["
        "{\"joint\":\"x\",\"stiffness\":500,\"damping\":5,\"force_limit\":5},"
        "{\"joint\":\"y\",\"stiffness\":500,\"damping\":5},"
        "{\"joint\":\"pull\",\"stiffness\":1000,\"damping\":10,\"force_limit\":20},"
        "{\"joint\":\"easy\",\"stiffness\":100,\"damping\":1,\"force_limit\":9}],"
    "\"springs\":["
        "{\"joints\":{\"pull\":1},\"stiffness\":200,\"damping\":5},"
        "{\"joints\":{\"b\":1},\"stiffness\":2,\"damping\":0.1,\"rest\":0.2},"
        "{\"joints\":{\"a\":1},\"stiffness\":1,\"damping\":0.1},"
        "{\"joints\":{\"a\":1,\"b\":0.5},\"stiffness\":10,\"damping\":0.1,\"command\":true,\"force_limit\":0.3}],"
    "\"command\":{\"mode\":\"fixed\",\"q\":{\"x\":0.2,\"y\":0.06,\"pull\":0.5,\"a\":-1,\"easy\":0.05}}}";
// clang-format on

static tact_scene *made;
static tact_model *model;
static tact_state before, after, start;
static tact_work work;
static tact_linear linear;
static tact_real u[MOST];
static tact_input input;
static void *memory[5];

static bool open_law(const char *text, const char *law) {
    tact_scene_settings settings = {.law = law};
    made = parse_text(text, &settings);
    CHECK(made != NULL);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    if (!made) return false;
    model = &made->model;
    size_t state = tact_state_size(model), size[5] = {state, state, state, tact_work_size(model), tact_linear_size(model)};
    for (int i = 0; i < 5; i++) memory[i] = test_memory(size[i] + 1);
    CHECK_INT(tact_state_init(&before, model, memory[0], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&after, model, memory[1], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&start, model, memory[2], state), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, memory[3], size[3]), TACT_CONVERGED);
    CHECK_INT(tact_linear_init(&linear, model, memory[4], size[4]), TACT_CONVERGED);
    return true;
}

static void close_law(void) {
    for (int i = 0; i < 5; i++) free(memory[i]);
    tact_scene_free(made);
}

static tact_status go(int steps) {
    tact_status status = TACT_CONVERGED;
    for (int k = 0; k < steps && status >= 0; k++) {
        tact_state_copy(&before, &after, model);
        tact_scene_command(made, &before, u);
        input = (tact_input){.u = u};
        status = tact_step(model, &made->options, &input, &after, &work);
        CHECK_INT(status, TACT_CONVERGED);
    }
    return status;
}

// The forces where all is at rest: F, or k e where that is less.
static void test_forces(void) {
    double tolerance = DOUBLE ? 1e-3 : 2e-2;
    go(1500);
    CHECK_INT(work.contacts.count, 2);
    for (int i = 0; i < work.contacts.count; i++) CHECK_CLOSE((double)work.contacts.contact[i].lambda[0], 5, 5 * tolerance);
    CHECK_CLOSE((double)after.q[2], 20.0 / 200, 0.1 * tolerance);
    // a = -0.3 N m / 1 N m/rad, 2 (b - 0.2) = -0.15 N m
    CHECK_CLOSE((double)after.q[3], -0.3, tolerance);
    CHECK_CLOSE((double)after.q[4], 0.2 - 0.3 * 0.5 / 2, tolerance);
    CHECK_CLOSE((double)after.q[5], 0.05, tolerance);
    int held = 0;
    for (int s = 0; s < model->nspring; s++) held += abs(work.held[s]);
    CHECK_INT(held, 3);
}

static void step_from(const tact_state *state, tact_real *x) {
    static tact_work other;
    static void *room;
    size_t size = tact_work_size(model);
    room = test_memory(size + 1);
    CHECK_INT(tact_work_init(&other, model, room, size), TACT_CONVERGED);
    tact_state_copy(&start, state, model);
    CHECK(tact_step(model, &made->options, &input, &start, &other) >= 0);
    bool moves = model->law->velocities;
    for (int i = 0; i < 6; i++) {
        x[i] = start.q[i];
        x[6 + i] = moves ? start.v[i] : 0;
    }
    free(room);
}

// A number that the step depends on, of the slides and hinges: q, v, u or the stiffness of a drive.
static tact_real *find_number(int kind, int i) {
    if (kind == 0) return &before.q[i];
    if (kind == 1) return &before.v[i];
    if (kind == 2) return &u[i];
    int spring = tact_tie_leader(model, i);
    return spring >= 0 ? &((tact_spring *)model->spring)[spring].stiffness : &((tact_dof *)model->dof)[i].stiffness;
}

static double check_column(int kind, int i, const tact_jacobians *m) {
    tact_real high[12], low[12], dq[MOST], dv[MOST], dl[6], *x = find_number(kind, i), kept = *x;
    int nx = tact_linear_order(model), nv = model->nv;
    double off = 0, h = kind == 3 ? 1e-3 : 1e-6;
    // a rate, of which the answer of the step is made
    *x = kept + (tact_real)h;
    step_from(&before, high);
    *x = kept - (tact_real)h;
    step_from(&before, low);
    *x = kept;
    const tact_parameter parameter = {.kind = TACT_PARAMETER_STIFFNESS, .index = i};
    if (kind == 3) {
        tact_step_change change = {.parameter = &parameter};
        tact_step_effect effect = {dq, dv, dl};
        CHECK(tact_linear_push(&linear, &change, &effect) >= 0);
    }
    for (int k = 0; k < 12; k++) {
        int row = k < 6 ? k : nv + k - 6, column = kind == 1 ? nv + i : i;
        if (row >= nx) continue;
        double wanted = ((double)high[k] - (double)low[k]) / (2 * h);
        double got = (double)(kind == 3   ? (k < 6 ? dq[k] : dv[k - 6])
                              : kind == 2 ? m->B[row * model->nu + i]
                                          : m->A[row * nx + column]);
        off = fmax(off, fabs(got - wanted) / (1 + fabs(wanted)));
    }
    return off;
}

static void test_slopes(void) {
    static tact_real A[ROOM], B[ROOM], C[ROOM], D[ROOM];
    const tact_jacobians m = {A, B, C, D};
    double worst = 0;
    for (int steps = 1; steps < 500; steps *= 4) {
        tact_record step = {model, &made->options, &input, &before, &after, &work};
        go(steps);
        CHECK(tact_linearise(&linear, &step) >= 0);
        CHECK(tact_linear_matrices(&linear, &m) >= 0);
        for (int kind = 0; kind < 4 && DOUBLE; kind++)
            for (int i = 0; i < 6 && (model->law->velocities || kind != 1); i++) {
                bool led = i == 4;
                int commands = i > 4 ? i - 1 : i;
                if (kind >= 2 && led) continue;
                double off = check_column(kind, kind == 2 ? commands : i, &m);
                worst = fmax(worst, off);
                CHECK(off < 2e-5);
                if (!(off < 2e-5))
                    printf("    law %s, %d steps: kind %d of %d off by %g\n", model->law->name, steps, kind, i, off);
            }
    }
    printf("%s: derivatives with limits of force off by %.2g\n", model->law->name, worst);
}

// More than the drive can bear: it falls on, and the barrier law, which has no momentum, tells that nothing holds it.
static void test_overload(void) {
    static const char text[] = "{\"tact\":1,\"options\":{\"robot_gravity\":true},\"bodies\":[" LINEAR(
        "x", "0,0,0", "0,0,1") "],"
                               "\"drives\":[{\"joint\":\"x\",\"stiffness\":1000,\"force_limit\":0.5}]}";
    if (!open_law(text, "rigid")) return;
    go(100);
    CHECK_CLOSE((double)after.v[0], -(9.81 - 5) * 1.0, DOUBLE ? 1e-2 : 0.1);
    close_law();
    if (!open_law(text, "barrier")) return;
    tact_scene_command(made, &after, u);
    input = (tact_input){.u = u};
    made->options.dt = TACT_REAL(0.01);
    tact_status status = tact_step(model, &made->options, &input, &after, &work);
    // 0.481 N against 1e-6 of the stiffness
    CHECK(status < 0 || fabs((double)after.q[0]) > 100);
    close_law();
}

// A drive of at most 2 N: where its force just reaches that, derivatives are one-sided, which is told; not with less or more.
static void test_kink(const char *law) {
    static const char text[] = "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":[" LINEAR(
        "x", "0,0,0", "0,0,1") "],\"drives\":[{\"joint\":\"x\",\"stiffness\":1000,\"force_limit\":2}],\"springs\":[{\"joints\":{"
                               "\"x\":1},\"stiffness\":1000}]}";
    tact_real low = 0, high = 1;
    if (!open_law(text, law)) return;
    int drive = model->spring[0].force_limit > 0 ? 0 : 1;
    for (int k = 0; k < 80; k++) {
        // the command at which it is held, by bisection; then half of it, and twice
        tact_real edge = high;
        u[0] = k < 77 ? (low + high) / 2 : k == 77 ? edge / 2 : k == 78 ? 2 * edge : edge;
        input = (tact_input){.u = u};
        tact_state_reset(&before, model);
        tact_state_reset(&after, model);
        CHECK_INT(tact_step(model, &made->options, &input, &after, &work), TACT_CONVERGED);
        *(work.held[drive] != 0 ? &high : &low) = k < 77 ? u[0] : work.held[drive] != 0 ? high : low;
        if (k < 77) continue;
        tact_record step = {model, &made->options, &input, &before, &after, &work};
        CHECK(tact_linearise(&linear, &step) >= 0);
        CHECK_INT(linear.kink, k == 79);
        CHECK_INT(work.at_limit, k == 79);
        if (k < 79) CHECK_INT(work.held[drive] != 0, k == 78);
    }
    close_law();
}

// The greatest number of rounds: told, and the answer is that of the last.
static void test_many_rounds(void) {
    if (!open_law(scene_text, "rigid")) return;
    go(1);
    tact_real x[MOST] = {0};
    tact_ties_release(model, NULL, &work);
    work.status = TACT_CONVERGED;
    CHECK(!tact_ties_turn(model, &made->options, &input, &before, &work, x, 1, TACT_TIE_ROUNDS));
    CHECK_INT(work.status, TACT_ITERATION_LIMIT);
    work.status = TACT_UNDECIDED;
    CHECK(!tact_ties_turn(model, &made->options, &input, &before, &work, x, 1, TACT_TIE_ROUNDS));
    CHECK_INT(work.status, TACT_UNDECIDED);
    // late ones one by one
    int held = 0;
    CHECK(tact_ties_turn(model, &made->options, &input, &before, &work, x, 1, 30));
    for (int s = 0; s < model->nspring; s++) held += abs(work.held[s]);
    CHECK_INT(held, 1);
    close_law();
}

static void test_refused(void) {
#define ONE "{\"tact\":1,\"bodies\":[" LINEAR("x", "0,0,0", "1,0,0") "],"
    CHECK_SCENE(ONE "\"drives\":[{\"joint\":\"x\",\"stiffness\":1,\"force_limit\":0}]}",
                "/drives/0/force_limit: must be > 0 (found 0)");
    CHECK_SCENE(ONE "\"law\":\"virtual\",\"drives\":[{\"joint\":\"x\",\"stiffness\":1,\"force_limit\":1}]}",
                "/drives/0/force_limit: law \"virtual\" has no force limits");
    CHECK_SCENE("{\"tact\":1,\"bodies\":[{\"name\":\"x\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{"
                "\"name\":\"x\","
                "\"type\":\"translation\"}},{\"name\":\"y\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{"
                "\"name\":\"y\","
                "\"type\":\"translation\"}}],\"drives\":[{\"joint\":\"*\",\"stiffness\":1,\"force_limit\":1}]}",
                "/drives/0/force_limit: joint \"x\" has more than one coordinate");
    const tact_model *one = open_scene(ONE "\"drives\":[{\"joint\":\"x\",\"stiffness\":1,\"force_limit\":2}]}");
    tact_model m = *one;
    tact_spring spring = m.spring[0];
    CHECK_INT(m.nspring, 1);
    CHECK_CLOSE((double)spring.force_limit, 2, 0);
    m.spring = &spring;
    spring.force_limit = -1;
    CHECK_TEXT(tact_model_check(&m).field, "spring.force_limit");
    close_scene();
}

// Springs of random sums of three slides, most with a limit, pulled about at random: the energy is convex, and every step ends.
static void test_pulled(const char *law) {
    uint64_t seed = test_seed(5);
    int steps = 0, limited = 0;
    for (int k = 0; k < 60; k++) {
        char text[3000], message[400];
        int used = snprintf(text, sizeof text, "%s",
                            "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":[" LINEAR("x", "0,0,0", "1,0,0") "," LINEAR(
                                "y", "0,0,0", "0,1,0") "," LINEAR("z", "0,0,0", "0,0,1") "],\"drives\":[");
        for (int i = 0; i < 3; i++)
            used +=
                snprintf(text + used, sizeof text - (size_t)used, "%s{\"joint\":\"%c\",\"stiffness\":%.4g,\"force_limit\":%.4g}",
                         i ? "," : "", 'x' + i, exp(test_random(&seed, 0, 5)), exp(test_random(&seed, -2, 2)));
        used += snprintf(text + used, sizeof text - (size_t)used, "],\"springs\":[");
        for (int i = 0; i < 3; i++)
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "%s{\"joints\":{\"x\":%.3f,\"y\":%.3f,\"z\":%.3f},\"stiffness\":%.4g,\"damping\":%.3g%s}",
                             i ? "," : "", test_random(&seed, -2, 2), test_random(&seed, -2, 2), test_random(&seed, -2, 2),
                             exp(test_random(&seed, -1, 5)), test_random(&seed, 0, 0.1), i < 2 ? ",\"force_limit\":0.7" : "");
        snprintf(text + used, sizeof text - (size_t)used, "],\"law\":\"%s\"}", law);
        tact_worlds *worlds = tact_worlds_open(text, 1, 1, message, sizeof message);
        CHECK(worlds != NULL);
        if (!worlds) return;
        for (int step = 0; step < 40; step++, steps++) {
            tact_real command[3];
            int status = 0;
            for (int i = 0; i < 3; i++) command[i] = (tact_real)test_random(&seed, -1, 1);
            tact_worlds_step(worlds, command, NULL, 1, &status);
            limited += status != TACT_CONVERGED;
        }
        tact_worlds_close(worlds);
    }
    printf("%s: %d steps of springs with limits, %d without an answer\n", law, steps, limited);
    // where all are held, a millionth of their stiffness is left, in single precision less than its rounding
    if (DOUBLE) CHECK_INT(limited, 0);
}

// ---- dry friction: a spring without stiffness, f = D v and at most F ----

#define DRY(joint, D, F) "{\"joints\":{\"" joint "\":1},\"stiffness\":0,\"damping\":" D ",\"force_limit\":" F "}"

// the scene above with friction at three joints
static const char *dry_text(void) {
    static char text[sizeof scene_text + 400];
    static const char springs[] = "\"springs\":[",
                      dry[] = DRY("pull", "2000", "2") "," DRY("a", "50", "0.05") "," DRY("x", "300", "0.3") ",";
    const char *at = strstr(scene_text, springs) + sizeof springs - 1;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene_text), scene_text, dry, at);
    return text;
}

// With less than F a slide creeps at load/D; with more it is held back by F.
static void test_dry(void) {
    static const char weight[] =
        "{\"tact\":1,\"options\":{\"robot_gravity\":true},\"bodies\":[" LINEAR("x", "0,0,0", "0,0,1") "," LINEAR(
            "y", "1,0,0", "0,0,1") "],\"springs\":[" DRY("x", "2000", "2") "," DRY("y", "500", "0.5") "]}";
    static const char drive[] = "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":[" LINEAR(
        "x", "0,0,0", "0,0,1") "],\"drives\":[{\"joint\":"
                               "\"x\",\"stiffness\":100}],\"springs\":[" DRY("x", "2000", "2") "]}";
    if (!open_law(weight, "rigid")) return;
    go(100);
    CHECK_CLOSE((double)after.v[0], -0.981 / 2000, DOUBLE ? 1e-9 : 1e-5);
    // m v' = F + eta (D v - F) - m g
    CHECK_CLOSE((double)after.v[1], -(9.81 - 5) * 100 * (double)made->options.dt, DOUBLE ? 2e-2 : 0.1);
    CHECK_INT(work.held[0], 0);
    CHECK_INT(work.held[1], -1);
    // the next step begins with what slides, and ends there
    tact_ties_release(model, &after, &work);
    CHECK_INT(work.held[1], -1);
    close_law();
    for (int strong = 0; strong < 2; strong++) {
        if (!open_law(drive, "barrier")) return;
        tact_real h = made->options.dt, k = 100, d = (k + 2000 / h);
        u[0] = strong ? TACT_REAL(0.5) : TACT_REAL(0.01);
        input = (tact_input){.u = u};
        CHECK_INT(tact_step(model, &made->options, &input, &after, &work), TACT_CONVERGED);
        double first = strong ? (50 - 2 * (1 - 1e-6)) / (double)(k + TACT_REAL(2e-3) / h) : 1 / (double)d;
        CHECK_CLOSE((double)after.q[0], first, DOUBLE ? 1e-12 : 1e-4);
        CHECK_INT(work.held[0], strong);
        // where it has come to rest, by F/k behind the command, it creeps
        for (int i = 0; i < 2; i++) CHECK_INT(tact_step(model, &made->options, &input, &after, &work), TACT_CONVERGED);
        CHECK_CLOSE((double)after.q[0], strong ? 0.48 : 3 * first, 2e-3 * (double)h + (DOUBLE ? 0 : 1e-4));
        CHECK_INT(work.held[0], 0);
        close_law();
    }
}

// The factorisations of all rounds count: two where a slide first sticks, then slides. Together they are at most four times those
// of a step.
static void test_budget(void) {
    static const char drive[] = "{\"tact\":1,\"gravity\":[0,0,0],\"bodies\":[" LINEAR(
        "x", "0,0,0", "0,0,1") "],\"drives\":[{\"joint\":\"x\",\"stiffness\":100}],\"springs\":[" DRY("x", "2000", "2") "]}";
    uint64_t seed = test_seed(6);
    for (int most = 1; most < 200; most *= 5) {
        if (!open_law(drive, "barrier")) return;
        u[0] = TACT_REAL(0.5);
        input = (tact_input){.u = u};
        made->options.max_iterations = most;
        CHECK_INT(tact_step(model, &made->options, &input, &after, &work), TACT_CONVERGED);
        CHECK_INT(work.iterations, 2);
        close_law();
        if (!open_law(dry_text(), "barrier")) return;
        made->options.max_iterations = most;
        for (int step = 0; step < 50; step++) {
            for (int i = 0; i < model->nu; i++) u[i] = (tact_real)test_random(&seed, -0.5, 0.5);
            tact_step(model, &made->options, &input, &after, &work);
            CHECK(work.iterations <= 4 * most);
        }
        close_law();
    }
}

// Side by side in lanes a limit holds as it does alone, to the bit.
static void test_abreast(const char *text) {
    char message[400];
    tact_worlds *alone = tact_worlds_open(text, 1, 1, message, sizeof message),
                *many = tact_worlds_open(text, 5, 1, message, sizeof message);
    CHECK(alone && many);
    for (int k = 0; k < 10 && alone && many; k++) {
        ptrdiff_t stride;
        tact_worlds_step(alone, NULL, NULL, 1, NULL);
        tact_worlds_step(many, NULL, NULL, 1, NULL);
        const char *one = (const char *)tact_worlds_view(alone, TACT_WORLDS_Q, &stride),
                   *five = (const char *)tact_worlds_view(many, TACT_WORLDS_Q, &stride);
        for (int i = 0; i < 5; i++) CHECK(memcmp(five + i * stride, one, (size_t)tact_worlds_nq(alone) * sizeof(tact_real)) == 0);
    }
    tact_worlds_close(alone);
    tact_worlds_close(many);
}

int main(void) {
    for (int rigid = 0; rigid < 2; rigid++) {
        const char *law = rigid ? "rigid" : "barrier";
        if (!open_law(scene_text, law)) continue;
        test_forces();
        close_law();
        if (!open_law(scene_text, law)) continue;
        test_slopes();
        close_law();
        if (!open_law(dry_text(), law)) continue;
        test_slopes();
        close_law();
        test_kink(law);
        test_pulled(law);
    }
    test_abreast(scene_text);
    test_abreast(dry_text());
    test_dry();
    test_budget();
    test_overload();
    test_many_rounds();
    test_refused();
    return test_end("limits");
}
