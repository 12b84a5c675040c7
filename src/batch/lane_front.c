// SPDX-License-Identifier: MIT
// Kinematics and contacts in lanes: tree/kinematics.c and contact/detect.c operation by operation, so that each lane has the
// bits of the scalar functions. The results go to the scenes' works.
#include "batch/lane_front.h"

#include "contact/ball.h"
#include "geom/shapes.h"
#include "law/barrier.h"
#include "law/tie.h"
#include "tree/joint.h"

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

// World poses of the shapes.
static void front_locate_shapes(tact_lane_front *front) {
    for (int k = 0; k < front->model->nshape; k++) {
        const tact_shape *shape = &front->model->shape[k];
        each_pose *pose = &front->shape[k];
        // Place of the shape in each scene; balls need a position only.
        each_vec3 p = each_vec3_of(&front->scenes, shape[k].place.p);
        bool turned = !tact_shape_is_ball(shape->type) || shape->body == TACT_WORLD;
        each_mat3 R = {0};
        if (turned) R = each_mat3_of(&front->scenes, shape[k].place.R);
        if (shape->body == TACT_WORLD) {
            pose->R = R;
            pose->p = p;
            continue;
        }
        pose->p = each_pose_apply(&front->kinematics.pose[shape->body], p);
        if (turned) pose->R = each_mat3_multiply(&front->kinematics.pose[shape->body].R, &R);
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
            each_vec3 v = each_motion_velocity(&front->kinematics, motion, front->shape[k].p);
            front->sweep[k] += front->free_step[model->place[model->motion[motion].dof]] * tact_wide_sqrt(each_vec3_dot(v, v));
        }
    }
}

// Gap, normal and nearest points of one pair.
typedef struct {
    tact_wide gap;
    tact_wide value;  // distance of the centre
    each_vec3 point_a, point_b, normal;
    each_vec3 point;  // the one of both that is shown
    bool degenerate[TACT_LANES];
} front_pair;

static tact_pose front_pose(const each_pose *pose, int lane) {
    tact_pose out = {lane_mat3_get(&pose->R, lane), lane_vec3_get(&pose->p, lane)};
    return out;
}

// distance and gradient by the scalar function
static void front_distance(const tact_lane_front *front, int shape, const each_vec3 *x, front_pair *found, each_vec3 *gradient) {
    for (int i = 0; i < TACT_LANES; i++) {
        tact_distance d = tact_shape_distance(&front->scene[i]->model->shape[shape], lane_vec3_get(x, i));
        tact_wide_put(&found->value, i, d.value);
        found->degenerate[i] = d.degenerate;
        each_vec3_put(gradient, i, d.gradient);
    }
}

