// SPDX-License-Identifier: MIT
// MJCF to bodies, joints, shapes and drives: small models against values worked out by hand, and the models of ../shared where
// they are, each through its robot file into a scene that steps under both laws.
#define _DEFAULT_SOURCE

#include "scene/mjcf.h"

#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "scene/build.h"
#include "tact/robot.h"
#include "tact/scene.h"
#include "test.h"

#define PI 3.14159265358979323846

static tact_errors errors;
static const double tight = sizeof(tact_real) == 8 ? 1e-14 : 1e-6;

static bool read_model(tact_draft *draft, const char *text) {
    errors = (tact_errors){0};
    *draft = (tact_draft){.errors = &errors};
    bool read = tact_mjcf_read_source(draft, (tact_source){.name = "m.xml", .bytes = text, .size = strlen(text), .line = 1});
    if (!read) printf("    %s\n", errors.items[0].text);
    CHECK(read);
    return read;
}

static const tact_draft_body *find_body(const tact_draft *draft, const char *name) {
    static const tact_draft_body none = {.name = ""};
    for (int i = 0; i < draft->nbody; i++)
        if (strcmp(draft->bodies[i].name, name) == 0) return &draft->bodies[i];
    printf("    no body %s\n", name);
    CHECK(false);
    return &none;
}

static void check_vector(const tact_real *got, double x, double y, double z) {
    CHECK_CLOSE(got[0], x, tight);
    CHECK_CLOSE(got[1], y, tight);
    CHECK_CLOSE(got[2], z, tight);
}

static void check_inertia(const tact_draft_body *body, double xx, double yy, double zz, double xy, double xz, double yz) {
    const double wanted[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 6; k++) CHECK_CLOSE((double)body->inertia[k] / xx, wanted[k] / xx, 10 * tight);
}

static bool told(const char *text) {
    for (int i = 0; i < errors.kept; i++)
        if (strstr(errors.items[i].text, text)) return true;
    return false;
}

// classes: an element's own, its class over that of the body, classes within classes, main
static void test_classes(void) {
    tact_draft draft;
    if (!read_model(&draft,
                    "<mujoco><compiler angle='radian'/>"
                    "<default><geom size='.1'/><default class='a'><joint axis='0 1 0' range='-1 2'/><geom density='10'/>"
                    "<default class='b'><joint type='slide'/></default></default></default>"
                    "<worldbody><body name='one' childclass='a'><joint name='j1'/><geom/>"
                    "<body name='two'><joint name='j2' class='b' axis='2 0 0'/><geom/>"
                    "<body name='three' childclass='main'><joint name='j3'/><geom/></body></body></body></worldbody></mujoco>"))
        return;
    const tact_draft_body *one = find_body(&draft, "one"), *two = find_body(&draft, "two"), *three = find_body(&draft, "three");
    double ball = 4 * PI / 3 * 1e-3;
    CHECK_INT(one->type, TACT_JOINT_REVOLUTE);
    check_vector(&one->axis.x, 0, 1, 0);
    CHECK_CLOSE(one->lower, -1, 0);
    CHECK_CLOSE(one->upper, 2, 0);
    CHECK_CLOSE(one->mass, 10 * ball, tight);
    check_inertia(one, 10 * ball * 0.004, 10 * ball * 0.004, 10 * ball * 0.004, 0, 0, 0);
    CHECK_INT(two->type, TACT_JOINT_PRISMATIC);
    check_vector(&two->axis.x, 1, 0, 0);
    CHECK_CLOSE(two->upper, 2, 0);
    CHECK_INT(three->type, TACT_JOINT_CONTINUOUS);
    check_vector(&three->axis.x, 0, 0, 1);
    CHECK_CLOSE(three->mass, 1000 * ball, tight);
    CHECK_INT(draft.nshape, 3);
    tact_draft_free(&draft);
}

// all ways to write a rotation, in degrees, which is the default
static void test_rotations(void) {
    static const struct {
        const char *text;
        double x[3];  // where the x axis goes
    } cases[] = {{"quat='1 0 0 1'", {0, 1, 0}},  {"axisangle='0 0 2 90'", {0, 1, 0}}, {"euler='0 0 90'", {0, 1, 0}},
                 {"euler='90 0 90'", {0, 0, 1}}, {"euler='0 90 90'", {0, 1, 0}},      {"xyaxes='0 2 0 -1 5 0'", {0, 1, 0}},
                 {"zaxis='1 0 0'", {0, 0, -1}},  {"zaxis='0 0 -3'", {1, 0, 0}},       {"quat='2 0 0 0'", {1, 0, 0}}};
    char text[400];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tact_draft draft;
        snprintf(text, sizeof text, "<mujoco><worldbody><body name='a' pos='1 2 3' %s/></worldbody></mujoco>", cases[i].text);
        if (!read_model(&draft, text)) continue;
        tact_mat3 R = tact_scene_pose(&draft.bodies[0].frame).R;
        check_vector(draft.bodies[0].frame.xyz, 1, 2, 3);
        for (int k = 0; k < 3; k++) CHECK_CLOSE(R.m[k][0], cases[i].x[k], 4 * tight);
        tact_draft_free(&draft);
    }
    // turns about fixed axes: x first, then z
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><compiler angle='radian' eulerseq='XYZ'/><worldbody><body name='a' "
                            "euler='0 1.5707963267948966 1.5707963267948966'/></worldbody></mujoco>"))
        return;
    tact_mat3 R = tact_scene_pose(&draft.bodies[0].frame).R;
    CHECK_CLOSE(R.m[2][0], -1, 4 * tight);
    CHECK_CLOSE(R.m[0][1], -1, 4 * tight);
    tact_draft_free(&draft);
}

// a hinge off the origin, two joints on a body, ref: bodies without mass in between
static void test_joints(void) {
    tact_draft draft;
    if (!read_model(
            &draft,
            "<mujoco><compiler angle='radian'/><worldbody><body name='a' pos='0 0 1'>"
            "<inertial mass='2' pos='.1 0 0' diaginertia='1 2 2.5'/>"
            "<joint name='s' type='slide' axis='0 0 1' ref='.5'/><joint name='h' axis='1 0 0' pos='0 .2 0'/>"
            "<body name='b'><joint name='r' axis='0 0 1' ref='1.5707963267948966'/><geom type='box' size='1 1 1' mass='3'/>"
            "<body><joint/><geom size='1' mass='1'/></body></body></body></worldbody></mujoco>"))
        return;
    CHECK_INT(draft.nbody, 5);
    const tact_draft_body *slide = &draft.bodies[0], *hinge = &draft.bodies[1], *a = find_body(&draft, "a");
    CHECK_TEXT(slide->name, "a_joint_1");
    CHECK_TEXT(slide->joint, "s");
    CHECK(!slide->weighed);
    check_vector(slide->frame.xyz, 0, 0, 0.5);
    CHECK_TEXT(hinge->name, "a_joint_2");
    CHECK_TEXT(hinge->parent, "a_joint_1");
    check_vector(hinge->frame.xyz, 0, 0.2, 0);
    CHECK_TEXT(a->parent, "a_joint_2");
    CHECK_INT(a->type, TACT_JOINT_FIXED);
    check_vector(a->frame.xyz, 0, -0.2, 0);
    CHECK_CLOSE(a->mass, 2, 0);
    check_vector(&a->com.x, 0.1, 0, 0);
    check_inertia(a, 1, 2, 2.5, 0, 0, 0);
    const tact_draft_body *b = find_body(&draft, "b");
    check_vector(b->frame.rpy, 0, 0, -PI / 2);
    check_inertia(b, 2, 2, 2, 0, 0, 0);
    const tact_draft_body *unnamed = find_body(&draft, "b_1");
    CHECK_TEXT(unnamed->joint, "b_1_1");
    tact_draft_free(&draft);
}

