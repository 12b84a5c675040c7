// SPDX-License-Identifier: MIT
// Where an object may rest on a body of a robot, or beside it on a table: what `tact new` looks for. Hosted.
#ifndef TACT_PLACE_H
#define TACT_PLACE_H

#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_NEW_PLACES 24

// A body to be held.
typedef struct {
    tact_shape_type type;  // sphere, capsule, box, cylinder, hull
    tact_real size[4];     // as in tact_shape: half lengths, and the corner radius of a box
    double mass;           // [kg]
    double inertia[6];     // xx, yy, zz, xy, xz, yz about its centre of mass [kg m^2]
    double gap;            // to what it rests on, as the barrier's sharpness will have it [m]
    bool turns;            // it has to rest however it is turned about the vertical
    bool rough;            // it rests by its faces, also on links that stand on the body, which are not in the way then
} tact_new_object;

// One way to stand the robot and put the object on it.
typedef struct {
    double rpy[3];       // of the robot's base
    double position[3];  // of the object, in the world
    double table;        // height of the table, where there is one
    double cost;         // how far the fingers are from it [m]
    bool behind;         // they close on the other side of the body: such places come last
} tact_new_place;

// What became of the places that were looked at. Starts as {0}, or with report, which is told after each.
typedef struct {
    int tried;
    int missed;     // the object passes the body
    int elsewhere;  // it meets another body first
    int unsteady;   // it stands on too few points
    int tilt[91];   // how many met the body where it slopes by so many degrees, on the side to which the fingers close
    void (*report)(void *context, int done, int total);
    void *context;
} tact_new_why;

// Places on a body of the robot, the best first: tries each axis of the robot's base as up, lowers the object on a grid over the
// body and keeps where it stands on the body alone. half: its half height. Their number, at most TACT_NEW_PLACES.
int tact_new_place_on_body(tact_world *world, const tact_new_object *object, double half, int body, tact_new_place *place,
                           tact_new_why *why);

// A place on a table so far below the robot, clear of it and near the point below its fingers; 0 or 1.
int tact_new_place_on_table(tact_world *world, const tact_new_object *object, double half, double above, tact_new_place *place);

// How the robot's base is turned, by quarters, so that its fingers point down: from the mean of its shapes to that of its last
// links, half closed. choice: 0 for where they point down the most, then the next; false where there is none.
bool tact_new_look_down(tact_world *world, int choice, double rpy[3]);

// The object's body: the last one of the scene.
int tact_new_find_object(const tact_model *model);

// The first body of those that are fixed to each other.
int tact_new_weld(const tact_model *model, int body);

// Whether a body is the first of a finger on those that are fixed to weld.
bool tact_new_stands_on(const tact_model *model, int body, int weld);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
