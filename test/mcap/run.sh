#!/bin/sh
# SPDX-License-Identifier: MIT
# tact export against npm's @mcap/core and @foxglove/schemas in node: every record, checksum and index, the descriptors, and the
# values beside those of the trace.
cd "$(dirname "$0")/../.." || exit 1
. test/test.sh
home=$(pwd)/test/mcap
if [ ! "$home/node_modules/.package-lock.json" -nt "$home/package-lock.json" ]; then
    (cd "$home" && npm ci --ignore-scripts --no-audit --no-fund --silent) || exit 1
fi
for scene in hand_lift egg_cup pinched_rock lift_hex incline; do
    "$TACT" run "data/scenes/$scene.json" --steps 200 --quiet --trace "$work/run.jsonl"
    check "export of $scene" "$TACT" export "$work/run.jsonl" -o "$work/$scene.mcap"
    check "$scene in MCAP" node "$home/check.mjs" "$work/$scene.mcap" "$work/run.jsonl"
done
test_end mcap
