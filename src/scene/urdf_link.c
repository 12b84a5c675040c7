// SPDX-License-Identifier: MIT
// What a link weighs, and the shapes of its collision elements.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/mesh_path.h"
#include "scene/urdf_parts.h"

// an inertia may miss being positive semidefinite by so much of its largest eigenvalue, as printed digits do
#define INERTIA_SLACK 1e-9
// ... or by so much [kg m^2]: less than any body has
#define INERTIA_NOISE 1e-18

// what is left as it is
#define INERTIA_KEPT 4e-12

#define MASS_LEAST 1e-30  // [kg]

// ... or by what its printed digits leave open, of its largest eigenvalue at most
#define INERTIA_DIGITS 1e-4

static const char *const inertia_names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};

// six digits are enough for a message
static tact_number_text print_six(double x) {
    double rounded = tact_key_round(x, 6);
    return tact_number_print(isfinite(rounded) ? rounded : x);
}

// turned to the axes of the link, where it must not be too large either
static void turn_inertia(const tact_urdf *urdf, int inertial, tact_mat3 R, tact_real I[6]) {
    // R I R', both as xx, yy, zz, xy, xz, yz
    tact_mat3 A = {{{I[0], I[3], I[4]}, {I[3], I[1], I[5]}, {I[4], I[5], I[2]}}};
    tact_mat3 T = {{{R.m[0][0], R.m[1][0], R.m[2][0]}, {R.m[0][1], R.m[1][1], R.m[2][1]}, {R.m[0][2], R.m[1][2], R.m[2][2]}}};
    tact_mat3 B = tact_mat3_multiply(tact_mat3_multiply(R, A), T);
    I[0] = B.m[0][0];
    I[1] = B.m[1][1];
    I[2] = B.m[2][2];
    I[3] = (B.m[0][1] + B.m[1][0]) / 2;
    I[4] = (B.m[0][2] + B.m[2][0]) / 2;
    I[5] = (B.m[1][2] + B.m[2][1]) / 2;
    for (int i = 0; i < 6; i++) {
        if (fabs((double)I[i]) <= TACT_MOST_MASS) continue;
        tact_xml_refuse(&urdf->xml, tact_xml_find(&urdf->xml, inertial, "inertia"), NULL,
                        "too large in the axes of the link: at most %s in magnitude (found %s)",
                        tact_number_print(TACT_MOST_MASS).text, print_six((double)I[i]).text);
        return;
    }
}

// Reads the mass of a link. False after refusing it.
static bool read_mass(const tact_urdf *urdf, int inertial, tact_draft_body *body) {
    int mass = tact_xml_find(&urdf->xml, inertial, "mass");
    if (mass < 0) {
        tact_xml_refuse(&urdf->xml, inertial, NULL, "element <mass> is missing");
        return false;
    }
    if (!tact_urdf_number(urdf, mass, "value", TACT_MOST_MASS, &body->mass)) return false;
    if (body->mass < 0) {
        tact_xml_refuse(&urdf->xml, mass, "value", "must be >= 0 (found %s)", tact_key_print(body->mass).text);
        return false;
    }
    // of such masses products vanish that the equations divide by; in double precision, where a float would be 0
    const char *text = tact_xml_value(&urdf->xml, mass, "value");
    double written = 0;
    size_t size = tact_number_word(&text);
    if (tact_number_read_loose(text, size, &written) == TACT_NUMBER_READ && written != 0 && written < MASS_LEAST) {
        tact_xml_refuse(&urdf->xml, mass, "value", "must be 0 or at least %s (found %s)", tact_number_print(MASS_LEAST).text,
                        tact_number_print(written).text);
        return false;
    }
    body->weighed = body->mass > 0;
    return true;
}

