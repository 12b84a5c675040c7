// SPDX-License-Identifier: MIT
// Hostile and faulty URDF, each with its exact message; then every prefix, every changed byte and every changed number of a
// good file: read or refused with a place, never a crash.
#include "scene/urdf.h"

#include "tact/robot.h"
#include "test.h"

typedef struct {
    const char *bytes;
    size_t size;
    const char *message;  // after "r.urdf:"
} document;

// clang-format off
#define DOC(text, message) {text, sizeof(text) - 1, message}
#define ROBOT(text, message) DOC("<robot name='r'>\n" text "</robot>", message)
#define AB "<link name='a'/><link name='b'/>\n"
#define ENDS "<parent link='a'/><child link='b'/>"
#define JOINT(type, text, message) ROBOT(AB "<joint name='j' type='" type "'>" ENDS text "</joint>", message)
#define LINK(text, message) ROBOT("<link name='a'>" text "</link>", message)
#define INERTIAL(mass, inertia, message) LINK("<inertial>" mass inertia "</inertial>", message)
#define SHAPE(text, message) LINK("<collision><geometry>" text "</geometry></collision>", message)
// clang-format on

#define OTHER_ENCODING " is not supported, or not that of the text (allowed \"UTF-8\", \"UTF-16\", \"ISO-8859-1\")"

static tact_errors errors;

// into an exact allocation, so that a read past the end is seen by a sanitizer
static bool read_urdf(tact_draft *draft, const char *bytes, size_t size) {
    char *copy = malloc(size ? size : 1);
    if (!copy) exit(1);
    memcpy(copy, bytes, size);
    errors = (tact_errors){0};
    *draft = (tact_draft){.errors = &errors};
    bool read = tact_urdf_read_source(draft, (tact_source){.name = "r.urdf", .bytes = copy, .size = size, .line = 1});
    free(copy);
    return read;
}

// FILE:LINE:COL: /path: reason
static bool has_form(const char *message) {
    int line = 0, column = 0, used = 0;
    if (sscanf(message, "r.urdf:%d:%d: /%n", &line, &column, &used) < 2 || used == 0) return false;
    return line >= 1 && column >= 1 && strstr(message + used, ": ") != NULL;
}

static const char *first_error(void) {
    for (int i = 0; i < errors.kept; i++)
        if (errors.items[i].kind != TACT_ERROR_WARNING) return errors.items[i].text;
    return "";
}

static void check_refused(const document *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        tact_draft draft;
        bool read = read_urdf(&draft, list[i].bytes, list[i].size);
        if (read) printf("    accepted: %s\n", list[i].bytes);
        CHECK(!read);
        CHECK_INT(tact_errors_exit(&errors), 2);
        CHECK(has_form(first_error()));
        if (strlen(first_error()) > 7) CHECK_TEXT(first_error() + 7, list[i].message);
        tact_draft_free(&draft);
    }
}

