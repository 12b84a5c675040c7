# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Checks for shell tests: `check NAME COMMAND...` passes when the command succeeds, `refuse NAME TEXT COMMAND...` when it
# ends with one of the exit codes 1 to 5 and its output contains TEXT. Each script ends with `test_end module`. $work is removed at the end.

# alone: what make has built
: "${BUILD:=build}" "${TACT:=$BUILD/tact}" "${REAL:=double}"
# what a sanitizer finds is none of the command's own exit codes
ASAN_OPTIONS="exitcode=99${ASAN_OPTIONS:+:$ASAN_OPTIONS}" UBSAN_OPTIONS="exitcode=99${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"
export BUILD TACT REAL ASAN_OPTIONS UBSAN_OPTIONS
# with sanitizers, and where TACT_FEWER asks for it, what goes again through code that was run before is left out, or is shorter
few=${SAN:-}${TACT_FEWER:-}
test_passed=0 test_failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

check() {
    test_name=$1
    shift
    [ $# -gt 0 ] || set -- false
    if "$@" >"$work/output" 2>&1; then
        test_passed=$((test_passed + 1))
    else
        test_failed=$((test_failed + 1))
        echo "$0: failed: $test_name"
        sed 's/^/    /' "$work/output"
    fi
}

refuse() {
    test_name=$1 test_text=$2
    shift 2
    "$@" >"$work/output" 2>&1
    test_code=$?
    if [ $test_code -eq 0 ] || [ $test_code -gt 5 ]; then
        test_failed=$((test_failed + 1))
        echo "$0: failed: $test_name: wanted a refusal, got exit code $test_code"
        sed 's/^/    /' "$work/output"
    elif grep -qF -- "$test_text" "$work/output"; then
        test_passed=$((test_passed + 1))
    else
        test_failed=$((test_failed + 1))
        echo "$0: failed: $test_name: wanted \"$test_text\", got"
        sed 's/^/    /' "$work/output"
    fi
}

# to be checked: the command ends with that code; its standard output is in $work/answer, its messages are in $work/said
answers() { # CODE COMMAND...
    wanted=$1
    shift
    "$@" >"$work/answer" 2>"$work/said"
    got=$?
    [ $got -eq "$wanted" ] || { echo "exit $got, wanted $wanted"; cat "$work/answer" "$work/said"; return 1; }
}
line() { # NUMBER TEXT: that line of the answer holds TEXT
    sed -n "$1p" "$work/answer" | grep -qF -- "$2" || { echo "no $2 in:"; sed -n "$1p" "$work/answer"; return 1; }
}
says() { # CODE TEXT COMMAND...: that code, and standard error holds TEXT
    wanted=$1 text=$2
    shift 2
    "$@" 2>"$work/said" >"$work/stdout"
    got=$?
    [ $got -eq "$wanted" ] || { echo "exit $got, wanted $wanted"; cat "$work/said"; return 1; }
    grep -qF -- "$text" "$work/said" || { echo "no \"$text\" in"; cat "$work/said"; return 1; }
}

files() { # NUMBER: so many files are in the folder $work/out, hidden ones too
    [ "$(ls -A "$work/out" | wc -l)" -eq "$1" ] || { ls -lA "$work/out"; return 1; }
}

# how many environments keep two threads busy for about so many seconds, by a trial
lasting() { # SECONDS BATCH...
    seconds=$1
    shift
    begin=$(date +%s%N)
    "$TACT" batch "$@" --envs 500 --threads 2 --quiet --output "$work/trial" || return 1
    rm -rf "$work/trial"
    echo $((500 * 1000 * seconds / (1 + ($(date +%s%N) - begin) / 1000000)))
}
chunks_kept() { # FOLDER: how many the journal of a batch that is not finished has
    cat "$1/journal" 2>/dev/null | tr -dc '#' | wc -c
}

# a scene without an answer: a ball between floor and ceiling that leave no room for it
squeeze() { # HEIGHT at which the ball begins
    cat <<END
{ "tact": 1, "name": "squeeze", "options": { "margin": 1 },
  "bodies": [ { "name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0],
                "joint": { "name": "ball", "type": "translation" } } ],
  "shapes": [ { "name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0 },
              { "name": "ceiling", "body": "world", "type": "plane", "normal": [0, 0, -1], "offset": -0.07 },
              { "name": "ball", "body": "ball", "type": "sphere", "radius": 0.04 } ],
  "pairs": [ { "a": "floor", "b": "ball", "mu": 0.5 }, { "a": "ceiling", "b": "ball", "mu": 0.5 } ],
  "state": { "q": { "ball": [0, 0, $1] } } }
END
}

test_end() {
    echo "$1: $test_passed passed, $test_failed failed"
    [ $test_failed -eq 0 ]
}
