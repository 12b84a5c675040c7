// SPDX-License-Identifier: MIT
// Derivatives of one contact by q. Along a coordinate k the points x_a, x_b move, and the frame F rotates at s:
//
//     d(J d)  = F (dy - s x y) ,            y = sum over the path of b of d_j V_j(x_b) - the same of a
//     d(J'l)_j = f'dV_j + (s x f)'V_j ,     f = F'l   (of a: with the sign -)
//     W = kappa l l' - a diag(1, -mu^2, -mu^2) ,  a = kappa (l_n^2 - |l_t|^2/mu^2) / 2
#include "contact/ball.h"
#include "deriv/chain.h"
#include "law/anchor.h"
#include "math/elementary.h"

#define FLAT (16 * TACT_EPS)  // relative to the curvatures of a surface: less along a segment is rounding

static void add_to(tact_vec3 *sum, tact_vec3 x) {
    *sum = tact_vec3_add(*sum, x);
}

// Adds dx/dq_k of the material point x of a body, for each coordinate k of the contact, and the body's angular velocity.
static void add_point_rate(const tact_model *model, const tact_work *work, const tact_deriv_work *deriv, int body, tact_vec3 x,
                           tact_vec3 *velocity, tact_vec3 *turn) {
    if (body == TACT_WORLD) return;
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k], slot = deriv->slot[model->place[model->motion[motion].dof]];
        add_to(&velocity[slot], tact_motion_velocity(&work->kinematics, motion, x));
        if (turn) add_to(&turn[slot], work->kinematics.angular[motion]);
    }
}

// The angular velocity alone, of one coordinate.
static tact_vec3 get_turn(const tact_model *model, const tact_work *work, const tact_deriv_work *deriv, int body, int slot) {
    tact_vec3 turn = {0, 0, 0};
    for (int k = body == TACT_WORLD ? 0 : model->path_start[body]; body != TACT_WORLD && k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        if (deriv->slot[model->place[model->motion[motion].dof]] == slot) add_to(&turn, work->kinematics.angular[motion]);
    }
    return turn;
}

// R H R'x.
static tact_vec3 turn_hessian(const tact_pose *pose, const tact_mat3 *hessian, tact_vec3 x) {
    return tact_mat3_apply(pose->R, tact_mat3_apply(*hessian, tact_mat3_apply_transposed(pose->R, x)));
}

// The ball with which the pair touches; see contact/ball.h if neither shape is one.
static tact_pair_ball get_ball(const tact_model *model, const tact_work *work, const tact_pair *pair) {
    const tact_pose *a = &work->contacts.shape[pair->a], *b = &work->contacts.shape[pair->b];
    if (!tact_pair_has_ball(model, pair)) return tact_pair_find_ball(model, pair, a, b);
    bool of_b = tact_shape_is_ball(model->shape[pair->b].type);
    int own = of_b ? pair->b : pair->a;
    return (tact_pair_ball){.of_b = of_b, .centre = work->contacts.shape[own].p, .radius = model->shape[own].size[0]};
}

// If the segment crosses an edge along e, n = +-(e x u)/|e x u| rotates with both, dm = (w x e) x u + e x (w_u x u),
//     dn = +-(dm - n n'dm)/|e x u| ,
// and the points x on the segment and y on the edge, x - y = g n, slide along both lines: with b = n x e
//     x' + u s - y' = dg n + g dn   =>   s = b'(g (dn - w x n) - slip)/(b'u) ,   slip = x' - y' - g w x n
static tact_vec3 find_crossing(const tact_pair_ball *ball, tact_vec3 outward) {
    tact_vec3 m = tact_vec3_cross(ball->edge, ball->axis);
    return tact_vec3_scale((tact_vec3_dot(outward, m) < 0 ? -1 : 1) / tact_sqrt(tact_vec3_dot(m, m)), m);
}

