// SPDX-License-Identifier: MIT
// Honest steps: what a step of the rigid and of the virtual law calls converged satisfies the equations of the law, computed here
// from positions, velocities and forces alone, in plain loops of double precision. Rigid: balls among themselves and on a floor,
// momentum, cones and complementarity of every pair, in contact or not (honest.h). Virtual: discs on a floor, the force of every
// pair by its formula at the end of the step. 10,000 random steps of each, or as many as TACT_COUNT says.
#include "honest.h"
#include "random_model.h"
#include "tact/sim.h"

enum { BALLS = 4, PAIRS = BALLS * (BALLS + 1) / 2 };

#ifdef TACT_FLOAT
#define CLOSE 2e-3
#else
#define CLOSE 1e-8
#endif

static uint64_t seed;
static unsigned char memory[2][1 << 19];
static tact_state state;
static tact_work work;

static double any(double low, double high) {
    return test_random(&seed, low, high);
}

static void start(test_model *t) {
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&state, &t->model, memory[0], sizeof memory[0]), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, &t->model, memory[1], sizeof memory[1]), TACT_CONVERGED);
}

typedef struct {
    int steps, converged, touching, infeasible;
    double worst;
} step_tally;

static void print(const char *name, const step_tally *t) {
    printf("%s: %d steps, %d converged, %d of them with forces, off by %.2g at most\n", name, t->steps, t->converged, t->touching,
           t->worst);
    CHECK(t->worst <= CLOSE);
    CHECK(t->converged > t->steps / 2 && t->touching > t->steps / 4);
}

// rigid

// balls that do not overlap, near each other and the floor z = 0; a pair of each two
static test_model *make_balls(int count) {
    test_model *t = test_model_new();
    t->model.law = &tact_law_rigid;
    for (int b = 0; b < count; b++) {
        test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, 0);
        double radius = any(0.02, 0.1);
        t->body[b].mass = (tact_real)exp(any(-3, 3));
        t->shape[b + 1].size[0] = (tact_real)radius;
        for (int tries = 0, clear = 0; !clear && tries < 1000; tries++) {
            double wide = 0.1 + 0.001 * tries, p[3] = {any(-wide, wide), any(-wide, wide), radius + any(0, wide)};
            if (any(0, 1) < 0.3) p[2] = radius;
            for (int k = 0; k < 3; k++) t->q0[3 * b + k] = (tact_real)p[k];
            clear = (double)t->q0[3 * b + 2] >= (double)t->shape[b + 1].size[0];
            for (int a = 0; a < b; a++) {
                double far = 0, reach = (double)t->shape[a + 1].size[0] + radius;
                for (int k = 0; k < 3; k++) far = hypot(far, (double)(t->q0[3 * a + k] - t->q0[3 * b + k]));
                clear = clear && far >= reach * (1 + 1e-6);
            }
        }
        for (int k = 0; k < 3; k++) t->v0[3 * b + k] = (tact_real)any(-2, 2);
        for (int a = TACT_WORLD; a < b; a++) {
            test_model_pair(t, a, b);
            t->pair[t->model.npair - 1].mu = (tact_real)(any(0, 1) < 0.2 ? 0 : any(0, 1));
        }
    }
    return t;
}

// gap and orthonormal rows of a pair where the step began
static double face(const test_model *t, const tact_real *q, int a, int b, double frame[3][3]) {
    double *n = frame[0], length = 0, gap;
    for (int k = 0; k < 3; k++) n[k] = a < 0 ? k == 2 : (double)(q[3 * b + k] - q[3 * a + k]);
    length = hypot(hypot(n[0], n[1]), n[2]);
    gap = a < 0 ? (double)q[3 * b + 2] - (double)t->shape[b + 1].size[0]
                : length - (double)t->shape[a + 1].size[0] - (double)t->shape[b + 1].size[0];
    for (int k = 0; k < 3; k++) n[k] /= length;
    int least = fabs(n[0]) < fabs(n[1]) ? (fabs(n[0]) < fabs(n[2]) ? 0 : 2) : fabs(n[1]) < fabs(n[2]) ? 1 : 2;
    for (int k = 0; k < 3; k++) frame[1][k] = (k == least) - n[least] * n[k];
    length = hypot(hypot(frame[1][0], frame[1][1]), frame[1][2]);
    for (int k = 0; k < 3; k++) frame[1][k] /= length;
    for (int k = 0; k < 3; k++) frame[2][k] = n[(k + 1) % 3] * frame[1][(k + 2) % 3] - n[(k + 2) % 3] * frame[1][(k + 1) % 3];
    return gap;
}

