// SPDX-License-Identifier: MIT
// Bodies, shapes and drives of a scene or a robot as they are described, before they become a model. Hosted.
#ifndef TACT_DRAFT_H
#define TACT_DRAFT_H

#include "tact/json.h"
#include "tact/model.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_LOOP_STIFFNESS 1e6  // of loops that do not say theirs [N/m]

// Where a thing was given, so that what is found later can name the place.
typedef struct {
    const tact_json *json;  // the document, NULL when it is not JSON
    int node;               // the object in it that describes the thing
    tact_place place;       // without json; its strings live as long as the draft
} tact_draft_mark;

// A frame as URDF writes it: R = Rz(yaw) Ry(pitch) Rx(roll).
typedef struct {
    tact_real xyz[3];  // [m]
    tact_real rpy[3];  // [rad]
} tact_draft_frame;

// A body and its joint. All zero but for mark and names is a body fixed at its parent's origin.
typedef struct {
    const char *name;        // unique among the bodies; not "world"
    const char *parent;      // name of a body; NULL: the world, or the base when it belongs to a robot
    const char *joint;       // name of the joint, unique among the joints; NULL: that of the body
    tact_joint_type type;    //
    tact_draft_frame frame;  // of the joint, in the parent
    tact_vec3 axis;          // unit, in the joint frame (revolute, continuous, prismatic)
    tact_real lower, upper;  // of the joint's own coordinate (revolute, prismatic)
    const char *mimic;       // name of the joint that it follows; NULL: none
    tact_real ratio;         // own coordinate = ratio x leader's + offset
    tact_real offset;        // [rad or m]
    tact_real mass;          // [kg]
    tact_vec3 com;           // in the body frame [m]
    tact_real inertia[6];    // xx, yy, zz, xy, xz, yz about the com, body axes [kg m^2]
    tact_real armature;      // of the joint's motor, as in tact_body
    double effort;           // that a robot description allows the joint [N or N m], 0: not given; no model has it
    bool limited;            // lower and upper hold; without it there are no limits
    bool weighed;            // mass was given
    bool as_given;           // that no rigid body has its inertia was told
    bool inertial;           // inertia was given; then it must be positive definite where the body can turn
    bool misread;            // mass or inertia was given and refused: what it should have been is not known
    int robot;               // which of the scene's robots, -1: the scene's own; set by the loader
    tact_draft_mark mark;
} tact_draft_body;

