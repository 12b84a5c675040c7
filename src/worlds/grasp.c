// SPDX-License-Identifier: MIT
// The search for a grasp: candidates side by side in worlds, and the cross-entropy method over their costs.
#include "tact/grasp.h"

#include <math.h>
#include <string.h>

#include "math/random.h"
#include "tact/memory.h"
#include "tact/place.h"
#include "worlds/worlds.h"

enum { BASE = 4, JOINTS = 6, ELITE = 8, TRIED = 2, PATIENCE = 11, TIPS = 32 };

#define LIFTED 0.25  // of a cost: the object is lifted
#define NOWHERE 0.9  // likewise: it stays where it is
#define CLEAR 0.003  // between the hand and what the object lies on [m]
#define FIRM 60.0    // the force by which it is pressed beside its mass [N/kg]
#define TIPPED 0.3   // how far tipping may raise an object, beside its size
#define OPENING 0.3  // of the way that closes the fingers
#define CLOSING 0.3  // likewise
#define LAG 0.01     // of the base that presses down [m]
#define FAILED 3.0   // the cost of steps without an answer

const double tact_grasp_times[TACT_GRASP_KNOTS] = {0, 0.4, 0.9, 1.5, 2.2, 2.7};

enum { START, OPENED, LOWERED, CLOSED, LIFTED_UP, END };

typedef struct {
    double mean, deviation, low, high;
    double shut;  // range in the direction that closes the fingers; 0: neither does
} grasp_number;

typedef struct {
    tact_worlds *worlds;
    const tact_grasp_options *options;
    const tact_model *model;
    int count, nu, nfinger, dimension;
    int object;              // its first coordinate
    tact_vec3 axis[JOINTS];  // of the base's joints, in the world
    int turning;             // which of them turns it about the vertical
    int ntip, tip[TIPS];     // shapes of the last links
    int *finger;             // (nu) commands that are none of the base's
    tact_real *start;        // (nu) commands of the scene
    tact_real *low, *high;   // (nu) limits of what they move
    grasp_number *number;    // (dimension)
    double *candidate;       // (count, dimension)
    double *cost;            // (count)
    double *way;             // (count) of the cost so far
    double *press;           // (count) how hard closed fingers press the object between them [N]
    double firm;             // force by which the object is pressed that holds it [N]
    double *most;            // (count) how much of the way up the object was at the highest
    int *order, *status;     // (count)
    bool *failed;            // (count)
    tact_real *u;            // (count, nu)
    uint64_t random;
} grasp_search;

// Memory of the search for a grasp; an arena without memory measures.
static void place_search(void *context, tact_arena *arena) {
    grasp_search *search = context;
    const size_t count = (size_t)search->count, nu = (size_t)search->nu, all = BASE + 2 * nu;
    search->finger = tact_arena_take(arena, nu, sizeof(int));
    search->start = tact_arena_take(arena, nu, sizeof(tact_real));
    search->low = tact_arena_take(arena, nu, sizeof(tact_real));
    search->high = tact_arena_take(arena, nu, sizeof(tact_real));
    // cross-entropy method: what each number may be, the candidates, their costs and order
    search->number = tact_arena_take(arena, all, sizeof(grasp_number));
    search->candidate = tact_arena_take(arena, count * all, sizeof(double));
    search->cost = tact_arena_take(arena, count, sizeof(double));
    search->way = tact_arena_take(arena, count, sizeof(double));
    search->press = tact_arena_take(arena, count, sizeof(double));
    search->most = tact_arena_take(arena, count, sizeof(double));
    search->order = tact_arena_take(arena, count, sizeof(int));
    search->status = tact_arena_take(arena, count, sizeof(int));
    search->failed = tact_arena_take(arena, count, sizeof(bool));
    search->u = tact_arena_take(arena, count * nu, sizeof(tact_real));
}

static const tact_real *find_state(const grasp_search *search, int world) {
    return search->worlds->state[world].q;
}

// ---- what a command moves, and where the fingers end ----

