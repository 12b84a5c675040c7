// SPDX-License-Identifier: MIT
// Validity of a model. Written so that a NaN fails every comparison.
#include "tree/check.h"

#include "math/elementary.h"

enum { CHECK_DEPTH = 1024 };  // greatest number of bodies on a path

static tact_fault check_fault(const char *field, int index) {
    tact_fault fault = {field, index};
    return fault;
}

static bool check_index(int i, int lowest, int count) {
    return lowest <= i && i < count;
}

static bool check_within(tact_real x, tact_real lower, tact_real upper) {
    return lower <= x && x <= upper;
}

static bool check_size(tact_real x, double most) {
    return tact_fabs(x) <= TACT_REAL(most);
}

static bool check_vec3(tact_vec3 v, double most) {
    return check_size(v.x, most) && check_size(v.y, most) && check_size(v.z, most);
}

static bool check_one(tact_real x, tact_real tolerance) {
    return check_within(x, 1 - tolerance, 1 + tolerance);
}

static bool check_place(const tact_pose *place) {
    tact_mat3 R = place->R;
    const tact_real tolerance = TACT_REAL(1e-5);
    // columns of unit length, orthogonal, right-handed
    tact_vec3 x = tact_mat3_column(R, 0), y = tact_mat3_column(R, 1), z = tact_mat3_column(R, 2);
    bool unit = check_one(tact_vec3_dot(x, x), tolerance) && check_one(tact_vec3_dot(y, y), tolerance);
    if (!(unit && tact_fabs(tact_vec3_dot(x, y)) <= tolerance && check_one(tact_vec3_dot(tact_vec3_cross(x, y), z), tolerance) &&
          check_one(tact_vec3_dot(z, z), tolerance)))
        return false;
    return check_vec3(place->p, TACT_MOST_LENGTH);
}

// Whether an inertia is positive semi-definite to rounding: the pivots of L D L' after a small shift are positive.
static bool check_inertia(const tact_real I[6]) {
    tact_real trace = I[0] + I[1] + I[2], shift = tact_max(TACT_REAL(1e-11), 256 * TACT_EPS) * trace;
    // magnitudes, then the pivots of the shifted matrix
    for (int k = 0; k < 6; k++)
        if (!check_size(I[k], TACT_MOST_MASS) || (k < 3 && !(I[k] >= 0))) return false;
    if (!(shift > 0)) return I[0] == 0 && I[1] == 0 && I[2] == 0 && I[3] == 0 && I[4] == 0 && I[5] == 0;
    tact_real x = I[0] + shift, b = I[3] / x, c = I[4] / x;
    tact_real y = I[1] + shift - b * I[3], yz = I[5] - b * I[4];
    if (!(y > 0)) return false;
    return I[2] + shift - c * I[4] - yz / y * yz >= 0;
}

// The first count that is negative, if any.
static tact_fault check_counts(const tact_model *model) {
    // counts are not negative, and lists that are not empty exist
    if (model->nbody < 0) return check_fault("nbody", 0);
    if (model->nshape < 0) return check_fault("nshape", 0);
    if (model->npair < 0) return check_fault("npair", 0);
    if (model->nq < 0) return check_fault("nq", 0);
    if (model->nv < 0) return check_fault("nv", 0);
    if (model->nu < 0) return check_fault("nu", 0);
    TACT_ASSERT(model->body || !model->nbody);
    TACT_ASSERT(model->shape || !model->nshape);
    TACT_ASSERT(model->pair || !model->npair);
    TACT_ASSERT(model->q0 || !model->nq);
    TACT_ASSERT((model->dof && model->v0) || !model->nv);
    if (model->nloop < 0) return check_fault("nloop", 0);
    if (model->nspring < 0) return check_fault("nspring", 0);
    TACT_ASSERT(model->loop || !model->nloop);
    TACT_ASSERT(model->spring || !model->nspring);
    return check_fault(NULL, 0);
}

