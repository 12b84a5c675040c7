// SPDX-License-Identifier: MIT
// Scratch of the virtual law, and what its step and its derivatives share.
//
// A mover is a body with a moving joint; its pose in the plane is affine in q: (p, th) = rest + J q. A group is the movers of
// one tree; the unknowns are the dofs, group by group, with a constant mass matrix each. In groups that bend, M and J depend on
// q, and Q includes the inertial forces (law/virtual_chain.h). Every integrator solves stages
//
//     r(x) = M (x - qhat) - beta Q(x, w) = 0 ,   w = sigma (x - centre) ,   H = M - beta (K + sigma D)
//
//     bdf1       qhat = q + h v                       centre = q               beta = h^2       sigma = 1/h
//     bdf2       qhat = 4/3 q - 1/3 q' + 8/9 h v      centre = 4/3 q - 1/3 q'  beta = 4/9 h^2   sigma = 3/(2h)
//                       - 2/9 h v'
//     sdirk2     qhat = q + al h v, then              centre = q, then         beta = al^2 h^2  sigma = 1/(al h)
//                q + (2al-1) h v + 2(1-al) h va       q + (1-al) h va
//     midpoint   qhat = q + h/2 v                     centre = q               beta = h^2/4     sigma = 2/h
//
// with q', v' the state before q, v. The solution x, w is the new state, or for the midpoint rule the mean of old and new
// state.
#ifndef TACT_LAW_VIRTUAL_H
#define TACT_LAW_VIRTUAL_H

#include "contact/virtual_touch.h"
#include "law/virtual_force.h"
#include "solve/blocks.h"
#include "tact/manifold.h"

// Planar screw of one motion of a chain: rotation rate about a point, or if that is 0 the velocity of a translation.
typedef struct {
    tact_real turn;
    tact_vec2 at;
} tact_virtual_screw;

// One motion on the path to a point: its column of the Jacobian and derivatives of that, see law/virtual_chain.c.
typedef struct {
    int unknown;  // index of the motion's dof within the group
    tact_real turn, way, rate, spin, spin_way;
    tact_vec2 column, curve, curve_way, third;
} tact_virtual_link;

typedef struct {
    tact_real *qhat, *centre;  // (nv)
    tact_real *x, *w;          // (nv) coordinates and rates that solve the stage
    tact_real beta, sigma;     // coefficients of the stage
} tact_virtual_stage;

struct tact_virtual_work {
    tact_fault fault;           // why the model cannot be stepped
    tact_planar planar;         // poses and shapes in the plane, and the broad phase
    tact_virtual_hold *hold;    // (npair) contact features of each pair, frozen while `holding` ...
    tact_planar_pose *begin;    // ... and (nbody) the poses at which they are found
    tact_vec2 *particle;        // (most_force) particles of all pairs, nparticle of them in use ...
    tact_planar_part *near;     // ... and (most_force, 2) the nearest parts of the two shapes
    int nparticle, stalls;      // stalls: consecutive line searches with a very short step
    tact_virtual *found;        // (most_found) contacts of one pair ...
    tact_virtual_touch *touch;  // ... and contacts in closed form
    int ngroup;
    int *group_start;   // (ngroup + 1) first unknown of each group
    int *group;         // (nbody) group of each body; -1: none
    int *mover;         // (nbody) the mover that carries the body; TACT_WORLD: none
    int *dof;           // (nv) dof of each unknown
    int *unknown;       // (nv) unknown of each dof
    int *J_start;       // (nbody + 1) where J of each mover begins
    tact_real *J;       // (3, unknowns of the group) Jacobian of each mover
    bool *plain;        // (nbody) J is the identity
    bool *turns;        // (nbody) the mover's angle may change
    int *M_start;       // (ngroup + 1) where the mass matrix of each group begins
    tact_real *M;       // mass matrices of the groups
    tact_vec2 *rest;    // (nbody) origin at q = 0; of bodies that are not movers relative to the mover's origin
    tact_vec2 *com;     // (nbody) centre of mass relative to the mover's origin, at q = 0
    tact_real *extent;  // (nbody) movers: largest distance of a shape's point from the origin [m]
    int *inside;        // (nbody) the first noff: bodies whose weight depends on the mover's angle
    int noff;

