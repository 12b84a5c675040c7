// SPDX-License-Identifier: MIT
// Roadmaps: a graph of stable grasps of a body and of the motions by which the controller reaches one from another, for goals
// that are far away. Hosted: uses the heap, threads and files.
//
// A node is a state at rest. Sample s drops the body at a random orientation while the hand goes to a random posture, and is kept
// if the body then stays at rest. An edge is an extension that succeeded: from the state of node a the controller brings the
// body to the pose of b, the hand takes the posture of b, and the body is still there. Extensions are tried from each node to its
// nearest others. Each sample and extension is a function of the seed and its number alone: any number of threads writes the same
// bytes.
//
// The file is JSON Lines: a header with model and options; nodes {"node","sample","q","u"}; extensions
// {"edge","from","to","arrived","time"}, null if one failed. Lines are appended as they are found. A build that was killed
// continues after the last complete line.
#ifndef TACT_ROADMAP_H
#define TACT_ROADMAP_H

#include "tact/control.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

enum { TACT_ROADMAP_NODES_MAX = 10000, TACT_ROADMAP_NEIGHBOURS_MAX = 100 };

typedef struct {
    int nodes;       // wanted
    int neighbours;  // extensions that are tried from each
    int seed;
    tact_real rate;  // solves a second in extensions [1/s]
    tact_real time;  // most for an extension, without its regrasp [s]
} tact_roadmap_options;

// 120 nodes, 8 neighbours, seed 1, 20 solves a second, 2 s.
tact_roadmap_options tact_roadmap_options_default(void);

typedef struct {
    int from, to;
    tact_real arrived;  // when the body had the pose [s]; below 0: it did not come there
    tact_real time;     // when the hand had the posture, too [s]; below 0: it did not hold
} tact_roadmap_edge;

// Starts as {0}; ends with tact_roadmap_free.
typedef struct {
    const tact_scene *scene;  // of the controller: its law is the barrier law, its goal has a body with a free joint
    const char *path;
    tact_roadmap_options options;
    int nnode, nedge;         // that are there
    long long samples;        // that are done
    tact_real *q, *u;         // (nodes, nq) states at rest, (nodes, nu) commands that hold there
    tact_quat *orientation;   // (nodes) of the body
    tact_vec3 *position;      //
    tact_roadmap_edge *edge;  // (nodes neighbours) that were tried, from the nodes in their order
    int file;                 // descriptor of a build
    void *memory;
} tact_roadmap;

// How many extensions a whole roadmap has tried.
int tact_roadmap_edges(const tact_roadmap *map);

// Reads a roadmap of the scene's model. False after errors: what is wrong is named with its line.
bool tact_roadmap_read(tact_roadmap *map, const tact_scene *scene, const char *path, tact_errors *errors);

// Begins a roadmap, or continues one that was begun with the same options; the file is locked until tact_roadmap_free. False
// after errors.
bool tact_roadmap_open(tact_roadmap *map, const tact_scene *scene, const tact_roadmap_options *options, const char *path,
                       tact_errors *errors);

// Closes and unlocks the file, and frees the map; also after an open or read that failed.
void tact_roadmap_free(tact_roadmap *map);

// Builds the roadmap. plant: the same scene under the law of the simulation, usually the rigid one, with its own step. report
// (may be NULL) is called with the finished part of nodes + edges; if it returns false the build ends in order. False after
// errors, or if report ended it; "too few samples hold" is the error for a hand that drops the body.
bool tact_roadmap_build(tact_roadmap *map, const tact_scene *plant, int threads, bool (*report)(void *context, int done),
                        void *context, tact_errors *errors);

// Turns of a roadmap's cost are counted in steps of pi/TACT_ROADMAP_TURNS.
enum { TACT_ROADMAP_TURNS = 12 };

// The state of the controller on its path to a goal. Starts as {0}; ends with tact_roadmap_guide_close.
typedef struct {
    const tact_roadmap *map;
    tact_pose_goal goal;
    int at;              // node whose grasp the hand has; -1: none
    int to;              // node that is sought; -1: the goal itself
    int legs;            // nodes sought so far
    bool regrasping;     //
    tact_real expected;  // time from here to the goal, as the roadmap has it [s]
    tact_real *value;    // (nodes) the same from each node
    tact_real *arrival;  // (TACT_ROADMAP_TURNS) time to a pose by its turn, with what failing costs [s] ...
    tact_real *grasp;    // ... and to a node
    int *failures;       // (nodes + 1) legs to a node that did not reach it; the last of the goal itself
    tact_real *rest;     // (nu) the controller's own
    void *memory;
} tact_roadmap_guide;

// False without memory.
bool tact_roadmap_guide_open(tact_roadmap_guide *guide, const tact_roadmap *map);

// Frees the guide's memory and sets it to zero; the map stays.
void tact_roadmap_guide_close(tact_roadmap_guide *guide);

// Finds the path from q to the goal with the least sum of times: tried edges count their time, untried legs the total time of
// extensions with an equally large rotation over the number that succeeded. The controller must have been reset. A leg without
// progress for the controller's patience is replaced by the best other one; the controller's own regrasps are off meanwhile.
void tact_roadmap_guide_begin(tact_roadmap_guide *guide, tact_mpc *mpc, const tact_pose_goal *goal, const tact_real *q);

// Call before each solve: the target pose for the measured q. On the path to a node the control options are those of an
// extension.
tact_pose_goal tact_roadmap_guide_goal(tact_roadmap_guide *guide, tact_mpc *mpc, tact_mpc_options *control, const tact_real *q);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
