// SPDX-License-Identifier: MIT
// Residuals of a state: each gradient against differences at random states, each Gauss-Newton Hessian where it is exact, tips,
// and what is refused.
#include "scene_test.h"
#include "tact/residual.h"

static const char text[] = "{\"tact\":1,\"options\":{\"kappa\":500,\"margin\":0.3},\"bodies\":["
                           "{\"name\":\"arm\",\"parent\":\"world\",\"joint\":{\"type\":\"revolute\",\"axis\":[0,0,1],\"limits\":["
                           "-4,4],\"xyz\":[-0.2,0,0.05]}},"
                           "{\"name\":\"hand\",\"parent\":\"arm\",\"joint\":{\"type\":\"prismatic\",\"axis\":[1,0.5,0],"
                           "\"limits\":[-1,1],\"xyz\":[0.1,0,0]}},"
                           "{\"name\":\"ball\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[3e-4,3e-4,3e-4,0,0,0],\"joint\":{"
                           "\"type\":\"free\",\"rpy\":[0.2,0.1,0.3]}},"
                           "{\"name\":\"mark\",\"parent\":\"ball\",\"joint\":{\"type\":\"fixed\",\"xyz\":[0.01,0.02,0.03]}}],"
                           "\"shapes\":[{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\"},"
                           "{\"name\":\"palm\",\"body\":\"arm\",\"type\":\"sphere\",\"radius\":0.01},"
                           "{\"name\":\"inner\",\"body\":\"hand\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0.01,0,0]},"
                           "{\"name\":\"tip\",\"body\":\"hand\",\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0.02,0,0]},"
                           "{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04}],"
                           "\"pairs\":[{\"a\":\"table\",\"b\":\"ball\",\"mu\":0.5},{\"a\":\"palm\",\"b\":\"ball\",\"mu\":0},{"
                           "\"a\":\"inner\",\"b\":\"ball\",\"mu\":0.5},"
                           "{\"a\":\"ball\",\"b\":\"tip\",\"mu\":0.7}],"
                           "\"drives\":[{\"joint\":\"arm\",\"stiffness\":2},{\"joint\":\"hand\",\"stiffness\":300}]}";

enum { MOST = 16, PAIRS = 4 };

typedef struct {
    tact_residual_work work;
    void *memory;
    tact_real q[MOST];
    tact_contacts contacts;
    tact_contact contact[PAIRS];
} fixture;

// Random coordinates and forces within their cones.
static void draw(fixture *f, uint64_t *seed) {
    const tact_model *model = &scene->model;
    double norm = 0;
    for (int i = 0; i < model->nq; i++) f->q[i] = (tact_real)test_random(seed, -1, 1);
    int w = model->body[2].q + 3;
    for (int i = 0; i < 4; i++) norm += (double)(f->q[w + i] * f->q[w + i]);
    for (int i = 0; i < 4; i++) f->q[w + i] /= (tact_real)sqrt(norm);
    f->contacts = (tact_contacts){.contact = f->contact, .count = 2};
    for (int c = 0; c < 2; c++) {
        f->contact[c] = (tact_contact){.pair = c == 0 ? 0 : 3};
        f->contact[c].lambda[0] = (tact_real)test_random(seed, 1, 2);
        for (int k = 1; k < 3; k++) f->contact[c].lambda[k] = (tact_real)test_random(seed, -0.25, 0.25);
    }
}

static tact_real value_at(fixture *f, const tact_residual *r, const tact_real *q) {
    tact_residual_state at = {.q = q, .contacts = &f->contacts, .kappa = scene->options.kappa};
    tact_residual_sums none = {NULL, NULL, NULL, NULL};
    tact_kinematics_update(&f->work.kinematics, &scene->model, q);
    return tact_residual_add(&scene->model, r, &at, &f->work, &none);
}

// The value where q has moved by h along one component of v (by all of d unless NULL), or a force has.
static double moved(fixture *f, const tact_residual *r, const tact_real *d, int force, double h) {
    tact_real q[MOST], step[MOST], before = 0, *lambda = force >= 0 ? &f->contact[force / 3].lambda[force % 3] : &before;
    before = *lambda;
    for (int i = 0; i < scene->model.nq; i++) q[i] = f->q[i];
    tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
    for (int i = 0; i < scene->model.nv; i++) step[i] = d ? (tact_real)h * d[i] : 0;
    tact_model_integrate(&scene->model, &f->work.kinematics, step, q);
    if (force >= 0) *lambda += (tact_real)h;
    double value = (double)value_at(f, r, q);
    *lambda = before;
    return value;
}

