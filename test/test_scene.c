// SPDX-License-Identifier: MIT
// What good scenes become: the contract's example, orders and numbers, joints that follow, drives, pairs, states, commands
// and forces, overrides, robots in other files, and the world that steps one.

#include "files.h"
#include "scene_test.h"

#include <math.h>
#include <unistd.h>

#define EPS ((double)TACT_EPS)

static int find(const char *const *names, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return i;
    CHECK_TEXT("not found", name);
    return 0;
}

static int body_of(const tact_model *model, const char *name) {
    return find(model->names->body, model->nbody, name);
}

static int shape_of(const tact_model *model, const char *name) {
    return find(model->names->shape, model->nshape, name);
}

static void check_vec3(tact_vec3 v, double x, double y, double z) {
    CHECK_CLOSE(v.x, x, 4 * EPS);
    CHECK_CLOSE(v.y, y, 4 * EPS);
    CHECK_CLOSE(v.z, z, 4 * EPS);
}

// the contract's example, its robot's bodies listed in the scene
static const char example[] =
    "{ \"tact\": 1, \"name\": \"hand_ball\", \"law\": \"barrier\", \"gravity\": [0, 0, -9.81],\n"
    "  \"options\": { \"dt\": 0.02, \"kappa\": 1000, \"epsilon\": 0.5, \"margin\": 0.05, \"limits\": \"off\", \"anchor\": true "
    "},\n"
    "  \"bodies\": [\n"
    "    { \"name\": \"ball\", \"parent\": \"world\", \"mass\": 0.52, \"inertia\": [2e-4, 2e-4, 2e-4, 0, 0, 0],\n"
    "      \"joint\": { \"name\": \"ball\", \"type\": \"translation\", \"xyz\": [0,0,0], \"rpy\": [0,0,0] } },\n"
    "    { \"name\": \"tip\", \"parent\": \"palm\", \"joint\": { \"name\": \"finger_1\", \"type\": \"revolute\", \"axis\": "
    "[0,2,0],\n"
    "      \"limits\": [-1, 1], \"xyz\": [0, 0, 0.1] } },\n"
    "    { \"name\": \"palm\", \"parent\": \"world\", \"mass\": 0.3,\n"
    "      \"joint\": { \"name\": \"slider_z\", \"type\": \"prismatic\", \"axis\": [-1,0,0], \"rpy\": [0, 1.5707963267948966, 0] "
    "} }\n"
    "  ],\n"
    "  \"shapes\": [\n"
    "    { \"name\": \"ball\",  \"body\": \"ball\",  \"type\": \"sphere\", \"radius\": 0.04 },\n"
    "    { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\",  \"normal\": [0,0,1], \"offset\": -0.2 },\n"
    "    { \"name\": \"thumb\", \"body\": \"tip\", \"type\": \"sphere\", \"radius\": 0.015, \"xyz\": [-0.001, 0, 0.027] }\n"
    "  ],\n"
    "  \"pairs\":  [ { \"a\": \"table\", \"b\": \"ball\", \"mu\": 0.5 }, { \"a\": \"thumb\", \"b\": \"ball\", \"mu\": 0 } ],\n"
    "  \"drives\": [ { \"joint\": \"slider_z\", \"stiffness\": 100, \"damping\": 2 }, { \"joint\": \"finger_*\", \"stiffness\": "
    "1 } ],\n"
    "  \"state\":   { \"q\": { \"slider_z\": 0.1, \"ball\": [0.15, 0, -0.1] }, \"v\": { \"finger_1\": -2 } },\n"
    "  \"command\": { \"mode\": \"hold\" }\n"
    "}\n";

