// SPDX-License-Identifier: MIT
// Derivatives of the rigid step against central differences of the step itself, contacts staying what they are.
#include "rigid_world.h"
#include "tact/deriv.h"

static tact_state start, end;
static tact_input input;
static void *state_memory[2];

typedef struct {
    const tact_model *model;
    tact_options options;
    tact_rigid_deriv deriv;
    void *memory;
    tact_jacobians jacobians;
    tact_real *matrices;
    int nc, pair[400];
} slopes;

// q+ (-) q+ of the undisturbed step, v+ and the forces of its contacts after a step from a disturbed start
static bool disturbed(const slopes *s, int which, double by, double *out) {
    const tact_model *model = s->model;
    static tact_real d[400], u[400];
    tact_input pushed = input;
    tact_state_copy(&world.state, &start, model);
    for (int i = 0; i < model->nv; i++) d[i] = 0;
    for (int i = 0; i < model->nu; i++) u[i] = input.u[i];
    pushed.u = u;
    if (which < model->nv) {
        d[which] = (tact_real)by;
        tact_kinematics_update(&world.work.kinematics, model, start.q);
        tact_model_integrate(model, &world.work.kinematics, d, world.state.q);
    } else if (which < 2 * model->nv) {
        world.state.v[which - model->nv] += (tact_real)by;
    } else {
        u[which - 2 * model->nv] += (tact_real)by;
    }
    if (tact_step(model, &s->options, &pushed, &world.state, &world.work) < 0) return false;
    tact_kinematics_update(&world.work.kinematics, model, end.q);
    tact_model_difference(model, &world.work.kinematics, end.q, world.state.q, d);
    for (int i = 0; i < model->nv; i++) {
        out[i] = (double)d[i];
        out[model->nv + i] = (double)world.state.v[i];
    }
    for (int c = 0; c < s->nc; c++)
        for (int k = 0; k < 3; k++) out[2 * model->nv + 3 * c + k] = (double)world.state.lambda[3 * s->pair[c] + k];
    return true;
}

static double entry(const slopes *s, int row, int which) {
    int nv = s->model->nv, nu = s->model->nu;
    bool command = which >= 2 * nv;
    const tact_real *M = row < 2 * nv ? (command ? s->jacobians.B : s->jacobians.A) : (command ? s->jacobians.D : s->jacobians.C);
    int r = row < 2 * nv ? row : row - 2 * nv;
    return (double)M[(size_t)r * (size_t)(command ? nu : 2 * nv) + (size_t)(command ? which - 2 * nv : which)];
}

static void slopes_open(slopes *s) {
    const tact_model *model = s->model = &world.scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nl = 3 * (size_t)model->npair;
    s->options = world.scene->options;
    s->memory = malloc(tact_rigid_deriv_size(model) + 1);
    CHECK_INT(tact_rigid_deriv_init(&s->deriv, model, s->memory, tact_rigid_deriv_size(model)), TACT_CONVERGED);
    s->matrices = calloc(2 * nv * (2 * nv + nu) + nl * (2 * nv + nu) + 1, sizeof(tact_real));
    s->jacobians.A = s->matrices;
    s->jacobians.B = s->jacobians.A + 4 * nv * nv;
    s->jacobians.C = s->jacobians.B + 2 * nv * nu;
    s->jacobians.D = s->jacobians.C + nl * 2 * nv;
    for (int i = 0; i < 2; i++) state_memory[i] = malloc(tact_state_size(model) + 1);
    tact_state_init(&start, model, state_memory[0], tact_state_size(model));
    tact_state_init(&end, model, state_memory[1], tact_state_size(model));
}

static void slopes_close(slopes *s) {
    free(s->memory);
    free(s->matrices);
    for (int i = 0; i < 2; i++) free(state_memory[i]);
    world_end();
}

// the step after so many of a scene, linearised
static bool begin_slopes(slopes *s, const char *name, const char *const *set, int steps) {
    static tact_real u[400];
    if (!world_scene(name, set)) return false;
    slopes_open(s);
    for (int k = 0; k < steps; k++) CHECK(tact_world_step(&world) >= 0);
    tact_state_copy(&start, &world.state, s->model);
    tact_scene_command(world.scene, &world.state, world.u);
    for (int i = 0; i < s->model->nu; i++) u[i] = world.u[i];
    bool pushed = tact_scene_wrench(world.scene, &world.state, world.wrench);
    input = (tact_input){.u = u, .wrench = pushed ? world.wrench : NULL};
    CHECK_INT(tact_step(s->model, &s->options, &input, &world.state, &world.work), TACT_CONVERGED);
    tact_state_copy(&end, &world.state, s->model);
    s->nc = world.work.contacts.count;
    for (int c = 0; c < s->nc; c++) s->pair[c] = world.work.contacts.contact[c].pair;
    tact_rigid_record made = {s->model, &s->options, &input, &start, &end, &world.work};
    CHECK_INT(tact_rigid_linearise(&s->deriv, &made), TACT_CONVERGED);
    printf("%s, step %d, %d contacts\n", name, steps + 1, s->nc);
    return true;
}

