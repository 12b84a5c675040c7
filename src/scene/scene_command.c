// SPDX-License-Identifier: MIT
// What a scene commands its driven joints, and the forces on its bodies, both also over time.
#include <string.h>

#include "scene/build.h"

static const char *const modes[] = {
    [TACT_COMMAND_HOLD] = "hold", [TACT_COMMAND_FIXED] = "fixed", [TACT_COMMAND_TRAJECTORY] = "trajectory", NULL};

const tact_key tact_scene_command_keys[] = {
    TACT_ROW(CHOICE, "mode", .required = true, .choices = modes,
             .meaning = "hold: u = present coordinates in every step; fixed: u = q; trajectory: u = q over times"),
    TACT_ROW(OTHER, "keyframe", .form = "name or list of them", .fallback = "none",
             .meaning = "fixed: the commands of these keyframes; what \"q\" names comes over them"),
    TACT_ROW(OTHER, "times", .form = "numbers, ascending",
             .meaning = "of a trajectory, linear between, held before and after [s]"),
    TACT_ROW(OTHER, "q", .form = "object: joint -> value", .fallback = "initial q",
             .meaning = "fixed: number or array as in state; trajectory: {JOINT: [..]}, for each joint a list with one of these "
                        "for each time"),
    {0}};

void tact_scene_read_times(const tact_scene_build *build, int node, tact_real *times) {
    static const tact_key key = {.kind = TACT_KEY_NUMBER, .range = TACT_RANGE_ANY, .most = TACT_MOST_TIME};
    tact_real before = -TACT_MAX;
    for (int i = tact_json_first(build->json, node); i >= 0; i = tact_json_after(build->json, i), times++) {
        *times = before;
        if (!tact_key_read_numbers(build->json, i, &key, 1, times)) continue;
        if (!(*times > before)) {
            tact_json_refuse(build->json, i, "times must ascend (found %s after %s)", tact_key_print(*times).text,
                             tact_key_print(before).text);
        }
        before = *times;
    }
}

// the body of a driven joint that a key names, -1 after reporting
static int find_driven(const tact_scene_build *build, int node) {
    int body = tact_scene_find_moving_joint(build, node);
    if (body < 0 || build->links[body].driven) return body;
    if (build->draft.drives_doubted || build->draft.bodies_doubted) return -1;
    bool free = build->draft.bodies[body].type == TACT_JOINT_FREE;
    tact_json_refuse(build->json, node, "joint %s is %s", tact_quote(build->draft.bodies[body].joint).text,
                     free ? "free, and cannot be driven: where it begins goes into /state/q"
                          : "not driven: give it a stiffness in /drives");
    return -1;
}

// u of one joint at one time; warned: of this joint
static void read_command(const tact_scene_build *build, int node, int body, tact_real *u, bool *warned) {
    const tact_scene_link *link = &build->links[body];
    tact_real q[7];
    if (!tact_scene_read_coordinates(build, node, body, q)) return;
    for (int k = 0; k < link->dofs; k++) u[build->dof_u[link->v + k]] = q[k];
    // a sum of coordinates has no limits, which are those of each joint alone; a force has none, either
    const tact_spring *sum = link->led ? &build->springs[link->led - 1] : NULL;
    bool alone = !sum || (sum->count == 1 && sum->factor[0] == 1 && sum->rest == 0);
    if (*warned || link->force || !alone || !tact_scene_is_outside(build, body, q[0])) return;
    *warned = true;
    tact_json_warn(build->json, node, "%s outside %s", tact_key_print(q[0]).text, tact_scene_limits(build, body, q[0]).text);
}

static void read_column(tact_scene_build *build, int node) {
    const tact_json *json = build->json;
    tact_command *command = &build->command;
    int body = find_driven(build, node), count = tact_json_length(json, node), k = 0;
    bool warned = false;
    if (count >= 0 && count != command->ntime) {
        tact_json_refuse(json, node, "expected %d values, one for each time, found %d", command->ntime, count);
        return;
    }
    if (body < 0) return;
    for (int i = tact_json_first(json, node); i >= 0; i = tact_json_after(json, i), k++) {
        read_command(build, i, body, &command->u[(size_t)k * (size_t)build->nu], &warned);
    }
}

