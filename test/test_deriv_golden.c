// SPDX-License-Identifier: MIT
// Derivatives of a step against closed forms: the linear pusher, the limit of a sharp barrier for open, sliding and sticking
// contacts, the force before contact, and the cheaper form with frozen geometry.
#include "deriv_check.h"
#include "tact/scene.h"

#ifdef TACT_FLOAT
#define DIGITS 2e-5
#else
#define DIGITS 3e-15
#endif

static tact_world *open_world(const char *path) {
    char message[512];
    tact_world *world = tact_world_open(path, message, sizeof message);
    CHECK(world != NULL);
    if (!world) {
        printf("    %s\n", message);
        abort();
    }
    return world;
}

// the world's model at a state of its own, with room for commands and forces
static deriv_scene scene_at(const tact_world *world) {
    deriv_scene s = {.options = world->scene->options};
    deriv_scene_begin(&s, &world->scene->model);
    tact_state_copy(&s.state, &world->state, &world->scene->model);
    for (int i = 0; i < world->scene->model.nu; i++) s.u[i] = world->u[i];
    return s;
}

// Two bodies on a line, K (q_a - u) + l = 0, e (q_o+ - q_o) = l, l (q_o+ - q_a+ - r) = 2/kappa, e = epsilon m/h^2.
static void check_pusher(const tact_world *world, double u, double kappa, const double golden[3]) {
    deriv_scene s = scene_at(world);
    s.u[0] = (tact_real)u;
    s.options.kappa = (tact_real)kappa;
    s.options.tolerance = sizeof(tact_real) == sizeof(double) ? TACT_REAL(1e-15) : TACT_TOLERANCE;
    s.options.warm_start = false;
    deriv_check k = deriv_check_begin(&s, false);
    double K = 1, e = 100, g = 1 / e + 1 / K, c = 0.2 - 0.1 - u, l = (sqrt(c * c + 8 * g / kappa) - c) / (2 * g);
    // dl/dc, with c rising with q_o and falling with u
    double slope = -l / (c + 2 * l * g);
    const double A[4] = {0, -slope / K, 0, 1 + slope / e}, B[2] = {1 + slope / K, -slope / e}, C[2] = {0, slope}, D = -slope;
    for (int i = 0; i < 4; i++) CHECK_CLOSE(k.matrix.A[i], A[i], DIGITS);
    for (int i = 0; i < 2; i++) CHECK_CLOSE(k.matrix.B[i], B[i], DIGITS);
    for (int i = 0; i < 2; i++) CHECK_CLOSE(k.matrix.C[i], C[i], DIGITS);
    CHECK_CLOSE(k.matrix.D[0], D, DIGITS);
    for (int i = 0; i < 2; i++) CHECK_CLOSE(k.other.q[i], golden[i], DIGITS);
    CHECK_CLOSE(k.work.contacts.contact[0].lambda[0], golden[2], DIGITS);
    // by the parameters: dl/dkappa at fixed c, dl/dK and dl/de through g
    tact_real dq[2], dl[3];
    double by_kappa = -l / kappa * (c + l * g) / (c + 2 * l * g), by_g = -l * l / (c + 2 * l * g);
    tact_deriv_parameter(k.model, &s.options, &k.work, &k.deriv, (tact_parameter){.kind = TACT_PARAMETER_KAPPA},
                         (tact_deriv_column){dq, dl});
    CHECK_CLOSE((double)dl[0] / by_kappa, 1, 10 * DIGITS);
    CHECK_CLOSE((double)dq[1] / (by_kappa / e), 1, 10 * DIGITS);
    tact_deriv_parameter(k.model, &s.options, &k.work, &k.deriv, (tact_parameter){.kind = TACT_PARAMETER_STIFFNESS},
                         (tact_deriv_column){dq, dl});
    CHECK_CLOSE(dl[0], -by_g / (K * K), DIGITS);
    CHECK_CLOSE(dq[0], (l - by_g * -1 / K) / (K * K), DIGITS);
    tact_deriv_parameter(k.model, &s.options, &k.work, &k.deriv, (tact_parameter){.kind = TACT_PARAMETER_MASS, .index = 1},
                         (tact_deriv_column){dq, dl});
    CHECK_CLOSE(dl[0] / 100, -by_g / (e * e) * 1e4 / 100, DIGITS);
    deriv_check_end(&k);
    deriv_scene_end(&s);
}

