// SPDX-License-Identifier: MIT
// Contact laws: options, state, input and scratch of a step, and the table of functions of a law.
#ifndef TACT_LAW_H
#define TACT_LAW_H

#include "tact/contact.h"
#include "tact/manifold.h"
#include "tact/solve.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_MARGIN_AUTO (-1)  // chosen so that contacts enter and leave without a jump: see tact_margin
#define TACT_FORCE_AUTO (-1)   // chosen so that contacts at a distance are not anchored: see tact_force_min

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

// Time integrators of the virtual law. All are implicit; the second-order ones dissipate less.
typedef enum {
    TACT_INTEGRATOR_BDF1,      // implicit Euler
    TACT_INTEGRATOR_BDF2,      // from two states; the first step by SDIRK2
    TACT_INTEGRATOR_MIDPOINT,  // forces at the mean of both states: conserves the energy of impacts best
} tact_integrator;

// How a temperature a smooths max(0, d), d being the penetration depth; all converge to it as a -> 0.
typedef enum {
    TACT_PENALTY_EXP,        // d + a for d >= 0, a exp(d/a) before
    TACT_PENALTY_SOFTPLUS,   // a ln(1 + exp(d/a)): the default; derivatives of impacts need the fewest steps
    TACT_PENALTY_ALGEBRAIC,  // (d + sqrt(d^2 + 4 a^2))/2: decays as a^2/|d|, a long range
    TACT_PENALTY_QUADRATIC,  // 0, d^2/(2a), d - a/2 for d < 0, to a, beyond: no force at a distance
} tact_penalty;

// Friction is kt times the sliding speed, limited to mu times the normal force: by what function.
typedef enum {
    TACT_FRICTION_CLAMP,
    TACT_FRICTION_TANH,  // smooth
    TACT_FRICTION_NONE,
} tact_friction;

// The normal force for the smoothed depth g(d) and the approach speed ddot.
typedef enum {
    TACT_DAMPING_PRODUCT,  // g max(0, kn + kd ddot): never pulls
    TACT_DAMPING_SUM,      // kn g + kd g' ddot: pulls when parting fast
} tact_damping;

// Which derivatives of contacts the virtual law computes.
typedef enum {
    TACT_GRADIENT_EXACT,     // of the discrete step
    TACT_GRADIENT_STRAIGHT,  // straight-through: the step is the hard one (temperature 0), its derivative that of the soft one
    TACT_GRADIENT_FROZEN,    // exact, except that contact point and normal are held on both bodies: the published shortcut
} tact_gradient;

// Options of a step. Start from tact_options_default(); zero is a value, never "default".
typedef struct {
    tact_real dt;            // time step h [s], 1e-6 to 1
    tact_vec3 gravity;       // [m/s^2]
    tact_real kappa;         // barrier sharpness [1/J], 1 to 1e8: a contact with force F rests at the gap 2/(kappa F)
    tact_real epsilon;       // inertia regularisation of unactuated dofs, 0 to 1e3: their mass counts epsilon/h^2. With 0 only
                             // contacts hold them, and a step in which these cannot (a fall, a slide) ends TACT_SINGULAR
    tact_real margin;        // pairs with a smaller gap enter the step [m]; TACT_MARGIN_AUTO
    bool limits;             // joint limits act: as barriers, as contacts under the rigid law, as springs under the virtual law
    tact_real limit_kappa;   // sharpness of the limits' barriers [1/J], 1 to 1e12
    bool anchor;             // store tangential displacements, so that held bodies do not creep
    tact_real force_min;     // an anchor is dropped when the normal force falls below this [N]; TACT_FORCE_AUTO
    tact_level level;        // rigid law
    tact_cone_kind cone;     // rigid law
    bool gravity_on_driven;  // robot links have weight, so that their drives sag
    bool warm_start;         // start the solver from the forces of the step before
    tact_real tolerance;     // of the solver, dimensionless: TACT_TOLERANCE
    int max_iterations;      // factorisations of a step, a certificate included; up to four times as many where force
                             // limits are reached or left; rigid law: of each of its problems, forty times as many where
                             // they are large or hard

    // the virtual law's
    tact_integrator integrator;  //
    tact_penalty penalty;        //
    tact_real temperature;       // a: forces reach about this far before contact [m], 0 to 1e3
    tact_real kn;                // normal stiffness [N/m], 0 to 1e12
    tact_real kd;                // normal damping [N s/m^2] (of the sum [N s/m]), 0 to 1e12
    tact_real kt;                // friction per sliding speed, below its limit [N s/m], 0 to 1e12
    tact_friction friction;      //
    tact_damping damping;        //
    tact_gradient gradient;      //
    tact_manifold manifold;      // where two shapes have virtual contacts
    tact_real spread;            // temperature of the contacts' weights along a face [m], 1e-9 to 1e3
} tact_options;

