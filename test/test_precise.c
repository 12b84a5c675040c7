// SPDX-License-Identifier: MIT
// Barrier problems whose gaps nearly touch at a known displacement, or whose contacts squeeze each other, with scales far apart:
// what is called infeasible, or converged, is so in numbers of 34 digits, by tact_barrier_solve and, with more digits, by
// tact_precise_confirm. The judge shares nothing with the library: it takes Newton's method in primal form from the answer to the
// minimum. 4,000 problems, or as many as TACT_COUNT says; where the compiler has no such numbers, none.
#include "math/elementary.h"
#include "solve/barrier.h"
#include "solve/precise.h"
#include "solve/skyline.h"
#include "test.h"

__extension__ typedef __float128 quad;

enum { N = 9, CONES = 4 };

typedef struct {
    int n, nc, column[N], first[N], start[N + 1];
    tact_real P[N], p[N], J[CONES][3 * N], c[CONES][3], mu[CONES], kappa, known[N];
} hard;

static quad quad_abs(quad x) {
    return x < 0 ? -x : x;
}

static quad quad_root(quad x) {
    if (!(x > 0)) return 0;
    quad r = (quad)sqrt((double)x);
    for (int k = 0; k < 3; k++) r = (r + x / r) / 2;
    return r;
}

static double power(uint64_t *seed, double low, double high) {
    return pow(10, test_random(seed, low, high));
}

static double sign(uint64_t *seed) {
    return test_random_bits(seed) % 2 ? 1 : -1;
}

// nu = J d + c of one cone
static void gap_of(const hard *a, int i, const quad *d, quad nu[3]) {
    for (int k = 0; k < 3; k++) {
        nu[k] = (quad)a->c[i][k];
        for (int v = 0; v < a->n; v++) nu[k] += (quad)a->J[i][k * a->n + v] * d[v];
    }
}

static bool is_open(const hard *a, const quad *d) {
    for (int i = 0; i < a->nc; i++) {
        quad nu[3], mu = (quad)a->mu[i];
        gap_of(a, i, d, nu);
        if (!(nu[0] > 0 && nu[0] * nu[0] > mu * mu * (nu[1] * nu[1] + nu[2] * nu[2]))) return false;
    }
    return true;
}

// Rows of J: any, a row the same for all unknowns, against those of the cone before, or of few unknowns.
static void make_rows(uint64_t *seed, hard *a, int i) {
    int kind = (int)(test_random_bits(seed) % 4), n = a->n;
    double size = power(seed, -3, 1);
    for (int k = 0; k < 3; k++) {
        double same = size * test_random(seed, -1, 1);
        for (int v = 0; v < n; v++) {
            double x = kind == 1 ? same : size * test_random(seed, -1, 1);
            if (kind == 3 && test_random_bits(seed) % 2) x = 0;
            a->J[i][k * n + v] = (tact_real)x;
            if (kind == 2 && i > 0) a->J[i][k * n + v] = (k ? 1 : -1) * a->J[i - 1][k * n + v];
        }
    }
}

// Gaps that are open at a known displacement by a margin of 1e-17 to 1 of their tangents; false where rounding closes one.
static bool make(uint64_t *seed, hard *a) {
    bool squeezed = test_random_bits(seed) % 2;
    a->n = 1 + (int)(test_random_bits(seed) % N);
    a->nc = 1 + (int)(test_random_bits(seed) % CONES);
    a->kappa = (tact_real)power(seed, 0, 5);
    for (int v = 0; v < a->n; v++) {
        a->column[v] = v;
        a->first[v] = v;
        a->P[v] = (tact_real)power(seed, -6, 4);
        a->p[v] = (tact_real)(sign(seed) * power(seed, -8, 1));
        a->known[v] = (tact_real)(sign(seed) * power(seed, -5, -1));
    }
    quad known[N];
    for (int v = 0; v < a->n; v++) known[v] = (quad)a->known[v];
    double margin = power(seed, sizeof(tact_real) == 8 ? -17 : -8, 0);
    for (int i = 0; i < a->nc; i++) {
        double mu = power(seed, -2, 1), t = power(seed, -6, -2), angle = test_random(seed, 0, 6.3);
        a->mu[i] = (tact_real)(test_random_bits(seed) % 8 ? mu : 0);
        make_rows(seed, a, i);
        if (squeezed) t *= 1e-6;
        double s[3] = {(mu + margin) * t, t * cos(angle), t * sin(angle)};
        for (int k = 0; k < 3; k++) a->c[i][k] = 0;
        quad at[3];
        gap_of(a, i, known, at);
        for (int k = 0; k < 3; k++) a->c[i][k] = (tact_real)((quad)s[k] - at[k]);
    }
    return is_open(a, known);
}

