// SPDX-License-Identifier: MIT
// Quantities that the virtual law derives from a model once: groups, movers, and their Jacobians and mass matrices where
// constant.
#include "law/virtual_chain.h"
#include "math/elementary.h"

enum { DENSE_MOST = 256, EDGES_PER_GROUP = 128 };

// Number of dofs of a body's joint that are its own, not mimicked.
static int virtual_own_dofs(const tact_model *model, int body) {
    int count = 0;
    for (int m = model->body_motion[body]; m < model->body_motion[body + 1]; m++) {
        const tact_dof *dof = &model->dof[model->motion[m].dof];
        count += dof->body == body;
    }
    return count;
}

// Unknowns of the tree of a root; any_child false: no body has a parent.
static int virtual_tree_dofs(const tact_model *model, int root, bool any_child) {
    int count = virtual_own_dofs(model, root);
    for (int b = root + 1; any_child && b < model->nbody; b++)
        if (model->body[b].parent != TACT_WORLD && tact_virtual_root(model, b) == root) count += virtual_own_dofs(model, b);
    return count;
}

static bool virtual_has_children(const tact_model *model) {
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].parent != TACT_WORLD) return true;
    return false;
}

// Memory of groups, bodies and Jacobians.
static void virtual_place_bodies(tact_virtual_work *soft, const tact_model *model, tact_blocks_room room, tact_arena *arena) {
    size_t nbody = (size_t)model->nbody, groups = (size_t)room.nodes, nv = (size_t)model->nv;
    // groups of unknowns: first unknowns, and where their mass matrices begin
    TACT_INDICES(arena, groups + 1, &soft->group_start, &soft->M_start);
    // group and mover of each body; dof of each unknown and the inverse
    TACT_INDICES(arena, nbody, &soft->group, &soft->mover);
    TACT_INDICES(arena, nv, &soft->dof, &soft->unknown, &soft->listed);
    // Jacobians (3, unknowns of the group) of the movers in the plane
    soft->J_start = tact_arena_take(arena, nbody + 1, sizeof(int));
    soft->J = tact_arena_take(arena, 3 * nbody * (size_t)room.widest, sizeof(tact_real));
    soft->plain = tact_arena_take(arena, nbody, sizeof(bool));
    soft->turns = tact_arena_take(arena, nbody, sizeof(bool));
    soft->M = tact_arena_take(arena, (size_t)room.squares, sizeof(tact_real));
    soft->rest = tact_arena_take(arena, nbody, sizeof(tact_vec2));
    soft->com = tact_arena_take(arena, nbody, sizeof(tact_vec2));
    soft->push = tact_arena_take(arena, nbody, sizeof(tact_vec2));
    soft->origin = tact_arena_take(arena, nbody, sizeof(tact_vec2));
    TACT_VECTORS(arena, nbody, &soft->extent, &soft->slack);
    soft->inside = tact_arena_take(arena, nbody, sizeof(int));
    soft->velocity = tact_arena_take(arena, 3 * nbody, sizeof(tact_real));
    soft->column = tact_arena_take(arena, 6 * (size_t)room.widest, sizeof(tact_real));
}

// Upper bound on the contacts that a shape contributes to a pair.
static int virtual_shape_room(const tact_model *model, const tact_plane *plane, int shape) {
    int corners = tact_planar_corners(&model->shape[shape], plane, tact_pose_identity());
    if (corners == 0) return TACT_STEIN_MAX;
    return corners > 4 ? corners : model->shape[shape].type == TACT_SHAPE_SPHERE ? 1 : 4;
}

// Upper bounds on the contacts of one pair (returned), and of all pairs.
static int virtual_room(const tact_model *model, int *all) {
    int most = TACT_STEIN_MAX, few = model->npair < 64 ? model->npair * TACT_STEIN_MAX : 0;
    tact_plane plane = tact_plane_find(model);
    *all = 0;
    // vertices of both shapes, those of the larger one again for its edges, and two for round ends
    for (int i = 0; i < model->npair; i++) {
        int a = virtual_shape_room(model, &plane, model->pair[i].a), b = virtual_shape_room(model, &plane, model->pair[i].b);
        int own = a + b + (a > b ? a : b) + 2;
        *all += own;
        if (own > most) most = own;
    }
    if (*all < few) *all = few;
    return most;
}

