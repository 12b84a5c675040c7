// SPDX-License-Identifier: MIT
// The shapes of a model in its plane, and their broad phase by sweep and prune: bounds are sorted by their left sides; the pair
// of two shapes is looked up in sorted lists of partners.
#include "tact/manifold.h"

#include "math/elementary.h"

void tact_planar_place(tact_planar *planar, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(planar && model);
    // corners: a polygon's own, at most four for any other shape; unions have members instead
    size_t nshape = (size_t)model->nshape, npair = (size_t)model->npair, corners = 0, members = 0;
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        bool group = tact_shape_is_union(shape->type);
        members += group ? (size_t)shape->count : 0;
        corners += group ? 0 : shape->type == TACT_SHAPE_POLYGON ? (size_t)shape->count : 4;
    }
    // shapes in the plane, and poses of the bodies
    planar->model = model;
    planar->shape = tact_arena_take(arena, nshape, sizeof(tact_planar_shape));
    planar->corner = tact_arena_take(arena, corners, sizeof(tact_planar_corner));
    planar->member = tact_arena_take(arena, members, sizeof(tact_planar_shape *));
    planar->rest = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_pose));
    planar->pose = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_planar_pose));
    // broad phase: bounds, their order, each shape's partners, and a bit for each pair
    planar->low = tact_arena_take(arena, nshape, sizeof(tact_vec2));
    planar->high = tact_arena_take(arena, nshape, sizeof(tact_vec2));
    planar->order = tact_arena_take(arena, nshape, sizeof(int));
    TACT_INDICES(arena, 2 * npair, &planar->partner, &planar->partner_pair);
    planar->partner_start = tact_arena_take(arena, nshape + 1, sizeof(int));
    planar->mark = tact_arena_take(arena, (npair + 63) / 64, sizeof(uint64_t));
    planar->near = tact_arena_take(arena, npair, sizeof(int));
    planar->nnear = 0;
}

// Lists the members of each union, with a bounding circle: centre and reach.
static void join_members(tact_planar *planar) {
    TACT_ASSERT(planar->model);
    const tact_model *model = planar->model;
    const tact_planar_shape **next = planar->member;
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        tact_planar_shape *whole = &planar->shape[i];
        // members are contiguous, in the order of the unions
        if (!tact_shape_is_union(shape->type)) continue;
        whole->member = next;
        whole->count = shape->count;
        for (int k = 0; k < shape->count; k++) *next++ = &planar->shape[shape->member[k]];
        // about the mean of the members' centres
        whole->centre = tact_vec2_make(0, 0);
        for (int k = 0; k < shape->count; k++)
            whole->centre = tact_vec2_add_scaled(whole->centre, 1 / (tact_real)shape->count, whole->member[k]->centre);
        // reach: radius of a circle about the centre that contains all members
        whole->reach = 0;
        for (int k = 0; k < shape->count; k++) {
            tact_vec2 arm = tact_vec2_sub(whole->member[k]->centre, whole->centre);
            tact_real far = whole->member[k]->reach + tact_sqrt(tact_vec2_dot(arm, arm));
            whole->reach = tact_max(whole->reach, tact_min(far, TACT_MAX));
        }
        // a smooth union is larger by at most T log(count): sum exp(-psi/T) <= count exp(-min psi/T)
        if (whole->kind == TACT_PLANAR_SMOOTH && whole->reach < TACT_MAX)
            whole->reach += whole->temperature * tact_log((tact_real)shape->count);
    }
}

