// SPDX-License-Identifier: MIT
#include "page.h"

#include <stdlib.h>
#include <string.h>

#include "math/elementary.h"
#include "tact/scene.h"
#include "tact/trace.h"
#include "tact/view.h"

enum { SETTINGS = 64, CONTACT = 14 };

struct tact_page {
    tact_scene *scene;
    tact_state state, more, less;
    tact_work work;
    tact_real *u, *mu;
    tact_wrench *wrench;
    double *vector, *contact, slope[3];
    tact_real *way, *before, *jacobian;  // (nu) of the commands; (6, nv)
    void *memory;
    int manual, drag;       // body that is dragged, -1: none
    bool stepped;           // the work belongs to the state
    tact_vec3 target, com;  // of the drag; centre of mass one step before
    tact_real stiffness;
    int room;  // of contacts
};

static tact_text answer;

void *tact_page_memory(size_t size) {
    return malloc(size ? size : 1);
}

void tact_page_release(void *memory) {
    free(memory);
}

const char *tact_page_text(void) {
    return answer.bytes ? answer.bytes : "";
}

// What was left out of robot descriptions is long, and only counted.
void tact_page_tell(const tact_errors *errors) {
    int noise = 0;
    tact_text_clear(&answer);
    for (int i = 0; i < errors->kept; i++) {
        const tact_error *item = &errors->items[i];
        bool long_list = item->kind == TACT_ERROR_WARNING && (item->noise || item->left);
        noise += long_list ? 1 + item->more : 0;
        if (long_list) continue;
        tact_text_print(&answer, "%-s\n", item->text);
    }
    if (noise == 0 || errors->errors > 0) return;
    tact_text_add(&answer, "parts of the robot's description are left out: tact check SCENE names them\n");
}

void tact_page_say(const char *text) {
    tact_text_clear(&answer);
    tact_text_add(&answer, text);
}

// Lays out the page's arrays in memory, or measures them where that is NULL. Returns the size.
static size_t place(tact_page *page, void *memory) {
    const tact_model *model = &page->scene->model;
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    size_t size = tact_state_size(model), work = tact_work_size(model);
    void *state[3], *work_memory;
    for (int i = 0; i < 3; i++) state[i] = tact_arena_take(&arena, size, 1);
    work_memory = tact_arena_take(&arena, work, 1);
    page->u = tact_arena_take(&arena, (size_t)model->nu, sizeof(tact_real));
    page->mu = tact_arena_take(&arena, (size_t)model->npair, sizeof(tact_real));
    page->wrench = tact_arena_take(&arena, (size_t)model->nbody, sizeof(tact_wrench));
    page->vector = tact_arena_take(&arena, (size_t)(model->nq + model->nu + 1), sizeof(double));
    page->way = tact_arena_take(&arena, (size_t)model->nu, sizeof(tact_real));
    page->before = tact_arena_take(&arena, (size_t)model->nu, sizeof(tact_real));
    page->jacobian = tact_arena_take(&arena, 6 * (size_t)model->nv, sizeof(tact_real));
    if (!memory) return arena.used;
    tact_state_init(&page->state, model, state[0], size);
    tact_state_init(&page->more, model, state[1], size);
    tact_state_init(&page->less, model, state[2], size);
    tact_work_init(&page->work, model, work_memory, work);
    return arena.used;
}

static bool prepare(tact_page *page) {
    const tact_model *model = &page->scene->model;
    page->memory = malloc(place(page, NULL) + 1);
    if (!page->memory) return false;
    place(page, page->memory);
    page->drag = -1;
    tact_scene_command(page->scene, &page->state, page->u);
    for (int i = 0; i < model->npair; i++) page->mu[i] = model->pair[i].mu;
    return true;
}

// Splits lines in place.
static int split(char *text, const char **line) {
    int count = 0;
    for (char *at = text; at && *at && count < SETTINGS;) {
        char *end = strchr(at, '\n');
        line[count++] = at;
        if (end) *end = '\0';
        at = end ? end + 1 : NULL;
    }
    return count;
}

