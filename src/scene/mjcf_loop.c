// SPDX-License-Identifier: MIT
// What closes loops: a connection holds a point of one body at a point of another, a weld three points, so that the bodies move
// as one. And springs of joints, with their damping, and their dry friction: of a speed v
//   f = -D v ,  |f| <= F ,  D = F/CREEP
// which holds with at most F and gives way a little where Coulomb's friction would not, at CREEP where the load is F.
#include <string.h>

#include "scene/mjcf_parts.h"

#define WELD_ARM 0.05  // of a weld's points from its anchor [m]
#define CREEP 1e-3     // speed at which a joint's friction is whole [m/s or rad/s]

// the pose of a body, 0 being the world, at the initial position
static tact_mjcf_pose find_pose(const tact_mjcf *m, int element) {
    for (int i = 0; i < m->nbody && element > 0; i++)
        if (m->bodies[i].node == element) return m->bodies[i].world;
    tact_mjcf_pose world = TACT_MJCF_IDENTITY;
    return world;
}

// a loop at the point x of the second body, which is at the pose within the first
static void add_loop(tact_mjcf *m, int node, const int element[2], const tact_mjcf_pose *within, const double x[3]) {
    tact_draft_loop *loop = tact_draft_add_loop(m->draft);
    double at[3];
    if (!loop) return;
    loop->mark = tact_mjcf_mark(m, node);
    loop->placed = true;
    tact_mjcf_rotate(within->q, x, at);
    for (int k = 0; k < 3; k++) {
        loop->at[0][k] = (tact_real)(at[k] + within->p[k]);
        loop->at[1][k] = (tact_real)x[k];
    }
    for (int end = 0; end < 2; end++)
        if (element[end] > 0) loop->body[end] = tact_mjcf_name(m, element[end], "name");
}

// the anchor is one of the first body
static void add_connection(tact_mjcf *m, int node, const int element[2], const tact_mjcf_pose *within) {
    double anchor[3] = {0, 0, 0}, x[3];
    if (tact_mjcf_numbers(m, node, "anchor", anchor, 3, 3) == 0) {
        if (!tact_mjcf_text(m, node, "anchor")) tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "attribute \"anchor\" is missing");
        return;
    }
    tact_mjcf_pose back = tact_mjcf_invert(within);
    if (!tact_mjcf_within(m, node, "anchor", anchor, 3, TACT_MOST_LENGTH)) return;
    tact_mjcf_rotate(back.q, anchor, x);
    for (int k = 0; k < 3; k++) x[k] += back.p[k];
    add_loop(m, node, element, within, x);
}

// Sites are bodies here: their origins are held together, of a weld their frames.
static void add_sites(tact_mjcf *m, int node, bool weld) {
    const tact_mjcf_pose same = TACT_MJCF_IDENTITY;
    int element[2];
    for (int end = 0; end < 2; end++) {
        const char *name = tact_mjcf_text(m, node, end == 0 ? "site1" : "site2");
        element[end] = name ? tact_name_table_find(&m->names, TACT_MJCF_BODY, name) : -1;
        if (element[end] < 0 || !tact_mjcf_is(m, element[end], "site")) {
            tact_mjcf_leave(m, weld ? "weld (of a site that is left out)" : "connect (of a site that is left out)");
            return;
        }
    }
    for (int k = 0; k < (weld ? 3 : 1); k++) {
        double x[3] = {0, 0, 0};
        if (weld) x[k] = WELD_ARM;
        add_loop(m, node, element, &same, x);
    }
}

// the anchor is one of the second body; a relative pose without a direction is that of the initial position
static void add_weld(tact_mjcf *m, int node, const int element[2], tact_mjcf_pose within) {
    double anchor[3] = {0, 0, 0}, pose[7] = {0, 1, 0, 0, 0, 0, 0};
    tact_mjcf_numbers(m, node, "anchor", anchor, 3, 3);
    if (!tact_mjcf_within(m, node, "anchor", anchor, 3, TACT_MOST_LENGTH)) return;
    if (tact_mjcf_numbers(m, node, "relpose", pose, 7, 7) == 7 && tact_mjcf_normalise(pose + 3, 4)) {
        if (!tact_mjcf_within(m, node, "relpose", pose, 7, TACT_MOST_LENGTH)) return;
        memcpy(within.p, pose, sizeof within.p);
        memcpy(within.q, pose + 3, sizeof within.q);
    }
    for (int k = 0; k < 3; k++) {
        double x[3] = {anchor[0], anchor[1], anchor[2]};
        x[k] += WELD_ARM;
        add_loop(m, node, element, &within, x);
    }
}

// Makes a <connect> or <weld> of two bodies or sites loops; those that are not active are left out.
static void read_connection(tact_mjcf *m, int node, bool weld) {
    const tact_mjcf_class *class = tact_mjcf_class_of(m, node, "class", &m->classes[0]);
    if (!class) return;
    tact_mjcf_equality equality = class->equality;
    tact_mjcf_apply_equality(m, node, &equality);
    tact_mjcf_text(m, node, "name");
    if (!equality.active) {
        tact_mjcf_leave(m, weld ? "weld (not active)" : "connect (not active)");
        return;
    }
    if (tact_mjcf_text(m, node, "site1") || tact_mjcf_text(m, node, "site2")) {
        add_sites(m, node, weld);
        return;
    }
    // without a second body the world is meant
    int element[2] = {tact_mjcf_find_named(m, node, "body1", TACT_MJCF_BODY), 0};
    if (tact_mjcf_text(m, node, "body2")) element[1] = tact_mjcf_find_named(m, node, "body2", TACT_MJCF_BODY);
    if (element[0] < 0 || element[1] < 0) return;
    // pose of the second body in the first one's frame, as the model is drawn
    tact_mjcf_pose first = find_pose(m, element[0]), second = find_pose(m, element[1]), back = tact_mjcf_invert(&first);
    tact_mjcf_pose within = tact_mjcf_compose(&back, &second);
    if (weld)
        add_weld(m, node, element, within);
    else
        add_connection(m, node, element, &within);
}

void tact_mjcf_read_loops(tact_mjcf *m) {
    for (int i = tact_mjcf_next_element(m, "equality", -1); i >= 0; i = tact_mjcf_next_element(m, "equality", i)) {
        if (tact_mjcf_is(m, i, "connect")) read_connection(m, i, false);
        if (tact_mjcf_is(m, i, "weld")) read_connection(m, i, true);
    }
    // Springs of single joints: one for stiffness with its damping, one for dry friction, where the model has them.
    for (int j = 0; j < m->njoint; j++) {
        const tact_mjcf_joint *joint = &m->joints[j];
        const tact_mjcf_joint_values *v = &joint->values;
        tact_draft_spring *spring = v->stiffness > 0 ? tact_mjcf_add_spring(m, joint) : NULL;
        if (spring) {
            spring->stiffness = (tact_real)v->stiffness;
            spring->damping = (tact_real)v->damping;
            spring->rest = (tact_real)v->spring_ref;
        }
        double D = v->friction / CREEP;
        if (!(v->friction > 0) || !tact_mjcf_within(m, joint->node, "frictionloss", &D, 1, TACT_MOST_DRIVE)) continue;
        if ((spring = tact_mjcf_add_spring(m, joint)) == NULL) return;
        spring->damping = (tact_real)D;
        spring->force_limit = (tact_real)v->friction;
    }
}
