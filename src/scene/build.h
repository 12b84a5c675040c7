// SPDX-License-Identifier: MIT
// The steps from a parsed scene to a model, in the order of their calls in scene_load.c. Each step goes on after an error
// with something harmless in its place, so that up to 20 errors are reported at once; the model is made only when there were
// none. What the steps find lives in the draft's memory until it is copied into the scene's own.
#ifndef TACT_SCENE_BUILD_H
#define TACT_SCENE_BUILD_H

#include "scene/names.h"
#include "tact/keys.h"
#include "tact/scene.h"

typedef struct tact_scene_document tact_scene_document;

#define TACT_SCENE_BODIES_MAX 1000000
#define TACT_SCENE_SHAPES_MAX 1000000
#define TACT_SCENE_PAIRS_MAX 1000000
#define TACT_SCENE_ROBOTS_MAX 1000
#define TACT_SCENE_DEPTH_MAX 1024       // bodies on one path
#define TACT_SCENE_TIMES_MAX 134217728  // numbers of a trajectory
#define TACT_SCENE_WORLD "world"

// What is known of a body of the draft, by its index there, beyond the draft.
typedef struct {
    int parent;              // body of the draft; TACT_WORLD
    int index;               // in the model
    int weld;                // first body of those rigidly fixed to each other that it belongs to; TACT_WORLD
    int leader;              // body whose joint this one's follows; itself
    tact_real ratio;         // own coordinate = ratio x leader's + offset
    tact_real offset;        //
    int q, v;                // first coordinate and dof, of the leader when it follows
    int dofs;                // of the joint, also when it follows
    tact_real lower, upper;  // of the coordinate, with what the followers allow; -TACT_MAX, TACT_MAX: none
    bool driven;             //
    bool force;              // by a force, which the command is
    tact_real stiffness;     // of the drive; 0: none
    tact_real damping;       //
    int led;                 // the spring whose command it has, plus 1; 0: none
} tact_scene_link;

typedef struct {
    const tact_json *json;  // the scene's document
    const char *folder;     // from which the files of robots are found, "" or ended by /
    const tact_scene_settings *settings;
    tact_errors *errors;
    tact_scene_document *documents;  // of robots
    tact_draft draft;
    tact_pose *bases;                        // (robots) where they stand
    const char *name;                        //
    tact_options options;                    //
    const tact_law *law;                     // that the scene asks for
    bool planar;                             // it looks at the scene in a plane: pairs are of any two shapes
    bool undoubted;                          // it was looked at, and all of it may be meant
    bool prefix_told;                        // that robots have names in common
    tact_name_table bodies, joints, shapes;  // to indices of the draft
    tact_scene_link *links;                  // (draft.nbody)
    int *order;                              // (draft.nbody) body of the draft at each index of the model
    int nq, nv, nu;                          //
    int *slot_of;                            // (draft.nshape) of a vertex or edge: its shape; else -1. NULL: there are none
    int *shape_body;                         // (draft.nshape) body of the draft; TACT_WORLD
    int npair;                               //
    tact_pair *pairs;                        // (npair)
    tact_search search;                      // finder NULL: all pairs are listed
    tact_real *q0, *v0;                      // (nq), (nv)
    int *dof_u;                              // (nv) command of a dof, -1 when it is not driven
    tact_command command;                    //
    int nforce;                              //
    tact_force *forces;                      // (nforce) with bodies of the draft
    tact_goal goal;                          // with a body of the draft
    int nterm;                               //
    tact_residual *terms;                    // (nterm) of the goal, with bodies of the draft
    tact_mpc_settings mpc;                   //
    int nloop, nspring;                      //
    tact_loop *loops;                        // (nloop) with bodies of the draft
    tact_draft_mark *loop_mark;              // (nloop)
    tact_spring *springs;                    // (nspring)
    tact_draft_mark *spring_mark;            // (nspring)
} tact_scene_build;

// Reading: JSON into the draft, names as they are written. node: the list, -1 when it is absent.
void tact_scene_read_bodies(tact_draft *draft, const tact_json *json, int node);
void tact_scene_read_shapes(tact_draft *draft, const tact_json *json, int node);
// One shape that needs neither a name nor a body; false after reporting.
bool tact_scene_read_lone_shape(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape);
// The surface of a plane or half-plane in the frame of its shape; others have none.
tact_pose tact_scene_surface(const tact_draft_shape *shape);
// Of one body; its name.
void tact_scene_read_meshes(tact_draft *draft, const tact_json *json, int node, const char *body);
// The keys of a shape of this type.
const tact_key *tact_scene_keys_of_shape(tact_shape_type type);
// What a planar shape has beyond others, its type being set.
void tact_scene_read_planar(tact_draft *draft, const tact_json *json, int node, tact_draft_shape *shape);
void tact_scene_read_ties(tact_draft *draft, const tact_json *json);
void tact_scene_read_drives(tact_draft *draft, const tact_json *json, int node);

