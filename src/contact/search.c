// SPDX-License-Identifier: MIT
// Broad phase: a bounding volume hierarchy that is rebuilt in every step, so that nothing depends on earlier steps.
//   1. Every shape has a box along the world's axes, widened by its reach.
//   2. Boxes are sorted by the Morton code of their centres, so that neighbours in the list are mostly near in space.
//   3. A complete binary tree over the sorted boxes has SEARCH_LEAF of them per leaf; a node's box bounds its children.
//   4. Each box descends the tree along the nodes that it overlaps; planes and other unbounded shapes are tested against all.
//   5. The pairs are sorted by their keys, that is in the order of the shapes.
// Source: T. Karras, Maximizing parallelism in the construction of BVHs, octrees, and k-d trees, 2012 (Morton codes).
#include "contact/search.h"

#include "math/elementary.h"

enum { SEARCH_LEAF = 4, SEARCH_CELLS = 1024, SEARCH_DIGITS = 256 };

// Memory of the broad phase; an arena that only measures returns none.
void tact_search_place(tact_search_work *found, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(found && model->search);
    size_t pairs = (size_t)tact_model_pairs(model), most = (size_t)model->search->most, nshape = (size_t)model->nshape;
    size_t nwhole = (size_t)model->search->nwhole;
    // leaves of the tree: a power of two, with SEARCH_LEAF shapes each
    found->leaves = 1;
    while (found->leaves * SEARCH_LEAF < model->search->nwhole) found->leaves *= 2;
    // listed pairs and those found in a step, with the columns of their Jacobians
    found->pair = tact_arena_take(arena, pairs, sizeof(tact_pair));
    found->column = tact_arena_take(arena, (size_t)tact_model_columns(model), sizeof(int));
    found->column_start = tact_arena_take(arena, pairs + 1, sizeof(int));
    found->key = tact_arena_take(arena, most, sizeof(uint64_t));
    found->way = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_real));
    found->reach = tact_arena_take(arena, nshape, sizeof(tact_real));
    // bounds in each shape's frame and in the world, and of the tree's nodes
    found->own = tact_arena_take(arena, nwhole, sizeof(tact_bounds));
    found->bounds = tact_arena_take(arena, nwhole, sizeof(tact_bounds));
    found->node = tact_arena_take(arena, 2 * (size_t)found->leaves, sizeof(tact_bounds));
    // Morton codes, and scratch to sort them or the keys
    found->code = tact_arena_take(arena, nwhole, sizeof(uint64_t));
    found->spare = tact_arena_take(arena, most > nwhole ? most : nwhole, sizeof(uint64_t));
    found->endless = tact_arena_take(arena, nwhole, sizeof(int));
}

static tact_vec3 search_least(tact_vec3 a, tact_vec3 b) {
    return tact_vec3_make(tact_min(a.x, b.x), tact_min(a.y, b.y), tact_min(a.z, b.z));
}

static tact_vec3 search_most(tact_vec3 a, tact_vec3 b) {
    return tact_vec3_make(tact_max(a.x, b.x), tact_max(a.y, b.y), tact_max(a.z, b.z));
}

