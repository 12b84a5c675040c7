// SPDX-License-Identifier: MIT
// Which joints are driven. The first entry that matches a joint wins: the scene's own come before those of the robots'
// files, which match their own robot's joints only. All patterns are looked up at once, so that many cost no more than few.
#include <stdio.h>
#include <string.h>

#include "scene/suspect.h"

const tact_key tact_scene_drive_keys[] = {
    TACT_ROW(NAME, "joint", .required = true, .offset = offsetof(tact_draft_drive, joint), .form = "name, \"begin*\" or \"*\"",
             .meaning = "which joints; the first entry that matches a joint wins. Mind that * matches objects, too"),
    TACT_ROW(NUMBER, "stiffness", .offset = offsetof(tact_draft_drive, stiffness), .range = TACT_RANGE_FROM(0),
             .most = TACT_MOST_DRIVE, .fallback = "needed", .meaning = "[N/m or N m/rad]; 0: not driven"),
    TACT_ROW(BOOL, "force", .offset = offsetof(tact_draft_drive, force), .fallback = "false",
             .meaning = "law \"virtual\": the command is the force or torque itself [N or N m]; in place of a stiffness"),
    TACT_ROW(NUMBER, "damping", .offset = offsetof(tact_draft_drive, damping), .range = TACT_RANGE_FROM(0),
             .most = TACT_MOST_DRIVE, .fallback = "0",
             .meaning = "[N s/m or N m s/rad]; law \"virtual\": also of joints that are not driven"),
    TACT_ROW(NUMBER, "force_limit", .offset = offsetof(tact_draft_drive, force_limit), .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_DRIVE, .fallback = "none",
             .meaning = "greatest force of stiffness and damping together, in magnitude [N or N m]; not under law \"virtual\""),
    {0}};

void tact_scene_read_drives(tact_draft *draft, const tact_json *json, int node) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_drive *drive = tact_draft_add_drive(draft);
        if (!drive) return;
        drive->mark = (tact_draft_mark){.json = json, .node = i};
        if (!tact_keys_check(json, i, tact_scene_drive_keys, NULL)) continue;
        tact_keys_read(json, i, tact_scene_drive_keys, drive);
        int stiffness = tact_json_find(json, i, "stiffness");
        if (!drive->force) tact_json_need(json, i, "stiffness");
        if (drive->force && stiffness >= 0) tact_json_refuse(json, stiffness, "has no meaning where the command is a force");
    }
}

enum { NAMES_TRIED = 10000 };

// the entries by scope, which is the robot
typedef struct {
    tact_name_table names, patterns;
    bool lengths[TACT_NAME_MAX + 1];  // that patterns have
    bool *hit;                        // (ndrive) matches a joint that moves, or was reported
} drive_tables;

static bool is_pattern(const char *name) {
    size_t size = strlen(name);
    return size > 0 && name[size - 1] == '*';
}

// the first entry of a scope that matches, -1 when none does
static int match(const drive_tables *tables, int scope, const char *joint) {
    int name = tact_name_table_find(&tables->names, scope, joint);
    int pattern = tact_name_table_find_begin(&tables->patterns, scope, joint, tables->lengths, tables->hit);
    if (name < 0 || pattern < 0) return name < 0 ? pattern : name;
    return name < pattern ? name : pattern;
}

// A drive with a limit of its force is a spring that has the joint's command.
static void limit_joint(tact_scene_build *build, const tact_draft_drive *drive, int i, bool *told) {
    tact_scene_link *link = &build->links[i];
    const tact_draft *draft = &build->draft;
    if (build->planar || link->dofs != 1) {
        if (!*told && build->planar)
            tact_draft_refuse(draft, &drive->mark, "force_limit", "law \"%s\" has no force limits", build->law->name);
        else if (!*told)
            tact_draft_refuse(draft, &drive->mark, "force_limit", "joint %s has more than one coordinate",
                              tact_quote(draft->bodies[i].joint).text);
        *told = true;
        return;
    }
    tact_spring spring = {.count = 1, .dof = {link->v}, .factor = {1}, .u = -1};
    spring.stiffness = drive->stiffness;
    spring.damping = drive->damping;
    spring.force_limit = drive->force_limit;
    build->springs[build->nspring] = spring;
    build->spring_mark[build->nspring++] = drive->mark;
    // one more than its index, so that 0 is none
    link->led = build->nspring;
    link->driven = true;
}

