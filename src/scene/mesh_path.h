// SPDX-License-Identifier: MIT
// The names by which robot files call their meshes. A mesh lies in the file's own package: below the folder of the file, or
// below the one that holds it (urdf/ beside meshes/), or where package://NAME/ says; never elsewhere, and never on a network.
#ifndef TACT_SCENE_MESH_PATH_H
#define TACT_SCENE_MESH_PATH_H

#include "tact/text.h"

// The part behind package://, "NAME/path"; NULL for other names.
const char *tact_mesh_package(const char *file);

// True when the name as it is written stays inside the package. Symbolic links are for those who open it to follow.
bool tact_mesh_inside(const char *file);

// Makes a full path one from the folder of the robot's file; false where it is outside that, or why not.
bool tact_mesh_relate(char *path, size_t size, const char *robot, tact_reason *why);

// The path without links, in memory of malloc; NULL where there is no such file.
char *tact_mesh_real(const char *path);

// Whether a path ends so, in letters of either case; end: in small letters.
bool tact_path_ends(const char *path, const char *end);

// Moves to the name without folders; the length of that without its last extension.
int tact_mesh_stem(const char **path);

#endif
