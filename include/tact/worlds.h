// SPDX-License-Identifier: MIT
// Many worlds of one scene in memory: a flat interface for other languages and for programs without files. It is opaque: callers
// use only pointers, numbers and names, so that a compiled program also works with a later library.
//
// Worlds are stepped by several threads, and under the barrier law side by side in the lanes of the vector registers. For any
// number of threads and lanes each world gets the bits of tact_step. A tact_worlds may be used by one thread at a time. After a
// fork the child may continue with it.
#ifndef TACT_WORLDS_H
#define TACT_WORLDS_H

#include "tact/base.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

typedef struct tact_worlds tact_worlds;

// How worlds are opened; all but scene may be 0. A later version adds members at the end.
typedef struct {
    size_t size;             // sizeof(tact_worlds_options)
    const char *scene;       // path of a scene, or its JSON text, which begins with '{'
    const char *folder;      // of a text: where the files of its robots are; NULL: the working directory
    const char *law;         // instead of the scene's; NULL
    const char *const *set;  // (nset) "path=value", as of --set
    int nset;                //
    int count;               // of worlds; 0: 1
    int threads;             // 0: as many as there are processors
    int lanes;               // scenes side by side, one of tact_lanes_widths; 0: the most
} tact_worlds_options;

// NULL when the scene is refused; message then holds the first reason, FILE:LINE:COL: /json/path: reason. It may be NULL.
tact_worlds *tact_worlds_open(const char *path_or_text, int count, int threads, char *message, size_t size);
tact_worlds *tact_worlds_open_with(const tact_worlds_options *options, char *message, size_t size);
void tact_worlds_close(tact_worlds *worlds);

int tact_worlds_count(const tact_worlds *worlds);
int tact_worlds_threads(const tact_worlds *worlds);
void tact_worlds_set_threads(tact_worlds *worlds, int threads);  // 0: as many as there are processors

// Kinds of items, their number and names. A name is valid until the worlds are closed.
typedef enum {
    TACT_WORLDS_COORDINATE,  // nq
    TACT_WORLDS_DOF,         // nv
    TACT_WORLDS_COMMAND,     // nu, the driven dofs
    TACT_WORLDS_BODY,        //
    TACT_WORLDS_SHAPE,       //
    TACT_WORLDS_PAIR,        // npair: "a:b", of the names of both shapes
} tact_worlds_kind;

int tact_worlds_size(const tact_worlds *worlds, tact_worlds_kind kind);
const char *tact_worlds_name(tact_worlds *worlds, tact_worlds_kind kind, int index);  // NULL: there is none

int tact_worlds_nq(const tact_worlds *worlds);
int tact_worlds_nv(const tact_worlds *worlds);
int tact_worlds_nu(const tact_worlds *worlds);
int tact_worlds_npair(const tact_worlds *worlds);
int tact_worlds_nx(const tact_worlds *worlds);  // of the state that is differentiated: nv of q, and 2 nv where velocities count

const char *tact_worlds_law(const tact_worlds *worlds);      // "barrier", "virtual" or "rigid"
const char *tact_worlds_text(const tact_worlds *worlds);     // the scene with all that was set when it was opened
const char *tact_worlds_message(const tact_worlds *worlds);  // why the last call failed; "" without a reason

// Warnings about implausible values in the scene and shapes that overlap at its start: FILE:LINE:COL: /json/path: warning: ...
// Valid until the worlds are closed. NULL: there is none with that index.
const char *tact_worlds_warning(const tact_worlds *worlds, int index);

// Why the last step, or step of a rollout, of a world had no answer: "infeasible: the contacts contradict each other, most of
// all thumb and cube". "" if it had one. Valid until the next call.
const char *tact_worlds_reason(const tact_worlds *worlds, int world);

// A function that the calling thread calls between steps, and ten times a second while it waits for other threads. If it returns
// false the call ends with TACT_UNDECIDED and the message "stopped". Each world is then after its last completed step; results of
// a rollout or its reverse are incomplete. NULL: none.
void tact_worlds_watch(tact_worlds *worlds, bool (*go_on)(void *context), void *context);

