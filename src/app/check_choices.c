// SPDX-License-Identifier: MIT
// What tact check says of a scene's numbers in words: how far the barrier holds bodies apart, what the margin leaves out, when
// drives give way, which shapes are paired, and where joints begin that do not begin at 0.
#include <math.h>
#include <stdio.h>

#include "app/check.h"

// A number as tables have it.
static tact_number_text show(const tact_choices *of, double x) {
    return tact_number_print(tact_key_round(x, of->digits > 0 ? of->digits : 3));
}

// The free body of the least weight, whose contacts the barrier holds the farthest apart; -1: none.
static int find_lightest(const tact_model *model) {
    int lightest = -1;
    for (int b = 0; b < model->nbody; b++) {
        if (!model->loose[b] || model->body[b].joint != TACT_JOINT_FREE || !(model->body[b].mass > 0)) continue;
        if (lightest < 0 || model->body[b].mass < model->body[lightest].mass) lightest = b;
    }
    return lightest;
}

// At equilibrium a contact's force is F = 2/(kappa gap).
static void explain_barrier(const tact_choices *of, tact_text *out) {
    const tact_model *model = &of->scene->model;
    const tact_options *options = &of->scene->options;
    const double kappa = (double)options->kappa, g = sqrt((double)tact_vec3_dot(options->gravity, options->gravity));
    const int b = find_lightest(model);
    tact_text_print(out, "  kappa %g 1/J: a contact that bears the force F rests at the gap 2/(kappa F)", kappa);
    if (b >= 0 && g > 0) {
        const double weight = g * (double)model->body[b].mass, gap = 2 / (kappa * weight);
        tact_text_add(out, ":\n    the weight of ");
        tact_text_add(out, tact_body_name(model, b).text);
        tact_text_add(out, ", ");
        tact_text_add(out, show(of, weight).text);
        tact_text_add(out, " N, on one contact at ");
        tact_text_add(out, show(of, gap).text);
        tact_text_add(out, " m, shared by n contacts at n times as much");
    }
    tact_text_add(out, "\n");
    const double margin = (double)tact_margin(model, options);
    if (!(margin < (double)TACT_MAX)) return;
    tact_text_print(out, "  margin %g m: pairs farther apart are left out of a step: there a contact bears ", margin);
    tact_text_add(out, show(of, 2 / (kappa * margin)).text);
    tact_text_add(out, " N\n");
}

// A drive with a limit gives way where its stiffness alone would exceed it: limit/stiffness from its command.
static void explain_drives(const tact_choices *of, tact_text *out) {
    const tact_model *model = &of->scene->model;
    double least[2] = {INFINITY, INFINITY}, most[2] = {0, 0};
    int limited[2] = {0, 0};
    for (int i = 0; i < model->nspring; i++) {
        const tact_spring *spring = &model->spring[i];
        if (spring->u < 0 || spring->count > 1 || !(spring->force_limit > 0 && spring->stiffness > 0)) continue;
        const int slides = model->body[model->dof[spring->dof[0]].body].joint == TACT_JOINT_PRISMATIC;
        const double way = (double)spring->force_limit / (double)spring->stiffness;
        least[slides] = fmin(least[slides], way);
        most[slides] = fmax(most[slides], way);
        limited[slides]++;
    }
    for (int k = 0; k < 2; k++) {
        if (limited[k] == 0) continue;
        tact_text_print(out, "  %d drives reach their force_limit ", limited[k]);
        tact_text_add(out, show(of, least[k]).text);
        if (most[k] > least[k]) tact_text_add(out, " to ");
        if (most[k] > least[k]) tact_text_add(out, show(of, most[k]).text);
        tact_text_add(out,
                      k == 0 ? " rad from the command, and are no stronger\n" : " m from the command, and are no stronger\n");
    }
    const int free = model->nu - limited[0] - limited[1];
    if (free > 0) tact_text_print(out, "  %d drives have no force_limit\n", free);
}

static bool is_loose(const tact_model *model, int shape) {
    const int body = model->shape[shape].body;
    return body != TACT_WORLD && model->loose[body];
}

static void explain_pairs(const tact_choices *of, tact_text *out) {
    const tact_model *model = &of->scene->model;
    int count[3] = {0, 0, 0}, slick = 0;
    // by how many of the two bodies no drive holds
    for (int i = 0; i < model->npair; i++) {
        count[(int)is_loose(model, model->pair[i].a) + (int)is_loose(model, model->pair[i].b)]++;
        slick += model->pair[i].mu == 0;
    }
    if (model->npair == 0) return;
    tact_text_print(out,
                    "  %d contacts can close: %d of what moves freely with links, base or world, %d of two free bodies,\n    ",
                    model->npair, count[1], count[2]);
    tact_text_print(out, "%d of links with each other or the world; %d without friction\n", count[0], slick);
}

static void explain_start(const tact_model *model, tact_text *out) {
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->q < 0 || (dof->lower <= 0 && dof->upper >= 0)) continue;
        tact_text_add(out, "  ");
        tact_text_add(out, tact_dof_name(model, v).text);
        tact_text_print(out, " begins at %g: 0 is outside its limits, %g to %g\n", (double)model->q0[dof->q], (double)dof->lower,
                        (double)dof->upper);
    }
}

void tact_check_explain(const tact_choices *of, tact_text *out) {
    tact_text_add(out, "\nin words\n");
    if (of->scene->model.law->distant) explain_barrier(of, out);
    explain_drives(of, out);
    explain_pairs(of, out);
    explain_start(&of->scene->model, out);
}
