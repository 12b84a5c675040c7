// SPDX-License-Identifier: MIT
// Placement of arrays: aligned, one behind the other, measured and placed alike; what no memory can hold never fits.
#include "tact/model.h"
#include "test.h"

static void test_places(void) {
    static unsigned char memory[1024];
    for (size_t shift = 0; shift < 2 * TACT_ALIGN; shift += 13) {
        tact_arena measure = {NULL, 0, 0}, arena = {memory + shift, sizeof memory - shift, 0};
        unsigned char *end = memory + shift;
        for (int k = 0; k < 3; k++) {
            CHECK(tact_arena_take(&measure, 7, 9) == NULL);
            unsigned char *at = tact_arena_take(&arena, 7, 9);
            CHECK(at >= end && (uintptr_t)at % TACT_ALIGN == 0);
            end = at + 63;
        }
        CHECK(end == memory + shift + arena.used);
        CHECK(arena.used <= measure.used && measure.used <= arena.used + TACT_ALIGN);
        CHECK(tact_arena_fits(&arena) && !tact_arena_fits(&measure));
        // what is measured suffices, less than what was used does not
        tact_arena exact = {memory + shift, arena.used, 0}, less = {memory + shift, arena.used - 1, 0};
        for (int k = 0; k < 3; k++) CHECK(tact_arena_take(&exact, 7, 9) != NULL);
        for (int k = 0; k < 3; k++) CHECK((tact_arena_take(&less, 7, 9) != NULL) == (k < 2));
        CHECK(tact_arena_fits(&exact) && !tact_arena_fits(&less));
    }
}

// nothing may be taken behind it, either
static void expect_too_large(tact_arena arena, size_t count, size_t item) {
    CHECK(tact_arena_take(&arena, count, item) == NULL);
    CHECK(arena.used == SIZE_MAX);
    CHECK(tact_arena_take(&arena, 1, 1) == NULL);
    CHECK(tact_arena_take(&arena, 0, 0) == NULL);
    CHECK(arena.used == SIZE_MAX && !tact_arena_fits(&arena));
}

static void test_too_large(void) {
    static unsigned char memory[256];
    const tact_arena arenas[] = {{NULL, 0, 0}, {memory, sizeof memory, 0}, {NULL, 0, 100}, {memory, sizeof memory, 100}};
    for (int k = 0; k < 4; k++) {
        expect_too_large(arenas[k], SIZE_MAX, 1);
        expect_too_large(arenas[k], SIZE_MAX / 2, 3);
        expect_too_large(arenas[k], 3, SIZE_MAX / 2);
        expect_too_large((tact_arena){arenas[k].memory, arenas[k].size, SIZE_MAX - 3}, 2, 1);
        expect_too_large((tact_arena){arenas[k].memory, arenas[k].size, SIZE_MAX - 3}, 0, 0);
    }
    // items of no size take none, however many
    tact_arena none = {memory, sizeof memory, 0};
    CHECK(tact_arena_take(&none, SIZE_MAX, 0) != NULL && tact_arena_take(&none, 0, SIZE_MAX) != NULL);
    CHECK(tact_arena_fits(&none));
}

// each type of joint, and those that do not exist
static void test_joints(void) {
    static const int dofs[] = {0, 1, 1, 1, 3, 3, 6};
    for (int type = 0; type <= (int)TACT_JOINT_FREE; type++) {
        CHECK_INT(tact_joint_dofs((tact_joint_type)type), dofs[type]);
        CHECK_INT(tact_joint_coordinates((tact_joint_type)type), type == TACT_JOINT_FREE ? 7 : dofs[type]);
    }
    CHECK_INT(tact_joint_dofs((tact_joint_type)(TACT_JOINT_FREE + 1)), 0);
    CHECK_INT(tact_joint_coordinates((tact_joint_type)(TACT_JOINT_FREE + 1)), 0);
}

int main(void) {
    test_places();
    test_too_large();
    test_joints();
    return test_end("arena");
}
