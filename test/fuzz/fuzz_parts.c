// SPDX-License-Identifier: MIT
// What the laws are made of, of any numbers: factors (LU, envelopes, blocks), distances of shapes in space and in the plane,
// virtual contacts, descent of a function that may say anything. Of tame numbers factors solve their equations, gradients of
// distances are of unit length, weights add up to one; descent stays within its bounds and budget and never ends higher than it
// began.
#include "fuzz_model.h"
#include "plan/lbfgs.h"
#include "solve/blocks.h"
#include "solve/lu.h"
#include "solve/skyline.h"

enum { N = 6 };

static bool tame_and(const fuzz_source *source, bool condition) {
    return !source->wild && condition;
}

// largest |A x - b| (or of A') over the largest |A| |x|
static double residual_of(int n, const tact_real *A, const tact_real *x, const tact_real *b, bool transposed) {
    double worst = 0, size = 1e-300;
    for (int i = 0; i < n; i++) {
        double sum = -(double)b[i];
        for (int j = 0; j < n; j++) {
            double term = (double)A[transposed ? j * n + i : i * n + j] * (double)x[j];
            sum += term;
            size = fmax(size, fabs(term));
        }
        worst = fmax(worst, fabs(sum));
    }
    return worst / size;
}

static void factor_dense(fuzz_source *source) {
    int n = 1 + fuzz_below(source, N), order[N];
    tact_real A[N * N], value[N * N], size[N], b[N], spoilt[N], x[N];
    fuzz_fill(source, A, n * n);
    fuzz_fill(source, b, n);
    memcpy(value, A, sizeof A);
    memcpy(spoilt, b, sizeof b);
    tact_lu lu = {.n = n, .stride = (size_t)n, .value = value, .order = order};
    if (!tact_lu_factor(&lu, 64 * TACT_EPS, size)) return;
    tact_lu_solve(&lu, b, x);
    if (!source->wild) fuzz_require(residual_of(n, A, x, b, false) <= 1e4 * (double)TACT_EPS, "LU: A x = b");
    tact_lu_solve_transposed(&lu, spoilt, x);
    if (!source->wild) fuzz_require(residual_of(n, A, x, b, true) <= 1e-2, "LU: A'x = b");
}

static void factor_envelope(fuzz_source *source) {
    int n = 1 + fuzz_below(source, N), first[N], start[N + 1];
    tact_real value[N * (N + 1) / 2], A[N * N] = {0}, pivot[N], b[N], x[N];
    for (int i = 0; i < n; i++) first[i] = fuzz_below(source, i + 1);
    tact_skyline S = {n, first, start, value};
    int entries = tact_skyline_layout(&S);
    fuzz_require(entries <= n * (n + 1) / 2, "envelope: within the triangle");
    fuzz_fill(source, value, entries);
    bool dominant = fuzz_below(source, 2);
    for (int i = 0; i < n; i++) {
        tact_real *row = tact_skyline_row(&S, i);
        if (dominant) row[i] = 30 + (tact_real)fabs((double)row[i]);
        for (int j = first[i]; j <= i; j++) A[i * n + j] = A[j * n + i] = row[j];
    }
    fuzz_fill(source, b, n);
    memcpy(x, b, sizeof x);
    if (!tact_skyline_factor(&S, pivot)) return;
    tact_skyline_solve(&S, pivot, x);
    if (tame_and(source, dominant)) fuzz_require(residual_of(n, A, x, b, false) <= 1e4 * (double)TACT_EPS, "envelope: A x = b");
}

static void place_blocks(void *work, const void *room, tact_arena *arena) {
    tact_blocks_place(work, *(const tact_blocks_room *)room, arena);
}

