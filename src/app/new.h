// SPDX-License-Identifier: MIT
// What tact new decides, and where it puts the object.
#ifndef TACT_APP_NEW_H
#define TACT_APP_NEW_H

#include "app/stage.h"

#define TACT_NEW_OBJECT "object"
#define TACT_NEW_PLACES 24

// A body to be held.
typedef struct {
    tact_shape_type type;  // sphere, capsule, box, cylinder
    tact_real size[4];     // as in tact_shape: half lengths, and the corner radius of a box
    double mass;           // [kg]
    double inertia[3];     // about its axes [kg m^2]
    double gap;            // to what it rests on, as the barrier's sharpness will have it [m]
} tact_new_object;

// One way to stand the robot and put the object on it.
typedef struct {
    double rpy[3];       // of the robot's base
    double position[3];  // of the object, in the world
    double table;        // height of the table, where there is one
    double cost;         // how far the fingers are from it [m]
} tact_new_place;

// Places on a body of the robot, the best first: tries each axis of the robot's base as up, lowers the object on a grid over the
// body and keeps where it stands on the body alone. half: its half height. Their number, at most TACT_NEW_PLACES.
int tact_new_place_on_body(tact_world *world, const tact_new_object *object, double half, int body, tact_new_place *place);

// A place on a table just below the robot, beside the robot and near its fingers; 0 or 1.
int tact_new_place_on_table(tact_world *world, const tact_new_object *object, double half, tact_new_place *place);

// The object's body.
int tact_new_find_object(const tact_model *model);

// The first body of those that are fixed to each other.
int tact_new_weld(const tact_model *model, int body);

#endif
