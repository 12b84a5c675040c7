// SPDX-License-Identifier: MIT
// Scenes to differentiate a step at: random robots with objects and all shapes, a free block, a planar grasp. Gaps are made to
// measure: from far to grazing, in units of the gap 2/(kappa F) that bears a force.
#ifndef TACT_TEST_DERIV_SCENE_H
#define TACT_TEST_DERIV_SCENE_H

#include "random_model.h"
#include "tact/sim.h"

typedef struct {
    test_model *own;  // NULL for a scene from a file
    const tact_model *model;
    tact_options options;
    tact_state state;     // where the step begins
    tact_real *u;         // (nu)
    tact_wrench *wrench;  // (nbody)
    void *state_memory;
} deriv_scene;

static inline double random_log(uint64_t *seed, double low, double high) {
    return low * pow(high / low, test_random(seed, 0, 1));
}

static inline bool random_chance(uint64_t *seed, double chance) {
    return test_random(seed, 0, 1) < chance;
}

static inline void *test_memory(size_t size) {
    void *memory = aligned_alloc(TACT_ALIGN, (size / TACT_ALIGN + 1) * TACT_ALIGN);
    if (!memory) abort();
    return memory;
}

// the state at q0, commands near it
static inline void deriv_scene_begin(deriv_scene *s, const tact_model *model) {
    size_t size = tact_state_size(model);
    s->model = model;
    s->state_memory = test_memory(size);
    CHECK_INT(tact_state_init(&s->state, model, s->state_memory, size), TACT_CONVERGED);
    s->u = calloc((size_t)model->nu + 1, sizeof *s->u);
    s->wrench = calloc((size_t)model->nbody + 1, sizeof *s->wrench);
    if (!s->u || !s->wrench) abort();
    tact_hold(model, &s->state, s->u);
}

static inline void deriv_scene_end(deriv_scene *s) {
    if (s->own) test_model_free(s->own);
    free(s->u);
    free(s->wrench);
    free(s->state_memory);
}

// kappa from 1 to 1e4 and what goes with it; the solver as exact as it gets
static inline void deriv_scene_options(deriv_scene *s, uint64_t *seed) {
    tact_options *o = &s->options;
    *o = tact_options_default();
    o->kappa = (tact_real)random_log(seed, 1, 1e4);
    o->epsilon = (tact_real)random_log(seed, 0.03, 1);
    o->dt = (tact_real)random_log(seed, 0.003, 0.03);
    if (random_chance(seed, 0.3)) o->gravity = random_vec3(seed, 10);
    o->margin = TACT_REAL(0.6);
    o->limits = random_chance(seed, 0.5);
    o->limit_kappa = (tact_real)random_log(seed, 10, 1e6);
    o->anchor = random_chance(seed, 0.5);
    o->gravity_on_driven = random_chance(seed, 0.3);
}

// random commands, and wrenches in some scenes
static inline void deriv_scene_drive(deriv_scene *s, uint64_t *seed, double reach) {
    for (int i = 0; i < s->model->nu; i++) s->u[i] += random_real(seed, -reach, reach);
    if (!random_chance(seed, 0.4)) return;
    for (int b = 0; b < s->model->nbody; b++) {
        s->wrench[b].force = random_vec3(seed, 2);
        s->wrench[b].torque = random_vec3(seed, 0.1);
    }
}

// Limits that q0 keeps, most of them near.
static inline void random_limits(test_model *t, uint64_t *seed) {
    for (int i = 0; i < t->model.nv; i++) {
        tact_dof *dof = &t->dof[i];
        if (dof->q < 0 || t->body[dof->body].joint == TACT_JOINT_FREE) continue;
        if (random_chance(seed, 0.4)) dof->lower = t->q0[dof->q] - (tact_real)random_log(seed, 1e-3, 1);
        if (random_chance(seed, 0.4)) dof->upper = t->q0[dof->q] + (tact_real)random_log(seed, 1e-3, 1);
    }
}

static inline tact_shape random_shape(uint64_t *seed) {
    tact_shape shape = {.type = (tact_shape_type)random_int(seed, TACT_SHAPE_SPHERE, TACT_SHAPE_ELLIPSOID)};
    for (int k = 0; k < 3; k++) shape.size[k] = random_real(seed, 0.01, 0.06);
    if (shape.type == TACT_SHAPE_BOX && random_chance(seed, 0.5)) shape.size[3] = random_real(seed, 0, 0.01);
    return shape;
}

