// SPDX-License-Identifier: MIT
// Inverse kinematics as least squares with bounds:
//   F(q) = 1/2 sum_i |e_i|^2 + w_i^2 |phi_i|^2 ,  e = p - p* ,  phi = log(R* R') ,  lower <= q <= upper
// With a joint's axis a_j and point velocity c_j, and j nearer to the base than k:
//   dF/dq_j       = e . c_j - w^2 phi . a_j
//   d2F/dq_j dq_k = c_j . c_k + w^2 a_j' G a_k  +  e . (a_j x c_k) - w^2/2 phi . (a_j x a_k)
// where G = u u' + g (1 - u u') with u = phi/|phi| and g = (|phi|/2) cot(|phi|/2) is the Hessian of |phi|^2/2 on the rotations.
// The first two terms (Gauss-Newton's) are positive semidefinite and make the step while errors shrink quickly; the last two
// are added when they do not (Fletcher and Xu 1987), so that targets out of reach converge as fast as others.
// Damping and gain ratio: Levenberg, Marquardt, Nielsen (1999). Variables at a limit that the gradient pushes against are
// frozen; those that the step would carry over a limit are held there and the step is solved again for the others.
// F has local minima. Targets that share no variable are separate problems: each that ends in a local minimum is solved again
// from random coordinates within the limits (multistart).
#include "tact/plan.h"

#include "math/elementary.h"
#include "math/random.h"
#include "tact/math.h"

#define IK_LEAST_DAMPING (64 * TACT_EPS)

typedef struct {
    const tact_model *model;
    const tact_ik_target *target;
    int ntarget, n, iterations;  // n: variables
    tact_ik_options options;
    tact_ik *work;
    tact_real value, first;     // F now and at the start
    tact_real rounding;         // of F
    tact_real slope;            // tact_ik_result.gradient
    uint64_t seed;              // of the random starts
    tact_real damping, growth;  // growth: of the damping when a step fails
    bool newton;                // with the curvature of the errors
} ik_run;

// Errors of a target.
typedef struct {
    tact_vec3 point;  // p
    tact_vec3 miss;   // e
    tact_vec3 turn;   // phi
} ik_miss;

tact_ik_options tact_ik_options_default(void) {
    tact_ik_options options = {100, 256 * TACT_EPS, 4 * tact_sqrt(TACT_EPS), TACT_REAL(1e-3), false, 60, 1};
    return options;
}

// Memory of inverse kinematics for this many targets; an arena that only measures returns none.
void tact_ik_place(tact_ik *ik, const tact_model *model, int ntarget, tact_arena *arena) {
    TACT_ASSERT(ik && model && ntarget >= 0);
    size_t nv = (size_t)model->nv, nq = (size_t)model->nq;
    ik->ntarget = ntarget;
    ik->of = tact_model_sizes(model);
    ik->error = tact_arena_take(arena, (size_t)ntarget, sizeof(tact_real));
    ik->group = tact_arena_take(arena, (size_t)ntarget, sizeof(int));
    ik->active = tact_arena_take(arena, (size_t)ntarget, sizeof(bool));
    // kinematics of the iterate and of the trial, which are swapped when a step is accepted
    tact_kinematics_place(&ik->kinematics, model, arena);
    tact_kinematics_place(&ik->trial_kinematics, model, arena);
    TACT_VECTORS(arena, nq, &ik->q, &ik->trial, &ik->best);
    // variables, and their normal equations
    TACT_INDICES(arena, nv, &ik->variable, &ik->column, &ik->free);
    ik->frozen = tact_arena_take(arena, nv, sizeof(bool));
    ik->held = tact_arena_take(arena, nv, sizeof(bool));
    TACT_VECTORS(arena, nv, &ik->gradient, &ik->step, &ik->scale, &ik->solution);
    TACT_VECTORS(arena, nv * nv, &ik->normal, &ik->curvature, &ik->factor);
}

