// SPDX-License-Identifier: MIT
// Limbs are drawn between a body's own joint and the joints and balls that it carries, for bodies in trees of several.
#include "tact/view.h"

#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"

static const char *const joint_types[] = {"fixed", "revolute", "continuous", "prismatic", "translation", "planar", "free", NULL};

// in the order of tact_figure
static const char *const figures[] = {"union",        "sphere",    "plane",     "capsule", "box",
                                      "cylinder",     "ellipsoid", "rectangle", "polygon", "halfplane",
                                      "smooth_union", "circle",    "hull",      "grid",    NULL};

typedef struct {
    tact_picture *picture;
    const tact_json *json;
    tact_body *body;
    tact_dof *dof;
    tact_real *q0, *v0;
    const char **names;  // (nbody) of the bodies
    int npoint;          // of all polygons
    tact_picture_point *point;
    int nface, ncorner;  // of all hulls
    int nvertex;         // most of one hull
    tact_vec3 *vertex;   // scratch
    int *face;
    tact_vec3 *corner;
} reading;

static tact_vec3 read_vec3(const tact_json *json, int node, tact_vec3 otherwise) {
    tact_real x[3] = {otherwise.x, otherwise.y, otherwise.z};
    tact_json_get_vector(json, node, 3, tact_range_any(), x);
    return tact_vec3_make(x[0], x[1], x[2]);
}

static tact_pose read_pose(const tact_json *json, int node) {
    tact_pose pose = tact_pose_identity();
    pose.p = read_vec3(json, tact_json_need(json, node, "p"), pose.p);
    tact_json_get_vector(json, tact_json_need(json, node, "R"), 9, tact_range_any(), &pose.R.m[0][0]);
    return pose;
}

// The body of that name before the one given; TACT_WORLD for "world".
static int find_body(const reading *from, int node, int before) {
    const char *name = tact_json_get_string(from->json, node, TACT_TEXT_LIMIT);
    if (!name || strcmp(name, "world") == 0) return TACT_WORLD;
    for (int b = before - 1; b >= 0; b--)
        if (strcmp(from->names[b], name) == 0) return b;
    tact_json_refuse(from->json, node, "no such body before this one");
    return TACT_WORLD;
}

// The faces of a hull or of a grid's surface as lists of corners.
static void read_hull(reading *from, int node, tact_picture_shape *shape) {
    const tact_json *json = from->json;
    int vertices = tact_json_need(json, node, "vertices"), faces = tact_json_need(json, node, "faces"), count = 0;
    tact_vec3 *vertex = from->vertex;
    if (tact_json_length(json, vertices) < 0 || tact_json_length(json, faces) < 0) return;
    for (int i = tact_json_first(json, vertices); i >= 0; i = tact_json_after(json, i))
        vertex[count++] = read_vec3(json, i, tact_vec3_make(0, 0, 0));
    if (count < 4) tact_json_refuse(json, vertices, "a hull needs 4 vertices");
    shape->face = from->face;
    shape->corner = from->corner;
    for (int f = tact_json_first(json, faces); f >= 0; f = tact_json_after(json, f)) {
        // A face: its corners' numbers, resolved to coordinates.
        int corners = tact_json_length(json, f);
        if (corners < 3 || corners > TACT_HULL_VERTICES) {
            if (corners >= 0) tact_json_refuse(json, f, "a face has 3 to %d corners", TACT_HULL_VERTICES);
            return;
        }
        *from->face++ = corners;
        shape->nface++;
        for (int i = tact_json_first(json, f); i >= 0; i = tact_json_after(json, i)) {
            int k = 0;
            if (tact_json_get_integer(json, i, 0, count - 1, &k)) *from->corner = vertex[k];
            from->corner++;
        }
    }
}

