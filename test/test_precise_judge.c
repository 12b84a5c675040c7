// SPDX-License-Identifier: MIT
// The judge of answers to barrier problems: a right answer passes, each way of being wrong is found, and what can be mended is.
#include "math/elementary.h"
#include "solve/precise_parts.h"
#include "solve/skyline.h"
#include "test.h"

// min 1/2 d'P d + p'd over a cone along z, kappa 100, mu 0.5, worked backwards from a solution
typedef struct {
    tact_barrier_problem problem;
    tact_barrier_solution solution;
    tact_barrier_options options;
    tact_precise_work work;
    tact_cone cone;
    int first[3], start[4];
    tact_real P[6], p[3], d[3], lambda[3];
    unsigned char memory[1 << 14];
} fixture;

static void solve(fixture *f, bool full) {
    static const tact_real J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, d[3] = {TACT_REAL(0.25), TACT_REAL(-0.125), 1};
    static const int column[3] = {0, 1, 2};
    memset(f, 0, sizeof *f);
    f->cone = (tact_cone){.width = 3, .column = column, .J = J, .c = {TACT_REAL(0.5), 0, 0}, .mu = TACT_REAL(0.5), .kappa = 100};
    f->problem = (tact_barrier_problem){.n = 3, .ncone = 1, .P = {3, f->first, f->start, f->P}, .p = f->p, .cone = &f->cone};
    f->options = tact_barrier_options_default();
    f->solution = (tact_barrier_solution){.d = f->d, .lambda = f->lambda};
    tact_arena arena = {.memory = f->memory, .size = sizeof f->memory};
    tact_precise_place(&f->work, (tact_barrier_size){.n = 3, .ncone = 1, .columns = 3, .envelope = 6}, &arena);
    CHECK(tact_arena_fits(&arena));
    for (int i = 0; i < 3; i++) f->first[i] = full ? 0 : i;
    tact_skyline_layout(&f->problem.P);
    for (int i = 0; i < 3; i++) *tact_skyline_diagonal(&f->problem.P, i) = 2;
    if (full) tact_skyline_row(&f->problem.P, 1)[0] = TACT_REAL(0.5);
    for (int i = 0; i < 3; i++) f->d[i] = d[i];
    // lambda = a (nu_n, -mu^2 nu_t) with a = 2 / (kappa (nu_n^2 - mu^2 |nu_t|^2))
    tact_real n = d[2] + f->cone.c[0], s = n * n - (d[0] * d[0] + d[1] * d[1]) / 4, a = 2 / (100 * s);
    f->lambda[0] = a * n;
    f->lambda[1] = -a * d[0] / 4;
    f->lambda[2] = -a * d[1] / 4;
    tact_real coupled[2] = {full ? TACT_REAL(0.5) * d[1] : 0, full ? TACT_REAL(0.5) * d[0] : 0};
    f->p[0] = f->lambda[1] - 2 * d[0] - coupled[0];
    f->p[1] = f->lambda[2] - 2 * d[1] - coupled[1];
    f->p[2] = f->lambda[0] - 2 * d[2];
}

// What an answer is worth as it stands.
static tact_status judge(fixture *f) {
    f->solution.iterations = f->options.max_iterations;
    return tact_precise_confirm(&f->problem, &f->options, TACT_CONVERGED, &f->work, &f->solution);
}

