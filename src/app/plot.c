// SPDX-License-Identifier: MIT
// tact plot: curves of a run against time as SVG.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/plot.h"
#include "app/plot_choose.h"

enum {
    STEPS = 100,
    STEPS_MAX = 1000000000,
    TRACES_MAX = 8,
    LEFT = 76,
    WIDE = 560,
    RIGHT = 230,
    TALL = 170,
    GAP = 46,
    TOP = 64,
    NAMED = 8,
    UNDRAWN = 1000,
    // of a figure for a column of a paper: 85 mm at 96 dots an inch
    COLUMN = 321,
    COLUMN_LEFT = 48,
    COLUMN_TALL = 96
};

#define SLIGHT 1000.0                // a force smaller than the largest by this factor is not drawn
#define NOTHING (-(double)INFINITY)  // the rank of a curve without a number

static const char help[] =
    "TRACE is a recorded run (tact run --trace; - is standard input), SCENE a scene that is stepped on the way. Several are\n"
    "drawn into the same charts, each with lines of its own (solid, dashed ..), as its heading says. LIST names the charts, "
    "separated by commas:\n"
    "  forces       normal force of each pair [N]          gaps        least distance of each pair [m]\n"
    "  q            coordinates [m, rad]                   v           velocities [m/s, rad/s]\n"
    "  u            commands [m, rad, N, N m]              iterations  of the solver in each step\n"
    "  energy       of motion and of weight, and their sum [J]\n"
    "In this order, from above. Of many curves a chart shows eight: pairs with the largest forces, coordinates that change\n"
    "most; its title counts the others, --all draws them. Charts in which nothing changes are left out and named. Gaps over\n"
    "several decades have a logarithmic axis; a legend is not repeated below. --only leaves the curves whose names contain\n"
    "the text, of pairs also those of a body of such a name. At most 2048 steps, evenly spread, are drawn of a long run.\n"
    "\n"
    "--body draws another figure, of a SCENE only: a column for each degree of freedom of the body, and as rows its input\n"
    "(command, or external force), its coordinate, its velocity, and by how much a unit of the input would move it in each\n"
    "step (dq+/dinput, by central differences of the step itself); rows that stay are left out and named. --vary overlays runs "
    "of the scene with other values.\n"
    "\n"
    "examples:\n"
    "  tact plot run.jsonl -o run.svg\n"
    "  tact plot data/scenes/hand_lift.json --steps 300 --what forces,gaps --only ball -o lift.svg\n"
    "  tact plot data/scenes/ball_drop.json --body ball --vary options.kappa=100,1e4,1e6 -o drop.svg\n";

static const char *const chart_names[] = {"forces", "gaps", "q", "v", "u", "iterations", "energy", NULL};
static const char *const chart_titles[] = {"normal force [N]", "gap [m]",           "q",         "v",
                                           "command u",        "iterations a step", "energy [J]"};
enum { FORCES, GAPS, COORDINATES, VELOCITIES, COMMANDS, ITERATIONS, ENERGY, CHARTS };

// One run as a table: the columns of each chart that is wanted, behind one another.
typedef struct {
    const char *path;
    tact_recording recording;
    tact_picture picture;
    bool pictured;
    int first[CHARTS], count[CHARTS];
    tact_series series;
} plot_run;

typedef struct {
    const tact_call *call;
    bool wanted[CHARTS];
    int order[CHARTS], charts;  // as they are named
    const char *only;
    bool all, column;
    int nrun;
    plot_run run[TRACES_MAX];
} plot_job;

typedef struct {
    char text[600];
} plot_name;

// The item of a list of names in the first line.
static const char *find_name(const tact_json *json, const char *key, int index) {
    int list = tact_json_find(json, 0, key);
    for (int i = tact_json_first(json, list); i >= 0; i = tact_json_after(json, i))
        if (index-- == 0)
            return tact_json_type(json, i) == TACT_JSON_STRING ? tact_json_get_string(json, i, TACT_TEXT_LIMIT) : NULL;
    return NULL;
}