static const document texts[] = {
    DOC("", "1:1: /: there is no element"),
    DOC(" \n ", "2:2: /: there is no element"),
    DOC("<!-- only a comment -->", "1:24: /: there is no element"),
    DOC("{\"tact\": 1}", "1:1: /: not well-formed XML"),
    DOC("<robot name='r'>", "1:17: /robot: the document ends, but <robot> of line 1 is not closed"),
    DOC("<robot name='r'>\n<link name='a'>\n",
        "3:1: /robot/link[name=\"a\"]: the document ends, but <link> of line 2 is not closed"),
    DOC("<robot name='r'>\n<link name='a'>\n</robot>",
        "3:3: /robot/link[name=\"a\"]: wrong end tag: <link> of line 2 is not closed"),
    DOC("<robot name='r'", "1:1: /: a tag or a comment is not closed"),
    DOC("<robot name='r'><!-- </robot>", "1:17: /robot: a tag or a comment is not closed"),
    DOC("<robot name='r'><![CDATA[ </robot>", "1:35: /robot: a CDATA section is not closed"),
    DOC("<robot name=r/>", "1:13: /: not well-formed XML"),
    DOC("<robot name='<'/>", "1:14: /: not well-formed XML"),
    DOC("<robot name='r' name='s'/>", "1:17: /: attribute given twice"),
    DOC("<robot name='r'/><robot name='s'/>", "1:18: /: unexpected text after the end of the document"),
    DOC("<robot name='r'/>x", "1:18: /: unexpected text after the end of the document"),
    DOC("<?xml version='1.0' encoding='UTF-16'?>\n<robot/>", "1:1: /: encoding \"UTF-16\"" OTHER_ENCODING),
    DOC("<?xml version='1.0' encoding='KOI8-R'?>\n<robot/>", "1:1: /: encoding \"KOI8-R\"" OTHER_ENCODING),
    // UTF-16 of both orders, columns in characters; half characters
    DOC("\xff\xfe<\0r\0/\0>\0", "1:1: /r: expected the root element \"robot\", found \"r\""),
    DOC("\xfe\xff\0<\0r\0/\0>", "1:1: /r: expected the root element \"robot\", found \"r\""),
    DOC("\xff\xfe<\0!\0-\0-\0\x3d\xd8\x00\xde-\0-\0>\0<\0r\0/\0>\0", "1:9: /r: expected the root element \"robot\", found \"r\""),
    DOC("\xff\xfe<\0r\0/\0>", "1:4: /: not UTF-16: half a character"),
    DOC("\xff\xfe<\0\x3d\xd8/\0>\0", "1:2: /: not UTF-16: half a character"),
    DOC("\xff\xfe<\0\x00\xde/\0>\0", "1:2: /: not UTF-16: half a character"),
    DOC("\xff\xfe<\0\x3d\xd8", "1:2: /: not UTF-16: half a character"),
    DOC("\xff\xfe", "1:1: /: there is no element"),
    DOC("\xfe\xff\0<\0r\0\0\0/\0>", "1:3: /: control character 0x00 is not allowed"),
    // Latin-1: its bytes are characters of their own
    DOC("<?xml version='1.0' encoding='ISO-8859-1'?>\n<!--\xe9\xe9--><r/>",
        "2:10: /r: expected the root element \"robot\", found \"r\""),
    DOC("<?xml version='1.0' encoding=\"latin1\"?>\n<\xe9/>",
        "2:1: /\xc3\xa9: expected the root element \"robot\", found \"\xc3\xa9\""),
    DOC("<?xml version='1.0' encoding='ISO-8859-1'?>\n<robot name='\x1b'/>", "2:14: /: control character 0x1b is not allowed"),
    DOC("<?xml version='1.0'?>\n<robot name='\xe9'/>", "2:14: /: byte 0xe9 is not UTF-8"),
    DOC("<?xml version='1.0' standalone='perhaps'?>\n<robot/>", "1:33: /: the <?xml declaration is not well-formed"),
    DOC("<\0r\0o\0/\0>\0", "1:2: /: control character 0x00 is not allowed"),
    DOC("<robot name='r'>\n\xe9</robot>", "2:1: /: byte 0xe9 is not UTF-8"),
    DOC("\xc3\xa9\n<robot name='\xc3\xa9\xc0\xaf'/>", "2:15: /: byte 0xc0 is not UTF-8"),
    DOC("<robot name='r'/>\0", "1:18: /: control character 0x00 is not allowed"),
    DOC("<robot name='\x1b[2J'/>", "1:14: /: control character 0x1b is not allowed"),
    DOC("<robot name='&#27;'/>", "1:14: /: a reference to a character that XML does not allow"),
    DOC("<robot name='&#0;'/>", "1:14: /: a reference to a character that XML does not allow"),
    DOC("<robot name='&lol;'/>", "1:1: /: unknown entity (allowed &lt; &gt; &amp; &quot; &apos;)"),
    DOC("<!DOCTYPE robot>\n<robot name='r'/>", "1:1: /: a DOCTYPE is not allowed"),
    DOC("<!DOCTYPE robot SYSTEM 'http://127.0.0.1/r.dtd'>\n<robot name='r'/>", "1:1: /: a DOCTYPE is not allowed"),
    DOC("<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>\n<robot name='&c;'/>",
        "1:1: /: a DOCTYPE is not allowed"),
    DOC("<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>\n<robot>&x;</robot>",
        "2:1: /: a DOCTYPE is not allowed"),
    DOC("<!DOCTYPE r [<!ENTITY % p SYSTEM 'file:///etc/passwd'>%p;]>\n<robot/>", "1:1: /: a DOCTYPE is not allowed"),
    DOC("<sdf version='1.6'/>",
        "1:1: /sdf: expected the root element \"robot\", found \"sdf\" (an SDF file: its converters write URDF or MJCF)"),
    DOC("<mujoco/>", "1:1: /mujoco: expected the root element \"robot\", found \"mujoco\" (a MuJoCo file)"),
    DOC("<Robot name='r'/>", "1:1: /Robot: expected the root element \"robot\", found \"Robot\""),
    DOC("<html><b onclick='x()'/></html>", "1:1: /html: expected the root element \"robot\", found \"html\""),
    DOC("<robot name='r'/>", "1:1: /robot: there is no link"),
    ROBOT("<xacro:include filename='a.xacro'/>",
          "2:1: /robot/xacro:include: this is a xacro file: expand it first (xacro FILE > ROBOT.urdf)"),
    ROBOT("<link name='${prefix}_a'/>",
          "2:7: /robot/link[name=\"${prefix}_a\"]@name: this is a xacro file: expand it first (xacro FILE > ROBOT.urdf)"),
};

