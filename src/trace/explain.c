// SPDX-License-Identifier: MIT
// What a program or a person is told about a step, in words.
#include <stdio.h>
#include <string.h>

#include "tact/geom.h"
#include "tact/keys.h"
#include "tact/trace.h"

#define DRIFT TACT_REAL(1e-3)  // [m] by which shapes come to overlap under the law rigid

// A name cut so that two of them and a sentence fit.
static tact_thing_name quote_shape(const tact_model *model, int shape) {
    tact_thing_name name;
    snprintf(name.text, sizeof name.text, "%.255s", tact_quote(tact_shape_name(model, shape).text).text);
    return name;
}

static tact_pose place_shape(const tact_model *model, const tact_work *work, int shape) {
    const tact_shape *of = &model->shape[shape];
    return of->body < 0 ? of->place : tact_pose_multiply(work->kinematics.pose[of->body], of->place);
}

// Of a pair of two boxes or hulls, of which vertices and edges are paired, these shapes in the place of a and b.
static bool find_solids(const tact_model *model, tact_overlap *of) {
    const int *slot_of = model->names ? model->names->slot_of : NULL;
    int whole[2] = {of->a, of->b};
    for (int k = 0; k < 2; k++) {
        if (slot_of && slot_of[whole[k]] >= 0) whole[k] = slot_of[whole[k]];
        const tact_shape_type type = model->shape[whole[k]].type;
        if (type != TACT_SHAPE_BOX && type != TACT_SHAPE_HULL) return false;
    }
    of->a = whole[0] < whole[1] ? whole[0] : whole[1];
    of->b = whole[0] < whole[1] ? whole[1] : whole[0];
    return true;
}

// The shapes of a pair, and by how much they overlap: boxes and hulls whose faces are flush have no vertex within each other.
static tact_overlap measure_pair(const tact_model *model, const tact_work *work, int pair, tact_real gap,
                                 const tact_overlap *before) {
    const tact_pair *of = &tact_step_model(model, work)->pair[pair];
    tact_overlap at = {.count = 1, .pair = pair, .a = of->a, .b = of->b, .depth = -gap};
    tact_pair_distance apart;
    if (!find_solids(model, &at)) return at;
    // told with the first of its vertices
    if (before && at.a == before->a && at.b == before->b) return *before;
    const tact_pose a = place_shape(model, work, at.a), b = place_shape(model, work, at.b);
    if (tact_shape_pair_distance(&model->shape[at.a], &a, &model->shape[at.b], &b, &apart)) at.depth = -apart.gap;
    return at;
}

// Adds which normal to set where one of two shapes that overlap is a plane that has the middle of the other on its solid side, as
// it does where the normal points into the solid.
static void add_wrong_side(const tact_model *model, const tact_work *work, int a, int b, tact_sentence *to) {
    bool first = model->shape[a].type == TACT_SHAPE_PLANE;
    int plane = first ? a : b, other = first ? b : a;
    if (model->shape[plane].type != TACT_SHAPE_PLANE || model->shape[other].type == TACT_SHAPE_UNION) return;
    tact_pose ground = place_shape(model, work, plane);
    tact_vec3 from = tact_vec3_sub(place_shape(model, work, other).p, ground.p), n = tact_mat3_column(ground.R, 2);
    size_t size = strlen(to->text);
    if (tact_vec3_dot(n, from) > 0) return;
    snprintf(to->text + size, sizeof to->text - size,
             ": a plane's normal points out of the solid, to the side of %s (%s has %.3g, %.3g, %.3g; up is 0, 0, 1, or 0, 1, 0 "
             "where y is up)",
             quote_shape(model, other).text, quote_shape(model, plane).text, (double)n.x, (double)n.y, (double)n.z);
}

// Of a pair that overlaps: its shapes, how deep, and whether one of them lies below a plane as a whole.
static tact_sentence explain_pair(const tact_model *model, const tact_work *work, const tact_contact *contact) {
    const tact_overlap of = measure_pair(model, work, contact->pair, contact->gap, NULL);
    tact_sentence to;
    snprintf(to.text, sizeof to.text, "%s and %s by %s m", quote_shape(model, of.a).text, quote_shape(model, of.b).text,
             tact_rounded((double)of.depth, 4).text);
    add_wrong_side(model, work, of.a, of.b, &to);
    return to;
}

