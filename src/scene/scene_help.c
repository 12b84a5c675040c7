// SPDX-License-Identifier: MIT
// The scene format in words and as JSON Schema, from the tables that read it.
#include <math.h>
#include <string.h>

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
    {"of \"type\": \"hull\"", tact_scene_hull_keys},
    {"of \"type\": \"grid\"", tact_scene_grid_keys},
    {"of \"type\": \"circle\"", tact_scene_circle_keys},
    {"of \"type\": \"rectangle\"", tact_scene_rectangle_keys},
    {"of \"type\": \"polygon\"", tact_scene_polygon_keys},
    {"its \"regular\"", tact_scene_regular_keys},
    {"of \"type\": \"halfplane\"", tact_scene_halfplane_keys},
    {"of \"type\": \"union\"", tact_scene_union_keys},
    {"of \"type\": \"smooth_union\"", tact_scene_smooth_union_keys},
    {"\"pairs\", each", tact_scene_pair_keys},
    {"\"drives\", each", tact_scene_drive_keys},
    {"\"loops\", each", tact_scene_loop_keys},
    {"\"springs\", each", tact_scene_spring_keys},
    {"\"keyframes\", each", tact_scene_keyframe_keys},
    {"\"state\"", tact_scene_state_keys},
    {"\"command\"", tact_scene_command_keys},
    {"\"forces\", each", tact_scene_force_keys},
    {"\"goal\"", tact_scene_goal_keys},
    {"its \"terms\", each", tact_scene_term_keys},
    {"\"mpc\"", tact_scene_mpc_keys},
};

static const char head[] =
    "A scene is a JSON file in UTF-8, without comments. Units are SI, angles radians. Unknown and duplicate keys are refused.\n"
    "Each line: key, what stands there, what holds without it, what it means.\n";

static const char tail[] =
    "\nPlanar shapes (circle to smooth_union) lie in the x-y plane of their frame. The law \"virtual\" sees the whole scene in "
    "one\n"
    "plane: the x-y plane of the first planar joint's frame; without one that of the first planar shape; without one the plane\n"
    "across the first revolute or continuous joint; else the world's x-z plane. It takes spheres for circles, boxes and "
    "cylinders\n"
    "in line with the plane for rectangles, planes across it for half-planes. The other laws take circles for spheres, and the\n"
    "other planar shapes for prisms without ends, which spheres and circles touch; unions belong to \"virtual\".\n"
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
    "A robot file has \"bodies\", \"shapes\", \"drives\", \"loops\", \"springs\", and \"exclude\", \"pairs\" and\n"
    "\"keyframes\", which \"auto\" pairs and the scene's state take up; it may have \"tact\" and \"name\".\n"
    "Files over 16 MiB and nesting over 64 are refused, and lengths over 1e6 m, masses over 1e9 kg, forces over 1e9 N.\n"
    "\nA scene to begin with: a ball falls onto a table, and a finger is beside it\n"
    "  {\"tact\": 1, \"mu\": 0.5, \"pairs\": \"auto\",\n"
    "   \"bodies\": [{\"name\": \"ball\", \"parent\": \"world\", \"mass\": 0.1,\n"
    "               \"inertia\": [4e-5, 4e-5, 4e-5, 0, 0, 0],\n"
    "               \"joint\": {\"name\": \"ball\", \"type\": \"free\"}},\n"
    "              {\"name\": \"finger\", \"parent\": \"world\", \"mass\": 0.05,\n"
    "               \"joint\": {\"name\": \"finger\", \"type\": \"prismatic\",\n"
    "                         \"axis\": [1, 0, 0], \"xyz\": [-0.1, 0, 0.03]}}],\n"
    "   \"shapes\": [{\"name\": \"table\", \"body\": \"world\", \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0},\n"
    "              {\"name\": \"ball\", \"body\": \"ball\", \"type\": \"sphere\", \"radius\": 0.03},\n"
    "              {\"name\": \"tip\", \"body\": \"finger\", \"type\": \"sphere\", \"radius\": 0.01}],\n"
    "   \"drives\": [{\"joint\": \"finger\", \"stiffness\": 100}],\n"
    "   \"state\": {\"q\": {\"ball\": [0, 0, 0.05, 1, 0, 0, 0]}},\n"
    "   \"command\": {\"mode\": \"fixed\", \"q\": {\"finger\": 0.08}}}\n";

void tact_scene_help(tact_text *out) {
    tact_text_add(out, head);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        tact_text_print(out, "\n%-s\n", sections[i].title);
        if (sections[i].keys) {
            tact_keys_describe(sections[i].keys, NULL, out);
        } else {
            tact_scene_describe_options(out);
        }
    }
    tact_text_add(out, tail);
}

// The last word in quotes of a title, "sphere" of: of "type": "sphere"; with its quotes. Empty for the scene itself.
static tact_source name_section(const section *of) {
    const char *end = strrchr(of->title, '"'), *begin = end;
    while (begin && begin > of->title && begin[-1] != '"') begin--;
    return (tact_source){.bytes = begin ? begin - 1 : NULL, .size = begin ? (size_t)(end + 2 - begin) : 0};
}

static bool is_shape(const section *of) {
    return strncmp(of->title, "of ", 3) == 0;
}

