// SPDX-License-Identifier: MIT
// Prints how much memory state and work of a baked model need on the target that this runs on, as C constants; once more with
// these sizes they must do, and with two alignments less not.
#include "cortex.h"
#include "model.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
#define MEMORY (3 * 1024 * 1024)

#ifdef TACT_FLOAT
#define REAL "float32"
#else
#define REAL "double32"
#endif

static _Alignas(TACT_ALIGN) unsigned char memory[MEMORY];

static void print(const char *part, size_t size, const char *end) {
    cortex_print(TEXT(MODEL) "_");
    cortex_print(part);
    cortex_print("_size_" REAL " = ");
    cortex_print_number((uint32_t)size);
    cortex_print(end);
}

int main(void) {
    static tact_state state;
    static tact_work work;
    size_t of_state = tact_state_size(&MODEL), of_work = tact_work_size(&MODEL);
    if (of_state > sizeof memory || of_work > sizeof memory) return 2;
    if (tact_state_init(&state, &MODEL, memory, of_state) < 0 || tact_work_init(&work, &MODEL, memory, of_work) < 0) return 3;
    if (tact_state_init(&state, &MODEL, memory, of_state - 2 * TACT_ALIGN) >= 0) return 4;
    if (tact_work_init(&work, &MODEL, memory, of_work - 2 * TACT_ALIGN) >= 0) return 5;
    cortex_print("enum { ");
    print("state", of_state, ", ");
    print("work", of_work, " };\n");
    return 0;
}
