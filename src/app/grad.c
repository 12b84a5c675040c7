// SPDX-License-Identifier: MIT
// tact grad: derivatives of a step, or of a whole run.
#include "app/grad_rigid.h"
#include "app/grad_run.h"
#include "app/grad_soft.h"
#include "app/stage.h"
#include "scene/memory.h"
#include "tact/deriv.h"
#include "trace/names.h"

enum { STEPS_MAX = 1000000000, RUN_MAX = 10000000 };

static const char help[] =
    "The answer is one line of JSON on standard output, matrices row by row:\n"
    "  {\"step\":1,\"status\":\"converged\",\"kink\":false,\"dofs\":[..],\"driven\":[..],\"contacts\":[{\"a\":..,\"b\":..}],\n"
    "   \"A\":[nv*nv],\"B\":[nv*nu],\"C\":[3nc*nv],\"D\":[3nc*nu],\"parameters\":{..}}\n"
    "of the last step: A = dq+/dq, B = dq+/du, C = dlambda/dq, D = dlambda/du. q and q+ count nv, in the order of dofs: the\n"
    "rotation of a free joint is a small turn in world axes. lambda are the forces of the contacts along the rows of their\n"
    "frames (normal from a to b, tangent, tangent), u the commands in the order of driven, not changed with q. Contacts are\n"
    "all pairs within the margin, touching or not.\n"
    "\n"
    "parameters holds {\"dq\":[nv],\"dlambda\":[3nc]} of the step by kappa, limit_kappa, epsilon and dt; and lists, where each\n"
    "has its name too, by mu of the pairs in contact, radius of their spheres, mass of the bodies that unactuated dofs carry,\n"
    "stiffness of the drives, and force on each body that moves, at its centre of mass ([nv*3], [3nc*3]: x, y, z).\n"
    "\n"
    "With --rollout: of the whole run, A by the coordinates at its beginning and B by a constant shift of the command of each\n"
    "dof in all steps; C and D are of the forces of the last step. Where the scene's command is hold, the commands follow the\n"
    "coordinates, and A and B include that. Stored displacements of anchors are carried along. There are no parameters.\n"
    "\n"
    "Under the law virtual the state is q and v: then there are A_qv, A_vq, A_vv (dq+/dv, dv+/dq, dv+/dv) and B_v (dv+/du)\n"
    "too, and of a step F, F_v (dq+, dv+ by a force on each dof); forces are those of a pair together, along its frame as\n"
    "it is; its parameters are kn, kd, kt, temperature, size of shapes (two each), mu, radius, mass of all that moves, inertia\n"
    "across the plane, stiffness, damping of each dof, and force. The option gradient of the scene chooses what\n"
    "derivatives mean. With the manifolds stein and descent the status is held (\"held\":\"particles\"): the particles are "
    "found\n"
    "where the step begins and stay there, so derivatives by q and sizes leave out that they would move; by all else they\n"
    "are exact.\n"
    "\n"
    "kink (with --rollout: kinks, the number of steps): a stored displacement is at its cap, and derivatives hold for changes\n"
    "to one side. --frozen leaves out how contact points, frames and chains turn with q: the form of the literature.\n"
    "\n"
    "Under the rigid law the state is (q, v): A [2nv*2nv], B [2nv*nu], C [3nc*2nv]; parameters are mu, mass, stiffness and\n"
    "force (an entry for each axis), with dq, dv and dlambda; kink: a contact is between separating, sticking and sliding.\n"
    "redundant: the contacts' forces are one choice of many, of which C, D and dlambda are; q and v are determined.\n"
    "Where contacts that stick ask of a body with few freedoms what it cannot do, there are none: singular.\n"
    "\n"
    "Exit code 1 when a step has no answer, which then has no matrices, or did not converge.\n"
    "\n"
    "examples:\n"
    "  tact grad data/scenes/lesson.json --set options.margin=0.05\n"
    "  tact grad data/scenes/hand_lift.json --steps 200\n"
    "  tact grad data/scenes/pusher.json --steps 10 --rollout\n";

typedef struct {
    tact_world world;
    long long steps;
    bool frozen, whole;
    tact_grad_soft soft;  // under the virtual law
    tact_state before;    // the last step
    tact_deriv_work deriv;
    tact_jacobians jacobians;
    tact_real *dq, *dlambda;  // (nv), (3 npair) of a parameter; of a force (nv, 3), (3 npair, 3)
    void *memory;
    tact_text out;
} grad_job;

