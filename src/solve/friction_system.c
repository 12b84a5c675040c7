// SPDX-License-Identifier: MIT
// Set-up of the friction problem: its blocks, their magnitudes, and the residual of given impulses.
#include "solve/friction.h"

tact_friction_options tact_friction_options_default(void) {
    tact_friction_options options = {.max_iterations = 2000, .tolerance = TACT_FRICTION_TOLERANCE};
    return options;
}

void tact_friction_place_nodes(tact_friction_work *work, int nc, int dense, int blocks, tact_arena *arena) {
    TACT_ASSERT(work && arena && nc >= dense && dense >= 0 && blocks >= 0);
    size_t n = 3 * (size_t)nc, many = (size_t)blocks, square = 9 * (size_t)dense * (size_t)dense;
    // row_start and column: the stored blocks of W, row by row
    *work = (tact_friction_work){.nc = nc, .blocks = blocks};
    work->row_start = tact_arena_take(arena, (size_t)nc + 1, sizeof(int));
    work->column = tact_arena_take(arena, many, sizeof(int));
    TACT_INDICES(arena, n, &work->place, &work->order);
    tact_real **vector[] = {&work->size, &work->centre, &work->best, &work->trial, &work->F,
                            &work->step, &work->next,   &work->u,    &work->right};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = tact_arena_take(arena, n, sizeof(tact_real));
    work->mu = tact_arena_take(arena, (size_t)nc, sizeof(tact_real));
    work->W = tact_arena_take(arena, 9 * many, sizeof(tact_real));
    // A, B: derivatives of the equations by u and r, block by block; matrix: their system, dense
    TACT_VECTORS(arena, 3 * n, &work->A, &work->B);
    work->inner = tact_arena_take(arena, 8 * n, sizeof(tact_real));
    work->matrix = tact_arena_take(arena, square, sizeof(tact_real));
}

void tact_friction_place(tact_friction_work *work, int nc, int blocks, tact_arena *arena) {
    tact_friction_place_nodes(work, nc, nc, blocks, arena);
}

// Magnitude of each row's diagonal block.
static void friction_measure_blocks(const tact_friction_problem *problem, tact_real *size) {
    // Frobenius norm of the diagonal block for contacts (the same in all three rows), |W_kk| for scalar rows
    tact_real most = 0;
    for (int i = 0; i < problem->nc; i++) {
        for (int k = 0; k < 3; k++) size[3 * i + k] = 0;
        for (int at = problem->row_start[i]; at < problem->row_start[i + 1]; at++) {
            const tact_real *W = problem->W + 9 * (size_t)at;
            if (problem->column[at] != i) continue;
            tact_real scale = 0, sum = 0;
            for (int k = 0; k < 9; k++) scale = tact_max(scale, tact_fabs(W[k]));
            for (int k = 0; k < 9 && scale > 0; k++) sum += W[k] / scale * (W[k] / scale);
            for (int k = 0; k < 3; k++) size[3 * i + k] = problem->mu[i] < 0 ? tact_fabs(W[4 * k]) : scale * tact_sqrt(sum);
        }
        for (int k = 0; k < 3; k++) most = tact_max(most, size[3 * i + k]);
    }
    // rows without mobility take the largest magnitude, so that divisions are defined
    for (int row = 0; row < 3 * problem->nc; row++)
        if (!(size[row] > 0)) size[row] = most > 0 ? most : 1;
}

