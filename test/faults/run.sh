#!/bin/sh
# SPDX-License-Identifier: MIT
# The long forms of what test/ does in short: sh test/faults/run.sh [STAGE...] with the stages calls, syscalls, kills, power,
# spoil and races (all without any). The results of the last run are in test/RESULTS.md.
set -u
status=0
for stage in ${*:-calls syscalls kills power spoil races}; do
    case $stage in
    calls) VERBOSE=1 sh test/faults/calls.sh || status=1 ;;
    syscalls) sh test/faults/syscalls.sh || status=1 ;;
    races) sh test/faults/races.sh || status=1 ;;
    power) COUNT=${POWER:-10000} sh test/faults/power.sh || status=1 ;;
    kills) TACT_KILLS=${TACT_KILLS:-1000} sh test/test_batch.sh || status=1 ;;
    spoil)
        make -s -j2 SAN=1 build/san/tact build/san/test/test_spoil &&
            TACT_SPOIL=1 TACT=build/san/tact build/san/test/test_spoil || status=1
        ;;
    *) echo "no stage $stage" && status=1 ;;
    esac
done
exit $status
