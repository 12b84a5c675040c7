// SPDX-License-Identifier: MIT
// The model: bodies on a kinematic tree, shapes on bodies, pairs of shapes that may touch, drives. It does not change while it is
// stepped: it is const once prepared, may be shared between threads and may be stored in flash.
//
// Conventions: SI units, radians; x_world = R x_body + p. Coordinates q (nq) and velocities or displacements v (nv) differ in
// number where a joint is free: there q holds x, y, z and a unit quaternion w, x, y, z, and v holds (angular, linear),
// world-aligned, at the body's origin. Everything matrix-like is nv-sized. Dofs are numbered in the order in which a scene
// lists its bodies.
#ifndef TACT_MODEL_H
#define TACT_MODEL_H

#include "tact/math.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

#define TACT_WORLD (-1)  // the body that does not move

typedef enum {
    TACT_JOINT_FIXED,        // 0 dofs
    TACT_JOINT_REVOLUTE,     // 1: angle about axis [rad], limited
    TACT_JOINT_CONTINUOUS,   // 1: angle about axis [rad]
    TACT_JOINT_PRISMATIC,    // 1: displacement along axis [m], limited
    TACT_JOINT_TRANSLATION,  // 3: x, y, z in the joint frame [m]
    TACT_JOINT_PLANAR,       // 3: x, y in the joint frame [m], angle about its z [rad]
    TACT_JOINT_FREE,         // 6: q is x, y, z [m], w, x, y, z in the joint frame; v is angular, linear, world-aligned
} tact_joint_type;

// How many components of v a joint has; 0 for a type that does not exist.
static inline int tact_joint_dofs(tact_joint_type type) {
    switch (type) {
    case TACT_JOINT_FIXED: return 0;
    case TACT_JOINT_REVOLUTE:
    case TACT_JOINT_CONTINUOUS:
    case TACT_JOINT_PRISMATIC: return 1;
    case TACT_JOINT_TRANSLATION:
    case TACT_JOINT_PLANAR: return 3;
    case TACT_JOINT_FREE: return 6;
    }
    return 0;
}

// How many components of q a joint has.
static inline int tact_joint_coordinates(tact_joint_type type) {
    return type == TACT_JOINT_FREE ? 7 : tact_joint_dofs(type);
}

// A rigid body and the joint that carries it. A joint mimics another when the dof at v belongs to another body; then it is
// revolute, continuous or prismatic.
typedef struct {
    int parent;             // body that carries the joint, less than the own index; TACT_WORLD
    tact_joint_type joint;  //
    tact_pose place;        // joint frame in the parent's frame; body and joint frame coincide at q = 0
    tact_vec3 axis;         // unit, in the joint frame (revolute, continuous, prismatic)
    int q;                  // first of the joint's coordinates in q; of a mimic joint: the one that it follows
    int v;                  // first of the joint's dofs in v; likewise
    tact_real ratio;        // coordinate = ratio q[.] + offset: 1 and 0 unless the joint mimics another
    tact_real offset;       // [rad or m]
    tact_real mass;         // [kg]
    tact_vec3 com;          // centre of mass in the body frame [m]
    tact_real inertia[6];   // xx, yy, zz, xy, xz, yz about the centre of mass, body axes [kg m^2]
    tact_real armature;     // inertia of a motor's rotor, times its gear's ratio squared, at a joint of one dof [kg m^2 or kg]
} tact_body;

// One degree of freedom: what holds for a single component of v.
typedef struct {
    int body;             // whose joint it belongs to (the leader's where joints mimic)
    int q;                // its coordinate in q; -1 for the three rotations of a free joint
    int u;                // its command in u when driven; -1 otherwise (unactuated)
    tact_real stiffness;  // of the drive, [N/m or N m/rad]; 0 when unactuated
    tact_real damping;    // [N s/m or N m s/rad] of the drive; of an unactuated dof a viscous drag (virtual law)
    tact_real lower;      // limit of the coordinate; -TACT_MAX: none
    tact_real upper;      // TACT_MAX: none
    bool force;           // driven by a force or torque, which u is; then the stiffness is 0 (virtual law)
} tact_dof;

