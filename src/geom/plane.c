// SPDX-License-Identifier: MIT
// The plane of a planar scene, and whether a model fits in it. Everything is evaluated with all joint coordinates at 0, where
// the pose of a body is the product of the placements up to the world; motions that pass the check keep directions normal to
// the plane.
#include "tact/planar.h"

#include "math/elementary.h"

#define PLANE_TOLERANCE TACT_REAL(1e-5)

static tact_pose plane_rest(const tact_model *model, int body) {
    tact_pose pose = tact_pose_identity();
    for (; body != TACT_WORLD; body = model->body[body].parent) pose = tact_pose_multiply(model->body[body].place, pose);
    return pose;
}

static tact_mat3 plane_shape_axes(const tact_model *model, int i) {
    const tact_shape *shape = &model->shape[i];
    return tact_mat3_multiply(plane_rest(model, shape->body).R, shape->place.R);
}

// Snaps components that are rounding of a rotated frame to 0 and +-1.
static tact_vec3 plane_snap(tact_vec3 v) {
    const tact_real least = 4 * TACT_EPS;
    if (tact_fabs(v.x) < least) v.x = 0;
    if (tact_fabs(v.y) < least) v.y = 0;
    if (tact_fabs(v.z) < least) v.z = 0;
    return v;
}

static tact_plane plane_make(tact_mat3 R, tact_vec3 through) {
    tact_plane plane = {plane_snap(tact_mat3_column(R, 0)), plane_snap(tact_mat3_column(R, 1)),
                        plane_snap(tact_mat3_column(R, 2)), 0};
    plane.height = tact_vec3_dot(plane.z, through);
    return plane;
}

tact_plane tact_plane_find(const tact_model *model) {
    TACT_ASSERT(model);
    // the plane of a planar joint, otherwise of a planar shape, otherwise normal to a hinge; else x-z
    const tact_mat3 upright = {{{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_PLANAR) continue;
        tact_pose rest = plane_rest(model, b);
        return plane_make(rest.R, rest.p);
    }
    for (int i = 0; i < model->nshape; i++) {
        const tact_shape *shape = &model->shape[i];
        if (!tact_shape_is_planar(shape->type) || tact_shape_is_union(shape->type)) continue;
        return plane_make(plane_shape_axes(model, i), tact_pose_apply(plane_rest(model, shape->body), shape->place.p));
    }
    for (int b = 0; b < model->nbody; b++) {
        tact_joint_type joint = model->body[b].joint;
        if (joint != TACT_JOINT_REVOLUTE && joint != TACT_JOINT_CONTINUOUS) continue;
        tact_pose rest = plane_rest(model, b);
        // Plane normal to the axis
        tact_vec3 axis = tact_mat3_apply(rest.R, model->body[b].axis);
        tact_vec3 through = rest.p;
        tact_mat3 F = tact_frame_from_normal(axis), R;
        for (int i = 0; i < 3; i++) {
            R.m[i][0] = F.m[1][i];
            R.m[i][1] = F.m[2][i];
            R.m[i][2] = F.m[0][i];
        }
        return plane_make(R, through);
    }
    return plane_make(upright, tact_vec3_make(0, 0, 0));
}

// Direction relative to the plane: 1 along the normal, 0 in the plane, -1 neither.
static int plane_direction(const tact_plane *plane, tact_vec3 v) {
    tact_vec3 across = tact_vec3_cross(plane->z, v);
    // v.z = 0: in the plane. v x z = 0: along the normal.
    if (tact_fabs(tact_vec3_dot(plane->z, v)) <= PLANE_TOLERANCE) return 0;
    return tact_vec3_dot(across, across) <= PLANE_TOLERANCE * PLANE_TOLERANCE ? 1 : -1;
}

static bool plane_keeps_joint(const tact_model *model, const tact_plane *plane, int b) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    const tact_body *body = &model->body[b];
    tact_mat3 R = plane_rest(model, b).R;
    // hinges along the normal and slides in the plane keep a body there
    switch (body->joint) {
    case TACT_JOINT_FIXED:
    case TACT_JOINT_TRANSLATION: return true;
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS: return plane_direction(plane, tact_mat3_apply(R, body->axis)) == 1;
    case TACT_JOINT_PRISMATIC: return plane_direction(plane, tact_mat3_apply(R, body->axis)) == 0;
    case TACT_JOINT_PLANAR: return plane_direction(plane, tact_mat3_column(R, 2)) == 1;
    case TACT_JOINT_FREE: break;
    }
    return false;
}

// Name of the field for which shape i does not fit in the plane; NULL where it fits.
static const char *plane_refuse_shape(const tact_model *model, const tact_plane *plane, int i) {
    TACT_ASSERT(0 <= i && i < model->nshape);
    const tact_shape *shape = &model->shape[i];
    tact_mat3 R = plane_shape_axes(model, i);
    // direction of each axis of the shape relative to the plane
    int x = plane_direction(plane, tact_mat3_column(R, 0)), y = plane_direction(plane, tact_mat3_column(R, 1));
    int z = plane_direction(plane, tact_mat3_column(R, 2));
    // round shapes fit at any angle; others need axes along the normal or in the plane
    switch (shape->type) {
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION: return NULL;
    case TACT_SHAPE_PLANE: return z == 0 ? NULL : "shape.place";
    case TACT_SHAPE_CAPSULE:
    case TACT_SHAPE_CYLINDER: return z >= 0 ? NULL : "shape.place";
    case TACT_SHAPE_BOX: return x + y + z == 1 && x >= 0 && y >= 0 && z >= 0 ? NULL : "shape.place";
    case TACT_SHAPE_RECTANGLE:
    case TACT_SHAPE_POLYGON:
    case TACT_SHAPE_HALFPLANE: return z == 1 ? NULL : "shape.place";
    case TACT_SHAPE_ELLIPSOID:
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: break;
    }
    return "shape.type";
}

tact_fault tact_plane_check(const tact_model *model, const tact_plane *plane) {
    TACT_ASSERT(model && plane);
    tact_fault fault = {NULL, 0};
    // All bodies that carry a shape, then the shape itself.
    for (int i = 0; i < model->nshape; i++) {
        for (int b = model->shape[i].body; b != TACT_WORLD; b = model->body[b].parent) {
            if (plane_keeps_joint(model, plane, b)) continue;
            fault = (tact_fault){"body.joint", b};
            return fault;
        }
        fault = (tact_fault){plane_refuse_shape(model, plane, i), i};
        if (fault.field) return fault;
    }
    return (tact_fault){NULL, 0};
}
