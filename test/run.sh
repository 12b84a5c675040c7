#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs test programs (or .sh scripts) one after the other and adds up the counts `name: N passed, N failed` on their last
# lines. A crash, a time-out, a non-zero exit or a missing count is at least one failure. A program that makes no check
# must say why in brackets, `name (reason): 0 passed, 0 failed`; a run without any check fails.
set -u
export OPENBLAS_NUM_THREADS=1
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
limit=
command -v timeout >/dev/null && limit="timeout ${TEST_TIMEOUT:-300}"

passed=0 failed=0 index=0
for program in "$@"; do
    index=$((index + 1))
    case $program in
    *.sh) $limit sh "$program" >"$log" 2>&1 </dev/null ;;
    *) $limit "$program" >"$log" 2>&1 </dev/null ;;
    esac
    code=$?

    last=$(tail -n 1 "$log")
    counts=$(printf '%s\n' "$last" | sed -n 's/^.*: \([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p')
    good=${counts% *} bad=${counts#* }
    if [ -z "$counts" ]; then
        good=0 bad=1 last="$program: ended without a count"
    elif [ $code -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    elif [ $((good + bad)) -eq 0 ] && [ "${last#*(}" = "$last" ]; then
        bad=1 last="$program: made no check and does not say why"
    fi
    passed=$((passed + good)) failed=$((failed + bad))

    # what a test printed is shown when it failed
    [ "$bad" -eq 0 ] || tail -n 100 "$log"
    [ $code -eq 0 ] || last="$last (exit $code)"
    printf '[%d/%d] %s\n' $index $# "$last"
done

[ $# -gt 0 ] || echo "no test to run" >&2
echo "$passed passed, $failed failed"
[ $failed -eq 0 ] && [ $passed -gt 0 ]
