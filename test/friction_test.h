// SPDX-License-Identifier: MIT
// What the tests of friction share: one problem with its work, boxes upon each other, a judge of answers.
#ifndef TACT_FRICTION_TEST_H
#define TACT_FRICTION_TEST_H

#include "tact/friction.h"

#include "test.h"

enum { MOST = 110, ROWS = 3 * MOST };

#ifdef TACT_FLOAT
#define NEAR 1e-3
#define EXACT 1e-5
#define JUDGED 1e-4
#else
#define NEAR 1e-6
#define EXACT 1e-12
#define JUDGED 1e-8
#endif

static tact_friction_work work;
static void *memory;
static tact_real W[ROWS * ROWS], q[ROWS], mu[MOST], r[ROWS], u[ROWS];

static inline void open_work(int nc, int blocks) {
    tact_arena arena = {0};
    tact_friction_place(&work, nc, blocks, &arena);
    memory = malloc(arena.used);
    arena = (tact_arena){.memory = memory, .size = arena.used};
    tact_friction_place(&work, nc, blocks, &arena);
    CHECK(tact_arena_fits(&arena));
}

static inline tact_friction_problem problem_of(int nc) {
    tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu};
    return problem;
}

static inline tact_status solve(const tact_friction_problem *problem, tact_friction_solution *solution) {
    tact_friction_options options = tact_friction_options_default();
    *solution = (tact_friction_solution){.r = r, .u = u};
    return tact_friction_solve(problem, &options, &work, solution);
}

static inline double norm2(double x, double y) {
    return sqrt(x * x + y * y);
}

// max |r - P(r - (u + mu |u_t| n) / |W_ii|)| / max |r| of cones with a dense W, in double; also the largest breach of the cone
static inline double judge(int nc, double *outside) {
    double worst = 0, most = 0;
    *outside = 0;
    for (int i = 0; i < nc; i++) {
        double v[3], size = 0, z[3], m = (double)mu[i];
        for (int k = 0; k < 3; k++) {
            v[k] = (double)q[3 * i + k];
            for (int j = 0; j < 3 * nc; j++) v[k] += (double)W[(3 * i + k) * 3 * nc + j] * (double)r[j];
            for (int l = 0; l < 3; l++) size += pow((double)W[(3 * i + k) * 3 * nc + 3 * i + l], 2);
            most = fmax(most, fabs((double)r[3 * i + k]));
        }
        v[0] += m * norm2(v[1], v[2]);
        for (int k = 0; k < 3; k++) z[k] = (double)r[3 * i + k] - v[k] / sqrt(size);
        double t = norm2(z[1], z[2]), n = fmax(0, (z[0] + m * t) / (1 + m * m));
        if (t > m * z[0]) {
            z[0] = n;
            for (int k = 1; k < 3; k++) z[k] *= t > 0 ? m * n / t : 0;
        }
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs((double)r[3 * i + k] - z[k]));
        *outside = fmax(*outside, norm2((double)r[3 * i + 1], (double)r[3 * i + 2]) - m * (double)r[3 * i]);
    }
    *outside /= most > 0 ? most : 1;
    return most > 0 ? worst / most : worst;
}

static inline void one_contact(tact_real w, const tact_real velocity[3], tact_real friction) {
    for (int k = 0; k < 9; k++) W[k] = k % 4 == 0 ? w : 0;
    for (int k = 0; k < 3; k++) q[k] = velocity[k];
    mu[0] = friction;
}

// W = H M^-1 H' for bodies of six degrees of freedom with contacts to the ground (-1) or to each other
typedef struct {
    int nb, nc;
    double mass[12], H[ROWS][72], v[72];
} pile;

static inline void push(pile *p, int body, const double at[3], int sign) {
    // frame: normal z, tangents x, y; angular velocity about the centre of the body
    static const int axis[3] = {2, 0, 1};
    for (int k = 0; k < 3; k++) {
        double *row = p->H[3 * p->nc + k];
        int a = axis[k], b = (a + 1) % 3, c = (a + 2) % 3;
        row[6 * body + a] += sign;
        row[6 * body + 3 + b] += sign * at[c];
        row[6 * body + 3 + c] -= sign * at[b];
    }
}

// boxes of 1 m upon each other, each touching the one below with four corners
static inline void make_stack(pile *p, int count, double ratio, uint64_t *seed, double kick) {
    memset(p, 0, sizeof *p);
    p->nb = count;
    for (int b = 0; b < count; b++) {
        p->mass[b] = pow(ratio, (double)b / (count > 1 ? count - 1 : 1));
        for (int k = 0; k < 4; k++) {
            double at[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5};
            push(p, b, at, 1);
            at[2] = 0.5;
            if (b > 0) push(p, b - 1, at, -1);
            p->nc++;
        }
        for (int k = 0; k < 6; k++) p->v[6 * b + k] = kick * test_random(seed, -1, 1) - (k == 2 ? 0.0981 : 0);
    }
}

static inline void assemble(const pile *p, double friction) {
    int n = 3 * p->nc;
    for (int i = 0; i < n; i++) {
        mu[i / 3] = (tact_real)friction;
        double sum = 0;
        for (int k = 0; k < 6 * p->nb; k++) sum += p->H[i][k] * p->v[k];
        q[i] = (tact_real)sum;
        for (int j = 0; j < n; j++) {
            sum = 0;
            for (int k = 0; k < 6 * p->nb; k++) sum += p->H[i][k] * p->H[j][k] / p->mass[k / 6] * (k % 6 < 3 ? 1 : 6);
            W[i * n + j] = (tact_real)sum;
        }
    }
}

#endif
