// SPDX-License-Identifier: MIT
// Distance grids: meshes of spheres, tori and ellipsoids, sampled, against closed forms; gradient and Hessian against difference
// quotients; the gap along lines from far away; what is no solid, and arrays that are no grids; steps and their derivatives with
// a ball against a grid.
#include "files.h"
#include "geom/shapes.h"
#include "grid_test.h"
#include "scene/grid_surface.h"
#include "tact/deriv.h"
#include "tact/geom.h"
#include "tact/npy.h"
#include "tact/sim.h"
#include "vector_test.h"

// phi by its definition, a sum over all coefficients about x
static double spline_of(const tact_grid *grid, tact_vec3 x) {
    double u[3], sum = 0;
    spread(tact_vec3_scale(1 / grid->step, tact_vec3_sub(x, grid->low)), u);
    for (int i = (int)u[0] - 1; i <= (int)u[0] + 2; i++)
        for (int j = (int)u[1] - 1; j <= (int)u[1] + 2; j++)
            for (int k = (int)u[2] - 1; k <= (int)u[2] + 2; k++) {
                const double t[3] = {fabs(u[0] - i), fabs(u[1] - j), fabs(u[2] - k)};
                const int at = (i * grid->count[1] + j) * grid->count[2] + k;
                double b = (double)grid->unit * (grid->value ? (double)grid->value[at] : (double)grid->fine[at]);
                for (int c = 0; c < 3; c++) b *= t[c] < 1 ? 2.0 / 3 - t[c] * t[c] * (2 - t[c]) / 2 : pow(2 - t[c], 3) / 6;
                sum += b;
            }
    return sum;
}

static double torus_gap(const double x[3], double large, double small) {
    return hypot(hypot(x[0], x[1]) - large, x[2]) - small;
}

// distance and normal at points from 3 mm inside to reach outside the surface; the mesh itself is off by its facets
static void check_torus_at(sampled *s, int count, bool fine, double reach, double allowed) {
    const double large = 0.03, small = 0.012;
    double worst = 0, turned = 0;
    take_numbers(s, fine);
    for (int k = 0; k < 4000; k++) {
        double u = uniform(0, turn), v = uniform(0, turn), r = small + uniform(-0.003, reach);
        // not where two sides of the ring are about as near
        if (large + r * cos(v) < 0.008) continue;
        const double x[3] = {(large + r * cos(v)) * cos(u), (large + r * cos(v)) * sin(u), r * sin(v)};
        tact_distance d = tact_shape_distance(&s->shape, vec(x[0], x[1], x[2]));
        double n[3];
        spread(d.gradient, n);
        CHECK(!d.degenerate);
        CHECK_CLOSE(norm_of(n), 1, 8 * (double)TACT_EPS);
        worst = fmax(worst, fabs((double)d.value - torus_gap(x, large, small)));
        turned = fmax(turned, 1 - (n[0] * cos(v) * cos(u) + n[1] * cos(v) * sin(u) + n[2] * sin(v)));
    }
    printf("torus, %d numbers%s, to %g m: gap off by %.2g m, normal by %.2g rad\n", count, fine ? " of 16 bits" : "", reach,
           worst, sqrt(2 * turned));
    CHECK(worst < allowed && sqrt(2 * turned) < 40 * allowed / 0.001);
}

// No slope of the spline exceeds tact_grid_steep, and no gap is less than tact_grid_least says, which is that of distant points
// to within a factor.
static void check_bounds(sampled *s, bool fine) {
    double steepest = 0, least = TACT_MAX, share = 0;
    int bounded = 0, distant = 0;
    take_numbers(s, fine);
    s->grid.steep = 0;
    CHECK(tact_grid_least(&s->shape, vec(0.03, 0.002, 0)) == -TACT_MAX);
    s->grid.steep = tact_grid_steep(&s->grid);
    for (int k = 0; k < 6000; k++) {
        const tact_vec3 x = random_vec(k % 3 ? 0.06 : 0.3);
        const double gap = (double)tact_shape_distance(&s->shape, x).value, bound = (double)tact_grid_least(&s->shape, x);
        least = fmin(least, gap - bound);
        bounded += bound > -1 ? 1 : 0;
        if (gap < 0.02) continue;
        distant++;
        share += bound / gap;
    }
    // the slope along lines: a difference quotient is a mean of slopes
    for (int k = 0; k < 20000; k++) {
        const tact_vec3 x = vec(uniform(-0.042, 0.042), uniform(-0.042, 0.042), uniform(-0.012, 0.012));
        const tact_vec3 n = tact_shape_distance(&s->shape, x).gradient, y = tact_vec3_add_scaled(x, TACT_REAL(1e-4), n);
        steepest = fmax(steepest, fabs(spline_of(&s->grid, y) - spline_of(&s->grid, x)) / 1e-4);
    }
    printf("slope up to %.4g, bound %.4g; gaps at least %.2g m above their bounds, which are %.2g of those from 2 cm on\n",
           steepest, (double)s->grid.steep, least, share / distant);
    CHECK(least >= 0 && bounded > 2000 && share > 0.5 * distant);
    CHECK(steepest <= (double)s->grid.steep && steepest > 0.5 * (double)s->grid.steep && (double)s->grid.steep < 2.5);
    s->grid.steep = 0;
}

static void check_torus(int count, bool fine, double reach, double allowed) {
    const double large = 0.03, small = 0.012;
    sampled s;
    tact_mesh mesh = {0};
    make_torus(&mesh, 240, 120, large, small);
    sample(&s, &mesh, count, false);
    CHECK_CLOSE(s.solid.volume, turn / 2 * turn * large * small * small, 1e-3 * s.solid.volume);
    check_torus_at(&s, count, false, reach, allowed);
    check_bounds(&s, false);
    if (fine) check_torus_at(&s, count, true, reach, allowed);
    if (fine) check_bounds(&s, true);
    forget(&s);
}

