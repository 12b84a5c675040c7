#!/bin/sh
# SPDX-License-Identifier: MIT
# Against MuJoCo, npm's @mujoco/mujoco in node: scenes as tact convert writes them have the poses of tact fk, models as tact import
# reads them have MuJoCo's masses and poses, and the controller of
# tact mpc reaches its goals there.
cd "$(dirname "$0")/../.." || exit 1
. test/test.sh
home=$(pwd)/test/mujoco
if [ ! "$home/node_modules/.package-lock.json" -nt "$home/package-lock.json" ]; then
    (cd "$home" && npm ci --ignore-scripts --no-audit --no-fund --silent) || exit 1
fi
TACT_NODE=$home
export TACT_NODE

# a check that prints how far apart the two are
measure() { # NAME COMMAND...
    check "$@"
    cat "$work/output"
}
# shellcheck disable=SC2046,SC2086
check "inertia compiles" ${CC:-cc} -Wall -Wextra -Werror test/mujoco/inertia.c -Iinclude "$BUILD/libtact.a" $(pkg-config --libs libcjson expat) \
    -lm -o "$work/inertia"
for scene in allegro_cube hand_lift cube_in_hand egg_cup box_stack four_bar; do
    measure "poses of $scene" node "$home/compare.mjs" "$TACT" "data/scenes/$scene.json"
done
for model in ../shared/data/mjcf/*/*.xml; do
    # keyframes.xml is but a part of a model
    case $model in *'*'*) echo "skipped: ../shared/data/mjcf is not there" ;; */keyframes.xml) ;; *) measure "import of $model" node "$home/import.mjs" "$TACT" "$model" "$work/inertia" ;; esac
done
for model in test/mujoco/models/*.xml; do measure "import of $model" node "$home/import.mjs" "$TACT" "$model" "$work/inertia"; done
check "dry friction of joints" node "$home/friction.mjs" "$TACT" test/mujoco/models/dry.xml
for scene in allegro_cube hand_lift; do
    mkdir -p "$work/$scene"
    "$TACT" convert "data/scenes/$scene.json" -o "$work/$scene/$scene.urdf" 2>/dev/null
    measure "$scene as URDF" node "$home/import.mjs" "$TACT" "$work/$scene/$scene.urdf" "$work/inertia"
done
robotiq=../shared/data/mjcf/robotiq_2f85/2f85.xml
if [ -f $robotiq ]; then
    check "four-bars of $robotiq" node "$home/loops.mjs" "$TACT" $robotiq
else
    echo "skipped: $robotiq is not there"
fi
check "a quarter turn" "$TACT" mpc data/scenes/allegro_cube.json --plant mujoco
check "quarter turns" "$TACT" mpc data/scenes/allegro_cube.json --plant mujoco --random 5 --within 90 --seed 2
check "with other friction and mass, noise and delay" "$TACT" mpc data/scenes/allegro_cube.json --plant mujoco --random 3 --within 90 --seed 3 \
    --plant-set mu=0.4 --plant-set bodies.0.mass=0.13 --noise-joint 0.02 --noise-position 0.003 --delay 0.02
test_end mujoco
