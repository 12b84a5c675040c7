// SPDX-License-Identifier: MIT
// Robots: files with bodies, shapes and drives, read into the same lists as the scene's own, before them.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "math/elementary.h"
#include "scene/kind.h"
#include "scene/mesh_path.h"
#include "scene/urdf_parts.h"
#include "tact/memory.h"

#define FILE_NAME_MAX 4095

typedef struct {
    const char *file, *prefix;
    tact_draft_frame base;
    int joint;  // tact_base_joint
} robot_entry;

const tact_key tact_scene_base_keys[] = {
    TACT_ROW(VECTOR, "xyz", .count = 3, .offset = offsetof(robot_entry, base.xyz), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "position of the robot file's world frame [m]"),
    TACT_ROW(VECTOR, "rpy", .count = 3, .offset = offsetof(robot_entry, base.rpy), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "its roll, pitch, yaw [rad]"),
    TACT_ROW_QUAT,
    TACT_ROW(CHOICE, "joint", .offset = offsetof(robot_entry, joint), .choices = tact_base_joint_names, .fallback = "fixed",
             .meaning =
                 "free: its base floats, and nothing drives it; driven: three prismatic and three revolute joints, base_x to "
                 "base_roll, carry it"),
    {0},
};

const tact_key tact_scene_robot_keys[] = {
    TACT_ROW(OTHER, "file", .required = true, .form = "path",
             .meaning = "a robot file (.json), URDF (.urdf) or MJCF (.xml, .mjcf), from the scene file's folder"),
    TACT_ROW(OTHER, "prefix", .form = "string", .fallback = "none", .meaning = "put before all names of the file"),
    TACT_ROW(OBJECT, "base", .keys = tact_scene_base_keys, .fallback = "the world", .meaning = "where it stands"),
    TACT_ROW(OTHER, "fit", .form = "string or list of them", .fallback = "no shapes, with a warning",
             .meaning =
                 "of URDF and MJCF: the shape round each collision mesh, sphere, capsule, box, hull or none; \"LINK=KIND\" for "
                 "some links, "
                 "* for any "
                 "characters, the last that matches holds"),
    TACT_ROW(NUMBER, "density", .apart = true, .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_MASS, .fallback = "no mass",
             .meaning = "of URDF: of links without inertial, from their shapes [kg/m^3]"),
    TACT_ROW(OTHER, "bodies", .form = "object: body -> values", .fallback = "the file's",
             .meaning = "mass, com, inertia of some bodies, named as in the file: --set robots.0.bodies.palm.mass=0.4"),
    TACT_ROW(OTHER, "drives", .form = "object: joint -> values", .fallback = "the file's",
             .meaning = "stiffness, damping of some joints, named as in the file: --set robots.0.drives.joint_3.stiffness=2"),
    {0},
};

static const tact_key file_keys[] = {{.name = "tact"},
                                     {.name = "name"},
                                     {.name = "bodies"},
                                     {.name = "shapes"},
                                     {.name = "drives"},
                                     {.name = "exclude"},
                                     {.name = "pairs"},
                                     {.name = "keyframes"},
                                     {.name = "loops"},
                                     {.name = "springs"},
                                     {0}};

tact_pose tact_scene_pose(const tact_draft_frame *frame) {
    tact_real s[3], c[3];
    for (int k = 0; k < 3; k++) tact_sincos(frame->rpy[k], &s[k], &c[k]);
    tact_pose pose = {{{{c[2] * c[1], c[2] * s[1] * s[0] - s[2] * c[0], c[2] * s[1] * c[0] + s[2] * s[0]},
                        {s[2] * c[1], s[2] * s[1] * s[0] + c[2] * c[0], s[2] * s[1] * c[0] - c[2] * s[0]},
                        {-s[1], c[1] * s[0], c[1] * c[0]}}},
                      {frame->xyz[0], frame->xyz[1], frame->xyz[2]}};
    return pose;
}

