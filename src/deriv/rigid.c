// SPDX-License-Identifier: MIT
// Linearisation of the rigid step, by the implicit function theorem on the active pieces. With F the residual of the equations
// of motion of law/rigid_system.c at fixed v+ and r,
//
//     (A - dturning/dv+) dv+ - J'dr = dF ,
//     sticking   J dv+ = -du ,
//     sliding    J_n dv+ = -du_n ,  dr_t + mu d dr_n + mu r_n (1 - d d') (J_t dv+ + du_t) / |u_t| = -dmu r_n d ,  d = u_t/|u_t|
//
// du being the change of u at fixed v+. With polyhedral cones, r_t/(mu r_n) of a sliding contact stays at a vertex -d of the
// polygon, or on the edge normal to d, whose midpoint is -d; e, along that edge, is then a direction in which the contact does
// not slide:
//
//     corner     dr_t + mu d dr_n = -dmu r_n d
//     edge       d'dr_t + mu d'd dr_n = -dmu r_n d'd ,  e'J_t dv+ = -e'du_t
//
// The new state follows from q+ = q (+) h v+ and M(q+) v = p+.
#include "deriv/sweep.h"
#include "deriv/tie.h"
#include "law/rigid.h"
#include "math/elementary.h"
#include "sim/step.h"
#include "solve/friction.h"
#include "solve/lu.h"

enum { SLOPE_ROOM = 600 };  // impulses at most

#define SLOPE_NEAR tact_max(TACT_REAL(1e-7), 128 * TACT_EPS)  // relative distance from another piece below which there is a kink
#define SLOPE_RIM tact_max(TACT_REAL(1e-6), 128 * TACT_EPS)   // distance from a polygon of unit radius that counts as none
#define SLOPE_RIDGE (64 * TACT_EPS)                      // regularisation of redundant contacts, relative to a row's own entry
#define SLOPE_REDUNDANT (TACT_REAL(1e-3) / SLOPE_RIDGE)  // response to a unit request that only the regularisation bounds

// Memory of the linearised rigid step; an arena that only measures returns none.
static void slope_place(tact_rigid_deriv *deriv, const tact_model *model, tact_arena *arena) {
    // unknowns: v+ and the nonzero impulses, at most SLOPE_ROOM
    size_t nv = (size_t)model->nv, rows = 3 * (size_t)(tact_model_pairs(model) + model->nv);
    deriv->most = rows < SLOPE_ROOM ? (int)rows : SLOPE_ROOM;
    size_t n = nv + (size_t)deriv->most;
    // dense matrix of the linearised step, its row exchanges, right-hand side and solution
    deriv->matrix = tact_arena_take(arena, n * n, sizeof(tact_real));
    deriv->exchange = tact_arena_take(arena, n, sizeof(int));
    TACT_VECTORS(arena, n, &deriv->right, &deriv->solve);
    // unknown of each constraint row; slip of each contact and, for restitution, d(J_n v)/dq
    deriv->row = tact_arena_take(arena, rows, sizeof(int));
    deriv->slip = tact_arena_take(arena, rows, sizeof(tact_real));
    deriv->bounce = tact_arena_take(arena, (size_t)tact_model_columns(model), sizeof(tact_real));
    tact_real **vector[] = {&deriv->by_velocity, &deriv->turning, &deriv->end, &deriv->load,
                            &deriv->next_q,      &deriv->basis,   &deriv->unit};
    for (size_t k = 0; k < sizeof vector / sizeof *vector; k++) *vector[k] = tact_arena_take(arena, nv, sizeof(tact_real));
    deriv->change = tact_arena_take(arena, 6 * (size_t)model->nbody, sizeof(tact_vec3));
    tact_dynamics_place(&deriv->start, model, arena);
    tact_dynamics_place(&deriv->with, model, arena);
    tact_dynamics_place(&deriv->stop, model, arena);
    deriv->cone = tact_arena_take(arena, (size_t)tact_model_pairs(model), sizeof(tact_cone));
}

size_t tact_rigid_deriv_size(const tact_model *model) {
    tact_arena arena = {0};
    tact_rigid_deriv deriv;
    slope_place(&deriv, model, &arena);
    tact_arena_take(&arena, tact_deriv_size(model), 1);
    return arena.used;
}

tact_status tact_rigid_deriv_init(tact_rigid_deriv *deriv, const tact_model *model, void *memory, size_t size) {
    TACT_ASSERT(deriv && model);
    tact_arena arena = {.memory = memory, .size = size};
    slope_place(deriv, model, &arena);
    size_t inner = tact_deriv_size(model);
    void *contact = tact_arena_take(&arena, inner, 1);
    if (!contact) return TACT_NO_MEMORY;
    deriv->kink = false;
    deriv->of = (tact_rigid_record){0};
    return tact_deriv_init(&deriv->contact, model, contact, inner);
}

