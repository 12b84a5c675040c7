// SPDX-License-Identifier: MIT
// Elimination order of the unknowns. Three orders are computed, and the first with the smallest envelope is used:
//   sorted   by the number of sets that contain an unknown, so that those that many contacts move (objects, slides) come
//            last; unknowns of the same sets are adjacent, highest index first: leaves of a tree come before its root
//   greedy   the next unknown is the one that leaves the fewest active rows, a row being active from the first
//            elimination that it is coupled to until its own (Levy 1971); ties in the sorted order
//   given    as numbered
#include "solve/ordering.h"

enum { GREEDY_WORK = 1 << 27 };  // comparisons beyond which the greedy order is not tried

void tact_elimination_place(tact_elimination *work, int n, int members, tact_arena *arena) {
    TACT_ASSERT(work);
    TACT_ASSERT(n >= 0 && members >= 0);
    work->start = tact_arena_take(arena, (size_t)n + 1, sizeof(int));
    work->set = tact_arena_take(arena, (size_t)members, sizeof(int));
    work->list = tact_arena_take(arena, 4 * (size_t)n, sizeof(int));
    work->active = tact_arena_take(arena, (size_t)n, sizeof(bool));
}

void tact_elimination_begin(const tact_cliques *cliques, tact_elimination *work) {
    TACT_ASSERT(cliques && work);
    // Transpose of the lists: for each unknown the sets that hold it. Counts, their sums, entries from behind.
    int *start = work->start;
    for (int v = 0; v <= cliques->n; v++) start[v] = 0;
    for (int k = 0; k < cliques->start[cliques->count]; k++) start[cliques->member[k]]++;
    for (int v = 0, sum = 0; v <= cliques->n; v++) {
        sum += start[v];
        start[v] = sum;
    }
    for (int s = cliques->count - 1; s >= 0; s--)
        for (int k = cliques->start[s]; k < cliques->start[s + 1]; k++) work->set[--start[cliques->member[k]]] = s;
}

// whether a stands before b in the sorted order
static bool ordering_before(const tact_elimination *work, int a, int b) {
    // Fewer sets first.
    int size = work->start[a + 1] - work->start[a], other = work->start[b + 1] - work->start[b];
    if (size != other) return size < other;
    // Then the numbers of the sets, lexicographically; then the higher index.
    const int *x = work->set + work->start[a], *y = work->set + work->start[b];
    for (int k = 0; k < size; k++)
        if (x[k] != y[k]) return x[k] < y[k];
    return a > b;
}

int64_t tact_elimination_envelope(const tact_cliques *cliques, const int *place, int *first) {
    TACT_ASSERT(cliques);
    // A row of the envelope begins at the lowest place of any set that holds its unknown.
    for (int i = 0; i < cliques->n; i++) first[i] = i;
    for (int s = 0; s < cliques->count; s++) {
        int lowest = cliques->n;
        for (int k = cliques->start[s]; k < cliques->start[s + 1]; k++)
            if (place[cliques->member[k]] < lowest) lowest = place[cliques->member[k]];
        for (int k = cliques->start[s]; k < cliques->start[s + 1]; k++) {
            int row = place[cliques->member[k]];
            if (lowest < first[row]) first[row] = lowest;
        }
    }
    // Entries from there to the diagonal.
    int64_t entries = 0;
    for (int i = 0; i < cliques->n; i++) entries += i - first[i] + 1;
    return entries;
}

typedef struct {
    const tact_cliques *cliques;
    const tact_elimination *work;
    int *asleep;  // (n) for each unknown how many others that it is coupled to neither wait nor are eliminated
    int *stamp;   // (n)
    int mark;
} ordering_front;

// adds change to asleep of everything coupled to v; returns how many of these are asleep
static int ordering_visit(ordering_front *front, int v, int change) {
    const tact_cliques *cliques = front->cliques;
    int count = 0;
    // Marks, so that an unknown in several sets counts once.
    front->stamp[v] = ++front->mark;
    for (int k = front->work->start[v]; k < front->work->start[v + 1]; k++) {
        const int *range = cliques->start + front->work->set[k];
        for (int m = range[0]; m < range[1]; m++) {
            int other = cliques->member[m];
            if (front->stamp[other] == front->mark) continue;
            front->stamp[other] = front->mark;
            front->asleep[other] += change;
            count += !front->work->active[other];
        }
    }
    return count;
}