static inline tact_vec3 to_inner(tact_pose pose, tact_vec3 x) {
    return tact_mat3_apply_transposed(pose.R, tact_vec3_sub(x, pose.p));
}

static inline int test_model_shape(test_model *t, tact_shape shape) {
    t->shape[t->model.nshape] = shape;
    return t->model.nshape++;
}

// Adds a sphere to body a, and a shape to body b at a gap from it.
static inline void random_pair(test_model *t, uint64_t *seed, const tact_kinematics *kin, int a, int b, double gap) {
    tact_shape shape = random_shape(seed), sphere = {.body = a, .type = TACT_SHAPE_SPHERE, .place = tact_pose_identity()};
    tact_pose world = random_pose(seed, 0), base = b == TACT_WORLD ? tact_pose_identity() : kin->pose[b];
    tact_vec3 x;
    double distance = -1;
    while (distance < 0.002 || distance > 0.05) {
        x = random_vec3(seed, 0.12);
        distance = (double)tact_shape_distance(&shape, x).value;
    }
    if (gap > 0.9 * distance || random_chance(seed, 0.1)) gap = distance;
    sphere.place.p = random_vec3(seed, 0.05);
    sphere.size[0] = (tact_real)(distance - gap);
    // the shape's frame in the world, then in its body
    world.p = tact_vec3_sub(tact_pose_apply(kin->pose[a], sphere.place.p), tact_mat3_apply(world.R, x));
    shape.body = b;
    shape.place.p = to_inner(base, world.p);
    for (int j = 0; j < 3; j++) {
        tact_vec3 column = tact_mat3_apply_transposed(base.R, tact_mat3_column(world.R, j));
        shape.place.R.m[0][j] = column.x;
        shape.place.R.m[1][j] = column.y;
        shape.place.R.m[2][j] = column.z;
    }
    int own = test_model_shape(t, sphere), other = test_model_shape(t, shape);
    bool second = random_chance(seed, 0.5);
    tact_pair pair = {second ? other : own, second ? own : other, random_chance(seed, 0.1) ? 0 : random_real(seed, 0.1, 1.2), 0,
                      0};
    t->pair[t->model.npair++] = pair;
}

// The least distance of a shape along the segment c + t h, found by thirds.
static inline double least_along(const tact_shape *shape, tact_vec3 c, tact_vec3 h) {
    double low = -1, high = 1;
    for (int k = 0; k < 200; k++) {
        double first = low + (high - low) / 3, last = high - (high - low) / 3;
        bool left = tact_shape_distance(shape, tact_vec3_add_scaled(c, (tact_real)first, h)).value <
                    tact_shape_distance(shape, tact_vec3_add_scaled(c, (tact_real)last, h)).value;
        *(left ? &high : &low) = left ? last : first;
    }
    return (double)tact_shape_distance(shape, tact_vec3_add_scaled(c, (tact_real)((low + high) / 2), h)).value;
}

// The place of a shape of body b, whose pose in the world is given, in its body.
static inline tact_pose place_in(const tact_kinematics *kin, int b, tact_pose world) {
    tact_pose base = b == TACT_WORLD ? tact_pose_identity() : kin->pose[b], place = {.p = to_inner(base, world.p)};
    for (int j = 0; j < 3; j++) {
        tact_vec3 column = tact_mat3_apply_transposed(base.R, tact_mat3_column(world.R, j));
        place.R.m[0][j] = column.x;
        place.R.m[1][j] = column.y;
        place.R.m[2][j] = column.z;
    }
    return place;
}

