// SPDX-License-Identifier: MIT
// Hostile and faulty MJCF, each with its exact message; files that include one another, or lie outside; then every prefix and
// many changed bytes of a good model: read or refused with a place, never a crash.
#define _DEFAULT_SOURCE

#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "scene/mjcf.h"
#include "tact/robot.h"
#include "test.h"

static tact_errors errors;

// into an exact allocation, so that a read past the end is seen by a sanitizer
static bool read_bytes(const char *bytes, size_t size) {
    char *copy = malloc(size ? size : 1);
    if (!copy) exit(1);
    memcpy(copy, bytes, size);
    errors = (tact_errors){0};
    tact_draft draft = {.errors = &errors};
    bool read = tact_mjcf_read_source(&draft, (tact_source){.name = "m.xml", .bytes = copy, .size = size, .line = 1});
    CHECK(read == (errors.errors == 0));
    tact_draft_free(&draft);
    free(copy);
    return read;
}

static const char *first_error(void) {
    for (int i = 0; i < errors.kept; i++)
        if (errors.items[i].kind != TACT_ERROR_WARNING) return errors.items[i].text;
    return "";
}

#define BODY(text) "<mujoco>\n<worldbody>\n<body name='a'>" text "</body></worldbody></mujoco>"
#define PLACE "m.xml:3:"
#define IN "/mujoco/worldbody/body[name=\"a\"]"
#define JOINTS(rest)                                                                                            \
    "<mujoco><worldbody><body name='a'><joint name='p'/><geom size='1'/><body name='b'><joint name='q'/><geom " \
    "size='1'/></body></body>"                                                                                  \
    "</worldbody>\n" rest "</mujoco>"

