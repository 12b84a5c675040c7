// SPDX-License-Identifier: MIT
// Documents good and bad with the exact messages, every prefix and every changed byte of a good one.
#include "scene/json_parts.h"

#include <locale.h>

#include "test.h"

typedef struct {
    const char *bytes;
    size_t size;
    const char *message;  // after "s.json:"; NULL when only the refusal counts
} document;

// clang-format off
#define DOC(text, message) {text, sizeof(text) - 1, message}
// clang-format on

static tact_errors errors;

// into an exact allocation, so that a read past the end is seen by a sanitizer
static bool parse(tact_json *json, char **copy, const char *bytes, size_t size) {
    errors = (tact_errors){0};
    *copy = malloc(size ? size : 1);
    if (!*copy) exit(1);
    memcpy(*copy, bytes, size);
    return tact_json_read(json, (tact_source){.name = "s.json", .bytes = *copy, .size = size, .line = 1}, &errors);
}

// FILE:LINE:COL: /path: reason
static bool has_form(const char *message) {
    int line = 0, column = 0, used = 0;
    if (sscanf(message, "s.json:%d:%d: /%n", &line, &column, &used) < 2 || used == 0) return false;
    return line >= 1 && column >= 1 && strstr(message + used, ": ") != NULL;
}

static void check_bad(const document *list, size_t count) {
    for (size_t i = 0; i < count; i++) {
        tact_json json;
        char *copy;
        bool read = parse(&json, &copy, list[i].bytes, list[i].size);
        if (read) printf("    accepted: %s\n", list[i].bytes);
        CHECK(!read);
        CHECK(json.nodes == NULL && json.root == NULL);
        CHECK_INT(tact_errors_exit(&errors), 2);
        CHECK(errors.kept > 0 && has_form(errors.items[0].text));
        if (list[i].message && errors.kept > 0) CHECK_TEXT(errors.items[0].text + strlen("s.json:"), list[i].message);
        free(copy);
    }
}

// what must hold of every parsed document, whatever it says
static void check_consistent(const tact_json *json) {
    char path[100];
    for (int i = 0; i < json->count; i++) {
        const tact_json_node *node = &json->nodes[i];
        char c = json->source.bytes[node->at];
        const cJSON *item = node->item;
        bool type = c == '{'   ? cJSON_IsObject(item)
                    : c == '[' ? cJSON_IsArray(item)
                    : c == '"' ? cJSON_IsString(item)
                    : c == 't' ? cJSON_IsTrue(item)
                    : c == 'f' ? cJSON_IsFalse(item)
                    : c == 'n' ? cJSON_IsNull(item)
                               : cJSON_IsNumber(item);
        bool named = (node->key_at != 0) == (item->string != NULL);
        bool nested = i == 0 ? node->parent == -1 : node->parent < i && node->next <= json->nodes[node->parent].next;
        bool whole = type && named && nested && node->next > i && node->next <= json->count;
        if (!whole) {
            CHECK(whole);
            return;
        }
        if (i < 100) tact_json_path(json, i, path, sizeof path);
    }
    CHECK(json->nodes[0].next == json->count);
}

