// SPDX-License-Identifier: MIT
// Normals of contacts on the rims of boxes and hulls. A corner of one shape on an edge of another is on two or three of its faces
// at once, and its distance alone does not tell which of them parts the shapes: of two equal boxes on top of each other every
// corner is also on side faces. The shapes are on opposite sides of a face with the normal n as far as
//
//     s(n) = min over the vertices v of the one shape of n'v - b
//
// is not negative. A contact on the surface whose face has an s far below that of another face takes the other face, and its gap
// is the distance of its point from that.
#include "contact/ball.h"
#include "geom/frame.h"

// Distance from the surface, relative to the shape, up to which a point may be on several faces.
#define RIM_NEAR tact_max(TACT_REAL(1e-6), 64 * TACT_EPS)

// Another face is taken if the shapes overlap this many times less along it.
enum { RIM_LESS = 10 };

// Whether a shape is a sharp vertex of a box or a hull.
static bool is_vertex(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_SPHERE && shape->size[0] == 0;
}

// Whether it is a sharp edge of one, which follows its vertices.
static bool is_edge(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_CAPSULE && shape->size[0] == 0 && shape->size[2] > 0;
}

// The vertices first .. last - 1 of the shape that `part` is a vertex or an edge of.
static void find_vertices(const tact_model *model, int part, int *first, int *last) {
    const tact_shape *shape = model->shape;
    const int body = shape[part].body;
    while (part > 0 && is_edge(&shape[part]) && shape[part - 1].body == body) part--;
    *first = *last = part;
    while (*first > 0 && is_vertex(&shape[*first - 1]) && shape[*first - 1].body == body) --*first;
    while (*last < model->nshape && is_vertex(&shape[*last]) && shape[*last].body == body) ++*last;
}

// s(n) of a face of the other shape, whose pose is given.
static tact_real find_separation(const tact_contacts *contacts, int first, int last, const tact_pose *pose, tact_vec3 normal,
                                 tact_real offset) {
    const tact_vec3 outward = tact_mat3_apply(pose->R, normal);
    tact_real least = TACT_MAX;
    for (int v = first; v < last; v++)
        least = tact_min(least, tact_vec3_dot(outward, tact_vec3_sub(contacts->shape[v].p, pose->p)) - offset);
    return least;
}

void tact_contacts_choose_faces(tact_contacts *contacts, const tact_model *model) {
    TACT_ASSERT(contacts && model);
    for (int i = 0; i < contacts->count && !TACT_BALLS_ONLY; i++) {
        tact_contact *contact = &contacts->contact[i];
        const tact_pair *pair = &model->pair[contact->pair];
        const bool of_a = tact_shape_faces(&model->shape[pair->a]) > 0;
        const int own = of_a ? pair->b : pair->a, other = of_a ? pair->a : pair->b;
        const tact_shape *shape = &model->shape[other];
        if (tact_shape_faces(shape) == 0 || !(is_vertex(&model->shape[own]) || is_edge(&model->shape[own]))) continue;
        const tact_real near = RIM_NEAR * tact_contact_bound(shape, tact_vec3_make(0, 0, 0));
        if (!(tact_fabs(contact->gap) <= near)) continue;
        // the point and the normal in the frame of the shape with the faces
        const tact_pose *pose = &contacts->shape[other];
        const tact_vec3 x = tact_mat3_apply_transposed(pose->R, tact_vec3_sub(contact->point, pose->p));
        const tact_real *row = contact->frame.m[0], sign = of_a ? 1 : -1;
        const tact_vec3 n = tact_mat3_apply_transposed(pose->R, tact_vec3_make(sign * row[0], sign * row[1], sign * row[2]));
        int first = own, last = own;
        find_vertices(model, own, &first, &last);
        // along the normal it has: -TACT_MAX across two edges; and along the best face
        tact_real had = -TACT_MAX, best = -TACT_MAX, gap = 0, offset = 0;
        tact_vec3 normal = n;
        for (int k = 0; k < tact_shape_faces(shape) && had == -TACT_MAX; k++) {
            const tact_vec3 face = tact_shape_face(shape, k, &offset);
            if (tact_vec3_dot(face, n) > 1 - TACT_REAL(1e-6)) had = find_separation(contacts, first, last, pose, face, offset);
        }
        for (int k = 0; k < tact_shape_faces(shape) && had < -near; k++) {
            const tact_vec3 face = tact_shape_face(shape, k, &offset);
            const tact_real apart = find_separation(contacts, first, last, pose, face, offset);
            if (apart > best) best = apart, normal = face, gap = tact_vec3_dot(face, x) - offset;
        }
        // the normal parts the shapes as well as any, as between two edges if no face does
        if (had >= -near || best < (had == -TACT_MAX ? -near : had / RIM_LESS)) continue;
        const tact_vec3 outward = tact_mat3_apply(pose->R, normal);
        *(of_a ? &contact->point_b : &contact->point_a) = contact->point;
        *(of_a ? &contact->point_a : &contact->point_b) = tact_vec3_add_scaled(contact->point, -gap, outward);
        contact->gap = gap;
        contact->frame = tact_frame_upon(tact_vec3_scale(sign, outward));
    }
}