static void check_ellipsoid(const double half[3], int count, double allowed) {
    sampled s;
    tact_mesh mesh = {0};
    double worst = 0;
    make_ellipsoid(&mesh, 120, 240, half);
    sample(&s, &mesh, count, false);
    tact_shape exact = {.type = TACT_SHAPE_ELLIPSOID, .size = {(tact_real)half[0], (tact_real)half[1], (tact_real)half[2]}};
    s.shape.size[0] = TACT_REAL(0.002);  // round
    for (int k = 0; k < 4000; k++) {
        tact_vec3 x = random_vec(k % 2 ? 0.06 : 0.3);
        double wanted = (double)tact_shape_distance(&exact, x).value;
        if (wanted < -0.004) continue;
        worst = fmax(worst, fabs((double)tact_shape_distance(&s.shape, x).value - (wanted - 0.002)));
    }
    printf("ellipsoid %g, %g, %g, %d numbers: gap off by %.2g m, also far outside\n", half[0], half[1], half[2], count, worst);
    CHECK(worst < allowed);
    forget(&s);
}

static void test_closed_forms(void) {
    check_torus(17, false, 0.01, 6e-4);
    check_torus(33, true, 0.01, 6e-5);
    check_torus(49, false, 0.03, 2e-5);
    check_ellipsoid((const double[3]){0.03, 0.03, 0.03}, 25, 2e-5);
    check_ellipsoid((const double[3]){0.03, 0.04, 0.05}, 33, 2e-5);
}

// ---- derivatives

// Central differences of value and gradient.
static void difference(const tact_shape *shape, tact_vec3 x, double h, double slope[3], double rows[3][3]) {
    for (int c = 0; c < 3; c++) {
        tact_vec3 e = vec(c == 0 ? h : 0, c == 1 ? h : 0, c == 2 ? h : 0);
        tact_distance high = tact_shape_distance(shape, tact_vec3_add(x, e));
        tact_distance low = tact_shape_distance(shape, tact_vec3_sub(x, e));
        double up[3], down[3];
        spread(high.gradient, up);
        spread(low.gradient, down);
        slope[c] = ((double)high.value - (double)low.value) / (2 * h);
        for (int m = 0; m < 3; m++) rows[m][c] = (up[m] - down[m]) / (2 * h);
    }
}

// Gradient and Hessian against differences. Third derivatives of the spline jump where the foot goes from cell to cell: there
// differences of two widths differ.
static void check_differences(const sampled *s, double reach) {
    const double h = 4e-7;
    int compared = 0, passed = 0;
    double off_slope = 0, off_bend = 0;
    for (int k = 0; k < 2000; k++) {
        double u = uniform(0, turn), v = uniform(0, turn), r = 0.012 + uniform(-0.003, reach), most = 1, split = 0;
        double rows[3][3], narrow[3][3], slope[3], other[3], g[3];
        if (0.03 + r * cos(v) < 0.012) continue;
        tact_vec3 x = vec((0.03 + r * cos(v)) * cos(u), (0.03 + r * cos(v)) * sin(u), r * sin(v));
        tact_mat3 H;
        tact_distance d = tact_shape_measure(&s->shape, x, &H), alone = tact_shape_distance(&s->shape, x);
        tact_mat3 again = tact_shape_hessian(&s->shape, x);
        CHECK(d.value == alone.value && d.gradient.x == alone.gradient.x && memcmp(&H, &again, sizeof H) == 0);
        spread(d.gradient, g);
        difference(&s->shape, x, h, slope, rows);
        difference(&s->shape, x, h / 2, other, narrow);
        for (int c = 0; c < 9; c++) {
            most = fmax(most, fabs((double)H.m[c / 3][c % 3]));
            split = fmax(split, fabs(rows[c / 3][c % 3] - narrow[c / 3][c % 3]));
        }
        if (split > 3e-8 * most) {
            passed++;
            continue;
        }
        compared++;
        for (int m = 0; m < 3; m++) {
            off_slope = fmax(off_slope, fabs(slope[m] - g[m]));
            for (int c = 0; c < 3; c++) off_bend = fmax(off_bend, fabs(rows[m][c] - (double)H.m[m][c]) / most);
        }
    }
    printf("gradient off by %.2g, Hessian by %.2g of it, at %d points; %d near a kink passed over\n", off_slope, off_bend,
           compared, passed);
    CHECK(off_slope < 1e-7 && off_bend < 1e-7 && compared > 1500 && passed < 60);
}

static void test_differences(void) {
    // steps that single precision needs lead over many cells
    if (PICK(false, true)) {
        printf("    skipped: derivatives of the distance against differences (of double only)\n");
        return;
    }
    for (int k = 0; k < 2; k++) {
        sampled s;
        tact_mesh mesh = {0};
        make_torus(&mesh, 160, 80, 0.03, 0.012);
        sample(&s, &mesh, k == 0 ? 25 : 41, false);
        check_differences(&s, k == 0 ? 0.006 : 0.012);
        take_numbers(&s, true);
        if (k == 1) check_differences(&s, 0.012);
        forget(&s);
    }
}

// No distance rises faster than the way: along lines through and past a ring, from far outside. Between its sides, in the hole,
// the nearest one may be taken for the other, which is as near to the step of the grid.
static void test_lines(void) {
    sampled s;
    tact_mesh mesh = {0};
    int jumps = 0, steps = 0;
    double most = 0;
    make_torus(&mesh, 160, 80, 0.03, 0.012);
    sample(&s, &mesh, 25, false);
    for (int k = 0; k < 300; k++) {
        tact_vec3 from = tact_vec3_scale(TACT_REAL(0.4), random_vec(1)), to = random_vec(0.06);
        tact_real before = 0;
        for (int i = 0; i <= 400; i++) {
            tact_real t = (tact_real)i / 400 * TACT_REAL(1.5);
            tact_vec3 x = tact_vec3_add_scaled(from, t, tact_vec3_sub(to, from)), way = tact_vec3_sub(to, from);
            tact_real value = tact_shape_distance(&s.shape, x).value;
            double length = sqrt((double)tact_vec3_dot(way, way)) * 1.5 / 400, rise = fabs((double)(value - before)) - length;
            CHECK(fabs((double)value) < 1);
            if (i > 0 && rise > 1e-6) jumps++;
            if (i > 0) most = fmax(most, rise);
            if (i > 0) steps++;
            before = value;
        }
    }
    printf("along lines: %d of %d steps rise faster than the way, by %.2g m at most\n", jumps, steps, most);
    CHECK(jumps < steps / 1000 && most < 2 * (double)s.grid.step);
    forget(&s);
}

