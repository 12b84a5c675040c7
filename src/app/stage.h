// SPDX-License-Identifier: MIT
// A scene that a command was given, with the memory to step it.
#ifndef TACT_APP_STAGE_H
#define TACT_APP_STAGE_H

#include "app/app.h"

// The options of commands that read URDF.
#define TACT_STAGE_URDF_OPTIONS                                                                                       \
    {"--strict", NULL, "refuse what is warned of otherwise: a scene surely not meant, a robot file that is wrong"}, { \
        "--verbose", NULL, "all warnings of a robot file, not only the first and how many follow"                     \
    }

// The options of commands that read a scene.
#define TACT_STAGE_OPTIONS                                                \
    {"--law", "LAW", "barrier, virtual or rigid instead of the scene's"}, \
        {"--set", "PATH=VALUE", "change a value of the scene, as options.kappa=1e4; may be repeated"}, TACT_STAGE_URDF_OPTIONS

// Reads the scene with the call's --law and --set, says what is wrong or worth a warning, and makes the world at its initial
// state. The exit code; the world is to be closed only when that is TACT_EXIT_DONE.
int tact_stage_open(const tact_call *call, const char *path, tact_world *world);

// The same under another law (NULL: as the call or the scene says), with more settings after those of the call.
int tact_stage_open_as(const tact_call *call, const char *path, const char *law, const char *const *more, int count,
                       tact_world *world);

// The same of a text; and of one that the command has written.
int tact_stage_parse(const tact_call *call, tact_source source, tact_world *world);
int tact_stage_parse_own(const tact_call *call, tact_source source, tact_world *world);

// Makes the world of a scene, which is then the world's; false without memory.
bool tact_stage_take(tact_scene *scene, tact_world *world);

// What --set and --law say; false when there is no memory for it. set is to be released.
bool tact_stage_settings(const tact_call *call, tact_scene_settings *settings, const char ***set, tact_errors *errors);

// Errors to begin with: what --strict and --verbose say.
tact_errors tact_stage_errors(const tact_call *call);

// The same under a law, where nothing is to be said but why it cannot be.
int tact_stage_parse_as(tact_source source, const char *law, tact_world *world);

// Says which shapes overlap where the scene begins. Under --strict the world is closed then; the exit code.
int tact_stage_check_start(const tact_call *call, tact_world *world);

// Says why a step of the world has no answer, or that it did not converge.
void tact_stage_say_step(const tact_call *call, const tact_world *world, long long step);

void tact_stage_close(tact_world *world);

#endif
