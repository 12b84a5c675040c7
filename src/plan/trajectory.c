// SPDX-License-Identifier: MIT
// Contact trajectories of linear models as quadratic constraints: see the header for the equations.
#include "tact/trajectory.h"

#include "math/elementary.h"

typedef struct {
    tact_kinematics kinematics;
    tact_dynamics dynamics;
    tact_contacts contacts;
    tact_real *q;                // (nq)
    tact_real *M, *other_M;      // (nv, nv)
    tact_real *bias;             // (nv) at rest
    tact_real *other_bias;       // (nv)
    tact_real *v;                // (nv)
    tact_real *G;                // (nc, nv)
    tact_real *gap;              // (nc) at q0
    tact_quadratic *constraint;  // of the problem
    bool *equality;
    tact_triplet *entry;
    int nentry;
} builder;

// M, bias at a velocity, and the contacts, where the model is at q0 with one dof moved by one unit (-1: none)
static void evaluate(builder *b, const tact_trajectory_task *task, int moved, tact_real *M, tact_real *bias) {
    const tact_model *model = task->model;
    // q0, or one unit along a dof from there; at unit velocities in the latter case.
    for (int i = 0; i < model->nq; i++) b->q[i] = model->q0[i];
    tact_kinematics_update(&b->kinematics, model, b->q);
    if (moved >= 0) {
        for (int i = 0; i < model->nv; i++) b->v[i] = i == moved ? 1 : 0;
        tact_model_integrate(model, &b->kinematics, b->v, b->q);
        tact_kinematics_update(&b->kinematics, model, b->q);
    }
    for (int i = 0; i < model->nv; i++) b->v[i] = moved >= 0 ? 1 : 0;
    // M, bias and all gaps there.
    tact_composite_update(model, &b->kinematics, &b->dynamics, false);
    tact_mass_matrix(model, &b->kinematics, &b->dynamics, M);
    tact_bias_force(model, &b->kinematics, &b->dynamics, task->gravity, b->v, bias);
    tact_contacts_detect(&b->contacts, model, &b->kinematics, TACT_MAX, NULL);
}

static bool differs(tact_real a, tact_real b, tact_real scale) {
    return tact_fabs(a - b) > 1024 * TACT_EPS * scale;
}

// gaps and their rows at q0; joint limits after the pairs
static void fill_contacts(builder *b, const tact_trajectory *t, const tact_model *model) {
    int c = t->npair;
    for (int i = 0; i < t->nc * t->nv; i++) b->G[i] = 0;
    for (int i = 0; i < b->contacts.count; i++) {
        const tact_contact *contact = &b->contacts.contact[i];
        const int *column = model->column + model->column_start[contact->pair];
        b->gap[contact->pair] = contact->gap;
        for (int k = 0; k < contact->width; k++) b->G[contact->pair * t->nv + model->order[column[k]]] = contact->J[k];
    }
    for (int i = 0; i < model->nv; i++) {
        // Limits as gaps q - lower and upper - q.
        const tact_dof *dof = &model->dof[i];
        for (int side = 0; side < 2; side++) {
            if (side == 0 ? !(dof->lower > -TACT_MAX) : !(dof->upper < TACT_MAX)) continue;
            b->gap[c] = side == 0 ? model->q0[dof->q] - dof->lower : dof->upper - model->q0[dof->q];
            b->G[c++ * t->nv + i] = side == 0 ? 1 : -1;
        }
    }
}

// what changes when a dof has moved by one unit
static bool find_curvature(builder *b, const tact_trajectory *t, const tact_model *model, int moved, tact_fault *fault) {
    for (int i = 0; i < t->nv; i++) {
        // A mass or bias that changes with q makes the motion nonlinear.
        bool same = !differs(b->bias[i], b->other_bias[i], 1 + tact_fabs(b->bias[i]));
        for (int j = 0; j < t->nv; j++)
            same = same && !differs(b->M[i * t->nv + j], b->other_M[i * t->nv + j], b->M[i * t->nv + i] + b->M[j * t->nv + j]);
        if (same) continue;
        *fault = (tact_fault){"body", model->dof[i].body};
        return true;
    }
    for (int i = 0; i < b->contacts.count; i++) {
        const tact_contact *contact = &b->contacts.contact[i];
        // A gap that is not linear in q, or a contact with friction.
        tact_real expected = b->gap[contact->pair] + b->G[contact->pair * t->nv + moved];
        if (!differs(contact->gap, expected, 1 + tact_fabs(expected)) && !(model->pair[contact->pair].mu > 0)) continue;
        *fault = (tact_fault){"pair", contact->pair};
        return true;
    }
    return false;
}

