// SPDX-License-Identifier: MIT
// Derivatives of a step in every mode that a scene can name (laws, levels, cones, anchors, limits, integrators, penalties,
// friction, damping, manifolds), of shipped scenes and of random ones, against central differences of whole steps. Each is
// differenced over two distances; where these disagree there is a kink nearby, which is counted and not judged.
#include "test.h"
#include "scene_text.h"
#include <tact/worlds.h>

static const bool in_double = sizeof(tact_real) == 8;

typedef struct {
    tact_worlds *worlds;
    int nq, nv, nu, nx, count;
    tact_real *q, *v, *u, *path_q, *path_v, *matrices, *spread;
    int *status;
} grad_job;

static int modes, columns, rough, kinks, unanswered, wrong;
static double worst;

static tact_real *room(size_t count) {
    tact_real *memory = calloc(count + 1, sizeof *memory);
    if (!memory) abort();
    return memory;
}

static void copy_view(grad_job *job, tact_worlds_what what, int width, tact_real *to) {
    ptrdiff_t stride;
    const char *first = (const char *)tact_worlds_view(job->worlds, what, &stride);
    for (int i = 0; i < job->count && width > 0; i++) memcpy(to + i * width, first + i * stride, (size_t)width * sizeof *to);
}

static bool open_job(grad_job *job, const char *name, const char *law, const char *const *set, int nset, int count) {
    char path[200], message[1300] = "";
    snprintf(path, sizeof path, "data/scenes/%s.json", name);
    tact_worlds_options options = {.size = sizeof options,
                                   .scene = name[0] == '{' ? name : path,
                                   .law = law,
                                   .set = set,
                                   .nset = nset,
                                   .count = count,
                                   .threads = 1};
    job->worlds = tact_worlds_open_with(&options, message, sizeof message);
    if (!job->worlds) printf("%s\n", message);
    CHECK(job->worlds != NULL);
    return job->worlds != NULL;
}

static void place_job(grad_job *job) {
    size_t n = (size_t)job->count, nx = (size_t)job->nx, nq = (size_t)job->nq, nv = (size_t)job->nv, nu = (size_t)job->nu;
    job->q = room(n * nq);
    job->v = room(n * nv);
    job->u = room(n * nu);
    job->path_q = room(2 * n * nq);
    job->path_v = room(2 * n * nv);
    job->matrices = room(nx * (nx + nu));
    job->spread = room(nv * nq);
    job->status = calloc(n + 1, sizeof *job->status);
}

static void close_job(grad_job *job) {
    tact_real *memory[] = {job->q, job->v, job->u, job->path_q, job->path_v, job->matrices, job->spread};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) free(memory[k]);
    free(job->status);
    tact_worlds_close(job->worlds);
}

// The rows push(e_i) at q: T (T'T)^-1 e_i, T = dq/dx.
static void spread(grad_job *job, const tact_real *q) {
    for (int i = 0; i < job->nv; i++) {
        tact_real unit[128] = {0};
        unit[i] = 1;
        CHECK_INT(tact_worlds_tangent_push(job->worlds, q, unit, job->spread + i * job->nq), TACT_CONVERGED);
    }
}

// World i begins disturbed by a distance in column: of x, then of u.
static void disturb(grad_job *job, int i, int column, double by) {
    if (column < job->nv) {
        const tact_real *push = job->spread + column * job->nq;
        double square = 0;
        for (int k = 0; k < job->nq; k++) square += (double)push[k] * (double)push[k];
        for (int k = 0; k < job->nq; k++) job->q[i * job->nq + k] += (tact_real)(by * (double)push[k] / square);
    } else if (column < job->nx) {
        job->v[i * job->nv + column - job->nv] += (tact_real)by;
    } else {
        job->u[i * job->nu + column - job->nx] += (tact_real)by;
    }
}

// Row of x+ of world a less that of b.
static double difference(const grad_job *job, int a, int b, int row) {
    double sum = 0;
    if (row >= job->nv)
        return (double)job->path_v[(2 * a + 1) * job->nv + row - job->nv] -
               (double)job->path_v[(2 * b + 1) * job->nv + row - job->nv];
    const tact_real *end = job->path_q + (2 * a + 1) * job->nq, *begin = job->path_q + (2 * b + 1) * job->nq;
    for (int k = 0; k < job->nq; k++) sum += (double)job->spread[row * job->nq + k] * ((double)end[k] - (double)begin[k]);
    return sum;
}

