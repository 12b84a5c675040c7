// SPDX-License-Identifier: MIT
// Meshes of a scene for the page.
#include "tact/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tact/memory.h"

enum {
    FILES = 256,
    TRIANGLES = 24000  // in a page
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
    char note[1300];  // why the first mesh is not drawn
    tact_text bodies, missing;
    bool no_memory;
} collection;

static void add_note(collection *to, const char *text) {
    if (to->nnote++ == 0) snprintf(to->note, sizeof to->note, "%s", text);
}

// One line for all meshes that are not drawn.
static void tell_notes(const collection *from, tact_mesh_notes *notes) {
    char more[40] = "";
    notes->text[0] = '\0';
    if (from->nnote == 0) return;
    if (from->nnote > 1) snprintf(more, sizeof more, " (and %d more meshes)", from->nnote - 1);
    snprintf(notes->text, sizeof notes->text, "%s%s; bodies without a mesh are drawn as limbs", from->note, more);
}

static void note(collection *to, const char *file, const char *reason) {
    char text[400];
    snprintf(text, sizeof text, "mesh %s: %s", tact_quote(file).text, reason);
    add_note(to, text);
}

// The path of the file without links; NULL after reporting why.
static char *resolve(collection *to, const tact_scene_mesh *mesh) {
    tact_reason why;
    char *path = tact_mesh_file(mesh->file, mesh->from, to->packages, &why);
    if (path) return path;
    // noted for people, and by name for a page that can be given it
    note(to, mesh->file, why.text);
    if (to->missing.size > 0) tact_text_add(&to->missing, ",");
    tact_text_add_json(&to->missing, mesh->file);
    return NULL;
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
        // Reads a file into its surface; the number stays -1 where that fails.
        const char *file = mesh->file;
        surface *s = &to->surface[i];
        tact_errors errors = {0};
        tact_text text = {0};
        bool good = tact_text_read(&text, s->path, TACT_MESH_LIMIT, &errors) &&
                    tact_mesh_read(&s->mesh, tact_text_source(&text, file), &errors);
        tact_text_free(&text);
        if (errors.errors > 0) add_note(to, errors.items[0].text);
        if (errors.kind == TACT_ERROR_NO_MEMORY && errors.errors > 0) to->no_memory = true;
        int before = s->mesh.ntriangle;
        if (good && !tact_mesh_simplify(&s->mesh, TRIANGLES)) to->no_memory = true;
        if (good && before > 0 && s->mesh.ntriangle == 0) note(to, file, "simplification leaves no triangle of it");
        if (good && s->mesh.ntriangle != 0) {
            s->number = 0;
            for (surface *other = to->surface; other < s; other++) s->number += other->number >= 0;
        }
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
    tact_text_print(&to->bodies, "%s,\"surface\":%d", mesh->body, s->number);
    add_vector(&to->bodies, ",\"p\":", p, 3);
    add_vector(&to->bodies, ",\"R\":", &mesh->place.R.m[0][0], 9);
    add_vector(&to->bodies, ",\"scale\":", mesh->scale, 3);
    tact_text_add(&to->bodies, "}");
}

static void add_list(tact_text *out, const char *key, const tact_text *list) {
    TACT_ASSERT(key);
    tact_text_add(out, key);
    tact_text_add_bytes(out, list->bytes ? list->bytes : "", list->size);
    if (list->failed) out->failed = true;
}

bool tact_view_meshes(tact_text *out, tact_mesh_notes *notes, const char *path, const char *packages, tact_errors *errors) {
    collection *all = tact_memory_get(sizeof *all);
    notes->text[0] = '\0';
    if (!all) {
        out->failed = true;
        return true;
    }
    memset(all, 0, sizeof *all);
    all->packages = packages;
    bool good = tact_scene_visit_meshes(path, visit, all, errors);
    // each mesh once, then the bodies that show it
    // How many triangles each may have, so that all together have no more than a page's: those that have fewer leave theirs to
    // others.
    int share = 0, before = -1;
    while (share != before) {
        int small = 0, large = 0;
        for (int i = 0; i < all->nsurface; i++) {
            int count = all->surface[i].number >= 0 ? all->surface[i].mesh.ntriangle : 0;
            small += count <= share ? count : 0;
            large += count > share;
        }
        before = share;
        if (large > 0) share = (TRIANGLES - small) / large;
    }
    tact_text_add(out, "{\"surfaces\":[");
    for (int i = 0; i < all->nsurface; i++) {
        surface *s = &all->surface[i];
        if (s->number < 0) continue;
        if (s->mesh.ntriangle > share && !tact_mesh_simplify(&s->mesh, share)) all->no_memory = true;
        if (s->number > 0) tact_text_add(out, ",");
        tact_mesh_write(&s->mesh, out);
    }
    add_list(out, "],\"bodies\":[", &all->bodies);
    add_list(out, "],\"missing\":[", &all->missing);
    tact_text_add(out, "],\"notes\":[");
    tell_notes(all, notes);
    if (notes->text[0]) tact_text_add_json(out, notes->text);
    tact_text_add(out, "]}");
    if (all->no_memory) out->failed = true;
    for (int i = 0; i < all->nsurface; i++) {
        tact_mesh_free(&all->surface[i].mesh);
        free(all->surface[i].path);
    }
    tact_text_free(&all->bodies);
    tact_text_free(&all->missing);
    tact_memory_release(all);
    return good;
}
