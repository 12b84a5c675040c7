#!/bin/sh
# SPDX-License-Identifier: MIT
# tact new: scenes from a robot and an object that load, are explained by tact check, and step under two laws; what is refused.
. test/test.sh

mkdir -p "$work/hand/meshes" "$work/out"
# the tip of a finger: a block of 20 x 20 x 30 mm
cat >"$work/hand/meshes/tip.obj" <<END
v -0.01 -0.01 0
v 0.01 -0.01 0
v -0.01 0.01 0
v 0.01 0.01 0
v -0.01 -0.01 0.03
v 0.01 -0.01 0.03
v -0.01 0.01 0.03
v 0.01 0.01 0.03
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
END
finger() { # NAME Y AXIS
    cat <<END
  <link name="$1"><inertial><mass value="0.05"/><inertia ixx="1e-5" iyy="1e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.04"/><geometry><box size="0.02 0.02 0.06"/></geometry></collision></link>
  <joint name="$1_joint" type="revolute"><parent link="palm"/><child link="$1"/><origin xyz="0.01 $2 0.1"/><axis xyz="0 $3 0"/>
    <limit lower="0" upper="1.5" effort="$4" velocity="1"/></joint>
  <link name="$1_tip"><inertial><mass value="0.01"/><inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="meshes/tip.obj"/></geometry></collision></link>
  <joint name="$1_fixed" type="fixed"><parent link="$1"/><child link="$1_tip"/><origin xyz="0 0 0.07"/></joint>
END
}
# the palm lies in y and z, and the fingers, along z, close towards x
cat >"$work/hand/hand.urdf" <<END
<robot name="hand">
  <link name="base"><collision><origin xyz="0 0 0.05"/><geometry><box size="0.02 0.1 0.1"/></geometry></collision></link>
  <link name="palm"/>
  <joint name="palm_fixed" type="fixed"><parent link="base"/><child link="palm"/></joint>
$(finger left -0.03 1 2)
$(finger right 0.03 1 0)
</robot>
END
hand=$work/hand/hand.urdf out=$work/out
new() { "$TACT" new --robot "$hand" -o "$out/scene.json" "$@"; }
steps() { # LAW: every step converges
    "$TACT" run "$out/scene.json" --law "$1" --steps 60 --json >"$work/answer" 2>"$work/said" &&
        grep -qF '"converged":60,' "$work/answer" || { cat "$work/said" "$work/answer"; return 1; }
}
at_rest() { # LARGEST: the object has moved less than that
    sed 's/.*"moved":\([^,]*\),.*/\1/' "$work/answer" | awk -v most="$1" '{ exit !($1 < most) }' || { cat "$work/answer"; return 1; }
}
whole() { # LARGEST OPTIONS...: a scene is written, and is right
    most=$1
    shift
    new "$@" 2>"$work/told" || { cat "$work/told"; return 1; }
    "$TACT" check "$out/scene.json" >"$work/checked" 2>"$work/said" && [ ! -s "$work/said" ] || { cat "$work/said"; return 1; }
    steps barrier && at_rest "$most" && steps rigid && at_rest "$most"
}