// rows of all pairs, impulses of those in contact
static tact_real W[9 * PAIRS * PAIRS], drift[3 * PAIRS], impulse[3 * PAIRS], mu[PAIRS];

// W = J M^-1 J' and u without impulses, with v* = v + h g
static void state_problem(const test_model *t, const tact_real *q, const tact_real *v, double h, const double *g) {
    int npair = t->model.npair, rows = 3 * npair;
    static double J[3 * PAIRS][3 * BALLS];
    memset(J, 0, sizeof J);
    for (int p = 0; p < npair; p++) {
        int a = t->pair[p].a - 1, b = t->pair[p].b - 1;
        double frame[3][3], gap = face(t, q, a, b, frame);
        mu[p] = t->pair[p].mu;
        for (int r = 0; r < 3; r++) {
            double sum = r == 0 ? gap / h : 0, force = 0;
            for (int k = 0; k < 3; k++) {
                J[3 * p + r][3 * b + k] = frame[r][k];
                if (a >= 0) J[3 * p + r][3 * a + k] = -frame[r][k];
            }
            for (int i = 0; i < t->model.nv; i++) sum += J[3 * p + r][i] * ((double)v[i] + h * g[i % 3]);
            drift[3 * p + r] = (tact_real)sum;
            for (int c = 0; c < work.contacts.count; c++) {
                const tact_contact *contact = &work.contacts.contact[c];
                if (contact->pair != p) continue;
                force = frame[r][0] * (double)contact->force.x + frame[r][1] * (double)contact->force.y +
                        frame[r][2] * (double)contact->force.z;
            }
            impulse[3 * p + r] = (tact_real)(h * force);
        }
    }
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            double sum = 0;
            for (int k = 0; k < t->model.nv; k++) sum += J[i][k] * J[j][k] / (double)t->body[k / 3].mass;
            W[i * rows + j] = (tact_real)sum;
        }
}

// what momentum the forces do not explain, over what there is of it
static double momentum_off(const test_model *t, const tact_real *before, double h, const double *g) {
    double off[3 * BALLS], worst = 0, size = 1e-300;
    for (int i = 0; i < t->model.nv; i++) {
        double m = (double)t->body[i / 3].mass;
        off[i] = m * ((double)state.v[i] - (double)before[i] - h * g[i % 3]);
        size = honest_max(size, m * (fabs((double)state.v[i]) + fabs((double)before[i]) + h * fabs(g[i % 3])));
    }
    for (int c = 0; c < work.contacts.count; c++) {
        const tact_contact *contact = &work.contacts.contact[c];
        const tact_pair *pair = &t->pair[contact->pair];
        double f[3] = {(double)contact->force.x, (double)contact->force.y, (double)contact->force.z};
        for (int k = 0; k < 3; k++) {
            off[3 * (pair->b - 1) + k] -= h * f[k];
            if (pair->a > 0) off[3 * (pair->a - 1) + k] += h * f[k];
        }
    }
    for (int i = 0; i < t->model.nv; i++) worst = honest_max(worst, fabs(off[i]) / size);
    return worst;
}

static void step_rigid(step_tally *tally, tact_level level) {
    test_model *t = make_balls(1 + random_int(&seed, 0, BALLS - 1));
    const double g[3] = {0, 0, -10};
    tact_options options = tact_options_default();
    double h = exp(any(-8, -3));
    options.dt = (tact_real)h;
    h = (double)options.dt;
    options.gravity = tact_vec3_make(0, 0, -10);
    options.cone = TACT_CONE_EXACT;
    options.level = level;
    start(t);
    // the second step begins where contacts rest
    for (int k = 0; k < 2; k++) {
        tact_real q[3 * BALLS], v[3 * BALLS], most = 0;
        tact_input input = {0};
        memcpy(q, state.q, sizeof(tact_real) * (size_t)t->model.nq);
        memcpy(v, state.v, sizeof(tact_real) * (size_t)t->model.nv);
        tact_status status = tact_step(&t->model, &options, &input, &state, &work);
        tally->steps++;
        if (status != TACT_CONVERGED) break;
        state_problem(t, q, v, h, g);
        tact_friction_problem problem = {.nc = t->model.npair, .W = W, .q = drift, .mu = mu};
        for (int i = 0; i < 3 * t->model.npair; i++) most = most > impulse[i] ? most : impulse[i];
        double off = honest_max(honest_friction(&problem, impulse), momentum_off(t, v, h, g));
        for (int b = 0; b < t->model.nv; b++)
            off = honest_max(off, fabs((double)state.q[b] - (double)q[b] - h * (double)state.v[b]));
        // gaps that the step's rounding closed are overlaps for the next, which are moved apart without a velocity
        bool overlap = false;
        for (int p = 0; p < t->model.npair; p++) {
            double frame[3][3];
            overlap = overlap || face(t, q, t->pair[p].a - 1, t->pair[p].b - 1, frame) < 0;
        }
        if (overlap) break;
        tally->converged++;
        tally->touching += most > 0;
        if (!(off <= CLOSE)) printf("    rigid step %d: off by %g\n", tally->steps, off);
        tally->worst = honest_max(tally->worst, off);
    }
    test_model_free(t);
}

