// SPDX-License-Identifier: MIT
// Worlds against tact_world_step, to the bit, for every number of threads and lanes; numbers that differ between worlds against
// scenes that hold them; gradients of rollouts against difference quotients of the same rollouts, under all laws.
#include "tact/worlds.h"

#include <unistd.h>

#include "tact/lanes.h"
#include "tact/scene.h"
#include "test.h"

static const char *const scenes[] = {
    "ball_drop",     "block_on_slope",   "box_stack",     "cart",         "cart_stop", "cube_in_hand",    "egg_cup",
    "flip_box",      "hand_lift",        "hinge_fingers", "incline",      "lesson",    "lift_circle",     "lift_hex",
    "lift_roll_hex", "lift_two_pushers", "newton_cradle", "painleve_rod", "pile_200",  "push_to_goal",    "pusher",
    "roll_to_goal",  "rolling_disc",     "slide_hex",     "two_balls",    "two_carts", "two_fingers_disc"};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

static const char *scene_path(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    return path;
}

static tact_worlds *open_worlds(const char *scene, int count, int threads) {
    char message[1300] = "";
    tact_worlds *worlds = tact_worlds_open(scene, count, threads, message, sizeof message);
    CHECK(worlds != NULL);
    if (!worlds) printf("%s\n", message);
    return worlds;
}

static const tact_real *row(tact_worlds *worlds, tact_worlds_what what, int i) {
    ptrdiff_t stride;
    const char *first = (const char *)tact_worlds_view(worlds, what, &stride);
    return (const tact_real *)(const void *)(first + i * stride);
}

