// SPDX-License-Identifier: MIT
// Order of the slots of a pair. With sampled surfaces the balls of a, then those of b; otherwise the vertices of a, then those
// of b, then the edges of a against b, since two boxes may touch where edges cross far from any vertex, and where contacts are
// points also the edges of b against a.
#include "contact/patch.h"

static bool patch_is_curved(tact_shape_type type) {
    return type == TACT_SHAPE_CYLINDER || type == TACT_SHAPE_ELLIPSOID;
}

static bool patch_is_solid(tact_shape_type type) {
    return tact_has_vertices(type) || patch_is_curved(type) || type == TACT_SHAPE_PLANE;
}

bool tact_is_sampled(tact_shape_type a, tact_shape_type b) {
    if (tact_shape_is_ball(a) || tact_shape_is_ball(b)) return false;
    if (a == TACT_SHAPE_GRID || b == TACT_SHAPE_GRID) return true;
    return (patch_is_curved(a) && patch_is_solid(b)) || (patch_is_curved(b) && patch_is_solid(a));
}

bool tact_is_patch(tact_shape_type a, tact_shape_type b) {
    bool first = tact_has_vertices(a) && (tact_has_vertices(b) || b == TACT_SHAPE_PLANE);
    bool second = tact_has_vertices(b) && a == TACT_SHAPE_PLANE;
    return first || second || tact_is_sampled(a, b);
}

int tact_touching_places(tact_shape_type a, tact_shape_type b, int vertex[3]) {
    bool ball = tact_shape_is_ball(a) || tact_shape_is_ball(b), b_ends = b == TACT_SHAPE_CAPSULE;
    bool capsule = a == TACT_SHAPE_CAPSULE || b_ends, grid = a == TACT_SHAPE_GRID || b == TACT_SHAPE_GRID;
    if (tact_shape_is_union(a) || tact_shape_is_union(b) || !(ball || (capsule && !grid))) return 0;
    tact_shape_type other = b_ends ? a : b;
    bool endless = other == TACT_SHAPE_PLANE || other == TACT_SHAPE_HALFPLANE;
    bool ends = !ball && other != TACT_SHAPE_CAPSULE && other != TACT_SHAPE_ELLIPSOID;
    int count = 0;
    if (!ends || !endless) vertex[count++] = 0;
    for (int k = 1; ends && k <= 2; k++) vertex[count++] = b_ends ? k : -k;
    return count;
}

// Number of balls or vertices of one shape that touch the other, and the first of them.
static int patch_points(const tact_patch *patch, int own, int *first) {
    const tact_shape_parts *parts = patch->parts[own];
    tact_shape_type type = patch->type[own], other = patch->type[!own];
    bool sampled = tact_is_sampled(type, other);
    *first = sampled ? parts->ball : parts->vertex;
    if (!sampled) return parts->nvertex;
    // a capsule has no corners that could lie between its own balls: it does not need the grid's
    return type == TACT_SHAPE_GRID && other == TACT_SHAPE_CAPSULE ? 0 : parts->nball;
}

int tact_patch_slots(const tact_patch *patch) {
    TACT_ASSERT(patch);
    tact_shape_type a = patch->type[0], b = patch->type[1];
    int unused[3];
    if (!tact_is_patch(a, b)) return tact_touching_places(a, b, unused);
    int edges = 0;
    if (tact_has_vertices(a) && tact_has_vertices(b))
        edges = patch->distant ? 2 * patch->parts[0]->nedge : patch->parts[0]->nedge + patch->parts[1]->nedge;
    return patch_points(patch, 0, unused) + patch_points(patch, 1, unused) + edges;
}

tact_pair tact_patch_slot(const tact_patch *patch, int k) {
    TACT_ASSERT(patch && k >= 0);
    tact_pair slot = patch->pair;
    int vertex[3], from[2];
    if (!tact_is_patch(patch->type[0], patch->type[1])) {
        tact_touching_places(patch->type[0], patch->type[1], vertex);
        slot.vertex = vertex[k];
        return slot;
    }
    int of_a = patch_points(patch, 0, &from[0]), of_b = patch_points(patch, 1, &from[1]), each = patch->distant ? 2 : 1;
    if (k < of_a) {
        slot.a = from[0] + k;
    } else if (k < of_a + of_b) {
        slot.b = from[1] + k - of_a;
    } else {
        // an edge: the nearest point of its segment, or its two witness points of geom/segment.c
        k -= of_a + of_b;
        int nedge = each * patch->parts[0]->nedge;
        if (k < nedge)
            slot.a = patch->parts[0]->edge + k / each;
        else
            slot.b = patch->parts[1]->edge + k - nedge;
        slot.vertex = each > 1 ? -3 - k % 2 : 0;
    }
    return slot;
}
