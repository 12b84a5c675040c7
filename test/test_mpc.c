// SPDX-License-Identifier: MIT
// Model predictive control: box-constrained programs against enumeration, pose errors and costs against differences, plans
// against the stationarity of a rollout's cost, and refusals.
#include "tact/mpc.h"

#include "plan/boxqp.h"
#include "plan/mpc.h"
#include "random_model.h"
#include "scene_test.h"
#include "tact/math.h"

#define DOUBLE (sizeof(tact_real) == sizeof(double))

enum { BOX = 4, HORIZON = 3 };

// least value over all 3^n choices of which variables are at which bound
static double enumerate(int n, const tact_real *H, const tact_real *g, const tact_real *lower, const tact_real *upper) {
    double best = HUGE_VAL;
    int choices = 1;
    for (int i = 0; i < n; i++) choices *= 3;
    for (int c = 0; c < choices; c++) {
        double A[BOX][BOX + 1], x[BOX] = {0};
        int code = c, at[BOX], ok = 1;
        for (int i = 0; i < n; i++, code /= 3) at[i] = code % 3;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) A[i][j] = at[i] ? i == j : (double)H[i * n + j];
            A[i][n] = at[i] == 1 ? (double)lower[i] : at[i] == 2 ? (double)upper[i] : -(double)g[i];
        }
        // Gauss without pivots: the free rows are positive definite
        for (int i = 0; i < n; i++)
            for (int r = 0; r < n; r++) {
                if (r == i) continue;
                double f = A[r][i] / A[i][i];
                for (int j = 0; j <= n; j++) A[r][j] -= f * A[i][j];
            }
        double value = 0;
        for (int i = 0; i < n; i++) {
            x[i] = A[i][n] / A[i][i];
            if (x[i] < (double)lower[i] - 1e-9 || x[i] > (double)upper[i] + 1e-9) ok = 0;
        }
        for (int i = 0; i < n; i++) {
            double row = (double)g[i];
            for (int j = 0; j < n; j++) row += (double)H[i * n + j] * x[j] / 2;
            value += x[i] * row;
        }
        if (ok && value < best) best = value;
    }
    return best;
}

static void test_box(uint64_t *seed) {
    double worst = 0;
    for (int round = 0; round < test_rounds(500); round++) {
        int n = random_int(seed, 1, BOX);
        tact_real G[BOX * BOX], H[BOX * BOX], g[BOX], lower[BOX], upper[BOX], L[BOX * BOX], step[BOX], trial[BOX], x[BOX];
        bool held[BOX];
        for (int i = 0; i < n * n; i++) G[i] = random_real(seed, -1, 1);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                H[i * n + j] = i == j ? TACT_REAL(0.05) : 0;
                for (int k = 0; k < n; k++) H[i * n + j] += G[i * n + k] * G[j * n + k];
            }
        for (int i = 0; i < n; i++) {
            g[i] = random_real(seed, -1, 1);
            lower[i] = random_real(seed, -1, 0.5);
            upper[i] = lower[i] + random_real(seed, 0, 1);
            x[i] = random_real(seed, -2, 2);
        }
        tact_boxqp box = {n, H, g, lower, upper, L, held, step, trial};
        CHECK(tact_boxqp_solve(&box, x));
        double value = 0;
        for (int i = 0; i < n; i++) {
            double row = (double)g[i];
            for (int j = 0; j < n; j++) row += (double)(H[i * n + j] * x[j]) / 2;
            value += (double)x[i] * row;
            CHECK(x[i] >= lower[i] && x[i] <= upper[i]);
        }
        worst = fmax(worst, value - enumerate(n, H, g, lower, upper));
    }
    printf("    box: above the least of all choices by %.2g\n", worst);
    CHECK(worst <= ROUNDING(1e-12));
}

// Programs that are not convex are not solved, unless bounds hold what is not; those that bounds leave no room are.
static void test_box_ends(void) {
    tact_real H[] = {1, 0, 0, -1}, g[] = {1, 0}, lower[] = {-1, -1}, upper[] = {1, 1}, L[4], step[2], trial[2], x[2] = {0};
    bool held[2];
    tact_boxqp box = {2, H, g, lower, upper, L, held, step, trial};
    CHECK(!tact_boxqp_solve(&box, x));
    x[0] = 0, x[1] = 2;
    CHECK(tact_boxqp_solve(&box, x));
    CHECK(x[0] == -1 && x[1] == 1);
    H[3] = (tact_real)NAN;
    CHECK(!tact_boxqp_solve(&box, x));
    H[3] = 1, lower[0] = upper[0] = lower[1] = upper[1] = TACT_REAL(0.5);
    CHECK(tact_boxqp_solve(&box, x));
    CHECK(x[0] == TACT_REAL(0.5) && x[1] == TACT_REAL(0.5));
    box.n = 0;
    CHECK(tact_boxqp_solve(&box, x));
}

