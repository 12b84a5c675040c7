// SPDX-License-Identifier: MIT
// Derivatives of a step of the virtual law against differences, over pairs of shapes, integrators and force laws, and of
// linkages.
#include "tact/virtual.h"
#include "virtual_scene.h"

static const bool is_double = sizeof(tact_real) == 8;

enum { SHAPES = 7, N = 6, PARAMETERS = 18 };

static int add_kind(virtual_scene *s, int body, int kind) {
    switch (kind) {
    case 0: return virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 0.3, 0, 0);
    case 1: return virtual_add_shape(s, body, TACT_SHAPE_RECTANGLE, 0.35, 0.25, 0.05);
    case 2: return virtual_add_polygon(s, body, 6, 0.32, 0.1);
    case 3: return virtual_add_polygon(s, body, 3, 0.4, 0.2);
    case 4: {
        int i = virtual_add_shape(s, body, TACT_SHAPE_CAPSULE, 0.15, 0.2, 0);
        // its axis from z into the plane
        s->shape[i].place.R = (tact_mat3){{{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}};
        return i;
    }
    case 5: {
        int a = virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 0.25, 0, 0),
            b = virtual_add_shape(s, body, TACT_SHAPE_CIRCLE, 0.2, 0, 0);
        s->shape[b].place.p = tact_vec3_make(TACT_REAL(0.2), TACT_REAL(0.1), 0);
        int i = virtual_add_shape(s, body, TACT_SHAPE_SMOOTH_UNION, 0.05, 0, 0);
        static int members[VIRTUAL_SHAPES][2];
        members[i][0] = a;
        members[i][1] = b;
        s->shape[i].count = 2;
        s->shape[i].member = members[i];
        return i;
    }
    default: return virtual_add_shape(s, body, TACT_SHAPE_HALFPLANE, 0, 0, 0);
    }
}

// two bodies near each other, the second driven
static void make_case(virtual_scene *s, int first, int second, uint64_t *seed) {
    virtual_begin(s);
    for (int b = 0; b < 2; b++) {
        int body = virtual_add_body(s, TACT_JOINT_PLANAR, test_random(seed, 0.2, 1), test_random(seed, 0.02, 0.1));
        for (int k = 0; k < 3; k++) s->v0[3 * b + k] = (tact_real)test_random(seed, -1, 1);
        s->q0[3 * b + 2] = (tact_real)test_random(seed, -3, 3);
        (void)body;
    }
    int a = add_kind(s, 0, first), b = add_kind(s, second == SHAPES - 1 ? TACT_WORLD : 1, second);
    double away = test_random(seed, 0, 6.28),
           far = second == SHAPES - 1 ? test_random(seed, 0.15, 0.35) : test_random(seed, 0.4, 0.65);
    s->q0[0] = (tact_real)(second == SHAPES - 1 ? test_random(seed, -1, 1) : far * cos(away));
    s->q0[1] = (tact_real)(second == SHAPES - 1 ? far : far * sin(away));
    virtual_add_pair(s, a, b, 0.4);
    s->dof[3].stiffness = 20;
    s->dof[3].damping = 2;
    s->dof[4].force = true;
    s->dof[5].damping = TACT_REAL(0.1);
    // limits: one that is passed, one that is near
    s->dof[0].upper = s->q0[0] - TACT_REAL(0.03);
    s->dof[2].lower = s->q0[2] - TACT_REAL(0.04);
    s->options.gravity.y = -5;
    s->options.dt = TACT_REAL(0.01);
    s->options.kn = 200;
    s->options.kd = 5;
    s->options.kt = 8;
    s->options.temperature = TACT_REAL(0.02);
    s->options.spread = TACT_REAL(0.05);
    s->options.penalty = (tact_penalty)(test_random_bits(seed) % 3);
    s->options.friction = test_random_bits(seed) % 2 ? TACT_FRICTION_TANH : TACT_FRICTION_CLAMP;
    s->options.damping = test_random_bits(seed) % 4 ? TACT_DAMPING_PRODUCT : TACT_DAMPING_SUM;
    virtual_end(s);
}

// what a step depends on: q, v, q', v', u, then parameters
typedef struct {
    tact_real x[4 * N + 2];
} inputs;