static void test_example(void) {
    const tact_model *m = open_scene(example);
    if (!scene) return;
    CHECK_INT(errors.warnings, 1);  // its velocity does nothing under barrier
    CHECK_TEXT(m->names->scene, "hand_ball");
    CHECK_INT(m->nbody, 3);
    CHECK_INT(m->nshape, 3);
    CHECK_INT(m->npair, 2);
    CHECK_INT(m->nq, 5);
    CHECK_INT(m->nv, 5);
    CHECK_INT(m->nu, 2);
    CHECK_INT(m->nmotion, 5);
    const tact_options *o = &scene->options;
    CHECK(o->dt == TACT_REAL(0.02) && o->kappa == 1000 && o->epsilon == TACT_REAL(0.5) && o->margin == TACT_REAL(0.05));
    CHECK(!o->limits && o->anchor && o->gravity.z == TACT_REAL(-9.81) && o->gravity.x == 0);
    CHECK_INT(o->max_iterations, tact_options_default().max_iterations);
    int ball = body_of(m, "ball"), tip = body_of(m, "tip"), palm = body_of(m, "palm");
    // parents first; the dofs keep the order of the list
    CHECK_INT(ball, 0);
    CHECK_INT(palm, 1);
    CHECK_INT(tip, 2);
    CHECK_INT(m->body[tip].parent, palm);
    CHECK_INT(m->body[palm].parent, TACT_WORLD);
    CHECK_INT(m->body[ball].v, 0);
    CHECK_INT(m->body[tip].v, 3);
    CHECK_INT(m->body[palm].v, 4);
    CHECK_TEXT(m->names->joint[tip], "finger_1");
    CHECK(m->body[ball].mass == TACT_REAL(0.52) && m->body[ball].inertia[1] == TACT_REAL(2e-4));
    check_vec3(m->body[tip].axis, 0, 1, 0);
    check_vec3(m->body[tip].place.p, 0, 0, 0.1);
    // turned about y by a quarter: the axis -x becomes z
    check_vec3(tact_mat3_apply(m->body[palm].place.R, m->body[palm].axis), 0, 0, 1);
    CHECK(m->dof[3].lower == -1 && m->dof[3].upper == 1);
    CHECK(m->dof[4].lower == -TACT_MAX && m->dof[0].upper == TACT_MAX);
    CHECK(m->dof[3].u == 0 && m->dof[4].u == 1 && m->dof[0].u == -1);
    CHECK(m->dof[3].stiffness == 1 && m->dof[4].stiffness == 100 && m->dof[4].damping == 2);
    CHECK(m->q0[0] == TACT_REAL(0.15) && m->q0[2] == TACT_REAL(-0.1) && m->q0[3] == 0 && m->q0[4] == TACT_REAL(0.1));
    CHECK(m->v0[3] == -2 && m->v0[4] == 0);
    CHECK_INT(m->pair[0].a, 1);
    CHECK_INT(m->pair[0].b, 0);
    CHECK(m->pair[0].mu == TACT_REAL(0.5) && m->pair[1].mu == 0 && m->pair[1].restitution == 0);
    CHECK_INT(m->shape[1].body, TACT_WORLD);
    check_vec3(m->shape[1].place.p, 0, 0, -0.2);
    CHECK_INT(m->shape[2].body, tip);
    check_vec3(m->shape[2].place.p, -0.001, 0, 0.027);
    close_scene();
}

static void test_joints(void) {
    const tact_model *m = open_scene(
        BODIES("{\"name\":\"f\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"free\"}},"
               "{\"name\":\"p\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"planar\"}},"
               "{\"name\":\"x\",\"parent\":\"f\",\"joint\":{\"name\":\"fx\",\"type\":\"fixed\",\"xyz\":[1,2,3]}},"
               "{\"name\":\"c\",\"parent\":\"x\",\"mass\":1,\"joint\":{\"type\":\"continuous\",\"axis\":[1e-140,0,-1e-140]}},"
               "{\"name\":\"l\",\"parent\":\"c\",\"mass\":2,\"com\":[0,0,1],\"joint\":{\"type\":\"revolute\",\"limits\":[-1e30,2]"
               "}}") ",\"state\":{\"q\":{\"f\":[1,2,3,0.6005,0,0,0.8],\"p\":[4,5,6],\"c\":7,\"l\":-8},"
                     "\"v\":{\"f\":[1,2,3,4,5,6],\"p\":[7,8,9],\"c\":10}}}");
    if (!scene) return;
    CHECK_INT(m->nv, 11);
    CHECK_INT(m->nq, 12);
    CHECK_INT(m->dof[0].q, -1);
    CHECK_INT(m->dof[3].q, 0);
    CHECK_INT(m->dof[5].q, 2);
    CHECK_INT(m->dof[6].q, 7);
    double norm = 0;
    for (int k = 3; k < 7; k++) norm += (double)m->q0[k] * (double)m->q0[k];
    CHECK_CLOSE(norm, 1, 4 * EPS);
    CHECK_CLOSE(m->q0[3] / m->q0[6], 0.6005 / 0.8, 4 * EPS);
    CHECK(m->q0[0] == 1 && m->q0[7] == 4 && m->q0[9] == 6 && m->q0[10] == 7 && m->q0[11] == -8);
    CHECK(m->v0[0] == 1 && m->v0[5] == 6 && m->v0[6] == 7 && m->v0[9] == 10 && m->v0[10] == 0);
    CHECK(m->dof[10].lower == -TACT_MAX && m->dof[10].upper == 2);
    check_vec3(m->body[body_of(m, "c")].axis, sqrt(0.5), 0, -sqrt(0.5));
    CHECK_TEXT(m->names->joint[body_of(m, "x")], "fx");
    CHECK_TEXT(m->names->joint[body_of(m, "l")], "l");
    CHECK_TEXT(m->names->scene, "s");
    close_scene();
}

// squares of the axis overflow
static void test_long_axis(void) {
    if (sizeof(tact_real) != sizeof(double)) return;
    const tact_model *m = open_scene(BODIES(SLIDE("a", ",\"axis\":[3e200,0,-4e200]")) "}");
    if (scene) check_vec3(m->body[0].axis, 0.6, 0, -0.8);
    close_scene();
}

