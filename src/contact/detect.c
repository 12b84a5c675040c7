// SPDX-License-Identifier: MIT
// Pairs to contacts. With n the normal from a to b, x_a and x_b the nearest material points and F the frame,
//   gap = n'(x_b - x_a),  J = F (velocity of b at x_b - velocity of a at x_a).
#include "tact/contact.h"

#include "contact/ball.h"
#include "geom/frame.h"
#include "math/elementary.h"

// From this many pairs on, those that are far apart are passed over by balls about the shapes.
enum { DETECT_MANY = 128 };

void tact_contacts_place(tact_contacts *contacts, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(contacts && model);
    size_t npair = (size_t)tact_model_pairs(model), columns = (size_t)tact_model_columns(model);
    contacts->count = 0;
    contacts->reach = NULL;
    contacts->shape = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_pose));
    contacts->sweep = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_real));
    // machines that are made for small models have no room for it
    bool many = TACT_MOST_UNKNOWNS >= DETECT_MANY && npair >= DETECT_MANY;
    contacts->bound = many ? tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_real)) : NULL;
    contacts->slot = tact_arena_take(arena, (size_t)model->nv, sizeof(int));
    contacts->contact = tact_arena_take(arena, npair, sizeof(tact_contact));
    contacts->J = tact_arena_take(arena, 3 * columns, sizeof(tact_real));
}

static void locate_shape(const tact_model *model, const tact_kinematics *kinematics, int i, tact_pose *pose) {
    const tact_shape *shape = &model->shape[i];
    if (shape->body == TACT_WORLD)
        // Fixed to the world: its place. Balls need a position only.
        *pose = shape->place;
    else if (tact_shape_is_ball(shape->type))
        pose->p = tact_pose_apply(kinematics->pose[shape->body], shape->place.p);
    else
        *pose = tact_pose_multiply(kinematics->pose[shape->body], shape->place);
}

// Distance of the pair's sphere (b's where both are) from the other's surface, in the frame of the other: of two spheres the
// world's.
static inline tact_distance measure(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b) {
    // The sphere's centre in the frame of the other shape.
    bool b_is_sphere = tact_shape_is_ball(model->shape[pair->b].type);
    int other = b_is_sphere ? pair->a : pair->b;
    const tact_pose *pose = b_is_sphere ? a : b;
    tact_vec3 away = tact_vec3_sub(b_is_sphere ? b->p : a->p, pose->p);
    bool round = tact_shape_is_ball(model->shape[other].type);
    if (!round) away = tact_mat3_apply_transposed(pose->R, away);
    return tact_shape_distance_from(&model->shape[other], &away);
}

tact_real tact_contact_bound(const tact_shape *shape, tact_vec3 p) {
    TACT_ASSERT(shape);
    const tact_real *size = shape->size, a = size[0], b = size[1];
    tact_real square = 0;
    // Balls meet by their centres' distance itself.
    if (tact_shape_is_ball(shape->type)) return a;
    switch (shape->type) {
    case TACT_SHAPE_CAPSULE: square = (a + b) * (a + b); break;
    case TACT_SHAPE_CYLINDER: square = a * a + b * b; break;
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_ELLIPSOID: square = a * a + b * b + size[2] * size[2]; break;
    case TACT_SHAPE_HULL:
        for (int i = 0; i < shape->hull->nvertex; i++)
            square = tact_max(square, tact_vec3_dot(shape->hull->vertex[i], shape->hull->vertex[i]));
        break;
    default: return TACT_MAX;
    }
    // Rotations are orthonormal to 1e-5 only, and places have the rounding of their size.
    tact_real round = shape->type == TACT_SHAPE_HULL ? a : 0, far = tact_fabs(p.x) + tact_fabs(p.y) + tact_fabs(p.z);
    return TACT_REAL(1.0001) * (tact_sqrt(square) + round) + 64 * TACT_EPS * far;
}

bool tact_contact_apart(tact_vec3 a, tact_vec3 b, tact_real bounds, tact_real reach) {
    // |b - a| > reach + bounds, whatever the rounding; where that is negative every distance is.
    tact_vec3 way = tact_vec3_sub(b, a);
    reach += bounds;
    return bounds < TACT_MAX && (reach < 0 || tact_vec3_dot(way, way) > (1 + 64 * TACT_EPS) * (reach * reach));
}

