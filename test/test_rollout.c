// SPDX-License-Identifier: MIT
// Gradients of whole rollouts against central differences of the same rollout, by the bit for every amount of memory, and within
// the memory that was promised.
#include "tact/rollout.h"

#include "random_model.h"
#include "tact/scene.h"

// A ball that slides to the right over a table under an anchor, pushed by a slide.
static const char sliding[] =
    "{ \"tact\": 1, \"name\": \"sliding\", \"gravity\": [2.2, 0.4, -9.81],"
    "\"options\": { \"kappa\": 2000, \"anchor\": true, \"margin\": 0.2, \"force_min\": 0 },"
    "\"bodies\": [ { \"name\": \"pusher\", \"parent\": \"world\", \"joint\": { \"name\": \"slide\", \"type\": \"prismatic\","
    "\"axis\": [1, 0, 0], \"limits\": [-1, 1] } }, { \"name\": \"ball\", \"parent\": \"world\", \"mass\": 0.5,"
    "\"joint\": { \"type\": \"translation\" } } ],"
    "\"shapes\": [ { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\" },"
    "{ \"name\": \"tip\", \"body\": \"pusher\", \"type\": \"sphere\", \"radius\": 0.01, \"xyz\": [-0.06, 0.01, 0.04] },"
    "{ \"name\": \"ball\", \"body\": \"ball\", \"type\": \"sphere\", \"radius\": 0.04 } ],"
    "\"pairs\": [ { \"a\": \"table\", \"b\": \"ball\", \"mu\": 0.2 }, { \"a\": \"tip\", \"b\": \"ball\", \"mu\": 0.4 } ],"
    "\"drives\": [ { \"joint\": \"slide\", \"stiffness\": 300, \"damping\": 1 } ],"
    "\"state\": { \"q\": { \"ball\": [0, 0, 0.041] } },"
    "\"command\": { \"mode\": \"trajectory\", \"times\": [0, 0.5], \"q\": { \"slide\": [0, 0.1] } } }";

// A free ball on a table between two slides, with weights on the driven links and a wrench on the ball.
static const char rolling[] =
    "{ \"tact\": 1, \"name\": \"rolling\", \"options\": { \"kappa\": 500, \"margin\": 0.3, \"anchor\": true },"
    "\"bodies\": [ { \"name\": \"arm\", \"parent\": \"world\", \"mass\": 0.2, \"com\": [0.1, 0, 0],"
    "\"joint\": { \"name\": \"arm\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"limits\": [-0.4, 0.4], \"xyz\": [-0.2, 0, "
    "0.05] } },"
    "{ \"name\": \"hand\", \"parent\": \"arm\", \"mass\": 0.1, \"com\": [0.05, 0, 0],"
    "\"joint\": { \"name\": \"hand\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"limits\": [-1, 1], \"xyz\": [0.1, 0, 0] } },"
    "{ \"name\": \"ball\", \"parent\": \"world\", \"mass\": 0.5, \"inertia\": [3e-4, 4e-4, 3e-4, 0, 0, 0], \"com\": [0.002, 0, "
    "0.003],"
    "\"joint\": { \"name\": \"ball\", \"type\": \"free\" } } ],"
    "\"shapes\": [ { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\" },"
    "{ \"name\": \"tip\", \"body\": \"hand\", \"type\": \"sphere\", \"radius\": 0.01, \"xyz\": [0.05, 0, 0] },"
    "{ \"name\": \"ball\", \"body\": \"ball\", \"type\": \"sphere\", \"radius\": 0.04 } ],"
    "\"pairs\": [ { \"a\": \"table\", \"b\": \"ball\", \"mu\": 0.5 }, { \"a\": \"tip\", \"b\": \"ball\", \"mu\": 0.5 } ],"
    "\"drives\": [ { \"joint\": \"arm\", \"stiffness\": 20 }, { \"joint\": \"hand\", \"stiffness\": 20 } ],"
    "\"forces\": [ { \"body\": \"ball\", \"times\": [0, 1], \"force\": [[0, 0, 0], [0, -0.3, 0]], \"torque\": [[0, 0, 0.001], "
    "[0, 0, 0]] } ],"
    "\"state\": { \"q\": { \"ball\": [0, 0.005, 0.042, 1, 0, 0, 0] } },"
    "\"command\": { \"mode\": \"trajectory\", \"times\": [0, 1], \"q\": { \"arm\": [0, 0.3], \"hand\": [0, 0.2] } } }";

