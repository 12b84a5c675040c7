// SPDX-License-Identifier: MIT
// The rigid law in contact against closed forms: the scenes of data/scenes that show it, and small ones written here.
#include "rigid_world.h"

static double force_on(int pair, int row) {
    return (double)world.state.lambda[3 * pair + row];
}

// the note's cart: every force is max(0, -(q + h v + h^2 u/m) m/h^2)
static void test_cart(void) {
    if (!world_scene("cart", NULL)) return;
    double first = 0, last = 0;
    for (int k = 0; k < 300; k++) {
        double q = (double)world.state.q[0], v = (double)world.state.v[0], h = 0.01, m = 2;
        tact_world_step(&world);
        tact_wrench none = {{0, 0, 0}, {0, 0, 0}};
        double u = (double)(world.wrench ? world.wrench[0] : none).force.x;
        double f = fmax(0, -(q + h * v + h * h * u / m) * m / (h * h));
        CHECK_INT(world.work.status, TACT_CONVERGED);
        CHECK_CLOSE(force_on(0, 0), f, within(1e-12, 1e-4));
        if (k == 0) first = force_on(0, 0);
        last = force_on(0, 0);
    }
    CHECK_CLOSE(first, 120, within(1e-12, 1e-5));
    CHECK_CLOSE(last, 7, within(1e-12, 1e-5));
    CHECK_CLOSE(world.state.q[0], 0, within(1e-15, 1e-7));
    world_end();
}

static void test_carts_at_random(uint64_t *seed) {
    if (!world_scene("cart", NULL)) return;
    for (int k = 0; k < 1000; k++) {
        double q = test_random(seed, 0, 0.02), v = test_random(seed, -3, 1), h = 0.01, m = 2;
        world.state.q[0] = (tact_real)q;
        world.state.v[0] = (tact_real)v;
        world.state.time = 0;
        tact_world_step(&world);
        CHECK_CLOSE(force_on(0, 0), fmax(0, -(q + h * v) * m / (h * h)), within(1e-12, 1e-4));
        CHECK_CLOSE(world.state.q[0], fmax(0, q + h * v), within(1e-15, 1e-7));
    }
    world_end();
}

static void test_two_carts(void) {
    if (!world_scene("two_carts", NULL)) return;
    for (int k = 0; k < 200; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        for (int pair = 0; pair < 2; pair++) CHECK_CLOSE(force_on(pair, 0), 9, within(1e-12, 1e-5));
    }
    world_end();
}

// what comes in goes out, one ball at a time
static void test_cradle(void) {
    if (!world_scene("newton_cradle", NULL)) return;
    double momentum = 0, energy = 0;
    int impacts = 0;
    for (int k = 0; k < 400; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        momentum = energy = 0;
        for (int b = 0; b < 5; b++) {
            double v = (double)world.state.v[3 * b];
            momentum += 0.1 * v;
            energy += 0.05 * v * v;
        }
        for (int pair = 0; pair < 4; pair++) impacts += force_on(pair, 0) > 0;
        CHECK_CLOSE(momentum, 0.05, within(1e-15, 1e-7));
        CHECK_CLOSE(energy, 0.0125, within(1e-15, 1e-7));
    }
    CHECK_INT(impacts, 4);
    for (int b = 0; b < 5; b++) CHECK_CLOSE(world.state.v[3 * b], b == 4 ? 0.5 : 0, within(1e-15, 1e-6));
    world_end();
}

// ten boxes, the heaviest on top
static void test_stack(void) {
    if (!world_scene("box_stack", NULL)) return;
    double deepest = 0, weight = 0, sum = 0, shift = 0;
    const tact_model *model = &world.scene->model;
    for (int b = 0; b < model->nbody; b++) weight += 9.81 * (double)model->body[b].mass;
    for (int k = 0; k < 200; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        sum = 0;
        for (int i = 0; i < world.work.contacts.count; i++) {
            deepest = fmin(deepest, (double)world.work.contacts.contact[i].gap);
            if (model->pair[world.work.contacts.contact[i].pair].a == 0) sum += (double)world.work.contacts.contact[i].lambda[0];
        }
    }
    for (int i = 0; i < model->nq; i++) shift = fmax(shift, fabs((double)(world.state.q[i] - model->q0[i])));
    CHECK_CLOSE(sum / weight, 1, within(1e-9, 1e-2));
    CHECK_CLOSE(deepest, 0, within(1e-12, 1e-4));
    CHECK_CLOSE(shift, 0, within(1e-10, 1e-2));
    world_end();
}