static const char *find_member(const tact_json *json, int list, int index, const char *key) {
    for (int i = tact_json_first(json, list); i >= 0; i = tact_json_after(json, i))
        if (index-- == 0) return tact_json_get_string(json, tact_json_find(json, i, key), TACT_TEXT_LIMIT);
    return NULL;
}

// Name of one curve of a chart: the two shapes of a pair, the kind of energy, or a coordinate, dof or command; else iterations.
static plot_name name_column(const plot_run *run, int chart, int index) {
    static const char *const energies[] = {"motion", "weight", "sum"}, *const lists[] = {"coordinates", "dofs", "commands"};
    const tact_json *json = run->recording.json;
    plot_name name = {"iterations"};
    const char *text = NULL;
    if (chart == FORCES || chart == GAPS) {
        int pairs = tact_json_find(json, 0, "pairs");
        const char *a = find_member(json, pairs, index, "a"), *b = find_member(json, pairs, index, "b");
        snprintf(name.text, sizeof name.text, "%.280s \xe2\x80\x93 %.280s", a ? a : "", b ? b : "");
        return name;
    }
    if (chart == ENERGY) text = energies[index];
    if (chart >= COORDINATES && chart <= COMMANDS) text = find_name(json, lists[chart - COORDINATES], index);
    if (text) snprintf(name.text, sizeof name.text, "%.590s", text);
    return name;
}

// Whether a joint of the run has coordinates (velocities) of a unit: 0 metres, 1 radians, 2 none, as a quaternion.
static bool has_unit(const tact_json *json, int chart, int unit) {
    static const char *const metres[] = {"prismatic", "translation", "planar", "free", NULL},
                             *const radians[] = {"revolute", "continuous", "planar", NULL}, *const none[] = {"free", NULL};
    const char *const *types = unit == 0 ? metres : unit == 1 ? radians : none;
    TACT_ASSERT(unit >= 0 && unit < 3);
    int joints = tact_json_find(json, 0, "joints");
    for (int i = tact_json_first(json, joints); i >= 0; i = tact_json_after(json, i)) {
        const char *type = tact_json_get_string(json, tact_json_find(json, i, "type"), TACT_TEXT_LIMIT);
        // a free body's velocities turn, its coordinates are a quaternion
        bool turning = chart == VELOCITIES && type && strcmp(type, "free") == 0;
        if (turning && unit == 1) return true;
        for (int k = 0; type && types[k] && !(turning && unit == 2); k++)
            if (strcmp(type, types[k]) == 0) return true;
    }
    return false;
}

// Whether a command has the unit; traces of before say none, and had places only.
static bool has_command(const plot_run *run, const char *unit, bool place) {
    const tact_json *json = run->recording.json;
    int list = tact_json_find(json, 0, "command_units");
    if (list < 0) return place;
    for (int u = 0; u < run->count[COMMANDS]; u++) {
        const char *of = find_name(json, "command_units", u);
        if (of && strcmp(of, unit) == 0) return true;
    }
    return false;
}

// A chart's title with its unit: of coordinates, velocities and commands those that occur.
static plot_name title_chart(const plot_run *run, int chart) {
    static const char *const units[][4] = {
        {"m", "rad", "quaternion", NULL}, {"m/s", "rad/s", "", NULL}, {"m", "rad", "N", "N m"}};
    plot_name title;
    size_t used = (size_t)snprintf(title.text, sizeof title.text, "%s", chart_titles[chart]);
    if (chart < COORDINATES || chart > COMMANDS) return title;
    int count = 0;
    for (int k = 0; k < 4 && units[chart - COORDINATES][k]; k++) {
        const char *unit = units[chart - COORDINATES][k];
        bool occurs = chart == COMMANDS ? has_command(run, unit, k < 2) : has_unit(run->recording.json, chart, k);
        if (occurs) used += (size_t)snprintf(title.text + used, sizeof title.text - used, "%s%s", count++ ? ", " : " [", unit);
    }
    if (count > 0) snprintf(title.text + used, sizeof title.text - used, "]");
    return title;
}

