// SPDX-License-Identifier: MIT
// Scratch of the rigid law, and its parts. Dofs that one mechanism joins (a tree on the world, or neighbours in the numbering
// that trees share) are a component: a range of dofs. The mass matrix is block diagonal by components.
#ifndef TACT_LAW_RIGID_H
#define TACT_LAW_RIGID_H

#include "solve/blocks.h"
#include "tact/friction.h"
#include "tact/law.h"
#include "tact/lcp.h"

#define TACT_RIGID_FACETS 8  // of polyhedral cones

// Pairs whose contact stays open and is not a constraint, or has just become one.
enum { TACT_RIGID_NONE = -1, TACT_RIGID_NEW = -2 };

// What a constraint sees of one component.
typedef struct {
    int component;     // -1: nothing
    tact_real *J, *Y;  // (3, size of the component) rows of J, and J A^-1
} tact_rigid_side;

// A contact, or the limits of a dof, lower and upper as the first two rows.
typedef struct {
    int contact;        // index in the step's contacts; -1: limits
    int dof;            // of the limits
    int island;         // see below
    bool lower, upper;  // limits within reach
    tact_real bounce;   // restitution in force; 0: does not bounce
    bool apart;         // left out: see the rigid law on Painleve
    tact_rigid_side side[2];
} tact_rigid_block;

struct tact_rigid_work {
    tact_fault fault;  // why the model cannot be stepped
    int most, stored;  // constraints, blocks of W that there is room for
    int widest;        // dofs of the largest component
    int ncomponent;    //
    int *begin;        // (ncomponent + 1) first dof of each component
    int *component;    // (nv) of each dof
    int *first;        // (nv) of the skylines; row i belongs to the dof nv - 1 - i
    int *start;        // (nv + 1)
    bool steady;       // no joint turns: the mass matrix is constant
    tact_skyline A;    // M + h^2 K + h D of the step, factored
    tact_real *pivot;  // (nv)
    tact_skyline M;    // at the end of the step
    tact_real *M_pivot;
    tact_real *diagonal;       // (nv)
    tact_kinematics after;     // at the end of the step
    tact_real *load;           // (nv) momentum and impulses that do not depend on v+
    tact_real *momentum;       // (nv) scratch ...
    tact_real *turning;        // (nv) h dT/dq of an iterate
    tact_real *turned;         // (nv) ... the one in use
    bool bent;                 // Newton's method is on c(v+): A - h dc/dv is in use in the place of A, about ...
    tact_real *bend;           // (nv) this velocity
    tact_real *slope;          // (nv, widest) A - h dc/dv by components, factored
    int *slope_order;          // (nv)
    tact_real *unrest;         // (nv) residual of the equations of motion
    tact_real *along;          // (nv) direction of a derivative, and scratch of it ...
    tact_real *dense;          // (nv) ...
    tact_real *bent_p;         // (nv) ...
    tact_real *bent_c;         // (nv) ...
    tact_real *free;           // (nv) velocity without contact
    tact_real *next;           // (nv) with contact
    tact_real *scale;          // (nv) size of what was summed up to next
    tact_real *shift;          // (nv) velocity of the correction of overlaps
    tact_real *trial;          // (nq) scratch
    tact_real *way;            // (nv) by place of the model
    int count;                 // constraints of the step
    tact_rigid_block *block;   // (most) island by island: constraints that the mass matrix or each other couple
    tact_rigid_block *listed;  // (most) scratch
    int islands, *island;      // (islands + 1) where each begins in block
    int *number;               // (ncomponent) scratch
    int *touching, *touched;   // (ncomponent + 1), (2 most) constraints by component
    int *place;                // (npair) of its contact in block, or TACT_RIGID_NONE, TACT_RIGID_NEW
    tact_real *J, *Y;          // (most, 2, 3, widest)
    int *row_start, *column;   // W of each island: see tact/friction.h; row_start of island k from island[k] + k on
    int *first_stored;         // (islands) its first block ...
    tact_real *W;              // ... of (stored, 9)
    tact_real *gap;            // (most, 3) what is added to J v
    tact_real *q, *r, *u;      // (most, 3)
    tact_real *mu;             // (most)
    tact_real *size, *hold;    // (most, 3) scratch
    tact_real *low, *high;     // (most, 3)
    tact_real *kept;           // (npair, 3) impulses to begin with
    tact_real *limit_kept;     // (nv, 2)
    tact_friction_work cones;  // for all; with dense equations for islands of at most
    bool answered;             // r is of an earlier round of the step
    int widest_island;         // constraints, and for larger ones by the components that they move:
    tact_blocks motion;        // these are its nodes ...
    int *node, *node_start;    // (ncomponent), (ncomponent + 1) of each component; where the dofs of each begin
    int *moved;                // (most, 2) nodes of each constraint
    tact_real *linear;         // scratch of their equations
    tact_real *inertia;        // (squares of the components) A - h dc/dv of each node
    int widest_polygon;        // unknowns of an island with polyhedral cones at most
    tact_lcp_work pivots;      // for these
    tact_lcp_solution polygon;
    tact_real *polygon_M, *polygon_q;  // (widest_polygon, widest_polygon), (widest_polygon)
    tact_real energy;                  // that the contact impulses added [J]; not positive
    tact_real overlap;                 // smaller ones count as gaps in v+ [m] ...
    tact_real slack;                   // ... and are not closed by a displacement [m]
    tact_real correction;              // largest overlap that was closed by a displacement; 0: none [m]
};