typedef enum {
    TACT_SHAPE_SPHERE,     // size: radius (0: a point)
    TACT_SHAPE_PLANE,      // the half-space z <= 0 of the shape's frame is solid
    TACT_SHAPE_CAPSULE,    // size: radius, half the length between the centres; along z. Of an edge of a box or hull also
                           // that length again and the angle of what is outward across it, from x about z
    TACT_SHAPE_BOX,        // size: half lengths x, y, z (full extent), corner radius within them
    TACT_SHAPE_CYLINDER,   // size: radius, half length; along z
    TACT_SHAPE_ELLIPSOID,  // size: half axes x, y, z

    // planar, in the x-y plane of the shape's frame. Laws in three dimensions take a circle for a sphere, the others for prisms
    // without ends along z.
    TACT_SHAPE_CIRCLE,        // size: radius
    TACT_SHAPE_RECTANGLE,     // size: half lengths x, y (full extent), corner radius within them
    TACT_SHAPE_POLYGON,       // size: factor of the points [1], corner radius within the polygon; convex, points
    TACT_SHAPE_HALFPLANE,     // y <= 0 is solid
    TACT_SHAPE_UNION,         // of members
    TACT_SHAPE_SMOOTH_UNION,  // size: temperature T > 0; of members: -T ln sum exp(-distance/T)

    TACT_SHAPE_HULL,  // in three dimensions. size: round, the radius of a ball that is added all around the convex polyhedron
    TACT_SHAPE_GRID,  // in three dimensions, of any form. size: round, the radius of a ball that is added all around
} tact_shape_type;

// Firmware whose model has no hulls, grids or polygons, or in whose pairs one shape is always a sphere or circle, may be compiled
// with -DTACT_HULLS=0, -DTACT_GRIDS=0, -DTACT_POLYGONS=0 and -DTACT_BALLS_ONLY=1, which leave out unused code.
#ifndef TACT_HULLS
#define TACT_HULLS 1
#endif
#ifndef TACT_GUESS
#define TACT_GUESS 1  // 0: the guess of an input is not looked at
#endif
#ifndef TACT_GRIDS
#define TACT_GRIDS 1
#endif
#ifndef TACT_POLYGONS
#define TACT_POLYGONS 1
#endif
#ifndef TACT_BALLS_ONLY
#define TACT_BALLS_ONLY 0
#endif

#define TACT_POLYGON_MAX 64  // points of a polygon, members of a union

// What circles and spheres are to contacts in three dimensions: a point with a radius, size[0].
static inline bool tact_shape_is_ball(tact_shape_type type) {
    return type == TACT_SHAPE_SPHERE || type == TACT_SHAPE_CIRCLE;
}

// Shapes that lie in a plane: from circles to smooth unions.
static inline bool tact_shape_is_planar(tact_shape_type type) {
    return type >= TACT_SHAPE_CIRCLE && type <= TACT_SHAPE_SMOOTH_UNION;
}

// Shapes that are made of members.
static inline bool tact_shape_is_union(tact_shape_type type) {
    return type == TACT_SHAPE_UNION || type == TACT_SHAPE_SMOOTH_UNION;
}

#define TACT_HULL_VERTICES 64  // most of a hull
#define TACT_HULL_FACES 124    // 2 vertices - 4 when all are triangles
#define TACT_HULL_EDGES 186    // vertices + faces - 2

// A face in the plane normal'x = offset.
typedef struct {
    tact_vec3 normal;  // unit, outward
    tact_real offset;  // [m]
    int first, count;  // its corners are corner[first .. first + count - 1] of the hull
} tact_hull_face;

typedef struct {
    int from, to;     // vertices
    int left, right;  // faces: the left one has the edge in this direction, the right one against it
} tact_hull_edge;

// A convex polyhedron, in the shape's frame.
typedef struct {
    int nvertex, nface, nedge;
    const tact_vec3 *vertex;     // (nvertex) [m]
    const tact_hull_face *face;  // (nface)
    const int *corner;           // (2 nedge) vertices of the faces, counter-clockwise seen from outside
    const tact_hull_edge *edge;  // (nedge)
} tact_hull;

