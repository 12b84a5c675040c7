// SPDX-License-Identifier: MIT
// Bodies at rest. Velocities below the rounding of their terms, or below the solver's residual, are set to zero. In a stack,
// however, the rounding of one gap tilts everything above it, and a residual that is small for a heavy body's impulses is large
// for a light body: velocities are then far above the rounding of their own terms. Let J hold the rows that resist motion
// (loaded normals, sticking tangents) and v+ be the computed velocity. An island is at rest if
//
//     J v+ is within rounding of gaps and the solver's error,   x = (J A^-1 J')^+ J v+ ,   v+ - A^-1 J'x = 0 ,
//     r - x lies in the cones
//
// and r - x is the answer at v+ = 0. The third condition excludes a ball that rolls, however slowly.
#include "law/rigid.h"
#include "math/elementary.h"

enum {
    REST_GAP = 16,        // [TACT_EPS m]: error of a gap
    REST_ROUNDINGS = 32,  // [TACT_EPS of the terms of a sum]: a smaller sum counts as zero
    REST_LEVER = 1000,    // greatest ratio of a body's velocities to those at its contacts, for rest
};

#define REST_NEAR TACT_REAL(1e-6)  // relative to a cone's radius: a tangential impulse nearer to the boundary may slide

// Entry (W x)_row of constraint i of island k.
static tact_real rest_coupled(const tact_rigid_work *rigid, int k, int i, int row, const tact_real *x) {
    const int *start = rigid->row_start + rigid->island[k] + k;
    tact_real sum = 0;
    // the stored blocks of row i, columns counted within the island
    for (int at = start[i - rigid->island[k]]; at < start[i - rigid->island[k] + 1]; at++) {
        int place = rigid->first_stored[k] + at;
        const tact_real *W = rigid->W + 9 * (size_t)place + 3 * row, *y = x + 3 * (rigid->island[k] + rigid->column[place]);
        sum += W[0] * y[0] + W[1] * y[1] + W[2] * y[2];
    }
    return sum;
}

// Whether a row of a constraint resists motion in both directions: loaded normals, and tangents that stick.
static bool rest_holds(const tact_rigid_work *rigid, int i, int row) {
    const tact_real *r = rigid->r + 3 * i;
    if (row == 0 || rigid->block[i].contact < 0) return r[row] > 0;
    tact_real most = rigid->mu[i] * r[0] * (1 - REST_NEAR);
    return rigid->mu[i] > 0 && r[1] * r[1] + r[2] * r[2] < most * most;
}

// Conjugate gradients for W x = J v+ on the resisting rows of island k: the impulses x (in rigid->hold) that would stop the
// contacts.
static void rest_find_hold(tact_rigid_work *rigid, int k) {
    int from = 3 * rigid->island[k], to = 3 * rigid->island[k + 1];
    tact_real *x = rigid->hold, *rest = rigid->q, *p = rigid->size, *Wp = rigid->gap, square = 0, first = 0;
    // x = 0: the residual and first search direction are J v+
    for (int row = from; row < to; row++) {
        bool holds = rest_holds(rigid, row / 3, row % 3);
        x[row] = 0;
        rest[row] = p[row] = holds ? tact_rigid_rate(rigid, &rigid->block[row / 3], row % 3, rigid->next) : 0;
        square += rest[row] * rest[row];
    }
    first = square;
    for (int step = 0; step < 2 * (to - from) && square > TACT_EPS * first; step++) {
        tact_real along = 0, before = square;
        for (int row = from; row < to; row++) {
            Wp[row] = rest_holds(rigid, row / 3, row % 3) ? rest_coupled(rigid, k, row / 3, row % 3, p) : 0;
            along += p[row] * Wp[row];
        }
        // W is singular along redundant contacts: stop
        if (!(along > 0)) break;
        // step length |rest|^2 / p'W p
        square = 0;
        for (int row = from; row < to; row++) {
            x[row] += before / along * p[row];
            rest[row] -= before / along * Wp[row];
            square += rest[row] * rest[row];
        }
        for (int row = from; row < to; row++) p[row] = rest[row] + square / before * p[row];
    }
}

