// SPDX-License-Identifier: MIT
// Guards of tact new: so that fingers do not pass through each other, each link has a capsule about its shapes, and capsules of
// links on different fingers are pairs. A link's own spheres and capsules, as most fingertips are, guard themselves. Of all such
// pairs a greedy set cover keeps few: in each of many random postures in which fingers cross, one of the pairs kept overlaps.
// Pairs of the last links are kept wherever they can meet. The palm's own shapes are such pairs with the links that do not stand
// on it, in a cover of their own. Pairs that overlap at the start, or in most postures, are left out.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/new.h"

enum { POSTURES = 2000, POINTS = 24, OWN = 2, FINGERS = 3 };

#define TURN 6.28318530717958647692
#define APART 1e-3  // between guards where the scene begins [m]
#define DEEP 1e-3   // overlap that counts in a posture [m]
#define THIN 0.6    // of its radius that a guard keeps at least where it is in the way

// ---- links ----

static int find_parent(const tact_model *model, int weld) {
    int parent = weld >= 0 ? model->body[weld].parent : -1;
    return parent >= 0 ? tact_new_weld(model, parent) : -1;
}

static bool carries(const tact_model *model, int weld, int other) {
    while (other >= 0 && other != weld) other = find_parent(model, other);
    return other == weld;
}

// Whether two links are on different fingers: neither carries the other, and no loop joins their branches.
static bool are_apart(const tact_model *model, int a, int b) {
    if (carries(model, a, b) || carries(model, b, a)) return false;
    // the branches behind the last link that carries both
    while (!carries(model, find_parent(model, a), b)) a = find_parent(model, a);
    while (!carries(model, find_parent(model, b), a)) b = find_parent(model, b);
    for (int i = 0; i < model->nloop; i++) {
        const int *body = model->loop[i].body;
        int first = body[0] >= 0 ? tact_new_weld(model, body[0]) : -1, second = body[1] >= 0 ? tact_new_weld(model, body[1]) : -1;
        if (first < 0 || second < 0) continue;
        if ((carries(model, a, first) && carries(model, b, second)) || (carries(model, a, second) && carries(model, b, first)))
            return false;
    }
    return true;
}

// ---- capsules about shapes ----

// Points of which the hull holds a shape, at most POINTS or a hull's vertices; their number.
static int list_points(const tact_shape *shape, tact_vec3 point[TACT_HULL_VERTICES]) {
    const double a = (double)shape->size[0], b = (double)shape->size[1], c = (double)shape->size[2];
    int count = shape->type == TACT_SHAPE_BOX ? 8 : shape->type == TACT_SHAPE_HULL ? shape->hull->nvertex : POINTS;
    for (int k = 0; k < count; k++) {
        const bool up = k % 2 > 0;
        const int place = k / 2, around = POINTS / 2;
        const double angle = TURN * place / around;
        double d[3], x[3] = {0, 0, 0};
        tact_fit_direction(k, POINTS, d);
        if (shape->type == TACT_SHAPE_BOX) {
            x[0] = k & 1 ? a : -a, x[1] = k & 2 ? b : -b, x[2] = k & 4 ? c : -c;
        } else if (shape->type == TACT_SHAPE_HULL) {
            point[k] = shape->hull->vertex[k];
            continue;
        } else if (shape->type == TACT_SHAPE_CYLINDER) {
            x[0] = a * cos(angle), x[1] = a * sin(angle), x[2] = up ? b : -b;
        } else if (shape->type == TACT_SHAPE_ELLIPSOID) {
            x[0] = a * d[0], x[1] = b * d[1], x[2] = c * d[2];
        } else {
            for (int i = 0; i < 3; i++) x[i] = a * d[i];
            if (shape->type == TACT_SHAPE_CAPSULE) x[2] += d[2] < 0 ? -b : b;
        }
        point[k] = tact_vec3_make((tact_real)x[0], (tact_real)x[1], (tact_real)x[2]);
    }
    return count;
}

