// SPDX-License-Identifier: MIT
// The tree of a document that is known to be right: see cjson/cJSON.h. One block of memory holds all items, then all strings.
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#define DEPTH 72

typedef struct {
    const char *at, *end;
    cJSON *item;   // the next free one
    char *string;  // where the next one goes
} maker;

static void skip_blanks(maker *m) {
    while (m->at < m->end && (*m->at == ' ' || *m->at == '\t' || *m->at == '\n' || *m->at == '\r')) m->at++;
}

static uint32_t read_hex(const char *at) {
    uint32_t code = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        code = 16 * code + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return code;
}

static void put_code(maker *m, uint32_t code) {
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    int size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = size - 1; i > 0; i--) {
        m->string[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    m->string[0] = (char)(size == 1 ? code : lead[size] | code);
    m->string += size;
}

// What follows a backslash; two escapes of a surrogate pair make one letter.
static void read_escape(maker *m) {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    char c = *m->at++;
    if (c == 'u') {
        uint32_t code = read_hex(m->at);
        m->at += 4;
        if (code >= 0xd800 && code < 0xdc00) {
            code = 0x10000 + ((code - 0xd800) << 10) + (read_hex(m->at + 2) - 0xdc00);
            m->at += 6;
        }
        put_code(m, code);
        return;
    }
    const char *found = strchr(from, c);
    *m->string++ = found ? to[found - from] : c;
}

static char *read_string(maker *m) {
    char *string = m->string;
    m->at++;
    while (*m->at != '"') {
        if (*m->at == '\\') {
            m->at++;
            read_escape(m);
        } else {
            *m->string++ = *m->at++;
        }
    }
    m->at++;
    *m->string++ = '\0';
    return string;
}

// One value without what it holds.
static cJSON *read_item(maker *m, char *key) {
    cJSON *item = m->item++;
    *item = (cJSON){.string = key};
    if (*m->at == '"') {
        item->valuestring = read_string(m);
    } else if (*m->at == '[' || *m->at == '{') {
        item->type = *m->at == '[' ? cJSON_Array : cJSON_Object;
        m->at++;
    } else {
        while (m->at < m->end && !strchr(" \t\r\n,]}", *m->at)) m->at++;
    }
    return item;
}

static char *read_key(maker *m) {
    char *key = read_string(m);
    skip_blanks(m);
    m->at++;
    skip_blanks(m);
    return key;
}

// Reads all items of the document, without recursion: `open` holds the items that enclose the present one.
static void read_all(maker *m) {
    cJSON *open[DEPTH], **next[DEPTH];
    int depth = 0;
    skip_blanks(m);
    cJSON *root = read_item(m, NULL);
    if (root->type == cJSON_Other) return;
    open[0] = root;
    next[0] = &root->child;
    while (depth >= 0) {
        skip_blanks(m);
        if (*m->at == ',' || *m->at == ']' || *m->at == '}') {
            depth -= *m->at++ != ',';
            continue;
        }
        char *key = open[depth]->type == cJSON_Object ? read_key(m) : NULL;
        cJSON *item = read_item(m, key);
        *next[depth] = item;
        next[depth] = &item->next;
        if (item->type == cJSON_Other) continue;
        open[++depth] = item;
        next[depth] = &item->child;
    }
}

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t size, const char **end, int terminated) {
    size_t most = 1;
    for (size_t i = 0; i < size; i++) most += text[i] == ',' || text[i] == '[' || text[i] == '{';
    (void)end;
    (void)terminated;
    // a string is never longer than its text with quotes
    char *memory = malloc(most * sizeof(cJSON) + size + 1);
    if (!memory) return NULL;
    maker m = {.at = text, .end = text + size, .item = (cJSON *)(void *)memory, .string = memory + most * sizeof(cJSON)};
    cJSON *root = m.item;
    read_all(&m);
    return root;
}

void cJSON_Delete(cJSON *item) {
    free(item);
}
