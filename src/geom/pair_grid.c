// SPDX-License-Identifier: MIT
// Distance of a core a from a grid b, which is not convex. With phi the distances from both,
//     gap = min phi_a(z) + phi_b(z)
// branch and bound over cubes of b's box, for the nearest point of b, min phi_a(z) over the z with phi_b(z) <= 0: since phi is
// 1-Lipschitz, a cube with centre c and half diagonal rho contains no point of b if phi_b(c) > rho, and none nearer than
// phi_a(c) - rho. Points found to a fraction of the grid's step are then refined: for cores apart by the midpoint between them
// (pair.c), for overlapping cores by a descent on the sum.
#include "geom/pair.h"

#include "math/elementary.h"

#define SEARCH_PLACES 8
#define SEARCH_CUBES 128
// Cubes with a half diagonal below this fraction of the grid's step are not divided.
#define SEARCH_LEAST TACT_REAL(0.25)

typedef struct {
    tact_vec3 c;     // in b's frame
    tact_real half;  // edge
    tact_real a, b;  // distances of c from both
} search_cube;

typedef struct {
    const tact_core *a, *b;
    tact_real best, apart;           // least phi_a so far; least distance of points that are kept
    int count;                       // points kept
    tact_vec3 place[SEARCH_PLACES];  // in the world
    tact_real value[SEARCH_PLACES];  // phi_a there
} grid_search_state;

static void measure_cube(const grid_search_state *s, search_cube *cube) {
    tact_vec3 z = tact_pose_apply(s->b->pose, cube->c);
    cube->b = tact_shape_distance_from(&s->b->shape, &cube->c).value;
    cube->a = tact_core_distance(s->a, z, NULL).value;
}

// The nearest point of b to a place that is not far from it.
static tact_vec3 move_into(const tact_core *b, tact_vec3 z) {
    tact_distance d = tact_core_distance(b, z, NULL);
    return d.value > 0 ? tact_vec3_add_scaled(z, -d.value, d.gradient) : z;
}

// Keeps a point of b; of those close together the nearest to a.
static void keep_place(grid_search_state *s, tact_vec3 z) {
    tact_real value = tact_core_distance(s->a, z, NULL).value;
    int at = s->count, worst = 0;
    s->best = tact_min(s->best, value);
    for (int i = 0; i < s->count; i++) {
        tact_vec3 away = tact_vec3_sub(s->place[i], z);
        if (tact_vec3_dot(away, away) < s->apart * s->apart) at = i;
        if (s->value[i] > s->value[worst]) worst = i;
    }
    // full: replace the farthest one
    if (at == SEARCH_PLACES) at = worst;
    if (at < s->count && !(value < s->value[at])) return;
    s->place[at] = z;
    s->value[at] = value;
    if (at == s->count) s->count++;
}

static tact_real sum_at(const grid_search_state *s, tact_vec3 z) {
    return tact_core_distance(s->a, z, NULL).value + tact_core_distance(s->b, z, NULL).value;
}

static void measure_apart(const tact_core *a, const tact_core *b, tact_vec3 z, tact_pair_distance *out) {
    tact_distance first = tact_core_distance(a, z, NULL);
    z = tact_core_middle(a, b, tact_vec3_add_scaled(z, -first.value / 2, first.gradient));
    first = tact_core_distance(a, z, NULL);
    tact_distance second = tact_core_distance(b, z, NULL);
    tact_direction_split(tact_vec3_sub(first.gradient, second.gradient), &out->normal);
    out->gap = first.value + second.value;
    out->point_a = tact_vec3_add_scaled(z, -first.value, first.gradient);
    out->point_b = tact_vec3_add_scaled(z, -second.value, second.gradient);
}

static void measure_overlap(const grid_search_state *s, tact_vec3 z, tact_pair_distance *out) {
    // Direct search for the least phi_a + phi_b, by steps along three axes that are rotated whenever the step length changes,
    // since the sum has kinks.
    const tact_real step = s->b->shape.grid->step;
    tact_real least = sum_at(s, z), angle = 0;
    tact_real way = step;
    while (way > TACT_REAL(1e-7) * step) {
        // another direction each time, spread over the sphere
        const tact_real c = tact_cos(angle), height = tact_cos(3 * angle), r = tact_sqrt(1 - height * height);
        const tact_mat3 F = tact_frame_from_normal(tact_vec3_make(r * c, r * tact_sin(angle), height));
        for (int k = 0; k < 6; k++) {
            const tact_real *row = F.m[k / 2];
            const tact_vec3 q = tact_vec3_add_scaled(z, k % 2 ? way : -way, tact_vec3_make(row[0], row[1], row[2]));
            const tact_real value = sum_at(s, q);
            if (!(value < least)) continue;
            least = value;
            z = q;
        }
        way *= TACT_REAL(0.7);
        angle += TACT_REAL(2.4);
    }
    const tact_distance first = tact_core_distance(s->a, z, NULL), second = tact_core_distance(s->b, z, NULL);
    tact_vec3 apart = tact_vec3_sub(first.gradient, second.gradient);
    out->deep = true;
    out->normal = tact_vec3_scale(-1, second.gradient);
    if (tact_vec3_dot(apart, apart) > 1) tact_direction_split(apart, &out->normal);
    out->gap = first.value + second.value;
    out->point_b = tact_vec3_add_scaled(z, -second.value, second.gradient);
    out->point_a = tact_vec3_add_scaled(out->point_b, -out->gap, out->normal);
}

