// SPDX-License-Identifier: MIT
#include "scene/mesh_fit.h"

#include <math.h>
#include <stdio.h>

#include "scene/hull.h"
#include "tact/keys.h"
#include "tact/memory.h"
#include "tact/text.h"

const char tact_mesh_fit_no_memory[] = "out of memory";

tact_shape_type tact_mesh_fit_type(tact_fit_kind kind) {
    return kind == TACT_FIT_SPHERE    ? TACT_SHAPE_SPHERE
           : kind == TACT_FIT_CAPSULE ? TACT_SHAPE_CAPSULE
           : kind == TACT_FIT_BOX     ? TACT_SHAPE_BOX
                                      : TACT_SHAPE_HULL;
}

static void print_short(char out[32], double x) {
    snprintf(out, 32, "%s", tact_number_print(tact_key_round(x, 4)).text);
}

void tact_mesh_fit_tell(const tact_mesh_fit *fitted, const char *owner, tact_text *report) {
    const tact_shape_fit *fit = &fitted->fit;
    const char *path = fitted->path;
    int npoint = fitted->npoint;
    char text[600], size[3][32], inside[32], deviation[32], form[120];
    if (!report) return;
    if (fit->type == TACT_SHAPE_HULL) {
        print_short(inside, fitted->outside);
        snprintf(text, sizeof text, "%s: hull of %d of the %d points of %s: the others lie up to %s m outside\n",
                 tact_quote(owner).text, fitted->hull->nvertex, npoint, tact_quote(path).text, inside);
        tact_text_add(report, text);
        return;
    }
    // sizes as scenes name them: radii as they are, lengths in full
    for (int k = 0; k < 3; k++)
        print_short(size[k], fit->type == TACT_SHAPE_SPHERE || (k == 0 && fit->type == TACT_SHAPE_CAPSULE) ? fit->size[k]
                                                                                                           : 2 * fit->size[k]);
    print_short(inside, fit->inside);
    print_short(deviation, fit->deviation);
    if (fit->type == TACT_SHAPE_SPHERE) snprintf(form, sizeof form, "sphere of radius %s m", size[0]);
    if (fit->type == TACT_SHAPE_CAPSULE) snprintf(form, sizeof form, "capsule of radius %s m and length %s m", size[0], size[1]);
    if (fit->type == TACT_SHAPE_BOX) snprintf(form, sizeof form, "box of %s x %s x %s m", size[0], size[1], size[2]);
    snprintf(
        text, sizeof text,
        "%s: %s round %s (%d points): its points lie up to %s m below the surface, and the surface up to %s m from the mesh\n",
        tact_quote(owner).text, form, tact_quote(path).text, npoint, inside, deviation);
    tact_text_add(report, text);
}

// The hull of up to so many vertices of the mesh, which are the farthest in directions spread evenly, or of all of them; as
// tact_mesh_fit_make.
static const char *fit_hull(tact_draft *draft, const tact_fit_point *point, int n, tact_mesh_fit *fitted) {
    tact_hull_parts *parts = tact_draft_take(draft, sizeof *parts);
    tact_vec3 chosen[TACT_HULL_VERTICES];
    const int most = fitted->vertices;
    int from[TACT_HULL_VERTICES], count = 0;
    if (!parts) return tact_mesh_fit_no_memory;
    for (int k = 0; k < most; k++) {
        double d[3];
        // few points are all taken; of many the farthest along direction k
        int next = n <= most ? k : 0;
        bool fresh = next < n;
        tact_fit_direction(k, most, d);
        for (int i = 0; n > most && i < n; i++) {
            double ahead = 0;
            for (int c = 0; c < 3; c++) ahead += d[c] * (point[i].x[c] - point[next].x[c]);
            if (ahead > 0) next = i;
        }
        // a corner may be the farthest in several directions
        for (int i = 0; i < count && fresh; i++) fresh = from[i] != next;
        if (!fresh) continue;
        const double *x = point[next].x;
        from[count] = next;
        chosen[count++] = tact_vec3_make((tact_real)x[0], (tact_real)x[1], (tact_real)x[2]);
    }
    const char *why = count < 4 ? "it has fewer than four points" : tact_hull_build(chosen, count, parts);
    if (why) return why;
    // how far the points that were left out lie beyond a face
    fitted->outside = 0;
    for (int i = 0; i < n; i++) {
        for (int f = 0; f < parts->nface; f++) {
            tact_vec3 normal = parts->face[f].normal;
            double out = (double)normal.x * point[i].x[0] + (double)normal.y * point[i].x[1] + (double)normal.z * point[i].x[2];
            fitted->outside = fmax(fitted->outside, out - (double)parts->face[f].offset);
        }
    }
    fitted->hull = tact_scene_keep_hull(draft, parts);
    fitted->fit = (tact_shape_fit){.type = TACT_SHAPE_HULL, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return fitted->hull ? NULL : tact_mesh_fit_no_memory;
}

const char *tact_mesh_fit_make(tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *fitted) {
    tact_shape_fit *fit = &fitted->fit;
    const double *scale = fitted->scale;
    const bool hull = fitted->type == TACT_SHAPE_HULL;
    tact_fit_point *point = tact_memory_get((size_t)mesh->npoint * sizeof point[0]);
    int count = 0, *number = tact_memory_get((size_t)mesh->npoint * sizeof number[0]);
    int(*corner)[3] = tact_memory_get((size_t)mesh->ntriangle * sizeof corner[0]);
    bool good = point && number && corner;
    // only points that belong to triangles
    for (int i = 0; good && i < mesh->npoint; i++) number[i] = -1;
    for (int t = 0; good && t < mesh->ntriangle; t++) {
        for (int k = 0; k < 3; k++) {
            int i = mesh->triangle[t].corner[k];
            if (number[i] < 0) {
                number[i] = count++;
                for (int c = 0; c < 3; c++) point[number[i]].x[c] = scale[c] * (double)mesh->point[i].x[c];
            }
            corner[t][k] = number[i];
        }
    }
    const char *why = NULL;
    for (int i = 0; good && i < count; i++)
        for (int c = 0; c < 3; c++)
            if (!(fabs(point[i].x[c]) <= TACT_MOST_LENGTH)) why = "it is too large";
    if (good && !why && hull) why = fit_hull(draft, point, count, fitted);
    if (good && !why && !hull) good = tact_fit_points(fitted->type, point, count, fit);
    int sizes = !good || why || hull ? 0 : fit->type == TACT_SHAPE_BOX ? 3 : 1;
    for (int k = 0; k < sizes; k++)
        if (!((tact_real)fit->size[k] / 2 > 0)) why = "its points lie in a point, a line or a plane";
    if (good && !why && !hull) tact_fit_measure(fit, point, (const int(*)[3])corner, mesh->ntriangle);
    tact_memory_release(point);
    tact_memory_release(number);
    tact_memory_release(corner);
    return good ? why : tact_mesh_fit_no_memory;
}
