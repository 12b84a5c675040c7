// SPDX-License-Identifier: MIT
// Numbers that differ between worlds. All paths that were set make a variant of the scene's text: where each number stands
// unchanged in the model it is put there, in copies of what differs; otherwise each world is loaded from a text of its own.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "tact/memory.h"
#include "worlds/worlds.h"

enum { TRIALS = 2, NOT_VARIED = -2, BLAMED = 64 };

// Parameters of a variant, and the document that its messages are about.
typedef struct {
    tact_batch_spec spec;
    tact_draw draw[TACT_BATCH_DRAWS_MAX];
    tact_text text;
    bool parsed;
} set_spec;

void tact_worlds_release_copies(tact_worlds *worlds) {
    // Scenes loaded one by one, or copies of regions; then the variant that both come from.
    for (int i = 0; worlds->loaded && i < worlds->count; i++)
        if (worlds->loaded[i]) tact_scene_free(worlds->loaded[i]);
    tact_memory_release(worlds->loaded);
    tact_memory_release(worlds->copies);
    worlds->loaded = NULL;
    worlds->copy = NULL;
    if (!worlds->variant) return;
    tact_variant_free(worlds->variant);
    tact_memory_release(worlds->variant);
    worlds->variant = NULL;
    worlds->scene = NULL;
}

static void free_spec(set_spec *spec) {
    if (spec->parsed) tact_json_free(&spec->spec.json);
    tact_text_free(&spec->text);
    tact_memory_release(spec);
}

// A document that is the list of the paths; of each the parameter is item number i + 1.
static bool make_document(set_spec *spec, tact_errors *errors) {
    // Messages about a parameter point at its path in this list.
    tact_text_add(&spec->text, "[");
    for (int i = 0; i < spec->spec.ndraw; i++) {
        tact_text_add(&spec->text, i > 0 ? ", " : "");
        tact_text_add_json(&spec->text, spec->draw[i].path);
        spec->draw[i].node = i + 1;
    }
    tact_text_add(&spec->text, "]");
    spec->parsed = !spec->text.failed && tact_json_read(&spec->spec.json, tact_text_source(&spec->text, "set"), errors);
    return spec->parsed;
}

static set_spec *new_spec(void) {
    set_spec *spec = tact_memory_get(sizeof *spec);
    if (!spec) return NULL;
    memset(spec, 0, sizeof *spec);
    spec->spec.draw = spec->draw;
    return spec;
}

// A number of which the least and the most are known.
static void add_draw(set_spec *spec, const char *path, tact_real low, tact_real high) {
    spec->draw[spec->spec.ndraw++] = (tact_draw){.path = path, .kind = TACT_DRAW_UNIFORM, .a = low, .b = high};
}

static set_spec *spec_of_columns(const tact_worlds *worlds, tact_errors *errors) {
    // Range of each column over the worlds: the probes look at its ends.
    set_spec *spec = new_spec();
    for (int k = 0; spec && k < worlds->ncolumn; k++) {
        const tact_worlds_column *column = &worlds->column[k];
        tact_real low = column->value[0], high = low;
        for (int i = 1; i < worlds->count; i++) {
            if (column->value[i] < low) low = column->value[i];
            if (column->value[i] > high) high = column->value[i];
        }
        add_draw(spec, column->path, low, high);
    }
    if (!spec || make_document(spec, errors)) return spec;
    free_spec(spec);
    return NULL;
}

// Whether the path leads to something that may be set.
static bool check_path(tact_worlds *worlds, const char *path, tact_real value, tact_errors *errors) {
    tact_text setting = {0}, changed = {0};
    tact_text_print(&setting, "%-s=%g", path, (double)value);
    const char *set = setting.bytes;
    tact_scene_settings settings = {.set = &set, .nset = 1};
    bool good = !setting.failed && tact_scene_apply(tact_text_source(&worlds->text, worlds->name), &settings, &changed, errors);
    tact_text_free(&setting);
    tact_text_free(&changed);
    return good;
}

