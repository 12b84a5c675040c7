// SPDX-License-Identifier: MIT
// Kinematics, loads and contacts of as many scenes as there are lanes, side by side, so that each has the bits of the scalar
// functions. The results go to the scenes' works.
#include "batch/lane.h"

#include "contact/ball.h"
#include "contact/nearest.h"
#include "geom/frame.h"
#include "law/barrier.h"
#include "law/tie.h"
#include "tree/composite.h"
#include "tree/joint.h"

typedef struct {
    int count;                           // scenes; the lanes above repeat the last
    bool whole;                          // the scenes need all of their kinematics
    tact_lane_scene *scene[TACT_LANES];  //
    const tact_model *model;             // of the first: their structure
    each_scenes scenes;                  // what kinematics and inertia need of them
    each_kinematics kinematics;          //
    each_pose *shape;                    // (nshape) in the world
    tact_wide *sweep;                    // (nshape)
    tact_wide *free_step;                // (nv)
    tact_wide *J;                        // (3, widest pair)
    int *slot;                           // (nv)
    tact_wide *P;                        // (inertia) the quadratic, by model->mass_first
    int *P_start;                        // (nv + 1) where its rows begin
    tact_wide *p;                        // (nv) its gradient at rest
    each_composite *composite;           // (nbody) loose ones
} tact_lane_front;

// Entry (i, i) of P.
static tact_wide *front_diagonal(const tact_lane_front *front, int i) {
    return front->P + (front->P_start[i + 1] - 1);
}

// Memory of the kinematics and contacts in lanes; an arena without memory measures.
static void *front_place(const tact_model *model, tact_arena *arena) {
    tact_lane_front blank = {0}, *placed = tact_arena_take(arena, 1, sizeof *placed), *front = placed ? placed : &blank;
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion, nshape = (size_t)model->nshape;
    // Kinematics and shapes of all lanes, side by side.
    each_kinematics *kinematics = &front->kinematics;
    kinematics->pose = tact_arena_take(arena, nbody, sizeof(each_pose));
    kinematics->frame = tact_arena_take(arena, nbody, sizeof(each_mat3));
    kinematics->angular = tact_arena_take(arena, nmotion, sizeof(each_vec3));
    kinematics->linear = tact_arena_take(arena, nmotion, sizeof(each_vec3));
    kinematics->origin = tact_arena_take(arena, nmotion, sizeof(each_vec3));
    front->shape = tact_arena_take(arena, nshape, sizeof(each_pose));
    front->sweep = tact_arena_take(arena, nshape, sizeof(tact_wide));
    front->free_step = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_wide));
    // J of one pair at a time: room for the widest.
    int widest = 0;
    for (int k = 0; k < model->npair; k++) {
        int width = model->column_start[k + 1] - model->column_start[k];
        widest = width > widest ? width : widest;
    }
    front->J = tact_arena_take(arena, 3 * (size_t)widest, sizeof(tact_wide));
    front->slot = tact_arena_take(arena, (size_t)model->nv, sizeof(int));
    // P in the envelope of the model, the same for all lanes.
    size_t inertia = 0;
    for (int i = 0; i < model->nv; i++) inertia += (size_t)(i - model->mass_first[i] + 1);
    front->P = tact_arena_take(arena, inertia, sizeof(tact_wide));
    front->P_start = tact_arena_take(arena, (size_t)model->nv + 1, sizeof(int));
    front->p = tact_arena_take(arena, (size_t)model->nv, sizeof(tact_wide));
    front->composite = tact_arena_take(arena, nbody, sizeof(each_composite));
    if (front->P_start) front->P_start[0] = 0;
    for (int i = 0; front->P_start && i < model->nv; i++)
        front->P_start[i + 1] = front->P_start[i] + i - model->mass_first[i] + 1;
    return placed;
}

static tact_pose front_pose(const each_pose *pose, int lane) {
    tact_pose out = {each_mat3_get(&pose->R, lane), each_vec3_get(&pose->p, lane)};
    return out;
}

