// SPDX-License-Identifier: MIT
// Interior-point method for wedged or redundant contacts, on which semismooth Newton on the equations of Alart and Curnier
// cycles between active sets. With x = (mu r_n, r_t) and y = (u_n/mu + s, u_t) in the second-order cone L, friction is
//
//     x o y = 0 ,    y = W x + q + s e ,    s = |u_t| ,    e = (1, 0, 0) ,    (a, b) o (c, d) = (a c + b'd, a d + c b)
//
// where |u_t| is not differentiable at u_t = 0. It is replaced by  s = -x_t'y_t / x_0, which is smooth and has the same value
// at a solution: where a contact slides, x_t = -x_0 y_t/|y_t|, where it sticks, y_t = 0. Where it separates, the path x o y =
// sigma e has x_t/x_0 = -y_t/y_0, so that y_0 (y_0 - u_n/mu) = |y_t|^2, and y_0 >= |y_t| implies u_n >= 0. Scalar rows r >= 0
// have x = r, y = u. Newton's method follows x o y = sigma e with the Nesterov-Todd scaling T x = T^-1 y = l and Mehrotra's
// corrector:
//
//     (G T^2 + W - H) dx = F + G T z ,  dy = T (z - T dx) ,  z = l \ (sigma e - l o l - T dx' o T^-1 dy') ,
//     F = y - W x - q - s e
//
// with G = 1 - ds/dy, H = -ds/dx, and dx', dy' the predictor. All variables are scaled by the diagonal blocks. If the system
// holds s fixed, G = 1 and H = 0: a convex problem, whose path leads to the analytic centre of its solutions.
//
// Source: Nesterov and Todd, Self-scaled barriers, 1997; Acary, Armand, Nguyen, Shpakovych, Second-order cone interior-point
// method for quasistatic and moderate dynamic cohesive frictional contact problems, 2024 (interior-point method with the term
// s).
#include "solve/friction.h"
#include "solve/lu.h"

enum { INTERIOR_STEPS = 40, INTERIOR_PATIENCE = 8, INTERIOR_LARGE_PATIENCE = 6 };

// Regularisation of W, so that rounding of redundant contacts does not spoil the sparse equations.
#define INTERIOR_RIDGE (TACT_FRICTION_RIDGE / 100)

typedef struct {
    const tact_friction_system *system;
    tact_friction_work *work;
    tact_real *x, *y, *dx, *dy, *l, *z;
    tact_real *unit;              // r = scale unit x, u = scale y / unit
    tact_real scale;              // of the velocities, in units of x and y
    tact_friction_linear linear;  // sparse equations of a system with nodes: dx = step / unit
    int count, cones;             // rows that are not fixed; cones and scalar rows among them
} interior;

// Whether block i is a contact with friction, a second-order cone.
static bool interior_is_cone(const interior *in, int i) {
    return in->system->given.mu[i] > 0;
}

// Starts at x = y = start e, on the central path of the cones.
static void friction_interior_begin(interior *in, tact_real start) {
    // e has a first entry only in cones
    for (int row = 0; row < 3 * in->system->given.nc; row++) {
        bool first = !interior_is_cone(in, row / 3) || row % 3 == 0;
        in->x[row] = in->y[row] = first && in->work->place[row] >= 0 ? start : 0;
    }
}

// Spectral decomposition of w = x - y in its cone: eigenvalues in ascending order, and the unit direction of w_t (0 if w_t =
// 0). In a scalar row both eigenvalues are w.
static void interior_spectrum(const interior *in, int i, const tact_real w[3], tact_real value[2], tact_real way[2]) {
    tact_real t = interior_is_cone(in, i) ? tact_sqrt(w[1] * w[1] + w[2] * w[2]) : 0;
    value[0] = w[0] - t;
    value[1] = w[0] + t;
    for (int k = 0; k < 2; k++) way[k] = t > 0 ? w[k + 1] / t : 0;
}

// Solves x - y = w and x y = target for positive x, y; computed without cancellation.
static void interior_part(tact_real w, tact_real target, tact_real *x, tact_real *y) {
    tact_real large = (tact_fabs(w) + tact_sqrt(w * w + 4 * target)) / 2, small = target / large;
    *x = w > 0 ? large : small;
    *y = w > 0 ? small : large;
}