// volumes and moments of primitives, in their places
static void test_masses(void) {
    static const struct {
        const char *geom;
        double mass, x, y, z;  // diagonal of the inertia over the mass
    } cases[] = {{"size='.2'", 4 * PI / 3 * .008, .016, .016, .016},
                 {"type='box' size='.1 .2 .3'", .048, .13 / 3, .1 / 3, .05 / 3},
                 {"type='ellipsoid' size='.1 .2 .3'", 4 * PI / 3 * .006, .026, .02, .01},
                 {"type='cylinder' size='.1 .3'", PI * .006, .0025 + .03, .0025 + .03, .005},
                 {"type='cylinder' size='.1' fromto='0 0 .3 0 0 -.3'", PI * .006, .0325, .0325, .005},
                 {"type='cylinder' size='.1' fromto='-.3 0 0 .3 0 0'", PI * .006, .005, .0325, .0325}};
    char text[500];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tact_draft draft;
        snprintf(text, sizeof text, "<mujoco><worldbody><body name='a'><geom density='7' %s/></body></worldbody></mujoco>",
                 cases[i].geom);
        if (!read_model(&draft, text)) continue;
        const tact_draft_body *body = &draft.bodies[0];
        CHECK_CLOSE(body->mass, 7 * cases[i].mass, tight);
        for (int k = 0; k < 3; k++)
            CHECK_CLOSE(body->inertia[k] / body->mass, k == 0 ? cases[i].x : k == 1 ? cases[i].y : cases[i].z, tight);
        tact_draft_free(&draft);
    }
    // a capsule as a cylinder and two half balls: the centre of a half ball is 3/8 r from its plane
    tact_draft draft;
    double r = 0.1, h = 0.6, rod = PI * r * r * h, half = 2 * PI / 3 * r * r * r;
    if (!read_model(
            &draft,
            "<mujoco><worldbody><body name='a'><geom density='1' type='capsule' size='.1 .3'/></body></worldbody></mujoco>"))
        return;
    double away = h / 2 + 3 * r / 8,
           across = rod * (r * r / 4 + h * h / 12) + 2 * (half * (0.4 - 9.0 / 64) * r * r + half * away * away);
    CHECK_CLOSE(draft.bodies[0].mass, rod + 2 * half, tight);
    CHECK_CLOSE(draft.bodies[0].inertia[0], across, tight);
    CHECK_CLOSE(draft.bodies[0].inertia[2], rod * r * r / 2 + 2 * half * 0.4 * r * r, tight);
    tact_draft_free(&draft);
    // two balls on a stick without mass, a visual one among them, and a total mass
    if (!read_model(&draft,
                    "<mujoco><compiler settotalmass='6'/><worldbody><body name='a'><geom pos='1 0 0' size='.1' mass='1'/>"
                    "<geom pos='-2 0 0' size='.1' mass='2' contype='0' conaffinity='0'/><geom type='box' size='1 1 1' mass='0'/>"
                    "</body></worldbody></mujoco>"))
        return;
    const tact_draft_body *a = &draft.bodies[0];
    CHECK_CLOSE(a->mass, 6, tight);
    check_vector(&a->com.x, -1, 0, 0);
    check_inertia(a, 6 * .004, 6 * .004 + 2 * (4 + 2), 6 * .004 + 12, 0, 0, 0);
    CHECK_INT(draft.nshape, 2);
    CHECK(told("geom (drawn only)"));
    tact_draft_free(&draft);
    // a bound that holds already changes nothing, though the principal axes are worked out for it
    if (!read_model(&draft, "<mujoco><compiler boundinertia='1e-3'/><worldbody><body name='a'><inertial mass='1' pos='0 0 0' "
                            "fullinertia='.962515 1.29481 1.1193 .0258147 -.00900734 .128568'/></body></worldbody></mujoco>"))
        return;
    check_inertia(&draft.bodies[0], .962515, 1.29481, 1.1193, .0258147, -.00900734, .128568);
    tact_draft_free(&draft);
    // geoms without mass do not replace what is given
    if (!read_model(&draft, "<mujoco><compiler inertiafromgeom='true'/><worldbody><body name='a'><inertial mass='2' pos='1 0 0' "
                            "diaginertia='1 1 1'/><geom size='.1' mass='0'/></body></worldbody></mujoco>"))
        return;
    CHECK_CLOSE(draft.bodies[0].mass, 2, tight);
    check_vector(&draft.bodies[0].com.x, 1, 0, 0);
    tact_draft_free(&draft);
}

#define TWO_JOINTS(rest)                                                                                                \
    "<mujoco><compiler angle='radian'/><worldbody><body name='a'><inertial mass='4' pos='0 0 .5' diaginertia='1 1 1'/>" \
    "<joint name='p' axis='1 0 0' damping='.25'/><body name='b'><inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/>"   \
    "<joint name='q' axis='1 0 0' armature='3'/></body></body></worldbody>" rest "</mujoco>"

