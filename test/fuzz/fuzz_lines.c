// SPDX-License-Identifier: MIT
// Any bytes as the lines that tact solve, lcp, friction and qcqp answer, by the first byte: whatever they are the command ends
// with one of its exit codes.
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/app.h"
#include "fuzz.h"

// the table of the command, which its main has
const tact_subcommand *const tact_subcommands[] = {NULL};

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    static const tact_subcommand *const commands[] = {&tact_solve_command, &tact_lcp_command, &tact_friction_command,
                                                      &tact_qcqp_command};
    static int file = -1, nowhere;
    char path[40], nodes[] = "--max-nodes", few[] = "20";
    if (file < 0) nowhere = open("/dev/null", O_WRONLY), file = memfd_create("fuzz", 0);
    // a command closes standard output at its end
    if (file < 0 || dup2(nowhere, STDOUT_FILENO) < 0) abort();
    if (size == 0) return 0;
    const tact_subcommand *command = commands[bytes[0] % 4];
    bool qcqp = command == &tact_qcqp_command;
    char *words[3] = {path, nodes, few};
    tact_call call = {.command = command, .count = qcqp ? 3 : 1, .words = words};
    if (ftruncate(file, 0) != 0 || pwrite(file, bytes + 1, size - 1, 0) != (ssize_t)(size - 1)) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    int code = command->run(&call);
    // refused as a whole: a scene, or a file of another kind
    fuzz_require(code == TACT_EXIT_DONE || code == TACT_EXIT_UNSOLVED || code == TACT_EXIT_REFUSED, "an exit code of lines");
    return 0;
}
