// SPDX-License-Identifier: MIT
// Pictures: a recorded run as SVG drawings, charts, meshes of a page, and the messages of Foxglove in MCAP files. Hosted.
#ifndef TACT_VIEW_H
#define TACT_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tact/files.h"
#include "tact/json.h"
#include "tact/math.h"
#include "tact/mesh.h"
#include "tact/model.h"
#include "tact/text.h"
#include "tact/trace.h"

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

// What a picture needs of a scene, read from the first line of a trace: the tree, the shapes, and where they are.

typedef enum {
    TACT_FIGURE_NONE,  // what is not drawn: a union is drawn by its members
    TACT_FIGURE_BALL,
    TACT_FIGURE_PLANE,
    TACT_FIGURE_CAPSULE,
    TACT_FIGURE_BOX,
    TACT_FIGURE_CYLINDER,
    TACT_FIGURE_ELLIPSOID,
    TACT_FIGURE_RECTANGLE,
    TACT_FIGURE_POLYGON,
    TACT_FIGURE_HALFPLANE,
    TACT_FIGURE_HULL,
} tact_figure;

typedef struct {
    tact_real x, y;
} tact_picture_point;

typedef struct {
    int body;  // TACT_WORLD
    tact_figure figure;
    tact_pose place;            // in the body
    tact_real size[4];          // as tact_shape
    int npoint;                 // of a polygon
    tact_picture_point *point;  // (npoint)
    int nface;                  // of a hull
    int *face;                  // (nface) how many corners each has
    tact_vec3 *corner;          // of all faces, one behind the other, counter-clockwise from outside
} tact_picture_shape;

// Two places on one body between which a limb is drawn as a capsule.
typedef struct {
    int body;
    tact_vec3 a, b;  // in the body
    tact_real radius;
} tact_limb;

// Ends with tact_picture_free.
typedef struct {
    tact_model model;  // the bodies only; without shapes, pairs and drives
    tact_kinematics kinematics;
    tact_dynamics dynamics;
    tact_real *mass;  // (nv, nv) scratch
    tact_vec3 gravity;
    tact_real margin;  // within which contacts are listed [m]
    int nshape, nlimb;
    tact_picture_shape *shape;  // (nshape)
    tact_limb *limb;            // (nlimb)
    bool *robot;                // (nbody) part of a tree of several bodies, or a frame
    bool *solid;                // (nbody) moves, has a mass or a shape, or carries such a body; false: a frame, as a site
    bool planar;                // all motion is in one plane
    tact_vec3 normal;           // of that plane
    const char *name;           // belongs to json
    void *memory, *derived;
} tact_picture;

// json: the first line of a trace. False when it is refused or memory is out: json->errors says so.
bool tact_picture_read(tact_picture *picture, const tact_json *json);

// Frees the bodies, shapes and scratch; the document that it was read from stays.
void tact_picture_free(tact_picture *picture);

// Moves the bodies to q (nq).
void tact_picture_move(tact_picture *picture, const tact_real *q);

// After tact_picture_move: energies of motion and of weight [J]. They are 0 for a trace that does not hold masses.
void tact_picture_energy(tact_picture *picture, const tact_real *v, double *kinetic, double *potential);

// The pose of something placed on a body.
tact_pose tact_picture_pose(const tact_picture *picture, int body, tact_pose place);

// Writing SVG: pictures that hold no script and no link, are readable on light and dark ground, and are the same bytes on
// every machine: coordinates are rounded to a hundredth of a pixel and printed as whole numbers are.

#define TACT_SVG_COLOURS 8  // classes c0 to c7 (lines) and k0 to k7 (areas)

// Begins a picture of this size [pixel] with its styles. Screen readers read title and description, which are escaped.
void tact_svg_begin(tact_text *out, int width, int height, const char *title, const char *description);

// Ends the picture: </svg>.
void tact_svg_end(tact_text *out);

// Text as content or within quotes: < > & " ' and what XML forbids become harmless.
void tact_svg_add_escaped(tact_text *out, const char *text);

// The same of at most so many characters, with … in place of the rest.
void tact_svg_add_short(tact_text *out, const char *text, int most);

// A coordinate.
void tact_svg_add_pixel(tact_text *out, double x);

// All of a list: strings, ended by NULL.
void tact_svg_add_all(tact_text *out, const char *const *pieces);

// x,y and a blank
void tact_svg_add_point(tact_text *out, double x, double y);

// key="x"
void tact_svg_add_attribute(tact_text *out, const char *key, double x);

// A straight line of the class kind from (x0, y0) to (x1, y1) [pixel].
void tact_svg_line(tact_text *out, const char *kind, double x0, double y0, double x1, double y1);

// anchor: start, middle or end.
void tact_svg_label(tact_text *out, const char *kind, const char *anchor, double x, double y, const char *text);

// A decimal number in print, by value.
typedef struct {
    char text[40];
} tact_decimal;

// digits 10^exponent, exactly: 250, 0.025, 25e-8
tact_decimal tact_decimal_print(long long digits, int exponent);

