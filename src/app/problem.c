// SPDX-License-Identifier: MIT
#include "app/problem.h"

#include <math.h>

#include "app/records.h"
#include "solve/skyline.h"

enum { ENVELOPE_MAX = 1 << 25, SIZE_LIMIT = TACT_TEXT_LIMIT, PRECISE_SHARE = 60 };

void tact_problem_free(tact_problem *problem) {
    for (int i = 0; i < 3; i++) tact_memory_release(problem->memory[i]);
    *problem = (tact_problem){0};
}

static void place_input(void *context, tact_arena *arena) {
    tact_problem *problem = context;
    size_t n = (size_t)problem->n, nc = (size_t)problem->nc;
    problem->P = tact_arena_take(arena, problem->diagonal ? n : n * n, sizeof(tact_real));
    problem->b = tact_arena_take(arena, n, sizeof(tact_real));
    problem->J = tact_arena_take(arena, 3 * nc * n, sizeof(tact_real));
    problem->c = tact_arena_take(arena, 3 * nc, sizeof(tact_real));
    problem->mu = tact_arena_take(arena, nc, sizeof(tact_real));
    problem->x0 = tact_arena_take(arena, n, sizeof(tact_real));
    problem->x = tact_arena_take(arena, n, sizeof(tact_real));
}

// The node of a key whose array has that many entries; -1 after a report.
static int need_array(const tact_json *json, int object, const char *key, long long count) {
    int node = tact_json_need(json, object, key);
    // no line holds so many
    if (count > SIZE_LIMIT) {
        tact_json_refuse(json, node, "would need %lld numbers, more than a line can hold", count);
        return -1;
    }
    if (node < 0 || (tact_json_type(json, node) == TACT_JSON_ARRAY && tact_json_length(json, node) == (int)count)) return node;
    // says what is wrong
    tact_json_get_vector(json, node, (int)count, tact_range_any(), NULL);
    return -1;
}

static bool read_input(tact_problem *problem, const tact_json *json, int object) {
    int n = problem->n, nc = problem->nc;
    int P = tact_json_need(json, object, "P"), x0 = tact_json_find(json, object, "x0");
    if (P >= 0 && !tact_json_expect(json, P, TACT_JSON_ARRAY)) return false;
    problem->diagonal = P < 0 || tact_json_length(json, P) == n;
    int nodes[] = {need_array(json, object, "P", problem->diagonal ? n : (long long)n * n),
                   need_array(json, object, "b", n),
                   need_array(json, object, "J", 3 * (long long)nc * n),
                   need_array(json, object, "c", 3 * (long long)nc),
                   need_array(json, object, "mu", nc),
                   x0 < 0 || tact_json_type(json, x0) == TACT_JSON_NULL ? -1 : need_array(json, object, "x0", n)};
    if (json->errors->errors > 0) return false;
    problem->memory[0] = tact_record_place(place_input, problem, json);
    if (!problem->memory[0]) return false;
    for (int i = 0; i < n; i++) problem->x0[i] = 0;
    tact_record_get_vector(json, nodes[0], problem->diagonal ? n : n * n, tact_range_any(), problem->P);
    tact_record_get_vector(json, nodes[1], n, tact_range_any(), problem->b);
    tact_record_get_vector(json, nodes[2], 3 * nc * n, tact_range_any(), problem->J);
    tact_record_get_vector(json, nodes[3], 3 * nc, tact_range_any(), problem->c);
    tact_record_get_vector(json, nodes[4], nc, tact_range_from(0), problem->mu);
    tact_record_get_vector(json, nodes[5], n, tact_range_any(), problem->x0);
    tact_record_get_number(json, tact_json_need(json, object, "kappa"), tact_range_above(0), &problem->kappa);
    return json->errors->errors == 0;
}

static tact_real entry(const tact_problem *problem, int i, int j) {
    size_t n = (size_t)problem->n;
    if (problem->diagonal) return i == j ? problem->P[i] : 0;
    // the objective sees only the symmetric part
    return (problem->P[(size_t)i * n + (size_t)j] + problem->P[(size_t)j * n + (size_t)i]) / 2;
}

// Symmetric within rounding, and no negative entry on the diagonal.
static bool check_symmetry(const tact_problem *problem, const tact_json *json, int node) {
    size_t n = (size_t)problem->n;
    for (int i = 0; i < problem->n; i++) {
        if (entry(problem, i, i) < 0) {
            tact_json_refuse(json, node, "is not positive semi-definite: diagonal entry %d is negative", i);
            return false;
        }
    }
    for (size_t i = 0; !problem->diagonal && i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            tact_real a = problem->P[i * n + j], b = problem->P[j * n + i];
            tact_real size = (tact_real)sqrt((double)problem->P[i * n + i]) * (tact_real)sqrt((double)problem->P[j * n + j]);
            if ((tact_real)fabs((double)(a - b)) <= TACT_TOLERANCE * size || a == b) continue;
            tact_json_refuse(json, node, "is not symmetric: entries (%zu, %zu) and (%zu, %zu) differ", i, j, j, i);
            return false;
        }
    }
    return true;
}