// below the friction angle the block stays to the bit, above it slides with g (sin - mu cos)
static void test_slope(void) {
    if (!world_scene("block_on_slope", NULL)) return;
    double normal = 0.5 * 9.81 * cos(0.4), along = 0.5 * 9.81 * sin(0.4);
    for (int k = 0; k < 200; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        double n = 0, x = 0;
        for (int i = 0; i < world.work.contacts.count; i++) {
            n += (double)world.work.contacts.contact[i].lambda[0];
            x += (double)world.work.contacts.contact[i].force.x;
        }
        CHECK_CLOSE(n, normal, within(1e-12, 1e-5));
        CHECK_CLOSE(x, -along, within(1e-12, 1e-5));
        CHECK_CLOSE(world.state.q[0], 0, within(1e-13, 1e-5));
        CHECK_CLOSE(world.state.v[3], 0, within(1e-13, 1e-5));
    }
    world_end();
    if (!world_scene("block_on_slope", (const char *const[]){"mu=0.3", NULL})) return;
    for (int k = 1; k <= 200; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        double v = 9.81 * (sin(0.4) - 0.3 * cos(0.4)) * 0.01 * k;
        CHECK_CLOSE(world.state.v[3], v, within(1e-12, 1e-4));
        CHECK_CLOSE(world.state.q[2], 0.02, within(1e-14, 1e-6));
    }
    world_end();
}

// Painleve: none at rest, two when it turns
static void test_rod(void) {
    char set[100];
    if (!world_scene("painleve_rod", NULL)) return;
    CHECK_INT(tact_world_step(&world), TACT_UNSOLVABLE);
    CHECK_INT(world.work.worst_pair, 0);
    CHECK(world.state.time == 0 && world.state.v[0] == -1);
    world_end();
    // the tip moves along the floor, and upwards by its turning: w^2 sin(theta)/2 > g
    snprintf(set, sizeof set, "state.v.rod=[-4,%.17g,6]", 0.5 * 6 / sqrt(5));
    if (!world_scene("painleve_rod", (const char *const[]){set, NULL})) return;
    CHECK_INT(tact_world_step(&world), TACT_AMBIGUOUS);
    CHECK_CLOSE(force_on(0, 0), 0, 0);
    CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    world_end();
    // with less friction there is one answer: a = g / (W_nn - mu W_nt) pushes up
    if (!world_scene("painleve_rod", (const char *const[]){"pairs.0.mu=0.5", NULL})) return;
    CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    CHECK_CLOSE(force_on(0, 0), 9.81 / (1.6 - 0.5 * 1.2), within(1e-10, 1e-2));
    world_end();
}