// Starts at a point of the central path near r: x - y as at r, and x o y = target e. The root of the target is share times the
// residual of r, the largest |x - P(x - y)|.
static void interior_begin_near(interior *in, const tact_real *r, tact_real share) {
    const tact_friction_problem *P = &in->system->given;
    tact_real most = 0, *w = in->z;
    // leaves the projection of r in next and its velocities in u
    tact_friction_error(in->system, in->work, r);
    for (int i = 0; i < P->nc; i++) {
        const tact_real *u = in->work->u + 3 * i;
        tact_real slip = interior_is_cone(in, i) ? P->mu[i] * tact_sqrt(u[1] * u[1] + u[2] * u[2]) : 0;
        for (int row = 3 * i; row < 3 * i + 3; row++) {
            in->x[row] = in->work->next[row] / (in->scale * in->unit[row]);
            w[row] = in->x[row] - (in->work->u[row] + (row == 3 * i ? slip : 0)) * in->unit[row] / in->scale;
        }
        for (int k = 0; k < (interior_is_cone(in, i) ? 1 : 3); k++) {
            tact_real value[2], way[2], *x = in->x + 3 * i + k;
            interior_spectrum(in, i, w + 3 * i + k, value, way);
            // P(w) keeps the positive eigenvalues
            tact_real low = tact_max(value[0], 0), high = tact_max(value[1], 0);
            if (in->work->place[3 * i + k] >= 0) most = tact_max(most, tact_fabs(x[0] - (low + high) / 2));
            for (int j = 1; j < 3 && interior_is_cone(in, i); j++)
                most = tact_max(most, tact_fabs(x[j] - (high - low) / 2 * way[j - 1]));
        }
    }
    // target = (share times the residual)^2, but not below rounding
    tact_real target = tact_max(share * share * most * most, TACT_EPS * TACT_EPS);
    for (int i = 0; i < P->nc; i++)
        for (int k = 0; k < (interior_is_cone(in, i) ? 1 : 3); k++) {
            // spectral decomposition: X - Y = eigenvalue, X Y = target
            tact_real value[2], way[2], X[2], Y[2], *x = in->x + 3 * i + k, *y = in->y + 3 * i + k;
            interior_spectrum(in, i, w + 3 * i + k, value, way);
            for (int j = 0; j < 2; j++) interior_part(value[j], target, &X[j], &Y[j]);
            x[0] = in->work->place[3 * i + k] < 0 ? 0 : (X[0] + X[1]) / 2;
            y[0] = in->work->place[3 * i + k] < 0 ? 0 : (Y[0] + Y[1]) / 2;
            for (int j = 1; j < 3 && interior_is_cone(in, i); j++) {
                x[j] = (X[1] - X[0]) / 2 * way[j - 1];
                y[j] = (Y[1] - Y[0]) / 2 * way[j - 1];
            }
        }
}

// Determinant x_0^2 - |x_t|^2 of the cone, kept positive against rounding.
static tact_real interior_det(const tact_real x[3]) {
    tact_real t = tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    return tact_max(x[0] - t, TACT_EPS * x[0]) * (x[0] + t);
}

