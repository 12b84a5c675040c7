// SPDX-License-Identifier: MIT
// Models for tests: built body by body, or random trees of all joint types with joints that mimic others.
#ifndef TACT_TEST_RANDOM_MODEL_H
#define TACT_TEST_RANDOM_MODEL_H

#include "tact/law.h"
#include "test.h"

// bounds that were given for double, for the number type at hand
#define ROUNDING(bound) ((bound) / DBL_EPSILON * (double)TACT_EPS)
// step and error of central differences of quantities near 1
#define DIFFERENCE_STEP ((tact_real)cbrt((double)TACT_EPS))
#define DIFFERENCE_ERROR (300 * pow((double)TACT_EPS, 2.0 / 3.0))

enum { MAX_BODIES = 400, MAX_DOFS = 6 * MAX_BODIES, MAX_PAIRS = 4000 };

typedef struct {
    tact_body body[MAX_BODIES];
    tact_dof dof[MAX_DOFS];
    tact_shape shape[MAX_BODIES + 2];
    tact_pair pair[MAX_PAIRS];
    tact_real q0[MAX_DOFS + MAX_BODIES], v0[MAX_DOFS];
    tact_model model;
    tact_arena arena;
    void *memory;
} test_model;

static inline tact_real random_real(uint64_t *seed, double low, double high) {
    return (tact_real)test_random(seed, low, high);
}

static inline int random_int(uint64_t *seed, int low, int high) {
    return low + (int)(test_random_bits(seed) % (uint64_t)(high - low + 1));
}

static inline tact_vec3 random_vec3(uint64_t *seed, double size) {
    // one after the other: initialisers have no order
    tact_real x = random_real(seed, -size, size), y = random_real(seed, -size, size), z = random_real(seed, -size, size);
    return tact_vec3_make(x, y, z);
}

static inline void random_quat(uint64_t *seed, tact_real *q) {
    double x[4], sum = 0;
    while (sum < 0.1 || sum > 1) {
        sum = 0;
        for (int k = 0; k < 4; k++) {
            x[k] = test_random(seed, -1, 1);
            sum += x[k] * x[k];
        }
    }
    for (int k = 0; k < 4; k++) q[k] = (tact_real)(x[k] / sqrt(sum));
}

static inline tact_vec3 random_axis(uint64_t *seed) {
    tact_real q[4];
    random_quat(seed, q);
    double length = sqrt((double)(q[1] * q[1] + q[2] * q[2] + q[3] * q[3]));
    tact_vec3 axis = {(tact_real)((double)q[1] / length), (tact_real)((double)q[2] / length), (tact_real)((double)q[3] / length)};
    return axis;
}

static inline tact_pose random_pose(uint64_t *seed, double size) {
    tact_real q[4];
    random_quat(seed, q);
    tact_quat turn = {q[0], q[1], q[2], q[3]};
    tact_pose pose = {tact_quat_matrix(turn), {0, 0, 0}};
    pose.p = random_vec3(seed, size);
    return pose;
}

// a new model, empty but for the plane z <= 0 of the world as shape 0
static inline test_model *test_model_new(void) {
    test_model *t = calloc(1, sizeof *t);
    if (!t) abort();
    tact_shape table = {TACT_WORLD, TACT_SHAPE_PLANE, tact_pose_identity(), {0}, 0, NULL, NULL, NULL, NULL};
    tact_model model = {.law = &tact_law_barrier,
                        .nshape = 1,
                        .body = t->body,
                        .dof = t->dof,
                        .shape = t->shape,
                        .pair = t->pair,
                        .q0 = t->q0,
                        .v0 = t->v0};
    t->shape[0] = table;
    t->model = model;
    return t;
}

static inline void test_model_free(test_model *t) {
    free(t->memory);
    free(t);
}

// numbers the dofs of a body that was added without them; a free joint is not driven
static inline void test_model_number(test_model *t, int b, double stiffness) {
    tact_body *body = &t->body[b];
    int n = tact_joint_dofs(body->joint), turns = body->joint == TACT_JOINT_FREE ? 3 : 0;
    body->v = t->model.nv;
    body->q = t->model.nq;
    for (int k = 0; k < n; k++) {
        tact_real drive = turns ? 0 : (tact_real)stiffness;
        tact_dof dof = {b,    k < turns ? -1 : body->q + k - turns, drive > 0 ? t->model.nu++ : -1, drive, 0, -TACT_MAX, TACT_MAX,
                        false};
        t->dof[t->model.nv++] = dof;
    }
    if (turns) t->q0[body->q + 3] = 1;
    t->model.nq += tact_joint_coordinates(body->joint);
}

