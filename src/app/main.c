// SPDX-License-Identifier: MIT
// The `tact` command: finds the subcommand, checks its words, and runs it.
#include "app/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/shipped.h"
#include "app/wrap.h"

const tact_subcommand *const tact_subcommands[] = {&tact_run_command,      &tact_check_command,    &tact_fk_command,
                                                   &tact_ik_command,       &tact_grad_command,     &tact_solve_command,
                                                   &tact_lcp_command,      &tact_distance_command, &tact_qcqp_command,
                                                   &tact_friction_command, &tact_import_command,   &tact_bench_command,
                                                   &tact_optimise_command, &tact_mpc_command,      &tact_roadmap_command,
                                                   &tact_convert_command,  &tact_identify_command, &tact_batch_command,
                                                   &tact_merge_command,    &tact_plot_command,     &tact_render_command,
                                                   &tact_view_command,     &tact_export_command,   &tact_new_command,
                                                   &tact_bake_command,     &tact_help_command,     NULL};

// Words that other programs have, and what they are here.
static const char *find_meant(const char *name) {
    static const char *const meant[][2] = {{"plan", "tact optimise makes a whole plan, tact mpc plans step by step"},
                                           {"version", "tact --version prints the version"},
                                           {"-v", "tact --version prints the version"},
                                           {"-V", "tact --version prints the version"}};
    for (size_t i = 0; i < sizeof meant / sizeof meant[0]; i++)
        if (strcmp(name, meant[i][0]) == 0) return meant[i][1];
    const char *end = strrchr(name, '.');
    return end && strcmp(end, ".json") == 0 ? "a scene follows a command: tact run SCENE steps one" : NULL;
}

// The subcommand of a name, or NULL after a message that suggests a similar name, or what was probably meant. topic: the name was
// given to tact help.
const tact_subcommand *tact_subcommand_find(const char *name, bool topic) {
    tact_nearest nearest = {.word = name};
    for (int i = 0; tact_subcommands[i]; i++) {
        if (strcmp(tact_subcommands[i]->name, name) == 0) return tact_subcommands[i];
        tact_nearest_try(&nearest, tact_subcommands[i]->name);
    }
    const char *meant = topic ? NULL : find_meant(name);
    if (meant) {
        tact_say("error: unknown command %s: %s", tact_quote(name).text, meant);
        return NULL;
    }
    if (topic) tact_nearest_try(&nearest, "scene");
    tact_say("error: unknown %s %s%s (see: tact --help%s)", topic ? "topic" : "command", tact_quote(name).text,
             tact_nearest_hint(&nearest).text, topic ? "; tact help scene has all keys of a scene" : "");
    return NULL;
}

// A name that is not a file here, but a scene that comes with the command, stands for that scene; a message says so.
static void find_shipped(const tact_call *call, char **words, char path[TACT_SHIPPED_PATH]) {
    const char *name = tact_call_operand(call, 0);
    if (!name || !strstr(call->command->operands, "SCENE") || !tact_shipped_scene(name, path)) return;
    tact_say("%s is %s", name, path);
    for (int i = 0; i < call->count; i++)
        if (words[i] == name) words[i] = path;
}

// What the command prints goes to a file, which appears when it is whole; none where the command is refused.
static int print_to(const tact_call *call, const char *path) {
    tact_errors errors = {0};
    tact_output output;
    if (!tact_guard_open(&output, path, &errors)) return tact_say_errors(&errors);
    // from here on standard output is the temporary file
    if (fflush(stdout) != 0 || dup2(output.file, STDOUT_FILENO) < 0) {
        tact_file_refuse(path, errno, &errors);
        tact_guard_abandon(&output);
        return tact_say_errors(&errors);
    }
    int code = call->command->run(call);
    // whole, or not at all
    bool written = fflush(stdout) == 0;
    if (!written) tact_file_refuse(path, errno, &errors);
    if (!written || (code != TACT_EXIT_DONE && code != TACT_EXIT_UNSOLVED))
        tact_guard_abandon(&output);
    else if (!tact_guard_finish(&output, &errors))
        code = tact_say_errors(&errors);
    return written ? code : tact_say_errors(&errors);
}

static int run(const tact_subcommand *command, int count, char **words) {
    tact_call call = {.command = command, .count = count, .words = words};
    bool help = false;
    if (!tact_call_check(&call, &help)) return TACT_EXIT_USAGE;
    if (help) {
        tact_text text = {0};
        tact_subcommand_describe(command, &text);
        return tact_print_wrapped(&text);
    }
    static const struct {
        const char *name;
        tact_telling telling;
    } first_looks[] = {
        {"check", TACT_TELL_READ}, {"convert", TACT_TELL_READ}, {"import", TACT_TELL_GIVEN}, {"new", TACT_TELL_GIVEN}};
    // oddities of a robot's file are reported by the commands that look at it first
    tact_console_descriptions(TACT_TELL_NONE);
    for (size_t i = 0; i < sizeof first_looks / sizeof first_looks[0]; i++)
        if (strcmp(command->name, first_looks[i].name) == 0) tact_console_descriptions(first_looks[i].telling);
    char path[TACT_SHIPPED_PATH];
    const char *first = tact_call_operand(&call, 0);
    // a scene where a recording is wanted
    if (first && strcmp(command->operands, "TRACE") == 0 && tact_shipped_scene(first, path)) {
        tact_say("%s: error: %s is a scene, not a recorded run: tact run %s --trace run.jsonl records one", command->name,
                 tact_quote(first).text, first);
        return TACT_EXIT_UNREADABLE;
    }
    // scenes that come along are found by name
    find_shipped(&call, words, path);
    if (first && tact_call_operand(&call, 0) == first && strstr(command->operands, "SCENE") && tact_shipped_suggest(first))
        return TACT_EXIT_UNREADABLE;
    if (!tact_call_check_files(&call) || !tact_call_check_endings(&call)) return TACT_EXIT_USAGE;
    if (!tact_call_check_folders(&call)) return TACT_EXIT_UNREADABLE;
    const char *to = tact_call_value(&call, TACT_CALL_PRINTED);
    return to && strcmp(to, "-") != 0 ? print_to(&call, to) : command->run(&call);
}

int main(int argc, char **argv) {
    tact_console_begin();
    if (argc < 2) {
        tact_help_say();
        return TACT_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 && argc == 2) {
        // Version and precision
        tact_text text = {0};
        tact_text_add(&text, "tact " TACT_VERSION);
        if (sizeof(tact_real) == sizeof(float)) tact_text_add(&text, " (single precision)");
        tact_text_add(&text, "\n");
        return tact_print_text(&text, TACT_EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        tact_say("error: --version stands alone (found %s)", tact_quote(argv[2]).text);
        return TACT_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) return run(&tact_help_command, argc - 2, argv + 2);
    const tact_subcommand *command = tact_subcommand_find(argv[1], false);
    return command ? run(command, argc - 2, argv + 2) : TACT_EXIT_USAGE;
}
