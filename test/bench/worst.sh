#!/bin/sh
# SPDX-License-Identifier: MIT
# sh test/bench/worst.sh PROGRAM COUNT SEED: of COUNT hostile steps of a scene of each law (test/bench/worst.c) how they were
# answered, and the instructions of a step with the median and one with the most iterations, counted by callgrind.
set -u
program=$1 count=$2 seed=$3 status=0
command -v valgrind >/dev/null || { echo "worst: needs valgrind: make setup"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

instructions() { # SCENE NUMBER
    valgrind --tool=callgrind --callgrind-out-file="$work/out" --collect-atstart=no --toggle-collect=worst_step \
        "$program" "$1" 1 "$seed" "$2" 2>&1 >"$work/said" | sed -n 's/.*Collected : //p'
}

for name in hand_lift allegro_cube block_on_slope newton_cradle lift_two_pushers flip_box; do
    scene=data/scenes/$name.json
    "$program" "$scene" "$count" "$seed" >"$work/steps" || { cat "$work/steps"; status=1; continue; }
    law=$(sed -n 's/.*"law": *"\([a-z]*\)".*/\1/p' "$scene")
    read -r _ middle _ usual <<END
$(sed -n '/^median/p' "$work/steps")
END
    read -r _ most _ worst <<END
$(sed -n '/^most/p' "$work/steps")
END
    echo "$name (${law:-barrier}), $count steps: $(head -n 1 "$work/steps")"
    echo "    iterations: median $middle, most $most; instructions: $(instructions "$scene" "$usual"), $(instructions "$scene" "$worst")"
done
exit $status
