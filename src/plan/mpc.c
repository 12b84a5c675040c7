// SPDX-License-Identifier: MIT
// Real-time iteration of an iterative LQR on x = (q, y), with y the previous command: q+ = step(q, u), y+ = u. With deviations
// dq, dy, w from the plan, A = dq+/dq, B = dq+/du, R = effort, S = posture and the value function V,
//
//     Q_u  = B'V_q + V_u + R (u - y) + S (u - rest)
//     Q_uu = B'V_qq B + V_uq B + (V_uq B)' + V_uu + R + S ,  Q_uq = (B'V_qq + V_uq) A ,  Q_uy = -R
//     k = argmin 1/2 w'Q_uu w + Q_u'w in the box ,  K_q = -Q_ff^-1 Q_uq ,  K_y = -Q_ff^-1 Q_uy   (free rows; 0 where w is held)
//     V_q <- l_q + A'V_q + Q_uq'k ,  V_u <- -R (u - y) + Q_uy'k
//     V_qq <- l_qq + A'V_qq A + Q_uq'K_q ,  V_uq <- Q_uy'K_q ,  V_uu <- R + Q_uy'K_y
#include "plan/mpc.h"

#include "math/elementary.h"
#include "math/random.h"
#include "plan/boxqp.h"
#include "tact/math.h"

// Measured gaps and overlaps up to this [m] are attributed to soft contacts and sensors.
#define MPC_SIZE_ERROR TACT_REAL(0.002)
enum { MPC_FORGET = 20 };

// Defaults; their meanings and units stand in tact/mpc.h.
tact_mpc_options tact_mpc_options_default(void) {
    tact_mpc_options options = {.sweeps = 1,
                                .tick = TACT_REAL(0.02),
                                .trust = TACT_REAL(0.1),
                                .lead = TACT_REAL(0.2),
                                .path = TACT_REAL(0.1),
                                .effort = TACT_REAL(0.2),
                                .posture = 0,
                                .reach = 2,
                                .velocity = 3,
                                .patience = TACT_REAL(1.5),
                                .regrasp = TACT_REAL(0.5),
                                .centre = 1,
                                .spread = TACT_REAL(0.3),
                                .detour = TACT_REAL(0.7),
                                .sizing = TACT_REAL(0.1)};
    return options;
}

// Memory of the controller for a horizon, named as in the equations above; an arena that only measures returns none.
static void mpc_place(tact_mpc *mpc, int horizon, tact_arena *arena) {
    const tact_model *model = mpc->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, n = (size_t)horizon, columns = 2 * (size_t)model->nmotion;
    size_t state = tact_state_size(model), work = tact_work_size(model), deriv = tact_deriv_size(model);
    mpc->horizon = horizon;
    mpc->tip = tact_arena_take(arena, (size_t)model->nbody, sizeof(int));
    TACT_VECTORS(arena, nu, &mpc->rest, &mpc->last, &mpc->posture);
    TACT_VECTORS(arena, n * nu, &mpc->u, &mpc->u_before);
    mpc->q_before = tact_arena_take(arena, n * (size_t)model->nq, sizeof(tact_real));
    mpc->way = tact_arena_take(arena, n * nv, sizeof(tact_real));
    mpc->gain = tact_arena_take(arena, nu * nv, sizeof(tact_real));
    TACT_VECTORS(arena, (size_t)model->npair, &mpc->seen, &mpc->spare);
    tact_kinematics_place(&mpc->pose, model, arena);
    // for each step of the horizon: derivatives, and gradient and Hessian of the cost
    TACT_VECTORS(arena, n * nv * nv, &mpc->A, &mpc->bend);
    mpc->B = tact_arena_take(arena, n * nv * nu, sizeof(tact_real));
    mpc->slope = tact_arena_take(arena, n * nv, sizeof(tact_real));
    // value function, and Q of one step
    TACT_VECTORS(arena, nv, &mpc->Vq, &mpc->dq, &mpc->dq_next, &mpc->guess);
    TACT_VECTORS(arena, nv * nv, &mpc->Vqq, &mpc->VA);
    TACT_VECTORS(arena, nu, &mpc->Vu, &mpc->Qu, &mpc->du, &mpc->du_next, &mpc->lower, &mpc->upper);
    TACT_VECTORS(arena, nu * nu, &mpc->Vuu, &mpc->Quu, &mpc->factor);
    TACT_VECTORS(arena, nu * nv, &mpc->Vuq, &mpc->Quq);
    mpc->move = tact_arena_take(arena, n * nu, sizeof(tact_real));
    mpc->Kq = tact_arena_take(arena, n * nu * nv, sizeof(tact_real));
    mpc->Ku = tact_arena_take(arena, n * nu * nu, sizeof(tact_real));
    mpc->VB = tact_arena_take(arena, nv * nu, sizeof(tact_real));
    mpc->held = tact_arena_take(arena, nu, sizeof(bool));
    mpc->column = tact_arena_take(arena, columns, sizeof(tact_vec3));
    mpc->dof = tact_arena_take(arena, columns, sizeof(int));
    // states of the plan, and scratch for one step and its derivatives
    mpc->state = tact_arena_take(arena, n + 1, sizeof(tact_state));
    void *states = tact_arena_take(arena, n + 1, state), *scratch = tact_arena_take(arena, work, 1);
    void *slopes = tact_arena_take(arena, deriv, 1);
    if (!slopes) return;
    for (size_t k = 0; k <= n; k++) tact_state_init(&mpc->state[k], model, (unsigned char *)states + k * state, state);
    tact_work_init(&mpc->work, model, scratch, work);
    tact_deriv_init(&mpc->deriv, model, slopes, deriv);
}

