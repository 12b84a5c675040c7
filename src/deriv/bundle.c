// SPDX-License-Identifier: MIT
// Averaged gradients of perturbed rollouts. Normal random numbers by Box and Muller from splitmix64 (Steele, Lea, Flood 2014).
#include "math/elementary.h"
#include "math/random.h"
#include "tact/rollout.h"

#define TWO_PI TACT_REAL(6.28318530717958647693)

static tact_real bundle_uniform(uint64_t *state) {
    // in (0, 1), with as many bits as a float holds
    return ((tact_real)(tact_random_bits(state) >> 41) + TACT_REAL(0.5)) / 8388608;
}

static tact_real bundle_normal(uint64_t *state) {
    tact_real radius = tact_sqrt(-2 * tact_log(bundle_uniform(state)));
    return radius * tact_cos(TWO_PI * bundle_uniform(state));
}

tact_rollout_result tact_rollout_gradient_bundled(const tact_model *model, const tact_options *options,
                                                  const tact_rollout *rollout, const tact_state *start, tact_rollout_work *work,
                                                  const tact_rollout_bundle *bundle, tact_real *u_bar) {
    TACT_ASSERT(model && rollout && bundle && bundle->u && bundle->sum && u_bar);
    TACT_ASSERT(rollout->steps >= 0);
    int count = rollout->steps * model->nu;
    tact_rollout disturbed = *rollout;
    tact_rollout_slope slope = {.u = u_bar};
    tact_rollout_result result = {.status = TACT_CONVERGED, .step = rollout->steps};
    tact_real loss = 0;
    TACT_ASSERT(bundle->samples > 0 && rollout->u);
    disturbed.u = bundle->u;
    for (int i = 0; i < count; i++) bundle->sum[i] = 0;
    // antithetic pairs: +sigma and -sigma of the same numbers
    for (int s = 0; s < 2 * bundle->samples; s++) {
        // the mirror image draws the same numbers
        uint64_t state = bundle->seed + 0x632be59bd9b4e019u * (uint64_t)(s / 2);
        tact_real sigma = s % 2 == 0 ? bundle->sigma : -bundle->sigma;
        for (int i = 0; i < count; i++) bundle->u[i] = rollout->u[i] + sigma * bundle_normal(&state);
        result = tact_rollout_gradient(model, options, &disturbed, start, work, &slope);
        if (result.status < 0) return result;
        loss += result.loss;
        for (int i = 0; i < count; i++) bundle->sum[i] += u_bar[i];
    }
    for (int i = 0; i < count; i++) u_bar[i] = bundle->sum[i] / (tact_real)(2 * bundle->samples);
    result.loss = loss / (tact_real)(2 * bundle->samples);
    return result;
}
