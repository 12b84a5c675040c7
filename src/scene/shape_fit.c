// SPDX-License-Identifier: MIT
#include "tact/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"

#define PI 3.14159265358979323846
#define ROUNDING 1e-13

enum {
    EXCHANGES = 1000,   // of points that hold a ball
    CANDIDATES = 1500,  // so many points are searched over; of more only those that are extreme in some direction
    DIRECTIONS = 600,   //
    STARTS = 16,        //
    REFINED = 4,        // starts from which a search goes on
    SAMPLES = 400       // places on a surface
};

// ---- vectors ----

static double dot3(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalise3(double a[3]) {
    double length = sqrt(dot3(a, a));
    for (int k = 0; k < 3; k++) a[k] /= length;
}

// two unit vectors that make a right-handed frame with d: e1, e2, d
static void complete(const double d[3], double e1[3], double e2[3]) {
    int least = fabs(d[0]) <= fabs(d[1]) && fabs(d[0]) <= fabs(d[2]) ? 0 : fabs(d[1]) <= fabs(d[2]) ? 1 : 2;
    for (int k = 0; k < 3; k++) e1[k] = (k == least) - d[least] * d[k];
    normalise3(e1);
    cross3(d, e1, e2);
}

// by the library's own functions, so that fits are the same on every machine
static void find_sines(double angle, double *s, double *c) {
    tact_real sine = 0, cosine = 0;
    tact_sincos((tact_real)angle, &sine, &cosine);
    *s = (double)sine;
    *c = (double)cosine;
}

void tact_fit_direction(int k, int n, double d[3]) {
    double z = 1 - (2 * k + 1) / (double)n, r = sqrt(1 - z * z), s = 0, c = 0;
    find_sines(k * (PI * (3 - sqrt(5.0))), &s, &c);
    d[0] = r * c;
    d[1] = r * s;
    d[2] = z;
}

// ---- the smallest ball ----

typedef struct {
    double center[3], square;  // of the radius
} ball;

// The ball with n <= 4 points on its surface and its centre in their affine hull; false where they are dependent. For
// v_i = s_i - s_0 the centre is s_0 + sum l_i v_i with 2 v_i . v_j l_j = v_i . v_i.
static bool circumscribe(const tact_fit_point *s, int n, ball *result) {
    double v[3][3], A[3][4];
    int m = n - 1;
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) v[i][k] = s[i + 1].x[k] - s[0].x[k];
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) A[i][j] = 2 * dot3(v[i], v[j]);
        A[i][3] = dot3(v[i], v[i]);
    }
    // Gauss-Jordan elimination; of a Gram matrix the diagonal serves as pivots
    for (int p = 0; p < m; p++) {
        if (!(A[p][p] > ROUNDING * 2 * dot3(v[p], v[p]))) return false;
        for (int i = 0; i < m; i++) {
            double factor = i == p ? 0 : A[i][p] / A[p][p];
            for (int j = p; j < 4; j++) A[i][j] -= factor * A[p][j];
        }
    }
    double to[3] = {0, 0, 0};
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) to[k] += A[i][3] / A[i][i] * v[i][k];
    for (int k = 0; k < 3; k++) result->center[k] = s[0].x[k] + to[k];
    result->square = dot3(to, to);
    return true;
}

static bool holds(const ball *of, const tact_fit_point *p, double slack) {
    double d[3] = {p->x[0] - of->center[0], p->x[1] - of->center[1], p->x[2] - of->center[2]};
    return dot3(d, d) <= of->square * (1 + slack);
}

// The smallest ball round up to 5 points, by trying all those that 1 to 4 of them hold; *support are those.
static ball try_all(tact_fit_point support[5], int *count) {
    ball best = {.square = HUGE_VAL};
    tact_fit_point kept[4];
    int nkept = 0;
    for (unsigned set = 1; set < 1u << *count; set++) {
        tact_fit_point chosen[5] = {{{0}}};
        ball one;
        int n = 0;
        for (int i = 0; i < *count; i++)
            if (set >> i & 1) chosen[n++] = support[i];
        if (n > 4 || !circumscribe(chosen, n, &one) || one.square >= best.square) continue;
        // Smaller than the best, and it holds all points.
        bool all = true;
        for (int i = 0; i < *count && all; i++) all = set >> i & 1 || holds(&one, &support[i], 1e-10);
        if (!all) continue;
        best = one;
        nkept = n;
        memcpy(kept, chosen, (size_t)n * sizeof kept[0]);
    }
    *count = nkept;
    memcpy(support, kept, (size_t)nkept * sizeof kept[0]);
    return best;
}