static bool same(const tact_real *a, const tact_real *b, int count) {
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

// The scene's own command and forces, from some steps on in a call of several.
static void check_bits(const char *name, int count, int threads, int lanes, int steps) {
    char message[1300] = "";
    tact_worlds_options options = {
        .size = sizeof options, .scene = scene_path(name), .count = count, .threads = threads, .lanes = lanes};
    tact_worlds *worlds = tact_worlds_open_with(&options, message, sizeof message);
    tact_world *one = tact_world_open(scene_path(name), message, sizeof message);
    CHECK(worlds && one);
    if (!worlds || !one) return;
    int *status = malloc((size_t)count * sizeof *status), wanted = 0;
    for (int k = 0; k < steps && wanted >= 0; k++) {
        wanted = tact_world_step(one);
        bool several = k >= steps - 3;
        if (!several || k == steps - 1 || wanted < 0) tact_worlds_step(worlds, NULL, NULL, several ? 3 : 1, status);
    }
    bool equal = true;
    for (int i = 0; i < count; i++) equal = equal && (status[i] < 0) == (wanted < 0);
    for (int i = 0; i < count; i++) {
        equal = equal && same(row(worlds, TACT_WORLDS_Q, i), one->state.q, tact_worlds_nq(worlds));
        equal = equal && same(row(worlds, TACT_WORLDS_V, i), one->state.v, tact_worlds_nv(worlds));
        equal = equal && same(row(worlds, TACT_WORLDS_LAMBDA, i), one->state.lambda, 3 * tact_worlds_npair(worlds));
        equal = equal && *row(worlds, TACT_WORLDS_TIME, i) == one->state.time;
        equal = equal && same(row(worlds, TACT_WORLDS_U, i), one->u, tact_worlds_nu(worlds));
    }
    CHECK(equal);
    if (!equal) printf("    %s: %d worlds, %d threads, %d lanes\n", name, count, threads, lanes);
    free(status);
    tact_worlds_close(worlds);
    tact_world_close(one);
}

static void test_bits(void) {
    int width[5], widths = tact_lanes_widths(width);
    for (int s = 0; s < SCENES; s++) {
        int steps = strcmp(scenes[s], "pile_200") == 0 ? 5 : 24;
        check_bits(scenes[s], 1, 1, 0, steps);
        check_bits(scenes[s], 37, 3, 0, steps);
    }
    for (int threads = 1; threads <= 8; threads++) check_bits("hand_lift", 70, threads, 0, 30);
    for (int i = 0; i < widths; i++) check_bits("egg_cup", 21, 2, width[i], 30);
}

// Worlds that differ, by commands of their own, and that end at different steps.
static void test_commands(void) {
    enum { COUNT = 45, STEPS = 20 };
    uint64_t seed = test_seed(23);
    tact_worlds *worlds[3];
    for (int k = 0; k < 3; k++) worlds[k] = open_worlds(scene_path("hand_lift"), COUNT, k == 2 ? 1 : 4);
    if (!worlds[0] || !worlds[1] || !worlds[2]) return;
    int nu = tact_worlds_nu(worlds[0]), nq = tact_worlds_nq(worlds[0]);
    tact_real *u = malloc((size_t)(COUNT * nu) * sizeof *u);
    int status[3][COUNT];
    for (int i = 0; i < COUNT; i++)
        for (int j = 0; j < nu; j++)
            u[i * nu + j] = row(worlds[0], TACT_WORLDS_Q, i)[j] + (tact_real)test_random(&seed, -0.3, 0.3);
    // no answer: a number that a step refuses
    u[7 * nu] = (tact_real)1e9;
    tact_worlds_step(worlds[0], u, NULL, STEPS, status[0]);
    for (int k = 0; k < STEPS; k++) tact_worlds_step(worlds[1], u, NULL, 1, status[1]);
    tact_worlds_step(worlds[2], u, NULL, STEPS, status[2]);
    CHECK_INT(status[0][7], TACT_BAD_INPUT);
    CHECK(*row(worlds[0], TACT_WORLDS_TIME, 7) == 0);
    CHECK(*row(worlds[0], TACT_WORLDS_TIME, 8) > 0);
    bool equal = true;
    for (int i = 0; i < COUNT; i++) {
        equal = equal && same(row(worlds[0], TACT_WORLDS_Q, i), row(worlds[1], TACT_WORLDS_Q, i), nq);
        equal = equal && same(row(worlds[0], TACT_WORLDS_Q, i), row(worlds[2], TACT_WORLDS_Q, i), nq);
        equal = equal && status[0][i] == status[2][i];
    }
    CHECK(equal);
    // views of contacts
    CHECK(isinf(*row(worlds[0], TACT_WORLDS_GAP, 3)));
    tact_worlds_step(worlds[0], u, NULL, 1, NULL);
    CHECK(!isnan(*row(worlds[0], TACT_WORLDS_GAP, 3)));
    CHECK_CLOSE(row(worlds[0], TACT_WORLDS_POSE, 0)[0], 1, 1);
    // contacts of the lanes are those of a world alone
    tact_worlds *alone = open_worlds(scene_path("hand_lift"), 1, 1);
    if (!alone) return;
    tact_worlds_reset(worlds[0], 0, COUNT);
    const tact_worlds_what shown[] = {TACT_WORLDS_GAP, TACT_WORLDS_POINT, TACT_WORLDS_NORMAL, TACT_WORLDS_FORCE};
    row(alone, TACT_WORLDS_POINT, 0);
    tact_worlds_step(worlds[0], NULL, NULL, STEPS, NULL);
    tact_worlds_step(alone, NULL, NULL, STEPS, NULL);
    for (int k = 0; k < 4; k++)
        CHECK(same(row(worlds[0], shown[k], 5), row(alone, shown[k], 0), tact_worlds_width(alone, shown[k])));
    tact_worlds_close(alone);
    tact_worlds_reset(worlds[0], 0, COUNT);
    CHECK(*row(worlds[0], TACT_WORLDS_TIME, 3) == 0);
    CHECK_TEXT(tact_worlds_name(worlds[0], TACT_WORLDS_BODY, tact_worlds_size(worlds[0], TACT_WORLDS_BODY) - 1), "ball");
    CHECK(tact_worlds_name(worlds[0], TACT_WORLDS_DOF, -1) == NULL);
    CHECK_TEXT(tact_worlds_law(worlds[0]), "barrier");
    free(u);
    for (int k = 0; k < 3; k++) tact_worlds_close(worlds[k]);
}

// A number of each world against the scene that holds it.
static void check_set(const char *name, const char *const *path, int npath, const double *value, int steps) {
    enum { COUNT = 5 };
    tact_worlds *worlds = open_worlds(scene_path(name), COUNT, 2);
    tact_real values[COUNT];
    if (!worlds) return;
    for (int k = 0; k < npath; k++) {
        for (int i = 0; i < COUNT; i++) values[i] = (tact_real)(value[k] * (1 + 0.1 * i));
        CHECK_INT(tact_worlds_set(worlds, path[k], values), TACT_CONVERGED);
        if (tact_worlds_message(worlds)[0]) printf("%s\n", tact_worlds_message(worlds));
        tact_real got[COUNT];
        CHECK_INT(tact_worlds_get(worlds, path[k], got), TACT_CONVERGED);
        CHECK(same(got, values, COUNT));
    }
    tact_worlds_reset(worlds, 0, COUNT);
    tact_worlds_step(worlds, NULL, NULL, steps, NULL);
    for (int i = 0; i < COUNT; i++) {
        char text[4][100];
        const char *set[4];
        tact_errors errors = {0};
        for (int k = 0; k < npath; k++) {
            snprintf(text[k], sizeof text[k], "%s=%.17g", path[k], (double)(tact_real)(value[k] * (1 + 0.1 * i)));
            set[k] = text[k];
        }
        tact_scene_settings settings = {.set = set, .nset = npath};
        tact_scene *scene = tact_scene_read(scene_path(name), &settings, &errors);
        CHECK(scene != NULL);
        if (!scene) continue;
        tact_state state;
        tact_work work;
        const tact_model *model = &scene->model;
        void *memory[2] = {malloc(tact_state_size(model)), malloc(tact_work_size(model))};
        tact_state_init(&state, model, memory[0], tact_state_size(model));
        tact_work_init(&work, model, memory[1], tact_work_size(model));
        tact_real *u = calloc((size_t)model->nu + 1, sizeof *u);
        tact_wrench *wrench = calloc((size_t)model->nbody, sizeof *wrench);
        for (int k = 0; k < steps; k++) {
            tact_scene_command(scene, &state, u);
            tact_input input = {.u = u};
            if (tact_scene_wrench(scene, &state, wrench)) input.wrench = wrench;
            if (tact_step(model, &scene->options, &input, &state, &work) < 0) break;
        }
        CHECK(same(row(worlds, TACT_WORLDS_Q, i), state.q, model->nq));
        if (!same(row(worlds, TACT_WORLDS_Q, i), state.q, model->nq)) printf("    %s %s: world %d\n", name, path[0], i);
        free(u);
        free(wrench);
        free(memory[0]);
        free(memory[1]);
        tact_scene_free(scene);
    }
    tact_worlds_close(worlds);
}

static void test_set(void) {
    const char *const masses[] = {"bodies.ball.mass", "options.kappa", "pairs.0.mu"}, *const hexagon[] = {"bodies.body.mass"},
                      *const stiffness[] = {"options.kn", "bodies.0.mass"}, *const place[] = {"state.q.body.1"},
                      *const block[] = {"bodies.0.mass"};
    check_set("hand_lift", masses, 3, (const double[]){0.4, 90, 0.5}, 40);
    check_set("lift_hex", hexagon, 1, (const double[]){0.07}, 150);
    check_set("lift_hex", stiffness, 2, (const double[]){1200, 0.08}, 150);
    check_set("lift_hex", place, 1, (const double[]){1.3}, 30);
    check_set("block_on_slope", block, 1, (const double[]){0.7}, 30);
    tact_worlds *worlds = open_worlds(scene_path("hand_lift"), 2, 1);
    if (!worlds) return;
    CHECK_INT(tact_worlds_set(worlds, "bodies.bell.mass", (const tact_real[]){1, 1}), TACT_BAD_INPUT);
    CHECK_TEXT(tact_worlds_message(worlds),
               "--set bodies.bell.mass=1: there is no \"bell\" in /bodies, a list of 1, counted from 0 (did you mean \"ball\"?)");
    CHECK_INT(tact_worlds_set(worlds, "bodies.ball.mass", (const tact_real[]){1, (tact_real)NAN}), TACT_BAD_INPUT);
    CHECK_INT(tact_worlds_set(worlds, "bodies.ball.mass", (const tact_real[]){1, -1}), TACT_BAD_INPUT);
    CHECK(strstr(tact_worlds_message(worlds), "mass") != NULL);
    CHECK_INT(tact_worlds_step(worlds, NULL, NULL, 2, NULL), TACT_CONVERGED);
    CHECK_INT(tact_worlds_nset(worlds), 0);
    // the scene's pairs have frictions of their own
    CHECK_INT(tact_worlds_set(worlds, "mu", (const tact_real[]){(tact_real)0.3, (tact_real)0.4}), TACT_CONVERGED);
    CHECK(strstr(tact_worlds_message(worlds), "\"mu\" changes nothing in this scene") != NULL);
    CHECK_INT(tact_worlds_set(worlds, "pairs.0.mu", (const tact_real[]){(tact_real)0.3, (tact_real)0.4}), TACT_CONVERGED);
    CHECK_TEXT(tact_worlds_message(worlds), "");
    tact_worlds_close(worlds);
}

static void test_save(void) {
    tact_worlds *worlds = open_worlds(scene_path("two_balls"), 3, 1);
    if (!worlds) return;
    int nq = tact_worlds_nq(worlds);
    size_t size = tact_worlds_save(worlds, 1, NULL, 0);
    unsigned char *bytes = malloc(size);
    tact_worlds_step(worlds, NULL, NULL, 30, NULL);
    CHECK_INT(tact_worlds_save(worlds, 1, bytes, size), size);
    tact_worlds_step(worlds, NULL, NULL, 30, NULL);
    tact_worlds_reset(worlds, 2, 1);
    CHECK_INT(tact_worlds_load(worlds, 2, bytes, size), TACT_CONVERGED);
    tact_real *wanted = malloc((size_t)nq * sizeof *wanted);
    memcpy(wanted, row(worlds, TACT_WORLDS_Q, 1), (size_t)nq * sizeof *wanted);
    tact_worlds_step(worlds, NULL, NULL, 30, NULL);
    CHECK(same(row(worlds, TACT_WORLDS_Q, 2), wanted, nq));
    CHECK_INT(tact_worlds_load(worlds, 2, bytes, size - 1), TACT_BAD_INPUT);
    tact_real bad = (tact_real)NAN;
    memcpy(bytes + 32, &bad, sizeof bad);
    CHECK_INT(tact_worlds_load(worlds, 2, bytes, size), TACT_BAD_INPUT);
    CHECK(same(row(worlds, TACT_WORLDS_Q, 2), wanted, nq));
    bytes[0] ^= 1;
    CHECK_INT(tact_worlds_load(worlds, 2, bytes, size), TACT_BAD_INPUT);
    free(bytes);
    free(wanted);
    tact_worlds_close(worlds);
}

static void test_scene_text(void) {
    static const char text[] = "{ \"tact\": 1, \"robots\": [ { \"file\": \"../robots/robotis_5f_hand.json\" } ] }";
    char message[1300];
    tact_worlds_options options = {.size = sizeof options, .scene = text, .folder = "data/scenes", .count = 2};
    tact_worlds *worlds = tact_worlds_open_with(&options, message, sizeof message);
    CHECK(worlds != NULL);
    if (worlds) CHECK(tact_worlds_nv(worlds) > 0);
    tact_worlds_close(worlds);
    options.folder = NULL;
    CHECK(tact_worlds_open_with(&options, message, sizeof message) == NULL);
    CHECK(strncmp(message, "scene:1:36: /robots/0/file: ", 28) == 0);
    CHECK(tact_worlds_open("{ \"tact\": 2 }", 1, 1, message, sizeof message) == NULL);
    CHECK(strncmp(message, "scene:1:11: /tact: ", 19) == 0);
    CHECK(tact_worlds_open("data/scenes/none.json", 1, 1, NULL, 0) == NULL);
    tact_worlds_close(NULL);
}

// A loss with fixed random weights of everything that a rollout yields.
typedef struct {
    tact_worlds *worlds;
    tact_worlds_run run;
    tact_real *q_bar, *v_bar, *force_bar, *q, *v, *force;
    int nq, nv, nl;
} loss_case;

static double loss(loss_case *l) {
    double sum = 0;
    tact_worlds_path path = {l->q, l->v, l->force, NULL};
    CHECK(tact_worlds_rollout(l->worlds, &l->run, &path) >= 0);
    for (int i = 0; i < (l->run.steps + 1) * l->nq; i++) sum += (double)l->q_bar[i] * (double)l->q[i];
    for (int i = 0; l->v_bar && i < (l->run.steps + 1) * l->nv; i++) sum += (double)l->v_bar[i] * (double)l->v[i];
    for (int i = 0; l->force_bar && i < l->run.steps * l->nl; i++) sum += (double)l->force_bar[i] * (double)l->force[i];
    return sum;
}

static tact_real *random_array(uint64_t *seed, int count, double size) {
    tact_real *x = malloc((size_t)(count > 0 ? count : 1) * sizeof *x);
    for (int i = 0; i < count; i++) x[i] = (tact_real)test_random(seed, -size, size);
    return x;
}

// A central difference by one number of the run; the number is put back.
static double quotient(loss_case *l, tact_real *x, double eps) {
    tact_real kept = *x;
    *x = kept + (tact_real)eps;
    double more = loss(l);
    *x = kept - (tact_real)eps;
    double less = loss(l);
    *x = kept;
    return (more - less) / (2 * eps);
}

typedef struct {
    const char *name;
    int before, steps;         // steps before the rollout, and of it
    double force;              // weight of forces; 0: they are not looked at
    const char *parameter[3];  // NULL: no more
    const char *set;           // NULL
} gradient_case;

static void check_gradient(const gradient_case *c) {
    uint64_t seed = test_seed(5);
    char message[1300] = "";
    tact_worlds_options options = {.size = sizeof options, .scene = scene_path(c->name), .count = 1, .threads = 1};
    const char *const tight[] = {"options.tolerance=1e-13", c->set};
    options.set = tight;
    options.nset = c->set ? 2 : 1;
    tact_worlds *worlds = tact_worlds_open_with(&options, message, sizeof message);
    CHECK(worlds != NULL);
    if (!worlds) {
        printf("%s\n", message);
        return;
    }
    CHECK(tact_worlds_step(worlds, NULL, NULL, c->before, NULL) >= 0);
    int nq = tact_worlds_nq(worlds), nv = tact_worlds_nv(worlds), nu = tact_worlds_nu(worlds), nl = 3 * tact_worlds_npair(worlds);
    bool fast = strcmp(tact_worlds_law(worlds), "barrier") != 0;
    int npath = 0;
    while (npath < 3 && c->parameter[npath]) npath++;
    tact_real *u = random_array(&seed, c->steps * nu, 0.001), *q = random_array(&seed, nq, 0), *v = random_array(&seed, nv, 0);
    for (int i = 0; i < c->steps * nu; i++) u[i] += row(worlds, TACT_WORLDS_U, 0)[i % nu];
    memcpy(q, row(worlds, TACT_WORLDS_Q, 0), (size_t)nq * sizeof *q);
    memcpy(v, row(worlds, TACT_WORLDS_V, 0), (size_t)nv * sizeof *v);
    loss_case l = {.worlds = worlds, .nq = nq, .nv = nv, .nl = nl};
    l.run = (tact_worlds_run){sizeof l.run, c->steps, u, q, v};
    l.q_bar = random_array(&seed, (c->steps + 1) * nq, 1);
    l.v_bar = fast ? random_array(&seed, (c->steps + 1) * nv, 0.1) : NULL;
    l.force_bar = c->force > 0 ? random_array(&seed, c->steps * nl, c->force) : NULL;
    l.q = random_array(&seed, (c->steps + 1) * nq, 0);
    l.v = random_array(&seed, (c->steps + 1) * nv, 0);
    l.force = random_array(&seed, c->steps * nl, 0);
    tact_real *u_bar = random_array(&seed, c->steps * nu, 0), *q_bar = random_array(&seed, nq, 0),
              *v_bar = random_array(&seed, nv, 0), by[3] = {0, 0, 0};
    int status = 0, kinks = 0;
    tact_worlds_bars bars = {.size = sizeof bars,
                             .q_bar = l.q_bar,
                             .v_bar = l.v_bar,
                             .force_bar = l.force_bar,
                             .u = u_bar,
                             .q = q_bar,
                             .v = v_bar,
                             .nparameter = npath,
                             .parameter = c->parameter,
                             .by_parameter = by,
                             .status = &status,
                             .kinks = &kinks};
    CHECK(tact_worlds_pullback(worlds, &l.run, &bars) >= 0);
    if (tact_worlds_message(worlds)[0]) printf("%s: %s\n", c->name, tact_worlds_message(worlds));
    CHECK_INT(kinks, 0);
    double scale = 0, worst = 0;
    for (int i = 0; i < nq; i++) scale = fmax(scale, fabs((double)q_bar[i]));
    for (int i = 0; i < nq; i++) worst = fmax(worst, fabs((double)q_bar[i] - quotient(&l, &q[i], 1e-7)));
    CHECK_CLOSE(worst / (scale + 1e-3), 0, 2e-5);
    if (worst > 2e-5 * scale) printf("    %s by q: off by %.3g of %.3g\n", c->name, worst, scale);
    scale = worst = 0;
    for (int i = 0; i < c->steps * nu; i += 1 + c->steps * nu / 40) {
        scale = fmax(scale, fabs((double)u_bar[i]));
        worst = fmax(worst, fabs((double)u_bar[i] - quotient(&l, &u[i], 1e-7)));
    }
    CHECK_CLOSE(worst / (scale + 1e-3), 0, 2e-5);
    if (worst > 2e-5 * scale) printf("    %s by u: off by %.3g of %.3g\n", c->name, worst, scale);
    scale = worst = 0;
    for (int i = 0; fast && i < nv; i++) {
        scale = fmax(scale, fabs((double)v_bar[i]));
        worst = fmax(worst, fabs((double)v_bar[i] - quotient(&l, &v[i], 1e-6)));
    }
    CHECK_CLOSE(worst / (scale + 1e-3), 0, 2e-5);
    if (worst > 2e-5 * scale) printf("    %s by v: off by %.3g of %.3g\n", c->name, worst, scale);
    for (int k = 0; k < npath; k++) {
        tact_real value = 0, shifted;
        CHECK(tact_worlds_get(worlds, c->parameter[k], &value) >= 0);
        double eps = 1e-6 * fabs((double)value), side[2];
        for (int s = 0; s < 2; s++) {
            shifted = value + (tact_real)(s ? eps : -eps);
            CHECK(tact_worlds_set(worlds, c->parameter[k], &shifted) >= 0);
            side[s] = loss(&l);
        }
        CHECK(tact_worlds_set(worlds, c->parameter[k], &value) >= 0);
        double wanted = (side[1] - side[0]) / (2 * eps);
        CHECK_CLOSE((double)by[k] / (fabs(wanted) + 1e-4), wanted / (fabs(wanted) + 1e-4), 1e-4);
        if (fabs((double)by[k] - wanted) > 1e-4 * fabs(wanted) + 1e-9)
            printf("    %s by %s: %.9g, quotient %.9g\n", c->name, c->parameter[k], (double)by[k], wanted);
    }
    tact_real *const all[] = {u, q, v, l.q_bar, l.v_bar, l.force_bar, l.q, l.v, l.force, u_bar, q_bar, v_bar};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) free(all[i]);
    tact_worlds_close(worlds);
}