// virtual: discs in the x-y plane, on the half-plane y <= 0

static double soften(tact_penalty penalty, double d, double a) {
    double z = d / a;
    switch (penalty) {
    case TACT_PENALTY_EXP: return d >= 0 ? d + a : a * exp(z);
    case TACT_PENALTY_SOFTPLUS: return d > 0 ? d + a * log1p(exp(-z)) : a * log1p(exp(z));
    case TACT_PENALTY_ALGEBRAIC: return d > 0 ? (d + sqrt(d * d + 4 * a * a)) / 2 : 2 * a * a / (sqrt(d * d + 4 * a * a) - d);
    case TACT_PENALTY_QUADRATIC: return d < 0 ? 0 : d > a ? d - a / 2 : d * d / (2 * a);
    }
    return 0;
}

// adds the force of a pair to Q and its magnitudes to size; true when it is one to speak of
static bool push(const test_model *t, const tact_options *o, int pair, const double *q, const double *v, double *Q,
                 double *size) {
    int a = t->pair[pair].a - 1, b = t->pair[pair].b - 1;
    double Rb = (double)t->shape[b + 1].size[0], Ra = a < 0 ? 0 : (double)t->shape[a + 1].size[0], x[2], vr[2] = {0, 0};
    double n[2] = {a < 0 ? 0 : q[3 * b] - q[3 * a], a < 0 ? 1 : q[3 * b + 1] - q[3 * a + 1]}, far = hypot(n[0], n[1]);
    double d = a < 0 ? Rb - q[3 * b + 1] : Ra + Rb - far;
    for (int k = 0; k < 2; k++) n[k] /= far;
    for (int k = 0; k < 2; k++) x[k] = q[3 * b + k] - n[k] * (Rb - d / 2);
    for (int side = 0; side < 2; side++) {
        int i = side ? b : a, sign = side ? -1 : 1;
        if (i < 0) continue;
        vr[0] += sign * (v[3 * i] - v[3 * i + 2] * (x[1] - q[3 * i + 1]));
        vr[1] += sign * (v[3 * i + 1] + v[3 * i + 2] * (x[0] - q[3 * i]));
    }
    double ddot = n[0] * vr[0] + n[1] * vr[1], vt = -n[1] * vr[0] + n[0] * vr[1], m = (double)t->pair[pair].mu;
    double rate = (double)o->kn + (double)o->kd * ddot,
           fn = soften(o->penalty, d, (double)o->temperature) * (rate > 0 ? rate : 0);
    double s = (double)o->kt * vt, limit = m * fn, F = 0;
    if (o->friction == TACT_FRICTION_CLAMP) F = fmax(-limit, fmin(limit, s));
    if (o->friction == TACT_FRICTION_TANH && limit > 0) F = limit * tanh(s / limit);
    double f[2] = {-fn * n[0] + F * n[1], -fn * n[1] - F * n[0]};
    for (int side = 0; side < 2; side++) {
        int i = side ? b : a, sign = side ? -1 : 1;
        if (i < 0) continue;
        double arm[2] = {x[0] - q[3 * i], x[1] - q[3 * i + 1]};
        double row[3] = {sign * f[0], sign * f[1], sign * (arm[0] * f[1] - arm[1] * f[0])};
        for (int k = 0; k < 3; k++) {
            Q[3 * i + k] += row[k];
            size[3 * i + k] += (fn + fabs(F)) * (k < 2 ? 1 : hypot(arm[0], arm[1]));
        }
    }
    return fn > 1e-3;
}

