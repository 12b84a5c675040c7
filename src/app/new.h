// SPDX-License-Identifier: MIT
// What tact new says, and the words that it reads and writes.
#ifndef TACT_APP_NEW_H
#define TACT_APP_NEW_H

#include "app/stage.h"
#include "tact/place.h"

#define TACT_NEW_NAME 24

extern const char tact_new_help[];

// The name of the object: one that the robot does not have. xml: the draft holds the robot, else its file is looked through.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]);

// The links of a draft, read with capsules round meshes, whose capsules cover shapes of the robot's own that are rigid with them.
// How many; name: room for `most`.
int tact_new_list_covering(const tact_draft *draft, const char **name, int most);

// Whether the robot's own file drives the joint of a body.
bool tact_new_is_driven(const tact_draft *draft, const tact_draft_body *body);

// Whether a loop, a spring or a drive on a sum moves it: then a drive of its own would be against it.
bool tact_new_is_led(const tact_draft *draft, const tact_draft_body *body);

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
void tact_new_add_sphere(tact_text *out, const char *name, const char *body, double radius, const double at[3]);

// A cylinder is a hull against boxes and hulls: it lies against them along its whole length.
#define TACT_NEW_CAN "can"
void tact_new_add_can(const tact_new_object *object, const char *body, tact_text *out);

// Three numbers with commas between; false where the text is anything else.
bool tact_new_read_three(const char *text, double x[3]);

#endif