// Memory of the virtual law's step; an arena that only measures returns none.
void tact_virtual_place(tact_work *work, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(work && model && arena);
    tact_virtual_work measured = {0}, *soft = tact_arena_take(arena, 1, sizeof(tact_virtual_work));
    // block matrix H with one node per tree
    tact_blocks_room room = {.nodes = 0};
    bool children = virtual_has_children(model);
    // trees with unknowns
    for (int b = 0; b < model->nbody; b++) {
        int size = model->body[b].parent == TACT_WORLD ? virtual_tree_dofs(model, b, children) : 0;
        if (size == 0) continue;
        room.nodes++;
        room.squares += size * size;
        if (size > room.widest) room.widest = size;
    }
    // few trees: room for every pair of them; many: room for a number of neighbours each
    room.edges = room.nodes <= DENSE_MOST ? room.nodes * (room.nodes - 1) / 2 : EDGES_PER_GROUP * room.nodes;
    work->soft = soft;
    // an arena that only measures returns no memory: the sizes are counted in a local copy
    if (!soft) soft = &measured;
    *soft = (tact_virtual_work){.ngroup = room.nodes};
    tact_planar_place(&soft->planar, model, arena);
    soft->most_found = virtual_room(model, &soft->most_force);
    soft->begin = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_planar_pose));
    soft->hold = tact_arena_take(arena, (size_t)model->npair, sizeof(tact_virtual_hold));
    soft->found = tact_arena_take(arena, (size_t)soft->most_found, sizeof(tact_virtual));
    soft->touch = tact_arena_take(arena, (size_t)soft->most_found, sizeof(tact_virtual_touch));
    soft->particle = tact_arena_take(arena, (size_t)soft->most_force, sizeof(tact_vec2));
    soft->near = tact_arena_take(arena, 2 * (size_t)soft->most_force, sizeof(tact_planar_part));
    // contact forces of a step, and their sums by couples of movers
    soft->force = tact_arena_take(arena, (size_t)soft->most_force, sizeof(tact_virtual_force));
    soft->couple = tact_arena_take(arena, (size_t)model->npair, sizeof(tact_virtual_couple));
    soft->sticks = tact_arena_take(arena, (size_t)soft->most_force, sizeof(bool));
    // bodies, chains, vectors of unknowns, and the block matrix H
    virtual_place_bodies(soft, model, room, arena);
    // chains of motions, where a joint turns on a moving body
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion;
    // only models with a joint that turns on a moving body
    for (int b = 0; b < model->nbody && !soft->bending; b++) soft->bending = tact_virtual_body_bends(model, b);
    if (soft->bending) {
        soft->bends = tact_arena_take(arena, (size_t)room.nodes, sizeof(bool));
        soft->rest_screw = tact_arena_take(arena, nmotion, sizeof(tact_virtual_screw));
        soft->screw = tact_arena_take(arena, nmotion, sizeof(tact_virtual_screw));
        soft->link = tact_arena_take(arena, nmotion, sizeof(tact_virtual_link));
        soft->inertia = tact_arena_take(arena, nbody, sizeof(tact_real));
        soft->gyration = tact_arena_take(arena, (size_t)room.squares, sizeof(tact_real));
        soft->drift = tact_arena_take(arena, 3 * nbody * (size_t)room.widest, sizeof(tact_real));
        soft->pull = tact_arena_take(arena, nbody, sizeof(tact_vec2));
    }
    // vectors of the unknowns
    int count = model->nv;
    tact_real **vectors[] = {&soft->load, &soft->stiffness, &soft->damping, &soft->limit_drag, &soft->Q,
                             &soft->r,    &soft->resist,    &soft->step,    &soft->trial,      &soft->trial_w,
                             &soft->z,    &soft->c_bar,     &soft->q_bar};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        *vectors[i] = tact_arena_take(arena, (size_t)count, sizeof(tact_real));
    for (int i = 0; i < 2; i++) {
        tact_virtual_stage *stage = &soft->stage[i];
        TACT_VECTORS(arena, (size_t)count, &stage->qhat, &stage->centre, &stage->x, &stage->w);
    }
    tact_blocks_place(&soft->H, room, arena);
    work->contacts.contact = tact_arena_take(arena, (size_t)model->npair, sizeof(tact_contact));
}

