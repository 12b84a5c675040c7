// SPDX-License-Identifier: MIT
// What is refused, with its exact words: the place of the value, the reason, what was found and what is allowed.
#include "scene_test.h"

#define SHAPE(rest) "{\"tact\":1,\"shapes\":[{\"name\":\"s\",\"body\":\"world\"," rest "}]}"
#define JOINT(rest) BODIES("{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,\"joint\":{" rest "}}") "}"
#define BODY(rest) BODIES("{\"name\":\"a\",\"parent\":\"world\"," rest "}") "}"
#define FREE(name, rest) "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"free\"}" rest "}"
#define WHOLE "\"inertia\":[1,1,1,0,0,0]"
#define OPTIONS(rest) "{\"tact\":1,\"options\":{" rest "}}"

static void test_top(void) {
    CHECK_SCENE("[]", "/: expected an object, found an array: {\"tact\": ..., \"name\": ...}");
    CHECK_SCENE("{}", "/: key \"tact\" is missing: \"tact\": 1 says the format");
    CHECK_SCENE("{\"tact\":1,\"dt\":0.1,\"horizon\":3}", "/dt: unknown key \"dt\" (it belongs into \"options\")",
                "/horizon: unknown key \"horizon\" (it belongs into \"goal\")");
    CHECK_SCENE("{\"tact\":1,\"robots\":[\"hand.urdf\"]}",
                "/robots/0: expected an object, found a string: {\"file\": \"hand.urdf\"}");
    CHECK_SCENE("{\"tact\":2}", "/tact: must be 1 (found 2)");
    CHECK_SCENE("{\"tact\":1.5}", "/tact: must be 1 (found 1.5)");
    CHECK_SCENE("{\"tact\":\"1\"}", "/tact: expected a number, found a string (\"1\"): numbers have no quotes");
    CHECK_SCENE("{\"tact\":1,\"Bodies\":[],\"gravitiy\":1}", "/: unknown key \"Bodies\" (did you mean \"bodies\"?)",
                "/: unknown key \"gravitiy\" (did you mean \"gravity\"?)");
    CHECK_SCENE("{\"tact\":1,\"gravity\":[0,0]}", "/gravity: expected 3 numbers, found 2");
    CHECK_SCENE("{\"tact\":1,\"gravity\":[0,0,-1001]}", "/gravity/2: must be within [-1000, 1000] (found -1001)");
    CHECK_SCENE("{\"tact\":1,\"law\":\"rigid\",\"bodies\":[{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,"
                "\"joint\":{\"type\":\"translation\"}},{\"name\":\"b\",\"parent\":\"a\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],"
                "\"joint\":{\"type\":\"free\"}}]}",
                "/bodies/1/joint: free on a body that moves: the rigid law has no such joint");
    CHECK_SCENE("{\"tact\":1,\"law\":\"barier\"}", "/law: unknown value \"barier\" (did you mean \"barrier\"?)");
    CHECK_SCENE("{\"tact\":1,\"tact\":1}", "/: key \"tact\" given twice (lines 1 and 1)");
    CHECK_SCENE("{\"tact\":1} x", "/: unexpected text after the end of the document");
    CHECK_SCENE("{\"tact\":1,\"bodies\":{},\"shapes\":1,\"drives\":null,\"pairs\":{},\"forces\":\"x\",\"state\":[],\"command\":1,"
                "\"robots\":{}}",
                "/robots: expected an array, found an object: [{...}, ...]",
                "/bodies: expected an array, found an object: [{...}, ...]", "/shapes: expected an array, found a number",
                "/drives: expected an array, found null", "/pairs: expected an array, found an object: [{...}, ...]",
                "/state: expected an object, found an array: {\"keyframe\": ..., \"q\": ...}",
                "/command: expected an object, found a number: {\"mode\": ..., \"keyframe\": ...}",
                "/forces: expected an array, found a string");
    char name[300];
    snprintf(name, sizeof name, "{\"tact\":1,\"name\":\"%0256d\"}", 0);
    CHECK_SCENE(name, "/name: string of 256 bytes is too long (allowed 255)");
}