    // only in models with groups that bend
    bool bending;                    // there is such a group
    bool *bends;                     // (ngroup) whether the group bends
    tact_virtual_screw *rest_screw;  // (nmotion) screws at q = 0 ...
    tact_virtual_screw *screw;       // ... and at the last evaluation
    tact_virtual_link *link;         // (nmotion) scratch
    tact_real *inertia;              // (nbody) moment of inertia about the centre of mass
    tact_real *gyration;             // derivative of the inertial forces by the velocities at the last evaluation, laid out as M
    tact_real *drift;                // derivative of the movers' velocities by q at fixed w, laid out as J
    tact_vec2 *pull;                 // (nbody) sum of the contact forces on each mover

    // vectors of the unknowns
    tact_real *load;        // forces that do not depend on q, v, and the drives' K u
    tact_real *stiffness;   // of the drives
    tact_real *damping;     // of the drives
    tact_real *limit_drag;  // joint limits' contribution to the damping at the last evaluation
    tact_real *Q, *r, *resist, *step, *trial, *trial_w, *z, *c_bar, *q_bar;
    tact_vec2 *push;      // (nbody) external force on the centre of mass, in the plane
    tact_vec2 *origin;    // (nbody) origins of the movers at x
    tact_real *velocity;  // (nbody, 3) velocities of the movers
    tact_real *slack;     // (nbody) displacement that the broad phase allows for [m]
    tact_real *column;    // (widest, 6) scratch

    tact_virtual_stage stage[2];  // stages of the last step; SDIRK2 uses both
    int last;                     // index of the stage that gave the new state
    int at;                       // stage at which H and the forces were evaluated ...
    tact_real at_temperature;     // ... and their temperature
    tact_virtual_force *force;    // (most_force) forces of the last evaluation
    bool *sticks;                 // (most_force) contacts whose sliding direction a step would reverse
    int nforce;
    tact_virtual_couple *couple;  // (npair) couples of movers at the last evaluation
    int ncouple;
    int most_found, most_force;
    int *listed;  // (nv) scratch: nlisted unknowns
    int nlisted;
    tact_blocks H;    // at the solution; M is added when it is factored
    bool factored;    // H is factored
    bool holding;     // contact features are frozen
    bool crowded;     // there was no room for all particles
    tact_real reach;  // distance at which forces begin in this step [m]
    tact_virtual_options contact;
};

// Coefficients of qhat and centre in terms of q, v, q', v'; in the second stage of SDIRK2 the last is w of the first stage.
typedef struct {
    tact_real hat[4], centre[4], beta, sigma;
} tact_virtual_scheme;

tact_virtual_scheme tact_virtual_choose_scheme(tact_integrator integrator, bool past, int stage, tact_real h);

// One evaluation: stage, temperature and contacts linearised as sticking.
typedef struct {
    const tact_model *model;
    const tact_options *options;
    tact_virtual_work *soft;
    const tact_virtual_stage *stage;
    tact_real a;
    const bool *sticks;  // by force: contacts whose friction has no limit; NULL: none
} tact_virtual_job;

