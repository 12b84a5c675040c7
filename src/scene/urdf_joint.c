// SPDX-License-Identifier: MIT
// Joints to the bodies that they carry.
#include <math.h>
#include <string.h>

#include "scene/urdf_parts.h"

#define AXIS_LEAST 1e-150

// The type of a joint from its attribute.
static void connect_type(tact_urdf *urdf, tact_urdf_joint *joint) {
    static const struct {
        const char *name;
        tact_joint_type type;
    } types[] = {
        {"fixed", TACT_JOINT_FIXED},         {"revolute", TACT_JOINT_REVOLUTE}, {"continuous", TACT_JOINT_CONTINUOUS},
        {"prismatic", TACT_JOINT_PRISMATIC}, {"floating", TACT_JOINT_FREE},     {"planar", TACT_JOINT_PLANAR},
    };
    const char *type = tact_xml_value(&urdf->xml, joint->node, "type");
    if (!type) {
        tact_xml_refuse(&urdf->xml, joint->node, NULL, "attribute \"type\" is missing");
        return;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(type, types[i].name) != 0) continue;
        joint->type = types[i].type;
        return;
    }
    tact_xml_refuse(&urdf->xml, joint->node, "type",
                    "unknown type %s (allowed: fixed, revolute, continuous, prismatic, floating, planar)", tact_quote(type).text);
}

// the link that an element names, -1 after reporting
static int find_link(const tact_urdf *urdf, int joint_node, const char *element) {
    const tact_xml *xml = &urdf->xml;
    int node = tact_xml_find(xml, joint_node, element);
    if (node < 0) {
        tact_xml_refuse(xml, joint_node, NULL, "element <%s> is missing", element);
        return -1;
    }
    const char *name = tact_xml_value(xml, node, "link");
    if (!name) {
        tact_xml_refuse(xml, node, NULL, "attribute \"link\" is missing");
        return -1;
    }
    int link = tact_name_table_find(&urdf->names, TACT_URDF_LINK, name);
    if (link >= 0) return link;
    tact_xml_refuse(xml, node, "link", "no link %s%s", tact_quote(name).text, tact_urdf_suggest(urdf, TACT_URDF_LINK, name).text);
    return -1;
}

// Parent and child of joint j; a child that already has a joint is refused.
static void connect_links(tact_urdf *urdf, int j) {
    tact_urdf_joint *joint = &urdf->joints[j];
    joint->parent = find_link(urdf, joint->node, "parent");
    joint->child = find_link(urdf, joint->node, "child");
    if (joint->child < 0) return;
    tact_urdf_link *child = &urdf->links[joint->child];
    if (joint->child == joint->parent) {
        tact_xml_refuse(&urdf->xml, joint->node, NULL, "parent and child are both %s", tact_quote(child->name).text);
        joint->child = -1;
    } else if (child->carrier >= 0) {
        // a tree: a link hangs on one joint
        const tact_urdf_joint *other = &urdf->joints[child->carrier];
        tact_xml_refuse(&urdf->xml, tact_xml_find(&urdf->xml, joint->node, "child"), "link",
                        "link %s is already the child of joint %s (line %d)", tact_quote(child->name).text,
                        tact_quote(other->name ? other->name : "").text, urdf->xml.nodes[other->node].line);
        joint->child = -1;
    } else {
        child->carrier = j;
    }
}

void tact_urdf_connect_joint(tact_urdf *urdf, int joint) {
    static const char *const single[] = {"parent", "child", "origin", "axis", "limit", "mimic", NULL};
    static const char *const others[] = {
        "dynamics", "safety_controller", "calibration", "joint_properties", "hardwareInterface", "gazebo", NULL};
    tact_urdf_check_children(urdf, urdf->joints[joint].node, single, others);
    connect_type(urdf, &urdf->joints[joint]);
    connect_links(urdf, joint);
    const tact_xml *xml = &urdf->xml;
    int node = tact_xml_find(xml, urdf->joints[joint].node, "mimic");
    if (node < 0) return;
    const char *name = tact_xml_value(xml, node, "joint");
    // published URDFs have such mimics, which no program reads: a warning
    if (tact_joint_dofs(urdf->joints[joint].type) != 1) {
        tact_xml_warn(xml, node, NULL, "only revolute, continuous and prismatic joints can follow another: not read");
        return;
    }
    if (!name) {
        tact_xml_refuse(xml, node, NULL, "attribute \"joint\" is missing");
        return;
    }
    int leader = tact_name_table_find(&urdf->names, TACT_URDF_JOINT, name);
    if (leader >= 0) {
        urdf->joints[joint].leader = leader;
        return;
    }
    tact_xml_doubt(xml, node, "joint", "no joint %s%s: not read", tact_quote(name).text,
                   tact_urdf_suggest(urdf, TACT_URDF_JOINT, name).text);
}

