// SPDX-License-Identifier: MIT
// What the command line changes in a scene, and robots in files of their own.

#include "files.h"
#include "scene_test.h"

#include <unistd.h>

static const char base[] =
    "{\"tact\":1,\n \"options\": { \"dt\": 0.02, \"limits\": \"off\" },\n \"bodies\":[" SLIDE("a.b", "") "," SLIDE(
        "c/d~", "") "], \"drives\": [{\"joint\":\"*\",\"stiffness\":1}], \"shapes\":[" SPHERE("s", "world") "], \"command\":{}}";

static tact_scene_settings settings;

// up to four settings, ended by NULL
static void apply(const char *const *set) {
    settings.set = set;
    settings.nset = 0;
    while (set[settings.nset]) settings.nset++;
    scene = parse_text(base, &settings);
}

#define APPLY(...) apply((const char *const[]){__VA_ARGS__, NULL})

static void expect(int line, const char *wanted) {
    test_text(errors.kept > 0 ? errors.items[0].text : "", wanted, __FILE__, line, "first message");
    test_int(scene == NULL, 1, __FILE__, line, "refused");
    close_scene();
}

#define EXPECT(wanted) expect(__LINE__, wanted)

static void test_values(void) {
    APPLY("command.mode=hold", "options.dt=0.25", "/options/kappa=1e4", "options/anchor=true");
    CHECK(scene && scene->options.dt == TACT_REAL(0.25) && scene->options.kappa == 10000 && scene->options.anchor &&
          !scene->options.limits);
    CHECK_INT(errors.kept, 0);
    close_scene();
    // the last one counts; strings need no quotes; white space is harmless
    APPLY("command.mode=\"hold\"", "options.limits=barrier", "name=two words", "options={\"kappa\":\n2,\"margin\":0.25}",
          "options.kappa= 3 ");
    CHECK(scene && scene->options.kappa == 3 && scene->options.limits && scene->options.margin == TACT_REAL(0.25) &&
          scene->options.dt == TACT_REAL(0.01));
    if (scene) CHECK_TEXT(scene->model.names->scene, "two words");
    close_scene();
    // what is not there is added, with the objects around it
    APPLY("command.mode=hold", "/state/q/c~1d~0=5", "/state/q/a.b=-1", "state/v/a.b=3", "gravity=[0,0,1]");
    CHECK(scene && scene->model.q0[1] == 5 && scene->model.q0[0] == -1 && scene->model.v0[0] == 3 &&
          scene->options.gravity.z == 1);
    close_scene();
    APPLY("command={\"mode\":\"hold\"}", "shapes.0.radius=0.5", "bodies.1.mass=7", "bodies/0/com=[1,2,3]");
    CHECK(scene && scene->model.shape[0].size[0] == TACT_REAL(0.5) && scene->model.body[1].mass == 7 &&
          scene->model.body[0].com.y == 2);
    close_scene();
    // items by number or by name
    APPLY("command={\"mode\":\"hold\"}", "bodies.a.b.mass=1", "/bodies/a.b/mass=6");
    EXPECT("--set bodies.a.b.mass=1: there is no \"a\" in /bodies, a list of 2, counted from 0 (did you mean \"a.b\"? --set "
           "needs slashes: q/NAME)");
    APPLY("command={\"mode\":\"hold\"}", "/bodies/a.b/mass=6");
    CHECK(scene && (scene->model.body[0].mass == 6 || scene->model.body[1].mass == 6));
    close_scene();
    // of drives the joint is the name
    APPLY("command.mode=hold", "drives.*.stiffness=3");
    CHECK(scene && scene->model.dof[0].stiffness == 3);
    close_scene();
    // what may be several items
    APPLY("drives=[{\"joint\":\"a.b\",\"stiffness\":1},{\"joint\":\"a.b\",\"stiffness\":2}]", "/drives/a.b/stiffness=3");
    EXPECT("--set /drives/a.b/stiffness=3: \"a.b\" in /drives may be several items: give a number, counted from 0");
    APPLY("/shapes/0/name=1", "shapes.0.name=\"0\"", "shapes.0.radius=3", "command.mode=hold");
    CHECK(scene && scene->model.shape[0].size[0] == 3);
    close_scene();
    APPLY("/bodies/1/name=\"0\"", "bodies.0.mass=3");
    EXPECT("--set bodies.0.mass=3: \"0\" in /bodies may be several items: give a number, counted from 0");
    APPLY("command.mode=\"a\\\"]b\\\\\"", "command.mode=hold");
    CHECK(scene != NULL);
    close_scene();
}

