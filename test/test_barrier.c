// SPDX-License-Identifier: MIT
// The barrier solver against closed forms, and against the conditions that make an answer the minimiser, recomputed here.
#include "solve/skyline.h"
#include "tact/solve.h"
#include "test.h"
#include <lapacke.h>

#ifdef TACT_FLOAT
#define EASY 2e-4     // what single precision allows at moderate kappa
#define MOST_OFF 0.5  // the law, where it magnifies rounding most
#else
#define EASY 1e-9
#define MOST_OFF 1e-3
#endif

enum { MOST = 64 };

// A dense problem and its answer, all in double.
typedef struct {
    int n, nc;
    double P[MOST * MOST], p[MOST], J[3 * MOST * MOST], c[3 * MOST], mu[MOST], kappa;
    double d[MOST], lambda[3 * MOST];
    tact_barrier_solution info;
} dense;

static tact_status solve_dense(dense *a, const tact_barrier_options *options) {
    static tact_real P[MOST * MOST], p[MOST], J[3 * MOST * MOST], d[MOST], lambda[3 * MOST];
    static int first[MOST], start[MOST + 1], column[MOST];
    static tact_cone cone[MOST];
    static unsigned char memory[1 << 20];
    tact_skyline skyline = {a->n, first, start, P};
    for (int i = 0; i < a->n; i++) {
        first[i] = i;
        column[i] = i;
        p[i] = (tact_real)a->p[i];
        for (int j = i; j >= 0; j--)
            if (a->P[i * a->n + j] != 0) first[i] = j;
    }
    tact_skyline_layout(&skyline);
    for (int i = 0; i < a->n; i++)
        for (int j = first[i]; j <= i; j++) tact_skyline_row(&skyline, i)[j] = (tact_real)a->P[i * a->n + j];
    for (int i = 0; i < 3 * a->nc * a->n; i++) J[i] = (tact_real)a->J[i];
    for (int i = 0; i < a->nc; i++) {
        cone[i] = (tact_cone){
            .width = a->n, .column = column, .J = J + 3 * i * a->n, .mu = (tact_real)a->mu[i], .kappa = (tact_real)a->kappa};
        for (int k = 0; k < 3; k++) cone[i].c[k] = (tact_real)a->c[3 * i + k];
    }
    tact_barrier_work work;
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_barrier_place(&work, (tact_barrier_size){a->n, a->nc, 0, a->n * a->nc, a->n * (a->n + 1) / 2}, &arena);
    CHECK(tact_arena_fits(&arena));
    tact_barrier_problem problem = {.n = a->n, .ncone = a->nc, .P = skyline, .p = p, .cone = cone};
    for (int i = 0; i < 3 * a->nc; i++) lambda[i] = (tact_real)a->lambda[i];
    a->info = (tact_barrier_solution){.d = d, .lambda = lambda};
    tact_status status = tact_barrier_solve(&problem, options, &work, &a->info);
    for (int i = 0; i < a->n; i++) a->d[i] = (double)d[i];
    for (int i = 0; i < 3 * a->nc; i++) a->lambda[i] = (double)lambda[i];
    return status;
}

// The minimiser of a strictly convex problem is where these three vanish: the force balance, the law, and nothing outside.
static void check_optimal(const dense *a, double tolerance) {
    double worst = 0, scale = 1e-30;
    for (int i = 0; i < a->n; i++) {
        double g = a->p[i], size = fabs(a->p[i]);
        for (int j = 0; j < a->n; j++) g += (j <= i ? a->P[i * a->n + j] : a->P[j * a->n + i]) * a->d[j];
        for (int k = 0; k < 3 * a->nc; k++) {
            g -= a->J[k * a->n + i] * a->lambda[k];
            size = fmax(size, fabs(a->J[k * a->n + i] * a->lambda[k]));
        }
        worst = fmax(worst, fabs(g));
        scale = fmax(scale, size);
    }
    CHECK(worst <= tolerance * scale);
    for (int i = 0; i < a->nc; i++) {
        double nu[3], *l = (double *)a->lambda + 3 * i, mu = a->mu[i];
        for (int k = 0; k < 3; k++) {
            nu[k] = a->c[3 * i + k];
            for (int j = 0; j < a->n; j++) nu[k] += a->J[(3 * i + k) * a->n + j] * a->d[j];
        }
        double t = hypot(nu[1], nu[2]), s = (nu[0] - mu * t) * (nu[0] + mu * t), f = 2 / (a->kappa * s);
        // how much of the rounding of nu the law magnifies
        double ill = (nu[0] + fabs(a->c[3 * i])) / (nu[0] - mu * t);
        CHECK(nu[0] > mu * t);
        CHECK(mu * l[0] >= hypot(l[1], l[2]));
        double off = fmin(tolerance * 10 * ill * ill, MOST_OFF);
        CHECK_CLOSE(l[0] / (f * nu[0]), 1, off);
        CHECK(fabs(l[1] + f * mu * mu * nu[1]) <= off * l[0]);
        CHECK(fabs(l[2] + f * mu * mu * nu[2]) <= off * l[0]);
        CHECK_CLOSE((nu[0] * l[0] + nu[1] * l[1] + nu[2] * l[2]) * a->kappa / 2, 1, fmin(tolerance * 10 * ill, MOST_OFF));
    }
}

