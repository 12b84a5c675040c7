// SPDX-License-Identifier: MIT
// Every allocation of the text layer, those of cJSON among them, fails once and for ever: no crash, no leak, and the
// errors say so. And the cost of hostile documents, counted in allocations and comparisons of strings instead of time.
// malloc, free and strcmp are replaced for that, which sanitizers do not bear; they run the other tests.
#include "memory_test.h"
#include "tact/json.h"
#include "tact/memory.h"
#include "test.h"

#if TEST_REPLACES

static tact_errors errors;

static void fail_from(long number, bool on) {
    errors = (tact_errors){0};
    allocations = 0;
    fail_at = number;
    fail_on = on;
}

// true when the document was read, no allocation having failed
static bool read_failing(const char *text, size_t size, long number, bool on) {
    tact_json json;
    long before = living;
    fail_from(number, on);
    bool read = tact_json_read(&json, (tact_source){.name = "s", .bytes = text, .size = size, .line = 1}, &errors);
    bool failed = number > 0 && allocations >= number;
    fail_at = 0;
    CHECK_INT(read, !failed);
    CHECK_INT(tact_errors_exit(&errors), failed ? 5 : 0);
    if (failed) CHECK_TEXT(errors.items[0].text, "s: out of memory");
    if (!failed) tact_json_free(&json);
    CHECK_INT(living, before);
    return read;
}

static void test_documents(void) {
    static const char text[] = "{\"a\": [1, -2.5, \"x\", true, {}], \"b\": {\"c\": null, \"d\\n\": []}}";
    for (int on = 0; on < 2; on++) {
        long number = 1;
        while (!read_failing(text, sizeof text - 1, number, on)) number++;
        CHECK(number > 15 && number < 100);
    }
    // with other errors, too: a duplicate key is only found with memory for the search
    tact_json json;
    for (long number = 1; number < 12; number++) {
        long before = living;
        fail_from(number, false);
        CHECK(
            !tact_json_read(&json, (tact_source){.name = "s", .bytes = "{\"a\":1e999,\"a\":2}", .size = 17, .line = 1}, &errors));
        bool failed = allocations >= number;
        fail_at = 0;
        CHECK_INT(tact_errors_exit(&errors), failed ? 5 : 2);
        CHECK_INT(living, before);
    }
}

static void test_files(void) {
    for (long number = 1; number < 10; number++) {
        tact_text text = {0};
        long before = living;
        fail_from(number, number % 2);
        bool read = tact_text_read(&text, "/proc/self/smaps", TACT_TEXT_LIMIT, &errors);
        bool failed = allocations >= number;
        fail_at = 0;
        if (errors.kind == TACT_ERROR_UNREADABLE) return;
        CHECK_INT(read, !failed);
        CHECK_INT(tact_errors_exit(&errors), failed ? 5 : 0);
        CHECK(read || (text.bytes == NULL && text.size == 0));
        tact_text_free(&text);
        CHECK_INT(living, before);
    }
}

static void test_output(void) {
    for (long number = 1; number < 12; number++) {
        tact_text text = {0};
        long before = living;
        fail_from(number, false);
        for (int i = 0; i < 1000; i++) {
            tact_text_add(&text, "piece");
            tact_text_add_json(&text, "x\n");
            tact_text_add_number(&text, i);
        }
        bool failed = allocations >= number;
        fail_at = 0;
        CHECK_INT(text.failed, failed);
        tact_text_clear(&text);
        CHECK_INT(text.failed, failed);
        tact_text_free(&text);
        CHECK_INT(living, before);
    }
}

// {"k0":0,"k1":0,...}, or the same key again and again
static char *members(int count, bool same, size_t *size) {
    char *text = malloc((size_t)count * 16 + 2), *end = text;
    if (!text) exit(1);
    *end++ = '{';
    for (int i = 0; i < count; i++) end += sprintf(end, "\"k%d\":0,", same ? 0 : i);
    end[-1] = '}';
    *size = (size_t)(end - text);
    return text;
}

// unknown keys, all of them reported but 20 only worded: the work grows like the document
static void test_cost(int count) {
    static const char *const keys[] = {"mass", "name", "kk", "inertia", NULL};
    tact_json json;
    size_t size;
    char *text = members(count, false, &size);
    fail_from(0, false);
    comparisons = 0;
    CHECK(tact_json_read(&json, (tact_source){.name = "s", .bytes = text, .size = size, .line = 1}, &errors));
    printf("%d keys: %ld allocations, %ld comparisons\n", count, allocations, comparisons);
    CHECK(allocations <= 3 * (long)count + 10);
    CHECK(comparisons <= 2 * (long)count);
    comparisons = 0;
    CHECK(tact_json_check_object(&json, 0, keys));
    // each word of 20 is looked up among those of other formats, too
    CHECK(comparisons >= 4 * (long)count && comparisons <= 4 * (long)count + 20 * 64);
    CHECK_INT(errors.errors, count);
    CHECK_INT(errors.kept, 20);
    CHECK_TEXT(errors.items[0].text, "s:1:2: /: unknown key \"k0\" (did you mean \"kk\"?)");
    tact_json_free(&json);
    free(text);
    text = members(count, true, &size);
    errors = (tact_errors){0};
    comparisons = 0;
    CHECK(!tact_json_read(&json, (tact_source){.name = "s", .bytes = text, .size = size, .line = 1}, &errors));
    CHECK_INT(comparisons, count - 1);
    CHECK_INT(errors.errors, count - 1);
    free(text);
}

int main(void) {
    test_documents();
    test_files();
    test_output();
    test_cost(1000);
    test_cost(1000000);
    return test_end("scene_memory");
}

#else

int main(void) {
    return test_end("scene_memory (not with this C library or under a sanitizer)");
}

#endif
