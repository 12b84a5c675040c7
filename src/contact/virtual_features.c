// SPDX-License-Identifier: MIT
// Candidate contact points of two cores, each with a cost phi that is its signed distance if it lies between the shapes.
//
// Cores apart: every corner against the nearest edge or corner of the other core, phi = distance. With one corner (a circle)
// that is the closest pair, and the only one.
// Cores overlapping: the reference is the edge k of largest separation over both cores (its normal N is the direction of least
// penetration); every corner of the other core against it, and its two ends against the boundary of the other core above them,
// measured along N:
//   phi = height along N + how far beyond the end along the edge
// so that the weight of an end that overhangs decreases smoothly, and aligned faces have both ends twice.
// Nearly touching: both lists, the first with weights times lambda(distance of the cores), the second with 1 - lambda, so that
// nothing jumps when they begin to overlap.
#include "contact/virtual_touch.h"

#define FEATURE_BLEND 8                       // temperature over the distance of the cores below which both lists count
#define FEATURE_SECOND (1 << 29)              // offset of the feature numbers of the second list
#define FEATURE_LEAST_COSINE TACT_REAL(1e-3)  // edges steeper than this do not face the reference

typedef struct {
    enum { CANDIDATE_CORNERS, CANDIDATE_EDGE, CANDIDATE_END } kind;
    int side, i, j;        // corner i of this side against corner or edge j of the other
    int end;               // beyond the end of the other boundary: its corner; otherwise -1
    tact_real phi;         // cost [m]
    tact_real over;        // overhang beyond the end [m]
    tact_real separation;  // of corner i from the line of edge j
} candidate;

typedef struct {
    int side, edge;  // reference edge
    tact_real separation;
    bool overlap;
} overlap_axis;

static tact_real feature_radii(const tact_virtual_pair *pair) {
    return pair->side[0].shape->radius + pair->side[1].shape->radius;
}

// Corners of both sides in the axes of the other body, and for each the other core's edge of largest separation.
typedef struct {
    int only;  // side whose corners are listed; -1: both
    tact_vec2 at[2][TACT_POLYGON_MAX];
    tact_real most[2][TACT_POLYGON_MAX];
    int edge[2][TACT_POLYGON_MAX];
} feature_view;

// Transforms the corners of side s into the other body's axes and finds their edges of largest separation.
static void view_corners(const tact_virtual_pair *pair, int s, feature_view *view) {
    TACT_ASSERT(s == 0 || s == 1);
    const tact_planar_shape *other = pair->side[1 - s].shape;
    // separating axes: for each corner the edge of the other core that it is farthest outside of
    for (int i = 0; i < pair->side[s].shape->count; i++) {
        tact_vec2 at = tact_virtual_across(pair, s, i);
        tact_real most = -TACT_MAX;
        int edge = 0;
        for (int k = 0; k < other->count; k++) {
            tact_real separation = tact_vec2_dot(other->corner[k].normal, tact_vec2_sub(at, other->corner[k].point));
            edge = separation > most ? k : edge;
            most = tact_max(separation, most);
        }
        // in this order: gcc 12 at -O2 spoils another where it stores the two coordinates together
        view->edge[s][i] = edge;
        view->most[s][i] = most;
        view->at[s][i] = at;
    }
}

// The edge of side s that best separates the other core's corners.
static overlap_axis view_axis(const tact_virtual_pair *pair, int s, const feature_view *view) {
    const tact_planar_shape *shape = pair->side[s].shape, *other = pair->side[1 - s].shape;
    // for each edge the deepest corner; the edge whose deepest corner is least deep separates best
    overlap_axis best = {.side = s, .separation = -TACT_MAX};
    const tact_vec2 *at = view->at[1 - s];
    for (int k = 0; k < shape->count; k++) {
        tact_vec2 N = shape->corner[k].normal, c = shape->corner[k].point;
        tact_real least = TACT_MAX;
        for (int i = 0; i < other->count; i++) least = tact_min(tact_vec2_dot(N, tact_vec2_sub(at[i], c)), least);
        if (!(least > best.separation)) continue;
        best.separation = least;
        best.edge = k;
    }
    return best;
}