// What the last printed digits of the six numbers leave open: no eigenvalue is off by more than the largest sum of a row's
// (Gershgorin). Of round numbers that is nothing to go by, and a small part of the largest one bounds it.
static double find_rounding(const tact_urdf *urdf, int inertia, double largest) {
    double unit[6];
    for (int i = 0; i < 6; i++) unit[i] = tact_number_unit(tact_xml_value(&urdf->xml, inertia, inertia_names[i])) / 2;
    double rows = fmax(unit[0] + unit[3] + unit[4], fmax(unit[3] + unit[1] + unit[5], unit[4] + unit[5] + unit[2]));
    return fmin(rows, INERTIA_DIGITS * largest);
}

// Positive semi-definite but for rounding, which is then added to the diagonal.
static void check_inertia(const tact_urdf *urdf, int inertia, tact_draft_body *body) {
    double e[3];
    tact_urdf_eigenvalues(body->inertia, e);
    if (e[0] >= 0) return;
    tact_number_text low = print_six(e[0]), middle = print_six(e[1]), high = print_six(e[2]);
    double slack = fmax(INERTIA_NOISE, fmax(INERTIA_SLACK * e[2], find_rounding(urdf, inertia, e[2])));
    if (!(e[0] >= -slack)) {
        tact_xml_refuse(&urdf->xml, inertia, NULL, "eigenvalues %s, %s, %s: must not be negative", high.text, middle.text,
                        low.text);
        return;
    }
    tact_xml_doubt(&urdf->xml, inertia, NULL, "eigenvalues %s, %s, %s: one is below 0 by rounding", high.text, middle.text,
                   low.text);
    // a model bears 1e-11 of its trace
    body->as_given = e[0] < -INERTIA_KEPT * e[2];
    if (body->as_given)
        for (int i = 0; i < 3; i++) body->inertia[i] -= (tact_real)e[0];
}

static bool read_inertia(const tact_urdf *urdf, int inertial, tact_draft_body *body) {
    int inertia = tact_xml_find(&urdf->xml, inertial, "inertia");
    bool good = true;
    if (inertia < 0) {
        tact_xml_refuse(&urdf->xml, inertial, NULL, "element <inertia> is missing");
        return false;
    }
    for (int i = 0; i < 6; i++)
        good = tact_urdf_number(urdf, inertia, inertia_names[i], TACT_MOST_MASS, &body->inertia[i]) && good;
    if (!good) return false;
    for (int i = 0; i < 6; i++) body->inertial = body->inertial || body->inertia[i] != 0;
    check_inertia(urdf, inertia, body);
    return true;
}

void tact_urdf_read_inertial(const tact_urdf *urdf, int link, tact_draft_body *body) {
    static const char *const single[] = {"origin", "mass", "inertia", NULL}, *const others[] = {NULL};
    int inertial = tact_xml_find(&urdf->xml, urdf->links[link].node, "inertial");
    tact_draft_frame frame = {{0, 0, 0}, {0, 0, 0}};
    if (inertial < 0) return;
    tact_urdf_check_children(urdf, inertial, single, others);
    bool good = tact_urdf_origin(urdf, inertial, &frame);
    good = read_mass(urdf, inertial, body) && good;
    good = read_inertia(urdf, inertial, body) && good;
    if (!good) return;
    body->com = tact_vec3_make(frame.xyz[0], frame.xyz[1], frame.xyz[2]);
    bool turned = frame.rpy[0] != 0 || frame.rpy[1] != 0 || frame.rpy[2] != 0;
    if (turned && body->inertial) turn_inertia(urdf, inertial, tact_scene_pose(&frame).R, body->inertia);
}

bool tact_urdf_count_collisions(tact_urdf *urdf) {
    const tact_xml *xml = &urdf->xml;
    urdf->shared = tact_draft_take(urdf->draft, (size_t)xml->count * sizeof urdf->shared[0]);
    if (!urdf->shared) return false;
    for (int l = 0; l < urdf->nlink; l++) {
        for (int i = tact_xml_first(xml, urdf->links[l].node); i >= 0; i = tact_xml_after(xml, i)) {
            const char *name = tact_xml_value(xml, i, "name");
            urdf->shared[i] = 1;
            if (!name || strcmp(tact_xml_name(xml, i), "collision") != 0) continue;
            int first = tact_name_table_add(&urdf->names, TACT_URDF_COLLISION, name, strlen(name), i);
            if (first >= 0) urdf->shared[first]++;
        }
    }
    return true;
}

