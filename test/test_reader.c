// SPDX-License-Identifier: MIT
// Typed reading: what is set, what is left, and every message word by word.
#include "tact/json.h"

#include <locale.h>

#include "test.h"

static tact_errors errors;
static tact_json json;

static void open_text(const char *text) {
    errors = (tact_errors){0};
    bool read = tact_json_read(&json, (tact_source){.name = "s", .bytes = text, .size = strlen(text), .line = 1}, &errors);
    CHECK(read);
    if (!read) printf("    %s\n", errors.items[0].text);
}

// the messages kept are exactly these, and no others; closes the document
static void check_messages(int line, int count, const char *const *messages) {
    test_int(errors.kept, count, __FILE__, line, "messages");
    for (int i = 0; i < count && i < errors.kept; i++) test_text(errors.items[i].text, messages[i], __FILE__, line, "message");
    tact_json_free(&json);
}

#define CHECK_MESSAGES(...) \
    check_messages(__LINE__, (int)(sizeof(const char *[]){__VA_ARGS__} / sizeof(char *)), (const char *const[]){__VA_ARGS__})
#define CHECK_NO_MESSAGE() check_messages(__LINE__, 0, NULL)

static int key(const char *name) {
    return tact_json_find(&json, 0, name);
}

static void test_objects(void) {
    static const char *const keys[] = {"mass", "stiffness", "name", NULL};
    open_text("{\"Mass\": 1,\n \"stiffnes\": 2, \"name\": 3, \"q\\u001b\": 4, \"zzzzzz\": {}}");
    CHECK(tact_json_check_object(&json, 0, keys));
    CHECK_INT(key("mass"), -1);
    CHECK_INT(key("name"), 3);
    CHECK_TEXT(tact_json_key(&json, 3), "name");
    CHECK(tact_json_key(&json, 0) == NULL);
    CHECK(!tact_json_check_object(&json, 3, keys));
    CHECK(!tact_json_check_object(&json, -1, keys));
    CHECK_INT(tact_json_need(&json, 0, "mass"), -1);
    CHECK_INT(tact_json_need(&json, 0, "name"), 3);
    CHECK_INT(tact_json_need(&json, -1, "mass"), -1);
    CHECK_INT(tact_json_need(&json, 1, "mass"), -1);
    CHECK_MESSAGES("s:1:2: /: unknown key \"Mass\" (did you mean \"mass\"?)",
                   "s:2:2: /: unknown key \"stiffnes\" (did you mean \"stiffness\"?)",
                   "s:2:28: /: unknown key \"q\\x1b\" (allowed: mass, stiffness, name)", "s:2:42: /: unknown key \"zzzzzz\"",
                   "s:2:25: /name: expected an object, found a number: {\"mass\": ..., \"stiffness\": ...}");
    open_text("{\"Mess\": 1}");
    CHECK_INT(tact_json_need(&json, 0, "mass"), -1);
    CHECK_MESSAGES("s:1:1: /: key \"mass\" is missing");
    open_text("{\"anything\": 1}");
    CHECK(tact_json_check_object(&json, 0, NULL));
    CHECK_NO_MESSAGE();
}

static void test_numbers(void) {
    tact_real x = 7;
    open_text("{\"a\": -0.1, \"b\": 0, \"c\": \"1\", \"d\": 2.5, \"e\": null, \"f\": -3}");
    CHECK(!tact_json_get_number(&json, key("a"), tact_range_above(0), &x));
    CHECK(!tact_json_get_number(&json, key("b"), tact_range_above(0), &x));
    CHECK(!tact_json_get_number(&json, key("a"), tact_range_from(0), &x));
    CHECK(!tact_json_get_number(&json, key("f"), tact_range_within(0, 10), &x));
    CHECK(!tact_json_get_number(&json, key("d"), (tact_range){0, 2.5, true, true}, &x));
    CHECK(!tact_json_get_number(&json, key("d"), (tact_range){-(double)INFINITY, 2, false, false}, &x));
    CHECK(!tact_json_get_number(&json, key("c"), tact_range_any(), &x));
    CHECK(!tact_json_get_number(&json, key("e"), tact_range_any(), &x));
    CHECK(!tact_json_get_number(&json, key("none"), tact_range_any(), &x));
    CHECK(x == 7);
    CHECK(tact_json_get_number(&json, key("b"), tact_range_from(0), &x));
    CHECK(x == 0);
    CHECK(tact_json_get_number(&json, key("d"), tact_range_within(0, 2.5), &x));
    CHECK(x == TACT_REAL(2.5));
    CHECK(tact_json_get_number(&json, key("a"), tact_range_any(), &x));
    CHECK(x == TACT_REAL(-0.1));
    CHECK_MESSAGES("s:1:7: /a: must be > 0 (found -0.1)", "s:1:18: /b: must be > 0 (found 0)",
                   "s:1:7: /a: must be >= 0 (found -0.1)", "s:1:57: /f: must be within [0, 10] (found -3)",
                   "s:1:36: /d: must be within (0, 2.5) (found 2.5)", "s:1:36: /d: must be <= 2 (found 2.5)",
                   "s:1:26: /c: expected a number, found a string (\"1\"): numbers have no quotes",
                   "s:1:46: /e: expected a number, found null");
}