// stiffness and damping of actuators, also by gear, tendon, equality and damping ratio
static void test_drives(void) {
    static const struct {
        const char *text, *joint;
        double stiffness, damping;
    } cases[] = {
        {"<actuator><position joint='q' kp='7' kv='2'/></actuator>", "q", 7, 2},
        {"<actuator><position joint='p' kp='7' kv='2'/></actuator>", "p", 7, 2.25},
        {"<actuator><position joint='q' kp='7' gear='3'/></actuator>", "q", 63, 0},
        {"<actuator><general joint='q' biastype='affine' gainprm='.5' biasprm='0 -8 -3'/></actuator>", "q", 8, 3},
        {"<default><general biastype='affine' biasprm='0 -8 -3'/></default><actuator><general joint='q'/></actuator>", "q", 8, 3},
        // the inertia of b about its axis is 1, of the motor 3
        {"<actuator><position joint='q' kp='9' dampratio='.5'/></actuator>", "q", 9, 6},
        // of all about the first axis: 1 + 1 + 4/4
        {"<actuator><position joint='p' kp='12' dampratio='1'/></actuator>", "p", 12, 12.25},
        {"<tendon><fixed name='t'><joint joint='q' coef='.5'/></fixed></tendon><actuator><position tendon='t' "
         "kp='8'/></actuator>",
         "q", 2, 0},
        // both turn alike: half of each is one
        {"<tendon><fixed name='t'><joint joint='p' coef='.5'/><joint joint='q' coef='.5'/></fixed></tendon>"
         "<equality><joint joint1='q' joint2='p'/></equality><actuator><position tendon='t' kp='8' kv='1'/></actuator>",
         "p", 8, 1.25},
        {"<equality><joint joint1='p' joint2='q' polycoef='.1 -2'/></equality><actuator><position joint='p' kp='8' "
         "kv='1'/></actuator>",
         "q", 32, 5}};
    char text[1200];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tact_draft draft;
        snprintf(text, sizeof text, TWO_JOINTS("%s"), cases[i].text);
        if (!read_model(&draft, text)) continue;
        CHECK_INT(draft.ndrive, 1);
        if (draft.ndrive == 1) {
            CHECK_TEXT(draft.drives[0].joint, cases[i].joint);
            CHECK_CLOSE(draft.drives[0].stiffness, cases[i].stiffness, tight);
            CHECK_CLOSE(draft.drives[0].damping, cases[i].damping, tight);
        }
        tact_draft_free(&draft);
    }
}

#define TWO_GEOMS "<worldbody><geom name='g' size='1'/><geom name='h' size='1'/></worldbody>"

// equalities of joints
static void test_mimics(void) {
    tact_draft draft;
    if (!read_model(&draft, TWO_JOINTS("<equality><joint joint1='q' joint2='p' polycoef='.5 -2'/></equality>"))) return;
    const tact_draft_body *b = find_body(&draft, "b");
    CHECK_TEXT(b->mimic, "p");
    CHECK_CLOSE(b->ratio, -2, 0);
    CHECK_CLOSE(b->offset, 0.5, 0);
    CHECK_CLOSE(b->armature, 3, 0);
    tact_draft_free(&draft);
    static const char *const left[][2] = {
        {"<equality><joint joint1='q' joint2='p' polycoef='0 1 1'/></equality>", "joint equality (not linear)"},
        {"<equality><joint joint1='q' polycoef='1'/></equality>", "joint equality (with a constant)"},
        {"<equality><joint joint1='q' joint2='p' active='false'/></equality>", "joint equality (not active)"},
        {"<equality><joint joint1='q' joint2='q'/></equality>", "joint equality (that closes a circle)"},
        {"<equality><connect body1='a' body2='b' anchor='0 0 0'/></equality>", "left out: joint@damping"},
        {"<equality><weld body1='a' body2='b' active='false'/></equality>", "weld (not active)"},
        {"<equality><weld site1='a' site2='b'/></equality>", "weld (of a site that is left out)"},
        {"<equality><connect body1='a' body2='b' anchor='0 0 0' active='false'/></equality>", "connect (not active)"},
        {"<equality><connect site1='a' site2='b'/></equality>", "connect (of a site that is left out)"},
        {"<actuator><motor joint='q'/></actuator>", "actuator motor (no position is held: a drive is needed)"},
        {"<actuator><position joint='q'/><position joint='q'/></actuator>", "further actuator of a joint"},
        {"<actuator><position joint='q' ctrlrange='-1 1'/></actuator>", "ctrlrange other than the joint's range, which bounds"},
        {"<default><position ctrlrange='-1 1'/></default><actuator><position joint='q'/></actuator>",
         "ctrlrange other than the joint's range, which bounds"},
        {"<keyframe><key qpos='0 0' qvel='0 0'/></keyframe>", "key@qvel"},
        {"<keyframe><key ctrl='1'/></keyframe><actuator><motor joint='q'/></actuator>",
         "key@ctrl of an actuator that makes no drive"},
        {"<contact><exclude body1='a' body2='b' class='c'/></contact>", "exclude@class"},
        {TWO_GEOMS "<contact><pair geom1='g' geom2='h' solref='1 1' friction='1 .5'/></contact>", "pair@solref"},
        {TWO_GEOMS "<contact><pair geom1='g' geom2='h' friction='1 .5'/></contact>", "pair@friction (of the second direction)"},
        {TWO_GEOMS "<contact><pair geom1='g' geom2='h' condim='6'/></contact>", "pair@condim (friction of rolling and turning)"},
        {"<sensor><jointpos joint='q'/></sensor>", "jointpos"},
        {"<misspelt/>", "unknown element \"misspelt\" is not read (there are: worldbody, asset"},
        {"<default><site size='1' rgba='1 1 1 1'/></default>", "site@rgba"},
        {"<default><pair friction='1'/></default>", "default of pair"},
        {"<default><joint stiffness='0 1'/></default>", "joint@stiffness (polynomial)"},
        {"<option><flag contact='disable'/></option>", "option, flag"},
        {"<worldbody><body name='c'><joint type='free' damping='1'/><geom size='1'/></body></worldbody>", "joint@damping"},
        {"<worldbody><body name='c'><joint type='free' armature='1'/><geom size='1'/></body></worldbody>", "joint@armature"},
        {"<worldbody><body name='c'><joint type='free' frictionloss='1'/><geom size='1'/></body></worldbody>",
         "joint@frictionloss"},
        {"<worldbody><body name='c'><site/></body></worldbody>", "site (without a name)"},
        {"<worldbody><body name='c'><site name='a'/></body></worldbody>", "site (with the name of a body)"},
        {"<worldbody><body name='c'><inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/></body></worldbody>",
         "body[name=\"c\"]: warning: principal moments 5, 1, 1: of a rigid body the largest is at most the sum of the others"},
        {"<worldbody><body name='c'><joint name='r'/></body></worldbody>",
         "joint[name=\"r\"]: warning: moves no mass: without a drive its motion is undetermined"},
        {"<worldbody><bdy name='c'/></worldbody>", "unknown element \"bdy\" is not read (did you mean \"body\"?)"},
        {"<worldbody><body name='c' clas='d'/></worldbody>", "@clas: warning: unknown attribute \"clas\" is not read"},
        {"<worldbody><body name='c'><geom size='1' friction='1' priority='2' axsi='1'/></body></worldbody>",
         "geom@axsi: warning: unknown attribute \"axsi\" is not read"},
        {"<worldbody><body name='c'><geom size='1' friction='1 .1'/></body></worldbody>",
         "geom@friction (of turning and rolling)"},
        {"<worldbody><body name='c'><geom size='1' friction='11'/></body></worldbody>", "geom@friction (more than 10)"},
        {"<worldbody><body name='c'><geom size='1' condim='4'/></body></worldbody>",
         "geom@condim (friction of rolling and turning)"},
        {"<worldbody><body name='c' gravcomp='1'/></worldbody>", "body@gravcomp"},
        {"<tendon><fixed name='t'><joint joint='p' coef='0'/><joint joint='q' coef='0'/></fixed></tendon><actuator><position "
         "tendon='t'/></actuator>",
         "actuator of a fixed tendon"},
        {"<tendon><fixed name='t'><joint joint='p'/><joint joint='q'/></fixed></tendon><actuator><position "
         "joint='p'/><position joint='q'/><position tendon='t'/></actuator>",
         "actuator of a fixed tendon"},
        {"<worldbody><body name='c'><joint name='r'/><joint name='s' axis='1 0 0'/><joint name='u' axis='0 1 0'/><geom size='1'/>"
         "</body></worldbody><tendon><fixed name='t'><joint joint='p'/><joint joint='q'/><joint joint='r'/><joint joint='s'/>"
         "<joint joint='u'/></fixed></tendon><actuator><position tendon='t'/></actuator>",
         "actuator of a fixed tendon (of more than 4 joints)"}};
    char text[1200];
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++) {
        snprintf(text, sizeof text, TWO_JOINTS("%s"), left[i][0]);
        if (!read_model(&draft, text)) continue;
        bool named = told(left[i][1]);
        if (!named) printf("    not told: %s\n", left[i][1]);
        CHECK(named);
        tact_draft_free(&draft);
    }
}