check "a cube on the palm" whole 0.002 --object box:0.04x0.04x0.04 --on palm
check "the palm is turned up" grep -qF '"base": { "rpy": [0, -1.5707963267948966, 0] }' "$out/scene.json"
check "fits are told" grep -q '"left_tip".*: capsule of radius' "$work/told"
check "choices are told" grep -qF "100 steps converged under barrier and under rigid" "$work/told"
check "its mass" grep -qF '"mass": 0.064,' "$out/scene.json"
check "stiffness and limit by effort" grep -qF '{ "joint": "left_joint", "stiffness": 4, "force_limit": 2 }' "$out/scene.json"
check "stiffness without" grep -qF '{ "joint": "right_joint", "stiffness": 1 }' "$out/scene.json"
check "nothing overlaps" sh -c "! '$TACT' run '$out/scene.json' --steps 1 2>&1 | grep -q overlap"
check "check explains it" grep -qE "driven \(u\) +2" "$work/checked"
check "one file" files 1
# at the gap that was told, 1 % of its size, under the law that has gaps
rest_gap() {
    steps barrier || return 1
    tr '{' '\n' <"$work/answer" | sed -n 's/.*"gap":\([^,]*\),.*/\1/p' | sort -g | head -n 4 |
        awk '{ sum += $1 } END { exit !(NR == 4 && sum / 4 > 3e-4 && sum / 4 < 5e-4) }' || { cat "$work/answer"; return 1; }
}
check "the gap at rest" rest_gap
check "a cube on a table" whole 0.002 --object box:0.04x0.04x0.04
check "there is a table" grep -qF '"name": "table"' "$out/scene.json"
check "a sphere" whole 0.02 --object sphere:0.02 --on palm
check "a capsule" whole 0.02 --object capsule:0.015x0.03 --on base
check "it lies, and so does its inertia" sh -c "sed -n 's/.*\"inertia\": \\[\\([^]]*\\).*/\\1/p' '$out/scene.json' | tr ',' ' ' | awk '{ exit !(\$1 < 0.6 * \$2 && \$2 == \$3) }'"
check "a cylinder" whole 0.002 --object cylinder:0.02x0.04 --on palm --object-density 500 --mu 0.8
check "its mass by density" grep -qF '"mass": 0.0251327,' "$out/scene.json"
check "its friction" grep -qF '"mu": 0.8' "$out/scene.json"
check "other fits" whole 0.002 --object box:0.04x0.03x0.02 --on palm --fit sphere --fit 'right*=none'
check "they are in the scene" grep -qF '"fit": ["sphere", "right*=none"]' "$out/scene.json"
check "a goal" whole 0.002 --object box:0.04x0.04x0.04 --on palm --goal
check "it is read" sh -c "'$TACT' mpc '$out/scene.json' --time 0.1 >'$work/answer' 2>&1; [ \$? -le 1 ] && grep -q 'goal 1' '$work/answer'"
cp "$out/scene.json" "$work/goal.json"
# MJCF: two fingers on a palm, with a drive, a keyframe, and a shape that is called as the capsule's end
cat >"$work/hand/hand.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom type="box" size="0.05 0.05 0.05"/>
<body name="left" pos="0 -0.06 0.05"><joint name="lj" axis="1 0 0" range="0.2 1.5"/><geom name="l" friction="0.875" priority="1" type="capsule" size="0.01 0.02" pos="0 0 0.03"/>
<geom name="l_1" size="0.01" pos="0 0 0.06"/></body>
<body name="right" pos="0 0.06 0.05"><joint name="rj" axis="-1 0 0" frictionloss="0.001"/><geom type="capsule" size="0.01 0.02" pos="0 0 0.03"/></body></body></worldbody>
<actuator><position joint="lj" kp="7"/></actuator><keyframe><key name="home" qpos="0.5 0"/></keyframe></mujoco>
END
hand=$work/hand/hand.xml
check "MJCF" whole 0.002 --object box:0.02x0.02x0.02 --on palm
check "it begins at its keyframe" grep -qF '"state": { "keyframe": "home", "q": { "object"' "$out/scene.json"
check "its drive is its own" sh -c "! grep -qF '\"joint\": \"lj\"' '$out/scene.json'"
check "the other's is told" grep -qF '{ "joint": "rj", "stiffness": 1 }' "$out/scene.json"
check "the robot's own friction is told" grep -qF "new: 1 shape has friction of the robot's own, 0.875:" "$work/told"
check "spheres in a capsule's place have it" sh -c "grep '\"name\": \"l_end_1\"' '$out/scene.json' | grep -qF '\"mu\": 0.875, \"priority\": 1 }'"
"$TACT" check "$out/scene.json" >"$work/checked" 2>&1
check "and their pairs" grep -q '^ *l_end_1  *object  *0.875 *$' "$work/checked"
check "names that are taken" grep -qF '"name": "l_end_1", "body": "left"' "$out/scene.json"
# three fingers side by side that can turn into each other: guards are pairs of different fingers, of two jaws there are none
check "two fingers have no guards" sh -c "! grep -q '_guard\|keep fingers' '$out/scene.json' '$work/told'"
cat >"$work/hand/three.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom type="box" size="0.05 0.05 0.01"/>
<body name="f1" pos="0.06 -0.03 0"><joint name="j1" axis="0 0 1" range="-1 1"/><geom type="box" size="0.03 0.008 0.008" pos="0.03 0 0"/>
<body name="t1" pos="0.06 0 0"><joint name="k1" axis="0 1 0" range="-1.5 0"/><geom type="capsule" size="0.008 0.01" pos="0.015 0 0" quat="1 0 1 0"/></body></body>
<body name="f2" pos="0.06 0 0"><joint name="j2" axis="0 0 1" range="-1 1"/><geom type="box" size="0.03 0.008 0.008" pos="0.03 0 0"/></body>
<body name="f3" pos="0.06 0.03 0"><joint name="j3" axis="0 0 1" range="-1 1"/><geom type="box" size="0.03 0.008 0.008" pos="0.03 0 0"/></body>
</body></worldbody></mujoco>
END
hand=$work/hand/three.xml
check "three fingers" whole 0.002 --object box:0.03x0.03x0.03 --on palm
check "have guards" grep -qF '"a": "f2_guard", "b": "f3_guard", "mu": 0 }' "$out/scene.json"
check "which are told" grep -q '[0-9] pairs of links keep fingers from passing through each other' "$work/told"
check "a fingertip is its own" sh -c "! grep -q 't1_guard' '$out/scene.json'"
# turned into each other they stop, and pass through without guards
turned='command.q={"j1":0.6,"j2":-0.6,"j3":0}'
"$TACT" run "$out/scene.json" --set "$turned" --steps 200 --quiet --trace "$work/turned.jsonl" 2>/dev/null
first() { tail -1 "$work/turned.jsonl" | sed 's/.*"q":\[//; s/,.*//'; } # where j1 is, of 0.6 commanded
check "they stop each other" sh -c "echo '$(first)' | awk '{ exit !(\$1 > 0 && \$1 < 0.2) }'"
check "without guards" whole 0.002 --object box:0.03x0.03x0.03 --on palm --no-guards
check "there are none" sh -c "! grep -q _guard '$out/scene.json'"
"$TACT" run "$out/scene.json" --set "$turned" --steps 200 --quiet --trace "$work/turned.jsonl" 2>/dev/null
check "they pass through each other" sh -c "echo '$(first)' | awk '{ exit !(\$1 > 0.59) }'"
# a fingertip that folds back is stopped by the palm
cat >"$work/hand/fold.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom name="plate" type="box" size="0.05 0.05 0.01"/>
<body name="f1" pos="0.06 -0.042 0"><joint name="j1" axis="0 1 0" range="-1.5 0"/><geom type="box" size="0.03 0.006 0.006" pos="0.03 0 0"/>
<body name="t1" pos="0.06 0 0"><joint name="k1" axis="0 1 0" range="-3 0"/><geom name="tip" type="capsule" size="0.006 0.03" pos="0.04 0 0" quat="1 0 1 0"/></body></body>
<body name="f2" pos="0.06 0 0"><joint name="j2" axis="0 1 0" range="-1.5 0"/><geom type="box" size="0.03 0.008 0.008" pos="0.03 0 0"/></body>
<body name="f3" pos="0.06 0.03 0"><joint name="j3" axis="0 1 0" range="-1.5 0"/><geom type="box" size="0.03 0.008 0.008" pos="0.03 0 0"/></body>
</body></worldbody></mujoco>
END
hand=$work/hand/fold.xml
check "a fingertip that folds back" whole 0.002 --object box:0.02x0.02x0.02 --on palm
check "is guarded against the palm" grep -qF '"a": "plate", "b": "tip", "mu": 0 }' "$out/scene.json"
check "which is told" grep -q 'pairs of links keep fingers from passing through each other and the palm' "$work/told"
"$TACT" run "$out/scene.json" --set 'command.q={"j1":-1,"k1":-2.9,"j2":0,"j3":0}' --steps 200 --quiet --trace "$work/turned.jsonl" 2>/dev/null
check "it stops at the palm" sh -c "echo '$(first)' | awk '{ exit !(\$1 < -0.8 && \$1 > -0.95) }'"
# a palm with a ridge narrower than the cube, whose fingers close towards it and not towards the flat back
cat >"$work/hand/ridge.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom type="box" size="0.05 0.05 0.01"/>
<geom name="ridge" type="box" size="0.05 0.015 0.005" pos="0 0 -0.015"/>
<body name="left" pos="0.06 -0.02 0"><joint name="lj" axis="0 1 0" range="0 1.5"/><geom type="capsule" size="0.008 0.02" pos="0.03 0 0" quat="1 0 1 0"/></body>
<body name="right" pos="0.06 0.02 0"><joint name="rj" axis="0 1 0" range="0 1.5"/><geom type="capsule" size="0.008 0.02" pos="0.03 0 0" quat="1 0 1 0"/></body>
</body></worldbody></mujoco>
END
hand=$work/hand/ridge.xml
check "a cube on a ridge" whole 0.002 --object box:0.05x0.05x0.05 --on palm
check "it lies on it by its faces" grep -qF '{ "a": "ridge", "b": "object" }' "$out/scene.json"
check "on the side to which fingers close" grep -qF '"rpy": [3.141592653589793, 0, 0]' "$out/scene.json"
# without room there it lies on the back, which is told
sed 's#</worldbody>#<geom type="box" size="0.2 0.2 0.01" pos="0 0 -0.06"/><geom type="box" size="0.2 0.01 0.09" pos="0 0.08 0"/><geom type="box" size="0.2 0.01 0.09" pos="0 -0.08 0"/><geom type="box" size="0.01 0.2 0.09" pos="-0.08 0 0"/><geom type="box" size="0.01 0.2 0.09" pos="0.15 0 0"/></worldbody>#' "$hand" >"$work/hand/back.xml"
hand=$work/hand/back.xml
check "a cube on the back" whole 0.004 --object box:0.05x0.05x0.05 --on palm
check "it is told" grep -qF 'warning: the fingers close on the other side of "palm"' "$work/told"
hand=$work/hand/hand.urdf
cat >"$work/hand/ball.xml" <<END
<mujoco><worldbody><body name="arm"><joint axis="0 1 0"/><geom type="sphere" size="0.03"/></body></worldbody></mujoco>
END
# a palm of steps: a box that stands on three corners tips, and begins where it comes to rest
cat >"$work/hand/steps.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom type="box" size="0.05 0.05 0.01"/>
<geom type="box" size="0.02 0.02 0.004" pos="0.035 0.035 0.014"/>
<body name="left" pos="0.06 -0.02 0"><joint name="lj" axis="0 -1 0" range="0 1.5"/><geom type="capsule" size="0.008 0.02" pos="0.03 0 0" quat="1 0 1 0"/></body>
</body></worldbody></mujoco>
END
hand=$work/hand/steps.xml
check "a box on a step" whole 0.002 --object box:0.05x0.05x0.05 --on palm --goal --turn 30
hand=$work/hand/hand.urdf
sed 's/"palm"/"rh_palm"/' "$hand" >"$work/hand/right.urdf"
check "a word of the palm's name" says 0 'new: --on palm: body "rh_palm"' "$TACT" new --robot "$work/hand/right.urdf" --object box:0.04x0.04x0.04 --on palm -o "$out/scene.json"
check "a word of two names" says 2 '--on: no body "tip"' new --object sphere:0.02 --on tip
check "a goal by 30 degrees" new --object box:0.04x0.04x0.04 --on palm --goal --turn 30
check "of which the half is in its quaternion" grep -qE '"orientation": \[0.96592[0-9]*, 0, 0, 0.25881' "$out/scene.json"
check "planned contacts are a quarter as sharp as the scene's" sh -c "k=\$(sed -n 's/.*\"kappa\": \([0-9e+]*\), \"anchor.*/\1/p' '$out/scene.json') && sed -n 's/.*\"mpc\": { \"kappa\": \([0-9e+]*\), \"reach\": 10 }.*/\1/p' '$out/scene.json' | awk -v k=\$k '{ ok = \$1 > 0.24 * k && \$1 < 0.27 * k } END { exit !ok }'"
check "a turn in radians" says 0 "--turn 1.57: degrees are meant; 1.57 rad are 90 degrees" new --object box:0.04x0.04x0.04 --on palm --goal --turn 1.57
check "a turn of a degree and a half" sh -c "'$TACT' new --robot '$hand' --object box:0.04x0.04x0.04 --on palm --goal --turn 1.5 2>&1 >/dev/null | grep -q 'degrees are meant' && exit 1 || exit 0"
check "millimetres above" says 0 "--above 2: the unit is the metre" new --object sphere:0.02 --above 2
check "a density in g/cm^3" says 0 "--object-density 1: the unit is kg/m^3" new --object sphere:0.02 --object-density 1
check "no metal" says 0 "no metal has as many" new --object sphere:0.02 --object-density 40000
check "an object larger than the hand" says 0 "an object of 1 m beside a robot of 0.24 m" new --object box:1x0.02x0.02 --above 0.3
check "an object smaller than its corners" says 4 "too light for the barrier law: lengths are in metres" new --object box:0.001x0.001x0.001
check "--turn without --goal" says 4 "only with --goal" "$TACT" new --robot "$hand" --object sphere:0.02 --turn 30
sed 's#</worldbody>#<body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size="0.02"/></body></worldbody>#' "$work/hand/ridge.xml" >"$work/hand/own.xml"
check "a robot with an object of its own" says 2 'has a body of its own that nothing holds, "ball"' "$TACT" new --robot "$work/hand/own.xml" --object sphere:0.02 --on palm
check "nothing rests on a ball" says 2 "its shapes are round, and nothing rests there: --on table" "$TACT" new --robot "$work/hand/ball.xml" --object box:0.02x0.02x0.02 --on arm
hand=$work/hand/hand.urdf
check "a driven base" whole 0.002 --object box:0.04x0.04x0.04 --on palm --base driven
check "it is in the scene" grep -qF '"joint": "driven"' "$out/scene.json"
check "its six joints" sh -c "'$TACT' check '$out/scene.json' | grep -qE '^ *driven .u. +8\$'"
# a hand that does not topple
sed 's/size="0.02 0.1 0.1"/size="0.1 0.1 0.1"/' "$hand" >"$work/hand/wide.urdf"
hand=$work/hand/wide.urdf
check "a floating base" whole 0.01 --object box:0.04x0.04x0.04 --on table --base free
hand=$work/hand/hand.urdf
check "it lies on the table" grep -qF '{ "a": "base", "b": "table" }' "$out/scene.json"
check "a floating base bears nothing" says 4 "--base free: nothing holds the robot up" new --object sphere:0.02 --on palm --base free
check "an unknown base" says 4 '--base: unknown "floating"' new --object sphere:0.02 --on palm --base floating
cp "$work/goal.json" "$out/scene.json"
check "the same twice" sh -c "cp '$out/scene.json' '$work/first.json' && '$TACT' new --robot '$hand' --object box:0.04x0.04x0.04 --on palm --goal -o '$out/scene.json' 2>/dev/null && cmp '$out/scene.json' '$work/first.json'"
check "on standard output" sh -c "cd '$work' && '$(realpath "$TACT")' new --robot hand/hand.urdf --object sphere:0.02 --on palm 2>/dev/null | grep -qF '\"file\": \"hand/hand.urdf\"'"
"$TACT" import "$hand" --fit sphere >"$work/hand/hand.json" 2>/dev/null
check "a robot file without drives" says 2 "has no drives" "$TACT" new --robot "$work/hand/hand.json" --object sphere:0.02 --on palm
sed 's/^}$/, "drives": [ { "joint": "*", "stiffness": 3 } ] }/' "$work/hand/hand.json" >"$work/hand/driven.json"
check "a robot file" says 0 "100 steps converged" "$TACT" new --robot "$work/hand/driven.json" --object sphere:0.02 --on palm -o "$out/scene.json"