// Drives joint i by the first entry that matches it; an entry that cannot drive it is refused, once for all joints.
static void drive_joint(tact_scene_build *build, const drive_tables *tables, int i, bool *told) {
    const tact_draft_body *body = &build->draft.bodies[i];
    // the first entry that matches holds: the scene's before the robot file's
    int own = body->robot >= 0 ? match(tables, body->robot, body->joint) : -1, first = match(tables, -1, body->joint);
    if (first >= 0 && own >= 0 && build->draft.drives[own].own) {
        char path[64] = "";
        tact_draft_path(&build->draft.drives[first].mark, path, sizeof path);
        tact_draft_refuse(&build->draft, &build->draft.drives[own].mark, NULL,
                          "has no effect: %s comes first: set %s/stiffness instead", path, path + (path[0] == '/'));
    }
    if (first < 0) first = own;
    if (first < 0) return;
    const tact_draft_drive *drive = &build->draft.drives[first];
    // stiffness 0 takes a joint out of the drives
    bool driven = drive->force || drive->stiffness > 0;
    if (!driven && !(build->planar && drive->damping > 0)) return;
    if (drive->force && !build->planar) {
        if (!told[first])
            tact_draft_refuse(&build->draft, &drive->mark, "force", "law \"%s\" has no drives by force", build->law->name);
        told[first] = true;
    } else if (body->type != TACT_JOINT_FREE && driven && drive->force_limit > 0) {
        limit_joint(build, drive, i, &told[first]);
    } else if (body->type != TACT_JOINT_FREE) {
        build->links[i].driven = driven;
        build->links[i].force = drive->force;
        build->links[i].stiffness = drive->stiffness;
        build->links[i].damping = drive->damping;
        // a joint of several coordinates is mostly an object's
        if (strcmp(drive->joint, "*") == 0 && tact_joint_dofs(body->type) > 1 && !told[first]) {
            tact_draft_warn(&build->draft, &drive->mark, "joint",
                            "drives the object of joint %s, too: list it first with stiffness 0", tact_quote(body->joint).text);
            told[first] = true;
        }
    } else if (!told[first]) {
        bool pattern = drive->joint && strchr(drive->joint, '*') != NULL;
        tact_draft_refuse(&build->draft, &drive->mark, NULL, "%s the free joint %s, which cannot be driven%s",
                          pattern ? "matches" : "is of", tact_quote(body->joint).text,
                          pattern ? "; list it first with stiffness 0" : "");
        told[first] = true;
    }
}

// A joint whose command is that of a spring has no drive besides.
static void lead_joint(tact_scene_build *build, const drive_tables *tables, int i) {
    const tact_draft_body *body = &build->draft.bodies[i];
    tact_scene_link *link = &build->links[i];
    int own = body->robot >= 0 ? match(tables, body->robot, body->joint) : -1, first = match(tables, -1, body->joint);
    if (first < 0) first = own;
    link->driven = true;
    if (first < 0 || (build->draft.drives[first].stiffness == 0 && !build->draft.drives[first].force)) return;
    char path[64] = "";
    tact_draft_path(&build->spring_mark[link->led - 1], path, sizeof path);
    tact_draft_refuse(&build->draft, &build->draft.drives[first].mark, NULL,
                      "joint %s has the command of %s: list it first with stiffness 0", tact_quote(body->joint).text, path);
}

// Entries by name that do nothing: one behind another that matches its joint, or one that takes a joint out of no other.
static void suspect_entries(const tact_scene_build *build, const drive_tables *tables) {
    const tact_draft *draft = &build->draft;
    for (int i = 0; i < draft->ndrive && !build->settings->own; i++) {
        const tact_draft_drive *drive = &draft->drives[i];
        int body = drive->joint && drive->robot < 0 ? tact_name_table_find(&build->joints, 0, drive->joint) : -1;
        if (body < 0 || is_pattern(drive->joint)) continue;
        const tact_draft_body *of = &draft->bodies[body];
        int first = match(tables, -1, drive->joint), own = of->robot >= 0 ? match(tables, of->robot, drive->joint) : -1;
        int other = tact_name_table_find_begin(&tables->patterns, -1, drive->joint, tables->lengths, tables->hit);
        TACT_ASSERT(first >= 0);
        bool idle = drive->stiffness == 0 && drive->damping == 0 && !drive->force && !build->links[body].led;
        char path[64] = "";
        tact_draft_path(&draft->drives[first].mark, path, sizeof path);
        if (first != i)
            tact_draft_doubt(draft, &drive->mark, NULL, "has no effect: %s comes first", path);
        else if (idle && own < 0 && other < 0)
            tact_draft_doubt(draft, &drive->mark, "stiffness",
                             "does not drive it: a drive has a stiffness above 0 (0 takes a joint out of a pattern)");
        else
            continue;
        return;
    }
}

