// SPDX-License-Identifier: MIT
// Normals of contacts at the rims of sharp boxes and hulls. A corner or an edge of one shape at the rim of another is near two or
// three of its faces at once, and its distance alone does not tell which of them separates the shapes: of two equal boxes on top
// of each other every corner is also on side faces. The shapes are on opposite sides of a face with the normal n as far as
//
//     s(n) = min over the corners v of the one shape of n'v - b
//
// is not negative. A contact whose point lies in the planes of such faces takes the one that it approaches least in the step; one
// ahead of a rim also takes a face that it will not have passed by the end of the step. So a box that slides over flush plates,
// or falls along a flush wall, does not strike their edges. The gap is then the distance from the face.
#include "contact/ball.h"
#include "contact/nearest.h"
#include "geom/frame.h"

// Distance from a face, relative to the shape, within which a point lies in its plane: collisions tilt boxes by less.
#define RIM_NEAR TACT_REAL(1e-4)

// Another face is taken if the shapes overlap this many times less along it.
enum { RIM_LESS = 10 };

// A contact of a corner or an edge with a shape that has faces.
typedef struct {
    const tact_shape *shape;  // with the faces ...
    const tact_pose *pose;    // ... and where it is
    const tact_pose *corner;  // (count) of the other shape: only their positions count
    int count;                //
    tact_real near;           // RIM_NEAR [m]
    tact_vec3 point, normal;  // of the contact, in the frame of the shape; outward
    tact_vec3 way;            // of the point in the step, without contact forces
    bool of_a;                // the shape is the pair's a
} rim_contact;

// Whether a shape is a sharp corner of a box or a hull, or a sharp edge: see scene_patch.c, which puts a shape's corners before
// its edges and writes into each corner's unused sizes its number and how many there are.
static bool is_corner(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_SPHERE && shape->size[0] == 0 && shape->size[2] > 0;
}

static bool is_edge(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_CAPSULE && shape->size[0] == 0 && shape->size[2] > 0;
}

// Whether a shape has faces and is sharp, so that distances from its planes are those from its surface.
static bool is_sharp(const tact_shape *shape) {
    return tact_shape_faces(shape) > 0 && shape->size[shape->type == TACT_SHAPE_BOX ? 3 : 0] == 0;
}

// Velocity of b's point relative to a's in the world, F'J v.
static tact_vec3 find_velocity(const tact_model *model, const tact_contact *contact, const tact_real *velocity) {
    const int *column = model->column + model->column_start[contact->pair];
    tact_real u[3] = {0, 0, 0};
    for (int k = 0; k < 3 * contact->width; k++)
        u[k / contact->width] += contact->J[k] * velocity[model->order[column[k % contact->width]]];
    return tact_mat3_apply_transposed(contact->frame, tact_vec3_make(u[0], u[1], u[2]));
}

// False for contacts of other shapes.
static bool find_rim(const tact_contacts *contacts, const tact_model *model, const tact_contact *contact, rim_contact *rim) {
    const tact_pair *pair = &model->pair[contact->pair];
    rim->of_a = tact_shape_faces(&model->shape[pair->a]) > 0;
    int part = rim->of_a ? pair->b : pair->a;
    const int other = rim->of_a ? pair->a : pair->b;
    rim->shape = &model->shape[other];
    if (!is_sharp(rim->shape) || !(is_corner(&model->shape[part]) || is_edge(&model->shape[part]))) return false;
    // from an edge back to the last corner
    while (part > 0 && is_edge(&model->shape[part])) part--;
    if (!is_corner(&model->shape[part])) return false;
    rim->corner = contacts->shape + part - (int)model->shape[part].size[1];
    rim->count = (int)model->shape[part].size[2];
    rim->pose = &contacts->shape[other];
    rim->near = RIM_NEAR * tact_contact_bound(rim->shape, tact_vec3_make(0, 0, 0));
    const tact_vec3 normal = {contact->frame.m[0][0], contact->frame.m[0][1], contact->frame.m[0][2]};
    rim->point = tact_mat3_apply_transposed(rim->pose->R, tact_vec3_sub(contact->point, rim->pose->p));
    rim->normal = tact_mat3_apply_transposed(rim->pose->R, tact_vec3_scale(rim->of_a ? 1 : -1, normal));
    return true;
}

// s(n) of a face.
static tact_real find_separation(const rim_contact *rim, tact_vec3 normal, tact_real offset) {
    const tact_vec3 outward = tact_mat3_apply(rim->pose->R, normal);
    tact_real least = TACT_MAX;
    for (int k = 0; k < rim->count; k++)
        least = tact_min(least, tact_vec3_dot(outward, tact_vec3_sub(rim->corner[k].p, rim->pose->p)));
    return least - offset;
}

