// SPDX-License-Identifier: MIT
// Field numbers follow foxglove's .proto files: message by message, the numbers count up from 1 in the order of `messages`.
#include "view/draw_parts.h"

#include <string.h>

#include "math/elementary.h"
#include "view/protobuf.h"

typedef struct {
    const char *name;
    const char *fields;   // "name type" in the order of their numbers, apart by commas; * : repeated
    const char *choices;  // of its enum Type, from 0
} message;

// lower case: a type of the format; d duration, t time stamp
static const message messages[] = {
    {"Vector3", "x double,y double,z double", NULL},
    {"Point3", "x double,y double,z double", NULL},
    {"Quaternion", "x double,y double,z double,w double", NULL},
    {"Pose", "position Vector3,orientation Quaternion", NULL},
    {"Color", "r double,g double,b double,a double", NULL},
    {"KeyValuePair", "key string,value string", NULL},
    {"ArrowPrimitive", "pose Pose,shaft_length double,shaft_diameter double,head_length double,head_diameter double,color Color",
     NULL},
    {"CubePrimitive", "pose Pose,size Vector3,color Color", NULL},
    {"SpherePrimitive", "pose Pose,size Vector3,color Color", NULL},
    {"CylinderPrimitive", "pose Pose,size Vector3,bottom_scale double,top_scale double,color Color", NULL},
    {"LinePrimitive",
     "type Type,pose Pose,thickness double,scale_invariant bool,*points Point3,color Color,*colors Color,*indices fixed32",
     "LINE_STRIP,LINE_LOOP,LINE_LIST"},
    {"TriangleListPrimitive", "pose Pose,*points Point3,color Color,*colors Color,*indices fixed32", NULL},
    {"TextPrimitive", "pose Pose,billboard bool,font_size double,scale_invariant bool,color Color,text string", NULL},
    {"ModelPrimitive", "pose Pose,scale Vector3,color Color,override_color bool,url string,media_type string,data bytes", NULL},
    {"SceneEntityDeletion", "timestamp timestamp,type Type,id string", "MATCHING_ID,ALL"},
    {"SceneEntity",
     "timestamp timestamp,frame_id string,id string,lifetime duration,frame_locked bool,*metadata KeyValuePair,"
     "*arrows ArrowPrimitive,*cubes CubePrimitive,*spheres SpherePrimitive,*cylinders CylinderPrimitive,"
     "*lines LinePrimitive,*triangles TriangleListPrimitive,*texts TextPrimitive,*models ModelPrimitive",
     NULL},
    {"SceneUpdate", "*deletions SceneEntityDeletion,*entities SceneEntity", NULL},
    {"FrameTransform", "timestamp timestamp,parent_frame_id string,child_frame_id string,translation Vector3,rotation Quaternion",
     NULL},
    {"FrameTransforms", "*transforms FrameTransform", NULL},
};

// the numbers that are written below
enum { ENTITIES = 2, ARROWS = 7, CUBES = 8, SPHERES = 9, CYLINDERS = 10, TRIANGLES = 12, NAME_MOST = 64 };

// One word of a list, up to the character that ends it.
static const char *copy_word(const char *from, char end, char *word) {
    size_t size = strcspn(from, (const char[]){end, '\0'});
    TACT_ASSERT(size < NAME_MOST);
    memcpy(word, from, size);
    word[size] = '\0';
    return from[size] ? from + size + 1 : from + size;
}