static void test_error_rate(uint64_t *seed) {
    double worst = 0;
    for (int round = 0; round < 300; round++) {
        tact_real angle = random_real(seed, 0, round % 3 ? 3 : 0.2), h = DIFFERENCE_STEP;
        tact_vec3 axis = random_axis(seed);
        tact_pose_goal goal = {.orientation = {1, 0, 0, 0}};
        tact_pose pose = random_pose(seed, 1);
        goal.orientation = tact_quat_from_matrix(pose.R);
        pose.R = tact_quat_matrix(tact_quat_multiply(tact_rotation_exp(tact_vec3_scale(angle, axis)), goal.orientation));
        tact_vec3 r = tact_pose_goal_error(&goal, &pose).rotation;
        CHECK_CLOSE(sqrt((double)tact_vec3_dot(r, r)), angle, ROUNDING(1e-13));
        tact_mat3 rate = tact_pose_error_rate(r);
        for (int j = 0; j < 3; j++) {
            tact_vec3 turn = {j == 0 ? h : 0, j == 1 ? h : 0, j == 2 ? h : 0}, error[2];
            for (int side = 0; side < 2; side++) {
                tact_pose turned = pose;
                turned.R = tact_mat3_multiply(tact_quat_matrix(tact_rotation_exp(tact_vec3_scale(side ? 1 : -1, turn))), pose.R);
                error[side] = tact_pose_goal_error(&goal, &turned).rotation;
            }
            tact_vec3 slope = tact_vec3_scale(1 / (2 * h), tact_vec3_sub(error[1], error[0]));
            tact_vec3 off = tact_vec3_sub(slope, tact_mat3_column(rate, j));
            worst = fmax(worst, sqrt((double)tact_vec3_dot(off, off)));
        }
    }
    printf("    rate of log(R R*'): off by %.2g\n", worst);
    CHECK(worst <= DIFFERENCE_ERROR);
}

static tact_mpc mpc;
static tact_pose_goal goal;
static void *memory;

// The shipped scene with its goal; false when it cannot be read.
static bool open_hand(int horizon) {
    scene = tact_scene_read("data/scenes/allegro_cube.json", NULL, &errors);
    CHECK(scene != NULL);
    if (!scene) return false;
    size_t size = tact_mpc_size(&scene->model, horizon);
    memory = malloc(size);
    CHECK_INT(tact_mpc_init(&mpc, &scene->model, horizon, memory, size / 2), TACT_NO_MEMORY);
    CHECK_INT(tact_mpc_init(&mpc, &scene->model, horizon, memory, size), TACT_CONVERGED);
    goal = (tact_pose_goal){scene->goal.body, scene->goal.position, scene->goal.orientation, 6000, 12, 0, 0};
    return true;
}

static void close_hand(void) {
    close_scene();
    free(memory);
}

// The cost of a plan, by steps of its own.
static double cost_of(const tact_options *step, const tact_mpc_options *options, const tact_real *u) {
    const tact_model *model = &scene->model;
    int nu = model->nu;
    tact_real slope[64], *bend = malloc(64 * 64 * sizeof *bend);
    size_t size = tact_state_size(model), needed = tact_work_size(model);
    void *place = malloc(size), *scratch = malloc(needed);
    tact_state state;
    tact_work work;
    tact_state_init(&state, model, place, size);
    tact_work_init(&work, model, scratch, needed);
    double cost = 0;
    for (int k = 0; k < HORIZON; k++) {
        tact_input input = {.u = u + k * nu};
        CHECK_INT(tact_step(model, step, &input, &state, &work), TACT_CONVERGED);
        tact_real share = k == HORIZON - 1 ? 1 : options->path;
        cost += (double)tact_mpc_state_cost(&mpc, options, &goal, share, state.q, slope, bend);
        for (int i = 0; i < nu; i++) {
            double change = (double)u[k * nu + i] - (double)(k > 0 ? u[(k - 1) * nu + i] : mpc.rest[i]);
            cost += (double)options->effort * change * change / 2;
        }
    }
    free(bend);
    free(place);
    free(scratch);
    return cost;
}