// clang-format off
static const document good[] = {
    DOC("0", NULL), DOC("-0", NULL), DOC("[]", NULL), DOC("{}", NULL), DOC("\"\"", NULL), DOC("true", NULL), DOC("false", NULL),
    DOC("null", NULL), DOC(" \t\r\n[ ]\r\n\t ", NULL), DOC("[1]", NULL), DOC("[1,2]", NULL), DOC("[[]]", NULL),
    DOC("[[],[]]", NULL), DOC("[{}]", NULL), DOC("{\"\":0}", NULL), DOC("{\"a\":0}", NULL), DOC("{\"a\":{}}", NULL),
    DOC("{\"a\":[],\"b\":{}}", NULL), DOC("{\"a\":1,\"A\":2}", NULL), DOC("{\"a\":{\"a\":{\"a\":1}}}", NULL),
    DOC("[{\"a\":1},{\"a\":1}]", NULL), DOC("1.5", NULL), DOC("-1.5e+10", NULL), DOC("1E5", NULL), DOC("1e-999", NULL),
    DOC("0.1e0", NULL), DOC("0e+00", NULL), DOC("123456789012345678901234567890", NULL),
    DOC("[0.1234567890123456789012345678901234567890123456789012345678901234567890123456789,1]", NULL),
    DOC("[1e308,-1e308,5e-324,1e-308]", NULL), DOC("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", NULL), DOC("\"\\u00e9\"", NULL),
    DOC("\"\\uD83D\\uDE00\"", NULL), DOC("\"\\ud83d\\ude00\"", NULL), DOC("\"\\u0001\"", NULL), DOC("\"\\uffff\"", NULL),
    DOC("\"\\uFFFE\"", NULL), DOC("\"\x7f\"", NULL), DOC("\"\xc3\xa9\"", NULL), DOC("\"\xe2\x82\xac\"", NULL),
    DOC("\"\xf0\x9f\x98\x80\"", NULL), DOC("\"\xf4\x8f\xbf\xbf\"", NULL), DOC("\"\xef\xbf\xbf\"", NULL),
    DOC("\"\xc2\x80\"", NULL), DOC("\"\xe0\xa0\x80\"", NULL), DOC("\"\xed\x9f\xbf\"", NULL), DOC("\"\xee\x80\x80\"", NULL),
    DOC("\"\xf0\x90\x80\x80\"", NULL), DOC("\xef\xbb\xbf[]", NULL), DOC("\xef\xbb\xbf" "1", NULL), DOC("\"\xef\xbb\xbf\"", NULL),
    DOC("[ 1 , 2 ]", NULL), DOC("{ \"a\" : 1 , \"b\" : 2 }", NULL), DOC("\"a\\\\\"", NULL), DOC("[\"[\",\"{\",\",\"]", NULL),
    DOC("{\"a,b\":[\"}\",\"]\"]}", NULL), DOC("[null,true,false,1,\"\",[],{}]", NULL), DOC("\"\\u2028\\u2029\"", NULL),
    DOC("[[[[[[[[[[1]]]]]]]]]]", NULL), DOC("{\"a\\u0062\":1,\"a\\u0063\":2}", NULL), DOC("{\"m/n\":1,\"m~n\":2}", NULL),
    DOC("{\"a\":1,\"a \":2}", NULL), DOC("[1,1,1]", NULL), DOC("-0.0", NULL), DOC("\"\\/\"", NULL),
};

