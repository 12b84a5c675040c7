// SPDX-License-Identifier: MIT
// Inverse kinematics: one step against LAPACK, closed forms, random targets within and out of reach, honest answers.
#include "tact/plan.h"

#include "math/elementary.h"
#include "random_model.h"
#include "tact/math.h"

#include <lapacke.h>
#undef I  // of complex.h

enum { NV = 80, TARGETS = 3 };

typedef struct {
    test_model *t;
    const tact_model *model;
    tact_kinematics kinematics;
    tact_ik ik;
    tact_ik_target target[TARGETS];
    int ntarget;
    tact_real q[2 * NV];
} problem;

static problem problem_make(test_model *t) {
    problem p = {.t = t, .model = &t->model};
    CHECK_INT(test_model_prepare(t, 1 << 20), TACT_CONVERGED);
    tact_kinematics_place(&p.kinematics, p.model, &t->arena);
    tact_ik_place(&p.ik, p.model, TARGETS, &t->arena);
    CHECK(tact_arena_fits(&t->arena));
    for (int i = 0; i < p.model->nq; i++) p.q[i] = t->q0[i];
    return p;
}

static tact_ik_result problem_solve(problem *p, tact_ik_options options) {
    return tact_ik_solve(&p->ik, p->model, p->target, p->ntarget, options, p->q);
}

static void aim(problem *p, int body, double x, double y, double z) {
    tact_ik_target target = {body, {0, 0, 0}, {(tact_real)x, (tact_real)y, (tact_real)z}, {1, 0, 0, 0}, 0};
    p->target[p->ntarget++] = target;
}

// error of a target at the coordinates q by its definition
static double target_error(problem *p, const tact_ik_target *target, const tact_real *q) {
    double sum = 0, cosine = -1;
    tact_kinematics_update(&p->kinematics, p->model, q);
    tact_pose pose = p->kinematics.pose[target->body];
    tact_vec3 e = tact_vec3_sub(tact_pose_apply(pose, target->point), target->position);
    sum += (double)tact_vec3_dot(e, e);
    if (target->angle_weight == 0) return sqrt(sum);
    // the angle from trace and skew part of R* R'
    tact_mat3 wanted = tact_quat_matrix(target->orientation), W;
    for (int i = 0; i < 9; i++) {
        W.m[i / 3][i % 3] = 0;
        for (int k = 0; k < 3; k++) W.m[i / 3][i % 3] += wanted.m[i / 3][k] * pose.R.m[i % 3][k];
    }
    for (int k = 0; k < 3; k++) cosine += (double)W.m[k][k];
    double x = (double)(W.m[2][1] - W.m[1][2]), y = (double)(W.m[0][2] - W.m[2][0]), z = (double)(W.m[1][0] - W.m[0][1]);
    double angle = atan2(sqrt(x * x + y * y + z * z), cosine) * (double)target->angle_weight;
    return sqrt(sum + angle * angle);
}

static double sum_of_squares(problem *p, const tact_real *q) {
    double sum = 0;
    for (int i = 0; i < p->ntarget; i++) sum += pow(target_error(p, &p->target[i], q), 2);
    return sum;
}

// what is said is so: errors, limits and status
static void check_honest(problem *p, tact_ik_result result, tact_ik_options options) {
    double worst = 0, rounding = ROUNDING(4e-15);
    for (int i = 0; i < p->ntarget; i++) {
        double error = target_error(p, &p->target[i], p->q);
        CHECK(fabs(error - (double)p->ik.error[i]) < rounding);
        worst = fmax(worst, error);
    }
    CHECK(fabs(worst - (double)result.error) < rounding);
    CHECK((result.status == TACT_CONVERGED) == (result.error <= options.tolerance));
    CHECK(result.status != TACT_STATIONARY || result.gradient <= options.stationary);
    CHECK(result.iterations <= options.iteration_limit * (1 + result.restarts));
    CHECK(result.restarts <= options.restarts * p->ntarget);
    for (int v = 0; v < p->model->nv; v++) {
        const tact_dof *dof = &p->model->dof[v];
        if (dof->q >= 0) CHECK(dof->lower <= p->q[dof->q] && p->q[dof->q] <= dof->upper);
    }
}