static tact_vec3 read_axis(const tact_urdf *urdf, int joint) {
    int node = tact_xml_find(&urdf->xml, joint, "axis");
    double x[3];
    if (node < 0 || !tact_urdf_doubles(urdf, node, "xyz", x)) return tact_vec3_make(1, 0, 0);
    double largest = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
    if (largest < AXIS_LEAST) {
        tact_xml_refuse(&urdf->xml, node, "xyz", "length %s: no direction, as \"0 0 1\" is that of z",
                        tact_number_print(largest).text);
        return tact_vec3_make(1, 0, 0);
    }
    return tact_key_direction(x);
}

static bool read_bound(const tact_urdf *urdf, int limit, const char *attribute, double *bound) {
    return !tact_xml_value(&urdf->xml, limit, attribute) || tact_urdf_double(urdf, limit, attribute, bound);
}

// The effort, and of joints that have them the bounds: without an attribute 0, as in the specification; beyond 1e9 there is none.
static void read_limit(const tact_urdf *urdf, int joint, tact_draft_body *body) {
    int limit = tact_xml_find(&urdf->xml, joint, "limit");
    double lower = 0, upper = 0;
    const char *effort = limit < 0 ? NULL : tact_xml_value(&urdf->xml, limit, "effort");
    size_t size = effort ? tact_number_word(&effort) : 0;
    // no model has it: what is not a number is passed over
    if (!effort || tact_number_read_loose(effort, size, &body->effort) != TACT_NUMBER_READ) body->effort = 0;
    if (body->type == TACT_JOINT_CONTINUOUS) return;
    if (limit < 0) {
        tact_xml_refuse(&urdf->xml, joint, NULL, "element <limit> is missing: a %s joint must have one",
                        body->type == TACT_JOINT_REVOLUTE ? "revolute" : "prismatic");
        return;
    }
    bool good = read_bound(urdf, limit, "lower", &lower);
    if (!read_bound(urdf, limit, "upper", &upper) || !good) return;
    if (lower > upper) {
        tact_xml_doubt(&urdf->xml, limit, "lower", "lower %s > upper %s: read the other way round", tact_number_print(lower).text,
                       tact_number_print(upper).text);
        double exchanged = lower;
        lower = upper;
        upper = exchanged;
    }
    if (lower > TACT_MOST_LIMIT) {
        tact_xml_refuse(&urdf->xml, limit, "lower", "must be at most %s (found %s)", tact_number_print(TACT_MOST_LIMIT).text,
                        tact_number_print(lower).text);
    } else if (upper < -TACT_MOST_LIMIT) {
        tact_xml_refuse(&urdf->xml, limit, "upper", "must be at least %s (found %s)", tact_number_print(-TACT_MOST_LIMIT).text,
                        tact_number_print(upper).text);
    } else if (lower == upper) {
        tact_xml_warn(&urdf->xml, limit, NULL, "lower and upper are both %s: the joint cannot move",
                      tact_number_print(lower).text);
    }
    body->limited = true;
    body->lower = fabs(lower) > TACT_MOST_LIMIT ? -TACT_MAX : (tact_real)lower;
    body->upper = fabs(upper) > TACT_MOST_LIMIT ? TACT_MAX : (tact_real)upper;
}

