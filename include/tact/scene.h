// SPDX-License-Identifier: MIT
// Scenes: reads a JSON file into a model with its options, command, forces and goal. Hosted: uses the heap and reads files.
#ifndef TACT_SCENE_H
#define TACT_SCENE_H

#include "tact/json.h"
#include "tact/mpc.h"
#include "tact/optimise.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TACT_COMMAND_HOLD,        // u = the present coordinates of the driven dofs, in every step
    TACT_COMMAND_FIXED,       // u = fixed
    TACT_COMMAND_TRAJECTORY,  // u interpolates between times, held before the first and after the last
} tact_command_mode;

typedef struct {
    tact_command_mode mode;
    tact_real *fixed;  // (nu) of fixed; of trajectory for dofs without a column of their own
    int ntime;         // of trajectory
    tact_real *times;  // (ntime) ascending [s]
    tact_real *u;      // (ntime, nu)
} tact_command;

// An external force on a body, constant (ntime = 1) or linear between times.
typedef struct {
    int body;
    int ntime;
    tact_real *times;     // (ntime) ascending [s]
    tact_wrench *wrench;  // (ntime)
} tact_force;

// The goal of `tact optimise` and `tact mpc`. The former plans commands that are linear between knots and begin at the initial
// coordinates, for all of the residuals (see tact/optimise.h); the latter brings the body to its pose.
typedef struct {
    int body;               // TACT_WORLD: no pose is given
    tact_vec3 position;     // of its origin, in the world [m]
    bool oriented;          // an orientation is given
    tact_quat orientation;  // of the body, in the world
    tact_real tolerance;  // distance at which the position is reached [m] (optimise); if a scene has only one of the two, of both
    tact_real position_tolerance;  // [m] the goal is reached within these two ... (mpc); likewise
    tact_real angle_tolerance;     // [rad] (both)
    tact_real hold;                // ... for this time [s] (mpc)

    // of tact optimise
    int horizon;                // N steps
    int knots;                  // that are free
    tact_real weight, path;     // of the squared distance at the end, of its mean on the way [1/m^2]
    tact_real angle_weight;     // of the squared angle at the end [1/rad^2]
    tact_real effort, posture;  // [1/J] as in tact_plan_task
    tact_real reach;            // of the mean squared distance of the fingertips from the body [1/m^2]
    int nresidual;              // 0: the scene has no goal
    tact_residual *residual;    // (nresidual) of all members above and of goal.terms
} tact_goal;

// How `tact mpc` plans: steps of the barrier law with options of their own.
typedef struct {
    tact_real dt;               // of a planning step [s]
    tact_real kappa;            // [1/J]
    tact_real epsilon;          // below 0: chosen so that the goal's body resists with 1000 N/m
    tact_real margin;           // [m]
    int horizon;                // planning steps
    tact_real rate;             // solves a second [1/s]
    tact_real position_weight;  // [1/m^2]
    tact_real angle_weight;     // [1/rad^2]
    int region;                 // 1: changes of the plan also stay within the trust regions of the contacts
    tact_mpc_options control;   // its tick is 1/rate
} tact_mpc_settings;

typedef struct {
    tact_model model;       // names filled
    tact_options options;   //
    tact_command command;   //
    int nforce;             //
    tact_force *force;      // (nforce)
    tact_goal goal;         //
    tact_mpc_settings mpc;  //
    void *memory;           // see tact_scene_free
} tact_scene;

// Reads a scene file ("-" is standard input). Returns a scene that the caller frees with tact_scene_free, or NULL if the file is
// refused; message then has the first reason, FILE:LINE:COL: /json/path: reason.
tact_scene *tact_scene_load(const char *path, char *message, size_t message_size);

// Frees a scene with its model, and all that was read from it; NULL is allowed.
void tact_scene_free(tact_scene *scene);

// How far driven links go, where nothing but they can bring a body to a goal.
typedef struct {
    double beyond;   // of the goal from the nearest place where one of them can touch the body [m]
    double within;   // what can be reached lies so far at most from [m] ...
    tact_vec3 from;  // ... where the first joint of the nearest chain of joints stands, in the world
} tact_goal_reach;

// Whether the goal is beyond all driven links. False where it is not known, as with loops and forces, or without memory.
bool tact_goal_find_reach(const tact_scene *scene, const tact_goal *goal, tact_goal_reach *reach);

// The scene's command u (nu) for a state, at its time.
void tact_scene_command(const tact_scene *scene, const tact_state *state, tact_real *u);

// The sum of the scene's external forces on each body (nbody) at the state's time, 0 for others; false if the scene has none.
bool tact_scene_wrench(const tact_scene *scene, const tact_state *state, tact_wrench *wrench);

// A planner for the scene's goal, with memory of its own. Initialise it with {0}; free it with tact_scene_plan_close.
typedef struct {
    const tact_scene *scene;
    tact_planner planner;
    tact_command command;  // the trajectory of the planner's knots, after tact_scene_plan_command
    tact_wrench *wrench;   // (nbody) scratch
    tact_real *row;        // (horizon + 1, nu) scratch
    void *memory;
} tact_scene_plan;

// Prepares the planner. False if memory is short, or if fault names what the task lacks: see tact_plan_check.
bool tact_scene_plan_open(tact_scene_plan *plan, const tact_scene *scene, const tact_state *start, tact_plan_method method,
                          tact_fault *fault);

// Frees the memory of the planner and sets plan to zero; also after an open that failed. The scene stays.
void tact_scene_plan_close(tact_scene_plan *plan);

