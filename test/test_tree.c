// SPDX-License-Identifier: MIT
// Kinematics of random trees against an independent composition and difference quotients; the lists of a prepared model.
#include <limits.h>

#include "random_model.h"

// pose of a body by its definition, in double
typedef struct {
    double R[3][3], p[3];
} pose64;

static void turn_about(const double *a, double angle, double R[3][3]) {
    double S[3][3] = {{0, -a[2], a[1]}, {a[2], 0, -a[0]}, {-a[1], a[0], 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double square = 0;
            for (int k = 0; k < 3; k++) square += S[i][k] * S[k][j];
            R[i][j] = (i == j) + sin(angle) * S[i][j] + (1 - cos(angle)) * square;
        }
}

static pose64 pose64_multiply(const pose64 *A, const pose64 *B) {
    pose64 C = *A;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.R[i][j] = 0;
            for (int k = 0; k < 3; k++) C.R[i][j] += A->R[i][k] * B->R[k][j];
            C.p[i] += A->R[i][j] * B->p[j];
        }
    }
    return C;
}

// the joint's own motion
static pose64 joint_pose(const tact_body *body, const tact_real *q) {
    pose64 T = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
    double axis[3] = {(double)body->axis.x, (double)body->axis.y, (double)body->axis.z}, z[3] = {0, 0, 1};
    double x[7] = {0};
    for (int k = 0; k < tact_joint_coordinates(body->joint); k++)
        x[k] = (double)body->ratio * (double)q[body->q + k] + (double)body->offset;
    if (body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS) turn_about(axis, x[0], T.R);
    for (int k = 0; k < 3 && body->joint == TACT_JOINT_PRISMATIC; k++) T.p[k] = x[0] * axis[k];
    for (int k = 0; k < 3 && body->joint >= TACT_JOINT_TRANSLATION; k++) T.p[k] = x[k];
    if (body->joint == TACT_JOINT_PLANAR) {
        T.p[2] = 0;
        turn_about(z, x[2], T.R);
    }
    if (body->joint == TACT_JOINT_FREE) {
        double s = sqrt(x[4] * x[4] + x[5] * x[5] + x[6] * x[6]), a[3] = {x[4] / s, x[5] / s, x[6] / s};
        turn_about(a, 2 * atan2(s, x[3]), T.R);
    }
    return T;
}

static void reference_poses(const tact_model *model, const tact_real *q, pose64 *pose) {
    for (int b = 0; b < model->nbody; b++) {
        const tact_body *body = &model->body[b];
        pose64 place = {{{0}}, {(double)body->place.p.x, (double)body->place.p.y, (double)body->place.p.z}},
               joint = joint_pose(body, q);
        for (int k = 0; k < 9; k++) place.R[k / 3][k % 3] = (double)body->place.R.m[k / 3][k % 3];
        pose[b] = pose64_multiply(&place, &joint);
        if (body->parent != TACT_WORLD) pose[b] = pose64_multiply(&pose[body->parent], &pose[b]);
    }
}

static double pose_error(const pose64 *wanted, const tact_pose *got) {
    double worst = 0;
    double p[3] = {(double)got->p.x, (double)got->p.y, (double)got->p.z};
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(p[k] - wanted->p[k]));
    for (int k = 0; k < 9; k++) worst = fmax(worst, fabs((double)got->R.m[k / 3][k % 3] - wanted->R[k / 3][k % 3]));
    return worst;
}

static void test_poses(test_model *t, tact_kinematics *kinematics, double *worst) {
    static pose64 pose[MAX_BODIES];
    tact_kinematics_update(kinematics, &t->model, t->q0);
    reference_poses(&t->model, t->q0, pose);
    for (int b = 0; b < t->model.nbody; b++) *worst = fmax(*worst, pose_error(&pose[b], &kinematics->pose[b]));
}

