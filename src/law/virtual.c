// SPDX-License-Identifier: MIT
// Step of the virtual law: the stages of an implicit integrator (law/virtual.h), each solved by Newton's method with a line
// search on |r|^2 in a diagonal metric. Contacts whose sliding direction a Newton step would reverse are linearised as
// sticking, once per line search. A broad phase finds the pairs that may touch, for an assumed bound on the displacement of
// each body; if a body moves farther, the bound is doubled and the stage solved again, so that the result does not depend on
// it.
#include "law/virtual_chain.h"
#include "math/elementary.h"

enum { HALVINGS = 12, WIDENINGS = 4, PAIRS_FEW = 16, SLACK_PART = 4, FINISHES = 2, STALLS = 3 };

// Coordinate errors [rounding of the coordinates] at which the iteration ends: as estimated from the inertia alone, which is an
// upper bound, and as the size of a Newton step, whose own error is of the order of its square.
#define ROUNDINGS 4
#ifdef TACT_FLOAT
#define ROUNDINGS_OF_STEP 16
#else
#define ROUNDINGS_OF_STEP 4096
#endif

// Step length below which a line search counts as stalled.
#define LEAST_WAY (TACT_REAL(1) / 16)

// Fraction of the friction limit from which on a contact may be sliding.
#define REVERSAL TACT_REAL(0.99)

// Convergence is slow if a Newton step is between these multiples of the last one.
static const tact_real SLOW[2] = {TACT_REAL(0.05), TACT_REAL(0.25)};

// Armijo's constant of sufficient decrease.
#define ARMIJO TACT_REAL(1e-4)

// Coefficient of SDIRK2: 1 - 1/sqrt 2.
#define SDIRK TACT_REAL(0.29289321881345247560)

// Constant forces and the drives' parameters. The moment of an external force on a body whose centre of mass is off its axis
// depends on the angle and is added at each evaluation, as are weights and external forces in groups that bend.
void tact_virtual_load_forces(const tact_model *model, const tact_options *options, const tact_input *input,
                              const tact_kinematics *kinematics, tact_virtual_work *soft) {
    // drives: a force command is the load itself, a position command adds K u
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[soft->dof[i]];
        soft->load[i] = dof->u < 0 ? 0 : (dof->force ? 1 : dof->stiffness) * input->u[dof->u];
        soft->stiffness[i] = dof->stiffness;
        soft->damping[i] = dof->damping;
    }
    // weights and external forces: their power at unit rate of each motion on the body's path
    for (int b = 0; b < model->nbody; b++) {
        const tact_wrench *wrench = input->wrench ? &input->wrench[b] : NULL;
        bool bends = soft->bending && soft->mover[b] != TACT_WORLD && soft->bends[soft->group[b]];
        tact_vec3 zero = {0, 0, 0}, weight = bends ? zero : tact_vec3_scale(model->body[b].mass, options->gravity);
        tact_vec3 push = wrench ? wrench->force : zero, pull = zero;
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int motion = model->path[k];
            const tact_dof *dof = &model->dof[model->motion[motion].dof];
            tact_vec3 angular = kinematics->angular[motion];
            pull = dof->stiffness > 0 && !options->gravity_on_driven ? zero : weight;
            tact_real power = bends ? 0 : tact_vec3_dot(kinematics->linear[motion], tact_vec3_add(push, pull));
            if (wrench) power += tact_vec3_dot(angular, wrench->torque);
            soft->load[soft->unknown[model->motion[motion].dof]] += power;
        }
        // pull: weight as seen by the last motion of the path, which is that of the turning joint if there is one
        tact_vec3 both = tact_vec3_add(push, pull);
        soft->push[b] = tact_vec2_make(tact_vec3_dot(soft->planar.plane.x, both), tact_vec3_dot(soft->planar.plane.y, both));
    }
}

// w = sigma (x - centre).
static void virtual_find_rates(const tact_virtual_job *job, const tact_real *x, tact_real *w) {
    const tact_virtual_stage *stage = job->stage;
    for (int i = 0; i < job->model->nv; i++) w[i] = stage->sigma * (x[i] - stage->centre[i]);
}

