// SPDX-License-Identifier: MIT
// Kinematics and contacts in lanes: tree/kinematics.c and contact/detect.c operation by operation, so that each lane has the
// bits of the scalar functions. The results go to the scenes' works.
#include "batch/lane_front.h"

#include "contact/ball.h"
#include "geom/shapes.h"
#include "law/barrier.h"
#include "law/tie.h"
#include "math/wide_trig.h"
#include "tact/math.h"

// Memory of the kinematics and contacts in lanes; an arena without memory measures.
static void *front_place(const tact_model *model, tact_arena *arena) {
    tact_lane_front blank = {0}, *placed = tact_arena_take(arena, 1, sizeof *placed), *front = placed ? placed : &blank;
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion, nshape = (size_t)model->nshape;
    // Kinematics and shapes of all lanes, side by side.
    front->pose = tact_arena_take(arena, nbody, sizeof(lane_pose));
    front->frame = tact_arena_take(arena, nbody, sizeof(lane_mat3));
    front->angular = tact_arena_take(arena, nmotion, sizeof(lane_vec3));
    front->linear = tact_arena_take(arena, nmotion, sizeof(lane_vec3));
    front->origin = tact_arena_take(arena, nmotion, sizeof(lane_vec3));
    front->shape = tact_arena_take(arena, nshape, sizeof(lane_pose));
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
    front->composite = tact_arena_take(arena, nbody, sizeof(lane_composite));
    if (front->P_start) front->P_start[0] = 0;
    for (int i = 0; front->P_start && i < model->nv; i++)
        front->P_start[i + 1] = front->P_start[i] + i - model->mass_first[i] + 1;
    return placed;
}

static void front_motion(tact_lane_front *front, int motion, lane_vec3 angular, lane_vec3 linear, lane_vec3 origin) {
    front->angular[motion] = angular;
    front->linear[motion] = linear;
    front->origin[motion] = origin;
}

// R times the rotation about its column k, next to columns i and j; that column
static lane_vec3 front_turn_columns(lane_mat3 *R, int i, int j, int k, tact_wide s, tact_wide c) {
    for (int row = 0; row < 3; row++) {
        tact_wide a = R->m[row][i], b = R->m[row][j];
        R->m[row][i] = c * a + s * b;
        R->m[row][j] = c * b - s * a;
    }
    return lane_mat3_column(R, k);
}

// the matrix that turns about a unit axis
static lane_mat3 front_about(lane_vec3 a, tact_wide s, tact_wide c) {
    // Rodrigues' formula: c I + s [a] + (1 - c) a a'.
    lane_vec3 b = lane_vec3_scale(1 - c, a);
    lane_mat3 R = {{{c + b.x * a.x, b.x * a.y - s * a.z, b.x * a.z + s * a.y},
                    {b.x * a.y + s * a.z, c + b.y * a.y, b.y * a.z - s * a.x},
                    {b.x * a.z - s * a.y, b.y * a.z + s * a.x, c + b.z * a.z}}};
    return R;
}

// Revolute joint: turns the body's frame by the angle about its axis a, and sets its motion.
static void front_turn(tact_lane_front *front, int b, lane_vec3 a, tact_wide ratio, tact_wide angle) {
    int motion = front->model->body_motion[b];
    tact_vec3 given = front->model->body[b].axis;
    lane_pose *pose = &front->pose[b];
    tact_wide s = angle, c = angle;
    lane_vec3 axis;
    // Sine and cosine of all lanes at once; the axis' zeros are the same in all of them.
    tact_wide_sincos(angle, &s, &c);
    if (given.x == 0 && given.y == 0) {
        axis = lane_vec3_scale(a.z, front_turn_columns(&pose->R, 0, 1, 2, a.z * s, c));
    } else if (given.x == 0 && given.z == 0) {
        axis = lane_vec3_scale(a.y, front_turn_columns(&pose->R, 2, 0, 1, a.y * s, c));
    } else if (given.y == 0 && given.z == 0) {
        axis = lane_vec3_scale(a.x, front_turn_columns(&pose->R, 1, 2, 0, a.x * s, c));
    } else {
        lane_mat3 turn = front_about(a, s, c);
        axis = lane_mat3_apply(&pose->R, a);
        pose->R = lane_mat3_multiply(&pose->R, &turn);
    }
    front_motion(front, motion, lane_vec3_scale(ratio, axis), lane_vec3_all(0, 0, 0), pose->p);
}

