// SPDX-License-Identifier: MIT
// URDF of all kinds to bodies and shapes, exactly; the numbers that are computed, against the formulas; and the way through
// a robot file back to the same lists.
#include "scene/urdf.h"

#include <locale.h>

#include "scene/build.h"
#include "tact/robot.h"
#include "test.h"
#include "urdf_cases.h"

static tact_errors errors;

static bool read_urdf(tact_draft *draft, const char *text) {
    size_t size = strlen(text);
    char *copy = malloc(size ? size : 1);
    if (!copy) exit(1);
    memcpy(copy, text, size);
    errors = (tact_errors){0};
    *draft = (tact_draft){.errors = &errors};
    bool read = tact_urdf_read_source(draft, (tact_source){.name = "r.urdf", .bytes = copy, .size = size, .line = 1});
    free(copy);
    return read;
}

static bool same_text(const char *a, const char *b) {
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_body(const tact_draft_body *a, const tact_draft_body *b) {
    bool ends = a->lower == b->lower && a->upper == b->upper;
    bool none = !a->limited || (a->lower == -TACT_MAX && a->upper == TACT_MAX);
    return same_text(a->name, b->name) && same_text(a->parent, b->parent) && same_text(a->joint, b->joint) &&
           a->type == b->type && memcmp(&a->frame, &b->frame, sizeof a->frame) == 0 &&
           memcmp(&a->axis, &b->axis, sizeof a->axis) == 0 && (b->limited ? ends : none) && same_text(a->mimic, b->mimic) &&
           a->ratio == b->ratio && a->offset == b->offset && a->weighed == b->weighed && a->mass == b->mass &&
           memcmp(&a->com, &b->com, sizeof a->com) == 0 && a->inertial == b->inertial &&
           memcmp(a->inertia, b->inertia, sizeof a->inertia) == 0;
}

static bool same_shape(const tact_draft_shape *a, const tact_draft_shape *b) {
    return same_text(a->name, b->name) && same_text(a->body, b->body) && a->type == b->type &&
           memcmp(&a->frame, &b->frame, sizeof a->frame) == 0 && memcmp(a->size, b->size, sizeof a->size) == 0 &&
           memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 && a->offset == b->offset;
}

// the robot file of a draft reads back to the same draft and prints the same again
static void check_round_trip(const tact_draft *draft) {
    tact_text text = {0}, again = {0};
    tact_json json;
    tact_draft back = {.errors = &errors};
    tact_robot_write(draft, &text);
    CHECK(!text.failed);
    bool read = tact_json_read(&json, tact_text_source(&text, "r.json"), &errors);
    CHECK(read);
    if (read) {
        tact_scene_read_bodies(&back, &json, tact_json_find(&json, 0, "bodies"));
        tact_scene_read_shapes(&back, &json, tact_json_find(&json, 0, "shapes"));
        CHECK_INT(errors.errors, 0);
        if (errors.errors > 0) printf("    %s\n", errors.items[0].text);
        CHECK_INT(back.nbody, draft->nbody);
        CHECK_INT(back.nshape, draft->nshape);
        for (int i = 0; i < draft->nbody && i < back.nbody; i++) CHECK(same_body(&draft->bodies[i], &back.bodies[i]));
        for (int i = 0; i < draft->nshape && i < back.nshape; i++) CHECK(same_shape(&draft->shapes[i], &back.shapes[i]));
        tact_robot_write(&back, &again);
        CHECK_TEXT(again.bytes, text.bytes);
        tact_draft_free(&back);
        tact_json_free(&json);
    }
    tact_text_free(&text);
    tact_text_free(&again);
}

// line ends and the white space after them to one space, " to '
static void flatten(char *text) {
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\n') {
            while (from[1] == ' ') from++;
            *to++ = ' ';
        } else {
            *to++ = *from == '"' ? '\'' : *from;
        }
    }
    *to = '\0';
}

static void check_case(const urdf_case *wanted) {
    static char text[8192], warnings[8192];
    tact_draft draft;
    CHECK(read_urdf(&draft, wanted->text));
    tact_text out = {0};
    tact_robot_write(&draft, &out);
    flatten(out.bytes);
    const char *gap[2] = {wanted->bodies[0] ? " " : "", wanted->shapes[0] ? " " : ""};
    snprintf(text, sizeof text, "{ 'tact': 1, 'bodies': [%s%s%s], 'shapes': [%s%s%s] } ", gap[0], wanted->bodies, gap[0], gap[1],
             wanted->shapes, gap[1]);
    CHECK_TEXT(out.bytes, text);
    size_t used = 0;
    warnings[0] = '\0';
    for (int i = 0; i < errors.kept; i++)
        used += (size_t)snprintf(warnings + used, sizeof warnings - used, "%s\n", errors.items[i].text + strlen("r.urdf:"));
    CHECK_TEXT(warnings, wanted->warnings);
    CHECK_INT(errors.errors, 0);
    // what a later message would name
    for (int i = 0; i < draft.nbody; i++) {
        const tact_place *place = &draft.bodies[i].mark.place;
        CHECK(place->line >= 1 && place->column >= 1 && strncmp(place->path, "/robot/", 7) == 0);
        CHECK_TEXT(place->file, "r.urdf");
        CHECK_INT(draft.bodies[i].robot, -1);
    }
    for (int i = 0; i < draft.nshape; i++) CHECK(strstr(draft.shapes[i].mark.place.path, "\"]/collision[") != NULL);
    check_round_trip(&draft);
    tact_text_free(&out);
    tact_draft_free(&draft);
}

