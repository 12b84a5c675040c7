// SPDX-License-Identifier: MIT
// The scratch of the virtual law, and what its step and its derivatives share.
//
// A mover is a body with a joint that moves; its pose in the plane is affine in q: (p, th) = rest + J q. A group is the movers of
// one tree; unknowns are the dofs group by group, with a constant mass matrix for each. In groups that bend M and J depend on q,
// and Q holds the inertial forces, too (law/virtual_chain.h). Every integrator solves stages
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
// with q', v' the state before q, v. x, w are the new state, or for the midpoint its means with the old one.
#ifndef TACT_LAW_VIRTUAL_H
#define TACT_LAW_VIRTUAL_H

#include "contact/virtual_touch.h"
#include "law/virtual_force.h"
#include "solve/blocks.h"
#include "tact/manifold.h"

// One motion of a chain: the rate of turn about a point, or where that is 0 the velocity of a slide.
typedef struct {
    tact_real turn;
    tact_vec2 at;
} tact_virtual_screw;

// One motion of a path and a point that it moves: law/virtual_chain.c
typedef struct {
    int unknown;  // within the group
    tact_real turn, way, rate, spin, spin_way;
    tact_vec2 column, curve, curve_way, third;
} tact_virtual_link;

typedef struct {
    tact_real *qhat, *centre;  // (nv)
    tact_real *x, *w;          // (nv) solution
    tact_real beta, sigma;     //
} tact_virtual_stage;

struct tact_virtual_work {
    tact_fault fault;           // why the model cannot be stepped
    tact_planar planar;         //
    tact_virtual_hold *hold;    // (npair) what of their contacts is held, while holding ...
    tact_planar_pose *begin;    // (nbody) ... and the poses for which that is found
    tact_vec2 *particle;        // (most_force) of all pairs, nparticle of them taken ...
    tact_planar_part *near;     // (most_force, 2) ... and the parts of the shapes that are nearest
    int nparticle, stalls;      // stalls: line searches in sequence that went hardly any way
    tact_virtual *found;        // (most) contacts of one pair ...
    tact_virtual_touch *touch;  // ... and those in closed form
    int ngroup;
    int *group_start;   // (ngroup + 1) first unknown of each group
    int *group;         // (nbody) of each mover; -1
    int *mover;         // (nbody) that carries the body; TACT_WORLD
    int *dof;           // (nv) of each unknown
    int *unknown;       // (nv) inverse
    int *J_start;       // (nbody + 1) where J of each mover begins
    tact_real *J;       // (3, unknowns of the group) of each mover
    bool *plain;        // (nbody) J is the identity
    bool *turns;        // (nbody) the mover's angle may change
    int *M_start;       // (ngroup + 1)
    tact_real *M;       // mass matrices of the groups
    tact_vec2 *rest;    // (nbody) movers: origin at q = 0; other moved bodies: origin less the mover's at rest, plane's axes
    tact_vec2 *com;     // (nbody) centre of mass less the mover's origin, at rest
    tact_real *extent;  // (nbody) movers: largest distance of a shape's point from the origin [m]
    int *inside;        // (nbody) the first noff: bodies whose centre of mass goes round as they turn
    int noff;

    // of groups that bend; no memory where there are none
    bool bending;                    // there are
    bool *bends;                     // (ngroup)
    tact_virtual_screw *rest_screw;  // (nmotion) at q = 0 ...
    tact_virtual_screw *screw;       // ... and at the last evaluation
    tact_virtual_link *link;         // (nmotion) scratch
    tact_real *inertia;              // (nbody) about the centre of mass
    tact_real *gyration;             // inertial forces of the last evaluation by velocities, laid out as M
    tact_real *drift;                // velocities of the movers by q at fixed w, laid out as J
    tact_vec2 *pull;                 // (nbody) sum of the contact forces on each mover

