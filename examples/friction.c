// SPDX-License-Identifier: MIT
// One contact with exact Coulomb friction: a mass of 1 kg that comes down at 1 m/s and slides at speed v. The impulses r and the
// velocities u = W r + q satisfy u + mu |u_t| n in K*, r in K: it sticks for v <= mu, else it keeps v - mu.
#include <stdio.h>
#include <tact/friction.h>

static unsigned char memory[1 << 14];

int main(void) {
    static const tact_real W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, mu[1] = {TACT_REAL(0.5)};
    static const char *const name[] = {"separating", "sticking", "sliding"};
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_friction_work work;
    tact_friction_place(&work, 1, 1, &arena);
    if (!tact_arena_fits(&arena)) return fprintf(stderr, "%zu bytes are wanted\n", arena.used), 5;

    tact_friction_options options = tact_friction_options_default();
    for (int i = 0; i < 3; i++) {
        // the third one leaves
        tact_real q[3] = {i == 2 ? 1 : -1, i == 0 ? TACT_REAL(0.4) : 2, 0}, r[3], u[3];
        tact_friction_problem problem = {.nc = 1, .W = W, .q = q, .mu = mu};
        tact_friction_solution solution = {.r = r, .u = u};
        tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
        tact_friction_mode mode[1];
        tact_friction_derivative derivative = {.mode = mode};
        if (status < 0 || tact_friction_linearise(&problem, r, &work, &derivative) < 0) return 1;
        // how the impulse along the tangent changes with mu: by the normal impulse where it slides
        const tact_real rest[3] = {0, 0, 0}, dmu[1] = {1};
        tact_real dr[3];
        tact_friction_forward(&derivative, rest, dmu, dr);
        printf("%s: r = %.4f %.4f, u = %.4f %.4f, dr_t/dmu = %.4f\n", name[mode[0]], (double)r[0], (double)r[1], (double)u[0],
               (double)u[1], (double)dr[1]);
    }
    return 0;
}