static const char *const cases[][2] = {
    {"<robot name='r'/>", "m.xml:1:1: /robot: expected the root element \"mujoco\", found \"robot\""},
    {"<mujoco><worldbody></mujoco>", "m.xml:1:22: /mujoco/worldbody: wrong end tag: <worldbody> of line 1 is not closed"},
    {"<!DOCTYPE a [<!ENTITY x 'ha'><!ENTITY y '&x;&x;'>]><mujoco/>", "m.xml:1:1: /: a DOCTYPE is not allowed"},
    // numbers
    {BODY("<geom size='nan'/>"), PLACE "22: " IN "/geom@size: \"nan\": not a number"},
    {BODY("<geom size='1e999'/>"), PLACE "22: " IN "/geom@size: \"1e999\": too large, at most 1000000000000 in magnitude"},
    {BODY("<geom size='0x10'/>"), PLACE "22: " IN "/geom@size: \"0x10\": not a number"},
    {BODY("<geom size='1,2'/>"),
     PLACE "22: " IN "/geom@size: \"1,2\": not a number (blanks stand between numbers, and the decimal sign is a point)"},
    {BODY("<geom size='-1'/>"), PLACE "22: " IN "/geom@size: must be > 0 (found -1)"},
    {BODY("<geom size='1 2 3 4'/>"), PLACE "22: " IN "/geom@size: expected 1 to 3 numbers, found 4"},
    {BODY("<geom type='box' size='1 2'/>"), PLACE "33: " IN "/geom@size: type \"box\": expected 3 numbers, found 2"},
    {BODY("<geom size='1' mass='-1'/>"), PLACE "31: " IN "/geom@mass: must not be negative (found -1)"},
    {BODY("<geom size='1' pos='1 2'/>"), PLACE "31: " IN "/geom@pos: expected 3 numbers, found 2"},
    {BODY("<geom size='1' pos='1e9 0 0'/>"),
     PLACE "31: " IN "/geom@pos: too large: at most 1000000 in magnitude (found 1000000000)"},
    {BODY("<geom size='1' contype='1.5'/>"), PLACE "31: " IN "/geom@contype: must be a whole number (found 1.5)"},
    {BODY("<geom size='1' quat='0 0 0 0'/>"), PLACE "31: " IN "/geom@quat: has no direction"},
    {BODY("<geom size='1' quat='1 0 0 0' euler='1 2 3'/>"),
     PLACE "46: " IN "/geom@euler: the orientation is already given by \"quat\""},
    {BODY("<geom type='capsule' size='1' fromto='1 1 1 1 1 1'/>"), PLACE "46: " IN "/geom@fromto: both ends are at one place"},
    {BODY("<geom type='capsule' size='1' pos='0 0 1' fromto='1 1 1 1 1 2'/>"),
     PLACE "16: " IN "/geom: pos and fromto cannot both be given, also by a class"},
    {BODY("<geom size='1' fromto='1 1 1 1 1 2'/>"), PLACE "31: " IN "/geom@fromto: a sphere has no ends"},
    {BODY("<geom type='ball' size='1'/>"),
     PLACE "22: " IN "/geom@type: unknown word \"ball\" (allowed: plane, hfield, sphere, capsule, "
           "ellipsoid, cylinder, box, mesh, sdf)"},
    // masses
    {BODY("<inertial pos='0 0 0'/>"), PLACE "16: " IN "/inertial: attribute \"mass\" is missing"},
    {BODY("<inertial mass='-1'/>"), PLACE "26: " IN "/inertial@mass: must be 0 or at least 1e-30 (found -1)"},
    {BODY("<inertial mass='1' diaginertia='1 1 -1'/>"),
     PLACE "35: " IN "/inertial@diaginertia: must not be negative (found 1, 1, -1)"},
    {BODY("<inertial mass='1' fullinertia='1 1 1 2 0 0'/>"),
     PLACE "35: " IN "/inertial@fullinertia: an eigenvalue is negative (found -0.9999999999999998)"},
    {BODY("<inertial mass='1'/><inertial mass='1'/>"), PLACE "36: " IN "/inertial[2]: given twice"},
    // joints
    {BODY("<joint type='ball'/>"), PLACE "23: " IN "/joint@type: a ball joint is not read (read are hinge, slide, free)"},
    {BODY("<joint axis='0 0 0'/>"), PLACE "23: " IN "/joint@axis: has no direction"},
    {BODY("<joint limited='true'/>"), PLACE "16: " IN "/joint@range: the lower end must be below the upper one (found 0, 0)"},
    {BODY("<joint damping='-1'/>"), PLACE "23: " IN "/joint@damping: must not be negative (found -1)"},
    {BODY("<freejoint/><joint/>"), PLACE "16: " IN "/freejoint: a body with a free joint has no other"},
    {BODY("<body><freejoint/></body>"), PLACE "22: " IN "/body/freejoint: only a body of the world can have a free joint"},
    {BODY("<replicate count='1000000'><body/></replicate>"),
     PLACE "16: " IN "/replicate: it makes further bodies, which is not read: write them out"},
    // names
    {BODY("<body name='a'/>"), PLACE "22: " IN "/body[name=\"a\"]@name: the name \"a\" is already used"},
    {BODY("<body name='world'/>"), PLACE "22: " IN "/body[name=\"world\"]@name: the name \"world\" is already used"},
    {BODY("<joint name='j'/><joint name='j'/>"), PLACE "40: " IN "/joint[name=\"j\"]@name: the name \"j\" is already used"},
    {BODY("<geom name='j' size='1'/><geom size='1' name='j'/>"),
     PLACE "56: " IN "/geom[name=\"j\"]@name: the name \"j\" is already used"},
    // classes
    {BODY("<geom class='b'/>"), PLACE "22: " IN "/geom@class: no default class \"b\" (there are: main)"},
    {BODY("<body childclass='mian'/>"), PLACE "22: " IN "/body@childclass: no default class \"mian\" (did you mean \"main\"?)"},
    {"<mujoco><default>\n<default class='a'><default class='a'/></default></default></mujoco>",
     "m.xml:2:29: /mujoco/default/default/default@class: the class \"a\" is already defined"},
    {"<mujoco><default>\n<default/></default></mujoco>",
     "m.xml:2:1: /mujoco/default/default@class: a default class needs a name"},
    {"<mujoco>\n<default class='b'/></mujoco>",
     "m.xml:2:10: /mujoco/default@class: the outermost class is \"main\" (found \"b\")"},
    {"<mujoco><default>\n<geom size='x'/></default></mujoco>", "m.xml:2:7: /mujoco/default/geom@size: \"x\": not a number"},
    // meshes
    {BODY("<geom type='mesh' mesh='x'/>"), PLACE "34: " IN "/geom@mesh: no mesh \"x\""},
    {BODY("<geom type='mesh'/>"), PLACE "16: " IN "/geom: a geom of the type mesh needs the attribute \"mesh\""},
    {"<mujoco><asset>\n<mesh file='../../x.stl'/></asset></mujoco>",
     "m.xml:2:7: /mujoco/asset/mesh@file: file \"../../x.stl\": outside the model's folder"},
    {"<mujoco><asset>\n<mesh file='/etc/x.stl'/></asset></mujoco>",
     "m.xml:2:7: /mujoco/asset/mesh@file: file \"/etc/x.stl\": No such file or directory"},
    {"<mujoco><compiler meshdir='/etc/'/><asset>\n<mesh file='/etc/passwd'/></asset></mujoco>",
     "m.xml:2:7: /mujoco/asset/mesh@file: file \"/etc/passwd\": outside the model's folder"},
    {"<mujoco><compiler meshdir='../..'/><asset>\n<mesh file='x.stl'/></asset></mujoco>",
     "m.xml:2:7: /mujoco/asset/mesh@file: file \"../../x.stl\": outside the model's folder"},
    {"<mujoco><asset>\n<mesh name='x' file='a.stl'/><mesh file='x.stl'/></asset></mujoco>",
     "m.xml:2:30: /mujoco/asset/mesh[2]@name: the name \"x\" is already used"},
    {"<mujoco><asset>\n<mesh/></asset></mujoco>", "m.xml:2:1: /mujoco/asset/mesh: a mesh needs a name or a file"},
    {"<mujoco><asset><mesh file='gone.stl'/></asset><worldbody><body>\n<geom type='mesh' "
     "mesh='gone'/></body></worldbody></mujoco>",
     "m.xml:1:22: /mujoco/asset/mesh@file: file \"gone.stl\": No such file or directory"},
    {"<mujoco>\n<include file='gone.xml'/></mujoco>",
     "m.xml:2:10: /mujoco/include@file: file \"gone.xml\": No such file or directory"},
    {"<mujoco>\n<include file='../../../etc/passwd'/></mujoco>",
     "m.xml:2:10: /mujoco/include@file: file \"../../../etc/passwd\": outside the model's folder"},
    {"<mujoco>\n<include/></mujoco>", "m.xml:2:1: /mujoco/include: attribute \"file\" is missing"},
    // what moves
    {JOINTS("<actuator><position joint='r'/></actuator>"),
     "m.xml:2:21: /mujoco/actuator/position@joint: no joint \"r\" (there are: p, q)"},
    {JOINTS("<actuator><position joint='p' kp='-1'/></actuator>"),
     "m.xml:2:31: /mujoco/actuator/position@kp: must not be negative (found -1)"},
    {JOINTS("<actuator><position joint='p' kv='1' dampratio='1'/></actuator>"),
     "m.xml:2:38: /mujoco/actuator/position@dampratio: kv and dampratio cannot both be given"},
    {JOINTS("<actuator><position joint='p' inheritrange='1'/></actuator>"),
     "m.xml:2:31: /mujoco/actuator/position@inheritrange: the joint has no range"},
    {JOINTS("<actuator><position joint='p' ctrlrange='0 1' inheritrange='1'/></actuator>"),
     "m.xml:2:47: /mujoco/actuator/position@inheritrange: ctrlrange and inheritrange cannot both be given"},
    {JOINTS("<actuator><position joint='p' ctrllimited='true'/></actuator>"),
     "m.xml:2:11: /mujoco/actuator/position@ctrlrange: the lower end must be below the upper one"},
    {JOINTS("<actuator><position tendon='t'/></actuator>"), "m.xml:2:21: /mujoco/actuator/position@tendon: no tendon \"t\""},
    {JOINTS("<equality><joint joint1='p' joint2='x'/></equality>"),
     "m.xml:2:29: /mujoco/equality/joint@joint2: no joint \"x\" (there are: p, q)"},
    {JOINTS("<equality><joint joint2='p'/></equality>"), "m.xml:2:11: /mujoco/equality/joint: attribute \"joint1\" is missing"},
    {JOINTS("<equality><joint joint1='p' polycoef='1 2 3 4 5 6'/></equality>"),
     "m.xml:2:29: /mujoco/equality/joint@polycoef: expected 1 to 5 numbers, found 6"},
    // contacts and keyframes
    {JOINTS("<contact><exclude body1='a' body2='bb'/></contact>"),
     "m.xml:2:29: /mujoco/contact/exclude@body2: no body \"bb\" (did you mean \"b\"?)"},
    {JOINTS("<contact><exclude body1='a'/></contact>"), "m.xml:2:10: /mujoco/contact/exclude: attribute \"body2\" is missing"},
    {JOINTS("<contact><pair geom1='a' geom2='b'/></contact>"), "m.xml:2:16: /mujoco/contact/pair@geom1: no geom \"a\""},
    {JOINTS("<contact><pair friction='-1'/></contact>"), "m.xml:2:10: /mujoco/contact/pair: attribute \"geom1\" is missing"},
    {"<mujoco><worldbody><geom name='g' size='1'/></worldbody>\n<contact><pair geom1='g' geom2='g' "
     "friction='-1'/></contact></mujoco>",
     "m.xml:2:36: /mujoco/contact/pair@friction: must be within [0, 10] (found -1)"},
    {"<mujoco><worldbody><geom name='g' size='1'/></worldbody>\n<contact><pair geom1='g' geom2='g' "
     "condim='2'/></contact></mujoco>",
     "m.xml:2:36: /mujoco/contact/pair@condim: must be 1, 3, 4 or 6 (found 2)"},
    {"<mujoco><worldbody><geom size='1' friction='-1'/></worldbody></mujoco>",
     "m.xml:1:35: /mujoco/worldbody/geom@friction: must not be negative (found -1)"},
    {"<mujoco><worldbody><geom size='1' condim='2'/></worldbody></mujoco>",
     "m.xml:1:35: /mujoco/worldbody/geom@condim: must be 1, 3, 4 or 6 (found 2)"},
    {JOINTS("<keyframe><key qpos='1'/></keyframe>"), "m.xml:2:16: /mujoco/keyframe/key@qpos: expected 2 numbers, found 1"},
    {JOINTS("<keyframe><key qpos='1 x'/></keyframe>"), "m.xml:2:16: /mujoco/keyframe/key@qpos: \"x\": not a number"},
    {JOINTS("<keyframe><key qpos='1 1e9'/></keyframe>"),
     "m.xml:2:16: /mujoco/keyframe/key@qpos: too large: at most 1000000 in magnitude (found 1000000000)"},
    {JOINTS("<keyframe><key ctrl='1'/></keyframe>"), "m.xml:2:16: /mujoco/keyframe/key@ctrl: expected 0 numbers, found 1"},
    {JOINTS("<keyframe><key name='k'/><key name='k'/></keyframe>"),
     "m.xml:2:31: /mujoco/keyframe/key[name=\"k\"]@name: the name \"k\" is already used"},
    {"<mujoco>\n<compiler angle='grad'/></mujoco>",
     "m.xml:2:11: /mujoco/compiler@angle: unknown word \"grad\" (allowed: radian, degree)"},
    {"<mujoco>\n<compiler eulerseq='xyw'/></mujoco>",
     "m.xml:2:11: /mujoco/compiler@eulerseq: \"xyw\": must be three of x, y, z, X, Y, Z"},
};

