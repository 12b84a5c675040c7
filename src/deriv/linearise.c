// SPDX-License-Identifier: MIT
// Linearisation of the barrier step. With H = P + sum J'W J (including the limits), R the change of the right-hand side with q
// at fixed d,
//
//     H dd/dq = R ,  R = -d(P d + p)/dq + sum (T - J'W N) ,     H dd/du = K
//     A = E + G dd/dq ,  B = G dd/du ,  C = -W (J dd/dq + N) ,  D = -W J dd/du
//
// E is the identity, for a free joint's rotation Exp(d); G is the identity, for such a rotation the left Jacobian at d.
#include "deriv/tie.h"
#include "math/elementary.h"
#include "sim/step.h"
#include "solve/skyline.h"

#define NEGLIGIBLE TACT_REAL(1e-6)  // of the largest normal force

// Entries of the matrices T of all pairs: the sum of squared widths. For pairs found by a broad phase all their columns times
// the widest pair, that of the two longest paths.
static size_t count_squares(const tact_model *model) {
    size_t squares = 0, longest = 0;
    for (int i = 0; i < model->npair; i++) {
        size_t width = (size_t)(model->column_start[i + 1] - model->column_start[i]);
        squares += width * width;
    }
    for (int b = 0; b < model->nbody && model->search; b++) {
        size_t path = (size_t)(model->path_start[b + 1] - model->path_start[b]);
        longest = path > longest ? path : longest;
    }
    return squares + (model->search ? 2 * longest * (size_t)model->search->columns : 0);
}

// Memory of the linearised barrier step; an arena that only measures returns none.
static void place(tact_deriv_work *deriv, const tact_model *model, tact_arena *arena) {
    deriv->of = tact_model_sizes(model);
    deriv->squares = count_squares(model);
    size_t nv = (size_t)model->nv, columns = (size_t)tact_model_columns(model), squares = deriv->squares;
    // H in the envelope of P, and its pivots
    deriv->H.n = model->nv;
    deriv->H.first = tact_arena_take(arena, nv, sizeof(int));
    deriv->H.start = tact_arena_take(arena, nv + 1, sizeof(int));
    // envelope of P and contacts; if the pairs are not known in advance, the whole triangle
    size_t envelope = model->search ? nv * (nv + 1) / 2 : (size_t)model->envelope;
    deriv->H.value = tact_arena_take(arena, envelope, sizeof(tact_real));
    deriv->pivot = tact_arena_take(arena, nv, sizeof(tact_real));
    // derivatives of the contacts
    deriv->contact = tact_arena_take(arena, (size_t)tact_model_pairs(model), sizeof(tact_contact_slope));
    deriv->slope_N = tact_arena_take(arena, 3 * columns, sizeof(tact_real));
    deriv->slope_T = tact_arena_take(arena, squares, sizeof(tact_real));
    deriv->slope_move = tact_arena_take(arena, columns, sizeof(tact_contact_motion));
    // derivatives of inertia, drives and limits, and rotations of free joints
    deriv->motion = tact_arena_take(arena, nv * nv, sizeof(tact_real));
    deriv->bound = tact_arena_take(arena, nv, sizeof(tact_real));
    deriv->turn = tact_arena_take(arena, 6 * nv, sizeof(tact_real));
    // right-hand sides and solutions
    TACT_VECTORS(arena, nv, &deriv->column, &deriv->rhs, &deriv->z, &deriv->pull);
    deriv->columns = tact_arena_take(arena, nv * (nv + (size_t)model->nu), sizeof(tact_real));
    deriv->sway = tact_arena_take(arena, 3 * nv, sizeof(tact_vec3));
    deriv->velocity = tact_arena_take(arena, 2 * (size_t)model->nmotion, sizeof(tact_vec3));
    deriv->rates = tact_arena_take(arena, 6 * nv, sizeof(tact_real));
    deriv->slot = tact_arena_take(arena, nv + (size_t)model->nmotion, sizeof(int));
}

size_t tact_deriv_size(const tact_model *model) {
    tact_arena arena = {0};
    tact_deriv_work deriv;
    place(&deriv, model, &arena);
    return arena.used;
}

tact_status tact_deriv_init(tact_deriv_work *deriv, const tact_model *model, void *memory, size_t size) {
    TACT_ASSERT(deriv && model);
    tact_arena arena = {.memory = memory, .size = size};
    place(deriv, model, &arena);
    deriv->frozen_geometry = deriv->kink = false;
    return tact_arena_fits(&arena) ? TACT_CONVERGED : TACT_NO_MEMORY;
}

