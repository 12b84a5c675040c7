// SPDX-License-Identifier: MIT
// Left-looking supernodal L D L' factorisation: panel K is updated by every earlier panel J that has rows among K's columns,
//
//   A_rc -= sum over k of L_rk (d_k L_ck) ,   k the columns of J
//
// and then factored in blocks of four columns. A panel J waits in the list of the panel that contains its next row.
#include "solve/sparse.h"

#include "math/elementary.h"
#include "math/wide.h"

#define SPARSE_SHARED 4e5  // multiplications of a panel from which on threads share it

// Place of a local row of a panel.
static inline int sparse_place_of(const tact_sparse *A, const tact_panel *panel, int row) {
    int solid = panel->end - panel->begin;
    return row < solid ? panel->begin + row : A->list[panel->list + row - solid];
}

static inline tact_real *sparse_strip(const tact_sparse *A, const tact_panel *panel, int row) {
    return A->value + panel->value + (row & ~3) * panel->width;
}

int tact_sparse_row(const tact_sparse *A, const tact_panel *panel, int i) {
    TACT_ASSERT(panel->begin <= i && i < A->n);
    if (i < panel->end) return i - panel->begin;
    const int *list = A->list + panel->list;
    int low = 0, high = panel->count - 1;
    // binary search among the rows below the supernode
    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    TACT_ASSERT(panel->count > 0 && list[low] == i);
    return panel->end - panel->begin + low;
}

void tact_sparse_zero(tact_sparse *A) {
    if (A->npanel == 0) return;
    const tact_panel *last = &A->panel[A->npanel - 1];
    int entries = last->value + ((last->height + 3) & ~3) * last->width;
    for (int i = 0; i < entries; i++) A->value[i] = 0;
}

// tile (4, 4), by columns: sum over k of a_k side_k', a strip's columns times those of another strip, which are spread to all
// lanes.
static inline void sparse_multiply(const tact_real *a, const tact_real *side, int count, tact_real tile[16]) {
    enum { UPPER = 4 - TACT_PART };  // the strip's second part, where there are two
    tact_part zero = {0}, t0 = zero, t1 = zero, t2 = zero, t3 = zero, u0 = zero, u1 = zero, u2 = zero, u3 = zero;
    for (int k = 0; k < count; k++, a += 4, side += 4 * TACT_PART) {
        // four rows, in one or two vectors, times four columns
        tact_part x = *tact_part_of(a), y = *tact_part_of(a + UPPER), s0 = *tact_part_of(side),
                  s1 = *tact_part_of(side + TACT_PART);
        tact_part s2 = *tact_part_of(side + 2 * TACT_PART), s3 = *tact_part_of(side + 3 * TACT_PART);
        t0 += x * s0;
        t1 += x * s1;
        t2 += x * s2;
        t3 += x * s3;
        u0 += y * s0;
        u1 += y * s1;
        u2 += y * s2;
        u3 += y * s3;
    }
    // with vectors of four both parts coincide
    *tact_part_at(tile) = t0;
    *tact_part_at(tile + 4) = t1;
    *tact_part_at(tile + 8) = t2;
    *tact_part_at(tile + 12) = t3;
    *tact_part_at(tile + UPPER) = u0;
    *tact_part_at(tile + 4 + UPPER) = u1;
    *tact_part_at(tile + 8 + UPPER) = u2;
    *tact_part_at(tile + 12 + UPPER) = u3;
}

// side = d_k l_ck in all lanes, for the first `count` columns k of a strip.
static void sparse_spread_weighted(const tact_sparse *A, const tact_panel *panel, const tact_real *strip, int count) {
    const tact_real *D = A->D + panel->begin;
    tact_real *side = A->side;
    for (int k = 0; k < count; k++)
        for (int c = 0; c < 4; c++, side += TACT_PART)
            for (int lane = 0; lane < TACT_PART; lane++) side[lane] = strip[4 * k + c] * D[k];
}

// Update of panel K by panel J: K's columns are J's local rows low .. high - 1, and the affected rows of K are J's local rows
// first .. end - 1.
typedef struct {
    const tact_panel *J;
    int column0;  // where K begins
    int low, high, first, end;
} sparse_meeting;

