// SPDX-License-Identifier: MIT
// Boxes and hulls on planes and on one another: slots and their names, a box that shares its weight, a hull cube that moves as a
// box cube does, edges that cross, a stack of boxes.
#include "rigid_world.h"

#define BODY(name) \
    "{\"name\":\"" name "\",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[3e-5,3e-5,4e-5,0,0,0],\"joint\":{\"type\":\"free\"}}"
#define FLOOR "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\"}"
#define BOX "\"type\":\"box\",\"size\":[0.04,0.04,0.04]"
#define CUBE                                                                                                                  \
    "\"type\":\"hull\",\"points\":[[-0.02,-0.02,-0.02],[0.02,-0.02,-0.02],[-0.02,0.02,-0.02],[0.02,0.02,-0.02],[-0.02,-0.02," \
    "0.02],[0.02,-0.02,0.02],[-0.02,0.02,0.02],[0.02,0.02,0.02]]"
#define TABLE "{\"name\":\"floor\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.2,0.2,0.04],\"xyz\":[0,0,-0.02]}"
#define ON_FLOOR(law, shape, q) ON(FLOOR, law, shape, q)
#define ON(floor, law, shape, q)                                                                                             \
    "{\"tact\":1,\"law\":\"" law                                                                                             \
    "\",\"gravity\":[0,0,-9.81],\"mu\":0.5,\"options\":{\"dt\":0.01,\"kappa\":100000},\"bodies\":[" BODY(                    \
        "b") "],\"shapes\":[" floor ",{\"name\":\"s\",\"body\":\"b\"," shape "}],\"pairs\":[{\"a\":\"floor\",\"b\":\"s\"}]," \
             "\"state\":{\"q\":{\"b\":[" q "]}}}"

static void steps(int count) {
    for (int i = 0; i < count; i++) CHECK(tact_world_step(&world) >= 0);
}

static void test_slots(void) {
    const tact_model *m = open_scene("{\"tact\":1,\"mu\":1,\"bodies\":[" BODY("b") "," BODY(
        "c") "],\"shapes\":[" FLOOR ",{\"name\":\"s\",\"body\":\"b\"," BOX
             ",\"round\":0.005,\"xyz\":[0.1,0,0],\"rpy\":[0,0,1.5707963267948966]},"
             "{\"name\":\"t\",\"body\":\"c\"," CUBE "}],\"pairs\":[{\"a\":\"floor\",\"b\":\"s\"},"
             "{\"a\":\"s\",\"b\":\"t\"}]}");
    if (!scene) return;
    CHECK_INT(m->npair, 8 + 8 + 8 + 2 * 12);
    CHECK_INT(m->nshape, 3 + 20 + 20);
    CHECK_TEXT(m->names->shape[3], "s#0");
    CHECK_INT(m->names->slot_of[3], 1);
    CHECK_INT(m->names->slot_of[1], -1);
    CHECK_INT(m->shape[3].body, m->shape[1].body);
    // corner (-, -, -) less the radius, turned by a quarter
    CHECK_CLOSE(m->shape[3].place.p.x, 0.115, within(1e-15, 1e-7));
    CHECK_CLOSE(m->shape[3].place.p.y, -0.015, within(1e-15, 1e-7));
    CHECK_CLOSE(m->shape[3].size[0], 0.005, within(1e-15, 1e-7));
    CHECK(m->pair[0].a == 0 && m->pair[0].b == 3 && m->pair[8].a == 3 && m->pair[8].b == 2 && m->pair[16].a == 1);
    CHECK(m->shape[m->pair[24].a].type == TACT_SHAPE_CAPSULE && m->pair[24].b == 2);
    // each edge of a at two places
    for (int e = 0; e < 24; e++) CHECK(m->pair[24 + e].vertex == -3 - e % 2 && m->pair[24 + e].a == m->pair[24].a + e / 2);
    // each edge ends at two of the vertices
    for (int e = 0; e < 40; e++) {
        const tact_shape *edge = &m->shape[3 + e];
        int ends = 0;
        if (edge->type != TACT_SHAPE_CAPSULE) continue;
        for (int side = -1; side <= 1; side += 2)
            for (int v = 0; v < 40; v++) {
                if (m->shape[3 + v].type != TACT_SHAPE_SPHERE || m->shape[3 + v].body != edge->body) continue;
                tact_vec3 end = tact_pose_apply(edge->place, tact_vec3_make(0, 0, (tact_real)side * edge->size[1]));
                tact_vec3 off = tact_vec3_sub(end, m->shape[3 + v].place.p);
                ends += (double)tact_vec3_dot(off, off) < within(1e-26, 1e-12);
            }
        CHECK_INT(ends, 2);
    }
    close_scene();
    CHECK_SCENE("{\"tact\":1,\"mu\":1,\"bodies\":[" BODY("b") "],\"shapes\":[" FLOOR ",{\"name\":\"s\",\"body\":\"b\"," BOX
                                                              "},{\"name\":\"s#1\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":"
                                                              "0}],\"pairs\":[{\"a\":\"floor\",\"b\":\"s\"}]}",
                "/shapes/1/name: its slot would have the name \"s#1\", which another shape has");
}

