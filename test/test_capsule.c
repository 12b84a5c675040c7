// SPDX-License-Identifier: MIT
// Capsules against shapes other than balls: where they are nearest against a search by thirds, which contacts a scene gives
// them, what a rod weighs at its ends, and that what has no contacts is refused.
#include "contact/ball.h"
#include "deriv_scene.h"
#include "rigid_world.h"

static tact_contact found;

static double point_distance(const tact_shape *shape, const tact_pose *pose, tact_vec3 x) {
    return (double)tact_shape_distance(shape, to_inner(*pose, x)).value;
}

// one pair of shapes at random poses, in either order
static void check_nearest(uint64_t *seed, tact_shape_type type) {
    tact_shape shape[2] = {random_shape(seed), {.type = TACT_SHAPE_CAPSULE}};
    while (shape[0].type != type) shape[0] = random_shape(seed);
    for (int k = 0; k < 2; k++) shape[1].size[k] = random_real(seed, 0.005, 0.06);
    tact_pose pose[2] = {random_pose(seed, 0.05), random_pose(seed, 0.1)};
    tact_vec3 axis = tact_vec3_scale(shape[1].size[1], tact_mat3_column(pose[1].R, 2));
    int b = random_chance(seed, 0.5);
    tact_pair pair = {.a = 1 - b, .b = b};
    tact_model model = {.nshape = 2, .shape = shape, .npair = 1, .pair = &pair};
    tact_vec3 normal = tact_pair_find_nearest(&model, &pair, &pose[pair.a], &pose[pair.b], &found);
    double wanted = least_along(&shape[0], to_inner(pose[0], pose[1].p), tact_mat3_apply_transposed(pose[0].R, axis)) -
                    (double)shape[1].size[0];
    double least = sizeof(tact_real) == sizeof(double) ? 1e-12 : 2e-6;
    CHECK_CLOSE(found.gap, wanted, least);
    CHECK_CLOSE(tact_vec3_dot(normal, normal), 1, 10 * least);
    tact_vec3 apart = tact_vec3_sub(found.point_b, found.point_a);
    CHECK_CLOSE(tact_vec3_dot(apart, normal), found.gap, 10 * least);
    CHECK_CLOSE(tact_vec3_dot(apart, apart), found.gap * found.gap, 10 * least);
    if (found.gap > 0) CHECK_CLOSE(point_distance(&shape[pair.a], &pose[pair.a], found.point_a), 0, 1e-6);
    if (found.gap > 0) CHECK_CLOSE(point_distance(&shape[pair.b], &pose[pair.b], found.point_b), 0, 1e-6);
    // no contact of the two is nearer than the bound by one distance, off by the size of the capsule at most
    tact_real bound[2] = {tact_contact_bound(&shape[0], pose[0].p), tact_contact_bound(&shape[1], pose[1].p)};
    double far = (double)tact_pair_least_gap(&model, &pair, &pose[pair.a], &pose[pair.b], bound);
    double slack = type == TACT_SHAPE_CAPSULE ? (double)(bound[0] + bound[1]) : (double)bound[1];
    CHECK(far <= (double)found.gap && far >= (double)found.gap - 2.001 * slack);
    // the ends
    for (int end = -1; end <= 1; end += 2) {
        pair.vertex = (b ? 1 : -1) * (end < 0 ? 1 : 2);
        tact_pair_find_nearest(&model, &pair, &pose[pair.a], &pose[pair.b], &found);
        tact_vec3 centre = tact_vec3_add_scaled(pose[1].p, (tact_real)end, axis);
        CHECK_CLOSE(found.gap, point_distance(&shape[0], &pose[0], centre) - (double)shape[1].size[0], least);
        CHECK((double)found.gap >= wanted - least);
    }
}