static tact_vec3 turn_crossing(const tact_pair_ball *ball, tact_vec3 outward, tact_vec3 turn, tact_vec3 own_turn) {
    tact_vec3 m = tact_vec3_cross(ball->edge, ball->axis);
    tact_vec3 dm = tact_vec3_add(tact_vec3_cross(tact_vec3_cross(turn, ball->edge), ball->axis),
                                 tact_vec3_cross(ball->edge, tact_vec3_cross(own_turn, ball->axis)));
    dm = tact_vec3_add_scaled(dm, -tact_vec3_dot(outward, dm), outward);
    return tact_vec3_scale(1 / tact_vec3_dot(outward, m), dm);
}

static tact_real slide_crossing(const tact_pair_ball *ball, tact_vec3 outward, tact_vec3 dn, tact_vec3 turn, tact_vec3 slip) {
    tact_vec3 across = tact_vec3_cross(outward, ball->edge), bent = tact_vec3_sub(dn, tact_vec3_cross(turn, outward));
    tact_vec3 way = tact_vec3_sub(tact_vec3_scale(ball->apart, bent), slip);
    return tact_vec3_dot(across, way) / tact_vec3_dot(across, ball->axis);
}

// The same for an edge with t where F = g'w + R (t - e) = 0, w = 1 - t^2, L half the length, g' = L n'u, R^2 = g^2 + d^2:
//     dF = L w (dn'u + n'(w_u x u)) + (t - e) (g/R) dgap   at fixed t ,   s = L dt = -L dF/F'
//     F' = L^2 w u'H u - 2 t g' + R + (t - e) (g/R) g'
static tact_real slide_between(const tact_pair_ball *ball, tact_vec3 outward, tact_real rate, tact_real bend, tact_real gap,
                               tact_real dgap) {
    tact_real t = ball->along, L = ball->length, slope = L * tact_vec3_dot(outward, ball->axis), w = 1 - t * t;
    tact_real R = tact_segment_scale(gap, L), off = (t - (tact_real)ball->side * TACT_SEGMENT_LEAN) * (gap / R);
    tact_real rise = L * L * w * bend - 2 * t * slope + R + off * slope;
    return rise > 0 ? -L * (L * w * rate + off * dgap) / rise : 0;
}