static void test_refused(void) {
    APPLY("options.kapa=1");
    EXPECT("--set options.kapa=1: there is no \"kapa\" in /options (did you mean \"kappa\"?)");
    APPLY("optoins.kappa=1");
    EXPECT("--set optoins.kappa=1: there is no \"optoins\" in / (did you mean \"options\"?)");
    APPLY("bodies.2.mass=1");
    EXPECT("--set bodies.2.mass=1: there is no \"2\" in /bodies, a list of 2, counted from 0 (there are: a.b, c/d~)");
    APPLY("bodies.x.mass=1");
    EXPECT("--set bodies.x.mass=1: there is no \"x\" in /bodies, a list of 2, counted from 0 (there are: a.b, c/d~)");
    APPLY("/bodies/c~1d/mass=1");
    EXPECT("--set /bodies/c~1d/mass=1: there is no \"c/d\" in /bodies, a list of 2, counted from 0 (did you mean \"c/d~\"?)");
    APPLY("bodies.0.mas=1");
    EXPECT("--set bodies.0.mas=1: there is no \"mas\" in /bodies/0 (did you mean \"mass\"?)");
    APPLY("options.dt.x=1");
    EXPECT("--set options.dt.x=1: there is no \"x\" in /options/dt");
    APPLY("robots.0.file=x");
    EXPECT("--set robots.0.file=x: the scene has no \"robots\" in which \"0\" could be");
    APPLY("state.p.x=1");
    EXPECT("--set state.p.x=1: there is no \"p\" in what is to be added (allowed: keyframe, q, v)");
    APPLY("gravity.0=1");
    EXPECT("--set gravity.0=1: there is no \"0\" in what is to be added");
    APPLY("options.kappa");
    EXPECT("--set options.kappa: expected path=value, as in options.kappa=1e4");
    APPLY("=1");
    EXPECT("--set =1: expected path=value, as in options.kappa=1e4");
    APPLY(".=1");
    EXPECT("--set .=1: expected path=value, as in options.kappa=1e4");
    APPLY("options.kappa=1e999");
    EXPECT("--set options.kappa=1e999:1:1: /: number too large for a double (1e999)");
    APPLY("options.kappa=01");
    EXPECT("--set options.kappa=01:1:1: /: \"01\": not a number");
    APPLY("options={\"a\":1,\"a\":2}");
    EXPECT("--set options={\"a\":1,\"a\":2}:1:8: /: key \"a\" given twice (lines 1 and 1)");
    APPLY("options.kappa=");
    EXPECT("--set options.kappa=: /options/kappa: expected a number, found a string (\"\")");
    APPLY("command.mode=hold", "options.kappa=0");
    EXPECT("--set options.kappa=0: /options/kappa: must be within [1, 100000000] (found 0)");
    CHECK_INT(errors.kept, 1);
    // of an error elsewhere the settings are told
    APPLY("command.mode=trajectory", "options.kappa=1");
    CHECK_INT(errors.kept, 2);
    CHECK_TEXT(errors.items[1].text, "s: warning: read with --set \"command.mode=trajectory\" and others");
}

static void test_law(void) {
    settings = (tact_scene_settings){.law = "barrier"};
    scene = parse_text("{\"tact\":1,\"law\":\"rigid\"}", &settings);
    CHECK(scene && scene->model.law == &tact_law_barrier);
    close_scene();
    settings.law = "rigid";
    scene = parse_text("{\"tact\":1}", &settings);
    CHECK(scene && scene->model.law == &tact_law_rigid);
    close_scene();
    settings.law = "virtual";
    scene = parse_text("{\"tact\":1}", &settings);
    CHECK(scene && scene->model.law == &tact_law_virtual);
    close_scene();
    settings.law = "barier";
    scene = parse_text("{\"tact\":1}", &settings);
    EXPECT("--law: no law \"barier\" (did you mean \"barrier\"?)");
    settings.law = "none";
    scene = parse_text("{\"tact\":1}", &settings);
    EXPECT("--law: no law \"none\" (available: barrier, virtual, rigid)");
    settings = (tact_scene_settings){0};
}

static char folder[400];

static void write_file(const char *name, const char *text) {
    char path[500];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_write_text(path, text);
}

// the last part of a message's file, and the rest
static const char *short_message(int i) {
    const char *text = i < errors.kept ? errors.items[i].text : "", *end = strchr(text, ':'), *at = end;
    while (at && at > text && at[-1] != '/') at--;
    return at ? at : text;
}