size_t tact_mpc_size(const tact_model *model, int horizon) {
    tact_arena arena = {0};
    tact_mpc mpc = {.model = model};
    mpc_place(&mpc, horizon, &arena);
    return arena.used;
}

tact_status tact_mpc_init(tact_mpc *mpc, const tact_model *model, int horizon, void *memory, size_t size) {
    TACT_ASSERT(horizon >= 1);
    tact_arena arena = {.memory = memory, .size = size};
    *mpc = (tact_mpc){.model = model, .body = TACT_WORLD};
    mpc_place(mpc, horizon, &arena);
    if (!tact_arena_fits(&arena)) return TACT_NO_MEMORY;
    tact_mpc_reset(mpc, model->q0);
    return TACT_CONVERGED;
}

// Plan that holds the present command.
static void mpc_hold(tact_mpc *mpc) {
    int nu = mpc->model->nu;
    for (int k = 0; k < mpc->horizon; k++)
        for (int i = 0; i < nu; i++) mpc->u[k * nu + i] = mpc->last[i];
}

// Size error implied by a gap: 0 up to 2 mm, the full gap from 4 mm on, and continuous between.
static tact_real mpc_size_error(tact_real gap) {
    return tact_max(0, tact_min(gap, 2 * (gap - MPC_SIZE_ERROR)));
}

// Whether a contact belongs to the goal's body and to a listed pair.
static bool mpc_is_of_body(const tact_mpc *mpc, const tact_contact *contact) {
    const tact_model *model = mpc->model;
    if (contact->pair >= model->npair) return false;
    const tact_pair *pair = &model->pair[contact->pair];
    return model->shape[pair->a].body == mpc->body || model->shape[pair->b].body == mpc->body;
}

// Estimates the size error of the goal's body by exponential averages of its gaps g at the beginning of the rollout, m += part
// (g - m), starting from a body without overlap. Where one overlaps, the body is smaller than the model's: the pair's gap is
// widened by the overlap, or by the last value, which decays MPC_FORGET times more slowly. If all gaps are open, nothing would
// support the body: it is larger, by the least gap.
static void mpc_learn_sizes(tact_mpc *mpc, const tact_mpc_options *options) {
    const tact_contacts *found = &mpc->work.contacts;
    tact_real part = tact_min(1, options->tick / options->sizing), least = TACT_MAX;
    for (int i = 0; i < found->count; i++) {
        const tact_contact *contact = &found->contact[i];
        if (!mpc_is_of_body(mpc, contact)) continue;
        tact_real *seen = &mpc->seen[contact->pair];
        // exponential average of the gap, which starts from a body that does not overlap
        if (*seen == TACT_MAX) *seen = tact_max(0, contact->gap);
        *seen += part * (contact->gap - *seen);
        least = tact_min(least, *seen);
    }
    // all gaps open: the body is larger than the model's
    tact_real larger = least < TACT_MAX ? mpc_size_error(least) : 0;
    for (int i = 0; i < found->count; i++) {
        int pair = found->contact[i].pair;
        if (!mpc_is_of_body(mpc, &found->contact[i])) continue;
        mpc->spare[pair] = tact_max(mpc_size_error(-mpc->seen[pair]), (1 - part / MPC_FORGET) * mpc->spare[pair]);
        if (larger > 0) mpc->spare[pair] = -larger;
    }
}

