// SPDX-License-Identifier: MIT
// Roadmaps: the same bytes for any number of threads and however often a build was broken off; what is refused, with its place;
// nodes that stay; times along the graph against Floyd and Warshall; and an upside-down cube by way of the nodes.
#include "tact/roadmap.h"

#include <unistd.h>

#include "files.h"
#include "tact/text.h"
#include "test.h"

static tact_errors errors;
static tact_scene *scene, *plant;
static char folder[200], path[260], other[260];
static int stop_at;

static tact_scene *read_as(const char *law) {
    tact_scene_settings settings = {.law = law};
    return tact_scene_read("data/scenes/allegro_cube.json", &settings, &errors);
}

static tact_roadmap_options small(void) {
    tact_roadmap_options options = tact_roadmap_options_default();
    options.nodes = 5;
    options.neighbours = 2;
    options.time = 1;
    return options;
}

static bool report(void *context, int done) {
    int *most = context;
    *most = done;
    return done < stop_at;
}

// Builds or goes on; true when it is whole.
static bool build(const char *file, int threads) {
    tact_roadmap_options options = small();
    tact_roadmap map;
    int done = 0;
    errors = (tact_errors){0};
    bool good = tact_roadmap_open(&map, scene, &options, file, &errors) &&
                tact_roadmap_build(&map, plant, threads, report, &done, &errors);
    CHECK_INT(errors.errors, 0);
    for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
    if (good) CHECK_INT(map.nedge, tact_roadmap_edges(&map));
    tact_roadmap_free(&map);
    return good;
}

static tact_text read_file(const char *file) {
    tact_text text = {0};
    errors = (tact_errors){0};
    CHECK(tact_text_read(&text, file, 1 << 24, &errors));
    return text;
}

static void check_same(const char *file, const tact_text *wanted, const char *what) {
    tact_text text = read_file(file);
    bool same = text.size == wanted->size && memcmp(text.bytes, wanted->bytes, text.size) == 0;
    if (!same) printf("    %s: %zu bytes, wanted %zu\n", what, text.size, wanted->size);
    CHECK(same);
    tact_text_free(&text);
}

static void test_bytes(tact_text *whole) {
    stop_at = 1000;
    CHECK(build(path, 1));
    *whole = read_file(path);
    CHECK(build(other, 3));
    check_same(other, whole, "three threads");
    CHECK(build(other, 1));
    check_same(other, whole, "a whole one");
    // ended in order after the nodes, then broken off within a line of each kind, and between lines
    unlink(other);
    stop_at = 5;
    CHECK(!build(other, 2));
    stop_at = 1000;
    CHECK(build(other, 2));
    check_same(other, whole, "ended");
    const char *edge = strstr(whole->bytes, "{\"edge\":3");
    const size_t cuts[] = {0, 200, (size_t)(edge - whole->bytes), (size_t)(edge - whole->bytes) + 7, whole->size - 1};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        test_write_bytes(other, whole->bytes, cuts[i]);
        CHECK(build(other, 1));
        check_same(other, whole, "cut");
    }
}

// The file with the first occurrence of a text replaced is refused for a reason, at a line.
static void check_refused(const tact_text *whole, const char *from, const char *to, int line, const char *reason) {
    tact_roadmap map;
    char place[300];
    const char *at = strstr(whole->bytes, from);
    CHECK(at != NULL);
    if (!at) return;
    tact_text text = {0};
    tact_text_add_bytes(&text, whole->bytes, (size_t)(at - whole->bytes));
    tact_text_add(&text, to);
    tact_text_add(&text, at + strlen(from));
    test_write_bytes(other, text.bytes, text.size);
    tact_text_free(&text);
    errors = (tact_errors){0};
    CHECK(!tact_roadmap_read(&map, scene, other, &errors));
    snprintf(place, sizeof place, line > 0 ? "%s:%d:" : "%s: ", other, line);
    bool good =
        errors.kept > 0 && strncmp(errors.items[0].text, place, strlen(place)) == 0 && strstr(errors.items[0].text, reason);
    if (!good) printf("    %s -> %s: %s\n", from, to, errors.kept > 0 ? errors.items[0].text : "nothing said");
    CHECK(good);
    tact_roadmap_free(&map);
}