// Gap, normal and nearest points of a pair: where neither shape is a ball lane by lane.
static each_vec3 front_find_nearest(const tact_lane_front *front, const tact_pair *pair, each_contact *found) {
    if (tact_pair_has_ball(front->model, pair)) return nearest_find(&front->scenes, pair, front->shape, found);
    // Two shapes without a ball, such as a capsule on a box.
    each_vec3 normal = each_vec3_all(0, 0, 0);
    for (int i = 0; i < TACT_LANES; i++) {
        tact_pose a = front_pose(&front->shape[pair->a], i), b = front_pose(&front->shape[pair->b], i);
        tact_contact contact;
        each_vec3_put(&normal, i, tact_pair_find_nearest(front->scene[i]->model, pair, &a, &b, &contact));
        tact_wide_put(&found->gap, i, contact.gap);
        each_vec3_put(&found->point_a, i, contact.point_a);
        each_vec3_put(&found->point_b, i, contact.point_b);
        each_vec3_put(&found->point, i, contact.point);
        found->degenerate |= (unsigned)contact.degenerate << i;
    }
    return normal;
}

// Contacts of one pair in the lanes where the gap is within reach: frame and J, reported to the scenes.
static void front_detect_pair(tact_lane_front *front, int index) {
    const tact_model *model = front->model;
    each_contact found = {.gap = tact_wide_all(0)};
    bool in[TACT_LANES], any = false;
    each_vec3 normal = front_find_nearest(front, &model->pair[index], &found);
    tact_wide sweep_a = front->sweep[model->pair[index].a], sweep_b = front->sweep[model->pair[index].b];
    // Lanes in which the pair is within its margin; none: nothing to do.
    for (int i = 0; i < TACT_LANES; i++) {
        tact_real reach = front->scene[i]->options.margin + tact_wide_get(&sweep_a, i) + tact_wide_get(&sweep_b, i);
        in[i] = i < front->count && tact_wide_get(&found.gap, i) < reach;
        any = any || in[i];
    }
    if (!any) return;
    // Columns of both bodies, then each lane's contact to its scene.
    each_mat3 frame = tact_frame_upon(normal);
    // Columns of the dofs that move either body; slot finds them by dof.
    const int *column = model->column + model->column_start[index];
    int width = model->column_start[index + 1] - model->column_start[index];
    for (int k = 0; k < width; k++) front->slot[column[k]] = k;
    for (int k = 0; k < 3 * width; k++) front->J[k] = tact_wide_all(0);
    nearest_add_columns(model, &front->kinematics, index, &frame, &found.point_b, true, front->slot, front->J);
    nearest_add_columns(model, &front->kinematics, index, &frame, &found.point_a, false, front->slot, front->J);
    for (int i = 0; i < front->count; i++)
        if (in[i]) {
            // the lane's contact as its scene has it
            tact_contacts *contacts = &front->scene[i]->work->contacts;
            tact_contact *contact = &contacts->contact[contacts->count++];
            contact->pair = index;
            contact->width = model->column_start[index + 1] - model->column_start[index];
            contact->J = contacts->J + 3 * model->column_start[index];
            contact->gap = tact_wide_get(&found.gap, i);
            contact->point_a = each_vec3_get(&found.point_a, i);
            contact->point_b = each_vec3_get(&found.point_b, i);
            contact->point = each_vec3_get(&found.point, i);
            contact->joined = contact->flat = false;
            contact->degenerate = (found.degenerate >> i & 1) != 0;
            contact->frame = each_mat3_get(&frame, i);
            for (int k = 0; k < 3 * contact->width; k++) contact->J[k] = tact_wide_get(&front->J[k], i);
        }
}

// Whether all unknowns of a scene yield to their own stiffness, so that the solver treats alike those that are alike: see
// tact_newton_alike.
static tact_mask front_plain(const tact_lane_front *front) {
    const tact_wide zero = tact_wide_all(0);
    tact_wide kappa = zero, pull = zero;
    tact_mask plain = zero == zero;
    for (int i = 0; i < front->count; i++)
        tact_wide_put(&kappa, i, front->scene[i]->work->contacts.count > 0 ? front->scene[i]->options.kappa : 0);
    // Largest |p| and kappa give the limit of p_i/P_ii (solve/arrange.c).
    for (int i = 0; i < front->model->nv; i++) pull = tact_wide_max(pull, tact_wide_abs(front->p[i]));
    tact_real share = tact_sqrt(TACT_EPS);
    tact_wide bite = TACT_EPS * kappa * pull, limit = tact_wide_select(bite > zero, 2 * share / bite, tact_wide_all(TACT_MAX));
    for (int i = 0; i < front->model->nv; i++) {
        tact_wide P = *front_diagonal(front, i);
        plain &= (P > zero) & (tact_wide_abs(front->p[i]) <= limit * P);
    }
    return plain;
}