static void factor_blocks(fuzz_source *source) {
    enum { NODES = 4, WIDEST = 3 };
    int nodes = 1 + fuzz_below(source, NODES), start[NODES + 1] = {0};
    tact_blocks_room room = {.nodes = nodes, .widest = 1, .edges = nodes * (nodes - 1) / 2};
    for (int i = 0; i < nodes; i++) {
        int own = 1 + fuzz_below(source, WIDEST);
        start[i + 1] = start[i] + own;
        room.squares += own * own;
        if (own > room.widest) room.widest = own;
    }
    int n = start[nodes];
    tact_blocks blocks;
    tact_real A[NODES * WIDEST * NODES * WIDEST] = {0}, b[NODES * WIDEST], x[NODES * WIDEST];
    void *memory = fuzz_take(place_blocks, &blocks, &room);
    blocks.start = start;
    tact_blocks_clear(&blocks);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < i; j++)
            if (fuzz_below(source, 2)) tact_blocks_join(&blocks, i, j);
    fuzz_require(tact_blocks_arrange(&blocks), "blocks: room for every edge");
    tact_blocks_zero(&blocks);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++) {
            tact_real *block = tact_blocks_find(&blocks, i, j);
            int wide = start[j + 1] - start[j];
            for (int k = 0; block && k < (start[i + 1] - start[i]) * wide; k++) {
                int row = start[i] + k / wide, column = start[j] + k % wide;
                block[k] = A[row * n + column] = fuzz_real(source) + (row == column ? 40 : 0);
            }
        }
    fuzz_fill(source, b, n);
    for (int transposed = 0; transposed < 1 && tact_blocks_factor(&blocks); transposed++) {
        memcpy(x, b, sizeof x);
        tact_blocks_solve(&blocks, x);
        if (!source->wild) fuzz_require(residual_of(n, A, x, b, false) <= 1e5 * (double)TACT_EPS, "blocks: A x = b");
        memcpy(x, b, sizeof x);
        tact_blocks_solve_transposed(&blocks, x);
        if (!source->wild) fuzz_require(residual_of(n, A, x, b, true) <= 1e5 * (double)TACT_EPS, "blocks: A'x = b");
    }
    free(memory);
}

// coordinates for which distances are promised: to a quarter of the largest number
static tact_real coordinate(fuzz_source *source) {
    tact_real x = fuzz_real(source);
    return fabs((double)x) <= (double)TACT_MAX / 4 ? x : 1;
}

// a size that a model's check accepts
static tact_real accepted(fuzz_source *source) {
    double x = fabs((double)fuzz_real(source));
    return (tact_real)(x >= 1e-6 && x <= TACT_MOST_LENGTH ? x : 0.5);
}

static void measure_space(fuzz_source *source) {
    tact_shape shape = {.body = TACT_WORLD, .type = (tact_shape_type)fuzz_below(source, 10), .place = tact_pose_identity()};
    if (shape.type == TACT_SHAPE_POLYGON) shape.type = TACT_SHAPE_HALFPLANE;
    for (int k = 0; k < 3; k++) shape.size[k] = accepted(source);
    tact_vec3 x = {coordinate(source), coordinate(source), coordinate(source)};
    tact_distance d = tact_shape_distance(&shape, x);
    tact_mat3 H = tact_shape_hessian(&shape, x);
    double g = hypot(hypot((double)d.gradient.x, (double)d.gradient.y), (double)d.gradient.z);
    fuzz_require(fuzz_finite(&d.value, 1) && fabs(g - 1) < 1e-4, "distances: a number, and a gradient of unit length");
    fuzz_require(fuzz_finite(&H.m[0][0], 9), "distances: a finite Hessian");
    tact_mat3 frame = tact_frame_from_normal(d.gradient);
    fuzz_require(fuzz_finite(&frame.m[0][0], 9), "distances: a finite frame");
}

// a shape in the plane with its corners
typedef struct {
    tact_shape shape;
    tact_vec2 point[5];
    tact_planar_corner corner[8];
    tact_planar_shape planar;
} flat_shape;

