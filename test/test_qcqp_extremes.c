// SPDX-License-Identifier: MIT
// Quadratically constrained problems whose numbers are far apart, up to where sums leave the numbers, with unknowns that lack
// bounds and budgets that run out. Many have a point that satisfies all constraints exactly: of these none is infeasible, no
// bound is above that point's objective, and nothing is called global that it is better than. What is called solved satisfies the
// constraints, judged in wider numbers. 3,000 problems, or as many as TACT_COUNT says, and some by hand.
#include "solve/qcqp_parts.h"
#include "test.h"

enum { N = 4, CONSTRAINTS = 12, TERMS = 24, NEAR = 8, FAR = sizeof(tact_real) == 4 ? 18 : 240 };

#ifdef TACT_FLOAT
#define FEASIBLE 1e-3
#define GAP 2e-3
#define GAP_BOX 1e-5
#else
#define FEASIBLE 1e-7
#define GAP 1e-6
#define GAP_BOX 1e-10
#endif

static uint64_t seed;
static unsigned char memory[1 << 21];

typedef struct {
    tact_qcqp problem;
    tact_triplet entry[CONSTRAINTS + 1][TERMS];
    tact_quadratic constraint[CONSTRAINTS];
    bool equality[CONSTRAINTS];
    tact_real planted[N], guess[N];
    int unit[N];  // of the unknowns, powers of two
    bool exact;   // the planted point satisfies every constraint, without rounding
} program;

static int below(int count) {
    return (int)(test_random_bits(&seed) % (uint64_t)count);
}

// in double precision the judge's are wider only where the compiler has them; then terms of like size add up exactly
static long double value_at(const tact_quadratic *f, const tact_real *x, long double *size) {
    long double sum = (long double)f->constant;
    *size = fabsl(sum);
    for (int k = 0; k < f->nquadratic + f->nlinear; k++) {
        const tact_triplet *e = k < f->nquadratic ? &f->quadratic[k] : &f->linear[k - f->nquadratic];
        long double term =
            (long double)e->value * (long double)x[e->column] * (k < f->nquadratic ? (long double)x[e->row] / 2 : 1);
        sum += term;
        *size += fabsl(term);
    }
    return sum;
}

// small integers times a power of two
static tact_real number(int power) {
    return (tact_real)ldexp(below(9) - 4, power);
}

static tact_quadratic make(program *p, int row, int power, const int *unit) {
    int n = p->problem.n, nquadratic = 0, nlinear = 0;
    tact_triplet *e = p->entry[row];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            if (nquadratic > TERMS / 2 - 2 || below(3)) continue;
            tact_real value = number(power - unit[i] - unit[j]);
            e[nquadratic++] = (tact_triplet){i, j, value};
            if (i != j) e[nquadratic++] = (tact_triplet){j, i, value};
        }
    for (int i = 0; i < n; i++)
        if (below(3)) e[nquadratic + nlinear++] = (tact_triplet){-1, i, number(power - unit[i])};
    return (tact_quadratic){nquadratic, nlinear, e, e + nquadratic, 0};
}

// the constant that leaves room at the planted point
static void plant(program *p, tact_quadratic *g, bool equality, int power) {
    long double size = 0, value = value_at(g, p->planted, &size);
    g->constant = (tact_real)-value;
    if (!equality) g->constant += (tact_real)ldexp(below(3), power);
    value = value_at(g, p->planted, &size);
    // nor may the wider numbers have rounded
    bool sure = size == 0 || (sizeof(tact_real) < sizeof(long double) && fabsl(value) > 1e-15L * size) || value == 0;
    p->exact = p->exact && sure && (equality ? value == 0 : value >= 0);
}

static void constrain(program *p, tact_quadratic g, bool equality) {
    p->equality[p->problem.ncon] = equality;
    p->constraint[p->problem.ncon++] = g;
}

