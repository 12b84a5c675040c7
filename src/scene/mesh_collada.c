// SPDX-License-Identifier: MIT
// COLLADA 1.4 and 1.5: the <triangles>, <polylist> and <polygons> of the geometries that the nodes of the scene place, in metres.
// The transforms of a node apply in their order. <up_axis> is not applied, as robot files expect; skins, strips, holes of
// polygons and all that says how it looks are passed over. Faces of more corners are cut into triangles from the first.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"
#include "scene/mesh_parts.h"
#include "scene/xml.h"
#include "tact/memory.h"

// Nodes may place nodes, each twice the ones before: what a small file can ask for, in elements and numbers, is bounded.
enum { DEPTH = 64, MOST_WORK = 1 << 24, WIDEST = 64 };

#define DEGREE 0.017453292519943295769

// a point x goes to the first three columns times x, plus the last
typedef struct {
    double m[3][4];
} placement;

typedef struct {
    const char *id;
    int node;
} named;

// A node of the scene: its children before next are done.
typedef struct {
    int next;
    placement place;
} level;

typedef struct {
    tact_mesh *mesh;
    tact_xml xml;
    named *names;  // (count), by id, then in the order of the document
    int count;
    level stack[DEPTH];
    int depth, work;
    int source, first;  // the source whose points were added last, under the placement of now, and the first of them
    bool no_memory;
} reading;

// The words of an element's text, one after the other.
typedef struct {
    const char *at, *end;
} words;

static bool is(const reading *from, int node, const char *name) {
    return strcmp(tact_xml_name(&from->xml, node), name) == 0;
}

static words words_of(const reading *from, int node) {
    words list;
    list.at = tact_xml_text(&from->xml, node, &list.end);
    return list;
}

static bool refuse_word(const reading *from, int node, const char *at, size_t size, const char *why) {
    size_t place = (size_t)(at - from->xml.source.bytes);
    tact_xml_report(&from->xml, node, place, TACT_ERROR_REFUSED, "%s: %s", tact_quote_bytes(at, size).text, why);
    return false;
}

// Counts one element or number; false after reporting.
static bool work_on(reading *from, int node) {
    if (++from->work <= MOST_WORK) return true;
    tact_xml_refuse(&from->xml, node, NULL, "the scene places more than %d elements and numbers", MOST_WORK);
    return false;
}

// The next number; false at the end (with *size 0) and after reporting.
static bool next_number(reading *from, int node, words *list, size_t *size, double *x) {
    *size = tact_mesh_word(&list->at, list->end);
    const char *word = list->at;
    list->at += *size;
    if (*size == 0 || !work_on(from, node)) return false;
    if (tact_number_read_loose(word, *size, x) == TACT_NUMBER_READ && tact_mesh_number_is_good(*x)) return true;
    return refuse_word(from, node, word, *size, "not a number, or too large");
}

// Just so many numbers.
static bool read_numbers(reading *from, int node, double *x, int count) {
    words list = words_of(from, node);
    size_t size = 0;
    int found = 0;
    while (found < count && next_number(from, node, &list, &size, &x[found])) found++;
    if (found < count && size > 0) return false;
    if (found == count && tact_mesh_word(&list.at, list.end) == 0) return true;
    tact_xml_refuse(&from->xml, node, NULL, "expected %d numbers", count);
    return false;
}

// A whole number of an attribute: usual when it is absent, -1 after reporting.
static int read_count(const reading *from, int node, const char *attribute, int usual, int least, int most) {
    const char *text = tact_xml_value(&from->xml, node, attribute);
    double x = 0;
    if (!text) return usual;
    if (tact_number_read_loose(text, strlen(text), &x) == TACT_NUMBER_READ && x >= least && x <= most && x == floor(x))
        return (int)x;
    tact_xml_refuse(&from->xml, node, attribute, "must be a whole number from %d to %d", least, most);
    return -1;
}

// references

static int compare_names(const void *left, const void *right) {
    const named *a = left, *b = right;
    int order = strcmp(a->id, b->id);
    return order ? order : (a->node > b->node) - (a->node < b->node);
}

static bool collect_names(reading *from) {
    from->names = tact_memory_get((size_t)from->xml.count * sizeof *from->names);
    if (!from->names) return false;
    for (int i = 0; i < from->xml.count; i++) {
        const char *id = tact_xml_value(&from->xml, i, "id");
        if (id) from->names[from->count++] = (named){id, i};
    }
    qsort(from->names, (size_t)from->count, sizeof *from->names, compare_names);
    return true;
}