// A fingertip on an arc that bends into the table: the gap shrinks from step to step, below what the stored displacement may
// have.
static const char arc[] =
    "{ \"tact\": 1, \"name\": \"arc\", \"options\": { \"kappa\": 1000, \"anchor\": true, \"margin\": 0.2, \"force_min\": 0 },"
    "\"bodies\": [ { \"name\": \"lift\", \"parent\": \"world\", \"joint\": { \"name\": \"lift\", \"type\": \"prismatic\","
    "\"axis\": [0, 0, 1], \"limits\": [-1, 1], \"xyz\": [0, 0, -0.19] } }, { \"name\": \"turn\", \"parent\": \"lift\","
    "\"joint\": { \"name\": \"turn\", \"type\": \"revolute\", \"axis\": [0.1, 0, 1], \"limits\": [-2, 2] } },"
    "{ \"name\": \"arm\", \"parent\": \"turn\","
    "\"joint\": { \"name\": \"arm\", \"type\": \"revolute\", \"axis\": [0, 1, 0.1], \"limits\": [-1, 1] } } ],"
    "\"shapes\": [ { \"name\": \"table\", \"body\": \"world\", \"type\": \"plane\" },"
    "{ \"name\": \"tip\", \"body\": \"arm\", \"type\": \"sphere\", \"radius\": 0.01, \"xyz\": [0, 0, 0.201] } ],"
    "\"pairs\": [ { \"a\": \"table\", \"b\": \"tip\", \"mu\": 0.3 } ],"
    "\"drives\": [ { \"joint\": \"lift\", \"stiffness\": 200 }, { \"joint\": \"arm\", \"stiffness\": 5 },"
    "{ \"joint\": \"turn\", \"stiffness\": 5 } ],"
    "\"state\": { \"q\": { \"arm\": -0.1 } },"
    "\"command\": { \"mode\": \"trajectory\", \"times\": [0, 0.03], \"q\": { \"lift\": [0, -0.01], \"arm\": [-0.1, 1],"
    "\"turn\": [0, 1] } } }";

typedef struct {
    const char *scene;  // a file, or a text
    int skip, steps;    // steps to where the rollout begins, and of the rollout
    double forces;      // weight of the contact forces in the loss
    double step;        // of the differences
    double golden;      // slope along the first direction of the seed 11 in double precision; 0: none
} rollout_case;

static const rollout_case cases[] = {
    {"data/scenes/pusher.json", 0, 480, 0.01, 1e-4, 0},
    {"data/scenes/ball_drop.json", 0, 100, 0.01, 1e-5, 0},
    {"data/scenes/lesson.json", 0, 200, 0.01, 1e-4, 0},
    {sliding, 0, 60, 0.01, 1e-5, -0.37324678819},
    {rolling, 0, 120, 0.01, 1e-5, -0.346072142071},
    {"data/scenes/hand_lift.json", 300, 100, 0.01, 1e-7, 0},
    {arc, 0, 8, 0.01, 1e-6, 0.315334263117},
    {"data/scenes/two_fingers_disc.json", 30, 50, 0.01, 1e-7, 0},
    {"data/scenes/cube_in_hand.json", 150, 60, 0.001, 1e-7, 0},
};

typedef struct {
    tact_scene *scene;
    tact_work work;
    tact_state start, moved;
    tact_options options;
    tact_real *u;         // (steps, nu)
    tact_real *weight;    // (nv)
    tact_wrench *wrench;  // (nbody)
    tact_kinematics kinematics;
    double forces;
    int steps;
    int poison;  // step whose command is not finite; -1: none
    void *memory;
} rollout_setup;

static double *blank(size_t count) {
    double *x = calloc(count + 1, sizeof *x);
    if (!x) abort();
    return x;
}

static void take_all(rollout_setup *s, tact_arena *arena) {
    const tact_model *model = &s->scene->model;
    size_t state = tact_state_size(model), work = tact_work_size(model), nv = (size_t)model->nv, nu = (size_t)model->nu;
    void *start = tact_arena_take(arena, state, 1), *moved = tact_arena_take(arena, state, 1),
         *scratch = tact_arena_take(arena, work, 1);
    s->u = tact_arena_take(arena, (size_t)s->steps * nu, sizeof(tact_real));
    s->weight = tact_arena_take(arena, nv, sizeof(tact_real));
    s->wrench = tact_arena_take(arena, (size_t)model->nbody, sizeof(tact_wrench));
    tact_kinematics_place(&s->kinematics, model, arena);
    if (!arena->memory) return;
    tact_state_init(&s->start, model, start, state);
    tact_state_init(&s->moved, model, moved, state);
    tact_work_init(&s->work, model, scratch, work);
}