// Adds a capsule to body a, and a shape that is no ball to body b at a gap from it.
static inline void random_capsule_pair(test_model *t, uint64_t *seed, const tact_kinematics *kin, int a, int b, double gap) {
    tact_shape shape = random_shape(seed), capsule = {.body = a, .type = TACT_SHAPE_CAPSULE};
    while (shape.type == TACT_SHAPE_SPHERE) shape = random_shape(seed);
    tact_pose world = random_pose(seed, 0), own = random_pose(seed, 0);
    tact_vec3 c, h;
    double distance = -1;
    capsule.size[1] = random_real(seed, 0.005, 0.08);
    h = tact_mat3_apply_transposed(world.R, tact_vec3_scale(capsule.size[1], tact_mat3_column(own.R, 2)));
    while (distance < 0.002 || distance > 0.05) {
        c = random_vec3(seed, 0.12);
        distance = least_along(&shape, c, h);
    }
    if (gap > 0.9 * distance) gap = 0.9 * distance;
    capsule.size[0] = (tact_real)(distance - gap);
    own.p = tact_vec3_add(kin->pose[a].p, random_vec3(seed, 0.05));
    world.p = tact_vec3_sub(own.p, tact_mat3_apply(world.R, c));
    capsule.place = place_in(kin, a, own);
    shape.body = b;
    shape.place = place_in(kin, b, world);
    int first = test_model_shape(t, capsule), other = test_model_shape(t, shape), end = random_int(seed, 1, 2);
    bool second = random_chance(seed, 0.5);
    tact_pair pair = {second ? other : first, second ? first : other, random_real(seed, 0.1, 1.2), 0, 0};
    t->pair[t->model.npair++] = pair;
    if (shape.type == TACT_SHAPE_CAPSULE || random_chance(seed, 0.5)) return;
    pair.vertex = second ? end : -end;
    t->pair[t->model.npair++] = pair;
    // an edge of its own, of which the radius is no parameter, at one of the two places that move smoothly
    if (shape.type != TACT_SHAPE_BOX || t->model.nshape >= (int)(sizeof t->shape / sizeof t->shape[0])) return;
    end = random_int(seed, 3, 4);
    *(second ? &pair.b : &pair.a) = test_model_shape(t, capsule);
    pair.vertex = second ? end : -end;
    t->pair[t->model.npair++] = pair;
}

// One robot: a tree of links, most of them driven, some passive, some following another.
static inline void random_robot(test_model *t, uint64_t *seed) {
    static const tact_joint_type kinds[] = {TACT_JOINT_REVOLUTE,  TACT_JOINT_REVOLUTE,  TACT_JOINT_CONTINUOUS,
                                            TACT_JOINT_PRISMATIC, TACT_JOINT_PRISMATIC, TACT_JOINT_TRANSLATION,
                                            TACT_JOINT_PLANAR,    TACT_JOINT_FIXED};
    int count = random_int(seed, 1, 5), first = t->model.nbody, leader = -1;
    for (int k = 0; k < count; k++) {
        int parent = k == 0 ? TACT_WORLD : random_int(seed, first, first + k - 1);
        int b = test_model_body(t, parent, kinds[random_int(seed, 0, 7)]);
        random_body(seed, &t->body[b]);
        for (int i = 0; i < 6; i++) t->body[b].inertia[i] /= 10;
        t->body[b].place = random_pose(seed, 0.1);
        if (test_model_single(t, b) && leader >= 0 && random_chance(seed, 0.25)) {
            test_model_mimic(t, b, leader, test_random(seed, -2, 2), test_random(seed, -1, 1));
            continue;
        }
        test_model_number(t, b, random_chance(seed, 0.8) ? random_log(seed, 0.5, 200) : 0);
        for (int i = 0; i < tact_joint_dofs(t->body[b].joint); i++) {
            tact_dof *dof = &t->dof[t->body[b].v + i];
            t->q0[dof->q] = random_real(seed, -0.5, 0.5);
            if (dof->u >= 0 && random_chance(seed, 0.2)) dof->damping = (tact_real)random_log(seed, 0.01, 1);
        }
        if (test_model_single(t, b) && random_chance(seed, 0.6)) leader = b;
    }
}

static inline int random_object(test_model *t, uint64_t *seed) {
    static const tact_joint_type kinds[] = {TACT_JOINT_FREE, TACT_JOINT_FREE, TACT_JOINT_TRANSLATION, TACT_JOINT_PLANAR};
    int b = test_model_body(t, TACT_WORLD, kinds[random_int(seed, 0, 3)]);
    random_body(seed, &t->body[b]);
    for (int i = 0; i < 6; i++) t->body[b].inertia[i] /= 10;
    test_model_number(t, b, 0);
    if (t->body[b].joint == TACT_JOINT_FREE) random_quat(seed, t->q0 + t->body[b].q + 3);
    return b;
}