static void add_key(tact_text *out, const char *key) {
    tact_text_add(out, out->size > 0 && out->bytes[out->size - 1] != '{' ? ",\"" : "\"");
    tact_text_add(out, key);
    tact_text_add(out, "\":");
}

static void add_array(tact_text *out, const char *key, const tact_real *x, int rows, int columns) {
    add_key(out, key);
    tact_text_add_vector(out, x, (size_t)rows * (size_t)columns);
}

static void add_pair(const tact_model *model, int pair, tact_text *out) {
    add_key(out, "a");
    tact_text_add_json(out, tact_shape_name(model, model->pair[pair].a).text);
    add_key(out, "b");
    tact_text_add_json(out, tact_shape_name(model, model->pair[pair].b).text);
    if (model->pair[pair].vertex == 0) return;
    add_key(out, "vertex");
    tact_text_add_integer(out, model->pair[pair].vertex);
}

// Names of dofs, all or the driven ones.
static void add_dofs(const tact_model *model, const char *key, bool driven, tact_text *out) {
    bool first = true;
    add_key(out, key);
    tact_text_add(out, "[");
    for (int i = 0; i < model->nv; i++) {
        if (driven && model->dof[i].u < 0) continue;
        if (!first) tact_text_add(out, ",");
        tact_text_add_json(out, tact_dof_name(model, i).text);
        first = false;
    }
    tact_text_add(out, "]");
}

static void add_head(grad_job *job, long long step, tact_status status) {
    tact_text *out = &job->out;
    tact_text_add(out, "{\"step\":");
    tact_text_add_integer(out, step);
    add_key(out, "status");
    tact_text_add_json(out, tact_status_name(status));
    if (status == TACT_HELD) tact_text_add(out, ",\"held\":\"particles\"");
    add_dofs(&job->world.scene->model, "dofs", false, out);
    add_dofs(&job->world.scene->model, "driven", true, out);
}

static void begin_contacts(tact_text *out) {
    add_key(out, "contacts");
    tact_text_add(out, "[");
}

// {"a":..,"b":..} of contact number c
static void add_contact(const tact_model *model, int pair, int c, tact_text *out) {
    tact_text_add(out, c > 0 ? ",{" : "{");
    add_pair(model, pair, out);
    tact_text_add(out, "}");
}

static bool is_soft(const grad_job *job) {
    return job->world.scene->model.law == &tact_law_virtual;
}

// dq+ and dlambda by one parameter
static void find_column(grad_job *job, tact_parameter parameter, tact_real *dq, tact_real *dlambda) {
    const tact_scene *scene = job->world.scene;
    tact_work *work = &job->world.work;
    if (!is_soft(job)) {
        tact_deriv_parameter(&scene->model, &scene->options, work, &job->deriv, parameter, (tact_deriv_column){dq, dlambda});
        return;
    }
    tact_input input = {.u = job->world.u, .wrench = scene->nforce > 0 ? job->world.wrench : NULL};
    tact_virtual_change change = {.parameter = &parameter};
    tact_virtual_effect effect = {dq, NULL, dlambda};
    tact_virtual_differentiate(&scene->model, &scene->options, &input, &job->soft.before, work, &change, &effect);
}

// "dq":..,"dlambda":.. by the components of a parameter
static void add_columns(grad_job *job, tact_parameter parameter, int components) {
    int nv = job->world.scene->model.nv, nl = 3 * job->world.work.contacts.count;
    tact_real *one = job->dq + (size_t)nv * (size_t)components, *force = job->dlambda + (size_t)nl * (size_t)components;
    for (int k = 0; k < components; k++) {
        parameter.component = k;
        find_column(job, parameter, one, force);
        for (int i = 0; i < nv; i++) job->dq[i * components + k] = one[i];
        for (int i = 0; i < nl; i++) job->dlambda[i * components + k] = force[i];
    }
    add_array(&job->out, "dq", job->dq, nv, components);
    add_array(&job->out, "dlambda", job->dlambda, nl, components);
}

static void add_scalar(grad_job *job, const char *key, tact_parameter_kind kind) {
    add_key(&job->out, key);
    tact_text_add(&job->out, "{");
    add_columns(job, (tact_parameter){.kind = kind}, 1);
    tact_text_add(&job->out, "}");
}

static void begin_list(grad_job *job, const char *key) {
    add_key(&job->out, key);
    tact_text_add(&job->out, "[");
}

static void begin_item(tact_text *out) {
    tact_text_add(out, out->bytes && out->bytes[out->size - 1] == '[' ? "{" : ",{");
}

