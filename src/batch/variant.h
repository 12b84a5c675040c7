// SPDX-License-Identifier: MIT
// A scene of which some values differ between environments. Its text is kept with the places of these values, so that the text of
// any environment can be written. Where a value of the text stands unchanged in the loaded scene - found by loading the scene
// with several values and comparing - it is set there; a scene of which all values are such is loaded only once.
#ifndef TACT_BATCH_VARIANT_H
#define TACT_BATCH_VARIANT_H

#include "batch/spec.h"
#include "tact/scene.h"

enum { TACT_VARIANT_SHAPES = 2, TACT_VARIANT_START = 4, TACT_VARIANT_OPTIONS = 9, TACT_VARIANT_REGIONS = 10 };

// Numbers of a loaded scene.
typedef struct {
    void *base[TACT_VARIANT_REGIONS];
    size_t size[TACT_VARIANT_REGIONS];  // [bytes]
} tact_variant_regions;

void tact_variant_find_regions(tact_scene *scene, tact_variant_regions *regions);

// A copy of a scene with regions of its own, of those in own (NULL: none), in memory of the arena, which measures or places.
void tact_variant_place_copy(tact_scene *scene, const bool *own, tact_scene *copy, tact_arena *arena);

typedef struct {
    int draw, region;
    size_t offset;  // [bytes] in the region
} tact_variant_patch;

typedef struct {
    size_t at, size;  // [bytes] in the text
} tact_variant_span;

typedef struct {
    const char *path;
    tact_text folder;
    tact_text text;                  // with the values of the base
    tact_variant_span *span;         // (ndraw)
    int *order;                      // (ndraw) spans by their place
    tact_scene *scene;               // the base
    const char *law;                 // of --law; NULL
    bool patched;                    // patches say all
    bool quick;                      // and scratch of one environment serves all
    int nx;                          // the most of tact_linear_order, whatever is drawn
    int npatch, patch_room;          //
    tact_variant_patch *patch;       // (npatch)
    bool own[TACT_VARIANT_REGIONS];  // a patch is in the region
} tact_variant;

// Loads scene number k of a spec with the settings, and finds the patches; false after errors. Ends with tact_variant_free
// either way.
bool tact_variant_open(tact_variant *variant, const tact_batch_spec *spec, int k, const tact_scene_settings *settings,
                       tact_errors *errors);
void tact_variant_free(tact_variant *variant);

// The same of a text, whose name and law stay the caller's. Of the spec only the parameters and its document are read.
bool tact_variant_open_text(tact_variant *variant, const tact_batch_spec *spec, tact_source source, const char *folder,
                            const char *law, tact_errors *errors);

// The scene with a value for each parameter, all of them numbers; NULL after errors.
tact_scene *tact_variant_load_with(const tact_variant *variant, const tact_batch_spec *spec, const tact_real *value,
                                   tact_errors *errors);

// Sets a value for each parameter in a copy that has the regions of the patches for itself; false when they make no model.
bool tact_variant_patch_copy(const tact_variant *variant, const tact_real *value, tact_scene *copy);

// Adds the text of an environment.
void tact_variant_write(const tact_variant *variant, const tact_batch_spec *spec, long long environment, tact_text *out);

// Loads an environment's scene from its text; NULL after errors. One thread at a time.
tact_scene *tact_variant_load(const tact_variant *variant, const tact_batch_spec *spec, long long environment,
                              tact_errors *errors);

// True when another scene has the same counts of everything.
bool tact_variant_same_shape(const tact_model *a, const tact_model *b);

#endif
