// SPDX-License-Identifier: MIT
#include "tact/view.h"

enum { STEPS = 65535 };

static void put_short(tact_base64 *to, uint32_t x) {
    tact_base64_put(to, x & 255);
    tact_base64_put(to, x >> 8 & 255);
}

static void add_three(tact_text *out, const char *key, const double x[3]) {
    tact_text_add(out, key);
    for (int k = 0; k < 3; k++) {
        tact_text_print(out, "%-s%g", k > 0 ? "," : "[", x[k]);
    }
    tact_text_add(out, "]");
}

void tact_mesh_write(const tact_mesh *mesh, tact_text *out) {
    double low[3], step[3];
    tact_base64 to = {.out = out};
    for (int k = 0; k < 3; k++) {
        double high = low[k] = mesh->npoint > 0 ? (double)mesh->point[0].x[k] : 0;
        for (int i = 0; i < mesh->npoint; i++) {
            double x = (double)mesh->point[i].x[k];
            low[k] = x < low[k] ? x : low[k];
            high = x > high ? x : high;
        }
        step[k] = (high - low[k]) / STEPS;
    }
    add_three(out, "{\"low\":", low);
    add_three(out, ",\"step\":", step);
    tact_text_add(out, ",\"points\":\"");
    // Coordinates in 65,535 steps of the box, base 64.
    for (int i = 0; i < mesh->npoint; i++)
        for (int k = 0; k < 3; k++)
            put_short(&to, step[k] > 0 ? (uint32_t)(((double)mesh->point[i].x[k] - low[k]) / step[k] + 0.5) : 0);
    tact_base64_end(&to);
    tact_text_add(out, "\",\"triangles\":\"");
    for (int t = 0; t < mesh->ntriangle; t++)
        for (int k = 0; k < 3; k++) put_short(&to, (uint32_t)mesh->triangle[t].corner[k]);
    tact_base64_end(&to);
    tact_text_add(out, "\"}");
}
