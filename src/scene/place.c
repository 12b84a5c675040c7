// SPDX-License-Identifier: MIT
// The search for places: gaps of all pairs of the object decide, and lowering it by its gap never passes through anything.
#include "tact/place.h"

#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "scene/build.h"

#define QUARTER 1.5707963267948966
#define ROOM 0.01                // to what does not carry the object [m]
#define SIDEWAYS TACT_REAL(0.4)  // cosine of directions that do not count as down
#define RAISED 1e-4              // so that the gap tells the slope below [m]
#define RING 0.005               // between the places that are tried on a table [m]

enum { GRID = 9, LOWERINGS = 400, RINGS = 200, YAWS = 8, DIRECTIONS = 32 };

int tact_new_weld(const tact_model *model, int body) {
    while (body >= 0 && model->body[body].joint == TACT_JOINT_FIXED && model->body[body].parent >= 0)
        body = model->body[body].parent;
    return body;
}

int tact_new_find_object(const tact_model *model) {
    return model->nbody - 1;
}

bool tact_new_stands_on(const tact_model *model, int body, int weld) {
    const int first = tact_new_weld(model, body), below = first >= 0 ? model->body[first].parent : -1;
    return below >= 0 && tact_new_weld(model, below) == weld;
}

static bool is_of_object(const tact_model *model, int shape) {
    return model->shape[shape].body == tact_new_find_object(model);
}

// half the extent of a shape along a unit vector, in the world
static double find_extent(const tact_shape *shape, tact_mat3 R, tact_vec3 along) {
    tact_vec3 local = tact_mat3_apply_transposed(tact_mat3_multiply(R, shape->place.R), along);
    double x = fabs((double)local.x), y = fabs((double)local.y), z = fabs((double)local.z);
    double a = (double)shape->size[0], b = (double)shape->size[1], c = (double)shape->size[2];
    if (shape->type == TACT_SHAPE_BOX || shape->type == TACT_SHAPE_ELLIPSOID) return a * x + b * y + c * z;
    if (shape->type == TACT_SHAPE_CAPSULE) return a + b * z;
    if (shape->type == TACT_SHAPE_CYLINDER) return a * sqrt(x * x + y * y) + b * z;
    for (int i = 0; shape->type == TACT_SHAPE_HULL && i < shape->hull->nvertex; i++)
        a = fmax(a, fabs((double)tact_vec3_dot(shape->hull->vertex[i], local)));
    return a;
}

static tact_vec3 find_center(const tact_world *world, int shape) {
    const tact_shape *of = &world->scene->model.shape[shape];
    if (of->body == TACT_WORLD) return of->place.p;
    return tact_pose_apply(world->work.kinematics.pose[of->body], of->place.p);
}

// The range of the robot's shapes along a direction; weld: only of the bodies fixed to that one, -2: of all.
static void find_range(const tact_world *world, int weld, tact_vec3 along, double range[2]) {
    const tact_model *model = &world->scene->model;
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (int s = 0; s < model->nshape; s++) {
        if (is_of_object(model, s) || (weld > -2 && tact_new_weld(model, model->shape[s].body) != weld)) continue;
        const int body = model->shape[s].body;
        const tact_mat3 R = body == TACT_WORLD ? tact_pose_identity().R : world->work.kinematics.pose[body].R;
        double extent = find_extent(&model->shape[s], R, along);
        double center = (double)tact_vec3_dot(find_center(world, s), along);
        range[0] = fmin(range[0], center - extent);
        range[1] = fmax(range[1], center + extent);
    }
}

// Where the joints are for find_tips.
typedef enum { START, OPEN, CLOSING } posture;

// Where the fingers end: the mean of the shapes whose bodies carry no others, with the joints at the start, as near to 0 as their
// limits let them (open), or in the middle of these. false without any.
static bool find_tips(tact_world *world, int weld, posture at, tact_vec3 *tips) {
    const tact_model *model = &world->scene->model;
    int count = 0;
    for (int v = 0; v < model->nv && at != START; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0 || dof->lower <= -TACT_MAX || dof->upper >= TACT_MAX) continue;
        world->state.q[dof->q] = at == OPEN ? tact_clamp(0, dof->lower, dof->upper) : (dof->lower + dof->upper) / 2;
    }
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    *tips = tact_vec3_make(0, 0, 0);
    for (int s = 0; s < model->nshape; s++) {
        int body = model->shape[s].body;
        bool last = body >= 0 && !is_of_object(model, s) && tact_new_weld(model, body) != weld;
        // nothing moves on what its body is fixed to; links without shapes may
        for (int b = 0; b < model->nbody && last; b++)
            last = model->body[b].joint == TACT_JOINT_FIXED || model->body[b].parent < 0 ||
                   tact_new_weld(model, model->body[b].parent) != tact_new_weld(model, body);
        if (!last) continue;
        *tips = tact_vec3_add(*tips, find_center(world, s));
        count++;
    }
    if (count > 0) *tips = tact_vec3_scale(1 / (tact_real)count, *tips);
    tact_state_reset(&world->state, model);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    return count > 0;
}

