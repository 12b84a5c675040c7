// SPDX-License-Identifier: MIT
// Derivatives of chains of the virtual law in contact: a finger of a hinge, a slide and a hinge, a thumb, a box with its centre
// of mass off the origin. Columns of a step against differences, matrices against columns, one pass back over a run against
// columns carried forwards.
#include "tact/rollout.h"
#include "tact/virtual.h"
#include "virtual_carry.h"

static const bool is_double = sizeof(tact_real) == 8;

enum { N = 7, INPUTS = 4 * N + 4, PARAMETERS = 11 };

static void make_grip(virtual_scene *s, int integrator) {
    virtual_begin(s);
    int arm = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.5, 0.01);
    int slide = virtual_add_body(s, TACT_JOINT_PRISMATIC, 0.2, 0.004);
    int paw = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.3, 0.02);
    int thumb = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.3, 0.02);
    s->body[arm].com = tact_vec3_make(TACT_REAL(0.1), TACT_REAL(0.05), 0);
    s->body[arm].place.p = tact_vec3_make(TACT_REAL(-0.6), TACT_REAL(0.1), 0);
    s->body[slide].parent = arm;
    s->body[slide].axis = tact_vec3_make(TACT_REAL(0.8), TACT_REAL(0.6), 0);
    s->body[slide].place.p.x = TACT_REAL(0.2);
    s->body[slide].com.y = TACT_REAL(0.03);
    s->body[paw].parent = slide;
    s->body[paw].axis.z = -1;
    s->body[paw].com.x = TACT_REAL(0.12);
    s->body[thumb].place.p = tact_vec3_make(TACT_REAL(0.5), TACT_REAL(0.05), 0);
    s->body[thumb].com.x = TACT_REAL(-0.1);
    int welded = virtual_add_body(s, TACT_JOINT_FIXED, 0.05, 0.001);
    s->body[welded].parent = paw;
    s->body[welded].place.p = tact_vec3_make(TACT_REAL(0.2), TACT_REAL(0.02), 0);
    int box = virtual_add_body(s, TACT_JOINT_PLANAR, 0.4, 0.01);
    s->body[box].com = tact_vec3_make(TACT_REAL(0.03), TACT_REAL(-0.02), 0);
    int a = virtual_add_shape(s, welded, TACT_SHAPE_CIRCLE, 0.06, 0, 0),
        b = virtual_add_shape(s, thumb, TACT_SHAPE_CIRCLE, 0.07, 0, 0);
    int c = virtual_add_shape(s, box, TACT_SHAPE_RECTANGLE, 0.2, 0.12, 0.03);
    int d = virtual_add_shape(s, slide, TACT_SHAPE_CIRCLE, 0.05, 0, 0);
    s->shape[b].place.p.x = TACT_REAL(-0.2);
    virtual_add_pair(s, a, c, 0.4);
    virtual_add_pair(s, c, b, 0.3);
    virtual_add_pair(s, d, c, 0.2);
    virtual_add_pair(s, a, d, 0.2);
    s->dof[0].stiffness = 30;
    s->dof[0].damping = 1;
    s->dof[1].stiffness = 200;
    s->dof[2].force = true;
    s->dof[3].force = true;
    s->dof[2].upper = TACT_REAL(0.22);
    const double q0[N] = {0.1, 0.05, 0.2, -0.05, 0.07, 0.1, 0.31}, v0[N] = {0.5, -0.3, 0.8, 0.4, 0.2, -0.3, 1};
    for (int i = 0; i < N; i++) {
        s->q0[i] = (tact_real)q0[i];
        s->v0[i] = (tact_real)v0[i];
    }
    s->options.gravity = tact_vec3_make(TACT_REAL(0.5), -5, 0);
    s->options.dt = TACT_REAL(0.01);
    s->options.kn = 200;
    s->options.kd = 5;
    s->options.kt = 8;
    s->options.temperature = TACT_REAL(0.03);
    s->options.spread = TACT_REAL(0.05);
    s->options.penalty = TACT_PENALTY_EXP;
    s->options.friction = TACT_FRICTION_TANH;
    s->options.integrator = (tact_integrator)integrator;
    virtual_end(s);
    CHECK_INT(s->model.nv, N);
    CHECK_INT(s->model.nu, 4);
}

static const tact_parameter grip_parameters[PARAMETERS] = {
    {TACT_PARAMETER_MASS, 0, 0},      {TACT_PARAMETER_MASS, 2, 0},    {TACT_PARAMETER_MASS, 5, 0}, {TACT_PARAMETER_INERTIA, 2, 0},
    {TACT_PARAMETER_INERTIA, 5, 0},   {TACT_PARAMETER_KN, 0, 0},      {TACT_PARAMETER_MU, 0, 0},   {TACT_PARAMETER_RADIUS, 0, 0},
    {TACT_PARAMETER_STIFFNESS, 1, 0}, {TACT_PARAMETER_DAMPING, 0, 0}, {TACT_PARAMETER_FORCE, 2, 1}};

