// SPDX-License-Identifier: MIT
// Where values stand and what they are, nesting, many errors at once, sources and their sizes.
#include "tact/json.h"

#include "test.h"

static tact_errors errors;

// into an exact allocation, so that a read past the end is seen by a sanitizer
static bool parse(tact_json *json, char **copy, const char *bytes, size_t size) {
    errors = (tact_errors){0};
    *copy = malloc(size ? size : 1);
    if (!*copy) exit(1);
    memcpy(*copy, bytes, size);
    return tact_json_read(json, (tact_source){.name = "s.json", .bytes = *copy, .size = size, .line = 1}, &errors);
}

// count times the piece, then the middle, then count times the end
static bool parse_repeated(int count, const char *piece, const char *middle, const char *end) {
    size_t a = strlen(piece), b = strlen(end), m = strlen(middle), size = (size_t)count * (a + b) + m;
    char *text = malloc(size), *copy;
    if (!text) exit(1);
    for (int i = 0; i < count; i++) memcpy(text + (size_t)i * a, piece, a);
    memcpy(text + (size_t)count * a, middle, m);
    for (int i = 0; i < count; i++) memcpy(text + (size_t)count * a + m + (size_t)i * b, end, b);
    tact_json json;
    bool read = parse(&json, &copy, text, size);
    tact_json_free(&json);
    free(copy);
    free(text);
    return read;
}

static void test_depth(void) {
    CHECK(parse_repeated(64, "[", "", "]"));
    CHECK(parse_repeated(64, "{\"a\":", "1", "}"));
    CHECK(!parse_repeated(65, "[", "", "]"));
    CHECK_TEXT(strstr(errors.items[0].text, "nesting"), "nesting deeper than 64");
    CHECK(strncmp(errors.items[0].text, "s.json:1:65: /0/0/0", 19) == 0);
    CHECK(!parse_repeated(65, "{\"a\":", "1", "}"));
    CHECK(strncmp(errors.items[0].text, "s.json:1:321: /a/a/a", 20) == 0);
    CHECK(!parse_repeated(1000000, "[", "", ""));
    CHECK_TEXT(strstr(errors.items[0].text, "nesting"), "nesting deeper than 64");
    CHECK(!parse_repeated(1000000, "[\n", "", "]"));
    CHECK(strncmp(errors.items[0].text, "s.json:65:1: /0/0/0", 19) == 0);
    // closing makes room again
    CHECK(parse_repeated(
        100, "",
        "[[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],"
        "[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[],[]]",
        ""));
}

static void test_values(void) {
    static const char text[] =
        "{\"x\": [0.1, 9007199254740993, 1e-999, -0],\n\"s\": \"a\\u00e9\\n\", \"a/b~\": {\"k\": [true, {\"z\": null}]}}";
    tact_json json;
    char *copy, path[64];
    CHECK(parse(&json, &copy, text, sizeof text - 1));
    CHECK_INT(json.count, 12);
    CHECK(tact_json_value(&json, 2) == 0.1);
    CHECK(tact_json_value(&json, 3) == 9007199254740992.0);
    CHECK(tact_json_value(&json, 4) == 0);
    CHECK(signbit(tact_json_value(&json, 5)));
    CHECK_TEXT(tact_json_string(&json, 6), "a\xc3\xa9\n");
    static const char *const paths[] = {"/",  "/x",      "/x/0",      "/x/1",        "/x/2",        "/x/3",
                                        "/s", "/a~1b~0", "/a~1b~0/k", "/a~1b~0/k/0", "/a~1b~0/k/1", "/a~1b~0/k/1/z"};
    for (int i = 0; i < 12; i++) {
        tact_json_path(&json, i, path, sizeof path);
        CHECK_TEXT(path, paths[i]);
    }
    tact_json_path(&json, 11, path, 12);
    CHECK_TEXT(path, "/a~1b~0/...");
    CHECK_INT(tact_json_line(&json, json.nodes[6].at), 2);
    tact_json_free(&json);
    free(copy);
}

// further errors that are no errors of the grammar are told, too
static void test_many_errors(void) {
    tact_json json;
    char *copy;
    static const char text[] = "{\"a\": 1e999, \"b\": [-1e400],\n \"a\": 1}";
    CHECK(!parse(&json, &copy, text, sizeof text - 1));
    CHECK_INT(errors.kept, 3);
    CHECK_TEXT(errors.items[0].text, "s.json:1:7: /a: number too large for a double (1e999)");
    CHECK_TEXT(errors.items[1].text, "s.json:1:20: /b/0: number too large for a double (-1e400)");
    CHECK_TEXT(errors.items[2].text, "s.json:2:2: /: key \"a\" given twice (lines 1 and 2)");
    free(copy);
    char *many = malloc(50000 * 6 + 2), *end = many;
    if (!many) exit(1);
    *end++ = '{';
    for (int i = 0; i < 50000; i++) end += sprintf(end, "\"k\":0,");
    end[-1] = '}';
    CHECK(!parse(&json, &copy, many, (size_t)(end - many)));
    CHECK_INT(errors.errors, 49999);
    CHECK_INT(errors.kept, 20);
    CHECK_TEXT(errors.items[19].text, "s.json:1:122: /: key \"k\" given twice (lines 1 and 1)");
    free(copy);
    free(many);
}

static void test_sources(void) {
    // a line of a longer file keeps its number
    errors = (tact_errors){0};
    tact_json json;
    tact_source line = {.name = "p\x1b[2J", .bytes = "{\"id\":}", .size = 7, .line = 41};
    CHECK(!tact_json_read(&json, line, &errors));
    CHECK_TEXT(errors.items[0].text, "p\\x1b[2J:41:7: /: expected a value (found \"}\")");
    // too large, and as large as allowed
    char *spaces = malloc(TACT_TEXT_LIMIT + 1);
    if (!spaces) exit(1);
    memset(spaces, ' ', TACT_TEXT_LIMIT + 1);
    spaces[0] = '1';
    errors = (tact_errors){0};
    CHECK(!tact_json_read(&json, (tact_source){.name = "s", .bytes = spaces, .size = TACT_TEXT_LIMIT + 1, .line = 1}, &errors));
    CHECK_TEXT(errors.items[0].text, "s: 16777217 bytes: larger than the limit of 16777216");
    CHECK_INT(tact_errors_exit(&errors), 2);
    CHECK(tact_json_read(&json, (tact_source){.name = "s", .bytes = spaces, .size = TACT_TEXT_LIMIT, .line = 1}, &errors));
    CHECK(tact_json_value(&json, 0) == 1);
    tact_json_free(&json);
    // a name of 1 MB is cut
    memset(spaces, 'x', 1000000);
    memcpy(spaces, "{\"", 2);
    memcpy(spaces + 999990, "\":[nul]}  ", 10);
    errors = (tact_errors){0};
    CHECK(!tact_json_read(&json, (tact_source){.name = "s", .bytes = spaces, .size = 1000000, .line = 1}, &errors));
    CHECK(strlen(errors.items[0].text) < TACT_ERROR_LENGTH);
    CHECK(strstr(errors.items[0].text, "xxx...: \"nul\": not a value (allowed: true, false, null, and text in double quotes)") !=
          NULL);
    free(spaces);
}

int main(void) {
    test_depth();
    test_values();
    test_many_errors();
    test_sources();
    return test_end("json_place");
}
