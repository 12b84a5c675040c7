#!/bin/sh
# SPDX-License-Identifier: MIT
# A batch and a merge are killed by strace at each of their system calls in turn, those of the C library included, and gone on
# with: the same bytes as undisturbed.
[ ! -w /dev/shm ] || export TMPDIR="${TMPDIR:-/dev/shm}"
. test/test.sh
command -v strace >/dev/null || { test_end "system calls (skipped: no strace)"; exit; }
case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
export TACT
inputs=$PWD/test/faults/inputs.sh
cd "$work" || exit 1
# shellcheck source=test/faults/inputs.sh
. "$inputs"

# NAME WORDS: of tact, which writes into the folder @
killed() {
    name=$1 words=$2
    mkdir -p whole out
    # shellcheck disable=SC2046 # words
    "$TACT" $(echo "$words" | sed "s|@|whole/$name|") >/dev/null 2>&1 || { echo "undisturbed: exit $?"; return 1; }
    # shellcheck disable=SC2046 # words
    strace -f -qq -o calls "$TACT" $(echo "$words" | sed "s|@|out/count|") >/dev/null 2>&1
    # "name number" of each, the exec itself excepted: strace counts every name on its own, in each thread
    sed -n 's/^\([0-9]* *[a-z][a-z0-9_]*\)(.*/\1/p' calls | grep -v -e ' exec' -e ' exit' |
        awk '{ k = ++n[$1, $2] } !seen[$2, k]++ { print $2, k }' >each
    # shellcheck disable=SC2046 # words
    set -- $(echo "$words" | sed "s|@|out/$name|")
    bad=0 runs=0 kills=0
    while read -r call at; do
        runs=$((runs + 1))
        rm -rf "out/$name"
        strace -f -qq -o /dev/null -e "inject=$call:signal=KILL:when=$at" "$TACT" "$@" >/dev/null 2>&1
        # how often a thread waits is chance
        [ $? -ne 137 ] || kills=$((kills + 1))
        # temporaries of a killed run may stay
        if ! "$TACT" "$@" >said 2>&1 ||
            { ! diff -r "whole/$name" "out/$name" >differences && grep -qv "^Only in out/$name: \.[a-z.]*\.part$" differences; }; then
            bad=$((bad + 1))
            echo "killed at $call $at:"
            cat said differences
        fi
    done <each
    echo "killed at $kills of $runs calls, $bad wrong"
    [ $bad -eq 0 ] && [ $kills -gt $((runs * 9 / 10)) ]
}
check "a batch" killed batch "batch batch.json --threads 1 --quiet --npz --output @"
sed -n 's/^/batch: /p' output
check "a merge" killed merge "merge @ shard1 shard0"
sed -n 's/^/merge: /p' output
test_end "system calls"