// five spheres, each ten times as heavy as the one below it: every contact bears what is above
static void test_column(void) {
    if (!world_text("{\"tact\":1,\"name\":\"column\",\"law\":\"rigid\",\"gravity\":[0,0,-10],\"bodies\":["
                    "{\"name\":\"a\",\"parent\":\"world\",\"mass\":1,\"joint\":{\"name\":\"a\",\"type\":\"translation\"}},"
                    "{\"name\":\"b\",\"parent\":\"world\",\"mass\":10,\"joint\":{\"name\":\"b\",\"type\":\"translation\"}},"
                    "{\"name\":\"c\",\"parent\":\"world\",\"mass\":100,\"joint\":{\"name\":\"c\",\"type\":\"translation\"}},"
                    "{\"name\":\"d\",\"parent\":\"world\",\"mass\":1000,\"joint\":{\"name\":\"d\",\"type\":\"translation\"}}],"
                    "\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0},"
                    "{\"name\":\"a\",\"body\":\"a\",\"type\":\"sphere\",\"radius\":0.5},"
                    "{\"name\":\"b\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.5},"
                    "{\"name\":\"c\",\"body\":\"c\",\"type\":\"sphere\",\"radius\":0.5},"
                    "{\"name\":\"d\",\"body\":\"d\",\"type\":\"sphere\",\"radius\":0.5}],"
                    "\"pairs\":[{\"a\":\"floor\",\"b\":\"a\"},{\"a\":\"a\",\"b\":\"b\"},{\"a\":\"b\",\"b\":\"c\"},"
                    "{\"a\":\"c\",\"b\":\"d\"}],\"mu\":0.5,"
                    "\"state\":{\"q\":{\"a\":[0,0,0.5],\"b\":[0,0,1.5],\"c\":[0,0,2.5],\"d\":[0,0,3.5]}}}"))
        return;
    const double bears[4] = {11110, 11100, 11000, 10000};
    for (int k = 0; k < 50; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        for (int pair = 0; pair < 4; pair++) CHECK_CLOSE(force_on(pair, 0), bears[pair], within(1e-12, 1e-3));
        for (int b = 0; b < 4; b++) CHECK_CLOSE(world.state.q[3 * b + 2], 0.5 + b, within(1e-12, 1e-5));
    }
    world_end();
}

#define TABLE                                                                                                             \
    "{\"tact\":1,\"name\":\"table\",\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"t\",\"parent\":"    \
    "\"world\",\"mass\":8,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"name\":\"t\",\"type\":\"free\"}}],\"shapes\":["          \
    "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[0,0,1],\"offset\":0},"                         \
    "{\"name\":\"p\",\"body\":\"t\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[-0.5,-0.4,-0.7]},"                          \
    "{\"name\":\"q\",\"body\":\"t\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[0.5,-0.4,-0.7]},"                           \
    "{\"name\":\"r\",\"body\":\"t\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[-0.5,0.4,-0.7]},"                           \
    "{\"name\":\"s\",\"body\":\"t\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[0.5,0.4,-0.7]}],\"pairs\":\"auto\",\"mu\":" \
    "0.5,\"state\":{\"q\":{\"t\":[0,0,0.7,1,0,0,0]}}}"

// rank 3 of 4: the forces are not unique, their sum is; and once at rest the whole state stays as it is, for ever
static void test_table(void) {
    if (!world_text(TABLE)) return;
    const tact_model *model = &world.scene->model;
    static tact_real q[7], v[6], lambda[64];
    bool still = false;
    for (int k = 0; k < 100; k++) {
        double sum = 0;
        memcpy(q, world.state.q, sizeof q);
        memcpy(v, world.state.v, sizeof v);
        memcpy(lambda, world.state.lambda, 3 * (size_t)model->npair * sizeof lambda[0]);
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        for (int pair = 0; pair < model->npair; pair++) sum += force_on(pair, 0);
        CHECK_CLOSE(sum, 8 * 9.81, within(1e-12, 1e-5));
        still = memcmp(q, world.state.q, sizeof q) == 0 && memcmp(v, world.state.v, sizeof v) == 0 &&
                memcmp(lambda, world.state.lambda, 3 * (size_t)model->npair * sizeof lambda[0]) == 0;
    }
    // equal states give equal steps
    CHECK(still);
    world_end();
}

// a ball falls, bounces with e = 0.5 and comes to rest; then nothing changes any more
static void test_ball(void) {
    const char *text =
        "{\"tact\":1,\"name\":\"ball\",\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"options\":{\"level\":\"velocity\"},"
        "\"bodies\":[" BALL(
            "ball") "],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\","
                    "\"normal\":[0,0,1],\"offset\":0},{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.04}],"
                    "\"pairs\":[{\"a\":\"floor\",\"b\":\"ball\",\"mu\":0.5,\"restitution\":0.5}],"
                    "\"state\":{\"q\":{\"ball\":[0,0,0.34]}}}";
    if (!world_text(text)) return;
    int bounces = 0;
    tact_real q[3], v[3];
    bool still = false;
    for (int k = 0; k < 3000; k++) {
        memcpy(q, world.state.q, sizeof q);
        memcpy(v, world.state.v, sizeof v);
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        if (force_on(0, 0) > 0 && v[2] < TACT_REAL(-0.2)) {
            CHECK_CLOSE(world.state.v[2], -v[2] / 2, within(1e-14, 1e-6));
            bounces++;
        }
        CHECK(world.state.q[2] >= TACT_REAL(0.04) - 4 * TACT_EPS);
        still = memcmp(q, world.state.q, sizeof q) == 0 && memcmp(v, world.state.v, sizeof v) == 0;
    }
    CHECK(bounces >= 2);
    CHECK(still);
    CHECK_CLOSE(force_on(0, 0), 9.81, within(1e-12, 1e-5));
    world_end();
}

