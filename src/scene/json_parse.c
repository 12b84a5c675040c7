// SPDX-License-Identifier: MIT
// cJSON writes where it failed into a variable that all threads share, at each call: one at a time.
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>

#include "scene/json_parts.h"

static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

cJSON *tact_json_parse(const char *text, size_t size) {
    pthread_mutex_lock(&parsing);
    cJSON *root = cJSON_ParseWithLengthOpts(text, size, NULL, 0);
    pthread_mutex_unlock(&parsing);
    return root;
}
