// SPDX-License-Identifier: MIT
// Meshes that are made here, read from each format, against their closed forms; coarser ones; what is written, decoded by another
// reader; files that are cut off, changed or hostile.
#include "tact/view.h"

#include <stdarg.h>

#include "scene/mesh_path.h"
#include "test.h"

enum { ROOM = 1 << 23 };

static char bytes[ROOM + 1], copy[ROOM + 1];
static size_t used;
static tact_errors errors;

static void clear(void) {
    used = 0;
    bytes[0] = '\0';
}

static void add_text(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    used += (size_t)vsnprintf(bytes + used, ROOM - used, format, arguments);
    va_end(arguments);
}

static void add_word(uint32_t x) {
    for (int k = 0; k < 4; k++) bytes[used++] = (char)(x >> 8 * k & 255);
}

static void add_float(float x) {
    uint32_t word;
    memcpy(&word, &x, 4);
    add_word(word);
}

// from memory of just that size, so that a sanitizer sees what is read behind it
static bool read_mesh(tact_mesh *mesh, const char *name) {
    char *exact = malloc(used + 1);
    if (!exact) exit(1);
    memcpy(exact, bytes, used);
    exact[used] = '\0';
    errors = (tact_errors){0};
    *mesh = (tact_mesh){0};
    bool good = tact_mesh_read(mesh, (tact_source){.name = name, .bytes = exact, .size = used, .line = 1}, &errors);
    CHECK(good == (errors.errors == 0));
    CHECK(good || (mesh->npoint == 0 && mesh->ntriangle == 0 && !mesh->point));
    free(exact);
    return good;
}

// by the divergence theorem: a sixth of the sum of a . (b x c)
static double volume(const tact_mesh *mesh) {
    double sum = 0;
    for (int t = 0; t < mesh->ntriangle; t++) {
        const float *a = mesh->point[mesh->triangle[t].corner[0]].x, *b = mesh->point[mesh->triangle[t].corner[1]].x,
                    *c = mesh->point[mesh->triangle[t].corner[2]].x;
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            sum += (double)a[k] * ((double)b[i] * (double)c[j] - (double)b[j] * (double)c[i]);
        }
    }
    return sum / 6;
}

// a box of 1 x 2 x 3 with a corner at 0, outward
static const int box_faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static float box_point(int i, int k) {
    return (float)((i >> k & 1) * (k + 1));
}

static int box_corner(int t, int k) {
    static const int pick[2][3] = {{0, 1, 2}, {0, 2, 3}};
    return box_faces[t / 2][pick[t % 2][k]];
}

static void make_box_words(void) {
    clear();
    add_text("solid a vertex facet endsolid\n");
    for (int t = 0; t < 12; t++) {
        add_text("facet normal 0 0 0\r\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            int i = box_corner(t, k);
            add_text("  vertex %g %e\t+%g\n", (double)box_point(i, 0), (double)box_point(i, 1), (double)box_point(i, 2));
        }
        add_text(" endloop\nendfacet\n");
    }
    add_text("endsolid a\n");
}

static void make_box_binary(const char *head) {
    clear();
    add_text("%-80s", head);
    add_word(12);
    for (int t = 0; t < 12; t++) {
        for (int k = 0; k < 3; k++) add_float(NAN);
        for (int k = 0; k < 9; k++) add_float(box_point(box_corner(t, k / 3), k % 3));
        bytes[used++] = 7;
        bytes[used++] = 0;
    }
}

static void make_box_obj(bool back) {
    clear();
    add_text("# a box\nmtllib none.mtl\no box\n");
    for (int i = 0; i < 8; i++)
        add_text("v %g %g %g 1\r\n", (double)box_point(i, 0), (double)box_point(i, 1), (double)box_point(i, 2));
    add_text("vt 0 0\nvn 0 0 1\ns off\nusemtl x\n");
    for (int f = 0; f < 6; f++) {
        static const char *const forms[] = {" %d", " %d/1", " %d//1", " %d/1/1"};
        add_text("f");
        for (int k = 0; k < 4; k++) add_text(forms[f % 4], box_faces[f][k] + (back ? -8 : 1));
        add_text("\n");
    }
}

