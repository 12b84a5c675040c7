// SPDX-License-Identifier: MIT
// Sparse linear equations of Newton's method for many contacts, eliminated to the bodies that they move. With C = B + ridge A
// and W = J M^-1 J', M block diagonal,
//
//     A (W + ridge) dr + B dr = f   is   dr = C^-1 (f - A J dv) ,   (M + J'C^-1 A J) dv = J'C^-1 f ,
//
// The matrix on the right has a block for each pair of nodes that touch. C is nearly singular where a contact sticks; iterative
// refinement with the residual of the original equations, whose W is assembled by contacts, recovers the digits of dr that
// rounding loses.
//
// In piles the impulses are not unique and Newton's equations are singular. A small constant ridge divides the residual by it
// and throws r far off near a solution; a large one holds r where it is. A ridge proportional to the residual
// (Levenberg-Marquardt) converges quadratically to a nearby solution. There is no line search: it would follow the kinks of
// |F|, where contacts change their modes, in small steps. Without one, semismooth Newton can cycle between two active sets;
// nonlinear Gauss-Seidel sweeps then move it to another one.
//
// Source: Yamashita, Fukushima, On the rate of convergence of the Levenberg-Marquardt method, 2001.
#include "solve/friction.h"

enum { NODES_PASSES = 3 };  // solutions with one factorisation: the first, and iterative refinements

// Newton steps without a smaller residual, and the number of Gauss-Seidel sweeps that follow them.
enum { NODES_PATIENCE = 8, NODES_SWEEPS = 30 };

#define NODES_SHARE 10  // ridge per unit of the residual ...

#define NODES_RIDGE TACT_REAL(1e-2)  // ... and its upper bound

#define NODES_ENOUGH TACT_REAL(1e-9)  // accepted residual of the linear equations, relative to their right-hand side

// X = C^-1 by Cramer's rule; false when C is singular.
static bool nodes_invert(const tact_real C[9], tact_real X[9]) {
    for (int k = 0; k < 9; k++) {
        // cofactor of row k % 3 and column k / 3
        int i = k % 3, j = k / 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        X[k] = C[3 * i1 + j1] * C[3 * i2 + j2] - C[3 * i1 + j2] * C[3 * i2 + j1];
    }
    tact_real det = C[0] * X[0] + C[1] * X[3] + C[2] * X[6];
    if (!(tact_fabs(det) > 0)) return false;
    for (int k = 0; k < 9; k++) X[k] /= det;
    return true;
}

// y = A x.
static void nodes_multiply(const tact_real A[9], const tact_real x[3], tact_real y[3]) {
    for (int k = 0; k < 3; k++) y[k] = A[3 * k] * x[0] + A[3 * k + 1] * x[1] + A[3 * k + 2] * x[2];
}

// Number of unknowns of a node.
static int nodes_size(const tact_friction_nodes *nodes, int node) {
    return nodes->blocks->start[node + 1] - nodes->blocks->start[node];
}

// Jacobian (3, unknowns of the node) of contact i on one of its two nodes.
static const tact_real *nodes_jacobian(const tact_friction_nodes *nodes, int i, int side) {
    return nodes->J + (size_t)(2 * i + side) * nodes->stride;
}

// block += Ja'E Jb.
static void nodes_add(const tact_real *Ja, const tact_real *Jb, const tact_real E[9], int rows, int columns, tact_real *block) {
    for (int a = 0; a < rows; a++) {
        // row a of Ja'E, unless it is zero, times Jb
        const tact_real x[3] = {Ja[a], Ja[rows + a], Ja[2 * rows + a]};
        tact_real y[3];
        if (x[0] == 0 && x[1] == 0 && x[2] == 0) continue;
        for (int k = 0; k < 3; k++) y[k] = x[0] * E[k] + x[1] * E[3 + k] + x[2] * E[6 + k];
        for (int b = 0; b < columns; b++)
            block[a * columns + b] += y[0] * Jb[b] + y[1] * Jb[columns + b] + y[2] * Jb[2 * columns + b];
    }
}