// H = P + limits + sum J'W J, factored.
static bool factor(const tact_model *model, const tact_work *work, tact_deriv_work *deriv) {
    const tact_skyline *P = &work->problem.P;
    tact_skyline *H = &deriv->H;
    // envelope of P, extended by the columns of each contact
    for (int i = 0; i < model->nv; i++) H->first[i] = P->first[i];
    for (int i = 0; i < work->contacts.count; i++)
        for (int k = 0; k < work->cone[i].width; k++) {
            int row = work->cone[i].column[k];
            if (work->cone[i].column[0] < H->first[row]) H->first[row] = work->cone[i].column[0];
        }
    int entries = tact_skyline_layout(H);
    for (int i = 0; i < entries; i++) H->value[i] = 0;
    // P and the weights of the limits
    for (int i = 0; i < model->nv; i++) {
        const tact_real *from = tact_skyline_row(P, i);
        tact_real *row = tact_skyline_row(H, i);
        for (int j = P->first[i]; j <= i; j++) row[j] = from[j];
        row[i] += deriv->bound[i];
    }
    // J'W J of each contact, lower triangle
    for (int i = 0; i < work->contacts.count; i++) {
        const tact_cone *cone = &work->cone[i];
        const tact_real *J = cone->J, *W = deriv->contact[i].W;
        int width = cone->width;
        for (int a = 0; a < width; a++) {
            tact_real n = J[a], t = J[width + a], u = J[2 * width + a];
            tact_real G0 = W[0] * n + W[1] * t + W[3] * u, G1 = W[1] * n + W[2] * t + W[4] * u,
                      G2 = W[3] * n + W[4] * t + W[5] * u;
            tact_real *row = tact_skyline_row(H, cone->column[a]);
            for (int b = 0; b <= a; b++) row[cone->column[b]] += G0 * J[b] + G1 * J[width + b] + G2 * J[2 * width + b];
        }
    }
    return tact_skyline_factor(H, deriv->pivot);
}

// Rows of Exp(d) and of the left Jacobian I + (1 - cos)/th^2 [d] + (th - sin)/th^3 [d]^2 for a free joint's rotation d.
static void turn_rows(tact_vec3 d, tact_real rows[18]) {
    tact_mat3 E = tact_quat_matrix(tact_rotation_exp(d));
    // coefficients f = (1 - cos)/th^2 and g = (th - sin)/th^3; small angles by their series, without cancellation
    tact_real square = tact_vec3_dot(d, d), angle = tact_sqrt(square), f = 0, g = 0, s = 0, c = 0;
    tact_sincos(angle, &s, &c);
    if (angle < TACT_REAL(0.05)) {
        f = TACT_REAL(0.5) - square * (TACT_REAL(1.0 / 24) - square * (TACT_REAL(1.0 / 720) - square * TACT_REAL(1.0 / 40320)));
        g = TACT_REAL(1.0 / 6) -
            square * (TACT_REAL(1.0 / 120) - square * (TACT_REAL(1.0 / 5040) - square * TACT_REAL(1.0 / 362880)));
    } else {
        f = (1 - c) / square;
        g = (angle - s) / (square * angle);
    }
    const tact_real x[3] = {d.x, d.y, d.z}, skew[3][3] = {{0, -d.z, d.y}, {d.z, 0, -d.x}, {-d.y, d.x, 0}};
    // Exp(d), then I + f [d] + g (d d' - th^2 I)
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            rows[6 * i + j] = E.m[i][j];
            rows[6 * i + 3 + j] = (i == j ? 1 - g * square : 0) + f * skew[i][j] + g * x[i] * x[j];
        }
}

bool tact_deriv_find_turns(const tact_model *model, const tact_work *work, tact_deriv_work *deriv) {
    TACT_ASSERT(model && work && deriv);
    // a free joint on a moving body is refused: its path would have more than its own six motions
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        if (body->joint != TACT_JOINT_FREE) continue;
        if (model->path_start[b + 1] - model->path_start[b] > 6) return false;
        const tact_real *d = work->displacement + body->v;
        turn_rows(tact_vec3_make(d[0], d[1], d[2]), deriv->turn + 6 * body->v);
    }
    return true;
}