// a scene with one robot of this text
static void read_robot(const char *entry, const char *robot, const char *bodies) {
    char text[2000], path[500];
    write_file("robot.json", robot);
    snprintf(text, sizeof text, "{\"tact\":1,\"robots\":[%s],\"bodies\":[%s]}", entry, bodies);
    write_file("scene.json", text);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    errors = (tact_errors){0};
    scene = tact_scene_read(path, NULL, &errors);
}

static void expect_short(int line, int exit, const char *wanted) {
    test_text(short_message(0), wanted, __FILE__, line, "first message");
    test_int(errors.errors, 1, __FILE__, line, "one error");
    test_int(tact_errors_exit(&errors), exit, __FILE__, line, "exit");
    test_int(scene == NULL, 1, __FILE__, line, "refused");
    close_scene();
}

#define EXPECT_SHORT(exit, wanted) expect_short(__LINE__, exit, wanted)

// of a robot's file that cannot be read: where the scene names it, its own path and why
static void expect_unreadable(int line, const char *reason) {
    char wanted[600];
    snprintf(wanted, sizeof wanted, "scene.json:1:29: /robots/0/file: %s/%s", folder, reason);
    expect_short(line, 3, wanted);
}
#define ROBOT(rest) "{\"file\":\"robot.json\"" rest "}"