static void test_pusher(void) {
    static const double G1[3] = {0.000496280979001, 0.20099503719021, 0.099503719020999};
    static const double G1b[3] = {0.022711311003921, 0.201272886889961, 0.127288688996079};
    static const double G1c[3] = {0.0393567112839423, 0.201606432887161, 0.160643288716058};
    tact_world *world = open_world("data/scenes/pusher.json");
    check_pusher(world, 0.1, 200, G1);
    check_pusher(world, 0.15, 200, G1b);
    check_pusher(world, 0.2, 200, G1c);
    // a sharp barrier comes near the case without one
    deriv_scene hard = scene_at(world);
    hard.u[0] = TACT_REAL(0.15);
    hard.options.kappa = TACT_REAL(1e8);
    deriv_check limit = deriv_check_begin(&hard, false);
    CHECK_CLOSE(limit.other.q[0], 0.1004950495, 1e-5);
    CHECK_CLOSE(limit.other.q[1], 0.2004950495, 1e-5);
    CHECK_CLOSE(limit.work.contacts.contact[0].lambda[0], 0.0495049505, 1e-5);
    CHECK_CLOSE(limit.matrix.D[0], 1 / 1.01, sizeof(tact_real) == sizeof(double) ? 1e-4 : 2e-2);
    deriv_check_end(&limit);
    deriv_scene_end(&hard);
    // the printed derivatives of G1
    deriv_scene s = scene_at(world);
    s.u[0] = TACT_REAL(0.1);
    deriv_check k = deriv_check_begin(&s, false);
    const double A[4] = {0, 0.495049504950495, 0, 0.995049504950495}, B[2] = {0.504950495049505, 0.004950495049505};
    for (int i = 0; i < 4; i++) CHECK_CLOSE(k.matrix.A[i], A[i], 10 * DIGITS);
    for (int i = 0; i < 2; i++) CHECK_CLOSE(k.matrix.B[i], B[i], 10 * DIGITS);
    CHECK_CLOSE(k.matrix.C[1], -0.495049504950495, 10 * DIGITS);
    CHECK_CLOSE(k.matrix.D[0], 0.495049504950495, 10 * DIGITS);
    deriv_check_end(&k);
    deriv_scene_end(&s);
    tact_world_close(world);
}

// What a point does on a frictional plane z = 0 in the limit kappa -> infinity: with P = K, or epsilon m/h^2, and nu0 the gap and
// slip that it would have without the plane, nu is the point of the cone nu_n >= mu |nu_t| nearest to nu0, and lambda =
// P (nu - nu0). The slope is that of the projection: the identity, the boundary's, or 0.
typedef struct {
    double nu[3], slope[3][3];
} cone_projection;

static cone_projection project(const double x[3], double mu) {
    cone_projection p = {{0}, {{0}}};
    double t = hypot(x[1], x[2]), unit[2] = {t > 0 ? x[1] / t : 0, t > 0 ? x[2] / t : 0};
    if (x[0] >= mu * t) {
        for (int i = 0; i < 3; i++) {
            p.nu[i] = x[i];
            p.slope[i][i] = 1;
        }
    } else if (mu * x[0] > -t) {
        double along = (mu * x[0] + t) / (1 + mu * mu),
               by[3] = {mu / (1 + mu * mu), unit[0] / (1 + mu * mu), unit[1] / (1 + mu * mu)};
        p.nu[0] = mu * along;
        for (int i = 0; i < 2; i++) p.nu[1 + i] = along * unit[i];
        for (int j = 0; j < 3; j++) {
            p.slope[0][j] = mu * by[j];
            for (int i = 0; i < 2; i++) p.slope[1 + i][j] = unit[i] * by[j];
        }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) p.slope[1 + i][1 + j] += along / t * ((i == j) - unit[i] * unit[j]);
    }
    return p;
}

