// SPDX-License-Identifier: MIT
// URDF: robot descriptions in XML, read into the same lists as robot files. Links become bodies and collision geometry
// shapes: box, cylinder, sphere and capsule. Meshes of visual elements are listed by name and never
// opened; those of collision elements are warned of, or, where the draft has fits, opened and fitted by shapes. dynamics,
// material, transmission, gazebo and other extensions are passed over, and so is what a visual element says wrongly. What else is
// not read is warned of.
//
// A root link "world" is the world; any other root becomes a body fixed to it by a joint ROOT_fixed. The bodies follow the
// order of the joints in the file. A planar joint whose normal is not z gets a body LINK_plane in between, turned so that
// its z is the normal; the link's own frame stays as URDF has it.
#ifndef TACT_SCENE_URDF_H
#define TACT_SCENE_URDF_H

#include "scene/xml.h"
#include "tact/draft.h"

// Appends the links as bodies, the collision geometry as shapes and nothing else to the draft, in the order of the file,
// with the file's own names (no prefix) and robot left alone. False when it is refused or memory is out: then the draft's
// errors have at least one more. The document stays the caller's.
bool tact_urdf_read_xml(tact_draft *draft, const tact_xml *xml);

// The same from a text already read, which may go once this returns.
bool tact_urdf_read_source(tact_draft *draft, tact_source source);

#endif