static tact_sweep slope_sweep(const tact_rigid_deriv *d, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                              const tact_real *v) {
    tact_sweep sweep = {d->of.model, kinematics, dynamics, v, d->of.options->dt, d->change};
    return sweep;
}

static tact_real slope_largest(const tact_rigid_deriv *d, const tact_rigid_block *block, int row) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real most = 0;
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        int n = rigid->begin[block->side[s].component + 1] - rigid->begin[block->side[s].component];
        most = tact_max(most, tact_largest(block->side[s].J + row * n, n));
    }
    return most;
}

static const tact_contact *slope_contact(const tact_rigid_deriv *d, int i) {
    int index = d->of.work->rigid->block[i].contact;
    return index >= 0 ? &d->of.work->contacts.contact[index] : NULL;
}

static tact_real slope_mu(const tact_rigid_deriv *d, int i) {
    const tact_contact *contact = slope_contact(d, i);
    return contact ? d->of.model->pair[contact->pair].mu : 0;
}

// Whether the impulse of a sliding contact is on an edge of its polygon: its direction is nearer to an edge's midpoint than to
// a vertex.
static bool slope_on_edge(const tact_rigid_deriv *d, int i) {
    const tact_real *slip = d->slip + 3 * i;
    return d->of.options->cone == TACT_CONE_POLYHEDRAL && slip[0] * slip[0] + slip[1] * slip[1] < TACT_REAL(0.95);
}

// Piece of a contact with polyhedral cones, with pull = r_t/(mu r_n) and slip = J_t v+: inside the polygon, on the nearest
// edge, or at the vertex of two edges.
static void slope_choose_polygon(tact_rigid_deriv *d, const tact_real pull[2], tact_real speed, tact_real *slip) {
    const tact_real turn = TACT_REAL(6.283185307179586476925286766559) / TACT_RIGID_FACETS;
    // fast: sliding speed; against: its component against each edge that the impulse is on
    tact_real fast = tact_sqrt(slip[0] * slip[0] + slip[1] * slip[1]), against[2] = {0, 0}, sum[2] = {0, 0};
    tact_real middle = 0, sine = 0, cosine = 0;
    int edges = 0;
    tact_sincos(turn / 2, &sine, &middle);
    // an impulse on the boundary of the polygon is on one edge, or at a vertex on two
    for (int k = 0; k < TACT_RIGID_FACETS; k++) {
        tact_sincos(turn * ((tact_real)k + TACT_REAL(0.5)), &sine, &cosine);
        if (edges == 2 || !(cosine * pull[0] + sine * pull[1] >= middle - SLOPE_RIM)) continue;
        against[edges++] = -(cosine * slip[0] + sine * slip[1]);
        sum[0] -= cosine;
        sum[1] -= sine;
    }
    bool moves = fast > SLOPE_NEAR * speed;
    slip[0] = slip[1] = 0;
    if (moves != (edges > 0)) d->kink = true;
    if (!moves || edges == 0) return;
    // at a vertex the contact slides against both edges; against one only, it is about to move along the other
    if (edges == 2) {
        tact_sincos(turn, &sine, &cosine);
        if (tact_min(against[0] - cosine * against[1], against[1] - cosine * against[0]) <= SLOPE_NEAR * speed) d->kink = true;
    }
    // the sum of the normals of two edges has the length of twice the cosine of half their angle, towards their vertex
    tact_real scale = edges == 1 ? middle : 1 / (2 * middle);
    slip[0] = scale * sum[0];
    slip[1] = scale * sum[1];
    slip[2] = fast;
}

// N and T of all contacts at h v+, and d(J_n v)/dq of those with restitution.
static void slope_contacts(tact_rigid_deriv *d) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_work shadow = *d->of.work;
    tact_options plain = *d->of.options;
    tact_real *N = d->contact.slope_N, *T = d->contact.slope_T;
    tact_contact_motion *move = d->contact.slope_move;
    // without anchors, with the present J and impulses, the barrier law's routine gives N and T at any displacement
    plain.anchor = false;
    shadow.cone = d->cone;
    shadow.displacement = d->basis;
    d->contact.frozen_geometry = false;
    for (int c = 0; c < d->of.work->contacts.count; c++) {
        const tact_contact *contact = &d->of.work->contacts.contact[c];
        d->cone[c] = (tact_cone){.width = contact->width,
                                 .column = model->column + model->column_start[contact->pair],
                                 .J = contact->J,
                                 .mu = 1,
                                 .kappa = 1};
        d->contact.contact[c] = (tact_contact_slope){.N = N, .T = T, .move = move};
        N += 3 * contact->width;
        T += contact->width * contact->width;
        move += contact->width;
        // first at h v, for the normal row
        for (int v = 0; v < model->nv; v++) d->basis[v] = d->of.options->dt * d->of.before->v[v];
        tact_contact_linearise(model, &plain, d->of.before, &shadow, c, &d->contact);
        tact_real *bounce = d->bounce + model->column_start[contact->pair];
        for (int k = 0; k < contact->width; k++) bounce[k] = (d->contact.contact[c].N[k] - contact->J[k]) / d->of.options->dt;
        // then at h v+, for the equations of the step
        for (int v = 0; v < model->nv; v++) d->basis[v] = d->of.options->dt * rigid->next[v];
        tact_contact_linearise(model, &plain, d->of.before, &shadow, c, &d->contact);
        d->kink = d->kink || (d->contact.contact[c].jumps && contact->lambda[0] > 0);
    }
}