// a slide runs into its limit and stays there
static void test_limit(void) {
    if (!world_text(
            "{\"tact\":1,\"name\":\"slide\",\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"bodies\":[{\"name\":\"s\",\"parent\":"
            "\"world\",\"mass\":2,\"joint\":{\"name\":\"s\",\"type\":\"prismatic\",\"axis\":[0,0,1],\"limits\":[-0.3,0.1]}}],"
            "\"state\":{\"v\":{\"s\":2}}}"))
        return;
    double high = -1;
    for (int k = 0; k < 200; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        high = fmax(high, (double)world.state.q[0]);
    }
    CHECK_CLOSE(high, 0.1, within(1e-15, 1e-7));
    CHECK_CLOSE(world.state.q[0], -0.3, within(1e-15, 1e-7));
    CHECK_CLOSE(world.state.v[0], 0, within(1e-14, 1e-6));
    world_end();
}

// a stiff drive with a heavy load does not shake, and an overlap is closed without a bump
static void test_overlap(void) {
    if (!world_text(TABLE)) return;
    world.state.q[2] -= TACT_REAL(0.001);
    for (int k = 0; k < 20; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        CHECK_CLOSE(world.state.v[5], 0, within(1e-13, 1e-5));
    }
    CHECK_CLOSE(world.state.q[2], 0.7, within(1e-13, 1e-6));
    world_end();
}

// with polyhedral cones: where the edges lie the answers are those of the exact cone
static void test_polyhedral(void) {
    if (!world_scene("two_carts", (const char *const[]){"options.cone=polyhedral", NULL})) return;
    for (int k = 0; k < 20; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        for (int pair = 0; pair < 2; pair++) CHECK_CLOSE(force_on(pair, 0), 9, within(1e-12, 1e-4));
    }
    world_end();
    if (!world_scene("block_on_slope", (const char *const[]){"options.cone=polyhedral", "mu=0.3", NULL})) return;
    for (int k = 1; k <= 50; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        double v = 9.81 * (sin(0.4) - 0.3 * cos(0.4)) * 0.01 * k;
        CHECK_CLOSE(world.state.v[3], v, within(1e-12, 1e-3));
    }
    world_end();
    if (!world_scene("block_on_slope", (const char *const[]){"options.cone=polyhedral", NULL})) return;
    for (int k = 1; k <= 50; k++) {
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        CHECK_CLOSE(world.state.q[0], 0, within(1e-12, 1e-4));
    }
    world_end();
}

