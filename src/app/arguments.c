// SPDX-License-Identifier: MIT
// Words behind a command: --option value, --option=value, operands; after -- only operands. A lone - is an operand.
#include "app/app.h"

#include <math.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// one word, or an option with its value; starts as {0}
typedef struct {
    int next;                        // word after it
    bool ended;                      // -- was passed
    const char *word;                //
    const tact_call_option *option;  // NULL for an operand
    const char *value;               // of the option, "" when it takes none
    const char *problem;             // what is wrong with the word; NULL: nothing
    const char *found;               // where a value is missing, the option that stands in its place; NULL: none
} argument;

// of commands that print: main puts the file in the place of standard output
static const tact_call_option printed = {TACT_CALL_PRINTED, "FILE", "what it prints, instead of standard output"};

// -o and --output are the same option; of a command that writes nothing but a trace, --trace is; of one that writes no file, it
// is for what it prints.
static const tact_call_option *find_option(const tact_subcommand *command, const char *word, size_t size) {
    static const char brief[] = "-o", full[] = "--output";
    const tact_call_option *other = NULL, *trace = NULL;
    for (const tact_call_option *option = command->options; option->name; option++) {
        if (strlen(option->name) == size && memcmp(option->name, word, size) == 0) return option;
        if (strcmp(option->name, brief) == 0 || strcmp(option->name, full) == 0) other = option;
        if (strcmp(option->name, "--trace") == 0) trace = option;
    }
    bool output =
        (size == strlen(brief) && memcmp(word, brief, size) == 0) || (size == strlen(full) && memcmp(word, full, size) == 0);
    return !output ? NULL : other ? other : trace ? trace : &printed;
}

// Whether a word is an option of the command, and so no value of the option before it; words as -1 are values.
static bool is_option(const tact_subcommand *command, const char *word) {
    return strncmp(word, "--", 2) == 0 || strcmp(word, "-h") == 0 || find_option(command, word, strcspn(word, "="));
}

static bool next_argument(const tact_call *call, argument *at) {
    if (!at->ended && at->next < call->count && strcmp(call->words[at->next], "--") == 0) {
        at->ended = true;
        at->next++;
    }
    if (at->next >= call->count) return false;
    at->word = call->words[at->next++];
    at->option = NULL;
    at->problem = at->found = NULL;
    if (!at->ended && at->word[0] == '-' && at->word[1]) {
        // An option and its value, in its own word after = or in the next
        const char *equals = strchr(at->word, '=');
        at->option = find_option(call->command, at->word, equals ? (size_t)(equals - at->word) : strlen(at->word));
        at->value = "";
        if (!at->option) {
            at->problem = "unknown option";
        } else if (!at->option->value) {
            if (equals) at->problem = "takes no value";
        } else if (equals) {
            at->value = equals + 1;
        } else if (at->next >= call->count || is_option(call->command, call->words[at->next])) {
            at->problem = "needs a value";
            at->found = at->next < call->count ? call->words[at->next] : NULL;
        } else {
            at->value = call->words[at->next++];
        }
    }
    return true;
}

int tact_say_usage(const tact_subcommand *command, const char *format, ...) {
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) text[0] = '\0';
    va_end(arguments);
    tact_say("%s: error: %s (see: tact help %s)", command->name, text, command->name);
    return TACT_EXIT_USAGE;
}

int tact_say_no_memory(const char *command) {
    tact_say("%serror: out of memory", command);
    return TACT_EXIT_NO_MEMORY;
}

