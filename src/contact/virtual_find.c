// SPDX-License-Identifier: MIT
// All virtual contacts of two shapes: unions by their members, smooth unions by Newton's method from the contacts of their
// members, and the weights w_i = exp(-phi_i/T) / sum.
#include "contact/virtual_pair.h"

tact_virtual_options tact_virtual_options_default(void) {
    tact_virtual_options options = {.manifold = TACT_MANIFOLD_FEATURES,
                                    .temperature = TACT_REAL(0.01),
                                    .k = 1,
                                    .particles = 20,
                                    .stein_steps = 500,
                                    .seed = 1};
    return options;
}

// The first field of the options that is out of range, or a fault without a field.
tact_fault tact_virtual_options_check(const tact_virtual_options *options) {
    TACT_ASSERT(options);
    tact_fault fault = {NULL, 0};
    tact_real T = options->temperature, most = TACT_REAL(TACT_MOST_LENGTH);
    if ((unsigned)options->manifold > TACT_MANIFOLD_DESCENT)
        fault.field = "manifold";
    else if (!(T > 0 && T <= most))
        fault.field = "temperature";
    else if (!(options->k >= 0 && options->k <= most))
        fault.field = "k";
    else if (options->particles < 1 || options->particles > TACT_STEIN_MAX)
        fault.field = "particles";
    else if (options->stein_steps < 0 || options->stein_steps > 1000000)
        fault.field = "stein_steps";
    return fault;
}

static int find_parts(const tact_planar_shape *shape) {
    return shape->member ? shape->count : 1;
}

static const tact_planar_shape *find_part(const tact_planar_shape *shape, int i) {
    return shape->member ? shape->member[i] : shape;
}

static int most_of_pair(const tact_planar_shape *a, const tact_planar_shape *b) {
    TACT_ASSERT(a && b);
    if (a->kind == TACT_PLANAR_SMOOTH || b->kind == TACT_PLANAR_SMOOTH) {
        int corners = (a->kind == TACT_PLANAR_CORE ? a->count : 0) + (b->kind == TACT_PLANAR_CORE ? b->count : 0);
        return find_parts(a) * find_parts(b) + corners;
    }
    if (a->kind == TACT_PLANAR_HALFPLANE) return b->kind == TACT_PLANAR_HALFPLANE ? 0 : b->count;
    if (b->kind == TACT_PLANAR_HALFPLANE) return a->count;
    if (a->count == 1 || b->count == 1) return 1;
    // apart and overlapping candidates, both where they nearly touch
    return a->count + b->count + (a->count > b->count ? a->count : b->count) + 2;
}

int tact_virtual_most(const tact_planar_shape *a, const tact_planar_shape *b, const tact_virtual_options *options) {
    TACT_ASSERT(options);
    int most = tact_manifold_scatters(options->manifold) ? options->particles : 0;
    if (most > 0) return most;
    // every member of one union against every member of the other
    for (int i = 0; i < tact_virtual_parts(a); i++)
        for (int j = 0; j < tact_virtual_parts(b); j++) most += most_of_pair(tact_virtual_part(a, i), tact_virtual_part(b, j));
    return most;
}

static bool is_known(const tact_virtual *list, int count, tact_vec2 x, tact_real reach) {
    for (int i = 0; i < count; i++) {
        tact_vec2 e = tact_vec2_sub(list[i].x, x);
        if (tact_vec2_dot(e, e) <= TACT_EPS * reach * reach) return true;
    }
    return false;
}

