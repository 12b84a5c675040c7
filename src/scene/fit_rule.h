// SPDX-License-Identifier: MIT
// Rules by which collision meshes become shapes: KIND for all links, or PATTERN=KIND for those whose name matches, in which *
// stands for any characters. Of several the last that matches holds.
#ifndef TACT_SCENE_FIT_RULE_H
#define TACT_SCENE_FIT_RULE_H

#include "scene/draft.h"

typedef enum {
    TACT_FIT_UNSET,  // no rule matches
    TACT_FIT_NONE,   // no shape, and the mesh is not opened
    TACT_FIT_SPHERE,
    TACT_FIT_CAPSULE,
    TACT_FIT_BOX,
    TACT_FIT_HULL,
} tact_fit_kind;

// What is wrong with a rule; an empty text when nothing is.
tact_reason tact_fit_rule_check(const char *rule);

// What the rules, which were checked, say of a link. matched: (nrule) becomes true for those that match, or NULL.
tact_fit_kind tact_fit_rule_find(const tact_draft_fit *fit, const char *link, bool *matched);

// Names for the message of a rule that matches none: those that were met, up to what the text holds.
typedef struct {
    char text[160];
} tact_fit_names;
void tact_fit_names_add(tact_fit_names *names, const char *name);

// Of a rule: the characters before =, 0 where it is for all links.
size_t tact_fit_rule_pattern(const char *rule);

#endif
