// SPDX-License-Identifier: MIT
// What tact new says, and the words that it reads and writes.
#ifndef TACT_APP_NEW_H
#define TACT_APP_NEW_H

#include "app/stage.h"

#define TACT_NEW_NAME 24

extern const char tact_new_help[];

// The name of the object: one that the robot does not have. xml: the draft holds the robot, else its file is looked through.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]);

// The links of a draft, read with capsules round meshes, whose capsules cover shapes of the robot's own that are rigid with them.
// How many; name: room for `most`.
int tact_new_list_covering(const tact_draft *draft, const char **name, int most);

// [x, y, z]
void tact_new_add_numbers(tact_text *out, const double *x, int count);

// Three numbers with commas between; false where the text is anything else.
bool tact_new_read_three(const char *text, double x[3]);

#endif