# the hull of a mesh: a wedge in millimetres, open and on its edge, which lies down on its largest side; from another folder
mkdir "$work/meshes"
printf 'v -20 0 -30\nv 20 0 -30\nv 0 25 -30\nv -20 0 30\nv 20 0 30\nv 0 25 30\nf 1 2 3\nf 4 6 5\nf 1 3 6 4\nf 2 5 6 3\n' >"$work/meshes/wedge.obj"
printf 'v -20 0 -30\nv 20 0 -30\nv 0 0 30\nv 0 0 10\nf 1 2 3\nf 1 2 4\n' >"$work/meshes/flat.obj"
wedge=$work/meshes/wedge.obj
check "a mesh on the palm" whole 0.002 --object "$wedge:0.001" --on palm --goal
check "its hull is told" grep -qF 'hull of 6 of the 6 points of ' "$work/told"
# 0.04 x 0.025/2 x 0.06 m of 1000 kg/m^3
check "its mass" grep -qF '"mass": 0.03,' "$out/scene.json"
# m l^2/12 along its length, m a^2/24 along its base, m h^2/18 along its height
check "its inertia" sh -c "sed -n 's/.*\"inertia\": \[\([^]]*\)\].*/\1/p' '$out/scene.json' | tr ',' ' ' | awk '{ l = 0.03 * 0.06^2 / 12; a = 0.03 * 0.04^2 / 24; h = 0.03 * 0.025^2 / 18
    exit !((\$1 - l - h)^2 < 1e-16 && (\$2 - a - h)^2 < 1e-16 && (\$3 - l - a)^2 < 1e-16 && \$4^2 + \$5^2 + \$6^2 < 1e-20) }'"