// Refuses an unknown option with a hint: a near name, the command that has it, or --set.
static void say_unknown(const tact_call *call, const char *word) {
    char name[256];
    // the name, without a value behind =
    size_t size = strcspn(word, "=");
    if (size >= sizeof name) size = sizeof name - 1;
    memcpy(name, word, size);
    name[size] = '\0';
    tact_nearest nearest = {.word = name};
    // another command may have an option of that name
    char owners[300] = "", list[420] = "";
    for (int i = 0; tact_subcommands[i]; i++) {
        const size_t used = strlen(owners);
        if (find_option(tact_subcommands[i], name, size))
            snprintf(owners + used, sizeof owners - used, "%s%s", used > 0 ? ", " : "", tact_subcommands[i]->name);
    }
    for (const tact_call_option *option = call->command->options; option->name; option++) {
        tact_nearest_try(&nearest, option->name);
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", option->name);
    }
    tact_nearest_try(&nearest, "--help");
    // what stands without an option, as SCENE, is given as --scene
    const bool bare = (strcmp(name, "--scene") == 0 && strstr(call->command->operands, "SCENE")) ||
                      (strcmp(name, "--trace") == 0 && strstr(call->command->operands, "TRACE"));
    bool sets = size > 2 && find_option(call->command, "--set", 5) != NULL,
         near = nearest.best && 3 * nearest.distance <= (int)size && !(nearest.distance > 1 && owners[0]);
    // a controller runs for seconds, others make steps
    const tact_call_option *time = strcmp(name, "--steps") == 0 ? find_option(call->command, "--time", 6) : NULL,
                           *steps = strcmp(name, "--time") == 0 ? find_option(call->command, "--steps", 7) : NULL;
    // a board's sizes are asked of its compiler
    if (size == 8 && memcmp(name, "--target", 8) == 0 && strcmp(call->command->name, "bake") == 0)
        tact_say_usage(call->command,
                       "unknown option %s: the constants serve all machines; make sizes SCENE=FILE prints what memory a board "
                       "takes, in float32 and double32 (docs/firmware.md)",
                       tact_quote(name).text);
    else if (time || (steps && steps->value[0] == 'N'))
        tact_say_usage(call->command, "unknown option %s: %s", tact_quote(name).text,
                       time ? "this command runs for seconds: --time 30"
                            : "this command makes steps, each of options.dt seconds: --steps 100");
    else if (bare)
        tact_say_usage(call->command, "unknown option %s: it is given without one; usage: tact %s %s", tact_quote(name).text,
                       call->command->name, call->command->operands);
    else if (near)
        tact_say_usage(call->command, "unknown option %s%s", tact_quote(name).text, tact_nearest_hint(&nearest).text);
    else if (owners[0])
        tact_say_usage(call->command, "unknown option %s: it is one of tact %s (%s has: %s)", tact_quote(name).text, owners,
                       call->command->name, list);
    else
        tact_say_usage(call->command, "unknown option %s (there are: %s%s)", tact_quote(name).text, list,
                       sets ? "; values of the scene: --set options.dt=0.005" : "");
}

static bool check_law(const tact_call *call, const char *name) {
    static const char *const laws[] = {"barrier", "virtual", "rigid", NULL};
    tact_nearest nearest = {.word = name};
    for (int i = 0; laws[i]; i++)
        if (strcmp(laws[i], name) == 0) return true;
    tact_nearest_try_all(&nearest, laws);
    tact_say_usage(call->command, "--law: no law %s%s", tact_quote(name).text,
                   nearest.best ? tact_nearest_hint(&nearest).text : " (available: barrier, virtual, rigid)");
    return false;
}

bool tact_call_check(const tact_call *call, bool *help) {
    const tact_subcommand *command = call->command;
    argument at = {0};
    int operands = 0;
    *help = false;
    while (next_argument(call, &at)) {
        if (!at.ended && (strcmp(at.word, "--help") == 0 || strcmp(at.word, "-h") == 0)) {
            *help = true;
            return true;
        }
        // a word that begins with a dash and is not an option of this command
        if (at.problem && !at.option) {
            say_unknown(call, at.word);
            return false;
        }
        if (at.problem) {
            tact_say_usage(command, at.found ? "%s %s (found the option %s)" : "%s %s", at.option->name, at.problem, at.found);
            return false;
        }
        // --set is checked here, so that all commands say the same
        bool set = at.option && at.option->value && strcmp(at.option->value, "PATH=VALUE") == 0;
        if (set && !strchr(at.value, '=')) {
            tact_say_usage(command, "%s: must be PATH=VALUE, as options.kappa=1e4 (found %s)", at.option->name,
                           tact_quote(at.value).text);
            return false;
        }
        if (at.option && strcmp(at.option->name, "--law") == 0 && !check_law(call, at.value)) return false;
        if (!at.option && ++operands > command->most) {
            // a command whose files are all behind options, of which none was given
            bool robot = command->most == 0 && find_option(command, "--robot", 7) && !tact_call_value(call, "--robot");
            // a number behind a scene
            bool steps = !robot && strspn(at.word, "0123456789") == strlen(at.word) && find_option(command, "--steps", 7);
            const char *hint = robot ? "a robot is given as --robot" : steps ? "steps are given as --steps" : "usage: tact";
            tact_say_usage(command, "unexpected %s: %s %s %s", tact_quote(at.word).text, hint,
                           robot || steps ? tact_quote(at.word).text : command->name, robot || steps ? "" : command->operands);
            return false;
        }
    }
    if (operands >= command->least) return true;
    tact_say_usage(command, "too few arguments; usage: tact %s %s", command->name, command->operands);
    return false;
}

