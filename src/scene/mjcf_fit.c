// SPDX-License-Identifier: MIT
// Meshes to shapes: collision meshes by the rules of the caller, and geoms of other types that name a mesh, for which MuJoCo
// finds a size and a place: by the mesh's moments of inertia or, with the compiler's fitaabb, so that its points lie within.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"

bool tact_mjcf_is_sheared(const tact_mjcf_mesh_values *v) {
    bool turned = v->ref_quat[1] != 0 || v->ref_quat[2] != 0 || v->ref_quat[3] != 0;
    return turned && (fabs(v->scale[0]) != fabs(v->scale[1]) || fabs(v->scale[1]) != fabs(v->scale[2]));
}

tact_mjcf_pose tact_mjcf_mesh_frame(const tact_mjcf_mesh_values *v, const tact_mjcf_pose *pose) {
    // S R'(x - r) = (S R' S^-1)(S x - S r): a mirror S turns the axis of R by its sign and that of its determinant
    const double *s = v->scale, sign = s[0] * s[1] * s[2] < 0 ? -1 : 1;
    tact_mjcf_pose file;
    file.q[0] = v->ref_quat[0];
    for (int i = 0; i < 3; i++) {
        file.p[i] = -s[i] * v->ref_pos[i];
        file.q[i + 1] = s[i] * sign < 0 ? v->ref_quat[i + 1] : -v->ref_quat[i + 1];
    }
    tact_mjcf_rotate(file.q, file.p, file.p);
    return tact_mjcf_compose(pose, &file);
}

// ---- geoms of another type ----

// The sizes that give the mesh's moments of inertia, in its principal axes.
static void fit_moments(const tact_mjcf_mesh *mesh, const double e[3], tact_mjcf_geom *geom) {
    double half[3];
    for (int i = 0; i < 3; i++) {
        // of a box with half sizes a, b, c and the volume V: I_x = V (b^2 + c^2) / 3, hence a^2 = 3 (I_y + I_z - I_x) / (2 V)
        double other = e[(i + 1) % 3] + e[(i + 2) % 3] - e[i];
        half[i] = sqrt(fmax(0, 6 * other / mesh->volume)) / 2;
    }
    double mean = (half[0] + half[1]) / 2;
    switch (geom->type) {
    case TACT_MJCF_SPHERE: geom->size[0] = (half[0] + half[1] + half[2]) / 3; break;
    case TACT_MJCF_CAPSULE:
        geom->size[0] = mean;
        geom->size[1] = fmax(0, half[2] - mean / 2);
        break;
    case TACT_MJCF_CYLINDER:
        geom->size[0] = mean;
        geom->size[1] = half[2];
        break;
    default: memcpy(geom->size, half, sizeof half); break;
    }
}

// a point of the mesh in its principal axes
static void find_point(const tact_mjcf_mesh *mesh, const tact_mjcf_pose *local, const tact_mesh_point *point, double x[3]) {
    double back[4] = {local->q[0], -local->q[1], -local->q[2], -local->q[3]};
    tact_mjcf_mesh_point(&mesh->values, point, x);
    for (int i = 0; i < 3; i++) x[i] -= local->p[i];
    tact_mjcf_rotate(back, x, x);
}

// The sizes within which its points lie, about the centre of their box in the principal axes.
static void fit_box(const tact_mesh *file, const tact_mjcf_mesh *mesh, const tact_mjcf_pose *local, tact_mjcf_geom *geom,
                    double centre[3]) {
    double low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, x[3], far = 0, round = 0,
           cap = 0;
    for (int k = 0; k < file->npoint; k++) {
        find_point(mesh, local, &file->point[k], x);
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], x[i]);
            high[i] = fmax(high[i], x[i]);
        }
    }
    for (int i = 0; i < 3; i++) {
        centre[i] = (low[i] + high[i]) / 2;
        geom->size[i] = (high[i] - low[i]) / 2;
    }
    for (int k = 0; k < file->npoint; k++) {
        find_point(mesh, local, &file->point[k], x);
        for (int i = 0; i < 3; i++) x[i] -= centre[i];
        far = fmax(far, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        round = fmax(round, sqrt(x[0] * x[0] + x[1] * x[1]));
    }
    // a capsule is as long as its caps then need
    for (int k = 0; k < file->npoint; k++) {
        find_point(mesh, local, &file->point[k], x);
        for (int i = 0; i < 3; i++) x[i] -= centre[i];
        cap = fmax(cap, fabs(x[2]) - sqrt(fmax(0, round * round - x[0] * x[0] - x[1] * x[1])));
    }
    if (geom->type == TACT_MJCF_SPHERE) geom->size[0] = far;
    if (geom->type == TACT_MJCF_CAPSULE || geom->type == TACT_MJCF_CYLINDER) {
        geom->size[1] = geom->type == TACT_MJCF_CAPSULE ? cap : geom->size[2];
        geom->size[0] = round;
    }
}

