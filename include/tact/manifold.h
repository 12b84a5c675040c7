// SPDX-License-Identifier: MIT
// Virtual contacts between two planar shapes: where psi_1(x) + psi_2(x) + k (psi_1 - psi_2)^2 is least, and how that moves.
//
//   n = (g_1 - g_2)/|g_1 - g_2|   outward from the first shape, g_i = gradient of psi_i;  t = E n
//   d = -(psi_1 + psi_2)          signed penetration, > 0 when they overlap
//
// Between exact distances x is the midpoint of the closest, or deepest, pair of surface points: closed forms. Smooth unions
// need Newton's method; there the other shape's corners against the smooth distance count as well, and they alone where the least
// lies on a ridge of a distance and is not deeper: that is not a smooth minimum, and its slopes are taken for those of one. One
// contact does not hold a flat face, so a pair has several, each with a weight; the weights sum to 1.
#ifndef TACT_MANIFOLD_H
#define TACT_MANIFOLD_H

#include "tact/contact.h"
#include "tact/planar.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Columns of the derivatives: q_1 = (x, y, angle) of the first body, q_2, sizes of the first shape, sizes of the second
// (tact_planar_shape.size says which). At body b's angle the origin of the body, p, is the centre of turning.
enum {
    TACT_VIRTUAL_Q1 = 0,
    TACT_VIRTUAL_Q2 = 3,
    TACT_VIRTUAL_SIZE1 = 6,
    TACT_VIRTUAL_SIZE2 = 6 + TACT_PLANAR_SIZES,
    TACT_VIRTUAL_COLUMNS = 6 + 2 * TACT_PLANAR_SIZES,
};

typedef struct {
    tact_vec2 x;                         // where the forces act, plane's axes [m]
    tact_vec2 n;                         // unit, from the first to the second
    tact_real d;                         // penetration [m]
    tact_real weight;                    // share of the pair's stiffness
    int feature;                         // which corner, member or particle it belongs to: the same one from step to step
    tact_vec2 dx[TACT_VIRTUAL_COLUMNS];  // by column; sizes only when options.sizes
    tact_vec2 dn[TACT_VIRTUAL_COLUMNS];
    tact_real dd[TACT_VIRTUAL_COLUMNS];
    tact_real dweight[TACT_VIRTUAL_COLUMNS];
} tact_virtual;

typedef enum {
    // Each core's corners against the other shape and the closest pair, weights ~ exp(d/T). Without damping and friction a motion
    // gains kn times the integral of sum_i G(d_i) dw_i over it, G' = g: the forces have no potential. None that pushes only
    // and makes a flat face as stiff as one corner has one but the closest pair: from dU = sum_i c_i dd_i, c_i >= 0, and
    // U(d, d) = U(d, -infinity) follows that U does not change with the lesser depth. SUM has one: that of its springs.
    TACT_MANIFOLD_FEATURES,
    TACT_MANIFOLD_CLOSEST,  // the closest (deepest) pair only, weight 1; in a step the pair that is closest where it begins
    TACT_MANIFOLD_SUM,      // corners as above, each with weight 1: the stiffness grows with their number
    TACT_MANIFOLD_STEIN,    // particles by Stein variational descent, equal weights, their places taken as constant; a step finds
                            // them where it begins, with the edges and corners that are nearest to them, and holds both
    TACT_MANIFOLD_DESCENT,  // the same without repulsion: most converge to one point; for comparison
} tact_manifold;

typedef struct {
    tact_manifold manifold;
    tact_real temperature;  // T of the weights or of the particles [m], > 0
    tact_real k;            // [1/m], >= 0: how strongly psi_1 = psi_2 is asked for
    bool freeze;            // the published shortcut: x does not move with q (dx = 0), n rotates as at a fixed point
    bool sizes;             // fill the size columns, too
    int particles;          // of Stein, 1 to TACT_STEIN_MAX
    int stein_steps;        // descent steps of Stein
    uint64_t seed;          // of the particles' start
} tact_virtual_options;

#define TACT_STEIN_MAX 64

