// SPDX-License-Identifier: MIT
#include <expat.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "scene/xml.h"

struct page_xml {
    const XML_Memory_Handling_Suite *memory;
    void *user;
    XML_Start *start;
    XML_End *end;
    XML_Doctype *doctype;
    XML_Declaration *declaration;
    const char *text, *at, *from, *last;  // the whole, where it is read, the markup that is read, its end
    char *words, *word;                   // names and values of one tag, each ended by NUL: no longer than the text
    const char **attributes;
    const char *open[TACT_XML_DEPTH + 1];  // names of open elements, in the text
    int depth;
    bool stopped, rooted;
    enum XML_Error error;
};

XML_Parser XML_ParserCreate_MM(const char *encoding, const XML_Memory_Handling_Suite *memory, const char *separator) {
    XML_Parser p = memory->get(sizeof *p);
    (void)encoding, (void)separator;
    if (p) *p = (struct page_xml){.memory = memory};
    return p;
}

void XML_SetUserData(XML_Parser p, void *user) {
    p->user = user;
}

void XML_SetElementHandler(XML_Parser p, XML_Start *start, XML_End *end) {
    p->start = start;
    p->end = end;
}

void XML_SetStartDoctypeDeclHandler(XML_Parser p, XML_Doctype *doctype) {
    p->doctype = doctype;
}

void XML_SetXmlDeclHandler(XML_Parser p, XML_Declaration *declaration) {
    p->declaration = declaration;
}

XML_Index XML_GetCurrentByteIndex(XML_Parser p) {
    return p->from - p->text;
}

void XML_StopParser(XML_Parser p, int resumable) {
    (void)resumable;
    p->stopped = true;
}

enum XML_Error XML_GetErrorCode(XML_Parser p) {
    return p->error;
}

const char *XML_ErrorString(enum XML_Error error) {
    (void)error;
    return "not well-formed XML";
}

void XML_ParserFree(XML_Parser p) {
    p->memory->release(p->words);
    p->memory->release(p->attributes);
    p->memory->release(p);
}

static bool fail(XML_Parser p, enum XML_Error error) {
    p->error = error;
    return false;
}

