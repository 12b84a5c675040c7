// SPDX-License-Identifier: MIT
// Where a mesh that a robot names lies on the disk. Files are opened only below the root of a package: see scene/mesh_path.h;
// symbolic links are followed first, and must not lead out of it.
#ifndef TACT_SCENE_MESH_FILE_H
#define TACT_SCENE_MESH_FILE_H

#include "tact/errors.h"

// The path without links, in memory of malloc; NULL and why where there is no such file. file: as it is written; robot: the path
// of the file that names it; packages: the folder of the packages of package://, or NULL.
char *tact_mesh_file(const char *file, const char *robot, const char *packages, tact_reason *why);

#endif