// x = 2 y + 1, y = -0.5 z + 3
static void test_mimic(void) {
    const tact_model *m =
        open_scene(BODIES(SLIDE("x", ",\"limits\":[0,6],\"mimic\":{\"joint\":\"y\",\"ratio\":2,\"offset\":1}") "," SLIDE(
            "y",
            ",\"limits\":["
            "-9,9],"
            "\"mimic\":{"
            "\"joint\":"
            "\"z\","
            "\"ratio\":-0."
            "5,\"offset\":"
            "3}") "," SLIDE("z", ",\"limits\":[2,100]") "," SLIDE("w", ",\"mimic\":{\"joint\":\"z\"}")) ",\"drives\":[{\"joint\":"
                                                                                                        "\"*\",\"stiffness\":"
                                                                                                        "3}],\"state\":{\"q\":{"
                                                                                                        "\"z\":2.5}}}");
    if (!scene) return;
    CHECK_INT(m->nv, 1);
    CHECK_INT(m->nu, 1);
    CHECK_INT(m->nmotion, 4);
    CHECK_INT(m->dof[0].body, 2);
    CHECK(m->body[0].ratio == -1 && m->body[0].offset == 7 && m->body[1].ratio == TACT_REAL(-0.5) && m->body[1].offset == 3);
    CHECK(m->body[2].ratio == 1 && m->body[2].offset == 0 && m->body[3].ratio == 1);
    for (int i = 0; i < 4; i++) CHECK(m->body[i].v == 0 && m->body[i].q == 0);
    // 0 <= 7 - z <= 6 and -9 <= 3 - z/2 <= 9 and 2 <= z <= 100
    CHECK(m->dof[0].lower == 2 && m->dof[0].upper == 7);
    close_scene();
    // no own limits: those of the follower
    m = open_scene(BODIES(SLIDE("a", "") "," SLIDE("b", ",\"limits\":[-1e20,4],\"mimic\":{\"joint\":\"a\",\"ratio\":-2}")) "}");
    CHECK(scene && m->dof[0].lower == -2 && m->dof[0].upper == TACT_MAX);
    close_scene();
    m = open_scene(BODIES(SLIDE("a", "") "," SLIDE("b", ",\"limits\":[-1,4],\"mimic\":{\"joint\":\"a\",\"ratio\":0}")) "}");
    CHECK(scene && m->dof[0].lower == -TACT_MAX);
    close_scene();
}

// shapes in model form, and the frames of planes
static void test_shapes(void) {
    const tact_model *m = open_scene("{\"tact\":1,\"shapes\":["
                                     "{\"name\":\"a\",\"body\":\"world\",\"type\":\"capsule\",\"radius\":0.25,\"length\":2},"
                                     "{\"name\":\"b\",\"body\":\"world\",\"type\":\"box\",\"size\":[1,2,4],\"round\":0.5},"
                                     "{\"name\":\"c\",\"body\":\"world\",\"type\":\"cylinder\",\"radius\":0.5,\"length\":3},"
                                     "{\"name\":\"d\",\"body\":\"world\",\"type\":\"ellipsoid\",\"radii\":[1,2,3]},"
                                     "{\"name\":\"e\",\"body\":\"world\",\"type\":\"sphere\",\"radius\":0},"
                                     "{\"name\":\"f\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[3e30,0,4e30],"
                                     "\"offset\":2,\"xyz\":[0,0,1],\"rpy\":[0,0,1.5707963267948966]},"
                                     "{\"name\":\"g\",\"body\":\"world\",\"type\":\"plane\",\"xyz\":[0,0,1]},"
                                     "{\"name\":\"a/b %s \\u202e\",\"body\":\"world\",\"type\":\"sphere\",\"radius\":1}]}");
    if (!scene) return;
    CHECK(m->shape[0].size[0] == TACT_REAL(0.25) && m->shape[0].size[1] == 1);
    CHECK(m->shape[1].size[0] == TACT_REAL(0.5) && m->shape[1].size[2] == 2 && m->shape[1].size[3] == TACT_REAL(0.5));
    CHECK(m->shape[2].size[0] == TACT_REAL(0.5) && m->shape[2].size[1] == TACT_REAL(1.5));
    CHECK(m->shape[3].type == TACT_SHAPE_ELLIPSOID && m->shape[3].size[2] == 3);
    CHECK(m->shape[4].size[0] == 0);
    // normal (0.6, 0, 0.8) turned about z by a quarter
    check_vec3(tact_mat3_column(m->shape[5].place.R, 2), 0, 0.6, 0.8);
    check_vec3(m->shape[5].place.p, 0, 1.2, 2.6);
    tact_vec3 x = tact_mat3_column(m->shape[5].place.R, 0), y = tact_mat3_column(m->shape[5].place.R, 1);
    check_vec3(tact_vec3_cross(x, y), 0, 0.6, 0.8);
    check_vec3(tact_mat3_column(m->shape[6].place.R, 0), 1, 0, 0);
    check_vec3(m->shape[6].place.p, 0, 0, 1);
    CHECK_TEXT(m->names->shape[7], "a/b %s \xe2\x80\xae");
    close_scene();
}