// FieldDescriptorProto: name 1, number 3, label 4 (1 optional, 3 repeated), type 5, type_name 6
static void describe_field(tact_text *out, const char *owner, const char *name, const char *type, int number) {
    static const struct {
        const char *name;
        int type;
        const char *full;
    } types[] = {{"double", 1, ""},
                 {"fixed32", 7, ""},
                 {"bool", 8, ""},
                 {"string", 9, ""},
                 {"bytes", 12, ""},
                 {"timestamp", 11, ".google.protobuf.Timestamp"},
                 {"duration", 11, ".google.protobuf.Duration"}};
    size_t field = tact_protobuf_begin(out, 2);
    bool repeated = *name == '*', own = true;
    tact_protobuf_string(out, 1, repeated ? name + 1 : name);
    tact_protobuf_integer(out, 3, (uint64_t)number);
    tact_protobuf_integer(out, 4, repeated ? 3 : 1);
    // Plain types and times by their numbers; others are messages of our own, or the enumeration within.
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strcmp(types[i].name, type) != 0) continue;
        tact_protobuf_integer(out, 5, (uint64_t)types[i].type);
        tact_protobuf_string(out, 6, types[i].full);
        own = false;
    }
    if (own) {
        bool choice = strcmp(type, "Type") == 0;
        char full[3 * NAME_MOST];
        size_t at = 0;
        const char *const parts[] = {".foxglove.", choice ? owner : "", choice ? "." : "", type};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
            memcpy(full + at, parts[i], strlen(parts[i]) + 1);
            at += strlen(parts[i]);
        }
        tact_protobuf_integer(out, 5, choice ? 14 : 11);
        tact_protobuf_string(out, 6, full);
    }
    tact_protobuf_end(out, field);
}

// Timestamp and Duration: seconds 1 (int64), nanos 2 (int32)
static void describe_time(tact_text *out, const char *file_name, const char *name) {
    static const char *const fields[] = {"seconds", "nanos"};
    // a FileDescriptorProto: name 1, package 2, message_type 4, syntax 12
    size_t file = tact_protobuf_begin(out, 1);
    tact_protobuf_string(out, 1, file_name);
    tact_protobuf_string(out, 2, "google.protobuf");
    size_t place = tact_protobuf_begin(out, 4);
    tact_protobuf_string(out, 1, name);
    for (int i = 0; i < 2; i++) {
        // a FieldDescriptorProto: name 1, number 3, label 4 (optional), type 5 (3 int64, 5 int32)
        size_t field = tact_protobuf_begin(out, 2);
        tact_protobuf_string(out, 1, fields[i]);
        tact_protobuf_integer(out, 3, (uint64_t)i + 1);
        tact_protobuf_integer(out, 4, 1);
        tact_protobuf_integer(out, 5, i == 0 ? 3 : 5);
        tact_protobuf_end(out, field);
    }
    tact_protobuf_end(out, place);
    tact_protobuf_string(out, 12, "proto3");
    tact_protobuf_end(out, file);
}

// FileDescriptorProto: name 1, package 2, dependency 3, message_type 4, syntax 12
void tact_foxglove_describe(tact_text *out) {
    static const char stamp[] = "google/protobuf/timestamp.proto", duration[] = "google/protobuf/duration.proto";
    describe_time(out, stamp, "Timestamp");
    describe_time(out, duration, "Duration");
    size_t file = tact_protobuf_begin(out, 1);
    tact_protobuf_string(out, 1, "foxglove.proto");
    tact_protobuf_string(out, 2, "foxglove");
    tact_protobuf_string(out, 3, stamp);
    tact_protobuf_string(out, 3, duration);
    for (size_t i = 0; i < sizeof messages / sizeof messages[0]; i++) {
        // DescriptorProto: name 1, field 2, enum_type 4; EnumDescriptorProto: name 1, value 2; its values: name 1, number 2
        const message *one = &messages[i];
        size_t place = tact_protobuf_begin(out, 4);
        char name[NAME_MOST], type[NAME_MOST];
        tact_protobuf_string(out, 1, one->name);
        const char *at = one->fields;
        // "name type, name type, ...", numbered from 1.
        for (int number = 1; *at; number++) {
            at = copy_word(copy_word(at, ' ', name), ',', type);
            describe_field(out, one->name, name, type, number);
        }
        if (one->choices) {
            size_t type_place = tact_protobuf_begin(out, 4);
            tact_protobuf_string(out, 1, "Type");
            at = one->choices;
            for (int number = 0; *at; number++) {
                size_t value = tact_protobuf_begin(out, 2);
                at = copy_word(at, ',', name);
                tact_protobuf_string(out, 1, name);
                tact_protobuf_integer(out, 2, (uint64_t)number);
                tact_protobuf_end(out, value);
            }
            tact_protobuf_end(out, type_place);
        }
        tact_protobuf_end(out, place);
    }
    tact_protobuf_string(out, 12, "proto3");
    tact_protobuf_end(out, file);
}