// x_i between bounds about the planted point; at times without one of them
static void bound(program *p, int i, int unit) {
    for (int side = -1; side < 2; side += 2) {
        if (p->problem.ncon == CONSTRAINTS || below(8) == 0) continue;
        tact_triplet *e = p->entry[p->problem.ncon];
        e[0] = (tact_triplet){-1, i, (tact_real)ldexp(side, -unit)};
        tact_quadratic g = {0, 1, NULL, e, (tact_real)(-side * ldexp((double)p->planted[i], -unit) + 1 + below(4))};
        constrain(p, g, false);
    }
}

static void make_program(program *p) {
    *p = (program){.problem = {.n = 1 + below(N), .constraint = p->constraint, .equality = p->equality}, .exact = true};
    int n = p->problem.n, unit[N], kind = below(4);
    int far = kind > 1 ? 0 : kind == 1 ? NEAR : FAR / (1 + below(4)), power = far ? below(2 * far) - far : 0;
    bool planted = below(4) > 0, bounded = below(4) > 0;
    for (int i = 0; i < n; i++) {
        unit[i] = p->unit[i] = far && below(2) ? below(far) - far / 2 : 0;
        p->planted[i] = number(unit[i]);
        p->guess[i] = number(unit[i]);
    }
    for (int i = 0; i < n && bounded; i++) bound(p, i, unit[i]);
    for (int count = below(4); count > 0 && p->problem.ncon < CONSTRAINTS; count--) {
        int own = far && below(2) ? below(far) - far / 2 : power;
        tact_quadratic g = make(p, p->problem.ncon, own, unit);
        bool equality = below(3) == 0;
        if (planted) plant(p, &g, equality, own);
        if (!planted) g.constant = number(own);
        p->exact = p->exact && planted;
        constrain(p, g, equality);
    }
    p->problem.objective = make(p, CONSTRAINTS, power, unit);
    if (below(3) == 0) p->problem.x0 = p->guess;
}

typedef struct {
    int solved, global, infeasible, refused, other;
    double outside, above, bound;
} tally;

static void show(const char *name, const tact_quadratic *f) {
    printf("    %s: %.17g", name, (double)f->constant);
    for (int k = 0; k < f->nquadratic + f->nlinear; k++) {
        const tact_triplet *e = k < f->nquadratic ? &f->quadratic[k] : &f->linear[k - f->nquadratic];
        printf(k < f->nquadratic ? " + %.17g/2 x%d x%d" : " + %.17g x%d", (double)e->value, e->column, e->row);
    }
    printf("\n");
}

// a problem that was answered wrongly
static void show_program(const program *p, const tact_qcqp_solution *s) {
    show("objective", &p->problem.objective);
    for (int i = 0; i < p->problem.ncon; i++) show(p->equality[i] ? "zero" : "at least zero", &p->constraint[i]);
    for (int i = 0; i < p->problem.n; i++) printf("    known %.17g, answer %.17g\n", (double)p->planted[i], (double)s->x[i]);
}

static void judge(const program *p, tact_status status, const tact_qcqp_solution *s, tally *t) {
    long double size = 0, least = value_at(&p->problem.objective, p->planted, &size), extent = size;
    CHECK(status != TACT_NO_MEMORY && tact_status_name(status));
    if (status == TACT_INFEASIBLE) CHECK(!p->exact);
    t->infeasible += status == TACT_INFEASIBLE;
    t->refused += status == TACT_BAD_INPUT;
    t->other += status < 0 && status != TACT_INFEASIBLE && status != TACT_BAD_INPUT;
    if (status < 0) return;
    t->solved += status == TACT_CONVERGED;
    for (int i = 0; i < p->problem.ncon; i++) {
        long double g = value_at(&p->constraint[i], s->x, &size), wrong = p->equality[i] ? fabsl(g) : -g;
        t->outside = fmax(t->outside, (double)(wrong / (size > 1 ? size : 1)));
    }
    // slopes of the objective count where they exceed 1
    long double value = value_at(&p->problem.objective, s->x, &size), scale = fabsl(least) + extent + size;
    for (int i = 0; i < p->problem.n; i++) scale += fabsl((long double)s->x[i]) + fabsl((long double)p->planted[i]);
    // the gap is also relative to the most that the terms come to between the bounds, within eight units
    tact_real most[N];
    for (int i = 0; i < p->problem.n; i++) most[i] = (tact_real)ldexp(8, p->unit[i]);
    value_at(&p->problem.objective, most, &size);
    scale += size * (long double)GAP_BOX / (long double)GAP;
    if (!(scale > 0)) scale = 1;
    if (p->exact && s->bound > -TACT_MAX) t->bound = fmax(t->bound, (double)(((long double)s->bound - least) / scale));
    if (!s->global) return;
    t->global++;
    if (p->exact) t->above = fmax(t->above, (double)((value - least) / scale));
}