// The numbers of a world, by column.
static void gather(const tact_worlds *worlds, int world, tact_real value[TACT_BATCH_DRAWS_MAX]) {
    for (int k = 0; k < worlds->ncolumn; k++) value[k] = worlds->column[k].value[world];
}

// Puts the numbers into the copies; the first world whose numbers make no model, or count.
static int patch_copies(const tact_worlds *worlds, const tact_variant *variant, tact_scene *copy) {
    tact_real value[TACT_BATCH_DRAWS_MAX];
    for (int i = 0; i < worlds->count; i++) {
        gather(worlds, i, value);
        if (!tact_variant_patch_copy(variant, value, &copy[i])) return i;
    }
    return worlds->count;
}

static tact_scene **load_each(const tact_worlds *worlds, const tact_variant *variant, const tact_batch_spec *spec,
                              tact_errors *errors) {
    TACT_ASSERT(variant && spec);
    size_t size = (size_t)worlds->count * sizeof(tact_scene *);
    tact_scene **loaded = tact_memory_get(size);
    if (!loaded) return NULL;
    memset(loaded, 0, size);
    // One that fails takes the others with it.
    for (int i = 0; i < worlds->count; i++) {
        tact_real value[TACT_BATCH_DRAWS_MAX];
        gather(worlds, i, value);
        loaded[i] = tact_variant_load_with(variant, spec, value, errors);
        if (loaded[i]) continue;
        for (int k = 0; k < i; k++) tact_scene_free(loaded[k]);
        tact_memory_release(loaded);
        return NULL;
    }
    return loaded;
}

// Writes all columns into the worlds; on failure nothing is changed.
static tact_status apply_columns(tact_worlds *worlds, tact_errors *errors) {
    // A variant of the text, with a parameter for each column.
    set_spec *spec = spec_of_columns(worlds, errors);
    tact_variant *variant = tact_memory_get(sizeof *variant);
    tact_group_copies copies = {variant, worlds->count, NULL};
    tact_scene **loaded = NULL;
    void *memory = NULL;
    tact_status status = TACT_BAD_INPUT;
    if (variant) *variant = (tact_variant){0};
    bool good = spec && variant &&
                tact_variant_open_text(variant, &spec->spec, tact_text_source(&worlds->text, worlds->name), worlds->folder.bytes,
                                       worlds->law, errors);
    // Numbers that change the structure cannot be put into worlds that exist.
    if (good && !tact_variant_same_shape(&variant->scene->model, &worlds->scene->model)) {
        status = tact_worlds_say(worlds, TACT_BAD_INPUT, "changes the number of bodies, dofs, drives or pairs");
        good = false;
        // Not quick: something else depends on a parameter, so that each world is loaded by itself.
    } else if (good && !variant->quick) {
        loaded = load_each(worlds, variant, &spec->spec, errors);
        good = loaded != NULL;
        // Quick: copies of the regions that differ, and the numbers put there.
    } else if (good && variant->npatch > 0) {
        memory = tact_memory_place(tact_group_place_copies, &copies);
        int bad = memory ? patch_copies(worlds, variant, copies.copy) : -1;
        if (memory && bad < worlds->count) tact_worlds_say(worlds, TACT_BAD_INPUT, "world %d: no model has such numbers", bad);
        good = bad == worlds->count;
        if (!memory) status = tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    }
    if (!good && worlds->message[0] == '\0') status = tact_worlds_say_errors(worlds, errors);
    // All or nothing: the worlds change only when everything has succeeded.
    if (good) {
        tact_scene *plain = worlds->variant ? NULL : worlds->scene;
        tact_worlds_release_copies(worlds);
        tact_worlds_release_members(worlds);
        if (plain) tact_scene_free(plain);
        worlds->variant = variant;
        worlds->scene = variant->scene;
        worlds->copy = memory ? copies.copy : NULL;
        worlds->copies = memory;
        worlds->loaded = loaded;
    } else {
        if (variant) tact_variant_free(variant);
        tact_memory_release(variant);
        tact_memory_release(memory);
    }
    if (spec) free_spec(spec);
    return good ? TACT_CONVERGED : status;
}

