// SPDX-License-Identifier: MIT
// The strict check of a JSON text: one pass, one byte after the other, the open objects and arrays kept as the chain of
// parents of the nodes.
#include <stdio.h>
#include <string.h>

#include "scene/json_parts.h"
#include "scene/utf8.h"

typedef struct {
    tact_json *json;
    const char *bytes;
    size_t size, at;
    size_t key_at;
    int open;  // innermost object or array that is not closed, -1 outside
    int depth;
    bool comma;  // the last sign was one
} scan;

#define REFUSE(s, node, place, ...) (tact_json_report((s)->json, node, place, TACT_ERROR_REFUSED, __VA_ARGS__), false)

// the next byte that is not white space, -1 at the end
static int peek(scan *s) {
    while (s->at < s->size && strchr(" \t\r\n", s->bytes[s->at]) && s->bytes[s->at]) s->at++;
    return s->at < s->size ? (unsigned char)s->bytes[s->at] : -1;
}

static bool in_object(const scan *s) {
    return s->open >= 0 && s->bytes[s->json->nodes[s->open].at] == '{';
}

// what stands at a place where something else was expected
static tact_quoted found(const scan *s) {
    tact_quoted end = {"the end of the text"};
    if (s->at >= s->size) return end;
    size_t length = tact_json_word(s->json, s->at);
    uint32_t point = 0;
    if (length == 0) length = (size_t)tact_utf8_decode(s->bytes + s->at, s->size - s->at, &point);
    return tact_quote_bytes(s->bytes + s->at, length > 0 ? length : 1);
}