// column of a body's Jacobian by central differences: angular, then linear
static void difference_column(const tact_pose *minus, const tact_pose *plus, double step, double *column) {
    double W[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            W[i][j] = 0;
            for (int k = 0; k < 3; k++) W[i][j] += (double)plus->R.m[i][k] * (double)minus->R.m[j][k];
        }
    // sin(angle) axis, of an angle of two steps
    column[0] = (W[2][1] - W[1][2]) / (4 * step);
    column[1] = (W[0][2] - W[2][0]) / (4 * step);
    column[2] = (W[1][0] - W[0][1]) / (4 * step);
    column[3] = ((double)plus->p.x - (double)minus->p.x) / (2 * step);
    column[4] = ((double)plus->p.y - (double)minus->p.y) / (2 * step);
    column[5] = ((double)plus->p.z - (double)minus->p.z) / (2 * step);
}

static void test_jacobians(test_model *t, tact_kinematics *kinematics, double *worst) {
    const tact_model *model = &t->model;
    static tact_pose pose[2][MAX_BODIES];
    static tact_real d[MAX_DOFS], q[2 * MAX_DOFS], J[6 * MAX_DOFS];
    for (int v = 0; v < model->nv; v++) {
        for (int side = 0; side < 2; side++) {
            tact_kinematics_update(kinematics, model, t->q0);
            for (int i = 0; i < model->nv; i++) d[i] = i == v ? DIFFERENCE_STEP * (tact_real)(side ? 1 : -1) : 0;
            for (int i = 0; i < model->nq; i++) q[i] = t->q0[i];
            tact_model_integrate(model, kinematics, d, q);
            tact_kinematics_update(kinematics, model, q);
            for (int b = 0; b < model->nbody; b++) pose[side][b] = kinematics->pose[b];
        }
        tact_kinematics_update(kinematics, model, t->q0);
        for (int b = 0; b < model->nbody; b++) {
            double wanted[6];
            tact_body_jacobian(model, kinematics, b, J);
            difference_column(&pose[0][b], &pose[1][b], (double)DIFFERENCE_STEP, wanted);
            for (int k = 0; k < 6; k++) *worst = fmax(*worst, fabs((double)J[k * model->nv + v] - wanted[k]));
        }
    }
}

// a point of the body moves as its Jacobian says
static void test_motion_velocity(test_model *t, tact_kinematics *kinematics, uint64_t *seed) {
    const tact_model *model = &t->model;
    static tact_real J[6 * MAX_DOFS];
    tact_kinematics_update(kinematics, model, t->q0);
    for (int b = 0; b < model->nbody; b++) {
        tact_vec3 arm = random_vec3(seed, 1), x = tact_vec3_add(kinematics->pose[b].p, arm);
        tact_body_jacobian(model, kinematics, b, J);
        for (int v = 0; v < model->nv; v++) {
            tact_vec3 sum = {0, 0, 0}, w = {J[v], J[model->nv + v], J[2 * model->nv + v]};
            tact_vec3 u = {J[3 * model->nv + v], J[4 * model->nv + v], J[5 * model->nv + v]};
            for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++)
                if (model->motion[model->path[k]].dof == v)
                    sum = tact_vec3_add(sum, tact_motion_velocity(kinematics, model->path[k], x));
            tact_vec3 error = tact_vec3_sub(sum, tact_vec3_add(u, tact_vec3_cross(w, arm)));
            CHECK(tact_vec3_dot(error, error) < (tact_real)pow(ROUNDING(1e-13), 2));
        }
    }
}

