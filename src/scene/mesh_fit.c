// SPDX-License-Identifier: MIT
#include "scene/mesh_fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/hull.h"
#include "scene/mesh_path.h"
#include "scene/utf8.h"
#include "tact/keys.h"
#include "tact/memory.h"

const char tact_mesh_fit_no_memory[] = "out of memory";

bool tact_mesh_fits_begin(tact_mesh_fits *fits, tact_draft *draft) {
    const tact_draft_fit *rules = draft->fit;
    if (!rules) return true;
    fits->matched = tact_draft_take(draft, (size_t)rules->nrule * sizeof fits->matched[0]);
    for (int i = 0; fits->matched && i < rules->nrule; i++) fits->matched[i] = tact_fit_rule_pattern(rules->rule[i]) == 0;
    return fits->matched != NULL;
}

void tact_mesh_fits_end(const tact_mesh_fits *fits, const tact_draft_fit *rules, const char *what, const tact_xml *xml,
                        int node) {
    for (int i = 0; rules && i < rules->nrule; i++) {
        if (fits->matched[i]) continue;
        size_t size = tact_fit_rule_pattern(rules->rule[i]);
        tact_xml_refuse(xml, node, NULL, "fit %s: no %s with a collision mesh has such a name (they are: %s)",
                        tact_quote_bytes(rules->rule[i], size).text, what, fits->meshed.text[0] ? fits->meshed.text : "none");
    }
}

tact_fit_choice tact_mesh_fits_choose(tact_mesh_fits *fits, const tact_draft *draft, const char *owner) {
    if (!draft->fit || !owner) return (tact_fit_choice){TACT_FIT_UNSET, 0};
    tact_fit_names_add(&fits->meshed, owner);
    return tact_fit_rule_find(draft->fit, owner, fits->matched);
}

const tact_mesh_fit *tact_mesh_fits_find(const tact_mesh_fits *fits, const tact_draft_fit *rules, tact_fit_choice choice,
                                         tact_mesh_fit *next) {
    static const tact_shape_type types[] = {[TACT_FIT_SPHERE] = TACT_SHAPE_SPHERE,
                                            [TACT_FIT_CAPSULE] = TACT_SHAPE_CAPSULE,
                                            [TACT_FIT_BOX] = TACT_SHAPE_BOX,
                                            [TACT_FIT_HULL] = TACT_SHAPE_HULL,
                                            [TACT_FIT_SDF] = TACT_SHAPE_GRID};
    next->type = types[choice.kind];
    next->count = choice.count;
    next->vertices = TACT_HULL_VERTICES;
    next->measure = rules->report != NULL;
    // the same file at the same scale and by the same rule is fitted once
    for (const tact_mesh_fit *fit = fits->made; fit && next->path; fit = fit->before) {
        bool same = strcmp(fit->path, next->path) == 0 && fit->type == next->type && fit->count == next->count;
        for (int k = 0; k < 3; k++) same = same && fit->scale[k] == next->scale[k];
        if (same) return fit;
    }
    return NULL;
}

const char *tact_mesh_fits_add(tact_mesh_fits *fits, tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *next) {
    tact_mesh_fit *kept = tact_draft_take(draft, sizeof *kept);
    next->npoint = mesh->npoint;
    next->before = fits->made;
    const char *why = kept ? tact_mesh_fit_make(draft, mesh, next) : tact_mesh_fit_no_memory;
    if (why) return why;
    *kept = *next;
    fits->made = kept;
    return NULL;
}

static void print_short(char out[32], double x) {
    snprintf(out, 32, "%s", tact_rounded(x, 4).text);
}