// The box as a geometry of a COLLADA document: triangles, faces of four corners, or polygons; normals between its indices.
static void add_geometry(const char *kind, const char *id) {
    bool triangles = kind[0] == 't', list = strcmp(kind, "polylist") == 0;
    add_text("<geometry id='%s'><mesh><source id='%s.x'><float_array count='32'>\n", id, id);
    for (int i = 0; i < 8; i++)
        add_text("%g\t%g %e -9\n", (double)box_point(i, 0), (double)box_point(i, 1), (double)box_point(i, 2));
    add_text("</float_array><technique_common><accessor source='#a' stride='4' count='8'/></technique_common></source>"
             "<vertices id='%s.v'><input semantic='NORMAL' source='#none'/><input semantic='POSITION' source='#%s.x'/></vertices>"
             "<lines><p>0 1</p></lines><%s><input semantic='NORMAL' offset='0' source='#none'/>"
             "<input semantic='VERTEX' offset='1' source='#%s.v'/>",
             id, id, kind, id);
    if (list) add_text("<vcount>4 4 4 4 4 4</vcount>");
    if (list || triangles) add_text("<p>");
    for (int t = 0; t < 12; t++)
        for (int k = 0; k < 3 && triangles; k++) add_text(" 7 %d", box_corner(t, k));
    for (int f = 0; f < 6 && !triangles; f++) {
        if (!list) add_text("<p>");
        for (int k = 0; k < 4; k++) add_text("99 %d ", box_faces[f][k]);
        if (!list) add_text("</p>");
    }
    add_text("%s</%s></mesh></geometry>", list || triangles ? "</p>" : "", kind);
}

static void begin_collada(void) {
    clear();
    add_text("<?xml version='1.0'?><COLLADA xmlns='x' version='1.4.1'><asset note='a>b'><unit name='inch' meter='0.5'/></asset>"
             "<library_geometries>");
    add_geometry("triangles", "a");
    add_geometry("polylist", "b");
    add_geometry("polygons", "c");
    add_text("</library_geometries>");
}

// a node that turns by 90 degrees about z, moves, and mirrors; below it others
static void make_box_collada(void) {
    begin_collada();
    add_text("<library_nodes><node id='n'><scale>2 1 1</scale><instance_geometry url='#b'/></node></library_nodes>"
             "<library_visual_scenes><visual_scene id='other'/><visual_scene id='s'><node><translate>1 2 3</translate>"
             "<rotate>0 0 5 90</rotate><node><instance_geometry url='#a'/></node><node><matrix>1 0 0 0 0 1 0 0 0 0 -1 0 0 0 0 1"
             "</matrix><instance_node url='#n'/></node></node><node><instance_geometry url='#c'/></node></visual_scene>"
             "</library_visual_scenes><scene><instance_visual_scene url='#s'/></scene></COLLADA>");
}

static void test_collada(void) {
    tact_mesh mesh;
    make_box_collada();
    bool good = read_mesh(&mesh, "a.dae");
    CHECK(good);
    if (!good) printf("    %s\n", errors.items[0].text);
    CHECK_INT(mesh.ntriangle, 36);
    CHECK_INT(mesh.npoint, 24);
    // half a unit long; the second is twice as wide, the mirror keeps its faces outward
    CHECK_CLOSE(volume(&mesh), (6 + 12 + 6) / 8.0, 1e-6);
    // turned: x y z to -y x z, then moved
    for (int i = 0; i < 8 && good; i++) {
        const float *x = mesh.point[i].x;
        CHECK_CLOSE((double)x[0], 0.5 * (1 - (double)box_point(i, 1)), 1e-6);
        CHECK_CLOSE((double)x[1], 0.5 * (2 + (double)box_point(i, 0)), 1e-6);
        CHECK_CLOSE((double)x[2], 0.5 * (3 + (double)box_point(i, 2)), 1e-6);
    }
    tact_mesh_free(&mesh);
    // without a scene its geometries, as they lie
    begin_collada();
    add_text("</COLLADA>");
    CHECK(read_mesh(&mesh, "a.dae"));
    CHECK_INT(mesh.ntriangle, 36);
    CHECK_CLOSE(volume(&mesh), 18 / 8.0, 1e-6);
    tact_mesh_free(&mesh);
}