// allowed: of the largest entry. Where four corners slide, what turns them is one choice of many.
static void judge_column(grad_job *job, int column, double h, double allowed, const char *what) {
    const tact_real *A = job->matrices, *B = A + job->nx * job->nx;
    int at = 1 + 4 * column;
    double most = in_double ? 1e-3 : 1, off = 0, apart = 0;
    for (int k = 0; k < 4; k++)
        if (job->status[at + k] != TACT_CONVERGED) {
            unanswered++;
            return;
        }
    for (int row = 0; row < job->nx; row++) {
        double far = difference(job, at, at + 1, row) / (2 * h), near = difference(job, at + 2, at + 3, row) / h,
               slope = (4 * near - far) / 3;
        double exact = (double)(column < job->nx ? A[row * job->nx + column] : B[row * job->nu + column - job->nx]);
        most = fmax(most, fabs(slope));
        off = fmax(off, fabs(exact - slope));
        double bend = (difference(job, at, 0, row) + difference(job, at + 1, 0, row)) / h;
        apart = fmax(apart, fmax(fabs(near - far), fabs(bend)));
    }
    if (apart > (in_double ? 1e-4 : 3e-2) * most) {
        rough++;
        return;
    }
    columns++;
    worst = fmax(worst, off / most);
    if (off <= allowed * most) return;
    wrong++;
    printf("    %s: column %d off by %.2g of %.2g\n", what, column, off, most);
}

// After so many steps, from a state and a command beside, which are like no other. held: columns by q are left out.
static void check_mode(const char *name, const char *law, const char *const *set, int nset, int steps, bool held,
                       uint64_t *seed) {
    grad_job job = {0};
    char what[400];
    int length = snprintf(what, sizeof what, "%s %s", name[0] == '{' ? "random scene" : name, law), before = wrong;
    for (int i = 0; i < nset; i++) length += snprintf(what + length, sizeof what - (size_t)length, " %s", set[i]);
    if (!open_job(&job, name, law, set, nset, 1)) return;
    job.nx = tact_worlds_nx(job.worlds);
    int all = job.nx + tact_worlds_nu(job.worlds);
    tact_worlds_close(job.worlds);
    if (!open_job(&job, name, law, set, nset, 1 + 4 * all)) return;
    job.count = 1 + 4 * all;
    job.nq = tact_worlds_nq(job.worlds);
    job.nv = tact_worlds_nv(job.worlds);
    job.nu = tact_worlds_nu(job.worlds);
    place_job(&job);
    tact_worlds_step(job.worlds, NULL, NULL, steps, NULL);
    copy_view(&job, TACT_WORLDS_Q, job.nq, job.q);
    copy_view(&job, TACT_WORLDS_V, job.nv, job.v);
    copy_view(&job, TACT_WORLDS_U, job.nu, job.u);
    spread(&job, job.q);
    for (int column = 0; column < all; column++) {
        double by = test_random(seed, -1e-3, 1e-3);
        for (int i = 0; i < job.count; i++) disturb(&job, i, column, by);
    }
    modes++;
    // the state beside is that of all worlds, and where they are linearised
    tact_worlds_run run = {.size = sizeof run, .steps = 1, .u = job.u, .q = job.q, .v = job.v};
    tact_worlds_path path = {.q = job.path_q, .v = job.path_v, .status = job.status};
    tact_worlds_rollout(job.worlds, &run, &path);
    ptrdiff_t stride_q, stride_v;
    char *q = (char *)tact_worlds_view(job.worlds, TACT_WORLDS_Q, &stride_q),
         *v = (char *)tact_worlds_view(job.worlds, TACT_WORLDS_V, &stride_v);
    memcpy(q, job.path_q, (size_t)job.nq * sizeof(tact_real));
    memcpy(v, job.path_v, (size_t)job.nv * sizeof(tact_real));
    memcpy(job.q, job.path_q, (size_t)job.nq * sizeof(tact_real));
    for (int i = 1; i < job.count; i++) memcpy(job.q + i * job.nq, job.q, (size_t)job.nq * sizeof(tact_real));
    (void)stride_q, (void)stride_v;
    spread(&job, job.q);
    int status = 0, kink = 0;
    tact_worlds_matrices matrices = {.A = job.matrices, .B = job.matrices + job.nx * job.nx, .status = &status, .kink = &kink};
    tact_worlds_linearise(job.worlds, 0, 1, job.u, &matrices);
    if (status < 0 || (status != TACT_CONVERGED && !held) || kink) {
        kinks++;
        if (status != 0) printf("    %s: status %d\n", what, status);
        close_job(&job);
        return;
    }
    double h = in_double ? 1e-6 : 1e-3;
    bool redundant = strcmp(law, "rigid") == 0 && (strcmp(name, "block_on_slope") == 0 || strcmp(name, "incline") == 0);
    for (int column = 0; column < all; column++)
        for (int k = 0; k < 4; k++) disturb(&job, 1 + 4 * column + k, column, (k < 2 ? h : h / 2) * (k % 2 ? -1 : 1));
    tact_worlds_rollout(job.worlds, &run, &path);
    // differences of q+ are taken where the undisturbed step ends
    tact_real *end = job.path_q + job.nq;
    spread(&job, end);
    for (int column = held ? job.nv : 0; column < all; column++)
        judge_column(&job, column, h, in_double ? (redundant ? 5e-3 : 1e-4) : 6e-2, what);
    if (wrong > before && name[0] == '{') printf("%s\n", name);
    close_job(&job);
}

