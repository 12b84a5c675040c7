// SPDX-License-Identifier: MIT
// Mass matrix and bias force of random trees against sums over bodies, the principles of mechanics, and closed forms.
#include "random_model.h"

#include <lapacke.h>
#undef I  // of complex.h

enum { NV = 120 };

typedef struct {
    test_model *t;
    const tact_model *model;
    tact_kinematics kinematics;
    tact_dynamics dynamics;
} system_of;

static system_of system_make(test_model *t) {
    system_of s = {.t = t, .model = &t->model};
    CHECK_INT(test_model_prepare(t, 1 << 16), TACT_CONVERGED);
    tact_kinematics_place(&s.kinematics, s.model, &t->arena);
    tact_dynamics_place(&s.dynamics, s.model, &t->arena);
    CHECK(tact_arena_fits(&t->arena));
    tact_kinematics_update(&s.kinematics, s.model, t->q0);
    return s;
}

// q = q0 (+) scale v, and the kinematics there
static void system_shift(system_of *s, const tact_real *v, double scale, tact_real *q) {
    tact_real d[NV];
    tact_kinematics_update(&s->kinematics, s->model, s->t->q0);
    for (int i = 0; i < s->model->nv; i++) d[i] = (tact_real)(scale * (double)v[i]);
    for (int i = 0; i < s->model->nq; i++) q[i] = s->t->q0[i];
    tact_model_integrate(s->model, &s->kinematics, d, q);
    tact_kinematics_update(&s->kinematics, s->model, q);
}

// Jacobian of the centre of mass and of the turn, (6, nv) in double
static void body_jacobian(const system_of *s, int b, double *J) {
    int nv = s->model->nv;
    tact_real Jo[6 * NV];
    tact_vec3 c = tact_mat3_apply(s->kinematics.pose[b].R, s->model->body[b].com);
    tact_body_jacobian(s->model, &s->kinematics, b, Jo);
    for (int v = 0; v < nv; v++) {
        double w[3] = {(double)Jo[v], (double)Jo[nv + v], (double)Jo[2 * nv + v]}, r[3] = {(double)c.x, (double)c.y, (double)c.z};
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            J[k * nv + v] = w[k];
            J[(3 + k) * nv + v] = (double)Jo[(3 + k) * nv + v] + w[k1] * r[k2] - w[k2] * r[k1];
        }
    }
}

// rotational inertia about the centre of mass in the world
static void world_inertia(const system_of *s, int b, double *I) {
    const tact_real *x = s->model->body[b].inertia;
    const tact_real own[3][3] = {{x[0], x[3], x[4]}, {x[3], x[1], x[5]}, {x[4], x[5], x[2]}};
    tact_mat3 R = s->kinematics.pose[b].R;
    for (int i = 0; i < 9; i++) {
        I[i] = 0;
        for (int k = 0; k < 9; k++) I[i] += (double)R.m[i / 3][k / 3] * (double)own[k / 3][k % 3] * (double)R.m[i % 3][k % 3];
    }
}

// sum over bodies of J' diag(I, m) J
static void reference_mass(const system_of *s, double *M) {
    int nv = s->model->nv;
    double J[6 * NV], I[9];
    for (int k = 0; k < nv * nv; k++) M[k] = 0;
    for (int b = 0; b < s->model->nbody; b++) {
        body_jacobian(s, b, J);
        world_inertia(s, b, I);
        for (int i = 0; i < nv * nv; i++)
            for (int k = 0; k < 9; k++) {
                double mass = k % 4 ? 0 : (double)s->model->body[b].mass;
                M[i] += J[k / 3 * nv + i / nv] * I[k] * J[k % 3 * nv + i % nv];
                M[i] += J[(3 + k / 3) * nv + i / nv] * mass * J[(3 + k % 3) * nv + i % nv];
            }
    }
}

