// SPDX-License-Identifier: MIT
// Nearest point of a segment p(t) = c + t h, -1 <= t <= 1, to a convex shape with signed distance phi. phi is convex, also
// inside the shape, so that its derivative along the segment, g(t) = n(p(t))'h with n = grad phi, is monotone: its root is
// bracketed.
//
// If a whole interval is nearest (the segment is parallel to a face or an axis, to rounding), its midpoint is taken.
//
// That point jumps from end to end when the segment rotates through parallel. For laws whose forces begin before contact, edges
// have two witness points instead, which move smoothly. With the gap g(t) = phi(p(t)) - r, one for each end, e = -1/2 and 1/2:
//   t = argmin log g - (1 - e)/2 log(1 - t) - (1 + e)/2 log(1 + t) ,  which is where  g'(1 - t^2) + g (t - e) = 0
// Flat on a face they are at the quarters, t = e; on a part of the segment only, at or before its ends; they go to the lower end
// once the tilt changes g by a share of g over the segment, and to the place where g is least, as fast as g^2, where edges cross.
// The forces 2 grad g/(kappa g) at fixed t are the gradient of a potential, since t is where log g less a function of t is least.
// R = (g^2 + d^2)^(1/2) is taken for g in the factor of t - e (log g becomes arsinh(g/d)), so that g may be 0 or less.
//
// An edge that crosses another edge of a polyhedron and penetrates: phi is then the distance from the nearer face of that edge,
// and the normal of either face would let it penetrate farther along the other. The least translation out is along the common
// normal of both lines. With the separations s_i + r_i t of the two faces along the segment, which enters by one and leaves by
// the other, r_1 < 0 < r_2,
//   n = (r_2 n_1 - r_1 n_2)/l ,  l = |r_2 n_1 - r_1 n_2| ,
// which is normal to h and the edge, and the lines are (r_2 s_1 - r_1 s_2)/l apart; outside, where the edge is nearest, that is
// the distance. Of all edges, and of the faces with the segment's lowest point, s_i - |r_i|, the largest separation is the
// direction of least penetration: the signed distance of the whole segment. If that is a face's, the least phi may be
// elsewhere: an edge that pierces a plate near its side is deepest in the middle of the plate, where its normal flips, and
// leaves by the side.
#include "geom/shapes.h"

#define SEGMENT_ITERATIONS 100

// A derivative below this fraction of |h| is 0.
#define SEGMENT_FLAT (8 * TACT_EPS)

// Points nearer than this fraction of the segment's half length touch.
#define SEGMENT_NEAR tact_sqrt(TACT_EPS)

// End of the segment at which a linear function with this slope is least; 0 if it is constant.
static tact_real segment_end(tact_real slope, tact_real length) {
    if (tact_fabs(slope) <= SEGMENT_FLAT * length) return 0;
    return slope > 0 ? -1 : 1;
}

// Against the segment of a capsule, |z| <= L: half of the squared distance has the derivative
//   s(t) = x h_x + y h_y + (z - clamp(z, -L, L)) h_z
// which rises linearly before, within and after the part of the segment where |z| <= L (the quadratic of V. J. Lumelsky, On fast
// computation of distance between line segments, Information Processing Letters 21, 1985).
static tact_real segment_to_capsule(tact_real L, tact_vec3 c, tact_vec3 h) {
    // low to high: the part of the segment where |z| <= L
    tact_real across = h.x * h.x + h.y * h.y, all = across + h.z * h.z, reach = tact_side_of(h.z) * L;
    tact_real low = h.z != 0 ? tact_clamp((-reach - c.z) / h.z, -1, 1) : -1;
    tact_real high = h.z != 0 ? tact_clamp((reach - c.z) / h.z, -1, 1) : 1;
    // parallel to the axis: the middle of the common interval
    if (across <= SEGMENT_FLAT * SEGMENT_FLAT * all && low < high) return (low + high) / 2;
    // derivative at low: if it is positive the nearest point lies before it, at a cap
    tact_real along = c.x * h.x + c.y * h.y, z = c.z + low * h.z;
    if (along + low * across + (z - tact_clamp(z, -L, L)) * h.z > 0)
        return tact_clamp(-(along + (c.z + reach) * h.z) / all, -1, low);
    z = c.z + high * h.z;
    if (along + high * across + (z - tact_clamp(z, -L, L)) * h.z < 0)
        return tact_clamp(-(along + (c.z - reach) * h.z) / all, high, 1);
    return across > 0 ? tact_clamp(-along / across, low, high) : low;
}