// Opens the scene, makes the first steps, and writes down the commands of the following ones.
static void open_case(rollout_setup *s, const rollout_case *c, uint64_t *seed) {
    char message[1280] = "";
    tact_errors errors = {0};
    *s = (rollout_setup){.steps = c->steps, .forces = c->forces, .poison = -1};
    if (c->scene[0] == '{') {
        tact_source source = {.name = "s", .bytes = c->scene, .size = strlen(c->scene), .line = 1};
        s->scene = tact_scene_parse(source, "", NULL, &errors);
        if (errors.kept > 0) snprintf(message, sizeof message, "%s", errors.items[0].text);
    } else {
        s->scene = tact_scene_load(c->scene, message, sizeof message);
    }
    if (!s->scene) {
        printf("%s\n", message);
        abort();
    }
    tact_arena arena = {0};
    take_all(s, &arena);
    s->memory = malloc(arena.used);
    if (!s->memory) abort();
    arena = (tact_arena){.memory = s->memory, .size = arena.used};
    take_all(s, &arena);
    const tact_model *model = &s->scene->model;
    s->options = s->scene->options;
    if (sizeof(tact_real) == 8) s->options.tolerance = TACT_REAL(1e-13);
    // not an option of scenes
    s->options.gravity_on_driven = c->scene == rolling;
    for (int i = 0; i < model->nv; i++) s->weight[i] = random_real(seed, -1, 1);
    for (int k = 0; k < c->skip; k++) {
        tact_scene_command(s->scene, &s->start, s->u);
        tact_input input = {.u = s->u};
        CHECK(tact_step(model, &s->options, &input, &s->start, &s->work) >= 0);
    }
    tact_state_copy(&s->moved, &s->start, model);
    for (int k = 0; k < c->steps; k++) {
        tact_scene_command(s->scene, &s->moved, s->u + (size_t)k * (size_t)model->nu);
        s->moved.time += s->options.dt;
    }
}

static void close_case(rollout_setup *s) {
    tact_scene_free(s->scene);
    free(s->memory);
}

static void drive(void *context, int step, const tact_state *state, tact_input *input) {
    static tact_real bad[64];
    rollout_setup *s = context;
    if (tact_scene_wrench(s->scene, state, s->wrench)) input->wrench = s->wrench;
    if (step != s->poison) return;
    bad[0] = TACT_REAL(NAN);
    input->u = bad;
}

// Smooth in all coordinates, quaternions and forces, different in each state.
static tact_real find_loss(void *context, int k, const tact_state *state, const tact_contacts *contacts, tact_real *q_bar,
                           tact_real *lambda_bar) {
    rollout_setup *s = context;
    const tact_model *model = &s->scene->model;
    tact_real loss = 0, phase = (tact_real)sin(1 + 0.7 * k);
    CHECK(contacts || k == 0);
    for (int i = 0; i < model->nv; i++) {
        int q = model->dof[i].q;
        if (q < 0) continue;
        tact_real x = state->q[q] - s->scene->model.q0[q], w = phase * s->weight[i];
        loss += w * x + w * x * x / 2;
        if (q_bar) q_bar[i] += w * (1 + x);
    }
    for (int b = 0; b < model->nbody; b++) {
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        // c'quaternion, which a turn e from the left changes by e x quaternion / 2
        const tact_real *c = state->q + model->body[b].q + 3;
        const tact_real w[4] = {phase, s->weight[0], phase * s->weight[1], s->weight[2]};
        for (int i = 0; i < 4; i++) loss += w[i] * c[i];
        for (int i = 0; q_bar && i < 3; i++) {
            tact_quat turn = {0, i == 0, i == 1, i == 2}, moved = tact_quat_multiply(turn, (tact_quat){c[0], c[1], c[2], c[3]});
            q_bar[model->body[b].v + i] += (w[0] * moved.w + w[1] * moved.x + w[2] * moved.y + w[3] * moved.z) / 2;
        }
    }
    for (int i = 0; contacts && i < contacts->count; i++)
        for (int row = 0; row < 3; row++) {
            tact_real w = (tact_real)(s->forces * sin(contacts->contact[i].pair + 2 * row + 0.3 * k));
            loss += w * contacts->contact[i].lambda[row];
            if (lambda_bar) lambda_bar[3 * i + row] += w;
        }
    return loss;
}