static tact_status solve(const tact_qcqp *problem, int nodes, int starts, tact_qcqp_solution *solution) {
    static tact_real x[N], y[CONSTRAINTS];
    tact_qcqp_options options = tact_qcqp_options_default();
    options.max_nodes = nodes, options.starts = starts;
    *solution = (tact_qcqp_solution){.x = x, .multiplier = y};
    return tact_qcqp_solve(problem, &options, memory, sizeof memory, solution);
}

// The least of 1 <= -s x <= 7 with ever larger s, where steps from afar leave more rounding than the rows are apart.
static void test_far_steps(void) {
    for (int power = 0; power < 60; power++) {
        tact_real far = (tact_real)ldexp(1, power);
        const tact_triplet slope = {-1, 0, 1}, low = {-1, 0, -far}, high = {-1, 0, far};
        const tact_quadratic rows[2] = {{0, 1, NULL, &low, -1}, {0, 1, NULL, &high, 7}};
        const bool equality[2] = {false, false};
        tact_qcqp problem = {.n = 1, .ncon = 2, .objective = {0, 1, NULL, &slope, 0}, .constraint = rows, .equality = equality};
        tact_qcqp_solution s;
        CHECK_INT(solve(&problem, 100, 1, &s), TACT_CONVERGED);
        CHECK_CLOSE(s.x[0] * far, -7, 64 * TACT_EPS);
        CHECK(s.global);
        // and 7 <= -s x <= 1, which nothing satisfies
        const tact_quadratic apart[2] = {{0, 1, NULL, &low, -7}, {0, 1, NULL, &high, 1}};
        problem.constraint = apart;
        CHECK_INT(solve(&problem, 100, 1, &s), TACT_INFEASIBLE);
    }
}

// Terms whose sum leaves the numbers satisfy no constraint, though the terms alone may cancel: 39/16 x1 x2 + 61/32 = 0 far out.
static void test_far_out(void) {
    const tact_triplet product[2] = {{1, 2, TACT_REAL(2.4375)}, {2, 1, TACT_REAL(2.4375)}};
    const tact_quadratic row = {2, 0, product, NULL, TACT_REAL(1.90625)};
    const bool equality[2] = {true, false};
    tact_qcqp problem = {.n = 3, .ncon = 1, .constraint = &row, .equality = equality};
    tact_real x[3] = {0, TACT_REAL(-0.5), TACT_REAL(61.0 / 39)};
    CHECK(tact_qcqp_violation(&problem, x) <= 4 * TACT_EPS);
    for (int side = 0; side < 2; side++) {
        x[2] = -TACT_REAL(0.48) * TACT_MAX;
        x[1] = 61 / (78 * TACT_REAL(0.48)) / TACT_MAX;
        CHECK(tact_qcqp_violation(&problem, x) == TACT_MAX);
        x[1] = 4;
        CHECK(tact_qcqp_violation(&problem, x) == TACT_MAX);
        x[1] = (tact_real)NAN;
        CHECK(tact_qcqp_violation(&problem, x) == TACT_MAX);
        problem.equality = equality + 1;
    }
}

