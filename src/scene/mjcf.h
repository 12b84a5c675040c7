// SPDX-License-Identifier: MIT
// MJCF: models of MuJoCo in XML, read into the same lists as robot files. Bodies keep their names and frames, joints their names
// and coordinates; geoms that collide become shapes, meshes are listed by name. Position actuators become drives, linear
// equalities of joints mimics. What a robot file cannot hold is left out, and one list tells how often; docs/import.md has the
// whole of it.
//
// A body with several joints, or one whose hinge is off its origin, gets bodies without mass in between, named BODY_joint_1 and
// so on. Files that are included, and meshes that are needed for a mass, are opened only inside the model's own folder
// (scene/mesh_path.h).
#ifndef TACT_SCENE_MJCF_H
#define TACT_SCENE_MJCF_H

#include "scene/xml.h"
#include "tact/draft.h"

// Appends bodies, shapes, drives and meshes to the draft, as tact_urdf_read_xml does. xml is the parsed document, its name the
// path from which other files are found; it stays the caller's.
bool tact_mjcf_read_xml(tact_draft *draft, const tact_xml *xml);

// The same from a text already read, which may go once this returns.
bool tact_mjcf_read_source(tact_draft *draft, tact_source source);

#endif
