// SPDX-License-Identifier: MIT
// Solution in doubled precision, by primal-dual Newton steps in the scaled unknowns x = S d (S = sqrt of P's diagonal) and u =
// W dz of each cone, with V = W^-1 J S^-1:
//     S^-1 P S^-1 dx - V'u = -S^-1 g          force balance, g = P d + p - J'z
//     V dx + u = W^-1 (target z^-1 - nu)      complementarity with the gaps nu = J d + c
//
// The system is factored as it is, with complete pivoting: elimination of dx or u would square its condition number, which is
// that of the largest force over the least stiffness.
#include "solve/precise.h"

#include "solve/precise_parts.h"
#include "solve/skyline.h"

enum { PRECISE_ITERATIONS = 80, PRECISE_BLOCKED = 8 };

typedef struct {
    const tact_barrier_problem *problem;
    tact_precise_work *work;
    int n, members, order;
    int iterations;
} precise_walk;

void tact_precise_place(tact_precise_work *work, tact_barrier_size size, tact_arena *arena) {
    TACT_ASSERT(work);
    // unknowns: n displacements, three forces per contact, one per joint limit; beyond TACT_PRECISE_ORDER nothing is placed
    size_t n = (size_t)size.n, members = (size_t)size.ncone + (size_t)size.nbound, order = n + 2 * (size_t)size.ncone + members;
    if (order > TACT_PRECISE_ORDER) order = 0;
    *work = (tact_precise_work){.n = size.n, .members = size.ncone + size.nbound, .order = (int)order};
    work->d = tact_arena_take(arena, order > 0 ? n : 0, sizeof(tact_twin));
    work->g = tact_arena_take(arena, n, sizeof(tact_twin));
    work->step = tact_arena_take(arena, order, sizeof(tact_twin));
    work->scale = tact_arena_take(arena, n, sizeof(double));
    work->size = tact_arena_take(arena, n, sizeof(double));
    work->A = tact_arena_take(arena, order * order, sizeof(tact_twin));
    work->row = tact_arena_take(arena, order, sizeof(int));
    work->column = tact_arena_take(arena, order, sizeof(int));
    work->cone = tact_arena_take(arena, order > 0 ? members : 0, sizeof(tact_precise_cone));
}

// det x = (x_0 - |x_t|)(x_0 + |x_t|).
static tact_twin precise_det(const tact_twin x[3]) {
    TACT_ASSERT(x);
    tact_twin t = tact_twin_root(tact_twin_add(tact_twin_square(x[1]), tact_twin_square(x[2])));
    return tact_twin_times(tact_twin_take(x[0], t), tact_twin_add(x[0], t));
}

static tact_twin precise_dot(const tact_twin a[3], const tact_twin b[3]) {
    tact_twin sum = tact_twin_times(a[0], b[0]);
    return tact_twin_add(sum, tact_twin_add(tact_twin_times(a[1], b[1]), tact_twin_times(a[2], b[2])));
}

// Whether x is inside the second-order cone.
static bool precise_is_inside(const tact_twin x[3]) {
    return x[0].high > 0 && precise_det(x).high > 0;
}

// tau x^-1 = (tau / det x) (x_0, -x_t).
static void precise_inverse(const tact_twin x[3], tact_twin tau, tact_twin out[3]) {
    tact_twin f = tact_twin_over(tau, precise_det(x));
    out[0] = tact_twin_times(f, x[0]);
    out[1] = tact_twin_negative(tact_twin_times(f, x[1]));
    out[2] = tact_twin_negative(tact_twin_times(f, x[2]));
}