static void fill_row(plot_run *run, const tact_trace_step *step, double *row) {
    const tact_real *of[] = {step->q, step->v, step->u};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < run->count[COORDINATES + k]; i++) row[run->first[COORDINATES + k] + i] = (double)of[k][i];
    // Normal force and gap of each pair, over its contacts
    for (int i = 0; i < step->ncontact; i++) {
        const tact_trace_contact *contact = &step->contact[i];
        if (run->count[FORCES] > 0) {
            double *force = &row[run->first[FORCES] + contact->pair];
            *force = (*force == *force ? *force : 0) + (double)contact->lambda[0];
        }
        if (run->count[GAPS] > 0) {
            double *gap = &row[run->first[GAPS] + contact->pair];
            if (!(*gap <= (double)contact->gap)) *gap = (double)contact->gap;
        }
    }
    if (run->count[ITERATIONS] > 0 && step->step > 0) row[run->first[ITERATIONS]] = step->iterations;
    if (run->count[ENERGY] == 0) return;
    double *energy = &row[run->first[ENERGY]];
    tact_picture_move(&run->picture, step->q);
    tact_picture_energy(&run->picture, step->v, &energy[0], &energy[1]);
    energy[2] = energy[0] + energy[1];
}

// Reads one run into a series of rows. Returns the exit code.
static int read_run(plot_job *job, const char *path, long long steps) {
    plot_run *run = &job->run[job->nrun];
    int code = tact_recording_open(&run->recording, job->call, path, steps);
    if (code != TACT_EXIT_DONE) return code;
    job->nrun++;
    run->path = path;
    // Number of curves in each chart
    const tact_trace_header *header = run->recording.header;
    // pairs that each step found have no curve of their own
    bool found = tact_json_find(run->recording.json, 0, "max_contacts") >= 0;
    int npair = found ? 0 : header->npair;
    if (found && (job->wanted[FORCES] || job->wanted[GAPS]))
        tact_say("plot: warning: %s: forces and gaps are not drawn: its pairs were found in every step",
                 tact_quote(run->path).text);
    const int counts[] = {npair, npair, header->nq, header->nv, header->nu, 1, 3};
    for (int k = 0; k < CHARTS; k++) {
        run->first[k] = run->series.columns;
        run->count[k] = job->wanted[k] ? counts[k] : 0;
        run->series.columns += run->count[k];
    }
    // energies need the masses of the first line
    if (run->count[ENERGY] > 0) run->pictured = tact_picture_read(&run->picture, run->recording.json);
    if (run->count[ENERGY] > 0 && !run->pictured) return tact_say_errors(&run->recording.errors);
    while (tact_recording_next(&run->recording, &code)) {
        double *row = tact_series_add(&run->series, (double)run->recording.step.time);
        if (row) fill_row(run, &run->recording.step, row);
    }
    if (run->series.failed) return tact_say_no_memory("");
    if (run->series.count == 0 && code == TACT_EXIT_DONE) {
        tact_say("plot: error: the trace has no steps");
        return TACT_EXIT_REFUSED;
    }
    return code;
}

// Whether the name of a shape's body contains the text.
static bool is_of(const tact_json *json, const char *shape, const char *only) {
    int shapes = tact_json_find(json, 0, "shapes");
    for (int i = tact_json_first(json, shapes); i >= 0 && shape; i = tact_json_after(json, i)) {
        const char *name = tact_json_get_string(json, tact_json_find(json, i, "name"), TACT_TEXT_LIMIT);
        if (!name || strcmp(name, shape) != 0) continue;
        const char *body = tact_json_get_string(json, tact_json_find(json, i, "body"), TACT_TEXT_LIMIT);
        return body && strstr(body, only);
    }
    return false;
}