// A force and a torque on a body, world axes, at its centre of mass.
typedef struct {
    tact_vec3 force;   // [N]
    tact_vec3 torque;  // [N m]
} tact_wrench;

// The input of one step.
typedef struct {
    const tact_real *u;         // (nu) commanded coordinates of the driven dofs
    const tact_wrench *wrench;  // (nbody) external forces, or NULL
    const tact_real *spare;     // (npair) added to the gaps of the listed pairs in a step of the barrier law [m], or NULL
    const tact_real *guess;     // (nv) displacement near which the barrier law's warm start begins, of at most TACT_MOST_LENGTH
                                // each, or NULL: at the last forces
} tact_input;

// The scratch of the virtual law.
typedef struct tact_virtual_work tact_virtual_work;

// The complete state: equal states give equal steps, to the bit. The arrays are in memory of the caller (tact_state_init).
typedef struct {
    tact_real *q;       // (nq) coordinates
    tact_real *v;       // (nv) velocities; under the barrier law the displacement of the last step over dt
    tact_real *lambda;  // (npair, 3) forces of the last step along the contact frame; 0: no contact
    tact_vec3 *anchor;  // (npair) stored tangential displacement, world [m]; 0: none
    tact_vec3 *normal;  // (npair) the normal to which it belongs
    tact_real *q_past;  // (nq) the state before, under BDF2 only
    tact_real *v_past;  // (nv)
    bool past;          // these two are set
    tact_real time;     // [s]
    int nq, nv, npair;  // sizes of these arrays, by tact_state_init; a model of other sizes is asserted against
    uint64_t *key;  // (search.most) which pairs were found, ascending: those of the entries behind the listed ones; UINT64_MAX
} tact_state;

typedef struct tact_rigid_work tact_rigid_work;  // see src/law/rigid.h

// Scratch and results of one step. One per thread; the next step does not depend on it. It serves models with the same structure
// (joints, drives, pairs) and law as the one given to tact_work_init; this is asserted. Under the virtual law it holds masses and
// shapes of that model: initialise it again after changing these.
typedef struct {
    tact_sizes of;                     // sizes of what is below ...
    const tact_law *law;               // ... and the law that placed it
    tact_kinematics kinematics;        // where the step began
    tact_dynamics dynamics;            //
    tact_contacts contacts;            // of the step, with forces
    tact_barrier_work barrier;         // with the factorisation of the last iteration
    tact_barrier_problem problem;      // in the solver's order of the dofs
    tact_real *P;                      // its quadratic, by model->mass_first
    int *P_start;                      // (nv + 1)
    tact_real *p;                      // (nv) its gradient at rest
    tact_vec3 *rate;                   // (nv) scratch of loops and springs, and of the motion that they pass on:
    tact_real *free;                   // P's factor
    tact_real *free_pivot, *free_way;  // (nv)
    int *held;                         // (nspring) 1 or -1: at its force limit, pulling or pushing; 0: below it
    bool at_limit;                     // a spring has just reached its limit: derivatives are one-sided
    tact_cone *cone;                   // (npair)
    tact_bound *bound;                 // (2 nv)
    tact_real *d;                      // (nv) solution, solver's order
    tact_real *displacement;           // (nv) the same by dof
    tact_real *lambda;                 // (npair, 3)
    tact_real *bound_lambda;           // (2 nv)
    tact_rigid_work *rigid;            // of the rigid law
    tact_virtual_work *soft;           // of the virtual law only
    struct tact_found *found;          // of a model with a search: what the step was made with
    bool sweeping;                     // the margin is automatic: pairs that the step may bring together also enter
    tact_status status;                // of the last step
    tact_fault fault;                  // TACT_BAD_INPUT: what was refused; no field: numbers that overflow together
    int iterations;                    // of its solver
    tact_real decrement,
        balance;  // its residuals. Virtual law: both are the forces that the answer leaves out of balance, as the
                  // largest displacement that they give against the inertia in the step (a joint without any:
                  // against its drive), as a share of the largest movement of the step or of free fall in it
    tact_real kinetic, potential;  // energies after the step, under the rigid law [J]
    int worst_pair;                // when infeasible: the pair with the largest share in the certificate; else -1
    int worst_dof;                 // when singular under the rigid law: the dof that has no inertia; else -1. On
                                   // TACT_ITERATION_LIMIT one of the two is >= 0 when a gap is still closed: see tact_step
} tact_work;