// The axes of the base's joints where the scene begins, and which of them are vertical.
static bool find_axes(grasp_search *search) {
    const tact_model *model = search->model;
    ptrdiff_t stride = 0;
    const tact_real *pose = tact_worlds_view(search->worlds, TACT_WORLDS_POSE, &stride);
    if (!pose) return false;
    search->turning = 3;
    // an axis of a joint stands in the frame of its parent's body
    for (int v = 0; v < model->nv; v++) {
        const tact_body *body = &model->body[model->dof[v].body];
        const tact_real *R = body->parent >= 0 ? pose + 12 * body->parent : NULL;
        const tact_vec3 a = tact_mat3_apply(body->place.R, body->axis);
        const tact_vec3 turned = R ? tact_vec3_make(R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                                                    R[6] * a.x + R[7] * a.y + R[8] * a.z)
                                   : a;
        for (int k = 0; k < JOINTS; k++)
            if (model->dof[v].u >= 0 && search->options->base[k] == model->dof[v].u) search->axis[k] = turned;
    }
    for (int k = 3; k < JOINTS; k++)
        if (fabs((double)search->axis[k].z) > fabs((double)search->axis[search->turning].z)) search->turning = k;
    return true;
}

// Whether a body moves on the welded bodies of another.
static bool carries(const tact_model *model, int body) {
    for (int b = 0; b < model->nbody; b++) {
        const int parent = model->body[b].parent;
        if (model->body[b].joint == TACT_JOINT_FIXED || parent < 0) continue;
        if (tact_new_weld(model, parent) == tact_new_weld(model, body)) return true;
    }
    return false;
}

// The mean of the tips of a world, and the mean of their distances to a point.
static double find_tips(const grasp_search *search, int world, tact_vec3 point, tact_vec3 *mean) {
    ptrdiff_t stride = 0;
    const tact_real *poses = tact_worlds_view(search->worlds, TACT_WORLDS_POSE, &stride);
    double sum = 0;
    *mean = tact_vec3_make(0, 0, 0);
    for (int i = 0; poses && i < search->ntip; i++) {
        TACT_ASSERT(search->tip[i] < search->model->nshape);
        // x = p + R place of a shape's centre; a body's row holds R, then p
        const tact_shape *shape = &search->model->shape[search->tip[i]];
        const tact_real *R = poses + world * (stride / (ptrdiff_t)sizeof *poses) + 12 * shape->body, *p = R + 9;
        const tact_vec3 x = shape->place.p;
        const tact_vec3 tip = {p[0] + R[0] * x.x + R[1] * x.y + R[2] * x.z, p[1] + R[3] * x.x + R[4] * x.y + R[5] * x.z,
                               p[2] + R[6] * x.x + R[7] * x.y + R[8] * x.z};
        const tact_vec3 off = tact_vec3_sub(tip, point);
        *mean = tact_vec3_add(*mean, tact_vec3_scale(1 / (tact_real)search->ntip, tip));
        sum += sqrt((double)tact_vec3_dot(off, off)) / search->ntip;
    }
    return sum;
}

// ---- a rollout of all candidates ----

// The command at a knot that one search number, of the base or a finger, stands for.
static tact_real find_knot(const grasp_search *search, const double *p, int u, int knot) {
    const double *open = p + BASE, *closed = open + search->nfinger;
    // p: x, y, depth and turn of the base, then where each finger opens to, then where it closes to
    const double down = knot >= LOWERED ? p[2] : 0, up = knot >= LIFTED_UP ? search->options->lift : 0, aside = knot >= OPENED;
    const tact_vec3 way = {(tact_real)(aside * p[0]), (tact_real)(aside * p[1]), (tact_real)(up - down)};
    for (int k = 0; k < JOINTS; k++) {
        if (u != search->options->base[k]) continue;
        if (k < 3) return tact_vec3_dot(search->axis[k], way);
        return k == search->turning ? (tact_real)(aside * p[3]) * search->axis[k].z : search->start[u];
    }
    for (int k = 0; k < search->nfinger; k++)
        if (u == search->finger[k] && knot > START) return (tact_real)(knot < CLOSED ? open[k] : closed[k]);
    return search->start[u];
}

