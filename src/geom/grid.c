// SPDX-License-Identifier: MIT
// Signed distance of a point x from the zero level set of a cubic B-spline phi. The gap is that of the nearest surface point f:
//   x - f = d n ,  n = g/|g| ,  g = grad phi(f) ,  phi(f) = 0
// so that the gradient is the normal n and, with the shape operator S = H/|g| across n (H = grad grad phi), the Hessian is
//   S (I + d S)^-1
// f is found by Newton's method for the least |x - f|^2 subject to phi = 0, with the least-squares multiplier: the step is p =
// s n + t, t normal to n,
//   s = -phi/|g| ,   (I + d S) t = (x - f)_t - d (H n)_t s/|g|
// Since the surface lies within the grid's box, this also holds for x outside of it. The start is where the spline's own value
// and gradient say, which approximate those of a distance: see tact_grid_distance.
#include "geom/shapes.h"

#include "math/elementary.h"
#include "math/wide.h"

#define GRID_ITERATIONS 40

// Least accepted eigenvalue of I + d S in a step.
#define GRID_LEAST TACT_REAL(1e-3)

// After a step below this fraction of the grid's, the second-order error is below 1e-9 of it.
#define GRID_SMALL TACT_REAL(3e-5)

// Value and derivatives of the spline at a point within the box.
typedef struct {
    tact_real value;  // [m]
    tact_vec3 slope;
    tact_real length;      // |slope|
    tact_real xx, yy, zz;  // second derivatives [1/m]
    tact_real xy, xz, yz;  // mixed ones [1/m]
} grid_jet;

// A foot point: nearest surface point of x, or local minimum of the distance.
typedef struct {
    tact_vec3 at, normal;
    tact_real value;   // (x - at)'normal
    tact_real square;  // |x - at|^2
    bool found;
} grid_foot;

static const tact_real spline_sixth = TACT_REAL(1.0) / 6;

// Cubic B-spline weights of four coefficients, with first and second derivatives, at a fraction t of the step.
static inline void grid_weights(tact_real t, tact_real w[3][4]) {
    const tact_real r = 1 - t;
    w[0][0] = r * r * r * spline_sixth;
    w[0][1] = (t * t * (3 * t - 6) + 4) * spline_sixth;
    w[0][2] = (r * r * (3 * r - 6) + 4) * spline_sixth;
    w[0][3] = t * t * t * spline_sixth;
    // first derivatives by t
    w[1][0] = -r * r / 2;
    w[1][1] = t * (3 * t - 4) / 2;
    w[1][2] = -r * (3 * r - 4) / 2;
    w[1][3] = t * t / 2;
    // second derivatives
    w[2][0] = r;
    w[2][1] = 3 * t - 2;
    w[2][2] = 3 * r - 2;
    w[2][3] = t;
}

// First of the four coefficients along an axis at the coordinate u, in steps; *share: fraction of the step behind the second
// one.
static int grid_first(tact_real u, int count, tact_real *share) {
    int cell = (int)u;
    cell = cell < 1 ? 1 : cell > count - 3 ? count - 3 : cell;
    *share = u - (tact_real)cell;
    return cell - 1;
}

// The coefficients of a cell, by two neighbours along z, then along y, then along x.
static void grid_gather(const tact_grid *grid, int at, tact_two c[32]) {
    const int row = grid->count[2], plane = grid->count[1] * row;
    for (int k = 0; k < 16; k++) {
        const int from = at + k % 4 * plane + k / 4 * row;
        if (grid->value) {
            const tact_real *v = grid->value + from;
            c[k] = (tact_two){v[0], v[1]};
            c[16 + k] = (tact_two){v[2], v[3]};
        } else {
            const int16_t *v = grid->fine + from;
            c[k] = (tact_two){(tact_real)v[0], (tact_real)v[1]};
            c[16 + k] = (tact_two){(tact_real)v[2], (tact_real)v[3]};
        }
    }
}

// w'c of four pairs each.
static inline tact_two grid_sum(const tact_two *w, const tact_two *c) {
    return w[0] * c[0] + w[1] * c[1] + w[2] * c[2] + w[3] * c[3];
}