const char *tact_call_operand(const tact_call *call, int k) {
    argument at = {0};
    while (next_argument(call, &at))
        if (!at.option && k-- == 0) return at.word;
    return NULL;
}

const char *tact_call_next(const tact_call *call, const char *option, int *at) {
    argument word = {0};
    for (int k = 0; next_argument(call, &word);) {
        if (!word.option || strcmp(word.option->name, option) != 0) continue;
        if (k++ < *at) continue;
        (*at)++;
        return word.value;
    }
    return NULL;
}

const char *tact_call_value(const tact_call *call, const char *option) {
    const char *value = NULL;
    int at = 0;
    for (const char *each = tact_call_next(call, option, &at); each; each = tact_call_next(call, option, &at)) value = each;
    return value;
}

// Whether a file that is there already is the input, or one of the robots that the input names. Says so.
static bool is_input(const tact_call *call, const char *option, const char *output, const char *input) {
    bool same = tact_file_same(output, input),
         robot = !same && strcmp(input, "-") != 0 && tact_file_same(output, output) && tact_scene_names_robot(input, output);
    if (same) tact_say_usage(call->command, "%s: %s is the input itself", option, tact_quote(output).text);
    if (robot) tact_say_usage(call->command, "%s: %s is a robot of the input", option, tact_quote(output).text);
    return same || robot;
}

static const char *const outputs[] = {"--trace", "--output", "-o", "--write-scene", "--scene-to", TACT_CALL_PRINTED, NULL};

bool tact_call_check_folders(const tact_call *call) {
    char folder[4200];
    for (int i = 0; outputs[i]; i++) {
        const char *path = tact_call_value(call, outputs[i]);
        size_t size = path ? strlen(path) : 0;
        // what lies before the last name
        while (size > 1 && path[size - 1] == '/') size--;
        while (size > 0 && path[size - 1] != '/') size--;
        bool taken = path && strcmp(outputs[i], "-o") == 0 && tact_file_is_folder(path);
        if (!taken && (size == 0 || size >= sizeof folder)) continue;
        if (!taken) memcpy(folder, path, size);
        if (!taken) folder[size] = '\0';
        if (!taken && (tact_file_is_folder(folder) || errno != ENOENT)) continue;
        tact_errors errors = {0};
        tact_errors_add(&errors, TACT_ERROR_UNREADABLE, (tact_place){.file = path}, "%s",
                        taken ? "Is a directory: name the file in it" : "No such file or directory: its folder does not exist");
        tact_say_errors(&errors);
        return false;
    }
    return true;
}

// False after a message: an output option is given twice, cannot be written, or names the same file as another one.
bool tact_call_check_files(const tact_call *call) {
    for (int i = 0; outputs[i]; i++) {
        const char *path = tact_call_value(call, outputs[i]);
        int at = 0;
        if (tact_call_next(call, outputs[i], &at) && tact_call_next(call, outputs[i], &at)) {
            tact_say_usage(call->command, "%s: given twice", outputs[i]);
            return false;
        }
        // An output that is also an input is refused.
        if (path && strcmp(path, "-") != 0) {
            const char *option = outputs[i];
            const char *output = tact_call_value(call, option), *scene = tact_call_value(call, "--scene"), *input = NULL;
            const char *robot = tact_call_value(call, "--robot");
            if (scene && is_input(call, option, output, scene)) return false;
            if (robot && is_input(call, option, output, robot)) return false;
            for (int k = 0; (input = tact_call_operand(call, k)); k++)
                if (is_input(call, option, output, input)) return false;
        }
        for (int k = 0; path && k < i; k++) {
            const char *other = tact_call_value(call, outputs[k]);
            if (!other || (strcmp(path, other) != 0 && !tact_file_same(path, other))) continue;
            tact_say_usage(call->command, "%s and %s are the same file", outputs[k], outputs[i]);
            return false;
        }
    }
    return true;
}