// (J v)_row
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

// Sizes, lists and memory.
void tact_rigid_place(tact_work *work, const tact_model *model, tact_arena *arena);
void tact_rigid_prepare(tact_work *work, const tact_model *model);

// Does the model couple its dofs as the one does that the work was initialised for?
bool tact_rigid_couples(const tact_model *model, const tact_rigid_work *rigid);

// A factored, and load; TACT_SINGULAR with work->worst_dof.
tact_status tact_rigid_assemble(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work);

// x <- A^-1 x, or M^-1 x, for the dofs from .. to, whole components; x begins at from.
void tact_rigid_solve(const tact_skyline *L, const tact_real *pivot, int from, int to, tact_real *x);

// h times what turns the momentum at velocity v, and the momentum at the end of the step (NULL: not wanted).
void tact_rigid_turning(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *turning,
                        tact_real *momentum);

// F = A v - load - h c(v), what is left over without contacts; returns the size of its terms.
tact_real tact_rigid_unbalance(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *F);

// Takes A - h dc/dv at v into use; false, and A stays, where it is singular.
bool tact_rigid_bend(const tact_model *model, tact_real h, const tact_real *v, tact_work *work);

// x <- (A - h dc/dv)^-1 x of a component, whose part x is.
void tact_rigid_bent_solve(const tact_rigid_work *rigid, int component, tact_real *x);

// The matrix A in use of a component, (n, n), from its factors; A - h dc/dv from those of that.
void tact_rigid_bent_inertia(const tact_rigid_work *rigid, int component, tact_real *A);
void tact_rigid_inertia(const tact_rigid_work *rigid, int component, tact_real *A);

// state v at the new q, the kinematics of which are in after: M(q+) v+ = the momentum
void tact_rigid_conclude(const tact_model *model, const tact_real *momentum, tact_work *work, tact_real *v);

// Whether contact c repeats a constraint of the same two bodies: the same points, Jacobian rows, friction and restitution, to
// rounding, as where edges of both shapes cross, and at the end of an edge the vertex.
bool tact_rigid_repeats(const tact_model *model, const tact_work *work, int c);

// Lists the constraints of the step at hand: its contacts that have a place or are new, and the limits within reach.
// TACT_NO_MEMORY when there are too many.
tact_status tact_rigid_list(const tact_model *model, const tact_options *options, const tact_state *state, tact_work *work);

// J A^-1 and W of the blocks that are there, for the A in use. TACT_NO_MEMORY as below.
tact_status tact_rigid_couple(tact_rigid_work *rigid);

// Blocks of what is listed, with J, J A^-1 and W. TACT_NO_MEMORY when they couple too much.
tact_status tact_rigid_constrain(const tact_model *model, tact_work *work);

// Velocities next that are rounding are 0, with r what holds them; decrement is the error of r.
void tact_rigid_settle(const tact_model *model, tact_real h, tact_work *work);

// After contacts were found anew: their numbers in the blocks.
void tact_rigid_rename(tact_work *work);

// The impulses r (and u) for q, island by island; warm: from r. Adds to work->iterations and raises work->decrement. The worst
// status; of TACT_INFEASIBLE work->worst_pair.
tact_status tact_rigid_answer(const tact_options *options, tact_work *work, tact_real *r, bool warm);

// The same without friction, for q; takes no part in the cones.
tact_status tact_rigid_answer_smooth(const tact_options *options, tact_work *work, tact_real *r);

#endif
