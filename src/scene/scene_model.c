// SPDX-License-Identifier: MIT
// The model of a scene that was found to be good, with all that comes with it, in two pieces of memory: what the scene says,
// measured and placed by the same function, and what tact_model_prepare derives from it.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "math/elementary.h"
#include "scene/build.h"
#include "tact/memory.h"

// the scene as it lies in memory; the first member is what callers see
typedef struct {
    tact_scene scene;
    tact_names names;
    tact_search search;
    void *derived;
} scene_block;

typedef struct {
    scene_block *block;
    tact_body *body;
    tact_dof *dof;
    tact_shape *shape;
    tact_vec2 *point;
    int *member;
    tact_hull *hull;
    tact_vec3 *vertex;
    tact_hull_face *face;
    int *corner;
    tact_hull_edge *edge;
    tact_grid *grid;
    tact_real *value;
    int16_t *fine;
    tact_pair *pair;
    tact_shape_parts *parts;
    int *group, *carrier;
    unsigned *kind, *meets;
    tact_real *friction;
    int *priority;
    uint64_t *apart;
    tact_loop *loop;
    tact_spring *spring;
    tact_real *q0, *v0, *fixed, *times, *u;
    tact_force *force;
    tact_real *force_time;
    tact_wrench *force_wrench;
    const char **body_name, **joint_name, **shape_name;
    int *slot_of;
    tact_residual *residual;
    int *tip;
    char *text;
} scene_lists;

static size_t name_size(const char *name) {
    return strlen(name) + 1;
}

static size_t measure_text(const tact_scene_build *build) {
    size_t size = name_size(build->name);
    for (int i = 0; i < build->draft.nbody; i++)
        size += name_size(build->draft.bodies[i].name) + name_size(build->draft.bodies[i].joint);
    for (int i = 0; i < build->draft.nshape; i++) size += name_size(build->draft.shapes[i].name);
    return size;
}