// Tips, the slope of a state's cost by differences, and that a converged plan is stationary where no bound holds it.
static void test_plan(uint64_t *seed) {
    if (!open_hand(HORIZON)) return;
    const tact_model *model = &scene->model;
    tact_options step = scene->options;
    tact_mpc_options options = tact_mpc_options_default();
    tact_mpc_find_tips(&mpc, goal.body);
    CHECK_INT(mpc.ntip, 4);
    for (int i = 0; i < mpc.ntip; i++) CHECK(strstr(model->names->shape[mpc.tip[i]], "_t0") != NULL);

    tact_real slope[64], unused[64], *bend = malloc(64 * 64 * sizeof *bend), q[64], d[64], h = DIFFERENCE_STEP;
    double worst = 0;
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < model->nq; i++) q[i] = model->q0[i] + random_real(seed, -0.2, 0.2);
        random_quat(seed, q + model->body[goal.body].q + 3);
        double value = (double)tact_mpc_state_cost(&mpc, &options, &goal, 1, q, slope, bend);
        for (int v = 0; v < model->nv; v++) {
            double cost[2];
            for (int side = 0; side < 2; side++) {
                tact_real moved[64];
                for (int i = 0; i < model->nq; i++) moved[i] = q[i];
                for (int i = 0; i < model->nv; i++) d[i] = i != v ? 0 : side ? h : -h;
                tact_kinematics_update(&mpc.pose, model, q);
                tact_model_integrate(model, &mpc.pose, d, moved);
                cost[side] = (double)tact_mpc_state_cost(&mpc, &options, &goal, 1, moved, unused, bend);
            }
            worst = fmax(worst, fabs((cost[1] - cost[0]) / (2 * (double)h) - (double)slope[v]) / (1 + value));
        }
    }
    printf("    slope of a state's cost: off by %.2g of it\n", worst);
    CHECK(worst <= 20 * DIFFERENCE_ERROR);

    // 200 sweeps with the command in force kept: what is left of the slope by the commands
    options.sweeps = 200;
    options.tick = step.dt * TACT_EPS;
    options.lead = options.velocity = 1000;
    goal.orientation = tact_rotation_exp(tact_vec3_make(0, 0, TACT_REAL(0.1)));
    tact_mpc_reset(&mpc, model->q0);
    double begin = cost_of(&step, &options, mpc.u);
    CHECK_INT(tact_mpc_solve(&mpc, &step, &options, &goal, model->q0), TACT_CONVERGED);
    CHECK_INT(mpc.sweeps, 200);
    double end = cost_of(&step, &options, mpc.u), left = 0, first = 0;
    int bounded = 0;
    for (int i = 0; i < HORIZON * model->nu; i++) {
        double hold[2][2];
        for (int side = 0; side < 2; side++) {
            tact_real *u = mpc.u, kept = u[i], all[64];
            u[i] = kept + (side ? h : -h);
            hold[0][side] = cost_of(&step, &options, u);
            u[i] = kept;
            for (int k = 0; k < HORIZON * model->nu; k++) all[k] = mpc.rest[k % model->nu];
            all[i] += (side ? h : -h);
            hold[1][side] = cost_of(&step, &options, all);
        }
        const tact_dof *dof = NULL;
        for (int v = 0; v < model->nv; v++)
            if (model->dof[v].u == i % model->nu) dof = &model->dof[v];
        bool held = mpc.u[i] <= dof->lower + 2 * h || mpc.u[i] >= dof->upper - 2 * h;
        bounded += held;
        if (!held) left = fmax(left, fabs(hold[0][1] - hold[0][0]) / (2 * (double)h));
        first = fmax(first, fabs(hold[1][1] - hold[1][0]) / (2 * (double)h));
    }
    printf("    plan: cost from %.3g to %.3g, largest slope from %.3g to %.2g\n", begin, end, first, left);
    CHECK(end < begin);
    CHECK(bounded < HORIZON * model->nu / 4);
    CHECK(left < (DOUBLE ? 1e-4 : 0.05) * first);
    free(bend);
    close_hand();
}

