// SPDX-License-Identifier: MIT
#include "scene/urdf.h"

#include <stdio.h>
#include <string.h>

#include "scene/urdf_parts.h"

static bool is_element(const tact_urdf *urdf, int node, const char *name) {
    return strcmp(tact_xml_name(&urdf->xml, node), name) == 0;
}

static bool check_root(const tact_urdf *urdf) {
    static const struct {
        const char *name, *format;
    } others[] = {{"sdf", " (an SDF file: its converters write URDF or MJCF)"},
                  {"mujoco", " (a MuJoCo file)"},
                  {"mujocoinclude", " (a part of a MuJoCo model: take the model that includes it)"},
                  {"COLLADA", " (a COLLADA file)"}};
    const char *format = "";
    if (is_element(urdf, 0, "robot")) return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (is_element(urdf, 0, others[i].name)) format = others[i].format;
    tact_xml_refuse(&urdf->xml, 0, NULL, "expected the root element \"robot\", found %s%s",
                    tact_quote(tact_xml_name(&urdf->xml, 0)).text, format);
    return false;
}

static bool place_lists(tact_urdf *urdf) {
    const tact_xml *xml = &urdf->xml;
    size_t links = 0, joints = 0, collisions = 0;
    for (int i = 0; i < xml->count; i++) {
        links += is_element(urdf, i, "link");
        joints += is_element(urdf, i, "joint");
        collisions += is_element(urdf, i, "collision");
    }
    // with the names that the reader makes: of the root's joint, of planar joints and their bodies, of shapes
    size_t names = links + 3 * joints + 2 * collisions + 1;
    urdf->links = tact_draft_take(urdf->draft, links * sizeof urdf->links[0]);
    urdf->joints = tact_draft_take(urdf->draft, joints * sizeof urdf->joints[0]);
    return urdf->links && urdf->joints && tact_name_table_make(&urdf->names, urdf->draft, (int)names);
}

// the name of a link or joint, refused when another has it
static const char *take_name(tact_urdf *urdf, int node, int scope, int index) {
    const char *name = tact_urdf_name(urdf, node, "name");
    if (!name) return NULL;
    int first = tact_name_table_add(&urdf->names, scope, name, strlen(name), index);
    if (first < 0) return name;
    int other = scope == TACT_URDF_LINK ? urdf->links[first].node : urdf->joints[first].node;
    tact_xml_refuse(&urdf->xml, node, "name", "%s is already used at line %d", tact_quote(name).text,
                    urdf->xml.nodes[other].line);
    return NULL;
}

// The principal moments of a rigid body meet the triangle inequality: the largest is at most the sum of the others. Those of a
// link that do not are kept, and told in one line.
static void note_inertia(tact_urdf *urdf, int link, tact_draft_body *body) {
    double e[3];
    tact_urdf_eigenvalues(body->inertia, e);
    // what was reported already is not reported again
    if (!body->inertial || body->as_given || !(e[2] > (1 + 1e-6) * (e[0] + e[1]))) return;
    body->as_given = true;
    if (urdf->nodd++ == 0) urdf->odd = link;
    size_t used = strlen(urdf->odds);
    tact_quoted name = tact_quote(body->name ? body->name : "");
    if (urdf->nodd > 1 && used + strlen(name.text) + 6 < sizeof urdf->odds)
        snprintf(urdf->odds + used, sizeof urdf->odds - used, ", %s", name.text);
    else if (urdf->nodd > 1 && used > 0 && urdf->odds[used - 1] != '.')
        memcpy(urdf->odds + used, " ..", 4);
}