// Whether --only leaves a column: by its name, that of a pair by its bodies, too.
static bool is_left(const plot_job *job, const plot_run *run, int chart, int column) {
    if (!job->only || chart == ITERATIONS || chart == ENERGY || strstr(name_column(run, chart, column).text, job->only))
        return true;
    if (chart != FORCES && chart != GAPS) return false;
    const tact_json *json = run->recording.json;
    int pairs = tact_json_find(json, 0, "pairs");
    return is_of(json, find_member(json, pairs, column, "a"), job->only) ||
           is_of(json, find_member(json, pairs, column, "b"), job->only);
}

// Whether a run has curves for a chart, and --only leaves none of them.
static bool is_empty(const plot_job *job, const plot_run *run, int chart) {
    int k = 0;
    while (k < run->count[chart] && !is_left(job, run, chart, k)) k++;
    return k > 0 && k == run->count[chart];
}

// Whether --only leaves none of the curves that have names of their own; of these the nearest is noted in best, or which there
// are. Only pairs go by their bodies, too.
static bool is_nothing_named(const plot_job *job, tact_nearest *nearest, plot_name *best) {
    int curves = 0;
    for (int r = 0; r < job->nrun && job->only; r++) {
        const plot_run *run = &job->run[r];
        for (int chart = FORCES; chart <= COMMANDS; curves += run->count[chart], chart++)
            if (run->count[chart] > 0 && !is_empty(job, run, chart)) return false;
        const tact_json *json = run->recording.json;
        int bodies = run->count[FORCES] + run->count[GAPS] > 0 ? tact_json_find(json, 0, "bodies") : -1;
        for (int i = bodies < 0 ? -1 : tact_json_first(json, bodies); i >= 0; i = tact_json_after(json, i)) {
            const char *body = tact_json_get_string(json, i, TACT_TEXT_LIMIT);
            if (body && strcmp(body, job->only) != 0) tact_nearest_try(nearest, body);
        }
        for (int chart = COORDINATES; chart <= COMMANDS; chart++)
            for (int k = 0; k < run->count[chart]; k++) {
                const plot_name name = name_column(run, chart, k);
                tact_nearest_try(nearest, name.text);
                if (nearest->best == name.text) *best = name, nearest->best = best->text;
            }
    }
    return curves > 0;
}

// Memory for choosing: as many as the chart with the most columns has.
typedef struct {
    double *value, *force;
    bool *allowed;
    int *shown;
} plot_choice;

// The columns of a chart that are shown, of the first run's names; the title says what is not.
static int choose(const plot_job *job, int chart, const plot_choice *choice, char *title, size_t size) {
    const plot_run *main = &job->run[0];
    bool pairs = chart == FORCES || chart == GAPS, few = chart == ITERATIONS || chart == ENERGY;
    int count = main->count[chart], left = 0, loaded = 0, near = 0, shown = 0;
    for (int k = 0; k < count; k++) {
        choice->value[k] = choice->force[k] = NOTHING;
        choice->allowed[k] = is_left(job, main, chart, k);
    }
    for (int r = 0; r < job->nrun; r++) {
        const plot_run *run = &job->run[r];
        int columns = run->count[chart] < count ? run->count[chart] : count;
        tact_plot_rank by = few || chart == FORCES ? TACT_PLOT_LARGEST : chart == GAPS ? TACT_PLOT_LEAST : TACT_PLOT_RANGE;
        tact_plot_rank_columns(&run->series, run->first[chart], columns, by, choice->value);
        if (pairs && run->count[FORCES] > 0)
            tact_plot_rank_columns(&run->series, run->first[FORCES], columns, TACT_PLOT_LARGEST, choice->force);
    }
    double most = 0;
    for (int k = 0; k < count && pairs; k++) most = fmax(most, choice->force[k]);
    for (int k = 0; k < count; k++) {
        if (choice->force[k] <= most / SLIGHT) choice->force[k] = NOTHING;
        loaded += pairs && choice->allowed[k] && choice->force[k] > 0;
        near += choice->allowed[k] && choice->value[k] > NOTHING;
    }
    // pairs without load only where there are no others, and all that is asked for where it is
    const double *value = loaded > 0 ? choice->force : choice->value;
    bool rest = job->all || few;
    shown = tact_plot_choose(value, choice->allowed, count, loaded > 0 && !rest ? 0 : NOTHING, rest ? count : NAMED,
                             choice->shown, &left);
    for (int k = 0; k < shown && few; k++) choice->shown[k] = k;
    tact_plot_caption(title_chart(main, chart).text, shown, left, loaded > 0 && !rest ? near - loaded : 0,
                      chart == GAPS && loaded == 0 ? "closest"
                      : pairs                      ? "strongest"
                                                   : "that change most",
                      title, size);
    return shown;
}

