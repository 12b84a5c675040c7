// SPDX-License-Identifier: MIT
// The quasidynamic log-barrier step, in displacement form:
//
//   nu_i = J_i d + (phi_i, T s_i)                          contact displacements
//   P    = blkdiag(eps M_o / h^2, K_a + D_a / h)           unactuated dofs: mass; driven dofs: stiffness (and damping)
//   p    = (-tau_o ; K_a (q_a - u) - tau_a)
//   min over d  1/2 d'P d + p'd - sum (1/kappa) log(nu_n^2/mu^2 - |nu_t|^2),   q+ = q (+) d
//
// Source: arXiv 2505.02291, equations 1 to 12. Joint limits are one-dimensional barriers with a sharpness of their own.
#include "law/barrier.h"

#include "law/anchor.h"
#include "law/tie.h"
#include "math/elementary.h"
#include "solve/barrier.h"
#include "solve/skyline.h"

#define GUESS_INSIDE TACT_REAL(0.01)  // least (nu_n^2 - mu^2 |nu_t|^2)/nu_n^2 of a guessed gap

enum { BARRIER_ROUNDS = 3 };  // rounds of force limits begin until so many times max_iterations are spent

// Adds eps M_o / h^2 to P and the weight to p, for one motion.
static void assemble_inertia_of(const tact_model *model, const tact_options *options, int m, tact_work *work) {
    const tact_motion *motion = &model->motion[m];
    tact_skyline *P = &work->problem.P;
    tact_real factor = options->epsilon / (options->dt * options->dt);
    bool driven = model->dof[motion->dof].u >= 0;
    if (driven && !options->gravity_on_driven) return;
    int i = model->place[motion->dof];
    work->p[i] -= tact_composite_weight(model, &work->kinematics, &work->dynamics, m, options->gravity);
    if (driven) return;
    // M by the composite rigid body algorithm, for the undriven motions that carry this one; a dof may have several motions
    for (int k = model->path_start[motion->body]; k < model->path_start[motion->body + 1]; k++) {
        int carrier = model->path[k], dof = model->motion[carrier].dof, j = model->place[dof];
        if (carrier > m || model->dof[dof].u >= 0) continue;
        tact_real M = tact_composite_coupling(model, &work->kinematics, &work->dynamics, m, carrier);
        tact_skyline_row(P, i > j ? i : j)[i > j ? j : i] += factor * (i == j && carrier < m ? 2 * M : M);
    }
}

// The force 2/kappa (nu_n, -mu^2 nu_t)/(nu_n^2 - mu^2 |nu_t|^2) of the barrier at the gap nu. False where nu is too near to the
// boundary of its cone for a start.
static bool force_at(const tact_cone *cone, const tact_real nu[3], tact_real force[3]) {
    tact_real mu2 = cone->mu * cone->mu, det = nu[0] * nu[0] - mu2 * (nu[1] * nu[1] + nu[2] * nu[2]);
    if (!(nu[0] > 0 && det > GUESS_INSIDE * nu[0] * nu[0])) return false;
    tact_real scale = 2 / (cone->kappa * det);
    for (int k = 0; k < 3; k++) force[k] = (k ? -mu2 : 1) * scale * nu[k];
    return true;
}

bool tact_barrier_recall(const tact_model *model, const tact_input *input, const tact_state *state, tact_work *work) {
    const tact_real *guess = TACT_GUESS ? input->guess : NULL;
    bool any = guess || work->problem.ncone == 0;
    for (int i = 0; guess && i < model->nv; i++) work->d[i] = guess[model->order[i]];
    for (int i = 0; i < work->problem.ncone; i++) {
        const tact_cone *cone = &work->cone[i];
        const tact_real *last = state->lambda + 3 * work->contacts.contact[i].pair;
        tact_real nu[3], *force = work->lambda + 3 * i;
        bool known = last[0] > 0;
        any = any || known;
        if (guess) tact_barrier_gap(cone, work->d, nu);
        if (guess && force_at(cone, nu, force)) continue;
        if (!known && !(cone->c[0] > 0)) return false;
        // forces of the last step; a new contact starts from 2/(kappa phi), its force at rest
        force[0] = known ? last[0] : 2 / (cone->kappa * cone->c[0]);
        force[1] = known ? last[1] : 0;
        force[2] = known ? last[2] : 0;
    }
    // limits start from 2/(kappa c), their force at rest or at the guess
    for (int j = 0; j < work->problem.nbound; j++) {
        const tact_bound *bound = &work->bound[j];
        tact_real there = guess ? bound->c + bound->sign * work->d[bound->column] : 0, gap = there > 0 ? there : bound->c;
        if (!(gap > 0)) return false;
        work->bound_lambda[j] = 2 / (bound->kappa * gap);
    }
    return any;
}

