// SPDX-License-Identifier: MIT
#include "app/disturb.h"

#include <math.h>

// What a scene's model is copied into.
typedef struct {
    const tact_model *model;
    tact_body *body;       // (nbody)
    tact_pair *pair;       // (npair)
    tact_shape *shape;     // (nshape)
    tact_hull *hull;       // (nshape)
    tact_vec3 *vertex;     // of all hulls
    tact_hull_face *face;  // of all hulls
} disturb_copy;

// Memory of a copy of the model's bodies, pairs, shapes and hulls; an arena without memory measures.
static void place_copy(void *context, tact_arena *arena) {
    disturb_copy *copy = context;
    const tact_model *model = copy->model;
    size_t vertices = 0, faces = 0;
    for (int i = 0; i < model->nshape; i++) {
        const tact_hull *hull = model->shape[i].hull;
        vertices += hull ? (size_t)hull->nvertex : 0;
        faces += hull ? (size_t)hull->nface : 0;
    }
    copy->body = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_body));
    copy->pair = tact_arena_take(arena, (size_t)model->npair, sizeof(tact_pair));
    copy->shape = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_shape));
    copy->hull = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_hull));
    copy->vertex = tact_arena_take(arena, vertices, sizeof(tact_vec3));
    copy->face = tact_arena_take(arena, faces, sizeof(tact_hull_face));
}

bool tact_disturbance_any(const tact_disturbance *disturbance) {
    return disturbance->mass != 1 || disturbance->size != 1 || disturbance->friction != 1;
}

// Scales the hull's vertices and planes about its origin.
static void scale_hull(disturb_copy *copy, tact_shape *shape, tact_hull *hull, tact_real factor) {
    *hull = *shape->hull;
    for (int i = 0; i < hull->nvertex; i++) copy->vertex[i] = tact_vec3_scale(factor, hull->vertex[i]);
    for (int i = 0; i < hull->nface; i++) {
        copy->face[i] = hull->face[i];
        copy->face[i].offset *= factor;
    }
    hull->vertex = copy->vertex;
    hull->face = copy->face;
    copy->vertex += hull->nvertex;
    copy->face += hull->nface;
    shape->hull = hull;
}

void *tact_disturb(tact_scene *scene, const tact_disturbance *disturbance) {
    tact_model *model = &scene->model;
    disturb_copy copy = {.model = model};
    void *memory = tact_memory_place(place_copy, &copy);
    if (!memory) return NULL;
    for (int i = 0; i < model->nbody; i++) copy.body[i] = model->body[i];
    for (int i = 0; i < model->npair; i++) {
        copy.pair[i] = model->pair[i];
        // friction of all pairs
        copy.pair[i].mu *= disturbance->friction;
    }
    for (int i = 0; i < model->nshape; i++) {
        copy.shape[i] = model->shape[i];
        if (copy.shape[i].body != disturbance->body || disturbance->body == TACT_WORLD) continue;
        // shapes of the disturbed body grow about its origin
        // All lengths of a shape by the factor, but not the angle of a capsule that is an edge; a polygon's points have a
        // factor of their own in size[0].
        tact_shape *shape = &copy.shape[i];
        tact_real factor = disturbance->size;
        for (int k = 0; k < (shape->type == TACT_SHAPE_CAPSULE ? 3 : 4); k++) shape->size[k] *= factor;
        shape->place.p = tact_vec3_scale(factor, shape->place.p);
        if (copy.shape[i].hull) scale_hull(&copy, &copy.shape[i], &copy.hull[i], disturbance->size);
    }
    if (disturbance->body != TACT_WORLD) {
        tact_body *body = &copy.body[disturbance->body];
        body->mass *= disturbance->mass;
        body->com = tact_vec3_scale(disturbance->size, body->com);
        // inertia goes with mass and the square of the size
        for (int k = 0; k < 6; k++) body->inertia[k] *= disturbance->mass * disturbance->size * disturbance->size;
    }
    model->body = copy.body;
    model->pair = copy.pair;
    model->shape = copy.shape;
    return memory;
}

// A shape that no joint moves.
static bool stands_still(const tact_model *model, int shape) {
    int body = model->shape[shape].body;
    while (body != TACT_WORLD && model->body[body].joint == TACT_JOINT_FIXED) body = model->body[body].parent;
    return body == TACT_WORLD;
}

void tact_disturb_raise(const tact_scene *scene, tact_work *work, int body, bool still, tact_real *q) {
    const tact_model *model = &scene->model;
    tact_vec3 up = tact_vec3_scale(-1, scene->options.gravity);
    tact_real weight = tact_vec3_dot(up, up);
    if (!(weight > 0) || body == TACT_WORLD || model->body[body].joint != TACT_JOINT_FREE) return;
    up = tact_vec3_scale(1 / (tact_real)sqrt((double)weight), up);
    tact_real *p = q + model->body[body].q;
    tact_mat3 place = model->body[body].place.R;
    // a few rounds: a sloping contact is left along its normal, not at once along the vertical
    for (int round = 0; round < 4; round++) {
        tact_real lift = 0;
        tact_kinematics_update(&work->kinematics, model, q);
        tact_contacts_detect(&work->contacts, model, &work->kinematics, 0, NULL);
        for (int i = 0; i < work->contacts.count; i++) {
            const tact_contact *contact = &work->contacts.contact[i];
            const tact_pair *pair = &model->pair[contact->pair];
            bool on_a = model->shape[pair->a].body == body, on_b = model->shape[pair->b].body == body;
            if (still && !stands_still(model, on_a ? pair->b : pair->a)) continue;
            // the normal points from a to b
            tact_vec3 normal = tact_vec3_make(contact->frame.m[0][0], contact->frame.m[0][1], contact->frame.m[0][2]);
            tact_real slope = (on_b ? 1 : on_a ? -1 : 0) * tact_vec3_dot(normal, up);
            if (slope > TACT_REAL(0.5) && -contact->gap / slope > lift) lift = -contact->gap / slope;
        }
        tact_vec3 move = tact_mat3_apply_transposed(place, tact_vec3_scale(lift, up));
        p[0] += move.x, p[1] += move.y, p[2] += move.z;
    }
}