// Stored displacements, mostly within their caps, with a normal that has turned since.
static inline void random_anchors(deriv_scene *s, uint64_t *seed) {
    size_t size = tact_work_size(s->model);
    void *memory = test_memory(size);
    tact_work work;
    CHECK_INT(tact_work_init(&work, s->model, memory, size), TACT_CONVERGED);
    tact_kinematics_update(&work.kinematics, s->model, s->state.q);
    tact_contacts_detect(&work.contacts, s->model, &work.kinematics, s->options.margin, NULL);
    for (int c = 0; c < work.contacts.count; c++) {
        const tact_contact *contact = &work.contacts.contact[c];
        tact_real mu = s->model->pair[contact->pair].mu;
        const tact_real(*F)[3] = (const tact_real(*)[3])contact->frame.m;
        tact_vec3 n = {F[0][0], F[0][1], F[0][2]}, was = tact_vec3_add(n, random_vec3(seed, 0.15));
        if (random_chance(seed, 0.2) || !(mu > 0)) continue;
        was = tact_vec3_scale(1 / (tact_real)sqrt((double)tact_vec3_dot(was, was)), was);
        tact_vec3 stored = tact_vec3_cross(was, random_axis(seed));
        double length = sqrt((double)tact_vec3_dot(stored, stored));
        double share = random_chance(seed, 0.04) ? test_random(seed, 1.1, 3) : test_random(seed, 0.02, 0.95);
        s->state.normal[contact->pair] = was;
        s->state.anchor[contact->pair] =
            tact_vec3_scale((tact_real)(share * 0.99 * (double)(contact->gap / mu) / length), stored);
    }
    free(memory);
}

// prepares, and sets what is driven and stored
static inline void deriv_scene_finish(deriv_scene *s, uint64_t *seed, double reach) {
    random_limits(s->own, seed);
    CHECK_INT(test_model_prepare(s->own, 0), TACT_CONVERGED);
    deriv_scene_begin(s, &s->own->model);
    deriv_scene_drive(s, seed, reach);
    if (s->options.anchor) random_anchors(s, seed);
}

static inline double random_gap(uint64_t *seed, const tact_options *options) {
    double gap = 2 / ((double)options->kappa * 5) * random_log(seed, 0.003, 30);
    return fmin(fmax(gap, 1e-6), 0.04);
}

// Pairs of shapes that have other pairs already.
static inline void random_more_pairs(test_model *t, uint64_t *seed, const tact_kinematics *kin) {
    for (int tries = 0; tries < 6; tries++) {
        int a = random_int(seed, 0, t->model.nshape - 1), b = random_int(seed, 0, t->model.nshape - 1);
        const tact_shape *sphere = &t->shape[a], *other = &t->shape[b];
        if (sphere->type != TACT_SHAPE_SPHERE || sphere->body == other->body || sphere->body == TACT_WORLD) continue;
        tact_vec3 x = tact_pose_apply(kin->pose[sphere->body], sphere->place.p);
        if (other->body != TACT_WORLD) x = to_inner(kin->pose[other->body], x);
        if (tact_shape_distance(other, to_inner(other->place, x)).value < sphere->size[0] + TACT_REAL(1e-4)) continue;
        tact_pair pair = {a, b, random_real(seed, 0.1, 1.2), 0, 0};
        t->pair[t->model.npair++] = pair;
    }
}

// Any of everything.
static inline deriv_scene deriv_scene_random(uint64_t *seed) {
    deriv_scene s = {.own = test_model_new()};
    test_model *t = s.own;
    deriv_scene_options(&s, seed);
    for (int k = random_int(seed, 1, 2); k > 0; k--) random_robot(t, seed);
    for (int k = random_int(seed, 1, 2); k > 0; k--) random_object(t, seed);
    CHECK_INT(test_model_prepare(t, 1 << 16), TACT_CONVERGED);
    tact_kinematics kin;
    tact_kinematics_place(&kin, &t->model, &t->arena);
    tact_kinematics_update(&kin, &t->model, t->q0);
    for (int k = random_int(seed, 1, 7); k > 0; k--) {
        int a = random_int(seed, 0, t->model.nbody - 1), b = a;
        while (b == a) b = random_int(seed, TACT_WORLD, t->model.nbody - 1);
        random_pair(t, seed, &kin, a, b, random_gap(seed, &s.options));
    }
    random_more_pairs(t, seed, &kin);
    deriv_scene_finish(&s, seed, random_log(seed, 1e-3, 0.3));
    return s;
}