// numbers that a double holds and a float does not
static void test_precision(void) {
    tact_real x = 7;
    bool is_float = sizeof(tact_real) == sizeof(float);
    open_text("[1e39, -1e39, 1e-60]");
    CHECK(tact_json_get_number(&json, 1, tact_range_any(), &x) == !is_float);
    CHECK(tact_json_get_number(&json, 2, tact_range_from(-1e300), &x) == !is_float);
    CHECK(tact_json_get_number(&json, 3, tact_range_above(0), &x) == !is_float);
    CHECK(!is_float || x == 7);
    if (!is_float) {
        CHECK_NO_MESSAGE();
        return;
    }
    CHECK_MESSAGES("s:1:2: /0: number too large for single precision (1e+39)",
                   "s:1:8: /1: number too large for single precision (-1e+39)", "s:1:15: /2: must be > 0 (found 1e-60)");
}

static void test_integers(void) {
    int n = 7;
    open_text("[1.5, 0, 65, 3e9, -1e300, 64, 1e0, \"2\", true]");
    for (int i = 1; i <= 5; i++) CHECK(!tact_json_get_integer(&json, i, 1, 64, &n));
    CHECK(n == 7);
    CHECK(tact_json_get_integer(&json, 6, 1, 64, &n));
    CHECK_INT(n, 64);
    CHECK(tact_json_get_integer(&json, 7, 1, 64, &n));
    CHECK_INT(n, 1);
    CHECK(!tact_json_get_integer(&json, 8, 1, 64, &n));
    CHECK(!tact_json_get_integer(&json, 9, 1, 64, &n));
    CHECK(!tact_json_get_integer(&json, -1, 1, 64, &n));
    CHECK(!tact_json_get_integer(&json, 6, 1, 1, &n));
    tact_real x;
    CHECK(!tact_json_get_number(&json, 6, tact_range_within(1e-6, 1), &x));
    CHECK_MESSAGES("s:1:2: /0: must be an integer (found 1.5)", "s:1:7: /1: must be within [1, 64] (found 0)",
                   "s:1:10: /2: must be within [1, 64] (found 65)", "s:1:14: /3: must be within [1, 64] (found 3000000000)",
                   "s:1:19: /4: must be within [1, 64] (found -1e+300)",
                   "s:1:36: /7: expected a number, found a string (\"2\"): numbers have no quotes",
                   "s:1:41: /8: expected a number, found true or false", "s:1:27: /5: must be 1 (found 64)",
                   "s:1:27: /5: must be within [1e-6, 1] (found 64)");
}

static void test_strings(void) {
    static const char *const types[] = {"fixed", "revolute", "free", NULL};
    static char text[700];
    char longest[257];
    memset(longest, 'n', 256);
    longest[256] = '\0';
    snprintf(text, sizeof text, "[\"%s\", \"%s\", \"\", 5, \"free\", \"Revolut\", \"ball\", {}]", longest + 1, longest);
    open_text(text);
    CHECK_TEXT(tact_json_get_name(&json, 1), longest + 1);
    CHECK(tact_json_get_name(&json, 2) == NULL);
    CHECK(tact_json_get_name(&json, 3) == NULL);
    CHECK(tact_json_get_name(&json, 4) == NULL);
    CHECK(tact_json_get_name(&json, -1) == NULL);
    CHECK_TEXT(tact_json_get_string(&json, 3, 10), "");
    CHECK_TEXT(tact_json_get_string(&json, 2, 256), longest);
    CHECK_INT(tact_json_get_choice(&json, 5, types), 2);
    CHECK_INT(tact_json_get_choice(&json, 6, types), -1);
    CHECK_INT(tact_json_get_choice(&json, 7, types), -1);
    CHECK_INT(tact_json_get_choice(&json, 8, types), -1);
    CHECK_INT(tact_json_get_choice(&json, -1, types), -1);
    CHECK_MESSAGES("s:1:261: /1: string of 256 bytes is too long (allowed 255)", "s:1:521: /2: must not be empty",
                   "s:1:525: /3: expected a string, found a number",
                   "s:1:536: /5: unknown value \"Revolut\" (did you mean \"revolute\"?)",
                   "s:1:547: /6: unknown value \"ball\" (allowed: fixed, revolute, free)",
                   "s:1:555: /7: expected a string, found an object (allowed: fixed, revolute, free)");
    bool on = false;
    open_text("[true, false, 1]");
    CHECK(tact_json_get_bool(&json, 1, &on) && on);
    CHECK(tact_json_get_bool(&json, 2, &on) && !on);
    CHECK(!tact_json_get_bool(&json, 3, &on));
    CHECK_MESSAGES("s:1:15: /2: expected true or false, found a number");
}

