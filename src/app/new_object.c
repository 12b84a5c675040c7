// SPDX-License-Identifier: MIT
// The object of tact new: its sizes or its mesh, what it weighs, and its shapes in the scene.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/new.h"

enum { RIM = 12, VERTICES = 24 };

#define TURN 6.28318530717958647692

// ---- what is asked for ----

// Reads a shape with its lengths, as box:AxBxC, into the object. Returns the exit code.
static int read_sizes(const tact_call *call, const char *text, tact_new_object *object) {
    static const struct {
        const char *name;
        tact_shape_type type;
        int count;
        const char *form;
    } kinds[] = {{"box:", TACT_SHAPE_BOX, 3, "box:AxBxC in metres (a cube: box:0.06x0.06x0.06)"},
                 {"sphere:", TACT_SHAPE_SPHERE, 1, "sphere:R in metres"},
                 {"capsule:", TACT_SHAPE_CAPSULE, 2, "capsule:RxL in metres"},
                 {"cylinder:", TACT_SHAPE_CYLINDER, 2, "cylinder:RxL in metres"}};
    size_t kind = 0, count = sizeof kinds / sizeof kinds[0];
    while (kind < count && strncmp(text, kinds[kind].name, strlen(kinds[kind].name)) != 0) kind++;
    if (kind == count)
        return tact_say_usage(
            call->command,
            "--object: unknown %s (allowed: box:AxBxC, sphere:R, capsule:RxL, cylinder:RxL, or the hull of a mesh: "
            "FILE.obj, .stl, .ply or .dae with its scale to metres, FILE.obj:0.001)",
            tact_quote(text).text);
    const char *at = text + strlen(kinds[kind].name);
    double size[3] = {0};
    int found = 0;
    // lengths between x and x
    for (bool more = true; more && found <= 3; found++) {
        size_t length = strcspn(at, "x");
        bool good = found < kinds[kind].count && tact_number_read_loose(at, length, &size[found]) == TACT_NUMBER_READ;
        if (!good || !(size[found] >= 1e-4 && size[found] <= 10))
            return tact_say_usage(call->command, "--object: must be %s, each within [0.0001, 10] (found %s)", kinds[kind].form,
                                  tact_quote(text).text);
        more = at[length] == 'x';
        at += length + more;
    }
    if (found != kinds[kind].count)
        return tact_say_usage(call->command, "--object: must be %s (found %s)", kinds[kind].form, tact_quote(text).text);
    object->type = kinds[kind].type;
    // sizes of shapes are radii and half lengths
    bool round = object->type != TACT_SHAPE_BOX;
    for (int k = 0; k < 3; k++) object->size[k] = (tact_real)(round && k == 0 ? size[k] : size[k] / 2);
    if (!round) object->size[3] = (tact_real)tact_key_round(0.04 * fmin(size[0], fmin(size[1], size[2])), 6);
    return TACT_EXIT_DONE;
}

// Bytes of the name of a mesh that a text begins with, FILE or FILE:SCALE; 0: it names none.
static size_t find_mesh(const char *text) {
    static const char *const ends[] = {".obj", ".stl", ".ply", ".dae", NULL};
    const char *colon = strrchr(text, ':');
    const size_t sizes[2] = {strlen(text), colon ? (size_t)(colon - text) : 0};
    for (int i = 0; i < 2; i++)
        for (int e = 0; ends[e]; e++) {
            size_t at = 0;
            while (at < 4 && sizes[i] > 4 && (text[sizes[i] - 4 + at] | (at > 0 ? 0x20 : 0)) == ends[e][at]) at++;
            if (at == 4) return sizes[i];
        }
    return 0;
}

// How far the hull may tip over the edges of a face before it falls: the rise of its centre by the nearest edge; < 0: it does not
// rest on the face. *height: of the centre.
static double find_rise(const tact_hull *hull, const tact_hull_face *face, tact_vec3 com, double *height) {
    double least = HUGE_VAL;
    *height = (double)(face->offset - tact_vec3_dot(face->normal, com));
    for (int k = 0; k < face->count; k++) {
        tact_vec3 from = hull->vertex[hull->corner[face->first + k]];
        tact_vec3 along = tact_vec3_sub(hull->vertex[hull->corner[face->first + (k + 1) % face->count]], from);
        tact_vec3 inward = tact_vec3_cross(face->normal, along);
        double length = sqrt((double)tact_vec3_dot(along, along));
        least = fmin(least, (double)tact_vec3_dot(inward, tact_vec3_sub(com, from)) / length);
    }
    return least <= 0 ? -1 : sqrt(*height * *height + least * least) - *height;
}

