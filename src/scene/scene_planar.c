// SPDX-License-Identifier: MIT
// Planar shapes from JSON: circle, rectangle, polygon, halfplane, union, smooth_union.
#include "math/elementary.h"
#include "scene/build.h"

// what the tables fill
typedef struct {
    tact_real radius, size[2], round, offset, temperature;
    int sides;
} planar_entry;

#define ROUND_KEY                                                                                                       \
    {                                                                                                                   \
        .name = "round", .kind = TACT_KEY_NUMBER, .offset = offsetof(planar_entry, round), .range = TACT_RANGE_FROM(0), \
        .most = TACT_MOST_LENGTH, .fallback = "0",                                                                      \
        .meaning = "corner radius within the shape, at most what its edges allow [m]",                                  \
    }

const tact_key tact_scene_circle_keys[] = {TACT_ROW(NUMBER, "radius", .required = true, .offset = offsetof(planar_entry, radius),
                                                    .range = TACT_RANGE_FROM(0), .most = TACT_MOST_LENGTH,
                                                    .meaning = "[m]; 0 is a point"),
                                           {0}};

const tact_key tact_scene_rectangle_keys[] = {TACT_ROW(VECTOR, "size", .required = true, .count = 2,
                                                       .offset = offsetof(planar_entry, size), .range = TACT_RANGE_ABOVE(0),
                                                       .most = TACT_MOST_LENGTH, .meaning = "full lengths along x, y [m]"),
                                              ROUND_KEY,
                                              {0}};

const tact_key tact_scene_regular_keys[] = {TACT_ROW(INTEGER, "sides", .required = true, .offset = offsetof(planar_entry, sides),
                                                     .range = TACT_RANGE_WITHIN(3, TACT_POLYGON_MAX), .meaning = "how many"),
                                            TACT_ROW(NUMBER, "radius", .required = true, .offset = offsetof(planar_entry, radius),
                                                     .range = TACT_RANGE_ABOVE(0), .most = TACT_MOST_LENGTH,
                                                     .meaning = "of the corners [m]; one edge faces -y"),
                                            {0}};

const tact_key tact_scene_polygon_keys[] = {TACT_ROW(OTHER, "points", .form = "[[x, y], ...]", .range = TACT_RANGE_ANY,
                                                     .most = TACT_MOST_LENGTH,
                                                     .meaning = "3 to 64 corners of a convex polygon, counter-clockwise [m]"),
                                            TACT_ROW(OBJECT, "regular", .keys = tact_scene_regular_keys, .fallback = "points",
                                                     .meaning = "a regular polygon instead of points"),
                                            ROUND_KEY,
                                            {0}};

const tact_key tact_scene_halfplane_keys[] = {TACT_ROW(VECTOR, "normal", .count = 2, .apart = true, .range = TACT_RANGE_ANY,
                                                       .fallback = "0, 1", .meaning = "out of the solid half, of any length"),
                                              TACT_ROW(NUMBER, "offset", .offset = offsetof(planar_entry, offset),
                                                       .range = TACT_RANGE_ANY, .most = TACT_MOST_LENGTH, .fallback = "0",
                                                       .meaning = "of the surface along the unit normal [m]"),
                                              {0}};

const tact_key tact_scene_union_keys[] = {TACT_ROW(OTHER, "of", .required = true, .form = "[name, ...]",
                                                   .meaning = "1 to 64 shapes of the same body, themselves no unions"),
                                          {0}};

const tact_key tact_scene_smooth_union_keys[] = {
    TACT_ROW(OTHER, "of", .required = true, .form = "[name, ...]",
             .meaning = "1 to 64 shapes of the same body, themselves no unions"),
    TACT_ROW(NUMBER, "temperature", .required = true, .offset = offsetof(planar_entry, temperature), .range = TACT_RANGE_ABOVE(0),
             .most = TACT_MOST_LENGTH, .meaning = "T of the distance -T ln sum exp(-distance/T): how far the shapes blend [m]"),
    {0}};

static void refuse_round(const tact_json *json, int node, tact_real most, tact_real found) {
    tact_json_refuse(json, tact_json_find(json, node, "round"), "must be within [0, %s], what the edges allow (found %s)",
                     tact_key_print(most).text, tact_key_print(found).text);
}

static void set_rectangle(const tact_json *json, int node, const planar_entry *entry, tact_draft_shape *shape) {
    shape->size[0] = entry->size[0] / 2;
    shape->size[1] = entry->size[1] / 2;
    shape->size[2] = entry->round;
    tact_real most = tact_min(shape->size[0], shape->size[1]);
    if (entry->round > most) refuse_round(json, node, most, entry->round);
}

