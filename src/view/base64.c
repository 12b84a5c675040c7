// SPDX-License-Identifier: MIT
#include "tact/view.h"

#include <string.h>

void tact_base64_end(tact_base64 *to) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char four[4];
    if (to->count == 0) return;
    to->bits <<= 8 * (3 - to->count);
    memset(four, '=', sizeof four);
    for (int i = 0; i <= to->count; i++) four[i] = letters[to->bits >> (18 - 6 * i) & 63];
    tact_text_add_bytes(to->out, four, sizeof four);
    to->bits = 0;
    to->count = 0;
}

void tact_base64_put(tact_base64 *to, uint32_t byte) {
    to->bits = to->bits << 8 | byte;
    if (++to->count == 3) tact_base64_end(to);
}
