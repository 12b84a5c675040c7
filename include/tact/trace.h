// SPDX-License-Identifier: MIT
// Recorded runs in JSON Lines. The first line has the data of the model that a plot or a viewer needs; one line for each step
// follows, the initial state being step 0. Hosted: uses the heap and files.
#ifndef TACT_TRACE_H
#define TACT_TRACE_H

#include "tact/json.h"
#include "tact/scene.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// A trace being written. The file appears only when it is complete.
typedef struct tact_trace_writer tact_trace_writer;

// Begins a trace of a scene; "-" is standard output. NULL when it cannot be written: message then holds the reason.
tact_trace_writer *tact_trace_create(const char *path, const tact_scene *scene, char *message, size_t message_size);

// Adds the state that a step led to, with the contacts of that step; work is NULL for step 0. u (nu): the command. False after
// a failure, which tact_trace_finish reports.
bool tact_trace_add(tact_trace_writer *writer, const tact_state *state, const tact_work *work, const tact_real *u);

// Ends the trace. False when not all of it could be written; then there is no file.
bool tact_trace_finish(tact_trace_writer *writer, char *message, size_t message_size);

// Ends it without a file.
void tact_trace_abandon(tact_trace_writer *writer);

// Data of the first line.
typedef struct {
    const char *scene, *law;
    tact_real dt;                   // [s]
    int nq, nv, nu;                 // counts, as in tact_model
    int nbody, nshape, npair;       //
    const char *const *coordinate;  // (nq) names
    const char *const *dof;         // (nv)
    const char *const *command;     // (nu)
    const char *const *body;        // (nbody)
    const char *const *shape;       // (nshape)
    const tact_pair *pair;          // (npair) behind those listed come those of the last step that were found
} tact_trace_header;

// A contact of the step that led to a state, where the step began; forces are averages over the step.
typedef struct {
    int pair;             //
    tact_real gap;        // [m]
    tact_vec3 point;      // world [m]
    tact_vec3 normal;     // from a to b
    tact_mat3 frame;      // rows normal, tangent, tangent
    tact_vec3 force;      // on b, world [N]
    tact_real lambda[3];  // the same along the frame's rows
    bool degenerate;      // the normal was chosen by rule
    int a, b, vertex;     // the pair's, also where it was found
} tact_trace_contact;

// Data of one of the other lines.
typedef struct {
    int step;
    tact_real time;                     // [s]
    int nq, nv, npair;                  // as in the header
    const tact_real *q, *v, *u;         // (nq), (nv), (nu)
    tact_status status;                 //
    int iterations;                     //
    tact_real decrement;                //
    int ncontact;                       //
    const tact_trace_contact *contact;  // (ncontact)
    const tact_vec3 *anchor, *normal;   // (npair) as in tact_state
    const tact_real *q_past, *v_past;   // (nq), (nv) as in tact_state, or NULL
} tact_trace_step;

typedef struct {
    tact_trace_header header;
    tact_trace_step step;  // the last one read
    void *memory;          // see tact_trace_close
} tact_trace_reader;

// Reads the first line of a file ("-": standard input). NULL when it is refused: message then holds the reason,
// FILE:LINE:COL: /json/path: reason.
tact_trace_reader *tact_trace_open(const char *path, char *message, size_t message_size);

// Reads the next step, keeping only this one in memory. 1: reader->step is new; 0: there is none; -1: message says why.
int tact_trace_next(tact_trace_reader *reader, char *message, size_t message_size);

// Closes the file and frees the reader with its header and step; NULL is allowed.
void tact_trace_close(tact_trace_reader *reader);

// Sets state to that of a recorded step; stepping the same model from it continues the run with the same bits. TACT_BAD_INPUT,
// and state unchanged, if the step has no answer or belongs to a model with other sizes.
tact_status tact_trace_restore(const tact_trace_step *step, const tact_model *model, tact_state *state);

// A name in traces and tables, by value.
typedef struct {
    char text[272];
} tact_thing_name;

// Names of items by their index; in a model without names their kind and index.
tact_thing_name tact_body_name(const tact_model *model, int body);    // TACT_WORLD: "world"
tact_thing_name tact_joint_name(const tact_model *model, int body);   // of the joint that carries the body
tact_thing_name tact_shape_name(const tact_model *model, int shape);  // of a shape

// The joint's name; of a joint with several dofs with the one meant: ball.x, tray.angle, box.wx (turn about x), box.vx.
tact_thing_name tact_dof_name(const tact_model *model, int dof);

// Likewise: ball.x, tray.angle, box.x, box.qw.
tact_thing_name tact_coordinate_name(const tact_model *model, int q);

// A message, by value.
typedef struct {
    char text[800];
} tact_sentence;

// The reason for the status of a step: "infeasible: the contacts contradict each other, most of all thumb and cube"; otherwise
// the name of the status. work: as the step left it.
tact_sentence tact_step_explain(const tact_model *model, const tact_work *work);

// How many pairs overlap, and the deepest of them.
typedef struct {
    int count, pair;  // pair -1: none
    int a, b;         // its shapes
    tact_real depth;  // [m]
} tact_overlap;

// The pairs that overlap at q (nq). Takes work, whose contacts are others or none then.
tact_overlap tact_overlap_find(const tact_model *model, const tact_real *q, tact_work *work);

// "2 pairs overlap at the start, deepest "thumb" and "cube" by 0.003 m", with when = "start".
tact_sentence tact_overlap_say(const tact_model *model, const tact_overlap *overlap, const char *when);

// The same of those that overlap by more than least [m] at q. "": none, or under a law where shapes in contact do overlap; under
// the law rigid less than a millimetre is none. Takes work, and leaves it without contacts.
tact_sentence tact_overlap_explain(const tact_model *model, const tact_real *q, tact_real least, const char *when,
                                   tact_work *work);

// The lines of a trace, without their ends, as a text.
void tact_trace_add_header(const tact_scene *scene, tact_text *out);
// Of a run whose commands are forces of the drives.
void tact_trace_add_force_header(const tact_scene *scene, tact_text *out);

// The state that a step led to. work holds the step's contacts; NULL: none, as at step 0.
void tact_trace_add_step(const tact_scene *scene, int step, const tact_state *state, const tact_work *work, const tact_real *u,
                         tact_text *out);

// {"a":..,"b":..,"gap":..,...}
void tact_trace_add_contact(const tact_model *model, const tact_contact *contact, tact_text *out);

// The same with all messages and their kinds.
tact_trace_reader *tact_trace_reader_open(const char *path, tact_errors *errors);

// Reads the next step as tact_trace_next: 1, 0 at the end, or -1 after errors.
int tact_trace_reader_next(tact_trace_reader *reader, tact_errors *errors);

// The first line as a document; it belongs to the reader. What is reported while reading it goes to errors of its own.
const tact_json *tact_trace_reader_json(tact_trace_reader *reader, tact_errors *errors);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
