#!/bin/sh
# SPDX-License-Identifier: MIT
# What the commands say of loops and springs: how far loops are open, what does not know them, what writes them.
. test/test.sh

four=data/scenes/four_bar.json
"$TACT" check $four >"$work/out"
check "check lists the loop" grep -q '^  coupler  *rocker  *1000000  *0$' "$work/out"
check "and the springs" grep -q '^  knuckle + distal  *1  *4  *0.02  *0  *-$' "$work/out"
check "with their factors" grep -q '^  distal + -0.5 knuckle  *-  *0.5  *0  *0  *-$' "$work/out"
for law in barrier rigid; do
    "$TACT" run $four --law $law --steps 200 --digits 3 >"$work/out" 2>"$work/err"
    check "$law: all steps" grep -q '200 converged' "$work/out"
    check "$law: the loop stays shut" grep -q 'loops open by \[m\] *[0-9.]*e-[56] at most, after step [0-9]*$' "$work/out"
    check "$law: without a warning" [ "$(grep -c warning "$work/err")" = 0 ]
    "$TACT" run $four --law $law --steps 200 --json --quiet >"$work/out"
    check "$law: in JSON" grep -q '"loops_open":[0-9.]*e-[56],' "$work/out"
done

# open at the start, by 20 mm; and shut by the first step
sed 's/"at_a": \[0.04, 0, 0\]/"at_a": [0.04, 0, 0], "at_b": [0, 0, -0.04]/' $four >"$work/open.json"
"$TACT" check "$work/open.json" >"$work/out" 2>"$work/err"
check "check warns of an open loop" grep -q 'open.json:[0-9]*:[0-9]*: /loops/0: warning: the loop is open by 0.02 m at the start' "$work/err"
check "and prints it" grep -q '^  coupler  *rocker  *1000000  *0.02$' "$work/out"
"$TACT" check --strict "$work/open.json" >"$work/out" 2>"$work/err"
check "strict refuses it" [ $? -eq 2 ]
# too soft for what it carries
"$TACT" run $four --set loops.0.stiffness=100 --steps 100 --quiet >"$work/out" 2>"$work/err"
check "run warns of a loop that opens" grep -q 'run: warning: the loop of "coupler" and "rocker" is open by 0.0[0-9]* m after step' "$work/err"

"$TACT" run $four --law virtual --quiet >"$work/out" 2>"$work/err"
check "the virtual law refuses loops by name" grep -q '/loops/0: error: law "virtual" has no loops' "$work/err"
echo '{"targets":[{"body":"distal","position":[0.1,0,0.1]}]}' | "$TACT" ik $four >"$work/out" 2>"$work/err"
check "ik says that it does not keep them" grep -q "ik: warning: the scene's loops are not kept" "$work/err"
sed 's/"command": {/"goal": { "body": "ball", "position": [0.1, 0, 0.03] }, "command": {/' $four >"$work/goal.json"
"$TACT" qcqp --scene "$work/goal.json" >"$work/out" 2>"$work/err"
check "qcqp refuses them" grep -q 'qcqp: error: loops and springs of a scene are not supported' "$work/err"

"$TACT" convert $four -o "$work/four.xml" 2>"$work/err"
check "convert asks for friction as hard as contact" grep -q ' cone="elliptic" impratio="10"/>' "$work/four.xml"
check "convert writes the loop" grep -q '<connect body1="coupler" body2="rocker" anchor="0.0[0-9]* 0 0"/>' "$work/four.xml"
# what is commanded is a sum, and the limits are those of one joint alone
printf '%s' '{"tact":1,"law":"barrier","bodies":[{"name":"a","parent":"world","mass":1,"joint":{"type":"prismatic","limits":[-0.1,0.1]}},
    {"name":"b","parent":"world","mass":1,"joint":{"type":"prismatic","limits":[-0.1,0.1]}}],
    "drives":[{"joint":"b","stiffness":1}],"springs":[{"joints":{"a":1,"b":2},"stiffness":100,"command":true}],
    "command":{"mode":"fixed","q":{"a":0.25}}}' >"$work/sum.json"
check "a command on a sum" answers 0 "$TACT" check "$work/sum.json"
check "is not compared with the limits of a joint" sh -c "! grep -q outside '$work/said'"
check "that on a joint is" says 0 "0.25 outside [-0.1, 0.1]" "$TACT" check "$work/sum.json" --set command.q.b=0.25
check "and the drive on a sum" grep -q '<general name="knuckle" tendon="sum_0" biastype="affine" gainprm="4 0 0" biasprm="0 -4 -0.0[0-9]*"/>' "$work/four.xml"
check "and says what it leaves out" grep -q 'stiffness and second point (.*) of the loop of coupler' "$work/err"
"$TACT" import "$work/four.xml" >"$work/four.json" 2>"$work/err"
check "which is read again" grep -q '{ "a": "coupler", "b": "rocker", "at_a": \[0.04, 0, 0\], "at_b": \[' "$work/four.json"
check "with its springs" grep -q '{ "joints": { "knuckle": 1, "distal": 1 }, "stiffness": 4, "damping": 0.02, "command": true }' "$work/four.json"

