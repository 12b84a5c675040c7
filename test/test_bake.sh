#!/bin/sh
# SPDX-License-Identifier: MIT
# tact bake: baked scenes step as loaded ones, to the bit. With the core in one file: test_amalgam.sh.
. test/test.sh
cc=${CC:-cc}
TACT=${TACT:-build/tact}
library=${BUILD:-build}
sanitizers=${SAN:+-fsanitize=address -fsanitize=undefined}
float=
[ "${REAL:-double}" = double ] || float=-DTACT_FLOAT
strict="-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wdouble-promotion -Wvla -Wstrict-prototypes -Werror"

# every scene of the repository
list=
for scene in data/scenes/*.json; do
    name=$(basename "$scene" .json)
    # constants list their pairs, of these a hundred thousand
    if grep -q '"max_contacts"' "$scene"; then continue; fi
    list="$list X($name)"
    check "bake $name" sh -c "'$TACT' bake '$scene' >'$work/$name.c'"
done
# shellcheck disable=SC2086
for real in "" -DTACT_FLOAT; do
    check "constants compile $real" $cc $strict $real -Iinclude -fsyntax-only "$work"/*.c
done
if echo 'struct pair { int a, b; } one = {.a = 1, .b = 2};' | g++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then
    # shellcheck disable=SC2086
    check "and as C++20" g++ -x c++ -std=c++20 -Wall $float -Iinclude -fsyntax-only "$work"/*.c
else
    echo "skipped: constants as C++20 (no g++ that knows it)"
fi
# shellcheck disable=SC2086
check "compare" $cc -std=c11 -O1 $float $sanitizers -Iinclude "-DBAKED=$list" -o "$work/compare" test/bake/compare.c \
    "$work"/*.c "$library/libtact$([ "${REAL:-double}" = double ] || echo f).so"
check "baked scenes step as loaded ones" env LD_LIBRARY_PATH="$library" "$work/compare" data/scenes

# what is refused, and names
refuse "no scene" "too few arguments" "$TACT" bake
refuse "no such scene" "absent.json" "$TACT" bake absent.json
refuse "a keyword as name" 'must be a free name in C, a letter before letters, digits and _ (found "int")' "$TACT" bake data/scenes/lesson.json --name int
refuse "a digit in front" "must be a free name in C" "$TACT" bake data/scenes/lesson.json --name 3d
refuse "a name of the library's" "must be a free name in C" "$TACT" bake data/scenes/lesson.json --name tact_step
sed 's/"name": "lesson"/"name": "2 hands, \\u00e4"/' data/scenes/lesson.json |
    sed "s|\.\./robots|$(pwd)/data/robots|" >"$work/odd.json"
check "a scene's name that C cannot hold" sh -c "'$TACT' bake '$work/odd.json' | grep -q 'const tact_model model_2_hands____;'"
sed 's/"name": "2 hands[^"]*"/"name": "2f85_can"/' "$work/odd.json" >"$work/digit.json"
check "a digit in front of the scene's name" sh -c "'$TACT' bake '$work/digit.json' --header | grep -q '^// The model model_2f85_can, declared'"

# a controller
check "goal and options of the controller" sh -c "'$TACT' bake data/scenes/allegro_cube.json --mpc --name cube >'$work/cube.c' &&
    grep -q '^const tact_pose_goal cube_goal = {.body = [0-9]*, .position = {TACT_REAL(-0.01), 0, TACT_REAL(0.04)}, .orientation = {TACT_REAL(0.707' '$work/cube.c'"
# shellcheck disable=SC2086
for real in "" -DTACT_FLOAT; do check "compile $real" $cc $strict $real -Iinclude -fsyntax-only "$work/cube.c"; done
check "its sizes" sh -c "'$TACT' bake data/scenes/allegro_cube.json --mpc --name cube --header | grep -A 4 '^enum' | grep -q 'cube_horizon = 8,'"
check "without --mpc none" sh -c "! '$TACT' bake data/scenes/allegro_cube.json | grep -q tact_pose_goal"
refuse "no goal to go to" "--mpc: the scene has no goal" "$TACT" bake data/scenes/lesson.json --mpc
refuse "a law by which none plans" "a controller plans by the barrier law: add --law barrier" "$TACT" bake data/scenes/flip_box.json --mpc \
    --set 'goal={"body":"box","position":[0,0,0.1]}'
check "header" sh -c "'$TACT' bake data/scenes/lesson.json --header --name hand >'$work/hand.h' && grep -q hand_work_size '$work/hand.h'"

test_end bake