static bool ik_within(tact_vec3 v) {
    const tact_real most = TACT_REAL(TACT_MOST_LENGTH);
    return tact_fabs(v.x) <= most && tact_fabs(v.y) <= most && tact_fabs(v.z) <= most;
}

static const char *ik_check_options(const tact_ik_options *options) {
    if (options->iteration_limit < 0) return "options.iteration_limit";
    if (!(options->tolerance >= 0 && options->tolerance <= TACT_MAX)) return "options.tolerance";
    if (!(options->stationary >= 0 && options->stationary <= TACT_MAX)) return "options.stationary";
    if (!(options->damping > 0 && options->damping <= TACT_MAX)) return "options.damping";
    return options->restarts >= 0 ? NULL : "options.restarts";
}

static const char *ik_check_target(const tact_ik_target *target) {
    tact_quat r = target->orientation;
    if (!ik_within(target->point)) return "target.point";
    if (!ik_within(target->position)) return "target.position";
    if (!(target->angle_weight >= 0 && target->angle_weight <= TACT_REAL(TACT_MOST_LENGTH))) return "target.angle_weight";
    bool unit = tact_fabs(r.w * r.w + r.x * r.x + r.y * r.y + r.z * r.z - 1) <= TACT_REAL(2e-3);
    return unit || target->angle_weight == 0 ? NULL : "target.orientation";
}

static tact_fault ik_check(const ik_run *run, const tact_real *q) {
    tact_fault fault = {ik_check_options(&run->options), 0};
    if (fault.field) return fault;
    // options, then coordinates, then targets
    fault.index = tact_find_larger(q, run->model->nq, TACT_REAL(TACT_MOST_LENGTH));
    if (fault.index < run->model->nq) {
        fault.field = "q";
        return fault;
    }
    for (int i = 0; !fault.field && i < run->ntarget; i++) {
        fault.field = ik_check_target(&run->target[i]);
        fault.index = i;
    }
    return fault;
}

// Variables: the dofs that move an active target and are allowed to move.
static void ik_choose_variables(ik_run *run) {
    const tact_model *model = run->model;
    tact_ik *work = run->work;
    for (int v = 0; v < model->nv; v++) work->column[v] = -1;
    for (int i = 0; i < run->ntarget; i++) {
        if (!work->active[i]) continue;
        // all dofs on the path to the target's body; only driven ones, unless all may move
        int b = run->target[i].body;
        TACT_ASSERT(0 <= b && b < model->nbody);
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int v = model->motion[model->path[k]].dof;
            if (run->options.all_dofs || model->dof[v].u >= 0) work->column[v] = 0;
        }
    }
    // numbered in the order of the dofs
    run->n = 0;
    for (int v = 0; v < model->nv; v++) {
        if (work->column[v] < 0) continue;
        work->column[v] = run->n;
        work->variable[run->n++] = v;
    }
}

// How far a variable may move up or down until its limit, from the coordinates q.
static tact_real ik_room(const ik_run *run, int i, const tact_real *q, bool upwards) {
    const tact_dof *dof = &run->model->dof[run->work->variable[i]];
    if (dof->q < 0) return upwards ? TACT_MAX : -TACT_MAX;
    return upwards ? dof->upper - q[dof->q] : dof->lower - q[dof->q];
}

// Projects q onto the joint limits.
static void ik_clamp(const ik_run *run, tact_real *q) {
    for (int i = 0; i < run->n; i++) {
        const tact_dof *dof = &run->model->dof[run->work->variable[i]];
        if (dof->q >= 0) q[dof->q] = tact_clamp(q[dof->q], dof->lower, dof->upper);
    }
}

// Errors of a target: the point's displacement from its goal, and the rotation vector log(R* R') that is left.
static ik_miss ik_measure(const tact_ik_target *target, const tact_kinematics *kinematics) {
    tact_pose pose = kinematics->pose[target->body];
    tact_vec3 point = tact_pose_apply(pose, target->point);
    ik_miss miss = {point, tact_vec3_sub(point, target->position), {0, 0, 0}};
    if (target->angle_weight == 0) return miss;
    tact_quat now = tact_quat_from_matrix(pose.R), wanted = tact_quat_normalize(target->orientation);
    miss.turn = tact_rotation_log(tact_quat_multiply(wanted, tact_quat_conjugate(now)));
    return miss;
}

