// SPDX-License-Identifier: MIT
#include "tact/fit.h"

#include <math.h>
#include <string.h>

#include "deriv/record.h"
#include "tact/memory.h"

// the damping in units of the diagonal: of the first step, and beyond which nothing can be gained
#define DAMPING_FIRST 1e-3
#define DAMPING_LEAST 1e-14
#define DAMPING_MOST 1e8
// what is left of a parameter's column when the others explain the rest: below, it is not determined
#define PIVOT_LEAST 1e-12
// converged when no parameter would change by more, relative
#define CHANGE_LEAST (sqrt((double)TACT_EPS) / 10)

// Memory of a fit; an arena without memory measures.
static void place_fit(void *context, tact_arena *arena) {
    tact_fit *fit = context;
    const tact_model *model = &fit->model;
    size_t state = tact_state_size(model), nv = (size_t)model->nv;
    // Copies of what is fitted, then room for one step and its derivatives.
    fit->body = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_body));
    fit->pair = tact_arena_take(arena, (size_t)model->npair, sizeof(tact_pair));
    fit->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    fit->residual = tact_arena_take(arena, nv, sizeof(tact_real));
    fit->column = tact_arena_take(arena, nv * (TACT_FIT_MOST + 1), sizeof(tact_real));
    tact_kinematics_place(&fit->kinematics, model, arena);
    void *before = tact_arena_take(arena, state, 1), *after = tact_arena_take(arena, state, 1);
    tact_linear_place(&fit->linear, model, arena);
    fit->work_size = tact_work_size(model);
    fit->work_memory = tact_arena_take(arena, fit->work_size, 1);
    if (!arena->memory) return;
    tact_state_init(&fit->before, model, before, state);
    tact_state_init(&fit->after, model, after, state);
    tact_work_init(&fit->work, model, fit->work_memory, fit->work_size);
}

// contacts of the same two shapes have one friction
static bool is_same_pair(const tact_pair *a, const tact_pair *b) {
    return a->a == b->a && a->b == b->b;
}

static void set_values(tact_fit *fit, const double *value) {
    for (int i = 0; i < fit->count; i++) {
        int index = fit->parameter[i].index;
        if (fit->parameter[i].kind == TACT_PARAMETER_MASS)
            fit->body[index].mass = (tact_real)value[i];
        else
            for (int k = 0; k < fit->model.npair; k++)
                if (is_same_pair(&fit->pair[k], &fit->pair[index])) fit->pair[k].mu = (tact_real)value[i];
    }
    if (fit->model.law->prepared) tact_work_init(&fit->work, &fit->model, fit->work_memory, fit->work_size);
}

bool tact_fit_make(tact_fit *fit, const tact_scene *scene, const tact_parameter *parameter, int count) {
    TACT_ASSERT(fit && scene && parameter && count >= 1 && count <= TACT_FIT_MOST);
    *fit = (tact_fit){.scene = scene, .model = scene->model, .count = count};
    fit->memory = tact_memory_place(place_fit, fit);
    if (!fit->memory) return false;
    // The model's own bodies and pairs stay as they are.
    for (int i = 0; i < scene->model.nbody; i++) fit->body[i] = scene->model.body[i];
    for (int i = 0; i < scene->model.npair; i++) fit->pair[i] = scene->model.pair[i];
    fit->model.body = fit->body;
    fit->model.pair = fit->pair;
    for (int i = 0; i < count; i++) {
        fit->parameter[i] = parameter[i];
        // Masses or frictions, from their values in the scene.
        bool mass = parameter[i].kind == TACT_PARAMETER_MASS;
        fit->value[i] = (double)(mass ? fit->body[parameter[i].index].mass : fit->pair[parameter[i].index].mu);
    }
    return true;
}

void tact_fit_free(tact_fit *fit) {
    tact_memory_release(fit->memory);
    tact_memory_release(fit->record);
    *fit = (tact_fit){0};
}

static size_t record_size(const tact_model *model) {
    return 2 + 3 * (size_t)model->nq + 2 * (size_t)model->nv + (size_t)model->nu + 9 * (size_t)model->npair;
}

static bool reserve(tact_fit *fit, size_t more) {
    if (fit->size + more <= fit->room) return true;
    size_t room = 2 * fit->room + 64 * more;
    if (room > SIZE_MAX / sizeof(tact_real)) return false;
    tact_real *larger = tact_memory_get(room * sizeof(tact_real));
    if (!larger) return false;
    if (fit->size > 0) memcpy(larger, fit->record, fit->size * sizeof(tact_real));
    tact_memory_release(fit->record);
    fit->record = larger;
    fit->room = room;
    return true;
}

static tact_real *put(tact_real *to, const tact_real *from, int count) {
    for (int i = 0; i < count; i++) *to++ = from[i];
    return to;
}

static tact_real *put_vectors(tact_real *to, const tact_vec3 *from, int count) {
    for (int i = 0; i < count; i++, to += 3) {
        to[0] = from[i].x;
        to[1] = from[i].y;
        to[2] = from[i].z;
    }
    return to;
}

