#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/fuzz/run.sh SECONDS LIBRARY [TARGETS]: builds each test/fuzz/fuzz_*.c with LIBRARY, which is instrumented likewise,
# replays its cases of test/fuzz/corpus/NAME, then fuzzes from these and from the repository's own files. What is found lies in
# the folder of LIBRARY. FLAGS: of the compiler.
set -u
seconds=$1 library=$2 targets=${3:-scene urdf files api solve}
folder=$(dirname "$library")
bad=0
for name in $targets; do
    # shellcheck disable=SC2086
    clang $FLAGS -fsanitize=fuzzer -Iinclude -Isrc -Itest/fuzz -o "$folder/fuzz_$name" "test/fuzz/fuzz_$name.c" "$library" $LIBS ||
        exit 1
    found=$folder/found/$name kept=test/fuzz/corpus/$name
    mkdir -p "$found" "$kept"
    case $name in
    scene) seeds="data/scenes data/robots" ;;
    files) seeds="data/batch data/golden" ;;
    *) seeds= ;;
    esac
    # shellcheck disable=SC2086
    if "$folder/fuzz_$name" "$found" "$kept" $seeds -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
        -print_final_stats=1 -artifact_prefix="$folder/found/$name-" >"$folder/$name.log" 2>&1; then
        echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log") executions, nothing found"
    else
        echo "fuzz $name: FOUND, see $folder/$name.log"
        grep -E 'not so|ERROR|runtime error|SUMMARY|Test unit' "$folder/$name.log" | head -n 5
        bad=1
    fi
done
exit $bad
