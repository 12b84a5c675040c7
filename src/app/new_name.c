// SPDX-License-Identifier: MIT
// The name of the object of tact new, and lists of three numbers.
#include <stdio.h>
#include <string.h>

#include "app/new.h"
#include "scene/number.h"

static bool is_taken(const tact_draft *draft, const char *name) {
    bool taken = false;
    for (int i = 0; i < draft->nbody; i++) {
        const char *own = draft->bodies[i].name, *joint = draft->bodies[i].joint;
        taken = taken || (own && strcmp(own, name) == 0) || (joint && strcmp(joint, name) == 0);
    }
    for (int i = 0; i < draft->nshape; i++) taken = taken || (draft->shapes[i].name && strcmp(draft->shapes[i].name, name) == 0);
    return taken;
}

// "object", or with a number where the robot has that name itself. A robot file's names stand in it in quotes.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]) {
    tact_text text = {0};
    tact_errors errors = {0};
    // what cannot be read is told later
    if (!xml) tact_text_read(&text, robot, TACT_TEXT_LIMIT, &errors);
    snprintf(name, TACT_NEW_NAME, "object");
    for (int k = 2; k < 1000; k++) {
        char quoted[32];
        snprintf(quoted, sizeof quoted, "\"%s\"", name);
        if (!is_taken(draft, name) && !(text.bytes && strstr(text.bytes, quoted))) break;
        snprintf(name, TACT_NEW_NAME, "object_%d", k);
    }
    tact_text_free(&text);
}

// Three numbers with commas between.
bool tact_new_read_three(const char *text, double x[3]) {
    for (int k = 0; k < 3; k++) {
        size_t length = strcspn(text, ",");
        if (tact_number_read_loose(text, length, &x[k]) != TACT_NUMBER_READ || (text[length] == ',') != (k < 2)) return false;
        text += length + (k < 2);
    }
    return true;
}