// The element that an attribute "#id" of a node means; -1 after reporting.
static int follow(const reading *from, int node, const char *attribute, const char *element) {
    const char *url = tact_xml_value(&from->xml, node, attribute);
    const char *id = url && url[0] == '#' ? url + 1 : "";
    int low = 0, high = from->count;
    // Ids are sorted: binary search for the first that is not smaller.
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (strcmp(from->names[middle].id, id) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (*id && low < from->count && strcmp(from->names[low].id, id) == 0 && is(from, from->names[low].node, element))
        return from->names[low].node;
    tact_xml_refuse(&from->xml, node, attribute, "no <%s> of this file has the id that %s means", element,
                    url ? tact_quote(url).text : "no attribute");
    return -1;
}

// placements

static placement placement_of_unit(double unit) {
    return (placement){{{unit, 0, 0, 0}, {0, unit, 0, 0}, {0, 0, unit, 0}}};
}

static placement multiply(const placement *a, const placement *b) {
    placement product;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) {
            product.m[i][j] = j == 3 ? a->m[i][3] : 0;
            for (int k = 0; k < 3; k++) product.m[i][j] += a->m[i][k] * b->m[k][j];
        }
    return product;
}

// about an axis: v v' + cos (1 - v v') + sin [v]
static placement rotation(const double x[4]) {
    placement turn = placement_of_unit(1);
    double size = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    tact_real s = 0, c = 1;
    tact_sincos((tact_real)(x[3] * DEGREE), &s, &c);
    if (!(size > 0)) return turn;
    const double v[3] = {x[0] / size, x[1] / size, x[2] / size};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double cross = i == j ? 0 : (j == (i + 1) % 3 ? -1 : 1) * v[3 - i - j];
            turn.m[i][j] = v[i] * v[j] + (double)c * ((i == j) - v[i] * v[j]) + (double)s * cross;
        }
    return turn;
}

// faces

// The points of a <source>, as its accessor has them lie in the array of numbers.
static bool add_points(reading *from, int source, const placement *place) {
    int array = tact_xml_find(&from->xml, source, "float_array"), node = tact_xml_find(&from->xml, source, "technique_common");
    node = node < 0 ? -1 : tact_xml_find(&from->xml, node, "accessor");
    if (array < 0 || node < 0) {
        tact_xml_refuse(&from->xml, source, NULL, "<float_array> or <accessor> is missing");
        return false;
    }
    // Numbers between two points, and before the first.
    int stride = read_count(from, node, "stride", 1, 3, WIDEST),
        skip = stride < 0 ? -1 : read_count(from, node, "offset", 0, 0, 1000);
    if (stride < 3 || skip < 0) {
        if (stride == 1) tact_xml_refuse(&from->xml, node, NULL, "stride is missing");
        return false;
    }
    words list = words_of(from, array);
    double x[3] = {0, 0, 0}, number = 0;
    size_t size = 0;
    from->first = from->mesh->npoint;
    for (int k = -skip; next_number(from, array, &list, &size, &number); k = k + 1 == stride ? 0 : k + 1) {
        if (k < 0 || k > 2) continue;
        x[k] = number;
        if (k == 2) {
            double y[3];
            for (int i = 0; i < 3; i++)
                y[i] = place->m[i][0] * x[0] + place->m[i][1] * x[1] + place->m[i][2] * x[2] + place->m[i][3];
            if (!tact_mesh_number_is_good(y[0]) || !tact_mesh_number_is_good(y[1]) || !tact_mesh_number_is_good(y[2])) {
                tact_xml_refuse(&from->xml, array, NULL, "a point that is too far away");
                return false;
            }
            from->no_memory = !tact_mesh_add_point(from->mesh, y);
            if (from->no_memory) return false;
        }
    }
    from->source = source;
    return size == 0;
}

// Where among the indices of a corner that of its point is, and how many they are.
typedef struct {
    int at, width;
    bool mirrored;
} corner_layout;

