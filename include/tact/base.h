// SPDX-License-Identifier: MIT
// The number type, the status that every step and solve returns, and the arena from which working memory is allocated.
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
// In single precision the functions that every program calls have other names, so that a program compiled for one number type
// does not link with the library of the other.
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

// Reports mistakes of the calling program (null pointer, wrong size, wrong index). Define it before including this header to
// report them elsewhere.
#ifndef TACT_ASSERT
#define TACT_ASSERT(condition) assert(condition)
#endif

// The sign decides: 0 converged; > 0 usable, with the reason why it did not converge; < 0 no answer, and the state is untouched.
typedef enum {
    TACT_CONVERGED = 0,
    TACT_ITERATION_LIMIT = 1,  // the iterate is feasible and finite, but its residual is above the tolerance (see tact_step)
    TACT_STATIONARY = 2,       // no small change reduces the error, which is above the tolerance (a target out of reach)
    TACT_AMBIGUOUS = 3,        // there are other solutions, and the model does not determine which is right
    TACT_HELD = 4,             // derivatives in which a dependent quantity is held: see tact_virtual_differentiate
    TACT_INFEASIBLE = -1,      // no displacement satisfies all contacts; a certificate says so
    TACT_SINGULAR = -2,        // the equations do not determine an answer (a motion without inertia or support)
    TACT_BAD_INPUT = -3,       // a number of the input is NaN, infinite or outside its range
    TACT_NO_MEMORY = -4,       // the memory given is smaller than the size asked for
    TACT_UNDECIDED = -5,       // neither a displacement that satisfies all contacts nor a proof that there is none was found
    TACT_UNSOLVABLE = -6,      // no solution exists, without a proof that the conditions contradict each other
    TACT_RAY = -7,             // Lemke's path ended on a ray, which proves nothing
} tact_status;

// The version of the library at run time, which may differ from TACT_VERSION of the headers. A constant string.
const char *tact_version(void);

// The name of a status in lower case, as in traces: "converged", "iteration_limit", ... A constant string.
const char *tact_status_name(tact_status status);

// The first unacceptable number of an input: its field, such as "state.q", and its index.
typedef struct {
    const char *field;  // NULL: no fault
    int index;          // of the item in the field's array (dof, body, pair ...); 0 if there is only one
} tact_fault;

// The largest magnitudes that are accepted: within them no product of a step overflows in double precision.
#define TACT_MOST_LENGTH 1e6    // [m], and angles [rad]
#define TACT_MOST_RATE 1e12     // [m/s], [rad/s]: that length in the shortest step
#define TACT_MOST_MASS 1e9      // [kg], and inertia [kg m^2]
#define TACT_MOST_FORCE 1e9     // [N], [N m]: external forces and torques
#define TACT_MOST_DRIVE 1e12    // stiffness, damping
#define TACT_MOST_CONTACT 1e18  // [N]: that stiffness times that length
#define TACT_MOST_LIMIT 1e9     // limit of a coordinate; a larger one counts as no limit
#define TACT_MOST_TIME 1e9      // [s]

// The maximum number of dofs of a model and of unknowns of a barrier problem. Firmware may be compiled with less, for example
// -DTACT_MOST_UNKNOWNS=64, which leaves out code that only larger problems need.
#ifndef TACT_MOST_UNKNOWNS
#define TACT_MOST_UNKNOWNS 1000000000
#endif

// The largest magnitude of the numbers of a problem given as matrices; kappa is at least one over it.
#ifdef TACT_FLOAT
#define TACT_MOST_NUMBER 1e18f
#else
#define TACT_MOST_NUMBER 1e150
#endif

// The caller's threads among which work may be shared. run calls job(data, i) once for each i < count, concurrently and in any
// order, and returns when all have ended. Results are the same to the bit for any number of threads.
typedef struct {
    void (*run)(void *crew, int count, void (*job)(void *data, int i), void *data);
    void *crew;
    int width;  // number of threads; with 0 or 1 run is not called
} tact_threads;

// Allocates arrays one after the other from the caller's memory, which may have any alignment. With memory == NULL it allocates
// nothing and only measures, so that size and placement are computed by the same code.
typedef struct {
    unsigned char *memory;  // start; NULL to measure
    size_t size;            // [bytes] available; ignored when measuring
    size_t used;            // [bytes] taken so far; may exceed size
} tact_arena;

#define TACT_ALIGN 64  // [bytes] of each array, for the widest vector registers

// Allocates count items of item_size bytes, aligned to TACT_ALIGN. NULL when measuring or if the memory is too small.
void *tact_arena_take(tact_arena *arena, size_t count, size_t item_size);

// True if everything taken so far fits into the memory.
bool tact_arena_fits(const tact_arena *arena);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
