// SPDX-License-Identifier: MIT
// Honest inverse kinematics: targets that are called reached are where forward kinematics, done here by matrices and the C
// library's sine and cosine, puts them; where a closest point is claimed, no small motion of a dof within its limits brings the
// targets nearer. Random trees of all joint types, mimics included. 300 problems, or as many as TACT_COUNT says.
#include "random_model.h"
#include "tact/plan.h"

enum { BODIES = 8, TARGETS = 2, NQ = 7 * BODIES };

#ifdef TACT_FLOAT
#define CLOSE 2e-4
#else
#define CLOSE 1e-12
#endif

static uint64_t seed;

// x_outer = R x + p
typedef struct {
    double R[3][3], p[3];
} place;

static place then(const place *a, const place *b) {
    place c;
    for (int i = 0; i < 3; i++) {
        c.p[i] = a->p[i];
        for (int k = 0; k < 3; k++) c.p[i] += a->R[i][k] * b->p[k];
        for (int j = 0; j < 3; j++) {
            c.R[i][j] = 0;
            for (int k = 0; k < 3; k++) c.R[i][j] += a->R[i][k] * b->R[k][j];
        }
    }
    return c;
}

// about a unit axis (Rodrigues)
static place turned(const double *n, double angle) {
    place T = {{{0}}, {0, 0, 0}};
    double s = sin(angle), c = cos(angle);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) T.R[i][j] = (i == j ? c : 0) + (1 - c) * n[i] * n[j];
    for (int i = 0; i < 3; i++) {
        T.R[(i + 1) % 3][i] += s * n[(i + 2) % 3];
        T.R[i][(i + 1) % 3] -= s * n[(i + 2) % 3];
    }
    return T;
}

static place from_quaternion(const double *q) {
    double s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), v = hypot(hypot(q[1], q[2]), q[3]);
    double n[3] = {1, 0, 0};
    for (int k = 0; k < 3 && v > 0; k++) n[k] = q[k + 1] / v;
    return turned(n, 2 * atan2(v / s, q[0] / s));
}

// of a joint at its own coordinates
static place moved(const tact_body *body, const tact_real *q) {
    const double unit[3] = {0, 0, 1}, axis[3] = {(double)body->axis.x, (double)body->axis.y, (double)body->axis.z};
    double x[7];
    for (int k = 0; k < tact_joint_coordinates(body->joint); k++)
        x[k] = (double)body->ratio * (double)q[body->q + k] + (double)body->offset;
    place T = turned(unit, 0);
    if (body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS) T = turned(axis, x[0]);
    if (body->joint == TACT_JOINT_PLANAR) T = turned(unit, x[2]);
    if (body->joint == TACT_JOINT_FREE) T = from_quaternion(x + 3);
    for (int k = 0; k < 3; k++) {
        if (body->joint == TACT_JOINT_PRISMATIC) T.p[k] = axis[k] * x[0];
        if (body->joint == TACT_JOINT_PLANAR && k < 2) T.p[k] = x[k];
        if (body->joint == TACT_JOINT_TRANSLATION || body->joint == TACT_JOINT_FREE) T.p[k] = x[k];
    }
    return T;
}

static place body_place(const tact_model *model, int b, const tact_real *q) {
    place T = turned((double[]){0, 0, 1}, 0);
    for (; b >= 0; b = model->body[b].parent) {
        const tact_pose *pose = &model->body[b].place;
        place at = {{{0}}, {(double)pose->p.x, (double)pose->p.y, (double)pose->p.z}}, move = moved(&model->body[b], q);
        for (int i = 0; i < 9; i++) at.R[i / 3][i % 3] = (double)pose->R.m[i / 3][i % 3];
        at = then(&at, &move);
        T = then(&at, &T);
    }
    return T;
}

// the error of a target, as the header says
static double error_of(const tact_model *model, const tact_ik_target *target, const tact_real *q) {
    place T = body_place(model, target->body, q);
    const double point[3] = {(double)target->point.x, (double)target->point.y, (double)target->point.z},
                 aim[3] = {(double)target->position.x, (double)target->position.y, (double)target->position.z},
                 wanted[4] = {(double)target->orientation.w, (double)target->orientation.x, (double)target->orientation.y,
                              (double)target->orientation.z};
    double far = 0, skew = 0, trace = -1;
    for (int i = 0; i < 3; i++) {
        double off = T.p[i] - aim[i];
        for (int k = 0; k < 3; k++) off += T.R[i][k] * point[k];
        far = hypot(far, off);
    }
    place W = from_quaternion(wanted);
    double D[3][3] = {{0}};
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++) D[i / 3][i % 3] += T.R[k][i / 3] * W.R[k][i % 3];
    for (int k = 0; k < 3; k++) {
        trace += D[k][k];
        skew = hypot(skew, D[(k + 1) % 3][(k + 2) % 3] - D[(k + 2) % 3][(k + 1) % 3]);
    }
    return hypot(far, (double)target->angle_weight * atan2(skew, trace));
}

typedef struct {
    test_model *t;
    tact_ik_target target[TARGETS];
    int ntarget;
} ik_case;

