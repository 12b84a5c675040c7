// SPDX-License-Identifier: MIT
// Spatial branch and bound: problems of the literature with their published optima (Floudas and Pardalos, Handbook of Test
// Problems in Local and Global Optimization, 1999: 2.1.1, 2.1.2, 3.1.1, 3.1.2; Haverly, SIGMAP Bulletin 25, 1978), and random
// ones against enumeration: multilinear and concave functions over a box have their least value at a corner; of problems with a
// known point none is infeasible, and no sampled point is better than what is called global. 2,000 of them, or as many as
// TACT_COUNT says.
#include "honest.h"
#include "test.h"

enum { N = 20, CONSTRAINTS = 70, TERMS = 2000 };

#ifdef TACT_FLOAT
#define GAP 2e-3
#else
#define GAP 1e-6
#endif

static uint64_t seed;
static size_t memory_size = (size_t)1 << 24;
static void *memory;

typedef struct {
    tact_qcqp problem;
    tact_quadratic constraint[CONSTRAINTS];
    bool equality[CONSTRAINTS];
    tact_triplet term[TERMS];
    int nterm;
    double low[N], high[N];
} program;

static program p;

static void begin(int n) {
    p.problem = (tact_qcqp){.n = n, .constraint = p.constraint, .equality = p.equality};
    p.nterm = 0;
}

// value x_i x_j, or value x_j with i < 0, or the constant with both
typedef struct {
    int i, j;
    double value;
} term;

// the function that the terms add up to: first the linear ones
static tact_quadratic make(const term *terms, int count) {
    tact_quadratic f = {.linear = p.term + p.nterm};
    for (int k = 0; k < count; k++) {
        if (terms[k].i < 0 && terms[k].j < 0) f.constant += (tact_real)terms[k].value;
        if (terms[k].i >= 0 || terms[k].j < 0) continue;
        p.term[p.nterm++] = (tact_triplet){.row = -1, .column = terms[k].j, .value = (tact_real)terms[k].value};
        f.nlinear++;
    }
    f.quadratic = p.term + p.nterm;
    for (int k = 0; k < count; k++) {
        if (terms[k].i < 0) continue;
        p.term[p.nterm++] = (tact_triplet){terms[k].i, terms[k].j, (tact_real)terms[k].value};
        p.term[p.nterm++] = (tact_triplet){terms[k].j, terms[k].i, (tact_real)terms[k].value};
        f.nquadratic += 2;
    }
    return f;
}

static void constrain(const term *terms, int count, bool equality) {
    p.equality[p.problem.ncon] = equality;
    p.constraint[p.problem.ncon++] = make(terms, count);
}

static void bound(int i, double low, double high) {
    p.low[i] = low;
    p.high[i] = high;
    if (low > -1e30) constrain((term[]){{-1, i, 1}, {-1, -1, -low}}, 2, false);
    if (high < 1e30) constrain((term[]){{-1, i, -1}, {-1, -1, high}}, 2, false);
}

static tact_status solve(tact_qcqp_solution *solution, tact_real *x) {
    static tact_real y[CONSTRAINTS];
    tact_qcqp_options options = tact_qcqp_options_default();
    *solution = (tact_qcqp_solution){.x = x, .multiplier = y};
    CHECK(tact_qcqp_size(&p.problem) <= memory_size);
    return tact_qcqp_solve(&p.problem, &options, memory, memory_size, solution);
}

static void expect(const char *name, double optimum) {
    tact_real x[N];
    tact_qcqp_solution s;
    tact_status status = solve(&s, x);
    double off = ((double)s.objective - optimum) / fabs(optimum), gap = ((double)s.objective - (double)s.bound) / fabs(optimum);
    printf("%s: %s, %s, %.10g (%.2g off), gap %.2g, %d nodes\n", name, tact_status_name(status), s.global ? "global" : "local",
           (double)s.objective, off, gap, s.nodes);
    CHECK_INT(status, TACT_CONVERGED);
    // in single precision a violation of 1e-3 is allowed, which is worth up to 1 % here, and the bounds are coarse
    CHECK(fabs(off) <= (sizeof(tact_real) == 4 ? 2e-2 : GAP));
    CHECK(s.global || sizeof(tact_real) == 4);
    CHECK(!s.global || gap <= 2 * GAP);
}