// Contacts of a smooth union: local minima, and the corners of the other shape. A point that Newton's method could not make a
// minimum, whose derivatives are unknown, counts only if it is deeper than all corners, as a member's corner that protrudes
// from the union.
static int find_smooth(const tact_virtual_pair *pair, tact_virtual *out) {
    bool left = false;
    // Newton's method from the closest points of all members, each minimum once; where it fails, as on a ridge of a distance
    // function, the last point reached is left in out
    const tact_planar_shape *a = pair->side[0].shape, *b = pair->side[1].shape;
    const tact_planar_pose pose[2] = {pair->side[0].pose, pair->side[1].pose};
    int count = 0;
    for (int i = 0; i < find_parts(a); i++)
        // start of Newton's method: the closest points of each pair of members
        for (int j = 0; j < find_parts(b); j++) {
            tact_virtual_pair start = tact_virtual_pair_make(find_part(a, i), find_part(b, j), pose, pair->options);
            tact_virtual *to = &out[count];
            if (!tact_virtual_closest(&start, to)) continue;
            left = true;
            if (tact_virtual_newton(a, b, pose, pair->options, to) != TACT_CONVERGED) continue;
            // a minimum already found from another start
            if (is_known(out, count, to->x, tact_min(a->reach, b->reach))) continue;
            to->feature = (4 * TACT_POLYGON_MAX) * 2 * TACT_POLYGON_MAX + i * TACT_POLYGON_MAX + j;
            count++;
        }
    left = left && count == 0;
    tact_virtual rest = out[0];
    tact_real deepest = -TACT_MAX;
    // corners of a polygon against the smooth union
    for (int s = 0; s < 2; s++) {
        const tact_planar_shape *shape = pair->side[s].shape;
        if (shape->kind != TACT_PLANAR_CORE || shape->count < 2) continue;
        for (int i = 0; i < shape->count; i++) {
            tact_virtual_project(pair, s, i, &out[count]);
            deepest = tact_max(deepest, out[count++].d);
        }
    }
    if (left && rest.d > deepest) out[count++] = rest;
    return count;
}

static int find_plain(const tact_virtual_pair *pair, tact_virtual *out) {
    TACT_ASSERT(pair->options);
    bool closest = pair->options->manifold == TACT_MANIFOLD_CLOSEST;
    if (pair->side[0].shape->kind == TACT_PLANAR_SMOOTH || pair->side[1].shape->kind == TACT_PLANAR_SMOOTH)
        return find_smooth(pair, out);
    return closest ? tact_virtual_closest(pair, out) : tact_virtual_features(pair, out);
}

// Whether a pair has particles: not two half-planes.
static bool has_particles(const tact_planar_shape *a, const tact_planar_shape *b) {
    return a->reach < TACT_MAX || b->reach < TACT_MAX;
}

static int find_particles(const tact_virtual_pair *pair, tact_virtual *out) {
    tact_vec2 room[TACT_STEIN_MAX];
    const tact_vec2 *x = pair->hold ? pair->hold->x : room;
    const tact_planar_pose pose[2] = {pair->side[0].pose, pair->side[1].pose};
    // frozen particles stay where the step began; otherwise they are found anew
    int count = pair->hold ? pair->hold->count : pair->options->particles;
    bool repel = pair->options->manifold == TACT_MANIFOLD_STEIN;
    if (!has_particles(pair->side[0].shape, pair->side[1].shape)) return 0;
    if (!pair->hold) tact_stein_descend(pair->side[0].shape, pair->side[1].shape, pose, pair->options, repel, room);
    for (int i = 0; i < count; i++) {
        tact_virtual_particle(pair, x[i], pair->hold ? pair->hold->near + 2 * i : NULL, &out[i]);
        out[i].feature = i;
    }
    return count;
}

static void set_equal(const tact_virtual_options *options, tact_real weight, tact_virtual *list, int count) {
    for (int i = 0; i < count; i++) {
        list[i].weight = weight;
        for (int k = 0; k < tact_virtual_columns(options); k++) list[i].dweight[k] = 0;
    }
}

static int least_cost(const tact_virtual *list, int count) {
    TACT_ASSERT(count > 0);
    int least = 0;
    for (int i = 1; i < count; i++)
        if (list[i].weight < list[least].weight) least = i;
    return least;
}

