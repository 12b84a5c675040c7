// SPDX-License-Identifier: MIT
// A scene is loaded with several values of a parameter, the ends of its range among them. A word of memory that holds the value
// each time is a copy of it; the parameter is patched there. Where anything else changes, patches do not say all.
#include "batch/probe.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "batch/slopes.h"
#include "scene/build.h"
#include "tact/memory.h"

enum { PROBES = 4, CHOICES = 64 };

tact_real tact_probe_value(const tact_draw *draw, int k) {
    TACT_ASSERT(draw);
    static const int part[] = {2, 0, 4, 3};  // quarters of the way
    if (draw->kind == TACT_DRAW_CHOICE) return draw->value[k];
    if (draw->kind == TACT_DRAW_NORMAL) return draw->a + draw->b * ((tact_real)part[k] / 2 - 1);
    if (part[k] == 4) return draw->b;
    return draw->a + (draw->b - draw->a) * ((tact_real)part[k] / 4);
}

// Tells with which value the loader was not content: what it said of the value alone, as first of the messages from kept on, is
// told where the parameter stands.
static void tell_value(const tact_batch_spec *spec, int i, int k, bool alone, int kept, tact_errors *errors) {
    const tact_draw *draw = &spec->draw[i];
    tact_number_text number = tact_key_print(tact_probe_value(draw, k));
    const bool moves = alone && errors->kept == kept + 1 && errors->items[kept].kind == TACT_ERROR_REFUSED;
    const tact_error told = errors->items[moves ? kept : 0];
    if (moves) errors->kept--, errors->errors--;
    const size_t size = strlen(draw->path);
    const bool mass = size > 5 && strcmp(draw->path + size - 4, "mass") == 0;
    tact_batch_spec_report(spec, i, moves ? TACT_ERROR_REFUSED : TACT_ERROR_WARNING, errors,
                           moves ? "draws %s = %s: %s"
                                 : "the warning above holds for %s = %s, which this distribution draws: narrow it%s",
                           tact_quote(draw->path).text, draw->word ? draw->word[k] : number.text,
                           moves  ? told.text
                           : mass ? ", or draw the body's inertia, too, which does not follow its mass"
                                  : "");
}

// The scene with parameter i at its probe k.
static tact_scene *load_probe(const tact_variant *variant, const tact_batch_spec *spec, int i, int k, tact_errors *errors) {
    TACT_ASSERT(0 <= i && i < spec->ndraw && k >= 0);
    tact_real value[TACT_BATCH_DRAWS_MAX];
    int index[TACT_BATCH_DRAWS_MAX] = {0};
    tact_text text = {0};
    int before = errors->errors, kept = errors->kept, warnings = errors->warnings;
    // All at their first probe, this one at its k-th.
    for (int j = 0; j < spec->ndraw; j++) value[j] = tact_probe_value(&spec->draw[j], 0);
    value[i] = tact_probe_value(&spec->draw[i], k);
    index[i] = k;
    tact_variant_write_with(variant, spec, value, index, &text);
    tact_scene *scene = tact_variant_parse(variant, &text, errors);
    // what was said of other values does not come from this one, whose length moves columns
    bool odd = errors->errors > before;
    for (int m = kept; m < errors->kept && !odd; m++) {
        const tact_error *told = &errors->items[m];
        odd = true;
        for (int n = 0; n < kept; n++)
            odd = odd && strcmp(told->text + told->reason, errors->items[n].text + errors->items[n].reason) != 0;
    }
    if (odd) {
        tell_value(spec, i, k, true, kept, errors);
    } else {
        errors->kept = kept;
        errors->warnings = warnings;
    }
    return scene;
}

static bool same_list(const void *a, const void *b, size_t size) {
    return size == 0 || memcmp(a, b, size) == 0;
}

// Everything that no patch reaches is the same.
// Loops and springs have no regions: where they differ, scenes are loaded one by one.
static bool same_ties(const tact_model *x, const tact_model *y) {
    bool same = x->nloop == y->nloop && x->nspring == y->nspring;
    for (int i = 0; same && i < x->nloop; i++) {
        const tact_loop *a = &x->loop[i], *b = &y->loop[i];
        same =
            same_list(a->body, b->body, sizeof a->body) && same_list(a->at, b->at, sizeof a->at) && a->stiffness == b->stiffness;
    }
    for (int i = 0; same && i < x->nspring; i++) {
        const tact_spring *a = &x->spring[i], *b = &y->spring[i];
        same = a->count == b->count && a->u == b->u && a->stiffness == b->stiffness && a->damping == b->damping &&
               a->rest == b->rest && a->force_limit == b->force_limit &&
               same_list(a->dof, b->dof, (size_t)a->count * sizeof(int)) &&
               same_list(a->factor, b->factor, (size_t)a->count * sizeof(tact_real));
    }
    return same;
}

