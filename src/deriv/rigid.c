// SPDX-License-Identifier: MIT
// The rigid step linearised, by the implicit function theorem on the pieces in force. With F what the equations of
// law/rigid_system.c leave over at fixed v+ and r,
//
//     (A - dturning/dv+) dv+ - J'dr = dF ,
//     sticking   J dv+ = -du ,
//     sliding    J_n dv+ = -du_n ,  dr_t + mu d dr_n + mu r_n (1 - d d') (J_t dv+ + du_t) / |u_t| = -dmu r_n d ,  d = u_t/|u_t|
//
// du the change of u at fixed v+. With polyhedral cones a sliding contact's r_t/(mu r_n) stays in a corner -d of the polygon, or
// on the edge across d, whose middle is -d, while e, along that edge, is not a direction of sliding:
//
//     corner     dr_t + mu d dr_n = -dmu r_n d
//     edge       d'dr_t + mu d'd dr_n = -dmu r_n d'd ,  e'J_t dv+ = -e'du_t
//
// The new state follows from q+ = q (+) h v+ and M(q+) v = p+.
#include "deriv/chain.h"
#include "deriv/sweep.h"
#include "deriv/tie.h"
#include "law/rigid.h"
#include "math/elementary.h"
#include "sim/step.h"
#include "solve/friction.h"
#include "solve/lu.h"

enum { SLOPE_ROOM = 600 };  // impulses at most

#define SLOPE_NEAR tact_max(TACT_REAL(1e-7), 128 * TACT_EPS)  // relative distance from another piece that counts as none
#define SLOPE_RIM tact_max(TACT_REAL(1e-6), 128 * TACT_EPS)   // distance from a polygon of unit radius that counts as none
#define SLOPE_RIDGE (64 * TACT_EPS)                           // of a row's own entry: what keeps redundant contacts solvable
#define SLOPE_REDUNDANT (TACT_REAL(1e-3) / SLOPE_RIDGE)       // impulses, asked for one, that only the ridge bounds

// Memory of the linearised rigid step; an arena without memory measures.
static void slope_place(tact_rigid_deriv *deriv, const tact_model *model, tact_arena *arena) {
    // Unknowns: v+ and the impulses that bear, at most SLOPE_ROOM.
    size_t nv = (size_t)model->nv, rows = 3 * (size_t)(tact_model_pairs(model) + model->nv);
    deriv->most = rows < SLOPE_ROOM ? (int)rows : SLOPE_ROOM;
    size_t n = nv + (size_t)deriv->most;
    // the dense matrix of the linearised step, its row exchanges, right side and solution
    deriv->matrix = tact_arena_take(arena, n * n, sizeof(tact_real));
    deriv->exchange = tact_arena_take(arena, n, sizeof(int));
    TACT_VECTORS(arena, n, &deriv->right, &deriv->solve);
    // of each constraint row its unknown, of each contact its slip and, for the rebound, d(J_n v)/dq
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

// Gap of row k of a constraint at the beginning of the step: of a contact, or to the lower and the upper limit of a dof.
static tact_real slope_gap(const tact_rigid_deriv *d, int i, int k) {
    const tact_contact *contact = slope_contact(d, i);
    const tact_dof *dof = &d->of.model->dof[contact ? 0 : d->of.work->rigid->block[i].dof];
    if (contact) return contact->gap;
    return k == 0 ? d->of.before->q[dof->q] - dof->lower : dof->upper - d->of.before->q[dof->q];
}

static tact_real slope_mu(const tact_rigid_deriv *d, int i) {
    const tact_contact *contact = slope_contact(d, i);
    return contact ? d->of.model->pair[contact->pair].mu : 0;
}

// Whether the impulse of a sliding contact is on an edge of its polygon: the middle of an edge is nearer than the corners.
static bool slope_on_edge(const tact_rigid_deriv *d, int i) {
    const tact_real *slip = d->slip + 3 * i;
    return d->of.options->cone == TACT_CONE_POLYHEDRAL && slip[0] * slip[0] + slip[1] * slip[1] < TACT_REAL(0.95);
}

// The piece of a contact with polyhedral cones, of which pull is r_t/(mu r_n) and slip J_t v+: inside the polygon, on the edge
// that it is nearest to, or in the corner where two of them meet.
static void slope_choose_polygon(tact_rigid_deriv *d, const tact_real pull[2], tact_real speed, tact_real *slip) {
    const tact_real turn = TACT_REAL(6.283185307179586476925286766559) / TACT_RIGID_FACETS;
    // fast: speed of sliding; against: how it goes against each edge that the impulse is on.
    tact_real fast = tact_sqrt(slip[0] * slip[0] + slip[1] * slip[1]), against[2] = {0, 0}, sum[2] = {0, 0};
    tact_real middle = 0, sine = 0, cosine = 0;
    int edges = 0;
    tact_sincos(turn / 2, &sine, &middle);
    // An impulse on the rim of the polygon lies on one edge, or in a corner on two.
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
    // in a corner the contact slides against both edges; against one only, it is about to go along the other
    if (edges == 2) {
        tact_sincos(turn, &sine, &cosine);
        if (tact_min(against[0] - cosine * against[1], against[1] - cosine * against[0]) <= SLOPE_NEAR * speed) d->kink = true;
    }
    // the normals of two edges add up to twice the cosine of half their angle, along the corner between them
    tact_real scale = edges == 1 ? middle : 1 / (2 * middle);
    slip[0] = scale * sum[0];
    slip[1] = scale * sum[1];
    slip[2] = fast;
}

// N and T of all contacts, at h v+; and for those that bounce d(J_n v)/dq
static void slope_contacts(tact_rigid_deriv *d) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_work shadow = *d->of.work;
    tact_options plain = *d->of.options;
    tact_real *N = d->contact.slope_N, *T = d->contact.slope_T;
    tact_contact_motion *move = d->contact.slope_move;
    // Without anchor, with J and the impulses as they are: the barrier law's routine gives N and T at any displacement.
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
        // first at h v: its normal row is kept
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

// Adds row k of J, times the factor, to an equation or, where it is that of an impulse, to the column of that.
static void slope_add_row(tact_rigid_deriv *d, const tact_rigid_block *block, int k, int at, bool column, tact_real factor) {
    // Both bodies of the constraint.
    const tact_rigid_work *rigid = d->of.work->rigid;
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        int first = rigid->begin[block->side[s].component], n = rigid->begin[block->side[s].component + 1] - first;
        for (int j = 0; j < n; j++)
            *slope_entry(d, column ? first + j : at, column ? at : first + j) += factor * block->side[s].J[k * n + j];
    }
}