// a range of commands that is the joint's own, also one that is scaled, is no loss
static void test_command_ranges(void) {
    static const char *const kept[] = {"<position joint='q' ctrlrange='-1 2'/>", "<position joint='q' inheritrange='1'/>",
                                       "<position joint='q' ctrlrange='-1 5' ctrllimited='false'/>",
                                       "<position joint='q' gear='-2' ctrlrange='-4 2'/>",
                                       "<general joint='q' gainprm='.5' biastype='affine' biasprm='1 -1' ctrlrange='-4 2'/>"};
    static const char *const lost[] = {"<position joint='q' ctrlrange='-1 1.9'/>", "<position joint='q' inheritrange='.5'/>",
                                       "<general joint='q' gainprm='.5' biastype='affine' biasprm='1 -1' ctrlrange='-1 2'/>"};
    char text[1200];
    for (size_t i = 0; i < 8; i++) {
        tact_draft draft;
        snprintf(text, sizeof text,
                 "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody><body><joint name='q' range='-1 2'/>"
                 "<geom size='1'/></body></worldbody><actuator>%s</actuator></mujoco>",
                 i < 5 ? kept[i] : lost[i - 5]);
        if (!read_model(&draft, text)) continue;
        CHECK(told("range") == (i >= 5));
        CHECK(!told("gravity"));
        tact_draft_free(&draft);
    }
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><option gravity='0 0 0'/><worldbody><body><geom size='1'/></body></worldbody></mujoco>"))
        return;
    CHECK(told("left out: option@gravity"));
    tact_draft_free(&draft);
}

// Whether a model is refused with a message that holds these words.
static bool refused_with(const char *text, const char *words) {
    tact_draft draft = {.errors = &errors};
    errors = (tact_errors){0};
    bool read = tact_mjcf_read_source(&draft, (tact_source){.name = "m.xml", .bytes = text, .size = strlen(text), .line = 1});
    tact_draft_free(&draft);
    if (read || !told(words)) printf("    %s: %s\n", words, errors.items[0].text);
    return !read && told(words);
}

// a class says where its sites are
static void test_site_class(void) {
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><default><site pos='0 0 1' size='.1'/></default><worldbody><body name='a'><geom size='1'/>"
                            "<site name='s'/><site name='t' pos='1 0 0'/></body></worldbody></mujoco>"))
        return;
    check_vector(find_body(&draft, "s")->frame.xyz, 0, 0, 1);
    check_vector(find_body(&draft, "t")->frame.xyz, 1, 0, 0);
    CHECK(!told("default of site"));
    tact_draft_free(&draft);
}

// Sites are bodies without mass, fixed to theirs, and connections and welds of them hold their origins and frames together.
static void test_sites(void) {
    tact_draft draft;
    static const char text[] =
        "<mujoco><worldbody><site name='s' pos='1 2 3'/><body name='a'><joint name='a_tip_fixed' axis='0 0 1'/><geom size='1'/>"
        "<frame pos='0 0 1'><site name='a_tip' pos='1 0 0' quat='0 1 0 0' size='.1' rgba='1 0 0 1'/></frame></body></worldbody>"
        "<equality><connect site1='a_tip' site2='s'/><weld site1='s' site2='a_tip'/></equality></mujoco>";
    if (!read_model(&draft, text)) return;
    CHECK_INT(draft.nbody, 3);
    CHECK_TEXT(draft.bodies[0].name, "s");
    CHECK(!draft.bodies[0].parent && draft.bodies[0].type == TACT_JOINT_FIXED && !draft.bodies[0].weighed);
    CHECK_CLOSE(draft.bodies[0].frame.xyz[1], 2, 0);
    CHECK_TEXT(draft.bodies[2].name, "a_tip");
    CHECK_TEXT(draft.bodies[2].parent, "a");
    CHECK_TEXT(draft.bodies[2].joint, "a_tip_fixed_1");
    CHECK_CLOSE(draft.bodies[2].frame.xyz[0], 1, tight);
    CHECK_CLOSE(draft.bodies[2].frame.xyz[2], 1, tight);
    CHECK_CLOSE(fabs((double)draft.bodies[2].frame.rpy[0]), acos(-1.0), 1e-6);
    CHECK_INT(draft.nloop, 4);
    CHECK_TEXT(draft.loops[0].body[0], "a_tip");
    CHECK_TEXT(draft.loops[0].body[1], "s");
    CHECK(draft.loops[0].at[0][0] == 0 && draft.loops[0].at[1][0] == 0);
    CHECK_TEXT(draft.loops[3].body[1], "a_tip");
    CHECK_CLOSE(draft.loops[3].at[0][2], 0.05, tight);
    CHECK_CLOSE(draft.loops[3].at[1][2], 0.05, tight);
    tact_draft_free(&draft);
}

// a site between two ends, its own or those of its class, stands in the middle and looks along the line, as a geom does
static void test_site_ends(void) {
    static const char *const sites[] = {"<site name='s' class='c'/>",
                                        "<site name='s' type='capsule' size='1' fromto='0 0 0 0 2 0'/>"};
    for (int i = 0; i < 2; i++) {
        char text[400];
        tact_draft draft;
        snprintf(text, sizeof text,
                 "<mujoco><default><default class='c'><site type='capsule' size='1' fromto='0 0 0 0 2 0'/></default></default>"
                 "<worldbody><body name='a'><geom type='capsule' size='1' fromto='0 0 0 0 2 0'/>%s</body></worldbody></mujoco>",
                 sites[i]);
        if (!read_model(&draft, text)) continue;
        const tact_draft_frame *site = &find_body(&draft, "s")->frame, *geom = &draft.shapes[0].frame;
        check_vector(site->xyz, 0, 1, 0);
        for (int k = 0; k < 3; k++) CHECK_CLOSE((double)site->rpy[k], (double)geom->rpy[k], tight);
        CHECK(!told("fromto"));
        tact_draft_free(&draft);
    }
}