// step += the solution of the equations for the right-hand side left.
static void nodes_correct(const tact_friction_linear *eq) {
    const tact_friction_nodes *nodes = eq->system->nodes;
    int nc = eq->system->given.nc;
    tact_real *dv = nodes->motion, *step = eq->step;
    for (int k = 0; k < nodes->blocks->start[nodes->blocks->n]; k++) dv[k] = 0;
    for (int i = 0; i < nc; i++) {
        // right-hand side J'C^-1 left
        tact_real *pull = eq->pull + 3 * i;
        nodes_multiply(eq->inverse + 9 * (size_t)i, eq->left + 3 * i, pull);
        for (int side = 0; side < 2 && nodes->node[2 * i + side] >= 0; side++) {
            int node = nodes->node[2 * i + side], n = nodes_size(nodes, node);
            const tact_real *J = nodes_jacobian(nodes, i, side);
            tact_real *to = dv + nodes->blocks->start[node];
            for (int k = 0; k < n; k++) to[k] += J[k] * pull[0] + J[n + k] * pull[1] + J[2 * n + k] * pull[2];
        }
    }
    tact_blocks_solve(nodes->blocks, dv);
    for (int i = 0; i < nc; i++) {
        // back-substitution: step += C^-1 (left - A J dv)
        tact_real u[3] = {0, 0, 0}, held[3];
        for (int side = 0; side < 2 && nodes->node[2 * i + side] >= 0; side++) {
            int node = nodes->node[2 * i + side], n = nodes_size(nodes, node);
            const tact_real *J = nodes_jacobian(nodes, i, side), *of = dv + nodes->blocks->start[node];
            for (int k = 0; k < 3 * n; k++) u[k / n] += J[k] * of[k % n];
        }
        nodes_multiply(eq->hold + 9 * (size_t)i, u, held);
        for (int k = 0; k < 3; k++) step[3 * i + k] += eq->pull[3 * i + k] - held[k];
    }
}

tact_friction_linear tact_friction_linear_of(const tact_friction_system *system) {
    TACT_ASSERT(system && system->nodes);
    size_t nc = (size_t)system->given.nc;
    tact_real *at = system->nodes->scratch;
    tact_friction_linear equations = {.system = system,
                                      .inverse = at,
                                      .hold = at + 9 * nc,
                                      .own_A = at + 18 * nc,
                                      .own_B = at + 27 * nc,
                                      .right = at + 36 * nc,
                                      .step = at + 39 * nc,
                                      .left = at + 42 * nc,
                                      .pull = at + 45 * nc};
    return equations;
}

bool tact_friction_linear_factor(const tact_friction_linear *equations) {
    // Schur complement M + J'C^-1 A J, assembled and factored.
    for (int i = 0; i < equations->system->given.nc; i++) {
        const tact_real *A = equations->A + 9 * (size_t)i, *B = equations->B + 9 * (size_t)i;
        tact_real C[9], *X = equations->inverse + 9 * (size_t)i, *hold = equations->hold + 9 * (size_t)i;
        // C = B + ridge A diag(size)
        for (int k = 0; k < 9; k++) C[k] = B[k] + equations->ridge * A[k] * equations->system->size[3 * i + k % 3];
        if (!nodes_invert(C, X)) return false;
        for (int k = 0; k < 9; k++) {
            const tact_real *x = X + k / 3 * 3;
            hold[k] = x[0] * A[k % 3] + x[1] * A[3 + k % 3] + x[2] * A[6 + k % 3];
        }
    }
    const tact_friction_nodes *nodes = equations->system->nodes;
    tact_blocks *blocks = nodes->blocks;
    tact_blocks_zero(blocks);
    const tact_real *inertia = nodes->inertia;
    // the inertia of each node on the diagonal
    for (int node = 0; node < blocks->n; node++) {
        int n = nodes_size(nodes, node);
        tact_real *to = tact_blocks_diagonal(blocks, node);
        for (int k = 0; k < n * n; k++) to[k] = inertia[k];
        inertia += (size_t)n * (size_t)n;
    }
    for (int i = 0; i < equations->system->given.nc; i++) {
        const tact_real *E = equations->hold + 9 * (size_t)i;
        bool none = true;
        for (int k = 0; k < 9; k++) none = none && E[k] == 0;
        // J_a'E J_b for the four combinations of the contact's nodes
        for (int k = 0; k < 4 && !none; k++) {
            int a = nodes->node[2 * i + k / 2], b = nodes->node[2 * i + k % 2];
            if (a < 0 || b < 0) continue;
            tact_real *to = tact_blocks_find(blocks, a, b);
            TACT_ASSERT(to);
            nodes_add(nodes_jacobian(nodes, i, k / 2), nodes_jacobian(nodes, i, k % 2), E, nodes_size(nodes, a),
                      nodes_size(nodes, b), to);
        }
    }
    return tact_blocks_factor(blocks);
}