static void add_stamp(tact_text *out, int field, uint64_t time) {
    size_t place = tact_protobuf_begin(out, field);
    tact_protobuf_integer(out, 1, time / 1000000000);
    tact_protobuf_integer(out, 2, time % 1000000000);
    tact_protobuf_end(out, place);
}

static void add_vector(tact_text *out, int field, tact_vec3 x) {
    size_t place = tact_protobuf_begin(out, field);
    tact_protobuf_double(out, 1, (double)x.x);
    tact_protobuf_double(out, 2, (double)x.y);
    tact_protobuf_double(out, 3, (double)x.z);
    tact_protobuf_end(out, place);
}

static void add_turn(tact_text *out, int field, tact_mat3 R) {
    tact_quat q = tact_quat_from_matrix(R);
    size_t place = tact_protobuf_begin(out, field);
    tact_protobuf_double(out, 1, (double)q.x);
    tact_protobuf_double(out, 2, (double)q.y);
    tact_protobuf_double(out, 3, (double)q.z);
    tact_protobuf_double(out, 4, (double)q.w);
    tact_protobuf_end(out, place);
}

static void add_pose(tact_text *out, tact_pose pose) {
    size_t place = tact_protobuf_begin(out, 1);
    add_vector(out, 1, pose.p);
    add_turn(out, 2, pose.R);
    tact_protobuf_end(out, place);
}

static void add_colour(tact_text *out, int field, const tact_material *material) {
    size_t place = tact_protobuf_begin(out, field);
    tact_protobuf_double(out, 1, material->r / 255.0);
    tact_protobuf_double(out, 2, material->g / 255.0);
    tact_protobuf_double(out, 3, material->b / 255.0);
    tact_protobuf_double(out, 4, material->opacity);
    tact_protobuf_end(out, place);
}

void tact_foxglove_add_transforms(const tact_picture *picture, const tact_trace_header *header, uint64_t time, tact_text *out) {
    for (int b = 0; b < header->nbody; b++) {
        size_t transform = tact_protobuf_begin(out, 1);
        tact_pose pose = tact_picture_pose(picture, b, tact_pose_identity());
        add_stamp(out, 1, time);
        tact_protobuf_string(out, 2, "world");
        tact_protobuf_string(out, 3, header->body[b]);
        add_vector(out, 4, pose.p);
        add_turn(out, 5, pose.R);
        tact_protobuf_end(out, transform);
    }
}

// A cube, sphere or cylinder that fills a box of that size.
static void add_solid(tact_text *out, int kind, tact_pose pose, tact_vec3 size, const tact_material *material) {
    size_t place = tact_protobuf_begin(out, kind);
    add_pose(out, pose);
    add_vector(out, 2, size);
    for (int end = 3; end <= 4 && kind == CYLINDERS; end++) tact_protobuf_double(out, end, 1);
    add_colour(out, kind == CYLINDERS ? 5 : 3, material);
    tact_protobuf_end(out, place);
}

static void add_ball(tact_text *out, tact_vec3 at, tact_real radius, const tact_material *material) {
    tact_pose pose = tact_pose_identity();
    pose.p = at;
    add_solid(out, SPHERES, pose, tact_vec3_make(2 * radius, 2 * radius, 2 * radius), material);
}

