// SPDX-License-Identifier: MIT
#include "tact/problem.h"

#include <math.h>

#include "solve/ordering.h"
#include "solve/precise.h"
#include "solve/skyline.h"
#include "tact/keys.h"

enum { ENVELOPE_MAX = 1 << 25, SIZE_LIMIT = TACT_TEXT_LIMIT, PRECISE_SHARE = 60 };

struct tact_problem_parts {
    // the couplings: the columns of each contact, then those of each row of P; and the order chosen for it
    int sets, members;
    int *start, *member;
    tact_elimination elimination;
    int *order, *place;
    int64_t envelope;

    // for the solver, by place
    int width;  // of all contacts
    int *column;
    tact_real *contact_J;
    tact_real *scaled;  // a copy of P, to see whether it is positive semi-definite
    tact_cone *cone;
    tact_real *p;
    tact_barrier_problem problem;
    tact_barrier_work work;
    tact_precise_work precise;
};

static bool get_numbers(const tact_json *json, int node, tact_key_kind kind, int count, tact_range range, tact_real *values) {
    const tact_key key = {.kind = kind, .range = range, .most = (double)TACT_MOST_NUMBER};
    return tact_key_read_numbers(json, node, &key, count, values);
}

bool tact_problem_get_number(const tact_json *json, int node, tact_range range, tact_real *value) {
    return get_numbers(json, node, TACT_KEY_NUMBER, 1, range, value);
}

bool tact_problem_get_vector(const tact_json *json, int node, int count, tact_range range, tact_real *values) {
    return get_numbers(json, node, TACT_KEY_VECTOR, count, range, values);
}

void tact_problem_refuse_products(const tact_json *json) {
    tact_json_refuse(json, 0, "products of these numbers are too large for the solver");
}

void tact_problem_report_memory(const tact_json *json) {
    tact_errors_add(json->errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = json->source.name}, "out of memory");
}

void *tact_problem_place(tact_memory_placer *place, void *context, const tact_json *json) {
    void *memory = tact_memory_place(place, context);
    if (!memory) tact_problem_report_memory(json);
    return memory;
}

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
    problem->parts = tact_arena_take(arena, 1, sizeof *problem->parts);
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
            // an entry is measured by sqrt(P_ii P_jj), the most that a semi-definite matrix can have there
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
    tact_problem_parts *parts = problem->parts;
    int count = 0;
    for (int i = 0; i < problem->nc; i++) {
        if (fill) parts->start[i] = count;
        // first the sets of the contacts: the variables that each one touches
        for (int v = 0; v < problem->n; v++) {
            if (!touches(problem, i, v)) continue;
            if (fill) parts->member[count] = v;
            count++;
        }
    }
    if (!fill) parts->width = count;
    // then the rows of P below the diagonal, with the diagonal itself
    for (int i = 0; !problem->diagonal && i < problem->n; i++) {
        if (fill) parts->start[problem->nc + i] = count;
        for (int v = 0; v <= i; v++) {
            if (v < i && entry(problem, i, v) == 0) continue;
            if (fill) parts->member[count] = v;
            count++;
        }
    }
    if (fill) parts->start[parts->sets] = count;
    parts->members = count;
}

// Memory of the order of elimination and of the problem in that order; an arena without memory measures.
static void place_order(void *context, tact_arena *arena) {
    tact_problem *problem = context;
    tact_problem_parts *parts = problem->parts;
    size_t n = (size_t)problem->n, width = (size_t)parts->width;
    parts->start = tact_arena_take(arena, (size_t)parts->sets + 1, sizeof(int));
    parts->member = tact_arena_take(arena, (size_t)parts->members, sizeof(int));
    tact_elimination_place(&parts->elimination, problem->n, parts->members, arena);
    parts->order = tact_arena_take(arena, n, sizeof(int));
    parts->place = tact_arena_take(arena, n, sizeof(int));
    parts->column = tact_arena_take(arena, width, sizeof(int));
    parts->contact_J = tact_arena_take(arena, 3 * width, sizeof(tact_real));
    parts->cone = tact_arena_take(arena, (size_t)problem->nc, sizeof(tact_cone));
    parts->p = tact_arena_take(arena, n, sizeof(tact_real));
    parts->problem.P.first = tact_arena_take(arena, n, sizeof(int));
    parts->problem.P.start = tact_arena_take(arena, n + 1, sizeof(int));
    problem->solution.d = tact_arena_take(arena, n, sizeof(tact_real));
    problem->solution.lambda = tact_arena_take(arena, 3 * (size_t)problem->nc, sizeof(tact_real));
}

