// SPDX-License-Identifier: MIT
// The contact trust region as cones for the barrier solver: see the header for the equations.
#include "tact/region.h"

#include "math/elementary.h"

// of the gain that the bounds alone allow: what the barriers may cost
#define REGION_PART TACT_REAL(1e-3)

static tact_region region_sizes(const tact_model *model, int steps) {
    return (tact_region){.steps = steps, .npair = model->npair, .nu = model->nu};
}

// Memory of the steps' contact data and of the largest barrier problem; an arena without memory measures.
static void region_place(tact_region *region, tact_arena *arena) {
    size_t steps = (size_t)region->steps, npair = (size_t)region->npair, nu = (size_t)region->nu;
    // of each step: contacts, their forces, friction, and D = dlambda/du
    region->count = tact_arena_take(arena, steps, sizeof(int));
    region->lambda = tact_arena_take(arena, steps * npair * 3, sizeof(tact_real));
    region->mu = tact_arena_take(arena, steps * npair, sizeof(tact_real));
    region->D = tact_arena_take(arena, steps * npair * 3 * nu, sizeof(tact_real));
    // The program: a cone for the gap and one for the force of each contact, two bounds a command, a dense quadratic.
    region->cone = tact_arena_take(arena, 2 * npair, sizeof(tact_cone));
    region->bound = tact_arena_take(arena, 2 * nu, sizeof(tact_bound));
    region->N = tact_arena_take(arena, npair * 3 * nu, sizeof(tact_real));
    region->d = tact_arena_take(arena, nu, sizeof(tact_real));
    region->lambda_of = tact_arena_take(arena, 6 * npair, sizeof(tact_real));
    region->bound_lambda = tact_arena_take(arena, 2 * nu, sizeof(tact_real));
    TACT_INDICES(arena, nu, &region->column, &region->first);
    region->start = tact_arena_take(arena, nu + 1, sizeof(int));
    region->P = tact_arena_take(arena, nu * (nu + 1) / 2, sizeof(tact_real));
    // the largest program: all pairs in contact, each of their cones moved by all commands
    tact_barrier_size largest = {.n = region->nu,
                                 .ncone = 2 * region->npair,
                                 .nbound = 2 * region->nu,
                                 .columns = 2 * region->npair * region->nu,
                                 .envelope = region->nu * (region->nu + 1) / 2};
    tact_barrier_place(&region->work, largest, arena);
}

size_t tact_region_size(const tact_model *model, int steps) {
    TACT_ASSERT(model && steps >= 1);
    tact_arena arena = {0};
    tact_region region = region_sizes(model, steps);
    region_place(&region, &arena);
    return arena.used;
}

