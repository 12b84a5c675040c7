// SPDX-License-Identifier: MIT
// What the solvers of problems that are stated as matrices refuse, by the name and place of what is wrong, and memory that was
// placed for fewer contacts.
#include "solve/lcp.h"
#include "tact/friction.h"
#include "tact/lcp.h"
#include "tact/manifold.h"
#include "tact/qcqp.h"
#include "test.h"

static const tact_real nan_number = (tact_real)NAN, huge = 4 * TACT_MOST_NUMBER;

static void expect(tact_fault fault, const char *field, int index, int line) {
    if (!field) test_count(fault.field == NULL, __FILE__, line, "nothing is refused");
    if (field) test_text(fault.field, field, __FILE__, line, "field");
    if (field) test_int(fault.index, index, __FILE__, line, "index");
}

static void test_lcp(void) {
    tact_real M[] = {2, 1, 1, 2}, q[] = {-1, -1}, lo[] = {0, 0}, hi[] = {1, 1};
    tact_lcp_problem p = {.n = 2, .M = M, .q = q};
    tact_lcp_options options = tact_lcp_options_default();
    expect(tact_lcp_check(&p, &options), NULL, 0, __LINE__);
    q[1] = nan_number;
    expect(tact_lcp_check(&p, &options), "q", 1, __LINE__);
    q[1] = -1, M[2] = huge;
    expect(tact_lcp_check(&p, &options), "M", 2, __LINE__);
    M[2] = 1;
    // a lower bound that is none, one beyond an upper bound, and one beyond the largest number
    p.lo = lo, p.hi = hi;
    expect(tact_lcp_check(&p, &options), NULL, 0, __LINE__);
    lo[1] = nan_number;
    expect(tact_lcp_check(&p, &options), "lo", 1, __LINE__);
    lo[1] = 2;
    expect(tact_lcp_check(&p, &options), "hi", 1, __LINE__);
    lo[1] = 0, hi[0] = nan_number;
    expect(tact_lcp_check(&p, &options), "hi", 0, __LINE__);
    p.lo = NULL, hi[0] = -1;
    expect(tact_lcp_check(&p, &options), "hi", 0, __LINE__);
    p.hi = NULL, p.lo = lo, lo[1] = huge;
    expect(tact_lcp_check(&p, &options), "lo", 1, __LINE__);
    p.lo = NULL;
    options.max_pivots = -1;
    expect(tact_lcp_check(&p, &options), "options.max_pivots", 0, __LINE__);
    options = tact_lcp_options_default();
    options.method = (tact_lcp_method)99;
    expect(tact_lcp_check(&p, &options), "options.method", 0, __LINE__);
    options = tact_lcp_options_default();
    options.tolerance = nan_number;
    expect(tact_lcp_check(&p, &options), "options.tolerance", 0, __LINE__);
}

// Memory for bounds: unknowns with two, or with none, take a row more than others; without bounds none was asked for.
static void test_lcp_memory(void) {
    static unsigned char memory[1 << 15];
    static const tact_real ends[][2] = {{0, TACT_MAX}, {-TACT_MAX, 0}, {0, 1}, {-TACT_MAX, TACT_MAX}};
    tact_real M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {0}, lo[3], hi[3];
    tact_lcp_problem p = {.n = 3, .M = M, .q = q, .lo = lo, .hi = hi}, none = {.n = 0};
    for (int kinds = 0; kinds < 64; kinds++) {
        int doubled = 0;
        for (int i = 0; i < 3; i++) {
            int kind = kinds >> 2 * i & 3;
            lo[i] = ends[kind][0], hi[i] = ends[kind][1];
            doubled += kind > 1;
        }
        for (int room = -1; room <= 3; room++) {
            tact_arena arena = {.memory = memory, .size = sizeof memory};
            tact_lcp_work work;
            tact_lcp_place(&work, 3, room, &arena);
            CHECK(tact_arena_fits(&arena));
            CHECK(tact_lcp_bounds_fit(&p, &work) == (room >= doubled));
            CHECK(tact_lcp_bounds_fit(&none, &work));
        }
    }
}