// matrices asked for one by one are those asked for together
static void check_parts(slopes *s) {
    size_t nv = (size_t)s->model->nv, nu = (size_t)s->model->nu, nl = 3 * (size_t)s->nc;
    const size_t size[4] = {4 * nv * nv, 2 * nv * nu, 2 * nl * nv, nl * nu};
    const tact_real *whole[4] = {s->jacobians.A, s->jacobians.B, s->jacobians.C, s->jacobians.D};
    for (int k = 0; k < 4; k++) {
        tact_real *alone = malloc((size[k] + 1) * sizeof *alone);
        tact_jacobians one = {k == 0 ? alone : NULL, k == 1 ? alone : NULL, k == 2 ? alone : NULL, k == 3 ? alone : NULL};
        tact_rigid_matrices(&s->deriv, &one);
        CHECK(memcmp(alone, whole[k], size[k] * sizeof *alone) == 0);
        free(alone);
    }
}

// the matrices; forces are compared where they are unique
static void check_matrices(const char *name, const char *const *set, int steps, bool unique, double allowed) {
    static slopes s;
    if (!begin_slopes(&s, name, set, steps)) return;
    CHECK(!s.deriv.kink || !unique);
    tact_rigid_matrices(&s.deriv, &s.jacobians);
    check_parts(&s);
    int nv = s.model->nv, rows = 2 * nv + (unique ? 3 * s.nc : 0);
    static double high[4000], low[4000];
    double worst = 0, h = within(1e-6, 1e-3), worst_force = 0;
    for (int which = 0; which < 2 * nv + s.model->nu; which++) {
        double most = 1e-3, most_force = 1e-3;
        if (!disturbed(&s, which, h, high) || !disturbed(&s, which, -h, low)) {
            CHECK(false);
            continue;
        }
        for (int row = 0; row < rows; row++) {
            double slope = (high[row] - low[row]) / (2 * h);
            if (row < 2 * nv)
                most = fmax(most, fabs(slope));
            else
                most_force = fmax(most_force, fabs(slope));
        }
        for (int row = 0; row < rows; row++) {
            double off = fabs(entry(&s, row, which) - (high[row] - low[row]) / (2 * h));
            if (row < 2 * nv)
                worst = fmax(worst, off / most);
            else
                worst_force = fmax(worst_force, off / most_force);
        }
    }
    printf("    off by %.2g, forces %.2g\n", worst, worst_force);
    CHECK_CLOSE(worst, 0, within(allowed, 0.3));
    CHECK_CLOSE(worst_force, 0, within(1e-5, 0.3));
    slopes_close(&s);
}

// mass, force, stiffness and friction by differences of the model, the input and the options
typedef struct {
    tact_parameter parameter;
    tact_real *value;  // what is disturbed
    const char *name;
} parameter_case;

static void check_parameter(slopes *s, parameter_case what) {
    int nv = s->model->nv;
    static tact_real d[400], v[400];
    static double at[4][4000], again[4000];
    tact_real kept = *what.value;
    double h = 2e-4 * (double)kept, worst = 0, most = 1e-4;
    CHECK(tact_rigid_parameter(&s->deriv, what.parameter, d, v, NULL));
    for (int k = 0; k < 4; k++) {
        *what.value = kept + (tact_real)((k < 2 ? h : h / 2) * (k % 2 ? -1 : 1));
        CHECK(disturbed(s, 0, 0, at[k]));
    }
    *what.value = kept;
    // the linearised step's work, as it was
    CHECK(disturbed(s, 0, 0, again));
    tact_kinematics_update(&world.work.kinematics, s->model, start.q);
    for (int i = 0; i < 2 * nv; i++) {
        // extrapolated from differences over two distances
        double far = (at[0][i] - at[1][i]) / (2 * h), near = (at[2][i] - at[3][i]) / h, slope = (4 * near - far) / 3;
        most = fmax(most, fabs(slope));
        worst = fmax(worst, fabs(slope - (double)(i < nv ? d[i] : v[i - nv])));
    }
    printf("    by %s: off by %.2g of %.2g\n", what.name, worst / most, most);
    CHECK_CLOSE(worst / most, 0, 1e-5);
}

// parameters that a step does not have
static void check_refused(slopes *s) {
    const tact_parameter none[] = {
        {TACT_PARAMETER_KAPPA, 0, 0}, {TACT_PARAMETER_KN, 0, 0}, {TACT_PARAMETER_SIZE, 0, 0}, {TACT_PARAMETER_DAMPING, 0, 0}};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) CHECK(!tact_rigid_parameter(&s->deriv, none[i], NULL, NULL, NULL));
}

// what is asked for alone is what it is together with the rest
static void check_columns(slopes *s, tact_parameter parameter) {
    static tact_real whole[3][400], alone[400];
    CHECK(tact_rigid_parameter(&s->deriv, parameter, whole[0], whole[1], whole[2]));
    for (int k = 0; k < 3; k++) {
        CHECK(tact_rigid_parameter(&s->deriv, parameter, k == 0 ? alone : NULL, k == 1 ? alone : NULL, k == 2 ? alone : NULL));
        CHECK(memcmp(alone, whole[k], (size_t)(k < 2 ? s->model->nv : 3 * s->nc) * sizeof alone[0]) == 0);
    }
}