// What "fit" and "density" of a robot's entry say; *given: there is one of them. False without memory.
bool tact_scene_read_fit(tact_draft *draft, const tact_json *json, int robot, tact_draft_fit *fit, bool *given);

// What "bodies" and "drives" of a robot's entry say over the values of its file, whose bodies and drives begin at these; names
// are those of the file. False without memory.
bool tact_scene_read_robot_values(tact_draft *draft, const tact_json *json, int robot, int body, int drive);

// The robots' files, one behind the other, with their prefixes and indices.
// Where --set has put values, for messages about them. False without memory.
bool tact_scene_place_settings(tact_draft *draft, const tact_scene_settings *settings, tact_json *json);
// By which option a setting was given: "--set".
const char *tact_scene_set_option(const tact_scene_settings *settings, int i);
bool tact_scene_read_robots(tact_scene_build *build);
// Whether the scene is what a robot file may be: its keys are those of one, it has a chain of bodies, and nothing
// in it is free.
bool tact_scene_is_robot(const tact_scene_build *build);
// Then the end of a message about what only a scene says of it; else "".
const char *tact_scene_robot_hint(const tact_scene_build *build);
// All lists of a robot file.
void tact_scene_read_robot_lists(tact_draft *draft, const tact_json *json);

// Documents that are kept as long as the draft, since names and marks point into them.
struct tact_scene_document {
    tact_text text;
    tact_json json;
    tact_scene_document *before;
};

void tact_scene_free_documents(tact_scene_document *documents);

// law, gravity and options.
void tact_scene_read_options(tact_scene_build *build);
void tact_scene_describe_options(tact_text *out);

// The version of the format at a node (-1: absent), which must be 1.
void tact_scene_check_version(const tact_json *json, int node);

// Names, parents and the order parents first; then joints: mimics, limits, numbers of dofs. False when there is no memory,
// as in all that follow.
bool tact_scene_resolve_bodies(tact_scene_build *build);
bool tact_scene_resolve_joints(tact_scene_build *build);
bool tact_scene_resolve_shapes(tact_scene_build *build);
bool tact_scene_resolve_springs(tact_scene_build *build);
bool tact_scene_resolve_drives(tact_scene_build *build);
// After the bodies and drives: loops, and the commands of springs.
bool tact_scene_resolve_loops(tact_scene_build *build);
// Warns of loops that are open where the model begins; under strict they are refused.
void tact_scene_suspect_loops(const tact_scene_build *build, const tact_model *model);

// Masses and inertias where they decide whether a motion is determined.
bool tact_scene_check_masses(tact_scene_build *build);

// Whether the contacts of such a pair are those of vertices; and the pairs with vertices in place of such shapes. node: the
// pairs.
bool tact_scene_expand_patches(tact_scene_build *build, int node);

// Vertices and edges of the core of a box or hull, in the shape's frame, and what is outward across each edge; how many.
int tact_scene_vertices(const tact_draft_shape *shape, tact_vec3 *vertex);
int tact_scene_edges(const tact_draft_shape *shape, tact_vec3 *from, tact_vec3 *to, tact_vec3 *out);

// The balls by which a shape touches grids, in its frame and in the draft's memory; false without memory.
typedef struct {
    int count;
    tact_vec3 *at;      // (count)
    tact_real *radius;  // (count)
} tact_scene_balls;

bool tact_scene_sample(tact_draft *draft, const tact_draft_shape *shape, tact_scene_balls *balls);

bool tact_scene_read_pairs(tact_scene_build *build);
bool tact_scene_read_state(tact_scene_build *build);
bool tact_scene_read_command(tact_scene_build *build);
bool tact_scene_read_forces(tact_scene_build *build);
bool tact_scene_read_goal(tact_scene_build *build);
void tact_scene_read_mpc(tact_scene_build *build);

// A length in metres by which angles weigh like distances, and the angle at which an orientation counts as reached, where a goal
// does not say.
#define TACT_GOAL_LEVER TACT_REAL(0.05)
#define TACT_GOAL_ANGLE TACT_REAL(0.2443)

// Whether the node is a list of four numbers.
bool tact_scene_is_quaternion(const tact_json *json, int node);

// The row of a frame's "quat" in a table; what it says, where it is in the object at a node, becomes the frame's rpy.
#define TACT_ROW_QUAT                                                                                      \
    TACT_ROW(VECTOR, "quat", .count = 4, .apart = true, .range = TACT_RANGE_ANY, .fallback = "1, 0, 0, 0", \
             .meaning = "in place of rpy: its turn as a unit quaternion w, x, y, z")
void tact_scene_read_quat(const tact_json *json, int node, const tact_key *keys, tact_draft_frame *frame);

// What the goal at a node (-1: none) asks for beyond a pose; the residuals that it will have at most; and these, of a model that
// is filled. tip (nbody): scratch.
bool tact_scene_read_terms(tact_scene_build *build, int goal);
int tact_scene_count_residuals(const tact_scene_build *build);
void tact_scene_fill_residuals(const tact_scene_build *build, tact_scene *scene, tact_residual *residual, int *tip);

