// SPDX-License-Identifier: MIT
// Meshes of a scene for the page. Files are opened only below the root of a package: see scene/mesh_path.h; symbolic links are
// followed first, and must not lead out of it.
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/view.h"
#include "scene/memory.h"
#include "scene/mesh_path.h"
#include "scene/quote.h"
#include "view/mesh.h"

enum {
    PATH_ROOM = 4096,
    FILES = 256,
    TRIANGLES = 24000,  // in a page
    NOTES = 8
};

typedef struct {
    char *path;  // as realpath gives it; memory of malloc
    tact_mesh mesh;
    int number;  // among those that are written, -1: it cannot be drawn
} surface;

typedef struct {
    const char *packages;
    surface surface[FILES];
    int nsurface, nbody, nnote;
    tact_text bodies, notes;
    bool no_memory;
} collection;

static void add_note(collection *to, const char *text) {
    if (to->nnote++ >= NOTES) return;
    char whole[1400];
    snprintf(whole, sizeof whole, "%s; its body is drawn as limbs", text);
    tact_say("view: %s", whole);
    if (to->nnote > 1) tact_text_add(&to->notes, ",");
    tact_view_add_safe(&to->notes, whole);
}

static void note(collection *to, const char *file, const char *reason) {
    char text[400];
    snprintf(text, sizeof text, "mesh %s: %s", tact_quote(file).text, reason);
    add_note(to, text);
}

// Cuts the last part off a path; false at the root.
static bool climb(char *path) {
    char *slash = strrchr(path, '/');
    if (!slash || !path[1]) return false;
    slash[slash == path] = '\0';
    return true;
}

// The folder of a package, by its name: above the robot's file, or among the packages that were given.
static bool find_package(const collection *in, char *folder, const char *name, size_t size, char root[PATH_ROOM]) {
    while (folder[1]) {
        const char *last = strrchr(folder, '/') + 1;
        if (strlen(last) == size && memcmp(last, name, size) == 0) {
            snprintf(root, PATH_ROOM, "%s", folder);
            return true;
        }
        climb(folder);
    }
    return in->packages && snprintf(root, PATH_ROOM, "%s/%.*s", in->packages, (int)size, name) < PATH_ROOM;
}

// Where a mesh should be, and the root that it must not leave. NULL, or why there is no such place.
static const char *find_place(const collection *in, const tact_scene_mesh *mesh, char place[PATH_ROOM], char root[PATH_ROOM]) {
    char from[PATH_ROOM];
    const char *rest = tact_mesh_package(mesh->file), *slash = strrchr(mesh->from, '/');
    int size = snprintf(from, sizeof from, "%.*s", slash ? (int)(slash - mesh->from) + 1 : 1, slash ? mesh->from : ".");
    char *folder = size < PATH_ROOM ? realpath(from, NULL) : NULL;
    if (!folder) return "its folder cannot be read";
    const char *why = NULL;
    if (rest) {
        size_t name = strcspn(rest, "/");
        if (!find_package(in, folder, rest, name, root))
            why = "no folder above the robot file has the package's name (--packages says where packages are)";
        else if (snprintf(place, PATH_ROOM, "%s%s", root, rest + name) >= PATH_ROOM)
            why = "too long a path";
    } else {
        if (snprintf(place, PATH_ROOM, "%s/%s", folder, mesh->file) >= PATH_ROOM) why = "too long a path";
        climb(folder);
        snprintf(root, PATH_ROOM, "%s", folder);
    }
    free(folder);
    return why;
}

// The file itself, without links; NULL after telling why.
static char *resolve(collection *to, const tact_scene_mesh *mesh) {
    char place[PATH_ROOM], root[PATH_ROOM];
    const char *why = tact_mesh_inside(mesh->file) ? find_place(to, mesh, place, root) : "outside the package root";
    if (why) {
        note(to, mesh->file, why);
        return NULL;
    }
    char *real = realpath(place, NULL), *real_root = real ? realpath(root, NULL) : NULL;
    const tact_reason reason = tact_reason_print(errno);
    if (!real_root) why = reason.text;
    size_t size = real_root ? strlen(real_root) : 0;
    bool inside = size > 0 && strncmp(real, real_root, size) == 0 && (size == 1 || real[size] == '/');
    if (!why && !inside) why = "outside the package root";
    free(real_root);
    if (!why) return real;
    free(real);
    note(to, mesh->file, why);
    return NULL;
}

