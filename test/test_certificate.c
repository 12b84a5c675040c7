// SPDX-License-Identifier: MIT
// Problems that are built around a known answer to "is there a displacement inside all cones?": a combination y of the cones'
// duals with J'y = 0, and a displacement at which the gaps are complementary to y, less or plus a given depth. Less: the
// contacts contradict each other; none: they only touch; plus: there is room, however little. Certificates are checked by their
// definition in double.
#include "solve/skyline.h"
#include "test.h"
#include "tact/solve.h"

enum { MOST = 64, CONES = 48, BOUNDS = 16 };

typedef struct {
    int n, nc, nb;
    double P[MOST], p[MOST], J[3 * CONES][MOST], c[3 * CONES], mu[CONES], kappa;
    int column[BOUNDS];
    double sign[BOUNDS], limit[BOUNDS];
    double d[MOST], lambda[3 * CONES], force[BOUNDS];
    int max_iterations;  // 0: the default
    tact_barrier_solution info;
} contacts;

static tact_status solve(contacts *a) {
    static tact_real P[MOST], p[MOST], J[3 * CONES * MOST], d[MOST], lambda[3 * CONES], force[BOUNDS];
    static int first[MOST], start[MOST + 1], column[CONES * MOST];
    static tact_cone cone[CONES];
    static tact_bound bound[BOUNDS];
    static unsigned char memory[1 << 20];
    tact_barrier_problem problem = {.n = a->n, .ncone = a->nc, .nbound = a->nb, .P = {a->n, first, start, P}};
    tact_barrier_work work;
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_barrier_place(&work, (tact_barrier_size){a->n, a->nc, a->nb, a->n * a->nc, a->n * (a->n + 1) / 2}, &arena);
    CHECK(tact_arena_fits(&arena));
    for (int i = 0; i < a->n; i++) {
        first[i] = i;
        P[i] = (tact_real)a->P[i];
        p[i] = (tact_real)a->p[i];
    }
    tact_skyline_layout(&problem.P);
    for (int i = 0, at = 0; i < a->nc; i++) {
        cone[i] = (tact_cone){.column = column + at, .J = J + 3 * at, .mu = (tact_real)a->mu[i], .kappa = (tact_real)a->kappa};
        tact_real *to = J + 3 * at;
        for (int j = 0; j < a->n; j++)
            if (a->J[3 * i][j] != 0 || a->J[3 * i + 1][j] != 0 || a->J[3 * i + 2][j] != 0) column[at + cone[i].width++] = j;
        for (int k = 0; k < 3 * cone[i].width; k++)
            to[k] = (tact_real)a->J[3 * i + k / cone[i].width][column[at + k % cone[i].width]];
        for (int k = 0; k < 3; k++) cone[i].c[k] = (tact_real)a->c[3 * i + k];
        at += cone[i].width;
    }
    for (int j = 0; j < a->nb; j++)
        bound[j] = (tact_bound){a->column[j], (tact_real)a->sign[j], (tact_real)a->limit[j], (tact_real)a->kappa};
    problem.p = p;
    problem.cone = cone;
    problem.bound = bound;
    a->info = (tact_barrier_solution){.d = d, .lambda = lambda, .bound_lambda = force};
    tact_barrier_options options = tact_barrier_options_default();
    if (a->max_iterations > 0) options.max_iterations = a->max_iterations;
    tact_status status = tact_barrier_solve(&problem, &options, &work, &a->info);
    for (int i = 0; i < a->n; i++) a->d[i] = (double)d[i];
    for (int i = 0; i < 3 * a->nc; i++) a->lambda[i] = (double)lambda[i];
    for (int j = 0; j < a->nb; j++) a->force[j] = (double)force[j];
    return status;
}