// A ball of radius 1 cm over the plane, driven or with inertia.
static deriv_scene point_scene(double stiffness, double mu, double gap) {
    deriv_scene s = {.own = test_model_new(), .options = tact_options_default()};
    test_model *t = s.own;
    int b = test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, stiffness);
    t->pair[t->model.npair++] = (tact_pair){0, b + 1, (tact_real)mu, 0, 0};
    t->q0[0] = TACT_REAL(0.02);
    t->q0[2] = TACT_REAL(0.01) + (tact_real)gap;
    t->body[b].mass = TACT_REAL(0.3);
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    deriv_scene_begin(&s, &t->model);
    s.options.kappa = TACT_REAL(1e8);
    s.options.gravity = tact_vec3_make(0, 0, 0);
    s.options.warm_start = false;
    if (sizeof(tact_real) == sizeof(double)) s.options.tolerance = TACT_REAL(1e-14);
    return s;
}

// order of the contact's rows among the dofs: normal z, tangents x and y
static const int row_dof[3] = {2, 0, 1};

// Largest error of A, B (or the motion by the force) and C, D against the limit, relative to 1 and to P.
static double limit_error(deriv_scene *s, const double rest[3], double P, bool driven) {
    deriv_check k = deriv_check_begin(s, false);
    CHECK_INT(k.status, TACT_CONVERGED);
    cone_projection p = project(rest, (double)k.model->pair[0].mu);
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            // nu0 = (z + d_z - r, d_t): by z and by all of u (or of force/P)
            double by_q = j == 0 && !driven ? p.slope[i][0] : (j > 0 && driven ? -p.slope[i][j] : 0), by_u = p.slope[i][j];
            double A = by_q + (i > 0 && i == j), C = by_q, D = by_u - (i == j);
            if (driven && j > 0) C += i == j;
            if (!driven && j == 0) C -= i == j;
            int a = row_dof[i], b = row_dof[j];
            worst = fmax(worst, fabs((double)k.matrix.A[3 * a + b] - A));
            worst = fmax(worst, fabs((double)k.matrix.C[3 * i + b] / P - C));
            tact_real dq[3], dl[3];
            tact_parameter force = {.kind = TACT_PARAMETER_FORCE, .component = b};
            tact_deriv_parameter(k.model, &s->options, &k.work, &k.deriv, force, (tact_deriv_column){dq, dl});
            worst = fmax(worst, fabs((double)dq[a] * P - by_u));
            worst = fmax(worst, fabs((double)dl[i] - D));
            if (!driven) continue;
            worst = fmax(worst, fabs((double)k.matrix.B[3 * a + b] - by_u));
            worst = fmax(worst, fabs((double)k.matrix.D[3 * i + b] / P - D));
        }
    for (int i = 0; i < 3; i++) worst = fmax(worst, fabs((double)k.work.contacts.contact[0].lambda[i] / P - (p.nu[i] - rest[i])));
    deriv_check_end(&k);
    return worst;
}

// Pushed by a drive, or by a force: into the open, along the plane, and against it.
static void test_limit(void) {
    // single precision has no kappa that sharp
    if (sizeof(tact_real) == sizeof(float)) return;
    static const double rest[][3] = {{0.004, 0.003, -0.001}, {-0.004, 0.01, -0.006}, {-0.01, -0.004, 0.002}, {0.002, 0, 0.009}};
    for (int driven = 0; driven < 2; driven++)
        for (int i = 0; i < 4; i++) {
            double K = driven ? 2000 : 0, gap = 0.003, mu = 0.6, P = driven ? K : 0.1 * 0.3 / 1e-4;
            deriv_scene s = point_scene(K, mu, gap);
            for (int j = 0; j < 3; j++) {
                // the force or the command that leads to the displacement rest, from where the ball is
                double d = rest[i][j] - (j == 0 ? gap : 0);
                tact_real *force[3] = {&s.wrench[0].force.z, &s.wrench[0].force.x, &s.wrench[0].force.y};
                if (driven)
                    s.u[row_dof[j]] += (tact_real)d;
                else
                    *force[j] = (tact_real)(P * d);
            }
            double sharp = limit_error(&s, rest[i], P, driven);
            s.options.kappa = TACT_REAL(1e6);
            double blunt = limit_error(&s, rest[i], P, driven);
            printf("limit, %s, case %d: off by %.2g at kappa 1e8, %.2g at 1e6\n", driven ? "driven" : "with inertia", i, sharp,
                   blunt);
            CHECK(sharp <= 2e-5);
            CHECK(blunt / sharp > 70 && blunt / sharp < 140);
            deriv_scene_end(&s);
        }
}