// q (+) d (-) q = d, and in the world the free bodies turn by exp(d)
static void test_tangent_space(test_model *t, tact_kinematics *kinematics, uint64_t *seed) {
    const tact_model *model = &t->model;
    static tact_real d[MAX_DOFS], back[MAX_DOFS], q[2 * MAX_DOFS];
    double worst = 0;
    tact_kinematics_update(kinematics, model, t->q0);
    for (int i = 0; i < model->nv; i++) d[i] = random_real(seed, -1.7, 1.7);
    for (int i = 0; i < model->nq; i++) q[i] = t->q0[i];
    tact_model_integrate(model, kinematics, d, q);
    tact_model_difference(model, kinematics, t->q0, q, back);
    for (int i = 0; i < model->nv; i++) worst = fmax(worst, fabs((double)(d[i] - back[i])));
    CHECK(worst < ROUNDING(2e-14));
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        const tact_real *w = &q[model->body[b].q + 3];
        CHECK_CLOSE(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3], 1, ROUNDING(1e-15));
        if (model->body[b].parent != TACT_WORLD) continue;
        pose64 turn = {{{0}}, {0, 0, 0}}, old = turn;
        const tact_real *r = &d[model->body[b].v];
        double angle = sqrt((double)r[0] * (double)r[0] + (double)r[1] * (double)r[1] + (double)r[2] * (double)r[2]);
        double axis[3] = {(double)r[0] / angle, (double)r[1] / angle, (double)r[2] / angle};
        tact_pose before = kinematics->pose[b];
        turn_about(axis, angle, turn.R);
        for (int k = 0; k < 9; k++) old.R[k / 3][k % 3] = (double)before.R.m[k / 3][k % 3];
        pose64 wanted = pose64_multiply(&turn, &old);
        wanted.p[0] = (double)(before.p.x + r[3]);
        wanted.p[1] = (double)(before.p.y + r[4]);
        wanted.p[2] = (double)(before.p.z + r[5]);
        tact_kinematics_update(kinematics, model, q);
        CHECK(pose_error(&wanted, &kinematics->pose[b]) < ROUNDING(1e-14));
        tact_kinematics_update(kinematics, model, t->q0);
    }
    for (int i = 0; i < model->nv; i++) d[i] = 0;
    for (int i = 0; i < model->nq; i++) q[i] = t->q0[i];
    tact_model_integrate(model, kinematics, d, q);
    for (int i = 0; i < model->nq; i++) CHECK_CLOSE(q[i], t->q0[i], ROUNDING(1e-15));
}

static bool moves(const tact_model *model, int motion, int b) {
    for (; b != TACT_WORLD; b = model->body[b].parent)
        if (model->motion[motion].body == b) return true;
    return false;
}

static void test_lists(const test_model *t) {
    const tact_model *model = &t->model;
    int count = 0;
    for (int b = 0; b < model->nbody; b++) {
        int k = model->path_start[b];
        bool loose = false;
        CHECK_INT(model->body_motion[b], count);
        for (int m = 0; m < model->nmotion; m++) {
            if (!moves(model, m, b)) continue;
            CHECK(k < model->path_start[b + 1] && model->path[k] == m);
            loose |= model->dof[model->motion[m].dof].u < 0;
            k++;
        }
        CHECK_INT(k, model->path_start[b + 1]);
        CHECK(model->loose[b] == loose);
        for (int axis = 0; axis < tact_joint_dofs(model->body[b].joint); axis++, count++) {
            tact_motion motion = model->motion[count];
            CHECK(motion.body == b && motion.axis == axis && motion.dof == model->body[b].v + axis);
            CHECK(motion.ratio == model->body[b].ratio);
        }
    }
    CHECK(model->nmotion == count && model->body_motion[model->nbody] == count);
    for (int v = 0; v < model->nv; v++) CHECK(model->order[model->place[v]] == v && model->place[model->order[v]] == v);
}

// columns and envelope by their definition
static void test_columns(const test_model *t) {
    const tact_model *model = &t->model;
    static bool on[MAX_DOFS];
    static int first[MAX_DOFS];
    int envelope = 0;
    for (int v = 0; v < model->nv; v++) first[v] = model->mass_first[v];
    for (int i = 0; i < model->npair; i++) {
        int k = model->column_start[i], lowest = -1;
        for (int v = 0; v < model->nv; v++) on[v] = false;
        for (int m = 0; m < model->nmotion; m++)
            if (moves(model, m, t->shape[t->pair[i].a].body) || moves(model, m, t->shape[t->pair[i].b].body))
                on[model->place[model->motion[m].dof]] = true;
        for (int p = 0; p < model->nv; p++) {
            if (!on[p]) continue;
            if (lowest < 0) lowest = p;
            if (lowest < first[p]) first[p] = lowest;
            CHECK(k < model->column_start[i + 1] && model->column[k] == p);
            k++;
        }
        CHECK_INT(k, model->column_start[i + 1]);
    }
    for (int p = 0; p < model->nv; p++) envelope += p - first[p] + 1;
    CHECK_INT(model->envelope, envelope);
}

