// SPDX-License-Identifier: MIT
// Which shapes may touch: a list, or all shapes of different bodies that have contacts.
#include <stdlib.h>
#include <string.h>

#include "contact/search.h"
#include "scene/build.h"

#define LOOKS_MAX 100000000  // pairs of shapes that "auto" looks at
#define CONTACTS_MOST 3      // of two shapes

typedef struct {
    const char *a, *b;
    tact_real mu, restitution;
} pair_entry;

const tact_key tact_scene_pair_keys[] = {
    TACT_ROW(NAME, "a", .required = true, .offset = offsetof(pair_entry, a),
             .meaning =
                 "a shape; under the laws barrier and rigid one of the two is a sphere, circle, capsule or grid, or both are of "
                 "plane, box, hull, cylinder and ellipsoid, but not two planes; under virtual any two planar shapes"),
    TACT_ROW(NAME, "b", .required = true, .offset = offsetof(pair_entry, b),
             .meaning = "a shape of another body; normals point from a to b"),
    TACT_ROW(NUMBER, "mu", .offset = offsetof(pair_entry, mu), .range = TACT_RANGE_WITHIN(0, 10), .fallback = "the scene's",
             .meaning = "Coulomb friction"),
    TACT_ROW(NUMBER, "restitution", .offset = offsetof(pair_entry, restitution), .range = TACT_RANGE_WITHIN(0, 1),
             .fallback = "the scene's", .meaning = "of impacts (law \"rigid\")"),
    {0}};

// a set of unordered pairs of numbers >= -1
typedef struct {
    uint64_t *keys;  // (2^bits) 0: free
    int *values;     // (2^bits)
    int bits;
    uint64_t salt;  // which whoever writes a file cannot know
} pair_set;

static bool make_set(pair_set *set, tact_draft *draft, int most) {
    *set = (pair_set){.bits = 4};
    while ((int64_t)1 << set->bits < 2 * (int64_t)most) set->bits++;
    size_t count = (size_t)1 << set->bits;
    set->keys = tact_draft_take(draft, count * sizeof set->keys[0]);
    set->values = tact_draft_take(draft, count * sizeof set->values[0]);
    if (!set->keys || !set->values) return false;
    memset(set->keys, 0, count * sizeof set->keys[0]);
    set->salt = (uint64_t)(uintptr_t)set->keys;
    return true;
}

// numbers from -1
static uint64_t make_key(int a, int b) {
    uint64_t low = (uint64_t)(a < b ? a : b) + 2, high = (uint64_t)(a < b ? b : a) + 2;
    return high << 32 | low;
}

// the slot of a key, or the free one where it would be
static size_t find_slot(const pair_set *set, uint64_t key) {
    uint64_t mixed = (key + set->salt) * 0x9e3779b97f4a7c15u, mask = ((uint64_t)1 << set->bits) - 1;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(mixed >> (64 - set->bits));
    while (set->keys[i] && set->keys[i] != key) i = (i + 1) & mask;
    return i;
}

static bool in_set(const pair_set *set, int a, int b) {
    return set->keys[find_slot(set, make_key(a, b))] != 0;
}

// the value of the same pair before, -1 when it is new and now in the set
static int add_to_set(pair_set *set, int a, int b, int value) {
    uint64_t key = make_key(a, b);
    size_t i = find_slot(set, key);
    if (set->keys[i]) return set->values[i];
    set->keys[i] = key;
    set->values[i] = value;
    return -1;
}

// of a robot's file
static const tact_key robot_pair_keys[] = {
    TACT_ROW(NAME, "a", .required = true, .offset = offsetof(pair_entry, a)),
    TACT_ROW(NAME, "b", .required = true, .offset = offsetof(pair_entry, b)),
    TACT_ROW(NUMBER, "mu", .offset = offsetof(pair_entry, mu), .range = TACT_RANGE_WITHIN(0, 10)),
    {0}};

int tact_scene_find_shape(const tact_scene_build *build, int node, const char *name) {
    int shape = tact_name_table_find(&build->shapes, 0, name);
    if (shape >= 0 || build->draft.shapes_doubted) return shape;
    tact_nearest nearest = {.word = name};
    for (int i = 0; i < build->draft.nshape && !tact_errors_full(build->errors, TACT_ERROR_REFUSED); i++)
        if (build->draft.shapes[i].name) tact_nearest_try(&nearest, build->draft.shapes[i].name);
    tact_json_refuse(build->json, node, "no shape %s%s", tact_quote(name).text, tact_nearest_hint(&nearest).text);
    return -1;
}