// F, and the errors of each active target.
static tact_real ik_value(const ik_run *run, const tact_kinematics *kinematics) {
    tact_real value = 0;
    for (int i = 0; i < run->ntarget; i++) {
        // F = sum (|position|^2 + w^2 |rotation|^2) / 2 over the active targets
        if (!run->work->active[i]) continue;
        const tact_ik_target *target = &run->target[i];
        ik_miss miss = ik_measure(target, kinematics);
        tact_real weight = target->angle_weight * target->angle_weight;
        tact_real square = tact_vec3_dot(miss.miss, miss.miss) + weight * tact_vec3_dot(miss.turn, miss.turn);
        run->work->error[i] = tact_sqrt(square);
        value += square / 2;
    }
    return value;
}

// w^2 G a.
static tact_vec3 ik_turn_hessian(tact_vec3 turn, tact_real weight, tact_vec3 a) {
    tact_real square = tact_vec3_dot(turn, turn), half = tact_sqrt(square) / 2, s = 0, c = 0;
    if (square < TACT_EPS) return tact_vec3_scale(weight, a);
    tact_sincos(half, &s, &c);
    tact_real g = half * c / s;
    tact_vec3 along = tact_vec3_scale((1 - g) * tact_vec3_dot(turn, a) / square, turn);
    return tact_vec3_scale(weight, tact_vec3_add_scaled(along, g, a));
}

// e . d2p/dq_j dq_k - w^2/2 phi . (a_j x a_k), with j nearer to the base; c: velocity of the point for motion k.
static tact_real ik_curvature(const ik_run *run, const ik_miss *miss, tact_real weight, int j, int k) {
    const tact_kinematics *kinematics = &run->work->kinematics;
    const tact_motion *a = &run->model->motion[j], *b = &run->model->motion[k];
    tact_vec3 c = tact_motion_velocity(kinematics, k, miss->point), turn = kinematics->angular[j];
    tact_real bend = tact_vec3_dot(miss->miss, tact_vec3_cross(turn, c));
    if (a->body == b->body && run->model->body[a->body].joint == TACT_JOINT_FREE) {
        // a free joint's rotation is one vector without an order of axes, and does not carry its translation
        if (b->axis >= 3) return 0;
        c = tact_motion_velocity(kinematics, j, miss->point);
        return (bend + tact_vec3_dot(miss->miss, tact_vec3_cross(kinematics->angular[k], c))) / 2;
    }
    return bend - weight / 2 * tact_vec3_dot(miss->turn, tact_vec3_cross(turn, kinematics->angular[k]));
}

static void ik_add_symmetric(tact_real *A, int n, int i, int j, bool twice, tact_real x) {
    A[i * n + j] += x;
    if (twice) A[j * n + i] += x;
}

static tact_real ik_length(tact_vec3 v) {
    return tact_sqrt(tact_vec3_dot(v, v));
}