// Search through the cubes of b.
static void measure_through(const tact_core *a, const tact_core *b, tact_pair_distance *out) {
    grid_search_state s = {.a = a, .b = b, .best = TACT_MAX, .apart = 2 * b->shape.grid->step};
    // branch and bound over cubes by bounds of both distances, the nearest first
    const tact_grid *grid = s.b->shape.grid;
    search_cube stack[SEARCH_CUBES];
    const tact_real root = TACT_REAL(1.7320508075688772);
    int count = 1, most = 0;
    for (int k = 0; k < 3; k++) most = grid->count[k] > most ? grid->count[k] : most;
    // one cube around the whole box
    const tact_vec3 extent = {(tact_real)(grid->count[0] - 1), (tact_real)(grid->count[1] - 1), (tact_real)(grid->count[2] - 1)};
    stack[0] =
        (search_cube){.c = tact_vec3_add_scaled(grid->low, grid->step / 2, extent), .half = grid->step * (tact_real)most / 2};
    measure_cube(&s, &stack[0]);
    while (count > 0) {
        const search_cube cube = stack[--count];
        const tact_real rho = root * cube.half;
        if (cube.b > rho || cube.a - rho >= s.best) continue;
        keep_place(&s, move_into(s.b, tact_pose_apply(s.b->pose, cube.c)));
        if (rho < SEARCH_LEAST * grid->step || count + 8 > SEARCH_CUBES) continue;
        // its eight children, the nearest to both on top of the stack
        for (int k = 0; k < 8; k++) {
            const tact_real half = cube.half / 2;
            const tact_vec3 off = {k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half};
            search_cube part = {.c = tact_vec3_add(cube.c, off), .half = half};
            measure_cube(&s, &part);
            int at = count++;
            for (; at > count - 1 - k && stack[at - 1].a + tact_max(stack[at - 1].b, 0) < part.a + tact_max(part.b, 0); at--)
                stack[at] = stack[at - 1];
            stack[at] = part;
        }
    }
    // a plane is lowered, so that it is apart
    tact_core lowered = *a;
    bool plane = a->shape.type == TACT_SHAPE_PLANE;
    tact_real down = plane ? tact_max(4 * b->shape.grid->step - s.best, 0) : 0;
    tact_vec3 up = tact_mat3_column(a->pose.R, 2);
    lowered.pose.p = tact_vec3_add_scaled(a->pose.p, -down, up);
    out->gap = TACT_MAX;
    for (int i = 0; i < s.count; i++) {
        if (s.value[i] > s.best + b->shape.grid->step / 2) continue;
        tact_pair_distance found = {.normal = {0, 0, 1}};
        // the point of a nearest to this one: a thin core may lie between the points tried
        tact_distance from = tact_core_distance(&lowered, s.place[i], NULL);
        tact_vec3 z = tact_vec3_add_scaled(s.place[i], -tact_max(from.value, 0), from.gradient);
        if (!plane && (!(from.value > 0) || tact_core_distance(b, z, NULL).value < 0))
            measure_overlap(&s, z, &found);
        else
            measure_apart(&lowered, b, s.place[i], &found);
        if (found.gap < out->gap) *out = found;
    }
    out->gap -= down;
    if (plane) out->point_a = tact_vec3_add_scaled(out->point_b, -out->gap, out->normal);
}

void tact_core_measure_grid(const tact_core *a, const tact_core *b, tact_pair_distance *out) {
    TACT_ASSERT(a && b && out && b->shape.type == TACT_SHAPE_GRID);
    measure_through(a, b, out);
    if (!out->deep || a->shape.type != TACT_SHAPE_GRID) return;
    // two overlapping grids: the search from points of b may end at a local minimum beside the least, and so may that from
    // points of a; the lesser of both does not depend on the order of a and b
    tact_pair_distance other = {0};
    measure_through(b, a, &other);
    if (!(other.gap < out->gap)) return;
    *out = other;
    tact_pair_swap(out);
}
