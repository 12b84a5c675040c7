// SPDX-License-Identifier: MIT
// Candidate virtual contacts of two shapes that are not unions: weight and dweight hold the cost phi [m], from which the
// weights are computed, and its derivative.
#ifndef TACT_CONTACT_VIRTUAL_PAIR_H
#define TACT_CONTACT_VIRTUAL_PAIR_H

#include "tact/manifold.h"

#include "geom/planar_core.h"
#include "math/elementary.h"

// Features of a pair's contacts that are frozen while a step is solved, so that its equations are smooth: as found at the
// beginning of the step for
//   CLOSEST         which of the candidates is the closest
//   STEIN, DESCENT  where the particles are in the plane, and which parts of the shapes are nearest to them
// and as found where Newton's method stalls for
//   FEATURES, SUM   the reference edge of cores that overlap, and the edges of the other core that its ends are against: where
//                   one takes the place of another the forces jump
typedef struct {
    bool found;              // the rest is set
    int part[2];             // members of the shapes; -1: no contact
    int feature;             // with a smooth union: number of the contact; else -1
    bool axis;               // the edge is frozen, and those against its ends
    int end[2];              // these; -1: none
    bool overlap;            // the corner of this side against the edge of the other that separates the cores most ...
    int side, corner, edge;  // ... or else against the other core
    int count;               // particles
    tact_vec2 *x;            // (count)
    tact_planar_part *near;  // (count, 2)
} tact_virtual_hold;

// Whether the contacts of a manifold have features that are frozen in every step.
static inline bool tact_virtual_holds(tact_manifold manifold) {
    return manifold == TACT_MANIFOLD_CLOSEST || tact_manifold_scatters(manifold);
}

// One of the two shapes with its pose.
typedef struct {
    const tact_planar_shape *shape;
    tact_planar_pose pose;
    int q, size;  // its first columns
} tact_virtual_side;

typedef struct {
    tact_virtual_side side[2];
    tact_planar_pose across[2];  // of each side's body in the axes of the other's
    const tact_virtual_options *options;
    const tact_virtual_hold *hold;  // NULL: nothing
} tact_virtual_pair;

// A pose relative to another one.
static inline tact_planar_pose tact_planar_relative(tact_planar_pose axes, tact_planar_pose pose) {
    tact_planar_pose relative = {tact_planar_unrotate(axes, tact_vec2_sub(pose.p, axes.p)),
                                 tact_planar_unrotate(axes, pose.turn)};
    return relative;
}

// The two sides, and their relative poses, which all but tact_touch_point need.
static inline void tact_virtual_pair_begin(tact_virtual_pair *pair, const tact_planar_shape *a, const tact_planar_shape *b,
                                           const tact_planar_pose pose[2], const tact_virtual_options *options) {
    pair->side[0] = (tact_virtual_side){a, pose[0], TACT_VIRTUAL_Q1, TACT_VIRTUAL_SIZE1};
    pair->side[1] = (tact_virtual_side){b, pose[1], TACT_VIRTUAL_Q2, TACT_VIRTUAL_SIZE2};
    pair->options = options;
    pair->hold = NULL;
}

static inline void tact_virtual_pair_relate(tact_virtual_pair *pair) {
    for (int s = 0; s < 2; s++) pair->across[s] = tact_planar_relative(pair->side[1 - s].pose, pair->side[s].pose);
}

static inline tact_virtual_pair tact_virtual_pair_make(const tact_planar_shape *a, const tact_planar_shape *b,
                                                       const tact_planar_pose pose[2], const tact_virtual_options *options) {
    tact_virtual_pair pair;
    tact_virtual_pair_begin(&pair, a, b, pose, options);
    tact_virtual_pair_relate(&pair);
    return pair;
}

// Number of columns that are filled.
static inline int tact_virtual_columns(const tact_virtual_options *options) {
    return options->sizes ? (int)TACT_VIRTUAL_COLUMNS : (int)TACT_VIRTUAL_SIZE1;
}

// A corner in axes in which its side's body is at a pose; in the plane's, and in those of the other side's body.
static inline tact_vec2 tact_virtual_corner_at(const tact_virtual_side *side, int i, tact_planar_pose pose) {
    return tact_vec2_add(pose.p, tact_planar_rotate(pose, side->shape->corner[i].point));
}

static inline tact_vec2 tact_virtual_corner(const tact_virtual_side *side, int i) {
    return tact_virtual_corner_at(side, i, side->pose);
}

static inline tact_vec2 tact_virtual_across(const tact_virtual_pair *pair, int s, int i) {
    return tact_virtual_corner_at(&pair->side[s], i, pair->across[s]);
}

static inline tact_vec2 tact_virtual_normal(const tact_virtual_side *side, int i) {
    return tact_planar_rotate(side->pose, side->shape->corner[i].normal);
}

// A point of the plane in the axes of a side's body.
static inline tact_vec2 tact_virtual_inner(const tact_virtual_side *side, tact_vec2 x) {
    return tact_planar_unrotate(side->pose, tact_vec2_sub(x, side->pose.p));
}

// Parts of a shape that are treated one by one: members of a union, but not of a smooth one.
static inline int tact_virtual_parts(const tact_planar_shape *shape) {
    return shape->kind == TACT_PLANAR_UNION ? shape->count : 1;
}

static inline const tact_planar_shape *tact_virtual_part(const tact_planar_shape *shape, int i) {
    return shape->kind == TACT_PLANAR_UNION ? shape->member[i] : shape;
}

// Corner i of the first against corner j of the second.
void tact_virtual_corners(const tact_virtual_pair *pair, int i, int j, tact_virtual *out);

// Corner i of side s against edge j of the other side (0 of a half-plane).
void tact_virtual_edge(const tact_virtual_pair *pair, int s, int i, int j, tact_virtual *out);

// Corner i of side s against the whole distance of the other side, a smooth union.
void tact_virtual_project(const tact_virtual_pair *pair, int s, int i, tact_virtual *out);

// Which candidate is the closest (deepest) of two shapes that are not unions, with its cost phi; false for two half-planes.
bool tact_virtual_choose_candidate(const tact_virtual_pair *pair, tact_virtual_hold *hold, tact_real *phi);

// The edge of largest separation of two cores, and those against its ends; false where they do not count.
bool tact_virtual_choose_axis(const tact_virtual_pair *pair, tact_virtual_hold *hold);

// Features of a pair to freeze in a step that begins at these poses. x and near have room for options->particles, list
// (scratch) for tact_virtual_most.
void tact_virtual_choose(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                         const tact_virtual_options *options, tact_virtual_hold *hold, tact_virtual *list);

// As tact_virtual_find, with frozen features; NULL: none.
int tact_virtual_find_held(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                           const tact_virtual_options *options, const tact_virtual_hold *hold, tact_virtual *out);

// The closest (deepest) pair of points, or that of the frozen candidate. False for two half-planes.
bool tact_virtual_closest(const tact_virtual_pair *pair, tact_virtual *out);

// Contact at a point that is fixed with respect to bodies and sizes; part: parts of both shapes that count there; NULL: the
// nearest.
void tact_virtual_particle(const tact_virtual_pair *pair, tact_vec2 x, const tact_planar_part *part, tact_virtual *out);

// Gradient of phi = psi_1 + psi_2 + k (psi_1 - psi_2)^2.
tact_vec2 tact_virtual_slope(const tact_virtual_pair *pair, tact_vec2 x);

// Candidates of the options' manifold; returns their number.
int tact_virtual_features(const tact_virtual_pair *pair, tact_virtual *out);

#endif