// Index of the contact of least cost, or of the frozen one if it still exists.
static int closest_of(const tact_virtual_hold *hold, const tact_virtual *list, int count) {
    for (int i = 0; hold && hold->feature >= 0 && i < count; i++)
        if (list[i].feature == hold->feature) return i;
    return least_cost(list, count);
}

// Clears the derivatives by sizes: a union has none by those of its members.
static void clear_sizes(int first, tact_virtual *out) {
    for (int k = first; k < first + TACT_PLANAR_SIZES; k++) {
        out->dx[k] = out->dn[k] = (tact_vec2){0, 0};
        out->dd[k] = out->dweight[k] = 0;
    }
}

static int feature_of_part(int i, int j) {
    return (i * TACT_POLYGON_MAX + j) << 16;
}

// Contacts of part i of the first shape with part j of the second; their number.
static int find_parts_contacts(const tact_virtual_pair *whole, int i, int j, tact_virtual *out) {
    TACT_ASSERT(i >= 0 && j >= 0);
    const tact_planar_shape *a = whole->side[0].shape, *b = whole->side[1].shape;
    tact_virtual_pair pair = *whole;
    pair.side[0].shape = tact_virtual_part(a, i);
    pair.side[1].shape = tact_virtual_part(b, j);
    int found = find_plain(&pair, out);
    // feature numbers are unique within the pair
    for (int c = 0; c < found; c++) {
        out[c].feature += feature_of_part(i, j);
        if (whole->options->sizes && a->kind == TACT_PLANAR_UNION) clear_sizes(TACT_VIRTUAL_SIZE1, &out[c]);
        if (whole->options->sizes && b->kind == TACT_PLANAR_UNION) clear_sizes(TACT_VIRTUAL_SIZE2, &out[c]);
    }
    return found;
}

int tact_virtual_find_held(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                           const tact_virtual_options *options, const tact_virtual_hold *hold, tact_virtual *out) {
    tact_virtual_pair pair = tact_virtual_pair_make(a, b, pose, options);
    int count = 0;
    TACT_ASSERT(options->temperature > 0 || options->manifold == TACT_MANIFOLD_CLOSEST);
    // particles belong to the pair as a whole, other contacts to the members
    pair.hold = hold;
    if (tact_manifold_scatters(options->manifold)) {
        count = find_particles(&pair, out);
    } else {
        for (int i = 0; i < tact_virtual_parts(a); i++)
            for (int j = 0; j < tact_virtual_parts(b); j++)
                if (!hold || (i == hold->part[0] && j == hold->part[1])) count += find_parts_contacts(&pair, i, j, out + count);
    }
    if (!(count > 0)) return 0;
    // weights: closest 1, sum 1 each, particles equal shares, features by cost
    switch (options->manifold) {
    case TACT_MANIFOLD_CLOSEST: {
        // CLOSEST: one contact of weight 1; SUM: all of weight 1; particles: equal shares; FEATURES: by cost
        int least = closest_of(hold, out, count);
        if (least > 0) out[0] = out[least];
        count = 1;
        set_equal(options, 1, out, count);
        break;
    }
    case TACT_MANIFOLD_SUM: set_equal(options, 1, out, count); break;
    case TACT_MANIFOLD_STEIN:
    case TACT_MANIFOLD_DESCENT: set_equal(options, 1 / (tact_real)count, out, count); break;
    case TACT_MANIFOLD_FEATURES:
        if (count == 1) {
            set_equal(options, 1, out, 1);
        } else {
            // dw_i = -w_i (dphi_i - sum_j w_j dphi_j)/T
            // w_i = exp(-phi_i/T)/sum, from the least cost, so that nothing overflows.
            tact_real T = options->temperature, least = out[least_cost(out, count)].weight, sum = 0;
            for (int i = 0; i < count; i++) {
                out[i].weight = tact_exp((least - out[i].weight) / T);
                sum += out[i].weight;
            }
            for (int i = 0; i < count; i++) out[i].weight /= sum;
            // dw_i = w_i (sum_j w_j dphi_j - dphi_i)/T
            for (int k = 0; k < tact_virtual_columns(options); k++) {
                tact_real mean = 0;
                for (int i = 0; i < count; i++) mean += out[i].weight * out[i].dweight[k];
                for (int i = 0; i < count; i++) out[i].dweight[k] = out[i].weight * (mean - out[i].dweight[k]) / T;
            }
            // drop contacts whose weight is rounding beside the largest
            int kept = 0;
            for (int i = 0; i < count; i++) {
                if (!(out[i].weight > TACT_EPS / 2)) continue;
                if (kept < i) out[kept] = out[i];
                kept++;
            }
            count = kept;
        }
        break;
    }
    return count;
}

