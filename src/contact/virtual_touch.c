// SPDX-License-Identifier: MIT
// For corners of radii r_1, r_2 whose centres of curvature are rho_1 before and rho_2 behind x along n, D = rho_1 + rho_2:
//   turn = (-1, rho_1)/D ,  slide = (rho_2, -rho_1 rho_2)/D
// and an edge is a corner with its centre at infinity.
#include "contact/virtual_touch.h"

bool tact_virtual_touches(const tact_planar_shape *a, const tact_planar_shape *b, const tact_virtual_options *options) {
    bool smooth = a->kind == TACT_PLANAR_SMOOTH || b->kind == TACT_PLANAR_SMOOTH;
    return !smooth && !options->freeze && !options->sizes && !tact_manifold_scatters(options->manifold);
}

// phi = -d, to which the caller may add.
static void touch_cost(const tact_virtual_pair *pair, tact_virtual_touch *out) {
    tact_vec2 n = out->n, arm = tact_vec2_sub(out->x, pair->side[0].pose.p);
    out->weight = -out->d;
    out->dweight[0] = -n.x;
    out->dweight[1] = -n.y;
    out->dweight[2] = n.x * arm.y - n.y * arm.x;
}

void tact_touch_corners(const tact_virtual_pair *pair, int i, int j, tact_virtual_touch *out) {
    TACT_ASSERT(pair && out);
    tact_vec2 a = tact_virtual_corner(&pair->side[0], i), b = tact_virtual_corner(&pair->side[1], j), e = tact_vec2_sub(b, a);
    tact_real D = tact_sqrt(tact_vec2_dot(e, e)), r = pair->side[0].shape->radius, s = pair->side[1].shape->radius;
    // before, behind: distances of x from the two corners along n
    tact_real before = (D + r - s) / 2, behind = (D - r + s) / 2;
    out->n = D > 0 ? tact_vec2_make(e.x / D, e.y / D) : tact_vec2_make(1, 0);
    out->d = r + s - D;
    out->x = tact_vec2_add_scaled(tact_vec2_scale(TACT_REAL(0.5), tact_vec2_add(a, b)), (r - s) / 2, out->n);
    // n rotates at 1/D for motion across it; x follows by a share
    tact_real turn = D > TACT_EPS ? 1 / D : 0, share = D > TACT_EPS ? behind * turn : TACT_REAL(0.5);
    out->turn[0] = -turn;
    out->turn[1] = before * turn;
    out->slide[0] = share;
    out->slide[1] = -share * before;
    touch_cost(pair, out);
}

void tact_touch_edge(const tact_virtual_pair *pair, int s, int i, int j, tact_real separation, tact_virtual_touch *out) {
    TACT_ASSERT(pair && out);
    const tact_virtual_side *side = &pair->side[s], *other = &pair->side[1 - s];
    tact_vec2 c = tact_virtual_corner(side, i), N = tact_virtual_normal(other, j);
    // half: distance of x behind the corner
    tact_real half = (separation + side->shape->radius - other->shape->radius) / 2;
    out->n = s == 0 ? tact_vec2_scale(-1, N) : N;
    out->d = side->shape->radius + other->shape->radius - separation;
    out->x = tact_vec2_add_scaled(c, -half, N);
    out->turn[0] = 0;
    out->turn[1] = s == 0 ? 0 : 1;
    out->slide[0] = s == 0 ? 1 : 0;
    out->slide[1] = -half;
    touch_cost(pair, out);
}

static int least_touch(const tact_virtual_touch *list, int count) {
    int least = 0;
    for (int i = 1; i < count; i++)
        if (list[i].weight < list[least].weight) least = i;
    return least;
}

int tact_virtual_find_touches(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                              const tact_virtual_options *options, const tact_virtual_hold *hold, tact_virtual_touch *out) {
    // one contact in closed form, or the candidates of both parts
    bool closest = options->manifold == TACT_MANIFOLD_CLOSEST;
    int count = 0;
    TACT_ASSERT(tact_virtual_touches(a, b, options));
    for (int i = 0; i < tact_virtual_parts(a); i++)
        for (int j = 0; j < tact_virtual_parts(b); j++) {
            const tact_planar_shape *part[2] = {tact_virtual_part(a, i), tact_virtual_part(b, j)};
            tact_virtual_pair pair;
            // a frozen contact: between its own parts only
            if (hold && (i != hold->part[0] || j != hold->part[1])) continue;
            tact_virtual_pair_begin(&pair, part[0], part[1], pose, options);
            pair.hold = hold;
            // one contact in closed form where both parts allow it
            if (tact_touch_point(&pair, out + count)) {
                count++;
                continue;
            }
            // otherwise the closest one, or one for each feature
            tact_virtual_pair_relate(&pair);
            count += closest ? tact_touch_closest(&pair, out + count) : tact_touch_features(&pair, out + count);
        }
    if (!(count > 0)) return 0;
    // weights: by cost for features, otherwise 1 each; CLOSEST keeps one
    if (options->manifold == TACT_MANIFOLD_FEATURES && count > 1) {
        // w ~ exp(-phi/T), dw_i = -w_i (dphi_i - sum_j w_j dphi_j)/T; weights that are rounding beside the largest are dropped
        tact_real T = options->temperature;
        tact_real least = out[least_touch(out, count)].weight, sum = 0, mean[3] = {0, 0, 0};
        int kept = 0;
        // relative to the least cost, so that no exponential overflows
        for (int i = 0; i < count; i++) {
            out[i].rank = (least - out[i].weight) / T;
            out[i].weight = tact_exp(out[i].rank);
            sum += out[i].weight;
        }
        // normalised, with the mean derivative sum_j w_j dphi_j
        for (int i = 0; i < count; i++) {
            out[i].weight /= sum;
            for (int k = 0; k < 3; k++) mean[k] += out[i].weight * out[i].dweight[k];
        }
        for (int i = 0; i < count; i++) {
            tact_real share = out[i].weight / T;
            if (!(out[i].weight > TACT_EPS / 2)) continue;
            if (kept < i) out[kept] = out[i];
            for (int k = 0; k < 3; k++) out[kept].dweight[k] = share * (mean[k] - out[kept].dweight[k]);
            kept++;
        }
        return kept;
    }
    // only the contact of least cost
    if (options->manifold == TACT_MANIFOLD_CLOSEST && count > 1) {
        out[0] = out[least_touch(out, count)];
        count = 1;
    }
    for (int i = 0; i < count; i++) {
        // constant weight: zero derivatives
        tact_virtual_touch *touch = &out[i];
        tact_real weight = 1;
        touch->weight = weight;
        touch->rank = 0;
        for (int k = 0; k < 3; k++) touch->dweight[k] = 0;
    }
    return count;
}
