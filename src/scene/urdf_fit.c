// SPDX-License-Identifier: MIT
// Collision meshes as shapes round them, and the mass of links that give none.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/fit_rule.h"
#include "scene/hull.h"
#include "scene/memory.h"
#include "scene/mesh.h"
#include "scene/mesh_file.h"
#include "scene/mesh_path.h"
#include "scene/quote.h"
#include "scene/urdf_parts.h"

static const char no_memory[] = "out of memory";

bool tact_urdf_begin_fits(tact_urdf *urdf) {
    const tact_draft_fit *fit = urdf->draft->fit;
    if (!fit) return true;
    urdf->matched = tact_draft_take(urdf->draft, (size_t)fit->nrule * sizeof urdf->matched[0]);
    for (int i = 0; urdf->matched && i < fit->nrule; i++) urdf->matched[i] = tact_fit_rule_pattern(fit->rule[i]) == 0;
    return urdf->matched != NULL;
}

void tact_urdf_end_fits(const tact_urdf *urdf) {
    const tact_draft_fit *fit = urdf->draft->fit;
    if (urdf->draft->errors->errors > urdf->before) return;
    for (int i = 0; fit && i < fit->nrule; i++) {
        if (urdf->matched[i]) continue;
        size_t size = tact_fit_rule_pattern(fit->rule[i]);
        tact_xml_refuse(&urdf->xml, 0, NULL, "fit %s: no link with a collision mesh has such a name",
                        tact_quote_bytes(fit->rule[i], size).text);
    }
}

static void print_short(char out[32], double x) {
    snprintf(out, 32, "%s", tact_number_print(tact_key_round(x, 4)).text);
}

static void tell_fit(const tact_urdf *urdf, int link, const char *path) {
    const tact_fit *fit = &urdf->fitted.fit;
    int npoint = urdf->fitted.npoint;
    tact_text *report = urdf->draft->fit->report;
    char text[600], size[3][32], inside[32], deviation[32], form[120];
    if (!report) return;
    if (fit->type == TACT_SHAPE_HULL) {
        print_short(inside, urdf->fitted.outside);
        snprintf(text, sizeof text, "%s: hull of %d of the %d points of %s: the others lie up to %s m outside\n",
                 tact_quote(urdf->links[link].name ? urdf->links[link].name : "").text, urdf->fitted.hull->nvertex, npoint,
                 tact_quote(path).text, inside);
        tact_text_add(report, text);
        return;
    }
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
        tact_quote(urdf->links[link].name ? urdf->links[link].name : "").text, form, tact_quote(path).text, npoint, inside,
        deviation);
    tact_text_add(report, text);
}

