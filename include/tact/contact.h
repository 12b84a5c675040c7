// SPDX-License-Identifier: MIT
// Contacts: a sphere near a shape, seen from both bodies.
#ifndef TACT_CONTACT_H
#define TACT_CONTACT_H

#include "tact/geom.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// One contact, at the configuration where the step began; forces are averages over the step.
typedef struct {
    int pair;             // of the model
    int width;            // number of columns of J: those of the pair, model->column
    tact_real *J;         // (3, width) velocity of b relative to a in the frame, per dof: columns in the solver's order
    tact_real gap;        // signed distance [m]
    tact_vec3 point_a;    // nearest material point of a, world [m]
    tact_vec3 point_b;    // of b
    tact_vec3 point;      // the one on the sphere's surface; of two spheres, a's
    tact_mat3 frame;      // rows normal (from a to b), tangent, tangent, world
    bool joined;          // point_a and point_b are their middle: see tact_contacts_join
    bool degenerate;      // the normal was chosen by rule: see tact_shape_distance
    tact_real lambda[3];  // force on b along the frame's rows [N]
    tact_vec3 force;      // on b, world [N]
} tact_contact;

// Scratch of the detection, and the contacts found.
typedef struct {
    tact_pose *shape;       // (nshape) in the world; of spheres the centre only
    tact_real *sweep;       // (nshape) how far each may go in the step [m]
    tact_real *bound;       // (nshape) tact_contact_bound of each; NULL: pairs are few
    int *slot;              // (nv) column of J for a place, within one contact
    tact_contact *contact;  // (npair) the first count are in use, by pair
    tact_real *J;           // their Jacobians
    int count;              //
    tact_real *reach;       // (nshape) how far around each shape pairs were searched for [m]; NULL: they are listed
    bool short_of;          // a detection since then would have needed more, and has raised these
} tact_contacts;

void tact_contacts_place(tact_contacts *contacts, const tact_model *model, tact_arena *arena);

// Poses of all shapes in the world; of balls their centres.
void tact_contacts_locate(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics);

// Finds the pairs with a gap below margin, in the order of the pairs, and fills all but the forces. free_step (nv, in the
// solver's order), or NULL: free displacement of each dof, -p_i / P_ii; a pair's margin widens by how far that moves its two
// shapes.
void tact_contacts_detect(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics, tact_real margin,
                          const tact_real *free_step);

// Takes the middle of point_a and point_b for both bodies, J included, so that a force on one and its reaction on the other share
// a line also across a gap, and angular momentum stays.
void tact_contacts_join(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics);

// Radius of a ball about the shape's origin that holds it, and what rounding may add where the origin is at p; TACT_MAX for
// shapes without one. Two shapes whose origins are farther apart than reach and both bounds together have a gap of at least
// reach.
tact_real tact_contact_bound(const tact_shape *shape, tact_vec3 p);
bool tact_contact_apart(tact_vec3 a, tact_vec3 b, tact_real bounds, tact_real reach);

// The gap of one pair where the kinematics are: those of a step's work are where it began, until they are updated to its end.
tact_real tact_contact_gap(const tact_model *model, const tact_kinematics *kinematics, int pair);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
