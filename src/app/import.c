// SPDX-License-Identifier: MIT
// tact import: a robot description in URDF or MJCF as a robot file.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/fits.h"
#include "app/stage.h"

static const char help[] =
    "Reads a robot description in URDF or MJCF, by its root element, and prints it as a robot file, which a scene may name\n"
    "under \"robots\". What is not read is warned of on standard error, and so is what is wrong but can be read: inertias\n"
    "off by rounding, limits in the wrong order, a mimic of an unknown joint. --strict refuses that. Of MJCF, MuJoCo's\n"
    "format, one list says what was left out, with how often each was met; its masses and inertias are MuJoCo's.\n"
    "\n"
    "Collision meshes (STL, OBJ, PLY, COLLADA) become shapes by --fit: the smallest sphere, capsule or box round them, the\n"
    "hull of up to 64 of their points, or none; rules are of links in URDF and of bodies in MJCF. Each fit is told with its\n"
    "error: how deep points of the mesh lie below the surface, and how far the surface is from the mesh. sdf makes distance\n"
    "grids of closed meshes, as convert --sdf does, of 49 numbers along the longest side or as many as sdf:N says; with -o\n"
    "FILE.json their arrays are FILE-MESH-N.npy beside it, one for the links that share a mesh.\n"
    "\n"
    "--base free lets the robot float, by a free joint, and --base driven carries it by three prismatic and three revolute\n"
    "joints, base_x to base_roll, each with a drive. Without a body of its own the base gets one without mass. --drives\n"
    "gives each joint that has none a drive, as tact new does: its effort limit becomes the force limit, reached at a\n"
    "deflection of 0.5 rad or 10 mm; without a limit the stiffness is 1 N m/rad or 100 N/m.\n"
    "\n"
    "examples:\n"
    "  tact import hand.urdf > hand.json\n"
    "  tact import right_hand.xml > hand.json\n"
    "  tact import hand.urdf --fit capsule --fit '*tip=sphere' --fit 'base=none' > hand.json\n"
    "  tact import hand.urdf --fit hull --fit '*tip=sdf:33' -o hand.json\n";

static void add_left(char out[400], int count, const char *what) {
    size_t size = strlen(out);
    if (count > 0) snprintf(out + size, 400 - size, "%s%s of %d", size > 0 ? ", " : "", what, count);
}

// Says in one line what of the description the model leaves out.
static void say_left_out(const char *path, const tact_draft_left *left) {
    char text[400] = "";
    add_left(text, left->effort, "effort limits");
    add_left(text, left->velocity, "velocity limits");
    add_left(text, left->dynamics, "damping or friction");
    add_left(text, left->safety, "safety controllers");
    if (text[0]) snprintf(text + strlen(text), sizeof text - strlen(text), " joints");
    add_left(text, left->friction, "gazebo's friction");
    if (left->friction > 0) snprintf(text + strlen(text), sizeof text - strlen(text), " links");
    size_t size = strlen(text);
    if (left->transmission > 0)
        snprintf(text + size, sizeof text - size, "%s%d transmissions", size > 0 ? ", " : "", left->transmission);
    if (text[0]) tact_say("%s: warning: left out: %s", tact_text_name(path), text);
}

int tact_call_fit(const tact_call *call, const char *robot, tact_draft_fit *fit, const char ***rules) {
    int at = 0, count = 0;
    const char *density = tact_call_value(call, "--density");
    *fit = (tact_draft_fit){.packages = tact_call_value(call, "--packages"), .robot = robot};
    if (fit->packages && !tact_file_is_folder(fit->packages))
        return tact_say_usage(call->command, "--packages: no folder %s", tact_quote(fit->packages).text);
    while (tact_call_next(call, "--fit", &at)) count++;
    // later rules outrank earlier ones: they are kept in order
    *rules = tact_memory_get((size_t)(count + 1) * sizeof **rules);
    if (!*rules) {
        tact_say("error: out of memory");
        return TACT_EXIT_NO_MEMORY;
    }
    at = 0;
    for (int i = 0; i < count; i++) {
        const char *rule = (*rules)[i] = tact_call_next(call, "--fit", &at);
        tact_reason reason = tact_fit_rule_check(rule, robot != NULL);
        if (reason.text[0]) return tact_say_usage(call->command, "--fit: %s", reason.text);
    }
    fit->rule = *rules;
    fit->nrule = count;
    if (!density) return TACT_EXIT_DONE;
    if (tact_number_read_loose(density, strlen(density), &fit->density) == TACT_NUMBER_READ && fit->density > 0 &&
        fit->density <= TACT_MOST_MASS)
        return TACT_EXIT_DONE;
    return tact_say_usage(call->command, "--density: must be > 0 and at most %s kg/m^3 (found %s)",
                          tact_number_print(TACT_MOST_MASS).text, tact_quote(density).text);
}

