// SPDX-License-Identifier: MIT
// Derivatives of a step on 1,250 random scenes: A, B, C, D and the parameters against central differences, products of the
// reverse form against the matrices. In float, where differences say little, forward against reverse only.
#include "deriv_check.h"
#include "tact/scene.h"

// forward against reverse: for 999 of 1,000 products, and for all; kappa lambda from which a random scene is left out
#ifdef TACT_FLOAT
#define REVERSE_BOUND 1e-4
#define REVERSE_LIMIT 2e-2
#define CROWDED 1e4
#else
#define REVERSE_BOUND 1e-10
#define REVERSE_LIMIT 1e-9
#define CROWDED 2e5
#endif

enum { SCENES = 1000, SCENES_WITHOUT_ROOM = 40, HAND_STATES = 60 };

static struct {
    int scene, edge, kink, crowded, failed, column, unjudged, product, loose;
    double worst[6];  // A, B, C, D, dq and dlambda by parameters
} tally;

static void check_column(deriv_check *k, const deriv_variable *by, const double *got) {
    static double wanted[EXACT_ROWS];
    int nv = k->model->nv, which = by->by == BY_Q ? 0 : by->by == BY_U ? 1 : 4, forces = which < 2 ? which + 2 : 5;
    tally.column++;
    if (!deriv_difference(k, by, wanted)) {
        tally.unjudged++;
        return;
    }
    double q = largest(got, wanted, nv) / deriv_scale(k, by, wanted, false);
    double l = k->nc ? largest(got + nv, wanted + nv, k->n - nv) / deriv_scale(k, by, wanted, true) : 0;
    tally.worst[which] = fmax(tally.worst[which], q);
    tally.worst[forces] = fmax(tally.worst[forces], l);
    CHECK(q <= 1e-7);
    CHECK(l <= 1e-5);
    if (q > 1e-7 || l > 1e-5)
        printf("    scene %d by %d %d (parameter %d %d): %.3g %.3g\n", tally.scene, (int)by->by, by->index,
               (int)by->parameter.kind, by->parameter.index, q, l);
}

static void check_matrices(deriv_check *k) {
    static double got[EXACT_ROWS];
    int nv = k->model->nv, nu = k->model->nu;
    for (int j = 0; j < nv + nu; j++) {
        bool q = j < nv;
        deriv_variable by = {.by = q ? BY_Q : BY_U, .index = q ? j : j - nv};
        int width = q ? nv : nu;
        const tact_real *motion = q ? k->matrix.A : k->matrix.B, *force = q ? k->matrix.C : k->matrix.D;
        for (int i = 0; i < nv; i++) got[i] = (double)motion[i * width + by.index];
        for (int i = 0; i < 3 * k->nc; i++) got[nv + i] = (double)force[i * width + by.index];
        check_column(k, &by, got);
    }
}

enum { PARAMETERS = 14 };

// some of each kind
static int choose_parameters(const deriv_check *k, uint64_t *seed, tact_parameter *out) {
    const tact_model *model = k->model;
    int count = 0, body = random_int(seed, 0, model->nbody - 1), dof = random_int(seed, 0, model->nv - 1);
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_KAPPA};
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_LIMIT_KAPPA};
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_EPSILON};
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_DT};
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_MASS, .index = body};
    out[count++] = (tact_parameter){.kind = TACT_PARAMETER_FORCE, .index = body, .component = random_int(seed, 0, 5)};
    if (model->dof[dof].u >= 0) out[count++] = (tact_parameter){.kind = TACT_PARAMETER_STIFFNESS, .index = dof};
    for (int tries = 0; k->nc > 0 && tries < 2; tries++) {
        const tact_contact *contact = &k->work.contacts.contact[random_int(seed, 0, k->nc - 1)];
        const tact_pair *pair = &model->pair[contact->pair];
        if (pair->mu > 0) out[count++] = (tact_parameter){.kind = TACT_PARAMETER_MU, .index = contact->pair};
        tact_shape_type a = model->shape[pair->a].type, b = model->shape[pair->b].type;
        bool smooth = pair->vertex > 2 || pair->vertex < -2;
        tally.edge += smooth;
        if (a == TACT_SHAPE_SPHERE || (a == TACT_SHAPE_CAPSULE && !smooth))
            out[count++] = (tact_parameter){.kind = TACT_PARAMETER_RADIUS, .index = pair->a};
        if (b == TACT_SHAPE_SPHERE || (b == TACT_SHAPE_CAPSULE && !smooth))
            out[count++] = (tact_parameter){.kind = TACT_PARAMETER_RADIUS, .index = pair->b};
    }
    return count;
}

