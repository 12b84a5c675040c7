#!/bin/sh
# SPDX-License-Identifier: MIT
# tact optimise and tact identify as a user meets them: results, files, exit codes, interrupts.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac
unset LC_ALL LC_NUMERIC LANG

mkdir "$work/out"

# a ball on a table, 6 cm before the tip of a slide that turns
scene=$work/roll.json
cat >"$scene" <<'END'
{ "tact": 1, "name": "roll", "options": { "kappa": 2000, "margin": 0.3 },
  "bodies": [
    { "name": "base", "parent": "world", "joint": { "name": "slide", "type": "prismatic", "axis": [1, 0, 0], "limits": [0, 0.15] } },
    { "name": "arm", "parent": "base", "joint": { "name": "turn", "type": "revolute", "axis": [0, 0, 1], "limits": [-0.5, 0.5],
      "xyz": [-0.25, 0, 0.04] } },
    { "name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0],
      "joint": { "name": "ball", "type": "free" } } ],
  "shapes": [
    { "name": "table", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0 },
    { "name": "tip", "body": "arm", "type": "sphere", "radius": 0.01, "xyz": [0.14, 0, 0] },
    { "name": "ball", "body": "ball", "type": "sphere", "radius": 0.04 } ],
  "pairs": [ { "a": "table", "b": "ball", "mu": 0.5 }, { "a": "tip", "b": "ball", "mu": 0.4 } ],
  "drives": [ { "joint": "slide", "stiffness": 300 }, { "joint": "turn", "stiffness": 2 } ],
  "state": { "q": { "slide": 0.015625, "ball": [0, 0, 0.0402, 1, 0, 0, 0] } },
  "goal": { "body": "ball", "position": [0.07, 0.01, 0.0402], "horizon": 60, "knots": 3 } }
END

# optimise
check "reaches its goal" sh -c "'$tact' optimise '$scene' --trace '$work/out/a.jsonl' --output '$work/out/a.json' >'$work/table'"
check "and says so" grep -q "m from its goal: reached" "$work/table"
check "table begins with hold" grep -q "^  0  *1  " "$work/table"
check "two files" files 2
check "the scene written is good" answers 0 "$tact" check "$work/out/a.json"
check "its run is the one recorded" sh -c "'$tact' run '$work/out/a.json' --steps 60 --quiet --trace - | cmp - '$work/out/a.jsonl'"
check "its commands are laid out in lines" grep -q '^      "slide": \[0.015625, ' "$work/out/a.json"
check "limits are kept" sh -c "'$tact' run '$work/out/a.json' --steps 0 2>&1 >/dev/null | grep -c outside | grep -qx 0"
check "the same answer twice" sh -c "'$tact' optimise '$scene' 2>/dev/null | cmp - '$work/table'"
check "no time in the table" answers 1 grep -q " s, " "$work/table"
check "scene from standard input, scene to standard output" sh -c "'$tact' optimise - --output - <'$scene' 2>'$work/said' | cmp - '$work/out/a.json'"
check "then the table is on standard error" grep -q reached "$work/said"
check "quiet" sh -c "[ -z \"\$('$tact' optimise '$scene' --quiet 2>&1)\" ]"
check "settings are in the scene written" sh -c "'$tact' optimise '$scene' --quiet --set goal.position=[0.05,0,0.0402] --set goal.knots=2 \
    --law barrier --output - | grep -q '\"position\": \[0.05,0,0.0402\]'"
check "not reached" says 1 "" "$tact" optimise "$scene" --iterations 0 --output "$work/out/b.json"
check "not reached, but written" grep -q "not reached" "$work/stdout"
check "hold is the start" grep -q '"slide": \[0.015625, 0.015625, 0.015625, 0.015625\]' "$work/out/b.json"
check "out of reach" answers 1 "$tact" optimise "$scene" --quiet --set goal.position=[2,0,0.0402]
check "nothing within reach" says 1 "no command moves the body" "$tact" optimise "$scene" --set options.margin=0.01
check "far from the ball, links that are drawn to it" says 1 "goal.reach=10 draws them to it" "$tact" optimise "$scene" --iterations 0
check "not where they are beside it" sh -c "'$tact' optimise '$scene' --iterations 0 --set state.q.slide=0.055 2>&1 | grep 'nearer goal' | grep -qv 'goal.reach'"
check "three files" files 3

