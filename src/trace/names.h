// SPDX-License-Identifier: MIT
// What things are called in traces and tables. A model without names gets numbers.
#ifndef TACT_TRACE_NAMES_H
#define TACT_TRACE_NAMES_H

#include "scene/text.h"
#include "tact/law.h"

// By value, to be used within one call.
typedef struct {
    char text[272];
} tact_thing_name;

tact_thing_name tact_body_name(const tact_model *model, int body);  // TACT_WORLD: "world"
tact_thing_name tact_joint_name(const tact_model *model, int body);
tact_thing_name tact_shape_name(const tact_model *model, int shape);

// The joint's name; of a joint with several dofs with the one meant: ball.x, tray.angle, box.wx (turn about x), box.vx.
tact_thing_name tact_dof_name(const tact_model *model, int dof);

// Likewise: ball.x, tray.angle, box.x, box.qw.
tact_thing_name tact_coordinate_name(const tact_model *model, int q);

#endif