// the mass matrix of the undriven dofs lies within mass_first, and each first is needed
static void test_mass_first(const test_model *t) {
    const tact_model *model = &t->model;
    for (int i = 0; i < model->nv; i++) {
        int v = model->order[i], first = i;
        for (int j = 0; j < i && model->dof[v].u < 0; j++) {
            int w = model->order[j];
            bool coupled = false;
            for (int m = 0; m < model->nmotion && !coupled; m++)
                for (int n = 0; n < model->nmotion && !coupled; n++)
                    coupled = model->motion[m].dof == v && model->motion[n].dof == w && model->dof[w].u < 0 &&
                              (moves(model, m, model->motion[n].body) || moves(model, n, model->motion[m].body));
            if (coupled && j < first) first = j;
        }
        CHECK_INT(model->mass_first[i], first);
    }
}

static void test_random_trees(uint64_t *seed) {
    double worst_pose = 0, worst_jacobian = 0;
    for (int i = 0; i < 60; i++) {
        test_model *t = test_model_random(seed, random_int(seed, 1, 14), i % 3 ? TACT_JOINT_FREE : TACT_JOINT_PRISMATIC);
        CHECK_INT(test_model_prepare(t, 1 << 16), TACT_CONVERGED);
        tact_kinematics kinematics;
        tact_kinematics_place(&kinematics, &t->model, &t->arena);
        CHECK(tact_arena_fits(&t->arena));
        test_poses(t, &kinematics, &worst_pose);
        test_jacobians(t, &kinematics, &worst_jacobian);
        test_motion_velocity(t, &kinematics, seed);
        test_tangent_space(t, &kinematics, seed);
        test_lists(t);
        test_columns(t);
        test_mass_first(t);
        test_model_free(t);
    }
    printf("poses %.2g, jacobians %.2g (allowed %.2g)\n", worst_pose, worst_jacobian, DIFFERENCE_ERROR);
    CHECK(worst_pose < ROUNDING(1e-14));
    CHECK(worst_jacobian < DIFFERENCE_ERROR);
}

// two fingers that follow one joint, one of them with ratio -2 and an offset
static void test_mimic(void) {
    test_model *t = test_model_new();
    int palm = test_model_add(t, TACT_WORLD, TACT_JOINT_FIXED, 0);
    int left = test_model_add(t, palm, TACT_JOINT_REVOLUTE, 1), right = test_model_body(t, palm, TACT_JOINT_PRISMATIC);
    test_model_mimic(t, right, left, -2, 0.5);
    test_model_pair(t, left, right);
    tact_kinematics kinematics;
    CHECK_INT(test_model_prepare(t, 4096), TACT_CONVERGED);
    tact_kinematics_place(&kinematics, &t->model, &t->arena);
    tact_real q = TACT_REAL(0.3), J[6];
    tact_kinematics_update(&kinematics, &t->model, &q);
    CHECK_CLOSE(kinematics.pose[left].R.m[1][0], sin(0.3), ROUNDING(1e-15));
    CHECK_CLOSE(kinematics.pose[right].p.z, -0.1, ROUNDING(1e-15));
    tact_body_jacobian(&t->model, &kinematics, right, J);
    CHECK(J[2] == 0 && J[5] == -2);
    CHECK(t->model.nv == 1 && t->model.nmotion == 2 && t->model.envelope == 1);
    test_model_free(t);
}

static void test_memory(void) {
    uint64_t seed = 5;
    test_model *t = test_model_random(&seed, 12, TACT_JOINT_FREE);
    tact_arena measure = {NULL, 0, 0};
    CHECK_INT(tact_model_prepare(&t->model, &measure), TACT_CONVERGED);
    unsigned char *memory = malloc(measure.used + 1);
    memory[measure.used] = 0xa5;
    tact_arena whole = {memory, measure.used, 0};
    CHECK_INT(tact_model_prepare(&t->model, &whole), TACT_CONVERGED);
    CHECK_INT(memory[measure.used], 0xa5);
    // with less than it used it is refused, and nothing is written
    for (size_t size = 0; size < whole.used; size += 1 + whole.used / 7) {
        tact_arena small = {memory, size, 0};
        for (size_t k = 0; k <= measure.used; k++) memory[k] = 0x5a;
        CHECK_INT(tact_model_prepare(&t->model, &small), TACT_NO_MEMORY);
        CHECK_INT(small.used, whole.used);
        size_t written = 0;
        for (size_t k = 0; k <= measure.used; k++) written += memory[k] != 0x5a;
        CHECK_INT(written, 0);
    }
    tact_arena last = {memory, whole.used - 1, 0}, exact = {memory, whole.used, 0};
    CHECK_INT(tact_model_prepare(&t->model, &last), TACT_NO_MEMORY);
    CHECK_INT(tact_model_prepare(&t->model, &exact), TACT_CONVERGED);
    free(memory);
    test_model_free(t);
}