// Scaling T (symmetric) and l = T x for each cone and row; false when rounding has put a point on the boundary.
static bool interior_weigh(interior *in) {
    for (int i = 0; i < in->system->given.nc; i++) {
        // scalar rows: T = sqrt(y/x), l = sqrt(x y)
        const tact_real *x = in->x + 3 * i, *y = in->y + 3 * i;
        tact_real *T = in->work->A + 9 * (size_t)i, *l = in->l + 3 * i;
        for (int k = 0; k < 9; k++) T[k] = 0;
        if (!interior_is_cone(in, i)) {
            for (int k = 0; k < 3; k++) {
                bool held = in->work->place[3 * i + k] < 0;
                l[k] = held ? 0 : tact_sqrt(x[k] * y[k]);
                if (!held && !(l[k] > 0)) return false;
                T[4 * k] = held ? 0 : tact_sqrt(y[k] / x[k]);
            }
            continue;
        }
        // w = (y + eta^2 J x) normalised to determinant 1, eta^4 = det y / det x, T = eta (arrow matrix of w)
        tact_real det_x = interior_det(x), det_y = interior_det(y);
        if (!(det_x > 0 && det_y > 0)) return false;
        tact_real square = tact_sqrt(det_y / det_x), eta = tact_sqrt(square);
        tact_real f = 1 / tact_sqrt(2 * (det_y + square * (x[0] * y[0] + x[1] * y[1] + x[2] * y[2])));
        tact_real w1 = f * (y[1] - square * x[1]), w2 = f * (y[2] - square * x[2]), w0 = tact_sqrt(1 + w1 * w1 + w2 * w2);
        tact_real half = 1 / (1 + w0);
        T[0] = eta * w0;
        T[1] = T[3] = eta * w1;
        T[2] = T[6] = eta * w2;
        T[4] = eta * (1 + half * w1 * w1);
        T[5] = T[7] = eta * half * w1 * w2;
        T[8] = eta * (1 + half * w2 * w2);
        // l = T x, which lies inside the cone unless rounding has spoilt it
        for (int k = 0; k < 3; k++) l[k] = T[3 * k] * x[0] + T[3 * k + 1] * x[1] + T[3 * k + 2] * x[2];
        if (!(l[0] > 0 && interior_det(l) > 0)) return false;
    }
    return true;
}

// s of cone i and its derivatives by x and y, which stay zero if s is held fixed.
static tact_real interior_slip(const interior *in, int i, tact_real by_x[3], tact_real by_y[3]) {
    const tact_real *x = in->x + 3 * i, *y = in->y + 3 * i;
    if (in->system->slip) return in->system->slip[i] * in->unit[3 * i + 1] / in->scale;
    // s = -x_t'y_t/x_0; ds/dx = (-s/x_0, -y_t/x_0), ds/dy = (0, -x_t/x_0)
    tact_real s = -(x[1] * y[1] + x[2] * y[2]) / x[0];
    by_x[0] = -s / x[0];
    by_y[0] = 0;
    for (int k = 1; k < 3; k++) {
        by_x[k] = -y[k] / x[0];
        by_y[k] = -x[k] / x[0];
    }
    return s;
}

// Adds to an entry of the dense matrix, unless its row or column is fixed.
static void interior_put(interior *in, int row, int column, tact_real value) {
    int i = in->work->place[row], j = in->work->place[column];
    if (i >= 0 && j >= 0) in->work->matrix[(size_t)i * (size_t)in->count + (size_t)j] += value;
}

// Entry k of G T^2 - H of block i in the sparse equations unit W step + (G T^2 - H) / unit step = right; a fixed row reads step
// = 0.
static void interior_hand(interior *in, int i, int k, tact_real value) {
    int row = 3 * i + k / 3, column = 3 * i + k % 3;
    bool held = in->work->place[row] < 0, own = row == column;
    in->linear.own_A[9 * (size_t)i + (size_t)k] = own && !held ? in->unit[row] : 0;
    in->linear.own_B[9 * (size_t)i + (size_t)k] = held ? own : value / in->unit[column];
}