static void test_gradients(void) {
    static const gradient_case cases[] = {
        {"lesson", 3, 6, 0.1, {"options.kappa", "pairs.0.mu", "bodies.0.mass"}, NULL},
        {"roll_to_goal", 5, 8, 0.1, {"bodies.ball.mass", "options.epsilon", "shapes.ball.radius"}, NULL},
        {"hand_lift", 120, 6, 0.1, {"bodies.ball.mass", "options.kappa", "options.dt"}, "options.anchor=false"},
        {"hand_lift", 120, 6, 0.1, {"bodies.ball.mass", NULL}, "options.anchor=true"},
        {"push_to_goal", 10, 12, 0, {"options.kn", "options.kt", "bodies.0.mass"}, "options.kt=50"},
        {"hinge_fingers", 10, 10, 0, {"options.kn", NULL}, "options.friction=tanh"},
        {"block_on_slope", 5, 10, 0, {"bodies.0.mass", NULL}, "mu=0.9"},
        {"block_on_slope", 5, 10, 0, {"mu", "bodies.0.mass", NULL}, "mu=0.2"},
        {"two_carts", 5, 10, 0.1, {NULL}, NULL},
        {"rolling_disc", 20, 6, 0, {"options.kn", NULL}, NULL},
        {"flip_box", 10, 6, 0, {"options.kn", "pairs.0.mu", NULL}, NULL},
        {"lift_two_pushers", 10, 6, 0, {"bodies.0.mass", NULL}, NULL},
        {"cart_stop", 0, 5, 0.1, {"bodies.0.mass", NULL}, NULL},
        {"roll_to_goal", 5, 8, 0.1, {"gravity.2", NULL}, NULL},
        {"block_on_slope", 5, 10, 0, {"gravity.2", NULL}, "mu=0.2"},
        {"lift_two_pushers", 10, 6, 0, {"bodies.0.inertia.2", "bodies.1.inertia.2", NULL}, NULL},
        {"flip_box", 10, 6, 0, {"gravity.2", "bodies.0.inertia.2", NULL}, NULL},
        {"slide_hex", 10, 6, 0, {"gravity.0", "gravity.2", "bodies.0.inertia.2"}, "gravity.0=1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) check_gradient(&cases[i]);
}

// T'T = 1/4: what is pushed comes back.
static void test_tangent(void) {
    tact_worlds *worlds = open_worlds(scene_path("roll_to_goal"), 1, 1);
    uint64_t seed = test_seed(9);
    if (!worlds) return;
    int nq = tact_worlds_nq(worlds), nv = tact_worlds_nv(worlds);
    tact_real *q = random_array(&seed, nq, 0), *x = random_array(&seed, nv, 1), *q_bar = random_array(&seed, nq, 0),
              *back = random_array(&seed, nv, 0), turn[4] = {(tact_real)0.5, (tact_real)-0.1, (tact_real)0.7, (tact_real)0.5};
    memcpy(q, row(worlds, TACT_WORLDS_Q, 0), (size_t)nq * sizeof *q);
    memcpy(q + nq - 4, turn, sizeof turn);
    tact_worlds_tangent_push(worlds, q, x, q_bar);
    tact_worlds_tangent_pull(worlds, q, q_bar, back);
    for (int i = 0; i < nv; i++) CHECK_CLOSE(back[i], x[i], 32 * TACT_EPS);
    double radial = 0;
    for (int k = 0; k < 4; k++) radial += (double)q_bar[nq - 4 + k] * (double)turn[k];
    CHECK_CLOSE(radial, 0, 32 * TACT_EPS);
    free(q);
    free(x);
    free(q_bar);
    free(back);
    tact_worlds_close(worlds);
}

// Worlds that find their pairs beside worlds that list them: the same states, forces by shapes, gradients, bytes.
static void check_found(const char *name, bool gradients) {
    enum { COUNT = 3, STEPS = 12 };
    const char *const set[] = {"pairs=\"auto\"", "mu=0.5", "options.kappa=5000", "options.margin=0.02", "max_contacts=900"};
    char message[1300] = "";
    tact_worlds *worlds[2];
    tact_real *gradient[2];
    double pull[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        tact_worlds_options options = {
            .size = sizeof options, .scene = scene_path(name), .count = COUNT, .threads = 2, .set = set, .nset = 4 + k};
        worlds[k] = tact_worlds_open_with(&options, message, sizeof message);
        CHECK(worlds[k] != NULL);
        if (!worlds[k]) printf("%s\n", message);
        if (!worlds[k]) return;
        ptrdiff_t stride;
        CHECK(tact_worlds_view(worlds[k], TACT_WORLDS_TOUCH, &stride) != NULL);
        int nu = tact_worlds_nu(worlds[k]), nq = tact_worlds_nq(worlds[k]), npair = tact_worlds_npair(worlds[k]);
        CHECK(tact_worlds_set(worlds[k], "bodies.cube.mass",
                              (const tact_real[]){(tact_real)0.1, (tact_real)0.12, (tact_real)0.2}) >= 0);
        CHECK(tact_worlds_set(worlds[k], "mu", (const tact_real[]){(tact_real)0.5, (tact_real)0.6, (tact_real)0.7}) >= 0);
        tact_worlds_reset(worlds[k], 0, COUNT);
        CHECK(tact_worlds_step(worlds[k], NULL, NULL, STEPS, NULL) >= 0);
        // Forces by their shapes, whatever the row.
        for (int i = 0; i < npair; i++) {
            const tact_real *touch = row(worlds[k], TACT_WORLDS_TOUCH, 1) + 2 * i;
            const tact_real *force = row(worlds[k], TACT_WORLDS_FORCE, 1) + 3 * i;
            CHECK(touch[0] >= 0 || force[2] == 0);
            pull[k] += (double)(touch[0] * force[0] + touch[1] * force[2]);
        }
        // A world from the bytes of another.
        size_t size = tact_worlds_save(worlds[k], 1, NULL, 0);
        void *bytes = malloc(size);
        tact_worlds_save(worlds[k], 1, bytes, size);
        tact_worlds_step(worlds[k], NULL, NULL, 2, NULL);
        tact_real *u = malloc((size_t)(COUNT * STEPS * nu + 1) * sizeof *u), *q = malloc((size_t)nq * sizeof *q);
        memcpy(q, row(worlds[k], TACT_WORLDS_Q, 1), (size_t)nq * sizeof *q);
        CHECK(tact_worlds_load(worlds[k], 1, bytes, size) >= 0);
        tact_worlds_step(worlds[k], NULL, NULL, 2, NULL);
        CHECK(same(row(worlds[k], TACT_WORLDS_Q, 1), q, nq));
        // dL/dq and by the mass, of the last coordinates and of all forces.
        int rows = COUNT * (STEPS + 1) * nq, forces = COUNT * STEPS * 3 * npair;
        tact_real *q_bar = calloc((size_t)rows, sizeof *q_bar), *force_bar = malloc((size_t)forces * sizeof *force_bar);
        for (int i = 0; i < COUNT * STEPS * nu; i++) u[i] = row(worlds[k], TACT_WORLDS_U, 0)[i % nu];
        for (int i = 0; i < nq; i++) q_bar[rows - 1 - i] = 1;
        for (int i = 0; i < forces; i++) force_bar[i] = (tact_real)1e-3;
        gradient[k] = calloc((size_t)(COUNT * (nq + 1)), sizeof *gradient[k]);
        const char *const mass = "bodies.cube.mass";
        const tact_worlds_run run = {sizeof run, STEPS, u, NULL, NULL};
        const tact_worlds_bars bars = {.size = sizeof bars,
                                       .q_bar = q_bar,
                                       .force_bar = force_bar,
                                       .q = gradient[k],
                                       .nparameter = 1,
                                       .parameter = &mass,
                                       .by_parameter = gradient[k] + COUNT * nq};
        if (gradients) CHECK(tact_worlds_pullback(worlds[k], &run, &bars) >= 0);
        if (tact_worlds_message(worlds[k])[0]) printf("%s\n", tact_worlds_message(worlds[k]));
        free(bytes), free(u), free(q), free(q_bar), free(force_bar);
    }
    int nq = tact_worlds_nq(worlds[0]);
    CHECK(tact_worlds_npair(worlds[1]) == 900);
    for (int i = 0; i < COUNT; i++) CHECK(same(row(worlds[0], TACT_WORLDS_Q, i), row(worlds[1], TACT_WORLDS_Q, i), nq));
    CHECK(!same(row(worlds[1], TACT_WORLDS_Q, 0), row(worlds[1], TACT_WORLDS_Q, 1), nq));
    CHECK(pull[0] != 0);
    CHECK_CLOSE(pull[0], pull[1], 1e4 * (double)TACT_EPS * fabs(pull[0]));
    // to rounding: the order in which unknowns are eliminated goes by the pairs that are listed
    double size = 0, apart = 0;
    for (int i = 0; i < COUNT * (nq + 1); i++) {
        size = fmax(size, fabs((double)gradient[0][i]));
        apart = fmax(apart, fabs((double)(gradient[0][i] - gradient[1][i])));
    }
    CHECK_CLOSE(apart, 0, 1e4 * (double)TACT_EPS * size);
    CHECK(!gradients || gradient[1][COUNT * nq] != 0);
    for (int k = 0; k < 2; k++) {
        free(gradient[k]);
        tact_worlds_close(worlds[k]);
    }
}

static void test_found(void) {
    check_found("cube_in_hand", true);
    check_found("allegro_cube", true);
}

int main(void) {
    test_bits();
    test_commands();
    test_set();
    test_save();
    test_scene_text();
    test_tangent();
    test_found();
    if (sizeof(tact_real) == 8) test_gradients();
    return test_end("worlds");
}
