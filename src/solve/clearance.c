// SPDX-License-Identifier: MIT
// Phase 1 by Mehrotra's predictor-corrector method. The column of t borders the Newton system; it is eliminated by a second
// solution with the same factor, the response of d (response) and z (y) to dt = 1:
//
//     dz = dz_0 + dt y,   e'dz + dpull = missing,   pull droom + room dpull = target - room pull,   droom = -dt
#include "solve/clearance.h"

#include "math/elementary.h"
#include "solve/columns.h"
#include "solve/newton.h"

// Ridge relative to the diagonal: large enough to factor a rank-deficient J, small enough not to hold directions that only
// inactive contacts resist.
#ifdef TACT_FLOAT
#define RIDGE (64 * TACT_EPS)
#else
#define RIDGE (1024 * TACT_EPS)
#endif

// Number of complementarity products of contacts and limits.
static int clearance_members(const tact_path *path) {
    return path->problem->ncone + path->problem->nbound;
}

void tact_clearance_begin(tact_clearance *clear, tact_path *path) {
    TACT_ASSERT(clear);
    tact_barrier_work *work = path->work;
    // largest entry of J
    const tact_barrier_problem *problem = path->problem;
    // the Jacobian of a joint limit is +-1
    tact_real J = problem->nbound > 0 ? 1 : 0;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < 3 * problem->cone[i].width; k++) J = tact_max(J, tact_fabs(problem->cone[i].J[k]));
    tact_real scale = path->extent > 0 ? path->extent : 1;
    // start: t = -4 scale, so that s = c - t e lies inside every cone, with slack 5 scale; if all gaps are 0 any scale will do.
    // Equal forces with e'z + pull = 1 (missing = 0)
    tact_real share = 1 / (tact_real)(clearance_members(path) + 1);
    *clear = (tact_clearance){.path = path, .most = scale, .t = -4 * scale, .room = 5 * scale, .pull = share};
    // the system of phase 1 has a small ridge in the place of P
    path->phase1 = true;
    path->ridge = RIDGE;
    path->floor = TACT_EPS * (J > 0 ? J * J : 1) * share / scale;
    tact_newton_pack(path);
    for (int i = 0; i < path->problem->n; i++) work->d[i] = 0;
    // s = c - t e, z = e/(m + 1)
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) {
            cone->s[k] = cone->c[k] - (k ? 0 : clear->t);
            cone->z[k] = tact_wide_all(k ? 0 : share);
        }
    }
    for (int j = 0; j < path->problem->nbound; j++) {
        work->bound[j].s = work->bound[j].c - clear->t;
        work->bound[j].z = share;
    }
}

void tact_clearance_measure(tact_clearance *clear) {
    TACT_ASSERT(clear);
    tact_path *path = clear->path;
    tact_barrier_work *work = path->work;
    // the complementarity of t <= most counts as one more cone
    tact_real sum = clear->room * clear->pull, pulls = clear->pull;
    clear->inside = true;
    // g = -J'z: the balance without P and p
    for (int i = 0; i < path->problem->n; i++) work->g[i] = 0;
    for (int i = 0; i < work->ngroup; i++) {
        // nu = J d + c, s'z, e'z and -J'z of the cones in the lanes
        tact_cone_iterate *cone = &work->cone[i];
        // nu = J d + c of the cones in the lanes; whether all lie inside by more than the rounding of the sums
        tact_columns columns = tact_columns_of(cone);
        // size: magnitudes of all terms of nu, for its rounding
        tact_wide size = tact_wide_all(0), nu[3] = {cone->c[0], cone->c[1], cone->c[2]};
        for (int k = 0; k < 3; k++) size += tact_wide_abs(nu[k]);
        for (int a = 0; a < columns.count; a++) {
            const tact_wide *J = columns.J + 3 * a;
            tact_real x = work->d[columns.place[a]];
            for (int k = 0; k < 3; k++) {
                nu[k] += J[k] * x;
                size += tact_wide_abs(J[k] * x);
            }
        }
        for (int k = 0; k < 3; k++) cone->nu[k] = nu[k];
        // inside: det nu above its own rounding, and a positive normal component
        tact_wide det = tact_cone_det(nu);
        tact_mask inside = (nu[0] > tact_wide_all(0)) & (det > 16 * TACT_EPS * size * nu[0]);
        clear->inside &= !tact_mask_any(tact_mask_not(inside));
        for (int lane = 0; lane < cone->members; lane++)
            for (int k = 0; k < 3; k++) sum += tact_wide_get(&cone->s[k], lane) * tact_wide_get(&cone->z[k], lane);
        pulls = tact_each_add(pulls, cone->z[0], cone->members);
        tact_columns_pull(tact_columns_of(cone), cone->z[0], cone->z[1], cone->z[2], work->g);
    }
    // the same in one dimension
    for (int j = 0; j < path->problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        tact_real move = bound->sign * work->d[bound->place];
        bound->nu = bound->c + move;
        clear->inside &= bound->nu > 8 * TACT_EPS * (tact_fabs(bound->c) + tact_fabs(move));
        sum += bound->s * bound->z;
        pulls += bound->z;
        work->g[bound->place] -= bound->sign * bound->z;
    }
    // the mean product is driven to zero; missing is the residual of e'z + pull = 1
    clear->mean = sum / (tact_real)(clearance_members(path) + 1);
    clear->missing = 1 - pulls;
}