// Nesterov-Todd scaling (cone.h): eta^4 = det s / det z, w = (s + eta^2 J z) / sqrt(2 (det s + eta^2 s'z)). False when rounding
// has put s or z on the boundary.
static bool precise_scale(tact_precise_cone *cone) {
    // both must be inside their cones
    const tact_twin *s = cone->s, *z = cone->z;
    if (!precise_is_inside(s) || !precise_is_inside(z)) return false;
    tact_twin one = tact_twin_of(1), det_s = precise_det(s), square = tact_twin_root(tact_twin_over(det_s, precise_det(z)));
    if (!(square.high > 0)) return false;
    tact_twin sum = tact_twin_add(det_s, tact_twin_times(square, precise_dot(s, z)));
    tact_twin f = tact_twin_over(one, tact_twin_root(tact_twin_scale(sum, 2)));
    // w_t = f (s_t - eta^2 z_t), w_0 = sqrt(1 + |w_t|^2)
    for (int k = 1; k < 3; k++) cone->w[k] = tact_twin_times(f, tact_twin_take(s[k], tact_twin_times(square, z[k])));
    sum = tact_twin_add(tact_twin_square(cone->w[1]), tact_twin_square(cone->w[2]));
    cone->w[0] = tact_twin_root(tact_twin_add(one, sum));
    cone->unscale = tact_twin_over(one, tact_twin_root(square));
    cone->half = tact_twin_over(one, tact_twin_add(one, cone->w[0]));
    return true;
}

// W^-1 x = (w_0 x_0 - along, x_t + (along / (1 + w_0) - x_0) w_t) / eta, along = w_t'x_t.
static void precise_unscaled(const tact_precise_cone *cone, const tact_twin x[3], tact_twin y[3]) {
    const tact_twin *w = cone->w;
    tact_twin along = tact_twin_add(tact_twin_times(w[1], x[1]), tact_twin_times(w[2], x[2]));
    tact_twin g = tact_twin_take(tact_twin_times(along, cone->half), x[0]),
              first = tact_twin_take(tact_twin_times(w[0], x[0]), along);
    for (int k = 1; k < 3; k++) y[k] = tact_twin_times(cone->unscale, tact_twin_add(x[k], tact_twin_times(g, w[k])));
    y[0] = tact_twin_times(cone->unscale, first);
}

// nu = J d + c of all cones, and g = P d + p - J'z.
static void precise_measure(const precise_walk *walk) {
    tact_precise_work *work = walk->work;
    // g = P d + p
    // lower triangle of P by rows; the upper one by symmetry
    const tact_skyline *P = &walk->problem->P;
    tact_twin *g = walk->work->g, *d = walk->work->d;
    for (int i = 0; i < walk->n; i++) g[i] = tact_twin_of((double)walk->problem->p[i]);
    for (int i = 0; i < walk->n; i++) {
        const tact_real *row = tact_skyline_row(P, i);
        for (int j = P->first[i]; j <= i; j++) {
            g[i] = tact_twin_add(g[i], tact_twin_scale(d[j], (double)row[j]));
            if (j < i) g[j] = tact_twin_add(g[j], tact_twin_scale(d[i], (double)row[j]));
        }
    }
    // cone by cone: nu = J d + c in scaled rows, and -J'z into g
    for (int i = 0; i < walk->members; i++) {
        tact_precise_cone *cone = &work->cone[i];
        tact_precise_member at = tact_precise_member_of(walk->problem, i);
        for (int k = 0; k < 3; k++) cone->nu[k] = tact_precise_entry(&at, k, at.c[k]);
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < at.width; a++) {
                tact_twin J = tact_precise_entry(&at, k, at.J[k * at.width + a]);
                cone->nu[k] = tact_twin_add(cone->nu[k], tact_twin_times(J, work->d[at.column[a]]));
                work->g[at.column[a]] = tact_twin_take(work->g[at.column[a]], tact_twin_times(J, cone->z[k]));
            }
    }
}

// A = L U in place, with row and column permutations; false when it is singular.
static bool precise_factor(precise_walk *walk) {
    tact_twin *A = walk->work->A;
    int order = walk->order;
    // counts as an iteration of the solver's budget
    walk->iterations++;
    for (int k = 0; k < order; k++) {
        // complete pivoting: the largest remaining entry moves to place k
        TACT_ASSERT(k >= 0 && k < walk->order);
        tact_precise_work *work = walk->work;
        int row = k, column = k;
        double most = 0;
        for (int i = k; i < order; i++)
            for (int j = k; j < order; j++) {
                double size = tact_twin_magnitude(work->A[i * order + j]);
                if (!(size > most)) continue;
                most = size;
                row = i;
                column = j;
            }
        work->row[k] = row;
        work->column[k] = column;
        // exchange whole rows, then columns, including L
        for (int j = 0; j < order && row != k; j++) {
            tact_twin swap = work->A[k * order + j];
            work->A[k * order + j] = work->A[row * order + j];
            work->A[row * order + j] = swap;
        }
        for (int i = 0; i < order && column != k; i++) {
            tact_twin swap = work->A[i * order + k];
            work->A[i * order + k] = work->A[i * order + column];
            work->A[i * order + column] = swap;
        }
        if (!(most > 0 && most <= DBL_MAX)) return false;
        // zeros are skipped: the blocks are sparse
        for (int i = k + 1; i < order; i++) {
            if (A[i * order + k].high == 0) continue;
            tact_twin f = A[i * order + k] = tact_twin_over(A[i * order + k], A[k * order + k]);
            for (int j = k + 1; j < order; j++)
                if (A[k * order + j].high != 0)
                    A[i * order + j] = tact_twin_take(A[i * order + j], tact_twin_times(f, A[k * order + j]));
        }
    }
    return true;
}

