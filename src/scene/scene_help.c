// SPDX-License-Identifier: MIT
// The scene format in words, from the tables that read it.
#include "scene/build.h"

typedef struct {
    const char *title;
    const tact_key *keys;  // NULL: the options, whose defaults are values
} section;

static const section sections[] = {
    {"Scene", tact_scene_keys},
    {"\"options\"", NULL},
    {"\"robots\", each", tact_scene_robot_keys},
    {"their \"base\"", tact_scene_base_keys},
    {"\"bodies\", each", tact_scene_body_keys},
    {"their \"joint\"", tact_scene_joint_keys},
    {"its \"mimic\"", tact_scene_mimic_keys},
    {"\"shapes\", each", tact_scene_shape_keys},
    {"of \"type\": \"sphere\"", tact_scene_sphere_keys},
    {"of \"type\": \"plane\"", tact_scene_plane_keys},
    {"of \"type\": \"capsule\"", tact_scene_capsule_keys},
    {"of \"type\": \"box\"", tact_scene_box_keys},
    {"of \"type\": \"cylinder\"", tact_scene_cylinder_keys},
    {"of \"type\": \"ellipsoid\"", tact_scene_ellipsoid_keys},
    {"\"pairs\", each", tact_scene_pair_keys},
    {"\"drives\", each", tact_scene_drive_keys},
    {"\"state\"", tact_scene_state_keys},
    {"\"command\"", tact_scene_command_keys},
    {"\"forces\", each", tact_scene_force_keys},
    {"\"goal\"", tact_scene_goal_keys},
};

static const char head[] =
    "A scene is a JSON file in UTF-8, without comments. Units are SI, angles radians. Unknown and duplicate keys are refused.\n"
    "Each line: key, what stands there, what holds without it, what it means.\n";

static const char tail[] =
    "\nThe planar shapes circle, rectangle, polygon and halfplane belong to the law \"virtual\", which is not in this build.\n"
    "\nJoint types, with their coordinates q and velocities v\n"
    "  fixed           0\n"
    "  revolute        1  angle about the axis, with limits\n"
    "  continuous      1  angle about the axis\n"
    "  prismatic       1  displacement along the axis, with limits\n"
    "  translation     3  x, y, z in the joint frame\n"
    "  planar          3  x, y in the joint frame, angle about its z\n"
    "  free            q 7: x, y, z, quaternion w, x, y, z;  v 6: angular, linear, world axes, at the body's origin\n"
    "\nNames have 1 to 255 bytes of UTF-8 without control characters; all else is allowed, \"/\" and spaces too. They are never\n"
    "used as paths. Bodies, joints and shapes are named apart from each other.\n"
    "A robot file has \"bodies\", \"shapes\" and \"drives\" only, and may have \"tact\" and \"name\".\n"
    "Files over 16 MiB and nesting over 64 are refused, and lengths over 1e6 m, masses over 1e9 kg, forces over 1e9 N.\n";

void tact_scene_help(tact_text *out) {
    tact_text_add(out, head);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        tact_text_add(out, "\n");
        tact_text_add(out, sections[i].title);
        tact_text_add(out, "\n");
        if (sections[i].keys) {
            tact_keys_describe(sections[i].keys, NULL, out);
        } else {
            tact_scene_describe_options(out);
        }
    }
    tact_text_add(out, tail);
}