static tact_real *slope_entry(tact_rigid_deriv *d, int row, int column) {
    return d->matrix + (size_t)row * (size_t)d->unknowns + (size_t)column;
}

// Adds row k of J, times the factor, to an equation or to the column of an impulse.
static void slope_add_row(tact_rigid_deriv *d, const tact_rigid_block *block, int k, int at, bool column, tact_real factor) {
    // Both bodies of the constraint.
    const tact_rigid_work *rigid = d->of.work->rigid;
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        int first = rigid->begin[block->side[s].component], n = rigid->begin[block->side[s].component + 1] - first;
        for (int j = 0; j < n; j++)
            *slope_entry(d, column ? first + j : at, column ? at : first + j) += factor * block->side[s].J[k * n + j];
    }
}

// Coefficient of the change of a sliding contact's u_t (row k, tangent l): mu r_n / |u_t| (1 - d d'); with polyhedral cones 0
// at a vertex, and on an edge e in the second row.
static tact_real slope_swing(const tact_rigid_deriv *d, int i, int k, int l) {
    const tact_real *slip = d->slip + 3 * i;
    if (d->of.options->cone == TACT_CONE_POLYHEDRAL) return k == 0 || !slope_on_edge(d, i) ? 0 : l == 0 ? -slip[1] : slip[0];
    return slope_mu(d, i) * d->of.work->rigid->r[3 * i] / slip[2] * ((k == l) - slip[k] * slip[l]);
}

// Entry J A^-1 J' of one row, the scale of its regularisation.
static tact_real slope_own(const tact_rigid_deriv *d, const tact_rigid_block *block, int k) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real sum = 0;
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        int n = rigid->begin[block->side[s].component + 1] - rigid->begin[block->side[s].component];
        sum += tact_dot(block->side[s].J + k * n, block->side[s].Y + k * n, n);
    }
    return sum;
}

// Coefficient of mu r_n in row k of a sliding contact's tangents.
static tact_real slope_grip(const tact_rigid_deriv *d, int i, int k) {
    const tact_real *slip = d->slip + 3 * i;
    if (!slope_on_edge(d, i)) return slip[k];
    return k == 0 ? slip[0] * slip[0] + slip[1] * slip[1] : 0;
}

// Impulse terms of row k of a sliding contact's tangents.
static void slope_add_friction(tact_rigid_deriv *d, int i, int k) {
    const tact_real *slip = d->slip + 3 * i;
    int row = d->row[3 * i + k + 1], first = d->row[3 * i + 1];
    *slope_entry(d, row, d->row[3 * i]) += slope_mu(d, i) * slope_grip(d, i, k);
    if (!slope_on_edge(d, i)) {
        *slope_entry(d, row, row) += 1;
        return;
    }
    // the second row is that of e, regularised for redundant contacts
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    tact_real small = SLOPE_RIDGE * tact_max(slope_own(d, block, 1), slope_own(d, block, 2));
    for (int l = 0; l < 2; l++) *slope_entry(d, row, first + l) += k == 0 ? slip[l] : small * (l == 0 ? -slip[1] : slip[0]);
}

// Rows and columns of constraint i: -J' of its impulses, and the equation of its mode (sticking, sliding or normal).
static void slope_add_constraint(tact_rigid_deriv *d, int i) {
    TACT_ASSERT(i >= 0);
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    const tact_real *slip = d->slip + 3 * i;
    // sticking or normal row: J dv+ = -du, regularised; sliding tangents: their friction equation
    for (int k = 0; k < 3; k++) {
        int row = d->row[3 * i + k];
        if (row < 0) continue;
        // -J' into the column of the impulse
        slope_add_row(d, block, k, row, true, -1);
        if (k == 0 || !(slip[2] > 0)) {
            slope_add_row(d, block, k, row, false, 1);
            *slope_entry(d, row, row) += SLOPE_RIDGE * slope_own(d, block, k);
            continue;
        }
        slope_add_friction(d, i, k - 1);
        for (int l = 0; l < 2; l++) slope_add_row(d, block, l + 1, row, false, slope_swing(d, i, k - 1, l));
    }
}