static void precise_swap(tact_twin *x, int i, int j) {
    tact_twin swap = x[i];
    x[i] = x[j];
    x[j] = swap;
}

// 1/t for the largest t with x + t dx in the cone (cone.h); 0: unbounded.
static double precise_nearness(const tact_twin x[3], const tact_twin dx[3]) {
    // det(x + t dx) = a t^2 + 2 b t + det, a = 2 dx_0^2 - dx'dx, b = 2 x_0 dx_0 - x'dx
    tact_twin a = precise_dot(dx, dx), b = precise_dot(x, dx), c = tact_twin_times(x[0], dx[0]), d = tact_twin_square(dx[0]);
    tact_twin det = precise_det(x);
    a = tact_twin_take(tact_twin_scale(d, 2), a);
    b = tact_twin_take(tact_twin_scale(c, 2), b);
    tact_twin below = tact_twin_root(tact_twin_take(tact_twin_square(b), tact_twin_times(a, det)));
    double near = tact_twin_over(tact_twin_take(below, b), det).high;
    return near > 0 ? near : 0;
}

// Newton direction towards products max(2/kappa, along); returns its step length, at most 1, and 0 if it is not finite.
static double precise_direction(const precise_walk *walk, double along) {
    tact_precise_work *work = walk->work;
    // right-hand side: -S^-1 g for the displacement, W^-1 (target z^-1 - nu) for each cone
    tact_twin *x = work->step;
    for (int i = 0; i < walk->n; i++) x[i] = tact_twin_negative(tact_twin_over(work->g[i], tact_twin_of(work->scale[i])));
    for (int i = 0, at = walk->n; i < walk->members; i++) {
        tact_precise_cone *cone = &work->cone[i];
        tact_twin rest[3], tau = cone->tau.high < along ? tact_twin_of(along) : cone->tau;
        precise_inverse(cone->z, tau, rest);
        for (int k = 0; k < 3; k++) rest[k] = tact_twin_take(rest[k], cone->nu[k]);
        precise_unscaled(cone, rest, cone->u);
        for (int k = 0; k < cone->rows; k++) x[at++] = cone->u[k];
    }
    int order = walk->order;
    // solve: row permutation, L, U, column permutation
    for (int k = 0; k < order; k++) precise_swap(x, k, work->row[k]);
    for (int i = 0; i < order; i++)
        for (int j = 0; j < i; j++) x[i] = tact_twin_take(x[i], tact_twin_times(work->A[i * order + j], x[j]));
    for (int i = order - 1; i >= 0; i--) {
        for (int j = i + 1; j < order; j++) x[i] = tact_twin_take(x[i], tact_twin_times(work->A[i * order + j], x[j]));
        x[i] = tact_twin_over(x[i], work->A[i * order + i]);
    }
    for (int k = order - 1; k >= 0; k--) precise_swap(x, k, work->column[k]);
    // dx back from the scaling
    double near = 0, sum = 0;
    for (int i = 0; i < walk->n; i++) {
        x[i] = tact_twin_over(x[i], tact_twin_of(work->scale[i]));
        sum += x[i].high;
    }
    // dz = W^-1 u, ds = J dd + nu - s, and the nearest boundary of both
    for (int i = 0, at = walk->n; i < walk->members; i++) {
        tact_precise_cone *cone = &work->cone[i];
        tact_precise_member member = tact_precise_member_of(walk->problem, i);
        for (int k = 0; k < 3; k++) cone->u[k] = k < cone->rows ? x[at++] : tact_twin_of(0);
        precise_unscaled(cone, cone->u, cone->dz);
        for (int k = 0; k < 3; k++) {
            cone->ds[k] = tact_twin_take(cone->nu[k], cone->s[k]);
            for (int a = 0; a < member.width; a++) {
                tact_twin J = tact_precise_entry(&member, k, member.J[k * member.width + a]);
                cone->ds[k] = tact_twin_add(cone->ds[k], tact_twin_times(J, x[member.column[a]]));
            }
            sum += cone->ds[k].high + cone->dz[k].high;
        }
        near = tact_twin_max(near, tact_twin_max(precise_nearness(cone->s, cone->ds), precise_nearness(cone->z, cone->dz)));
    }
    // not finite: no direction
    if (!(sum - sum == 0)) return 0;
    return near > 0.99 ? 0.99 / near : 1;
}