static void get_inputs(const tact_state *state, const tact_real *u, inputs *in) {
    for (int i = 0; i < N; i++) {
        in->x[i] = state->q[i];
        in->x[N + i] = state->v[i];
        in->x[2 * N + i] = state->q_past[i];
        in->x[3 * N + i] = state->v_past[i];
    }
    in->x[4 * N] = u[0];
    in->x[4 * N + 1] = u[1];
}

static bool step_from(virtual_scene *s, const inputs *in, bool past, tact_real *out) {
    for (int i = 0; i < N; i++) {
        s->state.q[i] = in->x[i];
        s->state.v[i] = in->x[N + i];
        s->state.q_past[i] = in->x[2 * N + i];
        s->state.v_past[i] = in->x[3 * N + i];
    }
    s->state.past = past;
    tact_status status = virtual_go(s, in->x + 4 * N, NULL);
    for (int i = 0; i < N; i++) {
        out[i] = s->state.q[i];
        out[N + i] = s->state.v[i];
    }
    return status == TACT_CONVERGED;
}

static int list_parameters(const virtual_scene *s, tact_parameter *list) {
    int n = 0;
    list[n++] = (tact_parameter){TACT_PARAMETER_KN, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_KD, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_KT, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_TEMPERATURE, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_MU, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_MASS, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_MASS, 1, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_INERTIA, 0, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_STIFFNESS, 3, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_DAMPING, 3, 0};
    list[n++] = (tact_parameter){TACT_PARAMETER_DAMPING, 5, 0};
    for (int end = 0; end < 2; end++) {
        int shape = end == 0 ? s->pair[0].a : s->pair[0].b;
        switch (s->shape[shape].type) {
        case TACT_SHAPE_CIRCLE: list[n++] = (tact_parameter){TACT_PARAMETER_RADIUS, shape, 0}; break;
        case TACT_SHAPE_RECTANGLE: list[n++] = (tact_parameter){TACT_PARAMETER_SIZE, shape, 0}; break;
        case TACT_SHAPE_POLYGON: list[n++] = (tact_parameter){TACT_PARAMETER_SIZE, shape, 0}; break;
        case TACT_SHAPE_CAPSULE: list[n++] = (tact_parameter){TACT_PARAMETER_SIZE, shape, 1}; break;
        default: break;
        }
    }
    return n;
}

static bool step_with(virtual_scene *s, const inputs *in, bool past, int by, double h, const tact_parameter *list,
                      tact_real *out) {
    inputs moved = *in;
    if (by < 4 * N + 2) {
        moved.x[by] += (tact_real)h;
        return step_from(s, &moved, past, out);
    }
    tact_real *place = virtual_parameter(s, list[by - 4 * N - 2]), kept = *place;
    *place += (tact_real)h;
    // the work holds masses and sizes
    tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
    bool good = step_from(s, in, past, out);
    *place = kept;
    tact_work_init(&s->work, &s->model, s->memory[2], sizeof s->memory[2]);
    return good;
}

// Central differences by Richardson; *doubt: how far two of them are apart, TACT_MAX when a step failed.
static void differ(virtual_scene *s, const inputs *in, bool past, int by, const tact_parameter *list, double *out,
                   double *doubt) {
    tact_real up[2 * N], down[2 * N];
    double table[3][2 * N], h = is_double ? 1.5e-4 : 8e-3;
    bool good = true;
    for (int k = 0; k < 3; k++, h /= 2) {
        good = step_with(s, in, past, by, h, list, up) && good;
        good = step_with(s, in, past, by, -h, list, down) && good;
        for (int i = 0; i < 2 * N; i++) table[k][i] = ((double)up[i] - (double)down[i]) / (2 * h);
    }
    double error = 0, size = 1;
    for (int i = 0; i < 2 * N; i++) {
        double a = (4 * table[1][i] - table[0][i]) / 3, b = (4 * table[2][i] - table[1][i]) / 3;
        out[i] = (16 * b - a) / 15;
        error = fmax(error, fabs(out[i] - b));
        size = fmax(size, fabs(b));
    }
    *doubt = good ? error / size : HUGE_VAL;
}