// Puts the object down somewhere, turned by R, and finds its least gap and the shape of the robot there. *last: a pair that is
// likely to be near, as the nearest one of the place before (-1: none); then the nearest one.
static double find_gap(tact_world *world, tact_vec3 p, tact_quat turn, int *last, int *nearest) {
    const tact_model *model = &world->scene->model;
    int object = tact_new_find_object(model);
    tact_real *q = world->state.q + model->body[object].q;
    const tact_real set[7] = {p.x, p.y, p.z, turn.w, turn.x, turn.y, turn.z};
    double least = HUGE_VAL, near = HUGE_VAL;
    memcpy(q, set, sizeof set);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    if (*last >= 0) near = (double)tact_contact_gap(model, &world->work.kinematics, *last);
    for (int i = 0; i < model->npair; i++) {
        // balls about its shapes leave more than that between them
        const int a = model->pair[i].a, b = model->pair[i].b;
        const tact_vec3 at = find_center(world, a), to = find_center(world, b);
        const tact_real reach = tact_contact_bound(&model->shape[a], at) + tact_contact_bound(&model->shape[b], to);
        if (fmin(near, least) < HUGE_VAL && tact_contact_apart(at, to, reach, (tact_real)fmin(near, least))) continue;
        double gap = (double)tact_contact_gap(model, &world->work.kinematics, i);
        if (gap >= least) continue;
        least = gap;
        *last = i;
        *nearest = is_of_object(model, a) ? b : a;
    }
    return least;
}

// How many pairs with shapes of the bodies fixed to weld are about as near as the nearest, to an object at p, at the least of the
// yaws at which it has to rest. *cost: what is short of ROOM for fingers beside it, and of the lever of its weight: a push at the
// height h of its origin slides it by the force mu m g, and tips it where mu h is more than from its origin to the edge of the
// convex hull of the points that bear it.
static int count_support(tact_world *world, const tact_new_object *object, int weld, tact_vec3 p, tact_quat turn, double gap,
                         double half, double *cost) {
    const tact_model *model = &world->scene->model;
    const double near = 1.5 * gap + 1e-5;
    const tact_mat3 *R = &world->work.kinematics.pose[tact_new_find_object(model)].R;
    const tact_contacts *found = &world->work.contacts;
    double clear = HUGE_VAL, lever = HUGE_VAL, tipping = 0;
    int least = model->npair, pair = -1, shape = -1;
    for (int yaw = object->turns ? YAWS - 1 : 0; yaw >= 0; yaw--) {
        const tact_real half_angle = (tact_real)(QUARTER * yaw / YAWS);
        find_gap(world, p, tact_quat_multiply(turn, (tact_quat){tact_cos(half_angle), 0, 0, tact_sin(half_angle)}), &pair,
                 &shape);
        tact_contacts_detect(&world->work.contacts, model, &world->work.kinematics, (tact_real)fmax(ROOM, near), NULL);
        // min over directions d of max over points of d'(point - p)
        for (int k = 0, count = 0; k < DIRECTIONS; k++) {
            tact_real s = 0, c = 0, most = -TACT_MAX;
            tact_sincos((tact_real)(4 * QUARTER * k / DIRECTIONS), &s, &c);
            const tact_vec3 d = tact_mat3_apply(*R, tact_vec3_make(c, s, 0));
            for (int i = 0; i < found->count; i++) {
                const tact_contact *contact = &found->contact[i];
                const tact_pair *of = &model->pair[contact->pair];
                const int body = model->shape[is_of_object(model, of->a) ? of->b : of->a].body;
                const bool own = tact_new_weld(model, body) == weld, bears = own && (double)contact->gap <= near;
                if (bears) most = tact_max(most, tact_vec3_dot(d, tact_vec3_sub(contact->point, p)));
                if (bears) count += k == 0, tipping = (double)of->mu * half;
                if (yaw > 0 || own || (object->rough && tact_new_stands_on(model, body, weld))) continue;
                clear = fmin(clear, (double)contact->gap);
            }
            lever = fmin(lever, (double)most);
            if (k == 0 && count < least) least = count;
        }
    }
    *cost = 10 * (fmax(0, ROOM - clear) + (object->rough ? fmax(0, tipping - lever) : 0));
    return least;
}

