// SPDX-License-Identifier: MIT
// Minimum degree ordering on a quotient graph. Nodes are groups of unknowns that the same cones move, or that P couples; an
// element is a set of mutually coupled nodes, initially those of one cone. Eliminating a node merges its elements into one, the
// node's, without the node itself (Speelpenning 1978). Degrees are bounded as by Amestoy, Davis and Duff (SIAM J. Matrix Anal.
// Appl. 17, 1996):
//
//   d_i <= |L_p \ i| + sum of |L_e \ L_p| over the elements e of i
//
// Elements that lie within L_p are absorbed, and nodes that belong to L_p only are eliminated with p (mass elimination). The
// memory is that of the elements. The tree of absorptions gives the supernodes; a child is merged with its parent where that
// adds few explicit zeros.
#include <limits.h>

#include "math/elementary.h"
#include "solve/sparse.h"

enum {
    PANEL_NARROW = 8,      // columns up to which a panel may contain one half explicit zeros
    PANEL_ROWS = 24,       // entries of list per unknown, at most: a pile of 1000 spheres needs 7
    SPARSE_ADVANTAGE = 3,  // multiplications of tiles in the time of one of an envelope
    NODE_ARRAYS = 14       // arrays of n integers in the graph
};

typedef struct {
    tact_sparse *A;
    int nodes, ncone, npivot, room;
    // arrays by unknown
    int *node;  // (n) node of each unknown; -1: takes no part
    // arrays by node
    int *size, *unknown;           // number of its unknowns, and the first of them
    int *begin, *count;            // its elements, in held
    int *degree, *before, *after;  // degree, -1 once eliminated; neighbours in the list of that degree
    int *chain, *last;             // nodes eliminated together: the next one, and of a pivot the last one
    int *wide, *below, *rows;      // of a pivot: unknowns in its columns, and below; number of nodes below
    int *parent;                   // pivot that absorbed its element, or -1; a pivot merged into another is its own parent
    int *mark;                     // last pivot whose gathering has visited it
    // arrays by element: those of the cones, then those of the nodes
    int *member, *alive, *extent, *weight;  // where its nodes begin, their number, their unknowns, those of them in L_p
    int *bucket;                            // (n + 1) first node of each degree
    int *pivot;                             // (nodes) pivots in elimination order
    int *first, *held;                      // (columns) nodes of the cones' elements; elements of the nodes
} degree_graph;

size_t tact_sparse_values(tact_barrier_size size) {
    size_t n = (size_t)size.n, envelope = (size_t)size.envelope;
    if (TACT_MOST_UNKNOWNS < TACT_SPARSE_LEAST || size.n < TACT_SPARSE_LEAST) return envelope;
    // panels are full rectangles with rows rounded up and triangles stored twice; before the factorisation the graph uses this
    // memory
    size_t values = envelope + n * (TACT_PANEL_WIDEST + 4), integers = (NODE_ARRAYS + 6) * n + 4 * (size_t)size.ncone + 1;
    size_t graph = integers * sizeof(int) / sizeof(tact_real) + 1;
    return values > graph ? values : graph;
}

void tact_sparse_place(tact_barrier_size size, tact_barrier_work *work, tact_arena *arena) {
    work->sparse = NULL;
    if (TACT_MOST_UNKNOWNS < TACT_SPARSE_LEAST || size.n < TACT_SPARSE_LEAST) return;
    size_t n = (size_t)size.n;
    tact_sparse blank = {0}, *to = work->sparse = tact_arena_take(arena, 1, sizeof *to);
    if (!to) to = &blank;
    *to = (tact_sparse){.value = work->H.value, .values_room = INT_MAX};
    // room for the supernodes' rows: when it is exhausted, the ordering fails and the envelope is used
    size_t rows = PANEL_ROWS * n;
    to->rows_room = rows > INT_MAX ? INT_MAX : (int)rows;
    to->panel = tact_arena_take(arena, n, sizeof(tact_panel));
    to->list = tact_arena_take(arena, rows, sizeof(int));
    TACT_VECTORS(arena, n, &to->whole, &to->D);
    to->side = tact_arena_take(arena, 16 * TACT_PANEL_WIDEST, sizeof(tact_real));
    int **vectors[] = {&to->of, &to->where, &to->offset, &to->head, &to->next, &to->cursor};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = tact_arena_take(arena, n, sizeof(int));
}