static void clamp(const problem *p, tact_real *q) {
    for (int i = 0; i < p->model->nv; i++) {
        const tact_dof *dof = &p->model->dof[i];
        if (dof->q >= 0) q[dof->q] = tact_clamp(q[dof->q], dof->lower, dof->upper);
    }
}

// q (+) random displacement, within the limits
static void random_move(problem *p, uint64_t *seed, double size, tact_real *q) {
    tact_real d[NV];
    for (int i = 0; i < p->model->nv; i++) d[i] = random_real(seed, -size, size);
    for (int i = 0; i < p->model->nq; i++) q[i] = p->q[i];
    tact_kinematics_update(&p->kinematics, p->model, q);
    tact_model_integrate(p->model, &p->kinematics, d, q);
    clamp(p, q);
}

// targets where the bodies are after a random displacement, missed by up to miss
static void random_targets(problem *p, uint64_t *seed, int count, double size, double weight, double miss) {
    tact_real q[2 * NV];
    random_move(p, seed, size, q);
    tact_kinematics_update(&p->kinematics, p->model, q);
    p->ntarget = count;
    for (int i = 0; i < count; i++) {
        int body = random_int(seed, 0, p->model->nbody - 1);
        tact_ik_target target = {.body = body, .point = random_vec3(seed, 0.1), .angle_weight = (tact_real)weight};
        target.position = tact_vec3_add(tact_pose_apply(p->kinematics.pose[body], target.point), random_vec3(seed, miss));
        target.orientation = tact_quat_from_matrix(p->kinematics.pose[body].R);
        p->target[i] = target;
    }
}

static void set_limits(test_model *t, double low, double high) {
    for (int v = 0; v < t->model.nv; v++) {
        if (t->body[t->dof[v].body].joint == TACT_JOINT_FREE) continue;
        t->dof[v].lower = (tact_real)low;
        t->dof[v].upper = (tact_real)high;
        t->q0[t->dof[v].q] = tact_clamp(t->q0[t->dof[v].q], t->dof[v].lower, t->dof[v].upper);
    }
}

// rows of a target in the least squares problem: (3, nv) and a right-hand side each for place and turn
static void target_rows(problem *p, const tact_ik_target *target, double *A, double *rhs) {
    int nv = p->model->nv;
    double w = (double)target->angle_weight;
    tact_real J[6 * NV];
    tact_pose pose = p->kinematics.pose[target->body];
    tact_vec3 r = tact_mat3_apply(pose.R, target->point), e = tact_vec3_sub(tact_vec3_add(pose.p, r), target->position);
    tact_quat now = tact_quat_from_matrix(pose.R);
    tact_vec3 turn = tact_rotation_log(tact_quat_multiply(target->orientation, tact_quat_conjugate(now)));
    double miss[3] = {(double)e.x, (double)e.y, (double)e.z}, phi[3] = {(double)turn.x, (double)turn.y, (double)turn.z};
    double angle = sqrt(phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2]) + 1e-100, root = sqrt(angle / 2 / tan(angle / 2));
    tact_body_jacobian(p->model, &p->kinematics, target->body, J);
    for (int v = 0; v < nv; v++) {
        tact_vec3 a = {J[v], J[nv + v], J[2 * nv + v]}, u = {J[3 * nv + v], J[4 * nv + v], J[5 * nv + v]};
        tact_vec3 c = tact_vec3_add(u, tact_vec3_cross(a, r));
        double column[3] = {(double)c.x, (double)c.y, (double)c.z}, axis[3] = {(double)a.x, (double)a.y, (double)a.z};
        double along = (phi[0] * axis[0] + phi[1] * axis[1] + phi[2] * axis[2]) / (angle * angle);
        for (int k = 0; k < 3; k++) {
            A[k * nv + v] = column[k];
            A[(3 + k) * nv + v] = w * (root * axis[k] + (1 - root) * along * phi[k]);
        }
    }
    for (int k = 0; k < 3; k++) {
        rhs[k] = -miss[k];
        rhs[3 + k] = w * phi[k];
    }
}