static void test_cases(void) {
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool read = read_bytes(cases[i][0], strlen(cases[i][0]));
        if (read) printf("    accepted: %s\n", cases[i][0]);
        CHECK(!read);
        CHECK_TEXT(first_error(), cases[i][1]);
    }
}

// one mistake, one message
static void test_once(void) {
    static const char *const texts[] = {BODY("<joint name='j' range='nan 1' limited='true'/><geom size='1'/>"),
                                        BODY("<joint name='j&#10;x'/><geom size='1'/>"),
                                        BODY("<joint/><geom type='mesh' mesh='x'/>"),
                                        JOINTS("<tendon><fixed name='t'><joint joint='none' coef='1'/></fixed></tendon>")};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK(!read_bytes(texts[i], strlen(texts[i])));
        CHECK_INT(errors.errors, 1);
    }
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write_text(path, text);
}

static void check_file(const char *folder, const char *name, const char *message) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    errors = (tact_errors){0};
    tact_draft draft = {.errors = &errors};
    bool read = tact_robot_read(&draft, path);
    CHECK(read == !message);
    if (message && !strstr(first_error(), message)) printf("    %s\n", first_error());
    if (message) CHECK(strstr(first_error(), message) != NULL);
    if (!message) CHECK_INT(draft.nbody, 2);
    tact_draft_free(&draft);
}