static const document trees[] = {
    ROBOT("<link/>", "2:1: /robot/link: attribute \"name\" is missing"),
    ROBOT("<link name=''/>", "2:7: /robot/link[name=\"\"]@name: must not be empty"),
    ROBOT("<link name='a&#x85;b'/>", "2:7: /robot/link[name=\"a\\u0085b\"]@name: control characters are not allowed in a name"),
    ROBOT("<link name='a'/>\n<link name='a'/>", "3:7: /robot/link[name=\"a\"]@name: \"a\" is already used at line 2"),
    ROBOT("<link name='a'/>\n<link name='b'/>",
          "3:1: /robot/link[name=\"b\"]: a second root: no joint carries \"b\", nor \"a\" (line 2)"),
    ROBOT("<link name='world'/>\n<link name='b'/>",
          "3:1: /robot/link[name=\"b\"]: a second root: no joint carries \"b\", nor \"world\" (line 2)"),
    ROBOT("<link name='a'/><link name='world'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='world'/></joint>",
          "2:23: /robot/link[name=\"world\"]@name: \"world\" is the fixed body: it must be the root"),
    ROBOT(AB "<joint type='fixed'>" ENDS "</joint>", "3:1: /robot/joint: attribute \"name\" is missing"),
    ROBOT(AB "<joint name='j'>" ENDS "</joint>", "3:1: /robot/joint[name=\"j\"]: attribute \"type\" is missing"),
    JOINT("ball", "",
          "3:17: /robot/joint[name=\"j\"]@type: unknown type \"ball\" (allowed: fixed, revolute, continuous, prismatic, "
          "floating, planar)"),
    JOINT("Fixed", "",
          "3:17: /robot/joint[name=\"j\"]@type: unknown type \"Fixed\" (allowed: fixed, revolute, continuous, prismatic, "
          "floating, planar)"),
    ROBOT(AB "<joint name='j' type='fixed'><child link='b'/></joint>",
          "3:1: /robot/joint[name=\"j\"]: element <parent> is missing"),
    ROBOT(AB "<joint name='j' type='fixed'><parent link='a'/></joint>",
          "3:1: /robot/joint[name=\"j\"]: element <child> is missing"),
    ROBOT(AB "<joint name='j' type='fixed'><parent/><child link='b'/></joint>",
          "3:30: /robot/joint[name=\"j\"]/parent: attribute \"link\" is missing"),
    ROBOT("<link name='palm'/><link name='b'/>\n<joint name='j' type='fixed'><parent link='plam'/><child link='b'/></joint>",
          "3:38: /robot/joint[name=\"j\"]/parent@link: no link \"plam\" (did you mean \"palm\"?)"),
    ROBOT(AB "<joint name='j' type='fixed'><parent link='a'/><child link='<'/></joint>",
          "3:61: /robot/joint[name=\"j\"]: not well-formed XML"),
    ROBOT(AB "<joint name='j' type='fixed'><parent link='a'/><child link='&lt;img onerror=&quot;x&quot;>'/></joint>",
          "3:55: /robot/joint[name=\"j\"]/child@link: no link \"<img onerror=\\\"x\\\">\" (there are: a, b)"),
    ROBOT(AB "<joint name='j' type='fixed'><parent link='b'/><child link='b'/></joint>",
          "3:1: /robot/joint[name=\"j\"]: parent and child are both \"b\""),
    ROBOT(AB "<joint name='j' type='fixed'>" ENDS "</joint>\n<joint name='k' type='fixed'>" ENDS "</joint>",
          "4:55: /robot/joint[name=\"k\"]/child@link: link \"b\" is already the child of joint \"j\" (line 3)"),
    ROBOT(AB "<link name='c'/>\n<joint name='j' type='fixed'>" ENDS
             "</joint>\n<joint name='j' type='fixed'><parent link='a'/><child link='c'/></joint>",
          "5:8: /robot/joint[name=\"j\"]@name: \"j\" is already used at line 4"),
    ROBOT(AB "<joint name='j' type='fixed'>" ENDS
             "</joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
          "4:1: /robot/joint[name=\"k\"]: link \"a\" is carried by itself: the joints form a cycle"),
    ROBOT("<link name='c'/>" AB "<joint name='j' type='fixed'>" ENDS
          "</joint>\n<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint>",
          "4:1: /robot/joint[name=\"k\"]: link \"a\" is carried by itself: the joints form a cycle"),
    JOINT("revolute", "", "3:1: /robot/joint[name=\"j\"]: element <limit> is missing: a revolute joint must have one"),
    JOINT("prismatic", "", "3:1: /robot/joint[name=\"j\"]: element <limit> is missing: a prismatic joint must have one"),
    JOINT("revolute", "<limit lower='0' upper='inf'/>", "3:85: /robot/joint[name=\"j\"]/limit@upper: \"inf\": not a number"),
    JOINT("revolute", "<limit lower='nan' upper='1'/>", "3:75: /robot/joint[name=\"j\"]/limit@lower: \"nan\": not a number"),
    JOINT("revolute", "<limit lower='0' upper='1.5 2'/>", "3:85: /robot/joint[name=\"j\"]/limit@upper: \"1.5 2\": not a number"),
    JOINT("revolute", "<limit lower=' ' upper='1'/>", "3:75: /robot/joint[name=\"j\"]/limit@lower: \"\": not a number"),
    JOINT("revolute", "<limit lower='' upper='1'/>", "3:75: /robot/joint[name=\"j\"]/limit@lower: \"\": not a number"),
    JOINT("revolute", "<limit lower='5e9' upper='6e9'/>",
          "3:75: /robot/joint[name=\"j\"]/limit@lower: must be at most 1000000000 (found 5000000000)"),
    JOINT("revolute", "<limit lower='-1e300' upper='-1e299'/>",
          "3:90: /robot/joint[name=\"j\"]/limit@upper: must be at least -1000000000 (found -1e+299)"),
    JOINT("continuous", "<axis/>", "3:70: /robot/joint[name=\"j\"]/axis: attribute \"xyz\" is missing"),
    JOINT("continuous", "<axis xyz='0 0 0'/>",
          "3:76: /robot/joint[name=\"j\"]/axis@xyz: length 0: no direction, as \"0 0 1\" is that of z"),
    JOINT("continuous", "<axis xyz='0 1e-151 0'/>",
          "3:76: /robot/joint[name=\"j\"]/axis@xyz: length 1e-151: no direction, as \"0 0 1\" is that of z"),
    JOINT("continuous", "<axis xyz=''/>", "3:76: /robot/joint[name=\"j\"]/axis@xyz: expected 3 numbers, found 0"),
    JOINT("continuous", "<axis xyz='0 1'/>", "3:76: /robot/joint[name=\"j\"]/axis@xyz: expected 3 numbers, found 2"),
    JOINT("continuous", "<axis xyz='0 0 1 0'/>", "3:76: /robot/joint[name=\"j\"]/axis@xyz: expected 3 numbers, found 4"),
    JOINT("fixed", "<origin xyz='1,5 0 0'/>",
          "3:73: /robot/joint[name=\"j\"]/origin@xyz: \"1,5\": not a number (blanks stand between numbers, and the decimal sign "
          "is a point)"),
    JOINT("fixed", "<origin rpy='0 0 -1.57.'/>", "3:73: /robot/joint[name=\"j\"]/origin@rpy: \"-1.57.\": not a number"),
    JOINT("fixed", "<origin xyz='0x10 0 0'/>", "3:73: /robot/joint[name=\"j\"]/origin@xyz: \"0x10\": not a number"),
    JOINT("fixed", "<origin xyz='1e999 0 0'/>",
          "3:73: /robot/joint[name=\"j\"]/origin@xyz: number too large for a double (1e999)"),
    JOINT("fixed", "<origin xyz='1e7 0 0'/>",
          "3:73: /robot/joint[name=\"j\"]/origin@xyz: too large: at most 1000000 in magnitude (found 10000000)"),
    JOINT("fixed", "<origin rpy='0 0 -1e7'/>",
          "3:73: /robot/joint[name=\"j\"]/origin@rpy: too large: at most 1000000 in magnitude (found -10000000)"),
    JOINT("fixed", "<origin\n rpy='0 0 0'\n xyz = \"0 0 z\"/>", "5:2: /robot/joint[name=\"j\"]/origin@xyz: \"z\": not a number"),
    JOINT("fixed", "<origin quat_xyzw='0 0 0 1'/>",
          "3:73: /robot/joint[name=\"j\"]/origin@quat_xyzw: a quaternion is not read (allowed rpy)"),
    JOINT("continuous", "<mimic/>", "3:70: /robot/joint[name=\"j\"]/mimic: attribute \"joint\" is missing"),
    JOINT("continuous", "<mimic joint='j'/>", "3:77: /robot/joint[name=\"j\"]/mimic@joint: joint \"j\" follows itself"),
    JOINT("continuous", "<mimic joint='j' multiplier='2x'/>",
          "3:77: /robot/joint[name=\"j\"]/mimic@joint: joint \"j\" follows itself"),
    ROBOT(AB "<link name='c'/>\n<joint name='j' type='continuous'>" ENDS "<mimic joint='k'/></joint>\n"
             "<joint name='k' type='continuous'><mimic joint='j'/><parent link='b'/><child link='c'/></joint>",
          "4:77: /robot/joint[name=\"j\"]/mimic@joint: joint \"j\" follows itself"),
    ROBOT(AB "<link name='c'/>\n<joint name='j' type='continuous'>" ENDS "<mimic joint='k'/></joint>\n"
             "<joint name='k' type='fixed'><parent link='b'/><child link='c'/></joint>",
          "4:77: /robot/joint[name=\"j\"]/mimic@joint: joint \"k\" is not revolute, continuous or prismatic"),
};