// Merit function sum r_i^2 / D_i, with D the diagonal of H at the current iterate.
static tact_real virtual_merit(const tact_virtual_job *job, const tact_real *r) {
    const tact_virtual_work *soft = job->soft;
    tact_real sum = 0;
    for (int i = 0; i < job->model->nv; i++) sum += r[i] * r[i] / soft->resist[i];
    return sum;
}

// Scales of convergence: largest displacement of the step, or of free fall if larger; Newton step accepted as the last; and
// rounding of the coordinates.
typedef struct {
    tact_real way, small, rounding;
} virtual_threshold;

static virtual_threshold virtual_find_threshold(const tact_virtual_job *job, const tact_real *x) {
    tact_vec3 g = job->options->gravity;
    tact_real h = job->options->dt, way = h * h * tact_sqrt(tact_vec3_dot(g, g)), size = 0;
    for (int i = 0; i < job->model->nv; i++) {
        size = tact_max(size, tact_fabs(x[i]));
        way = tact_max(way, tact_fabs(x[i] - job->stage->centre[i]));
    }
    // rounding of the coordinates, whichever is larger: they or their change
    tact_real rounding = TACT_EPS * (size > way ? size : way);
    return (virtual_threshold){way, job->options->tolerance * way + ROUNDINGS_OF_STEP * rounding, ROUNDINGS * rounding};
}

// Largest displacement that the residual would cause: |r_i| / M_ii, or for a dof without mass over the drive's stiffness; NaN
// when one is not finite.
static tact_real virtual_displacement(const tact_virtual_job *job) {
    const tact_virtual_work *soft = job->soft;
    tact_real most = 0, sum = 0;
    for (int g = 0; g < soft->ngroup; g++) {
        int begin = soft->group_start[g], size = soft->group_start[g + 1] - begin;
        for (int i = begin; i < begin + size; i++) {
            // a dof without mass is held by its drive alone: beta (K + sigma D)
            tact_real M = soft->M[soft->M_start[g] + (i - begin) * (size + 1)];
            tact_real drive = job->stage->beta * (soft->stiffness[i] + job->stage->sigma * soft->damping[i]);
            tact_real d = tact_fabs(soft->r[i]) / (M > 0 ? M : drive);
            most = tact_max(most, d);
            sum += d;
        }
    }
    return tact_is_finite(sum) ? most : TACT_NAN;
}

// work->decrement: that displacement relative to the displacement of the step.
static void virtual_judge(const tact_virtual_job *job, virtual_threshold least, tact_work *work) {
    tact_real most = virtual_displacement(job), way = tact_max(least.way, least.rounding);
    work->decrement = most > 0 ? most / way : 0;
}

// Whether |r_i| <= small M_ii for all unknowns: the residual would move none by more than `small`, whatever the stiffness.
static bool virtual_is_still(const tact_virtual_job *job, const tact_real *r, tact_real small) {
    const tact_virtual_work *soft = job->soft;
    for (int g = 0; g < soft->ngroup; g++) {
        int begin = soft->group_start[g], size = soft->group_start[g + 1] - begin;
        for (int i = 0; i < size; i++)
            if (!(tact_fabs(r[begin + i]) <= small * soft->M[soft->M_start[g] + i * (size + 1)])) return false;
    }
    return true;
}

// Merit at x + part step, which is stored in soft->trial, with r there; with slopes also H.
static tact_real virtual_try(const tact_virtual_job *job, tact_real part, bool slopes) {
    tact_virtual_work *soft = job->soft;
    // r(x + part step).
    for (int i = 0; i < job->model->nv; i++) soft->trial[i] = job->stage->x[i] + part * soft->step[i];
    virtual_find_rates(job, soft->trial, soft->z);
    tact_virtual_evaluate(job, soft->trial, soft->z, slopes);
    tact_virtual_residual(job, soft->trial, soft->r);
    return virtual_merit(job, soft->r);
}

// Newton direction H step = -r in soft->step; factors H if necessary. Returns its largest entry; NaN when H is singular.
static tact_real virtual_direct(const tact_virtual_job *job) {
    tact_virtual_work *soft = job->soft;
    tact_real most = 0;
    if (!soft->factored) soft->factored = tact_virtual_factor(soft);
    for (int i = 0; i < job->model->nv; i++) soft->step[i] = -soft->r[i];
    tact_blocks_solve(&soft->H, soft->step);
    for (int i = 0; i < job->model->nv; i++) most = tact_max(most, tact_fabs(soft->step[i]));
    return soft->factored && tact_all_finite(soft->step, job->model->nv) ? most : TACT_NAN;
}