// planar shapes in model form; under the barrier law they touch balls
static void test_planar(void) {
    const tact_model *m = open_scene("{\"tact\":1,\"mu\":0.5,\"pairs\":\"auto\",\"bodies\":[" BALL(
        "b") "],\"shapes\":["
             "{\"name\":\"c\",\"body\":\"b\",\"type\":\"circle\",\"radius\":0.25},"
             "{\"name\":\"r\",\"body\":\"b\",\"type\":\"rectangle\",\"size\":[1,2],\"round\":0.5},"
             "{\"name\":\"h\",\"body\":\"world\",\"type\":\"halfplane\",\"normal\":[3,4],\"offset\":2,\"xyz\":[0,0,1]},"
             "{\"name\":\"p\",\"body\":\"world\",\"type\":\"polygon\",\"points\":[[0,0],[2,0],[0,1]],\"round\":0.125},"
             "{\"name\":\"x\",\"body\":\"world\",\"type\":\"polygon\",\"regular\":{\"sides\":6,\"radius\":1.5}},"
             "{\"name\":\"u\",\"body\":\"world\",\"type\":\"union\",\"of\":[\"x\",\"p\"]},"
             "{\"name\":\"s\",\"body\":\"b\",\"type\":\"smooth_union\",\"of\":[\"c\",\"r\"],\"temperature\":0.1}]}");
    if (!scene) return;
    CHECK(m->shape[0].type == TACT_SHAPE_CIRCLE && m->shape[0].size[0] == TACT_REAL(0.25));
    CHECK(m->shape[1].size[0] == TACT_REAL(0.5) && m->shape[1].size[1] == 1 && m->shape[1].size[2] == TACT_REAL(0.5));
    check_vec3(tact_mat3_column(m->shape[2].place.R, 1), 0.6, 0.8, 0);
    check_vec3(tact_mat3_column(m->shape[2].place.R, 2), 0, 0, 1);
    check_vec3(m->shape[2].place.p, 1.2, 1.6, 1);
    CHECK(m->shape[3].count == 3 && m->shape[3].point[1].x == 2 && m->shape[3].size[0] == 1);
    CHECK(m->shape[3].size[1] == TACT_REAL(0.125));
    // flat on one edge, the left the mirror image of the right
    const tact_vec2 *point = m->shape[4].point;
    CHECK(m->shape[4].count == 6 && m->shape[4].size[0] == TACT_REAL(1.5));
    CHECK(point[0].y == point[1].y && point[0].x == -point[1].x && point[1].x > 0 && point[2].y == 0 &&
          point[2].x == -point[5].x);
    CHECK_CLOSE(point[1].x, 0.5, 4 * TACT_EPS);
    CHECK_CLOSE(point[1].y, -sqrt(0.75), 4 * TACT_EPS);
    CHECK(m->shape[5].count == 2 && m->shape[5].member[0] == 4 && m->shape[5].member[1] == 3 && !m->shape[5].point);
    CHECK(m->shape[6].count == 2 && m->shape[6].member[0] == 0 && m->shape[6].size[0] == TACT_REAL(0.1));
    // the circle with half-plane and polygons
    CHECK_INT(m->npair, 3);
    for (int i = 0; i < m->npair; i++) CHECK(m->pair[i].a == 0 && m->pair[i].b == 2 + i);
    close_scene();
}

static void test_drives(void) {
    const tact_model *m = open_scene(BODIES(SLIDE("ab", "") "," SLIDE("abc", "") "," SLIDE("b", "") "," BALL(
        "ball") ","
                "{\"name\":\"f\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":"
                "\"free\"}}") ",\"drives\":[{\"joint\":\"f\",\"stiffness\":0},{\"joint\":\"abc\",\"stiffness\":"
                              "1},{\"joint\":\"ab*\",\"stiffness\":2},"
                              "{\"joint\":\"b\",\"stiffness\":0},{\"joint\":\"ab*\",\"stiffness\":5},{"
                              "\"joint\":\"*\",\"stiffness\":3},{\"joint\":\"b\",\"stiffness\":4}]}");
    if (!scene) return;
    CHECK(m->dof[0].stiffness == 2 && m->dof[1].stiffness == 1 && m->dof[2].stiffness == 0 && m->dof[2].u == -1);
    CHECK(m->dof[3].stiffness == 3 && m->dof[5].u == 4 && m->dof[6].u == -1);
    CHECK_INT(m->nu, 5);
    // the object among all joints, and the second entry for "b"
    CHECK_INT(errors.warnings, 2);
    CHECK_TEXT(message(0), "/drives/5/joint: warning: drives the object of joint \"ball\", too: list it first with stiffness 0");
    CHECK_TEXT(message(1), "/drives/6: warning: has no effect: /drives/3 comes first");
    close_scene();
}

