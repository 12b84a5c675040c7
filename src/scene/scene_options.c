// SPDX-License-Identifier: MIT
// The options of a scene: its name, law, gravity, and what stands under "options".
#include <stdio.h>
#include <string.h>

#include "scene/build.h"

// what the tables fill
typedef struct {
    tact_options options;
    int limits, integrator, penalty, friction, damping, gradient, manifold, level, cone;  // choices are ints
} option_entry;

static const char *const law_names[] = {"barrier", "virtual", "rigid", NULL};
// of each name; NULL: not in this build
static const tact_law *const laws[] = {&tact_law_barrier, &tact_law_virtual, &tact_law_rigid};
static const char *const limit_names[] = {"off", "barrier", NULL};
static const char *const integrators[] = {"bdf1", "bdf2", "midpoint", NULL};
static const char *const penalties[] = {"exp", "softplus", "algebraic", "quadratic", NULL};
static const char *const frictions[] = {"clamp", "tanh", "none", NULL};
static const char *const dampings[] = {"product", "sum", NULL};
static const char *const gradients[] = {"exact", "straight", "frozen", NULL};
static const char *const manifolds[] = {"features", "closest", "sum", "stein", "descent", NULL};
static const char *const levels[] = {"position", "velocity", NULL};
static const char *const cones[] = {"polyhedral", "exact", NULL};

static option_entry default_entry(void) {
    option_entry entry = {.options = tact_options_default()};
    entry.limits = entry.options.limits;
    entry.integrator = (int)entry.options.integrator;
    entry.penalty = (int)entry.options.penalty;
    entry.friction = (int)entry.options.friction;
    entry.damping = (int)entry.options.damping;
    entry.gradient = (int)entry.options.gradient;
    entry.manifold = (int)entry.options.manifold;
    entry.level = (int)entry.options.level;
    entry.cone = (int)entry.options.cone;
    return entry;
}