// Places the arrays of the graph in memory that is idle until the order is chosen.
static void degree_place(degree_graph *graph, tact_barrier_work *work, int n, int ncone) {
    // all arrays in sequence, where the factor's values will be
    int *at = (void *)work->H.value;
    int **of_nodes[] = {&graph->node,   &graph->size,   &graph->unknown, &graph->begin, &graph->count,
                        &graph->degree, &graph->before, &graph->after,   &graph->chain, &graph->last,
                        &graph->wide,   &graph->below,  &graph->rows,    &graph->parent};
    int **of_elements[] = {&graph->member, &graph->alive, &graph->extent, &graph->weight};
    for (int i = 0; i < NODE_ARRAYS; i++, at += n) *of_nodes[i] = at;
    for (int i = 0; i < 4; i++, at += n + ncone) *of_elements[i] = at;
    graph->bucket = at;
    graph->pivot = at + n + 1;
    // arrays of the same size that are idle while the order is chosen
    graph->mark = work->sparse->where;
    graph->first = work->row;
    graph->held = work->column_at;
    graph->A = work->sparse;
    graph->ncone = ncone;
    graph->room = work->envelope;
    graph->nodes = graph->npivot = 0;
}

// Whether the same cones move two unknowns.
static bool degree_alike(const tact_barrier_work *work, int a, int b) {
    const int *start = work->H.start, *x = work->column_at + start[a], *y = work->column_at + start[b];
    int count = start[a + 1] - start[a], same = 0;
    if (count != start[b + 1] - start[b]) return false;
    while (same < count && x[same] == y[same]) same++;
    return same == count;
}

// Forms the nodes: consecutive shared unknowns that P couples, or that the same cones move.
static void degree_nodes(degree_graph *graph, const tact_barrier_problem *problem, const tact_barrier_work *work) {
    int previous = -1;
    for (int i = 0; i < problem->n; i++) {
        graph->node[i] = -1;
        if (work->place[i] < 2) continue;
        // joined with the unknowns that P couples it to, or with the previous one if the same cones move both
        int reach = problem->P.first[i], node = graph->nodes;
        if (reach < i)
            node = graph->node[reach];
        else if (previous >= 0 && degree_alike(work, previous, i))
            node = graph->node[previous];
        // all unknowns within P's row are shared
        for (int k = reach; k < i; k++) graph->node[k] = node;
        graph->node[i] = node;
        graph->nodes = node + 1;
        previous = i;
    }
    for (int k = 0; k < graph->nodes; k++) graph->size[k] = 0;
    // size and first unknown of each node
    for (int i = problem->n - 1; i >= 0; i--) {
        if (graph->node[i] < 0) continue;
        graph->unknown[graph->node[i]] = i;
        graph->size[graph->node[i]]++;
    }
}

// Whether a cone's nodes are those of the preceding element.
static bool degree_repeats(const degree_graph *graph, int before, int begin, int count) {
    if (before < 0 || graph->alive[before] != count) return false;
    int same = 0;
    while (same < count && graph->first[graph->member[before] + same] == graph->first[begin + same]) same++;
    return same == count;
}