static void read_mimic(const tact_urdf *urdf, const tact_urdf_joint *joint, tact_draft_body *body) {
    const tact_xml *xml = &urdf->xml;
    int node = tact_xml_find(xml, joint->node, "mimic");
    if (joint->leader < 0) return;
    const tact_urdf_joint *leader = &urdf->joints[joint->leader];
    if (tact_joint_dofs(leader->type) != 1) {
        tact_xml_refuse(xml, node, "joint", "joint %s is not revolute, continuous or prismatic", tact_quote(leader->name).text);
        return;
    }
    body->mimic = leader->name;
    if (tact_xml_value(xml, node, "multiplier")) tact_urdf_number(urdf, node, "multiplier", TACT_MOST_LENGTH, &body->ratio);
    if (tact_xml_value(xml, node, "offset")) tact_urdf_number(urdf, node, "offset", TACT_MOST_LENGTH, &body->offset);
}

// the planar joint carries a body that is turned from the link, which follows by a fixed joint
static tact_draft_body *add_planar(tact_urdf *urdf, const tact_urdf_joint *joint, tact_draft_body plane, tact_vec3 normal) {
    const char *child = joint->child >= 0 && urdf->links[joint->child].name ? urdf->links[joint->child].name : "";
    const char *own = joint->name ? joint->name : "";
    // R: the least rotation that turns z to the normal.
    // beyond 90 degrees from z: turned half about x first, as the least rotation to -z is not determined
    tact_real flip = normal.z < 0 ? -1 : 1;
    tact_real x = normal.x, y = flip * normal.y, z = flip * normal.z, k = 1 / (1 + z);
    tact_mat3 R = {{{1 - k * x * x, -k * x * y, x}, {-k * x * y, 1 - k * y * y, y}, {-x, -y, z}}};
    for (int j = 0; j < 3; j++) {
        R.m[1][j] *= flip;
        R.m[2][j] *= flip;
    }
    // The frame of plane is turned by R, and the link turns back by R'.
    tact_draft_body link = {.ratio = 1, .robot = -1, .axis = {1, 0, 0}, .mark = plane.mark};
    tact_mat3 back = {{{R.m[0][0], R.m[1][0], R.m[2][0]}, {R.m[0][1], R.m[1][1], R.m[2][1]}, {R.m[0][2], R.m[1][2], R.m[2][2]}}};
    tact_urdf_angles(tact_mat3_multiply(tact_scene_pose(&plane.frame).R, R), plane.frame.rpy);
    tact_urdf_angles(back, link.frame.rpy);
    plane.name = tact_urdf_unique(urdf, TACT_URDF_LINK, child, "_plane");
    link.parent = plane.name;
    link.joint = tact_urdf_unique(urdf, TACT_URDF_JOINT, own, "_fixed");
    tact_draft_body *body = tact_draft_add_body(urdf->draft);
    if (!body) return NULL;
    *body = plane;
    body = tact_draft_add_body(urdf->draft);
    if (body) *body = link;
    return body;
}

tact_draft_body *tact_urdf_add_body(tact_urdf *urdf, int j) {
    const tact_urdf_joint *joint = &urdf->joints[j];
    tact_draft_body read = {.type = joint->type, .ratio = 1, .robot = -1, .axis = {1, 0, 0}};
    read.joint = joint->name;
    int parent = joint->parent;
    const tact_urdf_link *link = parent >= 0 ? &urdf->links[parent] : NULL;
    read.parent = link && link->name && strcmp(link->name, TACT_SCENE_WORLD) != 0 ? link->name : NULL;
    read.mark = tact_urdf_mark(urdf, joint->node, NULL);
    tact_urdf_origin(urdf, joint->node, &read.frame);
    // a planar joint moves in x and y: another plane needs a body that is turned
    if (joint->type == TACT_JOINT_PLANAR) {
        tact_vec3 normal = read_axis(urdf, joint->node);
        if (normal.x != 0 || normal.y != 0 || normal.z < 0) return add_planar(urdf, joint, read, normal);
    } else if (tact_joint_dofs(joint->type) == 1) {
        read.axis = read_axis(urdf, joint->node);
        read_limit(urdf, joint->node, &read);
        read_mimic(urdf, joint, &read);
    }
    tact_draft_body *body = tact_draft_add_body(urdf->draft);
    if (body) *body = read;
    return body;
}