static bool begins(XML_Parser p, const char *mark) {
    size_t size = strlen(mark);
    return (size_t)(p->last - p->at) >= size && memcmp(p->at, mark, size) == 0;
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(XML_Parser p) {
    while (p->at < p->last && is_space(*p->at)) p->at++;
}

static size_t name_size(XML_Parser p) {
    const char *c = p->at;
    while (c < p->last && !is_space(*c) && !strchr("=/><&\"'!?", *c)) c++;
    return c > p->at && !strchr("0123456789.-", *p->at) ? (size_t)(c - p->at) : 0;
}

// Goes behind the mark; false where there is none.
static bool pass(XML_Parser p, const char *mark, enum XML_Error otherwise) {
    while (p->at < p->last && !begins(p, mark)) p->at++;
    if (p->at == p->last) return fail(p, otherwise);
    p->at += strlen(mark);
    return true;
}

// A character by its number, 1 to 4 bytes of UTF-8.
static bool put_point(XML_Parser p, uint32_t x) {
    if (x == 0 || x > 0x10ffff || (x >= 0xd800 && x < 0xe000) || (x < 32 && x != 9 && x != 10 && x != 13) || x == 0xfffe ||
        x == 0xffff)
        return fail(p, XML_ERROR_BAD_CHAR_REF);
    // continuation bytes, and the mark of the first one
    int more = x < 0x80 ? 0 : x < 0x800 ? 1 : x < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
    *p->word++ = (char)(lead[more] | x >> 6 * more);
    for (int k = more - 1; k >= 0; k--) *p->word++ = (char)(0x80 | (x >> 6 * k & 0x3f));
    return true;
}

// &name; or &#number; at p->at: what it stands for goes to the words.
static bool read_reference(XML_Parser p) {
    static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    for (int k = 0; k < 5; k++) {
        if (!begins(p, names[k])) continue;
        *p->word++ = "<>&\"'"[k];
        p->at += strlen(names[k]);
        return true;
    }
    if (!begins(p, "&#")) {
        p->at++;
        size_t size = name_size(p);
        return fail(p, size > 0 && p->at + size < p->last && p->at[size] == ';' ? XML_ERROR_UNDEFINED_ENTITY
                                                                                : XML_ERROR_INVALID_TOKEN);
    }
    // a number of Unicode, decimal or hexadecimal
    bool hex = begins(p, "&#x");
    uint32_t x = 0;
    const char *digits = p->at += hex ? 3 : 2;
    for (; p->at < p->last && *p->at != ';'; p->at++) {
        char c = *p->at;
        int digit = c >= '0' && c <= '9'          ? c - '0'
                    : hex && c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : hex && c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                  : -1;
        if (digit < 0) return fail(p, XML_ERROR_INVALID_TOKEN);
        x = x > 0x10ffff ? x : x * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (p->at == p->last || p->at == digits) return fail(p, XML_ERROR_INVALID_TOKEN);
    p->at++;
    return put_point(p, x);
}

static const char *keep_name(XML_Parser p) {
    size_t size = name_size(p);
    const char *kept = p->word;
    if (size == 0) return NULL;
    memcpy(p->word, p->at, size);
    p->word[size] = '\0';
    p->word += size + 1;
    p->at += size;
    return kept;
}

// name="value", white space in it as spaces (XML 1.0, 3.3.3)
static bool read_attribute(XML_Parser p, int count) {
    const char *name = p->attributes[2 * count] = keep_name(p);
    if (!name) return fail(p, XML_ERROR_INVALID_TOKEN);
    for (int i = 0; i < count; i++)
        if (strcmp(p->attributes[2 * i], name) == 0) return fail(p, XML_ERROR_DUPLICATE_ATTRIBUTE);
    // = and a value in quotes of either kind
    skip_space(p);
    if (!begins(p, "=")) return fail(p, XML_ERROR_INVALID_TOKEN);
    p->at++;
    skip_space(p);
    if (!begins(p, "\"") && !begins(p, "'")) return fail(p, XML_ERROR_INVALID_TOKEN);
    char quote = *p->at++;
    p->attributes[2 * count + 1] = p->word;
    while (p->at < p->last && *p->at != quote) {
        if (*p->at == '<') return fail(p, XML_ERROR_INVALID_TOKEN);
        if (*p->at == '&') {
            if (!read_reference(p)) return false;
            continue;
        }
        // the two bytes that end a line count as one
        if (begins(p, "\r\n")) p->at++;
        *p->word++ = is_space(*p->at) ? ' ' : *p->at;
        p->at++;
    }
    if (p->at == p->last) return fail(p, XML_ERROR_UNCLOSED_TOKEN);
    p->at++;
    *p->word++ = '\0';
    return true;
}

// All attributes up to the end of a tag.
static bool read_attributes(XML_Parser p) {
    int count = 0;
    for (;;) {
        bool apart = p->at < p->last && is_space(*p->at);
        skip_space(p);
        if (p->at == p->last) return fail(p, XML_ERROR_UNCLOSED_TOKEN);
        if (strchr("/>?", *p->at)) break;
        if (!apart) return fail(p, XML_ERROR_INVALID_TOKEN);
        if (!read_attribute(p, count++)) return false;
    }
    p->attributes[2 * count] = p->attributes[2 * count + 1] = NULL;
    return true;
}

// Reads a start tag or an empty element, and calls back. False after a fault, or when the reader was stopped.
static bool read_start(XML_Parser p) {
    if (p->depth == 0 && p->rooted) return fail(p, XML_ERROR_JUNK_AFTER_DOC_ELEMENT);
    p->at++;
    p->word = p->words;
    p->open[p->depth] = p->at;
    const char *name = keep_name(p);
    if (!name) return fail(p, XML_ERROR_INVALID_TOKEN);
    if (!read_attributes(p)) return false;
    // <name/> has no end tag
    bool empty = *p->at == '/';
    p->at += empty;
    if (!begins(p, ">")) return fail(p, p->at == p->last ? XML_ERROR_UNCLOSED_TOKEN : XML_ERROR_INVALID_TOKEN);
    p->at++;
    p->rooted = true;
    // refuses what is nested too deep
    p->start(p->user, name, p->attributes);
    if (p->stopped) return false;
    if (empty)
        p->end(p->user, name);
    else
        p->depth++;
    return true;
}

static bool read_end(XML_Parser p) {
    p->at += 2;
    size_t size = name_size(p);
    if (size == 0 || p->depth == 0) return fail(p, XML_ERROR_INVALID_TOKEN);
    // the name must be that of the innermost open element
    const char *open = p->open[p->depth - 1];
    if (memcmp(open, p->at, size) != 0 || !(is_space(open[size]) || open[size] == '>')) return fail(p, XML_ERROR_TAG_MISMATCH);
    p->at += size;
    skip_space(p);
    if (!begins(p, ">")) return fail(p, p->at == p->last ? XML_ERROR_UNCLOSED_TOKEN : XML_ERROR_INVALID_TOKEN);
    p->at++;
    p->depth--;
    p->end(p->user, "");
    return true;
}

static bool read_declaration(XML_Parser p) {
    const char *version = NULL, *encoding = NULL;
    p->at += strlen("<?xml");
    p->word = p->words;
    if (!read_attributes(p) || !begins(p, "?>")) return fail(p, XML_ERROR_XML_DECL);
    p->at += 2;
    for (int i = 0; p->attributes[2 * i]; i++) {
        if (strcmp(p->attributes[2 * i], "version") == 0) version = p->attributes[2 * i + 1];
        if (strcmp(p->attributes[2 * i], "encoding") == 0) encoding = p->attributes[2 * i + 1];
    }
    if (!version) return fail(p, XML_ERROR_XML_DECL);
    p->declaration(p->user, version, encoding, -1);
    return !p->stopped;
}

// Text between tags: only its references are looked at.
static bool read_text(XML_Parser p) {
    p->word = p->words;
    if (*p->at == '&') return p->depth > 0 ? read_reference(p) : fail(p, XML_ERROR_INVALID_TOKEN);
    if (p->depth == 0 && !is_space(*p->at))
        return fail(p, p->rooted ? XML_ERROR_JUNK_AFTER_DOC_ELEMENT : XML_ERROR_INVALID_TOKEN);
    p->at++;
    return true;
}

// Reads one piece of markup, or text up to the next one. False where reading ends.
static bool read_markup(XML_Parser p) {
    p->from = p->at;
    // by how it begins
    if (*p->at != '<') return read_text(p);
    if (begins(p, "</")) return read_end(p);
    if (begins(p, "<!--")) {
        p->at += 4;
        return pass(p, "-->", XML_ERROR_UNCLOSED_TOKEN);
    }
    if (begins(p, "<![CDATA["))
        return p->depth > 0 ? pass(p, "]]>", XML_ERROR_UNCLOSED_CDATA_SECTION) : fail(p, XML_ERROR_INVALID_TOKEN);
    if (begins(p, "<!DOCTYPE")) {
        p->doctype(p->user, "", NULL, NULL, 0);
        return false;
    }
    if (begins(p, "<?xml") && p->at + 5 < p->last && is_space(p->at[5]))
        return p->at == p->text ? read_declaration(p) : fail(p, XML_ERROR_MISPLACED_XML_PI);
    if (begins(p, "<?")) return pass(p, "?>", XML_ERROR_UNCLOSED_TOKEN);
    return read_start(p);
}

int XML_Parse(XML_Parser p, const char *text, int size, int final) {
    size_t equals = 1;
    (void) final;
    for (int i = 0; i < size; i++) equals += text[i] == '=';
    // one tag has at most as many attributes as the text has =, and words as long as the text
    p->text = p->at = p->from = text;
    p->last = text + size;
    p->words = p->memory->get((size_t)size + 1);
    p->attributes = p->memory->get(2 * (equals + 1) * sizeof p->attributes[0]);
    if (!p->words || !p->attributes) return fail(p, XML_ERROR_NO_MEMORY);
    while (p->at < p->last)
        if (!read_markup(p)) return false;
    p->from = p->at;
    return (p->rooted && p->depth == 0) || fail(p, XML_ERROR_NO_ELEMENTS);
}
