// SPDX-License-Identifier: MIT
// Commands that bring a body to its goal: a search for a whole plan (tact/optimise.h) and model predictive control (tact/mpc.h).
// Both load their scene themselves, as the commands tact optimise and tact mpc do, and give the same bits. Python's lock is
// released while they search.
#include "plan.h"

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "tact/control.h"
#include "tact/memory.h"
#include "tact/region.h"
#include "tact/sim.h"
#include "tact/trace.h"

enum { SETTINGS = 256, ADVICE = 400 };

static PyObject *refused;

// ---- scenes

// (scene, law or None, settings, folder or None): a path, or a text that begins with '{'. NULL after an exception.
static tact_scene *load_scene(const char *scene, const char *law, PyObject *list, const char *folder) {
    const char *set[SETTINGS], *message = "out of memory";
    int nset = tact_python_strings(list, "set", set, SETTINGS);
    if (nset < 0) return NULL;
    tact_errors *errors = PyMem_Calloc(1, sizeof *errors);
    if (!errors) return (tact_scene *)(void *)PyErr_NoMemory();
    tact_scene_settings settings = {.set = set, .nset = nset, .law = law};
    tact_scene *found = NULL;
    PyThreadState *others = PyEval_SaveThread();
    if (scene[strspn(scene, " \t\r\n")] == '{') {
        tact_source source = {.name = "scene", .bytes = scene, .size = strlen(scene), .line = 1};
        tact_text place = {0};
        tact_text_add(&place, folder ? folder : "");
        if (folder && folder[0]) tact_text_add(&place, "/");
        if (!place.failed) found = tact_scene_parse(source, place.bytes ? place.bytes : "", &settings, errors);
        tact_text_free(&place);
    } else {
        found = tact_scene_read(scene, &settings, errors);
    }
    PyEval_RestoreThread(others);
    for (int i = errors->kept - 1; i >= 0; i--)
        if (errors->items[i].kind != TACT_ERROR_WARNING) message = errors->items[i].text;
    if (!found)
        PyErr_SetString(errors->errors == 0 || errors->kind == TACT_ERROR_NO_MEMORY ? PyExc_MemoryError : refused, message);
    PyMem_Free(errors);
    return found;
}

static PyObject *numbers(const tact_real *x, Py_ssize_t count) {
    PyObject *list = PyList_New(count);
    for (Py_ssize_t i = 0; list && i < count; i++)
        if (PyList_SetItem(list, i, PyFloat_FromDouble(x[i])) != 0) Py_CLEAR(list);
    return list;
}

// ---- a whole plan

typedef struct {
    PyThreadState *others;  // saved while the search runs
    PyObject *report;       // called with (start, iteration, value, excess); None
    int start;              // number of the search
    int failed;             // an exception waits
    int idle;               // the goal was reached before the first iteration
    int interrupted;        // by Ctrl-C
} plan_watch;

// Between iterations: an interrupt, or what the caller's function says, ends the search.
static bool watch(void *context, const tact_plan_progress *at) {
    plan_watch *job = context;
    if (job->start == 0 && at->iteration == 0) job->idle = at->excess <= 1;
    PyEval_RestoreThread(job->others);
    int go_on = PyErr_CheckSignals() == 0;
    if (go_on && job->report != Py_None) {
        PyObject *said = PyObject_CallFunction(job->report, "iidd", job->start, at->iteration, at->value, at->excess);
        go_on = said != NULL && (said == Py_None || PyObject_IsTrue(said) == 1);
        Py_XDECREF(said);
    }
    job->failed = PyErr_Occurred() != NULL;
    job->others = PyEval_SaveThread();
    return go_on;
}

static const char *shape_name(const tact_model *model, int shape, char room[200]) {
    tact_thing_name name = tact_shape_name(model, shape);
    PyOS_snprintf(room, 200, "%s", name.text);
    return room;
}