typedef struct {
    tact_real gaps, forces;  // step lengths of s and z
} clearance_reach;

// Step lengths of gaps and forces: 0.99 of the distance to the boundary of their cones, at most 1.
static clearance_reach find_reach(const tact_clearance *clear) {
    const tact_barrier_problem *problem = clear->path->problem;
    const tact_barrier_work *work = clear->path->work;
    // the slack of t <= most and its force limit the steps like a cone of dimension one
    clearance_reach far = {TACT_MAX, TACT_MAX};
    if (clear->droom < 0) far.gaps = -clear->room / clear->droom;
    if (clear->dpull < 0) far.forces = -clear->pull / clear->dpull;
    // boundaries of the cones of gaps and of forces
    for (int i = 0; i < work->ngroup; i++) {
        const tact_cone_iterate *cone = &work->cone[i];
        far.gaps = tact_min(far.gaps, tact_each_least(tact_cone_max_step(cone->s, cone->ds, cone->det_s)));
        far.forces = tact_min(far.forces, tact_each_least(tact_cone_max_step(cone->z, cone->dz, cone->det_z)));
    }
    for (int j = 0; j < problem->nbound; j++) {
        const tact_bound_iterate *bound = &work->bound[j];
        if (bound->ds < 0) far.gaps = tact_min(far.gaps, -bound->s / bound->ds);
        if (bound->dz < 0) far.forces = tact_min(far.forces, -bound->z / bound->dz);
    }
    // fraction to the boundary 0.99, and at most the full Newton step
    far.gaps = tact_min(1, TACT_REAL(0.99) * far.gaps);
    far.forces = tact_min(1, TACT_REAL(0.99) * far.forces);
    return far;
}

// Newton direction of phase 1 towards products equal to `target`, with `second` times the second-order terms of the last
// direction. Returns the step lengths of gaps and forces.
static clearance_reach clearance_direction(tact_clearance *clear, tact_real target, tact_real second) {
    const tact_barrier_problem *problem = clear->path->problem;
    tact_barrier_work *work = clear->path->work;
    // direction at dt = 0; force balance H dd = -g + J'f
    for (int i = 0; i < problem->n; i++) work->step[i] = -work->g[i];
    const tact_wide zero = tact_wide_all(0);
    // complementarity: W^-1 ds + W dz = target l^-1 - l - second order, ds = J dd + nu - t e - s
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        tact_wide missing[3], order[3] = {zero, zero, zero}, to[3];
        for (int k = 0; k < 3; k++) missing[k] = cone->nu[k] - (k ? 0 : clear->t) - cone->s[k];
        if (second > 0) tact_cone_second_order(cone, order);
        tact_cone_aim(cone, tact_wide_all(target), missing, to);
        for (int k = 0; k < 3; k++) cone->dz[k] = to[k] - second * order[k];
    }
    // force of a joint limit: B (target/z - second order - (nu - t))
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        tact_real order = second > 0 ? second * bound->ds * bound->dz / bound->z : 0;
        bound->dz = bound->B * (target / bound->z - order - (bound->nu - clear->t));
    }
    tact_newton_solve(clear->path);
    // border row e'dz + dpull = missing, solved for dt, with the residual of t + room = most and the linearised product of room
    // and pull, droom = off - dt
    tact_real order = second > 0 ? second * clear->droom * clear->dpull : 0, off = clear->most - clear->t - clear->room;
    tact_real rest = (target - order) / clear->room - clear->pull - clear->pull * off / clear->room;
    tact_real sum = clear->missing - rest;
    for (int i = 0; i < work->ngroup; i++) sum = tact_each_take(sum, work->cone[i].dz[0], work->cone[i].members);
    for (int j = 0; j < problem->nbound; j++) sum -= work->bound[j].dz;
    // dt = (missing - rest - e'dz_0) / (e'y + pull/room)
    tact_real dt = clear->dt = sum / (clear->response_sum + clear->pull / clear->room);
    clear->droom = off - dt;
    clear->dpull = rest + clear->pull * dt / clear->room;
    // dd = dd_0 + dt response,  dz = dz_0 + dt y,  ds = J dd + nu - (t + dt) e - s
    for (int i = 0; i < problem->n; i++) work->step[i] += dt * work->response[i];
    for (int i = 0; i < work->ngroup; i++) {
        tact_cone_iterate *cone = &work->cone[i];
        for (int k = 0; k < 3; k++) {
            cone->dz[k] += dt * cone->y[k];
            cone->ds[k] = cone->nu[k] - (k ? 0 : clear->t + dt) - cone->s[k];
        }
        tact_columns_gap(tact_columns_of(cone), work->step, cone->ds);
    }
    for (int j = 0; j < problem->nbound; j++) {
        tact_bound_iterate *bound = &work->bound[j];
        bound->dz += dt * bound->y;
        bound->ds = bound->sign * work->step[bound->place] + bound->nu - (clear->t + dt) - bound->s;
    }
    return find_reach(clear);
}

