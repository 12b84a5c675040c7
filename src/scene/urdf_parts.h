// SPDX-License-Identifier: MIT
// What the parts of the URDF reader share.
#ifndef TACT_SCENE_URDF_PARTS_H
#define TACT_SCENE_URDF_PARTS_H

#include "scene/build.h"
#include "scene/mesh_fit.h"

// Scopes of names.
enum {
    TACT_URDF_LINK,       // value: link
    TACT_URDF_JOINT,      // value: joint
    TACT_URDF_COLLISION,  // names of collision elements
    TACT_URDF_SHAPE,      // names given to shapes
};

typedef struct {
    int node;
    const char *name;  // lives as long as the draft, as all names here; NULL when it was refused
    int carrier;       // joint of which it is the child, -1 for the root
} tact_urdf_link;

typedef struct {
    int node;
    const char *name;
    tact_joint_type type;
    int parent, child;  // links, -1 when they were refused
    int leader;         // joint that it mimics, -1 without
} tact_urdf_joint;

typedef struct {
    tact_draft *draft;
    tact_xml xml;
    const char *file;
    tact_urdf_link *links;  // in the order of the file
    tact_urdf_joint *joints;
    int nlink, njoint;
    tact_name_table names;
    int *shared;      // (nodes) by the node of the first collision element of a name: how many have it
    int numbered;     // of the last name that was made unique by a number
    int mesh, nmesh;  // node of the first mesh passed over, and how many there are
    int nforeign;     // of these in a format that is not read
    tact_mesh_fits fits;
    int odd, nodd;   // the first link whose inertia no rigid body has, and how many there are
    char odds[200];  // names of the others
    int before;      // errors reported before this file
} tact_urdf;

// ---- values; what is wrong is reported, and then false is returned and nothing set ----

// A name of 1 to 255 bytes without control characters: a copy, or NULL.
const char *tact_urdf_name(tact_urdf *urdf, int node, const char *attribute);

// One number, or exactly three.
bool tact_urdf_double(const tact_urdf *urdf, int node, const char *attribute, double *value);
bool tact_urdf_doubles(const tact_urdf *urdf, int node, const char *attribute, double value[3]);

// The same of at most so large a magnitude.
bool tact_urdf_number(const tact_urdf *urdf, int node, const char *attribute, double most, tact_real *value);
bool tact_urdf_vector(const tact_urdf *urdf, int node, const char *attribute, double most, tact_real value[3]);

// The origin among an element's children; without one, or without one of its attributes, zeros.
bool tact_urdf_origin(const tact_urdf *urdf, int node, tact_draft_frame *frame);

// ' (did you mean "palm"?)' among the links or joints, nothing without a near one or in a robot of very many.
tact_hint tact_urdf_suggest(const tact_urdf *urdf, int scope, const char *name);

// Warns of children that are not listed and of a second one of those listed first. Both lists end with NULL. Names with a
// prefix are extensions and not warned of.
void tact_urdf_check_children(const tact_urdf *urdf, int node, const char *const *single, const char *const *others);

// Where later messages place what a node described; path: of the node when NULL.
tact_draft_mark tact_urdf_mark(const tact_urdf *urdf, int node, const char *path);

// base with suffix, changed by a number when a name of this scope is alike, added to the scope. NULL without memory.
const char *tact_urdf_unique(tact_urdf *urdf, int scope, const char *base, const char *suffix);

// ---- elements ----

// Mass, centre of mass and inertia of a link, if it has them.
void tact_urdf_read_inertial(const tact_urdf *urdf, int link, tact_draft_body *body);

// The shapes of a link; body: NULL for the world.
void tact_urdf_read_shapes(tact_urdf *urdf, int link, const char *body);

// The meshes of its visual elements, those that lie in the package; what is wrong with the others is not told.
void tact_urdf_read_meshes(tact_urdf *urdf, int link, const char *body);

// The mesh element of a link's collision as the shape that the draft's fits ask for, in the frame that the shape has. False where
// they ask for none, or after refusing. *told: nothing more is to be said of the mesh.
bool tact_urdf_fit_mesh(tact_urdf *urdf, int node, int link, tact_draft_shape *shape, bool *told);

// Mass and inertia of a link without <inertial> from its shapes, which begin at from, where the draft's fits have a density.
void tact_urdf_weigh(tact_urdf *urdf, int link, int body, int from);

// Counts the names of collision elements, so that shapes can tell which of them are unique. False without memory.
bool tact_urdf_count_collisions(tact_urdf *urdf);

// One warning for all meshes.
void tact_urdf_warn_meshes(const tact_urdf *urdf);

// Type, links and leader of a joint.
void tact_urdf_connect_joint(tact_urdf *urdf, int joint);

// Appends the body of a joint's child and, for some planar joints, one in between. NULL without memory.
tact_draft_body *tact_urdf_add_body(tact_urdf *urdf, int joint);

// One root, no cycle among the links and none among the joints that mimic.
void tact_urdf_check_tree(const tact_urdf *urdf);

// ---- numbers ----

// The roll, pitch and yaw of a rotation; the way back is tact_scene_pose.
void tact_urdf_angles(tact_mat3 R, tact_real rpy[3]);

// Ascending eigenvalues of a symmetric matrix xx, yy, zz, xy, xz, yz.
void tact_urdf_eigenvalues(const tact_real inertia[6], double eigenvalues[3]);

#endif