// Pose of a body in the first of the bodies that are fixed to each other.
static tact_pose find_place(const tact_model *model, int body) {
    tact_pose pose = tact_pose_identity();
    const int weld = tact_new_weld(model, body);
    for (; body != weld; body = model->body[body].parent) pose = tact_pose_multiply(model->body[body].place, pose);
    return pose;
}

static bool is_round_shape(const tact_shape *shape) {
    return shape->type == TACT_SHAPE_SPHERE || shape->type == TACT_SHAPE_CAPSULE;
}

static bool is_solid(const tact_shape *shape) {
    return is_round_shape(shape) || tact_new_is_flat(shape->type) || shape->type == TACT_SHAPE_CYLINDER ||
           shape->type == TACT_SHAPE_ELLIPSOID;
}

// A capsule about the shapes of a link, but for its own spheres and capsules where they stay. False without memory.
static bool fit_guard(const tact_model *model, int weld, bool stay, tact_new_guard *guard) {
    tact_fit_point *all = tact_memory_get((size_t)model->nshape * TACT_HULL_VERTICES * sizeof *all);
    tact_shape_fit fit;
    int count = 0;
    for (int s = 0; all && s < model->nshape; s++) {
        const tact_shape *shape = &model->shape[s];
        tact_vec3 point[TACT_HULL_VERTICES];
        if (shape->body < 0 || tact_new_weld(model, shape->body) != weld || !is_solid(shape)) continue;
        if (stay && is_round_shape(shape)) continue;
        const tact_pose place = tact_pose_multiply(find_place(model, shape->body), shape->place);
        for (int k = 0, n = list_points(shape, point); k < n; k++) {
            const tact_vec3 x = tact_pose_apply(place, point[k]);
            all[count++] = (tact_fit_point){{(double)x.x, (double)x.y, (double)x.z}};
        }
    }
    bool good = all && count > 0 && tact_fit_points(TACT_SHAPE_CAPSULE, all, count, &fit);
    tact_memory_release(all);
    if (!good) return false;
    *guard = (tact_new_guard){.link = weld, .own = -1, .shape = {.body = weld, .type = fit.type}};
    guard->shape.place.p = tact_vec3_make((tact_real)fit.center[0], (tact_real)fit.center[1], (tact_real)fit.center[2]);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) guard->shape.place.R.m[i][k] = (tact_real)fit.R[i][k];
    for (int k = 0; k < 2; k++) guard->shape.size[k] = (tact_real)fit.size[k];
    return true;
}

// The bounding shapes (guards) of a link: its own spheres and capsules where they are few, and one capsule round the rest.
static bool add_guards(const tact_model *model, int weld, tact_new_guards *to) {
    int round = 0, others = 0;
    for (int s = 0; s < model->nshape; s++) {
        if (model->shape[s].body < 0 || tact_new_weld(model, model->shape[s].body) != weld) continue;
        round += is_round_shape(&model->shape[s]);
        others += !is_round_shape(&model->shape[s]) && is_solid(&model->shape[s]);
    }
    const bool stay = round <= OWN;
    for (int s = 0; s < model->nshape && stay; s++) {
        const tact_shape *shape = &model->shape[s];
        if (shape->body < 0 || tact_new_weld(model, shape->body) != weld || !is_round_shape(shape)) continue;
        to->guard[to->count++] = (tact_new_guard){.link = weld, .own = s, .shape = *shape};
    }
    if (others == 0 && (stay || round == 0)) return true;
    return fit_guard(model, weld, stay, &to->guard[to->count]) && ++to->count > 0;
}

// ---- pairs ----

typedef struct {
    tact_model model;  // of the guards and their pairs only
    tact_shape *shape;
    tact_pair *pair;
    bool *last;   // (npair) both links are the last ones of their fingers
    bool *palm;   // (npair) the first is of the palm
    bool *cross;  // (npair, 1 + POSTURES) whether a pair overlaps, first where the scene begins
} rehearsal;

