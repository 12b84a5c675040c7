// SPDX-License-Identifier: MIT
// What a run came to.
#ifndef TACT_APP_SUMMARY_H
#define TACT_APP_SUMMARY_H

#include "tact/tact.h"

typedef struct {
    long long wanted, done;        // steps asked for, and made (those without an answer included)
    long long converged, limited;  // statuses 0 and > 0 ...
    long long ambiguous;           // ... of which other answers exist
    tact_status failure;           // of the step that ended the run; TACT_CONVERGED: none
    long long iterations;          // of all steps
    int most;                      // iterations of one step
    int loop;                      // that was the most open one
    long long open_step;           // after which step
    double open;                   // by how much [m]
} tact_tally;

void tact_tally_add(tact_tally *tally, const tact_work *work);

// Notes how far the loops are open after the last step. Uses the work's kinematics.
void tact_tally_add_loops(tact_tally *tally, tact_world *world);

// A table of the tally, where the unactuated bodies are and how far from their start, and the contacts of the last step that
// bear load, the largest first. digits: of numbers (table.h). Uses the work's kinematics.
void tact_summary_print(const tact_tally *tally, tact_world *world, int digits, tact_text *out);

// The same as one line of JSON, with all bodies and contacts.
void tact_summary_print_json(const tact_tally *tally, tact_world *world, tact_text *out);

#endif
