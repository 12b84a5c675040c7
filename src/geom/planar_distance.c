// SPDX-License-Identifier: MIT
// Distances of planar shapes. For a core with the edge k of largest separation m = N_k'(y - c_k): inside, m <= 0, and beside
// the edge the distance is m; beyond one of its ends it is the distance to that corner, since the nearest corner of a convex
// core is always an end of that edge. Minus the radius.
#include "geom/planar_core.h"

void tact_planar_settle(const tact_planar_shape *shape, tact_vec2 y, tact_planar_nearest *near) {
    TACT_ASSERT(shape && near);
    near->corner = -1;
    if (near->separation <= 0 && shape->count > 2) return;
    const tact_planar_corner *edge = &shape->corner[near->edge];
    // u: position along the edge; beyond its ends the corner is nearest
    tact_real u = tact_vec2_dot(tact_vec2_turn(edge->normal), tact_vec2_sub(y, edge->point));
    if (u < 0) near->corner = near->edge;
    if (u > edge->length) near->corner = near->edge + 1 < shape->count ? near->edge + 1 : 0;
}

tact_planar_nearest tact_planar_locate(const tact_planar_shape *shape, tact_vec2 y) {
    TACT_ASSERT(shape);
    const tact_planar_corner *corner = shape->corner;
    tact_planar_nearest near = {.edge = 0, .corner = -1};
    if (shape->kind == TACT_PLANAR_CORE && shape->count == 1) {
        near.corner = 0;
        return near;
    }
    // the edge with the largest separation
    near.separation = tact_vec2_dot(corner[0].normal, tact_vec2_sub(y, corner[0].point));
    if (shape->kind == TACT_PLANAR_HALFPLANE) return near;
    for (int k = 1; k < shape->count; k++) {
        tact_real separation = tact_vec2_dot(corner[k].normal, tact_vec2_sub(y, corner[k].point));
        if (!(separation > near.separation)) continue;
        near.separation = separation;
        near.edge = k;
    }
    tact_planar_settle(shape, y, &near);
    return near;
}

static tact_real core_value(const tact_planar_shape *shape, tact_vec2 y) {
    tact_planar_nearest near = tact_planar_locate(shape, y);
    if (near.corner < 0) return near.separation - shape->radius;
    tact_vec2 arm = tact_vec2_sub(y, shape->corner[near.corner].point);
    return tact_sqrt(tact_vec2_dot(arm, arm)) - shape->radius;
}

static void core_sizes(const tact_planar_shape *shape, const tact_planar_corner *at, tact_planar_distance *d) {
    // the nearest corner moves at its rate: d psi = -g'rate - dr, dg = -H rate
    for (int k = 0; k < shape->nsize; k++) {
        tact_vec2 rate = at->rate[k], turn = tact_sym2_apply(d->hessian, rate);
        d->by_size[k] = -tact_vec2_dot(d->gradient, rate) - shape->radius_rate[k];
        d->gradient_by[k] = tact_vec2_scale(-1, turn);
    }
}

// Signed distance of y from a core with gradient, Hessian and derivatives by the sizes, once the nearest feature is known.
static tact_planar_distance core_distance_from(const tact_planar_shape *shape, tact_planar_nearest near, tact_vec2 y) {
    tact_planar_distance d = {.gradient = shape->corner[near.edge].normal};
    // at an edge: distance from the line, without curvature
    if (near.corner < 0) {
        d.value = near.separation - shape->radius;
        core_sizes(shape, &shape->corner[near.edge], &d);
        return d;
    }
    // at a corner: length of the difference, H = t t'/length
    tact_vec2 arm = tact_vec2_sub(y, shape->corner[near.corner].point);
    tact_real length = tact_sqrt(tact_vec2_dot(arm, arm));
    d.value = length - shape->radius;
    if (length > 0) d.gradient = tact_vec2_scale(1 / length, arm);
    if (length > TACT_EPS) {
        tact_vec2 t = tact_vec2_turn(d.gradient);
        d.hessian = (tact_sym2){t.x * t.x / length, t.x * t.y / length, t.y * t.y / length};
    }
    core_sizes(shape, &shape->corner[near.corner], &d);
    return d;
}

static tact_planar_distance core_distance(const tact_planar_shape *shape, tact_vec2 y) {
    return core_distance_from(shape, tact_planar_locate(shape, y), y);
}

static int nearest_member(const tact_planar_shape *shape, tact_vec2 y) {
    int best = 0;
    tact_real least = TACT_MAX;
    for (int k = 0; k < shape->count; k++) {
        tact_real value = core_value(shape->member[k], y);
        if (!(value < least)) continue;
        least = value;
        best = k;
    }
    return best;
}

