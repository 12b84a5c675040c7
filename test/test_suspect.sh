#!/bin/sh
# SPDX-License-Identifier: MIT
# What is right and surely not meant is told once by check and run, and refused under --strict.
. test/test.sh

scene() { # PAIRS STATE INERTIA DRIVES
    cat <<END
{"tact": 1, "gravity": [0, 0, -9.81], "options": {"kappa": 100},
 "robots": [{"file": "arm.json"}],
 "bodies": [{"name": "ball", "parent": "world", "mass": 0.5, "inertia": [$3, $3, $3, 0, 0, 0],
             "joint": {"name": "ball", "type": "free"}}],
 "shapes": [{"name": "ball", "body": "ball", "type": "$5", $6},
            {"name": "cup", "body": "world", "type": "cylinder", "radius": 0.1, "length": 0.02}],
 $1,
 "drives": [$4], "state": {"q": {$2}}}
END
}
cat >"$work/arm.json" <<END
{"tact": 1, "bodies": [{"name": "arm", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0],
 "joint": {"name": "elbow_1", "type": "revolute", "axis": [0, 0, 1]}}], "shapes": []}
END
pairs='"pairs": [{"a": "cup", "b": "ball", "mu": 0.5}]' ball='"radius": 0.02' drive='{"joint": "elbow_*", "stiffness": 3}'
scene "$pairs" '"elbow_1": 1' 1e-4 "$drive" sphere "$ball" >"$work/good.json"

# expect NAME TEXT: one line, told by check and run, which go on, and refused under --strict with the same place
expect() {
    "$TACT" check "$work/$1.json" >"$work/out" 2>"$work/err"
    check "$1: check goes on" [ $? -eq 0 ]
    check "$1: told once by check" [ "$(grep -c "^$work/$1.json:[0-9]*:[0-9]*: $2" "$work/err")" = 1 ]
    check "$1: nothing else is told" [ "$(wc -l <"$work/err")" -eq 1 ]
    "$TACT" run "$work/$1.json" --steps 1 --quiet >"$work/out" 2>"$work/err"
    check "$1: told once by run" [ "$(grep -c "^$work/$1.json:[0-9]*:[0-9]*: $2" "$work/err")" = 1 ]
    "$TACT" check --strict "$work/$1.json" >"$work/out" 2>"$work/err"
    check "$1: refused under --strict" [ $? -eq 2 ]
    check "$1: without \"warning\"" [ "$(grep -c ": warning: " "$work/err")" = 0 ]
}

"$TACT" check --strict "$work/good.json" >"$work/out" 2>"$work/err"
check "a scene that is meant, under --strict" [ $? -eq 0 ]
check "and in silence" [ ! -s "$work/err" ]

scene "$pairs" '"elbow_1": 90' 1e-4 "$drive" sphere "$ball" >"$work/degrees.json"
expect degrees '/state/q/elbow_1: warning: more than a turn: angles are in radians (90 degrees are 1.571)'
scene "$pairs" '"ball": [0, 0, 0.1, 0, 0, 0, 1]' 1e-4 "$drive" sphere "$ball" >"$work/order.json"
expect order '/state/q/ball: warning: half a turn about z: the order is x y z w x y z'
scene "$pairs" '"elbow_1": 1' 5 "$drive" sphere "$ball" >"$work/inertia.json"
expect inertia '/bodies/0/inertia: warning: with its mass a radius of gyration of 3.873 m'
scene '"pairs": []' '"elbow_1": 1' 1e-4 "$drive" sphere "$ball" >"$work/alone.json"
expect alone '/bodies/0: warning: moves freely, and none of its shapes is in a pair'
scene "$pairs" '"elbow_1": 1' 1e-4 '' sphere "$ball" >"$work/undriven.json"
expect undriven '/robots/0: warning: none of its joints is driven'
scene '"mu": 0.5, "pairs": "auto"' '"elbow_1": 1' 1e-4 "$drive" cylinder '"radius": 0.1, "length": 0.1' >"$work/apart.json"
sed -i 's/"shapes": \[/&{"name": "floor", "body": "world", "type": "sphere", "radius": 0.01}, /' "$work/apart.json"
expect apart '/pairs: warning: 1 pair of shapes has no contact'

scene "$pairs" '"elbow_1": 1' 1e-4 '{"joint": "elbwo_*", "stiffness": 3}' sphere "$ball" >"$work/pattern.json"
"$TACT" check "$work/pattern.json" >"$work/out" 2>"$work/err"
check "a pattern without a joint is refused" [ $? -eq 2 ]
check "with its place and a suggestion" grep -q ':[0-9]*:[0-9]*: /drives/0/joint: "elbwo_\*" matches no joint that moves (did you mean "elbow_1"?)' "$work/err"

# the ball of the notebook's scene, whose margin is below the resting gap
"$TACT" run data/scenes/lesson.json --steps 205 --quiet 2>"$work/err"
check "a body between two states is told" grep -q 'warning: "ball.z" goes to and fro by 0.0098 from step to step' "$work/err"
"$TACT" run data/scenes/lesson.json --steps 205 --quiet --set options.margin=0.02 2>"$work/err"
check "one that rests is not" sh -c "! grep -q 'to and fro' '$work/err'"

test_end suspect