// Sliding speed along t at the point of a force, of the first mover relative to the second.
static tact_real virtual_slide(const tact_virtual_couple *couple, const tact_virtual_force *force, const tact_real rate[3]) {
    tact_vec2 t = tact_vec2_turn(force->n), lever = tact_vec2_turn(tact_vec2_sub(force->x, couple->p[0]));
    return t.x * (rate[0] + rate[2] * lever.x) + t.y * (rate[1] + rate[2] * lever.y);
}

// Marks in soft->sticks the contacts of two movers whose sliding direction the step would reverse; whether there are any.
static bool virtual_mark_couple(const tact_virtual_job *job, const tact_virtual_couple *couple) {
    tact_virtual_work *soft = job->soft;
    tact_real rate[3], step[3];
    bool any = false, known = false;
    for (int i = couple->first; i < couple->first + couple->count; i++) {
        const tact_virtual_force *force = &soft->force[i];
        // friction limit mu fn: only a contact close to it can slide
        tact_real limit = job->model->pair[force->pair].mu * force->fn, most = REVERSAL * limit;
        soft->sticks[i] = false;
        if (force->F == 0 || tact_fabs(force->F) < most) continue;
        if (!known) {
            // relative velocity now, and its change by the step, once for all contacts of the couple
            tact_virtual_couple_rate(soft, couple, job->stage->w, rate);
            tact_virtual_couple_rate(soft, couple, soft->step, step);
            tact_vec2 drift = tact_chain_slip(soft, couple->mover, soft->step);
            step[0] += drift.x / job->stage->sigma;
            step[1] += drift.y / job->stage->sigma;
            known = true;
        }
        // w changes by sigma step: the contact sticks in between if the speed changes sign and again reaches the friction limit
        tact_real now = virtual_slide(couple, force, rate), then = now + job->stage->sigma * virtual_slide(couple, force, step);
        soft->sticks[i] = (now < 0) != (then < 0) && job->options->kt * tact_fabs(then) > limit;
        any = any || soft->sticks[i];
    }
    return any;
}

// Tries the full Newton step with the marked contacts linearised as sticking; false, with soft->step restored, if the merit
// does not fall enough.
static bool virtual_stick(const tact_virtual_job *job, tact_real merit) {
    tact_virtual_work *soft = job->soft;
    tact_virtual_job sticking = *job;
    sticking.sticks = soft->sticks;
    // save the step, evaluate H with the marked contacts sticking, and solve again
    for (int i = 0; i < job->model->nv; i++) soft->c_bar[i] = soft->step[i];
    tact_virtual_evaluate(&sticking, job->stage->x, job->stage->w, true);
    tact_virtual_residual(job, job->stage->x, soft->r);
    soft->factored = false;
    if (tact_is_finite(virtual_direct(job)) && virtual_try(job, 1, true) <= (1 - ARMIJO) * merit) return true;
    for (int i = 0; i < job->model->nv; i++) soft->step[i] = soft->c_bar[i];
    return false;
}

// What has been evaluated at the current iterate.
typedef enum {
    VIRTUAL_NOTHING,
    VIRTUAL_FORCES,  // r, and the factors of H at the last iterate
    VIRTUAL_SLOPES,  // r and H at this iterate
} virtual_knowledge;