// Whether some combination of impulses moves nothing, so that only the regularisation bounds it: one step of inverse iteration
// with the factored matrix. The right side asks each normal and sticking row for about one impulse; its weights differ, so that
// it is not orthogonal to the null vector. Independent constraints respond with order 1, redundant ones with 1 / SLOPE_RIDGE.
static bool slope_is_redundant(tact_rigid_deriv *d, const tact_lu *lu) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    for (int k = 0; k < d->unknowns; k++) d->right[k] = 0;
    for (int i = 0; i < rigid->count; i++)
        for (int k = 0; k < 3; k++) {
            int row = d->row[3 * i + k];
            if (row >= 0 && (k == 0 || !(d->slip[3 * i + 2] > 0)))
                d->right[row] = slope_own(d, &rigid->block[i], k) * (tact_real)(1 + 7 * row % 5);
        }
    tact_lu_solve(lu, d->right, d->solve);
    return tact_largest(d->solve + d->of.model->nv, d->unknowns - d->of.model->nv) >= SLOPE_REDUNDANT;
}

// Matrix of the linearised step [A - dturning/dv+, -J'; equations of the constraints], and its LU factors. False when it is
// singular.
static bool slope_factor(tact_rigid_deriv *d) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real h = d->of.options->dt;
    size_t n = (size_t)d->unknowns;
    for (size_t k = 0; k < n * n; k++) d->matrix[k] = 0;
    // A = d(p+ - turning)/dv+, column by column by the sweep, plus h^2 K + h D
    tact_sweep sweep = slope_sweep(d, &d->of.work->kinematics, &d->with, rigid->next);
    for (int j = 0; j < model->nv; j++) {
        for (int i = 0; i < model->nv; i++) d->basis[i] = i == j;
        tact_direction direction = {.v = d->basis, .body = -1};
        tact_sweep_momentum(&sweep, direction, d->by_velocity, d->turning, NULL);
        for (int i = 0; i < model->nv; i++) *slope_entry(d, i, j) = d->by_velocity[i] - d->turning[i];
        *slope_entry(d, j, j) += h * (h * model->dof[j].stiffness + model->dof[j].damping);
        // springs and loops couple several dofs: columns of their stiffness and damping
        if (tact_ties(model) == 0) continue;
        for (int i = 0; i < model->nv; i++) d->by_velocity[i] = 0;
        tact_ties_resist(model, d->of.work, h, d->basis, d->contact.sway, d->by_velocity);
        for (int i = 0; i < model->nv; i++) *slope_entry(d, i, j) += d->by_velocity[i];
    }
    // active constraints border A: a row for each equation, a column for each impulse
    for (int i = 0; i < rigid->count; i++) slope_add_constraint(d, i);
    // LU with row exchanges; with redundant constraints the motion is unique, the impulses are not
    tact_lu lu = {.n = d->unknowns, .stride = n, .value = d->matrix, .order = d->exchange};
    bool factored = tact_lu_factor(&lu, 0, d->right);
    d->redundant = factored && slope_is_redundant(d, &lu);
    return factored;
}