#define FROM_FOLDER ": \"file\" is a path from the folder of the scene; copy the robot along, or give its full path"
static void test_robots(void) {
    static const char one[] = "{\"bodies\":[" SLIDE("a", "") "],\n\"drives\":[{\"joint\":\"a\",\"stiffness\":1}]}";
    char name[800];
    read_robot(ROBOT(""), one, BALL("b"));
    CHECK(scene && scene->model.nu == 1);
    close_scene();
    read_robot("{\"file\":\"robo.json\"}", one, "");
    expect_unreadable(__LINE__, "robo.json: No such file or directory" FROM_FOLDER);
    read_robot("{\"file\":\".\"}", one, "");
    expect_unreadable(__LINE__, ".: is a directory");
    read_robot("{\"file\":\"\"}", one, "");
    EXPECT_SHORT(2, "scene.json:1:29: /robots/0/file: must not be empty");
    read_robot("{\"flie\":\"x\",\"prefix\":5}", one, "");
    CHECK_TEXT(short_message(0), "scene.json:1:22: /robots/0: unknown key \"flie\" (did you mean \"file\"?)");
    CHECK_TEXT(short_message(1), "scene.json:1:42: /robots/0/prefix: expected a string, found a number");
    close_scene();
    read_robot(ROBOT(",\"base\":{\"xyz\":[0,0]}"), one, "");
    EXPECT_SHORT(2, "scene.json:1:56: /robots/0/base/xyz: expected 3 numbers, found 2");
    read_robot(ROBOT(""), "{\"bodies\":[],\"state\":[]}", "");
    EXPECT_SHORT(2,
                 "robot.json:1:1: /: a scene (it has \"state\"), not a robot file: tact run, check and view take it as it is; a "
                 "robot file has bodies, shapes and drives only");
    read_robot(ROBOT(""), "{\"bodies\":[],\"gravitation\":[]}", "");
    EXPECT_SHORT(2, "robot.json:1:14: /: unknown key \"gravitation\" (allowed: tact, name, bodies, shapes, drives, exclude, "
                    "pairs, keyframes, loops, springs)");
    read_robot(ROBOT(""), "{\"tact\":2}", "");
    EXPECT_SHORT(2, "robot.json:1:9: /tact: must be 1 (found 2)");
    read_robot(ROBOT(""), "{\"bodies\":[\n{\"name\":\"a\",\"parent\":\"b\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}]}",
               BALL("bc"));
    EXPECT_SHORT(2, "robot.json:2:22: /bodies/0/parent: no body \"b\" (did you mean \"bc\"?)");
    read_robot(ROBOT(""), one, BALL("a"));
    CHECK(strstr(short_message(0), "\"a\" is already used at ") != NULL);
    CHECK(strstr(short_message(0), "robot.json /bodies/0: a \"prefix\" in /robots/0 goes before all its names") != NULL);
    close_scene();
    // the same robot twice needs prefixes
    read_robot(ROBOT("") "," ROBOT(""), one, "");
    CHECK_TEXT(short_message(0), "robot.json:1:20: /bodies/0/name: \"a\" is already used at /bodies/0: a \"prefix\" in "
                                 "/robots/1 goes before all its names");
    close_scene();
    read_robot(ROBOT(",\"prefix\":\"l\"") "," ROBOT(",\"prefix\":\"r\""), one, "");
    CHECK(scene && scene->model.nu == 2);
    close_scene();
    // equal patterns of a robot and of the scene are two: the scene's comes first, the robot's is for itself
    read_robot(ROBOT(""), "{\"bodies\":[" SLIDE("a", "") "],\"drives\":[{\"joint\":\"*\",\"stiffness\":9}]}",
               SLIDE("b", "") "],\"drives\":[{\"joint\":\"*\",\"stiffness\":3}");
    CHECK(scene && scene->model.dof[0].stiffness == 3 && scene->model.dof[1].stiffness == 3);
    close_scene();
    read_robot(ROBOT(""), "{\"bodies\":[" SLIDE("a", "") "],\"drives\":[{\"joint\":\"*\",\"stiffness\":9}]}", SLIDE("b", ""));
    CHECK(scene && scene->model.dof[0].stiffness == 9 && scene->model.dof[1].stiffness == 0);
    close_scene();
    read_robot(ROBOT(",\"prefix\":\"l\""), "{\"bodies\":[" SLIDE("a", "") "],\"drives\":[{\"joint\":\"b\",\"stiffness\":1}]}",
               SLIDE("lb", ""));
    EXPECT_SHORT(2, "robot.json:1:100: /drives/0/joint: joint \"lb\" does not belong to this robot");
    snprintf(name, sizeof name, "{\"file\":\"robot.json\",\"prefix\":\"%0255d\"}", 0);
    read_robot(name, one, "");
    CHECK_TEXT(short_message(0), "robot.json:1:12: /bodies/0: \"a\" is longer than 255 bytes with the prefix");
    close_scene();
    // values of the entry over those of the file, by the file's names
    static const char two[] = "{\"bodies\":[" SLIDE("a", "") "," SLIDE("ab", "") "],\"drives\":[{\"joint\":\"*\",\"stiffness\":9,"
                                                                                 "\"damping\":2}]}";
    read_robot(
        ROBOT(",\"prefix\":\"l\",\"bodies\":{\"ab\":{\"mass\":3}},\"drives\":{\"a\":{\"damping\":4},\"ab\":{\"stiffness\":5}}"),
        two, "");
    CHECK(scene && scene->model.body[0].mass == 1 && scene->model.body[1].mass == 3 && scene->model.dof[0].stiffness == 9 &&
          scene->model.dof[0].damping == 4 && scene->model.dof[1].stiffness == 5 && scene->model.dof[1].damping == 2);
    close_scene();
    read_robot(ROBOT(",\"bodies\":{\"abx\":{\"mass\":3}}"), two, "");
    EXPECT_SHORT(2, "scene.json:1:58: /robots/0/bodies/abx: the robot has no body \"abx\" (did you mean \"ab\"?)");
    read_robot(ROBOT(",\"bodies\":{\"ab\":{\"mass\":0}}"), two, "");
    EXPECT_SHORT(2, "scene.json:1:65: /robots/0/bodies/ab/mass: must be > 0 (found 0)");
    read_robot(ROBOT(",\"bodies\":{\"ab\":{\"mas\":1}}"), two, "");
    EXPECT_SHORT(2, "scene.json:1:58: /robots/0/bodies/ab: unknown key \"mas\" (did you mean \"mass\"?)");
    read_robot(ROBOT(",\"drives\":{\"b\":{\"stiffness\":3}}"), two, "");
    EXPECT_SHORT(2, "scene.json:1:56: /robots/0/drives/b: the robot has no joint \"b\" (did you mean \"ab\"?)");
    read_robot(ROBOT(",\"drives\":{\"a\":{\"damping\":3}}"), "{\"bodies\":[" SLIDE("a", "") "]}", "");
    EXPECT_SHORT(2, "scene.json:1:56: /robots/0/drives/a: key \"stiffness\" is missing");
    read_robot(ROBOT(",\"drives\":{\"a\":{\"stiffness\":3}}"), two, "],\"drives\":[{\"joint\":\"a\",\"stiffness\":1}");
    EXPECT_SHORT(2, "scene.json:1:56: /robots/0/drives/a: has no effect: /drives/0 comes first: set drives/0/stiffness instead");
    read_robot(ROBOT(",\"prefix\":\"l\"") "," ROBOT(",\"prefix\":\"r\""), two, "");
    close_scene();
    char path[500];
    snprintf(path, sizeof path, "%s/scene.json", folder);
    errors = (tact_errors){0};
    static const char *const set[] = {"robots.r.drives.ab.stiffness=7", "robots.0.bodies.a.mass=5"};
    scene = tact_scene_read(path, &(tact_scene_settings){.set = set, .nset = 2}, &errors);
    CHECK(scene && scene->model.dof[1].stiffness == 9 && scene->model.dof[3].stiffness == 7 && scene->model.body[0].mass == 5 &&
          scene->model.body[2].mass == 1);
    close_scene();
    // a missing file is found before anything that follows from it
    read_robot("{\"file\":\"robo.json\"}", one, "{\"name\":\"x\",\"parent\":\"a\",\"joint\":{\"type\":\"fixed\"}}");
    expect_unreadable(__LINE__, "robo.json: No such file or directory" FROM_FOLDER);
}

