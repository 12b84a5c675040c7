#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/gates/memory.sh CORE.a: compiles the tests that need nothing but the core with FLAGS, which ask for MemorySanitizer as
# those of CORE.a did, and runs them. Tests of what reads JSON are left out: cJSON, Expat and OpenBLAS are not instrumented, and
# what they write would count as never written.
set -u
folder=$(dirname "$1")/test
mkdir -p "$folder" || exit 1
programs=
for source in test/test_*.c; do
    program=$folder/$(basename "$source" .c)
    # shellcheck disable=SC2086
    clang $FLAGS -Iinclude -Isrc -Itest -c "$source" -o "$program.o" || exit 1
    # shellcheck disable=SC2086
    if clang $FLAGS "$program.o" "$1" -lm -o "$program" 2>"$program.log"; then
        programs="$programs $program"
    else
        grep -q 'undefined reference' "$program.log" || { cat "$program.log"; exit 1; }
    fi
done
# shellcheck disable=SC2086
sh test/run.sh $programs