// {"$ref":..} of the section with these keys; {} where there is none.
static void add_reference(const tact_key *keys, tact_text *out) {
    const section *of = sections, *end = sections + sizeof sections / sizeof sections[0];
    while (of < end && (of->keys ? of->keys : tact_scene_option_keys) != keys) of++;
    if (of == end) {
        tact_text_add(out, "{}");
        return;
    }
    tact_source name = name_section(of);
    tact_text_add(out, "{\"$ref\":\"#/$defs/");
    tact_text_add_bytes(out, name.bytes + 1, name.size - 1);
    tact_text_add(out, "}");
}

static void add_bound(const char *word, double bound, tact_text *out) {
    if (!(fabs(bound) < (double)INFINITY)) return;
    tact_text_print(out, "%-s%g", word, bound);
}

// "type":"number", and within what
static void add_number(const tact_key *key, tact_text *out) {
    double most = key->most > 0 ? key->most : (double)INFINITY;
    const tact_range *range = &key->range;
    tact_text_add(out, key->kind == TACT_KEY_INTEGER ? "\"type\":\"integer\"" : "\"type\":\"number\"");
    add_bound(range->low_open ? ",\"exclusiveMinimum\":" : ",\"minimum\":", fmax(range->low, -most), out);
    add_bound(range->high_open ? ",\"exclusiveMaximum\":" : ",\"maximum\":", fmin(range->high, most), out);
}

// JSON Schema of a key's value: its type and bounds; nothing where several kinds of value are allowed, which the description
// lists.
static void add_type(const tact_key *key, tact_text *out) {
    bool shapes = key->kind == TACT_KEY_LIST && !key->keys;
    // a form of its own: several kinds of value are allowed
    if (key->form && key->kind != TACT_KEY_LIST) return;
    switch (key->kind) {
    case TACT_KEY_OTHER: return;
    case TACT_KEY_OBJECT:
        // allOf, so that a description may stand beside the reference
        tact_text_add(out, "\"allOf\":[");
        add_reference(key->keys, out);
        tact_text_add(out, "],");
        return;
    case TACT_KEY_LIST:
        tact_text_add(out, key->form ? "\"type\":[\"array\",\"string\"],\"items\":" : "\"type\":\"array\",\"items\":");
        add_reference(shapes ? tact_scene_shape_keys : key->keys, out);
        break;
    case TACT_KEY_NUMBER:
    case TACT_KEY_INTEGER: add_number(key, out); break;
    case TACT_KEY_BOOL: tact_text_add(out, "\"type\":\"boolean\""); break;
    case TACT_KEY_CHOICE:
        for (int i = 0; key->choices[i]; i++) {
            tact_text_print(out, "%-s%s", i > 0 ? "," : "\"enum\":[", key->choices[i]);
        }
        tact_text_add(out, "]");
        break;
    case TACT_KEY_NAME: tact_text_add(out, "\"type\":\"string\",\"minLength\":1"); break;
    case TACT_KEY_VECTOR:
        tact_text_print(out, "\"type\":\"array\",\"minItems\":%d,\"maxItems\":%d,\"items\":{", key->count, key->count);
        add_number(key, out);
        tact_text_add(out, "}");
        break;
    }
    tact_text_add(out, ",");
}

// "properties":{..},"required":[..]
static void add_properties(const tact_key *keys, tact_text *out) {
    int count = 0;
    tact_text_add(out, "\"properties\":{");
    for (const tact_key *key = keys; key->name; key++) {
        tact_text_print(out, "%-s%s:{", key > keys ? ",\n    " : "\n    ", key->name);
        add_type(key, out);
        tact_text_print(out, "\"description\":%s}", key->meaning);
    }
    tact_text_add(out, "},\"required\":[");
    for (const tact_key *key = keys; key->name; key++) {
        if (!key->required) continue;
        if (count++ > 0) tact_text_add(out, ",");
        tact_text_add_json(out, key->name);
    }
    tact_text_add(out, "]");
}

static void add_object(const tact_key *keys, tact_text *out) {
    tact_text_add(out, "\"type\":\"object\",");
    add_properties(keys, out);
    if (keys == tact_scene_shape_keys) {
        // What the type of a shape asks for.
        bool any = false;
        tact_text_add(out, ",\n   \"unevaluatedProperties\":false,\"allOf\":[");
        for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
            if (!is_shape(&sections[i])) continue;
            tact_source name = name_section(&sections[i]);
            tact_text_print(out, "%-s{\"if\":{\"properties\":{\"type\":{\"const\":", any ? ",\n   " : "\n   ");
            tact_text_add_bytes(out, name.bytes, name.size);
            tact_text_add(out, "}}},\"then\":{");
            add_properties(sections[i].keys, out);
            tact_text_add(out, "}}");
            any = true;
        }
        tact_text_add(out, "]");
    } else
        tact_text_add(out, ",\"additionalProperties\":false");
}

void tact_scene_schema(tact_text *out) {
    tact_text_add(out, "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"title\":\"Scene of tact " TACT_VERSION
                       "\",\n  ");
    add_object(tact_scene_keys, out);
    tact_text_add(out, ",\n  \"$defs\":{");
    for (size_t i = 1; i < sizeof sections / sizeof sections[0]; i++) {
        if (is_shape(&sections[i])) continue;
        tact_source name = name_section(&sections[i]);
        tact_text_add(out, i > 1 ? ",\n  " : "\n  ");
        tact_text_add_bytes(out, name.bytes, name.size);
        tact_text_add(out, ":{");
        add_object(sections[i].keys ? sections[i].keys : tact_scene_option_keys, out);
        tact_text_add(out, "}");
    }
    tact_text_add(out, "}}\n");
}