#define CHILD(name, parent) "{\"name\":\"" name "\",\"parent\":\"" parent "\",\"mass\":1,\"joint\":{\"type\":\"prismatic\"}}"

// a scene of one robot with these parts, and what the scene adds
static void read_parts(const char *parts, const char *rest) {
    char robot[1500], text[1000], path[500];
    snprintf(robot, sizeof robot,
             "{\"bodies\":[" SLIDE("a", "") "," CHILD("b", "a") "," CHILD("c", "b") "],\"shapes\":[" SPHERE("sa", "a") "," SPHERE(
                 "sb", "b") "," SPHERE("sc", "c") "," SPHERE("sw", "world") "],\"drives\":[{\"joint\":\"*\","
                                                                            "\"stiffness\":1}]%s}",
             parts);
    write_file("robot.json", robot);
    snprintf(text, sizeof text, "{\"tact\":1,\"robots\":[" ROBOT(",\"prefix\":\"l_\"") "],\"mu\":0.5%s}", rest);
    write_file("scene.json", text);
    snprintf(path, sizeof path, "%s/scene.json", folder);
    errors = (tact_errors){0};
    scene = tact_scene_read(path, NULL, &errors);
}

#define AUTO ",\"pairs\":\"auto\""

static void check_pair(int i, const char *a, const char *b, double mu) {
    const tact_model *m = &scene->model;
    CHECK_TEXT(m->names->shape[m->pair[i].a], a);
    CHECK_TEXT(m->names->shape[m->pair[i].b], b);
    CHECK_CLOSE(m->pair[i].mu, mu, 1e-7);
}

// exclusions and pairs of robot files
static void test_robot_contacts(void) {
    // of the chain a, b, c on the world: a and c, and all with the world
    read_parts("", AUTO);
    CHECK_INT(scene ? scene->model.npair : -1, 4);
    close_scene();
    read_parts(",\"exclude\":[[\"c\",\"a\"],[\"world\",\"b\"]]", AUTO);
    CHECK_INT(scene ? scene->model.npair : -1, 2);
    if (scene) check_pair(0, "l_sa", "l_sw", 0.5);
    if (scene) check_pair(1, "l_sc", "l_sw", 0.5);
    close_scene();
    // what is listed is paired whatever is excluded, once, with its own friction
    read_parts(",\"exclude\":[[\"c\",\"a\"]],\"pairs\":[{\"a\":\"sc\",\"b\":\"sa\",\"mu\":0.75},{\"a\":\"sa\",\"b\":\"sc\"},"
               "{\"a\":\"sa\",\"b\":\"sb\"},{\"a\":\"sa\",\"b\":\"sw\"}]",
               AUTO);
    CHECK_INT(scene ? scene->model.npair : -1, 5);
    if (scene) check_pair(2, "l_sc", "l_sa", 0.75);
    if (scene) check_pair(3, "l_sa", "l_sb", 0.5);
    if (scene) check_pair(4, "l_sa", "l_sw", 0.5);
    close_scene();
    // a list of the scene's own stands alone
    read_parts(",\"pairs\":[{\"a\":\"sc\",\"b\":\"sa\"}]", ",\"pairs\":[]");
    CHECK_INT(scene ? scene->model.npair : -1, 0);
    close_scene();
    read_parts(",\"exclude\":[[\"a\",\"bx\"]]", AUTO);
    CHECK_TEXT(strrchr(short_message(0), '/'), "/0: no body \"l_bx\" (did you mean \"l_b\"?)");
    close_scene();
    read_parts(",\"pairs\":[{\"a\":\"sa\",\"b\":\"sx\"}]", AUTO);
    CHECK_TEXT(strrchr(short_message(0), '/'), "/0: no shape \"l_sx\"");
    close_scene();
    read_parts(",\"pairs\":[{\"a\":\"sa\",\"b\":\"sa\"}]", AUTO);
    CHECK_TEXT(strrchr(short_message(0), '/'), "/0: a pair is of shapes of two bodies");
    close_scene();
    read_parts(",\"pairs\":[{\"a\":\"sa\",\"c\":\"sb\"}]", AUTO);
    CHECK(strstr(short_message(0), "unknown key \"c\""));
    close_scene();
}

