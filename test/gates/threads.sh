#!/bin/sh
# SPDX-License-Identifier: MIT
# Batches by four threads; made for a command with ThreadSanitizer, which ends with an error where two threads touch one place.
. test/test.sh
check "a batch by four threads" "$TACT" batch data/batch/grasp.json --envs 40 --threads 4 --output "$work/four"
check "a batch by one thread" "$TACT" batch data/batch/grasp.json --envs 40 --threads 1 --output "$work/one"
check "the same results" diff -r -x manifest.json "$work/one" "$work/four"
test_end threads
