#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/fuzz/run.sh SECONDS LIBRARY [TARGETS]: builds each test/fuzz/fuzz_*.c with LIBRARY, which is instrumented likewise,
# replays its cases of test/fuzz/corpus/NAME, then fuzzes from these and from the repository's own files, two targets at a time.
# What is found lies in the folder of LIBRARY, as do the objects of the command. FLAGS: of the compiler. SEED: where chance begins.
# RUNS: how many executions end a target, too.
set -u
seconds=$1 library=$2 targets=${3:-scene urdf files lines api solve parts}
folder=$(dirname "$library")
seeds=$folder/seeds

build() {
    # lines are answered by the command; all of it but main and help
    objects=
    [ "$1" = lines ] && objects=$(find "$folder/obj/app" -name '*.o' ! -name main.o ! -name help.o)
    # shellcheck disable=SC2086
    clang $FLAGS -fsanitize=fuzzer -Iinclude -Isrc -Itest -Itest/fuzz -o "$folder/fuzz_$1" "test/fuzz/fuzz_$1.c" $objects \
        "$library" $LIBS
}

# the repository's files, with the byte in front that says what they are
gather() {
    rm -rf "$seeds"
    mkdir -p "$seeds/scene" "$seeds/files" "$seeds/lines"
    cp data/scenes/*.json data/robots/*.json "$seeds/scene"
    for file in data/batch/*.json; do { printf 8 && cat "$file"; } >"$seeds/files/$(basename "$file")"; done
    for file in data/golden/*.jsonl; do { printf 1 && head -n 3 "$file"; } >"$seeds/files/$(basename "$file")"; done
}

fuzz() {
    found=$folder/found/$1 kept=test/fuzz/corpus/$1 log=$folder/$1.log quiet=0 more=
    mkdir -p "$found" "$kept"
    [ -d "$seeds/$1" ] && more=$seeds/$1
    [ -f "test/fuzz/$1.dict" ] && more="$more -dict=test/fuzz/$1.dict"
    # what the command says of lines is not wanted
    [ "$1" = lines ] && quiet=2
    # shellcheck disable=SC2086
    "$folder/fuzz_$1" "$found" "$kept" $more -seed="${SEED:-0}" -runs="${RUNS:--1}" -max_total_time="$seconds" \
        -max_len=4096 -timeout=20 -rss_limit_mb=2048 -close_fd_mask=$quiet -print_final_stats=1 \
        -artifact_prefix="$folder/found/$1-" >"$log" 2>&1
    code=$? executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    case $code in
    0) echo "fuzz $1: $executions executions, nothing found" ;;
    72) echo "fuzz $1: interrupted after $executions executions, nothing found" ;;
    *)
        echo "fuzz $1: FOUND, see $log"
        grep -E 'not so|ERROR|runtime error|SUMMARY|Test unit' "$log" | head -n 5
        ;;
    esac
    [ $code -eq 0 ] || : >"$folder/bad"
}

rm -f "$folder/bad"
for name in $targets; do build "$name" || exit 1; done
gather
# shellcheck disable=SC2086
set -- $targets
while [ $# -gt 0 ]; do
    fuzz "$1" &
    [ $# -gt 1 ] && fuzz "$2" &
    wait
    shift
    [ $# -gt 0 ] && shift
done
[ ! -f "$folder/bad" ]
