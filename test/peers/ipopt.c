// SPDX-License-Identifier: MIT
// peer: pkg-config ipopt (Debian: coinor-libipopt-dev)
// The barrier problem of a step by Ipopt, as the published notebook poses it: one unconstrained objective with logarithms, here
// with exact gradient and Hessian in C. Both sides begin cold at the same point; Ipopt has the assembled problem, tact_step also
// does kinematics, contacts and forces. Where the point lies outside the cones (penetration) the objective has no value and
// Ipopt no start; ratios are of the cases that both solve.
#include <coin/IpStdCInterface.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
        if (!(s > 0 && nu[0] > 0)) return FALSE;
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
    double ours, theirs;  // [s] of processor
    bool solved;          // by Ipopt, at the same point
} figures;

static figures measure(const tact_scene *lesson, const peer_case *item) {
    double ours[ROUNDS], theirs[ROUNDS], x[64];
    tact_real own[64];
    figures found = {0};
    peer_prepare(item);
    for (int round = 0; round < ROUNDS; round++) {
        double begin = peer_processor();
        for (int k = 0; k < REPEAT; k++) {
            if (item->step) peer_step(lesson, item);
            if (!item->step) peer_solve(item, own);
        }
        ours[round] = (peer_processor() - begin) / REPEAT;
        begin = peer_processor();
        found.solved = solve_by_ipopt(item, x) == 0;
        theirs[round] = peer_processor() - begin;
        // its iteration limit takes seconds
        if (theirs[round] > 1) {
            for (int k = 0; k < ROUNDS; k++) ours[k] = ours[round], theirs[k] = theirs[round];
            break;
        }
    }
    peer_solve(item, own);
    for (int i = 0; i < item->n; i++) found.solved = found.solved && fabs(x[i] - (double)own[i]) < 1e-7;
    found.ours = peer_median(ours, ROUNDS);
    found.theirs = peer_median(theirs, ROUNDS);
    return found;
}

// Cases of one set, of a category or (NULL) all.
static void report(const peer_cases *cases, const figures *found, bool steps, const char *category) {
    double ours[400], theirs[400], ratio[400];
    int count = 0, all = 0;
    for (int i = 0; i < cases->count; i++) {
        if (cases->item[i].step != steps || (category && strcmp(cases->item[i].category, category) != 0)) continue;
        all++;
        if (!found[i].solved) continue;
        ours[count] = found[i].ours;
        theirs[count] = found[i].theirs;
        ratio[count++] = found[i].theirs / found[i].ours;
    }
    if (all == 0) return;
    printf("%-10s %-18s %3d %8d", steps ? "step" : "problem", category ? category : "(all)", all, count);
    if (count > 0) {
        double middle = peer_median(ratio, count);
        printf(" %9.2f %9.0f %8.0f %8.0f", 1e6 * peer_median(ours, count), 1e6 * peer_median(theirs, count), middle, ratio[0]);
    }
    puts("");
}

// Each category once, then all.
static void report_set(const peer_cases *cases, const figures *found, bool steps) {
    for (int i = 0; i < cases->count; i++) {
        int before = 0;
        while (before < i &&
               (cases->item[before].step != steps || strcmp(cases->item[before].category, cases->item[i].category) != 0))
            before++;
        if (before == i && cases->item[i].step == steps) report(cases, found, steps, cases->item[i].category);
    }
    report(cases, found, steps, NULL);
}

int main(void) {
    char message[TACT_ERROR_LENGTH];
    tact_scene *lesson = tact_scene_load("data/scenes/lesson.json", message, sizeof message);
    if (!lesson) return puts(message), 1;
    peer_cases cases = peer_load(lesson);
    figures *found = calloc((size_t)cases.count + 1, sizeof *found);
    if (!found) return 1;
    for (int i = 0; i < cases.count; i++) found[i] = measure(lesson, &cases.item[i]);
    puts("Ipopt, the hand: medians, seconds of processor, both cold from the same point. Tact: the whole step (kinematics, "
         "contacts,\n"
         "solve, forces); of a problem the solve. Ipopt: the solve, exact derivatives in C, tolerance 1e-9");
    puts("                              of   Ipopt   tact [us] Ipopt[us]    ratio    least");
    report_set(&cases, found, true);
    report_set(&cases, found, false);
    free(found);
    tact_scene_free(lesson);
    return 0;
}