static tact_real segment_slope(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_real t) {
    tact_vec3 p = tact_vec3_add_scaled(c, t, h);
    return tact_vec3_dot(tact_shape_distance_from(shape, &p).gradient, h);
}

// The farthest t from `in` (where the derivative is 0) towards `out` with a zero derivative.
static tact_real segment_stretch(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_real in, tact_real out, tact_real flat) {
    // bisection for the end of the flat interval
    if (tact_fabs(segment_slope(shape, c, h, out)) <= flat) return out;
    for (int k = 0; k < SEGMENT_ITERATIONS; k++) {
        tact_real t = (in + out) / 2;
        if (t == in || t == out) break;
        if (tact_fabs(segment_slope(shape, c, h, t)) <= flat)
            in = t;
        else
            out = t;
    }
    return in;
}

// Bracket (low, high) of a root t of an increasing function, and the last step.
typedef struct {
    tact_real low, high, t, last;
} segment_bracket;

// Newton's step from t, with function value F and derivative rise, if it stays in the bracket and halves the last step;
// otherwise bisection. False when it is only rounding.
static bool segment_step(segment_bracket *at, tact_real F, tact_real rise) {
    if (F == 0) return false;
    *(F > 0 ? &at->high : &at->low) = at->t;
    tact_real step = rise > 0 ? -F / rise : TACT_MAX;
    if (tact_fabs(step) <= TACT_EPS) return false;
    bool good = at->t + step > at->low && at->t + step < at->high && tact_fabs(step) <= at->last / 2;
    at->last = good ? tact_fabs(step) : (at->high - at->low) / 2;
    at->t = good ? at->t + step : (at->low + at->high) / 2;
    return at->high - at->low > 2 * TACT_EPS;
}

// Root of the derivative by Newton's method, safeguarded by bisection of a bracket.
static tact_real segment_root(const tact_shape *shape, tact_vec3 c, tact_vec3 h) {
    const tact_real flat = SEGMENT_FLAT * tact_sqrt(tact_vec3_dot(h, h)), low = -1, high = 1;
    segment_bracket at = {.low = low, .high = high, .last = 2};
    // derivative at both ends: an end is nearest unless it changes sign
    tact_real first = segment_slope(shape, c, h, low), end = segment_slope(shape, c, h, high), slope = 0, bend = 0;
    if (first > flat) return -1;
    if (end < -flat) return 1;
    if (first >= -flat) return (segment_stretch(shape, c, h, low, high, flat) - 1) / 2;
    if (end <= flat) return (segment_stretch(shape, c, h, high, low, flat) + 1) / 2;
    // g'(t) by the Hessian: bend = h'H h
    int k = 0;
    do {
        tact_mat3 H;
        slope = tact_vec3_dot(tact_shape_measure(shape, tact_vec3_add_scaled(c, at.t, h), &H).gradient, h);
        bend = tact_vec3_dot(h, tact_mat3_apply(H, h));
        if (tact_fabs(slope) <= flat && !(bend > flat))
            return (segment_stretch(shape, c, h, at.t, at.low, flat) + segment_stretch(shape, c, h, at.t, at.high, flat)) / 2;
    } while (segment_step(&at, slope, bend) && ++k < SEGMENT_ITERATIONS);
    return at.t;
}

