// SPDX-License-Identifier: MIT
// The step's solver (envelope, eliminated fingers, cones side by side) against the loop that it replaces: Newton's method on the
// same logarithms from d = 0 with full matrices and a Cholesky factorisation of n^3/6, all in double.
#include "scene_test.h"
#include "solve/skyline.h"
#include "scene_text.h"

#ifdef TACT_FLOAT
#define SAME 5e-3
#else
#define SAME 1e-10
#endif

enum { MOST = 192, CONES = 64, BOUNDS = 2 * MOST };

typedef struct {
    int n, nc, nb;
    double P[MOST * MOST], p[MOST], J[3 * CONES * MOST], c[3 * CONES], mu[CONES], kappa[CONES];
    double sign[BOUNDS], gap[BOUNDS], sharp[BOUNDS];
    int column[BOUNDS];
    double d[MOST], lambda[3 * CONES], bound[BOUNDS];
    double g[MOST], H[MOST * MOST], step[MOST];
} dense_problem;

static dense_problem dense;

static void copy_problem(const tact_barrier_problem *problem) {
    memset(&dense, 0, sizeof dense);
    dense.n = problem->n;
    dense.nc = problem->ncone;
    dense.nb = problem->nbound;
    for (int i = 0; i < dense.n; i++) {
        dense.p[i] = (double)problem->p[i];
        for (int j = problem->P.first[i]; j <= i; j++)
            dense.P[i * MOST + j] = dense.P[j * MOST + i] = (double)tact_skyline_row(&problem->P, i)[j];
    }
    for (int i = 0; i < dense.nc; i++) {
        const tact_cone *cone = &problem->cone[i];
        dense.mu[i] = (double)cone->mu;
        dense.kappa[i] = (double)cone->kappa;
        for (int row = 0; row < 3; row++) {
            dense.c[3 * i + row] = (double)cone->c[row];
            for (int k = 0; k < cone->width; k++)
                dense.J[(3 * i + row) * MOST + cone->column[k]] = (double)cone->J[row * cone->width + k];
        }
    }
    for (int j = 0; j < dense.nb; j++) {
        const tact_bound *bound = &problem->bound[j];
        dense.column[j] = bound->column;
        dense.sign[j] = (double)bound->sign;
        dense.gap[j] = (double)bound->c;
        dense.sharp[j] = (double)bound->kappa;
    }
}

// nu_n^2 - mu^2 |nu_t|^2, negative where nu_n is
static double find_nu(int i, const double *d, double nu[3]) {
    for (int row = 0; row < 3; row++) {
        nu[row] = dense.c[3 * i + row];
        for (int k = 0; k < dense.n; k++) nu[row] += dense.J[(3 * i + row) * MOST + k] * d[k];
    }
    double slide = dense.mu[i] * sqrt(nu[1] * nu[1] + nu[2] * nu[2]);
    return nu[0] > slide ? (nu[0] - slide) * (nu[0] + slide) : -1;
}

// The objective; HUGE_VAL outside of the cones.
static double find_value(const double *d) {
    double value = 0, nu[3];
    for (int i = 0; i < dense.n; i++) {
        value += dense.p[i] * d[i];
        for (int j = 0; j < dense.n; j++) value += dense.P[i * MOST + j] * d[i] * d[j] / 2;
    }
    for (int i = 0; i < dense.nc; i++) {
        double s = find_nu(i, d, nu);
        if (!(s > 0)) return HUGE_VAL;
        value -= log(s) / dense.kappa[i];
    }
    for (int j = 0; j < dense.nb; j++) {
        double x = dense.sign[j] * d[dense.column[j]] + dense.gap[j];
        if (!(x > 0)) return HUGE_VAL;
        value -= 2 * log(x) / dense.sharp[j];
    }
    return value;
}

// g = P d + p - sum J'lambda, H = P + sum J'W J of a cone
static void add_cone(int i) {
    const double *J = dense.J + 3 * i * MOST;
    double nu[3], s = find_nu(i, dense.d, nu), kappa = dense.kappa[i], mu2 = dense.mu[i] * dense.mu[i], a = 2 / (kappa * s);
    double *lambda = dense.lambda + 3 * i, scale[3] = {a, -a * mu2, -a * mu2}, W[3][3];
    for (int row = 0; row < 3; row++) lambda[row] = scale[row] * nu[row];
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++) W[row][k] = kappa * lambda[row] * lambda[k] - (row == k ? scale[row] : 0);
    for (int x = 0; x < dense.n; x++) {
        for (int row = 0; row < 3; row++) dense.g[x] -= J[row * MOST + x] * lambda[row];
        for (int y = 0; y < dense.n; y++)
            for (int row = 0; row < 3; row++)
                for (int k = 0; k < 3; k++) dense.H[x * MOST + y] += J[row * MOST + x] * W[row][k] * J[k * MOST + y];
    }
}

