// SPDX-License-Identifier: MIT
#include "tact/batch.h"

#include <errno.h>
#include <string.h>

#include "batch/slopes.h"
#include "tact/memory.h"

// of a chunk's results; a single environment may need more
#define CHUNK_BYTES ((size_t)4 << 20)
#define CHUNK_LEAST 8
#define CHUNKS_WANTED 512

static void add_array(tact_batch *batch, const char *name, const char *unit, const char *meaning, bool whole) {
    tact_batch_array *array = &batch->array[batch->narray++];
    *array = (tact_batch_array){.name = name, .unit = unit, .meaning = meaning, .whole = whole, .bytes = whole ? 4 : 8};
}

// Another axis of the last array; a size that overflows stays at SIZE_MAX / 4, which no memory holds.
static void add_axis(tact_batch *batch, long long size) {
    tact_batch_array *array = &batch->array[batch->narray - 1];
    array->shape[array->ndim++] = size;
    if (size > 0 && array->bytes > SIZE_MAX / 4 / (size_t)size)
        array->bytes = SIZE_MAX / 4;
    else
        array->bytes *= (size_t)size;
}

// An array of a matrix (rows, columns) for each environment.
static void add_matrix(tact_batch *batch, const char *name, const char *unit, const char *meaning, int rows, int columns) {
    add_array(batch, name, unit, meaning, false);
    add_axis(batch, rows);
    add_axis(batch, columns);
}

static void add_paths(tact_batch *batch) {
    // Paths: the initial state and every record.every steps.
    const tact_batch_spec *spec = batch->spec;
    add_array(batch, "path_q", "m, rad", "coordinates every record.every steps, the initial ones first", false);
    add_axis(batch, batch->rows);
    add_axis(batch, batch->nq);
    add_array(batch, "path_v", "m/s, rad/s", "velocities", false);
    add_axis(batch, batch->rows);
    add_axis(batch, batch->nv);
    if (!spec->forces) return;
    add_array(batch, "path_lambda", "N", "forces of the step that led to each", false);
    add_axis(batch, batch->rows);
    add_axis(batch, batch->npair);
    add_axis(batch, 3);
}

// The pairs of forces, in each of so many rows; rows 0: of the last step only.
static void add_touch(tact_batch *batch, const char *name, const char *meaning, long long rows) {
    add_array(batch, name, "1", meaning, true);
    if (rows > 0) add_axis(batch, rows);
    add_axis(batch, batch->npair);
    add_axis(batch, 2);
}