// The other core's corner that is deepest behind the reference edge.
static int deepest_corner(const tact_virtual_pair *pair, const overlap_axis *axis, const feature_view *view) {
    const tact_planar_corner *edge = &pair->side[axis->side].shape->corner[axis->edge];
    const tact_vec2 *at = view->at[1 - axis->side];
    int deepest = 0;
    for (int i = 1; i < pair->side[1 - axis->side].shape->count; i++)
        if (tact_vec2_dot(edge->normal, at[i]) < tact_vec2_dot(edge->normal, at[deepest])) deepest = i;
    return deepest;
}

// Candidate of corner i of side s: the nearest edge or corner of the other core; phi is their distance minus the radii.
static void near_candidate(const tact_virtual_pair *pair, const feature_view *view, int s, int i, candidate *c) {
    // Nearest feature of the other core to the corner: an edge, or one of its ends.
    const tact_planar_shape *other = pair->side[1 - s].shape;
    tact_vec2 y = view->at[s][i];
    tact_planar_nearest near = {view->edge[s][i], other->count == 1 ? 0 : -1, view->most[s][i]};
    if (other->kind == TACT_PLANAR_HALFPLANE) near.corner = -1;
    if (other->count > 1) tact_planar_settle(other, y, &near);
    c->side = s;
    c->i = i;
    c->end = -1;
    c->over = 0;
    c->separation = near.separation;
    // at a corner the distance is between two points, at an edge along its normal
    if (near.corner >= 0) {
        tact_vec2 arm = tact_vec2_sub(y, other->corner[near.corner].point);
        c->kind = CANDIDATE_CORNERS;
        c->j = near.corner;
        c->phi = tact_sqrt(tact_vec2_dot(arm, arm)) - feature_radii(pair);
    } else {
        c->kind = CANDIDATE_EDGE;
        c->j = near.edge;
        c->phi = near.separation - feature_radii(pair);
    }
}

// Fills the view, for both sides or only the side whose corners decide; returns the axis of largest separation.
static overlap_axis view_pair(const tact_virtual_pair *pair, int only, feature_view *view) {
    // a circle or a half-plane has one candidate side; of two polygons both count
    overlap_axis none = {.side = 0};
    view->only = only;
    if (only != 1) view_corners(pair, 0, view);
    if (only != 0) view_corners(pair, 1, view);
    if (only >= 0) return none;
    overlap_axis a = view_axis(pair, 0, view), b = view_axis(pair, 1, view), best = b.separation > a.separation ? b : a;
    // overlap: the separation is negative beyond rounding
    best.overlap = best.separation < -4 * TACT_EPS * (pair->side[0].shape->reach + pair->side[1].shape->reach);
    return best;
}

static candidate reference_candidate(const tact_virtual_pair *pair, const overlap_axis *axis, int i) {
    const tact_planar_corner *edge = &pair->side[axis->side].shape->corner[axis->edge];
    // u: position along the reference edge from its beginning; over: overhang beyond its ends
    tact_vec2 e = tact_vec2_sub(tact_virtual_across(pair, 1 - axis->side, i), edge->point);
    tact_real u = tact_vec2_dot(tact_vec2_turn(edge->normal), e);
    candidate c = {.kind = CANDIDATE_EDGE, .side = 1 - axis->side, .i = i, .j = axis->edge, .end = -1};
    c.over = tact_max(tact_max(-u, u - edge->length), 0);
    c.separation = tact_vec2_dot(edge->normal, e);
    c.phi = c.separation + c.over - feature_radii(pair);
    return c;
}

