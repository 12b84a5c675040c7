// SPDX-License-Identifier: MIT
// Every number of a problem that is stated as matrices, of a trajectory and of a rollout, spoilt in turn by what is no number,
// too large or out of range: refused by its name and place before anything is computed, the answer as it was. Numbers that are
// merely small are no reason. Steps, models, barrier problems, inverse kinematics and L-BFGS: test_faults.c.
#include "random_model.h"
#include "tact/tact.h"

#define TOO_LARGE (TACT_MOST_NUMBER * 4)

static const tact_real hostile[] = {(tact_real)NAN, (tact_real)INFINITY, -(tact_real)INFINITY, TOO_LARGE, -TOO_LARGE};
enum { HOSTILE = sizeof hostile / sizeof hostile[0], MOST = 400 };

// what a problem is made of, and how it is checked and solved
typedef struct {
    tact_real *item;
    const char *name;
    int index;
    bool bound;  // infinite ones are none
} spoilt_item;

typedef struct {
    spoilt_item item[MOST];
    int count;
    tact_fault (*check)(void);
    tact_status (*solve)(void);
    tact_real *answer;  // (size) stays as it is where a problem is refused
    int size;
} spoilt_bench;

static spoilt_bench bench;

static void add(tact_real *item, const char *name, int index, int count) {
    for (int i = 0; i < count && bench.count < MOST; i++)
        bench.item[bench.count++] = (spoilt_item){item + i, name, index + i, false};
}

static void expect(const spoilt_item *at, double value) {
    tact_real before[64];
    for (int i = 0; i < bench.size; i++) before[i] = bench.answer[i];
    tact_fault fault = bench.check();
    CHECK(fault.field != NULL);
    if (!fault.field) printf("    %s[%d] = %g is accepted\n", at->name, at->index, value);
    if (!fault.field) return;
    CHECK_TEXT(fault.field, at->name);
    CHECK_INT(fault.index, at->index);
    CHECK_INT(bench.solve(), TACT_BAD_INPUT);
    CHECK(bench.size == 0 || memcmp(before, bench.answer, (size_t)bench.size * sizeof *before) == 0);
}

// What is refused is so before it is worked on (an accepted one may be, too, whose products overflow), and an answer is made of
// numbers.
static void expect_answer(void) {
    bool refused = bench.check().field != NULL;
    tact_status status = bench.solve();
    CHECK(!refused || status == TACT_BAD_INPUT);
    CHECK(status >= TACT_RAY && status <= TACT_AMBIGUOUS);
    for (int i = 0; i < bench.size && status >= 0; i++) CHECK(isfinite(bench.answer[i]));
}

static void spoil_all(void) {
    CHECK(bench.check().field == NULL);
    CHECK(bench.solve() == TACT_CONVERGED);
    for (int i = 0; i < bench.count; i++) {
        const spoilt_item *at = &bench.item[i];
        tact_real good = *at->item;
        for (int k = 0; k < HOSTILE; k++) {
            bool none = at->bound && (k == 1 || k == 2);
            *at->item = hostile[k];
            if (!none) expect(at, (double)hostile[k]);
        }
        // the smallest number there is
        *at->item = 1 / TACT_MAX * TACT_EPS * 4;
        expect_answer();
        *at->item = good;
    }
    CHECK(bench.check().field == NULL);
    CHECK(bench.solve() == TACT_CONVERGED);
    bench = (spoilt_bench){.check = NULL};
}

// value is out of the item's range
#define REFUSE(item, value, name, at)                                   \
    do {                                                                \
        __typeof__(item) good = item;                                   \
        item = value;                                                   \
        expect(&(spoilt_item){NULL, name, at, false}, (double)(value)); \
        item = good;                                                    \
    } while (0)

static unsigned char memory[1 << 18];

// complementarity

static struct {
    tact_real M[4], q[2], lo[2], hi[2];
    tact_lcp_problem problem;
    tact_lcp_sparse sparse;
    int start[3], column[4];
    tact_lcp_options options;
    tact_lcp_work work;
    tact_lcp_sparse_work sparse_work;
    tact_lcp_solution solution;
} lcp;

static tact_fault check_lcp(void) {
    return tact_lcp_check(&lcp.problem, &lcp.options);
}
static tact_status solve_lcp(void) {
    return tact_lcp_solve(&lcp.problem, &lcp.options, &lcp.work, &lcp.solution);
}
static tact_fault check_sparse(void) {
    return tact_lcp_sparse_check(&lcp.sparse, &lcp.options);
}
static tact_status solve_sparse(void) {
    return tact_lcp_sparse_solve(&lcp.sparse, &lcp.options, &lcp.sparse_work, &lcp.solution);
}