// one step from x: q, v, q', v', u; with one parameter moved
static void step_grip(virtual_scene *s, const double *x, bool past, int parameter, double by, double *out, double *forces) {
    tact_real u[4], kept = 0, *place = NULL;
    tact_wrench wrench[VIRTUAL_BODIES] = {0};
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    if (parameter == PARAMETERS - 1) {
        wrench[2].force.y = (tact_real)by;
    } else if (parameter >= 0) {
        place = virtual_parameter(s, grip_parameters[parameter]);
        kept = *place;
        *place += (tact_real)by;
        tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
    }
    for (int i = 0; i < N; i++) {
        s->state.q[i] = (tact_real)x[i];
        s->state.v[i] = (tact_real)x[N + i];
        s->state.q_past[i] = (tact_real)x[2 * N + i];
        s->state.v_past[i] = (tact_real)x[3 * N + i];
    }
    s->state.past = past;
    tact_status status = virtual_go(s, u, wrench);
    CHECK(is_double ? status == TACT_CONVERGED : status >= 0);
    for (int i = 0; i < N; i++) {
        out[i] = (double)s->state.q[i];
        out[N + i] = (double)s->state.v[i];
    }
    for (int c = 0; c < s->work.contacts.count; c++) {
        const tact_vec3 f = s->work.contacts.contact[c].force;
        forces[2 * c] = (double)f.x;
        forces[2 * c + 1] = (double)f.y;
    }
    if (!place) return;
    *place = kept;
    tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
}

enum { OUT = 2 * N + 8 };

static void differ_grip(virtual_scene *s, double *x, bool past, int by, double *slope) {
    double h = is_double ? 2e-4 : 1e-2, table[3][OUT], up[OUT] = {0}, down[OUT] = {0};
    for (int k = 0; k < 3; k++, h /= 2) {
        double kept = by < INPUTS ? x[by] : 0;
        int parameter = by < INPUTS ? -1 : by - INPUTS;
        if (by < INPUTS) x[by] = kept + h;
        step_grip(s, x, past, parameter, h, up, up + 2 * N);
        if (by < INPUTS) x[by] = kept - h;
        step_grip(s, x, past, parameter, -h, down, down + 2 * N);
        if (by < INPUTS) x[by] = kept;
        for (int i = 0; i < OUT; i++) table[k][i] = (up[i] - down[i]) / (2 * h);
    }
    for (int i = 0; i < OUT; i++) {
        double a = (4 * table[1][i] - table[0][i]) / 3, b = (4 * table[2][i] - table[1][i]) / 3;
        slope[i] = (16 * b - a) / 15;
    }
}

// one column of the step by the formulas: q+, v+, and the forces' x, y
static void push_grip(virtual_scene *s, const double *x, bool past, const tact_state *before, int by, double *slope) {
    tact_real unit[INPUTS] = {0}, dq[N], dv[N], dl[12], u[4];
    double out[2 * N], forces[8];
    step_grip(s, x, past, -1, 0, out, forces);
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    if (by < INPUTS) unit[by] = 1;
    tact_virtual_change change = {
        .q = unit, .v = unit + N, .q_past = unit + 2 * N, .v_past = unit + 3 * N, .u = unit + 4 * N, .parameter = NULL};
    if (by >= INPUTS) change.parameter = &grip_parameters[by - INPUTS];
    tact_input input = {.u = u};
    tact_virtual_effect effect = {dq, dv, dl};
    CHECK_INT(tact_virtual_differentiate(&s->model, &s->options, &input, before, &s->work, &change, &effect), TACT_CONVERGED);
    for (int i = 0; i < N; i++) {
        slope[i] = (double)dq[i];
        slope[N + i] = (double)dv[i];
    }
    for (int c = 0; c < s->work.contacts.count; c++) {
        tact_vec3 f = tact_mat3_apply_transposed(s->work.contacts.contact[c].frame,
                                                 tact_vec3_make(dl[3 * c], dl[3 * c + 1], dl[3 * c + 2]));
        slope[2 * N + 2 * c] = (double)f.x;
        slope[2 * N + 2 * c + 1] = (double)f.y;
    }
}

// the matrices of a step in one stage, which are filled another way, are its columns
static void check_grip_matrices(virtual_scene *s, const double *x, bool past, const tact_state *before) {
    static tact_real out[8][N * N], scratch[200];
    tact_real u[4];
    double slope[OUT], step[2 * N], forces[8];
    for (int i = 0; i < 4; i++) u[i] = (tact_real)x[4 * N + i];
    tact_input input = {.u = u};
    tact_virtual_jacobians jacobians = {out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], NULL, NULL};
    step_grip(s, x, past, -1, 0, step, forces);
    CHECK_INT(tact_virtual_matrices(&s->model, &s->options, &input, before, &s->work, &jacobians, scratch), TACT_CONVERGED);
    for (int kind = 0; kind < 3; kind++) {
        int columns = kind == 2 ? 4 : N;
        for (int k = 0; k < columns; k++) {
            push_grip(s, x, past, before, kind == 2 ? 4 * N + k : kind * N + k, slope);
            const tact_real *q = kind == 0 ? out[0] : kind == 1 ? out[1] : out[4];
            const tact_real *v = kind == 0 ? out[2] : kind == 1 ? out[3] : out[5];
            for (int i = 0; i < N; i++) {
                CHECK_CLOSE(q[i * columns + k], slope[i], is_double ? 1e-12 : 1e-3);
                CHECK_CLOSE(v[i * columns + k], slope[N + i], is_double ? 1e-12 : 1e-2);
            }
        }
    }
}