static void test_vectors(void) {
    tact_real x[3] = {7, 7, 7};
    open_text("{\"a\": [0, 0], \"b\": [1, 2.5, -3], \"c\": 5, \"d\": [1, \"x\", -1], \"e\": [], \"f\": [[1]], \"g\": "
              "{\"x\":1,\"y\":2}}");
    CHECK(!tact_json_get_vector(&json, key("a"), 3, tact_range_any(), x));
    CHECK(!tact_json_get_vector(&json, key("a"), 1, tact_range_any(), x));
    CHECK(!tact_json_get_vector(&json, key("c"), 3, tact_range_any(), x));
    CHECK(!tact_json_get_vector(&json, key("none"), 3, tact_range_any(), x));
    CHECK(x[0] == 7 && x[1] == 7 && x[2] == 7);
    CHECK(!tact_json_get_vector(&json, key("d"), 3, tact_range_from(0), x));
    CHECK(tact_json_get_vector(&json, key("b"), 3, tact_range_any(), x));
    CHECK(x[0] == 1 && x[1] == TACT_REAL(2.5) && x[2] == -3);
    CHECK(tact_json_get_vector(&json, key("e"), 0, tact_range_any(), x));
    CHECK(!tact_json_get_vector(&json, key("f"), 1, tact_range_any(), x));
    CHECK_INT(tact_json_length(&json, key("b")), 3);
    CHECK_INT(tact_json_length(&json, key("e")), 0);
    CHECK_INT(tact_json_length(&json, key("f")), 1);
    CHECK_INT(tact_json_length(&json, key("g")), -1);
    CHECK_INT(tact_json_length(&json, -1), -1);
    int sum = 0;
    for (int i = tact_json_first(&json, key("g")); i >= 0; i = tact_json_after(&json, i))
        sum = 10 * sum + (int)tact_json_value(&json, i);
    CHECK_INT(sum, 12);
    CHECK_INT(tact_json_first(&json, key("e")), -1);
    CHECK_INT(tact_json_first(&json, key("c")), -1);
    CHECK_INT(tact_json_first(&json, -1), -1);
    CHECK_INT(tact_json_after(&json, 0), -1);
    CHECK_MESSAGES("s:1:7: /a: expected 3 numbers, found 2", "s:1:7: /a: expected 1 number, found 2",
                   "s:1:39: /c: expected an array of 3 numbers, found a number: [x, y, z]",
                   "s:1:51: /d/1: expected a number, found a string (\"x\")", "s:1:56: /d/2: must be >= 0 (found -1)",
                   "s:1:76: /f/0: expected a number, found an array: list the numbers in one array, row by row",
                   "s:1:87: /g: expected an array, found an object: [{...}, ...]");
}

// what a loader says itself, and the limit of 20
static void test_own_messages(void) {
    open_text("{\"bodies\": [{\"parent\": \"plam\"}]}");
    int body = tact_json_first(&json, key("bodies"));
    tact_json_warn(&json, tact_json_find(&json, body, "parent"), "odd");
    tact_json_refuse(&json, tact_json_find(&json, body, "parent"), "no body \"%s\"", "plam");
    tact_json_refuse(&json, -1, "silent");
    tact_json_warn(&json, -1, "silent");
    CHECK_INT(errors.errors, 1);
    CHECK_INT(errors.warnings, 1);
    for (int i = 0; i < 30; i++) tact_json_refuse(&json, 0, "again");
    CHECK_INT(errors.errors, 31);
    CHECK_INT(errors.kept, 20);
    CHECK_TEXT(errors.items[0].text, "s:1:24: /bodies/0/parent: no body \"plam\"");
    tact_json_free(&json);
}

int main(void) {
    static const char *const locales[] = {"C", "de_DE.UTF-8", "tr_TR.UTF-8"};
    for (int i = 0; i < 3; i++) {
        if (!setlocale(LC_ALL, locales[i])) continue;
        printf("locale %s\n", locales[i]);
        test_objects();
        test_numbers();
        test_precision();
        test_integers();
        test_strings();
        test_vectors();
        test_own_messages();
    }
    return test_end("reader");
}
