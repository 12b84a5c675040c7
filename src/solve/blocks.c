// SPDX-License-Identifier: MIT
// Right-looking elimination of nodes k in order, with the later neighbours i, j of k:
//   L_ik = A_ik D_k^-1 ,  A_ij -= L_ik A_kj
#include "solve/blocks.h"

#include <limits.h>

#include "math/elementary.h"

// Two consecutive reals, at any address.
typedef tact_real blocks_two __attribute__((vector_size(2 * sizeof(tact_real)), aligned(sizeof(tact_real)), may_alias));

void tact_blocks_place(tact_blocks *blocks, tact_blocks_room room, tact_arena *arena) {
    TACT_ASSERT(blocks);
    TACT_ASSERT(room.nodes >= 0 && room.widest >= 0 && room.edges >= 0 && room.squares >= 0);
    size_t nodes = (size_t)room.nodes, widest = (size_t)room.widest, edges = (size_t)room.edges;
    *blocks = (tact_blocks){
        .n = room.nodes, .widest = room.widest, .words = (room.nodes + 63) / 64, .most_edges = room.edges, .ready = false};
    size_t words = nodes * (size_t)blocks->words, values = room.values > 0 ? (size_t)room.values : 2 * widest * widest * edges;
    values += (size_t)room.squares;
    blocks->most_values = values > INT_MAX ? INT_MAX : (int)values;
    // the graph as bits: one row of words per node
    blocks->graph = tact_arena_take(arena, words, sizeof(uint64_t));
    blocks->joined = tact_arena_take(arena, words, sizeof(uint64_t));
    blocks->filled = tact_arena_take(arena, words, sizeof(uint64_t));
    // the elimination order, and the edges including fill-in
    TACT_INDICES(arena, nodes, &blocks->order, &blocks->place, &blocks->degree, &blocks->island, &blocks->diagonal);
    blocks->first = tact_arena_take(arena, nodes + 1, sizeof(int));
    TACT_INDICES(arena, edges, &blocks->other, &blocks->at);
    blocks->live = tact_arena_take(arena, edges, sizeof(bool));
    // values: diagonal blocks, and for each edge a block above and one below the diagonal
    blocks->value = tact_arena_take(arena, values, sizeof(tact_real));
    bool keeps = room.unknowns == 0;
    blocks->kept = keeps ? tact_arena_take(arena, values, sizeof(tact_real)) : NULL;
    blocks->kept_live = keeps ? tact_arena_take(arena, edges, sizeof(bool)) : NULL;
    blocks->exchange = keeps ? NULL : tact_arena_take(arena, (size_t)room.unknowns, sizeof(int));
    blocks->scratch = tact_arena_take(arena, widest * (widest + 1), sizeof(tact_real));
}

// Number of unknowns of the node at a place in the order.
static int blocks_size(const tact_blocks *blocks, int place) {
    int node = blocks->order[place];
    return blocks->start[node + 1] - blocks->start[node];
}

void tact_blocks_clear(tact_blocks *blocks) {
    for (int i = 0; i < blocks->n * blocks->words; i++) blocks->joined[i] = 0;
}

void tact_blocks_begin(tact_blocks *blocks, int nodes) {
    TACT_ASSERT(blocks && nodes >= 0);
    blocks->n = nodes;
    blocks->words = (nodes + 63) / 64;
    blocks->ready = false;
    tact_blocks_clear(blocks);
}

static void blocks_mark(uint64_t *row, int i) {
    row[i / 64] |= (uint64_t)1 << (i % 64);
}

static void blocks_unmark(uint64_t *row, int i) {
    row[i / 64] &= ~((uint64_t)1 << (i % 64));
}

// Blocks a and b are coupled; negative numbers are none.
void tact_blocks_join(tact_blocks *blocks, int a, int b) {
    if (a == b || a < 0 || b < 0) return;
    TACT_ASSERT(a < blocks->n && b < blocks->n);
    blocks_mark(blocks->joined + a * blocks->words, b);
    blocks_mark(blocks->joined + b * blocks->words, a);
}