tact_real tact_segment_nearest(const tact_shape *shape, tact_vec3 c, tact_vec3 h) {
    TACT_ASSERT(shape);
    tact_real square = tact_vec3_dot(h, h), length = tact_sqrt(square);
    if (!(length > 0)) return 0;
    // linear along the segment: one of its ends; a point: the foot of the perpendicular; otherwise the root of the derivative
    switch (shape->type) {
    case TACT_SHAPE_PLANE: return segment_end(h.z, length);
    case TACT_SHAPE_HALFPLANE: return segment_end(h.y, length);
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_CIRCLE: return tact_clamp(-tact_vec3_dot(c, h) / square, -1, 1);
    case TACT_SHAPE_CAPSULE: return segment_to_capsule(shape->size[1], c, h);
    default: return segment_root(shape, c, h);
    }
}

// A face relative to the segment: its separation is s + r t.
typedef struct {
    tact_vec3 normal;
    tact_real s, r;
} segment_face;

static segment_face make_segment_face(tact_vec3 c, tact_vec3 h, tact_vec3 normal, tact_real offset) {
    return (segment_face){normal, tact_vec3_dot(normal, c) - offset, tact_vec3_dot(normal, h)};
}

// Takes the edge of two faces if the segment's separation from it is larger than from earlier ones, and it is not parallel.
static void cross_edge(segment_face one, segment_face two, tact_real touch, tact_crossing *at) {
    const tact_real sign = tact_side_of(two.r);
    tact_vec3 n = tact_vec3_add_scaled(tact_vec3_scale(sign * two.r, one.normal), -sign * one.r, two.normal);
    tact_real l = tact_direction_split(n, &n), apart = sign * (two.r * one.s - one.r * two.s) / l;
    if (l <= touch || !(apart > at->distance.value)) return;
    // t where b'(c + t h - p) = 0, p on the edge: b = n x e is along (n'n_2) n_1 - (n'n_1) n_2
    tact_real first = tact_vec3_dot(n, two.normal), second = tact_vec3_dot(n, one.normal);
    at->along = -(first * one.s - second * two.s) / (first * one.r - second * two.r);
    at->apart = apart;
    at->distance = (tact_distance){.value = apart, .gradient = n};
    tact_direction_split(tact_vec3_cross(one.normal, two.normal), &at->edge);
}

// End of the interval in which a segment lies flush on face i, at the rim or at the segment's end; of two points on the rim
// that with the lower t if first.
static void leave_face(const segment_face *face, int count, int i, bool first, tact_real touch, tact_crossing *at) {
    // t at both ends, and the face beyond; i: the segment ends there
    tact_real end[2] = {-1 + SEGMENT_NEAR, 1 - SEGMENT_NEAR};
    int beyond[2] = {i, i};
    for (int j = 0; j < count; j++) {
        const tact_real turn = tact_vec3_dot(face[i].normal, face[j].normal), rise = face[j].r - turn * face[i].r;
        const int k = rise > 0;
        if (j == i || tact_fabs(rise) <= 4 * touch) continue;
        const tact_real t = (turn * face[i].s - face[j].s) / rise;
        if (k ? t >= end[1] : t <= end[0]) continue;
        end[k] = t;
        beyond[k] = j;
    }
    const int k = beyond[0] == i || (beyond[1] != i && !first);
    at->along = k ? 1 : -1;
    at->apart = face[i].s + face[i].r * at->along;
    at->distance.value = -TACT_MAX;
    if (beyond[k] != i) cross_edge(face[i], face[beyond[k]], touch, at);
}

