// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <string.h>

#include "view/mesh.h"

enum { STEPS = 65535 };

// Base64 (RFC 4648), byte by byte.
typedef struct {
    tact_text *out;
    uint32_t bits;
    int count;  // bytes in bits
} encoder;

static void flush(encoder *to) {
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

static void put_byte(encoder *to, uint32_t byte) {
    to->bits = to->bits << 8 | byte;
    if (++to->count == 3) flush(to);
}

static void put_short(encoder *to, uint32_t x) {
    put_byte(to, x & 255);
    put_byte(to, x >> 8 & 255);
}

static void find_range(const tact_mesh *mesh, double low[3], double step[3]) {
    for (int k = 0; k < 3; k++) {
        double high = low[k] = mesh->npoint > 0 ? (double)mesh->point[0].x[k] : 0;
        for (int i = 0; i < mesh->npoint; i++) {
            double x = (double)mesh->point[i].x[k];
            low[k] = x < low[k] ? x : low[k];
            high = x > high ? x : high;
        }
        step[k] = (high - low[k]) / STEPS;
    }
}

static void add_three(tact_text *out, const char *key, const double x[3]) {
    tact_text_add(out, key);
    for (int k = 0; k < 3; k++) {
        tact_text_add(out, k > 0 ? "," : "[");
        tact_text_add_number(out, x[k]);
    }
    tact_text_add(out, "]");
}

void tact_mesh_write(const tact_mesh *mesh, tact_text *out) {
    double low[3], step[3];
    encoder to = {.out = out};
    find_range(mesh, low, step);
    add_three(out, "{\"low\":", low);
    add_three(out, ",\"step\":", step);
    tact_text_add(out, ",\"points\":\"");
    for (int i = 0; i < mesh->npoint; i++)
        for (int k = 0; k < 3; k++)
            put_short(&to, step[k] > 0 ? (uint32_t)(((double)mesh->point[i].x[k] - low[k]) / step[k] + 0.5) : 0);
    flush(&to);
    tact_text_add(out, "\",\"triangles\":\"");
    for (int t = 0; t < mesh->ntriangle; t++)
        for (int k = 0; k < 3; k++) put_short(&to, (uint32_t)mesh->triangle[t].corner[k]);
    flush(&to);
    tact_text_add(out, "\"}");
}