// the first step is the solution of the damped least squares problem
static void test_step(uint64_t *seed) {
    double worst = 0;
    for (int i = 0; i < 30; i++) {
        test_model *t = test_model_random(seed, 8, TACT_JOINT_FREE);
        problem p = problem_make(t);
        int nv = p.model->nv;
        double A[(6 * TARGETS + NV) * NV] = {0}, rhs[6 * TARGETS + NV] = {0}, scale[NV] = {0}, largest = 0;
        random_targets(&p, seed, TARGETS, 0.05, 0.2, 0);
        tact_kinematics_update(&p.kinematics, p.model, p.q);
        for (int k = 0; k < TARGETS; k++) target_rows(&p, &p.target[k], A + 6 * k * nv, rhs + 6 * k);
        for (int k = 0; k < 6 * TARGETS * nv; k++) scale[k % nv] += A[k] * A[k];
        for (int v = 0; v < nv; v++) largest = fmax(largest, scale[v]);
        for (int v = 0; v < nv; v++) A[(6 * TARGETS + v) * nv + v] = sqrt(0.05 * fmax(scale[v], 1e-3 * largest));
        if (nv && largest > 0) CHECK_INT(LAPACKE_dgels(LAPACK_ROW_MAJOR, 'N', 6 * TARGETS + nv, nv, 1, A, nv, rhs, 1), 0);
        tact_ik_options options = tact_ik_options_default();
        options.iteration_limit = 1;
        options.restarts = 0;
        options.damping = TACT_REAL(0.05);
        options.all_dofs = true;
        tact_real d[NV];
        CHECK_INT(problem_solve(&p, options).iterations, largest > 0);
        tact_model_difference(p.model, &p.kinematics, t->q0, p.q, d);
        for (int v = 0; v < nv && largest > 0; v++) worst = fmax(worst, fabs((double)d[v] - rhs[v]));
        test_model_free(t);
    }
    printf("first step against LAPACK: %.2g\n", worst);
    CHECK(worst < ROUNDING(1e-12));
}

// half the sum of squares after the variables i and j moved by h and k
static double moved_value(problem *p, int i, double h, int j, double k) {
    tact_real d[NV] = {0}, q[2 * NV];
    d[i] += (tact_real)h;
    d[j] += (tact_real)k;
    for (int n = 0; n < p->model->nq; n++) q[n] = p->q[n];
    tact_kinematics_update(&p->kinematics, p->model, q);
    tact_model_integrate(p->model, &p->kinematics, d, q);
    return sum_of_squares(p, q) / 2;
}

// gradient and Hessian at the start against difference quotients of the errors
static void test_derivatives(uint64_t *seed) {
    double worst[2] = {0}, h = pow((double)TACT_EPS, 0.25);
    for (int i = 0; i < 20; i++) {
        test_model *t = test_model_random(seed, 7, TACT_JOINT_FREE);
        problem p = problem_make(t);
        tact_ik_options options = tact_ik_options_default();
        options.iteration_limit = 0;
        options.restarts = 0;
        options.all_dofs = true;
        random_targets(&p, seed, TARGETS, 0.3, 0.5, 0.5);
        problem_solve(&p, options);
        int n = 0;
        for (int v = 0; v < p.model->nv; v++) n += p.ik.column[v] >= 0;
        for (int a = 0; a < n * n; a++) {
            int v = p.ik.variable[a / n], w = p.ik.variable[a % n];
            double mixed = moved_value(&p, v, h, w, h) - moved_value(&p, v, h, w, -h) - moved_value(&p, v, -h, w, h) +
                           moved_value(&p, v, -h, w, -h);
            double slope = moved_value(&p, v, h, w, 0) - moved_value(&p, v, -h, w, 0);
            worst[0] = fmax(worst[0], fabs(slope / (2 * h) - (double)p.ik.gradient[a / n]));
            worst[1] = fmax(worst[1], fabs(mixed / (4 * h * h) - (double)(p.ik.normal[a] + p.ik.curvature[a])));
        }
        test_model_free(t);
    }
    printf("gradient %.2g, Hessian %.2g against differences\n", worst[0], worst[1]);
    CHECK(worst[0] < 100 * sqrt((double)TACT_EPS));
    CHECK(worst[1] < 200 * sqrt((double)TACT_EPS));
}