static double slope_of(fixture *f, const tact_residual *r, const tact_real *d, int force) {
    static const double factor[] = {1, -8, 0, 8, -1};
    double sum = 0, h = sizeof(tact_real) == 8 ? 1e-3 : 3e-2;
    for (int k = -2; k <= 2; k++) sum += factor[k + 2] * moved(f, r, d, force, k * h);
    return sum / (12 * h);
}

static void check_gradient(fixture *f, const tact_residual *r) {
    int nv = scene->model.nv;
    tact_real q[MOST] = {0}, qq[MOST * MOST] = {0}, lambda[3 * PAIRS] = {0}, ll[9 * PAIRS] = {0}, d[MOST];
    tact_residual_state at = {.q = f->q, .contacts = &f->contacts, .kappa = scene->options.kappa};
    tact_residual_sums sums = {q, qq, lambda, ll};
    tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
    tact_real value = tact_residual_add(&scene->model, r, &at, &f->work, &sums);
    CHECK(value == value_at(f, r, f->q));
    tact_real length = tact_residual_length(&scene->model, r, &at, &f->work);
    CHECK_CLOSE(r->weight / 2 * length * length, value, 1e-6 * (1 + (double)value));
    double size = 1 + (double)value, tolerance = sizeof(tact_real) == 8 ? 1e-8 * size : 0.03 * size;
    for (int i = 0; i < nv; i++) {
        for (int k = 0; k < nv; k++) d[k] = k == i;
        CHECK_CLOSE(slope_of(f, r, d, -1), q[i], tolerance);
        for (int k = 0; k < nv; k++) CHECK(qq[i * nv + k] == qq[k * nv + i]);
    }
    for (int i = 0; i < 6; i++) CHECK_CLOSE(slope_of(f, r, NULL, i), lambda[i], tolerance);
}

// Where the residual is 0 the Gauss-Newton Hessian is all of it: f(h d) + f(-h d) = h^2 d'H d.
static void check_hessian(fixture *f, const tact_residual *r, uint64_t *seed) {
    int nv = scene->model.nv;
    tact_real qq[MOST * MOST] = {0}, d[MOST] = {0};
    tact_residual_state at = {.q = f->q};
    tact_residual_sums sums = {.qq = qq};
    tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
    CHECK_CLOSE(tact_residual_add(&scene->model, r, &at, &f->work, &sums), 0, 1e-6);
    double h = sizeof(tact_real) == 8 ? 1e-4 : 1e-2, sum = 0;
    for (int i = 0; i < nv; i++) d[i] = (tact_real)test_random(seed, -1, 1);
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nv; k++) sum += (double)(d[i] * qq[i * nv + k] * d[k]);
    double found = (moved(f, r, d, -1, h) + moved(f, r, d, -1, -h)) / (h * h);
    CHECK(sum > 0);
    CHECK_CLOSE(found / sum, 1, sizeof(tact_real) == 8 ? 1e-5 : 0.05);
}

static tact_vec3 turn_at(fixture *f, const tact_residual *r, const tact_real *d, double h) {
    moved(f, r, d, -1, h);
    return tact_rotation_error(&f->work.kinematics.pose[r->body].R, r->orientation);
}

// The Hessian of a turn that is not small: weight |dr|^2 along a direction.
static void check_turn(fixture *f, const tact_residual *r, uint64_t *seed) {
    int nv = scene->model.nv;
    tact_real qq[MOST * MOST] = {0}, d[MOST] = {0};
    tact_residual_state at = {.q = f->q};
    tact_residual_sums sums = {.qq = qq};
    tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
    tact_residual_add(&scene->model, r, &at, &f->work, &sums);
    double h = sizeof(tact_real) == 8 ? 1e-4 : 1e-2, sum = 0;
    for (int i = 0; i < nv; i++) d[i] = (tact_real)test_random(seed, -1, 1);
    for (int i = 0; i < nv; i++)
        for (int k = 0; k < nv; k++) sum += (double)(d[i] * qq[i * nv + k] * d[k]);
    tact_vec3 change = tact_vec3_sub(turn_at(f, r, d, h), turn_at(f, r, d, -h));
    CHECK_CLOSE((double)(r->weight * tact_vec3_dot(change, change)) / (4 * h * h) / sum, 1, sizeof(tact_real) == 8 ? 1e-6 : 0.05);
}

