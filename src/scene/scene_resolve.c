// SPDX-License-Identifier: MIT
// Names to indices: who carries whom. Bodies may be listed in any order; in the model parents come before children, and
// otherwise the listed order stays.
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

#define PATH_SIZE 512

// A thing that has a name: where it was given, and by which robot.
typedef struct {
    const tact_draft_mark *mark;
    int robot;
} named;

// Where the first of two things of one name is. Of a robot and another, or the scene, they are reported once: a prefix mends all.
static void refuse_twice(tact_scene_build *build, named again, const char *key, const char *name, named before) {
    const tact_draft *draft = &build->draft;
    const tact_draft_mark *mark = again.mark, *first = before.mark;
    char path[PATH_SIZE] = "", advice[64] = "";
    int robot = again.robot > before.robot ? again.robot : before.robot;
    if (again.robot != before.robot && build->prefix_told) return;
    if (again.robot != before.robot) {
        build->prefix_told = true;
        snprintf(advice, sizeof advice, ": a \"prefix\" in /robots/%d goes before all its names", robot);
    }
    if (!tact_errors_full(draft->errors, TACT_ERROR_REFUSED)) tact_draft_path(first, path, sizeof path);
    const char *file = first->json ? first->json->source.name : first->place.file;
    const char *own = mark->json ? mark->json->source.name : mark->place.file;
    bool elsewhere = file && own && strcmp(file, own) != 0;
    tact_draft_refuse(draft, mark, key, "%s is already used at %s%s%s%s", tact_quote(name).text, elsewhere ? file : "",
                      elsewhere ? " " : "", path, advice);
}

tact_draft_mark tact_scene_joint_mark(const tact_draft_body *body) {
    tact_draft_mark mark = body->mark;
    int joint = mark.json ? tact_json_find(mark.json, mark.node, "joint") : -1;
    if (joint >= 0) mark.node = joint;
    return mark;
}

static named name_of_body(const tact_draft *draft, int body) {
    return (named){&draft->bodies[body].mark, draft->bodies[body].robot};
}

static tact_hint hint(const tact_scene_build *build, const char *name, bool joints) {
    tact_nearest nearest = {.word = name};
    for (int i = 0; i < build->draft.nbody && !tact_errors_full(build->errors, TACT_ERROR_REFUSED); i++) {
        const tact_draft_body *body = &build->draft.bodies[i];
        const char *other = joints ? body->joint : body->name;
        if (other) tact_nearest_try(&nearest, other);
    }
    if (!joints) tact_nearest_try(&nearest, TACT_SCENE_WORLD);
    return tact_nearest_hint(&nearest);
}

int tact_scene_find_body(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const char *name) {
    int body = tact_name_table_find(&build->bodies, 0, name);
    if (body >= 0 || build->draft.bodies_doubted) return body;
    tact_draft_refuse(&build->draft, mark, key, "no body %s%s", tact_quote(name).text, hint(build, name, false).text);
    return -1;
}

int tact_scene_find_joint(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const char *name) {
    int body = tact_name_table_find(&build->joints, 0, name);
    if (body >= 0 || build->draft.bodies_doubted) return body;
    tact_draft_refuse(&build->draft, mark, key, "no joint %s%s", tact_quote(name).text, hint(build, name, true).text);
    return -1;
}

// "a" > "b" > "a", each carried by the next, shortened
static void refuse_cycle(tact_scene_build *build, int i) {
    const tact_draft_body *bodies = build->draft.bodies;
    char text[480] = "";
    size_t used = 0;
    int at = i, count = 0;
    do {
        used += (size_t)snprintf(text + used, sizeof text - used, "%.60s > ", tact_quote(bodies[at].name).text);
        at = build->links[at].parent;
    } while (at != i && ++count < 5);
    snprintf(text + used, sizeof text - used, "%s%.60s", at != i ? "... > " : "", tact_quote(bodies[i].name).text);
    tact_draft_refuse(&build->draft, &bodies[i].mark, "parent", "a cycle of parents: %s", text);
}

// Walks up from each body to one that has its place, and gives places on the way back.
static void order_bodies(tact_scene_build *build, int *stack) {
    enum { OPEN = -1, ON_WAY = -2 };
    tact_scene_link *links = build->links;
    int count = 0;
    for (int i = 0; i < build->draft.nbody; i++) links[i].index = OPEN;
    for (int i = 0; i < build->draft.nbody; i++) {
        int length = 0, at = i;
        // up to a body that is placed
        while (at != TACT_WORLD && links[at].index == OPEN) {
            links[at].index = ON_WAY;
            stack[length++] = at;
            at = links[at].parent;
        }
        // a cycle: told, and cut at its end
        if (at != TACT_WORLD && links[at].index == ON_WAY) {
            refuse_cycle(build, at);
            links[stack[length - 1]].parent = TACT_WORLD;
        }
        // back down: parents get their places first
        while (length > 0) {
            at = stack[--length];
            links[at].index = count;
            build->order[count++] = at;
        }
    }
}