// two links of length 1 in the x-y plane
static test_model *planar_arm(void) {
    test_model *t = test_model_new();
    int upper = test_model_add(t, TACT_WORLD, TACT_JOINT_CONTINUOUS, 1),
        fore = test_model_add(t, upper, TACT_JOINT_CONTINUOUS, 1);
    int tip = test_model_add(t, fore, TACT_JOINT_FIXED, 0);
    t->body[fore].place.p.x = t->body[tip].place.p.x = 1;
    return t;
}

static void test_planar_arm(void) {
    tact_ik_options options = tact_ik_options_default();
    problem p = problem_make(planar_arm());
    // elbow at 90 degrees: x = cos a - sin a, y = sin a + cos a
    aim(&p, 2, cos(0.4) - sin(0.4), sin(0.4) + cos(0.4), 0);
    p.q[0] = TACT_REAL(0.1);
    p.q[1] = 1;
    tact_ik_result result = problem_solve(&p, options);
    check_honest(&p, result, options);
    CHECK_INT(result.status, TACT_CONVERGED);
    CHECK_CLOSE(p.q[0], 0.4, ROUNDING(1e-12));
    CHECK_CLOSE(p.q[1], 1.5707963267948966, ROUNDING(1e-12));
    // out of reach: stretched towards it, the error is what is missing
    p.ntarget = 0;
    aim(&p, 2, 3 * cos(0.7), 3 * sin(0.7), 0);
    result = problem_solve(&p, options);
    check_honest(&p, result, options);
    CHECK_INT(result.status, TACT_STATIONARY);
    CHECK_CLOSE(result.error, 1, ROUNDING(1e-14));
    CHECK_CLOSE(p.q[0], 0.7, ROUNDING(1e-11));
    CHECK_CLOSE(p.q[1], 0, ROUNDING(1e-11));
    printf("stretched after %d iterations, gradient %.2g\n", result.iterations, (double)result.gradient);
    CHECK(result.iterations < 30 * (1 + result.restarts) && result.restarts == options.restarts);
    test_model_free(p.t);
}

static void test_planar_corners(void) {
    tact_ik_options options = tact_ik_options_default();
    problem p = problem_make(planar_arm());
    // straight, the target on the line towards the base: the gradient is zero, but it is within reach
    aim(&p, 2, 0.5, 0, 0);
    tact_ik_result result = problem_solve(&p, options);
    check_honest(&p, result, options);
    CHECK_INT(result.status, TACT_CONVERGED);
    // out of the plane: the foot of the perpendicular
    p.ntarget = 0;
    aim(&p, 2, 1, 0.5, 0.25);
    result = problem_solve(&p, options);
    check_honest(&p, result, options);
    CHECK_INT(result.status, TACT_STATIONARY);
    CHECK_CLOSE(result.error, 0.25, ROUNDING(1e-14));
    // one body, two wishes: the middle
    p.ntarget = 0;
    aim(&p, 2, 1, 0.5, 0);
    aim(&p, 2, 1.2, 0.5, 0);
    result = problem_solve(&p, options);
    CHECK_INT(result.status, TACT_STATIONARY);
    CHECK_CLOSE(result.error, 0.1, fmin(ROUNDING(1e-9), 1e-4));
    test_model_free(p.t);
}

// the error after each step: its square bounds the next
static void test_order(void) {
    problem p = problem_make(planar_arm());
    tact_ik_options options = tact_ik_options_default();
    options.damping = 1;
    options.restarts = 0;
    aim(&p, 2, 1.1, 0.9, 0);
    double last = 1;
    int squared = 0;
    for (int k = 1; k < 12; k++) {
        options.iteration_limit = k;
        p.q[0] = 0;
        p.q[1] = 1;
        tact_ik_result result = problem_solve(&p, options);
        check_honest(&p, result, options);
        double error = (double)result.error;
        CHECK(last > 1e-2 || error <= fmax(2 * last * last, (double)options.tolerance));
        squared += last < 1e-2 && error < 2 * last * last;
        last = error;
        CHECK(result.status == TACT_CONVERGED || result.status == TACT_ITERATION_LIMIT);
    }
    CHECK(last <= (double)options.tolerance && squared > 0);
    test_model_free(p.t);
}