// The hull of up to 64 points of the mesh, which are the farthest in directions spread evenly, or of all; as fit_mesh.
static const char *fit_hull(tact_draft *draft, const tact_fit_point *point, int n, tact_urdf_fitted *fitted) {
    tact_hull_parts *parts = tact_draft_take(draft, sizeof *parts);
    tact_vec3 chosen[TACT_HULL_VERTICES];
    int from[TACT_HULL_VERTICES], count = 0;
    if (!parts) return no_memory;
    for (int k = 0; k < TACT_HULL_VERTICES; k++) {
        double d[3];
        int next = n <= TACT_HULL_VERTICES ? k : 0;
        bool fresh = next < n;
        tact_fit_direction(k, TACT_HULL_VERTICES, d);
        for (int i = 0; n > TACT_HULL_VERTICES && i < n; i++) {
            double ahead = 0;
            for (int c = 0; c < 3; c++) ahead += d[c] * (point[i].x[c] - point[next].x[c]);
            if (ahead > 0) next = i;
        }
        for (int i = 0; i < count && fresh; i++) fresh = from[i] != next;
        if (!fresh) continue;
        const double *x = point[next].x;
        from[count] = next;
        chosen[count++] = tact_vec3_make((tact_real)x[0], (tact_real)x[1], (tact_real)x[2]);
    }
    const char *why = count < 4 ? "it has fewer than four points" : tact_hull_build(chosen, count, parts);
    if (why) return why;
    fitted->outside = 0;
    for (int i = 0; i < n; i++) {
        for (int f = 0; f < parts->nface; f++) {
            tact_vec3 normal = parts->face[f].normal;
            double out = (double)normal.x * point[i].x[0] + (double)normal.y * point[i].x[1] + (double)normal.z * point[i].x[2];
            fitted->outside = fmax(fitted->outside, out - (double)parts->face[f].offset);
        }
    }
    fitted->hull = tact_scene_keep_hull(draft, parts);
    fitted->fit = (tact_fit){.type = TACT_SHAPE_HULL, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return fitted->hull ? NULL : no_memory;
}

// The smallest shape round a mesh that was read; the reason why there is none, or NULL.
static const char *fit_mesh(tact_draft *draft, const tact_mesh *mesh, tact_urdf_fitted *fitted) {
    tact_fit *fit = &fitted->fit;
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
    return good ? why : no_memory;
}

// Reads and fits a mesh; false after refusing.
static bool open_mesh(tact_urdf *urdf, int node, const char *path, tact_urdf_fitted *fitted) {
    tact_errors errors = {0};
    tact_reason why = {""};
    tact_text text = {0};
    tact_mesh mesh = {0};
    char *place = tact_mesh_file(path, urdf->file, urdf->draft->fit->packages, &why);
    const char *reason = place ? NULL : why.text;
    if (place && (!tact_text_read(&text, place, TACT_MESH_LIMIT, &errors) ||
                  !tact_mesh_read(&mesh, tact_text_source(&text, path), &errors)))
        reason = errors.items[0].text;
    if (!reason) reason = fit_mesh(urdf->draft, &mesh, fitted);
    fitted->npoint = mesh.npoint;
    tact_error_kind kind = !place && tact_mesh_inside(path) ? TACT_ERROR_UNREADABLE : TACT_ERROR_REFUSED;
    if (errors.errors > 0) kind = errors.kind;
    if (reason == no_memory || kind == TACT_ERROR_NO_MEMORY)
        tact_xml_no_memory(&urdf->xml);
    else if (reason)
        tact_xml_report(&urdf->xml, node, urdf->xml.nodes[node].at, kind,
                        "mesh %s cannot be fitted: %s (the fit \"none\" leaves it out)", tact_quote(path).text, reason);
    tact_text_free(&text);
    tact_mesh_free(&mesh);
    free(place);
    return !reason;
}

bool tact_urdf_fit_mesh(tact_urdf *urdf, int node, int link, tact_draft_shape *shape, bool *told) {
    const tact_draft_fit *fits = urdf->draft->fit;
    const char *name = urdf->links[link].name, *path = tact_xml_value(&urdf->xml, node, "filename");
    tact_fit_kind kind = fits && name ? tact_fit_rule_find(fits, name, urdf->matched) : TACT_FIT_UNSET;
    tact_real scale[3] = {1, 1, 1};
    *told = kind != TACT_FIT_UNSET;
    if (kind == TACT_FIT_UNSET || kind == TACT_FIT_NONE) return false;
    if (!path || !path[0]) {
        tact_xml_refuse(&urdf->xml, node, NULL, "attribute \"filename\" is missing");
        return false;
    }
    if (tact_xml_value(&urdf->xml, node, "scale") && !tact_urdf_vector(urdf, node, "scale", TACT_MOST_LENGTH, scale))
        return false;
    tact_urdf_fitted next = {.path = path, .scale = {(double)scale[0], (double)scale[1], (double)scale[2]}};
    next.type = kind == TACT_FIT_SPHERE    ? TACT_SHAPE_SPHERE
                : kind == TACT_FIT_CAPSULE ? TACT_SHAPE_CAPSULE
                : kind == TACT_FIT_BOX     ? TACT_SHAPE_BOX
                                           : TACT_SHAPE_HULL;
    const tact_urdf_fitted *last = &urdf->fitted;
    bool same = last->path && strcmp(last->path, path) == 0 && last->type == next.type;
    for (int k = 0; k < 3; k++) same = same && last->scale[k] == next.scale[k];
    if (!same) {
        if (!open_mesh(urdf, node, path, &next)) return false;
        urdf->fitted = next;
    }
    const tact_fit *fit = &urdf->fitted.fit;

    // The collision's frame, in which the mesh stands, times the shape's in the mesh.
    tact_pose origin = tact_scene_pose(&shape->frame);
    tact_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) R.m[i][k] = (tact_real)fit->R[i][k];
    tact_vec3 center = {(tact_real)fit->center[0], (tact_real)fit->center[1], (tact_real)fit->center[2]};
    tact_vec3 place = tact_vec3_add(origin.p, tact_mat3_apply(origin.R, center));
    if (fit->type != TACT_SHAPE_SPHERE)
        tact_urdf_angles(tact_mat3_multiply(origin.R, R), shape->frame.rpy);
    else
        memset(shape->frame.rpy, 0, sizeof shape->frame.rpy);
    shape->frame.xyz[0] = place.x;
    shape->frame.xyz[1] = place.y;
    shape->frame.xyz[2] = place.z;
    shape->type = fit->type;
    shape->hull = urdf->fitted.hull;
    for (int k = 0; k < 3; k++) shape->size[k] = (tact_real)fit->size[k];
    tell_fit(urdf, link, path);
    return true;
}

