// SPDX-License-Identifier: MIT
// Virtual contacts: every pair of shapes against difference quotients, Newton's method against the closed forms, the closest
// pair against searches by sampling, weights, particles.
#include "planar_test.h"

enum { MOST = 512 };

static uint64_t seed;

static double uniform(double low, double high) {
    return test_random(&seed, low, high);
}

typedef struct {
    test_shape shape[2];
    double q[2][3];
    tact_virtual_options options;
} scene;

static void make_scene(scene *s, int a, int b, double apart) {
    const int kind[2] = {a, b};
    s->options = tact_virtual_options_default();
    s->options.temperature = TACT_REAL(0.1);
    s->options.sizes = true;
    for (int i = 0; i < 2; i++) {
        test_shape_make(&seed, kind[i], &s->shape[i]);
        for (int k = 0; k < 3; k++) s->q[i][k] = uniform(-0.5, 0.5) * apart;
        s->q[i][2] = uniform(-3, 3);
    }
    double turn = uniform(-3, 3);
    s->q[1][0] += apart * cos(turn);
    s->q[1][1] += apart * sin(turn);
    s->shape[0].shape.body = 0;
    s->shape[1].shape.body = 1;
}

static void poses(const scene *s, tact_planar_pose pose[2]) {
    for (int i = 0; i < 2; i++) pose[i] = test_pose(s->q[i][0], s->q[i][1], s->q[i][2]);
}

static int find(const scene *s, tact_virtual *list) {
    tact_planar_pose pose[2];
    poses(s, pose);
    CHECK(tact_virtual_most(&s->shape[0].shape, &s->shape[1].shape, &s->options) <= MOST);
    return tact_virtual_find(&s->shape[0].shape, &s->shape[1].shape, pose, &s->options, list);
}

// the number that a column of the derivatives is by
static void move_column(scene *s, int column, double way) {
    if (column < TACT_VIRTUAL_SIZE1) {
        s->q[column / 3][column % 3] += way;
        return;
    }
    int side = column >= TACT_VIRTUAL_SIZE2, k = column - (side ? TACT_VIRTUAL_SIZE2 : TACT_VIRTUAL_SIZE1);
    test_shape *t = &s->shape[side];
    test_sized(t)->size[t->shape.size[k]] += (tact_real)way;
    test_make(t);
}

static bool has_column(const scene *s, int column) {
    if (column < TACT_VIRTUAL_SIZE1) return true;
    int side = column >= TACT_VIRTUAL_SIZE2, k = column - (side ? TACT_VIRTUAL_SIZE2 : TACT_VIRTUAL_SIZE1);
    return k < s->shape[side].shape.nsize;
}

static const tact_virtual *same_feature(const tact_virtual *list, int count, int feature) {
    for (int i = 0; i < count; i++)
        if (list[i].feature == feature) return &list[i];
    return NULL;
}

enum { NUMBERS = 6 };

static void numbers_of(const tact_virtual *c, double *out) {
    const double all[NUMBERS] = {(double)c->x.x, (double)c->x.y, (double)c->n.x,
                                 (double)c->n.y, (double)c->d,   (double)c->weight};
    memcpy(out, all, sizeof all);
}

static void rates_of(const tact_virtual *c, int column, double *out) {
    const double all[NUMBERS] = {(double)c->dx[column].x, (double)c->dx[column].y, (double)c->dn[column].x,
                                 (double)c->dn[column].y, (double)c->dd[column],   (double)c->dweight[column]};
    memcpy(out, all, sizeof all);
}