// Adds one target's terms to the gradient of F and to both parts of its Hessian: Gauss-Newton's to `normal`, the rest to
// `curvature`.
static void ik_derive_target(ik_run *run, const tact_ik_target *target) {
    const tact_model *model = run->model;
    tact_ik *work = run->work;
    ik_miss miss = ik_measure(target, &work->kinematics);
    tact_real weight = target->angle_weight * target->angle_weight;
    tact_real reach = ik_length(miss.point) + ik_length(target->position) + target->angle_weight;
    // rounding of F due to the coordinates: |e| times the distances involved
    run->rounding += 4 * TACT_EPS * tact_sqrt(2 * run->value) * reach;
    const int *path = &model->path[model->path_start[target->body]];
    int length = model->path_start[target->body + 1] - model->path_start[target->body];
    for (int k = 0; k < length; k++) {
        int column = work->column[model->motion[path[k]].dof];
        if (column < 0) continue;
        tact_vec3 c = tact_motion_velocity(&work->kinematics, path[k], miss.point), a = work->kinematics.angular[path[k]];
        tact_vec3 Ga = ik_turn_hessian(miss.turn, weight, a);
        // dF/dq_k, then row k of both parts of the Hessian
        work->gradient[column] += tact_vec3_dot(miss.miss, c) - weight * tact_vec3_dot(miss.turn, a);
        for (int j = 0; j <= k; j++) {
            int other = work->column[model->motion[path[j]].dof];
            if (other < 0) continue;
            tact_vec3 cj = tact_motion_velocity(&work->kinematics, path[j], miss.point);
            tact_real normal = tact_vec3_dot(cj, c) + tact_vec3_dot(work->kinematics.angular[path[j]], Ga);
            ik_add_symmetric(work->normal, run->n, column, other, j < k, normal);
            ik_add_symmetric(work->curvature, run->n, column, other, j < k, ik_curvature(run, &miss, weight, path[j], path[k]));
        }
    }
}

// Gradient, Hessian and active set at work->q, whose kinematics are up to date.
static void ik_derive(ik_run *run) {
    tact_ik *work = run->work;
    int n = run->n;
    for (int i = 0; i < n; i++) work->gradient[i] = 0;
    for (int k = 0; k < n * n; k++) work->normal[k] = work->curvature[k] = 0;
    run->rounding = 4 * TACT_EPS * run->value;
    for (int i = 0; i < run->ntarget; i++)
        if (work->active[i]) ik_derive_target(run, &run->target[i]);
    // frozen: at a limit with the gradient pushing outwards; slope: cosine between J's column and the errors
    tact_real largest = 0;
    run->slope = 0;
    for (int i = 0; i < n; i++) {
        tact_real g = work->gradient[i], square = work->normal[i * n + i];
        work->frozen[i] = (g > 0 && ik_room(run, i, work->q, false) >= 0) || (g < 0 && ik_room(run, i, work->q, true) <= 0);
        work->scale[i] = tact_max(work->scale[i], square);
        largest = tact_max(largest, work->scale[i]);
        tact_real unit = tact_sqrt(2 * square * run->value);
        if (!work->frozen[i] && unit > 0) run->slope = tact_max(run->slope, tact_fabs(g) / unit);
    }
    // a dof that moves no target now must not move without bound
    for (int i = 0; i < n; i++) work->scale[i] = largest > 0 ? tact_max(work->scale[i], TACT_REAL(1e-3) * largest) : 1;
}

static tact_real ik_hessian(const ik_run *run, int i, int j) {
    int k = i * run->n + j;
    return run->work->normal[k] + (run->newton ? run->work->curvature[k] : 0);
}

// Cholesky of (Hessian + damping scale) for the first m free variables; the row whose pivot is not positive, m if none.
static int ik_factor(const ik_run *run, int m, tact_real damping) {
    tact_real *L = run->work->factor;
    for (int i = 0; i < m; i++) {
        int row = run->work->free[i];
        for (int j = 0; j <= i; j++) {
            // a row of L; a pivot that is not positive means an indefinite Hessian
            tact_real shift = i == j ? damping * run->work->scale[row] : 0;
            tact_real sum = ik_hessian(run, row, run->work->free[j]) + shift;
            for (int k = 0; k < j; k++) sum -= L[i * m + k] * L[j * m + k];
            if (i == j && !(sum > 8 * TACT_EPS * run->work->scale[row])) return i;
            L[i * m + j] = i == j ? tact_sqrt(sum) : sum / L[j * m + j];
        }
    }
    return m;
}

// x = L'^-1 x for the first k of m rows.
static void ik_solve_upper(const tact_real *L, int m, int k, tact_real *x) {
    for (int i = k - 1; i >= 0; i--) {
        x[i] /= L[i * m + i];
        for (int j = 0; j < i; j++) x[j] -= L[i * m + j] * x[i];
    }
}