// Reads a file into its surface; the number stays -1 where that fails.
static void read_surface(collection *to, const char *file, surface *s) {
    tact_errors errors = {0};
    tact_text text = {0};
    bool good = tact_text_read(&text, s->path, TACT_MESH_LIMIT, &errors) &&
                tact_mesh_read(&s->mesh, tact_text_source(&text, file), &errors);
    tact_text_free(&text);
    if (errors.errors > 0) add_note(to, errors.items[0].text);
    if (errors.kind == TACT_ERROR_NO_MEMORY && errors.errors > 0) to->no_memory = true;
    if (good && !tact_mesh_simplify(&s->mesh, TRIANGLES)) to->no_memory = true;
    if (!good || s->mesh.ntriangle == 0) return;
    s->number = 0;
    for (surface *other = to->surface; other < s; other++) s->number += other->number >= 0;
}

// The surface of a file, read when it is named for the first time; NULL when there is none.
static const surface *find_surface(collection *to, const tact_scene_mesh *mesh) {
    char *path = resolve(to, mesh);
    int i = 0;
    if (!path) return NULL;
    while (i < to->nsurface && strcmp(to->surface[i].path, path) != 0) i++;
    if (i < to->nsurface || i == FILES) {
        if (i == FILES) note(to, mesh->file, "there are too many");
        free(path);
    } else {
        to->surface[i] = (surface){.path = path, .number = -1};
        to->nsurface++;
        read_surface(to, mesh->file, &to->surface[i]);
    }
    return i < FILES && to->surface[i].number >= 0 ? &to->surface[i] : NULL;
}

static void add_vector(tact_text *out, const char *key, const tact_real *x, size_t count) {
    tact_text_add(out, key);
    tact_text_add_vector(out, x, count);
}

static void visit(void *context, const tact_scene_mesh *mesh) {
    collection *to = context;
    const surface *s = find_surface(to, mesh);
    const tact_real p[3] = {mesh->place.p.x, mesh->place.p.y, mesh->place.p.z};
    if (!s) return;
    tact_text_add(&to->bodies, to->nbody++ > 0 ? ",{\"body\":" : "{\"body\":");
    tact_view_add_safe(&to->bodies, mesh->body);
    tact_text_add(&to->bodies, ",\"surface\":");
    tact_text_add_integer(&to->bodies, s->number);
    add_vector(&to->bodies, ",\"p\":", p, 3);
    add_vector(&to->bodies, ",\"R\":", &mesh->place.R.m[0][0], 9);
    add_vector(&to->bodies, ",\"scale\":", mesh->scale, 3);
    tact_text_add(&to->bodies, "}");
}

// How many triangles each may have, so that all together have no more than a page's: those that have fewer leave theirs to
// others.
static int find_share(const collection *of) {
    int share = 0, before = -1;
    while (share != before) {
        int small = 0, large = 0;
        for (int i = 0; i < of->nsurface; i++) {
            int count = of->surface[i].number >= 0 ? of->surface[i].mesh.ntriangle : 0;
            small += count <= share ? count : 0;
            large += count > share;
        }
        before = share;
        if (large > 0) share = (TRIANGLES - small) / large;
    }
    return share;
}

static void add_surfaces(collection *from, tact_text *out) {
    int share = find_share(from);
    tact_text_add(out, "{\"surfaces\":[");
    for (int i = 0; i < from->nsurface; i++) {
        surface *s = &from->surface[i];
        if (s->number < 0) continue;
        if (s->mesh.ntriangle > share && !tact_mesh_simplify(&s->mesh, share)) from->no_memory = true;
        if (s->number > 0) tact_text_add(out, ",");
        tact_mesh_write(&s->mesh, out);
    }
}

bool tact_view_add_meshes(tact_text *out, const char *path, const char *packages, tact_errors *errors) {
    collection *all = tact_memory_get(sizeof *all);
    if (!all) {
        out->failed = true;
        return true;
    }
    memset(all, 0, sizeof *all);
    all->packages = packages;
    bool good = tact_scene_visit_meshes(path, visit, all, errors);
    if (all->nnote > NOTES) tact_say("view: %d more meshes are not drawn", all->nnote - NOTES);
    add_surfaces(all, out);
    tact_text_add(out, "],\"bodies\":[");
    tact_text_add_bytes(out, all->bodies.bytes ? all->bodies.bytes : "", all->bodies.size);
    tact_text_add(out, "],\"notes\":[");
    tact_text_add_bytes(out, all->notes.bytes ? all->notes.bytes : "", all->notes.size);
    tact_text_add(out, "]}");
    if (all->no_memory || all->bodies.failed || all->notes.failed) out->failed = true;
    for (int i = 0; i < all->nsurface; i++) {
        tact_mesh_free(&all->surface[i].mesh);
        free(all->surface[i].path);
    }
    tact_text_free(&all->bodies);
    tact_text_free(&all->notes);
    tact_memory_release(all);
    return good;
}