    // by unknown
    tact_real *load;        // forces that do not depend on q, v, and the drives' K u
    tact_real *stiffness;   // of the drives
    tact_real *damping;     //
    tact_real *limit_drag;  // what joint limits add to it at the last evaluation
    tact_real *Q, *r, *resist, *step, *trial, *trial_w, *z, *c_bar, *q_bar;
    tact_vec2 *push;      // (nbody) force on each body's centre of mass, in the plane
    tact_vec2 *origin;    // (nbody) of the movers at x
    tact_real *velocity;  // (nbody, 3) of the movers
    tact_real *slack;     // (nbody) how far each may go from where pairs were looked for [m]
    tact_real *column;    // (widest, 6) scratch

    tact_virtual_stage stage[2];  // of the last step; the first only of SDIRK2
    int last;                     // stage that gave the new state
    int at;                       // stage at which H and the forces are ...
    tact_real at_temperature;     // ... and for which temperature
    tact_virtual_force *force;    // (most) of the last evaluation
    bool *sticks;                 // (most) those that a step would have slide the other way
    int nforce;
    tact_virtual_couple *couple;  // (npair) of the last evaluation
    int ncouple;
    int most_found, most_force;
    int *listed;  // (nv) scratch: nlisted unknowns
    int nlisted;
    tact_blocks H;    // at the solution, without M until factored, and so kept
    bool factored;    // H is
    bool holding;     // of contacts something is held
    bool crowded;     // there was no room for all particles
    tact_real reach;  // of the forces in the step [m]
    tact_virtual_options contact;
};

// qhat and centre as sums of q, v, q', v'; in the second stage of SDIRK2 the last is w of the first stage.
typedef struct {
    tact_real hat[4], centre[4], beta, sigma;
} tact_virtual_scheme;

tact_virtual_scheme tact_virtual_choose_scheme(tact_integrator integrator, bool past, int stage, tact_real h);

// One evaluation: where, under which temperature.
typedef struct {
    const tact_model *model;
    const tact_options *options;
    tact_virtual_work *soft;
    const tact_virtual_stage *stage;
    tact_real a;
    const bool *sticks;  // by force: those whose friction knows no limit; NULL: none
} tact_virtual_job;