bool tact_segment_cross(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_vec3 side, tact_crossing *at) {
    TACT_ASSERT(shape && at);
    const tact_real nearest = at->along, value = at->distance.value;
    const bool box = shape->type == TACT_SHAPE_BOX;
    const tact_hull *hull = TACT_HULLS && shape->type == TACT_SHAPE_HULL ? shape->hull : NULL;
    const tact_real *size = shape->size, round = box ? size[3] : size[0];
    const tact_real touch = SEGMENT_NEAR * tact_sqrt(tact_vec3_dot(h, h));
    segment_face face[TACT_HULL_FACES];
    const bool level = tact_fabs(tact_vec3_dot(at->distance.gradient, h)) <= touch;
    // apart, the nearest points give the same
    const bool off = value + round > touch;
    if (!(box || hull) || (off && !level)) return false;
    const int count = tact_shape_faces(shape);
    tact_real tilt = 0;
    int out = 0;
    at->distance.value = -TACT_MAX;
    for (int i = 0; i < count; i++) {
        tact_real offset = 0;
        const tact_vec3 normal = tact_shape_face(shape, i, &offset);
        face[i] = make_segment_face(c, h, normal, offset);
        // the lowest end leaves by the face
        tact_real apart = face[i].s - tact_fabs(face[i].r);
        if (!(apart > at->distance.value)) continue;
        out = i;
        tilt = face[i].r;
        *at = (tact_crossing){.along = -tact_side_of(tilt), .distance = {.value = apart, .gradient = face[i].normal}};
    }
    const bool flush = tact_fabs(tilt) <= touch;
    // nearest is a point on a rim parallel to the segment, not the face
    if (off && !(flush && tact_fabs(at->distance.value - value - round) <= touch)) return false;
    // an edge is preferred only if its separation is larger by more than rounding
    at->distance.value += touch;
    for (int i = 0; hull && i < hull->nedge; i++) {
        const segment_face *one = &face[hull->edge[i].left], *two = &face[hull->edge[i].right];
        if (one->r * two->r < 0) cross_edge(*one, *two, touch, at);
    }
    // any two faces of a box that are not opposite have an edge
    for (int i = 0; box && i < 6; i++)
        for (int j = i / 2 * 2 + 2; j < 6; j++)
            if (face[i].r * face[j].r < 0) cross_edge(face[i], face[j], touch, at);
    const bool crosses = tact_vec3_dot(at->edge, at->edge) > 0;
    at->distance.value -= crosses ? round : round + touch;
    if (crosses) return tact_fabs(at->along) < 1;
    // next to a rim the nearest point may have the normal of the adjacent face
    if (!flush) return (tact_fabs(nearest) < 1 && !level) || at->distance.value + touch < value;
    leave_face(face, count, out, tact_vec3_dot(tact_vec3_cross(face[out].normal, h), side) < 0, touch, at);
    at->distance.value = at->apart - round;
    return true;
}

// With w = 1 - t^2, F(t) = g'w + R (t - e) is negative at t = -1, positive at 1, and increasing at a root, since g is convex:
//   F' = g''w - 2 t g' + R + (t - e) g'g/R
tact_real tact_segment_between(const tact_shape *shape, tact_vec3 c, tact_vec3 h, tact_real radius, int side) {
    TACT_ASSERT(shape && (side == -1 || side == 1));
    const tact_real lean = (tact_real)side * TACT_SEGMENT_LEAN, length = tact_sqrt(tact_vec3_dot(h, h));
    segment_bracket at = {.low = -1, .high = 1, .t = lean, .last = 2};
    tact_real F = 0, rise = 0;
    int k = 0;
    if (!(length > 0)) return lean;
    do {
        // g, g' and g'' at t; R, F and F'.
        const tact_real t = at.t;
        tact_mat3 H;
        tact_distance d = tact_shape_measure(shape, tact_vec3_add_scaled(c, t, h), &H);
        tact_real gap = d.value - radius, slope = tact_vec3_dot(d.gradient, h), R = tact_segment_scale(gap, length);
        tact_real bend = tact_vec3_dot(h, tact_mat3_apply(H, h)), w = 1 - t * t, off = t - lean;
        F = slope * w + off * R;
        rise = bend * w - 2 * t * slope + R + off * slope * (gap / R);
    } while (segment_step(&at, F, rise) && ++k < SEGMENT_ITERATIONS);
    return at.t;
}
