// SPDX-License-Identifier: MIT
// Each number and index of a model, spoilt: refused with its name and place, and accepted again when it is restored.
#include "law/barrier.h"
#include "law/rigid.h"
#include "law/virtual.h"
#include "random_model.h"
#include "tact/sim.h"

static tact_fault check(const test_model *t) {
    tact_arena measure = {NULL, 0, 0};
    tact_model copy = t->model;
    tact_fault fault = tact_model_check(&t->model);
    CHECK_INT(tact_model_prepare(&copy, &measure), fault.field ? TACT_BAD_INPUT : TACT_CONVERGED);
    return fault;
}

static void expect(const test_model *t, const char *field, int index, int line) {
    tact_fault fault = check(t);
    test_text(fault.field, field, __FILE__, line, "field");
    test_int(fault.index, index, __FILE__, line, "index");
}

// item = bad: the fault must be named; then the item as before
#define REFUSE_INT(item, bad, name, at) \
    do {                                \
        int good = item;                \
        item = bad;                     \
        expect(t, name, at, __LINE__);  \
        item = good;                    \
        CHECK(!check(t).field);         \
    } while (0)
#define REFUSE(item, bad, name, at)    \
    do {                               \
        tact_real good = item;         \
        item = (tact_real)(bad);       \
        expect(t, name, at, __LINE__); \
        item = (tact_real)NAN;         \
        expect(t, name, at, __LINE__); \
        item = (tact_real)INFINITY;    \
        expect(t, name, at, __LINE__); \
        item = good;                   \
        CHECK(!check(t).field);        \
    } while (0)
// the same for a size that is one for itself, and too small or large for the others
#define REFUSE_SIZE(item, bad, name, at) \
    do {                                 \
        tact_real good = item;           \
        item = bad;                      \
        expect(t, name, at, __LINE__);   \
        item = good;                     \
        CHECK(!check(t).field);          \
    } while (0)

// bodies: 0 slider, 1 hinge, 2 follows 1, 3 free, 4 fixed, 5 translation
static test_model *make(void) {
    test_model *t = test_model_new();
    test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 10);
    test_model_add(t, 0, TACT_JOINT_REVOLUTE, 1);
    test_model_mimic(t, test_model_body(t, 0, TACT_JOINT_CONTINUOUS), 1, 0.5, 0.1);
    test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    test_model_add(t, 2, TACT_JOINT_FIXED, 0);
    test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, 0);
    test_model_pair(t, 4, 3);
    test_model_pair(t, TACT_WORLD, 5);
    tact_shape box = {TACT_WORLD, TACT_SHAPE_BOX, tact_pose_identity(), {1, 2, 3, TACT_REAL(0.5)}, 0, NULL, NULL, NULL, NULL};
    tact_shape egg = {TACT_WORLD, TACT_SHAPE_ELLIPSOID, tact_pose_identity(), {1, 2, 3}, 0, NULL, NULL, NULL, NULL};
    t->shape[t->model.nshape++] = box;
    t->shape[t->model.nshape++] = egg;
    CHECK(!check(t).field);
    return t;
}

static void test_counts(test_model *t) {
    REFUSE_INT(t->model.nbody, -1, "nbody", 0);
    REFUSE_INT(t->model.nshape, -1, "nshape", 0);
    REFUSE_INT(t->model.npair, -1, "npair", 0);
    REFUSE_INT(t->model.nq, -1, "nq", 0);
    REFUSE_INT(t->model.nv, -1, "nv", 0);
    REFUSE_INT(t->model.nu, -1, "nu", 0);
    REFUSE_INT(t->model.nu, 3, "nu", 0);
    REFUSE_INT(t->model.nq, t->model.nq + 1, "nq", 0);
    REFUSE_INT(t->model.nq, t->model.nq - 1, "body.q", 5);
    REFUSE_INT(t->model.nv, t->model.nv - 1, "body.v", 5);
}

