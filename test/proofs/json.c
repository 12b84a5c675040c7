// SPDX-License-Identifier: MIT
// The scanner of JSON and the number reader, each text once, under sanitizers: every text of up to two bytes, and every one of up
// to LENGTH (default 4) bytes of an alphabet that has each byte which the scanner tells apart. The text is all there is in its
// block of memory, nodes are as many as tact_json_read takes. What is accepted is accepted by cJSON, too, with as many values.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/json_parts.h"
#include "tact/text.h"

static const char alphabet[] = " \t\x01\"\\/{}[]:,-+.019eEutrnl\x7f\xc3\xa4\xed\xf4";
enum { LETTERS = sizeof alphabet - 1, LONGEST = 8 };

static long long texts, accepted, wrong;

static int count_values(const cJSON *item) {
    int count = 1;
    for (const cJSON *child = item->child; child; child = child->next) count += count_values(child);
    return count;
}

static void refuse(const char *what, const char *text, size_t size) {
    if (++wrong > 10) return;
    printf("    %s:", what);
    for (size_t i = 0; i < size; i++) printf(" %02x", (unsigned char)text[i]);
    printf("\n");
}

static void try_text(const char *text, size_t size) {
    static tact_errors errors;
    char *bytes = malloc(size + 1);
    size_t most = 1;
    double value = 0;
    if (!bytes) abort();
    // a source ends with a NUL
    memcpy(bytes, text, size);
    bytes[size] = '\0';
    for (size_t i = 0; i < size; i++) most += strchr(",[{", bytes[i]) && bytes[i];
    tact_json json = {.source = {.name = "", .bytes = bytes, .size = size, .line = 1}, .errors = &errors};
    json.nodes = malloc(most * sizeof json.nodes[0]);
    if (!json.nodes) abort();
    errors.errors = errors.kept = 0;
    bool good = tact_json_scan(&json);
    texts++;
    if (good != (errors.errors == 0)) refuse("no reason, or one for nothing", text, size);
    if (good) {
        const char *end = NULL;
        cJSON *root = cJSON_ParseWithLengthOpts(bytes, size + 1, &end, true);
        accepted++;
        if (!root || count_values(root) != json.count) refuse("cJSON has other values", text, size);
        cJSON_Delete(root);
    }
    free(json.nodes);
    free(bytes);
    // a number has no NUL behind it
    bytes = malloc(size > 0 ? size : 1);
    if (!bytes) abort();
    memcpy(bytes, text, size);
    bool number = tact_number_read(bytes, size, &value) == TACT_NUMBER_READ;
    tact_number_read_loose(bytes, size, &value);
    if (number && !tact_number_valid(bytes, size)) refuse("a number that is none", text, size);
    free(bytes);
}

int main(int argc, char **argv) {
    int longest = argc > 1 ? atoi(argv[1]) : 4;
    char text[LONGEST];
    if (longest > LONGEST) longest = LONGEST;
    for (int k = 0; k < 256 * 257; k++) {
        text[0] = (char)(k / 257);
        text[1] = (char)(k % 257 - 1);
        try_text(text, k % 257 == 0 ? 1 : 2);
    }
    for (int size = 0; size <= longest; size++) {
        long long all = 1;
        for (int i = 0; i < size; i++) all *= LETTERS;
        for (long long k = 0; k < all; k++) {
            long long rest = k;
            for (int i = 0; i < size; i++, rest /= LETTERS) text[i] = alphabet[rest % LETTERS];
            try_text(text, (size_t)size);
        }
    }
    printf("json, number: %lld texts, %lld of JSON, %lld wrong\n", texts, accepted, wrong);
    return wrong > 0;
}
