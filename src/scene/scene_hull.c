// SPDX-License-Identifier: MIT
// Hulls from JSON: their points, and which of them are vertices.
#include <string.h>

#include "scene/build.h"
#include "scene/hull.h"

tact_hull *tact_scene_keep_hull(tact_draft *draft, const tact_hull_parts *parts) {
    size_t nvertex = (size_t)parts->nvertex, nface = (size_t)parts->nface, nedge = (size_t)parts->nedge;
    tact_hull *hull = tact_draft_take(draft, sizeof *hull);
    tact_vec3 *vertex = tact_draft_take(draft, nvertex * sizeof *vertex);
    tact_hull_face *face = tact_draft_take(draft, nface * sizeof *face);
    int *corner = tact_draft_take(draft, 2 * nedge * sizeof *corner);
    tact_hull_edge *edge = tact_draft_take(draft, nedge * sizeof *edge);
    if (!hull || !vertex || !face || !corner || !edge) return NULL;
    memcpy(vertex, parts->vertex, nvertex * sizeof *vertex);
    memcpy(face, parts->face, nface * sizeof *face);
    memcpy(corner, parts->corner, 2 * nedge * sizeof *corner);
    memcpy(edge, parts->edge, nedge * sizeof *edge);
    *hull = (tact_hull){parts->nvertex, parts->nface, parts->nedge, vertex, face, corner, edge};
    return hull;
}

// node: the list of points
static void tell_dropped(const tact_json *json, int node, const tact_hull_parts *parts) {
    int i = 0, vertex = 0, dropped = 0, first = -1;
    for (int at = tact_json_first(json, node); at >= 0; at = tact_json_after(json, at), i++) {
        if (vertex < parts->nvertex && parts->from[vertex] == i) {
            vertex++;
            continue;
        }
        if (dropped++ == 0) first = at;
    }
    if (dropped == 0) return;
    tact_json_warn(json, first,
                   "%d of %d points left out, of which this is the first: no vertices, they lie within the hull of the others",
                   dropped, i);
}

// A number or three; false after reporting.
static bool read_scale(const tact_json *json, int node, double scale[3]) {
    tact_key key = *tact_key_find(tact_scene_hull_keys, "scale");
    tact_real x[3] = {1, 1, 1};
    const bool one = node >= 0 && tact_json_type(json, node) == TACT_JSON_NUMBER;
    if (one) key.kind = TACT_KEY_NUMBER;
    if (node >= 0 && !tact_key_read_numbers(json, node, &key, 3, x)) return false;
    for (int k = 0; k < 3; k++) scale[k] = (double)x[one ? 0 : k];
    return true;
}

void tact_scene_read_hull(tact_draft *draft, const tact_json *json, int node, int vertices, tact_draft_shape *shape) {
    static const char *const of_mesh[] = {"file", "scale", "vertices"};
    int points = tact_json_find(json, node, "points"), file = tact_json_find(json, node, "file");
    for (int k = 0; k < 3 && points >= 0; k++) {
        int other = tact_json_find(json, node, of_mesh[k]);
        if (other < 0) continue;
        tact_json_refuse(json, other, "\"points\" and \"%s\" exclude each other: points are metres, and all are taken",
                         of_mesh[k]);
        return;
    }
    if (points >= 0) {
        // Hull of a list of points
        const tact_key *key = tact_key_find(tact_scene_hull_keys, "points");
        int errors = json->errors->errors, i = 0, count = tact_json_length(json, points);
        tact_vec3 point[TACT_HULL_VERTICES];
        if (count < 0) return;
        if (count < 4 || count > TACT_HULL_VERTICES) {
            tact_json_refuse(json, points, "expected 4 to %d points, found %d", TACT_HULL_VERTICES, count);
            return;
        }
        // all mistakes of the list are reported before the hull is built
        for (int at = tact_json_first(json, points); at >= 0; at = tact_json_after(json, at), i++) {
            tact_real x[3];
            if (tact_key_read_numbers(json, at, key, 3, x)) point[i] = (tact_vec3){x[0], x[1], x[2]};
        }
        tact_hull_parts *parts = tact_draft_take(draft, sizeof *parts);
        if (json->errors->errors > errors || !parts) return;
        const char *reason = tact_hull_build(point, count, parts);
        if (reason) {
            tact_json_refuse(json, points, "%s", reason);
            return;
        }
        tell_dropped(json, points, parts);
        shape->hull = tact_scene_keep_hull(draft, parts);
    } else if (file >= 0) {
        // Hull of a mesh file
        tact_mesh_hull mesh = {.vertices = vertices};
        const char *name = tact_json_get_string(json, file, TACT_SCENE_FILE_MAX);
        const char *path = name ? tact_scene_file(draft, name) : NULL;
        tact_errors *errors = path ? tact_draft_take(draft, sizeof *errors) : NULL;
        if (!read_scale(json, tact_json_find(json, node, "scale"), mesh.scale) || !errors) return;
        *errors = (tact_errors){0};
        if (tact_mesh_hull_read(draft, path, &mesh, errors))
            shape->hull = mesh.hull;
        else
            tact_json_report(json, file, json->nodes[file].at, errors->kind, "%s%s", errors->items[0].text,
                             tact_file_same(path, path) || name[0] == '/' ? "" : TACT_SCENE_FROM_FOLDER);
    } else
        tact_json_need(json, node, "points");
}
