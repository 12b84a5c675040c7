#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions per step, counted by callgrind, against test/bench/counts.txt: more than 3 % above fails. From the repository
# root: sh test/bench/counts.sh TACT [--write]. The counts are of the machine code that gcc makes of the default build.
set -u
tact=$1 list=test/bench/counts.txt
command -v valgrind >/dev/null || { echo "bench-count: needs valgrind: make setup"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
worse=0 rows=0
head -n 1 $list >"$work/new"

# callgrind of one function: its instructions go to $work/log, what the command says to $work/steps
collect() { # FUNCTION COMMAND...
    function=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$work/out" --collect-atstart=no --toggle-collect="$function" "$@" \
        >"$work/steps" 2>"$work/log"
}

# count KIND ARGUMENTS...: instructions per step. Kind batch: of tact batch with the two lanes that every machine has.
count() {
    kind=$1
    shift
    if [ "$kind" = batch ]; then
        rm -rf "$work/batch"
        collect tact_batch_worker_run "$tact" batch "$@" --threads 1 --lanes 2 --output "$work/batch" || return 1
        steps=$(awk '/ environments, [0-9]+ steps$/ { print $(NF - 3) * $(NF - 1) }' "$work/steps")
    else
        collect tact_bench_counted_step "$tact" bench --once "$kind" "$@" || return 1
        steps=$(sed -n 's/ steps$//p' "$work/steps")
    fi
    [ -n "$steps" ] || return 1
    # nothing is counted where there is no such function
    awk -v steps="$steps" '/Collected/ { count = int($NF / steps) } END { if (count > 0) print count; exit !(count > 0) }' "$work/log"
}

while IFS='|' read -r before name kind arguments || [ "$before" ]; do
    case $before in '#'*) continue ;; esac
    rows=$((rows + 1))
    [ "${2:-}" = --write ] || [ $((before)) -gt 0 ] || { echo "bench-count: no count to compare with:$name"; exit 1; }
    # the arguments are words without blanks
    now=$(count "$(echo $kind)" $arguments) || { cat "$work/log"; exit 1; }
    printf '%7d |%s|%s|%s\n' "$now" "$name" "$kind" "$arguments" >>"$work/new"
    change=$(awk -v a="$before" -v b="$now" 'BEGIN { a += 0; printf "%+.1f", (a > 0 ? 100 * (b - a) / a : 0) }')
    echo "$(echo $name): $now instructions a step ($change %)"
    awk -v c="$change" 'BEGIN { exit !(c > 3) }' && worse=$((worse + 1))
done <$list
if [ "${2:-}" = --write ]; then cat "$work/new" >$list; exit 0; fi
[ $rows -gt 0 ] || { echo "bench-count: nothing in $list"; exit 1; }
[ $worse -eq 0 ] || { echo "bench-count: $worse of them more than 3 % above $list; if that is meant: make bench-count WRITE=1"; exit 1; }
