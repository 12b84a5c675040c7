// SPDX-License-Identifier: MIT
// Opening, closing, names and arrays.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tact/memory.h"
#include "tact/trace.h"
#include "worlds/worlds.h"

enum { COUNT_MOST = 100000000, KINDS = 6, POSE = 12, CONTACT = 10 };

int tact_real_size(void) {
    return (int)sizeof(tact_real);
}

tact_status tact_worlds_say(tact_worlds *worlds, tact_status status, const char *format, ...) {
    TACT_ASSERT(worlds);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(worlds->message, sizeof worlds->message, format, arguments);
    va_end(arguments);
    return status;
}

// The first error that is kept; of none, that memory is out.
static const char *first_error(const tact_errors *errors) {
    for (int i = 0; i < errors->kept; i++)
        if (errors->items[i].kind != TACT_ERROR_WARNING) return errors->items[i].text;
    return "out of memory";
}

tact_status tact_worlds_say_errors(tact_worlds *worlds, const tact_errors *errors) {
    bool memory = errors->kind == TACT_ERROR_NO_MEMORY || errors->errors == 0;
    return tact_worlds_say(worlds, memory ? TACT_NO_MEMORY : TACT_BAD_INPUT, "%s", first_error(errors));
}

const char *tact_worlds_message(const tact_worlds *worlds) {
    return worlds->message;
}

