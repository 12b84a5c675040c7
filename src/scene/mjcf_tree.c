// SPDX-License-Identifier: MIT
// The document and those that it includes as one tree: the children of an included file's root stand in the place of the include.
// No file is included twice, as in MuJoCo, so that there are no cycles and nothing grows beyond what the files hold.

#include <stdlib.h>
#include <string.h>

#include "scene/mesh_path.h"
#include "scene/mjcf_parts.h"

const char *tact_mjcf_kind(const tact_mjcf *m, int node) {
    return tact_xml_name(TACT_MJCF_AT(m, node));
}

bool tact_mjcf_is(const tact_mjcf *m, int node, const char *kind) {
    return strcmp(tact_mjcf_kind(m, node), kind) == 0;
}

const char *tact_mjcf_open(const tact_mjcf *m, int node, const char *attribute, const char *name, tact_text *text,
                           const char **path) {
    // the file without links
    tact_reason why = {"outside the model's folder"};
    bool inside = !tact_mesh_package(name) && tact_mesh_inside(name);
    char *real = inside ? tact_mesh_file(name, m->file, NULL, &why) : NULL;
    *path = real ? tact_draft_string(m->draft, real, strlen(real)) : NULL;
    void (*refuse)(const tact_xml *, int, const char *, const char *, ...) = inside ? tact_xml_unreadable : tact_xml_refuse;
    if (!real) refuse(TACT_MJCF_AT(m, node), attribute, "file %s: %s", tact_quote(name).text, why.text);
    free(real);
    // messages about the file name it as the model does, from the current folder
    size_t before = strlen(m->folder), size = strlen(name);
    char *shown = *path ? tact_draft_take(m->draft, before + size + 1) : NULL;
    if (!shown) return NULL;
    memcpy(shown, m->folder, before);
    memcpy(shown + before, name, size + 1);
    if (tact_text_read(text, shown, TACT_MESH_LIMIT, m->draft->errors)) return shown;
    tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "file %s cannot be read", tact_quote(name).text);
    return NULL;
}

// a new last element, -1 without memory
static int add_node(tact_mjcf *m, int document, int at, int parent) {
    if (m->nnode == m->node_room) {
        int room = m->node_room < 256 ? 256 : 2 * m->node_room;
        tact_mjcf_node *nodes = room > 0 ? tact_draft_take(m->draft, (size_t)room * sizeof nodes[0]) : NULL;
        if (!nodes) return -1;
        if (m->nnode > 0) memcpy(nodes, m->nodes, (size_t)m->nnode * sizeof nodes[0]);
        m->nodes = nodes;
        m->node_room = room;
    }
    m->nodes[m->nnode] = (tact_mjcf_node){.document = document, .at = at, .parent = parent, .first = -1, .next = -1, .joint = -1};
    return m->nnode++;
}

// room for a further document, with what was read of it unset
static bool mark_document(tact_mjcf *m, tact_mjcf_document *document) {
    size_t count = (size_t)document->xml.nodes[document->xml.count].attributes;
    document->seen = tact_draft_take(m->draft, count);
    if (document->seen) memset(document->seen, 0, count);
    return document->seen != NULL;
}

// Reads an included file as a further document: its index, or -1 after reporting.
static int open_include(tact_mjcf *m, int node) {
    const char *name = tact_mjcf_text(m, node, "file"), *path = NULL;
    if (!name) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "attribute \"file\" is missing");
        return -1;
    }
    if (m->ndocument > TACT_MJCF_FILES) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "more than %d included files", TACT_MJCF_FILES);
        return -1;
    }
    tact_mjcf_document *document = tact_draft_take(m->draft, sizeof *document);
    if (!document) return -1;
    *document = (tact_mjcf_document){.seen = NULL};
    const char *shown = tact_mjcf_open(m, node, "file", name, &document->text, &path);
    if (!shown) return -1;
    document->path = path;
    // a file that includes itself would never end
    bool again = false;
    for (int i = 0; i < m->ndocument; i++) again = again || (m->documents[i]->path && strcmp(m->documents[i]->path, path) == 0);
    if (again) tact_xml_refuse(TACT_MJCF_AT(m, node), "file", "file %s is already included", tact_quote(name).text);
    if (again || !tact_xml_read(&document->xml, tact_text_source(&document->text, shown), m->draft->errors)) {
        tact_text_free(&document->text);
        return -1;
    }
    m->documents[m->ndocument++] = document;
    return mark_document(m, document) ? m->ndocument - 1 : -1;
}

// Siblings that are being added.
typedef struct {
    int document, next;  // the next of them in its document, -1: none
    int parent, last;    // their parent, and the last of its children so far, -1: none
    bool included;       // they are those of an included file, and go on behind the ones before the include
} siblings;

// All elements below the root, in the order of the text.
static bool add_elements(tact_mjcf *m) {
    siblings stack[TACT_XML_DEPTH];
    int top = 0;
    stack[0] = (siblings){.next = tact_xml_first(&m->documents[0]->xml, 0), .last = -1};
    while (top >= 0) {
        siblings *at = &stack[top];
        int i = at->next;
        if (i < 0) {
            top--;
            if (at->included) stack[top].last = at->last;
            continue;
        }
        const tact_xml *xml = &m->documents[at->document]->xml;
        at->next = tact_xml_after(xml, i);
        int node = add_node(m, at->document, i, at->parent);
        if (node < 0) return false;
        siblings under = {at->document, tact_xml_first(xml, i), node, -1, false};
        if (tact_mjcf_is(m, node, "include")) {
            // takes no place itself
            m->nodes[node].seen = true;
            int other = open_include(m, node);
            if (other < 0) return false;
            under = (siblings){other, tact_xml_first(&m->documents[other]->xml, 0), at->parent, at->last, true};
        } else {
            *(at->last < 0 ? &m->nodes[at->parent].first : &m->nodes[at->last].next) = node;
            at->last = node;
        }
        if (top + 1 == TACT_XML_DEPTH) {
            tact_xml_refuse(xml, i, NULL, "elements nested deeper than %d", TACT_XML_DEPTH);
            return false;
        }
        stack[++top] = under;
    }
    return true;
}

bool tact_mjcf_tree(tact_mjcf *m, const tact_xml *xml) {
    tact_mjcf_document *document = tact_draft_take(m->draft, sizeof *document);
    if (!document) return false;
    *document = (tact_mjcf_document){.xml = *xml};
    char *real = tact_mesh_real(m->file);
    if (real) document->path = tact_draft_string(m->draft, real, strlen(real));
    free(real);
    m->documents[m->ndocument++] = document;
    if (!mark_document(m, document) || add_node(m, 0, 0, -1) < 0) return false;
    m->nodes[0].seen = true;
    return add_elements(m);
}

void tact_mjcf_tree_free(tact_mjcf *m) {
    for (int i = 1; i < m->ndocument; i++) {
        tact_xml_free(&m->documents[i]->xml);
        tact_text_free(&m->documents[i]->text);
    }
}
