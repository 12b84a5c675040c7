// SPDX-License-Identifier: MIT
#include "app/batch_scene.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/rewrite.h"

static bool read_commands(void *context, long long environment, long long first, int count, double *u) {
    const tact_batch_source *source = context;
    long long row = (source->each ? environment * source->steps : 0) + first;
    tact_errors errors = {0};
    int reason = tact_npy_read(&source->npy, row * source->nu, count * (int)source->nu, u);
    if (reason != 0) tact_file_refuse(source->npy.name, reason, &errors);
    tact_say_errors(&errors);
    return reason == 0;
}

bool tact_batch_source_open(tact_batch_source *source, tact_batch *batch, tact_errors *errors) {
    const tact_batch_spec *spec = batch->spec;
    if (!spec->command_file) return true;
    for (int i = 0; i < spec->nscene; i++) {
        if (batch->variant[i].scene->model.nu == batch->nu) continue;
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = batch->variant[i].path},
                        "has %d commands, another scene %d: one file does not drive both", batch->variant[i].scene->model.nu,
                        batch->nu);
        return false;
    }
    if (!tact_npy_open(&source->npy, spec->command_file, errors)) {
        tact_batch_spec_place(spec, TACT_BATCH_COMMAND, errors);
        return false;
    }
    const tact_npy *npy = &source->npy;
    // (steps, nu) for all environments, or (envs, steps, nu)
    source->each = npy->ndim == 3;
    source->steps = npy->ndim >= 2 ? npy->shape[npy->ndim - 2] : 0;
    source->nu = npy->ndim >= 2 ? npy->shape[npy->ndim - 1] : 0;
    bool fits = (npy->ndim == 2 || npy->ndim == 3) && source->nu == batch->nu && source->steps >= spec->steps &&
                (!source->each || npy->shape[0] == spec->envs);
    if (!fits) {
        // the shape that was found, beside those that fit
        char found[120] = "";
        size_t used = 0;
        for (int i = 0; i < source->npy.ndim; i++)
            used += (size_t)snprintf(found + used, sizeof found - used, i > 0 ? ", %lld" : "%lld", source->npy.shape[i]);
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = source->npy.name},
                        "shape (%s) (expected (%lld, %d) or (%lld, %lld, %d): steps, commands; environments before them)", found,
                        batch->spec->steps, batch->nu, batch->spec->envs, batch->spec->steps, batch->nu);
        return false;
    }
    batch->commands = (tact_batch_commands){source, read_commands};
    return true;
}

// Adds all numbers of the file of commands to the digest, a part at a time. Without a .npy file there is nothing to add.
bool tact_batch_source_digest(const tact_batch_source *source, tact_digest *digest, tact_errors *errors) {
    double numbers[1024];
    long long count = 1;
    if (source->npy.file < 0 || !source->npy.name) return true;
    for (int i = 0; i < source->npy.ndim; i++) count *= source->npy.shape[i];
    for (long long at = 0; at < count; at += 1024) {
        int part = count - at < 1024 ? (int)(count - at) : 1024;
        int reason = tact_npy_read(&source->npy, at, part, numbers);
        if (reason != 0) {
            tact_file_refuse(source->npy.name, reason, errors);
            return false;
        }
        for (int i = 0; i < part; i++) {
            if (numbers[i] - numbers[i] == 0) continue;
            tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = source->npy.name},
                            "command %lld of step %lld%s is not a finite number", (at + i) % source->nu,
                            (at + i) / source->nu % source->steps, source->each ? " of an environment" : "");
            return false;
        }
        tact_digest_add(digest, numbers, (size_t)part * sizeof numbers[0]);
    }
    return true;
}

void tact_batch_source_close(tact_batch_source *source) {
    tact_npy_close(&source->npy);
}

// The commands of an environment as a trajectory, at the very times at which its steps begin.
static bool add_trajectory(const tact_batch *batch, long long environment, tact_text *out, tact_errors *errors) {
    const tact_batch_spec *spec = batch->spec;
    tact_scene *scene = tact_variant_load(&batch->variant[environment % spec->nscene], spec, environment, errors);
    size_t steps = (size_t)spec->steps, nu = (size_t)batch->nu;
    if (!scene) return false;
    tact_command command = {.mode = TACT_COMMAND_TRAJECTORY, .ntime = (int)spec->steps};
    double *row = tact_memory_get(nu * sizeof *row);
    command.times = tact_memory_get(steps * sizeof *command.times);
    command.u = tact_memory_get(steps * nu * sizeof *command.u);
    bool good = row && command.times && command.u;
    tact_real time = 0;
    for (size_t k = 0; k < steps && good; k++, time += scene->options.dt) {
        // one row at a time
        good = batch->commands.read(batch->commands.context, environment, (long long)k, 1, row);
        command.times[k] = time;
        for (size_t i = 0; i < nu && good; i++) command.u[k * nu + i] = (tact_real)row[i];
    }
    if (good)
        tact_scene_add_command(scene, &command, out);
    else
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = spec->command_file}, "no memory for the commands");
    tact_memory_release(row);
    tact_memory_release(command.times);
    tact_memory_release(command.u);
    tact_scene_free(scene);
    return good;
}

static bool change_key(tact_text *text, const char *key, const tact_text *value, const char *path, tact_errors *errors) {
    tact_text setting = {0};
    tact_text_print(&setting, "%-s=", key);
    if (value->bytes) tact_text_add(&setting, value->bytes);
    bool good = !setting.failed && !value->failed && tact_scene_change(text, setting.bytes, path, errors);
    tact_text_free(&setting);
    return good;
}

int tact_batch_write_scene(const tact_batch *batch, long long environment, const char *path) {
    tact_errors errors = {0};
    tact_text text = {0};
    tact_output output;
    for (int i = 0; i < batch->spec->nscene; i++) {
        const char *scene = batch->variant[i].path;
        // the scene that is read must not be overwritten
        if (tact_file_same(path, scene) || tact_scene_names_robot(scene, path))
            return tact_say_usage(&tact_batch_command, "--write-scene: %s is a scene of the batch itself, or a robot of it",
                                  tact_quote(path).text);
    }
    const tact_variant *variant = &batch->variant[environment % batch->spec->nscene];
    tact_text value = {0};
    tact_variant_write(variant, batch->spec, environment, &text);
    bool good = !text.failed;
    if (good && variant->law) {
        tact_text_add_json(&value, variant->law);
        good = change_key(&text, "law", &value, variant->path, &errors);
    }
    tact_text_clear(&value);
    if (good && batch->commands.read)
        good =
            add_trajectory(batch, environment, &value, &errors) && change_key(&text, "command", &value, variant->path, &errors);
    tact_text_free(&value);
    if (!(good && tact_scene_move_files(&text, variant->path, path, &errors))) {
        tact_text_free(&text);
        if (errors.errors == 0) tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = path}, "out of memory");
        return tact_say_errors(&errors);
    }
    if (!tact_guard_open(&output, path, &errors)) {
        tact_text_free(&text);
        return tact_say_errors(&errors);
    }
    output.text = text;
    return tact_guard_finish(&output, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}