static int blocks_count(const uint64_t *row, int words) {
    int count = 0;
    for (int i = 0; i < words; i++) {
        // number of bits by sums of pairs, nibbles and bytes
        uint64_t x = row[i];
        x = x - (x >> 1 & 0x5555555555555555u);
        x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
        x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        count += (int)(x * 0x0101010101010101u >> 56);
    }
    return count;
}

// The next set bit of a row from i on; n: none.
static int blocks_next(const uint64_t *row, int i, int n) {
    while (i < n) {
        // skip empty words
        if (i % 64 == 0 && row[i / 64] == 0) {
            i += 64;
            continue;
        }
        if (row[i / 64] >> (i % 64) & 1) return i;
        i++;
    }
    return n;
}

// Eliminates a node from the graph: its neighbours become neighbours of each other.
static void blocks_eliminate(tact_blocks *blocks, int node) {
    int n = blocks->n, words = blocks->words;
    const uint64_t *row = blocks->filled + node * words;
    // each neighbour's row gains all neighbours of the node, but not itself nor the node
    for (int i = blocks_next(row, 0, n); i < n; i = blocks_next(row, i + 1, n)) {
        uint64_t *to = blocks->filled + i * words;
        for (int k = 0; k < words; k++) to[k] |= row[k];
        blocks_unmark(to, i);
        blocks_unmark(to, node);
        blocks->degree[i] = blocks_count(to, words);
    }
}

// Minimum degree order. In the end the rows of filled are the neighbours eliminated later.
static void blocks_choose_order(tact_blocks *blocks) {
    int n = blocks->n, words = blocks->words;
    // degrees without fill-in, updated as nodes are eliminated
    for (int i = 0; i < n * words; i++) blocks->filled[i] = blocks->graph[i];
    for (int i = 0; i < n; i++) {
        blocks->degree[i] = blocks_count(blocks->graph + i * words, words);
        blocks->place[i] = -1;
    }
    // the least degree, and of equals the lowest index: the same order on every machine
    for (int k = 0; k < n; k++) {
        int best = -1;
        for (int i = 0; i < n; i++)
            if (blocks->place[i] < 0 && (best < 0 || blocks->degree[i] < blocks->degree[best])) best = i;
        blocks->order[k] = best;
        blocks->place[best] = k;
        blocks_eliminate(blocks, best);
    }
}

// Insertion sort, ascending, for short lists.
static void blocks_sort(int *list, int count) {
    for (int i = 1; i < count; i++) {
        int x = list[i], k = i;
        for (; k > 0 && list[k - 1] > x; k--) list[k] = list[k - 1];
        list[k] = x;
    }
}

bool tact_blocks_arrange(tact_blocks *blocks) {
    TACT_ASSERT(blocks);
    int n = blocks->n, words = blocks->words, edges = 0, values = 0;
    // the same pattern as before keeps its order
    bool same = blocks->ready;
    for (int i = 0; i < n * words && same; i++) same = blocks->joined[i] == blocks->graph[i];
    if (same) return true;
    for (int i = 0; i < n * words; i++) blocks->graph[i] = blocks->joined[i];
    blocks->ready = false;
    blocks_choose_order(blocks);
    // where the diagonal block of each node begins, and those of its later neighbours
    for (int k = 0; k < n; k++) {
        const uint64_t *row = blocks->filled + blocks->order[k] * words;
        int size = blocks_size(blocks, k);
        // fill-in beyond the room
        if (blocks_count(row, words) > blocks->most_edges - edges) return false;
        blocks->diagonal[k] = values;
        values += size * size;
        blocks->first[k] = edges;
        // later neighbours in the filled graph, by their places in the order
        for (int i = blocks_next(row, 0, n); i < n; i = blocks_next(row, i + 1, n)) blocks->other[edges++] = blocks->place[i];
        blocks_sort(blocks->other + blocks->first[k], edges - blocks->first[k]);
        for (int e = blocks->first[k]; e < edges; e++) {
            blocks->at[e] = values;
            // two blocks each: U to the right of the diagonal, L below it
            values += 2 * size * blocks_size(blocks, blocks->other[e]);
        }
        if (values > blocks->most_values) return false;
    }
    blocks->first[n] = blocks->edges = edges;
    blocks->ready = true;
    return true;
}

