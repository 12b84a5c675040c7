// SPDX-License-Identifier: MIT
// peer: library box2d (libbox2d-dev)
// The virtual law beside Box2D in one run: microseconds of a step, medians. data/scenes/pile_200.json falls and comes to rest on
// both sides with the same step; sleeping is off. The lift scenes are with and without all derivatives of the step; Box2D has
// none.
#include <box2d/box2d.h>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>
#include <vector>

extern "C" {
#include "peer.h"
}

static const int STEPS = 600;

// of this thread, so that what else the machine does is not counted on either side
static double processor_clock() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double median(std::vector<double> &sample, int from, int to) {
    return peer_median(sample.data() + from, to - from);
}

static b2World *make_world(const tact_scene *scene, std::vector<b2Body *> &bodies) {
    const tact_model *model = &scene->model;
    b2World *world = new b2World(b2Vec2(0, (float)scene->options.gravity.z));
    world->SetAllowSleeping(false);
    b2BodyDef fixed;
    b2Body *box = world->CreateBody(&fixed);
    for (int wall = 0; wall < 3; wall++) {
        b2EdgeShape edge;
        if (wall == 0) edge.SetTwoSided(b2Vec2(-2, 0), b2Vec2(2, 0));
        if (wall > 0) edge.SetTwoSided(b2Vec2(wall == 1 ? -0.53f : 0.53f, 0), b2Vec2(wall == 1 ? -0.53f : 0.53f, 5));
        box->CreateFixture(&edge, 0)->SetFriction(0.4f);
    }
    for (int b = 0; b < model->nbody; b++) {
        b2BodyDef def;
        b2CircleShape circle;
        def.type = b2_dynamicBody;
        def.position.Set((float)model->q0[3 * b], (float)model->q0[3 * b + 1]);
        circle.m_radius = (float)model->shape[b].size[0];
        b2FixtureDef fixture;
        fixture.shape = &circle;
        fixture.friction = 0.4f;
        fixture.density = 10;
        bodies.push_back(world->CreateBody(&def));
        bodies.back()->CreateFixture(&fixture);
    }
    return world;
}

static int compare_pile() {
    char message[1280];
    tact_world *world = tact_world_open("data/scenes/pile_200.json", message, sizeof message);
    if (!world) return std::printf("%s\n", message), 1;
    std::vector<b2Body *> bodies;
    b2World *other = make_world(world->scene, bodies);
    std::vector<double> own, theirs;
    for (int k = 0; k < STEPS; k++) {
        double begin = processor_clock();
        if (tact_world_step(world) != TACT_CONVERGED) std::printf("step %d: %s\n", k, tact_status_name(world->work.status));
        double middle = processor_clock();
        other->Step((float)world->scene->options.dt, 8, 3);
        own.push_back(1e6 * (middle - begin));
        theirs.push_back(1e6 * (processor_clock() - middle));
    }
    std::printf("pile of 200 discs, h = 1/240 s, us a step\n%-22s %10s %10s %8s\n", "", "tact", "Box2D", "ratio");
    // the steps in which most meet, first: a median sorts its samples
    const int phase[4][2] = {{60, 100}, {0, 200}, {200, 400}, {400, 600}};
    for (const auto &p : phase) {
        double a = median(own, p[0], p[1]), b = median(theirs, p[0], p[1]);
        std::printf("steps %3d to %3d       %10.1f %10.1f %8.2f\n", p[0], p[1], a, b, a / b);
    }
    delete other;
    tact_world_close(world);
    return 0;
}

// data/scenes/lift_circle.json so many times side by side
static std::string make_row(int count) {
    std::string bodies, shapes, pairs, forces, q;
    for (int i = 0; i < count; i++) {
        std::string n = "\"b" + std::to_string(i) + "\"", comma = i > 0 ? "," : "";
        bodies += comma + "{\"name\":" + n + ",\"parent\":\"world\",\"mass\":0.1,\"inertia\":[0.1125,0.1125,0.1125,0,0,0]," +
                  "\"joint\":{\"name\":" + n + ",\"type\":\"planar\",\"rpy\":[1.5707963267948966,0,0]}}";
        shapes += "{\"name\":" + n + ",\"body\":" + n + ",\"type\":\"circle\",\"radius\":1.5},";
        pairs += comma + "{\"a\":" + n + ",\"b\":\"plane\",\"mu\":0.5}";
        if (i > 0) pairs += ",{\"a\":\"b" + std::to_string(i - 1) + "\",\"b\":" + n + ",\"mu\":0.5}";
        forces += comma + "{\"body\":" + n + ",\"times\":[0,2.15],\"force\":[[0,0,0],[0,0,1.5]]}";
        q += comma + n + ":[" + std::to_string(3.05 * i) + ",1.5,0]";
    }
    return "{\"tact\":1,\"law\":\"virtual\",\"options\":{\"dt\":0.016666666666666666,\"penalty\":\"exp\",\"temperature\":0.001," +
           std::string("\"kn\":1000,\"kt\":100},\"bodies\":[") + bodies + "],\"shapes\":[" + shapes +
           "{\"name\":\"plane\",\"body\":\"world\",\"type\":\"halfplane\",\"rpy\":[1.5707963267948966,0,0]}],\"pairs\":[" +
           pairs + "],\"forces\":[" + forces + "],\"state\":{\"q\":{" + q + "}}}";
}

static int time_lift(const char *path) {
    char message[1280];
    std::vector<double> plain, slopes;
    static tact_real matrices[4 * 225], scratch[256];
    for (int with = 0; with < 2; with++)
        for (int repeat = 0; repeat < 50; repeat++) {
            tact_world *world = tact_world_open(path, message, sizeof message);
            if (!world) return std::printf("%s\n", message), 1;
            size_t size = tact_state_size(&world->scene->model);
            void *memory = std::malloc(size);
            tact_state before;
            tact_state_init(&before, &world->scene->model, memory, size);
            double begin = processor_clock();
            for (int k = 0; k < 130; k++) {
                if (with) tact_state_copy(&before, &world->state, &world->scene->model);
                tact_world_step(world);
                if (!with) continue;
                tact_virtual_jacobians jacobians = {};
                jacobians.q_q = matrices;
                jacobians.q_v = matrices + 225;
                jacobians.q_f = matrices + 450;
                jacobians.v_v = matrices + 675;
                tact_input input = {world->u, world->wrench, nullptr};
                tact_virtual_matrices(&world->scene->model, &world->scene->options, &input, &before, &world->work, &jacobians,
                                      scratch);
            }
            (with ? slopes : plain).push_back(1e6 * (processor_clock() - begin) / 130);
            std::free(memory);
            tact_world_close(world);
        }
    std::printf("%-34s %8.2f %8.2f\n", path, peer_median(plain.data(), 50), peer_median(slopes.data(), 50));
    return 0;
}

int main() {
    int failed = compare_pile();
    std::printf("us a step                             step  with derivatives\n");
    for (const char *name : {"data/scenes/lift_circle.json", "data/scenes/lift_hex.json", "data/scenes/lift_roll_hex.json",
                             "data/scenes/slide_hex.json"})
        failed |= time_lift(name);
    for (int count = 2; count <= 5; count++) {
        std::string path = "discs_lifted_" + std::to_string(count) + ".json";
        std::ofstream(path) << make_row(count);
        failed |= time_lift(path.c_str());
        std::remove(path.c_str());
    }
    return failed;
}