check "it lies on its base, its centre a third of the height above" grep -qE '"xyz": \[-?[0-9.e-]+, -?[0-9.e-]+, -0.0083333.*"quat": \[0.707' "$out/scene.json"
check "one pair of it with a box" grep -qF '{ "a": "base", "b": "object" }' "$out/scene.json"
check "the mesh is named as it was given, an absolute path" grep -qF "\"file\": \"$wedge\", \"scale\": 0.001" "$out/scene.json"
tact=$(realpath "$TACT")
(cd "$work" && "$tact" new --robot hand/hand.urdf --object meshes/wedge.obj:0.001 -o out/scene.json 2>told)
check "or from the scene's folder" grep -qF '"file": "../meshes/wedge.obj", "scale": 0.001' "$out/scene.json"
check "a mesh on a table" whole 0.002 --object "$wedge:0.001"
sed 's#<box size="0.02 0.1 0.1"/>#<cylinder radius="0.05" length="0.1"/>#' "$hand" >"$work/hand/round.urdf"
check "a cylinder does not touch it" says 0 '1 cylinder of the robot ("base") goes through the hull of a mesh: --contacts shapes' \
    "$TACT" new --robot "$work/hand/round.urdf" --object "$wedge:0.001" -o "$out/scene.json"
check "and is in no pair" sh -c "! grep -qF '{ \"a\": \"base\"' '$out/scene.json'"
check "all surfaces touch" sh -c "'$TACT' new --robot '$work/hand/round.urdf' --object '$wedge:0.001' --contacts shapes -o '$out/scene.json' 2>'$work/told' && ! grep -q 'go through' '$work/told'"
check "and the cylinder is in a pair" grep -qF '{ "a": "base"' "$out/scene.json"