static void make_lcp(void) {
    const tact_real M[4] = {2, 1, 1, 3}, q[2] = {-1, 1}, lo[2] = {-1, -2}, hi[2] = {1, 2};
    tact_arena arena = {memory, sizeof memory, 0};
    memcpy(lcp.M, M, sizeof M), memcpy(lcp.q, q, sizeof q), memcpy(lcp.lo, lo, sizeof lo), memcpy(lcp.hi, hi, sizeof hi);
    for (int k = 0; k < 4; k++) lcp.column[k] = k % 2;
    lcp.start[1] = 2, lcp.start[2] = 4;
    lcp.problem = (tact_lcp_problem){.n = 2, .M = lcp.M, .q = lcp.q};
    lcp.sparse = (tact_lcp_sparse){.n = 2, .start = lcp.start, .column = lcp.column, .value = lcp.M, .q = lcp.q};
    lcp.options = tact_lcp_options_default();
    tact_lcp_place(&lcp.work, 2, 2, &arena);
    tact_lcp_sparse_place(&lcp.sparse_work, 2, 4, 3, &arena);
    tact_lcp_solution_place(&lcp.solution, 2, &arena);
    CHECK(tact_arena_fits(&arena));
}

static void begin_lcp(bool sparse) {
    bench = (spoilt_bench){.check = sparse ? check_sparse : check_lcp, .solve = sparse ? solve_sparse : solve_lcp};
    bench.answer = lcp.solution.z, bench.size = 2;
    add(lcp.M, sparse ? "value" : "M", 0, 4);
    add(lcp.q, "q", 0, 2);
    add(&lcp.options.tolerance, "options.tolerance", 0, 1);
}

static void test_lcp(void) {
    make_lcp();
    for (int method = TACT_LCP_AUTO; method <= TACT_LCP_ENUMERATE; method++) {
        lcp.options.method = (tact_lcp_method)method;
        begin_lcp(false);
        spoil_all();
    }
    lcp.options = tact_lcp_options_default();
    for (int sparse = 0; sparse < 2; sparse++) {
        begin_lcp(sparse);
        if (sparse) spoil_all();
        begin_lcp(sparse);
        lcp.options.tolerance = sparse ? TACT_LCP_TOLERANCE : lcp.options.tolerance;
        CHECK(bench.solve() == TACT_CONVERGED);
        REFUSE(lcp.options.tolerance, 0, "options.tolerance", 0);
        REFUSE(lcp.options.tolerance, 1, "options.tolerance", 0);
        REFUSE(lcp.options.max_pivots, -1, "options.max_pivots", 0);
        REFUSE(lcp.options.method, (tact_lcp_method)6, "options.method", 0);
        // bounds
        lcp.problem.lo = lcp.sparse.lo = lcp.lo;
        lcp.problem.hi = lcp.sparse.hi = lcp.hi;
        begin_lcp(sparse);
        int first = bench.count;
        add(lcp.lo, "lo", 0, 2);
        add(lcp.hi, "hi", 0, 2);
        for (int i = first; i < bench.count; i++) bench.item[i].bound = true;
        CHECK(bench.solve() == TACT_CONVERGED);
        REFUSE(lcp.lo[1], TACT_MAX, "lo", 1);
        REFUSE(lcp.hi[0], -TACT_MAX, "hi", 0);
        REFUSE(lcp.hi[1], -3, "hi", 1);
        spoil_all();
        lcp.problem.hi = lcp.sparse.hi = NULL;
        begin_lcp(sparse);
        REFUSE(lcp.lo[0], (tact_real)INFINITY, "lo", 0);
        lcp.problem.lo = lcp.sparse.lo = NULL;
    }
}

// friction

static struct {
    tact_real W[36], q[6], mu[2], low[6], high[6], r[6], u[6];
    tact_friction_problem problem;
    tact_friction_options options;
    tact_friction_work work;
    tact_friction_solution solution;
} friction;

static tact_fault check_friction(void) {
    return tact_friction_check(&friction.problem, &friction.options, friction.options.warm ? friction.r : NULL);
}
static tact_status solve_friction(void) {
    return tact_friction_solve(&friction.problem, &friction.options, &friction.work, &friction.solution);
}