// The roll, pitch, yaw of a rotation: the inverse of the matrix above.
void tact_urdf_angles(tact_mat3 R, tact_real rpy[3]) {
    tact_real s = 0, c = 0, across = tact_sqrt(R.m[2][1] * R.m[2][1] + R.m[2][2] * R.m[2][2]);
    rpy[0] = tact_atan2(R.m[2][1], R.m[2][2]);
    rpy[1] = tact_atan2(-R.m[2][0], across);
    // of R Rx(-roll) = Rz(yaw) Ry(pitch), so that yaw makes up for a roll that is not well determined
    tact_sincos(rpy[0], &s, &c);
    rpy[2] = tact_atan2(s * R.m[0][2] - c * R.m[0][1], c * R.m[1][1] - s * R.m[1][2]);
}

void tact_scene_free_documents(tact_scene_document *documents) {
    while (documents) {
        tact_scene_document *before = documents->before;
        tact_json_free(&documents->json);
        tact_text_free(&documents->text);
        tact_memory_release(documents);
        documents = before;
    }
}

void tact_scene_check_version(const tact_json *json, int node) {
    tact_real version = 1;
    if (node >= 0) tact_json_get_number(json, node, tact_range_within(1, 1), &version);
}

// A description in XML is told from a robot file by the file's ending.
static bool refuse_xml(const tact_scene_build *build, tact_source source) {
    tact_file_kind kind = tact_kind_of(source.bytes, source.size);
    if (kind != TACT_KIND_URDF && kind != TACT_KIND_MJCF) return false;
    tact_errors_add(build->errors, TACT_ERROR_REFUSED, (tact_place){.file = source.name},
                    "a robot in %s, whose name must end with %s", kind == TACT_KIND_URDF ? "URDF" : "MJCF",
                    kind == TACT_KIND_URDF ? ".urdf" : ".xml or .mjcf");
    return true;
}

// A key that only scenes have; NULL: none.
static const char *find_own(const tact_json *json) {
    static const char *const own[] = {"law", "robots", "options", "state", "command", "gravity", "goal", "forces"};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (tact_json_find(json, 0, own[i]) >= 0) return own[i];
    return NULL;
}

static bool refuse_scene(const tact_json *json) {
    const char *own = find_own(json);
    if (!own) return false;
    tact_json_refuse(json, 0,
                     "a scene (it has \"%s\"), not a robot file: tact run, check and view take it as it is; a robot file has "
                     "bodies, shapes and drives only",
                     own);
    return true;
}

bool tact_scene_is_robot(const tact_scene_build *build) {
    static const char *const more[] = {"mu", "restitution", "pairs", "max_contacts", "mpc"};
    TACT_ASSERT(build->json);
    bool robot = !find_own(build->json), chain = false;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) robot = robot && tact_json_find(build->json, 0, more[i]) < 0;
    // an object is of a scene
    for (int i = 0; i < build->draft.nbody; i++) {
        robot = robot && build->draft.bodies[i].type != TACT_JOINT_FREE;
        chain = chain || build->links[i].parent != TACT_WORLD;
    }
    return robot && chain;
}

const char *tact_scene_robot_hint(const tact_scene_build *build) {
    return !tact_scene_is_robot(build)
               ? ""
               : " of a scene that names this robot file under \"robots\" (tact new --robot FILE makes one)";
}

void tact_scene_read_robot_lists(tact_draft *draft, const tact_json *json) {
    tact_scene_read_bodies(draft, json, tact_json_find(json, 0, "bodies"));
    tact_scene_read_shapes(draft, json, tact_json_find(json, 0, "shapes"));
    tact_scene_read_drives(draft, json, tact_json_find(json, 0, "drives"));
    tact_scene_read_contacts(draft, json);
    tact_scene_read_ties(draft, json);
    tact_scene_read_keyframes(draft, json, tact_json_find(json, 0, "keyframes"));
}

