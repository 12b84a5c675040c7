// SPDX-License-Identifier: MIT
// Stepping: a portion of the worlds takes all of its steps by one thread, those that have an answer together.
#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"
#include "tact/trace.h"
#include "worlds/worlds.h"

enum { PORTION = 128, CONTACT = 10 };

// One task of the threads.
typedef struct {
    tact_worlds *worlds;
    int steps;
    const tact_real *wrench;     // (count, nbody, 6); NULL: the scene's
    const tact_real *u;          // NULL: the scene's
    const tact_worlds_run *run;  // of a rollout; NULL: the worlds themselves are stepped
    const tact_worlds_path *path;
    int *status;             // (count), or NULL
    tact_status least[256];  // by member
} step_job;

size_t tact_worlds_work_size(const tact_worlds *worlds) {
    TACT_ASSERT(worlds);
    size_t most = tact_work_size(&worlds->scene->model);
    for (int i = 0; worlds->loaded && i < worlds->count; i++) {
        size_t size = tact_work_size(&worlds->loaded[i]->model);
        if (size > most) most = size;
    }
    return most;
}

void tact_worlds_release_members(tact_worlds *worlds) {
    TACT_ASSERT(worlds);
    for (int i = 0; i < worlds->nmember; i++) tact_memory_release(worlds->member[i].memory);
    tact_memory_release(worlds->member);
    worlds->member = NULL;
    worlds->nmember = 0;
}

bool tact_worlds_prepare(tact_worlds *worlds, int members, int portion, bool rests) {
    TACT_ASSERT(worlds);
    // Kept from call to call, unless more is asked for.
    if (members <= worlds->nmember && portion <= worlds->portion && (worlds->rests || !rests)) return true;
    rests = rests || worlds->rests;
    if (portion < worlds->portion) portion = worlds->portion;
    if (members < worlds->nmember) members = worlds->nmember;
    tact_worlds_release_members(worlds);
    worlds->member = tact_memory_get((size_t)members * sizeof *worlds->member);
    if (!worlds->member) return false;
    const tact_model *model = &tact_worlds_scene(worlds, 0)->model;
    tact_group_plan plan = {NULL,          model, tact_worlds_work_size(worlds),   portion,
                            worlds->lanes, rests, !worlds->copy && !worlds->loaded};
    memset(worlds->member, 0, (size_t)members * sizeof *worlds->member);
    for (int i = 0; i < members; i++) {
        plan.group = &worlds->member[i];
        plan.group->memory = tact_memory_place(tact_group_place, &plan);
        worlds->nmember = i + 1;
        if (!plan.group->memory) return false;
    }
    worlds->portion = portion;
    worlds->rests = rests;
    return true;
}

// Worlds of a portion: one where each has scratch of its own; else so many that all threads have some, in whole registers, and at
// most what lanes take at a time.
static int find_portion(const tact_worlds *worlds) {
    // Worlds that were loaded one by one have scratch of their own.
    if (worlds->loaded) return 1;
    int share = (worlds->count + worlds->threads - 1) / worlds->threads;
    int most = PORTION * tact_work_size(&worlds->scene->model) <= (size_t)1 << 23 ? PORTION : PORTION / 4;
    if (share > 1) share = (share + 15) / 16 * 16;
    return share < most ? share : most;
}

// The contacts of a step as they are shown.
static void record_contacts(tact_worlds *worlds, int world, const tact_work *work) {
    TACT_ASSERT(0 <= world && world < worlds->count);
    int npair = tact_model_pairs(&worlds->scene->model);
    tact_real *gap = worlds->contact + (size_t)world * CONTACT * (size_t)npair;
    // Pairs without a contact: gap infinite, all else 0.
    for (int i = 0; i < npair; i++) gap[i] = (tact_real)INFINITY;
    for (int i = npair; i < CONTACT * npair; i++) gap[i] = 0;
    const tact_contacts *contacts = &work->contacts;
    for (int c = 0; c < contacts->count; c++) {
        const tact_contact *contact = &contacts->contact[c];
        tact_real *point = gap + npair + 3 * contact->pair, *normal = point + 3 * npair, *force = normal + 3 * npair;
        gap[contact->pair] = contact->gap;
        memcpy(point, &contact->point, sizeof contact->point);
        memcpy(normal, contact->frame.m[0], 3 * sizeof(tact_real));
        memcpy(force, &contact->force, sizeof contact->force);
    }
    if (worlds->scene->model.search) tact_worlds_record_touch(worlds, world, work);
}

void tact_worlds_begin(const tact_worlds *worlds, const tact_worlds_run *run, int i, tact_state *state) {
    TACT_ASSERT(worlds && run && state);
    const tact_model *model = &tact_worlds_scene(worlds, i)->model;
    tact_state_copy(state, &worlds->state[i], model);
    for (int k = 0; k < 3 * tact_model_pairs(model); k++) state->lambda[k] = 0;
    for (int k = 0; run->q && k < model->nq; k++) state->q[k] = run->q[(size_t)i * (size_t)model->nq + (size_t)k];
    for (int k = 0; run->v && k < model->nv; k++) state->v[k] = run->v[(size_t)i * (size_t)model->nv + (size_t)k];
    // Quaternions that are given are made unit.
    for (int b = 0; b < model->nbody; b++) {
        tact_real *Q = state->q + model->body[b].q + 3;
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        tact_real length = tact_sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        for (int k = 0; k < 4 && length > 0; k++) Q[k] /= length;
    }
}