// no random move within the limits is better than rounding, the gradient that is left and unresolved curvature allow
static void check_minimum(problem *p, uint64_t *seed, double gradient) {
    double best = sum_of_squares(p, p->q);
    tact_real q[2 * NV];
    for (int k = 0; k < 60; k++) {
        double size = pow(10, -1.5 - k % 3), flat = (200 * sqrt((double)TACT_EPS) * size + 10 * gradient) * size;
        random_move(p, seed, size, q);
        CHECK(sum_of_squares(p, q) >= best - (ROUNDING(2e-15) + flat) * (1 + best));
    }
}

static void test_trees(uint64_t *seed, double weight, double miss, double limit) {
    int converged = 0, stationary = 0, count = 0, iterations = 0;
    for (int i = 0; i < 120; i++) {
        test_model *t = test_model_random(seed, random_int(seed, 2, 12), TACT_JOINT_FREE);
        if (limit > 0) set_limits(t, -limit, limit / 2);
        problem p = problem_make(t);
        tact_ik_options options = tact_ik_options_default();
        options.all_dofs = true;
        random_targets(&p, seed, random_int(seed, 1, TARGETS), limit > 0 ? 3 : 0.3, weight, miss);
        tact_ik_result result = problem_solve(&p, options);
        check_honest(&p, result, options);
        converged += result.status == TACT_CONVERGED;
        stationary += result.status == TACT_STATIONARY;
        iterations += result.iterations;
        count++;
        if (result.status == TACT_STATIONARY) check_minimum(&p, seed, (double)result.gradient);
        test_model_free(t);
    }
    printf("weight %g, miss %g, limit %g: %d converged, %d stationary of %d; %.1f iterations\n", weight, miss, limit, converged,
           stationary, count, (double)iterations / count);
    // a singular answer is approached slowly
    CHECK(converged + stationary >= count - 2);
    CHECK(miss > 0 || converged > (limit > 0 ? 0.7 : 0.95) * count);
}

// driven dofs only, unless all are asked for
static void test_driven(void) {
    test_model *t = test_model_new();
    int base = test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0), slider = test_model_add(t, base, TACT_JOINT_PRISMATIC, 1);
    problem p = problem_make(t);
    tact_ik_options options = tact_ik_options_default();
    aim(&p, slider, 0.3, 0.2, 0.5);
    tact_ik_result result = problem_solve(&p, options);
    CHECK_INT(result.status, TACT_STATIONARY);
    CHECK(p.q[0] == 0 && p.q[1] == 0 && p.q[2] == 0);
    CHECK_CLOSE(p.q[3], 0.5, ROUNDING(1e-14));
    CHECK_CLOSE(result.error, sqrt(0.13), ROUNDING(1e-14));
    options.all_dofs = true;
    result = problem_solve(&p, options);
    CHECK_INT(result.status, TACT_CONVERGED);
    CHECK_CLOSE(p.q[1], 0.2, ROUNDING(1e-12));
    test_model_free(t);
}