// Whether contacts are particles.
static inline bool tact_manifold_scatters(tact_manifold manifold) {
    return manifold == TACT_MANIFOLD_STEIN || manifold == TACT_MANIFOLD_DESCENT;
}

// FEATURES, T = 0.01 m, k = 1/m, not frozen, without sizes; 20 particles, 500 steps, seed 1.
tact_virtual_options tact_virtual_options_default(void);

// The first of "manifold", "temperature", "k" (both at most TACT_MOST_LENGTH), "particles", "stein_steps" (0 to 1000000) that is
// outside its range. The functions below take options as they are.
tact_fault tact_virtual_options_check(const tact_virtual_options *options);

// The maximum number of contacts of a pair of shapes.
int tact_virtual_most(const tact_planar_shape *a, const tact_planar_shape *b, const tact_virtual_options *options);

// Computes the contacts of two shapes at the poses of their bodies; returns their number, at most tact_virtual_most. Contacts
// whose weight is negligible to rounding are left out. Two half-planes have none.
int tact_virtual_find(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                      const tact_virtual_options *options, tact_virtual *out);

// Newton's method for the definition above, from x. Any two shapes. status: TACT_CONVERGED, or TACT_ITERATION_LIMIT.
tact_status tact_virtual_newton(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                                const tact_virtual_options *options, tact_virtual *inout);

// Particles of Stein variational gradient descent for exp(-phi/T), phi = psi_1 + psi_2 + k (psi_1 - psi_2)^2:
//   x_i += (eta/N) sum_j [ -k_ij grad phi(x_j)/T + k_ij (x_i - x_j)/h^2 ],  k_ij = exp(-|x_i - x_j|^2/(2 h^2))
// with h^2 the median of |x_i - x_j|^2 over 2 ln(N + 1). repel false: plain descent, for comparison.
void tact_stein_descend(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                        const tact_virtual_options *options, bool repel, tact_vec2 *x);

// All shapes of a model in its plane, the pairs that are near, for one thread.
typedef struct {
    const tact_model *model;
    tact_plane plane;
    tact_planar_shape *shape;          // (nshape)
    tact_planar_corner *corner;        // of all shapes
    const tact_planar_shape **member;  // of all unions
    tact_pose *rest;                   // (nbody) poses with all joint coordinates at 0
    tact_planar_pose *pose;            // (nbody) set by tact_planar_update or by the caller
    tact_vec2 *low, *high;             // (nshape) bounds of the shapes
    int *order;                        // (nshape) shapes by low.x
    int *partner, *partner_pair;       // (2 npair) per shape the shapes it may touch, ascending, and the pair ...
    int *partner_start;                // ... (nshape + 1) where each begins
    uint64_t *mark;                    // (npair) bits
    int *near;                         // (npair) pairs that the last search found, ascending
    int nnear;
} tact_planar;

// Takes memory for a model that passes tact_plane_check; the arena measures or places.
void tact_planar_place(tact_planar *planar, const tact_model *model, tact_arena *arena);

// Fills in what does not change. Call again after the sizes of the model's shapes were changed.
void tact_planar_prepare(tact_planar *planar);

// Poses of the bodies from the kinematics.
void tact_planar_update(tact_planar *planar, const tact_kinematics *kinematics);

// The pose of a body; the world's is the identity.
tact_planar_pose tact_planar_pose_of(const tact_planar *planar, int body);

// Finds the pairs whose shapes may be closer than margin (less by a factor of at most sqrt 2) by a sweep along x: planar->near,
// ascending, the same for every history. slack (nbody): how far the points of each body may still go [m]; NULL: they stay.
void tact_planar_search(tact_planar *planar, tact_real margin, const tact_real *slack);

// Whether a pair's shapes are farther apart than margin by the circles about them, or a circle and a half-plane. False decides
// nothing.
bool tact_planar_apart(const tact_planar *planar, int pair, tact_real margin);

// The contacts of a pair of the model; the first shape is pair->a.
int tact_planar_contacts(const tact_planar *planar, int pair, const tact_virtual_options *options, tact_virtual *out);

// The most contacts of one pair of the model: room for out.
int tact_planar_most(const tact_planar *planar, const tact_virtual_options *options);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