# a hand in another folder than the scene written
check "the hand rolls the ball" answers 0 "$tact" optimise data/scenes/roll_to_goal.json --quiet --output "$work/out/hand.json"
check "its robot is found from there" sh -c "cd / && '$tact' run '$work/out/hand.json' --steps 200 >'$work/table' 2>&1"
mkdir "$work/out/deep" && mv "$work/out/hand.json" "$work/out/deep"
check "and not from elsewhere" answers 3 "$tact" check "$work/out/deep/hand.json"
rm -r "$work/out/deep"
check "beside the scene its name stays" sh -c "cp -r data '$work/data' && '$tact' optimise '$work/data/scenes/roll_to_goal.json' --quiet \
    --output '$work/data/scenes/rolled.json' && grep -qF '\"../robots/robotis_5f_hand.json\"' '$work/data/scenes/rolled.json'"

# refused
check "no goal" says 2 "the scene has no goal" "$tact" optimise data/scenes/lesson.json
check "nothing driven" says 2 "no driven joint" "$tact" optimise data/scenes/ball_drop.json --set 'goal={"body":"ball","position":[0,0,0]}'
check "a bad goal" says 2 '/goal/body: error: no body "bull" (did you mean "ball"?)' "$tact" optimise "$scene" --set goal.body=bull
check "a bad number" says 4 "must be a whole number" "$tact" optimise "$scene" --iterations=-1
check "the scene itself" says 4 "is the input itself" "$tact" optimise "$scene" --output "$scene"
check "one file for two" says 4 "are the same file" "$tact" optimise "$scene" --output "$work/x" --trace "$work/x"
check "no such scene" says 3 "No such file" "$tact" optimise "$work/none.json"
check "no such folder" says 3 "No such file" "$tact" optimise "$scene" --output "$work/none/a.json"
check "no such folder for the trace" says 3 "No such file" "$tact" optimise "$scene" --trace "$work/none/a.jsonl"
if [ -e /dev/full ]; then check "full disk" says 3 "No space left" sh -c "'$tact' optimise '$scene' >/dev/full"; fi
# a second table over the ball that leaves no room for it
sed -e 's|"shapes": \[|&{ "name": "lid", "body": "world", "type": "plane", "normal": [0, 0, -1], "offset": -0.07 },|' \
    -e 's|"pairs": \[|&{ "a": "lid", "b": "ball", "mu": 0.5 },|' "$scene" >"$work/squeeze.json"
check "a first step without answer" says 1 "step 1: infeasible" "$tact" optimise "$work/squeeze.json" --output "$work/out/c.json"
check "three files still" files 3

# identify: a run of known friction and mass, from starts that are 50 % off
run=$work/out/a.jsonl
finds() { # VALUES... -- ARGUMENTS...: standard output holds each value, to 6 digits
    values=
    while [ "$1" != -- ]; do values="$values $1"; shift; done
    shift
    "$tact" identify "$@" >"$work/table" 2>&1 || { echo "exit $?"; cat "$work/table"; return 1; }
    awk -v values="$values" '
        BEGIN { n = split(values, wanted, " ") }
        /^  (mu|mass) / { got[++m] = $3 }
        END { for (i = 1; i <= n; i++) { d = got[i] - wanted[i]; if (i > m || d > 1e-6 || d < -1e-6) exit 1 } }' "$work/table" ||
        { cat "$work/table"; return 1; }
}
single=$("$tact" --version | grep -c single)
if [ "$single" -eq 0 ]; then
    check "friction and mass" finds 0.5 0.4 0.5 -- "$work/out/a.json" "$run" --mu table,ball --mu ball,tip --mass ball \
        --set pairs.0.mu=0.25 --set pairs.1.mu=0.6 --set bodies.2.mass=0.75
    check "converged" grep -qx converged "$work/table"
    check "from the other side" finds 0.5 0.4 0.5 -- "$scene" "$run" --mu table,ball --mu tip,ball --mass ball \
        --set pairs.0.mu=0.75 --set pairs.1.mu=0.2 --set bodies.2.mass=0.25
    # the other laws have velocities, and their derivatives
    for law in rigid virtual; do
        "$tact" run data/scenes/pusher.json --law $law --steps 40 --quiet --trace "$work/$law.jsonl" >/dev/null
        check "mass, law $law" finds 0.01 -- data/scenes/pusher.json "$work/$law.jsonl" --law $law --mass block --set bodies.1.mass=0.02
    done
    "$tact" run data/scenes/slide_hex.json --steps 300 --quiet --trace "$work/hex.jsonl" >/dev/null
    check "friction, law virtual" finds 0.5 -- data/scenes/slide_hex.json "$work/hex.jsonl" --mu body,plane --set pairs.0.mu=0.3