// End 0 or 1 of the reference edge against the boundary above it. In the axes (t, N) of the reference, edges that face it run
// towards smaller t.
static candidate end_candidate(const tact_virtual_pair *pair, const overlap_axis *axis, int end) {
    const tact_virtual_side *side = &pair->side[axis->side], *other = &pair->side[1 - axis->side];
    int count = other->shape->count, corner = (axis->edge + end) % side->shape->count;
    // N: the reference's normal in the axes of the other body; edges that face it have cosine > 0.
    tact_vec2 N = tact_virtual_inner(other, tact_vec2_add(other->pose.p, tact_virtual_normal(side, axis->edge)));
    tact_vec2 t = tact_vec2_turn(N), at = tact_virtual_across(pair, axis->side, corner);
    candidate best = {.kind = CANDIDATE_END, .side = axis->side, .i = corner, .j = -1, .phi = TACT_MAX, .over = TACT_MAX};
    for (int m = 0; m < count; m++) {
        const tact_planar_corner *edge = &other->shape->corner[m];
        tact_real cosine = -tact_vec2_dot(edge->normal, N);
        if (!(cosine > FEATURE_LEAST_COSINE)) continue;
        if (pair->hold && pair->hold->axis && m != pair->hold->end[end]) continue;
        int next = (m + 1) % count;
        // range of the edge along the reference, relative to the end
        tact_vec2 from = tact_vec2_sub(edge->point, at), to = tact_vec2_sub(other->shape->corner[next].point, at);
        tact_real before = tact_vec2_dot(t, to), beyond = -tact_vec2_dot(t, from);
        candidate c = best;
        c.j = m;
        // end: beyond the end of the boundary its corner counts, otherwise the height of the edge above the reference's end
        c.end = before > 0 ? next : beyond > 0 ? m : -1;
        c.over = tact_max(tact_max(before, beyond), 0);
        c.separation = -tact_vec2_dot(edge->normal, from);
        c.phi = c.end < 0 ? c.separation / cosine : tact_vec2_dot(N, before > 0 ? to : from);
        // the edge above the end, or the nearest one beside it
        if (c.over < best.over || (c.over == best.over && c.phi < best.phi)) best = c;
    }
    best.phi += best.over - feature_radii(pair);
    return best;
}

// Adds the derivatives of w'(c_i - c_j), with w fixed to the body of corner j (side 1 - s), to those of phi.
static void add_rates(const tact_virtual_pair *pair, int s, int i, int j, tact_vec2 w, tact_real *rate) {
    TACT_ASSERT(rate);
    const tact_virtual_side *side = &pair->side[s], *other = &pair->side[1 - s];
    tact_vec2 c = tact_virtual_corner(side, i);
    tact_vec2 arm = tact_vec2_turn(tact_vec2_sub(c, side->pose.p)), reach = tact_vec2_turn(tact_vec2_sub(c, other->pose.p));
    // d(w'c)/dq = w'[I, E(c - p)] for both bodies
    const tact_real own[3] = {w.x, w.y, tact_vec2_dot(w, arm)}, theirs[3] = {w.x, w.y, tact_vec2_dot(w, reach)};
    for (int k = 0; k < 3; k++) {
        rate[side->q + k] += own[k];
        rate[other->q + k] -= theirs[k];
    }
    // by sizes: w' times the corner's derivative
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        tact_vec2 to = tact_planar_rotate(side->pose, side->shape->corner[i].rate[k]);
        tact_vec2 from = tact_planar_rotate(other->pose, other->shape->corner[j].rate[k]);
        if (k < side->shape->nsize) rate[side->size + k] += tact_vec2_dot(w, to);
        if (k < other->shape->nsize) rate[other->size + k] -= tact_vec2_dot(w, from);
    }
}

// phi = -d + overhang: a corner beyond the end of the reference.
static void cost_of_overhang(const tact_virtual_pair *pair, const candidate *c, tact_real *rate) {
    const tact_virtual_side *other = &pair->side[1 - c->side];
    const tact_planar_corner *edge = &other->shape->corner[c->j];
    // beyond the beginning or the end of the edge the overhang is -+t'(c - end)
    tact_vec2 t = tact_vec2_turn(tact_virtual_normal(other, c->j));
    tact_vec2 e = tact_vec2_sub(tact_virtual_across(pair, c->side, c->i), edge->point);
    bool before = tact_vec2_dot(tact_vec2_turn(edge->normal), e) < 0;
    add_rates(pair, c->side, c->i, before ? c->j : (c->j + 1) % other->shape->count, before ? tact_vec2_scale(-1, t) : t, rate);
}