void tact_mpc_reset(tact_mpc *mpc, const tact_real *q) {
    TACT_ASSERT(mpc && q);
    const tact_model *model = mpc->model;
    for (int i = 0; i < model->nq; i++) mpc->state[0].q[i] = q[i];
    // the plan starts with the command that holds the present coordinates
    tact_hold(model, &mpc->state[0], mpc->rest);
    for (int i = 0; i < model->nu; i++) mpc->last[i] = mpc->rest[i];
    mpc_hold(mpc);
    for (int k = 0; k <= mpc->horizon; k++) tact_state_reset(&mpc->state[k], model);
    mpc->steps = mpc->sweeps = mpc->regrasps = mpc->limited = 0;
    mpc->cost = mpc->predicted = mpc->waited = mpc->opening = mpc->centring = mpc->wandering = 0;
    mpc->best = TACT_MAX;
    for (int i = 0; i < mpc->model->npair; i++) mpc->seen[i] = TACT_MAX, mpc->spare[i] = 0;
    mpc->draws = 0;
    mpc->body = TACT_WORLD;
}

// The plan is linear between the ends of its steps; shifts it by one tick, with the last command held.
static void mpc_shift(tact_mpc *mpc, tact_real part) {
    int nu = mpc->model->nu;
    for (int k = 0; k + 1 < mpc->horizon; k++)
        for (int i = 0; i < nu; i++) mpc->u[k * nu + i] += part * (mpc->u[(k + 1) * nu + i] - mpc->u[k * nu + i]);
}

static bool mpc_same_goal(const tact_pose_goal *a, const tact_pose_goal *b) {
    return a->body == b->body && a->position.x == b->position.x && a->position.y == b->position.y &&
           a->position.z == b->position.z && a->orientation.w == b->orientation.w && a->orientation.x == b->orientation.x &&
           a->orientation.y == b->orientation.y && a->orientation.z == b->orientation.z;
}

// Random number, uniform between -1 and 1.
static tact_real mpc_draw(tact_mpc *mpc) {
    return 2 * ((tact_real)(tact_random_bits(&mpc->draws) >> 44) / (tact_real)(1 << 20)) - 1;
}

// An angle of the options in the unit of a dof.
static tact_real mpc_find_unit(const tact_model *model, const tact_mpc_options *options, const tact_dof *dof) {
    return options->slide > 0 && model->body[dof->body].joint == TACT_JOINT_PRISMATIC ? options->slide : 1;
}

// Coordinate that a command moves, with its limits, or a sum of coordinates, which has none.
typedef struct {
    tact_real now, lower, upper;
} mpc_driven;

// What a drive moves and its limits: the dof's coordinate, or of a spring sum factor_k q_k - rest, without limits.
static mpc_driven mpc_find_driven(const tact_model *model, const tact_dof *dof, const tact_real *q) {
    mpc_driven driven = {q[dof->q], dof->lower, dof->upper};
    if (dof->stiffness > 0) return driven;
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        if (spring->u != dof->u) continue;
        if (spring->count == 1 && spring->factor[0] == 1 && spring->rest == 0) return driven;
        driven = (mpc_driven){-spring->rest, -TACT_MAX, TACT_MAX};
        for (int k = 0; k < spring->count; k++) driven.now += spring->factor[k] * q[model->dof[spring->dof[k]].q];
    }
    return driven;
}