// The spline at x with its gradient, and if bends is true its Hessian: a tensor product of weights of four coefficients along
// each axis. Two neighbours along z are in the lanes; sums over x, then y, then z.
static grid_jet grid_evaluate(const tact_grid *grid, bool bends, tact_vec3 x) {
    const tact_real inverse = 1 / grid->step;
    const int *n = grid->count;
    tact_real t[3], w[3][3][4];
    tact_two c[32];
    int at = grid_first((x.x - grid->low.x) * inverse, n[0], &t[0]) * n[1] * n[2];
    at += grid_first((x.y - grid->low.y) * inverse, n[1], &t[1]) * n[2];
    at += grid_first((x.z - grid->low.z) * inverse, n[2], &t[2]);
    grid_gather(grid, at, c);
    for (int axis = 0; axis < 3; axis++) grid_weights(t[axis], w[axis]);
    // weights along x and y are the same in both lanes
    tact_two wx[3][4], wy[3][4], f = {0}, fx = {0}, fy = {0}, fz = {0}, fxx = {0}, fyy = {0}, fzz = {0}, fxy = {0}, fxz = {0},
                                 fyz = {0};
    for (int m = 0; m < (bends ? 3 : 2); m++)
        for (int b = 0; b < 4; b++) {
            wx[m][b] = (tact_two){w[0][m][b], w[0][m][b]};
            wy[m][b] = (tact_two){w[1][m][b], w[1][m][b]};
        }
    for (int m = 0; m < 4; m += 2) {
        // sums over x and y: of phi, phi_x, phi_xx and their derivatives by y
        tact_two T = {0}, Tx = {0}, Ty = {0}, Txx = {0}, Txy = {0}, Tyy = {0};
        for (int b = 0; b < 4; b++) {
            const tact_two *along = c + 8 * m + 4 * b, s = grid_sum(wx[0], along), sx = grid_sum(wx[1], along);
            T += wy[0][b] * s;
            Ty += wy[1][b] * s;
            Tx += wy[0][b] * sx;
            if (!bends) continue;
            Tyy += wy[2][b] * s;
            Txy += wy[1][b] * sx;
            Txx += wy[0][b] * grid_sum(wx[2], along);
        }
        // over z: the weights of an axis are differentiated for the derivative along it
        const tact_two v = {w[2][0][m], w[2][0][m + 1]}, vd = {w[2][1][m], w[2][1][m + 1]}, vdd = {w[2][2][m], w[2][2][m + 1]};
        f += v * T;
        fx += v * Tx;
        fy += v * Ty;
        fz += vd * T;
        if (!bends) continue;
        fxx += v * Txx;
        fyy += v * Tyy;
        fzz += vdd * T;
        fxy += v * Txy;
        fxz += vd * Tx;
        fyz += vd * Ty;
    }
    // sum of both lanes; the derivative along an axis is by x/step, hence divided by the step
    const tact_real first = grid->unit * inverse, second = first * inverse;
    grid_jet jet = {.value = grid->unit * (f[0] + f[1])};
    jet.slope = tact_vec3_make(first * (fx[0] + fx[1]), first * (fy[0] + fy[1]), first * (fz[0] + fz[1]));
    jet.length = tact_sqrt(tact_vec3_dot(jet.slope, jet.slope));
    if (!bends) return jet;
    jet.xx = second * (fxx[0] + fxx[1]);
    jet.yy = second * (fyy[0] + fyy[1]);
    jet.zz = second * (fzz[0] + fzz[1]);
    jet.xy = second * (fxy[0] + fxy[1]);
    jet.xz = second * (fxz[0] + fxz[1]);
    jet.yz = second * (fyz[0] + fyz[1]);
    return jet;
}

// Nearest point to x of the box in which the spline is complete, from the second coefficient to the last but one.
static tact_vec3 grid_clamp(const tact_grid *grid, tact_vec3 x) {
    tact_vec3 low = grid->low;
    tact_real h = grid->step;
    return tact_vec3_make(tact_clamp(x.x, low.x + h, low.x + h * (tact_real)(grid->count[0] - 2)),
                          tact_clamp(x.y, low.y + h, low.y + h * (tact_real)(grid->count[1] - 2)),
                          tact_clamp(x.z, low.z + h, low.z + h * (tact_real)(grid->count[2] - 2)));
}