// Lets steps with this work share their large factorisations among threads (barrier law; most of the work of a step with hundreds
// of bodies in contact). Results are the same to the bit. tact_work_init resets it.
void tact_work_share(tact_work *work, tact_threads threads);

// Parameters of a step. A derivative by one holds everything else constant: a mass keeps its inertia about the centre of mass, dt
// keeps u and q.
typedef enum {
    TACT_PARAMETER_KAPPA,        // of all contacts [1/J]
    TACT_PARAMETER_LIMIT_KAPPA,  // [1/J]
    TACT_PARAMETER_EPSILON,      //
    TACT_PARAMETER_DT,           // [s]
    TACT_PARAMETER_MU,           // of the pair index
    TACT_PARAMETER_RADIUS,       // of the sphere or capsule that is the shape index, in all its pairs [m]
    TACT_PARAMETER_MASS,         // of the body index, weight included [kg]
    TACT_PARAMETER_STIFFNESS,    // of the driven dof index
    TACT_PARAMETER_FORCE,        // on the body index, component 0 to 2: force x, y, z [N], 3 to 5: torque x, y, z [N m]

    // of the virtual law, which has MU, MASS (the plane's inertia is kept), STIFFNESS and FORCE of those above, too
    TACT_PARAMETER_KN,           // of all contacts
    TACT_PARAMETER_KD,           //
    TACT_PARAMETER_KT,           //
    TACT_PARAMETER_TEMPERATURE,  // of derivatives in force: see tact_gradient
    TACT_PARAMETER_SIZE,         // of the shape index, component: which of tact_shape.size [m]
    TACT_PARAMETER_INERTIA,      // of the body index about its centre of mass, across the plane [kg m^2]
    TACT_PARAMETER_DAMPING,      // of the dof index
} tact_parameter_kind;

typedef struct {
    tact_parameter_kind kind;
    int index;      // pair, shape, body or dof; 0 where there is one only
    int component;  // of a force or a size; else 0
} tact_parameter;

// A finished step from before to after. All of it must stay unchanged while its derivatives are computed (tact/record.h).
typedef struct {
    const tact_model *model;
    const tact_options *options;
    const tact_input *input;
    const tact_state *before, *after;
    tact_work *work;  // of that step
} tact_record;

// A change at the start of a step; NULL: none.
typedef struct {
    const tact_real *q, *v;            // (nv) q in the tangent space; v under a law with velocities
    const tact_real *q_past, *v_past;  // (nv) of the virtual law's BDF2
    const tact_real *u;                // (nu)
    const tact_real *force;            // (nv) generalised forces [N or N m]
    const tact_parameter *parameter;   // a unit change of it
} tact_step_change;

// The resulting change of the state after the step, in the caller's arrays; NULL leaves one out.
typedef struct {
    tact_real *q, *v;  // (nv)
    tact_real
        *lambda;  // (3 nc) the contact forces along the frames; virtual law: those of each pair together, the frames as they are
} tact_step_effect;

