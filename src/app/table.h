// SPDX-License-Identifier: MIT
// Tables for people: cells in columns as wide as their widest cell.
#ifndef TACT_APP_TABLE_H
#define TACT_APP_TABLE_H

#include "app/app.h"

// Significant digits of numbers where nobody asks for others, and those that read back to the same number.
enum { TACT_TABLE_DIGITS = 6, TACT_TABLE_ALL_DIGITS = 17 };

#define TACT_TABLE_OPTION \
    { "--digits", "N", "significant digits of the table's numbers, 1 to 17 (default 6)" }

// The value of that option; false after saying what is wrong.
bool tact_table_read_digits(const tact_call *call, int *digits);

// Characters of a text of so many bytes, of which those of UTF-8 have several.
size_t tact_table_characters(const char *text, size_t size);

// Starts as {0}, with digits, or by tact_table_begin; ends with tact_table_print or tact_table_print_json.
typedef struct {
    int digits;       // of numbers; 0: TACT_TABLE_DIGITS
    tact_text cells;  // each ended by a tab, each row by a newline
} tact_table;

// A table whose first row is its head, ended by NULL.
tact_table tact_table_begin(int digits, const char *const *head);

// The next cell of the row; what a terminal obeys is escaped.
void tact_table_add(tact_table *table, const char *text);
void tact_table_add_number(tact_table *table, tact_real value);
void tact_table_add_integer(tact_table *table, long long value);

// Several cells at once, ended by NULL.
void tact_table_add_all(tact_table *table, const char *const *texts);

void tact_table_end_row(tact_table *table);

// A row of two cells.
void tact_table_add_fact(tact_table *table, const char *key, const char *value);

// Adds the table to out, indented by two blanks, and frees it.
void tact_table_print(tact_table *table, tact_text *out);

// Instead: a line of JSON for each row after the first, whose cells are the keys: {"table":name, key: cell, ..}. A cell that is a
// number becomes a number, an empty one is left out.
void tact_table_print_json(tact_table *table, const char *name, tact_text *out);

// Text from a scene, escaped.
void tact_text_add_escaped(tact_text *out, const char *text);

// The order of two doubles, for qsort.
int tact_compare_numbers(const void *a, const void *b);

#endif
