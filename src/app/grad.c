// SPDX-License-Identifier: MIT
// tact grad: derivatives of a step, or of a whole run.
#include "app/stage.h"

enum { STEPS_MAX = 1000000000, RUN_MAX = 10000000 };

static const char help[] =
    "The answer is one line of JSON on standard output, matrices row by row:\n"
    "  {\"step\":1,\"status\":\"converged\",\"kink\":false,\"dofs\":[..],\"driven\":[..],\"contacts\":[{\"a\":..,\"b\":..}],\n"
    "   \"A\":[nv*nv],\"B\":[nv*nu],\"C\":[3nc*nv],\"D\":[3nc*nu],\"parameters\":{..}}\n"
    "of the last step: A = dq+/dq, B = dq+/du, C = dlambda/dq, D = dlambda/du. q and q+ count nv, in the order of dofs: the\n"
    "rotation of a free joint is a rotation vector in world axes. lambda are the forces of the contacts along the rows of their\n"
    "frames (normal from a to b, tangent, tangent), u the commands in the order of driven, held constant in A and C. Contacts\n"
    "are all pairs within the margin, touching or not.\n"
    "\n"
    "parameters holds {\"dq\":[nv],\"dlambda\":[3nc]} of the step by kappa, limit_kappa, epsilon and dt; and lists, where each\n"
    "has its name too, by mu of the pairs in contact, radius of their spheres, mass of the bodies that unactuated dofs carry,\n"
    "stiffness of the drives, and force on each body that moves, at its centre of mass ([nv*3], [3nc*3]: x, y, z).\n"
    "\n"
    "With --rollout: of the whole run, A by the coordinates at its beginning and B by a constant shift of the command of each\n"
    "dof in all steps; C and D are of the forces of the last step. Where the scene's command is hold, the commands follow the\n"
    "coordinates, and A and B include that. Stored displacements of anchors are included. There are no parameters.\n"
    "\n"
    "Under the law virtual the state is q and v: then there are A_qv, A_vq, A_vv (dq+/dv, dv+/dq, dv+/dv) and B_v (dv+/du)\n"
    "too, and of a step F, F_v (dq+, dv+ by a force on each dof); forces are those of a pair together, along its frame as it\n"
    "is; its parameters are kn, kd, kt, temperature, size of shapes (two each), mu, radius, mass of all that moves, inertia\n"
    "across the plane, stiffness, damping of each dof, and force. The option gradient of the scene chooses which\n"
    "derivatives. With the manifolds stein and descent the status is held (\"held\":\"particles\"): the particles are found at\n"
    "the start of the step and held, so derivatives by q and sizes leave out their motion; all others are\n"
    "exact.\n"
    "\n"
    "kink (with --rollout: kinks, the number of steps): a stored displacement is at its cap, or a drive has just\n"
    "reached its force_limit, so that derivatives are one-sided. at_force_limit names the joints whose drive is at its limit\n"
    "and does not respond to its command. --frozen leaves out the motion of contact points, frames and chains with q, as the "
    "literature does.\n"
    "\n"
    "Under the rigid law the state is (q, v): A [2nv*2nv], B [2nv*nu], C [3nc*2nv]; parameters are mu, mass, stiffness and\n"
    "force (an entry for each axis), with dq, dv and dlambda; kink: a contact is between separating, sticking and sliding.\n"
    "redundant: contact forces are not unique; C, D and dlambda are those of the solution chosen. q and v are unique, except\n"
    "the rotation of a body that slides on several contacts. With --rollout the same matrices of the whole run, redundant of\n"
    "its last step. singular: sticking contacts are incompatible with the freedoms of a body, and there are no matrices.\n"
    "\n"
    "Exit code 1 when a step has no answer, which then has no matrices, or did not converge.\n"
    "\n"
    "examples:\n"
    "  tact grad data/scenes/lesson.json --set options.margin=0.05\n"
    "  tact grad data/scenes/hand_lift.json --steps 200\n"
    "  tact grad data/scenes/pusher.json --steps 10 --rollout\n";