bool tact_clearance_step(tact_clearance *clear) {
    TACT_ASSERT(clear);
    // Mehrotra: predictor to 0, corrector to (1 - t)^3 times the mean product; a centring step if that is short
    // response of d (response) and z (y) to dt = 1, with response_sum = e'y
    const tact_barrier_problem *problem = clear->path->problem;
    tact_barrier_work *work = clear->path->work;
    const tact_wide grown[3] = {tact_wide_all(1), tact_wide_all(0), tact_wide_all(0)};
    // right-hand side of dt = 1: ds = -e, hence W^-1 e in scaled coordinates
    for (int i = 0; i < problem->n; i++) work->step[i] = 0;
    for (int i = 0; i < work->ngroup; i++) tact_cone_unscaled(&work->cone[i], grown, work->cone[i].dz);
    for (int j = 0; j < problem->nbound; j++) work->bound[j].dz = work->bound[j].B;
    tact_newton_solve(clear->path);
    // keep the response: the direction itself is solved for next
    for (int i = 0; i < problem->n; i++) work->response[i] = work->step[i];
    // response_sum = e'y, the cones' part of the Schur complement
    clear->response_sum = 0;
    for (int i = 0; i < work->ngroup; i++) {
        for (int k = 0; k < 3; k++) work->cone[i].y[k] = work->cone[i].dz[k];
        clear->response_sum = tact_each_add(clear->response_sum, work->cone[i].y[0], work->cone[i].members);
    }
    for (int j = 0; j < problem->nbound; j++) clear->response_sum += work->bound[j].y = work->bound[j].dz;
    clearance_reach far = clearance_direction(clear, 0, 0);
    tact_real rest = 1 - tact_min(far.gaps, far.forces);
    far = clearance_direction(clear, rest * rest * rest * clear->mean, 1);
    if (tact_min(far.gaps, far.forces) < TACT_REAL(0.1)) far = clearance_direction(clear, clear->mean, 0);
    // the step: d, s, t and room by the step length of the gaps, z and pull by that of the forces
    // a NaN or an infinity anywhere shows in the sum of magnitudes
    tact_real size = tact_fabs(clear->dt) + tact_fabs(clear->dpull);
    for (int i = 0; i < problem->n; i++) size += tact_fabs(work->step[i]);
    for (int i = 0; i < work->ngroup; i++)
        for (int k = 0; k < 3; k++)
            size = tact_each_add(size, tact_wide_abs(work->cone[i].ds[k]) + tact_wide_abs(work->cone[i].dz[k]), TACT_LANES);
    for (int j = 0; j < problem->nbound; j++) size += tact_fabs(work->bound[j].ds) + tact_fabs(work->bound[j].dz);
    if (!tact_is_finite(size)) return false;
    // primal and dual variables are feasible separately, hence two step lengths
    for (int i = 0; i < problem->n; i++) work->d[i] += far.gaps * work->step[i];
    for (int i = 0; i < work->ngroup; i++)
        for (int k = 0; k < 3; k++) {
            work->cone[i].s[k] += far.gaps * work->cone[i].ds[k];
            work->cone[i].z[k] += far.forces * work->cone[i].dz[k];
        }
    for (int j = 0; j < problem->nbound; j++) {
        work->bound[j].s += far.gaps * work->bound[j].ds;
        work->bound[j].z += far.forces * work->bound[j].dz;
    }
    // the border: t with its slack, and the slack's force
    clear->t += far.gaps * clear->dt;
    clear->room += far.gaps * clear->droom;
    clear->pull += far.forces * clear->dpull;
    return true;
}