// What multiplies the change of a sliding contact's u_t, row k, column l of its tangents: mu r_n / |u_t| (1 - d d'); with
// polyhedral cones none in a corner, and on an edge, in the second row, e.
static tact_real slope_swing(const tact_rigid_deriv *d, int i, int k, int l) {
    const tact_real *slip = d->slip + 3 * i;
    if (d->of.options->cone == TACT_CONE_POLYHEDRAL) return k == 0 || !slope_on_edge(d, i) ? 0 : l == 0 ? -slip[1] : slip[0];
    return slope_mu(d, i) * d->of.work->rigid->r[3 * i] / slip[2] * ((k == l) - slip[k] * slip[l]);
}

// J A^-1 J' of one row: the scale of the small term that keeps redundant contacts solvable
static tact_real slope_own(const tact_rigid_deriv *d, const tact_rigid_block *block, int k) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real sum = 0;
    for (int s = 0; s < 2 && block->side[s].component >= 0; s++) {
        int n = rigid->begin[block->side[s].component + 1] - rigid->begin[block->side[s].component];
        sum += tact_dot(block->side[s].J + k * n, block->side[s].Y + k * n, n);
    }
    return sum;
}

// How much of mu r_n row k of a sliding contact's tangents has against it.
static tact_real slope_grip(const tact_rigid_deriv *d, int i, int k) {
    const tact_real *slip = d->slip + 3 * i;
    if (!slope_on_edge(d, i)) return slip[k];
    return k == 0 ? slip[0] * slip[0] + slip[1] * slip[1] : 0;
}

// Row k of a sliding contact's tangents, what it has of the impulses.
static void slope_add_friction(tact_rigid_deriv *d, int i, int k) {
    const tact_real *slip = d->slip + 3 * i;
    int row = d->row[3 * i + k + 1], first = d->row[3 * i + 1];
    *slope_entry(d, row, d->row[3 * i]) += slope_mu(d, i) * slope_grip(d, i, k);
    if (!slope_on_edge(d, i)) {
        *slope_entry(d, row, row) += 1;
        return;
    }
    // the second row is the one of e, with the small term that keeps redundant contacts solvable
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    tact_real small = SLOPE_RIDGE * tact_max(slope_own(d, block, 1), slope_own(d, block, 2));
    for (int l = 0; l < 2; l++) *slope_entry(d, row, first + l) += k == 0 ? slip[l] : small * (l == 0 ? -slip[1] : slip[0]);
}