static void add_item(grad_job *job, const char *key, const char *name, tact_parameter parameter, int components) {
    begin_item(&job->out);
    add_key(&job->out, key);
    tact_text_add_json(&job->out, name);
    add_columns(job, parameter, components);
    tact_text_add(&job->out, "}");
}

static void add_pairs(grad_job *job) {
    const tact_model *model = &job->world.scene->model;
    const tact_contacts *contacts = &job->world.work.contacts;
    begin_list(job, "mu");
    for (int c = 0; c < contacts->count; c++) {
        int pair = contacts->contact[c].pair;
        begin_item(&job->out);
        add_pair(model, pair, &job->out);
        add_columns(job, (tact_parameter){.kind = TACT_PARAMETER_MU, .index = pair}, 1);
        tact_text_add(&job->out, "}");
    }
    tact_text_add(&job->out, "]");
    begin_list(job, "radius");
    for (int i = 0; i < model->nshape; i++) {
        tact_shape_type type = model->shape[i].type;
        bool touches = false, round = tact_shape_is_ball(type) || (!is_soft(job) && type == TACT_SHAPE_CAPSULE);
        for (int c = 0; c < contacts->count && round; c++) {
            const tact_pair *pair = &model->pair[contacts->contact[c].pair];
            touches = touches || pair->a == i || pair->b == i;
        }
        tact_parameter radius = {.kind = TACT_PARAMETER_RADIUS, .index = i};
        if (touches) add_item(job, "shape", tact_shape_name(model, i).text, radius, 1);
    }
    tact_text_add(&job->out, "]");
}

static void add_bodies(grad_job *job) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    begin_list(job, "mass");
    for (int b = 0; b < model->nbody; b++) {
        tact_parameter mass = {.kind = TACT_PARAMETER_MASS, .index = b};
        bool moves = model->path_start[b + 1] > model->path_start[b];
        // under the barrier law driven dofs have no inertia
        bool counts = is_soft(job) ? moves : model->loose[b] || scene->options.gravity_on_driven;
        if (counts) add_item(job, "body", tact_body_name(model, b).text, mass, 1);
    }
    tact_text_add(&job->out, "]");
    begin_list(job, "stiffness");
    for (int i = 0; i < model->nv; i++) {
        tact_parameter stiffness = {.kind = TACT_PARAMETER_STIFFNESS, .index = i};
        if (model->dof[i].u >= 0) add_item(job, "dof", tact_dof_name(model, i).text, stiffness, 1);
    }
    tact_text_add(&job->out, "]");
    begin_list(job, "force");
    for (int b = 0; b < model->nbody; b++) {
        tact_parameter force = {.kind = TACT_PARAMETER_FORCE, .index = b};
        bool moves = model->path_start[b + 1] > model->path_start[b];
        if (moves) add_item(job, "body", tact_body_name(model, b).text, force, 3);
    }
    tact_text_add(&job->out, "]");
}

// what only the virtual law has
static void add_soft_parameters(grad_job *job) {
    const tact_model *model = &job->world.scene->model;
    static const char *const names[] = {"kn", "kd", "kt", "temperature"};
    static const tact_parameter_kind kinds[] = {TACT_PARAMETER_KN, TACT_PARAMETER_KD, TACT_PARAMETER_KT,
                                                TACT_PARAMETER_TEMPERATURE};
    for (int i = 0; i < 4; i++) add_scalar(job, names[i], kinds[i]);
    begin_list(job, "size");
    for (int i = 0; i < model->nshape; i++) {
        tact_parameter size = {.kind = TACT_PARAMETER_SIZE, .index = i};
        bool sized = !tact_shape_is_ball(model->shape[i].type) && model->shape[i].type != TACT_SHAPE_PLANE &&
                     model->shape[i].type != TACT_SHAPE_HALFPLANE && !tact_shape_is_union(model->shape[i].type);
        if (sized) add_item(job, "shape", tact_shape_name(model, i).text, size, 2);
    }
    tact_text_add(&job->out, "]");
    begin_list(job, "inertia");
    for (int b = 0; b < model->nbody; b++) {
        tact_parameter inertia = {.kind = TACT_PARAMETER_INERTIA, .index = b};
        bool moves = model->path_start[b + 1] > model->path_start[b];
        if (moves) add_item(job, "body", tact_body_name(model, b).text, inertia, 1);
    }
    tact_text_add(&job->out, "]");
    begin_list(job, "damping");
    for (int i = 0; i < model->nv; i++) {
        tact_parameter damping = {.kind = TACT_PARAMETER_DAMPING, .index = i};
        add_item(job, "dof", tact_dof_name(model, i).text, damping, 1);
    }
    tact_text_add(&job->out, "]");
}