// what MuJoCo refuses is refused where --strict asks for it; balanceinertia mends it
static void test_odd_inertia(void) {
    static const char model[] = "<mujoco>%s<worldbody><body name='a'><inertial pos='0 0 0' mass='1' diaginertia='1 1 5'/><joint/>"
                                "</body></worldbody></mujoco>";
    for (int balanced = 0; balanced < 2; balanced++) {
        char text[400];
        errors = (tact_errors){.strict = true};
        tact_draft draft = {.errors = &errors};
        snprintf(text, sizeof text, model, balanced ? "<compiler balanceinertia='true'/>" : "");
        const tact_source source = {.name = "m.xml", .bytes = text, .size = strlen(text), .line = 1};
        CHECK(tact_mjcf_read_source(&draft, source) == (balanced == 1));
        CHECK_INT(errors.errors, 1 - balanced);
        tact_draft_free(&draft);
    }
}

// the damping of joints that a drive on their sum moves stays as that of each
static void test_damped_sum(void) {
    tact_draft draft;
    if (!read_model(&draft,
                    TWO_JOINTS("<tendon><fixed name='t'><joint joint='p' coef='1'/><joint joint='q' coef='1'/></fixed></tendon>"
                               "<actuator><position tendon='t' kp='3'/></actuator>")))
        return;
    CHECK(!told("joint@damping"));
    CHECK_INT(draft.nspring, 2);
    CHECK_TEXT(draft.springs[1].joint[0], "p");
    CHECK_CLOSE((double)draft.springs[1].damping, .25, tight);
    CHECK_CLOSE((double)draft.springs[1].stiffness, 0, tight);
    tact_draft_free(&draft);
}

// Connections, welds, springs of joints and drives on sums.
static void test_loops(void) {
    tact_draft draft;
    static const char text[] =
        "<mujoco><compiler angle='degree'/><worldbody><body name='a' pos='0 0 1'><joint name='p' stiffness='2' springref='90' "
        "damping='.5' frictionloss='.25'/><geom size='1'/></body><body name='b' pos='1 0 0' euler='0 0 90'><joint name='q' "
        "type='slide'/>"
        "<geom size='1'/></body></worldbody><equality><connect body1='a' body2='b' anchor='0 .5 0'/><connect body1='b' "
        "anchor='0 0 2'/><weld body1='a' body2='b' anchor='1 0 0'/><weld body1='a' body2='b' relpose='0 0 3 1 0 0 0'/></equality>"
        "<tendon><fixed name='t'><joint joint='p' coef='.5'/><joint joint='q' coef='2'/></fixed></tendon><actuator><general "
        "tendon='t' gear='2' biastype='affine' gainprm='3' biasprm='1 -8 -2'/></actuator><keyframe><key "
        "ctrl='5'/></keyframe></mujoco>";
    if (!read_model(&draft, text)) return;
    CHECK_INT(draft.nloop, 8);
    CHECK_TEXT(draft.loops[0].body[0], "a");
    CHECK_TEXT(draft.loops[0].body[1], "b");
    // b's frame is turned by a quarter about z: x_b = R'(x - (1, 0, 0))
    const tact_real first[2][3] = {{0, TACT_REAL(0.5), 0}, {TACT_REAL(0.5), 1, 1}};
    for (int end = 0; end < 2; end++)
        for (int k = 0; k < 3; k++) CHECK_CLOSE(draft.loops[0].at[end][k], first[end][k], tight);
    CHECK(draft.loops[0].placed && draft.loops[1].body[1] == NULL);
    CHECK_CLOSE(draft.loops[1].at[1][2], 2, tight);
    CHECK_CLOSE(draft.loops[1].at[1][0], 1, tight);
    CHECK_CLOSE(draft.loops[2].at[1][0], 1.05, tight);
    CHECK_CLOSE(draft.loops[7].at[0][2], 3.05, tight);
    CHECK_CLOSE(draft.loops[7].at[1][2], 0.05, tight);
    CHECK_INT(draft.nspring, 3);
    const tact_draft_spring *sum = &draft.springs[0], *own = &draft.springs[1], *dry = &draft.springs[2];
    CHECK(!dry->command && dry->count == 1 && dry->stiffness == 0);
    CHECK_TEXT(dry->joint[0], "p");
    CHECK_CLOSE(dry->force_limit, 0.25, tight);
    CHECK_CLOSE(dry->damping, 250, 250 * tight);
    CHECK(!told("frictionloss"));
    CHECK(sum->command && sum->count == 2 && !own->command && own->count == 1);
    CHECK_TEXT(sum->joint[0], "p");
    CHECK_CLOSE(sum->factor[0], 1, tight);
    CHECK_CLOSE(sum->factor[1], 4, tight);
    CHECK_CLOSE(sum->stiffness, 8, tight);
    CHECK_CLOSE(sum->damping, 2, tight);
    CHECK_CLOSE(own->stiffness, 2, tight);
    CHECK_CLOSE(own->damping, 0.5, tight);
    CHECK_CLOSE(own->rest, 1.5707963267948966, tight);
    // 3 u + 1 - 8 length = 0
    CHECK_INT(draft.keyframes[0].ncommand, 1);
    CHECK_CLOSE(draft.keyframes[0].command[0].value[0], 2, tight);
    CHECK(told("scale of an actuator's command (it is the sum of the joints)"));
    tact_draft_free(&draft);
    static const char *const wrong[][2] = {
        {"<equality><connect body1='a' body2='b'/></equality>", "attribute \"anchor\" is missing"},
        {"<equality><connect body1='a' body2='nobody' anchor='0 0 0'/></equality>", "no body \"nobody\""},
        {"<equality><connect body2='a' anchor='0 0 0'/></equality>", "attribute \"body1\" is missing"},
        {"<equality><connect body1='a' anchor='0 0'/></equality>", "expected 3 numbers"},
        {"<equality><weld body1='a' anchor='1e9 0 0'/></equality>", "1000000"},
        {"<equality><weld body1='a' relpose='1e9 0 0 1 0 0 0'/></equality>", "1000000"},
        {"<equality><connect body1='a' class='none' anchor='0 0 0'/></equality>", "none"}};
    char part[600];
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(part, sizeof part, TWO_JOINTS("%s"), wrong[i][0]);
        CHECK(refused_with(part, wrong[i][1]));
    }
}