// true for a size of which half is > 0; 0 makes no shape, as the bodies of published files without extent have it
static bool check_size(const tact_urdf *urdf, int node, const char *attribute, tact_real size) {
    if (size / 2 > 0) return true;
    if (size < 0) {
        tact_xml_refuse(&urdf->xml, node, attribute, "must be > 0 (found %s)", tact_key_print(size).text);
    } else {
        tact_xml_warn(&urdf->xml, node, attribute, "must be > 0: the shape is left out");
    }
    return false;
}

static bool read_round(const tact_urdf *urdf, int node, tact_shape_type type, tact_draft_shape *shape) {
    tact_real radius = 0, length = 0;
    shape->type = type;
    bool good = tact_urdf_number(urdf, node, "radius", TACT_MOST_LENGTH, &radius) && check_size(urdf, node, "radius", radius);
    good = tact_urdf_number(urdf, node, "length", TACT_MOST_LENGTH, &length) && check_size(urdf, node, "length", length) && good;
    shape->size[0] = radius;
    shape->size[1] = length / 2;
    return good;
}

// no mesh is opened here; what a program that does must not open is told apart all the same
static void skip_mesh(tact_urdf *urdf, int node) {
    const char *path = tact_xml_value(&urdf->xml, node, "filename");
    if (!path) path = "";
    bool inside = tact_mesh_inside(path);
    if (!inside && tact_mesh_package(path)) {
        tact_xml_doubt(&urdf->xml, node, "filename", "mesh %s is not read: outside the package root", tact_quote(path).text);
        return;
    }
    if (!inside) {
        tact_xml_warn(&urdf->xml, node, "filename", "mesh %s is not read: outside the package root", tact_quote(path).text);
        return;
    }
    if (urdf->xml.errors->verbose) {
        // each is told
        tact_urdf_warn_meshes(urdf);
        urdf->nmesh = urdf->nforeign = 0;
    }
    if (urdf->nmesh++ == 0) urdf->mesh = node;
    static const char *const known[] = {".stl", ".obj", ".ply", ".dae"};
    bool foreign = path[0];
    for (int i = 0; i < 4; i++) foreign = foreign && !tact_path_ends(path, known[i]);
    urdf->nforeign += foreign;
}

void tact_urdf_warn_meshes(const tact_urdf *urdf) {
    if (urdf->nmesh == 0) return;
    const char *path = tact_xml_value(&urdf->xml, urdf->mesh, "filename");
    char others[40] = "", convert[80] = "them";
    if (urdf->nmesh > 1) snprintf(others, sizeof others, ", nor are %d more", urdf->nmesh - 1);
    if (urdf->nforeign > 0)
        snprintf(convert, sizeof convert, ".stl, .obj, .ply and .dae: %d in other formats must be converted first",
                 urdf->nforeign);
    tact_xml_warn(&urdf->xml, urdf->mesh, NULL, "mesh %s is not read%s (--fit capsule makes shapes of %s)",
                  tact_quote(path ? path : "").text, others, convert);
}