// a contact, and a block of rows
static void test_friction(void) {
    const tact_real q[6] = {-1, TACT_REAL(0.5), 0, -1, TACT_REAL(0.2), 1};
    tact_arena arena = {memory, sizeof memory, 0};
    for (int i = 0; i < 36; i++) friction.W[i] = i % 7 ? TACT_REAL(0.1) : 2;
    for (int i = 0; i < 6; i++) friction.q[i] = q[i], friction.low[i] = -1, friction.high[i] = 1;
    friction.mu[0] = TACT_REAL(0.5), friction.mu[1] = -1;
    friction.problem = (tact_friction_problem){
        .nc = 2, .W = friction.W, .q = friction.q, .mu = friction.mu, .low = friction.low, .high = friction.high};
    friction.options = tact_friction_options_default();
    friction.solution = (tact_friction_solution){.r = friction.r, .u = friction.u};
    tact_friction_place(&friction.work, 2, 4, &arena);
    CHECK(tact_arena_fits(&arena));
    for (int warm = 0; warm < 2; warm++) {
        friction.options.warm = warm;
        bench = (spoilt_bench){.check = check_friction, .solve = solve_friction, .answer = friction.r, .size = 6};
        CHECK(bench.solve() == TACT_CONVERGED);
        REFUSE(friction.options.tolerance, 0, "options.tolerance", 0);
        REFUSE(friction.options.max_iterations, 0, "options.max_iterations", 0);
        REFUSE(friction.high[4], -2, "high", 4);
        REFUSE(friction.low[3], TACT_MAX, "low", 3);
        add(friction.W, "W", 0, 36);
        add(friction.q, "q", 0, 6);
        add(friction.mu, "mu", 0, 1);
        add(&friction.options.tolerance, "options.tolerance", 0, 1);
        for (int side = 0; side < 2; side++) {
            int first = bench.count;
            add(side ? friction.high + 3 : friction.low + 3, side ? "high" : "low", 3, 3);
            for (int i = first; i < bench.count; i++) bench.item[i].bound = true;
        }
        spoil_all();
    }
    // impulses to start from; and derivatives of an answer that is none
    friction.options.warm = true;
    tact_friction_mode mode[2];
    tact_friction_derivative derivative = {.mode = mode};
    for (int i = 0; i < 6; i++) {
        tact_real good = friction.r[i];
        friction.r[i] = hostile[i % HOSTILE];
        tact_fault fault = check_friction();
        CHECK_TEXT(fault.field, "r");
        CHECK_INT(fault.index, i);
        CHECK_INT(solve_friction(), TACT_BAD_INPUT);
        CHECK_INT(tact_friction_linearise(&friction.problem, friction.r, &friction.work, &derivative), TACT_BAD_INPUT);
        friction.r[i] = good;
    }
}

// quadratic constraints

static struct {
    tact_triplet objective[3], constraint[2][2];
    tact_quadratic g[2];
    bool equality[2];
    tact_real x0[2], x[2], multiplier[2];
    tact_qcqp problem;
    tact_qcqp_options options;
    tact_qcqp_solution solution;
} qcqp;

static tact_fault check_qcqp(void) {
    return tact_qcqp_check(&qcqp.problem, &qcqp.options);
}
static tact_status solve_qcqp(void) {
    qcqp.solution = (tact_qcqp_solution){.x = qcqp.x, .multiplier = qcqp.multiplier};
    return tact_qcqp_solve(&qcqp.problem, &qcqp.options, memory, sizeof memory, &qcqp.solution);
}