// Line search from x along soft->step: full step, step with sticking contacts, then backtracking (Armijo). Moves x and returns
// what has been evaluated there. sought: what to evaluate at the full step; factored: counts factorisations.
static virtual_knowledge virtual_search(const tact_virtual_job *job, tact_real merit, virtual_knowledge sought, int *factored) {
    tact_virtual_work *soft = job->soft;
    // contacts at the friction limit whose sliding direction the step would reverse: they stick in between, which the
    // linearisation at x does not show
    bool reverses = false;
    for (int i = 0; i < soft->ncouple; i++) reverses = virtual_mark_couple(job, &soft->couple[i]) || reverses;
    // the entry after the last contact with a force is read as well
    if (soft->nforce < soft->most_force) soft->sticks[soft->nforce] = false;
    virtual_knowledge found = sought;
    tact_real part = 1, now = virtual_try(job, part, sought == VIRTUAL_SLOPES);
    // merit not halved, and a reversal: linearise with sticking contacts
    if (reverses && !(now <= merit / 2)) {
        ++*factored;
        found = virtual_stick(job, merit) ? VIRTUAL_SLOPES : VIRTUAL_NOTHING;
        now = found == VIRTUAL_SLOPES ? 0 : virtual_try(job, part, false);
    }
    // backtrack until Armijo's condition holds
    for (int k = 0; !(now <= (1 - ARMIJO * part) * merit) && k < HALVINGS; k++) {
        part /= 2;
        now = virtual_try(job, part, false);
        found = VIRTUAL_NOTHING;
    }
    for (int i = 0; i < job->model->nv; i++) job->stage->x[i] = soft->trial[i];
    soft->stalls = part < LEAST_WAY ? soft->stalls + 1 : 0;
    return found;
}

// A second step with the same factors (chord method), taken if the merit falls.
static virtual_knowledge virtual_repeat(const tact_virtual_job *job) {
    tact_virtual_work *soft = job->soft;
    tact_real merit = virtual_merit(job, soft->r);
    bool found = tact_is_finite(virtual_direct(job)) && virtual_try(job, 1, true) <= (1 - ARMIJO) * merit;
    for (int i = 0; i < job->model->nv && found; i++) job->stage->x[i] = soft->trial[i];
    return found ? VIRTUAL_SLOPES : VIRTUAL_NOTHING;
}

// Whether |r_i| <= small D_i for all unknowns, D the diagonal of H.
static bool virtual_is_settled(const tact_virtual_job *job, tact_real small) {
    const tact_virtual_work *soft = job->soft;
    for (int i = 0; i < job->model->nv; i++)
        if (!(tact_fabs(soft->r[i]) <= small * soft->resist[i])) return false;
    return true;
}

// Takes the last, small step and evaluates the forces at the solution, unless the step is only rounding. Its error is of the
// order of its square; where that exceeds rounding, as when friction reverses over a short distance, chord steps follow while
// they at least halve.
static void virtual_finish(const tact_virtual_job *job, tact_real most, tact_real rounding) {
    tact_virtual_work *soft = job->soft;
    for (int k = 0;; k++) {
        for (int i = 0; i < job->model->nv; i++) job->stage->x[i] += soft->step[i];
        virtual_find_rates(job, job->stage->x, job->stage->w);
        bool moved = most > rounding / ROUNDINGS;
        if (moved) {
            tact_virtual_evaluate(job, job->stage->x, job->stage->w, false);
            // derivatives need H at the solution, which is not evaluated here
            soft->at = -1;
        }
        tact_virtual_residual(job, job->stage->x, soft->r);
        if (!moved || k == FINISHES || virtual_is_settled(job, rounding)) return;
        tact_real next = virtual_direct(job);
        if (!(next > rounding && next < most / 2)) return;
        most = next;
    }
}

// Freezes the choice of contact features or particles of each pair, as found at the current poses.
static void virtual_begin_holds(tact_virtual_work *soft) {
    const tact_model *model = soft->planar.model;
    soft->holding = true;
    for (int b = 0; b < model->nbody; b++) soft->begin[b] = soft->planar.pose[b];
    for (int p = 0; p < model->npair; p++) soft->hold[p].found = false;
}

// Repeated stalls of the line search indicate discontinuous forces, as between two equally good reference edges: freezes the
// contact features found at x. Whether it did.
static bool virtual_unstick(const tact_virtual_job *job) {
    tact_virtual_work *soft = job->soft;
    if (soft->holding || soft->stalls < STALLS) return false;
    tact_virtual_move(job, job->stage->x, job->stage->w, false);
    virtual_begin_holds(soft);
    return true;
}