fi
# the rigid law: a pusher on which the block leans
cat >"$work/lean.json" <<'END'
{ "tact": 1, "name": "lean", "law": "rigid", "gravity": [-2, 0, 0], "bodies": [
    { "name": "pusher", "parent": "world", "mass": 0.01, "joint": { "name": "pusher", "type": "prismatic", "axis": [1, 0, 0] } },
    { "name": "block", "parent": "world", "mass": 0.01, "joint": { "name": "block", "type": "prismatic", "axis": [1, 0, 0] } } ],
  "shapes": [ { "name": "tip", "body": "pusher", "type": "sphere", "radius": 0.02, "xyz": [-0.02, 0, 0] },
    { "name": "block", "body": "block", "type": "box", "size": [0.2, 0.2, 0.2] } ],
  "pairs": [ { "a": "tip", "b": "block", "mu": 0 } ], "drives": [ { "joint": "pusher", "stiffness": 20, "damping": 0.5 } ],
  "state": { "q": { "pusher": 0, "block": 0.1005 } }, "command": { "mode": "fixed", "q": { "pusher": 0.1 } },
  "goal": { "body": "block", "position": [0.35, 0, 0], "horizon": 60, "knots": 4, "tolerance": 0.005 } }
END
check "law rigid" answers 0 "$tact" optimise "$work/lean.json"
check "reaches its goal" sh -c "'$tact' optimise '$work/lean.json' | grep -q 'from its goal: reached'"
check "mass alone" answers 0 "$tact" identify "$scene" "$run" --mass ball --set bodies.2.mass=0.6
check "trace from standard input" sh -c "'$tact' identify '$scene' - --mass ball <'$run' | grep -q '60 steps'"
check "iteration limit" answers 1 "$tact" identify "$scene" "$run" --mass ball --set bodies.2.mass=0.6 --iterations 1
check "nothing to identify" says 4 "give --mu or --mass" "$tact" identify "$scene" "$run"
check "no trace given" says 4 "too few arguments" "$tact" identify "$scene" --mass ball
check "no such body" says 2 'no body "bal" (did you mean "ball"?)' "$tact" identify "$scene" "$run" --mass bal
check "no such pair" says 2 'no pair of shapes "ball"' "$tact" identify "$scene" "$run" --mu ball
check "given twice" says 2 "given twice" "$tact" identify "$scene" "$run" --mu tip,ball --mu ball,tip
check "begins at 0" says 2 "must begin above 0" "$tact" identify "$scene" "$run" --mu tip,ball --set pairs.1.mu=0
check "not determined" says 1 "does not determine mass arm" "$tact" identify "$scene" "$run" --mass arm --set bodies.1.mass=1
check "no such trace" says 3 "No such file" "$tact" identify "$scene" "$work/none.jsonl" --mass ball
check "another model" says 2 "another model" "$tact" identify data/scenes/pusher.json "$run" --mass block
check "another time step" says 2 "the trace has a time step of 0.01 s, the scene one of 0.02 s: --set options.dt=0.01" \
    "$tact" identify "$scene" "$run" --mass ball --set options.dt=0.02
# each second line, numbered anew, as tact mpc has one a tick
awk 'NR == 1 || NR % 2 == 0' "$run" | awk 'NR > 1 { sub(/"step":[0-9]*/, "\"step\":" NR - 2) } { print }' >"$work/ticks.jsonl"
"$tact" run data/scenes/ten_boxes.json --law rigid --steps 3 --quiet --trace "$work/other_law.jsonl" >/dev/null
check "another law" says 2 'the trace is of the law rigid, the scene of barrier: --law rigid' "$tact" identify data/scenes/ten_boxes.json \
    "$work/other_law.jsonl" --mass "body 1"
check "a body in a shape's place" says 2 '"arm,ball" (--mu takes two shapes of a pair' "$tact" identify "$scene" "$run" --mu arm,ball
check "a line a tick" says 2 "the trace has a line every 0.02 s and its steps are of 0.01 s" "$tact" identify "$scene" "$work/ticks.jsonl" --mass ball
head -n 2 "$run" >"$work/short.jsonl"
check "no two steps" says 2 "no two steps" "$tact" identify "$scene" "$work/short.jsonl" --mass ball
{ head -n 20 "$run" && echo '{"step":19,'; } >"$work/cut.jsonl"
check "a bad line" says 2 "cut.jsonl:21" "$tact" identify "$scene" "$work/cut.jsonl" --mass ball
sed 5d "$run" >"$work/gap.jsonl"
check "a gap in the trace" sh -c "'$tact' identify '$scene' '$work/gap.jsonl' --mass ball | grep -q '58 steps'"