// Why a search may have ended before the goal, and what to do, as the command tact optimise says it; "" when there is nothing.
static void print_advice(const tact_scene_plan *plan, const tact_plan_result *result, char text[ADVICE]) {
    const tact_model *model = &plan->scene->model;
    tact_advice advice = tact_scene_plan_advise(plan, result);
    char a[200], b[200];
    text[0] = '\0';
    if (advice.numb && !model->law->distant)
        PyOS_snprintf(
            text, ADVICE,
            "no command moves the body: the law %s has no forces before contact; search with law=\"barrier\", then begin "
            "with start=plan.u",
            model->law->name);
    else if (advice.numb && advice.pair >= 0)
        PyOS_snprintf(
            text, ADVICE,
            "no command moves the body: %.60s and %.60s begin %.4g m apart, the margin is %.4g m; try options.margin=%.4g",
            shape_name(model, model->pair[advice.pair].a, a), shape_name(model, model->pair[advice.pair].b, b), advice.gap,
            advice.margin, advice.wanted_margin);
    else if (advice.numb)
        PyOS_snprintf(text, ADVICE, "no command moves the body: is anything driven within options.margin of it?");
    else if (advice.jumps)
        PyOS_snprintf(
            text, ADVICE,
            "%d times a pair came into the margin of %.4g m or left it between two iterations, where its force jumps by "
            "%.4g N; try options.margin=%.4g",
            result->jumps, advice.margin, advice.jump, advice.wanted_margin);
    else if (advice.anchors)
        PyOS_snprintf(text, ADVICE,
                      "anchors are at their cap in %d steps, where the loss has kinks; search with options.anchor=false, then "
                      "again with start=plan.u",
                      result->kinks);
    else if (plan->scene->goal.reach == 0)
        PyOS_snprintf(text, ADVICE,
                      "where the driven links begin far from the body, goal.reach=10 draws them to it; tact.Mpc replans on the "
                      "way, and starts=8 tries other beginnings");
}

// Searches from all starts; the best plan is in the planner then, and last in its evaluation.
static tact_plan_result search(tact_scene_plan *plan, const tact_plan_options *options, plan_watch *job, int starts,
                               unsigned long long seed, tact_real *best) {
    tact_planner *planner = &plan->planner;
    tact_plan_result found = {.status = TACT_BAD_INPUT};
    for (int k = 0; k < starts && !job->failed && !found.stopped; k++) {
        job->start = k;
        if (k > 0) tact_planner_scatter(planner, seed, (uint64_t)k);
        tact_plan_result result = tact_planner_search(planner, options);
        if (k > 0 && !tact_plan_is_better(&result, &found)) {
            found.stopped = found.stopped || result.stopped;
            continue;
        }
        found = result;
        for (int i = 0; i < planner->n; i++) best[i] = planner->x[i];
    }
    for (int i = 0; i < planner->n; i++) planner->x[i] = best[i];
    if (found.status >= 0) tact_planner_value(planner, planner->x, NULL);
    return found;
}

// What came of it: (status, step, method, iterations, evaluations, value, excess, u, knots, times, errors, advice, N, K, nu,
// interrupted)
static PyObject *tell(tact_scene_plan *plan, const tact_plan_result *result, int idle, int interrupted) {
    static const char *const methods[] = {[TACT_PLAN_AUTO] = "auto", [TACT_PLAN_ILQR] = "ilqr", [TACT_PLAN_LBFGS] = "lbfgs"};
    const tact_planner *planner = &plan->planner;
    const tact_plan_task *task = &planner->task;
    int nu = task->model->nu, N = task->horizon, K = task->knots + 1;
    char advice[ADVICE] = "";
    if (result->status >= 0 && result->excess > 1) print_advice(plan, result, advice);
    if (result->excess <= 1 && idle)
        PyOS_snprintf(
            advice, ADVICE,
            "the goal is reached by holding still: goal.tolerance %.4g m and goal.angle_tolerance %.4g rad are wide for it",
            plan->scene->goal.tolerance, plan->scene->goal.angle_tolerance);
    tact_scene_plan_command(plan);
    return Py_BuildValue("(iisiiddNNNNsiiii)", (int)result->status, result->step,
                         result->both ? "ilqr and lbfgs in turn" : methods[result->method], result->iterations,
                         result->evaluations, (double)result->value, (double)result->excess,
                         PyByteArray_FromStringAndSize((const char *)planner->command, (Py_ssize_t)sizeof(tact_real) * N * nu),
                         PyByteArray_FromStringAndSize((const char *)plan->command.u, (Py_ssize_t)sizeof(tact_real) * K * nu),
                         numbers(plan->command.times, K), numbers(planner->error, task->nresidual), advice, N, K, nu,
                         interrupted);
}