// four corners bear the same
static void test_weight(void) {
    static const char *const texts[] = {ON_FLOOR("barrier", BOX, "0,0,0.0205,1,0,0,0"),
                                        ON_FLOOR("barrier", CUBE, "0,0,0.0205,1,0,0,0"),
                                        ON_FLOOR("rigid", BOX, "0,0,0.02,1,0,0,0"), ON_FLOOR("rigid", CUBE, "0,0,0.02,1,0,0,0")};
    for (int k = 0; k < 4; k++) {
        if (!world_text(texts[k])) continue;
        double low = HUGE_VAL, high = 0, sum = 0;
        steps(200);
        const tact_contacts *found = &world.work.contacts;
        for (int i = 0; i < found->count; i++) {
            double force = (double)found->contact[i].lambda[0];
            sum += force;
            if ((double)found->contact[i].gap > 0.01) continue;
            low = fmin(low, force);
            high = fmax(high, force);
        }
        CHECK_CLOSE(sum, 0.981, within(1e-6, 1e-4));
        CHECK_CLOSE(high - low, 0, within(k < 2 ? 1e-9 : 1e-6, 1e-3));
        world_end();
    }
}

// a cube that falls on a box, as a box and as a hull
static void test_cubes(void) {
    static const char *const texts[2][2] = {{ON(TABLE, "barrier", BOX, "0,0,0.06,0.92338052,0.30779351,0.20519567,0.10259784"),
                                             ON(TABLE, "barrier", CUBE, "0,0,0.06,0.92338052,0.30779351,0.20519567,0.10259784")},
                                            {ON(TABLE, "rigid", BOX, "0,0,0.06,0.92338052,0.30779351,0.20519567,0.10259784"),
                                             ON(TABLE, "rigid", CUBE, "0,0,0.06,0.92338052,0.30779351,0.20519567,0.10259784")}};
    for (int law = 0; law < 2; law++) {
        double q[2][7], apart = 0;
        for (int k = 0; k < 2; k++) {
            if (!world_text(texts[law][k])) return;
            steps(law == 0 ? 60 : 20);
            for (int i = 0; i < 7; i++) q[k][i] = (double)world.state.q[i];
            world_end();
        }
        for (int i = 0; i < 7; i++) apart = fmax(apart, fabs(q[0][i] - q[1][i]));
        printf("hull and box apart by %.2g, law %s\n", apart, law == 0 ? "barrier" : "rigid");
        CHECK(q[0][2] < 0.05 && apart < within(1e-9, 1e-3));
    }
}

// two beams across each other touch where no vertex is near
static void test_crossing(void) {
    for (int law = 0; law < 2; law++) {
        char text[2000];
        snprintf(
            text, sizeof text,
            "{\"tact\":1,\"law\":\"%s\",\"gravity\":[0,0,-9.81],\"mu\":0.5,\"options\":{\"dt\":0.01,\"kappa\":100000},\"bodies\":"
            "[" BODY("b") "],\"shapes\":[{\"name\":\"low\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.3,0.04,0.04]},"
                          "{\"name\":\"high\",\"body\":\"b\",\"type\":\"box\",\"size\":[0.04,0.3,0.04]}],"
                          "\"pairs\":[{\"a\":\"low\",\"b\":\"high\"}],\"state\":{\"q\":{\"b\":[0,0,0.0405,1,0,0,0]}}}",
            law == 0 ? "barrier" : "rigid");
        if (!world_text(text)) continue;
        steps(200);
        CHECK_CLOSE(world.state.q[2], 0.04, law == 0 ? 1e-3 : 1e-5);
        world_end();
    }
}

