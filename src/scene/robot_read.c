// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <errno.h>
#include <string.h>

#include "scene/build.h"
#include "scene/kind.h"
#include "scene/mjcf.h"
#include "scene/urdf.h"

// What cannot be XML, by what it is.
static bool refuse_kind(const tact_draft *draft, tact_source source) {
    tact_file_kind kind = tact_kind_of(source.bytes, source.size);
    bool xml = kind == TACT_KIND_URDF || kind == TACT_KIND_MJCF || kind == TACT_KIND_XML || kind == TACT_KIND_OTHER;
    if (xml) return false;
    if (kind != TACT_KIND_JSON) return tact_kind_refuse(source, "a robot in URDF or MJCF", draft->errors);
    tact_errors_add(draft->errors, TACT_ERROR_REFUSED, (tact_place){.file = source.name},
                    "not a robot in URDF or MJCF but JSON: a robot file or a scene, which needs no import");
    return true;
}

bool tact_robot_read(tact_draft *draft, const char *path) {
    tact_text text = {0};
    tact_xml xml;
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, draft->errors)) return false;
    tact_source source = tact_text_source(&text, path);
    bool good = !refuse_kind(draft, source) && tact_xml_read(&xml, source, draft->errors);
    if (good) {
        bool mjcf = strcmp(tact_xml_name(&xml, 0), "mujoco") == 0;
        good = mjcf ? tact_mjcf_read_xml(draft, &xml) : tact_urdf_read_xml(draft, &xml);
        tact_xml_free(&xml);
    }
    tact_text_free(&text);
    return good;
}

bool tact_scene_read_robot(const char *path, const tact_json *json, int robot, tact_text *text, tact_errors *errors) {
    tact_draft draft = {.errors = errors};
    if (!tact_scene_is_urdf(path)) return tact_text_read(text, path, TACT_TEXT_LIMIT, errors);
    tact_draft_fit fit;
    bool fitted = false, read = tact_scene_read_fit(&draft, json, robot, &fit, &fitted);
    if (fitted) draft.fit = &fit;
    read = read && tact_robot_read(&draft, path);
    if (read) tact_robot_write(&draft, text);
    tact_draft_free(&draft);
    if (read && text->failed) read = tact_file_refuse(path, ENOMEM, errors);
    return read;
}