static char *copy_string(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = tact_memory_get(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

const char *tact_worlds_warning(const tact_worlds *worlds, int index) {
    return index >= 0 && index < TACT_ERRORS_MAX ? worlds->warning[index] : NULL;
}

const char *tact_worlds_reason(const tact_worlds *worlds, int world) {
    TACT_ASSERT(0 <= world && world < worlds->count);
    return worlds->reason[world] ? worlds->reason[world] : "";
}

void tact_worlds_keep_reason(tact_worlds *worlds, int world, const tact_work *work) {
    TACT_ASSERT(0 <= world && world < worlds->count);
    tact_sentence reason = tact_step_explain(&tact_worlds_scene(worlds, world)->model, work);
    tact_memory_release(worlds->reason[world]);
    worlds->reason[world] = copy_string(reason.text);
    atomic_store(&worlds->reasons, true);
}

void tact_worlds_forget_reasons(tact_worlds *worlds) {
    TACT_ASSERT(worlds);
    // hardly ever is there one
    if (!atomic_load(&worlds->reasons)) return;
    for (int i = 0; i < worlds->count; i++) {
        tact_memory_release(worlds->reason[i]);
        worlds->reason[i] = NULL;
    }
    atomic_store(&worlds->reasons, false);
}

bool tact_worlds_goes_on(tact_worlds *worlds, int member) {
    TACT_ASSERT(worlds);
    if (atomic_load(&worlds->stopped)) return false;
    if (member != 0 || !worlds->go_on || worlds->go_on(worlds->watch_context)) return true;
    atomic_store(&worlds->stopped, true);
    return false;
}

static void ask_idly(void *context) {
    tact_worlds_goes_on(context, 0);
}

void tact_worlds_watch(tact_worlds *worlds, bool (*go_on)(void *context), void *context) {
    TACT_ASSERT(worlds);
    worlds->go_on = go_on;
    worlds->watch_context = context;
    tact_crew_idle(worlds->crew, go_on ? ask_idly : NULL, worlds);
}

tact_status tact_worlds_conclude(tact_worlds *worlds, tact_status status) {
    TACT_ASSERT(worlds);
    if (!atomic_exchange(&worlds->stopped, false)) return status;
    return tact_worlds_say(worlds, TACT_UNDECIDED, "stopped");
}

// The text with its settings, and the folder of its robots; false after errors.
static bool read_text(tact_worlds *worlds, const tact_worlds_options *options, tact_errors *errors) {
    // A text is taken as it is; a path is read, and its folder is where robots lie.
    tact_text plain = {0};
    tact_scene_settings settings = {.set = options->set, .nset = options->nset};
    const char *slash = strrchr(options->scene, '/'), *folder = options->folder ? options->folder : "";
    // a text begins with a brace, no path does
    bool given = options->scene[strspn(options->scene, " \t\r\n")] == '{', good = true;
    worlds->name = copy_string(given ? "scene" : options->scene);
    if (given) {
        tact_text_add(&worlds->folder, folder);
        if (folder[0] && folder[strlen(folder) - 1] != '/') tact_text_add(&worlds->folder, "/");
        tact_text_add(&plain, options->scene);
    } else {
        tact_text_add_bytes(&worlds->folder, options->scene, slash ? (size_t)(slash - options->scene) + 1 : 0);
        good = tact_text_read(&plain, options->scene, TACT_TEXT_LIMIT, errors);
    }
    if (options->law) worlds->law = copy_string(options->law);
    good = good && worlds->name && !plain.failed && !worlds->folder.failed && (!options->law || worlds->law);
    if (good) good = tact_scene_apply(tact_text_source(&plain, worlds->name), &settings, &worlds->text, errors);
    if (good && options->nset == 0) {
        worlds->text = plain;
        return true;
    }
    tact_text_free(&plain);
    return good && !worlds->text.failed;
}

static bool load(tact_worlds *worlds, const tact_worlds_options *options, tact_errors *errors) {
    if (!read_text(worlds, options, errors)) return false;
    // the settings once more, which leaves the text as it is, so that one that does nothing is reported
    tact_scene_settings settings = {.set = options->set, .nset = options->nset, .law = worlds->law, .finds = true};
    worlds->scene = tact_scene_parse(tact_text_source(&worlds->text, worlds->name), worlds->folder.bytes, &settings, errors);
    return worlds->scene != NULL;
}

typedef struct {
    tact_worlds *worlds;
} states_job;

static void place_states(void *context, tact_arena *arena) {
    tact_worlds *worlds = ((states_job *)context)->worlds;
    const tact_model *model = &worlds->scene->model;
    size_t count = (size_t)worlds->count, size = tact_state_size(model);
    worlds->state_size = (size + TACT_ALIGN - 1) / TACT_ALIGN * TACT_ALIGN;
    // States one behind the other, each with its own arrays; then the scene's command.
    worlds->state = tact_arena_take(arena, count, sizeof(tact_state));
    worlds->u = tact_arena_take(arena, count * (size_t)model->nu, sizeof(tact_real));
    unsigned char *memory = tact_arena_take(arena, count, worlds->state_size);
    if (!memory) return;
    for (size_t i = 0; i < count; i++) {
        tact_state_init(&worlds->state[i], model, memory + i * worlds->state_size, size);
        tact_scene_command(worlds->scene, &worlds->state[i], worlds->u + i * (size_t)model->nu);
    }
}

static bool allocate(tact_worlds *worlds) {
    // States, threads, and kinematics for poses that are asked for.
    states_job job = {worlds};
    worlds->states = tact_memory_place(place_states, &job);
    worlds->reason = tact_memory_get((size_t)worlds->count * sizeof(char *));
    for (int i = 0; worlds->reason && i < worlds->count; i++) worlds->reason[i] = NULL;
    worlds->crew = tact_crew_make();
    tact_arena arena = {0};
    tact_kinematics_place(&worlds->kinematics, &worlds->scene->model, &arena);
    worlds->kinematics_memory = tact_memory_get(arena.used);
    arena = (tact_arena){.memory = worlds->kinematics_memory, .size = arena.used};
    if (worlds->kinematics_memory) tact_kinematics_place(&worlds->kinematics, &worlds->scene->model, &arena);
    return worlds->states && worlds->reason && worlds->crew && worlds->kinematics_memory;
}

// Warnings of the scene, of a robot's description only the first and nothing that import tells, and where it overlaps; false: no
// memory.
static bool keep_warnings(tact_worlds *worlds, const tact_errors *errors) {
    int count = 0;
    bool described = false, good = true;
    for (int i = 0; good && i < errors->kept; i++) {
        const tact_error *error = &errors->items[i];
        if (error->kind != TACT_ERROR_WARNING || error->left || error->given || (error->noise && described)) continue;
        described = described || error->noise;
        worlds->warning[count] = copy_string(error->text);
        good = worlds->warning[count++] != NULL;
    }
    // the virtual law lets shapes overlap
    if (!good || count == TACT_ERRORS_MAX || worlds->scene->model.law->springs) return good;
    if (!tact_worlds_prepare(worlds, 1, 1, false)) return false;
    tact_sentence overlap =
        tact_overlap_explain(&worlds->scene->model, worlds->state->q, 64 * TACT_EPS, "start", &worlds->member->work);
    if (!overlap.text[0]) return true;
    tact_text text = {0};
    tact_text_print(&text, "%-s: warning: %-s", worlds->name, overlap.text);
    worlds->warning[count] = text.failed ? NULL : copy_string(text.bytes);
    tact_text_free(&text);
    return worlds->warning[count] != NULL;
}

// Why options are refused, in room for that; "": they are not.
static void check_options(const tact_worlds_options *options, char *reason, size_t size) {
    // In the order of the struct; the first that is wrong.
    if (!options || options->size < sizeof *options) {
        snprintf(reason, size, "tact_worlds_options: size is not set");
    } else if (!options->scene) {
        snprintf(reason, size, "scene: there is none");
    } else if (options->count < 0 || options->count > COUNT_MOST) {
        snprintf(reason, size, "count: %d (allowed 1 to 1e8)", options->count);
    } else if (options->threads < 0) {
        snprintf(reason, size, "threads: %d (allowed 0 or more)", options->threads);
    } else {
        int width[5], known = tact_lanes_widths(width), used = 0;
        bool found = options->lanes == 0;
        for (int i = 0; i < known; i++) found = found || options->lanes == width[i];
        if (!found) used = snprintf(reason, size, "lanes: %d (allowed 0", options->lanes);
        for (int i = 0; !found && i < known; i++) used += snprintf(reason + used, size - (size_t)used, ", %d", width[i]);
        if (!found) snprintf(reason + used, size - (size_t)used, ")");
    }
}

tact_worlds *tact_worlds_open_with(const tact_worlds_options *options, char *message, size_t size) {
    TACT_ASSERT(options);
    char reason[120] = "";
    // Everything is made before anything is checked, so that one place cleans up.
    check_options(options, reason, sizeof reason);
    tact_errors *errors = tact_memory_get(sizeof *errors);
    tact_worlds *worlds = tact_memory_get(sizeof *worlds);
    bool good = reason[0] == '\0' && errors && worlds;
    if (errors) memset(errors, 0, sizeof *errors);
    if (worlds) *worlds = (tact_worlds){.count = 0};
    if (good) {
        worlds->count = options->count > 0 ? options->count : 1;
        worlds->lanes = options->lanes;
        tact_worlds_set_threads(worlds, options->threads);
        good = load(worlds, options, errors) && allocate(worlds) && keep_warnings(worlds, errors);
    }
    if (!good && message && size > 0)
        snprintf(message, size, "%s", reason[0] ? reason : errors ? first_error(errors) : "out of memory");
    tact_memory_release(errors);
    if (good) return worlds;
    tact_worlds_close(worlds);
    return NULL;
}

tact_worlds *tact_worlds_open(const char *path_or_text, int count, int threads, char *message, size_t size) {
    tact_worlds_options options = {.size = sizeof options, .scene = path_or_text, .count = count, .threads = threads};
    return tact_worlds_open_with(&options, message, size);
}

void tact_worlds_close(tact_worlds *worlds) {
    if (!worlds) return;
    // Threads first: they may still use the rest.
    tact_crew_free(worlds->crew);
    tact_worlds_release_members(worlds);
    for (int i = 0; worlds->reason && i < worlds->count; i++) tact_memory_release(worlds->reason[i]);
    tact_memory_release(worlds->reason);
    for (int i = 0; i < TACT_ERRORS_MAX; i++) tact_memory_release(worlds->warning[i]);
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; worlds->names[kind] && i < tact_worlds_size(worlds, (tact_worlds_kind)kind); i++)
            tact_memory_release(worlds->names[kind][i]);
        tact_memory_release(worlds->names[kind]);
    }
    bool own = worlds->variant == NULL;
    tact_scene *scene = worlds->scene;
    tact_worlds_release_copies(worlds);
    for (int i = 0; i < worlds->ncolumn; i++) {
        tact_memory_release(worlds->column[i].path);
        tact_memory_release(worlds->column[i].value);
    }
    tact_memory_release(worlds->column);
    if (own && scene) tact_scene_free(scene);
    tact_text_free(&worlds->text);
    tact_text_free(&worlds->folder);
    tact_memory_release(worlds->states);
    tact_memory_release(worlds->pose);
    tact_memory_release(worlds->contact);
    tact_memory_release(worlds->touch);
    tact_memory_release(worlds->kinematics_memory);
    tact_memory_release(worlds->points);
    tact_memory_release(worlds->name);
    tact_memory_release(worlds->law);
    tact_memory_release(worlds);
}

