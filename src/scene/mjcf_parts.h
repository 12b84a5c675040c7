// SPDX-License-Identifier: MIT
// What the parts of the MJCF reader share. Numbers are of double precision until they go to the draft.
#ifndef TACT_SCENE_MJCF_PARTS_H
#define TACT_SCENE_MJCF_PARTS_H

#include "scene/build.h"
#include "scene/mesh_fit.h"
#include "scene/mjcf_math.h"

#define TACT_MJCF_FILES 64      // included
#define TACT_MJCF_CLASSES 4096  // of defaults
#define TACT_MJCF_LABELS 160    // kinds of what was left out

// Scopes of names.
enum {
    TACT_MJCF_CLASS,     // value: class
    TACT_MJCF_MESH,      // value: mesh
    TACT_MJCF_BODY,      // value: element
    TACT_MJCF_JOINT,     // value: element
    TACT_MJCF_GEOM,      // names of geoms
    TACT_MJCF_TENDON,    // value: element
    TACT_MJCF_ACTUATOR,  // names of actuators
    TACT_MJCF_PAIRED,    // names of geoms in contact pairs
    TACT_MJCF_KEY,       // names of keyframes
};

// A document; the first is the caller's.
typedef struct {
    tact_text text;
    tact_xml xml;
    const char *path;  // without links, NULL where the text was not in a file
    bool *seen;        // (attributes) was read
} tact_mjcf_document;

// An element, those of included files in the place of their include.
typedef struct {
    int document, at;         // node of which document
    int parent, first, next;  // elements, -1: none
    int joint;                // that it is, -1: none
    bool seen;                // was read
    bool shape;               // of a geom: it is a shape of the draft
} tact_mjcf_node;

// The document and node of an element, as the functions of scene/xml.h take them.
#define TACT_MJCF_AT(m, node) &(m)->documents[(m)->nodes[node].document]->xml, (m)->nodes[node].at

typedef enum {
    TACT_MJCF_PLANE,
    TACT_MJCF_HFIELD,
    TACT_MJCF_SPHERE,
    TACT_MJCF_CAPSULE,
    TACT_MJCF_ELLIPSOID,
    TACT_MJCF_CYLINDER,
    TACT_MJCF_BOX,
    TACT_MJCF_MESH_GEOM,
    TACT_MJCF_SDF
} tact_mjcf_geom_type;

// What elements say, defaults included; text points into the documents, a node of 0 is the root: not given.
typedef struct {
    tact_mjcf_geom_type type;
    double size[3], ends[6], mass, density, fit_scale, mu;
    int nsize;
    bool from_to, weighed;
    int contype, conaffinity, group, priority, condim;
    tact_mjcf_pose pose;
    const char *mesh;
} tact_mjcf_geom;

typedef enum { TACT_MJCF_HINGE, TACT_MJCF_SLIDE, TACT_MJCF_BALL, TACT_MJCF_FREE } tact_mjcf_joint_type;

typedef enum { TACT_MJCF_AUTO, TACT_MJCF_TRUE, TACT_MJCF_FALSE } tact_mjcf_choice;

typedef struct {
    tact_mjcf_joint_type type;
    double pos[3], axis[3], range[2], ref, spring_ref, damping, stiffness, armature, friction;
    tact_mjcf_choice limited, force_limited;
    double force_range[2];  // of all actuators together
    bool ranged;
} tact_mjcf_joint_values;

// force = gain u + bias[0] + bias[1] length + bias[2] velocity
typedef struct {
    double gain, bias[3], gear, force_range[2], command_range[2];
    double inherit;  // the command's range over that of the joint, 0: command_range holds
    tact_mjcf_choice force_limited, command_limited;
    int gain_type, bias_type, dyn_type;  // 0: fixed, none, none
    bool other;                          // a kind that is not of this form
} tact_mjcf_actuator;

typedef struct {
    double scale[3], ref_pos[3], ref_quat[4];
    int inertia;  // index of legacy, exact, convex, shell
} tact_mjcf_mesh_values;

typedef struct {
    bool active;
    double poly[5];
} tact_mjcf_equality;