// The reverse of a step. On entry the gradient dL by the state after the step, on return that by the state before it.
typedef struct {
    tact_real *q, *v;            // (nv)
    tact_real *q_past, *v_past;  // (nv)
    tact_vec3 *anchor, *normal;  // (npair) of the stored displacements, or NULL: they count as constant
    const tact_real *lambda;     // (3 nc) dL/dlambda of the step, on entry, or NULL
    tact_real *u;                // (nu) set to dL/du, or NULL
    int nparameter;
    const tact_parameter *parameter;  // (nparameter)
    tact_real *by_parameter;          // (nparameter) dL/dparameter is added
} tact_step_adjoint;

// Which table in src/deriv differentiates a law: a program that only steps links none of them.
typedef enum {
    TACT_DERIV_NONE,
    TACT_DERIV_BARRIER,
    TACT_DERIV_RIGID,
    TACT_DERIV_VIRTUAL,
} tact_deriv_kind;

#define TACT_BY(NAME) (1u << TACT_PARAMETER_##NAME)

// A contact law: its functions and its capabilities. model->law points to one of those below; a program that names one of them
// links no other.
struct tact_law {
    const char *name;
    // NULL, or a function that returns the reason why the law cannot step a model, with the body; NULL if it can
    const char *(*refuse)(const tact_model *model, int *body);
    // allocates its part of the work from the arena: once to measure, once to place
    void (*place)(tact_work *work, const tact_model *model, tact_arena *arena);
    // fills in the members of that part that do not change between steps
    void (*prepare)(tact_work *work, const tact_model *model);
    // finds the contacts, solves, writes the new state; kinematics are up to date, input and options checked and in force
    tact_status (*step)(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                        tact_work *work);

    // NULL, or what tact_model_check finds for the law
    tact_fault (*check)(const tact_model *model);

    // capabilities
    tact_deriv_kind derivatives;  // of a step
    unsigned by;                  // parameters by which there are derivatives, TACT_BY(MU) | ...
    bool velocities;              // velocities are of the state: x = (q, v); else x = q
    bool anchors;                 // stored displacements are, with options.anchor
    bool lanes;                   // several scenes step side by side in a vector register (tact/lanes.h)
    bool distant;                 // forces begin before contact
    bool springs;                 // bodies overlap on springs, and the options from integrator to spread are in force
    bool energies;                // a step computes kinetic and potential energy
    bool prepared;                // work holds masses and shapes of the model that it was initialised for
};

// How pairs are found that a model does not list; also a const table, so that a program without any has no code for it.
typedef struct tact_finder {
    void (*place)(tact_work *work, const tact_model *model, tact_arena *arena);
    tact_status (*step)(const tact_model *model, const tact_options *options, const tact_input *input, tact_state *state,
                        tact_work *work);
    // Copies a state with its forces and anchors in the order of the pairs that the work's step found; 0 of pairs that the state
    // does not remember. to was placed for the same model.
    void (*recall)(const tact_work *work, const tact_model *model, const tact_state *state, tact_state *to);
    // Finds the pairs of shapes that overlap or touch where the work's kinematics are: those of tact_step_model. False: there is
    // no room for all.
    bool (*look)(const tact_model *model, tact_work *work);
} tact_finder;

extern const tact_finder tact_finder_tree;  // a tree of boxes about the shapes, made anew in every step

extern const tact_law tact_law_barrier;  // quasidynamic log-barrier step: no velocities, large steps, forces before contact
extern const tact_law tact_law_rigid;    // complementarity: velocities, impacts, no penetration
extern const tact_law tact_law_virtual;  // planar bodies in time, contacts by stiff springs that a temperature softens

// Why a model cannot be stepped by the virtual law, as tact_model_check tells it: what tact_plane_check says, and
// "body.joint" (a mimic of a joint on another tree), "body.mass" (a motion without inertia), "nloop", "nspring".
tact_fault tact_virtual_check(const tact_model *model);

// What the options say of the contacts of the virtual law.
tact_virtual_options tact_virtual_contact_options(const tact_options *options);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