bool tact_call_number(const tact_call *call, const char *option, double low, double high, double fallback, double *value) {
    const char *word = tact_call_value(call, option);
    *value = fallback;
    bool good =
        !word || (tact_number_read_loose(word, strlen(word), value) == TACT_NUMBER_READ && *value >= low && *value <= high);
    if (!good)
        tact_say_usage(call->command, "%s: must be a number within [%g, %g] (found %s)", option, low, high,
                       tact_quote(word).text);
    return good;
}

bool tact_call_real(const tact_call *call, const char *option, double low, double high, double fallback, tact_real *value) {
    double x = 0;
    bool good = tact_call_number(call, option, low, high, fallback, &x);
    *value = (tact_real)x;
    return good;
}

// Of a small angle that is in radians an eighth or a twelfth of half a turn or several, up to what two decimals leave.
void tact_call_doubt_degrees(const tact_call *call, const char *option, double angle) {
    const char *number = tact_call_value(call, option);
    const double turn = fabs(angle) * 180 / 3.14159265358979323846, twelfth = remainder(turn, 15), eighth = remainder(turn, 22.5);
    if (number && turn > 1 && turn < 181 && fmin(fabs(twelfth), fabs(eighth)) < 0.3)
        tact_say("%s: warning: %s %s: degrees are meant; %s rad are %s degrees", call->command->name, option, number, number,
                 tact_rounded(angle < 0 ? -turn : turn, 3).text);
}

bool tact_call_integer(const tact_call *call, const char *option, long long low, long long high, long long fallback,
                       long long *value) {
    const char *word = tact_call_value(call, option);
    double number = 0;
    *value = fallback;
    if (!word) return true;
    tact_number_status status = tact_number_read_loose(word, strlen(word), &number);
    if (status == TACT_NUMBER_READ && number >= (double)low && number <= (double)high && number == (double)(long long)number) {
        *value = (long long)number;
        return true;
    }
    const bool degrees = strcmp(find_option(call->command, option, strlen(option))->value, "DEGREES") == 0;
    tact_say_usage(call->command, "%s: must be a whole number%s within [%lld, %lld] (found %s)", option,
                   degrees ? " of degrees" : "", low, high, tact_quote(word).text);
    return false;
}

static void describe_option(const tact_call_option *option, const char *shown, tact_text *text) {
    char line[200], name[64];
    snprintf(name, sizeof name, "%s%s%s", shown, option->value ? " " : "", option->value ? option->value : "");
    snprintf(line, sizeof line, "  %-22s %s\n", name, option->help);
    tact_text_add(text, line);
}

// The text of tact help COMMAND: usage, summary, options with -o among them, help, and the fields of its lines where it has any.
void tact_subcommand_describe(const tact_subcommand *command, tact_text *text) {
    char line[200];
    snprintf(line, sizeof line, "usage: tact %s%s%s [options]\n", command->name, command->operands[0] ? " " : "",
             command->operands);
    tact_text_print(text, "%-s%-s\n\noptions:\n", line, command->summary);
    bool traced = false, written = false;
    for (const tact_call_option *option = command->options; option->name; option++) {
        bool output = strcmp(option->name, "-o") == 0 || strcmp(option->name, "--output") == 0;
        traced = traced || strcmp(option->name, "--trace") == 0;
        written = written || output;
        describe_option(option, output ? "-o, --output" : option->name, text);
    }
    if (!written && traced)
        tact_text_add(text, "  -o, --output FILE      the same as --trace\n");
    else if (!written)
        describe_option(&printed, "-o, --output", text);
    tact_text_print(text, "\n%-s", command->help);
    if (command->fields) tact_text_add(text, "\n");
    if (command->fields) command->fields(text);
}