typedef struct {
    quad d[N], g[N], H[N][N], lambda[CONES][3];
} point;

// Forces of the law, gradient and Hessian of 1/2 d'P d + p'd - sum (1/kappa) log(nu_n^2 - mu^2 |nu_t|^2)
static void evaluate(const hard *a, point *x) {
    for (int v = 0; v < a->n; v++) {
        x->g[v] = (quad)a->P[v] * x->d[v] + (quad)a->p[v];
        for (int w = 0; w < a->n; w++) x->H[v][w] = v == w ? (quad)a->P[v] : 0;
    }
    for (int i = 0; i < a->nc; i++) {
        quad nu[3], mu = (quad)a->mu[i], weight[3] = {1, -mu * mu, -mu * mu}, *l = x->lambda[i];
        gap_of(a, i, x->d, nu);
        quad t = mu * quad_root(nu[1] * nu[1] + nu[2] * nu[2]), f = 2 / ((quad)a->kappa * (nu[0] - t) * (nu[0] + t));
        for (int k = 0; k < 3; k++) l[k] = f * weight[k] * nu[k];
        for (int v = 0; v < a->n; v++) {
            quad pull = 0;
            for (int k = 0; k < 3; k++) pull += (quad)a->J[i][k * a->n + v] * l[k];
            x->g[v] -= pull;
            for (int w = 0; w < a->n; w++) {
                quad other = 0;
                for (int k = 0; k < 3; k++) {
                    other += (quad)a->J[i][k * a->n + w] * l[k];
                    x->H[v][w] -= f * weight[k] * (quad)a->J[i][k * a->n + v] * (quad)a->J[i][k * a->n + w];
                }
                x->H[v][w] += (quad)a->kappa * pull * other;
            }
        }
    }
}

// Newton's method to the minimum; false where it does not get there.
static bool minimise(const hard *a, point *x) {
    int n = a->n;
    for (int k = 0; k < 400; k++) {
        quad step[N], decrement = 0;
        evaluate(a, x);
        for (int i = 0; i < n; i++) {
            step[i] = -x->g[i];
            for (int j = 0; j <= i; j++) {
                quad sum = x->H[i][j];
                for (int m = 0; m < j; m++) sum -= x->H[i][m] * x->H[j][m];
                if (i == j && !(sum > 0)) return false;
                x->H[i][j] = i == j ? quad_root(sum) : sum / x->H[j][j];
            }
            for (int j = 0; j < i; j++) step[i] -= x->H[i][j] * step[j];
            step[i] /= x->H[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int j = i + 1; j < n; j++) step[i] -= x->H[j][i] * step[j];
            step[i] /= x->H[i][i];
        }
        for (int i = 0; i < n; i++) decrement -= (quad)a->kappa * x->g[i] * step[i];
        quad r = quad_root(quad_abs(decrement)), t = r < (quad)0.25 ? 1 : 1 / (1 + r);
        for (int i = 0; i < n; i++) x->d[i] += t * step[i];
        if (r < (quad)1e-12) return is_open(a, x->d);
    }
    return false;
}

typedef struct {
    double allowed, told;  // of d, lambda and balance; of the residuals printed
    int problems, converged, infeasible, limit, undecided, other, lies, unjudged;
    double x, lambda, balance, decrement;
} tally;

// How far a converged answer is from the minimum.
static bool is_right(const hard *a, const tact_barrier_solution *s, tally *sum) {
    static point x;
    double most = 0, off = 0, force = 0, wrong = 0, worst = 0, size = 0, product = 0;
    for (int v = 0; v < a->n; v++) x.d[v] = (quad)s->d[v];
    if (!is_open(a, x.d)) return false;
    for (int v = 0; v < a->n; v++) {
        quad g = (quad)a->P[v] * x.d[v] + (quad)a->p[v], terms = quad_abs(g) + quad_abs((quad)a->p[v]);
        for (int i = 0; i < a->nc; i++)
            for (int k = 0; k < 3; k++) {
                quad pull = (quad)a->J[i][k * a->n + v] * (quad)s->lambda[3 * i + k];
                g -= pull;
                terms += quad_abs(pull);
            }
        worst = fmax(worst, (double)quad_abs(g));
        size = fmax(size, (double)terms);
    }
    for (int i = 0; i < a->nc; i++) {
        quad nu[3], sum_of = 0;
        gap_of(a, i, x.d, nu);
        for (int k = 0; k < 3; k++) sum_of += nu[k] * (quad)s->lambda[3 * i + k];
        product = fmax(product, (double)quad_abs((quad)a->kappa * sum_of / 2 - 1));
    }
    if (!minimise(a, &x)) {
        sum->unjudged++;
        return true;
    }
    for (int v = 0; v < a->n; v++) {
        most = fmax(most, (double)quad_abs(x.d[v]));
        off = fmax(off, (double)quad_abs(x.d[v] - (quad)s->d[v]));
    }
    for (int i = 0; i < a->nc; i++)
        for (int k = 0; k < 3; k++) {
            force = fmax(force, (double)quad_abs(x.lambda[i][k]));
            wrong = fmax(wrong, (double)quad_abs(x.lambda[i][k] - (quad)s->lambda[3 * i + k]));
        }
    sum->x = fmax(sum->x, off / most);
    sum->lambda = fmax(sum->lambda, wrong / force);
    sum->balance = fmax(sum->balance, worst / size);
    sum->decrement = fmax(sum->decrement, product - (double)s->decrement);
    return off <= sum->allowed * most && wrong <= sum->allowed * force && worst <= sum->allowed * size &&
           product <= 2 * (double)s->decrement + sum->told && fabs((double)s->balance - worst / size) <= sum->told;
}

