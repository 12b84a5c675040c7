// SPDX-License-Identifier: MIT
// Virtual contacts: every pair of shapes against difference quotients, Newton's method against the closed forms, the closest
// pair against searches, weights, particles.
#include "planar_test.h"

#include "contact/virtual_touch.h"

enum { MOST = 512 };

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
    const double all[NUMBERS] = {(double)c->x.x, (double)c->x.y, (double)c->n.x, (double)c->n.y, (double)c->d, (double)c->weight};
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

static bool has_corners(const test_shape *t) {
    return t->shape.kind == TACT_PLANAR_CORE && t->shape.count > 1;
}

static int test_rates_of(const scene *s, bool *kink) {
    static tact_virtual list[MOST];
    static double rate[MOST][NUMBERS];
    int count = find(s, list), failed = test_failed;
    if (at_kink(s, list, count)) {
        // there it counts only where it is deeper than the corners, if there are any
        for (int i = 0; i < count - 1; i++)
            CHECK(list[i].d < list[count - 1].d || !(has_corners(&s->shape[0]) || has_corners(&s->shape[1])));
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
            for (int n = 0; n < 5; n++) {
                static scene s;
                bool kink = false;
                make_scene(&s, a, b, uniform(0.2, 2));
                if (n % 4 == 1) s.options.manifold = TACT_MANIFOLD_CLOSEST;
                if (n % 4 == 2) s.options.manifold = TACT_MANIFOLD_SUM;
                if (test_rates_of(&s, &kink))
                    printf("    %s, %s, manifold %d\n", kind_names[a], kind_names[b], (int)s.options.manifold);
                cases++;
                kinks += kink;
            }
    printf("%d of %d at kinks\n", kinks, cases);
    CHECK(kinks < cases / 10);
}

// ---- where cores nearly touch

// Moves the second shape away from or towards the first until their cores are so far apart; overlaps count as negative.
static bool bring(scene *s, double wanted) {
    static tact_virtual list[MOST];
    double dx = s->q[1][0] - s->q[0][0], dy = s->q[1][1] - s->q[0][1], length = hypot(dx, dy), low = -length, high = 4;
    double x = s->q[1][0], y = s->q[1][1], radii = (double)(s->shape[0].shape.radius + s->shape[1].shape.radius);
    tact_manifold kept = s->options.manifold;
    s->options.manifold = TACT_MANIFOLD_CLOSEST;
    for (int k = 0; k < 60; k++) {
        double way = (low + high) / 2;
        s->q[1][0] = x + way * dx / length;
        s->q[1][1] = y + way * dy / length;
        if (find(s, list) != 1) break;
        *(-(double)list[0].d - radii > wanted ? &high : &low) = way;
    }
    bool there = find(s, list) == 1 && fabs(-(double)list[0].d - radii - wanted) < 1e-12;
    s->options.manifold = kept;
    return there;
}

// sums over the contacts: of the weights times 1, x, n and d
static void sum_contacts(const scene *s, double *sum) {
    static tact_virtual list[MOST];
    int count = find(s, list);
    for (int m = 0; m < NUMBERS; m++) sum[m] = 0;
    for (int i = 0; i < count; i++) {
        double numbers[NUMBERS];
        numbers_of(&list[i], numbers);
        for (int m = 0; m < NUMBERS; m++) sum[m] += numbers[NUMBERS - 1] * (m < NUMBERS - 1 ? numbers[m] : 1);
    }
}

// Two faces' contacts change to those of an overlap without a jump, and have derivatives on the way.
static void test_layer(void) {
    int cases = 0, kinks = 0;
    double worst = 0;
    if (!IN_DOUBLE) return;
    for (int a = KIND_RECTANGLE; a <= KIND_SMOOTHED_POLYGON; a++)
        for (int b = KIND_RECTANGLE; b <= KIND_SMOOTHED_POLYGON; b++)
            for (int n = 0; n < 5; n++) {
                static scene s;
                bool kink = false;
                make_scene(&s, a, b, 2);
                // spread 0.1 m: the layer ends at 0.0125 m
                const double ends[2] = {0, 0.0125};
                for (int end = 0; end < 2; end++) {
                    double sums[2][NUMBERS];
                    bool there = true;
                    for (int k = 0; k < 2; k++) {
                        there = there && bring(&s, ends[end] + (k ? 1e-8 : -1e-8));
                        sum_contacts(&s, sums[k]);
                    }
                    for (int m = 0; there && m < NUMBERS; m++) worst = fmax(worst, fabs(sums[1][m] - sums[0][m]));
                }
                if (!bring(&s, 0.0125 * uniform(0.1, 0.9))) continue;
                if (test_rates_of(&s, &kink)) printf("    %s, %s nearly touching\n", kind_names[a], kind_names[b]);
                cases++;
                kinks += kink;
            }
    printf("layer: %d cases, %d at kinks, jumps of %.2g\n", cases, kinks, worst);
    CHECK(cases > 100 && kinks < cases / 5);
    CHECK(worst < 1e-5);
}

// ---- the frozen contact point

// Where the gradients of both shapes at a fixed point would put the normal.
static void normal_at(const scene *s, double x, double y, double *n) {
    tact_planar_pose pose[2];
    poses(s, pose);
    double sum[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        tact_vec2 inner = tact_planar_unrotate(pose[i], tact_vec2_sub(tact_vec2_make((tact_real)x, (tact_real)y), pose[i].p));
        tact_vec2 g = tact_planar_rotate(pose[i], tact_planar_distance_at(&s->shape[i].shape, inner).gradient);
        sum[0] += (i ? -1 : 1) * (double)g.x;
        sum[1] += (i ? -1 : 1) * (double)g.y;
    }
    n[0] = sum[0] / hypot(sum[0], sum[1]);
    n[1] = sum[1] / hypot(sum[0], sum[1]);
}

static void test_freeze(void) {
    static tact_virtual list[MOST], moving[MOST];
    if (!IN_DOUBLE) return;
    for (int n = 0; n < 49 * 4; n++) {
        static scene s;
        make_scene(&s, n % 7, n / 7 % 7, 2);
        s.options.manifold = TACT_MANIFOLD_CLOSEST;
        int count = find(&s, moving);
        s.options.freeze = true;
        if (find(&s, list) != 1 || count != 1 || list[0].d > TACT_REAL(-1e-2)) continue;
        CHECK(list[0].d == moving[0].d && list[0].x.x == moving[0].x.x && list[0].n.x == moving[0].n.x);
        for (int column = 0; column < TACT_VIRTUAL_SIZE1; column++) {
            double n0[2], n1[2];
            scene moved = s;
            CHECK(list[0].dx[column].x == 0 && list[0].dx[column].y == 0);
            CHECK(list[0].dd[column] == moving[0].dd[column]);
            for (int i = 0; i < 2; i++) test_make(&moved.shape[i]);
            move_column(&moved, column, 1e-5);
            normal_at(&moved, (double)list[0].x.x, (double)list[0].x.y, n1);
            move_column(&moved, column, -2e-5);
            normal_at(&moved, (double)list[0].x.x, (double)list[0].x.y, n0);
            // beside a corner's region the nearest feature at x changes
            double dx = (n1[0] - n0[0]) / 2e-5, dy = (n1[1] - n0[1]) / 2e-5;
            CHECK_CLOSE(list[0].dn[column].x, dx, 1e-5 * fmax(1, fabs(dx)));
            CHECK_CLOSE(list[0].dn[column].y, dy, 1e-5 * fmax(1, fabs(dy)));
        }
    }
}

// ---- Newton's method and closed forms

static void test_newton(void) {
    static tact_virtual list[MOST];
    int tried = 0, found = 0;
    for (int n = 0; n < 49 * 6; n++) {
        static scene s;
        tact_planar_pose pose[2];
        make_scene(&s, n % 7, n / 7 % 7, 2.5);
        s.options.manifold = TACT_MANIFOLD_CLOSEST;
        if (find(&s, list) != 1 || list[0].d > TACT_REAL(-0.05)) continue;
        tact_virtual start = list[0];
        start.x.x += (tact_real)uniform(-0.01, 0.01);
        start.x.y += (tact_real)uniform(-0.01, 0.01);
        poses(&s, pose);
        tact_status status = tact_virtual_newton(&s.shape[0].shape, &s.shape[1].shape, pose, &s.options, &start);
        tried++;
        // flat against flat, the place along the faces is free; corners that come near them are no different
        if (status != TACT_CONVERGED || !IN_DOUBLE) continue;
        found++;
        CHECK_CLOSE(start.d, list[0].d, 1e-12);
        CHECK_CLOSE(start.n.x, list[0].n.x, 1e-9);
        CHECK_CLOSE(start.x.x, list[0].x.x, 1e-9);
        CHECK_CLOSE(start.x.y, list[0].x.y, 1e-9);
        for (int column = 0; column < TACT_VIRTUAL_COLUMNS; column++) {
            if (!has_column(&s, column)) continue;
            CHECK_CLOSE(start.dd[column], list[0].dd[column], 1e-8);
            CHECK_CLOSE(start.dx[column].x, list[0].dx[column].x, 1e-8);
            CHECK_CLOSE(start.dx[column].y, list[0].dx[column].y, 1e-8);
            CHECK_CLOSE(start.dn[column].y, list[0].dn[column].y, 1e-8);
        }
    }
    printf("Newton: %d of %d converged\n", found, tried);
    if (IN_DOUBLE) CHECK(found > tried * 3 / 4);
}

// ---- the closest pair

static tact_real value_at(const scene *s, int i, tact_vec2 x) {
    tact_planar_pose pose[2];
    poses(s, pose);
    return tact_planar_value(&s->shape[i].shape, tact_planar_unrotate(pose[i], tact_vec2_sub(x, pose[i].p)));
}

static tact_vec2 corner_of(const scene *s, int i) {
    tact_planar_pose pose[2];
    poses(s, pose);
    return tact_vec2_add(pose[i].p, tact_planar_rotate(pose[i], s->shape[i].shape.corner[0].point));
}

// Least distance of the second shape over the core of the first: convex along every edge, so thirds find it.
static double searched_distance(const scene *s) {
    tact_planar_pose pose[2];
    poses(s, pose);
    const tact_planar_shape *a = &s->shape[0].shape;
    double least = 1e30;
    for (int i = 0; i < a->count; i++) {
        tact_vec2 p = a->corner[i].point, q = a->corner[(i + 1) % a->count].point;
        double low = 0, high = 1;
        for (int k = 0; k < 80; k++) {
            double value[2];
            for (int m = 0; m < 2; m++) {
                double u = low + (high - low) * (m + 1) / 3;
                tact_vec2 core = {p.x + (tact_real)u * (q.x - p.x), p.y + (tact_real)u * (q.y - p.y)};
                tact_vec2 x = tact_vec2_add(pose[0].p, tact_planar_rotate(pose[0], core));
                value[m] = (double)value_at(s, 1, x);
            }
            least = fmin(least, fmin(value[0], value[1]));
            *(value[0] < value[1] ? &high : &low) = value[0] < value[1] ? low + (high - low) * 2 / 3 : low + (high - low) / 3;
        }
    }
    return least - (double)a->radius;
}

static double deepest(const scene *s) {
    static tact_virtual list[MOST];
    return find(s, list) ? (double)list[0].d : -1e30;
}

static void test_closest(void) {
    static tact_virtual list[MOST];
    int apart = 0, overlaps = 0;
    for (int n = 0; n < 36 * 6; n++) {
        static scene s;
        make_scene(&s, n % 6, n / 6 % 6, uniform(0, 2.5));
        s.options.manifold = TACT_MANIFOLD_CLOSEST;
        CHECK_INT(find(&s, list), 1);
        double distance = searched_distance(&s), d = (double)list[0].d;
        double r0 = (double)s.shape[0].shape.radius, r1 = (double)s.shape[1].shape.radius;
        // boundaries that do not meet, and the second core is not within the first
        bool cores = distance + r0 + r1 > 1e-3 && (double)value_at(&s, 0, corner_of(&s, 1)) + r0 > 0;
        // x is in the middle between both surfaces
        CHECK_CLOSE(tact_vec2_dot(list[0].n, list[0].n), 1, 8 * TACT_EPS);
        if (cores) {
            apart++;
            CHECK_CLOSE(d, -distance, PICK(1e-9, 1e-5));
            // inside a core the nearest point is another one
            if (d / 2 > fmin(r0, r1)) continue;
            CHECK_CLOSE(value_at(&s, 0, list[0].x), -d / 2, PICK(1e-12, 1e-5));
            CHECK_CLOSE(value_at(&s, 1, list[0].x), -d / 2, PICK(1e-12, 1e-5));
            continue;
        }
        // overlapping cores: no shorter way leads out, and this one does
        overlaps++;
        for (int k = 0; k <= 64; k++) {
            double turn = 6.283185307179586 * k / 64, way = k < 64 ? 0.999 * d : d;
            double x = k < 64 ? cos(turn) : (double)list[0].n.x, y = k < 64 ? sin(turn) : (double)list[0].n.y;
            scene moved = s;
            for (int i = 0; i < 2; i++) test_make(&moved.shape[i]);
            moved.q[1][0] += way * x;
            moved.q[1][1] += way * y;
            double left = deepest(&moved);
            if (k < 64)
                CHECK(left > 0);
            else
                CHECK_CLOSE(left, 0, PICK(1e-9, 1e-4));
        }
    }
    printf("%d apart, %d overlapping\n", apart, overlaps);
    CHECK(overlaps > 20 && apart > 50);
}

// ---- weights

static void make_plain(test_shape *t, tact_shape shape) {
    *t = (test_shape){.parts = 1};
    t->part[0] = shape;
    test_make(t);
}

// total weight, and the torque of the weights about the origin of x
static void sum_weights(const tact_virtual *list, int count, double *weight, double *moment) {
    *weight = *moment = 0;
    for (int i = 0; i < count; i++) {
        *weight += (double)list[i].weight;
        *moment += (double)list[i].weight * (double)list[i].x.x;
    }
}

static void test_weights(void) {
    static scene s;
    static tact_virtual list[MOST];
    double weight, moment;
    tact_shape box = {.type = TACT_SHAPE_RECTANGLE, .place = tact_pose_identity(), .size = {1, TACT_REAL(0.5)}};
    tact_shape ground = {.type = TACT_SHAPE_HALFPLANE, .place = tact_pose_identity()};
    s.options = tact_virtual_options_default();
    make_plain(&s.shape[0], box);
    make_plain(&s.shape[1], ground);
    memset(s.q, 0, sizeof s.q);
    s.q[0][1] = 0.499;
    // a box lying flat stands on two corners
    CHECK_INT(find(&s, list), 2);
    for (int i = 0; i < 2; i++) {
        CHECK_CLOSE(list[i].weight, 0.5, 4 * TACT_EPS);
        CHECK_CLOSE(list[i].d, 1e-3, PICK(1e-15, 1e-7));
        CHECK(list[i].n.x == 0 && list[i].n.y == -1);
    }
    sum_weights(list, 2, &weight, &moment);
    CHECK_CLOSE(moment, 0, 4 * TACT_EPS);
    // a box on an equal one: both ends, corners of both
    make_plain(&s.shape[1], box);
    s.q[0][1] = 0.999;
    CHECK_INT(find(&s, list), 4);
    sum_weights(list, 4, &weight, &moment);
    CHECK_CLOSE(weight, 1, 8 * TACT_EPS);
    CHECK_CLOSE(moment, 0, PICK(1e-12, 1e-4));
    for (int i = 0; i < 4; i++) CHECK_CLOSE(list[i].d, 1e-3, PICK(1e-14, 1e-6));
    // shifted and tilted a little from step to step nothing jumps
    double last[4] = {0};
    for (int k = 0; k <= 4000; k++) {
        s.q[0][0] = -0.2 + 1e-4 * k;
        s.q[0][2] = 2e-4 * sin(0.01 * k);
        int count = find(&s, list);
        double now[4] = {0};
        sum_weights(list, count, &now[0], &now[1]);
        for (int i = 0; i < count; i++) {
            now[2] += (double)(list[i].weight * list[i].d);
            now[3] += (double)(list[i].weight * list[i].d * list[i].x.x);
        }
        CHECK_CLOSE(now[0], 1, 16 * TACT_EPS);
        for (int i = 1; i < 4 && k > 0; i++) CHECK(fabs(now[i] - last[i]) < (i == 1 ? 2e-2 : 2e-5));
        memcpy(last, now, sizeof last);
    }
}

// the sum of the weights' rates is 0
static void test_weight_rates(void) {
    static tact_virtual list[MOST];
    for (int n = 0; n < 81 * 2; n++) {
        static scene s;
        make_scene(&s, n % KINDS, n / KINDS % KINDS, uniform(0.5, 2));
        int count = find(&s, list);
        CHECK((count > 0) == (n % KINDS != KIND_HALFPLANE || n / KINDS % KINDS != KIND_HALFPLANE));
        if (count == 0) continue;
        double weight = 0, rate[TACT_VIRTUAL_COLUMNS] = {0}, most = 1;
        for (int i = 0; i < count; i++) {
            weight += (double)list[i].weight;
            for (int k = 0; k < TACT_VIRTUAL_COLUMNS; k++) {
                rate[k] += (double)list[i].dweight[k];
                most = fmax(most, fabs((double)list[i].dweight[k]));
            }
        }
        CHECK_CLOSE(weight, 1, 1000 * TACT_EPS);
        for (int k = 0; k < TACT_VIRTUAL_COLUMNS; k++) CHECK_CLOSE(rate[k], 0, 1000 * (double)TACT_EPS * most);
    }
}

// ---- particles

static void spread(const tact_vec2 *x, int count, double *low, double *high) {
    *low = 1e30;
    *high = -1e30;
    for (int i = 0; i < count; i++) {
        *low = fmin(*low, (double)x[i].x);
        *high = fmax(*high, (double)x[i].x);
    }
}

// a hexagon of circumradius 1.5 m on the ground, tilted by 0.05 rad: both its lower corners keep particles
static void test_stein(void) {
    static const tact_vec2 hexagon[6] = {
        {TACT_REAL(-0.5), TACT_REAL(-0.8660254037844386)}, {TACT_REAL(0.5), TACT_REAL(-0.8660254037844386)}, {1, 0},
        {TACT_REAL(0.5), TACT_REAL(0.8660254037844386)},   {TACT_REAL(-0.5), TACT_REAL(0.8660254037844386)}, {-1, 0}};
    static scene s;
    tact_shape hex = {
        .type = TACT_SHAPE_POLYGON, .place = tact_pose_identity(), .size = {TACT_REAL(1.5)}, .count = 6, .point = hexagon};
    tact_shape ground = {.type = TACT_SHAPE_HALFPLANE, .place = tact_pose_identity()};
    s.options = tact_virtual_options_default();
    s.options.manifold = TACT_MANIFOLD_STEIN;
    s.options.temperature = TACT_REAL(0.1);
    make_plain(&s.shape[0], hex);
    make_plain(&s.shape[1], ground);
    memset(s.q, 0, sizeof s.q);
    s.q[0][2] = 0.05;
    s.q[0][1] = 1.5 * cos(3.14159265358979323846 / 6 - 0.05);
    for (int seeds = 1; seeds <= 10; seeds++) {
        tact_planar_pose pose[2];
        tact_vec2 x[TACT_STEIN_MAX], again[TACT_STEIN_MAX];
        double low, high;
        int left = 0, right = 0;
        poses(&s, pose);
        s.options.seed = (uint64_t)seeds;
        tact_stein_descend(&s.shape[0].shape, &s.shape[1].shape, pose, &s.options, true, x);
        tact_stein_descend(&s.shape[0].shape, &s.shape[1].shape, pose, &s.options, true, again);
        CHECK(memcmp(x, again, 20 * sizeof x[0]) == 0);
        spread(x, 20, &low, &high);
        for (int i = 0; i < 20; i++) {
            left += x[i].x < TACT_REAL(-0.5);
            right += x[i].x > TACT_REAL(0.5);
        }
        if (seeds == 1) printf("Stein: x from %.3f to %.3f, %d particles left, %d right\n", low, high, left, right);
        CHECK(high - low > 1.3);
        CHECK(left > 0 && right > 0);
        s.options.stein_steps = 2000;
        tact_stein_descend(&s.shape[0].shape, &s.shape[1].shape, pose, &s.options, false, x);
        s.options.stein_steps = 500;
        spread(x, 20, &low, &high);
        if (seeds == 1) printf("without: x from %.3f to %.3f\n", low, high);
        CHECK(high - low < 0.05);
    }
    static tact_virtual list[MOST];
    CHECK_INT(find(&s, list), 20);
    double weight = 0;
    for (int i = 0; i < 20; i++) weight += (double)list[i].weight;
    CHECK_CLOSE(weight, 1, 8 * TACT_EPS);
    // the scene's option for it
    s.options.manifold = TACT_MANIFOLD_DESCENT;
    CHECK_INT(find(&s, list), 20);
    for (int i = 1; i < 20; i++) CHECK(fabs((double)(list[i].x.x - list[0].x.x)) < 0.05);
}

// ---- contacts by how the first body moves over the second

// Columns of one from the motions of both bodies: u and o of the first over the second, and all of it with the second.
static void touch_rates(const tact_virtual_touch *touch, const tact_planar_pose pose[2], int column, double *rate) {
    bool second = column >= TACT_VIRTUAL_Q2;
    tact_vec2 n = touch->n, t = tact_vec2_turn(n), e = tact_vec2_make(column % 3 == 0, column % 3 == 1);
    tact_real o = column % 3 == 2;
    tact_vec2 way = o > 0 ? tact_vec2_turn(tact_vec2_sub(touch->x, pose[second].p)) : e;
    tact_real sign = second ? -1 : 1, un = sign * tact_vec2_dot(n, way), ut = sign * tact_vec2_dot(t, way);
    tact_real dn = touch->turn[0] * ut + sign * touch->turn[1] * o, dt = touch->slide[0] * ut + sign * touch->slide[1] * o;
    tact_vec2 dx = tact_vec2_add_scaled(tact_vec2_scale(un / 2, n), dt, t);
    if (second) {
        dx = tact_vec2_add(dx, way);
        dn += o;
    }
    tact_vec2 arm = tact_vec2_turn(tact_vec2_sub(pose[0].p, pose[second].p));
    const tact_real *w = touch->dweight;
    const double all[NUMBERS] = {
        (double)dx.x,       (double)dx.y, (double)(dn * t.x),
        (double)(dn * t.y), (double)un,   (double)(sign * (column % 3 < 2 ? w[column % 3] : w[2] + arm.x * w[0] + arm.y * w[1]))};
    memcpy(rate, all, sizeof all);
}

static void check_touch(const scene *s, const tact_virtual *contact, const tact_virtual_touch *touch) {
    tact_planar_pose pose[2];
    const double tight = IN_DOUBLE ? 1e-11 : 1e-5;
    double wanted[NUMBERS], got[NUMBERS];
    poses(s, pose);
    CHECK_CLOSE(touch->x.x, (double)contact->x.x, tight);
    CHECK_CLOSE(touch->x.y, (double)contact->x.y, tight);
    CHECK_CLOSE(touch->n.x, (double)contact->n.x, tight);
    CHECK_CLOSE(touch->n.y, (double)contact->n.y, tight);
    CHECK_CLOSE(touch->d, (double)contact->d, tight);
    CHECK_CLOSE(touch->weight, (double)contact->weight, tight);
    CHECK(touch->rank <= 0);
    for (int column = 0; column < TACT_VIRTUAL_SIZE1; column++) {
        rates_of(contact, column, wanted);
        touch_rates(touch, pose, column, got);
        for (int m = 0; m < NUMBERS; m++) CHECK_CLOSE(got[m], wanted[m], 100 * tight);
    }
}

static void test_touches(void) {
    static tact_virtual list[MOST];
    static tact_virtual_touch touch[MOST];
    int met = 0, other = 0;
    for (int a = 0; a < KINDS; a++)
        for (int b = 0; b < KINDS; b++)
            for (int n = 0; n < 8; n++) {
                static scene s;
                tact_planar_pose pose[2];
                make_scene(&s, a, b, uniform(0.1, 2));
                s.options.manifold = n % 4 == 1 ? TACT_MANIFOLD_CLOSEST : n % 4 == 2 ? TACT_MANIFOLD_SUM : TACT_MANIFOLD_FEATURES;
                if (n % 4 == 3) bring(&s, 0.0125 * uniform(0.1, 0.9));
                s.options.sizes = false;
                bool smooth = a == KIND_SMOOTH_UNION || b == KIND_SMOOTH_UNION;
                CHECK(tact_virtual_touches(&s.shape[0].shape, &s.shape[1].shape, &s.options) == !smooth);
                if (smooth) continue;
                poses(&s, pose);
                int count = tact_virtual_find_touches(&s.shape[0].shape, &s.shape[1].shape, pose, &s.options, NULL, touch);
                // one that is dropped by a hair is no difference
                if (count != find(&s, list)) {
                    other++;
                    continue;
                }
                for (int i = 0; i < count; i++) check_touch(&s, &list[i], &touch[i]);
                met += count;
            }
    printf("touches: %d, other numbers of them %d times\n", met, other);
    CHECK(met > 500 && other <= 5);
}

int main(void) {
    seed = test_seed(20260608);
    test_rates();
    test_layer();
    test_freeze();
    test_newton();
    test_closest();
    test_weights();
    test_weight_rates();
    test_stein();
    test_touches();
    return test_end("manifold");
}