// Newton's method with line search for r(x) = 0 from stage->x. Where convergence is slow, each factorisation serves two steps.
static tact_status virtual_solve(const tact_virtual_job *job, tact_work *work) {
    tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = job->stage;
    virtual_knowledge known = VIRTUAL_NOTHING;
    tact_real before = 0;
    // the budget of factorisations is that of the whole step
    for (int factored = work->iterations;; factored++) {
        virtual_find_rates(job, stage->x, stage->w);
        if (known == VIRTUAL_NOTHING) {
            tact_virtual_evaluate(job, stage->x, stage->w, true);
            tact_virtual_residual(job, stage->x, soft->r);
        }
        // merit and scales; stop when the residual is rounding, or the budget is spent
        soft->factored = false;
        soft->at = (int)(stage - soft->stage);
        soft->at_temperature = job->a;
        // D_i: diagonal entry of M + H, at least the mass; zero where nothing resists the unknown
        bool all = true;
        for (int g = 0; g < soft->ngroup; g++) {
            int begin = soft->group_start[g], size = soft->group_start[g + 1] - begin;
            const tact_real *H = tact_blocks_diagonal(&soft->H, g), *M = soft->M + soft->M_start[g];
            for (int i = 0; i < size; i++) {
                tact_real stiffness = H[i * (size + 1)], resist = M[i * (size + 1)] + tact_max(stiffness, 0);
                // without mass, a follower force may make the entry negative: then its magnitude is the scale
                soft->resist[begin + i] = resist > 0 ? resist : -stiffness;
                all = all && soft->resist[begin + i] > 0;
            }
        }
        if (!all) return TACT_SINGULAR;
        tact_real merit = virtual_merit(job, soft->r);
        virtual_threshold least = virtual_find_threshold(job, stage->x);
        if (!tact_is_finite(merit)) return TACT_SINGULAR;
        bool still = virtual_is_still(job, soft->r, least.rounding), spent = factored >= job->options->max_iterations;
        if (still || spent) {
            virtual_judge(job, least, work);
            return still ? TACT_CONVERGED : TACT_ITERATION_LIMIT;
        }
        // Newton step; a small one is the last
        tact_real most = virtual_direct(job);
        if (!tact_is_finite(most)) return TACT_SINGULAR;
        if (most <= least.small) {
            virtual_finish(job, most, least.rounding);
            virtual_judge(job, least, work);
            return TACT_CONVERGED;
        }
        // line search, followed by a chord step where convergence is slow
        work->iterations++;
        bool slow = most > SLOW[0] * before && most < SLOW[1] * before;
        before = most;
        known = virtual_search(job, merit, slow ? VIRTUAL_FORCES : VIRTUAL_SLOPES, &factored);
        if (known == VIRTUAL_FORCES) known = virtual_repeat(job);
        if (virtual_unstick(job)) known = VIRTUAL_NOTHING;
    }
}

// Upper bound on the displacement of any point of a mover between two coordinate vectors [m].
static tact_real virtual_way(const tact_virtual_work *soft, int mover, const tact_real *x, const tact_real *from) {
    if (soft->bending && soft->bends[soft->group[mover]]) return tact_chain_way(soft, mover, x, from);
    int begin = soft->group_start[soft->group[mover]], width = soft->group_start[soft->group[mover] + 1] - begin;
    const tact_real *J = soft->J + soft->J_start[mover];
    tact_real d[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < width; k++) d[i] += J[i * width + k] * (x[begin + k] - from[begin + k]);
    return tact_sqrt(d[0] * d[0] + d[1] * d[1]) + tact_fabs(d[2]) * soft->extent[mover];
}