int tact_virtual_find(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                      const tact_virtual_options *options, tact_virtual *out) {
    return tact_virtual_find_held(a, b, pose, options, NULL, out);
}

// Closest contact of two smooth unions, or of one and another shape: its number and cost.
static bool choose_smooth(const tact_virtual_pair *pair, tact_virtual_hold *hold, tact_virtual *list, tact_real *phi) {
    int count = find_smooth(pair, list), least = count > 0 ? least_cost(list, count) : 0;
    if (count == 0) return false;
    hold->feature = list[least].feature + feature_of_part(hold->part[0], hold->part[1]);
    *phi = list[least].weight;
    return true;
}

void tact_virtual_choose(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                         const tact_virtual_options *options, tact_virtual_hold *hold, tact_virtual *list) {
    TACT_ASSERT(options && hold);
    const tact_planar_shape *shape[2] = {a, b};
    // FEATURES and SUM freeze the reference edge only
    if (!tact_virtual_holds(options->manifold)) {
        tact_virtual_pair pair = tact_virtual_pair_make(a, b, pose, options);
        bool cores = a->kind == TACT_PLANAR_CORE && b->kind == TACT_PLANAR_CORE;
        *hold = (tact_virtual_hold){.found = true, .feature = -1};
        hold->axis = cores && tact_virtual_choose_axis(&pair, hold);
        return;
    }
    hold->found = true;
    hold->part[0] = hold->part[1] = -1;
    hold->count = 0;
    if (!tact_manifold_scatters(options->manifold)) {
        tact_real least = TACT_MAX;
        // least cost over all pairs of members
        for (int i = 0; i < tact_virtual_parts(a); i++)
            for (int j = 0; j < tact_virtual_parts(b); j++) {
                const tact_planar_shape *first = tact_virtual_part(a, i), *second = tact_virtual_part(b, j);
                tact_virtual_pair pair = tact_virtual_pair_make(first, second, pose, options);
                bool smooth = first->kind == TACT_PLANAR_SMOOTH || second->kind == TACT_PLANAR_SMOOTH;
                tact_virtual_hold one = {.found = true, .part = {i, j}, .feature = -1};
                tact_real phi = 0;
                if (!(smooth ? choose_smooth(&pair, &one, list, &phi) : tact_virtual_choose_candidate(&pair, &one, &phi)))
                    continue;
                if (!(phi < least)) continue;
                least = phi;
                *hold = one;
            }
        return;
    }
    if (!has_particles(a, b)) return;
    // particles at the poses of the beginning of the step, and the nearest parts of both shapes
    hold->count = options->particles;
    tact_stein_descend(a, b, pose, options, options->manifold == TACT_MANIFOLD_STEIN, hold->x);
    for (int i = 0; i < 2 * hold->count; i++) {
        tact_vec2 y = tact_planar_unrotate(pose[i % 2], tact_vec2_sub(hold->x[i / 2], pose[i % 2].p));
        hold->near[i] = tact_planar_part_at(shape[i % 2], y);
    }
}