void tact_planar_prepare(tact_planar *planar) {
    TACT_ASSERT(planar);
    const tact_model *model = planar->model;
    tact_planar_corner *corner = planar->corner;
    planar->plane = tact_plane_find(model);
    // poses with all joint coordinates 0, parents first
    tact_pose *rest = planar->rest;
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        rest[b] = body->parent == TACT_WORLD ? body->place : tact_pose_multiply(rest[body->parent], body->place);
    }
    // each shape's silhouette along the normal, with all joints at 0
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        tact_pose body = shape->body == TACT_WORLD ? tact_pose_identity() : planar->rest[shape->body];
        tact_planar_shape_make(&planar->shape[i], shape, &planar->plane, body, corner);
        corner += planar->shape[i].count;
    }
    join_members(planar);
    // partners in ascending order: pairs are inserted in the order of the other shape by a pass over all shapes
    int *start = planar->partner_start, *fill = planar->order;
    // counting sort by shape; each pair is in the lists of both
    for (int i = 0; i <= model->nshape; i++) start[i] = 0;
    for (int p = 0; p < model->npair; p++) {
        start[model->pair[p].a + 1]++;
        start[model->pair[p].b + 1]++;
    }
    for (int i = 0; i < model->nshape; i++) {
        start[i + 1] += start[i];
        fill[i] = start[i];
    }
    for (int p = 0; p < model->npair; p++) {
        const int ends[2] = {model->pair[p].a, model->pair[p].b};
        for (int k = 0; k < 2; k++) {
            // insertion sort: lists that are already sorted, as those of "auto", cost nothing more
            int own = ends[k], other = ends[1 - k], at = fill[own]++;
            for (; at > start[own] && planar->partner[at - 1] > other; at--) {
                planar->partner[at] = planar->partner[at - 1];
                planar->partner_pair[at] = planar->partner_pair[at - 1];
            }
            planar->partner[at] = other;
            planar->partner_pair[at] = p;
        }
    }
    for (int i = 0; i < model->nshape; i++) planar->order[i] = i;
    for (int b = 0; b < model->nbody; b++) planar->pose[b] = tact_planar_pose_identity();
}

void tact_planar_update(tact_planar *planar, const tact_kinematics *kinematics) {
    TACT_ASSERT(kinematics && (kinematics->pose || planar->model->nbody == 0));
    const tact_plane *plane = &planar->plane;
    for (int b = 0; b < planar->model->nbody; b++) {
        const tact_pose *pose = &kinematics->pose[b];
        tact_planar_pose *to = &planar->pose[b];
        // position in the plane, and rotation as (cos, sin) relative to the rest pose
        to->p = tact_vec2_make(tact_vec3_dot(plane->x, pose->p), tact_vec3_dot(plane->y, pose->p));
        // the plane's x axis, transformed to the body's rest frame and back
        tact_vec3 inner = tact_mat3_apply_transposed(planar->rest[b].R, plane->x);
        tact_vec3 turned = tact_mat3_apply(pose->R, inner);
        to->turn = tact_vec2_make(tact_vec3_dot(plane->x, turned), tact_vec3_dot(plane->y, turned));
    }
}

tact_planar_pose tact_planar_pose_of(const tact_planar *planar, int body) {
    return body == TACT_WORLD ? tact_planar_pose_identity() : planar->pose[body];
}

static tact_vec2 shape_centre(const tact_planar *planar, const tact_planar_shape *shape) {
    tact_planar_pose pose = tact_planar_pose_of(planar, shape->body);
    return tact_vec2_add(pose.p, tact_planar_rotate(pose, shape->centre));
}

static tact_real body_slack(const tact_real *slack, int body) {
    return slack && body != TACT_WORLD ? slack[body] : 0;
}

// Order by low.x, then by index: a total order, so that the result does not depend on the previous order.
static bool sweeps_before(const tact_planar *planar, int i, int j) {
    tact_real a = planar->low[i].x, b = planar->low[j].x;
    return a < b || (!(b < a) && i < j);
}

static void mark_pair(tact_planar *planar, int i, int j) {
    // bisection in the ascending list of partners
    int low = planar->partner_start[i], high = planar->partner_start[i + 1] - 1;
    while (low <= high) {
        int middle = (low + high) / 2, partner = planar->partner[middle];
        if (partner == j) {
            int pair = planar->partner_pair[middle];
            planar->mark[pair / 64] |= (uint64_t)1 << (pair % 64);
            return;
        }
        if (partner < j)
            low = middle + 1;
        else
            high = middle - 1;
    }
}

// Whether a shape's bounding circle does not reach a half-plane.
static bool is_behind(const tact_planar *planar, const tact_planar_shape *plane, const tact_planar_shape *shape,
                      tact_real margin) {
    if (plane->kind != TACT_PLANAR_HALFPLANE || !(shape->reach < TACT_MAX)) return false;
    // signed distance of the circle's centre from the half-plane
    tact_planar_pose pose = tact_planar_pose_of(planar, plane->body);
    tact_vec2 y = tact_planar_unrotate(pose, tact_vec2_sub(shape_centre(planar, shape), pose.p));
    return tact_planar_value(plane, y) > shape->reach + margin;
}

