// SPDX-License-Identifier: MIT
// L U factors of a sparse matrix of small dense blocks, whose pattern is symmetric and whose values need not be: one node for
// each tree of bodies, one edge for each two that touch. Nodes are eliminated by least degree, the lower index first of equals.
// Rows are exchanged within diagonal blocks only: the mass keeps them regular.
#ifndef TACT_SOLVE_BLOCKS_H
#define TACT_SOLVE_BLOCKS_H

#include "tact/base.h"

typedef struct {
    int n;             // nodes
    const int *start;  // (n + 1) first unknown of each node
    int widest;        // most unknowns of a node
    int words;         // of a row of graph

    // the pattern in the order of elimination; edges with fill
    uint64_t *graph;   // (n, words) neighbours of each node, without fill
    uint64_t *joined;  // (n, words) of the next pattern
    uint64_t *filled;  // (n, words) scratch
    int *order;        // (n) node at each place
    int *place;        // (n) its inverse
    int *degree;       // (n) scratch
    int *first;        // (n + 1) where the later neighbours of the node at each place begin in other and at
    int *other;        // (edges) their places, ascending
    int *at;           // (edges) where the block above the diagonal begins in value; that below it follows
    int *island;       // (n) by node, after tact_blocks_find_islands
    int *diagonal;     // (n) where the block of the node at each place begins
    bool *live;        // (edges) their blocks are in use; else they are zero, whatever value holds
    int edges;         // in use
    int most_edges;
    int most_values;
    bool ready;  // the pattern is that of graph

    tact_real *value;    // blocks row by row; once factored D^-1, L and U
    tact_real *kept;     // what tact_blocks_keep has kept of them ...
    bool *kept_live;     // (edges) ... and of live
    tact_real *scratch;  // (widest, widest + 1)
    int *exchange;       // (unknowns) rows exchanged with those of the diagonal blocks, of D = L U; NULL: D^-1 is kept
} tact_blocks;

// The largest matrix that there has to be room for.
typedef struct {
    int nodes;
    int widest;    // unknowns of a node
    int squares;   // sum of the squares of the unknowns of all nodes
    int edges;     // fill included
    int values;    // of their blocks; 0: as many as if all nodes were the widest
    int unknowns;  // of all nodes where entries differ so much in size that D^-1 is not accurate enough: D is kept as L U then,
                   // with exchanges of rows, and tact_blocks_keep and transposed solutions are not there; else 0
} tact_blocks_room;

// Places the arrays; start is to be set then, and the pattern cleared.
void tact_blocks_place(tact_blocks *blocks, tact_blocks_room room, tact_arena *arena);

// So many nodes from now on, at most those that there is room for; without edges.
void tact_blocks_begin(tact_blocks *blocks, int nodes);

// The pattern: no edges; one more, which may be there already; then the order, unless the edges are those of before. False when
// fill exceeds the room for it.
void tact_blocks_clear(tact_blocks *blocks);
void tact_blocks_join(tact_blocks *blocks, int a, int b);
bool tact_blocks_arrange(tact_blocks *blocks);

// All blocks become zero.
void tact_blocks_zero(tact_blocks *blocks);

// The block of two nodes to add to, row by row, before factoring; NULL when the pattern has none. Blocks never asked for cost
// nothing when factoring, unless they fill in.
tact_real *tact_blocks_find(const tact_blocks *blocks, int row, int column);

// The same of one node.
static inline tact_real *tact_blocks_diagonal(const tact_blocks *blocks, int node) {
    return blocks->value + blocks->diagonal[blocks->place[node]];
}

// Keeps the matrix as it is; y += A x of the kept one, or A'x.
void tact_blocks_keep(tact_blocks *blocks);
void tact_blocks_apply_kept(const tact_blocks *blocks, const tact_real *x, bool transposed, tact_real *y);

// In place; false when a diagonal block is singular.
bool tact_blocks_factor(tact_blocks *blocks);

// x = A^-1 x, or A'^-1 x, from the factors.
void tact_blocks_solve(const tact_blocks *blocks, tact_real *x);
void tact_blocks_solve_transposed(const tact_blocks *blocks, tact_real *x);

// What A^-1 couples: nodes of one island, and no others. Once factored.
void tact_blocks_find_islands(tact_blocks *blocks);

// x = A^-1 x where x is 0 but in one node, with the islands found; only the entries of the node's island are looked at.
void tact_blocks_solve_node(const tact_blocks *blocks, int node, tact_real *x);

#endif