// Solves a stage from the initial guess in stage->x; repeats with a wider broad phase until no body has moved farther than
// assumed.
static tact_status virtual_solve_stage(const tact_virtual_job *job, tact_work *work) {
    tact_virtual_work *soft = job->soft;
    // assumed bound on the displacement from the initial guess: a part of the displacement to it, or free fall if larger
    tact_vec3 g = job->options->gravity;
    tact_real h = job->options->dt, fall = h * h * tact_sqrt(tact_vec3_dot(g, g));
    if (soft->bending) tact_virtual_move(job, job->stage->x, job->stage->centre, false);
    for (int b = 0; b < job->model->nbody; b++) {
        int mover = soft->mover[b];
        soft->slack[b] = mover == TACT_WORLD ? 0 : soft->slack[mover];
        if (mover == b) soft->slack[b] = tact_max(virtual_way(soft, b, job->stage->x, job->stage->centre) / SLACK_PART, fall);
    }
    for (int k = 0; k <= WIDENINGS; k++) {
        for (int i = 0; i < job->model->nv; i++) soft->q_bar[i] = job->stage->x[i];
        // broad phase: the pairs that may touch; the sparsity pattern of H follows from them
        bool all = k == WIDENINGS;
        const tact_model *model = job->model;
        bool starting = soft->last == 1;
        // few pairs, or forces of unlimited range: consider all of them
        if (model->npair <= PAIRS_FEW || starting || soft->reach == TACT_MAX || all) {
            for (int i = 0; i < model->npair; i++) soft->planar.near[i] = i;
            soft->planar.nnear = model->npair;
        } else {
            soft->planar.nnear = 0;
            virtual_find_rates(job, job->stage->x, soft->z);
            tact_virtual_evaluate(job, job->stage->x, soft->z, false);
            tact_planar_search(&soft->planar, soft->reach, soft->slack);
        }
        // sparsity pattern of H: a pair couples the groups of its bodies
        tact_blocks_clear(&soft->H);
        for (int i = 0; i < soft->planar.nnear; i++) {
            const tact_pair *pair = &model->pair[soft->planar.near[i]];
            int a = model->shape[pair->a].body, b = model->shape[pair->b].body;
            a = a == TACT_WORLD ? TACT_WORLD : soft->mover[a];
            b = b == TACT_WORLD ? TACT_WORLD : soft->mover[b];
            if (a != TACT_WORLD && b != TACT_WORLD) tact_blocks_join(&soft->H, soft->group[a], soft->group[b]);
        }
        if (!tact_blocks_arrange(&soft->H)) return TACT_NO_MEMORY;
        tact_status status = virtual_solve(job, work);
        if (soft->crowded) return TACT_NO_MEMORY;
        if (status < 0 || soft->planar.nnear == job->model->npair) return status;
        // a body that moved farther than assumed: assume twice its displacement
        bool wider = false;
        for (int b = 0; b < job->model->nbody; b++) {
            int mover = soft->mover[b];
            // bodies fixed to a mover share its bound
            if (mover != b && mover != TACT_WORLD) soft->slack[b] = soft->slack[mover];
            if (mover != b) continue;
            tact_real way = virtual_way(soft, b, job->stage->x, soft->q_bar);
            if (way <= soft->slack[b]) continue;
            soft->slack[b] = 2 * way;
            wider = true;
        }
        if (!wider) return status;
    }
    return TACT_SINGULAR;
}

// Coefficients of a stage, see law/virtual.h. past: whether the state before the last is known, for BDF2.
tact_virtual_scheme tact_virtual_choose_scheme(tact_integrator integrator, bool past, int stage, tact_real h) {
    const tact_real a = SDIRK;
    // coefficients of q, v, q', v' (or w of the first stage) in qhat and centre; beta; sigma
    if (integrator == TACT_INTEGRATOR_MIDPOINT) return (tact_virtual_scheme){{1, h / 2, 0, 0}, {1, 0, 0, 0}, h * h / 4, 2 / h};
    if (integrator == TACT_INTEGRATOR_BDF1) return (tact_virtual_scheme){{1, h, 0, 0}, {1, 0, 0, 0}, h * h, 1 / h};
    if (past)
        return (tact_virtual_scheme){{TACT_REAL(4) / 3, 8 * h / 9, TACT_REAL(-1) / 3, -2 * h / 9},
                                     {TACT_REAL(4) / 3, 0, TACT_REAL(-1) / 3, 0},
                                     4 * h * h / 9,
                                     3 / (2 * h)};
    if (stage == 0) return (tact_virtual_scheme){{1, a * h, 0, 0}, {1, 0, 0, 0}, a * a * h * h, 1 / (a * h)};
    return (tact_virtual_scheme){{1, (2 * a - 1) * h, 0, 2 * (1 - a) * h}, {1, 0, 0, (1 - a) * h}, a * a * h * h, 1 / (a * h)};
}

