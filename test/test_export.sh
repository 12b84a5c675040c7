#!/bin/sh
# SPDX-License-Identifier: MIT
# tact export: files of all kinds of shapes are whole, the same each time, and refusals leave none. What is in them is compared
# with the trace by `make test-mcap`.
. "$(dirname "$0")/test.sh"

for scene in hand_lift egg_cup pinched_rock lift_hex incline two_fingers_disc; do
    "$TACT" run "data/scenes/$scene.json" --steps 40 --quiet --trace "$work/run.jsonl" 2>/dev/null
    check "$scene" "$TACT" export "$work/run.jsonl" -o "$work/$scene.mcap"
    check "$scene again" sh -c "'$TACT' export - -o - <'$work/run.jsonl' | cmp - '$work/$scene.mcap'"
    check "$scene begins and ends with the magic" sh -c "test \$(head -c 8 '$work/$scene.mcap' | od -An -tx1 | tr -d ' ') = 894d434150300d0a &&
        test \$(tail -c 8 '$work/$scene.mcap' | od -An -tx1 | tr -d ' ') = 894d434150300d0a"
done
# several chunks
"$TACT" run data/scenes/hand_lift.json --steps 400 --quiet --trace "$work/long.jsonl" 2>/dev/null
check "a long run" "$TACT" export "$work/long.jsonl" -o "$work/long.mcap"
check "is more than one chunk" sh -c "test \$(wc -c <'$work/long.mcap') -gt 1500000"

refuse "no place" "-o FILE is missing" "$TACT" export "$work/run.jsonl"
refuse "a scene" "tact run SCENE --trace FILE writes one" "$TACT" export data/scenes/lesson.json -o "$work/none.mcap"
refuse "no such file" "No such file" "$TACT" export "$work/none" -o "$work/none.mcap"
refuse "no such folder" "No such file" "$TACT" export "$work/run.jsonl" -o "$work/none/run.mcap"
refuse "over what it reads" "" "$TACT" export "$work/run.jsonl" -o "$work/run.jsonl"
head -c 9000 "$work/long.jsonl" >"$work/broken.jsonl"
refuse "a broken trace" "broken.jsonl" "$TACT" export "$work/broken.jsonl" -o "$work/none.mcap"
head -n 1 "$work/long.jsonl" >"$work/empty.jsonl"
refuse "a trace without steps" "the trace has no steps" "$TACT" export "$work/empty.jsonl" -o "$work/none.mcap"
check "refusals leave no file" sh -c "[ ! -e '$work/none.mcap' ]"
sed '3s/"t":[^,]*/"t":1e30/' "$work/long.jsonl" >"$work/late.jsonl"
check "a time without end is told" sh -c "'$TACT' export '$work/late.jsonl' -o '$work/late.mcap' 2>&1 | grep -q 'after year 9999'"
test_end export