static size_t grid_size(const tact_grid *grid) {
    return (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
}

static void place(scene_lists *lists, const tact_scene_build *build, tact_arena *arena) {
    size_t nbody = (size_t)build->draft.nbody, nshape = (size_t)build->draft.nshape, nv = (size_t)build->nv;
    size_t nu = (size_t)build->nu, ntime = (size_t)build->command.ntime, nwrench = 0;
    size_t npoint = 0, nmember = 0;
    for (int i = 0; i < build->nforce; i++) nwrench += (size_t)build->forces[i].ntime;
    // polygons have points, unions have members; both are one list of the model
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_draft_shape *shape = &build->draft.shapes[i];
        *(shape->point ? &npoint : &nmember) += (size_t)shape->count;
    }
    lists->block = tact_arena_take(arena, 1, sizeof(scene_block));
    lists->body = tact_arena_take(arena, nbody, sizeof(tact_body));
    lists->dof = tact_arena_take(arena, nv, sizeof(tact_dof));
    lists->shape = tact_arena_take(arena, nshape, sizeof(tact_shape));
    lists->point = tact_arena_take(arena, npoint, sizeof(tact_vec2));
    lists->member = tact_arena_take(arena, nmember, sizeof(int));
    // the hulls and their parts, one shape's behind the other's
    size_t nhull = 0, nvertex = 0, nface = 0, nedge = 0;
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_hull *hull = build->draft.shapes[i].hull;
        if (!hull) continue;
        nhull++;
        nvertex += (size_t)hull->nvertex;
        nface += (size_t)hull->nface;
        nedge += (size_t)hull->nedge;
    }
    lists->hull = tact_arena_take(arena, nhull, sizeof(tact_hull));
    lists->vertex = tact_arena_take(arena, nvertex, sizeof(tact_vec3));
    lists->face = tact_arena_take(arena, nface, sizeof(tact_hull_face));
    lists->corner = tact_arena_take(arena, 2 * nedge, sizeof(int));
    lists->edge = tact_arena_take(arena, nedge, sizeof(tact_hull_edge));
    // grids and their values
    size_t ngrid = 0, nvalue = 0, nfine = 0;
    for (int i = 0; i < build->draft.nshape; i++) {
        const tact_grid *grid = build->draft.shapes[i].grid;
        if (!grid) continue;
        ngrid++;
        *(grid->value ? &nvalue : &nfine) += grid_size(grid);
    }
    lists->grid = tact_arena_take(arena, ngrid, sizeof(tact_grid));
    lists->value = tact_arena_take(arena, nvalue, sizeof(tact_real));
    lists->fine = tact_arena_take(arena, nfine, sizeof(int16_t));
    lists->pair = tact_arena_take(arena, (size_t)build->npair, sizeof(tact_pair));
    size_t nfound = build->search.finder ? (size_t)build->search.nwhole : 0, nparts = build->search.parts ? nfound : 0;
    lists->parts = tact_arena_take(arena, nparts, sizeof(tact_shape_parts));
    TACT_INDICES(arena, nfound, &lists->group, &lists->carrier);
    lists->kind = tact_arena_take(arena, nfound, sizeof(unsigned));
    lists->meets = tact_arena_take(arena, nfound, sizeof(unsigned));
    lists->friction = tact_arena_take(arena, build->search.friction ? nfound : 0, sizeof(tact_real));
    lists->priority = tact_arena_take(arena, build->search.friction ? nfound : 0, sizeof(int));
    lists->apart = tact_arena_take(arena, (size_t)build->search.napart, sizeof(uint64_t));
    lists->loop = tact_arena_take(arena, (size_t)build->nloop, sizeof(tact_loop));
    lists->spring = tact_arena_take(arena, (size_t)build->nspring, sizeof(tact_spring));
    lists->q0 = tact_arena_take(arena, (size_t)build->nq, sizeof(tact_real));
    lists->v0 = tact_arena_take(arena, nv, sizeof(tact_real));
    lists->fixed = tact_arena_take(arena, nu, sizeof(tact_real));
    lists->times = tact_arena_take(arena, ntime, sizeof(tact_real));
    lists->u = tact_arena_take(arena, ntime * nu, sizeof(tact_real));
    lists->force = tact_arena_take(arena, (size_t)build->nforce, sizeof(tact_force));
    lists->force_time = tact_arena_take(arena, nwrench, sizeof(tact_real));
    lists->force_wrench = tact_arena_take(arena, nwrench, sizeof(tact_wrench));
    lists->body_name = tact_arena_take(arena, nbody, sizeof(char *));
    lists->joint_name = tact_arena_take(arena, nbody, sizeof(char *));
    lists->shape_name = tact_arena_take(arena, nshape, sizeof(char *));
    lists->slot_of = tact_arena_take(arena, nshape, sizeof(int));
    lists->residual = tact_arena_take(arena, (size_t)tact_scene_count_residuals(build), sizeof(tact_residual));
    lists->tip = tact_arena_take(arena, nbody, sizeof(int));
    lists->text = tact_arena_take(arena, measure_text(build), 1);
}

static const char *add_text(scene_lists *lists, const char *name) {
    char *copy = lists->text;
    memcpy(copy, name, name_size(name));
    lists->text += name_size(name);
    return copy;
}

// a frame in a body, or in the base of the robot that it belongs to when it has none
static tact_pose find_place(const tact_scene_build *build, const tact_draft_frame *frame, const char *body, int robot) {
    tact_pose pose = tact_scene_pose(frame);
    return body || robot < 0 ? pose : tact_pose_multiply(build->bases[robot], pose);
}

// Fills in the model's body for body i of the draft, at the index that puts parents first.
static void fill_body(const tact_scene_build *build, scene_lists *lists, int i) {
    const tact_draft_body *from = &build->draft.bodies[i];
    const tact_scene_link *link = &build->links[i];
    tact_body *body = &lists->body[link->index];
    // bodies in the order in which parents come first
    *body = (tact_body){.parent = link->parent == TACT_WORLD ? TACT_WORLD : build->links[link->parent].index,
                        .joint = from->type,
                        .place = find_place(build, &from->frame, from->parent, from->robot),
                        .axis = from->axis,
                        .q = link->q,
                        .v = link->v,
                        .ratio = link->ratio,
                        .offset = link->offset,
                        .mass = from->mass,
                        .com = from->com,
                        .armature = from->armature};
    for (int k = 0; k < 6; k++) body->inertia[k] = from->inertia[k];
    lists->body_name[link->index] = add_text(lists, from->name);
    lists->joint_name[link->index] = add_text(lists, from->joint);
}

