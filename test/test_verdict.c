// SPDX-License-Identifier: MIT
// The check behind `tact solve`: a right answer passes, and each way of being wrong is found.
#include "app/verdict.c"
#include "test.h"

// min 1/2 x'P x + b'x over a cone along z, kappa 100, mu 0.5, worked backwards from a solution
typedef struct {
    tact_problem problem;
    tact_real P[9], b[3], J[9], c[3], mu[1], x[3], lambda[3];
} fixture;

static void solve(fixture *f, bool full) {
    static const tact_real J[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, x[3] = {TACT_REAL(0.25), TACT_REAL(-0.125), 1};
    *f = (fixture){.mu = {TACT_REAL(0.5)}, .c = {TACT_REAL(0.5), 0, 0}};
    tact_problem *problem = &f->problem;
    *problem =
        (tact_problem){.n = 3, .nc = 1, .diagonal = !full, .kappa = 100, .P = f->P, .b = f->b, .J = f->J, .c = f->c, .mu = f->mu};
    problem->x = f->x;
    problem->solution.lambda = f->lambda;
    for (int i = 0; i < 9; i++) f->J[i] = J[i];
    for (int i = 0; i < 3; i++) f->x[i] = x[i];
    // lambda = a (nu_n, -mu^2 nu_t) with a = 2 / (kappa (nu_n^2 - mu^2 |nu_t|^2))
    tact_real n = x[2] + f->c[0], s = n * n - (x[0] * x[0] + x[1] * x[1]) / 4, a = 2 / (100 * s);
    f->lambda[0] = a * n;
    f->lambda[1] = -a * x[0] / 4;
    f->lambda[2] = -a * x[1] / 4;
    for (int i = 0; i < 3; i++) f->P[full ? 4 * i : i] = 2;
    if (full) f->P[1] = f->P[3] = TACT_REAL(0.5);
    tact_real coupled[2] = {full ? TACT_REAL(0.5) * x[1] : 0, full ? TACT_REAL(0.5) * x[0] : 0};
    f->b[0] = f->lambda[1] - 2 * x[0] - coupled[0];
    f->b[1] = f->lambda[2] - 2 * x[1] - coupled[1];
    f->b[2] = f->lambda[0] - 2 * x[2];
}

static tact_status judge(const fixture *f) {
    return tact_problem_verdict(&f->problem, TACT_CONVERGED);
}

static void test_converged(bool full) {
    fixture f;
    tact_real infinite = TACT_MAX;
    infinite *= 2;
    solve(&f, full);
    CHECK_INT(judge(&f), TACT_CONVERGED);
    CHECK_INT(tact_problem_verdict(&f.problem, TACT_ITERATION_LIMIT), TACT_ITERATION_LIMIT);
    CHECK_INT(tact_problem_verdict(&f.problem, TACT_BAD_INPUT), TACT_BAD_INPUT);
    // forces out of balance, in each unknown
    for (int i = 0; i < 3; i++) {
        solve(&f, full);
        f.b[i] *= TACT_REAL(1.5);
        CHECK_INT(judge(&f), TACT_ITERATION_LIMIT);
    }
    // in balance, but twice the force that the gap allows
    solve(&f, full);
    for (int i = 0; i < 3; i++) f.lambda[i] *= 2;
    f.b[0] += f.lambda[1] / 2;
    f.b[1] += f.lambda[2] / 2;
    f.b[2] += f.lambda[0] / 2;
    CHECK_INT(judge(&f), TACT_ITERATION_LIMIT);
    // outside the cone, and in its mirror image
    solve(&f, full);
    f.x[0] = 4;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    solve(&f, full);
    f.x[2] = -4;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    CHECK_INT(tact_problem_verdict(&f.problem, TACT_ITERATION_LIMIT), TACT_UNDECIDED);
    // numbers that are none
    solve(&f, full);
    f.x[1] = infinite - infinite;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    solve(&f, full);
    f.lambda[2] = infinite;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
    solve(&f, full);
    f.problem.solution.decrement = infinite;
    CHECK_INT(judge(&f), TACT_UNDECIDED);
}

// two walls that leave no room: x >= 1 and x <= 0.5
static void test_certificate(void) {
    tact_real P[1] = {1}, b[1] = {0}, J[6] = {1, 0, 0, -1, 0, 0}, c[6] = {-1, 0, 0, TACT_REAL(0.5), 0, 0}, mu[2] = {1, 1},
              x[1] = {0};
    tact_real lambda[6] = {1, 0, 0, 1, 0, 0};
    tact_problem problem = {.n = 1, .nc = 2, .diagonal = true, .kappa = 1, .P = P, .b = b, .J = J, .c = c, .mu = mu, .x = x};
    problem.solution.lambda = lambda;
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_INFEASIBLE);
    lambda[1] = TACT_REAL(1.5);  // outside its cone
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_UNDECIDED);
    lambda[1] = 0;
    lambda[3] = TACT_REAL(1.01);  // J'lambda /= 0
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_UNDECIDED);
    lambda[3] = 1;
    c[3] = 2;  // c'lambda > 0: there is room
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_UNDECIDED);
    c[3] = 1;  // they touch: no interior
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_INFEASIBLE);
    lambda[0] = lambda[3] = 0;  // nothing
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_UNDECIDED);
    lambda[0] = lambda[3] = -1;
    CHECK_INT(tact_problem_verdict(&problem, TACT_INFEASIBLE), TACT_UNDECIDED);
}

int main(void) {
    test_converged(false);
    test_converged(true);
    test_certificate();
    return test_end("verdict");
}