tact_real tact_grid_least(const tact_shape *shape, tact_vec3 x) {
    TACT_ASSERT(shape && shape->grid);
    // From a foot point f, which lies in the box, to p, the box's nearest point to x, phi grows by at most steep |p - f|, and
    // |x - f|^2 >= |x - p|^2 + |p - f|^2 as the box is convex. tact_grid_distance may be less by a quarter of a step.
    const tact_grid *grid = shape->grid;
    const tact_vec3 p = grid_clamp(grid, x), out = tact_vec3_sub(x, p);
    const tact_real square = tact_vec3_dot(out, out);
    if (!(square > 0 || grid->steep > 0)) return -TACT_MAX;
    const tact_real value = grid->steep > 0 ? tact_max(grid_evaluate(grid, false, p).value, 0) / grid->steep : 0;
    if (!(square > 0 || value > 0)) return -TACT_MAX;
    return (1 - 4 * TACT_EPS) * tact_sqrt(square + value * value) - grid->step / 4 - shape->size[0];
}

// Bezier points of a cell along one axis, in place of its four coefficients.
static void grid_find_bezier(tact_two *c, int stride) {
    const tact_two c0 = c[0], c1 = c[stride], c2 = c[2 * stride], c3 = c[3 * stride];
    c[0] = (c0 + 4 * c1 + c2) * spline_sixth;
    c[stride] = (4 * c1 + 2 * c2) * spline_sixth;
    c[2 * stride] = (2 * c1 + 4 * c2) * spline_sixth;
    c[3 * stride] = (c1 + 4 * c2 + c3) * spline_sixth;
}

// Bezier point m of the derivative along an axis, raised to degree three.
static tact_two grid_find_rate(const tact_two *b, int m, int stride) {
    const tact_two *next = b + stride, *last = b - stride;
    if (m == 0) return 3 * (next[0] - b[0]);
    if (m == 3) return 3 * (b[0] - last[0]);
    return m == 1 ? 2 * next[0] - b[0] - last[0] : next[0] + b[0] - 2 * last[0];
}

// The gradient is a mean of the Bezier vectors of its cell.
tact_real tact_grid_steep(const tact_grid *grid) {
    TACT_ASSERT(grid && (grid->value || grid->fine));
    const int *n = grid->count, plane = n[1] * n[2];
    tact_two most = {0}, c[32];
    for (int cell = 0; cell < (n[0] - 3) * plane; cell++) {
        if (cell / n[2] % n[1] > n[1] - 4 || cell % n[2] > n[2] - 4) continue;
        grid_gather(grid, cell, c);
        for (int k = 0; k < 8; k++) grid_find_bezier(c + 4 * k, 1);
        for (int k = 0; k < 8; k++) grid_find_bezier(c + k / 4 * 16 + k % 4, 4);
        // along z within the lanes
        for (int k = 0; k < 16; k++) {
            tact_two *low = c + k, *high = c + 16 + k;
            const tact_real c0 = (*low)[0], c1 = (*low)[1], c2 = (*high)[0], c3 = (*high)[1];
            *low = spline_sixth * (tact_two){c0 + 4 * c1 + c2, 4 * c1 + 2 * c2};
            *high = spline_sixth * (tact_two){2 * c1 + 4 * c2, c1 + 4 * c2 + c3};
        }
        for (int k = 0; k < 16; k++) {
            const tact_two *low = c + k, *high = c + 16 + k;
            const tact_real b0 = (*low)[0], b1 = (*low)[1], b2 = (*high)[0], b3 = (*high)[1];
            const tact_two dz[2] = {{3 * (b1 - b0), 2 * b2 - b1 - b0}, {b3 + b2 - 2 * b1, 3 * (b3 - b2)}};
            for (int m = 0; m < 2; m++) {
                const tact_two dx = grid_find_rate(c + 16 * m + k, k % 4, 1), dy = grid_find_rate(c + 16 * m + k, k / 4, 4);
                const tact_two square = dx * dx + dy * dy + dz[m] * dz[m];
                for (int lane = 0; lane < 2; lane++) most[lane] = tact_max(most[lane], square[lane]);
            }
        }
    }
    // at least 1, so that phi itself is no bound above the distance that it stands for where no foot point is found
    return tact_max(1, (1 + 64 * TACT_EPS) * tact_sqrt(tact_max(most[0], most[1])) * tact_fabs(grid->unit) / grid->step);
}

