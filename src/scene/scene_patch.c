// SPDX-License-Identifier: MIT
// Pairs of boxes and hulls. A contact is that of a ball or capsule against a shape; so a pair of a box or hull with a plane
// becomes slots, one for each vertex. With another box or hull the slots are the vertices of each against the other, and the
// edges, since two boxes may touch where edges cross and no vertex is near (where forces begin before contact those of a do,
// under the rigid law those of both have slots, as an edge may cross two others). A vertex is a ball of the shape's corner radius
// about the corner of its core, an edge a capsule of that radius, which touches where its segment is nearest to b, or, where
// forces begin before contact, at two places of the segment: see geom/segment.c. They are shapes of the model, made once however
// many pairs need them, on the same body; slot 3 of "crate" is "crate#3".
//
// Where one of two shapes is a grid, a cylinder or an ellipsoid, each touches the other by the balls of scene_samples.c.
#include <stdio.h>
#include <string.h>

#include "contact/search.h"
#include "math/elementary.h"
#include "scene/build.h"

// The vertices of the core, in the shape's frame; how many. A box that its corner radius takes up along an axis has fewer.
int tact_scene_vertices(const tact_draft_shape *shape, tact_vec3 *vertex) {
    const tact_real *size = shape->size;
    int count = 0;
    if (shape->type == TACT_SHAPE_HULL) {
        for (int i = 0; shape->hull && i < shape->hull->nvertex; i++) vertex[count++] = shape->hull->vertex[i];
        return count;
    }
    tact_real half[3];
    for (int k = 0; k < 3; k++) half[k] = size[k] - size[3];
    for (int i = 0; i < 8; i++) {
        bool twin = false;
        for (int k = 0; k < 3; k++) twin = twin || ((i >> k & 1) && !(half[k] > 0));
        if (twin) continue;
        vertex[count++] = tact_vec3_make(i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
    }
    return count;
}

// The edges of the core, and a direction between the normals of both faces; how many. Of a box those between vertices that differ
// along one axis.
int tact_scene_edges(const tact_draft_shape *shape, tact_vec3 *from, tact_vec3 *to, tact_vec3 *out) {
    const tact_hull *hull = shape->hull;
    int count = 0;
    if (shape->type == TACT_SHAPE_HULL) {
        for (; hull && count < hull->nedge; count++) {
            from[count] = hull->vertex[hull->edge[count].from];
            to[count] = hull->vertex[hull->edge[count].to];
            out[count] = tact_vec3_add(hull->face[hull->edge[count].left].normal, hull->face[hull->edge[count].right].normal);
        }
        return count;
    }
    // Of a box.
    tact_vec3 vertex[TACT_HULL_VERTICES];
    int nvertex = tact_scene_vertices(shape, vertex);
    for (int i = 0; i < nvertex; i++)
        for (int j = i + 1; j < nvertex; j++) {
            int apart = (vertex[i].x != vertex[j].x) + (vertex[i].y != vertex[j].y) + (vertex[i].z != vertex[j].z);
            if (apart != 1) continue;
            from[count] = vertex[i];
            to[count] = vertex[j];
            out[count++] = tact_vec3_add(vertex[i], vertex[j]);
        }
    return count;
}

// What a shape has for the pairs of the scene, as far as these need it.
typedef struct {
    bool patch, sampled;  // pairs by vertices and edges; by balls on the surface
    tact_scene_balls balls;
    tact_shape_parts of;  // among the shapes of the draft
} shape_parts;

// The slots of a pair that is a patch.
static tact_patch find_patch(const tact_scene_build *build, const shape_parts *parts, tact_pair pair) {
    const tact_draft_shape *shapes = build->draft.shapes;
    return (tact_patch){.pair = pair,
                        .type = {shapes[pair.a].type, shapes[pair.b].type},
                        .parts = {&parts[pair.a].of, &parts[pair.b].of},
                        .distant = build->law && build->law->distant};
}

// A pair that is not a patch is a slot itself.
static int count_slots(const tact_patch *patch) {
    return tact_is_patch(patch->type[0], patch->type[1]) ? tact_patch_slots(patch) : 1;
}

// A shape that stands for a part of another, without place and sizes; NULL when there is no memory.
static tact_draft_shape *add_part(tact_scene_build *build, const tact_draft_shape *whole, tact_shape_type type, int slot) {
    tact_draft *draft = &build->draft;
    char name[TACT_NAME_MAX + 16];
    // Parts are named shape#0, shape#1, ..., by which pairs and messages tell them apart.
    int length = snprintf(name, sizeof name, "%s#%d", whole->name, slot);
    const char *kept = tact_draft_string(draft, name, (size_t)length);
    tact_draft_shape *part = kept ? tact_draft_add_shape(draft) : NULL;
    if (!part) return NULL;
    if (tact_name_table_find(&build->shapes, 0, kept) >= 0)
        tact_draft_refuse(draft, &whole->mark, "name", "its slot would have the name %s, which another shape has",
                          tact_quote(kept).text);
    *part = (tact_draft_shape){.name = kept,
                               .body = whole->body,
                               .type = type,
                               .contype = whole->contype,
                               .conaffinity = whole->conaffinity,
                               .mu = whole->mu,
                               .priority = whole->priority,
                               .robot = whole->robot,
                               .mark = whole->mark};
    // The radius of the part is the rounding of the whole.
    part->size[0] = whole->size[whole->type == TACT_SHAPE_BOX ? 3 : 0];
    return part;
}

static void place_part(tact_draft_shape *part, tact_pose pose, tact_vec3 at) {
    at = tact_pose_apply(pose, at);
    part->frame.xyz[0] = at.x;
    part->frame.xyz[1] = at.y;
    part->frame.xyz[2] = at.z;
}

// Adds the parts of a shape to the draft: vertices as balls, edges as capsules, the balls. False without memory.
static bool add_parts_of(tact_scene_build *build, int whole, shape_parts *parts) {
    tact_vec3 vertex[TACT_HULL_VERTICES], from[TACT_HULL_EDGES], to[TACT_HULL_EDGES], out[TACT_HULL_EDGES];
    tact_draft_shape shape = build->draft.shapes[whole], *part = NULL;
    tact_pose pose = tact_scene_pose(&shape.frame);
    int slot = 0;
    // Vertices: balls of the rounding's radius.
    parts->of.vertex = build->draft.nshape;
    if (parts->patch && tact_has_vertices(shape.type))
        tact_scene_vertices(&shape, vertex), tact_scene_edges(&shape, from, to, out);
    for (int i = 0; i < parts->of.nvertex; i++) {
        part = add_part(build, &shape, TACT_SHAPE_SPHERE, slot++);
        if (!part) return false;
        place_part(part, pose, vertex[i]);
        // its number, and how many there are: see contact/rims.c
        part->size[1] = (tact_real)i;
        part->size[2] = (tact_real)parts->of.nvertex;
    }
    // Edges: capsules along them.
    parts->of.edge = build->draft.nshape;
    for (int i = 0; i < parts->of.nedge; i++) {
        part = add_part(build, &shape, TACT_SHAPE_CAPSULE, slot++);
        if (!part) return false;
        // z along the edge: yaw and pitch of its direction
        tact_vec3 half = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_sub(to[i], from[i])), along = tact_mat3_apply(pose.R, half);
        part->size[1] = tact_sqrt(tact_vec3_dot(half, half));
        part->size[2] = part->size[1];
        part->frame.rpy[1] = tact_atan2(tact_sqrt(along.x * along.x + along.y * along.y), along.z);
        part->frame.rpy[2] = tact_atan2(along.y, along.x);
        tact_vec3 way = tact_mat3_apply_transposed(tact_scene_pose(&part->frame).R, tact_mat3_apply(pose.R, out[i]));
        part->size[3] = tact_atan2(way.y, way.x);
        place_part(part, pose, tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(from[i], to[i])));
    }
    // Balls that touch grids, of radii of their own.
    parts->of.ball = build->draft.nshape;
    for (int i = 0; i < parts->of.nball; i++) {
        part = add_part(build, &shape, TACT_SHAPE_SPHERE, slot++);
        if (!part) return false;
        part->size[0] = parts->balls.radius[i];
        place_part(part, pose, parts->balls.at[i]);
    }
    return true;
}

