// SPDX-License-Identifier: MIT
// Collision meshes as shapes round them, and the mass of links that give none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/mesh_path.h"
#include "scene/urdf_parts.h"

// Reads and fits a mesh; false after refusing.
static bool open_mesh(tact_urdf *urdf, int node, tact_mesh_fit *next) {
    const char *path = next->path;
    tact_errors errors = {0};
    tact_reason why = {""};
    tact_text text = {0};
    tact_mesh mesh = {0};
    char *place = tact_mesh_file(path, urdf->file, urdf->draft->fit->packages, &why);
    const char *reason = place ? NULL : why.text;
    if (place && (!tact_text_read(&text, place, TACT_MESH_LIMIT, &errors) ||
                  !tact_mesh_read(&mesh, tact_text_source(&text, path), &errors)))
        reason = errors.items[0].text;
    if (!reason) reason = tact_mesh_fits_add(&urdf->fits, urdf->draft, &mesh, next);
    // a file that is not there is unreadable, one that cannot be fitted is refused
    tact_error_kind kind = !place && tact_mesh_inside(path) ? TACT_ERROR_UNREADABLE : TACT_ERROR_REFUSED;
    if (errors.errors > 0) kind = errors.kind;
    if (reason == tact_mesh_fit_no_memory || kind == TACT_ERROR_NO_MEMORY)
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
    const char *name = urdf->links[link].name, *path = tact_xml_value(&urdf->xml, node, "filename");
    const tact_fit_choice choice = tact_mesh_fits_choose(&urdf->fits, urdf->draft, name);
    tact_real scale[3] = {1, 1, 1};
    *told = choice.kind != TACT_FIT_UNSET;
    if (choice.kind == TACT_FIT_UNSET || choice.kind == TACT_FIT_NONE) return false;
    if (!path || !path[0]) {
        tact_xml_refuse(&urdf->xml, node, NULL, "attribute \"filename\" is missing");
        return false;
    }
    if (tact_xml_value(&urdf->xml, node, "scale") && !tact_urdf_vector(urdf, node, "scale", TACT_MOST_LENGTH, scale))
        return false;
    tact_mesh_fit next = {.path = path, .scale = {(double)scale[0], (double)scale[1], (double)scale[2]}};
    const tact_mesh_fit *fitted = tact_mesh_fits_find(&urdf->fits, urdf->draft->fit, choice, &next);
    if (!fitted && !open_mesh(urdf, node, &next)) return false;
    if (!fitted) fitted = urdf->fits.made;
    const tact_shape_fit *fit = &fitted->fit;

    // The collision's frame, in which the mesh stands, times the shape's in the mesh.
    tact_pose origin = tact_scene_pose(&shape->frame);
    tact_mat3 R;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) R.m[i][k] = (tact_real)fit->R[i][k];
    tact_vec3 center = {(tact_real)fit->center[0], (tact_real)fit->center[1], (tact_real)fit->center[2]};
    tact_vec3 place = tact_vec3_add(origin.p, tact_mat3_apply(origin.R, center));
    tact_urdf_angles(tact_mat3_multiply(origin.R, R), shape->frame.rpy);
    shape->frame.xyz[0] = place.x;
    shape->frame.xyz[1] = place.y;
    shape->frame.xyz[2] = place.z;
    tact_mesh_fit_give(fitted, name, urdf->draft->fit->report, shape);
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
        double volume = 0, moment[6] = {0}, centre[3] = {0}, J[3][3] = {{0}};
        if (shape->hull)
            tact_hull_weigh(shape->hull, &volume, centre, moment);
        else if (!tact_shape_volume(shape->type, shape->size, &volume, moment)) {
            if (shape->grid)
                tact_xml_warn(&urdf->xml, urdf->links[link].node, NULL,
                              "--density does not weigh grids: give the link an <inertial>");
            continue;
        }
        // The shape's centre of mass in the link, and J = m (|x|^2 1 - x x') + m R C R' with C about that centre over the mass.
        tact_pose frame = tact_scene_pose(&shape->frame);
        tact_vec3 at = tact_vec3_make((tact_real)centre[0], (tact_real)centre[1], (tact_real)centre[2]);
        at = tact_vec3_add(frame.p, tact_mat3_apply(frame.R, at));
        const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
        const double C[3][3] = {
            {moment[0], moment[3], moment[4]}, {moment[3], moment[1], moment[5]}, {moment[4], moment[5], moment[2]}};
        double m = density * volume, square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                J[a][b] = m * ((a == b ? square : 0) - x[a] * x[b]);
                for (int k = 0; k < 9; k++)
                    J[a][b] += m * (double)frame.R.m[a][k / 3] * C[k / 3][k % 3] * (double)frame.R.m[b][k % 3];
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
                        tact_number_print(TACT_MOST_MASS).text, tact_rounded(mass, 6).text);
        return;
    }
    body->weighed = body->inertial = true;
    body->mass = (tact_real)mass;
    body->com = tact_vec3_make((tact_real)com[0], (tact_real)com[1], (tact_real)com[2]);
    for (int k = 0; k < 6; k++) body->inertia[k] = (tact_real)I[k];
    if (!draft->fit->report) return;
    char text[300], kilograms[32];
    snprintf(kilograms, sizeof kilograms, "%s", tact_rounded(mass, 4).text);
    snprintf(text, sizeof text, "%s: mass of %s kg and inertia from its shapes\n",
             tact_quote(urdf->links[link].name ? urdf->links[link].name : "").text, kilograms);
    tact_text_add(draft->fit->report, text);
}