static tact_vec3 grid_hessian_apply(const grid_jet *jet, tact_vec3 u) {
    return tact_vec3_make(jet->xx * u.x + jet->xy * u.y + jet->xz * u.z, jet->xy * u.x + jet->yy * u.y + jet->yz * u.z,
                          jet->xz * u.x + jet->yz * u.y + jet->zz * u.z);
}

// H/|g| in the frame of the normal n with tangents u and v.
typedef struct {
    tact_vec3 u, v;
    tact_real uu, uv, vv, un, vn, nn;
} grid_shape_operator;

static grid_shape_operator grid_find_shape_operator(const grid_jet *jet, tact_vec3 n) {
    const tact_mat3 F = tact_frame_from_normal(n);
    grid_shape_operator S = {.u = {F.m[1][0], F.m[1][1], F.m[1][2]}, .v = {F.m[2][0], F.m[2][1], F.m[2][2]}};
    // Hessian in the frame (u, v, n), over the length of the gradient
    const tact_vec3 Hu = grid_hessian_apply(jet, S.u), Hv = grid_hessian_apply(jet, S.v), Hn = grid_hessian_apply(jet, n);
    const tact_real share = 1 / jet->length;
    S.uu = tact_vec3_dot(S.u, Hu) * share;
    S.uv = tact_vec3_dot(S.u, Hv) * share;
    S.vv = tact_vec3_dot(S.v, Hv) * share;
    S.un = tact_vec3_dot(n, Hu) * share;
    S.vn = tact_vec3_dot(n, Hv) * share;
    S.nn = tact_vec3_dot(n, Hn) * share;
    return S;
}

// First guess of the foot point of a point in the box: the spline's value along its gradient.
static tact_vec3 grid_guess(tact_vec3 x, const grid_jet *jet) {
    return jet->length > TACT_EPS ? tact_vec3_add_scaled(x, -jet->value / jet->length, jet->slope) : x;
}

// Fallback when no surface point was found: at least the distance from the box plus the spline's value there, since the whole
// surface lies in the box.
static void grid_give_up(const tact_grid *grid, tact_vec3 x, grid_foot *foot) {
    const tact_vec3 p = grid_clamp(grid, x), out = tact_vec3_sub(x, p);
    const grid_jet jet = grid_evaluate(grid, false, p);
    const tact_real square = tact_vec3_dot(out, out);
    foot->square = TACT_MAX;
    foot->value = square > 0 ? tact_sqrt(square + tact_max(jet.value, 0) * tact_max(jet.value, 0)) : jet.value;
    if (square > 0)
        tact_direction_split(out, &foot->normal);
    else if (jet.length > TACT_EPS)
        foot->normal = tact_vec3_scale(1 / jet.length, jet.slope);
}