// Exchanges: the point farthest from the ball so far joins those that hold it, until none is outside; the radius grows each time.
static ball enclose(const tact_fit_point *point, int n) {
    tact_fit_point support[5] = {point[0]};
    int count = 1;
    ball result = {.center = {point[0].x[0], point[0].x[1], point[0].x[2]}};
    for (int k = 0; k < EXCHANGES; k++) {
        int farthest = 0;
        double most = -1;
        for (int i = 0; i < n; i++) {
            double d[3] = {point[i].x[0] - result.center[0], point[i].x[1] - result.center[1], point[i].x[2] - result.center[2]};
            double square = dot3(d, d);
            if (square <= most) continue;
            most = square;
            farthest = i;
        }
        if (most <= result.square * (1 + 1e-14)) break;
        support[count++] = point[farthest];
        ball next = try_all(support, &count);
        if (!(next.square > result.square) || isinf(next.square)) {
            // rounding is all that is left: the radius takes it
            result.square = most;
            break;
        }
        result = next;
    }
    return result;
}

// ---- capsules and boxes along a direction ----

typedef struct {
    double x, y;
} spot;

typedef struct {
    const tact_fit_point *point;
    int n;
    tact_fit_point *flat;  // (n) scratch: across, across, along
    spot *spot, *hull;     // (n), (2n)
} cloud;

// the points in the frame e1, e2, d, along d kept apart in z
static void project(const cloud *of, const double d[3], double e1[3], double e2[3]) {
    complete(d, e1, e2);
    for (int i = 0; i < of->n; i++) {
        const double *x = of->point[i].x;
        of->flat[i] = (tact_fit_point){{dot3(x, e1), dot3(x, e2), dot3(x, d)}};
    }
}

static void place_fit(tact_shape_fit *fit, const double e1[3], const double e2[3], const double d[3], const double local[3]) {
    for (int k = 0; k < 3; k++) {
        fit->R[k][0] = e1[k];
        fit->R[k][1] = e2[k];
        fit->R[k][2] = d[k];
        fit->center[k] = local[0] * e1[k] + local[1] * e2[k] + local[2] * d[k];
    }
}

// The volume of the capsule along d. Of a point at the height h and the distance s from the axis, the segment must reach above
// h - sqrt(r^2 - s^2) and below h + sqrt(r^2 - s^2).
static double try_capsule(const cloud *of, const double d[3], tact_shape_fit *fit) {
    double e1[3], e2[3], low = HUGE_VAL, high = -HUGE_VAL;
    project(of, d, e1, e2);
    for (int i = 0; i < of->n; i++) {
        double h = of->flat[i].x[2];
        of->spot[i].x = h;
        of->flat[i].x[2] = 0;
    }
    // Radius and axis: the smallest circle round the points seen along d.
    ball round = enclose(of->flat, of->n);
    for (int i = 0; i < of->n; i++) {
        // How far a cap's sphere reaches along d where this point is.
        double u = of->flat[i].x[0] - round.center[0], v = of->flat[i].x[1] - round.center[1];
        double reach = sqrt(fmax(0, round.square - u * u - v * v));
        low = fmin(low, of->spot[i].x + reach);
        high = fmax(high, of->spot[i].x - reach);
    }
    double length = fmax(0, high - low), radius = sqrt(round.square);
    if (fit) {
        place_fit(fit, e1, e2, d, (double[3]){round.center[0], round.center[1], (low + high) / 2});
        fit->size[0] = radius;
        fit->size[1] = length / 2;
    }
    return PI * round.square * (length + 4.0 / 3 * radius);
}