// a gripper: both fingers follow one joint
static void test_mimic(void) {
    test_model *t = test_model_new();
    int left = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 1),
        right = test_model_body(t, TACT_WORLD, TACT_JOINT_PRISMATIC);
    test_model_mimic(t, right, left, -2, 0.1);
    t->dof[0].lower = 0;
    t->dof[0].upper = TACT_REAL(0.25);
    problem p = problem_make(t);
    aim(&p, left, 0, 0, 0.2);
    aim(&p, right, 0, 0, -0.3);
    CHECK_INT(problem_solve(&p, tact_ik_options_default()).status, TACT_CONVERGED);
    CHECK_CLOSE(p.q[0], 0.2, ROUNDING(1e-13));
    // beyond the limit: exactly at it
    p.target[0].position.z = 2;
    p.target[1].position.z = -3;
    CHECK_INT(problem_solve(&p, tact_ik_options_default()).status, TACT_STATIONARY);
    CHECK(p.q[0] == TACT_REAL(0.25));
    // and away from it again
    p.target[0].position.z = TACT_REAL(0.1);
    p.target[1].position.z = TACT_REAL(-0.1);
    CHECK_INT(problem_solve(&p, tact_ik_options_default()).status, TACT_CONVERGED);
    CHECK_CLOSE(p.q[0], 0.1, ROUNDING(1e-13));
    test_model_free(t);
}

static void test_refused(void) {
    problem p = problem_make(planar_arm());
    tact_ik_options options = tact_ik_options_default();
    aim(&p, 2, 1, 1, 0);
    p.target[0].angle_weight = 1;
    const tact_ik_target good = p.target[0];
    tact_real *const spoilt[] = {&p.target[0].point.y, &p.target[0].position.z, &p.target[0].orientation.w,
                                 &p.target[0].angle_weight, &p.q[1]};
    for (int k = 0; k < 10; k++) {
        p.target[0] = good;
        p.q[0] = 3;
        p.q[1] = 2;
        *spoilt[k / 2] = (tact_real)(k % 2 ? NAN : INFINITY);
        CHECK_INT(problem_solve(&p, options).status, TACT_BAD_INPUT);
        CHECK(p.q[0] == 3);
    }
    p.q[1] = 0;
    p.target[0].position.x = TACT_MAX;
    CHECK_INT(problem_solve(&p, options).status, TACT_BAD_INPUT);
    p.target[0] = good;
    tact_real *const number[] = {&options.tolerance, &options.stationary, &options.damping};
    static const char *const field[] = {"options.tolerance", "options.stationary", "options.damping"};
    for (int k = 0; k < 9; k++) {
        options = tact_ik_options_default();
        *number[k / 3] = (tact_real)(k % 3 == 0 ? NAN : k % 3 == 1 ? INFINITY : -1);
        tact_ik_result result = problem_solve(&p, options);
        CHECK_INT(result.status, TACT_BAD_INPUT);
        CHECK_TEXT(result.fault.field, field[k / 3]);
    }
    options = tact_ik_options_default();
    options.iteration_limit = -1;
    CHECK_TEXT(problem_solve(&p, options).fault.field, "options.iteration_limit");
    options = tact_ik_options_default();
    options.restarts = -1;
    CHECK_TEXT(problem_solve(&p, options).fault.field, "options.restarts");
    options = tact_ik_options_default();
    // an orientation that is none matters only where it is asked for
    p.target[0].orientation.w = 2;
    CHECK_TEXT(problem_solve(&p, options).fault.field, "target.orientation");
    p.target[0].angle_weight = 0;
    CHECK(problem_solve(&p, options).status >= 0);
    p.target[0] = good;
    p.q[0] = 3;
    p.q[1] = 0;
    options.iteration_limit = 0;
    CHECK_INT(problem_solve(&p, options).status, TACT_ITERATION_LIMIT);
    CHECK(p.q[0] == 3);
    // no targets: nothing to do
    p.ntarget = 0;
    CHECK_INT(problem_solve(&p, options).status, TACT_CONVERGED);
    test_model_free(p.t);
}

int main(void) {
    uint64_t seed = test_seed(1);
    test_step(&seed);
    test_derivatives(&seed);
    test_planar_arm();
    test_planar_corners();
    test_order();
    test_driven();
    test_mimic();
    test_refused();
    test_trees(&seed, 0, 0, 0);
    test_trees(&seed, 0.1, 0, 0);
    test_trees(&seed, 0, 0, 1);
    test_trees(&seed, 0.1, 0, 1);
    test_trees(&seed, 0, 0.5, 1);
    test_trees(&seed, 0.2, 0.5, 1);
    test_trees(&seed, 0.2, 1, 0);
    return test_end("ik");
}