// Matrices asked for one by one are those asked for together.
static void check_alone(virtual_scene *s, const inputs *in, const tact_state *before) {
    static tact_real whole[10][12 * N], one[12 * N], scratch[200];
    int nu = s->model.nu, nl = 3 * s->work.contacts.count;
    const int rows[10] = {N, N, N, N, N, N, N, N, nl, nl}, columns[10] = {N, N, N, N, nu, nu, N, N, N, nu};
    tact_input input = {.u = in->x + 4 * N};
    if (nl > 12) return;
    for (int k = -1; k < 10; k++) {
        tact_real *to[10];
        for (int i = 0; i < 10; i++) to[i] = k < 0 ? whole[i] : i == k ? one : NULL;
        tact_virtual_jacobians jacobians = {.q_q = to[0],
                                            .q_v = to[1],
                                            .v_q = to[2],
                                            .v_v = to[3],
                                            .q_u = to[4],
                                            .v_u = to[5],
                                            .q_f = to[6],
                                            .v_f = to[7],
                                            .l_q = to[8],
                                            .l_u = to[9]};
        CHECK_INT(tact_virtual_matrices(&s->model, &s->options, &input, before, &s->work, &jacobians, scratch), TACT_CONVERGED);
        if (k >= 0) CHECK(memcmp(one, whole[k], (size_t)(rows[k] * columns[k]) * sizeof one[0]) == 0);
    }
}

typedef struct {
    int sharp, blurred, lost;
    double worst;
} tally;

// The matrices of a step are its columns.
static void check_matrices(virtual_scene *s, const tact_real *u, const tact_state *before) {
    enum { MOST = 16 };
    static tact_real out[10][MOST * MOST], scratch[4 * MOST + 3 * VIRTUAL_PAIRS];
    int nv = s->model.nv, nu = s->model.nu, rows = 3 * s->work.contacts.count;
    CHECK(nv <= MOST && nu <= MOST && rows <= MOST);
    tact_virtual_jacobians jacobians = {out[0], out[1], out[2], out[3], out[4], out[5], out[6], out[7], out[8], out[9]};
    tact_input input = {.u = u};
    CHECK_INT(tact_virtual_matrices(&s->model, &s->options, &input, before, &s->work, &jacobians, scratch), TACT_CONVERGED);
    // dq, dv by q, v, u, f; dlambda by q and u
    const tact_real *by[4][3] = {
        {out[0], out[2], out[8]}, {out[1], out[3], NULL}, {out[4], out[5], out[9]}, {out[6], out[7], NULL}};
    for (int kind = 0; kind < 4; kind++)
        for (int k = 0, columns = kind == 2 ? nu : nv; k < columns; k++) {
            tact_real unit[MOST] = {0}, dq[MOST], dv[MOST], dl[MOST];
            tact_virtual_change change = {0};
            tact_virtual_effect effect = {dq, dv, dl};
            unit[k] = 1;
            *(kind == 0 ? &change.q : kind == 1 ? &change.v : kind == 2 ? &change.u : &change.force) = unit;
            tact_virtual_differentiate(&s->model, &s->options, &input, before, &s->work, &change, &effect);
            for (int i = 0; i < nv; i++) {
                CHECK_CLOSE(by[kind][0][i * columns + k], dq[i], is_double ? 1e-11 : 1e-2);
                CHECK_CLOSE(by[kind][1][i * columns + k], dv[i], is_double ? 1e-11 : 1e-1);
            }
            for (int i = 0; by[kind][2] && i < rows; i++)
                CHECK_CLOSE(by[kind][2][i * columns + k], dl[i], is_double ? 1e-11 : 1e-1);
        }
}