// The pair with the largest normal force in the certificate of infeasibility; -1: none.
static int worst_pair(const tact_work *work) {
    int worst = -1;
    tact_real most = 0;
    for (int i = 0; i < work->problem.ncone; i++)
        if (work->lambda[3 * i] > most) {
            most = work->lambda[3 * i];
            worst = work->contacts.contact[i].pair;
        }
    return worst;
}

bool tact_barrier_stays_in_reach(const tact_model *model, const tact_work *work) {
    int forces = 3 * work->contacts.count;
    return tact_find_larger(work->d, model->nv, TACT_REAL(TACT_MOST_LENGTH)) == model->nv &&
           tact_find_larger(work->lambda, forces, TACT_REAL(TACT_MOST_CONTACT)) == forces;
}

tact_status tact_barrier_answer(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work, int spent) {
    tact_barrier_options how = {.max_iterations = options->max_iterations, .tolerance = options->tolerance};
    tact_barrier_solution solution = {.d = work->d, .lambda = work->lambda, .bound_lambda = work->bound_lambda};
    // after a round: from its forces
    how.warm = spent > 0 || (options->warm_start && tact_barrier_recall(model, input, state, work));
    work->status = tact_barrier_solve_trusting(&work->problem, &how, &work->barrier, &solution);
    // the iteration limit, with a gap still closed but less so than at the beginning: the displacement is usable
    bool closed = work->status == TACT_UNDECIDED && solution.nearer;
    if (closed) work->status = TACT_ITERATION_LIMIT;
    // displacements or forces beyond the allowed magnitudes are not a solution
    if (work->status >= 0 && !tact_barrier_stays_in_reach(model, work)) work->status = TACT_SINGULAR;
    work->iterations = spent + solution.iterations;
    work->decrement = solution.decrement;
    work->balance = solution.balance;
    work->worst_pair = -1;
    // for messages: the pair of the certificate, or the gap that stayed closed
    if (work->status == TACT_INFEASIBLE) work->worst_pair = worst_pair(work);
    if (closed && work->status >= 0) {
        // the pair or dof whose gap the displacement leaves furthest outside its cone
        tact_real least = TACT_MAX;
        for (int i = 0; i < work->problem.ncone; i++) {
            tact_real nu[3];
            tact_barrier_gap(&work->cone[i], work->d, nu);
            // nu_n - mu |nu_t|, positive inside the cone
            tact_real margin = nu[0] - work->cone[i].mu * tact_sqrt(nu[1] * nu[1] + nu[2] * nu[2]);
            if (!(margin < least)) continue;
            least = margin;
            work->worst_pair = work->contacts.contact[i].pair;
        }
        for (int j = 0; j < work->problem.nbound; j++) {
            const tact_bound *bound = &work->bound[j];
            tact_real margin = bound->c + bound->sign * work->d[bound->column];
            if (!(margin < least)) continue;
            least = margin;
            work->worst_pair = -1;
            work->worst_dof = model->order[bound->column];
        }
    }
    return work->status;
}

void tact_barrier_conclude(const tact_model *model, const tact_options *options, tact_state *state, tact_work *work) {
    for (int i = 0; i < model->nv; i++) work->displacement[model->order[i]] = work->d[i];
    // contacts are in the order of the pairs: one pass; pairs without a contact lose force and anchor
    for (int i = 0, next = 0; i < model->npair; i++) {
        if (next < work->contacts.count && work->contacts.contact[next].pair == i) {
            // force of the contact into the contact and the state, and its anchor for the next step
            int index = next++;
            tact_contact *contact = &work->contacts.contact[index];
            const tact_cone *cone = &work->cone[index];
            const tact_real *l = work->lambda + 3 * index;
            tact_real *kept = state->lambda + 3 * contact->pair;
            for (int k = 0; k < 3; k++) contact->lambda[k] = kept[k] = l[k];
            contact->force = tact_mat3_apply_transposed(contact->frame, tact_vec3_make(l[0], l[1], l[2]));
            state->anchor[contact->pair] = tact_vec3_make(0, 0, 0);
            if (options->anchor) {
                // nu = c + J d of this step
                tact_real nu[3];
                tact_barrier_gap(cone, work->d, nu);
                tact_anchor_store(model, options, work, index, nu, state);
            }
            continue;
        }
        for (int k = 0; k < 3; k++) state->lambda[3 * i + k] = 0;
        state->anchor[i] = tact_vec3_make(0, 0, 0);
    }
    // q+ = q (+) d, v = d/h
    tact_model_integrate(model, &work->kinematics, work->displacement, state->q);
    for (int i = 0; i < model->nv; i++) state->v[i] = work->displacement[i] / options->dt;
}

