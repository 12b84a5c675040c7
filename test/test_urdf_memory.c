// SPDX-License-Identifier: MIT
// Every allocation of the URDF reader and of the robot writer, those of Expat among them, fails once and for ever: no crash,
// no leak, and the errors say so. And the cost of large and hostile robots, counted in allocations and comparisons.
// malloc, free, strcmp and memcmp are replaced for that, which sanitizers do not bear; they run the other tests.
#include "memory_test.h"
#include "scene/urdf.h"
#include "tact/robot.h"
#include "test.h"

#if TEST_REPLACES

#include <time.h>

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *x = a, *y = b;
    comparisons++;
    for (size_t i = 0; i < size; i++)
        if (x[i] != y[i]) return x[i] - y[i];
    return 0;
}

static tact_errors errors;

static tact_source source_of(const char *text, size_t size) {
    return (tact_source){.name = "r", .bytes = text, .size = size, .line = 1};
}

// true when the robot was read and written, no allocation having failed
static bool import_failing(const char *text, size_t size, long number, bool on) {
    tact_draft draft = {.errors = &errors};
    tact_text out = {0};
    long before = living;
    errors = (tact_errors){0};
    allocations = 0;
    fail_at = number;
    fail_on = on;
    bool read = tact_urdf_read_source(&draft, source_of(text, size));
    bool failed = number > 0 && allocations >= number;
    CHECK_INT(read, !failed);
    CHECK_INT(tact_errors_exit(&errors), failed ? 5 : 0);
    if (read) {
        tact_robot_write(&draft, &out);
        failed = number > 0 && allocations >= number;
        CHECK_INT(out.failed, failed);
    }
    fail_at = 0;
    tact_text_free(&out);
    tact_draft_free(&draft);
    CHECK_INT(living, before);
    return !failed;
}

static void test_failures(void) {
    static const char text[] =
        "<?xml version='1.0' encoding='UTF-8'?><robot name='r'><link name='a'><inertial><mass value='1'/>"
        "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><collision name='tip'><geometry>"
        "<box size='1 1 1'/></geometry></collision><collision><geometry><mesh filename='m.stl'/></geometry></collision></link>"
        "<link name='b&amp;&#233;'/><link name='c'/><joint name='j' type='planar'><parent link='a'/><child link='b&amp;&#233;'/>"
        "</joint><joint name='k' type='revolute'><parent link='a'/><child link='c'/><limit lower='0' upper='1'/></joint></robot>";
    static char large[20000];
    size_t used = (size_t)snprintf(large, sizeof large, "<robot><link name='l0'/>");
    for (int i = 1; i < 100; i++) {
        used += (size_t)snprintf(
            large + used, sizeof large - used,
            "<link name='l%d'/><joint name='j%d' type='floating'><parent link='l%d'/><child link='l%d'/></joint>", i, i, i - 1,
            i);
    }
    used += (size_t)snprintf(large + used, sizeof large - used, "</robot>");
    for (int on = 0; on < 2; on++) {
        long number = 1;
        while (!import_failing(text, sizeof text - 1, number, on)) number++;
        CHECK(number > 25 && number < 200);
        printf("%ld allocations\n", number - 1);
        number = 1;
        while (!import_failing(large, used, number, on)) number++;
        CHECK(number > 30 && number < 300);
    }
}

// a robot in which lines(i) stands for each of count links
static void check_cost(const char *what, int count, int (*line)(char *out, size_t room, int i), int wanted_errors) {
    size_t room = TACT_TEXT_LIMIT, used;
    char *text = malloc(room);
    if (!text) exit(1);
    used = (size_t)snprintf(text, room, "<robot><link name='l0'/>");
    for (int i = 1; i < count; i++) used += (size_t)line(text + used, room - used, i);
    used += (size_t)snprintf(text + used, room - used, "</robot>");
    tact_draft draft = {.errors = &errors};
    tact_text out = {0};
    errors = (tact_errors){0};
    allocations = comparisons = 0;
    clock_t start = clock();
    bool read = tact_urdf_read_source(&draft, source_of(text, used));
    if (read) tact_robot_write(&draft, &out);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    printf("%s: %d links, %zu bytes: %.2f s, %ld allocations, %ld comparisons, %d errors\n", what, count, used, seconds,
           allocations, comparisons, errors.errors);
    CHECK_INT(read, wanted_errors == 0);
    CHECK_INT(errors.errors, wanted_errors);
    CHECK(allocations < 2000 + 3L * count);
    CHECK(comparisons < 500L * count);
    tact_text_free(&out);
    tact_draft_free(&draft);
    free(text);
}