// Components of a vector in the plane.
static tact_vec2 virtual_flat(const tact_plane *plane, tact_vec3 x) {
    return tact_vec2_make(tact_vec3_dot(plane->x, x), tact_vec3_dot(plane->y, x));
}

// Mass matrices at q = 0, by the composite rigid body algorithm.
static void virtual_fill_mass(const tact_model *model, tact_work *work, tact_virtual_work *soft) {
    for (int i = 0; i < soft->M_start[soft->ngroup]; i++) soft->M[i] = 0;
    tact_composite_update(model, &work->kinematics, &work->dynamics, false);
    // M_ij for each motion and those that carry it
    for (int m = 0; m < model->nmotion; m++) {
        int body = model->motion[m].body, group = soft->group[body], begin = soft->group_start[group];
        int size = soft->group_start[group + 1] - begin, i = soft->unknown[model->motion[m].dof] - begin;
        tact_real *M = soft->M + soft->M_start[group];
        for (int k = model->path_start[body]; k < model->path_start[body + 1] && model->path[k] <= m; k++) {
            int carrier = model->path[k], j = soft->unknown[model->motion[carrier].dof] - begin;
            tact_real entry = tact_composite_coupling(model, &work->kinematics, &work->dynamics, m, carrier);
            M[i * size + j] += entry;
            if (carrier < m) M[j * size + i] += entry;
        }
    }
    // entries below 4 eps sqrt(M_ii M_jj) are rounding: set them to zero, so that translation and rotation stay uncoupled
    for (int g = 0; g < soft->ngroup; g++) {
        int size = soft->group_start[g + 1] - soft->group_start[g];
        tact_real *M = soft->M + soft->M_start[g];
        for (int i = 0; i < size * size; i++) {
            tact_real most = M[i / size * (size + 1)] * M[i % size * (size + 1)];
            if (i / size != i % size && M[i] * M[i] <= 16 * TACT_EPS * TACT_EPS * most) M[i] = 0;
        }
    }
}

// For each body in the plane at q = 0: origin and centre of mass, Jacobian of a mover, and whether its weight depends on the
// mover's angle.
static void virtual_fill_bodies(const tact_model *model, const tact_kinematics *kinematics, tact_virtual_work *soft) {
    const tact_plane *plane = &soft->planar.plane;
    int start = 0;
    soft->noff = 0;
    for (int b = 0; b < model->nbody; b++) {
        int mover = soft->mover[b];
        soft->J_start[b] = start;
        soft->extent[b] = 0;
        soft->rest[b] = soft->com[b] = tact_vec2_make(0, 0);
        if (mover == TACT_WORLD) continue;
        // origin and centre of mass in the plane, relative to the mover
        tact_vec2 p = virtual_flat(plane, kinematics->pose[b].p), o = virtual_flat(plane, kinematics->pose[mover].p);
        tact_vec2 com = virtual_flat(plane, tact_pose_apply(kinematics->pose[b], model->body[b].com));
        soft->rest[b] = mover == b ? p : tact_vec2_sub(p, o);
        soft->com[b] = tact_vec2_sub(com, o);
        if (mover == b) {
            // Jacobian of a mover; whether it turns, and whether J is the identity (plain)
            int begin = soft->group_start[soft->group[b]], width = soft->group_start[soft->group[b] + 1] - begin;
            tact_real *J = soft->J + soft->J_start[b];
            for (int i = 0; i < 3 * width; i++) J[i] = 0;
            // columns: velocity of the body's origin in the plane, and angular velocity
            for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
                int m = model->path[k], column = soft->unknown[model->motion[m].dof] - begin;
                tact_vec2 u = virtual_flat(plane, tact_motion_velocity(kinematics, m, kinematics->pose[b].p));
                J[column] += u.x;
                J[width + column] += u.y;
                J[2 * width + column] += tact_vec3_dot(kinematics->angular[m], plane->z);
            }
            // special cases that the evaluation exploits: no rotation, J = identity
            soft->turns[b] = false;
            for (int i = 0; i < width; i++) soft->turns[b] = soft->turns[b] || J[2 * width + i] != 0;
            soft->plain[b] = width == 3 && !(soft->bending && soft->bends[soft->group[b]]);
            for (int i = 0; i < 9 && soft->plain[b]; i++) soft->plain[b] = soft->plain[b] && J[i] == (i % 4 == 0 ? 1 : 0);
            start += 3 * (soft->group_start[soft->group[b] + 1] - soft->group_start[soft->group[b]]);
        }
        // if the centre of mass is off the axis, the moment of its weight depends on the angle
        bool off = soft->com[b].x != 0 || soft->com[b].y != 0;
        bool bends = soft->bending && soft->bends[soft->group[b]];
        if (off && soft->turns[mover] && !bends) soft->inside[soft->noff++] = b;
    }
    soft->J_start[model->nbody] = start;
}