# what is refused leaves the file as it was
cp "$out/scene.json" "$work/first.json"
check "no robot" says 4 "--robot is missing" "$TACT" new --object sphere:0.02
check "no object" says 4 "--object is missing" "$TACT" new --robot "$hand"
for object in ball:1 box:1x1 box:1x1x1x1 sphere: sphere:0 sphere:nan sphere:-1 sphere:1e9 box:0.1x0.1xa cylinder:0.1 capsule:0.1x0.1x0.1; do
    check "object $object" says 4 "--object: " new --object "$object"
done
check "a mesh in millimetres" says 4 'is 60 m long: the unit is the metre (FILE:0.001' new --object "$wedge"
check "a scale that is none" says 4 'the scale behind a mesh must be within' new --object "$wedge:mm"
check "a scale of 0" says 4 'the scale behind a mesh must be within' new --object "$wedge:0"
check "a flat mesh" says 2 'flat.obj: error: the points lie in one plane' new --object "$work/meshes/flat.obj:0.001"
check "no such mesh" says 3 'none.obj: error: No such file' new --object "$work/meshes/none.obj:0.001"
check "another file" says 4 'or the hull of a mesh: FILE.obj, .stl, .ply or .dae with its scale' new --object "$work/meshes/wedge.off"
check "no such body" says 2 'no body "plam" in' new --object sphere:0.02 --on plam
check "a suggestion" grep -qF 'did you mean "palm"?' "$work/said"
check "the object is no place" says 2 "no body" new --object sphere:0.02 --on object
check "too large" says 2 "there is no place on" new --object box:0.5x0.5x0.5 --on left_tip
check "no such robot" says 3 "No such file" "$TACT" new --robot "$work/none.urdf" --object sphere:0.02
check "no such file robot" says 3 "none.json" "$TACT" new --robot "$work/none.json" --object sphere:0.02
check "a density" says 4 "--object-density: must be a number within" new --object sphere:0.02 --object-density 0
check "friction" says 4 "--mu: must be a number within" new --object sphere:0.02 --mu -1
check "a fit" says 4 "--fit: sdf" new --object sphere:0.02 --fit sdf
check "the robot is not written over" says 4 "is the input itself" "$TACT" new --robot "$hand" --object sphere:0.02 -o "$hand"
check "no folder" says 3 "none" "$TACT" new --robot "$hand" --object sphere:0.02 -o "$work/none/scene.json"
echo '<robot name="x"><link name="a"/></robot>' >"$work/hand/bare.urdf"
check "nothing to touch" says 2 "has no drives" "$TACT" new --robot "$work/hand/bare.urdf" --object sphere:0.02
check "nothing was written" cmp "$out/scene.json" "$work/first.json"