static void test_mass(system_of *s, double *worst) {
    int nv = s->model->nv;
    static tact_real M[NV * NV];
    static double wanted[NV * NV];
    double energy = 0, sum = 0, largest = 1;
    tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M);
    reference_mass(s, wanted);
    for (int i = 0; i < nv; i++) largest = fmax(largest, wanted[i * nv + i]);
    for (int i = 0; i < nv * nv; i++) {
        *worst = fmax(*worst, fabs((double)M[i] - wanted[i]) / largest);
        CHECK(M[i] == M[i % nv * nv + i / nv]);
        energy += (double)(s->t->v0[i / nv] * M[i] * s->t->v0[i % nv]) / 2;
    }
    for (int b = 0; b < s->model->nbody; b++) {
        double J[6 * NV], I[9], w[6] = {0};
        body_jacobian(s, b, J);
        world_inertia(s, b, I);
        for (int k = 0; k < 6 * nv; k++) w[k / nv] += J[k] * (double)s->t->v0[k % nv];
        for (int k = 0; k < 9; k++) sum += w[k / 3] * I[k] * w[k % 3] / 2;
        for (int k = 3; k < 6; k++) sum += w[k] * w[k] * (double)s->model->body[b].mass / 2;
    }
    CHECK_CLOSE(energy, sum, ROUNDING(1e-13));
}

// composites of the loose bodies alone give the entries of the undriven dofs
static void test_loose(system_of *s) {
    int nv = s->model->nv;
    static tact_real M[NV * NV];
    tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M);
    for (int b = 0; b < s->model->nbody; b++) s->dynamics.composite[b].mass = -1;
    tact_composite_update(s->model, &s->kinematics, &s->dynamics, true);
    for (int b = 0; b < s->model->nbody; b++) CHECK((s->dynamics.composite[b].mass >= 0) == s->model->loose[b]);
    for (int m = 0; m < s->model->nmotion; m++) {
        int b = s->model->motion[m].body, i = s->model->motion[m].dof;
        if (s->model->dof[i].u >= 0) continue;
        for (int k = s->model->path_start[b]; k < s->model->path_start[b + 1]; k++) {
            int carrier = s->model->path[k], j = s->model->motion[carrier].dof;
            if (carrier > m) continue;
            tact_real entry = tact_composite_coupling(s->model, &s->kinematics, &s->dynamics, m, carrier);
            M[i * nv + j] -= entry;
            if (carrier != m) M[j * nv + i] -= entry;
        }
    }
    for (int i = 0; i < nv; i++)
        for (int j = 0; j < nv && s->model->dof[i].u < 0; j++)
            if (s->model->dof[j].u < 0) CHECK_CLOSE(M[i * nv + j], 0, ROUNDING(1e-13));
}

// v = J v0 of all bodies at q0 (+) scale v0
static void body_velocities(system_of *s, double scale, double *velocity) {
    int nv = s->model->nv;
    tact_real q[2 * NV];
    double J[6 * NV];
    system_shift(s, s->t->v0, scale, q);
    for (int b = 0; b < s->model->nbody; b++) {
        body_jacobian(s, b, J);
        for (int k = 0; k < 6; k++) velocity[6 * b + k] = 0;
        for (int k = 0; k < 6 * nv; k++) velocity[6 * b + k / nv] += J[k] * (double)s->t->v0[k % nv];
    }
}

// sum over bodies of J' (I dw/dt + w x I w, m dv/dt - m g), the rates at constant v0 by central differences
static void test_bias(system_of *s, tact_vec3 gravity, double *worst) {
    int nv = s->model->nv;
    double plus[6 * NV], minus[6 * NV], at[6 * NV], J[6 * NV], I[9], h = (double)DIFFERENCE_STEP, wanted[NV] = {0};
    double g[3] = {(double)gravity.x, (double)gravity.y, (double)gravity.z};
    tact_real bias[NV];
    body_velocities(s, h, plus);
    body_velocities(s, -h, minus);
    body_velocities(s, 0, at);
    for (int b = 0; b < s->model->nbody; b++) {
        double force[6], L[3] = {0}, *w = at + 6 * b, mass = (double)s->model->body[b].mass, rate[6];
        body_jacobian(s, b, J);
        world_inertia(s, b, I);
        for (int k = 0; k < 6; k++) rate[k] = (plus[6 * b + k] - minus[6 * b + k]) / (2 * h);
        for (int k = 0; k < 9; k++) L[k / 3] += I[k] * w[k % 3];
        for (int k = 0; k < 3; k++) {
            int k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            force[k] = w[k1] * L[k2] - w[k2] * L[k1];
            force[3 + k] = mass * (rate[3 + k] - g[k]);
            for (int j = 0; j < 3; j++) force[k] += I[3 * k + j] * rate[j];
        }
        for (int k = 0; k < 6 * nv; k++) wanted[k % nv] += J[k] * force[k / nv];
    }
    tact_bias_force(s->model, &s->kinematics, &s->dynamics, gravity, s->t->v0, bias);
    for (int i = 0; i < nv; i++) *worst = fmax(*worst, fabs((double)bias[i] - wanted[i]) / fmax(1, fabs(wanted[i])));
}