typedef struct {
    const tact_call *call;
    tact_world world;
    long long steps;
    bool joined;  // x = (q, v) is printed in one piece
    tact_input input;
    tact_state before;             // the last step
    tact_linear linear;            //
    tact_jacobians matrices;       // of the step
    tact_real *F;                  // (2 nv, nv) of the step by a force on each dof
    tact_real *dq, *dv, *dlambda;  // (nv, 3), (nv), (3 npair, 3) of a parameter ...
    tact_real *one, *force;        // (nv), (3 npair) of one component
    int *pair;                     // (npair) of the step's contacts
    tact_text out;
} grad_job;

static void add_key(tact_text *out, const char *key) {
    bool first = out->size == 0 || out->bytes[out->size - 1] == '{' || out->bytes[out->size - 1] == '[';
    tact_text_print(out, first ? "%s:" : ",%s:", key);
}

static void add_array(tact_text *out, const char *key, const tact_real *x, int rows, int columns) {
    add_key(out, key);
    tact_text_add_vector(out, x, (size_t)rows * (size_t)columns);
}

// Adds a block of a matrix whose rows hold stride numbers.
static void add_part(tact_text *out, const char *key, const tact_real *x, int rows, int columns, int stride) {
    add_key(out, key);
    tact_text_add(out, "[");
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++) {
            if (i > 0 || k > 0) tact_text_add(out, ",");
            tact_text_add_number(out, (double)x[i * stride + k]);
        }
    tact_text_add(out, "]");
}

static void add_bool(tact_text *out, const char *key, bool value) {
    add_key(out, key);
    tact_text_add(out, value ? "true" : "false");
}

// The model with the pairs that its last step found.
static const tact_model *step_model(const grad_job *job) {
    return tact_step_model(&job->world.scene->model, &job->world.work);
}

static void add_pair(const grad_job *job, int pair, tact_text *out) {
    const tact_model *model = step_model(job);
    add_key(out, "a");
    tact_text_add_json(out, tact_shape_name(model, model->pair[pair].a).text);
    add_key(out, "b");
    tact_text_add_json(out, tact_shape_name(model, model->pair[pair].b).text);
    if (model->pair[pair].vertex == 0 || job->joined) return;
    add_key(out, "vertex");
    tact_text_add_integer(out, model->pair[pair].vertex);
}

// Adds the names of all dofs, or of the driven ones.
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
    tact_text_print(out, "{\"step\":%lld", step);
    add_key(out, "status");
    tact_text_add_json(out, tact_status_name(status));
    if (status == TACT_HELD) tact_text_add(out, ",\"held\":\"particles\"");
    add_dofs(&job->world.scene->model, "dofs", false, out);
    add_dofs(&job->world.scene->model, "driven", true, out);
}

// Entries of a list begin with {, the ones after the first with a comma before it.
static void begin_item(tact_text *out) {
    tact_text_add(out, out->bytes && out->bytes[out->size - 1] == '[' ? "{" : ",{");
}

// Contacts by their pairs, and the matrices: whole, or, under the virtual law, by q and v apart.
static void add_matrices(grad_job *job, const int *pair, int nc, const tact_jacobians *m) {
    const tact_model *model = &job->world.scene->model;
    int nv = model->nv, nu = model->nu, nx = tact_linear_order(model), nl = 3 * nc;
    tact_text *out = &job->out;
    add_key(out, "contacts");
    tact_text_add(out, "[");
    for (int c = 0; c < nc; c++) {
        begin_item(out);
        add_pair(job, pair[c], out);
        tact_text_add(out, "}");
    }
    tact_text_add(out, "]");
    // x = (q, v): the blocks of A and B have their own keys
    bool apart = nx > nv && !job->joined;
    int rows = apart ? nv : nx;
    add_part(out, "A", m->A, rows, rows, nx);
    add_part(out, "B", m->B, rows, nu, nu);
    add_part(out, "C", m->C, nl, rows, nx);
    add_part(out, "D", m->D, nl, nu, nu);
    if (!apart) return;
    add_part(out, "A_qv", m->A + nv, nv, nv, nx);
    add_part(out, "A_vq", m->A + nv * nx, nv, nv, nx);
    add_part(out, "A_vv", m->A + nv * nx + nv, nv, nv, nx);
    add_part(out, "B_v", m->B + nv * nu, nv, nu, nu);
}