// phi = separation/cosine - radii: along the normal of the reference.
static void cost_of_end(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_real d,
                        tact_real *rate) {
    const tact_virtual_side *side = &pair->side[c->side], *other = &pair->side[1 - c->side];
    // phi = separation/cosine: derivatives of the separation over the cosine, and of the cosine as both bodies turn
    tact_vec2 N = tact_virtual_normal(side, axis->edge), M = tact_virtual_normal(other, c->j);
    tact_real cosine = -tact_vec2_dot(M, N), turn = tact_vec2_dot(tact_vec2_turn(M), N);
    tact_real separation = feature_radii(pair) - d, slope = separation * turn / (cosine * cosine);
    for (int k = 0; k < 6; k++) rate[k] /= cosine;
    rate[other->q + 2] += slope;
    rate[side->q + 2] -= slope;
    // the radii are not divided by the cosine
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        tact_real own = k < side->shape->nsize ? side->shape->radius_rate[k] : 0;
        tact_real theirs = k < other->shape->nsize ? other->shape->radius_rate[k] : 0;
        rate[side->size + k] = (own + rate[side->size + k]) / cosine - own;
        rate[other->size + k] = (theirs + rate[other->size + k]) / cosine - theirs;
    }
}

// phi = height of the boundary's end + overhang - radii.
static void cost_of_far_end(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_real *rate) {
    const tact_virtual_side *side = &pair->side[c->side], *other = &pair->side[1 - c->side];
    // height along N plus overhang along t, of the boundary's corner
    tact_vec2 N = tact_virtual_normal(side, axis->edge), t = tact_vec2_turn(N);
    tact_vec2 beyond = tact_vec2_sub(tact_virtual_corner(other, c->end), tact_virtual_corner(side, c->i));
    for (int k = 0; k < 6; k++) rate[k] = 0;
    for (int k = 0; pair->options->sizes && k < TACT_PLANAR_SIZES; k++) {
        rate[side->size + k] = k < side->shape->nsize ? -side->shape->radius_rate[k] : 0;
        rate[other->size + k] = k < other->shape->nsize ? -other->shape->radius_rate[k] : 0;
    }
    add_rates(pair, 1 - c->side, c->end, axis->edge, N, rate);
    add_rates(pair, 1 - c->side, c->end, c->i, tact_vec2_dot(t, beyond) < 0 ? tact_vec2_scale(-1, t) : t, rate);
}

// Whether phi differs from -d.
static bool has_cost(const candidate *c) {
    return c->kind == CANDIDATE_END || (c->kind == CANDIDATE_EDGE && c->over > 0);
}

// Derivatives of phi from those of -d, for a candidate that has_cost.
static void change_cost(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_real d,
                        tact_real *rate) {
    if (c->kind == CANDIDATE_EDGE)
        cost_of_overhang(pair, c, rate);
    else if (c->end < 0)
        cost_of_end(pair, axis, c, d, rate);
    else
        cost_of_far_end(pair, axis, c, rate);
}

static void make_contact(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_virtual *out) {
    TACT_ASSERT(c->j >= 0 || c->kind == CANDIDATE_END);
    if (c->kind == CANDIDATE_CORNERS) {
        bool first = c->side == 0;
        tact_virtual_corners(pair, first ? c->i : c->j, first ? c->j : c->i, out);
        return;
    }
    tact_virtual_edge(pair, c->side, c->i, c->j, out);
    if (!has_cost(c)) return;
    out->weight = c->phi;
    change_cost(pair, axis, c, out->d, out->dweight);
}

static void make_touch(const tact_virtual_pair *pair, const overlap_axis *axis, const candidate *c, tact_virtual_touch *out) {
    if (c->kind == CANDIDATE_CORNERS) {
        bool first = c->side == 0;
        tact_touch_corners(pair, first ? c->i : c->j, first ? c->j : c->i, out);
        return;
    }
    tact_touch_edge(pair, c->side, c->i, c->j, c->separation, out);
    // the weight decreases with the cost, and so has derivatives of its own
    if (!has_cost(c)) return;
    tact_real rate[TACT_VIRTUAL_SIZE1] = {out->dweight[0], out->dweight[1], out->dweight[2], 0, 0, 0};
    out->weight = c->phi;
    change_cost(pair, axis, c, out->d, rate);
    for (int k = 0; k < 3; k++) out->dweight[k] = rate[k];
}