static void set_halfplane(const tact_json *json, int node, const planar_entry *entry, tact_draft_shape *shape) {
    const tact_key *key = tact_key_find(tact_scene_halfplane_keys, "normal");
    int normal = tact_json_find(json, node, "normal");
    tact_real n[2] = {0, 1};
    shape->offset = entry->offset;
    if (normal >= 0 && !tact_key_read_numbers(json, normal, key, 2, n)) return;
    if (n[0] == 0 && n[1] == 0) {
        tact_json_refuse(json, normal, "length 0: a direction is needed");
        return;
    }
    shape->normal = tact_key_direction((double[3]){(double)n[0], (double)n[1], 0});
}

// ---- polygons

static tact_real turn_at(const tact_vec2 *point, int count, int i) {
    tact_vec2 a = point[(i + count - 1) % count], b = point[i], c = point[(i + 1) % count];
    return (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
}

// node: of the first point
static bool refuse_twins(const tact_json *json, int node, const tact_vec2 *point, int count) {
    for (int i = 0; i < count; i++, node = tact_json_after(json, node))
        for (int j = 0; j < i; j++) {
            if (point[i].x != point[j].x || point[i].y != point[j].y) continue;
            tact_json_refuse(json, node, "the same point as number %d", j);
            return true;
        }
    return false;
}

// Refuses corners that do not make a convex polygon, counter-clockwise and once around.
static void check_corners(const tact_json *json, int node, const tact_vec2 *point, int count) {
    tact_real area = 0, size = 0;
    for (int i = 0; i < count; i++) {
        // twice the signed area, by triangles from the first corner
        tact_vec2 a = point[i], b = point[(i + 1) % count], e = {a.x - point[0].x, a.y - point[0].y};
        area += e.x * (b.y - point[0].y) - e.y * (b.x - point[0].x);
        size = tact_max(size, tact_max(tact_fabs(e.x), tact_fabs(e.y)));
    }
    if (refuse_twins(json, tact_json_first(json, node), point, count)) return;
    if (tact_fabs(area) <= 16 * TACT_EPS * size * size) {
        tact_json_refuse(json, node, "the points lie on one line: a polygon needs an area");
        return;
    }
    if (area < 0) {
        tact_json_refuse(json, node, "the points go clockwise: list them counter-clockwise");
        return;
    }
    int i = 0, falls = 0;
    for (int at = tact_json_first(json, node); at >= 0; at = tact_json_after(json, at), i++) {
        tact_vec2 a = point[(i + count - 1) % count], b = point[i], c = point[(i + 1) % count];
        // convex: every corner turns left; once around: one corner only begins to rise
        tact_real turn = turn_at(point, count, i);
        falls += (b.y < a.y || (b.y == a.y && b.x < a.x)) && (c.y > b.y || (c.y == b.y && c.x > b.x));
        if (turn > 0) continue;
        tact_json_refuse(
            json, at, turn < 0 ? "not convex: the polygon turns right here" : "no corner: it is on the line of its neighbours");
        return;
    }
    if (falls != 1) tact_json_refuse(json, node, "the points go around more than once");
}

// the largest corner radius that leaves every edge a length
static tact_real find_most_round(const tact_vec2 *point, int count) {
    tact_real most = TACT_MAX;
    for (int i = 0; i < count; i++) {
        tact_real tangents = 0, length = 0;
        for (int end = 0; end < 2; end++) {
            int at = (i + end) % count;
            tact_vec2 a = point[(at + count - 1) % count], b = point[at], c = point[(at + 1) % count];
            tact_vec2 u = {b.x - a.x, b.y - a.y}, v = {c.x - b.x, c.y - b.y};
            tact_real first = tact_sqrt(u.x * u.x + u.y * u.y), second = tact_sqrt(v.x * v.x + v.y * v.y);
            tangents += turn_at(point, count, at) / (first * second + u.x * v.x + u.y * v.y);
            length = end == 0 ? second : first;
        }
        most = tact_min(most, length / tangents);
    }
    return most;
}

// Reads the corners of a polygon. False after reporting, or without memory.
static bool read_points(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape) {
    const tact_key *key = tact_key_find(tact_scene_polygon_keys, "points");
    int count = tact_json_length(json, node), i = 0, errors = json->errors->errors;
    if (count < 3 || count > TACT_POLYGON_MAX) {
        if (count >= 0) tact_json_refuse(json, node, "expected 3 to %d points, found %d", TACT_POLYGON_MAX, count);
        return false;
    }
    tact_vec2 *point = tact_draft_take(draft, (size_t)count * sizeof point[0]);
    if (!point) return false;
    for (int at = tact_json_first(json, node); at >= 0; at = tact_json_after(json, at), i++) {
        tact_real xy[2];
        if (tact_key_read_numbers(json, at, key, 2, xy)) point[i] = (tact_vec2){xy[0], xy[1]};
    }
    if (json->errors->errors > errors) return false;
    // corners of a scene are of a polygon of size 1
    check_corners(json, node, point, count);
    shape->point = point;
    shape->count = count;
    shape->size[0] = 1;
    return json->errors->errors == errors;
}

static tact_real snap(tact_real x) {
    return tact_fabs(x) < 4 * TACT_EPS ? 0 : x;
}

// On the unit circle, the first edge facing -y; the left half mirrors the right one exactly.
static bool read_regular(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape) {
    planar_entry entry = {0};
    if (!tact_keys_check(json, node, tact_scene_regular_keys, NULL)) return false;
    if (!tact_keys_read(json, node, tact_scene_regular_keys, &entry)) return false;
    int count = entry.sides;
    tact_vec2 *point = tact_draft_take(draft, (size_t)count * sizeof point[0]);
    if (!point) return false;
    for (int k = 1; k <= (count + 1) / 2; k++) {
        // corner k at the angle (2 k - 1) pi / n from straight down
        tact_real angle = TACT_REAL(3.141592653589793) * (tact_real)(2 * k - 1) / (tact_real)count, s = 0, c = 0;
        int mirror = (count + 1 - k) % count;
        tact_sincos(angle, &s, &c);
        point[k % count] = (tact_vec2){mirror == k ? 0 : snap(s), snap(-c)};
        point[mirror] = (tact_vec2){-point[k % count].x, point[k % count].y};
    }
    shape->point = point;
    shape->count = count;
    shape->size[0] = entry.radius;
    shape->regular = true;
    return true;
}

// Reads a polygon, by "points" or as "regular", and its rounding, which must not exceed what its corners have room for.
static void set_polygon(tact_draft *draft, const tact_json *json, int node, const planar_entry *entry, tact_draft_shape *shape) {
    int points = tact_json_find(json, node, "points"), regular = tact_json_find(json, node, "regular");
    if (points >= 0 && regular >= 0) {
        tact_json_refuse(json, regular, "\"points\" and \"regular\" exclude each other");
        return;
    }
    if (points < 0 && regular < 0) {
        tact_json_refuse(json, node, "\"points\" or \"regular\" is missing");
        return;
    }
    bool good = points >= 0 ? read_points(draft, json, points, shape) : read_regular(draft, json, regular, shape);
    shape->size[1] = entry->round;
    if (!good) return;
    tact_real most = shape->size[0] * find_most_round(shape->point, shape->count);
    if (entry->round > most) refuse_round(json, node, most, entry->round);
}

// ---- unions

// names only: tact_scene_resolve_shapes finds the members
static void set_union(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape) {
    int list = tact_json_find(json, node, "of"), count = list >= 0 ? tact_json_length(json, list) : -1, i = 0;
    if (count == 0 || count > TACT_POLYGON_MAX)
        tact_json_refuse(json, list, "expected 1 to %d names, found %d", TACT_POLYGON_MAX, count);
    if (count <= 0 || count > TACT_POLYGON_MAX) return;
    shape->of = tact_draft_take(draft, (size_t)count * sizeof shape->of[0]);
    shape->member = tact_draft_take(draft, (size_t)count * sizeof shape->member[0]);
    if (!shape->of || !shape->member) return;
    for (int at = tact_json_first(json, list); at >= 0; at = tact_json_after(json, at), i++) {
        shape->of[i] = tact_key_read_name(json, at);
        shape->member[i] = 0;
    }
    shape->count = count;
}

// Checks the keys of a planar shape, and reads its sizes by its type.
void tact_scene_read_planar(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape) {
    const tact_key *keys = tact_scene_keys_of_shape(shape->type);
    planar_entry entry = {0};
    shape->normal = tact_vec3_make(0, 1, 0);
    if (!tact_keys_read(json, node, keys, &entry)) return;
    switch (shape->type) {
    case TACT_SHAPE_CIRCLE: shape->size[0] = entry.radius; break;
    case TACT_SHAPE_RECTANGLE: set_rectangle(json, node, &entry, shape); break;
    case TACT_SHAPE_POLYGON: set_polygon(draft, json, node, &entry, shape); break;
    case TACT_SHAPE_HALFPLANE: set_halfplane(json, node, &entry, shape); break;
    case TACT_SHAPE_UNION:
    case TACT_SHAPE_SMOOTH_UNION:
        shape->size[0] = entry.temperature;
        set_union(draft, json, node, shape);
        break;
    case TACT_SHAPE_SPHERE:
    case TACT_SHAPE_PLANE:
    case TACT_SHAPE_CAPSULE:
    case TACT_SHAPE_BOX:
    case TACT_SHAPE_CYLINDER:
    case TACT_SHAPE_ELLIPSOID:
    case TACT_SHAPE_HULL:
    case TACT_SHAPE_GRID: break;
    }
}
