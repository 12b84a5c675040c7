// SPDX-License-Identifier: MIT
// The shapes of a model in its plane: poses from the kinematics, the search for near pairs against all pairs, a scene standing
// upright against the same one lying flat, and planar shapes under the laws in three dimensions.
#include "planar_test.h"

#include <tact/sim.h>

enum { BODIES = 60, SHAPES = BODIES + 2, PAIRS = SHAPES * (SHAPES - 1) / 2, BYTES = 1 << 22 };

static tact_body body[BODIES];
static tact_dof dof[3 * BODIES];
static tact_shape shape[SHAPES];
static tact_pair pair[PAIRS];
static tact_real q0[3 * BODIES], v0[3 * BODIES];
static unsigned char model_bytes[BYTES], planar_bytes[BYTES], work_bytes[BYTES];
static const tact_vec2 triangle[3] = {{TACT_REAL(-0.2), TACT_REAL(-0.1)}, {TACT_REAL(0.2), TACT_REAL(-0.1)}, {0, TACT_REAL(0.3)}};

static tact_shape make_shape(int i) {
    tact_shape s = {.body = i, .type = TACT_SHAPE_CIRCLE, .place = test_turned(uniform(-3, 3), uniform(-0.1, 0.1), 0)};
    s.size[0] = (tact_real)uniform(0.05, 0.2);
    s.size[1] = (tact_real)uniform(0.05, 0.2);
    if (i % 3 == 1) s.type = TACT_SHAPE_RECTANGLE;
    if (i % 3 == 2) {
        s.type = TACT_SHAPE_POLYGON;
        s.size[0] = 1;
        s.size[1] = TACT_REAL(0.01);
        s.count = 3;
        s.point = triangle;
    }
    return s;
}