tact_status tact_deriv_linearise(const tact_model *model, const tact_options *options, const tact_input *input,
                                 const tact_state *before, const tact_work *work, tact_deriv_work *deriv) {
    TACT_ASSERT(model && options && input && deriv && tact_model_has_sizes(model, &deriv->of));
    TACT_ASSERT(deriv->squares >= count_squares(model));
    TACT_ASSERT(tact_state_fits(before, model) && tact_work_fits(work, model));
    deriv->fault = model->law != &tact_law_barrier         ? (tact_fault){"model.law", 0}
                   : tact_step_model(model, work) != model ? (tact_fault){"model.search", 0}
                   : work->status < 0                      ? (tact_fault){"work.status", 0}
                                                           : tact_step_check(model, options, input, before);
    if (deriv->fault.field || !tact_deriv_find_turns(model, work, deriv)) return TACT_BAD_INPUT;
    // N, T and motion of each contact, one after the other
    tact_real *N = deriv->slope_N, *T = deriv->slope_T;
    tact_contact_motion *move = deriv->slope_move;
    // a spring that has just reached its limit of force
    deriv->kink = tact_ties(model) > 0 && work->at_limit;
    // a spring at its force limit to rounding
    for (int i = 0; i < model->nv; i++) {
        const tact_dof *dof = &model->dof[i];
        deriv->pull[model->place[i]] = dof->u < 0 ? 0 : before->q[dof->q] - input->u[dof->u];
    }
    if (tact_ties(model) > 0) tact_tie_pull(model, before->q, input->u, deriv->pull);
    for (int i = 0; i < work->contacts.count; i++) {
        int width = work->contacts.contact[i].width;
        deriv->contact[i].N = N;
        deriv->contact[i].T = T;
        deriv->contact[i].move = move;
        tact_contact_linearise(model, options, before, work, i, deriv);
        N += 3 * width;
        T += width * width;
        move += width;
    }
    // a contact at the middle of a flush stretch jumps to an end when it tilts: a kink unless its force is negligible
    tact_real push = 0;
    for (int i = 0; i < work->contacts.count; i++) push = tact_max(push, work->contacts.contact[i].lambda[0]);
    for (int i = 0; i < work->contacts.count; i++)
        deriv->kink = deriv->kink || (deriv->contact[i].jumps && work->contacts.contact[i].lambda[0] > NEGLIGIBLE * push);
    // stiffness of each limit: kappa l^2 / 2
    for (int i = 0; i < model->nv; i++) deriv->bound[i] = 0;
    for (int j = 0; j < work->problem.nbound; j++) {
        const tact_bound *bound = &work->bound[j];
        deriv->bound[bound->column] += bound->kappa * work->bound_lambda[j] * work->bound_lambda[j] / 2;
    }
    tact_inertia_slope(model, options, input, work, deriv);
    return factor(model, work, deriv) ? TACT_CONVERGED : TACT_SINGULAR;
}

void tact_deriv_turn(const tact_model *model, const tact_deriv_work *deriv, tact_real *x, bool transposed) {
    TACT_ASSERT(model && deriv);
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        int v = model->body[b].v;
        const tact_real *G = deriv->turn + 6 * v + 3;
        tact_real y[3];
        // G or G' of a free joint's rotation
        for (int i = 0; i < 3; i++)
            y[i] = transposed ? G[i] * x[v] + G[6 + i] * x[v + 1] + G[12 + i] * x[v + 2]
                              : G[6 * i] * x[v] + G[6 * i + 1] * x[v + 1] + G[6 * i + 2] * x[v + 2];
        for (int i = 0; i < 3; i++) x[v + i] = y[i];
    }
}

void tact_deriv_add_identity(const tact_model *model, const tact_deriv_work *deriv, int dof, tact_real share, tact_real *x) {
    TACT_ASSERT(model && deriv);
    const tact_body *body = &model->body[model->dof[dof].body];
    int axis = dof - body->v;
    if (body->joint != TACT_JOINT_FREE || axis > 2) {
        x[dof] += share;
        return;
    }
    for (int i = 0; i < 3; i++) x[body->v + i] += share * deriv->turn[6 * (body->v + i) + axis];
}