// min x^2 + y^2 - x, x + y = 1 (-2 with its constant), 4 - x^2 >= 0
static void test_qcqp(void) {
    qcqp.objective[0] = (tact_triplet){0, 0, 2}, qcqp.objective[1] = (tact_triplet){1, 1, 2};
    qcqp.objective[2] = (tact_triplet){-1, 0, -1};
    qcqp.constraint[0][0] = (tact_triplet){-1, 0, 1}, qcqp.constraint[0][1] = (tact_triplet){-1, 1, 1};
    qcqp.constraint[1][0] = (tact_triplet){0, 0, -2};
    qcqp.g[0] = (tact_quadratic){.nlinear = 2, .linear = qcqp.constraint[0], .constant = -1};
    qcqp.g[1] = (tact_quadratic){.nquadratic = 1, .quadratic = qcqp.constraint[1], .constant = 4};
    qcqp.equality[0] = true;
    qcqp.problem = (tact_qcqp){.n = 2, .ncon = 2, .constraint = qcqp.g, .equality = qcqp.equality, .x0 = qcqp.x0};
    qcqp.problem.objective =
        (tact_quadratic){.nquadratic = 2, .nlinear = 1, .quadratic = qcqp.objective, .linear = qcqp.objective + 2};
    qcqp.options = tact_qcqp_options_default();
    bench = (spoilt_bench){.check = check_qcqp, .solve = solve_qcqp, .answer = qcqp.x, .size = 2};
    CHECK(tact_qcqp_size(&qcqp.problem) <= sizeof memory);
    CHECK(bench.solve() == TACT_CONVERGED);
    REFUSE(qcqp.problem.n, 0, "n", 0);
    REFUSE(qcqp.problem.ncon, -1, "ncon", 0);
    REFUSE(qcqp.objective[1].row, 2, "objective", 0);
    REFUSE(qcqp.objective[2].column, -1, "objective", 0);
    REFUSE(qcqp.constraint[1][0].column, 2, "constraint", 1);
    REFUSE(qcqp.options.max_nodes, 0, "options.max_nodes", 0);
    REFUSE(qcqp.options.max_nodes, 1000001, "options.max_nodes", 0);
    REFUSE(qcqp.options.starts, 0, "options.starts", 0);
    REFUSE(qcqp.options.starts, 1001, "options.starts", 0);
    REFUSE(qcqp.options.tolerance, 1, "options.tolerance", 0);
    add(&qcqp.options.tolerance, "options.tolerance", 0, 1);
    for (int k = 0; k < 3; k++) add(&qcqp.objective[k].value, "objective", 0, 1);
    add(&qcqp.problem.objective.constant, "objective", 0, 1);
    for (int k = 0; k < 2; k++) add(&qcqp.constraint[0][k].value, "constraint", 0, 1);
    add(&qcqp.constraint[1][0].value, "constraint", 1, 1);
    for (int k = 0; k < 2; k++) add(&qcqp.g[k].constant, "constraint", k, 1);
    add(qcqp.x0, "x0", 0, 2);
    spoil_all();
}

// a cart on a rail: its trajectory, its rollout

static struct {
    test_model *t;
    tact_trajectory_task task;
    bool reach[1];
    tact_real target[1], u[3];
    tact_fault fault;
    tact_options options;
    tact_rollout rollout;
    tact_rollout_work work;
    tact_state state;
} cart;

static tact_status build_trajectory(void) {
    tact_trajectory trajectory;
    tact_arena arena = {memory, sizeof memory, 0};
    return tact_trajectory_build(&cart.task, &trajectory, &cart.fault, &arena);
}
static tact_fault check_trajectory(void) {
    build_trajectory();
    return cart.fault;
}

static void test_trajectory(void) {
    test_model *t = cart.t = test_model_new();
    test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 10);
    t->dof[0].stiffness = 10;
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    cart.reach[0] = true, cart.target[0] = 1;
    cart.task = (tact_trajectory_task){&t->model, TACT_REAL(0.1), {0, 0, -10}, 4, cart.reach, cart.target};
    bench = (spoilt_bench){.check = check_trajectory, .solve = build_trajectory, .answer = t->q0, .size = 1};
    CHECK(bench.solve() == TACT_CONVERGED);
    REFUSE(cart.task.steps, 0, "steps", 0);
    REFUSE(cart.task.steps, 10001, "steps", 0);
    REFUSE(cart.task.dt, 0, "dt", 0);
    REFUSE(cart.task.dt, 2, "dt", 0);
    add(&cart.task.dt, "dt", 0, 1);
    add(&cart.task.gravity.x, "gravity", 0, 3);
    add(cart.target, "target", 0, 1);
    spoil_all();
    // a target that is not asked for is not read
    cart.reach[0] = false, cart.target[0] = (tact_real)NAN;
    CHECK_INT(build_trajectory(), TACT_CONVERGED);
}

static tact_real end_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                          tact_real *lambda_bar) {
    (void)contacts, (void)lambda_bar;
    if (q_bar) q_bar[0] += 1;
    return k == 2 ? *(const tact_real *)context * state->q[0] : state->q[0];
}

static tact_rollout_result run_rollout(void) {
    tact_real q_bar[1], u_bar[3];
    tact_rollout_slope slope = {.q = q_bar, .u = u_bar};
    return tact_rollout_gradient(&cart.t->model, &cart.options, &cart.rollout, &cart.state, &cart.work, &slope);
}
static tact_status solve_rollout(void) {
    return run_rollout().status;
}
static tact_fault check_rollout(void) {
    return run_rollout().fault;
}