// exclusions and pairs; geoms that do not collide, but in a pair
static void test_contacts(void) {
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><default><geom size='.1'/><default class='v'><geom contype='0' conaffinity='0'/></default>"
                            "</default><worldbody><body name='a'><geom name='g'/><geom name='h' class='v'/><geom name='i' "
                            "class='v'/><body name='b'><joint/><geom name='j' contype='2' conaffinity='-4'/></body></body>"
                            "</worldbody><contact><exclude name='x' body1='a' body2='b'/></contact><contact><exclude "
                            "body1='world' body2='b'/><pair geom1='h' geom2='j' friction='.7 .7'/><pair geom1='g' geom2='j' "
                            "condim='1' friction='.3'/><pair geom1='g' geom2='j'/></contact></mujoco>"))
        return;
    CHECK_INT(draft.nshape, 3);
    CHECK_TEXT(draft.shapes[1].name, "h");
    CHECK(draft.shapes[0].contype == 1 && draft.shapes[0].conaffinity == 1);
    CHECK(draft.shapes[1].contype == 0 && draft.shapes[1].conaffinity == 0);
    CHECK(draft.shapes[2].contype == 2 && draft.shapes[2].conaffinity == -4);
    CHECK_INT(draft.nexcluded, 2);
    CHECK_TEXT(draft.excluded[0].a, "a");
    CHECK_TEXT(draft.excluded[0].b, "b");
    CHECK(draft.excluded[1].a == NULL);
    CHECK_INT(draft.npair, 3);
    CHECK_TEXT(draft.pairs[0].a, "h");
    CHECK_TEXT(draft.pairs[0].b, "j");
    CHECK_CLOSE(draft.pairs[0].mu, .7, tight);
    CHECK_CLOSE(draft.pairs[1].mu, 0, 0);
    CHECK_CLOSE(draft.pairs[2].mu, -1, 0);
    CHECK(told("geom (drawn only)") && !told("exclude"));
    tact_draft_free(&draft);
}

// friction of geoms: their class's, their own, none; without friction where contacts have no direction beside the normal
static void test_friction(void) {
    static const struct {
        const char *name;
        double mu;
        int priority;
    } wanted[] = {{"g", .8, 0}, {"h", 1.5, 2}, {"i", -1, 0}, {"j", 0, 0}, {"k", 10, 0}};
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><default><geom size='.1'/><default class='pad'><geom friction='.8'/></default></default>"
                            "<worldbody><geom name='g' class='pad'/><geom name='h' class='pad' friction='1.5' priority='2'/>"
                            "<geom name='i'/><geom name='j' friction='.3' condim='1'/><geom name='k' friction='12 .005 .0001' "
                            "condim='3'/></worldbody></mujoco>"))
        return;
    CHECK_INT(draft.nshape, 5);
    for (int i = 0; i < 5 && draft.nshape == 5; i++) {
        CHECK_TEXT(draft.shapes[i].name, wanted[i].name);
        CHECK_CLOSE(draft.shapes[i].mu, wanted[i].mu, tight);
        CHECK_INT(draft.shapes[i].priority, wanted[i].priority);
    }
    CHECK(!told("of turning and rolling") && !told("geom@condim") && !told("geom@priority"));
    // The robot file has the same: only what is said there.
    tact_text text = {0};
    tact_robot_write(&draft, &text);
    CHECK(text.bytes && strstr(text.bytes, "\"mu\": 1.5, \"priority\": 2 }") && strstr(text.bytes, "\"mu\": 0 }"));
    tact_text_free(&text);
    tact_draft_free(&draft);
}

static void check_coordinate(const tact_draft_coordinate *x, const char *joint, double value) {
    CHECK_TEXT(x->joint, joint);
    CHECK_INT(x->count, 1);
    CHECK_CLOSE(x->value[0], value, 10 * tight);
}

#define HALF "0.7071067811865476"

// coordinates and commands of keyframes
static void test_keyframes(void) {
    tact_draft draft;
    // force 4 (u - 2 q) of the first, 0.5 u + 1 - 8 p of the second
    if (!read_model(&draft,
                    "<mujoco><default><geom size='.1'/></default><worldbody><body name='o' pos='1 0 0' quat='" HALF " 0 0 " HALF
                    "'><freejoint name='f'/><geom/></body><body name='a'><joint name='p'/><geom/><body name='b'><joint "
                    "name='q'/><geom/></body></body></worldbody><actuator><position joint='q' kp='4' gear='2'/><general "
                    "joint='p' biastype='affine' gainprm='.5' biasprm='1 -8 -3'/></actuator><keyframe><key name='home' qpos='1 2 "
                    "0 " HALF " 0 0 " HALF " .3 .4' ctrl='.8 6'/><key qpos='1 0 0 1 0 0 0 0 0'/></keyframe></mujoco>"))
        return;
    CHECK_INT(draft.nkeyframe, 2);
    const tact_draft_keyframe *home = &draft.keyframes[0], *other = &draft.keyframes[1];
    CHECK_TEXT(home->name, "home");
    CHECK_TEXT(other->name, "key_1");
    CHECK_INT(home->nq, 3);
    CHECK_INT(home->q[0].count, 7);
    // the place of the body is turned by a quarter about z
    check_vector(home->q[0].value, 2, 0, 0);
    CHECK_CLOSE(home->q[0].value[3], 1, tight);
    check_vector(home->q[0].value + 4, 0, 0, 0);
    check_coordinate(&home->q[1], "p", .3);
    check_coordinate(&home->q[2], "q", .4);
    CHECK_INT(home->ncommand, 2);
    check_coordinate(&home->command[0], "q", .4);
    check_coordinate(&home->command[1], "p", .5);
    CHECK_INT(other->ncommand, 0);
    tact_draft_free(&draft);
    // q = 2 p + 0.1 follows, and its drive drives p
    for (int off = 0; off < 2; off++) {
        char text[1200];
        snprintf(text, sizeof text,
                 TWO_JOINTS("<equality><joint joint1='q' joint2='p' polycoef='.1 2'/></equality><actuator>"
                            "<position joint='q' kp='4'/></actuator><keyframe><key qpos='.3 %s' ctrl='.5'/></keyframe>"),
                 off ? ".5" : ".7");
        if (!read_model(&draft, text)) return;
        CHECK_INT(draft.keyframes[0].nq, 1);
        check_coordinate(&draft.keyframes[0].q[0], "p", .3);
        CHECK_INT(draft.keyframes[0].ncommand, 1);
        check_coordinate(&draft.keyframes[0].command[0], "p", .2);
        CHECK_INT(told("its own is off"), off);
        tact_draft_free(&draft);
    }
}