// A frame whose axis k is along x.
static tact_mat3 frame_along(tact_vec3 x, int k) {
    tact_mat3 rows = tact_frame_from_normal(x), R = tact_mat3_identity();
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < 3; i++) R.m[i][(k + axis) % 3] = rows.m[axis][i];
    return R;
}

static void add_capsule(tact_text *out, tact_vec3 a, tact_vec3 b, tact_real radius, const tact_material *material) {
    tact_vec3 along = tact_vec3_sub(b, a);
    tact_real length = tact_sqrt(tact_vec3_dot(along, along));
    add_ball(out, a, radius, material);
    if (length <= 0) return;
    add_ball(out, b, radius, material);
    tact_pose pose = {frame_along(tact_vec3_scale(1 / length, along), 2), tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(a, b))};
    add_solid(out, CYLINDERS, pose, tact_vec3_make(2 * radius, 2 * radius, length), material);
}

static void add_hull(tact_text *out, const tact_picture_shape *shape, const tact_material *material) {
    const tact_vec3 *corner = shape->corner;
    // Faces as fans of triangles; corner: all faces, one behind the other.
    size_t place = tact_protobuf_begin(out, TRIANGLES);
    add_pose(out, shape->place);
    for (int f = 0; f < shape->nface; corner += shape->face[f++]) {
        for (int k = 2; k < shape->face[f]; k++) {
            add_vector(out, 2, corner[0]);
            add_vector(out, 2, corner[k - 1]);
            add_vector(out, 2, corner[k]);
        }
    }
    add_colour(out, 3, material);
    tact_protobuf_end(out, place);
    // the rounding: capsules along all edges
    corner = shape->corner;
    for (int f = 0; f < shape->nface && shape->size[0] > 0; corner += shape->face[f++]) {
        for (int k = 0; k < shape->face[f]; k++)
            add_capsule(out, tact_pose_apply(shape->place, corner[k]),
                        tact_pose_apply(shape->place, corner[(k + 1) % shape->face[f]]), shape->size[0], material);
    }
}

// A polygon of the x-y plane, to be seen from both sides.
static void add_polygon(tact_text *out, const tact_picture_shape *shape, const tact_material *material) {
    size_t place = tact_protobuf_begin(out, TRIANGLES);
    add_pose(out, shape->place);
    for (int k = 2; k < shape->npoint; k++) {
        int order[6] = {0, k - 1, k, 0, k, k - 1};
        for (int i = 0; i < 6; i++) add_vector(out, 2, tact_vec3_make(shape->point[order[i]].x, shape->point[order[i]].y, 0));
    }
    add_colour(out, 3, material);
    tact_protobuf_end(out, place);
}

// What has no end is drawn as a slab that reaches so far; axis: of the normal.
static void add_slab(tact_text *out, tact_pose pose, int axis, double reach, const tact_material *material) {
    tact_real size[3] = {(tact_real)(2 * reach), (tact_real)(2 * reach), (tact_real)(2 * reach)},
              thick = (tact_real)(reach / 200);
    size[axis] = thick;
    pose.p = tact_vec3_add_scaled(pose.p, -thick / 2, tact_mat3_column(pose.R, axis));
    add_solid(out, CUBES, pose, tact_vec3_make(size[0], size[1], size[2]), material);
}