// of two spheres, where nothing overflows
static bool front_round(const tact_lane_front *front, int shape, const each_vec3 *x, front_pair *found, each_vec3 *gradient) {
    const tact_real small = 1 / (TACT_MAX * TACT_EPS * TACT_EPS);
    // |x|^2 must neither overflow nor vanish; otherwise the scalar function knows better.
    tact_wide square = each_vec3_dot(*x, *x);
    tact_mask fine = (square > small) & (square <= TACT_MAX);
    if (tact_mask_any(tact_mask_not(fine))) return false;
    tact_wide length = tact_wide_sqrt(square);
    *gradient = each_vec3_make(x->x / length, x->y / length, x->z / length);
    found->value = 1 * length - each_real(&front->scenes, shape[shape].size[0]);
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
            each_vec3_put(&found->normal, i, tact_pair_find_nearest(front->scene[i]->model, pair, &a, &b, &contact));
            tact_wide_put(&found->gap, i, contact.gap);
            each_vec3_put(&found->point_a, i, contact.point_a);
            each_vec3_put(&found->point_b, i, contact.point_b);
            each_vec3_put(&found->point, i, contact.point);
            found->degenerate[i] = contact.degenerate;
        }
        return;
    }
    // Distance of the sphere's centre from the other shape, as in contact/detect.c.
    int sphere = b_is_sphere ? pair->b : pair->a, other = b_is_sphere ? pair->a : pair->b;
    const each_pose *pose = &front->shape[other];
    each_vec3 centre = front->shape[sphere].p, away = each_vec3_sub(centre, pose->p), outward = away;
    if (a_is_sphere && b_is_sphere) {
        if (!front_round(front, other, &away, found, &outward)) front_distance(front, other, &away, found, &outward);
    } else {
        each_vec3 x = each_mat3_apply_transposed(&pose->R, away), gradient = each_vec3_all(0, 0, 1);
        if (shapes[other].type == TACT_SHAPE_PLANE)
            found->value = x.z;
        else
            front_distance(front, other, &x, found, &gradient);
        outward = each_mat3_apply(&pose->R, gradient);
    }
    // Points back along the gradient, by the radius and by the distance.
    tact_wide radius = each_real(&front->scenes, shape[sphere].size[0]);
    each_vec3 on_sphere = each_vec3_add_scaled(centre, -radius, outward);
    each_vec3 on_other = each_vec3_add_scaled(centre, -found->value, outward);
    found->gap = found->value - radius;
    found->point_a = b_is_sphere ? on_other : on_sphere;
    found->point_b = b_is_sphere ? on_sphere : on_other;
    found->point = a_is_sphere ? found->point_a : found->point_b;
    found->normal = b_is_sphere ? outward : each_vec3_scale(tact_wide_all(-1), outward);
}

static each_mat3 front_frame(each_vec3 normal) {
    // The frame on the normal, as tact_frame_upon, on the chart that each lane needs.
    tact_wide s = tact_wide_select(normal.z >= tact_wide_all(TACT_FRAME_SEAM), tact_wide_all(1), tact_wide_all(-1));
    each_vec3 w = normal;
    w.z += s;
    tact_wide f = 2 / each_vec3_dot(w, w);
    tact_wide fx = f * w.x, fy = s * f * w.y;
    each_mat3 frame = {
        {{normal.x, normal.y, normal.z}, {1 - fx * w.x, -fx * w.y, -fx * w.z}, {-fy * w.x, s - fy * w.y, -fy * w.z}}};
    return frame;
}

static void front_add_columns(tact_lane_front *front, int index, const each_mat3 *frame, int width, each_vec3 x, bool of_b) {
    const tact_model *model = front->model;
    int body = model->shape[of_b ? model->pair[index].b : model->pair[index].a].body;
    tact_real sign = of_b ? 1 : -1;
    if (body == TACT_WORLD) return;
    // Column of each motion of the path: F v, with its sign.
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int motion = model->path[k];
        each_vec3 v = each_mat3_apply(frame, each_motion_velocity(&front->kinematics, motion, x));
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
    each_mat3 frame = front_frame(found.normal);
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
            contact->frame = lane_mat3_get(&frame, i);
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
            if (model->body[b].joint == TACT_JOINT_FREE) to->frame[b] = lane_mat3_get(&front->kinematics.frame[b], i);
            if (!front->whole) continue;
            to->pose[b] = front_pose(&front->kinematics.pose[b], i);
        }
        for (int m = 0; m < model->nmotion && front->whole; m++) {
            to->angular[m] = lane_vec3_get(&front->kinematics.angular[m], i);
            to->linear[m] = lane_vec3_get(&front->kinematics.linear[m], i);
            to->origin[m] = lane_vec3_get(&front->kinematics.origin[m], i);
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
        tact_wide s = tact_wide_all(0), c = s;
        bool turns = tact_joint_turns(front->model->body[b].joint);
        if (turns) tact_wide_sincos(tact_joint_coordinate(&front->scenes, b), &s, &c);
        tact_joint_place(&front->kinematics, &front->scenes, b, &world, turns ? &s : NULL, &c);
    }
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