static bool is_union(const tact_scene_build *build, int shape) {
    return tact_shape_is_union(build->draft.shapes[shape].type);
}

// In three dimensions contacts are those of balls and capsules, and of the vertices of boxes and hulls; in a plane of any two
// shapes that are not both without end.
static bool can_touch(const tact_scene_build *build, int a, int b) {
    tact_shape_type first = build->draft.shapes[a].type, second = build->draft.shapes[b].type;
    bool endless = first == TACT_SHAPE_PLANE || first == TACT_SHAPE_HALFPLANE;
    if (build->planar) return !(endless && (second == TACT_SHAPE_PLANE || second == TACT_SHAPE_HALFPLANE));
    if (is_union(build, a) || is_union(build, b)) return false;
    bool ball = tact_shape_is_ball(first) || tact_shape_is_ball(second);
    return ball || first == TACT_SHAPE_CAPSULE || second == TACT_SHAPE_CAPSULE || tact_is_patch(first, second);
}

// Friction of two shapes as MuJoCo has it: that of the higher priority, of equal ones the larger. A shape without its own has the
// scene's; < 0: that is asked for, and there is none.
static tact_real find_friction(const tact_scene_build *build, int a, int b, tact_real mu) {
    const tact_draft_shape *first = &build->draft.shapes[a], *second = &build->draft.shapes[b];
    tact_real one = first->mu < 0 ? mu : first->mu, other = second->mu < 0 ? mu : second->mu;
    if (first->priority != second->priority) return first->priority > second->priority ? one : other;
    if (one < 0 || other < 0) return -1;
    return one > other ? one : other;
}

// The contacts of two shapes that can touch, before vertices take the place of boxes and hulls; their number.
static int list_contacts(const tact_scene_build *build, tact_pair pair, tact_pair *to) {
    tact_shape_type first = build->draft.shapes[pair.a].type, second = build->draft.shapes[pair.b].type;
    int vertex[CONTACTS_MOST] = {0}, count = build->planar ? 0 : tact_touching_places(first, second, vertex);
    // two shapes in a plane, boxes, hulls and grids begin with one
    if (count == 0) count = 1;
    for (int k = 0; k < count; k++) {
        pair.vertex = vertex[k];
        to[k] = pair;
    }
    return count;
}

// Whether two shapes can be a pair. False after saying why, or where a name was refused before.
static bool accept_pair(const tact_scene_build *build, int node, int a, int b) {
    // An unknown name was told when it was looked up.
    if (a < 0 || b < 0) return false;
    if (a == b) {
        tact_json_refuse(build->json, node, "shape %s with itself: a pair is of two shapes",
                         tact_quote(build->draft.shapes[a].name).text);
        return false;
    }
    if (build->shape_body[a] == build->shape_body[b]) {
        int body = build->shape_body[a];
        // a shape whose body is unknown, which was reported, counts as the world's
        if (body == TACT_WORLD && build->json->errors->errors > 0) return false;
        tact_json_refuse(build->json, node, "both shapes belong to %s",
                         body == TACT_WORLD ? "the world" : tact_quote(build->draft.bodies[body].name).text);
        return false;
    }
    // No distance function for the two: say why, by law and kind.
    if (can_touch(build, a, b)) return true;
    if (build->planar) {
        tact_json_refuse(build->json, node, "two half-planes have no contact");
    } else if (is_union(build, a) || is_union(build, b)) {
        tact_json_refuse(build->json, node, "law \"%s\": unions touch under the law \"virtual\" only", build->law->name);
    } else {
        tact_json_refuse(
            build->json, node,
            "one of the two must be a sphere, capsule or grid, or a box or hull against a box, hull or plane: else put "
            "spheres (of radius 0: points) at the corners of the other");
    }
    return false;
}

// Friction that a --set or a batch gives all pairs: some of the list keep theirs.
static void doubt_friction(const tact_scene_build *build, int kept, int count) {
    bool set = false;
    for (int i = 0; i < build->settings->nset; i++) {
        const char *path = build->settings->set[i];
        set = set || strncmp(path + (path[0] == '.' || path[0] == '/'), "mu=", 3) == 0;
    }
    const int node = tact_json_find(build->json, 0, "mu");
    if (set && kept > 0 && kept < count)
        tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL,
                         "%d of %d pairs keep friction of their own or of their shapes (--set pairs.A,B.mu=... sets that of "
                         "shapes A and B)",
                         kept, count);
    else if (set && kept > 0)
        tact_draft_doubt(&build->draft, TACT_SCENE_NODE(build, node), NULL,
                         "changes nothing: each pair has its own (--set pairs.A,B.mu=... sets that of shapes A and B)");
}

