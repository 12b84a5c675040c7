// SPDX-License-Identifier: MIT
// The rigid law without contacts: momentum and energy of bodies and chains, against the mass matrix, difference quotients and
// the laws of mechanics.
#include "random_model.h"
#include "tact/sim.h"

typedef struct {
    test_model *t;
    const tact_model *model;
    tact_options options;
    tact_state state;
    tact_work work;
    void *memory[2];
    tact_real u[MAX_DOFS];
} run;

static void run_open(run *r, test_model *t) {
    t->model.law = &tact_law_rigid;
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    r->t = t;
    r->model = &t->model;
    r->options = tact_options_default();
    size_t size[2] = {tact_state_size(r->model), tact_work_size(r->model)};
    for (int i = 0; i < 2; i++) r->memory[i] = malloc(size[i] + 1);
    CHECK_INT(tact_state_init(&r->state, r->model, r->memory[0], size[0]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&r->work, r->model, r->memory[1], size[1]), TACT_CONVERGED);
}

static void run_close(run *r) {
    for (int i = 0; i < 2; i++) free(r->memory[i]);
    test_model_free(r->t);
}

static tact_status run_step(run *r) {
    tact_input input = {.u = r->u};
    return tact_step(r->model, &r->options, &input, &r->state, &r->work);
}

// kinetic and potential
static double run_energy(run *r) {
    tact_real p[MAX_DOFS], sum = 0;
    tact_kinematics_update(&r->work.kinematics, r->model, r->state.q);
    tact_momentum_update(r->model, &r->work.kinematics, &r->work.dynamics, r->state.v, p, NULL);
    for (int i = 0; i < r->model->nv; i++) sum += p[i] * r->state.v[i] / 2;
    return (double)(sum + tact_weight_energy(r->model, &r->work.kinematics, r->options.gravity));
}

// momentum, and angular momentum about the origin of the world, of body 0 with all that it carries
static void run_momentum(run *r, double *out) {
    tact_real p[MAX_DOFS];
    tact_kinematics_update(&r->work.kinematics, r->model, r->state.q);
    tact_momentum_update(r->model, &r->work.kinematics, &r->work.dynamics, r->state.v, p, NULL);
    const tact_vec3 *own = r->work.dynamics.force;
    tact_vec3 turn = tact_vec3_add(own[0], tact_vec3_cross(r->work.kinematics.pose[0].p, own[1]));
    const double all[6] = {(double)own[1].x, (double)own[1].y, (double)own[1].z, (double)turn.x, (double)turn.y, (double)turn.z};
    for (int k = 0; k < 6; k++) out[k] = all[k];
}

static double kinetic(run *r, const tact_real *d, double scale) {
    tact_real q[2 * MAX_DOFS], e[MAX_DOFS], p[MAX_DOFS], sum = 0;
    const tact_model *model = r->model;
    for (int i = 0; i < model->nv; i++) e[i] = (tact_real)scale * d[i];
    for (int i = 0; i < model->nq; i++) q[i] = r->t->q0[i];
    tact_kinematics_update(&r->work.kinematics, model, q);
    tact_model_integrate(model, &r->work.kinematics, e, q);
    tact_kinematics_update(&r->work.kinematics, model, q);
    tact_momentum_update(model, &r->work.kinematics, &r->work.dynamics, r->t->v0, p, NULL);
    for (int i = 0; i < model->nv; i++) sum += p[i] * r->t->v0[i] / 2;
    return (double)sum;
}

static bool has_free_child(const tact_model *model) {
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].joint == TACT_JOINT_FREE && model->body[b].parent != TACT_WORLD) return true;
    return false;
}