// Makes guards that overlap where the scene begins thinner, as far as they may be.
static void make_thinner(rehearsal *with, const tact_kinematics *kinematics, const tact_new_guards *to) {
    for (int i = 0; i < with->model.npair; i++) {
        const tact_pair *pair = &with->pair[i];
        double gap = (double)tact_contact_gap(&with->model, kinematics, i), take = 0;
        const int of[2] = {pair->a, pair->b};
        for (int k = 0; k < 2; k++) take += to->guard[of[k]].own < 0 ? (double)with->shape[of[k]].size[0] : 0;
        for (int k = 0; k < 2 && gap < APART && take > 0; k++) {
            const tact_real full = to->guard[of[k]].shape.size[0];
            if (to->guard[of[k]].own >= 0) continue;
            tact_real *radius = &with->shape[of[k]].size[0];
            *radius = (tact_real)fmax(THIN * (double)full, (double)*radius * (1 - (APART - gap) / take));
        }
    }
}

// Finds which pairs overlap in which postures.
static void rehearse(rehearsal *with, tact_world *world) {
    const tact_model *model = &with->model;
    tact_kinematics *kinematics = &world->work.kinematics;
    for (unsigned n = 0; n <= POSTURES; n++) {
        // posture n: pseudo-random within the limits of the joints (hash of n and the dof); 0 is where the scene begins
        for (int v = 0; v < model->nv && n > 0; v++) {
            const tact_dof *dof = &model->dof[v];
            if (dof->q < 0 || model->body[dof->body].joint == TACT_JOINT_FREE) continue;
            const bool bounded = dof->lower > -TACT_MAX && dof->upper < TACT_MAX;
            const double low = bounded ? (double)dof->lower : -TURN / 2, high = bounded ? (double)dof->upper : TURN / 2;
            unsigned x = (n * 7919u + (unsigned)v + 1) * 2654435761u;
            x = (x ^ x >> 15) * 2246822519u;
            x = (x ^ x >> 13) * 3266489917u;
            world->state.q[dof->q] = (tact_real)(low + (high - low) * ((x >> 8) + 0.5) / (1 << 24));
        }
        tact_kinematics_update(kinematics, model, world->state.q);
        for (int i = 0; i < model->npair; i++)
            with->cross[i * (POSTURES + 1) + (int)n] = (double)tact_contact_gap(model, kinematics, i) < (n > 0 ? -DEEP : 0);
    }
    tact_state_reset(&world->state, &world->scene->model);
    tact_kinematics_update(kinematics, model, world->state.q);
}

static int count_crossings(const bool *cross) {
    int count = 0;
    for (int n = 1; n <= POSTURES; n++) count += cross[n];
    return count;
}

// Keeps a pair: no other one is needed in the postures in which it overlaps.
static void keep_pair(rehearsal *with, int kept, tact_new_guards *to) {
    const int row = POSTURES + 1, a = with->pair[kept].a, b = with->pair[kept].b;
    bool *own = with->cross + kept * row;
    to->palm += with->palm[kept];
    to->pair[to->npair][0] = a;
    to->pair[to->npair++][1] = b;
    to->guard[a].used = to->guard[b].used = true;
    for (int i = 0; i < with->model.npair; i++)
        for (int n = 1; n <= POSTURES && i != kept && with->palm[i] == with->palm[kept]; n++)
            if (own[n]) with->cross[i * row + n] = false;
    memset(own, 0, (size_t)row * sizeof *own);
}

// Greedy set cover: the pair that overlaps in most postures in which none of those kept does, until there is no such posture.
static void cover(rehearsal *with, tact_new_guards *to) {
    const int npair = with->model.npair, row = POSTURES + 1;
    for (int i = 0; i < npair; i++) {
        bool *cross = with->cross + i * row;
        if (!cross[0] && count_crossings(cross) <= POSTURES / 2) continue;
        to->overlapping += !with->palm[i];
        memset(cross, 0, (size_t)row * sizeof *cross);
        with->last[i] = false;
    }
    // last links first: a posture that another pair covers, too, is no reason to leave fingertips out
    for (int i = 0; i < npair; i++)
        if (with->last[i] && count_crossings(with->cross + i * row) == 0) with->last[i] = false;
    for (int i = 0; i < npair; i++)
        if (with->last[i]) keep_pair(with, i, to);
    for (int best = 0; best >= 0;) {
        int most = 0;
        best = -1;
        for (int i = 0; i < npair; i++) {
            const int count = count_crossings(with->cross + i * row);
            if (count > most) best = i, most = count;
        }
        if (best >= 0) keep_pair(with, best, to);
    }
}

