#!/bin/sh
# SPDX-License-Identifier: MIT
# tact mpc as a user meets it: goals of the scene, of files and at random, plants, JSON, traces, messages and exit codes.
. test/test.sh
scene=data/scenes/allegro_cube.json
json='^{"id":[0-9]*,"success":true,"angle":[0-9.e-]*,"position":[0-9.e-]*,"time":[0-9.]*,"dropped":false,"late":[0-9]*,"solve_ms":{"median":[0-9.e-]*,"p99":[0-9.e-]*,"worst":[0-9.e-]*}}$'

check "a quarter turn" answers 0 "$TACT" mpc $scene
check "and says so" grep -q "^goal 1: reached after" "$work/answer"
check "under the barrier law, too" answers 0 "$TACT" mpc $scene --plant barrier
check "half turns and tilts" answers 0 "$TACT" mpc $scene --random 3 --within 180 --any --seed 4 --json
check "a line for each" sh -c "grep -c '$json' '$work/answer' | grep -qx 3"
cp "$work/answer" "$work/first"
check "again" answers 0 "$TACT" mpc $scene --random 3 --within 180 --any --seed 4 --json
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
check "too little time" answers 1 "$TACT" mpc $scene --time 0.5
check "says how far off" grep -q "^goal 1: not reached after 0.5 s" "$work/answer"
check "another friction, mass, noise and delay" answers 0 "$TACT" mpc $scene --plant-set mu=0.4 --plant-set bodies.0.mass=0.13 \
    --noise-joint 0.02 --noise-position 0.003 --noise-angle 0.03 --delay 0.02 --seed 2
check "a trace" answers 0 "$TACT" mpc $scene --trace "$work/run.jsonl"
check "that can be plotted" answers 0 "$TACT" plot "$work/run.jsonl" -o "$work/run.svg" --only cube

check "no goal" says 2 "the scene has no goal" "$TACT" mpc data/scenes/lesson.json
check "another robot as the plant" says 2 "joints are not those" "$TACT" mpc $scene --plant-scene data/scenes/hand_lift.json
check "no such plant" says 4 "no plant" "$TACT" mpc $scene --plant gazebo
check "a rate" says 4 "--rate: must be a number within" "$TACT" mpc $scene --rate 0
check "a key" says 2 'there is no "horzon" in what is to be added (did you mean "horizon"?)' "$TACT" mpc $scene --set mpc.horzon=3
check "a tick longer than a planning step" says 2 "a tick may not be longer than dt" "$TACT" mpc $scene --set 'mpc={"rate":5}'
if [ -e /dev/full ]; then check "full disk" says 3 "No space left" sh -c "'$TACT' mpc $scene --time 0.1 >/dev/full"; fi
test_end mpc-command
