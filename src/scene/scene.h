// SPDX-License-Identifier: MIT
// Loading for the command: all messages, overrides, and the help of the format. tact_scene_load is the short way.
#ifndef TACT_SCENE_SCENE_H
#define TACT_SCENE_SCENE_H

#include "scene/errors.h"
#include "scene/json.h"
#include "scene/text.h"
#include "tact/scene.h"

// What the command line changes. Starts as {0}.
typedef struct {
    const char *const *set;  // (nset) "path=value", of --set: options.kappa=1e4 or /options/kappa=1e4
    int nset;
    const char *law;          // of --law, instead of the scene's; NULL: the scene's
    bool own;                 // a command wrote the text: nothing in it is suspect
    const tact_json *origin;  // the document in which the settings stand, at a node; NULL: the command line
    int node;
} tact_scene_settings;

// Reads a scene file ("-" is standard input). NULL when it is refused or cannot be read: then errors says why, and
// tact_errors_exit(errors) is the exit code. Warnings may come with a scene, too. settings: NULL for none.
tact_scene *tact_scene_read(const char *path, const tact_scene_settings *settings, tact_errors *errors);

// The same of a text. The files of robots are found from folder, which is "" or ends with "/".
tact_scene *tact_scene_parse(tact_source source, const char *folder, const tact_scene_settings *settings, tact_errors *errors);

// A text with the settings worked in, for tact_scene_parse: false when one of them is refused. result is only filled when
// there are any.
bool tact_scene_apply(tact_source source, const tact_scene_settings *settings, tact_text *result, tact_errors *errors);

// The value to which the path of a setting leads in a document, "options.kappa" or "/options/kappa"; -1 when it is not there.
int tact_scene_find(const tact_json *json, const char *path);

// Whether a robot's file is read as XML, URDF or MJCF: its name ends with .urdf, .xml or .mjcf, in whatever case.
bool tact_scene_is_urdf(const char *path);

// Whether a file is that of one of the robots that a scene names. False, too, of a scene that cannot be read.
bool tact_scene_names_robot(const char *path, const char *file);

// Reads a goal as a scene has it at a node (-1: all defaults). Its body's name, which is left to find; NULL after reporting what
// is wrong, or without one.
const char *tact_scene_read_pose_goal(const tact_json *json, int node, tact_goal *goal);

// What is drawn for a body: see tact_draft_mesh. from: the path of the file that names it.
typedef struct {
    const char *body, *file, *from;
    tact_pose place;  // in the body
    tact_real scale[3];
} tact_scene_mesh;

// Calls visit for the meshes of a scene's robots and bodies, with their names in the model. False when the files are refused or
// memory is out.
bool tact_scene_visit_meshes(const char *path, void (*visit)(void *context, const tact_scene_mesh *mesh), void *context,
                             tact_errors *errors);

// `tact help scene`: all keys of the format with what may stand there, what holds without them and what they mean.
void tact_scene_help(tact_text *out);

#endif