tact_status tact_rigid_linearise(tact_rigid_deriv *d, const tact_rigid_record *step) {
    TACT_ASSERT(d && step && step->model && step->options && step->input && step->work);
    const tact_model *model = step->model;
    const tact_work *work = step->work;
    if (model->law != &tact_law_rigid || tact_step_model(model, work) != model || work->status < 0) return TACT_BAD_INPUT;
    TACT_ASSERT(tact_model_has_sizes(model, &d->contact.of) && tact_work_fits(work, model));
    TACT_ASSERT(tact_state_fits(step->before, model) && tact_state_fits(step->after, model));
    d->of = *step;
    d->kink = work->status == TACT_AMBIGUOUS || work->rigid->correction > 0 || (tact_ties(model) > 0 && work->at_limit);
    if (!tact_deriv_find_turns(model, work, &d->contact)) return TACT_BAD_INPUT;
    // active set: each contact sticks, slides or is open, as in the solution
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real speed = 0, push = 0;
    for (int i = 0; i < d->of.model->nv; i++)
        speed = tact_max(speed, tact_max(tact_fabs(rigid->next[i]), tact_fabs(rigid->free[i])));
    for (int i = 0; i < 3 * rigid->count; i++) push = tact_max(push, rigid->r[i]);
    d->unknowns = d->of.model->nv;
    if (3 * rigid->count > d->most) return TACT_NO_MEMORY;
    for (int i = 0; i < rigid->count; i++) {
        // piece of constraint i: its nonzero impulses, and how it slides
        TACT_ASSERT(i >= 0 && i < d->of.work->rigid->count);
        const tact_real *r = rigid->r + 3 * i;
        tact_real mu = slope_mu(d, i), *slip = d->slip + 3 * i;
        // Rows: two limits of a dof, three of a contact with friction, one without.
        int rows = !slope_contact(d, i) ? 2 : mu > 0 ? 3 : 1;
        slip[0] = slip[1] = slip[2] = 0;
        for (int k = 0; k < 3; k++) {
            bool bears = k < rows && (mu > 0 ? r[0] : r[k]) > 0;
            d->row[3 * i + k] = bears ? d->unknowns++ : -1;
            if (bears && !(r[k] > SLOPE_NEAR * push) && (k == 0 || mu == 0)) d->kink = true;
            // at velocity level the speed closes a gap, but a displacement without speed removes an overlap
            if (d->of.options->level == TACT_LEVEL_VELOCITY && bears && (k == 0 || rows == 2)) {
                const tact_contact *contact = slope_contact(d, i);
                const tact_dof *dof = contact ? NULL : &d->of.model->dof[rigid->block[i].dof];
                tact_real q = dof ? step->before->q[dof->q] : 0;
                tact_real gap = !dof ? contact->gap : k == 0 ? q - dof->lower : dof->upper - q;
                if (tact_fabs(gap) <= SLOPE_NEAR * step->options->dt * speed + rigid->slack) d->kink = true;
            }
            if (!bears && k == 0 && rows != 2 && tact_fabs(rigid->u[3 * i]) <= SLOPE_NEAR * speed) d->kink = true;
        }
        // no impulse, or no friction: it does not slide
        if (mu == 0 || !(r[0] > 0)) continue;
        for (int k = 0; k < 2; k++) slip[k] = tact_rigid_rate(rigid, &rigid->block[i], k + 1, rigid->next);
        if (d->of.options->cone == TACT_CONE_POLYHEDRAL) {
            slope_choose_polygon(d, (const tact_real[]){r[1] / (mu * r[0]), r[2] / (mu * r[0])}, speed, slip);
            continue;
        }
        // sliding if it moves and the impulse is on the cone's boundary; only one of these indicates a kink
        tact_real fast = tact_sqrt(slip[0] * slip[0] + slip[1] * slip[1]), t = tact_sqrt(r[1] * r[1] + r[2] * r[2]);
        bool moves = fast > SLOPE_NEAR * speed, rim = t >= mu * r[0] * (1 - SLOPE_NEAR);
        if (moves != rim) d->kink = true;
        if (!moves) continue;
        slip[0] /= fast;
        slip[1] /= fast;
        slip[2] = fast;
    }
    slope_contacts(d);
    // momenta at the beginning with v and with v+, and after the step, for the sweeps
    tact_momentum_update(model, &work->kinematics, &d->start, step->before->v, d->load, NULL);
    tact_momentum_update(model, &work->kinematics, &d->with, work->rigid->next, d->load, NULL);
    tact_momentum_update(model, &work->rigid->after, &d->stop, step->after->v, d->load, NULL);
    // d(k J'(e + h J v+))/dq of loops and springs, by dof
    tact_deriv_work *with = &d->contact;
    if (tact_ties(model) != 0) {
        for (int i = 0; i < model->nv; i++) d->basis[i] = d->of.options->dt * d->of.work->rigid->next[i];
        for (int i = 0; i < model->nv * model->nv; i++) with->motion[i] = 0;
        tact_tie_slope(model, d->of.work, d->basis, NULL, false, with->sway, with->motion);
    }
    return slope_factor(d) ? TACT_CONVERGED : TACT_SINGULAR;
}

// dF for a change of q, or of a mass.
static void slope_move(tact_rigid_deriv *d, tact_direction direction) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real h = d->of.options->dt;
    tact_sweep start = slope_sweep(d, &d->of.work->kinematics, &d->start, d->of.before->v),
               with = slope_sweep(d, &d->of.work->kinematics, &d->with, rigid->next);
    // d(M v)/dq at the beginning, minus d(M v+)/dq, plus the changes of the gyroscopic term and of h times the load
    tact_sweep_momentum(&start, direction, d->by_velocity, NULL, NULL);
    for (int i = 0; i < model->nv; i++) d->right[i] += d->by_velocity[i];
    tact_sweep_momentum(&with, direction, d->by_velocity, d->turning, NULL);
    for (int i = 0; i < model->nv; i++) d->right[i] += d->turning[i] - d->by_velocity[i];
    tact_sweep_load(&start, d->of.options, d->of.input, direction, d->load);
    for (int i = 0; i < model->nv; i++) d->right[i] += h * d->load[i];
}

// Column of a dof in a contact's Jacobian; -1: none.
static int slope_slot(const tact_rigid_deriv *d, const tact_contact *contact, int dof) {
    const int *column = d->of.model->column + d->of.model->column_start[contact->pair];
    for (int k = 0; k < contact->width; k++)
        if (column[k] == d->of.model->place[dof]) return k;
    return -1;
}

