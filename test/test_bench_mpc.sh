#!/bin/sh
# SPDX-License-Identifier: MIT
# tact bench --mpc in its short form, what disturbs a plant, and random goals of other kinds.
. test/test.sh
scene=data/scenes/allegro_cube.json

check "two tasks" answers 0 "$TACT" bench --mpc --tasks fingertips-yaw-90,lid --goals 2 --json
check "a row for each" sh -c "grep -c '^{\"table\":\"mpc\",\"task\":\"[a-z0-9-]*\",\"plant\":\"rigid\",\"goals\":2,\"inside\":[0-2],\"strict\":2,\"Jin\":2,\"drops\":0,\"failed\":0,\"stalls\":0,' '$work/answer' | grep -qx 2"
sed 's/"ms median".*worst":[0-9.]*//' "$work/answer" >"$work/first"
# with sanitizers, which look at the code and not at the goals, these are enough
if [ -z "${SAN:-}" ]; then
    check "again" answers 0 "$TACT" bench --mpc --tasks fingertips-yaw-90,lid --goals 2 --json
    check "the same but for the times" sh -c "sed 's/\"ms median\".*worst\":[0-9.]*//' '$work/answer' | cmp - '$work/first'"
    check "with another seed" answers 0 "$TACT" bench --mpc --tasks fingertips-yaw-90,lid --goals 2 --json --seed 2
    check "another" sh -c "! sed 's/\"ms median\".*worst\":[0-9.]*//' '$work/answer' | cmp -s - '$work/first'"
    check "as a table with its sources" answers 0 "$TACT" bench --mpc --tasks capsule --goals 1
    check "the published figures" grep -q '96.5 %, 11 deg, 7.8 mm \[1\]$' "$work/answer"
    check "and where they stand" grep -q '^\[1\] Jin 2024, arXiv 2408.07855' "$work/answer"
    check "goals one after another" answers 0 "$TACT" bench --mpc --tasks cube-endless --goals 1 --json
    check "in seven trials" grep -q '"goals":7,.*"in a row":1,' "$work/answer"
    check "a hull, a ball, a T and a bucket" answers 0 "$TACT" bench --mpc --tasks hull-yaw,ball-yaw,push-t,bucket --goals 1 --json
    check "all reached" sh -c "grep -c '\"strict\":1,' '$work/answer' | grep -qx 4"
    check "three arms, five fingers and a mug" answers 0 "$TACT" bench --mpc --tasks trifinger-yaw-180,hand-,mug --goals 2 --seed 2 --json
    check "reach theirs, too" sh -c "grep -c '\"strict\":2,' '$work/answer' | grep -qx 5"
fi
# a plant whose fingers let go of all that they hold
check "what is dropped or stalls is counted" answers 0 "$TACT" bench --mpc --tasks fingertips-air --goals 2 --plant-friction -100 --json
check "as such" grep -q '"strict":0,"Jin":0,"drops":0,"failed":0,"stalls":2,' "$work/answer"
check "which do not let go of it otherwise" answers 0 "$TACT" bench --mpc --tasks fingertips-air --goals 2 --json
check "lift and turn it" grep -q '"strict":2,' "$work/answer"
check "a plant without an answer" answers 0 "$TACT" bench --mpc --tasks lid --goals 1 --plant barrier --plant-size 100 --json
check "has failed, with the error before" grep -q '"drops":0,"failed":1,"stalls":0,"degrees":[1-9]' "$work/answer"
# scenes that are sought beside the command, where there are none
mkdir -p "$work/bin/bare"
cp "$TACT" "$work/bin/bare/tact"
check "scenes that are not there" answers 3 sh -c "cd '$work/bin/bare' && ./tact bench --mpc --tasks lid --goals 1"
check "are named" grep -q "^allegro_lid: error: No such file or directory" "$work/said"
check "and what they are" grep -q "lid-180: the scene allegro_lid, which comes along, is not beside this command" "$work/said"
check "without an empty table" [ ! -s "$work/answer" ]

# how far random goals are from the start, which lies 3.9 mm below the scene's goal: tilted cubes are raised until a corner touches
# the palm, at most (sqrt(3) 23 + 2 - 25) mm above the cube at rest
"$TACT" mpc $scene --random 20 --any --within 180 --time 0 --json >"$work/far"
check "goals are not within the palm" awk -F'"position":|,"time"' '
    { bad = bad || $2 < 0.0038 || $2 > 0.0169; raised += $2 > 0.006 }
    END { exit bad || NR != 20 || raised < 10 }' "$work/far"
"$TACT" mpc $scene --random 20 --within 180 --time 0 --json >"$work/far"
check "nor raised without need" awk -F'"position":|,"time"' '
    { bad = bad || $2 < 0.0038 || $2 > 0.004 } END { exit bad || NR != 20 }' "$work/far"