// Capsules against other shapes, and spheres.
static inline deriv_scene deriv_scene_capsules(uint64_t *seed) {
    deriv_scene s = {.own = test_model_new()};
    test_model *t = s.own;
    deriv_scene_options(&s, seed);
    for (int k = random_int(seed, 1, 2); k > 0; k--) random_robot(t, seed);
    for (int k = random_int(seed, 1, 2); k > 0; k--) random_object(t, seed);
    CHECK_INT(test_model_prepare(t, 1 << 16), TACT_CONVERGED);
    tact_kinematics kin;
    tact_kinematics_place(&kin, &t->model, &t->arena);
    tact_kinematics_update(&kin, &t->model, t->q0);
    for (int k = random_int(seed, 1, 5); k > 0; k--) {
        int a = random_int(seed, 0, t->model.nbody - 1), b = a;
        while (b == a) b = random_int(seed, TACT_WORLD, t->model.nbody - 1);
        bool sphere = random_chance(seed, 0.2);
        (sphere ? random_pair : random_capsule_pair)(t, seed, &kin, a, b, random_gap(seed, &s.options));
    }
    deriv_scene_finish(&s, seed, random_log(seed, 1e-3, 0.3));
    return s;
}

// a finger of three drives along the axes of a random frame, with a round tip at a place in the world; returns the tip's shape
static inline int add_point_finger(test_model *t, uint64_t *seed, tact_vec3 at, double radius) {
    int b = test_model_body(t, TACT_WORLD, TACT_JOINT_TRANSLATION);
    t->body[b].place = random_pose(seed, 0);
    t->body[b].place.p = at;
    test_model_number(t, b, random_log(seed, 1, 200));
    t->shape[b + 1].size[0] = (tact_real)radius;
    return b + 1;
}

// A free block with eight corners over a tilted plane, and fingers at its sides.
static inline deriv_scene deriv_scene_block(uint64_t *seed) {
    deriv_scene s = {.own = test_model_new()};
    test_model *t = s.own;
    deriv_scene_options(&s, seed);
    int block = test_model_body(t, TACT_WORLD, TACT_JOINT_FREE), fingers = random_int(seed, 0, 3);
    random_body(seed, &t->body[block]);
    for (int i = 0; i < 6; i++) t->body[block].inertia[i] /= 20;
    t->body[block].place = random_pose(seed, 0.1);
    test_model_number(t, block, 0);
    random_quat(seed, t->q0 + 3);
    tact_vec3 half = {random_real(seed, 0.02, 0.05), random_real(seed, 0.02, 0.05), random_real(seed, 0.02, 0.05)};
    tact_quat turn = {t->q0[3], t->q0[4], t->q0[5], t->q0[6]};
    tact_pose pose = tact_pose_multiply(t->body[block].place, (tact_pose){.R = tact_quat_matrix(turn)});
    for (int f = 0; f < fingers; f++) {
        int axis = random_int(seed, 0, 2);
        double side = random_chance(seed, 0.5) ? 1 : -1, radius = test_random(seed, 0.005, 0.015),
               gap = random_gap(seed, &s.options);
        tact_real at[3] = {random_real(seed, -0.02, 0.02), random_real(seed, -0.02, 0.02), random_real(seed, -0.02, 0.02)};
        at[axis] = (tact_real)(side * ((double)(axis == 0 ? half.x : axis == 1 ? half.y : half.z) + radius + gap));
        add_point_finger(t, seed, tact_pose_apply(pose, tact_vec3_make(at[0], at[1], at[2])), radius);
    }
    tact_shape box = {
        block, TACT_SHAPE_BOX, tact_pose_identity(), {half.x, half.y, half.z, random_real(seed, 0, 0.01)}, 0, NULL, NULL, NULL,
        NULL};
    int side = test_model_shape(t, box);
    for (int f = 0; f < fingers; f++)
        t->pair[t->model.npair++] = (tact_pair){side, block + 2 + f, random_real(seed, 0.2, 1), 0, 0};
    // the plane below the lowest corner
    tact_pose plane = random_pose(seed, 0);
    tact_vec3 up = tact_mat3_column(plane.R, 2);
    tact_real mu = random_real(seed, 0.1, 1), lowest = 1;
    for (int c = 0; c < 8; c++) {
        tact_vec3 corner = {c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y, c & 4 ? half.z : -half.z};
        tact_shape point = {.body = block, .type = TACT_SHAPE_SPHERE, .place = tact_pose_identity()};
        point.place.p = corner;
        t->pair[t->model.npair++] = (tact_pair){0, test_model_shape(t, point), mu, 0, 0};
        lowest = (tact_real)fmin((double)lowest, (double)tact_vec3_dot(up, tact_pose_apply(pose, corner)));
    }
    plane.p = tact_vec3_scale(lowest - (tact_real)random_gap(seed, &s.options), up);
    t->shape[0].place = plane;
    s.options.gravity = tact_vec3_scale(-9, up);
    deriv_scene_finish(&s, seed, random_log(seed, 1e-3, 0.05));
    return s;
}