// Sets qhat, centre, beta and sigma of a stage, and x = qhat as the initial guess. va: w of the first stage of SDIRK2.
static void virtual_begin_stage(const tact_virtual_job *job, const tact_state *state, const tact_real *va, int index,
                                tact_virtual_stage *stage) {
    tact_virtual_scheme scheme = tact_virtual_choose_scheme(job->options->integrator, state->past, index, job->options->dt);
    const tact_virtual_work *soft = job->soft;
    stage->beta = scheme.beta;
    stage->sigma = scheme.sigma;
    // qhat and centre: linear combinations of q, v and the previous state or stage
    for (int i = 0; i < job->model->nv; i++) {
        int v = soft->dof[i], q = job->model->dof[v].q;
        tact_real known[4] = {state->q[q], state->v[v], 0, 0};
        if (scheme.hat[2] != 0) known[2] = state->q_past[q];
        if (scheme.hat[3] != 0) known[3] = va ? va[i] : state->v_past[v];
        stage->qhat[i] = stage->centre[i] = 0;
        for (int k = 3; k >= 0; k--) {
            stage->qhat[i] += scheme.hat[k] * known[k];
            stage->centre[i] += scheme.centre[k] * known[k];
        }
        stage->x[i] = stage->qhat[i];
    }
}

// Whether the displacement is finite and within TACT_MOST_LENGTH.
static bool virtual_stays_in_reach(const tact_virtual_job *job, const tact_state *state) {
    const tact_virtual_work *soft = job->soft;
    const tact_virtual_stage *stage = &soft->stage[soft->last];
    tact_real share = job->options->integrator == TACT_INTEGRATOR_MIDPOINT ? TACT_REAL(0.5) : 1;
    bool within = true;
    for (int i = 0; i < job->model->nv; i++) {
        tact_real way = stage->x[i] - state->q[job->model->dof[soft->dof[i]].q];
        within = within && tact_fabs(way) <= share * TACT_REAL(TACT_MOST_LENGTH);
    }
    return within;
}

// Reported contact of one pair: the sum of its forces, and point and normal averaged with normal force as weight.
static void virtual_report_pair(const tact_virtual_work *soft, int from, int count, tact_contact *contact) {
    const tact_plane *plane = &soft->planar.plane;
    tact_vec2 n = {0, 0}, x = {0, 0}, f = {0, 0};
    tact_real total = 0, d = -TACT_MAX;
    // weights by normal force; without any, the first contact is reported
    for (int i = from; i < from + count; i++) total += tact_fabs(soft->force[i].fn);
    for (int i = from; i < from + count; i++) {
        const tact_virtual_force *force = &soft->force[i];
        tact_real share = total > 0 ? tact_fabs(force->fn) / total : i == from;
        n = tact_vec2_add_scaled(n, share, force->n);
        x = tact_vec2_add_scaled(x, share, force->x);
        f = tact_vec2_add(f, force->f);
        d = tact_max(d, force->d);
    }
    // frame of the mean normal; force on the second body in that frame
    tact_real length = tact_sqrt(tact_vec2_dot(n, n));
    n = length > 0 ? tact_vec2_scale(1 / length, n) : soft->force[from].n;
    tact_vec3 rows[3] = {tact_plane_vector(plane, n), tact_plane_vector(plane, tact_vec2_turn(n)), plane->z};
    *contact = (tact_contact){.pair = soft->force[from].pair, .gap = -d};
    contact->point = tact_plane_point(plane, x);
    // half the depth to either side of the mean point
    contact->point_a = tact_vec3_add_scaled(contact->point, d / 2, rows[0]);
    contact->point_b = tact_vec3_add_scaled(contact->point, -d / 2, rows[0]);
    for (int i = 0; i < 3; i++) {
        contact->frame.m[i][0] = rows[i].x;
        contact->frame.m[i][1] = rows[i].y;
        contact->frame.m[i][2] = rows[i].z;
    }
    contact->lambda[0] = -tact_vec2_dot(f, n);
    contact->lambda[1] = -tact_vec2_dot(f, tact_vec2_turn(n));
    contact->lambda[2] = 0;
    contact->force = tact_plane_vector(plane, tact_vec2_scale(-1, f));
}