// Finds the points of a list of faces, too. False after reporting.
static bool find_points(reading *from, int faces, const placement *place, corner_layout *layout) {
    int vertices = -1;
    *layout = (corner_layout){.at = -1};
    for (int i = tact_xml_first(&from->xml, faces); i >= 0; i = tact_xml_after(&from->xml, i)) {
        // Each <input> widens the corner by its offset; VERTEX leads to the points.
        const char *semantic = is(from, i, "input") ? tact_xml_value(&from->xml, i, "semantic") : NULL;
        int offset = semantic ? read_count(from, i, "offset", 0, 0, WIDEST) : 0;
        if (!semantic) continue;
        if (offset < 0) return false;
        layout->width = offset + 1 > layout->width ? offset + 1 : layout->width;
        if (strcmp(semantic, "VERTEX") != 0 || layout->at >= 0) continue;
        layout->at = offset;
        vertices = follow(from, i, "source", "vertices");
        if (vertices < 0) return false;
    }
    for (int i = vertices < 0 ? -1 : tact_xml_first(&from->xml, vertices); i >= 0; i = tact_xml_after(&from->xml, i)) {
        const char *semantic = is(from, i, "input") ? tact_xml_value(&from->xml, i, "semantic") : NULL;
        if (!semantic || strcmp(semantic, "POSITION") != 0) continue;
        int source = follow(from, i, "source", "source");
        return source >= 0 && (source == from->source || add_points(from, source, place));
    }
    tact_xml_refuse(&from->xml, faces, NULL, "its corners have no points");
    return false;
}

// The corners of a face, as they come.
typedef struct {
    int corner[3], count, size;  // size 0: all that there are
} face;

static bool add_corner(reading *from, face *f, int point, bool mirrored) {
    f->corner[f->count < 2 ? f->count : 2] = point;
    if (++f->count < 3) return true;
    int second = f->corner[mirrored ? 2 : 1], third = f->corner[mirrored ? 1 : 2];
    from->no_memory = !tact_mesh_add_triangle(from->mesh, f->corner[0], second, third);
    f->corner[1] = f->corner[2];
    return !from->no_memory;
}

// The faces of a list of indices, of three corners, of as many as the words of sizes say, or (size 0) a single one.
static bool add_list(reading *from, int p, corner_layout layout, int size, int sizes) {
    words list = words_of(from, p), many = sizes >= 0 ? words_of(from, sizes) : (words){"", ""};
    face f = {.size = size};
    double index = 0, corners = 0;
    size_t length = 0;
    for (int k = 0; next_number(from, p, &list, &length, &index); k = k + 1 == layout.width ? 0 : k + 1) {
        // Of each corner's indices the one of its point counts.
        if (k != layout.at) continue;
        if (!(index >= 0 && index < from->mesh->npoint - from->first && index == floor(index)))
            return refuse_word(from, p, list.at - length, length, "not a number of a point");
        if (f.count == 0 && sizes >= 0) {
            if (!next_number(from, sizes, &many, &length, &corners)) {
                if (length == 0) tact_xml_refuse(&from->xml, sizes, NULL, "has fewer faces than <p>");
                return false;
            }
            if (!(corners >= 1 && corners <= MOST_WORK && corners == floor(corners)))
                return refuse_word(from, sizes, many.at - length, length, "not a number of corners");
            f.size = (int)corners;
        }
        if (!add_corner(from, &f, from->first + (int)index, layout.mirrored)) return false;
        if (f.count == f.size) f.count = 0;
    }
    if (length > 0) return false;
    // All of <vcount> used up, and the last face whole.
    bool more = tact_mesh_word(&many.at, many.end) > 0;
    if (!more && (f.size == 0 || f.count == 0)) return true;
    tact_xml_refuse(&from->xml, p, NULL, more ? "has fewer faces than <vcount>" : "the last face is cut off");
    return false;
}

static bool add_faces(reading *from, int faces, const placement *place) {
    bool triangles = is(from, faces, "triangles"), polygons = is(from, faces, "polygons");
    int sizes = is(from, faces, "polylist") ? tact_xml_find(&from->xml, faces, "vcount") : -1;
    corner_layout layout;
    if (!work_on(from, faces)) return false;
    if (!triangles && !polygons && sizes < 0) return true;
    if (!find_points(from, faces, place, &layout)) return false;
    // A transform of negative determinant mirrors: corners go round the other way.
    const double(*m)[4] = place->m;
    layout.mirrored = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]) <
                      0;
    for (int i = tact_xml_first(&from->xml, faces); i >= 0; i = tact_xml_after(&from->xml, i))
        if (!work_on(from, i) || (is(from, i, "p") && !add_list(from, i, layout, triangles ? 3 : 0, sizes))) return false;
    return true;
}

// the scene

static bool enter(reading *from, int node, const placement *place) {
    if (from->depth == DEPTH) {
        tact_xml_refuse(&from->xml, node, NULL, "nodes deeper than %d", DEPTH);
        return false;
    }
    from->stack[from->depth++] = (level){.next = tact_xml_first(&from->xml, node), .place = *place};
    return true;
}