static void test_refused(const tact_text *whole) {
    check_refused(whole, "\"tact_roadmap\":1", "\"tact_roadmap\":2", 1, "/tact_roadmap: must be 1 (found 2)");
    check_refused(whole, "\"model\":\"", "\"model\":\"0", 1, "/model: ");
    check_refused(whole, "\"scene\"", "\"scen\"", 1, "unknown key \"scen\"");
    check_refused(whole, "\"nodes\":5", "\"nodes\":1000000000", 1, "/nodes: must be within [1, 10000]");
    check_refused(whole, "\"nodes\":5", "\"nodes\":4", 6, "there is no node after number 3");
    check_refused(whole, "\"nodes\":5", "\"nodes\":6", 7, "there are 5 nodes only of 6");
    check_refused(whole, "\"neighbours\":2", "\"neighbours\":1", 8, "/from: ");
    check_refused(whole, "\"node\":1", "\"node\":3", 3, "/node: must be 1 (found 3)");
    check_refused(whole, "\"q\":[", "\"q\":[1,", 2, "/q: expected 23 numbers, found 24");
    check_refused(whole, "\"u\":[", "\"u\":[1e300,", 2, "/u");
    check_refused(whole, "\"u\":[", "\"u\":[nan,", 2, "");
    check_refused(whole, "\"edge\":1,\"from\":0,\"to\":", "\"edge\":1,\"from\":0,\"to\":1", 8, "/to: ");
    check_refused(whole, "\"edge\":2,\"from\":1", "\"edge\":2,\"from\":0", 9, "/from: must be 1 (found 0)");
    check_refused(whole, "\"arrived\":", "\"arrived\":-", 7, "");
    check_refused(whole, "{\"edge\":9", "{\"edge\":9,\"edge\":9", 16, "");
    check_refused(whole, "{\"edge\":9", "[{\"edge\":9", 16, "");
    test_write_text(other, "");
    tact_roadmap map;
    errors = (tact_errors){0};
    CHECK(!tact_roadmap_read(&map, scene, other, &errors) && strstr(errors.items[0].text, "the roadmap has no node"));
    tact_roadmap_free(&map);
    // a build does not write over another file, nor over a roadmap of other options, nor beside another build
    tact_roadmap_options options = small();
    const char *const texts[] = {"a letter\n", "a letter", "{\"tact\":1}\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        tact_text text = {0};
        tact_text_add(&text, texts[i]);
        test_write_text(other, texts[i]);
        errors = (tact_errors){0};
        CHECK(!tact_roadmap_open(&map, scene, &options, other, &errors));
        tact_roadmap_free(&map);
        check_same(other, &text, texts[i]);
        tact_text_free(&text);
    }
    options.seed = 2;
    errors = (tact_errors){0};
    CHECK(!tact_roadmap_open(&map, scene, &options, path, &errors) &&
          strstr(errors.items[0].text, "was begun with other options"));
    tact_roadmap_free(&map);
    check_same(path, whole, "other options");
    tact_roadmap second;
    options = small();
    errors = (tact_errors){0};
    CHECK(tact_roadmap_open(&map, scene, &options, path, &errors));
    CHECK(!tact_roadmap_open(&second, scene, &options, path, &errors) && strstr(errors.items[0].text, "in use"));
    tact_roadmap_free(&second);
    tact_roadmap_free(&map);
}

// A plant of this test's own.
static tact_state state;
static tact_work work;
static tact_mpc mpc;

static void place_plant(void) {
    const tact_model *model = &plant->model;
    size_t sizes[] = {tact_state_size(model), tact_work_size(model), tact_mpc_size(&scene->model, scene->mpc.horizon)};
    tact_state_init(&state, model, malloc(sizes[0]), sizes[0]);
    tact_work_init(&work, model, malloc(sizes[1]), sizes[1]);
    tact_mpc_init(&mpc, &scene->model, scene->mpc.horizon, malloc(sizes[2]), sizes[2]);
}

static void step_plant(const tact_real *u, double seconds) {
    tact_input input = {.u = u};
    for (int i = 0; i < (int)(seconds / (double)plant->options.dt + 0.5); i++)
        CHECK(tact_step(&plant->model, &plant->options, &input, &state, &work) >= 0);
}

static tact_pose_error error_of(const tact_pose_goal *goal) {
    tact_kinematics_update(&work.kinematics, &plant->model, state.q);
    return tact_pose_goal_error(goal, &work.kinematics.pose[goal->body]);
}

static void put(const tact_real *q) {
    tact_state_reset(&state, &plant->model);
    for (int i = 0; i < plant->model.nq; i++) state.q[i] = state.q_past[i] = q[i];
}

// A second after it was put there, at rest, the body of each node is within 2 mm and 2 degrees of where it was.
static void test_nodes(const tact_roadmap *map) {
    for (int i = 0; i < map->nnode; i++) {
        tact_pose_goal goal = tact_control_goal(scene, &scene->goal);
        goal.position = map->position[i];
        goal.orientation = map->orientation[i];
        put(map->q + i * plant->model.nq);
        tact_pose_error off = error_of(&goal);
        CHECK((double)tact_vec3_dot(off.position, off.position) < 1e-12 &&
              (double)tact_vec3_dot(off.rotation, off.rotation) < 1e-12);
        step_plant(map->u + i * plant->model.nu, 1);
        off = error_of(&goal);
        CHECK((double)tact_vec3_dot(off.position, off.position) < 4e-6 &&
              (double)tact_vec3_dot(off.rotation, off.rotation) < 1.2e-3);
    }
}