// Whether two models have the same broad phase, which no region covers.
static bool same_search(const tact_search *a, const tact_search *b) {
    if (!a || !b) return a == b;
    size_t count = (size_t)a->nwhole, parts = a->parts ? count : 0;
    if (a->most != b->most || a->columns != b->columns || a->mu != b->mu || a->restitution != b->restitution) return false;
    if (a->nwhole != b->nwhole || a->napart != b->napart || !a->parts != !b->parts) return false;
    return same_list(a->group, b->group, count * sizeof(int)) && same_list(a->carrier, b->carrier, count * sizeof(int)) &&
           same_list(a->kind, b->kind, count * sizeof(unsigned)) && same_list(a->meets, b->meets, count * sizeof(unsigned)) &&
           !a->friction == !b->friction && same_list(a->friction, b->friction, a->friction ? count * sizeof(tact_real) : 0) &&
           same_list(a->priority, b->priority, a->friction ? count * sizeof(int) : 0) &&
           same_list(a->parts, b->parts, parts * sizeof(tact_shape_parts)) &&
           same_list(a->apart, b->apart, (size_t)a->napart * sizeof(uint64_t));
}

// Whether two scenes agree in what a patch of values cannot change: command, forces, law and the lists derived from the model.
static bool same_rest(const tact_scene *a, const tact_scene *b) {
    const tact_model *x = &a->model, *y = &b->model;
    size_t nbody = (size_t)x->nbody, nv = (size_t)x->nv, npair = (size_t)x->npair, word = sizeof(int);
    if (a->command.mode != b->command.mode || a->command.ntime != b->command.ntime || a->nforce != b->nforce) return false;
    if (!same_ties(x, y) || !same_search(x->search, y->search)) return false;
    if (x->law != y->law || x->nmotion != y->nmotion || x->planar != y->planar || x->envelope != y->envelope) return false;
    for (int i = 0; i < x->nmotion; i++)
        if (x->motion[i].dof != y->motion[i].dof || !same_list(&x->motion[i].ratio, &y->motion[i].ratio, sizeof(tact_real)))
            return false;
    // Forces by their times and values; then the lists that are derived from the model.
    for (int i = 0; i < a->nforce; i++) {
        const tact_force *f = &a->force[i], *g = &b->force[i];
        size_t count = (size_t)f->ntime;
        if (f->body != g->body || f->ntime != g->ntime || !same_list(f->times, g->times, count * sizeof(tact_real))) return false;
        if (!same_list(f->wrench, g->wrench, count * sizeof(tact_wrench))) return false;
    }
    return same_list(x->path_start, y->path_start, (nbody + 1) * word) && same_list(x->order, y->order, nv * word) &&
           same_list(x->column_start, y->column_start, (npair + 1) * word) &&
           same_list(x->mass_first, y->mass_first, nv * word) && same_list(x->loose, y->loose, nbody * sizeof(bool)) &&
           same_list(x->path, y->path, (size_t)x->path_start[nbody] * word) &&
           same_list(x->column, y->column, (size_t)x->column_start[npair] * word);
}

static bool is_patch(const tact_variant *variant, int first, int region, size_t offset) {
    for (int i = first; i < variant->npatch; i++)
        if (variant->patch[i].region == region && variant->patch[i].offset == offset) return true;
    return false;
}

// The comparison of a scene, in which one parameter has another value, with the base.
typedef struct {
    tact_variant *variant;
    int draw, first;        // of the parameter, and of its patches
    tact_real base, value;  // its values in the two
    bool finding;           // no patch of the parameter is known yet
    int found;
    bool nothing;    // no difference at all
    bool no_memory;  // for a patch
} comparison;

static bool same_bits(const void *a, const void *b) {
    return memcmp(a, b, sizeof(tact_real)) == 0;
}

// One word, at x in the base and at y in the other. False when patches do not say all.
static bool compare_word(comparison *c, int region, const unsigned char *x, const unsigned char *y, size_t at) {
    if (same_bits(x + at, y + at)) return true;
    bool copies = same_bits(x + at, &c->base) && same_bits(y + at, &c->value);
    if (!copies) return false;
    c->found++;
    if (!c->finding) return is_patch(c->variant, c->first, region, at);
    if (is_patch(c->variant, 0, region, at)) return false;
    tact_variant *to = c->variant;
    tact_variant_patch *more = tact_memory_grow(to->patch, to->npatch, &to->patch_room, 16, sizeof *more);
    c->no_memory = !more;
    if (!more) return false;
    to->patch = more;
    to->patch[to->npatch++] = (tact_variant_patch){c->draw, region, at};
    return true;
}