// A fingertip 5 cm from the ball: what brings the tip nearer drives the ball away. Laws without a force before contact have 0.
static void test_before_contact(void) {
    tact_world *world = open_world("data/scenes/lesson.json");
    const tact_model *model = &world->scene->model;
    deriv_scene s = scene_at(world);
    s.options.margin = TACT_REAL(0.5);
    int ball = model->nv - 3, pair = 2;
    const tact_shape *tip = &model->shape[model->pair[pair].a];
    tact_kinematics_update(&world->work.kinematics, model, s.state.q);
    tact_vec3 x = tact_pose_apply(world->work.kinematics.pose[tip->body], tip->place.p),
              n = {TACT_REAL(-0.36), TACT_REAL(-0.48), TACT_REAL(-0.8)};
    tact_vec3 centre = tact_vec3_add_scaled(x, TACT_REAL(0.015 + 0.04 + 0.05), n);
    tact_real *q = s.state.q + model->nq - 3;
    q[0] = centre.x;
    q[1] = centre.y;
    q[2] = centre.z;
    deriv_check k = deriv_check_begin(&s, false);
    const tact_contact *contact = &k.work.contacts.contact[pair];
    CHECK_INT(contact->pair, pair);
    CHECK_CLOSE(contact->gap, 0.05, 1e-6);
    CHECK_CLOSE(contact->frame.m[0][2], -0.8, 1e-5);
    for (int i = model->path_start[tip->body]; i < model->path_start[tip->body + 1]; i++) {
        int motion = model->path[i], u = model->dof[model->motion[motion].dof].u;
        double nearer = (double)tact_vec3_dot(n, tact_motion_velocity(&k.work.kinematics, motion, x)), away = 0;
        const tact_real along[3] = {n.x, n.y, n.z};
        for (int a = 0; a < 3; a++) away += (double)(along[a] * k.matrix.B[(ball + a) * model->nu + u]);
        CHECK(isfinite(away) && away * nearer > 0 && fabs(away) > 1e-5);
    }
    CHECK(model->path_start[tip->body + 1] - model->path_start[tip->body] == 5);
    deriv_check_end(&k);
    deriv_scene_end(&s);
    tact_world_close(world);
}

// The form of the literature, for additive coordinates, from the solver's matrices:
//     A = H^-1 (blkdiag(eps M_o/h^2, 0) + sum J'W (0; J_t)) ,   B = H^-1 (0; K)
static void check_frozen_form(deriv_check *k) {
    static exact_problem e, used;
    static long double x[EXACT_DOFS];
    const tact_model *model = k->model;
    CHECK(exact_refine(&e, &k->work));
    for (int dof = 0; dof < model->nv; dof++) {
        int place = model->place[dof], u = model->dof[dof].u;
        for (int i = 0; i < model->nv; i++) x[i] = e.H[i][place];
        for (int j = 0; j < k->work.problem.nbound; j++)
            if (k->work.bound[j].column == place) x[place] -= (long double)k->deriv.bound[place];
        if (u >= 0) x[place] -= (long double)(model->dof[dof].stiffness + model->dof[dof].damping / k->scene->options.dt);
        for (int c = 0; c < k->nc; c++) {
            const tact_cone *cone = &k->work.cone[c];
            const tact_real *W = k->deriv.contact[c].W, *J = cone->J;
            for (int a = 0; a < cone->width; a++)
                for (int b = 0; b < cone->width; b++)
                    if (cone->column[b] == place)
                        x[cone->column[a]] -=
                            (long double)((W[0] * J[a] + W[1] * J[cone->width + a] + W[3] * J[2 * cone->width + a]) * J[b]);
        }
        used = e;
        CHECK(exact_solve(&used, x));
        for (int i = 0; i < model->nv; i++)
            CHECK_CLOSE(k->matrix.A[i * model->nv + dof], x[model->place[i]], sizeof(tact_real) == 8 ? 1e-9 : 5e-3);
    }
}

