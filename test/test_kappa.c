// SPDX-License-Identifier: MIT
// kappa -> infinity: the barrier step tends to the convex cone problem, min 1/2 d'P d + p'd with J d + c in the cones, which is
// the relaxation of rigid contact by Anitescu (2006). That is solved here by its dual, min 1/2 r'W r + q'r with r in the friction
// cones, W = J P^-1 J', by projected gradients with momentum; the errors of the barrier step are printed over kappa.
#include "rigid_world.h"

enum { N = 60, NC = 16 };

static double P[N][N], L[N][N], J[3 * NC][N], Y[3 * NC][N], W[3 * NC][3 * NC], q[3 * NC], mu[NC], free_d[N];

static void solve(double *x, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) x[i] -= L[i][j] * x[j];
        x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) x[i] -= L[j][i] * x[j];
        x[i] /= L[i][i];
    }
}

// the problem of the step that was just made
static void read_problem(void) {
    const tact_barrier_problem *problem = &world.work.problem;
    int n = problem->n;
    memset(J, 0, sizeof J);
    memset(P, 0, sizeof P);
    for (int i = 0; i < n; i++)
        for (int j = problem->P.first[i]; j <= i; j++)
            P[i][j] = P[j][i] = (double)problem->P.value[problem->P.start[i] + j - problem->P.first[i]];
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = P[i][j];
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    for (int i = 0; i < n; i++) free_d[i] = -(double)problem->p[i];
    solve(free_d, n);
    for (int c = 0; c < problem->ncone; c++) {
        const tact_cone *cone = &problem->cone[c];
        mu[c] = (double)cone->mu;
        for (int row = 0; row < 3; row++) {
            q[3 * c + row] = (double)cone->c[row];
            for (int k = 0; k < cone->width; k++) J[3 * c + row][cone->column[k]] = (double)cone->J[row * cone->width + k];
            memcpy(Y[3 * c + row], J[3 * c + row], sizeof Y[0]);
            solve(Y[3 * c + row], n);
            for (int i = 0; i < n; i++) q[3 * c + row] += J[3 * c + row][i] * free_d[i];
        }
    }
    for (int a = 0; a < 3 * problem->ncone; a++)
        for (int b = 0; b < 3 * problem->ncone; b++) {
            W[a][b] = 0;
            for (int i = 0; i < n; i++) W[a][b] += J[a][i] * Y[b][i];
        }
}

static void project(double m, double *r) {
    double t = sqrt(r[1] * r[1] + r[2] * r[2]);
    if (t <= m * r[0]) return;
    double n = m * t <= -r[0] ? 0 : (r[0] + m * t) / (1 + m * m), f = t > 0 ? m * n / t : 0;
    r[0] = n;
    r[1] *= f;
    r[2] *= f;
}

// projected gradients with momentum, begun anew where it points uphill; d of the answer
static void solve_dual(int n, int nc, double *d) {
    static double r[3 * NC], last[3 * NC], y[3 * NC], g[3 * NC];
    double norm = 0, theta = 1;
    for (int i = 0; i < 3 * nc; i++) {
        double row = 0;
        for (int j = 0; j < 3 * nc; j++) row += fabs(W[i][j]);
        norm = fmax(norm, row);
        r[i] = last[i] = y[i] = 0;
    }
    for (long step = 0; step < 400000; step++) {
        double uphill = 0, change = 0, most = 0;
        for (int i = 0; i < 3 * nc; i++) {
            g[i] = q[i];
            for (int j = 0; j < 3 * nc; j++) g[i] += W[i][j] * y[j];
        }
        for (int i = 0; i < 3 * nc; i++) {
            last[i] = r[i];
            r[i] = y[i] - g[i] / norm;
        }
        for (int c = 0; c < nc; c++) project(mu[c], r + 3 * c);
        for (int i = 0; i < 3 * nc; i++) {
            uphill += g[i] * (r[i] - last[i]);
            change = fmax(change, fabs(r[i] - last[i]));
            most = fmax(most, fabs(r[i]));
        }
        if (step > 10 && change <= 1e-16 * most) break;
        double next = uphill > 0 ? 1 : (1 + sqrt(1 + 4 * theta * theta)) / 2, b = uphill > 0 ? 0 : (theta - 1) / next;
        for (int i = 0; i < 3 * nc; i++) y[i] = r[i] + b * (r[i] - last[i]);
        theta = next;
    }
    for (int i = 0; i < n; i++) {
        d[i] = free_d[i];
        for (int a = 0; a < 3 * nc; a++) d[i] += Y[a][i] * r[a];
    }
}

static bool open_at(const char *name, const char *const *set, double kappa) {
    char path[100], sharp[60];
    const char *all[8] = {sharp, "options.anchor=false", "options.limits=off"};
    tact_scene_settings settings = {.set = all, .nset = 3};
    snprintf(sharp, sizeof sharp, "options.kappa=%.17g", kappa);
    for (; set && *set; set++) all[settings.nset++] = *set;
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    errors = (tact_errors){0};
    return world_make(tact_scene_read(path, &settings, &errors));
}

// one step from the same state at each kappa
static void test_rate(const char *name, const char *const *set, double allowed) {
    double last = 0;
    printf("%s\n    kappa     error of d [m, rad]  factor\n", name);
    for (double kappa = 1e2; kappa <= 1e8; kappa *= 10) {
        if (!open_at(name, set, kappa)) return;
        double d[N], error = 0;
        tact_status status = tact_world_step(&world);
        CHECK(status == TACT_CONVERGED);
        read_problem();
        solve_dual(world.work.problem.n, world.work.problem.ncone, d);
        for (int i = 0; i < world.work.problem.n; i++) error = fmax(error, fabs((double)world.work.d[i] - d[i]));
        printf("    %-8.0g  %-19.3g  %.2f\n", kappa, error, last > 0 ? last / error : 0);
        // first order in 1/kappa as soon as it is in reach
        if (DOUBLE && kappa > 3e5) CHECK(last / error > 9 && last / error < 11);
        if (kappa > 5e7) CHECK_CLOSE(error, 0, within(allowed, 1e-4));
        last = error;
        world_end();
    }
}

int main(void) {
    // a block that slides, four contacts at different gaps; and two fingers that squeeze a disc
    test_rate("incline", (const char *const[]){"mu=0.2", "options.margin=0.05", NULL}, 1e-6);
    test_rate("two_fingers_disc", (const char *const[]){"options.margin=0.05", "state.q.disc=[0,0.1491,0]", NULL}, 1e-6);
    return test_end("kappa");
}
