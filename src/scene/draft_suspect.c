// SPDX-License-Identifier: MIT
// What a robot or a scene has in other units, whoever reads it: angles in degrees, masses of links in grams.
#include <string.h>

#include "scene/suspect.h"

#define TURN 6.283185307179586
#define HEAVY 10.0     // [kg] of a link
#define HEAVIER 50.0   // times as heavy as all others
#define SOLID 7500.0   // [kg/m^3] of steel that fills all that a link reaches
#define DENSE 30000.0  // [kg/m^3] above all metals
#define BALL 4.19      // volume of one of radius 1
enum { DIGITS = 4 };

// What is doubted once in a file, and not one of many warnings about it.
static tact_draft_mark alone(tact_draft_mark mark) {
    mark.place.noise = false;
    return mark;
}

void tact_draft_doubt_angle(const tact_draft *draft, const tact_draft_mark *mark, const char *key, double angle, bool limit) {
    const tact_draft_mark once = alone(*mark);
    tact_draft_doubt(draft, &once, key, "%s%smore than %s: angles are in radians (%s degrees are %s)",
                     mark->json || !key ? "" : key, mark->json || !key ? "" : " of ", limit ? "two turns" : "a turn",
                     tact_rounded(angle, DIGITS).text, tact_rounded(angle * (TURN / 360), DIGITS).text);
}

// The first frame of a joint or shape, else the first limit.
static void suspect_angles(const tact_draft *draft) {
    for (int i = 0; i < draft->nbody + draft->nshape; i++) {
        const bool joint = i < draft->nbody;
        const tact_draft_mark mark = joint ? tact_scene_joint_mark(&draft->bodies[i]) : draft->shapes[i - draft->nbody].mark;
        double angle = tact_scene_longest(joint ? draft->bodies[i].frame.rpy : draft->shapes[i - draft->nbody].frame.rpy, 3);
        if (!(angle > TURN)) continue;
        tact_draft_doubt_angle(draft, &mark, "rpy", angle, false);
        return;
    }
    for (int i = 0; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        const double most = fmax(fabs((double)body->lower), fabs((double)body->upper));
        if (body->type != TACT_JOINT_REVOLUTE || !body->limited || !(most > 2 * TURN) || most >= (double)TACT_MAX) continue;
        tact_draft_mark mark = tact_scene_joint_mark(body);
        tact_draft_doubt_angle(draft, &mark, "limits", most, true);
        return;
    }
}

// The first link that were denser than metal if it filled the ball of all that is known of it: its shapes, its centre of mass and
// the joints that it carries. One that outweighs all others need not be as dense. Sliders may stand for
// what does not give way.
static bool suspect_links(tact_draft *draft) {
    double *reach = tact_draft_take(draft, (size_t)draft->nbody * sizeof reach[0]), first = 0, second = 0;
    tact_name_table names = {0};
    if (!reach || !tact_name_table_make(&names, draft, draft->nbody)) return false;
    for (int i = 0; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        reach[i] = sqrt((double)tact_vec3_dot(body->com, body->com));
        second = fmax(second, fmin(first, (double)body->mass)), first = fmax(first, (double)body->mass);
        if (body->name) tact_name_table_add(&names, 0, body->name, strlen(body->name), i);
    }
    // joints that it carries, then its shapes
    for (int i = 0; i < draft->nbody + draft->nshape; i++) {
        const tact_draft_shape *shape = i < draft->nbody ? NULL : &draft->shapes[i - draft->nbody];
        const char *on = shape ? shape->body : draft->bodies[i].parent;
        int at = on ? tact_name_table_find(&names, 0, on) : -1;
        double far = tact_scene_norm(shape ? shape->frame.xyz : draft->bodies[i].frame.xyz);
        if (at >= 0) reach[at] = fmax(reach[at], far + (shape ? tact_scene_shape_size(shape) : 0));
    }
    for (int i = 0; i < draft->nbody; i++) {
        const tact_draft_body *body = &draft->bodies[i];
        const double mass = (double)body->mass, ball = BALL * pow(reach[i], 3);
        const bool lone = mass == first && mass > HEAVIER * second,
                   turns = body->type == TACT_JOINT_REVOLUTE || body->type == TACT_JOINT_CONTINUOUS;
        if (!turns || !(ball > 0) || mass < HEAVY || mass < (lone ? SOLID : DENSE) * ball) continue;
        const tact_draft_mark once = alone(body->mark);
        tact_draft_doubt(draft, &once, "mass",
                         "%s kg, and nothing of it is farther than %s m from its joint: the unit is the kilogram",
                         tact_key_print(body->mass).text, tact_rounded(reach[i], DIGITS).text);
        break;
    }
    return true;
}

bool tact_draft_suspect(tact_draft *draft) {
    TACT_ASSERT(draft && draft->errors);
    suspect_angles(draft);
    return suspect_links(draft);
}