// As the solver asks of forces to start from.
static bool front_moderate(const tact_work *work) {
    int forces = 3 * work->problem.ncone, limits = work->problem.nbound;
    return tact_find_larger(work->lambda, forces, TACT_MOST_NUMBER) == forces &&
           tact_find_larger(work->bound_lambda, limits, TACT_MOST_NUMBER) == limits;
}

// The quadratic and its gradient, without external forces: what tact_barrier_load does, for scenes whose drives bear no weight.
static void front_add_load(tact_lane_front *front) {
    const tact_model *model = front->model;
    // P and p of the drives
    tact_wide dt = tact_wide_all(1);
    for (int k = 0; k < TACT_LANES; k++) tact_wide_put(&dt, k, front->scene[k]->options.dt);
    for (int i = 0; i < front->P_start[model->nv]; i++) front->P[i] = tact_wide_all(0);
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[model->order[i]];
        tact_wide away = tact_wide_all(0);
        front->p[i] = away;
        if (dof->u < 0) continue;
        for (int k = 0; k < TACT_LANES; k++) {
            const tact_lane_scene *scene = front->scene[k];
            tact_wide_put(&away, k, scene->state->q[dof->q] - scene->input->u[dof->u]);
        }
        tact_wide stiffness = each_real(&front->scenes, dof[model->order[i]].stiffness);
        *front_diagonal(front, i) = stiffness + each_real(&front->scenes, dof[model->order[i]].damping) / dt;
        front->p[i] = stiffness * away;
    }
    // eps M_o / h^2 and the weight, for the motions of loose bodies
    tact_wide factor = tact_wide_all(0);
    each_vec3 gravity = each_vec3_all(0, 0, 0);
    for (int k = 0; k < TACT_LANES; k++) {
        const tact_options *options = &front->scene[k]->options;
        tact_wide_put(&factor, k, options->epsilon / (options->dt * options->dt));
        each_vec3_put(&gravity, k, options->gravity);
    }
    composite_update(&front->scenes, &front->kinematics, front->composite, true);
    for (int m = 0; m < model->nmotion; m++) {
        const tact_motion *motion = &model->motion[m];
        if (model->dof[motion->dof].u >= 0) continue;
        int i = model->place[motion->dof];
        front->p[i] -= composite_weight(model, &front->kinematics, front->composite, m, gravity);
        for (int k = model->path_start[motion->body]; k < model->path_start[motion->body + 1]; k++) {
            int carrier = model->path[k], dof = model->motion[carrier].dof, j = model->place[dof];
            if (carrier > m || model->dof[dof].u >= 0) continue;
            tact_wide M = composite_coupling(&front->scenes, &front->kinematics, front->composite, m, carrier);
            int row = i > j ? i : j, column = i > j ? j : i;
            front->P[front->P_start[row] + column - model->mass_first[row]] += factor * (i == j && carrier < m ? 2 * M : M);
        }
    }
    // Out of the lanes into each scene's work, where the solver looks for them.
    for (int k = 0; k < front->count; k++) {
        tact_work *work = front->scene[k]->work;
        for (int i = 0; i < front->P_start[model->nv]; i++) work->P[i] = tact_wide_get(&front->P[i], k);
        for (int i = 0; i < model->nv; i++) work->p[i] = tact_wide_get(&front->p[i], k);
    }
}

