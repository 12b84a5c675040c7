// SPDX-License-Identifier: MIT
#include "scene/xml.h"

#include <expat.h>
#include <pthread.h>
#include <string.h>

#include "scene/utf8.h"
#include "tact/memory.h"

#define NAME_SHOWN 40

// Expat counts what it read in a variable that all threads share
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

typedef struct {
    tact_xml *xml;
    XML_Parser parser;
    int open;      // innermost open element, -1 outside of the root
    int depth;     // elements open
    bool stopped;  // refused by a handler, which has reported why
    size_t at;     // offset up to which lines and columns are counted ...
    int line, column;
} reading;

// Expat also wants to resize its memory: each piece remembers its size in front.
typedef union {
    size_t size;
    max_align_t align;
} piece;

static void *piece_get(size_t size) {
    piece *head = size < SIZE_MAX - sizeof *head ? tact_memory_get(sizeof *head + size) : NULL;
    if (!head) return NULL;
    head->size = size;
    return head + 1;
}

static void piece_release(void *memory) {
    if (memory) tact_memory_release((piece *)memory - 1);
}

static void *piece_resize(void *memory, size_t size) {
    if (!memory) return piece_get(size);
    size_t before = ((piece *)memory - 1)->size;
    void *larger = piece_get(size);
    if (!larger) return NULL;
    memcpy(larger, memory, before < size ? before : size);
    piece_release(memory);
    return larger;
}

static size_t current_offset(const reading *r) {
    XML_Index at = XML_GetCurrentByteIndex(r->parser);
    return r->xml->skipped + (at < 0 ? 0 : (size_t)at);
}

static void stop(reading *r) {
    r->stopped = true;
    XML_StopParser(r->parser, XML_FALSE);
}

static uint32_t add_string(tact_xml *xml, const char *string) {
    size_t at = xml->strings.size;
    tact_text_add_bytes(&xml->strings, string, strlen(string) + 1);
    return (uint32_t)at;
}

// Expat's callback for a start tag: adds a node with its attributes, until the document nests too deep.
static void XMLCALL start_element(void *user, const XML_Char *name, const XML_Char **attributes) {
    reading *r = user;
    tact_xml *xml = r->xml;
    if (r->stopped) return;
    if (r->depth == TACT_XML_DEPTH) {
        tact_xml_report(xml, r->open, current_offset(r), TACT_ERROR_REFUSED, "elements nested deeper than %d", TACT_XML_DEPTH);
        stop(r);
        return;
    }
    // A node with its place; its attributes lie behind those of the node before.
    // offsets come in ascending order, so that all counting together is linear
    size_t to = current_offset(r);
    if (r->at < to) tact_utf8_pass(xml->source.bytes + r->at, to - r->at, &r->line, &r->column);
    r->at = to;
    tact_xml_node *node = &xml->nodes[xml->count];
    int first = node->attributes, i = 0;
    *node = (tact_xml_node){.at = (uint32_t)r->at, .line = r->line, .column = r->column, .parent = r->open, .attributes = first};
    node->name = add_string(xml, name);
    for (; attributes[2 * i]; i++) {
        tact_xml_attribute *attribute = &xml->attributes[first + i];
        attribute->name = add_string(xml, attributes[2 * i]);
        attribute->value = add_string(xml, attributes[2 * i + 1]);
    }
    node[1].attributes = first + i;
    r->open = xml->count++;
    r->depth++;
    if (xml->strings.failed) stop(r);
}

static void XMLCALL end_element(void *user, const XML_Char *name) {
    reading *r = user;
    (void)name;
    if (r->stopped) return;
    tact_xml_node *node = &r->xml->nodes[r->open];
    node->next = r->xml->count;
    r->open = node->parent;
    r->depth--;
}

static void XMLCALL start_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public_id,
                                  int subset) {
    reading *r = user;
    (void)name, (void)system, (void)public_id, (void)subset;
    if (r->stopped) return;
    // Expat is already past its beginning
    size_t at = current_offset(r);
    while (at > 0 && strncmp(r->xml->source.bytes + at, "<!DOCTYPE", 9) != 0) at--;
    tact_xml_report(r->xml, -1, at, TACT_ERROR_REFUSED, "a DOCTYPE is not allowed");
    stop(r);
}

static void XMLCALL declaration(void *user, const XML_Char *version, const XML_Char *encoding, int standalone) {
    reading *r = user;
    (void)version, (void)standalone;
    if (r->stopped || !encoding || tact_xml_is_encoding(r->xml, encoding)) return;
    tact_xml_report(r->xml, -1, current_offset(r), TACT_ERROR_REFUSED,
                    "encoding %s is not supported, or not that of the text (allowed \"UTF-8\", \"UTF-16\", \"ISO-8859-1\")",
                    tact_quote(encoding).text);
    stop(r);
}

