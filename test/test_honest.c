// SPDX-License-Identifier: MIT
// Honest status: what the solvers call converged, infeasible or solved is so by the definitions of the problems, computed here
// in plain loops without the library's own residuals. 10,000 random problems of each kind, many of them degenerate.
#include "tact/friction.h"
#include "tact/lcp.h"
#include "tact/solve.h"
#include "test.h"

enum { N = 6, CONES = 3, BOUNDS = 3, PROBLEMS = 10000 };

// A barrier's product near the rim of its cone may be off by the root of the tolerance, where rounding keeps it from its target;
// the other solvers state their residual in other units by a factor of at most two.
#define BARRIER_SLACK (1.5 * sqrt((double)TACT_TOLERANCE))
#define LCP_SLACK (3 * (double)TACT_LCP_TOLERANCE)
#define FRICTION_SLACK (3 * (double)TACT_FRICTION_TOLERANCE)
#define PROOF_SLACK (sqrt((double)TACT_EPS))

static uint64_t seed;

// mostly of size 1, at times 0 or round, so that ties happen
static tact_real any(void) {
    double pick = test_random(&seed, 0, 1);
    if (pick < 0.15) return 0;
    if (pick < 0.3) return (tact_real)floor(test_random(&seed, -2, 3));
    return (tact_real)test_random(&seed, -2, 2);
}

static double largest(double a, double b) {
    return a > b ? a : b;
}

static void *take(size_t size) {
    void *memory = malloc(size + 1);
    if (!memory) exit(2);
    return memory;
}

// barrier problems

typedef struct {
    int n, ncone, nbound;
    tact_real P[N][N], p[N], J[CONES][3 * N];
    tact_cone cone[CONES];
    tact_bound bound[BOUNDS];
    int first[N], start[N + 1], column[N];
    tact_real value[N * (N + 1) / 2];
} barrier_case;

static void make_barrier(barrier_case *c) {
    c->n = 1 + (int)test_random(&seed, 0, N);
    c->ncone = (int)test_random(&seed, 0, CONES + 1);
    c->nbound = (int)test_random(&seed, 0, BOUNDS + 1);
    int rank = (int)test_random(&seed, 0, c->n + 2);
    tact_real G[N + 1][N];
    for (int k = 0; k < rank; k++)
        for (int i = 0; i < c->n; i++) G[k][i] = any();
    c->start[0] = 0;
    for (int i = 0; i < c->n; i++) {
        c->first[i] = 0;
        c->column[i] = i;
        c->start[i + 1] = c->start[i] + i + 1;
        c->p[i] = any();
        for (int j = 0; j <= i; j++) {
            tact_real sum = i == j && rank > c->n ? 1 : 0;
            for (int k = 0; k < rank; k++) sum += G[k][i] * G[k][j];
            c->P[i][j] = c->P[j][i] = c->value[c->start[i] + j] = sum;
        }
    }
    for (int i = 0; i < c->ncone; i++) {
        for (int k = 0; k < 3 * c->n; k++) c->J[i][k] = any();
        c->cone[i] = (tact_cone){
            .width = c->n, .column = c->column, .J = c->J[i], .mu = (tact_real)test_random(&seed, 0, 1), .kappa = 100};
        for (int k = 0; k < 3; k++) c->cone[i].c[k] = any();
    }
    for (int j = 0; j < c->nbound; j++)
        c->bound[j] = (tact_bound){(int)test_random(&seed, 0, c->n), any() > 0 ? 1 : -1, any(), 1000};
}