static void test_bodies(test_model *t) {
    tact_body *body = t->body;
    REFUSE_INT(body[1].parent, 1, "body.parent", 1);
    REFUSE_INT(body[1].parent, -2, "body.parent", 1);
    REFUSE_INT(body[0].parent, 3, "body.parent", 0);
    REFUSE_INT(*(int *)&body[4].joint, 7, "body.joint", 4);
    REFUSE_INT(*(int *)&body[4].joint, -1, "body.joint", 4);
    REFUSE_INT(body[1].v, 0, "body.q", 1);
    REFUSE_INT(body[1].v, 99, "body.v", 1);
    REFUSE_INT(body[1].v, -1, "body.v", 1);
    REFUSE_INT(body[3].v, 3, "body.v", 3);
    REFUSE_INT(body[5].v, 2, "body.v", 5);
    REFUSE_INT(body[1].q, 0, "body.q", 1);
    REFUSE_INT(body[1].q, -1, "body.q", 1);
    REFUSE_INT(body[2].q, 0, "body.q", 2);
    REFUSE_INT(body[3].q, 3, "body.q", 3);
    REFUSE(body[1].ratio, 2, "body.ratio", 1);
    REFUSE(body[1].offset, 1, "body.offset", 1);
    REFUSE(body[2].ratio, NAN, "body.ratio", 2);
    REFUSE(body[2].offset, NAN, "body.offset", 2);
    REFUSE(body[1].axis.x, 0.1, "body.axis", 1);
    REFUSE(body[4].place.p.y, NAN, "body.place", 4);
    for (int k = 0; k < 9; k++) REFUSE(body[4].place.R.m[k / 3][k % 3], 0.5, "body.place", 4);
    REFUSE(body[4].mass, -1, "body.mass", 4);
    REFUSE(body[4].com.z, NAN, "body.com", 4);
    // products of inertia without moments
    tact_real inertia[6];
    memcpy(inertia, body[4].inertia, sizeof inertia);
    for (int k = 0; k < 6; k++) body[4].inertia[k] = 0;
    CHECK(!check(t).field);
    for (int k = 3; k < 6; k++) REFUSE(body[4].inertia[k], 0.01, "body.inertia", 4);
    memcpy(body[4].inertia, inertia, sizeof inertia);
    for (int k = 0; k < 6; k++) REFUSE(body[4].inertia[k], k < 3 ? -1 : NAN, "body.inertia", 4);
    // a mirror is not a rotation, nor are axes that are not square to each other or not of unit length
    REFUSE(body[4].place.R.m[2][2], -1, "body.place", 4);
    static const tact_mat3 shears[] = {{{{1, TACT_REAL(0.6), 0}, {0, TACT_REAL(0.8), 0}, {0, 0, TACT_REAL(1.25)}}},
                                       {{{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}}};
    for (int k = 0; k < 2; k++) {
        tact_mat3 good = body[4].place.R;
        body[4].place.R = shears[k];
        expect(t, "body.place", 4, __LINE__);
        body[4].place.R = good;
    }
    // what has no moments has no products either
    tact_body moving = body[4];
    for (int k = 0; k < 6; k++) body[4].inertia[k] = 0;
    CHECK(!check(t).field);
    for (int k = 3; k < 6; k++) REFUSE(body[4].inertia[k], 1e-9, "body.inertia", 4);
    body[4] = moving;
}

static void test_dofs(test_model *t) {
    tact_dof *dof = t->dof;
    REFUSE(dof[0].stiffness, -1, "dof.stiffness", 0);
    REFUSE(dof[0].damping, -1, "dof.damping", 0);
    REFUSE(dof[0].lower, NAN, "dof.lower", 0);
    REFUSE(dof[0].upper, NAN, "dof.upper", 0);
    dof[0].lower = 1;
    dof[0].upper = TACT_REAL(1.5);
    REFUSE(dof[0].upper, 0.5, "dof.upper", 0);
    REFUSE_INT(dof[0].u, 1, "dof.u", 0);
    REFUSE_INT(dof[1].u, 0, "dof.u", 1);
    REFUSE_INT(dof[2].u, 2, "dof.u", 2);
    REFUSE_INT(dof[1].body, 2, "body.ratio", 2);
    REFUSE_INT(dof[0].body, 6, "dof.body", 0);
    REFUSE_INT(dof[0].body, 4, "dof.body", 0);
    REFUSE_INT(dof[3].body, 4, "dof.body", 3);
    dof[0].force = true;
    expect(t, "dof.force", 0, __LINE__);
    dof[0].force = false;
    REFUSE_INT(dof[2].q, 2, "dof.q", 2);
    REFUSE_INT(dof[5].q, 3, "dof.q", 5);
    // a free joint has neither limits nor drives
    REFUSE(dof[2].lower, -1, "dof.lower", 2);
    REFUSE(dof[7].upper, 1, "dof.upper", 7);
    for (int v = 2; v < 8; v += 3) {
        dof[v].stiffness = 1;
        dof[v].u = 2;
        t->model.nu++;
        expect(t, "dof.stiffness", v, __LINE__);
        dof[v].stiffness = 0;
        dof[v].u = -1;
        t->model.nu--;
    }
    dof[4].force = true;
    dof[4].u = 2;
    t->model.nu++;
    expect(t, "dof.force", 4, __LINE__);
    dof[4].force = false;
    dof[4].u = -1;
    t->model.nu--;
    CHECK(!check(t).field);
}

static void test_state(test_model *t) {
    REFUSE(t->q0[0], NAN, "q0", 0);
    REFUSE(t->v0[7], NAN, "v0", 7);
    t->q0[5] = TACT_REAL(1.0005);
    CHECK(!check(t).field);
    int quaternion = 5;
    tact_real good = t->q0[quaternion];
    t->q0[quaternion] = TACT_REAL(1.002);
    expect(t, "q0", quaternion, __LINE__);
    t->q0[quaternion] = 0;
    expect(t, "q0", quaternion, __LINE__);
    t->q0[quaternion] = good;
}

static void test_shapes(test_model *t) {
    REFUSE_INT(t->shape[1].body, 6, "shape.body", 1);
    REFUSE_INT(t->shape[1].body, -2, "shape.body", 1);
    REFUSE_INT(*(int *)&t->shape[1].type, TACT_SHAPE_GRID + 1, "shape.type", 1);
    REFUSE(t->shape[1].place.p.x, NAN, "shape.place", 1);
    REFUSE(t->shape[1].place.R.m[0][1], 0.1, "shape.place", 1);
    REFUSE(t->shape[1].size[0], -1, "shape.size", 1);
    REFUSE(t->shape[7].size[2], -1, "shape.size", 7);
    REFUSE(t->shape[7].size[3], 1.1, "shape.size", 7);
    REFUSE(t->shape[8].size[1], 0, "shape.size", 8);
    REFUSE_INT(t->pair[0].a, -1, "pair.a", 0);
    REFUSE_INT(t->pair[0].b, 9, "pair.b", 0);
    REFUSE_INT(t->pair[0].b, t->pair[0].a, "pair.b", 0);
    REFUSE_INT(t->pair[1].b, 7, "pair.b", 1);
    // in space a ball meets no union
    const int member[] = {2};
    tact_shape egg = t->shape[8], both = {TACT_WORLD, TACT_SHAPE_UNION, tact_pose_identity(), {0}, 1, NULL, member, NULL, NULL};
    both.body = t->shape[2].body;
    t->shape[8] = both;
    CHECK(!check(t).field);
    REFUSE_INT(t->pair[1].a, 8, "pair.b", 1);
    t->shape[8] = egg;
    REFUSE(t->pair[1].mu, 10.1, "pair.mu", 1);
    REFUSE(t->pair[1].mu, -0.1, "pair.mu", 1);
    REFUSE(t->pair[1].restitution, 1.1, "pair.restitution", 1);
}

// a model in the plane: bodies 0 and 1, a polygon, a rectangle and a union of two discs on each
static void test_planar(void) {
    static tact_vec2 square[] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const int discs[] = {2, 3};
    test_model *t = test_model_new();
    for (int b = 0; b < 2; b++) test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0);
    t->model.planar = true;
    int first = t->model.nshape;
    CHECK(!check(t).field);
    tact_shape *shape = t->shape + first;
    const tact_shape disc = {0, TACT_SHAPE_CIRCLE, tact_pose_identity(), {1}, 0, NULL, NULL, NULL, NULL};
    for (int i = 0; i < 5; i++) shape[i] = disc;
    shape[0].type = TACT_SHAPE_POLYGON;
    shape[0].size[1] = TACT_REAL(0.1);
    shape[0].point = square;
    shape[0].count = 4;
    shape[1].type = TACT_SHAPE_RECTANGLE;
    shape[1].size[1] = 1;
    shape[1].size[2] = TACT_REAL(0.2);
    static int member[2];
    for (int i = 0; i < 2; i++) member[i] = first + discs[i];
    shape[4].type = TACT_SHAPE_SMOOTH_UNION;
    shape[4].member = member;
    shape[4].count = 2;
    t->model.nshape += 5;
    CHECK(!check(t).field);
    REFUSE_INT(shape[0].count, 2, "shape.point", first);
    REFUSE_INT(shape[0].count, TACT_POLYGON_MAX + 1, "shape.point", first);
    REFUSE(square[1].x, NAN, "shape.point", first);
    REFUSE(square[1].y, NAN, "shape.point", first);
    REFUSE(square[0].x, NAN, "shape.point", first);
    REFUSE(square[0].y, NAN, "shape.point", first);
    REFUSE(square[1].x, -2, "shape.point", first);
    // a star turns left at every corner, and twice around
    static const tact_vec2 star[] = {{0, 5}, {-3, -4}, {5, 2}, {-5, 2}, {3, -4}};
    tact_shape plain = shape[0];
    shape[0].point = star;
    shape[0].count = 5;
    expect(t, "shape.point", first, __LINE__);
    shape[0] = plain;
    REFUSE_SIZE(shape[0].size[0], 0, "shape.point", first);
    REFUSE_SIZE(shape[0].size[1], 2, "shape.point", first);
    const tact_vec2 *points = shape[0].point;
    shape[0].point = NULL;
    expect(t, "shape.point", first, __LINE__);
    shape[0].point = points;
    REFUSE(shape[1].size[2], 1.1, "shape.size", first + 1);
    REFUSE_INT(shape[4].count, 0, "shape.member", first + 4);
    REFUSE_INT(shape[4].count, TACT_POLYGON_MAX + 1, "shape.member", first + 4);
    REFUSE_INT(member[1], -1, "shape.member", first + 4);
    REFUSE_INT(member[1], first + 5, "shape.member", first + 4);
    REFUSE_INT(member[1], first + 4, "shape.member", first + 4);
    REFUSE_INT(shape[3].body, 1, "shape.member", first + 4);
    REFUSE_SIZE(shape[4].size[0], 0, "shape.member", first + 4);
    shape[4].member = NULL;
    expect(t, "shape.member", first + 4, __LINE__);
    test_model_free(t);
}