// Sets the first iterate to hold; drives of a force have those that the scene commands.
void tact_scene_plan_hold(tact_scene_plan *plan);

// Sets the first iterate to the scene's command at the times of the steps.
void tact_scene_plan_take(tact_scene_plan *plan);

// Sets plan->command to the trajectory of the planner's x.
void tact_scene_plan_command(tact_scene_plan *plan);

// Why a search may have missed its goal.
typedef struct {
    bool numb;     // no command affects the residuals
    bool jumps;    // pairs entered or left the margin between iterates, rollouts differed from the prediction, and a wider margin
                   // is not beyond the size of the goal's body
    bool anchors;  // some were at their cap at the end, where the gradient is one-sided, and a search without them has not been
                   // tried
    bool far;      // every driven body begins farther from the others than a quarter of the size of the goal's body
    int pair;      // if numb, the nearest pair of a driven and an undriven body; -1: none is outside the margin
    tact_real gap;                    // of that pair at the start [m]
    tact_real margin, wanted_margin;  // used, and to try [m]
    tact_real jump;                   // of a force at the margin [N]
} tact_advice;

// The advice for a search that ended so, from the scene at its start and the plan's last evaluation.
tact_advice tact_scene_plan_advise(const tact_scene_plan *plan, const tact_plan_result *result);

// A scene with state, scratch and command: the short way to begin.
typedef struct {
    tact_scene *scene;
    tact_state state;
    tact_work work;
    tact_real *u;         // (nu) the command. A value that a program writes here holds for all following steps, until
                          // tact_world_command; before the first write each step stores the scene's command here
    tact_wrench *wrench;  // (nbody)
    void *memory;
    bool own;          // u is the program's. Set by a step that finds u changed; a program may set it itself
    tact_real *given;  // (nu) the scene's last command, with which u is compared; NULL: only own decides
} tact_world;

// Opens a scene file; NULL as tact_scene_load. The caller closes it. path must be a file: only the command and Python find
// installed scenes by name (hand_lift).
tact_world *tact_world_open(const char *path, char *message, size_t message_size);

// Frees the world with its scene; NULL is allowed.
void tact_world_close(tact_world *world);

// One step with the forces of the scene and the command u: the program's if it has written one, otherwise the scene's.
tact_status tact_world_step(tact_world *world);

// Sets u to the scene's command at the present state; the following steps use the scene's command again.
void tact_world_command(tact_world *world);

// What a caller, or the command line, changes of a scene that it loads. Starts as {0}.
typedef struct {
    const char *const *set;  // (nset) "path=value", of --set: options.kappa=1e4 or /options/kappa=1e4
    int nset;
    const char *option;       // by which those from number first on were given, in messages; NULL: --set
    int first;                //
    const char *law;          // of --law, instead of the scene's; NULL: the scene's
    bool own;                 // a command wrote the text: nothing in it is suspect
    const tact_json *origin;  // the document in which the settings stand, at a node; NULL: the command line
    int node;
    bool several;  // it is loaded under several laws in turn: values that this one does not read are not suspect
    bool finds;    // the caller goes by tact_step_model; of others "max_contacts" lists all pairs, after a warning
} tact_scene_settings;

// tact_scene_load with settings and all messages. NULL when it is refused or cannot be read: then errors says why, and
// tact_errors_exit(errors) is the exit code. Warnings may come with a scene, too. settings: NULL for none.
tact_scene *tact_scene_read(const char *path, const tact_scene_settings *settings, tact_errors *errors);

// The same of a text. The files of robots are found from folder, which is "" or ends with "/".
tact_scene *tact_scene_parse(tact_source source, const char *folder, const tact_scene_settings *settings, tact_errors *errors);

// A text with the settings worked in, for tact_scene_parse: false when one of them is refused. result is only filled when
// there are any.
bool tact_scene_apply(tact_source source, const tact_scene_settings *settings, tact_text *result, tact_errors *errors);

// The number of an option by its key, as a scene has it: "dt"; of "margin" and "force_min" what is in force. False: it is a word.
bool tact_scene_option(const tact_scene *scene, const char *name, tact_real *value);

// The value to which the path of a setting leads in a document, "options.kappa" or "/options/kappa"; -1 when it is not there.
int tact_scene_find(const tact_json *json, const char *path);

// Whether a robot's file is read as XML, URDF or MJCF: its name ends with .urdf, .xml or .mjcf, in whatever case.
bool tact_scene_is_urdf(const char *path);

// Whether a file is that of one of the robots that a scene names. False, too, of a scene that cannot be read.
bool tact_scene_names_robot(const char *path, const char *file);

// Reads a goal as a scene has it at a node (-1: all defaults). Its body's name, which is left to find; NULL after reporting what
// is wrong, or without one.
const char *tact_scene_read_pose_goal(const tact_json *json, int node, tact_goal *goal);

// The four numbers w of a node as a unit quaternion; false after reporting another length.
bool tact_scene_read_orientation(const tact_json *json, int node, const tact_real w[4], tact_quat *orientation);

// Whether an orientation is one with its numbers in the order x, y, z, w: half a turn about a tilted axis, more than 90 degrees
// from where the body starts, and in the other order a turn about one axis, less than 90 degrees from there. What it would be
// [degrees], or -1.
double tact_scene_swapped_turn(tact_quat q, tact_quat start);

// What is drawn for a body: a file of triangles, named in the file from.
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

// The same as JSON Schema (draft 2020-12), for editors that complete and check: looser than the reader, which sees more.
void tact_scene_schema(tact_text *out);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
