// SPDX-License-Identifier: MIT
// tact view: a scene or a run in a page of its own. The page comes from `make viewer`; it holds the library as WebAssembly, and
// what it is to show is put into it as text in a block that browsers do not run.
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/recording.h"
#include "app/shipped.h"
#include "app/view.h"

extern char **environ;

enum { PATH = 4096, PAGE_LIMIT = 8 << 20 };

static const char help[] =
    "Writes one HTML file that needs nothing else: it opens from the disk, without a network, and steps the scene in the\n"
    "page with this library, or replays the recorded run. Without -o the file is named after the scene or trace and\n"
    "is written to the working directory. It is opened if there is a desktop, unless --no-open is given. The page includes\n"
    "robot files that the scene names and their meshes (.stl, .obj, .ply, .dae; fine ones are simplified). Meshes must lie\n"
    "in the robot's package: below the folder of its file or the one above, or for package://NAME/ in the folder NAME with\n"
    "a package.xml that the file is in, or in FOLDER/NAME with --packages FOLDER. A body without a readable mesh is drawn\n"
    "as links between its joints.\n"
    "\n"
    "Of a trace of more than 32 MiB the page holds only every second step, or third, so that about 32 MiB are left; with\n"
    "--every K every Kth. With --scene, the scene of which it is a trace, the page shows its meshes and can go on from any of\n"
    "its steps.\n"
    "\n"
    "In the page, ? lists the keys. Objects can be pulled with the mouse while the solver runs.\n"
    "\n"
    "The page itself is built once, by `make viewer` (needs node, npm, clang and wasi-libc), and found beside the command, in\n"
    "share/tact of its installation, or where TACT_VIEWER says.\n"
    "\n"
    "examples:\n"
    "  tact view data/scenes/hand_lift.json\n"
    "  tact view run.jsonl -o run.html --no-open\n"
    "  tact view run.jsonl --scene data/scenes/hand_lift.json --every 10\n";

static const char mark[] = "<script type=\"application/json\" id=\"tact-data\">null</script>";

// True when the page is found, be it readable or not.
static bool try_page(tact_text *page, const char *path, tact_errors *errors) {
    if (access(path, R_OK) != 0 && (errno == ENOENT || errno == ENOTDIR)) return false;
    tact_text_read(page, path, PAGE_LIMIT, errors);
    return true;
}

// Beside the command, one folder up (a variant of the build), or in its installation.
static bool find_page(tact_text *page, tact_errors *errors) {
    static const char *const places[] = {"viewer.html", "../viewer.html", "../share/tact/viewer.html"};
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread, and nothing sets the environment
    const char *given = getenv("TACT_VIEWER");
    char path[TACT_SHIPPED_PATH];
    if (given && *given) return try_page(page, given, errors);
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
        if (tact_shipped_place(places[i], path) && try_page(page, path, errors)) return true;
    return false;
}

// Writes the page with the data put in behind its mark. Returns the exit code.
static int write_page(const tact_text *page, const tact_text *data, const char *path) {
    tact_errors errors = {0};
    tact_output output;
    const char *at = strstr(page->bytes, mark);
    if (!at) {
        tact_say("view: error: the page is not one of this version: make viewer");
        return TACT_EXIT_REFUSED;
    }
    if (data->failed) return tact_say_no_memory("");
    if (!tact_guard_open(&output, path, &errors)) return tact_say_errors(&errors);
    // the page has null behind the mark, where the document goes
    const char *null = strstr(at, "null");
    tact_text_add_bytes(&output.text, page->bytes, (size_t)(null - page->bytes));
    tact_text_add_bytes(&output.text, data->bytes, data->size);
    tact_text_add(&output.text, null + 4);
    return tact_guard_finish(&output, &errors) ? TACT_EXIT_DONE : tact_say_errors(&errors);
}

// Asks the desktop to show the file; without one nothing happens.
static void open_page(const char *path) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread, and nothing sets the environment
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    char opener[] = "xdg-open", *copy = strdup(path), *words[] = {opener, copy, NULL};
    pid_t child = 0;
    if (copy && ((display && *display) || (wayland && *wayland))) posix_spawnp(&child, opener, NULL, NULL, words, environ);
    free(copy);
}

static int run(const tact_call *call) {
    const char *path = tact_call_operand(call, 0), *wanted = tact_call_value(call, "-o");
    char name[PATH];
    tact_text page = {0}, data = {0};
    tact_errors errors = {0};
    if (strcmp(path, "-") == 0) return tact_say_usage(call->command, "a scene or trace must be a file");
    // beside the scene, with another ending
    if (!wanted) {
        // run.jsonl: run.html
        const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
        size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
        snprintf(name, sizeof name, "%.*s.html", (int)(length < sizeof name - 6 ? length : sizeof name - 6), base);
    }
    int code = TACT_EXIT_DONE;
    bool trace = tact_recording_is_trace(path, &code);
    if (code == TACT_EXIT_DONE && !trace && (tact_call_value(call, "--scene") || tact_call_value(call, "--every")))
        return tact_say_usage(call->command, "--scene and --every go with a trace");
    if (code == TACT_EXIT_DONE && trace && !tact_call_value(call, "--scene") && !tact_recording_check_options(call))
        return TACT_EXIT_USAGE;
    const char *packages = tact_call_value(call, "--packages");
    if (packages && !tact_file_is_folder(packages))
        return tact_say_usage(call->command, "--packages: no folder %s", tact_quote(packages).text);
    // the page first: what a scene lacks is reported by the reader of the scene
    if (code == TACT_EXIT_DONE && !find_page(&page, &errors)) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): as above
        const char *given = getenv("TACT_VIEWER");
        if (given && *given)
            tact_say("view: error: no page %s, which TACT_VIEWER names (see: tact help view)", tact_quote(given).text);
        else
            tact_say("view: error: no page beside the command nor in share/tact of its installation: make viewer builds one, "
                     "make install then installs it, TACT_VIEWER=FILE names one (see: tact help view)");
        code = TACT_EXIT_UNREADABLE;
    }
    if (code == TACT_EXIT_DONE) code = tact_say_errors(&errors);
    if (code == TACT_EXIT_DONE) code = trace ? tact_view_add_trace(call, path, &data) : tact_view_add_scene(call, path, &data);
    if (code == TACT_EXIT_DONE) code = write_page(&page, &data, wanted ? wanted : name);
    tact_text_free(&page);
    tact_text_free(&data);
    if (code != TACT_EXIT_DONE || (wanted && strcmp(wanted, "-") == 0)) return code;
    fprintf(stderr, "%s\n", tact_quote(wanted ? wanted : name).text);
    if (!tact_call_value(call, "--no-open")) open_page(wanted ? wanted : name);
    return code;
}

static const tact_call_option options[] = {{"-o", "FILE", "the page; - is standard output"},
                                           {"--scene", "SCENE", "of a trace: the page can go on from any of its steps"},
                                           {"--every", "K", "of a trace: the page holds every Kth step"},
                                           {"--packages", "FOLDER", "where the packages are in which meshes lie"},
                                           TACT_STAGE_OPTIONS,
                                           {"--no-open", NULL, "do not open it on the desktop"},
                                           {0}};

const tact_subcommand tact_view_command = {.name = "view",
                                           .operands = "SCENE|TRACE",
                                           .summary = "Writes a page that shows and steps a scene, or replays a run.",
                                           .help = help,
                                           .options = options,
                                           .least = 1,
                                           .most = 1,
                                           .run = run};