static void check_box(const char *name) {
    tact_mesh mesh;
    bool good = read_mesh(&mesh, name);
    CHECK(good);
    if (!good) printf("    %s\n", errors.items[0].text);
    CHECK_INT(mesh.ntriangle, 12);
    CHECK_CLOSE(volume(&mesh), 6, 1e-12);
    CHECK(tact_mesh_simplify(&mesh, 12));
    CHECK_INT(mesh.npoint, 8);
    CHECK_INT(mesh.ntriangle, 12);
    CHECK_CLOSE(volume(&mesh), 6, 1e-12);
    tact_mesh_free(&mesh);
}

// the bytes of a number that is a byte, a float or a double, in either order
static void add_bytes(double x, int size, bool large_end) {
    unsigned char own[8] = {0};
    float single = (float)x;
    if (size == 1) own[0] = (unsigned char)x;
    if (size == 4) memcpy(own, &single, 4);
    if (size == 8) memcpy(own, &x, 8);
    for (int k = 0; k < size; k++) bytes[used++] = (char)own[large_end ? size - 1 - k : k];
}

// form: ascii, binary_little_endian or binary_big_endian; with numbers and a list that are passed over
static void make_box_ply(const char *form) {
    bool words = form[0] == 'a', large = strstr(form, "big") != NULL;
    clear();
    add_text("ply\nformat %s 1.0\ncomment a box\nelement vertex 8\nproperty double x\nproperty float y\nproperty float32 z\n",
             form);
    add_text("property uchar red\nelement other 1\nproperty list uint8 float some\n");
    add_text("element face 6\nproperty uchar flags\nproperty list uchar uchar vertex_indices\nend_header\n");
    for (int i = 0; i < 8; i++) {
        double x = (double)box_point(i, 0), y = (double)box_point(i, 1), z = (double)box_point(i, 2);
        if (words) add_text("%.9g %.9g %.9g 255\n", x, y, z);
        if (words) continue;
        add_bytes(x, 8, large);
        add_bytes(y, 4, large);
        add_bytes(z, 4, large);
        add_bytes(255, 1, large);
    }
    if (words) add_text("2 0.5 0.25\n");
    for (int k = 0; k < 3 && !words; k++) add_bytes(k == 0 ? 2 : 0.5, k == 0 ? 1 : 4, large);
    for (int f = 0; f < 6; f++) {
        const int *c = box_faces[f];
        if (words) add_text("0 4 %d %d %d %d\n", c[0], c[1], c[2], c[3]);
        for (int k = 0; k < 6 && !words; k++) add_bytes(k == 0 ? 0 : k == 1 ? 4 : c[k - 2], 1, large);
    }
}

static void test_formats(void) {
    make_box_words();
    check_box("a.stl");
    make_box_binary("binary");
    check_box("a.STL");
    // heads of some writers
    make_box_binary("solid of a binary file");
    check_box("folder.x/a.stl");
    make_box_obj(false);
    check_box("a.obj");
    make_box_obj(true);
    check_box("a.OBJ");
    clear();
    add_text("<COLLADA><library_geometries>");
    add_geometry("triangles", "t");
    add_text("</library_geometries></COLLADA>");
    check_box("a.dae");
}

static void refuse(const char *name, const char *message) {
    tact_mesh mesh;
    CHECK(!read_mesh(&mesh, name));
    CHECK_INT(errors.errors, 1);
    CHECK_TEXT(errors.items[0].text, message);
}

static void refuse_text(const char *name, const char *text, const char *message) {
    clear();
    add_text("%s", text);
    refuse(name, message);
}

