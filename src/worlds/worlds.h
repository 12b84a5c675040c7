// SPDX-License-Identifier: MIT
// Inside a tact_worlds.
#ifndef TACT_WORLDS_WORLDS_H
#define TACT_WORLDS_WORLDS_H

#include <stdatomic.h>

#include "batch/group.h"
#include "batch/slopes.h"
#include "tact/worlds.h"
#include "worlds/crew.h"

// Numbers that differ between worlds.
typedef struct {
    char *path;
    tact_real *value;  // (count)
} tact_worlds_column;

struct tact_worlds {
    int count, threads, lanes;
    char *name, *law;          // of the scene as messages name it; of the option law, or NULL
    tact_text text, folder;    //
    tact_scene *scene;         // of all worlds; of the variant, once something is set
    tact_variant *variant;     // NULL: nothing is set
    tact_scene *copy;          // (count) where numbers differ, with regions of their own; NULL
    void *copies;              // memory of these
    tact_scene **loaded;       // (count) where that does not say all; NULL
    int ncolumn, column_room;  //
    tact_worlds_column *column;
    void *states;        // (count) memory of the states
    size_t state_size;   // [bytes] of one
    tact_state *state;   // (count)
    tact_real *u;        // (count, nu)
    tact_real *pose;     // (count, nbody, 12); NULL until it is asked for
    tact_real *touch;    // (count, npair, 2) shapes of the pairs of the contacts; NULL before one looks at them
    tact_real *contact;  // (count, npair, 10) gaps, points, normals, forces of all pairs; likewise
    tact_kinematics kinematics;
    void *kinematics_memory;             //
    char **names[6];                     // by kind
    double *points;                      // of the polygon that was asked for last
    tact_crew *crew;                     //
    int nmember, portion;                // members that are placed, and for how many worlds
    bool rests;                          // with memory of states
    tact_group *member;                  // the portions that threads step
    char *warning[TACT_ERRORS_MAX + 1];  // of the opening, then NULL
    char **reason;                       // (count) of worlds whose last step had no answer; NULL
    atomic_bool reasons;                 // there is one
    bool (*go_on)(void *context);        // asked between steps; NULL
    void *watch_context;                 //
    atomic_bool stopped;                 // it said no
    char message[TACT_ERROR_LENGTH];
};

static inline const tact_scene *tact_worlds_scene(const tact_worlds *worlds, int i) {
    return worlds->loaded ? worlds->loaded[i] : worlds->copy ? &worlds->copy[i] : worlds->scene;
}

// Says why a call failed, and returns the status.
tact_status tact_worlds_say(tact_worlds *worlds, tact_status status, const char *format, ...) TACT_PRINTF(3, 4);

// Keeps why a step of a world had no answer, of a work that made it; forgets the reasons of all.
void tact_worlds_keep_reason(tact_worlds *worlds, int world, const tact_work *work);

// Takes down which shapes the pairs of a step are, where somebody looks at them.
void tact_worlds_record_touch(tact_worlds *worlds, int world, const tact_work *work);
void tact_worlds_forget_reasons(tact_worlds *worlds);

// Whether a call goes on; member: who asks, 0 on the caller's thread.
bool tact_worlds_goes_on(tact_worlds *worlds, int member);

// What a call returns that was stopped, with its message; else the status.
tact_status tact_worlds_conclude(tact_worlds *worlds, tact_status status);

// The first error of a list as the message.
tact_status tact_worlds_say_errors(tact_worlds *worlds, const tact_errors *errors);

// Of the scratch of a step, the most of all worlds [bytes].
size_t tact_worlds_work_size(const tact_worlds *worlds);

// Makes scratch for so many threads and worlds of a portion; false: no memory.
bool tact_worlds_prepare(tact_worlds *worlds, int members, int portion, bool rests);
void tact_worlds_release_members(tact_worlds *worlds);

// Forgets what was set.
void tact_worlds_release_copies(tact_worlds *worlds);

// The numbers of a model that a path stands for, as parameters of a step; room for most. Returns how many; -1 after a message.
int tact_worlds_find_parameters(tact_worlds *worlds, const char *path, tact_parameter *parameter, int most);

// x_bar = T'q_bar and q_bar = T (T'T)^-1 x_bar, added; kinematics are at q.
void tact_tangent_pull(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q, const tact_real *q_bar,
                       tact_real *x_bar);
void tact_tangent_push(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q, const tact_real *x_bar,
                       tact_real *q_bar);

tact_status tact_worlds_check_start(tact_worlds *worlds, const tact_worlds_run *run);

// Puts a state where a rollout of world i begins.
void tact_worlds_begin(const tact_worlds *worlds, const tact_worlds_run *run, int i, tact_state *state);

#endif
