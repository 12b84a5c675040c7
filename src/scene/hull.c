// SPDX-License-Identifier: MIT
// By exhaustion, in double precision: with at most 64 points every plane through three of them that has no point on its outer
// side carries a face, and the points on it are a set of 64 bits. So coplanar points need no special case: planes through any
// three of them give the same set. A point on a plane that is no corner of the polygon there is no vertex; it is dropped and the
// search starts again, until all faces agree. The result is checked: each edge lies between two faces, and Euler's V - E + F = 2.
#include "scene/hull.h"

#include <math.h>
#include <string.h>

typedef struct {
    double x, y, z;
} hull_vector;

typedef struct {
    uint64_t points;  // on the plane
    hull_vector normal;
    double area;  // of the triangle that gave the normal, twice
} hull_plane;

typedef struct {
    int count;
    hull_vector point[TACT_HULL_VERTICES];
    uint64_t alive;    // points that may be vertices
    double tolerance;  // [m]
    double size;       // largest extent [m]
    int nplane;
    hull_plane plane[TACT_HULL_FACES];
    int corner[TACT_HULL_FACES][TACT_HULL_VERTICES];  // of each face
    int ncorner[TACT_HULL_FACES];
} hull_search;

static hull_vector subtract(hull_vector a, hull_vector b) {
    return (hull_vector){a.x - b.x, a.y - b.y, a.z - b.z};
}