// What a scene lacks for a plan by a method; NULL: nothing.
static const char *find_fault(const tact_scene *scene) {
    if (scene->goal.nresidual == 0) return "the scene has no goal: expected goal={\"body\": NAME, \"position\": [x, y, z]}";
    return scene->model.nu == 0 ? "the scene has no driven joint" : NULL;
}

typedef struct {
    PyObject *q, *v, *start, *report;
    double time;
    int rows, method, iterations, starts;
    unsigned long long seed;
} plan_wish;

// From a state that is placed; NULL after an exception.
static PyObject *plan_from(tact_scene *scene, const plan_wish *wish, tact_state *state) {
    const tact_model *model = &scene->model;
    PyObject *const array[3] = {wish->q, wish->v, wish->start == Py_True ? Py_None : wish->start};
    expectation wanted[3] = {
        {"q", 'd', 0, 1, 1, {model->nq}}, {"v", 'd', 0, 1, 1, {model->nv}}, {"start", 'd', 0, 1, 2, {wish->rows, model->nu}}};
    Py_buffer buffer[3];
    tact_fault fault = {NULL, 0};
    tact_scene_plan plan = {0};
    PyObject *result = NULL;
    if (!tact_python_take_all(array, wanted, 3, buffer)) return NULL;
    if (buffer[0].buf) memcpy(state->q, buffer[0].buf, sizeof(tact_real) * (size_t)model->nq);
    if (buffer[1].buf) memcpy(state->v, buffer[1].buf, sizeof(tact_real) * (size_t)model->nv);
    state->time = (tact_real)wish->time;
    tact_plan_options options = tact_plan_options_default();
    plan_watch job = {.report = wish->report};
    options.method = (tact_plan_method)wish->method;
    options.iteration_limit = wish->iterations;
    options.report = watch;
    options.context = &job;
    bool open = tact_scene_plan_open(&plan, scene, state, options.method, &fault);
    tact_real *best = open ? tact_memory_get((size_t)plan.planner.n * sizeof *best) : NULL;
    if (best) {
        if (wish->start == Py_True) tact_scene_plan_take(&plan);
        if (buffer[2].buf) tact_planner_take(&plan.planner, buffer[2].buf, wish->rows);
        job.others = PyEval_SaveThread();
        tact_plan_result found = search(&plan, &options, &job, wish->starts, wish->seed, best);
        PyEval_RestoreThread(job.others);
        // Ctrl-C after a rollout that has an answer: its caller raises it again, with the best plan
        if (job.failed && found.status >= 0 && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
            PyErr_Clear();
            job.failed = 0;
            job.interrupted = 1;
        }
        if (job.failed) {
            // the exception of the caller's function, or of an interrupt
        } else if (found.fault.field) {
            PyErr_Format(PyExc_ValueError, "the plan is refused: %s: the law %s or this scene does not have it",
                         found.fault.field, model->law->name);
        } else {
            result = tell(&plan, &found, job.idle && !buffer[2].buf && wish->start != Py_True, job.interrupted);
        }
    } else if (fault.field) {
        PyErr_Format(PyExc_ValueError, "the plan is refused: %s", fault.field);
    } else {
        PyErr_NoMemory();
    }
    tact_memory_release(best);
    tact_scene_plan_close(&plan);
    tact_python_release(buffer, 3);
    return result;
}

