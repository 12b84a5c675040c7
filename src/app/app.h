// SPDX-License-Identifier: MIT
// The subcommands of `tact`: their table, the words behind them, and the exit codes.
#ifndef TACT_APP_APP_H
#define TACT_APP_APP_H

#include "app/console.h"

typedef enum {
    TACT_EXIT_DONE = 0,
    TACT_EXIT_UNSOLVED = 1,    // a step or problem did not converge, has no answer, or a line was bad
    TACT_EXIT_REFUSED = 2,     // the input is wrong; nothing written
    TACT_EXIT_UNREADABLE = 3,  // cannot read or write
    TACT_EXIT_USAGE = 4,       //
    TACT_EXIT_NO_MEMORY = 5,   //
} tact_exit;

// An option of a command, written --name VALUE or --name=VALUE.
typedef struct {
    const char *name;   // with its dashes
    const char *value;  // what help calls its value; NULL: it takes none
    const char *help;   // one line
} tact_call_option;

// The option of commands that write no file, by its name within the program: what they print goes there.
#define TACT_CALL_PRINTED "-o, --output"

typedef struct tact_call tact_call;

typedef struct {
    const char *name;
    const char *operands;             // as in the usage line
    const char *summary;              // one line
    const char *help;                 // what it reads and writes, and examples
    void (*fields)(tact_text *out);   // adds the keys of a file that it reads; NULL: it reads none of its own
    const tact_call_option *options;  // ends with a name of NULL
    int least, most;                  // operands
    int (*run)(const tact_call *call);
} tact_subcommand;

// One call of a command: the words behind its name. They were checked before the command runs.
struct tact_call {
    const tact_subcommand *command;
    int count;
    char *const *words;
};

extern const tact_subcommand tact_run_command, tact_check_command, tact_fk_command, tact_ik_command, tact_grad_command,
    tact_solve_command, tact_lcp_command, tact_friction_command, tact_qcqp_command, tact_import_command, tact_bench_command,
    tact_optimise_command, tact_mpc_command, tact_roadmap_command, tact_convert_command, tact_identify_command, tact_help_command;
extern const tact_subcommand tact_batch_command, tact_merge_command, tact_bake_command, tact_new_command, tact_distance_command;
extern const tact_subcommand tact_plot_command, tact_render_command, tact_view_command, tact_export_command;

// All of them, ended by NULL.
extern const tact_subcommand *const tact_subcommands[];

// The command of that name; NULL after saying that there is none. topic: of tact help, which knows the scene, too.
const tact_subcommand *tact_subcommand_find(const char *name, bool topic);

// True when the words fit the command; says what does not. *help: they ask for the command's help instead.
bool tact_call_check(const tact_call *call, bool *help);

// False after saying so when a file that the call writes is one that it reads, or is written twice.
bool tact_call_check_files(const tact_call *call);

// Whether the folders of all outputs are there; false after saying which is not, before any work is done.
bool tact_call_check_folders(const tact_call *call);

// False after saying so when the name of an output ends as that of a file of another kind than what is written.
bool tact_call_check_endings(const tact_call *call);

// Operand number k; NULL when there are fewer.
const char *tact_call_operand(const tact_call *call, int k);

// The last value given for an option ("" for one that takes none), NULL without one.
const char *tact_call_value(const tact_call *call, const char *option);

// The values of an option given several times: *at begins at 0; NULL after the last.
const char *tact_call_next(const tact_call *call, const char *option, int *at);

// A whole number from low to high; fallback where the option is not given. False after saying what is wrong.
bool tact_call_integer(const tact_call *call, const char *option, long long low, long long high, long long fallback,
                       long long *value);

// A number from low to high, likewise.
bool tact_call_number(const tact_call *call, const char *option, double low, double high, double fallback, double *value);
bool tact_call_real(const tact_call *call, const char *option, double low, double high, double fallback, tact_real *value);

// Warns of a turn in degrees that surely is one in radians: a small one with a fraction.
void tact_call_doubt_degrees(const tact_call *call, const char *option, double angle);

// Usage, options and examples of a command.
void tact_subcommand_describe(const tact_subcommand *command, tact_text *text);

// What stands on standard error when no command is named: all of them.
void tact_help_say(void);

// tact COMMAND: ... and where to read more. Returns TACT_EXIT_USAGE.
int tact_say_usage(const tact_subcommand *command, const char *format, ...) TACT_PRINTF(2, 3);

// COMMAND: error: out of memory; command is "new: ", or "" where none is named. Returns TACT_EXIT_NO_MEMORY.
int tact_say_no_memory(const char *command);

#endif