// Change of u in row k of contact i by q of a dof, at fixed v+.
static tact_real slope_of_row(const tact_rigid_deriv *d, int i, int k, int dof) {
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    const tact_contact *contact = slope_contact(d, i);
    tact_real h = d->of.options->dt, overlap = d->of.work->rigid->overlap;
    // the gap of a limit changes by +-1; a closed overlap does not enter
    if (!contact) {
        const tact_dof *limited = &d->of.model->dof[dof];
        if (block->dof != dof || k > 1) return 0;
        tact_real q = d->of.before->q[limited->q], gap = k == 0 ? q - limited->lower : limited->upper - q;
        return gap < -overlap ? 0 : (k == 0 ? 1 : -1) / h;
    }
    int slot = slope_slot(d, contact, dof);
    if (slot < 0) return 0;
    tact_real change = d->contact.contact[block->contact].N[k * contact->width + slot] / h;
    // restitution: the normal row has bounce J v in the place of gap/h
    if (k > 0 || !(block->bounce > 0 || contact->gap < -overlap)) return change;
    change -= contact->J[slot] / h;
    return change + block->bounce * d->bounce[d->of.model->column_start[contact->pair] + slot];
}

// Right-hand sides of a contact's rows for the change du.
static void slope_yield(tact_rigid_deriv *d, int i, const tact_real du[3]) {
    // normal and sticking rows have -du, sliding ones the friction equation
    for (int k = 0; k < 3; k++) {
        int row = d->row[3 * i + k];
        if (row < 0) continue;
        if (k == 0 || !(d->slip[3 * i + 2] > 0)) {
            d->right[row] -= du[k];
            continue;
        }
        for (int l = 0; l < 2; l++) d->right[row] -= slope_swing(d, i, k - 1, l) * du[l + 1];
    }
}

// dF and du for a change of q.
static void slope_by_coordinates(tact_rigid_deriv *d, const tact_real *q) {
    const tact_model *model = d->of.model;
    slope_move(d, (tact_direction){.q = q, .body = -1});
    for (int i = 0; i < model->nv; i++) d->right[i] -= d->of.options->dt * model->dof[i].stiffness * q[i];
    // loops and springs: h d(k J'(e + h J v+))/dq dq
    for (int i = 0; tact_ties(model) > 0 && i < model->nv; i++)
        for (int k = 0; k < model->nv; k++)
            if (q[k] != 0) d->right[i] -= d->of.options->dt * d->contact.motion[i * model->nv + k] * q[k];
    for (int i = 0; i < d->of.work->rigid->count; i++) {
        const tact_contact *contact = slope_contact(d, i);
        tact_real du[3] = {0, 0, 0};
        for (int dof = 0; dof < model->nv; dof++)
            for (int k = 0; q[dof] != 0 && k < 3; k++) du[k] += slope_of_row(d, i, k, dof) * q[dof];
        slope_yield(d, i, du);
        if (!contact) continue;
        // h T dq: the contact's frame and lever arms rotate under its force
        const int *column = model->column + model->column_start[contact->pair];
        const tact_real *T = d->contact.contact[d->of.work->rigid->block[i].contact].T;
        for (int slot = 0; slot < contact->width; slot++) {
            tact_real turn = d->of.options->dt * q[model->order[column[slot]]];
            for (int k = 0; turn != 0 && k < contact->width; k++)
                d->right[model->order[column[k]]] += turn * T[k * contact->width + slot];
        }
    }
}

static void slope_by_force(tact_rigid_deriv *d, int body, int component) {
    TACT_ASSERT(0 <= body && body < d->of.model->nbody && 0 <= component && component < 6);
    const tact_model *model = d->of.model;
    const tact_kinematics *kin = &d->of.work->kinematics;
    tact_real unit[6] = {0};
    unit[component] = d->of.options->dt;
    tact_vec3 force = {unit[0], unit[1], unit[2]}, torque = {unit[3], unit[4], unit[5]};
    tact_vec3 com = tact_pose_apply(kin->pose[body], model->body[body].com);
    // h V'f on all dofs of the path
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int m = model->path[k];
        d->right[model->motion[m].dof] +=
            tact_vec3_dot(tact_motion_velocity(kin, m, com), force) + tact_vec3_dot(kin->angular[m], torque);
    }
}

