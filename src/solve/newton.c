// SPDX-License-Identifier: MIT
#include "solve/newton.h"

#include "solve/cone.h"
#include "solve/skyline.h"

void tact_newton_gap(const tact_barrier_work *work, const tact_cone_iterate *cone, const tact_real *d, tact_real nu[3]) {
    const tact_real *J = work->J + 3 * cone->first, *own = d + cone->own;
    const int *row = work->row + cone->first + cone->nown;
    tact_real n = nu[0], t = nu[1], u = nu[2];
    for (int k = 0; k < cone->nown; k++, J += 3) {
        n += J[0] * own[k];
        t += J[1] * own[k];
        u += J[2] * own[k];
    }
    for (int k = 0; k < cone->nshared; k++, J += 3) {
        tact_real x = d[row[k]];
        n += J[0] * x;
        t += J[1] * x;
        u += J[2] * x;
    }
    nu[0] = n;
    nu[1] = t;
    nu[2] = u;
}

void tact_newton_pull(const tact_barrier_work *work, const tact_cone_iterate *cone, const tact_real f[3], tact_real *y) {
    const tact_real *J = work->J + 3 * cone->first;
    const int *row = work->row + cone->first + cone->nown;
    tact_real n = f[0], t = f[1], u = f[2], *own = y + cone->own;
    for (int k = 0; k < cone->nown; k++, J += 3) own[k] -= J[0] * n + J[1] * t + J[2] * u;
    for (int k = 0; k < cone->nshared; k++, J += 3) y[row[k]] -= J[0] * n + J[1] * t + J[2] * u;
}

void tact_newton_multiply_add(const tact_path *path, const tact_real *x, tact_real *y) {
    const tact_barrier_work *work = path->work;
    const tact_skyline *P = &path->problem->P;
    for (int i = 0; i < path->problem->n; i++) y[i] += work->diagonal[i] * x[i];
    if (path->soft > 0) return;
    for (int i = 0; i < work->H.n; i++) {
        int unknown = work->unknown[i];
        const tact_real *row = tact_skyline_row(P, unknown);
        for (int j = P->first[unknown]; j < unknown; j++) {
            int other = work->place[j];
            y[i] += row[j] * x[other];
            y[other] += row[j] * x[i];
        }
    }
}

// An unknown is shared when two cones move it, when P couples it to another, or when P leaves it free. The count of cones
// comes to stand in place.
static void count_owners(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    int *owners = path->work->place;
    for (int i = 0; i < problem->n; i++) {
        bool stiff = path->soft > 0 || tact_skyline_row(&problem->P, i)[i] > 0;
        owners[i] = stiff ? 0 : 2;
    }
    for (int i = 0; i < problem->n; i++)
        for (int j = problem->P.first[i]; j < i; j++) owners[i] = owners[j] = 2;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < problem->cone[i].width; k++) owners[problem->cone[i].column[k]]++;
}

// Shared unknowns keep their order; place turns from a count into a place.
static void assign_places(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int at = 0;
    for (int i = 0; i < problem->n; i++)
        if (work->place[i] >= 2) work->unknown[at++] = i;
    work->H.n = at;
    for (int i = 0; i < problem->ncone; i++) {
        work->cone[i].own = at;
        for (int k = 0; k < problem->cone[i].width; k++)
            if (work->place[problem->cone[i].column[k]] == 1) work->unknown[at++] = problem->cone[i].column[k];
        work->cone[i].nown = at - work->cone[i].own;
        work->cone[i].nshared = problem->cone[i].width - work->cone[i].nown;
    }
    for (int i = 0; i < problem->n; i++)
        if (work->place[i] == 0) work->unknown[at++] = i;
    for (int i = 0; i < problem->n; i++) work->place[work->unknown[i]] = i;
}

static void pack_cone(tact_barrier_work *work, const tact_cone *given, tact_cone_iterate *cone) {
    int own = cone->first, shared = cone->first + cone->nown, width = given->width;
    tact_real mu = given->mu;
    for (int k = 0; k < width; k++) {
        int place = work->place[given->column[k]], at = place < work->H.n ? shared++ : own++;
        work->row[at] = place;
        work->J[3 * at] = given->J[k];
        work->J[3 * at + 1] = mu * given->J[width + k];
        work->J[3 * at + 2] = mu * given->J[2 * width + k];
    }
    cone->tau = 2 / given->kappa;
    cone->c[0] = given->c[0];
    cone->c[1] = mu * given->c[1];
    cone->c[2] = mu * given->c[2];
}