static bool is_better(const tact_new_place *a, const tact_new_place *b) {
    return a->behind != b->behind ? b->behind : a->cost < b->cost;
}

static void insert_place(tact_new_place *places, int *count, const tact_new_place *place) {
    if (*count == TACT_NEW_PLACES && !is_better(place, &places[TACT_NEW_PLACES - 1])) return;
    int at = *count < TACT_NEW_PLACES ? (*count)++ : TACT_NEW_PLACES - 1;
    while (at > 0 && is_better(place, &places[at - 1])) {
        places[at] = places[at - 1];
        at--;
    }
    places[at] = *place;
}

// of the robot's base: each brings another of its axes up
static const double turns[6][3] = {{0, 0, 0},       {0, -QUARTER, 0}, {0, QUARTER, 0},
                                   {QUARTER, 0, 0}, {-QUARTER, 0, 0}, {2 * QUARTER, 0, 0}};

static tact_mat3 find_base(int turn) {
    const double *rpy = turns[turn];
    tact_draft_frame frame = {.rpy = {(tact_real)rpy[0], (tact_real)rpy[1], (tact_real)rpy[2]}};
    return tact_scene_pose(&frame).R;
}

bool tact_new_look_down(tact_world *world, int choice, double rpy[3]) {
    const tact_model *model = &world->scene->model;
    tact_vec3 open, closing, mean = {0, 0, 0};
    tact_real down[6];
    int count = 0, found = -1;
    if (!find_tips(world, -2, OPEN, &open) || !find_tips(world, -2, CLOSING, &closing)) return false;
    for (int s = 0; s < model->nshape; s++) {
        if (is_of_object(model, s) || model->shape[s].body < 0) continue;
        mean = tact_vec3_add(mean, find_center(world, s));
        count++;
    }
    mean = tact_vec3_scale(1 / (tact_real)count, mean);
    for (int t = 0; t < 6; t++) {
        // of a direction that is fixed to the base, (R x).z downwards
        const tact_mat3 R = find_base(t);
        const tact_vec3 up = {R.m[2][0], R.m[2][1], R.m[2][2]}, long_way = tact_vec3_sub(open, mean),
                        short_way = tact_vec3_sub(closing, mean);
        down[t] = tact_max(-tact_vec3_dot(up, long_way) / tact_sqrt(tact_vec3_dot(long_way, long_way)),
                           -tact_vec3_dot(up, short_way) / tact_sqrt(tact_vec3_dot(short_way, short_way)));
    }
    // the best is taken out as often as a worse one is asked for
    for (; choice >= 0; choice--) {
        if (found >= 0) down[found] = 0;
        found = 0;
        for (int t = 1; t < 6; t++)
            if (down[t] > down[found]) found = t;
    }
    memcpy(rpy, turns[found], sizeof turns[found]);
    return down[found] > SIDEWAYS;
}

// The slope below the object at p in degrees, by how its gap grows when it is raised: acos(d gap / d height).
static int find_slope(tact_world *world, tact_vec3 p, tact_quat turn, tact_vec3 up, double gap) {
    int last = -1, nearest = -1;
    const double above = find_gap(world, tact_vec3_add_scaled(p, TACT_REAL(RAISED), up), turn, &last, &nearest);
    return (int)(acos(fmax(0, fmin(1, (above - gap) / RAISED))) / QUARTER * 90 + 0.5);
}

// In how many places an object touches what bears it.
static int find_bearers(tact_shape_type type) {
    switch (type) {
    case TACT_SHAPE_SPHERE: return 1;
    case TACT_SHAPE_CAPSULE: return 2;
    case TACT_SHAPE_HULL: return 3;
    case TACT_SHAPE_BOX: return 4;
    default: return 8;
    }
}