rises() { # LAW METRES: the object is so much higher at the end of the scene's command and half a second more, and was moved by steps that converged
    "$TACT" run "$out/scene.json" --law "$1" --steps 320 --trace "$out/lift.jsonl" >"$work/table" 2>"$work/told" || { cat "$work/told"; return 1; }
    grep -q 'status  *320 converged' "$work/table" || { cat "$work/table"; return 1; }
    awk -v least="$2" '$1 == "object" && NF >= 8 {z = $4} END {exit !(z - low >= least)}' \
        low="$(sed -n 's/.*"object": \[[^,]*, [^,]*, \([^,]*\),.*/\1/p' "$out/scene.json")" "$work/table"
}

data=$(realpath ../shared/data/urdf 2>/dev/null)
if [ -d "$data" ]; then
    hand=$data/allegro_hand/allegro_hand_right.urdf
    quiet() { # as whole, but for the warnings of published files
        most=$1
        shift
        new "$@" 2>"$work/told" || { cat "$work/told"; return 1; }
        steps barrier && at_rest "$most" && steps rigid && at_rest "$most"
    }
    check "Allegro" quiet 0.001 --object box:0.05x0.05x0.05 --on palm --goal
    check "its palm is up" grep -qF '"base": { "rpy": [0, -1.5707963267948966, 0] }' "$out/scene.json"
    # its palm has a notch for the thumb: turned corners leave it, and its faces bear the cube between the fingers
    check "its edges are felt" grep -qF '{ "a": "base_link", "b": "object" }' "$out/scene.json"
    check "and those of fingers that stand on it" grep -qF '{ "a": "link_4.0", "b": "object" }' "$out/scene.json"
    check "before the middle finger, as far as 15 mm from the edge" grep -qE '"object": \[0.01[5-9][0-9]*, (0|-?0.00[0-9]*), ' "$out/scene.json"
    [ -n "$few" ] || check "Allegro lifts the cube" new --object box:0.05x0.05x0.05 --lift 0.1
    [ -n "$few" ] || check "and holds it" rises rigid 0.09
    hand=$data/leap_hand/leap_hand_right.urdf
    check "LEAP" quiet 0.001 --object box:0.05x0.05x0.05 --on table
    # its corners stand between the palm's ridges, where its faces find no place: another place
    [ -n "$few" ] || check "LEAP's palm" new --object box:0.05x0.05x0.05 --on palm_lower --goal 2>"$work/told"
    [ -n "$few" ] || check "its faces touch the cube" grep -qF '{ "a": "palm_lower_6", "b": "object" }' "$out/scene.json"
    hand=$data/ur5e/ur5e.urdf
    check "UR5e" quiet 0.001 --object box:0.05x0.05x0.05 --on table
    # the palm sinks under the ball while it settles, and is up again where the scene begins
    hand=$data/../mjcf/shadow_hand/right_hand.xml
    check "Shadow" quiet 0.002 --object sphere:0.03 --on palm
    check "nothing overlaps where it begins" sh -c "! '$TACT' check '$out/scene.json' 2>&1 | grep overlap"
    # the cube finds its place on corners, and the edges of the palm's eight boxes are felt where it is turned and moved
    [ -n "$few" ] || check "Shadow with a cube" quiet 0.002 --object box:0.05x0.05x0.05 --on rh_palm --goal
    [ -n "$few" ] || check "the palm's edges are felt" grep -qF '{ "a": "rh_palm", "b": "object" }' "$out/scene.json"
else
    echo "skipped: ../shared/data/urdf is not there"
fi
hand=$work/hand/hand.urdf
# fingers that end in links without shapes: the palm's six sides are still looked at
sed 's#</robot>#<link name="frame"/><joint name="frame_fixed" type="fixed"><parent link="left_tip"/><child link="frame"/></joint></robot>#' "$hand" >"$work/hand/frames.urdf"
check "links without shapes at the ends" "$TACT" new --robot "$work/hand/frames.urdf" --object box:0.04x0.04x0.04 --on palm -o "$out/frames.json"
check "the palm is turned up, too" grep -qF '"rpy": [0, -1.5707963267948966, 0]' "$out/frames.json"
check "the scene's name" grep -qF '"name": "frames_box"' "$out/frames.json"
check "no body" says 2 'hand.urdf" (there are: table, base, palm, left' new --object sphere:0.02 --on zzzzzz
check "a near body" says 2 'did you mean "palm"?) (there are: table, base, palm, left' new --object sphere:0.02 --on plam
check "what an arm does" says 2 "an arm without a hand pushes what lies beside it" new --object sphere:0.02 --on zzzzzz
check "a part of a name" says 2 'did you mean "right_tip"?)' new --object sphere:0.02 --on ht_ti
check "why there is no place" says 2 'are under the object' new --object box:0.3x0.3x0.3 --on left_tip
new --object sphere:0.02 --strict 2>"$work/told"
check "nothing in its own text is suspect" sh -c "[ -s '$out/scene.json' ] && ! grep -q 'moves freely\|unit is' '$work/told'"