// Draws the posture of a regrasp, uniform within the spread around mpc->rest, and its detour.
static void mpc_draw_regrasp(tact_mpc *mpc, const tact_mpc_options *options, const tact_pose_goal *goal, const tact_real *q) {
    const tact_model *model = mpc->model;
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[i];
        if (dof->u < 0) continue;
        mpc_driven driven = mpc_find_driven(model, dof, q);
        tact_real spread = options->spread * mpc_find_unit(model, options, dof);
        mpc->posture[dof->u] = tact_clamp(mpc->rest[dof->u] + spread * mpc_draw(mpc), driven.lower, driven.upper);
    }
    mpc->wandering = 0;
    // every second regrasp rotates the goal for a while
    if (mpc->regrasps % 2 != 0 || !(options->detour > 0) || !(goal->angle_weight > 0)) return;
    tact_real x = mpc_draw(mpc), y = mpc_draw(mpc), z = mpc_draw(mpc);
    mpc->detour = tact_rotation_exp(tact_vec3_scale(options->detour, tact_vec3_make(x, y, z)));
    mpc->wandering = TACT_REAL(1.5) * options->centre;
}

// Monitors the goal's cost at q, and starts a regrasp when it has not decreased for long.
static void mpc_watch(tact_mpc *mpc, const tact_mpc_options *options, const tact_pose_goal *goal, const tact_real *q) {
    bool changed = !mpc_same_goal(&mpc->goal, goal);
    mpc->goal = *goal;
    if (goal->body != mpc->body) tact_mpc_find_tips(mpc, goal->body);
    tact_kinematics_update(&mpc->pose, mpc->model, q);
    tact_pose_error error = tact_pose_goal_error(goal, &mpc->pose.pose[goal->body]);
    tact_real position = tact_vec3_dot(error.position, error.position), angle = tact_vec3_dot(error.rotation, error.rotation);
    tact_real cost = (goal->position_weight * position + goal->angle_weight * angle) / 2;
    bool content = position <= goal->position_tolerance * goal->position_tolerance &&
                   (angle <= goal->angle_tolerance * goal->angle_tolerance || !(goal->angle_weight > 0));
    // progress: a tenth less than the best; without it time runs
    if (changed || content || cost < TACT_REAL(0.9) * mpc->best) {
        mpc->best = cost;
        mpc->waited = 0;
    } else {
        mpc->waited += options->tick;
    }
    // after a regrasp the body is first brought back, without being judged
    if (mpc->centring > 0) {
        mpc->centring = content ? 0 : tact_max(0, mpc->centring - options->tick);
        mpc->best = cost;
        mpc->waited = 0;
    }
    if (!(options->patience > 0) || mpc->waited < options->patience || mpc->opening > 0) return;
    // open the hand to a random posture
    mpc->regrasps++;
    mpc_draw_regrasp(mpc, options, goal, q);
    mpc->opening = options->regrasp;
    mpc->waited = 0;
    mpc->best = cost;
}

// One tick of a regrasp: commands move to its posture, within the velocity limit and the drives' lead.
static void mpc_open_grasp(tact_mpc *mpc, const tact_mpc_options *options, const tact_real *q) {
    const tact_model *model = mpc->model;
    tact_real most = options->velocity * options->tick;
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[i];
        if (dof->u < 0) continue;
        // towards the posture, within lead and velocity
        tact_real *u = &mpc->last[dof->u], to = mpc->posture[dof->u];
        tact_real now = mpc_find_driven(model, dof, q).now;
        tact_real unit = mpc_find_unit(model, options, dof), lead = unit * options->lead;
        if (!dof->force) to = tact_clamp(to, now - lead, now + lead);
        *u += tact_clamp(to - *u, -unit * most, unit * most);
    }
    mpc->opening = tact_max(0, mpc->opening - options->tick);
    if (mpc->opening > 0) return;
    mpc->centring = options->centre + mpc->wandering;
    mpc_hold(mpc);
}

// Box of the command's change in step k: lead about the coordinates, joint limits, velocity limit and trust region.
static void mpc_find_box(const tact_mpc *mpc, const tact_mpc_options *options, int k, const tact_real *before) {
    const tact_model *model = mpc->model;
    const tact_real *q = mpc->state[k].q, *u = mpc->u + k * model->nu;
    tact_real most = mpc->step_length;
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[i];
        if (dof->u < 0) continue;
        mpc_driven driven = mpc_find_driven(model, dof, q);
        // within the lead about q, the joint limits, and the velocity limit about the previous command
        tact_real unit = mpc_find_unit(model, options, dof), lead = unit * options->lead, trust = unit * options->trust;
        tact_real now = u[dof->u], low = tact_max(driven.lower, driven.now - lead),
                  high = tact_min(driven.upper, driven.now + lead);
        low = tact_max(low, before[dof->u] - unit * most);
        high = tact_min(high, before[dof->u] + unit * most);
        // a command outside its bounds is brought back as fast as the trust region allows
        low = tact_clamp(low - now, -trust, trust);
        high = tact_clamp(high - now, -trust, trust);
        mpc->lower[dof->u] = tact_min(low, high);
        mpc->upper[dof->u] = tact_max(low, high);
    }
}