// Largest relative change of a step: of the cones in their local norm, and of the displacement.
static double precise_change(const precise_walk *walk) {
    const tact_precise_work *work = walk->work;
    double change = 0, most = 0, moved = 0, energy = 0, tau = 0;
    // |W^-1 ds|^2 + |u|^2 relative to s'z: the step in the local norm of the cone
    for (int i = 0; i < walk->members; i++) {
        const tact_precise_cone *cone = &work->cone[i];
        tact_twin v[3];
        precise_unscaled(cone, cone->ds, v);
        double size = precise_dot(cone->s, cone->z).high, off = precise_dot(v, v).high + precise_dot(cone->u, cone->u).high;
        if (!(size > 0)) return DBL_MAX;
        change = tact_twin_max(change, sqrt(off / size));
        tau = tact_twin_max(tau, cone->tau.high);
    }
    for (int i = 0; i < walk->n; i++) {
        most = tact_twin_max(most, tact_twin_magnitude(work->d[i]));
        moved = tact_twin_max(moved, tact_twin_magnitude(work->step[i]));
        energy = tact_twin_max(energy, tact_twin_magnitude(work->step[i]) * work->scale[i]);
    }
    // a displacement that is zero to rounding has no relative error
    if (energy <= 0x1p-80 * sqrt(tau)) return change;
    // a step away from zero is larger than any share of it
    return most > 0 ? tact_twin_max(change, moved / most) : DBL_MAX;
}

// Mean of s'z over the cones.
static double precise_mean(const precise_walk *walk) {
    double sum = 0;
    for (int i = 0; i < walk->members; i++) sum += precise_dot(walk->work->cone[i].s, walk->work->cone[i].z).high;
    return sum / walk->members;
}

