// SPDX-License-Identifier: MIT
// Scenes: a JSON file to a model, its options, and what commands it. Hosted: uses the heap and reads files.
#ifndef TACT_SCENE_H
#define TACT_SCENE_H

#include "tact/mpc.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_COMMAND_HOLD,        // u = the present coordinates of the driven dofs, in every step
    TACT_COMMAND_FIXED,       // u = fixed
    TACT_COMMAND_TRAJECTORY,  // u interpolates between times, held before the first and after the last
} tact_command_mode;

typedef struct {
    tact_command_mode mode;
    tact_real *fixed;  // (nu) of fixed; of trajectory for dofs without a column of their own
    int ntime;         // of trajectory
    tact_real *times;  // (ntime) ascending [s]
    tact_real *u;      // (ntime, nu)
} tact_command;

// An external force on a body, constant (ntime = 1) or linear between times.
typedef struct {
    int body;
    int ntime;
    tact_real *times;     // (ntime) ascending [s]
    tact_wrench *wrench;  // (ntime)
} tact_force;

// Where `tact optimise` shall bring a body, by commands that are linear between knots and begin at the initial coordinates:
//   weight |p_N - position|^2 + path mean_k |p_k - position|^2 + effort knots sum stiffness (command change)^2
typedef struct {
    int body;             // TACT_WORLD: the scene has no goal
    tact_vec3 position;   // of its origin, in the world [m]
    int horizon;          // N steps
    int knots;            // that are free
    tact_real weight;     // [1/m^2]
    tact_real path;       // [1/m^2]
    tact_real effort;     // [1/J]
    tact_real tolerance;  // distance at which the goal is reached [m]

    // of tact mpc
    bool oriented;                 // an orientation is wanted
    tact_quat orientation;         // of the body, in the world
    tact_real position_tolerance;  // [m] within these two ...
    tact_real angle_tolerance;     // [rad]
    tact_real hold;                // ... for so long it is reached [s]
} tact_goal;

// How `tact mpc` plans: steps of the barrier law with options of their own.
typedef struct {
    tact_real dt;               // of a planning step [s]
    tact_real kappa;            // [1/J]
    tact_real epsilon;          // below 0: such that the goal's body is held back with 1000 N/m
    tact_real margin;           // [m]
    int horizon;                // planning steps
    tact_real rate;             // solves a second [1/s]
    tact_real position_weight;  // [1/m^2]
    tact_real angle_weight;     // [1/rad^2]
    tact_mpc_options control;   // its tick is 1/rate
} tact_mpc_settings;

typedef struct {
    tact_model model;       // names filled
    tact_options options;   //
    tact_command command;   //
    int nforce;             //
    tact_force *force;      // (nforce)
    tact_goal goal;         //
    tact_mpc_settings mpc;  //
    void *memory;           // see tact_scene_free
} tact_scene;

// Reads a scene file ("-" is standard input). NULL when it is refused; message then holds the first reason,
// FILE:LINE:COL: /json/path: reason.
tact_scene *tact_scene_load(const char *path, char *message, size_t message_size);

void tact_scene_free(tact_scene *scene);

// u (nu) that the scene commands for a state, and the external forces (nbody) at its time; true when there are any.
void tact_scene_command(const tact_scene *scene, const tact_state *state, tact_real *u);
bool tact_scene_wrench(const tact_scene *scene, const tact_state *state, tact_wrench *wrench);

// A scene together with the memory that stepping it needs: the short way to begin.
typedef struct {
    tact_scene *scene;
    tact_state state;
    tact_work work;
    tact_real *u;         // (nu) the command of the last step
    tact_wrench *wrench;  // (nbody)
    void *memory;
} tact_world;

// NULL as tact_scene_load.
tact_world *tact_world_open(const char *path, char *message, size_t message_size);
void tact_world_close(tact_world *world);

// One step as the scene commands it.
tact_status tact_world_step(tact_world *world);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
