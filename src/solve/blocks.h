// SPDX-License-Identifier: MIT
// LU factorisation of a sparse matrix of small dense blocks with a symmetric pattern, but not necessarily symmetric values: a
// node for each tree of bodies, an edge for each two that touch. Nodes are eliminated by minimum degree, of equal ones that
// with the lower index. Rows are exchanged within diagonal blocks only, which the mass keeps regular.
#ifndef TACT_SOLVE_BLOCKS_H
#define TACT_SOLVE_BLOCKS_H

#include "tact/base.h"

typedef struct {
    int n;             // number of nodes
    const int *start;  // (n + 1) first unknown of each node
    int widest;        // unknowns of the widest node
    int words;         // 64-bit words of a row of graph

    // the pattern in elimination order, including fill-in
    uint64_t *graph;   // (n, words) neighbours of each node, without fill-in
    uint64_t *joined;  // (n, words) neighbours in the pattern being set up
    uint64_t *filled;  // (n, words) scratch
    int *order;        // (n) node at each place
    int *place;        // (n) its inverse
    int *degree;       // (n) scratch
    int *first;        // (n + 1) where the later neighbours of the node at each place begin in other and at
    int *other;        // (edges) their places, ascending
    int *at;           // (edges) where the block above the diagonal begins in value; that below it follows
    int *island;       // (n) island of each node, after tact_blocks_find_islands
    int *diagonal;     // (n) where the diagonal block at each place begins
    bool *live;        // (edges) its blocks are in use; otherwise they count as zero, whatever value holds
    int edges;         // in use
    int most_edges;
    int most_values;
    bool ready;  // the layout is that of graph

    tact_real *value;    // blocks, row by row; after factorisation D^-1, L and U
    tact_real *kept;     // copy made by tact_blocks_keep ...
    bool *kept_live;     // (edges) ... and of live
    tact_real *scratch;  // (widest, widest + 1)
    int *exchange;       // (unknowns) row exchanges of the diagonal blocks D = L U; NULL: D^-1 is stored instead
} tact_blocks;

// Size of the largest matrix.
typedef struct {
    int nodes;
    int widest;    // unknowns of the widest node
    int squares;   // sum of the squares of the unknowns of all nodes
    int edges;     // including fill-in
    int values;    // entries of the off-diagonal blocks; 0: as if all nodes were the widest
    int unknowns;  // total, where entries differ too much in magnitude for D^-1 to be accurate: D is then kept as L U with row
                   // exchanges, without tact_blocks_keep and transposed solutions; otherwise 0
} tact_blocks_room;

// Places the arrays; the caller then sets start and clears the pattern.
void tact_blocks_place(tact_blocks *blocks, tact_blocks_room room, tact_arena *arena);

// Sets the number of nodes, at most the room, without edges.
void tact_blocks_begin(tact_blocks *blocks, int nodes);

// The pattern: without edges; plus an edge, which may exist; then its elimination order, kept while the pattern is the same.
// False when fill-in exceeds the room.
void tact_blocks_clear(tact_blocks *blocks);
void tact_blocks_join(tact_blocks *blocks, int a, int b);
bool tact_blocks_arrange(tact_blocks *blocks);

// Sets all blocks to zero.
void tact_blocks_zero(tact_blocks *blocks);

// The block of two nodes, by rows, for assembly before the factorisation; NULL if it is not in the pattern. Blocks that are
// never requested cost nothing in the factorisation, unless they fill in.
tact_real *tact_blocks_find(const tact_blocks *blocks, int row, int column);

// The diagonal block of a node.
static inline tact_real *tact_blocks_diagonal(const tact_blocks *blocks, int node) {
    return blocks->value + blocks->diagonal[blocks->place[node]];
}

// Keeps a copy of the matrix; y += A x with that copy, or A'x.
void tact_blocks_keep(tact_blocks *blocks);
void tact_blocks_apply_kept(const tact_blocks *blocks, const tact_real *x, bool transposed, tact_real *y);

// LU factorisation in place; false when a diagonal block is singular.
bool tact_blocks_factor(tact_blocks *blocks);

// x = A^-1 x, or A'^-1 x, from the factors.
void tact_blocks_solve(const tact_blocks *blocks, tact_real *x);
void tact_blocks_solve_transposed(const tact_blocks *blocks, tact_real *x);

// Islands: sets of nodes that A^-1 couples. After the factorisation.
void tact_blocks_find_islands(tact_blocks *blocks);

// x = A^-1 x for an x that is zero outside one node, after the islands are found; touches only entries of the node's island.
void tact_blocks_solve_node(const tact_blocks *blocks, int node, tact_real *x);

#endif
