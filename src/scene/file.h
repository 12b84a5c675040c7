// SPDX-License-Identifier: MIT
// Files and standard input, read without the surprises of the system.
#ifndef TACT_SCENE_FILE_H
#define TACT_SCENE_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "scene/errors.h"

// One error with the system's reason, of the kind unreadable, or no memory. Returns false. name: as in messages
bool tact_file_refuse(const char *name, int reason, tact_errors *errors);

// A descriptor of a regular file, or of standard input when the path is "-"; -1 after one error. Directories, pipes, sockets and
// devices cannot be read, and are not waited for.
int tact_file_open(const char *path, tact_errors *errors);
void tact_file_close(int file);

// Bytes read, waiting where the descriptor does not: 0 at the end, -1 after one error.
ptrdiff_t tact_file_read(int file, const char *name, char *bytes, size_t size, tact_errors *errors);

// All bytes from a place of the file on: 0, or errno; -1 when the file ends before.
int tact_file_read_at(int file, size_t at, void *bytes, size_t size);

// True when both paths lead to the same regular file, or folder.
bool tact_file_same(const char *a, const char *b);

// Whether there is a folder of this path.
bool tact_file_is_folder(const char *path);

#endif
