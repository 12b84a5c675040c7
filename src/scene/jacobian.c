// SPDX-License-Identifier: MIT
// Under a law with velocities columns X_k = dx_k/d(x_0, u) go forwards, each pushed through the steps,
//
//     X_{k+1} = A_k X_k + B_k (U + S X_k)
//
// S the coordinates that commands hold and U the shift. The barrier law, whose stored displacements have a reverse only, goes
// back through the steps, which are made again to the same bits: one adjoint for each row of the result,
//
//     (g, h) <- pull of step k (g) ,   g += S'h ,   sum of all h: the row by U
#include "tact/jacobian.h"

#include "deriv/record.h"
#include "tact/memory.h"

typedef struct {
    tact_world *world;
    tact_run_jacobian *run;
    int wanted, columns;  // steps, columns that go forwards
    tact_run_report *report;
    void *context;
    tact_linear linear;
    tact_state *kept;               // (steps + 1), or one: that before the step
    tact_real *x_bar;               // (rows, nx) of each row
    tact_real *u_bar;               // (rows, nu)
    tact_vec3 *anchor, *normal;     // (rows, npair) of each row
    tact_real *change;              // (columns, 4 nv) of q, v, q', v' before a step
    tact_real *q, *v, *lambda, *u;  // (columns, nv) twice, (columns, 3 npair) after it; (nu)
} jacobian_job;

static bool goes_back(const jacobian_job *job) {
    return !job->world->scene->model.law->velocities;
}

// Memory of a run's matrices and of the mode that computes them; an arena without memory measures.
static void place_jacobian(void *context, tact_arena *arena) {
    jacobian_job *job = context;
    const tact_model *model = &job->world->scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, npair = (size_t)model->npair, real = sizeof(tact_real);
    size_t nx = (size_t)tact_linear_order(model), size = tact_state_size(model);
    size_t rows = goes_back(job) ? nx + 3 * npair : 0, columns = goes_back(job) ? 0 : nx + nu;
    int states = goes_back(job) ? job->wanted + 1 : 1;
    tact_jacobians *m = &job->run->matrices;
    job->columns = (int)columns;
    // the states before each step, from which reverse mode makes the steps again
    job->kept = tact_arena_take(arena, (size_t)states, sizeof(tact_state));
    for (int k = 0; k < states; k++) {
        void *own = tact_arena_take(arena, size, 1);
        if (own) tact_state_init(&job->kept[k], model, own, size);
    }
    tact_linear_place(&job->linear, model, arena);
    job->run->pair = tact_arena_take(arena, npair, sizeof(int));
    // reverse mode: one adjoint a row
    job->x_bar = tact_arena_take(arena, rows * nx, real);
    job->u_bar = tact_arena_take(arena, rows * nu, real);
    job->anchor = tact_arena_take(arena, rows * npair, sizeof(tact_vec3));
    job->normal = tact_arena_take(arena, rows * npair, sizeof(tact_vec3));
    // forward mode: one change of (q, v, q_past, v_past) a column
    job->change = tact_arena_take(arena, columns * 4 * nv, real);
    job->q = tact_arena_take(arena, columns * nv, real);
    job->v = tact_arena_take(arena, columns * nv, real);
    job->lambda = tact_arena_take(arena, (columns > 0 ? columns : 1) * 3 * npair, real);
    job->u = tact_arena_take(arena, nu, real);
    m->A = goes_back(job) ? job->x_bar : tact_arena_take(arena, nx * nx, real);
    m->B = goes_back(job) ? job->u_bar : tact_arena_take(arena, nx * nu, real);
    m->C = goes_back(job) ? NULL : tact_arena_take(arena, 3 * npair * nx, real);
    m->D = goes_back(job) ? NULL : tact_arena_take(arena, 3 * npair * nu, real);
}

static void tell(const jacobian_job *job, int done) {
    if (job->report) job->report(job->context, done);
}

