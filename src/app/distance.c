// SPDX-License-Identifier: MIT
// tact distance: signed distances of two shapes, one pair a line.

#include <math.h>

#include "app/records.h"

static const char help[] =
    "Each line of FILE (standard input without one) is two shapes, as in a scene, with their poses in one frame:\n"
    "  "
    "{\"id\":1,\"a\":{\"type\":\"box\",\"size\":[1,1,1],\"xyz\":[0,0,0],\"rpy\":[0,0,0]},\"b\":{\"type\":\"sphere\",\"radius\":0."
    "5}}\n"
    "type is sphere, plane, capsule, box, cylinder, ellipsoid, hull or grid (of a file), not two planes. name serves as id,\n"
    "other keys are ignored. Each answer is a line\n"
    "  "
    "{\"id\":1,\"gap\":g,\"a\":[x,y,z],\"b\":[x,y,z],\"normal\":[x,y,z],\"contacts\":[{\"gap\":..,\"point\":[..],\"normal\":[..]}"
    "]}\n"
    "a and b are the nearest points of the two and the normal points from a to b: b = a + gap normal. If the shapes overlap\n"
    "the gap is minus the penetration depth: a translation of b by it along the normal separates the shapes. contacts is the\n"
    "patch: the corners of boxes and hulls and ends of capsules that are as near to the other shape as the nearest points\n"
    "(to a millionth of the shapes' size), where there are several, else the nearest points alone. point is in the middle of\n"
    "the gap. A line that cannot be used is answered by {\"id\":1,\"error\":\"reason\"}; exit code 1 then.\n"
    "\n"
    "With --derivatives: \"gradient\":[6] and \"hessian\":[36], row by row, of the gap by the pose of b: a rotation about the\n"
    "origin of its frame (a rotation vector in the common frame) and a translation. The Hessian is null if more than the\n"
    "rounding of the shapes (the radius of a capsule, round of a box) overlaps, unless one is a sphere or a plane.\n"
    "\n"
    "examples:\n"
    "  echo '{\"a\":{\"type\":\"plane\"},\"b\":{\"type\":\"capsule\",\"radius\":0.1,\"length\":1,\"xyz\":[0,0,1]}}' | tact "
    "distance\n"
    "  tact distance pairs.jsonl --derivatives > answers.jsonl\n";

static void add_vector(tact_text *out, const char *key, tact_vec3 x) {
    const tact_real xyz[3] = {x.x, x.y, x.z};
    tact_record_add_numbers(out, key, xyz, 3);
}

static void add_contact(tact_text *out, bool first, tact_real gap, tact_vec3 point, tact_vec3 normal) {
    tact_text_print(out, "%-s%g", first ? "{\"gap\":" : ",{\"gap\":", (double)gap);
    add_vector(out, "point", point);
    add_vector(out, "normal", normal);
    tact_text_add(out, "}");
}

enum { CORNERS = TACT_HULL_VERTICES };

// The balls at the corners of a box or a hull and a capsule's ends, in its frame; their number.
static int list_corners(const tact_shape *shape, tact_vec3 *corner, tact_real *radius) {
    const tact_real *size = shape->size;
    *radius = shape->type == TACT_SHAPE_BOX ? size[3] : size[0];
    for (int k = 0; shape->type == TACT_SHAPE_BOX && k < 8; k++)
        corner[k] = tact_vec3_make((k & 1 ? 1 : -1) * (size[0] - size[3]), (k & 2 ? 1 : -1) * (size[1] - size[3]),
                                   (k & 4 ? 1 : -1) * (size[2] - size[3]));
    for (int k = 0; shape->type == TACT_SHAPE_CAPSULE && k < 2; k++) corner[k] = tact_vec3_make(0, 0, (k ? 1 : -1) * size[1]);
    for (int k = 0; shape->type == TACT_SHAPE_HULL && k < shape->hull->nvertex; k++) corner[k] = shape->hull->vertex[k];
    if (shape->type == TACT_SHAPE_HULL) return shape->hull->nvertex;
    return shape->type == TACT_SHAPE_BOX ? 8 : shape->type == TACT_SHAPE_CAPSULE ? 2 : 0;
}

typedef struct {
    tact_real gap[2 * CORNERS];
    tact_vec3 point[2 * CORNERS], normal[2 * CORNERS];
    int count;
} patch;

// The corners of one shape that are as near to the other shape as the nearest points.
static void find_patch(const tact_placed_shape *own, const tact_placed_shape *other, tact_real sign, const tact_pair_distance *at,
                       patch *found) {
    tact_vec3 corner[CORNERS];
    tact_real radius = 0, near = 0;
    int count = list_corners(&own->shape, corner, &radius);
    // how large the shape is
    for (int k = 0; k < 3; k++) near = near > own->shape.size[k] ? near : own->shape.size[k];
    for (int k = 0; k < count; k++) {
        tact_real length = (tact_real)sqrt((double)tact_vec3_dot(corner[k], corner[k]));
        near = near > length ? near : length;
    }
    for (int k = 0; k < count; k++) {
        tact_vec3 x = tact_pose_apply(own->pose, corner[k]);
        // the corner in the other's frame
        tact_vec3 y = tact_mat3_apply_transposed(other->pose.R, tact_vec3_sub(x, other->pose.p));
        tact_distance d = tact_shape_distance(&other->shape, y);
        tact_vec3 outward = tact_mat3_apply(other->pose.R, d.gradient);
        tact_real gap = d.value - radius, away = gap - at->gap;
        // as near as the nearest point, to a millionth of the size
        if (away > near * TACT_REAL(1e-6) || -away > near * TACT_REAL(1e-6)) continue;
        found->gap[found->count] = gap;
        found->normal[found->count] = tact_vec3_scale(sign, outward);
        found->point[found->count++] = tact_vec3_add_scaled(x, -radius - gap / 2, outward);
    }
}