static bool has_pair(const tact_model *m, const char *a, const char *b) {
    for (int i = 0; i < m->npair; i++)
        if (m->pair[i].a == shape_of(m, a) && m->pair[i].b == shape_of(m, b)) return true;
    return false;
}

// Friction of pairs: their own; of the shape of the higher priority; the larger; the scene's where a shape has none.
static void test_friction(void) {
    static const char shapes[] = ",\"shapes\":[" SPHERE("none", "a") "," SPHERE(
        "floor", "world") ",{\"name\":\"rough\",\"body\":"
                          "\"b\",\"type\":\"sphere\",\"radius\":1,\"mu\":0.9},{\"name\":\"slick\",\"body\":\"c\",\"type\":"
                          "\"sphere\",\"radius\":1,\"mu\":0.1},{\"name\":\"first\",\"body\":\"d\",\"type\":\"sphere\","
                          "\"radius\":1,\"mu\":0.3,\"priority\":1}],";
    static const struct {
        const char *a, *b;
        double mu;
    } wanted[] = {{"none", "floor", .5},  {"none", "rough", .9},  {"none", "slick", .5}, {"rough", "slick", .9},
                  {"rough", "first", .3}, {"slick", "first", .3}, {"none", "first", .3}};
    static const char *const pairs[] = {
        "\"mu\":0.5,\"pairs\":\"auto\"}",
        "\"mu\":0.5,\"pairs\":[{\"a\":\"none\",\"b\":\"floor\"},{\"a\":\"none\",\"b\":\"rough\"},{\"a\":\"none\",\"b\":\"slick\"}"
        ","
        "{\"a\":\"rough\",\"b\":\"slick\"},{\"a\":\"rough\",\"b\":\"first\"},{\"a\":\"slick\",\"b\":\"first\"},"
        "{\"a\":\"none\",\"b\":\"first\"},{\"a\":\"floor\",\"b\":\"first\",\"mu\":0.7}]}"};
    char text[3000];
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s%s", BODIES(BALL("a") "," BALL("b") "," BALL("c") "," BALL("d")), shapes, pairs[i]);
        const tact_model *m = open_scene(text);
        if (!scene) return;
        for (size_t k = 0; k < sizeof wanted / sizeof wanted[0]; k++) {
            int a = shape_of(m, wanted[k].a), b = shape_of(m, wanted[k].b), found = 0;
            for (int p = 0; p < m->npair; p++) {
                if (!((m->pair[p].a == a && m->pair[p].b == b) || (m->pair[p].a == b && m->pair[p].b == a))) continue;
                CHECK_CLOSE(m->pair[p].mu, wanted[k].mu, 1e-7);
                found++;
            }
            CHECK_INT(found, 1);
        }
        if (i == 1) CHECK_CLOSE(m->pair[7].mu, .7, 1e-7);
        close_scene();
    }
    // Without the scene's friction a pair needs its own where one of the two shapes has none that counts.
    snprintf(text, sizeof text, "%s%s\"pairs\":[{\"a\":\"rough\",\"b\":\"slick\"},{\"a\":\"none\",\"b\":\"first\"}]}",
             BODIES(BALL("a") "," BALL("b") "," BALL("c") "," BALL("d")), shapes);
    const tact_model *m = open_scene(text);
    CHECK(m && m->npair == 2 && m->pair[0].mu > TACT_REAL(0.89) && m->pair[1].mu < TACT_REAL(0.31));
    close_scene();
}

