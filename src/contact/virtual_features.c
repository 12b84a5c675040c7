// SPDX-License-Identifier: MIT
// Where two cores may touch: candidates, each with a cost phi that is its signed distance where it lies between the shapes.
//
// Apart: every corner against the other core's nearest edge or corner, phi = distance. With one corner (a circle) that is the
// closest pair, and the only one.
// Overlapping: the edge k of largest separation over both (of the direction N in which the overlap is least) is the reference;
// every corner of the other core against it, and its two ends against the other core's boundary above them, measured along N:
//   phi = height along N + how far beyond the end along the edge
// so that an end that hangs over loses its weight smoothly, and aligned faces have both ends twice.
// Nearly touching: both, the first with weights times lambda(distance of the cores), the others with 1 - lambda, so that nothing
// jumps as they begin to overlap.
#include "contact/virtual_pair.h"
#include "geom/planar_core.h"

#define FEATURE_BLEND 8                       // spread over the distance of the cores from which on both lists count
#define FEATURE_SECOND (1 << 29)              // sets the numbers of the second list apart
#define FEATURE_LEAST_COSINE TACT_REAL(1e-3)  // steeper edges than this do not face the reference

typedef struct {
    enum { CANDIDATE_CORNERS, CANDIDATE_EDGE, CANDIDATE_END } kind;
    int side, i, j;  // corner i of this side against corner or edge j of the other
    int end;         // END beyond the other boundary: that one's corner; else -1
    tact_real phi;   //
    tact_real over;  // beyond the end [m]
} candidate;

typedef struct {
    int side, edge, corner;  // the reference, and the other's corner that is deepest behind it
    tact_real separation;
    bool overlap;
} overlap_axis;

// corner i of a side in the axes of the other's body
static tact_vec2 feature_across(const tact_virtual_pair *pair, int s, int i) {
    return tact_virtual_inner(&pair->side[1 - s], tact_virtual_corner(&pair->side[s], i));
}

static tact_real feature_radii(const tact_virtual_pair *pair) {
    return pair->side[0].shape->radius + pair->side[1].shape->radius;
}

static candidate near_candidate(const tact_virtual_pair *pair, int s, int i) {
    const tact_planar_shape *other = pair->side[1 - s].shape;
    tact_vec2 y = feature_across(pair, s, i);
    tact_planar_nearest near = tact_planar_locate(other, y);
    candidate c = {.kind = CANDIDATE_EDGE, .side = s, .i = i, .j = near.edge, .end = -1, .phi = near.separation};
    if (near.corner >= 0) {
        tact_vec2 arm = tact_vec2_sub(y, other->corner[near.corner].point);
        c.kind = CANDIDATE_CORNERS;
        c.j = near.corner;
        c.phi = tact_sqrt(tact_vec2_dot(arm, arm));
    }
    c.phi -= feature_radii(pair);
    return c;
}

// the edge of side s that separates the other side most
static overlap_axis side_axis(const tact_virtual_pair *pair, int s) {
    const tact_planar_shape *shape = pair->side[s].shape, *other = pair->side[1 - s].shape;
    overlap_axis best = {.side = s, .separation = -TACT_MAX};
    tact_vec2 at[TACT_POLYGON_MAX];
    for (int i = 0; i < other->count; i++) at[i] = feature_across(pair, 1 - s, i);
    for (int k = 0; k < shape->count; k++) {
        tact_vec2 N = shape->corner[k].normal, c = shape->corner[k].point;
        tact_real least = TACT_MAX;
        int deepest = 0;
        for (int i = 0; i < other->count; i++) {
            tact_real separation = tact_vec2_dot(N, tact_vec2_sub(at[i], c));
            if (!(separation < least)) continue;
            least = separation;
            deepest = i;
        }
        if (least > best.separation) best = (overlap_axis){s, k, deepest, least, false};
    }
    return best;
}

static overlap_axis find_axis(const tact_virtual_pair *pair) {
    overlap_axis a = side_axis(pair, 0), b = side_axis(pair, 1);
    overlap_axis best = b.separation > a.separation ? b : a;
    best.overlap = best.separation < -4 * TACT_EPS * (pair->side[0].shape->reach + pair->side[1].shape->reach);
    return best;
}

