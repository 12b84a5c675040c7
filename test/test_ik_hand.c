// SPDX-License-Identifier: MIT
// Inverse kinematics of all fingertips of a hand at once: targets where random coordinates within the limits put the tips, with
// and without the tips' orientation, from the hand's initial and from other random coordinates. 60 problems of each kind, or as
// many as TACT_COUNT says. The Allegro and the LEAP hand take part where ../shared/data/urdf is there.
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "random_model.h"
#include "tact/math.h"
#include "tact/plan.h"
#include "tact/scene.h"

enum { TIPS = 5, NV = 32 };

static uint64_t seed;

typedef struct {
    tact_world *world;
    const tact_model *model;
    tact_ik ik;
    tact_kinematics kinematics;
    void *memory;
    int tip[TIPS], ntip;
} hand;

static void place_hand(hand *h, tact_arena *arena) {
    tact_ik_place(&h->ik, h->model, TIPS, arena);
    tact_kinematics_place(&h->kinematics, h->model, arena);
}

// the last links of the chains
static void find_tips(hand *h) {
    const tact_model *model = h->model;
    for (int b = 0; b < model->nbody && h->ntip < TIPS; b++) {
        bool last = model->body[b].joint != TACT_JOINT_TRANSLATION && model->body[b].joint != TACT_JOINT_FREE;
        for (int c = b + 1; c < model->nbody; c++) last = last && model->body[c].parent != b;
        if (last) h->tip[h->ntip++] = b;
    }
}

static bool open_hand(hand *h, const char *path) {
    char message[1280];
    *h = (hand){.world = tact_world_open(path, message, sizeof message)};
    if (!h->world) {
        printf("%s\n", message);
        return false;
    }
    tact_arena arena = {0};
    h->model = &h->world->scene->model;
    place_hand(h, &arena);
    h->memory = malloc(arena.used);
    arena = (tact_arena){.memory = h->memory, .size = arena.used};
    place_hand(h, &arena);
    CHECK(tact_arena_fits(&arena));
    find_tips(h);
    return true;
}

static void draw_coordinates(const hand *h, tact_real *q) {
    for (int i = 0; i < h->model->nq; i++) q[i] = h->world->state.q[i];
    for (int v = 0; v < h->model->nv; v++) {
        const tact_dof *dof = &h->model->dof[v];
        if (dof->u >= 0) q[dof->q] = (tact_real)test_random(&seed, (double)dof->lower, (double)dof->upper);
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// what is called reached is so, within the limits
static void check_reached(const hand *h, const tact_ik_target *target, const tact_real *q) {
    tact_kinematics kinematics = h->kinematics;
    tact_kinematics_update(&kinematics, h->model, q);
    for (int i = 0; i < h->ntip; i++) {
        tact_vec3 p = tact_pose_apply(kinematics.pose[h->tip[i]], target[i].point);
        tact_vec3 e = tact_vec3_sub(p, target[i].position);
        CHECK((double)tact_vec3_dot(e, e) <= pow((double)tact_ik_options_default().tolerance, 2) * 1.0001);
    }
    for (int v = 0; v < h->model->nv; v++) {
        const tact_dof *dof = &h->model->dof[v];
        CHECK(dof->lower <= q[dof->q] && q[dof->q] <= dof->upper);
    }
}

static void test_starts(hand *h, const char *name, bool initial, double weight) {
    const tact_model *model = h->model;
    // a share is judged: of not fewer
    int count = test_rounds(60) > 60 ? test_rounds(60) : 60, reached = 0, first = 0, restarts = 0;
    double begin = now(), most = 0;
    for (int k = 0; k < count; k++) {
        tact_real q[NV];
        tact_ik_target target[TIPS];
        draw_coordinates(h, q);
        tact_kinematics_update(&h->kinematics, model, q);
        for (int i = 0; i < h->ntip; i++) {
            tact_pose pose = h->kinematics.pose[h->tip[i]];
            target[i] = (tact_ik_target){.body = h->tip[i], .point = {TACT_REAL(0.01), 0, TACT_REAL(0.02)}};
            target[i].position = tact_pose_apply(pose, target[i].point);
            target[i].orientation = tact_quat_from_matrix(pose.R);
            target[i].angle_weight = (tact_real)weight;
        }
        draw_coordinates(h, q);
        for (int i = 0; i < model->nq && initial; i++) q[i] = h->world->state.q[i];
        double before = now();
        tact_ik_result result = tact_ik_solve(&h->ik, model, target, h->ntip, tact_ik_options_default(), q);
        most = fmax(most, now() - before);
        reached += result.status == TACT_CONVERGED;
        first += result.status == TACT_CONVERGED && result.restarts == 0;
        restarts += result.restarts;
        if (result.status == TACT_CONVERGED) check_reached(h, target, q);
    }
    printf("%s%s%s: %d of %d reached, %d without a restart, %.1f restarts; %.0f us a solution, %.0f at most\n", name,
           initial ? " from its start" : "", weight > 0 ? ", poses" : "", reached, count, first, (double)restarts / count,
           1e6 * (now() - begin) / count, 1e6 * most);
    CHECK(reached >= 0.95 * count);
}

static void test_hand(const char *name, const char *path) {
    hand h;
    bool open = open_hand(&h, path);
    CHECK(open);
    if (!open) return;
    for (int k = 0; k < 4; k++) test_starts(&h, name, k % 2, k / 2 ? 0.1 : 0);
    free(h.memory);
    tact_world_close(h.world);
}

// a scene of one URDF with all its joints driven
static void test_urdf(const char *name, const char *path, const char *state) {
    char own[200], scene[220], full[4096], text[5000];
    if (access(path, R_OK) != 0 || !getcwd(full, sizeof full)) return;
    test_make_folder(own, sizeof own, NULL);
    snprintf(scene, sizeof scene, "%s/hand.json", own);
    snprintf(text, sizeof text, "{\"tact\":1,\"robots\":[{\"file\":\"%s/%s\"}],\"drives\":[{\"joint\":\"*\",\"stiffness\":1}]%s}",
             full, path, state);
    test_write_text(scene, text);
    test_hand(name, scene);
    remove(scene);
    rmdir(own);
}

int main(void) {
    seed = test_seed(17);
    test_hand("five fingers and a slider", "data/scenes/lesson.json");
    test_urdf("five fingers", "../shared/data/robotis_5f_hand/default.urdf", "");
    test_urdf("allegro", "../shared/data/urdf/allegro_hand/allegro_hand_right.urdf", ",\"state\":{\"q\":{\"joint_12.0\":0.3}}");
    test_urdf("leap", "../shared/data/urdf/leap_hand/leap_hand_right.urdf", "");
    return test_end("ik_hand");
}