static void test_options(void) {
    static const char *const found[] = {"0", "-1", "1e-300", "1e9"};
    for (int i = 0; i < 4; i++) {
        char text[100], wanted[100];
        snprintf(text, sizeof text, OPTIONS("\"dt\":%s"), found[i]);
        snprintf(wanted, sizeof wanted, "/options/dt: must be within [1e-6, 1] (found %s)", i == 3 ? "1000000000" : found[i]);
        CHECK_SCENE(text, wanted);
    }
    CHECK_SCENE(OPTIONS("\"kappa\":0.5,\"epsilon\":-1,\"margin\":-1,\"limit_kappa\":1e13,\"force_min\":-1,\"tolerance\":0,\"max_"
                        "iterations\":1.5"),
                "/options/kappa: must be within [1, 100000000] (found 0.5)",
                "/options/epsilon: must be within [0, 1000] (found -1)", "/options/margin: must be >= 0 (found -1)",
                "/options/limit_kappa: must be within [1, 1000000000000] (found 10000000000000)",
                "/options/force_min: must be >= 0 (found -1)", "/options/tolerance: must be within (0, 0.01] (found 0)",
                "/options/max_iterations: must be an integer (found 1.5)");
    CHECK_SCENE(
        OPTIONS(
            "\"limits\":\"on\",\"anchor\":1,\"integrator\":\"bdf3\",\"penalty\":\"\",\"kn\":-1,\"cone\":\"exactly\",\"kapa\":1"),
        "/options: unknown key \"kapa\" (did you mean \"kappa\"?)",
        "/options/limits: unknown value \"on\" (allowed: off, barrier)",
        "/options/anchor: expected true or false, found a number",
        "/options/integrator: unknown value \"bdf3\" (did you mean \"bdf1\"?)",
        "/options/penalty: unknown value \"\" (allowed: exp, softplus, algebraic, quadratic)",
        "/options/kn: must be within [0, 1000000000000] (found -1)",
        "/options/cone: unknown value \"exactly\" (did you mean \"exact\"?)");
    CHECK(parse_text(OPTIONS("\"kappa\":1e999"), NULL) == NULL);
    CHECK_TEXT(message(0), "/options/kappa: number too large for a double (1e999)");
}

static void test_shapes(void) {
    CHECK_SCENE(SHAPE("\"type\":\"sphere\",\"radius\":-0.1"), "/shapes/0/radius: must be >= 0 (found -0.1)");
    CHECK_SCENE(SHAPE("\"type\":\"capsule\",\"radius\":-0.1,\"length\":0"), "/shapes/0/radius: must be > 0 (found -0.1)",
                "/shapes/0/length: must be > 0 (found 0)");
    CHECK_SCENE(SHAPE("\"type\":\"cylinder\",\"radius\":0"), "/shapes/0/radius: must be > 0 (found 0)",
                "/shapes/0: key \"length\" is missing");
    CHECK_SCENE(SHAPE("\"type\":\"box\",\"size\":[1,2]"),
                "/shapes/0/size: expected 3 numbers, found 2: whole lengths along x, y, z");
    CHECK_SCENE(SHAPE("\"type\":\"box\",\"size\":[1,0,2]"), "/shapes/0/size/1: must be > 0 (found 0)");
    CHECK_SCENE(SHAPE("\"type\":\"box\",\"size\":[1,0.5,2],\"round\":0.5"),
                "/shapes/0/round: must be within [0, 0.25], half the smallest size (found 0.5)");
    CHECK_SCENE(SHAPE("\"type\":\"box\",\"size\":[1,1,1],\"round\":-1"), "/shapes/0/round: must be >= 0 (found -1)");
    CHECK_SCENE(SHAPE("\"type\":\"box\",\"radius\":1,\"size\":[1,1,1]"),
                "/shapes/0: unknown key \"radius\" (allowed: name, body, type, xyz, rpy, quat, contype, conaffinity, mu, "
                "priority, size, round)");
    CHECK_SCENE(SHAPE("\"type\":\"plane\",\"quat\":[1,0,0,0],\"rpy\":[0,0,0]"),
                "/shapes/0/quat: \"rpy\" turns it, too: leave one of them out");
    CHECK_SCENE(SHAPE("\"type\":\"plane\",\"quaternion\":[1,0,0,0]"),
                "/shapes/0: unknown key \"quaternion\" (here it is \"quat\")");
    CHECK_SCENE(SHAPE("\"type\":\"plane\",\"normal\":[0,0,0]"),
                "/shapes/0/normal: length 0: no direction, as [0, 0, 1] is that of z");
    CHECK_SCENE(SHAPE("\"type\":\"plane\",\"offset\":2e6"),
                "/shapes/0/offset: too large: at most 1000000 in magnitude (found 2000000)");
    CHECK_SCENE(SHAPE("\"type\":\"Sphere\",\"radius\":1"), "/shapes/0/type: unknown value \"Sphere\" (did you mean \"sphere\"?)");
    CHECK_SCENE("{\"tact\":1,\"shapes\":[{},5]}", "/shapes/0: key \"name\" is missing", "/shapes/0: key \"body\" is missing",
                "/shapes/0: key \"type\" is missing", "/shapes/1: expected an object, found a number: {\"type\": ..., ...}");
    CHECK_SCENE("{\"tact\":1,\"shapes\":[" SPHERE("s", "wold") "," SPHERE("s", "world") "]}",
                "/shapes/0/body: no body \"wold\" (did you mean \"world\"?)",
                "/shapes/1/name: \"s\" is already used at /shapes/0");
}

#define TWO_SHAPES(more)             \
    "{\"tact\":1,\"bodies\":[" BALL( \
        "a") "],\"shapes\":[{\"name\":\"s\",\"body\":\"world\",\"type\":\"rectangle\",\"size\":[1,1]}," more "]"
#define POLYGON(points) SHAPE("\"type\":\"polygon\"," points)