tact_status tact_region_init(tact_region *region, const tact_model *model, int steps, void *memory, size_t size) {
    TACT_ASSERT(region && model && steps >= 1);
    tact_arena arena = {.memory = memory, .size = size};
    *region = region_sizes(model, steps);
    region_place(region, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    // All commands move all contacts; the lower triangle of the quadratic row by row.
    region->start[0] = 0;
    for (int i = 0; i < region->nu; i++) {
        region->column[i] = i;
        region->first[i] = 0;
        region->start[i + 1] = region->start[i] + i + 1;
    }
    for (int k = 0; k < steps; k++) region->count[k] = 0;
    return TACT_CONVERGED;
}

void tact_region_set(tact_region *region, int k, const tact_model *model, const tact_options *options, const tact_work *work,
                     const tact_real *D) {
    TACT_ASSERT(region && 0 <= k && k < region->steps && work->contacts.count <= region->npair && model->nu == region->nu);
    size_t at = (size_t)k * (size_t)region->npair, rows = 3 * (size_t)region->nu;
    region->count[k] = work->contacts.count;
    region->kappa = options->kappa;
    for (int c = 0; c < work->contacts.count; c++) {
        const tact_contact *contact = &work->contacts.contact[c];
        region->mu[at + (size_t)c] = model->pair[contact->pair].mu;
        for (int i = 0; i < 3; i++) region->lambda[3 * (at + (size_t)c) + (size_t)i] = contact->lambda[i];
    }
    for (size_t i = 0; i < rows * (size_t)work->contacts.count; i++) region->D[rows * at + i] = D[i];
}

// One contact of a step: its force, and the gap that belongs to it.
typedef struct {
    tact_real mu, lambda[3], nu[3], scale, z;
    const tact_real *D;
} region_contact;

static region_contact region_find(const tact_region *region, int k, int c) {
    size_t at = (size_t)k * (size_t)region->npair + (size_t)c;
    region_contact found = {.mu = region->mu[at], .D = region->D + 3 * at * (size_t)region->nu};
    for (int i = 0; i < 3; i++) found.lambda[i] = region->lambda[3 * at + (size_t)i];
    const tact_real *l = found.lambda;
    // without friction only the normal counts: nu_n = 2/(kappa lambda_n), as with z = lambda_n^2 and mu = 1
    tact_real mu = found.mu > 0 ? found.mu : 1, t = found.mu > 0 ? tact_sqrt(l[1] * l[1] + l[2] * l[2]) : 0;
    found.z = (mu * l[0] - t) * (mu * l[0] + t);
    found.scale = 2 / (region->kappa * found.z);
    found.nu[0] = found.scale * mu * mu * l[0];
    for (int i = 1; i < 3; i++) found.nu[i] = found.mu > 0 ? -found.scale * l[i] : 0;
    return found;
}

// The change of nu with that of lambda: nu = 2/(kappa z) (mu^2 lambda_n, -lambda_t), dz = 2 mu^2 lambda_n dlambda_n - 2
// lambda_t'dlambda_t.
static void region_move_gap(const region_contact *contact, const tact_real change[3], tact_real out[3]) {
    const tact_real *l = contact->lambda;
    tact_real mu = contact->mu > 0 ? contact->mu : 1, across = contact->mu > 0 ? 1 : 0;
    tact_real dz = 2 * (mu * mu * l[0] * change[0] - across * (l[1] * change[1] + l[2] * change[2])) / contact->z;
    out[0] = contact->scale * mu * mu * (change[0] - l[0] * dz);
    for (int i = 1; i < 3; i++) out[i] = -across * contact->scale * (change[i] - l[i] * dz);
}

// The largest t for which x + t dx stays in the cone x_n >= m |x_t|, x being inside: the least positive root of
// (x_n + t dx_n)^2 - m^2 |x_t + t dx_t|^2 = c + 2 b t + a t^2, without cancellation. A way that meets the rim within rounding, as
// one through the tip, ends there.
static tact_real region_reach_cone(const tact_real x[3], const tact_real dx[3], tact_real m) {
    if (m == 0) return dx[0] < 0 ? tact_min(x[0] / -dx[0], TACT_MAX) : TACT_MAX;
    tact_real square = m * m, t = m * tact_sqrt(x[1] * x[1] + x[2] * x[2]);
    tact_real a = dx[0] * dx[0] - square * (dx[1] * dx[1] + dx[2] * dx[2]);
    tact_real b = x[0] * dx[0] - square * (x[1] * dx[1] + x[2] * dx[2]), c = (x[0] - t) * (x[0] + t);
    tact_real within = b * b - a * c, root = tact_sqrt(tact_max(0, within));
    if (within < -8 * TACT_EPS * b * b || !(root - b > 0)) return TACT_MAX;
    return tact_min(c / (root - b), TACT_MAX);
}

static bool region_bears(const tact_region *region, const region_contact *contact) {
    return contact->lambda[0] >= region->bearing;
}

tact_real tact_region_reach(const tact_region *region, int k, const tact_real *du) {
    TACT_ASSERT(region && 0 <= k && k < region->steps && du);
    tact_real reach = TACT_MAX;
    for (int c = 0; c < region->count[k]; c++) {
        region_contact contact = region_find(region, k, c);
        tact_real force[3] = {0, 0, 0}, gap[3];
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < region->nu; j++) force[i] += contact.D[i * region->nu + j] * du[j];
        // the gap cone moves with the forces, by the linearised step
        region_move_gap(&contact, force, gap);
        reach = tact_min(reach, region_reach_cone(contact.nu, gap, contact.mu));
        // the dual cone of friction mu has slope 1/mu
        tact_real wide = contact.mu > 0 ? 1 / contact.mu : 0;
        if (region_bears(region, &contact)) reach = tact_min(reach, region_reach_cone(contact.lambda, force, wide));
    }
    return reach;
}

// Whether some du within the bounds leads out of a cone: not where x_n - m |x_t| is more than sum_j (|J_nj| + m |J_tj|) most_j.
static bool region_may_leave(const tact_cone *cone, const tact_real *most) {
    const tact_real *c = cone->c, *J = cone->J;
    tact_real room = c[0] - cone->mu * tact_sqrt(c[1] * c[1] + c[2] * c[2]);
    for (int j = 0; j < cone->width; j++) {
        tact_real x = J[cone->width + j], y = J[2 * cone->width + j];
        room -= (tact_fabs(J[j]) + cone->mu * tact_sqrt(x * x + y * y)) * most[j];
    }
    return !(room > 0);
}