// Every choice of each option beside the default of the others, and random combinations of all.
static const char *const integrators[] = {"options.integrator=bdf1", "options.integrator=bdf2", "options.integrator=midpoint"};
static const char *const penalties[] = {"options.penalty=exp", "options.penalty=softplus", "options.penalty=algebraic",
                                        "options.penalty=quadratic"};
static const char *const frictions[] = {"options.friction=clamp", "options.friction=tanh", "options.friction=none"};
static const char *const dampings[] = {"options.damping=product", "options.damping=sum"};
static const char *const manifolds[] = {"options.manifold=features", "options.manifold=closest", "options.manifold=sum",
                                        "options.manifold=stein", "options.manifold=descent"};
static const char *const limits[] = {"options.limits=off", "options.limits=barrier"};
static const char *const levels[] = {"options.level=position", "options.level=velocity"};
static const char *const cones[] = {"options.cone=exact", "options.cone=polyhedral"};
static const char *const anchors[] = {"options.anchor=false", "options.anchor=true"};

static int pick(uint64_t *seed, int n) {
    int k = (int)test_random(seed, 0, n);
    return k < n ? k : n - 1;
}

static void check_virtual(uint64_t *seed, int rounds) {
    static const char *const scenes[] = {"lift_hex",      "slide_hex", "lift_circle",  "lift_roll_hex", "lift_two_pushers",
                                         "hinge_fingers", "flip_box",  "rolling_disc", "two_balls",     "push_to_goal"};
    for (int k = 0; k < rounds; k++) {
        int manifold = k % 10 == 0 ? 3 + k / 10 % 2 : k % 3;
        const char *set[] = {integrators[k / 3 % 3],  penalties[k % 4],    frictions[pick(seed, 3)],
                             dampings[pick(seed, 2)], manifolds[manifold], limits[pick(seed, 2)]};
        check_mode(scenes[manifold >= 3 ? pick(seed, 3) : pick(seed, 10)], "virtual", set, 6, pick(seed, 60), manifold >= 3,
                   seed);
    }
}

static void check_rigid(uint64_t *seed, int rounds) {
    static const char *const scenes[] = {"block_on_slope",   "cart",      "two_carts", "newton_cradle", "ball_drop", "incline",
                                         "two_fingers_disc", "hand_lift", "egg_cup",   "cart_stop"};
    for (int k = 0; k < rounds; k++) {
        const char *set[] = {levels[k % 2], cones[k / 2 % 2], limits[pick(seed, 2)]};
        check_mode(scenes[pick(seed, 10)], "rigid", set, 3, pick(seed, 60), false, seed);
    }
}

static void check_barrier(uint64_t *seed, int rounds) {
    static const char *const scenes[] = {"lesson",  "hand_lift", "two_fingers_disc", "ball_drop", "incline",
                                         "egg_cup", "pusher",    "cube_in_hand",     "cart",      "block_on_slope"};
    for (int k = 0; k < rounds; k++) {
        const char *set[] = {anchors[k % 2], limits[k / 2 % 2]};
        check_mode(scenes[pick(seed, 10)], "barrier", set, 2, pick(seed, 60), false, seed);
    }
}