// The same bits from call to call; a solve moves the command by no more than its bounds; another law is refused.
static void test_solve(void) {
    if (!open_hand(8)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    tact_real kept[64];
    for (int round = 0; round < 2; round++) {
        tact_mpc_reset(&mpc, model->q0);
        for (int tick = 0; tick < 5; tick++) {
            tact_real before[64];
            for (int i = 0; i < model->nu; i++) before[i] = mpc.last[i];
            CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0), TACT_CONVERGED);
            CHECK_INT(mpc.steps, 8);
            for (int i = 0; i < model->nu; i++) {
                tact_real most = options.velocity * options.tick;
                CHECK(fabs((double)(mpc.last[i] - before[i])) <= (double)most * (1 + 1e-3));
            }
        }
        for (int i = 0; i < model->nu; i++) {
            if (round > 0) CHECK(memcmp(&kept[i], &mpc.last[i], sizeof kept[i]) == 0);
            kept[i] = mpc.last[i];
        }
    }
    tact_real q[64];
    for (int i = 0; i < model->nq; i++) q[i] = model->q0[i];
    q[0] = (tact_real)NAN;
    CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, q), TACT_BAD_INPUT);
    CHECK_INT(mpc.steps, 0);
    for (int i = 0; i < model->nu; i++) CHECK(mpc.last[i] == kept[i]);
    close_hand();
}

// Sizes: a body that is measured apart from all that bears it is planned as larger, by the least of its gaps; one within the
// palm as smaller; one at rest as it is, soon after it was either.
static void test_sizes(void) {
    if (!open_hand(2)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    double least = 0, most = 0;
    tact_mpc_reset(&mpc, model->q0);
    for (int tick = 0; tick < 60; tick++) {
        tact_real at[64];
        for (int i = 0; i < model->nq; i++) at[i] = model->q0[i];
        // 8 mm up, back, 6 mm down
        at[model->nq - 5] += TACT_REAL(0.001) * (tact_real)(tick < 20 ? 8 : tick < 40 ? 0 : -6);
        CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, at) >= 0);
        least = most = 0;
        for (int i = 0; i < model->npair; i++) {
            least = fmin(least, (double)mpc.spare[i]);
            most = fmax(most, (double)mpc.spare[i]);
        }
        if (tick == 19) CHECK(fabs(least + 0.008) < 2e-4 && most == 0);
        if (tick == 39) CHECK(least == 0 && most == 0);
    }
    CHECK(least == 0 && fabs(most - 0.006) < 3e-4);
    close_hand();
}

// A body that never moves: the hand opens after its patience, brings the body back, plans anew, and opens again; near the goal,
// or without patience, it never does. Bounds of the command hold all the time.
static void test_regrasp(void) {
    if (!open_hand(2)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    goal.position_tolerance = goal.angle_tolerance = TACT_REAL(0.01);
    for (int round = 0; round < 3; round++) {
        int opened = 0;
        options.patience = round == 1 ? 0 : TACT_REAL(0.3);
        if (round == 2) goal.position_tolerance = goal.angle_tolerance = 4;
        tact_mpc_reset(&mpc, model->q0);
        for (int tick = 0; tick < 200; tick++) {
            tact_real before[64];
            for (int i = 0; i < model->nu; i++) before[i] = mpc.last[i];
            CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0), TACT_CONVERGED);
            opened += mpc.opening > 0;
            for (int i = 0; i < model->nu; i++)
                CHECK(fabs((double)(mpc.last[i] - before[i])) <= (double)(options.velocity * options.tick) * (1 + 1e-3));
        }
        CHECK(round > 0 || (mpc.regrasps >= 2 && opened >= 40 && opened < 160));
        CHECK(round == 0 || (mpc.regrasps == 0 && opened == 0));
    }
    close_hand();
}

// Every second regrasp makes a detour to another orientation, unless none is allowed or orientations do not matter; a body that
// has come to its goal ends it.
static void test_detour(void) {
    if (!open_hand(2)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    goal.position_tolerance = goal.angle_tolerance = TACT_REAL(1e-6);
    options.patience = TACT_REAL(0.1);
    const tact_real weight = goal.angle_weight;
    for (int round = 0; round < 3; round++) {
        int wandered = 0, turned = 0, even = 0;
        options.detour = round == 1 ? 0 : TACT_REAL(0.7);
        goal.angle_weight = round == 2 ? 0 : weight;
        tact_mpc_reset(&mpc, model->q0);
        for (int tick = 0; tick < 400 && mpc.regrasps < 5; tick++) {
            CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0), TACT_CONVERGED);
            even += mpc.centring > 0 && mpc.regrasps % 2 == 0;
            wandered += mpc.centring > 0 && mpc.wandering > 0;
            turned += mpc.centring > 0 && mpc.wandering > 0 && fabs((double)mpc.detour.w) < 1;
            CHECK(!(mpc.wandering > 0) || mpc.regrasps % 2 == 0);
        }
        CHECK(even > 0 && wandered == (round == 0 ? even : 0) && turned == wandered);
    }
    // from the middle of a detour
    goal.angle_weight = weight;
    options.detour = TACT_REAL(0.7);
    tact_mpc_reset(&mpc, model->q0);
    for (int tick = 0; tick < 400 && !(mpc.centring > 0 && mpc.wandering > 0); tick++)
        tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0);
    CHECK(mpc.centring > 0 && mpc.wandering > 0);
    goal.position_tolerance = goal.angle_tolerance = 4;
    tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0);
    CHECK(mpc.centring == 0);
    close_hand();
}