# goals beyond a position, methods and starts
check "fewer iterations by ilqr" sh -c "'$tact' optimise '$scene' 2>&1 | grep -q 'knots by ilqr' &&
    a=\$('$tact' optimise '$scene' --method ilqr 2>&1 | awk 'NF == 6 && /^  [0-9]/ { n = \$1 } END { print n }') &&
    b=\$('$tact' optimise '$scene' --method lbfgs 2>&1 | awk 'NF == 6 && /^  [0-9]/ { n = \$1 } END { print n }') && echo \$a \$b && [ \$a -lt \$b ]"
check "no such method" says 4 '--method: must be auto, ilqr or lbfgs (found "newton")' "$tact" optimise "$scene" --method newton
check "not by this law" says 2 "only the barrier law has it" "$tact" optimise data/scenes/push_to_goal.json --method ilqr
check "the rigid law feels nothing before contact" says 1 "no forces before contact: search with --law barrier" "$tact" optimise "$scene" --law rigid
check "terms" says 0 "" "$tact" optimise "$scene" --set 'goal.terms=[{"joint":"turn","value":0.05,"tolerance":0.05},{"a":"tip","b":"ball","most":20,"time":0.1,"until":0.6}]'
check "of a joint" grep -Eq "^  turn .* from its goal: reached" "$work/stdout"
check "of a force" grep -Eq "^  tip .* N outside its bounds: reached" "$work/stdout"
check "a pose and a waypoint, not reached" says 1 "" "$tact" optimise "$scene" --iterations 1 --set goal.orientation=[0,0,0,1] \
    --set 'goal.terms=[{"body":"ball","position":[0.02,0,0.0402],"time":0.3},{"a":"table","b":"ball","slip":1,"tolerance":1e-9}]'
check "its angle" grep -Eq "rad from its goal: not reached" "$work/stdout"
check "its time" grep -Eq "m from its goal at 0.3 s: " "$work/stdout"
check "its slip" grep -Eq "m of slip in a step: " "$work/stdout"
check "only terms" answers 0 "$tact" optimise "$scene" --quiet --set 'goal={"terms":[{"joint":"slide","value":0.1}],"horizon":10,"knots":2}'
check "from its own trajectory" sh -c "'$tact' optimise '$work/out/a.json' --start scene >'$work/table' && grep -Eq '^  0 .* 0\.' '$work/table'"
check "no worse at the start" sh -c "awk '\$1 == 0 && NF == 6 { exit !(\$6 < 1.01) }' '$work/table'"
check "from hold there is nothing" says 0 "the scene commands to hold" "$tact" optimise "$scene" --start scene
check "from a trace" sh -c "'$tact' optimise '$scene' --start '$work/out/a.jsonl' >'$work/table' && awk '\$1 == 0 && NF == 6 { exit !(\$6 < 5) }' '$work/table'"
printf '[0.05, 0.01]\n{"u": [0.06, 0.02]}\n' >"$work/commands.jsonl"
check "from lines" answers 0 "$tact" optimise "$scene" --start "$work/commands.jsonl"
printf '[0.05, 0.01]\n[1]\n' >"$work/commands.jsonl"
check "a short line" says 2 "commands.jsonl:2:1: /: error: expected 2 numbers, found 1" "$tact" optimise "$scene" --start "$work/commands.jsonl"
printf '{"v": [1, 2]}\n' >"$work/commands.jsonl"
check "a line without commands" says 2 'key "u" is missing' "$tact" optimise "$scene" --start "$work/commands.jsonl"
: >"$work/commands.jsonl"
check "no lines" says 2 "no commands in" "$tact" optimise "$scene" --start "$work/commands.jsonl"
check "no such start" says 3 "No such file" "$tact" optimise "$scene" --start "$work/none.jsonl"
# lines of a trace are taken by their times: at twice the time step the start is as near to the goal
check "another time step" sh -c "'$tact' optimise '$scene' --start '$work/out/a.jsonl' --set options.dt=0.02 --set goal.horizon=30 --iterations 0 >'$work/table' 2>&1;
    awk '\$1 == 0 && NF == 6 { found = \$6 < 5 } END { exit !found }' '$work/table'"
