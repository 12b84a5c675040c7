// SPDX-License-Identifier: MIT
// Contact pairs and exclusions. A pair lists two geoms that touch whatever their contype, conaffinity and bodies say; an
// exclusion two bodies whose geoms do not.
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"

int tact_mjcf_next_element(tact_mjcf *m, const char *section, int element) {
    int at = element < 0 ? m->nodes[0].first : m->nodes[element].next, parent = element < 0 ? -1 : m->nodes[element].parent;
    if (element >= 0 && at >= 0) return at;
    for (int i = parent < 0 ? at : m->nodes[parent].next; i >= 0; i = m->nodes[i].next) {
        if (!tact_mjcf_is(m, i, section)) continue;
        m->nodes[i].seen = true;
        if (m->nodes[i].first >= 0) return m->nodes[i].first;
    }
    return -1;
}

bool tact_mjcf_find_paired(tact_mjcf *m) {
    static const char *const attributes[] = {"geom1", "geom2"};
    for (int i = tact_mjcf_next_element(m, "contact", -1); i >= 0; i = tact_mjcf_next_element(m, "contact", i)) {
        for (int k = 0; k < 2 && tact_mjcf_is(m, i, "pair"); k++) {
            const char *name = tact_mjcf_text(m, i, attributes[k]);
            if (name) tact_name_table_add(&m->names, TACT_MJCF_PAIRED, name, strlen(name), i);
        }
    }
    return true;
}

int tact_mjcf_find_named(tact_mjcf *m, int node, const char *attribute, int scope) {
    static const char *const kinds[] = {"default", "mesh", "body", "joint", "geom", "tendon"};
    const char *name = tact_mjcf_text(m, node, attribute), *kind = kinds[scope];
    if (!name) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), NULL, "attribute \"%s\" is missing", attribute);
        return -1;
    }
    if (scope == TACT_MJCF_BODY && strcmp(name, TACT_SCENE_WORLD) == 0) return 0;
    int element = tact_name_table_find(&m->names, scope, name);
    if (element > 0) return element;
    tact_nearest nearest = {.word = name};
    // the search for a suggestion is quadratic in hostile files: not in large ones
    for (int i = 0; m->nnode <= 2000 && i < m->nnode && !tact_errors_full(m->draft->errors, TACT_ERROR_REFUSED); i++) {
        const char *other = tact_mjcf_is(m, i, kind) ? tact_xml_value(TACT_MJCF_AT(m, i), "name") : NULL;
        if (other) tact_nearest_try(&nearest, other);
    }
    tact_xml_refuse(TACT_MJCF_AT(m, node), attribute, "no %s %s%s", kind, tact_quote(name).text,
                    tact_nearest_hint(&nearest).text);
    return -1;
}

// a copy of what an element is called
static const char *name_of(tact_mjcf *m, int element) {
    return element > 0 ? tact_mjcf_name(m, element, "name") : NULL;
}

static void read_excluded(tact_mjcf *m, int node) {
    m->nodes[node].seen = true;
    tact_mjcf_text(m, node, "name");
    int a = tact_mjcf_find_named(m, node, "body1", TACT_MJCF_BODY), b = tact_mjcf_find_named(m, node, "body2", TACT_MJCF_BODY);
    if (a < 0 || b < 0) return;
    tact_draft_contact *excluded = tact_draft_add_excluded(m->draft);
    if (!excluded) return;
    excluded->a = name_of(m, a);
    excluded->b = name_of(m, b);
    excluded->mark = tact_mjcf_mark(m, node);
}

void tact_mjcf_condim(tact_mjcf *m, int node, int *condim) {
    char label[64];
    if (!tact_mjcf_whole(m, node, "condim", condim)) return;
    if (*condim != 1 && *condim != 3 && *condim != 4 && *condim != 6)
        tact_xml_refuse(TACT_MJCF_AT(m, node), "condim", "must be 1, 3, 4 or 6 (found %d)", *condim);
    snprintf(label, sizeof label, "%s@condim (friction of rolling and turning)", tact_mjcf_kind(m, node));
    if (*condim > 3) tact_mjcf_leave(m, label);
}

// The first number of its friction is that of a pair here. Without contact dimensions beside the normal there is none.
static void read_pair(tact_mjcf *m, int node) {
    double friction[5] = {0, 0, 0, 0, 0}, mu = -1;
    int condim = 3;
    m->nodes[node].seen = true;
    tact_mjcf_text(m, node, "name");
    int a = tact_mjcf_find_named(m, node, "geom1", TACT_MJCF_GEOM), b = tact_mjcf_find_named(m, node, "geom2", TACT_MJCF_GEOM);
    int count = tact_mjcf_numbers(m, node, "friction", friction, 1, 5);
    if (count > 0) mu = friction[0];
    tact_mjcf_condim(m, node, &condim);
    if (condim == 1) mu = 0;
    if (mu > 10 || (mu < 0 && (count > 0 && condim != 1))) {
        tact_xml_refuse(TACT_MJCF_AT(m, node), "friction", "must be within [0, 10] (found %s)", tact_number_print(mu).text);
        return;
    }
    if (count > 1 && friction[1] != friction[0]) tact_mjcf_leave(m, "pair@friction (of the second direction)");
    if (a < 0 || b < 0) return;
    if (!m->nodes[a].shape || !m->nodes[b].shape) {
        tact_mjcf_leave(m, "pair (of a geom that is no shape)");
        return;
    }
    tact_draft_contact *pair = tact_draft_add_pair(m->draft);
    if (!pair) return;
    pair->a = name_of(m, a);
    pair->b = name_of(m, b);
    pair->mu = (tact_real)mu;
    pair->mark = tact_mjcf_mark(m, node);
}

void tact_mjcf_read_contacts(tact_mjcf *m) {
    for (int i = tact_mjcf_next_element(m, "contact", -1); i >= 0; i = tact_mjcf_next_element(m, "contact", i)) {
        if (tact_mjcf_is(m, i, "exclude")) read_excluded(m, i);
        if (tact_mjcf_is(m, i, "pair")) read_pair(m, i);
    }
}