// lambda /= 0 in the cones, J'lambda = 0, c'lambda <= 0; the last two to rounding of their terms
static bool certificate_holds(const contacts *a, double allowed) {
    double value = 0, size = 0, most = 0, worst = 0, any = 0;
    for (int i = 0; i < a->nc; i++) {
        const double *l = a->lambda + 3 * i;
        if (!(a->mu[i] * l[0] * (1 + (double)TACT_EPS) >= hypot(l[1], l[2]) && l[0] >= 0)) return false;
        for (int k = 0; k < 3; k++) {
            value += (double)(tact_real)a->c[3 * i + k] * l[k];
            size += fabs(a->c[3 * i + k] * l[k]);
        }
        any += l[0];
    }
    for (int j = 0; j < a->nb; j++) {
        if (!(a->force[j] >= 0)) return false;
        value += (double)(tact_real)a->limit[j] * a->force[j];
        size += fabs(a->limit[j] * a->force[j]);
        any += a->force[j];
    }
    for (int v = 0; v < a->n; v++) {
        double sum = 0, terms = 0;
        for (int k = 0; k < 3 * a->nc; k++) {
            sum += (double)(tact_real)a->J[k][v] * a->lambda[k];
            terms += fabs(a->J[k][v] * a->lambda[k]);
        }
        for (int j = 0; j < a->nb; j++) {
            sum += a->column[j] == v ? a->sign[j] * a->force[j] : 0;
            terms += a->column[j] == v ? fabs(a->force[j]) : 0;
        }
        worst = fmax(worst, fabs(sum));
        most = fmax(most, terms);
    }
    return any > 0 && worst <= allowed * most && value <= allowed * size;
}

static bool is_inside(const contacts *a) {
    for (int i = 0; i < a->nc; i++) {
        double nu[3];
        for (int k = 0; k < 3; k++) {
            nu[k] = (double)(tact_real)a->c[3 * i + k];
            for (int v = 0; v < a->n; v++) nu[k] += (double)(tact_real)a->J[3 * i + k][v] * a->d[v];
        }
        if (!(nu[0] > a->mu[i] * hypot(nu[1], nu[2]))) return false;
    }
    for (int j = 0; j < a->nb; j++)
        if (!(a->sign[j] * a->d[a->column[j]] + (double)(tact_real)a->limit[j] > 0)) return false;
    return true;
}

// What a family of problems has in common; the depth is relative to the gaps.
typedef struct {
    const char *name;
    int groups;      // contradictions
    bool sparse;     // contacts move few unknowns
    bool deficient;  // J of half the rank
    bool edge;       // forces of the combination on the boundaries of their cones
    double way;      // size of the displacement at which the gaps are given
} family;

static double random_mu(uint64_t *seed) {
    static const double special[] = {0, 0, 10, 1};
    uint64_t draw = test_random_bits(seed) % 8;
    return draw < 4 ? special[draw] : test_random(seed, 0.1, 1.5);
}

static void random_jacobian(uint64_t *seed, const family *of, contacts *a) {
    static double mix[MOST][MOST];
    int rank = of->deficient ? (a->n + 1) / 2 : a->n;
    for (int r = 0; r < rank; r++)
        for (int v = 0; v < a->n; v++) mix[r][v] = of->deficient ? test_random(seed, -1, 1) : r == v;
    for (int i = 0; i < a->nc; i++) {
        int width = of->sparse ? 1 + (int)(test_random_bits(seed) % 6) : rank;
        int at = (int)(test_random_bits(seed) % (uint64_t)rank);
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            for (int v = 0; v < a->n; v++) a->J[k][v] = 0;
            for (int r = 0; r < width; r++) {
                double x = test_random(seed, -1, 1);
                for (int v = 0; v < a->n; v++) a->J[k][v] += x * mix[(at + r) % rank][v];
            }
        }
    }
}

// Forces of contacts first to last whose pull cancels, by the choice of the last one's normal row.
static void contradict(uint64_t *seed, const family *of, contacts *a, int first, int last, double *y) {
    for (int i = first; i <= last; i++) {
        double angle = test_random(seed, 0, 6.28), share = of->edge ? 1 : test_random(seed, 0, 0.9);
        if (a->mu[i] * a->mu[i] == 100) share = of->edge ? 1 : share / 10;
        y[3 * i] = test_random(seed, 0.2, 1);
        y[3 * i + 1] = share * a->mu[i] * y[3 * i] * cos(angle);
        y[3 * i + 2] = share * a->mu[i] * y[3 * i] * sin(angle);
    }
    for (int v = 0; v < a->n; v++) {
        double sum = 0;
        for (int k = 3 * first; k < 3 * last + 3; k++) sum += k == 3 * last ? 0 : a->J[k][v] * y[k];
        a->J[3 * last][v] = -sum / y[3 * last];
    }
}