static void test_characters(void) {
    tact_draft draft;
    CHECK(read_urdf(&draft, "\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8' standalone='yes'?>\r\n<robot name=\"r\">\r\n"
                            "\t<link\tname = \"a&amp;&lt;&#233;&#x4e2d;&quot;'\t\"\r\n/></robot >\r\n"));
    CHECK_TEXT(draft.bodies[0].name, "a&<\xc3\xa9\xe4\xb8\xad\"' ");
    CHECK_INT(draft.bodies[0].mark.place.line, 3);
    CHECK_INT(draft.bodies[0].mark.place.column, 2);
    check_round_trip(&draft);
    tact_draft_free(&draft);
}

// names made longer are cut between characters
static void test_long_names(void) {
    char name[256], text[1000];
    tact_draft draft;
    memset(name, 'x', 255);
    memcpy(name + 252, "\xc3\xa9y", 4);
    snprintf(text, sizeof text,
             "<robot><link name='%s'><collision><geometry><sphere radius='1'/></geometry></collision><collision><geometry>"
             "<sphere radius='1'/></geometry></collision></link></robot>",
             name);
    CHECK(read_urdf(&draft, text));
    CHECK_TEXT(draft.bodies[0].name, name);
    CHECK_INT(strlen(draft.bodies[0].joint), 255);
    CHECK_TEXT(draft.bodies[0].joint + 248, "x_fixed");
    CHECK_TEXT(draft.shapes[0].name, name);
    CHECK_INT(strlen(draft.shapes[1].name), 254);
    CHECK_TEXT(draft.shapes[1].name + 251, "x_2");
    check_round_trip(&draft);
    tact_draft_free(&draft);
}

static tact_mat3 rotation(const tact_real rpy[3]) {
    tact_draft_frame frame = {{0, 0, 0}, {rpy[0], rpy[1], rpy[2]}};
    return tact_scene_pose(&frame).R;
}

// the formulas of the URDF specification, with the functions of libm
static void reference_rotation(const double rpy[3], double R[3][3]) {
    double cr = cos(rpy[0]), sr = sin(rpy[0]), cp = cos(rpy[1]), sp = sin(rpy[1]), cy = cos(rpy[2]), sy = sin(rpy[2]);
    double wanted[3][3] = {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
                           {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
                           {-sp, cp * sr, cp * cr}};
    memcpy(R, wanted, sizeof wanted);
}

static void test_turned_inertia(uint64_t *seed) {
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    for (int n = 0; n < 100; n++) {
        double rpy[3], R[3][3], I[3][3], d[6];
        char text[1000];
        tact_draft draft;
        for (int i = 0; i < 3; i++) rpy[i] = test_random(seed, -3, 3);
        for (int i = 0; i < 6; i++) d[i] = i < 3 ? test_random(seed, 1, 2) : test_random(seed, -0.3, 0.3);
        for (int i = 0; i < 6; i++) I[at[i][0]][at[i][1]] = I[at[i][1]][at[i][0]] = d[i];
        snprintf(text, sizeof text,
                 "<robot><link name='a'><inertial><origin rpy='%.17g %.17g %.17g'/><mass value='1'/>"
                 "<inertia ixx='%.17g' iyy='%.17g' izz='%.17g' ixy='%.17g' ixz='%.17g' iyz='%.17g'/></inertial></link></robot>",
                 rpy[0], rpy[1], rpy[2], d[0], d[1], d[2], d[3], d[4], d[5]);
        CHECK(read_urdf(&draft, text));
        reference_rotation(rpy, R);
        for (int k = 0; k < 6; k++) {
            double wanted = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) wanted += R[at[k][0]][i] * I[i][j] * R[at[k][1]][j];
            CHECK_CLOSE(draft.bodies[0].inertia[k], wanted, 40 * TACT_EPS);
        }
        check_round_trip(&draft);
        tact_draft_free(&draft);
    }
}

