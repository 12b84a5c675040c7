// SPDX-License-Identifier: MIT
// Exact Coulomb friction: closed forms, problems solved elsewhere (../shared/oracle, where it is there), random stacks and
// piles judged by a natural map of this file's own, derivatives against difference quotients.
#include "tact/friction.h"

#include "scene/json.h"
#include "scene/reader.h"
#include "scene/text.h"
#include "test.h"

enum { MOST = 110, ROWS = 3 * MOST };

#ifdef TACT_FLOAT
#define NEAR 1e-3
#define EXACT 1e-5
#define JUDGED 1e-4
#else
#define NEAR 1e-6
#define EXACT 1e-12
#define JUDGED 1e-8
#endif

static tact_friction_work work;
static void *memory;
static tact_real W[ROWS * ROWS], q[ROWS], mu[MOST], r[ROWS], u[ROWS];

static void open_work(int nc, int blocks) {
    tact_arena arena = {0};
    tact_friction_place(&work, nc, blocks, &arena);
    memory = malloc(arena.used);
    arena = (tact_arena){.memory = memory, .size = arena.used};
    tact_friction_place(&work, nc, blocks, &arena);
    CHECK(tact_arena_fits(&arena));
}

static tact_friction_problem problem_of(int nc) {
    tact_friction_problem problem = {.nc = nc, .W = W, .q = q, .mu = mu};
    return problem;
}

static tact_status solve(const tact_friction_problem *problem, tact_friction_solution *solution) {
    tact_friction_options options = tact_friction_options_default();
    *solution = (tact_friction_solution){.r = r, .u = u};
    return tact_friction_solve(problem, &options, &work, solution);
}

static double norm2(double x, double y) {
    return sqrt(x * x + y * y);
}

// max |r - P(r - (u + mu |u_t| n) / |W_ii|)| / max |r| of cones with a dense W, in double; also the largest breach of the cone
static double judge(int nc, double *outside) {
    double worst = 0, most = 0;
    *outside = 0;
    for (int i = 0; i < nc; i++) {
        double v[3], size = 0, z[3], m = (double)mu[i];
        for (int k = 0; k < 3; k++) {
            v[k] = (double)q[3 * i + k];
            for (int j = 0; j < 3 * nc; j++) v[k] += (double)W[(3 * i + k) * 3 * nc + j] * (double)r[j];
            for (int l = 0; l < 3; l++) size += pow((double)W[(3 * i + k) * 3 * nc + 3 * i + l], 2);
            most = fmax(most, fabs((double)r[3 * i + k]));
        }
        v[0] += m * norm2(v[1], v[2]);
        for (int k = 0; k < 3; k++) z[k] = (double)r[3 * i + k] - v[k] / sqrt(size);
        double t = norm2(z[1], z[2]), n = fmax(0, (z[0] + m * t) / (1 + m * m));
        if (t > m * z[0]) {
            z[0] = n;
            for (int k = 1; k < 3; k++) z[k] *= t > 0 ? m * n / t : 0;
        }
        for (int k = 0; k < 3; k++) worst = fmax(worst, fabs((double)r[3 * i + k] - z[k]));
        *outside = fmax(*outside, norm2((double)r[3 * i + 1], (double)r[3 * i + 2]) - m * (double)r[3 * i]);
    }
    *outside /= most > 0 ? most : 1;
    return most > 0 ? worst / most : worst;
}

static void one_contact(tact_real w, const tact_real velocity[3], tact_real friction) {
    for (int k = 0; k < 9; k++) W[k] = k % 4 == 0 ? w : 0;
    for (int k = 0; k < 3; k++) q[k] = velocity[k];
    mu[0] = friction;
}

