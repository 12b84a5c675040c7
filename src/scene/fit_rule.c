// SPDX-License-Identifier: MIT
#include "tact/robot.h"

#include <stdio.h>
#include <string.h>

#include "tact/text.h"

size_t tact_fit_rule_pattern(const char *rule) {
    const char *equals = strrchr(rule, '=');
    return equals ? (size_t)(equals - rule) : 0;
}

static tact_fit_kind find_kind(const char *rule) {
    static const struct {
        const char *name;
        tact_fit_kind kind;
    } kinds[] = {{"none", TACT_FIT_NONE},
                 {"sphere", TACT_FIT_SPHERE},
                 {"capsule", TACT_FIT_CAPSULE},
                 {"box", TACT_FIT_BOX},
                 {"hull", TACT_FIT_HULL}};
    const char *word = strrchr(rule, '=') ? rule + tact_fit_rule_pattern(rule) + 1 : rule;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(word, kinds[i].name) == 0) return kinds[i].kind;
    return TACT_FIT_UNSET;
}

tact_reason tact_fit_rule_check(const char *rule) {
    TACT_ASSERT(rule);
    static const char allowed[] = "allowed: sphere, capsule, box, hull, none";
    const char *equals = strrchr(rule, '='), *word = equals ? equals + 1 : rule;
    tact_reason reason = {""};
    if (equals == rule)
        snprintf(reason.text, sizeof reason.text, "there is no pattern before = (LINK=KIND)");
    else if (strcmp(word, "sdf") == 0)
        snprintf(reason.text, sizeof reason.text, "sdf: shapes of type \"grid\" are made by tact convert MESH --sdf (%s)",
                 allowed);
    else if (find_kind(rule) == TACT_FIT_UNSET)
        snprintf(reason.text, sizeof reason.text, "unknown kind %.60s (%s)", tact_quote(word).text, allowed);
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

tact_fit_kind tact_fit_rule_find(const tact_draft_fit *fit, const char *link, bool *matched) {
    TACT_ASSERT(fit && link);
    tact_fit_kind kind = TACT_FIT_UNSET;
    for (int i = 0; i < fit->nrule; i++) {
        const char *rule = fit->rule[i];
        if (strchr(rule, '=') && !matches(rule, tact_fit_rule_pattern(rule), link)) continue;
        kind = find_kind(rule);
        if (matched) matched[i] = true;
    }
    return kind;
}

void tact_fit_names_add(tact_fit_names *names, const char *name) {
    size_t used = strlen(names->text), size = strlen(name), last = used >= size ? used - size : 0;
    bool again = used > 0 && strcmp(names->text + last, name) == 0 && (last == 0 || names->text[last - 1] == ' ');
    if (again || (used >= 4 && strcmp(names->text + used - 4, " ...") == 0)) return;
    bool fits = used + size + 8 < sizeof names->text;
    snprintf(names->text + used, sizeof names->text - used, "%s%s", used > 0 ? ", " : "", fits ? name : "...");
}