static void test_depth(void) {
    // 1024 bodies on one path are accepted, 1025 are not
    static tact_body body[1025];
    tact_model model = {.nbody = 1024, .body = body};
    for (int b = 0; b < 1025; b++) {
        tact_body link = {.parent = b - 1, .joint = TACT_JOINT_FIXED, .place = tact_pose_identity()};
        body[b] = link;
    }
    CHECK(!tact_model_check(&model).field);
    model.nbody = 1025;
    CHECK_TEXT(tact_model_check(&model).field, "body.parent");
    CHECK_INT(tact_model_check(&model).index, 1024);
}

// what the rigid law says of a model, which is otherwise good; NULL: it takes it
static const char *rigid_reason(test_model *t, int *body) {
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    return tact_law_rigid.refuse(&t->model, body);
}

// A joint that nothing drives needs something that resists it: a mass along it, or an inertia or a mass on an arm about it.
static void test_rigid_law(void) {
    static const tact_joint_type joints[] = {TACT_JOINT_PRISMATIC, TACT_JOINT_REVOLUTE};
    for (int turns = 0; turns < 2; turns++)
        for (int k = 0; k < 8; k++) {
            test_model *t = test_model_new();
            int b = test_model_add(t, TACT_WORLD, joints[turns], 0), at = -1;
            test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 0);
            tact_body *body = &t->body[b];
            body->mass = k < 4;
            body->com.x = k == 1;
            body->com.y = k == 2;
            body->com.z = k == 3;
            for (int i = 0; i < 3; i++) body->inertia[i] = k > 4 && k < 8 ? 1 : 0;
            bool good = turns ? (k >= 1 && k <= 3) || k > 4 : k < 4;
            const char *reason = rigid_reason(t, &at);
            CHECK((reason == NULL) == good);
            if (reason) CHECK_INT(at, b);
            // about any one axis will do
            for (int i = 0; i < 3 && turns && k == 0; i++) {
                body->inertia[i] = 1;
                CHECK(!rigid_reason(t, &at));
                body->inertia[i] = 0;
            }
            // it may as well be on what it carries, or be driven
            test_model_body(t, b, TACT_JOINT_FIXED);
            CHECK(!rigid_reason(t, &at));
            test_model_free(t);
        }
    test_model *t = test_model_new();
    int at = -1, slider = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 10);
    t->body[slider].mass = 0;
    for (int i = 0; i < 3; i++) t->body[slider].inertia[i] = 0;
    CHECK(!rigid_reason(t, &at));
    int ball = test_model_add(t, slider, TACT_JOINT_FREE, 0);
    CHECK(rigid_reason(t, &at) != NULL);
    CHECK_INT(at, ball);
    test_model_free(t);
}

