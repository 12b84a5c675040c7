// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t tact_fit_rule_pattern(const char *rule) {
    const char *equals = strrchr(rule, '=');
    return equals ? (size_t)(equals - rule) : 0;
}

enum { USUAL_COUNT = 49 };

// The kind that a rule names, and how many numbers it wants of a grid: 0 where that is not allowed.
static tact_fit_choice find_choice(const char *rule) {
    static const struct {
        const char *name;
        tact_fit_kind kind;
    } kinds[] = {{"none", TACT_FIT_NONE}, {"sphere", TACT_FIT_SPHERE}, {"capsule", TACT_FIT_CAPSULE},
                 {"box", TACT_FIT_BOX},   {"hull", TACT_FIT_HULL},     {"sdf", TACT_FIT_SDF}};
    const char *word = strrchr(rule, '=') ? rule + tact_fit_rule_pattern(rule) + 1 : rule, *colon = strchr(word, ':');
    double count = USUAL_COUNT;
    if (colon && tact_number_read(colon + 1, strlen(colon + 1), &count) != TACT_NUMBER_READ) count = 0;
    if (!(count > TACT_GRID_LEAST && count <= TACT_GRID_MOST && floor(count) == count)) count = 0;
    size_t size = strncmp(word, "sdf:", 4) == 0 ? 3 : strlen(word);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strlen(kinds[i].name) == size && memcmp(word, kinds[i].name, size) == 0)
            return (tact_fit_choice){kinds[i].kind, (int)count};
    return (tact_fit_choice){TACT_FIT_UNSET, 0};
}

tact_reason tact_fit_rule_check(const char *rule, bool files) {
    TACT_ASSERT(rule);
    const char *equals = strrchr(rule, '='), *word = equals ? equals + 1 : rule;
    tact_fit_choice choice = find_choice(rule);
    tact_reason reason = {""};
    // the pattern, the kind, its number, and whether its files have a place
    if (equals == rule)
        snprintf(reason.text, sizeof reason.text, "there is no pattern before = (LINK=KIND)");
    else if (choice.kind == TACT_FIT_UNSET)
        snprintf(reason.text, sizeof reason.text, "unknown kind %s (allowed: sphere, capsule, box, hull, %snone)",
                 tact_quote(word).text, files ? "sdf, sdf:N, " : "");
    else if (choice.count == 0)
        snprintf(reason.text, sizeof reason.text, "sdf:N: N must be a whole number within [%d, %d] (found %s)",
                 TACT_GRID_LEAST + 1, TACT_GRID_MOST, tact_quote(word).text);
    else if (choice.kind == TACT_FIT_SDF && !files)
        snprintf(reason.text, sizeof reason.text,
                 "sdf writes files beside the robot file: tact import ROBOT --fit sdf -o ROBOT.json; scenes and tact new take "
                 "that file");
    return reason;
}

// * stands for any characters: after a mismatch the last * takes one more
static bool matches(const char *pattern, size_t size, const char *name) {
    size_t p = 0, star = size, from = 0;
    for (size_t n = 0; name[n];) {
        if (p < size && pattern[p] == '*') {
            star = p++;
            from = n;
        } else if (p < size && pattern[p] == name[n]) {
            p++;
            n++;
        } else if (star < size) {
            // a mismatch: the last * takes one more character, and the rest is compared again
            p = star + 1;
            n = ++from;
        } else {
            return false;
        }
    }
    // only stars may be left
    while (p < size && pattern[p] == '*') p++;
    return p == size;
}

tact_fit_choice tact_fit_rule_find(const tact_draft_fit *fit, const char *link, bool *matched) {
    TACT_ASSERT(fit && link);
    tact_fit_choice choice = {TACT_FIT_UNSET, 0};
    for (int i = 0; i < fit->nrule; i++) {
        const char *rule = fit->rule[i];
        if (strchr(rule, '=') && !matches(rule, tact_fit_rule_pattern(rule), link)) continue;
        choice = find_choice(rule);
        if (matched) matched[i] = true;
    }
    return choice;
}

void tact_fit_names_add(tact_fit_names *names, const char *name) {
    size_t used = strlen(names->text), size = strlen(name), last = used >= size ? used - size : 0;
    bool again = used > 0 && strcmp(names->text + last, name) == 0 && (last == 0 || names->text[last - 1] == ' ');
    if (again || (used >= 4 && strcmp(names->text + used - 4, " ...") == 0)) return;
    bool fits = used + size + 8 < sizeof names->text;
    snprintf(names->text + used, sizeof names->text - used, "%s%s", used > 0 ? ", " : "", fits ? name : "...");
}