// Bounding box in the world, with half lengths |R| h, widened by the reach and by rounding; false for an unbounded shape.
static bool search_bound(const tact_shape *shape, const tact_pose *pose, tact_real reach, tact_bounds *own, tact_bounds *bounds) {
    // box of the shape in its own frame; bounded: false for an unbounded shape
    const tact_real *size = shape->size;
    tact_vec3 extent = tact_vec3_make(size[0], size[1], size[2]);
    tact_real round = 0;
    // half lengths; hulls and grids, whose boxes are not centred, follow
    if (tact_shape_is_ball(shape->type)) extent = tact_vec3_make(size[0], size[0], size[0]);
    if (shape->type == TACT_SHAPE_CAPSULE) extent = tact_vec3_make(size[0], size[0], size[0] + size[1]);
    if (shape->type == TACT_SHAPE_CYLINDER) extent = tact_vec3_make(size[0], size[0], size[1]);
    *own = (tact_bounds){tact_vec3_scale(-1, extent), extent};
    // a hull: the bounds of its vertices
    if (shape->type == TACT_SHAPE_HULL) {
        round = size[0];
        own->low = own->high = shape->hull->vertex[0];
        for (int i = 1; i < shape->hull->nvertex; i++) {
            own->low = search_least(own->low, shape->hull->vertex[i]);
            own->high = search_most(own->high, shape->hull->vertex[i]);
        }
    } else if (shape->type == TACT_SHAPE_GRID) {
        // a grid: from its lowest corner over count - 1 steps along each axis
        const int *n = shape->grid->count;
        round = size[0];
        own->low = shape->grid->low;
        tact_vec3 cells = tact_vec3_make((tact_real)(n[0] - 1), (tact_real)(n[1] - 1), (tact_real)(n[2] - 1));
        own->high = tact_vec3_add_scaled(own->low, shape->grid->step, cells);
    }
    // rounded shapes are wider by their radius on all sides
    tact_vec3 all = tact_vec3_make(round, round, round);
    own->low = tact_vec3_sub(own->low, all);
    own->high = tact_vec3_add(own->high, all);
    bool planar = tact_shape_is_planar(shape->type) && !tact_shape_is_ball(shape->type);
    bool bounded = shape->type != TACT_SHAPE_PLANE && !planar;
    tact_vec3 middle = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(own->low, own->high));
    tact_vec3 half = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_sub(own->high, own->low)), centre = pose->p;
    // the box of a ball does not depend on its rotation
    if (bounded && !tact_shape_is_ball(shape->type)) {
        const tact_mat3 *R = &pose->R;
        tact_real h[3];
        for (int k = 0; k < 3; k++)
            h[k] = tact_fabs(R->m[k][0]) * half.x + tact_fabs(R->m[k][1]) * half.y + tact_fabs(R->m[k][2]) * half.z;
        half = tact_vec3_make(h[0], h[1], h[2]);
        centre = tact_pose_apply(*pose, middle);
    }
    // rounding grows with the distance from the origin
    tact_real far = tact_fabs(centre.x) + tact_fabs(centre.y) + tact_fabs(centre.z) + half.x + half.y + half.z;
    tact_real more = tact_min(reach, TACT_REAL(TACT_MOST_LENGTH)) + 64 * TACT_EPS * (far + reach);
    half = tact_vec3_add(half, tact_vec3_make(more, more, more));
    *bounds = (tact_bounds){tact_vec3_sub(centre, half), tact_vec3_add(centre, half)};
    return bounded;
}

// Radix sort by digits of eight bits, lowest first, skipping digits that are equal in all numbers. The result is in x.
static void search_sort(uint64_t *x, uint64_t *spare, int count) {
    uint64_t differ = 0, *from = x, *to = spare;
    for (int i = 1; i < count; i++) differ |= x[i] ^ x[0];
    for (int shift = 0; shift < 64; shift += 8) {
        int start[SEARCH_DIGITS + 1] = {0};
        if (!(differ >> shift & (SEARCH_DIGITS - 1))) continue;
        // counting sort by this digit: histogram, running sums, then each number to its place
        for (int i = 0; i < count; i++) start[(from[i] >> shift & (SEARCH_DIGITS - 1)) + 1]++;
        for (int k = 0; k < SEARCH_DIGITS; k++) start[k + 1] += start[k];
        for (int i = 0; i < count; i++) to[start[from[i] >> shift & (SEARCH_DIGITS - 1)]++] = from[i];
        uint64_t *sorted = to;
        to = from;
        from = sorted;
    }
    // after an odd number of passes the result is in the other array
    for (int i = 0; from != x && i < count; i++) x[i] = from[i];
}