// Reads a shape of the header.
static void read_shape(reading *from, int node, tact_picture_shape *shape) {
    const tact_json *json = from->json;
    int type = tact_json_get_choice(json, tact_json_need(json, node, "type"), figures);
    int size = tact_json_need(json, node, "size"), count = tact_json_length(json, size),
        points = tact_json_find(json, node, "points");
    *shape = (tact_picture_shape){.figure = type < 0 || type == 10 ? TACT_FIGURE_NONE
                                            : type == 11           ? TACT_FIGURE_BALL
                                            : type >= 12           ? TACT_FIGURE_HULL
                                                                   : (tact_figure)type};
    shape->body = find_body(from, tact_json_need(json, node, "body"), from->picture->model.nbody);
    shape->place = read_pose(json, node);
    if (count > 4) tact_json_refuse(json, size, "more than 4 sizes");
    if (count >= 0 && count <= 4) tact_json_get_vector(json, size, count, tact_range_any(), shape->size);
    if (points >= 0 && tact_json_length(json, points) >= 0) {
        shape->point = from->point;
        for (int i = tact_json_first(json, points); i >= 0; i = tact_json_after(json, i)) {
            tact_real xy[2] = {0, 0};
            tact_json_get_vector(json, i, 2, tact_range_any(), xy);
            *from->point++ = (tact_picture_point){xy[0], xy[1]};
            shape->npoint++;
        }
    }
    if (tact_json_find(json, node, "slot_of") >= 0) shape->figure = TACT_FIGURE_NONE;  // its shape is drawn
    if (shape->figure == TACT_FIGURE_HULL) read_hull(from, node, shape);
    if (type == 13) shape->size[0] = 0;  // it is in the surface
    if (shape->figure == TACT_FIGURE_POLYGON && shape->npoint < 3) tact_json_refuse(json, node, "a polygon without points");
}

static int count_points(const tact_json *json) {
    int count = 0, shapes = tact_json_find(json, 0, "shapes");
    for (int i = tact_json_first(json, shapes); i >= 0; i = tact_json_after(json, i)) {
        int points = tact_json_find(json, i, "points");
        if (points >= 0 && tact_json_type(json, points) == TACT_JSON_ARRAY) count += tact_json_length(json, points);
    }
    return count;
}

// Memory of the picture; an arena without memory measures.
static void place(reading *from, tact_arena *arena) {
    tact_picture *picture = from->picture;
    size_t nbody = (size_t)picture->model.nbody, nv = (size_t)picture->model.nv, nshape = (size_t)picture->nshape;
    from->body = tact_arena_take(arena, nbody, sizeof(tact_body));
    from->dof = tact_arena_take(arena, nv, sizeof(tact_dof));
    from->q0 = tact_arena_take(arena, (size_t)picture->model.nq, sizeof(tact_real));
    from->v0 = tact_arena_take(arena, nv, sizeof(tact_real));
    from->names = tact_arena_take(arena, nbody, sizeof(char *));
    from->point = tact_arena_take(arena, (size_t)from->npoint, sizeof(tact_picture_point));
    from->vertex = tact_arena_take(arena, (size_t)from->nvertex, sizeof(tact_vec3));
    from->face = tact_arena_take(arena, (size_t)from->nface, sizeof(int));
    from->corner = tact_arena_take(arena, (size_t)from->ncorner, sizeof(tact_vec3));
    picture->shape = tact_arena_take(arena, nshape + nbody, sizeof(tact_picture_shape));
    // each body ends at most one limb, each shape another, or else is a bare link; each body may get a hull
    picture->limb = tact_arena_take(arena, 2 * nbody + nshape, sizeof(tact_limb));
    picture->robot = tact_arena_take(arena, nbody, sizeof(bool));
    picture->solid = tact_arena_take(arena, nbody, sizeof(bool));
    picture->mass = tact_arena_take(arena, nv * nv, sizeof(tact_real));
}

// What the model derives: measures without memory.
static bool place_derived(tact_picture *picture, tact_arena *arena) {
    bool good = tact_model_prepare(&picture->model, arena) == TACT_CONVERGED;
    tact_kinematics_place(&picture->kinematics, &picture->model, arena);
    tact_dynamics_place(&picture->dynamics, &picture->model, arena);
    return good;
}