// Limits of the coordinate of a dof [m, rad], infinite where there is none; a joint of several dofs has no limits.
void tact_worlds_limits(const tact_worlds *worlds, int dof, double *low, double *high);

// A shape as it is drawn. size, body and place as in tact_shape; point (count, 2) of a polygon, (count, 3) of a hull.
typedef struct {
    int body, type, count;
    double size[4];
    double rotation[9], position[3];  // in the body's frame, row by row
    const double *point;
} tact_worlds_shape;

// False if there is no such shape. point is valid until the next call.
bool tact_worlds_get_shape(tact_worlds *worlds, int index, tact_worlds_shape *shape);

// Arrays of all worlds.
typedef enum {
    TACT_WORLDS_Q,       // (nq) coordinates; a free joint has x, y, z and a unit quaternion w, x, y, z
    TACT_WORLDS_V,       // (nv) velocities
    TACT_WORLDS_LAMBDA,  // (npair, 3) forces of the last step along the contact frame: normal, tangent, tangent [N]
    TACT_WORLDS_ANCHOR,  // (npair, 3) stored tangential displacements [m]
    TACT_WORLDS_TIME,    // (1) [s]
    TACT_WORLDS_U,       // (nu) commands of the last step

    // computed by tact_worlds_view: present poses of the bodies
    TACT_WORLDS_POSE,  // (nbody, 12) rotation row by row, position, in the world

    // contacts of the last step, recorded from the first view of one of them on; a pair without contact has an infinite gap
    TACT_WORLDS_GAP,     // (npair) [m]
    TACT_WORLDS_POINT,   // (npair, 3) in the world [m]
    TACT_WORLDS_NORMAL,  // (npair, 3) from a to b
    TACT_WORLDS_FORCE,   // (npair, 3) on b, in the world [N]
    TACT_WORLDS_TOUCH,   // (npair, 2) numbers of the shapes a and b; those found in the last step, or -1
} tact_worlds_what;

// The array of the first world; the next one is *stride bytes further. It belongs to the worlds. Q to TIME are the states
// themselves: the next step starts from the values written there. NULL: out of memory.
tact_real *tact_worlds_view(tact_worlds *worlds, tact_worlds_what what, ptrdiff_t *stride);
int tact_worlds_width(const tact_worlds *worlds, tact_worlds_what what);  // numbers of one world

// Resets worlds to the scene's initial state.
void tact_worlds_reset(tact_worlds *worlds, int first, int count);

// Steps all worlds. u (count, nu) holds in all of the steps; NULL: the scene's command. wrench (count, nbody, 6) force and torque
// in world axes at the centres of mass; NULL: the scene's forces. status (count), or NULL: if a step of a world had no
// answer, the status of that step, and the world stays at its start; otherwise the last status that is not TACT_CONVERGED.
// Returns the least status, at most TACT_CONVERGED.
tact_status tact_worlds_step(tact_worlds *worlds, const tact_real *u, const tact_real *wrench, int steps, int *status);

// Matrices of a step with the command u; the states are not changed. x is q in the tangent space, followed by v under rigid and
// virtual. NULL leaves one out.
typedef struct {
    tact_real *A;  // (count, nx, nx) dx+/dx
    tact_real *B;  // (count, nx, nu) dx+/du
    tact_real *C;  // (count, 3 npair, nx) dlambda/dx, 0 of pairs without contact
    tact_real *D;  // (count, 3 npair, nu) dlambda/du
    int *status;   // (count) of the step; < 0 and no matrices: TACT_SINGULAR where it has none
    int *kink;     // (count) 1: the derivative holds to one side
} tact_worlds_matrices;

// Of worlds first to first + count - 1; u (count, nu), or NULL for the scene's command.
tact_status tact_worlds_linearise(tact_worlds *worlds, int first, int count, const tact_real *u,
                                  const tact_worlds_matrices *matrices);

// N steps of all worlds from their present states, which are not changed. The solver starts without contact forces, so that a
// rollout is a function of q, v and u only (and of stored displacements, with options.anchor).
typedef struct {
    size_t size;         // sizeof(tact_worlds_run)
    int steps;           // N
    const tact_real *u;  // (count, N, nu)
    const tact_real *q;  // (count, nq) where they begin; NULL: where they are. Quaternions must not be zero and are normalised
    const tact_real *v;  // (count, nv), likewise
} tact_worlds_run;