tact_real tact_contact_gap(const tact_model *model, const tact_kinematics *kinematics, int index) {
    TACT_ASSERT(model && kinematics && 0 <= index && index < model->npair);
    const tact_pair *pair = &model->pair[index];
    // The two shapes' poses, without the rest of a detection.
    tact_pose a, b;
    locate_shape(model, kinematics, pair->a, &a);
    locate_shape(model, kinematics, pair->b, &b);
    if (!tact_pair_has_ball(model, pair)) {
        tact_contact contact;
        tact_pair_find_nearest(model, pair, &a, &b, &contact);
        return contact.gap;
    }
    int sphere = tact_shape_is_ball(model->shape[pair->b].type) ? pair->b : pair->a;
    return measure(model, pair, &a, &b).value - model->shape[sphere].size[0];
}

// Gap, normal and nearest points of one pair.
static inline tact_vec3 find_nearest(const tact_contacts *contacts, const tact_model *model, tact_contact *contact) {
    const tact_pair *pair = &model->pair[contact->pair];
    bool b_is_sphere = tact_shape_is_ball(model->shape[pair->b].type);
    // Neither shape is a ball: a ball that slides on a capsule's axis, or a box's corner.
    bool a_is_sphere = tact_shape_is_ball(model->shape[pair->a].type);
    if (!tact_pair_has_ball(model, pair))
        return tact_pair_find_nearest(model, pair, &contacts->shape[pair->a], &contacts->shape[pair->b], contact);
    int sphere = b_is_sphere ? pair->b : pair->a, other = b_is_sphere ? pair->a : pair->b;
    // Signed distance of the sphere's centre from the other shape, and its gradient.
    const tact_pose *pose = &contacts->shape[other];
    tact_vec3 centre = contacts->shape[sphere].p;
    bool round = a_is_sphere && b_is_sphere;
    tact_distance distance = measure(model, pair, &contacts->shape[pair->a], &contacts->shape[pair->b]);
    tact_vec3 outward = round ? distance.gradient : tact_mat3_apply(pose->R, distance.gradient);
    tact_real radius = model->shape[sphere].size[0];
    // how far back from the centre the points are
    tact_real to_a = b_is_sphere ? distance.value : radius, to_b = b_is_sphere ? radius : distance.value;
    // gap = phi(c) - r; points: back along the gradient by phi, and by r.
    contact->gap = distance.value - radius;
    contact->degenerate = distance.degenerate;
    contact->point_a = tact_vec3_add_scaled(centre, -to_a, outward);
    contact->point_b = tact_vec3_add_scaled(centre, -to_b, outward);
    contact->point = tact_vec3_add_scaled(centre, a_is_sphere ? -to_a : -to_b, outward);
    return tact_vec3_scale(b_is_sphere ? 1 : -1, outward);
}

// Adds the velocity of b's point, in the frame, to the columns of the dofs that move it, or takes that of a's off.
static inline void add_columns(const tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics,
                               tact_contact *contact, bool of_b) {
    const tact_pair *pair = &model->pair[contact->pair];
    int body = model->shape[of_b ? pair->b : pair->a].body, width = contact->width;
    if (body == TACT_WORLD) return;
    const tact_vec3 x = of_b ? contact->point_b : contact->point_a;
    // Sum over the path: a joint's column is its axis, or axis x (x - origin) where it turns.
    const int *end = model->path + model->path_start[body + 1];
    for (const int *path = model->path + model->path_start[body]; path < end; path++) {
        const tact_motion *motion = &model->motion[*path];
        tact_vec3 v;
        if (motion->kind == TACT_MOTION_SLIDES)
            v = kinematics->linear[*path];
        else
            v = tact_vec3_cross(kinematics->angular[*path], tact_vec3_sub(x, kinematics->origin[*path]));
        v = tact_mat3_apply(contact->frame, v);
        // Into the column of the contact that belongs to the dof, which two motions of one joint may share.
        tact_real *J = contact->J + contacts->slot[model->place[motion->dof]];
        J[0] += of_b ? v.x : -v.x;
        J[width] += of_b ? v.y : -v.y;
        J[2 * width] += of_b ? v.z : -v.z;
    }
}

