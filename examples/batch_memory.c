// SPDX-License-Identifier: MIT
// Many worlds in memory: 256 hands lift balls of different masses, in threads and vector lanes, without files in between. A path
// of
// --set names what differs; views are the states themselves.
#include <stdio.h>
#include <tact/worlds.h>

enum { COUNT = 256, STEPS = 300 };

int main(void) {
    char message[1280];
    tact_worlds *worlds = tact_worlds_open("data/scenes/hand_lift.json", COUNT, 0, message, sizeof message);
    if (!worlds) return fprintf(stderr, "%s\n", message), 2;

    tact_real mass[COUNT];
    for (int i = 0; i < COUNT; i++) mass[i] = TACT_REAL(0.3) + TACT_REAL(0.4) * (tact_real)i / (COUNT - 1);
    if (tact_worlds_set(worlds, "bodies.ball.mass", mass) < 0) return fprintf(stderr, "%s\n", tact_worlds_message(worlds)), 2;

    // the scene's own command, in all worlds
    static int status[COUNT];
    tact_worlds_step(worlds, NULL, NULL, STEPS, status);
    int failed = 0;
    for (int i = 0; i < COUNT; i++) failed += status[i] < 0;

    // coordinate q[i] of world w is at first + w * stride bytes
    ptrdiff_t stride;
    const char *q = (const char *)tact_worlds_view(worlds, TACT_WORLDS_Q, &stride);
    int z = tact_worlds_nq(worlds) - 5;  // of the ball's x, y, z, w, x, y, z
    tact_real low = TACT_MAX, high = -TACT_MAX;
    for (int i = 0; i < COUNT; i++) {
        tact_real height = ((const tact_real *)(q + i * stride))[z];
        if (height < low) low = height;
        if (height > high) high = height;
    }
    printf("%d worlds of %s, %d failed; the balls' heights lie between %.4f and %.4f m\n", COUNT, tact_worlds_law(worlds), failed,
           (double)low, (double)high);
    tact_worlds_close(worlds);
    return failed > 0;
}