// A work is that of models whose dofs are coupled as those are that it was initialised for.
static void test_couples(void) {
    static const tact_law *const laws[] = {&tact_law_barrier, &tact_law_rigid};
    for (int k = 0; k < 2; k++) {
        test_model *apart = test_model_new(), *joined = test_model_new();
        for (int b = 0; b < 2; b++) {
            test_model_add(apart, TACT_WORLD, TACT_JOINT_TRANSLATION, 0);
            test_model_add(joined, b - 1, TACT_JOINT_TRANSLATION, 0);
        }
        apart->model.law = joined->model.law = laws[k];
        CHECK_INT(test_model_prepare(apart, 0), TACT_CONVERGED);
        CHECK_INT(test_model_prepare(joined, 0), TACT_CONVERGED);
        size_t size = tact_work_size(&apart->model);
        void *memory = malloc(size);
        tact_work work;
        CHECK_INT(tact_work_init(&work, &apart->model, memory, size), TACT_CONVERGED);
        CHECK(k ? tact_rigid_couples(&apart->model, work.rigid) : tact_barrier_couples(&apart->model, &work));
        CHECK(!(k ? tact_rigid_couples(&joined->model, work.rigid) : tact_barrier_couples(&joined->model, &work)));
        free(memory);
        test_model_free(apart);
        test_model_free(joined);
    }
}