static void fill_dofs(const tact_scene_build *build, scene_lists *lists, int i) {
    const tact_scene_link *link = &build->links[i];
    bool free = build->draft.bodies[i].type == TACT_JOINT_FREE;
    for (int k = 0; link->leader == i && k < link->dofs; k++) {
        bool turn = free && k < 3;
        lists->dof[link->v + k] = (tact_dof){.body = link->index,
                                             .q = turn ? -1 : link->q + (free ? k - 3 : k),
                                             .u = build->dof_u[link->v + k],
                                             .force = link->force,
                                             .stiffness = link->stiffness,
                                             .damping = link->damping,
                                             .lower = link->dofs == 1 ? link->lower : -TACT_MAX,
                                             .upper = link->dofs == 1 ? link->upper : TACT_MAX};
    }
}

static void fill_hull(const tact_hull *from, scene_lists *lists, tact_shape *shape) {
    if (!from) return;
    tact_hull *hull = lists->hull++;
    *hull = *from;
    hull->vertex = lists->vertex;
    hull->face = lists->face;
    hull->corner = lists->corner;
    hull->edge = lists->edge;
    for (int i = 0; i < from->nvertex; i++) *lists->vertex++ = from->vertex[i];
    for (int i = 0; i < from->nface; i++) *lists->face++ = from->face[i];
    for (int i = 0; i < 2 * from->nedge; i++) *lists->corner++ = from->corner[i];
    for (int i = 0; i < from->nedge; i++) *lists->edge++ = from->edge[i];
    shape->hull = hull;
}

static void fill_grid(const tact_grid *from, scene_lists *lists, tact_shape *shape) {
    if (!from) return;
    tact_grid *grid = lists->grid++;
    size_t size = grid_size(from);
    *grid = *from;
    if (from->value) {
        grid->value = memcpy(lists->value, from->value, size * sizeof *from->value);
        lists->value += size;
    } else {
        grid->fine = memcpy(lists->fine, from->fine, size * sizeof *from->fine);
        lists->fine += size;
    }
    shape->grid = grid;
}

// the surface in the shape's frame: of a plane z, of a half-plane y along the normal
tact_pose tact_scene_surface(const tact_draft_shape *from) {
    tact_pose surface = {.p = tact_vec3_scale(from->offset, from->normal)};
    tact_vec3 n = from->normal;
    tact_mat3 turned = {{{n.y, n.x, 0}, {-n.x, n.y, 0}, {0, 0, 1}}}, F = tact_frame_from_normal(n);
    surface.R = turned;
    for (int k = 0; k < 3 && from->type == TACT_SHAPE_PLANE; k++) {
        // rows normal, tangent, tangent become the columns z, x, y
        surface.R.m[k][0] = F.m[1][k];
        surface.R.m[k][1] = F.m[2][k];
        surface.R.m[k][2] = F.m[0][k];
    }
    return surface;
}

static void fill_shape(const tact_scene_build *build, scene_lists *lists, int i) {
    const tact_draft_shape *from = &build->draft.shapes[i];
    int body = build->shape_body[i];
    tact_shape *shape = &lists->shape[i];
    *shape = (tact_shape){0};
    shape->body = body == TACT_WORLD ? TACT_WORLD : build->links[body].index;
    shape->type = from->type;
    shape->place = find_place(build, &from->frame, from->body, from->robot);
    for (int k = 0; k < 4; k++) shape->size[k] = from->size[k];
    if (from->type == TACT_SHAPE_PLANE || from->type == TACT_SHAPE_HALFPLANE)
        shape->place = tact_pose_multiply(shape->place, tact_scene_surface(from));
    // points and members, one shape's behind the other's
    shape->count = from->count;
    shape->point = from->point ? lists->point : NULL;
    shape->member = from->member ? lists->member : NULL;
    for (int k = 0; k < from->count; k++) {
        if (from->point) *lists->point++ = from->point[k];
        if (from->member) *lists->member++ = from->member[k];
    }
    fill_hull(from->hull, lists, shape);
    fill_grid(from->grid, lists, shape);
    lists->shape_name[i] = add_text(lists, from->name);
    lists->slot_of[i] = build->slot_of ? build->slot_of[i] : -1;
}

