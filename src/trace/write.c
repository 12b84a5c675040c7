// SPDX-License-Identifier: MIT
#include "tact/trace.h"

#include <stdio.h>
#include <string.h>

#include "tact/files.h"
#include "tact/memory.h"

static void add_vec3(tact_text *out, const char *key, tact_vec3 x) {
    const tact_real values[3] = {x.x, x.y, x.z};
    tact_text_add(out, key);
    tact_text_add_vector(out, values, 3);
}

void tact_trace_add_contact(const tact_model *model, const tact_contact *contact, tact_text *out) {
    TACT_ASSERT(model && contact);
    const tact_pair *pair = &model->pair[contact->pair];
    const tact_real(*F)[3] = contact->frame.m;
    // Which two shapes; where, along which frame; with which force.
    tact_text_print(out, "{\"pair\":%d,\"a\":%s,\"b\":%s,\"gap\":%g", contact->pair, tact_shape_name(model, pair->a).text,
                    tact_shape_name(model, pair->b).text, (double)contact->gap);
    add_vec3(out, ",\"point\":", contact->point);
    add_vec3(out, ",\"normal\":", tact_vec3_make(F[0][0], F[0][1], F[0][2]));
    tact_text_add(out, ",\"frame\":");
    tact_text_add_vector(out, &F[0][0], 9);
    add_vec3(out, ",\"force\":", contact->force);
    tact_text_add(out, ",\"lambda\":");
    tact_text_add_vector(out, contact->lambda, 3);
    if (model->search && pair->vertex != 0) tact_text_print(out, ",\"vertex\":%d", pair->vertex);
    if (contact->degenerate) tact_text_add(out, ",\"degenerate\":true");
    tact_text_add(out, "}");
}

static void add_key_vector(tact_text *out, const char *key, const tact_real *x, int count) {
    tact_text_add(out, key);
    tact_text_add_vector(out, x, (size_t)count);
}

void tact_trace_add_step(const tact_scene *scene, int step, const tact_state *state, const tact_work *work, const tact_real *u,
                         tact_text *out) {
    TACT_ASSERT(scene && state);
    const tact_model *model = &scene->model;
    // what was refused at once found no contacts
    int count = work && work->status != TACT_BAD_INPUT ? work->contacts.count : 0;
    tact_text_print(out, "{\"step\":%d,\"t\":%g", step, (double)state->time);
    add_key_vector(out, ",\"q\":", state->q, model->nq);
    add_key_vector(out, ",\"v\":", state->v, model->nv);
    add_key_vector(out, ",\"u\":", u, model->nu);
    tact_text_print(out, ",\"status\":%s,\"iterations\":%d,\"decrement\":%g",
                    tact_status_name(work ? work->status : TACT_CONVERGED), work ? work->iterations : 0,
                    work ? (double)work->decrement : 0);
    if (work && model->law->energies) {
        const tact_real energy[2] = {work->kinetic, work->potential};
        add_key_vector(out, ",\"energy\":", energy, 2);
    }
    tact_text_add(out, ",\"contacts\":[");
    for (int i = 0; i < count; i++) {
        if (i > 0) tact_text_add(out, ",");
        tact_trace_add_contact(tact_step_model(model, work), &work->contacts.contact[i], out);
    }
    tact_text_add(out, "]");
    if (scene->options.anchor) {
        // what the state stores besides coordinates and forces
        bool any = false;
        tact_text_add(out, ",\"anchors\":[");
        for (int i = 0; i < state->npair; i++) {
            tact_vec3 s = state->anchor[i];
            if (s.x == 0 && s.y == 0 && s.z == 0) continue;
            tact_text_add(out, any ? ",{\"pair\":" : "{\"pair\":");
            tact_text_add_integer(out, i);
            add_vec3(out, ",\"anchor\":", s);
            add_vec3(out, ",\"normal\":", state->normal[i]);
            tact_text_add(out, "}");
            any = true;
        }
        tact_text_add(out, "]");
    }
    if (state->past) {
        add_key_vector(out, ",\"q_past\":", state->q_past, model->nq);
        add_key_vector(out, ",\"v_past\":", state->v_past, model->nv);
    }
    tact_text_add(out, "}");
}

struct tact_trace_writer {
    const tact_scene *scene;
    tact_output output;
    int step;
};

static void tell(const tact_errors *errors, char *message, size_t message_size) {
    if (message_size > 0) snprintf(message, message_size, "%s", errors->kept > 0 ? errors->items[0].text : "");
}

tact_trace_writer *tact_trace_create(const char *path, const tact_scene *scene, char *message, size_t message_size) {
    TACT_ASSERT(path && scene && (message || message_size == 0));
    tact_errors errors = {0};
    tact_trace_writer *writer = tact_memory_get(sizeof *writer);
    if (!writer) {
        tact_errors_add(&errors, TACT_ERROR_NO_MEMORY, (tact_place){.file = tact_text_name(path)}, "out of memory");
    } else if (!tact_output_open(&writer->output, path, &errors)) {
        tact_memory_release(writer);
        writer = NULL;
    } else {
        writer->scene = scene;
        writer->step = 0;
        tact_trace_add_header(scene, &writer->output.text);
        // The header is written with the first step.
        tact_text_add(&writer->output.text, "\n");
    }
    tell(&errors, message, message_size);
    return writer;
}

bool tact_trace_add(tact_trace_writer *writer, const tact_state *state, const tact_work *work, const tact_real *u) {
    TACT_ASSERT(writer && state && (u || !writer->scene->model.nu));
    TACT_ASSERT(state->nq == writer->scene->model.nq && state->nv == writer->scene->model.nv &&
                state->npair == tact_model_pairs(&writer->scene->model));
    tact_trace_add_step(writer->scene, writer->step++, state, work, u, &writer->output.text);
    tact_text_add(&writer->output.text, "\n");
    return tact_output_spill(&writer->output);
}

bool tact_trace_finish(tact_trace_writer *writer, char *message, size_t message_size) {
    TACT_ASSERT(writer && (message || message_size == 0));
    tact_errors errors = {0};
    bool good = tact_output_finish(&writer->output, &errors);
    tell(&errors, message, message_size);
    tact_memory_release(writer);
    return good;
}

void tact_trace_abandon(tact_trace_writer *writer) {
    if (!writer) return;
    tact_output_abandon(&writer->output);
    tact_memory_release(writer);
}
