// SPDX-License-Identifier: MIT
// Mesh assets: where their files are and, for those whose mass or size is needed, volume, centre and inertia.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mesh_path.h"
#include "scene/mjcf_parts.h"

// MuJoCo turns a mesh into its principal axes, and drops products of inertia of this part of the largest moment
#define MESH_AXES 1e-7

enum { LEGACY, EXACT, CONVEX, SHELL };

// The path of a mesh's file by the compiler's folders. False after refusing one outside the model's folder.
static bool read_path(tact_mjcf *m, int node, tact_mjcf_mesh *mesh) {
    const char *file = tact_mjcf_text(m, node, "file");
    char path[TACT_NAME_MAX + 1];
    if (!file || !file[0]) return true;
    if (m->strip_path && strrchr(file, '/')) file = strrchr(file, '/') + 1;
    // before a full path MuJoCo puts no folder
    const char *folder = m->mesh_folder && file[0] != '/' ? m->mesh_folder : "";
    size_t size = strlen(folder);
    // meshdir may end with a slash or not
    bool ended = size == 0 || folder[size - 1] == '/';
    if (size + strlen(file) + 1 > TACT_NAME_MAX) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "file", "path of more than %d bytes", TACT_NAME_MAX);
        return false;
    }
    snprintf(path, sizeof path, "%s%s%s", folder, ended ? "" : "/", file);
    tact_reason why = {"outside the model's folder"};
    if (path[0] == '/' ? !tact_mesh_relate(path, sizeof path, m->file, &why)
                       : tact_mesh_package(path) || !tact_mesh_inside(path)) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "file", "file %s: %s", tact_quote(path).text, why.text);
        return false;
    }
    for (const char *c = path; *c; c++) {
        if ((unsigned char)*c >= 0x20 && *c != 0x7f) continue;
        tact_xml_refuse(TACT_MJCF_AT(m, node), "file", "control characters are not allowed in a path");
        return false;
    }
    mesh->path = tact_draft_string(m->draft, path, strlen(path));
    return mesh->path != NULL;
}

// Reads a <mesh>: values of its class, then its own, and its name, which is the file's where none is given. Names must differ.
static bool read_mesh(tact_mjcf *m, int node) {
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", &m->classes[0]);
    tact_mjcf_mesh *mesh = &m->meshes[m->nmesh];
    if (!class) return false;
    *mesh = (tact_mjcf_mesh){.node = node, .values = class->mesh};
    tact_mjcf_apply_mesh(m, node, &mesh->values);
    mesh->name = tact_mjcf_name(m, node, "name");
    if (!read_path(m, node, mesh)) return false;
    const char *file = tact_mjcf_text(m, node, "file");
    // the name of the file without folders and its last extension
    size_t stem = !mesh->name && file ? (size_t)tact_mesh_stem(&file) : 0;
    if (!mesh->name && file) mesh->name = tact_draft_string(m->draft, file, stem);
    if (!mesh->name || !mesh->name[0]) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "a mesh needs a name or a file");
        return false;
    }
    return tact_mjcf_add_name(m, TACT_MJCF_MESH, node, mesh->name, m->nmesh++);
}

bool tact_mjcf_read_meshes(tact_mjcf *m) {
    int count = 0;
    for (int i = 0; i < m->nnode; i++) count += tact_mjcf_is(m, i, "mesh");
    m->meshes = tact_draft_take(m->draft, (size_t)count * sizeof m->meshes[0]);
    if (!m->meshes) return false;
    for (int k = tact_mjcf_next_element(m, "asset", -1); k >= 0; k = tact_mjcf_next_element(m, "asset", k))
        if (tact_mjcf_is(m, k, "mesh") && !read_mesh(m, k)) return false;
    return true;
}

