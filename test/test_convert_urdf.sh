#!/bin/sh
# SPDX-License-Identifier: MIT
# tact convert to URDF and a scene around it: read again, kinematics and masses are those of the scene; what URDF lacks is told.
. test/test.sh

tact=$(realpath "$TACT")
says() { # CODE WORD COMMAND...
    wanted=$1 word=$2
    shift 2
    "$@" >"$work/out" 2>"$work/said"
    code=$?
    [ $code = "$wanted" ] && grep -qF -- "$word" "$work/said" || { echo "exit $code"; cat "$work/said"; return 1; }
}
# single precision has digits of its own
double=true near=1e-12
[ "${REAL:-double}" = float ] && double=false near=1e-6
# every number of forward kinematics, by the names of bodies
same_poses() { # SCENE INPUT
    printf '%s\n' "$2" | "$tact" fk "$1" 2>"$work/said" | tr '{}[],:' '\n' >"$work/a"
    printf '%s\n' "$2" | "$tact" fk "$work/back.json" 2>>"$work/said" | tr '{}[],:' '\n' >"$work/b"
    [ -s "$work/a" ] && paste "$work/a" "$work/b" | awk -F'\t' -v near=$near '
        $1 == $2 { next }
        $1 !~ /^-?[0-9.]/ || $2 !~ /^-?[0-9.]/ { bad = 1 }
        { off = $1 - $2; if (off < 0) off = -off; if (off > near) bad = 1 }
        END { exit bad }' || { head -c 300 "$work/said"; diff "$work/a" "$work/b" | head -n 4; return 1; }
}
back() { # SCENE WORD: written, with a word on what is left out
    says 0 "$2" "$tact" convert "$1" -o "$work/back.urdf" --scene-to "$work/back.json"
}

check "an arm with a ball" back data/scenes/hand_lift.json "left out: a plane, which only a scene around it has (--scene-to): table"
check "its poses" same_poses data/scenes/hand_lift.json '{"q":{"slider_z":0.1,"finger_r_joint_1_thumb1":0.4,"finger_r_joint_3_middle2":0.7}}'
check "the table is in the scene" grep -qF '"type": "plane", "normal": [' "$work/back.json"
check "it steps" says 0 "" "$tact" run "$work/back.json" --steps 20
"$tact" run data/scenes/hand_lift.json --steps 20 2>&1 | grep '^  ball' >"$work/first"
"$tact" run "$work/back.json" --steps 20 2>&1 | grep '^  ball' >"$work/second"
check "and ends where it did" sh -c "[ -s '$work/first' ] && cmp '$work/first' '$work/second'"
check "a hand with a cube" back data/scenes/allegro_cube.json "left out: corner radius of box cube"
check "its poses, too" same_poses data/scenes/allegro_cube.json '{"q":{"ff_base_j":0.3,"th_base_j":0.9,"cube":[0.1,0.2,0.3,0.6,0,0.8,0]}}'
"$tact" import "$work/back.urdf" >"$work/robot.json" 2>"$work/said"
check "its cube has its mass" grep -q '"name": "cube", "parent": "world", "mass": 0.1,' "$work/robot.json"
$double && check "inertia" grep -qF '"inertia": [4.16666667e-5, 4.16666667e-5, 4.16666667e-5, 0, 0, 0]' "$work/robot.json"
# a limit of force is the joint's effort; a joint that follows another; a name to be quoted
cat >"$work/scene.json" <<END
{"tact":1,"bodies":[
{"name":"a<\"b&","parent":"world","mass":1,"com":[0,0.1,0],"inertia":[0.3,0.2,0.2,0.01,0.02,0.03],
 "joint":{"name":"j","type":"revolute","axis":[0,0.6,0.8],"xyz":[1,2,3],"rpy":[0.1,1.5707963267948966,-0.3],"limits":[-1,2]}},
{"name":"c","parent":"a<\"b&","mass":1,"inertia":[0.3,0.2,0.2,0,0,0],
 "joint":{"name":"k","type":"prismatic","axis":[1,0,0],"mimic":{"joint":"j","ratio":0.5,"offset":0.1}}},
{"name":"d","parent":"c","mass":1,"inertia":[0.3,0.2,0.2,0,0,0],"joint":{"name":"p","type":"planar"}}],
"shapes":[{"name":"s","body":"c","type":"capsule","radius":0.1,"length":0.3},{"name":"e","body":"c","type":"ellipsoid","radii":[1,2,3]}],
"drives":[{"joint":"j","stiffness":3,"force_limit":7}]}
END
check "a robot of all kinds" back "$work/scene.json" "left out: a shape that URDF does not have: e"
check "its effort" grep -qF 'effort="7"' "$work/back.urdf"
check "its drive" grep -qF '"joint": "j", "stiffness": 3, "damping": 0, "force_limit": 7' "$work/back.json"
$double && check "it follows" grep -qF '<mimic joint="j" multiplier="0.5" offset="0.1"/>' "$work/back.urdf"
$double && check "its capsule" grep -qF '<capsule radius="0.1" length="0.3"/>' "$work/back.urdf"
check "its poses at the pole of angles" same_poses "$work/scene.json" '{"q":{"j":0.7,"p":[0.1,0.2,0.3]}}'
sed 's/"planar"/"translation"/' "$work/scene.json" >"$work/other.json"
check "a translation is refused" says 2 "a joint that URDF does not have, a translation: p" "$tact" convert "$work/other.json" -o "$work/no.urdf"
check "nothing was written" sh -c "[ ! -e '$work/no.urdf' ]"
check "a scene around MJCF" says 4 "--scene-to goes with -o FILE.urdf" "$tact" convert "$work/scene.json" -o "$work/no.xml" --scene-to "$work/no.json"
test_end convert_urdf