static const char *name_run(const plot_run *run) {
    const char *base = strrchr(run->path, '/');
    return base ? base + 1 : run->path;
}

// Adds the curves of all runs to one chart.
static int add_curves(const plot_job *job, int chart, const plot_choice *choice, int shown, tact_curve *curve, plot_name *name) {
    int count = 0;
    for (int r = 0; r < job->nrun; r++) {
        const plot_run *run = &job->run[r];
        for (int i = 0; i < shown; i++) {
            int k = choice->shown[i];
            if (k >= run->count[chart]) continue;
            plot_name text = name_column(run, chart, k);
            bool alone = job->nrun > 1 && run->count[chart] == 1;
            // of the first run as in its legend
            if (alone)
                snprintf(name[count].text, sizeof name[count].text, "%.200s", name_run(run));
            else if (r > 0)
                snprintf(name[count].text, sizeof name[count].text, "%.300s (%.200s)", text.text, name_run(run));
            else
                name[count] = text;
            // the sum lies over what it is the sum of
            int dash = chart == ENERGY && k == 2 ? 1 : i / TACT_SVG_COLOURS;
            curve[count] = (tact_curve){.name = name[count].text,
                                        .t = run->series.t,
                                        .y = run->series.cell + run->first[chart] + k,
                                        .count = run->series.count,
                                        .stride = (size_t)run->series.columns,
                                        .colour = alone ? r : i,
                                        .dash = alone ? 0 : r + dash};
            count++;
        }
    }
    return count;
}

bool tact_plot_is_still(const tact_curve *curve, int count) {
    for (int k = 0; k < count; k++) {
        // numbers that are missing are passed over by fmin and fmax
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < curve[k].count; i++) {
            low = fmin(low, curve[k].y[(size_t)i * curve[k].stride]);
            high = fmax(high, curve[k].y[(size_t)i * curve[k].stride]);
        }
        if (high - low > 1e-9 * fmax(fabs(high), fabs(low))) return false;
    }
    return true;
}

// Whether the curves bear the names, colours and dashes of those before, whose legend then serves them, too.
static bool is_named_alike(const plot_job *job, const plot_choice *choice, const int *before, int nbefore, int shown, int chart,
                           int last) {
    TACT_ASSERT(nbefore <= NAMED);
    bool alike = job->nrun > 0 && last >= 0 && nbefore == shown && shown > 0;
    for (int i = 0; i < shown && alike; i++)
        for (int r = 0; r < job->nrun && alike; r++)
            alike = strcmp(name_column(&job->run[r], last, before[i]).text,
                           name_column(&job->run[r], chart, choice->shown[i]).text) == 0;
    return alike;
}