// Sets the two blocks of an edge to zero and marks them as in use.
static void blocks_enliven(const tact_blocks *blocks, int edge, int count) {
    tact_real *value = blocks->value + blocks->at[edge];
    for (int i = 0; i < count; i++) value[i] = 0;
    blocks->live[edge] = true;
}

tact_real *tact_blocks_find(const tact_blocks *blocks, int row, int column) {
    // edges are stored with the node that is eliminated first
    int i = blocks->place[row], j = blocks->place[column], low = i < j ? i : j, high = i < j ? j : i;
    TACT_ASSERT(row >= 0 && row < blocks->n && column >= 0 && column < blocks->n);
    if (i == j) return blocks->value + blocks->diagonal[i];
    // Bisection in its ascending list of later neighbours.
    int begin = blocks->first[low], end = blocks->first[low + 1];
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (blocks->other[middle] < high)
            begin = middle + 1;
        else
            end = middle;
    }
    if (begin == blocks->first[low + 1] || blocks->other[begin] != high) return NULL;
    // The block above the diagonal comes first, that below it after as many numbers.
    int upper = blocks_size(blocks, low) * blocks_size(blocks, high);
    if (!blocks->live[begin]) blocks_enliven(blocks, begin, 2 * upper);
    return blocks->value + blocks->at[begin] + (i < j ? 0 : upper);
}

void tact_blocks_zero(tact_blocks *blocks) {
    TACT_ASSERT(blocks);
    for (int i = 0; i < blocks->edges; i++) blocks->live[i] = false;
    for (int k = 0; k < blocks->n; k++) {
        int size = blocks_size(blocks, k);
        for (int i = 0; i < size * size; i++) blocks->value[blocks->diagonal[k] + i] = 0;
    }
}

void tact_blocks_keep(tact_blocks *blocks) {
    TACT_ASSERT(blocks);
    for (int k = 0; k < blocks->n; k++) {
        int size = blocks_size(blocks, k), at = blocks->diagonal[k];
        tact_copy(blocks->kept + at, blocks->value + at, size * size);
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            blocks->kept_live[e] = blocks->live[e];
            // blocks of zeros are not copied
            if (!blocks->live[e]) continue;
            at = blocks->at[e];
            tact_copy(blocks->kept + at, blocks->value + at, 2 * size * blocks_size(blocks, blocks->other[e]));
        }
    }
}

// y (rows) += A (rows, columns) x, or y (columns) += A'x
static void blocks_apply(const tact_real *A, int rows, int columns, bool transposed, const tact_real *x, tact_real *y) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) y[transposed ? j : i] += A[i * columns + j] * x[transposed ? i : j];
}

void tact_blocks_apply_kept(const tact_blocks *blocks, const tact_real *x, bool transposed, tact_real *y) {
    TACT_ASSERT(blocks);
    for (int k = 0; k < blocks->n; k++) {
        // Diagonal block, then the two blocks of each edge that is in use.
        int size = blocks_size(blocks, k), begin = blocks->start[blocks->order[k]];
        blocks_apply(blocks->kept + blocks->diagonal[k], size, size, transposed, x + begin, y + begin);
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            int other = blocks->start[blocks->order[blocks->other[e]]], width = blocks_size(blocks, blocks->other[e]);
            const tact_real *upper = blocks->kept + blocks->at[e], *lower = upper + size * width;
            if (!blocks->kept_live[e]) continue;
            blocks_apply(upper, size, width, transposed, x + (transposed ? begin : other), y + (transposed ? other : begin));
            blocks_apply(lower, width, size, transposed, x + (transposed ? other : begin), y + (transposed ? begin : other));
        }
    }
}

