// SPDX-License-Identifier: MIT
// The balls by which a shape touches another one, where one of the two is a grid, a cylinder or an ellipsoid: at fixed places of
// it, so that their gaps are as smooth as the other's distance:
//   capsule            on its axis, half a radius apart
//   cylinder           on its axis, of its radius, as far as the caps allow; points along both rims
//   box, hull          the vertices of the core, and along each edge seven or fewer between them, by its length
//   ellipsoid          at equal angles of a spiral, of its least radius of curvature, each touching the surface from within
//   grid               points of its surface, each as far from those before as it can be (T. F. Gonzalez, Clustering to minimize
//                      the maximum intercluster distance, Theoretical Computer Science 38, 1985)
#include <math.h>

#include "math/elementary.h"
#include "scene/build.h"
#include "scene/grid_surface.h"

enum { AXIS_MOST = 32, RIM = 24, SPIRAL = 128, ALONG_EDGE = 8, CELLS = 32 };

static void put_ball(tact_scene_balls *balls, tact_real x, tact_real y, tact_real z, tact_real radius) {
    balls->at[balls->count] = tact_vec3_make(x, y, z);
    balls->radius[balls->count++] = radius;
}

// Along z from -half to half, apart by no more than half of the radius, if that does not take too many.
static void sample_axis(tact_real half, tact_real radius, tact_scene_balls *balls) {
    int parts = AXIS_MOST;
    if (4 * half < radius * (AXIS_MOST - 1)) parts = (int)(4 * half / radius) + 1;
    for (int i = 0; i <= parts; i++) put_ball(balls, 0, 0, half * (tact_real)(2 * i - parts) / (tact_real)parts, radius);
}

static void sample_cylinder(const tact_real *size, tact_scene_balls *balls) {
    if (size[1] > size[0]) sample_axis(size[1] - size[0], size[0], balls);
    for (int i = 0; i < 2 * RIM; i++) {
        const int place = i / 2;
        tact_real angle = TACT_REAL(6.283185307179586) * (tact_real)place / RIM;
        put_ball(balls, size[0] * tact_cos(angle), size[0] * tact_sin(angle), i % 2 ? size[1] : -size[1], 0);
    }
}

// Heights at equal distances, turned from one to the next by the golden angle. Between balls of radius r the surface, of radius R
// there, stands out by s^2/8 (1 - r/R)/R where they are s apart; they stay within it up to the least radius, min^2/max.
static void sample_ellipsoid(const tact_real *size, tact_scene_balls *balls) {
    tact_real least = tact_min(size[0], tact_min(size[1], size[2])), most = tact_max(size[0], tact_max(size[1], size[2]));
    tact_real radius = least * least / most;
    for (int i = 0; i < SPIRAL; i++) {
        tact_real z = 1 - (tact_real)(2 * i + 1) / SPIRAL, r = tact_sqrt(1 - z * z);
        tact_real angle = TACT_REAL(2.399963229728653) * (tact_real)i;
        const tact_real unit[3] = {r * tact_cos(angle), r * tact_sin(angle), z};
        tact_vec3 x = tact_vec3_make(size[0] * unit[0], size[1] * unit[1], size[2] * unit[2]);
        tact_vec3 normal = tact_vec3_make(unit[0] / size[0], unit[1] / size[1], unit[2] / size[2]);
        x = tact_vec3_add_scaled(x, -radius / tact_sqrt(tact_vec3_dot(normal, normal)), normal);
        put_ball(balls, x.x, x.y, x.z, radius);
    }
}