static void test_planar(void) {
    CHECK_SCENE(SHAPE("\"type\":\"circle\",\"radius\":-1"), "/shapes/0/radius: must be >= 0 (found -1)");
    CHECK_SCENE(SHAPE("\"type\":\"rectangle\",\"size\":[1,0]"), "/shapes/0/size/1: must be > 0 (found 0)");
    CHECK_SCENE(SHAPE("\"type\":\"rectangle\",\"size\":[1,0.5],\"round\":0.5"),
                "/shapes/0/round: must be within [0, 0.25], what the edges allow (found 0.5)");
    CHECK_SCENE(SHAPE("\"type\":\"halfplane\",\"normal\":[0,0]"), "/shapes/0/normal: length 0: a direction is needed");
    CHECK_SCENE(SHAPE("\"type\":\"halfplane\",\"normal\":[0,0,1]"),
                "/shapes/0/normal: expected 2 numbers, found 3: x, y, z; how far it is goes into \"offset\"");
    CHECK_SCENE(POLYGON("\"round\":0"), "/shapes/0: \"points\" or \"regular\" is missing");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0],[0,1]],\"regular\":{\"sides\":6,\"radius\":1}"),
                "/shapes/0/regular: \"points\" and \"regular\" exclude each other");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0]]"), "/shapes/0/points: expected 3 to 64 points, found 2");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0,0],[0,1]]"), "/shapes/0/points/1: expected 2 numbers, found 3");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[0,1],[1,0]]"),
                "/shapes/0/points: the points go clockwise: list them counter-clockwise");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,1],[2,2]]"),
                "/shapes/0/points: the points lie on one line: a polygon needs an area");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0],[1,1],[1,0]]"), "/shapes/0/points/3: the same point as number 1");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[2,0],[0.5,0.5],[0,2]]"),
                "/shapes/0/points/2: not convex: the polygon turns right here");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0],[2,0],[0,2]]"),
                "/shapes/0/points/1: no corner: it is on the line of its neighbours");
    CHECK_SCENE(POLYGON("\"points\":[[0,1],[-0.6,-0.8],[0.95,0.3],[-0.95,0.3],[0.6,-0.8]]"),
                "/shapes/0/points: the points go around more than once");
    CHECK_SCENE(POLYGON("\"points\":[[0,0],[1,0],[1,1],[0,1]],\"round\":0.6"),
                "/shapes/0/round: must be within [0, 0.5], what the edges allow (found 0.6)");
    CHECK_SCENE(POLYGON("\"regular\":{\"sides\":2,\"radius\":1}"), "/shapes/0/regular/sides: must be within [3, 64] (found 2)");
    CHECK_SCENE(SHAPE("\"type\":\"union\",\"of\":[]"), "/shapes/0/of: expected 1 to 64 names, found 0");
    CHECK_SCENE(SHAPE("\"type\":\"union\",\"of\":[\"t\"]"), "/shapes/0/of: no shape \"t\" (there are: s)");
    CHECK_SCENE(SHAPE("\"type\":\"smooth_union\",\"of\":[\"s\"]"), "/shapes/0: key \"temperature\" is missing");
    CHECK_SCENE(SHAPE("\"type\":\"union\",\"of\":[\"s\"]"), "/shapes/0/of: \"s\" is a union itself");
    CHECK_SCENE(TWO_SHAPES("{\"name\":\"u\",\"body\":\"a\",\"type\":\"union\",\"of\":[\"s\"]}") "}",
                "/shapes/1/of: \"s\" belongs to another body");
    CHECK_SCENE(TWO_SHAPES("{\"name\":\"u\",\"body\":\"world\",\"type\":\"union\",\"of\":[\"s\",\"s\"]}") "}",
                "/shapes/1/of: \"s\" twice");
    CHECK_SCENE(
        TWO_SHAPES("{\"name\":\"u\",\"body\":\"a\",\"type\":\"halfplane\"}") ",\"pairs\":[{\"a\":\"s\",\"b\":\"u\",\"mu\":0}]}",
        "/pairs/0: one of the two must be a sphere, capsule or grid, or a box or hull against a box, hull or plane: else put "
        "spheres "
        "(of radius 0: points) at the corners of the other");
    CHECK_SCENE(TWO_SHAPES("{\"name\":\"c\",\"body\":\"a\",\"type\":\"circle\",\"radius\":1},"
                           "{\"name\":\"u\",\"body\":\"world\",\"type\":\"union\",\"of\":[\"s\"]}") ",\"pairs\":[{\"a\":\"c\","
                                                                                                    "\"b\":\"u\",\"mu\":0}]}",
                "/pairs/0: law \"barrier\": unions touch under the law \"virtual\" only");
}