// Whether a link carries no other one with a guard.
static bool is_last(const tact_model *model, const tact_new_guards *of, int link) {
    bool last = true;
    for (int i = 0; i < of->count; i++) last = last && (of->guard[i].link == link || !carries(model, link, of->guard[i].link));
    return last;
}

// Lists all pairs of guards on different fingers, and of the palm's shapes with guards of links that do not stand on it.
static void list_pairs(rehearsal *with, const tact_model *model, const tact_new_guards *of) {
    with->model.npair = 0;
    with->model.nshape = of->count;
    with->model.shape = with->shape;
    with->model.pair = with->pair;
    for (int i = 0; i < of->count; i++) {
        const int link = of->guard[i].link;
        with->shape[i] = of->guard[i].shape;
        for (int k = 0; k < i; k++) {
            const int other = of->guard[k].link;
            const bool palm = of->guard[k].palm && !of->guard[i].palm && carries(model, other, link);
            if (palm ? find_parent(model, link) == other : of->guard[k].palm || !are_apart(model, link, other)) continue;
            with->palm[with->model.npair] = palm;
            with->last[with->model.npair] = !palm && is_last(model, of, link) && is_last(model, of, other);
            with->pair[with->model.npair++] = (tact_pair){.a = k, .b = i};
        }
    }
}

// How many fingers the guards are on: of guards from the tips on those that are apart from all before.
static int count_fingers(const tact_model *model, const tact_new_guards *of) {
    int count = 0;
    for (int i = of->count - 1; i >= 0; i--) {
        bool another = true;
        for (int k = i + 1; k < of->count && another; k++)
            another = !of->guard[k].first || are_apart(model, of->guard[i].link, of->guard[k].link);
        of->guard[i].first = another;
        count += another;
    }
    return count;
}

// The palm, the last link that carries all fingers, is guarded by its own shapes, listed before the others.
static void add_palm(const tact_model *model, tact_new_guards *to) {
    int palm = -1, count = 0;
    for (int i = 0; i < to->count; i++)
        if (to->guard[i].first) palm = to->guard[i].link;
    while (palm >= 0) {
        bool all = true;
        for (int i = 0; i < to->count; i++) all = all && (!to->guard[i].first || carries(model, palm, to->guard[i].link));
        if (all) break;
        palm = find_parent(model, palm);
    }
    for (int s = 0; s < model->nshape; s++) {
        const tact_shape *shape = &model->shape[s];
        bool solid = is_round_shape(shape) || tact_new_is_flat(shape->type);
        if (!solid || palm < 0 || shape->body < 0 || tact_new_weld(model, shape->body) != palm) continue;
        for (int i = to->count++; i > count; i--) to->guard[i] = to->guard[i - 1];
        to->guard[count++] = (tact_new_guard){.link = palm, .own = s, .shape = *shape, .palm = true};
    }
}