// The scene with its settings, one PATH=VALUE a line; NULL after messages. An empty law is the scene's own.
tact_scene *tact_page_read(const char *path, const char *law, const char *settings) {
    const char *line[SETTINGS];
    static tact_errors errors;
    memset(&errors, 0, sizeof errors);
    tact_scene *scene = NULL;
    char *copy = malloc(strlen(settings) + 1);
    if (copy) {
        strcpy(copy, settings);
        tact_scene_settings given = {.set = line, .nset = split(copy, line), .law = law[0] ? law : NULL};
        scene = tact_scene_read(path, &given, &errors);
    }
    free(copy);
    tact_page_tell(&errors);
    if (!scene && errors.errors == 0) tact_page_say("out of memory");
    return scene;
}

// The scene with a state and a work; an overlap at the start is reported. NULL after messages.
tact_page *tact_page_open(const char *path, const char *law, const char *settings) {
    tact_page *page = calloc(1, sizeof *page);
    if (!page) {
        tact_page_say("out of memory");
        return NULL;
    }
    page->scene = tact_page_read(path, law, settings);
    if (page->scene && prepare(page)) {
        const tact_model *model = &page->scene->model;
        tact_sentence overlap = tact_overlap_explain(model, page->state.q, 64 * TACT_EPS, "start", &page->work);
        tact_text_add(&answer, overlap.text);
        return page;
    }
    if (page->scene) tact_page_say("out of memory");
    tact_page_close(page);
    return NULL;
}

void tact_page_close(tact_page *page) {
    if (!page) return;
    if (page->scene) tact_scene_free(page->scene);
    free(page->contact);
    free(page->memory);
    free(page);
}

// The centre of mass where the kinematics of the work are.
static tact_vec3 find_com(const tact_page *page, int body) {
    return tact_pose_apply(page->work.kinematics.pose[body], page->scene->model.body[body].com);
}

// The spring of the drag: as stiff as the law's own inertia of a step allows, damped where there is momentum, and holding the
// weight.
static void add_drag(tact_page *page) {
    const tact_model *model = &page->scene->model;
    const tact_options *options = &page->scene->options;
    if (page->drag < 0) return;
    tact_real mass = model->body[page->drag].mass > 0 ? model->body[page->drag].mass : 1;
    tact_kinematics_update(&page->work.kinematics, model, page->state.q);
    tact_vec3 com = find_com(page, page->drag), *force = &page->wrench[page->drag].force;
    bool still = !model->law->velocities;
    tact_real inertia = (still ? options->epsilon : TACT_REAL(0.1)) * mass / (options->dt * options->dt);
    page->stiffness = tact_max(TACT_REAL(0.4) * inertia, 100 * mass);
    tact_vec3 pull = tact_vec3_scale(page->stiffness, tact_vec3_sub(page->target, com));
    tact_real size2 = tact_vec3_dot(pull, pull), most = 60 * mass * TACT_REAL(9.81);
    if (size2 > most * most) pull = tact_vec3_scale(most / tact_sqrt(size2), pull);
    if (!still) {
        tact_vec3 speed = tact_vec3_scale(1 / options->dt, tact_vec3_sub(com, page->com));
        pull = tact_vec3_add_scaled(pull, -tact_sqrt(page->stiffness * mass), speed);
    }
    page->com = com;
    *force = tact_vec3_add_scaled(tact_vec3_add(*force, pull), -mass, options->gravity);
}

static void find_input(tact_page *page, const tact_state *state) {
    if (!page->manual) tact_scene_command(page->scene, state, page->u);
    tact_scene_wrench(page->scene, state, page->wrench);
}

int tact_page_meshes(const char *path) {
    tact_errors errors = {0};
    tact_mesh_notes notes;
    tact_text_clear(&answer);
    bool good = tact_view_meshes(&answer, &notes, path, NULL, &errors) && !answer.failed;
    if (!good) tact_page_tell(&errors);
    return good;
}

