// SPDX-License-Identifier: MIT
// Meshes of triangles: read from STL, OBJ, PLY and COLLADA files, as closed solids, as the signed distance on a grid, and in the
// smallest shape round them. Hosted.
#ifndef TACT_MESH_H
#define TACT_MESH_H

#include <stdbool.h>

#include "tact/errors.h"
#include "tact/geom.h"
#include "tact/model.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// Triangle meshes, read from STL (binary or text), OBJ, PLY (likewise) and COLLADA files.

// The largest file [bytes].
#define TACT_MESH_LIMIT (64 << 20)

typedef struct {
    float x[3];  // in the file's own unit
} tact_mesh_point;

typedef struct {
    int corner[3];  // points
} tact_mesh_triangle;

// Starts as {0}; ends with tact_mesh_free.
typedef struct {
    int npoint, ntriangle;
    tact_mesh_point *point;        // (npoint), finite
    tact_mesh_triangle *triangle;  // (ntriangle)
    int point_room, triangle_room;
} tact_mesh;

// The whole file, ended by NUL. False and one error when it is not such a file, holds no triangle, is cut off, holds a number
// that is not finite or too large, or when memory is out; then the mesh is empty.
bool tact_mesh_read(tact_mesh *mesh, tact_source source, tact_errors *errors);

// Frees points and triangles; the mesh is then empty.
void tact_mesh_free(tact_mesh *mesh);

// Where a mesh that a robot names lies on the disk. Files are opened only below the root of a package: see scene/mesh_path.h;
// symbolic links are followed first, and must not lead out of it.

// The path without links, in memory of malloc; NULL and why where there is no such file. file: as it is written; robot: the path
// of the file that names it; packages: the folder of the packages of package://, or NULL.
char *tact_mesh_file(const char *file, const char *robot, const char *packages, tact_reason *why);

// Closed triangle meshes as solids: what is open or crosses itself is refused; distances from the surface and winding numbers by
// a tree of boxes.

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

// Takes the mesh times scale, one for each axis. False and one error where edges have not two faces that run through them in
// opposite directions (the edges are named), where an edge passes through a face, where there is no volume, or without memory.
bool tact_solid_make(tact_solid *solid, const tact_mesh *mesh, const double scale[3], const char *name, tact_errors *errors);

// Distance of x from the surface; not more than bound (a distance of some surface point, or INFINITY).
double tact_solid_distance(const tact_solid *solid, const double x[3], double bound);

// How often the surface goes round x: 1 inside, 0 outside, with an error of a few hundredths.
double tact_solid_winding(const tact_solid *solid, const double x[3]);

// Frees points, triangles and tree; the solid is then empty.
void tact_solid_free(tact_solid *solid);

// The signed distance of a closed mesh as the coefficients of a cubic B-spline.

// Starts as {0}; ends with tact_sdf_free.
typedef struct {
    int count[3];
    double low[3], step;  // [m]
    double *value;        // (count) coefficients [m], z fastest
    double unit;          // of fine [m]
    int16_t *fine;        // (count) the same as whole numbers
} tact_sdf;

// Told the share that is done, 0 to 1; false: stop.
typedef bool tact_sdf_tick(void *context, double share);

// count: coefficients along the longest side, TACT_GRID_LEAST to TACT_GRID_MOST; the box is two steps wider than the solid on
// each side. False and one error where the surface goes round a place more than once, or without memory; false alone when
// stopped.
bool tact_sdf_make(tact_sdf *sdf, const tact_solid *solid, int count, const char *name, tact_sdf_tick *tick, void *context,
                   tact_errors *errors);

// Frees the coefficients; the distance is then empty.
void tact_sdf_free(tact_sdf *sdf);

// The grid of a scene that has them: its coefficients, put into value, or with value NULL the 16-bit ones where they are.
tact_grid tact_sdf_grid(const tact_sdf *sdf, tact_real *value);

// How far the corners of the triangles, the middles of their edges and their own are off a grid's surface: median, 95 % and most
// [m]; false without memory.
bool tact_grid_measure(const tact_grid *grid, const tact_solid *solid, double off[3]);

// Appends a grid's array as a .npy file.
void tact_grid_add_array(tact_text *out, const tact_grid *grid);

// The smallest sphere, capsule or box round points, and what shapes weigh.

typedef struct {
    double x[3];
} tact_fit_point;

typedef struct {
    tact_shape_type type;
    double center[3];
    double R[3][3];    // its axes are the columns; a capsule lies along the third
    double size[3];    // as in tact_shape: half lengths
    double inside;     // the greatest depth of a point below the surface [m]; no point is outside but by rounding
    double deviation;  // the greatest distance of the surface from the triangles, over some hundred places [m]
} tact_shape_fit;

// Fits a shape of the type (sphere, capsule, box) to n > 0 points, the same for the same points. A capsule of no length comes as
// a sphere. False without memory; sizes may be 0 where the points lie in a plane or a line.
//   sphere: the smallest (Welzl 1991), its radius to rounding
//   capsule: over its directions the one of least volume, found by a pattern search from several starts; for a direction the
//   smallest circle round the projected points, and the shortest segment for that radius
//   box: likewise, and for a direction the smallest rectangle, one side of which lies on the projected hull (Freeman and Shapira
//   1975)
bool tact_fit_points(tact_shape_type type, const tact_fit_point *point, int n, tact_shape_fit *fit);

// Direction k of n that are spread evenly: a spherical Fibonacci lattice.
void tact_fit_direction(int k, int n, double d[3]);

// Fills in the deviation; corner: three points a triangle.
void tact_fit_measure(tact_shape_fit *fit, const tact_fit_point *point, const int (*corner)[3], int ntriangle);

// Volume [m^3] and, over the mass, moments of inertia about the centre along the shape's own axes [m^2] of a sphere, capsule,
// cylinder, ellipsoid or box; false for other shapes.
bool tact_shape_volume(tact_shape_type type, const tact_real *size, double *volume, double moment[3]);

// The radius of a ball about the shape's place that holds it, the smallest one but for a grid [m]; infinite of a half-space. Of a
// union how far it goes beyond its members at most.
double tact_shape_radius(const tact_shape *shape);

// Volume [m^3] and centre of a hull, and over the mass its inertia about that, xx, yy, zz, xy, xz, yz [m^2].
void tact_hull_weigh(const tact_hull *hull, double *volume, double com[3], double moment[6]);

// The same of a closed mesh.
void tact_solid_weigh(const tact_solid *solid, double *volume, double com[3], double moment[6]);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