// A shape of any kind, some 2 to 3 cm in radius.
static void put_shape(uint64_t *seed, const char *name, const char *body, double x, double y, double z) {
    double a = test_random(seed, 0.02, 0.03), b = test_random(seed, 0.02, 0.03), c = test_random(seed, 0.02, 0.03);
    put(",{\"name\":\"%s\",\"body\":\"%s\",\"xyz\":[%.4f,%.4f,%.4f],\"rpy\":[%.4f,%.4f,%.4f],", name, body, x, y, z,
        test_random(seed, -3, 3), test_random(seed, -1, 1), test_random(seed, -3, 3));
    switch (pick(seed, 6)) {
    case 0: put("\"type\":\"sphere\",\"radius\":%.5f}", a); break;
    case 1: put("\"type\":\"capsule\",\"radius\":%.5f,\"length\":%.5f}", a / 2, b); break;
    case 2: put("\"type\":\"box\",\"size\":[%.5f,%.5f,%.5f],\"round\":%.5f}", a, b, c, pick(seed, 2) * a / 8); break;
    case 3: put("\"type\":\"cylinder\",\"radius\":%.5f,\"length\":%.5f}", a * 0.7, b); break;
    case 4: put("\"type\":\"ellipsoid\",\"radii\":[%.5f,%.5f,%.5f]}", a, b * 0.7, c); break;
    default:
        put("\"type\":\"hull\",\"round\":%.5f,\"points\":[[%.5f,0,0],[0,%.5f,0],[0,0,%.5f],[-0.01,-0.015,-0.012]]}",
            pick(seed, 2) * a / 8, a, b, c);
    }
}

static void put_body(uint64_t *seed, const char *name, const char *parent) {
    double mass = test_random(seed, 0.05, 0.5);
    put("%s{\"name\":\"%s\",\"parent\":\"%s\",\"mass\":%.5f,\"com\":[%.4f,%.4f,%.4f],\"inertia\":[%.3g,%.3g,%.3g,%.3g,%.3g,0],",
        text[used - 1] == '[' ? "" : ",", name, parent, mass, test_random(seed, -0.01, 0.01), test_random(seed, -0.01, 0.01),
        test_random(seed, -0.01, 0.01), mass * 3e-4, mass * 4e-4, mass * 5e-4, mass * test_random(seed, -5e-5, 5e-5),
        mass * test_random(seed, -5e-5, 5e-5));
}

// Fingers with a turning and a second joint about a free object over a floor, of random shapes, with drives (some of limited
// force, one of a sum of joints) and limits.
static const char *random_scene(uint64_t *seed) {
    int fingers = 1 + pick(seed, 3);
    char name[2][16];
    used = 0;
    put("{\"tact\":1,\"options\":{\"dt\":%.4f,\"kappa\":%.3g,\"margin\":0.05},\"pairs\":\"auto\",\"mu\":%.3f,\"bodies\":[",
        test_random(seed, 0.003, 0.02), pow(10, test_random(seed, 3, 5)), pick(seed, 4) ? test_random(seed, 0.1, 1.2) : 0);
    put_body(seed, "o", "world");
    put("\"joint\":{\"type\":\"free\"}}");
    for (int f = 0; f < fingers; f++) {
        double way = 6.2832 * (f + test_random(seed, 0, 0.5)) / fingers, c = cos(way), s = sin(way);
        snprintf(name[0], sizeof name[0], "a%d", f);
        snprintf(name[1], sizeof name[1], "b%d", f);
        put_body(seed, name[0], "world");
        put("\"joint\":{\"type\":\"revolute\",\"axis\":[%.3f,%.3f,1],\"xyz\":[%.4f,%.4f,0.05]}}", test_random(seed, -1, 1),
            test_random(seed, -1, 1), 0.2 * c, 0.2 * s);
        put_body(seed, name[1], name[0]);
        put("\"joint\":{\"type\":\"%s\",\"axis\":[%.3f,%.3f,%.3f],\"limits\":[%.3f,%.3f],\"xyz\":[%.4f,%.4f,0.01]}}",
            pick(seed, 2) ? "revolute" : "prismatic", -c, -s, test_random(seed, -0.5, 0.5), -0.1, test_random(seed, 0.01, 0.2),
            -0.06 * c, -0.06 * s);
    }
    put("],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\"}");
    put_shape(seed, "o", "o", 0, 0, 0);
    for (int f = 0; f < fingers; f++) {
        snprintf(name[0], sizeof name[0], "b%d", f);
        put_shape(seed, name[0], name[0], test_random(seed, -0.01, 0.01), test_random(seed, -0.01, 0.01), 0);
    }
    put("],\"drives\":[");
    for (int f = 0; f < fingers; f++)
        put("%s{\"joint\":\"a%d\",\"stiffness\":%.3f,\"damping\":%.4f%s},{\"joint\":\"b%d\",\"stiffness\":%.3f}", f ? "," : "", f,
            test_random(seed, 1, 30), pick(seed, 2) * 0.1, pick(seed, 3) ? "" : ",\"force_limit\":0.4", f,
            test_random(seed, 5, 100));
    put("]");
    if (fingers > 1 && pick(seed, 3) == 0)
        put(",\"springs\":[{\"joints\":{\"a0\":1,\"b1\":-2},\"stiffness\":2,\"damping\":0.05}]");
    put(",\"state\":{\"q\":{\"o\":[%.4f,%.4f,%.4f,1,0,0,0]}},\"command\":{\"mode\":\"fixed\",\"q\":{",
        test_random(seed, -0.01, 0.01), test_random(seed, -0.01, 0.01), test_random(seed, 0.04, 0.06));
    for (int f = 0; f < fingers; f++)
        put("%s\"a%d\":%.3f,\"b%d\":%.3f", f ? "," : "", f, test_random(seed, -0.3, 0.3), f, test_random(seed, 0, 0.1));
    put("}}}");
    CHECK(used < sizeof text - 1);
    return text;
}

