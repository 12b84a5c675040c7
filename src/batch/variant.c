// SPDX-License-Identifier: MIT

#include <errno.h>
#include <string.h>

#include "batch/probe.h"
#include "scene/kind.h"
#include "tact/keys.h"
#include "tact/memory.h"

void tact_variant_find_regions(tact_scene *scene, tact_variant_regions *regions) {
    TACT_ASSERT(scene && regions);
    const tact_model *model = &scene->model;
    const tact_command *command = &scene->command;
    // What a parameter may reach: these arrays of the model, the command and the options.
    size_t nu = (size_t)model->nu, ntime = (size_t)command->ntime, real = sizeof(tact_real);
    *regions = (tact_variant_regions){
        .base = {(void *)model->body, (void *)model->dof, (void *)model->shape, (void *)model->pair, (void *)model->q0,
                 (void *)model->v0, command->fixed, command->times, command->u, &scene->options},
        .size = {(size_t)model->nbody * sizeof(tact_body), (size_t)model->nv * sizeof(tact_dof),
                 (size_t)model->nshape * sizeof(tact_shape), (size_t)model->npair * sizeof(tact_pair), (size_t)model->nq * real,
                 (size_t)model->nv * real, nu * real, ntime * real, ntime * nu * real, sizeof scene->options}};
}

void tact_variant_place_copy(tact_scene *scene, const bool *own, tact_scene *copy, tact_arena *arena) {
    TACT_ASSERT(copy);
    tact_variant_regions regions;
    // Only regions in which something differs are copied; the others are shared.
    tact_variant_find_regions(scene, &regions);
    *copy = *scene;
    // the options are within the scene
    for (int r = 0; r < TACT_VARIANT_OPTIONS && own; r++) {
        void *memory = own[r] ? tact_arena_take(arena, regions.size[r], 1) : NULL;
        if (!memory) continue;
        memcpy(memory, regions.base[r], regions.size[r]);
        // the copy's pointer to that region
        switch (r) {
        case 0: copy->model.body = memory; break;
        case 1: copy->model.dof = memory; break;
        case 2: copy->model.shape = memory; break;
        case 3: copy->model.pair = memory; break;
        case 4: copy->model.q0 = memory; break;
        case 5: copy->model.v0 = memory; break;
        case 6: copy->command.fixed = memory; break;
        case 7: copy->command.times = memory; break;
        case 8: copy->command.u = memory; break;
        default: break;
        }
    }
}

bool tact_variant_patch_copy(const tact_variant *variant, const tact_real *value, tact_scene *copy) {
    TACT_ASSERT(variant && copy);
    tact_variant_regions regions;
    tact_variant_find_regions(copy, &regions);
    // Each number to where the probes found it.
    for (int k = 0; k < variant->npatch; k++) {
        const tact_variant_patch *at = &variant->patch[k];
        memcpy((unsigned char *)regions.base[at->region] + at->offset, &value[at->draw], sizeof value[0]);
    }
    return variant->npatch == 0 || (!tact_model_check(&copy->model).field && !tact_options_check(&copy->options));
}

bool tact_variant_same_shape(const tact_model *a, const tact_model *b) {
    return a->nbody == b->nbody && a->nshape == b->nshape && a->npair == b->npair && a->nq == b->nq && a->nv == b->nv &&
           a->nu == b->nu && a->nloop == b->nloop && a->nspring == b->nspring && tact_model_pairs(a) == tact_model_pairs(b);
}

// what stands in the text for a value of a parameter
static void add_value(const tact_draw *draw, tact_real value, int index, tact_text *out) {
    if (draw->word)
        tact_text_add(out, draw->word[index]);
    else
        tact_text_add_number(out, (double)value);
}

// Applies a setting to the variant's text; from: the parameter that sets it, NULL: none.
static bool apply(tact_variant *variant, const tact_batch_spec *spec, const tact_draw *from, const char *setting,
                  tact_errors *errors) {
    TACT_ASSERT(setting);
    // One setting worked into the text; errors name the parameter that it comes from.
    tact_scene_settings one = {.set = &setting, .nset = 1};
    if (from) one.origin = &spec->json;
    if (from) one.node = from->node;
    tact_text next = {0};
    bool good = tact_scene_apply(tact_text_source(&variant->text, variant->path), &one, &next, errors);
    tact_text_free(good ? &variant->text : &next);
    if (good) variant->text = next;
    return good;
}