// A brick lies flush on a crate and juts out over its rim, turned by a little: where its edges pass the rim the crate's side has
// no part in it, all forces are vertical, and an edge that both shapes tell of, or that ends at a vertex, counts once.
static void test_rim(uint64_t *seed) {
    for (int k = 0; k < test_rounds(40); k++) {
        char text[2000];
        double yaw = test_random(seed, -3, 3), out = test_random(seed, 0.005, 0.02), across = test_random(seed, -0.02, 0.02);
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"options\":{\"dt\":0.005},\"bodies\":[" BODY(
                     "b") "],\"shapes\":[{\"name\":\"crate\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.08,0.08,0.04]},"
                          "{\"name\":\"brick\",\"body\":\"b\",\"type\":\"box\",\"size\":[0.05,0.04,0.03]}],"
                          "\"pairs\":[{\"a\":\"%s\",\"b\":\"%s\",\"mu\":0.5}],"
                          "\"state\":{\"q\":{\"b\":[%.17g,%.17g,0.035,%.17g,0,0,%.17g]}}}",
                 k % 2 ? "crate" : "brick", k % 2 ? "brick" : "crate", 0.04 - out, across, cos(yaw / 2), sin(yaw / 2));
        if (!world_text(text)) return;
        for (int step = 0; step < 20; step++) {
            double weight = 0, aside = 0;
            CHECK(tact_world_step(&world) == TACT_CONVERGED);
            for (int c = 0; c < world.work.contacts.count; c++) {
                const tact_contact *contact = &world.work.contacts.contact[c];
                double force = (k % 2 ? 1 : -1) * (double)contact->force.z;
                weight += force;
                if (contact->lambda[0] > 0) aside = fmax(aside, 1 - fabs((double)contact->frame.m[0][2]));
            }
            CHECK_CLOSE(weight, 0.981, within(1e-8, 1e-3));
            CHECK(aside <= within(1e-9, 1e-4));
        }
        world_end();
    }
}

// Five boxes that fall on each other: nothing sinks in by more than a step goes, up to 15 mm, and of 300 steps at most one in
// the mean does not find its forces, where many contacts slide by next to nothing.
static void test_piles(uint64_t *seed) {
    const int piles = test_rounds(6);
    double deepest = 0;
    int unfinished = 0;
    for (int k = 0; k < piles; k++) {
        char text[4000];
        int at = snprintf(text, sizeof text,
                          "{\"tact\":1,\"law\":\"rigid\",\"gravity\":[0,0,-9.81],\"options\":{\"dt\":0.005},"
                          "\"mu\":0.5,\"pairs\":\"auto\",\"bodies\":[");
        for (int i = 0; i < 5; i++) at += snprintf(text + at, sizeof text - (size_t)at, "%s" BODY("b%d"), i > 0 ? "," : "", i);
        at += snprintf(text + at, sizeof text - (size_t)at,
                       "],\"shapes\":[{\"name\":\"floor\",\"body\":\"world\",\"type\":\"plane\"}");
        for (int i = 0; i < 5; i++)
            at += snprintf(text + at, sizeof text - (size_t)at,
                           ",{\"name\":\"s%d\",\"body\":\"b%d\",\"type\":\"box\",\"size\":[%g,%g,%g]}", i, i,
                           test_random(seed, 0.04, 0.1), test_random(seed, 0.04, 0.1), test_random(seed, 0.04, 0.1));
        at += snprintf(text + at, sizeof text - (size_t)at, "],\"state\":{\"q\":{");
        for (int i = 0; i < 5; i++) {
            double q[4], length = 0;
            for (int j = 0; j < 4; j++) q[j] = test_random(seed, -1, 1), length += q[j] * q[j];
            for (int j = 0; j < 4; j++) q[j] /= sqrt(length);
            at +=
                snprintf(text + at, sizeof text - (size_t)at, "%s\"b%d\":[%g,%g,%g,%.17g,%.17g,%.17g,%.17g]", i > 0 ? "," : "", i,
                         test_random(seed, -0.03, 0.03), test_random(seed, -0.03, 0.03), 0.1 + 0.18 * i, q[0], q[1], q[2], q[3]);
        }
        snprintf(text + at, sizeof text - (size_t)at, "}}}");
        if (!world_text(text)) return;
        const tact_shape *shape = world.scene->model.shape;
        for (int step = 0; step < 300; step++) {
            unfinished += tact_world_step(&world) != TACT_CONVERGED;
            for (int i = 1; i <= 5; i++)
                for (int j = i + 1; j <= 5; j++) {
                    tact_pair_distance apart;
                    const tact_pose *pose = world.work.contacts.shape;
                    CHECK(tact_shape_pair_distance(&shape[i], &pose[i], &shape[j], &pose[j], &apart));
                    deepest = fmax(deepest, -(double)apart.gap);
                }
        }
        world_end();
    }
    printf("deepest overlap of %d piles: %.2f mm; %d steps without an answer\n", piles, 1e3 * deepest, unfinished);
    CHECK(deepest < 0.015);
    CHECK(unfinished <= piles);
}