static void set_columns(const tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics,
                        tact_contact *contact) {
    const int *column = model->column + model->column_start[contact->pair], width = contact->width;
    // Columns of the dofs that move either body; slot finds them by dof.
    tact_real *J = contact->J;
    for (int k = 0; k < width; k++, J += 3) {
        contacts->slot[column[k]] = k;
        J[0] = J[1] = J[2] = 0;
    }
    add_columns(contacts, model, kinematics, contact, true);
    add_columns(contacts, model, kinematics, contact, false);
}

void tact_contacts_join(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics) {
    TACT_ASSERT(contacts);
    for (int i = 0; i < contacts->count; i++) {
        tact_contact *contact = &contacts->contact[i];
        contact->point_a = contact->point_b = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(contact->point_a, contact->point_b));
        contact->joined = true;
        set_columns(contacts, model, kinematics, contact);
    }
}

void tact_contacts_locate(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics) {
    for (int i = 0; i < model->nshape; i++) locate_shape(model, kinematics, i, &contacts->shape[i]);
}

void tact_contacts_detect(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics, tact_real margin,
                          const tact_real *free_step) {
    TACT_ASSERT(contacts && model && kinematics);
    tact_contacts_locate(contacts, model, kinematics);
    // Bounds on how far the shapes' origins move in a free step: the sum over the motions that carry them; 0 without one.
    for (int i = 0; i < model->nshape; i++) {
        int body = model->shape[i].body;
        contacts->sweep[i] = 0;
        if (!free_step || body == TACT_WORLD) continue;
        for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
            int motion = model->path[k];
            tact_vec3 v = tact_motion_velocity(kinematics, motion, contacts->shape[i].p);
            contacts->sweep[i] += free_step[model->place[model->motion[motion].dof]] * tact_sqrt(tact_vec3_dot(v, v));
        }
    }
    // Shapes that move farther than pairs were searched for are to reach beyond that.
    for (int i = 0; contacts->reach && i < model->nshape; i++) {
        tact_real reach = margin / 2 + contacts->sweep[i];
        if (!(reach > contacts->reach[i])) continue;
        contacts->reach[i] = TACT_REAL(1.5) * reach;
        contacts->short_of = true;
    }
    // Broad phase and narrow phase in one: each listed pair's distance is closed-form.
    contacts->count = 0;
    const tact_real *bound = TACT_MOST_UNKNOWNS >= DETECT_MANY && model->npair >= DETECT_MANY ? contacts->bound : NULL;
    for (int i = 0; bound && i < model->nshape; i++)
        contacts->bound[i] = tact_contact_bound(&model->shape[i], contacts->shape[i].p);
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        const tact_real reach = margin + contacts->sweep[pair->a] + contacts->sweep[pair->b];
        const tact_pose *a = &contacts->shape[pair->a], *b = &contacts->shape[pair->b];
        // Far pairs without their distances.
        if (bound && tact_contact_apart(a->p, b->p, bound[pair->a] + bound[pair->b], reach)) continue;
        tact_contact *contact = &contacts->contact[contacts->count];
        contact->pair = i;
        tact_vec3 normal = find_nearest(contacts, model, contact);
        // A pair enters within the margin, widened by what both shapes may move.
        if (!(contact->gap < reach)) continue;
        contact->frame = tact_frame_upon(normal);
        contact->width = model->column_start[i + 1] - model->column_start[i];
        contact->J = contacts->J + 3 * model->column_start[i];
        contact->joined = false;
        contact->lambda[0] = contact->lambda[1] = contact->lambda[2] = 0;
        contact->force = tact_vec3_make(0, 0, 0);
        contacts->count++;
    }
    // not in the loop above, so that the roots of one pair need not wait for the columns of another
    for (int i = 0; i < contacts->count; i++) set_columns(contacts, model, kinematics, &contacts->contact[i]);
}