// Iterates until a full step changes nothing to rounding; false when the budget of factorisations is exhausted or steps stay
// short.
static bool precise_arrives(precise_walk *walk, int budget) {
    // eight successive steps below 0.02: the cones are infeasible, or the start is poor
    int blocked = 0;
    // scaling at the iterate; a cone without an interior ends the iteration
    while (walk->iterations < budget && blocked < PRECISE_BLOCKED) {
        precise_measure(walk);
        for (int i = 0; i < walk->members; i++)
            if (!precise_scale(&walk->work->cone[i])) return false;
        // Newton system at the scalings of the iterate
        const tact_skyline *P = &walk->problem->P;
        tact_precise_work *work = walk->work;
        // upper left: S^-1 P S^-1
        int order = walk->order;
        for (int i = 0; i < order * order; i++) work->A[i] = tact_twin_of(0);
        for (int i = 0; i < walk->n; i++)
            for (int j = P->first[i]; j <= i; j++) {
                tact_twin scales = tact_twin_product(work->scale[i], work->scale[j]);
                tact_twin entry = tact_twin_over(tact_twin_of((double)tact_skyline_row(P, i)[j]), scales);
                work->A[i * order + j] = work->A[j * order + i] = entry;
            }
        // for each cone V = W^-1 J S^-1, column by column: -V' above, V below, and the identity
        for (int i = 0, at = walk->n; i < walk->members; i++) {
            tact_precise_member member = tact_precise_member_of(walk->problem, i);
            for (int a = 0; a < member.width; a++) {
                int column = member.column[a];
                tact_twin J[3], v[3];
                for (int k = 0; k < 3; k++) {
                    J[k] = tact_precise_entry(&member, k, member.J[k * member.width + a]);
                    J[k] = tact_twin_over(J[k], tact_twin_of(work->scale[column]));
                }
                precise_unscaled(&work->cone[i], J, v);
                for (int k = 0; k < tact_precise_rows(&member); k++) {
                    work->A[(at + k) * order + column] = v[k];
                    work->A[column * order + at + k] = tact_twin_negative(v[k]);
                }
            }
            for (int k = 0; k < tact_precise_rows(&member); k++) work->A[(at + k) * (order + 1)] = tact_twin_of(1);
            at += tact_precise_rows(&member);
        }
        if (!precise_factor(walk)) return false;
        // predictor: towards products of 2/kappa; t is its step length
        double t = precise_direction(walk, 0), mean = precise_mean(walk);
        // Mehrotra: if the full step is not possible, again towards (1 - t)^3 times the mean product
        if (t < 0.99) {
            double rest = 1 - t;
            t = precise_direction(walk, rest < 0.9 ? rest * rest * rest * mean : mean);
        }
        if (!(t > 0)) return false;
        // converged: a full step with negligible change
        double change = precise_change(walk);
        // one step length for d, s and z
        TACT_ASSERT(t > 0 && t <= 1);
        for (int i = 0; i < walk->n; i++) work->d[i] = tact_twin_add(work->d[i], tact_twin_scale(work->step[i], t));
        for (int i = 0; i < walk->members; i++) {
            tact_precise_cone *cone = &work->cone[i];
            for (int k = 0; k < 3; k++) {
                cone->s[k] = tact_twin_add(cone->s[k], tact_twin_scale(cone->ds[k], t));
                cone->z[k] = tact_twin_add(cone->z[k], tact_twin_scale(cone->dz[k], t));
            }
        }
        if (t == 1 && change <= TACT_PRECISE_CHANGE) return true;
        blocked = t < 0.02 ? blocked + 1 : 0;
    }
    return false;
}

// Starts from a solution: its displacement and forces, with the gaps on the central path. False when a force is not inside its
// cone.
static bool precise_start_at(const precise_walk *walk, const tact_barrier_solution *solution) {
    tact_precise_work *work = walk->work;
    // z from the solution's forces, s = tau z^-1
    for (int i = 0; i < walk->n; i++) work->d[i] = tact_twin_of((double)solution->d[i]);
    for (int i = 0; i < walk->members; i++) {
        tact_precise_member member = tact_precise_member_of(walk->problem, i);
        tact_precise_forces(walk->problem, solution, i, work->cone[i].z);
        for (int k = 1; k < 3; k++)
            work->cone[i].z[k] = member.mu > 0 ? tact_twin_over(work->cone[i].z[k], tact_twin_of(member.mu)) : tact_twin_of(0);
        if (!precise_is_inside(work->cone[i].z)) return false;
    }
    precise_measure(walk);
    for (int i = 0; i < walk->members; i++) {
        tact_precise_cone *cone = &work->cone[i];
        precise_inverse(cone->z, cone->tau, cone->s);
    }
    return true;
}

