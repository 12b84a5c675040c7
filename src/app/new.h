// SPDX-License-Identifier: MIT
// What tact new says, and the words that it reads and writes.
#ifndef TACT_APP_NEW_H
#define TACT_APP_NEW_H

#include "app/stage.h"
#include "tact/place.h"

#define TACT_NEW_NAME 24

extern const char tact_new_help[];

// The name of the object: one that the robot does not have. xml: the draft holds the robot, else its file is looked through.
void tact_new_choose_name(const tact_draft *draft, const char *robot, bool xml, char name[TACT_NEW_NAME]);

// The links of a draft, read with capsules round meshes, whose capsules cover shapes of the robot's own that are rigid with them.
// How many; name: room for `most`.
int tact_new_list_covering(const tact_draft *draft, const char **name, int most);

// Whether the robot's own file drives the joint of a body.
bool tact_new_is_driven(const tact_draft *draft, const tact_draft_body *body);

// Whether a loop, a spring or a drive on a sum moves it: then a drive of its own would be against it.
bool tact_new_is_led(const tact_draft *draft, const tact_draft_body *body);

// The keyframe from which the robot begins, NULL: none; whether it places the joint of a body.
const tact_draft_keyframe *tact_new_find_home(const tact_draft *draft);
bool tact_new_is_placed(const tact_draft_keyframe *keyframe, const tact_draft_body *body);

// [x, y, z]
void tact_new_add_numbers(tact_text *out, const double *x, int count);

// An object's sizes from KIND:AxBxC; the exit code, after saying what is wrong.
int tact_new_read_object(const tact_call *call, const char *text, tact_new_object *object);

// Three numbers with commas between; false where the text is anything else.
bool tact_new_read_three(const char *text, double x[3]);

#endif
