// SPDX-License-Identifier: MIT
// What a picture needs of a scene, read from the first line of a trace: the tree, the shapes, and where they are.
#ifndef TACT_VIEW_PICTURE_H
#define TACT_VIEW_PICTURE_H

#include "tact/json.h"
#include "tact/model.h"

typedef enum {
    TACT_FIGURE_NONE,  // what is not drawn: a union is drawn by its members
    TACT_FIGURE_BALL,
    TACT_FIGURE_PLANE,
    TACT_FIGURE_CAPSULE,
    TACT_FIGURE_BOX,
    TACT_FIGURE_CYLINDER,
    TACT_FIGURE_ELLIPSOID,
    TACT_FIGURE_RECTANGLE,
    TACT_FIGURE_POLYGON,
    TACT_FIGURE_HALFPLANE,
    TACT_FIGURE_HULL,
} tact_figure;

typedef struct {
    tact_real x, y;
} tact_picture_point;

typedef struct {
    int body;  // TACT_WORLD
    tact_figure figure;
    tact_pose place;            // in the body
    tact_real size[4];          // as tact_shape
    int npoint;                 // of a polygon
    tact_picture_point *point;  // (npoint)
    int nface;                  // of a hull
    int *face;                  // (nface) how many corners each has
    tact_vec3 *corner;          // of all faces, one behind the other, counter-clockwise from outside
} tact_picture_shape;

// Two places on one body between which a limb is drawn as a capsule.
typedef struct {
    int body;
    tact_vec3 a, b;  // in the body
    tact_real radius;
} tact_limb;

// Ends with tact_picture_free.
typedef struct {
    tact_model model;  // the bodies only; without shapes, pairs and drives
    tact_kinematics kinematics;
    tact_dynamics dynamics;
    tact_real *mass;  // (nv, nv) scratch
    tact_vec3 gravity;
    tact_real margin;  // within which contacts are listed [m]
    int nshape, nlimb;
    tact_picture_shape *shape;  // (nshape)
    tact_limb *limb;            // (nlimb)
    bool *robot;                // (nbody) part of a tree of several bodies
    bool planar;                // all motion is in one plane
    tact_vec3 normal;           // of that plane
    const char *name;           // belongs to json
    void *memory, *derived;
} tact_picture;

// json: the first line of a trace. False when it is refused or memory is out: json->errors says so.
bool tact_picture_read(tact_picture *picture, const tact_json *json);
void tact_picture_free(tact_picture *picture);

// Moves the bodies to q (nq).
void tact_picture_move(tact_picture *picture, const tact_real *q);

// After tact_picture_move: energies of motion and of weight [J]. They are 0 for a trace that does not hold masses.
void tact_picture_energy(tact_picture *picture, const tact_real *v, double *kinetic, double *potential);

// The pose of something placed on a body.
tact_pose tact_picture_pose(const tact_picture *picture, int body, tact_pose place);

#endif