# over a table, turned and lifted; names that the robot has
check "turned over, and how high the table is" says 0 "; the table's surface is at z = -" new --object box:0.02x0.02x0.02 --base driven --base-rpy 3.1416,0,0 --above 0.1
check "the base is turned" grep -qF '"base": { "rpy": [3.1416, 0, 0], "joint": "driven" }' "$out/scene.json"
check "not on a body" says 4 '--base-rpy: with --on table only' new --object sphere:0.02 --on palm --base-rpy 0,0,0
check "not above a body" says 4 '--above: with --on table only' new --object sphere:0.02 --on palm --above 0.1
check "three numbers" says 4 '--base-rpy: must be roll,pitch,yaw' new --object sphere:0.02 --base-rpy 1,2
check "three numbers and no more" says 4 '--base-rpy: must be roll,pitch,yaw' new --object sphere:0.02 --base-rpy 1,2,3,4
check "no degrees" says 4 '--base-rpy: must be roll,pitch,yaw in radians' new --object sphere:0.02 --base-rpy 180,0,0
check "a height" says 4 '--above: must be a number within' new --object sphere:0.02 --above -11
sed 's/"right_tip"/"object"/g' "$hand" >"$work/hand/object.urdf"
check "a body called object" "$TACT" new --robot "$work/hand/object.urdf" --object sphere:0.02 -o "$out/object.json"
check "another name" grep -qF '"name": "object_2"' "$out/object.json"
"$TACT" import "$work/hand/object.urdf" --fit capsule >"$work/hand/object.json" 2>"$work/told"
sed -i 's/"bodies"/"drives": [{"joint": "left_joint", "stiffness": 1}], "bodies"/' "$work/hand/object.json"
check "of a robot file, too" "$TACT" new --robot "$work/hand/object.json" --object sphere:0.02 -o "$out/object.json"
check "another name in it" grep -qF '"name": "object_2"' "$out/object.json"
# the spheres of its capsules rub as they do
sed 's/"type": "capsule"/"mu": 0.875, "priority": 2, &/' "$work/hand/object.json" >"$work/hand/rough.json"
check "friction in it" "$TACT" new --robot "$work/hand/rough.json" --object box:0.03x0.03x0.03 -o "$out/object.json"
check "is that of the spheres for its shapes" grep -qE '"left_tip_1", .*"mu": 0.875, "priority": 2' "$out/object.json"

# a palm between two ridges, which a cube meets when it is turned
block() { echo "<collision><origin xyz=\"$1\"/><geometry><box size=\"$2\"/></geometry></collision>"; }
blocks="$(block '0 -0.035 0.05' '0.024 0.02 0.1')$(block '0 0 0.05' '0.02 0.05 0.1')$(block '0 0.035 0.05' '0.024 0.02 0.1')"
sed "s#<link name=\"base\">.*#<link name=\"base\">$blocks</link>#" "$hand" >"$work/hand/blocks.urdf"
blocks() { "$TACT" new --robot "$work/hand/blocks.urdf" --object box:0.04x0.04x0.04 --on palm -o "$out/blocks.json" "$@" 2>"$work/told"; }
check "a palm of ridges" blocks --goal
check "which touch its faces" grep -qF 'comes between the corners of the box where it turns' "$work/told"
check "by pairs of their own" grep -qE '"a": "base[^"]*", "b": "object" [}]' "$out/blocks.json"
check "and not its corners" sh -c "! grep -qE '\"a\": \"base[^\"]*\", \"b\": \"corner' '$out/blocks.json'"
check "without a goal" blocks
check "its corners do" grep -qE '"a": "base[^"]*", "b": "corner' "$out/blocks.json"

# a ball beside a ridge, which pushes it off the palm from afar unless the barrier is sharp; a palm that slopes
block='<collision><origin xyz="0 0 0.05"/><geometry><box size="0.02 0.1 0.1"/></geometry></collision>'
ridge='<collision><origin xyz="0.01 0.003 0.05" rpy="0 0 0.785"/><geometry><box size="0.03 0.03 0.1"/></geometry></collision>'
sed "s#<link name=\"base\">.*#<link name=\"base\">$block$ridge</link>#" "$hand" >"$work/hand/ridge.urdf"
sed 's#<origin xyz="0 0 0.05"/>#<origin xyz="0 0 0.05" rpy="0 0.26 0"/>#' "$hand" >"$work/hand/slope.urdf"
check "a ball beside a ridge" says 0 "in place of 1 %: what is beside it pushed it" "$TACT" new --robot "$work/hand/ridge.urdf" --object sphere:0.02 --on palm -o "$out/scene.json"
check "stays there" steps barrier
check "under the law whose gaps push" at_rest 0.002
check "a ball on a slope" says 2 "slopes by 15 degrees there" "$TACT" new --robot "$work/hand/slope.urdf" --object sphere:0.02 --on palm
check "how far it rolls" grep -qE 'by at least 0\.[0-9]* m under barrier and [0-9.]* m under rigid' "$work/said"
check "a box on a slope" says 2 "slopes by 15 degrees there" "$TACT" new --robot "$work/hand/slope.urdf" --object box:0.04x0.04x0.04 --on palm