// Each row of a cone's shared unknowns reaches back to the first of them.
static void layout(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int *first = work->H.first;
    for (int i = 0; i < work->H.n; i++) {
        int reach = problem->P.first[work->unknown[i]];
        first[i] = reach < work->unknown[i] ? work->place[reach] : i;
    }
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        const int *row = work->row + cone->first + cone->nown;
        for (int k = 0; k < cone->nshared; k++)
            if (row[0] < first[row[k]]) first[row[k]] = row[0];
    }
    int entries = tact_skyline_layout(&work->H);
    TACT_ASSERT(entries <= work->envelope);
    (void)entries;
}

// Weights of the unknowns that are not shared, and the compliances that they give the cones.
static void weigh_own(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int i = work->H.n; i < path->problem->n; i++) work->weight[i] = work->diagonal[i];
    for (int j = 0; j < path->problem->nbound; j++) work->weight[work->bound[j].place] += work->bound[j].B;
    for (int i = work->H.n; i < path->problem->n; i++) work->weight[i] = 1 / work->weight[i];
    for (int i = 0; i < path->problem->ncone; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        const tact_real *J = work->J + 3 * cone->first, *weight = work->weight + cone->own;
        tact_real *K = cone->K;
        K[0] = K[2] = K[5] = path->soft;
        K[1] = K[3] = K[4] = 0;
        for (int k = 0; k < cone->nown; k++, J += 3) {
            tact_real n = weight[k] * J[0], t = weight[k] * J[1], u = weight[k] * J[2];
            K[0] += n * J[0];
            K[1] += t * J[0];
            K[2] += t * J[1];
            K[3] += u * J[0];
            K[4] += u * J[1];
            K[5] += u * J[2];
        }
    }
}

void tact_newton_pack(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int at = 0;
    count_owners(path);
    assign_places(path);
    for (int i = 0; i < problem->ncone; i++) {
        work->cone[i].first = at;
        work->cone[i].muted = false;
        at += problem->cone[i].width;
        TACT_ASSERT(at <= work->columns);
        pack_cone(work, &problem->cone[i], &work->cone[i]);
    }
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound *given = &problem->bound[j];
        tact_bound_iterate *bound = &work->bound[j];
        bound->place = work->place[given->column];
        bound->c = given->c;
        bound->sign = given->sign;
        bound->tau = 2 / given->kappa;
        bound->B = 0;
        bound->muted = false;
    }
    for (int i = 0; i < problem->n; i++) {
        int unknown = work->unknown[i];
        work->diagonal[i] = path->soft > 0 ? path->ridge : tact_skyline_row(&problem->P, unknown)[unknown];
        work->p[i] = path->soft > 0 ? 0 : problem->p[unknown];
    }
    layout(path);
    weigh_own(path);
}

// Q of the shared unknowns into H, with the bounds
static void add_quadratic(tact_path *path) {
    const tact_skyline *P = &path->problem->P;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < work->H.start[work->H.n]; i++) work->H.value[i] = 0;
    for (int i = 0; i < work->H.n; i++) {
        int unknown = work->unknown[i];
        tact_real *H = tact_skyline_row(&work->H, i);
        H[i] = work->diagonal[i];
        for (int j = P->first[unknown]; j < unknown && !(path->soft > 0); j++) H[work->place[j]] = tact_skyline_row(P, unknown)[j];
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        int place = work->bound[j].place;
        if (place < work->H.n) tact_skyline_row(&work->H, place)[place] += work->bound[j].B;
    }
}

// H += J_s'B J_s
static void add_cone(tact_barrier_work *work, const tact_cone_iterate *cone) {
    const tact_real *J = work->J + 3 * (cone->first + cone->nown), *B = cone->B;
    const int *place = work->row + cone->first + cone->nown;
    for (int a = 0; a < cone->nshared; a++) {
        const tact_real *Ja = J + 3 * a;
        tact_real G0 = B[0] * Ja[0] + B[1] * Ja[1] + B[3] * Ja[2];
        tact_real G1 = B[1] * Ja[0] + B[2] * Ja[1] + B[4] * Ja[2];
        tact_real G2 = B[3] * Ja[0] + B[4] * Ja[1] + B[5] * Ja[2];
        tact_real *row = tact_skyline_row(&work->H, place[a]);
        for (int b = 0; b <= a; b++) row[place[b]] += G0 * J[3 * b] + G1 * J[3 * b + 1] + G2 * J[3 * b + 2];
    }
}