# starts are turned so that the body stays where it is: the finger's ball not within the bar or the stem of the T
"$TACT" mpc data/scenes/push_t.json --random 200 --within 180 --time 0 --seed 2027 --trace "$work/starts" >"$work/far"
check "starts that stay where they are" awk -F'"q":\\[|\\],"v"' '
    function box(x, y, cx, cy, hx, hy) {
        x = (x > cx ? x - cx : cx - x) - hx
        y = (y > cy ? y - cy : cy - y) - hy
        return x > 0 && y > 0 ? sqrt(x * x + y * y) : x > y ? x : y
    }
    /"step"/ {
        split($2, q, ",")
        c = q[7] * q[7] - q[10] * q[10]
        s = 2 * q[7] * q[10]
        x = c * q[1] + s * q[2]
        y = c * q[2] - s * q[1]
        bad = bad || box(x, y, 0, 0.015, 0.06, 0.015) < 0.011 || box(x, y, 0, -0.045, 0.015, 0.045) < 0.011
        count++
    }
    END { exit bad || count != 200 }' "$work/starts"
check "a ball that nothing holds" answers 1 "$TACT" mpc data/scenes/allegro_ball.json --random 2 --time 0.1 --set 'gravity=[9.81,0,0]'
check "is told" grep -q "in 2 of 2 goals the body did not stay where it was put for half a second" "$work/said"

# after a time in which a goal is reached, on a slow or busy machine, too
interrupted() { # SECONDS...
    "$TACT" bench --mpc --tasks lid-180,push-t --goals 100000 >"$work/table" 2>"$work/said" &
    process=$!
    sleep "$1"
    kill -TERM "$process"
    wait "$process"
    [ $? -eq 143 ] || return 1
    shift
    [ $# -eq 0 ] || grep -q '^  lid-180  *rigid  *[1-9]' "$work/table" || interrupted "$@"
}
check "an interrupt" interrupted 4 20 60
check "ends it with the table of what is done" grep -q '^  lid-180  *rigid  *[1-9]' "$work/table"
check "and says so" grep -q "interrupted: the table has what was done" "$work/said"

check "a task" says 4 "no task begins with \"cubes\" (there are cube-yaw-90, " "$TACT" bench --mpc --tasks cube-any,cubes
check "an empty word" says 4 "no task begins with " "$TACT" bench --mpc --tasks cube-any,
check "a scene" says 4 "it takes no SCENE" "$TACT" bench --mpc $scene
check "samples" says 4 "--samples: not with --mpc" "$TACT" bench --mpc --samples 10
check "goals of steps" says 4 "--goals: only with --mpc" "$TACT" bench --goals 10
check "no goal" says 4 "--goals: must be" "$TACT" bench --mpc --goals 0
check "a plant" says 4 "no plant" "$TACT" bench --mpc --plant gazebo
check "a factor" says 4 "--plant-size: must be a number within" "$TACT" bench --mpc --plant-size -60
check "a push in MuJoCo" says 4 "--push: not with --plant mujoco" "$TACT" bench --mpc --plant mujoco --push 1
check "a push without a body" says 2 "the scene has no goal" "$TACT" mpc data/scenes/lesson.json --push 1
check "turns of no goal" says 4 "--quarter: only with --random" "$TACT" mpc $scene --quarter
check "two kinds of turns" says 4 "--quarter: not with --within or --any" "$TACT" mpc $scene --random 1 --quarter --any
check "two sources of goals" says 4 "--random: not with --goals" "$TACT" mpc $scene --random 1 --goals -
check "any axis of a hinge" says 2 "the goal's body has no free joint" "$TACT" mpc data/scenes/allegro_lid.json --random 1 --any
check "a slide" says 2 "neither a free joint nor a continuous one" "$TACT" mpc data/scenes/pusher.json --random 1 \
    --set 'goal={"body":"block","position":[0,0,0]}'

# the same plant said in another way; times of solves differ
same() { # SCENE SHORT... -- LONG...
    given=$1 short='' long=''
    shift
    while [ "$1" != -- ]; do short="$short $1" && shift; done
    shift
    long=$*
    # shellcheck disable=SC2086
    "$TACT" mpc "data/scenes/$given.json" --time 2 $short | sed 's/; solves.*//' >"$work/short"
    # shellcheck disable=SC2086
    "$TACT" mpc "data/scenes/$given.json" --time 2 $long | sed 's/; solves.*//' >"$work/long"
    "$TACT" mpc "data/scenes/$given.json" --time 2 | sed 's/; solves.*//' >"$work/plain"
    cmp "$work/short" "$work/long" && ! cmp -s "$work/short" "$work/plain"
}
if [ "$REAL" = double ]; then
    check "friction" same allegro_ball --plant-friction 20 -- --plant-set mu=0.6
    check "mass" same allegro_ball --plant-mass 50 -- --plant-set bodies.0.mass=0.15 \
        --plant-set 'bodies.0.inertia=[5.4e-05,5.4e-05,5.4e-05,0,0,0]'
    check "size" same allegro_ball --plant-size -50 -- --plant-set shapes.0.radius=0.015 --plant-set 'bodies.0.inertia=[9e-06,9e-06,9e-06,0,0,0]'
fi
check "a larger hull begins above the palm" answers 0 "$TACT" mpc data/scenes/allegro_hull.json --plant-size 20
check "pushes" sh -c "'$TACT' mpc $scene --push 1 --time 1 >'$work/a'; '$TACT' mpc $scene --time 1 | cmp -s - '$work/a' && exit 1; exit 0"
check "quarters one after another" answers 0 "$TACT" mpc $scene --random 2 --quarter --endless
test_end bench-mpc