// Quadratics and gradients; what needs the kinematics of one scene is done scene by scene.
static void front_load(tact_lane_front *front, bool together) {
    if (together) front_add_load(front);
    for (int i = 0; i < front->count; i++) {
        tact_lane_scene *at = front->scene[i];
        const tact_model *model = front->model;
        tact_kinematics *to = &at->work->kinematics;
        // Frames of free joints are what integration needs; the rest only where something reads it.
        for (int b = 0; b < model->nbody; b++) {
            if (model->body[b].joint == TACT_JOINT_FREE) to->frame[b] = each_mat3_get(&front->kinematics.frame[b], i);
            if (!front->whole) continue;
            to->pose[b] = front_pose(&front->kinematics.pose[b], i);
        }
        for (int m = 0; m < model->nmotion && front->whole; m++) {
            to->angular[m] = each_vec3_get(&front->kinematics.angular[m], i);
            to->linear[m] = each_vec3_get(&front->kinematics.linear[m], i);
            to->origin[m] = each_vec3_get(&front->kinematics.origin[m], i);
        }
        if (together)
            tact_barrier_push(at->model, at->input, at->work);
        else
            tact_barrier_load(at->model, &at->options, at->input, at->state, at->work);
        at->work->contacts.count = 0;
    }
}

// Assembles the problems of count scenes, at most as many as there are lanes, of one structure.
static void front_assemble(void *memory, tact_lane_scene *const *scene, int count) {
    const each_pose world = {each_mat3_identity(), each_vec3_all(0, 0, 0)};
    tact_lane_front *front = memory;
    bool together = true, pushed = false;
    front->count = count;
    front->model = scene[0]->model;
    front->scenes.common = true;
    front->whole = false;
    // Lanes beyond count repeat the last scene. together: gravity on undriven dofs only; whole: the scalar code needs all
    // kinematics.
    for (int i = 0; i < TACT_LANES; i++) {
        front->scene[i] = scene[i < count ? i : count - 1];
        front->scenes.model[i] = front->scene[i]->model;
        front->scenes.q[i] = front->scene[i]->state->q;
        front->scenes.common = front->scenes.common && front->scene[i]->model == front->model;
        together = together && !front->scene[i]->options.gravity_on_driven && tact_ties(front->model) == 0;
        pushed = pushed || front->scene[i]->input->wrench || front->scene[i]->input->spare;
        front->whole = front->whole || front->scene[i]->input->wrench || front->scene[i]->options.anchor;
    }
    front->whole = front->whole || !together;
    // Kinematics, quadratics, shapes, contacts; then scene by scene what the lanes do not know.
    for (int b = 0; b < front->model->nbody; b++) {
        // Sine and cosine of all lanes at once.
        tact_wide s = tact_wide_all(0), c = s;
        bool turns = tact_joint_turns(front->model->body[b].joint);
        if (turns) tact_wide_sincos(tact_joint_coordinate(&front->scenes, b), &s, &c);
        tact_joint_place(&front->kinematics, &front->scenes, b, &world, turns ? &s : NULL, &c);
    }
    front_load(front, together);
    // Free step of each dof where the margin is automatic, 0 elsewhere.
    bool sweeps = false;
    for (int v = 0; v < front->model->nv; v++)
        for (int i = 0; i < TACT_LANES; i++) {
            const tact_work *work = front->scene[i]->work;
            tact_wide_put(&front->free_step[v], i, work->sweeping ? work->d[v] : 0);
            sweeps = sweeps || work->sweeping;
        }
    for (int k = 0; k < front->model->nshape; k++) {
        nearest_locate(&front->scenes, &front->kinematics, k, &front->shape[k]);
        front->sweep[k] = tact_wide_all(0);
        if (sweeps) front->sweep[k] = nearest_sweep(&front->scenes, &front->kinematics, k, front->shape[k].p, front->free_step);
    }
    for (int k = 0; k < front->model->npair; k++) front_detect_pair(front, k);
    tact_mask plain = front_plain(front);
    for (int i = 0; i < count; i++) {
        tact_lane_scene *at = front->scene[i];
        tact_barrier_constrain(at->model, &at->options, at->input, at->state, at->work);
        at->warm =
            at->options.warm_start && tact_barrier_recall(at->model, at->input, at->state, at->work) && front_moderate(at->work);
        at->plain = together && !pushed && tact_mask_get(plain, i);
    }
}

const tact_lane_kernel TACT_LANE_NAME(tact_lane_front_,
                                      TACT_LANES) = {.width = TACT_LANES, .place = front_place, .run = front_assemble};