// Q at x, w into soft->Q, and the forces; with slopes also H, not factored and without M, which must have its pattern.
void tact_virtual_evaluate(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// H with M, factored; false where it is singular.
bool tact_virtual_factor(tact_virtual_work *soft);

// Poses of all bodies, velocities of the movers; of groups that bend also J.
void tact_virtual_move(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);

// r at x from soft->Q
void tact_virtual_residual(const tact_virtual_job *job, const tact_real *x, tact_real *r);

// y = M x
void tact_virtual_apply_mass(const tact_virtual_work *soft, const tact_real *x, tact_real *y);

// y += J'F of a mover
void tact_virtual_push_mover(const tact_virtual_work *soft, int mover, const tact_real F[3], tact_real *y);

// What virtual contacts in closed form between two movers add to Q, the forces and, with slopes, H.
void tact_virtual_add_touches(const tact_virtual_job *job, int pair, const int mover[2], bool slopes);

// The next couple, without forces, where the movers are; it counts when one is put into it and ncouple is raised.
tact_virtual_couple *tact_virtual_begin_couple(tact_virtual_work *soft, const int mover[2]);

// For rates x of the unknowns the velocity at p[0] and the turning of the first mover over the second. y += what a force and its
// moment about p[0] on the first, and the opposite on the second do.
void tact_virtual_couple_rate(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x,
                              tact_real rate[3]);
void tact_virtual_push_couple(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real F[3],
                              tact_real *y);

// y += what one couple has of D x, or D'x
void tact_virtual_damp(const tact_virtual_work *soft, const tact_virtual_couple *couple, const tact_real *x, bool transposed,
                       tact_real *y);

// y += D x, or D'x, at the last evaluation: forces by velocities
void tact_virtual_add_damping(const tact_virtual_work *soft, const tact_real *x, bool transposed, tact_real *y);

// y (3) = J x of a mover; 0 for the world.
void tact_virtual_rate(const tact_virtual_work *soft, int mover, const tact_real *x, tact_real *y);

// Velocity of the first body's point less the second's, for the rates x of the unknowns; and y += what forces f, -f there do.
tact_vec2 tact_virtual_slip(const tact_virtual_work *soft, const tact_virtual_force *force, const tact_real *x);
void tact_virtual_add_force(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 f, tact_real *y);

// y += what the force does when the point where it acts goes a way.
void tact_virtual_add_lever(const tact_virtual_work *soft, const tact_virtual_force *force, tact_vec2 way, tact_real *y);

// A block of 3 x 3 between two movers enters H: H += J_a' S right_b, right soft->J or laid out like it.
void tact_virtual_add_block(tact_virtual_work *soft, int a, int b, const tact_real S[9], const tact_real *right);

// What is held of a pair's contacts in this step, found when it is first asked for; NULL: nothing.
const tact_virtual_hold *tact_virtual_hold_of(tact_virtual_work *soft, int pair);

// A pair's contacts at the last evaluation's poses, as many as returned, with columns of the movers, and their bodies' ends.
int tact_virtual_gather(tact_virtual_work *soft, int pair, tact_virtual_ends *ends);

// Whether a body makes the group that it is in bend: what carries it turns, or it slides and turns with its centre of mass off
// the axis.
bool tact_virtual_body_bends(const tact_model *model, int body);

// The root of a body's tree, and whether its joint has dofs, its own or another's.
int tact_virtual_root(const tact_model *model, int body);
bool tact_virtual_moves(const tact_model *model, int body);

// The temperature of the steps, and that of their derivatives.
tact_real tact_virtual_forward_temperature(const tact_options *options);

// Forces and drives at the beginning of a step.
void tact_virtual_load_forces(const tact_model *model, const tact_options *options, const tact_input *input,
                              const tact_kinematics *kinematics, tact_virtual_work *soft);

void tact_virtual_place(tact_work *work, const tact_model *model, tact_arena *arena);
void tact_virtual_prepare(tact_work *work, const tact_model *model);

// Was the scratch prepared for this model, or for one that has its bodies, dofs, shapes and pairs in the same place?
static inline bool tact_virtual_is_of(const tact_virtual_work *soft, const tact_model *model) {
    const tact_model *own = soft->planar.model;
    return own == model ||
           (own->body == model->body && own->dof == model->dof && own->shape == model->shape && own->pair == model->pair);
}

// H and the forces at a stage of the step that work has done, for the temperature that derivatives are to have; nothing is done
// where they are so already.
tact_status tact_virtual_revisit(const tact_virtual_job *job, int stage);

// What derivatives of the step that work has done are for.
tact_virtual_job tact_virtual_slope_job(const tact_model *model, const tact_options *options, tact_work *work, int stage);

// What derivatives are: TACT_HELD of particles, whose places change with coordinates and sizes, unless all points are to be
// frozen.
tact_status tact_virtual_slope_status(const tact_options *options, bool by_place);

// y -= beta K x, or beta K'x, at the last evaluation, which is factored: K = dQ/dq at fixed velocities.
void tact_virtual_add_stiffness(const tact_virtual_job *job, const tact_real *x, bool transposed, tact_real *y);

// Q += forces of joint limits at x, w; with slopes H, too. And y += beta times their change with a parameter of
// tact_virtual_response at the stage's x, w.
void tact_virtual_add_limits(const tact_virtual_job *job, const tact_real *x, const tact_real *w, bool slopes);
void tact_virtual_add_limit_parameter(const tact_virtual_job *job, int kind, tact_real *y);

// The change of the forces of one pair's contacts with a parameter of theirs; like: a force of this pair. Unless y is NULL its
// part of the sum below is added.
tact_vec2 tact_virtual_parameter_force(const tact_virtual_job *job, int pair, tact_parameter parameter,
                                       const tact_virtual_force *like, tact_real *y);

// y += beta dQ/dparameter - dM/dparameter (x - qhat) at the last evaluation: what a unit of it does to the equations of a stage.
void tact_virtual_add_parameter(const tact_virtual_job *job, const tact_input *input, const tact_kinematics *kinematics,
                                tact_parameter parameter, tact_real *y);

#endif
