#!/bin/sh
# SPDX-License-Identifier: MIT
# tact convert to MJCF is readable by MuJoCo 2.2 too: no attribute that came later unless --gravcomp asks for it, and, where the system
# has libmujoco, the poses and masses that it reads.
. "$(dirname "$0")/test.sh"

"$TACT" convert data/scenes/hand_lift.json -o "$work/hand.xml" 2>"$work/said"
check "no late words" sh -c "! grep -E -q 'gravcomp|implicitfast|<position[^>]* kv=' '$work/hand.xml'"
check "that the weight is not carried is told" grep -q 'left out: that drives carry the weight of their links.*--gravcomp' "$work/said"
"$TACT" convert data/scenes/hand_lift.json --gravcomp -o "$work/late.xml" 2>"$work/said"
check "links have gravcomp where it is asked for" grep -q '<body name="[^"]*"[^>]* gravcomp="1"' "$work/late.xml"
check "then it is not told" sh -c "! grep -q gravcomp '$work/said'"
check "but for gravcomp the same" sh -c "sed 's/ gravcomp=\"1\"//' '$work/late.xml' | cmp - '$work/hand.xml'"
refuse "with URDF" "--gravcomp goes with MJCF" "$TACT" convert data/scenes/hand_lift.json --gravcomp -o "$work/hand.urdf"

# drives come back with stiffness and damping
drives() { # SCENE: joint, stiffness, damping
    "$TACT" check "$1" | awk '/^degrees of freedom/ {on = 1} /^$/ {on = 0} on && $4 ~ /./ {print $4, $6, $7}'
}
echo '{"tact":1,"robots":[{"file":"hand.xml"}],"mu":0.5,"pairs":[]}' >"$work/again.json"
drives data/scenes/hand_lift.json | grep -v '^ball' >"$work/wanted"
drives "$work/again.json" 2>/dev/null | grep -v '^ball' >"$work/got"
check "drives read again" cmp "$work/wanted" "$work/got"

# the keyframe has the commands with which the scene begins
"$TACT" convert data/scenes/hand_lift.json --set 'command={"mode":"fixed","q":{"finger_r_joint_1_thumb1":0.25}}' -o "$work/held.xml" 2>"$work/said" || cat "$work/said"
check "a command is in the keyframe" grep -q ' ctrl="[^"]*0.25' "$work/held.xml"
"$TACT" convert data/scenes/hand_lift.json --set 'command={"mode":"hold"}' -o "$work/hold.xml" 2>/dev/null
check "hold holds where the joints begin" sh -c "[ \"\$(grep -o ' ctrl=\"[^\"]*' '$work/hold.xml' | wc -w)\" = \"\$(grep -c '<general\\|<motor' '$work/hold.xml')\" ]"
"$TACT" convert data/scenes/hand_lift.json -o "$work/moved.xml" 2>"$work/said"
check "a command over time is left out" grep -q 'left out: the command over time' "$work/said"

# dry friction goes out as it came in, a limit of a spring that has stiffness does not
printf '{"tact":1,"robots":[{"file":"%s"}],"springs":[{"joints":{"held":1},"stiffness":3,"force_limit":4}]}\n' \
    "$(pwd)/test/mujoco/models/dry.xml" >"$work/dry.json"
"$TACT" convert "$work/dry.json" -o "$work/dry.xml" 2>"$work/said"
check "frictionloss is written" grep -q 'frictionloss="12"' "$work/dry.xml"
check "not as damping" sh -c "! grep -q 'damping=\"12000\"' '$work/dry.xml'"
check "a limit is told" grep -q "force limit of spring sum_" "$work/said"

# an inertia that no rigid body has is told, and MuJoCo is asked to mend it
printf '{"tact":1,"gravity":[0,0,0],"bodies":[{"name":"%s","parent":"world","mass":1,"inertia":[1e-4,1e-4,%s,0,0,0],"joint":{"name":"b","type":"free"}}]}\n' \
    odd 3e-4 >"$work/odd.json"
"$TACT" convert "$work/odd.json" -o "$work/odd.xml" 2>"$work/said"
check "an inertia of no rigid body is told" grep -q 'left out: inertia that no rigid body has (.*) of odd$' "$work/said"
check "balanceinertia is asked for" grep -q '<compiler balanceinertia="true"/>' "$work/odd.xml"
# in one line for all such bodies
sed 's/"bodies":\[\(.*\)\]}$/"bodies":[\1,\1]}/; s/odd/odder/; s/"name":"b"/"name":"c"/' "$work/odd.json" >"$work/two.json"
"$TACT" convert "$work/two.json" -o "$work/two.xml" 2>"$work/said"
check "two such bodies are told in one line" grep -q 'left out: inertia that no rigid body has (.*) of odder, odd$' "$work/said"
sed 's/3e-4/2e-4/' "$work/odd.json" >"$work/plate.json"
"$TACT" convert "$work/plate.json" -o "$work/plate.xml" 2>"$work/said"
check "a plate has an inertia" sh -c "! grep -q balanceinertia '$work/plate.xml' && ! grep -q inertia '$work/said'"

if echo '#include <mujoco/mujoco.h>
int main(void) { return mj_version() == 0; }' | ${CC:-cc} -x c - -o "$work/there" -lmujoco -lm 2>/dev/null; then
    ${CC:-cc} test/mujoco/native.c -o "$work/native" -lmujoco -lm || exit 1
    near=1e-9
    [ "$REAL" != float ] || near=1e-6
    check "MuJoCo reads a body with it" sh -c "cd '$work' && ./native odd.xml"
    for scene in allegro_cube hand_lift cube_in_hand box_stack four_bar egg_cup rods fingertips_lift; do
        "$TACT" convert "data/scenes/$scene.json" -o "$work/$scene.xml" 2>/dev/null
        check "MuJoCo reads $scene" sh -c "cd '$work' && ./native $scene.xml >'$work/read'"
        echo '{"q":{}}' | "$TACT" fk "data/scenes/$scene.json" | tr -d '"' | sed 's/},/}\n/g; s/^{bodies:{//' |
            sed -n 's/^\([^:]*\):{p:\[\([^,]*\),\([^,]*\),\([^]]*\)\].*/\1 \2 \3 \4/p' >"$work/poses"
        "$TACT" check "data/scenes/$scene.json" 2>/dev/null | awk '/^bodies$/ {on = 1; next} /^$/ {on = 0} on {print $1, $NF}' >"$work/masses"
        check "poses and masses of $scene" awk -v least="$near" -v poses="$work/poses" -v masses="$work/masses" '
            function off(a, b) { return a - b > least || b - a > least }
            BEGIN {
                while ((getline <poses) > 0) { x[$1] = $2; y[$1] = $3; z[$1] = $4 }
                while ((getline <masses) > 0) m[$1] = $2
            }
            { n++; if (!($1 in x) || off($2, x[$1]) || off($3, y[$1]) || off($4, z[$1])) bad = 1 }
            # tact check prints four digits; a body without mass has none there
            { d = $5 - m[$1]; if (d > 1e-3 * m[$1] + 1e-12 || -d > 1e-3 * m[$1] + 1e-12) bad = 1 }
            END { exit bad || n == 0 }' "$work/read"
    done
else
    echo "skipped: no libmujoco here (Debian: libmujoco-dev)"
fi
test_end convert_mjcf