static int compare_spots(const void *a, const void *b) {
    const spot *p = a, *q = b;
    if (p->x != q->x) return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

static double turn(spot a, spot b, spot c) {
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// Convex hull by monotone chains (Andrew 1979); returns its corners.
static int find_hull(const cloud *of) {
    spot *p = of->spot, *h = of->hull;
    int k = 0;
    qsort(p, (size_t)of->n, sizeof p[0], compare_spots);
    for (int i = 0; i < of->n; i++) {
        while (k >= 2 && turn(h[k - 2], h[k - 1], p[i]) <= 0) k--;
        h[k++] = p[i];
    }
    for (int i = of->n - 2, first = k + 1; i >= 0; i--) {
        while (k >= first && turn(h[k - 2], h[k - 1], p[i]) <= 0) k--;
        h[k++] = p[i];
    }
    return k > 1 ? k - 1 : k;
}

// The volume of the box one side of which is along d.
static double try_box(const cloud *of, const double d[3], tact_shape_fit *fit) {
    double e1[3], e2[3], low = HUGE_VAL, high = -HUGE_VAL, best = HUGE_VAL, least[6] = {0};
    project(of, d, e1, e2);
    for (int i = 0; i < of->n; i++) {
        low = fmin(low, of->flat[i].x[2]);
        high = fmax(high, of->flat[i].x[2]);
        of->spot[i] = (spot){of->flat[i].x[0], of->flat[i].x[1]};
    }
    int count = find_hull(of);
    // the frame's own axes first, then each side of the hull
    for (int i = -1; i < count; i++) {
        double c = 1, s = 0, box[4] = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
        if (i >= 0) {
            spot a = of->hull[i], b = of->hull[(i + 1) % count];
            double length = sqrt((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y));
            if (!(length > 0)) continue;
            c = (b.x - a.x) / length;
            s = (b.y - a.y) / length;
        }
        for (int k = 0; k < count; k++) {
            double u = c * of->hull[k].x + s * of->hull[k].y, v = c * of->hull[k].y - s * of->hull[k].x;
            box[0] = fmin(box[0], u);
            box[1] = fmax(box[1], u);
            box[2] = fmin(box[2], v);
            box[3] = fmax(box[3], v);
        }
        double area = (box[1] - box[0]) * (box[3] - box[2]);
        if (area >= best * (1 - 1e-12)) continue;
        best = area;
        memcpy(least, box, sizeof box);
        least[4] = c;
        least[5] = s;
    }
    if (fit) {
        double u[3], v[3];
        for (int k = 0; k < 3; k++) {
            u[k] = least[4] * e1[k] + least[5] * e2[k];
            v[k] = least[4] * e2[k] - least[5] * e1[k];
        }
        place_fit(fit, u, v, d, (double[3]){(least[0] + least[1]) / 2, (least[2] + least[3]) / 2, (low + high) / 2});
        fit->size[0] = (least[1] - least[0]) / 2;
        fit->size[1] = (least[3] - least[2]) / 2;
        fit->size[2] = (high - low) / 2;
    }
    return best * (high - low);
}

// ---- the search over directions ----

typedef double trial(const cloud *of, const double d[3], tact_shape_fit *fit);

// A turn of d by steps that are halved where none of eight neighbours is better (pattern search).
static double refine(const cloud *of, trial *try, double d[3], double value) {
    double step = 0.25;
    for (int halvings = 0; halvings < 28; halvings++, step /= 2) {
        bool better = true;
        for (int moves = 0; better && moves < 20; moves++) {
            double e1[3], e2[3];
            better = false;
            complete(d, e1, e2);
            for (int k = 0; k < 8 && !better; k++) {
                double near[3], s = 0, c = 0;
                // Eight neighbours on a circle of the step's size.
                find_sines(k * PI / 4, &s, &c);
                for (int i = 0; i < 3; i++) near[i] = d[i] + step * (c * e1[i] + s * e2[i]);
                normalise3(near);
                double next = try(of, near, NULL);
                if (!(next < value * (1 - 1e-14))) continue;
                value = next;
                memcpy(d, near, sizeof near);
                better = true;
            }
        }
    }
    return value;
}

// Directions to start from: the principal axes of the points, the axes of the mesh, and others spread over the half sphere.
static void find_starts(const cloud *of, double start[STARTS][3]) {
    double mean[3] = {0}, C[3][3] = {{0}}, V[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < of->n; i++)
        for (int k = 0; k < 3; k++) mean[k] += of->point[i].x[k] / of->n;
    for (int i = 0; i < of->n; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) C[a][b] += (of->point[i].x[a] - mean[a]) * (of->point[i].x[b] - mean[b]);
    // Jacobi rotations: V' C V becomes diagonal
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++) {
            for (int q = p + 1; q < 3; q++) {
                if (fabs(C[p][q]) <= 1e-300) continue;
                double theta = (C[q][q] - C[p][p]) / (2 * C[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = C[k][p], y = C[k][q];
                    C[k][p] = c * x - s * y;
                    C[k][q] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = C[p][k], y = C[q][k], v = V[k][p], w = V[k][q];
                    C[p][k] = c * x - s * y;
                    C[q][k] = s * x + c * y;
                    V[k][p] = c * v - s * w;
                    V[k][q] = s * v + c * w;
                }
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            start[i][k] = k == 2 - i;
            start[3 + i][k] = V[k][i];
        }
        normalise3(start[3 + i]);
    }
    for (int i = 6; i < STARTS; i++) tact_fit_direction(i - 6, 2 * (STARTS - 6), start[i]);
}

static void search(const cloud *of, trial *try, double best[3]) {
    double start[STARTS][3], value[STARTS], least = HUGE_VAL;
    find_starts(of, start);
    for (int i = 0; i < STARTS; i++) value[i] = try(of, start[i], NULL);
    for (int k = 0; k < REFINED; k++) {
        // The best starts not refined yet; nearly equal values do not change the order.
        int next = 0;
        for (int i = 1; i < STARTS; i++)
            if (value[i] < value[next] * (1 - 1e-9)) next = i;
        double found = refine(of, try, start[next], value[next]);
        value[next] = HUGE_VAL;
        if (!(found < least * (1 - 1e-9))) continue;
        least = found;
        memcpy(best, start[next], sizeof start[next]);
    }
    if (isinf(least)) memcpy(best, (double[3]){1, 0, 0}, 3 * sizeof best[0]);
}

// Points that are the farthest in one of many directions, in their order; all of them where they are few.
static int thin(const tact_fit_point *point, int n, tact_fit_point *out) {
    bool *kept = n > CANDIDATES ? tact_memory_get((size_t)n) : NULL;
    int count = 0;
    if (n > CANDIDATES && !kept) return 0;
    for (int i = 0; i < n && kept; i++) kept[i] = false;
    for (int k = 0; k < DIRECTIONS && kept; k++) {
        // The farthest point along this direction.
        double d[3], most = -HUGE_VAL;
        int farthest = 0;
        tact_fit_direction(k, DIRECTIONS, d);
        for (int i = 0; i < n; i++) {
            double along = dot3(point[i].x, d);
            if (along <= most) continue;
            most = along;
            farthest = i;
        }
        kept[farthest] = true;
    }
    for (int i = 0; i < n; i++)
        if (!kept || kept[i]) out[count++] = point[i];
    tact_memory_release(kept);
    return count;
}

// How far below the surface a point lies; < 0 outside of it.
static double find_depth(const tact_shape_fit *fit, const tact_fit_point *point) {
    double from[3] = {0, 0, 0}, local[3] = {0, 0, 0}, depth = HUGE_VAL;
    for (int k = 0; k < 3; k++) from[k] = point->x[k] - fit->center[k];
    for (int k = 0; k < 3; k++) local[k] = fit->R[0][k] * from[0] + fit->R[1][k] * from[1] + fit->R[2][k] * from[2];
    if (fit->type == TACT_SHAPE_BOX) {
        for (int k = 0; k < 3; k++) depth = fmin(depth, fit->size[k] - fabs(local[k]));
        return depth;
    }
    if (fit->type == TACT_SHAPE_CAPSULE) local[2] -= fmin(fmax(local[2], -fit->size[1]), fit->size[1]);
    return fit->size[0] - sqrt(dot3(local, local));
}

static void fit_sphere(const tact_fit_point *point, int n, tact_shape_fit *fit) {
    *fit = (tact_shape_fit){.type = TACT_SHAPE_SPHERE, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    ball least = enclose(point, n);
    memcpy(fit->center, least.center, sizeof fit->center);
    for (int i = 0; i < n; i++) {
        const double *x = point[i].x, d[3] = {x[0] - least.center[0], x[1] - least.center[1], x[2] - least.center[2]};
        fit->size[0] = fmax(fit->size[0], sqrt(dot3(d, d)));
    }
}

bool tact_fit_points(tact_shape_type type, const tact_fit_point *point, int n, tact_shape_fit *fit) {
    *fit = (tact_shape_fit){.type = type, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (type == TACT_SHAPE_SPHERE) {
        fit_sphere(point, n, fit);
    } else {
        cloud all = {.n = n, .point = point};
        tact_fit_point *few = tact_memory_get((size_t)n * sizeof few[0]);
        all.flat = tact_memory_get((size_t)n * sizeof all.flat[0]);
        all.spot = tact_memory_get((size_t)n * sizeof all.spot[0]);
        all.hull = tact_memory_get((2 * (size_t)n + 1) * sizeof all.hull[0]);
        // Directions are searched with the extreme points only, the size is taken from all.
        cloud thinned = all;
        thinned.point = few;
        thinned.n = few ? thin(point, n, few) : 0;
        bool good = all.flat && all.spot && all.hull && thinned.n > 0;
        trial *try = type == TACT_SHAPE_BOX ? try_box : try_capsule;
        if (good) {
            double d[3];
            search(&thinned, try, d);
            try(&all, d, fit);
        }
        tact_memory_release(few);
        tact_memory_release(all.flat);
        tact_memory_release(all.spot);
        tact_memory_release(all.hull);
        if (!good) return false;
        if (type == TACT_SHAPE_CAPSULE && fit->size[1] <= 1e-9 * fit->size[0]) fit_sphere(point, n, fit);
    }
    for (int i = 0; i < n; i++) fit->inside = fmax(fit->inside, find_depth(fit, &point[i]));
    return true;
}

// ---- the surface against the mesh ----

// The square of the distance of p from the segment from a to b.
static double to_segment(const double p[3], const double a[3], const double b[3]) {
    double ab[3], ap[3], square = 0;
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        ap[k] = p[k] - a[k];
    }
    double whole = dot3(ab, ab), t = whole > 0 ? fmin(fmax(dot3(ab, ap) / whole, 0), 1) : 0;
    for (int k = 0; k < 3; k++) square += (ap[k] - t * ab[k]) * (ap[k] - t * ab[k]);
    return square;
}

// ... from a triangle: within it where the foot of the perpendicular is, else from its sides.
static double to_triangle(const double p[3], const double a[3], const double b[3], const double c[3]) {
    double ab[3], ac[3], ap[3], normal[3], to_b[3], to_c[3];
    for (int k = 0; k < 3; k++) {
        ab[k] = b[k] - a[k];
        ac[k] = c[k] - a[k];
        ap[k] = p[k] - a[k];
    }
    cross3(ab, ac, normal);
    double area = dot3(normal, normal);
    cross3(ap, ac, to_b);
    cross3(ab, ap, to_c);
    // Barycentric coordinates of the foot, times |n|^2.
    double v = dot3(to_b, normal), w = dot3(to_c, normal);
    if (area > 0 && v >= 0 && w >= 0 && v + w <= area) return dot3(ap, normal) * dot3(ap, normal) / area;
    return fmin(to_segment(p, a, b), fmin(to_segment(p, b, c), to_segment(p, a, c)));
}

static double square3(const double a[3], const double b[3]) {
    return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

void tact_fit_measure(tact_shape_fit *fit, const tact_fit_point *point, const int (*corner)[3], int ntriangle) {
    fit->deviation = 0;
    for (int s = 0; s < SAMPLES && ntriangle > 0; s++) {
        double d[3], place[3], least = HUGE_VAL;
        tact_fit_direction(s, SAMPLES, d);
        // A place on the surface for a direction d of the unit sphere.
        double local[3] = {fit->size[0] * d[0], fit->size[0] * d[1], fit->size[0] * d[2]};
        if (fit->type == TACT_SHAPE_BOX) {
            // Scaled until it meets a face.
            double largest = fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2])));
            for (int k = 0; k < 3; k++) local[k] = fit->size[k] * d[k] / largest;
        } else if (fit->type == TACT_SHAPE_CAPSULE) {
            // Height by d's, then as far across as the capsule reaches there.
            double r = fit->size[0], half = fit->size[1], z = d[2] * (half + r), beyond = fmax(0, fabs(z) - half);
            double across = sqrt(fmax(0, r * r - beyond * beyond)), length = sqrt(d[0] * d[0] + d[1] * d[1]);
            local[0] = length > 0 ? across * d[0] / length : across;
            local[1] = length > 0 ? across * d[1] / length : 0;
            local[2] = z;
        }
        for (int k = 0; k < 3; k++)
            place[k] = fit->center[k] + fit->R[k][0] * local[0] + fit->R[k][1] * local[1] + fit->R[k][2] * local[2];
        for (int t = 0; t < ntriangle; t++) {
            const double *a = point[corner[t][0]].x, *b = point[corner[t][1]].x, *c = point[corner[t][2]].x;
            // a triangle within r of a is no nearer than |p - a| - r; and (r + s)^2 <= 2 (r^2 + s^2)
            if (square3(place, a) > 2.000001 * (fmax(square3(a, b), square3(a, c)) + least)) continue;
            least = fmin(least, to_triangle(place, a, b, c));
        }
        fit->deviation = fmax(fit->deviation, sqrt(least));
    }
}