// Continues from a given solution (begun), and if that fails once more from a cold start; stores the result. Whether it
// converged.
static bool precise_finish(precise_walk *walk, bool begun, int budget, tact_barrier_solution *solution) {
    // at most twelve factorisations from the given solution; the rest of the budget for a cold start
    int first = walk->iterations + 12 < budget ? walk->iterations + 12 : budget;
    // constants of the problem
    tact_precise_work *work = walk->work;
    // S = sqrt of P's diagonal
    for (int i = 0; i < walk->n; i++) {
        double diagonal = (double)*tact_skyline_diagonal(&walk->problem->P, i);
        work->scale[i] = diagonal > 0 ? sqrt(diagonal) : 1;
        work->d[i] = tact_twin_of(0);
    }
    for (int i = 0; i < walk->members; i++) {
        tact_precise_member member = tact_precise_member_of(walk->problem, i);
        work->cone[i].rows = tact_precise_rows(&member);
        work->cone[i].tau = tact_twin_over(tact_twin_of(2), tact_twin_of((double)member.kappa));
    }
    bool arrives = begun && precise_start_at(walk, solution) && precise_arrives(walk, first);
    if (!arrives) {
        // cold start: equal gaps and forces of the problem's own scale (path.c)
        const tact_barrier_problem *problem = walk->problem;
        double gap = 0, force = 0, way = 0;
        // scales as in path.c: largest force, largest gap at d = 0 and at the free displacement
        for (int i = 0; i < walk->n; i++) force = tact_twin_max(force, fabs((double)problem->p[i]));
        for (int i = 0; i < walk->members; i++) {
            tact_precise_member at = tact_precise_member_of(problem, i);
            for (int k = 0; k < tact_precise_rows(&at); k++) {
                double sum = tact_precise_entry(&at, k, at.c[k]).high;
                gap = tact_twin_max(gap, fabs(sum));
                for (int a = 0; a < at.width; a++) {
                    double P = (double)*tact_skyline_diagonal(&problem->P, at.column[a]);
                    double J = tact_precise_entry(&at, k, at.J[k * at.width + a]).high;
                    if (P > 0) sum -= J * (double)problem->p[at.column[a]] / P;
                }
                way = tact_twin_max(way, fabs(sum));
            }
        }
        gap = tact_twin_max(gap, way / 2);
        // s = gap e, z = max(force, tau/s) e
        for (int i = 0; i < walk->members; i++) {
            tact_precise_cone *cone = &walk->work->cone[i];
            double s = gap > 0 ? gap : force > 0 ? cone->tau.high / force : 1;
            for (int k = 0; k < 3; k++) cone->s[k] = cone->z[k] = tact_twin_of(0);
            cone->s[0] = tact_twin_of(s);
            cone->z[0] = tact_twin_of(tact_twin_max(force, cone->tau.high / s));
        }
        for (int i = 0; i < walk->n; i++) walk->work->d[i] = tact_twin_of(0);
        arrives = precise_arrives(walk, budget);
    }
    if (arrives) {
        // rounded to the caller's precision
        const tact_barrier_problem *problem = walk->problem;
        // forces from the scaled coordinates: lambda_t = mu z_t
        for (int i = 0; i < walk->n; i++) solution->d[i] = (tact_real)walk->work->d[i].high;
        for (int i = 0; i < walk->members; i++) {
            const tact_twin *z = walk->work->cone[i].z;
            if (i >= problem->ncone) {
                solution->bound_lambda[i - problem->ncone] = (tact_real)z[0].high;
                continue;
            }
            double mu = (double)problem->cone[i].mu;
            solution->lambda[3 * i] = (tact_real)z[0].high;
            for (int k = 1; k < 3; k++) solution->lambda[3 * i + k] = (tact_real)tact_twin_scale(z[k], mu).high;
        }
    }
    return arrives;
}

tact_status tact_precise_confirm(const tact_barrier_problem *problem, const tact_barrier_options *options, tact_status status,
                                 tact_precise_work *work, tact_barrier_solution *solution) {
    TACT_ASSERT(problem && options && work && solution);
    int members = problem->ncone + problem->nbound;
    TACT_ASSERT(problem->n <= work->n && members <= work->members);
    if (members == 0 || status == TACT_BAD_INPUT || status == TACT_SINGULAR) return status;
    // a certificate that holds in doubled precision stands
    if (status == TACT_INFEASIBLE && tact_precise_proves(problem, work, solution)) return status;
    // so does a solution that is accurate to its last digits
    if (status == TACT_CONVERGED && tact_precise_is_right(problem, work, solution))
        return tact_precise_judge(problem, work, status, solution);
    // otherwise solve again in doubled precision
    precise_walk walk = {.problem = problem, .work = work, .n = problem->n, .members = members, .order = problem->n};
    for (int i = 0; i < members; i++) {
        tact_precise_member member = tact_precise_member_of(problem, i);
        walk.order += tact_precise_rows(&member);
    }
    if (walk.order <= work->order) {
        walk.iterations = solution->iterations;
        if (precise_finish(&walk, status >= 0, options->max_iterations, solution))
            status = TACT_CONVERGED;
        else if (status == TACT_CONVERGED)
            status = TACT_ITERATION_LIMIT;
        solution->iterations = walk.iterations;
    }
    return status < 0 ? TACT_UNDECIDED : tact_precise_judge(problem, work, status, solution);
}