static bool refuse_memory(const tact_json *json) {
    tact_errors_add(json->errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = json->source.name}, "out of memory");
    return false;
}

static bool give_memory(reading *from, size_t size) {
    tact_picture *picture = from->picture;
    tact_arena arena = {.memory = tact_memory_get(size), .size = size};
    if (!arena.memory) return refuse_memory(from->json);
    memset(arena.memory, 0, size);
    picture->memory = arena.memory;
    place(from, &arena);
    for (int v = 0; v < picture->model.nv; v++) from->dof[v].body = -1;
    picture->model.body = from->body;
    picture->model.dof = from->dof;
    picture->model.q0 = from->q0;
    picture->model.v0 = from->v0;
    return true;
}

// Reads bodies, joints, shapes, gravity and margin from the header.
static void read_all(reading *from) {
    const tact_json *json = from->json;
    int k = 0, bodies = tact_json_find(json, 0, "bodies"), joints = tact_json_need(json, 0, "joints"),
        shapes = tact_json_find(json, 0, "shapes"), options = tact_json_find(json, 0, "options");
    for (int i = tact_json_first(json, bodies); i >= 0; i = tact_json_after(json, i)) {
        // Bodies by name, then their joints and shapes.
        const char *name = tact_json_get_string(json, i, TACT_TEXT_LIMIT);
        from->names[k++] = name ? name : "";
    }
    k = 0;
    for (int i = tact_json_first(json, joints); i >= 0; i = tact_json_after(json, i)) {
        int b = k++;
        tact_body *body = &from->body[b];
        const tact_model *model = &from->picture->model;
        int type = tact_json_get_choice(json, tact_json_need(json, i, "type"), joint_types), dummy = 0;
        *body = (tact_body){.joint = type < 0 ? TACT_JOINT_FIXED : (tact_joint_type)type, .ratio = 1};
        body->parent = find_body(from, tact_json_need(json, i, "parent"), b);
        body->place = read_pose(json, i);
        body->axis = read_vec3(json, tact_json_find(json, i, "axis"), tact_vec3_make(0, 0, 1));
        tact_json_get_number(json, tact_json_find(json, i, "ratio"), tact_range_any(), &body->ratio);
        tact_json_get_number(json, tact_json_find(json, i, "offset"), tact_range_any(), &body->offset);
        tact_json_get_number(json, tact_json_find(json, i, "mass"), tact_range_from(0), &body->mass);
        body->com = read_vec3(json, tact_json_find(json, i, "com"), tact_vec3_make(0, 0, 0));
        tact_json_get_vector(json, tact_json_find(json, i, "inertia"), 6, tact_range_any(), body->inertia);
        // a joint that moves has places in q and v, and values of its dofs
        int n = tact_joint_dofs(body->joint), nq = tact_joint_coordinates(body->joint);
        if (n == 0) continue;
        bool good = tact_json_get_integer(json, tact_json_need(json, i, "v"), 0, model->nv - n, &dummy);
        body->v = dummy;
        good = tact_json_get_integer(json, tact_json_need(json, i, "q"), 0, model->nq - nq, &dummy) && good;
        body->q = dummy;
        // its dofs, unless a follower would take those of its leader
        if (good) {
            for (int j = 0; j < n; j++) {
                tact_dof *dof = &from->dof[body->v + j];
                // a joint that mimics comes with a dof that is there; the leader may stand behind it
                if (dof->body >= 0 && (n > 1 || body->ratio != 1 || body->offset != 0)) continue;
                if (dof->body >= 0 && from->body[dof->body].ratio == 1 && from->body[dof->body].offset == 0) continue;
                bool free = body->joint == TACT_JOINT_FREE;
                *dof = (tact_dof){.body = b,
                                  .q = !free   ? body->q + j
                                       : j < 3 ? -1
                                               : body->q + j - 3,
                                  .u = -1,
                                  .lower = -TACT_MAX,
                                  .upper = TACT_MAX};
            }
            if (body->joint == TACT_JOINT_FREE) from->q0[body->q + 3] = 1;
        }
    }
    k = 0;
    for (int i = tact_json_first(json, shapes); i >= 0; i = tact_json_after(json, i))
        read_shape(from, i, &from->picture->shape[k++]);
    if (options < 0 || !tact_json_expect(json, options, TACT_JSON_OBJECT)) return;
    from->picture->gravity = read_vec3(json, tact_json_find(json, options, "gravity"), tact_vec3_make(0, 0, 0));
    tact_json_get_number(json, tact_json_find(json, options, "margin"), tact_range_from(0), &from->picture->margin);
}