static void add_term(builder *b, int row, int column, tact_real value) {
    if (value != 0) b->entry[b->nentry++] = (tact_triplet){row, column, value};
}

// ends the constraint whose terms, all linear or all quadratic, began at entry first
static void close_constraint(builder *b, tact_qcqp *problem, int first, tact_real constant, bool equality) {
    tact_quadratic *f = &b->constraint[problem->ncon];
    int count = b->nentry - first;
    *f = (tact_quadratic){.constant = constant};
    // linear terms have no row
    if (count > 0 && b->entry[first].row >= 0) {
        f->quadratic = b->entry + first;
        f->nquadratic = count;
    } else {
        f->linear = b->entry + first;
        f->nlinear = count;
    }
    b->equality[problem->ncon++] = equality;
}

// M (v_{k+1} - v_k) - h (B u + G'f) + h bias = 0 and q_{k+1} - q_k - h v_{k+1} = 0
static void add_motion(builder *b, tact_trajectory *t, const tact_trajectory_task *task, int k) {
    const tact_model *model = task->model;
    for (int i = 0; i < t->nv; i++) {
        int first = b->nentry, u = model->dof[i].u;
        tact_real constant = task->dt * b->bias[i];
        // The velocities before the first step are the scene's.
        for (int j = 0; j < t->nv; j++) {
            tact_real M = b->M[i * t->nv + j];
            add_term(b, -1, tact_trajectory_v(t, k, j), M);
            if (k > 0) add_term(b, -1, tact_trajectory_v(t, k - 1, j), -M);
            if (k == 0) constant -= M * model->v0[j];
        }
        if (u >= 0) add_term(b, -1, tact_trajectory_u(t, k, u), -task->dt);
        for (int c = 0; c < t->nc; c++) add_term(b, -1, tact_trajectory_f(t, k, c), -task->dt * b->G[c * t->nv + i]);
        close_constraint(b, &t->problem, first, constant, true);
        first = b->nentry;
        // q_{k+1} = q_k + h v_{k+1}.
        add_term(b, -1, tact_trajectory_q(t, k, i), 1);
        add_term(b, -1, tact_trajectory_v(t, k, i), -task->dt);
        if (k > 0) add_term(b, -1, tact_trajectory_q(t, k - 1, i), -1);
        close_constraint(b, &t->problem, first, k > 0 ? 0 : -model->q0[model->dof[i].q], true);
    }
}

// f >= 0, phi >= 0, -f phi >= 0 with phi = gap + G (q_{k+1} - q0)
static void add_contact(builder *b, tact_trajectory *t, const tact_model *model, int k, int c) {
    int f = tact_trajectory_f(t, k, c), first = b->nentry;
    const tact_real *G = b->G + c * t->nv;
    tact_real constant = b->gap[c];
    add_term(b, -1, f, 1);
    close_constraint(b, &t->problem, first, 0, false);
    first = b->nentry;
    for (int i = 0; i < t->nv; i++) {
        add_term(b, -1, tact_trajectory_q(t, k, i), G[i]);
        if (G[i] != 0) constant -= G[i] * model->q0[model->dof[i].q];
    }
    close_constraint(b, &t->problem, first, constant, false);
    first = b->nentry;
    for (int i = 0; i < t->nv; i++) {
        // f phi as a symmetric bilinear form, each entry written twice (1/2 x'Qx), and its linear part f times the constant.
        add_term(b, f, tact_trajectory_q(t, k, i), -G[i]);
        add_term(b, tact_trajectory_q(t, k, i), f, -G[i]);
    }
    int linear = b->nentry;
    close_constraint(b, &t->problem, first, 0, false);
    add_term(b, -1, f, -constant);
    tact_quadratic *product = &b->constraint[t->problem.ncon - 1];
    product->linear = b->entry + linear;
    product->nlinear = b->nentry - linear;
}

// the first dof that no mass moves; -1: all have some
static int find_massless(const builder *b, int nv) {
    for (int i = 0; i < nv; i++)
        if (!(b->M[i * nv + i] > 0)) return i;
    return -1;
}

static tact_fault check_task(const tact_trajectory_task *task) {
    tact_fault fault = {NULL, 0};
    if (task->steps < 1 || task->steps > 10000) fault.field = "steps";
    if (!(task->dt > 0 && task->dt <= 1)) fault.field = "dt";
    if (task->model->nloop > 0) fault.field = "nloop";
    if (task->model->nspring > 0) fault.field = "nspring";
    if (fault.field) return fault;
    // Finite numbers of sensible magnitude.
    const tact_real gravity[] = {task->gravity.x, task->gravity.y, task->gravity.z};
    fault.index = tact_find_larger(gravity, 3, 1000);
    if (fault.index < 3) fault.field = "gravity";
    for (int i = 0; i < task->model->nv && !fault.field; i++) {
        bool bad = task->reach[i] && !(tact_fabs(task->target[i]) <= TACT_REAL(TACT_MOST_LENGTH));
        fault = (tact_fault){bad ? "target" : NULL, i};
    }
    return fault;
}