typedef struct {
    const char *name;
    tact_mjcf_geom geom;
    tact_mjcf_joint_values joint;
    tact_mjcf_actuator actuator;
    tact_mjcf_mesh_values mesh;
    tact_mjcf_equality equality;
    tact_mjcf_geom site;  // its form
} tact_mjcf_class;

// A mesh asset. Volume, centre and inertia (density 1, about the centre, in the axes of the file) are worked out when they are
// needed.
typedef struct {
    int node;
    const char *name, *path;  // path: from the model's folder; NULL without a file
    tact_mjcf_mesh_values values;
    bool weighed, good, missing;  // missing: its file cannot be read
    double volume, centre[3], inertia[6], low[3], high[3];
} tact_mjcf_mesh;

// A joint of the model, and its body in the draft.
typedef struct {
    int node, body, draft;
    const char *name;
    tact_mjcf_joint_values values;
    double stiffness, damping, force_limit;  // of its drive; force_limit 0: none
    int driver;                              // element of the actuator that drives it, 0: none
    bool summed, part;                       // as the first of a sum; as any of it
    int leader;                              // joint that it follows, -1: none
    double ratio, offset;
} tact_mjcf_joint;

// What an actuator's command u asks of the coordinate of a joint: (-(gain u + bias) / stiffness - constant) / coefficient.
typedef struct {
    int joint;  // -1: the actuator makes no drive
    double gain, bias, stiffness, coefficient, constant;
} tact_mjcf_motor;

// Where the joint rests under the command u: gain u + bias - stiffness (coefficient q + constant) = 0.
double tact_mjcf_rest(const tact_mjcf_motor *motor, double u);

typedef struct {
    int node, parent, draft;  // parent: body, -1: the world
    const char *name;
    tact_mjcf_pose pose;  // in the parent
    double mass, com[3], inertia[6];
    bool from_geoms, odd;                // the mass; its inertia is one that no rigid body has
    int bodies, joints, geoms, helpers;  // in it, that were given a name
    // of the body and all that it carries, about the world's origin at the initial position
    double all_mass, all_moment[3], all_inertia[6];
    tact_mjcf_pose world;
} tact_mjcf_body;

typedef struct {
    char text[64];
    int count;
} tact_mjcf_label;

typedef struct {
    tact_draft *draft;
    const char *file;    // of the draft's memory
    const char *folder;  // from which other files are found, "" or ended by /
    tact_mjcf_document *documents[TACT_MJCF_FILES + 1];
    int ndocument;
    tact_mjcf_node *nodes;
    int nnode, node_room;
    tact_name_table names;
    tact_mjcf_class *classes;  // the first is main
    int nclass, class_room;
    tact_mjcf_mesh *meshes;
    int nmesh;
    tact_mjcf_body *bodies;
    int nbody, unnamed;  // unnamed: in the world, that were given a name
    tact_mjcf_joint *joints;
    int njoint;
    tact_mjcf_motor *motors;  // of all actuators
    int nmotor;
    // compiler
    bool degrees, angle_given, auto_limits, strip_path, balance, fit_box;
    char sequence[4];
    int from_geom;  // tact_mjcf_choice
    int groups[2];
    const char *mesh_folder;
    double least_mass, least_inertia, total_mass;
    tact_mesh_fits fits;
    tact_mjcf_label labels[TACT_MJCF_LABELS];
    int nlabel;
    int before;  // errors reported before this file
} tact_mjcf;

// ---- elements; see mjcf_tree.c ----

// All documents as one tree. False after reporting.
bool tact_mjcf_tree(tact_mjcf *m, const tact_xml *xml);
void tact_mjcf_tree_free(tact_mjcf *m);

const char *tact_mjcf_kind(const tact_mjcf *m, int node);
bool tact_mjcf_is(const tact_mjcf *m, int node, const char *kind);

// Reads a whole file of the model's folder; name: what an element's attribute says, which is refused where that leads outside.
// path: without links, of the draft's memory, as is its name for messages, which is returned; NULL after reporting.
const char *tact_mjcf_open(const tact_mjcf *m, int node, const char *attribute, const char *name, tact_text *text,
                           const char **path);

// ---- values; what is absent leaves the value alone, what is wrong is reported ----

