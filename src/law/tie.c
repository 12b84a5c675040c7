// SPDX-License-Identifier: MIT
#include "law/tie.h"

#include "math/elementary.h"
#include "solve/skyline.h"

#define TIE_NEAR tact_max(TACT_REAL(1e-7), 128 * TACT_EPS)  // relative distance from the force limit that counts as none

enum {
    TIE_TOGETHER = 12,   // rounds in which all springs may change their mode at once
    TIE_ROUNDINGS = 64,  // [TACT_EPS of a force's terms]: smaller differences are rounding
};

// Index of a dof in the rates: by dof, or by place in the elimination order.
static int tie_index(const tact_tie_setting *setting, int dof) {
    return setting->place ? setting->place[dof] : dof;
}

// Extends the range of dofs that a tie moves.
static void tie_widen(tact_tie *tie, int index) {
    if (index < tie->first) tie->first = index;
    if (index > tie->last) tie->last = index;
}

tact_tie tact_tie_find(const tact_tie_setting *setting, int tie) {
    const tact_model *model = setting->model;
    TACT_ASSERT(setting->rate && setting->kinematics && 0 <= tie && tie < tact_ties(model));
    tact_tie found = {.first = model->nv, .last = -1};
    if (tie < model->nloop) {
        // e = x_b - x_a and its rates, which subtract for motions that move both ends
        const tact_loop *loop = &model->loop[tie];
        found.error = tact_loop_error(model, setting->kinematics, (int)(loop - model->loop));
        found.stiffness = loop->stiffness;
        // first the range of dofs that move either end, then their rates
        for (int end = 0; end < 2; end++) {
            int body = loop->body[end];
            for (int k = body < 0 ? 0 : model->path_start[body]; body >= 0 && k < model->path_start[body + 1]; k++)
                tie_widen(&found, tie_index(setting, model->motion[model->path[k]].dof));
        }
        for (int i = found.first; i <= found.last; i++) setting->rate[i] = tact_vec3_make(0, 0, 0);
        for (int end = 0; end < 2; end++) {
            int body = loop->body[end];
            if (body == TACT_WORLD) continue;
            tact_vec3 x = tact_pose_apply(setting->kinematics->pose[body], loop->at[end]);
            // each joint on the path moves the end by its velocity at unit rate
            for (int k = model->path_start[body]; k < model->path_start[body + 1]; k++) {
                int motion = model->path[k];
                tact_vec3 *rate = &setting->rate[tie_index(setting, model->motion[motion].dof)];
                *rate = tact_vec3_add_scaled(*rate, end == 0 ? -1 : 1, tact_motion_velocity(setting->kinematics, motion, x));
            }
        }
    } else {
        // e = sum factor q - rest - command
        int index = tie - model->nloop;
        const tact_spring *spring = &setting->model->spring[index];
        int held = setting->held[index];
        found.stiffness = held ? TACT_TIE_SLACK * spring->stiffness : spring->stiffness;
        found.damping = held ? TACT_TIE_SLACK * spring->damping : spring->damping;
        found.push = held ? (tact_real)held * (1 - TACT_TIE_SLACK) * spring->force_limit : 0;
        for (int k = 0; k < spring->count; k++) tie_widen(&found, tie_index(setting, spring->dof[k]));
        for (int i = found.first; i <= found.last; i++) setting->rate[i] = tact_vec3_make(0, 0, 0);
        for (int k = 0; k < spring->count; k++) setting->rate[tie_index(setting, spring->dof[k])].x = spring->factor[k];
        // without coordinates only the rates are wanted
        if (setting->q) {
            tact_real sum = spring->u >= 0 ? -spring->rest - setting->u[spring->u] : -spring->rest;
            for (int k = 0; k < spring->count; k++) sum += spring->factor[k] * setting->q[setting->model->dof[spring->dof[k]].q];
            found.error = tact_vec3_make(sum, 0, 0);
        }
    }
    return found;
}

void tact_ties_place(tact_work *work, const tact_model *model, int entries, tact_arena *arena) {
    size_t nv = (size_t)model->nv;
    work->rate = tact_arena_take(arena, nv, sizeof(tact_vec3));
    work->held = tact_arena_take(arena, (size_t)model->nspring, sizeof(int));
    work->free = tact_arena_take(arena, (size_t)entries, sizeof(tact_real));
    TACT_VECTORS(arena, nv, &work->free_pivot, &work->free_way);
}

int tact_tie_leader(const tact_model *model, int dof) {
    int found = -1;
    for (int i = 0; TACT_TIES && i < model->nspring && found < 0; i++)
        if (model->spring[i].u >= 0 && model->spring[i].dof[0] == dof) found = i;
    return found;
}

void tact_ties_release(const tact_model *model, const tact_state *state, tact_work *work) {
    work->at_limit = false;
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        // dry friction (damping without stiffness): a spring that slid in the last step is assumed to go on sliding
        tact_real f = 0;
        for (int k = 0; state && spring->stiffness == 0 && k < spring->count; k++)
            f += spring->damping * spring->factor[k] * state->v[spring->dof[k]];
        work->held[i] = spring->force_limit > 0 && tact_fabs(f) > spring->force_limit ? (f > 0 ? 1 : -1) : 0;
    }
}