// the whole gap at places where no nearest point is decided
static void test_undecided(void) {
    sampled s;
    tact_mesh mesh = {0};
    const double half[3] = {0.03, 0.03, 0.03};
    make_torus(&mesh, 160, 80, 0.03, 0.012);
    sample(&s, &mesh, 17, false);
    for (int i = 0; i <= 20; i++) {
        const double x[3] = {0, 0, 0.01 * i};
        tact_distance d = tact_shape_distance(&s.shape, vec(x[0], x[1], x[2]));
        double n[3];
        spread(d.gradient, n);
        CHECK_CLOSE(d.value, torus_gap(x, 0.03, 0.012), 2e-3);
        CHECK_CLOSE(norm_of(n), 1, 8 * (double)TACT_EPS);
    }
    forget(&s);
    make_ellipsoid(&mesh, 40, 80, half);
    sample(&s, &mesh, 17, false);
    tact_mat3 H;
    tact_distance d = tact_shape_measure(&s.shape, vec(0, 0, 0), &H);
    CHECK_CLOSE(d.value, -0.03, 5e-4);
    CHECK(d.gradient.x == d.gradient.x);
    forget(&s);
}

// ---- solids

static void check_solid(tact_mesh *mesh, const char *wanted) {
    tact_solid solid;
    errors = (tact_errors){0};
    CHECK(!tact_solid_make(&solid, mesh, unscaled, "mesh", &errors));
    CHECK_INT(errors.errors, 1);
    CHECK_TEXT(errors.items[0].text, wanted);
    CHECK(!solid.point && !solid.node);
    tact_mesh_free(mesh);
}

static void test_solids(void) {
    const double centre[3] = {0, 0, 0}, one[3] = {1, 1, 1}, aside[3] = {0.5, 0.25, 0.125}, flat[3] = {1, 1, 0},
                 half[3] = {0.5, 0.5, 0.5};
    tact_mesh mesh = {0};
    tact_solid solid;
    make_box(&mesh, centre, one);
    mesh.ntriangle--;
    check_solid(&mesh, "mesh: is not a closed surface: 3 edges have one face only, 0 more than two, 0 two that run in the same "
                       "direction: (1, -1, 1)-(1, 1, -1), (1, -1, 1)-(1, 1, 1), (1, 1, -1)-(1, 1, 1)");
    make_box(&mesh, centre, one);
    mesh.triangle[0] = (tact_mesh_triangle){{0, 1, 2}};
    check_solid(&mesh, "mesh: is not a closed surface: 0 edges have one face only, 0 more than two, 3 two that run in the same "
                       "direction: (-1, -1, -1)-(-1, 1, -1), (-1, -1, -1)-(1, -1, -1), (-1, 1, -1)-(1, -1, -1)");
    make_box(&mesh, centre, one);
    mesh.ntriangle = 6;
    errors = (tact_errors){0};
    CHECK(!tact_solid_make(&solid, &mesh, unscaled, "mesh", &errors));
    CHECK(strstr(errors.items[0].text, ", ...") != NULL);
    tact_mesh_free(&mesh);
    make_box(&mesh, centre, one);
    make_box(&mesh, aside, one);
    errors = (tact_errors){0};
    CHECK(!tact_solid_make(&solid, &mesh, unscaled, "mesh", &errors));
    CHECK(strstr(errors.items[0].text, "mesh: crosses itself: ") && strstr(errors.items[0].text, " edges pass through faces"));
    tact_mesh_free(&mesh);
    make_box(&mesh, centre, flat);
    check_solid(&mesh, "mesh: is not a closed surface: 0 edges have one face only, 1 more than two, 0 two that run in the same "
                       "direction: (-1, 1, 0)-(1, -1, 0)");
    const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0.3, 0.3, 0}};
    for (int i = 0; i < 4; i++) tact_mesh_add_point(&mesh, corner[i]);
    tact_mesh_add_triangle(&mesh, 0, 1, 3), tact_mesh_add_triangle(&mesh, 1, 2, 3);
    tact_mesh_add_triangle(&mesh, 2, 0, 3), tact_mesh_add_triangle(&mesh, 0, 2, 1);
    check_solid(&mesh, "mesh: holds no volume");
    // a box within a box is inside twice, without crossing it
    make_box(&mesh, centre, one);
    make_box(&mesh, centre, half);
    errors = (tact_errors){0};
    CHECK(tact_solid_make(&solid, &mesh, unscaled, "mesh", &errors));
    tact_sdf sdf;
    CHECK(!tact_sdf_make(&sdf, &solid, 12, "mesh", NULL, NULL, &errors));
    CHECK(strstr(errors.items[0].text, "mesh: crosses itself: its surface goes 2.00 times round") != NULL);
    tact_solid_free(&solid);
    tact_mesh_free(&mesh);
}

static bool stop_soon(void *context, double share) {
    int *calls = context;
    CHECK(share > 0 && share <= 1);
    return ++*calls < 3;
}

