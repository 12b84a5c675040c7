// SPDX-License-Identifier: MIT
// The time to the goal from each node by dynamic programming, and where to go next from wherever the body is.

#include "tact/memory.h"
#include "worlds/roadmap.h"

#define PI TACT_REAL(3.14159265358979323846)

static void guide_place(void *context, tact_arena *arena) {
    tact_roadmap_guide *guide = context;
    size_t nodes = (size_t)guide->map->nnode;
    guide->value = tact_arena_take(arena, nodes, sizeof(tact_real));
    guide->failures = tact_arena_take(arena, nodes + 1, sizeof(int));
    guide->arrival = tact_arena_take(arena, TACT_ROADMAP_TURNS, sizeof(tact_real));
    guide->grasp = tact_arena_take(arena, TACT_ROADMAP_TURNS, sizeof(tact_real));
    guide->rest = tact_arena_take(arena, (size_t)guide->map->scene->model.nu, sizeof(tact_real));
}

static int guide_turn(tact_real way) {
    tact_real k = way / PI * TACT_ROADMAP_TURNS;
    return k < TACT_ROADMAP_TURNS - 1 ? (int)k : TACT_ROADMAP_TURNS - 1;
}

// Time of an extension by its turn: what all have taken, over how many succeeded. One more that failed is counted, so that few do
// not promise too much; turns larger than those that were tried cost more in proportion.
static void guide_find_costs(const tact_roadmap *map, bool grasp, tact_real *cost) {
    tact_real last = 0;
    for (int k = 0; k < TACT_ROADMAP_TURNS; k++) {
        // attempts with turns of this size: their time, failures in full, and how many succeeded
        tact_real spent = map->options.time, good = 0;
        for (int i = 0; i < map->nedge; i++) {
            const tact_roadmap_edge *edge = &map->edge[i];
            int a = edge->from, b = edge->to;
            if (guide_turn(tact_roadmap_between(map->position[a], map->orientation[a], map->position[b], map->orientation[b])) !=
                k)
                continue;
            tact_real time = grasp ? edge->time : edge->arrived;
            spent += time < 0 ? map->options.time : time;
            good += time >= 0;
        }
        // four successes give a mean; a larger turn never costs less
        bool known = good >= 4;
        if (known && spent / good > last) last = spent / good;
        if (!known) last = k > 0 ? last * (tact_real)(k + 2) / (tact_real)(k + 1) : map->options.time;
        cost[k] = last;
    }
}

bool tact_roadmap_guide_open(tact_roadmap_guide *guide, const tact_roadmap *map) {
    TACT_ASSERT(guide && map && map->scene);
    *guide = (tact_roadmap_guide){.map = map};
    guide->memory = tact_memory_place(guide_place, guide);
    if (!guide->memory) return false;
    guide_find_costs(map, false, guide->arrival);
    guide_find_costs(map, true, guide->grasp);
    return true;
}

void tact_roadmap_guide_close(tact_roadmap_guide *guide) {
    tact_memory_release(guide->memory);
    *guide = (tact_roadmap_guide){0};
}

// The next leg from a pose: the goal itself, or the node by which it is reached soonest.
static void guide_choose(tact_roadmap_guide *guide, const tact_pose *pose) {
    const tact_roadmap *map = guide->map;
    tact_quat R = tact_quat_from_matrix(pose->R);
    tact_real way = tact_roadmap_between(pose->p, R, guide->goal.position, guide->goal.orientation);
    // the direct way: each failure so far makes it dearer
    guide->to = -1;
    guide->expected = (tact_real)(1 + guide->failures[map->nnode]) * guide->arrival[guide_turn(way)];
    for (int b = 0; b < map->nnode; b++) {
        if (b == guide->at) continue;
        tact_real leg = guide->grasp[guide_turn(tact_roadmap_between(pose->p, R, map->position[b], map->orientation[b]))];
        // from a node the edge's own time is known
        for (int i = 0; guide->at >= 0 && i < map->nedge; i++) {
            const tact_roadmap_edge *edge = &map->edge[i];
            if (edge->from == guide->at && edge->to == b && edge->time >= 0) leg = edge->time;
        }
        tact_real time = (tact_real)(1 + guide->failures[b]) * leg + guide->value[b];
        if (!(time < guide->expected)) continue;
        guide->expected = time;
        guide->to = b;
    }
    guide->legs += guide->to >= 0;
}