// Derivatives of gap, points and frame by each coordinate, from those of the ball's centre c (radius r) relative to the other
// shape, whose signed distance at c is gap + r, with outward gradient n and Hessian H in the world. With the relative velocity
// u of the centre and the other shape's angular velocity w,
//
//     dgap = n'u ,  dn = w x n + H u ,  dx_ball = dc - r dn ,  dx_other = dc - dgap n - (gap + r) dn
static void differentiate_geometry(const tact_model *model, const tact_work *work, const tact_contact *contact,
                                   tact_deriv_work *deriv,
                                   // own: the shape with the ball; other: the shape that it touches
                                   tact_contact_motion *move) {
    const tact_pair *pair = &model->pair[contact->pair];
    tact_pair_ball ball = get_ball(model, work, pair);
    bool b_is_ball = ball.of_b;
    int own = b_is_ball ? pair->b : pair->a, other = b_is_ball ? pair->a : pair->b;
    const tact_pose *pose = &work->contacts.shape[other];
    tact_vec3 centre = ball.centre, normal = frame_row(contact, 0);
    tact_vec3 outward = tact_vec3_scale(b_is_ball ? 1 : -1, normal), away = tact_vec3_sub(centre, pose->p);
    bool round = tact_shape_is_ball(model->shape[other].type);
    // Hessian of the signed distance at the ball's centre, in the other shape's frame
    tact_mat3 hessian = tact_shape_hessian(&model->shape[other], round ? away : tact_mat3_apply_transposed(pose->R, away));
    // flat along faces and straight edges
    bool curved = false;
    if (ball.crosses || contact->flat) hessian = (tact_mat3){0};
    for (int i = 0; i < 9; i++) curved = curved || hessian.m[i / 3][i % 3] != 0;
    tact_real radius = ball.radius, distance = contact->gap + radius;
    tact_vec3 *velocity = deriv->sway, *turn = deriv->sway + model->nv, *centre_rate = deriv->sway + 2 * model->nv;
    // velocity of the centre with its own body, and of the other body there
    for (int k = 0; k < contact->width; k++) centre_rate[k] = velocity[k] = turn[k] = tact_vec3_make(0, 0, 0);
    add_point_rate(model, work, deriv, model->shape[own].body, centre, centre_rate, NULL);
    add_point_rate(model, work, deriv, model->shape[other].body, centre, velocity, turn);
    // a capsule's nearest point may slide along its axis; u'H u determines how fast
    tact_vec3 bent_axis = ball.slides ? turn_hessian(pose, &hessian, ball.axis) : tact_vec3_make(0, 0, 0);
    tact_real bend = tact_vec3_dot(ball.axis, bent_axis), flat = FLAT * (hessian.m[0][0] + hessian.m[1][1] + hessian.m[2][2]);
    bool flush = ball.slides && !ball.crosses && !ball.between && bend <= flat,
         *jumps = &deriv->contact[contact - work->contacts.contact].jumps;
    if (flush) bend = 0;
    for (int k = 0; k < contact->width; k++) {
        // slip = u: velocity of the centre relative to the other shape
        tact_vec3 slip = tact_vec3_sub(centre_rate[k], velocity[k]);
        tact_vec3 dn = tact_vec3_cross(turn[k], outward);
        if (curved) dn = tact_vec3_add(dn, round ? tact_mat3_apply(hessian, slip) : turn_hessian(pose, &hessian, slip));
        tact_real dgap = tact_vec3_dot(outward, slip);
        // slide of the nearest point, which keeps n'u = 0, or of an edge's, along which the gap changes
        tact_vec3 own_turn = ball.slides ? get_turn(model, work, deriv, model->shape[own].body, k) : outward;
        if (ball.crosses && ball.slides) {
            // in the plane of a face only the point slides so
            tact_vec3 crossing = contact->flat ? find_crossing(&ball, outward) : outward;
            tact_vec3 swing = turn_crossing(&ball, crossing, turn[k], own_turn);
            tact_real slide = slide_crossing(&ball, crossing, swing, turn[k], slip);
            centre_rate[k] = tact_vec3_add_scaled(centre_rate[k], slide, ball.axis);
            if (contact->flat)
                dgap += slide * tact_vec3_dot(outward, ball.axis);
            else
                dn = swing;
        } else if (ball.slides) {
            // The other shape's distance is stationary along the axis u, n'u = 0, and stays so, with w the angular velocity of
            // the other shape and w_u the capsule's own: the nearest point slides by s, and where flush it jumps to an end,
            //     0 = d(n'u) = (w x n + H (slip + u s))'u + n'(w_u x u) = rate + s u'H u
            tact_real rate = tact_vec3_dot(ball.axis, dn) + tact_vec3_dot(outward, tact_vec3_cross(own_turn, ball.axis));
            *jumps = *jumps || (flush && tact_fabs(rate) > FLAT);
            tact_real slide = bend > 0 ? -rate / bend : 0;
            if (ball.between) slide = slide_between(&ball, outward, rate, bend, contact->gap, dgap);
            dn = tact_vec3_add_scaled(dn, slide, bent_axis);
            centre_rate[k] = tact_vec3_add_scaled(centre_rate[k], slide, ball.axis);
            if (ball.between) dgap += slide * tact_vec3_dot(outward, ball.axis);
        }
        // dx_ball = dc - r dn, dx_other = dc - dgap n - (gap + r) dn
        tact_vec3 on_ball = tact_vec3_add_scaled(centre_rate[k], -radius, dn);
        tact_vec3 on_other = tact_vec3_add_scaled(tact_vec3_add_scaled(centre_rate[k], -dgap, outward), -distance, dn);
        move[k].a = b_is_ball ? on_other : on_ball;
        move[k].b = b_is_ball ? on_ball : on_other;
        // contacts of joined bodies act on both at the middle of the gap
        if (contact->joined) move[k].a = move[k].b = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(move[k].a, move[k].b));
        move[k].gap = dgap;
        move[k].spin = tact_frame_spin(normal, tact_vec3_scale(b_is_ball ? 1 : -1, dn));
    }
}

