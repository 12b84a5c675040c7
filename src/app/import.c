// SPDX-License-Identifier: MIT
// tact import: a robot description in URDF as a robot file.
#include "app/app.h"
#include "scene/robot_write.h"
#include "scene/urdf.h"

static const char help[] =
    "Reads a robot description in URDF and prints it as a robot file, which a scene may name under \"robots\". What is not\n"
    "read is warned of on standard error.\n"
    "\n"
    "examples:\n"
    "  tact import hand.urdf > hand.json\n";

static int run(const tact_call *call) {
    tact_errors errors = {0};
    tact_draft draft = {.errors = &errors};
    tact_text text = {0};
    bool read = tact_urdf_read(&draft, tact_call_operand(call, 0));
    if (read) tact_robot_write(&draft, &text);
    int code = tact_say_errors(&errors);
    tact_draft_free(&draft);
    if (!read || code != TACT_EXIT_DONE) {
        tact_text_free(&text);
        return code;
    }
    return tact_print_text(&text, code);
}

static const tact_call_option options[] = {{0}};

const tact_subcommand tact_import_command = {.name = "import",
                                             .operands = "ROBOT.urdf",
                                             .summary = "Prints a URDF robot description as a robot file.",
                                             .help = help,
                                             .options = options,
                                             .least = 1,
                                             .most = 1,
                                             .run = run};
