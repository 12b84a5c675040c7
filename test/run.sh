#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs (or .sh scripts), JOBS of them at a time (as many as there are processors, at most 8), and adds up the counts
# `name: N passed, N failed` on their last lines. A crash, a time-out, a non-zero exit or a missing count is at least one failure.
# A program that makes no check must say why in brackets, `name (reason): 0 passed, 0 failed`; a run without any check fails.
set -u
export OPENBLAS_NUM_THREADS=1
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

workers=
work=$(mktemp -d) || exit 1
trap 'kill $workers 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
limit=
command -v timeout >/dev/null && limit="timeout ${TEST_TIMEOUT:-900}"
jobs=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)}
[ "${JOBS:-}" ] || [ "$jobs" -le 8 ] || jobs=8

# takes, one after the other, what no other worker has begun; a line for each that has ended
worker() { # PROGRAMS...
    index=0
    for program in "$@"; do
        index=$((index + 1))
        mkdir "$work/$index" 2>/dev/null || continue
        begun=$(date +%s)
        case $program in
        *.sh) $limit sh "$program" >"$work/$index/log" 2>&1 </dev/null ;;
        *) $limit "$program" >"$work/$index/log" 2>&1 </dev/null ;;
        esac
        ended=$?
        echo $(($(date +%s) - begun)) >"$work/$index/seconds"
        echo "$ended" >"$work/$index/code"
        echo "$index"
    done
}

# the workers inherit a pipe that has both its ends; where the last of them is gone, it is read to its end
mkfifo "$work/ended" || exit 1
: >"$work/ended" &
exec 3<"$work/ended" 4>"$work/ended"
while [ "$jobs" -gt 0 ]; do
    worker "$@" >&4 3<&- 4>&- &
    workers="$workers $!" jobs=$((jobs - 1))
done
exec 4>&-

passed=0 failed=0 index=0
for program in "$@"; do
    index=$((index + 1)) log=$work/$index/log
    # until this one has ended, or nobody is left who could end it
    while [ ! -s "$work/$index/code" ] && read -r _ <&3; do :; done
    code=$(cat "$work/$index/code" 2>/dev/null) || code=1

    last=$(tail -n 1 "$log")
    counts=$(printf '%s\n' "$last" | sed -n 's/^.*: \([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
    good=${counts% *} bad=${counts#* }
    if [ -z "$counts" ]; then
        good=0 bad=1 last="$program: ended without a count"
    elif [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    elif [ $((good + bad)) -eq 0 ] && [ "${last#*(}" = "$last" ]; then
        bad=1 last="$program: made no check and does not say why"
    fi
    passed=$((passed + good)) failed=$((failed + bad))

    # what a test printed is shown when it failed
    [ "$bad" -eq 0 ] || tail -n 100 "$log"
    [ "$code" -eq 0 ] || last="$last (exit $code)"
    # the long ones, for whoever wants the run shorter
    seconds=$(cat "$work/$index/seconds" 2>/dev/null)
    [ "${seconds:-0}" -lt 5 ] || { echo "$seconds ${last%%:*}" >>"$work/long" && last="$last ($seconds s)"; }
    printf '[%d/%d] %s\n' $index $# "$last"
    # and what it left out
    sed -n 's/^skipped: /    &/p' "$log"
    [ $((good + bad)) -gt 0 ] || echo "    skipped: $last"
done
wait
workers=

[ $# -gt 0 ] || echo "no test to run" >&2
# where the time went
[ ! -f "$work/long" ] || echo "longest: $(sort -rn "$work/long" | head -n 10 | awk '{ s = $1; $1 = ""; printf "%s%s %d s", (NR > 1 ? "," : ""), $0, s }')"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