static void test_refused(void) {
    make_box_binary("b");
    memset(bytes + 80, 0xff, 4);
    refuse("b.stl", "b.stl: says 4294967295 triangles, and is of 684 bytes instead of 214748364834");
    make_box_binary("b");
    used--;
    refuse("b.stl", "b.stl: says 12 triangles, and is of 683 bytes instead of 684");
    make_box_binary("b");
    used = 83;
    refuse("b.stl", "b.stl: cut off: 83 bytes");
    for (int k = 0; k < 3; k++) {
        const float odd[] = {NAN, INFINITY, 2e9f};
        make_box_binary("b");
        memcpy(bytes + 84 + 50 * 11 + 12 + 4 * k, &odd[k], 4);
        refuse("b.stl", "b.stl: triangle 12 has a corner that is not finite, or too far away");
    }
    clear();
    add_text("%-80s", "empty");
    add_word(0);
    refuse("b.stl", "b.stl: holds no triangle");
    make_box_binary("b");
    refuse("b.off", "b.off: not a mesh of a known format (.stl, .obj, .ply or .dae)");
    refuse_text("t.stl", "solid\nfacet\nvertex 0 0 nan\n", "t.stl:3:12: \"nan\": not a number of a corner");
    refuse_text("t.stl", "solid\nfacet\nvertex 0 1e999 0\n", "t.stl:3:10: \"1e999\": not a number of a corner");
    refuse_text("t.stl", "solid\nvertex 0 0 0\nvertex 0 0 0\nendfacet", "t.stl:4:1: a facet of 2 corners");
    refuse_text("t.stl", "solid\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0 vertex 0 0 0",
                "t.stl:4:14: a facet of more than three corners");
    refuse_text("t.stl", "solid\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 1 0 endfacet", "t.stl:4:22: cut off: there is no endsolid");
    refuse_text("t.stl", "solid\nendsolid", "t.stl: holds no triangle");
    refuse_text("t.obj", "v 0 0 0\nf 1 1 2\n", "t.obj:2:7: \"2\": not one of the 1 points before it");
    refuse_text("t.obj", "v 0 0 0\nf 1 1 0\n", "t.obj:2:7: \"0\": not one of the 1 points before it");
    refuse_text("t.obj", "v 0 0 0\nf 1 1 -2\n", "t.obj:2:7: \"-2\": not one of the 1 points before it");
    refuse_text("t.obj", "v 0 0 0\nf 1 1 1.5\n", "t.obj:2:7: \"1.5\": not one of the 1 points before it");
    refuse_text("t.obj", "v 0 0 0\nf 1 1 99999999999999999999\n",
                "t.obj:2:7: \"99999999999999999999\": not one of the 1 points before it");
    refuse_text("t.obj", "v 0 0 0\nf 1 1\n", "t.obj:2:2: a face of 2 corners");
    refuse_text("t.obj", "v 0 0\n", "t.obj:1:6: \"\": not a number of a point");
    refuse_text("t.obj", "v 0 0 1e10\n", "t.obj:1:7: \"1e10\": not a number of a point");
    refuse_text("t.obj", "\033[2J", "t.obj: holds no triangle");
}

// the one place of text is as other says
static void make_changed(const char *text, const char *other) {
    make_box_collada();
    char *at = strstr(bytes, text);
    CHECK(at != NULL);
    if (!at) return;
    size_t size = strlen(text), more = strlen(other);
    memmove(at + more, at + size, strlen(at + size) + 1);
    memcpy(at, other, more);
    used += more - size;
}

static void refuse_changed(const char *text, const char *other, const char *message) {
    tact_mesh mesh;
    make_changed(text, other);
    CHECK(!read_mesh(&mesh, "c.dae"));
    CHECK_INT(errors.errors, 1);
    CHECK(strstr(errors.items[0].text, message) != NULL);
    if (!strstr(errors.items[0].text, message)) printf("    %s\n", errors.items[0].text);
}