bool tact_new_find_guards(tact_world *world, tact_new_guards *to) {
    const tact_model *model = &world->scene->model;
    const int object = tact_new_find_object(model);
    rehearsal with = {.model = *model};
    // a link has at most as many guards as shapes, and the palm twice as many
    to->guard = tact_memory_get((size_t)(2 * model->nshape + 1) * sizeof to->guard[0]);
    bool good = to->guard != NULL;
    for (int b = 0; b < object && good; b++)
        if (tact_new_weld(model, b) == b) good = add_guards(model, b, to);
    // The two jaws of a gripper are to meet, and capsules about them would keep them apart.
    if (good && count_fingers(model, to) < FINGERS) return true;
    if (good) add_palm(model, to);
    const size_t most = (size_t)to->count * (size_t)to->count / 2 + 1;
    to->pair = tact_memory_get(most * sizeof to->pair[0]);
    with.shape = tact_memory_get((size_t)(to->count + 1) * sizeof with.shape[0]);
    with.pair = tact_memory_get(most * sizeof with.pair[0]);
    with.last = tact_memory_get(most * sizeof with.last[0]);
    with.palm = tact_memory_get(most * sizeof with.palm[0]);
    with.cross = tact_memory_get(most * (POSTURES + 1) * sizeof with.cross[0]);
    good = good && to->pair && with.shape && with.pair && with.last && with.palm && with.cross;
    if (good) {
        list_pairs(&with, model, to);
        tact_kinematics_update(&world->work.kinematics, model, world->state.q);
        make_thinner(&with, &world->work.kinematics, to);
        rehearse(&with, world);
        cover(&with, to);
    }
    for (int i = 0; i < to->count && good; i++) to->guard[i].shape.size[0] = with.shape[i].size[0];
    tact_memory_release(with.shape);
    tact_memory_release(with.pair);
    tact_memory_release(with.last);
    tact_memory_release(with.palm);
    tact_memory_release(with.cross);
    return good;
}

void tact_new_free_guards(tact_new_guards *guards) {
    tact_memory_release(guards->guard);
    tact_memory_release(guards->pair);
    *guards = (tact_new_guards){0};
}

// ---- in the scene ----

// The name of a guard: LINK_guard, with underscores behind it where another shape has that name.
static const char *name_guard(const tact_model *model, const tact_new_guard *guard, char name[400]) {
    if (guard->own >= 0) return model->names->shape[guard->own];
    bool taken = true;
    snprintf(name, 380, "%.360s_guard", model->names->body[guard->link]);
    while (taken && strlen(name) < 390) {
        taken = false;
        for (int s = 0; s < model->nshape; s++) taken = taken || strcmp(model->names->shape[s], name) == 0;
        if (taken) memcpy(name + strlen(name), "_", 2);
    }
    return name;
}

void tact_new_add_guards(const tact_model *model, const tact_new_guards *guards, tact_text *out) {
    for (int i = 0; i < guards->count; i++) {
        const tact_new_guard *guard = &guards->guard[i];
        const tact_shape *shape = &guard->shape;
        char name[400];
        if (!guard->used || guard->own >= 0) continue;
        const tact_quat turn = tact_quat_from_matrix(shape->place.R);
        const double at[3] = {tact_key_round((double)shape->place.p.x, 6), tact_key_round((double)shape->place.p.y, 6),
                              tact_key_round((double)shape->place.p.z, 6)},
                     quat[4] = {(double)turn.w, (double)turn.x, (double)turn.y, (double)turn.z};
        tact_text_print(out, ",\n    { \"name\": %s, \"body\": %s, \"type\": %s, \"radius\": %g", name_guard(model, guard, name),
                        model->names->body[guard->link], tact_shape_type_names[shape->type],
                        tact_key_round((double)shape->size[0], 4));
        if (shape->type == TACT_SHAPE_CAPSULE) {
            tact_text_print(out, ", \"length\": %g, \"quat\": ", tact_key_round(2 * (double)shape->size[1], 4));
            tact_new_add_numbers(out, quat, 4);
        }
        tact_text_add(out, ", \"xyz\": ");
        tact_new_add_numbers(out, at, 3);
        // "auto" has the shapes themselves
        tact_text_add(out, ", \"contype\": 0, \"conaffinity\": 0 }");
    }
}

void tact_new_name_guards(const tact_model *model, const tact_new_guards *guards, int pair, char a[400], char b[400]) {
    const int *of = guards->pair[pair];
    char room[400];
    snprintf(a, 400, "%s", name_guard(model, &guards->guard[of[0]], room));
    snprintf(b, 400, "%s", name_guard(model, &guards->guard[of[1]], room));
}
