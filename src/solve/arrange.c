// SPDX-License-Identifier: MIT
// Layout of the Newton system (newton.h): which unknowns it has, the places of unknowns and of the cones' columns, and groups
// of cones for the lanes. All of it depends on the structure of the problem alone, and is kept while that stays the same.
#include <limits.h>

#include "math/elementary.h"
#include "solve/cone.h"
#include "solve/newton.h"
#include "solve/skyline.h"
#include "solve/sparse.h"

// With at least this many shared unknowns their order is chosen by the graph of the present contacts.
enum { ORDERED = 96 };
// Root mean square length of an envelope's rows from which on supernodes may pay.
enum { LONG_ROW = 32 };

// max_i |p_i|
static tact_real largest_pull(const tact_barrier_problem *problem) {
    tact_real pull = 0;
    for (int i = 0; i < problem->n; i++) pull = tact_max(pull, tact_fabs(problem->p[i]));
    return pull;
}

// Largest |p_i| / P_ii of an unknown that may be eliminated: its free displacement cancels against the force's contribution to
// the gap, and must leave no more than the fraction sqrt(eps) of the gap 2/(kappa lambda) in rounding. pull: the largest |p_i|.
static tact_real softest(const tact_barrier_problem *problem, tact_real pull) {
    tact_real kappa = 0, share = tact_sqrt(TACT_EPS);
    for (int i = 0; i < problem->ncone; i++) kappa = tact_max(kappa, problem->cone[i].kappa);
    tact_real bite = TACT_EPS * kappa * pull;
    return bite > 0 ? 2 * share / bite : TACT_MAX;
}

static bool is_stiff(const tact_barrier_problem *problem, int i, tact_real limit) {
    tact_real P = *tact_skyline_diagonal(&problem->P, i);
    // P_ii must have a finite reciprocal
    return (P >= 4 / TACT_MAX) & (tact_fabs(problem->p[i]) <= limit * P);
}

bool tact_newton_alike(const tact_barrier_problem *a, const tact_barrier_problem *b) {
    tact_real limit_a = softest(a, largest_pull(a)), limit_b = softest(b, largest_pull(b));
    for (int i = 0; i < a->n; i++)
        if (is_stiff(a, i, limit_a) != is_stiff(b, i, limit_b)) return false;
    return true;
}

// Key of an unknown's coupling in P: first coupled unknown, and in the lowest bit whether P alone makes it stiff enough for
// elimination (never in phase 1).
static int hold(const tact_path *path, int i, tact_real limit) {
    bool stiff = !path->phase1 && is_stiff(path->problem, i, limit);
    return 2 * path->problem->P.first[i] + stiff;
}

// Counts in place the owners of each unknown. An unknown is shared (count >= 2) if two cones move it, it has a bound, P couples
// it to another one, or P leaves it free or nearly so; in phase 1 all are.
static void count_owners(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    int *owners = path->work->place;
    for (int i = 0; i < problem->n; i++) owners[i] = path->work->held[i] % 2 == 1 ? 0 : 2;
    for (int i = 0; i < problem->n; i++)
        // couplings in P, then contacts and limits
        for (int j = problem->P.first[i]; j < i; j++) owners[i] = owners[j] = 2;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < problem->cone[i].width; k++) owners[problem->cone[i].column[k]]++;
    for (int j = 0; j < problem->nbound; j++) owners[problem->bound[j].column] += 2;
}

// Lists the shared unknowns in their own order.
static void list_shared(tact_path *path) {
    tact_barrier_work *work = path->work;
    int at = 0;
    for (int i = 0; i < path->problem->n; i++)
        if (work->place[i] >= 2) work->unknown[at++] = i;
    work->H.n = at;
}

// Places the unknowns behind the shared ones: each cone's own, then the rest; work->place turns from a count into a place.
static void assign_places(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    TACT_ASSERT(path->work->H.n <= problem->n);
    int at = work->H.n;
    // a cone's own unknowns are contiguous, so that first and count describe them
    for (int i = 0; i < problem->ncone; i++) {
        tact_cone_layout *layout = &work->layout[i];
        layout->own = at;
        for (int k = 0; k < problem->cone[i].width; k++)
            if (work->place[problem->cone[i].column[k]] == 1) work->unknown[at++] = problem->cone[i].column[k];
        layout->nown = at - layout->own;
        layout->nshared = problem->cone[i].width - layout->nown;
    }
    // unknowns without a cone come last; then the list is inverted
    for (int i = 0; i < problem->n; i++)
        if (work->place[i] == 0) work->unknown[at++] = i;
    for (int i = 0; i < problem->n; i++) work->place[work->unknown[i]] = i;
}

