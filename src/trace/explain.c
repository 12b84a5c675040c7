// SPDX-License-Identifier: MIT
// What a program or a person is told about a step, in words.
#include <stdio.h>

#include "tact/keys.h"
#include "tact/sim.h"
#include "tact/text.h"
#include "tact/trace.h"

#define DRIFT TACT_REAL(1e-3)  // [m] by which shapes come to overlap under the law rigid

// A name cut so that two of them and a sentence fit.
static tact_thing_name quote_shape(const tact_model *model, int shape) {
    tact_thing_name name;
    snprintf(name.text, sizeof name.text, "%.255s", tact_quote(tact_shape_name(model, shape).text).text);
    return name;
}

tact_sentence tact_step_explain(const tact_model *model, const tact_work *work) {
    TACT_ASSERT(model && work);
    tact_sentence to;
    const char *status = tact_status_name(work->status);
    bool contradiction = (work->status == TACT_INFEASIBLE || work->status == TACT_UNSOLVABLE) && work->worst_pair >= 0;
    if (work->status == TACT_NO_MEMORY && model->search) {
        // more pairs than there is room for, or a factor of them that fills up more
        snprintf(to.text, sizeof to.text, "%s: %d pairs come near: raise max_contacts (%d)%s", status, work->fault.index,
                 model->search->most,
                 work->fault.index > model->search->most ? "" : ", by which the solver's memory is measured");
    } else if (work->status == TACT_NO_MEMORY) {
        snprintf(to.text, sizeof to.text,
                 "%s: %d contacts act on each other more than the memory of a step is measured for: fewer "
                 "pairs, or a smaller options.margin",
                 status, work->contacts.count);
    } else if (work->fault.field) {
        snprintf(to.text, sizeof to.text,
                 "%s: %s[%d] is not finite, too large, or of a quaternion or normal that has not the length 1", status,
                 work->fault.field, work->fault.index);
    } else if (work->status == TACT_SINGULAR && work->worst_dof >= 0) {
        snprintf(to.text, sizeof to.text, "%s: nothing gives %s inertia: a mass or an inertia of its body, or a drive", status,
                 tact_quote(tact_dof_name(model, work->worst_dof).text).text);
    } else if (contradiction) {
        const tact_pair *pair = &tact_step_model(model, work)->pair[work->worst_pair];
        const char *why = work->status == TACT_INFEASIBLE ? "the contacts contradict each other, most of all"
                                                          : "no force stops what friction pulls into each other,";
        snprintf(to.text, sizeof to.text, "%s: %s %s and %s", status, why, quote_shape(model, pair->a).text,
                 quote_shape(model, pair->b).text);
    } else {
        // what is seldom seen, and why
        const char *why =
            work->status == TACT_UNDECIDED
                ? ": neither an answer nor a proof that there is none was found; shapes that begin deep within each "
                  "other do this, as beyond a plane whose normal points the wrong way, and limits without room"
            : work->status == TACT_SINGULAR
                ? ": a motion that nothing holds: a mass, an inertia or options.epsilon of 0, or no drive"
            : work->status == TACT_ITERATION_LIMIT
                ? ": options.max_iterations did not suffice, or options.tolerance is below rounding"
                : "";
        snprintf(to.text, sizeof to.text, "%s%s", status, why);
    }
    return to;
}

tact_overlap tact_overlap_find(const tact_model *model, const tact_real *q, tact_work *work) {
    TACT_ASSERT(model && q && work);
    tact_overlap found = {.pair = -1};
    // Contacts of no margin are those with a gap below 0.
    tact_kinematics_update(&work->kinematics, model, q);
    tact_contacts_detect(&work->contacts, model, &work->kinematics, 0, NULL);
    found.count = work->contacts.count;
    for (int i = 0; i < found.count; i++) {
        const tact_contact *contact = &work->contacts.contact[i];
        if (found.pair >= 0 && -contact->gap <= found.depth) continue;
        found.pair = contact->pair;
        found.depth = -contact->gap;
    }
    work->contacts.count = 0;
    return found;
}

tact_sentence tact_overlap_say(const tact_model *model, const tact_overlap *overlap, const char *when) {
    TACT_ASSERT(model && overlap && overlap->pair >= 0 && when);
    tact_sentence to;
    const tact_pair *pair = &model->pair[overlap->pair];
    snprintf(to.text, sizeof to.text, "%d pair%s overlap%s at the %s, deepest %s and %s by %s m", overlap->count,
             overlap->count == 1 ? "" : "s", overlap->count == 1 ? "s" : "", when, quote_shape(model, pair->a).text,
             quote_shape(model, pair->b).text, tact_number_print(tact_key_round((double)overlap->depth, 4)).text);
    return to;
}

tact_sentence tact_overlap_explain(const tact_model *model, const tact_real *q, tact_real least, const char *when,
                                   tact_work *work) {
    TACT_ASSERT(model && q && when && work);
    tact_sentence none = {""};
    // under the virtual law shapes in contact do overlap, and a little also where the answer is a velocity
    if (model->law->springs) return none;
    if (model->law->velocities && least < DRIFT) least = DRIFT;
    tact_overlap overlap = tact_overlap_find(model, q, work);
    return overlap.depth > least ? tact_overlap_say(model, &overlap, when) : none;
}