// p = M v, and c by differences of the kinetic energy
static void test_momentum(uint64_t *seed) {
    double worst_p = 0, worst_c = 0;
    int models = 0;
    while (models < 12) {
        test_model *t = test_model_random(seed, random_int(seed, 1, 9), TACT_JOINT_FREE);
        if (has_free_child(&t->model) || t->model.nv == 0) {
            test_model_free(t);
            continue;
        }
        static run r;
        static tact_real M[120 * 120], p[120], c[120], d[120];
        run_open(&r, t);
        int nv = r.model->nv;
        tact_kinematics_update(&r.work.kinematics, r.model, t->q0);
        tact_mass_matrix(r.model, &r.work.kinematics, &r.work.dynamics, M);
        tact_momentum_update(r.model, &r.work.kinematics, &r.work.dynamics, t->v0, p, c);
        double h = (double)DIFFERENCE_STEP;
        for (int i = 0; i < nv; i++) {
            double sum = 0;
            for (int j = 0; j < nv; j++) {
                sum += (double)(M[i * nv + j] * t->v0[j]);
                d[j] = j == i;
            }
            worst_p = fmax(worst_p, fabs(sum - (double)p[i]) / (1 + fabs(sum)));
            double slope = (kinetic(&r, d, h) - kinetic(&r, d, -h)) / (2 * h);
            worst_c = fmax(worst_c, fabs(slope - (double)c[i]) / (1 + fabs(slope)));
        }
        run_close(&r);
        models++;
    }
    CHECK_CLOSE(worst_p, 0, ROUNDING(1e-13));
    CHECK_CLOSE(worst_c, 0, 10 * DIFFERENCE_ERROR);
}

// An unequal body flies, its origin beside its centre of mass: all momenta stay, the energy swings and returns.
static void test_flight(uint64_t *seed) {
    static run r;
    test_model *t = test_model_new();
    int b = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    t->body[b].com = random_vec3(seed, 0.1);
    const double inertia[6] = {0.01, 0.02, 0.025, 0.001, -0.002, 0.0005};
    for (int k = 0; k < 6; k++) t->body[b].inertia[k] = (tact_real)inertia[k];
    for (int k = 0; k < 6; k++) t->v0[k] = random_real(seed, -3, 3);
    run_open(&r, t);
    r.options.gravity = tact_vec3_make(0, 0, 0);
    double before[6], after[6], energy = run_energy(&r), low = energy, high = energy;
    run_momentum(&r, before);
    for (int k = 0; k < 20000; k++) {
        CHECK_INT(run_step(&r), TACT_CONVERGED);
        double now = run_energy(&r);
        low = fmin(low, now);
        high = fmax(high, now);
    }
    run_momentum(&r, after);
    for (int k = 0; k < 6; k++) CHECK_CLOSE(after[k], before[k], ROUNDING(1e-11));
    printf("flight: energy %g, from %g to %g\n", energy, low, high);
    CHECK(high - low < 0.05 * energy);
    run_close(&r);
}

// a chain of links with their centres of mass beside the axes
static test_model *make_chain(int links) {
    test_model *t = test_model_new();
    for (int i = 0; i < links; i++) {
        int b = test_model_add(t, i > 0 ? i - 1 : TACT_WORLD, TACT_JOINT_CONTINUOUS, 0);
        t->body[b].axis = tact_vec3_make(0, 1, 0);
        if (i > 0) t->body[b].place.p = tact_vec3_make(0, 0, TACT_REAL(-0.5));
        t->body[b].com = tact_vec3_make(0, 0, TACT_REAL(-0.25));
        t->body[b].inertia[0] = t->body[b].inertia[1] = TACT_REAL(0.02);
        t->q0[b] = TACT_REAL(0.6) - TACT_REAL(0.3) * (tact_real)i;
    }
    return t;
}

// mean energies of the first and of the last tenth of a long swing agree
static void test_swing(int links, double dt, long steps) {
    static run r;
    run_open(&r, make_chain(links));
    r.options.dt = (tact_real)dt;
    double first = 0, last = 0, low = 1e9, high = -1e9, depth = 0;
    for (int i = 0; i < links; i++) depth -= 9.81 * (0.25 + 0.5 * i);
    for (long k = 0; k < steps; k++) {
        if (run_step(&r) != TACT_CONVERGED) CHECK(false);
        double now = run_energy(&r) - depth;
        low = fmin(low, now);
        high = fmax(high, now);
        if (k < steps / 10) first += now / (double)(steps / 10);
        if (k >= steps - steps / 10) last += now / (double)(steps / 10);
    }
    printf("swing of %d: energy above rest %g to %g, mean of the first tenth %g, of the last %g\n", links, low, high, first,
           last);
    CHECK(high - low < 0.3 * high);
    CHECK_CLOSE(last / first, 1, 0.01);
    run_close(&r);
}

