// SPDX-License-Identifier: MIT
// Narrow phase: contacts of the listed pairs, see nearest.h.

#include "contact/ball.h"
#include "contact/nearest.h"
#include "geom/frame.h"

// With at least this many pairs, distant ones are skipped by bounding balls.
enum { DETECT_MANY = 128 };

void tact_contacts_place(tact_contacts *contacts, const tact_model *model, tact_arena *arena) {
    TACT_ASSERT(contacts && model);
    size_t npair = (size_t)tact_model_pairs(model), columns = (size_t)tact_model_columns(model);
    contacts->count = 0;
    contacts->reach = NULL;
    contacts->shape = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_pose));
    contacts->sweep = tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_real));
    // builds for small models have no room for them
    bool many = TACT_MOST_UNKNOWNS >= DETECT_MANY && npair >= DETECT_MANY;
    contacts->bound = many ? tact_arena_take(arena, (size_t)model->nshape, sizeof(tact_real)) : NULL;
    contacts->slot = tact_arena_take(arena, (size_t)model->nv, sizeof(int));
    contacts->contact = tact_arena_take(arena, npair, sizeof(tact_contact));
    contacts->J = tact_arena_take(arena, 3 * columns, sizeof(tact_real));
}

tact_real tact_contact_bound(const tact_shape *shape, tact_vec3 p) {
    TACT_ASSERT(shape);
    const tact_real *size = shape->size, a = size[0], b = size[1];
    tact_real square = 0;
    // balls are tested by the distance of their centres
    if (tact_shape_is_ball(shape->type)) return a;
    switch (shape->type) {
    case TACT_SHAPE_CAPSULE: square = (a + b) * (a + b); break;
    case TACT_SHAPE_CYLINDER: square = a * a + b * b; break;
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_ELLIPSOID: square = a * a + b * b + size[2] * size[2]; break;
    case TACT_SHAPE_HULL:
        for (int i = 0; i < shape->hull->nvertex; i++)
            square = tact_max(square, tact_vec3_dot(shape->hull->vertex[i], shape->hull->vertex[i]));
        break;
    default: return TACT_MAX;
    }
    // rotations are orthonormal to 1e-5 only, and positions have rounding in proportion to their size
    tact_real round = shape->type == TACT_SHAPE_HULL ? a : 0, far = tact_fabs(p.x) + tact_fabs(p.y) + tact_fabs(p.z);
    return TACT_REAL(1.0001) * (tact_sqrt(square) + round) + 64 * TACT_EPS * far;
}

bool tact_contact_apart(tact_vec3 a, tact_vec3 b, tact_real bounds, tact_real reach) {
    // |b - a| > reach + bounds, in spite of rounding; a negative right-hand side is always exceeded
    tact_vec3 way = tact_vec3_sub(b, a);
    reach += bounds;
    return bounds < TACT_MAX && (reach < 0 || tact_vec3_dot(way, way) > (1 + 64 * TACT_EPS) * (reach * reach));
}

tact_real tact_contact_gap(const tact_model *model, const tact_kinematics *kinematics, int index) {
    TACT_ASSERT(model && kinematics && 0 <= index && index < model->npair);
    const tact_pair *pair = &model->pair[index];
    // poses of the two shapes, without the rest of the detection
    const each_scenes scene = {.model = {model}, .common = true};
    tact_pose a, b;
    nearest_locate(&scene, kinematics, pair->a, &a);
    nearest_locate(&scene, kinematics, pair->b, &b);
    if (!tact_pair_has_ball(model, pair)) {
        tact_contact contact;
        tact_pair_find_nearest(model, pair, &a, &b, &contact);
        return contact.gap;
    }
    int sphere = tact_shape_is_ball(model->shape[pair->b].type) ? pair->b : pair->a;
    return nearest_measure(&scene, pair, &a, &b).value - model->shape[sphere].size[0];
}

// Whether the ball of a pair with a grid is farther than reach from it, as can be said without a search.
static bool is_far_from_grid(const tact_model *model, const tact_pair *pair, const tact_pose *a, const tact_pose *b,
                             tact_real reach) {
    const bool of_a = model->shape[pair->a].type == TACT_SHAPE_GRID;
    const tact_shape *grid = &model->shape[of_a ? pair->a : pair->b], *ball = &model->shape[of_a ? pair->b : pair->a];
    const tact_pose *pose = of_a ? a : b;
    if (!TACT_GRIDS || grid->type != TACT_SHAPE_GRID || !tact_shape_is_ball(ball->type)) return false;
    tact_vec3 x = tact_mat3_apply_transposed(pose->R, tact_vec3_sub((of_a ? b : a)->p, pose->p));
    return tact_grid_least(grid, x) - ball->size[0] > reach;
}