// Where a whole stretch is as near, its middle: t of a segment c + t h.
static void check_middle(void) {
    const tact_shape plane = {.type = TACT_SHAPE_PLANE}, capsule = {.type = TACT_SHAPE_CAPSULE, .size = {1, 2}},
                     box = {.type = TACT_SHAPE_BOX, .size = {1, 1, 1}}, rod = {.type = TACT_SHAPE_CYLINDER, .size = {1, 2}},
                     egg = {.type = TACT_SHAPE_ELLIPSOID, .size = {1, 2, 3}};
    double least = 64 * (double)TACT_EPS;
    CHECK_CLOSE(tact_segment_nearest(&plane, tact_vec3_make(1, 2, 3), tact_vec3_make(1, 1, 0)), 0, 0);
    CHECK_CLOSE(tact_segment_nearest(&plane, tact_vec3_make(1, 2, 3), tact_vec3_make(1, 1, 1)), -1, 0);
    CHECK_CLOSE(tact_segment_nearest(&plane, tact_vec3_make(1, 2, 3), tact_vec3_make(1, 1, -1)), 1, 0);
    // all of it, its upper half, none
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 0, 0), tact_vec3_make(0, 0, 1)), 0, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 0, -2), tact_vec3_make(0, 0, 1)), 0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 0, -4), tact_vec3_make(0, 0, 1)), 1, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 0, 4), tact_vec3_make(0, 0, 1)), -1, least);
    // square to the axis: c.h + t |h|^2 = 0 beside the capsule, beyond its end, and outside the segment; a point
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 1, TACT_REAL(0.25)), tact_vec3_make(0, 2, 0)), -0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, -1, 9), tact_vec3_make(0, 2, 0)), 0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, -5, TACT_REAL(0.25)), tact_vec3_make(0, 2, 0)), 1, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 5, -9), tact_vec3_make(0, 2, 0)), -1, least);
    CHECK_CLOSE(tact_segment_nearest(&capsule, tact_vec3_make(3, 5, 0), tact_vec3_make(0, 0, 0)), 0, least);
    CHECK_CLOSE(tact_segment_nearest(&box, tact_vec3_make(0, 0, 3), tact_vec3_make(4, 0, 0)), 0, least);
    CHECK_CLOSE(tact_segment_nearest(&box, tact_vec3_make(1, 0, 3), tact_vec3_make(1, 0, 0)), -0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&box, tact_vec3_make(0, 3, 1), tact_vec3_make(0, 0, 2)), -0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&rod, tact_vec3_make(3, 0, 2), tact_vec3_make(0, 0, 2)), -0.5, least);
    CHECK_CLOSE(tact_segment_nearest(&egg, tact_vec3_make(0, 0, 5), tact_vec3_make(1, 0, 0)), 0, least);
    // a segment through the middle of an ellipsoid, and a point
    CHECK_CLOSE(tact_segment_nearest(&egg, tact_vec3_make(0, 0, 0), tact_vec3_make(0, 0, 0)), 0, 0);
    // nearly parallel leans to the nearer end
    CHECK_CLOSE(tact_segment_nearest(&box, tact_vec3_make(0, 0, 3), tact_vec3_make(4, 0, TACT_REAL(0.004))), -0.25, 1e-3);
}

#define ROD                                                                                                                  \
    "{\"tact\":1,\"law\":\"%s\",\"options\":{\"dt\":0.01,\"kappa\":1e6%s},\"bodies\":[{\"name\":\"b\",\"parent\":\"world\"," \
    "\"mass\":2,\"com\":[0,0,%g],\"inertia\":[0.01,0.01,0.001,0,0,0],\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"        \
    "\"shapes\":[{\"name\":\"f\",\"body\":\"world\",%s},"                                                                    \
    "{\"name\":\"s\",\"body\":\"b\",\"type\":\"capsule\",\"radius\":0.02,\"length\":0.2}],"                                  \
    "\"mu\":0.5,\"pairs\":\"auto\",\"state\":{\"q\":{\"b\":[0,0,0.0201,0.7071067811865476,0,0.7071067811865476,0]}}}"