static void test_converged(bool full) {
    static fixture f;
    tact_real infinite = TACT_MAX;
    infinite *= 2;
    solve(&f, full);
    f.solution.iterations = 0;
    CHECK_INT(tact_precise_confirm(&f.problem, &f.options, TACT_CONVERGED, &f.work, &f.solution), TACT_CONVERGED);
    CHECK(f.solution.decrement <= 8 * TACT_EPS && f.solution.balance <= 8 * TACT_EPS);
    CHECK_INT(tact_precise_confirm(&f.problem, &f.options, TACT_BAD_INPUT, &f.work, &f.solution), TACT_BAD_INPUT);
    // forces out of balance, in each unknown: told without iterations, and made right with them
    for (int i = 0; i < 3; i++) {
        solve(&f, full);
        f.p[i] *= TACT_REAL(1.5);
        CHECK_INT(judge(&f), TACT_ITERATION_LIMIT);
        f.solution.iterations = 0;
        CHECK_INT(tact_precise_confirm(&f.problem, &f.options, TACT_CONVERGED, &f.work, &f.solution), TACT_CONVERGED);
        CHECK(f.solution.iterations > 0 && f.solution.balance <= 8 * TACT_EPS);
    }
    // in balance, but twice the force that the gap allows
    solve(&f, full);
    for (int i = 0; i < 3; i++) f.lambda[i] *= 2;
    f.p[0] += f.lambda[1] / 2;
    f.p[1] += f.lambda[2] / 2;
    f.p[2] += f.lambda[0] / 2;
    CHECK_INT(judge(&f), TACT_ITERATION_LIMIT);
    CHECK_CLOSE(f.solution.decrement, 1, 100 * TACT_EPS);
    // outside the cone, and in its mirror image
    solve(&f, full);
    f.d[0] = 4;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    solve(&f, full);
    f.d[2] = -4;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    // numbers that are none
    solve(&f, full);
    f.d[1] = infinite - infinite;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    solve(&f, full);
    f.lambda[2] = infinite;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
}

// two walls that leave no room: d >= 1 and d <= 0.5
static void test_certificate(void) {
    static const tact_real up[3] = {1, 0, 0}, down[3] = {-1, 0, 0};
    static const int column[1] = {0};
    int first[1] = {0}, start[2] = {0, 1};
    tact_real P[1] = {1}, p[1] = {0}, d[1] = {0}, lambda[6] = {1, 0, 0, 1, 0, 0};
    tact_cone cone[2] = {{.width = 1, .column = column, .J = up, .c = {-1, 0, 0}, .mu = 1, .kappa = 1},
                         {.width = 1, .column = column, .J = down, .c = {TACT_REAL(0.5), 0, 0}, .mu = 1, .kappa = 1}};
    tact_barrier_problem problem = {.n = 1, .ncone = 2, .P = {1, first, start, P}, .p = p, .cone = cone};
    tact_barrier_solution solution = {.d = d, .lambda = lambda};
    tact_precise_work work;
    static unsigned char memory[1 << 14];
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_precise_place(&work, (tact_barrier_size){.n = 1, .ncone = 2, .columns = 2, .envelope = 1}, &arena);
    CHECK(tact_precise_proves(&problem, &work, &solution));
    lambda[1] = TACT_REAL(1.5);  // outside its cone: the lift that it needs is out of balance
    CHECK(!tact_precise_proves(&problem, &work, &solution));
    lambda[1] = 0;
    lambda[3] = TACT_REAL(1.01);  // J'lambda /= 0
    CHECK(!tact_precise_proves(&problem, &work, &solution));
    lambda[3] = 1;
    cone[1].c[0] = 2;  // c'lambda > 0: there is room
    CHECK(!tact_precise_proves(&problem, &work, &solution));
    cone[1].c[0] = 1;  // they touch: nothing is left to prove it with
    CHECK(!tact_precise_proves(&problem, &work, &solution));
    cone[1].c[0] = 1 - 64 * TACT_EPS;
    CHECK(tact_precise_proves(&problem, &work, &solution));
    lambda[0] = lambda[3] = 0;  // nothing
    CHECK(!tact_precise_proves(&problem, &work, &solution));
    lambda[0] = lambda[3] = -1;
    CHECK(!tact_precise_proves(&problem, &work, &solution));
}

int main(void) {
    test_converged(false);
    test_converged(true);
    test_certificate();
    return test_end("precise_judge");
}
