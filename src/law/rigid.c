// SPDX-License-Identifier: MIT
// The rigid step: semi-implicit Euler with complementarity. With v* the velocity without contact (law/rigid_system.c), W = J A^-1
// J' and the impulses r of contacts (normal, tangent, tangent) and of limits,
//
//     v+ = v* + A^-1 J'r ,   u = gap/h + J v+                       (the gap enters the normal row only)
//     r in K_mu ,  u + mu |u_t| n in K_mu* ,  r'(u + mu |u_t| n) = 0
//
// so that no gap is negative at the end of the step, to first order in h (exactly where gaps are linear in q). At velocity
// level a pair that approaches at J_n v < 0 and would meet within the step has u_n = J_n v+ + e J_n v instead, with restitution
// e; if the impulses would then add energy, as bounces with friction can, e is halved until they do not. An overlap at the
// beginning of the step counts as a gap of 0 in v+ and is closed by a displacement that adds no velocity. At position level
// this is done only for overlaps that would need more than 1 mm/s, so that the step is smooth where a gap passes through 0.
//
// Sources: Stewart and Trinkle, An implicit time-stepping scheme, 1996; Anitescu and Potra, 1997 (position level); De Saxce and
// Feng, The bipotential method, 1998 (the cone's complementarity).

#include "law/rigid.h"
#include "law/tie.h"
#include "math/elementary.h"

enum {
    RIGID_TURNS = 100,     // iterations on the gyroscopic term c(v+)
    RIGID_FIXED = 30,      // of these, fixed-point iterations; Newton's method follows
    RIGID_NEWTON = 40,     // Newton steps on c(v+) without contacts
    RIGID_HALVINGS = 17,   // halvings of the step length in a line search
    RIGID_STALL = 16384,   // [TACT_EPS]: a residual below this that no longer halves has converged
    RIGID_ROUNDS = 40,     // rounds of detection and solution
    RIGID_LESSENED = 4,    // solutions with restitution e, e/2, e/4 and 0
    RIGID_OVERLAP = 256,   // [TACT_EPS m]: smaller overlaps count as zero
    RIGID_GAP = 16,        // [TACT_EPS m]: smaller gaps of bodies at rest count as zero
    RIGID_ROUNDINGS = 32,  // [TACT_EPS of the terms of a sum]: a smaller sum counts as zero
};

#define RIGID_NEAR TACT_REAL(1e-6)     // relative to the terms of u_n: contacts that separate more slowly are constraints, too
#define RIGID_PUSH 1                   // greatest speed at which overlaps are closed [m/s]
#define RIGID_GENTLE TACT_REAL(0.001)  // overlaps that this speed closes in one step need no displacement [m/s]

typedef struct {
    const tact_model *model;
    const tact_options *options;
    const tact_state *state;
    tact_work *work;
    tact_rigid_work *rigid;
    tact_status status;  // of the step so far; not negative
    tact_real left;      // residual of c(v+), or of the equations of motion, relative to their terms
    bool stalled;        // the residual has hardly fallen since the last iteration
} rigid_step;

// Free velocity v* = A^-1 (load + h c) for the current c, or by linearisation about v: v* = v - (A - h dc/dv)^-1 F(v).
static void rigid_update_free(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    int nv = s->model->nv;
    if (rigid->bent) {
        tact_rigid_unbalance(s->model, s->options->dt, rigid->expansion, s->work, rigid->unrest);
        for (int c = 0; c < rigid->ncomponent; c++) tact_rigid_newton_solve(rigid, c, rigid->unrest + rigid->begin[c]);
        for (int i = 0; i < nv; i++) rigid->free[i] = rigid->expansion[i] - rigid->unrest[i];
        return;
    }
    for (int i = 0; i < nv; i++) rigid->free[i] = rigid->load[i] + rigid->turned[i];
    if (nv > 0) tact_rigid_solve(&rigid->A, rigid->pivot, 0, nv - 1, rigid->free);
}

// Stores the relative residual, and whether the iteration has stalled: not halved since the last one and still above rounding.
static void rigid_keep_left(rigid_step *s, tact_real left) {
    s->stalled = left > s->left / 2 && left > RIGID_STALL * TACT_EPS;
    s->left = left;
}

// Evaluates the gyroscopic term c at a velocity and makes it the current one. True when it has changed by rounding only.
static bool rigid_is_turned(rigid_step *s, const tact_real *velocity) {
    tact_rigid_work *rigid = s->rigid;
    int n = s->model->nv;
    tact_real change = 0, size = tact_max(tact_largest(rigid->load, n), tact_largest(rigid->turned, n));
    s->stalled = false;
    if (rigid->steady) return true;
    tact_rigid_turning(s->model, s->options->dt, velocity, s->work, rigid->turning, NULL);
    // how much c has changed since the last velocity
    for (int i = 0; i < n; i++) {
        change = tact_max(change, tact_fabs(rigid->turning[i] - rigid->turned[i]));
        rigid->turned[i] = rigid->turning[i];
    }
    if (change <= 2 * TACT_EPS * size) return true;
    rigid_keep_left(s, change / size);
    return false;
}