static bool stop_at_once(void *asked) {
    ++*(int *)asked;
    return false;
}

// Patience begins anew with another goal, in whatever it differs, and where the body has come to its place, whose orientation may
// not matter.
static void test_watch(void) {
    if (!open_hand(1)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    options.patience = 1000;
    const tact_pose_goal first = goal;
    tact_real *const part[] = {&goal.position.x,    &goal.position.y,    &goal.position.z,   &goal.orientation.w,
                               &goal.orientation.x, &goal.orientation.y, &goal.orientation.z};
    tact_mpc_reset(&mpc, model->q0);
    for (int k = 0; k < 10; k++) {
        goal = first;
        CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0) >= 0);
        CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0) >= 0);
        CHECK(mpc.waited > 0);
        if (k < 7) *part[k] += TACT_REAL(1e-4);
        if (k == 7) goal.body = model->shape[mpc.tip[0]].body;
        if (k == 8) goal.position_tolerance = 4, goal.angle_weight = 0;
        CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0) >= 0);
        CHECK(k == 9 ? mpc.waited > options.tick : mpc.waited == 0);
        CHECK(k != 7 || mpc.body == goal.body);
    }
    // what asks for the time may end a solve before its second sweep
    int asked = 0;
    options.sweeps = 5, options.go_on = stop_at_once, options.context = &asked;
    CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, model->q0) >= 0);
    CHECK(asked == 1 && mpc.sweeps == 1);
    close_hand();
}

// A plan with a step that has no answer holds from there the command of the steps before it; one whose first has none stays.
static void test_no_answer(void) {
    enum { STEPS = 5, BAD = 3 };
    if (!open_hand(STEPS)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    tact_options step = scene->options;
    options.tick = step.dt * TACT_EPS;
    tact_mpc_reset(&mpc, model->q0);
    mpc.u[BAD * model->nu] = (tact_real)NAN;
    CHECK_INT(tact_mpc_solve(&mpc, &step, &options, &goal, model->q0), TACT_BAD_INPUT);
    CHECK_INT(mpc.steps, BAD);
    for (int k = BAD; k + 1 < STEPS; k++)
        for (int i = 0; i < model->nu; i++) CHECK(mpc.u[k * model->nu + i] == mpc.u[(BAD - 1) * model->nu + i]);
    tact_mpc_reset(&mpc, model->q0);
    step.dt = (tact_real)INFINITY;
    CHECK_INT(tact_mpc_solve(&mpc, &step, &options, &goal, model->q0), TACT_BAD_INPUT);
    CHECK_INT(mpc.steps, 0);
    for (int i = 0; i < STEPS * model->nu; i++) CHECK(mpc.u[i] == mpc.rest[i % model->nu]);
    // steps that end at their limit make no plan worse than themselves
    step = scene->options;
    step.max_iterations = 1;
    tact_status status = tact_mpc_solve(&mpc, &step, &options, &goal, model->q0);
    CHECK(status == TACT_ITERATION_LIMIT || (status < 0 && mpc.steps < STEPS));
    close_hand();
}

// A model of another law is refused.
static void test_law(void) {
    scene = tact_scene_read("data/scenes/allegro_cube.json", &(tact_scene_settings){.law = "rigid"}, &errors);
    CHECK(scene != NULL);
    if (!scene) return;
    size_t size = tact_mpc_size(&scene->model, 1);
    memory = malloc(size);
    CHECK_INT(tact_mpc_init(&mpc, &scene->model, 1, memory, size), TACT_CONVERGED);
    tact_mpc_options options = tact_mpc_options_default();
    goal = (tact_pose_goal){.body = scene->goal.body, .orientation = {1, 0, 0, 0}};
    CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, scene->model.q0), TACT_BAD_INPUT);
    close_hand();
}