// Adds the derivative by a parameter to the right-hand side. False for a parameter that this law does not have.
static bool slope_by_parameter(tact_rigid_deriv *d, tact_parameter parameter) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    const tact_dof *dof = &d->of.model->dof[parameter.index];
    tact_real h = d->of.options->dt;
    int spring = parameter.kind == TACT_PARAMETER_STIFFNESS ? tact_tie_leader(d->of.model, parameter.index) : -1;
    // friction, inertia, drives and loads; others are not parameters of this law
    switch (parameter.kind) {
    case TACT_PARAMETER_MU:
        for (int i = 0; i < rigid->count; i++) {
            // the friction of a sliding contact changes with mu by its normal impulse
            const tact_contact *contact = slope_contact(d, i);
            if (!contact || contact->pair != parameter.index || !(d->slip[3 * i + 2] > 0)) continue;
            for (int k = 0; k < 2; k++) d->right[d->row[3 * i + k + 1]] -= rigid->r[3 * i] * slope_grip(d, i, k);
        }
        return true;
    case TACT_PARAMETER_MASS: slope_move(d, (tact_direction){.body = parameter.index}); return true;
    case TACT_PARAMETER_STIFFNESS:
        // over several dofs: extension at the end of the step, factors'(q + h v+) - rest - u
        if (spring >= 0) {
            tact_real pull = -d->of.model->spring[spring].rest - d->of.input->u[dof->u] +
                             h * tact_tie_sum(d->of.model, spring, NULL, rigid->next);
            for (int k = 0; k < d->of.model->spring[spring].count; k++)
                pull += d->of.model->spring[spring].factor[k] *
                        d->of.before->q[d->of.model->dof[d->of.model->spring[spring].dof[k]].q];
            tact_tie_push(d->of.model, spring, NULL, -h * pull * tact_tie_part(d->of.work, spring), d->right);
            return true;
        }
        // derivative of h k (u - q - h v+) by k
        d->right[parameter.index] += h * (d->of.input->u[dof->u] - d->of.before->q[dof->q] - h * rigid->next[parameter.index]);
        return true;
    case TACT_PARAMETER_FORCE: slope_by_force(d, parameter.index, parameter.component); return true;
    default: return false;
    }
}

// Whether sticking contacts require of a body with few dofs a motion that it cannot make after a change of q, whatever the
// impulses. The regularisation then leaves their rows unsatisfied, relative to J (dq/h, dv).
static bool slope_clashes(const tact_rigid_deriv *d, const tact_step_change *change) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real missed = 0, asked = 0, turn = 0, rate = 0;
    for (int i = 0; i < d->of.model->nv; i++) {
        turn = tact_max(turn, change->q ? tact_fabs(change->q[i]) : 0);
        rate = tact_max(rate, change->v ? tact_fabs(change->v[i]) : 0);
    }
    for (int i = 0; i < rigid->count; i++)
        for (int k = 0; k < 3; k++) {
            // sticking rows only: the residual of J dv+ = -du
            int row = d->row[3 * i + k];
            if (row < 0 || (k > 0 && d->slip[3 * i + 2] > 0)) continue;
            missed = tact_max(missed, tact_fabs(SLOPE_RIDGE * slope_own(d, &rigid->block[i], k) * d->solve[row]));
            asked = tact_max(asked, slope_largest(d, &rigid->block[i], k) * (turn / d->of.options->dt + rate));
        }
    return turn > 0 && missed > 64 * tact_sqrt(TACT_EPS) * asked;
}

// One column: next_q, end, and the impulses in solve. False for a parameter that this law does not have.
static bool slope_column(tact_rigid_deriv *d, const tact_step_change *change) {
    const tact_model *model = d->of.model;
    tact_real h = d->of.options->dt;
    for (int i = 0; i < d->unknowns; i++) d->right[i] = 0;
    if (change->q) slope_by_coordinates(d, change->q);
    if (change->v) {
        // right-hand side by v: momentum M v, and restitution
        const tact_real *v = change->v;
        tact_sweep start = slope_sweep(d, &d->of.work->kinematics, &d->start, d->of.before->v);
        tact_sweep_momentum(&start, (tact_direction){.v = v, .body = -1}, d->by_velocity, NULL, NULL);
        for (int i = 0; i < model->nv; i++) d->right[i] += d->by_velocity[i];
        for (int i = 0; i < d->of.work->rigid->count; i++) {
            const tact_rigid_block *block = &d->of.work->rigid->block[i];
            if (!(block->bounce > 0)) continue;
            tact_real du[3] = {block->bounce * tact_rigid_rate(d->of.work->rigid, block, 0, v), 0, 0};
            slope_yield(d, i, du);
        }
    }
    // drives contribute h K du, springs with commands along their sum
    for (int i = 0; i < model->nv; i++) {
        int u = model->dof[i].u, spring = change->u && u >= 0 ? tact_tie_leader(model, i) : -1;
        if (change->u && u >= 0) d->right[i] += h * model->dof[i].stiffness * change->u[u];
        if (spring >= 0) {
            tact_real k = model->spring[spring].stiffness * tact_tie_part(d->of.work, spring);
            tact_tie_push(model, spring, NULL, h * k * change->u[u], d->right);
        }
        if (change->force) d->right[i] += h * change->force[i];
    }
    if (change->parameter && !slope_by_parameter(d, *change->parameter)) return false;
    // one solution with the factors of the active pieces
    tact_lu lu = {.n = d->unknowns, .stride = (size_t)d->unknowns, .value = d->matrix, .order = d->exchange};
    tact_lu_solve(&lu, d->right, d->solve);
    // dq+ in next_q and dv in end, from dv+ in solve
    const tact_rigid_work *rigid = d->of.work->rigid;
    const tact_parameter *parameter = change->parameter;
    int nv = model->nv, body = parameter && parameter->kind == TACT_PARAMETER_MASS ? parameter->index : -1;
    // dq+ = h dv+, with G and E for free rotations
    for (int i = 0; i < nv; i++) {
        d->next_q[i] = d->of.options->dt * d->solve[i];
        d->basis[i] = change->q ? change->q[i] : 0;
        d->end[i] = d->solve[i];
    }
    // dq+ = G h dv+ + E dq
    tact_deriv_turn(model, &d->contact, d->next_q, false);
    for (int i = 0; i < nv; i++)
        if (d->basis[i] != 0) tact_deriv_add_identity(model, &d->contact, i, d->basis[i], d->next_q);
    if (!rigid->steady) {
        // M(q+) v = p+: solve with M for the change of v
        tact_sweep with = slope_sweep(d, &d->of.work->kinematics, &d->with, rigid->next),
                   stop = slope_sweep(d, &rigid->after, &d->stop, d->of.after->v);
        tact_sweep_momentum(&with, (tact_direction){.q = d->basis, .v = d->solve, .body = body}, d->by_velocity, d->turning,
                            d->load);
        tact_sweep_momentum(&stop, (tact_direction){.q = d->next_q, .v = d->solve, .body = body}, d->by_velocity, NULL, NULL);
        for (int i = 0; i < nv; i++) d->load[i] -= d->by_velocity[i];
        if (nv > 0) tact_rigid_solve(&rigid->M, rigid->M_pivot, 0, nv - 1, d->load);
        for (int i = 0; i < nv; i++) d->end[i] += d->load[i];
    }
    return true;
}