// Newton's method for A v = load + h c(v), with step halving until the residual falls; false when it does not reach rounding.
static bool rigid_free_by_newton(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    int n = s->model->nv;
    tact_real h = s->options->dt, *v = rigid->expansion, *F = rigid->unrest;
    for (int i = 0; i < n; i++) v[i] = s->state->v[i];
    tact_real size = tact_rigid_unbalance(s->model, h, v, s->work, F), left = tact_largest(F, n);
    for (int k = 0; k < RIGID_NEWTON && left > 0; k++) {
        // Newton's equations at v: (A - h dc/dv) dv = F
        if (!tact_rigid_newton_matrix(s->model, h, v, s->work)) break;
        for (int c = 0; c < rigid->ncomponent; c++) tact_rigid_newton_solve(rigid, c, F + rigid->begin[c]);
        for (int i = 0; i < n; i++) rigid->next[i] = F[i];
        bool falls = false;
        tact_real length = 1;
        // backtracking line search: the first of the lengths 1, 1/2, 1/4 ... that reduces the residual
        for (int half = 0; half < RIGID_HALVINGS && !falls; half++, length /= 2) {
            for (int i = 0; i < n; i++) rigid->free[i] = v[i] - length * rigid->next[i];
            size = tact_rigid_unbalance(s->model, h, rigid->free, s->work, F);
            falls = tact_largest(F, n) < left;
        }
        if (!falls) break;
        left = tact_largest(F, n);
        for (int i = 0; i < n; i++) v[i] = rigid->free[i];
    }
    rigid->bent = left <= RIGID_ROUNDINGS * TACT_EPS * size && tact_rigid_newton_matrix(s->model, h, v, s->work);
    return rigid->bent;
}

// Velocity without contact forces, v*: fixed-point iteration on c(v*), then Newton's method where that is slow.
static void rigid_find_free_velocity(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < s->model->nv; i++) rigid->turned[i] = 0;
    rigid_is_turned(s, s->state->v);
    s->left = TACT_MAX;
    s->stalled = false;
    rigid_update_free(s);
    bool found = false;
    // fixed point: v = A^-1 (load + h c(v))
    for (int k = 0; k < RIGID_FIXED && !found && !s->stalled; k++) {
        found = rigid_is_turned(s, rigid->free);
        if (!found) rigid_update_free(s);
    }
    if (!found && rigid_free_by_newton(s)) rigid_update_free(s);
    if (!found && !rigid->bent) s->status = TACT_ITERATION_LIMIT;
    for (int i = 0; i < s->model->nv; i++) rigid->next[i] = rigid->free[i];
}

// velocity = base + A^-1 J'r (base NULL: 0); rigid->scale becomes the sum of the magnitudes of the terms.
static void rigid_apply_impulses(rigid_step *s, const tact_real *base, const tact_real *r, tact_real *velocity) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < s->model->nv; i++) {
        velocity[i] = base ? base[i] : 0;
        rigid->scale[i] = tact_fabs(velocity[i]);
    }
    for (int i = 0; i < rigid->count; i++) {
        for (int k = 0; k < 2 && rigid->block[i].side[k].component >= 0; k++) {
            // Y = A^-1 J' of this component, row by row
            const tact_rigid_side *side = &rigid->block[i].side[k];
            int first = rigid->begin[side->component], n = rigid->begin[side->component + 1] - first;
            for (int row = 0; row < 3; row++) {
                if (r[3 * i + row] == 0) continue;
                for (int j = 0; j < n; j++) {
                    tact_real way = side->Y[row * n + j] * r[3 * i + row];
                    velocity[first + j] += way;
                    rigid->scale[first + j] += tact_fabs(way);
                }
            }
        }
    }
}

// Gap of a row at the beginning of the step [m or rad]: a contact's normal gap, or a dof's distance from its limit; else 0.
static tact_real rigid_gap(const rigid_step *s, const tact_rigid_block *block, int row) {
    if (block->contact >= 0) return row == 0 ? s->work->contacts.contact[block->contact].gap : 0;
    const tact_dof *dof = &s->model->dof[block->dof];
    tact_real q = s->state->q[dof->q];
    return row == 0 && dof->lower > -TACT_MAX ? q - dof->lower : row == 1 && dof->upper < TACT_MAX ? dof->upper - q : 0;
}