static void make_flat(flat_shape *flat, fuzz_source *source) {
    static const tact_shape_type types[] = {TACT_SHAPE_CIRCLE, TACT_SHAPE_RECTANGLE, TACT_SHAPE_POLYGON, TACT_SHAPE_HALFPLANE};
    static const tact_vec2 corner[5] = {{1, 0}, {TACT_REAL(0.3), 1}, {-1, TACT_REAL(0.5)}, {-1, TACT_REAL(-0.5)}, {0, -1}};
    const tact_plane plane = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, 0};
    *flat = (flat_shape){.shape = {.body = TACT_WORLD, .type = types[fuzz_below(source, 4)], .place = tact_pose_identity()}};
    flat->shape.place.p = tact_vec3_make(fuzz_real(source), fuzz_real(source), 0);
    if (!(fabs((double)flat->shape.place.p.x) + fabs((double)flat->shape.place.p.y) <= TACT_MOST_LENGTH))
        flat->shape.place.p = tact_vec3_make(0, 0, 0);
    for (int k = 0; k < 2; k++) flat->shape.size[k] = accepted(source);
    if (flat->shape.type == TACT_SHAPE_RECTANGLE && fuzz_below(source, 2))
        flat->shape.size[2] = (flat->shape.size[0] < flat->shape.size[1] ? flat->shape.size[0] : flat->shape.size[1]) / 2;
    if (flat->shape.type == TACT_SHAPE_POLYGON) {
        memcpy(flat->point, corner, sizeof corner);
        flat->shape.count = 3 + fuzz_below(source, 3);
        flat->shape.point = flat->point;
        flat->shape.size[1] = 0;
    }
    fuzz_require(tact_planar_corners(&flat->shape, &plane, tact_pose_identity()) <= 8, "planar: corners");
    tact_planar_shape_make(&flat->planar, &flat->shape, &plane, tact_pose_identity(), flat->corner);
}

static void measure_plane(fuzz_source *source) {
    flat_shape flat;
    make_flat(&flat, source);
    tact_real x = coordinate(source), y = coordinate(source);
    // squares of what is farther overflow
    if (!(fabs((double)x) + fabs((double)y) <= 1e9)) x = y = 3;
    tact_planar_distance d = tact_planar_distance_at(&flat.planar, (tact_vec2){x, y});
    double g = hypot((double)d.gradient.x, (double)d.gradient.y);
    fuzz_require(fuzz_finite(&d.value, 1) && fabs(g - 1) < 1e-4, "planar: a number, and a gradient of unit length");
    fuzz_require(fuzz_finite(&d.hessian.xx, 3), "planar: a finite Hessian");
    fuzz_require(fuzz_finite(d.by_size, flat.planar.nsize), "planar: finite derivatives by sizes");
    fuzz_require(tact_planar_value(&flat.planar, (tact_vec2){x, y}) == d.value, "planar: one value");
}

static tact_planar_pose any_planar_pose(fuzz_source *source) {
    tact_real x = fuzz_real(source), y = fuzz_real(source);
    bool far = !(fabs((double)x) + fabs((double)y) <= TACT_MOST_LENGTH);
    double angle = fuzz_byte(source) / 20.0;
    return (tact_planar_pose){{far ? 0 : x, far ? 0 : y}, {(tact_real)cos(angle), (tact_real)sin(angle)}};
}

static void find_contacts(fuzz_source *source) {
    enum { ROOM = 40 };
    static tact_virtual out[ROOM];
    flat_shape a, b;
    make_flat(&a, source);
    make_flat(&b, source);
    tact_planar_pose pose[2] = {any_planar_pose(source), any_planar_pose(source)};
    tact_virtual_options options = tact_virtual_options_default();
    options.manifold = (tact_manifold)fuzz_below(source, 5);
    options.sizes = fuzz_below(source, 2);
    options.freeze = fuzz_below(source, 2);
    options.particles = 1 + fuzz_below(source, 6);
    options.stein_steps = fuzz_below(source, 10);
    int most = tact_virtual_most(&a.planar, &b.planar, &options);
    if (most > ROOM) return;
    int count = tact_virtual_find(&a.planar, &b.planar, pose, &options, out);
    double weight = 0;
    fuzz_require(count >= 0 && count <= most, "contacts: as many as there may be");
    for (int i = 0; i < count; i++) {
        weight += (double)out[i].weight;
        fuzz_require(fuzz_finite(&out[i].d, 1) && fuzz_finite(&out[i].x.x, 2), "contacts: numbers");
        fuzz_require(fabs(hypot((double)out[i].n.x, (double)out[i].n.y) - 1) < 1e-4, "contacts: a normal of unit length");
        fuzz_require(fuzz_finite(out[i].dd, 6) && fuzz_finite(&out[i].dn[0].x, 12), "contacts: finite derivatives");
    }
    bool sums = count > 0 && options.manifold != TACT_MANIFOLD_SUM;
    fuzz_require(!sums || fabs(weight - 1) < 1e-4, "contacts: weights add up");
    if (count > 0 && options.manifold == TACT_MANIFOLD_CLOSEST)
        fuzz_require(tact_virtual_newton(&a.planar, &b.planar, pose, &options, out) >= 0, "contacts: Newton's method ends");
}