static void draw_heading(const plot_job *job, double width, tact_text *out) {
    char line[400];
    const tact_trace_header *header = job->run[0].recording.header;
    tact_svg_label(out, "big ink", "start", job->column ? 8 : LEFT, 26, header->scene ? header->scene : "");
    snprintf(line, sizeof line, "law %.100s, step %s s", header->law ? header->law : "",
             tact_rounded((double)header->dt, 6).text);
    tact_svg_label(out, "small soft", "end", width - (job->column ? 8 : 20), 26, line);
}

// What is drawn of a chart.
typedef struct {
    int chart;        // of CHARTS
    bool named;       // it has a legend of its own
    char title[300];  // what it shows
} plot_part;

// How many curves a legend names: those of the first run, whose colours the other runs have too, or all where each run has one.
static int count_named(const plot_job *job, const plot_part *part, int shown, int curves) {
    return !part->named ? 0 : job->nrun > 1 && job->run[0].count[part->chart] == 1 ? curves : shown;
}

// How much of the height a chart takes with its axis, the words below it and, in a column, the names of its curves.
static int part_room(const plot_job *job, int named, bool last) {
    named = named < NAMED ? named : NAMED;
    return job->column ? COLUMN_TALL + GAP + (named + 1) / 2 * TACT_CHART_LINE + (last ? TACT_CHART_LINE : 0) : TALL + GAP;
}

// Adds a chart to what is said of those that are not drawn.
static void add_title(const plot_job *job, int chart, const char *before, char still[UNDRAWN]) {
    size_t used = strlen(still);
    TACT_ASSERT(used < UNDRAWN);
    snprintf(still + used, UNDRAWN - used, "%s%.100s", before, title_chart(&job->run[0], chart).text);
}

// Adds those that --only leaves without a curve.
static void add_empty(const plot_job *job, char still[UNDRAWN]) {
    const char *before = still[0] ? "; without a curve of --only: " : "without a curve of --only: ";
    for (int at = 0; at < job->charts; at++) {
        if (!is_empty(job, &job->run[0], job->order[at])) continue;
        add_title(job, job->order[at], before, still);
        before = ", ";
    }
}