static void copy_numbers(tact_real *to, const tact_real *from, size_t count) {
    if (count > 0) memcpy(to, from, count * sizeof to[0]);
}

static void fill_forces(const tact_scene_build *build, scene_lists *lists) {
    tact_real *time = lists->force_time;
    tact_wrench *wrench = lists->force_wrench;
    for (int i = 0; i < build->nforce; i++) {
        const tact_force *from = &build->forces[i];
        size_t count = (size_t)from->ntime;
        lists->force[i] =
            (tact_force){.body = build->links[from->body].index, .ntime = from->ntime, .times = time, .wrench = wrench};
        copy_numbers(time, from->times, count);
        memcpy(wrench, from->wrench, count * sizeof wrench[0]);
        time += count;
        wrench += count;
    }
}

static void fill_ties(const tact_scene_build *build, scene_lists *lists) {
    for (int i = 0; i < build->nloop; i++) {
        lists->loop[i] = build->loops[i];
        for (int end = 0; end < 2; end++) {
            int *body = &lists->loop[i].body[end];
            if (*body != TACT_WORLD) *body = build->links[*body].index;
        }
    }
    for (int i = 0; i < build->nspring; i++) lists->spring[i] = build->springs[i];
}

// What pairs are found by; NULL when they are listed.
static const tact_search *fill_search(const tact_scene_build *build, const scene_lists *lists, tact_search *search) {
    *search = build->search;
    if (!search->finder) return NULL;
    for (int i = 0; i < search->nwhole; i++) {
        if (search->parts) lists->parts[i] = search->parts[i];
        lists->group[i] = search->group[i];
        lists->carrier[i] = search->carrier[i];
        lists->kind[i] = search->kind[i];
        lists->meets[i] = search->meets[i];
        if (search->friction) lists->friction[i] = search->friction[i], lists->priority[i] = search->priority[i];
    }
    for (int i = 0; i < search->napart; i++) lists->apart[i] = search->apart[i];
    if (search->parts) search->parts = lists->parts;
    search->group = lists->group;
    search->carrier = lists->carrier;
    search->kind = lists->kind;
    search->meets = lists->meets;
    if (search->friction) search->friction = lists->friction, search->priority = lists->priority;
    search->apart = lists->apart;
    return search;
}

// Fills in the scene's block from the draft: model, names, options, command, goal and forces.
static tact_scene *fill(const tact_scene_build *build, scene_lists *lists, void *memory) {
    scene_block *block = lists->block;
    for (int i = 0; i < build->draft.nbody; i++) {
        fill_body(build, lists, i);
        fill_dofs(build, lists, i);
    }
    for (int i = 0; i < build->draft.nshape; i++) fill_shape(build, lists, i);
    // variants compare whole words: what lies between the members of a pair is zero
    if (build->npair > 0) memset(lists->pair, 0, (size_t)build->npair * sizeof *lists->pair);
    for (int i = 0; i < build->npair; i++) {
        const tact_pair *from = &build->pairs[i];
        tact_pair *to = &lists->pair[i];
        to->a = from->a;
        to->b = from->b;
        to->mu = from->mu;
        to->restitution = from->restitution;
        to->vertex = from->vertex;
    }
    fill_ties(build, lists);
    copy_numbers(lists->q0, build->q0, (size_t)build->nq);
    copy_numbers(lists->v0, build->v0, (size_t)build->nv);
    // scene, model and names lie in one block at the front of the arena
    *block = (scene_block){0};
    // command of the scene, with its times
    tact_command *command = &block->scene.command;
    size_t nu = (size_t)build->nu, ntime = (size_t)build->command.ntime;
    *command = (tact_command){
        .mode = build->command.mode, .fixed = lists->fixed, .ntime = build->command.ntime, .times = lists->times, .u = lists->u};
    copy_numbers(command->fixed, build->command.fixed, nu);
    copy_numbers(command->times, build->command.times, ntime);
    copy_numbers(command->u, build->command.u, ntime * nu);
    fill_forces(build, lists);
    block->names =
        (tact_names){add_text(lists, build->name), lists->body_name, lists->joint_name, lists->shape_name, lists->slot_of};
    block->scene.model = (tact_model){.nbody = build->draft.nbody,
                                      .nshape = build->draft.nshape,
                                      .npair = build->npair,
                                      .nq = build->nq,
                                      .nv = build->nv,
                                      .nu = build->nu,
                                      .body = lists->body,
                                      .dof = lists->dof,
                                      .shape = lists->shape,
                                      .pair = lists->pair,
                                      .nloop = build->nloop,
                                      .nspring = build->nspring,
                                      .loop = lists->loop,
                                      .spring = lists->spring,
                                      .q0 = lists->q0,
                                      .v0 = lists->v0,
                                      .names = &block->names,
                                      .law = build->law,
                                      .planar = build->planar,
                                      .search = fill_search(build, lists, &block->search)};
    block->scene.options = build->options;
    block->scene.goal = build->goal;
    block->scene.mpc = build->mpc;
    // bodies were sorted: indices of the draft become the model's
    if (build->goal.body >= 0) block->scene.goal.body = build->links[build->goal.body].index;
    tact_scene_fill_residuals(build, &block->scene, lists->residual, lists->tip);
    block->scene.nforce = build->nforce;
    block->scene.force = lists->force;
    block->scene.memory = memory;
    return &block->scene;
}