static void test_collada_refused(void) {
    refuse_changed("COLLADA xmlns", "COLLADB xmlns", "wrong end tag");
    refuse_text("c.dae", "<robot/>", "c.dae:1:1: /robot: must be <COLLADA>");
    refuse_text("c.dae", "<COLLADA/>", "c.dae: holds no triangle");
    refuse_text("c.dae", "", "c.dae:1:1: /: there is no element");
    refuse_changed("meter='0.5'", "meter='0'", "/asset/unit[name=\"inch\"]@meter: must be > 0 and at most 1e9");
    refuse_changed("url='#s'", "url='#a'", "@url: no <visual_scene> of this file has the id that \"#a\" means");
    refuse_changed("url='#b'", "url='b'", "@url: no <geometry> of this file has the id that \"b\" means");
    refuse_changed("url='#b'", "", "no <geometry> of this file has the id that no attribute means");
    refuse_changed("source='#a.v'", "source='#a.x'", "no <vertices> of this file");
    refuse_changed("POSITION", "POSITIOM", "its corners have no points");
    refuse_changed("VERTEX", "VERTEY", "its corners have no points");
    refuse_changed("stride='4'", "", "accessor: stride is missing");
    refuse_changed("stride='4'", "stride='2'", "accessor@stride: must be a whole number from 3 to 64");
    refuse_changed("<float_array count='32'>\n0", "<float_array count='32'>\n1e10",
                   "float_array: \"1e10\": not a number, or too large");
    refuse_changed(" 7 0 ", " 7 8 ", "p: \"8\": not a number of a point");
    refuse_changed(" 7 0 ", " 7 -1 ", "p: \"-1\": not a number of a point");
    refuse_changed(" 7 0 ", " 7 0.5 ", "p: \"0.5\": not a number of a point");
    refuse_changed(" 7 0 ", " 7 0 7 0 ", "p: the last face is cut off");
    refuse_changed("<vcount>4 4", "<vcount>4 5", "p: the last face is cut off");
    refuse_changed("<vcount>4 4", "<vcount>4 ", "vcount: has fewer faces than <p>");
    refuse_changed("<vcount>4 4", "<vcount>4 4 4", "p: has fewer faces than <vcount>");
    refuse_changed("<vcount>4 4", "<vcount>4 0", "vcount: \"0\": not a number of corners");
    refuse_changed("<translate>1 2 3", "<translate>1 2", "translate: expected 3 numbers");
    refuse_changed("<translate>1 2 3", "<translate>1 2 3 4", "translate: expected 3 numbers");
    refuse_changed("<scale>2 1 1", "<scale>1 1 1e9", "a point that is too far away");
    // a node within itself, and nodes that each place the one before twice
    refuse_changed("<scale>2 1 1</scale>", "<instance_node url='#n'/>", "nodes deeper than 64");
    begin_collada();
    add_text(
        "<library_visual_scenes><visual_scene><instance_node url='#n40'/></visual_scene></library_visual_scenes><library_nodes>"
        "<node id='n0'/>");
    for (int k = 1; k <= 40; k++)
        add_text("<node id='n%d'><instance_node url='#n%d'/><instance_node url='#n%d'/></node>", k, k - 1, k - 1);
    add_text("</library_nodes></COLLADA>");
    tact_mesh mesh;
    CHECK(!read_mesh(&mesh, "c.dae"));
    CHECK(strstr(errors.items[0].text, "the scene places more than 16777216 elements and numbers") != NULL);
}

// every prefix, and every byte changed: read or refused, with one message
static void test_changed(const char *name) {
    size_t size = used;
    uint64_t seed = test_seed(5);
    memcpy(copy, bytes, size);
    for (size_t k = 0; k < size; k++) {
        tact_mesh mesh;
        used = k;
        if (read_mesh(&mesh, name)) tact_mesh_free(&mesh);
        memcpy(bytes, copy, size);
        used = size;
        bytes[k] = (char)test_random_bits(&seed);
        if (read_mesh(&mesh, name)) {
            CHECK(tact_mesh_simplify(&mesh, 5));
            CHECK(mesh.ntriangle <= 5);
            tact_mesh_free(&mesh);
        }
        bytes[k] = copy[k];
    }
}