#define TACT_GRID_LEAST 8   // coefficients along an axis of a grid
#define TACT_GRID_MOST 256  //

// A signed distance as a cubic B-spline on cubes, in the shape's frame: the surface is where it is 0, solid where it is negative.
//     phi(x) = unit sum c_ijk b(u - i) b(v - j) b(w - k) ,  (u, v, w) = (x - low)/step
// with b(0) = 2/3, b(+-1) = 1/6, b(+-2) = 0. Only the box from the second coefficient to the last but one of each axis is looked
// at, and the surface lies within it.
typedef struct {
    int count[3];            // of coefficients along x, y, z
    tact_vec3 low;           // place of the first [m]
    tact_real step;          // between neighbours [m]
    tact_real unit;          // of the coefficients [m]
    tact_real steep;         // |grad phi| is nowhere greater: tact_grid_steep; or 0: not known, then distant balls take longer
    const tact_real *value;  // (count[0], count[1], count[2]) row-major: z is fastest; or NULL:
    const int16_t *fine;     // the same as whole numbers
} tact_grid;

typedef struct {
    int body;                // that carries it; TACT_WORLD
    tact_shape_type type;    //
    tact_pose place;         // in the body's frame; of a union it has no meaning
    tact_real size[4];       // [m], of an edge also [rad], as said at the type
    int count;               // of points or members; else 0
    const tact_vec2 *point;  // (count) of a polygon, counter-clockwise [m]
    const int *member;       // (count) of a union: shapes of the same body that are not unions
    const tact_hull *hull;   // of a hull; else NULL
    const tact_grid *grid;   // of a grid; else NULL
} tact_shape;

// Two shapes that may touch, in one contact. In three dimensions at least one of them is a sphere, circle or capsule; with a grid
// a sphere or circle. (Contacts of other shapes are pairs of their vertices, edges and balls.) The normal points from a to b. A
// capsule touches where its segment is nearest to the other shape, or with the ball at one of its ends: pairs of the same shapes
// with different vertices give a capsule on a table its two contacts.
typedef struct {
    int a, b;               // shapes, on different bodies
    tact_real mu;           // Coulomb friction, 0 to 10
    tact_real restitution;  // 0 to 1 (rigid law)
    int vertex;  // 0: where they are nearest; 1, 2: the ball at b's end of least, greatest z against a; -1, -2: at a's;
                 // 3, 4: of b's segment the place that moves smoothly towards that end, -3, -4: of a's (edges of
                 // boxes and hulls, barrier law; there are no derivatives by its radius)
} tact_pair;

// A closed loop: a stiff spring holds a point of one body at a point of another, with the energy 1/2 stiffness |x_b - x_a|^2. It
// transmits no torque.
typedef struct {
    int body[2];          // a and b, different; one of them may be TACT_WORLD
    tact_vec3 at[2];      // the points, in the bodies' frames [m]
    tact_real stiffness;  // [N/m]
} tact_loop;

#define TACT_SPRING_MOST 4  // coordinates of a spring

// A spring on a sum of coordinates, 1/2 stiffness (sum factor q - rest)^2; or a drive on it, whose command is added to rest.
typedef struct {
    int count;                           // 1 to TACT_SPRING_MOST
    int dof[TACT_SPRING_MOST];           // different, each with a coordinate, not of free joints
    tact_real factor[TACT_SPRING_MOST];  // [1, m/rad or rad/m]
    tact_real stiffness;                 // [N/m or N m/rad]
    tact_real damping;                   // [N s/m or N m s/rad]
    tact_real rest;                      // [m or rad]
    tact_real force_limit;               // of its force and damping together, in magnitude [N or N m]; 0: none
    int u;                               // its command, that of dof[0], whose own stiffness is then 0; -1: a spring
} tact_spring;

