// SPDX-License-Identifier: MIT
// A capsule against a shape that is not a ball. With p(t) = c + t h, -1 <= t <= 1, its segment and phi the distance
// of the other shape,
//
//     gap = min over t of phi(p(t)) - r
//
// and otherwise as for the ball of radius r at p(t): since the derivative of phi along the segment is 0 there, or t is at an
// end, the gap changes as if t were fixed. Edges under laws whose forces begin before contact have two witness points that move
// smoothly: see segment.c.
#include "contact/ball.h"

tact_pair_ball tact_pair_find_ball(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b) {
    TACT_ASSERT(model && pair);
    // the capsule is b, or the shape whose end is the vertex
    bool of_b = pair->vertex > 0 || (pair->vertex == 0 && model->shape[pair->b].type == TACT_SHAPE_CAPSULE);
    const tact_shape *own = &model->shape[of_b ? pair->b : pair->a], *other = &model->shape[of_b ? pair->a : pair->b];
    const tact_pose *pose = of_b ? b : a, *from = of_b ? a : b;
    tact_pair_ball ball = {.of_b = of_b, .radius = own->size[0]};
    ball.axis = tact_vec3_make(pose->R.m[0][2], pose->R.m[1][2], pose->R.m[2][2]);
    // ends are vertices of their own (t = -1 or 1); vertex 0 is the nearest point of the segment, 3 and 4 are between the ends
    ball.side = pair->vertex % 2 != 0 ? -1 : 1;
    ball.between = pair->vertex > 2 || pair->vertex < -2;
    ball.length = own->size[1];
    tact_vec3 c = tact_mat3_apply_transposed(from->R, tact_vec3_sub(pose->p, from->p));
    tact_vec3 h = tact_mat3_apply_transposed(from->R, tact_vec3_scale(own->size[1], ball.axis));
    tact_real t = (tact_real)ball.side;
    if (ball.between) t = tact_segment_between(other, c, h, ball.radius, ball.side);
    if (pair->vertex == 0) t = tact_segment_nearest(other, c, h);
    ball.slides = (pair->vertex == 0 || ball.between) && -1 < t && t < 1;
    ball.along = t;
    ball.centre = tact_vec3_add_scaled(pose->p, t * own->size[1], ball.axis);
    tact_vec3 x = tact_mat3_apply_transposed(from->R, tact_vec3_sub(ball.centre, from->p));
    ball.distance = tact_shape_distance_from(other, &x);
    // crossing edges separate along their common normal, others along the direction of least penetration
    tact_crossing crossing = {.along = t, .distance = ball.distance};
    tact_real sine = 0, cosine = 0;
    if (pair->vertex == 0 && own->size[2] > 0) tact_sincos(own->size[3], &sine, &cosine);
    // outward across the edge; of two points on a rim, a's edges take that where they enter, b's that where they leave
    tact_vec3 out = tact_mat3_apply(pose->R, tact_vec3_make(cosine, sine, 0));
    out = tact_mat3_apply_transposed(from->R, tact_vec3_scale(of_b ? -1 : 1, out));
    if (pair->vertex == 0 && own->size[2] > 0 && tact_segment_cross(other, c, h, out, &crossing)) {
        ball.crosses = true;
        ball.apart = crossing.apart;
        ball.slides = tact_vec3_dot(crossing.edge, crossing.edge) > 0;
        ball.distance = crossing.distance;
        ball.edge = tact_mat3_apply(from->R, crossing.edge);
        ball.along = crossing.along;
        ball.centre = tact_vec3_add_scaled(pose->p, ball.along * own->size[1], ball.axis);
    }
    return ball;
}

// A distance changes by no more than the point moves: phi(p) >= phi(c) - |p - c| for all points p of the capsule.
tact_real tact_pair_least_gap(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b,
                              const tact_real *bound) {
    TACT_ASSERT(model && pair && bound);
    const bool of_b = model->shape[pair->b].type == TACT_SHAPE_CAPSULE;
    const int own = of_b ? pair->b : pair->a, other = of_b ? pair->a : pair->b;
    const tact_pose *pose = of_b ? b : a, *from = of_b ? a : b;
    // what a grid interpolates may be steeper
    if (model->shape[other].type == TACT_SHAPE_GRID) return -TACT_MAX;
    tact_vec3 c = tact_mat3_apply_transposed(from->R, tact_vec3_sub(pose->p, from->p));
    // bound has the rounding of the capsule's position, not that of the other's
    const tact_real far = tact_fabs(c.x) + tact_fabs(c.y) + tact_fabs(c.z);
    return tact_shape_distance_from(&model->shape[other], &c).value - bound[own] - 64 * TACT_EPS * far;
}

tact_vec3 tact_pair_find_nearest(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b,
                                 tact_contact *contact) {
    TACT_ASSERT(model && pair && contact);
    tact_pair_ball ball = tact_pair_find_ball(model, pair, a, b);
    const tact_distance distance = ball.distance;
    tact_vec3 outward = tact_mat3_apply(ball.of_b ? a->R : b->R, distance.gradient);
    tact_vec3 on_ball = tact_vec3_add_scaled(ball.centre, -ball.radius, outward);
    tact_vec3 on_other = tact_vec3_add_scaled(ball.centre, -distance.value, outward);
    // as for a sphere: gap = phi(c) - r, witness points back along the gradient
    contact->gap = distance.value - ball.radius;
    contact->degenerate = distance.degenerate;
    contact->point_a = ball.of_b ? on_other : on_ball;
    contact->point_b = ball.of_b ? on_ball : on_other;
    contact->point = on_ball;
    return tact_vec3_scale(ball.of_b ? 1 : -1, outward);
}
