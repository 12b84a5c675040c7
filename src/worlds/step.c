// SPDX-License-Identifier: MIT
// Stepping: a portion of the worlds takes all of its steps by one thread, those that have an answer together.
#include <math.h>
#include <string.h>

#include "math/elementary.h"
#include "tact/memory.h"
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

typedef struct {
    tact_worlds *worlds;
    tact_worlds_member *member;
    int room;
    bool rests;
} member_job;

// Memory of one thread's scratch for a portion of worlds; an arena without memory measures.
static void place_member(void *context, tact_arena *arena) {
    const member_job *job = context;
    tact_worlds_member *member = job->member;
    const tact_model *model = &tact_worlds_scene(job->worlds, 0)->model;
    size_t room = (size_t)job->room, size = tact_worlds_work_size(job->worlds);
    // One scene's work, for laws that are stepped alone; lists of a portion; lanes for the barrier law.
    member->work_memory = tact_arena_take(arena, size, 1);
    if (member->work_memory) tact_work_init(&member->work, model, member->work_memory, size);
    member->room = job->room;
    member->model = tact_arena_take(arena, room, sizeof(tact_model *));
    member->options = tact_arena_take(arena, room, sizeof(tact_options));
    member->input = tact_arena_take(arena, room, sizeof(tact_input));
    member->state = tact_arena_take(arena, room, sizeof(tact_state));
    member->status = tact_arena_take(arena, room, sizeof(tact_status));
    member->worst = tact_arena_take(arena, room, sizeof(tact_status));
    member->world = tact_arena_take(arena, room, sizeof(int));
    member->u = tact_arena_take(arena, room * (size_t)model->nu, sizeof(tact_real));
    member->wrench = tact_arena_take(arena, room * (size_t)model->nbody, sizeof(tact_wrench));
    if (job->rests) {
        TACT_ASSERT(job->room >= 0);
        const tact_model *plain = &job->worlds->scene->model;
        member->rest = tact_arena_take(arena, (size_t)job->room, sizeof(tact_state));
        for (int i = 0; i < job->room; i++) {
            void *memory = tact_arena_take(arena, tact_state_size(plain), 1);
            if (memory) tact_state_init(&member->rest[i], plain, memory, tact_state_size(plain));
        }
    }
    member->wide = false;
    if (room < 2 || !model->law->lanes) return;
    size = tact_lanes_size(model, job->worlds->lanes);
    void *memory = tact_arena_take(arena, size, 1);
    if (memory) member->wide = tact_lanes_init(&member->lanes, model, job->worlds->lanes, memory, size) == TACT_CONVERGED;
}

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
    for (int i = 0; i < members; i++) {
        tact_worlds_member *member = &worlds->member[i];
        memset(member, 0, sizeof *member);
        member_job job = {worlds, member, portion, rests};
        member->memory = tact_memory_place(place_member, &job);
        worlds->nmember = i + 1;
        if (!member->memory) return false;
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

// Commands and forces of the world at place i of those under way.
static tact_input find_input(const step_job *job, const tact_worlds_member *member, int i, int step, tact_state *state) {
    TACT_ASSERT(0 <= i && 0 <= step && step < job->steps);
    const tact_worlds *worlds = job->worlds;
    size_t world = (size_t)member->world[i], nu = (size_t)worlds->scene->model.nu, nbody = (size_t)worlds->scene->model.nbody;
    const tact_scene *scene = tact_worlds_scene(worlds, member->world[i]);
    tact_input input = {.u = worlds->u + world * nu};
    // Commands: of the rollout, of the scene by time, or given once for all steps.
    if (job->run)
        input.u = job->run->u + (world * (size_t)job->steps + (size_t)step) * nu;
    else if (!job->u)
        tact_scene_command(scene, state, worlds->u + world * nu);
    else if (step == 0 && nu > 0)
        memcpy(worlds->u + world * nu, job->u + world * nu, nu * sizeof(tact_real));
    tact_wrench *wrench = member->wrench + (size_t)i * nbody;
    if (job->wrench)
        input.wrench = (const tact_wrench *)(job->wrench + world * 6 * nbody);
    else if (scene->nforce > 0 && tact_scene_wrench(scene, state, wrench))
        input.wrench = wrench;
    return input;
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

static void step_together(const step_job *job, tact_worlds_member *member, int count) {
    // Lanes where there are several; else one after the other.
    bool wide = member->wide && count > 1;
    if (wide)
        tact_lanes_step(&member->lanes, count, member->model, member->options, member->input, member->state, member->status,
                        NULL);
    for (int i = 0; i < count; i++) {
        if (!wide)
            member->status[i] =
                tact_step(member->model[i], &member->options[i], &member->input[i], &member->state[i], &member->work);
        // Takes down the contacts of a step, for those who look at them, or why it had no answer.
        int world = member->world[i];
        tact_status status = member->status[i];
        const tact_work *work = wide ? &member->lanes.work[i] : &member->work;
        if (status < 0) tact_worlds_keep_reason(job->worlds, world, work);
        if (status >= 0 && job->worlds->contact && !job->run) record_contacts(job->worlds, world, work);
    }
}

// Steps the worlds of one portion through all steps; a world without an answer leaves, the others go on.
static void step_portion(void *context, int piece, int number) {
    step_job *job = context;
    tact_worlds *worlds = job->worlds;
    tact_worlds_member *member = &worlds->member[number];
    int portion = worlds->portion, first = piece * portion, rest = worlds->count - first;
    int count = rest < portion ? rest : portion;
    if (worlds->loaded)
        tact_work_init(&member->work, &worlds->loaded[first]->model, member->work_memory,
                       tact_work_size(&worlds->loaded[first]->model));
    // options of one scene for all stay in their places
    bool several = worlds->copy || worlds->loaded;
    // Gather the worlds of this portion.
    for (int i = 0; i < count; i++) {
        const tact_scene *scene = tact_worlds_scene(worlds, first + i);
        member->world[i] = first + i;
        member->worst[i] = TACT_CONVERGED;
        member->model[i] = &scene->model;
        if (several || i >= member->ready) member->options[i] = scene->options;
        member->state[i] = job->run ? member->rest[i] : worlds->state[first + i];
        if (!job->run) continue;
        tact_worlds_begin(worlds, job->run, first + i, &member->state[i]);
        record_row(job, first + i, 0, &member->state[i], true);
    }
    if (count > member->ready) member->ready = count;
    // Step by step: inputs, the step, results; worlds that ended leave.
    for (int step = 0; step < job->steps && count > 0; step++) {
        for (int i = 0; i < count; i++) member->input[i] = find_input(job, member, i, step, &member->state[i]);
        step_together(job, member, count);
        for (int i = 0; i < count; i++)
            if (member->status[i] < job->least[number]) job->least[number] = member->status[i];
        // Takes down what a step did. Worlds that ended leave; all of them do when the call is stopped.
        int left = 0;
        bool last = step + 1 == job->steps || !tact_worlds_goes_on(worlds, number);
        for (int i = 0; i < count; i++) {
            int world = member->world[i];
            tact_status status = member->status[i];
            if (status != TACT_CONVERGED) member->worst[i] = status;
            if (job->path && status >= 0) record_row(job, world, step + 1, &member->state[i], false);
            if (job->path && status < 0) {
                // A world that stays where a step had no answer.
                for (int row = (step + 1); row <= job->steps; row++) record_row(job, world, row, &member->state[i], true);
            }
            if (status < 0 || last) {
                if (job->status) job->status[world] = member->worst[i];
                if (!job->run) worlds->state[world] = member->state[i];
            }
            if (status < 0 || last) continue;
            if (left < i) {
                member->world[left] = world;
                member->worst[left] = member->worst[i];
                member->model[left] = member->model[i];
                member->options[left] = member->options[i];
                member->state[left] = member->state[i];
            }
            left++;
        }
        count = left;
    }
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
        tact_worlds_member *member = worlds->member;
        const tact_scene *scene = tact_worlds_scene(worlds, 0);
        int nu = scene->model.nu;
        tact_input input = {.u = worlds->u, .wrench = (const tact_wrench *)wrench};
        tact_worlds_forget_reasons(worlds);
        if (!u)
            tact_scene_command(scene, worlds->state, worlds->u);
        else
            for (int k = 0; k < nu; k++) worlds->u[k] = u[k];
        // without wrenches from the caller the scene's own pushes act
        if (!wrench && scene->nforce > 0 && tact_scene_wrench(scene, worlds->state, member->wrench))
            input.wrench = member->wrench;
        tact_status single = tact_step(&scene->model, &scene->options, &input, worlds->state, &member->work);
        if (single < 0) tact_worlds_keep_reason(worlds, 0, &member->work);
        if (worlds->contact && single >= 0) record_contacts(worlds, 0, &member->work);
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
    if (run->size < sizeof *run) return tact_worlds_say(worlds, TACT_BAD_INPUT, "tact_worlds_run: size is not set");
    if (run->steps < 0) return tact_worlds_say(worlds, TACT_BAD_INPUT, "steps: %d (allowed 0 or more)", run->steps);
    if (!run->u && run->steps > 0 && worlds->scene->model.nu > 0)
        return tact_worlds_say(worlds, TACT_BAD_INPUT, "u: a rollout needs commands");
    for (int i = 0; path->status && i < worlds->count; i++) path->status[i] = TACT_CONVERGED;
    return run_job(&job, true);
}