#define UNIT "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"

static const document links[] = {
    INERTIAL("", UNIT, "2:16: /robot/link[name=\"a\"]/inertial: element <mass> is missing"),
    INERTIAL("<mass value='1'/>", "", "2:16: /robot/link[name=\"a\"]/inertial: element <inertia> is missing"),
    INERTIAL("<mass/>", UNIT, "2:26: /robot/link[name=\"a\"]/inertial/mass: attribute \"value\" is missing"),
    INERTIAL("<mass value='-1'/>", UNIT, "2:32: /robot/link[name=\"a\"]/inertial/mass@value: must be >= 0 (found -1)"),
    INERTIAL("<mass value='1e-320'/>", UNIT,
             "2:32: /robot/link[name=\"a\"]/inertial/mass@value: must be 0 or at least 1e-30 (found 9.99988867182683e-321)"),
    INERTIAL("<mass value='1'/>", "<inertia ixx='1.00' iyy='1.00' izz='1.00' ixy='1.02' ixz='0' iyz='0'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: eigenvalues 2.02, 1, -0.02: must not be negative"),
    INERTIAL("<mass value='1kg'/>", UNIT, "2:32: /robot/link[name=\"a\"]/inertial/mass@value: \"1kg\": not a number"),
    INERTIAL("<mass value='1e400'/>", UNIT,
             "2:32: /robot/link[name=\"a\"]/inertial/mass@value: number too large for a double (1e400)"),
    INERTIAL("<mass value='2e9'/>", UNIT,
             "2:32: /robot/link[name=\"a\"]/inertial/mass@value: too large: at most 1000000000 in magnitude (found 2000000000)"),
    INERTIAL("<mass value='1'/>", "<inertia ixx='1' iyy='1' izz='1'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: attribute \"ixy\" is missing"),
    INERTIAL("<mass value='1'/>", "<inertia ixx='1' iyy='1' izz='-0.25' ixy='0' ixz='0' iyz='0'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: eigenvalues 1, 1, -0.25: must not be negative"),
    INERTIAL("<origin rpy='0 0 0.7853981633974483'/><mass value='1'/>",
             "<inertia ixx='1e9' iyy='1e9' izz='1e9' ixy='5e8' ixz='0' iyz='0'/>",
             "2:81: /robot/link[name=\"a\"]/inertial/inertia: too large in the axes of the link: at most 1000000000 in "
             "magnitude (found 1500000000)"),
    INERTIAL("<mass value='1'/>", "<inertia ixx='1' iyy='1' izz='1' ixy='3' ixz='0' iyz='0'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: eigenvalues 4, 1, -2: must not be negative"),
    INERTIAL("<mass value='1'/><origin xyz='0 0'/>", UNIT,
             "2:51: /robot/link[name=\"a\"]/inertial/origin@xyz: expected 3 numbers, found 2"),
    SHAPE("<box/>", "2:37: /robot/link[name=\"a\"]/collision/geometry/box: attribute \"size\" is missing"),
    SHAPE("<box size='1 1'/>", "2:42: /robot/link[name=\"a\"]/collision/geometry/box@size: expected 3 numbers, found 2"),
    SHAPE("<box size='1 -1 1'/>", "2:42: /robot/link[name=\"a\"]/collision/geometry/box@size: must be > 0 (found -1)"),
    SHAPE("<sphere radius='-0.1'/>", "2:45: /robot/link[name=\"a\"]/collision/geometry/sphere@radius: must be > 0 (found -0.1)"),
    SHAPE("<sphere radius='0'/>", "2:45: /robot/link[name=\"a\"]/collision/geometry/sphere@radius: must be > 0 (found 0)"),
    SHAPE("<sphere/>", "2:37: /robot/link[name=\"a\"]/collision/geometry/sphere: attribute \"radius\" is missing"),
    SHAPE("<cylinder radius='1'/>", "2:37: /robot/link[name=\"a\"]/collision/geometry/cylinder: attribute \"length\" is missing"),
    SHAPE("<capsule radius='1' length='-2'/>",
          "2:57: /robot/link[name=\"a\"]/collision/geometry/capsule@length: must be > 0 (found -2)"),
    LINK("<collision/><collision><origin rpy='1 2 q'/><geometry><sphere radius='1'/></geometry></collision>",
         "2:47: /robot/link[name=\"a\"]/collision[2]/origin@rpy: \"q\": not a number"),
};