// What a child of a node does: it places a geometry or a node, its own or another's, or moves what comes after it.
static bool take_child(reading *from, int node, placement *place) {
    int of = node;
    if (is(from, node, "instance_geometry")) of = follow(from, node, "url", "geometry");
    if (is(from, node, "instance_node")) of = follow(from, node, "url", "node");
    if (of < 0 || !work_on(from, node)) return false;
    if (is(from, of, "geometry")) {
        // all faces of the geometry
        int mesh = tact_xml_find(&from->xml, of, "mesh");
        from->source = -1;
        for (int i = mesh < 0 ? -1 : tact_xml_first(&from->xml, mesh); i >= 0; i = tact_xml_after(&from->xml, i))
            if (!add_faces(from, i, place)) return false;
        return true;
    }
    if (is(from, of, "node")) return enter(from, of, place);
    // A transform element multiplies the placement.
    double x[16];
    placement own = placement_of_unit(1);
    // 3 x 4 of the 16 numbers; turns by axis and angle; shifts and scales.
    if (is(from, node, "matrix")) {
        if (!read_numbers(from, node, x, 16)) return false;
        for (int k = 0; k < 12; k++) own.m[k / 4][k % 4] = x[k];
    } else if (is(from, node, "rotate")) {
        if (!read_numbers(from, node, x, 4)) return false;
        own = rotation(x);
    } else if (is(from, node, "translate") || is(from, node, "scale")) {
        if (!read_numbers(from, node, x, 3)) return false;
        for (int k = 0; k < 3; k++) own.m[k][is(from, node, "scale") ? k : 3] = x[k];
    } else {
        return true;
    }
    *place = multiply(place, &own);
    return true;
}

// A node, visual scene or library and all that it places.
static bool add_nodes(reading *from, int root, const placement *place) {
    bool good = enter(from, root, place);
    while (good && from->depth > 0) {
        level *top = &from->stack[from->depth - 1];
        int node = top->next;
        if (node < 0) {
            from->depth--;
        } else {
            top->next = tact_xml_after(&from->xml, node);
            good = take_child(from, node, &top->place);
        }
    }
    return good;
}

// What is to be drawn: the scene's own visual scene, else the first, else all geometries. -1 when there is none of these, -2
// after reporting.
static int find_scene(const reading *from) {
    int scene = tact_xml_find(&from->xml, 0, "scene"), library = tact_xml_find(&from->xml, 0, "library_visual_scenes");
    int instance = scene < 0 ? -1 : tact_xml_find(&from->xml, scene, "instance_visual_scene");
    if (instance >= 0) {
        int found = follow(from, instance, "url", "visual_scene");
        return found < 0 ? -2 : found;
    }
    int first = library < 0 ? -1 : tact_xml_find(&from->xml, library, "visual_scene");
    return first >= 0 ? first : tact_xml_find(&from->xml, 0, "library_geometries");
}

// Reads the root of a COLLADA document: its unit, then the triangles of the scene's nodes.
static bool read_document(reading *from) {
    int asset = tact_xml_find(&from->xml, 0, "asset"), unit = asset < 0 ? -1 : tact_xml_find(&from->xml, asset, "unit");
    const char *text = unit < 0 ? NULL : tact_xml_value(&from->xml, unit, "meter");
    double meter = 1;
    if (!is(from, 0, "COLLADA")) {
        tact_xml_refuse(&from->xml, 0, NULL, "must be <COLLADA>");
        return false;
    }
    if (text && !(tact_number_read_loose(text, strlen(text), &meter) == TACT_NUMBER_READ && meter > 0 && meter <= 1e9)) {
        tact_xml_refuse(&from->xml, unit, "meter", "must be > 0 and at most 1e9");
        return false;
    }
    from->no_memory = !collect_names(from);
    // Metres by <unit>, then all nodes of the visual scene.
    int scene = from->no_memory ? -2 : find_scene(from);
    placement place = placement_of_unit(meter);
    return scene == -1 || (scene >= 0 && add_nodes(from, scene, &place));
}

bool tact_mesh_read_collada(tact_mesh *mesh, tact_source source, tact_errors *errors, bool *no_memory) {
    reading from = {.mesh = mesh, .source = -1};
    if (!tact_xml_read(&from.xml, source, errors)) return false;
    bool good = read_document(&from);
    *no_memory = from.no_memory;
    tact_memory_release(from.names);
    tact_xml_free(&from.xml);
    return good;
}