// "dq":..,"dlambda":.. by the components of a parameter; where x is in one piece "dv", too
static void add_columns(grad_job *job, tact_parameter parameter, int components) {
    int nv = job->world.scene->model.nv, nl = 3 * job->world.work.contacts.count, first = parameter.component;
    for (int k = 0; k < components; k++) {
        parameter.component = first + k;
        tact_step_change change = {.parameter = &parameter};
        tact_linear_push(&job->linear, &change, &(tact_step_effect){job->one, job->joined ? job->dv : NULL, job->force});
        for (int i = 0; i < nv; i++) job->dq[i * components + k] = job->one[i];
        for (int i = 0; i < nl; i++) job->dlambda[i * components + k] = job->force[i];
    }
    add_array(&job->out, "dq", job->dq, nv, components);
    if (job->joined) add_array(&job->out, "dv", job->dv, nv, 1);
    add_array(&job->out, "dlambda", job->dlambda, nl, components);
}

// What the parameters of a kind are of.
typedef enum { OF_ALL, OF_CONTACTS, OF_SHAPES, OF_BODIES, OF_DOFS } grad_things;

static const struct {
    const char *key;
    tact_parameter_kind kind;
    grad_things things;
    int components;
} parameters[] = {
    {"kappa", TACT_PARAMETER_KAPPA, OF_ALL, 1},
    {"limit_kappa", TACT_PARAMETER_LIMIT_KAPPA, OF_ALL, 1},
    {"epsilon", TACT_PARAMETER_EPSILON, OF_ALL, 1},
    {"dt", TACT_PARAMETER_DT, OF_ALL, 1},
    {"kn", TACT_PARAMETER_KN, OF_ALL, 1},
    {"kd", TACT_PARAMETER_KD, OF_ALL, 1},
    {"kt", TACT_PARAMETER_KT, OF_ALL, 1},
    {"temperature", TACT_PARAMETER_TEMPERATURE, OF_ALL, 1},
    {"size", TACT_PARAMETER_SIZE, OF_SHAPES, 2},
    {"inertia", TACT_PARAMETER_INERTIA, OF_BODIES, 1},
    {"damping", TACT_PARAMETER_DAMPING, OF_DOFS, 1},
    {"mu", TACT_PARAMETER_MU, OF_CONTACTS, 1},
    {"radius", TACT_PARAMETER_RADIUS, OF_SHAPES, 1},
    {"mass", TACT_PARAMETER_MASS, OF_BODIES, 1},
    {"stiffness", TACT_PARAMETER_STIFFNESS, OF_DOFS, 1},
    {"force", TACT_PARAMETER_FORCE, OF_BODIES, 3},
};

// Whether the radius of a shape moves its places of contact along it, too: of edges, whose radius is that of a box or hull.
static bool is_edge(const tact_model *model, int shape) {
    for (int i = 0; i < model->npair; i++) {
        const tact_pair *pair = &model->pair[i];
        if ((pair->vertex > 2 && pair->b == shape) || (pair->vertex < -2 && pair->a == shape)) return true;
    }
    return false;
}