static hull_vector cross(hull_vector a, hull_vector b) {
    return (hull_vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double dot(hull_vector a, hull_vector b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static double length_of(hull_vector a) {
    return sqrt(dot(a, a));
}

static hull_vector scaled(double s, hull_vector a) {
    return (hull_vector){s * a.x, s * a.y, s * a.z};
}

static uint64_t bit(int i) {
    return (uint64_t)1 << i;
}

// Points twice at one place, and the extent of all.
static const char *measure_points(hull_search *s) {
    hull_vector low = s->point[0], high = low;
    for (int i = 1; i < s->count; i++) {
        hull_vector p = s->point[i];
        low = (hull_vector){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (hull_vector){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    s->size = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    if (!(s->size > 0)) return "all points lie at one place: a hull needs a volume";
    s->tolerance = fmax(1e-9, 16 * (double)TACT_EPS) * s->size;
    // The first of points at one place stands for all of them.
    s->alive = 0;
    for (int i = 0; i < s->count; i++) {
        bool twin = false;
        for (int j = 0; j < i; j++)
            twin = twin || ((s->alive & bit(j)) && length_of(subtract(s->point[i], s->point[j])) <= s->tolerance);
        if (!twin) s->alive |= bit(i);
    }
    return NULL;
}

// The farthest point from a point, a line and a plane in turn: a tetrahedron whose last height tells how flat the points are.
static const char *check_volume(const hull_search *s) {
    const double flat = 1000 * s->tolerance;
    hull_vector axis = {0, 0, 0}, normal = {0, 0, 0};
    double far = 0;
    // The farthest from the first point, then from that line, then from that plane.
    for (int i = 1; i < s->count; i++) {
        hull_vector arm = subtract(s->point[i], s->point[0]);
        if (length_of(arm) > far) axis = scaled(1 / length_of(arm), arm), far = length_of(arm);
    }
    far = 0;
    for (int i = 1; i < s->count; i++) {
        hull_vector across = cross(axis, subtract(s->point[i], s->point[0]));
        if (length_of(across) > far) normal = scaled(1 / length_of(across), across), far = length_of(across);
    }
    if (!(far > flat)) return "the points lie on one line: a hull needs a volume";
    far = 0;
    for (int i = 1; i < s->count; i++) far = fmax(far, fabs(dot(normal, subtract(s->point[i], s->point[0]))));
    return far > flat ? NULL : "the points lie in one plane: a hull needs a volume";
}

static bool try_triple(hull_search *s, int i, int j, int k) {
    hull_vector a = subtract(s->point[j], s->point[i]), b = subtract(s->point[k], s->point[i]), n = cross(a, b);
    double area = length_of(n), longest = fmax(length_of(a), fmax(length_of(b), length_of(subtract(a, b))));
    double low = 0, high = 0;
    if (!(area > 1000 * s->tolerance * longest)) return true;
    n = scaled(1 / area, n);
    hull_plane plane = {.normal = n, .area = area};
    // A face of the hull when all points lie on one side of its plane.
    for (int m = 0; m < s->count; m++) {
        if (!(s->alive & bit(m))) continue;
        double over = dot(n, subtract(s->point[m], s->point[i]));
        low = fmin(low, over);
        high = fmax(high, over);
        if (fabs(over) <= s->tolerance) plane.points |= bit(m);
    }
    if (high > s->tolerance && low < -s->tolerance) return true;
    if (high > s->tolerance) plane.normal = scaled(-1, n);
    // A plane is new, or the same face as one that is known: then the larger triangle gives the normal.
    for (int r = 0; r < s->nplane; r++) {
        hull_plane *known = &s->plane[r];
        // The same face: one's points among the other's, or nearly the same normal with a point in common.
        uint64_t both = known->points & plane.points;
        bool within = both == plane.points || both == known->points;
        if (!within && dot(known->normal, plane.normal) < 1 - 1e-10) continue;
        if (!within && !both) continue;
        known->points |= plane.points;
        if (plane.area > known->area) known->area = plane.area, known->normal = plane.normal;
        return true;
    }
    if (s->nplane == TACT_HULL_FACES) return false;
    s->plane[s->nplane++] = plane;
    return true;
}

static bool find_planes(hull_search *s) {
    s->nplane = 0;
    for (int i = 0; i < s->count; i++)
        for (int j = i + 1; j < s->count; j++)
            for (int k = j + 1; k < s->count; k++)
                if ((s->alive & bit(i)) && (s->alive & bit(j)) && (s->alive & bit(k)) && !try_triple(s, i, j, k)) return false;
    return true;
}

// The polygon of the points on a plane, counter-clockwise from the lowest number: gift wrapping. Points that are not corners are
// taken off s->alive.
static bool wrap_face(hull_search *s, int f) {
    const hull_plane *plane = &s->plane[f];
    int *corner = s->corner[f], count = 0, first = 0;
    // Start: the farthest point from the first, which is a corner
    while (!(plane->points & bit(first))) first++;
    int start = first;
    double far = 0;
    for (int i = first; i < s->count; i++) {
        if (!(plane->points & bit(i))) continue;
        double length = length_of(subtract(s->point[i], s->point[first]));
        if (length > far) far = length, start = i;
    }
    // The next corner: no point lies to the right of the way to it; of those on one line the farthest
    for (int at = start; count < TACT_HULL_VERTICES;) {
        int next = -1;
        corner[count++] = at;
        for (int i = 0; i < s->count; i++) {
            if (!(plane->points & bit(i)) || i == at) continue;
            if (next < 0) {
                next = i;
                continue;
            }
            // How far b lies to the right of the way from a to c, seen against the normal.
            hull_vector way = subtract(s->point[next], s->point[at]), arm = subtract(s->point[i], s->point[at]);
            double length = length_of(way);
            double right = length > 0 ? dot(plane->normal, cross(arm, way)) / length : 0;
            bool farther = length_of(subtract(s->point[i], s->point[at])) > length_of(subtract(s->point[next], s->point[at]));
            if (right > s->tolerance || (right >= -s->tolerance && farther)) next = i;
        }
        if (next == start || next < 0) break;
        at = next;
    }
    s->ncorner[f] = count;
    uint64_t corners = 0;
    for (int k = 0; k < count; k++) {
        if (corners & bit(corner[k])) return false;
        corners |= bit(corner[k]);
    }
    s->alive &= ~(plane->points & ~corners);
    return count >= 3;
}

// The edges, from the faces' corners; false when one is not between two faces.
static bool join_edges(tact_hull_parts *parts) {
    parts->nedge = 0;
    for (int f = 0; f < parts->nface; f++) {
        const tact_hull_face *face = &parts->face[f];
        for (int k = 0; k < face->count; k++) {
            // Each edge is met twice, once in each direction, by the faces on its left and right.
            int from = parts->corner[face->first + k], to = parts->corner[face->first + (k + 1) % face->count], e = 0;
            while (e < parts->nedge && !(parts->edge[e].from == to && parts->edge[e].to == from)) {
                if (parts->edge[e].from == from && parts->edge[e].to == to) return false;
                e++;
            }
            if (e < parts->nedge) {
                if (parts->edge[e].right >= 0) return false;
                parts->edge[e].right = f;
            } else if (e == TACT_HULL_EDGES) {
                return false;
            } else {
                parts->edge[parts->nedge++] = (tact_hull_edge){from, to, f, -1};
            }
        }
    }
    for (int e = 0; e < parts->nedge; e++)
        if (parts->edge[e].right < 0) return false;
    // Euler's formula: V - E + F = 2.
    return parts->nvertex - parts->nedge + parts->nface == 2;
}

// The hull from its planes: vertices numbered in the order of the points, faces with normals and offsets, then the edges.
static bool write_parts(const hull_search *s, const tact_vec3 *point, tact_hull_parts *parts) {
    int number[TACT_HULL_VERTICES], corners = 0;
    uint64_t used = 0;
    *parts = (tact_hull_parts){.nface = s->nplane};
    for (int f = 0; f < s->nplane; f++)
        for (int k = 0; k < s->ncorner[f]; k++) used |= bit(s->corner[f][k]);
    for (int i = 0; i < s->count; i++) {
        if (!(used & bit(i))) continue;
        number[i] = parts->nvertex;
        parts->from[parts->nvertex] = i;
        parts->vertex[parts->nvertex++] = point[i];
    }
    for (int f = 0; f < s->nplane; f++) {
        hull_vector n = s->plane[f].normal;
        tact_hull_face *face = &parts->face[f];
        double offset = 0;
        if (corners + s->ncorner[f] > 2 * TACT_HULL_EDGES) return false;
        face->first = corners;
        face->count = s->ncorner[f];
        face->normal = (tact_vec3){(tact_real)(n.x + 0), (tact_real)(n.y + 0), (tact_real)(n.z + 0)};  // no -0
        for (int k = 0; k < face->count; k++) {
            int i = s->corner[f][k];
            parts->corner[corners++] = number[i];
            offset = k == 0 ? dot(n, s->point[i]) : fmax(offset, dot(n, s->point[i]));
        }
        face->offset = (tact_real)offset;
    }
    return join_edges(parts);
}

const char *tact_hull_build(const tact_vec3 *point, int count, tact_hull_parts *parts) {
    hull_search s = {.count = count};
    TACT_ASSERT(point && parts && 4 <= count && count <= TACT_HULL_VERTICES);
    for (int i = 0; i < count; i++) s.point[i] = (hull_vector){(double)point[i].x, (double)point[i].y, (double)point[i].z};
    const char *reason = measure_points(&s);
    if (!reason) reason = check_volume(&s);
    if (reason) return reason;
    // Each round drops points that are no corners, until there are none
    for (uint64_t before = 0; before != s.alive;) {
        bool good = find_planes(&s);
        before = s.alive;
        for (int f = 0; good && f < s.nplane; f++) good = wrap_face(&s, f);
        if (!good) return "the faces of the points are too small to tell apart";
    }
    return write_parts(&s, point, parts) ? NULL : "the faces of the points are too small to tell apart";
}