static void test_names(void) {
    CHECK_SCENE(BODIES(BALL("a") "," BALL("b") "," BALL("a")) "}", "/bodies/2/name: \"a\" is already used at /bodies/0");
    CHECK_SCENE(BODIES(SLIDE("a", "") "," SLIDE("b", ",\"name\":\"a\"")) "}",
                "/bodies/1/joint/name: \"a\" is already used at /bodies/0");
    CHECK_SCENE(BODIES(SLIDE("b", ",\"name\":\"a\"") "," SLIDE("a", "")) "}",
                "/bodies/1/name: \"a\" is already used at /bodies/0");
    CHECK_SCENE(BODIES(BALL("palm") ",{\"name\":\"a\",\"parent\":\"plam\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}") "}",
                "/bodies/1/parent: no body \"plam\" (did you mean \"palm\"?)");
    CHECK_SCENE(BODIES("{\"name\":\"a\",\"parent\":\"a\",\"mass\":1,\"joint\":{\"type\":\"translation\"}}") "}",
                "/bodies/0/parent: parent and child are both \"a\"");
    CHECK_SCENE(BODIES("{\"name\":\"x\",\"parent\":\"a\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},"
                       "{\"name\":\"a\",\"parent\":\"b\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},"
                       "{\"name\":\"b\",\"parent\":\"c\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},"
                       "{\"name\":\"c\",\"parent\":\"a\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}") "}",
                "/bodies/1/parent: a cycle of parents: \"a\" > \"b\" > \"c\" > \"a\"");
    CHECK_SCENE(BODIES(BALL("world")) "}", "/bodies/0/name: \"world\" is the fixed body; choose another name");
    CHECK_SCENE(BODIES(BALL("")) "}", "/bodies/0/name: must not be empty");
    CHECK_SCENE(BODIES(BALL("a\\u001b[2J")) "}", "/bodies/0/name: control characters are not allowed in a name");
    CHECK_SCENE(BODIES(BALL("a\\u0085")) "}", "/bodies/0/name: control characters are not allowed in a name");
    CHECK_SCENE(BODIES("{\"name\":\"\xe2\x80\xae<b>%n\",\"parent\":\"x\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}},{"
                       "\"name\":\"y\",\"parent\":\"y\\u202e\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}") "}",
                "/bodies/0/parent: no body \"x\" (there are: \\u202e<b>%n, y, world)",
                "/bodies/1/parent: no body \"y\\u202e\" (there are: \\u202e<b>%n, y, world)");
    CHECK_SCENE(BODIES("{\"joint\":{}},[]") "}", "/bodies/0: key \"name\" is missing",
                "/bodies/0: key \"parent\" is missing: \"world\", or the body that carries it",
                "/bodies/0/joint: key \"type\" is missing",
                "/bodies/1: expected an object, found an array: {\"name\": ..., \"parent\": ...}");
}

static void test_joints(void) {
    CHECK_SCENE(BODY("\"mass\":1"), "/bodies/0: key \"joint\" is missing, as {\"type\": \"free\"}");
    CHECK_SCENE(JOINT("\"type\":\"ball\""), "/bodies/0/joint/type: unknown value \"ball\" (a joint that turns every way is "
                                            "\"free\", or three \"revolute\" ones in a row)");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"limits\":[1,-1]"),
                "/bodies/0/joint/limits: lower 1 > upper -1: the order is [lower, upper]");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"limits\":[5e9,6e9]"),
                "/bodies/0/joint/limits: lower must be at most 1000000000, upper at least -1000000000 (found 5000000000, "
                "6000000000)");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"limits\":[-6e9,-5e9]"),
                "/bodies/0/joint/limits: lower must be at most 1000000000, upper at least -1000000000 (found -6000000000, "
                "-5000000000)");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"limits\":[1]"),
                "/bodies/0/joint/limits: expected 2 numbers, found 1: lower, upper");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"axis\":[1e-200,0,0]"),
                "/bodies/0/joint/axis: length 1e-200: no direction, as [0, 0, 1] is that of z");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"axis\":[0,0]"), "/bodies/0/joint/axis: expected 3 numbers, found 2");
    CHECK_SCENE(JOINT("\"type\":\"translation\",\"axis\":[1,0,0],\"limits\":[0,1],\"mimic\":{\"joint\":\"a\"}"),
                "/bodies/0/joint/axis: a translation joint has no axis",
                "/bodies/0/joint/limits: a translation joint has no limits",
                "/bodies/0/joint/mimic: a translation joint has no mimic");
    CHECK_SCENE(JOINT("\"type\":\"continuous\",\"limits\":[0,1]"), "/bodies/0/joint/limits: a continuous joint has no limits");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"xyz\":[1,2,1e7],\"rpy\":[\"0\",0,0]"),
                "/bodies/0/joint/xyz/2: too large: at most 1000000 in magnitude (found 10000000)",
                "/bodies/0/joint/rpy/0: expected a number, found a string (\"0\"): numbers have no quotes");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"mimic\":{\"joint\":\"a\"}"),
                "/bodies/0/joint/mimic/joint: joint \"a\" follows itself");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"mimic\":{\"joint\":\"b\",\"factor\":1}"),
                "/bodies/0/joint/mimic: unknown key \"factor\" (here it is \"ratio\")");
    CHECK_SCENE(JOINT("\"type\":\"prismatic\",\"mimic\":{\"joint\":\"b\"}"),
                "/bodies/0/joint/mimic/joint: no joint \"b\" (there are: a)");
    CHECK_SCENE(BODIES(SLIDE("a", ",\"mimic\":{\"joint\":\"b\"}") "," SLIDE("b", ",\"mimic\":{\"joint\":\"a\"}")) "}",
                "/bodies/0/joint/mimic: joint \"a\" follows itself by way of \"b\"");
    CHECK_SCENE(BODIES(SLIDE("a", ",\"mimic\":{\"joint\":\"b\"}") "," BALL("b")) "}",
                "/bodies/0/joint/mimic/joint: only revolute, continuous and prismatic joints follow one another (found \"b\")");
    CHECK_SCENE(BODIES(SLIDE("a", ",\"limits\":[0,1]") "," SLIDE("b", ",\"limits\":[5,6],\"mimic\":{\"joint\":\"a\"}")) "}",
                "/bodies/1/joint/limits: limits [5, 6] leave no position to joint \"a\", which it follows");
    CHECK_SCENE(BODIES(SLIDE("a", "") "," SLIDE("b", ",\"limits\":[5,6],\"mimic\":{\"joint\":\"a\",\"ratio\":0}")) "}",
                "/bodies/1/joint/limits: limits [5, 6] leave no position to joint \"a\", which it follows");
}