static bool check_parent(const tact_model *model, int b) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    int depth = 0;
    // parents have lower indices: a tree without cycles, of bounded depth
    if (!check_index(model->body[b].parent, TACT_WORLD, b)) return false;
    // parents of lower bodies were checked before
    for (int a = b; a != TACT_WORLD && depth <= CHECK_DEPTH; a = model->body[a].parent) depth++;
    return depth <= CHECK_DEPTH;
}

// The first field of body b's joint that is not acceptable, if any.
static tact_fault check_joint(const tact_model *model, int b) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    const tact_body *body = &model->body[b];
    // type and place; an axis of unit length if it is used; indices within their lists
    if (!check_index((int)body->joint, 0, TACT_JOINT_FREE + 1)) return check_fault("body.joint", b);
    if (!check_place(&body->place)) return check_fault("body.place", b);
    int nv = tact_joint_dofs(body->joint), nq = tact_joint_coordinates(body->joint);
    // an unused axis must still be finite
    if (!check_vec3(body->axis, TACT_MOST_LENGTH)) return check_fault("body.axis", b);
    if (nv == 1 && !check_one(tact_vec3_dot(body->axis, body->axis), TACT_REAL(1e-5))) return check_fault("body.axis", b);
    if (nv == 0) return check_fault(NULL, 0);
    if (!check_index(body->v, 0, model->nv) || nv > model->nv - body->v) return check_fault("body.v", b);
    if (!check_index(body->q, 0, model->nq)) return check_fault("body.q", b);
    if (!check_size(body->ratio, TACT_MOST_LENGTH)) return check_fault("body.ratio", b);
    if (!check_size(body->offset, TACT_MOST_LENGTH)) return check_fault("body.offset", b);
    // a joint that mimics another dof has one dof, and that one's coordinate
    const tact_dof *dof = &model->dof[body->v];
    if (dof->body != b) {
        if (nv != 1) return check_fault("body.v", b);
        return check_fault(dof->q == body->q ? NULL : "body.q", b);
    }
    if (nq > model->nq - body->q) return check_fault("body.q", b);
    if (body->ratio != 1) return check_fault("body.ratio", b);
    return check_fault(body->offset == 0 ? NULL : "body.offset", b);
}

static tact_fault check_body(const tact_model *model, int b) {
    TACT_ASSERT(0 <= b && b < model->nbody);
    const tact_body *body = &model->body[b];
    if (!check_parent(model, b)) return check_fault("body.parent", b);
    tact_fault fault = check_joint(model, b);
    if (fault.field) return fault;
    if (!check_within(body->mass, 0, TACT_REAL(TACT_MOST_MASS))) return check_fault("body.mass", b);
    if (!check_vec3(body->com, TACT_MOST_LENGTH)) return check_fault("body.com", b);
    if (!check_within(body->armature, 0, tact_joint_dofs(body->joint) == 1 ? TACT_REAL(TACT_MOST_MASS) : 0))
        return check_fault("body.armature", b);
    return check_fault(check_inertia(body->inertia) ? NULL : "body.inertia", b);
}

// Dofs of one joint, from v on; its coordinates must begin at q.
static tact_fault check_dof_run(const tact_model *model, int v, int q) {
    TACT_ASSERT(v >= 0 && v < model->nv);
    int b = model->dof[v].body;
    if (!check_index(b, 0, model->nbody)) return check_fault("dof.body", v);
    const tact_body *body = &model->body[b];
    int n = tact_joint_dofs(body->joint);
    if (n == 0) return check_fault("dof.body", v);
    if (body->v != v) return check_fault("body.v", b);
    if (body->q != q) return check_fault("body.q", b);
    for (int k = 0; k < n; k++) {
        const tact_dof *dof = &model->dof[v + k];
        bool free = body->joint == TACT_JOINT_FREE;
        if (dof->body != b) return check_fault("dof.body", v + k);
        if (dof->q != (!free ? q + k : k < 3 ? -1 : q + k - 3)) return check_fault("dof.q", v + k);
        // free joints have neither drives nor limits: v is world-aligned and q is not
        if (free && dof->stiffness != 0) return check_fault("dof.stiffness", v + k);
        if (free && dof->force) return check_fault("dof.force", v + k);
        if (free && dof->lower != -TACT_MAX) return check_fault("dof.lower", v + k);
        if (free && dof->upper != TACT_MAX) return check_fault("dof.upper", v + k);
    }
    return check_fault(NULL, 0);
}