// doubled points, triangles without area, faces inside out; the same bits each time; stopped by its caller
static void test_sampler(void) {
    const double centre[3] = {0.1, 0, 0}, half[3] = {0.02, 0.03, 0.04};
    tact_mesh mesh = {0};
    sampled a, b;
    make_box(&mesh, centre, half);
    for (int t = 0; t < 12; t++) {
        // three points of its own for each triangle
        for (int c = 0; c < 3; c++) {
            const double x[3] = {(double)mesh.point[mesh.triangle[t].corner[c]].x[0],
                                 (double)mesh.point[mesh.triangle[t].corner[c]].x[1],
                                 (double)mesh.point[mesh.triangle[t].corner[c]].x[2]};
            tact_mesh_add_point(&mesh, x);
            mesh.triangle[t].corner[c] = mesh.npoint - 1;
        }
        int swap = mesh.triangle[t].corner[0];
        mesh.triangle[t].corner[0] = mesh.triangle[t].corner[1];
        mesh.triangle[t].corner[1] = swap;
    }
    tact_mesh_add_triangle(&mesh, 0, 0, 1);
    sample(&a, &mesh, 21, false);
    CHECK(a.solid.turned && a.solid.npoint == 8 && a.solid.ntriangle == 12);
    CHECK_CLOSE(a.solid.volume, 8 * 0.02 * 0.03 * 0.04, 1e-9);
    CHECK_INT(a.sdf.count[0], 13);
    CHECK_INT(a.sdf.count[2], 21);
    make_box(&mesh, centre, half);
    sample(&b, &mesh, 21, true);
    CHECK(!b.solid.turned);
    size_t size = (size_t)a.sdf.count[0] * (size_t)a.sdf.count[1] * (size_t)a.sdf.count[2];
    CHECK(memcmp(a.sdf.value, b.sdf.value, size * sizeof(double)) == 0 && memcmp(a.sdf.fine, b.sdf.fine, 2 * size) == 0);
    // a flat face is exact away from its edges
    for (int k = 0; k < 100; k++) {
        tact_vec3 x = vec(0.12 + uniform(-0.002, 0.05), uniform(-0.008, 0.008), uniform(-0.01, 0.01));
        CHECK_CLOSE(tact_shape_distance(&a.shape, x).value, (double)x.x - 0.12, 1e-4);
    }
    int calls = 0;
    tact_sdf sdf;
    CHECK(!tact_sdf_make(&sdf, &a.solid, 21, "mesh", stop_soon, &calls, &errors));
    CHECK_INT(calls, 3);
    CHECK_INT(errors.errors, 0);
    CHECK(!sdf.value);
    // the surface as polygons: closed, on the surface, outward
    tact_grid_surface surface;
    double volume = 0, off = 0;
    CHECK(tact_grid_surface_make(&surface, &b.shape, 24));
    for (int f = 0; f < surface.nface; f++) {
        const tact_vec3 *p = surface.point;
        const int *c = surface.face[f];
        volume += (double)(tact_vec3_dot(p[c[0]], tact_vec3_cross(p[c[1]], p[c[2]])) +
                           tact_vec3_dot(p[c[0]], tact_vec3_cross(p[c[2]], p[c[3]]))) /
                  6;
    }
    for (int i = 0; i < surface.npoint; i++) off = fmax(off, fabs((double)tact_shape_distance(&b.shape, surface.point[i]).value));
    CHECK_CLOSE(volume, a.solid.volume, 0.05 * a.solid.volume);
    // cut corners stay where they are
    printf("surface of a box: %d points, %d faces, off by %.2g m at most\n", surface.npoint, surface.nface, off);
    CHECK(off < 2e-3 && surface.nface > 500);
    tact_grid_surface_free(&surface);
    forget(&a);
    forget(&b);
}

// ---- arrays and scenes

static char folder[256], array[512];

static void write_array(tact_npy_type type, int ndim, const long long *shape, const void *numbers, size_t size) {
    tact_npy_header header = tact_npy_make_header(type, ndim, shape);
    char *bytes = malloc(header.size + size + 1);
    if (!bytes) abort();
    memcpy(bytes, header.bytes, header.size);
    if (size > 0) memcpy(bytes + header.size, numbers, size);
    test_write_bytes(array, bytes, header.size + size);
    free(bytes);
}

#define GRID(keys) "{\"tact\":1,\"shapes\":[{\"name\":\"g\",\"body\":\"world\",\"type\":\"grid\"" keys "}]}"
#define PLACE "/shapes/0/file: "
#define PLACED ",\"low\":[0,0,0],\"step\":0.01"

// the one message: where the scene names the file, and the file without its folder
static void check_array(const char *keys, const char *wanted) {
    char text[1200];
    snprintf(text, sizeof text, GRID(",\"file\":\"%s\"%s"), array, keys);
    tact_scene *got = parse_text(text, NULL);
    const char *said = message(0);
    CHECK(!got);
    CHECK_INT(errors.errors, 1);
    if (strncmp(said, PLACE, strlen(PLACE)) == 0 && strncmp(said + strlen(PLACE), folder, strlen(folder)) == 0)
        said += strlen(PLACE) + strlen(folder) + 1;
    CHECK_TEXT(said, wanted);
    tact_scene_free(got);
}

