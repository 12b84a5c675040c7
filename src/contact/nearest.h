// SPDX-License-Identifier: MIT
// Where shapes are, and what the contact of a ball is: of one scene (detect.c), and of several side by side. With n the normal
// from a to b, x_a and x_b the nearest material points and F the frame,
//   gap = n'(x_b - x_a),  J = F (velocity of b at x_b - velocity of a at x_a).
#ifndef TACT_CONTACT_NEAREST_H
#define TACT_CONTACT_NEAREST_H

#include "geom/shapes.h"
#include "tact/contact.h"
#include "tree/each.h"

#if TACT_SCENES == 1

typedef tact_distance each_distance;
typedef tact_contact each_contact;

static inline each_distance nearest_distance(const each_scenes *scenes, int shape, const each_vec3 *x) {
    return tact_shape_distance_from(&scenes->model[0]->shape[shape], x);
}

#else

// As tact_distance, and what of tact_contact is found first.
typedef struct {
    tact_each value;
    each_vec3 gradient;
    unsigned degenerate;  // a bit for each scene
} each_distance;
typedef struct {
    tact_each gap;
    each_vec3 point_a, point_b, point;
    unsigned degenerate;  // a bit for each scene
} each_contact;

static inline each_distance nearest_distance(const each_scenes *scenes, int shape, const each_vec3 *x) {
    const tact_real small = 1 / (TACT_MAX * TACT_EPS * TACT_EPS);
    each_distance d = {.value = x->z, .gradient = each_vec3_all(0, 0, 1)};
    tact_each square = each_vec3_dot(*x, *x);
    // Of balls |x|^2 must neither overflow nor vanish; otherwise the scalar function knows better.
    bool round = tact_shape_is_ball(scenes->model[0]->shape[shape].type);
    if (round && !tact_mask_any(tact_mask_not((square > small) & (square <= TACT_MAX)))) {
        tact_each length = tact_wide_sqrt(square);
        // phi = |x| - r, gradient x/|x|.
        d.gradient = each_vec3_make(x->x / length, x->y / length, x->z / length);
        d.value = length - each_real(scenes, shape[shape].size[0]);
    } else if (scenes->model[0]->shape[shape].type != TACT_SHAPE_PLANE) {
        // Any other shape: its own distance, scene by scene.
        for (int i = 0; i < TACT_SCENES; i++) {
            tact_distance one = tact_shape_distance(&scenes->model[i]->shape[shape], each_vec3_get(x, i));
            tact_each_put(&d.value, i, one.value);
            each_vec3_put(&d.gradient, i, one.gradient);
            d.degenerate |= (unsigned)one.degenerate << i;
        }
    }
    return d;
}

#endif

// Pose of a shape in the world.
static inline void nearest_locate(const each_scenes *scenes, const each_kinematics *kinematics, int i, each_pose *pose) {
    const tact_shape *shape = &scenes->model[0]->shape[i];
    if (shape->body == TACT_WORLD) {
        // Fixed to the world: its place.
        pose->R = each_mat3_of(scenes, shape[i].place.R);
        pose->p = each_vec3_of(scenes, shape[i].place.p);
        return;
    }
    // p = R_body p_place + p_body, R = R_body R_place.
    const each_pose *body = &kinematics->pose[shape->body];
    pose->p = each_pose_apply(body, each_vec3_of(scenes, shape[i].place.p));
    if (tact_shape_is_ball(shape->type)) return;  // a position only
    each_mat3 R = each_mat3_of(scenes, shape[i].place.R);
    pose->R = each_mat3_multiply(&body->R, &R);
}

// Bound on how far a shape's origin moves in a free step: the sum over the motions that carry it.
static inline tact_each nearest_sweep(const each_scenes *scenes, const each_kinematics *kinematics, int shape, each_vec3 p,
                                      const tact_each *free_step) {
    const tact_model *model = scenes->model[0];
    int body = model->shape[shape].body;
    tact_each sum = tact_each_all(0);
    if (body == TACT_WORLD) return sum;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        each_vec3 v = each_motion_velocity(kinematics, motion, p);
        // |v| of the origin for a unit rate, times the free step of the dof.
        sum += free_step[model->place[model->motion[motion].dof]] * tact_each_sqrt(each_vec3_dot(v, v));
    }
    return sum;
}