// Memory of the barrier law's step, for the largest problem that the model can give; an arena that only measures returns none.
static void place_barrier(tact_work *work, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(work && model && arena && (model->mass_first || !model->nv));
    size_t nv = (size_t)model->nv, npair = (size_t)tact_model_pairs(model);
    int inertia = 0;
    for (int i = 0; i < model->nv; i++) inertia += i - model->mass_first[i] + 1;
    tact_contacts_place(&work->contacts, model, arena);
    // the largest problem: every pair in contact, and both limits of every dof that may have them
    size_t nbound = 0;
    for (int i = 0; i < model->nv; i++) nbound += model->body[model->dof[i].body].joint != TACT_JOINT_FREE ? 2 : 0;
    tact_barrier_size largest = {.n = model->nv,
                                 .ncone = tact_model_pairs(model),
                                 .nbound = (int)nbound,
                                 .columns = tact_model_columns(model),
                                 .envelope = model->envelope};
    tact_barrier_place(&work->barrier, largest, arena);
    // quadratic d'P d/2 + p'd: rows of P begin at their first coupled column
    work->P = tact_arena_take(arena, (size_t)inertia, sizeof(tact_real));
    work->P_start = tact_arena_take(arena, nv + 1, sizeof(int));
    work->p = tact_arena_take(arena, nv, sizeof(tact_real));
    if (tact_ties(model) > 0) tact_ties_place(work, model, inertia, arena);
    // cones and bounds; displacement, contact forces and forces of the limits
    work->cone = tact_arena_take(arena, npair, sizeof(tact_cone));
    work->bound = tact_arena_take(arena, nbound, sizeof(tact_bound));
    TACT_VECTORS(arena, nv, &work->d, &work->displacement);
    work->lambda = tact_arena_take(arena, 3 * npair, sizeof(tact_real));
    work->bound_lambda = tact_arena_take(arena, nbound, sizeof(tact_real));
}

static void prepare_barrier(tact_work *work, const tact_model *model) {
    work->P_start[0] = 0;
    for (int i = 0; i < model->nv; i++) work->P_start[i + 1] = work->P_start[i] + i - model->mass_first[i] + 1;
    // P uses the model's envelope, which is read only
    tact_skyline P = {.n = model->nv, .first = (int *)model->mass_first, .start = work->P_start, .value = work->P};
    if (tact_ties(model) > 0) tact_ties_release(model, NULL, work);
    work->problem = (tact_barrier_problem){.n = model->nv, .P = P, .p = work->p, .cone = work->cone, .bound = work->bound};
}

void tact_barrier_push(const tact_model *model, const tact_input *input, tact_work *work) {
    // p -= J'f for the external wrenches, at the centres of mass
    for (int b = 0; input->wrench && b < model->nbody; b++) {
        const tact_wrench *wrench = &input->wrench[b];
        tact_vec3 com = tact_pose_apply(work->kinematics.pose[b], model->body[b].com);
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int motion = model->path[k];
            // power of the wrench at unit rate of the motion: its share of J'f
            tact_real power = tact_vec3_dot(tact_motion_velocity(&work->kinematics, motion, com), wrench->force) +
                              tact_vec3_dot(work->kinematics.angular[motion], wrench->torque);
            work->p[model->place[model->motion[motion].dof]] -= power;
        }
    }
    if (work->sweeping) {
        // free displacement of each dof, |p_i| / P_ii, stored in d
        for (int i = 0; i < model->nv; i++) {
            tact_real stiffness = tact_skyline_row(&work->problem.P, i)[i];
            work->d[i] = stiffness > 0 ? tact_fabs(work->p[i]) / stiffness : 0;
        }
    }
    if (work->sweeping && tact_ties(model) > 0) tact_ties_widen(model, work);
}

void tact_barrier_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                       tact_work *work) {
    TACT_ASSERT(tact_barrier_couples(model, work));
    // P and p without external wrenches
    tact_skyline *P = &work->problem.P;
    for (int i = 0; i < P->start[model->nv]; i++) P->value[i] = 0;
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[model->order[i]];
        work->p[i] = 0;
        if (dof->u < 0) continue;
        // K_a + D_a/h, and K_a (q_a - u)
        *tact_skyline_diagonal(P, i) = dof->stiffness + (dof->damping != 0 ? dof->damping / options->dt : 0);
        work->p[i] = dof->stiffness * (state->q[dof->q] - input->u[dof->u]);
    }
    // only bodies with an undriven dof on their path (loose) need composites
    tact_composite_update(model, &work->kinematics, &work->dynamics, !options->gravity_on_driven);
    // loose: an undriven dof on the body's path
    for (int b = 0; b < model->nbody; b++) {
        if (!model->loose[b] && !options->gravity_on_driven) continue;
        for (int m = model->body_motion[b]; m < model->body_motion[b + 1]; m++) assemble_inertia_of(model, options, m, work);
    }
    if (tact_ties(model) > 0) tact_ties_load(model, options, input, state, work);
    tact_barrier_push(model, input, work);
}