// Newton's method from a point in the box. Steps are limited to two of the grid's. Where it does not converge, because the
// gradient is not that of a distance or because iterates cycle between regions of different curvature, it starts again on the
// surface, with half steps.
static grid_foot grid_newton(const tact_grid *grid, tact_vec3 x, tact_vec3 start) {
    grid_foot foot = {.at = grid_clamp(grid, start), .normal = {0, 0, 1}, .square = TACT_MAX};
    const tact_real longest = 2 * grid->step;
    for (int round = 0; round < 2 && !foot.found; round++) {
        for (int k = 0; k < GRID_ITERATIONS && !foot.found; k++) {
            grid_jet jet = grid_evaluate(grid, true, foot.at);
            if (!(jet.length > TACT_EPS)) break;
            // normal of the level set, vector from it to x, and the shape operator S = H/|grad phi| in tangent coordinates
            const tact_vec3 n = tact_vec3_scale(1 / jet.length, jet.slope), arm = tact_vec3_sub(x, foot.at);
            grid_shape_operator S = grid_find_shape_operator(&jet, n);
            tact_real d = tact_vec3_dot(n, arm), s = -jet.value / jet.length;
            tact_real a = 1 + d * S.uu, b = d * S.uv, c = 1 + d * S.vv, det = a * c - b * b;
            tact_real p = tact_vec3_dot(S.u, arm), q = tact_vec3_dot(S.v, arm);
            // least eigenvalue of I + d S; if it is not positive, it belongs to another foot point, and is shifted to be so
            tact_real half = (a - c) / 2, lowest = (a + c) / 2 - tact_sqrt(half * half + b * b);
            if (lowest < GRID_LEAST) {
                a += GRID_LEAST - lowest;
                c += GRID_LEAST - lowest;
                det = a * c - b * b;
            }
            // tangential step: (I + d S) (p, q) = tangential part of the vector to x minus d S n s, with the normal step s; by
            // Cramer's rule
            tact_real fu = p - d * S.un * s, fv = q - d * S.vn * s;
            p = (c * fu - b * fv) / det;
            q = (a * fv - b * fu) / det;
            tact_real length = tact_sqrt(p * p + q * q + s * s), cut = length > longest ? longest / length : 1;
            foot.found = length <= GRID_SMALL * grid->step;
            foot.normal = n;
            if (foot.found) {
                // second order: the residual of phi = 0 is step' H step/2, and the normal rotates by (H step)_t/|g|
                tact_real nu = S.uu * p + S.uv * q + S.un * s, nv = S.uv * p + S.vv * q + S.vn * s;
                s -= (p * nu + q * nv + s * (S.un * p + S.vn * q + S.nn * s)) / 2;
                foot.normal = tact_vec3_add_scaled(tact_vec3_add_scaled(n, nu, S.u), nv, S.v);
                tact_direction_split(foot.normal, &foot.normal);
            }
            tact_vec3 step = tact_vec3_add_scaled(tact_vec3_add_scaled(tact_vec3_scale(s, n), p, S.u), q, S.v);
            foot.at = tact_vec3_add_scaled(foot.at, round > 0 && !foot.found ? cut / 2 : cut, step);
            if (!foot.found) foot.at = grid_clamp(grid, foot.at);
        }
        // not converged: some steps onto the surface, -phi/|grad phi| along the gradient
        for (int k = 0; k < 4 && !foot.found; k++) {
            const grid_jet jet = grid_evaluate(grid, false, foot.at);
            foot.at = grid_clamp(grid, grid_guess(foot.at, &jet));
        }
    }
    tact_vec3 arm = tact_vec3_sub(x, foot.at), unit = foot.normal;
    foot.value = tact_vec3_dot(foot.normal, arm);
    foot.square = tact_vec3_dot(arm, arm);
    if (foot.found) return foot;
    if (tact_fabs(grid_evaluate(grid, false, foot.at).value) > grid->step / 16) {
        grid_give_up(grid, x, &foot);
        return foot;
    }
    // if many surface points are equally near, a definite one is chosen
    tact_real length = tact_direction_split(arm, &unit), side = tact_side_of(foot.value);
    foot.value = side * length;
    foot.normal = tact_vec3_scale(side, unit);
    return foot;
}

static bool grid_nearer(const grid_foot *a, const grid_foot *b) {
    return a->found != b->found ? a->found : a->square < b->square;
}

// The nearest of the foot point and of those from two steps to each side of p: between two parts of the surface that are about
// equally near, the gradient of the spline is that of neither.
static void grid_look_around(const tact_grid *grid, tact_vec3 x, tact_vec3 p, grid_foot *foot) {
    const tact_real reach = 2 * grid->step;
    for (int k = 0; k < 6; k++) {
        tact_real off = k % 2 ? reach : -reach;
        tact_vec3 q = tact_vec3_make(p.x + (k / 2 == 0 ? off : 0), p.y + (k / 2 == 1 ? off : 0), p.z + (k / 2 == 2 ? off : 0));
        q = grid_clamp(grid, q);
        grid_jet jet = grid_evaluate(grid, false, q);
        grid_foot other = grid_newton(grid, x, grid_guess(q, &jet));
        if (grid_nearer(&other, foot)) *foot = other;
    }
}