static void find_slopes(void) {
    memcpy(dense.H, dense.P, sizeof dense.H);
    for (int i = 0; i < dense.n; i++) {
        dense.g[i] = dense.p[i];
        for (int j = 0; j < dense.n; j++) dense.g[i] += dense.P[i * MOST + j] * dense.d[j];
    }
    for (int i = 0; i < dense.nc; i++) add_cone(i);
    for (int j = 0; j < dense.nb; j++) {
        int at = dense.column[j];
        double x = dense.sign[j] * dense.d[at] + dense.gap[j];
        dense.bound[j] = 2 / (dense.sharp[j] * x);
        dense.g[at] -= dense.sign[j] * dense.bound[j];
        dense.H[at * MOST + at] += dense.bound[j] / x;
    }
}

// step = -H^-1 g by L L'; returns the decrement g'H^-1 g
static double find_step(void) {
    int n = dense.n;
    double *L = dense.H, *x = dense.step, decrement = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = L[i * MOST + j];
            for (int k = 0; k < j; k++) sum -= L[i * MOST + k] * L[j * MOST + k];
            L[i * MOST + j] = j < i ? sum / L[j * MOST + j] : sqrt(sum);
        }
        x[i] = -dense.g[i];
        for (int k = 0; k < i; k++) x[i] -= L[i * MOST + k] * x[k];
        x[i] /= L[i * MOST + i];
        decrement += x[i] * x[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) x[i] -= L[k * MOST + i] * x[k];
        x[i] /= L[i * MOST + i];
    }
    return decrement;
}

// From d = 0, halving steps; false when that is outside of the cones.
static bool solve_dense(void) {
    double value = find_value(dense.d), trial[MOST];
    for (int iteration = 0; iteration < 200 && value < HUGE_VAL; iteration++) {
        find_slopes();
        double decrement = find_step(), size = 1, next = HUGE_VAL;
        // far below what rounding leaves of the objective steps are whole
        bool end = decrement < 1e-12 * (fabs(value) + 1e-3);
        for (int k = 0; k < 60 && !(next <= value - 0.01 * size * decrement); k++, size /= 2) {
            for (int i = 0; i < dense.n; i++) trial[i] = dense.d[i] + size * dense.step[i];
            next = find_value(trial);
            if (end && next < HUGE_VAL) break;
        }
        memcpy(dense.d, trial, sizeof trial);
        value = next;
        if (decrement < 1e-24 * (fabs(value) + 1e-3)) break;
    }
    if (value < HUGE_VAL) find_slopes();
    return value < HUGE_VAL;
}

static double largest(const double *x, int count) {
    double most = 0;
    for (int i = 0; i < count; i++) most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

// The step that work has just done.
static bool check_step(const tact_work *work) {
    copy_problem(&work->problem);
    if (!solve_dense()) return false;
    // what rests moves by less than rounding of the gaps
    double length = largest(dense.d, dense.n) + largest(dense.c, 3 * dense.nc), force = largest(dense.lambda, 3 * dense.nc),
           off = 0, wrong = 0;
    for (int i = 0; i < dense.n; i++) off = fmax(off, fabs((double)work->d[i] - dense.d[i]));
    for (int i = 0; i < 3 * dense.nc; i++) wrong = fmax(wrong, fabs((double)work->lambda[i] - dense.lambda[i]));
    CHECK_CLOSE(off / (length > 0 ? length : 1), 0, SAME);
    CHECK_CLOSE(wrong / (force > 0 ? force : 1), 0, SAME);
    return true;
}

// Steps of a scene, of which so many must begin inside the cones.
static void check_scene(tact_scene *of, const char *name, int steps, int least) {
    int compared = 0, contacts = 0;
    CHECK(of != NULL);
    if (!of) return;
    const tact_model *model = &of->model;
    size_t state_size = tact_state_size(model), work_size = tact_work_size(model), nu = (size_t)model->nu;
    void *state_memory = malloc(state_size), *work_memory = malloc(work_size);
    tact_real *u = calloc(nu + 1, sizeof *u);
    tact_state state;
    tact_work work;
    CHECK_INT(tact_state_init(&state, model, state_memory, state_size), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&work, model, work_memory, work_size), TACT_CONVERGED);
    tact_input input = {.u = u};
    for (int k = 0; k < steps; k++) {
        tact_scene_command(of, &state, u);
        if (tact_step(model, &of->options, &input, &state, &work) != TACT_CONVERGED) continue;
        bool fits = work.problem.n <= MOST && work.problem.ncone <= CONES;
        CHECK(fits);
        if (!fits || !check_step(&work)) continue;
        compared++;
        contacts += work.problem.ncone;
    }
    CHECK(compared >= least);
    printf("%s: %d dofs, %d of %d steps compared, %.1f contacts\n", name, model->nv, compared, steps,
           compared > 0 ? (double)contacts / compared : 0);
    free(state_memory);
    free(work_memory);
    free(u);
    tact_scene_free(of);
}