static void expect_virtual(test_model *t, const char *field, int index, int line) {
    t->model.planar = true;
    t->model.law = &tact_law_virtual;
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    tact_fault fault = tact_virtual_check(&t->model);
    test_text(fault.field ? fault.field : "", field, __FILE__, line, "field");
    if (*field) test_int(fault.index, index, __FILE__, line, "index");
}

// an arm on a slider, a body in the plane, and what the virtual law does not take of them
static void test_virtual_law(void) {
    test_model *t = test_model_new();
    t->model.nshape = 0;
    int slider = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 0), arm = test_model_add(t, slider, TACT_JOINT_REVOLUTE, 0);
    int disc = test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0);
    t->body[slider].axis = tact_vec3_make(1, 0, 0);
    for (int i = 0; i < t->model.nshape; i++) t->shape[i].type = TACT_SHAPE_CIRCLE;
    expect_virtual(t, "", 0, __LINE__);
    tact_body good = t->body[arm], round = t->body[disc];
    // centres of mass may be anywhere; along the axis the mass matrix stays constant
    CHECK(!tact_virtual_body_bends(&t->model, arm));
    t->body[arm].com.x = TACT_REAL(0.1);
    expect_virtual(t, "", 0, __LINE__);
    CHECK(tact_virtual_body_bends(&t->model, arm));
    t->body[arm].com = tact_vec3_make(0, 0, TACT_REAL(0.1));
    expect_virtual(t, "", 0, __LINE__);
    CHECK(!tact_virtual_body_bends(&t->model, arm));
    t->body[arm] = good;
    t->body[disc].com.y = TACT_REAL(0.1);
    expect_virtual(t, "", 0, __LINE__);
    CHECK(tact_virtual_body_bends(&t->model, disc));
    t->body[disc] = round;
    for (int i = 0; i < 3; i++) t->body[disc].inertia[i] = 0;
    expect_virtual(t, "body.mass", disc, __LINE__);
    t->body[disc] = round;
    t->body[disc].mass = 0;
    expect_virtual(t, "body.mass", disc, __LINE__);
    t->body[disc] = round;
    // a joint that follows one of another tree
    int follower = test_model_body(t, TACT_WORLD, TACT_JOINT_REVOLUTE);
    t->shape[t->model.nshape - 1].type = TACT_SHAPE_CIRCLE;
    test_model_mimic(t, follower, arm, 1, 0);
    expect_virtual(t, "body.joint", follower, __LINE__);
    test_model_free(t);
    t = test_model_new();
    int ball = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    expect_virtual(t, "body.joint", ball, __LINE__);
    test_model_free(t);
}

int main(void) {
    test_model *t = make();
    test_counts(t);
    test_bodies(t);
    test_dofs(t);
    test_state(t);
    test_shapes(t);
    test_planar();
    test_depth();
    test_rigid_law();
    test_couples();
    test_virtual_law();
    test_model_free(t);
    return test_end("check");
}