// The value of an attribute, which is marked as read; NULL when it is absent.
const char *tact_mjcf_text(tact_mjcf *m, int node, const char *attribute);

// So many numbers, from least to most, each within the limit in magnitude. How many there are: 0 when it is absent or wrong.
int tact_mjcf_numbers(tact_mjcf *m, int node, const char *attribute, double *x, int least, int most);
bool tact_mjcf_number(tact_mjcf *m, int node, const char *attribute, double *x);
bool tact_mjcf_whole(tact_mjcf *m, int node, const char *attribute, int *x);

// All numbers of an attribute, in the draft's memory; NULL when it is absent or wrong.
double *tact_mjcf_list(tact_mjcf *m, int node, const char *attribute, int *count);

// The index of a word among those allowed; words ends with NULL.
bool tact_mjcf_word(tact_mjcf *m, int node, const char *attribute, const char *const *words, int *index);
bool tact_mjcf_bool(tact_mjcf *m, int node, const char *attribute, bool *value);

// pos, and quat, axisangle, euler, xyaxes or zaxis.
void tact_mjcf_place(tact_mjcf *m, int node, tact_mjcf_pose *pose);

// Refuses what is larger in magnitude.
bool tact_mjcf_within(tact_mjcf *m, int node, const char *attribute, const double *x, int count, double most);

// So many numbers, none larger in magnitude. False when they are absent or refused.
bool tact_mjcf_bounded(tact_mjcf *m, int node, const char *attribute, double *x, int count, double most);

// A number that must not be negative.
bool tact_mjcf_from_zero(tact_mjcf *m, int node, const char *attribute, double *x);

// A name attribute: a copy in the draft; NULL when it is absent or refused.
const char *tact_mjcf_name(tact_mjcf *m, int node, const char *attribute);

// Adds a name to a scope; false after refusing one that is already there.
bool tact_mjcf_add_name(tact_mjcf *m, int scope, int node, const char *name, int value);

// base_1, base_2, ...: the first after *number that no scope of these has; added to the first. NULL without memory.
const char *tact_mjcf_make_name(tact_mjcf *m, int scope, const char *base, const char *infix, int *number);

// Where later messages place an element.
tact_draft_mark tact_mjcf_mark(const tact_mjcf *m, int node);

// ---- what was left out ----

void tact_mjcf_leave(tact_mjcf *m, const char *label);
void tact_mjcf_leave_attribute(tact_mjcf *m, int node, const char *attribute);
// Lists it all, and what was never read.
void tact_mjcf_tell_left(tact_mjcf *m);

// ---- parts of the model ----

void tact_mjcf_read_compiler(tact_mjcf *m, int node);

// Classes; apply: what an element says over what holds so far.
bool tact_mjcf_read_defaults(tact_mjcf *m);
// The class of an element, which is read then: its own, else the one that its body says (child class), else main. NULL after
// refusing.
const tact_mjcf_class *tact_mjcf_class_of(tact_mjcf *m, int node, const char *attribute, const tact_mjcf_class *fallback);
// The greatest force that a range allows: 0 where none is asked for. label: what is reported of a range that is not symmetric.
double tact_mjcf_force_limit(tact_mjcf *m, int node, const double range[2], tact_mjcf_choice limited, const char *label);
void tact_mjcf_apply_geom(tact_mjcf *m, int node, tact_mjcf_geom *geom);
void tact_mjcf_apply_joint(tact_mjcf *m, int node, tact_mjcf_joint_values *joint);
void tact_mjcf_apply_actuator(tact_mjcf *m, int node, tact_mjcf_actuator *actuator);
void tact_mjcf_apply_mesh(tact_mjcf *m, int node, tact_mjcf_mesh_values *mesh);
// of geoms and sites: type, size, ends and pose
void tact_mjcf_apply_form(tact_mjcf *m, int node, tact_mjcf_geom *form);
void tact_mjcf_apply_equality(tact_mjcf *m, int node, tact_mjcf_equality *equality);

bool tact_mjcf_read_meshes(tact_mjcf *m);
// The mesh of a name, -1 after refusing; with its volume and inertia where weigh asks.
int tact_mjcf_find_mesh(tact_mjcf *m, int node, const char *name);
bool tact_mjcf_weigh_mesh(tact_mjcf *m, int node, int mesh);