// Q at x, w into soft->Q, and the forces; with slopes also H, without M and not factored, whose sparsity pattern must be set.
void tact_virtual_evaluate(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// Adds M to H and factors it; false when it is singular.
bool tact_virtual_factor(tact_virtual_work *soft);

// Poses of all bodies and velocities of the movers at x, w; in groups that bend also J.
void tact_virtual_move(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// r(x) = M (x - qhat) - beta Q, with soft->Q.
void tact_virtual_residual(const tact_virtual_job *job, const tact_real *x, tact_real *r);

// y = M x
void tact_virtual_apply_mass(const tact_virtual_work *soft, const tact_real *x, tact_real *y);

// y += J'F for a mover.
void tact_virtual_push_mover(const tact_virtual_work *soft, int mover, const tact_real F[3], tact_real *y);

// Adds the contacts in closed form between two movers to Q, the forces and, with slopes, H.
void tact_virtual_add_touches(const tact_virtual_job *job, int pair, const int mover[2], bool slopes);

// Initialises the next couple, of these two movers; the caller raises ncouple when it has put a force into it.
tact_virtual_couple *tact_virtual_begin_couple(tact_virtual_work *soft, const int mover[2]);

// For rates x of the unknowns: velocity of the first mover relative to the second at p[0], and relative angular velocity. The
// transpose: y += the generalised force of a force and moment about p[0] on the first mover, and their opposites on the second.
void tact_virtual_couple_rate(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x,
                              tact_real rate[3]);
void tact_virtual_push_couple(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real F[3],
                              tact_real *y);

// y += D x of one couple, or D'x.
void tact_virtual_damp(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x, bool transposed,
                       tact_real *y);

// y += D x, or D'x, at the last evaluation, with D = dQ/dw.
void tact_virtual_add_damping(const tact_virtual_work *soft, const tact_real *x, bool transposed, tact_real *y);

// y (3) = J x of a mover; 0 for the world.
void tact_virtual_rate(const tact_virtual_work *soft, int mover, const tact_real *x, tact_real *y);

// Velocity of the first body relative to the second at the point of a force, for rates x; the transpose: y += generalised force
// of f on the first body and -f on the second.
tact_vec2 tact_virtual_slip(const tact_virtual_work *soft, const tact_virtual_force *force, const tact_real *x);
void tact_virtual_add_force(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 f, tact_real *y);

// y += change of the generalised force when the force's point of application moves by `way`.
void tact_virtual_add_lever(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 way, tact_real *y);

// Adds a 3 x 3 block between two movers to H: H += J_a' S right_b, with right = soft->J or laid out like it.
void tact_virtual_add_block(tact_virtual_work *soft, int a, int b, const tact_real S[9], const tact_real *right);

// Frozen contact features of a pair in this step, found when first asked for; NULL: none.
const tact_virtual_hold *tact_virtual_hold_of(tact_virtual_work *soft, int pair);

// Contacts of a pair at the poses of the last evaluation, with derivatives by the movers' coordinates, and velocities of the
// two ends. Returns their number.
int tact_virtual_gather(tact_virtual_work *soft, int pair, tact_virtual_ends *ends);

// Whether a body's motions make the mass matrix of its group depend on q: a joint above it turns, or it slides and turns with
// its centre of mass off the axis.
bool tact_virtual_body_bends(const tact_model *model, int body);

// Root of a body's tree; whether the body has motions, by dofs of its own or another body's.
int tact_virtual_root(const tact_model *model, int body);
bool tact_virtual_moves(const tact_model *model, int body);

// Temperature of the penalty in a step; derivatives may use another one.
tact_real tact_virtual_forward_temperature(const tact_options *options);

// Constant loads and the drives at the beginning of a step.
void tact_virtual_load_forces(const tact_model *model, const tact_options *options, const tact_input *input,
                              const tact_kinematics *kinematics, tact_virtual_work *soft);

void tact_virtual_place(tact_work *work, const tact_model *model, tact_arena *arena);
void tact_virtual_prepare(tact_work *work, const tact_model *model);

// Whether the scratch was prepared for this model, or for one with the same bodies, dofs, shapes and pairs in memory.
static inline bool tact_virtual_is_of(const tact_virtual_work *soft, const tact_model *model) {
    const tact_model *own = soft->planar.model;
    return own == model ||
           (own->body == model->body && own->dof == model->dof && own->shape == model->shape && own->pair == model->pair);
}

// Evaluates H and forces at a stage of the last step, for the temperature of the derivatives; does nothing if they are up to
// date.
tact_status tact_virtual_revisit(const tact_virtual_job *job, int stage);

// Job for derivatives of the last step.
tact_virtual_job tact_virtual_slope_job(const tact_model *model, const tact_options *options, tact_work *work, int stage);

// Status of the derivatives: TACT_HELD for particles, whose places depend on coordinates and sizes, unless all points are to be
// frozen.
tact_status tact_virtual_slope_status(const tact_options *options, bool by_place);

// y -= beta K x, or beta K'x, at the last evaluation, after factorisation, with K = dQ/dq at fixed velocities.
void tact_virtual_add_stiffness(const tact_virtual_job *job, const tact_real *x, bool transposed, tact_real *y);

// Adds the forces of joint limits at x, w to Q; with slopes also to H. The other: y += beta times their derivative by a
// parameter of tact_virtual_response, at the stage's x, w.
void tact_virtual_add_limits(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);
void tact_virtual_add_limit_parameter(const tact_virtual_job *job, int kind, tact_real *y);

// Derivative of the forces of one pair's contacts by one of their parameters. like: a force of this pair. Adds to the sum below
// unless y is NULL.
tact_vec2 tact_virtual_parameter_force(const tact_virtual_job *job, int pair, tact_parameter parameter,
                                       const tact_virtual_force *like, tact_real *y);

// y += beta dQ/dparameter - dM/dparameter (x - qhat) at the last evaluation: minus the derivative of a stage's residual.
void tact_virtual_add_parameter(const tact_virtual_job *job, const tact_input *input, const tact_kinematics *kinematics,
                                tact_parameter parameter, tact_real *y);

#endif