bool tact_shape_volume(tact_shape_type type, const tact_real *size, double *volume, double moment[3]) {
    double a = (double)size[0], b = (double)size[1], c = (double)size[2];
    if (type == TACT_SHAPE_SPHERE || type == TACT_SHAPE_ELLIPSOID) {
        if (type == TACT_SHAPE_SPHERE) b = c = a;
        *volume = 4.0 / 3 * PI * a * b * c;
        moment[0] = (b * b + c * c) / 5;
        moment[1] = (a * a + c * c) / 5;
        moment[2] = (a * a + b * b) / 5;
    } else if (type == TACT_SHAPE_BOX) {
        *volume = 8 * a * b * c;
        moment[0] = (b * b + c * c) / 3;
        moment[1] = (a * a + c * c) / 3;
        moment[2] = (a * a + b * b) / 3;
    } else if (type == TACT_SHAPE_CYLINDER) {
        *volume = 2 * PI * a * a * b;
        moment[0] = moment[1] = a * a / 4 + b * b / 3;
        moment[2] = a * a / 2;
    } else if (type == TACT_SHAPE_CAPSULE) {
        // a cylinder of the length 2b, and half balls whose centroids lie 3a/8 beyond its ends
        double middle = 2 * PI * a * a * b, ends = 4.0 / 3 * PI * a * a * a, whole = middle + ends;
        *volume = whole;
        moment[0] = moment[1] =
            (middle * (a * a / 4 + b * b / 3) + ends * (2.0 / 5 * a * a + b * b + 3.0 / 4 * a * b)) / (whole > 0 ? whole : 1);
        moment[2] = (middle * a * a / 2 + ends * 2.0 / 5 * a * a) / (whole > 0 ? whole : 1);
    } else {
        return false;
    }
    return true;
}