// How hard the fingers press the object between them: the sum of their horizontal forces' magnitudes without that of their sum.
static double find_squeeze(const grasp_search *search, int world) {
    const tact_model *model = search->model;
    const int object = tact_new_find_object(model);
    ptrdiff_t stride = 0;
    const tact_real *forces = tact_worlds_view(search->worlds, TACT_WORLDS_FORCE, &stride);
    tact_vec3 sum = {0, 0, 0};
    double all = 0;
    for (int i = 0; forces && i < model->npair; i++) {
        // the fingers' pairs with the object; those with the table press it, too, but do not hold it
        const int a = model->shape[model->pair[i].a].body, b = model->shape[model->pair[i].b].body;
        if (a == TACT_WORLD || b == TACT_WORLD || (a != object && b != object)) continue;
        const tact_real *f = forces + world * (stride / (ptrdiff_t)sizeof *forces) + 3 * i;
        const tact_vec3 on = tact_vec3_scale(b == object ? 1 : -1, tact_vec3_make(f[0], f[1], 0));
        sum = tact_vec3_add(sum, on);
        all += sqrt((double)tact_vec3_dot(on, on));
    }
    return all - sqrt((double)tact_vec3_dot(sum, sum));
}

// How far the base is from where its commands lower it to: the hand lies on the object or on what that lies on.
static double find_lag(const grasp_search *search, int world) {
    const tact_model *model = search->model;
    double height = search->candidate[world * search->dimension + 2];
    for (int v = 0; v < model->nv; v++)
        for (int k = 0; k < 3; k++)
            if (model->dof[v].u >= 0 && model->dof[v].u == search->options->base[k])
                height += (double)(search->axis[k].z * find_state(search, world)[model->dof[v].q]);
    return fabs(height);
}

// How much of the way up the object is; tipping it over an edge does not count.
static double find_risen(const grasp_search *search, int world, const tact_real *first) {
    const double tipped = TIPPED * search->options->size,
                 rise = (double)(find_state(search, world)[search->object + 2] - first[2]);
    return fmin(1, fmax(0, (rise - tipped) / (search->options->lift - tipped)));
}

// Whether the last step of a candidate has no answer, or has thrown the object away.
static bool fails(const grasp_search *search, int world, const tact_real *first) {
    const tact_real *q = find_state(search, world) + search->object;
    const double room = search->options->lift + 2 * search->options->size;
    double x = (double)(q[0] - first[0]), y = (double)(q[1] - first[1]), z = (double)(q[2] - first[2]);
    return search->status[world] < 0 || !(x * x + y * y + z * z < 2 * room * room);
}

