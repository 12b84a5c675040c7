// SPDX-License-Identifier: MIT
// Particles by Stein variational gradient descent (Liu and Wang 2016) for the density exp(-phi/T). Each iteration moves all of
// them at once; sums run in the order of the particles.
#include "contact/virtual_pair.h"
#include "math/random.h"

static tact_real stein_random(uint64_t *state) {
    // 24 bits are exact in both precisions
    return (tact_real)(tact_random_bits(state) >> 40) / 16777216;
}

// The k-th smallest number (quickselect).
static tact_real select_rank(tact_real *list, int count, int k) {
    TACT_ASSERT(0 <= k && k < count);
    // quickselect with the middle element as pivot
    int low = 0, high = count - 1;
    while (low < high) {
        tact_real pivot = list[(low + high) / 2];
        int i = low, j = high;
        // smaller ones to the left, larger ones to the right
        while (i <= j) {
            while (list[i] < pivot) i++;
            while (list[j] > pivot) j--;
            if (i > j) break;
            tact_real other = list[i];
            list[i++] = list[j];
            list[j--] = other;
        }
        // continue with the side that contains rank k
        if (k <= j)
            high = j;
        else if (k >= i)
            low = i;
        else
            break;
    }
    return list[k];
}

// Bandwidth: median of |x_i - x_j|^2 over 2 ln(N + 1).
static tact_real stein_width(const tact_vec2 *x, int count) {
    TACT_ASSERT(count <= TACT_STEIN_MAX);
    tact_real square[TACT_STEIN_MAX * (TACT_STEIN_MAX - 1) / 2 + 1];
    int n = 0;
    // all squared distances, and their median
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            tact_vec2 e = tact_vec2_sub(x[i], x[j]);
            square[n++] = tact_vec2_dot(e, e);
        }
    tact_real median = n > 0 ? select_rank(square, n, n / 2) : 0;
    return tact_max(median / (2 * tact_log((tact_real)count + 1)), TACT_EPS);
}

void tact_stein_descend(const tact_planar_shape *a, const tact_planar_shape *b, const tact_planar_pose pose[2],
                        const tact_virtual_options *options, bool repel, tact_vec2 *x) {
    tact_virtual_pair pair = tact_virtual_pair_make(a, b, pose, options);
    TACT_ASSERT(1 <= options->particles && options->particles <= TACT_STEIN_MAX);
    // the curvature of phi across the contact is 8 k; the step decreases to a tenth, so that particles settle at corners
    tact_real first = options->temperature / (1 + 8 * options->k);
    // uniform in a square around the smaller shape
    const tact_virtual_side *side = &pair.side[pair.side[1].shape->reach < pair.side[0].shape->reach ? 1 : 0];
    tact_vec2 centre = tact_vec2_add(side->pose.p, tact_planar_rotate(side->pose, side->shape->centre));
    uint64_t state = pair.options->seed;
    for (int i = 0; i < pair.options->particles; i++) {
        tact_real u = 2 * stein_random(&state) - 1, v = 2 * stein_random(&state) - 1;
        x[i] = tact_vec2_add_scaled(centre, side->shape->reach, tact_vec2_make(u, v));
    }
    for (int n = 0; n < options->stein_steps; n++) {
        tact_real done = (tact_real)n / (tact_real)options->stein_steps;
        // step size decreases with n
        tact_real eta = first * (1 - TACT_REAL(0.9) * done);
        tact_vec2 slope[TACT_STEIN_MAX], move[TACT_STEIN_MAX];
        int count = pair.options->particles;
        tact_real T = pair.options->temperature, h2 = repel ? stein_width(x, count) : 0;
        // without repulsion: gradient descent on phi/T
        for (int i = 0; i < count; i++) {
            slope[i] = tact_virtual_slope(&pair, x[i]);
            move[i] = tact_vec2_scale(-1 / T, slope[i]);
        }
        // Stein's direction: sum_j kernel (-grad phi_j/T) + grad kernel
        for (int i = 0; repel && i < count; i++)
            for (int j = 0; j < i; j++) {
                tact_vec2 e = tact_vec2_sub(x[i], x[j]);
                tact_real kernel = tact_exp(-tact_vec2_dot(e, e) / (2 * h2));
                tact_vec2 apart = tact_vec2_scale(kernel / h2, e);
                move[i] = tact_vec2_add(tact_vec2_add_scaled(move[i], -kernel / T, slope[j]), apart);
                move[j] = tact_vec2_sub(tact_vec2_add_scaled(move[j], -kernel / T, slope[i]), apart);
            }
        tact_real share = repel ? eta / (tact_real)count : eta;
        for (int i = 0; i < count; i++) x[i] = tact_vec2_add_scaled(x[i], share, move[i]);
    }
}
