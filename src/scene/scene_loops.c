// SPDX-License-Identifier: MIT
// Loops: points of two bodies that are held together; springs, and drives, on sums of coordinates.
#include <string.h>

#include "scene/build.h"
#include "tact/memory.h"

#define LOOP_NEAR 1e-9  // points that are nearer are the same [m]
#define LOOP_OPEN 1e-3  // a loop that is open by more at the start is reported [m]

const tact_key tact_scene_loop_keys[] = {
    TACT_ROW(NAME, "a", .required = true, .offset = offsetof(tact_draft_loop, body[0]), .meaning = "a body"),
    TACT_ROW(NAME, "b", .required = true, .offset = offsetof(tact_draft_loop, body[1]), .meaning = "another body, or \"world\""),
    TACT_ROW(VECTOR, "at_a", .count = 3, .offset = offsetof(tact_draft_loop, at[0]), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0",
             .meaning = "the point, in the frame of a [m]; two loops of the same bodies are a hinge, three hold them as one"),
    TACT_ROW(VECTOR, "at_b", .count = 3, .offset = offsetof(tact_draft_loop, at[1]), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "where at_a is when all joints are at 0", .meaning = "in the frame of b [m]"),
    TACT_ROW(NUMBER, "stiffness", .offset = offsetof(tact_draft_loop, stiffness), .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_DRIVE, .fallback = "1e6",
             .meaning = "[N/m]: with 1e6 a loop that transmits 100 N opens by 0.1 mm; tact check and tact run print the opening"),
    {0}};

const tact_key tact_scene_spring_keys[] = {
    TACT_ROW(OTHER, "joints", .required = true, .form = "object: joint -> factor", .meaning = "up to 4, the terms of the sum"),
    TACT_ROW(NUMBER, "stiffness", .required = true, .offset = offsetof(tact_draft_spring, stiffness), .range = TACT_RANGE_FROM(0),
             .most = TACT_MOST_DRIVE, .meaning = "the energy is 1/2 stiffness (sum - rest)^2 [N/m or N m/rad]"),
    TACT_ROW(NUMBER, "damping", .offset = offsetof(tact_draft_spring, damping), .range = TACT_RANGE_FROM(0),
             .most = TACT_MOST_DRIVE, .fallback = "0", .meaning = "of the sum's rate [N s/m or N m s/rad]"),
    TACT_ROW(NUMBER, "rest", .offset = offsetof(tact_draft_spring, rest), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "the sum at which the spring does not pull [m or rad]"),
    TACT_ROW(BOOL, "command", .offset = offsetof(tact_draft_spring, command), .fallback = "false",
             .meaning = "a drive: the command of the first joint, which has no other drive, is added to rest"),
    TACT_ROW(NUMBER, "force_limit", .offset = offsetof(tact_draft_spring, force_limit), .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_DRIVE, .fallback = "none",
             .meaning = "greatest force of stiffness and damping together, in magnitude [N or N m]"),
    {0}};

static void read_loops(tact_draft *draft, const tact_json *json, int node) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_loop *loop = tact_draft_add_loop(draft);
        if (!loop) return;
        loop->mark = (tact_draft_mark){.json = json, .node = i};
        // one that was refused says no more
        if (!tact_keys_check(json, i, tact_scene_loop_keys, NULL) || !tact_keys_read(json, i, tact_scene_loop_keys, loop)) {
            draft->nloop--;
            continue;
        }
        loop->placed = tact_json_find(json, i, "at_b") >= 0;
        for (int end = 0; end < 2; end++)
            if (loop->body[end] && strcmp(loop->body[end], TACT_SCENE_WORLD) == 0) loop->body[end] = NULL;
    }
}

static void read_terms(const tact_json *json, int node, tact_draft_spring *spring) {
    static const tact_key factor = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH};
    if (node < 0 || !tact_json_expect(json, node, TACT_JSON_OBJECT)) return;
    int count = 0;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) count++;
    if (count < 1 || count > TACT_SPRING_MOST) {
        tact_json_refuse(json, node, "expected 1 to %d joints, found %d", TACT_SPRING_MOST, count);
        return;
    }
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        spring->joint[spring->count] = tact_json_key(json, i);
        spring->count += tact_key_read_numbers(json, i, &factor, 1, &spring->factor[spring->count]);
    }
}

void tact_scene_read_ties(tact_draft *draft, const tact_json *json) {
    int node = tact_json_find(json, 0, "springs");
    read_loops(draft, json, tact_json_find(json, 0, "loops"));
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_spring *spring = tact_draft_add_spring(draft);
        if (!spring) return;
        spring->mark = (tact_draft_mark){.json = json, .node = i};
        bool good = tact_keys_check(json, i, tact_scene_spring_keys, NULL);
        good = good && tact_keys_read(json, i, tact_scene_spring_keys, spring);
        if (good) read_terms(json, tact_json_need(json, i, "joints"), spring);
        if (spring->count == 0) draft->nspring--;
    }
}

// ---- springs ----