// a ball that hits the ground: W is a multiple of the identity
static void test_single(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(1);
    one_contact(2, (tact_real[]){1, 3, 4}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int k = 0; k < 3; k++) CHECK(r[k] == 0 && u[k] == q[k]);
    one_contact(2, (tact_real[]){-4, TACT_REAL(0.3), TACT_REAL(-0.4)}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(r[k], -q[k] / 2, EXACT);
    // slides: r_n = 2, |r_t| = 1 against (3, 4)
    one_contact(2, (tact_real[]){-4, 3, 4}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0], 2, EXACT);
    CHECK_CLOSE(r[1], -0.6, EXACT);
    CHECK_CLOSE(r[2], -0.8, EXACT);
    CHECK_INT(s.iterations, 0);
    one_contact(2, (tact_real[]){-4, 3, 4}, 0);
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(r[1] == 0 && r[2] == 0);
    CHECK_CLOSE(r[0], 2, EXACT);
    problem.nc = 0;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
}

static void test_refused(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(1);
    one_contact(1, (tact_real[]){-1, 0, 0}, 1);
    q[1] = (tact_real)NAN;
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    one_contact((tact_real)INFINITY, (tact_real[]){-1, 0, 0}, 1);
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    problem.nc = MOST + 1;
    CHECK_INT(solve(&problem, &s), TACT_NO_MEMORY);
    // nothing moves, and the gap closes
    problem.nc = 1;
    one_contact(0, (tact_real[]){-1, 0, 0}, 1);
    CHECK(solve(&problem, &s) != TACT_CONVERGED);
}

// a body of mass 1 between two walls that close
static void test_infeasible(void) {
    tact_friction_solution s;
    tact_friction_problem problem = problem_of(2);
    for (int k = 0; k < 36; k++) W[k] = k % 7 == 0 || k == 11 || k == 16 || k == 26 || k == 31 ? 1 : 0;
    W[3] = W[18] = -1;
    for (int k = 0; k < 6; k++) q[k] = k % 3 ? 0 : TACT_REAL(-0.5);
    mu[0] = mu[1] = TACT_REAL(0.5);
    CHECK_INT(solve(&problem, &s), TACT_INFEASIBLE);
    CHECK(r[0] > 0 && r[3] > 0);
    CHECK_CLOSE(r[0] / r[3], 1, NEAR);
    // walls that stand still, and a body at rest between them: any squeeze will do
    q[0] = q[3] = 0;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    // one of them leaves
    q[0] = TACT_REAL(-0.5);
    q[3] = 1;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0] - r[3], 0.5, NEAR);
}

// W = H M^-1 H' for bodies of six degrees of freedom with contacts to the ground (-1) or to each other
typedef struct {
    int nb, nc;
    double mass[12], H[ROWS][72], v[72];
} pile;

static void push(pile *p, int body, const double at[3], int sign) {
    // frame: normal z, tangents x, y; angular velocity about the centre of the body
    static const int axis[3] = {2, 0, 1};
    for (int k = 0; k < 3; k++) {
        double *row = p->H[3 * p->nc + k];
        int a = axis[k], b = (a + 1) % 3, c = (a + 2) % 3;
        row[6 * body + a] += sign;
        row[6 * body + 3 + b] += sign * at[c];
        row[6 * body + 3 + c] -= sign * at[b];
    }
}

// boxes of 1 m upon each other, each touching the one below with four corners
static void make_stack(pile *p, int count, double ratio, uint64_t *seed, double kick) {
    memset(p, 0, sizeof *p);
    p->nb = count;
    for (int b = 0; b < count; b++) {
        p->mass[b] = pow(ratio, (double)b / (count > 1 ? count - 1 : 1));
        for (int k = 0; k < 4; k++) {
            double at[3] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5};
            push(p, b, at, 1);
            at[2] = 0.5;
            if (b > 0) push(p, b - 1, at, -1);
            p->nc++;
        }
        for (int k = 0; k < 6; k++) p->v[6 * b + k] = kick * test_random(seed, -1, 1) - (k == 2 ? 0.0981 : 0);
    }
}

static void assemble(const pile *p, double friction) {
    int n = 3 * p->nc;
    for (int i = 0; i < n; i++) {
        mu[i / 3] = (tact_real)friction;
        double sum = 0;
        for (int k = 0; k < 6 * p->nb; k++) sum += p->H[i][k] * p->v[k];
        q[i] = (tact_real)sum;
        for (int j = 0; j < n; j++) {
            sum = 0;
            for (int k = 0; k < 6 * p->nb; k++) sum += p->H[i][k] * p->H[j][k] / p->mass[k / 6] * (k % 6 < 3 ? 1 : 6);
            W[i * n + j] = (tact_real)sum;
        }
    }
}