static void test_arrays(void) {
    enum { N = 8 };
    static double number[N][N][N];
    static float single[N][N][N];
    static int16_t brief[N][N][N];
    static int32_t whole[N][N][N];
    const long long cube[3] = {N, N, N}, flat[2] = {N, N * N}, thin[3] = {N, N, 7}, wide[3] = {N, 257, N};
    test_make_folder(folder, sizeof folder, NULL);
    snprintf(array, sizeof array, "%s/g.npy", folder);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++) {
                number[i][j][k] = 0.01 * (hypot(hypot(i - 3.5, j - 3.5), k - 3.5) - 2);
                single[i][j][k] = (float)number[i][j][k];
                brief[i][j][k] = (int16_t)(number[i][j][k] * 1e5);
            }
    check_array(PLACED, "g.npy: No such file or directory");
    test_write_text(array, "no array");
    check_array(PLACED, "g.npy: is not a .npy file");
    test_write_bytes(array, "\x93NUMPY\x01\0\xff\xff{'descr'", 18);
    check_array(PLACED, "g.npy: its header is not known");
    write_array(TACT_NPY_DOUBLE, 3, cube, number, sizeof number - 1);
    check_array(PLACED, "g.npy: is shorter than its shape says");
    write_array(TACT_NPY_SHORT, 3, cube, number, sizeof number);
    check_array(PLACED, "g.npy: has bytes behind its array: numpy.save(FILE, x) writes one");
    write_array(TACT_NPY_DOUBLE, 2, flat, number, sizeof number);
    check_array(PLACED, "g.npy: a grid has three axes");
    write_array(TACT_NPY_DOUBLE, 3, thin, number, N * N * 7 * sizeof(double));
    check_array(PLACED, "g.npy: a grid has 8 to 256 numbers along each axis");
    static double many[N * 257 * N];
    write_array(TACT_NPY_DOUBLE, 3, wide, many, sizeof many);
    check_array(PLACED, "g.npy: a grid has 8 to 256 numbers along each axis");
    write_array(TACT_NPY_WHOLE, 3, cube, whole, sizeof whole);
    check_array(PLACED, "g.npy: a grid's numbers are float64, float32 or int16");
    write_array(TACT_NPY_DOUBLE, 3, cube, many, sizeof number);
    check_array(PLACED, "g.npy: its surface reaches the border of the box: sample it with more margin, two steps on each side");
    // positive in the outermost layer alone
    for (int i = 0; i < N * N * N; i++) {
        int a = i / (N * N), b = i / N % N, c = i % N;
        bool outermost = a == 0 || b == 0 || c == 0 || a == N - 1 || b == N - 1 || c == N - 1;
        many[i] = outermost ? 0.001 : -0.01;
    }
    write_array(TACT_NPY_DOUBLE, 3, cube, many, sizeof number);
    check_array(PLACED, "g.npy: its surface reaches the border of the box: sample it with more margin, two steps on each side");
    double kept = number[2][3][4];
    number[2][3][4] = (double)NAN;
    write_array(TACT_NPY_DOUBLE, 3, cube, number, sizeof number);
    check_array(PLACED, "g.npy: number [2, 3, 4] is not within +-1e6");
    number[2][3][4] = -2e6;
    write_array(TACT_NPY_DOUBLE, 3, cube, number, sizeof number);
    check_array(PLACED, "g.npy: number [2, 3, 4] is not within +-1e6");
    number[2][3][4] = kept;
    for (int i = 0; i < N * N * N; i++) many[i] = 0.01;
    write_array(TACT_NPY_DOUBLE, 3, cube, many, sizeof number);
    check_array(PLACED, "g.npy: it has no inside: no number is below 0");
    // truncated at a fifth of a step, and in millimetres
    for (int i = 0; i < N * N * N; i++) many[i] = fmax(-0.002, fmin(0.002, number[i / (N * N)][i / N % N][i % N]));
    write_array(TACT_NPY_DOUBLE, 3, cube, many, sizeof number);
    check_array(PLACED, "g.npy: its numbers are not a distance, but truncated or scaled: the slope is below 0.5 in 78 % of the "
                        "box, above 3 in 0 %, and 0.184 on average");
    for (int i = 0; i < N * N * N; i++) many[i] = 1000 * number[i / (N * N)][i / N % N][i % N];
    write_array(TACT_NPY_DOUBLE, 3, cube, many, sizeof number);
    check_array(PLACED,
                "g.npy: its numbers are not a distance, but truncated or scaled: the slope is below 0.5 in 0 % of the box, "
                "above 3 in 100 %, and 1.14e+03 on average");
    write_array(TACT_NPY_SHORT, 3, cube, brief, sizeof brief);
    char text[1200];
    snprintf(text, sizeof text, GRID(",\"file\":\"%s\"" PLACED), array);
    CHECK(!parse_text(text, NULL));
    CHECK(strncmp(message(0), "/shapes/0: scale is missing: metres of a unit of the int16 numbers in ", 70) == 0);
    snprintf(text, sizeof text, GRID(",\"file\":\"%s\",\"scale\":1e-5" PLACED), array);
    const tact_model *model = open_scene(text);
    CHECK(model->nshape == 1 && model->shape[0].grid->fine && !model->shape[0].grid->value);
    CHECK_CLOSE(model->shape[0].grid->unit, 1e-5, 1e-12);
    close_scene();
    write_array(TACT_NPY_SINGLE, 3, cube, single, sizeof single);
    snprintf(text, sizeof text, GRID(",\"file\":\"%s\"" PLACED), array);
    model = open_scene(text);
    CHECK(model->nshape == 1 && model->shape[0].grid->value);
    if (model->nshape == 1) CHECK_CLOSE(model->shape[0].grid->value[8 * 8 * 3 + 5], (double)single[3][0][5], 1e-9);
    close_scene();
    remove(array);
    rmdir(folder);
}

// what is said of keys; files that are no arrays are not looked at then
static void test_keys(void) {
    CHECK_SCENE(GRID(PLACED), "/shapes/0: key \"file\" is missing");
    CHECK_SCENE(GRID(",\"file\":\"data/scenes/spot.npy\",\"low\":[0,0,0]"), "/shapes/0: key \"step\" is missing");
    CHECK_SCENE(GRID(",\"file\":\"data/scenes/spot.npy\",\"step\":0.01"),
                "/shapes/0: key \"low\" is missing: tact convert MESH --sdf 49 -o GRID.npy prints it and \"step\" with the file");
    CHECK_SCENE(GRID(",\"file\":7" PLACED), "/shapes/0/file: expected a string, found a number");
    CHECK_SCENE(GRID(",\"file\":\"data/scenes/spot.npy\",\"low\":[0,0,0],\"step\":0,\"scale\":1"),
                "/shapes/0/step: must be >= 1e-6 (found 0)");
    CHECK_SCENE(GRID(",\"file\":\"data/scenes/spot.npy\"" PLACED ",\"scale\":0"), "/shapes/0/scale: must be >= 1e-12 (found 0)");
    CHECK_SCENE("{\"tact\":1,\"law\":\"virtual\",\"shapes\":[{\"name\":\"g\",\"body\":\"world\",\"type\":\"grid\",\"file\":"
                "\"data/scenes/spot.npy\",\"scale\":4e-6" PLACED "}]}",
                "/shapes/0/type: law \"virtual\": a shape of type \"grid\" has no outline in a plane");
#define BESIDE(shape)                                                                                                   \
    "{\"tact\":1,\"bodies\":[" BALL("b") "],\"shapes\":[{\"name\":\"g\",\"body\":\"world\",\"type\":\"grid\",\"file\":" \
                                         "\"data/scenes/spot.npy\",\"scale\":4e-6" PLACED                               \
                                         "},{\"name\":\"s\",\"body\":\"b\"," shape "}],\"mu\":0.5,\"pairs\":"
    // balls of the one against the other, 256 samples of the grid but for a capsule
    static const struct {
        const char *text;
        int slots;
    } touching[] = {
        {BESIDE("\"type\":\"capsule\",\"radius\":0.1,\"length\":1") "\"auto\"}", 22},
        {BESIDE("\"type\":\"capsule\",\"radius\":0.1,\"length\":0.01") "\"auto\"}", 2},
        {BESIDE("\"type\":\"capsule\",\"radius\":0.001,\"length\":1") "\"auto\"}", 33},
        {BESIDE("\"type\":\"box\",\"size\":[1,1,1]") "[{\"a\":\"s\",\"b\":\"g\"}]}", 256 + 8 + 12 * 7},
        {BESIDE("\"type\":\"box\",\"size\":[1,1,0.5],\"round\":0.25") "\"auto\"}", 256 + 4 + 4 * 7},
        {BESIDE("\"type\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]") "\"auto\"}", 256 + 4 + 3 * 5 + 3 * 7},
        {BESIDE("\"type\":\"cylinder\",\"radius\":0.1,\"length\":0.3") "\"auto\"}", 256 + 48 + PICK(3, 4)},
        {BESIDE("\"type\":\"cylinder\",\"radius\":0.1,\"length\":0.1") "\"auto\"}", 256 + 48},
        {BESIDE("\"type\":\"ellipsoid\",\"radii\":[0.1,0.2,0.3]") "\"auto\"}", 256 + 128},
        {BESIDE("\"type\":\"plane\"") "[{\"a\":\"s\",\"b\":\"g\"}]}", 256},
        {BESIDE("\"type\":\"grid\",\"samples\":40,\"file\":\"data/scenes/spot.npy\",\"scale\":4e-6" PLACED) "\"auto\"}",
         256 + 40}};
    const tact_model *model;
    for (size_t k = 0; k < sizeof touching / sizeof touching[0]; k++) {
        model = open_scene(touching[k].text);
        if (scene) CHECK_INT(model->npair, touching[k].slots);
        // the samples of the grid are on its surface
        for (int i = 2; scene && i < model->nshape; i++)
            if (model->names->slot_of[i] == 0)
                CHECK_CLOSE(tact_shape_distance(&model->shape[0], model->shape[i].place.p).value, 0, PICK(1e-9, 1e-5));
        close_scene();
    }
    CHECK_SCENE(BESIDE("\"type\":\"grid\",\"samples\":7,\"file\":\"data/scenes/spot.npy\",\"scale\":4e-6" PLACED) "\"auto\"}",
                "/shapes/1/samples: must be within [8, 4096] (found 7)");
    model = open_scene(BESIDE("\"type\":\"circle\",\"radius\":0.1") "\"auto\"}");
    CHECK_INT(model->npair, 1);
    close_scene();
}

