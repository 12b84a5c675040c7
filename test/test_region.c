// SPDX-License-Identifier: MIT
// The contact trust region on the Allegro hand with a cube: its gaps and forces against the step's own and against differences,
// its reach against bisection, its programs against random points, and what it promises against 10,000 steps.
#include "tact/region.h"

#include "math/elementary.h"
#include "random_model.h"
#include "scene_test.h"
#include "solve/barrier.h"
#include "tact/mpc.h"

#define DOUBLE (sizeof(tact_real) == sizeof(double))

enum { MOST_PAIRS = 512, MOST_COMMANDS = 32 };

static tact_state before, after, moved;
static tact_work work, other;
static tact_deriv_work deriv;
static tact_region region;
static tact_options options;
static tact_real u[MOST_COMMANDS], changed[MOST_COMMANDS], du[MOST_COMMANDS];
static tact_real D[3 * MOST_PAIRS * MOST_COMMANDS], B[64 * MOST_COMMANDS];

static void *take(size_t size) {
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    CHECK(memory != NULL);
    return memory;
}

static void *memory[7];

static bool open_hand(void) {
    char said[512];
    scene = tact_scene_load("data/scenes/allegro_cube.json", said, sizeof said);
    CHECK(scene != NULL);
    if (!scene) return false;
    const tact_model *model = &scene->model;
    // every third pair without friction
    for (int i = 0; i < model->npair; i += 3) ((tact_pair *)&model->pair[i])->mu = 0;
    size_t state = tact_state_size(model), step = tact_work_size(model), slopes = tact_deriv_size(model);
    CHECK(model->nu <= MOST_COMMANDS && model->npair <= MOST_PAIRS && model->nv <= 64);
    for (int i = 0; i < 3; i++) memory[i] = take(state);
    for (int i = 3; i < 5; i++) memory[i] = take(step);
    memory[5] = take(slopes);
    memory[6] = take(tact_region_size(model, 2));
    tact_state *states[] = {&before, &after, &moved};
    for (int i = 0; i < 3; i++) tact_state_init(states[i], model, memory[i], state);
    tact_work_init(&work, model, memory[3], step);
    tact_work_init(&other, model, memory[4], step);
    tact_deriv_init(&deriv, model, memory[5], slopes);
    CHECK_INT(tact_region_init(&region, model, 2, memory[6], tact_region_size(model, 2) / 2), TACT_NO_MEMORY);
    CHECK_INT(tact_region_init(&region, model, 2, memory[6], tact_region_size(model, 2)), TACT_CONVERGED);
    options = scene->options;
    options.dt = TACT_REAL(0.1);
    options.kappa = 3000;
    options.margin = TACT_REAL(0.02);
    options.epsilon = 100;
    options.anchor = false;
    return true;
}

static void close_hand(void) {
    for (int i = 0; i < 7; i++) free(memory[i]);
    close_scene();
}

// one random step, linearised, as step k of the region; false where there is no answer
static bool make_step(uint64_t *seed, int k) {
    const tact_model *model = &scene->model;
    tact_state_reset(&before, model);
    tact_hold(model, &before, u);
    for (int i = 0; i < model->nu; i++) u[i] += random_real(seed, -0.15, 0.25);
    tact_input input = {.u = u};
    // twice, so that the fingers have come to bear
    if (tact_step(model, &options, &input, &before, &work) < 0) return false;
    for (int i = 0; i < model->nu; i++) u[i] += random_real(seed, -0.05, 0.1);
    tact_state_copy(&after, &before, model);
    if (tact_step(model, &options, &input, &after, &work) < 0) return false;
    if (tact_deriv_linearise(model, &options, &input, &before, &work, &deriv) < 0) return false;
    tact_jacobians matrices = {.B = B, .D = D};
    tact_deriv_matrices(model, &work, &deriv, &matrices);
    tact_region_set(&region, k, model, &options, &work, D);
    return true;
}