static void ordering_wake(ordering_front *front, int v) {
    if (front->work->active[v]) return;
    front->work->active[v] = true;
    ordering_visit(front, v, -1);
}

bool tact_elimination_greedy(const tact_cliques *cliques, tact_elimination *work, int *order) {
    TACT_ASSERT(cliques && work);
    int n = cliques->n;
    ordering_front front = {.cliques = cliques, .work = work, .asleep = work->list + 2 * n, .stamp = work->list + 3 * n};
    // Comparisons of unknowns, and visits of members.
    int64_t cost = (int64_t)cliques->n * cliques->n;
    for (int s = 0; s < cliques->count && cost <= GREEDY_WORK; s++) {
        int64_t size = cliques->start[s + 1] - cliques->start[s];
        cost += size * size;
    }
    if (!(cost <= GREEDY_WORK)) return false;
    // Nothing waits yet; asleep becomes the number of neighbours.
    for (int v = 0; v < n; v++) {
        work->active[v] = false;
        front.stamp[v] = front.asleep[v] = 0;
    }
    for (int v = 0; v < n; v++) front.asleep[v] = ordering_visit(&front, v, 0);
    // Next: the unknown whose elimination makes the fewest rows wait; the first of equals in the given order.
    for (int i = 0; i < n; i++) {
        int best = i, least = n;
        for (int k = i; k < n && least >= 0; k++) {
            int growth = front.asleep[order[k]] - work->active[order[k]];
            if (growth >= least) continue;
            least = growth;
            best = k;
        }
        // It moves to place i; those between shift.
        int v = order[best];
        for (int k = best; k > i; k--) order[k] = order[k - 1];
        order[i] = v;
        // all that is coupled to v becomes active
        ordering_wake(&front, v);
        for (int k = front.work->start[v]; k < front.work->start[v + 1]; k++) {
            const int *range = front.cliques->start + front.work->set[k];
            for (int m = range[0]; m < range[1]; m++) ordering_wake(&front, front.cliques->member[m]);
        }
    }
    return true;
}

int64_t tact_elimination_choose(const tact_cliques *cliques, tact_elimination *work, int *order, int *place) {
    TACT_ASSERT(cliques);
    int n = cliques->n, *other = work->list, *first = work->list + n;
    tact_elimination_begin(cliques, work);
    // sorted order first: merge sort, bottom up, between order and the scratch
    TACT_ASSERT(order != work->list);
    int *from = order, *to = work->list;
    for (int v = 0; v < n; v++) from[v] = v;
    // runs of doubling length are merged from one array into the other
    for (int64_t run = 1; run < n; run *= 2) {
        for (int64_t low = 0; low < n; low += 2 * run) {
            int64_t middle = low + run < n ? low + run : n, high = low + 2 * run < n ? low + 2 * run : n;
            for (int64_t i = low, j = middle, k = low; k < high; k++) {
                bool left = j == high || (i < middle && ordering_before(work, from[i], from[j]));
                to[k] = left ? from[i++] : from[j++];
            }
        }
        int *swap = from;
        from = to;
        to = swap;
    }
    // the sorted list may be in either array
    for (int v = 0; v < n; v++) order[v] = from[v];
    tact_order_invert(order, n, place);
    int64_t least = tact_elimination_envelope(cliques, place, first);
    // then the greedy order, then the given one, if their envelopes are smaller
    for (int attempt = 0; attempt < 2; attempt++) {
        for (int i = 0; i < n; i++) other[i] = attempt == 0 ? order[i] : i;
        if (attempt == 0 && !tact_elimination_greedy(cliques, work, other)) continue;
        tact_order_invert(other, n, place);
        int64_t entries = tact_elimination_envelope(cliques, place, first);
        if (entries >= least) continue;
        least = entries;
        for (int i = 0; i < n; i++) order[i] = other[i];
    }
    tact_order_invert(order, n, place);
    return least;
}
