// SPDX-License-Identifier: MIT
// What the page calls: the library in WebAssembly. Numbers are passed in arrays of double, texts as UTF-8 ended by NUL.
#ifndef TACT_PAGE_H
#define TACT_PAGE_H

#include <stddef.h>

#include "tact/errors.h"
#include "tact/scene.h"

typedef struct tact_page tact_page;                  // a scene that is stepped
typedef struct tact_page_picture tact_page_picture;  // what is drawn of a scene or a trace
typedef struct tact_page_plan tact_page_plan;        // the controller of a scene

void *tact_page_memory(size_t size);
void tact_page_release(void *memory);

// The text that the last call left: why something was refused, or what was asked for.
const char *tact_page_text(void);
void tact_page_tell(const tact_errors *errors);
void tact_page_say(const char *text);

// A file that scenes may name; keeps path and bytes. 0: there are too many.
int tact_page_file(char *path, char *bytes, size_t size);

// A scene among the files for the library itself; NULL after telling why. The rest as in tact_page_open.
tact_scene *tact_page_read(const char *path, const char *law, const char *settings);

// A scene among the files. law: "" for its own. settings: lines PATH=VALUE. Leaves its warnings in the text, a line each. NULL
// when it is refused.
tact_page *tact_page_open(const char *path, const char *law, const char *settings);
void tact_page_close(tact_page *page);

// Leaves the meshes of a scene among the files in the text, as tact_view_meshes writes them. 0 when they are refused.
int tact_page_meshes(const char *path);

int tact_page_step(tact_page *page);  // the step's status
void tact_page_reset(tact_page *page);
void tact_page_copy(tact_page *to, const tact_page *from);  // the state; both of one scene

// Leaves a line of a trace in the text: number < 0 is the first line.
void tact_page_line(tact_page *page, int number);

enum {
    TACT_PAGE_Q,
    TACT_PAGE_V,
    TACT_PAGE_U,
    TACT_PAGE_WAY,     // (nu) a direction of the commands
    TACT_PAGE_LAMBDA,  // (npair, 3), as the next four what else the state is
    TACT_PAGE_ANCHOR,
    TACT_PAGE_NORMAL,
    TACT_PAGE_Q_PAST,
    TACT_PAGE_V_PAST,
    TACT_PAGE_LOWER,
    TACT_PAGE_UPPER,
    TACT_PAGE_DOF_Q,
};
double *tact_page_vector(tact_page *page, int which);
int tact_page_past(const tact_page *page);

// After all vectors of the state were written: it goes on from there.
void tact_page_restored(tact_page *page, double time, int past);
double tact_page_time(const tact_page *page);
int tact_page_iterations(const tact_page *page);

// Contacts of the last step: pair, gap, point, normal, force, lambda (14 numbers each).
int tact_page_contacts(tact_page *page);
double *tact_page_contact(tact_page *page);

// 1: the commands are those written to TACT_PAGE_U; 0: those of the scene.
void tact_page_take(tact_page *page, int manual);

// A spring from the body's centre of mass to a place, until body is -1. Returns its stiffness [N/m].
double tact_page_drag(tact_page *page, int body, double x, double y, double z);

// The friction of all pairs, as a factor of the scene's.
void tact_page_friction(tact_page *page, double factor);

// How the body's centre of mass would move in the next step per unit of the commands along TACT_PAGE_WAY: x, y, z, by central
// differences of steps.
double *tact_page_slope(tact_page *page, int body);

// Writes to TACT_PAGE_WAY how a finger closes: the joints of the bodies from top down to the one with the shape tip move in
// proportion to what they bring the tip towards the body's centre of mass, all together by one unit (the root of the sum of
// squares; radians and metres). 0 when none of them does.
double tact_page_close_finger(tact_page *page, int tip, int top, int body);

// The controller of `tact mpc` for a scene with a goal. NULL when it is refused.
tact_page_plan *tact_page_plan_open(const char *path, const char *settings);
void tact_page_plan_close(tact_page_plan *plan);
// body, tick [s], step of a plant under the rigid law [s], horizon, whether it is oriented, tolerances [m], [rad], hold [s]
double *tact_page_plan_facts(tact_page_plan *plan);
double *tact_page_plan_q(tact_page_plan *plan);      // (nq) to be written: what is measured
double *tact_page_plan_goal(tact_page_plan *plan);   // to be written: position, orientation w x y z of unit length
void tact_page_plan_reset(tact_page_plan *plan);     // holds the q written
int tact_page_plan_solve(tact_page_plan *plan);      // a tick: from the q written; its status
double *tact_page_plan_u(tact_page_plan *plan);      // (nu) the command of the tick
double *tact_page_plan_error(tact_page_plan *plan);  // of the q written: distance from the goal [m] and angle [rad]
// Steps of the last plan, and the poses of the goal's body after each: p, R row-major.
int tact_page_plan_steps(const tact_page_plan *plan);
double *tact_page_plan_fan(tact_page_plan *plan);

// first: the first line of a trace. NULL when it is refused.
tact_page_picture *tact_page_picture_open(const char *first);
void tact_page_picture_close(tact_page_picture *picture);
// nbody, nq, nv, nshape, nlimb, planar, normal xyz, gravity xyz, margin
double *tact_page_picture_facts(tact_page_picture *picture);
// body, figure, p, R row-major, size 4, how many numbers follow: x, y of points, or x, y, z of the corners of triangles
double *tact_page_picture_shapes(tact_page_picture *picture);
// body, a, b, radius
double *tact_page_picture_limbs(tact_page_picture *picture);
double *tact_page_picture_q(tact_page_picture *picture);
double *tact_page_picture_v(tact_page_picture *picture);
// p, R of all bodies for the q written there; motion and weight [J] behind them
double *tact_page_picture_move(tact_page_picture *picture);

#endif