// Hessian S (I + d S)^-1 = (S + d det(S) I)/det(I + d S) in the tangent plane, at the foot point.
static tact_mat3 grid_hessian(const tact_grid *grid, const grid_foot *foot) {
    tact_mat3 H = {{{0}}};
    if (!foot->found) return H;
    const grid_jet jet = grid_evaluate(grid, true, foot->at);
    const grid_shape_operator S = grid_find_shape_operator(&jet, foot->normal);
    const tact_real u[3] = {S.u.x, S.u.y, S.u.z}, v[3] = {S.v.x, S.v.y, S.v.z}, d = foot->value;
    // parallel surfaces: curvatures k become k / (1 + d k)
    const tact_real turn = S.uu * S.vv - S.uv * S.uv, det = 1 + d * (S.uu + S.vv) + d * d * turn;
    if (!(det > TACT_EPS)) return H;
    const tact_real a = (S.uu + d * turn) / det, b = S.uv / det, c = (S.vv + d * turn) / det;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) H.m[i][j] = a * (u[i] * u[j]) + b * (u[i] * v[j] + v[i] * u[j]) + c * (v[i] * v[j]);
    return H;
}

tact_distance tact_grid_distance(const tact_shape *shape, tact_vec3 x, tact_mat3 *hessian) {
    TACT_ASSERT(shape && shape->grid && (shape->grid->value || shape->grid->fine));
    // x within the box: start where the spline says, and if the foot point is not as far as its value, also beside it. x
    // outside: start at the nearest point p of the box, and then, as long as that leads to a nearer one, where the segment to
    // the foot point leaves the box: its foot point is one of the nearest to x
    const tact_grid *grid = shape->grid;
    tact_vec3 p = grid_clamp(grid, x), out = tact_vec3_sub(x, p);
    const tact_real near = grid->step / 4;
    grid_jet jet = grid_evaluate(grid, false, p);
    const tact_real own = jet.value;
    grid_foot foot = grid_newton(grid, x, grid_guess(p, &jet));
    bool steep = jet.length > TACT_REAL(0.9), inside = !(tact_vec3_dot(out, out) > 0);
    if (!foot.found || !steep || (inside && tact_fabs(foot.value - jet.value) > near)) grid_look_around(grid, x, p, &foot);
    for (int k = 0; k < 4 && !inside && foot.found; k++) {
        // where the segment from a foot point to x outside leaves the box
        tact_vec3 from = foot.at;
        tact_vec3 inner = grid_clamp(grid, x), way = tact_vec3_sub(x, from), span = tact_vec3_sub(inner, from);
        tact_real share = 1;
        if (inner.x != x.x) share = tact_min(share, span.x / way.x);
        if (inner.y != x.y) share = tact_min(share, span.y / way.y);
        if (inner.z != x.z) share = tact_min(share, span.z / way.z);
        tact_vec3 q = grid_clamp(grid, tact_vec3_add_scaled(from, share, way));
        tact_vec3 arm = tact_vec3_sub(q, foot.at);

        jet = grid_evaluate(grid, false, q);
        tact_real least = jet.value + near;
        if (jet.length > TACT_REAL(0.9) && least > 0 && tact_vec3_dot(arm, arm) <= least * least) break;
        grid_foot other = grid_newton(grid, x, grid_guess(q, &jet));
        if (!(jet.length > TACT_REAL(0.9))) grid_look_around(grid, x, q, &other);
        if (!grid_nearer(&other, &foot)) break;
        foot = other;
    }
    // no surface lies between x and its nearest point: if the gap has another sign than phi, which is positive outside the box,
    // that point is not the nearest
    if (inside ? tact_fabs(own) > near && own * foot.value < 0 : foot.value < 0) {
        foot.found = false;
        grid_give_up(grid, x, &foot);
    }
    tact_distance d = {.value = foot.value - shape->size[0], .gradient = foot.normal, .degenerate = !foot.found};
    if (hessian) *hessian = grid_hessian(shape->grid, &foot);
    return d;
}