// Adds a shape as the primitives of a SceneEntity; planes as slabs of half width `reach`.
static void add_shape(tact_text *out, const tact_picture_shape *shape, double reach, const tact_material *material) {
    const tact_real *h = shape->size;
    tact_vec3 along = tact_vec3_scale(h[1], tact_mat3_column(shape->place.R, 2));
    switch (shape->figure) {
    case TACT_FIGURE_NONE: return;
    case TACT_FIGURE_PLANE: add_slab(out, shape->place, 2, reach, material); return;
    case TACT_FIGURE_HALFPLANE: add_slab(out, shape->place, 1, reach, material); return;
    case TACT_FIGURE_BALL: add_ball(out, shape->place.p, h[0], material); return;
    case TACT_FIGURE_CAPSULE:
        add_capsule(out, tact_vec3_sub(shape->place.p, along), tact_vec3_add(shape->place.p, along), h[0], material);
        return;
    case TACT_FIGURE_BOX: add_solid(out, CUBES, shape->place, tact_vec3_make(2 * h[0], 2 * h[1], 2 * h[2]), material); return;
    case TACT_FIGURE_CYLINDER:
        add_solid(out, CYLINDERS, shape->place, tact_vec3_make(2 * h[0], 2 * h[0], 2 * h[1]), material);
        return;
    case TACT_FIGURE_ELLIPSOID:
        add_solid(out, SPHERES, shape->place, tact_vec3_make(2 * h[0], 2 * h[1], 2 * h[2]), material);
        return;
    case TACT_FIGURE_RECTANGLE:
        add_solid(out, CUBES, shape->place, tact_vec3_make(2 * h[0], 2 * h[1], h[0] < h[1] ? h[0] : h[1]), material);
        return;
    case TACT_FIGURE_POLYGON: add_polygon(out, shape, material); return;
    case TACT_FIGURE_HULL: add_hull(out, shape, material); return;
    }
}

// An entity without shapes replaces an earlier one of its name.
static size_t begin_entity(tact_text *out, const char *frame, const char *name, uint64_t time) {
    size_t entity = tact_protobuf_begin(out, ENTITIES);
    add_stamp(out, 1, time);
    tact_protobuf_string(out, 2, frame);
    tact_protobuf_string(out, 3, name);
    tact_protobuf_integer(out, 5, 1);
    return entity;
}

void tact_foxglove_add_shapes(const tact_picture *picture, const tact_trace_header *header, double reach, uint64_t time,
                              tact_text *out) {
    for (int b = TACT_WORLD; b < header->nbody; b++) {
        const char *name = b < 0 ? "world" : header->body[b];
        // One entity a body, in the body's frame.
        size_t entity = begin_entity(out, name, name, time);
        for (int s = 0; s < picture->nshape; s++)
            if (picture->shape[s].body == b)
                add_shape(out, &picture->shape[s], reach, tact_draw_material(picture, &picture->shape[s]));
        for (int l = 0; l < picture->nlimb; l++) {
            const tact_limb *limb = &picture->limb[l];
            if (limb->body == b) add_capsule(out, limb->a, limb->b, limb->radius, &tact_draw_materials[0]);
        }
        tact_protobuf_end(out, entity);
    }
}

void tact_foxglove_add_contacts(const tact_trace_header *header, const tact_trace_step *step, double newton, uint64_t time,
                                tact_text *out) {
    static const tact_material arrow = {235, 110, 30, 0, 1};
    size_t entity = begin_entity(out, "world", "contacts", time);
    for (int i = 0; i < step->ncontact; i++) {
        const tact_trace_contact *contact = &step->contact[i];
        const tact_pair *pair = &header->pair[contact->pair];
        tact_real force = tact_sqrt(tact_vec3_dot(contact->force, contact->force));
        double length = (double)force * newton;
        // KeyValuePair: which shapes they are, for the inspector
        size_t about = tact_protobuf_begin(out, 6);
        tact_protobuf_string(out, 1, header->shape[pair->a]);
        tact_protobuf_string(out, 2, header->shape[pair->b]);
        tact_protobuf_end(out, about);
        if (!(length > 1e-4)) continue;
        size_t place = tact_protobuf_begin(out, ARROWS);
        add_pose(out, (tact_pose){frame_along(tact_vec3_scale(1 / force, contact->force), 0), contact->point});
        tact_protobuf_double(out, 2, 0.75 * length);
        tact_protobuf_double(out, 3, 0.0015);
        tact_protobuf_double(out, 4, 0.25 * length);
        tact_protobuf_double(out, 5, 0.004);
        add_colour(out, 6, &arrow);
        tact_protobuf_end(out, place);
    }
    tact_protobuf_end(out, entity);
}