// Random edges: values against all shortest paths.
static void test_values(const tact_roadmap *known) {
    enum { N = 5 };
    uint64_t random = test_seed(7);
    for (int trial = 0; trial < 50; trial++) {
        tact_roadmap map = *known;
        tact_roadmap_edge edge[2 * N];
        tact_real between[N][N];
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++) between[a][b] = a == b ? 0 : TACT_MAX / 4;
        for (int i = 0; i < 2 * N; i++) {
            int from = i / 2, to = (from + 1 + (int)test_random(&random, 0, N - 1)) % N;
            tact_real time = test_random(&random, 0, 1) < 0.3 ? -1 : (tact_real)test_random(&random, 0, 1);
            edge[i] = (tact_roadmap_edge){from, to, time, time};
            if (time >= 0 && time < between[from][to]) between[from][to] = time;
        }
        for (int k = 0; k < N; k++)
            for (int a = 0; a < N; a++)
                for (int b = 0; b < N; b++)
                    if (between[a][k] + between[k][b] < between[a][b]) between[a][b] = between[a][k] + between[k][b];
        // without edges a value is that of the leg to the goal alone
        tact_pose_goal goal = tact_control_goal(scene, &scene->goal);
        tact_roadmap_guide none, guide;
        tact_roadmap bare = map;
        map.edge = edge;
        bare.nedge = 0;
        CHECK(tact_roadmap_guide_open(&guide, &map) && tact_roadmap_guide_open(&none, &bare));
        for (int k = 0; k < TACT_ROADMAP_TURNS; k++) none.arrival[k] = guide.arrival[k];
        tact_roadmap_guide_begin(&guide, &mpc, &goal, plant->model.q0);
        tact_roadmap_guide_begin(&none, &mpc, &goal, plant->model.q0);
        for (int a = 0; a < N; a++) {
            tact_real wanted = TACT_MAX;
            for (int b = 0; b < N; b++)
                if (between[a][b] + none.value[b] < wanted) wanted = between[a][b] + none.value[b];
            CHECK_CLOSE((double)guide.value[a], (double)wanted, 100 * (double)TACT_EPS);
        }
        tact_roadmap_guide_close(&guide);
        tact_roadmap_guide_close(&none);
    }
}

// The cube upside down, by way of a node when the direct way is said to be long.
static void test_reaching(const tact_roadmap *map, bool far) {
    tact_options step;
    tact_mpc_options control;
    tact_roadmap_guide guide;
    tact_pose_goal goal = tact_control_goal(scene, &scene->goal);
    tact_control_options(scene, 0, &step, &control);
    goal.orientation = (tact_quat){0, 1, 0, 0};
    put(plant->model.q0);
    tact_mpc_reset(&mpc, state.q);
    CHECK(tact_roadmap_guide_open(&guide, map));
    for (int k = 3; far && k < TACT_ROADMAP_TURNS; k++) guide.arrival[k] = 100;
    for (int k = 0; far && k < TACT_ROADMAP_TURNS; k++) guide.grasp[k] = 1 + (tact_real)k;
    tact_roadmap_guide_begin(&guide, &mpc, &goal, state.q);
    CHECK(!far || guide.legs == 1);
    double held = 0, time = 0;
    for (; held < 1 && time < 30; time += (double)control.tick) {
        tact_mpc_options now = control;
        tact_pose_goal next = tact_roadmap_guide_goal(&guide, &mpc, &now, state.q);
        tact_mpc_solve(&mpc, &step, &now, &next, state.q);
        step_plant(mpc.last, (double)control.tick);
        tact_pose_error off = error_of(&goal);
        bool within = tact_vec3_dot(off.position, off.position) < goal.position_tolerance * goal.position_tolerance &&
                      tact_vec3_dot(off.rotation, off.rotation) < goal.angle_tolerance * goal.angle_tolerance;
        held = within ? held + (double)control.tick : 0;
    }
    if (held < 1) printf("    %d legs, not held after %.1f s\n", guide.legs, time);
    CHECK(held >= 1);
    tact_roadmap_guide_close(&guide);
}

int main(void) {
    tact_text whole = {0};
    tact_roadmap map;
    scene = read_as("barrier");
    plant = read_as("rigid");
    if (!scene || !plant) return printf("%s\n", errors.items[0].text), 1;
    plant->options.dt = TACT_REAL(0.005);
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(path, sizeof path, "%s/map", folder);
    snprintf(other, sizeof other, "%s/other", folder);
    test_bytes(&whole);
    test_refused(&whole);
    place_plant();
    errors = (tact_errors){0};
    CHECK(tact_roadmap_read(&map, scene, path, &errors));
    test_nodes(&map);
    test_values(&map);
    test_reaching(&map, false);
    test_reaching(&map, true);
    tact_roadmap_free(&map);
    tact_text_free(&whole);
    tact_scene_free(scene);
    tact_scene_free(plant);
    unlink(path);
    unlink(other);
    rmdir(folder);
    return test_end("roadmap");
}