// Lists the variables that are not held at a limit; returns their number.
static int ik_collect_free(const ik_run *run) {
    int m = 0;
    for (int i = 0; i < run->n; i++)
        if (!run->work->held[i]) run->work->free[m++] = i;
    return m;
}

// Solves for work->step of the free variables, given those held; false when the Hessian is not positive definite.
static bool ik_solve_free(const ik_run *run, tact_real damping) {
    tact_ik *work = run->work;
    int m = ik_collect_free(run);
    if (ik_factor(run, m, damping) < m) return false;
    for (int i = 0; i < m; i++) {
        int row = work->free[i];
        // variables held at a limit have known steps, which go to the right-hand side
        work->solution[i] = -work->gradient[row];
        for (int j = 0; j < run->n; j++)
            if (work->held[j]) work->solution[i] -= ik_hessian(run, row, j) * work->step[j];
    }
    // forward substitution L x = b
    const tact_real *L = work->factor;
    tact_real *x = work->solution;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < i; j++) x[i] -= L[i * m + j] * x[j];
        x[i] /= L[i * m + i];
    }
    ik_solve_upper(work->factor, m, m, work->solution);
    for (int i = 0; i < m; i++) work->step[work->free[i]] = work->solution[i];
    return true;
}

// Step of the damped quadratic model within the limits, by an active set method: variables that would pass a limit are held
// there. False when the matrix of the free variables cannot be factored.
static bool ik_find_step(const ik_run *run, tact_real damping) {
    tact_ik *work = run->work;
    for (int i = 0; i < run->n; i++) {
        work->held[i] = work->frozen[i];
        work->step[i] = 0;
    }
    // each pass holds at least one more variable
    for (int pass = 0; pass <= run->n; pass++) {
        // steps beyond a limit end there; solve again for the others
        bool within = true;
        if (!ik_solve_free(run, damping)) return false;
        for (int i = 0; i < run->n; i++) {
            tact_real low = ik_room(run, i, work->q, false), high = ik_room(run, i, work->q, true);
            if (work->held[i] || (low <= work->step[i] && work->step[i] <= high)) continue;
            work->step[i] = work->step[i] < low ? low : high;
            work->held[i] = true;
            within = false;
        }
        if (within) break;
    }
    return true;
}

// Decrease of F predicted by the quadratic model.
static tact_real ik_predict(const ik_run *run) {
    tact_real gain = 0;
    for (int i = 0; i < run->n; i++) {
        tact_real slope = run->work->gradient[i];
        for (int j = 0; j < run->n; j++) slope += ik_hessian(run, i, j) * run->work->step[j] / 2;
        gain -= slope * run->work->step[i];
    }
    return gain;
}

// F at q (+) work->step, in work->trial.
static tact_real ik_try(ik_run *run) {
    tact_ik *work = run->work;
    tact_real *d = work->factor;  // nv at least, and not needed any more
    run->iterations++;
    for (int v = 0; v < run->model->nv; v++) d[v] = work->column[v] < 0 ? 0 : work->step[work->column[v]];
    for (int i = 0; i < run->model->nq; i++) work->trial[i] = work->q[i];
    tact_model_integrate(run->model, &work->kinematics, d, work->trial);
    // variables that stepped to a limit are set to it exactly
    for (int i = 0; i < run->n; i++) {
        const tact_dof *dof = &run->model->dof[work->variable[i]];
        if (dof->q < 0) continue;
        if (work->step[i] >= ik_room(run, i, work->q, true)) work->trial[dof->q] = dof->upper;
        if (work->step[i] <= ik_room(run, i, work->q, false)) work->trial[dof->q] = dof->lower;
    }
    ik_clamp(run, work->trial);
    tact_kinematics_update(&work->trial_kinematics, run->model, work->trial);
    return ik_value(run, &work->trial_kinematics);
}

// Swaps q and trial.
static void ik_swap(tact_ik *work) {
    tact_kinematics kinematics = work->kinematics;
    tact_real *q = work->q;
    work->kinematics = work->trial_kinematics;
    work->q = work->trial;
    work->trial_kinematics = kinematics;
    work->trial = q;
}

