// SPDX-License-Identifier: MIT
// Masses and inertias: what a rigid body can have, and whether every motion without a drive is determined by a mass.
#include <string.h>

#include "scene/build.h"

#define ROUNDING 1e-12
#define THIRD_OF_TURN 2.0943951023931953  // 2 pi/3

// Of a symmetric matrix xx, yy, zz, xy, xz, yz, the largest first, by the cosine of a third of an angle (Smith 1961). Exact
// for a diagonal matrix. For messages and for their thresholds only.
static void find_eigenvalues(const tact_real *I, double *e) {
    double a[6], scale = 0;
    for (int k = 0; k < 6; k++) scale = fmax(scale, fabs((double)I[k]));
    for (int k = 0; k < 6; k++) a[k] = scale > 0 ? (double)I[k] / scale : 0;
    // I = mean + p B with tr B = 0 and tr B^2 = 6: eigenvalues mean + 2 p cos(angle + k 2 pi / 3), cos(3 angle) = det B / 2
    double mean = (a[0] + a[1] + a[2]) / 3, x = a[0] - mean, y = a[1] - mean, z = a[2] - mean;
    double off = a[3] * a[3] + a[4] * a[4] + a[5] * a[5], p = sqrt((x * x + y * y + z * z + 2 * off) / 6);
    if (off > 0) {
        double det = x * (y * z - a[5] * a[5]) - a[3] * (a[3] * z - a[5] * a[4]) + a[4] * (a[3] * a[5] - y * a[4]);
        double angle = acos(fmin(1, fmax(-1, det / (2 * p * p * p)))) / 3;
        e[0] = mean + 2 * p * cos(angle);
        e[2] = mean + 2 * p * cos(angle + THIRD_OF_TURN);
        e[1] = 3 * mean - e[0] - e[2];
        for (int k = 0; k < 3; k++) e[k] *= scale;
        return;
    }
    // diagonal: sorted
    e[0] = fmax((double)I[0], fmax((double)I[1], (double)I[2]));
    e[2] = fmin((double)I[0], fmin((double)I[1], (double)I[2]));
    e[1] = fmax(fmin((double)I[0], (double)I[1]), fmin(fmax((double)I[0], (double)I[1]), (double)I[2]));
}

// Refuses an inertia with wrong eigenvalues for body i, and warns of one that no rigid body has.
static void check_inertia(const tact_scene_build *build, int i, bool turns) {
    const tact_draft_body *body = &build->draft.bodies[i];
    double e[3];
    find_eigenvalues(body->inertia, e);
    // what is so small is rounding
    for (int k = 0; k < 3; k++)
        if (fabs(e[k]) < ROUNDING * fabs(e[0])) e[k] = 0;
    bool bad = turns ? e[2] <= 0 : e[2] < 0;
    for (int k = 0; k < 3; k++) bad = bad || body->inertia[k] < 0;
    tact_number_text large = tact_rounded(e[0], 6), middle = tact_rounded(e[1], 6), small = tact_rounded(e[2], 6);
    if (bad) {
        tact_draft_refuse(&build->draft, &body->mark, "inertia", "eigenvalues %s, %s, %s: must %s (xx, yy, zz, xy, xz, yz)",
                          large.text, middle.text, small.text, turns ? "be positive" : "not be negative");
    } else if (e[0] > (1 + 1e-6) * (e[1] + e[2]) && !body->as_given) {
        tact_draft_warn(&build->draft, &body->mark, "inertia",
                        "eigenvalues %s, %s, %s: of a rigid body the largest is at most the sum of the others", large.text,
                        middle.text, small.text);
    }
}

// the body and what it carries have a mass, an inertia, or what was to be one was refused
typedef struct {
    bool turns, mass, inertia;
} mass_facts;

bool tact_scene_check_masses(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    mass_facts *facts = tact_draft_take(draft, (size_t)draft->nbody * sizeof facts[0]);
    if (!facts) return false;
    for (int k = 0; k < draft->nbody; k++) {
        int i = build->order[k], parent = build->links[i].parent;
        const tact_draft_body *body = &draft->bodies[i];
        const bool turns = body->type == TACT_JOINT_REVOLUTE || body->type == TACT_JOINT_CONTINUOUS ||
                           body->type == TACT_JOINT_PLANAR || body->type == TACT_JOINT_FREE;
        facts[i] = (mass_facts){.turns = turns || (parent != TACT_WORLD && facts[parent].turns),
                                .mass = body->mass > 0 || body->misread,
                                .inertia = body->inertial || body->misread};
        if (body->inertial) check_inertia(build, i, facts[i].turns);
    }
    for (int k = draft->nbody - 1; k >= 0; k--) {
        int i = build->order[k], parent = build->links[i].parent;
        if (parent == TACT_WORLD) continue;
        facts[parent].mass = facts[parent].mass || facts[i].mass;
        facts[parent].inertia = facts[parent].inertia || facts[i].inertia;
    }
    for (int i = 0; i < draft->nbody; i++) {
        mass_facts *leader = &facts[build->links[i].leader];
        leader->mass = leader->mass || facts[i].mass;
    }
    // without regularisation masses do not count
    for (int i = 0; i < draft->nbody && build->options.epsilon > 0; i++) {
        // A joint without a drive needs a mass, a free or planar one an inertia.
        const tact_draft_body *body = &build->draft.bodies[i];
        const tact_scene_link *link = &build->links[i];
        if (link->leader != i || link->dofs == 0 || !body->name) continue;
        // held by a drive of its own, which may be a spring with a limit
        if (link->stiffness > 0 || (link->led && build->springs[link->led - 1].count == 1)) continue;
        // a refused drive may be the one that moves it
        if (!facts[i].mass && draft->drives_doubted) continue;
        if (!facts[i].mass) {
            tact_draft_refuse(&build->draft, &body->mark, NULL,
                              "body %s has no mass and no drive: its motion is undetermined (\"mass\" in kg)",
                              tact_quote(body->name).text);
        } else if (!facts[i].inertia && (body->type == TACT_JOINT_FREE || body->type == TACT_JOINT_PLANAR)) {
            tact_draft_refuse(&build->draft, &body->mark, NULL,
                              "body %s has no inertia: its rotation is undetermined (\"inertia\": [xx, yy, zz, xy, xz, yz])",
                              tact_quote(body->name).text);
        }
    }
    return true;
}