// Reads the shape of a <geometry>. False where it has none that is read.
static bool read_geometry(tact_urdf *urdf, int geometry, int link, tact_draft_shape *shape) {
    const tact_xml *xml = &urdf->xml;
    int node = geometry < 0 ? -1 : tact_xml_first(xml, geometry);
    if (node < 0) return false;
    const char *kind = tact_xml_name(xml, node);
    if (tact_xml_after(xml, node) >= 0) tact_xml_warn(xml, geometry, NULL, "holds several shapes: only the first is read");
    if (strcmp(kind, "box") == 0) {
        tact_real size[3] = {0, 0, 0};
        shape->type = TACT_SHAPE_BOX;
        if (!tact_urdf_vector(urdf, node, "size", TACT_MOST_LENGTH, size)) return false;
        for (int i = 0; i < 3; i++) {
            if (!check_size(urdf, node, "size", size[i])) return false;
            shape->size[i] = size[i] / 2;
        }
        return true;
    }
    if (strcmp(kind, "sphere") == 0) {
        shape->type = TACT_SHAPE_SPHERE;
        if (!tact_urdf_number(urdf, node, "radius", TACT_MOST_LENGTH, &shape->size[0])) return false;
        if (shape->size[0] > 0) return true;
        tact_xml_refuse(&urdf->xml, node, "radius", "must be > 0 (found %s)", tact_key_print(shape->size[0]).text);
        return false;
    }
    if (strcmp(kind, "cylinder") == 0) return read_round(urdf, node, TACT_SHAPE_CYLINDER, shape);
    if (strcmp(kind, "capsule") == 0 || strcmp(kind, "drake:capsule") == 0)
        return read_round(urdf, node, TACT_SHAPE_CAPSULE, shape);
    // a mesh becomes a shape where a rule of fitting asks for it
    if (strcmp(kind, "mesh") == 0) {
        bool told = false;
        if (tact_urdf_fit_mesh(urdf, node, link, shape, &told)) return true;
        if (!told) skip_mesh(urdf, node);
    } else {
        tact_xml_warn(xml, node, NULL, "shape %s is not read (read are box, cylinder, sphere, capsule)", tact_quote(kind).text);
    }
    return false;
}

// the name of the element where no other has it, else LINK, LINK_2, ...
static const char *name_shape(tact_urdf *urdf, int node, int link, int number) {
    const char *own = tact_xml_value(&urdf->xml, node, "name");
    int first = own && own[0] ? tact_name_table_find(&urdf->names, TACT_URDF_COLLISION, own) : -1;
    if (first >= 0 && urdf->shared[first] == 1) {
        const char *name = tact_urdf_name(urdf, node, "name");
        if (!name || tact_name_table_add(&urdf->names, TACT_URDF_SHAPE, name, strlen(name), 0) < 0) return name;
    }
    char suffix[16] = "";
    if (number > 1) snprintf(suffix, sizeof suffix, "_%d", number);
    return urdf->links[link].name ? tact_urdf_unique(urdf, TACT_URDF_SHAPE, urdf->links[link].name, suffix) : NULL;
}

void tact_urdf_read_shapes(tact_urdf *urdf, int link, const char *body) {
    const tact_xml *xml = &urdf->xml;
    int parent = urdf->links[link].node, element = 0, number = 0;
    char path[TACT_XML_PATH + 32];
    for (int i = tact_xml_first(xml, parent); i >= 0; i = tact_xml_after(xml, i)) {
        if (strcmp(tact_xml_name(xml, i), "collision") != 0) continue;
        tact_draft_shape read = {.robot = -1, .body = body, .contype = 1, .conaffinity = 1, .mu = -1};
        bool made = false;
        element++;
        urdf->draft->left.solids++;
        static const char *const single[] = {"origin", "geometry", NULL};
        static const char *const others[] = {"material", "verbose", "contact_coefficients", NULL};
        int geometry = tact_xml_find(&urdf->xml, i, "geometry");
        tact_urdf_check_children(urdf, i, single, others);
        if (geometry < 0 || tact_xml_first(&urdf->xml, geometry) < 0) tact_xml_warn(&urdf->xml, i, NULL, "has no geometry");
        made = tact_urdf_origin(urdf, i, &read.frame);
        made = read_geometry(urdf, geometry, link, &read) && made;
        if (!made) continue;
        read.name = name_shape(urdf, i, link, ++number);
        tact_xml_path(xml, parent, NULL, path, TACT_XML_PATH);
        // messages count collisions by link, as XPath does
        snprintf(path + strlen(path), 32, "/collision[%d]", element);
        read.mark = tact_urdf_mark(urdf, i, tact_draft_string(urdf->draft, path, strlen(path)));
        tact_draft_shape *shape = tact_draft_add_shape(urdf->draft);
        if (!shape) return;
        *shape = read;
    }
}