static bool refuse_expected(scan *s, const char *expected) {
    int next = s->at < s->size ? s->bytes[s->at] : 0;
    bool comment = next == '/' || next == '#', comma = s->comma && (next == ']' || next == '}');
    const char *hint = comment ? "; comments are not allowed" : comma ? "; no comma may stand before it" : "";
    const char *at = s->bytes + s->at;
    const bool wide = s->size - s->at > 2, typeset = wide && memcmp(at, "\xe2\x80", 2) == 0;
    const bool curly = typeset && strchr("\x98\x99\x9c\x9d", at[2]);
    if ((typeset && strchr("\x90\x91\x92\x93\x94", at[2])) || (wide && memcmp(at, "\xe2\x88\x92", 3) == 0))
        hint = "; the minus sign is -";
    if (wide && memcmp(at, "\xc2\xa0", 2) == 0) hint = "; it is no blank";
    // What other languages write: quotes of other kinds, a comma in a number.
    if (next == '\'' || curly) hint = "; JSON has straight double quotes only";
    if (expected[0] == 'a' && in_object(s) && (next == '-' || (next >= '0' && next <= '9')))
        hint = s->comma && next != '-' && s->bytes[s->at - 1] == ',' ? "; the decimal sign is a point"
                                                                     : "; a list has brackets: [0, 0, 1]";
    if (next == '(') hint = "; a list has brackets: [0, 0, 1]";
    // Between two values: the bracket that is open, or a comma that is missing.
    char open[64];
    const bool between = expected[0] == '\'' && expected[1] == ',', word = tact_json_word(s->json, s->at) > 0;
    if (s->open >= 0 && (s->at >= s->size || (next && strchr(between ? "]}:" : "[{", next)))) {
        const size_t opened = s->json->nodes[s->open].at;
        snprintf(open, sizeof open, "; the %c of line %d is not closed", s->bytes[opened], tact_json_line(s->json, opened));
        hint = open;
    } else if (between && next && (strchr("\"[{", next) || (word && !in_object(s)))) {
        hint = "; a comma is missing before it";
    }
    return REFUSE(s, s->open, s->at, "expected %s (found %s%s)", expected, found(s).text, hint);
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    int letter = c | 32;
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// four hexadecimal digits; -1 when they are not there
static int read_hex(const scan *s, size_t at) {
    int value = 0;
    if (at > s->size || s->size - at < 4) return -1;
    for (size_t i = 0; i < 4; i++) {
        int digit = hex_digit(s->bytes[at + i]);
        if (digit < 0) return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool is_high(int unit) {
    return unit >= 0xd800 && unit <= 0xdbff;
}

static bool is_low(int unit) {
    return unit >= 0xdc00 && unit <= 0xdfff;
}

// at the backslash; steps behind the escape
static bool scan_escape(scan *s, int node) {
    size_t start = s->at;
    char c = '\0';
    if (start + 1 < s->size) c = s->bytes[start + 1];
    size_t shown = s->size - start < 6 ? s->size - start : 6;
    if (c != 'u') {
        s->at += 2;
        if (c && strchr("\"\\/bfnrt", c)) return true;
        return REFUSE(s, node, start, "unknown escape in a string (found %s)",
                      tact_quote_bytes(s->bytes + start, shown < 2 ? shown : 2).text);
    }
    int unit = read_hex(s, start + 2);
    s->at += 6;
    const char *reason = NULL;
    if (unit < 0) {
        reason = "\\u needs four hexadecimal digits";
    } else if (unit == 0) {
        reason = "\\u0000 is not allowed";
        // A high surrogate takes the low one behind it along.
    } else if (is_high(unit) && s->at + 2 <= s->size && memcmp(s->bytes + s->at, "\\u", 2) == 0 &&
               is_low(read_hex(s, s->at + 2))) {
        s->at += 6;
    } else if (is_high(unit) || is_low(unit)) {
        reason = "half of a surrogate pair";
    }
    if (!reason) return true;
    return REFUSE(s, node, start, "%s (found %s)", reason, tact_quote_bytes(s->bytes + start, shown).text);
}

// at the opening quote; steps behind the closing one
static bool scan_string(scan *s, int node) {
    size_t start = s->at++;
    while (s->at < s->size) {
        uint32_t point = 0;
        const char *here = s->bytes + s->at;
        if (*here == '"') {
            s->at++;
            return true;
        }
        if (*here == '\\') {
            if (!scan_escape(s, node)) return false;
            continue;
        }
        // A character: valid UTF-8, and no control byte.
        int length = tact_utf8_decode(here, s->size - s->at, &point);
        if (length == 0) return REFUSE(s, node, s->at, "not UTF-8 (found %s)", tact_quote_bytes(here, 1).text);
        if (point < 0x20) {
            return REFUSE(s, node, s->at, "control byte in a string: write it as an escape (found %s)",
                          tact_quote_bytes(here, 1).text);
        }
        s->at += (size_t)length;
    }
    return REFUSE(s, node, start, "string without an end");
}

// the key and the colon before a value of an object
static bool scan_key(scan *s) {
    s->key_at = 0;
    int next = peek(s);
    if (!in_object(s)) return true;
    if (next != '"') return refuse_expected(s, "a key in double quotes");
    s->key_at = s->at;
    if (!scan_string(s, s->open)) return false;
    if (peek(s) != ':') return refuse_expected(s, "':' after the key");
    s->at++;
    return true;
}

static int add_node(scan *s) {
    tact_json *json = s->json;
    int node = json->count++;
    json->nodes[node] =
        (tact_json_node){.at = (uint32_t)s->at, .key_at = (uint32_t)s->key_at, .parent = s->open, .next = node + 1};
    return node;
}

// a word without case
static bool is_word(const char *word, size_t length, const char *small) {
    if (length != strlen(small)) return false;
    for (size_t i = 0; i < length; i++)
        if ((word[i] | 32) != small[i]) return false;
    return true;
}

// NaN and Infinity, with or without a sign
static bool names_no_number(const char *word, size_t length) {
    size_t sign = word[0] == '-' || word[0] == '+';
    return is_word(word + sign, length - sign, "nan") || is_word(word + sign, length - sign, "inf") ||
           is_word(word + sign, length - sign, "infinity");
}

// a string, a number, true, false or null
static bool scan_scalar(scan *s) {
    static const char *const words[] = {"true", "false", "null"};
    size_t length = tact_json_word(s->json, s->at);
    if (s->at < s->size && s->bytes[s->at] == '"') return scan_string(s, add_node(s));
    if (length == 0) return refuse_expected(s, "a value");
    const char *word = s->bytes + s->at;
    size_t start = s->at;
    int node = add_node(s);
    s->at += length;
    // The three words, a number, or what a user may have meant.
    for (int i = 0; i < 3; i++) {
        if (length == strlen(words[i]) && memcmp(word, words[i], length) == 0) return true;
    }
    if (tact_number_valid(word, length)) return true;
    bool letter = (word[0] | 32) >= 'a' && (word[0] | 32) <= 'z';
    const char *reason = letter ? "not a value (allowed: true, false, null, and text in double quotes)" : "not a number";
    if (letter && node == 0) reason = "not JSON, in which a document begins with {";
    // digits with letters behind them, as 0.5kg
    size_t digits = 0;
    while (digits < length && strchr("+-.0123456789", word[digits])) digits++;
    bool letters = digits > 0 && digits < length && word[digits - 1] >= '0' && word[digits - 1] <= '9';
    for (size_t i = digits; i < length; i++) letters = letters && (word[i] | 32) >= 'a' && (word[i] | 32) <= 'z';
    if (letters) reason = "not a number: numbers have no unit behind them; all are in SI units and radians";
    if (names_no_number(word, length)) reason = "not a number: JSON has neither NaN nor infinity";
    if (word[0] == '.') reason = "not a number: JSON writes 0.5, not .5";
    if (length > 1 && strchr("pP", word[length - 2]) && strchr("iI", word[length - 1]))
        reason = "not a number: JSON has neither pi, which is 3.14159265, nor arithmetic";
    // True, False and None of Python
    if (is_word(word, length, "true") || is_word(word, length, "false") || is_word(word, length, "none"))
        reason = "not a value: JSON writes true, false, null in small letters";
    return REFUSE(s, node, start, "%s: %s", tact_quote_bytes(word, length).text, reason);
}

// Scans the beginning of a value: a scalar, or opening brackets down to the first scalar or the first empty list or object.
static bool scan_value(scan *s) {
    for (;;) {
        if (!scan_key(s)) return false;
        int next = peek(s);
        if (next != '[' && next != '{') return scan_scalar(s);
        if (s->depth == TACT_JSON_DEPTH) return REFUSE(s, s->open, s->at, "nesting deeper than %d", TACT_JSON_DEPTH);
        s->depth++;
        s->open = add_node(s);
        s->at++;
        s->comma = false;
        if (peek(s) == (next == '[' ? ']' : '}')) return true;
    }
}

// closes the lists and objects that end here, and skips the comma behind them
static bool scan_close(scan *s) {
    s->comma = false;
    while (s->open >= 0) {
        int next = peek(s);
        bool object = in_object(s);
        if (next == ',') {
            s->comma = true;
            s->at++;
            return true;
        }
        // Brackets that close, as many as follow each other.
        if (next != (object ? '}' : ']')) return refuse_expected(s, object ? "',' or '}'" : "',' or ']'");
        s->at++;
        s->depth--;
        tact_json_node *node = &s->json->nodes[s->open];
        node->next = s->json->count;
        s->open = node->parent;
    }
    return true;
}

bool tact_json_scan(tact_json *json) {
    scan s = {.json = json, .bytes = json->source.bytes, .size = json->source.size, .open = -1};
    if (peek(&s) < 0) return REFUSE(&s, -1, s.at, "the document is empty");
    do {
        if (!scan_value(&s) || !scan_close(&s)) return false;
    } while (s.open >= 0);
    if (peek(&s) < 0) return true;
    return REFUSE(&s, -1, s.at, "unexpected text after the end of the document%s",
                  s.bytes[s.at] == ']' || s.bytes[s.at] == '}' ? ": this bracket closes none that is open" : "");
}