static bool touches(const tact_problem *problem, int contact, int v) {
    const tact_real *J = problem->J + 3 * (size_t)contact * (size_t)problem->n + v;
    size_t n = (size_t)problem->n;
    return J[0] != 0 || J[n] != 0 || J[2 * n] != 0;
}

// Counts the members of the sets, or fills them where there is memory.
static void gather_sets(tact_problem *problem, bool fill) {
    int count = 0;
    for (int i = 0; i < problem->nc; i++) {
        if (fill) problem->start[i] = count;
        for (int v = 0; v < problem->n; v++) {
            if (!touches(problem, i, v)) continue;
            if (fill) problem->member[count] = v;
            count++;
        }
    }
    if (!fill) problem->width = count;
    for (int i = 0; !problem->diagonal && i < problem->n; i++) {
        if (fill) problem->start[problem->nc + i] = count;
        for (int v = 0; v <= i; v++) {
            if (v < i && entry(problem, i, v) == 0) continue;
            if (fill) problem->member[count] = v;
            count++;
        }
    }
    if (fill) problem->start[problem->sets] = count;
    problem->members = count;
}

static void place_order(void *context, tact_arena *arena) {
    tact_problem *problem = context;
    size_t n = (size_t)problem->n, width = (size_t)problem->width;
    problem->start = tact_arena_take(arena, (size_t)problem->sets + 1, sizeof(int));
    problem->member = tact_arena_take(arena, (size_t)problem->members, sizeof(int));
    tact_elimination_place(&problem->elimination, problem->n, problem->members, arena);
    problem->order = tact_arena_take(arena, n, sizeof(int));
    problem->place = tact_arena_take(arena, n, sizeof(int));
    problem->column = tact_arena_take(arena, width, sizeof(int));
    problem->contact_J = tact_arena_take(arena, 3 * width, sizeof(tact_real));
    problem->cone = tact_arena_take(arena, (size_t)problem->nc, sizeof(tact_cone));
    problem->p = tact_arena_take(arena, n, sizeof(tact_real));
    problem->problem.P.first = tact_arena_take(arena, n, sizeof(int));
    problem->problem.P.start = tact_arena_take(arena, n + 1, sizeof(int));
    problem->solution.d = tact_arena_take(arena, n, sizeof(tact_real));
    problem->solution.lambda = tact_arena_take(arena, 3 * (size_t)problem->nc, sizeof(tact_real));
}

// P's envelope in the order chosen.
static void lay_out_quadratic(tact_problem *problem) {
    tact_skyline *P = &problem->problem.P;
    P->n = problem->n;
    for (int i = 0; i < P->n; i++) {
        P->first[i] = problem->diagonal ? i : 0;
        while (P->first[i] < i && entry(problem, problem->order[i], problem->order[P->first[i]]) == 0) P->first[i]++;
    }
    tact_skyline_layout(P);
}

static void place_solver(void *context, tact_arena *arena) {
    tact_problem *problem = context;
    const tact_skyline *P = &problem->problem.P;
    tact_barrier_size size = {
        .n = problem->n, .ncone = problem->nc, .columns = problem->width, .envelope = (int)problem->envelope};
    problem->problem.P.value = tact_arena_take(arena, (size_t)P->start[P->n], sizeof(tact_real));
    problem->scaled = tact_arena_take(arena, problem->diagonal ? 0 : (size_t)P->start[P->n], sizeof(tact_real));
    tact_barrier_place(&problem->work, size, arena);
    tact_precise_place(&problem->precise, size, arena);
}

static void fill_cones(tact_problem *problem) {
    size_t n = (size_t)problem->n;
    int *column = problem->column;
    tact_real *to = problem->contact_J;
    for (int i = 0; i < problem->nc; i++) {
        tact_cone *cone = &problem->cone[i];
        const tact_real *J = problem->J + 3 * (size_t)i * n;
        cone->width = 0;
        cone->column = column;
        for (int k = 0; k < problem->n; k++)
            if (touches(problem, i, problem->order[k])) column[cone->width++] = k;
        cone->J = to;
        cone->mu = problem->mu[i];
        cone->kappa = problem->kappa;
        for (int row = 0; row < 3; row++, J += n) {
            for (int k = 0; k < cone->width; k++) *to++ = J[problem->order[column[k]]];
            cone->c[row] = problem->c[3 * i + row];
        }
        column += cone->width;
    }
}