void tact_virtual_prepare(tact_work *work, const tact_model *model) {
    TACT_ASSERT(work && work->soft && model);
    tact_virtual_work *soft = work->soft;
    soft->fault = tact_virtual_check(model);
    soft->nforce = 0;
    work->contacts.count = 0;
    if (soft->fault.field) return;
    tact_planar_prepare(&soft->planar);
    // kinematics at q = 0, the reference pose
    for (int i = 0; i < model->nv; i++) soft->trial[i] = 0;
    tact_kinematics_update(&work->kinematics, model, soft->trial);
    tact_planar_update(&soft->planar, &work->kinematics);
    // number groups in the order of their roots, and unknowns in the order of the dofs within each
    int count = 0, groups = 0;
    for (int b = 0; b < model->nbody; b++) soft->group[b] = -1;
    // trees in the order of their roots, dofs in their own order
    for (int root = 0; root < model->nbody; root++) {
        if (model->body[root].parent != TACT_WORLD) continue;
        int begin = count;
        for (int v = 0; v < model->nv; v++) {
            if (tact_virtual_root(model, model->dof[v].body) != root) continue;
            soft->dof[count] = v;
            soft->unknown[v] = count++;
        }
        if (count == begin) continue;
        soft->group_start[groups] = begin;
        soft->group[root] = groups++;
    }
    soft->group_start[groups] = count;
    // group of each body, and its nearest ancestor that moves
    for (int b = 0; b < model->nbody; b++) {
        int parent = model->body[b].parent;
        soft->group[b] = soft->group[tact_virtual_root(model, b)];
        soft->mover[b] = tact_virtual_moves(model, b) ? b : parent == TACT_WORLD ? TACT_WORLD : soft->mover[parent];
    }
    // Places of the mass matrices, then bodies, masses and extents.
    soft->M_start[0] = 0;
    for (int g = 0; g < soft->ngroup; g++) {
        int size = soft->group_start[g + 1] - soft->group_start[g];
        soft->M_start[g + 1] = soft->M_start[g] + size * size;
    }
    // chains that bend, Jacobians of the movers, mass matrices, and how far shapes extend
    if (soft->bending) tact_chain_prepare(model, &work->kinematics, soft);
    virtual_fill_bodies(model, &work->kinematics, soft);
    virtual_fill_mass(model, work, soft);
    // Radius of each mover about its origin
    for (int s = 0; s < model->nshape; s++) {
        const tact_planar_shape *shape = &soft->planar.shape[s];
        int mover = shape->body == TACT_WORLD ? TACT_WORLD : soft->mover[shape->body];
        if (mover == TACT_WORLD || !soft->turns[mover]) continue;
        // Farthest point of the shape from the mover's origin.
        tact_vec2 offset = shape->body == mover ? tact_vec2_make(0, 0) : soft->rest[shape->body];
        tact_real far = tact_sqrt(tact_vec2_dot(shape->centre, shape->centre)) + tact_sqrt(tact_vec2_dot(offset, offset));
        soft->extent[mover] = tact_max(soft->extent[mover], far + shape->reach);
    }
    soft->H.start = soft->group_start;
    tact_blocks_clear(&soft->H);
}