// C and D of one contact: -W (J dd + N).
static void contact_rows(const tact_model *model, const tact_work *work, const tact_deriv_work *deriv, int index,
                         const tact_jacobians *jacobians) {
    TACT_ASSERT(0 <= index && index < work->contacts.count);
    const tact_cone *cone = &work->cone[index];
    const tact_contact_slope *slope = &deriv->contact[index];
    int nv = model->nv, nu = model->nu, width = nv + nu, n = cone->width;
    // d lambda = -W (J dd + N dq)
    for (int place = 0; place < width; place++) {
        tact_real change[3] = {0, 0, 0}, f[3];
        for (int k = 0; k < n; k++) {
            tact_real x = deriv->columns[cone->column[k] * width + place];
            bool here = cone->column[k] == place;
            for (int row = 0; row < 3; row++) change[row] += cone->J[row * n + k] * x + (here ? slope->N[row * n + k] : 0);
        }
        tact_slope_apply(slope->W, change, f);
        for (int row = 0; row < 3; row++) {
            if (place < nv && jacobians->C) jacobians->C[(3 * index + row) * nv + model->order[place]] = -f[row];
            if (place >= nv && jacobians->D) jacobians->D[(3 * index + row) * nu + place - nv] = -f[row];
        }
    }
}

// A and B: rows of the solution by dof, free rotations multiplied by G, and the identity.
static void motion_rows(const tact_model *model, tact_deriv_work *deriv, const tact_jacobians *jacobians) {
    int nv = model->nv, nu = model->nu, width = nv + nu;
    for (int dof = 0; dof < nv; dof++) {
        // rows of a free joint's rotation are combined by its G
        const tact_body *body = &model->body[model->dof[dof].body];
        bool turned = body->joint == TACT_JOINT_FREE && dof - body->v < 3;
        const tact_real *own = deriv->columns + model->place[dof] * width, *row[3] = {own, own, own};
        const tact_real *G = deriv->turn + 6 * dof + 3;
        for (int i = 0; i < 3 && turned; i++) row[i] = deriv->columns + model->place[body->v + i] * width;
        for (int k = 0; k < width; k++) {
            tact_real x = turned ? G[0] * row[0][k] + G[1] * row[1][k] + G[2] * row[2][k] : row[0][k];
            if (k < nv && jacobians->A) jacobians->A[dof * nv + model->order[k]] = x;
            if (k >= nv && jacobians->B) jacobians->B[dof * nu + k - nv] = x;
        }
    }
    // A += E: the identity, or Exp(d) for a free rotation
    for (int dof = 0; dof < nv && jacobians->A; dof++) {
        for (int i = 0; i < nv; i++) deriv->column[i] = 0;
        tact_deriv_add_identity(model, deriv, dof, 1, deriv->column);
        for (int i = 0; i < nv; i++) jacobians->A[i * nv + dof] += deriv->column[i];
    }
}

void tact_deriv_matrices(const tact_model *model, const tact_work *work, tact_deriv_work *deriv,
                         const tact_jacobians *jacobians) {
    TACT_ASSERT(model && jacobians && deriv && tact_model_has_sizes(model, &deriv->of));
    TACT_ASSERT(tact_work_fits(work, model) && work->P);
    // all right-hand sides at once: R and K in deriv->columns, row by row in elimination order
    int nv = model->nv, width = nv + model->nu;
    tact_real *X = deriv->columns;
    for (int i = 0; i < nv; i++) {
        // inertia, drives and limits by q; stiffness by the drives' commands
        const tact_real *motion = deriv->motion + i * nv;
        const tact_dof *dof = &model->dof[model->order[i]];
        tact_real *row = X + i * width;
        for (int k = 0; k < nv; k++) row[k] = -motion[k];
        row[i] -= deriv->bound[i];
        for (int k = 0; k < model->nu; k++) row[nv + k] = 0;
        if (dof->u >= 0) row[nv + dof->u] = dof->stiffness;
    }
    // springs over several dofs: stiffness times factor in the command's column
    for (int s = 0; tact_ties(model) > 0 && s < model->nspring; s++) {
        const tact_spring *spring = &model->spring[s];
        tact_real stiffness = spring->stiffness * tact_tie_part(work, s);
        for (int k = 0; spring->u >= 0 && k < spring->count; k++)
            X[model->place[spring->dof[k]] * width + nv + spring->u] += stiffness * spring->factor[k];
    }
    for (int c = 0; c < work->contacts.count; c++) {
        // T - J'W N of each contact
        const tact_cone *cone = &work->cone[c];
        const tact_contact_slope *slope = &deriv->contact[c];
        int n = cone->width;
        for (int j = 0; j < n; j++) {
            tact_real J[3] = {cone->J[j], cone->J[n + j], cone->J[2 * n + j]}, f[3], *row = X + cone->column[j] * width;
            tact_slope_apply(slope->W, J, f);
            for (int k = 0; k < n; k++)
                row[cone->column[k]] +=
                    slope->T[j * n + k] - f[0] * slope->N[k] - f[1] * slope->N[n + k] - f[2] * slope->N[2 * n + k];
        }
    }
    // X = H^-1 X, all columns at once: L y = b, D, then L'
    const tact_skyline *L = &deriv->H;
    for (int i = 0; i < L->n; i++) {
        int first = L->first[i];
        tact_add_rows(X + i * width, -1, tact_skyline_row(L, i) + first, 1, X + first * width, i - first, width);
    }
    for (int i = 0; i < L->n; i++)
        for (int k = 0; k < width; k++) X[i * width + k] *= deriv->pivot[i];
    for (int i = L->n - 1; i > 0; i--)
        for (int j = L->first[i]; j < i; j++) tact_add_row(X + j * width, -tact_skyline_row(L, i)[j], X + i * width, width);
    if (jacobians->A || jacobians->B) motion_rows(model, deriv, jacobians);
    for (int c = 0; c < work->contacts.count && (jacobians->C || jacobians->D); c++)
        contact_rows(model, work, deriv, c, jacobians);
}

