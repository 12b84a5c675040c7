// SPDX-License-Identifier: MIT
// Drives for the joints of a robot whose description names none.
#include <string.h>

#include "scene/build.h"
#include "tact/robot.h"

#define BEND 0.5    // at which a drive gives its effort limit [rad]
#define SLIDE 0.01  // likewise [m]

static const char *name_joint(const tact_draft_body *body) {
    return body->joint ? body->joint : body->name;
}

static bool is_driven(const tact_draft *draft, const tact_draft_body *body) {
    for (int i = 0; i < draft->ndrive; i++)
        if (draft->drives[i].joint && strcmp(draft->drives[i].joint, name_joint(body)) == 0) return true;
    return false;
}

// Whether a body carries the other (NULL: the world), or is it.
static bool carries(const tact_draft *draft, const tact_draft_body *body, const char *other) {
    for (int n = 0; other && n < draft->nbody; n++) {
        if (strcmp(body->name, other) == 0) return true;
        const char *parent = NULL;
        for (int b = 0; b < draft->nbody && !parent; b++)
            if (strcmp(draft->bodies[b].name, other) == 0) parent = draft->bodies[b].parent;
        other = parent;
    }
    return false;
}

// Whether a loop, a spring or a drive on a sum moves it: then a drive of its own would be against it.
static bool is_led(const tact_draft *draft, const tact_draft_body *body) {
    const char *joint = name_joint(body);
    bool led = false;
    // dry friction, a spring without stiffness, holds nothing in its place
    for (int i = 0; i < draft->nspring; i++)
        for (int k = 0; draft->springs[i].stiffness > 0 && k < draft->springs[i].count; k++)
            led = led || strcmp(draft->springs[i].joint[k], joint) == 0;
    for (int i = 0; i < draft->nloop && !led; i++) {
        bool first = carries(draft, body, draft->loops[i].body[0]), second = carries(draft, body, draft->loops[i].body[1]);
        led = first != second;
    }
    return led;
}

bool tact_robot_drive(tact_draft *draft) {
    for (int b = 0; b < draft->nbody; b++) {
        const tact_draft_body *body = &draft->bodies[b];
        bool turns = body->type == TACT_JOINT_REVOLUTE || body->type == TACT_JOINT_CONTINUOUS;
        if ((!turns && body->type != TACT_JOINT_PRISMATIC) || body->mimic || is_driven(draft, body) || is_led(draft, body))
            continue;
        // the effort limit is reached at a deviation of BEND or SLIDE; a drive never gives more
        bool bounded = body->effort > 0 && body->effort < 1e9;
        double stiffness = bounded ? body->effort / (turns ? BEND : SLIDE) : turns ? 1 : 100;
        tact_draft_drive *drive = tact_draft_add_drive(draft);
        if (!drive) return false;
        drive->joint = name_joint(body);
        drive->stiffness = (tact_real)tact_key_round(stiffness, 4);
        drive->force_limit = bounded ? (tact_real)body->effort : 0;
        drive->mark = body->mark;
        if (bounded && draft->left.effort > 0) draft->left.effort--;
    }
    return true;
}