static void blocks_swap(tact_real *a, tact_real *b) {
    tact_real swap = *a;
    *a = *b;
    *b = swap;
}

// A (n, n) = A^-1 by Gauss and Jordan, exchanging rows; the scratch holds its rows' origin
static inline bool blocks_invert_any(tact_real *A, int n, tact_real *scratch) {
    tact_real *from = scratch;
    // Partial pivoting within the block.
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            if (tact_fabs(A[i * n + k]) > tact_fabs(A[best * n + k])) best = i;
        // The row exchanged is noted, as a real: the scratch is one array.
        from[k] = (tact_real)best;
        for (int j = 0; j < n && best != k; j++) blocks_swap(&A[k * n + j], &A[best * n + j]);
        // A pivot of 0 or NaN: the block is singular.
        tact_real pivot = A[k * n + k];
        if (!(tact_fabs(pivot) > 0) || !tact_is_finite(pivot)) return false;
        // Row k becomes that of the inverse; all other rows are cleared in column k.
        tact_real inverse = 1 / pivot;
        A[k * n + k] = 1;
        for (int j = 0; j < n; j++) A[k * n + j] *= inverse;
        for (int i = 0; i < n; i++) {
            tact_real factor = A[i * n + k];
            if (i == k) continue;
            A[i * n + k] = 0;
            for (int j = 0; j < n; j++) A[i * n + j] -= factor * A[k * n + j];
        }
    }
    // Exchanges of rows are exchanges of the inverse's columns, backwards.
    for (int k = n - 1; k >= 0; k--) {
        int column = (int)from[k];
        for (int i = 0; i < n && column != k; i++) blocks_swap(&A[i * n + k], &A[i * n + column]);
    }
    return true;
}

static bool blocks_invert(tact_real *restrict A, int n, tact_real *restrict scratch) {
    if (n == 2) return blocks_invert_any(A, 2, scratch);
    return n == 3 ? blocks_invert_any(A, 3, scratch) : blocks_invert_any(A, n, scratch);
}

// C (rows, columns) -= A (rows, inner) B (inner, columns)
static inline void blocks_subtract_any(tact_real *C, const tact_real *A, const tact_real *B, int rows, int inner, int columns) {
    // C = C - A B in the order i, k, j, which fixes the bits.
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < inner; k++) {
            tact_real a = A[i * inner + k];
            for (int j = 0; j < columns; j++) C[i * columns + j] -= a * B[k * columns + j];
        }
}

// the same of free bodies, by pairs of columns in registers
static void blocks_subtract_six(tact_real *restrict C, const tact_real *restrict A, const tact_real *restrict B) {
    for (int i = 0; i < 6; i++, C += 6, A += 6) {
        blocks_two *row = (blocks_two *)C, x = row[0], y = row[1], z = row[2];
        for (int k = 0; k < 6; k++) {
            const blocks_two *b = (const blocks_two *)(B + 6 * k);
            x -= A[k] * b[0];
            y -= A[k] * b[1];
            z -= A[k] * b[2];
        }
        row[0] = x;
        row[1] = y;
        row[2] = z;
    }
}

static void blocks_subtract(tact_real *restrict C, const tact_real *restrict A, const tact_real *restrict B, int rows, int inner,
                            int columns) {
    // constant sizes are unrolled by the compiler
    if (rows == 3 && inner == 3 && columns == 3)
        blocks_subtract_any(C, A, B, 3, 3, 3);
    else if (rows == 6 && inner == 6 && columns == 6)
        blocks_subtract_six(C, A, B);
    else if (columns == 3)
        blocks_subtract_any(C, A, B, rows, inner, 3);
    else if (columns == 2)
        blocks_subtract_any(C, A, B, rows, inner, 2);
    else
        blocks_subtract_any(C, A, B, rows, inner, columns);
}

