// SPDX-License-Identifier: MIT
// Encodings of XML to UTF-8: UTF-16 of either byte order behind its mark (XML 1.0, 4.3.3), and ISO-8859-1 where the declaration
// names it. All that follows knows UTF-8 only, so that columns count characters in any of them.
#include <string.h>

#include "scene/xml.h"

bool tact_xml_no_memory(const tact_xml *xml) {
    tact_errors_add(xml->errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = xml->source.name}, "out of memory");
    return false;
}

static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

bool tact_xml_is_encoding(const tact_xml *xml, const char *name) {
    static const char *const names[][4] = {[TACT_XML_UTF8] = {"utf-8", "utf8", "us-ascii", NULL},
                                           [TACT_XML_UTF16] = {"utf-16", "utf-16le", "utf-16be", NULL},
                                           [TACT_XML_LATIN1] = {"iso-8859-1", "latin1", "latin-1", NULL}};
    for (int i = 0; names[xml->encoding][i]; i++) {
        const char *a = name;
        const char *b = names[xml->encoding][i];
        for (; *a && lower(*a) == lower(*b); a++) b++;
        if (*a == *b) return true;
    }
    return false;
}

// One character to at most 4 bytes; returns how many.
static size_t encode(uint32_t point, char out[4]) {
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; point >>= 6) out[i] = (char)(0x80 | (point & 0x3f));
    out[0] = (char)(lead[size] | point);
    return size;
}

// The text as a whole in UTF-8 takes the place of what was given.
static bool take_over(tact_xml *xml, bool good) {
    if (xml->own.failed) return tact_xml_no_memory(xml);
    xml->source.bytes = xml->own.bytes ? xml->own.bytes : "";
    xml->source.size = xml->own.size;
    if (!good) tact_xml_report(xml, -1, xml->source.size, TACT_ERROR_REFUSED, "not UTF-16: half a character");
    return good;
}

// Behind the mark; a character beyond the first 65,536 is a high surrogate and a low one.
static bool decode_utf16(tact_xml *xml, bool little) {
    const unsigned char *bytes = (const unsigned char *)xml->source.bytes;
    size_t size = xml->source.size, at = 2;
    bool good = true;
    xml->encoding = TACT_XML_UTF16;
    while (good && at < size && !xml->own.failed) {
        char out[4];
        uint32_t unit[2] = {0, 0};
        int count = 0;
        // One unit, or a high and a low surrogate.
        for (size_t k = at; count < 2 && k + 1 < size; k += 2)
            unit[count++] = (uint32_t)bytes[k + (little ? 1 : 0)] << 8 | bytes[k + (little ? 0 : 1)];
        bool high = unit[0] >= 0xd800 && unit[0] < 0xdc00, pair = high && count == 2 && unit[1] >= 0xdc00 && unit[1] < 0xe000;
        good = count > 0 && high == pair && !(unit[0] >= 0xdc00 && unit[0] < 0xe000);
        if (!good) break;
        uint32_t point = pair ? 0x10000 + ((unit[0] - 0xd800) << 10) + (unit[1] - 0xdc00) : unit[0];
        tact_text_add_bytes(&xml->own, out, encode(point, out));
        at += pair ? 4 : 2;
    }
    return take_over(xml, good);
}

static bool begins(const char *at, const char *end, const char *word) {
    size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0;
}

// Whether the declaration that the text begins with, white space before it or not, names Latin-1.
static bool declares_latin1(const tact_xml *xml) {
    static const char key[] = "encoding";
    const char *at = xml->source.bytes, *end = at + xml->source.size;
    tact_xml latin1 = {.encoding = TACT_XML_LATIN1};
    char name[16];
    size_t used = 0;
    // <?xml ... encoding = "NAME" in either kind of quotes.
    while (at < end && strchr(" \t\r\n", *at)) at++;
    if (!begins(at, end, "<?xml")) return false;
    while (at < end && *at != '>' && !begins(at, end, key)) at++;
    if (at == end || *at == '>') return false;
    for (at += strlen(key); at < end && strchr(" \t\r\n=", *at);) at++;
    if (at == end || (*at != '"' && *at != '\'')) return false;
    for (char quote = *at++; at < end && *at != quote && used + 1 < sizeof name;) name[used++] = *at++;
    name[used] = '\0';
    return tact_xml_is_encoding(&latin1, name);
}

// Turns a document in UTF-16, by its byte order mark, or in Latin 1, by its declaration, into UTF-8. A mark of UTF-8 is skipped.
bool tact_xml_decode(tact_xml *xml) {
    const char *bytes = xml->source.bytes;
    size_t size = xml->source.size;
    if (size >= 2 && memcmp(bytes, "\xff\xfe", 2) == 0) return decode_utf16(xml, true);
    if (size >= 2 && memcmp(bytes, "\xfe\xff", 2) == 0) return decode_utf16(xml, false);
    if (size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
        xml->source.bytes += 3;
        xml->source.size -= 3;
        return true;
    }
    if (!declares_latin1(xml)) return true;
    xml->encoding = TACT_XML_LATIN1;
    for (size_t at = 0; at < xml->source.size && !xml->own.failed; at++) {
        char out[4];
        tact_text_add_bytes(&xml->own, out, encode((unsigned char)xml->source.bytes[at], out));
    }
    return take_over(xml, true);
}

// the end of what begins at a byte and is not a tag: a comment, a CDATA section, a declaration; the byte itself where none begins
static const char *pass_over(const char *at, const char *end) {
    static const char *const pairs[][2] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}, {"<!", ">"}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (!begins(at, end, pairs[i][0])) continue;
        while (at < end && !begins(at, end, pairs[i][1])) at++;
        return at;
    }
    return at;
}

bool tact_xml_separate(tact_xml *xml) {
    const char *from = xml->source.bytes, *end = from + xml->source.size;
    const tact_error_kind kind = xml->errors->strict ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING;
    bool tag = false, any = false;
    char quote = 0;
    // decoded text lies in own itself
    if (xml->own.bytes) return true;
    for (const char *at = from; at < end; at++) {
        if (!tag) {
            at = pass_over(at, end);
            if (at == end) break;
            tag = *at == '<';
            continue;
        }
        bool closed = quote && *at == quote;
        if (!quote) tag = *at != '>';
        if (closed)
            quote = '\0';
        else if (!quote && (*at == '"' || *at == '\''))
            quote = *at;
        // A name right behind the quote.
        if (!closed || at + 1 == end || !((at[1] | 32) >= 'a' && (at[1] | 32) <= 'z')) continue;
        if (!any) tact_xml_report(xml, -1, (size_t)(at + 1 - xml->source.bytes), kind, "a space is missing between attributes");
        tact_text_add_bytes(&xml->own, from, (size_t)(at + 1 - from));
        tact_text_add(&xml->own, " ");
        from = at + 1;
        any = true;
    }
    if (!any) return true;
    tact_text_add_bytes(&xml->own, from, (size_t)(end - from));
    return take_over(xml, true) && !xml->errors->strict;
}