check "half of the time" says 1 "has commands for 0.6 s, of which the plan takes its first 0.3 s: --set goal.horizon=60" \
    "$tact" optimise "$scene" --start "$work/out/a.jsonl" --set goal.horizon=30 --iterations 0
check "a goal that is reached already" says 0 "the goal is reached by holding still: goal.tolerance 0.1 m" \
    "$tact" optimise "$scene" --set goal.tolerance=0.1
check "the tolerance of tact mpc serves, too" says 0 "the goal is reached by holding still: goal.tolerance 0.1 m" \
    "$tact" optimise "$scene" --set goal.position_tolerance=0.1
check "not where there is another" sh -c "! '$tact' optimise '$scene' --set goal.position_tolerance=0.1 --set goal.tolerance=0.002 \
    --iterations 3 2>&1 | grep -q 'holding still'"
check "a goal that nothing driven reaches" says 1 "the goal of cube is out of reach: it lies 0.3 m beyond where any driven link" \
    "$tact" optimise data/scenes/allegro_cube.json --set goal.position=[0,0,0.5] --iterations 1
check "is not advised of a search" sh -c "! '$tact' optimise data/scenes/allegro_cube.json --set goal.position=[0,0,0.5] --iterations 1 2>&1 |
    grep -q 'goal.reach'"
check "bodies that are thrown are not told so" sh -c "! '$tact' optimise data/scenes/two_balls.json --iterations 1 2>&1 | grep -q 'out of reach'"
check "many starts" sh -c "'$tact' optimise '$scene' --starts 3 --seed 5 >'$work/many' && grep -c '^  [012]  *[0-9]* ' '$work/many' | grep -qx 3"
check "the same again" sh -c "'$tact' optimise '$scene' --starts 3 --seed 5 2>/dev/null | cmp - '$work/many'"
check "not by another seed" sh -c "! '$tact' optimise '$scene' --starts 3 --seed 6 2>/dev/null | cmp -s - '$work/many'"
check "starts without answer" sh -c "'$tact' optimise '$work/squeeze.json' --starts 2 2>&1 | grep -q 'step 1: infeasible'"
# the effort of stiff drives outweighs the goal: hold has the least loss, another start ends nearest
check "starts, none of which reaches" answers 1 "$tact" optimise "$scene" --starts 6 --seed 5 --iterations 0 --set goal.effort=10
check "the one nearest to the goal is kept" sh -c "awk '/^  [0-5] / { if (!n++ || \$7 < least) { least = \$7; off = \$6 } if (n == 1 || \$4 < loss) { loss = \$4; lost = \$7 } }
    / m from its goal/ { kept = \$2 } END { exit !(n == 6 && kept == off && lost > least) }' '$work/answer' || { cat '$work/answer'; false; }"
sed 's/, { "a": "tip", "b": "ball", "mu": 0.4 }//' "$scene" >"$work/unpaired.json"
for command in "optimise" "mpc --time 0.1"; do
    check "a body without a pair, $command" says 1 'no pair of ball with a driven link, so that none can move it: add one to "pairs", as {"a": "tip", "b": "ball"}' \
        "$tact" $command "$work/unpaired.json"
done
check "the margin is told" says 1 "tip and ball begin 0.0443752 m apart, the margin is 0.01 m: try --set options.margin=0.067" \
    "$tact" optimise "$scene" --set options.margin=0.01

# interrupts: the best so far, in whole files
interrupted() { # SIGNAL CODE SECONDS...: after the first of these that left a file
    "$tact" optimise "$scene" --iterations 100000 --set goal.horizon=20000 --set goal.knots=200 --output "$work/out/long.json" 2>"$work/said" &
    job=$!
    sleep "$3"
    kill -"$1" $job
    wait $job
    got=$? signal=$1 wanted=$2
    [ $got -eq "$wanted" ] || { echo "exit $got, wanted $wanted"; cat "$work/said"; return 1; }
    shift 3
    [ $# -eq 0 ] || [ -e "$work/out/long.json" ] || interrupted "$signal" "$wanted" "$@"
}
check "SIGINT" interrupted INT 130 0.5 3 20
check "says so" sh -c "grep -q . '$work/out/long.json' && rm '$work/out/long.json'"
check "SIGTERM" interrupted TERM 143 0.5 3 20
check "leaves the best so far" answers 0 "$tact" check "$work/out/long.json"

test_end optimise