static double sum_of(const ik_case *c, const tact_real *q) {
    double sum = 0;
    for (int i = 0; i < c->ntarget; i++) sum += pow(error_of(&c->t->model, &c->target[i], q), 2);
    return sum;
}

// half of the targets are where random coordinates put them, the others anywhere
static ik_case make_case(void) {
    ik_case c = {.t = test_model_random(&seed, 1 + random_int(&seed, 1, BODIES - 1), TACT_JOINT_FREE)};
    const tact_model *model = &c.t->model;
    CHECK_INT(test_model_prepare(c.t, 1 << 17), TACT_CONVERGED);
    tact_real q[NQ];
    bool reachable = random_int(&seed, 0, 1);
    random_coordinates(model, &seed, q);
    c.ntarget = 1 + random_int(&seed, 0, TARGETS - 1);
    for (int i = 0; i < c.ntarget; i++) {
        tact_ik_target *target = &c.target[i];
        double p[3];
        *target = (tact_ik_target){.body = random_int(&seed, 0, model->nbody - 1), .orientation = {1, 0, 0, 0}};
        target->point = random_vec3(&seed, 0.2);
        place T = body_place(model, target->body, q);
        for (int k = 0; k < 3; k++)
            p[k] = T.p[k] + T.R[k][0] * (double)target->point.x + T.R[k][1] * (double)target->point.y +
                   T.R[k][2] * (double)target->point.z;
        target->position = tact_vec3_make((tact_real)p[0], (tact_real)p[1], (tact_real)p[2]);
        if (!reachable) target->position = random_vec3(&seed, 2);
        if (!reachable && random_int(&seed, 0, 1)) target->angle_weight = random_real(&seed, 0.05, 0.5);
    }
    return c;
}

// How much nearer, relative to the sum, a small motion of one dof within its limits brings the targets, beyond its curvature.
static double nearer(const ik_case *c, const tact_ik *ik, const tact_real *q, bool all_dofs) {
    const tact_model *model = &c->t->model;
    const double step = sizeof(tact_real) == 8 ? 1e-6 : 3e-3;
    double here = sum_of(c, q), most = 0;
    tact_kinematics kinematics = ik->trial_kinematics;
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0 && !all_dofs) continue;
        double sums[2] = {0};
        for (int side = 0; side < 2; side++) {
            tact_real d[6 * BODIES] = {0}, at[NQ];
            memcpy(at, q, sizeof(tact_real) * (size_t)model->nq);
            d[v] = (tact_real)(side ? step : -step);
            tact_kinematics_update(&kinematics, model, q);
            tact_model_integrate(model, &kinematics, d, at);
            bool out = dof->q >= 0 && (at[dof->q] < dof->lower || at[dof->q] > dof->upper);
            sums[side] = out ? HUGE_VAL : sum_of(c, at);
        }
        // the slope: where both sides are free, half of the difference
        double slope = sums[0] < HUGE_VAL && sums[1] < HUGE_VAL ? fabs(sums[1] - sums[0]) / 2 : here - fmin(sums[0], sums[1]);
        most = fmax(most, slope / step);
    }
    return most / (sqrt(here) + 1e-300);
}

int main(void) {
    seed = test_seed(8);
    int count = test_rounds(300), reached = 0, closest = 0, other = 0;
    double worst = 0, steepest = 0;
    for (int k = 0; k < count; k++) {
        ik_case c = make_case();
        tact_ik ik;
        tact_real q[NQ];
        tact_ik_options options = tact_ik_options_default();
        options.all_dofs = random_int(&seed, 0, 1);
        tact_ik_place(&ik, &c.t->model, TARGETS, &c.t->arena);
        CHECK(tact_arena_fits(&c.t->arena));
        random_coordinates(&c.t->model, &seed, q);
        tact_ik_result result = tact_ik_solve(&ik, &c.t->model, c.target, c.ntarget, options, q);
        double far = 0, size = 1;
        for (int i = 0; i < c.ntarget; i++) far = fmax(far, error_of(&c.t->model, &c.target[i], q));
        for (int i = 0; i < c.t->model.nq; i++) size = fmax(size, fabs((double)q[i]));
        CHECK(result.status != TACT_BAD_INPUT);
        CHECK(fabs(far - (double)result.error) <= CLOSE * size * (1 + far));
        reached += result.status == TACT_CONVERGED;
        closest += result.status == TACT_STATIONARY;
        other += result.status == TACT_ITERATION_LIMIT;
        if (result.status == TACT_CONVERGED) worst = fmax(worst, far / size);
        if (result.status == TACT_STATIONARY) steepest = fmax(steepest, nearer(&c, &ik, q, options.all_dofs));
        test_model_free(c.t);
    }
    printf("ik: %d reached, off by %.2g m at most; %d closest points, slope %.2g at most; %d other\n", reached, worst, closest,
           steepest, other);
    CHECK(worst <= 2 * CLOSE);
    CHECK(steepest <= (sizeof(tact_real) == 8 ? 1e-6 : 3e-2));
    CHECK(reached > count / 8 && closest > count / 8);
    return test_end("honest_ik");
}
