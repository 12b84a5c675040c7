// SPDX-License-Identifier: MIT
// Shapes from JSON, and the bodies that carry them.
#include <string.h>

#include "scene/build.h"

// what the tables fill
typedef struct {
    tact_draft_shape shape;
    int type;
    tact_real radius, length, size[3], round, radii[3];
    tact_draft_grid grid;
    int vertices;
} shape_entry;

const char *const tact_shape_type_names[] = {[TACT_SHAPE_SPHERE] = "sphere",
                                             [TACT_SHAPE_PLANE] = "plane",
                                             [TACT_SHAPE_CAPSULE] = "capsule",
                                             [TACT_SHAPE_BOX] = "box",
                                             [TACT_SHAPE_CYLINDER] = "cylinder",
                                             [TACT_SHAPE_ELLIPSOID] = "ellipsoid",
                                             [TACT_SHAPE_CIRCLE] = "circle",
                                             [TACT_SHAPE_RECTANGLE] = "rectangle",
                                             [TACT_SHAPE_POLYGON] = "polygon",
                                             [TACT_SHAPE_HALFPLANE] = "halfplane",
                                             [TACT_SHAPE_UNION] = "union",
                                             [TACT_SHAPE_SMOOTH_UNION] = "smooth_union",
                                             [TACT_SHAPE_HULL] = "hull",
                                             [TACT_SHAPE_GRID] = "grid",
                                             NULL};

const tact_key tact_scene_shape_keys[] = {
    TACT_ROW(NAME, "name", .required = true, .offset = offsetof(shape_entry, shape.name), .meaning = "unique among the shapes"),
    TACT_ROW(NAME, "body", .required = true, .offset = offsetof(shape_entry, shape.body),
             .meaning = "the body that carries it, or \"world\""),
    TACT_ROW(CHOICE, "type", .required = true, .offset = offsetof(shape_entry, type), .choices = tact_shape_type_names,
             .form = "see below", .meaning = "which shape"),
    TACT_ROW(VECTOR, "xyz", .count = 3, .offset = offsetof(shape_entry, shape.frame.xyz), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "the shape's frame in the body [m]"),
    TACT_ROW(VECTOR, "rpy", .count = 3, .offset = offsetof(shape_entry, shape.frame.rpy), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "its roll, pitch, yaw [rad]"),
    TACT_ROW_QUAT,
    TACT_ROW(INTEGER, "contype", .offset = offsetof(shape_entry, shape.contype),
             .range = TACT_RANGE_WITHIN(-2147483648.0, 2147483647.0), .fallback = "1",
             .meaning =
                 "bits of its kind: \"auto\" pairs two shapes where contype of one and conaffinity of the other share a bit"),
    TACT_ROW(INTEGER, "conaffinity", .offset = offsetof(shape_entry, shape.conaffinity),
             .range = TACT_RANGE_WITHIN(-2147483648.0, 2147483647.0), .fallback = "1",
             .meaning = "bits of the kinds that it touches"),
    TACT_ROW(
        NUMBER, "mu", .offset = offsetof(shape_entry, shape.mu), .range = TACT_RANGE_WITHIN(0, 10), .fallback = "the scene's",
        .meaning = "friction of its pairs without mu: that of the shape with the higher priority, of two alike the larger one"),
    TACT_ROW(INTEGER, "priority", .offset = offsetof(shape_entry, shape.priority),
             .range = TACT_RANGE_WITHIN(-2147483648.0, 2147483647.0), .fallback = "0", .meaning = "see mu"),
    {0}};

const tact_key tact_scene_sphere_keys[] = {TACT_ROW(NUMBER, "radius", .required = true, .offset = offsetof(shape_entry, radius),
                                                    .range = TACT_RANGE_FROM(0), .most = TACT_MOST_LENGTH,
                                                    .meaning = "[m]; 0 is a point"),
                                           {0}};