# batches: the stiffness of a loop differs from one environment to the next
for law in barrier rigid; do
    for k in 300 1e4 "300, 1e4"; do
        echo "{\"tact_batch\": 1, \"scene\": \"$PWD/$four\", \"envs\": 6, \"steps\": 20, \"seed\": 1,
            \"parameters\": [{\"path\": \"loops.0.stiffness\", \"choice\": [$k]}]}" >"$work/spec.json"
        rm -rf "${work:?}/$k"
        "$TACT" batch "$work/spec.json" --law $law --output "$work/$k" >"$work/out" 2>"$work/err"
        check "$law: a batch over stiffnesses $k" [ $? -eq 0 ]
    done
    cmp -s "$work/300/q.npy" "$work/1e4/q.npy"
    check "$law: the stiffness matters" [ $? -eq 1 ]
    cmp -s "$work/300, 1e4/q.npy" "$work/1e4/q.npy"
    check "$law: and is each environment's own" [ $? -eq 1 ]
done
mkdir -p "$work/robot"
cat >"$work/robot/a.json" <<END
{"tact": 1, "bodies": [
 {"name": "a", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": {"name": "a", "type": "continuous", "axis": [0, 0, 1]}},
 {"name": "b", "parent": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": {"name": "b", "type": "prismatic", "axis": [1, 0, 0]}}],
 "shapes": [], "loops": [{"a": "b", "b": "world", "at_a": [1, 0, 0]}], "springs": [{"joints": {"b": 1}, "stiffness": 2}],
 "drives": [{"joint": "a", "stiffness": 1}]}
END
cat >"$work/robot/scene.json" <<END
{"tact": 1, "robots": [{"file": "a.json", "prefix": "one_"}, {"file": "a.json", "prefix": "two_", "base": {"xyz": [0, 3, 0], "rpy": [0, 0, 1]}}],
 "loops": [{"a": "one_b", "b": "two_b", "stiffness": 1}]}
END
"$TACT" check "$work/robot/scene.json" >"$work/out" 2>"$work/err"
check "loops of robots take the prefix" grep -q '^  two_b  *world  *1000000  *[0-9.e-]*$' "$work/out"
check "and stand with their base" [ "$(grep -c 'open' "$work/err")" = 0 ]

# a gripper of two slides, one of which a crank and a rod move, with boxes for pads
cat >"$work/gripper.xml" <<END
<mujoco><compiler angle="radian"/><worldbody><body name="base"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
 <body name="left" pos="-0.04 0 0.03"><joint name="left" type="slide" axis="1 0 0" range="0 0.04"/><geom name="left_pad" type="box" size="0.004 0.01 0.02"/></body>
 <body name="right" pos="0.04 0 0.03"><joint name="right" type="slide" axis="-1 0 0" range="0 0.04" stiffness="5"/><geom name="right_pad" type="box" size="0.004 0.01 0.02"/></body>
 <body name="crank" pos="0.06 0 0.08"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/><joint name="crank" axis="0 1 0"/>
  <body name="rod" pos="0 0 -0.03"><inertial pos="0 0 0" mass="0.1" diaginertia="1e-4 1e-4 1e-4"/><joint name="rod" axis="0 1 0"/></body></body>
 </body></worldbody><equality><connect body1="rod" body2="right" anchor="-0.02 0 -0.02"/></equality>
 <actuator><position joint="left" kp="200" kv="5"/><position joint="crank" kp="5" kv="0.1"/></actuator></mujoco>
END
"$TACT" new --robot "$work/gripper.xml" --object cylinder:0.02x0.05 --fit none -o "$work/grip.json" >"$work/out" 2>"$work/err"
check "new: a gripper with a loop" [ $? -eq 0 ]
check "new: gives what the loop moves no drives" grep -q '"drives": \[\]' "$work/grip.json"
check "new: pads touch a can" grep -q '{ "a": "left_pad", "b": "can" }' "$work/grip.json"
for law in barrier rigid; do
    "$TACT" run "$work/grip.json" --law $law --set command.q.left=0.02 --set command.q.crank=0.5 --steps 200 >"$work/out" 2>"$work/err"
    check "$law: the can is held by both pads" [ "$(grep -c '^  \(left\|right\)_pad#[0-9]* *can' "$work/out")" -ge 2 ]
    check "$law: the loop stays shut" grep -q 'loops open by \[m\] *\(0.000[0-9]*\|[0-9.]*e-[4-9]\) at most' "$work/out"
done
"$TACT" bake $four >"$work/four.c"
check "bake carries them" grep -q '.nloop = 1, .nspring = 2, .loop = four_bar_loop, .spring = four_bar_spring' "$work/four.c"
# as a URDF, which is a tree, and a scene that closes its loop: the same motion
"$TACT" convert $four -o "$work/bar.urdf" --scene-to "$work/bar.json" 2>"$work/err"
{
    echo '{'
    sed -n '/^  "loops"/,/^  \],/p; /^  "command"/s/$/,/p' $four
    sed '1d; /^  "command"/d' "$work/bar.json"
} >"$work/closed.json"
last() { "$TACT" run "$1" --steps 200 --quiet --trace - 2>/dev/null | sed -n '$s/.*"q":\[\([^]]*\)\].*/\1/p' | tr ',' ' '; }
last $four >"$work/wanted"
last "$work/closed.json" >"$work/got"
last "$work/bar.json" >"$work/apart"
same() { paste -d ' ' "$1" "$2" | awk -v near="$near" '{ for (i = 1; i <= NF / 2; i++) { d = $i - $(i + NF / 2); if (d > near || -d > near) bad = 1 } } END { exit bad || NF < 10 }'; }
near=1e-9
[ "$REAL" != float ] || near=1e-3
check "a URDF with a loop moves as the scene does" same "$work/wanted" "$work/got"
check "without the loop it does not" [ -z "$(same "$work/wanted" "$work/apart" && echo same)" ]

test_end loops