bool tact_planar_apart(const tact_planar *planar, int pair, tact_real margin) {
    TACT_ASSERT(pair >= 0 && pair < planar->model->npair);
    const tact_planar_shape *a = &planar->shape[planar->model->pair[pair].a], *b = &planar->shape[planar->model->pair[pair].b];
    tact_real far = a->reach + b->reach + margin;
    // bounding circles do not touch; half-planes have none
    if (a->kind == TACT_PLANAR_HALFPLANE || b->kind == TACT_PLANAR_HALFPLANE)
        return is_behind(planar, a, b, margin) || is_behind(planar, b, a, margin);
    if (!(far < TACT_MAX)) return false;
    tact_vec2 e = tact_vec2_sub(shape_centre(planar, a), shape_centre(planar, b));
    return tact_vec2_dot(e, e) > far * far;
}

// The same with the displacements that both shapes may still make.
static bool stays_behind(const tact_planar *planar, int i, int j, tact_real margin, const tact_real *slack) {
    const tact_planar_shape *a = &planar->shape[i], *b = &planar->shape[j];
    tact_real wide = margin + body_slack(slack, a->body) + body_slack(slack, b->body);
    return is_behind(planar, a, b, wide) || is_behind(planar, b, a, wide);
}

void tact_planar_search(tact_planar *planar, tact_real margin, const tact_real *slack) {
    TACT_ASSERT(planar);
    const tact_model *model = planar->model;
    int words = (model->npair + 63) / 64;
    // sweep and prune: sorted by their left sides, only shapes whose intervals overlap in x can be close
    // square around the shape's circle, widened by half of the margin and by what its body may still move
    for (int i = 0; i < planar->model->nshape; i++) {
        const tact_planar_shape *shape = &planar->shape[i];
        tact_vec2 centre = shape_centre(planar, shape);
        tact_real far = shape->reach + margin / 2 + body_slack(slack, shape->body);
        planar->low[i] = tact_vec2_make(centre.x - far, centre.y - far);
        planar->high[i] = tact_vec2_make(centre.x + far, centre.y + far);
    }
    // insertion sort: the order hardly changes from step to step, so that it takes linear time
    int *order = planar->order;
    for (int i = 1; i < planar->model->nshape; i++) {
        int shape = order[i], at = i;
        for (; at > 0 && sweeps_before(planar, shape, order[at - 1]); at--) order[at] = order[at - 1];
        order[at] = shape;
    }
    for (int w = 0; w < words; w++) planar->mark[w] = 0;
    // j and all that follow begin to the right of i
    for (int a = 0; a < model->nshape; a++) {
        int i = planar->order[a];
        for (int b = a + 1; b < model->nshape; b++) {
            int j = planar->order[b];
            if (planar->low[j].x > planar->high[i].x) break;
            if (planar->low[j].y > planar->high[i].y || planar->high[j].y < planar->low[i].y) continue;
            if (stays_behind(planar, i, j, margin, slack)) continue;
            mark_pair(planar, i, j);
        }
    }
    // pairs in ascending order, from the bits
    planar->nnear = 0;
    for (int w = 0; w < words; w++)
        for (int k = 0; planar->mark[w] >> k; k++) {
            if (planar->mark[w] >> k & 1) planar->near[planar->nnear++] = 64 * w + k;
            if (k == 63) break;
        }
}

int tact_planar_contacts(const tact_planar *planar, int pair, const tact_virtual_options *options, tact_virtual *out) {
    TACT_ASSERT(planar);
    const tact_planar_shape *a = &planar->shape[planar->model->pair[pair].a], *b = &planar->shape[planar->model->pair[pair].b];
    const tact_planar_pose pose[2] = {tact_planar_pose_of(planar, a->body), tact_planar_pose_of(planar, b->body)};
    return tact_virtual_find(a, b, pose, options, out);
}

int tact_planar_most(const tact_planar *planar, const tact_virtual_options *options) {
    TACT_ASSERT(planar);
    const tact_model *model = planar->model;
    int most = 0;
    for (int i = 0; i < model->npair; i++) {
        int one = tact_virtual_most(&planar->shape[model->pair[i].a], &planar->shape[model->pair[i].b], options);
        if (one > most) most = one;
    }
    return most;
}