// Balls of a box or hull: at each vertex of the core, and evenly along each edge by its length.
static void sample_core(const tact_draft_shape *shape, tact_scene_balls *balls) {
    tact_vec3 vertex[TACT_HULL_VERTICES], from[TACT_HULL_EDGES], to[TACT_HULL_EDGES], out[TACT_HULL_EDGES];
    tact_real radius = shape->size[shape->type == TACT_SHAPE_BOX ? 3 : 0], length[TACT_HULL_EDGES], longest = 0;
    int nvertex = tact_scene_vertices(shape, vertex), nedge = tact_scene_edges(shape, from, to, out);
    for (int i = 0; i < nvertex; i++) put_ball(balls, vertex[i].x, vertex[i].y, vertex[i].z, radius);
    for (int i = 0; i < nedge; i++) {
        tact_vec3 along = tact_vec3_sub(to[i], from[i]);
        length[i] = tact_sqrt(tact_vec3_dot(along, along));
        longest = tact_max(longest, length[i]);
    }
    for (int i = 0; i < nedge; i++) {
        // a core of a single point has edges without length
        int parts = longest > 0 ? (int)(ALONG_EDGE * length[i] / longest + TACT_REAL(0.999)) : 0;
        for (int k = 1; k < parts; k++) {
            tact_vec3 x = tact_vec3_add_scaled(from[i], (tact_real)k / (tact_real)parts, tact_vec3_sub(to[i], from[i]));
            put_ball(balls, x.x, x.y, x.z, radius);
        }
    }
}

static bool sample_grid(tact_draft *draft, const tact_draft_shape *shape, tact_scene_balls *balls) {
    const tact_shape bare = {.body = TACT_WORLD, .type = TACT_SHAPE_GRID, .grid = shape->grid};
    tact_grid_surface surface;
    if (!tact_grid_surface_make(&surface, &bare, CELLS)) return false;
    tact_real *square = tact_draft_take(draft, (size_t)(surface.npoint + 1) * sizeof *square);
    int last = 0;
    for (int i = 0; square && i < surface.npoint; i++) square[i] = TACT_MAX;
    for (int k = 0; square && surface.npoint > 0 && k < shape->samples; k++) {
        // The farthest of the points from those that were taken, and the distances of all from it as well.
        int next = 0;
        for (int i = 0; i < surface.npoint; i++) {
            tact_vec3 away = tact_vec3_sub(surface.point[i], surface.point[last]);
            square[i] = tact_min(square[i], tact_vec3_dot(away, away));
            if (square[i] > square[next]) next = i;
        }
        last = next;
        // all points are taken
        if (k > 0 && !(square[last] > 0)) break;
        tact_distance d = tact_shape_distance(&bare, surface.point[last]);
        tact_vec3 foot = tact_vec3_add_scaled(surface.point[last], -d.value, d.gradient);
        put_ball(balls, foot.x, foot.y, foot.z, shape->size[0]);
    }
    tact_grid_surface_free(&surface);
    return square != NULL;
}

// Room for the most that a shape can have.
static int most_balls(const tact_draft_shape *shape) {
    if (shape->type == TACT_SHAPE_GRID) return shape->samples;
    return shape->type == TACT_SHAPE_BOX || shape->type == TACT_SHAPE_HULL ? TACT_HULL_VERTICES + 7 * TACT_HULL_EDGES : SPIRAL;
}

// Spheres that stand for a shape in contacts, by its type. False without memory.
bool tact_scene_sample(tact_draft *draft, const tact_draft_shape *shape, tact_scene_balls *balls) {
    size_t most = (size_t)most_balls(shape);
    *balls = (tact_scene_balls){.at = tact_draft_take(draft, most * sizeof *balls->at),
                                .radius = tact_draft_take(draft, most * sizeof *balls->radius)};
    if (!balls->at || !balls->radius) return false;
    switch (shape->type) {
    case TACT_SHAPE_CAPSULE: sample_axis(shape->size[1], shape->size[0], balls); break;
    case TACT_SHAPE_CYLINDER: sample_cylinder(shape->size, balls); break;
    case TACT_SHAPE_ELLIPSOID: sample_ellipsoid(shape->size, balls); break;
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_HULL: sample_core(shape, balls); break;
    case TACT_SHAPE_GRID: return !shape->grid || sample_grid(draft, shape, balls);
    default: break;
    }
    return true;
}