// nu and lambda of contact c of a work
static void find_contact(const tact_work *of, int c, tact_real nu[3], const tact_real **lambda) {
    tact_barrier_gap(&of->cone[c], of->d, nu);
    *lambda = of->contacts.contact[c].lambda;
}

// how far (nu + t dnu, lambda + t dlambda) of all contacts are inside their cones, from the step's own nu and forces; the changes
// of nu by differences of two steps
static bool is_inside(const tact_model *model, const double *dnu, const double *dlambda, double t) {
    for (int c = 0; c < work.contacts.count; c++) {
        tact_real nu[3];
        const tact_real *lambda = NULL;
        find_contact(&work, c, nu, &lambda);
        double mu = (double)model->pair[work.contacts.contact[c].pair].mu, x[3], f[3];
        for (int i = 0; i < 3; i++) {
            x[i] = (double)nu[i] + t * dnu[3 * c + i];
            f[i] = (double)lambda[i] + t * dlambda[3 * c + i];
        }
        if (!(x[0] > mu * hypot(x[1], x[2]))) return false;
        if (lambda[0] >= region.bearing && !(mu > 0 ? mu * f[0] > hypot(f[1], f[2]) : f[0] > 0)) return false;
    }
    return true;
}

static void test_reach(uint64_t *seed) {
    const tact_model *model = &scene->model;
    double worst = 0, worst_gap = 0;
    int made = 0;
    for (int round = 0; round < test_rounds(60); round++) {
        region.bearing = round % 4 == 0 ? 0 : TACT_REAL(0.01);
        double dnu[3 * MOST_PAIRS], dlambda[3 * MOST_PAIRS];
        if (!make_step(seed, 0)) continue;
        for (int i = 0; i < model->nu; i++) du[i] = random_real(seed, -0.01, 0.01);
        // D du, and nu of two steps beside each other
        tact_real h = DOUBLE ? TACT_REAL(1e-4) : TACT_REAL(0.03);
        bool same = true;
        for (int c = 0; c < 3 * work.contacts.count; c++) {
            dlambda[c] = 0;
            for (int j = 0; j < model->nu; j++) dlambda[c] += (double)(D[c * model->nu + j] * du[j]);
        }
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < model->nu; i++) changed[i] = u[i] + (tact_real)side * h * du[i];
            tact_input input = {.u = changed};
            tact_state_copy(&moved, &before, model);
            same = same && tact_step(model, &options, &input, &moved, &other) >= 0 && other.contacts.count == work.contacts.count;
            for (int c = 0; same && c < other.contacts.count; c++) {
                tact_real nu[3];
                const tact_real *lambda = NULL;
                find_contact(&other, c, nu, &lambda);
                for (int i = 0; i < 3; i++) {
                    double half = (double)side * (double)nu[i] / (2 * (double)h);
                    dnu[3 * c + i] = side < 0 ? half : dnu[3 * c + i] + half;
                }
            }
        }
        if (!same) continue;
        made++;
        double reach = (double)tact_region_reach(&region, 0, du), low = 0, high = 1e6;
        CHECK(reach > 0);
        for (int k = 0; k < 100; k++) {
            double middle = low + (high - low) / 2;
            *(is_inside(model, dnu, dlambda, middle) ? &low : &high) = middle;
        }
        if (reach < 1e6) worst = fmax(worst, fabs(reach / low - 1));
        // a little less is inside, a little more is not, by the region's own word
        tact_real part = (tact_real)(reach < 1e6 ? reach : 1);
        for (int i = 0; i < model->nu; i++) changed[i] = part * du[i];
        worst_gap =
            fmax(worst_gap, fabs((double)tact_region_reach(&region, 0, changed) - reach / (double)part) * (double)part / reach);
    }
    printf("    %d steps: reach against bisection with differences off by %.2g, of its own multiples by %.2g\n", made, worst,
           worst_gap);
    CHECK(made >= test_rounds(60) / 2);
    CHECK(worst < (DOUBLE ? 1e-5 : 0.2));
    CHECK(worst_gap < (DOUBLE ? 1e-9 : 1e-3));
}