static candidate reference_candidate(const tact_virtual_pair *pair, const overlap_axis *axis, int i) {
    const tact_planar_corner *edge = &pair->side[axis->side].shape->corner[axis->edge];
    tact_vec2 e = tact_vec2_sub(feature_across(pair, 1 - axis->side, i), edge->point);
    tact_real u = tact_vec2_dot(tact_vec2_turn(edge->normal), e);
    candidate c = {.kind = CANDIDATE_EDGE, .side = 1 - axis->side, .i = i, .j = axis->edge, .end = -1};
    c.over = tact_max(tact_max(-u, u - edge->length), 0);
    c.phi = tact_vec2_dot(edge->normal, e) + c.over - feature_radii(pair);
    return c;
}

// The reference's end (0 or 1) against the boundary above it. In the axes (t, N) of the reference the edges that face it run
// towards smaller t.
static candidate end_candidate(const tact_virtual_pair *pair, const overlap_axis *axis, int end) {
    const tact_virtual_side *side = &pair->side[axis->side], *other = &pair->side[1 - axis->side];
    int count = other->shape->count, corner = (axis->edge + end) % side->shape->count;
    tact_vec2 N = tact_virtual_inner(other, tact_vec2_add(other->pose.p, tact_virtual_normal(side, axis->edge)));
    tact_vec2 t = tact_vec2_turn(N), at = feature_across(pair, axis->side, corner);
    candidate best = {.kind = CANDIDATE_END, .side = axis->side, .i = corner, .j = -1, .phi = TACT_MAX, .over = TACT_MAX};
    for (int m = 0; m < count; m++) {
        const tact_planar_corner *edge = &other->shape->corner[m];
        tact_real cosine = -tact_vec2_dot(edge->normal, N);
        if (!(cosine > FEATURE_LEAST_COSINE)) continue;
        int next = (m + 1) % count;
        tact_vec2 from = tact_vec2_sub(edge->point, at), to = tact_vec2_sub(other->shape->corner[next].point, at);
        tact_real before = tact_vec2_dot(t, to), beyond = -tact_vec2_dot(t, from);
        candidate c = best;
        c.j = m;
        c.end = before > 0 ? next : beyond > 0 ? m : -1;
        c.over = tact_max(tact_max(before, beyond), 0);
        c.phi = c.end < 0 ? -tact_vec2_dot(edge->normal, from) / cosine : tact_vec2_dot(N, before > 0 ? to : from);
        if (c.over < best.over || (c.over == best.over && c.phi < best.phi)) best = c;
    }
    best.phi += best.over - feature_radii(pair);
    return best;
}

// Adds factor times the rates of w'(c_i - c_j), w fixed to the body of corner j's side 1 - s, to the rates of phi.
static void add_rates(const tact_virtual_pair *pair, int s, int i, int j, tact_vec2 w, tact_virtual *out) {
    const tact_virtual_side *side = &pair->side[s], *other = &pair->side[1 - s];
    tact_vec2 c = tact_virtual_corner(side, i);
    tact_vec2 arm = tact_vec2_turn(tact_vec2_sub(c, side->pose.p)), reach = tact_vec2_turn(tact_vec2_sub(c, other->pose.p));
    const tact_real own[3] = {w.x, w.y, tact_vec2_dot(w, arm)}, theirs[3] = {w.x, w.y, tact_vec2_dot(w, reach)};
    for (int k = 0; k < 3; k++) {
        out->dweight[side->q + k] += own[k];
        out->dweight[other->q + k] -= theirs[k];
    }
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        tact_vec2 to = tact_planar_rotate(side->pose, side->shape->corner[i].rate[k]);
        tact_vec2 from = tact_planar_rotate(other->pose, other->shape->corner[j].rate[k]);
        if (k < side->shape->nsize) out->dweight[side->size + k] += tact_vec2_dot(w, to);
        if (k < other->shape->nsize) out->dweight[other->size + k] -= tact_vec2_dot(w, from);
    }
}

// phi = -d + beyond: the corner past the reference's end
static void cost_of_overhang(const tact_virtual_pair *pair, const candidate *c, tact_virtual *out) {
    const tact_virtual_side *other = &pair->side[1 - c->side];
    const tact_planar_corner *edge = &other->shape->corner[c->j];
    tact_vec2 t = tact_vec2_turn(tact_virtual_normal(other, c->j));
    tact_vec2 e = tact_vec2_sub(feature_across(pair, c->side, c->i), edge->point);
    bool before = tact_vec2_dot(tact_vec2_turn(edge->normal), e) < 0;
    out->weight = c->phi;
    add_rates(pair, c->side, c->i, before ? c->j : (c->j + 1) % other->shape->count, before ? tact_vec2_scale(-1, t) : t, out);
}