const tact_key tact_scene_plane_keys[] = {
    TACT_ROW(VECTOR, "normal", .count = 3, .apart = true, .range = TACT_RANGE_ANY, .fallback = "0, 0, 1",
             .meaning = "out of the solid half-space, of any length"),
    TACT_ROW(NUMBER, "offset", .offset = offsetof(shape_entry, shape.offset), .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "of the surface along the unit normal [m]"),
    {0}};

const tact_key tact_scene_capsule_keys[] = {TACT_ROW(NUMBER, "radius", .required = true, .offset = offsetof(shape_entry, radius),
                                                     .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_LENGTH, .meaning = "[m]"),
                                            TACT_ROW(NUMBER, "length", .required = true, .offset = offsetof(shape_entry, length),
                                                     .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_LENGTH,
                                                     .meaning = "between the centres of its ends, along z [m]"),
                                            {0}};

const tact_key tact_scene_box_keys[] = {
    TACT_ROW(VECTOR, "size", .required = true, .count = 3, .offset = offsetof(shape_entry, size), .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_LENGTH, .meaning = "full lengths along x, y, z [m]"),
    TACT_ROW(NUMBER, "round", .offset = offsetof(shape_entry, round), .range = TACT_RANGE_FROM(0), .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "corner radius within the size, at most half its smallest length [m]"),
    {0}};

const tact_key tact_scene_cylinder_keys[] = {TACT_ROW(NUMBER, "radius", .required = true, .offset = offsetof(shape_entry, radius),
                                                      .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_LENGTH, .meaning = "[m]"),
                                             TACT_ROW(NUMBER, "length", .required = true, .offset = offsetof(shape_entry, length),
                                                      .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_LENGTH,
                                                      .meaning = "full length along z [m]"),
                                             {0}};

const tact_key tact_scene_ellipsoid_keys[] = {TACT_ROW(VECTOR, "radii", .required = true, .count = 3,
                                                       .offset = offsetof(shape_entry, radii), .range = TACT_RANGE_ABOVE(0),
                                                       .most = TACT_MOST_LENGTH, .meaning = "half axes along x, y, z [m]"),
                                              {0}};

const tact_key tact_scene_hull_keys[] = {
    TACT_ROW(OTHER, "points", .form = "[[x, y, z], ...]", .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH, .fallback = "file",
             .meaning = "4 to 64 points; the shape is their convex hull [m]"),
    TACT_ROW(OTHER, "file", .form = "path", .fallback = "points",
             .meaning =
                 "an .stl, .obj, .ply or .dae mesh, open or closed, from the scene file's folder: the hull of its vertices"),
    TACT_ROW(VECTOR, "scale", .count = 3, .apart = true, .form = "number or three", .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_LENGTH, .fallback = "1", .meaning = "of the mesh, to metres: 0.001 for millimetres"),
    TACT_ROW(INTEGER, "vertices", .offset = offsetof(shape_entry, vertices), .range = TACT_RANGE_WITHIN(4, TACT_HULL_VERTICES),
             .fallback = "64", .meaning = "maximum for the hull of a mesh, chosen for the largest hull"),
    TACT_ROW(NUMBER, "round", .offset = offsetof(shape_entry, round), .range = TACT_RANGE_FROM(0), .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "radius of a ball that is added all around the hull [m]"),
    {0}};