static void check_parameters(deriv_check *k, const tact_parameter *parameter, int count) {
    static double got[EXACT_ROWS];
    static tact_real dq[EXACT_DOFS], dlambda[EXACT_ROWS];
    for (int p = 0; p < count; p++) {
        deriv_variable by = {.by = BY_PARAMETER, .parameter = parameter[p]};
        tact_deriv_parameter(k->model, &k->scene->options, &k->work, &k->deriv, parameter[p], (tact_deriv_column){dq, dlambda});
        for (int i = 0; i < k->model->nv; i++) got[i] = (double)dq[i];
        for (int i = 0; i < 3 * k->nc; i++) got[k->model->nv + i] = (double)dlambda[i];
        check_column(k, &by, got);
    }
}

// Adds x'column to sum[0], and the absolute values to sum[1].
static void add_product(const tact_real *x, const tact_real *column, int n, int stride, double sum[2]) {
    for (int i = 0; i < n; i++) {
        double term = (double)x[i] * (double)column[i * stride];
        sum[0] += term;
        sum[1] += fabs(term);
    }
}

static void check_close(const char *what, double got, double wanted, double scale) {
    double off = fabs(got - wanted) / fmax(scale, 1);
    bool good = off <= REVERSE_LIMIT;
    CHECK(good);
    tally.product++;
    tally.loose += !(off <= REVERSE_BOUND);
    if (!good) printf("    scene %d: %s: reverse %.9g forward %.9g of %.3g\n", tally.scene, what, got, wanted, scale);
}

// Products of the reverse form against the matrices and the columns of the parameters.
static void check_reverse(deriv_check *k, uint64_t *seed, const tact_parameter *parameter, int count) {
    static tact_real q_next[EXACT_DOFS], lambda[EXACT_ROWS], bar[2 * EXACT_DOFS], p_bar[PARAMETERS], dq[EXACT_DOFS],
        dl[EXACT_ROWS];
    double sum[2 * EXACT_DOFS][2], scale = 0;
    int nv = k->model->nv, nu = k->model->nu, nl = 3 * k->nc;
    for (int i = 0; i < nv; i++) q_next[i] = random_real(seed, -1, 1);
    for (int i = 0; i < nl; i++) lambda[i] = random_real(seed, -0.01, 0.01);
    tact_deriv_pullback(k->model, &k->work, &k->deriv, (tact_deriv_seed){q_next, lambda}, bar, bar + nv);
    for (int p = 0; p < count; p++)
        p_bar[p] = tact_deriv_parameter_pullback(k->model, &k->scene->options, &k->work, &k->deriv, lambda, parameter[p]);
    for (int j = 0; j < nv + nu; j++) {
        bool q = j < nv;
        int width = q ? nv : nu, column = q ? j : j - nv;
        sum[j][0] = sum[j][1] = 0;
        add_product(q_next, (q ? k->matrix.A : k->matrix.B) + column, nv, width, sum[j]);
        add_product(lambda, (q ? k->matrix.C : k->matrix.D) + column, nl, width, sum[j]);
        scale = fmax(scale, sum[j][1]);
    }
    for (int j = 0; j < nv + nu; j++) check_close(j < nv ? "q" : "u", (double)bar[j], sum[j][0], scale);
    for (int p = 0; p < count; p++) {
        sum[0][0] = sum[0][1] = 0;
        tact_deriv_parameter(k->model, &k->scene->options, &k->work, &k->deriv, parameter[p], (tact_deriv_column){dq, dl});
        add_product(q_next, dq, nv, 1, sum[0]);
        add_product(lambda, dl, nl, 1, sum[0]);
        check_close("parameter", (double)p_bar[p], sum[0][0], sum[0][1]);
    }
}