// momenta, and angular momenta about the origin, of free balls
static void sum_momenta(run *r, double *sum) {
    tact_kinematics_update(&r->work.kinematics, r->model, r->state.q);
    for (int j = 0; j < 6; j++) sum[j] = 0;
    for (int b = 0; b < r->model->nbody; b++) {
        const tact_body *body = &r->model->body[b];
        const tact_real *v = r->state.v + body->v;
        tact_vec3 P = tact_vec3_scale(body->mass, tact_vec3_make(v[3], v[4], v[5]));
        tact_vec3 L = tact_vec3_scale(body->inertia[0], tact_vec3_make(v[0], v[1], v[2]));
        L = tact_vec3_add(L, tact_vec3_cross(r->work.kinematics.pose[b].p, P));
        const double all[6] = {(double)P.x, (double)P.y, (double)P.z, (double)L.x, (double)L.y, (double)L.z};
        for (int j = 0; j < 6; j++) sum[j] += all[j];
    }
}

// Bodies thrown at each other, with random friction and restitution: the sum of all momenta stays, and no step has more kinetic
// energy than the one before.
static void test_impacts(uint64_t *seed) {
    static run r;
    test_model *t = test_model_new();
    enum { SIDE = 2, BODIES = SIDE * SIDE * SIDE };
    for (int b = 0; b < BODIES; b++) {
        test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
        const int place[3] = {b % SIDE, b / SIDE % SIDE, b / SIDE / SIDE};
        t->shape[b + 1].size[0] = TACT_REAL(0.1);
        t->body[b].mass = random_real(seed, 0.1, 10);
        for (int k = 0; k < 3; k++) {
            t->body[b].inertia[k] = t->body[b].mass * TACT_REAL(0.004);
            t->q0[t->body[b].q + k] = TACT_REAL(0.4) * (tact_real)place[k] + random_real(seed, -0.05, 0.05);
            t->v0[t->body[b].v + k] = random_real(seed, -10, 10);
            t->v0[t->body[b].v + 3 + k] = (tact_real)(1 - 2 * place[k]) + random_real(seed, -0.5, 0.5);
        }
        for (int a = 0; a < b; a++) test_model_pair(t, a, b);
    }
    for (int i = 0; i < t->model.npair; i++) {
        t->pair[i].mu = random_real(seed, 0, 1.2);
        t->pair[i].restitution = random_int(seed, 0, 3) ? random_real(seed, 0, 1) : 1;
    }
    run_open(&r, t);
    r.options.gravity = tact_vec3_make(0, 0, 0);
    r.options.level = TACT_LEVEL_VELOCITY;
    double before[6] = {0}, after[6], energy = run_energy(&r), start = energy, gained = 0;
    int touched = 0;
    for (int k = 0; k <= 60; k++) {
        sum_momenta(&r, after);
        for (int j = 0; j < 6; j++) {
            if (k == 0) before[j] = after[j];
            CHECK_CLOSE(after[j], before[j], ROUNDING(1e-11));
        }
        double now = run_energy(&r);
        gained = fmax(gained, now - energy);
        energy = now;
        CHECK(run_step(&r) >= 0);
        for (int c = 0; c < r.work.contacts.count; c++) touched += r.work.contacts.contact[c].lambda[0] > 0;
    }
    printf("impacts: %d, energy %g to %g, gained in one step %.2g\n", touched, start, energy, gained);
    CHECK(touched > 5);
    CHECK(energy < 0.9 * start);
    CHECK_CLOSE(gained / start, 0, ROUNDING(1e-12));
    run_close(&r);
}

// a free joint on a body that moves is not there: the step says so, whoever made the model
static void test_free_child(void) {
    run r;
    test_model *t = test_model_new();
    test_model_add(t, test_model_add(t, TACT_WORLD, TACT_JOINT_CONTINUOUS, 0), TACT_JOINT_FREE, 0);
    run_open(&r, t);
    CHECK_INT(run_step(&r), TACT_BAD_INPUT);
    CHECK_TEXT(r.work.fault.field, "body.joint");
    CHECK_INT(r.work.fault.index, 1);
    run_close(&r);
}

int main(void) {
    uint64_t seed = test_seed(41);
    test_momentum(&seed);
    test_flight(&seed);
    test_free_child();
    for (int k = 0; k < 20; k++) test_impacts(&seed);
    test_swing(1, 0.01, 20000);
    test_swing(3, 0.01, 100000);
    return test_end("rigid");
}