static void heat_exchangers(void) {
    begin(8);
    p.problem.objective = make((term[]){{-1, 0, 1}, {-1, 1, 1}, {-1, 2, 1}}, 3);
    constrain((term[]){{-1, 3, -.0025}, {-1, 5, -.0025}, {-1, -1, 1}}, 3, false);
    constrain((term[]){{-1, 3, .0025}, {-1, 4, -.0025}, {-1, 6, -.0025}, {-1, -1, 1}}, 4, false);
    constrain((term[]){{-1, 4, .01}, {-1, 7, -.01}, {-1, -1, 1}}, 3, false);
    constrain((term[]){{0, 5, 1}, {-1, 0, -100}, {-1, 3, -833.33252}, {-1, -1, 83333.333}}, 4, false);
    constrain((term[]){{1, 3, -1}, {1, 6, 1}, {-1, 3, 1250}, {-1, 4, -1250}}, 4, false);
    constrain((term[]){{2, 4, -1}, {2, 7, 1}, {-1, 4, 2500}, {-1, -1, -1250000}}, 4, false);
    bound(0, 100, 10000);
    for (int i = 1; i < 3; i++) bound(i, 1000, 10000);
    for (int i = 3; i < 8; i++) bound(i, 10, 1000);
    expect("ex3_1_1", 7049.2480205);
}

// low <= f <= high
static void between(const term *terms, int count, double low, double high) {
    term both[8];
    for (int k = 0; k < count; k++) both[k] = terms[k];
    both[count] = (term){-1, -1, -low};
    constrain(both, count + 1, false);
    for (int k = 0; k < count; k++) both[k].value = -terms[k].value;
    both[count].value = high;
    constrain(both, count + 1, false);
}

static void colville(void) {
    const double low[] = {78, 33, 27, 27, 27}, high[] = {102, 45, 45, 45, 45};
    begin(5);
    p.problem.objective = make((term[]){{0, 4, .8356891}, {2, 2, 5.3578547}, {-1, 0, 37.293239}, {-1, -1, -40792.141}}, 4);
    between((term[]){{1, 4, .0056858}, {0, 3, .0006262}, {2, 4, -.0022053}, {-1, -1, 85.334407}}, 4, 0, 92);
    between((term[]){{1, 4, .0071317}, {0, 1, .0029955}, {2, 2, .0021813}, {-1, -1, 80.51249}}, 4, 90, 110);
    between((term[]){{2, 4, .0047026}, {0, 2, .0012547}, {2, 3, .0019085}, {-1, -1, 9.300961}}, 4, 20, 25);
    for (int i = 0; i < 5; i++) bound(i, low[i], high[i]);
    expect("ex3_1_2", -30665.538672);
}

// sources A (3 % sulphur) and B (1 %) meet in a pool (p %), products X (at most 2.5 %) and Y (1.5 %) take from it and from C (2
// %)
static void pooling(const char *name, double most_x, double most_y, double price, double most_p, double optimum) {
    enum { A, B, CX, CY, PX, PY, X, Y, P };
    begin(9);
    p.problem.objective = make((term[]){{-1, A, 6}, {-1, B, price}, {-1, CX, 10}, {-1, CY, 10}, {-1, X, -9}, {-1, Y, -15}}, 6);
    constrain((term[]){{-1, PX, 1}, {-1, PY, 1}, {-1, A, -1}, {-1, B, -1}}, 4, true);
    constrain((term[]){{-1, X, 1}, {-1, PX, -1}, {-1, CX, -1}}, 3, true);
    constrain((term[]){{-1, Y, 1}, {-1, PY, -1}, {-1, CY, -1}}, 3, true);
    constrain((term[]){{P, PX, -1}, {-1, CX, -2}, {-1, X, 2.5}}, 3, false);
    constrain((term[]){{P, PY, -1}, {-1, CY, -2}, {-1, Y, 1.5}}, 3, false);
    constrain((term[]){{P, PX, 1}, {P, PY, 1}, {-1, A, -3}, {-1, B, -1}}, 4, true);
    for (int i = A; i <= PY; i++) bound(i, 0, 1e31);
    bound(X, 0, most_x);
    bound(Y, 0, most_y);
    bound(P, most_p > 0 ? 0 : -1e31, most_p > 0 ? most_p : 1e31);
    expect(name, optimum);
}