// Whether all dofs that a constraint moves have zero velocity at the beginning of the step.
static bool rigid_rests(const rigid_step *s, const tact_rigid_block *block) {
    const tact_rigid_work *rigid = s->rigid;
    for (int k = 0; k < 2 && block->side[k].component >= 0; k++)
        for (int i = rigid->begin[block->side[k].component]; i < rigid->begin[block->side[k].component + 1]; i++)
            if (s->state->v[i] != 0) return false;
    return true;
}

// Constant term of u in each row: gap/h, or for a bounce e J_n v with share e; so large for `apart` that the contact stays
// open.
static void rigid_set_constant(rigid_step *s, tact_real share) {
    tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt;
    for (int i = 0; i < rigid->count; i++) {
        tact_rigid_block *block = &rigid->block[i];
        // rounding of a gap must not set bodies at rest in motion
        bool rests = rigid_rests(s, block);
        for (int row = 0; row < 3; row++) {
            tact_real gap = rigid_gap(s, block, row);
            rigid->gap[3 * i + row] = gap < -rigid->overlap || (rests && tact_fabs(gap) <= RIGID_GAP * TACT_EPS) ? 0 : gap / h;
        }
        block->bounce = 0;
        if (block->apart) rigid->gap[3 * i] = TACT_MAX / 16;
        if (block->apart || block->contact < 0 || s->options->level != TACT_LEVEL_VELOCITY) continue;
        const tact_contact *contact = &s->work->contacts.contact[block->contact];
        tact_real e = s->model->pair[contact->pair].restitution * share, approach = tact_rigid_rate(rigid, block, 0, s->state->v);
        if (!(e > 0 && approach < 0 && contact->gap + h * tact_rigid_rate(rigid, block, 0, rigid->free) <= 0)) continue;
        block->bounce = e;
        rigid->gap[3 * i] = e * approach;
    }
}

// Where the impulses of constraint i are stored between steps; count: how many there are.
static tact_real *rigid_kept(const rigid_step *s, int i, int *count) {
    const tact_rigid_block *block = &s->rigid->block[i];
    *count = block->contact >= 0 ? 3 : 2;
    return block->contact >= 0 ? s->rigid->kept + 3 * s->work->contacts.contact[block->contact].pair
                               : s->rigid->limit_kept + 2 * block->dof;
}

// Loads the impulses of the last step as a warm start, or stores those of this step.
static void rigid_transfer_impulses(rigid_step *s, bool load) {
    tact_rigid_work *rigid = s->rigid;
    for (int i = 0; i < rigid->count; i++) {
        int count = 0;
        tact_real *kept = rigid_kept(s, i, &count);
        for (int k = 0; k < 3; k++) {
            if (load) rigid->r[3 * i + k] = k < count ? kept[k] : 0;
            if (!load && k < count) kept[k] = rigid->r[3 * i + k];
        }
    }
}

// Contradictory small overlaps, as of a body between two walls: counts them as zero and resets r. False when there are none.
static bool rigid_ease(rigid_step *s, tact_real share) {
    tact_rigid_work *rigid = s->rigid;
    tact_real least = 0;
    for (int row = 0; row < 3 * rigid->count; row++) least = tact_min(least, rigid_gap(s, &rigid->block[row / 3], row % 3));
    if (!(least < 0 && rigid->overlap > 0)) return false;
    rigid->overlap = 0;
    s->work->decrement = s->work->balance = 0;
    rigid_set_constant(s, share);
    for (int row = 0; row < 3 * rigid->count; row++) rigid->r[row] = 0;
    return true;
}

// Whether A v+ = load + h c(v+) + J'r holds. If not, linearises c about v+, or half-way to it if the residual did not fall.
static bool rigid_is_balanced(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt, *F = rigid->unrest, before = s->left;
    tact_real size = tact_rigid_unbalance(s->model, h, rigid->next, s->work, F);
    // F = A v+ - load - h c(v+) - J'r, and size the largest of its terms
    for (int i = 0; i < rigid->count; i++)
        for (int k = 0; k < 2 && rigid->block[i].side[k].component >= 0; k++) {
            const tact_rigid_side *side = &rigid->block[i].side[k];
            int first = rigid->begin[side->component], n = rigid->begin[side->component + 1] - first;
            for (int j = 0; j < 3 * n; j++) {
                F[first + j % n] -= side->J[j] * rigid->r[3 * i + j / n];
                size = tact_max(size, tact_fabs(side->J[j] * rigid->r[3 * i + j / n]));
            }
        }
    tact_real left = size > 0 ? tact_largest(F, s->model->nv) / size : 0;
    rigid_keep_left(s, left);
    if (left <= RIGID_ROUNDINGS * TACT_EPS) return true;
    for (int i = 0; i < s->model->nv; i++)
        rigid->expansion[i] = left < before ? rigid->next[i] : (rigid->expansion[i] + rigid->next[i]) / 2;
    rigid->bent = tact_rigid_newton_matrix(s->model, h, rigid->expansion, s->work);
    return false;
}