bool tact_scene_resolve_bodies(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    size_t count = (size_t)draft->nbody;
    build->links = tact_draft_take(draft, count * sizeof build->links[0]);
    build->order = tact_draft_take(draft, count * sizeof build->order[0]);
    int *scratch = tact_draft_take(draft, count * sizeof scratch[0]);
    if (!build->links || !build->order || !scratch) return false;
    if (!tact_name_table_make(&build->bodies, draft, draft->nbody)) return false;
    if (!tact_name_table_make(&build->joints, draft, draft->nbody)) return false;
    memset(build->links, 0, count * sizeof build->links[0]);
    for (int i = 0; i < draft->nbody; i++) {
        tact_draft_body *body = &draft->bodies[i];
        if (!body->name) continue;
        bool own_joint = body->joint != NULL;
        if (!own_joint) body->joint = body->name;
        int first = tact_name_table_add(&build->bodies, 0, body->name, strlen(body->name), i);
        if (first >= 0) refuse_twice(build, (named){&body->mark, body->robot}, "name", body->name, name_of_body(draft, first));
        draft->bodies_doubted = draft->bodies_doubted || first >= 0;
        // a joint that only has the body's name was reported with the body
        if (first >= 0 && !own_joint) continue;
        int other = tact_name_table_add(&build->joints, 0, body->joint, strlen(body->joint), i);
        if (other < 0) continue;
        tact_draft_mark mark = tact_scene_joint_mark(body);
        refuse_twice(build, (named){own_joint ? &mark : &body->mark, body->robot}, "name", body->joint,
                     name_of_body(draft, other));
    }
    for (int i = 0; i < draft->nbody; i++) {
        const tact_draft_body *body = &build->draft.bodies[i];
        tact_scene_link *link = &build->links[i];
        link->parent = TACT_WORLD;
        if (!body->parent) continue;
        link->parent = tact_scene_find_body(build, &body->mark, "parent", body->parent);
        if (link->parent != i) continue;
        tact_draft_refuse(&build->draft, &body->mark, "parent", "parent and child are both %s", tact_quote(body->parent).text);
        link->parent = TACT_WORLD;
    }
    order_bodies(build, scratch);
    for (int k = 0; k < build->draft.nbody; k++) {
        int i = build->order[k], parent = build->links[i].parent;
        scratch[i] = parent == TACT_WORLD ? 1 : scratch[parent] + 1;
        if (scratch[i] != TACT_SCENE_DEPTH_MAX + 1) continue;
        tact_draft_refuse(&build->draft, &build->draft.bodies[i].mark, "parent", "more than %d bodies carry one another",
                          TACT_SCENE_DEPTH_MAX);
    }
    for (int k = 0; k < draft->nbody; k++) {
        // weld: the first of the bodies that are fixed to each other
        int i = build->order[k], parent = build->links[i].parent;
        bool fixed = draft->bodies[i].type == TACT_JOINT_FIXED;
        build->links[i].weld = !fixed ? i : parent == TACT_WORLD ? TACT_WORLD : build->links[parent].weld;
    }
    return true;
}

// Finds member k of a union by its name, and refuses one that is unknown, a union, on another body or given twice.
static void resolve_member(tact_scene_build *build, int whole, int k) {
    const tact_draft_shape *shapes = build->draft.shapes, *shape = &shapes[whole];
    const char *name = shape->of[k];
    int member = tact_name_table_find(&build->shapes, 0, name);
    tact_nearest nearest = {.word = name};
    if (member < 0) {
        for (int i = 0; i < build->draft.nshape && !tact_errors_full(build->errors, TACT_ERROR_REFUSED); i++)
            if (shapes[i].name) tact_nearest_try(&nearest, shapes[i].name);
        tact_draft_refuse(&build->draft, &shape->mark, "of", "no shape %s%s", tact_quote(name).text,
                          tact_nearest_hint(&nearest).text);
    } else if (tact_shape_is_union(shapes[member].type)) {
        tact_draft_refuse(&build->draft, &shape->mark, "of", "%s is a union itself", tact_quote(name).text);
    } else if (build->shape_body[member] != build->shape_body[whole]) {
        tact_draft_refuse(&build->draft, &shape->mark, "of", "%s belongs to another body", tact_quote(name).text);
    } else {
        // a shape is a member once
        for (int j = 0; j < k; j++)
            if (shape->of[j] && shape->member[j] == member)
                tact_draft_refuse(&build->draft, &shape->mark, "of", "%s twice", tact_quote(name).text);
        shape->member[k] = member;
    }
}

// Finds the bodies and members that shapes refer to by name, and refuses names that are given twice. False without memory.
bool tact_scene_resolve_shapes(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    build->shape_body = tact_draft_take(draft, (size_t)draft->nshape * sizeof build->shape_body[0]);
    if (!build->shape_body || !tact_name_table_make(&build->shapes, draft, draft->nshape)) return false;
    for (int i = 0; i < draft->nshape; i++) {
        const tact_draft_shape *shape = &draft->shapes[i];
        build->shape_body[i] = TACT_WORLD;
        if (shape->body) build->shape_body[i] = tact_scene_find_body(build, &shape->mark, "body", shape->body);
        if (!shape->name) continue;
        int first = tact_name_table_add(&build->shapes, 0, shape->name, strlen(shape->name), i);
        if (first >= 0)
            refuse_twice(build, (named){&shape->mark, shape->robot}, "name", shape->name,
                         (named){&draft->shapes[first].mark, draft->shapes[first].robot});
    }
    for (int i = 0; i < draft->nshape; i++)
        for (int k = 0; draft->shapes[i].of && k < draft->shapes[i].count; k++)
            if (draft->shapes[i].of[k]) resolve_member(build, i, k);
    return true;
}
