// SPDX-License-Identifier: MIT
// What tact new says, and the words that it reads and writes.
#ifndef TACT_APP_NEW_H
#define TACT_APP_NEW_H

#include "app/stage.h"

#define TACT_NEW_NAME 24

extern const char tact_new_help[];

// The name of the object: one that the robot does not have. xml: the draft holds the robot, else its file is looked through.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]);

// The links of a draft, read with capsules round meshes, whose capsules cover shapes of the robot's own that are rigid with them.
// How many; name: room for `most`.
int tact_new_list_covering(const tact_draft *draft, const char **name, int most);

// The keyframe from which the robot begins, NULL: none; whether it places the joint of a body.
const tact_draft_keyframe *tact_new_find_home(const tact_draft *draft);
bool tact_new_is_placed(const tact_draft_keyframe *keyframe, const tact_draft_body *body);

// [x, y, z]
void tact_new_add_numbers(tact_text *out, const double *x, int count);

// How an object lies, and its mesh where it is the hull of one. Starts as {0}; draft is to be freed.
typedef struct {
    double half;          // from its origin down to what it lies on [m]
    double least;         // its least width [m]
    int contacts;         // on which it lies
    const char *file;     // of the mesh, NULL: none
    tact_mesh_hull mesh;  // in the draft's memory
    double size, high;    // its greatest width and its height [m]
    double xyz[3];        // of the mesh in the body, whose origin is the centre of mass
    tact_quat turn;       //
    tact_draft draft;     //
    tact_errors errors;   //
} tact_new_form;

// An object's sizes from KIND:AxBxC, or its hull from FILE:SCALE; the exit code, after saying what is wrong.
int tact_new_read_object(const tact_call *call, const char *text, tact_new_object *object, tact_new_form *form);

// Its mass and inertia by density, and how it lies; the exit code.
int tact_new_weigh(const tact_call *call, double density, tact_new_object *object, tact_new_form *form);

// Its shape, with which the list of shapes begins.
void tact_new_add_shape(const tact_new_object *object, const tact_new_form *form, const char *body, tact_text *out);

// The spheres with which it touches shapes that are none, and what they are called; returns how many.
int tact_new_add_touches(const tact_new_object *object, const char *body, tact_text *out);
void tact_new_name_touch(const tact_new_object *object, int number, char name[32]);
// like: a shape that it stands for, whose friction it has; NULL: none.
void tact_new_add_sphere(tact_text *out, const char *name, const char *body, double radius, const double at[3],
                         const tact_draft_shape *like);

// A cylinder is a hull against boxes and hulls: it lies against them along its whole length.
#define TACT_NEW_CAN "can"
void tact_new_add_can(const tact_new_object *object, const char *body, tact_text *out);

// Three numbers with commas between; false where the text is anything else.
bool tact_new_read_three(const char *text, double x[3]);

// What keeps a link of one finger from passing through those of others: a capsule (or a ball) about its shapes, or one of them.
typedef struct {
    int link;          // the first of the bodies that are fixed to each other
    int own;           // the robot's shape that it is; -1: a capsule of its own
    tact_shape shape;  // in the link's axes
    bool first;        // of its finger
    bool palm;         // it is a shape of the palm
    bool used;         // it is in a pair
} tact_new_guard;

// Starts as {0}; ends with tact_new_free_guards.
typedef struct {
    int count, npair;
    tact_new_guard *guard;  // (count)
    int (*pair)[2];         // (npair) guards of links on different fingers that can come near each other
    int palm;               // of them with a shape of the palm
    int overlapping;        // further pairs that overlap where the scene begins or nearly always, and are left out
} tact_new_guards;

// The guards of the robot of a world, which stands where the scene begins; false without memory.
bool tact_new_find_guards(tact_world *world, tact_new_guards *guards);
void tact_new_free_guards(tact_new_guards *guards);

// Their shapes as members of a list; the names of a pair of them.
void tact_new_add_guards(const tact_model *model, const tact_new_guards *guards, tact_text *out);
void tact_new_name_guards(const tact_model *model, const tact_new_guards *guards, int pair, char a[400], char b[400]);

// What is asked for, and what was chosen so far.
typedef struct {
    const tact_call *call;
    const char *robot, *on;
    tact_base_joint base;
    tact_draft_fit fit;
    const char **rules;
    tact_draft draft;  // of a robot in URDF or MJCF: its joints
    int given;         // drives of the robot's own file; the draft's others are of the scene
    tact_errors errors;
    bool urdf;
    tact_new_object object;
    tact_new_place place;
    tact_new_form form;
    tact_quat turn;  // of the object where it begins
    double mu, kappa, margin, density;
    double angle;              // of the goal about the vertical [degrees]
    bool still;                // the object lies still where it begins
    double span;               // of the robot where it begins [m]
    double rpy[3];             // of the robot's base over a table
    double above;              // of the robot over the table [m]
    char name[TACT_NEW_NAME];  // of the object: as no body, joint or shape of the robot is called
    tact_new_why why;          // what became of the places that were looked at, and at how many the object rests: without faces
    int rested;
    double off[2];  // the least that it moves where it does not stay, under barrier and rigid [m]
    tact_progress bar;
    bool bare;                // the robot has no shapes
    bool exact;               // shapes touch the object as they are, not by spheres in their place
    bool faces;               // a box touches flat shapes of the body that carries it by its faces, too
    bool restless;            // under the rigid law the object is not at rest: most steps of the last trial need its solver
    int weld;                 // that body, or what it is fixed to
    bool searching;           // without the table, whose height is not known yet
    const tact_model *model;  // the robot's with the object, once it is read; its shapes make the pairs
    tact_new_guards guards;   // between its fingers
    int seed;                 // of the search for a grasp
    double lift;              // how far the robot lifts the object [m]; 0: it is not asked to
    const tact_real *grasp;   // (TACT_GRASP_KNOTS, nu) commands that do; NULL: none
    tact_world trial[3];      // under barrier, rigid, and barrier with faces, with the base as the place tried last has it
    bool tried[3];            // they are open
    double tried_rpy[3];      //
    int steady;               // how many places were compared
    double turned;            // how far the object turns where it settles, under the law under which it turns more [rad]
} tact_new_plan;

// Warnings of numbers, and of a robot that the object does not go with.
void tact_new_doubt_numbers(const tact_new_plan *of);
void tact_new_doubt_robot(const tact_new_plan *of);

// The scene with the robot's base turned by rpy.
void tact_new_write(const tact_new_plan *of, const double rpy[3], tact_text *out);

// Finds commands that lift the object by plan->lift, and writes the scene anew with them. The exit code, after saying how far it
// rises, or that there are none.
int tact_new_seek_grasp(tact_new_plan *to, tact_text *text);
void tact_new_add_lift(const tact_model *model, const tact_real *u, tact_text *out);

// Box or hull: of flat faces.
bool tact_new_is_flat(tact_shape_type type);

// Whether what carries the object has spheres and the like only; how many flat shapes it has.
bool tact_new_is_round(const tact_new_plan *of);
int tact_new_count_flat(const tact_new_plan *of);

// The body of --on by its name, or the only one whose name has it as a word. Returns an exit code.
int tact_new_find_body(tact_new_plan *of, int *body);

// Whether a shape of the robot has no contacts with the object: unless all surfaces touch, only spheres touch cylinders and
// ellipsoids, and a hull has none.
bool tact_new_passes(const tact_new_plan *of, const tact_shape *shape);

// To six digits, as numbers are written.
static inline double round_six(double x) {
    return tact_key_round(x, 6);
}

#endif