static void draw_charts(const plot_job *job, const plot_choice *choice, tact_curve *curve, plot_name *name, tact_text *out) {
    int width = job->column ? COLUMN : LEFT + WIDE + RIGHT;
    char title[300], still[UNDRAWN];
    plot_part part[CHARTS];
    // The charts in which something changes (all, where nothing does); the others are named in still.
    int total = 0, nbefore = 0, last = -1, before[NAMED];
    // a second round where the first leaves nothing
    for (int all = 0; all < 2 && total == 0; all++) {
        still[0] = '\0';
        for (int at = 0; at < job->charts; at++) {
            if (is_empty(job, &job->run[0], job->order[at])) continue;
            plot_part *to = &part[total];
            *to = (plot_part){.chart = job->order[at]};
            int shown = choose(job, to->chart, choice, to->title, sizeof to->title);
            if (!all && tact_plot_is_still(curve, add_curves(job, to->chart, choice, shown, curve, name))) {
                add_title(job, to->chart, still[0] ? ", " : "not drawn, as nothing changes: ", still);
                continue;
            }
            // one curve, which the title names
            bool alone = to->chart == ITERATIONS && job->nrun == 1;
            to->named = !alone && !is_named_alike(job, choice, before, nbefore, shown, to->chart, last);
            // what the next legend is compared with
            if (shown <= NAMED) memcpy(before, choice->shown, (size_t)shown * sizeof before[0]);
            nbefore = shown <= NAMED ? shown : 0;
            last = to->chart;
            total++;
        }
    }
    add_empty(job, still);
    // which run is drawn with which lines
    static const char *const lines[] = {"solid", "dashed", "dotted", "dash-dotted"};
    int y = TOP + ((still[0] != 0) + (job->nrun > 1 ? job->nrun : 0)) * TACT_CHART_LINE, top = 26 + TACT_CHART_LINE;
    // How high all that is.
    int height = y;
    for (int at = 0; at < total; at++) {
        int shown = choose(job, part[at].chart, choice, part[at].title, sizeof part[at].title);
        int count = add_curves(job, part[at].chart, choice, shown, curve, name);
        height += part_room(job, count_named(job, &part[at], shown, count), at + 1 == total);
    }
    snprintf(title, sizeof title, "Run of %.200s against time", job->run[0].recording.header->scene);
    tact_svg_begin(out, width, height, title, "Curves against time; pointing at one shows its name.");
    // heading, what is left out, then the charts from above
    draw_heading(job, width, out);
    for (int r = 0; r < job->nrun && job->nrun > 1; r++, top += TACT_CHART_LINE) {
        snprintf(title, sizeof title, "%s: %.200s", lines[r % 4], name_run(&job->run[r]));
        tact_svg_label(out, "small soft", "start", job->column ? 8 : LEFT, top, title);
    }
    if (still[0]) tact_svg_label(out, "small soft", "start", job->column ? 8 : LEFT, top, still);
    for (int at = 0; at < total; at++) {
        int k = part[at].chart, shown = choose(job, k, choice, part[at].title, sizeof part[at].title);
        int count = add_curves(job, k, choice, shown, curve, name);
        tact_chart chart = {.x = job->column ? COLUMN_LEFT : LEFT,
                            .y = y,
                            .width = job->column ? COLUMN - COLUMN_LEFT - 12 : WIDE,
                            .height = job->column ? COLUMN_TALL : TALL,
                            .title = part[at].title,
                            .time = at + 1 == total ? "time [s]" : "",
                            .curve = curve,
                            .ncurve = count,
                            .named = count_named(job, &part[at], shown, count),
                            .legend = job->column ? NAMED : TALL / TACT_CHART_LINE,
                            .from_zero = k == FORCES || k == ITERATIONS || k == GAPS,
                            .decades = k == GAPS && tact_chart_spans_decades(curve, count),
                            .column = job->column};
        tact_chart_draw(&chart, out);
        y += part_room(job, chart.named, at + 1 == total);
    }
    tact_svg_end(out);
}

// Reads the list of charts; false after saying what is wrong.
static bool read_charts(plot_job *job, const char *list) {
    while (*list) {
        size_t size = strcspn(list, ",");
        int found = -1;
        for (int k = 0; chart_names[k]; k++)
            if (strlen(chart_names[k]) == size && memcmp(chart_names[k], list, size) == 0) found = k;
        if (found < 0) {
            char word[40];
            snprintf(word, sizeof word, "%.*s", (int)(size < 39 ? size : 39), list);
            tact_nearest nearest = {.word = word};
            tact_nearest_try_all(&nearest, chart_names);
            tact_say_usage(job->call->command, "--what: no chart %s%s: forces, gaps, q, v, u, iterations, energy",
                           tact_quote(word).text, nearest.best ? tact_nearest_hint(&nearest).text : "");
            return false;
        }
        if (!job->wanted[found]) job->order[job->charts++] = found;
        job->wanted[found] = true;
        list += size + (list[size] == ',');
    }
    return true;
}