#define MASS "<mass value='1'/>"
#define MESH(file)                                                                                                      \
    SHAPE("<mesh filename='" file "'/>", "2:43: /robot/link[name=\"a\"]/collision/geometry/mesh@filename: mesh \"" file \
                                         "\" is not read: outside the package root")

// what can be read all the same: a warning, or refused where that is asked for
static const document doubtful[] = {
    DOC(" \r\n\t<?xml version='1.0'?><robot name='r'><link name='a'/></robot>",
        "2:2: /: <?xml is allowed only as the very first bytes"),
    DOC("\n<?xml version='1.0' encoding='ISO-8859-1'?>\n<robot name='\xe9'><link name='a'/></robot>",
        "2:1: /: <?xml is allowed only as the very first bytes"),
    JOINT("revolute", "<limit lower='1' upper='-1'/>",
          "3:75: /robot/joint[name=\"j\"]/limit@lower: lower 1 > upper -1: read the other way round"),
    JOINT("revolute", "<limit lower='0' upper='1.5 '/>",
          "3:85: /robot/joint[name=\"j\"]/limit@upper: white space about a number"),
    JOINT("revolute", "<limit lower='\n -1' upper='1.5'/>",
          "3:75: /robot/joint[name=\"j\"]/limit@lower: white space about a number"),
    JOINT("continuous", "<mimic joint='jj'/>",
          "3:77: /robot/joint[name=\"j\"]/mimic@joint: no joint \"jj\" (did you mean \"j\"?): not read"),
    INERTIAL(MASS, "<inertia ixx='0' iyy='0' izz='0' ixy='1e-30' ixz='0' iyz='0'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: eigenvalues 1e-30, 0, -1e-30: one is below 0 by rounding"),
    INERTIAL(MASS, "<inertia ixx='1.0000' iyy='1.0000' izz='1.0000' ixy='1.000030517578125' ixz='0' iyz='0'/>",
             "2:43: /robot/link[name=\"a\"]/inertial/inertia: eigenvalues 2.00003, 1, -3.05176e-5: one is below 0 by rounding"),
    MESH("package://../../../etc/passwd"),
    MESH("package://hand/meshes/../../x.stl"),
};