#define STEADY 1e-3  // rise beside the height of the centre of a face on which it stands

// Puts the hull into the body so that the origin is its centre of mass and a face on which it lies steadily looks down.
static void lay_down(tact_new_form *form, const double com[3]) {
    const tact_hull *hull = form->mesh.hull;
    const tact_vec3 centre = tact_vec3_make((tact_real)com[0], (tact_real)com[1], (tact_real)com[2]);
    tact_vec3 down = tact_vec3_make(0, 0, -1), low = {0, 0, 0}, high = {0, 0, 0};
    double best = HUGE_VAL, height = 0;
    // the lowest of those on which it stands: a pencil lies on a narrow facet, and does not stand on its end
    for (int f = 0; f < hull->nface; f++) {
        double rise = find_rise(hull, &hull->face[f], centre, &height);
        if (!(rise > STEADY * height && height < best)) continue;
        best = form->half = height;
        down = hull->face[f].normal;
    }
    // the smallest turn from its normal to -z
    tact_quat turn = {1 - down.z, -down.y, down.x, 0};
    if (!(turn.w > TACT_REAL(1e-6))) turn = (tact_quat){0, 1, 0, 0};
    form->turn = tact_quat_normalize(turn);
    const tact_mat3 R = tact_quat_matrix(form->turn);
    for (int i = 0; i < hull->nvertex; i++) {
        tact_vec3 x = tact_mat3_apply(R, tact_vec3_sub(hull->vertex[i], centre));
        low = tact_vec3_make(x.x < low.x ? x.x : low.x, x.y < low.y ? x.y : low.y, x.z < low.z ? x.z : low.z);
        high = tact_vec3_make(x.x > high.x ? x.x : high.x, x.y > high.y ? x.y : high.y, x.z > high.z ? x.z : high.z);
    }
    const tact_vec3 size = tact_vec3_sub(high, low), place = tact_mat3_apply(R, centre);
    form->least = fmin((double)size.x, fmin((double)size.y, (double)size.z));
    form->size = fmax((double)size.x, fmax((double)size.y, (double)size.z));
    form->high = (double)size.z;
    form->xyz[0] = round_six(-(double)place.x);
    form->xyz[1] = round_six(-(double)place.y);
    form->xyz[2] = round_six(-(double)place.z);
}

// The hull of a mesh; the exit code. size: of its name in the text
static int read_mesh(const tact_call *call, const char *text, size_t size, tact_new_object *object, tact_new_form *form) {
    double scale = 1;
    form->draft = (tact_draft){.errors = &form->errors};
    if (text[size] == ':' && (tact_number_read_loose(text + size + 1, strlen(text + size + 1), &scale) != TACT_NUMBER_READ ||
                              !(scale >= 1e-9 && scale <= 1e6)))
        return tact_say_usage(call->command, "--object: the scale behind a mesh must be within [1e-9, 1e6] (found %s)",
                              tact_quote(text + size + 1).text);
    form->file = tact_draft_string(&form->draft, text, size);
    form->mesh = (tact_mesh_hull){.vertices = VERTICES, .scale = {scale, scale, scale}};
    if (!form->file || !tact_mesh_hull_read(&form->draft, form->file, &form->mesh, &form->errors))
        return tact_say_errors(&form->errors);
    object->type = TACT_SHAPE_HULL;
    return TACT_EXIT_DONE;
}

int tact_new_read_object(const tact_call *call, const char *text, tact_new_object *object, tact_new_form *form) {
    size_t mesh = find_mesh(text);
    return mesh > 0 ? read_mesh(call, text, mesh, object, form) : read_sizes(call, text, object);
}

// ---- mass ----