static void set_columns(const tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics,
                        tact_contact *contact) {
    const int *column = model->column + model->column_start[contact->pair], width = contact->width;
    // columns of the dofs that move either body; slot maps dofs to columns
    tact_real *J = contact->J;
    for (int k = 0; k < width; k++, J += 3) {
        contacts->slot[column[k]] = k;
        J[0] = J[1] = J[2] = 0;
    }
    nearest_add_columns(model, kinematics, contact->pair, &contact->frame, &contact->point_b, true, contacts->slot, contact->J);
    nearest_add_columns(model, kinematics, contact->pair, &contact->frame, &contact->point_a, false, contacts->slot, contact->J);
}

void tact_contacts_join(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics) {
    TACT_ASSERT(contacts);
    for (int i = 0; i < contacts->count; i++) {
        tact_contact *contact = &contacts->contact[i];
        contact->point_a = contact->point_b = tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(contact->point_a, contact->point_b));
        contact->joined = true;
        set_columns(contacts, model, kinematics, contact);
    }
}

void tact_contacts_locate(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics) {
    const each_scenes scene = {.model = {model}, .common = true};
    for (int i = 0; i < model->nshape; i++) nearest_locate(&scene, kinematics, i, &contacts->shape[i]);
}

void tact_contacts_detect(tact_contacts *contacts, const tact_model *model, const tact_kinematics *kinematics, tact_real margin,
                          const tact_real *free_step) {
    TACT_ASSERT(contacts && model && kinematics);
    tact_contacts_locate(contacts, model, kinematics);
    // displacement of the shapes' origins in a free step; 0 without one
    const each_scenes scene = {.model = {model}, .common = true};
    for (int i = 0; i < model->nshape; i++)
        contacts->sweep[i] = free_step ? nearest_sweep(&scene, kinematics, i, contacts->shape[i].p, free_step) : 0;
    // shapes that move farther than the broad phase assumed must reach beyond that
    for (int i = 0; contacts->reach && i < model->nshape; i++) {
        tact_real reach = margin / 2 + contacts->sweep[i];
        if (!(reach > contacts->reach[i])) continue;
        contacts->reach[i] = TACT_REAL(1.5) * reach;
        contacts->short_of = true;
    }
    // broad and narrow phase in one: the distance of each listed pair is in closed form
    contacts->count = 0;
    const tact_real *bound = TACT_MOST_UNKNOWNS >= DETECT_MANY && model->npair >= DETECT_MANY ? contacts->bound : NULL;
    for (int i = 0; bound && i < model->nshape; i++)
        contacts->bound[i] = tact_contact_bound(&model->shape[i], contacts->shape[i].p);
    tact_real least = -TACT_MAX;
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        const tact_real reach = margin + contacts->sweep[pair->a] + contacts->sweep[pair->b];
        const tact_pose *a = &contacts->shape[pair->a], *b = &contacts->shape[pair->b];
        // skip distant pairs without computing their distance
        if (bound && tact_contact_apart(a->p, b->p, bound[pair->a] + bound[pair->b], reach)) continue;
        // contacts of two shapes follow each other: one bound is that of all
        if (bound && !tact_pair_has_ball(model, pair)) {
            if (i == 0 || pair->a != pair[-1].a || pair->b != pair[-1].b) least = tact_pair_least_gap(model, pair, a, b, bound);
            if (least > reach) continue;
        }
        if (is_far_from_grid(model, pair, a, b, reach)) continue;
        tact_contact *contact = &contacts->contact[contacts->count];
        contact->pair = i;
        // neither shape is a ball: a ball on a capsule's axis, or a box's corner
        tact_vec3 normal = tact_pair_has_ball(model, pair) ? nearest_find(&scene, pair, contacts->shape, contact)
                                                           : tact_pair_find_nearest(model, pair, a, b, contact);
        // a pair is a contact within the margin, widened by the displacement of both shapes
        if (!(contact->gap < reach)) continue;
        contact->frame = tact_frame_upon(normal);
        contact->width = model->column_start[i + 1] - model->column_start[i];
        contact->J = contacts->J + 3 * model->column_start[i];
        contact->joined = contact->flat = false;
        contact->lambda[0] = contact->lambda[1] = contact->lambda[2] = 0;
        contact->force = tact_vec3_make(0, 0, 0);
        contacts->count++;
    }
    // a second loop, so that square roots of one pair overlap with columns of another
    for (int i = 0; i < contacts->count; i++) set_columns(contacts, model, kinematics, &contacts->contact[i]);
}