// The only side whose corners count: that with one corner, or the one that is not a half-plane; -1: both count.
static int deciding_side(const tact_virtual_pair *pair) {
    // a half-plane has no corners, a circle one
    const tact_planar_shape *a = pair->side[0].shape, *b = pair->side[1].shape;
    if (a->kind == TACT_PLANAR_HALFPLANE) return 1;
    if (b->kind == TACT_PLANAR_HALFPLANE || a->count == 1) return 0;
    return b->count == 1 ? 1 : -1;
}

// One of two lists of candidates that are blended by the distance D of the cores, and the bias that this adds to phi.
typedef struct {
    candidate *list;
    int count;
    tact_real bias, slope;  // derivative of the bias by D
} feature_list;

// Upper bounds: all corners of both sides; corners of one side and the ends of an edge of the other.
enum { FEATURE_NEAR = 2 * TACT_POLYGON_MAX, FEATURE_OVER = TACT_POLYGON_MAX + 2 };

static void list_near(const tact_virtual_pair *pair, const feature_view *view, feature_list *near) {
    for (int s = 0; s < 2; s++)
        for (int i = 0; view->only != 1 - s && i < pair->side[s].shape->count; i++)
            near_candidate(pair, view, s, i, &near->list[near->count++]);
}

static void list_reference(const tact_virtual_pair *pair, const overlap_axis *axis, feature_list *over) {
    for (int i = 0; i < pair->side[1 - axis->side].shape->count; i++)
        over->list[over->count++] = reference_candidate(pair, axis, i);
    for (int end = 0; end < 2; end++) {
        candidate c = end_candidate(pair, axis, end);
        if (c.j >= 0) over->list[over->count++] = c;
    }
}

static const candidate *least_candidate(const feature_list *near) {
    int best = 0;
    for (int i = 1; i < near->count; i++)
        if (near->list[i].phi < near->list[best].phi) best = i;
    return &near->list[best];
}

static bool both_halfplanes(const tact_virtual_pair *pair) {
    return pair->side[0].shape->kind == TACT_PLANAR_HALFPLANE && pair->side[1].shape->kind == TACT_PLANAR_HALFPLANE;
}

// The frozen candidate, evaluated at the present poses of the shapes.
static void find_held(const tact_virtual_pair *pair, overlap_axis *axis, candidate *held) {
    // the frozen features are evaluated wherever they have moved
    const tact_virtual_hold *hold = pair->hold;
    feature_view view;
    *axis = (overlap_axis){.side = 1 - hold->side, .edge = hold->edge, .overlap = hold->overlap};
    if (hold->overlap) {
        *held = reference_candidate(pair, axis, hold->corner);
        held->over = 0;
        return;
    }
    view_corners(pair, hold->side, &view);
    near_candidate(pair, &view, hold->side, hold->corner, held);
}

// The closest pair: in the axis if the cores overlap, otherwise the candidate. False for two half-planes.
static bool find_closest(const tact_virtual_pair *pair, overlap_axis *axis, candidate *closest) {
    candidate room[FEATURE_NEAR];
    feature_list near = {.list = room};
    // exact search among all candidates
    int only = deciding_side(pair);
    feature_view view;
    if (both_halfplanes(pair)) return false;
    // a frozen contact keeps its features, even if others are closer now
    if (pair->hold) {
        find_held(pair, axis, closest);
        return true;
    }
    *axis = view_pair(pair, only, &view);
    // cores overlap: the corner deepest behind the reference edge
    if (axis->overlap) {
        *closest = reference_candidate(pair, axis, deepest_corner(pair, axis, &view));
        closest->over = 0;
        return true;
    }
    // cores apart: the candidate of least distance
    list_near(pair, &view, &near);
    *closest = *least_candidate(&near);
    return true;
}