void tact_barrier_constrain(const tact_model *model, const tact_options *options, const tact_input *input,
                            const tact_state *state, tact_work *work) {
    // cones of the contacts: J, c = (gap plus the input's offset, stored displacement), mu, kappa
    for (int i = 0; i < work->contacts.count; i++) {
        const tact_contact *contact = &work->contacts.contact[i];
        tact_cone *cone = &work->cone[i];
        tact_real s[2] = {0, 0};
        cone->mu = model->pair[contact->pair].mu;
        cone->kappa = options->kappa;
        // stored tangential displacement s, in the contact frame of this step
        if (options->anchor) tact_anchor_load(state, contact, cone->mu, s);
        cone->width = contact->width;
        cone->column = model->column + model->column_start[contact->pair];
        cone->J = contact->J;
        cone->c[0] = input->spare && contact->pair < model->npair ? contact->gap + input->spare[contact->pair] : contact->gap;
        cone->c[1] = s[0];
        cone->c[2] = s[1];
    }
    work->problem.ncone = work->contacts.count;
    // joint limits as one-dimensional barriers of the distance c + sign d
    int count = 0;
    for (int i = 0; options->limits && i < model->nv; i++) {
        // columns of the problem are in elimination order
        const tact_dof *dof = &model->dof[model->order[i]];
        tact_bound bound = {.column = i, .kappa = options->limit_kappa};
        // distance from the limit: c + sign d > 0
        if (dof->lower > -TACT_MAX) {
            bound.sign = 1;
            bound.c = state->q[dof->q] - dof->lower;
            work->bound[count++] = bound;
        }
        if (dof->upper < TACT_MAX) {
            bound.sign = -1;
            bound.c = dof->upper - state->q[dof->q];
            work->bound[count++] = bound;
        }
    }
    work->problem.nbound = count;
    work->problem.n = model->nv;
}

bool tact_barrier_couples(const tact_model *model, const tact_work *work) {
    const int *first = work->problem.P.first;
    bool same = true;
    for (int i = 0; first != model->mass_first && i < model->nv; i++) same = same && first[i] == model->mass_first[i];
    return same;
}

static tact_status step_barrier(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                                tact_work *work) {
    bool again = false;
    int spent = 0;
    if (tact_ties(model) > 0) tact_ties_release(model, state, work);
    for (int round = 0; round == 0 || again; round++) {
        tact_barrier_load(model, options, input, state, work);
        tact_contacts_detect(&work->contacts, model, &work->kinematics, options->margin, work->sweeping ? work->d : NULL);
        tact_barrier_constrain(model, options, input, state, work);
        tact_status status = tact_barrier_answer(model, options, input, state, work, spent);
        spent = work->iterations;
        // a drive that reaches or leaves its force limit changes the problem: solve again with the new active set
        again = status == TACT_CONVERGED && tact_ties(model) > 0 &&
                tact_ties_turn(model, options, input, state, work, work->d, 1, round);
        if (!again || spent / options->max_iterations < BARRIER_ROUNDS) continue;
        work->status = TACT_ITERATION_LIMIT;
        break;
    }
    if (work->status >= 0) tact_barrier_conclude(model, options, state, work);
    return work->status;
}

void tact_work_share(tact_work *work, tact_threads threads) {
    TACT_ASSERT(work && (threads.run || threads.width <= 1));
    if (work->P) tact_barrier_share(&work->barrier, threads);
}

const tact_law tact_law_barrier = {.name = "barrier",
                                   .place = place_barrier,
                                   .prepare = prepare_barrier,
                                   .step = step_barrier,
                                   .derivatives = TACT_DERIV_BARRIER,
                                   .by = TACT_BY(KAPPA) | TACT_BY(LIMIT_KAPPA) | TACT_BY(EPSILON) | TACT_BY(DT) | TACT_BY(MU) |
                                         TACT_BY(RADIUS) | TACT_BY(MASS) | TACT_BY(STIFFNESS) | TACT_BY(FORCE),
                                   .anchors = true,
                                   .lanes = true,
                                   .distant = true};