// Reads a robot file into the draft, whose names point into its text. False after reporting.
static bool read_json(tact_scene_build *build, const char *path) {
    tact_scene_document *document = tact_memory_get(sizeof *document);
    if (!document) return tact_file_refuse(path, ENOMEM, build->errors);
    // the text stays as long as the draft, whose names and marks point into it
    *document = (tact_scene_document){.before = build->documents};
    build->documents = document;
    if (!tact_text_read(&document->text, path, TACT_TEXT_LIMIT, build->errors)) return false;
    const tact_json *json = &document->json;
    tact_source source = tact_text_source(&document->text, path);
    if (refuse_xml(build, source) || tact_kind_refuse(source, "a robot file", build->errors)) return false;
    if (!tact_json_read(&document->json, source, build->errors) || refuse_scene(json)) return false;
    if (!tact_keys_check(json, 0, file_keys, NULL)) return false;
    tact_scene_check_version(json, tact_json_find(json, 0, "tact"));
    tact_json_get_string(json, tact_json_find(json, 0, "name"), TACT_NAME_MAX);
    // grid files of a robot lie beside the robot's file
    const char *before = build->draft.folder;
    // The folder of a file, "" or ended by /; NULL when there is no memory.
    const char *slash = strrchr(path, '/');
    const char *folder = tact_draft_string(&build->draft, path, slash ? (size_t)(slash + 1 - path) : 0);
    if (!folder) return false;
    build->draft.folder = folder;
    tact_scene_read_robot_lists(&build->draft, json);
    build->draft.folder = before;
    return true;
}

bool tact_robot_read_shapes(tact_draft *draft, const char *path, tact_json *json, tact_text *text) {
    if (!tact_text_read(text, path, TACT_TEXT_LIMIT, draft->errors)) return false;
    if (!tact_json_read(json, tact_text_source(text, path), draft->errors)) return false;
    tact_scene_read_shapes(draft, json, tact_json_find(json, 0, "shapes"));
    return true;
}

// a name with the prefix before it; NULL for NULL, and after reporting
static const char *add_prefix(tact_draft *draft, const char *prefix, const char *name, const tact_draft_mark *mark) {
    char text[2 * TACT_NAME_MAX + 1];
    if (!name || !prefix[0]) return name;
    size_t before = strlen(prefix), size = strlen(name);
    if (before + size > TACT_NAME_MAX) {
        tact_draft_refuse(draft, mark, NULL, "%s is longer than %d bytes with the prefix", tact_quote(name).text, TACT_NAME_MAX);
        return NULL;
    }
    snprintf(text, sizeof text, "%s%s", prefix, name);
    return tact_draft_string(draft, text, before + size);
}

// how much of the draft there was before a robot
typedef struct {
    int body, shape, drive, mesh, excluded, pair, keyframe, loop, spring;
} draft_start;

// Exclusions or pairs from the first one that this robot added.
static void name_contacts(tact_draft *draft, tact_draft_contact *contacts, int first, int end, int robot, const char *prefix) {
    for (int i = first; i < end; i++) {
        contacts[i].robot = robot;
        contacts[i].a = add_prefix(draft, prefix, contacts[i].a, &contacts[i].mark);
        contacts[i].b = add_prefix(draft, prefix, contacts[i].b, &contacts[i].mark);
    }
}