// A step of an axis: digits 10^exponent.
typedef struct {
    int digits, exponent;
    double value;
} tact_round_step;

// The smallest step of 1, 2 or 5 times a power of ten that is at least as long (> 0, finite), to 1e-9.
tact_round_step tact_round_step_above(double least);

// A scene drawn as seen from far away (orthographic): solids shaded by one light, nearer ones over farther ones, the forces
// of the solver's own contacts as arrows. Planar scenes are seen along the normal of their plane.

// What is to be seen: starts as {0}, widened by each state.
typedef struct {
    bool any;
    tact_vec3 low, high;  // of all that moves [m]
    tact_real force;      // the largest [N]
} tact_extent;

// After tact_picture_move.
void tact_extent_add(tact_extent *extent, const tact_picture *picture, const tact_trace_step *step);

typedef struct {
    double depth;
    size_t begin, end;  // bytes of the drawing's pieces
} tact_draw_piece;

// Ends with tact_draw_end.
typedef struct {
    const tact_picture *picture;
    tact_vec3 right, up, toward;  // the viewer's axes; toward points at the viewer
    tact_vec3 centre;             // that is in the middle
    double scale;                 // [pixel/m]
    double newton;                // [pixel/N]
    double least;                 // below which newton does not go
    bool cut;                     // some arrows end at the edge
    double width, height;         // [pixel]
    tact_vec3 low, high;          // of the extent
    tact_text pieces;
    tact_draw_piece *piece;  // (count)
    int count, room;
} tact_drawing;

// Where to look from: azimuth about the vertical and elevation above the horizon [degrees]; not for planar scenes.
typedef struct {
    double azimuth, elevation;
    int width, height;  // [pixel]
} tact_viewpoint;

// Chooses axes, and the scales at which the extent and its forces fit the picture. picture must outlive the drawing.
void tact_draw_begin(tact_drawing *drawing, const tact_picture *picture, const tact_extent *extent, tact_viewpoint from);

// Makes the arrows of a step so short that they stay in the picture, to a third at least; what is longer then is cut.
void tact_draw_fit_forces(tact_drawing *drawing, const tact_trace_step *step);

// The colours that frames refer to.
void tact_draw_definitions(tact_text *out);

// What the picture's sizes mean: scale of length, scale of force, axes.
void tact_draw_legend(const tact_drawing *drawing, tact_text *out);

// After tact_picture_move with the step's q. False when there is no memory.
bool tact_draw_frame(tact_drawing *drawing, const tact_trace_step *step, tact_text *out);

// Frees the pieces; the picture stays.
void tact_draw_end(tact_drawing *drawing);

// A place on the paper.
typedef struct {
    double x, y;
} tact_spot;

// Where a point of the world is on the paper [pixel], y downwards.
tact_spot tact_draw_project(const tact_drawing *drawing, tact_vec3 x);

// Numbers over time in limited memory: when the table is full every second row goes, and only every second one enters.

#define TACT_SERIES_ROWS 2048

// Starts as {.columns = ...}; ends with tact_series_free.
typedef struct {
    int columns, count;
    double *t;     // (count) [s]
    double *cell;  // (count, columns)
    long long seen, every;
    bool failed;  // there was no memory
    void *memory;
} tact_series;

// A row for the time t, all NaN, to be filled; NULL when this row is not kept.
double *tact_series_add(tact_series *series, double t);

// Frees the rows; the series is then empty.
void tact_series_free(tact_series *series);

// Charts of curves against time, with 1-2-5 ticks and a legend.

// Values of one thing at all times; NaN where there is none, which interrupts the curve.
typedef struct {
    const char *name;
    const double *t, *y;  // (count)
    int count;
    size_t stride;  // of y, in numbers
    int colour;     // from 0, taken round
    int dash;       // 0: solid
} tact_curve;

typedef struct {
    double x, y, width, height;  // of the frame [pixel]
    const char *title;
    const char *time;  // words below the axis; NULL: no labels there
    const tact_curve *curve;
    int ncurve;
    int named;       // of the curves, the first so many have names at the right, 0: none; the others are of their colours
    int legend;      // names for which there is room; how many more there are is said
    bool from_zero;  // the range holds 0
    bool decades;    // a logarithmic axis, where all values are above 0
    bool column;     // of a column of a paper, from x = 0: the title begins at its edge, names stand in two columns below
} tact_chart;

// Lines of names below a chart of a column, each TACT_CHART_LINE pixels high.
#define TACT_CHART_LINE 15

// Whether the numbers of the curves are all above 0 and go over two decades: then a logarithmic axis shows more.
bool tact_chart_spans_decades(const tact_curve *curve, int count);

// Adds a chart to a picture that was begun: frame, ticks, title, curves and their names. What is not finite interrupts a curve.
void tact_chart_draw(const tact_chart *chart, tact_text *out);

// Triangle meshes for drawing: made coarser, and written for the page.