static void test_model(void) {
    sampled s;
    tact_mesh mesh = {0};
    const double half[3] = {0.03, 0.02, 0.02};
    make_ellipsoid(&mesh, 20, 40, half);
    sample(&s, &mesh, 12, false);
    tact_shape shape[2] = {s.shape, {.body = 0, .type = TACT_SHAPE_SPHERE, .size = {TACT_REAL(0.01)}}};
    shape[0].place = shape[1].place = tact_pose_identity();
    tact_body body = {
        .parent = TACT_WORLD, .joint = TACT_JOINT_PRISMATIC, .place = tact_pose_identity(), .axis = {0, 0, 1}, .ratio = 1};
    tact_dof dof = {.body = 0, .u = 0, .stiffness = 1, .lower = -TACT_MAX, .upper = TACT_MAX};
    tact_pair pair = {.a = 0, .b = 1, .mu = 1};
    tact_real zero = 0;
    tact_model model = {.nbody = 1,
                        .nshape = 2,
                        .npair = 1,
                        .nq = 1,
                        .nv = 1,
                        .nu = 1,
                        .body = &body,
                        .dof = &dof,
                        .shape = shape,
                        .pair = &pair,
                        .q0 = &zero,
                        .v0 = &zero,
                        .law = &tact_law_barrier};
    CHECK(!tact_model_check(&model).field);
    tact_grid *grid = &s.grid;
    tact_real *value = s.value;
#define BREAK(place, to, name)                               \
    do {                                                     \
        tact_grid kept = *grid;                              \
        tact_real border = value[5], inner = value[700];     \
        tact_shape given = shape[0], other = shape[1];       \
        place = to;                                          \
        const char *field = tact_model_check(&model).field;  \
        CHECK_TEXT(field ? field : "good", name);            \
        *grid = kept, value[5] = border, value[700] = inner; \
        shape[0] = given, shape[1] = other;                  \
    } while (0)
    BREAK(shape[0].grid, NULL, "shape.grid");
    BREAK(shape[0].size[0], -1, "shape.size");
    BREAK(grid->value, NULL, "shape.grid");
    BREAK(grid->low.y, (tact_real)NAN, "shape.grid");
    BREAK(grid->count[1], 7, "shape.grid");
    BREAK(grid->count[0], 257, "shape.grid");
    BREAK(grid->step, 0, "shape.grid");
    BREAK(grid->unit, 0, "shape.grid");
    BREAK(grid->unit, (tact_real)NAN, "shape.grid");
    BREAK(value[5], -1, "shape.grid");
    BREAK(value[700], (tact_real)NAN, "shape.grid");
    BREAK(value[700], TACT_REAL(2e6), "shape.grid");
    shape[1] = (tact_shape){.body = 0, .type = TACT_SHAPE_CAPSULE, .place = tact_pose_identity(), .size = {1, 1}};
    CHECK_TEXT(tact_model_check(&model).field, "pair.b");
    size_t size = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
    shape[1].type = TACT_SHAPE_SPHERE;
    for (size_t i = 0; i < size; i++) value[i] = 1;
    CHECK_TEXT(tact_model_check(&model).field, "shape.grid");
    forget(&s);
}

// a truncated field, flat more than 3 mm from the surface: the gap is not exact there, but no contact
static void test_truncated(void) {
    sampled s;
    tact_mesh mesh = {0};
    const double half[3] = {0.03, 0.03, 0.03};
    const tact_real band = TACT_REAL(0.003);
    make_ellipsoid(&mesh, 40, 80, half);
    sample(&s, &mesh, 65, false);
    size_t size = (size_t)s.grid.count[0] * (size_t)s.grid.count[1] * (size_t)s.grid.count[2];
    for (size_t i = 0; i < size; i++) s.value[i] = s.value[i] > band ? band : s.value[i] < -band ? -band : s.value[i];
    // where Newton's full steps go to and fro
    static const double told[2][3] = {{-0.0124582, -0.0475409, -0.0148253}, {0.0202271, -0.0163141, -0.0576121}};
    int undecided = 0;
    for (int k = 0; k < 2000; k++) {
        double x[3] = {uniform(-0.06, 0.06), uniform(-0.06, 0.06), uniform(-0.06, 0.06)};
        if (k < 2) memcpy(x, told[k], sizeof x);
        const double gap = norm_of(x) - 0.03;
        tact_distance d = tact_shape_distance(&s.shape, vec(x[0], x[1], x[2]));
        double n[3];
        spread(d.gradient, n);
        CHECK_CLOSE(norm_of(n), 1, 8 * (double)TACT_EPS);
        undecided += d.degenerate ? 1 : 0;
        // no gap is told that is larger than the true one, but for the facets
        CHECK(fabs((double)d.value) < fabs(gap) + 1e-4);
        if (gap > 0.004) CHECK((double)d.value > 0.0025);
        if (gap < -0.004) CHECK((double)d.value < -0.0025);
    }
    CHECK(undecided > 100);
    // half a metre away: as far as the box at least
    CHECK((double)tact_shape_distance(&s.shape, vec(0.5, 0.5, 0.5)).value > 0.75);
    forget(&s);
}

