#!/bin/sh
# SPDX-License-Identifier: MIT
# The command as a user meets it: arguments, exit codes, tables, traces; full disks, closed pipes, interrupts, other locales.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac
unset LC_ALL LC_NUMERIC LANG

prints() { # TEXT COMMAND...: the command succeeds and its output holds TEXT
    text=$1
    shift
    "$@" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    grep -qF -- "$text" "$work/said" || { echo "no \"$text\" in"; cat "$work/said"; return 1; }
}
mkdir "$work/out"

# a ball on a table, pushed by a slide
scene=$work/push.json
cat >"$scene" <<'END'
{ "tact": 1, "name": "push \u202e", "law": "barrier", "options": { "kappa": 1000, "margin": 0.2 },
  "bodies": [
    { "name": "pusher", "parent": "world", "joint": { "name": "slide", "type": "prismatic", "axis": [1, 0, 0], "limits": [-1, 1] } },
    { "name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0],
      "joint": { "name": "ball", "type": "translation" } } ],
  "shapes": [
    { "name": "table", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0 },
    { "name": "tip", "body": "pusher", "type": "sphere", "radius": 0.01, "xyz": [-0.1, 0, 0.04] },
    { "name": "ball", "body": "ball", "type": "sphere", "radius": 0.04 } ],
  "pairs": [ { "a": "table", "b": "ball", "mu": 0.5 }, { "a": "tip", "b": "ball", "mu": 0.5 } ],
  "drives": [ { "joint": "slide", "stiffness": 300 } ],
  "state": { "q": { "ball": [0, 0, 0.046875] } },
  "command": { "mode": "trajectory", "times": [0, 0.5], "q": { "slide": [0, 0.2] } } }
END
squeeze 0.046875 >"$work/squeeze.json"

# usage
check "version" prints "tact 0." "$tact" --version
check "version alone" says 4 "stands alone" "$tact" --version x
check "a header's name" says 4 "must be the name of a header" "$tact" bake data/scenes/lesson.json --include 'a"b'
check "help" prints "usage: tact COMMAND" "$tact" --help
check "help is an answer" answers 0 "$tact" help
for command in run check fk ik solve import bench help; do
    check "help $command" prints "usage: tact $command" "$tact" help $command
    check "help $command has examples" prints "examples:" "$tact" $command --help
done
printf '{"tact": 1, "bodies": [{"name": "box", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": {"type": "free"}}],
 "shapes": [], "state": {"q": {"box": [1, 2, 3, 1, 0, 0, 0]}}}' >"$work/free.json"
check "velocities of a free joint are no coordinates" prints '3  -  -  box.vx  free  -          -        -      -      -' "$tact" check "$work/free.json"
check "its coordinates have a table" prints '2  box.z   3' "$tact" check "$work/free.json"
check "with its quaternion" prints '3  box.qw  1' "$tact" check "$work/free.json"
wide() { # SCENE: the columns of the widest line that a run prints
    "$tact" run "$1" --steps 1 2>/dev/null | awk '{ if (length > w) w = length } END { print w }'
}
sed 's/\[1, 2, 3, 1, 0, 0, 0\]/[0.123456, -0.234567, 0.345678, 0.5123, -0.5123, 0.4876, -0.4874]/; s/"box"/"a_long_name"/g' \
    "$work/free.json" >"$work/turned.json"
check "a pose fits into a line" sh -c "[ $(wide "$work/turned.json") -le 100 ] && '$tact' run '$work/turned.json' --steps 1 2>/dev/null |
    grep -q '^  a_long_name  0.1235  .*  0.5122  '"
check "with the digits asked for" prints '0.123456  ' "$tact" run "$work/turned.json" --steps 1 --digits 6
printf '{"tact": 1, "options": {"dt": 0.01}, "bodies": [{"name": "a", "parent": "world", "mass": 1, "joint": {"name": "a", "type": "prismatic",
 "axis": [1, 0, 0]}}], "shapes": [], "drives": [{"joint": "a", "stiffness": 100}],
 "command": {"mode": "trajectory", "times": [0, 2.7], "q": {"a": [0, 0.1]}}}' >"$work/long.json"