// files that include themselves, one another, one file twice, or what a link leads to
static void test_includes(void) {
    char top[200], middle[210], folder[210];
    test_make_folder(top, sizeof top, NULL);
    snprintf(folder, sizeof folder, "%s/a/b", top);
    snprintf(middle, sizeof middle, "%s/a", top);
    if (mkdir(middle, 0700) != 0 || mkdir(folder, 0700) != 0) exit(1);
    write_file(folder, "self.xml", "<mujoco>\n<include file='self.xml'/></mujoco>");
    write_file(folder, "one.xml", "<mujoco><include file='two.xml'/></mujoco>");
    write_file(folder, "two.xml", "<mujoco>\n<include file='one.xml'/></mujoco>");
    write_file(folder, "twice.xml", "<mujoco><include file='part.xml'/>\n<include file='./part.xml'/></mujoco>");
    write_file(folder, "part.xml",
               "<mujocoinclude><worldbody><body name='x'/><include file='body.xml'/></worldbody></mujocoinclude>");
    write_file(folder, "body.xml", "<any><body name='y'/></any>");
    write_file(folder, "good.xml", "<mujoco><include file='part.xml'/></mujoco>");
    write_file(folder, "wrong.xml", "<mujoco><include file='fault.xml'/></mujoco>");
    write_file(folder, "fault.xml", "<mujoco><worldbody>\n<body pos='1 2'/></worldbody></mujoco>");
    write_file(folder, "link.xml", "<mujoco>\n<include file='out.xml'/></mujoco>");
    write_file(top, "secret.xml", "<mujoco/>");
    char path[240], target[240];
    snprintf(path, sizeof path, "%s/out.xml", folder);
    snprintf(target, sizeof target, "%s/secret.xml", top);
    if (symlink(target, path) != 0) exit(1);
    check_file(folder, "self.xml", "self.xml:2:10: /mujoco/include@file: file \"self.xml\" is already included");
    check_file(folder, "one.xml", "two.xml:2:10: /mujoco/include@file: file \"one.xml\" is already included");
    check_file(folder, "twice.xml", "twice.xml:2:10: /mujoco/include[2]@file: file \"./part.xml\" is already included");
    check_file(folder, "good.xml", NULL);
    // a message can be opened from the current folder
    char place[300];
    snprintf(place, sizeof place, "%s/fault.xml:2:7: /mujoco/worldbody/body@pos: expected 3 numbers, found 2", folder);
    check_file(folder, "wrong.xml", place);
    check_file(folder, "link.xml", "file \"out.xml\": outside the package root");
    static const char *const files[] = {"self.xml", "one.xml",   "two.xml",   "twice.xml", "part.xml", "body.xml",
                                        "good.xml", "wrong.xml", "fault.xml", "link.xml",  "out.xml"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        remove(path);
    }
    remove(target);
    rmdir(folder);
    rmdir(middle);
    rmdir(top);
}