# a gripper whose second finger follows the first takes an object from the table and holds it up
cat >"$work/gripper.urdf" <<'END'
<robot name="gripper">
  <link name="palm"><inertial><mass value="0.7"/><origin xyz="0 0 0.03"/><inertia ixx="0.001" iyy="0.002" izz="0.0015" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.03"/><geometry><box size="0.05 0.2 0.06"/></geometry></collision></link>
  <link name="left"><inertial><mass value="0.1"/><origin xyz="0 0.01 0.03"/><inertia ixx="3e-5" iyy="3e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0.01 0.03"/><geometry><box size="0.02 0.02 0.055"/></geometry></collision></link>
  <link name="right"><inertial><mass value="0.1"/><origin xyz="0 -0.01 0.03"/><inertia ixx="3e-5" iyy="3e-5" izz="1e-5" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 -0.01 0.03"/><geometry><box size="0.02 0.02 0.055"/></geometry></collision></link>
  <joint name="first" type="prismatic"><parent link="palm"/><child link="left"/><origin xyz="0 0 0.06"/><axis xyz="0 1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/></joint>
  <joint name="second" type="prismatic"><parent link="palm"/><child link="right"/><origin xyz="0 0 0.06"/><axis xyz="0 -1 0"/><limit lower="0" upper="0.04" effort="20" velocity="0.2"/><mimic joint="first"/></joint>
</robot>
END
kept=$hand
hand=$work/gripper.urdf
# with sanitizers a search takes minutes: where few are asked for, the sphere must do
[ -n "$few" ] || {
    check "a box is lifted" new --object box:0.04x0.04x0.06 --lift 0.1
    check "by the rigid law" rises rigid 0.09
    check "by the barrier law" rises barrier 0.09
    check "fingers look down" grep -qF '"base": { "rpy": [3.141592653589793, 0, 0], "joint": "driven" }' "$out/scene.json"
    cp "$out/scene.json" "$out/once.json"
    new --object box:0.04x0.04x0.06 --lift 0.1 2>"$work/told"
    check "the same grasp again" cmp "$out/once.json" "$out/scene.json"
    # wider than the gripper, as a sphere and slippery: the same search in a tenth of a box's time
    check "too wide for it" says 2 'no grasp found: --base-rpy' new --object sphere:0.07 --mu 0.1 --lift 0.1
    check "how near it came" grep -qE 'after 1?[0-9] rounds of 24: the best raised the object [0-9.e-]+ of 0.1 m, pressed with [0-9.e+]+ N' "$work/said"
    check "and what helps" grep -qF 'it is pressed but stays down: a higher --mu, a smaller object' "$work/said"
    check "which attempt" grep -qF 'a grasp is sought, attempt 1 of seed 3 of 3' "$work/said"
}
check "a sphere is lifted" new --object sphere:0.025 --lift 0.15
check "as far as was asked for" rises rigid 0.135
check "the base moves" says 4 '--lift: nothing holds a free base' new --object sphere:0.025 --lift 0.1 --base free
check "from a table only" says 4 '--lift: with --on table only' new --object sphere:0.025 --lift 0.1 --on palm
check "within reason" says 4 '--lift: must be a number within' new --object sphere:0.025 --lift -1
hand=$kept

# all of the surface: no spheres in place of shapes
hand=$work/gripper.urdf
check "shapes touch as they are" new --object box:0.04x0.04x0.06 --contacts shapes
check "without corners" sh -c "! grep -q corner_1 '$out/scene.json'"
check "the fingers and the box" grep -q '"b": "object"' "$out/scene.json"
check "spheres or shapes" says 4 '--contacts: must be spheres or shapes' new --object sphere:0.02 --contacts faces
hand=$kept

# a pad within a tip with a mesh: the pad touches, and not a capsule round the tip
sed 's#</robot>#<link name="pad"><collision><geometry><box size="0.004 0.004 0.004"/></geometry></collision></link><joint name="pad_fixed" type="fixed"><parent link="right_tip"/><child link="pad"/></joint></robot>#' "$hand" >"$work/hand/pad.urdf"
"$TACT" new --robot "$work/hand/pad.urdf" --object sphere:0.02 -o "$out/pad.json" 2>"$work/told"
check "a mesh beside a pad is left out, and told" grep -q 'collision meshes of "right_tip" left out: a capsule would cover' "$work/told"
check "the scene says so" grep -qF '"fit": ["capsule", "right_tip=none"]' "$out/pad.json"
check "the other tip has its capsule" grep -q '^tact: "left_tip": capsule' "$work/told"
"$TACT" new --robot "$work/hand/pad.urdf" --object sphere:0.02 --fit capsule -o "$out/pad.json" 2>"$work/told"
check "not where --fit is given" sh -c "grep -q '\"right_tip\".*: capsule' '$work/told' && ! grep -q 'left out: a capsule' '$work/told'"

check "the kinds of --fit are those that it takes" sh -c "! '$TACT' help new | grep -q sdf && '$TACT' help import | grep -q sdf"
check "and no others are named" sh -c "'$TACT' new --robot '$work/hand/hand.urdf' --object sphere:0.03 --fit ball 2>&1 | grep -q 'hull, none)'"
test_end new