// Mass, and inertia in the body's axes, of a hull of uniform density that lies on a steady side. Returns the exit code.
static int weigh_hull(const tact_call *call, double density, tact_new_object *object, tact_new_form *form) {
    double volume = 0, com[3], moment[6], turned[3][3];
    tact_hull_weigh(form->mesh.hull, &volume, com, moment);
    lay_down(form, com);
    if (form->size > 2)
        return tact_say_usage(
            call->command,
            "--object: %s is %s m long: the unit is the metre (FILE:0.001 is for millimetres, FILE:SCALE in general)",
            tact_quote(form->file).text, tact_rounded(form->size, 4).text);
    // moments in the axes of the body
    const tact_mat3 R = tact_quat_matrix(form->turn);
    const double M[3][3] = {
        {moment[0], moment[3], moment[4]}, {moment[3], moment[1], moment[5]}, {moment[4], moment[5], moment[2]}};
    object->mass = round_six(density * volume);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            turned[i][k] = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) turned[i][k] += (double)R.m[i][a] * M[a][b] * (double)R.m[k][b];
        }
    const double six[6] = {turned[0][0], turned[1][1], turned[2][2], turned[0][1], turned[0][2], turned[1][2]};
    for (int k = 0; k < 6; k++) object->inertia[k] = round_six(object->mass * six[k]);
    form->contacts = 3;
    tact_say("new: hull of %d of the %d points of %s, a solid that fills its hollows (a shape of type grid has them: tact "
             "convert MESH --sdf "
             "49): the others lie up to %s m outside; it lies on a steady side, %s m high",
             form->mesh.hull->nvertex, form->mesh.npoint, tact_quote(form->file).text, tact_rounded(form->mesh.outside, 3).text,
             tact_rounded(form->high, 3).text);
    return TACT_EXIT_DONE;
}

int tact_new_weigh(const tact_call *call, double density, tact_new_object *object, tact_new_form *form) {
    double volume = 0, moment[3];
    if (object->type == TACT_SHAPE_HULL) return weigh_hull(call, density, object, form);
    tact_shape_volume(object->type, object->size, &volume, moment);
    object->mass = round_six(density * volume);
    for (int k = 0; k < 3; k++) {
        // a capsule lies along x: its axes are turned
        int axis = object->type == TACT_SHAPE_CAPSULE ? 2 - k : k;
        object->inertia[k] = round_six(object->mass * moment[axis]);
    }
    form->half = (double)object->size[0];
    form->least = 2 * (double)object->size[0];
    form->contacts = object->type == TACT_SHAPE_SPHERE    ? 1
                     : object->type == TACT_SHAPE_CAPSULE ? 2
                     : object->type == TACT_SHAPE_BOX     ? 4
                                                          : RIM;
    // its greatest length
    for (int k = 0; k < 3; k++)
        form->size = fmax(form->size, 2 * ((double)object->size[k] +
                                           (object->type == TACT_SHAPE_CAPSULE && k > 0 ? (double)object->size[0] : 0)));
    if (object->type == TACT_SHAPE_BOX) {
        form->half = (double)object->size[2];
        form->least = 2 * fmin((double)object->size[0], fmin((double)object->size[1], (double)object->size[2]));
    } else if (object->type == TACT_SHAPE_CYLINDER) {
        form->half = (double)object->size[1];
        form->least = fmin(form->least, 2 * (double)object->size[1]);
    }
    return TACT_EXIT_DONE;
}

// ---- its shapes ----

void tact_new_add_sphere(tact_text *out, const char *name, const char *body, double radius, const double at[3],
                         const tact_draft_shape *like) {
    tact_text_print(out, ",\n    { \"name\": %s, \"body\": %s, \"type\": \"sphere\", \"radius\": %g, \"xyz\": ", name, body,
                    round_six(radius));
    tact_new_add_numbers(out, at, 3);
    if (like && like->mu >= 0) tact_text_print(out, ", \"mu\": %g", (double)like->mu);
    if (like && like->priority != 0) tact_text_print(out, ", \"priority\": %d", like->priority);
    tact_text_add(out, " }");
}

void tact_new_name_touch(const tact_new_object *object, int number, char name[32]) {
    static const char *const names[] = {[TACT_SHAPE_BOX] = "corner", [TACT_SHAPE_CAPSULE] = "end", [TACT_SHAPE_CYLINDER] = "rim"};
    snprintf(name, 32, "%s_%d", names[object->type], number);
}