// What a step of the barrier law without an answer most likely lacks: inertia, room between limits, or gaps that are open. False
// when none of these is seen.
static bool explain_lack(const tact_model *model, const tact_work *work, const char *status, tact_sentence *to) {
    // the deepest contact
    const tact_contact *deepest = NULL;
    for (int i = 0; i < work->contacts.count; i++) {
        const tact_contact *contact = &work->contacts.contact[i];
        if (!deepest || contact->gap < deepest->gap) deepest = contact;
    }
    int free = 0, shut = 0;
    // the first dof without a drive, and the first whose limits leave no room
    while (free < model->nv && model->dof[free].u >= 0) free++;
    while (shut < model->nv && model->dof[shut].lower < model->dof[shut].upper) shut++;
    if (work->status == TACT_SINGULAR && free < model->nv) {
        snprintf(to->text, sizeof to->text, "%s: no drive holds %s: raise options.epsilon, which gives it inertia", status,
                 tact_quote(tact_dof_name(model, free).text).text);
    } else if (work->status == TACT_UNDECIDED && shut < model->nv) {
        snprintf(to->text, sizeof to->text, "%s: the limits of %s leave it no room: a joint of type fixed stays where it is",
                 status, tact_quote(tact_dof_name(model, shut).text).text);
    } else if (work->status == TACT_UNDECIDED && deepest && deepest->gap < 0) {
        snprintf(to->text, sizeof to->text, "%s: shapes overlap, deepest %.700s", status,
                 explain_pair(model, work, deepest).text);
    } else {
        return false;
    }
    return true;
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
        // of a coordinate its name; a quaternion is told at its first number, w
        const int i = work->fault.index;
        bool q = strcmp(work->fault.field, "state.q") == 0, turn = false;
        for (int b = 0; b < model->nbody && q; b++)
            turn = turn || (model->body[b].joint == TACT_JOINT_FREE && model->body[b].q + 3 == i);
        snprintf(to.text, sizeof to.text, "%s: %s[%d]%s%s%s %s", status, work->fault.field, i, q ? " (" : "",
                 q ? tact_coordinate_name(model, i).text : "", q ? ")" : "",
                 turn                                             ? "begins a quaternion w, x, y, z that has not the length 1"
                 : strcmp(work->fault.field, "state.normal") == 0 ? "is a normal that has not the length 1"
                                                                  : "is not finite or too large");
    } else if (work->status == TACT_SINGULAR && work->worst_dof >= 0) {
        snprintf(to.text, sizeof to.text, "%s: nothing gives %s inertia: a mass or an inertia of its body, or a drive", status,
                 tact_quote(tact_dof_name(model, work->worst_dof).text).text);
    } else if (contradiction) {
        const tact_pair *pair = &tact_step_model(model, work)->pair[work->worst_pair];
        const char *why = work->status == TACT_INFEASIBLE ? "the contacts contradict each other, most of all"
                                                          : "no force stops what friction pulls into each other,";
        int size = snprintf(to.text, sizeof to.text, "%s: %s %s and %s", status, why, quote_shape(model, pair->a).text,
                            quote_shape(model, pair->b).text);
        // gaps are linear in a step's motion: bodies that turn far in one may come to overlap
        tact_real gap = 0;
        for (int c = 0; c < work->contacts.count; c++) {
            const tact_contact *contact = &work->contacts.contact[c];
            if (contact->pair == work->worst_pair && contact->gap < gap) gap = contact->gap;
        }
        if (gap < 0 && size < (int)sizeof to.text && !model->law->velocities)
            snprintf(
                to.text + size, sizeof to.text - (size_t)size,
                ", which overlap by %s m when it begins (a smaller options.dt helps where they turned or fell into each other)",
                tact_rounded((double)measure_pair(model, work, work->worst_pair, gap, NULL).depth, 3).text);
    } else if (model->law->velocities || !explain_lack(model, work, status, &to)) {
        snprintf(to.text, sizeof to.text, "%s", status);
    }
    return to;
}

// The pair of shapes that overlaps most at q, its depth, and how many overlap; pair -1 where none does.
tact_overlap tact_overlap_find(const tact_model *model, const tact_real *q, tact_work *work) {
    TACT_ASSERT(model && q && work);
    tact_overlap found = {.pair = -1};
    // Contacts of no margin are those with a gap below 0.
    tact_kinematics_update(&work->kinematics, model, q);
    if (model->search && !model->search->finder->look(model, work)) return found;
    const tact_model *own = tact_step_model(model, work);
    tact_contacts_detect(&work->contacts, own, &work->kinematics, 0, NULL);
    tact_overlap last = {.pair = -1, .a = -1, .b = -1};
    for (int i = 0, c = 0; i < own->npair; i++) {
        const bool close = c < work->contacts.count && work->contacts.contact[c].pair == i;
        const tact_overlap at = measure_pair(model, work, i, close ? work->contacts.contact[c].gap : 0, &last);
        const int count = found.count + (at.pair == i && at.depth > 0);
        c += close;
        if (at.pair == i && at.depth > found.depth) found = at;
        found.count = count;
        last = at;
    }
    work->contacts.count = 0;
    return found;
}

tact_sentence tact_overlap_say(const tact_model *model, const tact_overlap *overlap, const char *when) {
    TACT_ASSERT(model && overlap && overlap->pair >= 0 && when);
    tact_sentence to;
    snprintf(to.text, sizeof to.text, "%d pair%s overlap%s at the %s, deepest %s and %s by %s m", overlap->count,
             overlap->count == 1 ? "" : "s", overlap->count == 1 ? "s" : "", when, quote_shape(model, overlap->a).text,
             quote_shape(model, overlap->b).text, tact_rounded((double)overlap->depth, 4).text);
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
    if (!(overlap.depth > least)) return none;
    tact_sentence to = tact_overlap_say(model, &overlap, when);
    add_wrong_side(model, work, overlap.a, overlap.b, &to);
    return to;
}