// x += sum (T - J'W N) dq over the contacts, with T = d(J'lambda)/dq at fixed lambda and N = dnu/dq at fixed d.
static void push_contacts(const tact_model *model, const tact_work *work, const tact_deriv_work *deriv, const tact_real *q,
                          tact_real *x) {
    for (int c = 0; c < work->contacts.count; c++) {
        // W N dq, mapped back by J', and T dq
        const tact_cone *cone = &work->cone[c];
        const tact_contact_slope *slope = &deriv->contact[c];
        int n = cone->width;
        tact_real nu[3] = {0, 0, 0}, f[3];
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < n; k++) nu[row] += slope->N[row * n + k] * q[model->order[cone->column[k]]];
        tact_slope_apply(slope->W, nu, f);
        for (int j = 0; j < n; j++) {
            tact_real sum = -(cone->J[j] * f[0] + cone->J[n + j] * f[1] + cone->J[2 * n + j] * f[2]);
            for (int k = 0; k < n; k++) sum += slope->T[j * n + k] * q[model->order[cone->column[k]]];
            x[cone->column[j]] += sum;
        }
    }
}

void tact_deriv_push(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_step_change *change,
                     tact_deriv_column column) {
    TACT_ASSERT(model && change && deriv && tact_model_has_sizes(model, &deriv->of) && tact_work_fits(work, model) && work->P);
    int nv = model->nv;
    const tact_real *q = change->q;
    tact_real *x = deriv->rhs;
    // H dd = R dq + K du + f
    for (int i = 0; i < nv; i++) {
        const tact_dof *dof = &model->dof[model->order[i]];
        x[i] = change->force ? change->force[model->order[i]] : 0;
        if (change->u && dof->u >= 0) x[i] += dof->stiffness * change->u[dof->u];
        if (q) x[i] -= deriv->bound[i] * q[model->order[i]];
        for (int k = 0; q && k < nv; k++) x[i] -= deriv->motion[i * nv + k] * q[model->order[k]];
    }
    // springs over several dofs: stiffness times factor times du on each
    for (int s = 0; change->u && tact_ties(model) > 0 && s < model->nspring; s++) {
        const tact_spring *spring = &model->spring[s];
        tact_real stiffness = spring->stiffness * tact_tie_part(work, s);
        for (int k = 0; spring->u >= 0 && k < spring->count; k++)
            x[model->place[spring->dof[k]]] += stiffness * spring->factor[k] * change->u[spring->u];
    }
    if (q) push_contacts(model, work, deriv, q, x);
    tact_skyline_solve(&deriv->H, deriv->pivot, x);
    // dlambda = -W (J dd + N dq)
    for (int c = 0; column.lambda && c < work->contacts.count; c++) {
        const tact_cone *cone = &work->cone[c];
        int n = cone->width;
        tact_real nu[3] = {0, 0, 0}, f[3];
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < n; k++)
                nu[row] += cone->J[row * n + k] * x[cone->column[k]] +
                           (q ? deriv->contact[c].N[row * n + k] * q[model->order[cone->column[k]]] : 0);
        tact_slope_apply(deriv->contact[c].W, nu, f);
        for (int row = 0; row < 3; row++) column.lambda[3 * c + row] = -f[row];
    }
    if (!column.q) return;
    // dq+ = G dd + E dq
    for (int i = 0; i < nv; i++) column.q[model->order[i]] = x[i];
    tact_deriv_turn(model, deriv, column.q, false);
    for (int i = 0; q && i < nv; i++) tact_deriv_add_identity(model, deriv, i, q[i], column.q);
}