// A wall of balls between two walls, each resting on the one below: larger islands are solved in other ways. What the floor bears
// is the weight of all, and a ball bears those above it.
static void test_wall(int columns, int rows) {
    static char text[100000];
    int at = snprintf(text, sizeof text, "{\"tact\": 1, \"name\": \"wall\", \"law\": \"rigid\", \"bodies\": [");
    for (int i = 0; i < columns * rows; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "%s{\"name\": \"b%d\", \"parent\": \"world\", \"mass\": 0.5, "
                       "\"joint\": {\"name\": \"j%d\", \"type\": \"translation\"}}",
                       i ? "," : "", i, i);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "], \"shapes\": [{\"name\": \"floor\", \"body\": \"world\", \"type\": \"plane\"}");
    for (int i = 0; i < columns * rows; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       ",{\"name\": \"s%d\", \"body\": \"b%d\", \"type\": \"sphere\", \"radius\": 0.05}", i, i);
    at += snprintf(text + at, sizeof text - (size_t)at, "], \"pairs\": [");
    for (int i = 0; i < columns * rows; i++) {
        bool first = i < columns, last = i % columns == columns - 1;
        char below[16];
        snprintf(below, sizeof below, first ? "floor" : "s%d", i - columns);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s{\"a\": \"%s\", \"b\": \"s%d\", \"mu\": 0.5}", i ? "," : "", below,
                       i);
        if (!last)
            at += snprintf(text + at, sizeof text - (size_t)at, ",{\"a\": \"s%d\", \"b\": \"s%d\", \"mu\": 0.5}", i, i + 1);
    }
    at += snprintf(text + at, sizeof text - (size_t)at, "], \"state\": {\"q\": {");
    for (int i = 0; i < columns * rows; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\"j%d\": [%g, 0, %g]", i ? "," : "", i, 0.1 * (i % columns),
                       0.05 + 0.1 * (i / columns));
    snprintf(text + at, sizeof text - (size_t)at, "}}}");
    if (!world_text(text)) return;
    for (int k = 0; k < 3; k++) {
        tact_status status = tact_world_step(&world);
        double floor = 0, most = 0, weight = 0.5 * 9.81;
        CHECK(status == TACT_CONVERGED || status == TACT_ITERATION_LIMIT);
        for (int pair = 0; pair < world.scene->model.npair; pair++) {
            if (world.scene->model.shape[world.scene->model.pair[pair].a].body == TACT_WORLD) floor += force_on(pair, 0);
            most = fmax(most, force_on(pair, 0));
        }
        printf("wall of %d x %d: status %d, floor %g of %g, largest %g of %g\n", columns, rows, (int)status, floor,
               columns * rows * weight, most, rows * weight);
        double allowed = status == TACT_CONVERGED ? within(1e-6, 1e-2) : 0.05;
        CHECK_CLOSE(floor / (columns * rows * weight), 1, allowed);
        CHECK_CLOSE(most / (rows * weight), 1, allowed);
    }
    world_end();
}

// fingers that turn too fast for the iteration run off: no answer, the state as it was, and the input is not to blame
static void test_runaway(void) {
    if (!world_scene("hand_lift", NULL)) return;
    int refused = 0;
    for (int v = 0; v < world.scene->model.nu; v++) {
        tact_state_reset(&world.state, &world.scene->model);
        world.state.v[v] = TACT_REAL(1e5);
        tact_status status = tact_world_step(&world);
        CHECK(status != TACT_BAD_INPUT);
        refused += status == TACT_SINGULAR;
        if (status < 0) CHECK(world.state.v[v] == TACT_REAL(1e5) && world.state.q[v] == world.scene->model.q0[v]);
    }
    CHECK(refused > 0);
    world_end();
}

// a ball that spins and falls along a wall which it touches to rounding: what presses it there is noise, and is found at once
static void test_graze(void) {
    static const char text[] = "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.001},"
                               "\"bodies\":[{\"name\":\"ball\",\"parent\":\"world\",\"mass\":5,\"inertia\":[0.02,0.02,0.02,0,0,0]"
                               ",\"joint\":{\"name\":\"ball\",\"type\":\"free\""
                               "}}],"
                               "\"shapes\":[{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.1},"
                               "{\"name\":\"wall\",\"body\":\"world\",\"type\":\"plane\",\"normal\":[1,0,0],\"offset\":0}],"
                               "\"pairs\":[{\"a\":\"wall\",\"b\":\"ball\",\"mu\":0.7}],"
                               "\"state\":{\"q\":{\"ball\":[0.1,0,0,1,0,0,0]},\"v\":{\"ball\":[3,2,-5,0,1,-0.8]}}}";
    if (!world_text(text)) return;
    for (int k = 1; k <= 40; k++) {
        tact_state_reset(&world.state, &world.scene->model);
        world.state.q[0] -= (tact_real)k * TACT_EPS / 16;
        CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
        CHECK(world.work.iterations <= 10);
        CHECK_CLOSE(force_on(0, 0), 0, within(1e-3, 5));
    }
    world_end();
}