// a bowl, spoilt at times
typedef struct {
    fuzz_source *source;
    int n, calls;
    tact_real least;
} any_function;

static tact_real evaluate(void *context, const tact_real *x, tact_real *gradient) {
    any_function *f = context;
    tact_real value = 0;
    f->calls++;
    for (int i = 0; i < f->n; i++) {
        tact_real off = x[i] - (tact_real)i / 2;
        value += (tact_real)(i + 1) * off * off;
        gradient[i] = (tact_real)(2 * i + 2) * off;
    }
    uint8_t spoil = fuzz_byte(f->source);
    if (spoil > 200) value = fuzz_real(f->source);
    if (spoil > 230) gradient[spoil % f->n] = fuzz_real(f->source);
    return value;
}

static void place_lbfgs(void *work, const void *n, tact_arena *arena) {
    tact_lbfgs_place(work, *(const int *)n, 3, arena);
}

static void descend(fuzz_source *source) {
    int n = 1 + fuzz_below(source, 4);
    bool bounds = fuzz_below(source, 2);
    tact_real x[4], lower[4], upper[4];
    any_function f = {.source = source, .n = n};
    tact_lbfgs lbfgs;
    fuzz_fill(source, x, n);
    for (int i = 0; i < n; i++) {
        lower[i] = fuzz_real(source);
        upper[i] = source->wild ? fuzz_real(source) : lower[i] + (tact_real)fabs((double)fuzz_real(source));
    }
    tact_lbfgs_problem problem = {
        .n = n, .lower = bounds ? lower : NULL, .upper = bounds ? upper : NULL, .context = &f, .evaluate = evaluate};
    tact_lbfgs_options options = tact_lbfgs_options_default();
    options.iteration_limit = fuzz_below(source, 10);
    options.evaluation_limit = 1 + fuzz_below(source, 30);
    if (fuzz_below(source, 4) == 0) options.tolerance = fuzz_real(source);
    void *memory = fuzz_take(place_lbfgs, &lbfgs, &n);
    tact_lbfgs_result result = tact_lbfgs_minimise(&lbfgs, &problem, options, x);
    static const tact_status known[] = {TACT_CONVERGED, TACT_STATIONARY, TACT_ITERATION_LIMIT, TACT_BAD_INPUT};
    fuzz_status(result.status, known, "descent: a status that is named");
    fuzz_require(f.calls <= options.evaluation_limit, "descent: within its budget");
    if (result.status != TACT_BAD_INPUT) {
        fuzz_require(fuzz_finite(x, n) && fuzz_finite(&result.value, 1), "descent: numbers");
        for (int i = 0; i < n && bounds; i++) fuzz_require(x[i] >= lower[i] && x[i] <= upper[i], "descent: within bounds");
    }
    free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static void (*const kinds[])(fuzz_source *) = {factor_dense,  factor_envelope, factor_blocks, measure_space,
                                                   measure_plane, find_contacts,   descend};
    fuzz_source source = fuzz_begin(bytes, size);
    kinds[fuzz_below(&source, 7)](&source);
    return 0;
}