// Which arrays a row of the results has, bytes of a row, and how many environments make a chunk.
static void lay_out(tact_batch *batch) {
    const tact_batch_spec *spec = batch->spec;
    batch->rows = spec->every > 0 ? spec->steps / spec->every + 1 : 0;
    // Arrays of whole numbers come last, so that all are aligned.
    if (spec->ndraw > 0) {
        add_array(batch, "parameters", "as in the scene", "values drawn; of words their index", false);
        add_axis(batch, spec->ndraw);
    }
    if (spec->final) {
        add_array(batch, "q", "m, rad", "last coordinates", false);
        add_axis(batch, batch->nq);
        add_array(batch, "v", "m/s, rad/s", "last velocities", false);
        add_axis(batch, batch->nv);
    }
    if (spec->forces && (spec->final || spec->every == 0)) {
        add_array(batch, "lambda", "N", "forces of the last step on b of each pair: normal, tangent, tangent", false);
        add_axis(batch, batch->npair);
        add_axis(batch, 3);
    }
    if (batch->rows > 0) add_paths(batch);
    if (spec->derivatives) {
        add_matrix(batch, "A", "1", "dx+/dx of the last step: x is q in the tangent space; under rigid and virtual q, then v",
                   batch->nx, batch->nx);
        add_matrix(batch, "B", "1", "dx+/du", batch->nx, batch->nu);
        add_matrix(batch, "C", "N/m, N/rad", "dlambda/dx, three rows for each pair", 3 * batch->npair, batch->nx);
        add_matrix(batch, "D", "N/m, N/rad", "dlambda/du", 3 * batch->npair, batch->nu);
    }
    // which pairs the rows of forces and of C and D are, where steps find them
    if (batch->finds && (spec->derivatives || (spec->forces && (spec->final || spec->every == 0))))
        add_touch(batch, "touch", "shapes a and b of each pair in the last step, -1 where it found none", 0);
    if (batch->finds && spec->forces && batch->rows > 0) add_touch(batch, "path_touch", "the same of path_lambda", batch->rows);
    if (spec->derivatives)
        add_array(batch, "kink", "1", "of A to D: 0 smooth, 1 they hold to one side, -1 the last step has none", true);
    add_array(batch, "status", "tact_status", "0 converged, > 0 usable, < 0 the step that has no answer ended it", true);
    add_array(batch, "steps", "1", "steps that were made", true);
    add_array(batch, "iterations", "1", "of the solver, of all steps, at most 2^31 - 1", true);
    for (int i = 0; i < batch->narray; i++)
        batch->bytes = batch->array[i].bytes < SIZE_MAX / 4 - batch->bytes ? batch->bytes + batch->array[i].bytes : SIZE_MAX / 4;
    // As many chunks as are wanted, of at least CHUNK_LEAST environments, none larger than CHUNK_BYTES.
    long long size = spec->envs / CHUNKS_WANTED / CHUNK_LEAST * CHUNK_LEAST;
    if (size < CHUNK_LEAST) size = CHUNK_LEAST;
    if (size > TACT_BATCH_CHUNK) size = TACT_BATCH_CHUNK;
    while (size > 1 && (size_t)size * batch->bytes > CHUNK_BYTES) size /= 2;
    batch->chunk = (int)size;
    batch->chunks = (spec->envs + size - 1) / size;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

bool tact_batch_open(tact_batch *batch, const tact_batch_spec *spec, const tact_scene_settings *settings, tact_errors *errors) {
    TACT_ASSERT(batch);
    TACT_ASSERT(spec->nscene >= 0);
    *batch = (tact_batch){.spec = spec};
    batch->variant = tact_memory_get((size_t)spec->nscene * sizeof *batch->variant);
    if (!batch->variant) {
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){0}, "out of memory");
        return false;
    }
    memset(batch->variant, 0, (size_t)spec->nscene * sizeof *batch->variant);
    // Each scene as a variant; arrays have room for the largest of them.
    for (int i = 0; i < spec->nscene; i++) {
        tact_variant *variant = &batch->variant[i];
        if (!tact_variant_open(variant, spec, i, settings, errors)) return false;
        // Derivatives of scenes that have none are refused before the start.
        if (spec->derivatives) {
            const char *reason = tact_linear_refuse(&variant->scene->model);
            if (reason) tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = variant->path}, "%s", reason);
            if (reason) return false;
        }
        const tact_model *model = &variant->scene->model;
        batch->nq = larger(batch->nq, model->nq);
        batch->nv = larger(batch->nv, model->nv);
        batch->nu = larger(batch->nu, model->nu);
        batch->nx = larger(batch->nx, variant->nx);
        batch->npair = larger(batch->npair, tact_model_pairs(model));
        batch->finds = batch->finds || model->search;
    }
    lay_out(batch);
    return true;
}

void tact_batch_free(tact_batch *batch) {
    TACT_ASSERT(batch);
    for (int i = 0; batch->variant && i < batch->spec->nscene; i++) tact_variant_free(&batch->variant[i]);
    tact_memory_release(batch->variant);
    *batch = (tact_batch){0};
}

static void digest_text(tact_digest *digest, const char *text) {
    tact_digest_add(digest, text, strlen(text) + 1);
}

static void digest_integer(tact_digest *digest, long long value) {
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) bytes[i] = (unsigned char)((unsigned long long)value >> (8 * i));
    tact_digest_add(digest, bytes, sizeof bytes);
}

static void digest_number(tact_digest *digest, tact_real value) {
    digest_text(digest, tact_number_print((double)value).text);
}