static void test_empty(void) {
    test_model *t = test_model_new();
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    CHECK(t->model.envelope == 0 && t->model.nmotion == 0);
    test_model_free(t);
}

// Two chains as deep as bodies may be, and so many pairs between their ends that the lists of their dofs have more entries than
// there are numbers for: refused.
static void test_too_long(void) {
    enum { DEEP = 1024, WIDE = 2 * 6 * DEEP, MOST = INT_MAX / WIDE };
    static tact_body body[2 * DEEP];
    static tact_dof dof[WIDE];
    static tact_real q0[2 * 7 * DEEP], v0[WIDE];
    tact_shape shape[2];
    tact_pair *pair = malloc((MOST + 1) * sizeof *pair);
    for (int b = 0; b < 2 * DEEP; b++) {
        body[b] = (tact_body){.parent = b % DEEP ? b - 1 : TACT_WORLD, .joint = TACT_JOINT_FREE, .place = tact_pose_identity()};
        body[b].q = 7 * b, body[b].v = 6 * b;
        body[b].ratio = body[b].mass = q0[7 * b + 3] = 1;
        for (int k = 0; k < 6; k++)
            dof[6 * b + k] = (tact_dof){b, k < 3 ? -1 : 7 * b + k - 3, -1, 0, 0, -TACT_MAX, TACT_MAX, false};
    }
    for (int i = 0; i < 2; i++)
        shape[i] = (tact_shape){(i + 1) * DEEP - 1, TACT_SHAPE_SPHERE, tact_pose_identity(), {1}, 0, NULL, NULL, NULL, NULL};
    for (int i = 0; i <= MOST; i++) pair[i] = (tact_pair){0, 1, 0, 0, 0};
    tact_model model = {.law = &tact_law_barrier, .nbody = 2 * DEEP, .nshape = 2, .npair = MOST + 1, .nq = 14 * DEEP, .nv = WIDE};
    model.body = body, model.dof = dof, model.shape = shape, model.pair = pair, model.q0 = q0, model.v0 = v0;
    tact_arena measure = {NULL, 0, 0};
    CHECK(!tact_model_check(&model).field);
    CHECK_INT(tact_model_prepare(&model, &measure), TACT_BAD_INPUT);
    model.npair = MOST / 256;
    CHECK_INT(tact_model_prepare(&model, &measure), TACT_CONVERGED);
    CHECK(measure.used > sizeof(int) * (size_t)WIDE * (size_t)model.npair);
    free(pair);
}

// Memory that was measured for a model is not that of one of another size.
static void test_sizes(void) {
    uint64_t seed = 7;
    test_model *t = test_model_random(&seed, 12, TACT_JOINT_FREE);
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    tact_sizes sizes = tact_model_sizes(&t->model);
    int *const size[] = {&sizes.nbody, &sizes.nshape,  &sizes.npair,   &sizes.nq,      &sizes.nv,
                         &sizes.nu,    &sizes.nmotion, &sizes.columns, &sizes.envelope};
    CHECK(tact_model_has_sizes(&t->model, &sizes));
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        ++*size[k];
        CHECK(!tact_model_has_sizes(&t->model, &sizes));
        --*size[k];
    }
    CHECK(tact_model_has_sizes(&t->model, &sizes));
    test_model_free(t);
}

int main(void) {
    uint64_t seed = test_seed(1);
    test_too_long();
    test_sizes();
    test_random_trees(&seed);
    test_mimic();
    test_memory();
    test_empty();
    return test_end("tree");
}