// Takes the trial point. The next step uses the targets' curvature, Newton's method in place of Gauss-Newton, where the
// objective fell by less than a fifth.
static void ik_accept(ik_run *run, tact_real value) {
    ik_swap(run->work);
    run->newton = run->value - value < TACT_REAL(0.2) * run->value;
    run->value = value;
    run->growth = 2;
    ik_derive(run);
}

// Leaves a saddle point, such as a straight arm with its target on the line towards the base, along the direction of negative
// curvature given by the failed row of the factor of m free variables. True when F has decreased.
static bool ik_escape(ik_run *run, int m, int row) {
    tact_ik *work = run->work;
    tact_real reach = 0;
    for (int i = 0; i < run->n; i++) work->solution[i] = 0;
    for (int j = 0; j < row; j++) work->solution[j] = -work->factor[row * m + j];
    ik_solve_upper(work->factor, m, row, work->solution);
    work->solution[row] = 1;
    for (int i = 0; i <= row; i++) reach = tact_max(reach, tact_fabs(work->solution[i]) * tact_sqrt(work->scale[work->free[i]]));
    // first as far as the errors are large
    tact_real way = tact_sqrt(2 * run->value) / reach;
    for (int k = 0; k < 40 && run->iterations < run->options.iteration_limit; k++) {
        for (int i = 0; i < run->n; i++) work->step[i] = 0;
        for (int i = 0; i <= row; i++) work->step[work->free[i]] = way * work->solution[i];
        // both directions, with decreasing step lengths
        tact_real value = ik_try(run);
        way *= k % 2 ? TACT_REAL(-0.5) : -1;
        if (!(value < run->value - run->rounding)) continue;
        run->damping = run->options.damping;
        ik_accept(run, value);
        return true;
    }
    return false;
}

// Where changes of F are rounding: leaves a saddle point, otherwise accepts a full Newton step if it halves F or its gradient.
static bool ik_refine(ik_run *run) {
    const tact_real shift = 16 * tact_sqrt(TACT_EPS);
    tact_ik *work = run->work;
    tact_real slope = run->slope, value = run->value;
    run->newton = true;
    for (int i = 0; i < run->n; i++) work->held[i] = work->frozen[i];
    // a failed pivot shows negative curvature: a saddle point
    int m = ik_collect_free(run), row = ik_factor(run, m, shift);
    if (row < m) return ik_escape(run, m, row);
    if (slope == 0 || !ik_find_step(run, shift)) return false;
    // accept the full step if gradient or value halve
    tact_real trial = ik_try(run);
    if (!(trial <= value + run->rounding)) return false;
    ik_accept(run, trial);
    run->damping = tact_min(run->damping, run->options.damping);
    if (run->slope < slope / 2 || trial < value / 2) return true;
    ik_swap(work);
    run->slope = slope;
    run->value = value;
    return false;
}

// One damped step; false when no damping reduces F.
static bool ik_advance(ik_run *run) {
    // damping in proportion to F gives quadratic convergence to a zero of F
    tact_real damping = tact_max(IK_LEAST_DAMPING, run->damping * run->value / run->first);
    tact_real predicted = ik_find_step(run, damping) ? ik_predict(run) : 0;
    // with variables held at limits the step can be an ascent direction
    tact_real value = predicted > 0 ? ik_try(run) : run->value;
    tact_real ratio = predicted > 0 ? (run->value - value) / predicted : 0;
    if (ratio > TACT_REAL(1e-3)) {
        tact_real x = 2 * ratio - 1;
        run->damping *= tact_max(TACT_REAL(0.1), 1 - x * x * x);
        ik_accept(run, value);
        return true;
    }
    run->damping *= run->growth;
    run->growth *= 2;
    return damping < 1 / TACT_EPS;
}

// Largest error of the active targets.
static tact_real ik_worst(const ik_run *run) {
    tact_real worst = 0;
    for (int i = 0; i < run->ntarget; i++)
        if (run->work->active[i]) worst = tact_max(worst, run->work->error[i]);
    return worst;
}

