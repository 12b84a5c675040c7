// SPDX-License-Identifier: MIT
#include "app/rewrite.h"

#include <string.h>

void tact_scene_add_command(const tact_scene *scene, const tact_command *command, tact_text *out) {
    bool any = false;
    tact_text_add(out, "{\n    \"mode\": \"trajectory\",\n    \"times\": ");
    for (int k = 0; k < command->ntime; k++) {
        tact_text_print(out, "%-s%g", k > 0 ? ", " : "[", (double)command->times[k]);
    }
    tact_text_add(out, "],\n    \"q\": {");
    for (int b = 0; b < scene->model.nbody; b++) {
        const tact_body *body = &scene->model.body[b];
        if (tact_joint_dofs(body->joint) == 0 || scene->model.dof[body->v].body != b || scene->model.dof[body->v].u < 0) continue;
        tact_text_add(out, any ? ",\n      " : "\n      ");
        any = true;
        // "joint": [value at each time]
        const tact_body *joint = &scene->model.body[b];
        size_t nu = (size_t)scene->model.nu, dofs = (size_t)tact_joint_dofs(joint->joint),
               first = (size_t)scene->model.dof[joint->v].u;
        tact_text_add_json(out, scene->model.names->joint[b]);
        for (size_t k = 0; k < (size_t)command->ntime; k++) {
            tact_text_add(out, k > 0 ? ", " : ": [");
            if (dofs > 1)
                tact_text_add_vector(out, command->u + k * nu + first, dofs);
            else
                tact_text_add_number(out, (double)command->u[k * nu + first]);
        }
        tact_text_add(out, "]");
    }
    tact_text_add(out, "\n    }\n  }");
}

// A setting has no line breaks: those of the command come back where it stands now.
static void restore_lines(tact_text *text, const tact_text *command) {
    if (!text->bytes || !command->bytes) return;
    for (size_t at = 0; at + command->size <= text->size; at++) {
        size_t i = 0;
        while (i < command->size && (text->bytes[at + i] == command->bytes[i] || command->bytes[i] == '\n')) i++;
        if (i < command->size) continue;
        memcpy(text->bytes + at, command->bytes, command->size);
        return;
    }
}

bool tact_scene_rewrite(const tact_call *call, tact_source source, const tact_scene *scene, const tact_command *command,
                        tact_text *out, tact_errors *errors) {
    const char *path = tact_call_operand(call, 0), *output = tact_call_value(call, "--output"),
               *law = tact_call_value(call, "--law");
    tact_text text = {0}, value = {0}, setting = {0};
    int at = 0;
    tact_text_add_bytes(&text, source.bytes, source.size);
    if (law) tact_text_add(&setting, "law=");
    if (law) tact_text_add_json(&setting, law);
    tact_scene_add_command(scene, command, &value);
    bool good = !text.failed && !setting.failed && !value.failed;
    // the changes of the command line are written, too
    for (const char *set = tact_call_next(call, "--set", &at); good && set; set = tact_call_next(call, "--set", &at))
        good = tact_scene_change(&text, set, source.name, errors);
    if (good && law) good = tact_scene_change(&text, setting.bytes, source.name, errors);
    // paths are relative to the file that is written
    good = good && tact_scene_move_files(&text, path, output, errors);
    tact_text_clear(&setting);
    tact_text_add(&setting, "command=");
    if (value.bytes) tact_text_add(&setting, value.bytes);
    good = good && !setting.failed && tact_scene_change(&text, setting.bytes, source.name, errors);
    if (good) {
        restore_lines(&text, &value);
        tact_text_add_bytes(out, text.bytes, text.size);
        good = !out->failed;
    }
    if (!good && errors->errors == 0)
        tact_errors_add(errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = source.name}, "out of memory");
    tact_text_free(&text);
    tact_text_free(&value);
    tact_text_free(&setting);
    return good;
}
