// SPDX-License-Identifier: MIT
// Options of commands that read robot descriptions: shapes of collision meshes, and the base.
#ifndef TACT_APP_FITS_H
#define TACT_APP_FITS_H

#include "app/app.h"

// [m] Above this a mesh or a shape of a robot is surely in millimetres.
#define TACT_MESH_LARGE 4.0

#define TACT_BASE_OPTION                                                                                               \
    {                                                                                                                  \
        "--base", "KIND",                                                                                              \
            "how the robot stands: fixed (usual), free (it floats) or driven (three prismatic, three revolute joints)" \
    }

// What --base says; the exit code, after saying what is wrong.
int tact_call_base(const tact_call *call, tact_base_joint *joint);

// kinds: the last of them
#define TACT_FIT_OPTIONS(kinds)                                                                                       \
    {"--fit", "[LINK=]KIND",                                                                                          \
     "shapes round collision meshes: sphere, capsule, box, " kinds "; may be repeated, the last that matches holds"}, \
        {"--packages", "DIR", "where the packages of package:// names are, besides above the robot file"}, {          \
        "--density", "KG/M^3", "mass and inertia of links that have none, from their shapes"                          \
    }

// What they say; rules is to be released in any case. robot: as in tact_draft_fit. The exit code, after saying what is wrong.
int tact_call_fit(const tact_call *call, const char *robot, tact_draft_fit *fit, const char ***rules);

// A bar of the progress that is the context, whose total is set, while a mesh is sampled. Always true.
bool tact_show_sampling(void *context, double share);

// Each line of the text as a message, and lines that differ in the name at their beginning alone as one; the text is used up.
void tact_say_lines(tact_text *text);

#endif