static tact_status virtual_step(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                                tact_work *work) {
    tact_virtual_work *soft = work->soft;
    TACT_ASSERT(tact_virtual_is_of(soft, model));
    work->contacts.count = work->iterations = 0;
    work->fault = soft->fault;
    if (work->fault.field) return work->status = TACT_BAD_INPUT;
    tact_virtual_job job = {model, options, soft, NULL, tact_virtual_forward_temperature(options), NULL};
    bool starting = options->integrator == TACT_INTEGRATOR_BDF2 && !state->past;
    soft->reach = options->margin;
    soft->contact = tact_virtual_contact_options(options);
    soft->holding = false;
    soft->nparticle = soft->stalls = 0;
    soft->crowded = false;
    // frozen contact features (closest points, particles) are found at the poses of the beginning of the step
    if (tact_virtual_holds(soft->contact.manifold)) {
        tact_planar_update(&soft->planar, &work->kinematics);
        virtual_begin_holds(soft);
    }
    tact_virtual_load_forces(model, options, input, &work->kinematics, soft);
    soft->last = starting ? 1 : 0;
    work->status = TACT_CONVERGED;
    work->balance = 0;
    // stages: one, or the two of SDIRK2, which starts BDF2 without a previous state
    for (int i = 0; i <= soft->last; i++) {
        job.stage = &soft->stage[i];
        virtual_begin_stage(&job, state, i > 0 ? soft->stage[0].w : NULL, i, &soft->stage[i]);
        tact_status status = virtual_solve_stage(&job, work);
        if (status != TACT_CONVERGED) work->status = status;
        if (status < 0) return status;
        work->balance = tact_max(work->balance, work->decrement);
    }
    work->decrement = work->balance;
    // a displacement out of range is not a solution
    if (!virtual_stays_in_reach(&job, state)) return work->status = TACT_SINGULAR;
    // new state from the last stage; the midpoint rule extrapolates from the midpoint
    const tact_virtual_stage *stage = &soft->stage[soft->last];
    bool mean = job.options->integrator == TACT_INTEGRATOR_MIDPOINT;
    for (int i = 0; i < job.model->nv; i++) {
        int v = soft->dof[i], q = job.model->dof[v].q;
        tact_real q0 = state->q[q], v0 = state->v[v];
        // BDF2 keeps the previous state
        if (job.options->integrator == TACT_INTEGRATOR_BDF2) {
            state->q_past[q] = q0;
            state->v_past[v] = v0;
        }
        // the midpoint rule solves for the midpoint: q+ = 2 x - q
        state->q[q] = mean ? q0 + 2 * (stage->x[i] - q0) : stage->x[i];
        state->v[v] = mean ? v0 + 2 * (stage->w[i] - v0) : stage->w[i];
    }
    state->past = job.options->integrator == TACT_INTEGRATOR_BDF2;
    // contacts and multipliers of the state from the forces
    int count = 0;
    for (int i = 0; i < 3 * model->npair; i++) state->lambda[i] = 0;
    // forces are sorted by pair: each run becomes a contact
    for (int i = 0, next = 0; i < soft->nforce; i = next) {
        while (next < soft->nforce && soft->force[next].pair == soft->force[i].pair) next++;
        tact_contact *contact = &work->contacts.contact[count++];
        virtual_report_pair(soft, i, next - i, contact);
        for (int k = 0; k < 3; k++) state->lambda[3 * contact->pair + k] = contact->lambda[k];
    }
    work->contacts.count = count;
    return work->status;
}

const tact_law tact_law_virtual = {.name = "virtual",
                                   .place = tact_virtual_place,
                                   .prepare = tact_virtual_prepare,
                                   .step = virtual_step,
                                   .check = tact_virtual_check,
                                   .derivatives = TACT_DERIV_VIRTUAL,
                                   .by = TACT_BY(MU) | TACT_BY(RADIUS) | TACT_BY(MASS) | TACT_BY(STIFFNESS) | TACT_BY(FORCE) |
                                         TACT_BY(KN) | TACT_BY(KD) | TACT_BY(KT) | TACT_BY(TEMPERATURE) | TACT_BY(SIZE) |
                                         TACT_BY(INERTIA) | TACT_BY(DAMPING),
                                   .velocities = true,
                                   .distant = true,
                                   .springs = true,
                                   .prepared = true};
