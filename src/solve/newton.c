// SPDX-License-Identifier: MIT
#include "solve/newton.h"

#include "solve/cone.h"
#include "solve/skyline.h"

void tact_newton_gap(const tact_barrier_work *work, const tact_cone_iterate *cone, const tact_real *d, tact_real nu[3]) {
    const int *column = work->column + cone->first;
    const tact_real *J = work->J + 3 * cone->first;
    tact_real n = 0, t = 0, u = 0;
    for (int k = 0; k < cone->width; k++, J += 3) {
        tact_real x = d[column[k]];
        n += J[0] * x;
        t += J[1] * x;
        u += J[2] * x;
    }
    nu[0] = n;
    nu[1] = t;
    nu[2] = u;
}

void tact_newton_pull(const tact_barrier_work *work, const tact_cone_iterate *cone, const tact_real f[3], tact_real *y) {
    const int *column = work->column + cone->first;
    const tact_real *J = work->J + 3 * cone->first;
    tact_real n = f[0], t = f[1], u = f[2];
    for (int k = 0; k < cone->width; k++, J += 3) y[column[k]] -= J[0] * n + J[1] * t + J[2] * u;
}

// An unknown is shared when two cones move it, or when P couples it to another.
static void find_shared(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    int *touched = path->work->owner, rows = 0;
    for (int i = 0; i < problem->n; i++) touched[i] = 0;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < problem->cone[i].width; k++) touched[problem->cone[i].column[k]]++;
    for (int i = 0; i < problem->n; i++)
        for (int j = problem->P.first[i]; j < i; j++) touched[i] = touched[j] = 2;
    for (int i = 0; i < problem->n; i++) {
        bool stiff = path->soft > 0 || tact_skyline_row(&problem->P, i)[i] > 0;
        path->work->row[i] = touched[i] < 2 && stiff ? -1 : rows++;
    }
    path->work->H.n = rows;
}

// Columns first (own) to last; a second call appends the shared ones.
static int pack_columns(tact_barrier_work *work, const tact_cone *given, bool own, int at) {
    for (int k = 0; k < given->width; k++) {
        int column = given->column[k];
        if ((work->row[column] < 0) != own) continue;
        work->column[at] = column;
        work->J[3 * at] = given->J[k];
        work->J[3 * at + 1] = given->mu * given->J[given->width + k];
        work->J[3 * at + 2] = given->mu * given->J[2 * given->width + k];
        at++;
    }
    return at;
}

// Each row of a cone's shared unknowns reaches back to the first of them.
static void layout(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    const int *row = work->row;
    for (int i = 0; i < work->H.n; i++) work->H.first[i] = i;
    for (int i = 0; i < problem->n; i++)
        if (row[i] >= 0 && problem->P.first[i] < i) work->H.first[row[i]] = row[problem->P.first[i]];
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        const int *shared = work->column + cone->first + cone->nown;
        for (int k = 0; k < cone->width - cone->nown; k++)
            if (row[shared[0]] < work->H.first[row[shared[k]]]) work->H.first[row[shared[k]]] = row[shared[0]];
    }
    int entries = tact_skyline_layout(&work->H);
    TACT_ASSERT(entries <= work->envelope);
    (void)entries;
}

void tact_newton_pack(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int at = 0;
    find_shared(path);
    for (int i = 0; i < problem->ncone; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        TACT_ASSERT(at + problem->cone[i].width <= work->columns);
        cone->first = at;
        cone->width = problem->cone[i].width;
        at = pack_columns(work, &problem->cone[i], true, at);
        cone->nown = at - cone->first;
        at = pack_columns(work, &problem->cone[i], false, at);
    }
    layout(path);
}

// Diagonal of the eliminated unknowns, as reciprocals, and Q_ss into H, with the bounds on both.
static void factor_diagonal(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->H.start[work->H.n]; i++) work->H.value[i] = 0;
    for (int i = 0; i < problem->n; i++) {
        const tact_real *P = tact_skyline_row(&problem->P, i);
        int row = work->row[i];
        work->weight[i] = path->soft > 0 ? path->ridge : P[i];
        if (row < 0) continue;
        tact_real *H = tact_skyline_row(&work->H, row);
        for (int j = problem->P.first[i]; j < i && !(path->soft > 0); j++) H[work->row[j]] = P[j];
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->B = 1 / (bound->s / bound->z + path->soft);
        work->weight[problem->bound[j].column] += bound->B;
    }
    for (int i = 0; i < problem->n; i++) {
        if (work->row[i] < 0)
            work->weight[i] = 1 / work->weight[i];
        else
            tact_skyline_row(&work->H, work->row[i])[work->row[i]] += work->weight[i];
    }
}

// K = J_o D^-1 J_o' + soft I
static void compliance(const tact_path *path, const tact_cone_iterate *cone, tact_real K[6]) {
    const tact_barrier_work *work = path->work;
    const int *column = work->column + cone->first;
    const tact_real *J = work->J + 3 * cone->first;
    K[0] = K[2] = K[5] = path->soft;
    K[1] = K[3] = K[4] = 0;
    for (int k = 0; k < cone->nown; k++, J += 3) {
        tact_real f = work->weight[column[k]], n = f * J[0], t = f * J[1], u = f * J[2];
        K[0] += n * J[0];
        K[1] += t * J[0];
        K[2] += t * J[1];
        K[3] += u * J[0];
        K[4] += u * J[1];
        K[5] += u * J[2];
    }
}

