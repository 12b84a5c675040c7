// SPDX-License-Identifier: MIT
// Foxglove's messages of a run, as Protocol Buffers (foxglove.dev/docs/sdk/schemas): FrameTransforms for the bodies' poses,
// SceneUpdate for shapes and contacts.
#ifndef TACT_VIEW_FOXGLOVE_H
#define TACT_VIEW_FOXGLOVE_H

#include <stdint.h>

#include "tact/trace.h"
#include "view/picture.h"

// The messages' descriptors, a FileDescriptorSet.
void tact_foxglove_describe(tact_text *out);

// The pose of each body in the world; after tact_picture_move. time [ns].
void tact_foxglove_add_transforms(const tact_picture *picture, const tact_trace_header *header, uint64_t time, tact_text *out);

// All shapes and limbs, each in its body's frame, for as long as the scene is shown. reach: how far planes are drawn [m].
void tact_foxglove_add_shapes(const tact_picture *picture, const tact_trace_header *header, double reach, uint64_t time,
                              tact_text *out);

// The contacts of a step that bear load: a dot where each is, and an arrow for the force on b. newton: length of an arrow of 1 N
// [m].
void tact_foxglove_add_contacts(const tact_trace_header *header, const tact_trace_step *step, double newton, uint64_t time,
                                tact_text *out);

#endif
