// SPDX-License-Identifier: MIT
// Files and standard input, read without the surprises of the system.
#ifndef TACT_SCENE_FILE_H
#define TACT_SCENE_FILE_H

#include <stddef.h>

#include "scene/errors.h"

// A descriptor of a regular file, or of standard input when the path is "-"; -1 after one error. Directories, pipes, sockets and
// devices are refused without waiting for them.
int tact_file_open(const char *path, tact_errors *errors);
void tact_file_close(int file);

// Bytes read, waiting where the descriptor does not: 0 at the end, -1 after one error.
ptrdiff_t tact_file_read(int file, const char *name, char *bytes, size_t size, tact_errors *errors);

#endif