// Whether a spring of the command u drives the dof, which then has no drive of its own.
static bool check_is_led(const tact_model *model, int v, int u) {
    bool led = false;
    for (int i = 0; i < model->nspring && !led; i++) led = model->spring[i].u == u && model->spring[i].dof[0] == v;
    return led && !model->dof[v].force && model->dof[v].stiffness == 0 && model->dof[v].damping == 0;
}

// The first field of the dofs that is not acceptable, if any; also that they number coordinates and commands without gaps.
static tact_fault check_dofs(const tact_model *model) {
    int q = 0, u = 0;
    // each dof by itself; commands are numbered in the order of the driven dofs
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (!check_within(dof->stiffness, 0, TACT_REAL(TACT_MOST_DRIVE))) return check_fault("dof.stiffness", v);
        if (!check_within(dof->damping, 0, TACT_REAL(TACT_MOST_DRIVE))) return check_fault("dof.damping", v);
        // -TACT_MAX and TACT_MAX: no limit
        bool lower = dof->lower == -TACT_MAX || check_size(dof->lower, TACT_MOST_LIMIT);
        // the lower limit must be below the upper one
        bool upper = dof->upper == TACT_MAX || check_size(dof->upper, TACT_MOST_LIMIT);
        tact_fault limits =
            !lower ? check_fault("dof.lower", v) : check_fault(upper && dof->lower <= dof->upper ? NULL : "dof.upper", v);
        if (limits.field) return limits;
        if (dof->force && dof->stiffness > 0) return check_fault("dof.force", v);
        bool driven = dof->force || dof->stiffness > 0 || check_is_led(model, v, u);
        if (dof->u != (driven ? u : -1)) return check_fault("dof.u", v);
        u += driven;
    }
    if (u != model->nu) return check_fault("nu", 0);
    // then joint by joint: dofs and coordinates of a joint are contiguous
    for (int v = 0; v < model->nv; v += tact_joint_dofs(model->body[model->dof[v].body].joint)) {
        tact_fault fault = check_dof_run(model, v, q);
        if (fault.field) return fault;
        q += tact_joint_coordinates(model->body[model->dof[v].body].joint);
    }
    return check_fault(q == model->nq ? NULL : "nq", 0);
}

static tact_fault check_state(const tact_model *model) {
    for (int i = 0; i < model->nq; i++)
        if (!check_size(model->q0[i], TACT_MOST_LENGTH)) return check_fault("q0", i);
    for (int i = 0; i < model->nv; i++)
        if (!check_size(model->v0[i], TACT_MOST_RATE)) return check_fault("v0", i);
    for (int b = 0; b < model->nbody; b++) {
        // a free joint's quaternion has unit length
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        const tact_real *w = &model->q0[model->body[b].q + 3];
        if (!check_one(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3], TACT_REAL(2e-3)))
            return check_fault("q0", model->body[b].q + 3);
    }
    return check_fault(NULL, 0);
}

