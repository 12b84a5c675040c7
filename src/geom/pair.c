// SPDX-License-Identifier: MIT
// Signed distance of two convex shapes. Each is a core rounded by a ball; the gap is that of the cores minus both radii. For
// cores that are apart, with phi the distance of a point from each,
//
//     z = argmin  phi_a(z)^2/2 + phi_b(z)^2/2
//
// is the midpoint between the nearest points z - phi n. The sum is convex, with gradient phi_a n_a + phi_b n_b and Hessian the
// sum of n n' + phi H; it is minimised by Newton's method with Levenberg-Marquardt damping. If one core is a point or a plane,
// the gap follows directly, also of an overlap. The segment of a capsule has a point nearest to the other core, from which the
// gap of cores apart follows. Other cores that overlap: see pair_depth.c.
#include "geom/pair.h"

#include "math/elementary.h"

#define PAIR_ITERATIONS 300

tact_core tact_core_make(const tact_shape *shape, const tact_pose *pose) {
    tact_core core = {.shape = *shape, .pose = *pose};
    tact_real *size = core.shape.size, least = tact_min(tact_min(size[0], size[1]), size[2]);
    // a rounded shape is a core with a ball about each of its points; a box that is nearly a sphere stays as it is
    if (shape->type == TACT_SHAPE_SPHERE || shape->type == TACT_SHAPE_CAPSULE || shape->type == TACT_SHAPE_HULL ||
        shape->type == TACT_SHAPE_GRID) {
        core.round = size[0];
        size[0] = 0;
    } else if (shape->type == TACT_SHAPE_BOX && size[3] < TACT_REAL(0.999) * least) {
        core.round = size[3];
        for (int k = 0; k < 3; k++) size[k] -= core.round;
        size[3] = 0;
    }
    return core;
}

tact_distance tact_core_distance(const tact_core *core, tact_vec3 z, tact_mat3 *hessian) {
    // phi in the core's frame; gradient R g and Hessian R H R'
    tact_vec3 x = tact_mat3_apply_transposed(core->pose.R, tact_vec3_sub(z, core->pose.p));
    tact_mat3 H, back;
    tact_distance d = hessian ? tact_shape_measure(&core->shape, x, &H) : tact_shape_distance_from(&core->shape, &x);
    d.gradient = tact_mat3_apply(core->pose.R, d.gradient);
    if (!hessian) return d;
    // R H R'
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) back.m[i][j] = core->pose.R.m[j][i];
    *hessian = tact_mat3_multiply(tact_mat3_multiply(core->pose.R, H), back);
    return d;
}

static tact_vec3 farthest_vertex(const tact_hull *hull, tact_vec3 n) {
    int best = 0;
    for (int i = 1; i < hull->nvertex; i++)
        if (tact_vec3_dot(n, hull->vertex[i]) > tact_vec3_dot(n, hull->vertex[best])) best = i;
    return hull->vertex[best];
}

// Support point along n, in the shape's frame.
static tact_vec3 support_point(const tact_shape *shape, tact_vec3 n) {
    const tact_real *size = shape->size;
    // the farthest point along n; for an ellipsoid D D n/|D n|
    tact_vec3 x = {0, 0, 0}, unit = {0, 0, 0};
    switch (shape->type) {
    case TACT_SHAPE_CAPSULE: x.z = tact_side_of(n.z) * size[1]; break;
    case TACT_SHAPE_BOX:
        // corner of the inner box, plus the edge radius along n
        x = tact_vec3_make(tact_side_of(n.x) * (size[0] - size[3]), tact_side_of(n.y) * (size[1] - size[3]),
                           tact_side_of(n.z) * (size[2] - size[3]));
        return tact_vec3_add_scaled(x, size[3], n);
    case TACT_SHAPE_CYLINDER:
        // on the rim, in the direction of n's part normal to the axis
        tact_direction_split(tact_vec3_make(n.x, n.y, 0), &unit);
        return tact_vec3_make(size[0] * unit.x, size[0] * unit.y, tact_side_of(n.z) * size[1]);
    case TACT_SHAPE_ELLIPSOID:
        tact_direction_split(tact_vec3_make(size[0] * n.x, size[1] * n.y, size[2] * n.z), &unit);
        return tact_vec3_make(size[0] * unit.x, size[1] * unit.y, size[2] * unit.z);
    case TACT_SHAPE_HULL: return farthest_vertex(shape->hull, n);
    default: break;
    }
    return x;
}

tact_vec3 tact_core_support(const tact_core *core, tact_vec3 n) {
    return tact_pose_apply(core->pose, support_point(&core->shape, tact_mat3_apply_transposed(core->pose.R, n)));
}