static void fill_quadratic(tact_problem *problem) {
    tact_skyline *P = &problem->problem.P;
    for (int i = 0; i < P->n; i++) {
        tact_real *row = tact_skyline_row(P, i);
        for (int j = P->first[i]; j <= i; j++) row[j] = entry(problem, problem->order[i], problem->order[j]);
    }
}

// Whether P, scaled to a unit diagonal and shifted by its rounding, has a Cholesky factor. Uses the solver's vectors.
static bool is_semidefinite(tact_problem *problem) {
    const tact_skyline *P = &problem->problem.P;
    tact_skyline S = *P;
    tact_real *size = problem->work.g, *pivot = problem->work.pivot;
    S.value = problem->scaled;
    for (int i = 0; i < P->n; i++) size[i] = (tact_real)sqrt((double)tact_skyline_row(P, i)[i]);
    for (int i = 0; i < P->n; i++) {
        const tact_real *from = tact_skyline_row(P, i);
        tact_real *to = tact_skyline_row(&S, i);
        for (int j = P->first[i]; j < i; j++) {
            if (from[j] != 0 && !(size[i] > 0 && size[j] > 0)) return false;
            to[j] = from[j] == 0 ? 0 : from[j] / size[i] / size[j];
        }
        to[i] = 1 + 64 * TACT_EPS * (tact_real)P->n;
    }
    if (!tact_skyline_factor(&S, pivot)) return false;
    // a pivot that was raised to the rounding of its diagonal entry
    for (int i = 0; i < P->n; i++)
        if (pivot[i] * TACT_EPS * 2 > 1) return false;
    return true;
}

bool tact_problem_read(tact_problem *problem, const tact_json *json, int object) {
    *problem = (tact_problem){0};
    tact_json_get_integer(json, tact_json_need(json, object, "n"), 1, SIZE_LIMIT, &problem->n);
    tact_json_get_integer(json, tact_json_need(json, object, "nc"), 0, SIZE_LIMIT, &problem->nc);
    if (json->errors->errors > 0 || !read_input(problem, json, object)) return false;
    int node = tact_json_find(json, object, "P");
    if (!check_symmetry(problem, json, node)) return false;
    problem->sets = problem->nc + (problem->diagonal ? 0 : problem->n);
    gather_sets(problem, false);
    problem->memory[1] = tact_record_place(place_order, problem, json);
    if (!problem->memory[1]) return false;
    gather_sets(problem, true);
    tact_cliques cliques = {.n = problem->n, .count = problem->sets, .start = problem->start, .member = problem->member};
    problem->envelope = tact_elimination_choose(&cliques, &problem->elimination, problem->order, problem->place);
    if (problem->envelope > ENVELOPE_MAX) {
        tact_json_refuse(json, object, "too large: the matrix needs %lld entries (allowed %d)", (long long)problem->envelope,
                         ENVELOPE_MAX);
        return false;
    }
    lay_out_quadratic(problem);
    problem->memory[2] = tact_record_place(place_solver, problem, json);
    if (!problem->memory[2]) return false;
    fill_quadratic(problem);
    if (!problem->diagonal && !is_semidefinite(problem)) tact_json_refuse(json, node, "is not positive semi-definite");
    return json->errors->errors == 0;
}

// Factorisations that are left for answers which 16 digits do not tell, of all.
static int share_for_precise(int iterations) {
    return iterations / 2 < PRECISE_SHARE ? iterations / 2 : PRECISE_SHARE;
}

// A certificate is given out at unit length.
static void normalise(tact_real *lambda, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)lambda[i] * (double)lambda[i];
    for (int i = 0; i < count && sum > 0; i++) lambda[i] = (tact_real)((double)lambda[i] / sqrt(sum));
}

tact_status tact_problem_solve(tact_problem *problem, int max_iterations) {
    tact_barrier_options options = tact_barrier_options_default();
    problem->problem.n = problem->n;
    problem->problem.ncone = problem->nc;
    problem->problem.p = problem->p;
    problem->problem.cone = problem->cone;
    fill_cones(problem);
    for (int i = 0; i < problem->n; i++) problem->p[i] = problem->b[problem->order[i]];
    options.max_iterations = max_iterations - (problem->precise.order > 0 ? share_for_precise(max_iterations) : 0);
    tact_status status = tact_barrier_solve(&problem->problem, &options, &problem->work, &problem->solution);
    if (status == TACT_INFEASIBLE) normalise(problem->solution.lambda, 3 * problem->nc);
    options.max_iterations = max_iterations;
    status = tact_precise_confirm(&problem->problem, &options, status, &problem->precise, &problem->solution);
    for (int i = 0; i < problem->n; i++) problem->x[problem->order[i]] = problem->solution.d[i];
    return status;
}