// C += F X for F (rows, inner), or its transpose (inner, rows), and X (inner, columns).
static void mpc_add_product(tact_real *C, const tact_real *F, bool transposed, const tact_real *X, int rows, int inner,
                            int columns) {
    for (int i = 0; i < rows; i++)
        tact_add_rows(C + i * columns, 1, transposed ? F + i : F + i * inner, transposed ? rows : 1, X, inner, columns);
}

// The displacement of step k that the last rollout lets expect, d + (A - I) dq + B du; NULL where it did not come so far. Keeps
// coordinates and commands for the next one.
static const tact_real *mpc_expect(tact_mpc *mpc, int k) {
    const tact_model *model = mpc->model;
    int nv = model->nv, nu = model->nu;
    const tact_real *A = mpc->A + k * nv * nv, *B = mpc->B + k * nv * nu, *q = mpc->state[k].q, *u = mpc->u + k * nu;
    tact_real *q_before = mpc->q_before + k * model->nq, *u_before = mpc->u_before + k * nu, *dq = mpc->dq;
    bool known = k < mpc->steps;
    if (known) {
        tact_kinematics_update(&mpc->pose, model, q_before);
        tact_model_difference(model, &mpc->pose, q_before, q, dq);
        for (int i = 0; i < nu; i++) mpc->du[i] = u[i] - u_before[i];
        for (int i = 0; i < nv; i++) mpc->guess[i] = mpc->way[k * nv + i] - dq[i];
        mpc_add_product(mpc->guess, A, false, dq, nv, nv, 1);
        mpc_add_product(mpc->guess, B, false, mpc->du, nv, nu, 1);
        // a far extrapolation, which a step would refuse, is none
        known = tact_find_larger(mpc->guess, nv, TACT_REAL(TACT_MOST_LENGTH)) == nv;
    }
    for (int i = 0; i < model->nq; i++) q_before[i] = q[i];
    for (int i = 0; i < nu; i++) u_before[i] = u[i];
    return TACT_GUESS && known ? mpc->guess : NULL;
}

// Rolls the plan out from q, linearises each step and sums the cost. Returns the number of steps with an answer.
static int mpc_roll_out(tact_mpc *mpc, const tact_options *step, const tact_mpc_options *options, const tact_pose_goal *goal,
                        const tact_real *q) {
    const tact_model *model = mpc->model;
    int nv = model->nv, nu = model->nu;
    const tact_real *before = mpc->last;
    mpc->status = TACT_CONVERGED;
    mpc->cost = 0;
    for (int i = 0; i < model->nq; i++) mpc->state[0].q[i] = q[i];
    for (int k = 0; k < mpc->horizon; k++) {
        tact_state *now = &mpc->state[k], *next = &mpc->state[k + 1];
        const tact_real *u = mpc->u + k * nu;
        tact_input input = {.u = u, .spare = options->sizing > 0 ? mpc->spare : NULL, .guess = mpc_expect(mpc, k)};
        // warm start: the forces of this step in the last rollout, stored in the state after it
        for (int i = 0; i < 3 * model->npair; i++) now->lambda[i] = next->lambda[i];
        tact_state_copy(next, now, model);
        // the step, then A and B there
        tact_status status = tact_step(model, step, &input, next, &mpc->work);
        if (status >= 0) {
            tact_status linear = tact_deriv_linearise(model, step, &input, now, &mpc->work, &mpc->deriv);
            if (linear < 0) status = linear;
        }
        if (status < 0 || status > mpc->status) mpc->status = status;
        if (k == 0 && mpc->sweeps == 0 && options->sizing > 0) mpc_learn_sizes(mpc, options);
        if (status < 0) return k;
        for (int i = 0; i < nv; i++) mpc->way[k * nv + i] = mpc->work.displacement[i];
        tact_jacobians matrices = {.A = mpc->A + k * nv * nv, .B = mpc->B + k * nv * nu};
        tact_region *region = options->region;
        if (region) matrices.D = region->D + (size_t)k * 3 * (size_t)(model->npair * nu);
        tact_deriv_matrices(model, &mpc->work, &mpc->deriv, &matrices);
        if (region) tact_region_set(region, k, model, step, &mpc->work, matrices.D);
        // cost of the state after it, the last one in full; then effort and posture
        tact_real share = k == mpc->horizon - 1 ? 1 : options->path;
        mpc->cost += tact_mpc_state_cost(mpc, options, goal, share, next->q, mpc->slope + k * nv, mpc->bend + k * nv * nv);
        for (int i = 0; i < nu; i++) {
            tact_real change = u[i] - before[i], away = u[i] - mpc->rest[i];
            mpc->cost += (options->effort * change * change + options->posture * away * away) / 2;
        }
        before = u;
    }
    return mpc->horizon;
}