// A step from kept to the world's state, linearised. The forces of that time are left in place by tact_world_step.
static tact_status linearise(jacobian_job *job, const tact_state *before, tact_input *input) {
    tact_world *world = job->world;
    const tact_scene *scene = world->scene;
    *input = (tact_input){.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
    tact_record step = {&scene->model, &scene->options, input, before, &world->state, &world->work};
    tact_status status = tact_linearise(&job->linear, &step);
    if (status >= 0) job->run->kinks += job->linear.kink;
    return status;
}

// The worst of what there is to say; that something was held says least.
static void note(tact_run_jacobian *run, tact_status status) {
    if (status != TACT_CONVERGED && (status != TACT_HELD || run->status == TACT_CONVERGED)) run->status = status;
}

static void note_contacts(tact_run_jacobian *run, const tact_contacts *contacts) {
    run->nc = contacts->count;
    for (int c = 0; c < run->nc; c++) run->pair[c] = contacts->contact[c].pair;
}

// S of the scene: commands that hold a coordinate, du = dq, or a sum of them, du = sum factor dq, as tact_hold has them. A dof
// with a command of its own has a stiffness.
static bool is_held(const tact_scene *scene, int dof) {
    const tact_dof *driven = &scene->model.dof[dof];
    return scene->command.mode == TACT_COMMAND_HOLD && driven->u >= 0 && !driven->force && driven->stiffness > 0;
}

// Drives on sums; 0 where nothing is held.
static int count_sums(const tact_scene *scene) {
    return scene->command.mode == TACT_COMMAND_HOLD ? scene->model.nspring : 0;
}

// One step further: all columns. carry: the state that it led to is that before the next.
static tact_status push_columns(jacobian_job *job, bool carry) {
    size_t nv = (size_t)job->world->scene->model.nv, nl = 3 * (size_t)job->world->work.contacts.count;
    tact_input input;
    tact_status worst = linearise(job, &job->kept[0], &input);
    for (int c = 0; c < job->columns && worst >= 0; c++) {
        tact_real *x = job->change + 4 * nv * (size_t)c, *q = job->q + nv * (size_t)c, *v = job->v + nv * (size_t)c;
        // What a column changes of the commands: the shift, and coordinates that are held.
        const tact_scene *scene = job->world->scene;
        int shifted = c - tact_linear_order(&scene->model);
        for (int i = 0; i < scene->model.nu; i++) job->u[i] = 0;
        for (int i = 0; i < scene->model.nv; i++)
            if (is_held(scene, i)) job->u[scene->model.dof[i].u] = x[i];
        for (int i = 0; i < count_sums(scene); i++) {
            const tact_spring *spring = &scene->model.spring[i];
            for (int k = 0; spring->u >= 0 && k < spring->count; k++) job->u[spring->u] += spring->factor[k] * x[spring->dof[k]];
        }
        if (shifted >= 0) job->u[shifted] += 1;
        tact_step_change change = {.q = x, .v = x + nv, .q_past = x + 2 * nv, .v_past = x + 3 * nv, .u = job->u};
        tact_step_effect effect = {q, v, job->lambda + nl * (size_t)c};
        tact_status status = tact_linear_push(&job->linear, &change, &effect);
        // the chain rule: the change after this step is that before the next, and the present state becomes the past
        if (status != TACT_CONVERGED) worst = status;
        for (size_t i = 0; carry && i < nv; i++) {
            x[2 * nv + i] = x[i];
            x[3 * nv + i] = x[nv + i];
            x[i] = q[i];
            x[nv + i] = v[i];
        }
    }
    return worst;
}

static void go_forward(jacobian_job *job) {
    tact_world *world = job->world;
    tact_run_jacobian *run = job->run;
    size_t nv = (size_t)world->scene->model.nv;
    for (size_t i = 0; i < 4 * nv * (size_t)job->columns; i++) job->change[i] = 0;
    // the identity: column i changes coordinate i of (q, v)
    for (size_t i = 0; i < 2 * nv; i++) job->change[4 * nv * i + i] = 1;
    while (run->steps < job->wanted && run->status >= 0) {
        // the derivative is about the state before the step
        tact_state_copy(&job->kept[0], &world->state, &world->scene->model);
        tact_status status = tact_world_step(world);
        bool last = ++run->steps == job->wanted;
        tact_status linear = status < 0 ? status : push_columns(job, !last);
        note(run, linear < 0 || status == TACT_CONVERGED ? linear : status);
        tell(job, run->steps);
    }
    if (run->status < 0) return;
    note_contacts(run, &world->work.contacts);
    run->redundant = job->linear.redundant;
    // the columns as matrices, row by row
    int n = (int)nv, nu = world->scene->model.nu, nl = 3 * run->nc;
    for (int c = 0; c < job->columns; c++) {
        bool command = c >= 2 * n;
        int at = command ? c - 2 * n : c, width = command ? nu : 2 * n;
        tact_real *x = command ? run->matrices.B : run->matrices.A, *force = command ? run->matrices.D : run->matrices.C;
        for (int i = 0; i < n; i++) x[i * width + at] = job->q[c * n + i];
        for (int i = 0; i < n; i++) x[(n + i) * width + at] = job->v[c * n + i];
        for (int i = 0; i < nl; i++) force[i * width + at] = job->lambda[c * nl + i];
    }
}

// One row through one step.
static tact_status pull_row(jacobian_job *job, int row, bool last) {
    const tact_scene *scene = job->world->scene;
    const tact_model *model = &scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, npair = (size_t)model->npair, at = (size_t)row;
    tact_real *x_bar = job->x_bar + at * nv, *u_bar = job->u_bar + at * nu;
    // rows beyond nv are those of the last step's contact forces
    for (int i = 0; i < 3 * job->world->work.contacts.count; i++) job->lambda[i] = last && model->nv + i == row;
    tact_step_adjoint adjoint = {
        .q = x_bar, .anchor = job->anchor + at * npair, .normal = job->normal + at * npair, .lambda = job->lambda, .u = job->u};
    tact_status status = tact_linear_pull(&job->linear, &adjoint);
    for (int i = 0; i < model->nu; i++) u_bar[i] += job->u[i];
    // held drives have u = q: what is due to u is due to q, too
    for (int i = 0; i < model->nv; i++)
        if (is_held(scene, i)) x_bar[i] += job->u[model->dof[i].u];
    for (int i = 0; i < count_sums(scene); i++) {
        const tact_spring *spring = &model->spring[i];
        for (int k = 0; spring->u >= 0 && k < spring->count; k++) x_bar[spring->dof[k]] += spring->factor[k] * job->u[spring->u];
    }
    return status;
}

static void go_back(jacobian_job *job) {
    tact_world *world = job->world;
    tact_run_jacobian *run = job->run;
    const tact_model *model = &world->scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu;
    // forward: keep the state before each step
    while (run->steps < job->wanted && run->status >= 0) {
        tact_state_copy(&job->kept[run->steps++], &world->state, model);
        note(run, tact_world_step(world));
    }
    if (run->status < 0) return;
    note_contacts(run, &world->work.contacts);
    size_t rows = nv + 3 * (size_t)run->nc;
    for (size_t i = 0; i < rows * nv; i++) job->x_bar[i] = 0;
    for (size_t i = 0; i < rows * nu; i++) job->u_bar[i] = 0;
    // the seed: rows of the identity for q+, zero for the forces, which seed themselves in the last step
    for (size_t i = 0; i < nv; i++) job->x_bar[i * nv + i] = 1;
    for (size_t i = 0; i < rows * (size_t)model->npair; i++) job->anchor[i] = job->normal[i] = tact_vec3_make(0, 0, 0);
    // backward: make step k again from its state, and pull every row through it
    for (int k = job->wanted - 1; k >= 0 && run->status >= 0; k--) {
        tact_input input;
        tact_state_copy(&world->state, &job->kept[k], model);
        tact_world_step(world);
        tact_status status = linearise(job, &job->kept[k], &input);
        for (int row = 0; row < (int)rows && status >= 0; row++) status = pull_row(job, row, k == job->wanted - 1);
        if (status < 0) run->status = status;
        tell(job, job->wanted - k);
    }
    run->matrices.C = job->x_bar + nv * nv;
    run->matrices.D = job->u_bar + nv * nu;
}

bool tact_run_jacobian_make(tact_run_jacobian *run, tact_world *world, int steps, bool frozen, tact_run_report *report,
                            void *context) {
    TACT_ASSERT(run && world && steps >= 1 && !tact_linear_refuse(&world->scene->model));
    jacobian_job job = {.world = world, .run = run, .wanted = steps, .report = report, .context = context};
    *run = (tact_run_jacobian){.status = TACT_CONVERGED};
    run->memory = tact_memory_place(place_jacobian, &job);
    if (!run->memory) return false;
    job.linear.frozen_geometry = frozen;
    // the run is that of the scene's own commands
    tact_world_command(world);
    if (goes_back(&job))
        go_back(&job);
    else
        go_forward(&job);
    return true;
}

void tact_run_jacobian_free(tact_run_jacobian *run) {
    tact_memory_release(run->memory);
    *run = (tact_run_jacobian){.status = TACT_CONVERGED};
}