// Costs of all candidates: each world plays its commands from the start through closing, lifting and holding.
static tact_status roll_out(grasp_search *search) {
    const double dt = (double)search->worlds->scene->options.dt, last = tact_grasp_times[END];
    // x, y, z and the quaternion of the object where it lies
    tact_real first[7];
    TACT_ASSERT(dt > 0);
    tact_worlds_reset(search->worlds, 0, search->count);
    memcpy(first, find_state(search, 0) + search->object, sizeof first);
    const double size = search->options->size;
    memset(search->failed, 0, (size_t)search->count * sizeof(bool));
    int stage = 0;
    for (int k = 1; (k - 1) * dt < last; k++) {
        // the commands of the end of a step move it
        // Commands of all candidates at a time, linear between the knots.
        double time = fmin(last, k * dt);
        int next = 1;
        // the knots about the time, and how far it is between them
        while (next < END && time > tact_grasp_times[next]) next++;
        double from = tact_grasp_times[next - 1], part = fmin(1, (time - from) / (tact_grasp_times[next] - from));
        for (int i = 0; i < search->count; i++) {
            const double *p = search->candidate + i * search->dimension;
            for (int u = 0; u < search->nu; u++) {
                tact_real a = find_knot(search, p, u, next - 1), b = find_knot(search, p, u, next);
                search->u[i * search->nu + u] = a + (tact_real)part * (b - a);
            }
        }
        tact_status status = tact_worlds_step(search->worlds, search->u, NULL, 1, search->status);
        if (status == TACT_UNDECIDED && tact_worlds_message(search->worlds)[0]) return status;
        for (int i = 0; i < search->count; i++) {
            search->failed[i] = search->failed[i] || fails(search, i, first);
            search->most[i] = fmax(k > 1 ? search->most[i] : 0, find_risen(search, i, first));
        }
        // what only the middle of the way shows
        if (stage == 0 && k * dt >= tact_grasp_times[CLOSED]) {
            // Where the fingers have closed: they are to press the object from several sides, and it is to be where it was.
            // enough for a friction of a third
            for (int i = 0; i < search->count; i++) {
                const tact_real *q = find_state(search, i) + search->object;
                double x = (double)(q[0] - first[0]), y = (double)(q[1] - first[1]);
                tact_vec3 mean;
                double reach = find_tips(search, i, tact_vec3_make(q[0], q[1], q[2]), &mean);
                search->press[i] = find_squeeze(search, i);
                search->way[i] = 0.2 * sqrt(x * x + y * y) / size + 0.2 * fmin(1, reach / (4 * size)) +
                                 0.5 * fmin(1, find_lag(search, i) / LAG) + 0.4 * (1 - fmin(1, search->press[i] / search->firm));
            }
            stage = 1;
        } else if (stage == 1 && k * dt >= (2 * tact_grasp_times[CLOSED] + tact_grasp_times[LIFTED_UP]) / 3) {
            // the fingers are still to press the object: pressing it onto the table does not hold it
            for (int i = 0; i < search->count; i++) search->way[i] += 0.4 * (1 - fmin(1, find_squeeze(search, i) / search->firm));
            stage = 2;
        }
    }
    // At the end: what is missing of the way up, one half by the highest that the object was, and how far it has turned.
    for (int i = 0; i < search->count; i++) {
        const tact_real *Q = find_state(search, i) + search->object + 3;
        // 1 - cos of the turn, whose half's cosine is the product of both unit quaternions
        double half = (double)(Q[0] * first[3] + Q[1] * first[4] + Q[2] * first[5] + Q[3] * first[6]),
               turn = 2 * (1 - half * half);
        double missing = 1 - (search->most[i] + find_risen(search, i, first)) / 2;
        // the cost of the way of grasping counts until the object is held
        search->cost[i] = missing * (1 + search->way[i]) + 0.2 * turn;
        if (search->failed[i]) search->cost[i] = FAILED + search->way[i];
    }
    return TACT_CONVERGED;
}

// ---- where the search begins ----

enum { PROBES = 12 };

// Moves the hands to commands and waits. search->status: < 0 for worlds whose last step has no answer.
static void probe(grasp_search *search) {
    // long enough for the drives to get there
    for (int k = 0; k < PROBES; k++) tact_worlds_step(search->worlds, search->u, NULL, 1, search->status);
}

static void put_start(grasp_search *search) {
    tact_worlds_reset(search->worlds, 0, search->count);
    for (int i = 0; i < search->count; i++)
        memcpy(search->u + i * search->nu, search->start, (size_t)search->nu * sizeof(tact_real));
}

// Which end of its range closes a finger's command is where the tips come nearer to the point at which the object will be; it
// begins with half of the way there, and opens by a third of the range.
static void begin_fingers(grasp_search *search, tact_vec3 point) {
    put_start(search);
    // one world for each end of each finger's range
    for (int k = 0; k < search->nfinger; k++)
        for (int side = 0; side < 2; side++) {
            const int u = search->finger[k];
            search->u[(2 * k + side) * search->nu + u] = side ? search->high[u] : search->low[u];
        }
    probe(search);
    for (int k = 0; k < search->nfinger; k++) {
        const int u = search->finger[k];
        const double low = (double)search->low[u], high = (double)search->high[u], range = high - low;
        double start = fmin(high, fmax(low, (double)search->start[u]));
        tact_vec3 mean;
        double by_low = find_tips(search, 2 * k, point, &mean), by_high = find_tips(search, 2 * k + 1, point, &mean);
        // spreading the fingers, say, hardly brings them nearer
        bool known = search->status[2 * k] >= 0 && search->status[2 * k + 1] >= 0;
        bool matters = known && fabs(by_high - by_low) > 0.02 * search->options->size;
        // signed range of the way that closes; which end of it the command begins at differs between hands
        const double shut = matters ? (by_high < by_low ? range : -range) : 0;
        const double open = fmin(high, fmax(low, start - 0.3 * shut)), end = shut > 0 ? high : low;
        search->number[BASE + k] = (grasp_number){open, 0.1 * range, low, high, shut};
        search->number[BASE + search->nfinger + k] =
            (grasp_number){matters ? start + 0.5 * (end - start) : start, 0.15 * range, low, high, shut};
    }
}