// Gaps complementary to y, depth further inside; contacts without y have room.
static void place_gaps(uint64_t *seed, const family *of, contacts *a, const double *y, double depth) {
    double at[MOST];
    for (int v = 0; v < a->n; v++) at[v] = of->way * test_random(seed, -1, 1);
    for (int i = 0; i < a->nc; i++) {
        double s[3] = {depth, 0, 0}, along = test_random(seed, 0, 0.1);
        if (y[3 * i] > 0 && of->edge && a->mu[i] > 0) {
            double t = hypot(y[3 * i + 1], y[3 * i + 2]);
            s[0] += along * a->mu[i];
            for (int k = 1; k < 3; k++) s[k] = -along * y[3 * i + k] / t;
        } else if (!(y[3 * i] > 0)) {
            s[0] = test_random(seed, 0.05, 0.2);
            for (int k = 1; k < 3; k++) s[k] = test_random(seed, -0.3, 0.3) * s[0] / (a->mu[i] + 0.1);
        }
        for (int k = 0; k < 3; k++) {
            a->c[3 * i + k] = s[k];
            for (int v = 0; v < a->n; v++) a->c[3 * i + k] -= a->J[3 * i + k][v] * at[v];
        }
    }
}

static void random_contacts(uint64_t *seed, const family *of, contacts *a, double *y) {
    memset(a, 0, sizeof *a);
    a->n = 1 + (int)(test_random_bits(seed) % 60);
    a->nc = 2 + (int)(test_random_bits(seed) % 39);
    a->kappa = pow(10, test_random(seed, 0, sizeof(tact_real) == 8 ? 6 : 3));
    for (int v = 0; v < a->n; v++) {
        a->P[v] = pow(10, test_random(seed, -1, 2));
        a->p[v] = test_random(seed, -10, 10);
    }
    for (int i = 0; i < a->nc; i++) a->mu[i] = random_mu(seed);
    random_jacobian(seed, of, a);
    memset(y, 0, 3 * CONES * sizeof *y);
    for (int g = 0, first = 0; g < of->groups && first + 1 < a->nc; g++) {
        int last = first + 1 + (int)(test_random_bits(seed) % 8);
        if (last > a->nc - 1) last = a->nc - 1;
        contradict(seed, of, a, first, last, y);
        first = last + 1;
    }
}

static const family families[] = {{"dense", 1, false, false, false, 1},    {"sparse", 1, true, false, false, 1},
                                  {"edges", 1, false, false, true, 1},     {"deficient", 1, false, true, false, 1},
                                  {"redundant", 4, true, false, false, 1}, {"redundant edges", 3, false, true, true, 1},
                                  {"far", 1, false, false, false, 100}};

// The residuals that the solver is to report, from what it returned.
static void check_residuals(const contacts *a) {
    double worst = 0, most = 0, off = 0;
    for (int v = 0; v < a->n; v++) {
        double g = a->P[v] * a->d[v] + a->p[v], size = fabs(a->p[v]);
        for (int k = 0; k < 3 * a->nc; k++) {
            g -= a->J[k][v] * a->lambda[k];
            size += fabs(a->J[k][v] * a->lambda[k]);
        }
        worst = fmax(worst, fabs(g));
        most = fmax(most, fmax(size, fabs(g)));
    }
    for (int i = 0; i < a->nc; i++) {
        double product = 0;
        for (int k = 3 * i; k < 3 * i + 3; k++) {
            double nu = a->c[k];
            for (int v = 0; v < a->n; v++) nu += a->J[k][v] * a->d[v];
            product += nu * a->lambda[k];
        }
        off = fmax(off, fabs(a->kappa * product / 2 - 1));
    }
    double allowed = sizeof(tact_real) == 8 ? 1e-6 : 1e-2;
    CHECK(fabs((double)a->info.balance - worst / most) <= allowed * (1e-3 + worst / most));
    CHECK((double)a->info.decrement >= off * (1 - allowed) - allowed);
}