// Adds a term; terms of joints that follow one another are those of the leader. False after refusing.
static bool add_term(const tact_scene_build *build, const tact_draft_spring *from, int k, tact_spring *spring) {
    const tact_draft *draft = &build->draft;
    int body = tact_scene_find_joint(build, &from->mark, "joints", from->joint[k]);
    if (body < 0) return false;
    const tact_scene_link *link = &build->links[body];
    if (from->robot >= 0 && draft->bodies[body].robot != from->robot) {
        tact_draft_refuse(draft, &from->mark, "joints", "joint %s does not belong to this robot",
                          tact_quote(from->joint[k]).text);
        return false;
    }
    if (link->dofs != 1) {
        tact_draft_refuse(draft, &from->mark, "joints", "joint %s is not revolute, continuous or prismatic",
                          tact_quote(from->joint[k]).text);
        return false;
    }
    int at = 0;
    // joints that follow the same leader share one term: factors add up
    while (at < spring->count && spring->dof[at] != link->v) at++;
    if (at == spring->count) {
        spring->dof[at] = link->v;
        spring->factor[at] = 0;
        spring->count++;
    }
    spring->factor[at] += from->factor[k] * link->ratio;
    // factor (ratio q + offset) - rest = factor ratio q - (rest - factor offset)
    spring->rest -= from->factor[k] * link->offset;
    return true;
}

// whether the numbers that the joints' ratios make are within those of a model; else refused
static bool check_spring(const tact_scene_build *build, const tact_draft_spring *from, const tact_spring *spring) {
    bool good = fabs((double)spring->rest) <= TACT_MOST_LENGTH, pulls = false;
    for (int k = 0; k < spring->count; k++) {
        good = good && fabs((double)spring->factor[k]) <= TACT_MOST_LENGTH;
        pulls = pulls || spring->factor[k] != 0;
    }
    if (!good) tact_draft_refuse(&build->draft, &from->mark, NULL, "too large with the ratios of the joints");
    if (good && !pulls) tact_draft_refuse(&build->draft, &from->mark, "joints", "has no effect: the factors are 0");
    return good && pulls;
}

// the joint that has the spring's command
static void lead(tact_scene_build *build, const tact_draft_spring *from, int spring) {
    int body = tact_scene_find_joint(build, &from->mark, "joints", from->joint[0]);
    int leader = build->links[body].leader;
    if (!(from->stiffness > 0))
        tact_draft_refuse(&build->draft, &from->mark, "stiffness", "a drive needs a stiffness");
    else if (build->springs[spring].factor[0] == 0)
        tact_draft_refuse(&build->draft, &from->mark, "joints", "the factor of joint %s, which has the command, is 0",
                          tact_quote(from->joint[0]).text);
    else if (build->links[leader].led)
        tact_draft_refuse(&build->draft, &from->mark, "command", "joint %s has the command of another spring",
                          tact_quote(from->joint[0]).text);
    else
        build->links[leader].led = spring + 1;
}

// The springs that drives with a limit of their force become: at most one a body.
static size_t count_limited(const tact_draft *draft) {
    bool some = false;
    for (int i = 0; i < draft->ndrive; i++) some = some || draft->drives[i].force_limit > 0;
    return some ? (size_t)draft->nbody : 0;
}

bool tact_scene_resolve_springs(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    // drives with a force limit are kept as springs of one joint
    size_t count = (size_t)draft->nspring + count_limited(draft);
    build->springs = tact_draft_take(draft, count * sizeof build->springs[0]);
    build->spring_mark = tact_draft_take(draft, count * sizeof build->spring_mark[0]);
    if (!build->springs || !build->spring_mark) return false;
    for (int i = 0; i < draft->nspring; i++) {
        const tact_draft_spring *from = &draft->springs[i];
        tact_spring *spring = &build->springs[build->nspring];
        *spring = (tact_spring){.stiffness = from->stiffness,
                                .damping = from->damping,
                                .rest = from->rest,
                                .u = -1,
                                .force_limit = from->force_limit};
        bool good = true;
        for (int k = 0; k < from->count; k++) good = add_term(build, from, k, spring) && good;
        if (build->planar) {
            tact_draft_refuse(draft, &from->mark, NULL, "law \"%s\" has no springs on joints", build->law->name);
            continue;
        }
        if (!good || !check_spring(build, from, spring)) continue;
        build->spring_mark[build->nspring] = from->mark;
        if (from->command) lead(build, from, build->nspring);
        build->nspring++;
    }
    return true;
}

// ---- loops ----

// the body of a name, TACT_WORLD for NULL; false after refusing
static bool find_end(const tact_scene_build *build, const tact_draft_loop *loop, int end, int *body) {
    const char *key = end == 0 ? "a" : "b";
    *body = TACT_WORLD;
    if (!loop->body[end]) return true;
    *body = tact_scene_find_body(build, &loop->mark, key, loop->body[end]);
    if (*body >= 0 && loop->robot >= 0 && build->draft.bodies[*body].robot != loop->robot) {
        tact_draft_refuse(&build->draft, &loop->mark, key, "body %s does not belong to this robot",
                          tact_quote(loop->body[end]).text);
        return false;
    }
    return *body >= 0;
}

