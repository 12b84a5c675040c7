// SPDX-License-Identifier: MIT
// Derivatives of a step against central differences of the step itself.
#ifndef TACT_TEST_DERIV_CHECK_H
#define TACT_TEST_DERIV_CHECK_H

#include "deriv_exact.h"
#include "deriv_scene.h"
#include "tact/deriv.h"

// share of the bound that a difference quotient's own error may take
#define DERIV_TRUST 0.1

// a step at a scene, its derivatives, and room for other steps
typedef struct {
    deriv_scene *scene;
    const tact_model *model;
    tact_input input;
    tact_work work, other_work;
    tact_state other;
    tact_deriv_work deriv;
    tact_status status;
    tact_jacobians matrix;
    long double exact_d[EXACT_DOFS];  // displacement of the step, by dof
    int nc, n;                        // contacts; nv + 3 nc
    void *memory;
} deriv_check;

// what a step is differentiated by
typedef enum { BY_Q, BY_U, BY_PARAMETER } deriv_by;

typedef struct {
    deriv_by by;
    int index;
    tact_parameter parameter;
} deriv_variable;

static inline void deriv_check_place(deriv_check *k, tact_arena *arena) {
    const tact_model *model = k->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nc = 3 * (size_t)model->npair;
    size_t work = tact_work_size(model), state = tact_state_size(model), deriv = tact_deriv_size(model);
    void *a = tact_arena_take(arena, work, 1), *b = tact_arena_take(arena, work, 1), *c = tact_arena_take(arena, state, 1),
         *d = tact_arena_take(arena, deriv, 1);
    k->matrix.A = tact_arena_take(arena, nv * nv, sizeof(tact_real));
    k->matrix.B = tact_arena_take(arena, nv * nu, sizeof(tact_real));
    k->matrix.C = tact_arena_take(arena, nc * nv, sizeof(tact_real));
    k->matrix.D = tact_arena_take(arena, nc * nu, sizeof(tact_real));
    if (!arena->memory) return;
    CHECK_INT(tact_work_init(&k->work, model, a, work), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&k->other_work, model, b, work), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&k->other, model, c, state), TACT_CONVERGED);
    CHECK_INT(tact_deriv_init(&k->deriv, model, d, deriv), TACT_CONVERGED);
}

// Steps and linearises; status says how that went. Ends with deriv_check_end.
static inline deriv_check deriv_check_begin(deriv_scene *scene, bool frozen) {
    deriv_check k = {.scene = scene, .model = scene->model};
    tact_arena arena = {0};
    deriv_check_place(&k, &arena);
    arena.size = arena.used;
    arena.used = 0;
    arena.memory = k.memory = test_memory(arena.size);
    deriv_check_place(&k, &arena);
    k.input = (tact_input){.u = scene->u, .wrench = scene->wrench};
    tact_state_copy(&k.other, &scene->state, k.model);
    k.status = tact_step(k.model, &scene->options, &k.input, &k.other, &k.work);
    k.deriv.frozen_geometry = frozen;
    if (k.status >= 0) {
        k.status = tact_deriv_linearise(k.model, &scene->options, &k.input, &scene->state, &k.work, &k.deriv);
        if (k.status >= 0) tact_deriv_matrices(k.model, &k.work, &k.deriv, &k.matrix);
    }
    static exact_problem exact;
    if (k.status >= 0 && exact_refine(&exact, &k.work))
        for (int i = 0; i < k.model->nv; i++) k.exact_d[i] = exact.d[k.model->place[i]];
    k.nc = k.work.contacts.count;
    k.n = k.model->nv + 3 * k.nc;
    return k;
}

static inline void deriv_check_end(deriv_check *k) {
    free(k->memory);
}

// where a parameter is kept
static inline tact_real *deriv_parameter_slot(deriv_scene *s, const tact_parameter *p) {
    tact_wrench *wrench = &s->wrench[p->index];
    tact_real *const force[6] = {&wrench->force.x,  &wrench->force.y,  &wrench->force.z,
                                 &wrench->torque.x, &wrench->torque.y, &wrench->torque.z};
    switch (p->kind) {
    case TACT_PARAMETER_KAPPA: return &s->options.kappa;
    case TACT_PARAMETER_LIMIT_KAPPA: return &s->options.limit_kappa;
    case TACT_PARAMETER_EPSILON: return &s->options.epsilon;
    case TACT_PARAMETER_DT: return &s->options.dt;
    case TACT_PARAMETER_MU: return &((tact_pair *)s->model->pair)[p->index].mu;
    case TACT_PARAMETER_RADIUS: return &((tact_shape *)s->model->shape)[p->index].size[0];
    case TACT_PARAMETER_MASS: return &((tact_body *)s->model->body)[p->index].mass;
    case TACT_PARAMETER_STIFFNESS:
        for (int i = 0; i < s->model->nspring; i++)
            if (s->model->spring[i].u >= 0 && s->model->spring[i].dof[0] == p->index)
                return &((tact_spring *)s->model->spring)[i].stiffness;
        return &((tact_dof *)s->model->dof)[p->index].stiffness;
    case TACT_PARAMETER_FORCE: return force[p->component];
    // the virtual law's
    default: return NULL;
    }
}

