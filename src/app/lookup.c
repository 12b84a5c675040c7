// SPDX-License-Identifier: MIT
#include "app/lookup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// no position or angle is larger
#define COORDINATE_MAX 1e6

static int compare(const void *a, const void *b) {
    return strcmp(((const tact_lookup_entry *)a)->name, ((const tact_lookup_entry *)b)->name);
}

bool tact_lookup_make(tact_lookup *lookup, const char *const *names, int count) {
    lookup->entries = tact_memory_get((size_t)count * sizeof *lookup->entries);
    if (!lookup->entries) return false;
    lookup->count = count;
    for (int i = 0; i < count; i++) lookup->entries[i] = (tact_lookup_entry){names[i], i};
    qsort(lookup->entries, (size_t)count, sizeof *lookup->entries, compare);
    return true;
}

void tact_lookup_free(tact_lookup *lookup) {
    tact_memory_release(lookup->entries);
    *lookup = (tact_lookup){0};
}

int tact_lookup_find(const tact_lookup *lookup, const char *name) {
    tact_lookup_entry wanted = {name, 0};
    const tact_lookup_entry *found = bsearch(&wanted, lookup->entries, (size_t)lookup->count, sizeof wanted, compare);
    return found ? found->index : -1;
}

void tact_lookup_refuse(const tact_lookup *lookup, const tact_json *json, int node, const char *kind, const char *name) {
    tact_nearest nearest = {.word = name};
    for (int i = 0; i < lookup->count && !tact_errors_full(json->errors, TACT_ERROR_REFUSED); i++)
        tact_nearest_try(&nearest, lookup->entries[i].name);
    tact_json_refuse(json, node, "no %s %s%s", kind, tact_quote(name).text, tact_nearest_hint(&nearest).text);
}

// Whether a joint moves by coordinates of its own and not by those of one that it follows.
static bool has_own_coordinates(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    return tact_joint_dofs(body->joint) > 0 && model->dof[body->v].body == b;
}

static void read_joint(const tact_model *model, const tact_json *json, int node, int b, tact_real *q) {
    const tact_body *body = &model->body[b];
    int count = tact_joint_coordinates(body->joint);
    tact_range range = tact_range_within(-COORDINATE_MAX, COORDINATE_MAX);
    if (count == 0) {
        tact_json_refuse(json, node, "the joint is fixed");
    } else if (!has_own_coordinates(model, b)) {
        tact_json_refuse(json, node, "the joint follows another one");
    } else if (count == 1 && tact_json_type(json, node) != TACT_JSON_ARRAY) {
        tact_json_get_number(json, node, range, &q[body->q]);
    } else {
        tact_json_get_vector(json, node, count, range, &q[body->q]);
    }
}

bool tact_lookup_coordinates(const tact_lookup *joints, const tact_model *model, const tact_json *json, int node, tact_real *q) {
    int before = json->errors->errors;
    if (node < 0) return false;
    if (tact_json_type(json, node) == TACT_JSON_OBJECT) {
        for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
            tact_nearest nearest = {.word = tact_json_key(json, i)};
            int b = tact_lookup_find(joints, nearest.word);
            // those that have coordinates, in their order
            for (int k = 0; k < model->nbody && b < 0 && !tact_errors_full(json->errors, TACT_ERROR_REFUSED); k++)
                if (has_own_coordinates(model, k)) tact_nearest_try(&nearest, model->names->joint[k]);
            if (b < 0)
                tact_json_refuse(json, i, "no joint %s%s", tact_quote(nearest.word).text, tact_nearest_hint(&nearest).text);
            else
                read_joint(model, json, i, b, q);
        }
    } else if (tact_json_type(json, node) == TACT_JSON_ARRAY) {
        tact_json_get_vector(json, node, model->nq, tact_range_within(-COORDINATE_MAX, COORDINATE_MAX), q);
    } else {
        tact_json_refuse(json, node, "expected an array of %d numbers or an object of joints", model->nq);
    }
    // quaternions are of length 1 to rounding
    if (json->errors->errors == before) {
        for (int b = 0; b < model->nbody; b++) {
            if (model->body[b].joint != TACT_JOINT_FREE) continue;
            tact_real *w = &q[model->body[b].q + 3];
            double norm = sqrt((double)(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]));
            if (!(fabs(norm - 1) <= 1e-3)) {
                const char *name = model->names->joint[b];
                int at = tact_json_type(json, node) == TACT_JSON_OBJECT ? tact_json_find(json, node, name) : node;
                tact_json_refuse(json, at < 0 ? node : at,
                                 "joint %s: quaternion of norm %s: must be 1 within 1e-3 (the last four of x y z w x y z; no "
                                 "turn is 1, 0, 0, 0)",
                                 tact_quote(name).text, tact_number_print(norm).text);
                break;
            }
            for (int k = 0; k < 4; k++) w[k] /= (tact_real)norm;
        }
    }
    return json->errors->errors == before;
}
