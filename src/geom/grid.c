// SPDX-License-Identifier: MIT
// Signed distance of a point x from the surface phi = 0 of a cubic B-spline. The gap is that of the nearest point f, the foot:
//   x - f = d n ,  n = g/|g| ,  g = grad phi(f) ,  phi(f) = 0
// so that the gradient is the normal n and, with the shape operator S = H/|g| across n (H = grad grad phi), the Hessian is
//   S (I + d S)^-1
// f is found by Newton's method on the least square of |x - f| under phi = 0, with the multiplier that fits best: the step is
// p = s n + t, t across n,
//   s = -phi/|g| ,   (I + d S) t = (x - f)_t - d (H n)_t s/|g|
// Since the surface lies within the grid's box, the same holds for an x outside of it. The search begins where the spline's own
// value and slope say, which are those of a distance: see grid_search.
#include "geom/shapes.h"

#include "math/elementary.h"

#define GRID_ITERATIONS 40

// a step below this share of the grid's is followed by one below rounding
#define GRID_SMALL tact_max(TACT_REAL(1e-7), 32 * TACT_EPS)

// The spline at a place within the box.
typedef struct {
    tact_real value;  // [m]
    tact_vec3 slope;
    tact_real length;      // of the slope
    tact_real xx, yy, zz;  // second derivatives [1/m]
    tact_real xy, xz, yz;  //
} grid_jet;

// A foot: the nearest surface point of x, or of a part of the surface.
typedef struct {
    tact_vec3 at, normal;
    tact_real value;          // (x - at)'normal
    tact_real square;         // |x - at|^2
    tact_mat3 frame;          // on the normal, before the last step
    tact_real S11, S12, S22;  // shape operator in the frame's tangents
    bool found;
} grid_foot;

// Cubic B-spline weights of four coefficients, with their first and second derivatives, at a share t of the step.
static void grid_weights(tact_real t, tact_real w[3][4]) {
    const tact_real r = 1 - t, sixth = TACT_REAL(1.0) / 6;
    w[0][0] = r * r * r * sixth;
    w[0][1] = (t * t * (3 * t - 6) + 4) * sixth;
    w[0][2] = (r * r * (3 * r - 6) + 4) * sixth;
    w[0][3] = t * t * t * sixth;
    w[1][0] = -r * r / 2;
    w[1][1] = t * (3 * t - 4) / 2;
    w[1][2] = -r * (3 * r - 4) / 2;
    w[1][3] = t * t / 2;
    w[2][0] = r;
    w[2][1] = 3 * t - 2;
    w[2][2] = 3 * r - 2;
    w[2][3] = t;
}

// The first of four coefficients along an axis at the coordinate u, counted in steps; *share: of the step, behind the second.
static int grid_first(tact_real u, int count, tact_real *share) {
    int cell = (int)u;
    cell = cell < 1 ? 1 : cell > count - 3 ? count - 3 : cell;
    *share = u - (tact_real)cell;
    return cell - 1;
}

// Sum over the four coefficients along z.
static tact_real grid_row(const tact_real *w, const tact_real *c) {
    return w[0] * c[0] + w[1] * c[1] + w[2] * c[2] + w[3] * c[3];
}

static void grid_read(const tact_grid *grid, int at, tact_real c[4]) {
    if (grid->value)
        for (int k = 0; k < 4; k++) c[k] = grid->value[at + k];
    else
        for (int k = 0; k < 4; k++) c[k] = (tact_real)grid->fine[at + k];
}

static grid_jet grid_evaluate(const tact_grid *grid, tact_vec3 x) {
    const int *n = grid->count;
    const tact_real inverse = 1 / grid->step;
    tact_real wx[3][4], wy[3][4], wz[3][4], t[3];
    int i = grid_first((x.x - grid->low.x) * inverse, n[0], &t[0]), j = grid_first((x.y - grid->low.y) * inverse, n[1], &t[1]);
    int k = grid_first((x.z - grid->low.z) * inverse, n[2], &t[2]);
    tact_real T[6][4] = {{0}};  // sums over x and y: phi, phi_y, phi_yy, phi_x, phi_xy, phi_xx
    grid_weights(t[0], wx);
    grid_weights(t[1], wy);
    grid_weights(t[2], wz);
    for (int b = 0; b < 4; b++) {
        tact_real s[3][4] = {{0}}, c[4];
        for (int a = 0; a < 4; a++) {
            grid_read(grid, ((i + a) * n[1] + j + b) * n[2] + k, c);
            for (int m = 0; m < 4; m++) {
                s[0][m] += wx[0][a] * c[m];
                s[1][m] += wx[1][a] * c[m];
                s[2][m] += wx[2][a] * c[m];
            }
        }
        for (int m = 0; m < 4; m++) {
            T[0][m] += wy[0][b] * s[0][m];
            T[1][m] += wy[1][b] * s[0][m];
            T[2][m] += wy[2][b] * s[0][m];
            T[3][m] += wy[0][b] * s[1][m];
            T[4][m] += wy[1][b] * s[1][m];
            T[5][m] += wy[0][b] * s[2][m];
        }
    }
    const tact_real first = grid->unit * inverse, second = first * inverse;
    grid_jet jet = {.value = grid->unit * grid_row(wz[0], T[0])};
    jet.slope = tact_vec3_make(first * grid_row(wz[0], T[3]), first * grid_row(wz[0], T[1]), first * grid_row(wz[1], T[0]));
    jet.length = tact_sqrt(tact_vec3_dot(jet.slope, jet.slope));
    jet.xx = second * grid_row(wz[0], T[5]);
    jet.yy = second * grid_row(wz[0], T[2]);
    jet.zz = second * grid_row(wz[2], T[0]);
    jet.xy = second * grid_row(wz[0], T[4]);
    jet.xz = second * grid_row(wz[1], T[3]);
    jet.yz = second * grid_row(wz[1], T[1]);
    return jet;
}