static void check_file(const char *path, int steps, int least) {
    char why[TACT_ERROR_LENGTH];
    check_scene(tact_scene_load(path, why, sizeof why), path, steps, least);
}

static void say_finger(int f, int fingers) {
    for (int k = 0; k < 3; k++) {
        char parent[32] = "palm";
        if (k > 0) snprintf(parent, sizeof parent, "l%d_%d", f, k - 1);
        put(",{\"name\":\"l%d_%d\",\"parent\":\"%s\",\"joint\":{\"name\":\"j%d_%d\",\"type\":\"revolute\",\"axis\":[0,%d,%d],"
            "\"limits\":[-2,2],\"xyz\":[4e-2,%de-3,0]}}",
            f, k, parent, f, k, k > 0, k == 0, k == 0 ? 9 * f - 4 * fingers : 0);
    }
}

// Chains of three hinges about one ball, and more balls on the table beside it: rows fill in from many fingers.
static void check_many(int fingers, int balls, const char *name) {
    used = 0;
    put("{\"tact\":1,\"options\":{\"margin\":10,\"kappa\":1000},\"drives\":[{\"joint\":\"j*\",\"stiffness\":1}],\"shapes\":["
        "{\"name\":\"table\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":-1}");
    for (int f = 0; f < fingers; f++)
        put(",{\"name\":\"tip%d\",\"body\":\"l%d_2\",\"type\":\"sphere\",\"radius\":1e-2,\"xyz\":[4e-2,0,0]}", f, f);
    for (int b = 0; b < balls; b++) put(",{\"name\":\"s%d\",\"body\":\"b%d\",\"type\":\"sphere\",\"radius\":4e-2}", b, b);
    put("],\"bodies\":[{\"name\":\"palm\",\"parent\":\"world\",\"joint\":{\"name\":\"j\",\"type\":\"prismatic\",\"axis\":[0,0,1]}"
        "}");
    for (int f = 0; f < fingers; f++) say_finger(f, fingers);
    for (int b = 0; b < balls; b++)
        put(",{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":0.5,\"inertia\":[1e-3,1e-3,1e-3,0,0,0],\"joint\":{\"name\":\"o%d\","
            "\"type\":\"translation\",\"xyz\":[2e-1,%de-1,-9e-1]}}",
            b, b, b);
    put("],\"pairs\":[{\"a\":\"table\",\"b\":\"s0\",\"mu\":0.5}");
    for (int b = 1; b < balls; b++) put(",{\"a\":\"table\",\"b\":\"s%d\",\"mu\":0.%d}", b, b % 9 + 1);
    for (int f = 0; f < fingers; f++) put(",{\"a\":\"tip%d\",\"b\":\"s0\",\"mu\":0.7}", f);
    put("]}");
    open_scene(text);
    check_scene(scene, name, 3, 3);
}

int main(void) {
    const char *const wide = "options.margin=0.2";
    tact_scene_settings settings = {.set = &wide, .nset = 1};
    check_scene(tact_scene_read("data/scenes/lesson.json", &settings, &errors), "data/scenes/lesson.json", 20, 12);
    check_file("data/scenes/hand_lift.json", 150, 100);
    check_file("data/scenes/cube_in_hand.json", 60, 40);
    check_file("data/scenes/roll_to_goal.json", 30, 20);
    check_file("data/scenes/two_fingers_disc.json", 60, 40);
    check_many(5, 1, "five fingers");
    check_many(16, 8, "sixteen fingers, eight balls");
    check_many(40, 20, "forty fingers, twenty balls");
    return test_end("dense");
}