static void add_limb(tact_picture *picture, int body, tact_vec3 end) {
    if (tact_vec3_dot(end, end) < TACT_REAL(1e-12)) return;
    picture->limb[picture->nlimb++] = (tact_limb){.body = body, .b = end};
}

// A body on a hinge that bears neither a shape nor another body, as the link that closes a loop: a rod about its centre of mass.
static bool is_bare_link(const tact_picture *picture, int body) {
    const tact_model *model = &picture->model;
    tact_joint_type joint = model->body[body].joint;
    if (joint != TACT_JOINT_REVOLUTE && joint != TACT_JOINT_CONTINUOUS) return false;
    for (int s = 0; s < picture->nshape; s++)
        if (picture->shape[s].body == body) return false;
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].parent == body && picture->solid[b]) return false;
    return true;
}

// Balls that lie in a capsule of their body, which touch in its place, are not drawn over it.
static void hide_inner(tact_picture *picture) {
    for (int s = 0; s < picture->nshape; s++) {
        const tact_picture_shape *whole = &picture->shape[s];
        if (whole->figure != TACT_FIGURE_CAPSULE) continue;
        for (int k = 0; k < picture->nshape; k++) {
            tact_picture_shape *ball = &picture->shape[k];
            if (ball->figure != TACT_FIGURE_BALL || ball->body != whole->body) continue;
            tact_vec3 at = tact_mat3_apply_transposed(whole->place.R, tact_vec3_sub(ball->place.p, whole->place.p));
            tact_real beyond = tact_max(tact_fabs(at.z) - whole->size[1], 0);
            tact_real off = tact_sqrt(at.x * at.x + at.y * at.y + beyond * beyond);
            if (off + ball->size[0] <= TACT_REAL(1.001) * whole->size[0]) ball->figure = TACT_FIGURE_NONE;
        }
    }
}

// Two rounds over the joints: the first finds the normal, the second checks that all stay across it.
static void find_plane(tact_picture *picture) {
    const tact_model *model = &picture->model;
    tact_pose *pose = picture->kinematics.pose;
    bool found = false, good = true;
    for (int round = 0; round < 2; round++) {
        for (int b = 0; b < model->nbody; b++) {
            const tact_body *body = &model->body[b];
            pose[b] = tact_picture_pose(picture, body->parent, body->place);
            // The axis about which the joint turns in the plane. Free and translational joints leave every plane.
            bool planar = body->joint == TACT_JOINT_PLANAR;
            bool turns = planar || body->joint == TACT_JOINT_REVOLUTE || body->joint == TACT_JOINT_CONTINUOUS;
            tact_vec3 axis = tact_mat3_apply(pose[b].R, planar ? tact_vec3_make(0, 0, 1) : body->axis);
            good = (body->joint != TACT_JOINT_FREE && body->joint != TACT_JOINT_TRANSLATION) && good;
            if (body->joint == TACT_JOINT_FIXED) continue;
            // The first axis is the normal; others are along it, slides across it.
            if (!found && turns) picture->normal = axis;
            found = found || turns;
            tact_real along = tact_fabs(tact_vec3_dot(axis, picture->normal));
            if (found && round == 1) good = good && (turns ? along > TACT_REAL(0.9999) : along < TACT_REAL(0.001));
        }
    }
    picture->planar = found && good;
}