static double find_cost(int n, const tact_real *H, const tact_real *g, const tact_real *x) {
    double sum = 0;
    for (int i = 0; i < n; i++) {
        double row = (double)g[i];
        for (int j = 0; j < n; j++) row += (double)H[i * n + j] * (double)x[j] / 2;
        sum += row * (double)x[i];
    }
    return sum;
}

static void test_programs(uint64_t *seed) {
    const tact_model *model = &scene->model;
    int n = model->nu, solved = 0, bound_by_contacts = 0;
    double worst = 0;
    region.bearing = TACT_REAL(0.01);
    for (int round = 0; round < test_rounds(60); round++) {
        static tact_real H[MOST_COMMANDS * MOST_COMMANDS];
        tact_real g[MOST_COMMANDS], lower[MOST_COMMANDS], upper[MOST_COMMANDS], x[MOST_COMMANDS], other_x[MOST_COMMANDS];
        if (!make_step(seed, 1)) continue;
        // a diagonal quadratic: its minimiser within the bounds is known
        for (int i = 0; i < n * n; i++) H[i] = 0;
        for (int i = 0; i < n; i++) {
            H[i * (n + 1)] = random_real(seed, 0.5, 2);
            g[i] = random_real(seed, -0.1, 0.1);
            lower[i] = -TACT_REAL(0.1);
            upper[i] = round % 5 == 0 && i == 0 ? lower[i] : TACT_REAL(0.1);
            x[i] = tact_clamp(-g[i] / H[i * (n + 1)], lower[i], upper[i]);
        }
        double gain = -find_cost(n, H, g, x);
        bool free = tact_region_reach(&region, 1, x) > 1;
        tact_status status = tact_region_minimise(&region, 1, H, g, lower, upper, x);
        // with a command held at a bound the contacts may leave no room
        if (round % 5 == 0 && status < 0) continue;
        CHECK(status >= 0);
        if (getenv("DBG"))
            printf("status %d free %d gain %g reach %g cost %g\n", (int)status, free, gain,
                   (double)tact_region_reach(&region, 1, x), find_cost(n, H, g, x));
        if (status < 0 || !(gain > 0)) continue;
        solved++;
        bound_by_contacts += !free;
        CHECK(tact_region_reach(&region, 1, x) > 1 - (DOUBLE ? TACT_REAL(1e-9) : TACT_REAL(1e-3)));
        for (int i = 0; i < n; i++) CHECK(x[i] >= lower[i] && x[i] <= upper[i]);
        // no point of the region near it, or far, is better by more than a thousandth of the gain
        double cost = find_cost(n, H, g, x), best = cost;
        for (int k = 0; k < 400; k++) {
            tact_real size = (tact_real)pow(10, -(double)random_real(seed, 0, 5));
            for (int i = 0; i < n; i++) other_x[i] = tact_clamp(x[i] + size * random_real(seed, -0.1, 0.1), lower[i], upper[i]);
            if (tact_region_reach(&region, 1, other_x) > 1) best = fmin(best, find_cost(n, H, g, other_x));
        }
        worst = fmax(worst, (cost - best) / gain);
    }
    printf("    %d programs, %d of them bound by contacts: random points better by at most %.2g of the gain\n", solved,
           bound_by_contacts, worst);
    CHECK(solved >= test_rounds(60) / 2);
    // not met by few
    CHECK(bound_by_contacts > 0 || test_rounds(60) < 60);
    CHECK(worst < 1.5e-3);
    // bounds with no point within: the answer is refused, du stays; without contacts that bear only gaps count
    static tact_real flat[MOST_COMMANDS * MOST_COMMANDS];
    tact_real down[MOST_COMMANDS], far[MOST_COMMANDS], was[MOST_COMMANDS];
    for (int i = 0; i < n; i++) down[i] = -1, far[i] = was[i] = TACT_REAL(0.8);
    tact_real with = tact_region_reach(&region, 1, far);
    CHECK(with < 1);
    CHECK(tact_region_minimise(&region, 1, flat, down, far, far, far) < 0);
    for (int i = 0; i < n; i++) CHECK(far[i] == was[i]);
    region.bearing = TACT_MAX;
    CHECK(tact_region_reach(&region, 1, far) >= with);
    for (int i = 0; i < n; i++) far[i] = TACT_REAL(0.1);
    CHECK(tact_region_minimise(&region, 1, flat, down, was, was, far) < 0 || tact_region_reach(&region, 1, far) > 1);
    // nothing to gain: the way in is the answer
    tact_real zero[MOST_COMMANDS] = {0}, none[MOST_COMMANDS * MOST_COMMANDS] = {0}, x[MOST_COMMANDS] = {0};
    CHECK_INT(tact_region_minimise(&region, 1, none, zero, zero, zero, x), TACT_CONVERGED);
}