// a ball of radius 2 about (5, 0, 0), of 2 x rings x around triangles
static void make_ball(int rings, int around) {
    const double pi = 3.14159265358979323846;
    clear();
    for (int i = 0; i <= rings; i++)
        for (int j = 0; j < around; j++) {
            double a = pi * i / rings, b = 2 * pi * j / around;
            add_text("v %.9g %.9g %.9g\n", 5 + 2 * sin(a) * cos(b), 2 * sin(a) * sin(b), 2 * cos(a));
        }
    for (int i = 0; i < rings; i++)
        for (int j = 0; j < around; j++) {
            int next = (j + 1) % around, low = i * around + 1, high = low + around;
            add_text("f %d %d %d %d\n", low + j, high + j, high + next, low + next);
        }
}

static void test_simplify(void) {
    const double whole = 4.0 / 3 * 3.14159265358979323846 * 8;
    const int most[] = {100000, 5000, 1000, 200};
    for (int m = 0; m < 4; m++) {
        tact_mesh mesh;
        make_ball(120, 160);
        CHECK(read_mesh(&mesh, "ball.obj"));
        CHECK_INT(mesh.ntriangle, 2 * 120 * 160);
        CHECK_CLOSE(volume(&mesh), whole, 2e-3);
        CHECK(tact_mesh_simplify(&mesh, most[m]));
        CHECK(mesh.ntriangle <= most[m] && mesh.npoint < 65536);
        CHECK(m == 0 || mesh.ntriangle > most[m] / 3);
        CHECK_CLOSE(volume(&mesh), whole, m < 2 ? 0.01 : m < 3 ? 0.05 : 0.2);
        double off = 0;
        for (int i = 0; i < mesh.npoint; i++) {
            const float *x = mesh.point[i].x;
            off = fmax(off, fabs(sqrt(((double)x[0] - 5) * ((double)x[0] - 5) + (double)(x[1] * x[1] + x[2] * x[2])) - 2));
        }
        CHECK(off < (m < 2 ? 0.02 : 0.25));
        tact_mesh_free(&mesh);
    }
}

// more copies of one triangle than may stay
static void test_copies(void) {
    tact_mesh mesh;
    clear();
    add_text("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for (int k = 0; k < 30; k++) add_text("f 1 2 3\n");
    CHECK(read_mesh(&mesh, "copies.obj"));
    CHECK(tact_mesh_simplify(&mesh, 20));
    CHECK_INT(mesh.ntriangle, 20);
    CHECK_INT(mesh.npoint, 3);
    tact_mesh_free(&mesh);
}

static int decode(const char *base64, unsigned char *out) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = 0;
    int count = 0, have = 0;
    for (const char *at = base64; *at && *at != '"' && *at != '='; at++) {
        bits = bits << 6 | (unsigned)(strchr(letters, *at) - letters);
        have += 6;
        if (have >= 8) out[count++] = (unsigned char)(bits >> (have -= 8) & 255);
    }
    return count;
}

static void test_write(void) {
    static unsigned char points[100000], triangles[200000];
    tact_text text = {0};
    tact_mesh mesh;
    double low[3] = {0, 0, 0}, step[3] = {0, 0, 0};
    make_ball(30, 41);
    CHECK(read_mesh(&mesh, "ball.obj"));
    CHECK(tact_mesh_simplify(&mesh, 10000));
    tact_mesh_write(&mesh, &text);
    CHECK(!text.failed);
    CHECK_INT(sscanf(text.bytes, "{\"low\":[%lf,%lf,%lf],\"step\":[%lf,%lf,%lf],", &low[0], &low[1], &low[2], &step[0], &step[1],
                     &step[2]),
              6);
    CHECK_INT(decode(strstr(text.bytes, "\"points\":\"") + 10, points), 6 * mesh.npoint);
    CHECK_INT(decode(strstr(text.bytes, "\"triangles\":\"") + 13, triangles), 6 * mesh.ntriangle);
    double off = 0;
    for (int i = 0; i < 3 * mesh.npoint; i++)
        off = fmax(
            off, fabs(low[i % 3] + step[i % 3] * (points[2 * i] + 256 * points[2 * i + 1]) - (double)mesh.point[i / 3].x[i % 3]));
    CHECK(off <= 0.51 * 4 / 65535);
    int wrong = 0;
    for (int i = 0; i < 3 * mesh.ntriangle; i++)
        wrong += triangles[2 * i] + 256 * triangles[2 * i + 1] != mesh.triangle[i / 3].corner[i % 3];
    CHECK_INT(wrong, 0);
    tact_text_free(&text);
    tact_mesh_free(&mesh);
}