// M (q+ - q - h v) - h^2 Q(q+, v+), over the magnitudes of its terms and the rounding of what moves
static double virtual_off(const test_model *t, const tact_options *o, const tact_real *q0, const tact_real *v0, bool *touches) {
    double Q[3 * BALLS] = {0}, size[3 * BALLS] = {0}, q[3 * BALLS], v[3 * BALLS], h = (double)o->dt, worst = 0;
    for (int i = 0; i < t->model.nv; i++) {
        q[i] = (double)state.q[i];
        v[i] = (q[i] - (double)q0[i]) / h;
    }
    *touches = false;
    for (int p = 0; p < t->model.npair; p++) *touches = push(t, o, p, q, v, Q, size) || *touches;
    for (int i = 0; i < t->model.nv; i++) {
        bool turns = i % 3 == 2;
        double M = (double)(turns ? t->body[i / 3].inertia[2] : t->body[i / 3].mass), weight = i % 3 == 1 ? -10 * M : 0;
        double way = q[i] - (double)q0[i] - h * (double)v0[i], r = M * way - h * h * (Q[i] + weight);
        double terms = M * (fabs(way) + h * fabs((double)v0[i])) + h * h * (size[i] + fabs(weight));
        // velocities that contacts resist are differences of coordinates
        double stiff = M + h * h * (double)o->kn + h * ((double)o->kt + (double)o->kd);
        double rounding = 64 * (double)TACT_EPS * (1 + fabs(q[i])) * stiff;
        worst = honest_max(worst, honest_max(fabs(r) - rounding, 0) / terms);
        worst = honest_max(worst, fabs((double)state.v[i] - v[i]) / (1 + fabs(v[i]) + 1e-2 / CLOSE * (double)TACT_EPS / h));
    }
    return worst;
}

static test_model *make_discs(int count) {
    test_model *t = test_model_new();
    t->model.law = &tact_law_virtual;
    t->model.planar = true;
    t->shape[0].type = TACT_SHAPE_HALFPLANE;
    for (int b = 0; b < count; b++) {
        test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0);
        t->shape[b + 1].type = TACT_SHAPE_CIRCLE;
        t->shape[b + 1].size[0] = (tact_real)any(0.05, 0.2);
        t->body[b].mass = (tact_real)exp(any(-1, 1));
        t->body[b].inertia[0] = t->body[b].inertia[1] = t->body[b].inertia[2] = (tact_real)exp(any(-5, -2));
        t->q0[3 * b] = (tact_real)(0.3 * b + any(-0.05, 0.05));
        t->q0[3 * b + 1] = (tact_real)any(0.05, 0.25);
        t->q0[3 * b + 2] = (tact_real)any(-3, 3);
        for (int k = 0; k < 3; k++) t->v0[3 * b + k] = (tact_real)any(-2, 2);
        for (int a = TACT_WORLD; a < b; a++) {
            test_model_pair(t, a, b);
            t->pair[t->model.npair - 1].mu = (tact_real)any(0, 1);
        }
    }
    return t;
}

static void step_virtual(step_tally *tally) {
    test_model *t = make_discs(1 + random_int(&seed, 0, BALLS - 1));
    tact_options options = tact_options_default();
    tact_input input = {0};
    options.dt = (tact_real)exp(any(-7, -4));
    options.gravity = tact_vec3_make(0, -10, 0);
    options.integrator = TACT_INTEGRATOR_BDF1;
    options.manifold = TACT_MANIFOLD_CLOSEST;
    options.damping = TACT_DAMPING_PRODUCT;
    options.penalty = (tact_penalty)random_int(&seed, 0, 3);
    options.friction = (tact_friction)random_int(&seed, 0, 2);
    options.temperature = (tact_real)exp(any(-8, -4));
    options.kn = (tact_real)exp(any(5, 8));
    options.kd = (tact_real)any(0, 10);
    options.kt = (tact_real)any(0, 20);
    start(t);
    for (int k = 0; k < 3; k++) {
        tact_real q[3 * BALLS], v[3 * BALLS];
        bool touches = false;
        memcpy(q, state.q, sizeof(tact_real) * (size_t)t->model.nq);
        memcpy(v, state.v, sizeof(tact_real) * (size_t)t->model.nv);
        tact_status status = tact_step(&t->model, &options, &input, &state, &work);
        tally->steps++;
        if (status != TACT_CONVERGED) continue;
        double off = virtual_off(t, &options, q, v, &touches);
        tally->converged++;
        tally->touching += touches;
        if (!(off <= CLOSE)) printf("    virtual step %d: off by %g\n", tally->steps, off);
        tally->worst = honest_max(tally->worst, off);
    }
    test_model_free(t);
}

int main(void) {
    seed = test_seed(3);
    int count = test_rounds(10000);
    step_tally position = {0}, velocity = {0}, soft = {0};
    for (int k = 0; k < count; k += 2) step_rigid(&position, TACT_LEVEL_POSITION);
    for (int k = 0; k < count; k += 2) step_rigid(&velocity, TACT_LEVEL_VELOCITY);
    for (int k = 0; k < count; k += 3) step_virtual(&soft);
    print("rigid, position level", &position);
    print("rigid, velocity level", &velocity);
    print("virtual", &soft);
    return test_end("honest_steps");
}
