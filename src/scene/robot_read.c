// SPDX-License-Identifier: MIT
#include "scene/robot_read.h"

#include <string.h>

#include "scene/mjcf.h"
#include "scene/urdf.h"

bool tact_robot_read(tact_draft *draft, const char *path) {
    tact_text text = {0};
    tact_xml xml;
    if (!tact_text_read(&text, path, TACT_TEXT_LIMIT, draft->errors)) return false;
    bool good = tact_xml_read(&xml, tact_text_source(&text, path), draft->errors);
    if (good) {
        bool mjcf = strcmp(tact_xml_name(&xml, 0), "mujoco") == 0;
        good = mjcf ? tact_mjcf_read_xml(draft, &xml) : tact_urdf_read_xml(draft, &xml);
        tact_xml_free(&xml);
    }
    tact_text_free(&text);
    return good;
}