// Q_u, Q_uu and Q_uq of step k.
static void mpc_expand(tact_mpc *mpc, const tact_mpc_options *options, int k, const tact_real *before) {
    int nv = mpc->model->nv, nu = mpc->model->nu;
    const tact_real *A = mpc->A + k * nv * nv, *B = mpc->B + k * nv * nu, *u = mpc->u + k * nu;
    // V_qq A and V_qq B, and P = V_uq B
    tact_real *P = mpc->factor;
    for (int i = 0; i < nv * nv; i++) mpc->VA[i] = 0;
    for (int i = 0; i < nv * nu; i++) mpc->VB[i] = 0;
    for (int i = 0; i < nu * nu; i++) P[i] = 0;
    mpc_add_product(mpc->VA, mpc->Vqq, false, A, nv, nv, nv);
    mpc_add_product(mpc->VB, mpc->Vqq, false, B, nv, nv, nu);
    mpc_add_product(P, mpc->Vuq, false, B, nu, nv, nu);
    for (int i = 0; i < nu; i++) {
        mpc->Qu[i] = mpc->Vu[i] + options->effort * (u[i] - before[i]) + options->posture * (u[i] - mpc->rest[i]);
        for (int j = 0; j < nu; j++) mpc->Quu[i * nu + j] = mpc->Vuu[i * nu + j] + (P[i * nu + j] + P[j * nu + i]);
        for (int j = 0; j < nv; j++) mpc->Quq[i * nv + j] = 0;
        mpc->Quu[i * nu + i] += options->effort + options->posture;
    }
    // B'V_q, B'V_qq B, and B'V_qq A + V_uq A
    mpc_add_product(mpc->Qu, B, true, mpc->Vq, nu, nv, 1);
    mpc_add_product(mpc->Quu, B, true, mpc->VB, nu, nv, nu);
    mpc_add_product(mpc->Quq, B, true, mpc->VA, nu, nv, nv);
    mpc_add_product(mpc->Quq, mpc->Vuq, false, A, nu, nv, nv);
}

// K_q and K_y: -Q_ff^-1 Q_uq and Q_ff^-1 R.
static void mpc_find_gains(tact_mpc *mpc, const tact_mpc_options *options, const tact_boxqp *box, int k) {
    int nv = mpc->model->nv, nu = mpc->model->nu;
    tact_real *Kq = mpc->Kq + k * nu * nv, *Ku = mpc->Ku + k * nu * nu;
    for (int i = 0; i < nu * nv; i++) Kq[i] = -mpc->Quq[i];
    for (int i = 0; i < nu * nu; i++) Ku[i] = i % (nu + 1) == 0 ? options->effort : 0;
    tact_boxqp_apply(box, Kq, nv);
    tact_boxqp_apply(box, Ku, nu);
}

