// SPDX-License-Identifier: MIT
// Contacts of a sphere or capsule with another shape: gap, points, frame and Jacobian.
#ifndef TACT_CONTACT_H
#define TACT_CONTACT_H

#include "tact/geom.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// One contact. Geometry is at the start of the step; forces are averages over the step.
typedef struct {
    int pair;             // of the model
    int width;            // number of columns of J: those of the pair, model->column
    tact_real *J;         // (3, width) Jacobian of the velocity of b relative to a, in the frame; columns in the solver's order
    tact_real gap;        // signed distance [m]
    tact_vec3 point_a;    // nearest material point of a, world [m]
    tact_vec3 point_b;    // of b
    tact_vec3 point;      // the one of these on the surface of the sphere; with two spheres, a's
    tact_mat3 frame;      // rows normal (from a to b), tangent, tangent, world
    bool joined;          // point_a and point_b are their midpoint: see tact_contacts_join
    bool degenerate;      // the normal was chosen by rule: see tact_shape_distance
    bool flat;            // gap and normal are those of the plane of a face: see tact_contacts_choose_faces
    tact_real lambda[3];  // force on b along the frame's rows [N]
    tact_vec3 force;      // on b, world [N]
} tact_contact;

// Scratch of the contact detection, and the contacts found.
typedef struct {
    tact_pose *shape;       // (nshape) poses in the world; for spheres only the centre
    tact_real *sweep;       // (nshape) bound on the displacement of each in the step [m]
    tact_real *bound;       // (nshape) tact_contact_bound of each; NULL if there are few pairs
    int *slot;              // (nv) column of J for each place in the order of elimination, within one contact
    tact_contact *contact;  // (npair) the first count are in use, by pair
    tact_real *J;           // their Jacobians
    int count;              //
    tact_real *reach;  // (nshape) distance around each shape within which pairs were searched for [m]; NULL: pairs are listed
    bool short_of;     // a later detection needed larger distances and has raised reach
} tact_contacts;

// Places room for all pairs of a prepared model in the arena, which must outlive contacts; count becomes 0.
void tact_contacts_place(tact_contacts *contacts, const tact_model *model, tact_arena *arena);

// Computes the poses of all shapes in the world from the kinematics; for spheres and circles the centres only.
void tact_contacts_locate(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics);

// Finds the pairs with a gap below margin [m], in the order of the pairs, and fills all members of their contacts except the
// forces. free_step (nv, in the solver's order) is the free displacement of each dof, -p_i / P_ii, or NULL; the margin of a pair
// is increased by the distance that it moves the two shapes.
void tact_contacts_detect(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics, tact_real margin,
                          const tact_real *free_step);

// Replaces point_a and point_b by their midpoint, and J accordingly. Force and reaction then have the same line of action also
// across a gap, and angular momentum is conserved.
void tact_contacts_join(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics);

// Contacts of a sharp corner or edge of a box or hull at the rim of another take the normal and the gap of a face that separates
// the two, see contact/rims.c. velocity (nv), dt: how they move without contact forces. For laws whose contacts touch; before
// tact_contacts_join.
void tact_contacts_choose_faces(tact_contacts *contacts, const tact_model *model, const tact_real *velocity, tact_real dt);

// The distance of such a contact's point from the plane of the face at other coordinates [m].
tact_real tact_contact_plane_gap(const tact_contacts *contacts, const tact_model *model, const tact_contact *contact,
                                 const tact_kinematics *kinematics);

// Radius [m] of a ball about the shape's origin that contains the shape, with an allowance for rounding when the origin is at p;
// TACT_MAX for unbounded shapes.
tact_real tact_contact_bound(const tact_shape *shape, tact_vec3 p);

// Whether two shapes with origins a and b (world), whose tact_contact_bound sum to bounds [m], surely have a gap above reach [m].
// False if they may not, also for unbounded shapes.
bool tact_contact_apart(tact_vec3 a, tact_vec3 b, tact_real bounds, tact_real reach);

// The gap [m] of one pair at the configuration of kinematics. The kinematics of a step's work are at the start of the step until
// they are updated.
tact_real tact_contact_gap(const tact_model *model, const tact_kinematics *kinematics, int pair);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