static void judge(const hard *a, bool open, tact_status status, const tact_barrier_solution *s, tally *sum, int problem) {
    sum->problems++;
    sum->converged += status == TACT_CONVERGED;
    sum->infeasible += status == TACT_INFEASIBLE;
    sum->limit += status == TACT_ITERATION_LIMIT;
    sum->undecided += status == TACT_UNDECIDED;
    sum->other += status == TACT_SINGULAR || status == TACT_BAD_INPUT;
    if (!(status == TACT_INFEASIBLE && open) && !(status == TACT_CONVERGED && !is_right(a, s, sum))) return;
    if (sum->lies++ < 10) printf("problem %d: called %s\n", problem, tact_status_name(status));
}

static void print(const char *name, const tally *sum) {
    printf(
        "%s: %d problems: %d converged, %d infeasible, %d iteration_limit, %d undecided, %d other; %d lies, %d not judged; off "
        "by %.2g in d, %.2g in lambda, balance %.2g, product above decrement by %.2g\n",
        name, sum->problems, sum->converged, sum->infeasible, sum->limit, sum->undecided, sum->other, sum->lies, sum->unjudged,
        sum->x, sum->lambda, sum->balance, sum->decrement);
    CHECK_INT(sum->lies, 0);
    CHECK(sum->unjudged * 1000 <= sum->problems);
}

int main(void) {
    uint64_t seed = test_seed(31);
    int count = test_rounds(4000);
    static unsigned char memory[1 << 20];
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_barrier_size size = {.n = N, .ncone = CONES, .columns = N * CONES, .envelope = N * (N + 1) / 2};
    tact_barrier_work work;
    tact_precise_work precise;
    tact_barrier_place(&work, size, &arena);
    tact_precise_place(&precise, size, &arena);
    CHECK(tact_arena_fits(&arena));
    bool exact = sizeof(tact_real) == 8;
    tally plain = {.allowed = exact ? 0.01 : 0.2, .told = exact ? 1e-5 : 0.05},
          sure = {.allowed = TACT_PRECISE_ERROR, .told = exact ? 1e-12 : 1e-6};
    for (int k = 0; k < count; k++) {
        static hard a;
        tact_real d[N], lambda[3 * CONES];
        tact_cone cone[CONES];
        bool open = make(&seed, &a);
        for (int i = 0; i < a.nc; i++) {
            cone[i] = (tact_cone){.width = a.n, .column = a.column, .J = a.J[i], .mu = a.mu[i], .kappa = a.kappa};
            for (int r = 0; r < 3; r++) cone[i].c[r] = a.c[i][r];
        }
        tact_barrier_problem problem = {.n = a.n, .ncone = a.nc, .P = {a.n, a.first, a.start, a.P}, .p = a.p, .cone = cone};
        tact_skyline_layout(&problem.P);
        tact_barrier_options options = tact_barrier_options_default();
        tact_barrier_solution solution = {.d = d, .lambda = lambda};
        tact_status status = tact_barrier_solve(&problem, &options, &work, &solution);
        judge(&a, open, status, &solution, &plain, k);
        options.max_iterations = 200;
        status = tact_precise_confirm(&problem, &options, status, &precise, &solution);
        judge(&a, open, status, &solution, &sure, k);
    }
    print("tact_barrier_solve", &plain);
    print("tact_precise_confirm", &sure);
    // the rest is open, or closed, by less than its displacement's rounding
    CHECK(sure.converged * 10 > sure.problems * (exact ? 8 : 5));
    return test_end("precise");
}