static void front_slide(tact_lane_front *front, int b, lane_vec3 a, tact_wide ratio, tact_wide way) {
    lane_pose *pose = &front->pose[b];
    lane_vec3 axis = lane_mat3_apply(&pose->R, a);
    pose->p = lane_vec3_add_scaled(pose->p, way, axis);
    front_motion(front, front->model->body_motion[b], lane_vec3_all(0, 0, 0), lane_vec3_scale(ratio, axis), pose->p);
}

static void front_translate(tact_lane_front *front, int b, const tact_wide *q) {
    lane_pose *pose = &front->pose[b];
    int motion = front->model->body_motion[b];
    pose->p = lane_pose_apply(pose, lane_vec3_make(q[0], q[1], q[2]));
    for (int k = 0; k < 3; k++) front_motion(front, motion + k, lane_vec3_all(0, 0, 0), lane_mat3_column(&pose->R, k), pose->p);
}

static void front_plane(tact_lane_front *front, int b, const tact_wide *q) {
    const lane_vec3 zero = lane_vec3_all(0, 0, 0), z = lane_vec3_all(0, 0, 1);
    lane_pose *pose = &front->pose[b];
    int motion = front->model->body_motion[b];
    tact_wide s = q[2], c = q[2];
    // As joint_plane: two translations, then the turn about the normal.
    tact_wide_sincos(q[2], &s, &c);
    pose->p = lane_pose_apply(pose, lane_vec3_make(q[0], q[1], tact_wide_all(0)));
    for (int k = 0; k < 2; k++) front_motion(front, motion + k, zero, lane_mat3_column(&pose->R, k), pose->p);
    front_motion(front, motion + 2, lane_mat3_column(&pose->R, 2), zero, pose->p);
    lane_mat3 turn = front_about(z, s, c);
    pose->R = lane_mat3_multiply(&pose->R, &turn);
}

// Free joint: pose from position and quaternion, and its six motions along and about the world's axes.
static void front_float(tact_lane_front *front, int b, const tact_wide *q) {
    const lane_vec3 zero = lane_vec3_all(0, 0, 0);
    const lane_mat3 world = lane_mat3_identity();
    lane_pose *pose = &front->pose[b];
    int motion = front->model->body_motion[b];
    lane_mat3 turn = world;
    // Quaternion to matrix lane by lane, as the scalar code does it.
    for (int i = 0; i < TACT_LANES; i++) {
        tact_quat given = {tact_wide_get(&q[3], i), tact_wide_get(&q[4], i), tact_wide_get(&q[5], i), tact_wide_get(&q[6], i)};
        tact_mat3 R = tact_quat_matrix(tact_quat_normalize(given));
        for (int k = 0; k < 9; k++) tact_wide_put(&turn.m[k / 3][k % 3], i, R.m[k / 3][k % 3]);
    }
    pose->p = lane_pose_apply(pose, lane_vec3_make(q[0], q[1], q[2]));
    pose->R = lane_mat3_multiply(&pose->R, &turn);
    for (int k = 0; k < 3; k++) {
        front_motion(front, motion + k, lane_mat3_column(&world, k), zero, pose->p);
        front_motion(front, motion + 3 + k, zero, lane_mat3_column(&world, k), pose->p);
    }
}

