// SPDX-License-Identifier: MIT
// Scratch of the rigid law, and its parts. Dofs that one mechanism joins (a tree on the world, or neighbours in the numbering
// that trees share) are a component: a range of dofs. The mass matrix is block diagonal by components.
#ifndef TACT_LAW_RIGID_H
#define TACT_LAW_RIGID_H

#include "tact/friction.h"
#include "tact/law.h"
#include "tact/lcp.h"

#define TACT_RIGID_FACETS 8  // of polyhedral cones

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
    bool impact;        // bounces
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
    tact_real *J, *Y;          // (most, 2, 3, widest)
    int *row_start, *column;   // W of each island: see tact/friction.h; row_start of island k from island[k] + k on
    int *first_stored;         // (islands) its first block ...
    tact_real *W;              // ... of (stored, 9)
    tact_real *gap;            // (most, 3) what is added to J v
    tact_real *q, *r, *u;      // (most, 3)
    tact_real *mu;             // (most)
    tact_real *size;           // (most, 3) scratch
    tact_real *low, *high;     // (most, 3)
    tact_real *kept;           // (npair, 3) impulses to begin with
    tact_real *limit_kept;     // (nv, 2)
    tact_friction_work cones;  // for islands of at most
    int widest_island;         // constraints; larger ones are swept
    int widest_polygon;        // unknowns of an island with polyhedral cones at most
    tact_lcp_work pivots;      // for these
    tact_lcp_solution polygon;
    tact_real *polygon_M, *polygon_q;  // (widest_polygon, widest_polygon), (widest_polygon)
    tact_real energy;                  // that the contact impulses added [J]; not positive
    tact_real overlap;                 // smaller ones count as gaps [m]
    tact_real correction;              // largest overlap that was closed by a displacement; 0: none [m]
};

// Sizes, lists and memory.
void tact_rigid_place(tact_work *work, const tact_model *model, tact_arena *arena);
void tact_rigid_prepare(tact_work *work, const tact_model *model);

// A factored, and load; TACT_SINGULAR with work->worst_dof.
tact_status tact_rigid_assemble(const tact_model *model, const tact_options *options, const tact_input *input,
                                const tact_state *state, tact_work *work);

// x <- A^-1 x, or M^-1 x, for the dofs from .. to, whole components; x begins at from.
void tact_rigid_solve(const tact_skyline *L, const tact_real *pivot, int from, int to, tact_real *x);

// h times what turns the momentum at velocity v, and the momentum at the end of the step (NULL: not wanted).
void tact_rigid_turning(const tact_model *model, tact_real h, const tact_real *v, tact_work *work, tact_real *turning,
                        tact_real *momentum);

// state v at the new q, the kinematics of which are in after: M(q+) v+ = the momentum
void tact_rigid_conclude(const tact_model *model, const tact_real *momentum, tact_work *work, tact_real *v);

// Constraints of the step at hand, with J, J A^-1 and W. TACT_NO_MEMORY when there are too many.
tact_status tact_rigid_constrain(const tact_model *model, const tact_options *options, const tact_state *state, tact_work *work);

// The impulses r (and u) for q, island by island; warm: from r. Adds to work->iterations and raises work->decrement. The worst
// status; of TACT_INFEASIBLE work->worst_pair.
tact_status tact_rigid_answer(const tact_options *options, tact_work *work, tact_real *r, bool warm);

// The same without friction, for q; takes no part in the cones.
tact_status tact_rigid_answer_smooth(const tact_options *options, tact_work *work, tact_real *r);

#endif