static void test_auto(void) {
    static const char bodies[] = BODIES("{\"name\":\"c\",\"parent\":\"b\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}," BALL(
        "a") "," BALL("d") ","
                           "{\"name\":\"b\",\"parent\":\"a\",\"mass\":1,\"joint\":{\"type\":\"fixed\"}},"
                           "{\"name\":\"post\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\"}}");
    static const char shapes[] =
        ",\"mu\":0.7,\"restitution\":0.25,\"pairs\":\"auto\",\"shapes\":[" SPHERE("a", "a") "," SPHERE("b", "b") "," SPHERE(
            "c", "c") "," SPHERE("c2",
                                 "c") "," SPHERE("d",
                                                 "d") "," SPHERE("p",
                                                                 "post") "," SPHERE("w",
                                                                                    "world") ",{\"name\":\"box\",\"body\":\"d\","
                                                                                             "\"type\":\"box\",\"size\":[1,1,1]},"
                                                                                             "{\"name\":\"wall\",\"body\":"
                                                                                             "\"world\",\"type\":\"plane\"}]";
    char text[3000];
    snprintf(text, sizeof text, "%s%s}", bodies, shapes);
    const tact_model *m = open_scene(text);
    if (!scene) return;
    // a, b: d, p, w, box, wall; b, and a with it rigidly, is joined to c
    CHECK(!has_pair(m, "a", "c") && !has_pair(m, "a", "c2") && has_pair(m, "a", "box") && has_pair(m, "d", "wall"));
    CHECK(!has_pair(m, "a", "b") && !has_pair(m, "b", "c") && !has_pair(m, "c", "c2") && !has_pair(m, "d", "box"));
    CHECK(!has_pair(m, "p", "w") && !has_pair(m, "w", "wall") && !has_pair(m, "box", "wall") && has_pair(m, "p", "box"));
    // a: d p w box wall 5; b: d p w box wall 5; c: d p w box wall 5; c2: 5; d: p w wall 3; p: box 1; w: box 1
    // box, wall: its 8 vertices
    CHECK(has_pair(m, "box#0", "wall") && has_pair(m, "box#7", "wall"));
    CHECK_INT(m->npair, 33);
    for (int i = 0; i < m->npair; i++) {
        CHECK(m->pair[i].a != m->pair[i].b && m->pair[i].mu == TACT_REAL(0.7) && m->pair[i].restitution == TACT_REAL(0.25));
    }
    close_scene();
    snprintf(text, sizeof text, "%s%s,\"exclude\":[[\"d\",\"a\"],[\"world\",\"c\"]]}", bodies, shapes);
    m = open_scene(text);
    // less a-d, a-box and c, c2 with w and wall
    CHECK(scene && m->npair == 27);
    close_scene();
    // kinds: d's sphere meets only what asks for bit 4, which the wall does
    char changed[3200];
    snprintf(changed, sizeof changed, "%s%s}", bodies, shapes);
    char *d = strstr(changed, "\"name\":\"d\",\"body\""), *wall = strstr(changed, "\"name\":\"wall\"");
    if (!d || !wall) exit(1);
    snprintf(text, sizeof text, "%.*s\"contype\":4,\"conaffinity\":0,%.*s\"conaffinity\":5,%s", (int)(d - changed), changed,
             (int)(wall - d), d, wall);
    m = open_scene(text);
    CHECK(scene && has_pair(m, "d", "wall") && !has_pair(m, "a", "d") && !has_pair(m, "d", "w") && has_pair(m, "a", "wall"));
    close_scene();
    // a fixed base of two pieces and the links on it, of two pieces likewise: not paired; with the floor, a table and further
    // links: paired
    static const char base[] = BODIES("{\"name\":\"base\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\"}},"
                                      "{\"name\":\"plate\",\"parent\":\"base\",\"joint\":{\"type\":\"fixed\"}},"
                                      "{\"name\":\"table\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\"}},"
                                      "{\"name\":\"one\",\"parent\":\"plate\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},"
                                      "{\"name\":\"cap\",\"parent\":\"one\",\"mass\":1,\"joint\":{\"type\":\"fixed\"}},"
                                      "{\"name\":\"two\",\"parent\":\"one\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},"
                                      "{\"name\":\"leg\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}");
    snprintf(text, sizeof text,
             "%s,\"mu\":1,\"pairs\":\"auto\",\"shapes\":[" SPHERE("base", "base") "," SPHERE("plate", "plate") "," SPHERE(
                 "table",
                 "table") "," SPHERE("one", "one") "," SPHERE("cap",
                                                              "cap") "," SPHERE("two",
                                                                                "two") "," SPHERE("leg",
                                                                                                  "leg") "," SPHERE("floor",
                                                                                                                    "world") "]}",
             base);
    m = open_scene(text);
    CHECK(scene && !has_pair(m, "base", "one") && !has_pair(m, "plate", "one") && !has_pair(m, "base", "cap") &&
          !has_pair(m, "plate", "cap"));
    CHECK(scene && has_pair(m, "base", "two") && has_pair(m, "plate", "two") && has_pair(m, "table", "one") &&
          has_pair(m, "one", "floor") && has_pair(m, "leg", "floor") && has_pair(m, "base", "leg"));
    close_scene();
    // what has neither mass nor shape is but a part of a joint
    m = open_scene(
        BODIES(BALL("a") ",{\"name\":\"x\",\"parent\":\"a\",\"joint\":{\"type\":\"prismatic\"}},{\"name\":\"b\","
                         "\"parent\":\"x\","
                         "\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}") ",\"mu\":1,\"pairs\":\"auto\",\"shapes\":"
                                                                           "[" SPHERE("a", "a") "," SPHERE("b", "b") "," SPHERE(
                                                                               "w", "world") "]}");
    CHECK(scene && m->npair == 2 && !has_pair(m, "a", "b"));
    close_scene();
    m = open_scene(BODIES(BALL("a") "," BALL("b")) ",\"mu\":2,\"restitution\":1,\"shapes\":[" SPHERE("a", "a") "," SPHERE(
        "b", "b") "],\"pairs\":[{\"b\":\"a\",\"a\":\"b\",\"restitution\":0.5}]}");
    CHECK(scene && m->npair == 1 && m->pair[0].a == 1 && m->pair[0].mu == 2 && m->pair[0].restitution == TACT_REAL(0.5));
    close_scene();
}