// kinetic energy after the impulses less that before
static double gained(const pile *p) {
    double before = 0, after = 0;
    for (int k = 0; k < 6 * p->nb; k++) {
        double m = p->mass[k / 6] / (k % 6 < 3 ? 1 : 6), v = p->v[k];
        before += m * v * v;
        for (int i = 0; i < 3 * p->nc; i++) v += p->H[i][k] * (double)r[i] / m;
        after += m * v * v;
    }
    return after / before - 1;
}

static void test_stacks(void) {
    uint64_t seed = test_seed(5);
    static pile p;
    int solved = 0, count = 0;
    double worst = 0, outside, most = 0;
    for (int k = 0; k < 60; k++) {
        double ratio = k % 3 == 0 ? 1 : k % 3 == 1 ? 30 : 1000, kick = k % 2 ? test_random(&seed, 0, 1) : 0;
        make_stack(&p, 1 + k % 10, sizeof(tact_real) == 4 ? sqrt(ratio) : ratio, &seed, kick);
        assemble(&p, k % 5 == 0 ? 0 : test_random(&seed, 0.1, 1));
        tact_friction_problem problem = problem_of(p.nc);
        tact_friction_solution s;
        count++;
        if (solve(&problem, &s) != TACT_CONVERGED) continue;
        solved++;
        worst = fmax(worst, judge(p.nc, &outside));
        most = fmax(most, outside);
        CHECK(gained(&p) < NEAR);
        double load = 0;
        for (int i = 0; i < 4; i++) load += (double)r[3 * i];
        double weight = 0;
        for (int b = 0; b < p.nb; b++) weight += 0.0981 * p.mass[b];
        if (kick == 0) CHECK_CLOSE(load / weight, 1, 20 * NEAR);
    }
    printf("%d of %d stacks, residual at most %.1e, outside the cone by %.1e\n", solved, count, worst, most);
    CHECK(sizeof(tact_real) == 4 || solved == count);
    CHECK(solved >= count * 9 / 10);
    CHECK(worst < JUDGED && most < 10 * (double)TACT_EPS);
}

// the same bits from blocks
static void test_blocks(void) {
    uint64_t seed = 3;
    static pile p;
    static tact_real block[9 * MOST * MOST], copy[ROWS];
    static int start[MOST + 1], column[MOST * MOST];
    make_stack(&p, 6, 10, &seed, 0.3);
    assemble(&p, 0.4);
    tact_friction_problem problem = problem_of(p.nc);
    tact_friction_solution s;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    memcpy(copy, r, sizeof r);
    int count = 0, n = 3 * p.nc;
    for (int i = 0; i < p.nc; i++) {
        start[i] = count;
        for (int j = 0; j < p.nc; j++) {
            if (j / 4 > i / 4 + 1 || i / 4 > j / 4 + 1) continue;
            for (int k = 0; k < 9; k++) block[9 * count + k] = W[(3 * i + k / 3) * n + 3 * j + k % 3];
            column[count++] = j;
        }
    }
    start[p.nc] = count;
    problem.row_start = start;
    problem.column = column;
    problem.W = block;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(memcmp(copy, r, sizeof(tact_real) * (size_t)n) == 0);
    // from the answer there is nothing to do
    tact_friction_options options = tact_friction_options_default();
    options.warm = true;
    CHECK_INT(tact_friction_solve(&problem, &options, &work, &s), TACT_CONVERGED);
    CHECK(s.iterations <= 2 && s.sweeps == 0);
    CHECK_CLOSE(tact_friction_residual(&problem, &work, r, u), s.residual, 1e-15);
}