static bool read_list(tact_scene_build *build, int node, pair_entry defaults) {
    int count = tact_json_length(build->json, node), kept = 0;
    pair_set set;
    if (count > TACT_SCENE_PAIRS_MAX) {
        tact_json_refuse(build->json, node, "%d pairs: more than the limit of %d", count, TACT_SCENE_PAIRS_MAX);
        return true;
    }
    build->pairs = tact_draft_take(&build->draft, (size_t)count * CONTACTS_MOST * sizeof build->pairs[0]);
    if (!build->pairs || !make_set(&set, &build->draft, count)) return false;
    for (int i = tact_json_first(build->json, node); i >= 0; i = tact_json_after(build->json, i)) {
        // A pair of the list
        pair_entry entry = defaults;
        const tact_json *json = build->json;
        const tact_real mu = entry.mu;
        entry.a = entry.b = NULL;
        entry.mu = -1;
        if (!tact_keys_check(json, i, tact_scene_pair_keys, NULL)) continue;
        tact_keys_read(json, i, tact_scene_pair_keys, &entry);
        int a = entry.a ? tact_scene_find_shape(build, tact_json_find(json, i, "a"), entry.a) : -1;
        int b = entry.b ? tact_scene_find_shape(build, tact_json_find(json, i, "b"), entry.b) : -1;
        // The pair's own friction, else that of the two shapes, which the scene's stands in for.
        bool own = tact_json_find(json, i, "mu") >= 0;
        if (!own && a >= 0 && b >= 0) entry.mu = find_friction(build, a, b, mu);
        if (!own && entry.mu < 0 && mu < 0) tact_json_need(json, i, "mu");
        kept += own || entry.mu != mu;
        if (!accept_pair(build, i, a, b)) continue;
        // Listed twice, in either order, would double the force.
        int before = add_to_set(&set, a, b, i);
        if (before >= 0) {
            char path[64] = "";
            tact_json_path(json, before, path, sizeof path);
            tact_json_refuse(json, i, "the same two shapes as in %s: one of them is enough", path);
            continue;
        }
        tact_pair pair = {.a = a, .b = b, .mu = entry.mu, .restitution = entry.restitution};
        build->npair += list_contacts(build, pair, build->pairs + build->npair);
    }
    doubt_friction(build, kept, count);
    return true;
}

// Two names of bodies, NULL for the world; false after reporting.
static bool read_two_names(const tact_json *json, int node, const char *names[2]) {
    int k = 0;
    names[0] = names[1] = NULL;
    if (tact_json_type(json, node) == TACT_JSON_STRING) {
        // the second name of a pair without its brackets says nothing new
        if (!tact_errors_full(json->errors, TACT_ERROR_REFUSED))
            tact_json_refuse(json, node, "expected the names of 2 bodies: [[\"a\", \"b\"], ...]");
        return false;
    }
    if (tact_json_length(json, node) != 2) {
        if (tact_json_type(json, node) == TACT_JSON_ARRAY)
            tact_json_refuse(json, node, "expected the names of 2 bodies, found %d", tact_json_length(json, node));
        return false;
    }
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i)) {
        names[k] = tact_key_read_name(json, i);
        if (!names[k++]) return false;
    }
    for (k = 0; k < 2; k++)
        if (names[k] && strcmp(names[k], TACT_SCENE_WORLD) == 0) names[k] = NULL;
    return true;
}

// Two names where a list of such is wanted: reported once.
static bool refuse_flat(const tact_json *json, int list) {
    int first = tact_json_first(json, list), second = first >= 0 ? tact_json_after(json, first) : -1;
    if (second < 0 || tact_json_type(json, first) != TACT_JSON_STRING || tact_json_type(json, second) != TACT_JSON_STRING)
        return false;
    tact_json_refuse(json, list, "expected a list of pairs: [[%s, %s]]", tact_quote(tact_json_string(json, first)).text,
                     tact_quote(tact_json_string(json, second)).text);
    return true;
}