// Subtracts a tile from the rows and columns of K that correspond to J's local rows from `row` and `column` on.
static inline void sparse_scatter(const tact_sparse *A, const sparse_meeting *at, int row, int column, const tact_real tile[16]) {
    const int *offset = A->offset + row;
    int begin = at->first > row ? at->first - row : 0, rows = at->end - row < 4 ? at->end - row : 4;
    bool together = begin == 0 && row > column && row + 3 < at->end && offset[3] - offset[0] == 3;
    for (int c = 0; c < 4; c++) {
        int of = column + c;
        if (of < at->low || of >= at->high) continue;
        tact_real *to = A->value + 4 * (sparse_place_of(A, at->J, of) - at->column0);
        // rows that are contiguous in K and below the diagonal: no lookups
        if (together) {
            for (int r = 0; r < 4; r++) to[offset[0] + r] -= tile[4 * c + r];
            continue;
        }
        for (int r = row + begin < of ? of - row : begin; r < rows; r++) to[offset[r]] -= tile[4 * c + r];
    }
}

// J's first local row behind K's columns.
static int sparse_behind(const tact_sparse *A, const tact_panel *J, const tact_panel *K, int low) {
    int high = low, behind = K->begin + K->width;
    while (high < J->height && sparse_place_of(A, J, high) < behind) high++;
    return high;
}

// Updates K's local rows from .. to - 1 by panel J; returns J's first local row behind K's columns.
static int sparse_update(const tact_sparse *A, const tact_panel *J, const tact_panel *K, int low, int from, int to) {
    int high = sparse_behind(A, J, K, low), first = low, end = J->height;
    // rows of both panels ascend
    while (first < end && A->where[sparse_place_of(A, J, first)] < from) first++;
    while (end > first && A->where[sparse_place_of(A, J, end - 1)] >= to) end--;
    // positions of J's rows in K
    for (int r = first; r < end; r++) {
        int at = A->where[sparse_place_of(A, J, r)];
        A->offset[r] = K->value + (at & ~3) * K->width + (at & 3);
    }
    const sparse_meeting meeting = {.J = J, .column0 = K->begin, .low = low, .high = high, .first = first, .end = end};
    for (int column = low & ~3; column < high && column < end; column += 4) {
        // K -= L_J D_J L_J' in tiles of 4 x 4
        sparse_spread_weighted(A, J, sparse_strip(A, J, column), J->width);
        for (int row = column > first ? column : first & ~3; row < end; row += 4) {
            tact_real tile[16];
            sparse_multiply(sparse_strip(A, J, row), A->side, J->width, tile);
            sparse_scatter(A, &meeting, row, column, tile);
        }
    }
    return high;
}

// Factors the diagonal strip from column j on: columns l and reciprocals of d. False when a diagonal entry of the matrix is not
// positive.
static bool sparse_pivots(const tact_sparse *A, const tact_panel *panel, int j, int columns, tact_real *pivot) {
    tact_real *t = sparse_strip(A, panel, j) + 4 * j;
    bool positive = true;
    for (int b = 0; b < columns; b++) {
        int at = panel->begin + j + b;
        // u = l d of this column; a cancelled pivot is raised to the rounding of the diagonal entry
        tact_real whole = A->whole[at], u[4] = {t[4 * b], t[4 * b + 1], t[4 * b + 2], t[4 * b + 3]};
        positive = positive && whole > 0;
        A->D[at] = tact_max(tact_max(u[b], TACT_EPS * whole), 4 / TACT_MAX);
        pivot[at] = 1 / A->D[at];
        for (int r = b + 1; r < 4; r++) {
            tact_real l = u[r] * pivot[at];
            t[4 * b + r] = l;
            for (int c = b + 1; c <= r && c < columns; c++) t[4 * c + r] -= l * u[c];
        }
    }
    return positive;
}

// The same columns of a strip below: t_b -= t_m l_bm, then t_b / d_b.
static inline void sparse_divide(tact_real *t, const tact_real *l, const tact_real *pivot, int columns) {
    for (int b = 0; b < columns; b++)
        for (int m = 0; m < b; m++)
            for (int r = 0; r < 4; r++) t[4 * b + r] -= t[4 * m + r] * l[4 * m + b];
    for (int b = 0; b < columns; b++)
        for (int r = 0; r < 4; r++) t[4 * b + r] *= pivot[b];
}