static void test_rollout(void) {
    static unsigned char state_memory[4096];
    tact_real scale = 1;
    CHECK_INT(tact_state_init(&cart.state, &cart.t->model, state_memory, sizeof state_memory), TACT_CONVERGED);
    CHECK_INT(tact_rollout_init(&cart.work, &cart.t->model, 3, memory, sizeof memory), TACT_CONVERGED);
    cart.options = tact_options_default();
    cart.rollout = (tact_rollout){.steps = 3, .u = cart.u, .context = &scale, .loss = end_loss};
    bench = (spoilt_bench){.check = check_rollout, .solve = solve_rollout, .answer = cart.state.q, .size = 1};
    CHECK(bench.solve() == TACT_CONVERGED);
    REFUSE(cart.rollout.steps, 4, "rollout.steps", 0);
    REFUSE(cart.rollout.steps, -1, "rollout.steps", 0);
    REFUSE(scale, (tact_real)INFINITY, "rollout.loss", 0);
    for (int i = 0; i < 3; i++) {
        REFUSE(cart.u[i], (tact_real)NAN, "rollout.u", 0);
        REFUSE(cart.u[i], TACT_REAL(2e6), "rollout.u", 0);
    }
    REFUSE(cart.options.dt, (tact_real)NAN, "dt", 0);
    REFUSE(cart.state.q[0], (tact_real)NAN, "state.q", 0);
    test_model_free(cart.t);
}

// virtual contacts: nothing is computed, the check stands alone

static tact_virtual_options contact_options;

static tact_fault check_contacts(void) {
    return tact_virtual_options_check(&contact_options);
}
static tact_status solve_contacts(void) {
    return check_contacts().field ? TACT_BAD_INPUT : TACT_CONVERGED;
}

static void test_contacts(void) {
    contact_options = tact_virtual_options_default();
    bench = (spoilt_bench){.check = check_contacts, .solve = solve_contacts};
    REFUSE(contact_options.manifold, (tact_manifold)(TACT_MANIFOLD_DESCENT + 1), "manifold", 0);
    REFUSE(contact_options.temperature, 0, "temperature", 0);
    REFUSE(contact_options.k, -1, "k", 0);
    REFUSE(contact_options.particles, 0, "particles", 0);
    REFUSE(contact_options.particles, TACT_STEIN_MAX + 1, "particles", 0);
    REFUSE(contact_options.stein_steps, -1, "stein_steps", 0);
    add(&contact_options.temperature, "temperature", 0, 1);
    add(&contact_options.k, "k", 0, 1);
    spoil_all();
}

// lanes: the scene that is spoilt is refused, those beside it are stepped

static void test_lanes(void) {
    enum { SCENES = 3 };
    static unsigned char lane_memory[1 << 20], state_memory[SCENES][4096];
    test_model *t = test_model_new();
    test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, 10);
    test_model_pair(t, TACT_WORLD, 0);
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    const tact_model *model[SCENES] = {&t->model, &t->model, &t->model};
    tact_real u[SCENES][3] = {{0}};
    tact_options options[SCENES];
    tact_input input[SCENES];
    tact_state states[SCENES];
    tact_status status[SCENES];
    tact_lanes lanes;
    CHECK(tact_lanes_size(&t->model, 0) <= sizeof lane_memory);
    CHECK_INT(tact_lanes_init(&lanes, &t->model, 0, lane_memory, sizeof lane_memory), TACT_CONVERGED);
    for (int i = 0; i < SCENES; i++) {
        options[i] = tact_options_default();
        input[i] = (tact_input){.u = u[i]};
        CHECK_INT(tact_state_init(&states[i], &t->model, state_memory[i], sizeof state_memory[i]), TACT_CONVERGED);
    }
    tact_real *const spoilt[] = {&u[1][0], &states[1].q[1], &states[1].v[2], &options[1].dt, &options[1].kappa};
    for (int k = 0; k < 5; k++) {
        tact_real good = *spoilt[k], before[3];
        *spoilt[k] = (tact_real)NAN;
        memcpy(before, states[1].q, sizeof before);
        tact_lanes_step(&lanes, SCENES, model, options, input, states, status, NULL);
        CHECK(status[0] >= 0 && status[2] >= 0);
        CHECK_INT(status[1], TACT_BAD_INPUT);
        CHECK(memcmp(before, states[1].q, sizeof before) == 0);
        *spoilt[k] = good;
    }
    test_model_free(t);
}

int main(void) {
    test_contacts();
    test_lanes();
    test_lcp();
    test_friction();
    test_qcqp();
    test_trajectory();
    test_rollout();
    return test_end("spoilt");
}