const tact_key tact_scene_grid_keys[] = {
    TACT_ROW(
        OTHER, "file", .required = true, .form = "path",
        .meaning =
            "a .npy of float64, float32 or int16 with three axes, as tact convert --sdf writes it, from the scene file's folder"),
    TACT_ROW(VECTOR, "low", .required = true, .count = 3, .offset = offsetof(shape_entry, grid.low), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .meaning = "place of its first number [m]"),
    TACT_ROW(NUMBER, "step", .required = true, .offset = offsetof(shape_entry, grid.step), .range = TACT_RANGE_FROM(1e-6),
             .most = TACT_MOST_LENGTH, .meaning = "between its numbers [m]"),
    TACT_ROW(NUMBER, "scale", .offset = offsetof(shape_entry, grid.scale), .range = TACT_RANGE_FROM(1e-12),
             .most = TACT_MOST_LENGTH, .fallback = "1; int16 must have it", .meaning = "of its numbers, to metres"),
    TACT_ROW(NUMBER, "round", .offset = offsetof(shape_entry, round), .range = TACT_RANGE_FROM(0), .most = TACT_MOST_LENGTH,
             .fallback = "0", .meaning = "radius of a ball that is added all around [m]"),
    TACT_ROW(INTEGER, "samples", .offset = offsetof(shape_entry, shape.samples), .range = TACT_RANGE_WITHIN(8, 4096),
             .fallback = "256",
             .meaning = "points of its surface that touch planes, boxes, hulls, cylinders, ellipsoids and grids"),
    {0}};

const tact_key *tact_scene_keys_of_shape(tact_shape_type type) {
    // no default: the compiler names a type that is missing
    switch (type) {
    case TACT_SHAPE_SPHERE: return tact_scene_sphere_keys;
    case TACT_SHAPE_PLANE: return tact_scene_plane_keys;
    case TACT_SHAPE_CAPSULE: return tact_scene_capsule_keys;
    case TACT_SHAPE_BOX: return tact_scene_box_keys;
    case TACT_SHAPE_CYLINDER: return tact_scene_cylinder_keys;
    case TACT_SHAPE_ELLIPSOID: return tact_scene_ellipsoid_keys;
    case TACT_SHAPE_HULL: return tact_scene_hull_keys;
    case TACT_SHAPE_GRID: return tact_scene_grid_keys;
    case TACT_SHAPE_CIRCLE: return tact_scene_circle_keys;
    case TACT_SHAPE_RECTANGLE: return tact_scene_rectangle_keys;
    case TACT_SHAPE_POLYGON: return tact_scene_polygon_keys;
    case TACT_SHAPE_HALFPLANE: return tact_scene_halfplane_keys;
    case TACT_SHAPE_UNION: return tact_scene_union_keys;
    case TACT_SHAPE_SMOOTH_UNION: return tact_scene_smooth_union_keys;
    }
    return NULL;
}

static void set_box(const tact_json *json, int node, shape_entry *entry) {
    tact_real least = TACT_MAX, *half = entry->shape.size;
    for (int k = 0; k < 3; k++) {
        half[k] = entry->size[k] / 2;
        if (half[k] < least) least = half[k];
    }
    half[3] = entry->round;
    if (!(entry->round > least)) return;
    tact_json_refuse(json, tact_json_find(json, node, "round"), "must be within [0, %s], half the smallest size (found %s)",
                     tact_key_print(least).text, tact_key_print(entry->round).text);
}

// Sets the sizes of a shape in space from its keys, as half lengths.
static void set_sizes(tact_draft *draft, const tact_json *json, int node, shape_entry *entry) {
    tact_real *size = entry->shape.size;
    switch (entry->shape.type) {
    case TACT_SHAPE_SPHERE: size[0] = entry->radius; break;
    case TACT_SHAPE_PLANE: {
        int normal = tact_json_find(json, node, "normal");
        entry->shape.normal = tact_vec3_make(0, 0, 1);
        if (normal >= 0)
            tact_key_read_direction(json, normal, tact_key_find(tact_scene_plane_keys, "normal"), &entry->shape.normal);
        break;
    }
    case TACT_SHAPE_CAPSULE:
    case TACT_SHAPE_CYLINDER:
        size[0] = entry->radius;
        size[1] = entry->length / 2;
        break;
    case TACT_SHAPE_BOX: set_box(json, node, entry); break;
    case TACT_SHAPE_ELLIPSOID:
        for (int k = 0; k < 3; k++) size[k] = entry->radii[k];
        break;
    case TACT_SHAPE_HULL:
        size[0] = entry->round;
        tact_scene_read_hull(draft, json, node, entry->vertices, &entry->shape);
        break;
    case TACT_SHAPE_GRID:
        size[0] = entry->round;
        tact_scene_read_grid(draft, json, node, &entry->grid, &entry->shape);
        break;
    case TACT_SHAPE_CIRCLE:
    case TACT_SHAPE_RECTANGLE:
    case TACT_SHAPE_POLYGON:
    case TACT_SHAPE_HALFPLANE:
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION: break;
    }
}