// A (rows, n) = A D (n, n), row by row through the scratch
static inline void blocks_scale_any(tact_real *A, const tact_real *D, int rows, int n, tact_real *scratch) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++) scratch[j] = A[i * n + j];
        for (int j = 0; j < n; j++) {
            tact_real sum = 0;
            for (int k = 0; k < n; k++) sum += scratch[k] * D[k * n + j];
            A[i * n + j] = sum;
        }
    }
}

// A <- A D; the frequent sizes get loops of constant length.
static void blocks_scale(tact_real *restrict A, const tact_real *restrict D, int rows, int n, tact_real *restrict scratch) {
    if (rows == 3 && n == 3)
        blocks_scale_any(A, D, 3, 3, scratch);
    else if (n == 3)
        blocks_scale_any(A, D, rows, 3, scratch);
    else if (n == 2)
        blocks_scale_any(A, D, rows, 2, scratch);
    else
        blocks_scale_any(A, D, rows, n, scratch);
}

// Update of later rows by the elimination of the node at k: neighbour number e and those after it.
static void blocks_update(tact_blocks *blocks, int k, int e) {
    // D_i -= L_ik U_ki.
    int own = blocks_size(blocks, k), i = blocks->other[e], size = blocks_size(blocks, i), to = blocks->first[i];
    const tact_real *upper = blocks->value + blocks->at[e], *lower = upper + own * size;
    blocks_subtract(blocks->value + blocks->diagonal[i], lower, upper, size, own, size);
    // Each pair of later neighbours (i, j) gets fill -L_ik U_kj and -L_jk U_ki.
    for (int f = e + 1; f < blocks->first[k + 1]; f++) {
        int j = blocks->other[f], width = blocks_size(blocks, j);
        if (!blocks->live[f]) continue;
        while (blocks->other[to] < j) to++;
        if (!blocks->live[to]) blocks_enliven(blocks, to, 2 * size * width);
        tact_real *target = blocks->value + blocks->at[to];
        const tact_real *across = blocks->value + blocks->at[f], *down = across + own * width;
        blocks_subtract(target, lower, across, size, own, width);
        blocks_subtract(target + size * width, down, upper, width, own, size);
    }
}

// D = L U in place, rows exchanged; false when it is singular
static bool blocks_decompose(tact_real *D, int n, int *exchange) {
    for (int k = 0; k < n; k++) {
        int best = k;
        for (int i = k + 1; i < n; i++)
            // the largest pivot of the column
            if (tact_fabs(D[i * n + k]) > tact_fabs(D[best * n + k])) best = i;
        exchange[k] = best;
        // whole rows are exchanged, those of L included
        for (int j = 0; j < n && best != k; j++) blocks_swap(&D[k * n + j], &D[best * n + j]);
        tact_real pivot = D[k * n + k];
        if (!(tact_fabs(pivot) > 0) || !tact_is_finite(pivot)) return false;
        // column k of L, and the Schur complement of what is left
        for (int i = k + 1; i < n; i++) {
            tact_real factor = D[i * n + k] / pivot;
            D[i * n + k] = factor;
            for (int j = k + 1; j < n; j++) D[i * n + j] -= factor * D[k * n + j];
        }
    }
    return true;
}

// A (rows, n) = A D^-1 , D = L U: columns of A U^-1 from the first, of that L^-1 from the last
static inline void blocks_divide_any(tact_real *A, const tact_real *D, int rows, int n, const int *exchange) {
    for (int i = 0; i < rows; i++) {
        tact_real *x = A + i * n;
        for (int k = 0; k < n; k++) {
            x[k] /= D[k * n + k];
            for (int j = k + 1; j < n; j++) x[j] -= x[k] * D[k * n + j];
        }
        for (int k = n - 1; k > 0; k--)
            for (int j = 0; j < k; j++) x[j] -= x[k] * D[k * n + j];
        // the exchanges, backwards
        for (int k = n - 1; k >= 0; k--) blocks_swap(&x[k], &x[exchange[k]]);
    }
}