// A pattern for which there is no joint: the beginning of a name that is near. In a robot's own file it is only told.
static void tell_idle(const tact_scene_build *build, const tact_draft_drive *drive) {
    static const char reason[] = "%s matches no joint that moves%s";
    tact_nearest nearest = {.word = drive->joint};
    size_t size = strlen(drive->joint);
    if (drive->robot >= 0) {
        tact_draft_warn(&build->draft, &drive->mark, "joint", reason, tact_quote(drive->joint).text, "");
        return;
    }
    for (int i = 0; i < build->draft.nbody && i < NAMES_TRIED; i++) {
        const char *joint = build->draft.bodies[i].joint;
        char begin[TACT_NAME_MAX + 2];
        if (!joint || build->links[i].dofs == 0 || size > TACT_NAME_MAX) continue;
        // at most as long as the pattern, and a star
        snprintf(begin, sizeof begin, "%.*s*", (int)size - 1, joint);
        const char *best = nearest.best;
        tact_nearest_try(&nearest, begin);
        if (nearest.best != best) nearest.best = joint;
    }
    tact_draft_refuse(&build->draft, &drive->mark, "joint", reason, tact_quote(drive->joint).text,
                      tact_nearest_hint(&nearest).text);
}

bool tact_scene_resolve_drives(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    drive_tables tables;
    const int before = build->errors->errors;
    bool *told = tact_draft_take(draft, (size_t)draft->ndrive);
    build->dof_u = tact_draft_take(draft, (size_t)build->nv * sizeof build->dof_u[0]);
    if (!told || !build->dof_u) return false;
    // tables of the drives by joint
    tables = (drive_tables){.hit = tact_draft_take(draft, (size_t)draft->ndrive)};
    if (!tables.hit || !tact_name_table_make(&tables.names, draft, draft->ndrive)) return false;
    if (!tact_name_table_make(&tables.patterns, draft, draft->ndrive)) return false;
    for (int i = 0; i < draft->ndrive; i++) {
        const tact_draft_drive *drive = &draft->drives[i];
        tables.hit[i] = true;
        if (!drive->joint) continue;
        size_t size = strlen(drive->joint);
        if (is_pattern(drive->joint)) {
            // of equal patterns only the first can ever match
            tables.hit[i] = tact_name_table_add(&tables.patterns, drive->robot, drive->joint, size - 1, i) >= 0;
            tables.lengths[size - 1] = true;
        } else {
            tact_name_table_add(&tables.names, drive->robot, drive->joint, size, i);
            // An entry for one joint by name must name one that can be driven.
            int body = tact_name_table_find(&build->joints, 0, drive->joint);
            const char *end = strchr(drive->joint, '*') ? " (* matches at the end of a name only)" : "";
            const tact_draft_body *bodies = build->draft.bodies;
            if (body >= 0 && drive->robot >= 0 && bodies[body].robot != drive->robot) {
                tact_draft_refuse(&build->draft, &drive->mark, "joint", "joint %s does not belong to this robot",
                                  tact_quote(drive->joint).text);
            } else if (body < 0 && end[0] && !build->draft.bodies_doubted) {
                tact_draft_refuse(&build->draft, &drive->mark, "joint", "no joint %s%s", tact_quote(drive->joint).text, end);
            } else if (body < 0) {
                tact_scene_find_joint(build, &drive->mark, "joint", drive->joint);
            } else if (build->links[body].leader != body) {
                tact_draft_refuse(&build->draft, &drive->mark, "joint", "joint %s follows joint %s: drive that one",
                                  tact_quote(drive->joint).text, tact_quote(bodies[build->links[body].leader].joint).text);
            } else if (bodies[body].type == TACT_JOINT_FIXED && !build->draft.bodies_doubted) {
                tact_draft_refuse(&build->draft, &drive->mark, "joint", "joint %s is fixed", tact_quote(drive->joint).text);
            }
        }
    }
    for (int i = 0; i < draft->ndrive; i++) told[i] = false;
    build->nu = 0;
    for (int i = 0; i < draft->nbody; i++) {
        const tact_scene_link *link = &build->links[i];
        if (link->leader != i || link->dofs == 0) continue;
        if (link->led)
            lead_joint(build, &tables, i);
        else if (draft->bodies[i].joint)
            drive_joint(build, &tables, i, told);
        // commands are numbered in the order of the dofs
        for (int k = 0; k < link->dofs; k++) build->dof_u[link->v + k] = link->driven ? build->nu++ : -1;
    }
    if (build->errors->errors == 0) suspect_entries(build, &tables);
    for (int i = 0; i < draft->ndrive; i++) {
        // entries that do nothing are reported
        const tact_draft_drive *drive = &draft->drives[i];
        const tact_draft_mark *mark = &drive->mark;
        if (drive->damping > 0 && drive->stiffness == 0 && !drive->force && !build->planar)
            tact_draft_warn(draft, mark, "damping", "without stiffness it has no effect");
        if (!tables.hit[i]) tell_idle(build, drive);
    }
    draft->drives_doubted = draft->drives_doubted || build->errors->errors > before;
    return true;
}