const tact_key tact_scene_option_keys[] = {
    TACT_ROW(NUMBER, "dt", .offset = offsetof(option_entry, options.dt), .range = TACT_RANGE_WITHIN(1e-6, 1),
             .meaning = "time step [s]"),
    TACT_ROW(NUMBER, "kappa", .offset = offsetof(option_entry, options.kappa), .range = TACT_RANGE_WITHIN(1, 1e8),
             .meaning = "barrier: sharpness [1/J]; a contact with force F rests at the gap 2/(kappa F)"),
    TACT_ROW(NUMBER, "epsilon", .offset = offsetof(option_entry, options.epsilon), .range = TACT_RANGE_WITHIN(0, 1000),
             .meaning = "barrier: weight of the mass of undriven dofs, epsilon/dt^2"),
    TACT_ROW(NUMBER, "margin", .offset = offsetof(option_entry, options.margin), .range = TACT_RANGE_FROM(0),
             .fallback = "automatic",
             .meaning = "pairs with a smaller gap enter the step [m]; automatic: so wide that the force there is negligible"),
    TACT_ROW(CHOICE, "limits", .offset = offsetof(option_entry, limits), .choices = limit_names,
             .meaning = "whether joint limits act"),
    TACT_ROW(NUMBER, "limit_kappa", .offset = offsetof(option_entry, options.limit_kappa), .range = TACT_RANGE_WITHIN(1, 1e12),
             .meaning = "barrier: sharpness of the limits [1/J]"),
    TACT_ROW(BOOL, "anchor", .offset = offsetof(option_entry, options.anchor),
             .meaning = "barrier: store tangential displacements, so that held bodies do not creep"),
    TACT_ROW(
        NUMBER, "force_min", .offset = offsetof(option_entry, options.force_min), .range = TACT_RANGE_FROM(0),
        .fallback = "automatic",
        .meaning =
            "barrier: an anchor is dropped when the normal force falls below this [N]; automatic: 1 % of the lightest weight"),
    TACT_ROW(BOOL, "robot_gravity", .offset = offsetof(option_entry, options.gravity_on_driven),
             .meaning = "links have weight, so that their drives sag"),
    TACT_ROW(BOOL, "warm_start", .offset = offsetof(option_entry, options.warm_start),
             .meaning = "start the solver from the forces of the step before"),
    TACT_ROW(NUMBER, "tolerance", .offset = offsetof(option_entry, options.tolerance), .range = {0, 0.01, true, false},
             .meaning = "of the solver, dimensionless"),
    TACT_ROW(INTEGER, "max_iterations", .offset = offsetof(option_entry, options.max_iterations),
             .range = TACT_RANGE_WITHIN(1, 10000), .meaning = "factorisations of a step, at most"),
    TACT_ROW(CHOICE, "integrator", .offset = offsetof(option_entry, integrator), .choices = integrators,
             .meaning = "virtual: time stepping"),
    TACT_ROW(NUMBER, "temperature", .offset = offsetof(option_entry, options.temperature), .range = TACT_RANGE_WITHIN(0, 1000),
             .meaning = "virtual: forces reach this far before contact [m]"),
    TACT_ROW(CHOICE, "penalty", .offset = offsetof(option_entry, penalty), .choices = penalties,
             .meaning = "virtual: how the temperature smooths max(0, depth)"),
    TACT_ROW(NUMBER, "kn", .offset = offsetof(option_entry, options.kn), .range = TACT_RANGE_WITHIN(0, 1e12),
             .meaning = "virtual: normal stiffness [N/m]"),
    TACT_ROW(NUMBER, "kd", .offset = offsetof(option_entry, options.kd), .range = TACT_RANGE_WITHIN(0, 1e12),
             .meaning = "virtual: normal damping [N s/m^2]"),
    TACT_ROW(NUMBER, "kt", .offset = offsetof(option_entry, options.kt), .range = TACT_RANGE_WITHIN(0, 1e12),
             .meaning = "virtual: friction per sliding speed, below its limit [N s/m]"),
    TACT_ROW(CHOICE, "friction", .offset = offsetof(option_entry, friction), .choices = frictions,
             .meaning = "virtual: how friction reaches its limit"),
    TACT_ROW(CHOICE, "damping", .offset = offsetof(option_entry, damping), .choices = dampings,
             .meaning = "virtual: normal force of depth and its rate; sum may pull"),
    TACT_ROW(CHOICE, "gradient", .offset = offsetof(option_entry, gradient), .choices = gradients,
             .meaning = "virtual: derivatives exact, soft ones of hard steps, or with contact points frozen"),
    TACT_ROW(
        CHOICE, "manifold", .offset = offsetof(option_entry, manifold), .choices = manifolds,
        .meaning =
            "virtual: contacts of two shapes; features: corners and the closest pair, which share the stiffness; closest: that "
            "pair alone; sum: corners with all of it each; stein: particles; descent: these with nothing to keep them apart"),
    TACT_ROW(NUMBER, "spread", .offset = offsetof(option_entry, options.spread), .range = TACT_RANGE_WITHIN(1e-9, 1000),
             .meaning = "virtual: a corner that is less deep by this distance has 1/e of the force [m]"),
    TACT_ROW(CHOICE, "level", .offset = offsetof(option_entry, level), .choices = levels,
             .meaning = "rigid: complementarity of forces with positions or velocities; velocity: with restitution"),
    TACT_ROW(CHOICE, "cone", .offset = offsetof(option_entry, cone), .choices = cones, .meaning = "rigid: friction cone"),
    {0},
};

typedef struct {
    char text[64];
} law_list;

static law_list list_available(void) {
    law_list list = {""};
    size_t used = 0;
    for (int i = 0; law_names[i]; i++) {
        if (!laws[i]) continue;
        used += (size_t)snprintf(list.text + used, sizeof list.text - used, "%s%s", used > 0 ? ", " : "", law_names[i]);
    }
    return list;
}