typedef enum {
    TACT_MOTION_SLIDES,   //
    TACT_MOTION_TURNS_X,  // a revolute or continuous joint about an axis of its frame, in its direction or against it
    TACT_MOTION_TURNS_Y,  //
    TACT_MOTION_TURNS_Z,  //
    TACT_MOTION_TURNS,    // about any other axis
} tact_motion_kind;

// One motion of one joint: a column of a body Jacobian. Joints that mimic share a dof, so motions and dofs differ in number.
typedef struct {
    int body;               // whose joint moves
    int axis;               // which of the joint's motions, 0 to 5
    int dof;                // component of v
    tact_motion_kind kind;  //
    tact_real ratio;        // of the joint's own rate to v[dof]
} tact_motion;

// How it is stepped: see tact/law.h.
typedef struct tact_law tact_law;

// Shapes of the model that stand for another one where it touches in a patch: balls at its vertices, capsules along its edges,
// balls on its surface. Of each kind the index of the first, and how many.
typedef struct {
    int vertex, nvertex;
    int edge, nedge;
    int ball, nball;
} tact_shape_parts;

// Pairs that every step finds in addition to the listed ones: shapes in three dimensions that are near enough for a contact. Not
// found are pairs whose groups are equal or connected by a joint, whose kinds do not match, and those in apart; nor those of
// cylinders and ellipsoids with each other and with boxes, hulls and grids. Laws "barrier" and "rigid".
typedef struct {
    const struct tact_finder *finder;  // &tact_finder_tree, see tact/law.h
    int most;                          // room for pairs found in one step; more: TACT_NO_MEMORY, fault "search.most"
    int columns;                       // room in their column lists; most times what two bodies' paths have together suffices
    tact_real mu, restitution;         // of all of them
    const tact_real *friction;      // (nwhole) of the shapes; a pair has that of the higher priority, of equal ones the larger;
    const int *priority;            // (nwhole) NULL, as friction: all pairs have mu
    int nwhole;                     // shapes that are looked for: those from this index on are parts of others
    const tact_shape_parts *parts;  // (nwhole) NULL: there are none
    bool distant;                   // forces begin before contact: an edge touches at two places
    const int *group;               // (nwhole) of bodies that are fixed to each other; TACT_WORLD
    const int *carrier;             // (nwhole) the group that carries it by a joint; TACT_WORLD: none
    const unsigned *kind, *meets;   // (nwhole) a and b match when kind a & meets b or kind b & meets a
    int napart;                     //
    const uint64_t *apart;          // (napart) pairs that are not found, ascending: tact_pair_key of each
} tact_search;

// The pair of shapes a and b in any order, as one number.
static inline uint64_t tact_pair_key(int a, int b) {
    return a < b ? (uint64_t)a << 32 | (uint64_t)b : (uint64_t)b << 32 | (uint64_t)a;
}

// What names things; used by the hosted parts only, may be NULL.
typedef struct {
    const char *scene;
    const char *const *body;   // (nbody)
    const char *const *joint;  // (nbody) of the joint that carries the body
    const char *const *shape;  // (nshape)
    const int *slot_of;        // (nshape) of a vertex or edge that stands for another shape in contacts: that shape; else -1
} tact_names;