// (scene, law, settings, folder, q, v, time, start, rows, method, iterations, starts, seed, report); start: None, True (the
// scene's command) or an array (rows, nu)
static PyObject *find_plan(PyObject *module, PyObject *arguments) {
    const char *text = NULL, *law = NULL, *folder = NULL;
    PyObject *list = Py_None;
    plan_wish wish = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "szOzOOdOiiiiKO", &text, &law, &list, &folder, &wish.q, &wish.v, &wish.time, &wish.start,
                          &wish.rows, &wish.method, &wish.iterations, &wish.starts, &wish.seed, &wish.report))
        return NULL;
    tact_scene *scene = load_scene(text, law, list, folder);
    if (!scene) return NULL;
    PyObject *result = NULL;
    const char *fault = find_fault(scene);
    size_t size = tact_state_size(&scene->model);
    void *memory = tact_memory_get(size);
    tact_state state;
    if (fault)
        PyErr_SetString(PyExc_ValueError, fault);
    else if (!memory || tact_state_init(&state, &scene->model, memory, size) != TACT_CONVERGED)
        PyErr_NoMemory();
    else
        result = plan_from(scene, &wish, &state);
    tact_memory_release(memory);
    tact_scene_free(scene);
    return result;
}

// ---- model predictive control

typedef struct {
    PyObject ob_base;
    tact_scene *scene;  // NULL: not opened
    void *memory;       // of the controller and its region
    tact_options step;
    tact_mpc_options control;
    tact_mpc mpc;
    tact_region region;
    tact_goal goal;
    int in_use;  // by a thread that has released the lock
} mpc_object;

static void mpc_place_all(void *context, tact_arena *arena) {
    mpc_object *self = context;
    const tact_model *model = &self->scene->model;
    int horizon = self->scene->mpc.horizon;
    bool contacts = self->scene->mpc.region > 0;
    size_t size = tact_mpc_size(model, horizon), region_size = contacts ? tact_region_size(model, horizon) : 0;
    void *region = tact_arena_take(arena, region_size, 1), *memory = tact_arena_take(arena, size, 1);
    if (!memory || (contacts && !region)) return;
    if (contacts) tact_region_init(&self->region, model, horizon, region, region_size);
    tact_mpc_init(&self->mpc, model, horizon, memory, size);
}

static void mpc_dealloc(PyObject *object) {
    mpc_object *self = (mpc_object *)object;
    PyTypeObject *type = Py_TYPE(object);
    tact_memory_release(self->memory);
    if (self->scene) tact_scene_free(self->scene);
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(object);
    Py_DECREF((PyObject *)type);
}

// (scene, settings, folder, rate); rate 0: the scene's
static int mpc_open(PyObject *object, PyObject *arguments, PyObject *keywords) {
    mpc_object *self = (mpc_object *)object;
    const char *text = NULL, *folder = NULL;
    PyObject *list = Py_None;
    double rate = 0;
    (void)keywords;
    if (!PyArg_ParseTuple(arguments, "sOzd", &text, &list, &folder, &rate)) return -1;
    if (self->scene) {
        PyErr_SetString(PyExc_ValueError, "the controller is open already");
        return -1;
    }
    tact_scene *scene = load_scene(text, "barrier", list, folder);
    if (!scene) return -1;
    if (scene->goal.body < 0 || scene->model.nu == 0) {
        PyErr_SetString(PyExc_ValueError, scene->model.nu == 0
                                              ? "the scene has no driven joint"
                                              : "the scene has no goal: expected goal={\"body\": NAME, \"position\": [x, y, z]}");
        tact_scene_free(scene);
        return -1;
    }
    self->scene = scene;
    self->goal = scene->goal;
    tact_control_options(scene, (tact_real)rate, &self->step, &self->control);
    self->memory = tact_memory_place(mpc_place_all, self);
    if (!self->memory) {
        self->scene = NULL;
        tact_scene_free(scene);
        PyErr_NoMemory();
        return -1;
    }
    self->region.bearing = tact_force_min(&scene->model, &self->step);
    self->control.region = scene->mpc.region > 0 ? &self->region : NULL;
    return 0;
}