// Alternates between the contact problem u = W r + q for the current c, which gives v+ and r, and c at the new v+.
static tact_status rigid_solve_contacts(rigid_step *s, tact_real share) {
    tact_rigid_work *rigid = s->rigid;
    // residuals of earlier solutions do not count
    s->work->decrement = s->work->balance = 0;
    s->left = TACT_MAX;
    rigid_set_constant(s, share);
    for (int turn = 0; turn < RIGID_TURNS; turn++) {
        rigid_update_free(s);
        for (int i = 0; i < rigid->count; i++)
            for (int row = 0; row < 3; row++)
                rigid->q[3 * i + row] = rigid->gap[3 * i + row] + tact_rigid_rate(rigid, &rigid->block[i], row, rigid->free);
        tact_status status = tact_rigid_answer(s->options, s->work, rigid->r, s->options->warm_start || turn > 0);
        if ((status > 0 || status == TACT_INFEASIBLE) && rigid_ease(s, share)) continue;
        if (status < 0) return status;
        rigid_apply_impulses(s, rigid->free, rigid->r, rigid->next);
        bool bent = rigid->bent;
        if (bent ? rigid_is_balanced(s) : rigid_is_turned(s, rigid->next)) return status;
        if (!bent && ((s->stalled && turn > 1) || turn >= RIGID_FIXED)) {
            // the fixed-point iteration is too slow: continue with Newton's method
            for (int i = 0; i < s->model->nv; i++) rigid->expansion[i] = rigid->next[i];
            bent = tact_rigid_newton_matrix(s->model, s->options->dt, rigid->expansion, s->work);
            s->left = TACT_MAX;
        }
        if (bent && (status = tact_rigid_couple(rigid)) < 0) return status;
    }
    return TACT_ITERATION_LIMIT;
}

// Kinetic energy added by the impulses: r'J (v* + v+) / 2, and the sum of the magnitudes of its terms.
static tact_real rigid_added_energy(const tact_rigid_work *rigid, tact_real *size) {
    tact_real sum = 0;
    *size = 0;
    for (int k = 0; k < 3 * rigid->count; k++) {
        tact_real before = rigid->r[k] * (rigid->q[k] - rigid->gap[k]) / 2,
                  after = rigid->r[k] * (rigid->u[k] - rigid->gap[k]) / 2;
        sum += before + after;
        *size += tact_fabs(before) + tact_fabs(after);
    }
    return sum;
}

static bool rigid_bounces(const tact_rigid_work *rigid) {
    for (int i = 0; i < rigid->count; i++)
        if (rigid->block[i].bounce > 0) return true;
    return false;
}

// Solves with restitution e; if the impulses add energy, again with e/2, e/4 and 0.
static tact_status rigid_solve_restitution(rigid_step *s) {
    tact_status status = TACT_CONVERGED;
    tact_real share = 1;
    for (int k = 0; k < RIGID_LESSENED; k++) {
        tact_real size = 0;
        // warm start from the impulses of the last step
        rigid_transfer_impulses(s, true);
        status = rigid_solve_contacts(s, k == RIGID_LESSENED - 1 ? 0 : share);
        if (status < 0) return status;
        s->rigid->energy = rigid_added_energy(s->rigid, &size);
        // accept when no energy is gained beyond rounding, or when nothing bounces
        if (!(s->rigid->energy > RIGID_ROUNDINGS * TACT_EPS * size) || !rigid_bounces(s->rigid)) break;
        share /= 2;
    }
    rigid_transfer_impulses(s, false);
    return status;
}

// Normal velocity J_n v of a contact; size: the sum of the magnitudes of its terms.
static tact_real rigid_closing(const tact_model *model, const tact_contact *contact, const tact_real *v, tact_real *size) {
    const int *column = model->column + model->column_start[contact->pair];
    tact_real sum = 0;
    *size = 0;
    for (int k = 0; k < contact->width; k++) {
        tact_real term = contact->J[k] * v[model->order[column[k]]];
        sum += term;
        *size += tact_fabs(term);
    }
    return sum;
}

// Initial active set: contacts that carried load in the last step, touch, or may close by h times the terms of J_n v*.
static void rigid_foresee(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    for (int c = 0; c < s->work->contacts.count; c++) {
        const tact_contact *contact = &s->work->contacts.contact[c];
        tact_real way = 0;
        if (rigid->place[contact->pair] != TACT_RIGID_NONE) continue;
        rigid_closing(s->model, contact, rigid->free, &way);
        bool loaded = rigid->kept[3 * contact->pair] > 0, near = contact->gap <= tact_max(s->options->dt * way, rigid->slack);
        if ((loaded || near) && !tact_rigid_repeats(s->model, s->work, c)) rigid->place[contact->pair] = TACT_RIGID_NEW;
    }
}