// What the pairs that every step may find ask of the shapes: of those that meet no other in a patch nothing.
static void mark_found(const tact_scene_build *build, shape_parts *parts) {
    const tact_draft_shape *list = build->draft.shapes;
    int kinds[TACT_SHAPE_GRID + 1] = {0};
    for (int i = 0; i < build->draft.nshape; i++) kinds[list[i].type]++;
    for (int i = 0; i < build->draft.nshape; i++)
        for (int t = 0; t <= TACT_SHAPE_GRID; t++) {
            bool other = kinds[t] > ((int)list[i].type == t);
            if (!other || !tact_is_patch(list[i].type, (tact_shape_type)t)) continue;
            *(tact_is_sampled(list[i].type, (tact_shape_type)t) ? &parts[i].sampled : &parts[i].patch) = true;
        }
}

// Which shape each part belongs to, and the bodies that carry them.
static bool extend_lists(tact_scene_build *build, const shape_parts *parts, int nshape) {
    size_t count = (size_t)build->draft.nshape;
    int *body = tact_draft_take(&build->draft, count * sizeof *body);
    build->slot_of = tact_draft_take(&build->draft, count * sizeof *build->slot_of);
    if (!body || !build->slot_of) return false;
    for (int i = 0; i < nshape; i++) {
        body[i] = build->shape_body[i];
        build->slot_of[i] = -1;
        const tact_shape_parts *of = &parts[i].of;
        for (int k = of->vertex; k < of->ball + of->nball; k++) {
            build->slot_of[k] = i;
            body[k] = build->shape_body[i];
        }
    }
    build->shape_body = body;
    return true;
}

