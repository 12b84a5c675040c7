// SPDX-License-Identifier: MIT
#include "app/batch_manifest.h"

#include <string.h>

const char *tact_manifest_status_name(int status) {
    return status == TACT_STORE_NOT_RUN ? "not_run" : tact_status_name((tact_status)status);
}

static void add_key(tact_text *out, const char *key) {
    tact_text_print(out, ", %s: ", key);
}

static void add_count(tact_text *out, const char *key, long long value) {
    add_key(out, key);
    tact_text_add_integer(out, value);
}

static void add_hash(const char *bytes, size_t size, tact_text *out) {
    tact_digest digest;
    tact_digest_begin(&digest);
    tact_digest_add(&digest, bytes, size);
    tact_text_add_json(out, tact_digest_end(&digest).text);
}

// Names of so many things of a model.
static void add_names(tact_text *out, const char *key, const tact_model *model, int count,
                      tact_thing_name (*name)(const tact_model *model, int i)) {
    add_key(out, key);
    for (int i = 0; i < count; i++) tact_text_print(out, i > 0 ? ", %s" : "[%s", name(model, i).text);
    tact_text_add(out, count > 0 ? "]" : "[]");
}

// Adds a scene of the batch: hash of its file, law, sizes and names. False after reporting.
static bool add_scene(const tact_variant *variant, tact_text *out, tact_errors *errors) {
    const tact_model *model = &variant->scene->model;
    tact_text file = {0};
    if (!tact_text_read(&file, variant->path, TACT_TEXT_LIMIT, errors)) return false;
    tact_text_print(out, "{\"name\": %s", model->names->scene);
    // the file as it was, so that a changed one is noticed
    add_key(out, "sha256");
    add_hash(file.bytes, file.size, out);
    tact_text_free(&file);
    add_key(out, "law");
    tact_text_add_json(out, model->law->name);
    add_key(out, "dt");
    tact_text_add_number(out, (double)variant->scene->options.dt);
    add_count(out, "nq", model->nq);
    add_count(out, "nv", model->nv);
    add_count(out, "nu", model->nu);
    add_count(out, "npair", tact_model_pairs(model));
    add_names(out, "coordinates", model, model->nq, tact_coordinate_name);
    add_names(out, "dofs", model, model->nv, tact_dof_name);
    // names of both shapes of each pair
    add_key(out, "pairs");
    tact_text_add(out, "[");
    for (int i = 0; i < model->npair; i++) {
        tact_text_add(out, i > 0 ? ", [" : "[");
        tact_text_print(out, "%s, %s]", tact_shape_name(model, model->pair[i].a).text,
                        tact_shape_name(model, model->pair[i].b).text);
    }
    tact_text_add(out, "]");
    // the arrays of pairs that a step finds go by numbers of shapes
    if (model->search) add_names(out, "shapes", model, model->search->nwhole, tact_shape_name);
    tact_text_add(out, "}");
    return true;
}

bool tact_manifest_add_head(const tact_batch *batch, const char *digest, tact_text *out, tact_errors *errors) {
    const tact_batch_spec *spec = batch->spec;
    tact_text_add(out, "{\"tact_batch_manifest\": 1, \"tact\": \"" TACT_VERSION "\",\n\"precision\": ");
    tact_text_add_json(out, sizeof(tact_real) == sizeof(float) ? "single" : "double");
    add_key(out, "bits");
    tact_text_add_json(out, batch->bits.text);
    add_key(out, "digest");
    tact_text_add_json(out, digest);
    add_key(out, "spec_sha256");
    add_hash(spec->text.bytes, spec->text.size, out);
    for (int i = 0; i < spec->nscene; i++) {
        tact_text_add(out, i > 0 ? ",\n" : ",\n\"scenes\": [");
        if (!add_scene(&batch->variant[i], out, errors)) return false;
    }
    tact_text_print(out, "],\n\"seed\": %lld", spec->seed);
    add_count(out, "envs", spec->envs);
    add_count(out, "steps", spec->steps);
    add_count(out, "every", spec->every);
    tact_text_add(out, ",\n\"parameters\": [");
    for (int i = 0; i < spec->ndraw; i++) {
        if (i > 0) tact_text_add(out, ",\n");
        // one draw: path, distribution and its numbers
        const tact_draw *draw = &spec->draw[i];
        static const char *const names[] = {"uniform", "normal", "log_uniform", "choice"};
        tact_text_print(out, "{\"path\": %s", draw->path);
        add_key(out, names[draw->kind]);
        tact_text_add(out, "[");
        for (int j = 0; j < draw->nchoice; j++) {
            if (j > 0) tact_text_add(out, ", ");
            if (draw->word)
                tact_text_add(out, draw->word[j]);
            else
                tact_text_add_number(out, (double)draw->value[j]);
        }
        // the two numbers of its distribution
        if (draw->kind != TACT_DRAW_CHOICE) {
            tact_text_print(out, "%g, %g", (double)draw->a, (double)draw->b);
        }
        tact_text_add(out, "]}");
    }
    tact_text_add(out, "],\n");
    return true;
}

void tact_manifest_add_rows(const tact_store *store, long long first, const tact_store_tally *tally, tact_text *out) {
    bool any = false;
    tact_text_print(out, "\"first\": %lld", first);
    add_count(out, "count", store->plan.rows);
    for (int i = 0; i < store->plan.narray; i++) {
        tact_text_add(out, i > 0 ? ",\n" : ",\n\"arrays\": [");
        // one array: file, type, shape, unit and meaning
        const tact_batch_array *array = &store->plan.array[i];
        tact_text_print(out, "{\"file\": %s", tact_store_file_name(array).text);
        add_key(out, "name");
        tact_text_add_json(out, array->name);
        add_key(out, "dtype");
        tact_text_add_json(out, array->whole ? "int32" : "float64");
        add_key(out, "shape");
        tact_text_print(out, "[%lld", store->plan.rows);
        for (int k = 0; k < array->ndim; k++) {
            tact_text_print(out, ", %lld", array->shape[k]);
        }
        tact_text_add(out, "]");
        add_key(out, "unit");
        tact_text_add_json(out, array->unit);
        add_key(out, "meaning");
        tact_text_print(out, "%s}", array->meaning);
    }
    tact_text_add(out, "],\n\"summary\": {");
    // statuses are counted by their int8, from -110 on
    for (int i = 0; i < 128; i++) {
        if (tally->count[i] == 0) continue;
        if (any) tact_text_add(out, ", ");
        any = true;
        tact_text_print(out, "%s: %lld", tact_manifest_status_name(i - 110), tally->count[i]);
    }
    tact_text_add(out, "}}\n");
}
