// SPDX-License-Identifier: MIT
// The one number type, the status of every answer, and the arena from which all working memory is placed.
#ifndef TACT_BASE_H
#define TACT_BASE_H

#include <assert.h>
#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_VERSION "0.2.0"

// The library is compiled for one number type; `make REAL=float` defines TACT_FLOAT, and so must its users.
#ifdef TACT_FLOAT
typedef float tact_real;
#define TACT_EPS FLT_EPSILON
#define TACT_MAX FLT_MAX
// In single precision the functions that every program needs first have other names: a program compiled for one number type does
// not link with the library of the other.
#define tact_options_default tact_options_default_float
#define tact_state_size tact_state_size_float
#define tact_work_size tact_work_size_float
#define tact_barrier_solve tact_barrier_solve_float
#define tact_lcp_solve tact_lcp_solve_float
#define tact_lcp_sparse_solve tact_lcp_sparse_solve_float
#define tact_friction_solve tact_friction_solve_float
#define tact_qcqp_solve tact_qcqp_solve_float
#define tact_scene_load tact_scene_load_float
#define tact_worlds_open tact_worlds_open_float
#define tact_worlds_open_with tact_worlds_open_with_float
#else
typedef double tact_real;
#define TACT_EPS DBL_EPSILON
#define TACT_MAX DBL_MAX
#endif

// A constant of the library's number type: TACT_REAL(0.1) is 0.1f or 0.1.
#define TACT_REAL(x) ((tact_real)(x))

// The caller's mistakes (null, wrong size, wrong index) stop here; define it before including to report elsewhere.
#ifndef TACT_ASSERT
#define TACT_ASSERT(condition) assert(condition)
#endif

// The sign decides: 0 converged; > 0 usable, and why it is less; < 0 no answer, and the state is untouched.
typedef enum {
    TACT_CONVERGED = 0,
    TACT_ITERATION_LIMIT = 1,  // the iterate is feasible and finite, but its residual is above the tolerance (see tact_step)
    TACT_STATIONARY = 2,       // no small change makes the error less, but it is above the tolerance (a target out of reach)
    TACT_AMBIGUOUS = 3,        // there are other answers, and nothing tells which is right
    TACT_HELD = 4,             // derivatives with something held that moves: what tact_virtual_differentiate says
    TACT_INFEASIBLE = -1,      // no displacement satisfies all contacts; a certificate says so
    TACT_SINGULAR = -2,        // the equations do not determine an answer (a motion that nothing holds)
    TACT_BAD_INPUT = -3,       // a number of the input is NaN, infinite or outside its range
    TACT_NO_MEMORY = -4,       // the memory given is smaller than the size asked for
    TACT_UNDECIDED = -5,       // no displacement that satisfies all contacts was found, nor a proof that there is none
    TACT_UNSOLVABLE = -6,      // no solution exists; that the conditions contradict each other was not proven
    TACT_RAY = -7,             // the path of pivots ended on a ray, which proves nothing
} tact_status;

// TACT_VERSION of the library that runs, which may be another than that of the headers compiled with.
const char *tact_version(void);

// "converged", "iteration_limit", ...: lower case, as in traces.
const char *tact_status_name(tact_status status);

// The first number of an input that is not acceptable: its field, as in "state.q", and where.
typedef struct {
    const char *field;  // NULL: nothing
    int index;          // in the field's array, by its items: one for each dof, body, pair ...; 0 where there is one only
} tact_fault;

// The largest magnitudes that are accepted: within them no product of a step overflows in double precision.
#define TACT_MOST_LENGTH 1e6    // [m], and angles [rad]
#define TACT_MOST_RATE 1e12     // [m/s], [rad/s]: such a length in the shortest step
#define TACT_MOST_MASS 1e9      // [kg], and inertia [kg m^2]
#define TACT_MOST_FORCE 1e9     // [N], [N m], of what acts from outside
#define TACT_MOST_DRIVE 1e12    // stiffness, damping
#define TACT_MOST_CONTACT 1e18  // [N]: such a drive over such a length
#define TACT_MOST_LIMIT 1e9     // of a coordinate; what lies beyond counts as no limit
#define TACT_MOST_TIME 1e9      // [s]

// The most dofs of a model, and unknowns of a barrier problem. A program for a board may be compiled with less, as
// -DTACT_MOST_UNKNOWNS=64: then what only larger ones need is left out of it.
#ifndef TACT_MOST_UNKNOWNS
#define TACT_MOST_UNKNOWNS 1000000000
#endif

// The largest magnitude of the numbers of a problem that is stated as matrices; no kappa is smaller than one over it.
#ifdef TACT_FLOAT
#define TACT_MOST_NUMBER 1e18f
#else
#define TACT_MOST_NUMBER 1e150
#endif

// Threads of the caller that may share what is to be done: run calls job(data, i) once for each i < count, side by side and in
// any order, and returns when all have ended. What comes of it is the same, to the bit, for any threads and none.
typedef struct {
    void (*run)(void *crew, int count, void (*job)(void *data, int i), void *data);
    void *crew;
    int width;  // threads that run has; 0 and 1: it is not called
} tact_threads;

// Places arrays one behind the other in the caller's memory, of any alignment. With memory == NULL it places nothing and only
// measures, so that size and placement are written once.
typedef struct {
    unsigned char *memory;  // start; NULL to measure
    size_t size;            // [bytes] available; ignored when measuring
    size_t used;            // [bytes] taken so far, also when that is more than size
} tact_arena;

#define TACT_ALIGN 64  // [bytes] of each array, for the widest vector registers

// count items of the given size, aligned to TACT_ALIGN; NULL when measuring or when the memory does not suffice.
void *tact_arena_take(tact_arena *arena, size_t count, size_t item_size);

// True when everything taken so far fitted.
bool tact_arena_fits(const tact_arena *arena);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