// Forms the elements of the cones, and lists the elements of each node.
static void degree_elements(degree_graph *graph, const tact_barrier_problem *problem) {
    int at = 0, before = -1;
    for (int e = 0; e < problem->ncone; e++) {
        const tact_cone *cone = &problem->cone[e];
        // nodes of this cone, each once: its columns ascend
        int begin = at, extent = 0;
        for (int k = 0; k < cone->width; k++) {
            int node = graph->node[cone->column[k]];
            if (node < 0 || (at > begin && graph->first[at - 1] == node)) continue;
            graph->first[at++] = node;
            extent += graph->size[node];
        }
        // a single node couples nothing, and a repeated element adds nothing
        bool couples = at - begin > 1 && !degree_repeats(graph, before, begin, at - begin);
        graph->member[e] = begin;
        graph->alive[e] = couples ? at - begin : 0;
        graph->extent[e] = extent;
        if (couples)
            before = e;
        else
            at = begin;
    }
    // transposed lists by counting sort
    for (int i = 0; i < graph->nodes; i++) graph->count[i] = 0;
    for (int k = 0; k < at; k++) graph->count[graph->first[k]]++;
    for (int i = 0, sum = 0; i < graph->nodes; i++) {
        graph->begin[i] = sum;
        sum += graph->count[i];
        graph->count[i] = 0;
    }
    // each node lists the elements that contain it
    for (int e = 0; e < problem->ncone; e++)
        for (int k = graph->member[e]; k < graph->member[e] + graph->alive[e]; k++) {
            int node = graph->first[k];
            graph->held[graph->begin[node] + graph->count[node]++] = e;
        }
}

// Inserts node i into the list of its degree; lowers *least if necessary.
static void degree_put(degree_graph *graph, int i, int *least) {
    int degree = graph->degree[i], second = graph->bucket[degree];
    graph->before[i] = -1;
    graph->after[i] = second;
    if (second >= 0) graph->before[second] = i;
    graph->bucket[degree] = i;
    if (degree < *least) *least = degree;
}

// Removes node i from the list of its degree.
static void degree_take(degree_graph *graph, int i) {
    int before = graph->before[i], after = graph->after[i];
    if (before >= 0)
        graph->after[before] = after;
    else
        graph->bucket[graph->degree[i]] = after;
    if (after >= 0) graph->before[after] = before;
}

// Pivot absorbs an element.
static void degree_absorb(degree_graph *graph, int element, int pivot) {
    graph->alive[element] = 0;
    if (element >= graph->ncone) graph->parent[element - graph->ncone] = pivot;
}

// Appends the nodes of the elements of p, without p, to list, and absorbs the elements; the number of nodes, or -1 when there
// is no room.
static int degree_gather(degree_graph *graph, int p) {
    tact_sparse *A = graph->A;
    int begin = A->used;
    graph->mark[p] = p;
    for (int k = graph->begin[p]; k < graph->begin[p] + graph->count[p]; k++) {
        // members of each element of p that were not visited yet; the element is absorbed
        int e = graph->held[k], alive = graph->alive[e];
        const int *member = (e < graph->ncone ? graph->first : A->list) + graph->member[e];
        if (alive > A->rows_room - A->used) return -1;
        for (int m = 0; m < alive; m++) {
            int i = member[m];
            if (graph->mark[i] == p) continue;
            graph->mark[i] = p;
            A->list[A->used++] = i;
            degree_take(graph, i);
        }
        degree_absorb(graph, e, p);
    }
    return A->used - begin;
}

// weight of each element of the nodes: its unknowns within L_p.
static void degree_weigh(degree_graph *graph, const int *node, int count) {
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count; i++)
            for (int k = graph->begin[node[i]]; k < graph->begin[node[i]] + graph->count[node[i]]; k++) {
                int *weight = &graph->weight[graph->held[k]];
                *weight = pass == 0 ? 0 : *weight + graph->size[node[i]];
            }
}

// Updates the element list of node i of L_p: p absorbs elements that lie within L_p. Returns the unknowns of the others outside
// L_p, counted once for each element.
static int degree_renew(degree_graph *graph, int i, int p) {
    int kept = 0, outside = 0, *held = graph->held + graph->begin[i];
    for (int k = 0; k < graph->count[i]; k++) {
        int e = held[k], rest = graph->extent[e] - graph->weight[e];
        if (graph->alive[e] == 0) continue;
        // |L_e \ L_p| = 0: the element adds nothing to L_p
        if (rest == 0) {
            degree_absorb(graph, e, p);
            continue;
        }
        held[kept++] = e;
        outside += rest;
    }
    graph->count[i] = kept;
    return outside;
}