typedef struct {
    int nbody, nshape, npair;   // counts
    int nq, nv, nu;             // coordinates, dofs, commands
    const tact_body *body;      // (nbody) parents before children
    const tact_dof *dof;        // (nv)
    const tact_shape *shape;    // (nshape)
    const tact_pair *pair;      // (npair)
    const tact_real *q0;        // (nq) initial coordinates
    const tact_real *v0;        // (nv) initial velocities
    const tact_names *names;    // or NULL
    const tact_law *law;        // &tact_law_barrier, for example; NULL: it is not stepped
    int nloop, nspring;         // barrier and rigid law only
    const tact_loop *loop;      // (nloop)
    const tact_spring *spring;  // (nspring) those with commands in the order of these
    bool planar;                // pairs are of any two shapes, seen in a plane (law "virtual"); else one of the two is a ball
    const tact_search *search;  // NULL: the listed pairs are all

    // derived by tact_model_prepare from the above
    int nmotion;
    const tact_motion *motion;  // (nmotion) by body, then axis
    const int *body_motion;     // (nbody + 1) first motion of each body's own joint
    const int *path;            // motions that move a body, ascending, all bodies' lists one behind the other ...
    const int *path_start;      // ... (nbody + 1) where each begins
    const int *order;           // (nv) dof at each place of the solver's order: leaves first, objects mostly last; small envelope
    const int *place;           // (nv) inverse: place of each dof in that order
    const int *column;          // places of the dofs that move a pair's contact, ascending, all pairs' lists ...
    const int *column_start;    // ... (npair + 1) where each begins
    const bool *loose;          // (nbody) carried by an unactuated dof, so that its inertia and weight enter the barrier step
    const bool *shift;          // (nbody) the body's place does not turn: its R is exactly the identity
    const int *mass_first;  // (nv) per place the first place coupled to it by P of the barrier law: masses of unactuated dofs,
                            // loops, springs
    const int *reach;       // (nv) highest dof that is on a path, in a loop or in a spring with each dof
    int envelope;           // entries of the lower envelope when every pair is in contact; with a search room for a sparse factor
} tact_model;

// Pairs that can be in contact at one time: the length of arrays that are "(npair)" elsewhere.
static inline int tact_model_pairs(const tact_model *model) {
    return model->npair + (model->search ? model->search->most : 0);
}

// Entries of the column lists of all pairs that can be in contact at one time.
static inline int tact_model_columns(const tact_model *model) {
    return model->column_start[model->npair] + (model->search ? model->search->columns : 0);
}

// Returns the first unacceptable member, such as "body.mass". Checks the first block: indices, sizes and numbers within their
// ranges and the limits of TACT_MOST_LENGTH and similar; at most 1024 bodies on one path; dofs and coordinates numbered
// without gaps in one and the same order of joints; commands in the order of dofs; unit quaternions in q0 to 1e-3, axes and
// rotations of places orthonormal to 1e-5; inertias positive semi-definite; neither drives nor limits on free joints. An inertia
// that no rigid body has, its largest eigenvalue above the sum of the others, is accepted: published robots have such.
tact_fault tact_model_check(const tact_model *model);

// Completes a model whose first block is filled: computes the second block in the arena's memory, which must outlive the model.
// An arena without memory measures; of the second block only nmotion is then set. TACT_BAD_INPUT if tact_model_check finds a
// fault or the lists would not fit an int; TACT_NO_MEMORY if the arena is too small.
tact_status tact_model_prepare(tact_model *model, tact_arena *arena);

// The sizes on which the memory placed for a prepared model depends: any model of the same sizes may use that memory.
typedef struct {
    int nbody, nshape, npair, nq, nv, nu, nmotion, nloop, nspring;
    int columns;   // as tact_model_columns, and npair as tact_model_pairs say
    int envelope;  //
} tact_sizes;

// The sizes of a prepared model.
tact_sizes tact_model_sizes(const tact_model *model);

// Whether a prepared model has these sizes, all of them.
bool tact_model_has_sizes(const tact_model *model, const tact_sizes *sizes);

// The configuration: poses of all bodies and axes of all motions, in the world.
typedef struct {
    tact_pose *pose;     // (nbody) body frames
    tact_mat3 *frame;    // (nbody) orientation of the joint frames, of free joints only
    tact_vec3 *angular;  // (nmotion) angular velocity for a unit rate of the dof; 0 for a translation
    tact_vec3 *linear;   // (nmotion) velocity for a unit rate of the dof; 0 for a rotation
    tact_vec3 *origin;   // (nmotion) a point on the axis of rotation
} tact_kinematics;

// Places room for a prepared model in the arena, which must outlive kinematics. Values are set by tact_kinematics_update.
void tact_kinematics_place(tact_kinematics *kinematics, const tact_model *model, tact_arena *arena);

// Forward kinematics at q (nq).
void tact_kinematics_update(tact_kinematics *kinematics, const tact_model *model, const tact_real *q);