static void test_pairs(void) {
    sampled s;
    tact_mesh mesh = {0};
    const double half[3] = {0.03, 0.02, 0.02};
    make_ellipsoid(&mesh, 60, 120, half);
    sample(&s, &mesh, 25, false);
    tact_shape ball = {.type = TACT_SHAPE_SPHERE, .size = {TACT_REAL(0.01)}};
    tact_pose at = tact_pose_identity(), away = tact_pose_identity();
    tact_pair_distance d;
    s.shape.size[0] = TACT_REAL(0.001);
    away.p = vec(0.05, 0, 0);
    CHECK(tact_shape_pair_distance(&s.shape, &at, &ball, &away, &d));
    CHECK_CLOSE(d.gap, 0.009, 2e-5);
    CHECK_CLOSE(d.point_a.x, 0.031, 2e-5);
    CHECK_CLOSE(d.normal.x, 1, 1e-6);
    tact_real gradient[6], hessian[36];
    CHECK(tact_shape_pair_derivatives(&s.shape, &at, &ball, &away, &d, gradient, hessian));
    CHECK_CLOSE(gradient[3], 1, 1e-6);
    // curvature of the pole, b^2: radius 0.02^2/0.03, at 0.02 from it
    CHECK_CLOSE(hessian[6 * 4 + 4], 1 / (0.02 * 0.02 / 0.03 + 0.02), 0.3);
    CHECK(tact_shape_pair_distance(&ball, &away, &s.shape, &at, &d));
    CHECK_CLOSE(d.normal.x, -1, 1e-6);
    tact_mat3 H;
    tact_distance measured = tact_shape_measure(&ball, vec(0.02, 0, 0), &H);
    CHECK_CLOSE(measured.value, 0.01, 1e-8);
    CHECK_CLOSE(H.m[1][1], 50, 1e-3);
    forget(&s);
}

// ---- steps: an object of a grid that turns about an axis, held by a spring, and a ball that is pressed against it

#define SPOT                                                                                                  \
    "\"type\":\"grid\",\"file\":\"data/scenes/spot.npy\",\"low\":[-0.03865295335650444,-0.05533886468410491," \
    "-0.050441995024681094],\"step\":0.005153727114200592,\"scale\":2.159883989385103e-6"

static const char *const turning =
    "{\"tact\":1,\"law\":\"%s\",\"gravity\":[0,0,-9.81],\"options\":{\"dt\":0.02,\"kappa\":1e5,\"margin\":0.03},\"mu\":0.4,"
    "\"bodies\":[{\"name\":\"arm\",\"parent\":\"world\",\"mass\":0.3,\"inertia\":[1e-4,1e-4,1e-4,0,0,0],"
    "\"joint\":{\"type\":\"continuous\",\"axis\":[0,1,0]}},"
    "{\"name\":\"tip\",\"parent\":\"world\",\"joint\":{\"type\":\"translation\"}}],"
    "\"shapes\":[{\"name\":\"cow\",\"body\":\"arm\"," SPOT ",\"round\":0.001},"
    "{\"name\":\"tip\",\"body\":\"tip\",%s}],\"pairs\":[{\"a\":\"cow\",\"b\":\"tip\"}],"
    "\"drives\":[{\"joint\":\"arm\",\"stiffness\":5},{\"joint\":\"tip\",\"stiffness\":300}],"
    "\"state\":{\"q\":{\"arm\":%g,\"tip\":[%g,%g,%g]}}}";

typedef struct {
    const tact_model *model;
    tact_options options;
    tact_state start, end;
    tact_work work;
    tact_deriv_work deriv;
    tact_real u[4];
    tact_input input;
} stepped;

static stepped s;
static void *memory[4];

static void begin_steps(void) {
    const tact_model *model = s.model = &scene->model;
    s.options = scene->options;
    size_t state = tact_state_size(model), work = tact_work_size(model), deriv = tact_deriv_size(model);
    memory[0] = malloc(state), memory[1] = malloc(state), memory[2] = malloc(work), memory[3] = malloc(deriv);
    CHECK_INT(tact_state_init(&s.start, model, memory[0], state), TACT_CONVERGED);
    CHECK_INT(tact_state_init(&s.end, model, memory[1], state), TACT_CONVERGED);
    CHECK_INT(tact_work_init(&s.work, model, memory[2], work), TACT_CONVERGED);
    CHECK_INT(tact_deriv_init(&s.deriv, model, memory[3], deriv), TACT_CONVERGED);
    tact_scene_command(scene, &s.start, s.u);
    s.input = (tact_input){.u = s.u};
}

static void end_steps(void) {
    for (int i = 0; i < 4; i++) free(memory[i]);
    close_scene();
}

// whose force is looked at
static int strongest;

// the step from start with one coordinate or command changed
static void step_changed(int which, double by, double *q, double *force) {
    tact_real u = which >= 4 ? s.u[which - 4] : 0;
    tact_state_copy(&s.end, &s.start, s.model);
    if (which >= 0 && which < 4) s.end.q[which] += (tact_real)by;
    if (which >= 4) s.u[which - 4] += (tact_real)by;
    CHECK(tact_step(s.model, &s.options, &s.input, &s.end, &s.work) >= 0);
    for (int i = 0; i < 4; i++) q[i] = (double)s.end.q[i];
    for (int i = 0; i < 3; i++) force[i] = (double)s.work.contacts.contact[strongest].lambda[i];
    if (which >= 4) s.u[which - 4] = u;
}