static void check_step(virtual_scene *s, const inputs *in, bool past, const tact_state *before, tally *t) {
    tact_parameter list[PARAMETERS];
    int count = list_parameters(s, list);
    for (int by = 0; by < 4 * N + 2 + count; by++) {
        double wanted[2 * N], doubt;
        tact_real unit[4 * N + 2] = {0}, dq[N], dv[N], out[2 * N];
        if (by >= 2 * N && by < 4 * N && !past) continue;
        differ(s, in, past, by, list, wanted, &doubt);
        step_from(s, in, past, out);
        if (by < 4 * N + 2) unit[by] = 1;
        tact_input input = {.u = in->x + 4 * N};
        tact_virtual_change change = {
            .q = unit, .v = unit + N, .q_past = unit + 2 * N, .v_past = unit + 3 * N, .u = unit + 4 * N};
        if (by >= 4 * N + 2) change.parameter = &list[by - 4 * N - 2];
        tact_virtual_effect effect = {dq, dv, NULL};
        CHECK_INT(tact_virtual_differentiate(&s->model, &s->options, &input, before, &s->work, &change, &effect), TACT_CONVERGED);
        double worst = 0, size = 1;
        for (int i = 0; i < N; i++) {
            size = fmax(size, fmax(fabs(wanted[i]), fabs(wanted[N + i])));
            worst = fmax(worst, fmax(fabs((double)dq[i] - wanted[i]), fabs((double)dv[i] - wanted[N + i])));
        }
        worst /= size;
        // differences that agree say more
        bool sharp = doubt <= (is_double ? 3e-10 : 2e-3), blurred = doubt <= (is_double ? 1e-7 : 1e-2);
        double allowed = sharp ? (is_double ? 1e-8 : 0.5) : is_double ? 1e-6 : 1;
        *(sharp ? &t->sharp : blurred ? &t->blurred : &t->lost) += 1;
        if (sharp) t->worst = fmax(t->worst, worst);
        if (!blurred) continue;
        CHECK(worst <= allowed);
        if (worst > allowed)
            printf("    shapes %d %d integrator %d past %d column %d: off by %g, doubt %g\n", (int)s->shape[s->pair[0].a].type,
                   (int)s->shape[s->pair[0].b].type, (int)s->options.integrator, past, by, worst, doubt);
    }
}

static void test_steps(void) {
    static virtual_scene s;
    uint64_t seed = test_seed(20261121);
    tally t = {0, 0, 0, 0};
    unsigned char memory[1 << 12];
    int touching = 0;
    for (int first = 0; first < SHAPES - 1; first++)
        for (int second = first; second < SHAPES; second++)
            // corners deep in a blend have normals that jump
            for (int k = 0; k < (second == 5 ? 2 * (first == 0) : 2); k++) {
                tact_state before;
                inputs in;
                tact_real u[2] = {(tact_real)test_random(&seed, -0.1, 0.1), (tact_real)test_random(&seed, -2, 2)}, out[2 * N];
                make_case(&s, first, second, &seed);
                tact_state_init(&before, &s.model, memory, sizeof memory);
                for (int integrator = 0; integrator < 3; integrator++) {
                    s.options.integrator = (tact_integrator)integrator;
                    tact_state_reset(&s.state, &s.model);
                    for (int step = 0; step < (integrator == 1 ? 2 : 1); step++) {
                        tact_state_copy(&before, &s.state, &s.model);
                        get_inputs(&s.state, u, &in);
                        // a solution at a corner has no slope
                        if (!step_from(&s, &in, before.past, out) || s.work.iterations > 12) continue;
                        touching += s.work.contacts.count;
                        if (t.sharp % 7 == 0 && !before.past) check_alone(&s, &in, &before);
                        check_step(&s, &in, before.past, &before, &t);
                        // the differences have moved the state
                        step_from(&s, &in, before.past, out);
                        check_matrices(&s, u, &before);
                    }
                }
            }
    printf("    %d columns, worst %.2g; %d with less sharp differences, %d at a kink\n", t.sharp, t.worst, t.blurred, t.lost);
    CHECK(touching > 60);
    CHECK(t.sharp > 4 * t.blurred && t.sharp > 20 * t.lost);
}