// the link stays where the joint's origin puts it, and the z of the body in between is the normal
static void check_planar(const double rpy[3], const double normal[3]) {
    char text[1000];
    tact_draft draft;
    double R[3][3], length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    snprintf(text, sizeof text,
             "<robot><link name='a'/><link name='b'/><joint name='j' type='planar'><parent link='a'/><child link='b'/>"
             "<origin xyz='1 2 3' rpy='%.17g %.17g %.17g'/><axis xyz='%.17g %.17g %.17g'/></joint></robot>",
             rpy[0], rpy[1], rpy[2], normal[0], normal[1], normal[2]);
    CHECK(read_urdf(&draft, text));
    CHECK_INT(draft.nbody, 3);
    const tact_draft_body *plane = &draft.bodies[1], *link = &draft.bodies[2];
    CHECK_TEXT(plane->name, "b_plane");
    CHECK_TEXT(plane->joint, "j");
    CHECK(plane->type == TACT_JOINT_PLANAR && link->type == TACT_JOINT_FIXED);
    CHECK_TEXT(link->name, "b");
    CHECK_TEXT(link->parent, "b_plane");
    CHECK_TEXT(link->joint, "j_fixed");
    CHECK(plane->frame.xyz[1] == 2 && link->frame.xyz[1] == 0);
    tact_mat3 P = rotation(plane->frame.rpy), L = tact_mat3_multiply(P, rotation(link->frame.rpy));
    reference_rotation(rpy, R);
    for (int i = 0; i < 3; i++) {
        double z = (R[i][0] * normal[0] + R[i][1] * normal[1] + R[i][2] * normal[2]) / length;
        CHECK_CLOSE(P.m[i][2], z, 40 * TACT_EPS);
        for (int j = 0; j < 3; j++) CHECK_CLOSE(L.m[i][j], R[i][j], 40 * TACT_EPS);
    }
    check_round_trip(&draft);
    tact_draft_free(&draft);
}

static void test_planar(uint64_t *seed) {
    static const double axes[][3] = {{1, 0, 0},  {-1, 0, 0},    {0, 1, 0}, {0, -2, 0},
                                     {0, 0, -1}, {1e-9, 0, -1}, {1, 1, 0}, {3, 4, -5}};
    static const double still[3] = {0, 0, 0}, turned[3] = {0.5, -1, 2};
    // pitch at and near 90 degrees, where roll and yaw turn about one axis
    static const double pitches[] = {1.5707963267948966, -1.5707963267948966, 1.5707963, -1.57079632, 1.57, 1.5707963267948};
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        check_planar(still, axes[i]);
        check_planar(turned, axes[i]);
    }
    for (size_t i = 0; i < sizeof pitches / sizeof pitches[0]; i++) {
        const double rpy[3] = {0.5, pitches[i], -0.25};
        check_planar(rpy, axes[4]);
    }
    for (int n = 0; n < 200; n++) {
        double rpy[3], normal[3];
        for (int i = 0; i < 3; i++) {
            rpy[i] = test_random(seed, -4, 4);
            normal[i] = test_random(seed, -1, 1);
        }
        check_planar(rpy, normal);
    }
}

// any direction becomes a unit vector to rounding
static void test_axes(uint64_t *seed) {
    for (int n = 0; n < 200; n++) {
        char text[600];
        tact_draft draft;
        double scale = pow(10, test_random(seed, -148, 300)), x[3];
        for (int i = 0; i < 3; i++) x[i] = test_random(seed, -1, 1);
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
        snprintf(text, sizeof text,
                 "<robot><link name='a'/><link name='b'/><joint name='j' type='continuous'><parent link='a'/><child link='b'/>"
                 "<axis xyz='%.17g %.17g %.17g'/></joint></robot>",
                 x[0] * scale, x[1] * scale, x[2] * scale);
        CHECK(read_urdf(&draft, text));
        tact_vec3 axis = draft.bodies[1].axis;
        CHECK_CLOSE(axis.x, x[0] / length, 4 * TACT_EPS);
        CHECK_CLOSE(axis.y, x[1] / length, 4 * TACT_EPS);
        CHECK_CLOSE(axis.z, x[2] / length, 4 * TACT_EPS);
        check_round_trip(&draft);
        tact_draft_free(&draft);
    }
}

