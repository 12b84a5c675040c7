#!/bin/sh
# SPDX-License-Identifier: MIT
# The rigid law at the command line: what it prints, refuses and says.
. test/test.sh
unset LC_ALL LC_NUMERIC LANG
LC_ALL=C
export LC_ALL

says() { # TEXT: on standard error
    grep -qF -- "$1" "$work/said" || { echo "no $1 in"; cat "$work/said"; return 1; }
}
holds() { # TEXT: in the last answer
    grep -qF -- "$1" "$work/answer" || { echo "no $1 in"; head -c 2000 "$work/answer"; return 1; }
}

for scene in cart two_carts newton_cradle box_stack block_on_slope lesson hand_lift incline ball_drop pusher two_fingers_disc \
    cube_in_hand roll_to_goal; do
    check "$scene runs" answers 0 "$TACT" run "data/scenes/$scene.json" --law rigid --steps 20
    check "$scene has energies" holds "energy [J]"
done
check "a trace has energies" answers 0 "$TACT" run data/scenes/cart.json --steps 1 --trace - --quiet
check "kinetic and potential" holds '"energy":['
cp "$work/answer" "$work/cart.jsonl"

check "no answer" answers 1 "$TACT" run data/scenes/painleve_rod.json
check "is said" says 'unsolvable: no force stops what friction pulls into each other, "floor" and "tip"'
check "two answers" answers 1 "$TACT" run data/scenes/painleve_rod.json --set 'state.v.rod=[-4,1.34164078649987,6]' --steps 2
check "are said" says "1 of 2 steps have a second answer"

cat >"$work/carried.json" <<'END'
{"tact":1,"name":"carried","law":"rigid","bodies":[
{"name":"carrier","parent":"world","mass":1,"joint":{"name":"slide","type":"prismatic","axis":[1,0,0],"limits":[-1,1]}},
{"name":"rider","parent":"carrier","mass":1,"inertia":[1,1,1,0,0,0],"joint":{"name":"rider","type":"free"}}]}
END
refuse "a free joint on a body that moves" "the rigid law has no such joint" "$TACT" run "$work/carried.json"
check "which is exit 2" answers 2 "$TACT" run "$work/carried.json"

check "derivatives" answers 0 "$TACT" grad data/scenes/cart.json
check "by q and v" holds '"C":[-'
check "and parameters" holds '"parameters":{"mu":[{"shape":"bumper"'
check "no answer, no derivatives" answers 1 "$TACT" grad data/scenes/painleve_rod.json
check "bench" answers 0 "$TACT" bench data/scenes/cart.json --samples 3
# a sphere on a slide across the plane that it sticks to: one freedom cannot do what normal and tangents ask; along the normal or
# without friction it can
cat >"$work/slide.json" <<'END'
{ "tact": 1, "name": "slide", "law": "rigid",
  "bodies": [ { "name": "b", "parent": "world", "mass": 1, "inertia": [0.01, 0.01, 0.01, 0, 0, 0],
                "joint": { "name": "j", "type": "prismatic", "axis": [-0.19, -0.162, -1.127], "limits": [-1, 1] } } ],
  "shapes": [ { "name": "g", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0 },
              { "name": "s", "body": "b", "type": "sphere", "radius": 0.1, "xyz": [0, 0, 0.1] } ],
  "pairs": [ { "a": "g", "b": "s", "mu": 0.5 } ] }
END
check "no derivative where contacts contradict each other" answers 1 "$TACT" grad "$work/slide.json" --steps 1
check "it says so" line 1 '"status":"singular"'
check "one where they do not" answers 0 "$TACT" grad "$work/slide.json" --steps 1 --set pairs.0.mu=0
check "the sphere does not leave the plane" grep -qE '"A":\[-?[0-9.]+(e-[0-9]+)?,-?[0-9.e-]+,-(100|99\.9+[0-9]*|100\.0+[0-9]*)' "$work/answer"

# an Allegro hand and a cube, all pairs but those that are joined: every step has its answer
hand=../shared/cases/allegro_rigid.json
if [ -e $hand ]; then
    check "a hand with all its pairs" answers 0 "$TACT" run $hand --law rigid --steps 100
    check "converges in each of 100 steps" grep -q '^  status  *100 converged$' "$work/answer"
else
    echo "skipped: $hand is not there"
fi
test_end rigid.sh
