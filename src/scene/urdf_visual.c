// SPDX-License-Identifier: MIT
// The meshes of visual elements. They are only drawn: one that cannot be used is passed over, and no robot refused for it.
#include <math.h>
#include <string.h>

#include "scene/mesh_path.h"
#include "scene/urdf_parts.h"
#include "scene/utf8.h"

// three numbers where the attribute is there; false when it says anything else
static bool read_three(const tact_urdf *urdf, int node, const char *attribute, tact_real value[3]) {
    const char *text = node < 0 ? NULL : tact_xml_value(&urdf->xml, node, attribute);
    double x[3];
    int count = 0;
    if (!text) return true;
    for (size_t size = 0; (size = tact_number_word(&text)) > 0; text += size, count++)
        if (count == 3 || tact_number_read_loose(text, size, &x[count]) != TACT_NUMBER_READ) return false;
    for (int i = 0; i < count; i++)
        if (fabs(x[i]) > TACT_MOST_LENGTH) return false;
    for (int i = 0; i < 3 && count == 3; i++) value[i] = (tact_real)x[i];
    return count == 3;
}

// Adds the meshes of a link's <visual> elements, with their places and scales, to the draft. Those with an unusable path or
// number are skipped.
void tact_urdf_read_meshes(tact_urdf *urdf, int link, const char *body) {
    const tact_xml *xml = &urdf->xml;
    int parent = urdf->links[link].node;
    for (int i = tact_xml_first(xml, parent); i >= 0; i = tact_xml_after(xml, i)) {
        tact_draft_mesh read = {.robot = -1, .body = body, .scale = {1, 1, 1}};
        if (strcmp(tact_xml_name(xml, i), "visual") != 0) continue;
        int origin = tact_xml_find(xml, i, "origin"), geometry = tact_xml_find(xml, i, "geometry");
        int node = geometry < 0 ? -1 : tact_xml_find(xml, geometry, "mesh");
        const char *file = node < 0 ? NULL : tact_xml_value(xml, node, "filename");
        size_t size = file ? strlen(file) : 0;
        if (size == 0 || size > TACT_NAME_MAX || !tact_utf8_is_plain(file, size) || !tact_mesh_inside(file)) continue;
        if (!read_three(urdf, origin, "xyz", read.frame.xyz) || !read_three(urdf, origin, "rpy", read.frame.rpy)) continue;
        if (!read_three(urdf, node, "scale", read.scale)) continue;
        read.file = tact_draft_string(urdf->draft, file, size);
        read.mark =
            (tact_draft_mark){.place = {.file = urdf->file, .line = xml->nodes[node].line, .column = xml->nodes[node].column}};
        if (read.file == NULL) continue;
        tact_draft_mesh *mesh = tact_draft_add_mesh(urdf->draft);
        if (!mesh) return;
        *mesh = read;
    }
}