// normals of surfaces are unit vectors, too, that a robot file keeps
static void test_normals(uint64_t *seed) {
    for (int n = 0; n < 200; n++) {
        char text[600];
        double x[3];
        tact_json json;
        tact_draft draft = {.errors = &errors};
        for (int i = 0; i < 3; i++) x[i] = test_random(seed, -2, 2);
        snprintf(text, sizeof text,
                 "[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[%.17g,%.17g,%.17g]},"
                 "{\"name\":\"half\",\"body\":\"world\",\"type\":\"halfplane\",\"normal\":[%.17g,%.17g],\"offset\":0.1}]",
                 x[0], x[1], x[2], x[0], x[1]);
        errors = (tact_errors){0};
        CHECK(tact_json_read(&json, (tact_source){.name = "s", .bytes = text, .size = strlen(text), .line = 1}, &errors));
        tact_scene_read_shapes(&draft, &json, 0);
        CHECK_INT(draft.nshape, 2);
        double length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), flat = sqrt(x[0] * x[0] + x[1] * x[1]);
        CHECK_CLOSE(draft.shapes[0].normal.z, x[2] / length, 4 * TACT_EPS);
        CHECK_CLOSE(draft.shapes[1].normal.x, x[0] / flat, 4 * TACT_EPS);
        check_round_trip(&draft);
        tact_draft_free(&draft);
        tact_json_free(&json);
    }
}

// a direction that has length 1 but for rounding stays as it is, any other becomes one that does
static void test_directions(uint64_t *seed) {
    const double third[3] = {0.6, 0.8, 0}, longer[3] = {0.6 + 1e-5, 0.8, 0};
    tact_vec3 kept = tact_key_direction(third), made = tact_key_direction(longer);
    CHECK(kept.x == TACT_REAL(0.6) && kept.y == TACT_REAL(0.8) && kept.z == 0);
    CHECK_CLOSE(made.x * made.x + made.y * made.y, 1, 4 * TACT_EPS);
    for (int n = 0; n < 100000; n++) {
        double x[3], y[3];
        for (int i = 0; i < 3; i++) x[i] = test_random(seed, -1, 1) * pow(10, floor(test_random(seed, -8, 8)));
        tact_vec3 once = tact_key_direction(x);
        y[0] = (double)once.x, y[1] = (double)once.y, y[2] = (double)once.z;
        tact_vec3 twice = tact_key_direction(y);
        if (memcmp(&once, &twice, sizeof once) == 0) continue;
        CHECK(memcmp(&once, &twice, sizeof once) == 0);
        break;
    }
}

// the file in the repository is what the command writes
static void test_hand(void) {
    static const char path[] = "data/robots/robotis_5f_hand.json";
    static const char *const fingers[] = {"1_thumb", "2_index", "3_middle", "4_ring", "5_little"};
    tact_text file = {0}, again = {0};
    tact_json json;
    tact_draft draft = {.errors = &errors};
    errors = (tact_errors){0};
    CHECK(tact_text_read(&file, path, TACT_TEXT_LIMIT, &errors));
    CHECK(tact_json_read(&json, tact_text_source(&file, path), &errors));
    tact_scene_read_bodies(&draft, &json, tact_json_find(&json, 0, "bodies"));
    tact_scene_read_shapes(&draft, &json, tact_json_find(&json, 0, "shapes"));
    CHECK_INT(errors.errors, 0);
    CHECK_INT(draft.nbody, 21);
    CHECK_TEXT(draft.bodies[0].joint, "slider_z");
    for (int i = 1; i < draft.nbody; i++) {
        char name[40];
        snprintf(name, sizeof name, "finger_r_joint_%s%d", fingers[(i - 1) / 4], (i - 1) % 4 + 1);
        CHECK_TEXT(draft.bodies[i].joint, name);
    }
    tact_robot_write(&draft, &again);
    if (sizeof(tact_real) == sizeof(double)) CHECK_TEXT(again.bytes, file.bytes);
    check_round_trip(&draft);
    tact_draft_free(&draft);
    tact_json_free(&json);
    tact_text_free(&file);
    tact_text_free(&again);
}

// several errors in one file, in the order of the file's joints
static void test_several(void) {
    tact_draft draft;
    CHECK(!read_urdf(&draft, "<robot><link name='a'><inertial><mass value='-1'/><inertia/></inertial></link>"
                             "<link name='b'/><joint name='j' type='revolute'><parent link='a'/><child link='b'/>"
                             "<origin xyz='a' rpy='b'/></joint></robot>"));
    CHECK_INT(errors.errors, 10);
    CHECK_TEXT(errors.items[9].text,
               "r.urdf:1:95: /robot/joint[name=\"j\"]: element <limit> is missing: a revolute joint must have one");
    tact_draft_free(&draft);
}

int main(void) {
    uint64_t seed = test_seed(20261121);
    size_t count = sizeof urdf_cases / sizeof urdf_cases[0];
    // commas in numbers where the system has such a locale
    if (setlocale(LC_ALL, "de_DE.UTF-8")) printf("in de_DE.UTF-8\n");
    for (size_t i = 0; i < count; i++) check_case(&urdf_cases[i]);
    setlocale(LC_ALL, "C");
    printf("%zu good texts\n", count);
    test_characters();
    test_long_names();
    test_turned_inertia(&seed);
    test_planar(&seed);
    test_axes(&seed);
    test_normals(&seed);
    test_directions(&seed);
    test_hand();
    test_several();
    return test_end("urdf");
}
