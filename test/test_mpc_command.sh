#!/bin/sh
# SPDX-License-Identifier: MIT
# tact mpc as a user meets it: goals of the scene, of files and at random, plants, JSON, traces, messages and exit codes.
. test/test.sh
scene=data/scenes/allegro_cube.json
json='^{"id":[0-9]*,"success":true,"angle":[0-9.e-]*,"position":[0-9.e-]*,"time":[0-9.]*,"dropped":false,"late":[0-9]*,"unanswered":0,"solve_ms":{"median":[0-9.e-]*,"p99":[0-9.e-]*,"worst":[0-9.e-]*}}$'

check "a quarter turn" answers 0 "$TACT" mpc $scene
check "and says so" grep -q "^goal 1: reached after" "$work/answer"
check "within what" grep -q "mm off (tolerances: 20 mm, 14 degrees, for 2 s); solves" "$work/answer"
check "no warning of its time" sh -c "! grep -q -e --time '$work/said'"
check "under the barrier law, too" answers 0 "$TACT" mpc $scene --plant barrier
goals=$([ "$few" ] && echo 1 || echo 3)
check "half turns and tilts" answers 0 "$TACT" mpc $scene --random $goals --within 180 --any --seed 4 --json
check "a line for each" sh -c "grep -c '$json' '$work/answer' | grep -qx $goals"
cp "$work/answer" "$work/first"
check "again" answers 0 "$TACT" mpc $scene --random $goals --within 180 --any --seed 4 --json
strip='s/,"late".*//'
check "the same but for the time of solves" sh -c "sed '$strip' '$work/first' >'$work/a'; sed '$strip' '$work/answer' | cmp - '$work/a'"

printf '%s\n' '{"id":"left","state":{"q":{"cube":[-0.02,0,0.0361,0.92388,0,0,0.38268]}},"goal":{"body":"cube","position":[-0.01,0,0.04],"orientation":[1,0,0,0]}}' \
    '{"id":7,"goal":{"body":"cub","position":[0,0,0]}}' '{"id":8,"goal":{"body":"cube","position":[0,0,0],"orientation":[2,0,0,0]}}' \
    '{"id":9,"goal":{"body":"cube","position":[-0.01,0,0.04]}}' >"$work/goals"
check "a file of goals, two of them bad" answers 1 "$TACT" mpc $scene --goals "$work/goals" --json
check "with their ids" grep -q '^{"id":"left","success":true' "$work/answer"
check "a misspelt body" grep -q '^{"id":7,"error":".*no body \\"cub\\" (did you mean \\"cube\\"?)"}' "$work/answer"
check "a length that is not 1" grep -q 'norm 2: must be 1 within 1e-3 (w, x, y, z)' "$work/answer"
check "any orientation will do" grep -q '^{"id":9,"success":true,"angle":0,' "$work/answer"
check "from standard input" sh -c "head -n 1 '$work/goals' | '$TACT' mpc $scene --goals - --json | grep -q success"
printf "%s\n" '{"goal":{"body":"cube","position":[-0.01,0,0.3]}}' >"$work/high"
check "a goal out of reach above" answers 1 "$TACT" mpc $scene --goals "$work/high" --time 0.5
check "is not reached, and nothing is dropped" grep -q "not reached after 0.5 s" "$work/answer"
check "told beforehand, with what is within reach" grep -q 'of cube is out of reach: it lies 0.1 m beyond .* within 0.2[0-9]* m of (' "$work/said"
check "one within reach is not" sh -c "! '$TACT' mpc $scene --time 0.1 2>&1 | grep -q 'out of reach'"
check "a goal missed" answers 1 "$TACT" mpc $scene --time 0.5 --set goal.tolerance=0.03
check "tells its tolerances, of optimise's word, too" grep -q "mm off (tolerances: 30 mm, 14 degrees, for 2 s); solves" "$work/answer"
check "solves without an answer" answers 1 "$TACT" mpc data/scenes/allegro_lid.json --set shapes.0.radius=0.06 --time 0.2 --json
check "are counted" grep -q '"unanswered":[1-9]' "$work/answer"
check "and warned of" grep -q "solves a planning step had no answer" "$work/said"
check "a goal that is reached already" answers 0 "$TACT" mpc $scene --set goal.angle_tolerance=2
check "is told so" grep -q "reached (it began within its tolerances: 20 mm, 115 degrees) after" "$work/answer"
check "the time of its hold does not suffice" says 1 '--time 2: too little, as a goal is reached when the body has been within its tolerances for goal.hold, 2.5 s' \
    "$TACT" mpc $scene --time 2 --set goal.hold=2.5 --set goal.position=[0,0,0.09]