// Whether derivatives by the parameter are printed for body, shape, dof or pair i.
static bool counts(const grad_job *job, tact_parameter_kind kind, grad_things things, int i) {
    const tact_scene *scene = job->world.scene;
    const tact_model *model = &scene->model;
    tact_shape_type type = things == OF_SHAPES ? model->shape[i].type : TACT_SHAPE_PLANE;
    bool ball = tact_shape_is_ball(type), flat = type == TACT_SHAPE_PLANE || type == TACT_SHAPE_HALFPLANE;
    bool capsule = type == TACT_SHAPE_CAPSULE && !model->law->springs && !is_edge(step_model(job), i);
    if (things == OF_SHAPES && !tact_linear_has(model, (tact_parameter){.kind = kind, .index = i})) return false;
    if (kind == TACT_PARAMETER_RADIUS) {
        if (!(ball || capsule)) return false;
        // whether the shape is in a contact of the step
        const tact_contacts *contacts = &job->world.work.contacts;
        for (int c = 0; c < contacts->count; c++) {
            const tact_pair *pair = &step_model(job)->pair[contacts->contact[c].pair];
            if (pair->a == i || pair->b == i) return true;
        }
        return false;
    }
    if (kind == TACT_PARAMETER_SIZE) return !ball && !flat && !tact_shape_is_union(type);
    if (kind == TACT_PARAMETER_STIFFNESS) return model->dof[i].u >= 0;
    // without velocities driven dofs have no inertia
    if (kind == TACT_PARAMETER_MASS && !model->law->velocities) return model->loose[i] || scene->options.gravity_on_driven;
    return things != OF_BODIES || model->path_start[i + 1] > model->path_start[i];
}

// {"body":NAME, of thing i
static void begin_thing(grad_job *job, grad_things things, int i) {
    const tact_model *model = step_model(job);
    begin_item(&job->out);
    if (things == OF_CONTACTS && !job->joined) {
        add_pair(job, job->world.work.contacts.contact[i].pair, &job->out);
        return;
    }
    if (things == OF_CONTACTS) i = model->pair[job->world.work.contacts.contact[i].pair].b;
    add_key(&job->out, things == OF_BODIES ? "body" : things == OF_DOFS ? "dof" : "shape");
    tact_text_add_json(&job->out, (things == OF_BODIES ? tact_body_name(model, i)
                                   : things == OF_DOFS ? tact_dof_name(model, i)
                                                       : tact_shape_name(model, i))
                                      .text);
}

// Adds the derivatives by every parameter that the law has.
static void add_parameters(grad_job *job) {
    const tact_model *model = &job->world.scene->model;
    const int most[] = {1, job->world.work.contacts.count, model->nshape, model->nbody, model->nv};
    tact_text *out = &job->out;
    add_key(out, "parameters");
    tact_text_add(out, "{");
    for (size_t row = 0; row < sizeof parameters / sizeof parameters[0]; row++) {
        grad_things things = parameters[row].things;
        tact_parameter parameter = {.kind = parameters[row].kind, .index = -1};
        if (!tact_linear_has(model, parameter)) continue;
        // where x is in one piece each component is an item of its own
        int components = parameters[row].components, items = job->joined ? components : 1;
        add_key(out, parameters[row].key);
        tact_text_add(out, things == OF_ALL ? "{" : "[");
        for (int i = 0; i < most[things]; i++)
            for (int k = 0; k < items && counts(job, parameter.kind, things, i); k++) {
                if (things != OF_ALL) begin_thing(job, things, i);
                if (items > 1) add_key(out, "axis");
                if (items > 1) tact_text_add_integer(out, k);
                parameter.index = things == OF_CONTACTS ? job->world.work.contacts.contact[i].pair : i;
                parameter.component = k;
                add_columns(job, parameter, components / items);
                if (things != OF_ALL) tact_text_add(out, "}");
            }
        tact_text_add(out, things == OF_ALL ? "}" : "]");
    }
    tact_text_add(out, "}");
}

