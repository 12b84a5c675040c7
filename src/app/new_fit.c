// SPDX-License-Identifier: MIT
// What tact new asks of a robot's draft. Joints: which a keyframe places. Shapes of collision
// meshes where no --fit says otherwise: capsules, but not those that would cover shapes of the robot's own, as a capsule round
// the mesh of a gripper's finger covers the pads that are fixed to it.
#include <string.h>

#include "app/new.h"

// Where a body stands in the first body above it whose joint moves, and the number of that one; -1: the base.
static int find_root(const tact_draft *draft, const char *name, tact_pose *pose) {
    *pose = tact_pose_identity();
    for (int i = 0; name && i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        if (strcmp(body->name, name) != 0) continue;
        if (body->type != TACT_JOINT_FIXED) return i;
        *pose = tact_pose_multiply(tact_scene_pose(&body->frame), *pose);
        name = body->parent;
        i = -1;
    }
    return -1;
}

// half of the box in a shape's own axes that holds it
static tact_vec3 find_half(const tact_draft_shape *shape) {
    const tact_real *size = shape->size;
    switch (shape->type) {
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_ELLIPSOID: return tact_vec3_make(size[0], size[1], size[2]);
    case TACT_SHAPE_CAPSULE: return tact_vec3_make(size[0], size[0], size[0] + size[1]);
    case TACT_SHAPE_CYLINDER: return tact_vec3_make(size[0], size[0], size[1]);
    default: return tact_vec3_make(size[0], size[0], size[0]);
    }
}

// Whether a sphere or a capsule holds more than half of the corners of the box about another shape.
static bool covers(const tact_draft_shape *fit, tact_pose fit_pose, const tact_draft_shape *other, tact_pose other_pose) {
    tact_real along = fit->type == TACT_SHAPE_CAPSULE ? fit->size[1] : 0;
    tact_vec3 half = find_half(other);
    int inside = 0;
    for (int k = 0; k < 8; k++) {
        tact_vec3 corner = {k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
        // in the axes of the capsule, from the nearest point of its segment
        tact_vec3 x = tact_mat3_apply_transposed(fit_pose.R, tact_vec3_sub(tact_pose_apply(other_pose, corner), fit_pose.p));
        x.z -= x.z < -along ? -along : x.z > along ? along : x.z;
        inside += tact_vec3_dot(x, x) < fit->size[0] * fit->size[0];
    }
    return inside > 4;
}

// whether the shape is one that a mesh became, and covers one that none became, on bodies that are rigid with its own
static bool is_in_the_way(const tact_draft *draft, const tact_draft_shape *shape) {
    tact_pose own, place;
    if (!shape->fitted || !shape->body) return false;
    int root = find_root(draft, shape->body, &own);
    own = tact_pose_multiply(own, tact_scene_pose(&shape->frame));
    bool found = false;
    for (int i = 0; i < draft->nshape && root >= 0; i++) {
        const tact_draft_shape *other = &draft->shapes[i];
        if (other->fitted || !other->body || find_root(draft, other->body, &place) != root) continue;
        found = found || covers(shape, own, other, tact_pose_multiply(place, tact_scene_pose(&other->frame)));
    }
    return found;
}

int tact_new_list_covering(const tact_draft *draft, const char **name, int most) {
    int count = 0;
    for (int i = 0; i < draft->nshape && count < most; i++) {
        bool known = !draft->shapes[i].body;  // of the world: nothing moves it
        for (int k = 0; k < count && !known; k++) known = strcmp(name[k], draft->shapes[i].body) == 0;
        if (!known && is_in_the_way(draft, &draft->shapes[i])) name[count++] = draft->shapes[i].body;
    }
    return count;
}

// ---- joints ----

const tact_draft_keyframe *tact_new_find_home(const tact_draft *draft) {
    for (int i = 0; i < draft->nkeyframe; i++)
        if (draft->keyframes[i].name && strcmp(draft->keyframes[i].name, "home") == 0) return &draft->keyframes[i];
    return NULL;
}

bool tact_new_is_placed(const tact_draft_keyframe *keyframe, const tact_draft_body *body) {
    for (int k = 0; keyframe && k < keyframe->nq; k++)
        if (strcmp(keyframe->q[k].joint, body->joint ? body->joint : body->name) == 0) return true;
    return false;
}