void tact_scene_read_contacts(tact_draft *draft, const tact_json *json) {
    int list = tact_json_find(json, 0, "exclude"), pairs = tact_json_find(json, 0, "pairs");
    // A value that is not a list was reported, and is read as none.
    if (list >= 0 && !tact_json_expect(json, list, TACT_JSON_ARRAY)) list = -1;
    if (list >= 0 && refuse_flat(json, list)) list = -1;
    if (pairs >= 0 && !tact_json_expect(json, pairs, TACT_JSON_ARRAY)) pairs = -1;
    for (int i = list < 0 ? -1 : tact_json_first(json, list); i >= 0; i = tact_json_after(json, i)) {
        const char *names[2];
        if (!read_two_names(json, i, names)) continue;
        tact_draft_contact *excluded = tact_draft_add_excluded(draft);
        if (!excluded) return;
        excluded->a = names[0];
        excluded->b = names[1];
        excluded->mark = (tact_draft_mark){.json = json, .node = i};
    }
    for (int i = pairs < 0 ? -1 : tact_json_first(json, pairs); i >= 0; i = tact_json_after(json, i)) {
        // -1: the scene's friction, which a robot's file does not know.
        pair_entry entry = {.mu = -1};
        if (!tact_keys_check(json, i, robot_pair_keys, NULL)) continue;
        if (!tact_keys_read(json, i, robot_pair_keys, &entry)) continue;
        tact_draft_contact *pair = tact_draft_add_pair(draft);
        if (!pair) return;
        pair->a = entry.a;
        pair->b = entry.b;
        pair->mu = entry.mu;
        pair->mark = (tact_draft_mark){.json = json, .node = i};
    }
}

// A base that stands on the world, in one piece or several, and the links that joints carry on it: each static body with each
// body of such a link. The world's own shapes stay, as a floor under a leg. How many; without a set they are counted.
static int add_bases(const tact_scene_build *build, pair_set *set) {
    const tact_scene_link *links = build->links;
    int count = 0;
    for (int link = 0; link < build->draft.nbody; link++) {
        int base = links[link].weld == TACT_WORLD ? TACT_WORLD : links[links[link].weld].parent;
        if (base == TACT_WORLD || links[base].weld != TACT_WORLD) continue;
        while (links[base].parent != TACT_WORLD) base = links[base].parent;
        // all that is fixed to the base's first body
        for (int part = 0; part < build->draft.nbody; part++) {
            int root = part;
            if (links[part].weld != TACT_WORLD) continue;
            while (links[root].parent != TACT_WORLD) root = links[root].parent;
            if (root != base) continue;
            if (set) add_to_set(set, part, link, 0);
            count++;
        }
    }
    return count;
}

// "exclude": [["a", "b"], ...] names of bodies, "world" among them
static bool read_excluded(tact_scene_build *build, pair_set *set) {
    const tact_json *json = build->json;
    int list = tact_json_find(json, 0, "exclude");
    if (list >= 0 && tact_json_type(json, list) == TACT_JSON_ARRAY && refuse_flat(json, list)) list = -1;
    int count = list >= 0 ? tact_json_length(json, list) : 0;
    if (!make_set(set, &build->draft, (count > 0 ? count : 0) + build->draft.nexcluded + add_bases(build, NULL))) return false;
    // Fixed bases with their first links, those of the robots' files, then the scene's own.
    add_bases(build, set);
    // Bodies that robots exclude, by their names.
    for (int i = 0; i < build->draft.nexcluded; i++) {
        const tact_draft_contact *excluded = &build->draft.excluded[i];
        int a = excluded->a ? tact_scene_find_body(build, &excluded->mark, NULL, excluded->a) : TACT_WORLD;
        int b = excluded->b ? tact_scene_find_body(build, &excluded->mark, NULL, excluded->b) : TACT_WORLD;
        if ((!excluded->a || a >= 0) && (!excluded->b || b >= 0)) add_to_set(set, a, b, 0);
    }
    for (int i = count > 0 ? tact_json_first(json, list) : -1; i >= 0; i = tact_json_after(json, i)) {
        int bodies[2] = {TACT_WORLD, TACT_WORLD}, k = 0;
        bool good = tact_json_length(json, i) == 2;
        if (!good && tact_json_type(json, i) == TACT_JSON_ARRAY)
            tact_json_refuse(json, i, "expected the names of 2 bodies, found %d", tact_json_length(json, i));
        for (int j = good ? tact_json_first(json, i) : -1; j >= 0; j = tact_json_after(json, j), k++) {
            const char *name = tact_key_read_name(json, j);
            bool world = name && strcmp(name, TACT_SCENE_WORLD) == 0;
            tact_draft_mark mark = {.json = json, .node = j};
            // The world is not in the list of bodies: -1 stands for it.
            bodies[k] = name && !world ? tact_scene_find_body(build, &mark, NULL, name) : TACT_WORLD;
            good = good && name && (world || bodies[k] >= 0);
        }
        if (good) add_to_set(set, bodies[0], bodies[1], 0);
    }
    return true;
}