// P's envelope in the order chosen.
static void lay_out_quadratic(tact_problem *problem) {
    tact_problem_parts *parts = problem->parts;
    tact_skyline *P = &parts->problem.P;
    P->n = problem->n;
    for (int i = 0; i < P->n; i++) {
        P->first[i] = problem->diagonal ? i : 0;
        while (P->first[i] < i && entry(problem, parts->order[i], parts->order[P->first[i]]) == 0) P->first[i]++;
    }
    tact_skyline_layout(P);
}

static void place_solver(void *context, tact_arena *arena) {
    tact_problem *problem = context;
    tact_problem_parts *parts = problem->parts;
    const tact_skyline *P = &parts->problem.P;
    tact_barrier_size size = {.n = problem->n, .ncone = problem->nc, .columns = parts->width, .envelope = (int)parts->envelope};
    parts->problem.P.value = tact_arena_take(arena, (size_t)P->start[P->n], sizeof(tact_real));
    parts->scaled = tact_arena_take(arena, problem->diagonal ? 0 : (size_t)P->start[P->n], sizeof(tact_real));
    tact_barrier_place(&parts->work, size, arena);
    tact_precise_place(&parts->precise, size, arena);
}

static void fill_quadratic(tact_problem *problem) {
    tact_problem_parts *parts = problem->parts;
    tact_skyline *P = &parts->problem.P;
    for (int i = 0; i < P->n; i++) {
        tact_real *row = tact_skyline_row(P, i);
        for (int j = P->first[i]; j <= i; j++) row[j] = entry(problem, parts->order[i], parts->order[j]);
    }
}

// Whether P, scaled to a unit diagonal and shifted by its rounding, has a Cholesky factor. Uses the solver's vectors.
static bool is_semidefinite(tact_problem *problem) {
    const tact_problem_parts *parts = problem->parts;
    const tact_skyline *P = &parts->problem.P;
    tact_skyline S = *P;
    tact_real *size = parts->work.g, *pivot = parts->work.pivot;
    S.value = parts->scaled;
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
    if (json->errors->errors > 0) return false;
    // P, b, J, c, mu, x0 and kappa
    int n = problem->n, nc = problem->nc;
    int P = tact_json_need(json, object, "P"), x0 = tact_json_find(json, object, "x0");
    if (P >= 0 && !tact_json_expect(json, P, TACT_JSON_ARRAY)) return false;
    problem->diagonal = P < 0 || tact_json_length(json, P) == n;
    // P has n numbers (its diagonal) or n^2
    int nodes[] = {need_array(json, object, "P", problem->diagonal ? n : (long long)n * n),
                   need_array(json, object, "b", n),
                   need_array(json, object, "J", 3 * (long long)nc * n),
                   need_array(json, object, "c", 3 * (long long)nc),
                   need_array(json, object, "mu", nc),
                   x0 < 0 || tact_json_type(json, x0) == TACT_JSON_NULL ? -1 : need_array(json, object, "x0", n)};
    if (json->errors->errors > 0) return false;
    // all lengths are right: take memory, then read the numbers
    problem->memory[0] = tact_problem_place(place_input, problem, json);
    if (!problem->memory[0]) return false;
    *problem->parts = (tact_problem_parts){0};
    for (int i = 0; i < n; i++) problem->x0[i] = 0;
    tact_problem_get_vector(json, nodes[0], problem->diagonal ? n : n * n, tact_range_any(), problem->P);
    tact_problem_get_vector(json, nodes[1], n, tact_range_any(), problem->b);
    tact_problem_get_vector(json, nodes[2], 3 * nc * n, tact_range_any(), problem->J);
    tact_problem_get_vector(json, nodes[3], 3 * nc, tact_range_any(), problem->c);
    tact_problem_get_vector(json, nodes[4], nc, tact_range_from(0), problem->mu);
    tact_problem_get_vector(json, nodes[5], n, tact_range_any(), problem->x0);
    tact_problem_get_number(json, tact_json_need(json, object, "kappa"), tact_range_above(0), &problem->kappa);
    if (json->errors->errors != 0) return false;
    tact_problem_parts *parts = problem->parts;
    int node = tact_json_find(json, object, "P");
    if (!check_symmetry(problem, json, node)) return false;
    parts->sets = problem->nc + (problem->diagonal ? 0 : problem->n);
    // sets of unknowns that are coupled: counted, then filled
    gather_sets(problem, false);
    problem->memory[1] = tact_problem_place(place_order, problem, json);
    if (!problem->memory[1]) return false;
    gather_sets(problem, true);
    tact_cliques cliques = {.n = problem->n, .count = parts->sets, .start = parts->start, .member = parts->member};
    // the order with the least fill decides how much memory the solver needs
    parts->envelope = tact_elimination_choose(&cliques, &parts->elimination, parts->order, parts->place);
    if (parts->envelope > ENVELOPE_MAX) {
        tact_json_refuse(json, object, "too large: the matrix needs %lld entries (allowed %d)", (long long)parts->envelope,
                         ENVELOPE_MAX);
        return false;
    }
    lay_out_quadratic(problem);
    problem->memory[2] = tact_problem_place(place_solver, problem, json);
    if (!problem->memory[2]) return false;
    // only the factorisation can tell whether P has a negative direction
    fill_quadratic(problem);
    if (!problem->diagonal && !is_semidefinite(problem)) tact_json_refuse(json, node, "is not positive semi-definite");
    return json->errors->errors == 0;
}