// Two fingers of two links about an object in a vertical plane, on a floor.
static inline deriv_scene deriv_scene_planar(uint64_t *seed) {
    deriv_scene s = {.own = test_model_new()};
    test_model *t = s.own;
    deriv_scene_options(&s, seed);
    tact_pose upright = tact_pose_identity();
    upright.R = (tact_mat3){{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    int object = test_model_body(t, TACT_WORLD, TACT_JOINT_PLANAR);
    random_body(seed, &t->body[object]);
    t->body[object].place = upright;
    t->body[object].inertia[2] = TACT_REAL(1e-3);
    test_model_number(t, object, 0);
    double radius = test_random(seed, 0.02, 0.04), height = radius + random_gap(seed, &s.options);
    t->q0[1] = (tact_real)height;
    t->q0[2] = random_real(seed, -3, 3);
    int link[2][2], tip[2];
    for (int f = 0; f < 2; f++) {
        double sign = f ? 1 : -1, size = test_random(seed, 0.005, 0.015);
        double way = radius + size + random_gap(seed, &s.options), lean = test_random(seed, -0.4, 0.4);
        double x = sign * way * cos(lean), z = height + way * sin(lean), a = test_random(seed, -1, 1),
               b = test_random(seed, -1, 1);
        for (int k = 0; k < 2; k++) {
            link[f][k] = test_model_body(t, k ? link[f][0] : TACT_WORLD, TACT_JOINT_REVOLUTE);
            test_model_number(t, link[f][k], random_log(seed, 0.3, 30));
            t->shape[link[f][k] + 1].size[0] = (tact_real)size;
        }
        // links of 5 cm, the angles a and then b, ending at the tip
        t->q0[t->body[link[f][0]].q] = (tact_real)a;
        t->q0[t->body[link[f][1]].q] = (tact_real)b;
        t->body[link[f][0]].place = upright;
        t->body[link[f][0]].place.p = tact_vec3_make((tact_real)(x - 0.05 * cos(a) - 0.05 * cos(a + b)), 0,
                                                     (tact_real)(z - 0.05 * sin(a) - 0.05 * sin(a + b)));
        t->body[link[f][1]].place.p.x = t->shape[link[f][1] + 1].place.p.x = TACT_REAL(0.05);
        tip[f] = link[f][1] + 1;
    }
    tact_shape disc = {
        object, TACT_SHAPE_CYLINDER, tact_pose_identity(), {(tact_real)radius, TACT_REAL(0.05)}, 0, NULL, NULL, NULL, NULL};
    if (random_chance(seed, 0.5)) disc.type = TACT_SHAPE_CAPSULE;
    int around = test_model_shape(t, disc);
    t->shape[object + 1].size[0] = (tact_real)radius;
    for (int f = 0; f < 2; f++) t->pair[t->model.npair++] = (tact_pair){around, tip[f], random_real(seed, 0.2, 1), 0, 0};
    t->pair[t->model.npair++] = (tact_pair){0, object + 1, random_real(seed, 0.2, 1), 0, 0};
    deriv_scene_finish(&s, seed, random_log(seed, 1e-3, 0.3));
    return s;
}

#endif