// Applies a setting that was written into a text, and frees the text.
static bool apply_text(tact_variant *variant, const tact_batch_spec *spec, const tact_draw *from, tact_text *setting,
                       tact_errors *errors) {
    bool good =
        setting->failed ? tact_file_refuse(variant->path, ENOMEM, errors) : apply(variant, spec, from, setting->bytes, errors);
    tact_text_free(setting);
    return good;
}

// The spans of the parameters, and their order in the text.
static bool find_spans(tact_variant *variant, const tact_batch_spec *spec, const tact_json *json, tact_errors *errors) {
    // Insertion sort by the place in the text; two parameters at one place are refused.
    for (int i = 0; i < spec->ndraw; i++) {
        int node = tact_scene_find(json, spec->draw[i].path), k = i;
        if (node < 0) {
            // a number in place of an object or a name: its path leads nowhere any more
            tact_batch_spec_report(spec, i, TACT_ERROR_REFUSED, errors,
                                   "%s is no value but an object or a name: go on to a number "
                                   "in it, as bodies.ball.mass",
                                   tact_quote(spec->draw[i].path).text);
            return false;
        }
        size_t at = json->nodes[node].at;
        variant->span[i] = (tact_variant_span){at, tact_json_extent(json, at)};
        for (; k > 0 && variant->span[variant->order[k - 1]].at > at; k--) variant->order[k] = variant->order[k - 1];
        variant->order[k] = i;
        if (k > 0 && variant->span[variant->order[k - 1]].at == at) {
            tact_batch_spec_report(spec, i, TACT_ERROR_REFUSED, errors, "%s is given twice: before, as %s",
                                   tact_quote(spec->draw[i].path).text, tact_quote(spec->draw[variant->order[k - 1]].path).text);
            return false;
        }
    }
    return true;
}

static bool read_text(tact_variant *variant, tact_errors *errors) {
    // Folder of the scene, for the robots that it names.
    const char *slash = strrchr(variant->path, '/');
    tact_text_add_bytes(&variant->folder, variant->path, slash ? (size_t)(slash - variant->path) + 1 : 0);
    if (variant->folder.failed) return tact_file_refuse(variant->path, ENOMEM, errors);
    return tact_text_read(&variant->text, variant->path, TACT_TEXT_LIMIT, errors) &&
           !tact_kind_refuse(tact_text_source(&variant->text, variant->path), "a scene", errors);
}

// Memory of the spans, and each parameter's place in the base's text.
static bool place_spans(tact_variant *variant, const tact_batch_spec *spec, tact_errors *errors) {
    tact_json json;
    size_t count = (size_t)spec->ndraw;
    variant->span = tact_memory_get(count * sizeof *variant->span);
    variant->order = tact_memory_get(count * sizeof *variant->order);
    if (!variant->span || !variant->order) return tact_file_refuse(variant->path, ENOMEM, errors);
    if (!tact_json_read(&json, tact_text_source(&variant->text, variant->path), errors)) return false;
    bool good = find_spans(variant, spec, &json, errors);
    tact_json_free(&json);
    return good;
}

static tact_scene *parse_text(const tact_variant *variant, const tact_text *text, tact_errors *errors) {
    tact_scene_settings settings = {.law = variant->law, .finds = true};
    return tact_scene_parse(tact_text_source(text, variant->path), variant->folder.bytes, &settings, errors);
}

static bool open_read(tact_variant *variant, const tact_batch_spec *spec, const tact_scene_settings *settings,
                      tact_errors *errors) {
    // Works all settings, the command and the parameters into the text.
    for (int i = 0; i < settings->nset; i++)
        if (!apply(variant, spec, NULL, settings->set[i], errors)) return false;
    if (spec->command.size > 0) {
        tact_text setting = {0};
        tact_text_add(&setting, "command=");
        tact_text_add_bytes(&setting, spec->command.bytes, spec->command.size);
        if (!apply_text(variant, spec, NULL, &setting, errors)) return false;
    }
    for (int i = 0; i < spec->ndraw; i++) {
        tact_text setting = {0};
        // "path=value" for the base
        const tact_draw *draw = &spec->draw[i];
        tact_text_print(&setting, "%-s=", draw->path);
        add_value(draw, tact_probe_value(draw, 0), 0, &setting);
        if (!apply_text(variant, spec, &spec->draw[i], &setting, errors)) return false;
    }
    if (!place_spans(variant, spec, errors)) return false;
    const int kept = errors->kept;
    variant->scene = parse_text(variant, &variant->text, errors);
    if (!variant->scene && spec->ndraw > 0) tact_probe_tell_base(spec, kept, errors);
    return variant->scene && tact_probe_all(variant, spec, errors);
}