int tact_new_place_on_body(tact_world *world, const tact_new_object *object, double half, int body, tact_new_place *places,
                           tact_new_why *why) {
    const tact_model *model = &world->scene->model;
    const int contacts = find_bearers(object->type);
    int weld = tact_new_weld(model, body), count = 0, last = -1;
    tact_vec3 open, tips = {0, 0, 0};
    // fingers half closed tell on which side of the body they close; without fingers, up is up
    bool fingers = find_tips(world, weld, OPEN, &open) && find_tips(world, weld, CLOSING, &tips);
    const int turned = fingers ? 6 : 1;
    for (int t = 0; t < turned; t++) {
        const tact_mat3 R = find_base(t);
        tact_vec3 x = {R.m[0][0], R.m[0][1], R.m[0][2]}, y = {R.m[1][0], R.m[1][1], R.m[1][2]},
                  up = {R.m[2][0], R.m[2][1], R.m[2][2]};
        tact_mat3 back = {{{x.x, y.x, up.x}, {x.y, y.y, up.y}, {x.z, y.z, up.z}}};
        tact_quat turn = tact_quat_from_matrix(back);
        double across[2], along[2], own[2], all[2];
        tact_vec3 closing = fingers ? tact_vec3_sub(tips, open) : up;
        const tact_real toward = tact_vec3_dot(closing, up) / tact_sqrt(tact_vec3_dot(closing, closing));
        bool behind = toward < TACT_REAL(-0.5);
        find_range(world, weld, x, across);
        find_range(world, weld, y, along);
        find_range(world, weld, up, own);
        find_range(world, -2, up, all);
        if (!(own[0] <= own[1])) return 0;
        for (int k = 0; k < GRID * GRID; k++) {
            if (why->report) why->report(why->context, t * GRID * GRID + k, turned * GRID * GRID);
            double u = across[0] + (k % GRID + 0.5) / GRID * (across[1] - across[0]);
            double v = along[0] + (floor((double)k / GRID) + 0.5) / GRID * (along[1] - along[0]), height = all[1] + 2 * half,
                   gap = HUGE_VAL, beside = 0;
            const double aside = (double)tact_vec3_dot(tips, x) - u, ahead = (double)tact_vec3_dot(tips, y) - v;
            tact_vec3 p = {0};
            int nearest = -1;
            bool worse = false;
            // Lowered by what is left of its gap, as long as it comes nearer to the fingers than the worst place so far.
            for (int n = 0; n < LOWERINGS && height > own[0] && fabs(gap - object->gap) > 1e-3 * object->gap; n++) {
                const double below = fmax(0, (double)tact_vec3_dot(tips, up) - height);
                const tact_new_place best = {.behind = behind,
                                             .cost = sqrt(aside * aside + ahead * ahead + below * below) - 1e-6};
                worse = fingers && count == TACT_NEW_PLACES && !is_better(&best, &places[count - 1]);
                if (worse) break;
                p = tact_vec3_add(tact_vec3_scale((tact_real)u, x),
                                  tact_vec3_add(tact_vec3_scale((tact_real)v, y), tact_vec3_scale((tact_real)height, up)));
                gap = find_gap(world, p, turn, &last, &nearest);
                if (fabs(gap - object->gap) > 1e-3 * object->gap) height -= gap - object->gap;
            }
            if (worse) continue;
            bool stands = fabs(gap - object->gap) <= 2e-3 * object->gap && nearest >= 0;
            bool own_body = stands && tact_new_weld(model, model->shape[nearest].body) == weld;
            const bool rests = own_body && count_support(world, object, weld, p, turn, gap, half, &beside) >= contacts;
            if (own_body && toward > TACT_REAL(0.5)) why->tilt[find_slope(world, p, turn, up, gap)]++;
            why->tried++;
            why->missed += !stands;
            why->elsewhere += stands && !own_body;
            why->unsteady += own_body && !rests;
            if (!rests) continue;
            const tact_vec3 off = tact_vec3_sub(tips, p);
            tact_new_place place = {.position = {u, v, height}, .behind = behind};
            memcpy(place.rpy, turns[t], sizeof place.rpy);
            place.cost = beside + (fingers ? sqrt((double)tact_vec3_dot(off, off)) : fabs(u) + fabs(v));
            insert_place(places, &count, &place);
        }
    }
    tact_state_reset(&world->state, model);
    return count;
}

int tact_new_place_on_table(tact_world *world, const tact_new_object *object, double half, double above, tact_new_place *place) {
    double range[2];
    tact_vec3 tips = {0};
    find_tips(world, -2, START, &tips);
    find_range(world, -2, tact_vec3_make(0, 0, 1), range);
    if (!(range[0] <= range[1])) range[0] = 0;
    *place = (tact_new_place){.table = range[0] - above};
    double height = place->table + half + object->gap;
    int last = -1;
    // Rings about the point below the fingers.
    for (int ring = 0; ring < RINGS; ring++) {
        int count = ring == 0 ? 1 : 8 * ring;
        for (int k = 0; k < count; k++) {
            tact_real s = 0, c = 0;
            int nearest = -1;
            tact_sincos((tact_real)(4 * QUARTER * k / count), &s, &c);
            tact_vec3 p = {tips.x + (tact_real)(RING * ring) * c, tips.y + (tact_real)(RING * ring) * s, (tact_real)height};
            if (find_gap(world, p, (tact_quat){1, 0, 0, 0}, &last, &nearest) < 0.005) continue;
            place->position[0] = (double)p.x;
            place->position[1] = (double)p.y;
            place->position[2] = height;
            tact_state_reset(&world->state, &world->scene->model);
            return 1;
        }
    }
    return 0;
}