// Impulses' part of a column, as forces, with a stride.
static void slope_forces(const tact_rigid_deriv *d, tact_real *to, int stride) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    // contacts that stay open are not constraints
    for (int row = 0; to && row < 3 * d->of.work->contacts.count; row++) to[row * stride] = 0;
    for (int i = 0; to && i < rigid->count; i++) {
        int c = rigid->block[i].contact;
        for (int k = 0; c >= 0 && k < 3; k++) {
            int row = d->row[3 * i + k];
            to[(3 * c + k) * stride] = row < 0 ? 0 : d->solve[row] / d->of.options->dt;
        }
    }
}

static void slope_state(const tact_rigid_deriv *d, tact_real *to, int stride) {
    int nv = d->of.model->nv;
    for (int i = 0; to && i < nv; i++) {
        to[i * stride] = d->next_q[i];
        to[(nv + i) * stride] = d->end[i];
    }
}

tact_status tact_rigid_matrices(tact_rigid_deriv *d, const tact_jacobians *jacobians) {
    TACT_ASSERT(d && d->of.model && jacobians);
    int nv = d->of.model->nv, nu = d->of.model->nu;
    bool clash = false;
    for (int i = 0; i < nv; i++) d->unit[i] = 0;
    // one column at a time: q and v, then the commands
    for (int j = 0; j < 2 * nv && (jacobians->A || jacobians->C); j++) {
        tact_real *unit = d->unit + j % nv;
        *unit = 1;
        // a unit of q or v: a column of A (state) and of C (forces)
        tact_step_change change = {.q = j < nv ? d->unit : NULL, .v = j < nv ? NULL : d->unit};
        slope_column(d, &change);
        clash = clash || slope_clashes(d, &change);
        *unit = 0;
        if (jacobians->A) slope_state(d, jacobians->A + j, 2 * nv);
        if (jacobians->C) slope_forces(d, jacobians->C + j, 2 * nv);
    }
    for (int u = 0; u < nu && (jacobians->B || jacobians->D); u++) {
        // a unit command: a column of B and of D
        d->unit[u] = 1;
        slope_column(d, &(tact_step_change){.u = d->unit});
        d->unit[u] = 0;
        if (jacobians->B) slope_state(d, jacobians->B + u, nu);
        if (jacobians->D) slope_forces(d, jacobians->D + u, nu);
    }
    return clash ? TACT_SINGULAR : TACT_CONVERGED;
}

tact_status tact_rigid_push(tact_rigid_deriv *d, const tact_step_change *change, const tact_step_effect *effect) {
    TACT_ASSERT(d && d->of.model && change && effect);
    if (!slope_column(d, change)) return TACT_BAD_INPUT;
    for (int i = 0; i < d->of.model->nv; i++) {
        if (effect->q) effect->q[i] = d->next_q[i];
        if (effect->v) effect->v[i] = d->end[i];
    }
    slope_forces(d, effect->lambda, 1);
    return slope_clashes(d, change) ? TACT_SINGULAR : TACT_CONVERGED;
}

bool tact_rigid_parameter(tact_rigid_deriv *d, tact_parameter parameter, tact_real *dq, tact_real *dv, tact_real *dlambda) {
    return tact_rigid_push(d, &(tact_step_change){.parameter = &parameter}, &(tact_step_effect){dq, dv, dlambda}) >= 0;
}