// phi = separation/cosine - radii: along the reference's normal
static void cost_of_end(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_virtual *out) {
    const tact_virtual_side *side = &pair->side[c->side], *other = &pair->side[1 - c->side];
    tact_vec2 N = tact_virtual_normal(side, axis->edge), M = tact_virtual_normal(other, c->j);
    tact_real cosine = -tact_vec2_dot(M, N), turn = tact_vec2_dot(tact_vec2_turn(M), N);
    tact_real separation = feature_radii(pair) - out->d, slope = separation * turn / (cosine * cosine);
    out->weight = c->phi;
    for (int k = 0; k < 6; k++) out->dweight[k] = -out->dd[k] / cosine;
    out->dweight[other->q + 2] += slope;
    out->dweight[side->q + 2] -= slope;
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        tact_real own = k < side->shape->nsize ? side->shape->radius_rate[k] : 0;
        tact_real theirs = k < other->shape->nsize ? other->shape->radius_rate[k] : 0;
        out->dweight[side->size + k] = (own - out->dd[side->size + k]) / cosine - own;
        out->dweight[other->size + k] = (theirs - out->dd[other->size + k]) / cosine - theirs;
    }
}

// phi = height of the boundary's own end + beyond - radii
static void cost_of_far_end(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_virtual *out) {
    const tact_virtual_side *side = &pair->side[c->side], *other = &pair->side[1 - c->side];
    tact_vec2 N = tact_virtual_normal(side, axis->edge), t = tact_vec2_turn(N);
    tact_vec2 beyond = tact_vec2_sub(tact_virtual_corner(other, c->end), tact_virtual_corner(side, c->i));
    out->weight = c->phi;
    for (int k = 0; k < 6; k++) out->dweight[k] = 0;
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        out->dweight[side->size + k] = k < side->shape->nsize ? -side->shape->radius_rate[k] : 0;
        out->dweight[other->size + k] = k < other->shape->nsize ? -other->shape->radius_rate[k] : 0;
    }
    add_rates(pair, 1 - c->side, c->end, axis->edge, N, out);
    add_rates(pair, 1 - c->side, c->end, c->i, tact_vec2_dot(t, beyond) < 0 ? tact_vec2_scale(-1, t) : t, out);
}

static void make_contact(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_virtual *out) {
    if (c->kind == CANDIDATE_CORNERS) {
        bool first = c->side == 0;
        tact_virtual_corners(pair, first ? c->i : c->j, first ? c->j : c->i, out);
        return;
    }
    tact_virtual_edge(pair, c->side, c->i, c->j, out);
    if (c->kind == CANDIDATE_EDGE && c->over > 0) cost_of_overhang(pair, c, out);
    if (c->kind != CANDIDATE_END) return;
    if (c->end < 0)
        cost_of_end(pair, axis, c, out);
    else
        cost_of_far_end(pair, axis, c, out);
}

// the side whose corners alone decide: that of one corner, or the one that is not a half-plane; -1: both count
static int deciding_side(const tact_virtual_pair *pair) {
    const tact_planar_shape *a = pair->side[0].shape, *b = pair->side[1].shape;
    if (a->kind == TACT_PLANAR_HALFPLANE) return 1;
    if (b->kind == TACT_PLANAR_HALFPLANE || a->count == 1) return 0;
    return b->count == 1 ? 1 : -1;
}

static int list_near(const tact_virtual_pair *pair, int only, candidate *list) {
    int count = 0;
    for (int s = 0; s < 2; s++)
        for (int i = 0; only != 1 - s && i < pair->side[s].shape->count; i++) list[count++] = near_candidate(pair, s, i);
    return count;
}

static int list_reference(const tact_virtual_pair *pair, const overlap_axis *axis, candidate *list) {
    int count = 0;
    for (int i = 0; i < pair->side[1 - axis->side].shape->count; i++) list[count++] = reference_candidate(pair, axis, i);
    for (int end = 0; end < 2; end++) {
        candidate c = end_candidate(pair, axis, end);
        if (c.j >= 0) list[count++] = c;
    }
    return count;
}

static int least_candidate(const candidate *list, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (list[i].phi < list[best].phi) best = i;
    return best;
}

static bool both_halfplanes(const tact_virtual_pair *pair) {
    return pair->side[0].shape->kind == TACT_PLANAR_HALFPLANE && pair->side[1].shape->kind == TACT_PLANAR_HALFPLANE;
}