// Adds the files of the scene's robots to the digest.
static bool digest_robots(tact_digest *digest, const tact_variant *variant, tact_errors *errors) {
    tact_json json;
    bool good = true;
    if (!tact_json_read(&json, tact_text_source(&variant->text, variant->path), errors)) return false;
    int robots = tact_json_find(&json, 0, "robots");
    for (int i = robots >= 0 ? tact_json_first(&json, robots) : -1; good && i >= 0; i = tact_json_after(&json, i)) {
        // Each file by its bytes; a relative path begins at the scene's folder.
        const char *name = tact_json_get_string(&json, tact_json_need(&json, i, "file"), 4096);
        tact_text path = {0}, text = {0};
        if (name && name[0] != '/') tact_text_add(&path, variant->folder.bytes);
        if (name) tact_text_add(&path, name);
        if (path.failed) tact_file_refuse(variant->path, ENOMEM, errors);
        good = name && !path.failed && tact_text_read(&text, path.bytes, TACT_TEXT_LIMIT, errors);
        if (good) tact_digest_add(digest, text.bytes, text.size);
        tact_text_free(&path);
        tact_text_free(&text);
    }
    tact_json_free(&json);
    return good;
}

// The numbers of a scene's grids, as they are in the model: the files lie beside the scene or beside its robots.
static void digest_grids(tact_digest *digest, const tact_model *model) {
    for (int s = 0; s < model->nshape; s++) {
        const tact_grid *grid = model->shape[s].grid;
        if (!grid) continue;
        // Size, place and all numbers, as bits of double whatever their type.
        size_t total = (size_t)grid->count[0] * (size_t)grid->count[1] * (size_t)grid->count[2];
        const tact_real place[5] = {grid->low.x, grid->low.y, grid->low.z, grid->step, grid->unit};
        digest_integer(digest, s);
        for (int k = 0; k < 3; k++) digest_integer(digest, grid->count[k]);
        for (int k = 0; k < 5; k++) digest_number(digest, place[k]);
        digest_text(digest, grid->value ? "numbers" : "whole numbers");
        for (size_t i = 0; i < total; i++) {
            double number = grid->value ? (double)grid->value[i] : (double)grid->fine[i];
            unsigned long long bits = 0;
            memcpy(&bits, &number, sizeof bits);
            digest_integer(digest, (long long)bits);
        }
    }
}

// The vertices of hulls: their meshes are files beside the scene's text, too.
static void digest_hulls(tact_digest *digest, const tact_model *model) {
    for (int s = 0; s < model->nshape; s++) {
        const tact_hull *hull = model->shape[s].hull;
        for (int i = 0; hull && i < hull->nvertex; i++) {
            const tact_real x[3] = {hull->vertex[i].x, hull->vertex[i].y, hull->vertex[i].z};
            for (int k = 0; k < 3; k++) digest_number(digest, x[k]);
        }
    }
}

bool tact_batch_digest(tact_batch *batch, tact_digest *digest, tact_errors *errors) {
    TACT_ASSERT(batch);
    const tact_batch_spec *spec = batch->spec;
    // Version, bits of the machine's arithmetic, spec, then the scenes' texts with their robots, grids and hulls.
    if (!tact_fingerprint_find(batch->lanes, &batch->bits, errors)) return false;
    digest_text(digest, "tact batch 1 " TACT_VERSION);
    digest_text(digest, batch->bits.text);
    digest_integer(digest, sizeof(tact_real));
    digest_integer(digest, spec->envs);
    digest_integer(digest, spec->steps);
    digest_integer(digest, spec->seed);
    digest_integer(digest, spec->every);
    digest_integer(digest, (spec->final ? 1 : 0) + (spec->forces ? 2 : 0) + (spec->derivatives ? 4 : 0));
    for (int i = 0; i < spec->ndraw; i++) {
        const tact_draw *draw = &spec->draw[i];
        // Whatever changes a value that is drawn.
        digest_text(digest, draw->path);
        digest_integer(digest, draw->kind);
        digest_number(digest, draw->a);
        digest_number(digest, draw->b);
        digest_integer(digest, draw->nchoice);
        for (int k = 0; k < draw->nchoice; k++) {
            digest_number(digest, draw->value[k]);
            digest_text(digest, draw->word ? draw->word[k] : "");
        }
    }
    for (int i = 0; i < spec->nscene; i++) {
        const tact_variant *variant = &batch->variant[i];
        digest_text(digest, variant->law ? variant->law : "");
        digest_integer(digest, (long long)variant->text.size);
        tact_digest_add(digest, variant->text.bytes, variant->text.size);
        if (!digest_robots(digest, variant, errors)) return false;
        digest_grids(digest, &variant->scene->model);
        digest_hulls(digest, &variant->scene->model);
    }
    return true;
}
