// SPDX-License-Identifier: MIT
// Forward kinematics. With the joint's coordinates q
//   pose(body) = pose(parent) place joint(q)
// Columns of a motion: angular a and linear l, so that a point x has velocity l + a x (x - origin) at unit rate of the dof. All
// but a free joint's are fixed in the joint frame; those are fixed in the world, about and along its axes.
#include "tree/joint.h"

enum { KINEMATICS_BUNCH = 8 };  // joints whose sines are computed together

void tact_kinematics_place(tact_kinematics *kinematics, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(kinematics && model);
    size_t nbody = (size_t)model->nbody, nmotion = (size_t)model->nmotion;
    kinematics->pose = tact_arena_take(arena, nbody, sizeof(tact_pose));
    kinematics->frame = tact_arena_take(arena, nbody, sizeof(tact_mat3));
    kinematics->angular = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->linear = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
    kinematics->origin = tact_arena_take(arena, nmotion, sizeof(tact_vec3));
}

// Sines and cosines of the next rotary joints from a body on, in lanes; their number.
static int kinematics_sines(const each_scenes *scene, int first, tact_real *s, tact_real *c) {
    const tact_model *model = scene->model[0];
    // The next joints' angles, then sines and cosines in lanes.
    tact_real angle[KINEMATICS_BUNCH] = {0};
    int count = 0;
    for (int b = first; b < model->nbody && count < KINEMATICS_BUNCH; b++)
        if (tact_joint_turns(model->body[b].joint)) angle[count++] = tact_joint_coordinate(scene, b);
    for (int i = 0; i < count; i += TACT_LANES) {
        tact_wide x = tact_wide_all(0), sine = x, cosine = x;
        for (int lane = 0; lane < TACT_LANES; lane++) tact_wide_put(&x, lane, angle[i + lane]);
        tact_wide_sincos(x, &sine, &cosine);
        for (int lane = 0; lane < TACT_LANES; lane++) {
            s[i + lane] = tact_wide_get(&sine, lane);
            c[i + lane] = tact_wide_get(&cosine, lane);
        }
    }
    return count;
}

void tact_kinematics_update(tact_kinematics *kinematics, const tact_model *model, const tact_real *q) {
    TACT_ASSERT(kinematics && model && (q || !model->nq) && (kinematics->pose || !model->nbody));
    const tact_pose world = tact_pose_identity();
    const each_scenes scene = {.model = {model}, .q = {q}, .common = true};
    tact_real s[KINEMATICS_BUNCH], c[KINEMATICS_BUNCH];
    int ready = 0, used = 0;
    // Parents come before children.
    for (int b = 0; b < model->nbody; b++) {
        if (!tact_joint_turns(model->body[b].joint)) {
            tact_joint_place(kinematics, &scene, b, &world, NULL, NULL);
            continue;
        }
        // sines are computed for several joints at once, to fill a vector register
        if (used == ready) {
            ready = kinematics_sines(&scene, b, s, c);
            used = 0;
        }
        tact_joint_place(kinematics, &scene, b, &world, &s[used], &c[used]);
        used++;
    }
}

tact_vec3 tact_loop_error(const tact_model *model, const tact_kinematics *kinematics, int loop) {
    TACT_ASSERT(model && kinematics && 0 <= loop && loop < model->nloop);
    tact_vec3 x[2];
    for (int end = 0; end < 2; end++) {
        int body = model->loop[loop].body[end];
        x[end] = model->loop[loop].at[end];
        if (body != TACT_WORLD) x[end] = tact_pose_apply(kinematics->pose[body], x[end]);
    }
    return tact_vec3_sub(x[1], x[0]);
}