check "nor of goals of a file" says 1 '--time 0.5: too little' "$TACT" mpc $scene --time 0.5 --goals "$work/high"
check "a turn in radians" says 1 'mpc: warning: --within 1.57: degrees are meant; 1.57 rad are 90 degrees' "$TACT" mpc $scene --random 1 --within 1.57 --time 0.1
for turn in 1.25 0.7 1; do
    check "a turn of $turn degrees" sh -c "'$TACT' mpc $scene --random 1 --within $turn --time 0 2>&1 | grep -q 'degrees are meant' && exit 1 || exit 0"
done
check "too little time" answers 1 "$TACT" mpc $scene --time 0.5
check "says how far off" grep -q "^goal 1: not reached after 0.5 s" "$work/answer"
check "another friction, mass, noise and delay" answers 0 "$TACT" mpc $scene --plant-set mu=0.4 --plant-set bodies.0.mass=0.13 \
    --noise-joint 0.02 --noise-position 0.003 --noise-angle 0.03 --delay 0.02 --seed 2
check "the contact trust region bounds moves, too" answers 0 "$TACT" mpc $scene --set mpc.region=contact --json
check "a region that is none" answers 2 "$TACT" mpc $scene --set mpc.region=sphere
check "with those there are" grep -q "allowed: box, contact" "$work/said"
check "fingers that cross" answers 0 "$TACT" mpc $scene --seed 1
check "the pair is advised" grep -qE 'add [{] "a": "[^"#]*", "b": "[^"#]*" [}] to its "pairs"' "$work/said"
check "are told" grep -q 'mpc: warning: shapes pass through each other, which the scene lists no pairs for: .* overlap at the end, deepest "' "$work/said"
check "not with all pairs" answers 0 "$TACT" mpc $scene --set 'pairs="auto"' --set mu=0.5
check "of which none is told" sh -c "! grep -q 'pass through' '$work/said'"
# no solve takes less than a microsecond
check "late solves" answers 1 "$TACT" mpc $scene --rate 1000000 --time 0.0002
check "are told, of one goal, too" grep -q "solves took longer than the tick of 0.001 ms" "$work/said"
check "a trace" answers 0 "$TACT" mpc $scene --trace "$work/run.jsonl"
check "that can be plotted" answers 0 "$TACT" plot "$work/run.jsonl" -o "$work/run.svg" --only cube
# a line is in the file as soon as it is made
ended() { # SIGNAL: what the trace of a run that the signal ends has
    echo old >"$work/cut.jsonl"
    "$TACT" mpc $scene --random 1000 --trace "$work/cut.jsonl" >"$work/out" 2>&1 &
    for _ in $(seq 300); do
        [ "$(wc -l <"$work/cut.jsonl")" -lt 10 ] || break
        sleep 0.05
    done
    kill -"$1" $!
    wait $! 2>"$work/out"
    [ "$(wc -l <"$work/cut.jsonl")" -ge 10 ] && answers 0 "$TACT" plot "$work/cut.jsonl" -o "$work/run.svg" --only cube
}
check "a run that is killed leaves its trace" ended KILL
check "one that is interrupted, too" ended TERM
check "and nothing else" sh -c "! ls -A '$work' | grep -q '^[.]tact'"

# roadmaps
check "a roadmap" answers 0 "$TACT" roadmap $scene -o "$work/map" --nodes 4 --neighbours 2 --threads 2
check "says what it has" grep -q "^4 grasps of [0-9]* samples, [0-8] of 8 extensions succeeded" "$work/answer"
cp "$work/map" "$work/whole"
head -c 2500 "$work/whole" >"$work/map"
check "goes on after it was killed" answers 0 "$TACT" roadmap $scene -o "$work/map" --nodes 4 --neighbours 2 --threads 1
check "and says so" grep -q "roadmap: resumed with [0-4] of 4 grasps and" "$work/said"
check "with the same bytes" cmp "$work/map" "$work/whole"
check "other options are refused" answers 2 "$TACT" roadmap $scene -o "$work/map" --nodes 5
check "with the file's name" grep -q "map: error: was begun with other options" "$work/said"
check "a goal by way of it" answers 0 "$TACT" mpc $scene --roadmap "$work/map" --random 1 --within 180 --any --json
check "says how many grasps" grep -q '"dropped":false,"legs":[0-9]*,' "$work/answer"
check "of another scene" answers 2 "$TACT" mpc data/scenes/allegro_ball.json --roadmap "$work/map"
check "is refused" grep -q "map:1:[0-9]*: /model: error: this is the roadmap of another scene" "$work/said"
check "without a file" answers 4 "$TACT" roadmap $scene
check "a scene without a goal" answers 2 "$TACT" roadmap data/scenes/hand_lift.json -o "$work/none"