// converged: g = P d + p - sum J'lambda - sum sign lambda = 0, nu inside, lambda the law's force at nu
static double barrier_off(const barrier_case *c, const tact_real *d, const tact_real *lambda, const tact_real *bound_lambda) {
    double g[N], size[N], worst = 0, most = 1e-300;
    for (int i = 0; i < c->n; i++) {
        g[i] = (double)c->p[i];
        size[i] = fabs(g[i]);
        for (int j = 0; j < c->n; j++) {
            g[i] += (double)c->P[i][j] * (double)d[j];
            size[i] += fabs((double)c->P[i][j] * (double)d[j]);
        }
    }
    for (int i = 0; i < c->ncone; i++) {
        const tact_cone *cone = &c->cone[i];
        const tact_real *l = lambda + 3 * i;
        double nu[3], mu = (double)cone->mu, kappa = (double)cone->kappa, reach = 0;
        for (int r = 0; r < 3; r++) {
            nu[r] = (double)cone->c[r];
            for (int k = 0; k < c->n; k++) {
                double entry = (double)c->J[i][r * c->n + k];
                reach = largest(reach, fabs(entry * (double)d[k]));
                nu[r] += entry * (double)d[k];
                g[k] -= entry * (double)lambda[3 * i + r];
                size[k] += fabs(entry * (double)lambda[3 * i + r]);
            }
        }
        double inside = nu[0] - mu * hypot(nu[1], nu[2]), product = 0, force = 0, scale = kappa / 2;
        // a gap may be less than what the displacement's own rounding makes of it
        if (!(inside > -8 * (double)TACT_EPS * reach)) return HUGE_VAL;
        // nu'lambda = 2 / kappa, and lambda's direction is that of (nu_n, -mu^2 nu_t)
        for (int r = 0; r < 3; r++) {
            product += nu[r] * (double)l[r];
            force += fabs((double)l[r]);
        }
        double rounding = 32 * (double)TACT_EPS * reach * force * scale;
        worst = largest(worst, fabs(product * scale - 1) - rounding);
        for (int r = 1; r < 3 && mu > 0; r++)
            worst = largest(worst, fabs(nu[0] * (double)l[r] / mu + mu * nu[r] * (double)l[0]) * scale - rounding / mu);
    }
    for (int j = 0; j < c->nbound; j++) {
        const tact_bound *bound = &c->bound[j];
        double nu = (double)bound->sign * (double)d[bound->column] + (double)bound->c, l = (double)bound_lambda[j];
        if (!(nu > -8 * (double)TACT_EPS * fabs((double)d[bound->column]))) return HUGE_VAL;
        double scale = (double)bound->kappa / 2, rounding = 32 * (double)TACT_EPS * fabs((double)d[bound->column]) * l * scale;
        worst = largest(worst, fabs(nu * l * scale - 1) - rounding);
        g[bound->column] -= (double)bound->sign * l;
        size[bound->column] += fabs(l);
    }
    for (int i = 0; i < c->n; i++) most = largest(most, size[i]);
    for (int i = 0; i < c->n; i++) worst = largest(worst, fabs(g[i]) / most);
    return worst;
}

// infeasible: lambda in the dual cones, J'lambda = 0, c'lambda <= 0, not all zero
static double certificate_off(const barrier_case *c, const tact_real *lambda, const tact_real *bound_lambda) {
    double g[N] = {0}, size[N] = {0}, product = 0, total = 0, off = 0, weight = 0;
    for (int i = 0; i < c->ncone; i++) {
        const tact_real *l = lambda + 3 * i;
        double normal = (double)l[0], tangent = hypot((double)l[1], (double)l[2]), mu = (double)c->cone[i].mu;
        off = largest(off, tangent - mu * normal);
        total = largest(total, normal);
        for (int r = 0; r < 3; r++) {
            product += (double)c->cone[i].c[r] * (double)l[r];
            weight += fabs((double)c->cone[i].c[r] * (double)l[r]);
            for (int k = 0; k < c->n; k++) {
                double pull = (double)c->J[i][r * c->n + k] * (double)l[r];
                g[k] += pull;
                size[k] += fabs(pull);
            }
        }
    }
    for (int j = 0; j < c->nbound; j++) {
        double l = (double)bound_lambda[j];
        off = largest(off, -l);
        total = largest(total, l);
        product += (double)c->bound[j].c * l;
        weight += fabs((double)c->bound[j].c * l);
        g[c->bound[j].column] += (double)c->bound[j].sign * l;
        size[c->bound[j].column] += l;
    }
    if (!(total > 0)) return HUGE_VAL;
    double worst = largest(off / total, product / largest(weight, total));
    for (int k = 0; k < c->n; k++) worst = largest(worst, fabs(g[k]) / largest(size[k], total));
    return worst;
}