// Pose and motions of body b, whose parent's pose is known.
static void front_move_body(tact_lane_front *front, int b, const lane_pose *world) {
    const tact_body *body = &front->model->body[b];
    const lane_pose *parent = body->parent == TACT_WORLD ? world : &front->pose[body->parent];
    const void *base[TACT_LANES];
    tact_wide *own = front->own;
    // The body of each scene's own model: places, axes and ratios may differ.
    for (int i = 0; i < TACT_LANES; i++) base[i] = &front->scene[i]->model->body[b];
    lane_pose *pose = &front->pose[b];
    if (front->model->shift[b]) {
        pose->R = parent->R;
    } else {
        lane_mat3 place = lane_read_mat3(front, base, offsetof(tact_body, place) + offsetof(tact_pose, R));
        pose->R = lane_mat3_multiply(&parent->R, &place);
    }
    pose->p = lane_pose_apply(parent, lane_read_vec3(front, base, offsetof(tact_body, place) + offsetof(tact_pose, p)));
    if (body->joint == TACT_JOINT_FREE) front->frame[b] = pose->R;
    if (body->joint == TACT_JOINT_FIXED) return;
    // Coordinates of the joint; then by its type, as tree/joint.c.
    int count = tact_joint_coordinates(body->joint);
    for (int k = 0; k < count; k++) {
        own[k] = tact_wide_all(0);
        for (int i = 0; i < TACT_LANES; i++) tact_wide_put(&own[k], i, front->scene[i]->state->q[body->q + k]);
    }
    if (body->joint == TACT_JOINT_TRANSLATION) {
        front_translate(front, b, own);
    } else if (body->joint == TACT_JOINT_PLANAR) {
        front_plane(front, b, own);
    } else if (body->joint == TACT_JOINT_FREE) {
        front_float(front, b, own);
    } else {
        lane_vec3 axis = lane_read_vec3(front, base, offsetof(tact_body, axis));
        tact_wide ratio = lane_read(front, base, offsetof(tact_body, ratio));
        tact_wide way = ratio * own[0] + lane_read(front, base, offsetof(tact_body, offset));
        (body->joint == TACT_JOINT_PRISMATIC ? front_slide : front_turn)(front, b, axis, ratio, way);
    }
}

// World poses of the shapes.
static void front_locate_shapes(tact_lane_front *front) {
    for (int k = 0; k < front->model->nshape; k++) {
        const tact_shape *shape = &front->model->shape[k];
        lane_pose *pose = &front->shape[k];
        const void *base[TACT_LANES];
        // Place of the shape in each scene; balls need a position only.
        for (int i = 0; i < TACT_LANES; i++) base[i] = &front->scene[i]->model->shape[k];
        lane_vec3 p = lane_read_vec3(front, base, offsetof(tact_shape, place) + offsetof(tact_pose, p));
        bool turned = !tact_shape_is_ball(shape->type) || shape->body == TACT_WORLD;
        lane_mat3 R = {0};
        if (turned) R = lane_read_mat3(front, base, offsetof(tact_shape, place) + offsetof(tact_pose, R));
        if (shape->body == TACT_WORLD) {
            pose->R = R;
            pose->p = p;
            continue;
        }
        pose->p = lane_pose_apply(&front->pose[shape->body], p);
        if (turned) pose->R = lane_mat3_multiply(&front->pose[shape->body].R, &R);
    }
}

// Bounds on the displacements of the shapes' origins, where the margin is automatic.
static void front_sweep_shapes(tact_lane_front *front) {
    const tact_model *model = front->model;
    bool any = false;
    // Free step of each dof where the margin is automatic, 0 elsewhere.
    for (int v = 0; v < model->nv; v++)
        for (int i = 0; i < TACT_LANES; i++) {
            const tact_work *work = front->scene[i]->work;
            tact_wide_put(&front->free_step[v], i, work->sweeping ? work->d[v] : 0);
            any = any || work->sweeping;
        }
    for (int k = 0; k < model->nshape; k++) {
        int body = model->shape[k].body;
        front->sweep[k] = tact_wide_all(0);
        if (!any || body == TACT_WORLD) continue;
        for (int m = model->path_start[body]; m < model->path_start[body + 1]; m++) {
            int motion = model->path[m];
            lane_vec3 v = lane_front_velocity(front, motion, front->shape[k].p);
            front->sweep[k] += front->free_step[model->place[model->motion[motion].dof]] * tact_wide_sqrt(lane_vec3_dot(v, v));
        }
    }
}