// Its file, to be freed by tact_mesh_free; false after refusing. A point of it in metres, in the frame that refpos and refquat
// leave; and the pose of its file, scaled, where the mesh has a pose. MuJoCo moves, turns, then scales: of what is turned before
// an unequal scale, sheared, no such pose exists.
bool tact_mjcf_load_mesh(tact_mjcf *m, int node, int mesh, tact_mesh *file);
void tact_mjcf_mesh_point(const tact_mjcf_mesh_values *values, const tact_mesh_point *point, double x[3]);
bool tact_mjcf_is_sheared(const tact_mjcf_mesh_values *values);
tact_mjcf_pose tact_mjcf_mesh_frame(const tact_mjcf_mesh_values *values, const tact_mjcf_pose *pose);

// Of what is given by its two ends: z along the line between them, and half its length behind the radius. False after refusing.
bool tact_mjcf_place_between(tact_mjcf *m, int node, tact_mjcf_geom *geom);

// ---- shapes of meshes; see mjcf_fit.c ----

// Size and place of a geom of another type that names a mesh, as MuJoCo finds them; false after refusing.
bool tact_mjcf_fit_geom(tact_mjcf *m, int node, tact_mjcf_geom *geom);

// The shape of a collision mesh of a body (-1: the world), as the draft's rules ask; where they do not it is left out.
void tact_mjcf_fit_collision(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, int mesh, const tact_mjcf_pose *pose);

// Dimensions of contacts: 1 normal only, 3 with sliding, 4 and 6 with turning and rolling, which are reported.
void tact_mjcf_condim(tact_mjcf *m, int node, int *condim);

// A shape of the draft with the geom's name, place, kinds and friction, still without sizes; NULL without memory.
tact_draft_shape *tact_mjcf_add_shape(tact_mjcf *m, int node, int body, const tact_mjcf_geom *geom, const tact_mjcf_pose *pose,
                                      tact_shape_type type);

// A collision mesh, which is drawn where its body has no other.
typedef struct tact_mjcf_drawn tact_mjcf_drawn;
struct tact_mjcf_drawn {
    int node, mesh;
    tact_mjcf_pose pose;
    tact_mjcf_drawn *before;
};

// What the geoms of a body make together.
typedef struct {
    double mass, moment[3], inertia[6];  // about the body's origin
    int nmesh;                           // drawn
    tact_mjcf_drawn *collision;
} tact_mjcf_sums;

// A geom of a body (-1: the world) within a frame of it: its mass is added to the sums, its shape or mesh to the draft.
void tact_mjcf_read_geom(tact_mjcf *m, int node, int body, const tact_mjcf_pose *frame, const tact_mjcf_class *fallback,
                         tact_mjcf_sums *sums);
// Meshes that only collide, where the body has no other.
void tact_mjcf_draw_collisions(tact_mjcf *m, int body, const tact_mjcf_sums *sums);

bool tact_mjcf_read_bodies(tact_mjcf *m);

// The first element of the sections of a kind, after -1, or the next one; -1 behind the last.
int tact_mjcf_next_element(tact_mjcf *m, const char *section, int element);

// Equalities to mimics, actuators to drives.
void tact_mjcf_read_actuation(tact_mjcf *m);

// Connections and welds to loops, springs of joints to springs; after the actuation, by which the bodies' poses are known.
void tact_mjcf_read_loops(tact_mjcf *m);

// A spring of the draft on a joint, still without stiffness; NULL without memory.
tact_draft_spring *tact_mjcf_add_spring(tact_mjcf *m, const tact_mjcf_joint *joint);

// Pairs and exclusions. Before the bodies are read: the geoms of pairs, which are shapes whatever they say of themselves.
bool tact_mjcf_find_paired(tact_mjcf *m);
void tact_mjcf_read_contacts(tact_mjcf *m);
// The element of the body, joint, geom or tendon that an attribute names, -1 after refusing; 0: the world.
int tact_mjcf_find_named(tact_mjcf *m, int node, const char *attribute, int scope);

void tact_mjcf_read_keyframes(tact_mjcf *m);

#endif