static void concave(void) {
    const double c1[] = {42, 44, 45, 47, 47.5}, a1[] = {-20, -12, -11, -7, -4};
    const double c2[] = {-10.5, -7.5, -3.5, -2.5, -1.5, -10}, a2[] = {-6, -3, -3, -2, -1};
    term f[16], g[8];
    begin(5);
    for (int i = 0; i < 5; i++) f[2 * i] = (term){i, i, -50}, f[2 * i + 1] = (term){-1, i, c1[i]}, g[i] = (term){-1, i, a1[i]};
    g[5] = (term){-1, -1, 40};
    p.problem.objective = make(f, 10);
    constrain(g, 6, false);
    for (int i = 0; i < 5; i++) bound(i, 0, 1);
    expect("ex2_1_1", -17);
    begin(6);
    for (int i = 0; i < 6; i++) f[2 * i] = (term){i, i, i < 5 ? -.5 : 0}, f[2 * i + 1] = (term){-1, i, c2[i]};
    for (int i = 0; i < 5; i++) g[i] = (term){-1, i, a2[i]};
    g[5] = (term){-1, -1, 6.5};
    p.problem.objective = make(f, 12);
    constrain(g, 6, false);
    constrain((term[]){{-1, 0, -10}, {-1, 2, -10}, {-1, 5, -1}, {-1, -1, 20}}, 4, false);
    for (int i = 0; i < 6; i++) bound(i, 0, i < 5 ? 1 : 1e31);
    expect("ex2_1_2", -213);
}

static double draw(double low, double high) {
    return test_random(&seed, low, high);
}

static int draw_integer(int low, int high) {
    return low + (int)(draw(0, 1) * (high - low + 1));
}

// random terms of n unknowns, at scale; squares have the sign given, 0: none
static int draw_terms(term *f, int n, double scale, double square) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        if (draw(0, 1) < 0.7) f[count++] = (term){-1, i, scale * draw(-1, 1)};
        if (square != 0 && draw(0, 1) < 0.4) f[count++] = (term){i, i, square * scale * draw(0, 1)};
        for (int j = 0; j < i; j++)
            if (draw(0, 1) < 2.0 / n) f[count++] = (term){i, j, scale * draw(-1, 1)};
    }
    f[count++] = (term){-1, -1, scale * draw(-1, 1)};
    return count;
}

static double value_of(const tact_quadratic *f, const double *x) {
    tact_real at[N];
    double size = 0;
    for (int i = 0; i < p.problem.n; i++) at[i] = (tact_real)x[i];
    return honest_quadratic(f, at, &size);
}

typedef struct {
    int solved, global, infeasible, wrong, nodes;
    double worst;
} tally;

// multilinear and concave functions over a box, against its corners
static void corners(tally *t) {
    term f[N * N];
    int n = draw_integer(2, 7);
    double scale = pow(10, draw(-4, 4)), least = HUGE_VAL, size = 0;
    // linear ones are solved otherwise
    do {
        begin(n);
        p.problem.objective = make(f, draw_terms(f, n, scale, draw(0, 1) < 0.5 ? -1 : 0));
    } while (p.problem.objective.nquadratic == 0);
    for (int i = 0; i < n; i++) {
        double at = draw(-2, 2), unit = pow(10, draw(-2, 2));
        // numbers that single precision has, too
        bound(i, (double)(float)(unit * at), (double)(float)(unit * (at + draw(0.1, 3))));
    }
    for (int k = 0; k < 1 << n; k++) {
        double x[N];
        for (int i = 0; i < n; i++) x[i] = k >> i & 1 ? p.high[i] : p.low[i];
        least = fmin(least, value_of(&p.problem.objective, x));
    }
    tact_real x[N];
    tact_qcqp_solution s;
    tact_status status = solve(&s, x);
    double value = honest_quadratic(&p.problem.objective, s.x, &size);
    t->solved += status == TACT_CONVERGED;
    t->global += s.global;
    t->nodes += s.nodes;
    CHECK(status == TACT_CONVERGED);
    if (s.global) t->worst = fmax(t->worst, (value - least) / fmax(fabs(least), size));
}

// Whether a point satisfies all constraints without rounding's help.
static bool is_inside(const double *x) {
    for (int i = 0; i < p.problem.ncon; i++)
        if (!(value_of(&p.constraint[i], x) >= 0)) return false;
    return true;
}

