// SPDX-License-Identifier: MIT
// What tact check says of a scene's numbers in words: how far the barrier holds bodies apart, what the margin leaves out, when
// drives give way, which shapes are paired, and where joints begin that do not begin at 0.
#include <math.h>

#include "app/check.h"
#include "tact/mesh.h"

static void add_number(tact_text *out, const char *before, double x) {
    tact_text_print(out, "%-s%-s", before, tact_rounded(x, 3).text);
}

// Whether an undriven free joint carries a shape, as it carries an object.
static bool is_free(const tact_model *model, int shape) {
    int body = model->shape[shape].body;
    while (body != TACT_WORLD && model->body[body].joint != TACT_JOINT_FREE) body = model->body[body].parent;
    return body != TACT_WORLD && model->loose[body];
}

// At equilibrium a contact's force is F = 2/(kappa gap); least for the lightest object.
static void explain_barrier(const tact_scene *scene, tact_text *out) {
    const tact_model *model = &scene->model;
    const double kappa = (double)scene->options.kappa, margin = (double)tact_margin(model, &scene->options),
                 g = sqrt((double)tact_vec3_dot(scene->options.gravity, scene->options.gravity));
    int light = -1;
    for (int s = 0; s < model->nshape; s++) {
        const int b = model->shape[s].body;
        if (is_free(model, s) && model->body[b].mass > 0 && (light < 0 || model->body[b].mass < model->body[light].mass))
            light = b;
    }
    add_number(out, "  kappa ", kappa);
    tact_text_add(out, " 1/J: a contact that bears the force F rests at the gap 2/(kappa F)");
    if (light >= 0 && g > 0) {
        const double weight = g * (double)model->body[light].mass;
        tact_text_print(out, ":\n    the weight of %-s", tact_body_name(model, light).text);
        add_number(out, ", ", weight);
        add_number(out, " N, on one contact at ", 2 / (kappa * weight));
        tact_text_add(out, " m, shared by n contacts at n times as much");
    }
    tact_text_add(out, "\n");
    if (!(margin < (double)TACT_MAX)) return;
    add_number(out, "  margin ", margin);
    if (scene->options.margin < 0) tact_text_add(out, " (automatic: \"options\": {\"margin\": ..} sets it)");
    add_number(out, " m: pairs farther apart are left out of a step: there a contact bears ", 2 / (kappa * margin));
    tact_text_add(out, " N\n");
    // The longest dimension of a shape other than a plane, from its place [m].
    double most = 0;
    for (int s = 0; s < model->nshape; s++) {
        const double radius = tact_shape_radius(&model->shape[s]);
        if (radius < HUGE_VAL) most = fmax(most, radius);
    }
    const double longest = 2 * most;
    if (scene->options.margin >= 0 || !(longest > 0 && margin > longest)) return;
    add_number(out, "    farther than the largest shape is long, ", longest);
    tact_text_add(out, " m: far pairs take time and push light bodies; a smaller margin or a larger kappa leaves them out\n");
}

// A drive with a limit gives way where its stiffness alone would exceed it: limit/stiffness from its command.
static void explain_drives(const tact_model *model, tact_text *out) {
    static const char *const units[] = {" rad", " m"};
    double least[2] = {HUGE_VAL, HUGE_VAL}, most[2] = {0, 0};
    int count[2] = {0, 0};
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        if (spring->u < 0 || spring->count > 1 || !(spring->force_limit > 0 && spring->stiffness > 0)) continue;
        const int k = model->body[model->dof[spring->dof[0]].body].joint == TACT_JOINT_PRISMATIC;
        const double way = (double)spring->force_limit / (double)spring->stiffness;
        least[k] = fmin(least[k], way), most[k] = fmax(most[k], way), count[k]++;
    }
    for (int k = 0; k < 2; k++) {
        if (count[k] == 0) continue;
        tact_text_print(out, "  force_limit of %d drive(s): reached ", count[k]);
        add_number(out, "", least[k]);
        if (most[k] > least[k]) add_number(out, " to ", most[k]);
        tact_text_print(out, "%-s from the command\n", units[k]);
    }
    const int rest = model->nu - count[0] - count[1];
    if (rest > 0) tact_text_print(out, "  no force_limit: %d drive(s)\n", rest);
}

// Says in words what the law, the drives and the pairs of a scene mean, and names each dof whose limits do not contain 0.
void tact_check_explain(const tact_scene *scene, tact_text *out) {
    const tact_model *model = &scene->model;
    int count[2] = {0, 0}, slick = 0;
    tact_text_add(out, "\nin words\n");
    if (model->law->distant) explain_barrier(scene, out);
    explain_drives(model, out);
    for (int i = 0; i < model->npair; i++) {
        count[is_free(model, model->pair[i].a) || is_free(model, model->pair[i].b)]++;
        slick += model->pair[i].mu == 0;
    }
    tact_text_print(out, "  contacts that can close: %d of free bodies, %d of others; %d without friction\n", count[1], count[0],
                    slick);
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q < 0 || (dof->lower <= 0 && dof->upper >= 0)) continue;
        tact_text_print(out, "  %-s", tact_dof_name(model, v).text);
        add_number(out, " begins at ", (double)model->q0[dof->q]);
        add_number(out, ": 0 is outside its limits, ", (double)dof->lower);
        add_number(out, " to ", (double)dof->upper);
        tact_text_add(out, "\n");
    }
}