// Descent to a local minimum for the active targets, from work->q.
static tact_status ik_descend(ik_run *run) {
    tact_ik *work = run->work;
    // fresh start: damping, scales and kinematics
    run->damping = run->options.damping;
    run->growth = 2;
    run->newton = false;
    run->iterations = 0;
    ik_clamp(run, work->q);
    tact_kinematics_update(&work->kinematics, run->model, work->q);
    run->value = run->first = ik_value(run, &work->kinematics);
    for (int i = 0; i < run->n; i++) work->scale[i] = 0;
    ik_derive(run);
    // damped Gauss-Newton steps until reached, stationary or out of iterations
    int limit = run->options.iteration_limit;
    for (;;) {
        // reached, out of iterations, or one more step
        bool stationary = run->slope <= run->options.stationary;
        if (ik_worst(run) <= run->options.tolerance) return TACT_CONVERGED;
        if (run->iterations >= limit) return TACT_ITERATION_LIMIT;
        // if no damping reduces F measurably, the gradient decides
        bool moved = (!stationary && ik_advance(run)) || ik_refine(run);
        // the errors may be those of a trial
        ik_value(run, &run->work->kinematics);
        if (moved) continue;
        // without iterations left it could be a saddle point
        return stationary && run->iterations < limit ? TACT_STATIONARY : TACT_ITERATION_LIMIT;
    }
}

// Uniform in [0, 1), by the upper 24 bits.
static tact_real ik_draw(ik_run *run) {
    return (tact_real)(tact_random_bits(&run->seed) >> 40) / 16777216;
}

// Random start for the active targets' variables, in work->q: uniform within the limits; without limits angles up to pi, and
// displacements as large as the errors, around the best point. Other coordinates as at the best point.
static void ik_draw_start(ik_run *run, tact_real reach) {
    tact_ik *work = run->work;
    const tact_real half_turn = TACT_REAL(3.14159265358979323846);
    for (int i = 0; i < run->model->nq; i++) work->q[i] = work->best[i];
    tact_kinematics_update(&work->kinematics, run->model, work->q);
    for (int v = 0; v < run->model->nv; v++) work->factor[v] = 0;
    for (int i = 0; i < run->n; i++) {
        // Turns anywhere, displacements as large as the errors.
        int v = work->variable[i];
        const tact_dof *dof = &run->model->dof[v];
        const tact_body *body = &run->model->body[dof->body];
        bool turns = body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS || dof->q < 0 ||
                     (body->joint == TACT_JOINT_PLANAR && v == body->v + 2);
        work->factor[v] = (2 * ik_draw(run) - 1) * (turns ? half_turn : reach);
    }
    tact_model_integrate(run->model, &work->kinematics, work->factor, work->q);
    for (int i = 0; i < run->n; i++) {
        const tact_dof *dof = &run->model->dof[work->variable[i]];
        bool bounded = dof->q >= 0 && dof->lower > -TACT_MAX && dof->upper < TACT_MAX;
        if (bounded) work->q[dof->q] = dof->lower + ik_draw(run) * (dof->upper - dof->lower);
    }
}

// Groups of targets that share variables, identified by the first target of each.
static void ik_find_groups(ik_run *run) {
    const tact_model *model = run->model;
    tact_ik *work = run->work;
    int *owner = work->free;  // of each dof, a target that it moves
    for (int v = 0; v < model->nv; v++) owner[v] = -1;
    for (int i = 0; i < run->ntarget; i++) {
        work->group[i] = i;
        int b = run->target[i].body;
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int v = model->motion[model->path[k]].dof;
            if (work->column[v] < 0) continue;
            if (owner[v] < 0) owner[v] = i;
            // both groups become one, with the lower number
            int a = work->group[owner[v]], c = work->group[i], first = a < c ? a : c;
            for (int j = 0; j <= i && a != c; j++)
                if (work->group[j] == a || work->group[j] == c) work->group[j] = first;
        }
    }
}

