// SPDX-License-Identifier: MIT
// What the scene layer needs of cJSON, for the build without a system below it. The tree is made of text that the layer's own
// scanner has passed, with 0 in place of every number.
#ifndef TACT_PAGE_CJSON_H
#define TACT_PAGE_CJSON_H

#include <stddef.h>

enum { cJSON_Other, cJSON_Array, cJSON_Object };

typedef struct cJSON {
    struct cJSON *next, *child;
    int type;
    char *valuestring, *string;
    double valuedouble;
} cJSON;

cJSON *cJSON_ParseWithLengthOpts(const char *text, size_t size, const char **end, int terminated);
void cJSON_Delete(cJSON *item);

#define cJSON_IsArray(item) ((item)->type == cJSON_Array)
#define cJSON_IsObject(item) ((item)->type == cJSON_Object)
#define cJSON_ArrayForEach(item, parent) for (item = (parent)->child; item; item = item->next)

#endif