// a b for quaternions w, x, y, z
static inline void exact_quat_multiply(const long double *a, const long double *b, long double *out) {
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

static inline void exact_exp(const long double *x, long double sign, long double *out) {
    long double angle = sqrtl(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]), f = angle > 0 ? sinl(angle / 2) / angle : 0.5L;
    out[0] = cosl(angle / 2);
    for (int i = 0; i < 3; i++) out[1 + i] = sign * f * x[i];
}

// The rotation vector of exp(d) exp(e) exp(-d0), which is small.
static inline void exact_turn(const long double *d, const long double *e, const long double *d0, long double *out) {
    long double a[4], b[4], c[4], ab[4], all[4];
    exact_exp(d, 1, a);
    exact_exp(e, 1, b);
    exact_exp(d0, -1, c);
    exact_quat_multiply(a, b, ab);
    exact_quat_multiply(ab, c, all);
    long double s = sqrtl(all[1] * all[1] + all[2] * all[2] + all[3] * all[3]), f = s > 0 ? 2 * atan2l(s, all[0]) / s : 2;
    for (int i = 0; i < 3; i++) out[i] = f * all[1 + i];
}

// What the step with one variable changed by *amount does, its problem solved to the last digit: y = (q+ relative to the step's
// own, lambda). *amount becomes what was really added. False when the step fails or other pairs are in contact.
static inline bool deriv_evaluate(deriv_check *k, const deriv_variable *by, tact_real *amount, long double *y) {
    static exact_problem exact;
    const tact_model *model = k->model;
    deriv_scene *s = k->scene;
    tact_work *work = &k->other_work;
    tact_real *slot = by->by == BY_U ? &s->u[by->index] : by->by == BY_PARAMETER ? deriv_parameter_slot(s, &by->parameter) : NULL;
    tact_real kept = slot ? *slot : 0, *dq = k->deriv.column;
    long double added[EXACT_DOFS] = {0};
    tact_state_copy(&k->other, &s->state, model);
    if (slot) {
        volatile tact_real moved = kept + *amount;
        *slot = moved;
        *amount = moved - kept;
    } else {
        int q = model->dof[by->index].q;
        for (int i = 0; i < model->nv; i++) dq[i] = i == by->index ? *amount : 0;
        tact_model_integrate(model, &k->work.kinematics, dq, k->other.q);
        if (q >= 0 && model->body[model->dof[by->index].body].joint != TACT_JOINT_FREE) *amount = k->other.q[q] - s->state.q[q];
        added[by->index] = (long double)*amount;
    }
    tact_status status = tact_step(model, &s->options, &k->input, &k->other, work);
    if (slot) *slot = kept;
    if (status < 0 || work->contacts.count != k->nc || !exact_refine(&exact, work)) return false;
    for (int i = 0; i < model->nv; i++) y[i] = added[i] + exact.d[model->place[i]] - k->exact_d[i];
    for (int b = 0; b < model->nbody; b++) {
        int v = model->body[b].v;
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        const long double d[3] = {exact.d[model->place[v]], exact.d[model->place[v + 1]], exact.d[model->place[v + 2]]};
        exact_turn(d, added + v, k->exact_d + v, y + v);
    }
    for (int c = 0; c < k->nc; c++) {
        if (work->contacts.contact[c].pair != k->work.contacts.contact[c].pair) return false;
        for (int row = 0; row < 3; row++) y[model->nv + 3 * c + row] = exact.lambda[3 * c + row];
    }
    return true;
}

static inline bool deriv_central(deriv_check *k, const deriv_variable *by, double h, double *out) {
    static long double plus[EXACT_ROWS], minus[EXACT_ROWS];
    tact_real up = (tact_real)h, down = (tact_real)-h;
    if (!deriv_evaluate(k, by, &up, plus) || !deriv_evaluate(k, by, &down, minus)) return false;
    for (int i = 0; i < k->n; i++) out[i] = (double)((plus[i] - minus[i]) / ((long double)up - (long double)down));
    return true;
}

// largest |x| or |x - y|
static inline double largest(const double *x, const double *y, int n) {
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - (y ? y[i] : 0)));
    return most;
}

