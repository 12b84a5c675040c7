// SPDX-License-Identifier: MIT
// Coulomb's disk as a polygon: a linear complementarity problem.
//
// Source: Stewart, Trinkle, An implicit time-stepping scheme for rigid body dynamics with inelastic collisions and Coulomb
// friction, 1996.
#include "solve/friction.h"

#define POLYGON_TURN TACT_REAL(6.283185307179586476925286766559)

int tact_friction_polygon_count(const tact_friction_problem *problem, int facets) {
    TACT_ASSERT(problem && facets >= 3);
    int count = 0;
    for (int i = 0; i < problem->nc; i++) count += problem->mu[i] < 0 ? 3 : facets + 2;
    return count;
}

// what unknown k of a contact pushes: normal, tangents
static void polygon_direction(bool rows, int facets, int k, tact_real d[3]) {
    // Unknowns of a contact: the normal impulse, one impulse along each edge of the polygon, and the multiplier of its limit.
    d[0] = d[1] = d[2] = 0;
    if (rows)
        d[k] = 1;
    else if (k == 0)
        d[0] = 1;
    else if (k <= facets)
        tact_sincos(POLYGON_TURN * (tact_real)(k - 1) / (tact_real)facets, &d[2], &d[1]);
}

typedef struct {
    const tact_friction_problem *problem;
    int facets, n;
    const tact_friction_polygon *to;
} polygon_problem;

// the block of contacts i and j, whose unknowns begin at those rows; step: numbers from one row of W to the next
static void polygon_block(const polygon_problem *it, const int contact[2], const int begin[2], const tact_real *W, size_t step) {
    // M = D'W D, the columns of D being the directions of the unknowns.
    bool rows = it->problem->mu[contact[0]] < 0, columns = it->problem->mu[contact[1]] < 0;
    int height = rows ? 3 : it->facets + 1, width = columns ? 3 : it->facets + 1;
    tact_real a[3], b[3];
    for (int l = 0; l < width; l++) {
        polygon_direction(columns, it->facets, l, b);
        tact_real u[3];
        for (size_t k = 0; k < 3; k++) u[k] = W[k * step] * b[0] + W[k * step + 1] * b[1] + W[k * step + 2] * b[2];
        for (int k = 0; k < height; k++) {
            polygon_direction(rows, it->facets, k, a);
            it->to->M[(size_t)(begin[0] + k) * (size_t)it->n + (size_t)(begin[1] + l)] = a[0] * u[0] + a[1] * u[1] + a[2] * u[2];
        }
    }
}

// First unknown of a contact: 3 for each block of scalar rows before it, facets + 2 for each contact.
static int polygon_begin(const tact_friction_problem *problem, int facets, int contact) {
    int begin = 0;
    for (int i = 0; i < contact; i++) begin += problem->mu[i] < 0 ? 3 : facets + 2;
    return begin;
}

static void polygon_row_of_blocks(const polygon_problem *it, int i, int begin) {
    const tact_friction_problem *P = it->problem;
    size_t dense = 3 * (size_t)P->nc;
    // Dense W, or its blocks that are there.
    if (!P->row_start) {
        for (int j = 0, at = 0; j < P->nc; at += P->mu[j] < 0 ? 3 : it->facets + 2, j++)
            polygon_block(it, (int[]){i, j}, (int[]){begin, at}, P->W + 3 * (size_t)i * dense + 3 * (size_t)j, dense);
        return;
    }
    for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++)
        polygon_block(it, (int[]){i, P->column[at]}, (int[]){begin, polygon_begin(P, it->facets, P->column[at])},
                      P->W + 9 * (size_t)at, 3);
}

void tact_friction_polygon_fill(const tact_friction_problem *problem, int facets, const tact_friction_polygon *polygon) {
    TACT_ASSERT(problem && polygon && facets >= 3);
    int n = tact_friction_polygon_count(problem, facets);
    polygon_problem it = {.problem = problem, .facets = facets, .n = n, .to = polygon};
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) polygon->M[k] = 0;
    // M = [D'W D, E; mu - e', 0], p = D'q (Stewart and Trinkle).
    for (int i = 0, begin = 0; i < problem->nc; i++) {
        bool rows = problem->mu[i] < 0;
        int count = rows ? 3 : facets + 2;
        const tact_real *q = problem->q + 3 * i;
        polygon_row_of_blocks(&it, i, begin);
        for (int k = 0; k < count; k++) {
            tact_real d[3];
            polygon_direction(rows, facets, k, d);
            polygon->p[begin + k] = d[0] * q[0] + d[1] * q[1] + d[2] * q[2];
            if (polygon->low) polygon->low[begin + k] = rows ? tact_friction_low(problem, 3 * i + k) : 0;
            if (polygon->high) polygon->high[begin + k] = rows ? tact_friction_high(problem, 3 * i + k) : TACT_MAX;
        }
        // Last row: mu r_n - sum of the edges' impulses >= 0; last column: its multiplier, the sliding speed.
        tact_real *last = polygon->M + (size_t)(begin + count - 1) * (size_t)n;
        for (int k = 1; !rows && k <= facets; k++) {
            polygon->M[(size_t)(begin + k) * (size_t)n + (size_t)(begin + count - 1)] = 1;
            last[begin + k] = -1;
        }
        if (!rows) last[begin] = problem->mu[i];
        begin += count;
    }
}

void tact_friction_polygon_read(const tact_friction_problem *problem, int facets, const tact_real *z, tact_real *r) {
    TACT_ASSERT(problem);
    // r = D z.
    for (int i = 0; i < problem->nc; i++, r += 3) {
        bool rows = problem->mu[i] < 0;
        r[0] = r[1] = r[2] = 0;
        for (int k = 0; k < (rows ? 3 : facets + 1); k++) {
            tact_real d[3];
            polygon_direction(rows, facets, k, d);
            for (int j = 0; j < 3; j++) r[j] += d[j] * z[k];
        }
        z += rows ? 3 : facets + 2;
    }
}