// A to D against differences of the step
static void check_slopes(void) {
    static tact_real A[16], B[16], C[12 * 700], D[12 * 700];
    const double h = PICK(1e-6, 1e-3);
    double high[4], low[4], up[3], down[3], worst = 0, most = 0;
    strongest = 0;
    step_changed(-1, 0, high, up);
    const int count = s.work.contacts.count;
    CHECK(0 < count && count <= 700);
    for (int i = 0; i < count; i++)
        if (s.work.contacts.contact[i].lambda[0] > s.work.contacts.contact[strongest].lambda[0]) strongest = i;
    CHECK(s.work.contacts.contact[strongest].lambda[0] > TACT_REAL(0.05));
    CHECK(tact_deriv_linearise(s.model, &s.options, &s.input, &s.start, &s.work, &s.deriv) >= 0);
    tact_jacobians slopes = {A, B, C, D};
    tact_deriv_matrices(s.model, &s.work, &s.deriv, &slopes);
    for (int which = 0; which < 8; which++) {
        step_changed(which, h, high, up);
        step_changed(which, -h, low, down);
        for (int row = 0; row < 4; row++) {
            double slope = (high[row] - low[row]) / (2 * h),
                   got = (double)(which < 4 ? A[4 * row + which] : B[4 * row + which - 4]);
            worst = fmax(worst, fabs(slope - got));
        }
        for (int row = 0; row < 3; row++) {
            const int at = 4 * (3 * strongest + row);
            double slope = (up[row] - down[row]) / (2 * h), got = (double)(which < 4 ? C[at + which] : D[at + which - 4]);
            worst = fmax(worst, fabs(slope - got) / 1000);
            most = fmax(most, fabs(got));
        }
    }
    // steps that single precision needs lead over a good part of a cell, and many contacts begin and end on the way
    printf("%d contacts: slopes of the step off by %.2g (forces up to %.3g N/m)\n", count, worst, most);
    CHECK((worst < PICK(2e-6, 0.5) || PICK(0, count) > 100) && most > 10);
}

static void test_steps(void) {
    static const double places[3][4] = {{0.1, 0.045, 0.002, 0.02}, {0.3, 0.002, 0.055, -0.02}, {0.2, -0.05, 0, 0.03}};
    // all others than spheres at the first place
    static const char *const tips[] = {"\"type\":\"sphere\",\"radius\":0.01",
                                       "\"type\":\"capsule\",\"radius\":0.008,\"length\":0.03,\"rpy\":[0.3,0.2,0]",
                                       "\"type\":\"box\",\"size\":[0.02,0.03,0.03],\"round\":0.001,\"rpy\":[0.1,0.2,0.3]",
                                       "\"type\":\"cylinder\",\"radius\":0.008,\"length\":0.03,\"rpy\":[0.3,0.2,0]",
                                       "\"type\":\"ellipsoid\",\"radii\":[0.01,0.015,0.02],\"rpy\":[0.3,0.2,0]",
                                       "\"type\":\"hull\",\"points\":[[-0.01,-0.01,-0.01],[0.01,0,0],[-0.01,0.02,0],[0,0,0.02]]",
                                       "\"type\":\"plane\",\"normal\":[-1,0.2,0.1]",
                                       SPOT ",\"xyz\":[0.02,0,0]"};
    for (int k = 0; k < 10; k++) {
        char text[2500];
        const double *at = places[k < 3 ? k : 0];
        snprintf(text, sizeof text, turning, "barrier", tips[k < 3 ? 0 : k - 2], at[0], at[1], at[2], at[3]);
        open_scene(text);
        if (!scene) continue;
        begin_steps();
        for (int i = 0; i < 40; i++) CHECK(tact_step(s.model, &s.options, &s.input, &s.start, &s.work) >= 0);
        // commanded further in
        for (int i = 1; i < 4; i++) s.u[i] -= TACT_REAL(0.6) * s.start.q[i];
        for (int i = 0; i < 20; i++) CHECK(tact_step(s.model, &s.options, &s.input, &s.start, &s.work) >= 0);
        check_slopes();
        end_steps();
    }
}

// a ball that does not turn lies on the object's back, and friction holds it there
static void test_rest(void) {
    static const char *const laws[] = {"barrier", "rigid"};
    for (int k = 0; k < 2; k++) {
        char text[1500];
        snprintf(
            text, sizeof text,
            "{\"tact\":1,\"law\":\"%s\",\"options\":{\"dt\":0.01,\"kappa\":1e6},\"mu\":1,\"bodies\":[{\"name\":\"b\",\"parent\":"
            "\"world\",\"mass\":0.2,\"joint\":{\"type\":\"translation\"}}],\"shapes\":[{\"name\":\"cow\",\"body\":\"world\"," SPOT
            ",\"rpy\":[1.5707963267948966,0,0]},{\"name\":\"s\",\"body\":\"b\",\"type\":\"sphere\",\"radius\":0.01}],"
            "\"pairs\":[{\"a\":\"cow\",\"b\":\"s\"}],\"state\":{\"q\":{\"b\":[0.001,-0.02,0.03]}}}",
            laws[k]);
        open_scene(text);
        if (!scene) continue;
        begin_steps();
        tact_real rest[3] = {0};
        double moved = 0;
        for (int i = 0; i < 400; i++) {
            CHECK(tact_step(s.model, &s.options, &s.input, &s.start, &s.work) >= 0);
            for (int c = 0; c < 3 && i == 200; c++) rest[c] = s.start.q[c];
        }
        for (int c = 0; c < 3; c++) moved = fmax(moved, fabs((double)(s.start.q[c] - rest[c])));
        CHECK_INT(s.work.contacts.count, 1);
        const tact_contact *contact = &s.work.contacts.contact[0];
        printf("a ball on a grid under %s: gap %.2g m, moved %.2g m in 2 s, carried with %.9g N\n", laws[k], (double)contact->gap,
               moved, (double)contact->force.z);
        CHECK_CLOSE(contact->force.z, 0.2 * 9.81, PICK(1e-4, 1e-3));
        CHECK_CLOSE(contact->gap, 0, 1e-4);
        CHECK_CLOSE(moved, 0, 1e-4);
        end_steps();
    }
}

int main(void) {
    seed = test_seed(20262);
    test_closed_forms();
    test_differences();
    test_lines();
    test_undecided();
    test_solids();
    test_sampler();
    test_arrays();
    test_keys();
    test_model();
    test_truncated();
    test_pairs();
    test_steps();
    test_rest();
    return test_end("grid");
}