// the words are ours, so that they do not change with Expat's version
// at: where Expat stopped in the text, behind what it could not read
static const char *reason(enum XML_Error error, const char *text, size_t at) {
    size_t name = at;
    while (name > 0 && strchr("#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", text[name - 1])) name--;
    switch ((int)error) {
    case XML_ERROR_NO_ELEMENTS: return "there is no element";
    case XML_ERROR_SYNTAX: return "not XML, in which a document begins with <";
    case XML_ERROR_INVALID_TOKEN:
        if (name > 0 && text[name - 1] == '&') return "not well-formed XML: & is written &amp;";
        if (at > 1 && memcmp(text + at - 2, "--", 2) == 0) return "not well-formed XML: -- may stand in no comment";
        return "not well-formed XML";
    case XML_ERROR_UNCLOSED_TOKEN: return "a tag or a comment is not closed";
    case XML_ERROR_PARTIAL_CHAR: return "the text ends within a character";
    case XML_ERROR_DUPLICATE_ATTRIBUTE: return "attribute given twice";
    case XML_ERROR_JUNK_AFTER_DOC_ELEMENT: return "unexpected text after the end of the document";
    case XML_ERROR_UNDEFINED_ENTITY: return "unknown entity (allowed &lt; &gt; &amp; &quot; &apos;)";
    case XML_ERROR_BAD_CHAR_REF: return "a reference to a character that XML does not allow";
    case XML_ERROR_MISPLACED_XML_PI: return "<?xml is allowed only as the very first bytes";
    case XML_ERROR_UNCLOSED_CDATA_SECTION: return "a CDATA section is not closed";
    case XML_ERROR_XML_DECL: return "the <?xml declaration is not well-formed";
    default: return XML_ErrorString(error);
    }
}

static bool parse(tact_xml *xml, XML_Parser parser) {
    reading r = {.xml = xml, .parser = parser, .open = -1, .line = xml->source.line, .column = 1};
    // Expat calls back for elements, doctype and declaration; what it has read it counts for all threads together, hence the
    // lock.
    XML_SetUserData(parser, &r);
    XML_SetElementHandler(parser, start_element, end_element);
    XML_SetStartDoctypeDeclHandler(parser, start_doctype);
    XML_SetXmlDeclHandler(parser, declaration);
    pthread_mutex_lock(&parsing);
    bool good =
        XML_Parse(parser, xml->source.bytes + xml->skipped, (int)(xml->source.size - xml->skipped), XML_TRUE) == XML_STATUS_OK;
    pthread_mutex_unlock(&parsing);
    if (xml->strings.failed) {
        tact_xml_no_memory(xml);
        return false;
    }
    if (!good && !r.stopped) {
        enum XML_Error error = XML_GetErrorCode(r.parser);
        size_t at = current_offset(&r);
        if (error == XML_ERROR_NO_MEMORY) {
            tact_xml_no_memory(xml);
            // The element that was left open is named, not where the text ends.
        } else if (error == XML_ERROR_TAG_MISMATCH || (error == XML_ERROR_NO_ELEMENTS && r.open >= 0)) {
            const tact_xml_node *open = &xml->nodes[r.open];
            tact_xml_report(xml, r.open, at, TACT_ERROR_REFUSED, "%s <%.*s> of line %d is not closed",
                            error == XML_ERROR_TAG_MISMATCH ? "wrong end tag:" : "the document ends, but", NAME_SHOWN,
                            tact_xml_name(xml, r.open), open->line);
        } else {
            tact_xml_report(xml, r.open, at, TACT_ERROR_REFUSED, "%s", reason(error, xml->source.bytes, at));
        }
    }
    return good && !r.stopped;
}

// every element begins with < and a name, every attribute has =, so no more of both are needed
static bool place_nodes(tact_xml *xml) {
    const tact_source *source = &xml->source;
    size_t nodes = 1, attributes = 1;
    for (size_t i = 0; i < source->size; i++) {
        attributes += source->bytes[i] == '=';
        nodes += source->bytes[i] == '<' && i + 1 < source->size && !strchr("/!?<", source->bytes[i + 1]);
    }
    xml->nodes = tact_memory_get(nodes * sizeof xml->nodes[0]);
    xml->attributes = tact_memory_get(attributes * sizeof xml->attributes[0]);
    if (xml->nodes) xml->nodes[0] = (tact_xml_node){.attributes = 0};
    if (!xml->nodes || !xml->attributes) tact_xml_no_memory(xml);
    return xml->nodes && xml->attributes;
}

// Expat would say "invalid token" to all of this
static bool check_bytes(const tact_xml *xml) {
    const tact_source *source = &xml->source;
    for (size_t at = 0; at < source->size;) {
        // UTF-8 without control characters but white space.
        uint32_t point = 0;
        int length = tact_utf8_decode(source->bytes + at, source->size - at, &point);
        unsigned byte = (unsigned char)source->bytes[at];
        if (length == 0) {
            tact_xml_report(xml, -1, at, TACT_ERROR_REFUSED, "byte 0x%02x is not UTF-8", byte);
            return false;
        }
        if (point < 0x20 && point != '\t' && point != '\r' && point != '\n') {
            tact_xml_report(xml, -1, at, TACT_ERROR_REFUSED, "control character 0x%02x is not allowed", byte);
            return false;
        }
        at += (size_t)length;
    }
    return true;
}