// what "auto" goes by
typedef struct {
    pair_set excluded, listed;  // bodies, shapes
    const bool *is_part;        // (nshape)
    const int *carrier;         // (nbody) see find_carriers
    pair_entry values;
} auto_rules;

// Whether two shapes are a pair of "auto": not merely parts of a union; neither on bodies that are fixed to each other, nor on
// two such groups that one joint connects, nor excluded, nor of kinds that do not touch.
static bool takes_part(const tact_scene_build *build, const auto_rules *rules, int a, int b) {
    const tact_scene_link *links = build->links;
    int first = build->shape_body[a], second = build->shape_body[b];
    if (rules->is_part[a] || rules->is_part[b]) return false;
    // Kinds and affinities of both shapes, as MuJoCo takes them
    if ((build->draft.shapes[a].contype & build->draft.shapes[b].conaffinity) == 0 &&
        (build->draft.shapes[b].contype & build->draft.shapes[a].conaffinity) == 0)
        return false;
    // Bodies that are fixed to each other count as one.
    int weld = first == TACT_WORLD ? TACT_WORLD : links[first].weld,
        other = second == TACT_WORLD ? TACT_WORLD : links[second].weld;
    if (weld == other || in_set(&rules->listed, a, b)) return false;
    bool joined = weld != TACT_WORLD && other != TACT_WORLD && (rules->carrier[weld] == other || rules->carrier[other] == weld);
    return !joined && !in_set(&rules->excluded, first, second);
}

// the first two shapes that have no contacts, and how many such pairs there are
typedef struct {
    int a, b, count;
} untouching;

// the pairs, counted when there is no room for them
static int visit_all(tact_scene_build *build, const auto_rules *rules, tact_pair *pairs, untouching *apart) {
    int count = 0, nshape = build->draft.nshape;
    const pair_entry *values = &rules->values;
    for (int a = 0; a < nshape && count <= TACT_SCENE_PAIRS_MAX; a++) {
        for (int b = a + 1; b < nshape && count <= TACT_SCENE_PAIRS_MAX; b++) {
            if (!takes_part(build, rules, a, b)) continue;
            if (!can_touch(build, a, b)) {
                // No distance function: counted, the first two kept for the message.
                if (apart->count++ == 0) apart->a = a, apart->b = b;
                continue;
            }
            tact_pair pair = {.a = a, .b = b, .restitution = values->restitution}, own[CONTACTS_MOST];
            pair.mu = find_friction(build, a, b, values->mu);
            count += list_contacts(build, pair, pairs ? pairs + count : own);
        }
    }
    return count;
}

// The pairs that robots list, counted when there is no room for them; one given twice counts once.
static int add_listed(tact_scene_build *build, auto_rules *rules, tact_pair *pairs) {
    int count = 0;
    for (int i = 0; i < build->draft.npair; i++) {
        const tact_draft_contact *from = &build->draft.pairs[i];
        int a = from->a ? tact_name_table_find(&build->shapes, 0, from->a) : -1;
        int b = from->b ? tact_name_table_find(&build->shapes, 0, from->b) : -1;
        if (a < 0 || b < 0) {
            // Messages come with the first pass, which counts.
            const char *name = a < 0 ? from->a : from->b;
            if (name && !pairs) tact_draft_refuse(&build->draft, &from->mark, NULL, "no shape %s", tact_quote(name).text);
        } else if (a == b || build->shape_body[a] == build->shape_body[b]) {
            if (!pairs) tact_draft_refuse(&build->draft, &from->mark, NULL, "a pair is of shapes of two bodies");
        } else if (!can_touch(build, a, b)) {
            // A robot's file may list what another law could touch: a warning.
            if (!pairs)
                tact_draft_warn(&build->draft, &from->mark, NULL, "%s and %s have no contact", tact_quote(from->a).text,
                                tact_quote(from->b).text);
        } else if (pairs ? rules->listed.values[find_slot(&rules->listed, make_key(a, b))] == i
                         : add_to_set(&rules->listed, a, b, i) < 0) {
            tact_pair own[CONTACTS_MOST], pair = {.a = a, .b = b, .mu = from->mu, .restitution = rules->values.restitution};
            if (from->mu < 0) pair.mu = find_friction(build, a, b, rules->values.mu);
            count += list_contacts(build, pair, pairs ? pairs + count : own);
        }
    }
    return count;
}