// A <- A D^-1 from the factors of D.
static void blocks_divide(tact_real *restrict A, const tact_real *restrict D, int rows, int n, const int *exchange) {
    if (n == 6)
        blocks_divide_any(A, D, rows, 6, exchange);
    else
        blocks_divide_any(A, D, rows, n, exchange);
}

// x = D^-1 x
static void blocks_resolve(const tact_real *D, int n, const int *exchange, tact_real *x) {
    for (int k = 0; k < n; k++) blocks_swap(&x[k], &x[exchange[k]]);
    // L, then U
    for (int k = 1; k < n; k++)
        for (int j = 0; j < k; j++) x[k] -= D[k * n + j] * x[j];
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= D[k * n + j] * x[j];
        x[k] /= D[k * n + k];
    }
}

bool tact_blocks_factor(tact_blocks *blocks) {
    TACT_ASSERT(blocks);
    for (int k = 0; k < blocks->n; k++) {
        // D_k^-1, or its factors, in place.
        int size = blocks_size(blocks, k);
        tact_real *D = blocks->value + blocks->diagonal[k];
        int *exchange = blocks->exchange ? blocks->exchange + blocks->start[blocks->order[k]] : NULL;
        if (exchange ? !blocks_decompose(D, size, exchange) : !blocks_invert(D, size, blocks->scratch)) return false;
        // L_ik = A_ik D_k^-1 of all later neighbours.
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            int rows = blocks_size(blocks, blocks->other[e]);
            tact_real *lower = blocks->value + blocks->at[e] + size * rows;
            if (!blocks->live[e]) continue;
            if (exchange)
                blocks_divide(lower, D, rows, size, exchange);
            else
                blocks_scale(lower, D, rows, size, blocks->scratch);
        }
        // Schur complement of the rest.
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++)
            if (blocks->live[e]) blocks_update(blocks, k, e);
    }
    return true;
}

// y (rows) -= A (rows, columns) x
static inline void blocks_take_any(tact_real *y, const tact_real *A, const tact_real *x, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) y[i] -= A[i * columns + j] * x[j];
}

// y -= A x; the frequent widths get a loop of constant length.
static void blocks_take(tact_real *restrict y, const tact_real *restrict A, const tact_real *restrict x, int rows, int columns) {
    if (columns == 3)
        blocks_take_any(y, A, x, rows, 3);
    else if (columns == 2)
        blocks_take_any(y, A, x, rows, 2);
    else if (columns == 6)
        blocks_take_any(y, A, x, rows, 6);
    else
        blocks_take_any(y, A, x, rows, columns);
}

// y (columns) -= A' x (rows)
static void blocks_take_transposed(tact_real *y, const tact_real *A, const tact_real *x, int rows, int columns) {
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) y[j] -= A[i * columns + j] * x[i];
}

// x (size) = D x, D'x where transposed
static inline void blocks_multiply(const tact_real *D, int size, bool transposed, tact_real *copy, tact_real *x) {
    for (int i = 0; i < size; i++) copy[i] = x[i];
    for (int i = 0; i < size; i++) {
        tact_real sum = 0;
        for (int j = 0; j < size; j++) sum += D[transposed ? j * size + i : i * size + j] * copy[j];
        x[i] = sum;
    }
}

// x = D x or D'x for the node at k
static void blocks_apply_diagonal(const tact_blocks *blocks, int k, bool transposed, tact_real *x) {
    const tact_real *D = blocks->value + blocks->diagonal[k];
    int size = blocks_size(blocks, k);
    if (size == 3)
        blocks_multiply(D, 3, transposed, blocks->scratch, x);
    else if (size == 2)
        blocks_multiply(D, 2, transposed, blocks->scratch, x);
    else
        blocks_multiply(D, size, transposed, blocks->scratch, x);
}

static tact_real *blocks_part(const tact_blocks *blocks, int place, tact_real *x) {
    return x + blocks->start[blocks->order[place]];
}

