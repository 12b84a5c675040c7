// SPDX-License-Identifier: MIT
// Each option of a step outside of its range on either side, or not a number: refused by name. The ends of a range are accepted.
#include <stddef.h>

#include "tact/sim.h"
#include "test.h"

typedef struct {
    const char *name;
    size_t at;
    double low, high;  // the range; 0 and the number of words for an enum
    bool word;
} range;

#define REAL(name, low, high) \
    { #name, offsetof(tact_options, name), low, high, false }
#define WORD(name, last) \
    { #name, offsetof(tact_options, name), 0, last, true }

static const range ranges[] = {
    REAL(dt, 1e-6, 1),
    REAL(kappa, 1, 1e8),
    REAL(epsilon, 0, 1000),
    REAL(margin, 0, (double)TACT_MAX),
    REAL(limit_kappa, 1, 1e12),
    REAL(force_min, 0, (double)TACT_MAX),
    REAL(temperature, 0, 1000),
    REAL(kn, 0, 1e12),
    REAL(kd, 0, 1e12),
    REAL(kt, 0, 1e12),
    REAL(spread, 1e-9, 1000),
    WORD(level, TACT_LEVEL_VELOCITY),
    WORD(cone, TACT_CONE_EXACT),
    WORD(integrator, TACT_INTEGRATOR_MIDPOINT),
    WORD(penalty, TACT_PENALTY_QUADRATIC),
    WORD(friction, TACT_FRICTION_NONE),
    WORD(damping, TACT_DAMPING_SUM),
    WORD(gradient, TACT_GRADIENT_FROZEN),
    WORD(manifold, TACT_MANIFOLD_DESCENT),
};

static const char *with(const range *r, double value) {
    tact_options options = tact_options_default();
    char *place = (char *)&options + r->at;
    tact_real real = (tact_real)value;
    int word = r->word ? (int)value : 0;
    if (r->word)
        memcpy(place, &word, sizeof word);
    else
        memcpy(place, &real, sizeof real);
    return tact_options_check(&options);
}

static void test_range(const range *r) {
    // -1 means automatic for some, so that what is below lies further
    double below = r->word ? -1 : r->low > 0 ? r->low / 2 : -3, above = r->word ? r->high + 1 : 2 * r->high;
    CHECK(with(r, r->low) == NULL);
    CHECK(with(r, r->high) == NULL);
    CHECK_TEXT(with(r, below), r->name);
    CHECK_TEXT(with(r, above), r->name);
    if (!r->word) CHECK_TEXT(with(r, (double)NAN), r->name);
}

static void test_others(void) {
    tact_options options = tact_options_default();
    for (int k = 0; k < 6; k++) {
        options.gravity = tact_vec3_make(0, 0, 0);
        (&options.gravity.x)[k / 2] = k % 2 ? 1001 : -1001;
        CHECK_TEXT(tact_options_check(&options), "gravity");
    }
    options = tact_options_default();
    options.tolerance = 0;
    CHECK_TEXT(tact_options_check(&options), "tolerance");
    options.tolerance = TACT_REAL(0.02);
    CHECK_TEXT(tact_options_check(&options), "tolerance");
    options = tact_options_default();
    options.max_iterations = 0;
    CHECK_TEXT(tact_options_check(&options), "max_iterations");
    options.max_iterations = 10001;
    CHECK_TEXT(tact_options_check(&options), "max_iterations");
    options = tact_options_default();
    options.margin = TACT_MARGIN_AUTO;
    options.force_min = TACT_FORCE_AUTO;
    CHECK(tact_options_check(&options) == NULL);
}

int main(void) {
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) test_range(&ranges[i]);
    test_others();
    return test_end("options");
}