bool tact_mjcf_fit_geom(tact_mjcf *m, int node, tact_mjcf_geom *geom) {
    int index = tact_mjcf_find_mesh(m, node, geom->mesh);
    if (index < 0 || !tact_mjcf_weigh_mesh(m, node, index)) return false;
    const tact_mjcf_mesh *mesh = &m->meshes[index];
    double e[3], centre[3] = {0, 0, 0};
    tact_mjcf_pose local = TACT_MJCF_IDENTITY;
    memcpy(local.p, mesh->centre, sizeof local.p);
    // the frame of the principal axes at the centre of mass
    tact_mjcf_principal(mesh->inertia, TACT_MJCF_EXACT, e, local.q);
    if (m->fit_box) {
        tact_mesh file;
        bool loaded = tact_mjcf_load_mesh(m, node, index, &file);
        if (loaded) fit_box(&file, mesh, &local, geom, centre);
        tact_mesh_free(&file);
        if (!loaded) return false;
    } else {
        fit_moments(mesh, e, geom);
    }
    for (int i = 0; i < 3; i++) geom->size[i] *= geom->fit_scale;
    // the shape lies where its mesh lay
    geom->nsize = 3;
    geom->pose = tact_mjcf_compose(&geom->pose, &local);
    tact_mjcf_pose within = TACT_MJCF_IDENTITY;
    memcpy(within.p, centre, sizeof centre);
    geom->pose = tact_mjcf_compose(&geom->pose, &within);
    return true;
}

// ---- collision meshes ----

// the mesh's shape by a rule, made unless an earlier geom has it; NULL after refusing
static const tact_mesh_fit *fit_shape(tact_mjcf *m, int node, int index, tact_fit_choice choice) {
    const tact_mjcf_mesh *mesh = &m->meshes[index];
    tact_mesh file;
    tact_mesh_fit next = {.path = mesh->path};
    memcpy(next.scale, mesh->values.scale, sizeof next.scale);
    const tact_mesh_fit *fitted = tact_mesh_fits_find(&m->fits, m->draft->fit, choice, &next);
    if (fitted || !tact_mjcf_load_mesh(m, node, index, &file)) return fitted;
    const char *why = tact_mesh_fits_add(&m->fits, m->draft, &file, &next);
    tact_mesh_free(&file);
    if (why == tact_mesh_fit_no_memory)
        tact_xml_no_memory(&m->documents[0]->xml);
    else if (why)
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "mesh %s cannot be fitted: %s (the fit \"none\" leaves it out)",
                        tact_quote(mesh->path).text, why);
    return why ? NULL : m->fits.made;
}

void tact_mjcf_fit_collision(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, int index,
                             const tact_mjcf_pose *pose) {
    const tact_mjcf_mesh *mesh = &m->meshes[index];
    const char *owner = body < 0 ? TACT_SCENE_WORLD : m->bodies[body].name;
    const tact_fit_choice choice = tact_mesh_fits_choose(&m->fits, m->draft, owner);
    if (choice.kind == TACT_FIT_NONE) return;
    if (choice.kind == TACT_FIT_UNSET) {
        char label[64];
        snprintf(label, sizeof label, "collision of mesh %.40s", mesh->name);
        tact_mjcf_leave(m, label);
        return;
    }
    if (tact_mjcf_is_sheared(&mesh->values)) {
        tact_xml_refuse(
            TACT_MJCF_AT(m, node), NULL,
            "mesh %s cannot be fitted: refquat turns it before it is scaled by unequal factors (the fit \"none\" leaves "
            "it out)",
            tact_quote(mesh->name).text);
        return;
    }
    const tact_mesh_fit *fitted = fit_shape(m, node, index, choice);
    if (!fitted) return;
    const tact_shape_fit *fit = &fitted->fit;
    // pose of the fitted shape: geom, then the mesh's own frame, then the fit in it
    tact_mjcf_pose local = TACT_MJCF_IDENTITY;
    double R[3][3];
    memcpy(local.p, fit->center, sizeof local.p);
    memcpy(R, fit->R, sizeof R);
    if (fit->type != TACT_SHAPE_SPHERE) tact_mjcf_quaternion(R, local.q);
    tact_mjcf_pose place = tact_mjcf_mesh_frame(&mesh->values, pose);
    place = tact_mjcf_compose(&place, &local);
    // the shape, with the filter of its geom
    tact_draft_shape *shape = tact_mjcf_add_shape(m, node, body, geom, &place, fit->type);
    if (shape) tact_mesh_fit_give(fitted, owner, m->draft->fit->report, shape);
}