int tact_call_base(const tact_call *call, tact_base_joint *joint) {
    const char *word = tact_call_value(call, "--base");
    *joint = TACT_BASE_FIXED;
    if (!word) return TACT_EXIT_DONE;
    for (int i = 0; tact_base_joint_names[i]; i++) {
        if (strcmp(word, tact_base_joint_names[i]) != 0) continue;
        *joint = (tact_base_joint)i;
        return TACT_EXIT_DONE;
    }
    return tact_say_usage(call->command, "--base: unknown %s (allowed: fixed, free, driven)", tact_quote(word).text);
}

// The length of the quoted name with which a line begins, 0 without one.
static size_t find_name(const char *line) {
    size_t k = line[0] == '"';
    while (k > 0 && line[k] != '"') k += line[k] == '\\' ? 2 : 1;
    return k > 0 ? k + 1 : 0;
}

void tact_say_lines(tact_text *text) {
    for (char *line = text->bytes; line && *line; line = strchr(line, '\n') + 1) {
        const size_t name = find_name(line), length = strcspn(line, "\n");
        tact_text names = {0};
        int count = 1;
        // one that was told with a line before it
        if (*line == ' ') continue;
        tact_text_add_bytes(&names, line, name);
        const char *last = line;
        for (char *other = line + length + 1; name > 0 && *other; other = strchr(other, '\n') + 1) {
            const size_t size = find_name(other);
            if (size == 0 || strncmp(other + size, line + name, length - name + 1) != 0) continue;
            // a link with several such meshes is named once, and of very many links the first
            const bool again = strncmp(other + 1, last + 1, size - 1) == 0, full = names.size > 400;
            if (!again && !full) tact_text_add(&names, ", "), tact_text_add_bytes(&names, other, size);
            *other = ' ', last = other, count++;
        }
        char alike[40] = "";
        if (count > 1) snprintf(alike, sizeof alike, "%s (%d alike)", names.size > 400 ? ", ..." : "", count);
        tact_say("%s%s%.*s", names.bytes ? names.bytes : "", alike, (int)(length - name), line + name);
        tact_text_free(&names);
    }
}

// Whether a file is there already, with these bytes or, to be kept, with others.
static bool is_there(const char *path, const tact_text *array, tact_errors *errors) {
    tact_errors ignored = {0};
    tact_text old = {0};
    bool there = access(path, F_OK) == 0;
    bool same = there && tact_text_read(&old, path, array->size + 1, &ignored) && old.size == array->size &&
                memcmp(old.bytes, array->bytes, old.size) == 0;
    tact_text_free(&old);
    if (there && !same)
        tact_errors_add(errors, TACT_ERROR_REFUSED, (tact_place){.file = path},
                        "is there already and holds something else: remove it, or take another name with -o");
    return there;
}

// The arrays of the grids, none of which replaces a file, then the robot file: one that is there fits its arrays at any moment.
// Of a failure none of the new ones is left.
static int write_files(tact_draft *draft, tact_text *text, const char *path) {
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0, count = 0;
    tact_errors errors = {0};
    tact_output output;
    const char **written = tact_draft_take(draft, (size_t)(draft->nshape + 1) * sizeof *written);
    bool good = written != NULL;
    for (int i = 0; good && i < draft->nshape; i++) {
        const char *file = draft->shapes[i].file;
        // links that share a mesh share its array
        bool known = !file;
        for (int k = 0; k < i && !known; k++) known = draft->shapes[k].file == file;
        if (known) continue;
        size_t room = (size_t)folder + strlen(file) + 1;
        char *beside = tact_draft_take(draft, room);
        tact_text array = {0};
        tact_grid_add_array(&array, draft->shapes[i].grid);
        good = beside && !array.failed;
        if (good) snprintf(beside, room, "%.*s%s", folder, path, file);
        if (good && !is_there(beside, &array, &errors)) {
            good = tact_guard_open(&output, beside, &errors);
            if (good) tact_text_add_bytes(&output.text, array.bytes, array.size);
            good = good && tact_guard_finish(&output, &errors);
            if (good) written[count++] = beside;
        }
        good = good && errors.errors == 0;
        tact_text_free(&array);
    }
    int code = good ? tact_write_text(text, path) : errors.errors > 0 ? tact_say_errors(&errors) : tact_say_no_memory("import: ");
    for (int i = 0; i < count && code != TACT_EXIT_DONE; i++) (void)remove(written[i]);
    return code;
}