// Products of unknowns can be linearised only where both have bounds; without them a local program is given up.
static void test_linearised(void) {
    const tact_triplet product[2] = {{0, 1, 1}, {1, 0, 1}};
    const tact_quadratic row = {2, 0, product, NULL, -1};
    const bool equality = true;
    const tact_real x[2] = {2, 1}, far[] = {TACT_MAX, 3};
    tact_qcqp problem = {.n = 2, .ncon = 1, .objective = row, .constraint = &row, .equality = &equality};
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_box box;
    int products = 0;
    CHECK(tact_box_count(&problem, &products) && products == 1);
    tact_box_place(&box, &problem, products, &arena);
    CHECK(tact_arena_fits(&arena));
    tact_box_load(&box, &problem);
    for (int k = 0; k < 16; k++) {
        box.low[0] = -far[k & 1], box.high[0] = far[k >> 1 & 1], box.low[1] = -far[k >> 2 & 1], box.high[1] = far[k >> 3];
        CHECK(tact_box_linearise(&box, x) == (k == 15));
    }
    // what it says of the product at x, and its range
    CHECK(box.nrow == box.fixed + 1 && box.row[box.fixed].equal && box.row[box.fixed].constant == 2);
    CHECK(box.low[2] <= -9 && box.high[2] >= 9);
    problem.n = 0;
    CHECK(!tact_box_count(&problem, &products));
    problem.n = TACT_BOX_UNKNOWNS + 1;
    CHECK(!tact_box_count(&problem, &products));
}

// Rows far apart that contradict each other only to rounding: 2^50 x >= 1 + y, -2^50 x >= -1 - y - e y holds where y is large,
// and x + y >= 1, -x - y >= -1/2 nowhere, whatever the units.
static void test_near_contradictions(void) {
    for (int power = 0; power <= 50; power += 5) {
        tact_real u = (tact_real)ldexp(1, power), v = (tact_real)ldexp(1, -power), e = 16 * TACT_EPS;
        tact_triplet a[2] = {{-1, 0, u}, {-1, 1, v}}, b[2] = {{-1, 0, -u}, {-1, 1, -v}},
                     c[2] = {{-1, 0, -u}, {-1, 1, -v * (1 - e)}};
        const bool equality[2] = {false, false};
        const tact_quadratic none[2] = {{0, 2, NULL, a, -1}, {0, 2, NULL, b, TACT_REAL(0.5)}};
        const tact_quadratic some[2] = {{0, 2, NULL, a, -1}, {0, 2, NULL, c, TACT_REAL(0.5)}};
        tact_qcqp problem = {.n = 2, .ncon = 2, .constraint = none, .equality = equality};
        tact_qcqp_solution s;
        CHECK_INT(solve(&problem, 100, 1, &s), TACT_INFEASIBLE);
        problem.constraint = some;
        CHECK(solve(&problem, 100, 1, &s) != TACT_INFEASIBLE);
    }
}

int main(void) {
    static program p;
    test_near_contradictions();
    test_far_out();
    test_linearised();
    test_far_steps();
    tally t = {0};
    seed = test_seed(17);
    int count = test_rounds(3000);
    for (int k = 0; k < count; k++) {
        tact_qcqp_solution s;
        double before = fmax(t.outside, fmax(t.above, t.bound));
        make_program(&p);
        int nodes = below(3) ? 1 + below(40) : 300;
        tact_status status = solve(&p.problem, nodes, 1 + below(3), &s);
        judge(&p, status, &s, &t);
        if (fmax(t.outside, fmax(t.above, t.bound)) > fmax(before, FEASIBLE))
            printf("    problem %d: %s, outside by %.2g, above by %.2g, bound by %.2g\n", k, tact_status_name(status), t.outside,
                   t.above, t.bound),
                show_program(&p, &s);
        if (status == TACT_INFEASIBLE && p.exact) show_program(&p, &s);
    }
    printf("%d solved and %d global, outside by %.2g, above a known point by %.2g, bound above it by %.2g; %d infeasible, "
           "%d refused, %d other\n",
           t.solved, t.global, t.outside, t.above, t.bound, t.infeasible, t.refused, t.other);
    CHECK(t.outside <= FEASIBLE && t.above <= GAP && t.bound <= GAP);
    CHECK(3 * t.solved > count && t.global > count / 10 && t.infeasible > count / 50);
    return test_end("qcqp_extremes");
}