// bodies.ball.mass and /bodies/ball/mass
static bool same_path(const char *a, const char *b) {
    const bool slashes[2] = {a[0] == '/', b[0] == '/'};
    a += slashes[0];
    b += slashes[1];
    if (slashes[0] == slashes[1]) return strcmp(a, b) == 0;
    for (; *a && (*a == *b || ((*a == '.' || *a == '/') && (*b == '.' || *b == '/'))); a++) b++;
    return *a == *b;
}

static int find_column(const tact_worlds *worlds, const char *path) {
    for (int k = 0; k < worlds->ncolumn; k++)
        if (same_path(worlds->column[k].path, path)) return k;
    return -1;
}

// Names the first world whose number is refused by itself, with that number; else the message stays that of all.
static void blame_world(tact_worlds *worlds, const char *path, const tact_real *values) {
    char why[TACT_ERROR_LENGTH];
    for (int i = 0; i < worlds->count && i < BLAMED; i++) {
        // not the same number again
        if (i > 0 && values[i] == values[i - 1]) continue;
        tact_errors errors = {0};
        tact_text setting = {0}, changed = {0};
        tact_text_print(&setting, "%-s=%g", path, (double)values[i]);
        const char *set = setting.bytes;
        tact_scene_settings settings = {.set = &set, .nset = 1, .law = worlds->law, .finds = true};
        tact_scene *scene = NULL;
        bool applied =
            !setting.failed && tact_scene_apply(tact_text_source(&worlds->text, worlds->name), &settings, &changed, &errors);
        settings.nset = 0;
        if (applied) scene = tact_scene_parse(tact_text_source(&changed, worlds->name), worlds->folder.bytes, &settings, &errors);
        tact_text_free(&setting);
        tact_text_free(&changed);
        if (scene) {
            tact_scene_free(scene);
            continue;
        }
        tact_worlds_say_errors(worlds, &errors);
        snprintf(why, sizeof why, "%s", worlds->message);
        tact_worlds_say(worlds, TACT_BAD_INPUT, "%.300s of world %d: %s: %.900s", tact_quote(path).text, i,
                        tact_number_print((double)values[i]).text, why);
        return;
    }
}

// Adds a column, whose values the caller fills; -1: no memory.
static int add_column(tact_worlds *worlds, const char *path) {
    size_t size = strlen(path) + 1;
    tact_worlds_column *more = tact_memory_grow(worlds->column, worlds->ncolumn, &worlds->column_room, 8, sizeof *more);
    if (!more) return -1;
    worlds->column = more;
    more += worlds->ncolumn;
    *more = (tact_worlds_column){tact_memory_get(size), tact_memory_get((size_t)worlds->count * sizeof(tact_real))};
    if (more->path && more->value) {
        memcpy(more->path, path, size);
        return worlds->ncolumn++;
    }
    tact_memory_release(more->path);
    tact_memory_release(more->value);
    return -1;
}

// Whether the probes found that a path's number reaches nothing.
static bool is_idle(const tact_errors *errors, const char *path) {
    bool idle = false;
    for (int i = 0; i < errors->kept; i++)
        idle = idle || (strstr(errors->items[i].text, "no number of the model changes with") &&
                        strstr(errors->items[i].text, tact_quote(path).text));
    return idle;
}

