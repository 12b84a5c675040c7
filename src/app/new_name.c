// SPDX-License-Identifier: MIT
// What tact new says of itself, the name of its object, and lists of three numbers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/new.h"

const char tact_new_help[] =
    "Writes a scene in which a robot and an object are ready to step: the object rests on a body of the robot (--on BODY), for\n"
    "which the robot's base is turned so that the object lies there and the fingers are on its side, or on a table beside it\n"
    "(--on table, the default).\n"
    "\n"
    "OBJECT is box:AxBxC, sphere:R, capsule:RxL or cylinder:RxL in metres (R radius, L length, of a capsule between the "
    "centres);\n"
    "its mass is by --object-density. Pairs are those of the object with all shapes of the robot and with the table; contacts "
    "are\n"
    "those of spheres, so that boxes get spheres at their corners, capsules at their ends and cylinders points round their "
    "rims.\n"
    "Drives are as stiff as gives the effort limit of a joint at 0.5 rad or 10 mm, and no stronger (force_limit); without a "
    "limit\n"
    "1 N m/rad or 100 N/m. Where corners find no place, on a palm with a ridge, a box touches it by its faces, too. The\n"
    "barrier's sharpness makes the object rest at a gap of 1 % of its size. Collision meshes are fitted by capsules unless "
    "--fit\n"
    "says otherwise; capsules that would cover shapes of the robot's own, as pads of fingers, are left out.\n"
    "Over a table --base-rpy turns the base, 3.1416,0,0 upside down, so that a gripper's fingers are round the object, and\n"
    "--above lifts it: --above 0.1 begins over the object. The object's body is \"object\", or object_2 where the robot has "
    "one.\n"
    "A model in MJCF keeps its own drives, and begins at its keyframe home where it has one.\n"
    "\n"
    "The scene is stepped 100 times under the laws barrier and rigid before it is written; each choice is told on standard "
    "error.\n"
    "Exit code 2 where there is no place at which the object rests.\n"
    "\n"
    "examples:\n"
    "  tact new --robot hand.urdf --object box:0.05x0.05x0.05 --on palm -o scene.json\n"
    "  tact new --robot gripper.xml --object box:0.04x0.04x0.04 --base driven --base-rpy 3.1416,0,0 --above 0.08 -o grip.json\n"
    "  tact new --robot arm.urdf --object sphere:0.03 --on table --fit capsule -o scene.json\n";

static bool is_taken(const tact_draft *draft, const char *name) {
    bool taken = false;
    for (int i = 0; i < draft->nbody; i++) {
        const char *own = draft->bodies[i].name, *joint = draft->bodies[i].joint;
        taken = taken || (own && strcmp(own, name) == 0) || (joint && strcmp(joint, name) == 0);
    }
    for (int i = 0; i < draft->nshape; i++) taken = taken || (draft->shapes[i].name && strcmp(draft->shapes[i].name, name) == 0);
    return taken;
}

// "object", or with a number where the robot has that name itself. A robot file's names stand in it in quotes.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]) {
    tact_text text = {0};
    tact_errors errors = {0};
    // what cannot be read is told later
    if (!xml) tact_text_read(&text, robot, TACT_TEXT_LIMIT, &errors);
    snprintf(name, TACT_NEW_NAME, "object");
    for (int k = 2; k < 1000; k++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        if (!is_taken(draft, name) && !(text.bytes && strstr(text.bytes, quoted))) break;
        snprintf(name, TACT_NEW_NAME, "object_%d", k);
    }
    tact_text_free(&text);
}

// Three numbers with commas between.
bool tact_new_read_three(const char *text, double x[3]) {
    for (int k = 0; k < 3; k++) {
        size_t length = strcspn(text, ",");
        if (tact_number_read_loose(text, length, &x[k]) != TACT_NUMBER_READ || (text[length] == ',') != (k < 2)) return false;
        text += length + (k < 2);
    }
    return true;
}

void tact_new_add_numbers(tact_text *out, const double *x, int count) {
    tact_text_add(out, "[");
    for (int k = 0; k < count; k++) {
        if (k > 0) tact_text_add(out, ", ");
        tact_text_add_number(out, x[k]);
    }
    tact_text_add(out, "]");
}

int tact_new_read_object(const tact_call *call, const char *text, tact_new_object *object) {
    static const struct {
        const char *name;
        tact_shape_type type;
        int count;
        const char *form;
    } kinds[] = {{"box:", TACT_SHAPE_BOX, 3, "box:AxBxC"},
                 {"sphere:", TACT_SHAPE_SPHERE, 1, "sphere:R"},
                 {"capsule:", TACT_SHAPE_CAPSULE, 2, "capsule:RxL"},
                 {"cylinder:", TACT_SHAPE_CYLINDER, 2, "cylinder:RxL"}};
    size_t kind = 0, count = sizeof kinds / sizeof kinds[0];
    while (kind < count && strncmp(text, kinds[kind].name, strlen(kinds[kind].name)) != 0) kind++;
    if (kind == count)
        return tact_say_usage(call->command,
                              "--object: unknown %s (allowed: box:AxBxC, sphere:R, capsule:RxL, cylinder:RxL, then put a mesh's "
                              "hull or grid in its place)",
                              tact_quote(text).text);
    const char *at = text + strlen(kinds[kind].name);
    double size[3] = {0};
    int found = 0;
    // lengths between x and x
    for (bool more = true; more && found <= 3; found++) {
        size_t length = strcspn(at, "x");
        bool good = found < kinds[kind].count && tact_number_read_loose(at, length, &size[found]) == TACT_NUMBER_READ;
        if (!good || !(size[found] >= 1e-4 && size[found] <= 10))
            return tact_say_usage(call->command, "--object: must be %s of lengths within [0.0001, 10] m (found %s)",
                                  kinds[kind].form, tact_quote(text).text);
        more = at[length] == 'x';
        at += length + more;
    }
    if (found != kinds[kind].count)
        return tact_say_usage(call->command, "--object: must be %s (found %s)", kinds[kind].form, tact_quote(text).text);
    object->type = kinds[kind].type;
    // sizes of shapes are radii and half lengths
    bool round = object->type != TACT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) object->size[k] = (tact_real)(round && k == 0 ? size[k] : size[k] / 2);
    if (!round) object->size[3] = (tact_real)tact_key_round(0.04 * fmin(size[0], fmin(size[1], size[2])), 6);
    return TACT_EXIT_DONE;
}