// What robots say of contacts, "exclude" and "pairs" of their files, and keyframes.
void tact_scene_read_contacts(tact_draft *draft, const tact_json *json);
void tact_scene_read_keyframes(tact_draft *draft, const tact_json *json, int node);
// Whether all keyframes name joints that move, with as many values as they have; what does not is refused.
void tact_scene_check_keyframes(tact_scene_build *build);
// Applies the keyframes that a node names, a string or a list of them (-1: none), to the state or, with command, to u.
void tact_scene_use_keyframes(tact_scene_build *build, int node, bool *given);
void tact_scene_command_keyframes(tact_scene_build *build, int node, tact_real *u);

// The points of a hull or its mesh, of which at most so many are taken, and the polyhedron of them.
void tact_scene_read_hull(tact_draft *draft, const tact_json *json, int node, int vertices, tact_draft_shape *shape);

// The path from which the file of a grid or hull is opened; NULL without memory.
#define TACT_SCENE_FILE_MAX 4095
// behind the message that a file is not there
#define TACT_SCENE_FROM_FOLDER ": \"file\" is a path from the folder of the scene"
const char *tact_scene_file(tact_draft *draft, const char *file);

// Where a grid lies, as its keys say.
typedef struct {
    tact_real low[3], step, scale;
} tact_draft_grid;

// The file of a grid.
void tact_scene_read_grid(tact_draft *draft, const tact_json *json, int node, const tact_draft_grid *entry,
                          tact_draft_shape *shape);

// Warns of what is right and surely not meant; under strict it is refused. Then, where all of it may be meant, of a goal that
// cannot be reached.
bool tact_scene_suspect(tact_scene_build *build);
void tact_scene_suspect_goal(const tact_scene_build *build, const tact_scene *scene);

// The result, in memory of its own. NULL and one more error when it is refused or memory is out.
tact_scene *tact_scene_assemble(const tact_scene_build *build);

// Shared by state, command and forces.

// The body of the draft that has this name, or whose joint has it; -1 after reporting that there is none. The message is
// about a member of the marked object, or about the object when key is NULL.
int tact_scene_find_body(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const char *name);
int tact_scene_find_joint(const tact_scene_build *build, const tact_draft_mark *mark, const char *key, const char *name);

// The shape of that name, about which a message is at the node.
int tact_scene_find_shape(const tact_scene_build *build, int node, const char *name);

// The mark of a body's joint: in JSON the object "joint".
tact_draft_mark tact_scene_joint_mark(const tact_draft_body *body);

// The body whose joint the key of a node names, if it has coordinates of its own; -1 after reporting.
int tact_scene_find_moving_joint(const tact_scene_build *build, int node);

// A joint's coordinates: a number, or an array of as many numbers; quaternions are normalised. False after reporting.
bool tact_scene_read_coordinates(const tact_scene_build *build, int node, int body, tact_real *q);

// Whether a joint of one coordinate has limits that q is not within.
bool tact_scene_is_outside(const tact_scene_build *build, int body, tact_real q);

// Those limits in words, by value: "[-1, 1]", and whether q looks like degrees.
typedef struct {
    char text[140];
} tact_scene_interval;

tact_scene_interval tact_scene_limits(const tact_scene_build *build, int body, tact_real q);

// An array of times, which must ascend; there is room for all of it.
void tact_scene_read_times(const tact_scene_build *build, int node, tact_real *times);

// The tables of keys, for reading, --set and help.
extern const tact_key tact_scene_keys[], tact_scene_option_keys[], tact_scene_robot_keys[], tact_scene_base_keys[],
    tact_scene_body_keys[], tact_scene_joint_keys[], tact_scene_mimic_keys[], tact_scene_shape_keys[], tact_scene_sphere_keys[],
    tact_scene_plane_keys[], tact_scene_capsule_keys[], tact_scene_box_keys[], tact_scene_cylinder_keys[],
    tact_scene_ellipsoid_keys[], tact_scene_hull_keys[], tact_scene_grid_keys[], tact_scene_circle_keys[],
    tact_scene_rectangle_keys[], tact_scene_polygon_keys[], tact_scene_regular_keys[], tact_scene_halfplane_keys[],
    tact_scene_union_keys[], tact_scene_smooth_union_keys[], tact_scene_pair_keys[], tact_scene_drive_keys[],
    tact_scene_state_keys[], tact_scene_command_keys[], tact_scene_keyframe_keys[], tact_scene_force_keys[],
    tact_scene_goal_keys[], tact_scene_term_keys[], tact_scene_mesh_keys[], tact_scene_mpc_keys[], tact_scene_loop_keys[],
    tact_scene_spring_keys[];

// A node of the scene's own text.
#define TACT_SCENE_NODE(build, at) (&(tact_draft_mark){.json = (build)->json, .node = (at)})

#endif