tact_status tact_worlds_set(tact_worlds *worlds, const char *path, const tact_real *values) {
    TACT_ASSERT(path && (values || worlds->count == 0));
    tact_errors errors = {0};
    size_t size = (size_t)worlds->count * sizeof(tact_real);
    worlds->message[0] = '\0';
    // Finite numbers, a path that leads somewhere; then the column, new or known.
    for (int i = 0; i < worlds->count; i++)
        if (!(values[i] >= -TACT_MAX && values[i] <= TACT_MAX))
            return tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: values[%d] is not a finite number", path, i);
    if (!check_path(worlds, path, values[0], &errors)) return tact_worlds_say_errors(worlds, &errors);
    int column = find_column(worlds, path);
    bool added = column < 0;
    if (added && worlds->ncolumn == TACT_BATCH_DRAWS_MAX)
        return tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: more than %d paths are set", path, TACT_BATCH_DRAWS_MAX);
    if (added) column = add_column(worlds, path);
    // The old values come back where the new ones are refused.
    tact_real *before = added ? NULL : tact_memory_get(size);
    if (column < 0 || (!added && !before)) return tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    if (before) memcpy(before, worlds->column[column].value, size);
    memcpy(worlds->column[column].value, values, size);
    tact_status status = apply_columns(worlds, &errors);
    // a number that reaches nothing, as a friction where each pair has its own
    if (status >= 0 && is_idle(&errors, path))
        tact_worlds_say(worlds, status,
                        "%s changes nothing in this scene: each thing that it could stand for has a number of its own",
                        tact_quote(path).text);
    if (status < 0 && added) {
        tact_worlds_column *last = &worlds->column[--worlds->ncolumn];
        tact_memory_release(last->path);
        tact_memory_release(last->value);
    }
    if (status == TACT_BAD_INPUT) blame_world(worlds, path, values);
    if (status < 0 && before) memcpy(worlds->column[column].value, before, size);
    tact_memory_release(before);
    return status;
}

// The number at a path of the text; false when there is none.
static bool read_number(tact_worlds *worlds, const char *path, tact_real *value, tact_errors *errors) {
    tact_json json;
    if (!tact_json_read(&json, tact_text_source(&worlds->text, worlds->name), errors)) return false;
    int node = tact_scene_find(&json, path);
    bool found = node >= 0 && tact_json_type(&json, node) == TACT_JSON_NUMBER;
    if (found) *value = (tact_real)tact_json_value(&json, node);
    tact_json_free(&json);
    return found;
}

// The number of an option that the text leaves to its default, as the first world has it.
static bool read_option(const tact_worlds *worlds, const char *path, tact_real *value) {
    const char *name = strncmp(path, "options.", 8) == 0 ? path + 8 : strncmp(path, "/options/", 9) == 0 ? path + 9 : NULL;
    return name && tact_scene_option(tact_worlds_scene(worlds, 0), name, value);
}

// Says why a path has no number: it leads nowhere, to something else, or to what the text does not give.
static tact_status refuse_path(tact_worlds *worlds, const char *path) {
    tact_errors errors = {0};
    const char *reason = "the scene gives no number there, and what holds then is in \"tact help scene\"", *after = NULL;
    if (!check_path(worlds, path, 1, &errors)) {
        tact_worlds_say_errors(worlds, &errors);
        // the message is about the setting PATH=1
        after = strstr(worlds->message, "=1: ");
        if (errors.kind == TACT_ERROR_NO_MEMORY || !after) return TACT_BAD_INPUT;
        reason = after + 4;
    }
    char why[TACT_ERROR_LENGTH];
    snprintf(why, sizeof why, "%s", reason);
    return tact_worlds_say(worlds, TACT_BAD_INPUT, "%.300s: %.900s", tact_quote(path).text, why);
}

tact_status tact_worlds_get(tact_worlds *worlds, const char *path, tact_real *values) {
    TACT_ASSERT(worlds);
    tact_errors errors = {0};
    // A column has one number for each world, a path of the text the same for all.
    int column = find_column(worlds, path);
    tact_real value = 0;
    worlds->message[0] = '\0';
    if (column < 0 && !read_number(worlds, path, &value, &errors) && !read_option(worlds, path, &value))
        return refuse_path(worlds, path);
    for (int i = 0; i < worlds->count; i++) values[i] = column < 0 ? value : worlds->column[column].value[i];
    return TACT_CONVERGED;
}

int tact_worlds_nset(const tact_worlds *worlds) {
    return worlds->ncolumn;
}

