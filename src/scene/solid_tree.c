// SPDX-License-Identifier: MIT
// A tree of boxes over the triangles of a solid, halved along the longest side of their centres. The distance is that of the
// nearest triangle, boxes farther than the best so far being passed over. The winding number is the sum of the solid angles of
// the triangles over 4 pi (A. Van Oosterom, J. Strackee, The solid angle of a plane triangle, 1983), a far box of triangles
// counting as one dipole (G. Barill et al., Fast winding numbers for soups and clouds, 2018).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/mesh_parts.h"
#include "tact/memory.h"

enum { LEAF = 4, DEPTH = 64 };

static const double pi = 3.14159265358979323846;

typedef struct {
    double key;
    int corner[3];
} solid_item;

static int compare_items(const void *a, const void *b) {
    const solid_item *p = a, *q = b;
    if (p->key != q->key) return p->key < q->key ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (p->corner[k] != q->corner[k]) return p->corner[k] < q->corner[k] ? -1 : 1;
    return 0;
}

static void subtract(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// Box, centre, radius and vector area of a node's triangles; the centre is weighted by area.
static void measure_node(const tact_solid *solid, tact_solid_node *node) {
    double weight = 0, far = 0;
    for (int k = 0; k < 3; k++) node->low[k] = HUGE_VAL, node->high[k] = -HUGE_VAL, node->centre[k] = node->area[k] = 0;
    for (int t = node->first; t < node->first + node->count; t++) {
        double *x[3], u[3], v[3], n[3];
        for (int c = 0; c < 3; c++) x[c] = solid->point[solid->triangle[t][c]];
        subtract(x[1], x[0], u);
        subtract(x[2], x[0], v);
        cross(u, v, n);
        // Box, centre of area, and the vector area that stands for the node from afar.
        double area = sqrt(dot(n, n)) / 2;
        weight += area;
        // Radius about the centre that holds the box.
        for (int k = 0; k < 3; k++) {
            node->low[k] = fmin(node->low[k], fmin(x[0][k], fmin(x[1][k], x[2][k])));
            node->high[k] = fmax(node->high[k], fmax(x[0][k], fmax(x[1][k], x[2][k])));
            node->centre[k] += area * (x[0][k] + x[1][k] + x[2][k]) / 3;
            node->area[k] += n[k] / 2;
        }
    }
    for (int k = 0; k < 3; k++) {
        node->centre[k] = weight > 0 ? node->centre[k] / weight : (node->low[k] + node->high[k]) / 2;
        double reach = fmax(node->high[k] - node->centre[k], node->centre[k] - node->low[k]);
        far += reach * reach;
    }
    node->radius = sqrt(far);
}

bool tact_solid_grow(tact_solid *solid) {
    size_t most = 2 * (size_t)solid->ntriangle + 1;
    solid->node = tact_memory_get(most * sizeof *solid->node);
    solid_item *item = tact_memory_get((size_t)solid->ntriangle * sizeof *item);
    if (solid->node && item) {
        solid->node[0] = (tact_solid_node){.first = 0, .count = solid->ntriangle};
        solid->nnode = 1;
        // Halves by the median along the longest axis, until few triangles are left in a leaf.
        for (int i = 0; i < solid->nnode; i++) {
            tact_solid_node *node = &solid->node[i];
            measure_node(solid, node);
            if (node->count <= LEAF) continue;
            // Sorts the triangles by their centres along the longest side of the box.
            int axis = 0;
            for (int k = 1; k < 3; k++)
                if (node->high[k] - node->low[k] > node->high[axis] - node->low[axis]) axis = k;
            for (int t = 0; t < node->count; t++) {
                const int *c = solid->triangle[node->first + t];
                double sum = solid->point[c[0]][axis] + solid->point[c[1]][axis] + solid->point[c[2]][axis];
                item[t] = (solid_item){sum, {c[0], c[1], c[2]}};
            }
            qsort(item, (size_t)node->count, sizeof *item, compare_items);
            for (int t = 0; t < node->count; t++) memcpy(solid->triangle[node->first + t], item[t].corner, sizeof item[t].corner);
            int half = node->count / 2;
            node->child = solid->nnode;
            solid->node[solid->nnode++] = (tact_solid_node){.first = node->first, .count = half};
            solid->node[solid->nnode++] = (tact_solid_node){.first = node->first + half, .count = node->count - half};
            node->count = 0;
        }
    }
    tact_memory_release(item);
    return solid->node && item;
}

// square of the distance of x from a box
static double box_square(const tact_solid_node *node, const double x[3]) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double below = node->low[k] - x[k], above = x[k] - node->high[k], over = below > above ? below : above;
        square += over > 0 ? over * over : 0;
    }
    return square;
}

// square of the distance of x from the segment from a along u
static double segment_square(const double x[3], const double a[3], const double u[3]) {
    double arm[3], length = dot(u, u);
    subtract(x, a, arm);
    double t = length > 0 ? dot(arm, u) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    for (int k = 0; k < 3; k++) arm[k] -= t * u[k];
    return dot(arm, arm);
}

// The square of the distance of x from a triangle, or best where that is less: from the foot of the perpendicular where it lies
// in the triangle, else from the nearest of the edges.
static double triangle_square(const tact_solid *solid, int t, const double x[3], double best) {
    const double *p[3];
    double u[3][3], n[3], arm[3][3], side[3];
    bool within = true;
    for (int c = 0; c < 3; c++) p[c] = solid->point[solid->triangle[t][c]];
    for (int c = 0; c < 3; c++) subtract(p[(c + 1) % 3], p[c], u[c]);
    for (int c = 0; c < 3; c++) subtract(x, p[c], arm[c]);
    cross(u[0], u[1], n);
    double square = dot(n, n), over = dot(n, arm[2]);
    // No point of the triangle is nearer than its plane.
    if (square > 0 && over * over / square >= best) return best;
    // On the inner side of all three edges, seen along the normal?
    for (int c = 0; c < 3; c++) {
        cross(n, u[c], side);
        within = within && dot(side, arm[c]) >= 0;
    }
    if (within && square > 0) return over * over / square;
    for (int c = 0; c < 3; c++) {
        double edge = segment_square(x, p[c], u[c]);
        best = edge < best ? edge : best;
    }
    return best;
}