static const tact_pose *guide_pose(tact_mpc *mpc, const tact_pose_goal *goal, const tact_real *q) {
    tact_kinematics_update(&mpc->pose, mpc->model, q);
    return &mpc->pose.pose[goal->body];
}

void tact_roadmap_guide_begin(tact_roadmap_guide *guide, tact_mpc *mpc, const tact_pose_goal *goal, const tact_real *q) {
    TACT_ASSERT(guide->map && goal->body == guide->map->scene->goal.body);
    const tact_roadmap *map = guide->map;
    guide->goal = *goal;
    guide->at = -1;
    guide->legs = 0;
    guide->regrasping = false;
    for (int i = 0; i <= map->nnode; i++) guide->failures[i] = 0;
    for (int i = 0; i < mpc->model->nu; i++) guide->rest[i] = mpc->rest[i];
    // value[a] = min(leg to the goal, min over edges a to b of time + value[b]); initial values: the direct way to the goal
    for (int a = 0; a < map->nnode; a++) {
        tact_real way = tact_roadmap_between(map->position[a], map->orientation[a], goal->position, goal->orientation);
        guide->value[a] = guide->arrival[guide_turn(way)];
    }
    // Bellman and Ford: relaxes all edges that succeeded, until no value falls
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < map->nedge; i++) {
            const tact_roadmap_edge *edge = &map->edge[i];
            tact_real through = edge->time + guide->value[edge->to];
            if (edge->time < 0 || !(through < guide->value[edge->from])) continue;
            guide->value[edge->from] = through;
            changed = true;
        }
    }
    guide_choose(guide, guide_pose(mpc, goal, q));
}

tact_pose_goal tact_roadmap_guide_goal(tact_roadmap_guide *guide, tact_mpc *mpc, tact_mpc_options *control, const tact_real *q) {
    TACT_ASSERT(guide && guide->map && mpc && control && q);
    const tact_roadmap *map = guide->map;
    int nu = mpc->model->nu;
    const tact_pose *pose = guide_pose(mpc, &guide->goal, q);
    for (;;) {
        tact_pose_goal goal = guide->goal;
        bool last = guide->to < 0, ended = false;
        const tact_real *rest = last ? guide->rest : map->u + guide->to * nu;
        if (!last) goal.position = map->position[guide->to], goal.orientation = map->orientation[guide->to];
        bool within = tact_roadmap_near(&goal, pose, 1);
        if (guide->regrasping) {
            ended = mpc->opening <= 0;
        } else if (!last && tact_roadmap_near(&goal, pose, TACT_REAL(0.5))) {
            // There: the hand takes the node's posture.
            guide->regrasping = true;
            tact_roadmap_regrasp(mpc, control, rest);
        } else {
            // the controller counts the time without progress
            ended = mpc->waited >= (control->patience > 0 ? control->patience : map->options.time);
        }
        if (!ended) {
            for (int i = 0; i < nu; i++) mpc->rest[i] = rest[i];
            tact_real posture = control->posture;
            tact_roadmap_approach(control);
            if (last) control->posture = posture;
            return goal;
        }
        // The leg has ended: the next one goes from where the body is.
        bool reached = guide->regrasping && within;
        if (!reached) guide->failures[last ? map->nnode : guide->to]++;
        // from where a failed grasp has left the body the direct way is as good as before
        if (!reached && !last && guide->failures[map->nnode] > 0) guide->failures[map->nnode]--;
        guide->at = reached ? guide->to : -1;
        guide->regrasping = false;
        guide_choose(guide, pose);
        mpc->waited = 0;
        mpc->best = TACT_MAX;
    }
}