tact_real tact_tie_part(const tact_work *work, int spring) {
    return work->held[spring] ? TACT_TIE_SLACK : 1;
}

bool tact_ties_turn(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work, const tact_real *x, tact_real scale, int round) {
    const int *place = work->P ? model->place : NULL;
    bool turns = false;
    work->at_limit = false;
    for (int s = 0; s < model->nspring; s++) {
        const tact_spring *spring = &model->spring[s];
        tact_real limit = spring->force_limit, e = -spring->rest, moved = 0;
        if (!(limit > 0)) continue;
        // f = k (e + J d) + D J d/h
        tact_real size = spring->u >= 0 ? tact_fabs(input->u[spring->u]) : 0;
        if (spring->u >= 0) e -= input->u[spring->u];
        for (int k = 0; k < spring->count; k++) {
            int dof = spring->dof[k];
            tact_real q = spring->factor[k] * state->q[model->dof[dof].q];
            e += q;
            size += tact_fabs(q);
            moved += spring->factor[k] * (scale * x[place ? place[dof] : dof]);
        }
        tact_real f = spring->stiffness * (e + moved) + spring->damping * (moved / options->dt);
        // a force at its limit to within rounding keeps its mode
        tact_real rounding = TIE_ROUNDINGS * TACT_EPS * (spring->stiffness * (size + tact_fabs(moved)) + limit);
        // steps with either mode end within rounding of the limit: report it
        if (tact_fabs(tact_fabs(f) - limit) <= tact_max(4 * rounding, TIE_NEAR * limit)) work->at_limit = true;
        int held = work->held[s], next = f > limit ? 1 : f < -limit ? -1 : 0;
        if (next == held || tact_fabs(tact_fabs(f) - limit) <= rounding) continue;
        // pass from one limit to the other through the elastic mode: Newton's method on Huber's function can cycle between the
        // two linear pieces, but converges from the quadratic piece between them
        if (next == -held) next = 0;
        if (round >= TACT_TIE_ROUNDS) {
            if (work->status == TACT_CONVERGED) work->status = TACT_ITERATION_LIMIT;
            return false;
        }
        work->held[s] = next;
        turns = true;
        // one spring at a time, when changing all at once does not converge
        if (round >= TIE_TOGETHER) break;
    }
    return turns;
}

void tact_ties_resist(const tact_model *model, const tact_work *work, tact_real h, const tact_real *x, tact_vec3 *rate,
                      tact_real *y) {
    tact_tie_setting setting = {.model = model, .kinematics = &work->kinematics, .rate = rate, .held = work->held};
    for (int t = 0; t < tact_ties(model); t++) {
        tact_tie tie = tact_tie_find(&setting, t);
        // y += h (h K + D) J'J x.
        tact_vec3 pull = {0, 0, 0};
        for (int i = tie.first; i <= tie.last; i++) pull = tact_vec3_add_scaled(pull, x[i], rate[i]);
        for (int i = tie.first; i <= tie.last; i++) y[i] += h * (h * tie.stiffness + tie.damping) * tact_vec3_dot(rate[i], pull);
    }
}

void tact_ties_load(const tact_model *model, const tact_options *options, const tact_input *input, const tact_state *state,
                    tact_work *work) {
    tact_skyline *P = &work->problem.P;
    tact_tie_setting setting = {model, &work->kinematics, state->q, input->u, model->place, work->rate, work->held};
    for (int t = 0; t < tact_ties(model); t++) {
        tact_tie tie = tact_tie_find(&setting, t);
        // K + D/h in the metric of the rates: P += K J'J, p += k J'e.
        tact_real K = tie.stiffness + tie.damping / options->dt;
        for (int i = tie.first; i <= tie.last; i++) {
            tact_real *row = tact_skyline_row(P, i);
            work->p[i] += tie.stiffness * tact_vec3_dot(work->rate[i], tie.error) + tie.push * work->rate[i].x;
            // all entries that the tie couples lie in the envelope; other entries there have zero rate
            for (int j = tie.first > P->first[i] ? tie.first : P->first[i]; j <= i; j++)
                row[j] += K * tact_vec3_dot(work->rate[i], work->rate[j]);
        }
    }
}

void tact_ties_widen(const tact_model *model, tact_work *work) {
    const tact_skyline *P = &work->problem.P;
    // free displacement P^-1 p with the ties, which the diagonal alone would miss
    tact_skyline L = *P;
    L.value = work->free;
    for (int i = 0; i < P->start[model->nv]; i++) L.value[i] = P->value[i];
    if (!tact_skyline_factor(&L, work->free_pivot)) return;
    for (int i = 0; i < model->nv; i++) work->free_way[i] = work->p[i];
    tact_skyline_solve(&L, work->free_pivot, work->free_way);
    for (int i = 0; i < model->nv; i++) work->d[i] = tact_max(work->d[i], tact_fabs(work->free_way[i]));
}