static void test_paths(void) {
    static const char *const inside[] = {
        "a.stl", "meshes/a.stl", "../meshes/a.stl", "./c/../d.stl", "package://hand/a.stl", "package://h/x/../a.stl", "..."};
    static const char *const outside[] = {"/etc/passwd",     "../../a.stl",           "a/../../../b",
                                          "file:///a.stl",   "http://h/a.stl",        "C:\\a.stl",
                                          "\\\\host\\a.stl", "package://../a.stl",    "package://hand/../a.stl",
                                          "package://./x",   "package:///etc/passwd", "package://a/..\\..\\b",
                                          "..\\..\\a"};
    for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) CHECK(tact_mesh_inside(inside[i]));
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) CHECK(!tact_mesh_inside(outside[i]));
}

// Polygons: a concave one is cut into triangles that all look one way, a quadrilateral along its shorter diagonal; one without
// an area into a fan.
static void test_polygons(void) {
    static const struct {
        const char *text;
        double area;    // as seen along z, of triangles that look up
        int triangles;  //
        int shared[2];  // points of a diagonal, of the first triangle; -1: any
    } cases[] = {{"v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 6 1 2 3 4 5\n", 3, 4, {-1, -1}},
                 {"v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nf 5 4 3 2 1 6\n", -3, 4, {-1, -1}},
                 {"v 0 0 0\nv 1 0 0\nv 3 1 0\nv 0 1 0\nf 1 2 3 4\n", 2, 2, {1, 3}},
                 {"v 0 0 0\nv 3 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n", 2, 2, {0, 2}},
                 {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nv 4 0 0\nf 1 2 3 4 5\n", 0, 3, {-1, -1}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        errors = (tact_errors){0};
        tact_mesh mesh;
        double area = 0, size = 0;
        CHECK(tact_mesh_read(
            &mesh, (tact_source){.name = "p.obj", .bytes = cases[i].text, .size = strlen(cases[i].text), .line = 1}, &errors));
        CHECK_INT(mesh.ntriangle, cases[i].triangles);
        for (int t = 0; t < mesh.ntriangle; t++) {
            const int *c = mesh.triangle[t].corner;
            const float *a = mesh.point[c[0]].x, *b = mesh.point[c[1]].x, *d = mesh.point[c[2]].x;
            double twice = ((double)b[0] - (double)a[0]) * ((double)d[1] - (double)a[1]) -
                           ((double)b[1] - (double)a[1]) * ((double)d[0] - (double)a[0]);
            area += twice / 2;
            size += fabs(twice) / 2;
        }
        CHECK_CLOSE(area, cases[i].area, 1e-12);
        CHECK_CLOSE(size, fabs(cases[i].area), 1e-12);
        for (int k = 0; k < 2 && cases[i].shared[0] >= 0; k++)
            for (int t = 0; t < mesh.ntriangle; t++) {
                const int *c = mesh.triangle[t].corner;
                CHECK(c[0] == cases[i].shared[k] || c[1] == cases[i].shared[k] || c[2] == cases[i].shared[k]);
            }
        tact_mesh_free(&mesh);
    }
    clear();
    add_text("v 0 0 0\nf");
    for (int k = 0; k < 1025; k++) add_text(" 1");
    refuse("t.obj", "t.obj:2:2: a face of more than 1024 corners");
}

#define PLY_HEAD(what) "ply\nformat ascii 1.0\n" what "end_header\n"
#define PLY_POINTS "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_FACE "element face 1\nproperty list uchar int vertex_index\n"

static void test_ply(void) {
    static const char *const forms[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    for (int i = 0; i < 3; i++) {
        make_box_ply(forms[i]);
        check_box("a.PLY");
        test_changed("a.ply");
    }
    const struct {
        const char *text, *message;
    } wrong[] = {
        {"plx\n", "a.ply:1:1: not PLY"},
        {"ply\nformat ascii 1.0\n", "a.ply:3:1: cut off: there is no end_header"},
        {"ply\nelement vertex 0\nproperty float x\nend_header\n", "a.ply:4:1: the line \"format\" is missing"},
        {"ply\nformat binary 1.0\nend_header\n", "a.ply:2:1: unknown format (ascii, binary_little_endian, binary_big_endian)"},
        {PLY_HEAD("property float x\n"), "a.ply:3:1: not a property of an element"},
        {PLY_HEAD("element vertex 3\nproperty text x\n"), "a.ply:4:1: not a property of an element"},
        {PLY_HEAD("element vertex 3\nproperty list float int x\n"), "a.ply:4:1: not a property of an element"},
        {PLY_HEAD("element vertex -1\n"), "a.ply:3:1: not an element and how many there are"},
        {PLY_HEAD("element vertex 1e99\n"), "a.ply:3:1: not an element and how many there are"},
        {PLY_HEAD("elements vertex 1\n"), "a.ply:3:1: \"elements\": no line of a head"},
        {PLY_HEAD("element other 999999999\n"), "a.ply: an element without properties"},
        {PLY_HEAD("element vertex 3\nproperty float x\nproperty float y\n"), "a.ply: its points have no x, y and z"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 1 0 0 0 1", "a.ply: cut off: numbers are missing at its end"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 1 0 0 0 1 0 3 0 1 3",
         "a.ply:10:26: corner 3 of a face: not one of the 3 points before it, counted from 0"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 1 0 0 0 1 0 3 0 1 1.5",
         "a.ply:10:28: corner 1.5 of a face: not one of the 3 points before it, counted from 0"},
        {PLY_HEAD(PLY_FACE PLY_POINTS) "3 0 1 2 0 0 0 1 0 0 0 1 0",
         "a.ply:10:4: corner 0 of a face: not one of the 0 points before it, counted from 0"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 1 0 0 0 1 0 2 0 1", "a.ply:10:20: a face of 2 corners (3 to 1024 are read)"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 1 0 0 0 1e10 0 3 0 1 2", "a.ply:10:21: point 2 is not finite, or too far away"},
        {PLY_HEAD(PLY_POINTS PLY_FACE) "0 0 0 x 0 0", "a.ply:10:7: \"x\": not a number"},
        {PLY_HEAD(PLY_POINTS "property list int int a\n" PLY_FACE) "0 0 0 -1", "a.ply:11:9: a list of -1 numbers"},
        {PLY_HEAD(PLY_POINTS) "0 0 0 1 0 0 0 1 0", "a.ply: holds no triangle"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) refuse_text("a.ply", wrong[i].text, wrong[i].message);
    // more elements and properties than there is room for
    clear();
    add_text("ply\nformat ascii 1.0\n");
    for (int i = 0; i < 17; i++) add_text("element e%d 0\n", i);
    refuse("a.ply", "a.ply:19:1: more than 16 elements");
    clear();
    add_text("ply\nformat ascii 1.0\nelement e 0\n");
    for (int i = 0; i < 65; i++) add_text("property int p%d\n", i);
    refuse("a.ply", "a.ply:68:1: more than 64 properties");
}

int main(void) {
    test_formats();
    test_refused();
    test_polygons();
    make_box_words();
    test_changed("a.stl");
    make_box_binary("binary");
    test_changed("a.stl");
    make_box_obj(false);
    test_changed("a.obj");
    make_box_collada();
    test_changed("a.dae");
    test_ply();
    test_collada();
    test_collada_refused();
    test_simplify();
    test_copies();
    test_write();
    test_paths();
    return test_end("mesh");
}