// the frame of a body, or of what stands for the world, when all coordinates are 0
static tact_pose pose_at_zero(const tact_scene_build *build, int robot, int body) {
    tact_pose pose = tact_pose_identity();
    if (body == TACT_WORLD) return robot >= 0 ? build->bases[robot] : pose;
    for (int b = body; b != TACT_WORLD; b = build->links[b].parent) {
        const tact_draft_body *at = &build->draft.bodies[b];
        pose = tact_pose_multiply(tact_scene_pose(&at->frame), pose);
        if (!at->parent && at->robot >= 0) pose = tact_pose_multiply(build->bases[at->robot], pose);
    }
    return pose;
}

static tact_vec3 point_of(const tact_real x[3]) {
    return tact_vec3_make(x[0], x[1], x[2]);
}

static bool is_near(tact_vec3 a, tact_vec3 b) {
    tact_vec3 d = tact_vec3_sub(a, b);
    return tact_vec3_dot(d, d) <= TACT_REAL(LOOP_NEAR) * TACT_REAL(LOOP_NEAR);
}

static void add_loop(tact_scene_build *build, const tact_draft_loop *from) {
    const tact_draft *draft = &build->draft;
    int body[2];
    if (!find_end(build, from, 0, &body[0]) || !find_end(build, from, 1, &body[1])) return;
    int weld[2];
    for (int end = 0; end < 2; end++) weld[end] = body[end] == TACT_WORLD ? TACT_WORLD : build->links[body[end]].weld;
    if (build->planar) {
        tact_draft_refuse(draft, &from->mark, NULL, "law \"%s\" has no loops", build->law->name);
    } else if (body[0] == body[1]) {
        tact_draft_refuse(draft, &from->mark, "b", "a loop from %s to itself",
                          body[0] == TACT_WORLD ? "the world" : tact_quote(from->body[0]).text);
    } else if (weld[0] == weld[1]) {
        tact_draft_refuse(draft, &from->mark, NULL, "no joint moves the two bodies against each other");
    } else {
        tact_pose pose[2] = {pose_at_zero(build, from->robot, body[0]), pose_at_zero(build, from->robot, body[1])};
        tact_loop loop = {.body = {body[0], body[1]}, .at = {point_of(from->at[0]), point_of(from->at[1])}};
        loop.stiffness = from->stiffness;
        if (!from->placed)
            loop.at[1] = tact_mat3_apply_transposed(pose[1].R, tact_vec3_sub(tact_pose_apply(pose[0], loop.at[0]), pose[1].p));
        // the world of a robot's file is its base
        for (int end = 0; end < 2; end++)
            if (body[end] == TACT_WORLD) loop.at[end] = tact_pose_apply(pose[end], loop.at[end]);
        // refuses a loop of the same bodies at the same point
        for (int i = 0; i < build->nloop; i++) {
            const tact_loop *other = &build->loops[i];
            int turned = other->body[0] == loop.body[1];
            bool same = other->body[turned] == loop.body[0] && other->body[!turned] == loop.body[1];
            if (!same || !is_near(other->at[turned], loop.at[0]) || !is_near(other->at[!turned], loop.at[1])) continue;
            char path[64] = "";
            tact_draft_path(&build->loop_mark[i], path, sizeof path);
            tact_draft_refuse(&build->draft, &from->mark, NULL, "the same bodies and points as in %s", path);
            return;
        }
        build->loop_mark[build->nloop] = from->mark;
        build->loops[build->nloop++] = loop;
    }
}

bool tact_scene_resolve_loops(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    build->loops = tact_draft_take(draft, (size_t)draft->nloop * sizeof build->loops[0]);
    build->loop_mark = tact_draft_take(draft, (size_t)draft->nloop * sizeof build->loop_mark[0]);
    if (!build->loops || !build->loop_mark) return false;
    for (int i = 0; i < draft->nloop; i++) add_loop(build, &draft->loops[i]);
    // commands are numbered by then
    for (int i = 0; i < draft->nbody; i++) {
        const tact_scene_link *link = &build->links[i];
        if (link->led && link->leader == i) build->springs[link->led - 1].u = build->dof_u[link->v];
    }
    return true;
}

void tact_scene_suspect_loops(const tact_scene_build *build, const tact_model *model) {
    tact_arena arena = {0};
    tact_kinematics kinematics;
    if (model->nloop == 0) return;
    tact_kinematics_place(&kinematics, model, &arena);
    void *memory = tact_memory_get(arena.used);
    // without memory nothing is reported
    if (!memory) return;
    arena = (tact_arena){.memory = memory, .size = arena.used};
    tact_kinematics_place(&kinematics, model, &arena);
    tact_kinematics_update(&kinematics, model, model->q0);
    for (int i = 0; i < model->nloop; i++) {
        tact_vec3 e = tact_loop_error(model, &kinematics, i);
        double open = sqrt((double)tact_vec3_dot(e, e));
        if (open > LOOP_OPEN)
            tact_draft_doubt(&build->draft, &build->loop_mark[i], NULL, "the loop is open by %s m at the start",
                             tact_rounded(open, 3).text);
    }
    tact_memory_release(memory);
}