static void test_masses(void) {
    CHECK_SCENE(BODY("\"mass\":0,\"joint\":{\"type\":\"prismatic\"}"),
                "/bodies/0/mass: must be > 0; for a fixed body use a fixed joint");
    CHECK_SCENE(BODY("\"mass\":-1,\"joint\":{\"type\":\"prismatic\"}"), "/bodies/0/mass: must be > 0 (found -1)");
    CHECK_SCENE(BODY("\"mass\":\"1\",\"joint\":{\"type\":\"free\"}"),
                "/bodies/0/mass: expected a number, found a string (\"1\"): numbers have no quotes");
    CHECK_SCENE(BODY("\"mass\":-1,\"joint\":{\"type\":\"fixed\"}"), "/bodies/0/mass: must be >= 0 (found -1)");
    CHECK_SCENE(BODY("\"joint\":{\"type\":\"fixed\"},\"meshes\":{}"),
                "/bodies/0/meshes: expected an array, found an object: [{...}, ...]");
    CHECK_SCENE(
        BODY("\"joint\":{\"type\":\"fixed\"},\"meshes\":[{},{\"file\":\"../../a.stl\"},{\"file\":\"a.stl\",\"scale\":[1]},"
             "{\"file\":\"/a.stl\",\"colour\":1},{\"file\":\"package://h/../../a.stl\"}]"),
        "/bodies/0/meshes/0: key \"file\" is missing", "/bodies/0/meshes/1/file: mesh \"../../a.stl\": outside the package root",
        "/bodies/0/meshes/2/scale: expected 3 numbers, found 1",
        "/bodies/0/meshes/3: unknown key \"colour\" (allowed: file, xyz, rpy, quat, scale)",
        "/bodies/0/meshes/3/file: mesh \"/a.stl\": outside the package root",
        "/bodies/0/meshes/4/file: mesh \"package://h/../../a.stl\": outside the package root");
    CHECK_SCENE(BODY("\"mass\":1e10,\"joint\":{\"type\":\"fixed\"}"),
                "/bodies/0/mass: too large: at most 1000000000 in magnitude (found 10000000000)");
    CHECK_SCENE(BODY("\"mass\":1e999,\"joint\":{\"type\":\"fixed\"}"), "/bodies/0/mass: number too large for a double (1e999)");
    CHECK_SCENE(BODIES(SLIDE("a", "") ",{\"name\":\"b\",\"parent\":\"a\",\"joint\":{\"type\":\"prismatic\"}}") "}",
                "/bodies/1: body \"b\" has no mass and no drive: its motion is undetermined (\"mass\" in kg)");
    CHECK_SCENE(BODIES(FREE("a", "")) "}",
                "/bodies/0: body \"a\" has no inertia: its rotation is undetermined (\"inertia\": [xx, yy, zz, xy, xz, yz])");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[1,1,-0.2,0,0,0]")) "}",
                "/bodies/0/inertia: eigenvalues 1, 1, -0.2: must be positive (xx, yy, zz, xy, xz, yz)");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[0,0,0,0,0,0]")) "}",
                "/bodies/0/inertia: eigenvalues 0, 0, 0: must be positive (xx, yy, zz, xy, xz, yz)");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[1,1,1,1,0,0]")) "}",
                "/bodies/0/inertia: eigenvalues 2, 1, 0: must be positive (xx, yy, zz, xy, xz, yz)");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[2,3,4,2,0,2]")) "}",
                "/bodies/0/inertia: eigenvalues 6, 3, 0: must be positive (xx, yy, zz, xy, xz, yz)");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[2,2,5,0,0,0]")) "}",
                "/bodies/0/inertia: warning: eigenvalues 5, 2, 2: of a rigid body the largest is at most the sum of the others");
    CHECK_SCENE(BODIES(FREE("a", ",\"inertia\":[1,1,1,0,0]")) "}",
                "/bodies/0/inertia: expected 6 numbers, found 5: xx, yy, zz, xy, xz, yz");
    // a fixed child turns with its parent, a sliding body does not turn
    CHECK_SCENE(
        BODIES(FREE("a", "," WHOLE) ",{\"name\":\"b\",\"parent\":\"a\",\"inertia\":[0,0,0,0,0,0],\"joint\":{\"type\":\"fixed\"}},"
                                    "{\"name\":\"c\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0,0,0,0,0,0],\"joint\":{"
                                    "\"type\":\"prismatic\"}}") "}",
        "/bodies/1/inertia: eigenvalues 0, 0, 0: must be positive (xx, yy, zz, xy, xz, yz)");
    // good: carried mass and inertia, a drive, or no regularisation
    open_scene(BODIES(
        FREE("a", "") ",{\"name\":\"b\",\"parent\":\"a\"," WHOLE ",\"joint\":{\"type\":\"fixed\"}},"
                      "{\"name\":\"c\",\"parent\":\"world\",\"joint\":{\"type\":\"prismatic\"}},"
                      "{\"name\":\"d\",\"parent\":\"c\",\"mass\":1,\"joint\":{\"type\":\"fixed\"}},"
                      "{\"name\":\"e\",\"parent\":\"world\",\"joint\":{\"type\":\"revolute\"}}") ",\"drives\":[{\"joint\":\"e\","
                                                                                                 "\"stiffness\":1}]}");
    close_scene();
    open_scene(
        BODIES("{\"name\":\"c\",\"parent\":\"world\",\"joint\":{\"type\":\"prismatic\"}}") ",\"options\":{\"epsilon\":0}}");
    close_scene();
    // a follower's mass is moved, too
    open_scene(BODIES("{\"name\":\"c\",\"parent\":\"world\",\"joint\":{\"type\":\"prismatic\"}}," SLIDE(
        "d", ",\"mimic\":{\"joint\":\"c\"}")) "}");
    close_scene();
}