// Spreads the lowest ten bits of x, with two zeros between neighbours.
static uint64_t search_spread(uint64_t x) {
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

static uint64_t search_cell(tact_real x, tact_real low, tact_real high) {
    tact_real at = high > low ? (x - low) / (high - low) * (SEARCH_CELLS - 1) : 0;
    return search_spread((uint64_t)tact_max(0, tact_min(at, SEARCH_CELLS - 1)));
}

static void search_build(tact_search_work *found) {
    const tact_bounds none = {{TACT_MAX, TACT_MAX, TACT_MAX}, {-TACT_MAX, -TACT_MAX, -TACT_MAX}};
    for (int i = 2 * found->leaves - 1; i > 0; i--) {
        tact_bounds box = none;
        // leaves bound shapes, other nodes their children
        int first = (i - found->leaves) * SEARCH_LEAF;
        for (int r = first; i >= found->leaves && r < first + SEARCH_LEAF && r < found->nbound; r++) {
            box.low = search_least(box.low, found->bounds[found->code[r]].low);
            box.high = search_most(box.high, found->bounds[found->code[r]].high);
        }
        for (int k = 0; i < found->leaves && k < 2; k++) {
            box.low = search_least(box.low, found->node[2 * i + k].low);
            box.high = search_most(box.high, found->node[2 * i + k].high);
        }
        found->node[i] = box;
    }
}

static bool search_overlap(const tact_bounds *a, const tact_bounds *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
           a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static bool search_apart(const tact_search *search, uint64_t key) {
    int low = 0, high = search->napart;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (search->apart[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < search->napart && search->apart[low] == key;
}

// Whether two balls are farther apart than their reaches, in spite of rounding; false for other shapes.
static bool search_far(const tact_search_work *found, const tact_model *model, const tact_pose *shape, int a, int b) {
    if (!tact_shape_is_ball(model->shape[a].type) || !tact_shape_is_ball(model->shape[b].type)) return false;
    tact_vec3 way = tact_vec3_sub(shape[b].p, shape[a].p);
    tact_real reach = found->reach[a] + found->reach[b] + model->shape[a].size[0] + model->shape[b].size[0];
    return tact_vec3_dot(way, way) > (1 + 64 * TACT_EPS) * (reach * reach);
}

// The patch of two shapes found by the broad phase. Friction is that of the shape with higher priority, with equal priorities
// the larger; without a list, the model's.
tact_patch tact_search_patch(const tact_model *model, int low, int high) {
    TACT_ASSERT(model && model->search && 0 <= low && low < high && high < model->search->nwhole);
    static const tact_shape_parts none;
    const tact_shape_parts *parts = model->search->parts;
    const tact_real *friction = model->search->friction;
    const int *priority = model->search->priority;
    tact_real mu = model->search->mu;
    // friction: of the higher priority, of equal ones the larger, without a list the model's
    if (friction && priority[low] != priority[high])
        mu = friction[priority[low] > priority[high] ? low : high];
    else if (friction)
        mu = tact_max(friction[low], friction[high]);
    return (tact_patch){.pair = {.a = low, .b = high, .mu = mu, .restitution = model->search->restitution},
                        .type = {model->shape[low].type, model->shape[high].type},
                        .parts = {parts ? &parts[low] : &none, parts ? &parts[high] : &none},
                        .distant = model->search->distant};
}

// Whether a part of one shape, a ball or a capsule, is farther than both reaches from the other whole shape: from a plane, from
// a ball, or from the box in its frame along one of its axes.
static bool search_part_far(const tact_search_work *found, const tact_model *model, const tact_pose *shape, int part, int whole) {
    const tact_shape *piece = &model->shape[part];
    const tact_pose *frame = &shape[whole];
    tact_vec3 at = tact_mat3_apply_transposed(frame->R, tact_vec3_sub(shape[part].p, frame->p));
    tact_real reach = found->reach[part] + found->reach[whole] + piece->size[0], square = 0;
    // rounding of both positions
    reach += 64 * TACT_EPS *
             (reach + tact_fabs(shape[part].p.x) + tact_fabs(shape[part].p.y) + tact_fabs(shape[part].p.z) +
              tact_fabs(frame->p.x) + tact_fabs(frame->p.y) + tact_fabs(frame->p.z));
    if (model->shape[whole].type == TACT_SHAPE_PLANE) return at.z > reach;
    // half of the capsule's segment in that frame
    tact_vec3 half = {0, 0, 0};
    if (piece->type == TACT_SHAPE_CAPSULE) {
        const tact_mat3 *R = &shape[part].R;
        half = tact_vec3_scale(piece->size[1], tact_vec3_make(R->m[0][2], R->m[1][2], R->m[2][2]));
        half = tact_mat3_apply_transposed(frame->R, half);
    }
    const tact_bounds *own = &found->own[whole];
    const tact_real x[3] = {at.x, at.y, at.z}, along[3] = {half.x, half.y, half.z};
    const tact_real low[3] = {own->low.x, own->low.y, own->low.z}, high[3] = {own->high.x, own->high.y, own->high.z};
    // separating axes of the box, and the squared distance from it
    for (int k = 0; k < 3; k++) {
        tact_real away = tact_max(low[k] - x[k], x[k] - high[k]) - tact_fabs(along[k]);
        if (away > reach) return true;
        if (away > 0) square += away * away;
    }
    return square > (1 + 64 * TACT_EPS) * (reach * reach);
}

// Adds all slots of two shapes that are near each other, unless the pair is excluded.
static void search_add(tact_search_work *found, const tact_model *model, const tact_pose *shape, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    // filters: shape types that collide, groups, bodies that carry each other, excluded pairs
    const tact_search *search = model->search;
    int first = search->group[low], second = search->group[high];
    bool match = (search->kind[low] & search->meets[high]) != 0 || (search->kind[high] & search->meets[low]) != 0;
    if (!match || first == second) return;
    bool carried =
        first != TACT_WORLD && second != TACT_WORLD && (search->carrier[low] == second || search->carrier[high] == first);
    if (carried || search_apart(search, tact_pair_key(low, high))) return;
    tact_patch patch = tact_search_patch(model, low, high);
    bool parts = tact_is_patch(patch.type[0], patch.type[1]);
    int slots = tact_patch_slots(&patch);
    for (int k = 0; k < slots; k++) {
        if (parts) {
            tact_pair slot = tact_patch_slot(&patch, k);
            // a slot of one part: only if that part is near the other shape
            bool of_low = slot.a != low;
            if (search_part_far(found, model, shape, of_low ? slot.a : slot.b, of_low ? high : low)) continue;
        }
        // pairs beyond the room are counted as well, to report the overflow
        if (found->count < model->search->most) found->key[found->count] = tact_search_key(low, high, k);
        found->count++;
    }
}

// Finds all boxes behind place r in Morton order that overlap the box there.
static void search_descend(tact_search_work *found, const tact_model *model, const tact_pose *shapes, int r) {
    struct {
        int node, leaves;
    } stack[64];
    int depth = 1, shape = (int)found->code[r];
    const tact_bounds *bounds = &found->bounds[shape];
    stack[0].node = 1;
    stack[0].leaves = found->leaves;
    while (depth > 0) {
        int node = stack[--depth].node, leaves = stack[depth].leaves;
        // the node bounds the leaves from node * leaves - found->leaves on
        int first = (node * leaves - found->leaves) * SEARCH_LEAF, end = first + leaves * SEARCH_LEAF;
        if (end <= r + 1 || !search_overlap(bounds, &found->node[node])) continue;
        for (int k = 0; leaves > 1 && k < 2; k++) {
            stack[depth].node = 2 * node + k;
            stack[depth++].leaves = leaves / 2;
        }
        for (int s = first > r ? first : r + 1; leaves == 1 && s < end && s < found->nbound; s++) {
            int other = (int)found->code[s];
            if (!search_overlap(bounds, &found->bounds[other]) || search_far(found, model, shapes, shape, other)) continue;
            search_add(found, model, shapes, shape, other);
        }
    }
}

// Tests an unbounded shape against all boxes: a plane by the boxes' lowest points along its normal; others overlap all.
static void search_endless(tact_search_work *found, const tact_model *model, const tact_pose *shape, int i) {
    bool plane = model->shape[i].type == TACT_SHAPE_PLANE;
    tact_vec3 n = tact_vec3_make(shape[i].R.m[0][2], shape[i].R.m[1][2], shape[i].R.m[2][2]);
    tact_real reach = tact_min(found->reach[i], TACT_REAL(TACT_MOST_LENGTH)) * (1 + 64 * TACT_EPS);
    for (int r = 0; r < found->nbound; r++) {
        const tact_bounds *bounds = &found->bounds[found->code[r]];
        tact_vec3 low = tact_vec3_sub(bounds->low, shape[i].p), high = tact_vec3_sub(bounds->high, shape[i].p);
        // least n'x over the box
        tact_real least =
            tact_min(n.x * low.x, n.x * high.x) + tact_min(n.y * low.y, n.y * high.y) + tact_min(n.z * low.z, n.z * high.z);
        if (!plane || least <= reach) search_add(found, model, shape, i, (int)found->code[r]);
    }
}

// Columns of a pair: places of the dofs that move either shape, ascending; false when they do not fit.
static bool search_columns(tact_search_work *found, const tact_model *model, int at) {
    const int bodies[2] = {model->shape[found->pair[at].a].body, model->shape[found->pair[at].b].body};
    int *column = found->column + found->column_start[at];
    int count = 0, room = tact_model_columns(model) - found->column_start[at];
    for (int end = 0; end < 2; end++) {
        if (bodies[end] == TACT_WORLD) continue;
        for (int k = model->path_start[bodies[end]]; k < model->path_start[bodies[end] + 1]; k++) {
            int place = model->place[model->motion[model->path[k]].dof], low = count;
            // insertion, unless present
            while (low > 0 && column[low - 1] > place) low--;
            if (low > 0 && column[low - 1] == place) continue;
            if (count == room) return false;
            for (int j = count++; j > low; j--) column[j] = column[j - 1];
            column[low] = place;
        }
    }
    found->column_start[at + 1] = found->column_start[at] + count;
    return true;
}

bool tact_search_pairs(tact_search_work *found, const tact_model *model, const tact_pose *shape) {
    const tact_search *search = model->search;
    TACT_ASSERT(found && search);
    found->count = 0;
    // boxes of all shapes; the bounded ones in Morton order
    tact_bounds all = {{TACT_MAX, TACT_MAX, TACT_MAX}, {-TACT_MAX, -TACT_MAX, -TACT_MAX}};
    found->nendless = found->nbound = 0;
    for (int i = 0; i < model->search->nwhole; i++) {
        // planes are unbounded and tested against all
        tact_bounds *bounds = &found->bounds[i];
        if (!search_bound(&model->shape[i], &shape[i], found->reach[i], &found->own[i], bounds)) {
            found->endless[found->nendless++] = i;
            continue;
        }
        found->code[found->nbound++] = (uint64_t)i;
        all.low = search_least(all.low, bounds->low);
        all.high = search_most(all.high, bounds->high);
    }
    for (int r = 0; r < found->nbound; r++) {
        const tact_bounds *bounds = &found->bounds[found->code[r]];
        tact_vec3 x = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(bounds->low, bounds->high));
        // interleave the bits of the three coordinates
        uint64_t code = search_cell(x.x, all.low.x, all.high.x) << 2 | search_cell(x.y, all.low.y, all.high.y) << 1 |
                        search_cell(x.z, all.low.z, all.high.z);
        found->code[r] |= code << 32;
    }
    search_sort(found->code, found->spare, found->nbound);
    for (int r = 0; r < found->nbound; r++) found->code[r] &= UINT32_MAX;
    search_build(found);
    for (int r = 0; r < found->nbound; r++) search_descend(found, model, shape, r);
    for (int k = 0; k < found->nendless; k++) search_endless(found, model, shape, found->endless[k]);
    if (found->count > search->most) return false;
    search_sort(found->key, found->spare, found->count);
    for (int i = found->count; i < search->most; i++) found->key[i] = UINT64_MAX;
    // listed pairs, then those found
    int listed = model->npair;
    for (int i = 0; i < listed; i++) found->pair[i] = model->pair[i];
    for (int i = 0; i <= listed; i++) found->column_start[i] = model->column_start[i];
    for (int k = 0; k < model->column_start[listed]; k++) found->column[k] = model->column[k];
    for (int i = 0; i < found->count; i++) {
        uint64_t key = found->key[i];
        tact_patch patch = tact_search_patch(model, tact_search_low(key), tact_search_high(key));
        found->pair[listed + i] = tact_patch_slot(&patch, (int)(key & (TACT_SEARCH_SLOTS - 1)));
        if (!search_columns(found, model, listed + i)) return false;
    }
    // the rest of the room, so that both models have the same sizes
    int count = listed + found->count;
    found->rest = *search;
    found->rest.most -= found->count;
    found->rest.columns = tact_model_columns(model) - found->column_start[count];
    found->view = *model;
    found->view.npair = count;
    found->view.pair = found->pair;
    found->view.column = found->column;
    found->view.column_start = found->column_start;
    found->view.search = &found->rest;
    return true;
}