// One body's path at the contact, motion by motion: column of the contact, velocity of the point and f x a.
typedef struct {
    const tact_model *model;
    const tact_kinematics *kinematics;
    const int *path;  // (count) motions
    int count;
    tact_real sign;  // 1 for b, -1 for a
    bool of_b;
    int *slot;
    tact_vec3 *velocity, *lever;
} contact_side;

static contact_side make_side(const tact_model *model, const tact_work *work, const tact_contact *contact, bool of_b,
                              tact_deriv_work *deriv) {
    const tact_pair *pair = &model->pair[contact->pair];
    int body = model->shape[of_b ? pair->b : pair->a].body;
    contact_side side = {.model = model, .kinematics = &work->kinematics, .sign = of_b ? 1 : -1, .of_b = of_b};
    side.slot = deriv->slot + model->nv;
    side.velocity = deriv->velocity;
    side.lever = deriv->velocity + model->nmotion;
    if (body == TACT_WORLD) return side;
    side.path = model->path + model->path_start[body];
    side.count = model->path_start[body + 1] - model->path_start[body];
    tact_vec3 x = of_b ? contact->point_b : contact->point_a;
    // velocity of the point with each motion; f'(a x dx) = (f x a)'dx
    for (int k = 0; k < side.count; k++) {
        int motion = side.path[k];
        side.slot[k] = deriv->slot[model->place[model->motion[motion].dof]];
        side.velocity[k] = tact_motion_velocity(&work->kinematics, motion, x);
        side.lever[k] = tact_vec3_cross(contact->force, work->kinematics.angular[motion]);
    }
    return side;
}

// Kinematic Hessian: if m carries j, dV_j = a_m x V_j - a_j x V_m, so that f'dV_j = (f x a_m)'V_j - (f x a_j)'V_m; if m belongs
// to the same joint as j, or j to a free joint, only the origin o_j moves.
static void add_kinematic_hessian(const contact_side *side, const tact_work *work, int width, tact_deriv_work *deriv,
                                  tact_real *T) {
    const tact_model *model = side->model;
    // all pairs (j, m) of motions on the path: column j, moved by q_k of m
    for (int j = 0; j < side->count; j++) {
        const tact_motion *own = &model->motion[side->path[j]];
        bool free_joint = model->body[own->body].joint == TACT_JOINT_FREE, slides = own->kind == TACT_MOTION_SLIDES;
        // a shift of a free joint stays as it is
        if (free_joint && slides) continue;
        tact_real d = side->sign * work->displacement[own->dof], *row = T + side->slot[j] * width;
        tact_vec3 axis = side->kinematics->angular[side->path[j]], origin = side->kinematics->origin[side->path[j]];
        for (int m = 0; m < side->count; m++) {
            const tact_motion *by = &model->motion[side->path[m]];
            // motions behind j do not move its axis, and turns of a free joint not its origin
            if (by->body > own->body) break;
            if (free_joint && by->kind != TACT_MOTION_SLIDES) continue;
            bool carries = by->body < own->body && !free_joint;
            tact_vec3 moved = carries ? side->velocity[m] : tact_motion_velocity(side->kinematics, side->path[m], origin);
            tact_vec3 bent = tact_vec3_scale(-1, tact_vec3_cross(axis, moved));
            // carried: dV_j = a_m x V_j - a_j x V_m; otherwise only the origin of j moves
            tact_real change = -tact_vec3_dot(side->lever[j], moved);
            if (carries) {
                bent = tact_vec3_add(bent, tact_vec3_cross(side->kinematics->angular[side->path[m]], side->velocity[j]));
                change += tact_vec3_dot(side->lever[m], side->velocity[j]);
            }
            tact_vec3 *sway = &deriv->sway[side->slot[m]];
            *sway = tact_vec3_add_scaled(*sway, d, bent);
            row[side->slot[m]] += side->sign * change;
        }
    }
}