// Bodies that move, weigh, have a shape, or carry such bodies.
static void find_solid(tact_picture *picture) {
    for (int s = 0; s < picture->nshape; s++)
        if (picture->shape[s].body >= 0) picture->solid[picture->shape[s].body] = true;
    for (int b = picture->model.nbody - 1; b >= 0; b--) {
        const tact_body *body = &picture->model.body[b];
        picture->solid[b] = picture->solid[b] || body->joint != TACT_JOINT_FIXED || body->mass > 0;
        if (picture->solid[b] && body->parent >= 0) picture->solid[body->parent] = true;
    }
}

static bool prepare(reading *from) {
    tact_picture *picture = from->picture;
    tact_arena measure = {0};
    tact_fault fault = tact_model_check(&picture->model);
    if (fault.field) {
        tact_json_refuse(from->json, 0, "the bodies do not fit together (%s of number %d)", fault.field, fault.index);
        return false;
    }
    // Derived quantities in one block: measured, then placed.
    place_derived(picture, &measure);
    tact_arena arena = {.memory = tact_memory_get(measure.used), .size = measure.used};
    picture->derived = arena.memory;
    if (!arena.memory || !place_derived(picture, &arena)) return refuse_memory(from->json);
    hide_inner(picture);
    const tact_model *model = &picture->model;
    tact_real thinnest = TACT_MAX, length = 0;
    find_solid(picture);
    for (int b = 0; b < model->nbody; b++) {
        const int parent = model->body[b].parent;
        // a frame is drawn nowhere, and makes no robot of what carries it
        if (!picture->solid[b]) picture->robot[b] = true;
        if (parent < 0 || !picture->solid[b]) continue;
        picture->robot[b] = picture->robot[parent] = true;
        add_limb(picture, parent, model->body[b].place.p);
    }
    for (int s = 0; s < picture->nshape; s++) {
        // From a link's joint to the next joint, and to the balls that it carries.
        const tact_picture_shape *shape = &picture->shape[s];
        if (shape->figure != TACT_FIGURE_BALL || shape->body < 0 || !picture->robot[shape->body]) continue;
        add_limb(picture, shape->body, shape->place.p);
        if (shape->size[0] > 0) thinnest = tact_min(thinnest, shape->size[0]);
    }
    for (int b = 0; b < model->nbody; b++)
        if (is_bare_link(picture, b)) {
            picture->robot[b] = true;
            add_limb(picture, b, tact_vec3_scale(2, model->body[b].com));
        }
    for (int i = 0; i < picture->nlimb; i++)
        length += tact_sqrt(tact_vec3_dot(picture->limb[i].b, picture->limb[i].b)) / (tact_real)picture->nlimb;
    for (int i = 0; i < picture->nlimb; i++)
        picture->limb[i].radius = tact_min(TACT_REAL(0.25) * length, TACT_REAL(0.85) * thinnest);
    // An object that touches only with points, as a box on its eight corners, is drawn as the box about them.
    int given = picture->nshape;
    for (int b = 0; b < picture->model.nbody; b++) {
        tact_real low[3] = {TACT_MAX, TACT_MAX, TACT_MAX}, high[3] = {-TACT_MAX, -TACT_MAX, -TACT_MAX};
        int points = 0, others = 0;
        for (int s = 0; s < given; s++) {
            const tact_picture_shape *shape = &picture->shape[s];
            const tact_real at[3] = {shape->place.p.x, shape->place.p.y, shape->place.p.z};
            if (shape->body != b) continue;
            // Points of radius zero, and nothing else.
            bool point = shape->figure == TACT_FIGURE_BALL && shape->size[0] == 0;
            points += point;
            others += !point;
            for (int k = 0; point && k < 3; k++) {
                low[k] = tact_min(low[k], at[k]);
                high[k] = tact_max(high[k], at[k]);
            }
        }
        if (points < 4 || others > 0) continue;
        tact_picture_shape *hull = &picture->shape[picture->nshape++];
        *hull = (tact_picture_shape){.body = b, .figure = TACT_FIGURE_BOX, .place = tact_pose_identity()};
        hull->place.p = tact_vec3_make((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, (low[2] + high[2]) / 2);
        for (int k = 0; k < 3; k++) hull->size[k] = (high[k] - low[k]) / 2;
    }
    find_plane(picture);
    return true;
}

bool tact_picture_read(tact_picture *picture, const tact_json *json) {
    TACT_ASSERT(picture && json);
    static const char *const counted[] = {"joints", "shapes", "dofs", "coordinates", "bodies"};
    const tact_errors *errors = json->errors;
    int before = errors->errors, count[5];
    reading from = {.picture = picture, .json = json, .npoint = count_points(json)};
    *picture = (tact_picture){0};
    for (int i = 0; i < 5; i++) count[i] = tact_json_length(json, tact_json_need(json, 0, counted[i]));
    if (errors->errors == before && count[0] != count[4]) tact_json_refuse(json, 0, "as many joints as bodies are needed");
    if (errors->errors > before) return false;
    // Faces and corners of all hulls.
    int shapes = tact_json_find(json, 0, "shapes");
    for (int i = tact_json_first(json, shapes); i >= 0; i = tact_json_after(json, i)) {
        int faces = tact_json_find(json, i, "faces"), vertices = tact_json_find(json, i, "vertices");
        int length = vertices >= 0 && tact_json_type(json, vertices) == TACT_JSON_ARRAY ? tact_json_length(json, vertices) : 0;
        if (length > from.nvertex) from.nvertex = length;
        if (faces < 0 || tact_json_type(json, faces) != TACT_JSON_ARRAY) continue;
        for (int f = tact_json_first(json, faces); f >= 0; f = tact_json_after(json, f)) {
            from.nface++;
            if (tact_json_type(json, f) == TACT_JSON_ARRAY) from.ncorner += tact_json_length(json, f);
        }
    }
    picture->model = (tact_model){.nbody = count[0], .nv = count[2], .nq = count[3]};
    picture->nshape = count[1];
    const char *name = tact_json_get_string(json, tact_json_find(json, 0, "scene"), TACT_TEXT_LIMIT);
    picture->name = name ? name : "";
    // Room for everything at once, then read, then checked as a model.
    tact_arena measure = {0};
    place(&from, &measure);
    bool good = give_memory(&from, measure.used + TACT_ALIGN);
    if (good) read_all(&from);
    good = good && errors->errors == before && prepare(&from);
    if (!good) tact_picture_free(picture);
    return good;
}

void tact_picture_free(tact_picture *picture) {
    tact_memory_release(picture->derived);
    tact_memory_release(picture->memory);
    picture->memory = picture->derived = NULL;
}

void tact_picture_move(tact_picture *picture, const tact_real *q) {
    tact_kinematics_update(&picture->kinematics, &picture->model, q);
}

void tact_picture_energy(tact_picture *picture, const tact_real *v, double *kinetic, double *potential) {
    const tact_model *model = &picture->model;
    tact_real twice = 0, height = 0;
    tact_mass_matrix(model, &picture->kinematics, &picture->dynamics, picture->mass);
    for (int i = 0; i < model->nv; i++)
        for (int j = 0; j < model->nv; j++) twice += v[i] * picture->mass[i * model->nv + j] * v[j];
    for (int b = 0; b < model->nbody; b++) {
        tact_vec3 com = tact_pose_apply(picture->kinematics.pose[b], model->body[b].com);
        height -= model->body[b].mass * tact_vec3_dot(picture->gravity, com);
    }
    *kinetic = (double)(twice / 2);
    *potential = (double)height;
}

tact_pose tact_picture_pose(const tact_picture *picture, int body, tact_pose place) {
    return body < 0 ? place : tact_pose_multiply(picture->kinematics.pose[body], place);
}