int tact_worlds_count(const tact_worlds *worlds) {
    return worlds->count;
}

int tact_worlds_threads(const tact_worlds *worlds) {
    return worlds->threads;
}

void tact_worlds_set_threads(tact_worlds *worlds, int threads) {
    TACT_ASSERT(worlds);
    // 0: as many as there are processors.
    long processors = threads > 0 ? threads : sysconf(_SC_NPROCESSORS_ONLN);
    worlds->threads = processors < 1 ? 1 : processors > 256 ? 256 : (int)processors;
}

int tact_worlds_size(const tact_worlds *worlds, tact_worlds_kind kind) {
    TACT_ASSERT(worlds);
    const tact_model *model = &worlds->scene->model;
    switch (kind) {
    case TACT_WORLDS_COORDINATE: return model->nq;
    case TACT_WORLDS_DOF: return model->nv;
    case TACT_WORLDS_COMMAND: return model->nu;
    case TACT_WORLDS_BODY: return model->nbody;
    case TACT_WORLDS_SHAPE: return model->nshape;
    case TACT_WORLDS_PAIR: return tact_model_pairs(model);
    }
    return 0;
}

static tact_thing_name print_name(const tact_model *model, tact_worlds_kind kind, int i) {
    tact_thing_name name = {""};
    // A command is called as the dof that it drives.
    switch (kind) {
    case TACT_WORLDS_COORDINATE: return tact_coordinate_name(model, i);
    case TACT_WORLDS_DOF: return tact_dof_name(model, i);
    case TACT_WORLDS_COMMAND:
        for (int v = 0; v < model->nv; v++)
            if (model->dof[v].u == i) return tact_dof_name(model, v);
        break;
    case TACT_WORLDS_BODY: return tact_body_name(model, i);
    case TACT_WORLDS_SHAPE: return tact_shape_name(model, i);
    case TACT_WORLDS_PAIR: break;
    }
    return name;
}