// The box in which the spline is whole, from the second coefficient to the last but one.
static tact_vec3 grid_clamp(const tact_grid *grid, tact_vec3 x) {
    tact_vec3 low = grid->low;
    tact_real h = grid->step;
    return tact_vec3_make(tact_clamp(x.x, low.x + h, low.x + h * (tact_real)(grid->count[0] - 2)),
                          tact_clamp(x.y, low.y + h, low.y + h * (tact_real)(grid->count[1] - 2)),
                          tact_clamp(x.z, low.z + h, low.z + h * (tact_real)(grid->count[2] - 2)));
}

static tact_vec3 grid_bend(const grid_jet *jet, tact_vec3 u) {
    return tact_vec3_make(jet->xx * u.x + jet->xy * u.y + jet->xz * u.z, jet->xy * u.x + jet->yy * u.y + jet->yz * u.z,
                          jet->xz * u.x + jet->yz * u.y + jet->zz * u.z);
}

// Newton's method from a place in the box. Where I + d S is not positive the step across n is that of steepest descent; no step
// is longer than two of the grid's.
static grid_foot grid_newton(const tact_grid *grid, tact_vec3 x, tact_vec3 start) {
    grid_foot foot = {.at = grid_clamp(grid, start), .normal = {0, 0, 1}, .square = TACT_MAX};
    const tact_real longest = 2 * grid->step;
    for (int k = 0; k < GRID_ITERATIONS && !foot.found; k++) {
        grid_jet jet = grid_evaluate(grid, foot.at);
        if (!(jet.length > TACT_EPS)) return foot;
        tact_vec3 n = tact_vec3_scale(1 / jet.length, jet.slope), arm = tact_vec3_sub(x, foot.at);
        tact_mat3 F = tact_frame_from_normal(n);
        tact_vec3 u = {F.m[1][0], F.m[1][1], F.m[1][2]}, v = {F.m[2][0], F.m[2][1], F.m[2][2]};
        tact_vec3 Hu = grid_bend(&jet, u), Hv = grid_bend(&jet, v);
        tact_real d = tact_vec3_dot(n, arm), s = -jet.value / jet.length, curl = 1 / jet.length;
        foot.S11 = tact_vec3_dot(u, Hu) * curl;
        foot.S12 = tact_vec3_dot(u, Hv) * curl;
        foot.S22 = tact_vec3_dot(v, Hv) * curl;
        tact_real lean_u = tact_vec3_dot(n, Hu) * curl, lean_v = tact_vec3_dot(n, Hv) * curl;
        tact_real a = 1 + d * foot.S11, b = d * foot.S12, c = 1 + d * foot.S22, det = a * c - b * b;
        tact_real p = tact_vec3_dot(u, arm), q = tact_vec3_dot(v, arm);
        if (a > 0 && det > TACT_REAL(1e-3)) {
            tact_real fu = p - d * lean_u * s, fv = q - d * lean_v * s;
            p = (c * fu - b * fv) / det;
            q = (a * fv - b * fu) / det;
        }
        tact_real length = tact_sqrt(p * p + q * q + s * s), cut = length > longest ? longest / length : 1;
        tact_vec3 step = tact_vec3_add_scaled(tact_vec3_scale(s, n), p, u);
        step = tact_vec3_scale(cut, tact_vec3_add_scaled(step, q, v));
        foot.at = tact_vec3_add(foot.at, step);
        foot.found = length <= GRID_SMALL * grid->step;
        foot.frame = F;
        foot.normal = n;
        if (foot.found) {
            // the normal after the last step, to second order: n + (H step)_t/|g|
            foot.normal = tact_vec3_add_scaled(foot.normal, foot.S11 * p + foot.S12 * q + lean_u * s, u);
            foot.normal = tact_vec3_add_scaled(foot.normal, foot.S12 * p + foot.S22 * q + lean_v * s, v);
            tact_direction_split(foot.normal, &foot.normal);
        } else {
            foot.at = grid_clamp(grid, foot.at);
        }
    }
    tact_vec3 arm = tact_vec3_sub(x, foot.at);
    foot.value = tact_vec3_dot(foot.normal, arm);
    foot.square = tact_vec3_dot(arm, arm);
    return foot;
}