typedef struct {
    char text[128];
} plane_name;

// By its axes, or by its normal.
static plane_name name_plane(const tact_plane *plane) {
    static const char *const names[] = {"y-z plane", "x-z plane", "x-y plane"};
    const tact_real z[3] = {plane->z.x, plane->z.y, plane->z.z};
    plane_name name;
    snprintf(name.text, sizeof name.text, "plane across %s, %s, %s", tact_key_print(z[0]).text, tact_key_print(z[1]).text,
             tact_key_print(z[2]).text);
    for (int k = 0; k < 3; k++)
        if (tact_fabs(z[k]) > TACT_REAL(0.999999)) snprintf(name.text, sizeof name.text, "%s", names[k]);
    return name;
}

// a law that looks at the scene in a plane needs one
static bool check_plane(const tact_scene_build *build, const tact_model *model) {
    tact_plane plane = tact_plane_find(model);
    tact_fault fault = tact_plane_check(model, &plane);
    const tact_draft *draft = &build->draft;
    const tact_vec3 g = build->options.gravity;
    const tact_real out = tact_vec3_dot(g, plane.z);
    const int node = tact_json_find(build->json, 0, "gravity");
    if (model->planar && !fault.field && node >= 0 && build->undoubted && 2 * out * out > tact_vec3_dot(g, g))
        tact_draft_doubt(draft, TACT_SCENE_NODE(build, node), NULL, "draws out of the scene's plane, the %s, where nothing moves",
                         name_plane(&plane).text);
    if (!model->planar || !fault.field) return true;
    // the fault names an index of the model: find the element of the file
    if (strcmp(fault.field, "body.joint") == 0) {
        const tact_draft_body *body = &draft->bodies[build->order[fault.index]];
        tact_draft_mark mark = tact_scene_joint_mark(body);
        tact_draft_refuse(
            draft, &mark, NULL,
            "law \"%s\": the joint moves out of the scene's plane, the %s: one of type \"planar\" stays in it; the laws barrier "
            "and rigid need no plane",
            model->law->name, name_plane(&plane).text);
    } else {
        bool type = strcmp(fault.field, "shape.type") == 0;
        const tact_draft_shape *shape = &draft->shapes[fault.index];
        if (type)
            tact_draft_refuse(draft, &shape->mark, "type", "law \"%s\": a shape of type \"%s\" has no outline in a plane",
                              model->law->name, tact_shape_type_names[shape->type]);
        else
            tact_draft_refuse(draft, &shape->mark, NULL,
                              "law \"%s\": the shape does not lie in the scene's plane, the %s: turn it%s", model->law->name,
                              name_plane(&plane).text,
                              tact_shape_is_planar(shape->type) ? "" : ", or take the law barrier or rigid, which need no plane");
    }
    return false;
}

