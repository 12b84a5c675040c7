// SPDX-License-Identifier: MIT
// The meshes of bodies by name, from JSON, and their list for those who draw.

#include "scene/build.h"
#include "scene/mesh_path.h"

const tact_key tact_scene_mesh_keys[] = {
    TACT_ROW(OTHER, "file", .required = true, .form = "path",
             .meaning =
                 "an .stl, .obj, .ply or .dae file, from this file's folder or as package://NAME/path, inside the package"),
    TACT_ROW(VECTOR, "xyz", .count = 3, .offset = offsetof(tact_draft_mesh, frame.xyz), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "its place in the body [m]"),
    TACT_ROW(VECTOR, "rpy", .count = 3, .offset = offsetof(tact_draft_mesh, frame.rpy), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "0, 0, 0", .meaning = "its roll, pitch, yaw [rad]"),
    TACT_ROW_QUAT,
    TACT_ROW(VECTOR, "scale", .count = 3, .offset = offsetof(tact_draft_mesh, scale), .range = TACT_RANGE_ANY,
             .most = TACT_MOST_LENGTH, .fallback = "1, 1, 1", .meaning = "its coordinates are multiplied by it to metres"),
    {0}};

void tact_scene_read_meshes(tact_draft *draft, const tact_json *json, int node, const char *body) {
    for (int i = tact_json_enter(json, node, TACT_JSON_ARRAY); i >= 0; i = tact_json_after(json, i)) {
        tact_draft_mesh *mesh = tact_draft_add_mesh(draft);
        if (!mesh) return;
        mesh->body = body;
        mesh->mark = (tact_draft_mark){.json = json, .node = i};
        // File, frame and scale of the mesh
        if (!tact_keys_check(json, i, tact_scene_mesh_keys, NULL)) continue;
        tact_keys_read(json, i, tact_scene_mesh_keys, mesh);
        tact_scene_read_quat(json, i, tact_scene_mesh_keys, &mesh->frame);
        int file = tact_json_find(json, i, "file");
        const char *path = tact_key_read_name(json, file);
        if (path && !tact_mesh_inside(path)) {
            tact_json_refuse(json, file, "mesh %s: outside the package root", tact_quote(path).text);
        } else {
            mesh->file = path;
        }
    }
}