// A rod that lies on the ground bears on its ends as the lever of its centre of mass says.
static void check_rest(const char *law, const char *options, const char *ground, double off, int contacts) {
    static char text[2000];
    snprintf(text, sizeof text, ROD, law, options, off, ground);
    if (!world_text(text)) return;
    CHECK_INT(world.scene->model.npair, contacts);
    double force[3] = {0};
    for (int k = 0; k < 400; k++) CHECK(tact_world_step(&world) >= 0);
    for (int c = 0; c < world.work.contacts.count; c++) {
        const tact_contact *contact = &world.work.contacts.contact[c];
        int vertex = world.scene->model.pair[contact->pair].vertex;
        force[vertex < 0 ? -vertex : vertex] += (double)contact->force.z;
    }
    double weight = 2 * 9.81, share = weight * (0.5 + off / 0.2), tolerance = within(1e-6, 1e-2);
    CHECK_CLOSE(force[0] + force[1] + force[2], weight, tolerance);
    if (contacts == 2) CHECK_CLOSE(force[2], share, tolerance);
    world_end();
}

// Derivatives of a barrier step of a rod beside another one that is parallel to it, or not quite: where it is and may tilt, the
// contact jumps from the middle to an end.
static void check_flush(const char *joint, double turn, bool kink) {
    static char text[2000];
    snprintf(text, sizeof text,
             "{\"tact\":1,\"law\":\"barrier\",\"mu\":0.5,\"bodies\":[{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,\"inertia\":"
             "[1,1,1,0,0,0],"
             "\"joint\":{\"type\":\"%s\",\"name\":\"j\"}}],\"shapes\":[{\"name\":\"x\",\"body\":\"world\",\"type\":\"capsule\","
             "\"radius\":0.1,"
             "\"length\":1,\"xyz\":[0,0.21,0]},{\"name\":\"c\",\"body\":\"a\",\"type\":\"capsule\",\"radius\":0.1,\"length\":1,"
             "\"rpy\":[0,%g,0]}],\"pairs\":\"auto\"}",
             joint, turn);
    const tact_model *model = open_scene(text);
    deriv_scene s = {.options = tact_options_default()};
    deriv_scene_begin(&s, model);
    size_t size = tact_work_size(model), room = tact_deriv_size(model);
    void *memory = test_memory(size), *more = test_memory(room);
    tact_work work;
    tact_deriv_work deriv;
    CHECK_INT(tact_work_init(&work, model, memory, size), TACT_CONVERGED);
    CHECK_INT(tact_deriv_init(&deriv, model, more, room), TACT_CONVERGED);
    tact_input input = {.u = s.u};
    tact_state after = s.state;
    void *after_memory = test_memory(tact_state_size(model));
    CHECK_INT(tact_state_init(&after, model, after_memory, tact_state_size(model)), TACT_CONVERGED);
    tact_state_copy(&after, &s.state, model);
    CHECK_INT(tact_step(model, &s.options, &input, &after, &work), TACT_CONVERGED);
    CHECK_INT(tact_deriv_linearise(model, &s.options, &input, &s.state, &work, &deriv), TACT_CONVERGED);
    CHECK(work.contacts.count == 1 && deriv.kink == kink);
    free(memory);
    free(more);
    free(after_memory);
    deriv_scene_end(&s);
    close_scene();
}

#define PLANE "\"type\":\"plane\""
#define TABLE "\"type\":\"box\",\"size\":[1,1,0.1],\"xyz\":[0,0,-0.05]"
#define DRUM "\"type\":\"cylinder\",\"radius\":1,\"length\":0.1,\"xyz\":[0,0,-0.05]"

