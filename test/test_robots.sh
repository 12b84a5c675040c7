#!/bin/sh
# SPDX-License-Identifier: MIT
# Robots whose files lie elsewhere, include others, or say more than a robot: meshes, messages and pictures of them.
. test/test.sh
tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT")
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
export TACT_VIEWER="$work/page.html"
mkdir -p "$work/model/parts" "$work/model/meshes" "$work/elsewhere" && cd "$work/elsewhere" || exit 1

# a tetrahedron, from a file that another one includes; its path is from the first one's folder
cat >"$work/model/meshes/m.obj" <<'END'
v 0 0 0
v .1 0 0
v 0 .1 0
v 0 0 .1
f 1 3 2
f 1 2 4
f 2 3 4
f 3 1 4
END
cat >"$work/model/parts/hand.xml" <<'END'
<mujoco><compiler meshdir="meshes" angle="radian"/><asset><mesh name="m" file="m.obj"/></asset>
<worldbody><body name="palm"><joint name="j" range="-1 1"/><geom type="mesh" mesh="m"/>
<body name="tip" pos=".02 .02 .02"><geom size=".02" mass=".1"/></body></body></worldbody>
<actuator><position joint="j" kp="2"/></actuator></mujoco>
END
cat >"$work/model/scene.xml" <<'END'
<mujoco><include file="parts/hand.xml"/><worldbody><geom name="floor" type="plane" size="1 1 1" pos="0 0 -2"/></worldbody></mujoco>
END
printf '{"tact":1,"robots":[{"file":"../model/scene.xml"}],"mu":0.5,"pairs":"auto"}\n' >scene.json
check "view of a scene with an included model" answers 0 "$tact" view scene.json --no-open -o scene.html
check "no mesh is missing" sh -c "! grep -q 'No such file' '$work/said' && grep -q '\"missing\":\[\]' scene.html"
check "a mesh is drawn" grep -q '"surface":0' scene.html
sed 's/range="-1 1"/range="x"/' "$work/model/parts/hand.xml" >"$work/model/parts/wrong.xml"
sed 's/hand.xml/wrong.xml/' "$work/model/scene.xml" >"$work/model/wrong.xml"
check "a message names a file that is there" says 2 '../model/parts/wrong.xml:2:46: ' "$tact" import ../model/wrong.xml
printf 'glTF' >"$work/model/meshes/m.glb"
sed 's/m.obj/m.glb/' "$work/model/parts/hand.xml" >"$work/model/glb.xml"
check "a mesh that cannot be read is told with the element" says 2 '../model/glb.xml:1:74: ' "$tact" import ../model/glb.xml --fit capsule

# new with the floor of a model, and shapes fitted to its meshes
check "the floor is none of the links" says 2 'has a floor of its own where the table would be, "floor"' \
    "$tact" new --robot ../model/scene.xml --object sphere:0.02 -o new.json
check "a link with a shape in its mesh" grep -q 'collision meshes of "palm" left out: a capsule would cover shapes' "$work/said"

# a full path takes no meshdir, and is fine where it leads to the model's own folder
sed "s|m.obj|$work/model/meshes/m.obj|; s|meshdir=\"meshes\"|meshdir=\"none\"|" "$work/model/parts/hand.xml" >"$work/model/full.xml"
check "a full path" answers 0 "$tact" import ../model/full.xml -o "$work/model/full.json"
check "it is kept as one from the folder" grep -q '"file": "meshes/m.obj"' "$work/model/full.json"
cp "$work/model/meshes/m.obj" "$work/elsewhere/m.obj"
sed "s|$work/model/meshes|$work/elsewhere|" "$work/model/full.xml" >"$work/model/out.xml"
check "one outside" says 2 "outside the model's folder" "$tact" import ../model/out.xml

# a robot file is no scene
cat >"$work/robot.xml" <<'END'
<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/><body name="b" pos=".5 0 0"><joint name="k"/><geom size=".1"/></body></body>
<site name="anchor" pos="0 0 1"/><body name="o" pos="2 0 0"><freejoint name="o"/><geom size=".1"/><site name="hook" pos=".1 0 0"/></body></worldbody>
<actuator><position joint="j" kp="2"/></actuator></mujoco>
END
sed 's/<body name="o".*<\/worldbody>/<\/worldbody>/; s|</mujoco>|<contact><exclude body1="a" body2="b"/></contact></mujoco>|' "$work/robot.xml" >alone.xml
check "a robot" answers 0 "$tact" import alone.xml -o alone.json
check "checked as a scene" says 2 '"pairs": "auto" of a scene that names this robot file under "robots" (tact new --robot FILE makes one)' \
    "$tact" check alone.json

# sites change no colours, add no rods
sed 's/<site[^>]*>//g' "$work/robot.xml" >bare.xml
for name in robot bare; do
    [ $name = robot ] && file=../robot.xml || file=bare.xml
    printf '{"tact":1,"name":"n","robots":[{"file":"%s"}],"mu":0.5,"pairs":"auto"}\n' $file >$name.json
    check "picture of $name" answers 0 "$tact" render $name.json -o $name.svg
done
check "the same picture with sites as without" cmp robot.svg bare.svg

# a trace goes on under its own law
cat >fall.json <<'END'
{"tact": 1, "name": "fall", "law": "barrier", "options": {"dt": 0.01, "kappa": 1000},
"bodies": [{"name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0], "joint": {"name": "ball", "type": "free"}}],
"shapes": [{"name": "box", "body": "ball", "type": "box", "size": [0.1, 0.1, 0.1]}, {"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": -0.1}],
"pairs": "auto", "mu": 0.5}
END
check "a run under another law" answers 0 "$tact" run fall.json --law rigid --steps 3 --quiet --trace fall.jsonl
check "its page" answers 0 "$tact" view fall.jsonl --scene fall.json --no-open -o fall.html
check "of the trace's law" grep -qx 'tact: view: the page goes on under the law of the trace, rigid, not that of the scene, barrier' "$work/said"
check "which its scene has" sh -c "! grep -q 'not of this scene' '$work/said' && grep -q '\"law\":\"rigid\"' fall.html"
check "no word with the law given" sh -c "'$tact' view fall.jsonl --scene fall.json --law rigid --no-open -o fall.html 2>said && ! grep -q law said"

# a hand that lifts
lift() { timeout 100 "$tact" new --robot alone.json --object sphere:0.05 --lift 0.1 "$@" -o lifted.json; }
check "a fixed base lifts nothing" says 4 '--lift: a fixed base does not rise: --lift needs --base driven' lift --base fixed
check "no grasp" says 2 'no grasp found' lift --quiet --base-rpy 3.14,0,0
check "nothing closed on it" grep -q 'no two links closed on the object' "$work/said"
check "how wide it is" grep -q 'the object is 0.1 m wide at its narrowest' "$work/said"
check "no progress under --quiet" sh -c "! grep -q 'sought' '$work/said'"
test_end robots
