#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the figures of the README: sh docs/figures.sh TACT TEST_KAPPA
set -eu
tact=$1 kappa=$2
LC_ALL=C
export LC_ALL
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$tact" render data/scenes/hand_lift.json --step 300 -o docs/grasp.svg
"$tact" render data/scenes/two_fingers_disc.json --step 800 --animate -o docs/disc.svg
"$tact" plot data/scenes/hand_lift.json --steps 300 --what forces,gaps --only ball -o docs/lift.svg
"$tact" plot data/scenes/lift_hex.json --steps 130 --body body --vary options.temperature=0,0.0005,0.001,0.005 -o docs/lift_hex.svg
# virtual contacts of a hexagon tilted by 0.05: particles with and without what drives them apart
tilted="--set state.q.body=[0,1.334899,0.05] --set options.spread=0.1 --width 480 --height 400"
for manifold in stein descent; do
    "$tact" render data/scenes/lift_roll_hex.json --contacts --set options.manifold=$manifold $tilted -o docs/hexagon_$manifold.svg
done
"$tact" qcqp --scene data/scenes/cart_stop.json --trace "$work/stop.jsonl" >"$work/answer"
"$tact" plot "$work/stop.jsonl" --what q,v,u,forces -o docs/cart_stop.svg

# how far the barrier step is from its limit, over kappa: two scenes
"$kappa" | awk '/^[a-z_]+$/ { scene = $1 } /^ +[0-9]/ { print scene "," $1 "," $2 "," }' >"$work/kappa.csv"
awk -v title="distance of the barrier step from the convex complementarity solution" -v across="kappa [1/J]" -v up="m, rad" \
    -v series="," -v logarithmic=1 -f test/bench/plot.awk "$work/kappa.csv" "$work/kappa.csv" >docs/kappa.svg
