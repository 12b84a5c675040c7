// SPDX-License-Identifier: MIT
#include "app/records.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void tact_record_add_id(const tact_json *json, tact_text *out) {
    int node = json ? tact_json_find(json, 0, "id") : -1;
    if (json && node < 0) node = tact_json_find(json, 0, "name");
    tact_text_add(out, "\"id\":");
    tact_json_kind kind = node < 0 ? TACT_JSON_NULL : tact_json_type(json, node);
    if (kind == TACT_JSON_STRING) {
        tact_text_add_json(out, tact_json_string(json, node));
    } else if (kind == TACT_JSON_NUMBER) {
        // as it is written: an id of 20 digits is not rounded
        tact_text_add_bytes(out, json->source.bytes + json->nodes[node].at, tact_json_word(json, json->nodes[node].at));
    } else {
        tact_text_add(out, "null");
    }
}

void tact_record_begin_status(const tact_json *json, const char *status, tact_text *out) {
    tact_text_add(out, "{");
    tact_record_add_id(json, out);
    tact_text_print(out, ",\"status\":%s", status);
}

void tact_record_begin(const tact_json *json, tact_text *out) {
    tact_text_add(out, "{");
    if (!json || tact_json_find(json, 0, "id") < 0) return;
    tact_record_add_id(json, out);
    tact_text_add(out, ",");
}

void tact_record_add_error(const tact_json *json, const char *reason, tact_text *out) {
    tact_record_begin(json, out);
    tact_text_print(out, "\"error\":%s}", reason);
}

void tact_record_refuse_problem(const tact_json *json, const char *reason, tact_text *out) {
    tact_record_begin_status(json, "bad_input", out);
    tact_text_print(out, ",\"reason\":%s}", reason);
}

static void add_key(tact_text *out, const char *key) {
    tact_text_print(out, ",%s:", key);
}

void tact_record_add_number(tact_text *out, const char *key, tact_real value) {
    add_key(out, key);
    tact_text_add_number(out, (double)value);
}

void tact_record_add_numbers(tact_text *out, const char *key, const tact_real *x, int count) {
    add_key(out, key);
    tact_text_add_vector(out, x, (size_t)count);
}

// Only the first reason is reported: the others mostly follow from it. A line that there is no memory for is not bad: it gets no
// answer.
static void refuse_line(const tact_records *records, const tact_json *json, const tact_errors *errors, tact_text *out) {
    static const tact_error unknown = {.kind = TACT_ERROR_REFUSED, .text = "bad line"};
    const tact_error *message = errors->kept > 0 ? &errors->items[0] : &unknown;
    tact_say_message(message);
    fputc('\n', stderr);
    if (errors->kind != TACT_ERROR_NO_MEMORY) records->refuse(json, message->text, out);
}

// What identifies an answer.
static bool check_id(const tact_json *json) {
    int node = tact_json_find(json, 0, "id");
    if (node < 0) node = tact_json_find(json, 0, "name");
    tact_json_kind kind = node < 0 ? TACT_JSON_NULL : tact_json_type(json, node);
    if (kind == TACT_JSON_STRING || kind == TACT_JSON_NUMBER || kind == TACT_JSON_NULL) return true;
    tact_json_refuse(json, node, "must be a string or a number");
    return false;
}

static bool check_form(const tact_records *records, const tact_json *json) {
    tact_json_kind kind = tact_json_type(json, 0);
    if (kind == TACT_JSON_OBJECT || !records->form) return tact_json_expect(json, 0, TACT_JSON_OBJECT);
    tact_json_refuse(json, 0, "expected an object, found %s: %s", tact_json_kind_name(kind), records->form);
    return false;
}