// what the steps before should have refused with a place
static bool refuse_model(const tact_scene_build *build, const tact_model *model) {
    tact_fault fault = tact_model_check(model);
    if (fault.field) {
        tact_json_refuse(build->json, 0, "%s[%d] is not acceptable", fault.field, fault.index);
    } else {
        tact_json_refuse(build->json, 0, "too large: bodies, paths and pairs need lists longer than an int counts");
    }
    return false;
}

// whether the law can step the model
static bool accept_law(const tact_scene_build *build, const tact_model *model) {
    int body = 0;
    const char *reason = model->law && model->law->refuse ? model->law->refuse(model, &body) : NULL;
    if (!reason) return true;
    tact_draft_mark mark = tact_scene_joint_mark(&build->draft.bodies[build->order[body]]);
    tact_draft_refuse(&build->draft, &mark, NULL, "%s", reason);
    return false;
}

// Derives the model's lists (tact_model_prepare), then checks options, plane and law. False after reporting.
static bool derive_and_check(const tact_scene_build *build, tact_scene *scene) {
    scene_block *block = (scene_block *)scene;
    tact_arena arena = {0};
    if (tact_model_prepare(&scene->model, &arena) != TACT_CONVERGED) return refuse_model(build, &scene->model);
    block->derived = tact_memory_get(arena.used);
    if (!block->derived) return tact_file_refuse(build->json->source.name, ENOMEM, build->errors);
    arena = (tact_arena){.memory = block->derived, .size = arena.used};
    tact_status status = tact_model_prepare(&scene->model, &arena);
    if (status == TACT_NO_MEMORY) return tact_file_refuse(build->json->source.name, ENOMEM, build->errors);
    if (status != TACT_CONVERGED) return refuse_model(build, &scene->model);
    const char *option = tact_options_check(&scene->options);
    if (option) tact_json_refuse(build->json, 0, "options: %s is not acceptable", option);
    if (option != NULL || !check_plane(build, &scene->model)) return false;
    // what the virtual law cannot step
    const tact_model *model = &scene->model;
    static const char *const reasons[][2] = {
        {"body.joint",
         "follows a joint of another tree (\"mimic\"): give it a drive of its own, or take the law barrier or rigid"},
        {"body.mass", "has neither a drive nor the inertia that its motion needs"},
    };
    tact_fault fault = model->law->check ? model->law->check(model) : (tact_fault){NULL, 0};
    for (size_t i = 0; fault.field && i < sizeof reasons / sizeof reasons[0]; i++) {
        if (strcmp(fault.field, reasons[i][0]) != 0) continue;
        const tact_draft_body *body = &build->draft.bodies[build->order[fault.index]];
        tact_draft_refuse(&build->draft, &body->mark, NULL, "law \"virtual\": body %s %s", tact_quote(body->name).text,
                          reasons[i][1]);
    }
    if (fault.field != NULL) return false;
    return accept_law(build, &scene->model);
}

tact_scene *tact_scene_assemble(const tact_scene_build *build) {
    tact_arena arena = {0};
    scene_lists lists;
    place(&lists, build, &arena);
    void *memory = tact_memory_get(arena.used);
    if (!memory) {
        tact_file_refuse(build->json->source.name, ENOMEM, build->errors);
        return NULL;
    }
    // also what lies between members: equal scenes are then equal in memory
    memset(memory, 0, arena.used);
    arena = (tact_arena){.memory = memory, .size = arena.used};
    place(&lists, build, &arena);
    tact_scene *scene = fill(build, &lists, memory);
    if (derive_and_check(build, scene)) {
        tact_scene_suspect_loops(build, &scene->model);
        tact_scene_suspect_goal(build, scene);
        if (build->errors->errors == 0) return scene;
    }
    tact_scene_free(scene);
    return NULL;
}

void tact_scene_free(tact_scene *scene) {
    if (!scene) return;
    tact_memory_release(((scene_block *)scene)->derived);
    tact_memory_release(scene->memory);
}