// Name of item i of a kind, on the heap; NULL without memory.
static char *make_name(const tact_model *model, tact_worlds_kind kind, int i) {
    tact_text text = {0};
    // A pair is named by its two shapes.
    if (kind == TACT_WORLDS_PAIR && i >= model->npair) {
        tact_text_print(&text, "found %d", i - model->npair);
    } else if (kind == TACT_WORLDS_PAIR) {
        tact_text_print(&text, "%-s:%-s", tact_shape_name(model, model->pair[i].a).text,
                        tact_shape_name(model, model->pair[i].b).text);
        // capsules may touch at several places
        if (model->pair[i].vertex != 0) tact_text_print(&text, "@%d", model->pair[i].vertex);
    } else {
        tact_text_add(&text, print_name(model, kind, i).text);
    }
    char *name = text.failed || !text.bytes ? NULL : copy_string(text.bytes);
    tact_text_free(&text);
    return name;
}

const char *tact_worlds_name(tact_worlds *worlds, tact_worlds_kind kind, int index) {
    TACT_ASSERT(worlds);
    int count = tact_worlds_size(worlds, kind);
    // Names of a kind are made when they are first asked for.
    if (index < 0 || index >= count || (unsigned)kind >= KINDS) return NULL;
    if (!worlds->names[kind]) {
        worlds->names[kind] = tact_memory_get((size_t)count * sizeof(char *));
        if (!worlds->names[kind]) return NULL;
        for (int i = 0; i < count; i++) worlds->names[kind][i] = make_name(&worlds->scene->model, kind, i);
    }
    return worlds->names[kind][index];
}

int tact_worlds_nq(const tact_worlds *worlds) {
    return worlds->scene->model.nq;
}
int tact_worlds_nv(const tact_worlds *worlds) {
    return worlds->scene->model.nv;
}
int tact_worlds_nu(const tact_worlds *worlds) {
    return worlds->scene->model.nu;
}
int tact_worlds_npair(const tact_worlds *worlds) {
    return tact_model_pairs(&worlds->scene->model);
}
int tact_worlds_nx(const tact_worlds *worlds) {
    return tact_linear_order(&worlds->scene->model);
}

const char *tact_worlds_law(const tact_worlds *worlds) {
    return worlds->scene->model.law->name;
}
const char *tact_worlds_text(const tact_worlds *worlds) {
    return worlds->text.bytes;
}

void tact_worlds_limits(const tact_worlds *worlds, int dof, double *low, double *high) {
    TACT_ASSERT(0 <= dof && dof < worlds->scene->model.nv && low && high);
    const tact_dof *at = &worlds->scene->model.dof[dof];
    *low = at->lower > -TACT_MAX ? (double)at->lower : -(double)INFINITY;
    *high = at->upper < TACT_MAX ? (double)at->upper : (double)INFINITY;
}