check "a command longer than a run" says 0 'lasts 2.7 s, of which this was 1 s: --steps 270' "$tact" run "$work/long.json"
check "not of a run of that many steps" sh -c "! '$tact' run '$work/long.json' --steps 100 2>&1 | grep -q lasts"
check "tact alone lists the commands" says 4 "Steps a scene." "$tact"
sed -n 's/^\.B tact \([a-z][a-z]*\).*/\1/p' src/app/tact.1 | sort -u >"$work/manual"
"$tact" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' | sort >"$work/commands"
check "the manual page has these commands" diff "$work/manual" "$work/commands"
check "help scene" prints "gravity" "$tact" help scene
[ ! -e /proc/kmsg ] || check "a file that is never ready is not waited for" says 3 "/proc/kmsg: " timeout 20 "$tact" check /proc/kmsg
check "no command" says 4 "no command" "$tact"
check "unknown command" says 4 'unknown command "rum" (did you mean "run"?)' "$tact" rum
check "a topic near one" says 4 'unknown topic "scen" (did you mean "scene"?)' "$tact" help scen
check "unknown topic" says 4 "unknown topic" "$tact" help nothing
check "unknown option" says 4 'unknown option "--step" (did you mean "--steps"?)' "$tact" run "$scene" --step=4
check "short option" says 4 'unknown option "-n"' "$tact" run "$scene" -n 4
check "missing value" says 4 "--steps needs a value" "$tact" run "$scene" --steps
check "option as value" says 4 "--steps needs a value" "$tact" run "$scene" --steps --quiet
check "value where none goes" says 4 "--quiet takes no value" "$tact" run "$scene" --quiet=yes
check "no number" says 4 "must be a whole number" "$tact" run "$scene" --steps ten
check "negative" says 4 "must be a whole number" "$tact" run "$scene" --steps=-1
check "fraction" says 4 "must be a whole number" "$tact" run "$scene" --steps 1.5
check "too many arguments" says 4 "unexpected" "$tact" run "$scene" "$scene"
check "too few arguments" says 4 "too few arguments" "$tact" run
check "after -- no options" says 3 "No such file" "$tact" run -- --steps
check "terminal codes in arguments" says 4 '\x1b[2J' "$tact" "$(printf '\033[2J')"