// Evaluates F and G (in the work's B), and factors the matrix G T^2 + W - H; false when it is singular.
static bool friction_interior_factor(interior *in) {
    TACT_ASSERT(in->count > 0);
    const tact_friction_problem *P = &in->system->given;
    tact_friction_work *work = in->work;
    for (size_t k = 0; !in->system->nodes && k < (size_t)in->count * (size_t)in->count; k++) work->matrix[k] = 0;
    for (int i = 0; i < P->nc; i++) {
        const tact_real *y = in->y + 3 * i, *T = work->A + 9 * (size_t)i;
        tact_real *G = work->B + 9 * (size_t)i, *F = work->F + 3 * i;
        tact_real by_x[3] = {0}, by_y[3] = {0}, s = interior_is_cone(in, i) ? interior_slip(in, i, by_x, by_y) : 0;
        // G = I - e (ds/dy)', F = y - W x - q - s e
        for (int k = 0; k < 9; k++) G[k] = (k % 4 == 0) - (k < 3 ? by_y[k] : 0);
        for (int k = 0; k < 3; k++) F[k] = y[k] - P->q[3 * i + k] * in->unit[3 * i + k] / in->scale - (k == 0 ? s : 0);
        // W in the scale of x and y
        for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++)
            for (int k = 0; k < 9; k++) {
                int row = 3 * i + k / 3, column = 3 * P->column[at] + k % 3;
                tact_real W = in->unit[row] * P->W[9 * (size_t)at + (size_t)k] * in->unit[column];
                F[k / 3] -= W * in->x[column];
                if (!in->system->nodes) interior_put(in, row, column, W);
            }
        // G T^2 - H, where H = -e (ds/dx)' has a first row only
        for (int k = 0; k < 9; k++) {
            tact_real sum = k < 3 ? by_x[k] : 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) sum += G[k / 3 * 3 + a] * T[3 * a + b] * T[3 * b + k % 3];
            if (in->system->nodes)
                interior_hand(in, i, k, sum);
            else
                interior_put(in, 3 * i + k / 3, 3 * i + k % 3, sum);
        }
    }
    if (in->system->nodes) return tact_friction_linear_factor(&in->linear);
    tact_lu lu = {.n = in->count, .stride = (size_t)in->count, .value = work->matrix, .order = work->order};
    return tact_lu_factor(&lu, 0, work->next);
}

// z <- l \ z, the inverse of the Jordan product.
static void interior_divide(const interior *in, int i, tact_real z[3]) {
    // arrow system l o z' = z
    const tact_real *l = in->l + 3 * i;
    if (!interior_is_cone(in, i)) {
        for (int k = 0; k < 3; k++) z[k] = in->work->place[3 * i + k] < 0 ? 0 : z[k] / l[k];
        return;
    }
    z[0] = (l[0] * z[0] - l[1] * z[1] - l[2] * z[2]) / interior_det(l);
    for (int k = 1; k < 3; k++) z[k] = (z[k] - l[k] * z[0]) / l[0];
}

// Solves for dx and dy with the right-hand side z.
static void interior_direct(interior *in) {
    // right-hand side F + G T z, in the order of the unknowns
    tact_friction_work *work = in->work;
    bool nodes = in->system->nodes;
    tact_real *right = nodes ? in->linear.right : work->right;
    for (int row = 0; nodes && row < 3 * in->system->given.nc; row++) right[row] = 0;
    tact_lu lu = {.n = in->count, .stride = (size_t)in->count, .value = work->matrix, .order = work->order};
    for (int i = 0; i < in->system->given.nc; i++) {
        const tact_real *T = work->A + 9 * (size_t)i, *G = work->B + 9 * (size_t)i, *z = in->z + 3 * i;
        tact_real Tz[3];
        for (int k = 0; k < 3; k++) Tz[k] = T[3 * k] * z[0] + T[3 * k + 1] * z[1] + T[3 * k + 2] * z[2];
        for (int k = 0; k < 3; k++)
            if (work->place[3 * i + k] >= 0)
                right[nodes ? 3 * i + k : work->place[3 * i + k]] =
                    work->F[3 * i + k] + G[3 * k] * Tz[0] + G[3 * k + 1] * Tz[1] + G[3 * k + 2] * Tz[2];
    }
    // the caller tests for values that are not finite
    if (nodes)
        tact_friction_linear_solve(&in->linear);
    else
        tact_lu_solve(&lu, work->right, work->next);
    // dx by row, dy = T (z - T dx)
    for (int i = 0; i < in->system->given.nc; i++) {
        const tact_real *T = work->A + 9 * (size_t)i, *z = in->z + 3 * i;
        tact_real *dx = in->dx + 3 * i, rest[3];
        for (int k = 0; k < 3; k++) {
            int row = 3 * i + k, place = work->place[row];
            dx[k] = place < 0 ? 0 : nodes ? in->linear.step[row] / in->unit[row] : work->next[place];
        }
        for (int k = 0; k < 3; k++) rest[k] = z[k] - (T[3 * k] * dx[0] + T[3 * k + 1] * dx[1] + T[3 * k + 2] * dx[2]);
        for (int k = 0; k < 3; k++) in->dy[3 * i + k] = T[3 * k] * rest[0] + T[3 * k + 1] * rest[1] + T[3 * k + 2] * rest[2];
    }
}