static void name_robot(tact_draft *draft, draft_start start, int robot, const char *prefix) {
    // all that this robot added to the draft gets its number and prefix
    for (int i = start.body; i < draft->nbody; i++) {
        tact_draft_body *body = &draft->bodies[i];
        body->robot = robot;
        body->name = add_prefix(draft, prefix, body->name, &body->mark);
        body->parent = add_prefix(draft, prefix, body->parent, &body->mark);
        body->joint = add_prefix(draft, prefix, body->joint, &body->mark);
        body->mimic = add_prefix(draft, prefix, body->mimic, &body->mark);
    }
    for (int i = start.shape; i < draft->nshape; i++) {
        tact_draft_shape *shape = &draft->shapes[i];
        shape->robot = robot;
        shape->name = add_prefix(draft, prefix, shape->name, &shape->mark);
        shape->body = add_prefix(draft, prefix, shape->body, &shape->mark);
        for (int k = 0; shape->of && k < shape->count; k++) shape->of[k] = add_prefix(draft, prefix, shape->of[k], &shape->mark);
    }
    for (int i = start.drive; i < draft->ndrive; i++) {
        tact_draft_drive *drive = &draft->drives[i];
        drive->robot = robot;
        drive->joint = add_prefix(draft, prefix, drive->joint, &drive->mark);
    }
    for (int i = start.mesh; i < draft->nmesh; i++) {
        tact_draft_mesh *mesh = &draft->meshes[i];
        mesh->robot = robot;
        mesh->body = add_prefix(draft, prefix, mesh->body, &mesh->mark);
    }
    name_contacts(draft, draft->excluded, start.excluded, draft->nexcluded, robot, prefix);
    name_contacts(draft, draft->pairs, start.pair, draft->npair, robot, prefix);
    // the joints of its keyframes, too
    for (int i = start.keyframe; i < draft->nkeyframe; i++) {
        tact_draft_keyframe *keyframe = &draft->keyframes[i];
        keyframe->robot = robot;
        keyframe->name = add_prefix(draft, prefix, keyframe->name, &keyframe->mark);
        for (int k = 0; k < keyframe->nq; k++)
            keyframe->q[k].joint = add_prefix(draft, prefix, keyframe->q[k].joint, &keyframe->mark);
        for (int k = 0; k < keyframe->ncommand; k++)
            keyframe->command[k].joint = add_prefix(draft, prefix, keyframe->command[k].joint, &keyframe->mark);
    }
    for (int i = start.loop; i < draft->nloop; i++) {
        tact_draft_loop *loop = &draft->loops[i];
        loop->robot = robot;
        for (int end = 0; end < 2; end++) loop->body[end] = add_prefix(draft, prefix, loop->body[end], &loop->mark);
    }
    for (int i = start.spring; i < draft->nspring; i++) {
        tact_draft_spring *spring = &draft->springs[i];
        spring->robot = robot;
        for (int k = 0; k < spring->count; k++) spring->joint[k] = add_prefix(draft, prefix, spring->joint[k], &spring->mark);
    }
}

bool tact_scene_is_urdf(const char *path) {
    return tact_path_ends(path, ".urdf") || tact_path_ends(path, ".xml") || tact_path_ends(path, ".mjcf");
}

bool tact_scene_read_fit(tact_draft *draft, const tact_json *json, int robot, tact_draft_fit *fit, bool *given) {
    int node = tact_json_find(json, robot, "fit"), dense = tact_json_find(json, robot, "density");
    bool list = node >= 0 && tact_json_type(json, node) == TACT_JSON_ARRAY;
    int count = node < 0 ? 0 : list ? tact_json_length(json, node) : 1;
    const char **rules = tact_draft_take(draft, (size_t)count * sizeof rules[0]);
    tact_real density = 0;
    *fit = (tact_draft_fit){.rule = rules};
    *given = node >= 0 || dense >= 0;
    if (!rules) return false;
    if (dense >= 0) tact_key_read_numbers(json, dense, tact_key_find(tact_scene_robot_keys, "density"), 1, &density);
    fit->density = (double)density;
    // one rule, or a list of rules
    for (int i = list ? tact_json_first(json, node) : node; i >= 0; i = list ? tact_json_after(json, i) : -1) {
        const char *rule = tact_json_get_string(json, i, FILE_NAME_MAX);
        tact_reason reason = rule ? tact_fit_rule_check(rule, false) : (tact_reason){""};
        if (reason.text[0]) tact_json_refuse(json, i, "%s", reason.text);
        if (rule && !reason.text[0]) rules[fit->nrule++] = rule;
    }
    return true;
}