// The size of a variable: what a step is differentiated by is that times a number near 1.
static inline double deriv_unit(const deriv_check *k, const deriv_variable *by) {
    if (by->by != BY_PARAMETER) return 1;
    switch (by->parameter.kind) {
    case TACT_PARAMETER_MU:
    case TACT_PARAMETER_RADIUS:
    case TACT_PARAMETER_FORCE: return 1;
    case TACT_PARAMETER_KAPPA:
    case TACT_PARAMETER_LIMIT_KAPPA:
    case TACT_PARAMETER_EPSILON:
    case TACT_PARAMETER_DT:
    case TACT_PARAMETER_MASS:
    case TACT_PARAMETER_STIFFNESS:
    default: break;
    }
    return (double)*deriv_parameter_slot(k->scene, &by->parameter);
}

// What counts as 1 in a column: its largest entry. For q+ at least 1 in A, to which the identity belongs, elsewhere a thousandth;
// for the forces at least a thousandth of the largest force.
static inline double deriv_scale(const deriv_check *k, const deriv_variable *by, const double *column, bool forces) {
    int nv = k->model->nv;
    double least = by->by == BY_Q ? 1 : 1e-3, most = 0;
    for (int i = 0; i < nv && by->by == BY_PARAMETER; i++) most = fmax(most, (double)fabsl(k->exact_d[i]));
    if (by->by == BY_PARAMETER) least *= most;
    if (!forces) return fmax(least / deriv_unit(k, by), largest(column, NULL, nv));
    most = 0;
    for (int c = 0; c < k->nc; c++) most = fmax(most, (double)k->work.contacts.contact[c].lambda[0]);
    return fmax(1e-3 * most / deriv_unit(k, by), largest(column + nv, NULL, k->n - nv));
}

// The extrapolation that its neighbours in the tableau bear out best: for q+, or for the forces.
typedef struct {
    int from, to;
    double error, scale;
    double value[EXACT_ROWS];
} deriv_best;

static inline void deriv_best_try(deriv_best *best, const double *value, const double *a, const double *b) {
    int n = best->to - best->from;
    const double *at = value + best->from;
    double error = fmax(largest(at, a + best->from, n), largest(at, b + best->from, n));
    if (!(error < best->error)) return;
    best->error = error;
    for (int i = best->from; i < best->to; i++) best->value[i] = value[i];
}

enum { DERIV_LEVELS = 12, DERIV_ORDER = 4 };

static inline bool deriv_extrapolate(deriv_check *k, const deriv_variable *by, double h, double *out) {
    static double table[2][DERIV_ORDER][EXACT_ROWS];
    static deriv_best q, force;
    int nv = k->model->nv, rows = 0;
    q = (deriv_best){.to = nv, .error = HUGE_VAL};
    force = (deriv_best){.from = nv, .to = k->n, .error = HUGE_VAL};
    for (int level = 0; level < DERIV_LEVELS; level++, h /= 2) {
        double(*now)[EXACT_ROWS] = table[level % 2], (*last)[EXACT_ROWS] = table[(level + 1) % 2];
        rows = deriv_central(k, by, h, now[0]) ? rows + 1 : 0;
        for (int m = 1; m < DERIV_ORDER && m < rows; m++) {
            for (int i = 0; i < k->n; i++) now[m][i] = now[m - 1][i] + (now[m - 1][i] - last[m - 1][i]) / ((1 << 2 * m) - 1);
            deriv_best_try(&q, now[m], now[m - 1], last[m - 1]);
            deriv_best_try(&force, now[m], now[m - 1], last[m - 1]);
        }
        if (rows < 2) continue;
        for (int i = 0; i < k->n; i++) out[i] = i < nv ? q.value[i] : force.value[i];
        bool good = q.error <= DERIV_TRUST * 1e-7 * deriv_scale(k, by, out, false);
        if (good && (k->nc == 0 || force.error <= DERIV_TRUST * 1e-5 * deriv_scale(k, by, out, true))) return true;
    }
    return false;
}

// Central differences at h, h/2, h/4 ..., extrapolated (C. J. F. Ridders, 1982), until the error that the tableau itself shows
// is well below what is to be shown: the derivative to be checked has no part in it. False when it never is.
static inline bool deriv_difference(deriv_check *k, const deriv_variable *by, double *out) {
    double unit = deriv_unit(k, by);
    return deriv_extrapolate(k, by, 1e-3 * unit, out) || deriv_extrapolate(k, by, 1e-5 * unit, out) ||
           deriv_extrapolate(k, by, 1e-2 * unit, out);
}

#endif