// A piece of a region: words of numbers, whole ones too.
static bool compare_words(comparison *c, int region, const unsigned char *x, const unsigned char *y, size_t at, size_t size) {
    for (size_t end = at + size; at + sizeof c->value <= end; at += sizeof c->value)
        if (!compare_word(c, region, x, y, at)) return false;
    return true;
}

// What no patch reaches, since it lies beside the shapes: the numbers of grids and the vertices of hulls, which are all of a
// hull.
static bool same_solid(const tact_shape *x, const tact_shape *y) {
    const tact_grid *a = x->grid, *b = y->grid;
    if (!a != !b || !x->hull != !y->hull) return false;
    if (x->hull && (x->hull->nvertex != y->hull->nvertex ||
                    !same_list(x->hull->vertex, y->hull->vertex, (size_t)x->hull->nvertex * sizeof *x->hull->vertex)))
        return false;
    if (!a) return true;
    // grids: counts, place, step, unit and every coefficient
    size_t total = (size_t)a->count[0] * (size_t)a->count[1] * (size_t)a->count[2];
    if (!same_list(a->count, b->count, sizeof a->count) || !a->value != !b->value) return false;
    if (!same_list(&a->low, &b->low, sizeof a->low) || !same_bits(&a->step, &b->step) || !same_bits(&a->unit, &b->unit))
        return false;
    return a->value ? same_list(a->value, b->value, total * sizeof *a->value)
                    : same_list(a->fine, b->fine, total * sizeof *a->fine);
}

// Shapes without their pointers, and what these point to.
static bool compare_shapes(comparison *c, const tact_model *base, const tact_model *other) {
    const unsigned char *x = (const unsigned char *)base->shape, *y = (const unsigned char *)other->shape;
    size_t numbers = offsetof(tact_shape, place) + sizeof(tact_pose) + sizeof base->shape->size;
    for (int i = 0; i < base->nshape; i++) {
        const tact_shape *a = &base->shape[i], *b = &other->shape[i];
        size_t count = (size_t)a->count;
        // numbers up to place and sizes may differ, by a patch; all else must be the same
        if (!compare_words(c, TACT_VARIANT_SHAPES, x, y, (size_t)i * sizeof *a, numbers) || a->count != b->count) return false;
        if (a->point && !same_list(a->point, b->point, count * sizeof *a->point)) return false;
        if (a->member && !same_list(a->member, b->member, count * sizeof *a->member)) return false;
        if (!same_solid(a, b)) return false;
    }
    return true;
}

static bool same_choices(const tact_options *a, const tact_options *b) {
    return a->limits == b->limits && a->integrator == b->integrator && a->penalty == b->penalty && a->friction == b->friction &&
           a->damping == b->damping && a->gradient == b->gradient && a->manifold == b->manifold && a->level == b->level &&
           a->cone == b->cone;
}

// All of a scene. The patches found first are added; with further values they must be the same.
static bool compare_probe(comparison *c, tact_scene *scene) {
    tact_variant_regions a, b;
    tact_variant *variant = c->variant;
    c->finding = variant->npatch == c->first;
    c->found = 0;
    tact_variant_find_regions(variant->scene, &a);
    tact_variant_find_regions(scene, &b);
    for (int r = 0; r < TACT_VARIANT_REGIONS; r++) {
        if (r == TACT_VARIANT_SHAPES || r == TACT_VARIANT_OPTIONS) continue;
        if (!compare_words(c, r, a.base[r], b.base[r], 0, a.size[r])) return false;
    }
    if (!same_rest(scene, variant->scene) || !compare_shapes(c, &variant->scene->model, &scene->model)) return false;
    // Options, field by field: there are gaps between them.
    const tact_scene *base = variant->scene;
    const unsigned char *x = (const unsigned char *)&base->options, *y = (const unsigned char *)&scene->options;
    if (!same_choices(&base->options, &scene->options)) return false;
    if (!compare_words(c, TACT_VARIANT_OPTIONS, x, y, offsetof(tact_options, gravity), sizeof base->options.gravity))
        return false;
    for (const tact_key *key = tact_scene_option_keys; key->name; key++) {
        size_t size = key->kind == TACT_KEY_BOOL ? sizeof(bool) : sizeof(int), at = key->offset;
        bool number = key->kind == TACT_KEY_NUMBER;
        // choices are read to a place behind the options
        if (at >= sizeof base->options) continue;
        if (number && !compare_word(c, TACT_VARIANT_OPTIONS, x, y, at)) return false;
        if (!number && memcmp(x + at, y + at, size) != 0) return false;
    }
    c->nothing = c->found == 0;
    return c->found > 0 && c->found == variant->npatch - c->first;
}