static tact_rollout describe(rollout_setup *s) {
    return (tact_rollout){.steps = s->steps, .u = s->u, .context = s, .drive = drive, .loss = find_loss};
}

// The slope along a direction, by differences of the whole rollout: five points, error h^4.
static double difference(rollout_setup *s, tact_rollout_work *work, const double *dq, const double *du, double h) {
    static const double at[] = {-2, -1, 1, 2}, factor[] = {1, -8, 8, -1};
    const tact_model *model = &s->scene->model;
    size_t count = (size_t)s->steps * (size_t)model->nu;
    tact_real *u = malloc((count + 1) * sizeof *u), *d = malloc(((size_t)model->nv + 1) * sizeof *d);
    double sum = 0;
    if (!u || !d) abort();
    for (int i = 0; i < 4; i++) {
        tact_rollout rollout = describe(s);
        rollout.u = u;
        for (size_t k = 0; k < count; k++) u[k] = (tact_real)((double)s->u[k] + at[i] * h * du[k]);
        for (int k = 0; k < model->nv; k++) d[k] = (tact_real)(at[i] * h * dq[k]);
        tact_state_copy(&s->moved, &s->start, model);
        tact_kinematics_update(&s->kinematics, model, s->moved.q);
        tact_model_integrate(model, &s->kinematics, d, s->moved.q);
        tact_rollout_result result = tact_rollout_gradient(model, &s->options, &rollout, &s->moved, work, NULL);
        CHECK(result.status >= 0);
        sum += factor[i] * (double)result.loss;
    }
    free(u);
    free(d);
    return sum / (12 * h);
}

// Memory with a fence behind it.
enum { FENCE = 64 };

static tact_rollout_work make_work(const tact_model *model, int steps, size_t size, unsigned char **memory) {
    tact_rollout_work work;
    *memory = malloc(size + FENCE);
    if (!*memory) abort();
    memset(*memory, 0xa5, size + FENCE);
    CHECK_INT(tact_rollout_init(&work, model, steps, *memory, size), TACT_CONVERGED);
    return work;
}

static void free_work(unsigned char *memory, size_t size) {
    for (int i = 0; i < FENCE; i++) CHECK(memory[size + (size_t)i] == 0xa5);
    free(memory);
}

typedef struct {
    tact_real *q, *u;
} gradient_pair;

static gradient_pair make_gradient(const tact_model *model, int steps) {
    gradient_pair g = {calloc((size_t)model->nv + 1, sizeof(tact_real)),
                       calloc((size_t)steps * (size_t)model->nu + 1, sizeof(tact_real))};
    if (!g.q || !g.u) abort();
    return g;
}

static void free_gradient(gradient_pair g) {
    free(g.q);
    free(g.u);
}

static void check_directions(rollout_setup *s, const rollout_case *c, tact_rollout_work *work, gradient_pair g, uint64_t *seed) {
    const tact_model *model = &s->scene->model;
    size_t nv = (size_t)model->nv, count = (size_t)s->steps * (size_t)model->nu;
    double *dq = blank(nv), *du = blank(count);
    for (int trial = 0; trial < 4; trial++) {
        double square = 0, slope = 0, norm = 0;
        // both, q alone, u alone, one component of u
        for (size_t i = 0; i < nv; i++) dq[i] = trial < 2 ? test_random(seed, -1, 1) : 0;
        for (size_t i = 0; i < count; i++) du[i] = trial == 0 || trial == 2 ? test_random(seed, -1, 1) : 0;
        if (trial == 3 && count > 0) du[test_random_bits(seed) % count] = 1;
        if (trial >= 2 && count == 0) continue;
        for (size_t i = 0; i < nv; i++) square += dq[i] * dq[i];
        for (size_t i = 0; i < count; i++) square += du[i] * du[i];
        for (size_t i = 0; i < nv; i++) dq[i] /= sqrt(square);
        for (size_t i = 0; i < count; i++) du[i] /= sqrt(square);
        for (size_t i = 0; i < nv; i++) slope += dq[i] * (double)g.q[i];
        for (size_t i = 0; i < count; i++) slope += du[i] * (double)g.u[i];
        for (size_t i = 0; i < nv; i++) norm += (double)g.q[i] * (double)g.q[i];
        for (size_t i = 0; i < count; i++) norm += (double)g.u[i] * (double)g.u[i];
        CHECK(norm > 0 && isfinite(norm));
        if (sizeof(tact_real) == 8) CHECK_CLOSE((difference(s, work, dq, du, c->step) - slope) / sqrt(norm), 0, 1e-6);
        if (trial == 0 && c->golden != 0) CHECK_CLOSE((slope - c->golden) / sqrt(norm), 0, ROUNDING(1e-11));
        if (trial == 0) printf("  slope %.12g of %.3g\n", slope, sqrt(norm));
    }
    free(dq);
    free(du);
}