// Bad input where a quaternion of q, by which a run begins, is zero.
tact_status tact_worlds_check_start(tact_worlds *worlds, const tact_worlds_run *run) {
    TACT_ASSERT(worlds && run);
    const tact_model *model = &worlds->scene->model;
    if (run->size < sizeof *run) return tact_worlds_say(worlds, TACT_BAD_INPUT, "tact_worlds_run: size is not set");
    if (run->steps < 0) return tact_worlds_say(worlds, TACT_BAD_INPUT, "steps: %d (allowed 0 or more)", run->steps);
    if (!run->u && run->steps > 0 && model->nu > 0) return tact_worlds_say(worlds, TACT_BAD_INPUT, "u: a rollout needs commands");
    for (int i = 0; run->q && i < worlds->count; i++) {
        for (int b = 0; b < model->nbody; b++) {
            const tact_real *Q = run->q + (size_t)i * (size_t)model->nq + model->body[b].q + 3;
            if (model->body[b].joint == TACT_JOINT_FREE && Q[0] == 0 && Q[1] == 0 && Q[2] == 0 && Q[3] == 0)
                return tact_worlds_say(worlds, TACT_BAD_INPUT, "q: the quaternion of body %s of world %d is 0",
                                       tact_quote(tact_body_name(model, b).text).text, i);
        }
    }
    return TACT_CONVERGED;
}

// Row of a rollout: the state after so many steps, and the forces of the last of them.
static void record_row(const step_job *job, int world, int row, const tact_state *state, bool stands) {
    TACT_ASSERT(0 <= row && row <= job->steps);
    const tact_model *model = &job->worlds->scene->model;
    const tact_worlds_path *path = job->path;
    size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nl = 3 * (size_t)tact_model_pairs(model), real = sizeof(tact_real);
    // Row of the path; forces belong to the step before it.
    size_t at = (size_t)world * (size_t)(job->steps + 1) + (size_t)row, before = at - (size_t)world - 1;
    if (path->q && nq > 0) memcpy(path->q + at * nq, state->q, nq * real);
    if (path->v && nv > 0) memcpy(path->v + at * nv, state->v, nv * real);
    if (!path->force || row == 0 || nl == 0) return;
    if (stands)
        memset(path->force + before * nl, 0, nl * real);
    else
        memcpy(path->force + before * nl, state->lambda, nl * real);
}

// What a member of the threads does for the worlds of a portion.
typedef struct {
    step_job *job;
    tact_group *group;
    int number, first;  // of the member; the portion's first world
} portion_job;

// Commands and forces of the world at place i of those under way. False: the call is stopped, which is asked after a step.
static bool begin_step(void *context, int i, long long step) {
    const portion_job *portion = context;
    const step_job *job = portion->job;
    tact_worlds *worlds = job->worlds;
    tact_group *group = portion->group;
    if (i == 0 && step > 0 && !tact_worlds_goes_on(worlds, portion->number)) return false;
    size_t world = (size_t)portion->first + (size_t)group->slot[i], nu = (size_t)worlds->scene->model.nu;
    const tact_real *u = worlds->u + world * nu;
    // Commands: of the rollout, of the scene by time, or given once for all steps.
    if (job->run)
        u = job->run->u + (world * (size_t)job->steps + (size_t)step) * nu;
    else if (!job->u)
        tact_scene_command(group->scene[i], &group->state[i], worlds->u + world * nu);
    else if (step == 0 && nu > 0)
        memcpy(worlds->u + world * nu, job->u + world * nu, nu * sizeof(tact_real));
    group->input[i] = (tact_input){.u = u};
    if (job->wrench)
        group->input[i].wrench = (const tact_wrench *)(job->wrench + world * 6 * (size_t)worlds->scene->model.nbody);
    else
        tact_group_set_wrench(group, i);
    return true;
}

// Takes down the contacts of a step, for those who look at them, or why it had no answer, and the row of a rollout.
static void end_step(void *context, int i, long long step, tact_work *work) {
    const portion_job *portion = context;
    step_job *job = portion->job;
    int world = portion->first + portion->group->slot[i];
    tact_status status = portion->group->status[i], *least = &job->least[portion->number];
    if (status < *least) *least = status;
    if (status < 0) tact_worlds_keep_reason(job->worlds, world, work);
    if (status >= 0 && job->worlds->contact && !job->run) record_contacts(job->worlds, world, work);
    // a world stays where a step had no answer
    int last = status < 0 ? job->steps : (int)step + 1;
    for (int row = (int)step + 1; job->path && row <= last; row++)
        record_row(job, world, row, &portion->group->state[i], status < 0);
}