double tact_shape_radius(const tact_shape *shape) {
    TACT_ASSERT(shape);
    const double x = (double)shape->size[0], y = (double)shape->size[1], z = (double)shape->size[2];
    double most = 0;
    switch (shape->type) {
    case TACT_SHAPE_PLANE:
    case TACT_SHAPE_HALFPLANE: return HUGE_VAL;
    case TACT_SHAPE_CAPSULE: return x + y;
    case TACT_SHAPE_CYLINDER:
    case TACT_SHAPE_RECTANGLE: return hypot(x, y);
    case TACT_SHAPE_BOX: return sqrt(x * x + y * y + z * z);
    case TACT_SHAPE_ELLIPSOID: return fmax(x, fmax(y, z));
    case TACT_SHAPE_POLYGON:
        for (int k = 0; k < shape->count; k++) most = fmax(most, hypot((double)shape->point[k].x, (double)shape->point[k].y));
        return most * x;
    case TACT_SHAPE_SMOOTH_UNION: return x * log(fmax(shape->count, 1));
    default: break;
    }
    for (int k = 0; shape->hull && k < shape->hull->nvertex; k++)
        most = fmax(most, sqrt((double)tact_vec3_dot(shape->hull->vertex[k], shape->hull->vertex[k])));
    // the box in which a grid's surface lies
    const tact_grid *grid = shape->grid;
    for (int k = 0; grid && k < 3; k++) {
        const double low = (double)(k == 0 ? grid->low.x : k == 1 ? grid->low.y : grid->low.z), step = (double)grid->step;
        most = hypot(most, fmax(fabs(low + step), fabs(low + (grid->count[k] - 2) * step)));
    }
    return x + most;
}