static int mpc_usable(const mpc_object *self) {
    if (!self->scene) PyErr_SetString(PyExc_ValueError, "the controller was not opened: Mpc.__init__ was not called");
    if (self->in_use) PyErr_SetString(PyExc_RuntimeError, "the controller is in use by another thread");
    return self->scene && !self->in_use;
}

// What does not fit of a quaternion, of which a model has unit ones; false after an exception.
static int check_quaternions(const tact_model *model, const tact_real *q) {
    for (int b = 0; b < model->nbody; b++) {
        const tact_real *Q = q + model->body[b].q + 3;
        if (model->body[b].joint != TACT_JOINT_FREE) continue;
        double norm = sqrt(Q[0] * Q[0] + Q[1] * Q[1] + Q[2] * Q[2] + Q[3] * Q[3]);
        if (fabs(norm - 1) < 1e-3) continue;
        char found[40];
        PyOS_snprintf(found, sizeof found, "%.6g", norm);
        PyErr_Format(PyExc_ValueError, "q: expected a unit quaternion w, x, y, z at %d to %d, found one of length %s",
                     model->body[b].q + 3, model->body[b].q + 6, found);
        return 0;
    }
    return 1;
}

// q (nq), or None, as an array that fits; false after an exception.
static int take_coordinates(const mpc_object *self, PyObject *array, Py_buffer *buffer) {
    const tact_model *model = &self->scene->model;
    expectation wanted = {"q", 'd', 0, 1, 1, {model->nq}};
    if (!tact_python_take(array, &wanted, buffer)) return 0;
    if (!buffer->buf || check_quaternions(model, buffer->buf)) return 1;
    tact_python_release(buffer, 1);
    return 0;
}

// (q, u): replans from q, and writes the command of the coming tick into u (nu). The status of the solve.
static PyObject *mpc_step(PyObject *object, PyObject *arguments) {
    mpc_object *self = (mpc_object *)object;
    PyObject *array[2];
    Py_buffer q, u;
    if (!PyArg_ParseTuple(arguments, "OO", &array[0], &array[1]) || !mpc_usable(self)) return NULL;
    expectation wanted = {"u", 'd', 1, 0, 1, {self->scene->model.nu}};
    if (!take_coordinates(self, array[0], &q)) return NULL;
    if (!q.buf) {
        PyErr_SetString(PyExc_TypeError, "q: expected the measured coordinates, found None");
        return NULL;
    }
    if (!tact_python_take(array[1], &wanted, &u)) {
        tact_python_release(&q, 1);
        return NULL;
    }
    tact_pose_goal goal = tact_control_goal(self->scene, &self->goal);
    self->in_use = 1;
    PyThreadState *others = PyEval_SaveThread();
    tact_status status = tact_mpc_solve(&self->mpc, &self->step, &self->control, &goal, q.buf);
    PyEval_RestoreThread(others);
    self->in_use = 0;
    memcpy(u.buf, self->mpc.last, sizeof(tact_real) * (size_t)self->scene->model.nu);
    tact_python_release(&q, 1);
    tact_python_release(&u, 1);
    return PyLong_FromLong(status);
}

static PyObject *mpc_reset(PyObject *object, PyObject *array) {
    mpc_object *self = (mpc_object *)object;
    Py_buffer q;
    if (!mpc_usable(self) || !take_coordinates(self, array, &q)) return NULL;
    tact_mpc_reset(&self->mpc, q.buf ? q.buf : self->scene->model.q0);
    tact_python_release(&q, 1);
    Py_RETURN_NONE;
}