// Value function at the state with which step k begins.
static void mpc_contract(tact_mpc *mpc, const tact_mpc_options *options, int k, const tact_real *before) {
    int nv = mpc->model->nv, nu = mpc->model->nu;
    const tact_real *A = mpc->A + k * nv * nv, *u = mpc->u + k * nu, *move = mpc->move + k * nu;
    const tact_real *Kq = mpc->Kq + k * nu * nv, *Ku = mpc->Ku + k * nu * nu;
    const tact_real *slope = mpc->slope + (k - 1) * nv, *bend = mpc->bend + (k - 1) * nv * nv;
    tact_real R = options->effort;
    // V_q = l_q + A'V_q + Q_uq'k
    for (int j = 0; j < nv; j++) mpc->dq[j] = slope[j];
    mpc_add_product(mpc->dq, A, true, mpc->Vq, nv, nv, 1);
    mpc_add_product(mpc->dq, mpc->Quq, true, move, nv, nu, 1);
    for (int j = 0; j < nv; j++) mpc->Vq[j] = mpc->dq[j];
    // V_qq = l_qq + A'(V_qq A) + Q_uq'K_q, kept symmetric
    for (int i = 0; i < nv * nv; i++) mpc->Vqq[i] = bend[i];
    mpc_add_product(mpc->Vqq, A, true, mpc->VA, nv, nv, nv);
    mpc_add_product(mpc->Vqq, mpc->Quq, true, Kq, nv, nu, nv);
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < i; j++)
            mpc->Vqq[i * nv + j] = mpc->Vqq[j * nv + i] = (mpc->Vqq[i * nv + j] + mpc->Vqq[j * nv + i]) / 2;
    // V_u = -R (u - y + k), V_uq = -R K_q, V_uu = R - R K_y
    for (int i = 0; i < nu; i++) {
        mpc->Vu[i] = -R * (u[i] - before[i] + move[i]);
        for (int j = 0; j < nv; j++) mpc->Vuq[i * nv + j] = -R * Kq[i * nv + j];
        for (int j = 0; j < nu; j++) mpc->Vuu[i * nu + j] = (i == j ? R : 0) - R * (Ku[i * nu + j] + Ku[j * nu + i]) / 2;
    }
}

// The change of command in step k, restricted to its contact trust region: by the program, or if that fails by a shorter
// change.
static void mpc_keep_contacts(tact_mpc *mpc, tact_region *region, int k, tact_real *move) {
    tact_real reach = tact_region_reach(region, k, move);
    if (reach > 1) return;
    mpc->limited++;
    if (tact_region_minimise(region, k, mpc->Quu, mpc->Qu, mpc->lower, mpc->upper, move) >= 0) return;
    for (int i = 0; i < mpc->model->nu; i++) move[i] *= TACT_REAL(0.99) * reach;
}

// Backward pass over the steps of the rollout. False when Q_uu is not positive definite.
static bool mpc_sweep_back(tact_mpc *mpc, const tact_mpc_options *options) {
    const tact_model *model = mpc->model;
    int nv = model->nv, nu = model->nu, last = mpc->steps - 1;
    tact_boxqp box = {.n = nu, .H = mpc->Quu, .g = mpc->Qu, .lower = mpc->lower, .upper = mpc->upper};
    box.L = mpc->factor;
    box.held = mpc->held;
    box.step = mpc->du;
    box.trial = mpc->du_next;
    // value function of the last state: its cost alone
    for (int i = 0; i < nv; i++) mpc->Vq[i] = mpc->slope[last * nv + i];
    for (int i = 0; i < nv * nv; i++) mpc->Vqq[i] = mpc->bend[last * nv * nv + i];
    for (int i = 0; i < nu; i++) mpc->Vu[i] = 0;
    for (int i = 0; i < nu * nu; i++) mpc->Vuu[i] = 0;
    for (int i = 0; i < nu * nv; i++) mpc->Vuq[i] = 0;
    mpc->predicted = 0;
    mpc->limited = 0;
    for (int k = last; k >= 0; k--) {
        const tact_real *before = k > 0 ? mpc->u + (k - 1) * nu : mpc->last;
        tact_real *move = mpc->move + k * nu;
        // Q of the step, its minimiser in the box, gains, then the value function before it
        mpc_expand(mpc, options, k, before);
        mpc_find_box(mpc, options, k, before);
        for (int i = 0; i < nu; i++) move[i] = 0;
        if (!tact_boxqp_solve(&box, move)) return false;
        if (options->region) mpc_keep_contacts(mpc, options->region, k, move);
        for (int i = 0; i < nu; i++) mpc->predicted -= move[i] * (mpc->Qu[i] + tact_dot(mpc->Quu + i * nu, move, nu) / 2);
        mpc_find_gains(mpc, options, &box, k);
        if (k > 0) mpc_contract(mpc, options, k, before);
    }
    return true;
}