// Distance of the pair's sphere (b's where both are) from the other's surface, in the frame of the other: of two spheres the
// world's.
static inline each_distance nearest_measure(const each_scenes *scenes, const tact_pair *pair, const each_pose *a,
                                            const each_pose *b) {
    const tact_shape *shape = scenes->model[0]->shape;
    // The sphere's centre in the frame of the other shape.
    bool b_is_sphere = tact_shape_is_ball(shape[pair->b].type);
    int other = b_is_sphere ? pair->a : pair->b;
    const each_pose *pose = b_is_sphere ? a : b;
    each_vec3 away = each_vec3_sub(b_is_sphere ? b->p : a->p, pose->p);
    if (!tact_shape_is_ball(shape[other].type)) away = each_mat3_apply_transposed(&pose->R, away);
    return nearest_distance(scenes, other, &away);
}

// Gap, normal and nearest points of a pair of which one is a ball.
static inline each_vec3 nearest_find(const each_scenes *scenes, const tact_pair *pair, const each_pose *shape,
                                     each_contact *contact) {
    const tact_shape *shapes = scenes->model[0]->shape;
    bool a_is_sphere = tact_shape_is_ball(shapes[pair->a].type), b_is_sphere = tact_shape_is_ball(shapes[pair->b].type);
    int sphere = b_is_sphere ? pair->b : pair->a, other = b_is_sphere ? pair->a : pair->b;
    // Signed distance of the sphere's centre from the other shape, and its gradient.
    each_vec3 centre = shape[sphere].p;
    each_distance distance = nearest_measure(scenes, pair, &shape[pair->a], &shape[pair->b]);
    // Gradient in world axes, as that of two spheres is from the beginning.
    each_vec3 outward = distance.gradient;
    if (!a_is_sphere || !b_is_sphere) outward = each_mat3_apply(&shape[other].R, outward);
    tact_each radius = each_real(scenes, shape[sphere].size[0]);
    // how far back from the centre the points are
    tact_each to_a = b_is_sphere ? distance.value : radius, to_b = b_is_sphere ? radius : distance.value;
    // gap = phi(c) - r; points: back along the gradient by phi, and by r.
    contact->gap = distance.value - radius;
    contact->degenerate = distance.degenerate;
    contact->point_a = each_vec3_add_scaled(centre, -to_a, outward);
    contact->point_b = each_vec3_add_scaled(centre, -to_b, outward);
    contact->point = each_vec3_add_scaled(centre, a_is_sphere ? -to_a : -to_b, outward);
    return each_vec3_scale(tact_each_all(b_is_sphere ? 1 : -1), outward);
}

// Adds the velocity of b's point x, in the frame, to the columns of the dofs that move it, or takes that of a's off. slot: the
// column of each place.
static inline void nearest_add_columns(const tact_model *model, const each_kinematics *kinematics, int index,
                                       const each_mat3 *frame, const each_vec3 *point, bool of_b, const int *slot, tact_each *J) {
    int body = model->shape[of_b ? model->pair[index].b : model->pair[index].a].body;
    int width = model->column_start[index + 1] - model->column_start[index];
    if (body == TACT_WORLD) return;
    // A copy, which the entries of J written below cannot be.
    const each_vec3 x = *point;
    // Sum over the path: a joint's column is its axis, or axis x (x - origin) where it turns.
    const int *end = model->path + model->path_start[body + 1];
    for (const int *path = model->path + model->path_start[body]; path < end; path++) {
        const tact_motion *motion = &model->motion[*path];
        each_vec3 v;
        if (motion->kind == TACT_MOTION_SLIDES)
            v = kinematics->linear[*path];
        else
            v = each_vec3_cross(kinematics->angular[*path], each_vec3_sub(x, kinematics->origin[*path]));
        v = each_mat3_apply(frame, v);
        // Into the column of the contact that belongs to the dof, which two motions of one joint may share.
        tact_each *at = J + slot[model->place[motion->dof]];
        at[0] += of_b ? v.x : -v.x;
        at[width] += of_b ? v.y : -v.y;
        at[2 * width] += of_b ? v.z : -v.z;
    }
}

#endif