// Adds the contacts that this velocity closes or nearly closes to the constraints; whether there are any.
static bool rigid_catch(rigid_step *s, const tact_real *velocity) {
    tact_rigid_work *rigid = s->rigid;
    bool any = false;
    for (int c = 0; c < s->work->contacts.count; c++) {
        const tact_contact *contact = &s->work->contacts.contact[c];
        tact_real size = 0;
        if (rigid->place[contact->pair] != TACT_RIGID_NONE) continue;
        // u_n = gap/h + J_n v > 0: r = 0 satisfies complementarity
        tact_real open = contact->gap / s->options->dt + rigid_closing(s->model, contact, velocity, &size);
        if (open > RIGID_NEAR * size || tact_rigid_repeats(s->model, s->work, c)) continue;
        rigid->place[contact->pair] = TACT_RIGID_NEW;
        any = true;
    }
    return any;
}

// Lists the constraints and assembles their blocks of the Delassus matrix W.
static tact_status rigid_constrain(rigid_step *s) {
    tact_status status = tact_rigid_list(s->model, s->options, s->state, s->work);
    return status < 0 ? status : tact_rigid_constrain(s->model, s->work);
}

// v+ and r for all detected contacts by constraint generation: solves again with those that v+ would close, until none is
// added.
static tact_status rigid_generate_constraints(rigid_step *s) {
    tact_status status = rigid_solve_restitution(s);
    while (status >= 0 && rigid_catch(s, s->rigid->next)) {
        status = rigid_constrain(s);
        if (status >= 0) status = rigid_solve_restitution(s);
    }
    return status;
}

// Raises the expected displacement of each dof to 2 h |v| where it has more than doubled; whether any was raised.
static bool rigid_widen(rigid_step *s, const tact_real *velocity) {
    bool grew = false;
    for (int v = 0; v < s->model->nv; v++) {
        tact_real *way = &s->rigid->way[s->model->place[v]], now = 2 * s->options->dt * tact_fabs(velocity[v]);
        if (!(now > 2 * *way)) continue;
        *way = now;
        grew = true;
    }
    return grew;
}

// Alternates between detection and solution: contacts within reach of v*, then of v+, until no more are found.
static tact_status rigid_find(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    const tact_options *options = s->options;
    tact_real h = options->dt, margin = options->margin;
    if (s->work->sweeping)
        margin = h * h * tact_sqrt(tact_vec3_dot(options->gravity, options->gravity)) + RIGID_OVERLAP * TACT_EPS;
    for (int i = 0; i < s->model->npair; i++) rigid->place[i] = TACT_RIGID_NONE;
    for (int v = 0; v < s->model->nv; v++) rigid->way[v] = 0;
    rigid_widen(s, rigid->free);
    for (int round = 0, before = -1; round < RIGID_ROUNDS; round++) {
        const tact_real *way = s->work->sweeping ? rigid->way : NULL;
        // without expected displacements detection finds the same contacts in every round
        if (way || round == 0) {
            tact_contacts_detect(&s->work->contacts, s->model, &s->work->kinematics, margin, way);
            tact_contacts_choose_faces(&s->work->contacts, s->model, rigid->free, h);
            tact_contacts_join(&s->work->contacts, s->model, &s->work->kinematics);
        }
        rigid_foresee(s);
        if (round > 0) rigid_catch(s, rigid->next);
        tact_status status = tact_rigid_list(s->model, options, s->state, s->work);
        if (status < 0) return status;
        // constraints are only ever added: an equal count means the same constraints, whose blocks are kept
        if (rigid->count == before) {
            tact_rigid_rename(s->work);
            return TACT_CONVERGED;
        }
        status = tact_rigid_constrain(s->model, s->work);
        if (status >= 0) status = rigid_generate_constraints(s);
        if (status < 0) return status;
        s->status = status;
        before = rigid->count;
        if (!rigid_widen(s, rigid->next)) return TACT_CONVERGED;
    }
    s->status = TACT_ITERATION_LIMIT;
    return TACT_CONVERGED;
}

// Second derivative of a contact's gap along the velocity at the beginning of the step, by a central difference.
static tact_real rigid_gap_curvature(rigid_step *s, const tact_contact *contact) {
    const tact_model *model = s->model;
    tact_rigid_work *rigid = s->rigid;
    tact_real gap[3], step = tact_sqrt(tact_sqrt(TACT_EPS));
    // gaps at q - d v, q, q + d v
    for (int k = -1; k <= 1; k++) {
        for (int i = 0; i < model->nv; i++) rigid->scale[i] = (tact_real)k * step * s->state->v[i];
        for (int i = 0; i < model->nq; i++) rigid->trial[i] = s->state->q[i];
        tact_model_integrate(model, &s->work->kinematics, rigid->scale, rigid->trial);
        tact_kinematics_update(&rigid->after, model, rigid->trial);
        gap[k + 1] = contact->flat ? tact_contact_plane_gap(&s->work->contacts, model, contact, &rigid->after)
                                   : tact_contact_gap(model, &rigid->after, contact->pair);
    }
    return ((gap[2] - gap[1]) - (gap[1] - gap[0])) / (step * step);
}