int tact_page_step(tact_page *page) {
    find_input(page, &page->state);
    bool pushed = page->scene->nforce > 0 || page->drag >= 0;
    add_drag(page);
    tact_input input = {.u = page->u, .wrench = pushed ? page->wrench : NULL};
    tact_status status = tact_step(&page->scene->model, &page->scene->options, &input, &page->state, &page->work);
    page->stepped = status != TACT_BAD_INPUT;
    return status;
}

void tact_page_reset(tact_page *page) {
    tact_state_reset(&page->state, &page->scene->model);
    page->stepped = false;
    page->manual = 0;
    tact_scene_command(page->scene, &page->state, page->u);
}

void tact_page_copy(tact_page *to, const tact_page *from) {
    tact_state_copy(&to->state, &from->state, &to->scene->model);
    to->stepped = false;
    to->manual = from->manual;
    for (int i = 0; i < to->scene->model.nu; i++) to->u[i] = from->u[i];
}

void tact_page_line(tact_page *page, int number) {
    tact_text_clear(&answer);
    if (number < 0)
        tact_trace_add_header(page->scene, &answer);
    else
        tact_trace_add_step(page->scene, number, &page->state, page->stepped ? &page->work : NULL, page->u, &answer);
}

// The page's own memory of a vector, to be read and written; of limits and initial values of the commands a copy.
double *tact_page_vector(tact_page *page, int which) {
    const tact_model *model = &page->scene->model;
    tact_state *state = &page->state;
    double *const whole[] = {[TACT_PAGE_Q] = state->q,
                             [TACT_PAGE_V] = state->v,
                             [TACT_PAGE_U] = page->u,
                             [TACT_PAGE_WAY] = page->way,
                             [TACT_PAGE_LAMBDA] = state->lambda,
                             [TACT_PAGE_ANCHOR] = (double *)state->anchor,
                             [TACT_PAGE_NORMAL] = (double *)state->normal,
                             [TACT_PAGE_Q_PAST] = state->q_past,
                             [TACT_PAGE_V_PAST] = state->v_past};
    if (which <= TACT_PAGE_V_PAST) return whole[which];
    for (int v = 0; v < model->nv; v++) {
        const tact_dof *dof = &model->dof[v];
        if (dof->u < 0) continue;
        page->vector[dof->u] = which == TACT_PAGE_LOWER ? dof->lower : which == TACT_PAGE_UPPER ? dof->upper : dof->q;
    }
    return page->vector;
}

int tact_page_past(const tact_page *page) {
    return page->state.past;
}

void tact_page_restored(tact_page *page, double time, int past) {
    page->state.time = time;
    page->state.past = past != 0;
    page->drag = -1;
    page->stepped = false;
}

double tact_page_time(const tact_page *page) {
    return page->state.time;
}

int tact_page_iterations(const tact_page *page) {
    return page->stepped ? page->work.iterations : 0;
}

int tact_page_contacts(tact_page *page) {
    return page->stepped ? page->work.contacts.count : 0;
}

static double *put(double *to, tact_vec3 x) {
    *to++ = x.x;
    *to++ = x.y;
    *to++ = x.z;
    return to;
}

// All contacts, each as its pair, gap, point, normal, force and the three numbers of lambda. NULL without memory.
double *tact_page_contact(tact_page *page) {
    int count = tact_page_contacts(page);
    if (count > page->room || !page->contact) {
        free(page->contact);
        page->room = count + 16;
        page->contact = malloc((size_t)page->room * CONTACT * sizeof(double));
        if (!page->contact) return NULL;
    }
    double *to = page->contact;
    for (int i = 0; i < count; i++) {
        const tact_contact *from = &page->work.contacts.contact[i];
        *to++ = from->pair;
        *to++ = from->gap;
        to = put(to, from->point);
        to = put(to, tact_vec3_make(from->frame.m[0][0], from->frame.m[0][1], from->frame.m[0][2]));
        to = put(to, from->force);
        for (int k = 0; k < 3; k++) *to++ = from->lambda[k];
    }
    return page->contact;
}