static void test_case(const rollout_case *c, uint64_t seed) {
    rollout_setup s;
    open_case(&s, c, &seed);
    const tact_model *model = &s.scene->model;
    int segments[] = {0, c->steps / 3, c->steps};
    gradient_pair g = make_gradient(model, c->steps), other = make_gradient(model, c->steps);
    tact_rollout rollout = describe(&s);
    for (int i = 0; i < 3; i++) {
        gradient_pair *into = i == 0 ? &g : &other;
        tact_rollout_slope slope = {.q = into->q, .u = into->u};
        unsigned char *memory;
        size_t size = tact_rollout_size(model, c->steps, segments[i]);
        tact_rollout_work work = make_work(model, c->steps, size, &memory);
        CHECK(work.segment >= segments[i] && (i == 2) == (work.nstate == 1));
        tact_rollout_result result = tact_rollout_gradient(model, &s.options, &rollout, &s.start, &work, &slope);
        CHECK(result.status >= 0);
        CHECK_INT(result.step, c->steps);
        if (i == 0) printf("  %d kinks\n", result.kinks);
        if (i == 0) check_directions(&s, c, &work, g, &seed);
        // the same bits for every amount of memory
        CHECK(i == 0 || memcmp(g.q, other.q, (size_t)model->nv * sizeof g.q[0]) == 0);
        CHECK(i == 0 || memcmp(g.u, other.u, (size_t)c->steps * (size_t)model->nu * sizeof g.u[0]) == 0);
        CHECK_INT(tact_rollout_gradient(model, &s.options, &rollout, &s.start, &work, NULL).loss == result.loss, 1);
        free_work(memory, size);
    }
    free_gradient(g);
    free_gradient(other);
    close_case(&s);
}

static tact_rollout_result roll(rollout_setup *s, const tact_rollout *rollout, tact_rollout_work *work, gradient_pair g) {
    tact_rollout_slope slope = {.q = g.q, .u = g.u};
    return tact_rollout_gradient(&s->scene->model, &s->options, rollout, &s->start, work, &slope);
}