// a text of one piece many times
static char *repeat(const char *begin, const char *piece, int count, const char *end, size_t *size) {
    size_t a = strlen(begin), b = strlen(piece), c = strlen(end);
    *size = a + b * (size_t)count + c;
    char *text = malloc(*size + 1);
    if (!text) exit(1);
    memcpy(text, begin, a);
    for (int i = 0; i < count; i++) memcpy(text + a + b * (size_t)i, piece, b);
    memcpy(text + a + b * (size_t)count, end, c + 1);
    return text;
}

static void test_sizes(void) {
    size_t size = 0;
    char *text = repeat("<mujoco><worldbody>", "<body/>", 1000001, "</worldbody></mujoco>", &size);
    CHECK(!read_bytes(text, size));
    CHECK_TEXT(first_error(), "m.xml:1:1: /mujoco: 1000001 bodies: more than the limit of 1000000");
    free(text);
    text = repeat("<mujoco><worldbody>", "<body>", 100, "", &size);
    CHECK(!read_bytes(text, size));
    CHECK(strstr(first_error(), "elements nested deeper than 64") != NULL);
    free(text);
    // many unnamed, and attributes that nobody knows
    text = repeat("<mujoco><worldbody>", "<body><joint/><geom size='1' what='1'/></body>", 20000, "</worldbody></mujoco>", &size);
    CHECK(read_bytes(text, size));
    free(text);
    // more classes than are read
    size_t room = 5000 * 40, used = 0;
    text = malloc(room + 100);
    if (!text) exit(1);
    used += (size_t)snprintf(text, room, "<mujoco><default>");
    for (int i = 0; i < 5000; i++) used += (size_t)snprintf(text + used, room - used, "<default class='c%d'/>", i);
    used += (size_t)snprintf(text + used, room - used, "</default></mujoco>");
    CHECK(!read_bytes(text, used));
    CHECK(strstr(first_error(), "more than 4096 default classes") != NULL);
    free(text);
}