// H += J_s'B J_s
static void add_cone(tact_barrier_work *work, const tact_cone_iterate *cone) {
    const int *column = work->column + cone->first + cone->nown;
    const tact_real *J = work->J + 3 * (cone->first + cone->nown), *B = cone->B;
    int shared = cone->width - cone->nown;
    for (int a = 0; a < shared; a++) {
        const tact_real *Ja = J + 3 * a;
        tact_real G0 = B[0] * Ja[0] + B[1] * Ja[1] + B[3] * Ja[2];
        tact_real G1 = B[1] * Ja[0] + B[2] * Ja[1] + B[4] * Ja[2];
        tact_real G2 = B[3] * Ja[0] + B[4] * Ja[1] + B[5] * Ja[2];
        tact_real *row = tact_skyline_row(&work->H, work->row[column[a]]);
        for (int b = 0; b <= a; b++) row[work->row[column[b]]] += G0 * J[3 * b] + G1 * J[3 * b + 1] + G2 * J[3 * b + 2];
    }
}

bool tact_newton_factor(tact_path *path) {
    tact_barrier_work *work = path->work;
    factor_diagonal(path);
    for (int i = 0; i < path->problem->ncone; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        tact_real K[6];
        compliance(path, cone, K);
        tact_cone_scale(cone, cone->nown > 0 || path->soft > 0 ? K : NULL);
        add_cone(work, cone);
    }
    path->iterations++;
    return tact_skyline_factor(&work->H, work->pivot);
}

// f in the place of dz, from the aim there and the right-hand side of the cone's own unknowns
static void cone_force(tact_barrier_work *work, tact_cone_iterate *cone) {
    const int *column = work->column + cone->first;
    const tact_real *J = work->J + 3 * cone->first;
    tact_real own[3] = {0, 0, 0}, pull[3], aim[3] = {cone->dz[0], cone->dz[1], cone->dz[2]};
    for (int k = 0; k < cone->nown; k++, J += 3) {
        tact_real x = work->weight[column[k]] * work->step[column[k]];
        own[0] += J[0] * x;
        own[1] += J[1] * x;
        own[2] += J[2] * x;
    }
    tact_cone_weigh(cone, own, pull);
    for (int k = 0; k < 3; k++) cone->dz[k] = cone->Q[k][0] * aim[0] + cone->Q[k][1] * aim[1] + cone->Q[k][2] * aim[2] - pull[k];
}

// dz = f - B J_s dd_s, the cone's own unknowns, and ds = J dd
static void cone_expand(tact_barrier_work *work, tact_cone_iterate *cone) {
    const int *column = work->column + cone->first;
    const tact_real *J = work->J + 3 * cone->first;
    tact_real *ds = cone->ds, *dz = cone->dz, pull[3];
    ds[0] = ds[1] = ds[2] = 0;
    for (int k = cone->nown; k < cone->width; k++) {
        tact_real x = work->step[column[k]];
        ds[0] += J[3 * k] * x;
        ds[1] += J[3 * k + 1] * x;
        ds[2] += J[3 * k + 2] * x;
    }
    tact_cone_weigh(cone, ds, pull);
    for (int k = 0; k < 3; k++) dz[k] -= pull[k];
    for (int k = 0; k < cone->nown; k++, J += 3) {
        tact_real *x = &work->step[column[k]];
        *x = work->weight[column[k]] * (*x + J[0] * dz[0] + J[1] * dz[1] + J[2] * dz[2]);
        ds[0] += J[0] * *x;
        ds[1] += J[1] * *x;
        ds[2] += J[2] * *x;
    }
}

void tact_newton_solve(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *bound = &problem->bound[j];
        work->step[bound->column] += bound->sign * work->bound[j].dz;
    }
    for (int i = 0; i < problem->n; i++)
        if (work->row[i] >= 0) work->shared[work->row[i]] = work->step[i];
    for (int i = 0; i < problem->ncone; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        cone_force(work, cone);
        const tact_real *f = cone->dz, *J = work->J + 3 * (cone->first + cone->nown);
        for (int k = cone->nown; k < cone->width; k++, J += 3)
            work->shared[work->row[work->column[cone->first + k]]] += J[0] * f[0] + J[1] * f[1] + J[2] * f[2];
    }
    tact_skyline_solve(&work->H, work->pivot, work->shared);
    for (int i = 0; i < problem->n; i++) {
        if (work->row[i] >= 0)
            work->step[i] = work->shared[work->row[i]];
        else if (work->owner[i] == 0)
            work->step[i] *= work->weight[i];
    }
    for (int i = 0; i < problem->ncone; i++) cone_expand(work, &work->cone[i]);
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->ds = problem->bound[j].sign * work->step[problem->bound[j].column];
        bound->dz -= bound->B * bound->ds;
    }
}