// a mass of 2 on the ground, driven along x with at most 3 N s, held at y, stopped from below at z by a limit, rows coupled
static void test_rows(void) {
    tact_real low[6] = {-3, -TACT_MAX, 0, 0, 0, 0}, high[6] = {3, TACT_MAX, TACT_MAX, 0, 0, 0};
    tact_friction_problem problem = problem_of(1);
    tact_friction_solution s;
    problem.low = low;
    problem.high = high;
    for (int k = 0; k < 9; k++) W[k] = k % 4 == 0 ? TACT_REAL(0.5) : TACT_REAL(0.1);
    mu[0] = -1;
    q[0] = 10;
    q[1] = -2;
    q[2] = -1;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[0], -3, EXACT);
    CHECK_CLOSE(u[1], 0, EXACT);
    CHECK_CLOSE(u[2], 0, EXACT);
    // 0.5 y + 0.1 z = 2.3, 0.1 y + 0.5 z = 1.3
    CHECK_CLOSE(r[1], (0.5 * 2.3 - 0.1 * 1.3) / 0.24, 10 * EXACT);
    CHECK_CLOSE(r[2], (0.5 * 1.3 - 0.1 * 2.3) / 0.24, 10 * EXACT);
    q[2] = 3;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK(r[2] == 0 && u[2] > 0);
    low[0] = 4;
    CHECK_INT(solve(&problem, &s), TACT_BAD_INPUT);
    // with a contact that slides: the drive pushes against the friction of a mass of 1
    for (int k = 0; k < 36; k++) W[k] = 0;
    W[0] = W[7] = W[14] = 1;
    W[21] = W[6 + 3] = W[18 + 1] = 1;
    q[0] = -1;
    q[1] = q[2] = 0;
    q[3] = -5;
    q[4] = q[5] = 0;
    mu[0] = TACT_REAL(0.5);
    mu[1] = -1;
    tact_real lows[6] = {0, 0, 0, -2, 0, 0}, highs[6] = {0, 0, 0, 2, 0, 0};
    q[1] = -5;
    problem = (tact_friction_problem){.nc = 2, .W = W, .q = q, .mu = mu, .low = lows, .high = highs};
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_CLOSE(r[3], 2, EXACT);
    CHECK_CLOSE(r[1], 0.5, EXACT);
    CHECK_CLOSE(u[1], -2.5, EXACT);
}

static void test_derivative(void) {
    uint64_t seed = test_seed(11);
    static pile p;
    static tact_real dw[ROWS], dr[ROWS], dmu[MOST], base[ROWS], g[ROWS], by_q[ROWS], by_mu[MOST], q0[ROWS], mu0[MOST];
    tact_friction_mode mode[MOST], beside[MOST];
    int modes[3] = {0, 0, 0}, kinks = 0, compared = 0;
    for (int k = 0; k < 40; k++) {
        // three points of a box: W is regular but for the last
        make_stack(&p, 1, 1, &seed, 0.5);
        p.nc = 2;
        assemble(&p, test_random(&seed, 0.05, 1));
        for (int i = 0; i < 6; i++) W[7 * i] += TACT_REAL(0.2);
        tact_friction_problem problem = problem_of(2);
        tact_friction_solution s;
        tact_friction_derivative d = {.mode = mode};
        CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
        CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
        for (int i = 0; i < 2; i++) modes[mode[i]]++;
        kinks += d.kink;
        if (d.kink) continue;
        CHECK(!d.redundant);
        bool same = true;
        double forward = 0, reverse = 0, h = sizeof(tact_real) == 4 ? 2e-3 : 1e-6;
        for (int i = 0; i < 6; i++) {
            dw[i] = (tact_real)test_random(&seed, -1, 1);
            g[i] = (tact_real)test_random(&seed, -1, 1);
            dmu[i / 3] = (tact_real)test_random(&seed, -1, 1);
        }
        tact_friction_forward(&d, dw, dmu, dr);
        tact_friction_reverse(&d, g, by_q, by_mu);
        for (int i = 0; i < 6; i++) {
            forward += (double)(g[i] * dr[i]);
            reverse += (double)(by_q[i] * dw[i]);
        }
        for (int i = 0; i < 2; i++) reverse += (double)(by_mu[i] * dmu[i]);
        CHECK_CLOSE(forward, reverse, 100 * EXACT);
        memcpy(q0, q, sizeof q);
        memcpy(mu0, mu, sizeof mu);
        for (int side = -1; side < 2; side += 2) {
            for (int i = 0; i < 6; i++) q[i] = q0[i] + (tact_real)(side * h) * dw[i];
            for (int i = 0; i < 2; i++) mu[i] = mu0[i] + (tact_real)(side * h) * dmu[i];
            CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
            if (side < 0) memcpy(base, r, sizeof r);
            d.mode = beside;
            CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
            same = same && mode[0] == beside[0] && mode[1] == beside[1];
        }
        compared += same;
        if (!same) continue;
        for (int i = 0; i < 6; i++) CHECK_CLOSE((double)(r[i] - base[i]) / (2 * h), dr[i], sizeof(tact_real) == 4 ? 0.1 : 1e-5);
    }
    printf("modes: %d separating, %d sticking, %d sliding; %d kinks; %d compared\n", modes[0], modes[1], modes[2], kinks,
           compared);
    CHECK(modes[0] > 0 && modes[1] > 0 && modes[2] > 0 && kinks < 4 && compared > 20);
}

