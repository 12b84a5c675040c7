// SPDX-License-Identifier: MIT
// Pairs of boxes and hulls. A contact is that of a ball or capsule against a shape; so a pair of a box or hull with a plane
// becomes slots, one for each vertex. With another box or hull the slots are the vertices of each against the other, and the
// edges of a against b, since two boxes may touch where edges cross and no vertex is near. A vertex is a ball of the shape's
// corner radius about the corner of its core, an edge a capsule of that radius, which touches where its segment is nearest to b,
// or, where forces begin before contact, at two places of the segment: see geom/segment.c.
// They are shapes of the model, made once however many pairs need them, on the same body; slot 3 of "crate" is "crate#3".
#include <stdio.h>
#include <string.h>

#include "math/elementary.h"
#include "scene/build.h"
#include "tact/text.h"

static bool has_vertices(tact_shape_type type) {
    return type == TACT_SHAPE_BOX || type == TACT_SHAPE_HULL;
}

bool tact_scene_is_patch(tact_shape_type a, tact_shape_type b) {
    bool both = has_vertices(a) && has_vertices(b);
    return both || (has_vertices(a) && b == TACT_SHAPE_PLANE) || (has_vertices(b) && a == TACT_SHAPE_PLANE);
}

// The vertices of the core, in the shape's frame; how many. A box that its corner radius takes up along an axis has fewer.
static int find_vertices(const tact_draft_shape *shape, tact_vec3 *vertex) {
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

// The edges of the core; how many. Of a box those between vertices that differ along one axis.
static int find_edges(const tact_draft_shape *shape, tact_vec3 *from, tact_vec3 *to) {
    tact_vec3 vertex[TACT_HULL_VERTICES];
    int nvertex = find_vertices(shape, vertex), count = 0;
    if (shape->type == TACT_SHAPE_HULL) {
        for (int i = 0; shape->hull && i < shape->hull->nedge; i++, count++) {
            from[count] = vertex[shape->hull->edge[i].from];
            to[count] = vertex[shape->hull->edge[i].to];
        }
        return count;
    }
    for (int i = 0; i < nvertex; i++)
        for (int j = i + 1; j < nvertex; j++) {
            int apart = (vertex[i].x != vertex[j].x) + (vertex[i].y != vertex[j].y) + (vertex[i].z != vertex[j].z);
            if (apart != 1) continue;
            from[count] = vertex[i];
            to[count++] = vertex[j];
        }
    return count;
}

static int count_vertices(const tact_draft_shape *shape) {
    tact_vec3 vertex[TACT_HULL_VERTICES];
    return has_vertices(shape->type) ? find_vertices(shape, vertex) : 0;
}

static int count_edges(const tact_draft_shape *shape) {
    tact_vec3 from[TACT_HULL_EDGES], to[TACT_HULL_EDGES];
    return has_vertices(shape->type) ? find_edges(shape, from, to) : 0;
}

static int count_parts(const tact_draft_shape *shape) {
    return count_vertices(shape) + count_edges(shape);
}

// Contacts of an edge: where forces begin before contact the two places that move smoothly, else the nearest one.
static int edge_slots(const tact_scene_build *build) {
    return build->law && build->law->distant ? 2 : 1;
}

static int count_slots(const tact_scene_build *build, const tact_pair *pair) {
    const tact_draft_shape *a = &build->draft.shapes[pair->a], *b = &build->draft.shapes[pair->b];
    if (!tact_scene_is_patch(a->type, b->type)) return 1;
    return count_vertices(a) + count_vertices(b) + (has_vertices(b->type) ? edge_slots(build) * count_edges(a) : 0);
}

// A shape that stands for a part of another, without place and sizes; NULL when there is no memory.
static tact_draft_shape *add_part(tact_scene_build *build, const tact_draft_shape *whole, tact_shape_type type, int slot) {
    tact_draft *draft = &build->draft;
    char name[TACT_NAME_MAX + 16];
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
                               .robot = whole->robot,
                               .mark = whole->mark};
    part->size[0] = whole->size[whole->type == TACT_SHAPE_BOX ? 3 : 0];
    return part;
}

// Adds the vertices of a shape to the draft, as balls, then its edges, as capsules; the first, -1 when there is no memory.
static int add_vertices(tact_scene_build *build, int whole) {
    tact_vec3 vertex[TACT_HULL_VERTICES], from[TACT_HULL_EDGES], to[TACT_HULL_EDGES];
    tact_draft_shape shape = build->draft.shapes[whole];
    int nvertex = find_vertices(&shape, vertex), nedge = find_edges(&shape, from, to), first = build->draft.nshape;
    tact_pose pose = tact_scene_pose(&shape.frame);
    for (int i = 0; i < nvertex + nedge; i++) {
        tact_draft_shape *part = add_part(build, &shape, i < nvertex ? TACT_SHAPE_SPHERE : TACT_SHAPE_CAPSULE, i);
        if (!part) return -1;
        tact_vec3 at = vertex[i < nvertex ? i : 0];
        if (i >= nvertex) {
            // z along the edge: yaw and pitch of its direction
            tact_vec3 half = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_sub(to[i - nvertex], from[i - nvertex]));
            tact_vec3 along = tact_mat3_apply(pose.R, half);
            at = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(from[i - nvertex], to[i - nvertex]));
            part->size[1] = tact_sqrt(tact_vec3_dot(half, half));
            part->frame.rpy[1] = tact_atan2(tact_sqrt(along.x * along.x + along.y * along.y), along.z);
            part->frame.rpy[2] = tact_atan2(along.y, along.x);
        }
        at = tact_pose_apply(pose, at);
        part->frame.xyz[0] = at.x;
        part->frame.xyz[1] = at.y;
        part->frame.xyz[2] = at.z;
    }
    return first;
}