// A drive on a sum of joints: the plan begins with the sum, keeps its lead about the sum, and no limits of a joint bound it.
static void test_sum(void) {
    enum { STEPS = 4 };
    scene = tact_scene_read("data/scenes/four_bar.json", NULL, &errors);
    CHECK(scene != NULL);
    if (!scene) return;
    const tact_model *model = &scene->model;
    const tact_spring *spring = &model->spring[0];
    size_t size = tact_mpc_size(model, STEPS);
    memory = malloc(size);
    CHECK_INT(tact_mpc_init(&mpc, model, STEPS, memory, size), TACT_CONVERGED);
    tact_real q[64];
    for (int i = 0; i < model->nq; i++) q[i] = model->q0[i];
    tact_real *knuckle = &q[model->dof[spring->dof[0]].q], *distal = &q[model->dof[spring->dof[1]].q];
    *knuckle = TACT_REAL(1.1), *distal = TACT_REAL(0.9);
    int u = spring->u;
    CHECK_INT(u, 1);
    tact_mpc_reset(&mpc, q);
    CHECK(mpc.last[u] == *knuckle + *distal && mpc.rest[u] == mpc.last[u] && mpc.last[0] == q[model->dof[0].q]);
    tact_mpc_options options = tact_mpc_options_default();
    tact_options step = scene->options;
    options.tick = step.dt;
    goal = (tact_pose_goal){.body = model->nbody - 1, .position = {1, 0, 0}, .orientation = {1, 0, 0, 0}, .position_weight = 1};
    for (int tick = 0; tick < 3; tick++) {
        CHECK(tact_mpc_solve(&mpc, &step, &options, &goal, q) >= 0);
        CHECK(fabs((double)(mpc.last[u] - *knuckle - *distal)) <= (double)options.lead * (1 + 1e-3));
    }
    // a regrasp goes to postures about the sum, which the knuckle's limit of 1.2 does not bound
    options.patience = options.tick, options.spread = TACT_REAL(0.1);
    while (mpc.opening == 0 && mpc.regrasps < 2) tact_mpc_solve(&mpc, &step, &options, &goal, q);
    CHECK(mpc.opening > 0 && fabs((double)(mpc.posture[u] - *knuckle - *distal)) <= 0.1 + 1e-6);
    for (int tick = 0; mpc.opening > 0 && tick < 1000; tick++) {
        tact_mpc_solve(&mpc, &step, &options, &goal, q);
        CHECK(fabs((double)(mpc.last[u] - *knuckle - *distal)) <= (double)options.lead * (1 + 1e-3));
    }
    close_hand();
}

static bool go_on_never(void *context) {
    ++*(int *)context;
    return false;
}

// A clock ends a solve of several sweeps after the first; a model without a law is refused.
static void test_clock(void) {
    if (!open_hand(HORIZON)) return;
    int asked = 0;
    tact_mpc_options options = tact_mpc_options_default();
    options.sweeps = 3;
    tact_mpc_reset(&mpc, scene->model.q0);
    CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, scene->model.q0), TACT_CONVERGED);
    CHECK_INT(mpc.sweeps, 3);
    options.go_on = go_on_never, options.context = &asked;
    CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, scene->model.q0), TACT_CONVERGED);
    CHECK(mpc.sweeps == 1 && asked == 1);
    const tact_law *law = scene->model.law;
    scene->model.law = NULL;
    CHECK_INT(tact_mpc_solve(&mpc, &scene->options, &options, &goal, scene->model.q0), TACT_BAD_INPUT);
    scene->model.law = law;
    close_hand();
}

// A drive whose force has a limit is bounded by the limits of its joint, as without.
static void test_limited(void) {
    const char *const set[] = {"robots.0.drives.ff_base_j.force_limit=0.35"};
    if (!open_hand(HORIZON)) return;
    close_scene();
    scene = tact_scene_read("data/scenes/allegro_cube.json", &(tact_scene_settings){.set = set, .nset = 1}, &errors);
    CHECK(scene != NULL && scene->model.nspring > 0);
    if (!scene) return;
    free(memory);
    size_t size = tact_mpc_size(&scene->model, HORIZON);
    memory = malloc(size);
    CHECK_INT(tact_mpc_init(&mpc, &scene->model, HORIZON, memory, size), TACT_CONVERGED);
    tact_mpc_options options = tact_mpc_options_default();
    options.lead = 10;
    tact_mpc_reset(&mpc, scene->model.q0);
    for (int tick = 0; tick < 5; tick++) CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, scene->model.q0) >= 0);
    for (int s = 0; s < scene->model.nspring; s++) {
        const tact_spring *spring = &scene->model.spring[s];
        const tact_dof *dof = &scene->model.dof[spring->dof[0]];
        CHECK(spring->u < 0 || (mpc.last[spring->u] >= dof->lower && mpc.last[spring->u] <= dof->upper));
    }
    close_hand();
}