typedef struct {
    int converged, limit, infeasible, undecided, iterations, most, count;
} tally;

// What every ending has to keep, whatever the problem.
static tact_status solve_honestly(contacts *a, bool has_room, tally *sum) {
    tact_status status = solve(a);
    int budget = a->max_iterations > 0 ? a->max_iterations : tact_barrier_options_default().max_iterations;
    CHECK(a->info.iterations <= budget);
    CHECK(status >= 0 || status == TACT_INFEASIBLE || status == TACT_UNDECIDED);
    if (has_room) CHECK(status != TACT_INFEASIBLE);
    if (status >= 0) CHECK(is_inside(a));
    if (status == TACT_INFEASIBLE) CHECK(certificate_holds(a, sizeof(tact_real) == 8 ? 1e-12 : 3e-4));
    if (status == TACT_ITERATION_LIMIT) check_residuals(a);
    sum->count++;
    sum->converged += status == TACT_CONVERGED;
    sum->limit += status == TACT_ITERATION_LIMIT;
    sum->infeasible += status == TACT_INFEASIBLE;
    sum->undecided += status == TACT_UNDECIDED;
    sum->iterations += a->info.iterations;
    if (a->info.iterations > sum->most) sum->most = a->info.iterations;
    return status;
}

static void print(const char *name, const tally *sum) {
    printf("%-24s %5d: %5d converged, %4d iteration_limit, %5d infeasible, %3d undecided; %.1f iterations, at most %d\n", name,
           sum->count, sum->converged, sum->limit, sum->infeasible, sum->undecided,
           (double)sum->iterations / (sum->count > 0 ? sum->count : 1), sum->most);
}

// The same contacts with less and less depth: apart by construction, touching, with less and less room.
static void test_families(int count) {
    uint64_t seed = test_seed(11);
    static contacts a;
    double y[3 * CONES];
    static const double depths[] = {-1e-1, -1e-3, -1e-6, 0, 1e-8, 1e-6, 1e-3};
    // in single precision depths below 1e-4 are rounding of the data
    double least = sizeof(tact_real) == 8 ? 0 : 1e-4;
    tally apart = {0}, touching = {0}, thin = {0}, room = {0};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
        for (size_t k = 0; k < sizeof depths / sizeof *depths; k++)
            for (int i = 0; i < count; i++) {
                random_contacts(&seed, &families[f], &a, y);
                place_gaps(&seed, &families[f], &a, y, depths[k] * families[f].way);
                if (depths[k] != 0 && fabs(depths[k]) < least) continue;
                tally *sum = depths[k] < 0 ? &apart : depths[k] == 0 ? &touching : depths[k] < 1e-4 ? &thin : &room;
                tact_status status = solve_honestly(&a, depths[k] > 0, sum);
                if (depths[k] < 0) CHECK(status < 0);
            }
    print("contradictions", &apart);
    print("touching", &touching);
    print("1e-8 and 1e-6 of room", &thin);
    print("1e-3 of room", &room);
    bool exact = sizeof(tact_real) == 8;
    CHECK(apart.undecided * (exact ? 100 : 10) <= apart.count);
    // of what touches, rounding of the data decides; a proof that rests on its own rounding is none
    CHECK(touching.converged == 0);
    CHECK(thin.undecided * 50 <= thin.count);
    if (exact) CHECK(room.converged * 500 >= 499 * room.count);
}

// Every budget is kept, and what it did not suffice for is said.
static void test_budgets(int count) {
    uint64_t seed = test_seed(12);
    static contacts a;
    double y[3 * CONES];
    tally sum = {0};
    for (int i = 0; i < count; i++) {
        const family *of = &families[(size_t)i % (sizeof families / sizeof *families)];
        double depth = of->way * (i % 2 ? 1 : -1) * pow(10, test_random(&seed, sizeof(tact_real) == 8 ? -6 : -2, -1));
        random_contacts(&seed, of, &a, y);
        place_gaps(&seed, of, &a, y, depth);
        a.max_iterations = 1 + (int)(test_random_bits(&seed) % 40);
        tact_status status = solve_honestly(&a, depth > 0, &sum);
        if (depth < 0) CHECK(status < 0);
    }
    print("small budgets", &sum);
}