static const document bad[] = {
    // nothing, or the wrong thing
    DOC("", "1:1: /: the document is empty"), DOC(" ", "1:2: /: the document is empty"),
    DOC("\n\n", "3:1: /: the document is empty"), DOC("\xef\xbb\xbf", "1:1: /: the document is empty"),
    DOC("\xef\xbb\xbfx", "1:1: /: \"x\": not JSON, in which a document begins with {"),
    DOC("\xef\xbb\xbf[\n \xef\xbb\xbf]", "2:2: /: expected a value (found \"\xef\xbb\xbf\")"),
    DOC("\xef\xbb", "1:1: /: expected a value (found \"\\xef\")"),
    DOC("\xff\xfe[\0]\0", "1:1: /: expected a value (found \"\\xff\")"),
    DOC("\0[\0]", "1:1: /: expected a value (found \"\\x00\")"), DOC("[\0]", "1:2: /: expected a value (found \"\\x00\")"),
    DOC("{\0}", NULL), DOC("[1\0]", "1:3: /: expected ',' or ']' (found \"\\x00\")"), DOC("\f[]", NULL), DOC("\v1", NULL),
    DOC("\xc2\xa0[]", "1:1: /: expected a value (found \"\xc2\xa0\"; it is no blank)"),
    DOC("\xe2\x80\xa8[]", "1:1: /: expected a value (found \"\\u2028\")"), DOC("]", "1:1: /: expected a value (found \"]\")"),
    DOC("}", NULL), DOC(",", NULL), DOC(":", NULL), DOC("*", NULL), DOC("a", NULL), DOC("<null>", NULL), DOC("[<null>]", NULL),
    DOC("(1)", NULL), DOC("@", NULL), DOC("#", NULL), DOC("\\", NULL), DOC("`", NULL),
    // after the end
    DOC("[][]", "1:3: /: unexpected text after the end of the document"),
    DOC("{} x", "1:4: /: unexpected text after the end of the document"), DOC("{}{}", NULL),
    DOC("{}\0", "1:3: /: unexpected text after the end of the document"), DOC("{}\0junk", NULL), DOC("[1]]", NULL),
    DOC("{}}", "1:3: /: unexpected text after the end of the document: this bracket closes none that is open"), DOC("1 2", "1:3: /: unexpected text after the end of the document"), DOC("1]", NULL), DOC("1,", NULL),
    DOC("[],", NULL), DOC("{}\n\n#", "3:1: /: unexpected text after the end of the document"), DOC("\"a\"\"b\"", NULL),
    DOC("true false", NULL), DOC("[]//", NULL), DOC("{\"a\":1}}", NULL), DOC("{\"a\":true} \"x\"", NULL), DOC("[1]x", NULL),
    DOC("1\0", NULL), DOC("\"a\" b", NULL),
    // arrays
    DOC("[", "1:2: /: expected a value (found the end of the text; the [ of line 1 is not closed)"),
    DOC("[1", "1:3: /: expected ',' or ']' (found the end of the text; the [ of line 1 is not closed)"),
    DOC("[1,", "1:4: /: expected a value (found the end of the text; the [ of line 1 is not closed)"), DOC("[1,]", "1:4: /: expected a value (found \"]\"; no comma may stand before it)"),
    DOC("[,1]", "1:2: /: expected a value (found \",\")"), DOC("[1,,2]", "1:4: /: expected a value (found \",\")"),
    DOC("[,]", NULL), DOC("[1 2]", "1:4: /: expected ',' or ']' (found \"2\"; a comma is missing before it)"), DOC("[1:2]", "1:3: /: expected ',' or ']' (found \":\"; the [ of line 1 is not closed)"),
    DOC("[1}", "1:3: /: expected ',' or ']' (found \"}\"; the [ of line 1 is not closed)"), DOC("[\"a\" \"b\"]", NULL), DOC("[[]", NULL),
    DOC("[\n[1,[2,3]", "2:9: /0: expected ',' or ']' (found the end of the text; the [ of line 2 is not closed)"), DOC("[1;2]", NULL),
    DOC("[\"a\",\n4\n,1,", "3:4: /: expected a value (found the end of the text; the [ of line 1 is not closed)"), DOC("[1,\n1\n,1", NULL), DOC("[{}", NULL),
    DOC("[\"\": 1]", NULL), DOC("[\"a\"", NULL), DOC("[-", NULL), DOC("[\xff]", "1:2: /: expected a value (found \"\\xff\")"),
    DOC("[1,\xe5]", NULL), DOC("[3[4]]", NULL), DOC("[[[[[", "1:6: /0/0/0/0: expected a value (found the end of the text; the [ of line 1 is not closed)"),
    DOC("[*]", NULL), DOC("[\"\",]", NULL), DOC("[1,\0]", NULL),
    DOC("[\xc3\xa9]", "1:2: /: expected a value (found \"\xc3\xa9\")"), DOC("[...]", NULL),
    // objects
    DOC("{", "1:2: /: expected a key in double quotes (found the end of the text; the { of line 1 is not closed)"),
    DOC("{\"a\"", "1:5: /: expected ':' after the key (found the end of the text; the { of line 1 is not closed)"),
    DOC("{\"a\":", "1:6: /: expected a value (found the end of the text; the { of line 1 is not closed)"),
    DOC("{\"a\":1", "1:7: /: expected ',' or '}' (found the end of the text; the { of line 1 is not closed)"), DOC("{\"a\":1,", NULL),
    DOC("{\"a\":1,}", "1:8: /: expected a key in double quotes (found \"}\"; no comma may stand before it)"), DOC("{,}", NULL),
    DOC("{\"a\" 1}", "1:6: /: expected ':' after the key (found \"1\")"), DOC("{\"a\"}", NULL), DOC("{\"a\",1}", NULL),
    DOC("{\"a\"::1}", NULL), DOC("{a:1}", "1:2: /: expected a key in double quotes (found \"a\")"),
    DOC("{'a':1}", "1:2: /: expected a key in double quotes (found \"'\"; JSON has straight double quotes only)"), DOC("{1:1}", NULL), DOC("{null:1}", NULL),
    DOC("{\"a\":1 \"b\":2}", "1:8: /: expected ',' or '}' (found \"\\\"\"; a comma is missing before it)"), DOC("{\"a\":1,,\"b\":2}", NULL), DOC("{\"a\":}", NULL),
    DOC("{\"a\":1]", "1:7: /: expected ',' or '}' (found \"]\"; the { of line 1 is not closed)"), DOC("{[]:1}", NULL), DOC("{\"a\":\"b\",", NULL),
    DOC("{\"a\":1;\"b\":2}", NULL), DOC("{\"a\"=1}", NULL),
    DOC("{\"mass\": 1,5}", "1:12: /: expected a key in double quotes (found \"5\"; the decimal sign is a point)"),
    DOC("{\"a\":{\"b\":[1,{\"c/~\":x}]}}", "1:21: /a/b/1/c~1~0: \"x\": not a value (allowed: true, false, null, and text in double quotes)"),
    DOC("{\"bodies\":[{},\n  {\"m\\\"\": 01}]}", "2:11: /bodies/1/m\\\": \"01\": not a number"), DOC("{\"a\":1,\"a\":1,}", NULL),
    DOC("{\"\xff\":1}", NULL), DOC("{\"a\":[}", NULL), DOC("{\"a\":\"a\" 1}", NULL), DOC("{\"a\":1e}", NULL),
    DOC("{\"a\" \"b\":1}", NULL), DOC("{{}}", NULL),
    // comments
    DOC("// c\n[]", "1:1: /: expected a value (found \"/\"; comments are not allowed)"),
    DOC("[1, /* c */ 2]", "1:5: /: expected a value (found \"/\"; comments are not allowed)"), DOC("{\"a\":1} // c", NULL),
    DOC("{\"a\":1, // c\n\"b\":2}", "1:9: /: expected a key in double quotes (found \"/\"; comments are not allowed)"),
    DOC("[1] # c", NULL), DOC("{\"a\":/*c*/1}", NULL), DOC("/", NULL), DOC("{/*", NULL),
    // numbers
    DOC("01", "1:1: /: \"01\": not a number"), DOC("-01", NULL), DOC("00", NULL), DOC("-00.5", NULL),
    DOC("+1", "1:1: /: \"+1\": not a number"), DOC("1.", NULL), DOC(".5", NULL), DOC("-.5", NULL), DOC("2.e3", NULL),
    DOC("0.e1", NULL), DOC("1e", NULL), DOC("1e+", NULL), DOC("1E-", NULL), DOC("-", NULL), DOC("--1", NULL), DOC("1.2.3", NULL),
    DOC("-1.57.", "1:1: /: \"-1.57.\": not a number"), DOC("1e1.5", NULL), DOC("1e5e5", NULL),
    DOC("0x10", "1:1: /: \"0x10\": not a number"), DOC("0b1", NULL), DOC("1_000", NULL), DOC("1f", NULL),
    DOC("NaN", "1:1: /: \"NaN\": not a number: JSON has neither NaN nor infinity"), DOC("-NaN", "1:1: /: \"-NaN\": not a number: JSON has neither NaN nor infinity"),
    DOC("Infinity", NULL), DOC("-Infinity", NULL), DOC("inf", NULL),
    DOC("[nan]", "1:2: /0: \"nan\": not a number: JSON has neither NaN nor infinity"), DOC("1-1", NULL),
    DOC("- 1", "1:1: /: \"-\": not a number"), DOC("1 .5", NULL), DOC("\xef\xbc\x91", NULL), DOC("[1.5\xe2\x82\xac]", NULL),
    DOC("0.1.", NULL), DOC("+", NULL), DOC("1e1e", NULL), DOC("[0,-]", "1:4: /1: \"-\": not a number"), DOC("1e0x", NULL),
    DOC("[2.]", NULL), DOC("[-2.]", NULL), DOC("[1ea]", NULL), DOC("[1e\xe5]", NULL), DOC("[-1x]", NULL),
    DOC("{\"a\": 1e999}", "1:7: /a: number too large for a double (1e999)"),
    DOC("-1e999", "1:1: /: number too large for a double (-1e999)"),
    DOC("[1,1.7976931348623159e308]", "1:4: /1: number too large for a double (1.7976931348623159e308)"),
    DOC("1000000000000000000000000000000000000000000000000000e300",
        "1:1: /: number too large for a double (1000000000000000000000000000000000000000...)"),
    // words
    DOC("True", NULL), DOC("TRUE", NULL), DOC("tru", NULL),
    DOC("truee", "1:1: /: \"truee\": not JSON, in which a document begins with {"), DOC("nul", NULL), DOC("nulll", NULL),
    DOC("fals", NULL), DOC("None", NULL), DOC("undefined", NULL), DOC("[true1]", NULL), DOC("true.", NULL), DOC("t", NULL),
    DOC("[nu", NULL), DOC("n\0ll", NULL), DOC("{\"a\":True}", NULL),
    // strings
    DOC("\"", "1:1: /: string without an end"), DOC("\"a", NULL), DOC("[\n \"a]", "2:2: /0: string without an end"),
    DOC("'a'", NULL), DOC("\"\\\"", NULL), DOC("\"\\", NULL),
    DOC("\"\\x41\"", "1:2: /: unknown escape in a string (found \"\\\\x\")"), DOC("\"\\a\"", NULL), DOC("\"\\'\"", NULL),
    DOC("\"\\0\"", NULL), DOC("\"\\\n\"", NULL), DOC("\"\\U0041\"", NULL), DOC("\"\\\0\"", NULL), DOC("\"\\v\"", NULL),
    DOC("\"\\ \"", NULL), DOC("\"\\\xc3\xa9\"", NULL), DOC("\"\\u\"", NULL), DOC("\"\\u00\"", NULL), DOC("\"\\u00e\"", NULL),
    DOC("\"\\u00g0\"", "1:2: /: \\u needs four hexadecimal digits (found \"\\\\u00g0\")"), DOC("\"\\u 041\"", NULL),
    DOC("\"\\u-041\"", NULL), DOC("\"\\u12", NULL), DOC("\"\\u", NULL), DOC("\"\\u{41}\"", NULL),
    DOC("{\"a\":\"a\\u0000b\"}", "1:8: /a: \\u0000 is not allowed (found \"\\\\u0000\")"),
    DOC("{\"a\\u0000\":1}", "1:4: /: \\u0000 is not allowed (found \"\\\\u0000\")"),
    DOC("\"\\ud800\"", "1:2: /: half of a surrogate pair (found \"\\\\ud800\")"), DOC("\"\\udc00\"", NULL),
    DOC("\"\\ud83d\\ud83d\"", NULL), DOC("\"\\ud83dx\"", NULL), DOC("\"\\ud83d\\n\"", NULL), DOC("\"\\ud83d\\u0041\"", NULL),
    DOC("\"\\ude00\\ud83d\"", NULL), DOC("\"\\ud83d\\u\"", NULL), DOC("\"\\ud83d\\", NULL), DOC("\"\\ud83d\\ude0", NULL),
    DOC("\"a\nb\"", "1:3: /: control byte in a string: write it as an escape (found \"\\x0a\")"), DOC("\"\t\"", NULL),
    DOC("\"\x1f\"", NULL), DOC("\"a\0b\"", NULL), DOC("\"\x1b[2J\"", NULL), DOC("\"\r\"", NULL), DOC("{\"a\tb\":1}", NULL),
    DOC("[\"\xc3\xa9\xc3\xa9\", \"\xff\"]", "1:9: /1: not UTF-8 (found \"\\xff\")"), DOC("\"\x80\"", NULL),
    DOC("\"\xc0\x80\"", NULL), DOC("\"\xc0\xaf\"", NULL), DOC("\"\xc1\xbf\"", NULL), DOC("\"\xc3\"", NULL),
    DOC("\"\xc3(\"", NULL), DOC("\"\xe2\x82\"", NULL), DOC("\"\xe0\x80\x80\"", NULL), DOC("\"\xed\xa0\x80\"", NULL),
    DOC("\"\xed\xbf\xbf\"", NULL), DOC("\"\xf0\x80\x80\x80\"", NULL), DOC("\"\xf4\x90\x80\x80\"", NULL),
    DOC("\"\xf8\x88\x80\x80\x80\"", NULL), DOC("\"\xfe\"", NULL), DOC("\"\xe9\"", NULL), DOC("\"\xf0\x9f\x98\"", NULL),
    DOC("\"\xf0\x9f", NULL),
    DOC("[\"\xe2\x82\xac\xf0\x9f\x98\x80\", x]", "1:8: /1: \"x\": not a value (allowed: true, false, null, and text in double quotes)"),
    // duplicates
    DOC("{\"a\":1,\"a\":1}", "1:8: /: key \"a\" given twice (lines 1 and 1)"), DOC("{\"a\":1,\"\\u0061\":1}", NULL),
    DOC("{\"\":1,\"\":1}", NULL),
    DOC("{\n\"bodies\":[\n{\n\"mass\":1,\n\"b\":2,\n\n\n\n\"mass\":2}]}",
        "9:1: /bodies/0: key \"mass\" given twice (lines 4 and 9)"),
    DOC("[{\"a\":{},\"b\":{\"a\":1},\"a\":[]}]", "1:22: /0: key \"a\" given twice (lines 1 and 1)"),
};
// clang-format on