// Fewer steps than there is room for, none, parts of the gradient, a step without answer.
static void test_parts(uint64_t seed) {
    rollout_setup s;
    open_case(&s, &(rollout_case){rolling, 0, 40, 0.01, 0, 0}, &seed);
    const tact_model *model = &s.scene->model;
    size_t size = tact_rollout_size(model, 40, 11), nv = (size_t)model->nv, nu = (size_t)model->nu;
    unsigned char *memory, *more;
    tact_rollout_work work = make_work(model, 40, size, &memory);
    gradient_pair g = make_gradient(model, 40), other = make_gradient(model, 40);
    tact_rollout rollout = describe(&s);
    for (int steps = 0; steps <= 40; steps += steps < 3 ? 1 : 4) {
        rollout.steps = steps;
        tact_rollout_work exact = make_work(model, steps, tact_rollout_size(model, steps, steps), &more);
        tact_rollout_result one = roll(&s, &rollout, &work, g), two = roll(&s, &rollout, &exact, other);
        CHECK(one.status >= 0 && two.status >= 0 && one.loss == two.loss);
        CHECK(memcmp(g.q, other.q, nv * sizeof g.q[0]) == 0 && memcmp(g.u, other.u, (size_t)steps * nu * sizeof g.u[0]) == 0);
        tact_rollout_slope only_q = {.q = other.q}, only_u = {.u = other.u};
        memset(other.q, 0, nv * sizeof g.q[0]);
        memset(other.u, 0, (size_t)steps * nu * sizeof g.u[0]);
        tact_rollout_gradient(model, &s.options, &rollout, &s.start, &work, &only_q);
        tact_rollout_gradient(model, &s.options, &rollout, &s.start, &work, &only_u);
        CHECK(memcmp(g.q, other.q, nv * sizeof g.q[0]) == 0 && memcmp(g.u, other.u, (size_t)steps * nu * sizeof g.u[0]) == 0);
        free_work(more, tact_rollout_size(model, steps, steps));
    }
    // without the geometry's part: another gradient
    double off = 0, norm = 0;
    work.deriv.frozen_geometry = true;
    CHECK(roll(&s, &rollout, &work, other).status >= 0);
    work.deriv.frozen_geometry = false;
    for (size_t i = 0; i < nv; i++) {
        off += pow((double)(other.q[i] - g.q[i]), 2);
        norm += pow((double)g.q[i], 2);
    }
    printf("  frozen geometry: off by %.2g\n", sqrt(off / norm));
    CHECK(isfinite(off) && off > 1e-8 * norm);
    rollout.steps = 41;
    CHECK_INT(roll(&s, &rollout, &work, g).status, TACT_BAD_INPUT);
    rollout.steps = 40;
    s.poison = 17;
    tact_rollout_result result = roll(&s, &rollout, &work, g);
    CHECK_INT(result.status, TACT_BAD_INPUT);
    CHECK_INT(result.step, 17);
    // what is not converged is said
    s.poison = -1;
    s.options.max_iterations = 1;
    CHECK_INT(roll(&s, &rollout, &work, g).status, TACT_ITERATION_LIMIT);
    free_work(memory, size);
    free_gradient(g);
    free_gradient(other);
    close_case(&s);
}

// Memory grows as the root of the steps, and less than the least is refused.
static void test_memory(uint64_t seed) {
    rollout_setup s;
    open_case(&s, &(rollout_case){"data/scenes/lesson.json", 0, 1, 0, 0, 0}, &seed);
    const tact_model *model = &s.scene->model;
    double state = (double)tact_state_size(model), slot = state + (double)tact_work_size(model);
    double fixed = (double)tact_deriv_size(model) + 2 * slot + 4096;
    for (int steps = 1; steps <= 1000000; steps *= 10) {
        size_t least = tact_rollout_size(model, steps, 0);
        CHECK((double)least <= 2.2 * sqrt(steps * (state + 256) * (slot + 512)) + fixed);
        CHECK(least <= tact_rollout_size(model, steps, steps) &&
              tact_rollout_size(model, steps, steps) >= (size_t)steps * (size_t)slot);
    }
    size_t size = tact_rollout_size(model, 500, 0);
    unsigned char *memory = malloc(3 * size);
    tact_rollout_work work;
    CHECK_INT(tact_rollout_init(&work, model, 500, memory, size), TACT_CONVERGED);
    int least = work.segment;
    // any alignment will do
    CHECK_INT(tact_rollout_init(&work, model, 500, memory + 8, size), TACT_CONVERGED);
    CHECK_INT(tact_rollout_init(&work, model, 500, memory, size - 2 * TACT_ALIGN), TACT_NO_MEMORY);
    // as where malloc had none
    CHECK_INT(tact_rollout_init(&work, model, 500, NULL, size), TACT_NO_MEMORY);
    // no steps take no more memory than one, and more segments than steps none
    CHECK(tact_rollout_size(model, 0, 0) <= tact_rollout_size(model, 1, 0));
    CHECK(tact_rollout_size(model, 0, 9) == tact_rollout_size(model, 0, 1));
    CHECK(tact_rollout_size(model, 3, 9) == tact_rollout_size(model, 3, 3));
    // what there is, is used
    CHECK_INT(tact_rollout_init(&work, model, 500, memory, 3 * size), TACT_CONVERGED);
    CHECK(work.segment > 2 * least);
    free(memory);
    close_case(&s);
}

int main(void) {
    uint64_t seed = test_seed(11);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        printf("%.40s\n", cases[i].scene);
        rollout_case c = cases[i];
        if (seed != 11) c.golden = 0;
        test_case(&c, seed + i);
    }
    test_parts(seed);
    test_memory(seed);
    return test_end("rollout");
}
