// SPDX-License-Identifier: MIT
#include "scene/mjcf.h"

#include <string.h>

#include "scene/mjcf_parts.h"

static void read_model(tact_mjcf *m) {
    // compiler settings hold for the whole model, wherever they stand
    for (int i = m->nodes[0].first; i >= 0; i = m->nodes[i].next)
        if (tact_mjcf_is(m, i, "compiler")) tact_mjcf_read_compiler(m, i);
    if (!tact_mjcf_read_defaults(m) || !tact_mjcf_read_meshes(m) || !tact_mesh_fits_begin(&m->fits, m->draft) ||
        !tact_mjcf_find_paired(m) || !tact_mjcf_read_bodies(m))
        return;
    if (m->draft->errors->errors == m->before) tact_mesh_fits_end(&m->fits, m->draft->fit, "body", TACT_MJCF_AT(m, 0));
    if (m->draft->errors->errors > m->before) return;
    tact_mjcf_read_actuation(m);
    tact_mjcf_read_loops(m);
    tact_mjcf_read_contacts(m);
    tact_mjcf_read_keyframes(m);
    // after an error, too, which a misspelt element may have caused
    tact_mjcf_tell_left(m);
}

bool tact_mjcf_read_xml(tact_draft *draft, const tact_xml *xml) {
    tact_mjcf *m = tact_draft_take(draft, sizeof *m);
    int before = draft->errors->errors;
    if (!m) return false;
    *m = (tact_mjcf){.draft = draft, .before = before, .degrees = true, .auto_limits = true, .groups = {0, 5}, .sequence = "xyz"};
    // meshes and included files are found from the folder of the model
    m->file = tact_draft_string(draft, xml->source.name, strlen(xml->source.name));
    const char *slash = m->file ? strrchr(m->file, '/') : NULL;
    m->folder = m->file ? tact_draft_string(draft, m->file, slash ? (size_t)(slash - m->file) + 1 : 0) : NULL;
    if (draft->fit && draft->fit->density > 0) tact_xml_warn(xml, 0, NULL, "density: geoms of MJCF have their own");
    if (strcmp(tact_xml_name(xml, 0), "mujoco") != 0)
        tact_xml_refuse(xml, 0, NULL, "expected the root element \"mujoco\", found %s", tact_quote(tact_xml_name(xml, 0)).text);
    else if (m->folder && tact_mjcf_tree(m, xml) && tact_name_table_make(&m->names, draft, 4 * m->nnode + 64))
        read_model(m);
    tact_mjcf_tree_free(m);
    return draft->errors->errors == before;
}

bool tact_mjcf_read_source(tact_draft *draft, tact_source source) {
    tact_xml xml;
    if (!tact_xml_read(&xml, source, draft->errors)) return false;
    bool good = tact_mjcf_read_xml(draft, &xml);
    tact_xml_free(&xml);
    return good;
}
