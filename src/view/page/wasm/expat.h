// SPDX-License-Identifier: MIT
// What src/scene/xml.c needs of Expat, for the build without a system below it: whole texts of UTF-8, which xml.c has checked.
#ifndef TACT_PAGE_EXPAT_H
#define TACT_PAGE_EXPAT_H

#include <stddef.h>

#define XMLCALL

enum XML_Error {
    XML_ERROR_NONE,
    XML_ERROR_NO_MEMORY,
    XML_ERROR_NO_ELEMENTS,
    XML_ERROR_INVALID_TOKEN,
    XML_ERROR_UNCLOSED_TOKEN,
    XML_ERROR_PARTIAL_CHAR,
    XML_ERROR_TAG_MISMATCH,
    XML_ERROR_DUPLICATE_ATTRIBUTE,
    XML_ERROR_JUNK_AFTER_DOC_ELEMENT,
    XML_ERROR_UNDEFINED_ENTITY,
    XML_ERROR_BAD_CHAR_REF,
    XML_ERROR_MISPLACED_XML_PI,
    XML_ERROR_UNCLOSED_CDATA_SECTION,
    XML_ERROR_XML_DECL,
    XML_ERROR_SYNTAX,
};
enum { XML_FALSE, XML_TRUE, XML_STATUS_OK = 1 };

typedef char XML_Char;
typedef long XML_Index;
typedef struct page_xml *XML_Parser;
typedef struct {
    void *(*get)(size_t size);
    void *(*resize)(void *memory, size_t size);
    void (*release)(void *memory);
} XML_Memory_Handling_Suite;
typedef void XML_Start(void *user, const char *name, const char **attributes);
typedef void XML_End(void *user, const char *name);
typedef void XML_Doctype(void *user, const char *name, const char *system, const char *public_id, int subset);
typedef void XML_Declaration(void *user, const char *version, const char *encoding, int standalone);

XML_Parser XML_ParserCreate_MM(const char *encoding, const XML_Memory_Handling_Suite *memory, const char *separator);
void XML_SetUserData(XML_Parser parser, void *user);
void XML_SetElementHandler(XML_Parser parser, XML_Start *start, XML_End *end);
void XML_SetStartDoctypeDeclHandler(XML_Parser parser, XML_Doctype *doctype);
void XML_SetXmlDeclHandler(XML_Parser parser, XML_Declaration *declaration);
int XML_Parse(XML_Parser parser, const char *text, int size, int final);
XML_Index XML_GetCurrentByteIndex(XML_Parser parser);
void XML_StopParser(XML_Parser parser, int resumable);
enum XML_Error XML_GetErrorCode(XML_Parser parser);
const char *XML_ErrorString(enum XML_Error error);
void XML_ParserFree(XML_Parser parser);

#endif