// one warning, with the word "warning" in it, and a robot that can be written; or an error
static void check_doubtful(void) {
    for (size_t i = 0; i < sizeof doubtful / sizeof doubtful[0]; i++) {
        const document *d = &doubtful[i];
        tact_draft draft;
        char plain[TACT_ERROR_LENGTH] = "";
        CHECK(read_urdf(&draft, d->bytes, d->size));
        CHECK_INT(errors.warnings, 1);
        const char *warning = strstr(errors.items[0].text, "warning: ");
        CHECK(warning != NULL && errors.items[0].noise);
        if (warning)
            snprintf(plain, sizeof plain, "%.*s%s", (int)(warning - errors.items[0].text), errors.items[0].text, warning + 9);
        CHECK_TEXT(plain + strlen("r.urdf:"), d->message);
        tact_text out = {0};
        tact_robot_write(&draft, &out);
        CHECK(!out.failed && draft.nbody > 0);
        tact_text_free(&out);
        tact_draft_free(&draft);
        errors = (tact_errors){.strict = true};
        draft = (tact_draft){.errors = &errors};
        CHECK(!tact_urdf_read_source(&draft, (tact_source){.name = "r.urdf", .bytes = d->bytes, .size = d->size, .line = 1}));
        CHECK_INT(errors.errors, 1);
        CHECK_TEXT(first_error() + strlen("r.urdf:"), d->message);
        tact_draft_free(&draft);
    }
}

// what they are read as
static void test_doubtful_values(void) {
    tact_draft draft;
    static const char limit[] =
        "<robot name='r'>" AB "<joint name='j' type='revolute'>" ENDS "<limit lower=' 1' upper='-0.5 '/></joint></robot>";
    CHECK(read_urdf(&draft, limit, sizeof limit - 1));
    CHECK(draft.nbody == 2 && draft.bodies[1].lower == TACT_REAL(-0.5) && draft.bodies[1].upper == 1);
    tact_draft_free(&draft);
    static const char mimic[] =
        "<robot name='r'>" AB "<joint name='j' type='continuous'>" ENDS "<mimic joint='x'/></joint></robot>";
    CHECK(read_urdf(&draft, mimic, sizeof mimic - 1));
    CHECK(draft.nbody == 2 && !draft.bodies[1].mimic);
    tact_draft_free(&draft);
    // the diagonal is raised until no eigenvalue is below 0
    static const char inertia[] =
        "<robot name='r'><link name='a'><inertial>" MASS
        "<inertia ixx='1.0000' iyy='1.0000' izz='1.0000' ixy='1.000030517578125' ixz='0' iyz='0'/></inertial></link></robot>";
    CHECK(read_urdf(&draft, inertia, sizeof inertia - 1));
    CHECK(draft.nbody == 1 && draft.bodies[0].inertia[0] >= draft.bodies[0].inertia[3]);
    CHECK_CLOSE(draft.bodies[0].inertia[2], 1.000030517578125, 1e-12);
    tact_draft_free(&draft);
    static const char latin[] = "<?xml version='1.0' encoding='ISO-8859-1'?><robot name='r'><link name='b\xe9'/></robot>";
    CHECK(read_urdf(&draft, latin, sizeof latin - 1));
    CHECK(draft.nbody == 1);
    if (draft.nbody == 1) CHECK_TEXT(draft.bodies[0].name, "b\xc3\xa9");
    tact_draft_free(&draft);
}