tact_status tact_trajectory_build(const tact_trajectory_task *task, tact_trajectory *trajectory, tact_fault *fault,
                                  tact_arena *arena) {
    TACT_ASSERT(task && task->model && trajectory && fault && arena);
    TACT_ASSERT((task->reach && task->target) || !task->model->nv);
    const tact_model *model = task->model;
    builder b = {0};
    *fault = check_task(task);
    if (fault->field) return TACT_BAD_INPUT;
    *trajectory = (tact_trajectory){.steps = task->steps, .nv = model->nv, .nu = model->nu, .npair = model->npair};
    trajectory->nc = model->npair;
    for (int i = 0; i < model->nv; i++) trajectory->nc += (model->dof[i].lower > -TACT_MAX) + (model->dof[i].upper < TACT_MAX);
    // Scratch of the builder
    size_t nv = (size_t)trajectory->nv, nc = (size_t)trajectory->nc, nu = (size_t)trajectory->nu,
           steps = (size_t)trajectory->steps;
    tact_kinematics_place(&b.kinematics, model, arena);
    tact_dynamics_place(&b.dynamics, model, arena);
    tact_contacts_place(&b.contacts, model, arena);
    b.q = tact_arena_take(arena, (size_t)model->nq, sizeof(tact_real));
    TACT_VECTORS(arena, nv * nv, &b.M, &b.other_M);
    TACT_VECTORS(arena, nv, &b.bias, &b.other_bias, &b.v);
    b.G = tact_arena_take(arena, nc * nv, sizeof(tact_real));
    b.gap = tact_arena_take(arena, nc, sizeof(tact_real));
    // Rows of a step: 2 nv of motion, 3 nc of contact; at the end 2 nv.
    b.constraint = tact_arena_take(arena, steps * (2 * nv + 3 * nc) + 2 * nv, sizeof(tact_quadratic));
    b.equality = tact_arena_take(arena, steps * (2 * nv + 3 * nc) + 2 * nv, sizeof(bool));
    b.entry = tact_arena_take(arena, steps * (nv * (2 * nv + nc + 4) + nu + nc * (3 * nv + 2)) + 2 * nv, sizeof(tact_triplet));
    if (!arena->memory) return TACT_CONVERGED;
    if (!tact_arena_fits(arena)) return TACT_NO_MEMORY;
    // The linear model at q0, and the proof that it is one: each dof moved by one unit.
    evaluate(&b, task, -1, b.M, b.bias);
    fill_contacts(&b, trajectory, model);
    if (find_massless(&b, model->nv) >= 0) return TACT_SINGULAR;
    for (int i = 0; i < model->nv; i++) {
        evaluate(&b, task, i, b.other_M, b.other_bias);
        if (find_curvature(&b, trajectory, model, i, fault)) return TACT_BAD_INPUT;
    }
    // Unknowns q, v, u, f of each step; then objective and constraints.
    trajectory->problem.n = task->steps * (2 * model->nv + model->nu + trajectory->nc);
    trajectory->problem.constraint = b.constraint;
    trajectory->problem.equality = b.equality;
    // Objective: h sum u^2
    trajectory->problem.objective =
        (tact_quadratic){.quadratic = b.entry + b.nentry, .nquadratic = trajectory->steps * trajectory->nu};
    for (int k = 0; k < trajectory->steps; k++)
        for (int j = 0; j < trajectory->nu; j++)
            add_term(&b, tact_trajectory_u(trajectory, k, j), tact_trajectory_u(trajectory, k, j), task->dt);
    for (int k = 0; k < task->steps; k++) {
        add_motion(&b, trajectory, task, k);
        for (int c = 0; c < trajectory->nc; c++) add_contact(&b, trajectory, model, k, c);
    }
    // End constraints: q_N = target, v_N = 0
    for (int i = 0; i < trajectory->nv; i++) {
        if (!task->reach[i]) continue;
        int first = b.nentry;
        // Reached, and at rest.
        add_term(&b, -1, tact_trajectory_q(trajectory, trajectory->steps - 1, i), 1);
        close_constraint(&b, &trajectory->problem, first, -task->target[i], true);
        first = b.nentry;
        add_term(&b, -1, tact_trajectory_v(trajectory, trajectory->steps - 1, i), 1);
        close_constraint(&b, &trajectory->problem, first, 0, true);
    }
    return TACT_CONVERGED;
}