bool tact_virtual_closest(const tact_virtual_pair *pair, tact_virtual *out) {
    candidate list[2 * TACT_POLYGON_MAX];
    overlap_axis axis = {.side = 0};
    int only = deciding_side(pair);
    if (both_halfplanes(pair)) return false;
    if (only < 0) axis = find_axis(pair);
    if (axis.overlap) {
        tact_virtual_edge(pair, 1 - axis.side, axis.corner, axis.edge, out);
        return true;
    }
    make_contact(pair, &axis, &list[least_candidate(list, list_near(pair, only, list))], out);
    return true;
}

// One of two lists of candidates that are blended by the distance D of the cores, and what that adds to phi.
typedef struct {
    candidate list[2 * TACT_POLYGON_MAX];
    int count;
    tact_real bias, slope;  // slope by D
} feature_list;

// D, and how it changes: the contact at the least candidate knows
static tact_real feature_distance(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *least,
                                  tact_virtual *at) {
    make_contact(pair, axis, least, at);
    for (int k = 0; k < tact_virtual_columns(pair->options); k++) at->dd[k] = -at->dd[k];
    for (int s = 0; pair->options->sizes && s < 2; s++)
        for (int k = 0; k < pair->side[s].shape->nsize; k++)
            at->dd[pair->side[s].size + k] += pair->side[s].shape->radius_rate[k];
    return feature_radii(pair) - at->d;
}

// Shares of both lists, exp(-bias/T): lambda of those apart and 1 - lambda of those that overlap, lambda = t^2 (3 - 2 t).
static void blend_features(const tact_virtual_pair *pair, tact_real D, feature_list *apart, feature_list *over) {
    tact_real T = pair->options->temperature, reach = T / FEATURE_BLEND, t = tact_clamp(D / reach, 0, 1);
    tact_real lambda = t * t * (3 - 2 * t), slope = 6 * t * (1 - t) / reach;
    if (lambda < TACT_EPS) apart->count = 0;
    if (1 - lambda < TACT_EPS) over->count = 0;
    if (apart->count == 0 || over->count == 0) return;
    apart->bias = -T * tact_log(lambda);
    apart->slope = -T * slope / lambda;
    over->bias = -T * tact_log(1 - lambda);
    over->slope = T * slope / (1 - lambda);
}

// Both lists; one of them is empty but within a layer where cores nearly touch: true there, and `at` knows how D changes.
static bool list_features(const tact_virtual_pair *pair, overlap_axis *axis, feature_list *apart, feature_list *over,
                          tact_virtual *at) {
    int only = deciding_side(pair);
    apart->count = over->count = 0;
    apart->bias = apart->slope = over->bias = over->slope = 0;
    *axis = (overlap_axis){.side = 0};
    if (only < 0) *axis = find_axis(pair);
    if (axis->overlap) {
        over->count = list_reference(pair, axis, over->list);
        return false;
    }
    apart->count = list_near(pair, only, apart->list);
    if (only >= 0 || apart->count == 0 || pair->options->manifold == TACT_MANIFOLD_SUM) return false;
    const candidate *least = &apart->list[least_candidate(apart->list, apart->count)];
    if (least->phi + feature_radii(pair) >= pair->options->temperature / FEATURE_BLEND) return false;
    over->count = list_reference(pair, axis, over->list);
    blend_features(pair, feature_distance(pair, axis, least, at), apart, over);
    return apart->count > 0 && over->count > 0;
}

// What the blend adds to a contact's cost.
static void add_bias(const tact_virtual_pair *pair, const feature_list *list, const tact_virtual *at, tact_virtual *out) {
    out->weight += list->bias;
    for (int k = 0; k < tact_virtual_columns(pair->options); k++) out->dweight[k] += list->slope * at->dd[k];
}

int tact_virtual_features(const tact_virtual_pair *pair, tact_virtual *out) {
    feature_list lists[2];
    overlap_axis axis;
    tact_virtual at;
    tact_real least = TACT_MAX;
    int kept = 0;
    bool sum = pair->options->manifold == TACT_MANIFOLD_SUM;
    if (both_halfplanes(pair)) return 0;
    bool both = list_features(pair, &axis, &lists[0], &lists[1], &at);
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l].count; i++) least = tact_min(least, lists[l].list[i].phi + lists[l].bias);
    // exp(-36) is rounding beside 1
    tact_real most = least + 36 * pair->options->temperature;
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < lists[l].count; i++) {
            const candidate *c = &lists[l].list[i];
            if (!(sum ? c->over == 0 : c->phi + lists[l].bias <= most)) continue;
            make_contact(pair, &axis, c, &out[kept]);
            if (both) add_bias(pair, &lists[l], &at, &out[kept]);
            if (both && l == 1) out[kept].feature += FEATURE_SECOND;
            kept++;
        }
    return kept;
}