static int chain(char *out, size_t room, int i) {
    return snprintf(out, room,
                    "<link name='l%d'/><joint name='j%d' type='revolute'><parent link='l%d'/><child link='l%d'/>"
                    "<limit lower='0' upper='1'/></joint>",
                    i, i, i - 1, i);
}

static int star(char *out, size_t room, int i) {
    return snprintf(out, room, "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l0'/><child link='l%d'/></joint>",
                    i, i, i);
}

static int ring(char *out, size_t room, int i) {
    return snprintf(out, room, "<link name='l%d'/><joint name='j%d' type='fixed'><parent link='l%d'/><child link='l%d'/></joint>",
                    i, i, i > 1 ? i - 1 : 99999, i);
}

static int followers(char *out, size_t room, int i) {
    return snprintf(out, room,
                    "<link name='l%d'/><joint name='j%d' type='continuous'><parent link='l0'/><child link='l%d'/>"
                    "<mimic joint='j%d'/></joint>",
                    i, i, i, i > 1 ? i - 1 : 99999);
}

static int nameless(char *out, size_t room, int i) {
    return snprintf(out, room, "<link/><joint type='fixed'><parent link='l%d'/><child link='l%d'/></joint>", i, i);
}

static int same(char *out, size_t room, int i) {
    (void)i;
    return snprintf(out, room, "<link name='l'/>");
}

static int unrelated(char *out, size_t room, int i) {
    return snprintf(out, room, "<link name='l%d'/><a%d b%d=''/>", i, i, i);
}

// names that only differ at their end, and made names that are all cut to the same
static int long_names(char *out, size_t room, int i) {
    int used = snprintf(out, room, "<link name='");
    memset(out + used, 'x', 249);
    used += 249;
    return used + snprintf(out + used, room - (size_t)used, "%06d'><visual/></link>", i);
}

static int planes(char *out, size_t room, int i) {
    char name[256];
    memset(name, 'x', 255);
    snprintf(name + 249, 7, "%06d", i);
    return snprintf(out, room, "<link name='%s'/><joint name='j%d' type='planar'><parent link='l0'/><child link='%s'/></joint>",
                    name, i, name);
}

// one link whose shapes' names other shapes have
static int crowd(char *out, size_t room, int i) {
    static const char shape[] = "<collision%s><geometry><sphere radius='1'/></geometry></collision>";
    char name[40];
    int used = 0;
    if (i == 1)
        used += snprintf(out, room, "<joint name='j' type='fixed'><parent link='l0'/><child link='k'/></joint><link name='k'>");
    snprintf(name, sizeof name, " name='k_%d'", i + 49999);
    used += snprintf(out + used, room - (size_t)used, shape, i < 50000 ? name : "");
    if (i == 99999) used += snprintf(out + used, room - (size_t)used, "</link>");
    return used;
}

int main(void) {
    test_failures();
    check_cost("chain", 100000, chain, 0);
    check_cost("star", 100000, star, 0);
    check_cost("ring", 100000, ring, 1);
    check_cost("followers", 100000, followers, 1);
    check_cost("without names", 100000, nameless, 399996);
    check_cost("the same name", 100000, same, 99998);
    check_cost("roots and unknown elements", 100000, unrelated, 99999);
    check_cost("long names", 50000, long_names, 49999);
    check_cost("long names of planes", 20000, planes, 0);
    check_cost("one crowded link", 100000, crowd, 0);
    return test_end("urdf_memory");
}

#else

int main(void) {
    return test_end("urdf_memory (not with this C library or under a sanitizer)");
}

#endif