// The linear pusher: a driven point pushes a block along a line.
static dense pusher(double u, double kappa) {
    static dense a;
    memset(&a, 0, sizeof a);
    a.n = 2;
    a.nc = 1;
    a.P[0] = 1;
    a.P[3] = 0.01 / (0.01 * 0.01);
    a.p[0] = 0 - u;
    a.J[0] = -1;
    a.J[1] = 1;
    a.c[0] = 0.1;
    a.kappa = kappa;
    return a;
}

static void test_golden(void) {
    tact_barrier_options options = tact_barrier_options_default();
    static const double wanted[][4] = {{0.1, 0.000496280979001, 0.20099503719021, 0.099503719020999},
                                       {0.15, 0.022711311003921, 0.201272886889961, 0.127288688996079},
                                       {0.2, 0.0393567112839423, 0.201606432887161, 0.160643288716058}};
    for (int i = 0; i < 3; i++) {
        dense a = pusher(wanted[i][0], 200);
        CHECK_INT(solve_dense(&a, &options), TACT_CONVERGED);
        CHECK_CLOSE(a.d[0], wanted[i][1], sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
        CHECK_CLOSE(0.2 + a.d[1], wanted[i][2], sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
        CHECK_CLOSE(a.lambda[0], wanted[i][3], sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
    }
    // the complementarity limit
    dense a = pusher(0.15, 1e8);
    CHECK_INT(solve_dense(&a, &options), TACT_CONVERGED);
    CHECK_CLOSE(a.d[0], 0.1004950495, sizeof(tact_real) == 8 ? 1e-6 : 1e-5);
    CHECK_CLOSE(0.2 + a.d[1], 0.2004950495, sizeof(tact_real) == 8 ? 1e-6 : 1e-5);
    CHECK_CLOSE(a.lambda[0], 0.0495049505, sizeof(tact_real) == 8 ? 1e-6 : 1e-5);
    // G3: gap zero, so that no displacement at all is not feasible
    static dense b;
    static const double J[9] = {0, 1, 0, -1, 0, 1, 0, 0, 0};
    memset(&b, 0, sizeof b);
    b.n = 3;
    b.nc = 1;
    b.P[0] = b.P[4] = b.P[8] = 1;
    b.p[0] = 0.41669826;
    b.p[1] = 0.46413128;
    memcpy(b.J, J, sizeof J);
    b.mu[0] = 1;
    b.kappa = 100;
    CHECK_INT(solve_dense(&b, &options), TACT_CONVERGED);
    CHECK_CLOSE(b.d[0], -0.217378340410113, sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
    CHECK_CLOSE(b.d[1], 0.0462397035606607, sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
    CHECK_CLOSE(b.d[2], -0.199319919589887, sizeof(tact_real) == 8 ? 1e-14 : 1e-5);
}

// Random problems that have a feasible displacement; often neither zero nor the start of the solver.
static void random_problem(uint64_t *seed, dense *a, double kappa) {
    memset(a, 0, sizeof *a);
    a->n = 1 + (int)(test_random_bits(seed) % 20);
    a->nc = 1 + (int)(test_random_bits(seed) % 12);
    a->kappa = kappa;
    for (int i = 0; i < a->n; i++) {
        a->P[i * a->n + i] = pow(10, test_random(seed, -1, 2));
        a->p[i] = test_random(seed, -10, 10);
    }
    double inside[MOST];
    for (int i = 0; i < a->n; i++) inside[i] = test_random(seed, -0.1, 0.1);
    for (int i = 0; i < a->nc; i++) {
        a->mu[i] = test_random_bits(seed) % 8 ? test_random(seed, 0.1, 1.5) : 0;
        int contiguous = 1 + (int)(test_random_bits(seed) % (uint64_t)a->n), at = (int)(test_random_bits(seed) % (uint64_t)a->n);
        for (int k = 0; k < 3; k++) {
            double value = k ? test_random(seed, -0.01, 0.01) : test_random(seed, 0.03, 0.2);
            for (int j = 0; j < contiguous; j++) {
                int column = (at + j) % a->n;
                a->J[(3 * i + k) * a->n + column] = test_random(seed, -1, 1);
                value -= a->J[(3 * i + k) * a->n + column] * inside[column];
            }
            a->c[3 * i + k] = value;
        }
    }
}

static void test_random_problems(void) {
    uint64_t seed = test_seed(20261);
    tact_barrier_options options = tact_barrier_options_default();
    static dense a;
    int iterations = 0, most = 0, unsolved = 0, count = 10000;
    for (int i = 0; i < count; i++) {
        random_problem(&seed, &a,
                       sizeof(tact_real) == 8 ? pow(10, test_random(&seed, 0, 6)) : pow(10, test_random(&seed, 0, 2.5)));
        tact_status status = solve_dense(&a, &options);
        if (status == TACT_CONVERGED) check_optimal(&a, EASY);
        if (status != TACT_CONVERGED) unsolved++;
        iterations += a.info.iterations;
        if (a.info.iterations > most) most = a.info.iterations;
        if (i % 100 == 0 && status == TACT_CONVERGED) {
            // started from the answer's forces it needs almost nothing, and finds the same answer
            double d = a.d[0];
            tact_barrier_options warm = options;
            warm.warm = true;
            CHECK_INT(solve_dense(&a, &warm), TACT_CONVERGED);
            CHECK(a.info.iterations <= (sizeof(tact_real) == 8 ? 3 : 12));
            CHECK_CLOSE(a.d[0], d, EASY);
        }
    }
    printf("%d random problems: %.2f iterations on average, at most %d, %d unsolved\n", count, (double)iterations / count, most,
           unsolved);
    CHECK(most <= (sizeof(tact_real) == 8 ? 40 : 100));
    // single precision loses the gap itself at times, and then says so
    CHECK(unsolved <= (sizeof(tact_real) == 8 ? 0 : 10));
}

// Two walls that close on a point further than there is room: the certificate is recomputed from its definition.
static void test_infeasible(void) {
    uint64_t seed = test_seed(5);
    tact_barrier_options options = tact_barrier_options_default();
    static dense a;
    for (int i = 0; i < 300; i++) {
        random_problem(&seed, &a, 1000);
        double deficit = test_random(&seed, 0.001, 0.05);
        // a last contact opposed to the first
        int last = a.nc++;
        a.mu[last] = a.mu[0];
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < a.n; j++) a.J[(3 * last + k) * a.n + j] = -a.J[k * a.n + j];
            a.c[3 * last + k] = -a.c[k] - (k ? 0 : deficit);
        }
        memset(a.lambda, 0, sizeof a.lambda);
        tact_status status = solve_dense(&a, &options);
        // in single precision a contradiction may be too slight to prove, but it is never called solved
        CHECK(status == TACT_INFEASIBLE || (status == TACT_UNDECIDED && sizeof(tact_real) == 4));
        if (status != TACT_INFEASIBLE) continue;
        double size = 0, value = 0;
        for (int k = 0; k < 3 * a.nc; k++) {
            size += fabs(a.lambda[k]);
            value += a.c[k] * a.lambda[k];
        }
        CHECK(size > 0);
        CHECK(value < 0);
        for (int k = 0; k < a.nc; k++) CHECK(a.mu[k] * a.lambda[3 * k] >= hypot(a.lambda[3 * k + 1], a.lambda[3 * k + 2]));
        for (int j = 0; j < a.n; j++) {
            double sum = 0;
            for (int k = 0; k < 3 * a.nc; k++) sum += a.J[k * a.n + j] * a.lambda[k];
            CHECK(fabs(sum) <= (sizeof(tact_real) == 8 ? 1e-12 : 1e-4) * size);
        }
    }
}

// a gap that nothing moves: closed on the rim of its cone as well as outside of it
static void test_unmoved(void) {
    static const double side[] = {0.5, 1, 1.5};
    static dense a;
    tact_barrier_options options = tact_barrier_options_default();
    for (int other = 0; other < 2; other++)
        for (int k = 0; k < 3; k++) {
            a = (dense){.n = 1, .nc = 1 + other, .P = {3}, .p = {-1}, .J = {0, 0, 0, -2, -2, -2}, .kappa = 85};
            a.mu[0] = 1;
            a.c[0] = 27.0 / 32;
            a.c[1] = side[k] * a.c[0];
            tact_status status = solve_dense(&a, &options);
            CHECK(k == 0 ? status == TACT_CONVERGED : status == TACT_INFEASIBLE || status == TACT_UNDECIDED);
            if (status == TACT_CONVERGED) check_optimal(&a, EASY);
        }
}

// an energy that has no least value: what runs off to where P d is no number is not called an answer
static void test_runaway(void) {
    int first[4] = {0, 0, 0, 0}, start[5] = {0, 1, 3, 6, 10};
    tact_real x = TACT_REAL(2.4375), P[10] = {x, x, x, x, x, x, x, TACT_REAL(3.375), x, x};
    const tact_real p[4] = {x, x, TACT_REAL(-1.59375), TACT_REAL(-1.375)};
    const tact_bound bound = {2, -1, TACT_REAL(2.125), TACT_REAL(213.5)};
    static unsigned char place[16384];
    tact_real d[4], force[1];
    tact_barrier_work work;
    tact_arena arena = {.memory = place, .size = sizeof place};
    tact_barrier_place(&work, (tact_barrier_size){4, 0, 1, 0, 10}, &arena);
    CHECK(tact_arena_fits(&arena));
    tact_barrier_problem problem = {.n = 4, .nbound = 1, .P = {4, first, start, P}, .p = p, .bound = &bound};
    tact_barrier_solution solution = {.d = d, .bound_lambda = force};
    tact_barrier_options options = tact_barrier_options_default();
    for (options.max_iterations = 1; options.max_iterations < 40; options.max_iterations++)
        CHECK(tact_barrier_solve(&problem, &options, &work, &solution) != TACT_CONVERGED);
}

static void test_budget(void) {
    uint64_t seed = test_seed(9);
    tact_barrier_options options = tact_barrier_options_default();
    static dense a;
    for (int i = 0; i < 300; i++) {
        random_problem(&seed, &a, 1e4);
        options.max_iterations = 1 + i % 3;
        for (int k = 0; k < a.nc; k++) {
            a.c[3 * k] = test_random(&seed, 0.001, 0.1);
            a.c[3 * k + 1] = a.c[3 * k + 2] = 0;
        }
        // from a feasible start every budget gives a feasible displacement
        tact_status status = solve_dense(&a, &options);
        CHECK(status >= 0);
        for (int k = 0; k < a.nc; k++) {
            double nu[3];
            for (int r = 0; r < 3; r++) {
                nu[r] = a.c[3 * k + r];
                for (int j = 0; j < a.n; j++) nu[r] += a.J[(3 * k + r) * a.n + j] * a.d[j];
            }
            CHECK(nu[0] > a.mu[k] * hypot(nu[1], nu[2]));
        }
    }
}

static void test_bad_input(void) {
    tact_barrier_options options = tact_barrier_options_default();
    double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; i++) {
        dense a = pusher(0.1, 200);
        a.p[1] = bad[i];
        CHECK_INT(solve_dense(&a, &options), TACT_BAD_INPUT);
        a = pusher(0.1, 200);
        a.c[0] = bad[i];
        CHECK_INT(solve_dense(&a, &options), TACT_BAD_INPUT);
        a = pusher(0.1, bad[i]);
        CHECK_INT(solve_dense(&a, &options), TACT_BAD_INPUT);
    }
    // a block without inertia that is pushed and that nothing holds
    dense a = pusher(0.1, 200);
    a.P[3] = 0;
    a.J[1] = 0;
    a.p[1] = 1;
    CHECK_INT(solve_dense(&a, &options), TACT_SINGULAR);
}

static void test_skyline(void) {
    uint64_t seed = test_seed(77);
    static double A[MOST * MOST], b[MOST];
    static tact_real value[MOST * MOST], pivot[MOST], x[MOST];
    static int first[MOST], start[MOST + 1];
    for (int round = 0; round < 200; round++) {
        int n = 1 + (int)(test_random_bits(&seed) % MOST);
        tact_skyline L = {n, first, start, value};
        for (int i = 0; i < n; i++) first[i] = (int)(test_random_bits(&seed) % (uint64_t)(i + 1));
        tact_skyline_layout(&L);
        memset(A, 0, sizeof A);
        for (int i = 0; i < n; i++) {
            for (int j = first[i]; j <= i; j++) {
                double entry = (double)(tact_real)(j < i ? test_random(&seed, -1, 1) : test_random(&seed, 1, 2) + n);
                A[i * n + j] = A[j * n + i] = entry;
                tact_skyline_row(&L, i)[j] = (tact_real)entry;
            }
            b[i] = (double)(tact_real)test_random(&seed, -1, 1);
            x[i] = (tact_real)b[i];
        }
        CHECK(tact_skyline_factor(&L, pivot));
        tact_skyline_solve(&L, pivot, x);
        CHECK_INT(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', n, 1, A, n, b, 1), 0);
        for (int i = 0; i < n; i++) CHECK_CLOSE(x[i], b[i], 100 * (double)TACT_EPS);
    }
}

// A smooth wall along which the displacement is long beside the gap, whose terms are far larger than it is: with lambda nu =
// 2/kappa and nu = a + lambda, a = c - J p, it is known.
static void test_long_way(void) {
    tact_barrier_options options = tact_barrier_options_default();
    uint64_t seed = test_seed(3);
    double close = sizeof(tact_real) == 8 ? 1e-12 : 1e-4;
    int met = 0;
    for (int i = 0; i < 2000; i++) {
        static dense a;
        double angle = test_random(&seed, 0, 6.3), pull = pow(10, test_random(&seed, -2, 5)), turn = test_random(&seed, -3, 3);
        memset(&a, 0, sizeof a);
        a.n = 2, a.nc = 1;
        a.P[0] = a.P[3] = 1;
        a.J[0] = (double)(tact_real)cos(angle), a.J[1] = (double)(tact_real)sin(angle);
        a.p[0] = (double)(tact_real)(pull * cos(angle + turn)), a.p[1] = (double)(tact_real)(pull * sin(angle + turn));
        a.c[0] = (double)(tact_real)pow(10, test_random(&seed, -6, 0));
        a.kappa = (double)(tact_real)pow(10, test_random(&seed, 2, 8));
        double square = a.J[0] * a.J[0] + a.J[1] * a.J[1], free = a.c[0] - a.J[0] * a.p[0] - a.J[1] * a.p[1];
        double root = sqrt(free * free + 8 * square / a.kappa),
               nu = free < 0 ? 4 * square / a.kappa / (root - free) : (root + free) / 2;
        // less than what the rounding of the displacement leaves of it
        if (nu < 1e4 * (double)TACT_EPS * pull) continue;
        met++;
        double lambda = 2 / a.kappa / nu, d[2] = {a.J[0] * lambda - a.p[0], a.J[1] * lambda - a.p[1]};
        CHECK_INT(solve_dense(&a, &options), TACT_CONVERGED);
        for (int k = 0; k < 2; k++) CHECK(fabs(a.d[k] - d[k]) <= close * (pull + a.c[0]));
        CHECK(a.info.iterations <= 40);
    }
    CHECK(met > 1000);
}

int main(void) {
    test_golden();
    test_long_way();
    test_random_problems();
    test_infeasible();
    test_unmoved();
    test_runaway();
    test_budget();
    test_bad_input();
    test_skyline();
    return test_end("barrier");
}
