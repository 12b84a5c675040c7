// SPDX-License-Identifier: MIT
// Vertex clustering (J. Rossignac, P. Borrel, Multi-resolution 3D approximations for rendering complex scenes, 1993): a grid of
// cubes over the mesh, one point for all points in a cube, and only the triangles whose corners stay in three cubes. It bears any
// input: holes, doubled points, triangles without order.
#include <stdint.h>
#include <string.h>

#include "tact/memory.h"
#include "tact/view.h"

enum { FINEST = 65535, FINE = 4096, POINTS = 65536 };

typedef struct {
    double low[3], extent;  // of the mesh; the longest side
    uint64_t *key;          // (slots) of cells in use
    int *cell;              // (slots) number of the cell, -1: none
    size_t slots;           // a power of 2
    int *of;                // (npoint) cell of a point
    int ncell;
} grid;

static bool stays(const grid *g, const tact_mesh_triangle *t) {
    int a = g->of[t->corner[0]], b = g->of[t->corner[1]], c = g->of[t->corner[2]];
    return a != b && b != c && c != a;
}

// Sorts the points into so many cells along the longest side; returns how many triangles stay.
static int sort_points(grid *g, const tact_mesh *mesh, int cells) {
    double scale = g->extent > 0 ? cells / g->extent : 0;
    int count = 0;
    g->ncell = 0;
    memset(g->cell, 0xff, g->slots * sizeof g->cell[0]);
    for (int i = 0; i < mesh->npoint; i++) {
        uint64_t key = 0;
        for (int k = 0; k < 3; k++) key = key << 20 | (uint64_t)(((double)mesh->point[i].x[k] - g->low[k]) * scale);
        // The cell of a place, made when it is the first point in it.
        uint64_t mix = (key ^ key >> 29) * 0x9e3779b97f4a7c15u;
        size_t slot = (size_t)(mix >> 20) & (g->slots - 1);
        while (g->cell[slot] >= 0 && g->key[slot] != key) slot = (slot + 1) & (g->slots - 1);
        if (g->cell[slot] < 0) {
            g->key[slot] = key;
            g->cell[slot] = g->ncell++;
        }
        g->of[i] = g->cell[slot];
    }
    for (int t = 0; t < mesh->ntriangle; t++) count += stays(g, &mesh->triangle[t]);
    return count;
}

static bool fits(grid *g, const tact_mesh *mesh, int cells, int most) {
    int triangles = sort_points(g, mesh, cells);
    return triangles <= most && g->ncell < POINTS;
}

// The mean of the points of each cell takes the place of the points. Of copies of one triangle the coarsest grid may leave more
// than most, too.
static bool merge(grid *g, tact_mesh *mesh, int most) {
    typedef struct {
        double sum[3];
        int count;
    } mean;
    mean *means = tact_memory_get((size_t)g->ncell * sizeof *means);
    int count = 0;
    if (!means) return false;
    memset(means, 0, (size_t)g->ncell * sizeof *means);
    for (int i = 0; i < mesh->npoint; i++) {
        // Points of one cell become their mean.
        mean *m = &means[g->of[i]];
        for (int k = 0; k < 3; k++) m->sum[k] += (double)mesh->point[i].x[k];
        m->count++;
    }
    for (int i = 0; i < g->ncell; i++)
        for (int k = 0; k < 3; k++) mesh->point[i].x[k] = (float)(means[i].sum[k] / means[i].count);
    for (int t = 0; t < mesh->ntriangle && count < most; t++) {
        // Triangles with corners in three cells stay.
        const tact_mesh_triangle from = mesh->triangle[t];
        if (!stays(g, &from)) continue;
        for (int k = 0; k < 3; k++) mesh->triangle[count].corner[k] = g->of[from.corner[k]];
        count++;
    }
    mesh->npoint = g->ncell;
    mesh->ntriangle = count;
    tact_memory_release(means);
    return true;
}

// The most cells of 1 to FINE that fit.
static int find_cells(grid *g, const tact_mesh *mesh, int most) {
    int low = 1, high = FINE;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (fits(g, mesh, middle, most))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

bool tact_mesh_simplify(tact_mesh *mesh, int most) {
    TACT_ASSERT(mesh && most > 0);
    grid g = {.slots = 64};
    while (g.slots < 2 * (size_t)mesh->npoint) g.slots *= 2;
    g.key = tact_memory_get(g.slots * sizeof g.key[0]);
    g.cell = tact_memory_get(g.slots * sizeof g.cell[0]);
    g.of = tact_memory_get((size_t)mesh->npoint * sizeof g.of[0]);
    bool good = g.key && g.cell && g.of;
    // The finest grid if that is coarse enough, else the finest that is.
    if (good && mesh->npoint > 0) {
        for (int k = 0; k < 3; k++) {
            float low = mesh->point[0].x[k], high = low;
            for (int i = 1; i < mesh->npoint; i++) {
                low = mesh->point[i].x[k] < low ? mesh->point[i].x[k] : low;
                high = mesh->point[i].x[k] > high ? mesh->point[i].x[k] : high;
            }
            g.low[k] = (double)low;
            if ((double)high - (double)low > g.extent) g.extent = (double)high - (double)low;
        }
        if (!fits(&g, mesh, FINEST, most)) sort_points(&g, mesh, find_cells(&g, mesh, most));
        good = merge(&g, mesh, most);
    }
    tact_memory_release(g.key);
    tact_memory_release(g.cell);
    tact_memory_release(g.of);
    return good;
}