static void test_kinks(void) {
    tact_friction_solution s;
    tact_friction_mode mode[4];
    tact_friction_derivative d = {.mode = mode};
    tact_friction_problem problem = problem_of(1);
    // at the angle of friction
    one_contact(1, (tact_real[]){-2, 1, 0}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.kink);
    // resting without weight
    one_contact(1, (tact_real[]){0, 1, 0}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.kink);
    // four legs: impulses are not unique, velocities are
    uint64_t seed = 1;
    static pile p;
    static tact_real dr[ROWS];
    make_stack(&p, 1, 1, &seed, 0);
    p.v[3] = 0.001;
    assemble(&p, 2);
    problem.nc = 4;
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    CHECK_INT(tact_friction_linearise(&problem, r, &work, &d), TACT_CONVERGED);
    CHECK(d.redundant && !d.kink);
    tact_real dw[12];
    for (int i = 0; i < 12; i++) dw[i] = (tact_real)p.H[i][2];
    tact_friction_forward(&d, dw, NULL, dr);
    for (int i = 0; i < 12; i++) {
        double du = (double)dw[i];
        for (int j = 0; j < 12; j++) du += (double)(W[12 * i + j] * dr[j]);
        CHECK_CLOSE(du, 0, sizeof(tact_real) == 4 ? 1e-2 : 1e-6);
    }
}

// What z of a polygon's problem leaves undone: max |min(z, M z + p)|
static double polygon_gap(const tact_friction_problem *problem, int facets, const tact_real *z) {
    static tact_real M[200 * 200], at[200];
    int n = tact_friction_polygon_count(problem, facets);
    tact_friction_polygon polygon = {.M = M, .p = at};
    double worst = 0;
    tact_friction_polygon_fill(problem, facets, &polygon);
    for (int i = 0; i < n; i++) {
        double w = (double)at[i];
        for (int j = 0; j < n; j++) w += (double)(M[i * n + j] * z[j]);
        worst = fmax(worst, fabs(fmin(w, (double)z[i])));
    }
    return worst;
}

// The exact answer, written in the polygon's unknowns, answers the polygon's problem the better the more facets there are.
static void test_polygon(void) {
    tact_friction_problem problem = problem_of(1);
    tact_friction_solution s;
    double last = 1;
    static tact_real z[200], back[3];
    for (int k = 0; k < 9; k++) W[k] = (tact_real)((double[]){2, 0.3, -0.2, 0.3, 1, 0.1, -0.2, 0.1, 1.5})[k];
    q[0] = -1;
    q[1] = 2;
    q[2] = TACT_REAL(0.7);
    mu[0] = TACT_REAL(0.6);
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    for (int facets = 4; facets <= 128; facets *= 2) {
        double step = 2 * 3.14159265358979323846 / facets, angle = atan2((double)r[2], (double)r[1]), length;
        int j = (int)floor((angle < 0 ? angle + facets * step : angle) / step + 0.5) % facets;
        memset(z, 0, sizeof z);
        length = norm2((double)r[1], (double)r[2]);
        z[0] = r[0];
        z[1 + j] = (tact_real)length;
        z[facets + 1] = (tact_real)(norm2((double)u[1], (double)u[2]) * cos(angle - j * step));
        double gap = polygon_gap(&problem, facets, z);
        CHECK(gap < 4.0 / facets);
        last = gap;
        tact_friction_polygon_read(&problem, facets, z, back);
        CHECK_CLOSE(back[0], r[0], EXACT);
        CHECK_CLOSE(norm2((double)back[1], (double)back[2]), length, EXACT);
    }
    CHECK(last < 0.02);
    // along a direction it is exact
    one_contact(2, (tact_real[]){-4, 0, 3}, TACT_REAL(0.5));
    CHECK_INT(solve(&problem, &s), TACT_CONVERGED);
    memset(z, 0, sizeof z);
    z[0] = 2;
    z[4] = 1;
    z[5] = 1;
    CHECK_CLOSE(polygon_gap(&problem, 4, z), 0, EXACT);
    tact_friction_polygon_read(&problem, 4, z, back);
    for (int k = 0; k < 3; k++) CHECK_CLOSE(back[k], r[k], EXACT);
}