// L D L' of a panel in place, for its strips that begin at local rows from .. to - 1: all, those of the triangle, or others
// once the triangle is factored.
static bool sparse_factor_rows(const tact_sparse *A, const tact_panel *panel, tact_real *pivot, int from, int to) {
    bool positive = true;
    for (int j = 0; j < panel->width; j += 4) {
        int columns = panel->width - j < 4 ? panel->width - j : 4;
        // left-looking within the panel: A_rc -= sum over k < j of l_rk d_k l_ck, in tiles of 4 x 4
        sparse_spread_weighted(A, panel, sparse_strip(A, panel, j), j);
        for (int row = j > from ? j : from; row < to; row += 4) {
            tact_real *strip = sparse_strip(A, panel, row);
            tact_real tile[16];
            sparse_multiply(strip, A->side, j, tile);
            for (int k = 0; k < 4 * columns; k++) strip[4 * j + k] -= tile[k];
        }
        if (from == 0) positive &= sparse_pivots(A, panel, j, columns, pivot);
        const tact_real *l = sparse_strip(A, panel, j) + 4 * j;
        for (int row = j + 4 > from ? j + 4 : from; row < to; row += 4)
            sparse_divide(sparse_strip(A, panel, row) + 4 * j, l, pivot + panel->begin + j, columns);
    }
    return positive;
}

// Puts a panel into the list of the one that holds its row.
static void sparse_enlist(const tact_sparse *A, int index, int row) {
    const tact_panel *panel = &A->panel[index];
    A->cursor[index] = row;
    if (row >= panel->height) return;
    int to = A->of[sparse_place_of(A, panel, row)];
    A->next[index] = A->head[to];
    A->head[to] = index;
}

// A panel whose strips several threads share; each entry is computed as by one.
typedef struct {
    const tact_sparse *A;
    const tact_panel *panel;
    int index, begin, pieces;  // of the panel; the first row that is shared; in how many pieces
    int *scratch;              // of the first piece
    tact_real *pivot;
} sparse_share;

// integers of scratch for each piece: its side, and its offset
static size_t sparse_scratch(const tact_sparse *A) {
    size_t side = 16 * TACT_PANEL_WIDEST * sizeof(tact_real), line = TACT_ALIGN / sizeof(int);
    return side / sizeof(int) + ((size_t)A->n + 3 + line - 1) / line * line;
}

// A view of the factor with the scratch and the rows of one piece.
static tact_sparse sparse_piece(const sparse_share *share, int i, int *from, int *to) {
    tact_sparse own = *share->A;
    int *scratch = share->scratch + (size_t)i * sparse_scratch(share->A);
    int strips = (share->panel->height - share->begin + 3) / 4;
    own.side = (void *)scratch;
    own.offset = scratch + 16 * TACT_PANEL_WIDEST * sizeof(tact_real) / sizeof(int);
    *from = share->begin + 4 * (int)((int64_t)strips * i / share->pieces);
    *to = share->begin + 4 * (int)((int64_t)strips * (i + 1) / share->pieces);
    return own;
}

// Share i of the updates of a panel by the descendants that reach it.
static void sparse_share_update(void *data, int i) {
    const sparse_share *share = data;
    int from = 0, to = 0;
    const tact_sparse own = sparse_piece(share, i, &from, &to);
    for (int j = own.head[share->index]; j >= 0; j = own.next[j])
        sparse_update(&own, &own.panel[j], share->panel, own.cursor[j], from, to);
}

// Share i of the rows of a panel, divided by its factored diagonal block.
static void sparse_share_rows(void *data, int i) {
    const sparse_share *share = data;
    int from = 0, to = 0;
    const tact_sparse own = sparse_piece(share, i, &from, &to);
    sparse_factor_rows(&own, share->panel, share->pivot, from, to < share->panel->height ? to : share->panel->height);
}

// Whether the k-th panel is worth sharing, and how it is. The pieces' scratch lies behind the rows in list.
static bool sparse_shares(const tact_sparse *A, int k, sparse_share *share) {
    const tact_panel *panel = &A->panel[k];
    double work = (double)panel->width * panel->width * panel->height / 2;
    for (int j = A->head[k]; j >= 0; j = A->next[j]) {
        const tact_panel *J = &A->panel[j];
        work += (double)(sparse_behind(A, J, panel, A->cursor[j]) - A->cursor[j]) * J->width * (J->height - A->cursor[j]);
    }
    if (work < SPARSE_SHARED) return false;
    // from a whole line of the cache on
    size_t past = (uintptr_t)(A->list + A->used) % TACT_ALIGN, skip = past > 0 ? (TACT_ALIGN - past) / sizeof(int) : 0;
    size_t room = (size_t)A->rows_room - (size_t)A->used, most = (size_t)A->threads.width;
    size_t fit = room > skip ? (room - skip) / sparse_scratch(A) : 0;
    // more pieces are shared more evenly, but each computes the strips at its ends, too
    if (work > 16 * SPARSE_SHARED) most *= 2;
    *share = (sparse_share){.A = A, .panel = panel, .index = k, .scratch = fit > 0 ? A->list + A->used + skip : NULL};
    share->pieces = (int)(fit < most ? fit : most);
    return share->pieces > 1;
}