# a plant whose lid stands in the fingers has no first step
lid="data/scenes/allegro_lid.json --plant barrier --plant-size 100"
# shellcheck disable=SC2086 # several words
check "a plant without an answer" answers 1 "$TACT" mpc $lid
check "is said to have failed, how and where" grep -q "^goal 1: failed (step 1 of the plant: infeasible) after 0.0 s: [1-9]" "$work/answer"
# shellcheck disable=SC2086
check "in JSON" answers 1 "$TACT" mpc $lid --json
check "too, with the errors before" grep -q '"success":false,"angle":[0-9.]*[1-9][0-9]*,.*,"dropped":false,"failed":{"status":"infeasible","step":1},' "$work/answer"
# shellcheck disable=SC2086
check "is counted" sh -c "'$TACT' mpc $lid --random 2 2>&1 | grep -q 'mpc: 0 of 2 goals reached, 0 dropped, 2 failed'"

# time of the plant in the last line of a trace, within OFF
lasts() { # SECONDS OFF ARGUMENTS...
    wanted=$1 off=$2
    shift 2
    "$TACT" mpc $scene --time "$wanted" --trace "$work/time.jsonl" "$@" >"$work/out"
    tail -n 1 "$work/time.jsonl" | sed 's/.*"t":\([^,]*\),.*/\1/' |
        awk -v wanted="$wanted" -v off="$off" '{ d = $1 - wanted; exit !(d <= off && -d <= off) }'
}
check "steps of the plant fit the tick" lasts 0.5 1e-5 --rate 30
check "or what is left over is carried on" lasts 0.5 0.00151 --rate 30 --plant-scene $scene --plant-set options.dt=0.003
check "steps longer than a tick, too" lasts 0.5 0.01501 --rate 50 --plant-scene $scene --plant-set options.dt=0.03

# the rail's command, which begins at 0, goes within 3 rad/s x 0.001 m/rad x 0.5 s; otherwise as far as the joints do
rail() { # SLIDE
    "$TACT" mpc data/scenes/hand_cube.json --set "mpc.slide=$1" --time 0.5 --trace "$work/rail.jsonl" >"$work/out"
    sed -n 's/.*"u":\[\([^,]*\),.*/\1/p' "$work/rail.jsonl" | awk '{ x = $1 < 0 ? -$1 : $1; if (x > most) most = x } END { print most }'
}
check "a slide goes metres for radians" sh -c "awk -v x='$(rail 0.001)' 'BEGIN { exit !(x > 1e-5 && x < 0.0015001) }'"
check "one for one otherwise" sh -c "awk -v x='$(rail 1)' 'BEGIN { exit !(x > 0.01) }'"

# commands of the first three ticks are those of the start
held() {
    "$TACT" mpc $scene --delay 0.06 --time 0.2 --trace "$work/late.jsonl" >"$work/out"
    sed -n 's/.*"u":\[\([^]]*\)\].*/\1/p' "$work/late.jsonl" >"$work/u"
    [ "$(wc -l <"$work/u")" -ge 8 ] && [ "$(sed -n 1,4p "$work/u" | sort -u | wc -l)" -eq 1 ] && [ "$(sed -n 4,5p "$work/u" | sort -u | wc -l)" -eq 2 ]
}
check "commands come as late as is asked" held
check "a million of them under way" answers 1 timeout 30 "$TACT" mpc data/scenes/pusher.json --delay 1 --rate 1e6 --time 1e-5 \
    --set 'goal={"body":"block","position":[0,0,0]}'

check "no goal" says 2 "the scene has no goal" "$TACT" mpc data/scenes/lesson.json
check "another robot as the plant" says 2 "joints are not those" "$TACT" mpc $scene --plant-scene data/scenes/hand_lift.json
check "no such plant" says 4 "no plant" "$TACT" mpc $scene --plant gazebo
check "a rate" says 4 "--rate: must be a number within" "$TACT" mpc $scene --rate 0
check "a key" says 2 'there is no "horzon" in what is to be added (did you mean "horizon"?)' "$TACT" mpc $scene --set mpc.horzon=3
check "a tick longer than a planning step" says 2 "a tick may not be longer than dt" "$TACT" mpc $scene --set 'mpc={"rate":5}'
if [ -e /dev/full ]; then check "full disk" says 3 "No space left" sh -c "'$TACT' mpc $scene --time 0.1 >/dev/full"; fi
test_end mpc-command