// Equal boxes or hull cubes, turned together about the upright: a stack dropped from up to 5 cm ends where it belongs, and a
// block that runs into an equal one without friction goes on with it at half its speed. Their side faces lie in one plane, so
// that every corner which touches is on several faces.
static void test_flush(uint64_t *seed) {
    static char text[20000], cube[600];
    const bool hull = test_random(seed, 0, 1) < 0.5, stacked = test_random(seed, 0, 1) < 0.6;
    const int count = stacked ? 2 + (int)test_random(seed, 0, 3) : 2;
    const double edge = test_random(seed, 0.02, 0.2), half = edge / 2,
                 yaw = test_random(seed, 0, 1) < 0.3 ? 0 : test_random(seed, -2, 2), way[2] = {cos(yaw), sin(yaw)},
                 mass = test_random(seed, 200, 2000) * edge * edge * edge, inertia = mass * edge * edge / 6;
    const double speed = edge * test_random(seed, 2, 10);
    int at =
        snprintf(cube, sizeof cube, hull ? "\"hull\",\"points\":[" : "\"box\",\"size\":[%.17g,%.17g,%.17g]", edge, edge, edge);
    for (int i = 0; i < 8 && hull; i++)
        at += snprintf(cube + at, sizeof cube - (size_t)at, "%s[%.17g,%.17g,%.17g]%s", i ? "," : "", i & 1 ? half : -half,
                       i & 2 ? half : -half, i & 4 ? half : -half, i == 7 ? "]" : "");
    at = snprintf(text, sizeof text, "{\"tact\":1,\"law\":\"rigid\",\"mu\":%g,\"options\":{\"dt\":0.005},\"bodies\":[",
                  stacked ? 0.5 : 0.0);
    for (int i = 0; i < count; i++)
        at += snprintf(
            text + at, sizeof text - (size_t)at,
            "%s{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":%.17g,\"inertia\":[%.17g,%.17g,%.17g,0,0,0],\"joint\":{\"name\":"
            "\"b%d\",\"type\":\"free\"}}",
            i ? "," : "", i, mass, inertia, inertia, inertia, i);
    at += snprintf(text + at, sizeof text - (size_t)at,
                   "],\"pairs\":\"auto\",\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\"}");
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, ",{\"name\":\"b%d\",\"body\":\"b%d\",\"type\":%s}", i, i, cube);
    at += snprintf(text + at, sizeof text - (size_t)at, "],\"state\":{\"v\":{\"b0\":[0,0,0,%.17g,%.17g,0]},\"q\":{",
                   stacked ? 0 : speed * way[0], stacked ? 0 : speed * way[1]);
    double lift = 0;
    for (int i = 0; i < count; i++, lift += stacked ? test_random(seed, 0, 0.02) : 0) {
        const double along = stacked ? 0 : i * 1.2 * edge, z = half + (stacked ? i * edge + lift : 0);
        at += snprintf(text + at, sizeof text - (size_t)at, "%s\"b%d\":[%.17g,%.17g,%.17g,%.17g,0,0,%.17g]", i ? "," : "", i,
                       along * way[0], along * way[1], z, cos(yaw / 2), sin(yaw / 2));
    }
    snprintf(text + at, sizeof text - (size_t)at, "}}}");
    if (!world_text(text)) return;
    for (int k = 0; k < 80; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    for (int i = 0; i < count; i++) {
        const tact_real *q = world.state.q + 7 * i, *v = world.state.v + 6 * i;
        CHECK_CLOSE(q[2], half + (stacked ? i * edge : 0), within(1e-9, 1e-4));
        CHECK_CLOSE(q[3], cos(yaw / 2), within(1e-6, 1e-3));
        CHECK_CLOSE(way[0] * (double)v[3] + way[1] * (double)v[4], stacked ? 0 : speed / 2, within(1e-9, 1e-3));
        CHECK_CLOSE(way[0] * (double)q[1] - way[1] * (double)q[0], 0, within(1e-6, 1e-3));
    }
    if (!stacked)
        CHECK_CLOSE(way[0] * (double)(world.state.q[7] - world.state.q[0]) +
                        way[1] * (double)(world.state.q[8] - world.state.q[1]),
                    edge, within(1e-9, 1e-4));
    world_end();
}

