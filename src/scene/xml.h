// SPDX-License-Identifier: MIT
// XML 1.0 in UTF-8, UTF-16 with a byte order mark or declared ISO-8859-1 (Latin-1), with the place of every element and
// attribute: a thin layer over Expat that keeps elements and attributes in two arrays, in the order of the document. There are no
// entities but the five that XML knows itself: a DOCTYPE is refused, so nothing outside is ever opened and nothing expands. Text,
// comments and processing instructions are left out, but for tact_xml_text.
#ifndef TACT_SCENE_XML_H
#define TACT_SCENE_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/text.h"

#define TACT_XML_DEPTH 64
#define TACT_XML_PATH 512  // [bytes] a path with its NUL

typedef struct {
    uint32_t at;       // offset of its < in the text
    int line, column;  // of that, counted from 1, columns in characters
    uint32_t name;     // offset in strings
    int parent;        // node, -1 for the root
    int next;          // node after this one and all within it: its first child is node + 1
    int attributes;    // first of its attributes; they end where those of node + 1 begin
} tact_xml_node;

typedef struct {
    uint32_t name, value;  // offsets in strings
} tact_xml_attribute;

typedef enum { TACT_XML_UTF8, TACT_XML_UTF16, TACT_XML_LATIN1 } tact_xml_encoding;

// A parsed document; ends with tact_xml_free. Names and values belong to it.
typedef struct {
    tact_source source;  // in UTF-8 without a byte order mark; its bytes must outlive the document where they are not in own
    tact_text own;       // the text in UTF-8 where it came in another encoding
    size_t skipped;      // [bytes] white space before <?xml
    tact_xml_encoding encoding;
    tact_errors *errors;   // where reading reports
    tact_xml_node *nodes;  // (count + 1), node 0 is the root, the last only ends the attributes of the one before
    int count;
    tact_xml_attribute *attributes;
    tact_text strings;
} tact_xml;

// Parses a document of at most 16 MiB and 64 elements in one another. False when it is refused or memory is out: then
// errors has at least one more, and nothing is left to free.
bool tact_xml_read(tact_xml *xml, tact_source source, tact_errors *errors);
void tact_xml_free(tact_xml *xml);

// The name of an element as it is written, with its prefix.
const char *tact_xml_name(const tact_xml *xml, int node);

// The children in their order: for (i = first; i >= 0; i = after(i)).
int tact_xml_first(const tact_xml *xml, int node);
int tact_xml_after(const tact_xml *xml, int node);

// The first child of this name; -1 when there is none.
int tact_xml_find(const tact_xml *xml, int node, const char *name);

// The value of an attribute, NULL when it is absent.
const char *tact_xml_value(const tact_xml *xml, int node, const char *attribute);

// The bytes from an element's start tag to the next tag or comment, as they are written.
const char *tact_xml_text(const tact_xml *xml, int node, const char **end);

// /robot/joint[name="x"]/axis@xyz: elements with a name attribute by that, others by their number among those of the
// same kind when there are several. attribute may be NULL. Cut with "..." when longer than out.
void tact_xml_path(const tact_xml *xml, int node, const char *attribute, char *out, size_t size);

// One message at an element, or at one of its attributes when that is there.
void tact_xml_refuse(const tact_xml *xml, int node, const char *attribute, const char *format, ...) TACT_PRINTF(4, 5);
void tact_xml_warn(const tact_xml *xml, int node, const char *attribute, const char *format, ...) TACT_PRINTF(4, 5);
void tact_xml_unreadable(const tact_xml *xml, int node, const char *attribute, const char *format, ...) TACT_PRINTF(4, 5);
// What is wrong but can be read: a warning, or refused where the errors are strict.
void tact_xml_doubt(const tact_xml *xml, int node, const char *attribute, const char *format, ...) TACT_PRINTF(4, 5);

// A name that the format does not have there, the word of nearest: of the element, or of one of its attributes. Of many alike the
// first is told.
void tact_xml_unknown(const tact_xml *xml, int node, const char *attribute, const tact_nearest *nearest);

// One message at an offset of the text with the path of a node (-1: none).
void tact_xml_report(const tact_xml *xml, int node, size_t at, tact_error_kind kind, const char *format, ...) TACT_PRINTF(5, 6);

// The text in UTF-8 without a mark: from UTF-16 where its byte order mark says so, from Latin-1 where it declares that. False
// after one error.
bool tact_xml_decode(tact_xml *xml);

// Gives an attribute that follows right behind the quote of the one before, as MuJoCo reads it, the space that XML wants there,
// and warns of the first. False after one error where the reader is strict.
bool tact_xml_separate(tact_xml *xml);

// Whether a declared name is one of the text's encoding.
bool tact_xml_is_encoding(const tact_xml *xml, const char *name);

// One error; returns false.
bool tact_xml_no_memory(const tact_xml *xml);

// Text within a quoted attribute.
void tact_xml_add_escaped(tact_text *out, const char *text);

// An attribute with a text or numbers, after what stands before its quote, as " name=".
void tact_xml_add_quoted(tact_text *out, const char *attribute, const char *text);
void tact_xml_add_numbers(tact_text *out, const char *attribute, const tact_real *x, int count);

#endif