// Gap, and gradient (6) and Hessian (6, 6) by the motion of b
typedef struct {
    tact_pair_distance at;
    tact_real gradient[6], hessian[36];
    bool whole;  // the Hessian is meant
} measured;

static bool measure(const tact_placed_shape *a, const tact_placed_shape *b, bool derivatives, measured *m) {
    if (!tact_shape_pair_distance(&a->shape, &a->pose, &b->shape, &b->pose, &m->at)) return false;
    m->whole =
        derivatives && tact_shape_pair_derivatives(&a->shape, &a->pose, &b->shape, &b->pose, &m->at, m->gradient, m->hessian);
    return true;
}

// Time of a measurement [ns], the least mean of some passes.
static double find_time(const tact_placed_shape *a, const tact_placed_shape *b, bool derivatives) {
    double least = 1;
    measured m;
    for (int pass = 0; pass < 20; pass++) {
        const double begin = tact_clock();
        double spent = 0;
        int count = 0;
        for (; spent < 1e-3; spent = tact_clock() - begin, count += 64)
            for (int k = 0; k < 64; k++) measure(a, b, derivatives, &m);
        least = fmin(least, spent / count);
    }
    return 1e9 * least;
}

typedef struct {
    bool derivatives, time;
} distance_options;

static bool answer_pair(const distance_options *asked, const tact_json *json, const tact_placed_shape *a,
                        const tact_placed_shape *b, tact_text *out) {
    measured m;
    if (!measure(a, b, asked->derivatives, &m)) {
        tact_json_refuse(json, tact_json_find(json, 0, "b"), "two planes have no distance");
        return false;
    }
    const tact_pair_distance at = m.at;
    tact_record_begin(json, out);
    tact_text_print(out, "\"gap\":%g", (double)at.gap);
    add_vector(out, "a", at.point_a);
    add_vector(out, "b", at.point_b);
    add_vector(out, "normal", at.normal);
    // Contacts of the patch, where both faces lie on each other
    patch found = {.count = 0};
    find_patch(b, a, 1, &at, &found);
    find_patch(a, b, -1, &at, &found);
    tact_text_add(out, ",\"contacts\":[");
    if (found.count < 2)
        add_contact(out, true, at.gap, tact_vec3_scale(TACT_REAL(0.5), tact_vec3_add(at.point_a, at.point_b)), at.normal);
    for (int k = 0; found.count >= 2 && k < found.count; k++)
        add_contact(out, k == 0, found.gap[k], found.point[k], found.normal[k]);
    tact_text_add(out, "]");
    if (asked->derivatives) tact_record_add_numbers(out, "gradient", m.gradient, 6);
    if (m.whole) tact_record_add_numbers(out, "hessian", m.hessian, 36);
    if (asked->derivatives && !m.whole) tact_text_add(out, ",\"hessian\":null");
    if (asked->time) tact_text_print(out, ",\"ns\":%g", floor(find_time(a, b, asked->derivatives) + 0.5));
    tact_text_add(out, "}");
    return true;
}

static bool answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors) {
    // the hulls are in the draft's memory
    tact_draft draft = {.errors = errors};
    tact_placed_shape a, b;
    bool good = tact_scene_read_placed(&draft, json, "a", &a);
    good = tact_scene_read_placed(&draft, json, "b", &b) && good;
    good = good && answer_pair(context, json, &a, &b, out);
    tact_draft_free(&draft);
    return good;
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0);
    distance_options asked = {tact_call_value(call, "--derivatives") != NULL, tact_call_value(call, "--time") != NULL};
    tact_records records = {.context = &asked,
                            .form = "{\"a\": {\"type\": ...}, \"b\": {\"type\": ...}}",
                            .wanted = "lines of pairs of shapes",
                            .answer = answer,
                            .refuse = tact_record_add_error};
    return tact_records_run(&records, path ? path : "-");
}

static const tact_call_option options[] = {{"--derivatives", NULL, "gradient and Hessian of the gap by the pose of b"},
                                           {"--time", NULL, "how many nanoseconds that takes, as \"ns\""},
                                           {0}};

const tact_subcommand tact_distance_command = {.name = "distance",
                                               .operands = "[FILE]",
                                               .summary = "Signed distances of two shapes, one pair a line.",
                                               .help = help,
                                               .options = options,
                                               .most = 1,
                                               .run = run};