static bool check_size(const tact_xml *xml) {
    if (xml->source.size <= TACT_TEXT_LIMIT) return true;
    tact_errors_add(xml->errors, TACT_ERROR_REFUSED, (tact_place){.file = xml->source.name},
                    "%zu bytes: larger than the limit of %d", xml->source.size, TACT_TEXT_LIMIT);
    return false;
}

// White space before <?xml, where XML has none. False when it is refused.
static bool skip_space(tact_xml *xml) {
    size_t at = 0;
    while (at < xml->source.size && strchr(" \t\r\n", xml->source.bytes[at])) at++;
    if (at == 0 || xml->source.size - at < 6 || memcmp(xml->source.bytes + at, "<?xml", 5) != 0) return true;
    if (!strchr(" \t\r\n", xml->source.bytes[at + 5])) return true;
    tact_xml_report(xml, -1, at, xml->errors->strict ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING,
                    "<?xml is allowed only as the very first bytes");
    xml->skipped = at;
    return !xml->errors->strict;
}

bool tact_xml_read(tact_xml *xml, tact_source source, tact_errors *errors) {
    static const XML_Memory_Handling_Suite memory = {piece_get, piece_resize, piece_release};
    *xml = (tact_xml){.source = source, .errors = errors};
    bool good = check_size(xml) && tact_xml_decode(xml) && check_bytes(xml) && tact_xml_separate(xml) && skip_space(xml) &&
                place_nodes(xml);
    XML_Parser parser = good ? XML_ParserCreate_MM("UTF-8", &memory, NULL) : NULL;
    if (good && !parser) tact_xml_no_memory(xml);
    good = parser && parse(xml, parser);
    if (parser) XML_ParserFree(parser);
    if (!good) tact_xml_free(xml);
    return good;
}

void tact_xml_free(tact_xml *xml) {
    tact_memory_release(xml->nodes);
    tact_memory_release(xml->attributes);
    tact_text_free(&xml->strings);
    tact_text_free(&xml->own);
    xml->nodes = NULL;
    xml->attributes = NULL;
    xml->count = 0;
}

const char *tact_xml_name(const tact_xml *xml, int node) {
    return xml->strings.bytes + xml->nodes[node].name;
}

int tact_xml_first(const tact_xml *xml, int node) {
    return xml->nodes[node].next > node + 1 ? node + 1 : -1;
}

int tact_xml_after(const tact_xml *xml, int node) {
    int parent = xml->nodes[node].parent, next = xml->nodes[node].next;
    return parent >= 0 && next < xml->nodes[parent].next ? next : -1;
}

int tact_xml_find(const tact_xml *xml, int node, const char *name) {
    int i = tact_xml_first(xml, node);
    while (i >= 0 && strcmp(tact_xml_name(xml, i), name) != 0) i = tact_xml_after(xml, i);
    return i;
}

const char *tact_xml_value(const tact_xml *xml, int node, const char *attribute) {
    for (int i = xml->nodes[node].attributes; i < xml->nodes[node + 1].attributes; i++) {
        const tact_xml_attribute *a = &xml->attributes[i];
        if (strcmp(xml->strings.bytes + a->name, attribute) == 0) return xml->strings.bytes + a->value;
    }
    return NULL;
}

const char *tact_xml_text(const tact_xml *xml, int node, const char **end) {
    const char *at = xml->source.bytes + xml->nodes[node].at;
    // the tag was parsed, so the search ends within it
    while (*at != '>') at = *at == '"' || *at == '\'' ? strchr(at + 1, *at) + 1 : at + 1;
    *end = at[-1] == '/' ? at + 1 : strchr(at, '<');
    return at + 1;
}

void tact_xml_add_escaped(tact_text *out, const char *text) {
    for (const char *c = text; *c; c++) {
        switch (*c) {
        case '&': tact_text_add(out, "&amp;"); break;
        case '<': tact_text_add(out, "&lt;"); break;
        case '"': tact_text_add(out, "&quot;"); break;
        default: tact_text_add_bytes(out, c, 1);
        }
    }
}

void tact_xml_add_quoted(tact_text *out, const char *attribute, const char *text) {
    tact_text_print(out, "%-s\"", attribute);
    tact_xml_add_escaped(out, text);
    tact_text_add(out, "\"");
}

void tact_xml_add_numbers(tact_text *out, const char *attribute, const tact_real *x, int count) {
    tact_text_add(out, attribute);
    for (int i = 0; i < count; i++) {
        tact_text_add(out, i > 0 ? " " : "\"");
        tact_text_add_number(out, (double)x[i]);
    }
    tact_text_add(out, "\"");
}