bool tact_variant_open(tact_variant *variant, const tact_batch_spec *spec, int k, const tact_scene_settings *settings,
                       tact_errors *errors) {
    TACT_ASSERT(variant && spec && settings);
    *variant = (tact_variant){.path = spec->scene[k], .law = settings->law};
    bool read = read_text(variant, errors);
    if (!read) tact_batch_spec_place(spec, k, errors);
    return read && open_read(variant, spec, settings, errors);
}

bool tact_variant_open_text(tact_variant *variant, const tact_batch_spec *spec, tact_source source, const char *folder,
                            const char *law, tact_errors *errors) {
    TACT_ASSERT(variant);
    tact_scene_settings settings = {.law = law};
    *variant = (tact_variant){.path = source.name, .law = law};
    tact_text_add(&variant->folder, folder);
    tact_text_add_bytes(&variant->text, source.bytes, source.size);
    if (variant->folder.failed || variant->text.failed) return tact_file_refuse(variant->path, ENOMEM, errors);
    return open_read(variant, spec, &settings, errors);
}

void tact_variant_free(tact_variant *variant) {
    TACT_ASSERT(variant);
    if (variant->scene) tact_scene_free(variant->scene);
    tact_text_free(&variant->folder);
    tact_text_free(&variant->text);
    tact_memory_release(variant->span);
    tact_memory_release(variant->order);
    tact_memory_release(variant->patch);
    *variant = (tact_variant){0};
}

void tact_variant_write_with(const tact_variant *variant, const tact_batch_spec *spec, const tact_real *value, const int *index,
                             tact_text *out) {
    TACT_ASSERT(variant && spec);
    // Text between the spans as it is, the values in place of the spans.
    size_t at = 0;
    for (int k = 0; k < spec->ndraw; k++) {
        int i = variant->order[k];
        tact_text_add_bytes(out, variant->text.bytes + at, variant->span[i].at - at);
        add_value(&spec->draw[i], value[i], index[i], out);
        at = variant->span[i].at + variant->span[i].size;
    }
    tact_text_add_bytes(out, variant->text.bytes + at, variant->text.size - at);
}

void tact_variant_write(const tact_variant *variant, const tact_batch_spec *spec, long long environment, tact_text *out) {
    TACT_ASSERT(spec);
    tact_real value[TACT_BATCH_DRAWS_MAX];
    int index[TACT_BATCH_DRAWS_MAX] = {0};
    // Draws of the environment, by seed, environment and parameter.
    for (int i = 0; i < spec->ndraw; i++)
        value[i] = tact_draw_value(&spec->draw[i], (uint64_t)spec->seed, (uint64_t)environment, i, &index[i]);
    tact_variant_write_with(variant, spec, value, index, out);
}

tact_scene *tact_variant_parse(const tact_variant *variant, tact_text *text, tact_errors *errors) {
    tact_scene *scene = NULL;
    if (text->failed)
        tact_file_refuse(variant->path, ENOMEM, errors);
    else
        scene = parse_text(variant, text, errors);
    tact_text_free(text);
    return scene;
}

tact_scene *tact_variant_load_with(const tact_variant *variant, const tact_batch_spec *spec, const tact_real *value,
                                   tact_errors *errors) {
    TACT_ASSERT(variant && spec && errors);
    static const int none[TACT_BATCH_DRAWS_MAX];
    tact_text text = {0};
    tact_variant_write_with(variant, spec, value, none, &text);
    return tact_variant_parse(variant, &text, errors);
}

tact_scene *tact_variant_load(const tact_variant *variant, const tact_batch_spec *spec, long long environment,
                              tact_errors *errors) {
    TACT_ASSERT(variant && spec && errors);
    tact_text text = {0};
    tact_variant_write(variant, spec, environment, &text);
    return tact_variant_parse(variant, &text, errors);
}