// Sets island k to rest if its contacts move by no more than the rounding of gaps and the solver's residual, the impulses that
// would stop them stay inside their cones, and these leave no velocity (as of a rolling ball).
static void rest_island(const tact_model *model, tact_real h, tact_work *work, int k) {
    tact_rigid_work *rigid = work->rigid;
    int n = model->nv, begin = rigid->island[k], end = rigid->island[k + 1];
    tact_real fast = 0, terms = 0, slip = 0, push = 0, lack = 0, left = 0, *v = rigid->along;
    for (int i = 0; i < n; i++) v[i] = 0;
    // velocities of the island, the largest of them, and the largest sum of the magnitudes of their terms
    for (int i = begin; i < end; i++)
        for (int side = 0; side < 2 && rigid->block[i].side[side].component >= 0; side++) {
            int c = rigid->block[i].side[side].component;
            for (int j = rigid->begin[c]; j < rigid->begin[c + 1]; j++) {
                v[j] = rigid->next[j];
                fast = tact_max(fast, tact_fabs(v[j]));
                terms = tact_max(terms, rigid->scale[j]);
            }
        }
    // bound on velocities that stem from rounding and from the solver's residual
    tact_real least = REST_GAP * TACT_EPS / h + 8 * work->decrement * terms;
    if (!(fast > 0) || !(fast <= REST_LEVER * least)) return;
    for (int row = 3 * begin; row < 3 * end; row++) {
        push = tact_max(push, rigid->r[row]);
        if (rest_holds(rigid, row / 3, row % 3))
            slip = tact_max(slip, tact_fabs(tact_rigid_rate(rigid, &rigid->block[row / 3], row % 3, rigid->next)));
    }
    if (!(slip <= least)) return;
    // with impulses r - hold the contacts stop: v = v+ - A^-1 J' hold
    rest_find_hold(rigid, k);
    for (int row = 3 * begin; row < 3 * end; row++) {
        const tact_rigid_side *side = rigid->block[row / 3].side;
        lack = tact_max(lack, tact_fabs(rigid->hold[row]));
        for (int a = 0; a < 2 && side[a].component >= 0; a++) {
            int first = rigid->begin[side[a].component], size = rigid->begin[side[a].component + 1] - first;
            for (int j = 0; j < size; j++) v[first + j] -= side[a].Y[row % 3 * size + j] * rigid->hold[row];
        }
        if (row % 3 < 2) continue;
        // r - hold must lie inside the cones
        tact_real r[3];
        for (int a = 0; a < 3; a++) r[a] = rigid->r[row - 2 + a] - rigid->hold[row - 2 + a];
        bool cone = rigid->block[row / 3].contact >= 0 && rigid->mu[row / 3] > 0;
        if (r[0] < 0 || (!cone && r[1] < 0) ||
            (cone && r[1] * r[1] + r[2] * r[2] > rigid->mu[row / 3] * rigid->mu[row / 3] * r[0] * r[0]))
            return;
    }
    // and no velocity may remain
    left = tact_largest(v, n);
    if (!(left <= tact_max(tact_sqrt(TACT_EPS) * fast, REST_ROUNDINGS * TACT_EPS * terms))) return;
    for (int row = 3 * begin; row < 3 * end && lack > REST_ROUNDINGS * TACT_EPS * push; row++) rigid->r[row] -= rigid->hold[row];
    for (int i = begin; i < end; i++)
        for (int side = 0; side < 2 && rigid->block[i].side[side].component >= 0; side++) {
            int c = rigid->block[i].side[side].component;
            for (int j = rigid->begin[c]; j < rigid->begin[c + 1]; j++) rigid->next[j] = 0;
        }
}

// Sets islands at rest, and velocities of components in contact that are below the solver's residual, to zero.
void tact_rigid_settle(const tact_model *model, tact_real h, tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    tact_real least = tact_max(REST_ROUNDINGS * TACT_EPS, 8 * work->decrement);
    for (int k = 0; k < rigid->islands && !rigid->bent && rigid->count > 0; k++) rest_island(model, h, work, k);
    // remaining components in contact: velocities below the solver's residual become 0
    for (int c = 0; c < rigid->ncomponent; c++) {
        int from = rigid->begin[c], n = rigid->begin[c + 1] - from;
        bool touches = rigid->count > 0 && rigid->touching[c + 2] > rigid->touching[c + 1];
        tact_real most = tact_largest(rigid->scale + from, n);
        for (int i = from; i < from + n && touches; i++)
            if (tact_fabs(rigid->next[i]) <= least * most) rigid->next[i] = 0;
    }
}
