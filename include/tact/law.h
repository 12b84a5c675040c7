// SPDX-License-Identifier: MIT
// What a contact law works with: options, state, input and scratch.
#ifndef TACT_LAW_H
#define TACT_LAW_H

#include "tact/contact.h"
#include "tact/solve.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TACT_MARGIN_AUTO (-1)  // so wide that contacts enter and leave without a jump: see tact_margin
#define TACT_FORCE_AUTO (-1)   // so large that contacts at a distance are not anchored: see tact_force_min

// What complements the forces of the rigid law.
typedef enum {
    TACT_LEVEL_POSITION,  // the gap at the end of the step
    TACT_LEVEL_VELOCITY,  // the same, and bodies that meet bounce with the pair's restitution
} tact_level;

// The friction cone of the rigid law.
typedef enum {
    TACT_CONE_POLYHEDRAL,  // inscribed, with eight edges
    TACT_CONE_EXACT,       //
} tact_cone_kind;

// Take tact_options_default() and change what differs; zero is a value, never "default".
typedef struct {
    tact_real dt;            // time step h [s], 1e-6 to 1
    tact_vec3 gravity;       // [m/s^2]
    tact_real kappa;         // barrier sharpness [1/J], 1 to 1e8: a contact bearing F rests at the gap 2/(kappa F)
    tact_real epsilon;       // inertia regularisation of unactuated dofs, 0 to 1e3: their mass counts epsilon/h^2. With 0 only
                             // contacts hold them, and a step in which these cannot (a fall, a slide) ends TACT_SINGULAR
    tact_real margin;        // pairs with a smaller gap enter the step [m]; TACT_MARGIN_AUTO
    bool limits;             // joint limits act as barriers
    tact_real limit_kappa;   // sharpness of the limits' barriers [1/J], 1 to 1e12
    bool anchor;             // store tangential displacements, so that held bodies do not creep
    tact_real force_min;     // an anchor is dropped when the normal force falls below this [N]; TACT_FORCE_AUTO
    tact_level level;        // rigid law
    tact_cone_kind cone;     // rigid law
    bool gravity_on_driven;  // weight of robot links bears on their drives, which then sag
    bool warm_start;         // start the solver from the forces of the step before
    tact_real tolerance;     // of the solver, dimensionless: TACT_TOLERANCE
    int max_iterations;      // factorisations of a step, the search for a certificate included
} tact_options;

// A force and a torque on a body, world axes, at its centre of mass.
typedef struct {
    tact_vec3 force;   // [N]
    tact_vec3 torque;  // [N m]
} tact_wrench;

// What drives one step.
typedef struct {
    const tact_real *u;         // (nu) commanded coordinates of the driven dofs
    const tact_wrench *wrench;  // (nbody) external forces, or NULL
} tact_input;

// What integrates. All of it: two equal states give equal steps, to the bit.
typedef struct {
    tact_real *q;       // (nq) coordinates
    tact_real *v;       // (nv) velocities; under the barrier law the displacement of the last step over dt
    tact_real *lambda;  // (npair, 3) forces of the last step along the contact frame; 0: no contact
    tact_vec3 *anchor;  // (npair) stored tangential displacement, world [m]; 0: none
    tact_vec3 *normal;  // (npair) the normal to which it belongs
    tact_real time;     // [s]
} tact_state;

typedef struct tact_rigid_work tact_rigid_work;  // see src/law/rigid.h

// Scratch of one step, and what it found. One per thread; holds nothing that the next step depends on.
typedef struct {
    tact_kinematics kinematics;    // where the step began
    tact_dynamics dynamics;        //
    tact_contacts contacts;        // of the step, with forces
    tact_barrier_work barrier;     // with the factor of the last iteration
    tact_barrier_problem problem;  // in the solver's order of the dofs
    tact_real *P;                  // its quadratic, by model->mass_first
    int *P_start;                  // (nv + 1)
    tact_real *p;                  // (nv) its gradient at rest
    tact_cone *cone;               // (npair)
    tact_bound *bound;             // (2 nv)
    tact_real *d;                  // (nv) solution, solver's order
    tact_real *displacement;       // (nv) the same by dof
    tact_real *lambda;             // (npair, 3)
    tact_real *bound_lambda;       // (2 nv)
    tact_rigid_work *rigid;        // of the rigid law
    bool sweeping;                 // the margin is automatic: pairs that the step may bring together enter, too
    tact_status status;            // of the last step
    tact_fault fault;              // TACT_BAD_INPUT: what was refused; no field: numbers that overflow together
    int iterations;                // of its solver
    tact_real decrement, balance;  // its residuals
    tact_real kinetic, potential;  // energies after the step, under the rigid law [J]
    int worst_pair;                // when infeasible: the pair with the largest share in the certificate; else -1
    int worst_dof;                 // when singular under the rigid law: the dof that has no inertia; else -1
} tact_work;

// A contact law: what it needs and what it does in one step. model->law points to one of those below; a program that names
// one of them links no other.
struct tact_law {
    const char *name;
    // NULL, or: why the law cannot step a model, as the reason, with the body; NULL when it can
    const char *(*refuse)(const tact_model *model, int *body);
    // takes its part of the work from the arena: once to measure, once to place
    void (*place)(tact_work *work, const tact_model *model, tact_arena *arena);
    // fills in what in that part does not change between steps
    void (*prepare)(tact_work *work, const tact_model *model);
    // finds the contacts, solves, writes the new state; kinematics are up to date, input and options checked and in force
    tact_status (*step)(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                        tact_work *work);
};

extern const tact_law tact_law_barrier;  // quasidynamic log-barrier step: no velocities, large steps, forces before contact
extern const tact_law tact_law_rigid;    // complementarity: velocities, impacts, no penetration

#ifdef __cplusplus
}
#endif

#endif