// (A + damping I) x = b for a positive semidefinite A, by elimination, whose rounding stays below the damping: where faces are
// almost parallel, two of A's eigenvalues are near 0. False where a pivot is not positive.
static bool solve_damped(tact_mat3 A, tact_real damping, tact_vec3 b, tact_vec3 *x) {
    tact_real y[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 3; k++) {
        A.m[k][k] += damping;
        for (int j = 0; j < k; j++) {
            tact_real f = A.m[k][j] / A.m[j][j];
            for (int i = j; i < 3; i++) A.m[k][i] -= f * A.m[j][i];
            y[k] -= f * y[j];
        }
        if (!(A.m[k][k] > 0)) return false;
    }
    x->z = y[2] / A.m[2][2];
    x->y = (y[1] - A.m[1][2] * x->z) / A.m[1][1];
    x->x = (y[0] - A.m[0][1] * x->y - A.m[0][2] * x->z) / A.m[0][0];
    return true;
}

// Adds n n' + phi H and phi n of one core, if z is outside it; returns its phi^2/2.
static tact_real add_core(const tact_core *core, tact_vec3 z, tact_mat3 *A, tact_vec3 *slope) {
    tact_mat3 H;
    tact_distance d = tact_core_distance(core, z, &H);
    if (!(d.value > 0)) return 0;
    const tact_real n[3] = {d.gradient.x, d.gradient.y, d.gradient.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) A->m[i][j] += n[i] * n[j] + d.value * H.m[i][j];
    *slope = tact_vec3_add_scaled(*slope, d.value, d.gradient);
    return d.value * d.value / 2;
}

// The sum of phi^2/2 at z, with gradient and Hessian.
typedef struct {
    tact_vec3 z, slope;
    tact_mat3 A;
    tact_real value, length;  // of the gradient
} pair_place;

static pair_place make_place(const tact_core *a, const tact_core *b, tact_vec3 z) {
    pair_place at = {.z = z};
    at.value = add_core(a, z, &at.A, &at.slope);
    at.value += add_core(b, z, &at.A, &at.slope);
    at.length = tact_sqrt(tact_vec3_dot(at.slope, at.slope));
    return at;
}

// The midpoint between two cores; if they overlap a common point. Near the end, where the change of the sum is rounding, steps
// are accepted if they halve its gradient.
tact_vec3 tact_core_middle(const tact_core *a, const tact_core *b, tact_vec3 start) {
    tact_vec3 step;
    tact_real damping = 16 * TACT_EPS;
    pair_place at = make_place(a, b, start);
    for (int k = 0; k < PAIR_ITERATIONS && at.value > 0; k++) {
        bool better = false;
        if (at.length <= TACT_EPS * tact_sqrt(2 * at.value)) break;
        // Levenberg-Marquardt: damping grows by 16 until the step reduces the sum, and is reduced again afterwards
        for (; !better && damping < 1 / TACT_EPS; damping *= 16) {
            if (!solve_damped(at.A, damping, at.slope, &step)) continue;
            pair_place next = make_place(a, b, tact_vec3_sub(at.z, step));
            // almost parallel faces leave a gradient along which the sum hardly falls (1e-8; in single precision all is
            // rounding)
            bool steep = at.length > 33554432 * TACT_EPS * tact_sqrt(at.value);
            better = next.value < at.value * (1 - (steep ? 8 : 1024) * TACT_EPS) ||
                     (next.value <= at.value * (1 + 64 * TACT_EPS) && next.length <= at.length / 2);
            if (!better) continue;
            at = next;
            break;
        }
        if (!better) break;
        damping = tact_max(damping / 256, 16 * TACT_EPS);
    }
    return at.z;
}

void tact_pair_swap(tact_pair_distance *out) {
    tact_vec3 point = out->point_a;
    out->point_a = out->point_b;
    out->point_b = point;
    // no -0
    out->normal = tact_vec3_sub(tact_vec3_make(0, 0, 0), out->normal);
}

// The gap of a core and a capsule's segment, at the point of the segment nearest to the core. False where they may overlap.
static bool measure_segment(const tact_core *a, const tact_core *b, tact_pair_distance *out) {
    // c + t h in a's frame, |t| <= 1
    const tact_vec3 c = tact_mat3_apply_transposed(a->pose.R, tact_vec3_sub(b->pose.p, a->pose.p));
    const tact_vec3 axis = tact_mat3_apply_transposed(a->pose.R, tact_mat3_column(b->pose.R, 2));
    const tact_vec3 h = tact_vec3_scale(b->shape.size[1], axis);
    const tact_vec3 x = tact_vec3_add_scaled(c, tact_segment_nearest(&a->shape, c, h), h);
    const tact_distance d = tact_shape_distance_from(&a->shape, &x);
    *out = (tact_pair_distance){.gap = d.value, .normal = tact_mat3_apply(a->pose.R, d.gradient)};
    out->point_b = tact_pose_apply(a->pose, x);
    out->point_a = tact_vec3_add_scaled(out->point_b, -d.value, out->normal);
    return d.value > 64 * TACT_EPS * (tact_sqrt(tact_vec3_dot(c, c)) + b->shape.size[1]);
}