// Reverse mode of the forces dl = -W (J dd + N dq).
static void pull_forces(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, const tact_real *lambda,
                        tact_real *q_bar) {
    for (int c = 0; c < work->contacts.count; c++) {
        const tact_cone *cone = &work->cone[c];
        tact_real f[3];
        int width = cone->width;
        // transposed: z -= J' W' l, q -= N' W' l, and W is symmetric
        tact_slope_apply(deriv->contact[c].W, lambda + 3 * c, f);
        for (int k = 0; k < width; k++)
            for (int row = 0; row < 3; row++) {
                deriv->z[cone->column[k]] -= cone->J[row * width + k] * f[row];
                q_bar[model->order[cone->column[k]]] -= deriv->contact[c].N[row * width + k] * f[row];
            }
    }
}

void tact_deriv_pullback(const tact_model *model, const tact_work *work, tact_deriv_work *deriv, tact_deriv_seed seed,
                         tact_real *q_bar, tact_real *u_bar) {
    TACT_ASSERT(model && deriv && tact_model_has_sizes(model, &deriv->of) && tact_work_fits(work, model) && work->P);
    TACT_ASSERT((seed.q && q_bar) || !model->nv);
    TACT_ASSERT(u_bar || !model->nu);
    tact_real *z = deriv->z, *y = deriv->column;
    for (int i = 0; i < model->nv; i++) y[i] = seed.q[i];
    // E' times the adjoint of q+
    const tact_real *q_next = seed.q;
    for (int i = 0; i < model->nv; i++) q_bar[i] = 0;
    for (int dof = 0; dof < model->nv; dof++) {
        const tact_body *body = &model->body[model->dof[dof].body];
        int axis = dof - body->v;
        if (body->joint != TACT_JOINT_FREE || axis > 2)
            q_bar[dof] = q_next[dof];
        else
            for (int i = 0; i < 3; i++) q_bar[dof] += deriv->turn[6 * (body->v + i) + axis] * q_next[body->v + i];
    }
    tact_deriv_turn(model, deriv, y, true);
    for (int i = 0; i < model->nv; i++) z[i] = y[model->order[i]];
    if (seed.lambda) pull_forces(model, work, deriv, seed.lambda, q_bar);
    // H is symmetric: its transpose needs no other factor
    tact_skyline_solve(&deriv->H, deriv->pivot, z);
    // commands act through the stiffness of their dof
    for (int dof = 0; dof < model->nv; dof++)
        if (model->dof[dof].u >= 0) u_bar[model->dof[dof].u] = model->dof[dof].stiffness * z[model->place[dof]];
    for (int s = 0; tact_ties(model) > 0 && s < model->nspring; s++) {
        const tact_spring *spring = &model->spring[s];
        tact_real stiffness = spring->stiffness * tact_tie_part(work, s);
        for (int k = 0; spring->u >= 0 && k < spring->count; k++)
            u_bar[spring->u] += stiffness * spring->factor[k] * z[model->place[spring->dof[k]]];
    }
    // R'z, first for inertia, drives and limits
    for (int i = 0; i < model->nv; i++) {
        const tact_real *row = deriv->motion + i * model->nv;
        q_bar[model->order[i]] -= deriv->bound[i] * z[i];
        for (int k = 0; k < model->nv; k++) q_bar[model->order[k]] -= row[k] * z[i];
    }
    // contacts: J'W N by the change of the force, T by the change of the columns
    for (int c = 0; c < work->contacts.count; c++) {
        const tact_cone *cone = &work->cone[c];
        const tact_contact_slope *slope = &deriv->contact[c];
        int width = cone->width;
        tact_real nu[3] = {0, 0, 0}, f[3];
        for (int k = 0; k < width; k++)
            for (int row = 0; row < 3; row++) nu[row] += cone->J[row * width + k] * z[cone->column[k]];
        tact_slope_apply(slope->W, nu, f);
        for (int k = 0; k < width; k++) {
            tact_real sum = -(slope->N[k] * f[0] + slope->N[width + k] * f[1] + slope->N[2 * width + k] * f[2]);
            for (int j = 0; j < width; j++) sum += slope->T[j * width + k] * z[cone->column[j]];
            q_bar[model->order[cone->column[k]]] += sum;
        }
    }
}
