#!/bin/sh
# SPDX-License-Identifier: MIT
# The power goes some times while a batch is written: see test/faults/power.sh. Often: make faults STAGES=power.
[ -z "${SAN:-}" ] || { echo "power (sanitizers are loaded first, too): 0 passed, 0 failed"; exit 0; }
COUNT=${COUNT:-80} sh test/faults/power.sh