// Unit sliding direction (tangent, tangent) of a loaded, closed contact; false when it does not slide.
static bool rigid_slides(rigid_step *s, int i, tact_real slide[2]) {
    tact_rigid_work *rigid = s->rigid;
    const tact_rigid_block *block = &rigid->block[i];
    const tact_real slow = TACT_REAL(1e-6);
    if (block->contact < 0 || rigid->mu[i] < 0 || !(rigid->r[3 * i] > 0) || block->bounce > 0 || block->apart) return false;
    if (s->work->contacts.contact[block->contact].gap > RIGID_OVERLAP * TACT_EPS) return false;
    // closed, no normal velocity, and a tangential one
    for (int k = 0; k < 2; k++) slide[k] = tact_rigid_rate(rigid, block, k + 1, s->state->v);
    tact_real speed = tact_sqrt(slide[0] * slide[0] + slide[1] * slide[1]);
    if (!(speed > slow && tact_fabs(tact_rigid_rate(rigid, block, 0, s->state->v)) <= slow * (1 + speed))) return false;
    slide[0] /= speed;
    slide[1] /= speed;
    return true;
}

// Painleve's paradox: the normal force f >= 0 and acceleration a = M f + b >= 0 of a sliding contact satisfy a f = 0. If its
// own force accelerates it inwards, M < 0, there is no solution for b < 0 and there are two for b > 0; the impulse that stops
// the slide at once (jamming) is not accepted. UNSOLVABLE without a solution; with two the contact stays open.
static tact_status rigid_check_painleve(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    bool twofold = false;
    for (int i = 0; i < rigid->count; i++) {
        tact_real slide[2], *r = rigid->r + 3 * i;
        if (!rigid_slides(s, i, slide)) continue;
        // M = W_nn - mu W_nt d: normal acceleration per unit normal force of a contact that slides along d
        const tact_rigid_block *block = &rigid->block[i];
        int k = block->island, at = rigid->row_start[i + k];
        while (rigid->column[rigid->first_stored[k] + at] != i - rigid->island[k]) at++;
        const tact_real *W = rigid->W + 9 * (size_t)(rigid->first_stored[k] + at);
        if (!(W[0] - rigid->mu[i] * (W[1] * slide[0] + W[2] * slide[1]) < 0)) continue;
        const tact_contact *contact = &s->work->contacts.contact[block->contact];
        // b: normal acceleration without this contact's force, including the gap's curvature
        tact_real alone = rigid->u[3 * i] - rigid->gap[3 * i] - (W[0] * r[0] + W[1] * r[1] + W[2] * r[2]);
        tact_real b = (alone - tact_rigid_rate(rigid, block, 0, s->state->v)) / s->options->dt + rigid_gap_curvature(s, contact);
        s->work->worst_pair = contact->pair;
        if (!(b > 0)) return TACT_UNSOLVABLE;
        rigid->block[i].apart = twofold = true;
    }
    if (!twofold) return TACT_CONVERGED;
    tact_status status = rigid_generate_constraints(s);
    s->status = TACT_AMBIGUOUS;
    return status < 0 ? status : TACT_CONVERGED;
}

// Velocity rigid->shift that closes the overlaps, from a problem without friction; false when it has no solution.
static bool rigid_shift(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    tact_real h = s->options->dt, *r = rigid->gap;
    for (int i = 0; i < rigid->count; i++)
        for (int row = 0; row < 3; row++) {
            tact_real gap = rigid_gap(s, &rigid->block[i], row);
            rigid->q[3 * i + row] = tact_max(gap / h, -RIGID_PUSH) + tact_rigid_rate(rigid, &rigid->block[i], row, rigid->next);
        }
    if (tact_rigid_answer_smooth(s->options, s->work, r) < 0) return false;
    rigid_apply_impulses(s, NULL, r, rigid->shift);
    return true;
}