// Positions of a cone's columns: its own ones first, then the shared ones by ascending place.
static void arrange_columns(const tact_barrier_work *work, const tact_cone *given, const tact_cone_layout *layout,
                            bool by_graph) {
    int own = layout->first, shared = layout->first + layout->nown, last = -1;
    bool ascending = true;  // whether the shared places ascend in the caller's order
    // the caller's order: own and shared columns apart, each as given
    for (int k = 0; k < given->width; k++) {
        int place = work->place[given->column[k]], at = place < work->H.n ? shared++ : own++;
        ascending = ascending && (place >= work->H.n || place > last);
        if (place < work->H.n) last = place;
        work->row[at] = place;
        work->column_at[layout->first + k] = at;
    }
    // graph order: the position of a shared column is the number of shared columns with a smaller place
    for (int k = 0; by_graph && !ascending && k < given->width; k++) {
        int place = work->place[given->column[k]], at = layout->first + layout->nown;
        if (place >= work->H.n) continue;
        for (int other = 0; other < given->width; other++) at += work->place[given->column[other]] < place;
        work->row[at] = place;
        work->column_at[layout->first + k] = at;
    }
}

// Lists the cones of each unknown in column_at: those of unknown i from H.start[i] to H.start[i + 1].
static void list_cones(const tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    int *start = path->work->H.start, *list = path->work->column_at;
    for (int i = 0; i <= problem->n; i++) start[i] = 0;
    for (int i = 0; i < problem->ncone; i++)
        for (int k = 0; k < problem->cone[i].width; k++) start[problem->cone[i].column[k]]++;
    // counting sort: counts, running sums, then the cones from the last to the first
    for (int i = 0; i < problem->n; i++) start[i + 1] += start[i];
    for (int i = problem->ncone - 1; i >= 0; i--)
        for (int k = 0; k < problem->cone[i].width; k++) list[--start[problem->cone[i].column[k]]] = i;
}

// Appends to the queue, in reverse order, and marks the unknowns that P couples with this one. They are a contiguous block that
// is closed under coupling: no row behind it reaches into it (a spring may couple distant bodies across others), and no row of
// the block out of it.
static void enqueue_coupled(const tact_path *path, int unknown, int *end) {
    const tact_skyline *P = &path->problem->P;
    // the block that P couples, directly or indirectly: its ends by the envelope
    int high = path->work->unknown[unknown], low = unknown;
    for (int i = high; i >= low; i--) low = P->first[i] < low ? P->first[i] : low;
    // mark by the complement of the place
    for (int i = high; i >= low; i--) {
        path->work->place[i] = ~path->work->place[i];
        path->work->H.first[(*end)++] = i;
    }
}

// Breadth-first search among the shared unknowns from one of them; the queue is in H.first, and its end is returned.
static int search_breadth(const tact_path *path, int from, int begin) {
    const tact_barrier_problem *problem = path->problem;
    const tact_barrier_work *work = path->work;
    int end = begin;
    TACT_ASSERT(begin <= path->problem->n);
    enqueue_coupled(path, from, &end);
    // all unknowns of all contacts of the next one in the queue
    for (int at = begin; at < end; at++) {
        int unknown = work->H.first[at];
        for (int c = work->H.start[unknown]; c < work->H.start[unknown + 1]; c++) {
            const tact_cone *cone = &problem->cone[work->column_at[c]];
            for (int k = 0; k < cone->width; k++)
                if (work->place[cone->column[k]] >= 2) enqueue_coupled(path, cone->column[k], &end);
        }
    }
    return end;
}

// Whether the shared unknowns of cone a are a subset of those of cone b.
static bool share_within(const tact_barrier_work *work, const tact_cone_layout *a, const tact_cone_layout *b) {
    // both lists ascend: one pass
    const int *row_a = work->row + a->first + a->nown, *row_b = work->row + b->first + b->nown;
    int found = 0;
    for (int k = 0; k < b->nshared && found < a->nshared; k++) found += row_a[found] == row_b[k];
    return found == a->nshared;
}