// Errors at the best point for the targets of a group; for all with group -1.
static void ik_return_to_best(ik_run *run, int group) {
    tact_ik *work = run->work;
    for (int i = 0; i < run->ntarget; i++) work->active[i] = group < 0 || work->group[i] == group;
    for (int i = 0; i < run->model->nq; i++) work->q[i] = work->best[i];
    tact_kinematics_update(&work->kinematics, run->model, work->q);
    run->value = ik_value(run, &work->kinematics);
}

// Multistart for a group of targets until one start reaches all; a descent that ran out of iterations is continued first. Keeps
// the best point and returns its status.
static tact_status ik_restart_group(ik_run *run, int group, tact_status status, tact_ik_result *result) {
    tact_ik *work = run->work;
    ik_return_to_best(run, group);
    ik_choose_variables(run);
    tact_real least = run->value, reach = tact_sqrt(2 * least);
    const bool continued = status != TACT_STATIONARY;
    for (int k = 0; k < run->options.restarts && run->n > 0 && status != TACT_CONVERGED; k++) {
        if (k > 0 || !continued) ik_draw_start(run, reach);
        // One descent; what is better than the best is the best.
        tact_status trial = ik_descend(run);
        result->restarts++;
        result->iterations += run->iterations;
        // a minimum as good as the best does not replace it: the answer stays near the caller's start
        tact_real rounding = tact_max(run->rounding, 1024 * TACT_EPS * least);
        if (trial != TACT_CONVERGED && (k > 0 || !continued) && !(run->value < least - rounding)) continue;
        least = run->value;
        status = trial;
        for (int i = 0; i < run->model->nq; i++) work->best[i] = work->q[i];
    }
    return status;
}

tact_ik_result tact_ik_solve(tact_ik *ik, const tact_model *model, const tact_ik_target *target, int ntarget,
                             tact_ik_options options, tact_real *q) {
    TACT_ASSERT(ik && model && tact_model_has_sizes(model, &ik->of) && (q || !model->nq));
    TACT_ASSERT(0 <= ntarget && ntarget <= ik->ntarget && (target || !ntarget));
    ik_run run = {.model = model, .target = target, .ntarget = ntarget, .options = options, .work = ik};
    tact_ik_result result = {.status = TACT_BAD_INPUT};
    run.seed = options.seed;
    result.fault = ik_check(&run, q);
    if (result.fault.field) return result;
    // all targets together from the caller's start; then each group that missed by itself
    for (int i = 0; i < ntarget; i++) ik->active[i] = true;
    ik_choose_variables(&run);
    for (int i = 0; i < model->nq; i++) ik->q[i] = q[i];
    result.status = ik_descend(&run);
    result.iterations = run.iterations;
    if (result.status != TACT_CONVERGED && options.restarts > 0 && options.iteration_limit > 0) {
        // Each group of targets that the descent from the caller's start has missed.
        tact_ik *work = run.work;
        tact_status first = result.status;
        ik_find_groups(&run);
        for (int i = 0; i < run.model->nq; i++) work->best[i] = work->q[i];
        result.status = TACT_CONVERGED;
        for (int group = 0; group < run.ntarget; group++) {
            ik_return_to_best(&run, group);
            if (work->group[group] != group || ik_worst(&run) <= run.options.tolerance) continue;
            tact_status status = ik_restart_group(&run, group, first, &result);
            if (status != TACT_CONVERGED && result.status != TACT_ITERATION_LIMIT) result.status = status;
        }
        // all targets together again
        ik_return_to_best(&run, -1);
        ik_choose_variables(&run);
        ik_derive(&run);
        if (result.status == TACT_CONVERGED && !(ik_worst(&run) <= run.options.tolerance)) result.status = TACT_ITERATION_LIMIT;
    }
    result.gradient = run.slope;
    result.error = ik_worst(&run);
    for (int i = 0; i < model->nq; i++) q[i] = ik->q[i];
    return result;
}
