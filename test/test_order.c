// SPDX-License-Identifier: MIT
// The order of elimination: envelopes of hands, arms and objects, counted by hand where that is short, and against other orders.
#include "tree/order.h"

#include "random_model.h"

// a chain of hinges; returns its last body
static int add_chain(test_model *t, int parent, int length, double stiffness) {
    for (int k = 0; k < length; k++) parent = test_model_add(t, parent, TACT_JOINT_REVOLUTE, stiffness);
    return parent;
}

// fingers of four joints on a body; tips of them in tip
static void add_fingers(test_model *t, int palm, int count, int *tip) {
    for (int k = 0; k < count; k++) tip[k] = add_chain(t, palm, 4, 1);
}

static int envelope(test_model *t) {
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    int result = t->model.envelope;
    test_model_free(t);
    return result;
}

static int lower(int n) {
    return n * (n + 1) / 2;
}

// the seed's hand: blocks of the fingers, then full rows of slider and ball
static int hand_entries(int fingers) {
    return fingers * lower(4) + 4 * 4 * fingers + lower(4);
}

static test_model *hand(int fingers, tact_joint_type ball, double ball_drive, bool ball_first) {
    test_model *t = test_model_new();
    int tip[80], object = ball_first ? test_model_add(t, TACT_WORLD, ball, ball_drive) : 0;
    int palm = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 100);
    add_fingers(t, palm, fingers, tip);
    if (!ball_first) object = test_model_add(t, TACT_WORLD, ball, ball_drive);
    for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], object);
    test_model_pair(t, TACT_WORLD, object);
    return t;
}

static void test_hand(void) {
    test_model *t = hand(5, TACT_JOINT_TRANSLATION, 0, false);
    CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
    // fingertips first, the slider and the ball last
    CHECK_INT(t->model.order[0], 4);
    CHECK_INT(t->model.order[3], 1);
    CHECK_INT(t->model.order[20], 0);
    for (int k = 21; k < 24; k++) CHECK_INT(t->model.order[k], k);
    CHECK_INT(t->model.mass_first[23], 21);
    CHECK_INT(t->model.mass_first[20], 20);
    CHECK_INT(envelope(t), hand_entries(5));
    // wherever the ball is listed, and when it is driven as well
    CHECK_INT(envelope(hand(5, TACT_JOINT_TRANSLATION, 0, true)), hand_entries(5));
    CHECK_INT(envelope(hand(5, TACT_JOINT_TRANSLATION, 1, true)), hand_entries(5));
    CHECK_INT(envelope(hand(64, TACT_JOINT_TRANSLATION, 0, true)), hand_entries(64));
    CHECK_INT(envelope(hand(64, TACT_JOINT_TRANSLATION, 1, true)), hand_entries(64));
}

// two hands: one ball each, one ball for both, the balls also touch
static test_model *two_hands(int mode) {
    test_model *t = test_model_new();
    int tip[10], ball[2];
    for (int k = 0; k < 2; k++) ball[k] = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    for (int k = 0; k < 2; k++) add_fingers(t, test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 1), 5, tip + 5 * k);
    for (int k = 0; k < 10; k++) test_model_pair(t, tip[k], ball[mode == 1 ? 0 : k / 5]);
    if (mode == 2) test_model_pair(t, ball[0], ball[1]);
    return t;
}

static void test_two_hands(void) {
    // a hand with its free ball on its own: border of 7
    int single = 5 * lower(4) + 7 * 20 + lower(7);
    CHECK_INT(envelope(two_hands(0)), 2 * single);
    // rows of 1 + 20, 1 + 20 and 6 full ones; the second ball is alone
    CHECK_INT(envelope(two_hands(1)), 10 * lower(4) + 2 * 21 + 6 * 42 + lower(6) + lower(6));
    // the first ball is coupled to the first hand and to the second ball only
    CHECK(envelope(two_hands(2)) <= 2 * single + 6 * 6 + 6 * 21);
}

// an arm of seven joints carries a hand; an actuated gantry of three carries two such arms
static test_model *gantry(int fingers, int arms) {
    test_model *t = test_model_new();
    int tip[64], ball = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    int carriage = test_model_add(t, TACT_WORLD, TACT_JOINT_TRANSLATION, 5);
    for (int a = 0; a < arms; a++) {
        add_fingers(t, add_chain(t, carriage, 7, 3), fingers, tip);
        for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], ball);
    }
    return t;
}