// at rest the bias is what carries the composites' weight
static void test_weight(system_of *s, tact_vec3 gravity) {
    tact_real bias[NV], rest[NV] = {0};
    tact_bias_force(s->model, &s->kinematics, &s->dynamics, gravity, rest, bias);
    tact_composite_update(s->model, &s->kinematics, &s->dynamics, false);
    for (int m = 0; m < s->model->nmotion; m++)
        bias[s->model->motion[m].dof] += tact_composite_weight(s->model, &s->kinematics, &s->dynamics, m, gravity);
    for (int i = 0; i < s->model->nv; i++) CHECK_CLOSE(bias[i], 0, ROUNDING(1e-13));
}

static double kinetic_energy(system_of *s, const tact_real *v) {
    static tact_real M[NV * NV];
    double sum = 0;
    int nv = s->model->nv;
    tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M);
    for (int i = 0; i < nv * nv; i++) sum += (double)v[i / nv] * (double)M[i] * (double)v[i % nv] / 2;
    return sum;
}

// without free joints v is dq/dt and Lagrange's equations hold: bias_i = sum_j (dM_ij/dt) v_j - dT/dq_i
static void test_lagrange(system_of *s, double *worst) {
    int nv = s->model->nv;
    static tact_real M[2][NV * NV];
    tact_real q[2 * NV], bias[NV], unit[NV], *v = s->t->v0;
    const tact_vec3 none = {0, 0, 0};
    double h = (double)DIFFERENCE_STEP;
    for (int side = 0; side < 2; side++) {
        system_shift(s, v, side ? h : -h, q);
        tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M[side]);
    }
    system_shift(s, v, 0, q);
    tact_bias_force(s->model, &s->kinematics, &s->dynamics, none, v, bias);
    for (int i = 0; i < nv; i++) {
        double wanted = 0;
        for (int j = 0; j < nv; j++) {
            unit[j] = i == j;
            wanted += ((double)M[1][i * nv + j] - (double)M[0][i * nv + j]) / (2 * h) * (double)v[j];
        }
        system_shift(s, unit, h, q);
        wanted -= kinetic_energy(s, v) / (2 * h);
        system_shift(s, unit, -h, q);
        wanted += kinetic_energy(s, v) / (2 * h);
        *worst = fmax(*worst, fabs((double)bias[i] - wanted) / fmax(1, fabs(wanted)));
    }
    system_shift(s, v, 0, q);
}

// acceleration M^-1 (-bias)
static void accelerate(system_of *s, tact_vec3 gravity, const tact_real *v, double *a) {
    int nv = s->model->nv;
    static tact_real M[NV * NV];
    static double A[NV * NV];
    tact_real bias[NV];
    tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M);
    tact_bias_force(s->model, &s->kinematics, &s->dynamics, gravity, v, bias);
    for (int i = 0; i < nv * nv; i++) A[i] = (double)M[i];
    for (int i = 0; i < nv; i++) a[i] = -(double)bias[i];
    CHECK_INT(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', nv, 1, A, nv, a, 1), 0);
}

