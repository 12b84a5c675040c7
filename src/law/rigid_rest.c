// SPDX-License-Identifier: MIT
// Bodies at rest. Velocities below the rounding of their terms, or below the solver's residual, are set to zero. In a stack the
// rounding of one gap tilts everything above, and the residual of a heavy body's impulses is large for a light one: velocities
// are then far above the rounding of their own terms. With J of the holding rows (normals that bear, tangents that stick) and the
// computed v+, such an island is at rest if
//
//     J v+ is within rounding of gaps and the solver's error,   x = (J A^-1 J')^+ J v+ ,   v+ - A^-1 J'x = 0 ,   r - x in the
//     cones
//
// and r - x is the answer at v+ = 0. The third condition excludes a ball that rolls, however slowly.
#include "law/rigid.h"
#include "math/elementary.h"

enum {
    REST_GAP = 16,        // error of a gap, in roundings of a metre
    REST_ROUNDINGS = 32,  // of the terms of a sum: a smaller sum counts as zero
    REST_LEVER = 1000,    // most ratio of velocities to those at the contacts for rest
};

#define REST_NEAR TACT_REAL(1e-6)  // of a cone's radius: tangents nearer to it may slide

// (W x)_row of an island's constraint i
static tact_real rest_coupled(const tact_rigid_work *rigid, int k, int i, int row, const tact_real *x) {
    const int *start = rigid->row_start + rigid->island[k] + k;
    tact_real sum = 0;
    for (int at = start[i - rigid->island[k]]; at < start[i - rigid->island[k] + 1]; at++) {
        int place = rigid->first_stored[k] + at;
        const tact_real *W = rigid->W + 9 * (size_t)place + 3 * row, *y = x + 3 * (rigid->island[k] + rigid->column[place]);
        sum += W[0] * y[0] + W[1] * y[1] + W[2] * y[2];
    }
    return sum;
}

// Whether a row of a constraint resists motion both ways: normals that bear, and tangents that do not slide.
static bool rest_holds(const tact_rigid_work *rigid, int i, int row) {
    const tact_real *r = rigid->r + 3 * i;
    if (row == 0 || rigid->block[i].contact < 0) return r[row] > 0;
    tact_real most = rigid->mu[i] * r[0] * (1 - REST_NEAR);
    return rigid->mu[i] > 0 && r[1] * r[1] + r[2] * r[2] < most * most;
}

// Conjugate gradients for W x = J v+ on the holding rows: the impulses x (in hold) that would stop the contacts.
static void rest_find_hold(tact_rigid_work *rigid, int k) {
    int from = 3 * rigid->island[k], to = 3 * rigid->island[k + 1];
    tact_real *x = rigid->hold, *rest = rigid->q, *p = rigid->size, *Wp = rigid->gap, square = 0, first = 0;
    // x = 0: the residual is J v+ itself, and the first direction
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
        // W is singular along redundant contacts
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

// Sets an island to rest whose contacts move by no more than the rounding of gaps and the solver's residual, if the impulses that
// hold it still are inside their cones and no velocity remains (as of a ball that rolls).
static void rest_island(const tact_model *model, tact_real h, tact_work *work, int k) {
    tact_rigid_work *rigid = work->rigid;
    int n = model->nv, begin = rigid->island[k], end = rigid->island[k + 1];
    tact_real fast = 0, terms = 0, slip = 0, push = 0, lack = 0, left = 0, *v = rigid->along;
    for (int i = 0; i < n; i++) v[i] = 0;
    // the island's velocities, the fastest, and the terms that they were summed from
    for (int i = begin; i < end; i++)
        for (int side = 0; side < 2 && rigid->block[i].side[side].component >= 0; side++) {
            int c = rigid->block[i].side[side].component;
            for (int j = rigid->begin[c]; j < rigid->begin[c + 1]; j++) {
                v[j] = rigid->next[j];
                fast = tact_max(fast, tact_fabs(v[j]));
                terms = tact_max(terms, rigid->scale[j]);
            }
        }
    // what rounding and the solver's residual leave at most
    tact_real least = REST_GAP * TACT_EPS / h + 8 * work->decrement * terms;
    if (!(fast > 0) || !(fast <= REST_LEVER * least)) return;
    for (int row = 3 * begin; row < 3 * end; row++) {
        push = tact_max(push, rigid->r[row]);
        if (rest_holds(rigid, row / 3, row % 3))
            slip = tact_max(slip, tact_fabs(tact_rigid_rate(rigid, &rigid->block[row / 3], row % 3, rigid->next)));
    }
    if (!(slip <= least)) return;
    // impulses r - hold would stop the contacts: v = v+ - A^-1 J' hold
    rest_find_hold(rigid, k);
    for (int row = 3 * begin; row < 3 * end; row++) {
        const tact_rigid_side *side = rigid->block[row / 3].side;
        lack = tact_max(lack, tact_fabs(rigid->hold[row]));
        for (int a = 0; a < 2 && side[a].component >= 0; a++) {
            int first = rigid->begin[side[a].component], size = rigid->begin[side[a].component + 1] - first;
            for (int j = 0; j < size; j++) v[first + j] -= side[a].Y[row % 3 * size + j] * rigid->hold[row];
        }
        if (row % 3 < 2) continue;
        // they must lie inside their cones
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

// Velocities below the solver's residual are set to zero.
void tact_rigid_settle(const tact_model *model, tact_real h, tact_work *work) {
    tact_rigid_work *rigid = work->rigid;
    tact_real least = tact_max(REST_ROUNDINGS * TACT_EPS, 8 * work->decrement);
    for (int k = 0; k < rigid->islands && !rigid->bent && rigid->count > 0; k++) rest_island(model, h, work, k);
    // components that touch: velocities below the solver's residual are 0
    for (int c = 0; c < rigid->ncomponent; c++) {
        int from = rigid->begin[c], n = rigid->begin[c + 1] - from;
        bool touches = rigid->count > 0 && rigid->touching[c + 2] > rigid->touching[c + 1];
        tact_real most = tact_largest(rigid->scale + from, n);
        for (int i = from; i < from + n && touches; i++)
            if (tact_fabs(rigid->next[i]) <= least * most) rigid->next[i] = 0;
    }
}