const char *tact_worlds_set_path(const tact_worlds *worlds, int index) {
    return index >= 0 && index < worlds->ncolumn ? worlds->column[index].path : NULL;
}

// The parameter of a step that a member of a body, dof, shape or pair is; false: none.
static bool name_member(const tact_model *model, int region, size_t offset, tact_parameter *to) {
    // The region's item and the field within it tell which parameter it is, if the law has a derivative by it.
    size_t at = 0;
    switch (region) {
    case 0:
        at = offset % sizeof(tact_body);
        *to = (tact_parameter){.kind = TACT_PARAMETER_MASS, .index = (int)(offset / sizeof(tact_body))};
        if (at == offsetof(tact_body, mass)) return true;
        if (at < offsetof(tact_body, inertia) || at >= offsetof(tact_body, inertia) + sizeof model->body->inertia) return false;
        to->kind = TACT_PARAMETER_INERTIA;
        to->component = (int)((at - offsetof(tact_body, inertia)) / sizeof(tact_real));
        return tact_linear_has(model, *to);
    case 1:
        at = offset % sizeof(tact_dof);
        *to = (tact_parameter){.kind = TACT_PARAMETER_STIFFNESS, .index = (int)(offset / sizeof(tact_dof))};
        if (at == offsetof(tact_dof, stiffness)) return true;
        to->kind = TACT_PARAMETER_DAMPING;
        return at == offsetof(tact_dof, damping) && tact_linear_has(model, *to);
    case TACT_VARIANT_SHAPES: {
        int index = (int)(offset / sizeof(tact_shape));
        at = offset % sizeof(tact_shape);
        bool ball = (tact_shape_is_ball(model->shape[index].type) || model->shape[index].type == TACT_SHAPE_CAPSULE) &&
                    !(model->law->by & TACT_BY(SIZE));
        *to = (tact_parameter){.kind = ball ? TACT_PARAMETER_RADIUS : TACT_PARAMETER_SIZE, .index = index};
        if (at < offsetof(tact_shape, size) || at >= offsetof(tact_shape, size) + sizeof model->shape->size) return false;
        to->component = (int)((at - offsetof(tact_shape, size)) / sizeof(tact_real));
        return !(ball && to->component > 0) && tact_linear_has(model, *to);
    }
    case 3:
        *to = (tact_parameter){.kind = TACT_PARAMETER_MU, .index = (int)(offset / sizeof(tact_pair))};
        return offset % sizeof(tact_pair) == offsetof(tact_pair, mu);
    default: return false;
    }
}

// The parameter of the option at this offset of tact_options. False where the law has no derivative by it.
static bool name_option(const tact_model *model, size_t offset, tact_parameter *to) {
    const struct {
        size_t at;
        tact_parameter_kind kind;
    } known[] = {{offsetof(tact_options, kappa), TACT_PARAMETER_KAPPA},
                 {offsetof(tact_options, limit_kappa), TACT_PARAMETER_LIMIT_KAPPA},
                 {offsetof(tact_options, epsilon), TACT_PARAMETER_EPSILON},
                 {offsetof(tact_options, dt), TACT_PARAMETER_DT},
                 {offsetof(tact_options, kn), TACT_PARAMETER_KN},
                 {offsetof(tact_options, kd), TACT_PARAMETER_KD},
                 {offsetof(tact_options, kt), TACT_PARAMETER_KT},
                 {offsetof(tact_options, temperature), TACT_PARAMETER_TEMPERATURE}};
    // Known options by their place in the struct, each for one law only.
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        *to = (tact_parameter){.kind = known[i].kind};
        if (known[i].at == offset) return tact_linear_has(model, *to);
    }
    return false;
}

// Whether a weight bears on a dof.
static bool bears(const tact_scene *scene, const tact_dof *dof) {
    bool driven = scene->model.law->springs ? dof->stiffness > 0 : dof->u >= 0;
    return scene->options.gravity_on_driven || !driven;
}