static void test_commands(void) {
    static const char base[] = BODIES(SLIDE("x", "") "," BALL("b") "," SLIDE("y", "") "," SLIDE(
        "z", "")) ",\"drives\":[{\"joint\":\"z\",\"stiffness\":0},{\"joint\":\"*\",\"stiffness\":1}],\"state\":{\"q\":{\"x\":5,"
                  "\"b\":[1,2,3],\"y\":7}}";
    char text[2000];
    tact_real u[5], q[6] = {1, 2, 3, 4, 5, 6};
    tact_state state = {.q = q, .nq = 6, .nv = 6};
    snprintf(text, sizeof text, "%s}", base);
    open_scene(text);
    if (!scene) return;
    tact_scene_command(scene, &state, u);
    CHECK(u[0] == 1 && u[1] == 2 && u[3] == 4 && u[4] == 5);
    close_scene();
    snprintf(text, sizeof text, "%s,\"command\":{\"mode\":\"fixed\",\"q\":{\"b\":[7,8,9]}}}", base);
    open_scene(text);
    tact_scene_command(scene, &state, u);
    CHECK(u[0] == 5 && u[1] == 7 && u[3] == 9 && u[4] == 7);
    close_scene();
    snprintf(text, sizeof text,
             "%s,\"command\":{\"mode\":\"trajectory\",\"times\":[1,2,4,8],\"q\":{\"b\":[[0,0,0],[1,2,4],[2,4,8],[0,0,1]],\"y\":["
             "0,1,5,1]}}}",
             base);
    open_scene(text);
    static const double times[] = {-1, 1, 1.5, 2, 3, 4, 5, 8, 100}, y[] = {0, 0, 0.5, 1, 3, 5, 4, 1, 1},
                        b2[] = {0, 0, 2, 4, 6, 8, 6.25, 1, 1};
    for (int i = 0; i < 9; i++) {
        state.time = (tact_real)times[i];
        tact_scene_command(scene, &state, u);
        CHECK(u[0] == 5);
        CHECK_CLOSE(u[3], b2[i], 4 * EPS);
        CHECK_CLOSE(u[4], y[i], 4 * EPS);
    }
    close_scene();
}

static void test_forces(void) {
    open_scene(BODIES(
        BALL("a") "," BALL("b")) ",\"forces\":[{\"body\":\"b\",\"force\":[1,2,3]},{\"body\":\"b\",\"torque\":[4,5,6]},"
                                 "{\"body\":\"b\",\"times\":[0,1],\"force\":[[0,0,0],[10,0,0]],\"torque\":[[0,0,0],[0,0,2]]}]}");
    if (!scene) return;
    tact_wrench wrench[2];
    tact_state state = {.time = TACT_REAL(0.5)};
    CHECK(tact_scene_wrench(scene, &state, wrench));
    check_vec3(wrench[0].force, 0, 0, 0);
    check_vec3(wrench[1].force, 6, 2, 3);
    check_vec3(wrench[1].torque, 4, 5, 7);
    state.time = 2;
    tact_scene_wrench(scene, &state, wrench);
    check_vec3(wrench[1].force, 11, 2, 3);
    close_scene();
    open_scene(BODIES(BALL("a")) ",\"forces\":[]}");
    CHECK(scene && !tact_scene_wrench(scene, &state, wrench));
    close_scene();
}

static char folder[400];

static const char *write_file(const char *name, const char *text) {
    static char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write_text(path, text);
    return path;
}

static const char robot[] =
    "{\"tact\":1,\"name\":\"arm\",\"bodies\":[{\"name\":\"base\",\"parent\":\"world\",\"joint\":{\"type\":\"fixed\",\"xyz\":[1,0,"
    "0]}},"
    "{\"name\":\"link\",\"parent\":\"base\",\"mass\":1,\"joint\":{\"name\":\"j\",\"type\":\"revolute\",\"xyz\":[0,0,1]}},"
    "{\"name\":\"two\",\"parent\":\"link\",\"joint\":{\"type\":\"continuous\",\"mimic\":{\"joint\":\"j\"}}}],"
    "\"shapes\":[{\"name\":\"s\",\"body\":\"link\",\"type\":\"sphere\",\"radius\":1},{\"name\":\"floor\",\"body\":\"world\","
    "\"type\":\"plane\"}],"
    "\"drives\":[{\"joint\":\"*\",\"stiffness\":9}]}";