// (nshape) which shapes a union stands for, in a law that knows unions; NULL when there is no memory
static bool *find_parts(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    bool *is_part = tact_draft_take(draft, (size_t)draft->nshape);
    if (!is_part) return NULL;
    memset(is_part, 0, (size_t)draft->nshape);
    for (int i = 0; build->planar && i < draft->nshape; i++)
        for (int k = 0; draft->shapes[i].member && k < draft->shapes[i].count; k++) is_part[draft->shapes[i].member[k]] = true;
    return is_part;
}

// (nbody) Of the first of bodies that are fixed to each other: the first of those that carry them by a joint. What has neither
// mass nor shape only stands between two joints of one body and is passed over. NULL when there is no memory.
static int *find_carriers(tact_scene_build *build) {
    tact_draft *draft = &build->draft;
    const tact_scene_link *links = build->links;
    int *carrier = tact_draft_take(draft, (size_t)draft->nbody * sizeof carrier[0]);
    bool *solid = tact_draft_take(draft, (size_t)draft->nbody);
    if (!carrier || !solid) return NULL;
    memset(solid, 0, (size_t)draft->nbody);
    for (int i = 0; i < draft->nbody; i++)
        if (draft->bodies[i].mass > 0 && links[i].weld != TACT_WORLD) solid[links[i].weld] = true;
    for (int i = 0; i < draft->nshape; i++) {
        int body = build->shape_body[i];
        if (body != TACT_WORLD && links[body].weld != TACT_WORLD) solid[links[body].weld] = true;
    }
    for (int k = 0; k < draft->nbody; k++) {
        int i = build->order[k], parent = links[i].parent, weld = parent == TACT_WORLD ? TACT_WORLD : links[parent].weld;
        carrier[i] = weld == TACT_WORLD || solid[weld] ? weld : carrier[weld];
    }
    return carrier;
}