// Adds dq+/df and dv+/df for a force f on each dof, under the virtual law.
static void add_forces(grad_job *job) {
    int nv = job->world.scene->model.nv;
    for (int i = 0; i < nv; i++) job->dq[i] = 0;
    for (int k = 0; k < nv; k++) {
        tact_step_change change = {.force = job->dq};
        job->dq[k] = 1;
        tact_linear_push(&job->linear, &change, &(tact_step_effect){job->one, job->dv, NULL});
        job->dq[k] = 0;
        for (int i = 0; i < nv; i++) job->F[i * nv + k] = job->one[i];
        for (int i = 0; i < nv; i++) job->F[(nv + i) * nv + k] = job->dv[i];
    }
    add_part(&job->out, "F", job->F, nv, nv, nv);
    add_part(&job->out, "F_v", job->F + nv * nv, nv, nv, nv);
}

// Memory of the linearised step and of its matrices; an arena without memory measures.
static void place_job(void *context, tact_arena *arena) {
    grad_job *job = context;
    const tact_model *model = &job->world.scene->model;
    size_t nv = (size_t)model->nv, nu = (size_t)model->nu, nl = 3 * (size_t)tact_model_pairs(model), real = sizeof(tact_real);
    size_t nx = (size_t)tact_linear_order(model), state = tact_state_size(model), size = tact_linear_size(model);
    void *before = tact_arena_take(arena, state, 1), *linear = tact_arena_take(arena, size, 1);
    if (before) tact_state_init(&job->before, model, before, state);
    if (linear) tact_linear_init(&job->linear, model, linear, size);
    job->matrices = (tact_jacobians){.A = tact_arena_take(arena, nx * nx, real),
                                     .B = tact_arena_take(arena, nx * nu, real),
                                     .C = tact_arena_take(arena, nl * nx, real),
                                     .D = tact_arena_take(arena, nl * nu, real)};
    job->pair = tact_arena_take(arena, nl / 3, sizeof(int));
    job->F = tact_arena_take(arena, 2 * nv * nv, real);
    job->dq = tact_arena_take(arena, 3 * nv, real);
    job->dv = tact_arena_take(arena, nv, real);
    job->dlambda = tact_arena_take(arena, 3 * nl, real);
    job->one = tact_arena_take(arena, nv, real);
    job->force = tact_arena_take(arena, nl, real);
}

// The answer, and why it has no matrices or rests on a step that did not converge.
static int print(grad_job *job, long long step, tact_status status) {
    bool done = status == TACT_CONVERGED || status == TACT_HELD;
    if (!done && job->world.work.status == status)
        tact_stage_say_step(job->call, &job->world, step);
    else if (!done)
        tact_say("grad: %s: step %lld: its derivatives: %s", status < 0 ? "error" : "warning", step, tact_status_name(status));
    tact_text_add(&job->out, "}\n");
    return tact_print_text(&job->out, done ? TACT_EXIT_DONE : TACT_EXIT_UNSOLVED);
}