// Gap, normal and nearest points of one pair.
typedef struct {
    tact_wide gap;
    tact_wide value;  // distance of the centre
    lane_vec3 point_a, point_b, normal;
    lane_vec3 point;  // the one of both that is shown
    bool degenerate[TACT_LANES];
} front_pair;

static tact_pose front_pose(const lane_pose *pose, int lane) {
    tact_pose out = {.p = lane_vec3_get(&pose->p, lane)};
    for (int k = 0; k < 9; k++) out.R.m[k / 3][k % 3] = tact_wide_get(&pose->R.m[k / 3][k % 3], lane);
    return out;
}

// distance and gradient by the scalar function
static void front_distance(const tact_lane_front *front, int shape, const lane_vec3 *x, front_pair *found, lane_vec3 *gradient) {
    for (int i = 0; i < TACT_LANES; i++) {
        tact_distance d = tact_shape_distance(&front->scene[i]->model->shape[shape], lane_vec3_get(x, i));
        tact_wide_put(&found->value, i, d.value);
        found->degenerate[i] = d.degenerate;
        lane_vec3_set(gradient, i, d.gradient);
    }
}

// of two spheres, where nothing overflows
static bool front_round(const tact_lane_front *front, int shape, const lane_vec3 *x, front_pair *found, lane_vec3 *gradient) {
    const tact_real small = 1 / (TACT_MAX * TACT_EPS * TACT_EPS);
    const void *base[TACT_LANES];
    // |x|^2 must neither overflow nor vanish; otherwise the scalar function knows better.
    tact_wide square = lane_vec3_dot(*x, *x);
    tact_mask fine = (square > small) & (square <= TACT_MAX);
    if (tact_mask_any(tact_mask_not(fine))) return false;
    for (int i = 0; i < TACT_LANES; i++) base[i] = &front->scene[i]->model->shape[shape];
    tact_wide length = tact_wide_sqrt(square);
    *gradient = lane_vec3_make(x->x / length, x->y / length, x->z / length);
    found->value = 1 * length - lane_read(front, base, offsetof(tact_shape, size));
    return true;
}

// Gap, normal and nearest points of a pair, in all lanes at once where one shape is a ball.
static void front_find_nearest(const tact_lane_front *front, int index, front_pair *found) {
    const tact_pair *pair = &front->model->pair[index];
    const tact_shape *shapes = front->model->shape;
    bool b_is_sphere = tact_shape_is_ball(shapes[pair->b].type), a_is_sphere = tact_shape_is_ball(shapes[pair->a].type);
    if (!a_is_sphere && !b_is_sphere) {
        // two shapes that are not balls: lane by lane by the scalar function
        for (int i = 0; i < TACT_LANES; i++) {
            tact_pose a = front_pose(&front->shape[pair->a], i), b = front_pose(&front->shape[pair->b], i);
            tact_contact contact;
            lane_vec3_set(&found->normal, i, tact_pair_find_nearest(front->scene[i]->model, pair, &a, &b, &contact));
            tact_wide_put(&found->gap, i, contact.gap);
            lane_vec3_set(&found->point_a, i, contact.point_a);
            lane_vec3_set(&found->point_b, i, contact.point_b);
            lane_vec3_set(&found->point, i, contact.point);
            found->degenerate[i] = contact.degenerate;
        }
        return;
    }
    // Distance of the sphere's centre from the other shape, as in contact/detect.c.
    int sphere = b_is_sphere ? pair->b : pair->a, other = b_is_sphere ? pair->a : pair->b;
    const lane_pose *pose = &front->shape[other];
    const void *base[TACT_LANES];
    for (int i = 0; i < TACT_LANES; i++) base[i] = &front->scene[i]->model->shape[sphere];
    lane_vec3 centre = front->shape[sphere].p, away = lane_vec3_sub(centre, pose->p), outward = away;
    if (a_is_sphere && b_is_sphere) {
        if (!front_round(front, other, &away, found, &outward)) front_distance(front, other, &away, found, &outward);
    } else {
        lane_vec3 x = lane_mat3_apply_transposed(&pose->R, away), gradient = lane_vec3_all(0, 0, 1);
        if (shapes[other].type == TACT_SHAPE_PLANE)
            found->value = x.z;
        else
            front_distance(front, other, &x, found, &gradient);
        outward = lane_mat3_apply(&pose->R, gradient);
    }
    // Points back along the gradient, by the radius and by the distance.
    tact_wide radius = lane_read(front, base, offsetof(tact_shape, size));
    lane_vec3 on_sphere = lane_vec3_add_scaled(centre, -radius, outward);
    lane_vec3 on_other = lane_vec3_add_scaled(centre, -found->value, outward);
    found->gap = found->value - radius;
    found->point_a = b_is_sphere ? on_other : on_sphere;
    found->point_b = b_is_sphere ? on_sphere : on_other;
    found->point = a_is_sphere ? found->point_a : found->point_b;
    found->normal = b_is_sphere ? outward : lane_vec3_scale(tact_wide_all(-1), outward);
}