// Limits of force: of the actuator times its gear, of the joint, the lesser of both; damping of the joint beside them; of sums.
static void test_force_limits(void) {
    static const struct {
        const char *joint, *actuator;
        double limit, damper;
        const char *told;
    } cases[] = {
        {"", "<position joint='j' kp='9' forcerange='-3 3'/>", 3, 0, NULL},
        {"", "<position joint='j' kp='9' forcerange='-3 3' gear='-2'/>", 6, 0, NULL},
        {"", "<position joint='j' kp='9' forcelimited='false' forcerange='-3 3'/>", 0, 0, NULL},
        {"", "<position joint='j' kp='9' forcelimited='true' forcerange='-3 4'/>", 4, 0, "force limits that are not symmetric"},
        {"", "<position joint='j' kp='9' forcerange='0 2'/>", 2, 0, "force limits that are not symmetric"},
        {"damping='.5' actuatorfrcrange='-2 2'", "<position joint='j' kp='9'/>", 2, 0.5, NULL},
        {"damping='.5'", "<position joint='j' kp='9'/>", 0, 0, NULL},
        {"actuatorfrcrange='-2 2'", "<position joint='j' kp='9' forcerange='-1 1'/>", 1, 0, NULL},
        {"actuatorfrcrange='-2 2'", "<position joint='j' kp='9' forcerange='-3 3'/>", 2, 0, NULL},
        {"actuatorfrcrange='-2 2' actuatorfrclimited='false'", "<position joint='j' kp='9'/>", 0, 0, NULL},
        {"actuatorfrcrange='-2 2'", "<motor joint='j' forcerange='-1 1'/>", -1, 0, "joint@actuatorfrcrange (without a drive"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        tact_draft draft;
        snprintf(
            text, sizeof text,
            "<mujoco><worldbody><body name='a'><joint name='j' %s/><geom size='1'/></body></worldbody><actuator>%s</actuator>"
            "</mujoco>",
            cases[i].joint, cases[i].actuator);
        if (!read_model(&draft, text)) continue;
        CHECK_INT(draft.ndrive, cases[i].limit >= 0);
        if (draft.ndrive > 0) CHECK_CLOSE((double)draft.drives[0].force_limit, cases[i].limit, tight);
        CHECK_INT(draft.nspring, cases[i].damper > 0);
        if (draft.nspring > 0) CHECK_CLOSE((double)draft.springs[0].damping, cases[i].damper, tight);
        if (cases[i].told) CHECK(told(cases[i].told));
        tact_draft_free(&draft);
    }
    tact_draft draft;
    bool read =
        read_model(&draft, "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/><body name='b'><joint "
                           "name='k' actuatorfrcrange='-1 1'/><geom size='1'/></body></body></worldbody><tendon><fixed name='t'>"
                           "<joint joint='j' coef='1'/><joint joint='k' coef='1'/></fixed></tendon><actuator>"
                           "<position tendon='t' kp='2' forcerange='-5 5'/></actuator></mujoco>");
    if (read) CHECK_CLOSE((double)draft.springs[0].force_limit, 5, tight);
    if (read) tact_draft_free(&draft);
    errors = (tact_errors){0};
    draft = (tact_draft){.errors = &errors};
    static const char bad[] = "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody><actuator>"
                              "<position joint='j' kp='9' forcelimited='true'/></actuator></mujoco>";
    CHECK(!tact_mjcf_read_source(&draft, (tact_source){.name = "m.xml", .bytes = bad, .size = strlen(bad), .line = 1}));
    CHECK(strstr(errors.items[0].text, "range of forces") != NULL);
    tact_draft_free(&draft);
}

// what a motor can do at its joint: the lesser of its ranges of commands and of forces, times the gear; 0 where none is said
static void test_motors(void) {
    static const struct {
        const char *actuator;
        double effort;
    } cases[] = {{"<motor joint='j' ctrlrange='-2 2' gear='-3'/>", 6},
                 {"<motor joint='j' forcerange='-5 5'/>", 5},
                 {"<motor joint='j' forcerange='-5 5' ctrlrange='-2 2'/>", 2},
                 {"<motor joint='j' forcerange='-5 5' ctrlrange='-7 7' gear='2'/>", 10},
                 {"<motor joint='j' ctrllimited='false' ctrlrange='-2 2'/>", 0},
                 {"<motor joint='j'/>", 0},
                 {"<velocity joint='j' kv='1' forcerange='-5 5'/>", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[600];
        tact_draft draft;
        snprintf(text, sizeof text,
                 "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody><actuator>%s</actuator>"
                 "</mujoco>",
                 cases[i].actuator);
        if (!read_model(&draft, text)) continue;
        CHECK_CLOSE(draft.bodies[0].effort, cases[i].effort, tight);
        CHECK(told("no position is held"));
        CHECK_INT(draft.ndrive, 0);
        CHECK(tact_robot_drive(&draft));
        CHECK_INT(draft.ndrive, 1);
        for (int d = 0; d < draft.ndrive; d++) {
            CHECK_CLOSE((double)draft.drives[d].force_limit, cases[i].effort, tight);
            CHECK_CLOSE((double)draft.drives[d].stiffness, cases[i].effort > 0 ? 2 * cases[i].effort : 1, tight);
        }
        tact_draft_free(&draft);
    }
}

// Every attribute of MuJoCo's that is not read is told by its name, on whatever element.
static void test_nothing_silent(void) {
    static const struct {
        const char *element, *before, *after, *attributes;
    } rows[] = {
        {"compiler", "<mujoco><compiler", "/></mujoco>",
         "coordinate texturedir discardvisual usethread fusestatic alignfree saveinertial"},
        {"body", "<mujoco><worldbody><body", "><geom size='1'/></body></worldbody></mujoco>", "mocap gravcomp user sleep"},
        {"inertial", "<mujoco><worldbody><body><inertial mass='1' diaginertia='1 1 1'", "/></body></worldbody></mujoco>", "user"},
        {"joint", "<mujoco><worldbody><body><joint", "/><geom size='1'/></body></worldbody></mujoco>",
         "group springdamper solreflimit solimplimit solreffriction solimpfriction "
         "actuatorgravcomp margin user"},
        {"freejoint", "<mujoco><worldbody><body><freejoint", "/><geom size='1'/></body></worldbody></mujoco>", "group align"},
        {"geom", "<mujoco><worldbody><geom size='1'", "/></worldbody></mujoco>",
         "shellinertia solmix solref solimp margin gap hfield material rgba fluidshape fluidcoef user"},
        {"frame", "<mujoco><worldbody><frame", "/></worldbody></mujoco>", "name"},
        {"mesh", "<mujoco><asset><mesh name='m'", "/></asset></mujoco>",
         "smoothnormal maxhullvert vertex normal texcoord face material builtin params content_type octree_maxdepth"},
        {"position", "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator><position joint='j'",
         "/></actuator></mujoco>",
         "name group lengthrange cranklength site timeconst user "
         "delay "
         "nsample actdim actlimited actrange actearly damping armature"},
        {"fixed", "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><tendon><fixed name='t'",
         "><joint joint='j'/></fixed></tendon><actuator><position tendon='t'/></actuator></mujoco>",
         "group limited range solreflimit solimplimit solreffriction solimpfriction frictionloss springlength stiffness damping "
         "user margin armature actuatorfrcrange"},
        {"joint",
         "<mujoco><worldbody><body><joint name='j'/><geom size='1'/></body><body><joint name='k'/><geom size='1'/></body>"
         "</worldbody><equality><joint joint1='j' joint2='k'",
         "/></equality></mujoco>", "name solref solimp"},
        {"connect",
         "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody><equality><connect body1='a' "
         "anchor='1 0 0'",
         "/></equality></mujoco>", "solref solimp"},
        {"weld",
         "<mujoco><worldbody><body name='a'><joint name='j'/><geom size='1'/></body></worldbody><equality><weld body1='a'",
         "/></equality></mujoco>", "torquescale solref solimp"},
        {"pair",
         "<mujoco><worldbody><geom name='g' size='1'/><geom name='h' size='1'/></worldbody><contact><pair geom1='g' geom2='h'",
         "/></contact></mujoco>", "class solref solimp solreffriction margin gap"},
        {"exclude", "<mujoco><worldbody><body name='a'/></worldbody><contact><exclude body1='a' body2='world'",
         "/></contact></mujoco>", "class"},
        {"key", "<mujoco><keyframe><key", "/></keyframe></mujoco>", "time qvel act mpos mquat"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (const char *at = rows[i].attributes; *at;) {
            char text[1500], label[100];
            int size = (int)strcspn(at, " ");
            tact_draft draft;
            snprintf(text, sizeof text, "%s %.*s='1'%s", rows[i].before, size, at, rows[i].after);
            snprintf(label, sizeof label, "%s@%.*s", rows[i].element, size, at);
            if (read_model(&draft, text) && !told(label)) {
                printf("    not told: %s\n", label);
                CHECK(false);
            }
            tact_draft_free(&draft);
            at += size;
            at += *at == ' ';
        }
    }
}

// frames within bodies, planes, free joints, and names
static void test_shapes(void) {
    tact_draft draft;
    if (!read_model(&draft, "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1' pos='0 0 -1'/>"
                            "<body name='a' pos='0 0 2'><freejoint name='f'/><geom type='box' size='.1 .2 .3'/>"
                            "<frame pos='1 0 0' euler='0 0 90'><geom type='capsule' size='.1 .2' pos='1 0 0'/></frame>"
                            "<geom name='ball' size='.1'/></body></worldbody></mujoco>"))
        return;
    CHECK_INT(draft.nshape, 4);
    CHECK_INT(draft.bodies[0].type, TACT_JOINT_FREE);
    CHECK_TEXT(draft.bodies[0].joint, "f");
    check_vector(draft.bodies[0].frame.xyz, 0, 0, 2);
    CHECK(draft.shapes[0].body == NULL && draft.shapes[0].type == TACT_SHAPE_PLANE);
    check_vector(draft.shapes[0].frame.xyz, 0, 0, -1);
    CHECK_TEXT(draft.shapes[1].name, "a");
    check_vector(draft.shapes[1].size, .1, .2, .3);
    CHECK_TEXT(draft.shapes[2].name, "a_1");
    check_vector(draft.shapes[2].frame.xyz, 1, 1, 0);
    check_vector(draft.shapes[2].size, .1, .2, 0);
    CHECK_TEXT(draft.shapes[3].name, "ball");
    tact_draft_free(&draft);
}

// a scene of the model and a floor out of reach, both laws, ten steps
static void check_steps(const char *file) {
    static const char *const laws[] = {"barrier", "rigid"};
    char text[900], own[200], path[220], folder[400], message[1280];
    if (!getcwd(folder, sizeof folder)) return;
    test_make_folder(own, sizeof own, NULL);
    snprintf(path, sizeof path, "%s/can.json", own);
    for (int l = 0; l < 2; l++) {
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"%s\",\"options\":{\"dt\":0.002},\"robots\":[{\"file\":\"%s/%s\"}],"
                 "\"bodies\":[{\"name\":\"can\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],\"joint\":{"
                 "\"type\":\"free\","
                 "\"name\":\"can\",\"xyz\":[0,0,3]}}],\"shapes\":[{\"name\":\"can_\",\"body\":\"can\",\"type\":\"sphere\","
                 "\"radius\":0.03},"
                 "{\"name\":\"stand\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":2.96}],"
                 "\"pairs\":[{\"a\":\"stand\",\"b\":\"can_\",\"mu\":0.5}],\"state\":{\"q\":{%s}}}",
                 laws[l], folder, file, strstr(file, "allegro") ? "\"thj0\":0.3" : "");
        test_write_text(path, text);
        tact_world *world = tact_world_open(path, message, sizeof message);
        if (!world) printf("    %s: %s\n", file, message);
        CHECK(world != NULL);
        for (int i = 0; world && i < 10; i++) CHECK(tact_world_step(world) >= 0);
        // the barrier bears the can from afar
        CHECK(!world || l > 0 || world->work.contacts.count == 1);
        if (world) tact_world_close(world);
    }
    remove(path);
    rmdir(own);
}

