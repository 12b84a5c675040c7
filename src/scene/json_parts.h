// SPDX-License-Identifier: MIT
// The steps of tact_json_read, and the tree of cJSON that they fill.
#ifndef TACT_SCENE_JSON_PARTS_H
#define TACT_SCENE_JSON_PARTS_H

#include <cjson/cJSON.h>

#include "tact/json.h"

// The check of the text, a step of tact_json_read: fills the nodes except for their items.
bool tact_json_scan(tact_json *json);

// The tree of a text that passed the check, a step of tact_json_read; NULL when there is no memory. For several threads.
cJSON *tact_json_parse(const char *text, size_t size);

// The search for duplicate keys, a step of tact_json_read: false when one was found and reported.
bool tact_json_check_duplicates(const tact_json *json);

#endif