void tact_page_take(tact_page *page, int manual) {
    page->manual = manual;
}

double tact_page_drag(tact_page *page, int body, double x, double y, double z) {
    if (page->drag != body && body >= 0) {
        tact_kinematics_update(&page->work.kinematics, &page->scene->model, page->state.q);
        page->com = find_com(page, body);
    }
    page->drag = body;
    page->target = tact_vec3_make(x, y, z);
    return page->stiffness;
}

void tact_page_friction(tact_page *page, double factor) {
    const tact_model *model = &page->scene->model;
    // the scene's memory is this page's own
    tact_pair *pair = (tact_pair *)(uintptr_t)model->pair;
    for (int i = 0; i < model->npair; i++) pair[i].mu = tact_min(10, factor * page->mu[i]);
}

// Where the centre of mass is after a step with the command changed along the way.
static tact_vec3 try_command(tact_page *page, int body, tact_real far, tact_state *state) {
    const tact_model *model = &page->scene->model;
    tact_state_copy(state, &page->state, model);
    find_input(page, state);
    for (int u = 0; u < model->nu; u++) {
        page->before[u] = page->u[u];
        page->u[u] += far * page->way[u];
    }
    tact_input input = {.u = page->u, .wrench = page->scene->nforce > 0 ? page->wrench : NULL};
    tact_step(model, &page->scene->options, &input, state, &page->work);
    for (int u = 0; u < model->nu; u++) page->u[u] = page->before[u];
    tact_kinematics_update(&page->work.kinematics, model, state->q);
    return find_com(page, body);
}

double *tact_page_slope(tact_page *page, int body) {
    const tact_real far = TACT_REAL(1e-5);
    tact_vec3 more = try_command(page, body, far, &page->more), less = try_command(page, body, -far, &page->less);
    page->stepped = false;
    put(page->slope, tact_vec3_scale(1 / (2 * far), tact_vec3_sub(more, less)));
    return page->slope;
}

static bool is_below(const tact_model *model, int body, int top) {
    while (body >= 0 && body != top) body = model->body[body].parent;
    return body == top;
}

// Leaves in page->way the unit command that moves the centre of the finger's tip towards the body's centre of mass: the product
// of that direction with the column of the tip's Jacobian, for each driven joint from the tip up to top. Returns the square of
// its length before it is scaled; 0 where no joint moves the tip that way.
double tact_page_close_finger(tact_page *page, int tip, int top, int body) {
    const tact_model *model = &page->scene->model;
    const tact_shape *ball = &model->shape[tip];
    tact_kinematics_update(&page->work.kinematics, model, page->state.q);
    const tact_pose *pose = &page->work.kinematics.pose[ball->body];
    tact_vec3 arm = tact_mat3_apply(pose->R, ball->place.p);
    tact_vec3 toward = tact_vec3_sub(find_com(page, body), tact_vec3_add(pose->p, arm));
    tact_real sum = 0, *J = page->jacobian;
    tact_body_jacobian(model, &page->work.kinematics, ball->body, J);
    for (int u = 0; u < model->nu; u++) page->way[u] = 0;
    for (int v = 0; v < model->nv; v++) {
        int u = model->dof[v].u, nv = model->nv;
        if (u < 0 || !is_below(model, model->dof[v].body, top)) continue;
        tact_vec3 turn = {J[v], J[nv + v], J[2 * nv + v]}, shift = {J[3 * nv + v], J[4 * nv + v], J[5 * nv + v]};
        page->way[u] = tact_vec3_dot(toward, tact_vec3_add(shift, tact_vec3_cross(turn, arm)));
        sum += page->way[u] * page->way[u];
    }
    for (int u = 0; u < model->nu && sum > 0; u++) page->way[u] /= tact_sqrt(sum);
    return sum;
}