// Eliminates p and updates degrees. False when there is no room.
static bool degree_eliminate(degree_graph *graph, int p, int *least) {
    tact_sparse *A = graph->A;
    int *node = A->list + A->used, element = graph->ncone + p, kept = 0;
    // L_p: the union of p's elements
    degree_take(graph, p);
    graph->degree[p] = -1;
    int count = degree_gather(graph, p), extent = 0, room = A->n;
    if (count < 0) return false;
    degree_weigh(graph, node, count);
    graph->last[p] = p;
    graph->chain[p] = -1;
    graph->wide[p] = graph->size[p];
    for (int k = 0; k < count; k++) {
        // elements of each node of L_p, minus those absorbed
        int i = node[k], outside = degree_renew(graph, i, p);
        if (graph->count[i] == 0) {
            // a node of L_p only: it is eliminated with p
            graph->degree[i] = -1;
            graph->chain[graph->last[p]] = i;
            graph->chain[i] = -1;
            graph->last[p] = i;
            graph->wide[p] += graph->size[i];
            continue;
        }
        // place is free: at least one of p's elements has been absorbed
        graph->held[graph->begin[i] + graph->count[i]++] = element;
        graph->degree[i] = outside;
        extent += graph->size[i];
        node[kept++] = i;
    }
    A->used += kept - count;
    for (int k = 0; k < kept; k++) {
        // bound on the degree, and the node back into the list of that degree
        int i = node[k], degree = graph->degree[i] + extent - graph->size[i];
        graph->degree[i] = degree < room ? degree : room;
        degree_put(graph, i, least);
    }
    // L_p becomes an element
    graph->member[element] = (int)(node - A->list);
    graph->alive[element] = graph->rows[p] = kept;
    graph->extent[element] = graph->below[p] = extent;
    graph->parent[p] = -1;
    graph->pivot[graph->npivot++] = p;
    return true;
}

// Eliminates a node of least degree until none is left. False when there is no room.
static bool degree_order(degree_graph *graph) {
    int least = 0, n = graph->A->n;
    for (int d = 0; d <= n; d++) graph->bucket[d] = -1;
    for (int i = graph->nodes - 1; i >= 0; i--) {
        // initial degrees: the sum over the elements, an upper bound
        int degree = 0;
        for (int k = graph->begin[i]; k < graph->begin[i] + graph->count[i] && degree < n; k++)
            degree += graph->extent[graph->held[k]] - graph->size[i];
        graph->degree[i] = degree < n ? degree : n;
        graph->mark[i] = -1;
        degree_put(graph, i, &least);
    }
    // always a node of least degree
    for (least = 0; least <= n;) {
        if (graph->bucket[least] < 0)
            least++;
        else if (!degree_eliminate(graph, graph->bucket[least], &least))
            return false;
    }
    return true;
}

// Merges a child supernode with its parent where that adds few explicit zeros, or where both are narrow. A merged pivot is its
// own parent.
static void degree_join(degree_graph *graph) {
    int *zeros = graph->before;
    for (int k = 0; k < graph->npivot; k++) zeros[graph->pivot[k]] = 0;
    for (int k = 0; k < graph->npivot; k++) {
        int child = graph->pivot[k], parent = graph->parent[child];
        if (parent < 0) continue;
        int wide = graph->wide[child] + graph->wide[parent], below = graph->below[parent];
        // explicit zeros in the child's columns, at the rows of its parent only
        int64_t fill =
            (int64_t)graph->wide[child] * (graph->wide[parent] + below - graph->below[child]) + zeros[child] + zeros[parent];
        int64_t entries = (int64_t)wide * (wide / 2 + below), share = wide <= PANEL_NARROW ? 2 : wide <= 24 ? 5 : 10;
        if (fill * share > entries) continue;
        // the child's chain before the parent's
        graph->chain[graph->last[child]] = graph->after[parent] < 0 ? parent : graph->after[parent];
        graph->after[parent] = graph->after[child] < 0 ? child : graph->after[child];
        graph->wide[parent] = wide;
        zeros[parent] = (int)fill;
        graph->parent[child] = child;
    }
}