static void test_robots(void) {
    tact_errors *e = &errors;
    write_file("arm.json", robot);
    const char *path = write_file(
        "two.json",
        "{\"tact\":1,\"robots\":[{\"file\":\"arm.json\",\"prefix\":\"l_\",\"base\":{\"xyz\":[0,5,0],\"rpy\":[0,0,1."
        "5707963267948966]}},"
        "{\"file\":\"arm.json\",\"prefix\":\"r_\"}],"
        "\"bodies\":[" BALL("ball") ",{\"name\":\"tool\",\"parent\":\"l_two\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}],"
                                    "\"drives\":[{\"joint\":\"r_j\",\"stiffness\":4}],\"state\":{\"q\":{\"r_j\":0.5}}}");
    *e = (tact_errors){0};
    scene = tact_scene_read(path, NULL, e);
    CHECK(scene != NULL);
    for (int i = 0; i < e->kept; i++) printf("    %s\n", e->items[i].text);
    if (!scene) return;
    const tact_model *m = &scene->model;
    CHECK_TEXT(m->names->scene, "two");
    CHECK_INT(m->nbody, 8);
    CHECK_INT(m->nv, 6);
    CHECK_INT(m->nu, 2);
    CHECK_TEXT(m->names->body[1], "l_link");
    CHECK_TEXT(m->names->joint[4], "r_j");
    CHECK_TEXT(m->names->joint[5], "r_two");
    CHECK_TEXT(m->names->shape[3], "r_floor");
    // the base turns and moves what stands on the robot's world, bodies and shapes
    check_vec3(m->body[0].place.p, 0, 6, 0);
    check_vec3(m->body[1].place.p, 0, 0, 1);
    check_vec3(m->shape[1].place.p, 0, 5, 0);
    check_vec3(m->body[3].place.p, 1, 0, 0);
    // the robot's own * does not reach the ball, and gives way to the scene
    CHECK(m->dof[0].stiffness == 9 && m->dof[1].stiffness == 4 && m->dof[2].stiffness == 0 && m->dof[5].stiffness == 0);
    CHECK(m->body[2].ratio == 1 && m->body[2].v == 0 && m->body[5].v == 1 && m->q0[1] == TACT_REAL(0.5));
    CHECK_INT(m->body[7].parent, 2);
    close_scene();
}

static void test_world(void) {
    char message_text[300] = "x";
    const char *path = write_file("good.json", example);
    tact_world *world = tact_world_open(path, message_text, sizeof message_text);
    CHECK(world != NULL);
    CHECK_TEXT(message_text, "");
    if (!world) return;
    CHECK_INT(world->scene->model.nu, 2);
    CHECK(world->state.q[4] == TACT_REAL(0.1) && world->u[1] == TACT_REAL(0.1));
    CHECK(tact_world_step(world) >= 0);
    CHECK(world->state.time == TACT_REAL(0.02));
    // what a program writes into u holds until it hands the command back
    world->u[1] = TACT_REAL(0.25);
    for (int i = 0; i < 3; i++) CHECK(tact_world_step(world) >= 0 && world->own && world->u[1] == TACT_REAL(0.25));
    tact_real given[2];
    tact_world_command(world);
    tact_scene_command(world->scene, &world->state, given);
    CHECK(!world->own && world->u[0] == given[0] && world->u[1] == given[1]);
    CHECK(tact_world_step(world) >= 0 && !world->own);
    // also a command that is no number, which the step refuses
    world->u[0] = (tact_real)NAN;
    CHECK(tact_world_step(world) < 0 && world->own);
    tact_world_close(world);
    tact_world_close(NULL);
    tact_scene_free(NULL);
    path = write_file("bad.json", "{\"tact\":1,\"drives\":[{\"joint\":\"*\",\"stiffness\":1}],\n\"gravity\":[0,0]}");
    CHECK(tact_world_open(path, message_text, sizeof message_text) == NULL);
    CHECK_TEXT(strrchr(message_text, '/') ? strstr(message_text, "bad.json") : "",
               "bad.json:2:11: /gravity: expected 3 numbers, found 2");
    CHECK(tact_scene_load(path, NULL, 0) == NULL);
    CHECK(tact_scene_load("no such file", message_text, sizeof message_text) == NULL);
    CHECK_TEXT(message_text, "no such file: No such file or directory");
}

static void test_help(void) {
    tact_text help = {0};
    tact_scene_help(&help);
    static const char *const pieces[] = {"  dt              number in [1e-6, 1]                   0.01 ",
                                         "number in (0, 0.01]",
                                         "off | barrier",
                                         "integer in [1, 10000]",
                                         "3 numbers > 0",
                                         "\"forces\", each\n",
                                         "circle",
                                         "ellipsoid"};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) CHECK(help.bytes && strstr(help.bytes, pieces[i]));
    tact_text_free(&help);
}

int main(void) {
    static const char *const files[] = {"arm.json", "two.json", "good.json", "bad.json"};
    test_make_folder(folder, sizeof folder, NULL);
    test_example();
    test_joints();
    test_long_axis();
    test_mimic();
    test_shapes();
    test_planar();
    test_drives();
    test_auto();
    test_friction();
    test_commands();
    test_forces();
    test_robots();
    test_world();
    for (int i = 0; i < 4; i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    test_help();
    return test_end("scene");
}