// row += lever'x + twist's for the columns of x and s, component by component
static void add_products(tact_real *restrict row, tact_vec3 lever, const tact_real *restrict x, tact_vec3 twist,
                         const tact_real *restrict s, int width) {
    const tact_real *y = x + width, *z = y + width, *t = s + width, *u = t + width;
    for (int k = 0; k < width; k++)
        row[k] += (lever.x * x[k] + lever.y * y[k] + lever.z * z[k]) + (twist.x * s[k] + twist.y * t[k] + twist.z * u[k]);
}

// Motion of the contact point and of the frame: dV_j = a_j x dx, and (s x f)'V_j. Returns this body's part of y.
static tact_vec3 add_point_motion(const contact_side *side, const tact_work *work, const tact_contact *contact,
                                  const tact_contact_slope *slope, tact_deriv_work *deriv) {
    int width = contact->width;
    tact_vec3 y = {0, 0, 0}, turn = {0, 0, 0};
    // dx and s by component
    tact_real *x = deriv->rates, *s = x + 3 * width;
    for (int k = 0; k < width; k++) {
        const tact_contact_motion *move = &slope->move[k];
        tact_vec3 point = side->of_b ? move->b : move->a;
        x[k] = point.x, x[width + k] = point.y, x[2 * width + k] = point.z;
        s[k] = move->spin.x, s[width + k] = move->spin.y, s[2 * width + k] = move->spin.z;
    }
    // dV_j = a_j x dx as the point moves; s x f as the force rotates with the frame
    for (int j = 0; j < side->count; j++) {
        int motion = side->path[j];
        tact_real d = side->sign * work->displacement[side->model->motion[motion].dof];
        tact_vec3 lever = tact_vec3_scale(side->sign, side->lever[j]), arm = tact_vec3_scale(side->sign, side->velocity[j]);
        y = tact_vec3_add_scaled(y, d, side->velocity[j]);
        turn = tact_vec3_add_scaled(turn, d, side->kinematics->angular[motion]);
        add_products(slope->T + side->slot[j] * width, lever, x, tact_vec3_cross(contact->force, arm), s, width);
    }
    // y = sum d_j V_j, the displacement at the point
    for (int k = 0; k < width; k++) {
        const tact_contact_motion *move = &slope->move[k];
        deriv->sway[k] = tact_vec3_add(deriv->sway[k], tact_vec3_cross(turn, side->of_b ? move->b : move->a));
    }
    return y;
}

// The stored tangential displacement rotates with the normal and its components with the frame; at its cap its length follows
// the gap.
static void add_anchor(const tact_contact *contact, const tact_cone *cone, const tact_state *before, tact_contact_slope *slope,
                       tact_deriv_work *deriv) {
    int width = contact->width;
    // stored displacement s in the contact frame, and its length before and after the cap of equation (12)
    tact_vec3 n = frame_row(contact, 0), t = frame_row(contact, 1), u = frame_row(contact, 2);
    tact_vec3 stored = before->anchor[contact->pair], from = before->normal[contact->pair];
    tact_vec3 s = tact_vec3_add_scaled(tact_vec3_scale(cone->c[1], t), cone->c[2], u);
    tact_real length = tact_sqrt(tact_vec3_dot(stored, stored)), loaded = tact_sqrt(tact_vec3_dot(s, s));
    if (!(loaded > 0)) return;
    bool capped = loaded < length * (1 - 64 * TACT_EPS);
    deriv->kink = deriv->kink || capped;
    slope->capped = capped;
    if (deriv->frozen_geometry) return;
    // rotation with normal and frame; at the cap, growth with the gap
    for (int k = 0; k < width; k++) {
        const tact_contact_motion *move = &slope->move[k];
        tact_vec3 change =
            tact_anchor_turn_rate(from, n, tact_vec3_scale(loaded / length, stored), tact_vec3_cross(move->spin, n));
        change = tact_vec3_sub(change, tact_vec3_cross(move->spin, s));
        if (capped) change = tact_vec3_add_scaled(change, move->gap / contact->gap, s);
        slope->N[width + k] += tact_vec3_dot(change, t);
        slope->N[2 * width + k] += tact_vec3_dot(change, u);
    }
}

