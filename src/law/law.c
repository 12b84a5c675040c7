// SPDX-License-Identifier: MIT
#include "law/law.h"

static const tact_law_entry barrier = {"barrier", tact_barrier_step};

const tact_law_entry *tact_law_find(tact_law law) {
    switch (law) {
    case TACT_LAW_BARRIER: return &barrier;
    case TACT_LAW_VIRTUAL:
    case TACT_LAW_RIGID: return NULL;
    }
    return NULL;
}
