#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/fuzz/run.sh SECONDS LIBRARY [TARGETS]: builds each test/fuzz/fuzz_*.c with LIBRARY, which is instrumented likewise,
# replays its cases of test/fuzz/corpus/NAME and the repository's own files, then fuzzes from these, two targets at a time (JOBS=1: one).
# What is found lies in the folder of LIBRARY, as do the objects of the command. FLAGS: of the compiler. SEED: where chance begins,
# and the same code does the same again. RUNS: how many executions end a target, too.
set -u
seconds=$1 library=$2 targets=${3:-scene urdf mjcf files lines api solve parts}
folder=$(dirname "$library")
seeds=$folder/seeds
# what an input has given back is watched to its end; a quarter of a gigabyte would only be memory that no cache holds
export ASAN_OPTIONS="quarantine_size_mb=16${ASAN_OPTIONS:+:$ASAN_OPTIONS}"

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

# Of what is made of numbers, inputs that are rarely met lead no further than others do, and to count them takes longer than to run
# them; what lies behind a thousand bytes is hardly read.
settings() {
    case $1 in
    solve | api | parts) echo "-max_len=1024 -entropic=0" ;;
    lines) echo "-max_len=1024" ;;
    *) echo "-max_len=4096" ;;
    esac
}

# RUNS=minute or quarter: what a core does of each in about a minute, or a quarter of it, counted so that it can be done again
runs() {
    case $1 in
    urdf | mjcf) count=1000000 ;;
    solve) count=600000 ;;
    files) count=500000 ;;
    api) count=180000 ;;
    parts) count=4000000 ;;
    scene) count=200000 ;;
    *) count=400000 ;;
    esac
    case ${RUNS:-} in
    minute) echo $count ;;
    quarter) echo $((count / 4)) ;;
    *) echo "${RUNS:--1}" ;;
    esac
}

fuzz() {
    found=$folder/found/$1 kept=test/fuzz/corpus/$1 log=$folder/$1.log quiet=0 more='' options="-timeout=20 -rss_limit_mb=2048"
    # a seed repeats what it did: nothing that was found before is known
    [ -n "${SEED:-}" ] && found=$folder/found/seed/$1 && rm -rf "$found"
    mkdir -p "$found" "$kept"
    [ -d "$seeds/$1" ] && more=$seeds/$1
    # what the command says of lines is not wanted
    [ "$1" = lines ] && quiet=2
    options="$options -close_fd_mask=$quiet -artifact_prefix=$folder/found/$1-"
    # every kept case in its full length, then others
    # shellcheck disable=SC2046,SC2086
    "$folder/fuzz_$1" $options $(find "$kept" $more -type f | sort) >"$log" 2>&1 && {
        [ -f "test/fuzz/$1.dict" ] && more="$more -dict=test/fuzz/$1.dict"
        "$folder/fuzz_$1" "$found" "$kept" $more $options $(settings "$1") -seed="${SEED:-0}" -reload=0 -runs="$(runs "$1")" \
            -max_total_time="$seconds" -print_final_stats=1 >"$log" 2>&1
    }
    code=$? executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    # what hardly runs finds nothing
    [ $code -ne 0 ] || [ "${executions:-0}" -gt 100 ] || code=too_few
    case $code in
    0) echo "fuzz $1: $executions executions, nothing found" ;;
    72) echo "fuzz $1: interrupted after $executions executions, nothing found" ;;
    too_few) echo "fuzz $1: no more than ${executions:-0} executions, see $log" ;;
    *)
        echo "fuzz $1: FOUND, see $log"
        grep -E 'not so|ERROR|runtime error|SUMMARY|Test unit' "$log" | head -n 5
        ;;
    esac
    [ "$code" = 0 ] || : >"$folder/bad"
}

rm -f "$folder/bad"
for name in $targets; do build "$name" || exit 1; done
gather
# shellcheck disable=SC2086
set -- $targets
while [ $# -gt 0 ]; do
    fuzz "$1" &
    shift
    if [ $# -gt 0 ] && [ "${JOBS:-2}" -gt 1 ]; then
        fuzz "$1" &
        shift
    fi
    wait
done
[ ! -f "$folder/bad" ]