// Factors panel k in shared work: everything but its place in the lists.
static bool sparse_factor_shared(const tact_sparse *A, sparse_share *share, tact_real *pivot) {
    const tact_panel *panel = share->panel;
    int triangle = (panel->width + 3) & ~3, top = triangle < panel->height ? triangle : panel->height;
    share->pivot = pivot;
    share->begin = 0;
    A->threads.run(A->threads.crew, share->pieces, sparse_share_update, share);
    // the triangle, then all rows below it
    bool positive = sparse_factor_rows(A, panel, pivot, 0, top);
    share->begin = top;
    if (top < panel->height) A->threads.run(A->threads.crew, share->pieces, sparse_share_rows, share);
    return positive;
}

bool tact_sparse_factor(tact_sparse *A, tact_real *pivot) {
    bool positive = true;
    sparse_share share;
    for (int k = 0; k < A->npanel; k++) A->head[k] = -1;
    for (int i = 0; i < A->n; i++) A->whole[i] = *tact_sparse_at(A, i, i);
    for (int k = 0; k < A->npanel; k++) {
        const tact_panel *panel = &A->panel[k];
        // Panels before it that have rows in its columns wait in its list.
        for (int r = 0; r < panel->height; r++) A->where[sparse_place_of(A, panel, r)] = r;
        bool shared = A->threads.width > 1 && sparse_shares(A, k, &share);
        if (shared) positive &= sparse_factor_shared(A, &share, pivot);
        for (int j = A->head[k], next = -1; j >= 0; j = next) {
            const tact_panel *J = &A->panel[j];
            int low = A->cursor[j];
            next = A->next[j];
            sparse_enlist(A, j, shared ? sparse_behind(A, J, panel, low) : sparse_update(A, J, panel, low, 0, panel->height));
        }
        // left-looking: all updates of this panel are in; it waits in the list of the first panel that it updates
        if (!shared) positive &= sparse_factor_rows(A, panel, pivot, 0, panel->height);
        sparse_enlist(A, k, panel->width);
    }
    return positive;
}

// x -= L x of the columns, for the rows of each strip
static void sparse_forward(const tact_sparse *L, const tact_panel *panel, tact_real *x) {
    const tact_real *from = x + panel->begin;
    for (int row = 0; row < panel->height; row += 4) {
        const tact_real *strip = sparse_strip(L, panel, row);
        int before = row < panel->width ? row : panel->width, rows = panel->height - row < 4 ? panel->height - row : 4;
        tact_real sum[4] = {0, 0, 0, 0};
        // Columns before the strip at once, then those of the triangle on the diagonal.
        for (int k = 0; k < before; k++)
            for (int r = 0; r < 4; r++) sum[r] += strip[4 * k + r] * from[k];
        for (int r = 0; r < rows; r++) {
            tact_real off = sum[r];
            for (int k = before; k < row + r && k < panel->width; k++) off += strip[4 * k + r] * from[k];
            x[sparse_place_of(L, panel, row + r)] -= off;
        }
    }
}

// x -= L'x of the rows, for the columns
static void sparse_backward(const tact_sparse *L, const tact_panel *panel, tact_real *x) {
    tact_real *to = x + panel->begin;
    for (int row = (panel->height - 1) & ~3; row >= 0; row -= 4) {
        const tact_real *strip = sparse_strip(L, panel, row);
        // columns before this strip of four rows are full, those within it end at the diagonal
        int before = row < panel->width ? row : panel->width, rows = panel->height - row < 4 ? panel->height - row : 4;
        tact_real y[4] = {0, 0, 0, 0};
        // first the triangle within the strip, from the last row up
        for (int r = rows - 1; r >= 0; r--) {
            y[r] = x[sparse_place_of(L, panel, row + r)];
            for (int k = before; k < row + r && k < panel->width; k++) to[k] -= strip[4 * k + r] * y[r];
        }
        for (int k = 0; k < before; k++)
            to[k] -= (strip[4 * k] * y[0] + strip[4 * k + 1] * y[1]) + (strip[4 * k + 2] * y[2] + strip[4 * k + 3] * y[3]);
    }
}

void tact_sparse_solve(const tact_sparse *L, const tact_real *pivot, tact_real *x) {
    for (int k = 0; k < L->npanel; k++) sparse_forward(L, &L->panel[k], x);
    for (int i = 0; i < L->n; i++) x[i] *= pivot[i];
    for (int k = L->npanel - 1; k >= 0; k--) sparse_backward(L, &L->panel[k], x);
}
