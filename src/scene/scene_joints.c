// SPDX-License-Identifier: MIT
// Joints that follow others, limits, and the numbers of coordinates and dofs. A chain of followers is resolved into its
// last leader:  x = r1 y + o1 , y = r2 z + o2  =>  x = (r1 r2) z + (r1 o2 + o1)
#include <string.h>

#include "math/elementary.h"
#include "scene/build.h"

// the body whose joint body i follows directly, itself when it follows none
static int find_leader(tact_scene_build *build, int i) {
    const tact_draft_body *body = &build->draft.bodies[i];
    if (!body->mimic) return i;
    // messages point at the member "mimic", where there is one
    tact_draft_mark mark = tact_scene_joint_mark(body);
    int mimic = mark.json ? tact_json_find(mark.json, mark.node, "mimic") : -1;
    if (mimic >= 0) mark.node = mimic;
    int leader = tact_scene_find_joint(build, &mark, "joint", body->mimic);
    if (leader < 0) return i;
    if (leader == i) {
        tact_draft_refuse(&build->draft, &mark, "joint", "joint %s follows itself", tact_quote(body->mimic).text);
        return i;
    }
    if (tact_joint_dofs(build->draft.bodies[leader].type) != 1 || tact_joint_dofs(body->type) != 1) {
        tact_draft_refuse(&build->draft, &mark, "joint",
                          "only revolute, continuous and prismatic joints follow one another (found %s)",
                          tact_quote(body->mimic).text);
        return i;
    }
    return leader;
}

static void number_joints(tact_scene_build *build) {
    build->nq = build->nv = 0;
    for (int i = 0; i < build->draft.nbody; i++) {
        tact_scene_link *link = &build->links[i];
        tact_joint_type type = build->draft.bodies[i].type;
        link->dofs = tact_joint_dofs(type);
        tact_draft_body *body = &build->draft.bodies[i];
        tact_draft_mark mark = tact_scene_joint_mark(body);
        if (build->planar && body->armature > 0)
            tact_draft_warn(&build->draft, &mark, "armature", "has no effect under the law \"virtual\"");
        if (build->planar) body->armature = 0;
        // followers have no coordinates of their own
        if (link->leader != i) continue;
        link->q = build->nq;
        link->v = build->nv;
        build->nq += tact_joint_coordinates(type);
        build->nv += link->dofs;
    }
    for (int i = 0; i < build->draft.nbody; i++) {
        tact_scene_link *link = &build->links[i];
        link->q = build->links[link->leader].q;
        link->v = build->links[link->leader].v;
    }
}

// the leader's limits also keep the follower within its own
static void narrow_limits(tact_scene_build *build, int i) {
    const tact_draft_body *body = &build->draft.bodies[i];
    const tact_scene_link *own = &build->links[i];
    tact_scene_link *leader = &build->links[own->leader];
    tact_real ends[2] = {body->lower, body->upper};
    // the follower's ends as positions of the leader: q' = (q - offset) / ratio
    for (int k = 0; k < 2; k++) {
        if (ends[k] > -TACT_MAX && ends[k] < TACT_MAX)
            // a tiny ratio may carry it out of range
            ends[k] = tact_clamp((ends[k] - own->offset) / own->ratio, -TACT_MAX, TACT_MAX);
        else if (own->ratio < 0)
            ends[k] = -ends[k];
    }
    bool turned = own->ratio < 0, fits = true;
    // a ratio of 0 does not move: it is within its limits or never
    if (own->ratio == 0) {
        fits = body->lower <= own->offset && own->offset <= body->upper;
    } else {
        tact_real lower = ends[turned], upper = ends[!turned];
        if (lower > leader->lower) leader->lower = lower;
        if (upper < leader->upper) leader->upper = upper;
        fits = leader->lower <= leader->upper;
    }
    if (fits) return;
    tact_draft_mark mark = tact_scene_joint_mark(body);
    tact_draft_refuse(&build->draft, &mark, "limits", "limits [%s, %s] leave no position to joint %s, which it follows",
                      tact_key_print(body->lower).text, tact_key_print(body->upper).text,
                      tact_quote(build->draft.bodies[own->leader].joint).text);
    leader->lower = -TACT_MAX;
    leader->upper = TACT_MAX;
}

bool tact_scene_resolve_joints(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    size_t count = (size_t)draft->nbody;
    int *stack = tact_draft_take(draft, count * sizeof stack[0]);
    char *done = tact_draft_take(draft, count);
    if (!stack || !done) return false;
    memset(done, 0, count);
    for (int i = 0; i < draft->nbody; i++) {
        tact_scene_link *link = &build->links[i];
        // each joint's direct leader, ratio and offset, as they are written
        link->leader = find_leader(build, i);
        bool follows = link->leader != i;
        link->ratio = follows ? draft->bodies[i].ratio : 1;
        link->offset = follows ? draft->bodies[i].offset : 0;
        link->lower = draft->bodies[i].limited ? draft->bodies[i].lower : -TACT_MAX;
        link->upper = draft->bodies[i].limited ? draft->bodies[i].upper : TACT_MAX;
    }
    // chains become one step to the joint at their end, which has the coordinate
    for (int i = 0; i < draft->nbody; i++) {
        // follows the chain to a joint that is settled, and settles the others on the way back
        enum { OPEN = 0, ON_WAY = 1, DONE = 2 };
        tact_scene_link *links = build->links;
        int length = 0, at = i;
        // down the chain until a joint is settled, follows nobody, or was passed on this way
        while (done[at] == OPEN && links[at].leader != at) {
            done[at] = ON_WAY;
            stack[length++] = at;
            at = links[at].leader;
        }
        // back where the way began: a cycle, which is reported and cut
        if (done[at] == ON_WAY) {
            const tact_draft_body *body = &build->draft.bodies[at];
            tact_draft_mark mark = tact_scene_joint_mark(body);
            tact_draft_refuse(&build->draft, &mark, "mimic", "joint %s follows itself by way of %s", tact_quote(body->joint).text,
                              tact_quote(body->mimic).text);
            links[stack[length - 1]].leader = stack[length - 1];
        }
        done[at] = DONE;
        while (length > 0) {
            at = stack[--length];
            tact_scene_link *own = &links[at];
            const tact_scene_link *next = &links[own->leader];
            done[at] = DONE;
            if (own->leader == at) continue;
            // q = r (r' q' + o') + o: ratio r r', offset r o' + o
            own->offset = own->ratio * next->offset + own->offset;
            own->ratio *= next->ratio;
            own->leader = next->leader;
        }
    }
    number_joints(build);
    for (int i = 0; i < draft->nbody; i++) {
        const tact_scene_link *link = &build->links[i];
        const tact_draft_body *body = &draft->bodies[i];
        tact_draft_mark mark = tact_scene_joint_mark(body);
        if (link->leader == i) continue;
        if (!isfinite(link->ratio) || !isfinite(link->offset)) {
            tact_draft_refuse(draft, &mark, "mimic", "ratio or offset of the chain of followed joints is too large");
        } else if (body->limited) {
            narrow_limits(build, i);
        }
    }
    return true;
}