bool tact_fit_add(tact_fit *fit, const tact_state *before, const tact_real *u, const tact_real *q_next) {
    TACT_ASSERT(fit && before && q_next);
    const tact_model *model = &fit->model;
    size_t size = record_size(model);
    if (!reserve(fit, size)) return false;
    tact_real *to = fit->record + fit->size;
    // State, command and the next coordinates, one behind the other; evaluate() reads them in this order.
    *to++ = before->time;
    *to++ = before->past;
    to = put(to, before->q, model->nq);
    to = put(to, before->v, model->nv);
    to = put(to, before->past ? before->q_past : before->q, model->nq);
    to = put(to, before->past ? before->v_past : before->v, model->nv);
    to = put(to, before->lambda, 3 * model->npair);
    to = put_vectors(to, before->anchor, model->npair);
    to = put_vectors(to, before->normal, model->npair);
    to = put(to, u, model->nu);
    put(to, q_next, model->nq);
    fit->size += size;
    fit->steps++;
    return true;
}

static const tact_real *take(const tact_real *from, tact_real *to, int count) {
    for (int i = 0; i < count; i++) to[i] = *from++;
    return from;
}

// The sums of |r|^2 and, unless A is NULL, of J'J and J'r.
typedef struct {
    double cost;
    double A[TACT_FIT_MOST][TACT_FIT_MOST], b[TACT_FIT_MOST];
} normal_equations;

static void add_columns(tact_fit *fit, const double *value, normal_equations *sums) {
    const tact_model *model = &fit->model;
    for (int i = 0; i < fit->count; i++) {
        tact_real *column = fit->column + (size_t)i * (size_t)model->nv;
        // dq+/dp by one parameter; friction is that of every contact of the two shapes
        tact_parameter parameter = fit->parameter[i];
        tact_real *extra = fit->column + (size_t)TACT_FIT_MOST * (size_t)model->nv;
        tact_linear_push(&fit->linear, &(tact_step_change){.parameter = &parameter}, &(tact_step_effect){.q = column});
        for (int k = parameter.index + 1; parameter.kind == TACT_PARAMETER_MU && k < model->npair; k++) {
            if (!is_same_pair(&fit->pair[k], &fit->pair[fit->parameter[i].index])) continue;
            parameter.index = k;
            tact_linear_push(&fit->linear, &(tact_step_change){.parameter = &parameter}, &(tact_step_effect){.q = extra});
            for (int v = 0; v < model->nv; v++) column[v] += extra[v];
        }
        // dq+/dlog p = p dq+/dp, then J'r and J'J
        for (int k = 0; k < model->nv; k++) {
            column[k] *= (tact_real)value[i];
            sums->b[i] += (double)column[k] * (double)fit->residual[k];
        }
        for (int j = 0; j <= i; j++) {
            const tact_real *other = fit->column + (size_t)j * (size_t)model->nv;
            for (int k = 0; k < model->nv; k++) sums->A[i][j] += (double)column[k] * (double)other[k];
        }
    }
}

// Predicts all steps. On a negative status *failed is the step.
static tact_status evaluate(tact_fit *fit, const double *value, normal_equations *sums, int *failed) {
    const tact_model *model = &fit->model;
    *sums = (normal_equations){0};
    set_values(fit, value);
    for (*failed = 0; *failed < fit->steps; ++*failed) {
        tact_input input = {0};
        const tact_real *q_next = NULL;
        // The state of the record into before and after, and where its command and its next coordinates stand.
        int at = *failed;
        const tact_real *from = fit->record + (size_t)at * record_size(model);
        tact_state *state = &fit->before;
        // a law without velocities does not look at them
        bool moves = model->law->velocities;
        state->time = *from++;
        state->past = *from++ != 0;
        from = take(from, state->q, model->nq);
        from = take(from, state->v, model->nv);
        from = take(from, state->q_past, model->nq);
        from = take(from, state->v_past, model->nv);
        from = take(from, state->lambda, 3 * model->npair);
        for (int i = 0; !moves && i < model->nv; i++) state->v[i] = 0;
        for (int i = 0; i < model->npair; i++, from += 3) state->anchor[i] = tact_vec3_make(from[0], from[1], from[2]);
        for (int i = 0; i < model->npair; i++, from += 3) state->normal[i] = tact_vec3_make(from[0], from[1], from[2]);
        input.u = from;
        q_next = from + model->nu;
        tact_state_copy(&fit->after, state, model);
        if (tact_scene_wrench(fit->scene, &fit->before, fit->wrench)) input.wrench = fit->wrench;
        // One step from the record, its derivatives, and the residual q+ (-) q_next.
        tact_record step = {model, &fit->scene->options, &input, &fit->before, &fit->after, &fit->work};
        tact_status status = tact_step(model, step.options, &input, &fit->after, &fit->work);
        if (status >= 0) status = tact_linearise(&fit->linear, &step);
        if (status < 0) return status;
        tact_kinematics_update(&fit->kinematics, model, fit->after.q);
        tact_model_difference(model, &fit->kinematics, fit->after.q, q_next, fit->residual);
        for (int k = 0; k < model->nv; k++) sums->cost += (double)fit->residual[k] * (double)fit->residual[k];
        add_columns(fit, value, sums);
    }
    return TACT_CONVERGED;
}