static void check_barriers(void) {
    tact_barrier_size size = {.n = N, .ncone = CONES, .nbound = BOUNDS, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_barrier_work work;
    tact_arena arena = {0};
    tact_barrier_place(&work, size, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_barrier_place(&work, size, &arena);
    double converged = 0, infeasible = 0;
    int count[3] = {0};
    for (int k = 0; k < PROBLEMS; k++) {
        barrier_case c;
        tact_real d[N], lambda[3 * CONES], bound_lambda[BOUNDS];
        make_barrier(&c);
        tact_barrier_problem problem = {.n = c.n,
                                        .ncone = c.ncone,
                                        .nbound = c.nbound,
                                        .P = {c.n, c.first, c.start, c.value},
                                        .p = c.p,
                                        .cone = c.cone,
                                        .bound = c.bound};
        tact_barrier_options options = tact_barrier_options_default();
        tact_barrier_solution solution = {.d = d, .lambda = lambda, .bound_lambda = bound_lambda};
        tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
        count[status == TACT_CONVERGED ? 0 : status == TACT_INFEASIBLE ? 1 : 2]++;
        if (status == TACT_CONVERGED) converged = largest(converged, barrier_off(&c, d, lambda, bound_lambda));
        if (status == TACT_INFEASIBLE) infeasible = largest(infeasible, certificate_off(&c, lambda, bound_lambda));
    }
    printf("barrier: %d converged, off by %.2g at most; %d infeasible, by %.2g; %d other\n", count[0], converged, count[1],
           infeasible, count[2]);
    CHECK(converged <= BARRIER_SLACK);
    CHECK(infeasible <= PROOF_SLACK);
    CHECK(count[0] > PROBLEMS / 10 && count[1] > PROBLEMS / 50);
    free(arena.memory);
}

// complementarity

static double lcp_off(int n, const tact_real *M, const tact_real *q, const tact_real *z) {
    double most = 1e-300, worst = 0;
    for (int i = 0; i < n; i++) most = largest(most, fabs((double)z[i]));
    for (int i = 0; i < n; i++) {
        double w = (double)q[i], size = fabs((double)q[i]);
        for (int j = 0; j < n; j++) {
            w += (double)M[i * n + j] * (double)z[j];
            size += fabs((double)M[i * n + j] * (double)z[j]);
        }
        double a = (double)z[i] / most, b = size > 0 ? w / size : 0;
        worst = largest(worst, fabs(a < b ? a : b));
    }
    return worst;
}

// y >= 0, M'y <= 0, q'y < 0
static double ray_off(int n, const tact_real *M, const tact_real *q, const tact_real *y) {
    double most = 0, worst = 0, product = 0;
    for (int i = 0; i < n; i++) {
        most = largest(most, (double)y[i]);
        product += (double)q[i] * (double)y[i];
    }
    if (!(most > 0 && product < 0)) return HUGE_VAL;
    for (int j = 0; j < n; j++) {
        double sum = 0, size = 1e-300;
        for (int i = 0; i < n; i++) {
            sum += (double)M[i * n + j] * (double)y[i];
            size += fabs((double)M[i * n + j] * (double)y[i]);
        }
        worst = largest(worst, largest(sum / size, -(double)y[j] / most));
    }
    return worst;
}

static void make_lcp(int n, tact_real *M, tact_real *q) {
    int kind = (int)test_random(&seed, 0, 3);
    tact_real G[N * N];
    for (int i = 0; i < n * n; i++) G[i] = M[i] = any();
    for (int i = 0; i < n; i++) q[i] = any();
    for (int i = 0; i < n && kind > 0; i++)
        for (int j = 0; j < n; j++) {
            M[i * n + j] = 0;
            for (int k = 0; k < (kind == 1 ? n : n - 1); k++) M[i * n + j] += G[k * n + i] * G[k * n + j];
        }
}

static void check_lcps(void) {
    tact_lcp_work work;
    tact_lcp_solution solution;
    tact_arena arena = {0};
    tact_lcp_place(&work, N, -1, &arena);
    tact_lcp_solution_place(&solution, N, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_lcp_place(&work, N, -1, &arena);
    tact_lcp_solution_place(&solution, N, &arena);
    double converged = 0, infeasible = 0;
    int count[3] = {0};
    for (int k = 0; k < PROBLEMS; k++) {
        int n = 1 + (int)test_random(&seed, 0, N);
        tact_real M[N * N], q[N];
        make_lcp(n, M, q);
        tact_lcp_problem problem = {.n = n, .M = M, .q = q};
        tact_lcp_options options = tact_lcp_options_default();
        options.method = (tact_lcp_method)(k % 6);
        tact_status status = tact_lcp_solve(&problem, &options, &work, &solution);
        count[status == TACT_CONVERGED ? 0 : status == TACT_INFEASIBLE ? 1 : 2]++;
        if (status == TACT_CONVERGED) converged = largest(converged, lcp_off(n, M, q, solution.z));
        if (status == TACT_INFEASIBLE) infeasible = largest(infeasible, ray_off(n, M, q, solution.ray));
    }
    printf("lcp: %d converged, off by %.2g at most; %d infeasible, by %.2g; %d other\n", count[0], converged, count[1],
           infeasible, count[2]);
    CHECK(converged <= LCP_SLACK);
    CHECK(infeasible <= PROOF_SLACK);
    CHECK(count[0] > PROBLEMS / 10 && count[1] > PROBLEMS / 50);
    free(arena.memory);
}

// friction

// |r - P_K(r - (u + mu |u_t| n) / W_ii)| over the largest |r|
static double friction_off(int nc, const tact_real *W, const tact_real *q, const tact_real *mu, const tact_real *r) {
    double worst = 0, most = 0, pull = 0;
    for (int i = 0; i < nc; i++) {
        double y[3], norm = 0, m = (double)mu[i];
        for (int k = 0; k < 3; k++) {
            int row = 3 * i + k;
            y[k] = (double)q[row];
            for (int j = 0; j < 3 * nc; j++) y[k] += (double)W[row * 3 * nc + j] * (double)r[j];
            for (int j = 0; j < 3; j++) norm += (double)W[row * 3 * nc + 3 * i + j] * (double)W[row * 3 * nc + 3 * i + j];
            most = largest(most, fabs((double)r[row]));
        }
        norm = sqrt(norm);
        for (int k = 0; k < 3; k++) pull = largest(pull, norm > 0 ? fabs((double)q[3 * i + k]) / norm : 0);
        y[0] += m * hypot(y[1], y[2]);
        for (int k = 0; k < 3; k++) y[k] = (double)r[3 * i + k] - (norm > 0 ? y[k] / norm : 0);
        // projection onto |t| <= m n
        double t = hypot(y[1], y[2]), n = y[0], along = (n + m * t) / (1 + m * m);
        if (t > m * n) {
            n = along > 0 ? along : 0;
            for (int k = 1; k < 3; k++) y[k] *= t > 0 ? m * n / t : 0;
            y[0] = n;
        }
        for (int k = 0; k < 3; k++) worst = largest(worst, fabs(y[k] - (double)r[3 * i + k]));
    }
    // impulses that drown in the rounding of q / W count as zero
    return worst / largest(most, largest(1e-300, pull * 1e-6));
}

static void check_frictions(void) {
    tact_friction_work work;
    tact_arena arena = {0};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    arena = (tact_arena){.memory = take(arena.used), .size = arena.used};
    tact_friction_place(&work, CONES, CONES * CONES, &arena);
    double converged = 0;
    int count[3] = {0};
    for (int k = 0; k < PROBLEMS; k++) {
        int nc = 1 + (int)test_random(&seed, 0, CONES), rows = 3 * nc, rank = 3 + (int)test_random(&seed, 0, 6);
        tact_real J[9][3 * CONES], W[9 * CONES * CONES], q[3 * CONES], mu[CONES], r[3 * CONES], u[3 * CONES];
        for (int a = 0; a < rank; a++)
            for (int i = 0; i < rows; i++) J[a][i] = (tact_real)test_random(&seed, -1, 1);
        for (int i = 0; i < rows; i++) {
            q[i] = any();
            for (int j = 0; j < rows; j++) {
                W[i * rows + j] = 0;
                for (int a = 0; a < rank; a++) W[i * rows + j] += J[a][i] * J[a][j];
            }
        }
        for (int i = 0; i < nc; i++) mu[i] = (tact_real)test_random(&seed, 0, 1);
        tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu};
        tact_friction_options options = tact_friction_options_default();
        tact_friction_solution solution = {.r = r, .u = u};
        tact_status status = tact_friction_solve(&problem, &options, &work, &solution);
        count[status == TACT_CONVERGED ? 0 : status == TACT_INFEASIBLE ? 1 : 2]++;
        if (status == TACT_CONVERGED) converged = largest(converged, friction_off(nc, W, q, mu, r));
    }
    printf("friction: %d converged, off by %.2g at most; %d infeasible; %d other\n", count[0], converged, count[1], count[2]);
    CHECK(converged <= FRICTION_SLACK);
    CHECK(count[0] > PROBLEMS / 2);
    free(arena.memory);
}

int main(void) {
    seed = test_seed(11);
    check_barriers();
    check_lcps();
    check_frictions();
    return test_end("honest");
}