// Closes overlaps by a displacement that adds no velocity; contacts that it would close become constraints, too.
static tact_status rigid_correct(rigid_step *s) {
    tact_rigid_work *rigid = s->rigid;
    rigid->correction = 0;
    for (int i = 0; i < s->model->nv; i++) rigid->shift[i] = 0;
    for (int i = 0; i < rigid->count; i++)
        for (int row = 0; row < 3; row++) rigid->correction = tact_max(rigid->correction, -rigid_gap(s, &rigid->block[i], row));
    if (!(rigid->correction > rigid->slack)) {
        rigid->correction = 0;
        return TACT_CONVERGED;
    }
    // the displacement uses A without dc/dv
    if (rigid->bent) {
        rigid->bent = false;
        tact_status status = tact_rigid_couple(rigid);
        if (status < 0) return status;
    }
    for (bool more = true; more;) {
        // solve for the displacement, add the contacts that it closes, until there are none
        if (!rigid_shift(s)) {
            s->status = TACT_STATIONARY;
            return TACT_CONVERGED;
        }
        for (int i = 0; i < s->model->nv; i++) rigid->scale[i] = rigid->next[i] + rigid->shift[i];
        more = rigid_catch(s, rigid->scale);
        tact_status status = more ? rigid_constrain(s) : TACT_CONVERGED;
        if (status < 0) return status;
        if (more) rigid_transfer_impulses(s, true);
    }
    return TACT_CONVERGED;
}

// New state: momentum p+ = M(q) v+, q+ = q (+) h (v+ + shift), velocity from M(q+) v = p+; contact forces and energies.
static void rigid_finish(rigid_step *s, tact_state *state) {
    tact_rigid_work *rigid = s->rigid;
    tact_work *work = s->work;
    // momentum at the end of the step, from which the velocities follow with the inertia at q+
    tact_rigid_turning(s->model, s->options->dt, rigid->next, work, rigid->turning, rigid->momentum);
    for (int i = 0; i < s->model->nv; i++) work->displacement[i] = s->options->dt * (rigid->next[i] + rigid->shift[i]);
    tact_model_integrate(s->model, &work->kinematics, work->displacement, state->q);
    tact_kinematics_update(&rigid->after, s->model, state->q);
    tact_rigid_conclude(s->model, rigid->momentum, work, state->v);
    // contact forces r/h, in the contacts and in the state
    for (int i = 0; i < 3 * s->model->npair; i++) state->lambda[i] = 0;
    for (int i = 0; i < rigid->count; i++) {
        if (rigid->block[i].contact < 0) continue;
        tact_contact *contact = &work->contacts.contact[rigid->block[i].contact];
        tact_real *l = contact->lambda;
        for (int k = 0; k < 3; k++) l[k] = state->lambda[3 * contact->pair + k] = rigid->r[3 * i + k] / s->options->dt;
        contact->force = tact_mat3_apply_transposed(contact->frame, tact_vec3_make(l[0], l[1], l[2]));
    }
    work->kinetic = 0;
    for (int i = 0; i < s->model->nv; i++) work->kinetic += rigid->momentum[i] * state->v[i] / 2;
    work->potential = tact_weight_energy(s->model, &rigid->after, s->options->gravity);
}

bool tact_rigid_couples(const tact_model *model, const tact_rigid_work *rigid) {
    bool same = true;
    for (int v = 0; v < model->nv; v++) same = same && rigid->first[model->nv - 1 - v] == model->nv - 1 - model->reach[v];
    return same;
}

// Velocity at the end of the step and its impulses, with the set of springs at their force limit held fixed.
static tact_status rigid_solve(rigid_step *s, const tact_input *input) {
    const tact_model *model = s->model;
    tact_rigid_work *rigid = s->rigid;
    s->status = TACT_CONVERGED;
    s->left = TACT_MAX;
    s->stalled = false;
    rigid->overlap = rigid->slack;
    rigid->bent = rigid->answered = false;
    // A, load and its factors; impulses of the last step
    tact_status status = tact_rigid_assemble(model, s->options, input, s->state, s->work);
    if (status < 0) return status;
    for (int i = 0; i < 3 * model->npair; i++) rigid->kept[i] = s->options->dt * s->state->lambda[i];
    for (int i = 0; i < 2 * model->nv; i++) rigid->limit_kept[i] = 0;
    // v*, then contacts and their impulses, then Painleve's paradox
    rigid_find_free_velocity(s);
    status = s->work->status = rigid_find(s);
    if (status >= 0) status = rigid_check_painleve(s);
    // the input was checked before: bad input of a part can only be an overflow within the step
    return status == TACT_BAD_INPUT ? TACT_SINGULAR : status;
}

