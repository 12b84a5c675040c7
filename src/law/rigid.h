// SPDX-License-Identifier: MIT
// Scratch of the rigid law, and its parts. A component is a range of dofs that inertia couples: a tree on the world, or several
// trees that share a range of the numbering. The mass matrix is block diagonal by components.
#ifndef TACT_LAW_RIGID_H
#define TACT_LAW_RIGID_H

#include "solve/blocks.h"
#include "tact/friction.h"
#include "tact/law.h"
#include "tact/lcp.h"

#define TACT_RIGID_FACETS 8  // facets of the polyhedral friction cones

// Marks of a pair without a constraint: its contact stays open, or has just become a constraint.
enum { TACT_RIGID_NONE = -1, TACT_RIGID_NEW = -2 };

// Part of a constraint's Jacobian that belongs to one component.
typedef struct {
    int component;     // index; -1: none
    tact_real *J, *Y;  // (3, dofs of the component) rows of J, and of J A^-1
} tact_rigid_side;

// A constraint: a contact, or the limits of a dof, with the lower and the upper one as the first two rows.
typedef struct {
    int contact;        // index in the step's contacts; -1: limits
    int dof;            // dof of the limits; -1: contact
    int island;         // island that the constraint belongs to
    bool lower, upper;  // limits within reach
    tact_real bounce;   // restitution in force; 0: the contact does not bounce
    bool apart;         // left open by the test for Painleve's paradox (law/rigid.c)
    tact_rigid_side side[2];
} tact_rigid_block;

struct tact_rigid_work {
    tact_fault fault;  // why the model cannot be stepped
    int most, stored;  // room for constraints, and for blocks of W
    int widest;        // dofs of the largest component
    int ncomponent;    // number of components
    int *begin;        // (ncomponent + 1) first dof of each component
    int *component;    // (nv) component of each dof
    int *first;        // (nv) first column of each skyline row; row i belongs to dof nv - 1 - i
    int *start;        // (nv + 1) where each skyline row begins
    bool steady;       // no joint rotates: the mass matrix is constant
    tact_skyline A;    // M + h^2 K + h D of the step, factored
    tact_real *pivot;  // (nv) inverse pivots of A
    tact_skyline M;    // mass matrix at the end of the step
    tact_real *M_pivot;
    tact_real *diagonal;       // (nv) diagonal of A or M before factorisation
    tact_kinematics after;     // at the end of the step
    tact_real *load;           // (nv) momentum and impulses that do not depend on v+
    tact_real *momentum;       // (nv) momentum of an iterate; scratch
    tact_real *turning;        // (nv) gyroscopic term h dT/dq of an iterate ...
    tact_real *turned;         // (nv) ... and the one in use
    bool bent;                 // Newton's method on c(v+): A - h dc/dv is used in the place of A, linearised about ...
    tact_real *expansion;      // (nv) this velocity
    tact_real *slope;          // (nv, widest) A - h dc/dv by components, factored
    int *slope_order;          // (nv) pivot order of these factors
    tact_real *unrest;         // (nv) residual F of the equations of motion
    tact_real *along;          // (nv) direction of a derivative, and scratch for it ...
    tact_real *dense;          // (nv) ...
    tact_real *bent_p;         // (nv) ...
    tact_real *bent_c;         // (nv) ...
    tact_real *free;           // (nv) free velocity v*, without contacts
    tact_real *next;           // (nv) velocity v+, with contacts
    tact_real *scale;          // (nv) sum of the magnitudes of the terms of next
    tact_real *shift;          // (nv) velocity that closes overlaps
    tact_real *trial;          // (nq) scratch
    tact_real *way;            // (nv) expected displacement in the step, by place in the elimination order
    int count;                 // constraints of the step
    tact_rigid_block *block;   // (most) the constraints, island by island
    tact_rigid_block *listed;  // (most) scratch: the constraints in the order of their listing
    int islands, *island;      // (islands + 1) where each begins in block
    int *number;               // (ncomponent) scratch
    int *touching, *touched;   // (ncomponent + 1), (2 most) constraints by component
    int *place;                // (npair) index in block of the pair's constraint, or TACT_RIGID_NONE, TACT_RIGID_NEW
    tact_real *J, *Y;          // (most, 2, 3, widest)
    int *row_start, *column;   // blocks of W of each island as in tact/friction.h; row_start of island k begins at island[k] + k
    int *first_stored;         // (islands) its first block ...
    tact_real *W;              // ... of (stored, 9)
    tact_real *gap;            // (most, 3) constant term of u, added to J v
    tact_real *q, *r, *u;      // (most, 3) free velocity, impulse and velocity of each row
    tact_real *mu;             // (most) friction coefficient; -1: three rows with bounds
    tact_real *size, *hold;    // (most, 3) scratch
    tact_real *low, *high;     // (most, 3) bounds of the impulses of such rows
    tact_real *kept;           // (npair, 3) impulses of the last step: warm start
    tact_real *limit_kept;     // (nv, 2) the same for limits
    tact_friction_work cones;  // friction solver for all islands; with dense equations for islands of at most
    bool answered;             // r holds the impulses of an earlier round of this step
    int widest_island;         // ... constraints; larger ones use block equations with a node for each component:
    tact_blocks motion;        // the block matrix
    int *node, *node_start;    // (ncomponent), (ncomponent + 1) node of each component; first unknown of each node
    int *moved;                // (most, 2) nodes that each constraint moves
    tact_real *linear;         // scratch of the block equations
    tact_real *inertia;        // (squares of the components) A - h dc/dv of each node
    int widest_polygon;        // unknowns of an island with polyhedral cones at most
    tact_lcp_work pivots;      // LCP solver for these
    tact_lcp_solution polygon;
    tact_real *polygon_M, *polygon_q;  // (widest_polygon, widest_polygon), (widest_polygon)
    tact_real energy;                  // added by the contact impulses [J]; not positive
    tact_real overlap;                 // smaller overlaps enter v+ as gaps [m] ...
    tact_real slack;                   // ... and are not closed by a displacement [m]
    tact_real correction;              // largest overlap that was closed by a displacement; 0: none [m]
};

