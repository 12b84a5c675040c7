// SPDX-License-Identifier: MIT
// tact help: the commands, one of them, or the scene format.
#include <stdio.h>
#include <string.h>

#include "app/app.h"
#include "app/wrap.h"

static const char help[] =
    "examples:\n"
    "  tact help\n"
    "  tact help run\n"
    "  tact help scene\n"
    "  tact help scene --schema > scene.schema.json\n"
    "  eval \"$(tact help --bash)\"     # in .bashrc; in .zshrc after: autoload -U bashcompinit; bashcompinit\n";

static void describe_commands(tact_text *text) {
    for (int i = 0; tact_subcommands[i]; i++) {
        char line[160];
        snprintf(line, sizeof line, "  %-8s %s\n", tact_subcommands[i]->name, tact_subcommands[i]->summary);
        tact_text_add(text, line);
    }
}

void tact_help_say(void) {
    tact_text text = {0};
    describe_commands(&text);
    tact_say("error: no command (see: tact --help)");
    if (!text.failed) fprintf(stderr, "\ncommands:\n%s", text.bytes);
    tact_text_free(&text);
}

static void list_commands(tact_text *text) {
    for (int i = 0; tact_subcommands[i]; i++) {
        tact_text_print(text, " %-s", tact_subcommands[i]->name);
    }
}

static int run(const tact_call *call) {
    const char *topic = tact_call_operand(call, 0);
    tact_text text = {0};
    bool scene = topic && strcmp(topic, "scene") == 0;
    if (tact_call_value(call, "--schema")) {
        if (!scene) return tact_say_usage(call->command, "--schema is of: tact help scene");
        tact_scene_schema(&text);
        return tact_print_text(&text, TACT_EXIT_DONE);
    }
    if (tact_call_value(call, "--bash")) {
        // A completion for bash, and by bashcompinit for zsh: the first word is a command, what begins with - an option of it, a
        // law stands after --law, a topic after help, and files elsewhere.
        tact_text_add(&text,
                      "_tact() {\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} list= files=-f\n"
                      "    case $COMP_CWORD,${COMP_WORDS[1]} in\n    1,*) list='");
        list_commands(&text);
        tact_text_add(&text, "' ;;\n");
        for (int i = 0; tact_subcommands[i]; i++) {
            tact_text_print(&text, "    *,%-s) list='--help", tact_subcommands[i]->name);
            for (const tact_call_option *option = tact_subcommands[i]->options; option->name; option++) {
                tact_text_print(&text, " %-s", option->name);
            }
            tact_text_add(&text, "' ;;\n");
        }
        tact_text_add(&text,
                      "    esac\n    case $before in\n    --law) list='barrier virtual rigid' files= ;;\n    help) list='scene");
        list_commands(&text);
        tact_text_add(&text, "' files= ;;\n    esac\n    if [[ $COMP_CWORD = 1 || $word = -* || -z $files ]]; then\n"
                             "        COMPREPLY=($(compgen -W \"$list\" -- \"$word\"))\n    else\n"
                             "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -o filenames -F _tact tact\n");
        return tact_print_text(&text, TACT_EXIT_DONE);
    }
    if (!topic) {
        // Usage, commands with a line each, and further topics
        tact_text_add(&text, "usage: tact COMMAND [arguments]\n"
                             "Contact solvers for robot hands and planar manipulation.\n\ncommands:\n");
        describe_commands(&text);
        tact_text_add(&text,
                      "\ntact help COMMAND gives its options and examples, tact help scene the fields of a scene file,\n"
                      "tact --version the version. Results go to standard output, messages to standard error; - is\n"
                      "standard input or output. All quantities are in SI units.\n"
                      "\nexit codes: 0 done; 1 a step or problem did not converge, has no answer, or a line was bad; 2 input\n"
                      "refused; 3 cannot read or write; 4 wrong usage; 5 out of memory; 130, 143 interrupted.\n"
                      "\nexamples:\n"
                      "  tact run data/scenes/lesson.json --steps 100 --trace run.jsonl\n"
                      "  tact check data/scenes/lesson.json\n");
    } else if (scene) {
        tact_scene_help(&text);
    } else {
        const tact_subcommand *command = tact_subcommand_find(topic, true);
        if (!command) return TACT_EXIT_USAGE;
        tact_subcommand_describe(command, &text);
    }
    return tact_print_wrapped(&text);
}

static const tact_call_option options[] = {{"--schema", NULL, "of scene: its fields as JSON Schema, for editors"},
                                           {"--bash", NULL, "completion of commands, options and files for bash and zsh"},
                                           {0}};

const tact_subcommand tact_help_command = {.name = "help",
                                           .operands = "[COMMAND|scene]",
                                           .summary = "Explains a command or the scene format.",
                                           .help = help,
                                           .options = options,
                                           .most = 1,
                                           .run = run};
