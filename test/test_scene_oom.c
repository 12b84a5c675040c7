// SPDX-License-Identifier: MIT
// Every allocation of the scene loader fails once and for ever: no crash, no leak, and the errors say so. malloc and free are
// replaced for that, which sanitizers do not bear.

#include <unistd.h>

#include "files.h"
#include "memory_test.h"
#include "scene_test.h"

#if TEST_REPLACES

static char robot_path[500], scene_path[500];

static const char robot[] = "{\"bodies\":[" SLIDE("x", "") "," SLIDE(
    "y", ",\"mimic\":{\"joint\":\"x\"}") "],\"drives\":[{\"joint\":\"*\",\"stiffness\":1}],"
                                         "\"shapes\":[" SPHERE("x", "x") "," SPHERE(
                                             "y", "y") "],\"exclude\":[[\"world\",\"x\"],"
                                                       "[\"world\",\"y\"],[\"x\",\"y\"]],\"pairs\":[{\"a\":\"x\",\"b\":\"y\"}],"
                                                       "\"keyframes\":[{\"name\":\"k\","
                                                       "\"q\":{\"x\":0.5},\"command\":{\"x\":0.5}}]}";

static const char whole[] =
    "{\"tact\":1,\"robots\":[{\"file\":\"robot.json\",\"prefix\":\"r_\",\"base\":{\"joint\":\"driven\"},"
    "\"bodies\":{\"x\":{\"mass\":2}},\"drives\":{\"x\":{\"stiffness\":2}}}],\"bodies\":[" BALL("a") "," BALL(
        "b") "],"
             "\"shapes\":[" SPHERE("a", "a") "," SPHERE(
                 "b", "b") ",{\"name\":\"p\",\"body\":\"world\",\"type\":\"plane\"}],"
                           "\"mu\":1,\"pairs\":\"auto\",\"exclude\":[[\"a\",\"b\"]],\"state\":{\"keyframe\":\"r_k\",\"q\":{\"a\":"
                           "[1,2,3]}},"
                           "\"command\":{\"mode\":\"trajectory\",\"times\":[0,1],\"q\":{\"r_x\":[0,1]}},"
                           "\"forces\":[{\"body\":\"b\",\"times\":[0,1],\"force\":[[0,0,0],[1,1,1]]}]}";

// true when no allocation was missing
static bool read_failing(long number, bool on) {
    static const char *const set[] = {"options.kappa=1e4", "/state/q/b=[1,2,3]"};
    tact_scene_settings settings = {.set = set, .nset = 2};
    long before = living;
    errors = (tact_errors){0};
    allocations = 0;
    fail_at = number;
    fail_on = on;
    tact_scene *result = tact_scene_read(scene_path, &settings, &errors);
    bool failed = number > 0 && allocations >= number;
    fail_at = 0;
    CHECK_INT(result == NULL, failed);
    CHECK_INT(tact_errors_exit(&errors), failed ? 5 : 0);
    if (!failed) {
        for (int i = 0; i < errors.kept; i++) printf("    %s\n", errors.items[i].text);
        if (result) CHECK_INT(result->model.npair, 7);
    }
    tact_scene_free(result);
    CHECK_INT(living, before);
    return !failed;
}

static void open_failing(void) {
    for (long number = 1; number < 400; number++) {
        char text[300];
        long before = living;
        allocations = 0;
        fail_at = number;
        fail_on = number % 2;
        tact_world *world = tact_world_open(scene_path, text, sizeof text);
        bool failed = allocations >= number;
        fail_at = 0;
        CHECK_INT(world == NULL, failed);
        if (failed) CHECK(strstr(text, "out of memory") != NULL);
        tact_world_close(world);
        CHECK_INT(living, before);
        if (!failed) return;
    }
    CHECK(false);
}

// more than fits one piece of the draft's memory
static void test_large(void) {
    static char text[200000];
    size_t used = (size_t)sprintf(text, "{\"tact\":1,\"bodies\":[");
    for (int i = 0; i < 1500; i++) {
        used += (size_t)sprintf(text + used, "%s{\"name\":\"b%d\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\"}}",
                                i > 0 ? "," : "", i);
    }
    sprintf(text + used, "]}");
    long before = living;
    tact_scene *result = parse_text(text, NULL);
    CHECK(result && result->model.nbody == 1500);
    CHECK(living > before);
    tact_scene_free(result);
    CHECK_INT(living, before);
}

int main(void) {
    char folder[400];
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(robot_path, sizeof robot_path, "%s/robot.json", folder);
    snprintf(scene_path, sizeof scene_path, "%s/scene.json", folder);
    test_write_text(robot_path, robot);
    test_write_text(scene_path, whole);
    for (int on = 0; on < 2; on++) {
        long number = 1;
        while (number < 5000 && !read_failing(number, on)) number++;
        printf("%ld allocations\n", number - 1);
        CHECK(number > 100 && number < 5000);
    }
    open_failing();
    test_large();
    unlink(robot_path);
    unlink(scene_path);
    rmdir(folder);
    return test_end("scene_oom");
}

#else

int main(void) {
    return test_end("scene_oom (not with this C library or under a sanitizer)");
}

#endif
