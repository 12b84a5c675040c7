// SPDX-License-Identifier: MIT
// Finds where the values of parameters stand in a loaded scene.
#ifndef TACT_BATCH_PROBE_H
#define TACT_BATCH_PROBE_H

#include "tact/batch.h"

// Values with which a parameter is tried; number 0 is the base's.
tact_real tact_probe_value(const tact_draw *draw, int k);

// Fills the patches of a variant with its base, and says whether they are all. False after errors: a scene is refused.
bool tact_probe_all(tact_variant *variant, const tact_batch_spec *spec, tact_errors *errors);

// After the base was refused, with messages from kept on: with which values it was read.
void tact_probe_tell_base(const tact_batch_spec *spec, int kept, tact_errors *errors);

// The text with these values, and the scene of a text, which is freed; NULL after reporting.
void tact_variant_write_with(const tact_variant *variant, const tact_batch_spec *spec, const tact_real *value, const int *index,
                             tact_text *out);
tact_scene *tact_variant_parse(const tact_variant *variant, tact_text *text, tact_errors *errors);

#endif