// Rows and columns of constraint i in the matrix: -J' of its impulses, and the equation of its state (sticking, sliding or
// normal).
static void slope_add_constraint(tact_rigid_deriv *d, int i) {
    TACT_ASSERT(i >= 0);
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    const tact_real *slip = d->slip + 3 * i;
    // Sticking or normal row: J dv+ = -du, with a small term. Sliding tangents: their friction equation.
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

// Whether a combination of impulses moves nothing, so that only the ridge bounds it. The matrix is factored: it is solved for
// normal and sticking rows that ask for about one impulse each, with factors to which no such combination is orthogonal. What
// is not redundant answers with impulses of that size, what is with impulses of 1 / SLOPE_RIDGE.
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

// The matrix of the linearised step [A - dturning/dv+, -J'; equations of the constraints], and its LU factors. False where it is
// singular.
static bool slope_factor(tact_rigid_deriv *d) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real h = d->of.options->dt;
    size_t n = (size_t)d->unknowns;
    for (size_t k = 0; k < n * n; k++) d->matrix[k] = 0;
    // A = d(p+ - turning)/dv+, column by column by the sweep, with h^2 K + h D.
    tact_sweep sweep = slope_sweep(d, &d->of.work->kinematics, &d->with, rigid->next);
    for (int j = 0; j < model->nv; j++) {
        for (int i = 0; i < model->nv; i++) d->basis[i] = i == j;
        tact_direction direction = {.v = d->basis, .body = -1};
        tact_sweep_momentum(&sweep, direction, d->by_velocity, d->turning, NULL);
        for (int i = 0; i < model->nv; i++) *slope_entry(d, i, j) = d->by_velocity[i] - d->turning[i];
        *slope_entry(d, j, j) += h * (h * model->dof[j].stiffness + model->dof[j].damping);
        // springs and loops couple several dofs: their stiffness and damping by columns
        if (tact_ties(model) == 0) continue;
        for (int i = 0; i < model->nv; i++) d->by_velocity[i] = 0;
        tact_ties_resist(model, d->of.work, h, d->basis, d->contact.sway, d->by_velocity);
        for (int i = 0; i < model->nv; i++) *slope_entry(d, i, j) += d->by_velocity[i];
    }
    // constraints that bear border A: a row for each equation, a column for each impulse
    for (int i = 0; i < rigid->count; i++) slope_add_constraint(d, i);
    // LU with row exchanges; of redundant constraints the motion is determined, the impulses are not
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
    // Active set: each contact sticks, slides or is open, as the solution has it
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real speed = 0, push = 0;
    for (int i = 0; i < d->of.model->nv; i++)
        speed = tact_max(speed, tact_max(tact_fabs(rigid->next[i]), tact_fabs(rigid->free[i])));
    for (int i = 0; i < 3 * rigid->count; i++) push = tact_max(push, rigid->r[i]);
    d->unknowns = d->of.model->nv;
    if (3 * rigid->count > d->most) return TACT_NO_MEMORY;
    for (int i = 0; i < rigid->count; i++) {
        // The piece of constraint i: which of its impulses bear, and how it slides.
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
            // At velocity level the speed closes a gap, and a displacement without speed an overlap.
            bool both = d->of.options->level == TACT_LEVEL_VELOCITY && bears && (k == 0 || rows == 2);
            if (both && tact_fabs(slope_gap(d, i, k)) <= SLOPE_NEAR * d->of.options->dt * speed + rigid->slack) d->kink = true;
            if (!bears && k == 0 && rows != 2 && tact_fabs(rigid->u[3 * i]) <= SLOPE_NEAR * speed) d->kink = true;
        }
        // No impulse, or no friction: it does not slide.
        if (mu == 0 || !(r[0] > 0)) continue;
        for (int k = 0; k < 2; k++) slip[k] = tact_rigid_rate(rigid, &rigid->block[i], k + 1, rigid->next);
        if (d->of.options->cone == TACT_CONE_POLYHEDRAL) {
            slope_choose_polygon(d, (const tact_real[]){r[1] / (mu * r[0]), r[2] / (mu * r[0])}, speed, slip);
            continue;
        }
        // Sliding when it moves and the force is on the rim; one without the other is a kink.
        tact_real fast = tact_sqrt(slip[0] * slip[0] + slip[1] * slip[1]), t = tact_sqrt(r[1] * r[1] + r[2] * r[2]);
        bool moves = fast > SLOPE_NEAR * speed, rim = t >= mu * r[0] * (1 - SLOPE_NEAR);
        if (moves != rim) d->kink = true;
        if (!moves) continue;
        slip[0] /= fast;
        slip[1] /= fast;
        slip[2] = fast;
    }
    slope_contacts(d);
    // Momenta where the step begins with v and with v+, and after the step, for the sweeps.
    tact_momentum_update(model, &work->kinematics, &d->start, step->before->v, d->load, NULL);
    tact_momentum_update(model, &work->kinematics, &d->with, work->rigid->next, d->load, NULL);
    tact_momentum_update(model, &work->rigid->after, &d->stop, step->after->v, d->load, NULL);
    // d(k J'(e + h J v+))/dq of loops and springs, by dof.
    tact_deriv_work *with = &d->contact;
    if (tact_ties(model) != 0) {
        for (int i = 0; i < model->nv; i++) d->basis[i] = d->of.options->dt * d->of.work->rigid->next[i];
        for (int i = 0; i < model->nv * model->nv; i++) with->motion[i] = 0;
        tact_tie_slope(model, d->of.work, d->basis, NULL, false, with->sway, with->motion);
    }
    return slope_factor(d) ? TACT_CONVERGED : TACT_SINGULAR;
}

