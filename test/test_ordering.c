// SPDX-License-Identifier: MIT
// The elimination order of matrix problems: a permutation, never worse than the order given, near the best of all on small
// ones, and what is known for hands.
#include "solve/ordering.h"
#include "test.h"

#define N 64
#define SETS 64

typedef struct {
    int n, count;
    int start[SETS + 1], member[SETS * N];
    int order[N], place[N];
    int64_t entries;
} fixture;

static void add_set(fixture *f, const int *members, int size) {
    for (int k = 0; k < size; k++) f->member[f->start[f->count] + k] = members[k];
    f->count++;
    f->start[f->count] = f->start[f->count - 1] + size;
}

// the envelope of an order, straight from the definition
static int64_t envelope(const fixture *f, const int *place) {
    bool coupled[N][N] = {{false}};
    int64_t entries = 0;
    for (int s = 0; s < f->count; s++)
        for (int a = f->start[s]; a < f->start[s + 1]; a++)
            for (int b = f->start[s]; b < f->start[s + 1]; b++) coupled[place[f->member[a]]][place[f->member[b]]] = true;
    for (int i = 0; i < f->n; i++) {
        int first = 0;
        while (first < i && !coupled[i][first]) first++;
        entries += i - first + 1;
    }
    return entries;
}

static void choose(fixture *f) {
    static unsigned char memory[65536];
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_elimination work;
    tact_cliques cliques = {.n = f->n, .count = f->count, .start = f->start, .member = f->member};
    tact_elimination_place(&work, f->n, f->start[f->count], &arena);
    CHECK(tact_arena_fits(&arena));
    f->entries = tact_elimination_choose(&cliques, &work, f->order, f->place);
}

static void check_permutation(const fixture *f) {
    int identity[N];
    bool seen[N] = {false}, good = true;
    for (int i = 0; i < f->n; i++) {
        int v = f->order[i];
        good = good && v >= 0 && v < f->n && !seen[v] && f->place[v] == i;
        if (v >= 0 && v < f->n) seen[v] = true;
        identity[i] = i;
    }
    CHECK(good);
    if (!good) return;
    CHECK_INT(f->entries, envelope(f, f->place));
    CHECK(f->entries <= envelope(f, identity));
}

// object 0 to 2, slide 3, five fingers of four joints, as the oracle's hand problems number them; contacts of some fingers
static void test_hand(void) {
    for (int mask = 0; mask < 32; mask++) {
        fixture f = {.n = 24};
        int table[] = {0, 1, 2};
        add_set(&f, table, 3);
        for (int finger = 0; finger < 5; finger++) {
            int set[8] = {0, 1, 2, 3};
            for (int k = 0; k < 4; k++) set[4 + k] = 4 + 4 * finger + k;
            if (mask & 1 << finger) add_set(&f, set, 8);
        }
        choose(&f);
        check_permutation(&f);
        int fingers = 0;
        for (int finger = 0; finger < 5; finger++) fingers += mask >> finger & 1;
        // fingers are blocks of 10 entries, the border of slide and object reaches back to the first of them
        int wanted = fingers ? 10 * fingers + 4 * (5 - fingers) + 4 * 4 * fingers + 10 : 20 + 6 + 1;
        CHECK_INT(f.entries, wanted);
    }
}

static bool next_permutation(int *x, int n) {
    int i = n - 2, j = n - 1;
    while (i >= 0 && x[i] > x[i + 1]) i--;
    if (i < 0) return false;
    while (x[j] < x[i]) j--;
    int swap = x[i];
    x[i] = x[j];
    x[j] = swap;
    for (int a = i + 1, b = n - 1; a < b; a++, b--) {
        swap = x[a];
        x[a] = x[b];
        x[b] = swap;
    }
    return true;
}

static void fill_random(fixture *f, uint64_t *seed, int n, int sets, int widest) {
    *f = (fixture){.n = n};
    for (int s = 0; s < sets; s++) {
        int set[N], size = 0, wanted = 1 + (int)test_random(seed, 0, widest);
        for (int v = 0; v < n; v++)
            if (size < wanted && test_random(seed, 0, 1) < 1.5 * wanted / n) set[size++] = v;
        add_set(f, set, size);
    }
}

static void test_small(uint64_t *seed) {
    double excess = 0;
    int optimal = 0, tries = 300;
    for (int i = 0; i < tries; i++) {
        fixture f;
        int place[7] = {0, 1, 2, 3, 4, 5, 6};
        int64_t best = 1000;
        fill_random(&f, seed, 7, 5, 4);
        choose(&f);
        check_permutation(&f);
        do {
            int64_t entries = envelope(&f, place);
            if (entries < best) best = entries;
        } while (next_permutation(place, 7));
        CHECK(f.entries >= best);
        excess += (double)(f.entries - best) / (double)best;
        optimal += f.entries == best;
    }
    printf("of %d small problems %d have the least envelope, %.1f %% more on average\n", tries, optimal, 100 * excess / tries);
    CHECK(optimal >= tries * 9 / 10);
    CHECK(excess / tries < 0.01);
}

static void test_random_sets(uint64_t *seed) {
    for (int i = 0; i < 200; i++) {
        fixture f, again;
        fill_random(&f, seed, 1 + (int)test_random(seed, 0, N), (int)test_random(seed, 0, SETS), 10);
        again = f;
        choose(&f);
        choose(&again);
        check_permutation(&f);
        CHECK(memcmp(f.order, again.order, sizeof(int) * (size_t)f.n) == 0);
    }
}

// a chain is best as it is, or reversed; without any set the order is of no matter
static void test_simple(void) {
    fixture chain = {.n = 40}, empty = {.n = 5};
    for (int i = 0; i + 1 < 40; i++) {
        int pair[] = {i, i + 1};
        add_set(&chain, pair, 2);
    }
    choose(&chain);
    check_permutation(&chain);
    CHECK_INT(chain.entries, 40 + 39);
    choose(&empty);
    check_permutation(&empty);
    CHECK_INT(empty.entries, 5);
}

// many unknowns, where the greedy order is too dear: by the number of sets
static void test_large(void) {
    enum { LARGE = 40000 };
    static unsigned char memory[8 << 20];
    static int member[LARGE + 1], order[LARGE], place[LARGE];
    int start[] = {0, LARGE, LARGE + 1};
    for (int v = 0; v < LARGE; v++) member[v] = v;
    member[LARGE] = 7;
    tact_arena arena = {.memory = memory, .size = sizeof memory};
    tact_elimination work;
    tact_cliques cliques = {.n = LARGE, .count = 2, .start = start, .member = member};
    tact_elimination_place(&work, LARGE, LARGE + 1, &arena);
    CHECK(tact_arena_fits(&arena));
    CHECK_INT(tact_elimination_choose(&cliques, &work, order, place), (int64_t)LARGE * (LARGE + 1) / 2);
    CHECK_INT(order[LARGE - 1], 7);
    CHECK_INT(order[0], LARGE - 1);
    // two sets that alternate are sorted apart
    int half[] = {0, LARGE / 2, LARGE};
    for (int v = 0; v < LARGE; v++) member[v / 2 + (v % 2) * (LARGE / 2)] = v;
    cliques.start = half;
    CHECK_INT(tact_elimination_choose(&cliques, &work, order, place), (int64_t)(LARGE / 2) * (LARGE / 2 + 1));
}

int main(void) {
    uint64_t seed = test_seed(11);
    test_hand();
    test_small(&seed);
    test_random_sets(&seed);
    test_simple();
    test_large();
    return test_end("ordering");
}
