// SPDX-License-Identifier: MIT
// States one after the other, of a recorded run or of a scene that is stepped on the way: what plots and pictures are made of.
#ifndef TACT_APP_RECORDING_H
#define TACT_APP_RECORDING_H

#include "app/stage.h"

// Ends with tact_recording_close.
typedef struct {
    const tact_trace_header *header;  // as of a trace
    const tact_json *json;            // its first line; reports to errors
    tact_errors errors;
    tact_trace_step step;       // the state at hand
    tact_trace_reader *reader;  // of a trace; NULL for a scene
    tact_world world;           // of a scene
    tact_trace_header own;
    const tact_call *call;
    long long made, steps;  // of a scene
    tact_progress progress;
    tact_text text;  // its first line as a trace would have it
    tact_json parsed;
    bool open;  // parsed is in use
    tact_trace_contact *contact;
    int room;
} tact_recording;

// True when the file's first line is that of a trace; "-" is taken for one. *code is that of a file which cannot be read, after a
// message.
bool tact_recording_is_trace(const char *path, int *code);

// Where all operands are traces: false after saying so when an option of scenes is given.
bool tact_recording_check_options(const tact_call *call);

// The exit code; only after TACT_EXIT_DONE there is a recording. steps: to be made of a scene.
int tact_recording_open(tact_recording *recording, const tact_call *call, const char *path, long long steps);

// The next state, the initial one first. False at the end, when *code says how it came to it.
bool tact_recording_next(tact_recording *recording, int *code);

void tact_recording_close(tact_recording *recording);

// What does not fit the scene: "coordinates", "commands", "pairs", "time step"; NULL: the trace is one of it.
const char *tact_recording_difference(const tact_scene *scene, const tact_trace_header *header);

#endif
