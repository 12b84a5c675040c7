// SPDX-License-Identifier: MIT
// Commands that answer line by line: JSON Lines in, JSON Lines out, in the same order. A bad line is answered with its
// reason and counted, and the next one is read.
#ifndef TACT_APP_RECORDS_H
#define TACT_APP_RECORDS_H

#include "app/app.h"

// Answers one line that is an object of JSON: adds one line to out, without its end. False when the answer says that
// something is wrong. What it reports to errors instead, adding nothing, becomes the answer by refuse.
typedef bool tact_record_answer(void *context, const tact_json *json, tact_text *out, tact_errors *errors);

// Adds the answer to a line that cannot be used: json is NULL when it is no JSON.
typedef void tact_record_refuse(const tact_json *json, const char *reason, tact_text *out);

typedef struct {
    void *context;
    const char *form;         // of a line: "{\"q\": ...}"; NULL: told by the command's help
    const char *wanted;       // what stands in a line: "lines of problems"
    bool needed;              // a file without a line is refused, not only warned of
    const char *const *keys;  // known keys; the first unknown one of a run is warned of. NULL: no check
    tact_record_answer *answer;
    tact_record_refuse *refuse;
} tact_records;

// Answers every line of a file ("-": standard input) on standard output. Returns the exit code.
int tact_records_run(const tact_records *records, const char *path);

// "id":..., echoing the value of id, or else of name, if it is a word; null otherwise.
void tact_record_add_id(const tact_json *json, tact_text *out);

// {, and the id of the line if it has one: "id":...,
void tact_record_begin(const tact_json *json, tact_text *out);

// {"id":...,"status":"status"
void tact_record_begin_status(const tact_json *json, const char *status, tact_text *out);

// {"id":...,"error":"reason"}
void tact_record_add_error(const tact_json *json, const char *reason, tact_text *out);

// {"id":...,"status":"bad_input","reason":...}: what problem lines are refused with.
void tact_record_refuse_problem(const tact_json *json, const char *reason, tact_text *out);

// ,"key":value and ,"key":[count numbers]
void tact_record_add_number(tact_text *out, const char *key, tact_real value);
void tact_record_add_numbers(tact_text *out, const char *key, const tact_real *x, int count);

#endif