// The step of the rigid law. Springs with a force limit are an active set: the step is solved again until it no longer changes.
static tact_status step_rigid(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                              tact_work *work) {
    TACT_ASSERT(tact_rigid_couples(model, work->rigid));
    rigid_step s = {model, options, state, work, work->rigid, TACT_CONVERGED, TACT_MAX, false};
    work->fault = work->rigid->fault;
    if (work->fault.field) return work->status = TACT_BAD_INPUT;
    work->rigid->slack = RIGID_OVERLAP * TACT_EPS;
    if (options->level == TACT_LEVEL_POSITION) work->rigid->slack = tact_max(work->rigid->slack, RIGID_GENTLE * options->dt);
    bool again = false;
    if (tact_ties(model) > 0) tact_ties_release(model, state, work);
    for (int round = 0; round == 0 || again; round++) {
        work->status = rigid_solve(&s, input);
        if (work->status < 0) return work->status;
        work->status = s.status;
        again = tact_ties(model) > 0 && tact_ties_turn(model, options, input, state, work, work->rigid->next, options->dt, round);
        s.status = work->status;
    }
    // velocities within the solver's residual become zero; overlaps are closed; the new state follows
    tact_rigid_settle(model, options->dt, work);
    work->status = rigid_correct(&s);
    if (work->status < 0) return work->status;
    // Displacements and contact impulses must be finite and within TACT_MOST_LENGTH and TACT_MOST_CONTACT.
    const tact_rigid_work *rigid = s.rigid;
    tact_real h = s.options->dt;
    bool within = true;
    for (int i = 0; i < s.model->nv; i++)
        within = within && tact_fabs(h * (rigid->next[i] + rigid->shift[i])) <= TACT_REAL(TACT_MOST_LENGTH);
    for (int i = 0; i < 3 * rigid->count; i++) within = within && tact_fabs(rigid->r[i]) <= h * TACT_REAL(TACT_MOST_CONTACT);
    if (!within) return work->status = TACT_SINGULAR;
    rigid_finish(&s, state);
    return work->status = s.status;
}

// Whether some inertia that the joint of body b moves resists its motion.
static bool rigid_resists(const tact_model *model, int b) {
    tact_joint_type joint = model->body[b].joint;
    bool turns = joint != TACT_JOINT_PRISMATIC && joint != TACT_JOINT_TRANSLATION;
    for (int c = b; c < model->nbody; c++) {
        const tact_body *body = &model->body[c];
        int carrier = c;
        while (carrier > b) carrier = model->body[carrier].parent;
        if (carrier != b) continue;
        bool arm = c != b || body->com.x != 0 || body->com.y != 0 || body->com.z != 0;
        bool spins = body->inertia[0] > 0 || body->inertia[1] > 0 || body->inertia[2] > 0;
        if ((c == b && body->armature > 0) || (turns ? spins || (arm && body->mass > 0) : body->mass > 0)) return true;
    }
    return false;
}

static bool rigid_is_undriven(const tact_model *model, int b) {
    const tact_body *body = &model->body[b];
    for (int k = 0; k < tact_joint_dofs(body->joint); k++)
        if (model->dof[body->v + k].u < 0 && model->dof[body->v + k].body == b) return true;
    return false;
}

// A free joint on a moving parent: the law's momentum balance lacks the terms of the parent's rotation.
static bool rigid_is_carried_free(const tact_model *model, int b) {
    int parent = model->body[b].parent;
    return model->body[b].joint == TACT_JOINT_FREE && parent != TACT_WORLD &&
           model->path_start[parent + 1] > model->path_start[parent];
}

// Reason why the law cannot step this model, and the body concerned; NULL: it can.
static const char *refuse_rigid(const tact_model *model, int *body) {
    for (int b = 0; b < model->nbody; b++) {
        *body = b;
        if (rigid_is_carried_free(model, b)) return "free on a body that moves: the rigid law has no such joint";
        if (rigid_is_undriven(model, b) && !rigid_resists(model, b))
            return "neither driven nor held by inertia: the rigid law needs a mass, an inertia or a drive";
    }
    return NULL;
}

static void prepare_rigid(tact_work *work, const tact_model *model) {
    tact_rigid_prepare(work, model);
    work->rigid->fault = (tact_fault){NULL, 0};
    for (int b = model->nbody - 1; b >= 0; b--)
        if (rigid_is_carried_free(model, b)) work->rigid->fault = (tact_fault){"body.joint", b};
    // two smooth witness points on an edge serve laws whose forces begin before contact; here only the nearest point touches
    for (int i = 0; i < model->npair; i++)
        if (model->pair[i].vertex < -2 || model->pair[i].vertex > 2) work->rigid->fault = (tact_fault){"pair.vertex", i};
}

const tact_law tact_law_rigid = {.name = "rigid",
                                 .refuse = refuse_rigid,
                                 .place = tact_rigid_place,
                                 .prepare = prepare_rigid,
                                 .step = step_rigid,
                                 .derivatives = TACT_DERIV_RIGID,
                                 .by = TACT_BY(MU) | TACT_BY(MASS) | TACT_BY(STIFFNESS) | TACT_BY(FORCE),
                                 .velocities = true,
                                 .energies = true};