// The face that a contact takes; -1: its normal stays.
static int choose_face(const rim_contact *rim, tact_real gap) {
    const int count = tact_shape_faces(rim->shape);
    const bool ahead = gap > rim->near;
    tact_real best = -TACT_MAX, offset = 0, own_separation = -TACT_MAX;
    int own = -1, chosen = -1;
    for (int k = 0; k < count && own < 0; k++)
        if (tact_vec3_dot(tact_shape_face(rim->shape, k, &offset), rim->normal) > 1 - TACT_REAL(1e-6)) own = k;
    // of the faces that separate the shapes the one that is approached least
    for (int k = 0; k < count; k++) {
        const tact_vec3 face = tact_shape_face(rim->shape, k, &offset);
        const tact_real now = tact_vec3_dot(face, rim->point) - offset, end = now + tact_vec3_dot(face, rim->way);
        if (!(tact_fabs(now) <= rim->near || (ahead && end >= 0))) continue;
        if (!(end > best || (k == own && end >= best)) || find_separation(rim, face, offset) < -rim->near) continue;
        best = end;
        chosen = k;
    }
    if (chosen >= 0 || ahead) return chosen == own ? -1 : chosen;
    // shapes that overlap: the face along which they do so least; across two edges the normal stays
    for (int k = 0; k < count && own >= 0; k++) {
        const tact_vec3 face = tact_shape_face(rim->shape, k, &offset);
        const tact_real separation = find_separation(rim, face, offset);
        if (k == own) own_separation = separation;
        if (separation > best) best = separation, chosen = k;
    }
    return chosen != own && best >= own_separation / RIM_LESS ? chosen : -1;
}

void tact_contacts_choose_faces(tact_contacts *contacts, const tact_model *model, const tact_real *velocity, tact_real dt) {
    TACT_ASSERT(contacts && model && velocity);
    for (int i = 0; i < contacts->count && !TACT_BALLS_ONLY; i++) {
        tact_contact *contact = &contacts->contact[i];
        rim_contact rim;
        if (!find_rim(contacts, model, contact, &rim) || contact->gap < -rim.near) continue;
        const tact_vec3 way = tact_vec3_scale(rim.of_a ? dt : -dt, find_velocity(model, contact, velocity));
        rim.way = tact_mat3_apply_transposed(rim.pose->R, way);
        const int k = choose_face(&rim, contact->gap);
        if (k < 0) continue;
        tact_real offset = 0;
        const tact_vec3 face = tact_shape_face(rim.shape, k, &offset), outward = tact_mat3_apply(rim.pose->R, face);
        contact->gap = tact_vec3_dot(face, rim.point) - offset;
        contact->flat = true;
        *(rim.of_a ? &contact->point_b : &contact->point_a) = contact->point;
        *(rim.of_a ? &contact->point_a : &contact->point_b) = tact_vec3_add_scaled(contact->point, -contact->gap, outward);
        contact->frame = tact_frame_upon(tact_vec3_scale(rim.of_a ? 1 : -1, outward));
    }
}

tact_real tact_contact_plane_gap(const tact_contacts *contacts, const tact_model *model, const tact_contact *contact,
                                 const tact_kinematics *kinematics) {
    TACT_ASSERT(contact->flat);
    const tact_pair *pair = &model->pair[contact->pair];
    const bool of_a = tact_shape_faces(&model->shape[pair->a]) > 0;
    const int own = of_a ? pair->b : pair->a, other = of_a ? pair->a : pair->b;
    const tact_pose *was = &contacts->shape[other], *part = &contacts->shape[own];
    const each_scenes scene = {.model = {model}, .common = true};
    tact_pose to = *was, from = *part;
    nearest_locate(&scene, kinematics, own, &from);
    nearest_locate(&scene, kinematics, other, &to);
    // the point moves with its shape, of a corner as its centre; the plane with the other
    tact_vec3 x = from.p, n = {contact->frame.m[0][0], contact->frame.m[0][1], contact->frame.m[0][2]};
    if (is_edge(&model->shape[own])) {
        const tact_vec3 along = tact_mat3_apply_transposed(part->R, tact_vec3_sub(contact->point, part->p));
        x = tact_vec3_add(x, tact_mat3_apply(from.R, along));
    }
    if (!of_a) n = tact_vec3_scale(-1, n);
    const tact_real offset = tact_vec3_dot(n, tact_vec3_sub(contact->point, was->p)) - contact->gap;
    n = tact_mat3_apply(to.R, tact_mat3_apply_transposed(was->R, n));
    return tact_vec3_dot(n, tact_vec3_sub(x, to.p)) - offset;
}
