// SPDX-License-Identifier: MIT
// Descriptions of robots in URDF and MJCF: read into a draft, given a base, written as robot files; and scenes written as MJCF.
// Hosted.
#ifndef TACT_ROBOT_H
#define TACT_ROBOT_H

#include "tact/draft.h"
#include "tact/scene.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A robot description in XML, of whichever kind.

// URDF or MJCF, decided by the root element: scene/urdf.h, scene/mjcf.h. path is opened as it is, and messages name it so.
bool tact_robot_read(tact_draft *draft, const char *path);

// The shapes alone of a robot file in JSON. Their names and marks point into json and text, which start as {0} and are to be
// freed after the draft. False with an error among the draft's.
bool tact_robot_read_shapes(tact_draft *draft, const char *path, tact_json *json, tact_text *text);

// How a robot stands in the world: fixed, on a free joint, or on six driven ones.

typedef enum {
    TACT_BASE_FIXED,
    TACT_BASE_FREE,    // a free joint, which nothing drives
    TACT_BASE_DRIVEN,  // three prismatic joints and three revolute ones, yaw, pitch, roll, each with a drive
} tact_base_joint;

// Where a robot begins in the lists of a draft.
typedef struct {
    int body, shape, mesh;
} tact_robot_start;

// "fixed", "free", "driven"; NULL ends them.
extern const char *const tact_base_joint_names[];

// Lets the bodies from start.body on that the world carries move by such joints. A robot with one body that is fixed to the world
// moves by that body's joint; one with several, or whose first joint moves, gets a body without mass before them. Where the world
// carries several bodies, as the fingers of a palm, its shapes and meshes (from start.shape and start.mesh on) go along, but no
// planes; else they stay there. mark: where it was asked for. False after refusing.
bool tact_robot_set_base(tact_draft *draft, tact_robot_start start, tact_base_joint joint, const tact_draft_mark *mark);

// Adds drives for the joints that have none and are neither mimic joints nor in a loop or spring. The effort limit becomes the
// force limit, which a drive gives at 0.5 rad or 10 mm; without one the stiffness is 1 N m/rad or 100 N/m. False without memory.
bool tact_robot_drive(tact_draft *draft);

// A draft as a robot file, for `tact import`.

// Appends the bodies, shapes and drives as JSON in their order. What is as it would be without being said is left out, and
// numbers have the fewest digits that read back to the same tact_real. out->failed tells that there was no memory.
void tact_robot_write(const tact_draft *draft, tact_text *out);

// Rules by which collision meshes become shapes: KIND for all links, or PATTERN=KIND for those whose name matches, in which *
// stands for any characters. Of several the last that matches holds. The kind sdf may say how many numbers its grids have along
// their longest side: sdf:33.

typedef enum {
    TACT_FIT_UNSET,  // no rule matches
    TACT_FIT_NONE,   // no shape, and the mesh is not opened
    TACT_FIT_SPHERE,
    TACT_FIT_CAPSULE,
    TACT_FIT_BOX,
    TACT_FIT_HULL,
    TACT_FIT_SDF,  // a grid, whose array is a file
} tact_fit_kind;

typedef struct {
    tact_fit_kind kind;
    int count;  // of sdf: numbers along the longest side
} tact_fit_choice;

// What is wrong with a rule; an empty text when nothing is. files: arrays of grids can be written, for sdf.
tact_reason tact_fit_rule_check(const char *rule, bool files);

// What the rules, which were checked, say of a link. matched: (nrule) becomes true for those that match, or NULL.
tact_fit_choice tact_fit_rule_find(const tact_draft_fit *fit, const char *link, bool *matched);

// Names for the message of a rule that matches none: those that were met, up to what the text holds.
typedef struct {
    char text[160];
} tact_fit_names;

// Adds a name; one that was just added is not repeated, and "..." stands for those that do not fit.
void tact_fit_names_add(tact_fit_names *names, const char *name);

// Of a rule: the characters before =, 0 where it is for all links.
size_t tact_fit_rule_pattern(const char *rule);

// A scene as MJCF, MuJoCo's format: the same kinematics, masses, drives, shapes and pairs, friction included.

// Appends the document. A joint of one coordinate keeps its name, translations and planar joints become slides and hinges NAME.x,
// NAME.y
// ..., a free joint a freejoint; commands are actuators in the order of u, named as their joints. False after adding to reason
// what has no counterpart: planar shapes, a plane on a body that moves, a free joint on a body that moves. left_out tells, a line
// each, what is left out: corner radii of boxes, restitution. timestep [s] is that of MuJoCo's steps.
// gravcomp: links whose weight drives carry have that attribute, which MuJoCo 2.2 refuses; all else it reads.
bool tact_mjcf_write(const tact_scene *scene, double timestep, bool gravcomp, tact_text *out, tact_text *left_out,
                     tact_text *reason);

// A scene's bodies as URDF: links, joints of the same names, masses, and the shapes that URDF has. Links hang on one named
// "world". False after adding to reason what has no counterpart: a translation. left_out tells, a line each, of planes, hulls,
// grids and other shapes, corner radii, loops, sums of joints.
bool tact_urdf_write(const tact_scene *scene, tact_text *out, tact_text *left_out, tact_text *reason);

// A scene with that URDF file: law, gravity and options of the barrier law, drives, pairs of shapes that URDF has,
// initial coordinates.
void tact_urdf_write_scene(const tact_scene *scene, const char *file, tact_text *out);

// The file of a scene's robot as JSON, whatever form it has on the disk; robot: its node in the scene's document. False after
// reporting.
bool tact_scene_read_robot(const char *path, const tact_json *json, int robot, tact_text *text, tact_errors *errors);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
