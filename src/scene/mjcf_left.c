// SPDX-License-Identifier: MIT
// What of a model was not read: kinds of elements, attributes as ELEMENT@ATTRIBUTE and the like, each with how often it was met.
// What only says how the model looks is told apart.
#include <stdio.h>
#include <string.h>

#include "scene/mjcf_parts.h"

#define LINE 480  // [bytes] of a message

void tact_mjcf_leave(tact_mjcf *m, const char *label) {
    int i = 0;
    char text[64];
    snprintf(text, sizeof text, "%s", label);
    while (i < m->nlabel && strcmp(m->labels[i].text, text) != 0) i++;
    if (i == TACT_MJCF_LABELS) {
        // the last stands for all that are too many
        i--;
        snprintf(m->labels[i].text, sizeof m->labels[i].text, "and other kinds");
    } else if (i == m->nlabel) {
        memcpy(m->labels[m->nlabel++].text, text, sizeof text);
    }
    m->labels[i].count++;
}

void tact_mjcf_leave_attribute(tact_mjcf *m, int node, const char *attribute) {
    char label[64];
    snprintf(label, sizeof label, "%.25s@%.30s", tact_mjcf_kind(m, node), attribute);
    tact_mjcf_leave(m, label);
}

// What MJCF has, in words between blanks: attributes of elements, and the elements within one, whose name ends with a slash.
#define FRAME " pos quat axisangle xyaxes zaxis euler "
#define ACTUATOR " position velocity motor general damper cylinder intvelocity muscle adhesion dcmotor plugin "
#define INSIDE " body geom site camera light frame include composite flexcomp replicate attach plugin "
static const char *const known[][2] = {
    {" mujoco/ ",
     " worldbody asset actuator default compiler option contact equality tendon sensor keyframe size visual statistic custom "
     "extension deformable include "},
    {" worldbody/ ", INSIDE},
    {" body/ ", " joint inertial freejoint" INSIDE},
    {" actuator/ ", ACTUATOR "include "},
    {" body ", FRAME "name childclass mocap gravcomp user sleep "},
    {" inertial ", FRAME "mass diaginertia fullinertia "},
    {" joint ",
     " name class type axis range limited pos damping stiffness armature frictionloss ref springref margin group springdamper "
     "solreflimit solimplimit solreffriction solimpfriction actuatorfrcrange actuatorfrclimited actuatorgravcomp user joint1 "
     "joint2 polycoef active solref solimp coef joint "},
    {" geom ",
     " name class type size fromto mesh mass density friction contype conaffinity condim group priority material shellinertia "
     "solmix solref solimp margin gap hfield fitscale rgba fluidshape fluidcoef user geom sidesite" FRAME},
    {ACTUATOR,
     " name class joint kp kv ctrlrange forcerange ctrllimited forcelimited gear tendon site body group actlimited actrange "
     "lengthrange cranklength jointinparent cranksite slidersite refsite user actdim dyntype gaintype biastype dynprm gainprm "
     "biasprm actearly dampratio timeconst inheritrange delay nsample interp area diameter bias scale force lmin lmax vmax fpmax "
     "fvmax gain plugin instance armature damping tausmooth range motorconst resistance "
     "nominal saturation inductance cogging controller thermal lugre input "}};

// Warns of a name of an element (attribute NULL) or of one of its attributes that MJCF does not have there. True: it is none.
static bool is_unknown(tact_mjcf *m, int node, const char *attribute) {
    const char *name = attribute ? attribute : tact_mjcf_kind(m, node);
    char kind[80], framed[80], names[900] = "";
    snprintf(kind, sizeof kind, attribute ? " %.70s " : " %.70s/ ", tact_mjcf_kind(m, attribute ? node : m->nodes[node].parent));
    snprintf(framed, sizeof framed, " %.70s ", name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strstr(known[i][0], kind)) snprintf(names, sizeof names, "%s", known[i][1]);
    if (!names[0] || strstr(names, framed) || strchr(name, ':')) return false;
    tact_nearest nearest = {.word = name};
    for (char *word = names, *end = NULL; (end = strchr(word, ' ')); word = end + 1) {
        *end = '\0';
        if (*word) tact_nearest_try(&nearest, word);
    }
    tact_xml_unknown(TACT_MJCF_AT(m, node), attribute, &nearest);
    return true;
}