static int run(const tact_call *call) {
    static plot_job job;
    const char *list = tact_call_value(call, "--what");
    long long steps = 0;
    bool scene = false;
    int code = TACT_EXIT_DONE;
    tact_nearest nearest = {.word = tact_call_value(call, "--only")};
    plot_name best;
    job = (plot_job){.call = call, .only = tact_call_value(call, "--only"), .all = tact_call_value(call, "--all") != NULL};
    // 85 mm wide, for a column of a page
    job.column = tact_call_value(call, "--column") != NULL;
    if (!tact_call_integer(call, "--steps", 0, STEPS_MAX, STEPS, &steps)) return TACT_EXIT_USAGE;
    static const char *const apart[] = {"--column", "--what", "--only", "--all"};
    for (size_t i = 0; i < sizeof apart / sizeof apart[0] && tact_call_value(call, "--body"); i++)
        if (tact_call_value(call, apart[i])) return tact_say_usage(call->command, "%s is not of --body", apart[i]);
    if (list && !*list)
        return tact_say_usage(call->command, "--what: no chart is named: forces, gaps, q, v, u, iterations, energy");
    if (tact_call_value(call, "--body")) return tact_plot_body(call, steps);
    if (tact_call_value(call, "--vary")) return tact_say_usage(call->command, "--vary needs --body");
    if (!read_charts(&job, list ? list : "forces,gaps,q,iterations")) return TACT_EXIT_USAGE;
    for (int k = 0; k < TRACES_MAX && tact_call_operand(call, k) && (code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED); k++) {
        int one = read_run(&job, tact_call_operand(call, k), steps);
        if (one != TACT_EXIT_DONE) code = one;
        scene = scene || (job.nrun > 0 && !job.run[job.nrun - 1].recording.reader);
    }
    if ((code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED) && !scene && !tact_recording_check_options(call))
        code = TACT_EXIT_USAGE;
    if ((code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED) && is_nothing_named(&job, &nearest, &best)) {
        code = tact_say_usage(call->command, "--only: no curve of these charts has %s in its name%s%s", tact_quote(job.only).text,
                              job.wanted[FORCES] || job.wanted[GAPS] ? ", nor a body" : "", tact_nearest_hint(&nearest).text);
    } else if (code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED) {
        // Charts one below the other
        const char *path = tact_call_value(call, "-o");
        tact_text text = {0};
        size_t most = 0;
        for (int r = 0; r < job.nrun; r++) most += (size_t)job.run[r].series.columns;
        tact_curve *curve = tact_memory_get(most * sizeof *curve);
        plot_name *name = tact_memory_get(most * sizeof *name);
        // room to choose the curves that are shown
        plot_choice choice = {.value = tact_memory_get(most * sizeof(double)),
                              .force = tact_memory_get(most * sizeof(double)),
                              .allowed = tact_memory_get(most * sizeof(bool)),
                              .shown = tact_memory_get(most * sizeof(int))};
        bool room = curve && name && choice.value && choice.force && choice.allowed && choice.shown;
        if (room)
            draw_charts(&job, &choice, curve, name, &text);
        else
            text.failed = true;
        tact_memory_release(choice.value);
        tact_memory_release(choice.force);
        tact_memory_release(choice.allowed);
        tact_memory_release(choice.shown);
        tact_memory_release(curve);
        tact_memory_release(name);
        int written = tact_write_text(&text, path);
        if (written != TACT_EXIT_DONE) code = written;
    }
    for (int r = 0; r < job.nrun; r++) {
        if (job.run[r].pictured) tact_picture_free(&job.run[r].picture);
        tact_series_free(&job.run[r].series);
        tact_recording_close(&job.run[r].recording);
    }
    return code;
}

static const tact_call_option options[] = {{"--what", "LIST", "charts (default forces,gaps,q,iterations)"},
                                           {"--only", "TEXT", "curves whose names contain it; of pairs also by their bodies"},
                                           {"--all", NULL, "all curves, not only the eight strongest of a chart"},
                                           {"--steps", "N", "steps to make of a scene (default 100)"},
                                           {"--body", "NAME", "inputs, coordinates, velocities, derivatives of a body"},
                                           {"--vary", "PATH=V,V..", "with --body: one run for each value"},
                                           {"--column", NULL, "85 mm wide, for a column of a paper: names below the charts"},
                                           TACT_STAGE_OPTIONS,
                                           {"-o", "FILE", "the picture; standard output without it"},
                                           {0}};

const tact_subcommand tact_plot_command = {.name = "plot",
                                           .operands = "TRACE|SCENE ...",
                                           .summary = "Draws curves of a run as SVG.",
                                           .help = help,
                                           .options = options,
                                           .least = 1,
                                           .most = TRACES_MAX,
                                           .run = run};