bool tact_newton_has_compliance(const tact_barrier_work *work, int ncone) {
    TACT_ASSERT(work);
    for (int i = 0; i < ncone; i++)
        if (work->layout[i].nown > 0) return true;
    return false;
}

// Groups of consecutive cones that are computed in lanes; the widest member gives the layout.
static void arrange_groups(const tact_path *path) {
    tact_barrier_work *work = path->work;
    int ncone = path->problem->ncone;
    bool soft = tact_newton_has_compliance(work, ncone);
    work->ngroup = 0;
    for (int i = 0; i < ncone; work->ngroup++) {
        tact_cone_iterate *cone = &work->cone[work->ngroup];
        cone->begin = i;
        // neighbours with the same layout share a register, one per lane
        // greedy: the next cone joins if its shared unknowns are a subset of the widest's, or the reverse
        int members = 1, widest = i;
        for (; members < TACT_LANES && members < (ncone - i); members++) {
            const tact_cone_layout *next = &work->layout[i + members], *wide = &work->layout[widest];
            if (share_within(work, next, wide)) continue;
            if (!share_within(work, wide, next)) break;
            widest = i + members;
        }
        cone->members = members;
        cone->nown = work->layout[widest].nown;
        cone->own = work->layout[widest].own;
        cone->nshared = work->layout[widest].nshared;
        cone->first = work->layout[widest].first;
        cone->J = (const tact_wide *)work->wide + 3 * (cone->first + cone->nown);
        cone->row = work->row + cone->first + cone->nown;
        cone->compliant = soft;
        for (int lane = 0; lane < cone->members; lane++) {
            work->layout[i + lane].group = work->ngroup;
            work->layout[i + lane].lane = lane;
        }
        i += cone->members;
    }
}

// Envelope of H: the first column of each row. Returns the number of entries.
static int arrange_rows(tact_path *path) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int *first = work->H.first;
    // couplings in P begin at P's first entry of the row
    for (int i = 0; i < work->H.n; i++) {
        int reach = problem->P.first[work->unknown[i]];
        first[i] = reach < work->unknown[i] ? work->place[reach] : i;
    }
    // J'B J couples all shared unknowns of a cone; places ascend, so that row[0] is the first
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone_layout *layout = &work->layout[i];
        const int *row = work->row + layout->first + layout->nown;
        for (int k = 0; k < layout->nshared; k++)
            if (row[0] < first[row[k]]) first[row[k]] = row[0];
    }
    return tact_skyline_layout(&work->H);
}

// Places of unknowns and columns for a given order of the shared unknowns.
static void place_all(tact_path *path, bool by_graph) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    int at = 0;
    assign_places(path);
    for (int i = 0; i < problem->ncone; i++) {
        const tact_cone *cone = &problem->cone[i];
        TACT_ASSERT(at + cone->width <= work->columns);
        work->layout[i].first = at;
        // columns as the problem has them, then sorted into own and shared ones
        for (int k = 0; k < cone->width; k++) work->column[at++] = cone->column[k];
        arrange_columns(work, cone, &work->layout[i], by_graph);
    }
}

// Places and envelope; returns the entries of the envelope.
static int arrange_places(tact_path *path, bool by_graph) {
    count_owners(path);
    list_shared(path);
    // Reverse Cuthill-McKee order of the shared unknowns. Each connected part is searched from a pseudo-peripheral node: the last
    // one of a first search. Unknowns that P couples stay contiguous and in order. Marked unknowns have a place < 0.
    if (by_graph) {
        tact_barrier_work *work = path->work;
        int end = 0;
        list_cones(path);
        // work->unknown temporarily holds the last unknown of each block: no row behind it reaches back into the block
        for (int i = path->problem->n - 1, reach = path->problem->n; i >= 0; i--) {
            work->unknown[i] = reach > i ? i : work->unknown[i + 1];
            if (path->problem->P.first[i] < reach) reach = path->problem->P.first[i];
        }
        for (int i = 0; i < path->problem->n; i++) {
            if (work->place[i] < 2) continue;
            // first search: its last node is far from the others (pseudo-peripheral); second search from there: the order
            int begin = end, stop = search_breadth(path, i, begin), last = work->H.first[stop - 1];
            for (int at = begin; at < stop; at++) work->place[work->H.first[at]] = ~work->place[work->H.first[at]];
            end = search_breadth(path, last, begin);
        }
        TACT_ASSERT(end == work->H.n);
        // reversed, which reduces fill-in; marks are removed
        for (int at = 0; at < end; at++) {
            work->unknown[end - 1 - at] = work->H.first[at];
            work->place[work->H.first[at]] = ~work->place[work->H.first[at]];
        }
    }
    place_all(path, by_graph);
    return arrange_rows(path);
}

