// SPDX-License-Identifier: MIT
// Derivatives of the gap of two shapes by the pose of b. With o the origin of b's frame, r = z - o, and phi_b displaced by (w,
// v),
//     phi_b(z; w, v) = phi(exp(-w) (r - v)) ,  to second order  phi(r - u + w x v + w x (w x r)/2) ,  u = v + w x r
// the gap of cores apart is the least of phi_a + phi_b over z, with m = grad phi_b = -n, H the Hessians at z:
//     gradient   by v: n ,  by w: r x n
//     Hessian    u'H_b u + m'(w x (w x r)) + 2 m'(w x v) - s'(H_a + H_b)^+ s ,  s = w x m - H_b u
// s is normal to n, and the inverse is taken in that plane. A core that is a point has no z to find; a plane is lowered, which
// changes only the gap.
#include "geom/pair.h"

typedef struct {
    tact_vec3 r, m;        // z relative to b's origin, and grad phi_b
    tact_mat3 H;           // of phi_b
    bool found;            // z is found: ...
    tact_real inverse[3];  // ... (H_a + H_b)^-1 across n: 11, 12, 22 in the frame
    tact_mat3 frame;       // on the normal
} slope_terms;

static tact_vec3 slope_apply(const tact_mat3 *H, tact_vec3 x) {
    return tact_mat3_apply(*H, x);
}

// Inverse in the tangent plane; 0 along flat directions.
static void invert_across(const tact_mat3 *S, slope_terms *t) {
    // S restricted to the two axes normal to n
    tact_vec3 e[2] = {tact_vec3_make(t->frame.m[1][0], t->frame.m[1][1], t->frame.m[1][2]),
                      tact_vec3_make(t->frame.m[2][0], t->frame.m[2][1], t->frame.m[2][2])};
    tact_real a = tact_vec3_dot(e[0], slope_apply(S, e[0])), b = tact_vec3_dot(e[0], slope_apply(S, e[1]));
    tact_real c = tact_vec3_dot(e[1], slope_apply(S, e[1])), trace = a + c, det = a * c - b * b;
    t->inverse[0] = t->inverse[1] = t->inverse[2] = 0;
    if (!(trace > 0)) return;
    // regular: inverse of the 2 x 2 matrix; singular: pseudo-inverse of rank one
    if (det > 1024 * TACT_EPS * trace * trace) {
        t->inverse[0] = c / det;
        t->inverse[1] = -b / det;
        t->inverse[2] = a / det;
    } else {
        // S = trace q q' up to rounding
        t->inverse[0] = a / (trace * trace);
        t->inverse[1] = b / (trace * trace);
        t->inverse[2] = c / (trace * trace);
    }
}

// What one column of the pose does, a turn w or a shift v.
typedef struct {
    tact_vec3 v, wr, wm;  // w x r and w x m
    tact_vec3 u, Hu, s;   // s in the frame
} pose_column;

static pose_column make_pose_column(const slope_terms *t, tact_vec3 w, tact_vec3 v) {
    pose_column c = {.v = v, .wr = tact_vec3_cross(w, t->r), .wm = tact_vec3_cross(w, t->m)};
    c.u = tact_vec3_add(v, c.wr);
    c.Hu = slope_apply(&t->H, c.u);
    c.s = tact_mat3_apply(t->frame, tact_vec3_sub(c.wm, c.Hu));
    return c;
}

// Bilinear form of the Hessian for two columns, half of its polarisation.
static tact_real slope_product(const slope_terms *t, const pose_column *x, const pose_column *y) {
    // m'(w x (w x r)) = -(w x m)'(w x r), symmetrised, and m'(w x v) = -(w x m)'v
    tact_real turned = tact_vec3_dot(x->wm, y->wr) + tact_vec3_dot(y->wm, x->wr);
    tact_real sum = tact_vec3_dot(x->u, y->Hu) - turned / 2 - (tact_vec3_dot(x->wm, y->v) + tact_vec3_dot(y->wm, x->v));
    // minus s'(H_a + H_b)^+ p: z follows
    if (!t->found) return sum;
    const tact_vec3 s = x->s, p = y->s;
    return sum - (s.y * (t->inverse[0] * p.y + t->inverse[1] * p.z) + s.z * (t->inverse[1] * p.y + t->inverse[2] * p.z));
}

// Terms of the second derivatives at a z outside both cores.
static slope_terms find_terms(tact_core *a, tact_core *b, const tact_pair_distance *at) {
    slope_terms t = {.frame = tact_frame_from_normal(at->normal), .found = true};
    tact_mat3 first, second, S;
    tact_vec3 on_a = tact_vec3_add_scaled(at->point_a, -a->round, at->normal);
    tact_vec3 on_b = tact_vec3_add_scaled(at->point_b, b->round, at->normal), z;
    z = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(on_a, on_b));
    bool a_point = a->shape.type == TACT_SHAPE_SPHERE, b_point = b->shape.type == TACT_SHAPE_SPHERE;
    // z away from the surface that is not a plane
    if (a->shape.type == TACT_SHAPE_PLANE) z = tact_vec3_add_scaled(on_b, -1, at->normal);
    if (b->shape.type == TACT_SHAPE_PLANE) z = tact_vec3_add_scaled(on_a, 1, at->normal);
    if (a_point) z = a->pose.p;
    if (b_point) z = b->pose.p;
    // that of the other is enough where one is a point
    first = second = (tact_mat3){0};
    if (b_point || !a_point) tact_core_distance(a, z, &first);
    if (!b_point) tact_core_distance(b, z, &second);
    t.r = tact_vec3_sub(z, b->pose.p);
    t.m = tact_vec3_scale(-1, at->normal);
    t.H = second;
    if (b_point) {
        // the gap is phi_a at b's centre, which rotations leave where it is
        t.found = false;
        t.r = tact_vec3_make(0, 0, 0);
        t.H = first;
        t.m = tact_vec3_make(0, 0, 0);
    } else if (a_point) {
        t.found = false;
    } else {
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) S.m[i][j] = first.m[i][j] + second.m[i][j];
        invert_across(&S, &t);
    }
    return t;
}

bool tact_shape_pair_derivatives(const tact_shape *a, const tact_pose *pose_a, const tact_shape *b, const tact_pose *pose_b,
                                 const tact_pair_distance *at, tact_real *gradient, tact_real *hessian) {
    TACT_ASSERT(a && pose_a && b && pose_b && at && gradient && hessian);
    tact_core first = tact_core_make(a, pose_a), second = tact_core_make(b, pose_b);
    tact_vec3 turn = tact_vec3_cross(tact_vec3_sub(at->point_b, pose_b->p), at->normal);
    const tact_real g[6] = {turn.x, turn.y, turn.z, at->normal.x, at->normal.y, at->normal.z};
    // no -0
    for (int i = 0; i < 6; i++) gradient[i] = g[i] + 0;
    for (int i = 0; i < 36; i++) hessian[i] = 0;
    if (at->deep) return false;
    slope_terms t = find_terms(&first, &second, at);
    pose_column column[6];
    for (int i = 0; i < 6; i++) {
        // turns about the axes, then shifts
        const tact_vec3 none = {0, 0, 0}, e = {i % 3 == 0, i % 3 == 1, i % 3 == 2};
        column[i] = make_pose_column(&t, i < 3 ? e : none, i < 3 ? none : e);
        for (int j = 0; j <= i; j++) hessian[6 * i + j] = hessian[6 * j + i] = slope_product(&t, &column[i], &column[j]) + 0;
    }
    return true;
}