// random constraints that a point satisfies: no sampled point is better than what is called global
static void planted(tally *t) {
    term f[N * N];
    double at[N], x[N];
    int n = draw_integer(2, 4), ncon = draw_integer(1, 3);
    begin(n);
    p.problem.objective = make(f, draw_terms(f, n, 1, draw(-1, 1)));
    for (int i = 0; i < n; i++) {
        bound(i, (double)(float)draw(-3, 0), (double)(float)draw(0.1, 3));
        at[i] = draw(p.low[i], p.high[i]);
    }
    for (int k = 0; k < ncon; k++) {
        int count = draw_terms(f, n, 1, draw(-1, 1));
        tact_quadratic g = make(f, count);
        // close to the boundary, often
        f[count++] = (term){-1, -1, -value_of(&g, at) + 1e-4 + (draw(0, 1) < 0.5 ? 0 : draw(0, 0.5))};
        constrain(f, count, false);
    }
    tact_real got[N];
    tact_qcqp_solution s;
    tact_status status = solve(&s, got);
    double size = 0, value = honest_quadratic(&p.problem.objective, got, &size), best = value_of(&p.problem.objective, at);
    t->wrong += status == TACT_INFEASIBLE;
    CHECK(status != TACT_INFEASIBLE);
    t->solved += status == TACT_CONVERGED;
    t->global += s.global;
    t->nodes += s.nodes;
    if (!s.global || status != TACT_CONVERGED) return;
    // random search, towards the best so far
    for (int i = 0; i < n; i++) x[i] = at[i];
    for (int k = 0; k < 400; k++) {
        double trial[N], reach = k % 2 ? 6 : pow(10, draw(-3, 0));
        for (int i = 0; i < n; i++) trial[i] = fmin(p.high[i], fmax(p.low[i], x[i] + reach * draw(-1, 1)));
        double now = value_of(&p.problem.objective, trial);
        if (!(now < best) || !is_inside(trial)) continue;
        best = now;
        for (int i = 0; i < n; i++) x[i] = trial[i];
    }
    t->worst = fmax(t->worst, (value - best) / fmax(size, 1));
}

// a multilinear constraint whose most over the box, at a corner, is below zero
static void contradiction(tally *t) {
    term f[N * N];
    int n = draw_integer(2, 6);
    // deeper than the tolerance on violations, which is relative to terms of 1 at least
    const bool single = sizeof(tact_real) == 4;
    double most = -HUGE_VAL, scale = pow(10, draw(single ? 0 : -3, 3));
    begin(n);
    p.problem.objective = make((term[]){{-1, 0, 1}}, 1);
    for (int i = 0; i < n; i++) bound(i, (double)(float)draw(-3, 0), (double)(float)draw(0.1, 3));
    int count = draw_terms(f, n, scale, 0);
    tact_quadratic g = make(f, count);
    for (int k = 0; k < 1 << n; k++) {
        double x[N];
        for (int i = 0; i < n; i++) x[i] = k >> i & 1 ? p.high[i] : p.low[i];
        most = fmax(most, value_of(&g, x));
    }
    f[count++] = (term){-1, -1, -most - scale * pow(10, draw(single ? -1.5 : -4, 0))};
    constrain(f, count, false);
    tact_real x[N];
    tact_qcqp_solution s;
    tact_status status = solve(&s, x);
    t->infeasible += status == TACT_INFEASIBLE && s.global;
    t->wrong += status == TACT_CONVERGED;
    t->nodes += s.nodes;
    CHECK(status == TACT_INFEASIBLE || status == TACT_UNDECIDED);
}

int main(void) {
    memory = malloc(memory_size);
    heat_exchangers();
    colville();
    pooling("haverly1", 100, 200, 16, 100, -400);
    pooling("haverly2", 600, 200, 16, 100, -600);
    pooling("haverly3", 100, 200, 13, 100, -750);
    // the pool's sulphur without one bound, and without any
    pooling("haverly1, p >= 0", 100, 200, 16, 1e31, -400);
    pooling("haverly2, any p", 600, 200, 16, 0, -600);
    concave();
    seed = test_seed(23);
    tally t[3] = {{0}};
    int count = test_rounds(2000), each[3] = {0};
    for (int k = 0; k < count; k++) {
        int kind = k % 4 == 3 ? 2 : k % 4 == 2;
        each[kind]++;
        (kind == 0 ? corners : kind == 1 ? planted : contradiction)(&t[kind]);
    }
    printf("corners: %d of %d global, above the best corner by %.2g, %d nodes\n", t[0].global, each[0], t[0].worst, t[0].nodes);
    printf("planted: %d solved and %d global of %d, above the best sample by %.2g, %d called infeasible, %d nodes\n", t[1].solved,
           t[1].global, each[1], t[1].worst, t[1].wrong, t[1].nodes);
    printf("contradictions: %d of %d proven, %d called solved, %d nodes\n", t[2].infeasible, each[2], t[2].wrong, t[2].nodes);
    CHECK(t[0].worst <= GAP && t[1].worst <= GAP);
    CHECK(t[0].global >= 0.99 * each[0] && t[1].global >= 0.95 * each[1] && t[2].infeasible >= 0.95 * each[2]);
    free(memory);
    return test_end("qcqp_spatial");
}