bool tact_virtual_choose_axis(const tact_virtual_pair *pair, tact_virtual_hold *hold) {
    TACT_ASSERT(hold);
    feature_view view;
    if (both_halfplanes(pair) || deciding_side(pair) >= 0) return false;
    overlap_axis axis = view_pair(pair, -1, &view);
    hold->side = 1 - axis.side;
    hold->edge = axis.edge;
    for (int end = 0; end < 2; end++) hold->end[end] = end_candidate(pair, &axis, end).j;
    return true;
}

bool tact_virtual_choose_candidate(const tact_virtual_pair *pair, tact_virtual_hold *hold, tact_real *phi) {
    TACT_ASSERT(hold);
    overlap_axis axis;
    candidate closest;
    if (!find_closest(pair, &axis, &closest)) return false;
    hold->overlap = axis.overlap;
    hold->side = closest.side;
    hold->corner = closest.i;
    hold->edge = axis.overlap ? axis.edge : 0;
    *phi = axis.overlap ? closest.separation - feature_radii(pair) : closest.phi;
    return true;
}

bool tact_virtual_closest(const tact_virtual_pair *pair, tact_virtual *out) {
    overlap_axis axis;
    candidate closest;
    if (!find_closest(pair, &axis, &closest)) return false;
    make_contact(pair, &axis, &closest, out);
    return true;
}

bool tact_touch_closest(const tact_virtual_pair *pair, tact_virtual_touch *out) {
    overlap_axis axis;
    candidate closest;
    if (!find_closest(pair, &axis, &closest)) return false;
    make_touch(pair, &axis, &closest, out);
    return true;
}

// Candidates of a pair: both lists, one of which is empty except in the layer where cores nearly touch. There D is the distance
// of the least candidate.
typedef struct {
    candidate near[FEATURE_NEAR], over[FEATURE_OVER];
    feature_list list[2];  // of these
    overlap_axis axis;
    const candidate *least;  // NULL: one list is empty
    tact_real most;          // upper bound of phi + bias for a candidate that counts
    bool sum;
} feature_choice;

// Lists the candidates of a pair: those of the reference edge if the cores overlap, those of all corners if they are apart, and
// both lists with blended weights in the layer between.
static void list_features(const tact_virtual_pair *pair, feature_choice *choice) {
    feature_list *apart = &choice->list[0], *over = &choice->list[1];
    // apart: nearest features of all corners; overlap: the reference edge and its ends
    int only = deciding_side(pair);
    feature_view view;
    *apart = (feature_list){.list = choice->near};
    *over = (feature_list){.list = choice->over};
    choice->least = NULL;
    choice->axis = view_pair(pair, only, &view);
    // a frozen axis keeps its reference edge
    if (pair->hold && pair->hold->axis) {
        choice->axis.side = 1 - pair->hold->side;
        choice->axis.edge = pair->hold->edge;
    }
    if (choice->axis.overlap) {
        list_reference(pair, &choice->axis, over);
        return;
    }
    list_near(pair, &view, apart);
    if (only >= 0 || apart->count == 0 || choice->sum) return;
    // in the layer where cores nearly touch both lists count; D is the distance of the cores
    const candidate *least = least_candidate(apart);
    tact_real D = least->phi + feature_radii(pair);
    if (D >= pair->options->temperature / FEATURE_BLEND) return;
    list_reference(pair, &choice->axis, over);
    // weights exp(-bias/T): lambda for the first list and 1 - lambda for the second, with the smoothstep lambda = t^2 (3 - 2 t)
    // of D
    tact_real T = pair->options->temperature, reach = T / FEATURE_BLEND, t = tact_clamp(D / reach, 0, 1);
    tact_real lambda = t * t * (3 - 2 * t), slope = 6 * t * (1 - t) / reach;
    // at the ends of the layer one list is empty
    if (lambda < TACT_EPS) apart->count = 0;
    if (1 - lambda < TACT_EPS) over->count = 0;
    if (apart->count != 0 && over->count != 0) {
        // bias = -T log(weight), and its derivative by D
        apart->bias = -T * tact_log(lambda);
        apart->slope = -T * slope / lambda;
        over->bias = -T * tact_log(1 - lambda);
        over->slope = T * slope / (1 - lambda);
    }
    if (apart->count > 0 && over->count > 0) choice->least = least;
}