bool tact_worlds_get_shape(tact_worlds *worlds, int index, tact_worlds_shape *to) {
    TACT_ASSERT(worlds && to);
    const tact_model *model = &worlds->scene->model;
    if (index < 0 || index >= model->nshape) return false;
    const tact_shape *shape = &model->shape[index];
    const tact_real *R = &shape->place.R.m[0][0];
    // Copied as doubles, whatever the library's number type.
    *to = (tact_worlds_shape){.body = shape->body, .type = (int)shape->type, .count = shape->count};
    for (int i = 0; i < 4; i++) to->size[i] = (double)shape->size[i];
    for (int i = 0; i < 9; i++) to->rotation[i] = (double)R[i];
    to->position[0] = (double)shape->place.p.x;
    to->position[1] = (double)shape->place.p.y;
    to->position[2] = (double)shape->place.p.z;
    tact_memory_release(worlds->points);
    worlds->points = NULL;
    if (shape->hull) to->count = shape->hull->nvertex;
    if (!shape->point && !shape->hull) return true;
    // Corners of a polygon (2 numbers each), or vertices of a hull (3).
    worlds->points = tact_memory_get((shape->hull ? 3 : 2) * (size_t)to->count * sizeof(double));
    if (!worlds->points) return false;
    for (int i = 0; i < to->count && shape->hull; i++) {
        worlds->points[3 * i] = (double)shape->hull->vertex[i].x;
        worlds->points[3 * i + 1] = (double)shape->hull->vertex[i].y;
        worlds->points[3 * i + 2] = (double)shape->hull->vertex[i].z;
    }
    for (int i = 0; i < to->count && !shape->hull; i++) {
        worlds->points[2 * i] = (double)shape->point[i].x;
        worlds->points[2 * i + 1] = (double)shape->point[i].y;
    }
    to->point = worlds->points;
    return true;
}

// How many numbers of a kind each world has.
int tact_worlds_width(const tact_worlds *worlds, tact_worlds_what what) {
    TACT_ASSERT(worlds);
    const tact_model *model = &worlds->scene->model;
    switch (what) {
    case TACT_WORLDS_Q: return model->nq;
    case TACT_WORLDS_V: return model->nv;
    case TACT_WORLDS_TIME: return 1;
    case TACT_WORLDS_U: return model->nu;
    case TACT_WORLDS_POSE: return POSE * model->nbody;
    case TACT_WORLDS_GAP: return tact_model_pairs(model);
    case TACT_WORLDS_TOUCH: return 2 * tact_model_pairs(model);
    case TACT_WORLDS_LAMBDA:
    case TACT_WORLDS_ANCHOR:
    case TACT_WORLDS_POINT:
    case TACT_WORLDS_NORMAL:
    case TACT_WORLDS_FORCE: return 3 * tact_model_pairs(model);
    }
    return 0;
}

// World poses of all bodies, computed anew at each call; NULL without memory.
static tact_real *find_poses(tact_worlds *worlds) {
    int nbody = worlds->scene->model.nbody;
    // Row-major rotation, then position, of each body of each world.
    size_t size = POSE * (size_t)nbody;
    if (!worlds->pose) worlds->pose = tact_memory_get((size_t)worlds->count * size * sizeof(tact_real));
    for (int i = 0; worlds->pose && i < worlds->count; i++) {
        tact_kinematics_update(&worlds->kinematics, &tact_worlds_scene(worlds, i)->model, worlds->state[i].q);
        for (int b = 0; b < nbody; b++) {
            const tact_pose *pose = &worlds->kinematics.pose[b];
            tact_real *to = worlds->pose + (size_t)i * size + (size_t)(POSE * b);
            memcpy(to, &pose->R, 9 * sizeof(tact_real));
            to[9] = pose->p.x;
            to[10] = pose->p.y;
            to[11] = pose->p.z;
        }
    }
    return worlds->pose;
}

// Contacts of a world that has made no step: gaps infinite, all else 0.
static void clear_contacts(tact_worlds *worlds, int world) {
    size_t npair = (size_t)tact_worlds_npair(worlds), size = CONTACT * npair;
    tact_real *gap = worlds->contact + (size_t)world * size;
    for (size_t i = 0; i < size; i++) gap[i] = i < npair ? (tact_real)INFINITY : 0;
}

static tact_real *find_contacts(tact_worlds *worlds) {
    size_t size = CONTACT * (size_t)tact_worlds_npair(worlds);
    if (worlds->contact) return worlds->contact;
    worlds->contact = tact_memory_get((size_t)worlds->count * size * sizeof(tact_real));
    for (int i = 0; worlds->contact && i < worlds->count; i++) clear_contacts(worlds, i);
    return worlds->contact;
}