// Reads one shape: the keys of all shapes, then those of its type.
static void read_shape(tact_draft *draft, const tact_json *json, int node, const tact_key *common, tact_draft_shape *shape) {
    shape_entry entry = {.shape = *shape, .type = -1, .grid.scale = 1, .vertices = TACT_HULL_VERTICES};
    entry.shape.samples = 256;
    entry.shape.mark = (tact_draft_mark){.json = json, .node = node};
    if (tact_json_type(json, node) != TACT_JSON_OBJECT) {
        tact_json_refuse(json, node, "expected an object, found %s: {\"type\": ..., ...}",
                         tact_json_kind_name(tact_json_type(json, node)));
    } else {
        tact_keys_read(json, node, common, &entry);
        tact_scene_read_quat(json, node, common, &entry.shape.frame);
        if (entry.type >= 0) {
            entry.shape.type = (tact_shape_type)entry.type;
            // which keys are allowed depends on the type
            const tact_key *keys = tact_scene_keys_of_shape(entry.shape.type);
            tact_keys_check(json, node, common, keys);
            if (tact_shape_is_planar(entry.shape.type))
                tact_scene_read_planar(draft, json, node, &entry.shape);
            else if (tact_keys_read(json, node, keys, &entry))
                set_sizes(draft, json, node, &entry);
        }
    }
    if (entry.shape.body && strcmp(entry.shape.body, TACT_SCENE_WORLD) == 0) entry.shape.body = NULL;
    *shape = entry.shape;
}

void tact_scene_read_shapes(tact_draft *draft, const tact_json *json, int node) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_shape *shape = tact_draft_add_shape(draft);
        if (!shape) return;
        read_shape(draft, json, i, tact_scene_shape_keys, shape);
    }
}

bool tact_scene_read_lone_shape(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape) {
    tact_key keys[sizeof tact_scene_shape_keys / sizeof tact_scene_shape_keys[0]];
    memcpy(keys, tact_scene_shape_keys, sizeof keys);
    keys[0].required = keys[1].required = false;
    int before = json->errors->errors;
    *shape = (tact_draft_shape){.contype = 1, .conaffinity = 1, .mu = -1};
    read_shape(draft, json, node, keys, shape);
    return json->errors->errors == before;
}

// Reads a shape with a pose, by which a distance is measured, and refuses types that have none. A plane's normal becomes its z
// axis.
bool tact_scene_read_placed(tact_draft *draft, const tact_json *json, const char *key, tact_placed_shape *to) {
    int node = tact_json_need(json, 0, key);
    tact_draft_shape from;
    if (node < 0 || !tact_scene_read_lone_shape(draft, json, node, &from)) return false;
    if (from.type > TACT_SHAPE_ELLIPSOID && from.type != TACT_SHAPE_HULL && from.type != TACT_SHAPE_GRID) {
        tact_json_refuse(
            json, tact_json_find(json, node, "type"),
            "%s has no distance from another shape (allowed: sphere, plane, capsule, box, cylinder, ellipsoid, hull, grid)",
            tact_shape_type_names[from.type]);
        return false;
    }
    *to = (tact_placed_shape){.shape = {.body = TACT_WORLD, .type = from.type, .hull = from.hull, .grid = from.grid},
                              .pose = tact_scene_pose(&from.frame)};
    for (int k = 0; k < 4; k++) to->shape.size[k] = from.size[k];
    if (from.type == TACT_SHAPE_PLANE) to->pose = tact_pose_multiply(to->pose, tact_scene_surface(&from));
    return true;
}