static void choose_features(const tact_virtual_pair *pair, feature_choice *choice) {
    tact_real least = TACT_MAX;
    choice->sum = pair->options->manifold == TACT_MANIFOLD_SUM;
    list_features(pair, choice);
    // candidates whose weight is rounding beside the largest are omitted
    for (int l = 0; l < 2; l++)
        for (int i = 0; i < choice->list[l].count; i++)
            least = tact_min(least, choice->list[l].list[i].phi + choice->list[l].bias);
    // exp(-36) is rounding beside 1
    choice->most = least + 36 * pair->options->temperature;
}

static bool is_chosen(const feature_choice *choice, const feature_list *list, const candidate *c) {
    return choice->sum ? c->over == 0 : c->phi + list->bias <= choice->most;
}

int tact_virtual_features(const tact_virtual_pair *pair, tact_virtual *out) {
    feature_choice choice;
    tact_real rate[TACT_VIRTUAL_COLUMNS];
    int kept = 0;
    if (both_halfplanes(pair)) return 0;
    choose_features(pair, &choice);
    if (choice.least) {
        // derivatives of D: those of the contact at the least candidate
        tact_virtual at;
        make_contact(pair, &choice.axis, choice.least, &at);
        for (int k = 0; k < tact_virtual_columns(pair->options); k++) rate[k] = -at.dd[k];
        for (int s = 0; pair->options->sizes && s < 2; s++)
            for (int k = 0; k < pair->side[s].shape->nsize; k++)
                rate[pair->side[s].size + k] += pair->side[s].shape->radius_rate[k];
    }
    // both lists; in the layer each gets the bias of its weight
    for (int l = 0; l < 2; l++) {
        const feature_list *list = &choice.list[l];
        for (int i = 0; i < list->count; i++) {
            if (!is_chosen(&choice, list, &list->list[i])) continue;
            tact_virtual *to = &out[kept++];
            make_contact(pair, &choice.axis, &list->list[i], to);
            if (!choice.least) continue;
            to->weight += list->bias;
            for (int k = 0; k < tact_virtual_columns(pair->options); k++) to->dweight[k] += list->slope * rate[k];
            if (l == 1) to->feature += FEATURE_SECOND;
        }
    }
    return kept;
}

bool tact_touch_point(const tact_virtual_pair *pair, tact_virtual_touch *out) {
    int s = deciding_side(pair);
    if (s < 0 || pair->side[s].shape->count > 1 || both_halfplanes(pair)) return false;
    // a circle against any core: one candidate in closed form
    const tact_virtual_side *side = &pair->side[s], *other = &pair->side[1 - s];
    tact_vec2 at = tact_virtual_corner_at(side, 0, tact_planar_relative(other->pose, side->pose));
    tact_planar_nearest near = tact_planar_locate(other->shape, at);
    if (near.corner < 0)
        tact_touch_edge(pair, s, 0, near.edge, near.separation, out);
    else
        tact_touch_corners(pair, s == 0 ? 0 : near.corner, s == 0 ? near.corner : 0, out);
    return true;
}

int tact_touch_features(const tact_virtual_pair *pair, tact_virtual_touch *out) {
    feature_choice choice;
    tact_virtual_touch at = {.weight = 0};
    int kept = 0;
    if (both_halfplanes(pair)) return 0;
    // features along the axis of least penetration; the deepest determines the weights of the others
    choose_features(pair, &choice);
    if (choice.least) make_touch(pair, &choice.axis, choice.least, &at);
    for (int l = 0; l < 2; l++) {
        const feature_list *list = &choice.list[l];
        for (int i = 0; i < list->count; i++) {
            if (!is_chosen(&choice, list, &list->list[i])) continue;
            // weights decrease with the distance from the best feature, and so do their derivatives
            tact_virtual_touch *to = &out[kept++];
            make_touch(pair, &choice.axis, &list->list[i], to);
            to->weight += list->bias;
            for (int k = 0; k < 3 && choice.least; k++) to->dweight[k] += list->slope * at.dweight[k];
        }
    }
    return kept;
}