// Right-hand side z = l \ (target e - T dx o T^-1 dy) - l; the second-order term only with a predictor dx, for which T^-1 dy =
// -l - T dx.
static void interior_aim(interior *in, tact_real target, bool corrects) {
    for (int i = 0; i < in->system->given.nc; i++) {
        const tact_real *T = in->work->A + 9 * (size_t)i, *l = in->l + 3 * i, *dx = in->dx + 3 * i;
        tact_real *z = in->z + 3 * i, a[3], b[3];
        // a = T dx and b = T^-1 dy of the predictor
        for (int k = 0; k < 3; k++) {
            a[k] = corrects ? T[3 * k] * dx[0] + T[3 * k + 1] * dx[1] + T[3 * k + 2] * dx[2] : 0;
            b[k] = -l[k] - a[k];
        }
        if (interior_is_cone(in, i)) {
            // a o b, the second-order term of Mehrotra's corrector
            z[0] = target - (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            for (int k = 1; k < 3; k++) z[k] = -(a[0] * b[k] + b[0] * a[k]);
        } else {
            for (int k = 0; k < 3; k++) z[k] = target - a[k] * b[k];
        }
        interior_divide(in, i, z);
        for (int k = 0; k < 3; k++) z[k] -= l[k];
    }
}

// 1/t for the largest t with x + t dx in the cone, a root of det(x + t dx) = a t^2 + 2 b t + det; not positive: no bound.
static tact_real interior_nearness(const tact_real x[3], const tact_real dx[3]) {
    // as in solve/cone.h
    tact_real a = dx[0] * dx[0] - (dx[1] * dx[1] + dx[2] * dx[2]), b = x[0] * dx[0] - (x[1] * dx[1] + x[2] * dx[2]);
    tact_real det = interior_det(x);
    return (tact_sqrt(tact_max(b * b - a * det, 0)) - b) / det;
}

// Longest step length that keeps x and y in their cones; TACT_MAX: unbounded.
static tact_real interior_reach(const interior *in) {
    tact_real most = 0;
    // cones of x and of y, and positive scalar rows
    for (int i = 0; i < in->system->given.nc; i++) {
        const tact_real *x = in->x + 3 * i, *y = in->y + 3 * i, *dx = in->dx + 3 * i, *dy = in->dy + 3 * i;
        if (interior_is_cone(in, i)) {
            most = tact_max(most, tact_max(interior_nearness(x, dx), interior_nearness(y, dy)));
            continue;
        }
        for (int k = 0; k < 3; k++)
            if (in->work->place[3 * i + k] >= 0) most = tact_max(most, tact_max(-dx[k] / x[k], -dy[k] / y[k]));
    }
    return most > 0 ? 1 / most : TACT_MAX;
}

// Duality measure: the mean of (x + t dx)'(y + t dy) over cones and rows.
static tact_real interior_mean(const interior *in, tact_real t) {
    tact_real sum = 0;
    for (int row = 0; row < 3 * in->system->given.nc; row++)
        sum += (in->x[row] + t * in->dx[row]) * (in->y[row] + t * in->dy[row]);
    return sum / (tact_real)in->cones;
}

// One predictor-corrector step; false when the equations cannot be solved.
static bool friction_interior_step(interior *in) {
    // predictor (affine direction) with target 0
    if (!interior_weigh(in) || !friction_interior_factor(in)) return false;
    interior_aim(in, 0, false);
    interior_direct(in);
    tact_real mean = interior_mean(in, 0);
    // a point on the boundary: only rounding is left
    if (!(mean > 0)) return false;
    tact_real length = tact_min(1, TACT_REAL(0.99) * interior_reach(in));
    // centring parameter sigma = (measure after the predictor / measure)^3; more centring after a short predictor
    tact_real share = tact_clamp(interior_mean(in, length) / mean, 0, 1), sigma = share * share * share;
    if (length < TACT_REAL(0.1)) sigma = tact_max(sigma, TACT_REAL(0.3));
    interior_aim(in, sigma * mean, true);
    interior_direct(in);
    if (!tact_all_finite(in->dx, 3 * in->system->given.nc) || !tact_all_finite(in->dy, 3 * in->system->given.nc)) return false;
    // a short step runs along the boundary: leave out the second-order term
    if (interior_reach(in) < TACT_REAL(0.3)) {
        interior_aim(in, tact_max(sigma, TACT_REAL(0.3)) * mean, false);
        interior_direct(in);
    }
    // fraction to the boundary, closer to 1 the nearer the solution
    tact_real most = tact_clamp(1 - tact_sqrt(mean), TACT_REAL(0.9), TACT_REAL(0.9995));
    length = tact_min(1, most * interior_reach(in));
    for (int row = 0; row < 3 * in->system->given.nc; row++) {
        in->x[row] += length * in->dx[row];
        in->y[row] += length * in->dy[row];
    }
    return tact_all_finite(in->x, 3 * in->system->given.nc);
}

int tact_friction_interior(const tact_friction_system *system, tact_friction_work *work, tact_real start, tact_real aim,
                           int limit, tact_real *r) {
    TACT_ASSERT(work->inner || system->given.nc == 0);
    size_t n = 3 * (size_t)system->given.nc;
    tact_real *at = work->inner;
    interior in = {system, work, at, at + n, at + 2 * n, at + 3 * n, at + 4 * n, at + 5 * n, at + 6 * n, .scale = 0};
    TACT_ASSERT(system->shift == 0);
    // numbers the rows that are not fixed; other bounds than 0 <= r are not supported
    const tact_friction_problem *P = &in.system->given;
    in.count = in.cones = 0;
    for (int row = 0; row < 3 * P->nc; row++) {
        tact_real mu = P->mu[row / 3], low = tact_friction_low(P, row), high = tact_friction_high(P, row);
        // fixed: disabled rows, and tangents without friction
        bool held = mu < 0 ? high == 0 : mu == 0 && row % 3 > 0;
        if (mu < 0 && (low != 0 || (high != 0 && high < TACT_MAX))) return 0;
        in.work->place[row] = held ? -1 : in.count++;
        // one complementarity product for each cone and each scalar row
        if (!held && (mu <= 0 || row % 3 == 0)) in.cones++;
        // scale of the diagonal blocks: x = (mu r_n, r_t) in units of 1/sqrt(W_ii)
        in.unit[row] = 1 / tact_sqrt(in.system->size[row]);
        if (mu > 0 && row % 3 == 0) in.unit[row] /= mu;
        in.scale = tact_max(in.scale, held ? 0 : tact_fabs(in.unit[row] * P->q[row]));
    }
    if (!(in.scale > 0 && in.count > 0)) return 0;
    // sparse equations, regularised
    if (system->nodes) {
        in.linear = tact_friction_linear_of(system);
        in.linear.A = in.linear.own_A;
        in.linear.B = in.linear.own_B;
        in.linear.ridge = INTERIOR_RIDGE;
    }
    tact_real least = TACT_MAX, *trial = at + 7 * n;
    int spent = 0, patience = system->nodes ? INTERIOR_LARGE_PATIENCE : INTERIOR_PATIENCE;
    // a cold start, or one on the central path near r
    if (start > 0) friction_interior_begin(&in, start);
    if (start < 0) interior_begin_near(&in, r, -start);
    // ends when the residual has not fallen by three tenths within `patience` steps
    for (int last = 0; spent < INTERIOR_STEPS && spent - last < patience && spent < limit && least > aim;) {
        spent++;
        if (!friction_interior_step(&in)) break;
        // r = scale unit x
        for (size_t row = 0; row < n; row++) trial[row] = in.scale * in.unit[row] * in.x[row];
        tact_real error = tact_friction_error(system, work, trial);
        // the best iterate is the result
        if (!(error < least)) continue;
        if (error < TACT_REAL(0.7) * least) last = spent - 1;
        least = error;
        for (size_t row = 0; row < n; row++) r[row] = trial[row];
    }
    return spent;
}