#define TWO                                                                                                                \
    BODIES(BALL("a") "," BALL("b"))                                                                                        \
    ",\"shapes\":[" SPHERE("s", "a") "," SPHERE("t", "b") "," SPHERE(                                                      \
        "u", "a") ",{\"name\":\"x\",\"body\":\"b\",\"type\":\"box\",\"size\":[1,1,1]},{\"name\":\"p\",\"body\":\"world\"," \
                  "\"type\":\"plane\"}]"

static void test_pairs(void) {
    CHECK_SCENE(
        TWO ",\"pairs\":[{\"a\":\"s\",\"b\":\"t\",\"mu\":-0.5},{\"a\":\"p\",\"b\":\"t\",\"mu\":1e6},{\"a\":\"s\",\"b\":\"p\"}]}",
        "/pairs/0/mu: must be within [0, 10] (found -0.5)", "/pairs/1/mu: must be within [0, 10] (found 1000000)",
        "/pairs/2: key \"mu\" is missing: the friction of this pair, or one for all at the top of the scene");
    // one of two shapes has friction of its own, and the scene has none for the other
    CHECK_SCENE(BODIES(BALL("a") "," BALL("b")) ",\"shapes\":[" SPHERE(
                    "s", "a") ",{\"name\":\"t\",\"body\":\"b\",\"type\":\"sphere\","
                              "\"radius\":1,\"mu\":0.5}],\"pairs\":[{\"a\":\"s\",\"b\":\"t\"}]}",
                "/pairs/0: key \"mu\" is missing: the friction of this pair, or one for all at the top of the scene");
    CHECK_SCENE(TWO ",\"mu\":1,\"pairs\":[{\"a\":\"s\",\"b\":\"s\"},{\"a\":\"s\",\"b\":\"u\"},{\"a\":\"x\",\"b\":\"p\"},{\"a\":"
                    "\"s\",\"b\":\"tt\"},"
                    "{\"a\":\"s\",\"b\":\"t\"},{\"a\":\"t\",\"b\":\"s\",\"restitution\":2},{\"a\":\"s\"}]}",
                "/pairs/0: shape \"s\" with itself: a pair is of two shapes", "/pairs/1: both shapes belong to \"a\"",
                "/pairs/3/b: no shape \"tt\" (did you mean \"t\"?)", "/pairs/5/restitution: must be within [0, 1] (found 2)",
                "/pairs/5: the same two shapes as in /pairs/4: one of them is enough", "/pairs/6: key \"b\" is missing");
    CHECK_SCENE(TWO ",\"mu\":-1,\"pairs\":[{\"a\":\"s\",\"b\":\"t\"}]}", "/mu: must be within [0, 10] (found -1)");
    CHECK_SCENE(TWO ",\"pairs\":\"auto\"}", "/pairs: \"auto\" needs \"mu\" at the top of the scene");
    CHECK_SCENE(TWO ",\"pairs\":\"all\"}", "/pairs: unknown value \"all\" (allowed: auto)");
    CHECK_SCENE(TWO ",\"mu\":1,\"pairs\":\"auto\",\"exclude\":[[\"a\"],[\"a\",\"c\"],\"a\",[\"a\",\"b\"],[1,2]]}",
                "/exclude/0: expected the names of 2 bodies, found 1", "/exclude/1/1: no body \"c\" (there are: a, b, world)",
                "/exclude/2: expected an array, found a string", "/exclude/4/0: expected a string, found a number",
                "/exclude/4/1: expected a string, found a number");
    CHECK_SCENE(TWO ",\"exclude\":[]}", "/exclude: applies only with \"pairs\": \"auto\"");
}