// Where the foot of a place in the box should be: as far as the spline's value says, against its slope.
static tact_vec3 grid_guess(tact_vec3 x, const grid_jet *jet) {
    return jet->length > TACT_EPS ? tact_vec3_add_scaled(x, -jet->value / jet->length, jet->slope) : x;
}

static bool grid_nearer(const grid_foot *a, const grid_foot *b) {
    return a->found != b->found ? a->found : a->square < b->square;
}

// The nearer of the foot and of those from two steps to each side of p: between two parts of the surface that are about equally
// near, the spline's slope is that of neither.
static void grid_look_around(const tact_grid *grid, tact_vec3 x, tact_vec3 p, grid_foot *foot) {
    const tact_real reach = 2 * grid->step;
    for (int k = 0; k < 6; k++) {
        tact_real off = k % 2 ? reach : -reach;
        tact_vec3 q = tact_vec3_make(p.x + (k / 2 == 0 ? off : 0), p.y + (k / 2 == 1 ? off : 0), p.z + (k / 2 == 2 ? off : 0));
        q = grid_clamp(grid, q);
        grid_jet jet = grid_evaluate(grid, q);
        grid_foot other = grid_newton(grid, x, grid_guess(q, &jet));
        if (grid_nearer(&other, foot)) *foot = other;
    }
}

// Where the segment from a foot to x outside leaves the box.
static tact_vec3 grid_leave(const tact_grid *grid, tact_vec3 from, tact_vec3 x) {
    tact_vec3 inner = grid_clamp(grid, x), way = tact_vec3_sub(x, from), span = tact_vec3_sub(inner, from);
    tact_real share = 1;
    if (inner.x != x.x) share = tact_min(share, span.x / way.x);
    if (inner.y != x.y) share = tact_min(share, span.y / way.y);
    if (inner.z != x.z) share = tact_min(share, span.z / way.z);
    return grid_clamp(grid, tact_vec3_add_scaled(from, share, way));
}

// Within the box, from where the spline says; where the foot is not as far as its value, also from places beside it. From outside
// from the box's nearest place p, and then, as long as that leads to a nearer one, from the place where the way to the foot
// leaves the box: its own foot is one of the nearest that x can have beyond it.
static grid_foot grid_search(const tact_grid *grid, tact_vec3 x) {
    tact_vec3 p = grid_clamp(grid, x), out = tact_vec3_sub(x, p);
    const tact_real near = grid->step / 4;
    grid_jet jet = grid_evaluate(grid, p);
    grid_foot foot = grid_newton(grid, x, grid_guess(p, &jet));
    bool steep = jet.length > TACT_REAL(0.9), inside = !(tact_vec3_dot(out, out) > 0);
    if (!foot.found || !steep || (inside && tact_fabs(foot.value - jet.value) > near)) grid_look_around(grid, x, p, &foot);
    for (int k = 0; k < 4 && !inside && foot.found; k++) {
        tact_vec3 q = grid_leave(grid, foot.at, x), arm = tact_vec3_sub(q, foot.at);
        jet = grid_evaluate(grid, q);
        tact_real least = jet.value + near;
        if (jet.length > TACT_REAL(0.9) && least > 0 && tact_vec3_dot(arm, arm) <= least * least) break;
        grid_foot other = grid_newton(grid, x, grid_guess(q, &jet));
        if (!(jet.length > TACT_REAL(0.9))) grid_look_around(grid, x, q, &other);
        if (!grid_nearer(&other, &foot)) break;
        foot = other;
    }
    return foot;
}

// Hessian S (I + d S)^-1 = (S + d det(S) I)/det(I + d S) in the tangents of the frame
static tact_mat3 grid_hessian(const grid_foot *foot) {
    const tact_real *u = foot->frame.m[1], *v = foot->frame.m[2], d = foot->value;
    tact_real turn = foot->S11 * foot->S22 - foot->S12 * foot->S12, det = 1 + d * (foot->S11 + foot->S22) + d * d * turn;
    tact_mat3 H = {{{0}}};
    if (!foot->found || !(det > TACT_EPS)) return H;
    tact_real a = (foot->S11 + d * turn) / det, b = foot->S12 / det, c = (foot->S22 + d * turn) / det;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H.m[i][j] = a * (u[i] * u[j]) + b * (u[i] * v[j] + v[i] * u[j]) + c * (v[i] * v[j]);
    return H;
}

tact_distance tact_grid_distance(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian) {
    TACT_ASSERT(shape && shape->grid && (shape->grid->value || shape->grid->fine));
    grid_foot foot = grid_search(shape->grid, x);
    tact_distance d = {.value = foot.value - shape->size[0], .gradient = foot.normal, .degenerate = !foot.found};
    if (hessian) *hessian = grid_hessian(&foot);
    return d;
}