void tact_urdf_weigh(tact_urdf *urdf, int link, int index, int from) {
    const tact_draft *draft = urdf->draft;
    tact_draft_body *body = &urdf->draft->bodies[index];
    double density = draft->fit ? draft->fit->density : 0, mass = 0, com[3] = {0}, I[6] = {0};
    if (density <= 0 || tact_xml_find(&urdf->xml, urdf->links[link].node, "inertial") >= 0) return;
    // Masses, first and second moments about the origin of the link.
    for (int s = from; s < draft->nshape; s++) {
        const tact_draft_shape *shape = &draft->shapes[s];
        double volume = 0, moment[3], J[3][3] = {{0}};
        if (shape->type == TACT_SHAPE_HULL)
            tact_xml_refuse(&urdf->xml, urdf->links[link].node, NULL,
                            "hulls have no mass by density: give <inertial>, or another fit");
        if (!tact_shape_volume(shape->type, shape->size, &volume, moment)) continue;
        const double x[3] = {(double)shape->frame.xyz[0], (double)shape->frame.xyz[1], (double)shape->frame.xyz[2]};
        double m = density * volume, square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        tact_mat3 R = tact_scene_pose(&shape->frame).R;
        for (int a = 0; a < 3; a++) {
            for (int b = 0; b < 3; b++) {
                J[a][b] = m * ((a == b ? square : 0) - x[a] * x[b]);
                for (int k = 0; k < 3; k++) J[a][b] += m * (double)R.m[a][k] * moment[k] * (double)R.m[b][k];
            }
        }
        mass += m;
        for (int k = 0; k < 3; k++) com[k] += m * x[k];
        const double add[6] = {J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]};
        for (int k = 0; k < 6; k++) I[k] += add[k];
    }
    if (!(mass > 0)) return;
    // About the centre of mass (Steiner).
    for (int k = 0; k < 3; k++) com[k] /= mass;
    double square = com[0] * com[0] + com[1] * com[1] + com[2] * com[2];
    for (int k = 0; k < 3; k++) I[k] -= mass * (square - com[k] * com[k]);
    I[3] += mass * com[0] * com[1];
    I[4] += mass * com[0] * com[2];
    I[5] += mass * com[1] * com[2];
    if (!(mass <= TACT_MOST_MASS)) {
        tact_xml_refuse(&urdf->xml, urdf->links[link].node, NULL, "its shapes weigh too much: at most %s kg (found %s)",
                        tact_number_print(TACT_MOST_MASS).text, tact_number_print(tact_key_round(mass, 6)).text);
        return;
    }
    body->weighed = body->inertial = true;
    body->mass = (tact_real)mass;
    body->com = tact_vec3_make((tact_real)com[0], (tact_real)com[1], (tact_real)com[2]);
    for (int k = 0; k < 6; k++) body->inertia[k] = (tact_real)I[k];
    if (!draft->fit->report) return;
    char text[300], kilograms[32];
    print_short(kilograms, mass);
    snprintf(text, sizeof text, "%s: mass of %s kg and inertia from its shapes\n",
             tact_quote(urdf->links[link].name ? urdf->links[link].name : "").text, kilograms);
    tact_text_add(draft->fit->report, text);
}