static void add_touch(const tact_new_object *object, const char *body, int number, double radius, const double at[3],
                      tact_text *out) {
    char name[32];
    tact_new_name_touch(object, number, name);
    tact_new_add_sphere(out, name, body, radius, at, NULL);
}

// Point i of the rims of a cylinder.
static void find_rim(const tact_new_object *object, int i, double at[3]) {
    double angle = TURN / RIM * (i % RIM), a = (double)object->size[0], b = (double)object->size[1];
    at[0] = round_six(a * cos(angle));
    at[1] = round_six(a * sin(angle));
    at[2] = round_six(i < RIM ? -b : b);
}

// Adds the spheres by which an object touches a plane: corners of a box, ends of a capsule, points of a cylinder's rims. Their
// number.
int tact_new_add_touches(const tact_new_object *object, const char *body, tact_text *out) {
    double a = (double)object->size[0], b = (double)object->size[1], c = (double)object->size[2], r = (double)object->size[3];
    int count = 0;
    for (int i = 0; object->type == TACT_SHAPE_BOX && i < 8; i++) {
        double at[3] = {round_six((i & 1 ? 1 : -1) * (a - r)), round_six((i & 2 ? 1 : -1) * (b - r)),
                        round_six((i & 4 ? 1 : -1) * (c - r))};
        add_touch(object, body, ++count, r, at, out);
    }
    for (int i = 0; object->type == TACT_SHAPE_CAPSULE && i < 2; i++) {
        double at[3] = {round_six(i ? b : -b), 0, 0};
        add_touch(object, body, ++count, a, at, out);
    }
    for (int i = 0; object->type == TACT_SHAPE_CYLINDER && i < 2 * RIM; i++) {
        double at[3];
        find_rim(object, i, at);
        add_touch(object, body, ++count, 0, at, out);
    }
    return count;
}

void tact_new_add_can(const tact_new_object *object, const char *body, tact_text *out) {
    tact_text_add(out, ",\n    { \"name\": \"" TACT_NEW_CAN "\", \"body\": ");
    tact_text_print(out, "%s, \"type\": \"hull\", \"points\": [", body);
    for (int i = 0; i < 2 * RIM; i++) {
        double at[3];
        find_rim(object, i, at);
        tact_text_add(out, i == 0 ? "" : i % 4 == 0 ? ",\n        " : ", ");
        tact_new_add_numbers(out, at, 3);
    }
    tact_text_add(out, "] }");
}

void tact_new_add_shape(const tact_new_object *object, const tact_new_form *form, const char *body, tact_text *out) {
    double size[3] = {2 * (double)object->size[0], 2 * (double)object->size[1], 2 * (double)object->size[2]};
    tact_text_print(out, "    { \"name\": %s, \"body\": %s, \"type\": %s, ", body, body, tact_shape_type_names[object->type]);
    if (object->type == TACT_SHAPE_HULL) {
        const double quat[4] = {(double)form->turn.w, (double)form->turn.x, (double)form->turn.y, (double)form->turn.z};
        tact_text_print(out, "\"file\": %s, \"scale\": ", form->file);
        tact_text_print(out, "%g, \"vertices\": %d,\n      \"xyz\": ", form->mesh.scale[0], form->mesh.vertices);
        tact_new_add_numbers(out, form->xyz, 3);
        tact_text_add(out, ", \"quat\": ");
        tact_new_add_numbers(out, quat, 4);
    } else if (object->type == TACT_SHAPE_BOX) {
        tact_text_add(out, "\"size\": ");
        for (int k = 0; k < 3; k++) size[k] = round_six(size[k]);
        tact_new_add_numbers(out, size, 3);
        tact_text_print(out, ", \"round\": %g", (double)object->size[3] > 0 ? round_six((double)object->size[3]) : 0);
    } else {
        tact_text_print(out, "\"radius\": %g", round_six((double)object->size[0]));
        if (object->type != TACT_SHAPE_SPHERE) tact_text_add(out, ", \"length\": ");
        if (object->type != TACT_SHAPE_SPHERE) tact_text_add_number(out, round_six(size[1]));
        // a capsule lies, along x
        if (object->type == TACT_SHAPE_CAPSULE) tact_text_add(out, ", \"rpy\": [0, 1.5707963267948966, 0]");
    }
    tact_text_add(out, " }");
}
