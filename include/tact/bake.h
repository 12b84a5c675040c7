// SPDX-License-Identifier: MIT
// A model, and the goal of its controller, as C constants, for programs without files and heap. Hosted.
#ifndef TACT_BAKE_H
#define TACT_BAKE_H

#include "tact/mpc.h"
#include "tact/sim.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// What a controller of the model is given: see tact_mpc_solve. Pointers of its options are left out.
typedef struct {
    int horizon;               //
    tact_options step;         // of the planning steps
    tact_mpc_options options;  //
    tact_pose_goal goal;       //
} tact_bake_mpc;

typedef struct {
    const tact_model *model;      // prepared
    const tact_options *options;  //
    const tact_real *u;           // (nu) first commands
    const char *name;             // what the constants are called: see tact_bake_name
    const char *include;          // the header that declares the core
    const tact_bake_mpc *mpc;     // NULL: none
} tact_bake;

// Appends the constants: const tact_model NAME, const tact_options NAME_options, const tact_real NAME_u[nu]; of a controller
// const tact_options NAME_mpc_step, const tact_mpc_options NAME_mpc, const tact_pose_goal NAME_goal.
void tact_bake_source(const tact_bake *bake, tact_text *out);

// Appends the header that declares these, with the sizes of a state and of the work as enumerators, and
// NAME_horizon and NAME_mpc_size of a controller.
void tact_bake_header(const tact_bake *bake, tact_text *out);

// True for what C takes as an identifier and that neither C nor the library uses.
bool tact_bake_name(const char *name);

// A scene's name with what an identifier cannot hold as _.
void tact_bake_default_name(const char *scene, char *name, size_t size);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