static void test_drives(void) {
    CHECK_SCENE(BODIES(SLIDE("slider", "") "," FREE("cube", "," WHOLE)) ",\"drives\":[{\"joint\":\"*\",\"stiffness\":1}]}",
                "/drives/0: matches the free joint \"cube\", which cannot be driven; list it first with stiffness 0");
    CHECK_SCENE(BODIES(FREE("cube", "," WHOLE) "," FREE(
                    "cup", "," WHOLE)) ",\"drives\":[{\"joint\":\"cu*\",\"stiffness\":1},{\"joint\":\"cup\",\"stiffness\":1}]}",
                "/drives/0: matches the free joint \"cube\", which cannot be driven; list it first with stiffness 0");
    CHECK_SCENE(BODIES(SLIDE("slider", "") "," SLIDE(
                    "x", ",\"mimic\":{\"joint\":\"slider\"}") ",{\"name\":\"f\",\"parent\":\"x\",\"joint\":{\"type\":\"fixed\"}"
                                                              "}") ",\"drives\":[{\"joint\":\"sliter\",\"stiffness\":1},{"
                                                                   "\"joint\":\"x\",\"stiffness\":1},{\"joint\":\"f\","
                                                                   "\"stiffness\":1},"
                                                                   "{\"joint\":\"*er\",\"stiffness\":1},{\"joint\":\"slider\","
                                                                   "\"stiffness\":-1},{\"joint\":\"slider\"},"
                                                                   "{\"joint\":\"finger_*\",\"stiffness\":1},{\"joint\":"
                                                                   "\"slider\",\"stiffness\":0,\"damping\":1}]}",
                "/drives/4/stiffness: must be >= 0 (found -1)", "/drives/5: key \"stiffness\" is missing",
                "/drives/0/joint: no joint \"sliter\" (did you mean \"slider\"?)",
                "/drives/1/joint: joint \"x\" follows joint \"slider\": drive that one", "/drives/2/joint: joint \"f\" is fixed",
                "/drives/3/joint: no joint \"*er\" (* matches at the end of a name only)",
                "/drives/6/joint: \"finger_*\" matches no joint that moves (there are: slider*, x*)",
                "/drives/7/damping: warning: without stiffness it has no effect");
    CHECK_SCENE(BODIES(SLIDE("slider", "")) ",\"drives\":[{\"joint\":\"slider\",\"force\":true}]}",
                "/drives/0/force: law \"barrier\" has no drives by force");
    CHECK_SCENE(BODIES(SLIDE("slider", "")) ",\"law\":\"virtual\",\"drives\":[{\"joint\":\"slider\",\"force\":true,"
                                            "\"stiffness\":1}]}",
                "/drives/0/stiffness: has no meaning where the command is a force");
}

static void test_state(void) {
    CHECK_SCENE(BODIES(SLIDE("x", ",\"limits\":[-1,1]")) ",\"state\":{\"q\":{\"x\":2.1}}}", "/state/q/x: 2.1 outside [-1, 1]");
    CHECK_SCENE(
        BODIES(
            "{\"name\":\"x\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"type\":\"revolute\",\"limits\":[-2,0.3]}}") ",\"state\""
                                                                                                                      ":{\"q\":{"
                                                                                                                      "\"x\":-90}"
                                                                                                                      "}}",
        "/state/q/x: -90 outside [-2, 0.3]: angles are in radians (90 degrees are 1.571)");
    CHECK_SCENE(BODIES(BALL("b")) ",\"state\":{\"q\":{\"b\":[0,0,0,1,0,0,0]}}}",
                "/state/q/b: expected 3 numbers, found 7 (of a translation joint: x y z, without orientation)");
    CHECK_SCENE(BODIES("{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"planar\"}"
                       "}") ",\"state\":{\"q\":{\"b\":0}}}",
                "/state/q/b: expected 3 numbers (of a planar joint: x y and an angle [rad])");
    CHECK_SCENE(BODIES(SLIDE("x", "")) ",\"options\":{\"limits\":false}}",
                "/options/limits: expected a string, found true or false (allowed: off, barrier)");
    CHECK_SCENE(BODIES(SLIDE("x", ",\"limits\":[0.5,1]")) "}",
                "/bodies/0/joint/limits: joint \"x\" begins at 0, outside [0.5, 1]: give it a place in /state/q");
    CHECK_SCENE(BODIES(SLIDE("x", ",\"limits\":[0.5,1e20]")) "}",
                "/bodies/0/joint/limits: joint \"x\" begins at 0, outside [0.5, inf]: give it a place in /state/q");
    CHECK_SCENE(BODIES(FREE("a", "," WHOLE)) ",\"state\":{\"q\":{\"a\":[0,0,0,2,0,0,0]}}}",
                "/state/q/a: norm 2: must be 1 within 1e-3 (the last four of x y z w x y z; no turn is 1, 0, 0, 0)");
    CHECK_SCENE(BODIES(FREE("a", "," WHOLE)) ",\"state\":{\"q\":{\"a\":[0,0,0]},\"v\":{\"a\":[0,0,0,0,0,0,0]}}}",
                "/state/q/a: expected 7 numbers, found 3 (of a free joint: x y z and a quaternion w x y z)",
                "/state/v/a: expected 6 numbers, found 7");
    CHECK_SCENE(BODIES(SLIDE("xx", "") "," SLIDE(
                    "y", ",\"mimic\":{\"joint\":\"xx\"}") ",{\"name\":\"f\",\"parent\":\"y\",\"joint\":{\"type\":\"fixed\"}"
                                                          "}") ",\"state\":{\"q\":{\"xy\":1,\"y\":1,\"f\":1,\"xx\":[1]},"
                                                               "\"v\":{\"xx\":[1],\"y\":2},\"w\":1}}",
                "/state: unknown key \"w\" (allowed: keyframe, q, v)", "/state/q/xy: no joint \"xy\" (did you mean \"xx\"?)",
                "/state/q/y: follows joint \"xx\"", "/state/q/f: joint \"f\" is fixed",
                "/state/q/xx: expected a number, found an array", "/state/v/xx: expected a number, found an array",
                "/state/v/y: follows joint \"xx\"");
    CHECK_SCENE(BODIES(SLIDE("x", "")) ",\"state\":{\"q\":[1],\"v\":{\"x\":1e7}}}",
                "/state/q: expected an object, found an array: {NAME: ...}",
                "/state/v/x: too large: at most 1000000 in magnitude (found 10000000)");
}