#define FRAME(name, rest) ",\"keyframes\":[{\"name\":\"" name "\"," rest "}]"
#define STATE(rest) ",\"state\":{" rest "}"

static void test_keyframes(void) {
    static const char frame[] = FRAME("home", "\"q\":{\"a\":2,\"b\":0.25},\"command\":{\"b\":0.5}");
    read_parts(frame,
               STATE("\"keyframe\":\"l_home\",\"q\":{\"l_b\":1}") ",\"command\":{\"mode\":\"fixed\",\"keyframe\":\"l_home\","
                                                                  "\"q\":{\"l_c\":7}}");
    CHECK(scene && scene->model.q0[0] == 2 && scene->model.q0[1] == 1 && scene->model.q0[2] == 0);
    CHECK(scene && scene->command.fixed[0] == 2 && scene->command.fixed[1] == TACT_REAL(0.5) && scene->command.fixed[2] == 7);
    close_scene();
    read_parts(frame, "");
    CHECK(scene && scene->model.q0[0] == 0);
    close_scene();
    // the scene's own beside the robot's
    read_parts(frame, FRAME("own", "\"q\":{\"l_a\":-1}") STATE("\"keyframe\":[\"l_home\",\"own\"]"));
    CHECK(scene && scene->model.q0[0] == -1 && scene->model.q0[1] == TACT_REAL(0.25));
    close_scene();
    read_parts(frame, FRAME("l_home", "\"q\":{}") STATE("\"keyframe\":\"l_home\""));
    CHECK_TEXT(strstr(short_message(0), "/state"),
               "/state/keyframe: 2 keyframes are called \"l_home\": give the robots prefixes");
    close_scene();
    read_parts(frame, STATE("\"keyframe\":\"home\""));
    CHECK_TEXT(strstr(short_message(0), "/state"), "/state/keyframe: no keyframe \"home\" (did you mean \"l_home\"?)");
    close_scene();
    read_parts(FRAME("home", "\"q\":{\"x\":2}"), "");
    CHECK_TEXT(strstr(short_message(0), "/keyframes"), "/keyframes/0/q: no joint \"l_x\" (did you mean \"l_a\"?)");
    close_scene();
    read_parts(FRAME("home", "\"q\":{\"a\":[2,3]}"), "");
    CHECK_TEXT(strstr(short_message(0), "/keyframes"), "/keyframes/0/q: joint \"l_a\" has 1 numbers, found 2");
    close_scene();
    read_parts(frame, ",\"command\":{\"mode\":\"hold\",\"keyframe\":\"l_home\"}");
    CHECK_TEXT(strstr(short_message(0), "/command"), "/command/keyframe: has no meaning in the mode \"hold\"");
    close_scene();
    read_parts(FRAME("home", "\"q\":{}"), ",\"command\":{\"mode\":\"fixed\",\"keyframe\":\"l_home\"}");
    CHECK_TEXT(strstr(short_message(0), "/command"), "/command/keyframe: keyframe \"l_home\" has no command");
    close_scene();
    read_parts(frame,
               ",\"drives\":[{\"joint\":\"l_b\",\"stiffness\":0}],\"command\":{\"mode\":\"fixed\",\"keyframe\":\"l_home\"}");
    CHECK_TEXT(strstr(short_message(0), "/command"), "/command/keyframe: joint \"l_b\" of the keyframe is not driven");
    close_scene();
}

int main(void) {
    test_values();
    test_refused();
    test_law();
    test_make_folder(folder, sizeof folder, NULL);
    test_robots();
    test_robot_contacts();
    test_keyframes();
    static const char *const files[] = {"robot.json", "scene.json"};
    for (int i = 0; i < 2; i++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return test_end("scene_set");
}