// Solves (A + damping diag A) x = b by Cholesky on the scaled matrix, and with inverse its diagonal. The index of a column
// that the others explain or that is 0, -1: none.
static int solve_normal(const tact_fit *fit, const normal_equations *sums, double damping, double *x, double *inverse) {
    double L[TACT_FIT_MOST][TACT_FIT_MOST], scale[TACT_FIT_MOST];
    int n = fit->count;
    for (int i = 0; i < n; i++) {
        scale[i] = sqrt(sums->A[i][i]);
        if (!(scale[i] > 0)) return i;
        for (int j = 0; j <= i; j++) {
            double sum = sums->A[i][j] / (scale[i] * scale[j]) + (i == j ? damping : 0);
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            if (i == j && !(sum > PIVOT_LEAST)) return i;
            L[i][j] = i == j ? sqrt(sum) : sum / L[j][j];
        }
    }
    // column n of the identity is b: the others give the inverse
    for (int column = 0; column <= n; column++) {
        double y[TACT_FIT_MOST];
        for (int i = 0; i < n; i++) {
            y[i] = column < n ? i == column : sums->b[i] / scale[i];
            for (int k = 0; k < i; k++) y[i] -= L[i][k] * y[k];
            y[i] /= L[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) y[i] -= L[k][i] * y[k];
            y[i] /= L[i][i];
        }
        if (column < n) inverse[column] = y[column] / (scale[column] * scale[column]);
        for (int i = 0; column == n && i < n; i++) x[i] = y[i] / scale[i];
    }
    return -1;
}

// One damped step that makes the error less. False when there is none, or the first one would change next to nothing.
static bool descend(tact_fit *fit, normal_equations *sums, double *damping, double *change) {
    double x[TACT_FIT_MOST], inverse[TACT_FIT_MOST], value[TACT_FIT_MOST] = {0};
    normal_equations next;
    int failed = 0;
    bool first = true;
    for (; *damping <= DAMPING_MOST; *damping *= 10) {
        double largest = 0;
        if (solve_normal(fit, sums, *damping, x, inverse) >= 0) continue;
        for (int i = 0; i < fit->count; i++) largest = fmax(largest, fabs(x[i]));
        // a factor of e at most
        for (int i = 0; i < fit->count; i++) value[i] = fit->value[i] * exp(largest > 1 ? x[i] / largest : x[i]);
        if (first) *change = fmin(largest, 1);
        if (first && *change <= CHANGE_LEAST) return false;
        first = false;
        if (evaluate(fit, value, &next, &failed) < 0 || !(next.cost < sums->cost)) continue;
        *sums = next;
        memcpy(fit->value, value, sizeof value);
        *change = fmin(largest, 1);
        *damping = fmax(*damping / 10, DAMPING_LEAST);
        return true;
    }
    return false;
}

// Nonlinear least squares by Levenberg and Marquardt; result.free is a parameter that the records do not determine, or -1.
tact_fit_result tact_fit_solve(tact_fit *fit, int iteration_limit, tact_fit_report *report, void *context) {
    TACT_ASSERT(fit);
    normal_equations sums;
    tact_fit_result result = {.status = TACT_ITERATION_LIMIT, .free = -1};
    double x[TACT_FIT_MOST], inverse[TACT_FIT_MOST], damping = DAMPING_FIRST, change = 0;
    // The first prediction; a parameter that the records say nothing of is singular.
    tact_status status = evaluate(fit, fit->value, &sums, &result.free);
    if (status < 0) {
        result.status = status;
        return result;
    }
    result.free = solve_normal(fit, &sums, 0, x, inverse);
    if (result.free >= 0) {
        result.status = TACT_SINGULAR;
        return result;
    }
    for (;; result.iterations++) {
        // Levenberg-Marquardt until no step gains.
        result.residual = sqrt(sums.cost / fit->steps);
        tact_fit_progress progress = {result.iterations, result.residual, change, fit->value};
        report(context, &progress);
        if (result.iterations >= iteration_limit) break;
        if (!descend(fit, &sums, &damping, &change)) {
            result.status = change <= CHANGE_LEAST ? TACT_CONVERGED : TACT_STATIONARY;
            break;
        }
    }
    set_values(fit, fit->value);
    // Standard errors of the parameters by the residual and the inverse of J'J.
    double freedom = (double)fit->steps * fit->model.nv - fit->count;
    bool known = freedom > 0 && solve_normal(fit, &sums, 0, x, inverse) < 0;
    for (int i = 0; i < fit->count; i++)
        fit->error[i] = known ? fit->value[i] * sqrt(sums.cost / freedom * inverse[i]) : (double)INFINITY;
    return result;
}