// Rotors add r^2 I_r to the diagonal, of all joints that share a dof, and to the momentum M v.
static void test_armature(system_of *s) {
    int nv = s->model->nv;
    static tact_real M[2][NV * NV];
    tact_real p[2][NV];
    double more[NV] = {0};
    for (int with = 0; with < 2; with++) {
        for (int b = 0; b < s->model->nbody; b++) {
            tact_body *body = &s->t->body[b];
            if (!test_model_single(s->t, b)) continue;
            body->armature = with ? TACT_REAL(0.25) * (tact_real)(1 + b % 3) : 0;
            more[body->v] += (double)(body->ratio * body->ratio * body->armature);
        }
        CHECK(!tact_model_check(s->model).field);
        tact_mass_matrix(s->model, &s->kinematics, &s->dynamics, M[with]);
        tact_momentum_update(s->model, &s->kinematics, &s->dynamics, s->t->v0, p[with], NULL);
    }
    for (int i = 0; i < nv; i++) {
        double change = (double)p[1][i] - (double)p[0][i], wanted = more[i] * (double)s->t->v0[i];
        CHECK_CLOSE(change, wanted, ROUNDING(1e-13) * (1 + fabs((double)p[0][i])));
        for (int j = 0; j < nv; j++)
            CHECK_CLOSE((double)M[1][i * nv + j] - (double)M[0][i * nv + j], i == j ? more[i] : 0,
                        ROUNDING(1e-13) * (1 + fabs((double)M[0][i * nv + j])));
    }
}

static double potential_energy(const system_of *s, tact_vec3 gravity) {
    double sum = 0;
    for (int b = 0; b < s->model->nbody; b++) {
        tact_vec3 c = tact_pose_apply(s->kinematics.pose[b], s->model->body[b].com);
        sum -= (double)s->model->body[b].mass * (double)tact_vec3_dot(c, gravity);
    }
    return sum;
}

// A free chain thrown in gravity, midpoint rule: its energy is kept to second order in the step
static double energy_drift(int steps) {
    uint64_t seed = 3;
    test_model *t = test_model_new();
    test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    test_model_add(t, 0, TACT_JOINT_REVOLUTE, 0);
    test_model_add(t, 1, TACT_JOINT_PRISMATIC, 0);
    test_model_mimic(t, test_model_body(t, 0, TACT_JOINT_REVOLUTE), 1, -0.7, 0.2);
    test_model_add(t, 3, TACT_JOINT_FREE, 0);
    for (int b = 0; b < 5; b++) random_body(&seed, &t->body[b]);
    for (int i = 0; i < t->model.nv; i++) t->v0[i] = random_real(&seed, -1, 1);
    system_of s = system_make(t);
    const tact_vec3 gravity = {0, 0, TACT_REAL(-9.81)};
    tact_real middle[NV], q[2 * NV];
    int nv = t->model.nv;
    double a[NV], h = 0.2 / steps, before = kinetic_energy(&s, t->v0) + potential_energy(&s, gravity);
    for (int k = 0; k < steps; k++) {
        accelerate(&s, gravity, t->v0, a);
        for (int i = 0; i < nv; i++) middle[i] = (tact_real)((double)t->v0[i] + h / 2 * a[i]);
        system_shift(&s, t->v0, h / 2, q);
        accelerate(&s, gravity, middle, a);
        // with the kinematics of the middle: the frame of the carried free joint turns
        for (int i = 0; i < nv; i++) middle[i] = (tact_real)(h * (double)middle[i]);
        tact_model_integrate(s.model, &s.kinematics, middle, t->q0);
        tact_kinematics_update(&s.kinematics, s.model, t->q0);
        for (int i = 0; i < nv; i++) t->v0[i] = (tact_real)((double)t->v0[i] + h * a[i]);
    }
    double drift = kinetic_energy(&s, t->v0) + potential_energy(&s, gravity) - before;
    test_model_free(t);
    return drift;
}

static void test_energy(void) {
    double coarse = energy_drift(200), fine = energy_drift(400);
    printf("energy drift %.3g, with half the step %.3g\n", coarse, fine);
    CHECK(fabs(coarse) < 1e-4);
    // third order in one step, second over all; float rounds before that is seen
    if (sizeof(tact_real) == sizeof(double)) CHECK(fabs(coarse / fine) > 3 && fabs(coarse / fine) < 10);
}