static void test_gantry(void) {
    for (int arms = 1; arms <= 2; arms++) {
        // finger blocks, each arm's seven rows over its fingers, nine full rows
        int fingers = 6, below = arms * (4 * fingers + 7);
        int wanted = arms * (fingers * lower(4) + 7 * 4 * fingers + lower(7)) + 9 * below + lower(9);
        CHECK_INT(envelope(gantry(fingers, arms)), wanted);
    }
}

// linear in the number of fingers: the second difference vanishes
static void check_linear(test_model *(*make)(int fingers)) {
    int a = envelope(make(16)), b = envelope(make(32)), c = envelope(make(48));
    CHECK_INT(c - b, b - a);
    printf("per finger %d\n", (b - a) / 16);
}

static test_model *tendon_hand(int fingers) {
    // the last joint of each finger has no drive; the one before follows the first finger's
    test_model *t = test_model_new();
    int palm = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 1), leader = -1;
    int ball = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    for (int k = 0; k < fingers; k++) {
        int base = add_chain(t, palm, 2, 1), follower = test_model_body(t, base, TACT_JOINT_REVOLUTE);
        if (leader < 0) {
            leader = follower;
            test_model_number(t, follower, 1);
        } else {
            test_model_mimic(t, follower, leader, 1, 0);
        }
        test_model_pair(t, test_model_add(t, follower, TACT_JOINT_REVOLUTE, 0), ball);
    }
    return t;
}

static test_model *separate_fingers(int fingers) {
    // fixed fingers in a ring, each touches the next one and the ball
    test_model *t = test_model_new();
    int tip[80], ball = test_model_add(t, TACT_WORLD, TACT_JOINT_PLANAR, 0);
    add_fingers(t, TACT_WORLD, fingers, tip);
    for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], ball);
    for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], tip[(k + 1) % fingers]);
    return t;
}

static test_model *own_objects(int fingers) {
    // each finger plays with its own ball
    test_model *t = test_model_new();
    int tip[80], palm = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 1);
    add_fingers(t, palm, fingers, tip);
    for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0));
    return t;
}

static test_model *floating_hand(int fingers) {
    // an undriven free base below driven fingers, and an object that hangs on the palm, listed first
    test_model *t = test_model_new();
    int tip[80], palm = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    int object = test_model_add(t, palm, TACT_JOINT_FREE, 0);
    add_fingers(t, palm, fingers, tip);
    for (int k = 0; k < fingers; k++) test_model_pair(t, tip[k], object);
    return t;
}

static void test_linear(void) {
    check_linear(tendon_hand);
    check_linear(separate_fingers);
    check_linear(own_objects);
    check_linear(floating_hand);
}

static void couple(const int *place, const int *dof, int count, int *first) {
    int lowest = MAX_DOFS;
    for (int k = 0; k < count; k++) lowest = place[dof[k]] < lowest ? place[dof[k]] : lowest;
    for (int k = 0; k < count; k++) first[place[dof[k]]] = lowest < first[place[dof[k]]] ? lowest : first[place[dof[k]]];
}

// sum over rows of i - first(i) + 1 for any order
static int envelope_of(const tact_model *model, const int *place) {
    int first[MAX_DOFS], dof[MAX_DOFS], sum = 0;
    for (int i = 0; i < model->nv; i++) first[i] = i;
    for (int i = 0; i < model->npair; i++) {
        int count = 0;
        for (int k = model->column_start[i]; k < model->column_start[i + 1]; k++) dof[count++] = model->order[model->column[k]];
        couple(place, dof, count, first);
    }
    // the mass matrix couples the undriven dofs below each body
    for (int b = 0; b < model->nbody; b++) {
        int count = 0;
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++) {
            int v = model->motion[model->path[k]].dof;
            if (model->dof[v].u < 0) dof[count++] = v;
        }
        if (model->body_motion[b] < model->body_motion[b + 1] && model->dof[model->body[b].v].u < 0)
            couple(place, dof, count, first);
    }
    for (int i = 0; i < model->nv; i++) sum += i - first[i] + 1;
    return sum;
}