// Takes the steps and prints the derivatives of the last one. Returns the exit code.
static int grad_step(grad_job *job, bool frozen) {
    tact_world *world = &job->world;
    const tact_scene *scene = world->scene;
    const tact_law *law = scene->model.law;
    void *memory = tact_memory_place(place_job, job);
    if (!memory) return tact_say_no_memory("");
    job->linear.frozen_geometry = frozen;
    long long step = 0;
    tact_status status = TACT_CONVERGED, worst = TACT_CONVERGED;
    for (; step < job->steps && status >= 0; step++) {
        if (step == job->steps - 1) tact_state_copy(&job->before, &world->state, &scene->model);
        status = tact_world_step(world);
        if (status != TACT_CONVERGED && law->springs) worst = status;
    }
    if (status >= 0) {
        // the forces of that time, which the step left in place
        job->input = (tact_input){.u = world->u, .wrench = scene->nforce > 0 ? world->wrench : NULL};
        tact_record made = {&scene->model, &scene->options, &job->input, &job->before, &world->state, &world->work};
        tact_status linear = tact_linearise(&job->linear, &made);
        if (linear >= 0) linear = tact_linear_matrices(&job->linear, &job->matrices);
        status = worst == TACT_CONVERGED ? status : worst;
        if (linear < 0 || status == TACT_CONVERGED) status = linear;
    }
    add_head(job, step, status);
    if (status >= 0) {
        const tact_contacts *contacts = &world->work.contacts;
        for (int c = 0; c < contacts->count; c++) job->pair[c] = contacts->contact[c].pair;
        if (!law->springs) add_bool(&job->out, "kink", job->linear.kink);
        if (job->joined) add_bool(&job->out, "redundant", job->linear.redundant);
        // The joints whose drive or spring gives its greatest force: the step does not feel their commands.
        const tact_model *model = &job->world.scene->model;
        bool any = false;
        for (int s = 0; !model->law->springs && s < model->nspring; s++) {
            if (job->world.work.held[s] == 0) continue;
            tact_text_add(&job->out, any ? "," : ",\"at_force_limit\":[");
            tact_text_add_json(&job->out, model->names->joint[model->dof[model->spring[s].dof[0]].body]);
            any = true;
        }
        if (any) tact_text_add(&job->out, "]");
        add_matrices(job, job->pair, contacts->count, &job->matrices);
        if (law->springs) add_forces(job);
        add_parameters(job);
    }
    int code = print(job, step, status);
    tact_memory_release(memory);
    return code;
}

static void report(void *progress, int done) {
    tact_progress_show(progress, done);
}

// Prints the matrices of a whole run. Returns the exit code.
static int grad_rollout(grad_job *job, bool frozen) {
    const tact_law *law = job->world.scene->model.law;
    tact_run_jacobian run;
    tact_progress progress;
    tact_progress_begin(&progress, job->steps, !law->springs);
    bool made = tact_run_jacobian_make(&run, &job->world, (int)job->steps, frozen, report, &progress);
    tact_progress_end(&progress);
    if (!made) return tact_say_no_memory("");
    tact_status status = run.status;
    add_head(job, run.steps, status);
    if (status >= 0) {
        // the virtual law is smooth: it has no kinks
        if (!law->springs) add_key(&job->out, "kinks");
        if (!law->springs) tact_text_add_integer(&job->out, run.kinks);
        if (job->joined) add_bool(&job->out, "redundant", run.redundant);
        add_matrices(job, run.pair, run.nc, &run.matrices);
    }
    int code = print(job, run.steps, status);
    tact_run_jacobian_free(&run);
    return code;
}

static int run(const tact_call *call) {
    grad_job job = {.call = call};
    bool rollout = tact_call_value(call, "--rollout") != NULL, frozen = tact_call_value(call, "--frozen") != NULL;
    if (!tact_call_integer(call, "--steps", 1, rollout ? RUN_MAX : STEPS_MAX, 1, &job.steps)) return TACT_EXIT_USAGE;
    int code = tact_stage_open(call, tact_call_operand(call, 0), &job.world);
    if (code == TACT_EXIT_DONE) code = tact_stage_check_start(call, &job.world);
    if (code != TACT_EXIT_DONE) return code;
    const tact_law *law = job.world.scene->model.law;
    // the rigid law's matrices are printed as they are
    job.joined = law->velocities && !law->springs;
    if (frozen) job.world.scene->options.gradient = TACT_GRADIENT_FROZEN;
    if (frozen && job.joined) {
        code = tact_say_usage(call->command, "--frozen: the law rigid has no such derivatives");
    } else if (tact_linear_refuse(&job.world.scene->model)) {
        code = TACT_EXIT_REFUSED;
        tact_say("grad: error: a step has no derivatives here where a free joint is carried by a body that moves");
    } else {
        code = rollout ? grad_rollout(&job, frozen) : grad_step(&job, frozen);
    }
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