void tact_probe_tell_base(const tact_batch_spec *spec, int kept, tact_errors *errors) {
    for (int i = 0; i < spec->ndraw; i++) tell_value(spec, i, 0, spec->ndraw == 1, kept, errors);
}

static bool refuse_shape(const tact_batch_spec *spec, int i, tact_errors *errors) {
    tact_batch_spec_report(spec, i, TACT_ERROR_REFUSED, errors, "%s changes the number of bodies, dofs, drives or pairs",
                           tact_quote(spec->draw[i].path).text);
    return false;
}

// The friction of all pairs is drawn, and some keep theirs.
static void tell_friction(const tact_batch_spec *spec, int i, const tact_model *a, const tact_model *b, tact_errors *errors) {
    const char *path = spec->draw[i].path;
    int kept = 0;
    if (strcmp(path, "mu") != 0 && strcmp(path, "/mu") != 0) return;
    for (int k = 0; k < a->npair && k < b->npair; k++) kept += same_bits(&a->pair[k].mu, &b->pair[k].mu);
    if (kept > 0 && kept < a->npair)
        tact_batch_spec_report(
            spec, i, TACT_ERROR_WARNING, errors,
            "%d of %d contacts keep friction of their pair's own or of its shapes (\"pairs.A,B.mu\" is that of "
            "shapes A and B; under \"pairs\": \"auto\" \"shapes.A.mu\" that of shape A)",
            kept, a->npair);
}

// One parameter: false after errors. Adds its patches; *quick becomes false where they do not say all.
static bool probe_one(tact_variant *variant, const tact_batch_spec *spec, int i, bool *quick, tact_errors *errors) {
    TACT_ASSERT(0 <= i && i < spec->ndraw);
    const tact_draw *draw = &spec->draw[i];
    int count = draw->kind == TACT_DRAW_CHOICE ? draw->nchoice : PROBES;
    comparison c = {.variant = variant, .draw = i, .first = variant->npatch, .base = tact_probe_value(draw, 0)};
    // A patch cannot set words and long lists.
    if (count > CHOICES || draw->word) *quick = false;
    for (int k = 1; k < count && k <= CHOICES; k++) {
        c.value = tact_probe_value(draw, k);
        if (!draw->word && same_bits(&c.value, &c.base)) continue;
        tact_scene *scene = load_probe(variant, spec, i, k, errors);
        if (!scene) return false;
        int order = tact_linear_order(&scene->model);
        if (order > variant->nx) variant->nx = order;
        bool shape = tact_variant_same_shape(&scene->model, &variant->scene->model);
        if (*quick && shape) *quick = compare_probe(&c, scene);
        if (k == 1) tell_friction(spec, i, &variant->scene->model, &scene->model, errors);
        tact_scene_free(scene);
        if (c.no_memory) return tact_file_refuse(variant->path, ENOMEM, errors);
        if (!shape) return refuse_shape(spec, i, errors);
    }
    if (c.nothing)
        tact_batch_spec_report(spec, i, TACT_ERROR_WARNING, errors, "no number of the model changes with %s",
                               tact_quote(draw->path).text);
    return true;
}

// Whether a number that differs is of those that the virtual law prepares its work from: masses, shapes, drives, pairs.
static bool enters_work(const tact_variant *variant) {
    for (int i = 0; i < variant->npatch && variant->scene->model.law->prepared; i++)
        if (variant->patch[i].region < TACT_VARIANT_START) return true;
    return false;
}

bool tact_probe_all(tact_variant *variant, const tact_batch_spec *spec, tact_errors *errors) {
    TACT_ASSERT(variant && spec);
    bool quick = true;
    variant->nx = tact_linear_order(&variant->scene->model);
    for (int i = 0; i < spec->ndraw; i++)
        if (!probe_one(variant, spec, i, &quick, errors)) return false;
    if (!quick) variant->npatch = 0;
    variant->patched = quick;
    variant->quick = quick && !enters_work(variant);
    for (int i = 0; i < variant->npatch; i++) variant->own[variant->patch[i].region] = true;
    return true;
}