// Row of J v, the rate of a constraint.
static inline tact_real tact_rigid_rate(const tact_rigid_work *rigid, const tact_rigid_block *block, int row,
                                        const tact_real *v) {
    tact_real sum = 0;
    for (int side = 0; side < 2 && block->side[side].component >= 0; side++) {
        int first = rigid->begin[block->side[side].component], n = rigid->begin[block->side[side].component + 1] - first;
        const tact_real *J = block->side[side].J + row * n;
        for (int k = 0; k < n; k++) sum += J[k] * v[first + k];
    }
    return sum;
}

// Sizes, lists and memory of the rigid law's work.
void tact_rigid_place(tact_work *work, const tact_model *model, tact_arena *arena);
void tact_rigid_prepare(tact_work *work, const tact_model *model);

// Whether the model couples its dofs as the model does for which the work was initialised.
bool tact_rigid_couples(const tact_model *model, const tact_rigid_work *rigid);

// Assembles load and A, and factors A; TACT_SINGULAR with work->worst_dof.
tact_status tact_rigid_assemble(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work);

// x <- A^-1 x, or M^-1 x, for dofs from .. to, which are whole components; x[0] belongs to dof `from`.
void tact_rigid_solve(const tact_skyline *L, const tact_real *pivot, int from, int to, tact_real *x);

// turning = h c(v), the gyroscopic term; momentum = that at the end of the step (NULL: not wanted).
void tact_rigid_turning(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *turning,
                        tact_real *momentum);

// F = A v - load - h c(v), the residual of the equations of motion without contacts; returns the size of its terms.
tact_real tact_rigid_unbalance(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *F);

// Replaces A by A - h dc/dv at v; false, and A stays, when that is singular.
bool tact_rigid_newton_matrix(const tact_model *model, tact_real h, const tact_real *v, tact_work *work);

// x <- (A - h dc/dv)^-1 x for one component, whose part of the vector x is.
void tact_rigid_newton_solve(const tact_rigid_work *rigid, int component, tact_real *x);

// The matrix of a component, (n, n), recovered from its factors: A - h dc/dv, or whichever matrix is in use.
void tact_rigid_newton_inertia(const tact_rigid_work *rigid, int component, tact_real *A);
void tact_rigid_inertia(const tact_rigid_work *rigid, int component, tact_real *A);

// Velocity v of the state from M(q+) v = momentum, with the kinematics at q+ in work->rigid->after.
void tact_rigid_conclude(const tact_model *model, const tact_real *momentum, tact_work *work, tact_real *v);

// Whether contact c repeats a constraint of the same two bodies: equal points, Jacobian rows, friction and restitution to
// rounding, as where edges of both shapes cross, or an edge and the vertex at its end.
bool tact_rigid_repeats(const tact_model *model, const tact_work *work, int c);

// Lists the constraints of the step: contacts that have a place or are new, and limits within reach. TACT_NO_MEMORY when there
// are too many.
tact_status tact_rigid_list(const tact_model *model, const tact_options *options, const tact_state *state, tact_work *work);

// Y = J A^-1 and W of the present constraints, for the matrix in use. TACT_NO_MEMORY when W has too many blocks.
tact_status tact_rigid_couple(tact_rigid_work *rigid);

// Islands and blocks of the listed constraints, with J, Y = J A^-1 and W. TACT_NO_MEMORY when W has too many blocks.
tact_status tact_rigid_constrain(const tact_model *model, tact_work *work);

// Sets velocities `next` that are only rounding to 0, and corrects r to match; work->decrement is the error of r.
void tact_rigid_settle(const tact_model *model, tact_real h, tact_work *work);

// Updates the contact indices in the blocks after a new detection.
void tact_rigid_rename(tact_work *work);

// Impulses r and velocities u for q, island by island; warm: starts from r. Adds to work->iterations and raises
// work->decrement. Returns the worst status; for TACT_INFEASIBLE with work->worst_pair.
tact_status tact_rigid_answer(const tact_options *options, tact_work *work, tact_real *r, bool warm);

// The same problem without friction.
tact_status tact_rigid_answer_smooth(const tact_options *options, tact_work *work, tact_real *r);

#endif