static void test_kinds(fixture *f, uint64_t *seed) {
    for (int trial = 0; trial < 20; trial++) {
        draw(f, seed);
        tact_vec3 point = {(tact_real)test_random(seed, -1, 1), (tact_real)test_random(seed, -1, 1), TACT_REAL(0.3)};
        tact_residual r = {
            .kind = TACT_RESIDUAL_POINT, .weight = 3, .body = 3, .point = point, .other = TACT_WORLD, .target = {1, 2, 3}};
        check_gradient(f, &r);
        tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
        r.target = tact_pose_apply(f->work.kinematics.pose[3], point);
        check_hessian(f, &r, seed);
        // the target on another body
        r.other = 1;
        r.target = tact_vec3_make(0, TACT_REAL(0.1), TACT_REAL(0.2));
        check_gradient(f, &r);
        // orientations up to half a turn
        double angle = test_random(seed, -1.5, 1.5);
        r = (tact_residual){.kind = TACT_RESIDUAL_TURN, .weight = 2, .body = 3};
        r.orientation = (tact_quat){(tact_real)cos(angle), 0, (tact_real)sin(angle), 0};
        tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
        tact_vec3 error = tact_rotation_error(&f->work.kinematics.pose[3].R, r.orientation);
        if (tact_vec3_dot(error, error) < 9) check_gradient(f, &r);
        if (tact_vec3_dot(error, error) < 9) check_turn(f, &r, seed);
        int w = scene->model.body[2].q + 3;
        for (int i = 0; i < 4; i++) f->q[w + i] = i == 0;
        tact_kinematics_update(&f->work.kinematics, &scene->model, f->q);
        const double half[] = {0.1, 0.05, 0.15};
        double c[3], s[3];
        for (int i = 0; i < 3; i++) c[i] = cos(half[i]), s[i] = sin(half[i]);
        // rpy 0.2, 0.1, 0.3 of the joint's frame
        r.orientation = (tact_quat){
            (tact_real)(c[0] * c[1] * c[2] + s[0] * s[1] * s[2]), (tact_real)(s[0] * c[1] * c[2] - c[0] * s[1] * s[2]),
            (tact_real)(c[0] * s[1] * c[2] + s[0] * c[1] * s[2]), (tact_real)(c[0] * c[1] * s[2] - s[0] * s[1] * c[2])};
        check_hessian(f, &r, seed);
        r = (tact_residual){.kind = TACT_RESIDUAL_JOINT, .weight = 4, .dof = 1, .value = TACT_REAL(0.7)};
        check_gradient(f, &r);
        r.value = f->q[scene->model.dof[1].q];
        check_hessian(f, &r, seed);
        // forces below, within and above, and of a pair that is no contact
        r = (tact_residual){.kind = TACT_RESIDUAL_FORCE, .weight = 5, .pair = 3, .least = 4, .most = TACT_MAX};
        check_gradient(f, &r);
        r.least = -TACT_MAX;
        check_gradient(f, &r);
        r.most = TACT_REAL(0.3);
        check_gradient(f, &r);
        r.pair = 2;
        r.least = TACT_REAL(0.2);
        check_gradient(f, &r);
        r = (tact_residual){.kind = TACT_RESIDUAL_SLIP, .weight = TACT_REAL(1e5), .pair = 0, .bearing = TACT_REAL(0.4)};
        check_gradient(f, &r);
        r.bearing = 3;
        CHECK(value_at(f, &r, f->q) == 0);
        check_gradient(f, &r);
    }
}

// Hessians by the force: J'J with J from differences of |r|, which has one component here.
static void test_forces(fixture *f, uint64_t *seed) {
    draw(f, seed);
    f->contact[0].lambda[1] = TACT_REAL(0.2);
    f->contact[0].lambda[2] = 0;
    tact_residual kinds[] = {{.kind = TACT_RESIDUAL_FORCE, .weight = 5, .pair = 0, .least = 4, .most = TACT_MAX},
                             {.kind = TACT_RESIDUAL_SLIP, .weight = TACT_REAL(1e4), .pair = 0, .bearing = TACT_REAL(0.4)}};
    for (int i = 0; i < 2; i++) {
        tact_real ll[9 * PAIRS] = {0}, J[2];
        tact_residual_state at = {.q = f->q, .contacts = &f->contacts, .kappa = scene->options.kappa};
        tact_residual_sums sums = {.ll = ll};
        tact_residual_add(&scene->model, &kinds[i], &at, &f->work, &sums);
        for (int k = 0; k < 2; k++) {
            tact_real length[2], h = sizeof(tact_real) == 8 ? TACT_REAL(1e-5) : TACT_REAL(1e-2), before = f->contact[0].lambda[k];
            for (int side = 0; side < 2; side++) {
                f->contact[0].lambda[k] = before + (side == 0 ? -h : h);
                length[side] = tact_residual_length(&scene->model, &kinds[i], &at, &f->work);
            }
            f->contact[0].lambda[k] = before;
            J[k] = (length[1] - length[0]) / (2 * h);
        }
        double size = (double)(kinds[i].weight * (J[0] * J[0] + J[1] * J[1]));
        for (int k = 0; k < 4; k++)
            CHECK_CLOSE(ll[3 * (k / 2) + k % 2], kinds[i].weight * J[k / 2] * J[k % 2],
                        (sizeof(tact_real) == 8 ? 1e-7 : 0.02) * size);
    }
}