// A point between two walls that face each other, in all directions, with friction or without: numbers that are exact.
static void walls(contacts *a, double mu, double clearance, int direction) {
    memset(a, 0, sizeof *a);
    a->n = 3;
    a->nc = 2;
    a->kappa = 1000;
    for (int v = 0; v < 3; v++) {
        a->P[v] = 1;
        a->p[v] = 0.5 - v;
        for (int k = 0; k < 3; k++) {
            a->J[k][(v + direction) % 3] = k == v;
            a->J[3 + k][(v + direction) % 3] = k == v ? (k == 1 ? 1 : -1) : 0;
        }
    }
    a->mu[0] = a->mu[1] = mu;
    a->c[0] = 0.25;
    a->c[3] = clearance - 0.25;
}

// An unknown between its limits.
static void limits(contacts *a, double clearance, int unknown) {
    memset(a, 0, sizeof *a);
    a->n = 3;
    a->nb = 4;
    a->kappa = 1000;
    for (int v = 0; v < 3; v++) a->P[v] = 1;
    a->p[unknown] = 2;
    for (int j = 0; j < 4; j++) {
        a->column[j] = j < 2 ? unknown : (unknown + 1) % 3;
        a->sign[j] = j % 2 ? -1 : 1;
        a->limit[j] = j < 2 ? (j % 2 ? 0.125 + clearance : -0.125) : 1;
    }
}

// A sphere in a funnel of three walls, held down by a fourth.
static void funnel(contacts *a, double mu, double clearance) {
    static const double normal[4][3] = {{1, 0, 0.5}, {-0.5, 1, 0.5}, {-0.5, -1, 0.5}, {0, 0, -1}};
    memset(a, 0, sizeof *a);
    a->n = 3;
    a->nc = 4;
    a->kappa = 100;
    for (int v = 0; v < 3; v++) a->P[v] = 1 + v;
    for (int i = 0; i < 4; i++) {
        a->mu[i] = mu;
        // the tangents do not matter for the alternative as long as the walls are without friction
        for (int v = 0; v < 3; v++) a->J[3 * i][v] = normal[i][v];
        a->c[3 * i] = i == 3 ? clearance : 0;
    }
}

static void check_exact(contacts *a, double clearance) {
    tally sum = {0};
    tact_status status = solve_honestly(a, clearance > 0, &sum);
    if (clearance > 0) CHECK_INT(status, TACT_CONVERGED);
    if (clearance < 0) CHECK_INT(status, TACT_INFEASIBLE);
    // forces that balance but for their last digit prove nothing of walls that touch
    if (clearance == 0) CHECK(status == TACT_INFEASIBLE || status == TACT_UNDECIDED);
}

static void test_exact(void) {
    static contacts a;
    static const double mu[] = {0, 0.5, 1, 10};
    for (int step = -1; step <= 1; step++) {
        double clearance = step * (sizeof(tact_real) == 8 ? 0x1p-20 : 0x1p-6);
        for (int i = 0; i < 4; i++)
            for (int direction = 0; direction < 3; direction++) {
                walls(&a, mu[i], clearance, direction);
                check_exact(&a, clearance);
            }
        for (int unknown = 0; unknown < 3; unknown++) {
            limits(&a, clearance, unknown);
            check_exact(&a, clearance);
        }
        for (int i = 0; i < 4; i++) {
            funnel(&a, mu[i], clearance);
            check_exact(&a, clearance);
        }
    }
    // nothing but zeros: a single contact that nothing can open
    memset(&a, 0, sizeof a);
    a.n = a.nc = 1;
    a.P[0] = a.kappa = 1;
    check_exact(&a, 0);
}

int main(void) {
    int count = test_rounds(10);
    test_families(count);
    test_budgets(20 * count);
    test_exact();
    return test_end("certificate");
}