// Boxes and wedges that fall on a beam and tumble over it: edges that meet edges do not sink in. In 1 ms what strikes at 1 m/s
// goes 1 mm, which is as deep as an edge may get that meets one of another contact; the depth is that of the whole shapes.
static void test_tumbling(uint64_t *seed) {
    const int drops = test_rounds(24);
    double deepest = 0;
    for (int k = 0; k < drops; k++) {
        char text[2000];
        double q[4], length = 0, x = test_random(seed, -0.03, 0.03), y = test_random(seed, -0.03, 0.03);
        for (int i = 0; i < 4; i++) q[i] = test_random(seed, -1, 1), length += q[i] * q[i];
        for (int i = 0; i < 4; i++) q[i] /= sqrt(length);
        snprintf(text, sizeof text,
                 "{\"tact\":1,\"law\":\"rigid\",\"options\":{\"dt\":0.001},\"bodies\":[" BODY(
                     "b") "],\"shapes\":[{\"name\":\"beam\",\"body\":\"world\",\"type\":\"box\",\"size\":[0.036,0.098,0.017]},"
                          "{\"name\":\"s\",\"body\":\"b\",%s}],\"pairs\":[{\"a\":\"%s\",\"b\":\"%s\",\"mu\":0.5}],"
                          "\"state\":{\"q\":{\"b\":[%.17g,%.17g,0.06,%.17g,%.17g,%.17g,%.17g]}}}",
                 k % 2 ? BOX
                       : "\"type\":\"hull\",\"points\":[[-0.02,-0.02,-0.0133],[0.04,-0.02,-0.0133],[0.04,0.02,-0.0133],"
                         "[-0.02,0.02,-0.0133],[-0.02,-0.02,0.0267],[-0.02,0.02,0.0267]]",
                 k % 4 < 2 ? "beam" : "s", k % 4 < 2 ? "s" : "beam", x, y, q[0], q[1], q[2], q[3]);
        if (!world_text(text)) return;
        const tact_shape *shape = world.scene->model.shape;
        for (int step = 0; step < 250; step++) {
            CHECK(tact_world_step(&world) >= 0);
            tact_pair_distance apart;
            const tact_pose *pose = world.work.contacts.shape;
            CHECK(tact_shape_pair_distance(&shape[0], &pose[0], &shape[1], &pose[1], &apart));
            deepest = fmax(deepest, -(double)apart.gap);
        }
        world_end();
    }
    printf("deepest overlap of %d that tumble: %.2f mm\n", drops, 1e3 * deepest);
    CHECK(deepest < 1e-3);
}

// ten boxes, each a little smaller than the one below it and beside its middle
static void test_stack(void) {
    static const char *const laws[] = {"barrier", "rigid"};
    for (int law = 0; law < 2; law++) {
        tact_scene_settings settings = {.law = laws[law]};
        errors = (tact_errors){0};
        if (!world_make(tact_scene_read("data/scenes/ten_boxes.json", &settings, &errors))) continue;
        CHECK_INT(world.scene->model.npair, 8 + 9 * 40);
        steps(300);
        for (int b = 0; b < 10; b++) CHECK_CLOSE(world.state.q[7 * b + 2], 0.01 + 0.02 * b, law == 0 ? 1e-3 : within(1e-6, 1e-4));
        world_end();
    }
}

int main(void) {
    test_slots();
    test_weight();
    test_cubes();
    test_crossing();
    uint64_t seed = test_seed(1129);
    test_tumbling(&seed);
    test_rim(&seed);
    if (DOUBLE) test_piles(&seed);
    if (DOUBLE) test_stack();
    return test_end("patch");
}
