// SPDX-License-Identifier: MIT
// Virtual contacts as dots over the picture of a scene, the heavier the larger.
#include <math.h>

#include "app/plot.h"

bool tact_render_contacts(tact_world *world, const tact_drawing *drawing, tact_text *out) {
    const tact_model *model = &world->scene->model;
    tact_virtual_options options = tact_virtual_contact_options(&world->scene->options);
    // the law's own search for virtual contacts, at this state
    tact_planar planar;
    tact_arena arena = {0};
    tact_planar_place(&planar, model, &arena);
    arena = (tact_arena){.memory = tact_memory_get(arena.used), .size = arena.used};
    if (!arena.memory) return false;
    tact_planar_place(&planar, model, &arena);
    tact_planar_prepare(&planar);
    tact_kinematics_update(&world->work.kinematics, model, world->state.q);
    tact_planar_update(&planar, &world->work.kinematics);
    size_t most = (size_t)tact_planar_most(&planar, &options);
    tact_virtual *list = tact_memory_get(most * sizeof *list);
    for (int p = 0; list && p < model->npair; p++) {
        int count = tact_planar_contacts(&planar, p, &options, list);
        for (int i = 0; i < count; i++) {
            // a dot at the contact point
            tact_vec3 x = tact_plane_point(&planar.plane, list[i].x);
            double weight = (double)list[i].weight;
            tact_spot at = tact_draw_project(drawing, x);
            tact_text_add(out, "<circle class=\"head\" ");
            tact_svg_add_attribute(out, "cx", at.x);
            tact_svg_add_attribute(out, "cy", at.y);
            tact_svg_add_attribute(out, "r", 2 + 6 * sqrt(weight));
            tact_text_add(out, "fill-opacity=\"0.8\"/>\n");
        }
    }
    bool good = list != NULL;
    tact_memory_release(list);
    tact_memory_release(arena.memory);
    return good;
}