static double relative(const tact_real *got, const tact_real *wanted, int n) {
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += ((double)got[i] - (double)wanted[i]) * ((double)got[i] - (double)wanted[i]);
        size += (double)wanted[i] * (double)wanted[i];
    }
    return sqrt(off / size);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { GRASPS = 60 };

// What frozen geometry costs in a grasp, in the Frobenius norm.
static void check_frozen_cost(double kappa) {
    tact_world *world = open_world("data/scenes/hand_lift.json");
    const tact_model *model = &world->scene->model;
    double A[GRASPS], C[GRASPS];
    int count = 0;
    world->scene->options.kappa = (tact_real)kappa;
    for (int step = 0; step < 380 && count < GRASPS; step++) {
        deriv_scene s = scene_at(world);
        tact_scene_command(world->scene, &s.state, s.u);
        if (step >= 200 && step % 3 == 0) {
            deriv_check whole = deriv_check_begin(&s, false), frozen = deriv_check_begin(&s, true);
            A[count] = relative(frozen.matrix.A, whole.matrix.A, model->nv * model->nv);
            C[count++] = relative(frozen.matrix.C, whole.matrix.C, 3 * whole.nc * model->nv);
            CHECK(relative(frozen.matrix.B, whole.matrix.B, model->nv * model->nu) <= 1e-12);
            deriv_check_end(&whole);
            deriv_check_end(&frozen);
        }
        deriv_scene_end(&s);
        tact_world_step(world);
    }
    qsort(A, (size_t)count, sizeof *A, compare);
    qsort(C, (size_t)count, sizeof *C, compare);
    printf("frozen geometry, kappa %g, %d grasps: A off by %.2g to %.2g, median %.2g; C by %.2g to %.2g, median %.2g\n", kappa,
           count, A[0], A[count - 1], A[count / 2], C[0], C[count - 1], C[count / 2]);
    CHECK(A[count / 2] > 1e-3 && A[count / 2] < 1 && C[count / 2] > 1e-3 && C[count / 2] < 1);
    tact_world_close(world);
}

static void test_frozen(void) {
    tact_world *world = open_world("data/scenes/lesson.json");
    deriv_scene s = scene_at(world);
    s.options.margin = TACT_REAL(0.5);
    for (int i = 0; i < s.model->nu; i++) s.u[i] += TACT_REAL(0.1);
    deriv_check k = deriv_check_begin(&s, true);
    CHECK_INT(k.nc, 6);
    check_frozen_form(&k);
    deriv_check_end(&k);
    deriv_scene_end(&s);
    tact_world_close(world);
    check_frozen_cost(100);
    check_frozen_cost(1e3);
    check_frozen_cost(1e4);
    check_frozen_cost(1e6);
}

static void test_refusals(void) {
    // a free joint on a sliding body
    deriv_scene s = {.own = test_model_new(), .options = tact_options_default()};
    int cart = test_model_add(s.own, TACT_WORLD, TACT_JOINT_PRISMATIC, 0);
    test_model_add(s.own, cart, TACT_JOINT_FREE, 0);
    CHECK_INT(test_model_prepare(s.own, 0), TACT_CONVERGED);
    deriv_scene_begin(&s, &s.own->model);
    deriv_check k = deriv_check_begin(&s, false);
    CHECK_INT(k.work.status, TACT_CONVERGED);
    CHECK_INT(k.status, TACT_BAD_INPUT);
    // a step that was none, and too little memory
    k.work.status = TACT_INFEASIBLE;
    CHECK_INT(tact_deriv_linearise(k.model, &s.options, &k.input, &s.state, &k.work, &k.deriv), TACT_BAD_INPUT);
    CHECK_INT(tact_deriv_init(&k.deriv, k.model, k.memory, 100), TACT_NO_MEMORY);
    deriv_check_end(&k);
    deriv_scene_end(&s);
}

int main(void) {
    test_refusals();
    test_pusher();
    test_limit();
    test_before_contact();
    test_frozen();
    return test_end("deriv_golden");
}