// Gaps below 10 um (in float 0.2 mm) after the step in a random scene: there the forces may balance each other so stiffly that
// the rounding of the geometry drowns every difference quotient.
static bool is_crowded(const deriv_check *k) {
    if (!k->scene->own) return false;
    for (int c = 0; c < k->nc; c++)
        if ((double)(k->scene->options.kappa * k->work.contacts.contact[c].lambda[0]) > CROWDED) return true;
    return false;
}

// What is asked for alone is what it is together with the rest.
static void check_parts(deriv_check *k, const tact_parameter *parameter, int count) {
    static tact_real alone[EXACT_ROWS * EXACT_DOFS], dq[EXACT_DOFS], dlambda[EXACT_ROWS];
    size_t nv = (size_t)k->model->nv, nu = (size_t)k->model->nu, nl = 3 * (size_t)k->nc, real = sizeof(tact_real);
    const size_t size[4] = {nv * nv, nv * nu, nl * nv, nl * nu};
    const tact_real *whole[4] = {k->matrix.A, k->matrix.B, k->matrix.C, k->matrix.D};
    for (int i = 0; i < 4; i++) {
        tact_jacobians one = {i == 0 ? alone : NULL, i == 1 ? alone : NULL, i == 2 ? alone : NULL, i == 3 ? alone : NULL};
        tact_deriv_matrices(k->model, &k->work, &k->deriv, &one);
        CHECK(memcmp(alone, whole[i], size[i] * real) == 0);
    }
    for (int p = 0; p < count; p++) {
        const tact_options *options = &k->scene->options;
        tact_deriv_parameter(k->model, options, &k->work, &k->deriv, parameter[p], (tact_deriv_column){dq, dlambda});
        tact_deriv_parameter(k->model, options, &k->work, &k->deriv, parameter[p], (tact_deriv_column){alone, NULL});
        CHECK(memcmp(alone, dq, nv * real) == 0);
        tact_deriv_parameter(k->model, options, &k->work, &k->deriv, parameter[p], (tact_deriv_column){NULL, alone});
        CHECK(memcmp(alone, dlambda, nl * real) == 0);
    }
    // a loss without forces is one whose weights are 0
    static tact_real zero[EXACT_ROWS], bar[2][2 * EXACT_DOFS];
    for (size_t i = 0; i < nv; i++) dq[i] = (tact_real)(i % 5) - 2;
    for (int i = 0; i < 2; i++)
        tact_deriv_pullback(k->model, &k->work, &k->deriv, (tact_deriv_seed){dq, i ? zero : NULL}, bar[i], bar[i] + nv);
    for (size_t i = 0; i < nv + nu; i++) CHECK(bar[0][i] == bar[1][i]);
    for (int p = 0; p < count; p++) {
        const tact_options *options = &k->scene->options;
        tact_real without = tact_deriv_parameter_pullback(k->model, options, &k->work, &k->deriv, NULL, parameter[p]);
        CHECK(without == tact_deriv_parameter_pullback(k->model, options, &k->work, &k->deriv, zero, parameter[p]));
    }
}

// False when the scene does not count.
static bool check_scene(deriv_scene *s, uint64_t *seed, bool differences) {
    tact_parameter parameter[PARAMETERS];
    s->options.warm_start = false;
    if (sizeof(tact_real) == sizeof(double)) s->options.tolerance = TACT_REAL(1e-13);
    deriv_check k = deriv_check_begin(s, false);
    bool good = k.status == TACT_CONVERGED, crowded = good && is_crowded(&k);
    tally.crowded += crowded;
    tally.failed += !good;
    if (good && !crowded) {
        tally.scene++;
        tally.kink += k.deriv.kink;
        int count = choose_parameters(&k, seed, parameter);
        if (differences) {
            check_matrices(&k);
            check_parameters(&k, parameter, count);
        }
        check_reverse(&k, seed, parameter, count);
        if (tally.scene % 10 == 0) check_parts(&k, parameter, count);
    }
    deriv_check_end(&k);
    // the reverse form of frozen geometry, too
    if (good && !crowded && tally.scene % 8 == 0) {
        k = deriv_check_begin(s, true);
        check_reverse(&k, seed, parameter, choose_parameters(&k, seed, parameter));
        deriv_check_end(&k);
    }
    return good && !crowded;
}