typedef struct {
    const char *name;        // unique among the shapes
    const char *body;        // name of a body; NULL: the world, or the robot's base
    tact_shape_type type;    //
    tact_draft_frame frame;  // in the body
    tact_real size[4];       // as in tact_shape: half lengths
    tact_vec3 normal;        // of a plane or half-plane, unit, in the frame
    tact_real offset;        // of a plane or half-plane, along its normal [m]
    int count;               // points of a polygon, members of a union
    const tact_vec2 *point;  // (count) of a polygon, times size[0]
    const tact_hull *hull;   // of a hull, in the draft's memory
    const tact_grid *grid;   // of a grid, likewise
    const char *file;        // of a grid: as it is written; that of a mesh is yet to be made, the same pointer for the same grid
    int samples;             // of a grid: points of its surface that touch other shapes than balls
    bool fitted;             // a collision mesh became it
    bool regular;            // a regular polygon of the radius size[0]
    const char **of;         // (count) names of a union's members, NULL where they were refused
    int *member;             // (count) their numbers in the draft, once resolved
    int contype;             // bits, as in MuJoCo: of itself, ...
    int conaffinity;         // ... and of those that it touches. "auto" pairs two shapes where one of these meets the other's
    tact_real mu;            // friction of its pairs, < 0: the scene's
    int priority;            // as in MuJoCo: a pair has the mu of the shape with the higher one, of two alike the larger
    int robot;               // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_shape;

typedef struct {
    const char *joint;      // name of a joint; "*" and "begin*" match several
    tact_real stiffness;    // >= 0; 0: not driven
    bool force;             // driven by a force, without stiffness
    tact_real damping;      // >= 0
    tact_real force_limit;  // > 0; 0: none
    bool own;               // given by the robot's entry in the scene, not by its file
    int robot;              // a robot's drives match its own joints only; set by the loader
    tact_draft_mark mark;
} tact_draft_drive;

// A surface that is drawn in a body's place; nothing touches it.
typedef struct {
    const char *file;        // as it is written: a path from the file that names it, or package://NAME/path
    const char *from;        // that file; NULL: the one of mark
    const char *body;        // as in tact_draft_shape
    tact_draft_frame frame;  // in the body
    tact_real scale[3];      // of the file's coordinates, to metres
    int robot;               // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_mesh;

// What a robot says of its contacts: two bodies whose shapes "auto" does not pair, or two shapes that it pairs in any case.
typedef struct {
    const char *a, *b;  // names; of a body NULL: the world
    tact_real mu;       // of a pair of shapes, < 0: the scene's
    int robot;          // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_contact;

// The coordinates of a joint, or what its drive is told.
typedef struct {
    const char *joint;
    int count;
    tact_real value[7];
} tact_draft_coordinate;

// Where joints are, and what drives are told, under a name.
typedef struct {
    const char *name;
    int nq, ncommand;
    tact_draft_coordinate *q, *command;  // (nq), (ncommand)
    int robot;                           // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_keyframe;

// A point of one body that is held at a point of another: body[0] and body[1].
typedef struct {
    const char *body[2];  // names; NULL: the world, or the robot's base
    tact_real at[2][3];   // in the bodies' frames [m]
    bool placed;          // at[1] is given; else it is where at[0] is when all coordinates are 0
    tact_real stiffness;  // [N/m]
    int robot;            // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_loop;

// A spring on a sum of coordinates, or a drive on it.
typedef struct {
    int count;
    const char *joint[TACT_SPRING_MOST];
    tact_real factor[TACT_SPRING_MOST];
    tact_real stiffness, damping, rest;
    tact_real force_limit;  // > 0; 0: none
    bool command;           // that of the first joint's drive
    int robot;              // as in tact_draft_body
    tact_draft_mark mark;
} tact_draft_spring;

// How the collision meshes of a robot become shapes: see scene/fit_rule.h.
typedef struct {
    const char *const *rule;                    // (nrule) KIND or PATTERN=KIND
    int nrule;                                  //
    const char *packages;                       // folder of the packages of package://, NULL: only those above the robot's file
    double density;                             // of links without <inertial> [kg/m^3]; 0: they have no mass
    tact_text *report;                          // where each fit is told in a line, NULL: nowhere
    const char *robot;                          // the robot file beside which arrays of grids are to lie, NULL: there can be none
    bool (*tick)(void *context, double share);  // as tact_sdf_tick, or NULL; 0 begins the next grid
    void *context;
} tact_draft_fit;

// What a robot description says that no model holds: how many of each.
typedef struct {
    int effort, velocity, safety, dynamics;  // joints
    int transmission, friction;              // elements
    int solids;                              // collision shapes that it has, left out or not
} tact_draft_left;

// Stable memory, given back all at once.
typedef struct tact_draft_chunk tact_draft_chunk;

// Starts as {.errors = ...}; ends with tact_draft_free.
typedef struct {
    tact_errors *errors;
    const char *folder;         // from which the files of grids are found, "" or ended by /; NULL: the present one
    const tact_draft_fit *fit;  // NULL: collision meshes are passed over with a warning
    tact_draft_left left;       //
    tact_draft_body *bodies;
    tact_draft_shape *shapes;
    tact_draft_drive *drives;
    tact_draft_mesh *meshes;
    tact_draft_contact *excluded, *pairs;
    tact_draft_keyframe *keyframes;
    tact_draft_loop *loops;
    tact_draft_spring *springs;
    int nbody, nshape, ndrive, nmesh, nexcluded, npair, nkeyframe, nloop, nspring;
    int body_room, shape_room, drive_room, mesh_room, excluded_room, pair_room, keyframe_room, loop_room, spring_room;
    tact_draft_chunk *chunks;
    size_t chunk_left;
    bool bodies_doubted;  // some were refused: that one is missing or fixed may follow from that, and is not told
    bool shapes_doubted;  // the same of shapes,
    bool drives_doubted;  // and of what is not driven
} tact_draft;

// A new last entry of each list, zero but for the members named here; NULL, and reported, when there is no memory. The pointer
// holds until the next entry of the same list is added.
tact_draft_body *tact_draft_add_body(tact_draft *draft);          // ratio 1, robot -1
tact_draft_shape *tact_draft_add_shape(tact_draft *draft);        // contype and conaffinity 1, mu and robot -1
tact_draft_drive *tact_draft_add_drive(tact_draft *draft);        // robot -1
tact_draft_mesh *tact_draft_add_mesh(tact_draft *draft);          // scale 1 in each direction, robot -1
tact_draft_contact *tact_draft_add_excluded(tact_draft *draft);   // mu and robot -1
tact_draft_contact *tact_draft_add_pair(tact_draft *draft);       // mu and robot -1
tact_draft_keyframe *tact_draft_add_keyframe(tact_draft *draft);  // robot -1
tact_draft_loop *tact_draft_add_loop(tact_draft *draft);          // stiffness TACT_LOOP_STIFFNESS, robot -1
tact_draft_spring *tact_draft_add_spring(tact_draft *draft);      // robot -1

// size bytes, aligned for any type, that live as long as the draft; NULL, and reported, when there is no memory.
void *tact_draft_take(tact_draft *draft, size_t size);

// A copy of a string that lives as long as the draft, ended by NUL; NULL, and reported, when there is no memory.
const char *tact_draft_string(tact_draft *draft, const char *bytes, size_t size);

// An error about a member of the marked object (key NULL or absent: about the object itself).
void tact_draft_refuse(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...)
    TACT_PRINTF(4, 5);

// A warning, likewise.
void tact_draft_warn(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...)
    TACT_PRINTF(4, 5);

// A doubt about what is right but can hardly be meant: a warning, under strict an error.
void tact_draft_doubt(const tact_draft *draft, const tact_draft_mark *mark, const char *key, const char *format, ...)
    TACT_PRINTF(4, 5);

// Doubts about units: angles of joints and shapes in degrees, masses of links in grams; the first of each. False without memory.
bool tact_draft_suspect(tact_draft *draft);

// The path of the marked object, for a message about another one: "/bodies/2", or the place's path.
void tact_draft_path(const tact_draft_mark *mark, char *out, size_t size);

// Frees the lists, and all strings and arrays that were taken from the draft; errors stays.
void tact_draft_free(tact_draft *draft);

// Names of the types of joints and shapes as in a file, by type; NULL ends them.
extern const char *const tact_joint_type_names[], *const tact_shape_type_names[];

// A frame as a rotation matrix and a point.
tact_pose tact_scene_pose(const tact_draft_frame *frame);

// The hull of the vertices of a mesh.
typedef struct {
    double scale[3];        // asked for: of the file's coordinates, to metres
    int vertices;           // asked for: most of the hull, 4 to TACT_HULL_VERTICES; of more points those that make it the largest
    const tact_hull *hull;  // in the draft's memory
    int npoint;             // of the mesh
    double outside;         // so far points of the mesh lie beyond a face at most [m]
} tact_mesh_hull;

// Reads an .stl, .obj, .ply or .dae file, which need not be closed. False and one error when it cannot be read, or has no volume.
bool tact_mesh_hull_read(tact_draft *draft, const char *path, tact_mesh_hull *hull, tact_errors *errors);

// The largest file of a grid [bytes].
#define TACT_GRID_FILE_LIMIT (TACT_GRID_MOST * TACT_GRID_MOST * TACT_GRID_MOST * 8 + 8192)

// A shape on its own, in the world.
typedef struct {
    tact_shape shape;
    tact_pose pose;
} tact_placed_shape;

// Reads one as a scene has it, below a key of the document; hulls and grids are in the draft's memory. False after refusing, also
// what has no distance from another shape.
bool tact_scene_read_placed(tact_draft *draft, const tact_json *json, const char *key, tact_placed_shape *to);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