// (distance [m], angle [rad]) of the goal's body from its goal at q (nq)
static PyObject *mpc_error(PyObject *object, PyObject *array) {
    mpc_object *self = (mpc_object *)object;
    Py_buffer q;
    if (!mpc_usable(self) || !take_coordinates(self, array, &q)) return NULL;
    tact_kinematics_update(&self->mpc.pose, &self->scene->model, q.buf ? q.buf : self->scene->model.q0);
    tact_python_release(&q, 1);
    tact_pose_goal goal = tact_control_goal(self->scene, &self->goal);
    tact_pose_error error = tact_pose_goal_error(&goal, &self->mpc.pose.pose[self->goal.body]);
    double distance = sqrt(tact_vec3_dot(error.position, error.position));
    double angle = self->goal.oriented ? sqrt(tact_vec3_dot(error.rotation, error.rotation)) : 0;
    return Py_BuildValue("(dd)", distance, angle);
}

// (body, position, orientation or None, tolerance of the position, of the angle, hold)
static PyObject *mpc_get_goal(PyObject *object, PyObject *nothing) {
    mpc_object *self = (mpc_object *)object;
    (void)nothing;
    if (!mpc_usable(self)) return NULL;
    const tact_goal *goal = &self->goal;
    tact_thing_name body = tact_body_name(&self->scene->model, goal->body);
    tact_quat Q = goal->orientation;
    PyObject *turn = goal->oriented ? Py_BuildValue("[dddd]", Q.w, Q.x, Q.y, Q.z) : Py_BuildValue("");
    return Py_BuildValue("(s[ddd]Nddd)", body.text, goal->position.x, goal->position.y, goal->position.z, turn,
                         goal->position_tolerance, goal->angle_tolerance, goal->hold);
}

// (index of the body, position, orientation or None, tolerance of the position, of the angle, hold)
static PyObject *mpc_set_goal(PyObject *object, PyObject *arguments) {
    mpc_object *self = (mpc_object *)object;
    PyObject *turn = Py_None;
    tact_goal goal = self->goal;
    double p[3], Q[4] = {1, 0, 0, 0}, position = 0, angle = 0, hold = 0;
    int body = 0;
    if (!PyArg_ParseTuple(arguments, "i(ddd)Oddd", &body, &p[0], &p[1], &p[2], &turn, &position, &angle, &hold) ||
        !mpc_usable(self))
        return NULL;
    if (turn != Py_None && !PyArg_ParseTuple(turn, "dddd", &Q[0], &Q[1], &Q[2], &Q[3])) return NULL;
    if (body < 0 || body >= self->scene->model.nbody) {
        PyErr_Format(PyExc_IndexError, "body %d: expected 0 to %d", body, self->scene->model.nbody - 1);
        return NULL;
    }
    bool other = body != goal.body;
    goal.body = body;
    goal.position = tact_vec3_make((tact_real)p[0], (tact_real)p[1], (tact_real)p[2]);
    goal.oriented = turn != Py_None;
    if (goal.oriented)
        goal.orientation = tact_quat_normalize((tact_quat){(tact_real)Q[0], (tact_real)Q[1], (tact_real)Q[2], (tact_real)Q[3]});
    goal.position_tolerance = (tact_real)position;
    goal.angle_tolerance = (tact_real)angle;
    goal.hold = (tact_real)hold;
    self->goal = goal;
    if (!other) Py_RETURN_NONE;
    // the weight of undriven mass in planning steps follows the goal's body
    tact_region *region = self->control.region;
    self->scene->goal.body = body;
    tact_control_options(self->scene, 1 / self->control.tick, &self->step, &self->control);
    self->control.region = region;
    Py_RETURN_NONE;
}

// Arrays of the controller, by number: each (rows, columns) as a copy.
enum { MPC_PLAN, MPC_PATH, MPC_GAIN, MPC_LAST };