static lane_mat3 front_frame(lane_vec3 normal) {
    // The frame on the normal, as tact_frame_upon, on the chart that each lane needs.
    tact_wide s = tact_wide_select(normal.z >= tact_wide_all(TACT_FRAME_SEAM), tact_wide_all(1), tact_wide_all(-1));
    lane_vec3 w = normal;
    w.z += s;
    tact_wide f = 2 / lane_vec3_dot(w, w);
    tact_wide fx = f * w.x, fy = s * f * w.y;
    lane_mat3 frame = {
        {{normal.x, normal.y, normal.z}, {1 - fx * w.x, -fx * w.y, -fx * w.z}, {-fy * w.x, s - fy * w.y, -fy * w.z}}};
    return frame;
}

static void front_add_columns(tact_lane_front *front, int index, const lane_mat3 *frame, int width, lane_vec3 x, bool of_b) {
    const tact_model *model = front->model;
    int body = model->shape[of_b ? model->pair[index].b : model->pair[index].a].body;
    tact_real sign = of_b ? 1 : -1;
    if (body == TACT_WORLD) return;
    // Column of each motion of the path: F v, with its sign.
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        lane_vec3 v = lane_mat3_apply(frame, lane_front_velocity(front, motion, x));
        tact_wide *J = front->J + front->slot[model->place[model->motion[motion].dof]];
        J[0] += sign * v.x;
        J[width] += sign * v.y;
        J[2 * width] += sign * v.z;
    }
}