enum { NC = 3 };

static void place(tact_friction_work *work, int nc, int blocks, void *memory, size_t size) {
    tact_arena arena = {.memory = memory, .size = size};
    tact_friction_place(work, nc, blocks, &arena);
    CHECK(tact_arena_fits(&arena));
}

// three contacts that do not press on each other, or all do
static void test_friction(void) {
    static unsigned char memory[1 << 16];
    tact_real W[9 * NC * NC] = {0}, q[3 * NC], mu[NC], low[3 * NC], high[3 * NC], r[3 * NC], u[3 * NC];
    for (int i = 0; i < 3 * NC; i++) {
        W[i * 3 * NC + i] = 1, q[i] = i % 3 ? 0 : -1;
        low[i] = -1, high[i] = 1;
    }
    for (int i = 0; i < NC; i++) mu[i] = TACT_REAL(0.5);
    tact_friction_problem p = {.nc = NC, .W = W, .q = q, .mu = mu};
    tact_friction_options options = tact_friction_options_default();
    tact_friction_solution solution = {.r = r, .u = u};
    tact_friction_mode mode[NC];
    tact_friction_derivative derivative = {.mode = mode};
    tact_friction_work work;
    expect(tact_friction_check(&p, &options, NULL), NULL, 0, __LINE__);
    place(&work, NC, NC, memory, sizeof memory);
    CHECK_INT(tact_friction_solve(&p, &options, &work, &solution), TACT_CONVERGED);
    for (int i = 0; i < 3 * NC; i++) CHECK_CLOSE(r[i], i % 3 ? 0 : 1, 1e-6);
    CHECK_INT(tact_friction_linearise(&p, r, &work, &derivative), TACT_CONVERGED);
    // one block more than there is room for
    W[3] = W[3 * 3 * NC] = TACT_REAL(0.1);
    CHECK_INT(tact_friction_solve(&p, &options, &work, &solution), TACT_NO_MEMORY);
    CHECK_INT(tact_friction_linearise(&p, r, &work, &derivative), TACT_NO_MEMORY);
    place(&work, NC, NC + 2, memory, sizeof memory);
    CHECK_INT(tact_friction_solve(&p, &options, &work, &solution), TACT_CONVERGED);
    CHECK_CLOSE(r[0], 1 / 1.1, 1e-6);
    // one contact more
    place(&work, NC - 1, NC * NC, memory, sizeof memory);
    CHECK_INT(tact_friction_solve(&p, &options, &work, &solution), TACT_NO_MEMORY);
    CHECK_INT(tact_friction_linearise(&p, r, &work, &derivative), TACT_NO_MEMORY);
    // scalar rows: which of the limits is wrong
    mu[1] = -1;
    p.low = low, p.high = high;
    expect(tact_friction_check(&p, &options, NULL), NULL, 0, __LINE__);
    low[4] = nan_number;
    expect(tact_friction_check(&p, &options, NULL), "low", 4, __LINE__);
    low[4] = 2;
    expect(tact_friction_check(&p, &options, NULL), "high", 4, __LINE__);
    p.high = NULL, low[4] = huge;
    expect(tact_friction_check(&p, &options, NULL), "low", 4, __LINE__);
    p.high = high, p.low = NULL, high[5] = -1;
    expect(tact_friction_check(&p, &options, NULL), "high", 5, __LINE__);
    // of a contact limits do not count
    mu[1] = 1;
    expect(tact_friction_check(&p, &options, NULL), NULL, 0, __LINE__);
    r[4] = nan_number;
    expect(tact_friction_check(&p, &options, r), "r", 4, __LINE__);
    CHECK_INT(tact_friction_linearise(&p, r, &work, &derivative), TACT_BAD_INPUT);
    options.max_iterations = 0;
    expect(tact_friction_check(&p, &options, NULL), "options.max_iterations", 0, __LINE__);
    options.tolerance = nan_number;
    expect(tact_friction_check(&p, &options, NULL), "options.tolerance", 0, __LINE__);
}