// Velocity of the material point at x (world) of a body that the motion moves, for a unit rate of the motion's dof.
static inline tact_vec3 tact_motion_velocity(const tact_kinematics *kinematics, int motion, tact_vec3 x) {
    tact_vec3 arm = tact_vec3_sub(x, kinematics->origin[motion]);
    return tact_vec3_add(kinematics->linear[motion], tact_vec3_cross(kinematics->angular[motion], arm));
}

// The opening of a loop, x_b - x_a, in the world [m].
tact_vec3 tact_loop_error(const tact_model *model, const tact_kinematics *kinematics, int loop);

// J (6, nv) row-major: angular then linear velocity of the body's origin, world-aligned.
void tact_body_jacobian(const tact_model *model, const tact_kinematics *kinematics, int body, tact_real *J);

// q (+) d: adds a displacement d (nv) in the tangent space to q, in place. kinematics must be that of the old q: it rotates the
// displacement of free joints, relative to the body that carries them, from the world into their frame. Quaternions are
// normalised.
void tact_model_integrate(const tact_model *model, const tact_kinematics *kinematics, const tact_real *d, tact_real *q);

// The displacement d (nv) with q0 (+) d = q1; kinematics must be that of q0.
void tact_model_difference(const tact_model *model, const tact_kinematics *kinematics, const tact_real *q0, const tact_real *q1,
                           tact_real *d);

// A body together with all that it carries, about the body's origin, world axes.
typedef struct {
    tact_real mass;        // [kg]
    tact_vec3 moment;      // mass times (centre of mass - origin) [kg m]
    tact_real inertia[6];  // xx, yy, zz, xy, xz, yz about the origin [kg m^2]; means nothing where no motion turns the body
} tact_composite;

// Scratch of the dynamics.
typedef struct {
    tact_composite *composite;  // (nbody)
    tact_vec3 *velocity;        // (nbody, 4) angular, linear velocity of the origin, angular, linear acceleration
    tact_vec3 *force;           // (nbody, 2) moment about the body's origin, force
} tact_dynamics;

// Places room for a prepared model in the arena, which must outlive dynamics.
void tact_dynamics_place(tact_dynamics *dynamics, const tact_model *model, tact_arena *arena);

// Composites of all bodies, or of the loose ones only (the others are left as they are).
void tact_composite_update(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, bool loose_only);

// Inertia that the rotor of a motion's joint adds to the diagonal of the mass matrix.
static inline tact_real tact_motion_armature(const tact_model *model, int motion) {
    const tact_motion *own = &model->motion[motion];
    return own->ratio * own->ratio * model->body[own->body].armature;
}

// Entry of the mass matrix for two motions, the second moving the body of the first (both on one path).
tact_real tact_composite_coupling(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                  int motion, int carrier);

// Generalised force of a uniform gravity on a motion, from the composite that it moves.
tact_real tact_composite_weight(const tact_model *model, const tact_kinematics *kinematics, const tact_dynamics *dynamics,
                                int motion, tact_vec3 gravity);

// The mass matrix M (nv, nv), row-major, by the composite rigid body algorithm.
void tact_mass_matrix(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_real *M);

// bias (nv) = C(q, v) v + g(q), by recursive Newton-Euler: the generalised force that holds v constant against gravity.
void tact_bias_force(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, tact_vec3 gravity,
                     const tact_real *v, tact_real *bias);

// Momentum p (nv) = dT/dv and, unless NULL, turning force c (nv) = dT/dq of the kinetic energy T(q, v) = 1/2 v'M(q) v. For a
// free joint c holds v fixed: rotations get L x w + P x v, L about the body's origin, translations 0. 1/2 p'v is the energy.
void tact_momentum_update(const tact_model *model, const tact_kinematics *kinematics, tact_dynamics *dynamics, const tact_real *v,
                          tact_real *p, tact_real *c);

// -sum m g'x over all centres of mass [J].
tact_real tact_weight_energy(const tact_model *model, const tact_kinematics *kinematics, tact_vec3 gravity);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
