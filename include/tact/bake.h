// SPDX-License-Identifier: MIT
// A model as C constants, for programs without files and heap. Hosted.
#ifndef TACT_BAKE_H
#define TACT_BAKE_H

#include "tact/sim.h"
#include "tact/text.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const tact_model *model;      // prepared
    const tact_options *options;  //
    const tact_real *u;           // (nu) first commands
    const char *name;             // what the constants are called: see tact_bake_name
    const char *include;          // the header that declares the core
} tact_bake;

// Appends the constants: const tact_model NAME, const tact_options NAME_options, const tact_real NAME_u[nu].
void tact_bake_source(const tact_bake *bake, tact_text *out);

// Appends the header that declares these, with the sizes of a state and of the work as enumerators.
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