static void test_columns(void) {
    static virtual_scene s;
    static unsigned char memory[1 << 12];
    for (int integrator = 0; integrator < 3; integrator++)
        for (int past = 0; past < (integrator == 1 ? 2 : 1); past++) {
            double x[INPUTS], worst = 0, wanted[OUT], found[OUT];
            tact_state before;
            make_grip(&s, integrator);
            for (int i = 0; i < N; i++) {
                x[i] = (double)s.q0[i];
                x[N + i] = (double)s.v0[i];
                x[2 * N + i] = x[i] - 0.01 * x[N + i] + 1e-4 * i;
                x[3 * N + i] = x[N + i] - 0.02 + 0.01 * i;
            }
            x[4 * N] = 0.12;
            x[4 * N + 1] = 0.04;
            x[4 * N + 2] = -0.3;
            x[4 * N + 3] = 0.2;
            tact_state_init(&before, &s.model, memory, sizeof memory);
            before.past = past == 1;
            for (int by = 0; by < INPUTS + PARAMETERS; by++) {
                if (past == 0 && by >= 2 * N && by < 4 * N) continue;
                differ_grip(&s, x, past == 1, by, wanted);
                push_grip(&s, x, past == 1, &before, by, found);
                int count = 2 * N + 2 * s.work.contacts.count;
                double size = 1, off = 0;
                for (int i = 0; i < count; i++) size = fmax(size, fabs(wanted[i]));
                for (int i = 0; i < count; i++) off = fmax(off, fabs(found[i] - wanted[i]) / size);
                if (off > 1e-8 && is_double) printf("    column %d off by %g\n", by, off);
                worst = fmax(worst, off);
            }
            printf("    grip, integrator %d, past %d: %d contacts, columns off by %.2g\n", integrator, past,
                   s.work.contacts.count, worst);
            CHECK(s.work.contacts.count >= 3);
            CHECK(worst <= (is_double ? 1e-8 : 0.2));
            check_grip_matrices(&s, x, past == 1, &before);
        }
}

// ---- a run back and forth

enum { STEPS = 120 };

enum { CARRIED = 2 * N + 4 + PARAMETERS };

static void test_adjoint(void) {
    static virtual_scene s;
    static tact_real u[4 * STEPS], by_q[N], by_v[N], by_u[4 * STEPS], by_parameter[PARAMETERS];
    for (int k = 0; k < STEPS; k++) {
        u[4 * k] = TACT_REAL(0.15);
        u[4 * k + 1] = TACT_REAL(0.05);
        u[4 * k + 2] = (tact_real)(-0.4 * sin(0.03 * k));
        u[4 * k + 3] = TACT_REAL(0.3);
    }
    for (int integrator = 0; integrator < 3; integrator++) {
        double forwards[CARRIED], size = 1, worst = 0;
        carry_run run = {STEPS, N};
        make_grip(&s, integrator);
        s.options.dt = TACT_REAL(0.002);
        carry_forwards(&s, run, u, grip_parameters, PARAMETERS, forwards);
        size_t bytes = tact_rollout_size(&s.model, STEPS, STEPS / 4);
        void *memory = malloc(bytes);
        tact_rollout_work work;
        CHECK_INT(tact_rollout_init(&work, &s.model, STEPS, memory, bytes), TACT_CONVERGED);
        tact_rollout rollout = {.steps = STEPS, .u = u, .context = &run, .loss = carry_loss, .loss_by_v = carry_loss_by_v};
        tact_rollout_slope slope = {.q = by_q,
                                    .u = by_u,
                                    .v = by_v,
                                    .nparameter = PARAMETERS,
                                    .parameter = grip_parameters,
                                    .by_parameter = by_parameter};
        tact_state_reset(&s.state, &s.model);
        tact_rollout_result result = tact_rollout_gradient(&s.model, &s.options, &rollout, &s.state, &work, &slope);
        CHECK_INT(result.status, TACT_CONVERGED);
        for (int c = 0; c < CARRIED; c++) size = fmax(size, fabs(forwards[c]));
        for (int c = 0; c < CARRIED; c++) {
            double back = (double)(c < N           ? by_q[c]
                                   : c < 2 * N     ? by_v[c - N]
                                   : c < 2 * N + 4 ? by_u[c - 2 * N]
                                                   : by_parameter[c - 2 * N - 4]);
            worst = fmax(worst, fabs(back - forwards[c]) / size);
        }
        printf("    integrator %d: back against forth %.2g\n", integrator, worst);
        CHECK(worst <= (is_double ? 1e-12 : 1e-2));
        free(memory);
    }
}

int main(void) {
    test_columns();
    test_adjoint();
    return test_end("virtual_chain_deriv");
}
