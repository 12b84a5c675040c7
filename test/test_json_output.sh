#!/bin/sh
# SPDX-License-Identifier: MIT
# tact run --json and tact bench --json: lines of JSON that a parser takes, with the figures of the tables.
. test/test.sh

scene=data/scenes/ball_drop.json
"$TACT" run $scene --steps 5 --json >"$work/run.json" 2>"$work/said"
"$TACT" run $scene --steps 5 --digits 17 >"$work/table" 2>/dev/null
"$TACT" run $scene --steps 5 --json --trace - >"$work/trace" 2>"$work/said_trace"
"$TACT" bench data/scenes/lesson.json --samples 3 --json >"$work/bench.jsonl"
"$TACT" bench data/scenes/lesson.json --samples 3 --lanes --json >"$work/lanes.jsonl"

check "run: one line" [ "$(wc -l <"$work/run.json")" -eq 1 ]
check "run: its counts" grep -q '"wanted":5,"steps":5,"converged":5,"iteration_limit":0,"ambiguous":0,"failure":null' "$work/run.json"
# position and way of the ball stand in the table, too
moved=$(sed -nE 's/.*"bodies":\{"ball":\{"p":\[([^]]*)\],"moved":([^,]*),.*/\1,\2/p' "$work/run.json")
check "run: the body" [ -n "$moved" ]
same() {
    for number in $(echo "$moved" | tr , ' '); do grep -q -- "$number" "$work/table" || { echo "no $number"; return 1; }; done
}
check "run: the table's numbers" same
"$TACT" run data/scenes/allegro_cube.json --steps 2 >"$work/loaded" 2>/dev/null
"$TACT" run data/scenes/lesson.json --law rigid --steps 5 --set options.margin=0.2 >"$work/table" 2>/dev/null
falls() { # the normal forces, largest first, and none with more than six digits
    sed -n '/normal force/,$p' "$work/loaded" | awk 'NF == 5 { n++; if (n > 1 && $4 > last) bad = 1; last = $4; if (length($4) > 12) bad = 1 }
        END { exit bad || n < 3 }'
}
check "run: contacts in the order of their forces" falls
check "run: those without load are counted" grep -qE '^  (and )?[0-9]+ without load$' "$work/table"
check "run: the trace on standard output, the result beside it" grep -q '^{"scene":' "$work/said_trace"
check "run: the trace is whole" [ "$(wc -l <"$work/trace")" -eq 7 ]
check "bench: rows" [ "$(grep -c '^{"table":"lesson","row":"[^"]*","median \[us\]":[0-9.]*,"least \[us\]"' "$work/bench.jsonl")" -eq 8 ]
check "bench: iterations of steps" [ "$(grep -c '"iterations":' "$work/bench.jsonl")" -eq 3 ]
check "bench: lanes" grep -q '^{"table":"lanes, warm","lanes":1,"step \[us\]":' "$work/lanes.jsonl"
parsed() {
    command -v python3 >/dev/null || { echo "skipped: no python3"; return 0; }
    python3 -c 'import json, sys
for name in sys.argv[1:]:
    for line in open(name): json.loads(line)' "$work/run.json" "$work/bench.jsonl" "$work/lanes.jsonl" "$work/said_trace.json"
}
grep '^{' "$work/said_trace" >"$work/said_trace.json"
check "all lines are JSON" parsed

test_end json_output