// Inside, the linear model says rightly which gaps stay open and which contacts bear; twice as far out less often.
static void test_promise(uint64_t *seed) {
    const tact_model *model = &scene->model;
    int total[2] = {0}, right[2] = {0}, wanted = test_rounds(10000) / 2;
    double error[2] = {0};
    region.bearing = 0;
    while (total[0] + total[1] < 2 * wanted) {
        if (!make_step(seed, 0)) continue;
        for (int tries = 0; tries < 50; tries++) {
            for (int i = 0; i < model->nu; i++) du[i] = random_real(seed, -0.05, 0.05);
            double reach = (double)tact_region_reach(&region, 0, du);
            if (!(reach < 1e6)) continue;
            int outside = tries % 2;
            tact_real t = (tact_real)(reach * (outside ? (double)random_real(seed, 1, 3) : (double)random_real(seed, 0, 1)));
            for (int i = 0; i < model->nu; i++) changed[i] = u[i] + t * du[i];
            tact_input input = {.u = changed};
            tact_state_copy(&moved, &before, model);
            if (tact_step(model, &options, &input, &moved, &other) < 0 || other.contacts.count != work.contacts.count) continue;
            bool all = true;
            double off = 0, size = 0;
            for (int c = 0; c < work.contacts.count; c++) {
                tact_real nu[3], now[3];
                const tact_real *lambda = NULL, *force = NULL;
                find_contact(&work, c, nu, &lambda);
                find_contact(&other, c, now, &force);
                // the force's sign as the linear model has it, and the gap's: both are positive in truth
                double predicted[3];
                for (int i = 0; i < 3; i++) {
                    predicted[i] = (double)lambda[i];
                    for (int j = 0; j < model->nu; j++) predicted[i] += (double)(D[(3 * c + i) * model->nu + j] * t * du[j]);
                    off += pow(predicted[i] - (double)force[i], 2);
                    size += pow((double)force[i], 2);
                }
                all = all && (predicted[0] > 0) == (force[0] > 0);
                all = all && tact_contact_gap(model, &other.kinematics, other.contacts.contact[c].pair) > 0;
            }
            total[outside]++;
            right[outside] += all;
            error[outside] += sqrt(off / size);
        }
    }
    printf("    %d changes inside: signs right for %.1f %%, forces off by %.1f %% on average; %d up to 3 times as far: %.1f %%, "
           "%.0f %%\n",
           total[0], 100.0 * right[0] / total[0], 100 * error[0] / total[0], total[1], 100.0 * right[1] / total[1],
           100 * error[1] / total[1]);
    CHECK(right[0] >= 0.95 * total[0]);
    CHECK(right[1] < right[0]);
}

int main(void) {
    uint64_t seed = test_seed(20261125);
    if (open_hand()) {
        test_reach(&seed);
        test_programs(&seed);
        test_promise(&seed);
    }
    close_hand();
    return test_end("region");
}