bool tact_friction_begin(const tact_friction_problem *problem, tact_friction_work *work, tact_friction_system *system) {
    TACT_ASSERT(problem && work && system);
    *system = (tact_friction_system){.given = *problem, .stretch = 1, .size = work->size, .centre = work->centre};
    if (problem->nc > work->nc) return false;
    // dense problems are copied to blocks; sparse ones are used in place
    if (!problem->row_start) {
        // the nonzero blocks of a dense W, and all diagonal ones
        size_t nc = (size_t)problem->nc;
        int count = 0;
        for (size_t i = 0; i < nc; i++) {
            work->row_start[i] = count;
            for (size_t j = 0; j < nc; j++) {
                const tact_real *from = problem->W + 9 * nc * i + 3 * j;
                bool zero = i != j;
                for (size_t k = 0; zero && k < 9; k++) zero = from[k / 3 * 3 * nc + k % 3] == 0;
                if (zero) continue;
                if (count == work->blocks) return false;
                for (size_t k = 0; k < 9; k++) work->W[9 * (size_t)count + k] = from[k / 3 * 3 * nc + k % 3];
                work->column[count++] = (int)j;
            }
        }
        work->row_start[nc] = count;
        system->given.row_start = work->row_start;
        system->given.column = work->column;
        system->given.W = work->W;
    }
    friction_measure_blocks(&system->given, work->size);
    for (int row = 0; row < 3 * problem->nc; row++) work->centre[row] = 0;
    return true;
}

void tact_friction_project_all(const tact_friction_problem *problem, const tact_real *from, tact_real *to) {
    for (int row = 0; row < 3 * problem->nc; row++) to[row] = from[row];
    for (int i = 0; i < problem->nc; i++) tact_friction_project(problem, i, to + 3 * i);
}

tact_real tact_friction_error(const tact_friction_system *system, tact_friction_work *work, const tact_real *r) {
    TACT_ASSERT(system && work);
    const tact_friction_problem *P = &system->given;
    // error: largest component of the natural map; noise: q as an impulse
    tact_real most = 0, error = 0, noise = 0;
    tact_friction_project_all(P, r, work->next);
    for (int i = 0; i < P->nc; i++) {
        tact_real F[3], *u = work->u + 3 * i;
        tact_friction_velocity(system, work->next, i, u);
        // F = r - P_K(r - (u + mu |u_t| n) / size), with de Saxce's velocity u + mu |u_t| n
        const tact_real *impulse = work->next + 3 * i, mu = P->mu[i];
        for (int k = 0; k < 3; k++) {
            tact_real slip = k == 0 && mu > 0 ? mu * tact_sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
            F[k] = impulse[k] - (u[k] + slip) / (system->size[3 * i + k] * (1 + system->shift));
        }
        tact_friction_project(P, i, F);
        for (int k = 0; k < 3; k++) F[k] = impulse[k] - F[k];
        for (int k = 0; k < 3; k++) {
            error = tact_max(error, tact_fabs(F[k]));
            most = tact_max(most, tact_fabs(work->next[3 * i + k]));
            noise = tact_max(noise, tact_fabs(P->q[3 * i + k]) / system->size[3 * i + k]);
        }
    }
    // comparisons ignore NaN: test for it
    if (!tact_all_finite(work->next, 3 * P->nc) || !tact_all_finite(work->u, 3 * P->nc)) return TACT_MAX;
    // Impulses within the rounding of q count as zero. Velocities at impulses far larger than q are lost in rounding, but
    // impulses that grow without bound must still close the gaps.
    if (most > TACT_FRICTION_LARGE * noise) error = tact_max(error, TACT_EPS * most);
    // relative to the largest impulse
    most = tact_clamp(most, TACT_EPS / TACT_FRICTION_TOLERANCE * noise, TACT_FRICTION_LARGE * noise);
    return error > 0 && !(most > 0) ? TACT_MAX : error > 0 ? error / most : 0;
}

tact_real tact_friction_residual(const tact_friction_problem *problem, tact_friction_work *work, const tact_real *r,
                                 tact_real *u) {
    TACT_ASSERT(problem && work && ((r && u) || problem->nc == 0));
    tact_friction_system system;
    if (!tact_friction_begin(problem, work, &system)) return TACT_MAX;
    tact_real error = tact_friction_error(&system, work, r);
    for (int row = 0; row < 3 * problem->nc; row++) u[row] = work->u[row];
    return error;
}