// the law of --law, -1 after reporting
static int choose_law(const tact_scene_build *build, const char *name) {
    tact_draft_mark mark = {.place = {.file = "--law"}};
    for (int i = 0; law_names[i]; i++) {
        if (strcmp(name, law_names[i]) != 0) continue;
        if (laws[i]) return i;
        tact_draft_refuse(&build->draft, &mark, NULL, "\"%s\" is not in this build (available: %s)", name, list_available().text);
        return -1;
    }
    tact_nearest nearest = {.word = name};
    tact_nearest_try_all(&nearest, law_names);
    if (nearest.best)
        tact_draft_refuse(&build->draft, &mark, NULL, "no law %s%s", tact_quote(name).text, tact_nearest_hint(&nearest).text);
    else
        tact_draft_refuse(&build->draft, &mark, NULL, "no law %s (available: %s)", tact_quote(name).text, list_available().text);
    return -1;
}

void tact_scene_read_options(tact_scene_build *build) {
    const tact_json *json = build->json;
    option_entry entry = default_entry();
    tact_real g[3];
    int node = tact_json_find(json, 0, "options"), gravity = tact_json_find(json, 0, "gravity");
    if (node >= 0 && tact_keys_check(json, node, tact_scene_option_keys, NULL)) {
        tact_keys_read(json, node, tact_scene_option_keys, &entry);
    }
    // rows of the table hold int; the options have enumerations
    entry.options.limits = entry.limits != 0;
    entry.options.level = (tact_level)entry.level;
    entry.options.cone = (tact_cone_kind)entry.cone;
    entry.options.integrator = (tact_integrator)entry.integrator;
    entry.options.penalty = (tact_penalty)entry.penalty;
    entry.options.friction = (tact_friction)entry.friction;
    entry.options.damping = (tact_damping)entry.damping;
    entry.options.gradient = (tact_gradient)entry.gradient;
    entry.options.manifold = (tact_manifold)entry.manifold;
    if (gravity >= 0 && tact_key_read_numbers(json, gravity, tact_key_find(tact_scene_keys, "gravity"), 3, g)) {
        entry.options.gravity = tact_vec3_make(g[0], g[1], g[2]);
    }
    build->options = entry.options;
    // the scene's law, or that of --law
    int named = tact_json_find(json, 0, "law"), law = named >= 0 ? tact_json_get_choice(json, named, law_names) : -1;
    if (build->settings->law)
        law = choose_law(build, build->settings->law);
    else if (law >= 0 && !laws[law])
        tact_json_refuse(json, named, "\"%s\" is not in this build (available: %s)", law_names[law], list_available().text);
    build->law = law >= 0 && laws[law] ? laws[law] : &tact_law_barrier;
    build->planar = strcmp(build->law->name, "virtual") == 0;
}

void tact_scene_describe_options(tact_text *out) {
    option_entry entry = default_entry();
    tact_keys_describe(tact_scene_option_keys, &entry, out);
}

bool tact_scene_option(const tact_scene *scene, const char *name, tact_real *value) {
    TACT_ASSERT(scene && name && value);
    const tact_key *key = tact_key_find(tact_scene_option_keys, name);
    const unsigned char *options = (const unsigned char *)&scene->options;
    // rows beyond the options are words
    if (!key || key->offset >= sizeof scene->options) return false;
    if (key->kind == TACT_KEY_INTEGER) {
        int whole = 0;
        memcpy(&whole, options + key->offset, sizeof whole);
        *value = (tact_real)whole;
        return true;
    }
    if (key->kind != TACT_KEY_NUMBER) return false;
    memcpy(value, options + key->offset, sizeof *value);
    // automatic: what is in force
    if (key->offset == offsetof(tact_options, margin)) *value = tact_margin(&scene->model, &scene->options);
    if (key->offset == offsetof(tact_options, force_min)) *value = tact_force_min(&scene->model, &scene->options);
    return true;
}