// bodies on planar joints between a floor and a slope, every pair of shapes in a shuffled order
static tact_model make_model(tact_mat3 axes) {
    tact_model model = {.nbody = BODIES, .nshape = SHAPES, .nq = 3 * BODIES, .nv = 3 * BODIES, .planar = true};
    int count = 0;
    for (int b = 0; b < BODIES; b++) {
        body[b] = (tact_body){.parent = TACT_WORLD,
                              .joint = TACT_JOINT_PLANAR,
                              .place = {axes, {1, 2, 3}},
                              .q = 3 * b,
                              .v = 3 * b,
                              .ratio = 1,
                              .mass = 1,
                              .inertia = {1, 1, 1}};
        for (int k = 0; k < 3; k++) {
            q0[3 * b + k] = (tact_real)uniform(-1.5, 1.5);
            dof[3 * b + k] = (tact_dof){.body = b, .q = 3 * b + k, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
        }
        shape[b] = make_shape(b);
    }
    for (int i = BODIES; i < SHAPES; i++) {
        tact_pose lie = test_turned(i == BODIES ? 0 : 0.5, 0, -1);
        tact_pose stand = {axes, {1, 2, 3}};
        shape[i] = (tact_shape){.body = TACT_WORLD, .type = TACT_SHAPE_HALFPLANE, .place = tact_pose_multiply(stand, lie)};
    }
    for (int a = 0; a < SHAPES; a++)
        for (int b = a + 1; b < SHAPES; b++)
            if (shape[a].body != shape[b].body) pair[count++] = (tact_pair){a, b, 0, 0, 0};
    for (int i = count - 1; i > 0; i--) {
        int other = (int)uniform(0, i + 1);
        tact_pair kept = pair[i];
        pair[i] = pair[other];
        pair[other] = kept;
    }
    model.npair = count;
    model.body = body;
    model.dof = dof;
    model.shape = shape;
    model.pair = pair;
    model.q0 = q0;
    model.v0 = v0;
    tact_arena arena = {.memory = model_bytes, .size = sizeof model_bytes};
    CHECK_INT(tact_model_prepare(&model, &arena), TACT_CONVERGED);
    return model;
}

static tact_planar make_planar(const tact_model *model) {
    tact_planar planar;
    tact_arena measure = {0}, arena = {.memory = planar_bytes, .size = sizeof planar_bytes};
    tact_planar_place(&planar, model, &measure);
    tact_planar_place(&planar, model, &arena);
    CHECK(tact_arena_fits(&arena) && arena.used <= measure.used);
    tact_planar_prepare(&planar);
    CHECK(!tact_plane_check(model, &planar.plane).field);
    return planar;
}

static void locate(tact_planar *planar, const tact_real *q) {
    tact_kinematics kinematics;
    tact_arena arena = {.memory = work_bytes, .size = sizeof work_bytes};
    tact_kinematics_place(&kinematics, planar->model, &arena);
    tact_kinematics_update(&kinematics, planar->model, q);
    tact_planar_update(planar, &kinematics);
}

static void check_near(tact_planar *planar, tact_real margin, int *reached) {
    static tact_virtual list[64];
    tact_virtual_options options = tact_virtual_options_default();
    options.manifold = TACT_MANIFOLD_CLOSEST;
    tact_planar_search(planar, margin, NULL);
    for (int p = 0, k = 0; p < planar->model->npair; p++) {
        bool listed = k < planar->nnear && planar->near[k] == p;
        k += listed;
        int count = tact_planar_contacts(planar, p, &options, list);
        if (count == 1 && list[0].d > -margin) {
            CHECK(listed);
            (*reached)++;
        }
    }
    for (int k = 1; k < planar->nnear; k++) CHECK(planar->near[k] > planar->near[k - 1]);
}

static void test_search(void) {
    static int before[PAIRS];
    tact_model model = make_model(tact_mat3_identity());
    tact_planar planar = make_planar(&model);
    int reached = 0, listed = 0;
    for (int n = 0; n < 20; n++) {
        tact_real q[3 * BODIES];
        for (int i = 0; i < 3 * BODIES; i++) q[i] = (tact_real)uniform(-1.5, 1.5);
        locate(&planar, q);
        check_near(&planar, TACT_REAL(0.02), &reached);
        listed += planar.nnear;
        // from another order of the sweep the same list
        int count = planar.nnear;
        memcpy(before, planar.near, (size_t)count * sizeof before[0]);
        for (int i = 0; i < model.nshape; i++) planar.order[i] = model.nshape - 1 - i;
        tact_planar_search(&planar, TACT_REAL(0.02), NULL);
        CHECK(planar.nnear == count && memcmp(before, planar.near, (size_t)count * sizeof before[0]) == 0);
    }
    printf("search: %d listed, %d reached, of %d\n", listed, reached, 20 * model.npair);
    CHECK(reached > 500 && listed < 20 * model.npair / 4);
}

// What bodies can reach that go as far as they may is listed, and what circles tell apart is apart.
static void test_slack(void) {
    static tact_virtual list[64];
    static unsigned char found[PAIRS];
    tact_virtual_options options = tact_virtual_options_default();
    options.manifold = TACT_MANIFOLD_CLOSEST;
    tact_model model = make_model(tact_mat3_identity());
    tact_planar planar = make_planar(&model);
    int reached = 0, apart = 0;
    for (int n = 0; n < 20; n++) {
        tact_real q[3 * BODIES], slack[BODIES];
        for (int i = 0; i < 3 * BODIES; i++) q[i] = (tact_real)uniform(-1.5, 1.5);
        for (int b = 0; b < BODIES; b++) slack[b] = (tact_real)uniform(0, 0.2);
        locate(&planar, q);
        tact_planar_search(&planar, 0, slack);
        memset(found, 0, sizeof found);
        for (int k = 0; k < planar.nnear; k++) found[planar.near[k]] = 1;
        for (int b = 0; b < BODIES; b++) {
            double angle = uniform(-3, 3);
            q[3 * b] += slack[b] * (tact_real)(0.999 * cos(angle));
            q[3 * b + 1] += slack[b] * (tact_real)(0.999 * sin(angle));
        }
        locate(&planar, q);
        for (int p = 0; p < model.npair; p++) {
            if (tact_planar_contacts(&planar, p, &options, list) == 0) continue;
            bool told = tact_planar_apart(&planar, p, TACT_REAL(0.1));
            CHECK(!told || list[0].d < TACT_REAL(-0.1));
            apart += told;
            if (list[0].d < 0) continue;
            CHECK(found[p]);
            reached++;
        }
    }
    CHECK(reached > 400 && apart > 4 * reached);
}

static void test_poses(void) {
    tact_model model = make_model(tact_mat3_identity());
    tact_planar planar = make_planar(&model);
    locate(&planar, q0);
    for (int b = 0; b < BODIES; b++) {
        CHECK_CLOSE(planar.pose[b].p.x, (double)q0[3 * b] + 1, 4 * TACT_EPS);
        CHECK_CLOSE(planar.pose[b].p.y, (double)q0[3 * b + 1] + 2, 8 * TACT_EPS);
        CHECK_CLOSE(planar.pose[b].turn.x, cos((double)q0[3 * b + 2]), 8 * TACT_EPS);
        CHECK_CLOSE(planar.pose[b].turn.y, sin((double)q0[3 * b + 2]), 8 * TACT_EPS);
    }
}

// The same scene in the world's x-z plane has the same contacts.
static void test_upright(void) {
    static tact_virtual flat[PAIRS], upright[16];
    const tact_mat3 stand = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    tact_virtual_options options = tact_virtual_options_default();
    options.manifold = TACT_MANIFOLD_CLOSEST;
    uint64_t kept = seed;
    tact_model model = make_model(tact_mat3_identity());
    tact_planar planar = make_planar(&model);
    locate(&planar, q0);
    for (int p = 0; p < model.npair; p++) tact_planar_contacts(&planar, p, &options, &flat[p]);
    seed = kept;
    model = make_model(stand);
    planar = make_planar(&model);
    locate(&planar, q0);
    CHECK_CLOSE(planar.plane.height, -2, 4 * TACT_EPS);
    for (int p = 0; p < model.npair; p++) {
        if (tact_planar_contacts(&planar, p, &options, upright) == 0) continue;
        tact_vec3 x = tact_plane_point(&planar.plane, upright[0].x);
        CHECK_CLOSE(upright[0].d, flat[p].d, 64 * TACT_EPS);
        CHECK_CLOSE(x.x, flat[p].x.x, PICK(1e-9, 1e-3));
        CHECK_CLOSE(x.y, 2, 4 * TACT_EPS);
        CHECK_CLOSE(x.z, (double)flat[p].x.y + 1, PICK(1e-9, 1e-3));
    }
}

// Under the barrier law a circle rests on planar shapes as a sphere does, at the gap 2/(kappa m g).
static void check_rest(tact_shape ground) {
    static unsigned char state_bytes[BYTES];
    const tact_real radius = TACT_REAL(0.3);
    tact_body ball = {
        .parent = TACT_WORLD, .joint = TACT_JOINT_TRANSLATION, .place = tact_pose_identity(), .ratio = 1, .mass = 1};
    tact_shape shapes[2] = {ground, {.type = TACT_SHAPE_CIRCLE, .place = tact_pose_identity(), .size = {radius}}};
    tact_pair touch = {0, 1, TACT_REAL(0.5), 0, 0};
    tact_real start[3] = {0, radius + TACT_REAL(0.5), TACT_REAL(0.2)}, rest[3] = {0, 0, 0};
    tact_model model = {.nbody = 1,
                        .nshape = 2,
                        .npair = 1,
                        .nq = 3,
                        .nv = 3,
                        .body = &ball,
                        .dof = dof,
                        .shape = shapes,
                        .pair = &touch,
                        .q0 = start,
                        .v0 = rest,
                        .law = &tact_law_barrier};
    for (int k = 0; k < 3; k++) dof[k] = (tact_dof){.body = 0, .q = k, .u = -1, .lower = -TACT_MAX, .upper = TACT_MAX};
    tact_arena arena = {.memory = model_bytes, .size = sizeof model_bytes};
    tact_options options = tact_options_default();
    tact_input input = {0};
    tact_state state;
    tact_work work;
    options.gravity = tact_vec3_make(0, TACT_REAL(-9.81), 0);
    CHECK_INT(tact_model_prepare(&model, &arena), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&state, &model, state_bytes, sizeof state_bytes), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, &model, work_bytes, sizeof work_bytes), TACT_CONVERGED);
    for (int n = 0; n < 300; n++) CHECK_INT(tact_step(&model, &options, &input, &state, &work), TACT_CONVERGED);
    CHECK_CLOSE(state.q[1], (double)radius + 2 / ((double)options.kappa * 9.81), PICK(1e-6, 1e-3));
}

static void test_three_dimensions(void) {
    static const tact_vec2 block[4] = {{-1, -1}, {1, -1}, {1, 0}, {-1, 0}};
    tact_shape ground = {.body = TACT_WORLD, .type = TACT_SHAPE_HALFPLANE, .place = tact_pose_identity()};
    check_rest(ground);
    ground.type = TACT_SHAPE_RECTANGLE;
    ground.size[0] = 2;
    ground.size[1] = 1;
    ground.size[2] = TACT_REAL(0.2);
    ground.place.p.y = -1;
    check_rest(ground);
    ground = (tact_shape){.body = TACT_WORLD,
                          .type = TACT_SHAPE_POLYGON,
                          .place = tact_pose_identity(),
                          .size = {2, TACT_REAL(0.1)},
                          .count = 4,
                          .point = block};
    check_rest(ground);
}

int main(void) {
    seed = test_seed(20260609);
    test_poses();
    test_search();
    test_slack();
    test_upright();
    test_three_dimensions();
    return test_end("sweep");
}