bool tact_friction_linear_solve(const tact_friction_linear *equations) {
    int n = 3 * equations->system->given.nc;
    tact_real size = tact_largest(equations->right, n);
    for (int row = 0; row < n; row++) {
        equations->step[row] = 0;
        equations->left[row] = equations->right[row];
    }
    // solve, then refine with the residual of the original equations
    for (int pass = 0; pass < NODES_PASSES; pass++) {
        nodes_correct(equations);
        // left = right - (A (W + ridge size) + B) step, the residual of the linear equations, and its largest entry.
        const tact_friction_problem *P = &equations->system->given;
        tact_real most = 0;
        for (int i = 0; i < P->nc; i++) {
            tact_real u[3] = {0, 0, 0}, Au[3], Br[3];
            // u = (W + ridge size) step, row by row
            for (int at = P->row_start[i]; at < P->row_start[i + 1]; at++) {
                tact_real more[3];
                nodes_multiply(P->W + 9 * (size_t)at, equations->step + 3 * P->column[at], more);
                for (int k = 0; k < 3; k++) u[k] += more[k];
            }
            for (int k = 0; k < 3; k++)
                u[k] += equations->ridge * equations->system->size[3 * i + k] * equations->step[3 * i + k];
            nodes_multiply(equations->A + 9 * (size_t)i, u, Au);
            nodes_multiply(equations->B + 9 * (size_t)i, equations->step + 3 * i, Br);
            for (int k = 0; k < 3; k++) {
                equations->left[3 * i + k] = equations->right[3 * i + k] - Au[k] - Br[k];
                most = tact_max(most, tact_fabs(equations->left[3 * i + k]));
            }
        }
        if (most <= NODES_ENOUGH * size) break;
    }
    return tact_all_finite(equations->step, n);
}

// Newton's direction at the given ridge, in work->step; false when the equations are singular or it is not finite.
static bool nodes_direct(const tact_friction_system *system, tact_friction_work *work, tact_real ridge) {
    tact_friction_linear equations = tact_friction_linear_of(system);
    int n = 3 * system->given.nc;
    equations.A = work->A;
    equations.B = work->B;
    equations.ridge = ridge;
    for (int row = 0; row < n; row++) equations.right[row] = -work->F[row];
    // (A (W + ridge) + B) step = -F
    if (!tact_friction_linear_factor(&equations) || !tact_friction_linear_solve(&equations)) return false;
    for (int row = 0; row < n; row++) work->step[row] = equations.step[row];
    return true;
}

int tact_friction_newton_nodes(const tact_friction_system *system, tact_friction_work *work, tact_real tolerance, int limit,
                               tact_real *r) {
    TACT_ASSERT(system && work && system->nodes && limit >= 0);
    int n = 3 * system->given.nc, spent = 0;
    tact_real least = TACT_MAX;
    for (int last = 0; spent < limit; spent++) {
        tact_real error = tact_friction_error(system, work, r);
        if (error <= tolerance) break;
        // tact_friction_error has left the projection of r in next: continue from there
        for (int row = 0; row < n; row++) r[row] = work->next[row];
        // semismooth Newton can cycle between two active sets; nonlinear Gauss-Seidel sweeps move it to another one
        bool stuck = !(error < least) && spent - last >= NODES_PATIENCE;
        if (stuck) tact_friction_sweep_fast(system, work, NODES_SWEEPS, r);
        if (error < least || stuck) {
            least = error;
            last = spent;
        }
        tact_friction_equations(system, work, r);
        tact_real ridge = tact_clamp(NODES_SHARE * error, TACT_FRICTION_RIDGE, NODES_RIDGE);
        if (!nodes_direct(system, work, system->shift + ridge)) break;
        // damping: no step changes an impulse by more than half of the largest impulse
        tact_real most = tact_largest(r, n) / 2, step = tact_largest(work->step, n), length = 1;
        if (most > 0 && step > most) length = most / step;
        for (int row = 0; row < n; row++) r[row] += length * work->step[row];
    }
    return spent;
}