// Arms, sliders and welded bodies: an arm whose centre of mass goes round, on a driven hinge; a paddle that turns on two sliders,
// with its shape on a body welded to it; a disc that both touch.
static void make_linkage(virtual_scene *s, int integrator) {
    virtual_begin(s);
    int arm = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.5, 0.01);
    s->body[arm].com = tact_vec3_make(TACT_REAL(0.2), TACT_REAL(0.05), 0);
    s->body[arm].place.p = tact_vec3_make(TACT_REAL(-0.5), TACT_REAL(0.1), 0);
    int first = virtual_add_body(s, TACT_JOINT_PRISMATIC, 0.2, 0);
    s->body[first].axis = tact_vec3_make(TACT_REAL(0.6), TACT_REAL(0.8), 0);
    int second = virtual_add_body(s, TACT_JOINT_PRISMATIC, 0.1, 0);
    s->body[second].axis = tact_vec3_make(1, 0, 0);
    s->body[second].parent = first;
    int paddle = virtual_add_body(s, TACT_JOINT_CONTINUOUS, 0.3, 0.02);
    s->body[paddle].parent = second;
    s->body[paddle].axis = tact_vec3_make(0, 0, -1);
    s->body[paddle].place.p = tact_vec3_make(TACT_REAL(0.5), 0, 0);
    int welded = virtual_add_body(s, TACT_JOINT_FIXED, 0, 0);
    s->body[welded].parent = paddle;
    s->body[welded].place.p = tact_vec3_make(TACT_REAL(-0.1), TACT_REAL(0.05), 0);
    int disc = virtual_add_body(s, TACT_JOINT_PLANAR, 0.4, 0.01);
    int a = virtual_add_shape(s, arm, TACT_SHAPE_RECTANGLE, 0.3, 0.05, 0.01), b = virtual_add_polygon(s, welded, 5, 0.2, 0.1);
    int c = virtual_add_shape(s, disc, TACT_SHAPE_CIRCLE, 0.15, 0, 0);
    s->shape[a].place.p.x = TACT_REAL(0.25);
    virtual_add_pair(s, a, c, 0.4);
    virtual_add_pair(s, b, c, 0.3);
    virtual_add_pair(s, a, b, 0.2);
    s->dof[0].stiffness = 30;
    s->dof[0].damping = 1;
    s->dof[3].force = true;
    s->q0[0] = TACT_REAL(0.2);
    s->q0[2] = TACT_REAL(-0.1);
    s->q0[3] = TACT_REAL(0.3);
    s->q0[4] = TACT_REAL(-0.02);
    s->q0[5] = TACT_REAL(0.34);
    for (int i = 0; i < s->model.nv; i++) s->v0[i] = (tact_real)(0.3 - 0.1 * i);
    s->options.gravity = tact_vec3_make(TACT_REAL(0.5), -5, 0);
    s->options.gravity_on_driven = true;
    s->options.kn = 200;
    s->options.kd = 5;
    s->options.kt = 8;
    s->options.temperature = TACT_REAL(0.03);
    s->options.penalty = TACT_PENALTY_EXP;
    s->options.friction = TACT_FRICTION_TANH;
    s->options.integrator = (tact_integrator)integrator;
    virtual_end(s);
}

enum { LINKS = 7 };

// one step from q, v with forces on the bodies' centres of mass: q+, v+, and the forces of the contacts in fixed frames
static void step_linkage(virtual_scene *s, const double *x, const tact_contact *frames, double *out) {
    tact_real u[2] = {(tact_real)x[2 * LINKS], (tact_real)x[2 * LINKS + 1]};
    tact_wrench wrench[VIRTUAL_BODIES] = {0};
    wrench[0].force.x = (tact_real)x[2 * LINKS + 2];
    wrench[4].force.y = (tact_real)x[2 * LINKS + 3];
    tact_state_reset(&s->state, &s->model);
    for (int i = 0; i < LINKS; i++) {
        s->state.q[i] = (tact_real)x[i];
        s->state.v[i] = (tact_real)x[LINKS + i];
    }
    CHECK_INT(virtual_go(s, u, wrench), TACT_CONVERGED);
    for (int i = 0; i < LINKS; i++) {
        out[i] = (double)s->state.q[i];
        out[LINKS + i] = (double)s->state.v[i];
    }
    for (int c = 0; c < 3; c++) {
        tact_vec3 f = tact_mat3_apply(frames[c].frame, s->work.contacts.contact[c].force);
        out[2 * LINKS + 3 * c] = (double)f.x;
        out[2 * LINKS + 3 * c + 1] = (double)f.y;
        out[2 * LINKS + 3 * c + 2] = (double)f.z;
    }
}