// two point masses on massless rods in the x-z plane, angles from below
static void test_pendulum(void) {
    const double l1 = 0.7, l2 = 0.4, m1 = 2, m2 = 0.5, g = 9.81;
    test_model *t = test_model_new();
    for (int b = 0; b < 2; b++) {
        test_model_add(t, b - 1, TACT_JOINT_REVOLUTE, 0);
        t->body[b].axis = tact_vec3_make(0, -1, 0);
        t->body[b].mass = (tact_real)(b ? m2 : m1);
        t->body[b].com = tact_vec3_make(0, 0, (tact_real)(b ? -l2 : -l1));
        for (int k = 0; k < 3; k++) t->body[b].inertia[k] = 0;
    }
    t->body[1].place.p.z = (tact_real)-l1;
    t->q0[0] = TACT_REAL(0.3);
    t->q0[1] = TACT_REAL(1.1);
    t->v0[0] = TACT_REAL(1.7);
    t->v0[1] = TACT_REAL(-0.6);
    system_of s = system_make(t);
    tact_real M[4], bias[2];
    tact_mass_matrix(s.model, &s.kinematics, &s.dynamics, M);
    tact_bias_force(s.model, &s.kinematics, &s.dynamics, tact_vec3_make(0, 0, (tact_real)-g), t->v0, bias);
    double c = cos(1.1), k = m2 * l1 * l2 * sin(1.1);
    CHECK_CLOSE(M[0], m1 * l1 * l1 + m2 * (l1 * l1 + l2 * l2 + 2 * l1 * l2 * c), ROUNDING(1e-15));
    CHECK_CLOSE(M[1], m2 * (l2 * l2 + l1 * l2 * c), ROUNDING(1e-15));
    CHECK_CLOSE(M[3], m2 * l2 * l2, ROUNDING(1e-15));
    double weight = m2 * g * l2 * sin(0.3 + 1.1);
    CHECK_CLOSE(bias[0], -k * (2 * 1.7 * -0.6 + 0.36) + (m1 + m2) * g * l1 * sin(0.3) + weight, ROUNDING(1e-15));
    CHECK_CLOSE(bias[1], k * 1.7 * 1.7 + weight, ROUNDING(1e-15));
    test_model_free(t);
}

// far from the world's origin the numbers are those near it, but for the rounding of positions
static void test_far_away(void) {
    tact_real M[2][4], bias[2][2];
    for (int far = 0; far < 2; far++) {
        uint64_t seed = 9;
        test_model *t = test_model_new();
        for (int b = 0; b < 2; b++) {
            test_model_add(t, b - 1, TACT_JOINT_REVOLUTE, 0);
            random_body(&seed, &t->body[b]);
            t->v0[b] = 1;
        }
        t->body[0].place.p = tact_vec3_make((tact_real)(1000 * far), (tact_real)(-2000 * far), 0);
        system_of s = system_make(t);
        tact_mass_matrix(s.model, &s.kinematics, &s.dynamics, M[far]);
        tact_bias_force(s.model, &s.kinematics, &s.dynamics, tact_vec3_make(0, 0, -10), t->v0, bias[far]);
        test_model_free(t);
    }
    for (int i = 0; i < 4; i++) CHECK_CLOSE(M[1][i], M[0][i], 2000 * (double)TACT_EPS);
    for (int i = 0; i < 2; i++) CHECK_CLOSE(bias[1][i], bias[0][i], 2000 * (double)TACT_EPS);
}

int main(void) {
    uint64_t seed = test_seed(1);
    double worst_mass = 0, worst_bias = 0, worst_lagrange = 0;
    for (int i = 0; i < 60; i++) {
        bool scalar = i % 3 == 0;
        test_model *t = test_model_random(&seed, random_int(&seed, 1, 14), scalar ? TACT_JOINT_PLANAR : TACT_JOINT_FREE);
        system_of s = system_make(t);
        tact_vec3 gravity = random_vec3(&seed, 9);
        test_mass(&s, &worst_mass);
        test_loose(&s);
        test_bias(&s, gravity, &worst_bias);
        test_weight(&s, gravity);
        if (scalar) test_lagrange(&s, &worst_lagrange);
        test_armature(&s);
        test_model_free(t);
    }
    printf("mass matrix %.2g, bias %.2g, by Lagrange %.2g (allowed %.2g)\n", worst_mass, worst_bias, worst_lagrange,
           DIFFERENCE_ERROR);
    CHECK(worst_mass < ROUNDING(1e-14));
    CHECK(worst_bias < DIFFERENCE_ERROR);
    CHECK(worst_lagrange < DIFFERENCE_ERROR);
    test_energy();
    test_pendulum();
    test_far_away();
    return test_end("dynamics");
}