double tact_solid_distance(const tact_solid *solid, const double x[3], double bound) {
    TACT_ASSERT(solid && x);
    struct {
        int node;
        double square;  // of the distance of its box
    } stack[DEPTH] = {{0}};
    int top = 1;
    double best = bound * bound * (1 + 1e-12);
    while (top > 0) {
        top--;
        if (stack[top].square > best) continue;
        const tact_solid_node *node = &solid->node[stack[top].node];
        for (int t = node->first; t < node->first + node->count; t++) best = triangle_square(solid, t, x, best);
        if (node->count > 0) continue;
        // the nearer child first
        const double square[2] = {box_square(&solid->node[node->child], x), box_square(&solid->node[node->child + 1], x)};
        int near = square[1] < square[0];
        for (int c = 0; c < 2; c++) {
            int child = c == 0 ? !near : near;
            stack[top].node = node->child + child;
            stack[top++].square = square[child];
        }
    }
    return sqrt(best);
}

// the solid angle of a triangle from x, positive from inside
static double solid_angle(const tact_solid *solid, int t, const double x[3]) {
    double a[3][3], length[3], n[3];
    for (int c = 0; c < 3; c++) {
        subtract(solid->point[solid->triangle[t][c]], x, a[c]);
        length[c] = sqrt(dot(a[c], a[c]));
    }
    cross(a[1], a[2], n);
    double below = length[0] * length[1] * length[2] + dot(a[0], a[1]) * length[2] + dot(a[1], a[2]) * length[0] +
                   dot(a[2], a[0]) * length[1];
    return 2 * atan2(dot(a[0], n), below);
}

double tact_solid_winding(const tact_solid *solid, const double x[3]) {
    TACT_ASSERT(solid && x);
    int stack[DEPTH], top = 0;
    double sum = 0;
    stack[top++] = 0;
    while (top > 0) {
        const tact_solid_node *node = &solid->node[stack[--top]];
        double arm[3];
        subtract(node->centre, x, arm);
        // Far away a node counts as a dipole (Barill et al. 2018), near by its triangles' solid angles.
        double square = dot(arm, arm);
        if (square > 9 * node->radius * node->radius) {
            sum += dot(node->area, arm) / (square * sqrt(square));
            continue;
        }
        for (int t = node->first; t < node->first + node->count; t++) sum += solid_angle(solid, t, x);
        if (node->count > 0) continue;
        stack[top++] = node->child;
        stack[top++] = node->child + 1;
    }
    return sum / (4 * pi);
}

// six times the volume of a tetrahedron
static double tetrahedron(const double a[3], const double b[3], const double c[3], const double d[3]) {
    double u[3], v[3], w[3], n[3];
    subtract(b, a, u);
    subtract(c, a, v);
    subtract(d, a, w);
    cross(u, v, n);
    return dot(n, w);
}

// Whether the segment from a to b passes through the inside of a triangle; touching is not.
static bool pierces(const tact_solid *solid, int t, int a, int b) {
    const int *c = solid->triangle[t];
    for (int k = 0; k < 3; k++)
        if (c[k] == a || c[k] == b) return false;
    const double *p = solid->point[a], *q = solid->point[b], *x = solid->point[c[0]], *y = solid->point[c[1]],
                 *z = solid->point[c[2]];
    double size = 0;
    for (int k = 0; k < 3; k++) size = fmax(size, solid->high[k] - solid->low[k]);
    // volumes of rounding are none
    const double least = 1e-14 * size * size * size;
    double over = tetrahedron(x, y, z, p), under = tetrahedron(x, y, z, q);
    if (!((over > least && under < -least) || (over < -least && under > least))) return false;
    double first = tetrahedron(p, q, x, y), second = tetrahedron(p, q, y, z), third = tetrahedron(p, q, z, x);
    return (first > least && second > least && third > least) || (first < -least && second < -least && third < -least);
}

// Whether the edge from a to b pierces a triangle of the solid.
static bool edge_crosses(const tact_solid *solid, int a, int b) {
    int stack[DEPTH], top = 0;
    const double *p = solid->point[a], *q = solid->point[b];
    stack[top++] = 0;
    while (top > 0) {
        const tact_solid_node *node = &solid->node[stack[--top]];
        // Down the tree, into nodes whose box the edge's box meets.
        bool apart = false;
        for (int k = 0; k < 3; k++) apart = apart || fmin(p[k], q[k]) > node->high[k] || fmax(p[k], q[k]) < node->low[k];
        if (apart) continue;
        for (int t = node->first; t < node->first + node->count; t++)
            if (pierces(solid, t, a, b)) return true;
        if (node->count > 0) continue;
        stack[top++] = node->child;
        stack[top++] = node->child + 1;
    }
    return false;
}

int tact_solid_crossings(const tact_solid *solid, int edge[2]) {
    int count = 0;
    for (int t = 0; t < solid->ntriangle; t++)
        for (int c = 0; c < 3; c++) {
            int a = solid->triangle[t][c], b = solid->triangle[t][(c + 1) % 3];
            // each edge has two faces, one in each direction
            if (a > b || !edge_crosses(solid, a, b)) continue;
            if (count++ == 0) edge[0] = a, edge[1] = b;
        }
    return count;
}
