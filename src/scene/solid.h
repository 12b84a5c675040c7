// SPDX-License-Identifier: MIT
// Closed triangle meshes as solids: what is open or crosses itself is refused; distances from the surface and winding numbers by
// a tree of boxes.
#ifndef TACT_SCENE_SOLID_H
#define TACT_SCENE_SOLID_H

#include "scene/mesh.h"

typedef struct {
    double low[3], high[3];  // box of the triangles
    double centre[3];        // mean of their centres by area
    double area[3];          // sum of their area vectors
    double radius;           // of a ball about the centre that holds the box
    int first, count;        // of tri, in a leaf; count 0:
    int child;               // the first of two children, one behind the other
} tact_solid_node;

// Starts as {0}; ends with tact_solid_free.
typedef struct {
    int npoint, ntriangle, nnode;
    double (*point)[3];      // (npoint) [m], no two at one place
    int (*triangle)[3];      // (ntriangle) with three different corners, in the order of the tree
    tact_solid_node *node;   // (nnode) the first is the root
    double low[3], high[3];  // of the points
    double volume;           // above 0
    bool turned;             // the faces looked inward, and were turned
} tact_solid;

// Takes the mesh times scale. False and one error where edges have not two faces that run through them in opposite directions
// (the edges are named), where an edge passes through a face, where there is no volume, or without memory.
bool tact_solid_make(tact_solid *solid, const tact_mesh *mesh, double scale, const char *name, tact_errors *errors);

// Distance of x from the surface; not more than bound (a distance of some surface point, or INFINITY).
double tact_solid_distance(const tact_solid *solid, const double x[3], double bound);

// How often the surface goes round x: 1 inside, 0 outside, with an error of a few hundredths.
double tact_solid_winding(const tact_solid *solid, const double x[3]);

void tact_solid_free(tact_solid *solid);

// For solid.c: the number of edges that pass through faces, and one of them; -1 without memory.
int tact_solid_crossings(const tact_solid *solid, int edge[2]);

// The tree, once points and triangles are there; false without memory.
bool tact_solid_grow(tact_solid *solid);

#endif