// The hand at moments of a run, off its course by a little.
static void check_hand(uint64_t *seed, const char *path, int states, bool differences) {
    char message[512];
    tact_world *world = tact_world_open(path, message, sizeof message);
    CHECK(world != NULL);
    if (!world) return;
    const tact_model *model = &world->scene->model;
    for (int done = 0, run = 0; done < states && run < 40; run++) {
        deriv_scene s = {0};
        tact_options *options = &world->scene->options;
        options->kappa = (tact_real)random_log(seed, 50, sizeof(tact_real) == sizeof(double) ? 1e6 : 1e4);
        options->margin = TACT_REAL(0.3);
        options->anchor = random_chance(seed, 0.5);
        options->limits = random_chance(seed, 0.5);
        tact_state_reset(&world->state, model);
        deriv_scene_begin(&s, model);
        for (int step = 0; step < 380 && done < states; step++) {
            if (tact_world_step(world) < 0) break;
            if (!random_chance(seed, 0.02)) continue;
            s.options = *options;
            tact_state_copy(&s.state, &world->state, model);
            for (int i = 0; i < model->nu; i++) s.u[i] = world->u[i] + random_real(seed, -0.05, 0.05);
            done += check_scene(&s, seed, differences);
        }
        deriv_scene_end(&s);
    }
    tact_world_close(world);
}

static void check_random(uint64_t *seed, int scenes, deriv_scene (*make)(uint64_t *), bool differences) {
    for (int done = 0, tries = 0; done < scenes && tries < 2 * scenes; tries++) {
        uint64_t own = test_random_bits(seed);
        deriv_scene s = make(&own);
        // rotors at the joints of every second scene
        for (int b = 0; s.own && done % 2 && b < s.model->nbody; b++)
            if (test_model_single(s.own, b)) s.own->body[b].armature = TACT_REAL(0.01) * (tact_real)(1 + b % 3);
        done += check_scene(&s, &own, differences);
        deriv_scene_end(&s);
    }
}

int main(void) {
    uint64_t seed = test_seed(20250503);
    bool differences = sizeof(tact_real) == sizeof(double);
    int all = test_rounds(SCENES), hand = all * HAND_STATES / SCENES, scenes = all - 2 * hand;
    check_random(&seed, scenes - 2 * (scenes / 4), deriv_scene_random, differences);
    check_random(&seed, scenes / 4, deriv_scene_block, differences);
    check_random(&seed, scenes / 4, deriv_scene_planar, differences);
    check_hand(&seed, "data/scenes/lesson.json", hand, differences);
    check_hand(&seed, "data/scenes/hand_lift.json", hand, differences);
    uint64_t capsules = test_seed(20261124);
    // all of these, always: few have edges that cross
    check_random(&capsules, SCENES / 4, deriv_scene_capsules, differences);
    check_hand(&capsules, "data/scenes/four_bar.json", hand, differences);
    CHECK_INT(tally.scene, all + SCENES / 4 + hand);
    printf("%d scenes, %d with an anchor at its cap; left out: %d with gaps below 10 um, %d without a step\n", tally.scene,
           tally.kink, tally.crowded, tally.failed);
    printf("%d columns, %d that differences cannot judge; %d of edges\n", tally.column, tally.unjudged, tally.edge);
    printf("largest errors: A %.2g B %.2g C %.2g D %.2g, by parameters %.2g and %.2g\n", tally.worst[0], tally.worst[1],
           tally.worst[2], tally.worst[3], tally.worst[4], tally.worst[5]);
    printf("%d products of the reverse form, %d off by more than %g\n", tally.product, tally.loose, REVERSE_BOUND);
    CHECK(tally.edge > 10);
    CHECK(tally.unjudged <= tally.column / 1000);
    CHECK(tally.loose <= tally.product / 1000);
    return test_end("deriv");
}