static void measure_bodies(const tact_core *a, const tact_core *b, tact_pair_distance *out) {
    // nearest points through the midpoint z of the gap, starting in the middle of the centres
    tact_vec3 z = tact_core_middle(a, b, tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(a->pose.p, b->pose.p))), apart;
    tact_distance first = tact_core_distance(a, z, NULL), second = tact_core_distance(b, z, NULL);
    tact_real size = tact_fabs(z.x) + tact_fabs(z.y) + tact_fabs(z.z);
    tact_vec3 reach = tact_vec3_sub(a->pose.p, b->pose.p);
    // magnitude of the numbers, for the rounding of the separation
    size += tact_fabs(reach.x) + tact_fabs(reach.y) + tact_fabs(reach.z);
    for (int k = 0; k < 3; k++) size += a->shape.size[k] + b->shape.size[k];
    // the cores are apart if a plane with this normal separates them
    apart = tact_vec3_sub(first.gradient, second.gradient);
    out->normal = tact_vec3_make(0, 0, 1);
    tact_direction_split(apart, &out->normal);
    tact_vec3 low = tact_core_support(b, tact_vec3_scale(-1, out->normal)), high = tact_core_support(a, out->normal);
    out->deep = !(tact_vec3_dot(out->normal, tact_vec3_sub(low, high)) > 16 * TACT_EPS * size);
    if (out->deep) {
        out->gap = -tact_core_depth(a, b, out);
        return;
    }
    out->gap = first.value + second.value;
    out->point_a = tact_vec3_add_scaled(z, -first.value, first.gradient);
    out->point_b = tact_vec3_add_scaled(z, -second.value, second.gradient);
}

static bool has_pair_distance(tact_shape_type type) {
    return type <= TACT_SHAPE_ELLIPSOID || type == TACT_SHAPE_HULL || type == TACT_SHAPE_GRID;
}

bool tact_shape_pair_distance(const tact_shape *a, const tact_pose *pose_a, const tact_shape *b, const tact_pose *pose_b,
                              tact_pair_distance *out) {
    TACT_ASSERT(a && pose_a && b && pose_b && out);
    *out = (tact_pair_distance){0};
    if (!has_pair_distance(a->type) || !has_pair_distance(b->type)) return false;
    if (a->type == TACT_SHAPE_PLANE && b->type == TACT_SHAPE_PLANE) return false;
    // rounded cores: the radii are taken off first and added at the end
    if (!TACT_GRIDS && (a->type == TACT_SHAPE_GRID || b->type == TACT_SHAPE_GRID)) return false;
    tact_core first = tact_core_make(a, pose_a), second = tact_core_make(b, pose_b);
    bool swap = b->type == TACT_SHAPE_PLANE || (a->type == TACT_SHAPE_SPHERE && b->type != TACT_SHAPE_SPHERE);
    swap = swap || (a->type == TACT_SHAPE_GRID && b->type != TACT_SHAPE_SPHERE);
    swap = swap || (a->type == TACT_SHAPE_CAPSULE && b->type != TACT_SHAPE_CAPSULE);
    swap = swap && a->type != TACT_SHAPE_PLANE && !(a->type != TACT_SHAPE_SPHERE && b->type == TACT_SHAPE_GRID);
    const tact_core *one = swap ? &second : &first, *two = swap ? &first : &second;
    // a plane, a point, or two bodies, of which a grid is the second
    if (TACT_GRIDS && two->shape.type == TACT_SHAPE_GRID)
        tact_core_measure_grid(one, two, out);
    else if (one->shape.type == TACT_SHAPE_PLANE) {
        // against a plane: support point of the other shape along -n, gap n.(b - p)
        out->normal = tact_mat3_column(one->pose.R, 2);
        out->point_b = tact_core_support(two, tact_vec3_scale(-1, out->normal));
        out->gap = tact_vec3_dot(out->normal, tact_vec3_sub(out->point_b, one->pose.p));
        out->point_a = tact_vec3_add_scaled(out->point_b, -out->gap, out->normal);
    } else if (two->shape.type == TACT_SHAPE_SPHERE) {
        // against a point: signed distance of the first shape itself, inside and outside
        tact_distance d = tact_core_distance(one, two->pose.p, NULL);
        out->gap = d.value;
        out->normal = d.gradient;
        out->point_b = two->pose.p;
        out->point_a = tact_vec3_add_scaled(two->pose.p, -d.value, d.gradient);
    } else if (two->shape.type != TACT_SHAPE_CAPSULE || !measure_segment(one, two, out)) {
        measure_bodies(one, two, out);
    }
    if (swap) tact_pair_swap(out);
    out->gap -= first.round + second.round;
    out->point_a = tact_vec3_add_scaled(out->point_a, first.round, out->normal);
    out->point_b = tact_vec3_add_scaled(out->point_b, -second.round, out->normal);
    return true;
}