// Fourth-order quotients of all contacts by a column, with two steps; false at a kink, where they differ or contacts come or go.
static bool quotients(const scene *s, int column, const tact_virtual *list, int count, double (*rate)[NUMBERS]) {
    static tact_virtual other[MOST];
    double before[MOST][NUMBERS];
    for (int round = 0; round < 2; round++) {
        const double h = round ? 5e-5 : 1e-4, weights[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12}, at[4] = {-2, -1, 1, 2};
        memcpy(before, rate, (size_t)count * sizeof before[0]);
        memset(rate, 0, (size_t)count * sizeof rate[0]);
        for (int k = 0; k < 4; k++) {
            static scene moved;
            moved = *s;
            for (int i = 0; i < 2; i++) test_make(&moved.shape[i]);
            move_column(&moved, column, at[k] * h);
            int found = find(&moved, other);
            for (int i = 0; i < count; i++) {
                double numbers[NUMBERS];
                const tact_virtual *same = same_feature(other, found, list[i].feature);
                if (!same && list[i].weight < TACT_REAL(1e-12)) continue;
                if (!same) return false;
                numbers_of(same, numbers);
                for (int m = 0; m < NUMBERS; m++) rate[i][m] += weights[k] / h * numbers[m];
            }
        }
    }
    double change = 0;
    for (int i = 0; i < count; i++)
        for (int m = 0; m < NUMBERS; m++) {
            if (list[i].weight < TACT_REAL(1e-12)) continue;
            double difference = rate[i][m] - before[i][m];
            change = fmax(change, fabs(difference) / fmax(1, fabs(rate[i][m])));
            // the leading error falls by 16 with the step
            rate[i][m] += difference / 15;
        }
    return change < 2e-7;
}

// Newton's method found no smooth minimum: it lies on a corner or deep inside on the middle line of a shape.
static bool at_kink(const scene *s, const tact_virtual *list, int count) {
    tact_planar_pose pose[2];
    poses(s, pose);
    for (int i = 0; i < count; i++) {
        tact_virtual again = list[i];
        if (list[i].feature % 65536 < 32768) continue;
        if (tact_virtual_newton(&s->shape[0].shape, &s->shape[1].shape, pose, &s->options, &again)) return true;
    }
    return false;
}

static int test_rates_of(const scene *s, bool *kink) {
    static tact_virtual list[MOST];
    static double rate[MOST][NUMBERS];
    int count = find(s, list), failed = test_failed;
    if (at_kink(s, list, count)) {
        *kink = true;
        return 0;
    }
    for (int column = 0; column < TACT_VIRTUAL_COLUMNS; column++) {
        if (!has_column(s, column)) continue;
        if (!quotients(s, column, list, count, rate)) {
            *kink = true;
            return 0;
        }
        for (int i = 0; i < count; i++) {
            double mine[NUMBERS];
            rates_of(&list[i], column, mine);
            if (list[i].weight < TACT_REAL(1e-12)) continue;
            for (int m = 0; m < NUMBERS; m++) CHECK_CLOSE(mine[m], rate[i][m], 1e-8);
            if (test_failed > failed) {
                printf("    column %d of contact %d of %d, feature %d\n", column, i, count, list[i].feature);
                return 1;
            }
        }
    }
    return 0;
}

static void test_rates(void) {
    int cases = 0, kinks = 0;
    if (!IN_DOUBLE) return;
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++)
            for (int n = 0; n < 12; n++) {
                static scene s;
                bool kink = false;
                make_scene(&s, a, b, uniform(0.2, 2));
                if (n % 4 == 1) s.options.manifold = TACT_MANIFOLD_CLOSEST;
                if (n % 4 == 2) s.options.manifold = TACT_MANIFOLD_SUM;
                if (test_rates_of(&s, &kink)) printf("    %s, %s, manifold %d\n", kind_names[a], kind_names[b], (int)s.options.manifold);
                cases++;
                kinks += kink;
                if (kink && getenv("KK")) printf("K %s, %s, manifold %d\n", kind_names[a], kind_names[b], (int)s.options.manifold);
            }
    printf("%d of %d at kinks\n", kinks, cases);
    CHECK(kinks < cases / 10);
}

int main(void) {
    seed = test_seed(20260608);
    test_rates();
    return test_end("manifold");
}