static void check_random(uint64_t *seed, int rounds) {
    for (int k = 0; k < rounds; k++) {
        const char *scene = random_scene(seed);
        const char *rigid[] = {levels[pick(seed, 2)], cones[pick(seed, 2)], limits[pick(seed, 2)]};
        const char *barrier[] = {anchors[pick(seed, 2)], limits[pick(seed, 2)]};
        if (k % 2)
            check_mode(scene, "rigid", rigid, 3, pick(seed, 40), false, seed);
        else
            check_mode(scene, "barrier", barrier, 2, pick(seed, 40), false, seed);
    }
}

enum { ABREAST = 5 };

// Random commands, which jam fingers now and then: worlds side by side end as each does alone, to the bit.
static void check_abreast(uint64_t *seed, int rounds) {
    int steps = 0, apart = 0, limited = 0;
    for (int k = 0; k < rounds; k++) {
        const char *scene = random_scene(seed);
        tact_worlds *worlds[ABREAST + 1];
        char message[400];
        for (int i = 0; i <= ABREAST; i++) {
            worlds[i] = tact_worlds_open(scene, i < ABREAST ? 1 : ABREAST, 1, message, sizeof message);
            CHECK(worlds[i] != NULL);
            if (!worlds[i]) return;
        }
        tact_worlds *many = worlds[ABREAST];
        int nu = tact_worlds_nu(many), status[ABREAST], alone;
        size_t size = (size_t)tact_worlds_nq(many) * sizeof(tact_real);
        for (int step = 0; step < 25; step++) {
            tact_real u[ABREAST * 8];
            ptrdiff_t stride, none;
            for (int j = 0; j < ABREAST * nu; j++) u[j] = (tact_real)test_random(seed, -0.3, 0.3);
            tact_worlds_step(many, u, NULL, 1, status);
            const char *q = (const char *)tact_worlds_view(many, TACT_WORLDS_Q, &stride);
            for (int i = 0; i < ABREAST; i++, steps++) {
                tact_worlds_step(worlds[i], u + i * nu, NULL, 1, &alone);
                limited += alone == TACT_ITERATION_LIMIT;
                apart +=
                    alone != status[i] || memcmp(q + i * stride, tact_worlds_view(worlds[i], TACT_WORLDS_Q, &none), size) != 0;
            }
        }
        for (int i = 0; i <= ABREAST; i++) tact_worlds_close(worlds[i]);
    }
    printf("%d steps side by side, %d unlike those alone, %d at a limit\n", steps, apart, limited);
    CHECK_INT(apart, 0);
    // of 25,000 steps 1 in double and 22 in single precision, where one in 140 once went round in circles
    CHECK((in_double ? 1000 : 400) * limited <= steps);
}

static void report(const char *law) {
    printf("%s: %d modes, %d columns judged, off by at most %.2g, %d wrong; %d steps with a kink, %d columns with one nearby, %d "
           "without "
           "an answer\n",
           law, modes, columns, worst, wrong, kinks, rough, unanswered);
    CHECK_INT(wrong, 0);
    CHECK(columns > modes);
    modes = columns = rough = kinks = unanswered = wrong = 0;
    worst = 0;
}

int main(void) {
    uint64_t seed = test_seed(171);
    check_virtual(&seed, test_rounds(60));
    report("virtual");
    // enough modes that not every step has a kink
    check_rigid(&seed, test_rounds(32) > 16 ? test_rounds(32) : 16);
    report("rigid");
    check_barrier(&seed, test_rounds(16));
    report("barrier");
    // in single precision differences are taken so far apart that most random scenes have a kink between
    if (in_double) {
        check_random(&seed, test_rounds(40));
        report("random scenes");
    }
    seed = test_seed(11);
    check_abreast(&seed, test_rounds(20));
    return test_end("grad_modes");
}