void tact_contact_linearise(const tact_model *model, const tact_options *options, const tact_state *before, const tact_work *work,
                            int index, tact_deriv_work *deriv) {
    TACT_ASSERT(options && deriv);
    TACT_ASSERT(index >= 0 && index < work->contacts.count);
    const tact_contact *contact = &work->contacts.contact[index];
    const tact_cone *cone = &work->cone[index];
    tact_contact_slope *slope = &deriv->contact[index];
    int width = contact->width;
    // W = kappa l l' - a diag(1, -mu^2, -mu^2), lower triangle
    const tact_real *l = contact->lambda;
    tact_real *W = slope->W;
    // a = kappa (l_n - |l_t|/mu)(l_n + |l_t|/mu)/2, without the cancellation of the difference of squares
    tact_real t = tact_sqrt(l[1] * l[1] + l[2] * l[2]), mu = cone->mu, kappa = cone->kappa;
    tact_real slip = mu > 0 ? t / mu : 0, a = kappa * (l[0] - slip) * (l[0] + slip) / 2;
    W[0] = kappa * l[0] * l[0] - a;
    W[1] = kappa * l[1] * l[0];
    W[2] = kappa * l[1] * l[1] + a * mu * mu;
    W[3] = kappa * l[2] * l[0];
    W[4] = kappa * l[2] * l[1];
    W[5] = kappa * l[2] * l[2] + a * mu * mu;
    // N starts with dgap/dq in its normal row, T with 0
    for (int k = 0; k < width; k++) {
        slope->N[k] = contact->J[k];
        slope->N[width + k] = slope->N[2 * width + k] = 0;
        deriv->slot[cone->column[k]] = k;
    }
    for (int k = 0; k < width * width; k++) slope->T[k] = 0;
    slope->capped = slope->jumps = false;
    // frozen geometry: J does not change
    if (deriv->frozen_geometry) {
        if (options->anchor) add_anchor(contact, cone, before, slope, deriv);
        return;
    }
    // motion of frame and points for each column
    differentiate_geometry(model, work, contact, deriv, slope->move);
    // dgap/dq is not the normal row of J if the point slides along a slope of the gap
    const int vertex = model->pair[contact->pair].vertex;
    for (int k = 0; (vertex > 2 || vertex < -2) && k < width; k++) slope->N[k] = slope->move[k].gap;
    for (int k = 0; k < width; k++) deriv->sway[k] = tact_vec3_make(0, 0, 0);
    tact_vec3 y = {0, 0, 0};
    // both bodies: velocity of the point along the path, and kinematic Hessian
    for (int b = 0; b < 2; b++) {
        contact_side side = make_side(model, work, contact, b == 1, deriv);
        y = tact_vec3_add(y, add_point_motion(&side, work, contact, slope, deriv));
        add_kinematic_hessian(&side, work, width, deriv, slope->T);
    }
    for (int k = 0; k < width; k++) {
        // N += F (dy - s x y)
        tact_vec3 change = tact_vec3_sub(deriv->sway[k], tact_vec3_cross(slope->move[k].spin, y));
        for (int row = 0; row < 3; row++) slope->N[row * width + k] += tact_vec3_dot(frame_row(contact, row), change);
    }
    if (options->anchor) add_anchor(contact, cone, before, slope, deriv);
}