// Contacts of one pair in the lanes where the gap is within reach: frame and J, reported to the scenes.
static void front_detect_pair(tact_lane_front *front, int index) {
    const tact_model *model = front->model;
    const int *column = model->column + model->column_start[index];
    int width = model->column_start[index + 1] - model->column_start[index];
    front_pair found = {.degenerate = {false}};
    bool in[TACT_LANES], any = false;
    front_find_nearest(front, index, &found);
    tact_wide sweep_a = front->sweep[model->pair[index].a], sweep_b = front->sweep[model->pair[index].b];
    // Lanes in which the pair is within its margin; none: nothing to do.
    for (int i = 0; i < TACT_LANES; i++) {
        tact_real reach = front->scene[i]->options.margin + tact_wide_get(&sweep_a, i) + tact_wide_get(&sweep_b, i);
        in[i] = i < front->count && tact_wide_get(&found.gap, i) < reach;
        any = any || in[i];
    }
    if (!any) return;
    lane_mat3 frame = front_frame(found.normal);
    // Columns of both bodies, then each lane's contact to its scene.
    for (int k = 0; k < width; k++) front->slot[column[k]] = k;
    for (int k = 0; k < 3 * width; k++) front->J[k] = tact_wide_all(0);
    front_add_columns(front, index, &frame, width, found.point_b, true);
    front_add_columns(front, index, &frame, width, found.point_a, false);
    for (int i = 0; i < front->count; i++)
        if (in[i]) {
            // the lane's contact as its scene has it
            tact_contacts *contacts = &front->scene[i]->work->contacts;
            tact_contact *contact = &contacts->contact[contacts->count++];
            contact->pair = index;
            contact->width = model->column_start[index + 1] - model->column_start[index];
            contact->J = contacts->J + 3 * model->column_start[index];
            contact->gap = tact_wide_get(&found.gap, i);
            contact->point_a = lane_vec3_get(&found.point_a, i);
            contact->point_b = lane_vec3_get(&found.point_b, i);
            contact->point = lane_vec3_get(&found.point, i);
            contact->joined = false;
            contact->degenerate = found.degenerate[i];
            lane_mat3_put(&contact->frame, i, &frame);
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
        tact_wide P = *lane_front_diagonal(front, i);
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

// Quadratics and gradients; what needs the kinematics of one scene is done scene by scene.
static void front_load(tact_lane_front *front, bool together) {
    if (together) TACT_LANE_NAME(tact_lane_load_, TACT_LANES)(front);
    for (int i = 0; i < front->count; i++) {
        tact_lane_scene *at = front->scene[i];
        const tact_model *model = front->model;
        tact_kinematics *to = &at->work->kinematics;
        // Frames of free joints are what integration needs; the rest only where something reads it.
        for (int b = 0; b < model->nbody; b++) {
            if (model->body[b].joint == TACT_JOINT_FREE) lane_mat3_put(&to->frame[b], i, &front->frame[b]);
            if (!front->whole) continue;
            lane_mat3_put(&to->pose[b].R, i, &front->pose[b].R);
            to->pose[b].p = lane_vec3_get(&front->pose[b].p, i);
        }
        for (int m = 0; m < model->nmotion && front->whole; m++) {
            to->angular[m] = lane_vec3_get(&front->angular[m], i);
            to->linear[m] = lane_vec3_get(&front->linear[m], i);
            to->origin[m] = lane_vec3_get(&front->origin[m], i);
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
    const lane_pose world = {lane_mat3_identity(), lane_vec3_all(0, 0, 0)};
    tact_lane_front *front = memory;
    bool together = true, pushed = false;
    front->count = count;
    front->model = scene[0]->model;
    front->common = true;
    front->whole = false;
    // Lanes beyond count repeat the last scene. together: gravity on undriven dofs only; whole: the scalar code needs all
    // kinematics.
    for (int i = 0; i < TACT_LANES; i++) {
        front->scene[i] = scene[i < count ? i : count - 1];
        front->common = front->common && front->scene[i]->model == front->model;
        together = together && !front->scene[i]->options.gravity_on_driven && tact_ties(front->model) == 0;
        pushed = pushed || front->scene[i]->input->wrench || front->scene[i]->input->spare;
        front->whole = front->whole || front->scene[i]->input->wrench || front->scene[i]->options.anchor;
    }
    front->whole = front->whole || !together;
    // Kinematics, quadratics, shapes, contacts; then scene by scene what the lanes do not know.
    for (int b = 0; b < front->model->nbody; b++) front_move_body(front, b, &world);
    front_load(front, together);
    front_locate_shapes(front);
    front_sweep_shapes(front);
    for (int k = 0; k < front->model->npair; k++) front_detect_pair(front, k);
    tact_mask plain = front_plain(front);
    for (int i = 0; i < count; i++) {
        tact_lane_scene *at = front->scene[i];
        tact_barrier_constrain(at->model, &at->options, at->input, at->state, at->work);
        at->warm = at->options.warm_start && tact_barrier_recall(at->state, at->work) && front_moderate(at->work);
        at->plain = together && !pushed && tact_mask_get(plain, i);
    }
}

const tact_lane_kernel TACT_LANE_NAME(tact_lane_front_,
                                      TACT_LANES) = {.width = TACT_LANES, .place = front_place, .run = front_assemble};