// Supernodes in minimum degree order if they cost less than the envelope laid out; otherwise false.
static bool arrange_sparse(tact_path *path) {
    tact_barrier_work *work = path->work;
    double multiplications = 0;
    for (int i = 0; i < work->H.n; i++) {
        // cost of the envelope: half the square of each row's length
        double reach = i - work->H.first[i] + 1;
        multiplications += reach * reach / 2;
    }
    if (2 * multiplications < (double)work->H.n * LONG_ROW * LONG_ROW) return false;
    count_owners(path);
    list_shared(path);
    list_cones(path);
    if (!tact_sparse_order(path->problem, work, multiplications)) return false;
    place_all(path, true);
    return true;
}

// Whether the present layout fits this problem.
static bool keeps_places(const tact_path *path, tact_real limit) {
    const tact_barrier_problem *problem = path->problem;
    const tact_barrier_work *work = path->work;
    int other = 0;
    if (work->held_n != problem->n || work->held_cones != problem->ncone || work->held_bounds != problem->nbound) return false;
    // the same stiff unknowns, columns and bounds
    for (int i = 0; i < problem->n; i++) other |= work->held[i] ^ hold(path, i, limit);
    for (int i = 0; i < problem->ncone; i++) {
        const int *kept = work->column + work->layout[i].first, *column = problem->cone[i].column;
        if (work->layout[i].nown + work->layout[i].nshared != problem->cone[i].width) return false;
        for (int k = 0; k < problem->cone[i].width; k++) other |= kept[k] ^ column[k];
    }
    for (int j = 0; j < problem->nbound; j++) other |= work->bound[j].column ^ problem->bound[j].column;
    return other == 0;
}

// Lays the problem out anew.
static void take_places(tact_path *path, tact_real limit) {
    const tact_barrier_problem *problem = path->problem;
    tact_barrier_work *work = path->work;
    for (int i = 0; i < problem->n; i++) work->held[i] = hold(path, i, limit);
    if (TACT_MOST_UNKNOWNS >= TACT_SPARSE_LEAST && work->sparse) {
        // memory of a large work: this problem's cones at the end, the rest for the factor
        char *begin = (void *)work->H.value;
        size_t columns = 0, mask = ~(size_t)(TACT_ALIGN - 1);
        for (int i = 0; i < problem->ncone; i++) columns += (size_t)problem->cone[i].width;
        size_t cones = (work->sparse->shared - (size_t)problem->ncone * sizeof(tact_cone_iterate)) & mask;
        size_t wide = (cones - 3 * columns * sizeof(tact_wide)) & mask, values = wide / sizeof(tact_real);
        work->cone = (void *)(begin + cones);
        work->wide = (void *)(begin + wide);
        work->envelope = values > INT_MAX ? INT_MAX : (int)values;
    }
    // the caller's order suits all possible contacts; for a few contacts an order by their graph needs less fill-in
    int entries = arrange_places(path, false);
    bool large = TACT_MOST_UNKNOWNS >= ORDERED && work->H.n >= ORDERED, by_graph = large && arrange_places(path, true) < entries;
    if (large && !by_graph) arrange_places(path, false);
    // supernodes if they are cheaper, otherwise the envelope in the better order
    if (work->sparse) work->sparse->in_use = false;
    bool sparse = large && work->sparse && arrange_sparse(path);
    if (large && work->sparse && !sparse) arrange_places(path, by_graph);
    // the factor needs more entries than there is room for
    work->full = !sparse && work->H.start[work->H.n] > work->envelope;
    for (int j = 0; j < problem->nbound; j++) {
        work->bound[j].column = problem->bound[j].column;
        work->bound[j].place = work->place[problem->bound[j].column];
    }
    arrange_groups(path);
    if (!sparse) arrange_rows(path);
    // sizes of the problem, by which the next one is compared
    work->held_n = problem->n;
    work->held_cones = problem->ncone;
    work->held_bounds = problem->nbound;
}

void tact_newton_arrange(tact_path *path) {
    path->force_scale = largest_pull(path->problem);
    tact_real limit = softest(path->problem, path->force_scale);
    if (!keeps_places(path, limit)) take_places(path, limit);
}