// Positive if the corner a, b, c is a left turn.
static tact_real check_turn(tact_vec2 a, tact_vec2 b, tact_vec2 c) {
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

// Whether a polygon is convex, counter-clockwise and simple: every corner turns left, and the total rotation is one turn.
static bool check_polygon(const tact_shape *shape) {
    const tact_vec2 *point = shape->point;
    int count = shape->count, falls = 0;
    if (!check_index(count, 3, TACT_POLYGON_MAX + 1) || !point || !(shape->size[0] > 0)) return false;
    // left turns at every corner, and one change from downwards to upwards: once around
    for (int i = 0; i < count; i++) {
        tact_vec2 a = point[i], b = point[(i + 1) % count], c = point[(i + 2) % count];
        if (!tact_is_finite(a.x) || !tact_is_finite(a.y) || !(check_turn(a, b, c) > 0)) return false;
        // a closed path of left turns goes around as often as it changes from downwards to upwards
        bool down = b.y < a.y || (b.y == a.y && b.x < a.x), up = c.y > b.y || (c.y == b.y && c.x > b.x);
        falls += down && up;
    }
    if (falls != 1) return false;
    // largest corner radius until an edge has no length: edge = r (tan + tan) of half the angles at its ends
    for (int i = 0; i < shape->count; i++) {
        tact_real tangents = 0;
        tact_vec2 a = shape->point[i], b = shape->point[(i + 1) % shape->count];
        for (int end = 0; end < 2; end++) {
            tact_vec2 p = shape->point[(i + end + shape->count - 1) % shape->count], q = shape->point[(i + end) % shape->count];
            tact_vec2 r = shape->point[(i + end + 1) % shape->count];
            tact_vec2 u = {q.x - p.x, q.y - p.y}, v = {r.x - q.x, r.y - q.y};
            // tan of half the angle: |u x v| / (|u| |v| + u'v)
            tact_real lengths = tact_sqrt(u.x * u.x + u.y * u.y) * tact_sqrt(v.x * v.x + v.y * v.y);
            tangents += check_turn(p, q, r) / (lengths + u.x * v.x + u.y * v.y);
        }
        tact_real length = tact_sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
        if (!(shape->size[1] * tangents <= shape->size[0] * length * (1 + 16 * TACT_EPS))) return false;
    }
    return true;
}

static bool check_members(const tact_model *model, const tact_shape *shape) {
    if (!check_index(shape->count, 1, TACT_POLYGON_MAX + 1) || !shape->member) return false;
    // members are plain shapes of the same body
    for (int k = 0; k < shape->count; k++) {
        if (!check_index(shape->member[k], 0, model->nshape)) return false;
        const tact_shape *member = &model->shape[shape->member[k]];
        if (member->body != shape->body || tact_shape_is_union(member->type)) return false;
    }
    return shape->type == TACT_SHAPE_UNION || shape->size[0] > 0;
}

// Whether a hull is valid: indices within lists, unit normals, vertices behind all planes, corners of a face on its plane.
static bool check_hull(const tact_hull *hull) {
    const tact_real slack = TACT_REAL(4e-5);  // for nearly coplanar corners, as far as hulls have them in one face
    tact_real size = 0;
    int corners = 0;
    if (!hull || !hull->vertex || !hull->face || !hull->corner || !hull->edge) return false;
    // Euler's formula relates vertices, faces and edges
    if (!check_index(hull->nvertex, 4, TACT_HULL_VERTICES + 1) || !check_index(hull->nface, 4, TACT_HULL_FACES + 1)) return false;
    if (hull->nedge != hull->nvertex + hull->nface - 2 || hull->nedge > TACT_HULL_EDGES) return false;
    for (int i = 0; i < hull->nvertex; i++) {
        tact_vec3 x = hull->vertex[i];
        if (!check_vec3(x, TACT_MOST_LENGTH)) return false;
        size = tact_max(size, tact_max(tact_fabs(x.x), tact_max(tact_fabs(x.y), tact_fabs(x.z))));
    }
    // planes with all vertices behind them, and corners on their face's plane
    for (int f = 0; f < hull->nface; f++) {
        const tact_hull_face *face = &hull->face[f];
        if (face->first != corners || !check_index(face->count, 3, 2 * hull->nedge - corners + 1)) return false;
        corners += face->count;
        if (!check_one(tact_vec3_dot(face->normal, face->normal), TACT_REAL(1e-5))) return false;
        for (int i = 0; i < hull->nvertex; i++)
            if (!(tact_vec3_dot(face->normal, hull->vertex[i]) - face->offset <= slack * size)) return false;
        for (int k = face->first; k < corners; k++) {
            if (!check_index(hull->corner[k], 0, hull->nvertex)) return false;
            tact_real over = tact_vec3_dot(face->normal, hull->vertex[hull->corner[k]]) - face->offset;
            if (!(tact_fabs(over) <= slack * size)) return false;
        }
    }
    // an edge has two vertices and two faces
    for (int e = 0; e < hull->nedge; e++) {
        const tact_hull_edge *edge = &hull->edge[e];
        bool vertices = check_index(edge->from, 0, hull->nvertex) && check_index(edge->to, 0, hull->nvertex);
        bool faces = check_index(edge->left, 0, hull->nface) && check_index(edge->right, 0, hull->nface);
        if (!vertices || !faces || edge->from == edge->to || edge->left == edge->right) return false;
    }
    // each edge is a side of two faces
    return corners == 2 * hull->nedge;
}

// Six times the mean, with weights along one axis, of the coefficients that determine phi on the border of the box.
static tact_real check_border(const tact_grid *grid, int at, int stride) {
    if (grid->value) return grid->value[at] + 4 * grid->value[at + stride] + grid->value[at + 2 * stride];
    return (tact_real)grid->fine[at] + 4 * (tact_real)grid->fine[at + stride] + (tact_real)grid->fine[at + 2 * stride];
}

// On the border phi is a mean of these with nonnegative weights.
bool tact_grid_is_closed(const tact_grid *grid) {
    TACT_ASSERT(grid && (grid->value || grid->fine));
    const int *n = grid->count, stride[3] = {n[1] * n[2], n[2], 1};
    for (int axis = 0; axis < 3; axis++) {
        // both faces across this axis
        const int p = (axis + 1) % 3, q = (axis + 2) % 3, across = (n[axis] - 1) * stride[axis];
        for (int i = 0; i < n[p]; i++)
            for (int j = 0; j < n[q]; j++) {
                const int at = i * stride[p] + j * stride[q];
                if (!(check_border(grid, at, stride[axis]) > 0) || !(check_border(grid, at + across, -stride[axis]) > 0))
                    return false;
            }
    }
    return true;
}

// Finite coefficients, negative somewhere, with the surface inside the box.
static bool check_grid(const tact_grid *grid) {
    bool solid = false;
    if (!grid || (!grid->value && !grid->fine) || !check_vec3(grid->low, TACT_MOST_LENGTH)) return false;
    for (int k = 0; k < 3; k++)
        if (!check_index(grid->count[k], TACT_GRID_LEAST, TACT_GRID_MOST + 1)) return false;
    if (!check_within(grid->step, TACT_REAL(1e-6), TACT_REAL(TACT_MOST_LENGTH)) ||
        !check_within(grid->unit, TACT_REAL(1e-12), TACT_REAL(TACT_MOST_LENGTH)))
        return false;
    // all coefficients finite, and one negative: inside
    const int total = grid->count[0] * grid->count[1] * grid->count[2];
    for (int i = 0; i < total; i++) {
        tact_real c = grid->value ? grid->value[i] : (tact_real)grid->fine[i];
        if (!tact_is_finite(c) || tact_fabs(c) > TACT_REAL(TACT_MOST_LENGTH)) return false;
        solid = solid || c * grid->unit < 0;
    }
    return solid && tact_grid_is_closed(grid);
}

static const char *check_parts(const tact_model *model, const tact_shape *shape) {
    const tact_real *size = shape->size;
    if (shape->type == TACT_SHAPE_POLYGON) return check_polygon(shape) ? NULL : "shape.point";
    if (tact_shape_is_union(shape->type)) return check_members(model, shape) ? NULL : "shape.member";
    if (shape->type == TACT_SHAPE_HULL) return check_hull(shape->hull) ? NULL : "shape.hull";
    if (shape->type == TACT_SHAPE_GRID) return check_grid(shape->grid) ? NULL : "shape.grid";
    bool fits = shape->type != TACT_SHAPE_BOX || size[3] <= tact_min(size[0], tact_min(size[1], size[2]));
    fits = fits && (shape->type != TACT_SHAPE_RECTANGLE || size[2] <= tact_min(size[0], size[1]));
    return fits ? NULL : "shape.size";
}

static tact_fault check_shape(const tact_model *model, int i) {
    TACT_ASSERT(0 <= i && i < model->nshape);
    const tact_shape *shape = &model->shape[i];
    const tact_real *size = shape->size;
    bool round = shape->type == TACT_SHAPE_ELLIPSOID;
    if (!check_index(shape->body, TACT_WORLD, model->nbody)) return check_fault("shape.body", i);
    if (tact_shape_sizes(shape->type) < 0) return check_fault("shape.type", i);
    if (!check_place(&shape->place)) return check_fault("shape.place", i);
    // an ellipsoid needs all its axes; other sizes may be 0
    for (int k = 0; k < 4; k++) {
        bool used = k < tact_shape_sizes(shape->type);
        if (!check_size(size[k], TACT_MOST_LENGTH) || (used && !(size[k] > 0 || (size[k] == 0 && !round))))
            return check_fault("shape.size", i);
    }
    return check_fault(check_parts(model, shape), i);
}

// The first field of pair i that is not acceptable, if any.
static tact_fault check_pair(const tact_model *model, int i) {
    TACT_ASSERT(0 <= i && i < model->npair);
    const tact_pair *pair = &model->pair[i];
    if (!check_index(pair->a, 0, model->nshape)) return check_fault("pair.a", i);
    if (!check_index(pair->b, 0, model->nshape)) return check_fault("pair.b", i);
    const tact_shape *a = &model->shape[pair->a], *b = &model->shape[pair->b];
    // shapes of one body do not collide
    if (a->body == b->body) return check_fault("pair.b", i);
    bool ball = tact_shape_is_ball(a->type) || tact_shape_is_ball(b->type), end = pair->vertex != 0;
    const tact_shape *ended = pair->vertex > 0 ? b : a;
    bool capsule = (!ball && a->type == TACT_SHAPE_CAPSULE) || (!ball && b->type == TACT_SHAPE_CAPSULE);
    // an end of a capsule, or a point between, may be chosen against shapes other than balls
    if (!check_index(pair->vertex, -4, 5)) return check_fault("pair.vertex", i);
    if (end && (model->planar || ball || ended->type != TACT_SHAPE_CAPSULE)) return check_fault("pair.vertex", i);
    bool whole = !tact_shape_is_union(a->type) && !tact_shape_is_union(b->type);
    // a segment against a grid, which is not convex, may have several nearest points
    bool grid = a->type == TACT_SHAPE_GRID || b->type == TACT_SHAPE_GRID;
    if (!model->planar && !((ball || (capsule && !grid)) && whole)) return check_fault("pair.b", i);
    if (!check_within(pair->mu, 0, 10)) return check_fault("pair.mu", i);
    return check_fault(check_within(pair->restitution, 0, 1) ? NULL : "pair.restitution", i);
}

static tact_fault check_loop(const tact_model *model, int i) {
    const tact_loop *loop = &model->loop[i];
    bool bodies = check_index(loop->body[0], TACT_WORLD, model->nbody) && check_index(loop->body[1], TACT_WORLD, model->nbody);
    if (!bodies || loop->body[0] == loop->body[1]) return check_fault("loop.body", i);
    if (!check_vec3(loop->at[0], TACT_MOST_LENGTH) || !check_vec3(loop->at[1], TACT_MOST_LENGTH))
        return check_fault("loop.at", i);
    return check_fault(check_within(loop->stiffness, 0, TACT_REAL(TACT_MOST_DRIVE)) ? NULL : "loop.stiffness", i);
}

// The first field of spring i that is not acceptable, if any.
static tact_fault check_spring(const tact_model *model, int i) {
    const tact_spring *spring = &model->spring[i];
    if (!check_index(spring->count, 1, TACT_SPRING_MOST + 1)) return check_fault("spring.count", i);
    for (int k = 0; k < spring->count; k++) {
        if (!check_index(spring->dof[k], 0, model->nv)) return check_fault("spring.dof", i);
        if (model->body[model->dof[spring->dof[k]].body].joint == TACT_JOINT_FREE) return check_fault("spring.dof", i);
        for (int j = 0; j < k; j++)
            if (spring->dof[j] == spring->dof[k]) return check_fault("spring.dof", i);
        if (!check_size(spring->factor[k], TACT_MOST_LENGTH)) return check_fault("spring.factor", i);
    }
    if (!check_within(spring->stiffness, 0, TACT_REAL(TACT_MOST_DRIVE))) return check_fault("spring.stiffness", i);
    if (!check_within(spring->damping, 0, TACT_REAL(TACT_MOST_DRIVE))) return check_fault("spring.damping", i);
    if (!check_size(spring->rest, TACT_MOST_LENGTH)) return check_fault("spring.rest", i);
    if (!check_within(spring->force_limit, 0, TACT_REAL(TACT_MOST_DRIVE))) return check_fault("spring.force_limit", i);
    // a command belongs to one spring, and to its first dof
    if (!check_index(spring->u, -1, model->nu)) return check_fault("spring.u", i);
    return check_fault(spring->u < 0 || model->dof[spring->dof[0]].u == spring->u ? NULL : "spring.u", i);
}

static bool check_part(const tact_model *model, int first, int count) {
    return count >= 0 && first >= 0 && count <= model->nshape && first <= model->nshape - count;
}

// The first field of the broad phase that is not acceptable, if any.
static tact_fault check_search(const tact_model *model) {
    const tact_search *search = model->search;
    TACT_ASSERT(search->finder && search->group && search->carrier && search->kind && search->meets);
    TACT_ASSERT(!search->friction == !search->priority);
    if (model->planar) return check_fault("search", 0);
    if (search->most < 1) return check_fault("search.most", 0);
    if (search->columns < 0) return check_fault("search.columns", 0);
    if (search->nwhole < 0 || search->nwhole > model->nshape) return check_fault("search.nwhole", 0);
    // vertices, edges and balls of a whole shape are shapes of the model, too
    for (int i = 0; search->parts && i < search->nwhole; i++) {
        const tact_shape_parts *parts = &search->parts[i];
        bool inside = check_part(model, parts->vertex, parts->nvertex) && check_part(model, parts->edge, parts->nedge) &&
                      check_part(model, parts->ball, parts->nball);
        if (!inside) return check_fault("search.parts", i);
    }
    for (int i = 0; search->friction && i < search->nwhole; i++)
        if (!check_within(search->friction[i], 0, 10)) return check_fault("search.friction", i);
    if (!check_within(search->mu, 0, 10)) return check_fault("search.mu", 0);
    if (!check_within(search->restitution, 0, 1)) return check_fault("search.restitution", 0);
    return check_fault(NULL, 0);
}

tact_fault tact_model_check(const tact_model *model) {
    TACT_ASSERT(model);
    tact_fault fault = check_counts(model);
    for (int b = 0; !fault.field && b < model->nbody; b++) fault = check_body(model, b);
    if (!fault.field) fault = check_dofs(model);
    if (!fault.field) fault = check_state(model);
    for (int i = 0; !fault.field && i < model->nshape; i++) fault = check_shape(model, i);
    for (int i = 0; !fault.field && i < model->npair; i++) fault = check_pair(model, i);
    for (int i = 0; !fault.field && i < model->nloop; i++) fault = check_loop(model, i);
    for (int i = 0; !fault.field && i < model->nspring; i++) fault = check_spring(model, i);
    if (!fault.field && model->search) fault = check_search(model);
    return fault;
}