int tact_mjcf_find_mesh(tact_mjcf *m, int node, const char *name) {
    int mesh = name ? tact_name_table_find(&m->names, TACT_MJCF_MESH, name) : -1;
    if (mesh >= 0) return mesh;
    tact_nearest nearest = {.word = name ? name : ""};
    if (name && m->nmesh <= 250 && !tact_errors_full(m->draft->errors, TACT_ERROR_REFUSED))
        for (int i = 0; i < m->nmesh; i++) tact_nearest_try(&nearest, m->meshes[i].name);
    if (name)
        tact_xml_refuse(TACT_MJCF_AT(m, node), "mesh", "no mesh %s%s", tact_quote(name).text, tact_nearest_hint(&nearest).text);
    else
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "a geom of the type mesh needs the attribute \"mesh\"");
    return -1;
}

void tact_mjcf_mesh_point(const tact_mjcf_mesh_values *values, const tact_mesh_point *point, double x[3]) {
    double back[4] = {values->ref_quat[0], -values->ref_quat[1], -values->ref_quat[2], -values->ref_quat[3]};
    for (int i = 0; i < 3; i++) x[i] = (double)point->x[i] - values->ref_pos[i];
    tact_mjcf_rotate(back, x, x);
    for (int i = 0; i < 3; i++) x[i] *= values->scale[i];
}

// Normal times area, area and centre of a triangle.
static double measure(double x[3][3], double normal[3], double centre[3]) {
    double a[3], b[3];
    for (int i = 0; i < 3; i++) {
        a[i] = x[1][i] - x[0][i];
        b[i] = x[2][i] - x[0][i];
        centre[i] = (x[0][i] + x[1][i] + x[2][i]) / 3;
    }
    for (int i = 0; i < 3; i++) normal[i] = (a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3]) / 2;
    return sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
}

static void load_triangle(const tact_mesh *file, const tact_mjcf_mesh *mesh, int t, double x[3][3]) {
    for (int k = 0; k < 3; k++) tact_mjcf_mesh_point(&mesh->values, &file->point[file->triangle[t].corner[k]], x[k]);
}

// The centre of the surface, from which the tetrahedra of the volume begin, and the box about it.
static void find_surface(const tact_mesh *file, tact_mjcf_mesh *mesh, double middle[3]) {
    double total = 0, sum[3] = {0, 0, 0};
    for (int i = 0; i < 3; i++) {
        mesh->low[i] = HUGE_VAL;
        mesh->high[i] = -HUGE_VAL;
    }
    for (int t = 0; t < file->ntriangle; t++) {
        double x[3][3], normal[3], centre[3];
        load_triangle(file, mesh, t, x);
        // centre of area: mean of the triangles' centres, weighted by area
        double area = measure(x, normal, centre);
        total += area;
        for (int i = 0; i < 3; i++) {
            sum[i] += area * centre[i];
            for (int k = 0; k < 3; k++) {
                mesh->low[i] = fmin(mesh->low[i], x[k][i]);
                mesh->high[i] = fmax(mesh->high[i], x[k][i]);
            }
        }
    }
    for (int i = 0; i < 3; i++) middle[i] = total > 0 ? sum[i] / total : 0;
}

// Weight of a triangle's tetrahedron from a point: its volume, without a sign where MuJoCo's older formula is asked for; its area
// for a shell.
static double weigh(const tact_mjcf_mesh *mesh, const double from[3], const double normal[3], const double centre[3],
                    double area) {
    const double arm[3] = {centre[0] - from[0], centre[1] - from[1], centre[2] - from[2]};
    double volume = (arm[0] * normal[0] + arm[1] * normal[1] + arm[2] * normal[2]) / 3;
    if (mesh->values.inertia == SHELL) return area;
    return mesh->values.inertia == LEGACY ? fabs(volume) : volume;
}