// steps that have no such derivative, and memory that does not suffice
static void check_records(slopes *s) {
    tact_model other = *s->model;
    tact_work failed = world.work;
    tact_options polyhedral = s->options;
    size_t size = tact_rigid_deriv_size(s->model);
    other.law = &tact_law_barrier;
    failed.status = TACT_INFEASIBLE;
    polyhedral.cone = TACT_CONE_POLYHEDRAL;
    const tact_rigid_record bad[] = {{&other, &s->options, &input, &start, &end, &world.work},
                                     {s->model, &s->options, &input, &start, &end, &failed},
                                     {s->model, &polyhedral, &input, &start, &end, &world.work}};
    for (int k = 0; k < 3; k++) CHECK_INT(tact_rigid_linearise(&s->deriv, &bad[k]), TACT_BAD_INPUT);
    CHECK_INT(tact_rigid_deriv_init(&s->deriv, s->model, s->memory, size - 2 * TACT_ALIGN), TACT_NO_MEMORY);
    CHECK_INT(tact_rigid_deriv_init(&s->deriv, s->model, s->memory, 0), TACT_NO_MEMORY);
    // a step that is between two answers has a kink
    CHECK_INT(tact_rigid_deriv_init(&s->deriv, s->model, s->memory, size), TACT_CONVERGED);
    tact_rigid_record good = {s->model, &s->options, &input, &start, &end, &failed};
    failed.status = TACT_AMBIGUOUS;
    CHECK_INT(tact_rigid_linearise(&s->deriv, &good), TACT_CONVERGED);
    CHECK(s->deriv.kink);
}

// An overlap is closed in one step, of which the derivative is one-sided. Those that follow know nothing of it.
static void check_overlap(void) {
    static slopes s;
    const char *const set[] = {"state.q.ball=[0,0,0.039]", NULL}, *const good[] = {"state.q.ball=[0,0,0.04]", NULL};
    for (int k = 0; k < 3; k++) {
        if (!begin_slopes(&s, "ball_drop", k < 2 ? set : good, k == 1 ? 2 : 0)) return;
        CHECK_INT(s.deriv.kink, k == 0);
        slopes_close(&s);
    }
}

static void check_parameters(const char *scene_name, const char *const *set, int steps) {
    static slopes s;
    if (!begin_slopes(&s, scene_name, set, steps)) return;
    // the model is const to the law, not to its owner
    tact_body *body = (tact_body *)&s.model->body[s.model->nbody - 1];
    parameter_case mass = {{TACT_PARAMETER_MASS, s.model->nbody - 1, 0}, &body->mass, "mass"};
    check_parameter(&s, mass);
    check_refused(&s);
    check_columns(&s, mass.parameter);
    // where two contacts share a force, only the sum of what their friction does is unique
    for (int pair = 0; pair < s.model->npair && s.nc == 1; pair++) {
        parameter_case mu = {{TACT_PARAMETER_MU, pair, 0}, (tact_real *)&s.model->pair[pair].mu, "mu"};
        check_parameter(&s, mu);
    }
    for (int i = 0; i < s.model->nv; i++) {
        parameter_case drive = {{TACT_PARAMETER_STIFFNESS, i, 0}, (tact_real *)&s.model->dof[i].stiffness, "stiffness"};
        if (s.model->dof[i].u >= 0) check_parameter(&s, drive);
    }
    check_records(&s);
    slopes_close(&s);
}

int main(void) {
    check_matrices("hand_lift", (const char *const[]){"gravity=[0,0,0]", "state.q.ball=[0.3,0,0.3,1,0,0,0]", NULL}, 5, true,
                   1e-6);
    // single precision does not resolve the differences of contacts
    if (DOUBLE) {
        check_matrices("cart", NULL, 1, true, 1e-6);
        check_matrices("cart", NULL, 0, true, 1e-6);
        check_matrices("newton_cradle", NULL, 60, true, 1e-6);
        check_matrices("block_on_slope", NULL, 3, false, 1e-6);
        check_matrices("block_on_slope", (const char *const[]){"mu=0.3", NULL}, 3, false, 1e-6);
        check_matrices("two_fingers_disc", NULL, 100, false, 1e-6);
        check_matrices("hand_lift", NULL, 20, true, 1e-6);
        check_matrices("hand_lift", NULL, 200, false, 1e-5);
        check_parameters("block_on_slope", (const char *const[]){"mu=0.3", NULL}, 3);
        check_parameters("ball_drop", (const char *const[]){"state.q.ball=[0,0,0.04]", "state.v={\"ball\":[1,0.5,0]}", NULL}, 3);
        check_parameters("two_fingers_disc", NULL, 100);
        check_parameters("hand_lift", NULL, 20);
    }
    check_overlap();
    return test_end("rigid_deriv");
}