// Shell sort, ascending.
static void degree_sort(int *list, int count) {
    int gap = 1;
    // gaps 1, 4, 13, 40 ...
    while (3 * gap + 1 < count) gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (int i = gap; i < count; i++) {
            int x = list[i], k = i;
            for (; k >= gap && list[k - gap] > x; k -= gap) list[k] = list[k - gap];
            list[k] = x;
        }
}

// Places of the unknowns, supernode by supernode in elimination order; before[i] becomes the place of node i.
static void degree_number(degree_graph *graph, tact_barrier_work *work) {
    int at = 0;
    for (int k = 0; k < graph->npivot; k++) {
        int p = graph->pivot[k];
        if (graph->parent[p] == p) continue;
        for (int i = graph->after[p] < 0 ? p : graph->after[p]; i >= 0; i = graph->chain[i]) {
            graph->before[i] = at;
            // the unknowns of a node need not be contiguous
            for (int u = graph->unknown[i], left = graph->size[i]; left > 0; u++) {
                if (graph->node[u] != i) continue;
                work->unknown[at++] = u;
                left--;
            }
        }
    }
    TACT_ASSERT(at == work->H.n);
}

// Panels of supernode p, which begins at place `begin`. False when there is no room.
static bool degree_panels(const degree_graph *graph, int p, int begin, int64_t *values) {
    tact_sparse *A = graph->A;
    int wide = graph->wide[p], below = graph->below[p], list = A->used;
    const int *node = A->list + graph->member[graph->ncone + p];
    if (below > A->rows_room - A->used) return false;
    for (int k = 0; k < graph->rows[p]; k++)
        for (int r = 0; r < graph->size[node[k]]; r++) A->list[A->used++] = graph->before[node[k]] + r;
    // rows below by ascending place; then the columns in panels that fit the cache
    degree_sort(A->list + list, below);
    for (int column = 0; column < wide; column += TACT_PANEL_WIDEST) {
        int width = wide - column < TACT_PANEL_WIDEST ? wide - column : TACT_PANEL_WIDEST;
        tact_panel *panel = &A->panel[A->npanel];
        *panel = (tact_panel){.begin = begin + column, .width = width, .end = begin + wide, .list = list, .count = below};
        panel->height = wide - column + below;
        panel->value = (int)*values;
        *values += (int64_t)((panel->height + 3) & ~3) * width;
        if (*values > A->values_room || *values > graph->room) return false;
        for (int i = 0; i < width; i++) A->of[panel->begin + i] = A->npanel;
        A->npanel++;
    }
    return true;
}

bool tact_sparse_order(const tact_barrier_problem *problem, tact_barrier_work *work, double most) {
    tact_sparse *A = work->sparse;
    degree_graph graph;
    int64_t values = 0;
    A->n = work->H.n;
    A->npanel = A->used = 0;
    A->in_use = false;
    degree_place(&graph, work, problem->n, problem->ncone);
    degree_nodes(&graph, problem, work);
    degree_elements(&graph, problem);
    // order, supernodes, places, panels; used if cheaper than the envelope
    if (!degree_order(&graph)) return false;
    for (int i = 0; i < graph.nodes; i++) graph.after[i] = -1;
    degree_join(&graph);
    degree_number(&graph, work);
    for (int k = 0; k < graph.npivot; k++) {
        int p = graph.pivot[k], head = graph.after[p] < 0 ? p : graph.after[p];
        if (graph.parent[p] != p && !degree_panels(&graph, p, graph.before[head], &values)) return false;
    }
    // Multiplications of a factorisation in this order.
    double cost = 0;
    for (int k = 0; k < A->npanel; k++) {
        double height = A->panel[k].height;
        cost += height * height * A->panel[k].width / 2;
    }
    A->in_use = cost <= SPARSE_ADVANTAGE * most;
    return A->in_use;
}