// dF of a turn of q, or of a mass
static void slope_move(tact_rigid_deriv *d, tact_direction direction) {
    const tact_model *model = d->of.model;
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real h = d->of.options->dt;
    tact_sweep start = slope_sweep(d, &d->of.work->kinematics, &d->start, d->of.before->v),
               with = slope_sweep(d, &d->of.work->kinematics, &d->with, rigid->next);
    // d(M v)/dq at the beginning, less d(M v+)/dq, plus the turning force's change, plus h times that of the load.
    tact_sweep_momentum(&start, direction, d->by_velocity, NULL, NULL);
    for (int i = 0; i < model->nv; i++) d->right[i] += d->by_velocity[i];
    tact_sweep_momentum(&with, direction, d->by_velocity, d->turning, NULL);
    for (int i = 0; i < model->nv; i++) d->right[i] += d->turning[i] - d->by_velocity[i];
    tact_sweep_load(&start, d->of.options, d->of.input, direction, d->load);
    for (int i = 0; i < model->nv; i++) d->right[i] += h * d->load[i];
}

// where a dof stands among the columns of a contact; -1: nowhere
static int slope_slot(const tact_rigid_deriv *d, const tact_contact *contact, int dof) {
    const int *column = d->of.model->column + d->of.model->column_start[contact->pair];
    for (int k = 0; k < contact->width; k++)
        if (column[k] == d->of.model->place[dof]) return k;
    return -1;
}

// the change of u of row k of contact i by q of a dof, at fixed v+
static tact_real slope_of_row(const tact_rigid_deriv *d, int i, int k, int dof) {
    const tact_rigid_block *block = &d->of.work->rigid->block[i];
    const tact_contact *contact = slope_contact(d, i);
    tact_real h = d->of.options->dt, overlap = d->of.work->rigid->overlap;
    // A limit's gap changes by +-1; an overlap that was closed does not.
    if (!contact) {
        const tact_dof *limited = &d->of.model->dof[dof];
        if (block->dof != dof || k > 1) return 0;
        tact_real q = d->of.before->q[limited->q], gap = k == 0 ? q - limited->lower : limited->upper - q;
        return gap < -overlap ? 0 : (k == 0 ? 1 : -1) / h;
    }
    int slot = slope_slot(d, contact, dof);
    if (slot < 0) return 0;
    tact_real change = d->contact.contact[block->contact].N[k * contact->width + slot] / h;
    // Restitution: the normal row contains bounce J v instead of gap/h.
    if (k > 0 || !(block->bounce > 0 || contact->gap < -overlap)) return change;
    change -= contact->J[slot] / h;
    return change + block->bounce * d->bounce[d->of.model->column_start[contact->pair] + slot];
}