static void test_linkage(void) {
    static virtual_scene s;
    unsigned char memory[1 << 12];
    for (int integrator = 0; integrator < 3; integrator++) {
        double x[2 * LINKS + 4] = {0}, up[2 * LINKS + 9], down[2 * LINKS + 9];
        tact_contact frames[3];
        tact_state before;
        make_linkage(&s, integrator);
        CHECK_INT(s.model.nv, LINKS);
        tact_state_init(&before, &s.model, memory, sizeof memory);
        for (int i = 0; i < LINKS; i++) {
            x[i] = (double)s.q0[i];
            x[LINKS + i] = (double)s.v0[i];
        }
        x[2 * LINKS] = 0.25;
        x[2 * LINKS + 1] = 1.5;
        x[2 * LINKS + 2] = 0.7;
        x[2 * LINKS + 3] = -0.4;
        memset(frames, 0, sizeof frames);
        // the frames of the step itself
        step_linkage(&s, x, frames, up);
        CHECK_INT(s.work.contacts.count, 3);
        for (int c = 0; c < 3; c++) frames[c] = s.work.contacts.contact[c];
        double worst = 0, worst_force = 0;
        for (int by = 0; by < 2 * LINKS + 4; by++) {
            double h = is_double ? 1e-5 : 1e-3, kept = x[by], finer[2 * LINKS + 9];
            tact_real unit[2 * LINKS + 2] = {0}, dq[LINKS], dv[LINKS], dl[9];
            for (int k = 0; k < 2; k++, h /= 2) {
                x[by] = kept + h;
                step_linkage(&s, x, frames, up);
                x[by] = kept - h;
                step_linkage(&s, x, frames, down);
                x[by] = kept;
                for (int i = 0; i < 2 * LINKS + 9; i++) {
                    double slope = (up[i] - down[i]) / (2 * h);
                    finer[i] = k == 0 ? slope : (4 * slope - finer[i]) / 3;
                }
            }
            step_linkage(&s, x, frames, up);
            tact_parameter force[2] = {{TACT_PARAMETER_FORCE, 0, 0}, {TACT_PARAMETER_FORCE, 4, 1}};
            tact_real u[2] = {(tact_real)x[2 * LINKS], (tact_real)x[2 * LINKS + 1]};
            tact_input input = {.u = u};
            if (by < 2 * LINKS + 2) unit[by] = 1;
            tact_virtual_change change = {.q = unit, .v = unit + LINKS, .u = unit + 2 * LINKS};
            if (by >= 2 * LINKS + 2) change.parameter = &force[by - 2 * LINKS - 2];
            tact_virtual_effect effect = {dq, dv, dl};
            CHECK_INT(tact_virtual_differentiate(&s.model, &s.options, &input, &before, &s.work, &change, &effect),
                      TACT_CONVERGED);
            double size = 1, force_size = 1;
            for (int i = 0; i < 2 * LINKS; i++) size = fmax(size, fabs(finer[i]));
            for (int i = 0; i < 9; i++) force_size = fmax(force_size, fabs(finer[2 * LINKS + i]));
            for (int i = 0; i < LINKS; i++) {
                worst = fmax(worst, fabs((double)dq[i] - finer[i]) / size);
                worst = fmax(worst, fabs((double)dv[i] - finer[LINKS + i]) / size);
            }
            for (int i = 0; i < 9; i++) worst_force = fmax(worst_force, fabs((double)dl[i] - finer[2 * LINKS + i]) / force_size);
        }
        step_linkage(&s, x, frames, up);
        const tact_real u[2] = {(tact_real)x[2 * LINKS], (tact_real)x[2 * LINKS + 1]};
        check_matrices(&s, u, &before);
        printf("    linkage, integrator %d: off by %.2g, forces by %.2g\n", integrator, worst, worst_force);
        CHECK(worst <= (is_double ? 2e-8 : 0.5));
        CHECK(worst_force <= (is_double ? 2e-8 : 0.5));
    }
}

int main(void) {
    test_steps();
    test_linkage();
    return test_end("virtual_deriv");
}