// UTF-16 of both orders: the same robot and the same places as in UTF-8
static void test_utf16(void) {
    static const char plain[] = "<?xml version='1.0' encoding='utf-16'?>\n<!-- \xc3\xa9\xf0\x9f\x98\x80 --><robot name='r'><link "
                                "name='a'/><box/><lnik name='x'/></robot>";
    static const uint32_t points[] = {0xe9, 0x1f600};
    for (int big = 0; big < 2; big++) {
        char text[2 * sizeof plain + 2];
        size_t used = 0, size = sizeof plain - 1;
        for (size_t at = 0, k = 0, first = 1; at < size || first; first = 0) {
            uint32_t unit[2] = {0xfeff, 0};
            int count = 1;
            if (!first && (plain[at] & 0x80)) {
                uint32_t point = points[k++];
                at += point > 0xffff ? 4 : 2;
                unit[0] = point;
                if (point > 0xffff) {
                    unit[0] = 0xd800 + ((point - 0x10000) >> 10);
                    unit[1] = 0xdc00 + ((point - 0x10000) & 0x3ff);
                    count = 2;
                }
            } else if (!first) {
                unit[0] = (unsigned char)plain[at++];
            }
            for (int i = 0; i < count; i++) {
                text[used++] = (char)(big ? unit[i] >> 8 : unit[i] & 0xff);
                text[used++] = (char)(big ? unit[i] & 0xff : unit[i] >> 8);
            }
        }
        tact_draft draft;
        CHECK(read_urdf(&draft, text, used));
        CHECK_INT(draft.nbody, 1);
        CHECK_INT(errors.warnings, 1);
        CHECK_TEXT(
            errors.items[0].text,
            "r.urdf:2:50: /robot/lnik[name=\"x\"]: warning: unknown element \"lnik\" is not read (did you mean \"link\"?)");
        tact_draft_free(&draft);
    }
}

// a path is cut between characters
static void test_long_path(void) {
    char name[122] = "x", text[600];
    tact_draft draft;
    for (int i = 0; i < 60; i++) memcpy(name + 1 + 2 * i, "\xc3\xa9", 3);
    int size = snprintf(text, sizeof text, "<robot><link name='%s'/><link name='%s'/></robot>", name, name);
    CHECK(!read_urdf(&draft, text, (size_t)size));
    snprintf(text, sizeof text, "r.urdf:1:90: /robot/link[name=\"%.95s...\"]@name: ", name);
    CHECK_INT(strncmp(first_error(), text, strlen(text)), 0);
    tact_draft_free(&draft);
}

// elements in one another; then names of a million bytes
static void test_large(void) {
    enum { SIZE = 4000000, NAME = 1000000 };
    static char text[SIZE];
    tact_draft draft;
    size_t used = (size_t)snprintf(text, SIZE, "<robot name='r'><link name='a'>");
    for (int i = 0; i < 62; i++) used += (size_t)snprintf(text + used, SIZE - used, "<gazebo>");
    for (int i = 0; i < 62; i++) used += (size_t)snprintf(text + used, SIZE - used, "</gazebo>");
    used += (size_t)snprintf(text + used, SIZE - used, "</link></robot>");
    CHECK(read_urdf(&draft, text, used));
    tact_draft_free(&draft);
    used = 0;
    for (int i = 0; i < 1000000; i++) used += (size_t)snprintf(text + used, SIZE - used, "<a>");
    CHECK(!read_urdf(&draft, text, used));
    CHECK(strstr(first_error(), "r.urdf:1:193: /a/a/a") && strstr(first_error(), ": elements nested deeper than 64"));
    tact_draft_free(&draft);
    used = (size_t)snprintf(text, SIZE, "<robot name='r'><link name='");
    memset(text + used, 'x', NAME);
    used += NAME;
    used += (size_t)snprintf(text + used, SIZE - used, "'/></robot>");
    CHECK(!read_urdf(&draft, text, used));
    CHECK(strstr(first_error(), "...\"]@name: name of 1000000 bytes is too long (allowed 255)"));
    tact_draft_free(&draft);
    used = (size_t)snprintf(text, SIZE, "<robot name='r'><");
    memset(text + used, 'x', NAME);
    used += NAME;
    used += (size_t)snprintf(text + used, SIZE - used, "/></robot>");
    CHECK(!read_urdf(&draft, text, used));
    CHECK_TEXT(first_error(), "r.urdf:1:1: /robot: there is no link");
    tact_draft_free(&draft);
}