static PyObject *mpc_array(PyObject *object, PyObject *number) {
    mpc_object *self = (mpc_object *)object;
    long which = PyLong_AsLong(number);
    if ((which == -1 && PyErr_Occurred()) || !mpc_usable(self)) return NULL;
    const tact_model *model = &self->scene->model;
    const tact_mpc *mpc = &self->mpc;
    Py_ssize_t rows = which == MPC_PLAN ? mpc->horizon : which == MPC_PATH ? mpc->steps + 1 : which == MPC_GAIN ? model->nu : 1;
    Py_ssize_t columns = which == MPC_PATH ? model->nq : which == MPC_GAIN ? model->nv : model->nu;
    Py_ssize_t row = (Py_ssize_t)sizeof(tact_real) * columns;
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, rows * row);
    char *to = bytes ? PyByteArray_AsString(bytes) : NULL;
    for (Py_ssize_t k = 0; to && k < rows && row > 0; k++) {
        const tact_real *from = which == MPC_PLAN   ? mpc->u + k * columns
                                : which == MPC_PATH ? mpc->state[k].q
                                : which == MPC_GAIN ? mpc->gain + k * columns
                                                    : mpc->last;
        memcpy(to + k * row, from, (size_t)row);
    }
    return bytes ? Py_BuildValue("(Nnn)", bytes, rows, columns) : NULL;
}

// (status, cost, regrasps, sweeps) of the last solve
static PyObject *mpc_told(PyObject *object, PyObject *nothing) {
    mpc_object *self = (mpc_object *)object;
    (void)nothing;
    if (!mpc_usable(self)) return NULL;
    return Py_BuildValue("(idii)", (int)self->mpc.status, (double)self->mpc.cost, self->mpc.regrasps, self->mpc.sweeps);
}

// (nq, nu, horizon, tick, dt of a planning step, step of a plant under the rigid law)
static PyObject *mpc_sizes(PyObject *object, PyObject *nothing) {
    mpc_object *self = (mpc_object *)object;
    (void)nothing;
    if (!mpc_usable(self)) return NULL;
    const tact_model *model = &self->scene->model;
    return Py_BuildValue("(iiiddd)", model->nq, model->nu, self->mpc.horizon, (double)self->control.tick, (double)self->step.dt,
                         (double)tact_control_plant_dt(&self->control, false));
}

static PyMethodDef mpc_methods[] = {{"_step", mpc_step, METH_VARARGS, NULL},
                                    {"_reset", mpc_reset, METH_O, NULL},
                                    {"_error", mpc_error, METH_O, NULL},
                                    {"_get_goal", mpc_get_goal, METH_NOARGS, NULL},
                                    {"_set_goal", mpc_set_goal, METH_VARARGS, NULL},
                                    {"_array", mpc_array, METH_O, NULL},
                                    {"_told", mpc_told, METH_NOARGS, NULL},
                                    {"_sizes", mpc_sizes, METH_NOARGS, NULL},
                                    {NULL, NULL, 0, NULL}};

static PyType_Slot mpc_slots[] = {{Py_tp_dealloc, mpc_dealloc},
                                  {Py_tp_init, mpc_open},
                                  {Py_tp_methods, mpc_methods},
                                  {Py_tp_new, PyType_GenericNew},
                                  {0, NULL}};
static PyType_Spec mpc_spec = {"tact._tact.Mpc", sizeof(mpc_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, mpc_slots};

static PyMethodDef functions[] = {{"_plan", find_plan, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int tact_python_add_plans(PyObject *module, PyObject *scene_error) {
    PyObject *type = PyType_FromSpec(&mpc_spec);
    refused = scene_error;
    if (!type || PyModule_AddObjectRef(module, "Mpc", type) != 0) return 0;
    Py_DECREF(type);
    return PyModule_AddFunctions(module, functions) == 0;
}