// Forward pass of the linear model: w = k + K_q dq + K_y dy, dq+ = A dq + B w.
static void mpc_follow(tact_mpc *mpc) {
    int nv = mpc->model->nv, nu = mpc->model->nu;
    for (int i = 0; i < nv; i++) mpc->dq[i] = 0;
    for (int i = 0; i < nu; i++) mpc->du[i] = 0;
    for (int k = 0; k < mpc->steps; k++) {
        const tact_real *A = mpc->A + k * nv * nv, *B = mpc->B + k * nv * nu;
        const tact_real *Kq = mpc->Kq + k * nu * nv, *Ku = mpc->Ku + k * nu * nu;
        // w = k + K_q dq + K_y dy, dq+ = A dq + B w
        for (int i = 0; i < nu; i++) mpc->du_next[i] = mpc->move[k * nu + i];
        for (int i = 0; i < nv; i++) mpc->dq_next[i] = 0;
        mpc_add_product(mpc->du_next, Kq, false, mpc->dq, nu, nv, 1);
        mpc_add_product(mpc->du_next, Ku, false, mpc->du, nu, nu, 1);
        mpc_add_product(mpc->dq_next, A, false, mpc->dq, nv, nv, 1);
        mpc_add_product(mpc->dq_next, B, false, mpc->du_next, nv, nu, 1);
        for (int i = 0; i < nv; i++) mpc->dq[i] = mpc->dq_next[i];
        for (int i = 0; i < nu; i++) {
            mpc->du[i] = mpc->du_next[i];
            mpc->u[k * nu + i] += mpc->du_next[i];
        }
    }
    // beyond a step without an answer the plan holds its last command
    for (int k = mpc->steps; k < mpc->horizon; k++)
        for (int i = 0; i < nu; i++) mpc->u[k * nu + i] = mpc->u[(mpc->steps - 1) * nu + i];
}

tact_status tact_mpc_solve(tact_mpc *mpc, const tact_options *step, const tact_mpc_options *options, const tact_pose_goal *goal,
                           const tact_real *q) {
    const tact_model *model = mpc->model;
    TACT_ASSERT(goal->body >= 0 && goal->body < model->nbody);
    TACT_ASSERT(options->sweeps >= 1 && options->tick > 0 && options->tick <= step->dt);
    mpc->step_length = options->velocity * step->dt;
    if (!model->law || model->law->velocities) return mpc->status = TACT_BAD_INPUT;
    tact_real part = options->tick / step->dt;
    if (!tact_all_finite(q, model->nq)) {
        mpc->steps = 0;
        return mpc->status = TACT_BAD_INPUT;
    }
    // a regrasp in progress comes first
    mpc_watch(mpc, options, goal, q);
    if (mpc->opening > 0) {
        mpc->sweeps = mpc->steps = 0;
        mpc_open_grasp(mpc, options, q);
        return mpc->status = TACT_CONVERGED;
    }
    // once the hand has opened the body is brought back to its place first, and on a detour to another orientation
    tact_pose_goal now = *goal;
    if (mpc->centring > mpc->wandering) now.angle_weight /= 16;
    if (mpc->centring > 0 && mpc->wandering > 0) now.orientation = tact_quat_multiply(mpc->detour, goal->orientation);
    // rollout, backward pass, forward pass: once per tick, more when time allows
    for (mpc->sweeps = 0; mpc->sweeps < options->sweeps; mpc->sweeps++) {
        if (mpc->sweeps > 0 && options->go_on && !options->go_on(options->context)) break;
        mpc->steps = mpc_roll_out(mpc, step, options, &now, q);
        if (mpc->steps == 0) return mpc->status;
        if (!mpc_sweep_back(mpc, options)) return mpc->status = TACT_SINGULAR;
        mpc_follow(mpc);
    }
    // command of the coming tick, on the line to the plan's first command; then the plan is that of the next solve
    for (int i = 0; i < model->nu; i++) mpc->last[i] += part * (mpc->u[i] - mpc->last[i]);
    for (int i = 0; i < model->nu * model->nv; i++) mpc->gain[i] = part * mpc->Kq[i];
    mpc_shift(mpc, part);
    return mpc->status;
}