static void test_limit(void) {
    char *text = malloc(TACT_TEXT_LIMIT + 1);
    tact_draft draft;
    if (!text) exit(1);
    memset(text, ' ', TACT_TEXT_LIMIT + 1);
    CHECK(!read_urdf(&draft, text, TACT_TEXT_LIMIT + 1));
    CHECK_TEXT(first_error(), "r.urdf: 16777217 bytes: larger than the limit of 16777216");
    tact_draft_free(&draft);
    CHECK(!read_urdf(&draft, text, TACT_TEXT_LIMIT));
    CHECK_TEXT(first_error(), "r.urdf:1:16777217: /: there is no element");
    tact_draft_free(&draft);
    free(text);
}

// what the system says of a path
static void test_paths(void) {
    tact_draft draft = {.errors = &errors};
    errors = (tact_errors){0};
    CHECK(!tact_robot_read(&draft, "no/such/file.urdf"));
    CHECK_TEXT(first_error(), "no/such/file.urdf: No such file or directory");
    CHECK_INT(tact_errors_exit(&errors), 3);
    errors = (tact_errors){0};
    CHECK(!tact_robot_read(&draft, "test"));
    CHECK_TEXT(first_error(), "test: is a directory");
    CHECK_INT(tact_errors_exit(&errors), 3);
}

static const char good[] =
    "\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?>\n<!-- \xc3\xa9 --><robot name='r'>"
    "<link name='a'><inertial><mass value='1.5'/><origin xyz='0 0 .5' rpy='0.5 0 0'/>" UNIT "</inertial></link>"
    "<link name='b&amp;'><collision name='c'><geometry><box size='1 2 3'/></geometry></collision>"
    "<collision><geometry><mesh filename='m.stl'/></geometry></collision></link><link name='c'/>"
    "<joint name='j' type='planar'><parent link='a'/><child link='b&amp;'/><axis xyz='1 0 0'/></joint>"
    "<joint name='k' type='revolute'><parent link='a'/><child link='c'/><limit lower='-1' upper='2.5e0'/>"
    "<mimic joint='k2'/></joint><link name='d'/><joint name='k2' type='continuous'><parent link='c'/>"
    "<child link='d'/></joint></robot>\n";

// read or refused, in either case with the errors and the draft in order
static bool check_sound(const char *bytes, size_t size) {
    tact_draft draft;
    bool read = read_urdf(&draft, bytes, size);
    CHECK_INT(read, errors.errors == 0);
    for (int i = 0; i < errors.kept; i++) CHECK(has_form(errors.items[i].text));
    if (read) {
        tact_text out = {0};
        tact_robot_write(&draft, &out);
        CHECK(!out.failed && draft.nbody > 0);
        tact_text_free(&out);
    }
    tact_draft_free(&draft);
    return read;
}

static void test_prefixes(void) {
    size_t size = sizeof good - 1;
    CHECK(check_sound(good, size));
    CHECK(check_sound(good, size - 1));
    for (size_t i = 0; i + 1 < size; i++) CHECK(!check_sound(good, i));
}

static void test_bytes(void) {
    static const char changes[] = {'\0', ' ', '<', '>', '&',  '\'',   '"',    '/',   '-',
                                   '0',  '9', 'e', 'a', '\n', '\x7f', '\xc3', '\xff'};
    static char text[sizeof good];
    int accepted = 0;
    for (size_t i = 0; i < sizeof good - 1; i++) {
        for (size_t k = 0; k < sizeof changes; k++) {
            memcpy(text, good, sizeof good);
            text[i] = changes[k];
            accepted += check_sound(text, sizeof good - 1);
        }
        memcpy(text, good, sizeof good);
        text[i] = (char)(text[i] ^ 0x80);
        CHECK(!check_sound(text, sizeof good - 1) || good[i] == '\xc3');
        // without the byte
        memmove(text + i, good + i + 1, sizeof good - 1 - i);
        accepted += check_sound(text, sizeof good - 2);
    }
    printf("%d changed texts accepted\n", accepted);
    CHECK(accepted > 100);
}

static void test_numbers(void) {
    static const char *const words[] = {"0", "-0", "-1", "1e308", "1e-308", "1e999", "9007199254740993", "", "null", "[]"};
    char text[sizeof good + 20];
    for (size_t i = 0; i < sizeof good - 1; i++) {
        size_t length = strspn(good + i, "0123456789.-e");
        if (length == 0 || !strchr("' ", good[i - 1])) continue;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
            int size = snprintf(text, sizeof text, "%.*s%s%s", (int)i, good, words[k], good + i + length);
            check_sound(text, (size_t)size);
        }
    }
}

int main(void) {
    check_refused(texts, sizeof texts / sizeof texts[0]);
    check_refused(trees, sizeof trees / sizeof trees[0]);
    check_refused(links, sizeof links / sizeof links[0]);
    check_doubtful();
    test_doubtful_values();
    test_utf16();
    printf("%zu refused texts\n", (sizeof texts + sizeof trees + sizeof links) / sizeof texts[0]);
    test_large();
    test_long_path();
    test_limit();
    test_paths();
    test_prefixes();
    test_bytes();
    test_numbers();
    return test_end("urdf_refused");
}