static void test_qcqp(void) {
    static unsigned char memory[1 << 16];
    tact_triplet square = {0, 1, 1}, line = {-1, 0, 1};
    tact_quadratic constraint[2] = {{0, 1, NULL, &line, 1}, {1, 1, &square, &line, 1}};
    const bool equality[2] = {false, false};
    tact_real x[2], y[2];
    tact_qcqp p = {.n = 2, .ncon = 2, .objective = {0, 1, NULL, &line, 0}, .constraint = constraint, .equality = equality};
    tact_qcqp_options options = tact_qcqp_options_default();
    tact_qcqp_solution solution = {.x = x, .multiplier = y};
    expect(tact_qcqp_check(&p, &options), NULL, 0, __LINE__);
    CHECK(tact_qcqp_size(&p) <= sizeof memory);
    // indices outside, of which the size is asked for before they are refused
    int *const at[] = {&square.row, &square.column, &line.column};
    for (int k = 0; k < 6; k++) {
        int good = *at[k / 2];
        *at[k / 2] = k % 2 ? 2 : -1;
        expect(tact_qcqp_check(&p, &options), k < 4 ? "constraint" : "objective", k < 4, __LINE__);
        CHECK(tact_qcqp_size(&p) > 0);
        CHECK_INT(tact_qcqp_solve(&p, &options, memory, sizeof memory, &solution), TACT_BAD_INPUT);
        *at[k / 2] = good;
    }
    square.value = huge;
    expect(tact_qcqp_check(&p, &options), "constraint", 1, __LINE__);
    square.value = 1, constraint[0].constant = nan_number;
    expect(tact_qcqp_check(&p, &options), "constraint", 0, __LINE__);
    constraint[0].constant = 1, constraint[1].nquadratic = -1;
    expect(tact_qcqp_check(&p, &options), "constraint", 1, __LINE__);
    constraint[1].nquadratic = 1, p.objective.nlinear = -1;
    expect(tact_qcqp_check(&p, &options), "objective", 0, __LINE__);
    p.objective.nlinear = 1;
    expect(tact_qcqp_check(&p, &options), NULL, 0, __LINE__);
    // no memory is needed for what is no problem
    p.n = 0;
    expect(tact_qcqp_check(&p, &options), "n", 0, __LINE__);
    CHECK_INT(tact_qcqp_solve(&p, &options, memory, sizeof memory, &solution), TACT_BAD_INPUT);
    p.n = 2, p.ncon = -1;
    expect(tact_qcqp_check(&p, &options), "ncon", 0, __LINE__);
    p.ncon = 2;
    for (size_t size = 0; size < tact_qcqp_size(&p) - TACT_ALIGN; size += 1 + size / 3)
        CHECK_INT(tact_qcqp_solve(&p, &options, memory, size, &solution), TACT_NO_MEMORY);
}

static void test_virtual_options(void) {
    tact_virtual_options good = tact_virtual_options_default(), bad = good;
    expect(tact_virtual_options_check(&good), NULL, 0, __LINE__);
    bad.manifold = (tact_manifold)99;
    expect(tact_virtual_options_check(&bad), "manifold", 0, __LINE__);
    bad = good, bad.temperature = nan_number;
    expect(tact_virtual_options_check(&bad), "temperature", 0, __LINE__);
    bad = good, bad.k = -1;
    expect(tact_virtual_options_check(&bad), "k", 0, __LINE__);
    for (int many = 0; many < 2; many++) {
        bad = good, bad.particles = many ? 1 << 20 : 0;
        expect(tact_virtual_options_check(&bad), "particles", 0, __LINE__);
        bad = good, bad.stein_steps = many ? 1000001 : -1;
        expect(tact_virtual_options_check(&bad), "stein_steps", 0, __LINE__);
    }
}

int main(void) {
    test_lcp();
    test_lcp_memory();
    test_friction();
    test_qcqp();
    test_virtual_options();
    return test_end("refused_problems");
}