// The parameters of a step that a patch stands for: how many; -1: there are none.
static int name_patch(const tact_scene *scene, const tact_variant_patch *patch, tact_parameter *to, int most) {
    size_t gravity = offsetof(tact_options, gravity);
    if (most < 1) return -1;
    if (patch->region != TACT_VARIANT_OPTIONS) return name_member(&scene->model, patch->region, patch->offset, to) ? 1 : -1;
    if (patch->offset < gravity || patch->offset >= gravity + sizeof(tact_vec3))
        return name_option(&scene->model, patch->offset, to) ? 1 : -1;
    // A component of gravity: forces on all bodies whose weight counts, in the ratio of their masses. No parameter where it
    // weighs on a body on some of its joints only, which no force does, or where there is no room.
    int component = (int)((patch->offset - gravity) / sizeof(tact_real));
    const tact_model *model = &scene->model;
    int count = 0;
    for (int b = 0; b < model->nbody; b++) {
        // dofs on the body's path, and those of them that bear its weight
        int with = 0, all = model->path_start[b + 1] - model->path_start[b];
        for (int k = model->path_start[b]; k < model->path_start[b + 1]; k++)
            with += bears(scene, &model->dof[model->motion[model->path[k]].dof]);
        if (with == 0 || model->body[b].mass == 0) continue;
        if (with < all || count == most) return -1;
        to[count++] = (tact_parameter){.kind = TACT_PARAMETER_FORCE, .index = b, .component = component};
    }
    return count;
}

// The parameters of a step that the number at a path stands for: those that change when it is varied from low to high. Returns
// how many; -1 after a message: there are no derivatives by them; NOT_VARIED after a message: the scene refuses these values.
static int find_patches(tact_worlds *worlds, const char *path, tact_real low, tact_real high, tact_parameter *parameter,
                        int most) {
    tact_errors errors = {0};
    set_spec *spec = new_spec();
    tact_variant *variant = tact_memory_get(sizeof *variant);
    int count = NOT_VARIED;
    if (variant) *variant = (tact_variant){0};
    // A variant with this one parameter: its patches say what the number stands for.
    if (spec) add_draw(spec, path, low, high);
    bool good = spec && variant && make_document(spec, &errors) &&
                tact_variant_open_text(variant, &spec->spec, tact_text_source(&worlds->text, worlds->name), worlds->folder.bytes,
                                       worlds->law, &errors);
    if (!good) tact_worlds_say_errors(worlds, &errors);
    if (good) count = -1;
    const char *law = worlds->scene->model.law->name;
    if (good && !variant->patched) {
        tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: the law %s has no derivative by it: more than this number changes with it",
                        tact_quote(path).text, law);
        good = false;
    }
    if (good) count = 0;
    for (int i = 0; good && i < variant->npatch; i++) {
        int more = name_patch(worlds->scene, &variant->patch[i], parameter + count, most - count);
        count = more < 0 ? -1 : count + more;
        good = more >= 0;
        if (!good) tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: the law %s has no derivative by it", tact_quote(path).text, law);
    }
    if (variant) tact_variant_free(variant);
    tact_memory_release(variant);
    if (spec) free_spec(spec);
    return count;
}

int tact_worlds_find_parameters(tact_worlds *worlds, const char *path, tact_parameter *parameter, int most) {
    TACT_ASSERT(worlds);
    tact_real value = 0;
    tact_errors errors = {0};
    int column = find_column(worlds, path);
    // Two trials with different changes must find the same places.
    if (column >= 0) {
        value = worlds->column[column].value[0];
    } else if (!read_number(worlds, path, &value, &errors)) {
        tact_worlds_say(worlds, TACT_BAD_INPUT, "%s: the scene gives no number there", tact_quote(path).text);
        return -1;
    }
    tact_real change = (value == 0 ? 1 : value) * TACT_REAL(0.0078125);
    for (int k = 0; k < TRIALS; k++) {
        int count = find_patches(worlds, path, value, k == 0 ? value + change : value - change, parameter, most);
        if (count >= 0) worlds->message[0] = '\0';
        if (count != NOT_VARIED) return count;
    }
    return -1;
}