// Room for the columns of so many pairs: of each the motions of the two shapes that have most.
static int64_t count_columns(tact_scene_build *build, int most) {
    int *depth = tact_draft_take(&build->draft, (size_t)build->draft.nbody * sizeof *depth), first = 0, second = 0, deepest = -1;
    if (!depth) return -1;
    for (int k = 0; k < build->draft.nbody; k++) {
        int i = build->order[k], parent = build->links[i].parent;
        depth[i] = build->links[i].dofs + (parent == TACT_WORLD ? 0 : depth[parent]);
    }
    for (int i = 0; i < build->draft.nshape; i++) {
        int body = build->shape_body[i], own = body == TACT_WORLD ? 0 : depth[body];
        if (body != deepest && own > first) second = first, first = own, deepest = body;
        if (body != deepest && own > second) second = own;
    }
    return (int64_t)most * (first + second);
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The pairs that are set apart: those listed, and all of two bodies that are excluded. Their number; counted without a list.
static int64_t list_apart(const tact_scene_build *build, const auto_rules *rules, uint64_t *apart) {
    const pair_set *sets[2] = {&rules->listed, &rules->excluded};
    int64_t count = 0;
    for (int which = 0; which < 2; which++) {
        for (size_t k = 0; k < (size_t)1 << sets[which]->bits; k++) {
            uint64_t key = sets[which]->keys[k];
            int low = (int)(key & UINT32_MAX) - 2, high = (int)(key >> 32) - 2;
            if (!key) continue;
            // Listed pairs are of shapes; excluded ones of bodies, and stand for all pairs of their shapes.
            if (which == 0 && apart) apart[count] = tact_pair_key(low, high);
            count += which == 0;
            for (int a = 0; which == 1 && a < build->draft.nshape; a++)
                for (int b = 0; build->shape_body[a] == low && b < build->draft.nshape; b++) {
                    if (build->shape_body[b] != high) continue;
                    if (apart) apart[count] = tact_pair_key(a, b);
                    count++;
                }
        }
    }
    if (apart) qsort(apart, (size_t)count, sizeof *apart, compare_keys);
    return count;
}

// Whether all shapes that may meet have contacts that can be found; else the first two that have none are reported.
static bool accept_found(const tact_scene_build *build, const auto_rules *rules, int node) {
    const tact_draft_shape *shapes = build->draft.shapes;
    int first[TACT_SHAPE_GRID + 1], unused[CONTACTS_MOST];
    for (int t = 0; t <= TACT_SHAPE_GRID; t++) first[t] = -1;
    // Kind by kind, so that a thousand shapes of few kinds are not compared pair by pair.
    for (int i = build->draft.nshape - 1; i >= 0; i--) first[shapes[i].type] = i;
    for (int a = 0; a < build->draft.nshape; a++)
        for (int t = 0; t <= TACT_SHAPE_GRID; t++) {
            if (first[t] < 0 || tact_touching_places(shapes[a].type, (tact_shape_type)t, unused) > 0 ||
                tact_is_patch(shapes[a].type, (tact_shape_type)t))
                continue;
            for (int b = first[t]; b < build->draft.nshape; b++) {
                if ((int)shapes[b].type != t || a == b || !takes_part(build, rules, a, b)) continue;
                tact_json_refuse(build->json, node, "%s (%s) and %s (%s) have no contacts that \"auto\" finds: list the pairs",
                                 tact_quote(shapes[a].name).text, tact_shape_type_names[shapes[a].type],
                                 tact_quote(shapes[b].name).text, tact_shape_type_names[t]);
                return false;
            }
        }
    return true;
}

// What every step goes by that finds its pairs. False without memory.
static bool make_search(tact_scene_build *build, const auto_rules *rules, int node, int most) {
    tact_draft *draft = &build->draft;
    size_t count = (size_t)draft->nshape;
    int64_t napart = list_apart(build, rules, NULL), columns = count_columns(build, most);
    // By shape: its group of fixed bodies, what carries that, and its kinds.
    int *group = tact_draft_take(draft, count * sizeof *group), *carrier = tact_draft_take(draft, count * sizeof *carrier);
    unsigned *kind = tact_draft_take(draft, count * sizeof *kind), *meets = tact_draft_take(draft, count * sizeof *meets);
    tact_real *friction = tact_draft_take(draft, count * sizeof *friction);
    int *priority = tact_draft_take(draft, count * sizeof *priority);
    bool own = false;
    uint64_t *apart = tact_draft_take(draft, (size_t)(napart <= INT32_MAX ? napart : 0) * sizeof *apart);
    if (!group || !carrier || !kind || !meets || !friction || !priority || !apart || columns < 0) return false;
    if (!accept_found(build, rules, node)) return true;
    if (napart > INT32_MAX || columns > INT32_MAX) {
        tact_json_refuse(build->json, node, "too large: %lld columns of contacts", (long long)columns);
        return true;
    }
    // The same rules as takes_part, laid out by shape for the step.
    list_apart(build, rules, apart);
    for (int i = 0; i < draft->nshape; i++) {
        int body = build->shape_body[i];
        group[i] = body == TACT_WORLD ? TACT_WORLD : build->links[body].weld;
        carrier[i] = group[i] == TACT_WORLD ? TACT_WORLD : rules->carrier[group[i]];
        kind[i] = (unsigned)draft->shapes[i].contype;
        meets[i] = (unsigned)draft->shapes[i].conaffinity;
        own = own || draft->shapes[i].mu >= 0;
        friction[i] = draft->shapes[i].mu < 0 ? rules->values.mu : draft->shapes[i].mu;
        priority[i] = draft->shapes[i].priority;
    }
    build->search = (tact_search){.finder = &tact_finder_tree,
                                  .most = most,
                                  .columns = (int)columns,
                                  .nwhole = draft->nshape,
                                  .distant = build->law && build->law->distant,
                                  .mu = rules->values.mu,
                                  .restitution = rules->values.restitution,
                                  .friction = own ? friction : NULL,
                                  .priority = own ? priority : NULL,
                                  .group = group,
                                  .carrier = carrier,
                                  .kind = kind,
                                  .meets = meets,
                                  .napart = (int)napart,
                                  .apart = apart};
    return true;
}

// The pairs of "auto", counted and then listed, or with max_contacts the broad phase; then those that robots list. False without
// memory.
static bool find_all(tact_scene_build *build, int node, pair_entry values, int most) {
    auto_rules rules = {.values = values};
    untouching apart = {0}, again = {0};
    int64_t nshape = build->draft.nshape;
    if (values.mu < 0) {
        tact_json_refuse(build->json, node, "\"auto\" needs \"mu\" at the top of the scene");
        rules.values.mu = 0;
    }
    // What the rules go by: parts of unions, carriers, excluded bodies, listed pairs.
    rules.is_part = find_parts(build);
    rules.carrier = find_carriers(build);
    if (!rules.is_part || !rules.carrier || !read_excluded(build, &rules.excluded)) return false;
    if (!make_set(&rules.listed, &build->draft, build->draft.npair)) return false;
    // First pass: count, so that the lists have room; with max_contacts the step finds the pairs.
    int listed = add_listed(build, &rules, NULL), count = TACT_SCENE_PAIRS_MAX + 1;
    if (most > 0) count = 0;
    if (most > 0 && !make_search(build, &rules, node, most)) return false;
    if (most == 0 && nshape * nshape / 2 <= LOOKS_MAX) count = visit_all(build, &rules, NULL, &apart);
    if (count > TACT_SCENE_PAIRS_MAX || listed > TACT_SCENE_PAIRS_MAX - count) {
        tact_json_refuse(build->json, node, "more than %d pairs: list those that matter", TACT_SCENE_PAIRS_MAX);
        return true;
    }
    build->pairs = tact_draft_take(&build->draft, (size_t)(count + listed) * sizeof build->pairs[0]);
    if (!build->pairs) return false;
    // Second pass: the pairs of "auto", then those that robots list.
    build->npair = most > 0 ? 0 : visit_all(build, &rules, build->pairs, &again);
    build->npair += add_listed(build, &rules, build->pairs + build->npair);
    // Shapes for which there is no distance function are reported once, with the first two.
    const tact_draft_shape *shapes = build->draft.shapes;
    if (apart.count != 0 && !build->planar)
        tact_draft_doubt(
            &build->draft, TACT_SCENE_NODE(build, node), NULL,
            "%d pair%s of shapes ha%s no contacts: first %s (%s) and %s (%s) pass through each other", apart.count,
            apart.count > 1 ? "s" : "", apart.count > 1 ? "ve" : "s",
            tact_quote(shapes[apart.a].name ? shapes[apart.a].name : "").text, tact_shape_type_names[shapes[apart.a].type],
            tact_quote(shapes[apart.b].name ? shapes[apart.b].name : "").text, tact_shape_type_names[shapes[apart.b].type]);
    return true;
}

bool tact_scene_read_pairs(tact_scene_build *build) {
    const tact_json *json = build->json;
    int node = tact_json_find(json, 0, "pairs");
    pair_entry defaults = {.mu = -1};
    int mu = tact_json_find(json, 0, "mu");
    int restitution = tact_json_find(json, 0, "restitution");
    // a wrong value is reported once, not again by every pair
    if (mu >= 0 && !tact_key_read_numbers(json, mu, tact_key_find(tact_scene_keys, "mu"), 1, &defaults.mu)) defaults.mu = 0;
    const tact_key *key = tact_key_find(tact_scene_keys, "restitution");
    if (restitution >= 0) tact_key_read_numbers(json, restitution, key, 1, &defaults.restitution);
    bool automatic = node >= 0 && tact_json_type(json, node) == TACT_JSON_STRING;
    int excluded = tact_json_find(json, 0, "exclude");
    if (!automatic && excluded >= 0)
        tact_json_refuse(json, excluded, "applies only with \"pairs\": \"auto\"%s", tact_scene_robot_hint(build));
    int room = tact_json_find(json, 0, "max_contacts"), most = 0;
    if (room >= 0) {
        const tact_key *limit = tact_key_find(tact_scene_keys, "max_contacts");
        tact_json_get_integer(json, room, (int)limit->range.low, (int)limit->range.high, &most);
        if (!automatic) tact_json_refuse(json, room, "applies only with \"pairs\": \"auto\"");
        if (build->planar) tact_json_refuse(json, room, "law \"%s\" finds its pairs by itself", build->law->name);
        if (!build->settings->finds) {
            tact_json_warn(json, room,
                           "this command lists all pairs instead: only run, check, grad (of a step) and batch find them");
            most = 0;
        }
    }
    if (node < 0) return true;
    if (automatic) {
        static const char *const words[] = {"auto", NULL};
        if (tact_json_get_choice(json, node, words) < 0) return true;
        if (!find_all(build, node, defaults, most)) return false;
    } else {
        if (!tact_json_expect(json, node, TACT_JSON_ARRAY)) return true;
        if (!read_list(build, node, defaults)) return false;
    }
    return build->planar || tact_scene_expand_patches(build, node);
}