static const char good[] =
    "<mujoco model='m'><compiler angle='radian' autolimits='true' eulerseq='xyz'/><default><default class='k'><joint axis='1 0 "
    "0' "
    "range='-1 1'/><position kp='2' dampratio='1'/><geom density='3'/></default></default><worldbody><geom name='f' "
    "type='plane'/>"
    "<body name='a' childclass='k' pos='0 0 1' euler='1 2 3'><inertial mass='1' pos='0 0 1' quat='1 2 3 4' diaginertia='1 2 3'/>"
    "<joint name='p' pos='0 1 0' ref='.5'/><geom type='capsule' size='.1' fromto='0 0 0 1 1 1'/><body name='b'><joint name='q'/>"
    "<joint name='r' type='slide'/><geom name='g' type='box' size='1 2 3' zaxis='1 1 "
    "1'/></body></body></worldbody><tendon><fixed "
    "name='t'>"
    "<joint joint='p' coef='2'/></fixed></tendon><equality><joint joint1='q' joint2='p' polycoef='1 2'/></equality><actuator>"
    "<position class='k' tendon='t'/><position class='k' joint='r'/></actuator><contact><exclude body1='a' body2='world'/>"
    "<pair geom1='f' geom2='g' friction='.5'/></contact><keyframe><key name='h' qpos='1 3 5' ctrl='1 2'/></keyframe></mujoco>";

static void test_spoilt(void) {
    uint64_t seed = test_seed(20261124);
    char text[sizeof good];
    CHECK(read_bytes(good, sizeof good - 1));
    for (size_t i = 0; i < sizeof good - 1; i++) CHECK(!read_bytes(good, i));
    for (int i = 0; i < test_rounds(4000); i++) {
        static const char bytes[] = "<>/='\"-.0919e x\x80";
        memcpy(text, good, sizeof good);
        int changes = 1 + (int)(test_random_bits(&seed) % 3);
        for (int k = 0; k < changes; k++)
            text[test_random_bits(&seed) % (sizeof good - 1)] = bytes[test_random_bits(&seed) % (sizeof bytes - 1)];
        if (!read_bytes(text, sizeof good - 1)) CHECK(strncmp(first_error(), "m.xml:", 6) == 0);
    }
}

int main(void) {
    test_cases();
    test_includes();
    test_once();
    test_sizes();
    test_spoilt();
    return test_end("mjcf_refused");
}