// Warns once of all links whose inertia no rigid body has.
static void tell_inertias(const tact_urdf *urdf) {
    if (urdf->nodd == 0) return;
    const tact_xml *xml = &urdf->xml;
    int node = tact_xml_find(xml, tact_xml_find(xml, urdf->links[urdf->odd].node, "inertial"), "inertia");
    char path[TACT_XML_PATH];
    tact_xml_path(xml, node, NULL, path, sizeof path);
    tact_place place = {.file = xml->source.name, .path = path, .given = true};
    place.line = xml->nodes[node].line;
    place.column = xml->nodes[node].column;
    // of the inertia as it is written: a turned frame leaves the moments
    double e[3];
    tact_real I[6];
    static const char *const names[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    for (int k = 0; k < 6; k++) tact_urdf_number(urdf, node, names[k], TACT_MOST_MASS, &I[k]);
    tact_urdf_eigenvalues(I, e);
    char others[240] = "";
    if (urdf->nodd > 1) snprintf(others, sizeof others, " (so have %d more: %s)", urdf->nodd - 1, urdf->odds + 2);
    tact_errors_add(urdf->draft->errors, TACT_ERROR_WARNING, place,
                    "link %s has an inertia that no rigid body has, taken as it is: principal moments %s, %s, %s, the largest "
                    "more than the sum of the others%s",
                    tact_quote(urdf->links[urdf->odd].name ? urdf->links[urdf->odd].name : "").text, tact_rounded(e[2], 6).text,
                    tact_rounded(e[1], 6).text, tact_rounded(e[0], 6).text, others);
}

// the body of a link, which its joint has made but for what only the link tells
static void fill_body(tact_urdf *urdf, int link, tact_draft_body *body) {
    const char *name = urdf->links[link].name;
    int from = urdf->draft->nshape;
    body->name = name;
    tact_urdf_read_inertial(urdf, link, body);
    note_inertia(urdf, link, body);
    tact_urdf_read_shapes(urdf, link, name);
    tact_urdf_weigh(urdf, link, (int)(body - urdf->draft->bodies), from);
    tact_urdf_read_meshes(urdf, link, name);
}

// Bodies of the draft: one for each link without a parent, held by a fixed joint, unless it is called world; then one for each
// joint, in order.
static void add_bodies(tact_urdf *urdf) {
    for (int l = 0; l < urdf->nlink; l++)
        if (urdf->links[l].carrier < 0) {
            const char *name = urdf->links[l].name;
            if (name && strcmp(name, TACT_SCENE_WORLD) == 0) {
                tact_draft_body weightless = {0};
                tact_urdf_read_inertial(urdf, l, &weightless);
                tact_urdf_read_shapes(urdf, l, NULL);
                continue;
            }
            tact_draft_body *body = tact_draft_add_body(urdf->draft);
            if (!body) continue;
            body->axis.x = 1;
            body->mark = tact_urdf_mark(urdf, urdf->links[l].node, NULL);
            body->joint = tact_urdf_unique(urdf, TACT_URDF_JOINT, name ? name : "", "_fixed");
            fill_body(urdf, l, body);
        }
    for (int j = 0; j < urdf->njoint; j++) {
        tact_draft_body *body = tact_urdf_add_body(urdf, j);
        if (!body) return;
        if (urdf->joints[j].child >= 0) fill_body(urdf, urdf->joints[j].child, body);
    }
}

static bool is_given(const tact_xml *xml, int node, const char *attribute) {
    const char *text = node < 0 ? NULL : tact_xml_value(xml, node, attribute);
    double x = 0;
    size_t size = text ? tact_number_word(&text) : 0;
    return text && tact_number_read_loose(text, size, &x) == TACT_NUMBER_READ && x != 0;
}

static void read_robot(tact_urdf *urdf) {
    urdf->file = tact_draft_string(urdf->draft, urdf->xml.source.name, strlen(urdf->xml.source.name));
    if (!check_root(urdf)) return;
    // the macro language in which many robots are written; that its namespace is declared says nothing
    const tact_xml *xml = &urdf->xml;
    for (int i = 0; i < xml->count; i++) {
        const char *attribute = NULL;
        for (int k = xml->nodes[i].attributes; k < xml->nodes[i + 1].attributes; k++) {
            const tact_xml_attribute *a = &xml->attributes[k];
            if (strstr(xml->strings.bytes + a->value, "${")) attribute = xml->strings.bytes + a->name;
        }
        if (!attribute && strncmp(tact_xml_name(xml, i), "xacro:", 6) != 0) continue;
        tact_xml_refuse(xml, i, attribute, "this is a xacro file: expand it first (xacro FILE > ROBOT.urdf)");
        return;
    }
    if (!urdf->file || !place_lists(urdf)) return;
    static const char *const single[] = {"inertial", NULL};
    static const char *const others[] = {"visual", "collision", "contact", "gazebo", "sensor", "self_collision_checking", NULL};
    for (int i = tact_xml_first(&urdf->xml, 0); i >= 0; i = tact_xml_after(&urdf->xml, i)) {
        // carrier, parent and child are found when all names are known
        if (is_element(urdf, i, "link")) {
            int l = urdf->nlink++;
            urdf->links[l] = (tact_urdf_link){.node = i, .carrier = -1};
            urdf->links[l].name = take_name(urdf, i, TACT_URDF_LINK, l);
            tact_urdf_check_children(urdf, i, single, others);
        } else if (is_element(urdf, i, "joint")) {
            int j = urdf->njoint++;
            urdf->joints[j] = (tact_urdf_joint){.node = i, .parent = -1, .child = -1, .leader = -1};
            urdf->joints[j].name = take_name(urdf, i, TACT_URDF_JOINT, j);
        } else {
            static const char *const names[] = {"link", "joint", NULL};
            tact_nearest nearest = {.word = tact_xml_name(&urdf->xml, i)};
            tact_nearest_try_all(&nearest, names);
            if (nearest.best) tact_xml_unknown(&urdf->xml, i, NULL, &nearest);
        }
    }
    if (urdf->nlink == 0) tact_xml_refuse(&urdf->xml, 0, NULL, "there is no link");
    for (int j = 0; j < urdf->njoint; j++) tact_urdf_connect_joint(urdf, j);
    tact_urdf_check_tree(urdf);
    if (!tact_urdf_count_collisions(urdf) || !tact_mesh_fits_begin(&urdf->fits, urdf->draft)) return;
    add_bodies(urdf);
    tact_urdf_warn_meshes(urdf);
    if (urdf->draft->errors->errors == urdf->before) tact_mesh_fits_end(&urdf->fits, urdf->draft->fit, "link", &urdf->xml, 0);
    tell_inertias(urdf);
    // what the file says of motors and friction, which a model does not have
    static const char *const friction[] = {"mu1", "mu2", "mu", NULL};
    tact_draft_left *left = &urdf->draft->left;
    for (int j = 0; j < urdf->njoint; j++) {
        int node = urdf->joints[j].node, limit = tact_xml_find(xml, node, "limit"),
            dynamics = tact_xml_find(xml, node, "dynamics");
        left->effort += is_given(xml, limit, "effort");
        left->velocity += is_given(xml, limit, "velocity");
        left->safety += tact_xml_find(xml, node, "safety_controller") >= 0;
        left->dynamics += is_given(xml, dynamics, "damping") || is_given(xml, dynamics, "friction");
    }
    // elements beside links and joints
    for (int i = tact_xml_first(xml, 0); i >= 0; i = tact_xml_after(xml, i)) {
        left->transmission += is_element(urdf, i, "transmission");
        bool rubs = false;
        for (int k = 0; friction[k] && is_element(urdf, i, "gazebo"); k++) rubs = rubs || tact_xml_find(xml, i, friction[k]) >= 0;
        left->friction += rubs;
    }
}

bool tact_urdf_read_xml(tact_draft *draft, const tact_xml *xml) {
    tact_urdf urdf = {.draft = draft, .xml = *xml, .before = draft->errors->errors};
    read_robot(&urdf);
    return draft->errors->errors == urdf.before;
}

bool tact_urdf_read_source(tact_draft *draft, tact_source source) {
    tact_xml xml;
    if (!tact_xml_read(&xml, source, draft->errors)) return false;
    bool good = tact_urdf_read_xml(draft, &xml);
    tact_xml_free(&xml);
    return good;
}
