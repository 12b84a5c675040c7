// SPDX-License-Identifier: MIT
// Derivatives of the rigid step against central differences of the step itself, contacts staying what they are.
#include "loop_scene.h"
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

static const char *given;  // the text of a scene in place of that name

// the step after so many of a scene, linearised
static bool begin_slopes(slopes *s, const char *name, const char *const *set, int steps) {
    static tact_real u[400];
    if (!(given ? world_text(given) : world_scene(name, set))) return false;
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
    if (!given) printf("%s, step %d, %d contacts\n", name, steps + 1, s->nc);
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
        double most = 1e-3, most_force = 1e-2;
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
    CHECK_CLOSE(worst_force, 0, within(fmax(1e-5, allowed), 0.3));
    slopes_close(&s);
}

// The matrices of the first step of a scene's text, unless it has a kink: whether it has one, or cannot be made.
static bool check_given(const char *name, const char *text, double allowed) {
    static slopes s;
    bool kink = true;
    given = text;
    if (begin_slopes(&s, name, NULL, 0)) {
        kink = s.deriv.kink;
        slopes_close(&s);
    }
    if (!kink) check_matrices(name, NULL, 0, true, allowed);
    given = NULL;
    return kink;
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
    size_t size = tact_rigid_deriv_size(s->model);
    other.law = &tact_law_barrier;
    failed.status = TACT_INFEASIBLE;
    const tact_rigid_record bad[] = {{&other, &s->options, &input, &start, &end, &world.work},
                                     {s->model, &s->options, &input, &start, &end, &failed}};
    for (int k = 0; k < 2; k++) CHECK_INT(tact_rigid_linearise(&s->deriv, &bad[k]), TACT_BAD_INPUT);
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
        for (int k = 0; k < s.model->nspring; k++)
            if (s.model->spring[k].u >= 0 && s.model->spring[k].dof[0] == i)
                drive.value = (tact_real *)&s.model->spring[k].stiffness;
        if (s.model->dof[i].u >= 0) check_parameter(&s, drive);
    }
    check_records(&s);
    slopes_close(&s);
}

// Spinning balls that bounce, or land: friction moves other dofs than those that meet, and where that would add energy the
// restitution in force is less than the pair's. With polyhedral cones friction is in corners and on edges.
static void check_bounces(uint64_t *seed, const char *level, bool polyhedral) {
    static char text[2000];
    int kinks = 0, corners = 0, edges = 0;
    for (int k = 0; k < 60; k++) {
        double mu = test_random(seed, 0.05, 1), e = test_random(seed, 0.2, 1), r = test_random(seed, 0.03, 0.08), v[6];
        for (int i = 0; i < 6; i++) v[i] = i < 3 ? test_random(seed, -8, 8) : test_random(seed, -1, 1);
        v[5] = test_random(seed, -2, -0.3);
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.005,\"level\":\"%s\",\"cone\":\"%s\"},"
                 "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
                 "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
                 "\"shapes\":[{\"name\":\"f\",\"body\":\"world\",\"type\":\"plane\"},"
                 "{\"name\":\"s\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":%.17g,\"xyz\":[%.17g,0,%.17g]}],"
                 "\"pairs\":[{\"a\":\"f\",\"b\":\"s\",\"mu\":%.17g,\"restitution\":%.17g}],"
                 "\"state\":{\"q\":{\"b\":[0,0,%.17g,1,0,0,0]},\"v\":{\"b\":[%.17g,%.17g,%.17g,%.17g,%.17g,%.17g]}}}",
                 level, polyhedral ? "polyhedral" : "exact", r, k % 2 ? 0.03 : 0.0, k % 2 ? 0.02 : 0.0, mu, e,
                 (k % 2 ? r - 0.02 : r) + 1e-4, v[0], v[1], v[2], v[3], v[4], v[5]);
        static slopes s;
        given = text;
        if (!begin_slopes(&s, "bounce", NULL, 0)) return;
        bool kink = s.deriv.kink;
        double length = s.deriv.slip[2] > 0 ? hypot((double)s.deriv.slip[0], (double)s.deriv.slip[1]) : 0;
        corners += length > 0.97;
        edges += length > 0 && length <= 0.97;
        slopes_close(&s);
        kinks += kink;
        if (!kink && DOUBLE) check_matrices("bounce", NULL, 0, true, 1e-5);
    }
    given = NULL;
    printf("bounces, level %s, %s: %d of 60 with a kink, %d slide%s", level, polyhedral ? "polyhedral" : "exact", kinks,
           corners + edges, polyhedral ? "" : "\n");
    if (polyhedral) printf(", %d of them on an edge\n", edges);
    CHECK(kinks <= 3 && corners > 3 && (edges > 3) == polyhedral);
}