// "auto" and the list give a capsule the same contacts
static void check_scenes(void) {
    static char text[4000];
    static const char *const shape[] = {"\"type\":\"plane\"",
                                        "\"type\":\"sphere\",\"radius\":1",
                                        "\"type\":\"capsule\",\"radius\":1,\"length\":1",
                                        "\"type\":\"box\",\"size\":[1,1,1]",
                                        "\"type\":\"cylinder\",\"radius\":1,\"length\":1",
                                        "\"type\":\"ellipsoid\",\"radii\":[1,1,2]"};
    static const int contacts[] = {2, 1, 1, 3, 3, 1};
    for (int k = 0; k < 6; k++)
        for (int automatic = 0; automatic < 2; automatic++) {
            snprintf(text, sizeof text,
                     "{\"tact\":1,\"law\":\"barrier\",\"mu\":1,\"bodies\":[" BALL(
                         "a") "],\"shapes\":[{\"name\":\"x\",\"body\":"
                              "\"world\",%s,\"xyz\":[0,0,-5]},{\"name\":\"c\",\"body\":\"a\",\"type\":\"capsule\",\"radius\":0.1,"
                              "\"length\":1}],\"pairs\":%s}",
                     shape[k], automatic ? "\"auto\"" : "[{\"a\":\"c\",\"b\":\"x\"}]");
            if (k == 0) memcpy(strstr(text, ",\"xyz\":[0,0,-5]"), "               ", 15);
            const tact_model *model = open_scene(text);
            CHECK_INT(model->npair, contacts[k]);
            for (int i = 0; i < model->npair; i++) {
                int first = k == 0 ? 1 : 0, wanted = contacts[k] == 1 ? 0 : first + i;
                CHECK_INT(model->pair[i].vertex, automatic ? wanted : -wanted);
            }
            close_scene();
        }
}

// the rigid law does not step what only forces before contact have
static void check_refused_step(const tact_model *model) {
    size_t size = tact_work_size(model), room = tact_state_size(model);
    void *memory = malloc(size), *place = malloc(room);
    tact_work work;
    tact_state state;
    CHECK_INT(tact_state_init(&state, model, place, room), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, memory, size), TACT_CONVERGED);
    CHECK_INT(tact_step(model, &scene->options, &(tact_input){0}, &state, &work), TACT_BAD_INPUT);
    CHECK_TEXT(work.fault.field, "pair.vertex");
    free(memory);
    free(place);
}

// of models that are not made by scenes
static void check_model(void) {
    const tact_model *model = open_scene("{\"tact\":1,\"law\":\"barrier\",\"mu\":1,\"bodies\":[" BALL(
        "a") "],\"shapes\":[{\"name\":\"x\",\"body\":\"world\",\"type\":\"box\",\"size\":[1,1,1],\"xyz\":[0,0,-5]},{\"name\":"
             "\"c\",\"body\":\"a\",\"type\":\"capsule\",\"radius\":0.1,\"length\":1}],\"pairs\":\"auto\"}");
    if (model->npair == 3) {
        tact_pair *pair = (tact_pair *)&model->pair[1];
        const int bad[] = {-1, -2, 5, -3, 64};
        CHECK(!tact_model_check(model).field);
        for (int k = 0; k < 5; k++) {
            pair->vertex = bad[k];
            CHECK_TEXT(tact_model_check(model).field, "pair.vertex");
        }
        // between the ends, where forces begin before contact
        for (int k = 3; k <= 4; k++) {
            pair->vertex = k;
            CHECK(!tact_model_check(model).field);
            ((tact_model *)model)->law = &tact_law_rigid;
            check_refused_step(model);
            ((tact_model *)model)->law = &tact_law_barrier;
        }
    }
    close_scene();
}

int main(void) {
    uint64_t seed = test_seed(1953);
    for (int k = 0; k < 2000; k++) {
        check_nearest(&seed, TACT_SHAPE_PLANE);
        check_nearest(&seed, TACT_SHAPE_CAPSULE);
        check_nearest(&seed, TACT_SHAPE_BOX);
        check_nearest(&seed, TACT_SHAPE_CYLINDER);
        check_nearest(&seed, TACT_SHAPE_ELLIPSOID);
    }
    check_middle();
    check_scenes();
    check_model();
    check_flush("free", 0, true);
    check_flush("free", 0.01, false);
    check_flush("free", 1.5, false);
    check_flush("translation", 0, false);
    for (int k = 0; k < 2; k++) {
        double off = k * 0.03;
        check_rest("barrier", ",\"epsilon\":0.1", PLANE, off, 2);
        check_rest("barrier", ",\"epsilon\":0.1", TABLE, off, 3);
        check_rest("barrier", ",\"epsilon\":0.1", DRUM, off, 3);
        check_rest("rigid", "", PLANE, off, 2);
        check_rest("rigid", "", TABLE, off, 3);
    }
    return test_end("capsule");
}