// Points that share a cell of a grid become one, their mean; the grid is the finest of those tried that leaves at most so many
// triangles, and fewer than 65536 points. Points at one place are always joined. False without memory.
bool tact_mesh_simplify(tact_mesh *mesh, int most);

// {"low":[3],"step":[3],"points":"..","triangles":".."}: a point is low + step k for k of 16 bits, three to a point, and a
// triangle three numbers of points of 16 bits, all little-endian in base64. At most 65536 points.
void tact_mesh_write(const tact_mesh *mesh, tact_text *out);

// Why the first mesh is not drawn, and how many more are not; "" when all are.
typedef struct {
    char text[1400];
} tact_mesh_notes;

// {"surfaces":[..],"bodies":[{"body","surface","p","R","scale"}],"missing":[..],"notes":[..]} of the meshes that a scene's robots
// name; missing: names of files that were not found. What cannot be drawn is noted, and left out. packages: where the folders of
// package:// are, or NULL. False after reporting.
bool tact_view_meshes(tact_text *out, tact_mesh_notes *notes, const char *path, const char *packages, tact_errors *errors);

// Base64 (RFC 4648), byte by byte.

// Starts as {.out = ...}.
typedef struct {
    tact_text *out;
    uint32_t bits;
    int count;  // bytes in bits
} tact_base64;

// Takes one byte, 0 to 255; every third one adds four letters to out.
void tact_base64_put(tact_base64 *to, uint32_t byte);

// Adds what is left, filled up with =; nothing when no byte waits.
void tact_base64_end(tact_base64 *to);

// Foxglove's messages of a run, as Protocol Buffers (foxglove.dev/docs/sdk/schemas): FrameTransforms for the bodies' poses,
// SceneUpdate for shapes and contacts.

// The messages' descriptors, a FileDescriptorSet.
void tact_foxglove_describe(tact_text *out);

// The pose of each body in the world; after tact_picture_move. time [ns].
void tact_foxglove_add_transforms(const tact_picture *picture, const tact_trace_header *header, uint64_t time, tact_text *out);

// All shapes and limbs, each in its body's frame, for as long as the scene is shown. reach: how far planes are drawn [m].
void tact_foxglove_add_shapes(const tact_picture *picture, const tact_trace_header *header, double reach, uint64_t time,
                              tact_text *out);

// The contacts of a step that bear load: a dot where each is, and an arrow for the force on b. newton: length of an arrow of 1 N
// [m].
void tact_foxglove_add_contacts(const tact_trace_header *header, const tact_trace_step *step, double newton, uint64_t time,
                                tact_text *out);

// MCAP files (mcap.dev, version 0): time-stamped messages of several channels, whose schemas stand in the file. Messages are
// gathered in chunks without compression, each with its index and CRC32; the file ends in a summary and an index of chunks.

enum { TACT_MCAP_CHANNELS = 8 };

typedef struct {
    uint64_t time;    // [ns]
    uint64_t offset;  // in the chunk
} tact_mcap_entry;

typedef struct {
    uint64_t start, end;                 // times of its messages [ns]
    uint64_t at, size;                   // of its record in the file
    uint64_t indices;                    // size of the indices behind it
    uint64_t content;                    // size of its messages
    uint64_t index[TACT_MCAP_CHANNELS];  // where the index of a channel stands in the file; 0: none
} tact_mcap_chunk;

typedef struct {
    tact_mcap_entry *entry;  // (count) in the chunk at hand
    int count, room;
    uint32_t sequence;  // messages so far
} tact_mcap_channel;

// Ends with tact_mcap_close.
typedef struct {
    tact_output *output;
    uint64_t written;  // bytes handed to the output and spilled
    uint32_t crc;      // of them
    int channels;
    tact_mcap_channel channel[TACT_MCAP_CHANNELS];
    tact_text definitions;             // records of schemas and channels, which the summary repeats
    size_t schemas;                    // of their bytes those of the schemas
    tact_text records;                 // of the chunk at hand
    size_t begun;                      // where the record of the message at hand begins in records
    uint64_t start, end, first, last;  // times of the chunk at hand, and of all [ns]
    tact_mcap_chunk *chunk;            // (chunks)
    int chunks, room;
    bool any;     // a message was begun
    bool failed;  // no memory
} tact_mcap;

// Begins a file on an output that is open and empty.
void tact_mcap_begin(tact_mcap *mcap, tact_output *output);

// A channel with a schema of its own; all before the first message. Returns its number.
int tact_mcap_add_channel(tact_mcap *mcap, const char *topic, const char *encoding, const char *schema,
                          const char *schema_encoding, const char *definition, size_t size);

// A message: its bytes are added to the returned text between begin and end. Times do not fall.
tact_text *tact_mcap_message_begin(tact_mcap *mcap, int channel, uint64_t time);

// Ends the message, and the chunk when it has become large.
void tact_mcap_message_end(tact_mcap *mcap);

// Adds the rest of the file to the output. False when there was no memory.
bool tact_mcap_end(tact_mcap *mcap);

// Frees the memory; the output stays open.
void tact_mcap_close(tact_mcap *mcap);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