// right sides of a contact's rows for the change of its u
static void slope_yield(tact_rigid_deriv *d, int i, const tact_real du[3]) {
    // Normal and sticking rows bear -du, sliding ones what friction makes of it.
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

// dF and du of a change of q
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
        // h T dq: the contact's frame and arms turn under its force
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
    // h V'f on all dofs of the path.
    for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
        int m = model->path[k];
        d->right[model->motion[m].dof] +=
            tact_vec3_dot(tact_motion_velocity(kin, m, com), force) + tact_vec3_dot(kin->angular[m], torque);
    }
}

// Adds what a unit change of the parameter adds to the right side. False for a parameter without a derivative under this law.
static bool slope_by_parameter(tact_rigid_deriv *d, tact_parameter parameter) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    const tact_dof *dof = &d->of.model->dof[parameter.index];
    tact_real h = d->of.options->dt;
    int spring = parameter.kind == TACT_PARAMETER_STIFFNESS ? tact_tie_leader(d->of.model, parameter.index) : -1;
    // A parameter of the friction, the inertia, a drive or a load; others are not of this law.
    switch (parameter.kind) {
    case TACT_PARAMETER_MU:
        for (int i = 0; i < rigid->count; i++) {
            // The friction of a sliding contact changes with mu by its normal force.
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
        // h k (u - q - h v+), by k.
        d->right[parameter.index] += h * (d->of.input->u[dof->u] - d->of.before->q[dof->q] - h * rigid->next[parameter.index]);
        return true;
    case TACT_PARAMETER_FORCE: slope_by_force(d, parameter.index, parameter.component); return true;
    default: return false;
    }
}

// Whether contacts that stick ask of a body with few freedoms, after a change of q, what it cannot do: no impulses, however
// large, make it move so. The small term is what their rows then miss, of J (dq/h, dv).
static bool slope_clashes(const tact_rigid_deriv *d, const tact_step_change *change) {
    const tact_rigid_work *rigid = d->of.work->rigid;
    tact_real missed = 0, asked = 0, turn = 0, rate = 0;
    for (int i = 0; i < d->of.model->nv; i++) {
        turn = tact_max(turn, change->q ? tact_fabs(change->q[i]) : 0);
        rate = tact_max(rate, change->v ? tact_fabs(change->v[i]) : 0);
    }
    for (int i = 0; i < rigid->count; i++)
        for (int k = 0; k < 3; k++) {
            // Sticking rows only: what the ridge leaves of J dv+ = -du.
            int row = d->row[3 * i + k];
            if (row < 0 || (k > 0 && d->slip[3 * i + 2] > 0)) continue;
            missed = tact_max(missed, tact_fabs(SLOPE_RIDGE * slope_own(d, &rigid->block[i], k) * d->solve[row]));
            asked = tact_max(asked, slope_largest(d, &rigid->block[i], k) * (turn / d->of.options->dt + rate));
        }
    return turn > 0 && missed > 64 * tact_sqrt(TACT_EPS) * asked;
}

// One column: next_q, end and the impulses in solve. False for a parameter that is not there.
static bool slope_column(tact_rigid_deriv *d, const tact_step_change *change) {
    const tact_model *model = d->of.model;
    tact_real h = d->of.options->dt;
    for (int i = 0; i < d->unknowns; i++) d->right[i] = 0;
    if (change->q) slope_by_coordinates(d, change->q);
    if (change->v) {
        // Right side by v: the momentum M v, and the bounces
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
    // Drives pull with h K du, springs with commands along their sum.
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
    // One solve with the factors of this step's pieces.
    tact_lu lu = {.n = d->unknowns, .stride = (size_t)d->unknowns, .value = d->matrix, .order = d->exchange};
    tact_lu_solve(&lu, d->right, d->solve);
    // dq+ in next_q and the new dv in end, from dv+ in solve
    const tact_rigid_work *rigid = d->of.work->rigid;
    const tact_parameter *parameter = change->parameter;
    int nv = model->nv, body = parameter && parameter->kind == TACT_PARAMETER_MASS ? parameter->index : -1;
    // dq+ = h dv+, with G and E of free rotations.
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
        // M(q+) v = p+: what the momentum at the end leaves over is solved with M.
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

// the forces' part of a column, with a stride
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
    // One cause at a time: q and v, then the commands.
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