// by its kind; what a default class says is told apart from what the model has
static void leave_element(tact_mjcf *m, int i) {
    // options are reported one by one
    const tact_xml *xml = &m->documents[m->nodes[i].document]->xml;
    int at = m->nodes[i].at, first = xml->nodes[at].attributes, end = xml->nodes[at + 1].attributes;
    if ((tact_mjcf_is(m, i, "option") || tact_mjcf_is(m, i, "flag")) && first < end) {
        for (int k = first; k < end; k++) {
            const char *name = xml->strings.bytes + xml->attributes[k].name;
            double g[3] = {0, 0, 0};
            // the gravity that scenes have is no loss
            if (tact_mjcf_is(m, i, "option") && strcmp(name, "gravity") == 0) tact_mjcf_numbers(m, i, name, g, 3, 3);
            if (g[0] != 0 || g[1] != 0 || g[2] != -9.81) tact_mjcf_leave_attribute(m, i, name);
        }
        return;
    }
    char label[64];
    bool of_class = tact_mjcf_is(m, m->nodes[i].parent, "default");
    snprintf(label, sizeof label, "%s%.40s", of_class ? "default of " : "", tact_mjcf_kind(m, i));
    tact_mjcf_leave(m, label);
}

// Whether a label only says how the model looks.
static bool is_look(const char *label) {
    // each between bars
    static const char looks[] =
        "|visual|statistic|material|texture|light|camera|rgba|group|model|global|quality|headlight|map|scale|"
        "width|skin|geom (drawn only)|texturedir|smoothnormal|maxhullvert|discardvisual|layer|";
    static const char of_class[] = "default of ";
    // the word is what follows @ (an attribute), or the element of a default
    const char *at = strchr(label, '@');
    const char *word = at ? at + 1 : strncmp(label, of_class, sizeof of_class - 1) == 0 ? label + sizeof of_class - 1 : label;
    char framed[80];
    snprintf(framed, sizeof framed, "|%s|", word);
    return strstr(looks, framed) != NULL;
}

// how it looks is reported among the other warnings of the file, what is lost otherwise in full
static void say(const tact_mjcf *m, const char *line, bool look) {
    const tact_xml_node *root = &m->documents[0]->xml.nodes[0];
    tact_place place = {
        .file = m->file, .line = root->line, .column = root->column, .path = "/mujoco", .noise = look, .left = true};
    tact_errors_add(m->draft->errors, TACT_ERROR_WARNING, place, "%s", line);
}

// Tells the labels of one kind, with their counts, in lines of bounded length.
static void tell(tact_mjcf *m, bool look) {
    const char *head = look ? "left out, of how it looks: " : "left out: ";
    char line[LINE + 100];
    size_t start = (size_t)snprintf(line, sizeof line, "%s", head), used = start;
    for (int i = 0; i < m->nlabel; i++) {
        const tact_mjcf_label *label = &m->labels[i];
        char word[100];
        if (is_look(label->text) != look) continue;
        int size = label->count > 1 ? snprintf(word, sizeof word, "%s (%d)", label->text, label->count)
                                    : snprintf(word, sizeof word, "%s", label->text);
        // a full line is reported, and the next begins
        if (used + (size_t)size > LINE) {
            say(m, line, look);
            used = start;
        }
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s", used > start ? ", " : "", word);
    }
    if (used > start) say(m, line, look);
}

void tact_mjcf_tell_left(tact_mjcf *m) {
    // elements that were not read, by their kind; those within others go with them, but for the sections of the model
    for (int i = 0; i < m->nnode; i++) {
        const tact_mjcf_node *node = &m->nodes[i];
        const tact_mjcf_document *document = m->documents[node->document];
        const tact_xml *xml = &document->xml;
        if (tact_mjcf_is(m, i, "include")) continue;
        if (!node->seen) {
            bool in_section = node->parent >= 0 && (node->parent == 0 || m->nodes[node->parent].parent == 0);
            bool in_read = node->parent >= 0 && m->nodes[node->parent].seen;
            if ((in_section || in_read) && !is_unknown(m, i, NULL)) leave_element(m, i);
            continue;
        }
        for (int k = xml->nodes[node->at].attributes; k < xml->nodes[node->at + 1].attributes; k++) {
            const char *name = xml->strings.bytes + xml->attributes[k].name;
            if (!document->seen[k] && !is_unknown(m, i, name)) tact_mjcf_leave_attribute(m, i, name);
        }
    }
    // where nothing was read, of an error, all the rest is left out
    if (m->draft->nbody == 0 && m->draft->errors->errors > m->before) return;
    tell(m, false);
    tell(m, true);
}