// Balls that lie in a corner of two walls, and roll, slide or stick there: with polyhedral cones both contacts on pieces of their
// own, and by mu, mass and force as well.
static void check_corners(uint64_t *seed) {
    static char text[2000];
    int kinks = 0, stuck_ones = 0;
    for (int k = 0; k < 30; k++) {
        double mu[2] = {test_random(seed, 0.05, 0.8), test_random(seed, 0.05, 0.8)}, v[6];
        for (int i = 0; i < 6; i++) v[i] = i < 3 ? test_random(seed, -9, 9) : test_random(seed, -0.4, 0.4);
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.005,\"cone\":\"polyhedral\"},"
                 "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":0.7,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
                 "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
                 "\"shapes\":[{\"name\":\"f\",\"body\":\"world\",\"type\":\"plane\"},"
                 "{\"name\":\"g\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0.8,0,0.6]},"
                 "{\"name\":\"s\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.06}],"
                 "\"pairs\":[{\"a\":\"f\",\"b\":\"s\",\"mu\":%.17g},{\"a\":\"g\",\"b\":\"s\",\"mu\":%.17g}],"
                 "\"state\":{\"q\":{\"b\":[0.03,0,0.06,1,0,0,0]},\"v\":{\"b\":[%.17g,%.17g,%.17g,%.17g,%.17g,-0.3]}}}",
                 mu[0], mu[1], v[0], v[1], v[2], v[3] - 0.5, v[4]);
        static slopes s;
        given = text;
        if (!begin_slopes(&s, "corner", NULL, 0)) return;
        // where both stick the ball has no freedom left that a change could use, and no answer to it
        bool kink = s.deriv.kink, stuck = tact_rigid_matrices(&s.deriv, &s.jacobians) == TACT_SINGULAR;
        kinks += kink;
        stuck_ones += stuck;
        for (int pair = 0; pair < 2 && !kink; pair++) {
            parameter_case by = {{TACT_PARAMETER_MU, pair, 0}, (tact_real *)&s.model->pair[pair].mu, "mu"};
            check_parameter(&s, by);
        }
        slopes_close(&s);
        if (!kink && !stuck) check_matrices("corner", NULL, 0, true, 1e-5);
    }
    given = NULL;
    printf("corners of two walls: %d of 30 with a kink, %d stuck\n", kinks, stuck_ones);
    CHECK(kinks + stuck_ones <= 5);
}

// A capsule strikes one that stands still, skew to it, and the corner of a box: the contact slides along both.
static void check_strike(uint64_t *seed) {
    static char text[2000];
    int kinks = 0;
    for (int k = 0; k < 20; k++) {
        double r = test_random(seed, 0.02, 0.05), turn[4], v[6];
        for (int i = 1; i < 4; i++) turn[i] = test_random(seed, -0.3, 0.3);
        turn[0] = sqrt(1 - turn[1] * turn[1] - turn[2] * turn[2] - turn[3] * turn[3]);
        for (int i = 0; i < 6; i++) v[i] = test_random(seed, -1, 1);
        v[5] = -2;
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"gravity\":[0,0,0],\"options\":{\"dt\":0.02},"
                 "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
                 "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
                 "\"shapes\":[{\"name\":\"f\",\"body\":\"world\",%s},"
                 "{\"name\":\"s\",\"body\":\"b\",\"type\":\"capsule\",\"radius\":%.17g,\"length\":0.3,\"rpy\":[0,1.6,0.1]}],"
                 "\"pairs\":[{\"a\":\"f\",\"b\":\"s\",\"mu\":0.4}],"
                 "\"state\":{\"q\":{\"b\":[0,0,%.17g,%.17g,%.17g,%.17g,%.17g]},\"v\":{\"b\":[%.17g,%.17g,%.17g,%.17g,%.17g,"
                 "%.17g]}}}",
                 k % 2 ? "\"type\":\"capsule\",\"radius\":0.02,\"length\":0.3,\"rpy\":[1.4,0,0]"
                       : "\"type\":\"box\",\"size\":[0.03,0.2,0.04],\"rpy\":[0,0.7,0]",
                 r, 0.03 + r, turn[0], turn[1], turn[2], turn[3], v[0], v[1], v[2], v[3], v[4], v[5]);
        // those that begin in an overlap have one
        kinks += check_given("strike", text, 1e-6);
    }
    printf("strikes: %d of 20 with a kink\n", kinks);
    CHECK(kinks <= 5);
}