// A world has ended.
static void leave(void *context, int i, long long made) {
    const portion_job *portion = context;
    const step_job *job = portion->job;
    tact_group *group = portion->group;
    int world = portion->first + group->slot[i];
    (void)made;
    if (job->status) job->status[world] = group->unconverged[group->slot[i]];
    if (!job->run) job->worlds->state[world] = group->state[i];
}

// Steps the worlds of one portion through all steps; a world without an answer leaves, the others go on.
static void step_portion(void *context, int piece, int number) {
    step_job *job = context;
    tact_worlds *worlds = job->worlds;
    tact_group *group = &worlds->member[number];
    portion_job portion = {job, group, number, piece * worlds->portion};
    tact_group_run run = {&portion, job->steps, job->steps, begin_step, end_step, leave};
    int rest = worlds->count - portion.first, count = rest < worlds->portion ? rest : worlds->portion;
    if (worlds->loaded) {
        const tact_model *model = &worlds->loaded[portion.first]->model;
        tact_work_init(&group->work, model, group->work_memory, tact_work_size(model));
    }
    // Gather the worlds of this portion.
    for (int i = 0; i < count; i++) {
        int world = portion.first + i;
        tact_state *state = job->run ? &group->rest[i] : &worlds->state[world];
        if (job->run) tact_worlds_begin(worlds, job->run, world, state);
        if (job->run) record_row(job, world, 0, state, true);
        tact_group_join(group, tact_worlds_scene(worlds, world), state);
    }
    tact_group_run_steps(group, &run);
}

static tact_status run_job(step_job *job, bool rests) {
    // As many portions as threads can share; scratch is kept from call to call.
    tact_worlds *worlds = job->worlds;
    int portion = find_portion(worlds), pieces = (worlds->count + portion - 1) / portion;
    int threads = worlds->threads < pieces ? worlds->threads : pieces;
    worlds->message[0] = '\0';
    if (worlds->nmember > 0 && worlds->portion > portion) tact_worlds_release_members(worlds);
    if (worlds->nmember == 0) worlds->portion = 0;
    if (!tact_worlds_prepare(worlds, threads, portion, rests)) {
        tact_worlds_release_members(worlds);
        return tact_worlds_say(worlds, TACT_NO_MEMORY, "out of memory");
    }
    for (int i = 0; i < threads; i++) job->least[i] = TACT_CONVERGED;
    tact_worlds_forget_reasons(worlds);
    tact_crew_run(worlds->crew, threads, pieces, step_portion, job);
    tact_status least = TACT_CONVERGED;
    for (int i = 0; i < threads; i++)
        if (job->least[i] < least) least = job->least[i];
    return tact_worlds_conclude(worlds, least);
}

tact_status tact_worlds_step(tact_worlds *worlds, const tact_real *u, const tact_real *wrench, int steps, int *status) {
    TACT_ASSERT(worlds);
    if (worlds->count == 1 && steps == 1 && worlds->nmember > 0) {
        // A single world, one step: the way without any gathering.
        tact_group *group = worlds->member;
        const tact_scene *scene = tact_worlds_scene(worlds, 0);
        int nu = scene->model.nu;
        tact_input input = {.u = worlds->u, .wrench = (const tact_wrench *)wrench};
        tact_worlds_forget_reasons(worlds);
        if (!u)
            tact_scene_command(scene, worlds->state, worlds->u);
        else
            for (int k = 0; k < nu; k++) worlds->u[k] = u[k];
        // without wrenches from the caller the scene's own pushes act
        if (!wrench && scene->nforce > 0 && tact_scene_wrench(scene, worlds->state, group->wrench)) input.wrench = group->wrench;
        tact_status single = tact_step(&scene->model, &scene->options, &input, worlds->state, &group->work);
        if (single < 0) tact_worlds_keep_reason(worlds, 0, &group->work);
        if (worlds->contact && single >= 0) record_contacts(worlds, 0, &group->work);
        if (status) *status = single;
        return single;
    }
    step_job job = {.worlds = worlds, .steps = steps, .wrench = wrench, .u = u, .status = status};
    if (steps < 0) return tact_worlds_say(worlds, TACT_BAD_INPUT, "steps: %d (allowed 0 or more)", steps);
    for (int i = 0; status && i < worlds->count; i++) status[i] = TACT_CONVERGED;
    return run_job(&job, false);
}

tact_status tact_worlds_rollout(tact_worlds *worlds, const tact_worlds_run *run, const tact_worlds_path *path) {
    TACT_ASSERT(worlds && run && path);
    step_job job = {.worlds = worlds, .steps = run->steps, .run = run, .path = path, .status = path->status};
    if (tact_worlds_check_start(worlds, run) < 0) return TACT_BAD_INPUT;
    for (int i = 0; path->status && i < worlds->count; i++) path->status[i] = TACT_CONVERGED;
    return run_job(&job, true);
}