// With a region every move of the backward pass stays within the contacts of its step, also where the box alone leads out of
// them, and where nothing in the box is within.
static void test_moves_in_region(void) {
    if (!open_hand(HORIZON)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    tact_options step = scene->options;
    tact_region region;
    size_t size = tact_region_size(model, HORIZON);
    void *place = malloc(size);
    CHECK_INT(tact_region_init(&region, model, HORIZON, place, size), TACT_CONVERGED);
    step.dt = TACT_REAL(0.1), step.kappa = 3000, step.epsilon = 100, step.margin = TACT_REAL(0.03), step.anchor = false;
    options.trust = options.lead = 1, options.velocity = 30;
    int limited = 0, near = 0;
    for (int round = 0; round < 2; round++) {
        options.region = round == 0 ? NULL : &region;
        tact_mpc_reset(&mpc, model->q0);
        for (int tick = 0; tick < 8; tick++) {
            // the second half begins with a plan far outside of the lead, which is brought back in one move
            for (int i = 0; i < model->nu * HORIZON && tick == 4; i++) mpc.u[i] += TACT_REAL(0.6);
            if (tick == 4) options.lead = TACT_REAL(0.3);
            CHECK(tact_mpc_solve(&mpc, &step, &options, &goal, model->q0) >= 0);
            CHECK(round > 0 || mpc.limited == 0);
            limited += mpc.limited;
            for (int k = 0; k < mpc.steps && round > 0; k++) {
                tact_real reach = tact_region_reach(&region, k, mpc.move + k * model->nu);
                CHECK(reach > 1 - (DOUBLE ? TACT_REAL(1e-9) : TACT_REAL(2e-3)));
                near += reach < TACT_REAL(1.2);
            }
        }
        options.lead = 1;
    }
    printf("    %d moves changed by their regions, %d near the rim\n", limited, near);
    CHECK(limited > 0 && near > 0);
    free(place);
    close_hand();
}

// A step of a ball with something to spare is that of a smaller ball as high: without friction, the step from higher up.
static void test_spare(void) {
    const tact_model *model = open_scene("{\"tact\":1,\"bodies\":[" BALL(
        "a") "],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\","
             "\"type\":\"plane\"},{\"name\":\"s\",\"body\":\"a\",\"type\":\"sphere\",\"radius\":0.1}],"
             "\"pairs\":[{\"a\":\"floor\",\"b\":\"s\",\"mu\":0}]}");
    if (!scene) return;
    size_t needed = tact_state_size(model), room = tact_work_size(model);
    void *place = malloc(needed), *scratch = malloc(room);
    tact_state state;
    tact_work work;
    tact_real fall[2], spare = TACT_REAL(0.004);
    for (int round = 0; round < 2; round++) {
        tact_state_init(&state, model, place, needed);
        tact_work_init(&work, model, scratch, room);
        state.q[2] = round == 0 ? TACT_REAL(0.097) : TACT_REAL(0.101);
        tact_input input = {.spare = round == 0 ? &spare : NULL};
        CHECK_INT(tact_step(model, &scene->options, &input, &state, &work), TACT_CONVERGED);
        fall[round] = work.displacement[2];
    }
    CHECK_CLOSE(fall[0], fall[1], DOUBLE ? 1e-9 : 1e-5);
    spare = (tact_real)NAN;
    CHECK_INT(tact_step(model, &scene->options, &(tact_input){.spare = &spare}, &state, &work), TACT_BAD_INPUT);
    CHECK(work.fault.field && strcmp(work.fault.field, "input.spare") == 0 && work.fault.index == 0);
    free(place);
    free(scratch);
    close_scene();
}

// A step that begins from an expected displacement ends where it would have without: from the true one after an iteration or two,
// and from any other, with joints at their limits, too.
static void test_guess(uint64_t *seed) {
    if (!open_hand(1)) return;
    const tact_model *model = &scene->model;
    size_t size = tact_state_size(model), needed = tact_work_size(model);
    void *place = malloc(size), *scratch = malloc(needed);
    tact_state state;
    tact_work work;
    tact_real u[64], answer[64] = {0}, guess[64] = {0};
    tact_options options = scene->options;
    int iterations[3] = {0};
    double off = 0;
    tact_work_init(&work, model, scratch, needed);
    for (int k = 0; k < 60; k++) {
        for (int round = 0; round < 3; round++) {
            // cold; warm from the answer, and from elsewhere
            tact_state_init(&state, model, place, size);
            tact_hold(model, &state, u);
            for (int i = 0; i < model->nu; i++) u[i] += TACT_REAL(0.05) * (tact_real)((i * 7 + k) % 5 - 2);
            for (int i = 0; i < model->nv && k % 2; i++)
                if (model->dof[i].u >= 0) state.q[model->dof[i].q] = model->dof[i].lower;
            for (int i = 0; i < model->nv && round == 2; i++) guess[i] += (tact_real)test_random(seed, -0.01, 0.01);
            tact_input input = {.u = u, .guess = round > 0 ? guess : NULL};
            CHECK_INT(tact_step(model, &options, &input, &state, &work), TACT_CONVERGED);
            iterations[round] += work.iterations;
            for (int i = 0; i < model->nv; i++) {
                if (round == 0) answer[i] = guess[i] = work.displacement[i];
                off = fmax(off, fabs((double)(work.displacement[i] - answer[i])));
            }
        }
    }
    printf("    %d iterations cold, %d from the answer, %d from elsewhere; off by %.2g\n", iterations[0], iterations[1],
           iterations[2], off);
    CHECK(off < (DOUBLE ? 1e-10 : 1e-3));
    CHECK(iterations[1] <= (DOUBLE ? 60 : 120) && iterations[0] > 4 * 60);
    free(place);
    free(scratch);
    close_hand();
}

// A cube that is measured 8 mm within the palm is a smaller one, and will not rise by itself; measurements that scatter about the
// palm say nothing of sizes.
static void test_sizing(void) {
    if (!open_hand(2)) return;
    const tact_model *model = &scene->model;
    tact_mpc_options options = tact_mpc_options_default();
    tact_real q[64], *z = q + model->body[goal.body].q + 2, rise[3] = {0}, most[3] = {0};
    options.patience = 0;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < model->nq; i++) q[i] = model->q0[i];
        options.sizing = round == 0 ? 0 : TACT_REAL(0.1);
        tact_mpc_reset(&mpc, model->q0);
        for (int tick = 0; tick < 50; tick++) {
            // the cube rests on the palm at z = 0.0355; round 2 alternates about that
            *z = round < 2 ? TACT_REAL(0.0275) : tick % 2 ? TACT_REAL(0.0405) : TACT_REAL(0.0305);
            for (int i = 0; i < model->nu; i++) mpc.last[i] = mpc.u[i] = mpc.u[model->nu + i] = mpc.rest[i];
            CHECK(tact_mpc_solve(&mpc, &scene->options, &options, &goal, q) >= 0);
        }
        rise[round] = mpc.state[1].q[model->body[goal.body].q + 2] - *z;
        for (int i = 0; i < model->npair; i++) most[round] = (tact_real)fmax((double)most[round], (double)mpc.spare[i]);
    }
    printf("    a cube 8 mm within the palm rises by %.1f mm, a smaller one by %.1f mm\n", 1e3 * (double)rise[0],
           1e3 * (double)rise[1]);
    CHECK(rise[0] > TACT_REAL(0.005) && rise[1] < TACT_REAL(0.0025));
    CHECK(most[0] == 0 && most[1] > TACT_REAL(0.004) && most[2] == 0);
    // another start has forgotten it
    tact_mpc_reset(&mpc, model->q0);
    for (int i = 0; i < model->npair; i++) CHECK(mpc.spare[i] == 0);
    close_hand();
}

int main(void) {
    uint64_t seed = test_seed(20261124);
    test_box(&seed);
    test_box_ends();
    test_error_rate(&seed);
    test_plan(&seed);
    test_solve();
    test_sizes();
    test_regrasp();
    test_detour();
    test_spare();
    test_guess(&seed);
    test_sizing();
    test_watch();
    test_no_answer();
    test_law();
    test_sum();
    test_moves_in_region();
    test_clock();
    test_limited();
    return test_end("mpc");
}