// Answers one line; false when something is wrong with it.
static bool answer_line(const tact_records *records, tact_source line, tact_text *out, tact_errors *errors, bool *told) {
    tact_json json;
    if (!tact_json_read(&json, line, errors)) {
        refuse_line(records, NULL, errors, out);
        if (!*told && errors->kept > 0 && strstr(errors->items[0].text, "is not closed"))
            *told = true, tact_say("%s:%d: warning: an object stands in one line", tact_text_name(line.name), line.line);
        return false;
    }
    bool good = check_form(records, &json) && check_id(&json);
    // warns of the first unknown key of the run
    for (int i = good && records->keys ? tact_json_first(&json, 0) : -1; i >= 0 && !*told; i = tact_json_after(&json, i)) {
        const char *word = tact_json_key(&json, i), *const *key = records->keys;
        while (*key && strcmp(*key, word) != 0) key++;
        *told = !*key;
        if (*told)
            tact_say("%s:%d: warning: key %s is ignored%s", tact_text_name(json.source.name), json.source.line,
                     tact_quote(word).text, tact_nearest_key(word, records->keys).text);
    }
    good = good && records->answer(records->context, &json, out, errors);
    if (errors->errors > 0) {
        refuse_line(records, &json, errors, out);
        good = false;
    }
    tact_json_free(&json);
    return good;
}

// Reads until the end; sets *code to that of the worst line.
static void answer_lines(const tact_records *records, tact_lines *lines, tact_output *output, int *code) {
    bool told = false;
    for (bool any = false;; any = true) {
        tact_errors errors = {0};
        tact_source line;
        bool good = false;
        size_t before = output->text.size;
        tact_lines_status status = tact_lines_next(lines, &line, &errors);
        if (status == TACT_LINES_END && !any)
            tact_say("%s: %s: holds no lines: a JSON object for each answer is expected, one a line%s%s",
                     tact_text_name(lines->name), records->needed ? "error" : "warning", records->needed ? ", as " : "",
                     records->needed ? records->form : "");
        if (status == TACT_LINES_END && !any && records->needed) *code = TACT_EXIT_REFUSED;
        if (status == TACT_LINES_END) return;
        if (status == TACT_LINES_FAILED) {
            *code = tact_say_errors(&errors);
            return;
        }
        if (status == TACT_LINES_LINE) good = answer_line(records, line, &output->text, &errors, &told);
        if (status == TACT_LINES_BAD) refuse_line(records, NULL, &errors, &output->text);
        if (errors.kind == TACT_ERROR_NO_MEMORY) {
            // what was begun of the answer
            output->text.size = before;
            *code = TACT_EXIT_NO_MEMORY;
            return;
        }
        tact_text_add(&output->text, "\n");
        if (!good) *code = TACT_EXIT_UNSOLVED;
        // who waits for the answer gets it
        bool written = tact_lines_ready(lines) ? tact_output_spill(output) : tact_output_flush(output);
        if (!written) return;
    }
}

// A file that gets its own answers would never end.
static bool is_fed_back(const tact_lines *lines) {
    struct stat in, out;
    if (fstat(lines->file, &in) != 0 || fstat(STDOUT_FILENO, &out) != 0) return false;
    return S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

// Answers the lines of a file one by one on standard output. A file of another kind is refused, and one that is the output
// itself.
int tact_records_run(const tact_records *records, const char *path) {
    tact_errors errors = {0};
    tact_lines lines;
    tact_output output;
    int code = TACT_EXIT_DONE;
    if (!tact_lines_open(&lines, path, &errors)) return tact_say_errors(&errors);
    if (is_fed_back(&lines)) {
        tact_errors_add(&errors, TACT_ERROR_UNREADABLE, (tact_place){.file = "<stdout>"}, "is the input itself");
        tact_lines_close(&lines);
        return tact_say_errors(&errors);
    }
    char wanted[200];
    snprintf(wanted, sizeof wanted, records->form ? "%s (%s)" : "%s", records->wanted, records->form);
    if (!tact_lines_expect(&lines, wanted, NULL, &errors)) {
        tact_lines_close(&lines);
        return tact_say_errors(&errors);
    }
    tact_output_open(&output, "-", &errors);
    answer_lines(records, &lines, &output, &code);
    tact_lines_close(&lines);
    return tact_print_finish(&output, code);
}