static void add_soft_step(grad_job *job) {
    const tact_contacts *contacts = &job->world.work.contacts;
    begin_contacts(&job->out);
    for (int c = 0; c < contacts->count; c++) add_contact(&job->world.scene->model, contacts->contact[c].pair, c, &job->out);
    tact_text_add(&job->out, "]");
    tact_grad_soft_print(&job->soft, &job->world, job->whole, &job->out);
    if (job->whole) return;
    add_key(&job->out, "parameters");
    tact_text_add(&job->out, "{");
    add_soft_parameters(job);
    add_pairs(job);
    add_bodies(job);
    tact_text_add(&job->out, "}");
}

static void add_step(grad_job *job) {
    const tact_model *model = &job->world.scene->model;
    const tact_contacts *contacts = &job->world.work.contacts;
    int nv = model->nv, nu = model->nu, nl = 3 * contacts->count;
    tact_text *out = &job->out;
    add_key(out, "kink");
    tact_text_add(out, job->deriv.kink ? "true" : "false");
    begin_contacts(out);
    for (int c = 0; c < contacts->count; c++) add_contact(model, contacts->contact[c].pair, c, out);
    tact_text_add(out, "]");
    tact_deriv_matrices(model, &job->world.work, &job->deriv, &job->jacobians);
    add_array(out, "A", job->jacobians.A, nv, nv);
    add_array(out, "B", job->jacobians.B, nv, nu);
    add_array(out, "C", job->jacobians.C, nl, nv);
    add_array(out, "D", job->jacobians.D, nl, nu);
    add_key(out, "parameters");
    tact_text_add(out, "{");
    add_scalar(job, "kappa", TACT_PARAMETER_KAPPA);
    add_scalar(job, "limit_kappa", TACT_PARAMETER_LIMIT_KAPPA);
    add_scalar(job, "epsilon", TACT_PARAMETER_EPSILON);
    add_scalar(job, "dt", TACT_PARAMETER_DT);
    add_pairs(job);
    add_bodies(job);
    tact_text_add(out, "}");
}

static size_t place_job(grad_job *job, void *memory) {
    const tact_model *model = &job->world.scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nl = 3 * (size_t)model->npair;
    size_t state = tact_state_size(model), deriv = tact_deriv_size(model);
    tact_arena arena = {.memory = memory, .size = SIZE_MAX};
    void *before = tact_arena_take(&arena, state, 1), *linear = tact_arena_take(&arena, deriv, 1);
    job->jacobians.A = tact_arena_take(&arena, nv * nv, sizeof(tact_real));
    job->jacobians.B = tact_arena_take(&arena, nv * nu, sizeof(tact_real));
    job->jacobians.C = tact_arena_take(&arena, nl * nv, sizeof(tact_real));
    job->jacobians.D = tact_arena_take(&arena, nl * nu, sizeof(tact_real));
    // three components and one column on its own
    job->dq = tact_arena_take(&arena, 4 * nv, sizeof(tact_real));
    job->dlambda = tact_arena_take(&arena, 4 * nl, sizeof(tact_real));
    if (!memory) return arena.used;
    tact_state_init(&job->before, model, before, state);
    tact_deriv_init(&job->deriv, model, linear, deriv);
    return arena.used;
}

