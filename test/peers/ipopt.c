// SPDX-License-Identifier: MIT
// peer: pkg-config ipopt (Debian: coinor-libipopt-dev)
// The barrier problem of a step by Ipopt, as the published notebook poses it: one unconstrained objective with logarithms, here
// with exact gradient and Hessian in C. Both sides begin at the same point; Ipopt has the assembled problem, tact_step also
// does kinematics, contacts and forces.
#include <coin/IpStdCInterface.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "peer.h"

enum { ROUNDS = 5, REPEAT = 50 };

static const peer_case *now;

static double gap_of(const double *d, int contact, double nu[3]) {
    int n = now->n;
    for (int row = 0; row < 3; row++) {
        nu[row] = now->c[3 * contact + row];
        for (int k = 0; k < n; k++) nu[row] += now->J[(3 * contact + row) * n + k] * d[k];
    }
    double mu = now->mu[contact];
    return nu[0] * nu[0] - mu * mu * (nu[1] * nu[1] + nu[2] * nu[2]);
}

static Bool value(Index n, Number *d, Bool fresh, Number *f, UserDataPtr data) {
    (void)fresh;
    (void)data;
    *f = 0;
    for (int i = 0; i < n; i++) {
        *f += now->b[i] * d[i];
        for (int j = 0; j < n; j++) *f += now->P[i * n + j] * d[i] * d[j] / 2;
    }
    for (int i = 0; i < now->nc; i++) {
        double nu[3], s = gap_of(d, i, nu);
        if (!(s > 0)) return FALSE;
        *f -= log(s) / now->kappa;
    }
    return TRUE;
}

static Bool gradient(Index n, Number *d, Bool fresh, Number *g, UserDataPtr data) {
    (void)fresh;
    (void)data;
    for (int i = 0; i < n; i++) {
        g[i] = now->b[i];
        for (int j = 0; j < n; j++) g[i] += now->P[i * n + j] * d[j];
    }
    for (int i = 0; i < now->nc; i++) {
        double nu[3], s = gap_of(d, i, nu), a = 2 / (now->kappa * s), mu = now->mu[i];
        const double *J = now->J + 3 * i * n;
        for (int k = 0; k < n; k++) g[k] -= a * (nu[0] * J[k] - mu * mu * (nu[1] * J[n + k] + nu[2] * J[2 * n + k]));
    }
    return TRUE;
}

static Bool curvature(Index n, Number *d, Bool fresh, Number factor, Index m, Number *y, Bool fresh_y, Index count, Index *row,
                      Index *column, Number *H, UserDataPtr data) {
    (void)fresh, (void)m, (void)y, (void)fresh_y, (void)count, (void)data;
    int at = 0;
    if (!H) {
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++, at++) {
                row[at] = i;
                column[at] = j;
            }
        return TRUE;
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) H[at++] = factor * now->P[i * n + j];
    for (int c = 0; c < now->nc; c++) {
        double nu[3], s = gap_of(d, c, nu), a = 2 / (now->kappa * s), mu2 = now->mu[c] * now->mu[c], W[3][3];
        double lambda[3] = {a * nu[0], -a * mu2 * nu[1], -a * mu2 * nu[2]};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) W[i][j] = now->kappa * lambda[i] * lambda[j] - (i != j ? 0 : i == 0 ? a : -a * mu2);
        const double *J = now->J + 3 * c * n;
        at = 0;
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++, at++)
                for (int p = 0; p < 3; p++)
                    for (int q = 0; q < 3; q++) H[at] += factor * J[p * n + i] * W[p][q] * J[q * n + j];
    }
    return TRUE;
}

static Bool no_constraints(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr data) {
    (void)n, (void)x, (void)fresh, (void)m, (void)g, (void)data;
    return TRUE;
}

static Bool no_slopes(Index n, Number *x, Bool fresh, Index m, Index count, Index *row, Index *column, Number *value_of,
                      UserDataPtr data) {
    (void)n, (void)x, (void)fresh, (void)m, (void)count, (void)row, (void)column, (void)value_of, (void)data;
    return TRUE;
}

static int solve_by_ipopt(const peer_case *item, double *x) {
    double low[64], high[64], f;
    now = item;
    for (int i = 0; i < item->n; i++) {
        low[i] = -2e19;
        high[i] = 2e19;
        x[i] = item->x0[i];
    }
    IpoptProblem problem = CreateIpoptProblem(item->n, low, high, 0, NULL, NULL, 0, item->n * (item->n + 1) / 2, 0, value,
                                              no_constraints, gradient, no_slopes, curvature);
    AddIpoptIntOption(problem, "print_level", 0);
    AddIpoptStrOption(problem, "sb", "yes");
    AddIpoptNumOption(problem, "tol", 1e-9);
    int status = (int)IpoptSolve(problem, x, NULL, &f, NULL, NULL, NULL, NULL);
    FreeIpoptProblem(problem);
    return status;
}

typedef struct {
    double ours, theirs;  // [s] a case, medians over the cases
    int wrong;            // how often Ipopt ends elsewhere, or says that it failed
} figures;

static figures measure(const tact_scene *lesson, const peer_case *item) {
    double ours[ROUNDS], theirs[ROUNDS], x[64];
    tact_real own[64];
    figures found = {0};
    peer_prepare(item);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = peer_clock();
        for (int k = 0; k < REPEAT; k++) {
            if (item->step) peer_step(lesson, item);
            if (!item->step) peer_solve(item, own);
        }
        ours[round] = (peer_clock() - begin) / REPEAT;
        begin = peer_clock();
        int status = solve_by_ipopt(item, x);
        theirs[round] = peer_clock() - begin;
        found.wrong = status != 0;
    }
    peer_solve(item, own);
    for (int i = 0; i < item->n; i++) found.wrong |= fabs(x[i] - (double)own[i]) > 1e-4;
    found.ours = peer_median(ours, ROUNDS);
    found.theirs = peer_median(theirs, ROUNDS);
    return found;
}

static void report(const tact_scene *lesson, const peer_cases *cases, bool steps, const char *what) {
    double ours[400], theirs[400], ratio[400];
    int count = 0, wrong = 0;
    for (int i = 0; i < cases->count; i++) {
        if (cases->item[i].step != steps) continue;
        figures f = measure(lesson, &cases->item[i]);
        ours[count] = f.ours;
        theirs[count] = f.theirs;
        ratio[count++] = f.theirs / f.ours;
        wrong += f.wrong;
    }
    if (count == 0) return;
    double middle = peer_median(ratio, count);
    printf("%s, %d cases: tact %.2f us, Ipopt %.0f us, ratio %.0f (%.0f to %.0f); Ipopt fails or ends elsewhere in %d\n", what,
           count, 1e6 * peer_median(ours, count), 1e6 * peer_median(theirs, count), middle, ratio[0], ratio[count - 1], wrong);
}

int main(void) {
    char message[TACT_ERROR_LENGTH];
    tact_scene *lesson = tact_scene_load("data/scenes/lesson.json", message, sizeof message);
    if (!lesson) return puts(message), 1;
    peer_cases cases = peer_load(lesson);
    report(lesson, &cases, true, "Ipopt: whole steps of the hand");
    report(lesson, &cases, false, "Ipopt: barrier problems of the hand");
    tact_scene_free(lesson);
    return 0;
}