// Before the meshes are sampled, which may take minutes: whether arrays can be written beside the robot file.
static int check_place(const tact_draft_fit *fit) {
    tact_errors errors = {0};
    tact_output probe;
    struct stat at;
    bool files = false;
    for (int i = 0; i < fit->nrule; i++) files = files || tact_fit_rule_check(fit->rule[i], false).text[0];
    if (!files) return TACT_EXIT_DONE;
    if (stat(fit->robot, &at) == 0 && !S_ISREG(at.st_mode))
        tact_errors_add(&errors, TACT_ERROR_REFUSED, (tact_place){.file = fit->robot},
                        "must be a regular file: the arrays of grids are written beside it");
    else if (tact_guard_open(&probe, fit->robot, &errors))
        tact_guard_abandon(&probe);
    return tact_say_errors(&errors);
}

// The first shape in millimetres, of a mesh or of its own.
static void say_large_shape(const char *path, const tact_draft *draft) {
    for (int i = 0; i < draft->nshape; i++) {
        const tact_draft_shape *shape = &draft->shapes[i];
        double most = 0;
        for (int k = 0; k < 3; k++) {
            most = fmax(most, 2 * (double)shape->size[k]);
            if (shape->grid) most = fmax(most, (double)shape->grid->step * (shape->grid->count[k] - 5));
        }
        for (int k = 0; shape->hull && k < shape->hull->nvertex; k++)
            most = fmax(most, sqrt((double)tact_vec3_dot(shape->hull->vertex[k], shape->hull->vertex[k])));
        if (shape->type == TACT_SHAPE_PLANE || !(most > TACT_MESH_LARGE)) continue;
        tact_say("%s: warning: shape %s is %s m large: the unit is the metre%s", tact_text_name(path),
                 tact_quote(shape->name ? shape->name : "").text, tact_rounded(most, 4).text,
                 shape->fitted ? "; of a mesh in millimetres: scale=\"0.001 0.001 0.001\"" : "");
        return;
    }
}

static int run(const tact_call *call) {
    const char **rules = NULL, *path = tact_call_operand(call, 0), *to = tact_call_value(call, "-o");
    tact_draft_fit fit;
    tact_base_joint base = TACT_BASE_FIXED;
    tact_progress progress = {.total = 100};
    int code = tact_call_fit(call, to && strcmp(to, "-") != 0 ? to : NULL, &fit, &rules);
    if (code == TACT_EXIT_DONE) code = tact_call_base(call, &base);
    if (code == TACT_EXIT_DONE) code = check_place(&fit);
    if (code != TACT_EXIT_DONE) {
        tact_memory_release(rules);
        return code;
    }
    tact_errors errors = tact_stage_errors(call);
    tact_text text = {0}, report = {0};
    tact_draft draft = {.errors = &errors};
    fit.report = &report;
    fit.tick = tact_show_sampling;
    fit.context = &progress;
    // without rules collision meshes are reported as left out
    if (fit.nrule > 0 || fit.density > 0) draft.fit = &fit;
    const tact_draft_mark whole = {.place = {.file = path}};
    bool read = tact_robot_read(&draft, path) && tact_robot_set_base(&draft, (tact_robot_start){0, 0, 0}, base, &whole);
    if (read && tact_call_value(call, "--drives")) read = tact_robot_drive(&draft);
    read = read && tact_draft_suspect(&draft) && errors.errors == 0;
    if (read) tact_robot_write(&draft, &text);
    tact_progress_end(&progress);
    tact_say_lines(&report);
    code = tact_say_errors(&errors);
    if (read) {
        say_left_out(path, &draft.left);
        if (draft.nshape == 0 && draft.left.solids == 0)
            tact_say("%s: warning: it has no collision shapes: nothing can touch it", tact_text_name(path));
        say_large_shape(path, &draft);
    }
    if (read && code == TACT_EXIT_DONE) code = fit.robot ? write_files(&draft, &text, to) : tact_print_text(&text, code);
    tact_draft_free(&draft);
    tact_memory_release(rules);
    tact_text_free(&report);
    tact_text_free(&text);
    return code;
}

static const tact_call_option options[] = {TACT_FIT_OPTIONS("hull, sdf or none"),
                                           TACT_BASE_OPTION,
                                           {"--drives", NULL, "a drive for each joint that has none"},
                                           TACT_STAGE_URDF_OPTIONS,
                                           {"-o", "FILE", "instead of standard output"},
                                           {0}};

const tact_subcommand tact_import_command = {.name = "import",
                                             .operands = "ROBOT",
                                             .summary = "Prints a robot description in URDF or MJCF as a robot file.",
                                             .help = help,
                                             .options = options,
                                             .least = 1,
                                             .most = 1,
                                             .run = run};