// What a search goes by. False without memory, and where two shapes have more slots than it can name, which is refused.
static bool give_search(tact_scene_build *build, const shape_parts *parts, int node) {
    int count = build->search.nwhole, most = 0, next = 0;
    tact_shape_parts *list = tact_draft_take(&build->draft, (size_t)count * sizeof *list);
    if (!list) return false;
    for (int i = 0; i < count; i++) {
        list[i] = parts[i].of;
        int own = list[i].nvertex + 2 * list[i].nedge + list[i].nball;
        if (own > most)
            next = most, most = own;
        else if (own > next)
            next = own;
    }
    build->search.parts = list;
    if (most + next > TACT_SEARCH_SLOTS)
        tact_json_refuse(build->json, node, "shapes with %d vertices, edges and samples have too many contacts to be found: %s",
                         most, "list the pairs");
    return true;
}

bool tact_scene_expand_patches(tact_scene_build *build, int node) {
    int64_t slots = 0, total = 0;
    int nshape = build->draft.nshape, most = 0, largest = 0, count = 0;
    shape_parts *parts = tact_draft_take(&build->draft, (size_t)nshape * sizeof *parts);
    if (!parts) return false;
    // What each shape needs, counted; total: of all.
    tact_vec3 vertex[TACT_HULL_VERTICES], from[TACT_HULL_EDGES], to[TACT_HULL_EDGES], out[TACT_HULL_EDGES];
    const tact_draft_shape *list = build->draft.shapes;
    for (int i = 0; i < build->draft.nshape; i++) parts[i] = (shape_parts){0};
    if (build->search.finder) mark_found(build, parts);
    for (int i = 0; i < build->npair; i++) {
        const int shape[2] = {build->pairs[i].a, build->pairs[i].b};
        // What the pairs ask of their two shapes.
        bool patch = tact_is_patch(list[shape[0]].type, list[shape[1]].type);
        bool sampled = tact_is_sampled(list[shape[0]].type, list[shape[1]].type);
        for (int k = 0; patch && k < 2; k++) *(sampled ? &parts[shape[k]].sampled : &parts[shape[k]].patch) = true;
    }
    for (int i = 0; i < build->draft.nshape; i++) {
        // Each shape's parts once, however many pairs use them.
        tact_shape_parts *of = &parts[i].of;
        if (parts[i].patch && tact_has_vertices(list[i].type)) {
            of->nvertex = tact_scene_vertices(&list[i], vertex);
            of->nedge = tact_scene_edges(&list[i], from, to, out);
        }
        if (parts[i].sampled && !tact_scene_sample(&build->draft, &list[i], &parts[i].balls)) return false;
        of->nball = parts[i].balls.count;
        total += of->nvertex + of->nedge + of->nball;
    }
    for (int i = 0; i < build->npair; i++) {
        tact_patch patch = find_patch(build, parts, build->pairs[i]);
        int own = count_slots(&patch);
        slots += own;
        if (own > most) most = own, largest = i;
    }
    if (total == 0) return true;
    // Refused with the pair that asks for most, before anything is added.
    if (slots > TACT_SCENE_PAIRS_MAX || total + nshape > TACT_SCENE_SHAPES_MAX) {
        if (build->npair == 0) {
            tact_json_refuse(build->json, node, "more than %d shapes with the vertices and edges of boxes and hulls",
                             TACT_SCENE_SHAPES_MAX);
            return true;
        }
        const tact_pair *pair = &build->pairs[largest];
        tact_json_refuse(build->json, node,
                         "the vertices of boxes and hulls make %lld contacts, more than the limit of %d: %s with %s alone has %d",
                         (long long)slots, TACT_SCENE_PAIRS_MAX, tact_quote(build->draft.shapes[pair->a].name).text,
                         tact_quote(build->draft.shapes[pair->b].name).text, most);
        return true;
    }
    tact_pair *pairs = tact_draft_take(&build->draft, (size_t)slots * sizeof *pairs);
    if (!pairs) return false;
    for (int i = 0; i < nshape; i++)
        if (!add_parts_of(build, i, &parts[i])) return false;
    if (!extend_lists(build, parts, nshape)) return false;
    if (build->search.finder && !give_search(build, parts, node)) return false;
    // Every pair by its slots, in the order of the pairs.
    for (int i = 0; i < build->npair; i++) {
        tact_patch patch = find_patch(build, parts, build->pairs[i]);
        int own = count_slots(&patch);
        bool whole = !tact_is_patch(patch.type[0], patch.type[1]);
        for (int k = 0; k < own; k++) pairs[count++] = whole ? patch.pair : tact_patch_slot(&patch, k);
    }
    build->pairs = pairs;
    build->npair = count;
    return true;
}