static int print(grad_job *job, tact_status status) {
    bool done = status == TACT_CONVERGED || status == TACT_HELD;
    tact_text_add(&job->out, "}\n");
    return tact_print_text(&job->out, done ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

static int no_memory(void) {
    tact_say("out of memory");
    return TACT_EXIT_NO_MEMORY;
}

static int grad_step(grad_job *job) {
    tact_world *world = &job->world;
    const tact_scene *scene = world->scene;
    size_t size = place_job(job, NULL);
    job->memory = size < SIZE_MAX ? tact_memory_get(size) : NULL;
    if (!job->memory) return no_memory();
    place_job(job, job->memory);
    job->deriv.frozen_geometry = job->frozen;
    long long step = 0;
    tact_status status = TACT_CONVERGED;
    for (; step < job->steps && status >= 0; step++) {
        if (step == job->steps - 1) tact_state_copy(&job->before, &world->state, &scene->model);
        status = tact_world_step(world);
    }
    if (status >= 0) {
        // the forces of that time, which the step left in place
        tact_input input = {.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
        tact_status linear =
            tact_deriv_linearise(&scene->model, &scene->options, &input, &job->before, &world->work, &job->deriv);
        if (linear < 0) status = linear;
    }
    add_head(job, step, status);
    if (status >= 0) add_step(job);
    return print(job, status);
}

// under the virtual law, of the last step or of the whole run
static int grad_soft(grad_job *job) {
    tact_world *world = &job->world;
    const tact_model *model = &world->scene->model;
    if (!tact_grad_soft_make(&job->soft, world, (int)job->steps, job->whole)) return no_memory();
    size_t nv = (size_t)model->nv, nl = 3 * (size_t)model->npair;
    // three components and one column on its own
    job->memory = tact_memory_get(4 * (nv + nl) * sizeof(tact_real) + 1);
    if (!job->memory) return no_memory();
    job->dq = job->memory;
    job->dlambda = job->dq + 4 * nv;
    add_head(job, job->soft.steps, job->soft.status);
    if (job->soft.status >= 0) add_soft_step(job);
    return print(job, job->soft.status);
}

static int grad_rollout(grad_job *job) {
    const tact_model *model = &job->world.scene->model;
    tact_grad_run run;
    if (!tact_grad_run_make(&run, &job->world, (int)job->steps, job->frozen)) return no_memory();
    tact_text *out = &job->out;
    add_head(job, run.steps, run.status);
    if (run.status >= 0) {
        size_t nv = (size_t)model->nv, nu = (size_t)model->nu;
        add_key(out, "kinks");
        tact_text_add_integer(out, run.kinks);
        begin_contacts(out);
        for (int c = 0; c < run.nc; c++) add_contact(model, run.pair[c], c, out);
        tact_text_add(out, "]");
        add_array(out, "A", run.by_q, model->nv, model->nv);
        add_array(out, "B", run.by_u, model->nv, model->nu);
        add_array(out, "C", run.by_q + nv * nv, 3 * run.nc, model->nv);
        add_array(out, "D", run.by_u + nv * nu, 3 * run.nc, model->nu);
    }
    tact_status status = run.status;
    tact_grad_run_free(&run);
    return print(job, status);
}

// A free joint that moves with another body: what its coordinates mean then is not differentiated.
static bool has_carried_free_joint(const tact_model *model) {
    for (int b = 0; b < model->nbody; b++)
        if (model->body[b].joint == TACT_JOINT_FREE && model->path_start[b + 1] - model->path_start[b] > 6) return true;
    return false;
}

static int run(const tact_call *call) {
    grad_job job = {.frozen = tact_call_value(call, "--frozen") != NULL};
    bool rollout = tact_call_value(call, "--rollout") != NULL;
    if (!tact_call_integer(call, "--steps", 1, rollout ? RUN_MAX : STEPS_MAX, 1, &job.steps)) return TACT_EXIT_USAGE;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &job.world);
    if (code != TACT_EXIT_DONE) return code;
    const tact_scene *scene = job.world.scene;
    code = TACT_EXIT_REFUSED;
    job.whole = rollout;
    if (job.frozen) job.world.scene->options.gradient = TACT_GRADIENT_FROZEN;
    if (is_soft(&job) && job.steps <= RUN_MAX)
        code = grad_soft(&job);
    else if (scene->model.law == &tact_law_rigid && !rollout)
        code = tact_grad_rigid(&job.world, job.steps);
    else if (scene->model.law != &tact_law_barrier)
        tact_say(rollout ? "grad: no derivatives of a rollout under the law %s: barrier and virtual have them"
                         : "grad: no derivatives of this kind under the law %s",
                 scene->model.law->name);
    else if (has_carried_free_joint(&scene->model))
        tact_say("grad: a step has no derivatives here where a free joint is carried by a body that moves");
    else
        code = rollout ? grad_rollout(&job) : grad_step(&job);
    tact_memory_release(job.memory);
    tact_grad_soft_free(&job.soft);
    tact_stage_close(&job.world);
    return code;
}

static const tact_call_option options[] = {{"--steps", "N", "steps to make, 1 to 1e9, with --rollout to 1e7 (default 1)"},
                                           {"--rollout", NULL, "of the whole run, not of its last step"},
                                           {"--frozen", NULL, "leave out how the geometry depends on q"},
                                           TACT_STAGE_OPTIONS,
                                           {0}};

const tact_subcommand tact_grad_command = {.name = "grad",
                                           .operands = "SCENE",
                                           .summary = "Derivatives of a step, or of a whole run.",
                                           .help = help,
                                           .options = options,
                                           .least = 1,
                                           .most = 1,
                                           .run = run};