// A body of points of radius 0 on one that is rounded or wider than it: the points are no corners of one box.
static int put_points(char *text, size_t size, const char *low, double mass, const double inertia[3], double (*point)[3],
                      int count) {
    int at = snprintf(
        text, size,
        "{\"tact\":1,\"law\":\"rigid\",\"mu\":1,\"options\":{\"dt\":0.005},\"pairs\":\"auto\",\"bodies\":[{\"name\":\"b\","
        "\"parent\":\"world\",\"mass\":%g,\"inertia\":[%.17g,%.17g,%.17g,0,0,0],\"joint\":{\"type\":\"free\"}}],"
        "\"shapes\":[%s",
        mass, inertia[0], inertia[1], inertia[2], low);
    for (int i = 0; i < count; i++)
        at += snprintf(text + at, size - (size_t)at,
                       ",{\"name\":\"p%d\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0,\"xyz\":[%.17g,%.17g,%.17g]}", i,
                       point[i][0], point[i][1], point[i][2]);
    return at;
}

// A cube of points rests with an edge on the round edge of a box, 45 degrees steep; two legs of points fall astride of a post.
static void test_points(void) {
    static char text[4000];
    static double point[16][3];
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < 3; k++) point[i][k] = i >> k & 1 ? 0.02 : -0.02;
    int at = put_points(
        text, sizeof text,
        "{\"name\":\"low\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.1,0.1,0.1],\"round\":0.005,\"xyz\":[0,0,-0.05]}",
        0.032, (double[3]){8.5e-6, 8.5e-6, 8.5e-6}, point, 8);
    const double place[2] = {0.046477601033306705, 0.028060953693089936};
    snprintf(text + at, sizeof text - (size_t)at, "],\"state\":{\"q\":{\"b\":[%.17g,0,%.17g,%.17g,0,%.17g,0]}}}", place[0],
             place[1], cos(atan(1) / 2), sin(atan(1) / 2));
    if (!world_text(text)) return;
    for (int k = 0; k < 40; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    CHECK_CLOSE(world.state.q[0], place[0], within(1e-9, 1e-4));
    CHECK_CLOSE(world.state.q[2], place[1], within(1e-9, 1e-4));
    world_end();
    for (int i = 0; i < 16; i++) {
        point[i][0] = (i & 8 ? 1 : -1) * (i & 1 ? 0.15 : 0.05);
        point[i][1] = i & 2 ? 0.05 : -0.05;
        point[i][2] = i & 4 ? 0.05 : -0.15;
    }
    at = put_points(text, sizeof text,
                    "{\"name\":\"post\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.1,0.1,0.2],\"xyz\":[0,0,0.1]}", 1.5,
                    (double[3]){0.0025, 0.0125, 0.0125}, point, 16);
    snprintf(text + at, sizeof text - (size_t)at, "],\"state\":{\"q\":{\"b\":[0,0,0.345,1,0,0,0]}}}");
    if (!world_text(text)) return;
    for (int k = 0; k < 30; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    CHECK_CLOSE(world.state.q[2], 0.345 - 9.81 * 0.005 * 0.005 * 30 * 31 / 2, within(1e-12, 1e-5));
    world_end();
}

// A box slides without friction from one plate onto another that is flush with it, and strikes no edge.
static void test_plates(uint64_t *seed) {
    static char text[2000];
    const double edge = test_random(seed, 0.05, 0.2), half = edge / 2, wide = edge * test_random(seed, 0.6, 2),
                 speed = edge * test_random(seed, 2, 12), yaw = test_random(seed, 0, 1) < 0.5 ? 0 : test_random(seed, -1, 1);
    snprintf(text, sizeof text,
             "{\"tact\":1,\"law\":\"rigid\",\"mu\":0,\"options\":{\"dt\":0.005},\"pairs\":\"auto\",\"bodies\":[{\"name\":\"b\","
             "\"parent\":"
             "\"world\",\"mass\":0.5,\"inertia\":[0.001,0.001,0.001,0,0,0],\"joint\":{\"type\":\"free\"}}],\"shapes\":[{\"name\":"
             "\"box\",\"body\":"
             "\"b\",\"type\":"
             "\"box\",\"size\":[%.17g,%.17g,%.17g]},{\"name\":\"left\",\"body\":\"world\",\"type\":\"box\",\"size\":[%.17g,1,0.1]"
             ",\"xyz\":[%.17g,0,"
             "-0.05]},"
             "{\"name\":\"right\",\"body\":\"world\",\"type\":\"box\",\"size\":[%.17g,1,0.1],\"xyz\":[%.17g,0,-0.05]}],"
             "\"state\":{\"q\":{\"b\":[%.17g,0,%.17g,%.17g,0,0,%.17g]},\"v\":{\"b\":[0,0,0,%.17g,0,0]}}}",
             edge, edge, edge, 2 * wide, -wide, 2 * wide, wide, -0.8 * edge, half, cos(yaw / 2), sin(yaw / 2), speed);
    if (!world_text(text)) return;
    const int steps = (int)(1.6 * edge / (speed * 0.005));
    for (int k = 0; k < steps; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    CHECK_CLOSE(world.state.q[0], -0.8 * edge + steps * 0.005 * speed, within(1e-9, 1e-4));
    CHECK_CLOSE(world.state.q[2], half, within(1e-9, 1e-4));
    CHECK_CLOSE(world.state.q[6], sin(yaw / 2), within(1e-9, 1e-4));
    world_end();
}

// Three equal hulls that lie flush strike each other off centre: they stay in their plane.
static void test_plane(void) {
    static char text[4000];
    int at = snprintf(
        text, sizeof text,
        "{\"tact\":1,\"law\":\"rigid\",\"mu\":0,\"gravity\":[0,0,0],\"options\":{\"dt\":0.002},\"pairs\":\"auto\",\"bodies\":[");
    for (int i = 0; i < 3; i++)
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "%s{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":1.7575722397264737,\"inertia\":[0.0059986519999864684,"
                       "0.010199725694132036,0.007230620924228121,0,0,0],\"joint\":{\"name\":\"b%d\",\"type\":\"free\"}}",
                       i ? "," : "", i, i);
    at += snprintf(text + at, sizeof text - (size_t)at, "],\"shapes\":[");
    for (int i = 0; i < 3; i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "%s{\"name\":\"b%d\",\"body\":\"b%d\",\"type\":\"hull\",\"points\":[",
                       i ? "," : "", i, i);
        for (int k = 0; k < 8; k++)
            at += snprintf(text + at, sizeof text - (size_t)at, "%s[%.17g,%.17g,%.17g]", k ? "," : "",
                           (k & 1 ? 1 : -1) * 0.09877438731760035, (k & 2 ? 1 : -1) * 0.05084847131683917,
                           (k & 4 ? 1 : -1) * 0.08748446646362303);
        at += snprintf(text + at, sizeof text - (size_t)at, "]}");
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "],\"state\":{\"q\":{\"b0\":[0,0,0,1,0,0,0],\"b1\":[0.25681340702576094,-0.05084847131683917,0,1,0,0,0],\"b2\":[0."
             "45436218166096165,-0.05084847131683917,0,1,0,0,0]},\"v\":{\"b0\":[0,0,0,0.8589744161632654,0,0]}}}");
    if (!world_text(text)) return;
    for (int k = 0; k < 400; k++) CHECK_INT(tact_world_step(&world), TACT_CONVERGED);
    for (int i = 0; i < 3; i++) {
        CHECK_CLOSE(world.state.q[7 * i + 2], 0, within(1e-9, 1e-4));
        CHECK_CLOSE(world.state.q[7 * i + 4], 0, within(1e-9, 1e-4));
    }
    world_end();
}

int main(void) {
    uint64_t seed = test_seed(57);
    test_cart();
    test_carts_at_random(&seed);
    test_two_carts();
    test_cradle();
    test_stack();
    test_slope();
    test_rod();
    test_column();
    test_table();
    test_ball();
    test_limit();
    test_polyhedral();
    test_overlap();
    test_runaway();
    test_graze();
    for (int k = 0; k < 20; k++) test_flush(&seed);
    test_points();
    for (int k = 0; k < 20; k++) test_plates(&seed);
    test_plane();
    test_wall(4, 4);
    test_wall(8, 5);
    test_wall(12, 6);
    return test_end("rigid_scenes");
}