static void test_models(void) {
    static const struct {
        const char *file;
        int bodies, drives;
    } models[] = {{"../shared/data/mjcf/wonik_allegro/right_hand.xml", 21, 16},
                  {"../shared/data/mjcf/wonik_allegro/left_hand.xml", 21, 16},
                  {"../shared/data/mjcf/shadow_hand/right_hand.xml", 26, 16},
                  {"../shared/data/mjcf/shadow_hand/left_hand.xml", 25, 16},
                  {"../shared/data/mjcf/kuka_iiwa_14/iiwa14.xml", 9, 7},
                  {"../shared/data/mjcf/robotiq_2f85/2f85.xml", 15, 1},
                  {"../shared/data/mjcf/shadow_hand/scene_right.xml", 27, 16},
                  {"../shared/data/mjcf/wonik_allegro/scene_left.xml", 22, 16}};
    struct stat status;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        if (stat(models[i].file, &status) != 0) {
            printf("skipped: %s is not there\n", models[i].file);
            continue;
        }
        errors = (tact_errors){0};
        tact_draft draft = {.errors = &errors};
        bool read = tact_robot_read(&draft, models[i].file);
        if (!read) printf("    %s\n", errors.items[0].text);
        CHECK(read);
        int named = 0;
        for (int b = 0; b < draft.nbody; b++) named += !strstr(draft.bodies[b].name, "_joint_");
        CHECK_INT(named, models[i].bodies);
        CHECK_INT(draft.ndrive, models[i].drives);
        tact_draft_free(&draft);
        check_steps(models[i].file);
    }
}

int main(void) {
    test_classes();
    test_rotations();
    test_joints();
    test_masses();
    test_drives();
    test_mimics();
    test_command_ranges();
    test_site_class();
    test_site_ends();
    test_odd_inertia();
    test_damped_sum();
    test_loops();
    test_sites();
    test_contacts();
    test_friction();
    test_keyframes();
    test_force_limits();
    test_motors();
    test_nothing_silent();
    test_shapes();
    test_models();
    return test_end("mjcf");
}