static int read_vector(const tact_json *json, int object, const char *key, tact_real *out, int most) {
    int node = tact_json_find(json, object, key), count = node < 0 ? 0 : tact_json_length(json, node);
    CHECK(count <= most);
    CHECK(count > most || tact_json_get_vector(json, node, count, tact_range_any(), out));
    return count;
}

static void check_oracle(const tact_json *json, int *solved) {
    static tact_real data[9 * MOST * MOST], indices[9 * MOST * MOST], indptr[ROWS + 1];
    int nc = read_vector(json, 0, "mu", mu, MOST), sparse = tact_json_find(json, 0, "W_csr");
    CHECK_INT(read_vector(json, 0, "q", q, ROWS), 3 * nc);
    memset(W, 0, sizeof W);
    if (sparse >= 0) {
        read_vector(json, sparse, "data", data, 9 * MOST * MOST);
        read_vector(json, sparse, "indices", indices, 9 * MOST * MOST);
        read_vector(json, sparse, "indptr", indptr, ROWS + 1);
        for (int i = 0; i < 3 * nc; i++)
            for (int k = (int)indptr[i]; k < (int)indptr[i + 1]; k++) W[i * 3 * nc + (int)indices[k]] += data[k];
    } else {
        CHECK_INT(read_vector(json, 0, "W", W, ROWS * ROWS), 9 * nc * nc);
    }
    tact_friction_problem problem = problem_of(nc);
    tact_friction_solution s;
    tact_status status = solve(&problem, &s);
    double outside = 0, residual = judge(nc, &outside);
    bool good = status == TACT_CONVERGED && residual <= JUDGED && outside <= 10 * (double)TACT_EPS;
    if (!good && sizeof(tact_real) == 8)
        printf("%s: %s, residual %.1e\n", json->nodes[tact_json_find(json, 0, "name")].item->valuestring,
               tact_status_name(status), residual);
    *solved += good;
}

static void test_oracle(void) {
    tact_errors errors = {0};
    tact_text text = {0};
    int count = 0, solved = 0;
    if (!tact_text_read(&text, "../shared/oracle/friction.jsonl", TACT_TEXT_LIMIT, &errors)) {
        printf("../shared/oracle/friction.jsonl is not there: skipped\n");
        return;
    }
    for (const char *at = text.bytes; at && *at;) {
        const char *end = strchr(at, '\n');
        tact_json json;
        tact_source line = {"friction.jsonl", at, end ? (size_t)(end - at) : strlen(at), 1};
        CHECK(tact_json_read(&json, line, &errors));
        check_oracle(&json, &solved);
        count++;
        tact_json_free(&json);
        at = end ? end + 1 : NULL;
    }
    tact_text_free(&text);
    printf("%d of %d problems solved elsewhere\n", solved, count);
    CHECK(sizeof(tact_real) == 4 || solved == count);
}

int main(void) {
    open_work(MOST, MOST * MOST);
    test_single();
    test_refused();
    test_infeasible();
    test_stacks();
    test_blocks();
    test_rows();
    test_derivative();
    test_kinks();
    test_polygon();
    test_oracle();
    free(memory);
    return test_end("friction");
}