// The hand moves so that the tips of half closed fingers are about the object.
static void begin_base(grasp_search *search, tact_vec3 object) {
    const double size = search->options->size, above = search->options->above;
    tact_vec3 mean;
    put_start(search);
    for (int k = 0; k < search->nfinger; k++)
        search->u[search->finger[k]] = (tact_real)search->number[BASE + search->nfinger + k].mean;
    probe(search);
    find_tips(search, 0, object, &mean);
    // from the mean of the tips to the object
    double x = (double)(object.x - mean.x), y = (double)(object.y - mean.y), z = (double)(mean.z - object.z);
    if (search->status[0] < 0) x = y = 0;
    search->number[0] = (grasp_number){.mean = x, .deviation = 0.3 * size, .low = x - 3 * size, .high = x + 3 * size};
    search->number[1] = (grasp_number){.mean = y, .deviation = 0.3 * size, .low = y - 3 * size, .high = y + 3 * size};
    search->number[2] =
        (grasp_number){.mean = fmin(above - CLEAR, fmax(0, z)), .deviation = 0.4 * size, .low = 0, .high = above + 2 * size};
    search->number[3] = (grasp_number){.mean = 0, .deviation = 0.3, .low = -1.6, .high = 1.6};
}

// ---- the search ----

// Normal to a part in a thousand: a sum of twelve uniform numbers.
static double draw_normal(uint64_t *random) {
    double sum = -6;
    for (int k = 0; k < 12; k++) sum += (double)(tact_random_bits(random) >> 11) * 0x1p-53;
    return sum;
}

static tact_status seek(grasp_search *search, tact_real *u, bool *found) {
    const tact_grasp_options *options = search->options;
    for (int round = 0; round < TACT_GRASP_ROUNDS; round++) {
        // The first candidate is the mean itself. In the first round all fingers open and close together by one number each, too:
        // joint by joint few candidates would close.
        bool first = round == 0;
        for (int i = 0; i < search->count; i++) {
            const double open = OPENING * draw_normal(&search->random), close = CLOSING * draw_normal(&search->random);
            for (int k = 0; k < search->dimension; k++) {
                const grasp_number *of = &search->number[k];
                double together = first && k >= BASE ? (k < BASE + search->nfinger ? open : close) * of->shut : 0;
                double x = of->mean + (i > 0 ? together + of->deviation * draw_normal(&search->random) : 0);
                search->candidate[i * search->dimension + k] = fmin(of->high, fmax(of->low, x));
            }
        }
        tact_status status = roll_out(search);
        if (status != TACT_CONVERGED) return status;
        // by insertion: there are a hundred
        for (int i = 0; i < search->count; i++) {
            int at = i;
            for (; at > 0 && search->cost[search->order[at - 1]] > search->cost[i]; at--)
                search->order[at] = search->order[at - 1];
            search->order[at] = i;
        }
        const int best = search->order[0];
        const double tipped = TIPPED * options->size;
        tact_grasp_round told = {.round = round + 1,
                                 .rise = search->most[best] > 0 ? tipped + search->most[best] * (options->lift - tipped) : 0,
                                 .press = search->press[best],
                                 .firm = search->firm};
        while (told.lifted < search->count && search->cost[search->order[told.lifted]] <= LIFTED) told.lifted++;
        if (options->report && !options->report(options->context, &told)) return TACT_UNDECIDED;
        // a step that is four times as long and friction that is less are not the scene: the caller has the last word
        for (int i = 0; i < TRIED; i++) {
            if (search->cost[search->order[i]] > LIFTED) break;
            const double *p = search->candidate + search->order[i] * search->dimension;
            for (int knot = 0; knot < TACT_GRASP_KNOTS; knot++)
                for (int k = 0; k < search->nu; k++) u[knot * search->nu + k] = find_knot(search, p, k, knot);
            *found = options->accept(options->context, u);
            if (*found) return TACT_CONVERGED;
        }
        // most hands find a grasp soon, or never as they are turned
        if (round >= PATIENCE && search->cost[search->order[0]] > NOWHERE) return TACT_CONVERGED;
        // Mean and deviation of the best, the deviation not less than a part of what it was: a search that narrows at once ends
        // nowhere.
        for (int k = 0; k < search->dimension; k++) {
            grasp_number *of = &search->number[k];
            double mean = 0, square = 0;
            // E x and E (x - E x)^2 over the best
            for (int i = 0; i < ELITE; i++) mean += search->candidate[search->order[i] * search->dimension + k] / ELITE;
            for (int i = 0; i < ELITE; i++) {
                double off = search->candidate[search->order[i] * search->dimension + k] - mean;
                square += off * off / ELITE;
            }
            of->mean = mean;
            of->deviation = fmax(0.7 * of->deviation, sqrt(square));
        }
    }
    return TACT_CONVERGED;
}