static void test_tables(void) {
    size_t bad_count = sizeof bad / sizeof bad[0], good_count = sizeof good / sizeof good[0];
    printf("%zu good and %zu bad documents\n", good_count, bad_count);
    CHECK(good_count >= 60 && bad_count >= 150);
    check_bad(bad, bad_count);
    for (size_t i = 0; i < good_count; i++) {
        tact_json json;
        char *copy;
        bool read = parse(&json, &copy, good[i].bytes, good[i].size);
        if (!read) printf("    %s\n", errors.items[0].text);
        CHECK(read);
        CHECK_INT(errors.kept, 0);
        if (read) check_consistent(&json);
        tact_json_free(&json);
        free(copy);
    }
}

static const char scene[] = "{\"tact\": 1, \"name\": \"h\xc3\xa9\\u00e9\\ud83d\\ude00\", \"gravity\": [0, 0, -9.81],\n"
                            " \"options\": {\"dt\": 1e-2, \"kappa\": 100, \"on\": true, \"off\": false, \"none\": null},\n"
                            " \"bodies\": [{\"name\": \"a\", \"mass\": 0.52}, {\"name\": \"b\", \"xyz\": [[], {}, \"\"]}]}";

static void test_prefixes(void) {
    tact_json json;
    char *copy;
    for (size_t size = 0; size < sizeof scene - 1; size++) {
        CHECK(!parse(&json, &copy, scene, size));
        CHECK(has_form(errors.items[0].text));
        free(copy);
    }
    CHECK(parse(&json, &copy, scene, sizeof scene - 1));
    check_consistent(&json);
    tact_json_free(&json);
    free(copy);
}