// Volume, centre, and products of inertia by tetrahedra: the integral of x x' over one from the origin is
// V/20 (sum of p p' over its corners + s s'), s their sum (Tonon 2004).
static void integrate(const tact_mesh *file, tact_mjcf_mesh *mesh) {
    static const int row[6] = {0, 1, 2, 0, 0, 1}, column[6] = {0, 1, 2, 1, 2, 2};
    bool shell = mesh->values.inertia == SHELL;
    double middle[3], sum[3] = {0, 0, 0}, P[6] = {0, 0, 0, 0, 0, 0}, total = 0, volume = 0;
    find_surface(file, mesh, middle);
    for (int t = 0; t < file->ntriangle; t++) {
        double x[3][3], normal[3], centre[3];
        load_triangle(file, mesh, t, x);
        double area = measure(x, normal, centre), weight = weigh(mesh, middle, normal, centre, area);
        total += weight;
        for (int i = 0; i < 3; i++) sum[i] += weight * (shell ? centre[i] : centre[i] * 3 / 4 + middle[i] / 4);
    }
    for (int i = 0; i < 3; i++) mesh->centre[i] = total != 0 ? sum[i] / total : 0;
    for (int t = 0; t < file->ntriangle; t++) {
        double x[3][3], normal[3], centre[3], s[3];
        const double origin[3] = {0, 0, 0};
        load_triangle(file, mesh, t, x);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++) x[k][i] -= mesh->centre[i];
        double area = measure(x, normal, centre), weight = weigh(mesh, origin, normal, centre, area);
        volume += weight;
        for (int i = 0; i < 3; i++) s[i] = x[0][i] + x[1][i] + x[2][i];
        for (int k = 0; k < 6; k++) {
            int i = row[k], j = column[k];
            double corners = x[0][i] * x[0][j] + x[1][i] * x[1][j] + x[2][i] * x[2][j];
            P[k] += weight / (shell ? 12 : 20) * (corners + s[i] * s[j]);
        }
    }
    // faces that look inward
    double sign = volume < 0 ? -1 : 1;
    const double inertia[6] = {P[1] + P[2], P[0] + P[2], P[0] + P[1], -P[3], -P[4], -P[5]};
    mesh->volume = sign * volume;
    for (int k = 0; k < 6; k++) mesh->inertia[k] = sign * inertia[k];
    tact_mjcf_diagonalise(mesh->inertia, MESH_AXES);
}

bool tact_mjcf_load_mesh(tact_mjcf *m, int node, int index, tact_mesh *file) {
    tact_mjcf_mesh *mesh = &m->meshes[index];
    const char *real = NULL;
    tact_text text = {0};
    *file = (tact_mesh){0};
    // told before
    if (mesh->missing) return false;
    if (!mesh->path) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "mesh", "mesh %s has no file, and its points are needed",
                        tact_quote(mesh->name).text);
        return false;
    }
    const char *shown = tact_mjcf_open(m, mesh->node, "file", mesh->path, &text, &real);
    mesh->missing = !shown || !tact_mesh_read(file, tact_text_source(&text, shown), m->draft->errors);
    tact_text_free(&text);
    if (shown && mesh->missing)
        tact_xml_refuse(TACT_MJCF_AT(m, mesh->node), "file", "file %s cannot be read", tact_quote(mesh->path).text);
    return !mesh->missing;
}

bool tact_mjcf_weigh_mesh(tact_mjcf *m, int node, int index) {
    tact_mjcf_mesh *mesh = &m->meshes[index];
    tact_mesh file = {0};
    if (mesh->weighed) return mesh->good;
    mesh->weighed = true;
    bool read = tact_mjcf_load_mesh(m, node, index, &file);
    if (read && mesh->values.inertia == CONVEX) tact_mjcf_leave(m, "mesh@inertia of the convex hull (that of the mesh is taken)");
    if (read) integrate(&file, mesh);
    tact_mesh_free(&file);
    mesh->good = read && mesh->volume > 1e-30 && mesh->volume <= TACT_MOST_MASS;
    if (read && !mesh->good)
        tact_xml_refuse(TACT_MJCF_AT(m, mesh->node), NULL, "mesh %s has no volume: the mass of its geoms is undetermined",
                        tact_quote(mesh->name).text);
    return mesh->good;
}