tact_status tact_problem_solve(tact_problem *problem, int max_iterations) {
    tact_problem_parts *parts = problem->parts;
    tact_barrier_options options = tact_barrier_options_default();
    parts->problem.n = problem->n;
    parts->problem.ncone = problem->nc;
    parts->problem.p = parts->p;
    parts->problem.cone = parts->cone;
    // Each contact's cone: its columns, its rows of J, mu, kappa and c.
    size_t n = (size_t)problem->n;
    int *column = parts->column;
    tact_real *to = parts->contact_J;
    for (int i = 0; i < problem->nc; i++) {
        tact_cone *cone = &parts->cone[i];
        const tact_real *J = problem->J + 3 * (size_t)i * n;
        cone->width = 0;
        cone->column = column;
        // the columns that the contact touches, in the order of elimination
        for (int k = 0; k < problem->n; k++)
            if (touches(problem, i, parts->order[k])) column[cone->width++] = k;
        cone->J = to;
        cone->mu = problem->mu[i];
        cone->kappa = problem->kappa;
        // its three rows without the other columns
        for (int row = 0; row < 3; row++, J += n) {
            for (int k = 0; k < cone->width; k++) *to++ = J[parts->order[column[k]]];
            cone->c[row] = problem->c[3 * i + row];
        }
        column += cone->width;
    }
    for (int i = 0; i < problem->n; i++) parts->p[i] = problem->b[parts->order[i]];
    // some factorisations are left for answers that 16 digits do not tell
    const int share = max_iterations / 2 < PRECISE_SHARE ? max_iterations / 2 : PRECISE_SHARE;
    options.max_iterations = max_iterations - (parts->precise.order > 0 ? share : 0);
    tact_status status = tact_barrier_solve(&parts->problem, &options, &parts->work, &problem->solution);
    if (status == TACT_INFEASIBLE) {
        // A certificate is given out at unit length.
        tact_real *lambda = problem->solution.lambda;
        int count = 3 * problem->nc;
        double sum = 0;
        for (int i = 0; i < count; i++) sum += (double)lambda[i] * (double)lambda[i];
        for (int i = 0; i < count && sum > 0; i++) lambda[i] = (tact_real)((double)lambda[i] / sqrt(sum));
    }
    options.max_iterations = max_iterations;
    status = tact_precise_confirm(&parts->problem, &options, status, &parts->precise, &problem->solution);
    for (int i = 0; i < problem->n; i++) problem->x[parts->order[i]] = problem->solution.d[i];
    return status;
}