static void test_changed_bytes(void) {
    static char changed[sizeof scene];
    int accepted = 0, wrong = 0;
    for (size_t i = 0; i < sizeof scene - 1; i++) {
        for (int byte = 0; byte < 256; byte++) {
            tact_json json;
            char *copy;
            memcpy(changed, scene, sizeof scene);
            changed[i] = (char)byte;
            bool read = parse(&json, &copy, changed, sizeof scene - 1);
            if (read) check_consistent(&json);
            wrong += !read && !has_form(errors.items[0].text);
            // cJSON, more lenient, never refuses what is accepted here; out of memory would say that it did
            wrong += tact_errors_exit(&errors) == 5;
            accepted += read;
            tact_json_free(&json);
            free(copy);
        }
    }
    CHECK_INT(wrong, 0);
    printf("%d of %zu changes accepted\n", accepted, 256 * (sizeof scene - 1));
    CHECK(accepted > (int)sizeof scene && accepted < 256 * (int)sizeof scene / 2);
}

static void test_random_soup(uint64_t *seed) {
    static const char *const pieces[] = {"{",    "}",    "[", "]",  ",",       ":",   "\"a\"",       "\"b\"", "1",    "-2.5e3",
                                         "true", "null", " ", "\n", "{\"a\":", "[1,", "\"\\u0041\"", "\x80",  "1e999"};
    int accepted = 0, wrong = 0;
    for (int i = 0; i < 100000; i++) {
        char text[200] = "";
        int count = 1 + (int)(test_random_bits(seed) % 7);
        for (int k = 0; k < count; k++) strcat(text, pieces[test_random_bits(seed) % (sizeof pieces / sizeof pieces[0])]);
        tact_json json;
        char *copy;
        bool read = parse(&json, &copy, text, strlen(text));
        if (read) check_consistent(&json);
        wrong += tact_errors_exit(&errors) == 5;
        accepted += read;
        tact_json_free(&json);
        free(copy);
    }
    CHECK_INT(wrong, 0);
    printf("%d of 100000 random documents accepted\n", accepted);
    CHECK(accepted > 1000);
}

int main(void) {
    uint64_t seed = test_seed(7);
    test_tables();
    test_prefixes();
    test_changed_bytes();
    test_random_soup(&seed);
    // the same messages in every locale
    static const char *const locales[] = {"de_DE.UTF-8", "tr_TR.UTF-8", "ps_AF.UTF-8"};
    for (int i = 0; i < 3; i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        printf("locale %s\n", locales[i]);
        test_tables();
    }
    return test_end("json");
}