tact_status tact_grasp_find(tact_worlds *worlds, const tact_grasp_options *options, tact_real *u, bool *found) {
    TACT_ASSERT(worlds && options && u && found);
    const tact_model *model = &tact_worlds_scene(worlds, 0)->model;
    grasp_search search = {.worlds = worlds,
                           .options = options,
                           .model = model,
                           .count = tact_worlds_count(worlds),
                           .nu = model->nu,
                           .object = model->body[tact_new_find_object(model)].q,
                           .firm = FIRM * (double)model->body[tact_new_find_object(model)].mass,
                           .random = (uint64_t)options->seed};
    TACT_ASSERT(search.count >= 2 * search.nu && search.count >= ELITE);
    *found = false;
    void *memory = tact_memory_place(place_search, &search);
    if (!memory) return TACT_NO_MEMORY;
    // all worlds at the scene's start, from which the object's place is taken
    tact_worlds_reset(worlds, 0, search.count);
    const tact_real *q = find_state(&search, 0) + search.object;
    const tact_vec3 object = tact_vec3_make(q[0], q[1], q[2]);
    memcpy(search.start, worlds->u, (size_t)search.nu * sizeof(tact_real));
    // commands of the fingers, their tips, and the axes of the base's joints
    // Commands of fingers are those with limits on both sides that are none of the base's.
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        bool base = false;
        if (dof->u < 0) continue;
        TACT_ASSERT(dof->u < search.nu);
        // The range of a command: the limits of its coordinate, or of the sum of those that it drives.
        tact_real *low = &search.low[dof->u];
        tact_real *high = &search.high[dof->u];
        *low = dof->lower;
        *high = dof->upper;
        // of a sum s = sum f q - rest: each term from its least to its most
        for (int i = 0; i < model->nspring && !(dof->stiffness > 0); i++) {
            const tact_spring *spring = &model->spring[i];
            if (spring->u != dof->u) continue;
            *low = *high = -spring->rest;
            for (int k = 0; k < spring->count; k++) {
                const tact_dof *of = &model->dof[spring->dof[k]];
                const tact_real factor = spring->factor[k];
                *low += factor * (factor > 0 ? of->lower : of->upper);
                *high += factor * (factor > 0 ? of->upper : of->lower);
            }
        }
        for (int k = 0; k < JOINTS; k++) base = base || search.options->base[k] == dof->u;
        // joints without limits turn wheels, not fingers
        bool bounded = search.low[dof->u] > -100 && search.high[dof->u] < 100;
        if (!base && bounded && search.high[dof->u] > search.low[dof->u]) search.finger[search.nfinger++] = dof->u;
    }
    for (int s = 0; s < model->nshape && search.ntip < TIPS; s++) {
        const int body = model->shape[s].body;
        if (body < 0 || body == tact_new_find_object(model) || carries(model, body)) continue;
        search.tip[search.ntip++] = s;
    }
    tact_status status = find_axes(&search) ? TACT_CONVERGED : TACT_NO_MEMORY;
    if (status == TACT_CONVERGED) {
        // two numbers for each finger, beside those of the base
        search.dimension = BASE + 2 * search.nfinger;
        begin_fingers(&search, tact_vec3_make(object.x, object.y, object.z + (tact_real)options->above));
        begin_base(&search, object);
        status = seek(&search, u, found);
    }
    tact_memory_release(memory);
    return status;
}