// Reads the times of a trajectory and the commands of the joints that it names. False without memory.
static bool read_trajectory(tact_scene_build *build, int node, int q) {
    tact_command *command = &build->command;
    const tact_json *json = build->json;
    int times = tact_json_need(json, node, "times"), count = times >= 0 ? tact_json_length(json, times) : -1;
    if (count == 0) tact_json_refuse(json, times, "must not be empty");
    if (count <= 0) return true;
    if ((int64_t)count * build->nu > TACT_SCENE_TIMES_MAX) {
        tact_json_refuse(json, times, "%d times of %d commands: more than the limit of %d numbers", count, build->nu,
                         TACT_SCENE_TIMES_MAX);
        return true;
    }
    size_t nu = (size_t)build->nu;
    command->ntime = count;
    command->times = tact_draft_take(&build->draft, (size_t)count * sizeof command->times[0]);
    command->u = tact_draft_take(&build->draft, (size_t)count * nu * sizeof command->u[0]);
    if (!command->times || !command->u) return false;
    // joints that the trajectory does not name keep their fixed commands
    for (size_t k = 0; k < (size_t)count; k++)
        for (size_t i = 0; i < nu; i++) command->u[k * nu + i] = command->fixed[i];
    tact_scene_read_times(build, times, command->times);
    for (int i = tact_json_first(json, q); i >= 0; i = tact_json_after(json, i)) read_column(build, i);
    return true;
}

static void refuse_unused(const tact_json *json, int node, const char *key, tact_command_mode mode) {
    tact_json_refuse(json, tact_json_find(json, node, key), "has no meaning in the mode \"%s\"", modes[mode]);
}

// An object with the joints in it: else the form that is meant, with a joint of the scene.
static bool check_form(const tact_scene_build *build, int q, tact_command_mode mode) {
    const char *joint = "JOINT";
    if (tact_json_type(build->json, q) == TACT_JSON_OBJECT) return true;
    for (int i = build->draft.nbody - 1; i >= 0; i--)
        if (build->links[i].leader == i && build->links[i].driven) joint = build->draft.bodies[i].joint;
    tact_json_refuse(build->json, q, "expected an object, found %s: {%s: %s, ...}",
                     tact_json_kind_name(tact_json_type(build->json, q)), tact_quote(joint).text,
                     mode == TACT_COMMAND_TRAJECTORY ? "[one value for each time]" : "...");
    return false;
}

bool tact_scene_read_command(tact_scene_build *build) {
    const tact_json *json = build->json;
    tact_command *command = &build->command;
    command->fixed = tact_draft_take(&build->draft, (size_t)build->nu * sizeof command->fixed[0]);
    if (!command->fixed) return false;
    // where nothing else is said: the initial coordinates
    for (int i = 0; i < build->draft.nbody; i++) {
        const tact_scene_link *link = &build->links[i];
        bool driven = link->leader == i && link->driven;
        for (int k = 0; driven && k < link->dofs; k++)
            command->fixed[build->dof_u[link->v + k]] = link->force ? 0 : build->q0[link->q + k];
    }
    int node = tact_json_find(json, 0, "command"), mode = -1;
    if (node < 0 || !tact_keys_check(json, node, tact_scene_command_keys, NULL)) return true;
    tact_keys_read(json, node, tact_scene_command_keys, &mode);
    if (mode < 0) return true;
    command->mode = (tact_command_mode)mode;
    int q = tact_json_find(json, node, "q");
    if (q >= 0 && !check_form(build, q, command->mode)) q = -1;
    if (command->mode != TACT_COMMAND_TRAJECTORY) refuse_unused(json, node, "times", command->mode);
    if (command->mode != TACT_COMMAND_FIXED) refuse_unused(json, node, "keyframe", command->mode);
    switch (command->mode) {
    case TACT_COMMAND_HOLD: refuse_unused(json, node, "q", command->mode); break;
    case TACT_COMMAND_FIXED:
        tact_scene_command_keyframes(build, tact_json_find(json, node, "keyframe"), command->fixed);
        // Commands that stay fixed
        for (int i = tact_json_first(build->json, q); i >= 0; i = tact_json_after(build->json, i)) {
            int body = find_driven(build, i);
            bool warned = false;
            if (body >= 0) read_command(build, i, body, build->command.fixed, &warned);
        }
        break;
    case TACT_COMMAND_TRAJECTORY: return read_trajectory(build, node, q);
    }
    return true;
}
