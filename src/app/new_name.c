// SPDX-License-Identifier: MIT
// What tact new says of itself, the name of its object, and lists of three numbers.
#include <stdio.h>
#include <string.h>

#include "app/new.h"

const char tact_new_help[] =
    "Writes a scene in which a robot and an object are ready to step: the object rests on a body of the robot (--on BODY), for\n"
    "which the robot's base is turned so that the object lies there and the fingers are on its side, or on a table beside it\n"
    "(--on table, the default).\n"
    "\n"
    "OBJECT is box:AxBxC, sphere:R, capsule:RxL or cylinder:RxL in metres (R radius, L length, of a capsule between the\n"
    "centres), or the convex hull of a mesh, FILE.obj, .stl, .ply or .dae, open or closed, FILE.obj:SCALE with its scale to\n"
    "metres (0.001 for millimetres): it lies on a steady side, about its centre of mass. Of the scene's \"vertices\" of the\n"
    "hull fewer are faster, more are closer to the mesh. Its mass is by --object-density. Pairs are those of the object with\n"
    "all shapes of the robot and with the table, and of a hand with three or more fingers capsules about links of different\n"
    "fingers, which keep them from passing through each other. Contacts are those of spheres, so that boxes get spheres at\n"
    "their corners, capsules at their ends and cylinders points round their rims. With --contacts shapes all of their\n"
    "surfaces touch: nothing passes through the object between spheres, and steps take longer. Drives are as stiff as gives\n"
    "the effort limit of a joint at 0.5 rad or 10 mm, and no stronger (force_limit); without a limit 1 N m/rad or 100 N/m.\n"
    "Where corners find no place, on a palm with a ridge, a box touches it by its faces, too. The barrier's sharpness makes\n"
    "the object rest at a gap of 1 % of its size. Collision meshes are fitted by capsules unless --fit says otherwise;\n"
    "capsules that would cover shapes of the robot's own, as pads of fingers, are left out. Over a table --base-rpy turns\n"
    "the base, 3.1416,0,0 upside down, so that a gripper's fingers are round the object, and --above lifts it: --above 0.1\n"
    "begins over the object. With --lift 0.1 the scene's command takes the object from the table and lifts it by 0.1 m: the\n"
    "base is driven and turned so that the fingers look down, and a grasp is sought that lifts the object under both laws.\n"
    "The object's body is \"object\", or object_2 where the robot has one. A model in MJCF keeps its own drives, and begins\n"
    "at its keyframe home where it has one.\n"
    "\n"
    "The scene is stepped 100 times under the laws barrier and rigid before it is written; each choice is told on standard\n"
    "error. Exit code 2 where there is no place at which the object rests.\n"
    "\n"
    "examples:\n"
    "  tact new --robot hand.urdf --object box:0.05x0.05x0.05 --on palm -o scene.json\n"
    "  tact new --robot gripper.xml --object box:0.04x0.04x0.04 --lift 0.1 -o grip.json\n"
    "  tact new --robot hand.urdf --object teapot.obj:0.0125 --on palm --goal -o tea.json\n"
    "  tact new --robot arm.urdf --object sphere:0.03 --on table --fit capsule -o scene.json\n";

// "object", or with a number where the robot has that name itself. A robot file's names stand in it in quotes.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]) {
    tact_text text = {0};
    tact_errors errors = {0};
    // what cannot be read is reported later
    if (!xml) tact_text_read(&text, robot, TACT_TEXT_LIMIT, &errors);
    snprintf(name, TACT_NEW_NAME, "object");
    for (int k = 2; k < 1000; k++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        bool taken = false;
        for (int i = 0; i < draft->nbody; i++) {
            const char *own = draft->bodies[i].name, *joint = draft->bodies[i].joint;
            taken = taken || (own && strcmp(own, name) == 0) || (joint && strcmp(joint, name) == 0);
        }
        for (int i = 0; i < draft->nshape; i++)
            taken = taken || (draft->shapes[i].name && strcmp(draft->shapes[i].name, name) == 0);
        if (!taken && !(text.bytes && strstr(text.bytes, quoted))) break;
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
    for (int k = 0; k < count; k++) {
        tact_text_print(out, "%-s%g", k > 0 ? ", " : "[", x[k]);
    }
    tact_text_add(out, "]");
}
