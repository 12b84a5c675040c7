// SPDX-License-Identifier: MIT
// What stands for any input: values of an interval, which Frama-C's EVA takes all at once.
#ifndef TACT_TEST_PROOFS_H
#define TACT_TEST_PROOFS_H

#include <stddef.h>

#include "__fc_builtin.h"

#endif