# run
check "run" prints "100 converged" "$tact" run "$scene"
check "time without the roundings of its sum" sh -c "\"$tact\" run \"$scene\" --steps 1234 | grep -q 'time .s.  12.34\$'"
check "names are escaped" prints 'push \u202e' "$tact" run "$scene"
check "time is not in the table" answers 1 sh -c "'$tact' run '$scene' 2>/dev/null | grep -q 'us a step'"
check "run lists contacts" sh -c "'$tact' run '$scene' 2>/dev/null | sed -n '/^contacts of the last step$/,\$p' | grep -q '^  table  ball  [0-9.]*  '"
check "run tells how far the ball went" sh -c "'$tact' run '$scene' --quiet --trace '$work/far.jsonl' && '$tact' run '$scene' 2>/dev/null |
    awk '\$1 == \"body\" { of = \$5 } \$1 == \"ball\" && NF == 5 { x = \$2; z = \$4 - 0.046875; off = \$5 - sqrt(x * x + \$3 * \$3 + z * z); at = x }
        END { exit !(of == \"moved\" && at > 0.05 && off * off < 1e-12) }'"
check "no steps" prints "0 of 0" "$tact" run "$scene" --steps 0
check "quiet" sh -c "[ -z \"\$('$tact' run '$scene' --quiet 2>&1)\" ]"
check "options before the scene, =, the last one counts" prints "7 of 7" "$tact" run --steps=3 --steps 7 -- "$scene"
check "scene from standard input" sh -c "'$tact' run - <'$scene' | grep -q 'steps'"
check "set" prints "0.03125" "$tact" run "$scene" --steps 1 --set options.dt=0.03125
check "set, refused" answers 2 "$tact" run "$scene" --set options.dt=-1
check "law, refused" answers 4 "$tact" run "$scene" --law elastic
check "no such scene" says 3 "No such file" "$tact" run "$work/none.json"
check "a folder" says 3 "is a directory" "$tact" run "$work"
check "a bad scene" answers 2 sh -c "echo '{}' | '$tact' run -"
check "the same table twice" sh -c "'$tact' run '$scene' >'$work/a' 2>/dev/null; '$tact' run '$scene' 2>/dev/null | cmp - '$work/a'"
check "no bar without a terminal" says 0 "" "$tact" run "$scene" --steps 1000000
check "not a bracket of it" sh -c "! grep -q '\[' '$work/said'"
check "iteration limit" says 1 "did not converge within the iteration limit" "$tact" run "$scene" --set options.max_iterations=1
check "iteration limit goes on" grep -q "100 of 100" "$work/stdout"

# trace
check "trace" answers 0 "$tact" run "$scene" --trace "$work/out/run.jsonl"
check "trace has a line a step, and two" sh -c "[ \$(wc -l <'$work/out/run.jsonl') -eq 102 ]"
check "trace alone in its folder" files 1
check "trace begins as said" sh -c "head -n 1 '$work/out/run.jsonl' | grep -q '^{\"tact_trace\":1,.*\"scene\":\"push .u202e\",\"law\":\"barrier\"'"
check "step 0" sh -c "sed -n 2p '$work/out/run.jsonl' | grep -q '^{\"step\":0,\"t\":0,\"q\":\[0,0,0,0.046875\],'"
check "trace to standard output" sh -c "'$tact' run '$scene' --trace - 2>/dev/null | cmp - '$work/out/run.jsonl'"
check "the table then goes to standard error" prints "100 converged" sh -c "'$tact' run '$scene' --trace - 2>&1 >/dev/null"
check "an old trace is replaced" answers 0 "$tact" run "$scene" --steps 3 --trace "$work/out/run.jsonl"
check "replaced" sh -c "[ \$(wc -l <'$work/out/run.jsonl') -eq 5 ]"
mkfifo "$work/pipe"
check "a pipe that nobody reads" says 3 "nothing reads from this pipe" timeout 20 "$tact" run "$scene" --trace "$work/pipe"
check "a pipe that somebody reads" sh -c "cat '$work/pipe' >'$work/piped' & '$tact' run '$scene' --trace '$work/pipe' && wait"
check "all of it came through" sh -c "[ \$(wc -l <'$work/piped') -eq 102 ]"
# a reader that stops reading, and 5000 steps, more than a pipe holds
stop() {
    sleep 5 <"$work/pipe" &
    "$tact" run "$scene" --steps 5000 --quiet --trace "$work/pipe" &
    sleep 1
    kill -TERM $! && wait $!
    got=$?
    [ $got -eq 143 ] || { echo "exit $got"; return 1; }
}
check "an interrupt while the pipe is full" stop
check "the scene is not replaced" says 4 "is the input itself" "$tact" run "$scene" --trace "$scene"
# nor a robot that it names
mkdir "$work/own" && cp data/scenes/lesson.json "$work/own" && sed -i 's|../robots/||' "$work/own/lesson.json" && cp data/robots/robotis_5f_hand.json "$work/own"
for words in "run lesson.json --steps 2 --quiet --trace" "render lesson.json -o" "plot ./lesson.json --steps 3 -o"; do
    # shellcheck disable=SC2086
    check "the robot is not replaced: $words" says 4 "is a robot of the input" sh -c "cd '$work/own' && '$tact' $words robotis_5f_hand.json"
done
check "the robot stays" cmp data/robots/robotis_5f_hand.json "$work/own/robotis_5f_hand.json"
check "refused: nothing written" answers 2 "$tact" run "$scene" --set options.kappa=-1 --trace "$work/out/refused"
check "refused: no file" files 1
if command -v python3 >/dev/null; then
    cat >"$work/trace.py" <<'END'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
header, steps = lines[0], lines[1:]
assert len(header["dofs"]) == header["nv"] and len(header["bodies"]) == len(header["joints"])
shapes = [shape["name"] for shape in header["shapes"]]
for k, step in enumerate(steps):
    assert step["step"] == k and abs(step["t"] - k * header["dt"]) < 1e-9
    assert len(step["q"]) == header["nq"] and len(step["v"]) == header["nv"] and len(step["u"]) == header["nu"]
    for contact in step["contacts"]:
        assert contact["a"] in shapes and contact["b"] in shapes and len(contact["frame"]) == 9
        frame, force = contact["frame"], contact["force"]
        assert contact["normal"] == frame[:3]
        for row in range(3):
            along = sum(frame[3 * row + i] * force[i] for i in range(3))
            assert abs(along - contact["lambda"][row]) < 1e-5 * (1 + abs(along))
assert any(step["contacts"] for step in steps)
END
    check "trace read by another reader" python3 "$work/trace.py" "$work/out/run.jsonl"
else
    echo "skipped: trace read by another reader (no python3)"
fi

# a step without an answer
check "infeasible" says 1 'the contacts contradict each other, most of all "' \
    "$tact" run "$work/squeeze.json" --trace "$work/out/squeeze.jsonl"
check "overlap at the start" sh -c "'$tact' run '$work/squeeze.json' 2>&1 | grep -q 'warning: 1 pair overlaps at the start, deepest \"ceiling\" and \"ball\" by 0.0[12]'"
check "its step is written" sh -c "tail -n 1 '$work/out/squeeze.jsonl' | grep -q '^{\"step\":1,.*\"q\":\[0,0,0.046875\],.*\"status\":\"infeasible\"'"
check "and is the last" sh -c "[ \$(wc -l <'$work/out/squeeze.jsonl') -eq 3 ]"

# check
check "check" prints "unactuated mass [kg]" "$tact" check "$scene"
check "check lists dofs" prints "ball.y" "$tact" check "$scene"
printf 'pairs\n  a      b     mu\n  table  ball  0.5\n  tip    ball  0.5\n\n' >"$work/pairs"
check "check lists pairs" sh -c "'$tact' check '$scene' | sed -n '/^pairs\$/,/^\$/p' | cmp - '$work/pairs'"
check "check lists limits and drives" sh -c "'$tact' check '$scene' | grep -q '^  0  *0  *0  *slide  *prismatic  *300  *0  *-1  *1  *0'"
check "check, refused" answers 2 "$tact" check "$scene" --set options.epsilon=-1

# where output goes wrong
if [ -w /dev/full ]; then
    check "full disk" says 3 "No space left" sh -c "'$tact' run '$scene' >/dev/full"
    check "full disk, help" says 3 "No space left" sh -c "'$tact' help >/dev/full"
    check "full disk, check" says 3 "No space left" sh -c "'$tact' check '$scene' >/dev/full"
    check "full disk, solve" says 3 "No space left" sh -c "echo '{}' | '$tact' solve >/dev/full"
    check "full disk, trace" says 3 "No space left" "$tact" run "$scene" --trace /dev/full
    check "full disk, trace to standard output" says 3 "No space left" sh -c "'$tact' run '$scene' --trace - >/dev/full"
else
    echo "skipped: full disk (no /dev/full)"
fi
check "closed standard output" says 3 "<stdout>: error: Bad file descriptor" sh -c "'$tact' run '$scene' >&-"
check "closed standard output is not the trace" answers 3 sh -c "'$tact' run '$scene' --trace '$work/out/closed.jsonl' >&- 2>/dev/null"
check "the trace is whole" sh -c "[ \$(wc -l <'$work/out/closed.jsonl') -eq 102 ]"
check "closed standard input" says 3 "<stdin>: error: Bad file descriptor" sh -c "'$tact' solve <&-"
check "closed standard error" answers 0 sh -c "'$tact' run '$scene' >/dev/null 2>&-"
check "closed standard error is not the trace" answers 1 sh -c "'$tact' run '$work/squeeze.json' --trace '$work/out/closed.jsonl' 2>&- >/dev/null"
check "the trace holds no messages" sh -c "[ \$(grep -c '^{' '$work/out/closed.jsonl') -eq 3 ] && [ \$(wc -l <'$work/out/closed.jsonl') -eq 3 ]"
check "closed pipe" sh -c "{ '$tact' run '$scene' --steps 50000 --trace - 2>'$work/said'; echo \$? >'$work/code'; } | head -n 1 >/dev/null; [ \$(cat '$work/code') -eq 3 ] && grep -q 'Broken pipe' '$work/said'"
check "file too large" says 3 "File too large" sh -c "ulimit -f 8; '$tact' run '$scene' --quiet --trace '$work/out/large.jsonl'"
check "and no file" sh -c "[ ! -e '$work/out/large.jsonl' ]"
check "no folder" says 3 "No such file" "$tact" run "$scene" --trace "$work/none/run.jsonl"
check "a folder as trace" says 3 "Is a directory" "$tact" run "$scene" --trace "$work/out"
ln -s "$work/target" "$work/link"
check "a link as trace" says 3 "symbolic link" "$tact" run "$scene" --trace "$work/link"
check "the link's target is not made" sh -c "[ ! -e '$work/target' ]"
check "the folder holds whole files only" files 3

# interrupts: no file, and the code
interrupted() { # SIGNAL CODE
    "$tact" run "$scene" --steps 10000000 --quiet --trace "$work/out/long.jsonl" 2>"$work/said" &
    job=$!
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ls "$work/out"/.tact-* >/dev/null 2>&1 && break
        kill -0 $job 2>/dev/null || break
        sleep 0.1
    done
    sleep 0.2
    kill -"$1" $job
    wait $job
    got=$?
    [ $got -eq "$2" ] || { echo "exit $got, wanted $2"; cat "$work/said"; return 1; }
}
room=$(df -Pk "$work" | awk 'NR == 2 { print $4 }')
if [ "$room" -gt 8000000 ]; then
    check "SIGINT" interrupted INT 130
    check "SIGINT leaves no file" files 3
    check "SIGTERM" interrupted TERM 143
    check "SIGTERM leaves no file" files 3
else
    echo "skipped: interrupts (too little room below $work)"
fi
waiting() {
    mkfifo "$work/problems"
    "$tact" solve <"$work/problems" &
    job=$!
    exec 3>"$work/problems"
    sleep 0.2
    kill -TERM $job
    wait $job
    got=$?
    exec 3>&-
    [ $got -eq 143 ] || { echo "exit $got"; return 1; }
}
check "SIGTERM while reading" waiting

test_end app