// The vertices of every shape that some pair needs; first (nshape) says where those of a shape begin. False without memory.
static bool add_all(tact_scene_build *build, int *first, int nshape) {
    for (int i = 0; i < nshape; i++) first[i] = -1;
    for (int i = 0; i < build->npair; i++) {
        const int shape[2] = {build->pairs[i].a, build->pairs[i].b};
        const tact_draft_shape *list = build->draft.shapes;
        if (!tact_scene_is_patch(list[shape[0]].type, list[shape[1]].type)) continue;
        for (int k = 0; k < 2; k++) {
            if (!has_vertices(build->draft.shapes[shape[k]].type) || first[shape[k]] >= 0) continue;
            first[shape[k]] = add_vertices(build, shape[k]);
            if (first[shape[k]] < 0) return false;
        }
    }
    return true;
}

// Which shape each vertex belongs to, and the bodies that carry them.
static bool extend_lists(tact_scene_build *build, const int *first, int nshape) {
    size_t count = (size_t)build->draft.nshape;
    int *body = tact_draft_take(&build->draft, count * sizeof *body);
    build->slot_of = tact_draft_take(&build->draft, count * sizeof *build->slot_of);
    if (!body || !build->slot_of) return false;
    for (int i = 0; i < build->draft.nshape; i++) build->slot_of[i] = -1;
    for (int i = 0; i < nshape; i++) {
        body[i] = build->shape_body[i];
        for (int k = 0; first[i] >= 0 && k < count_parts(&build->draft.shapes[i]); k++) {
            build->slot_of[first[i] + k] = i;
            body[first[i] + k] = build->shape_body[i];
        }
    }
    build->shape_body = body;
    return true;
}

bool tact_scene_expand_patches(tact_scene_build *build, int node) {
    int64_t slots = 0, parts = 0;
    int nshape = build->draft.nshape, most = 0, largest = 0, each = edge_slots(build);
    for (int i = 0; i < build->npair; i++) {
        int count = count_slots(build, &build->pairs[i]);
        slots += count;
        if (count > most) most = count, largest = i;
    }
    if (most <= 1) return true;
    for (int i = 0; i < nshape; i++) parts += count_parts(&build->draft.shapes[i]);
    if (slots > TACT_SCENE_PAIRS_MAX || parts + nshape > TACT_SCENE_SHAPES_MAX) {
        const tact_pair *pair = &build->pairs[largest];
        tact_json_refuse(build->json, node,
                         "the vertices of boxes and hulls make %lld contacts, more than the limit of %d: %s with %s alone has %d",
                         (long long)slots, TACT_SCENE_PAIRS_MAX, tact_quote(build->draft.shapes[pair->a].name).text,
                         tact_quote(build->draft.shapes[pair->b].name).text, most);
        return true;
    }
    int *first = tact_draft_take(&build->draft, (size_t)nshape * sizeof *first), count = 0;
    tact_pair *pairs = tact_draft_take(&build->draft, (size_t)slots * sizeof *pairs);
    if (!first || !pairs || !add_all(build, first, nshape) || !extend_lists(build, first, nshape)) return false;
    for (int i = 0; i < build->npair; i++) {
        tact_pair pair = build->pairs[i];
        const tact_draft_shape *a = &build->draft.shapes[pair.a], *b = &build->draft.shapes[pair.b];
        if (!tact_scene_is_patch(a->type, b->type)) {
            pairs[count++] = pair;
            continue;
        }
        for (int k = 0; k < count_vertices(a); k++)
            pairs[count++] = (tact_pair){.a = first[pair.a] + k, .b = pair.b, .mu = pair.mu, .restitution = pair.restitution};
        for (int k = 0; k < count_vertices(b); k++)
            pairs[count++] = (tact_pair){.a = pair.a, .b = first[pair.b] + k, .mu = pair.mu, .restitution = pair.restitution};
        for (int k = 0; has_vertices(b->type) && k < each * count_edges(a); k++)
            pairs[count++] = (tact_pair){.a = first[pair.a] + count_vertices(a) + k / each,
                                         .b = pair.b,
                                         .mu = pair.mu,
                                         .restitution = pair.restitution,
                                         .vertex = each > 1 ? -3 - k % 2 : 0};
    }
    build->pairs = pairs;
    build->npair = count;
    return true;
}