// random driven trees with few pairs against the best of many exchanges of two neighbours
static void test_against_search(uint64_t *seed) {
    double ratio = 0, worst = 0;
    for (int i = 0; i < 30; i++) {
        test_model *t = test_model_random(seed, 16, TACT_JOINT_PLANAR);
        t->model.npair /= 3;
        for (int v = 0; v < t->model.nv; v++) {
            t->dof[v].stiffness = 1;
            t->dof[v].u = v;
        }
        t->model.nu = t->model.nv;
        CHECK_INT(test_model_prepare(t, 0), TACT_CONVERGED);
        int place[MAX_DOFS], nv = t->model.nv;
        for (int v = 0; v < nv; v++) place[v] = t->model.place[v];
        int best = envelope_of(&t->model, place);
        CHECK_INT(best, t->model.envelope);
        for (int k = 0; k < 20000; k++) {
            int a = random_int(seed, 0, nv - 1), b = random_int(seed, 0, nv - 1), was = place[a];
            place[a] = place[b];
            place[b] = was;
            int now = envelope_of(&t->model, place);
            if (now <= best) {
                best = now;
                continue;
            }
            place[b] = place[a];
            place[a] = was;
        }
        double r = (double)t->model.envelope / best;
        ratio += r / 30;
        worst = fmax(worst, r);
        test_model_free(t);
    }
    printf("envelope by local search from ours: mean ratio %.3f, worst %.3f\n", ratio, worst);
    CHECK(ratio < 1.1);
}

// of the order by the tree alone
static int tree_envelope(test_model *t) {
    int order[MAX_DOFS], place[MAX_DOFS];
    tact_ordering work;
    CHECK_INT(test_model_prepare(t, 1 << 18), TACT_CONVERGED);
    tact_ordering_place(&work, &t->model, &t->arena);
    CHECK(tact_arena_fits(&t->arena));
    tact_order_by_tree(&t->model, &work, order);
    for (int i = 0; i < t->model.nv; i++) place[order[i]] = i;
    return envelope_of(&t->model, place);
}

// one driven tendon that the last joints of all fingers follow, the first finger's joint being the leader
static test_model *follower_hand(int fingers) {
    test_model *t = test_model_new();
    int palm = test_model_add(t, TACT_WORLD, TACT_JOINT_PRISMATIC, 1), leader = -1;
    int ball = test_model_add(t, TACT_WORLD, TACT_JOINT_FREE, 0);
    for (int k = 0; k < fingers; k++) {
        int tip = test_model_body(t, add_chain(t, palm, 2, 1), TACT_JOINT_REVOLUTE);
        if (leader >= 0) test_model_mimic(t, tip, leader, 1, 0);
        if (leader < 0) test_model_number(t, leader = tip, 1);
        test_model_pair(t, tip, ball);
    }
    return t;
}

static void test_tree_order(uint64_t *seed) {
    // objects last, wherever they are listed; what several fingers follow after them
    test_model *hands[] = {hand(5, TACT_JOINT_TRANSLATION, 0, true), hand(64, TACT_JOINT_FREE, 0, true), gantry(6, 2),
                           follower_hand(20), floating_hand(20)};
    for (size_t k = 0; k < sizeof hands / sizeof *hands; k++) {
        int tree = tree_envelope(hands[k]);
        CHECK_INT(tree, hands[k]->model.envelope);
        test_model_free(hands[k]);
    }
    // blocks of two, then full rows of tendon, slider and ball
    CHECK_INT(envelope(follower_hand(20)), 20 * lower(2) + 8 * 40 + lower(8));
    int equal = 0, count = 300;
    for (int k = 0; k < count; k++) {
        test_model *t = test_model_random(seed, random_int(seed, 2, 30), TACT_JOINT_FREE);
        t->model.npair /= random_int(seed, 1, 6);
        int tree = tree_envelope(t);
        CHECK(t->model.envelope <= tree);
        equal += t->model.envelope == tree;
        test_model_free(t);
    }
    printf("the tree's order was best in %d of %d\n", equal, count);
}

int main(void) {
    uint64_t seed = test_seed(1);
    test_hand();
    test_two_hands();
    test_gantry();
    test_linear();
    test_against_search(&seed);
    test_tree_order(&seed);
    return test_end("order");
}