// a body with a sphere at its origin, shape b + 1; its dofs are numbered by the caller
static inline int test_model_body(test_model *t, int parent, tact_joint_type joint) {
    int b = t->model.nbody++;
    tact_body body = {.parent = parent, .joint = joint, .place = tact_pose_identity(), .axis = {0, 0, 1}, .ratio = 1};
    body.mass = 1;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = TACT_REAL(0.01);
    tact_shape sphere = {b, TACT_SHAPE_SPHERE, tact_pose_identity(), {TACT_REAL(0.01)}, 0, NULL, NULL, NULL, NULL};
    t->body[b] = body;
    t->shape[t->model.nshape++] = sphere;
    return b;
}

static inline int test_model_add(test_model *t, int parent, tact_joint_type joint, double stiffness) {
    int b = test_model_body(t, parent, joint);
    test_model_number(t, b, stiffness);
    return b;
}

// b follows the joint of the leader
static inline void test_model_mimic(test_model *t, int b, int leader, double ratio, double offset) {
    t->body[b].v = t->body[leader].v;
    t->body[b].q = t->body[leader].q;
    t->body[b].ratio = (tact_real)ratio;
    t->body[b].offset = (tact_real)offset;
}

static inline void test_model_pair(test_model *t, int body_a, int body_b) {
    tact_pair pair = {body_a + 1, body_b + 1, TACT_REAL(0.5), 0, 0};
    if (t->model.npair < MAX_PAIRS) t->pair[t->model.npair++] = pair;
}

// prepares with room for more (extra bytes) in the arena behind the model
static inline tact_status test_model_prepare(test_model *t, size_t extra) {
    tact_arena measure = {NULL, 0, 0};
    tact_status status = tact_model_prepare(&t->model, &measure);
    if (status != TACT_CONVERGED) return status;
    size_t size = (measure.used + extra + TACT_ALIGN - 1) / TACT_ALIGN * TACT_ALIGN + TACT_ALIGN;
    free(t->memory);
    t->memory = aligned_alloc(TACT_ALIGN, size);
    tact_arena arena = {t->memory, size, 0};
    t->arena = arena;
    status = tact_model_prepare(&t->model, &t->arena);
    CHECK(t->arena.used <= measure.used && measure.used - t->arena.used <= TACT_ALIGN);
    return status;
}

static inline void random_body(uint64_t *seed, tact_body *body) {
    body->place = random_pose(seed, 0.3);
    body->axis = random_axis(seed);
    body->mass = random_real(seed, 0.1, 1);
    body->com = random_vec3(seed, 0.1);
    for (int k = 0; k < 6; k++) body->inertia[k] = random_real(seed, k < 3 ? 0.01 : -0.002, k < 3 ? 0.02 : 0.002);
}

static inline bool test_model_single(const test_model *t, int b) {
    return tact_joint_dofs(t->body[b].joint) == 1;
}

// random coordinates: q (nq) with unit quaternions
static inline void random_coordinates(const tact_model *model, uint64_t *seed, tact_real *q) {
    for (int i = 0; i < model->nq; i++) q[i] = random_real(seed, -1.5, 1.5);
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].joint == TACT_JOINT_FREE) random_quat(seed, q + model->body[b].q + 3);
}

// A random tree, not yet prepared. Dofs are numbered in another order than the bodies; about one joint of one dof in four
// mimics another; last: the highest joint type that occurs.
static inline test_model *test_model_random(uint64_t *seed, int nbody, tact_joint_type last) {
    test_model *t = test_model_new();
    int sequence[MAX_BODIES];
    for (int b = 0; b < nbody; b++) {
        int parent = random_int(seed, 0, 5) ? random_int(seed, b > 4 ? b - 5 : TACT_WORLD, b - 1) : TACT_WORLD;
        test_model_body(t, parent, (tact_joint_type)random_int(seed, TACT_JOINT_FIXED, (int)last));
        random_body(seed, &t->body[b]);
        int k = random_int(seed, 0, b);
        sequence[b] = sequence[k];
        sequence[k] = b;
    }
    int leader = -1;
    for (int k = 0; k < nbody; k++) {
        int b = sequence[k];
        if (test_model_single(t, b) && leader >= 0 && random_int(seed, 0, 3) == 0) {
            double ratio = test_random(seed, -2, 2), offset = test_random(seed, -1, 1);
            test_model_mimic(t, b, leader, ratio, offset);
        } else {
            test_model_number(t, b, random_int(seed, 0, 2) ? test_random(seed, 1, 10) : 0);
            if (test_model_single(t, b) && random_int(seed, 0, 1)) leader = b;
        }
    }
    for (int k = 0; k < 2 * nbody; k++) {
        int a = random_int(seed, TACT_WORLD, nbody - 1), b = random_int(seed, 0, nbody - 1);
        if (a != b) test_model_pair(t, a, b);
    }
    random_coordinates(&t->model, seed, t->q0);
    for (int i = 0; i < t->model.nv; i++) t->v0[i] = random_real(seed, -1, 1);
    return t;
}

#endif
