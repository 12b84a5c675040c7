// SPDX-License-Identifier: MIT
#include "app/table.h"

#include <math.h>
#include <string.h>

#define COLUMNS 24
#define WIDE 100  // characters of a line

void tact_text_add_escaped(tact_text *out, const char *text) {
    // four bytes for each byte at most
    char escaped[1100];
    tact_quote_escape(escaped, sizeof escaped, text, strlen(text));
    tact_text_add(out, escaped);
}

bool tact_table_read_digits(const tact_call *call, int *digits) {
    long long wanted = 0;
    if (!tact_call_integer(call, "--digits", 1, TACT_TABLE_ALL_DIGITS, TACT_TABLE_DIGITS, &wanted)) return false;
    *digits = (int)wanted;
    return true;
}

void tact_table_add(tact_table *table, const char *text) {
    tact_text_add_escaped(&table->cells, text);
    tact_text_add(&table->cells, "\t");
}

void tact_table_add_number(tact_table *table, tact_real value) {
    int digits = table->digits > 0 ? table->digits : TACT_TABLE_DIGITS;
    // 0 has no sign here
    double shown = digits < TACT_TABLE_ALL_DIGITS && isfinite(value) ? tact_key_round((double)value, digits) : (double)value;
    tact_table_add(table, tact_number_print(shown + 0).text);
}

void tact_table_add_integer(tact_table *table, long long value) {
    tact_text_print(&table->cells, "%lld\t", value);
}

void tact_table_add_all(tact_table *table, const char *const *texts) {
    for (; *texts; texts++) tact_table_add(table, *texts);
}

void tact_table_end_row(tact_table *table) {
    tact_text_add(&table->cells, "\n");
}

tact_table tact_table_begin(int digits, const char *const *head) {
    tact_table table = {.digits = digits};
    tact_table_add_all(&table, head);
    tact_table_end_row(&table);
    return table;
}

size_t tact_table_characters(const char *cell, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++) count += ((unsigned char)cell[i] & 0xc0) != 0x80;
    return count;
}

void tact_table_add_fact(tact_table *table, const char *key, const char *value) {
    tact_table_add(table, key);
    tact_table_add(table, value);
    tact_table_end_row(table);
}

// The columns from first on that fit beside column 0, with that one at least two: the next first one.
static int find_block(const size_t width[COLUMNS], int first) {
    TACT_ASSERT(first >= 0 && first < COLUMNS);
    size_t used = first > 0 ? 2 + width[0] : 0;
    int end = first;
    do used += 2 + width[end++];
    while (end < COLUMNS && (end < 2 || used + 2 + width[end] <= WIDE));
    return end;
}

// Prints the rows, of column 0 and columns first to end - 1.
static void print_block(const char *cells, const size_t width[COLUMNS], int first, int end, tact_text *out) {
    TACT_ASSERT(first < end && end <= COLUMNS);
    size_t pad = 2;
    for (int column = 0; *cells; cells++, column++) {
        if (*cells == '\n') {
            tact_text_add(out, "\n");
            column = -1;
            pad = 2;
            continue;
        }
        // blanks before a cell, so that none end a line
        size_t size = strcspn(cells, "\t");
        if (column == 0 || (column >= first && column < end) || (column >= COLUMNS && end == COLUMNS)) {
            for (size_t i = 0; size > 0 && i < pad; i++) tact_text_add(out, " ");
            tact_text_add_bytes(out, cells, size);
            pad = (size > 0 ? 0 : pad) + 2 + (column < COLUMNS ? width[column] : 0) - tact_table_characters(cells, size);
        }
        cells += size;
    }
}

// Tables that are too wide continue below, each part with the first column.
void tact_table_print(tact_table *table, tact_text *out) {
    size_t width[COLUMNS];
    const char *cells = table->cells.bytes ? table->cells.bytes : "";
    // Width of each column.
    int column = 0;
    for (int i = 0; i < COLUMNS; i++) width[i] = 0;
    for (const char *at = cells; *at;) {
        if (*at == '\n') {
            column = 0;
            at++;
            continue;
        }
        size_t size = strcspn(at, "\t"), characters = tact_table_characters(at, size);
        if (column < COLUMNS && characters > width[column]) width[column] = characters;
        column++;
        at += size + 1;
    }
    // columns that hold something
    int used = COLUMNS;
    while (used > 0 && width[used - 1] == 0) used--;
    for (int first = 0, end = 0; first < used || first == 0; first = end) {
        end = find_block(width, first);
        if (end >= used) end = COLUMNS;
        if (first > 0) tact_text_add(out, "\n");
        print_block(cells, width, first, end, out);
    }
    if (table->cells.failed) out->failed = true;
    tact_text_free(&table->cells);
}

// The next cell of a row, of which the tab is overwritten; NULL where the row ends.
static char *take_cell(char **at) {
    char *cell = *at;
    if (*cell == '\n' || *cell == '\0') return NULL;
    char *tab = strchr(cell, '\t');
    if (!tab) return NULL;
    *tab = '\0';
    *at = tab + 1;
    return cell;
}

void tact_table_print_json(tact_table *table, const char *name, tact_text *out) {
    const char *key[COLUMNS];
    int keys = 0;
    char *at = table->cells.bytes;
    while (at && keys < COLUMNS && (key[keys] = take_cell(&at)) != NULL) keys++;
    // the first row names the members of the others
    for (at += keys > 0; at && *at; at++) {
        tact_text_print(out, "{\"table\":%s", name);
        int column = 0;
        for (char *cell = take_cell(&at); cell; cell = take_cell(&at), column++) {
            if (*cell == '\0' || column >= keys) continue;
            tact_text_print(out, ",%s:", key[column]);
            // cells that are numbers are numbers, others text
            if (tact_number_valid(cell, strlen(cell)))
                tact_text_add(out, cell);
            else
                tact_text_add_json(out, cell);
        }
        tact_text_add(out, "}\n");
    }
    if (table->cells.failed) out->failed = true;
    tact_text_free(&table->cells);
}

int tact_compare_numbers(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