// what the node at k takes from those eliminated later
static void blocks_go_down(const tact_blocks *blocks, int k, tact_real *x) {
    for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
        int j = blocks->other[e], own = blocks_size(blocks, k), size = blocks_size(blocks, j);
        if (!blocks->live[e]) continue;
        const tact_real *lower = blocks->value + blocks->at[e] + own * size;
        blocks_take(blocks_part(blocks, j, x), lower, blocks_part(blocks, k, x), size, own);
    }
}

static void blocks_go_up(const tact_blocks *blocks, int k, tact_real *x) {
    tact_real *own = blocks_part(blocks, k, x);
    for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
        int j = blocks->other[e];
        if (!blocks->live[e]) continue;
        blocks_take(own, blocks->value + blocks->at[e], blocks_part(blocks, j, x), blocks_size(blocks, k),
                    blocks_size(blocks, j));
    }
    // D = L U with rows exchanged, or the inverse of D as it is kept
    if (blocks->exchange)
        blocks_resolve(blocks->value + blocks->diagonal[k], blocks_size(blocks, k),
                       blocks->exchange + blocks->start[blocks->order[k]], own);
    else
        blocks_apply_diagonal(blocks, k, false, own);
}

void tact_blocks_solve(const tact_blocks *blocks, tact_real *x) {
    TACT_ASSERT(blocks);
    // L y = x from the first node on, then U x = y from the last.
    for (int k = 0; k < blocks->n; k++) blocks_go_down(blocks, k, x);
    for (int k = blocks->n - 1; k >= 0; k--) blocks_go_up(blocks, k, x);
}

// all later neighbours of a node are neighbours of the first of them
void tact_blocks_find_islands(tact_blocks *blocks) {
    TACT_ASSERT(blocks);
    // Backwards: the island of the first later neighbour is known already.
    for (int k = blocks->n - 1; k >= 0; k--) {
        int e = blocks->first[k];
        while (e < blocks->first[k + 1] && !blocks->live[e]) e++;
        int node = blocks->order[k];
        blocks->island[node] = e < blocks->first[k + 1] ? blocks->island[blocks->order[blocks->other[e]]] : node;
    }
}

void tact_blocks_solve_node(const tact_blocks *blocks, int node, tact_real *x) {
    TACT_ASSERT(blocks);
    int island = blocks->island[node];
    // Forward: only nodes from this one on can become non-zero.
    for (int k = blocks->place[node]; k < blocks->n; k++)
        if (blocks->island[blocks->order[k]] == island) blocks_go_down(blocks, k, x);
    for (int k = blocks->n - 1; k >= 0; k--)
        if (blocks->island[blocks->order[k]] == island) blocks_go_up(blocks, k, x);
}

void tact_blocks_solve_transposed(const tact_blocks *blocks, tact_real *x) {
    TACT_ASSERT(blocks);
    // A' = U'L': U' first, whose diagonal is D'.
    for (int k = 0; k < blocks->n; k++) {
        tact_real *own = blocks_part(blocks, k, x);
        blocks_apply_diagonal(blocks, k, true, own);
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            int j = blocks->other[e];
            if (!blocks->live[e]) continue;
            blocks_take_transposed(blocks_part(blocks, j, x), blocks->value + blocks->at[e], own, blocks_size(blocks, k),
                                   blocks_size(blocks, j));
        }
    }
    // Then L', from the last node on.
    for (int k = blocks->n - 1; k >= 0; k--)
        for (int e = blocks->first[k]; e < blocks->first[k + 1]; e++) {
            int j = blocks->other[e], own = blocks_size(blocks, k), size = blocks_size(blocks, j);
            if (!blocks->live[e]) continue;
            const tact_real *lower = blocks->value + blocks->at[e] + own * size;
            blocks_take_transposed(blocks_part(blocks, k, x), lower, blocks_part(blocks, j, x), size, own);
        }
}
