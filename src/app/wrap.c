// SPDX-License-Identifier: MIT
#include "app/wrap.h"

#include <stdbool.h>
#include <string.h>

#include "app/table.h"

#define COLUMN_MOST 75   // where the last column of a table may begin
#define COLUMN_LEAST 50  // a line that begins behind this is the rest of a row
#define FILLED 80        // a line at the margin that is longer goes on in the next one

typedef struct {
    size_t column, indent;  // characters on the line, and before the first word of those that follow
    const char *end;        // of a line that goes on: a command's ends with a backslash, so that it can be copied
} wrapping;

// Where the last column of a table's row begins; 2 more than the margin of what is none.
static size_t find_indent(const char *line, size_t size) {
    size_t margin = strspn(line, " "), last = 0;
    for (size_t i = margin; i + 2 < size && i < COLUMN_MOST; i++)
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ') last = i + 2;
    if (last > 0) return tact_table_characters(line, last);
    // a row that goes on in its last column
    if (margin > COLUMN_LEAST) return margin;
    return margin == 0 ? 0 : margin + 2;
}

// A form in JSON that no line has room for ends at a comma; what is quoted for the shell stays whole.
static size_t cut_word(const wrapping *w, size_t blanks, const char *word, size_t size) {
    size_t room = TACT_WRAP_WIDTH - (w->column > w->indent ? w->column : w->indent) - blanks, cut = 0;
    if (w->column + blanks + size <= TACT_WRAP_WIDTH || w->indent + size <= TACT_WRAP_WIDTH || word[0] == '\'') return size;
    for (size_t i = 0; i < size && i < room; i++)
        if (word[i] == ',') cut = i + 1;
    return cut > 0 ? cut : size;
}

void tact_wrap(const char *text, tact_text *out) {
    wrapping w = {.end = ""};
    bool open = false;  // the line before is a paragraph's that goes on
    while (*text) {
        size_t size = strcspn(text, "\n"), at = 0;
        bool margin = size > 0 && text[0] != ' ';
        bool joined = open && margin;
        if (open && !margin) tact_text_add(out, "\n");
        if (!joined)
            w = (wrapping){.indent = find_indent(text, size),
                           .end = (strncmp(text, "  tact ", 7) == 0 || strncmp(text, "  echo ", 7) == 0 ||
                                   strncmp(text, "  printf ", 9) == 0)
                                      ? " \\"
                                      : ""};
        while (at < size) {
            size_t blanks = strspn(text + at, " "), word = strcspn(text + at + blanks, " \n");
            word = cut_word(&w, blanks, text + at + blanks, word);
            // the word with the blanks before it, which a new line leaves out
            size_t gap = at == 0 && joined ? 1 : blanks, width = tact_table_characters(text + at + blanks, word);
            if (w.column > w.indent && w.column + gap + width > TACT_WRAP_WIDTH - strlen(w.end)) {
                tact_text_print(out, "%-s\n", w.end);
                w.column = 0;
                gap = w.indent;
            }
            w.column += gap + width;
            for (; gap > 0; gap--) tact_text_add(out, " ");
            tact_text_add_bytes(out, text + at + blanks, word);
            at += blanks + word;
        }
        open = margin && size > FILLED;
        if (!open) tact_text_add(out, "\n");
        text += size + (text[size] == '\n');
    }
    if (open) tact_text_add(out, "\n");
}

int tact_print_wrapped(tact_text *text) {
    tact_text wrapped = {.failed = text->failed};
    if (text->bytes) tact_wrap(text->bytes, &wrapped);
    tact_text_free(text);
    return tact_print_text(&wrapped, 0);
}