// a ball that slides down an edge of a hull
static void check_edge(void) {
    given = "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.005,\"level\":\"velocity\"},"
            "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
            "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
            "\"shapes\":[{\"name\":\"roof\",\"body\":\"world\",\"type\":\"hull\",\"round\":0.01,"
            "\"points\":[[1,0,0.1],[-1,0,-0.1],[1,0.5,-1],[-1,0.5,-1],[1,-0.5,-1],[-1,-0.5,-1]]},"
            "{\"name\":\"s\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.05}],"
            "\"pairs\":[{\"a\":\"roof\",\"b\":\"s\",\"mu\":0.5,\"restitution\":0.5}],"
            "\"state\":{\"q\":{\"b\":[0,0.012,0.0592,1,0,0,0]},\"v\":{\"b\":[3,-2,1,0.1,0.05,-1.5]}}}";
    check_matrices("edge of a hull", NULL, 0, true, 1e-6);
    given = NULL;
}

// Two beams on edge across each other, apart and touching, to rounding on this side or that: of a box and of a hull, on either
// side.
static void check_beams(uint64_t *seed) {
    static char text[2000];
    static const char *const shape[] = {"\"type\":\"box\",\"size\":[0.2,0.04,0.04]",
                                        "\"type\":\"hull\",\"points\":[[-0.1,-0.02,-0.02],[-0.1,-0.02,0.02],[-0.1,0.02,-0.02],"
                                        "[-0.1,0.02,0.02],[0.1,-0.02,-0.02],[0.1,-0.02,0.02],[0.1,0.02,-0.02],[0.1,0.02,0.02]]"};
    int kinks = 0;
    for (int k = 0; k < 24; k++) {
        const double half = 0.02 * sqrt(2), apart = k % 3 == 0 ? 1e-3 : k % 3 == 1 ? 0 : test_random(seed, -4e-14, 4e-14);
        double turn = test_random(seed, 0.6, 2.5), at = test_random(seed, -0.02, 0.02);
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.005},"
                 "\"bodies\":[{\"name\":\"b\",\"parent\":\"world\",\"mass\":1,\"inertia\":[0.001,0.0013,0.0016,0,0,0],"
                 "\"joint\":{\"name\":\"b\",\"type\":\"free\"}}],"
                 "\"shapes\":[{\"name\":\"low\",\"body\":\"world\",%s,\"rpy\":[0.7853981633974483,0,0]},"
                 "{\"name\":\"high\",\"body\":\"b\",%s,\"rpy\":[0.7853981633974483,0,0]}],"
                 "\"pairs\":[{\"a\":\"%s\",\"b\":\"%s\",\"mu\":0.5}],"
                 "\"state\":{\"q\":{\"b\":[%.17g,0,%.17g,%.17g,0,0,%.17g]},\"v\":{\"b\":[3,-2,1,0.1,0.05,-0.5]}}}",
                 shape[k % 2], shape[k / 2 % 2], k % 4 < 2 ? "low" : "high", k % 4 < 2 ? "high" : "low", at, 2 * half + apart,
                 cos(turn / 2), sin(turn / 2));
        // the differences of their forces have few digits
        kinks += check_given("beams", text, 5e-4);
    }
    printf("beams: %d of 24 with a kink\n", kinks);
    CHECK(kinks <= 3);
}

int main(void) {
    uint64_t seed = test_seed(31);
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
        check_matrices("four_bar", NULL, 3, true, 1e-6);
        check_matrices("four_bar",
                       (const char *const[]){"bodies.crank.joint.armature=0.02", "bodies.rocker.joint.armature=0.1", NULL}, 3,
                       true, 1e-6);
        given = "{\"tact\":1,\"law\":\"rigid\"," LOOP_SCENE;
        check_matrices("loops", NULL, 0, true, 1e-6);
        check_matrices("loops", NULL, 20, true, 1e-6);
        given = NULL;
        check_matrices("four_bar", NULL, 40, true, 1e-5);
        check_matrices("hand_lift", NULL, 200, false, 1e-5);
        check_matrices("spot_lift", NULL, 20, false, 1e-5);
        check_parameters("block_on_slope", (const char *const[]){"mu=0.3", NULL}, 3);
        check_parameters("ball_drop", (const char *const[]){"state.q.ball=[0,0,0.04]", "state.v={\"ball\":[1,0.5,0]}", NULL}, 3);
        check_parameters("two_fingers_disc", NULL, 100);
        check_parameters("hand_lift", NULL, 20);
        check_parameters("four_bar", NULL, 5);
    }
    for (int k = 0; k < 4; k++) check_bounces(&seed, k % 2 ? "position" : "velocity", k >= 2);
    if (DOUBLE) check_corners(&seed);
    if (DOUBLE) check_strike(&seed);
    if (DOUBLE) check_edge();
    if (DOUBLE) check_beams(&seed);
    check_overlap();
    return test_end("rigid_deriv");
}