bool tact_newton_factor(tact_path *path) {
    tact_barrier_work *work = path->work;
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->B = bound->muted ? 0 : 1 / (bound->s / bound->z + path->soft);
    }
    if (path->problem->nbound > 0) weigh_own(path);
    add_quadratic(path);
    for (int i = 0; i < path->problem->ncone; i++) {
        tact_cone_scale(&work->cone[i], work->cone[i].nown > 0 || path->soft > 0);
        if (work->cone[i].muted) tact_cone_mute(&work->cone[i]);
        add_cone(work, &work->cone[i]);
    }
    path->iterations++;
    return tact_skyline_factor(&work->H, work->pivot);
}

// f in the place of dz, from the aim there and the right-hand side of the cone's own unknowns; and J_s'f to the shared ones
static void cone_force(tact_barrier_work *work, tact_cone_iterate *cone) {
    const tact_real *J = work->J + 3 * cone->first, *r = work->step + cone->own, *weight = work->weight + cone->own;
    const int *row = work->row + cone->first + cone->nown;
    tact_real o0 = 0, o1 = 0, o2 = 0, a0 = cone->dz[0], a1 = cone->dz[1], a2 = cone->dz[2];
    for (int k = 0; k < cone->nown; k++, J += 3) {
        tact_real x = weight[k] * r[k];
        o0 += J[0] * x;
        o1 += J[1] * x;
        o2 += J[2] * x;
    }
    const tact_real *B = cone->B, *Q0 = cone->Q[0], *Q1 = cone->Q[1], *Q2 = cone->Q[2];
    tact_real f0 = Q0[0] * a0 + Q0[1] * a1 + Q0[2] * a2 - (B[0] * o0 + B[1] * o1 + B[3] * o2);
    tact_real f1 = Q1[0] * a0 + Q1[1] * a1 + Q1[2] * a2 - (B[1] * o0 + B[2] * o1 + B[4] * o2);
    tact_real f2 = Q2[0] * a0 + Q2[1] * a1 + Q2[2] * a2 - (B[3] * o0 + B[4] * o1 + B[5] * o2);
    for (int k = 0; k < cone->nshared; k++, J += 3) work->step[row[k]] += J[0] * f0 + J[1] * f1 + J[2] * f2;
    cone->dz[0] = f0;
    cone->dz[1] = f1;
    cone->dz[2] = f2;
}

// dz = f - B J_s dd_s, the cone's own unknowns, and ds = J dd
static void cone_expand(tact_barrier_work *work, tact_cone_iterate *cone) {
    const tact_real *J = work->J + 3 * (cone->first + cone->nown), *B = cone->B;
    const int *row = work->row + cone->first + cone->nown;
    tact_real s0 = 0, s1 = 0, s2 = 0;
    for (int k = 0; k < cone->nshared; k++, J += 3) {
        tact_real x = work->step[row[k]];
        s0 += J[0] * x;
        s1 += J[1] * x;
        s2 += J[2] * x;
    }
    tact_real z0 = cone->dz[0] - (B[0] * s0 + B[1] * s1 + B[3] * s2);
    tact_real z1 = cone->dz[1] - (B[1] * s0 + B[2] * s1 + B[4] * s2);
    tact_real z2 = cone->dz[2] - (B[3] * s0 + B[4] * s1 + B[5] * s2);
    tact_real *own = work->step + cone->own, *weight = work->weight + cone->own;
    J = work->J + 3 * cone->first;
    for (int k = 0; k < cone->nown; k++, J += 3) {
        tact_real x = weight[k] * (own[k] + J[0] * z0 + J[1] * z1 + J[2] * z2);
        own[k] = x;
        s0 += J[0] * x;
        s1 += J[1] * x;
        s2 += J[2] * x;
    }
    cone->dz[0] = z0;
    cone->dz[1] = z1;
    cone->dz[2] = z2;
    cone->ds[0] = s0;
    cone->ds[1] = s1;
    cone->ds[2] = s2;
}

void tact_newton_solve(tact_path *path) {
    tact_barrier_work *work = path->work;
    int n = path->problem->n, ncone = path->problem->ncone;
    for (int j = 0; j < path->problem->nbound; j++) work->step[work->bound[j].place] += work->bound[j].sign * work->bound[j].dz;
    for (int i = 0; i < ncone; i++) cone_force(work, &work->cone[i]);
    tact_skyline_solve(&work->H, work->pivot, work->step);
    for (int i = 0; i < ncone; i++) cone_expand(work, &work->cone[i]);
    int rest = ncone > 0 ? work->cone[ncone - 1].own + work->cone[ncone - 1].nown : work->H.n;
    for (int i = rest; i < n; i++) work->step[i] *= work->weight[i];
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->ds = bound->sign * work->step[bound->place];
        bound->dz -= bound->B * bound->ds;
    }
}
