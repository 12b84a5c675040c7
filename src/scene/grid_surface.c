// SPDX-License-Identifier: MIT
// Surface nets (S. F. F. Gibson, Constrained elastic surface nets, 1998): each cube with corners on both sides gets one point,
// the mean of where its edges pass through, moved to the surface; each edge that passes through joins the points of the four
// cubes around it.
#include "scene/grid_surface.h"

#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"

typedef struct {
    const tact_shape *shape;
    int n[3];  // corners along each axis
    tact_vec3 low;
    tact_real step;
    tact_real *value;  // (n) distances of the corners
    int *number;       // (n) of the point in the cube whose lowest corner this is; -1: none
} surface_net;

static int net_index(const surface_net *net, int i, int j, int k) {
    return (i * net->n[1] + j) * net->n[2] + k;
}

static tact_vec3 net_place(const surface_net *net, tact_real i, tact_real j, tact_real k) {
    return tact_vec3_make(net->low.x + net->step * i, net->low.y + net->step * j, net->low.z + net->step * k);
}

static void sample(surface_net *net) {
    for (int i = 0; i < net->n[0]; i++)
        for (int j = 0; j < net->n[1]; j++)
            for (int k = 0; k < net->n[2]; k++) {
                int at = net_index(net, i, j, k);
                net->value[at] = tact_shape_distance(net->shape, net_place(net, (tact_real)i, (tact_real)j, (tact_real)k)).value;
                net->number[at] = -1;
            }
}

// The mean of the crossings of a cube's edges; false where there is none.
static bool find_point(const surface_net *net, int i, int j, int k, tact_vec3 *point) {
    tact_real sum[3] = {0}, count = 0;
    for (int a = 0; a < 8; a++)
        for (int axis = 0; axis < 3; axis++) {
            int b = a | 1 << axis;
            if (a == b) continue;
            tact_real p = net->value[net_index(net, i + (a & 1), j + (a >> 1 & 1), k + (a >> 2))];
            tact_real q = net->value[net_index(net, i + (b & 1), j + (b >> 1 & 1), k + (b >> 2))];
            if ((p < 0) == (q < 0)) continue;
            count += 1;
            for (int m = 0; m < 3; m++) sum[m] += m == axis ? p / (p - q) : (tact_real)(a >> m & 1);
        }
    if (count == 0) return false;
    *point = net_place(net, (tact_real)i + sum[0] / count, (tact_real)j + sum[1] / count, (tact_real)k + sum[2] / count);
    for (int m = 0; m < 2; m++) {
        tact_distance d = tact_shape_distance(net->shape, *point);
        // what would leave its cube stays
        if (tact_fabs(d.value) < net->step) *point = tact_vec3_add_scaled(*point, -d.value, d.gradient);
    }
    return true;
}

static void find_points(surface_net *net, tact_grid_surface *to) {
    for (int i = 0; i < net->n[0] - 1; i++)
        for (int j = 0; j < net->n[1] - 1; j++)
            for (int k = 0; k < net->n[2] - 1; k++)
                if (find_point(net, i, j, k, &to->point[to->npoint])) net->number[net_index(net, i, j, k)] = to->npoint++;
}

// The face across the edge from a corner along an axis.
static void add_face(const surface_net *net, const int corner[3], int axis, tact_grid_surface *to) {
    int next[3] = {corner[0], corner[1], corner[2]}, u = (axis + 1) % 3, v = (axis + 2) % 3, face[4];
    next[axis]++;
    bool from = net->value[net_index(net, corner[0], corner[1], corner[2])] < 0;
    bool end = net->value[net_index(net, next[0], next[1], next[2])] < 0;
    if (from == end) return;
    // the four cubes around, counter-clockwise seen against the axis, which leads outward when it begins inside
    static const int off[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};
    for (int m = 0; m < 4; m++) {
        int cube[3] = {corner[0], corner[1], corner[2]}, turn = from ? m : 3 - m;
        cube[u] -= off[turn][0];
        cube[v] -= off[turn][1];
        if (cube[u] < 0 || cube[v] < 0) return;
        face[m] = net->number[net_index(net, cube[0], cube[1], cube[2])];
        if (face[m] < 0) return;
    }
    memcpy(to->face[to->nface++], face, sizeof face);
}

bool tact_grid_surface_make(tact_grid_surface *surface, const tact_shape *shape, int cells) {
    surface_net net = {.shape = shape};
    TACT_ASSERT(shape->grid && cells > 0);
    *surface = (tact_grid_surface){0};
    // The box of the spline, and the ball around.
    const tact_grid *grid = net.shape->grid;
    tact_real longest = 0, extent[3], grown = net.shape->size[0];
    for (int k = 0; k < 3; k++) {
        extent[k] = grid->step * (tact_real)(grid->count[k] - 3) + 2 * grown;
        longest = tact_max(longest, extent[k]);
    }
    net.step = longest / (tact_real)cells;
    tact_real off = grid->step - grown;
    net.low = tact_vec3_add(grid->low, tact_vec3_make(off, off, off));
    for (int k = 0; k < 3; k++) net.n[k] = (int)(extent[k] / net.step + TACT_REAL(0.999)) + 1;
    size_t size = (size_t)net.n[0] * (size_t)net.n[1] * (size_t)net.n[2];
    net.value = tact_memory_get(size * sizeof *net.value);
    net.number = tact_memory_get(size * sizeof *net.number);
    surface->point = tact_memory_get(size * sizeof *surface->point);
    surface->face = tact_memory_get(3 * size * sizeof *surface->face);
    bool room = net.value && net.number && surface->point && surface->face;
    // Surface nets: a vertex in each cell that the surface crosses, a quad for each edge that it crosses.
    if (room) {
        sample(&net);
        find_points(&net, surface);
        for (int i = 0; i < net.n[0]; i++)
            for (int j = 0; j < net.n[1]; j++)
                for (int k = 0; k < net.n[2]; k++)
                    for (int axis = 0; axis < 3; axis++) {
                        const int corner[3] = {i, j, k};
                        if (corner[axis] < net.n[axis] - 1) add_face(&net, corner, axis, surface);
                    }
    }
    tact_memory_release(net.value);
    tact_memory_release(net.number);
    if (!room) tact_grid_surface_free(surface);
    return room;
}

void tact_grid_surface_free(tact_grid_surface *surface) {
    tact_memory_release(surface->point);
    tact_memory_release(surface->face);
    *surface = (tact_grid_surface){0};
}