static void test_tips(void) {
    int shape[MOST];
    // the arm carries the hand, and of the hand's two the tip is further out
    CHECK_INT(tact_residual_find_tips(&scene->model, 2, shape), 1);
    CHECK_INT(shape[0], 3);
    CHECK_INT(tact_residual_find_tips(&scene->model, 3, shape), 0);
}

static void check_fault(tact_residual r, const char *field) {
    tact_residual two[2] = {{.kind = TACT_RESIDUAL_JOINT}, r};
    tact_fault fault = tact_residual_check(&scene->model, two, 2);
    CHECK(fault.field ? field && strcmp(fault.field, field) == 0 : field == NULL);
    CHECK_INT(fault.index, field ? 1 : 0);
}

static void test_faults(void) {
    const tact_residual point = {.kind = TACT_RESIDUAL_POINT, .body = 3, .other = TACT_WORLD},
                        joint = {.kind = TACT_RESIDUAL_JOINT};
    const tact_residual turn = {.kind = TACT_RESIDUAL_TURN, .body = 0, .orientation = {1, 0, 0, 0}};
    const tact_residual force = {.kind = TACT_RESIDUAL_FORCE, .pair = 1, .least = 1, .most = 2};
    const tact_residual slip = {.kind = TACT_RESIDUAL_SLIP, .bearing = 1};
    tact_residual r = point;
    check_fault(r, NULL);
    r.other = 2;
    check_fault(r, NULL);
    r.other = 4;
    check_fault(r, "residual.other");
    r = point;
    r.body = 4;
    check_fault(r, "residual.body");
    r.body = TACT_WORLD;
    check_fault(r, "residual.body");
    r = point;
    r.weight = -1;
    check_fault(r, "residual.weight");
    r.weight = (tact_real)NAN;
    check_fault(r, "residual.weight");
    r = turn;
    check_fault(r, NULL);
    r.orientation.z = TACT_REAL(0.5);
    check_fault(r, "residual.orientation");
    r.body = -1;
    check_fault(r, "residual.body");
    r = joint;
    r.dof = scene->model.nv;
    check_fault(r, "residual.dof");
    r.dof = scene->model.body[2].v;
    check_fault(r, "residual.dof");
    r.dof = -1;
    check_fault(r, "residual.dof");
    r = force;
    check_fault(r, NULL);
    r.pair = 4;
    check_fault(r, "residual.pair");
    r.pair = -1;
    check_fault(r, "residual.pair");
    r = force;
    r.least = 3;
    check_fault(r, "residual.least");
    r = slip;
    check_fault(r, NULL);
    r.bearing = 0;
    check_fault(r, "residual.bearing");
    r = slip;
    r.pair = 1;
    check_fault(r, "residual.pair");
    r.kind = (tact_residual_kind)9;
    check_fault(r, "residual.kind");
    scene->model.law = &tact_law_virtual;
    check_fault(slip, "model.law");
    scene->model.law = &tact_law_barrier;
}

static void place(fixture *f, tact_arena *arena) {
    tact_residual_place(&f->work, &scene->model, arena);
}

int main(void) {
    uint64_t seed = test_seed(21);
    fixture f = {0};
    tact_arena arena = {0};
    open_scene(text);
    place(&f, &arena);
    arena = (tact_arena){.memory = f.memory = malloc(arena.used), .size = arena.used};
    place(&f, &arena);
    test_kinds(&f, &seed);
    test_forces(&f, &seed);
    test_tips();
    test_faults();
    free(f.memory);
    close_scene();
    return test_end("residual");
}