#define DRIVEN \
    BODIES(SLIDE("x", ",\"limits\":[-1,1]") "," BALL("ball")) ",\"drives\":[{\"joint\":\"x\",\"stiffness\":1}],\"command\":"

static void test_command(void) {
    CHECK_SCENE(DRIVEN "{}}", "/command: key \"mode\" is missing");
    CHECK_SCENE(DRIVEN "{\"mode\":\"hold\",\"q\":{},\"times\":[]}}", "/command/times: has no meaning in the mode \"hold\"",
                "/command/q: has no meaning in the mode \"hold\"");
    CHECK_SCENE(DRIVEN "{\"mode\":\"fixed\",\"q\":{\"ball\":[0,0,0],\"x\":\"1\",\"y\":1}}}",
                "/command/q/ball: joint \"ball\" is not driven: give it a stiffness in /drives",
                "/command/q/x: expected a number, found a string (\"1\"): numbers have no quotes",
                "/command/q/y: no joint \"y\" (there are: x, ball)");
    CHECK_SCENE(DRIVEN "{\"mode\":\"fixed\",\"q\":{\"x\":2}}}", "/command/q/x: warning: 2 outside [-1, 1]");
    CHECK_SCENE(DRIVEN "{\"mode\":\"trajectory\"}}", "/command: key \"times\" is missing");
    CHECK_SCENE(DRIVEN "{\"mode\":\"trajectory\",\"times\":[]}}", "/command/times: must not be empty");
    CHECK_SCENE(DRIVEN "{\"mode\":\"trajectory\",\"times\":[0,1,1,2],\"q\":{\"x\":[0,1,2]}}}",
                "/command/times/2: times must ascend (found 1 after 1)",
                "/command/q/x: expected 4 values, one for each time, found 3");
    CHECK_SCENE(DRIVEN "{\"mode\":\"trajectory\",\"times\":[0,1,2],\"q\":{\"x\":[5,1,-2],\"ball\":1}}}",
                "/command/q/x/0: warning: 5 outside [-1, 1]",
                "/command/q/ball: joint \"ball\" is not driven: give it a stiffness in /drives",
                "/command/q/ball: expected an array, found a number");
    CHECK_SCENE(DRIVEN "{\"mode\":\"trajectory\",\"times\":1,\"q\":[]}}",
                "/command/q: expected an object, found an array: {\"x\": [one value for each time], ...}",
                "/command/times: expected an array, found a number");
    CHECK_SCENE(BODIES(BALL("a")) ",\"forces\":[{\"body\":\"b\"},{\"force\":[0,0,0]},{\"body\":\"world\",\"force\":[0,0,0]},"
                                  "{\"body\":\"a\",\"force\":[[0,0,0]]},{\"body\":\"a\",\"times\":[0,1],\"torque\":[0,0,0]},"
                                  "{\"body\":\"a\",\"times\":[],\"torque\":[]},{\"body\":\"a\",\"times\":[2,1],\"force\":[[0,0,0]"
                                  ",[1,2]]},{\"body\":\"a\",\"force\":[1e10,0,0]}]}",
                "/forces/0/body: no body \"b\" (there are: a, world)", "/forces/0: \"force\" or \"torque\" is needed",
                "/forces/1: key \"body\" is missing", "/forces/2/body: the world does not move",
                "/forces/3/force: expected 3 numbers, found 1", "/forces/4/torque: expected 2 values, one for each time, found 3",
                "/forces/5/times: must not be empty", "/forces/6/times/1: times must ascend (found 1 after 2)",
                "/forces/6/force/1: expected 3 numbers, found 2",
                "/forces/7/force/0: too large: at most 1000000000 in magnitude (found 10000000000)");
}

int main(void) {
    test_top();
    test_options();
    test_shapes();
    test_planar();
    test_names();
    test_joints();
    test_masses();
    test_pairs();
    test_drives();
    test_state();
    test_command();
    return test_end("scene_refused");
}