// Clears the derivatives by sizes: a union has none by those of its members.
static tact_planar_distance without_sizes(tact_planar_distance d) {
    for (int k = 0; k < TACT_PLANAR_SIZES; k++) {
        d.by_size[k] = 0;
        d.gradient_by[k] = tact_vec2_make(0, 0);
    }
    return d;
}

static tact_real smooth_value(const tact_planar_shape *shape, tact_vec2 y) {
    // -T log sum exp(-psi_k/T), relative to the least psi, so that nothing overflows
    tact_real value[TACT_POLYGON_MAX], least = TACT_MAX, sum = 0, T = shape->temperature;
    for (int k = 0; k < shape->count; k++) {
        value[k] = core_value(shape->member[k], y);
        least = tact_min(least, value[k]);
    }
    for (int k = 0; k < shape->count; k++) sum += tact_exp((least - value[k]) / T);
    return least - T * tact_log(sum);
}

// with shares p_k ~ exp(-psi_k/T): g = sum p g_k, H = sum p (H_k - g_k g_k'/T) + g g'/T,
// d/dT = (psi - sum p psi_k)/T, dg/dT = sum p (psi_k - mean) g_k/T^2
static tact_planar_distance smooth_distance(const tact_planar_shape *shape, tact_vec2 y) {
    tact_real T = shape->temperature, mean = 0;
    tact_planar_distance d = {.value = smooth_value(shape, y)};
    tact_vec2 g = {0, 0}, skew = {0, 0};
    tact_sym2 H = {0, 0, 0};
    // weights p_k sum up to 1
    for (int k = 0; k < shape->count; k++) {
        tact_planar_distance one = core_distance(shape->member[k], y);
        tact_real p = tact_exp((d.value - one.value) / T);
        mean += p * one.value;
        g = tact_vec2_add_scaled(g, p, one.gradient);
        skew = tact_vec2_add_scaled(skew, p * (one.value - d.value), one.gradient);
        H.xx += p * (one.hessian.xx - one.gradient.x * one.gradient.x / T);
        H.xy += p * (one.hessian.xy - one.gradient.x * one.gradient.y / T);
        H.yy += p * (one.hessian.yy - one.gradient.y * one.gradient.y / T);
    }
    d.gradient = g;
    d.hessian = (tact_sym2){H.xx + g.x * g.x / T, H.xy + g.x * g.y / T, H.yy + g.y * g.y / T};
    d.by_size[0] = (d.value - mean) / T;
    d.gradient_by[0] = tact_vec2_scale(1 / (T * T), tact_vec2_add_scaled(skew, d.value - mean, g));
    return d;
}

tact_real tact_planar_value(const tact_planar_shape *shape, tact_vec2 y) {
    TACT_ASSERT(shape);
    if (shape->kind == TACT_PLANAR_SMOOTH) return smooth_value(shape, y);
    if (shape->kind != TACT_PLANAR_UNION) return core_value(shape, y);
    tact_real least = TACT_MAX;
    for (int k = 0; k < shape->count; k++) least = tact_min(least, core_value(shape->member[k], y));
    return least;
}

tact_planar_distance tact_planar_distance_at(const tact_planar_shape *shape, tact_vec2 y) {
    if (shape->kind == TACT_PLANAR_SMOOTH) return smooth_distance(shape, y);
    if (shape->kind != TACT_PLANAR_UNION) return core_distance(shape, y);
    return without_sizes(core_distance(shape->member[nearest_member(shape, y)], y));
}

tact_planar_part tact_planar_part_at(const tact_planar_shape *shape, tact_vec2 y) {
    TACT_ASSERT(shape);
    tact_planar_part part = {0, 0, -1};
    if (shape->kind == TACT_PLANAR_SMOOTH) return part;
    if (shape->kind == TACT_PLANAR_UNION) part.member = nearest_member(shape, y);
    tact_planar_nearest near = tact_planar_locate(shape->kind == TACT_PLANAR_UNION ? shape->member[part.member] : shape, y);
    part.edge = near.edge;
    part.corner = near.corner;
    return part;
}

tact_planar_distance tact_planar_distance_from(const tact_planar_shape *shape, tact_planar_part part, tact_vec2 y) {
    // the frozen part, even if another one is nearer now
    if (shape->kind == TACT_PLANAR_SMOOTH) return smooth_distance(shape, y);
    const tact_planar_shape *core = shape->kind == TACT_PLANAR_UNION ? shape->member[part.member] : shape;
    const tact_planar_corner *edge = &core->corner[part.edge];
    tact_planar_nearest near = {part.edge, part.corner, tact_vec2_dot(edge->normal, tact_vec2_sub(y, edge->point))};
    tact_planar_distance d = core_distance_from(core, near, y);
    return core == shape ? d : without_sizes(d);
}