// Reads one entry of "robots": its file, fitted where that is asked for, then its base, the scene's values over it, and its
// prefix.
static bool read_robot(tact_scene_build *build, int node, int robot) {
    const tact_json *json = build->json;
    tact_draft *draft = &build->draft;
    tact_draft_fit fit;
    bool fitted = false;
    robot_entry entry = {.prefix = ""};
    // where the draft ends before this robot
    draft_start start = {draft->nbody, draft->nshape,    draft->ndrive, draft->nmesh,  draft->nexcluded,
                         draft->npair, draft->nkeyframe, draft->nloop,  draft->nspring};
    build->bases[robot] = tact_pose_identity();
    if (tact_json_type(json, node) == TACT_JSON_STRING) {
        tact_json_refuse(json, node, "expected an object, found a string: {\"file\": %s}",
                         tact_quote(tact_json_string(json, node)).text);
        return true;
    }
    if (!tact_keys_check(json, node, tact_scene_robot_keys, NULL)) return true;
    int prefix = tact_json_find(json, node, "prefix"), base = tact_json_find(json, node, "base");
    entry.file = tact_json_get_string(json, tact_json_need(json, node, "file"), FILE_NAME_MAX);
    if (prefix >= 0 && tact_json_get_string(json, prefix, TACT_NAME_MAX)) {
        const char *text = tact_json_get_string(json, prefix, TACT_NAME_MAX);
        entry.prefix = text[0] ? tact_key_read_name(json, prefix) : text;
    }
    if (base >= 0 && tact_keys_check(json, base, tact_scene_base_keys, NULL)) {
        tact_keys_read(json, base, tact_scene_base_keys, &entry);
        tact_scene_read_quat(json, base, tact_scene_base_keys, &entry.base);
    }
    build->bases[robot] = tact_scene_pose(&entry.base);
    if (!tact_scene_read_fit(draft, json, node, &fit, &fitted)) return false;
    if (!entry.file || !entry.prefix) return true;
    if (!entry.file[0]) {
        tact_json_refuse(json, tact_json_find(json, node, "file"), "must not be empty");
        return true;
    }
    const char *path = tact_scene_file(draft, entry.file);
    if (!path) return false;
    bool urdf = tact_scene_is_urdf(path);
    if (!urdf && fitted)
        tact_json_refuse(json, node, "fit and density are for robots in URDF or MJCF (found %s)", tact_quote(entry.file).text);
    // rules of fitting hold while this file is read
    draft->fit = fitted ? &fit : NULL;
    bool read = urdf ? tact_robot_read(draft, path) : read_json(build, path);
    draft->fit = NULL;
    // a scene that was copied without its robots; what is there is the same as itself
    bool missing = entry.file[0] != '/' && !tact_file_same(path, path);
    const char *hint =
        missing ? ": \"file\" is a path from the folder of the scene; copy the robot along, or give its full path" : "";
    if (!read) tact_json_place_unreadable(json, tact_json_find(json, node, "file"), hint);
    tact_draft_mark mark = {.json = json, .node = base >= 0 ? base : node};
    if (read && entry.joint > 0)
        read = tact_robot_set_base(draft, (tact_robot_start){start.body, start.shape, start.mesh}, (tact_base_joint)entry.joint,
                                   &mark);
    if (read) read = tact_scene_read_robot_values(draft, json, node, start.body, start.drive);
    name_robot(draft, start, robot, entry.prefix);
    return read;
}

bool tact_scene_read_robots(tact_scene_build *build) {
    const tact_json *json = build->json;
    int node = tact_json_find(json, 0, "robots"), robot = 0;
    int count = node >= 0 ? tact_json_length(json, node) : -1;
    if (count > TACT_SCENE_ROBOTS_MAX) {
        tact_json_refuse(json, node, "%d robots: more than the limit of %d", count, TACT_SCENE_ROBOTS_MAX);
    }
    if (count <= 0 || count > TACT_SCENE_ROBOTS_MAX) return true;
    build->bases = tact_draft_take(&build->draft, (size_t)count * sizeof build->bases[0]);
    if (!build->bases) return false;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), robot++) {
        // a scene that lacks a robot would only give errors that follow from that
        if (!read_robot(build, i, robot)) return false;
        if (build->draft.nbody <= TACT_SCENE_BODIES_MAX && build->draft.nshape <= TACT_SCENE_SHAPES_MAX) continue;
        tact_json_refuse(json, i, "more than %d bodies or %d shapes", TACT_SCENE_BODIES_MAX, TACT_SCENE_SHAPES_MAX);
        return false;
    }
    return true;
}