static void tell(const tact_mesh_fit *fitted, const char *owner, tact_text *report) {
    const tact_shape_fit *fit = &fitted->fit;
    const char *path = fitted->path;
    int npoint = fitted->npoint;
    char text[600], size[3][32], inside[32], deviation[32], form[120];
    if (fit->type == TACT_SHAPE_GRID) {
        const tact_grid *grid = fitted->grid;
        snprintf(text, sizeof text,
                 "%s: grid of %d x %d x %d numbers, step %.4g m, of %s (%d points): its triangles are off the surface by %.2g m "
                 "(median), %.2g m (95 %%), %.2g m (most)\n",
                 tact_quote(owner).text, grid->count[0], grid->count[1], grid->count[2], (double)grid->step,
                 tact_quote(path).text, npoint, fitted->off[0], fitted->off[1], fitted->off[2]);
        tact_text_add(report, text);
        return;
    }
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

void tact_mesh_fit_give(const tact_mesh_fit *fitted, const char *owner, tact_text *report, tact_draft_shape *shape) {
    shape->type = fitted->fit.type;
    shape->hull = fitted->hull;
    shape->grid = fitted->grid;
    shape->file = fitted->file;
    shape->fitted = true;
    if (shape->type == TACT_SHAPE_SPHERE) memset(shape->frame.rpy, 0, sizeof shape->frame.rpy);
    for (int k = 0; k < 3; k++) shape->size[k] = (tact_real)fitted->fit.size[k];
    if (report) tell(fitted, owner, report);
}

// How far a point lies beyond a face, 0 within.
static double find_outside(const tact_hull_parts *parts, const double x[3]) {
    double most = 0;
    for (int f = 0; f < parts->nface; f++) {
        tact_vec3 n = parts->face[f].normal;
        most = fmax(most, (double)n.x * x[0] + (double)n.y * x[1] + (double)n.z * x[2] - (double)parts->face[f].offset);
    }
    return most;
}

// A measure of how far a point lies from the point, line or plane through the first one, two or three.
static double find_away(const tact_vec3 *point, int count, tact_vec3 x) {
    const tact_vec3 d = tact_vec3_sub(x, point[0]), a = tact_vec3_sub(point[1], point[0]), b = tact_vec3_sub(point[2], point[0]);
    const tact_vec3 across = count == 1 ? d : tact_vec3_cross(a, d);
    return count < 3 ? (double)tact_vec3_dot(across, across) : fabs((double)tact_vec3_dot(tact_vec3_cross(a, b), d));
}

// Of the points of a hull those that make it grow the most: a tetrahedron, then always the one that lies the farthest outside.
static const char *reduce(tact_vec3 *point, int count, int most, tact_hull_parts *parts) {
    const char *why = NULL;
    for (int have = 1; have < most && !why; have++) {
        double farthest = -1;
        int next = have;
        for (int i = have; i < count; i++) {
            const double x[3] = {(double)point[i].x, (double)point[i].y, (double)point[i].z};
            double away = have < 4 ? find_away(point, have, point[i]) : find_outside(parts, x);
            if (away > farthest) farthest = away, next = i;
        }
        tact_vec3 swap = point[have];
        point[have] = point[next];
        point[next] = swap;
        if (have >= 3) why = tact_hull_build(point, have + 1, parts);
    }
    return why;
}

// The hull of up to 64 points of the mesh, which are the farthest in directions spread evenly, or of all; of fewer vertices where
// they are asked for. As tact_mesh_fit_make.
static const char *fit_hull(tact_draft *draft, const tact_fit_point *point, int n, tact_mesh_fit *fitted) {
    tact_hull_parts *parts = tact_draft_take(draft, sizeof *parts);
    tact_vec3 chosen[TACT_HULL_VERTICES];
    int from[TACT_HULL_VERTICES], count = 0;
    if (!parts) return tact_mesh_fit_no_memory;
    for (int k = 0; k < TACT_HULL_VERTICES; k++) {
        double d[3];
        // few points are all taken; of many the farthest along direction k
        int next = n <= TACT_HULL_VERTICES ? k : 0;
        bool fresh = next < n;
        tact_fit_direction(k, TACT_HULL_VERTICES, d);
        for (int i = 0; n > TACT_HULL_VERTICES && i < n; i++) {
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
    if (!why && parts->nvertex > fitted->vertices) why = reduce(chosen, count, fitted->vertices, parts);
    if (why) return why;
    // how far the points that were left out lie beyond a face
    fitted->outside = 0;
    for (int i = 0; i < n; i++) fitted->outside = fmax(fitted->outside, find_outside(parts, point[i].x));
    fitted->hull = tact_scene_keep_hull(draft, parts);
    fitted->fit = (tact_shape_fit){.type = TACT_SHAPE_HULL, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    return fitted->hull ? NULL : tact_mesh_fit_no_memory;
}

// The name of a grid's array, FILE-MESH-N.npy of the robot's file and N numbers; another grid of that name has a number behind
// it.
static const char *name_array(tact_draft *draft, const tact_mesh_fit *fitted) {
    const char *robot = draft->fit->robot, *mesh = fitted->path;
    int size[2] = {tact_mesh_stem(&robot), tact_mesh_stem(&mesh)};
    size_t room = (size_t)size[0] + (size_t)size[1] + 36;
    char *name = tact_draft_take(draft, room);
    const tact_mesh_fit *other = fitted;
    for (int n = 1; name && other; n++) {
        char number[16] = "";
        if (n > 1) snprintf(number, sizeof number, "-%d", n);
        snprintf(name, room, "%.*s-%.*s-%d%s.npy", size[0], robot, size[1], mesh, fitted->count, number);
        other = fitted->before;
        while (other && !(other->file && strcmp(other->file, name) == 0)) other = other->before;
    }
    return name;
}

// The signed distance of a closed mesh; as tact_mesh_fit_make.
static const char *fit_grid(tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *fitted) {
    const tact_draft_fit *rules = draft->fit;
    tact_errors errors = {0};
    tact_solid solid;
    tact_sdf sdf = {0};
    fitted->file = name_array(draft, fitted);
    if (fitted->file && !tact_utf8_is_plain(fitted->file, strlen(fitted->file)))
        return "its array would have a name that is not UTF-8";
    if (rules->tick) rules->tick(rules->context, 0);
    bool good = tact_solid_make(&solid, mesh, fitted->scale, fitted->path, &errors);
    good = good && tact_sdf_make(&sdf, &solid, fitted->count, fitted->path, rules->tick, rules->context, &errors);
    tact_grid *grid = tact_draft_take(draft, sizeof *grid);
    size_t size = good ? (size_t)sdf.count[0] * (size_t)sdf.count[1] * (size_t)sdf.count[2] : 0;
    tact_real *value = tact_draft_take(draft, size * sizeof *value);
    const char *why = NULL;
    bool room = grid && value && fitted->file;
    if (room && good) {
        *grid = tact_sdf_grid(&sdf, value);
        room = tact_grid_measure(grid, &solid, fitted->off);
    }
    if (!room || errors.kind == TACT_ERROR_NO_MEMORY) {
        why = tact_mesh_fit_no_memory;
    } else if (!good && errors.kept > 0) {
        // what is open, or crosses itself
        char text[TACT_ERROR_LENGTH + 80];
        snprintf(text, sizeof text, "it %s; the fit \"hull\" takes meshes that are open or cross themselves",
                 errors.items[0].text + errors.items[0].reason);
        why = tact_draft_string(draft, text, strlen(text));
        if (!why) why = tact_mesh_fit_no_memory;
    } else if (!good) {
        why = "its sampling was stopped";
    } else if (fitted->off[0] > sdf.step / 2 || sdf.step < 1e-6) {
        why =
            "it is too thin or too small for this grid: most of its surface is off by more than half a step (take more numbers), "
            "or the step is below 1e-6 m";
    }
    fitted->grid = grid;
    fitted->fit = (tact_shape_fit){.type = TACT_SHAPE_GRID, .R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    tact_sdf_free(&sdf);
    tact_solid_free(&solid);
    return why;
}

const char *tact_mesh_fit_make(tact_draft *draft, const tact_mesh *mesh, tact_mesh_fit *fitted) {
    tact_shape_fit *fit = &fitted->fit;
    const double *scale = fitted->scale;
    const bool grid = fitted->type == TACT_SHAPE_GRID, hull = grid || fitted->type == TACT_SHAPE_HULL;
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
    if (good && !why && hull) why = grid ? fit_grid(draft, mesh, fitted) : fit_hull(draft, point, count, fitted);
    if (good && !why && !hull) good = tact_fit_points(fitted->type, point, count, fit);
    int sizes = !good || why || hull ? 0 : fit->type == TACT_SHAPE_BOX ? 3 : 1;
    for (int k = 0; k < sizes; k++)
        if (!((tact_real)fit->size[k] / 2 > 0)) why = "its points lie in a point, a line or a plane";
    if (good && !why && !hull && fitted->measure) tact_fit_measure(fit, point, (const int(*)[3])corner, mesh->ntriangle);
    tact_memory_release(point);
    tact_memory_release(number);
    tact_memory_release(corner);
    return good ? why : tact_mesh_fit_no_memory;
}