// The shapes of the pairs: of those listed always the same, of those found -1 before a step.
static void clear_touch(tact_worlds *worlds, int world) {
    const tact_model *model = &worlds->scene->model;
    int npair = tact_model_pairs(model);
    tact_real *touch = worlds->touch + (size_t)world * 2 * (size_t)npair;
    for (int i = 0; i < npair; i++) {
        touch[2 * i] = i < model->npair ? (tact_real)model->pair[i].a : -1;
        touch[2 * i + 1] = i < model->npair ? (tact_real)model->pair[i].b : -1;
    }
}

static tact_real *find_touch(tact_worlds *worlds) {
    size_t size = 2 * (size_t)tact_worlds_npair(worlds);
    // contacts are taken down from now on, and their shapes with them
    if (worlds->touch || !find_contacts(worlds)) return worlds->touch;
    worlds->touch = tact_memory_get((size_t)worlds->count * size * sizeof(tact_real));
    for (int i = 0; worlds->touch && i < worlds->count; i++) clear_touch(worlds, i);
    return worlds->touch;
}

void tact_worlds_record_touch(tact_worlds *worlds, int world, const tact_work *work) {
    const tact_model *model = tact_step_model(&tact_worlds_scene(worlds, world)->model, work);
    TACT_ASSERT(0 <= world && world < worlds->count);
    if (!worlds->touch) return;
    clear_touch(worlds, world);
    tact_real *touch = worlds->touch + (size_t)world * 2 * (size_t)tact_worlds_npair(worlds);
    for (int i = worlds->scene->model.npair; i < model->npair; i++) {
        touch[2 * i] = (tact_real)model->pair[i].a;
        touch[2 * i + 1] = (tact_real)model->pair[i].b;
    }
}

tact_real *tact_worlds_view(tact_worlds *worlds, tact_worlds_what what, ptrdiff_t *stride) {
    TACT_ASSERT(worlds);
    const tact_model *model = &worlds->scene->model;
    size_t npair = (size_t)tact_model_pairs(model);
    tact_real *contact = NULL;
    *stride = (ptrdiff_t)worlds->state_size;
    // What the states hold is seen where it lies, a state apart; poses and contacts are gathered.
    switch (what) {
    case TACT_WORLDS_Q: return worlds->state->q;
    case TACT_WORLDS_V: return worlds->state->v;
    case TACT_WORLDS_LAMBDA: return worlds->state->lambda;
    case TACT_WORLDS_ANCHOR: return (tact_real *)worlds->state->anchor;
    case TACT_WORLDS_TIME: *stride = sizeof(tact_state); return &worlds->state->time;
    case TACT_WORLDS_U: *stride = model->nu * (ptrdiff_t)sizeof(tact_real); return worlds->u;
    case TACT_WORLDS_POSE: *stride = POSE * model->nbody * (ptrdiff_t)sizeof(tact_real); return find_poses(worlds);
    case TACT_WORLDS_GAP:
    case TACT_WORLDS_POINT:
    case TACT_WORLDS_NORMAL:
    case TACT_WORLDS_FORCE: break;
    case TACT_WORLDS_TOUCH: *stride = 2 * (ptrdiff_t)npair * (ptrdiff_t)sizeof(tact_real); return find_touch(worlds);
    }
    *stride = CONTACT * (ptrdiff_t)npair * (ptrdiff_t)sizeof(tact_real);
    contact = find_contacts(worlds);
    if (!contact) return NULL;
    return contact + npair * (what == TACT_WORLDS_GAP ? 0 : what == TACT_WORLDS_POINT ? 1 : what == TACT_WORLDS_NORMAL ? 4 : 7);
}

void tact_worlds_reset(tact_worlds *worlds, int first, int count) {
    int nu = worlds->scene->model.nu;
    TACT_ASSERT(first >= 0 && count >= 0 && first <= worlds->count - count);
    for (int i = first; i < first + count; i++) {
        const tact_scene *scene = tact_worlds_scene(worlds, i);
        tact_state_reset(&worlds->state[i], &scene->model);
        tact_scene_command(scene, &worlds->state[i], worlds->u + (size_t)i * (size_t)nu);
        if (worlds->contact) clear_contacts(worlds, i);
        if (worlds->touch) clear_touch(worlds, i);
    }
}