// Its results; NULL leaves one out. After a step without an answer a world keeps its last state, with zero forces.
typedef struct {
    tact_real *q;      // (count, N + 1, nq)
    tact_real *v;      // (count, N + 1, nv)
    tact_real *force;  // (count, N, npair, 3) lambda of each step
    int *status;       // (count) as of tact_worlds_step
} tact_worlds_path;

tact_status tact_worlds_rollout(tact_worlds *worlds, const tact_worlds_run *run, const tact_worlds_path *path);

// The reverse of a rollout: from the gradient dL by its results the gradient by its inputs. Gradients by coordinates have nq
// components; those of a quaternion are tangent to the unit sphere. NULL: dL is zero, or is not computed. At kinks (a contact
// between separating, sticking and sliding, a stored displacement at its cap) the gradient is one-sided; they are counted.
typedef struct {
    size_t size;                   // sizeof(tact_worlds_bars)
    const tact_real *q_bar;        // (count, N + 1, nq)
    const tact_real *v_bar;        // (count, N + 1, nv); refused under the barrier law, which has no velocities
    const tact_real *force_bar;    // (count, N, npair, 3); refused under the virtual law: its frames turn
    tact_real *u;                  // (count, N, nu)
    tact_real *q;                  // (count, nq)
    tact_real *v;                  // (count, nv)
    int nparameter;                //
    const char *const *parameter;  // (nparameter) paths, as tact_worlds_set
    tact_real *by_parameter;       // (nparameter, count)
    int *status;                   // (count) < 0: the world has no gradient, and zeros; TACT_BAD_INPUT: it overflows
    int *kinks;                    // (count) steps where it holds to one side, or is of forces that are one choice of many
} tact_worlds_bars;

tact_status tact_worlds_pullback(tact_worlds *worlds, const tact_worlds_run *run, const tact_worlds_bars *bars);

// Sets a number of the scene for each world: any path of --set, such as "options.kappa", "bodies.0.mass" or "bodies.ball.mass".
// TACT_BAD_INPUT with a message if the path or a value is refused; then nothing has changed. TACT_CONVERGED with a message if the
// number has no effect, such as a friction of the scene whose pairs all have their own. States are kept; new initial states take
// effect with tact_worlds_reset.
tact_status tact_worlds_set(tact_worlds *worlds, const char *path, const tact_real *values);
tact_status tact_worlds_get(tact_worlds *worlds, const char *path, tact_real *values);

// Paths that were set so far.
int tact_worlds_nset(const tact_worlds *worlds);
const char *tact_worlds_set_path(const tact_worlds *worlds, int index);

// Saves the complete state of a world as bytes, for machines of the same byte order. Returns their number; writes nothing if size
// is smaller.
size_t tact_worlds_save(const tact_worlds *worlds, int world, void *bytes, size_t size);
tact_status tact_worlds_load(tact_worlds *worlds, int world, const void *bytes, size_t size);

// Between gradients by coordinates q_bar (nq), as of an array, and in the tangent space x_bar (nv), at q (nq). With T = dq/dx,
// which of a unit quaternion Q has T'T = 1/4: pull is x_bar = T'q_bar, push q_bar = T (T'T)^-1 x_bar.
tact_status tact_worlds_tangent_pull(tact_worlds *worlds, const tact_real *q, const tact_real *q_bar, tact_real *x_bar);
tact_status tact_worlds_tangent_push(tact_worlds *worlds, const tact_real *q, const tact_real *x_bar, tact_real *q_bar);

// A pool of threads for the parts of a task or of a step: see tact_work_share. NULL: out of memory. The threads start with the
// first task that needs them.
typedef struct tact_crew tact_crew;
tact_crew *tact_crew_make(void);
void tact_crew_free(tact_crew *crew);
tact_threads tact_crew_threads(tact_crew *crew, int threads);

// For callers that know only the symbols of the library.
int tact_real_size(void);  // [bytes]: 8, or 4 of a library in single precision

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