// The cones of step k that may bind within the bounds, N in scratch; how many.
static int region_fill_cones(tact_region *region, int k, tact_real kappa, const tact_real *most) {
    int count = 0, nu = region->nu;
    for (int c = 0; c < region->count[k]; c++) {
        region_contact contact = region_find(region, k, c);
        tact_real *N = region->N + (size_t)(3 * c) * (size_t)nu;
        for (int j = 0; j < nu; j++) {
            const tact_real column[3] = {contact.D[j], contact.D[nu + j], contact.D[2 * nu + j]};
            tact_real out[3];
            region_move_gap(&contact, column, out);
            for (int i = 0; i < 3; i++) N[i * nu + j] = out[i];
        }
        tact_cone gap = {.width = nu, .column = region->column, .J = N, .mu = contact.mu, .kappa = kappa}, force = gap;
        for (int i = 0; i < 3; i++) gap.c[i] = contact.nu[i];
        // cones that no change within the bounds can leave are left out
        if (region_may_leave(&gap, most)) region->cone[count++] = gap;
        if (!region_bears(region, &contact)) continue;
        force.J = contact.D;
        force.mu = contact.mu > 0 ? 1 / contact.mu : 0;
        for (int i = 0; i < 3; i++) force.c[i] = contact.lambda[i];
        if (region_may_leave(&force, most)) region->cone[count++] = force;
    }
    return count;
}

tact_status tact_region_minimise(tact_region *region, int k, const tact_real *H, const tact_real *g, const tact_real *lower,
                                 const tact_real *upper, tact_real *du) {
    TACT_ASSERT(region && 0 <= k && k < region->steps && H && g && lower && upper && du);
    int nu = region->nu, nbound = 0;
    tact_real gain = 0;
    // decrease that the bounds alone allow, and the quadratic
    for (int i = 0; i < nu; i++) {
        tact_real slope = g[i];
        for (int j = 0; j < nu; j++) slope += H[i * nu + j] * du[j] / 2;
        gain -= slope * du[i];
        for (int j = 0; j <= i; j++) region->P[region->start[i] + j] = H[i * nu + j];
    }
    // bounds that force a way upwards give no scale
    if (!(gain > 0)) return tact_region_reach(region, k, du) > 1 ? TACT_CONVERGED : TACT_UNDECIDED;
    // Each barrier costs 2/kappa at the most: all together a part of the gain.
    tact_real kappa = 2 * (tact_real)(2 * region->count[k] + 2 * nu) / (REGION_PART * gain);
    for (int i = 0; i < nu; i++) {
        // bounds that meet are held apart by rounding, so that there is an inside
        tact_real apart = 64 * TACT_EPS * (1 + tact_fabs(lower[i]) + tact_fabs(upper[i]));
        tact_bound bound = {.column = i, .sign = 1, .c = apart - lower[i], .kappa = kappa};
        region->bound[nbound++] = bound;
        bound.sign = -1;
        bound.c = apart + upper[i];
        region->bound[nbound++] = bound;
        region->d[i] = tact_max(tact_fabs(lower[i]), tact_fabs(upper[i])) + apart;
    }
    // the barrier program min d'H d/2 + g'd over the cones of the contacts and the bounds
    tact_skyline P = {.n = nu, .first = region->first, .start = region->start, .value = region->P};
    tact_barrier_problem problem = {.n = nu,
                                    .ncone = region_fill_cones(region, k, kappa, region->d),
                                    .nbound = nbound,
                                    .P = P,
                                    .p = g,
                                    .cone = region->cone,
                                    .bound = region->bound};
    tact_barrier_options options = tact_barrier_options_default();
    options.tolerance = tact_sqrt(TACT_EPS);
    tact_barrier_solution solution = {.d = region->d, .lambda = region->lambda_of, .bound_lambda = region->bound_lambda};
    tact_status status = tact_barrier_solve(&problem, &options, &region->work, &solution);
    if (status < 0) return status;
    // an answer at the iteration limit, or on bounds that meet, may lie outside
    for (int i = 0; i < nu; i++) region->d[i] = tact_clamp(region->d[i], lower[i], upper[i]);
    if (!(tact_region_reach(region, k, region->d) > 1)) return TACT_UNDECIDED;
    for (int i = 0; i < nu; i++) du[i] = region->d[i];
    return status;
}
