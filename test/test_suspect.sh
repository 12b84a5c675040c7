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
            {"name": "cup", "body": "world", "type": "cylinder", "radius": 0.1, "length": 0.02, "xyz": [0, 0, -0.2]}],
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

# quaternions that would be a small turn with w at the end, and only those
scene "$pairs" '"ball": [0, 0, 0, 0.1, 0, 0, 0.995]' 1e-4 "$drive" sphere "$ball" >"$work/swapped.json"
expect swapped "/state/q/ball: warning: almost half a turn about z: the order is x y z w x y z; in the order x, y, z, w it were a turn of 11.48 degrees"
scene "$pairs" '"ball": [0, 0, 0, 0, 0, 0.3827, 0.9239]' 1e-4 "$drive" sphere "$ball" >"$work/tilted.json"
expect tilted "/state/q/ball: warning: half a turn about a tilted axis: the order is x y z w x y z; in the order x, y, z, w it were a turn of 45 degrees"
tilt='half a turn about a tilted axis: the order is w, x, y, z; in the order x, y, z, w it were a turn of 45'
"$TACT" check "$work/good.json" --set 'goal={"body":"ball","position":[0,0,0],"orientation":[0,0.3826834,0,0.9238795]}' >"$work/out" 2>"$work/err"
check "a goal with w at the end" grep -q "/goal/orientation: warning: $tilt" "$work/err"
"$TACT" check "$work/good.json" --set 'state.q.ball=[0,0,0,0,1,0,0]' --set 'goal={"body":"ball","position":[0,0,0],"orientation":[0,0.9238795,0,0.3826834]}' >"$work/out" 2>"$work/err"
check "a goal near a start of half a turn is meant" [ "$(grep -c tilted "$work/err")" = 0 ]
echo '{"targets":[{"body":"arm","position":[0,0,0],"orientation":[0,0,0.3826834,0.9238795]}]}' | "$TACT" ik "$work/good.json" >"$work/out" 2>"$work/err"
check "a target of ik with w at the end" grep -q "ik: warning: orientation of target 0: $tilt" "$work/err"
for turn in "0, 0, 0.7071, 0.7071" "0, 0.5774, 0.5774, 0.5774" "0.995, 0.1, 0, 0" "0.7071, 0, 0, 0.7071" "0.26, 0, 0, 0.9656" "0, 1, 0, 0" "0.1, 0.995, 0, 0"; do
    scene "$pairs" "\"ball\": [0, 0, 0, $turn]" 1e-4 "$drive" sphere "$ball" >"$work/turned.json"
    check "$turn is meant" "$TACT" check --strict "$work/turned.json"
done
# degrees in a keyframe, and in lines of fk
scene "$pairs" '"elbow_1": 1' 1e-4 "$drive" sphere "$ball" | sed 's/"drives"/"keyframes": [{"name": "bent", "q": {"elbow_1": 45}}], "drives"/' >"$work/frames.json"
expect frames "/keyframes/0/q: warning: joint elbow_1: more than a turn: angles are in radians (45 degrees are 0.7854)"
echo '{"q": {"elbow_1": 90}}' | "$TACT" fk "$work/good.json" >"$work/out" 2>"$work/err"
check "fk: degrees are told" grep -q 'fk: warning: joint "elbow_1" at 90: more than a turn' "$work/err"
check "fk: and answered" grep -q '"bodies"' "$work/out"

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
scene '"mu": 0.5, "pairs": "auto"' '"elbow_1": 1' 1e-4 "$drive" rectangle '"size": [0.1, 0.1]' >"$work/apart.json"
sed -i 's/"shapes": \[/&{"name": "floor", "body": "world", "type": "sphere", "radius": 0.01, "xyz": [0.2, 0, -0.2]}, /' "$work/apart.json"
expect apart '/pairs: warning: 1 pair of shapes has no contact'

scene "$pairs" '"elbow_1": 1' 1e-4 '{"joint": "elbwo_*", "stiffness": 3}' sphere "$ball" >"$work/pattern.json"
"$TACT" check "$work/pattern.json" >"$work/out" 2>"$work/err"
check "a pattern without a joint is refused" [ $? -eq 2 ]
check "with its place and a suggestion" grep -q ':[0-9]*:[0-9]*: /drives/0/joint: error: "elbwo_\*" matches no joint that moves (did you mean "elbow_1"?)' "$work/err"

# the ball of the notebook's scene, whose margin is below the resting gap
"$TACT" run data/scenes/lesson.json --steps 205 --quiet 2>"$work/err"
check "a body between two states is told" grep -q 'warning: "ball.z" goes to and fro by 0.0098 from step to step' "$work/err"
"$TACT" run data/scenes/lesson.json --steps 205 --quiet --set options.margin=0.02 2>"$work/err"
check "one that rests is not" sh -c "! grep -q 'to and fro' '$work/err'"

# edit NAME SED: the scene of the tutorial with one mistake
awk '/file: push_disc.json/ {f = 1} f && /^```$/ {exit} f && !/^```|file:/ {print}' docs/tutorial.md >"$work/disc.json"
edit() {
    sed "$2" "$work/disc.json" >"$work/$1.json"
    check "$1: the scene is another" sh -c "! cmp -s '$work/disc.json' '$work/$1.json'"
}
"$TACT" check --strict "$work/disc.json" >"$work/out" 2>"$work/err"
check "the tutorial's scene is meant" [ $? -eq 0 ]
edit turned 's/"q": { "shoulder": \[1.2, 0.7\]/"q": { "shoulder": [70, 40]/'
expect turned '/command/q/shoulder/0: warning: more than a turn: angles are in radians (70 degrees are 1.222)'
edit fixed 's/"mode": .*} },/"mode": "fixed", "q": {"elbow": -90} },/'
expect fixed '/command/q/elbow: warning: more than a turn'
edit tilted 's/"xyz": \[0.12, 0, 0\]/&, "rpy": [90, 0, 0]/'
expect tilted '/bodies/1/joint/rpy: warning: more than a turn: angles are in radians (90 degrees are 1.571)'
edit shape 's/"xyz": \[0.1, 0, 0\]/&, "rpy": [90, 0, 0]/'
expect shape '/shapes/0/rpy: warning: more than a turn'
edit base 's/"name": "push_disc",/"robots": [{"file": "arm.json", "base": {"rpy": [0, 0, 90]}}],/; s/"drives": \[/&{"joint": "elbow_1", "stiffness": 1}, /'
expect base '/robots/0/base/rpy: warning: more than a turn'
edit away 's/"name": "push_disc",/"robots": [{"file": "arm.json", "base": {"xyz": [0, 0, 500]}}],/; s/"drives": \[/&{"joint": "elbow_1", "stiffness": 1}, /'
expect away '/robots/0/base/xyz/2: warning: 500 m, where all else is within 0.22 m: the unit is the metre'
edit limits 's/"xyz": \[0.12, 0, 0\]/&, "limits": [-180, 90]/'
expect limits '/bodies/1/joint/limits: warning: more than two turns: angles are in radians (180 degrees are 3.142)'
edit grams 's/"mass": 0.2/"mass": 200/'
expect grams '/bodies/2/mass: warning: 200 kg in [0-9.]* m^3, denser than any metal: the unit is the kilogram (a gram is 0.001)'
edit large 's/"radius": 0.01/"radius": 10/; s/"radius": 0.04/"radius": 40/; s/\[0.16, 0.02/[160, 20/'
"$TACT" check "$work/large.json" >"$work/out" 2>"$work/err"
check "a disc of 40 m" grep -q '/bodies/2/mass: warning: 0.2[0-9]* kg, with a shape of 40 m: the units are kilogram and metre' "$work/err"
edit tip 's/"xyz": \[0.1, 0, 0\]/"xyz": [100, 0, 0]/'
expect tip '/shapes/0/xyz: warning: 100 m, where all else is within 0.22 m: the unit is the metre'
edit centre 's/"inertia": \[8e/"com": [20, 0, 0], &/'
expect centre '/bodies/2/com: warning: 20 m, where all else is within 0.22 m'
edit place 's/"disc": \[0.16, 0.02, 0\]/"disc": [160, 20, 0]/'
expect place '/state/q/disc: warning: 160 m, where all else is within 0.22 m'
edit goal 's/"position": \[0.22, 0.04, 0\]/"position": [220, 40, 0]/'
expect goal '/goal/position: warning: 220 m, where all else is within 0.16 m'
edit quaternion 's/"position": \[0.22, 0.04, 0\]/&, "orientation": [0, 0, 0, 1]/'
expect quaternion '/goal/orientation: warning: half a turn about z: the order is w, x, y, z'
edit other 's/"margin": 0.1/&, "kn": 5000, "kd": 3/'
expect other '/options/kn: warning: is of the law virtual and does nothing under barrier (and so is 1 more)'
"$TACT" check "$work/other.json" --law rigid >"$work/out" 2>"$work/err"
check "with --law a scene may be for several laws" [ "$(grep -c 'of the law' "$work/err")" = 0 ]
edit bounce 's/"mu": 0.5/&, "restitution": 0.9/'
expect bounce '/pairs/0/restitution: warning: is of the law rigid with "level": "velocity" and does nothing under barrier'
"$TACT" check "$work/disc.json" --set mu=0.01 >"$work/out" 2>"$work/err"
check "a friction that no pair has" grep -q '/mu: warning: changes nothing: each pair has its own' "$work/err"
for scene in data/scenes/*.json; do
    "$TACT" check --strict "$scene" >"$work/out" 2>"$work/err"
    check "$scene is meant" [ $? -eq 0 ]
done

# told NAME TEXT LINES: the mistake is refused with the text, in so many lines
told() {
    "$TACT" check "$work/$1.json" >"$work/out" 2>"$work/err"
    check "$1: refused" [ $? -eq 2 ]
    check "$1: $2" grep -qF "$2" "$work/err"
    check "$1: in $3 lines" [ "$(wc -l <"$work/err")" -eq "$3" ]
}
edit hinge 's/"type": "revolute"/"type": "hinge"/'
told hinge 'unknown value "hinge" (here it is "revolute")' 2
edit misspelt 's/"stiffness": 20 }, {/"stifness": 20 }, {/'
told misspelt 'unknown key "stifness" (did you mean "stiffness"?)' 1
edit gain 's/"stiffness": 20 }, {/"kp": 20 }, {/'
told gain 'unknown key "kp" (here it is "stiffness")' 1
edit twice 's/"name": "upper"/"name": "lower"/'
told twice '"lower" is already used at /bodies/0' 1
edit diameter 's/"radius": 0.04/"diameter": 0.08/'
told diameter 'unknown key "diameter" (here it is "radius", half of it)' 1
edit pos 's/"xyz": \[0.12, 0, 0\]/"pos": [0.12, 0, 0], "euler": [0, 0, 0]/'
told pos 'unknown key "pos" (here it is "xyz")' 2
edit listed 's/"mu": 0.5/&, "softness": 1, "hardness": 1/'
told listed '/pairs/0: error: unknown key "softness" (allowed: a, b, mu, restitution)' 2
check "the list stands once" [ "$(grep -c allowed: "$work/err")" = 1 ]
edit nan 's/"mass": 0.2/"mass": NaN/'
told nan '/bodies/2/mass: error: "NaN": not a number: JSON has neither NaN nor infinity' 1
edit infinity 's/"mass": 0.2/"mass": -Infinity/'
told infinity '"-Infinity": not a number: JSON has neither' 1
edit python 's/"margin": 0.1/&, "anchor": True/'
told python 'JSON writes true, false, null in small letters' 1
edit comma 's/"mu": 0.5 } \]/"mu": 0.5 }, ]/'
told comma 'expected a value (found "]"; no comma may stand before it)' 1
edit remark 's/"law": "barrier",/& # the law/'
told remark '(found "#"; comments are not allowed)' 1

edit unit 's/"mass": 0.2/"mass": 0.2kg/'
told unit '"0.2kg": not a number: numbers have no unit behind them' 1
edit worded 's/"mass": 0.2/"mass": "0.2 kg"/'
told worded '/bodies/2/mass: error: expected a number, found a string ("0.2 kg")' 1
edit turned 's/"horizon": 100/&, "orientation": [0, 0, 45]/'
told turned '/goal/orientation: error: expected 4 numbers, found 3' 1
edit upwards 's/"gravity": .0, 0, 0./"gravity": [0, 0, 9.81]/'
"$TACT" check "$work/upwards.json" >"$work/out" 2>"$work/err"
check "gravity that draws upwards" grep -q '/gravity: warning: upwards: z is up' "$work/err"

# set TEXT SETTING
set_wrong() {
    "$TACT" check "$work/disc.json" --set "$2" >"$work/out" 2>"$work/err"
    check "--set $2 is refused" [ $? -eq 2 ]
    check "--set $2: $1" grep -qF "$1" "$work/err"
}
set_wrong '(did you mean "options.kappa"?)' kappa=1e5
set_wrong 'there is no "tip" in /pairs' pairs.tip.mu=1
echo '{"tact": 1, "robots": [{"file": "arm.json"}]}' >"$work/robot.json"
for list in bodies drives; do
    "$TACT" check "$work/robot.json" --set $list.arm.mass=1 >"$work/out" 2>"$work/err"
    check "--set $list of a robot" grep -qF "the scene has no \"$list\" in which \"arm\" could be (of a robot: robots.0.$list.arm)" "$work/err"
done
set_wrong 'there is no "bananas" in / (allowed: tact, name, law' bananas=1

# a file of another kind says what it is, and what takes it
kind() { # NAME TEXT
    "$TACT" run "$work/$1" >"$work/out" 2>"$work/err"
    check "$1 as a scene is refused" [ $? -eq 2 ]
    check "$1: $2" grep -qF "$2" "$work/err"
    check "$1: in one line" [ "$(wc -l <"$work/err")" -eq 1 ]
}
"$TACT" run "$work/disc.json" --steps 1 --quiet --trace "$work/run.jsonl"
printf '{"tact_batch": 1, "scene": "disc.json"}' >"$work/batch"
printf '{"x": 1, "tact_batch_manifest": 1}' >"$work/manifest"
printf '<?xml version="1.0"?>\n<robot name="r"><link name="a"/></robot>' >"$work/r.urdf"
printf '<mujoco/>' >"$work/r.xml"
printf '<COLLADA/>' >"$work/r.dae"
printf '<html/>' >"$work/r.html"
printf '<svg/>' >"$work/r.svg"
printf '# made by hand\n\nv 0 0 0\nv 1 0 0\nf 1 2 1\n' >"$work/r.obj"
printf 'solid s\n facet normal 0 0 1\n' >"$work/r.stl"
{ head -c 80 /dev/zero && printf '\001\000\000\000' && head -c 50 /dev/zero; } >"$work/b.stl"
printf '\223NUMPY' >"$work/a.npy"
printf 'PK\003\004' >"$work/a.npz"
kind run.jsonl 'not a scene but a recorded run: tact plot, render, view, export and identify take it'
kind batch 'not a scene but a batch: tact batch takes it'
kind manifest 'not a scene but the manifest of a batch'
kind r.urdf 'not a scene but a robot in URDF: tact new --robot FILE'
kind r.xml 'not a scene but a model in MJCF: tact new --robot FILE'
kind r.dae 'not a scene but a mesh (COLLADA)'
kind r.html 'a web page (HTML): download the file itself'
kind r.svg 'not a scene but XML, and neither URDF nor MJCF'
kind r.obj 'not a scene but a mesh (OBJ)'
kind r.stl 'not a scene but a mesh (STL)'
kind b.stl 'not a scene but a mesh (STL)'
kind a.npy 'not a scene but an array of NumPy'
kind a.npz 'not a scene but an archive'

# as a robot, to import, as a batch
robot() { # NAME TEXT
    printf '{"tact": 1, "robots": [{"file": "%s"}]}' "$1" >"$work/scene.json"
    "$TACT" check "$work/scene.json" >"$work/out" 2>"$work/err"
    check "$1 as a robot is refused" [ $? -eq 2 ]
    check "$1 as a robot: $2" grep -qF "$2" "$work/err"
}
cp "$work/r.urdf" "$work/urdf.json"
cp "$work/r.xml" "$work/mjcf.json"
robot disc.json 'a scene (it has "law"), not a robot file'
robot run.jsonl 'not a robot file but a recorded run'
robot urdf.json 'a robot in URDF, whose name must end with .urdf'
robot mjcf.json 'a robot in MJCF, whose name must end with .xml or .mjcf'
for name in r.obj disc.json run.jsonl; do
    "$TACT" import "$work/$name" >"$work/out" 2>"$work/err"
    check "$name is no robot to import" [ $? -eq 2 ]
    check "$name: says so" grep -q "not a robot in URDF or MJCF but" "$work/err"
done
"$TACT" batch "$work/r.urdf" >"$work/out" 2>"$work/err"
check "a robot is no batch" grep -q 'not a batch or a scene but a robot in URDF' "$work/err"

# names of files and of scenes that come along
near() { # TEXT WORDS...
    text=$1
    shift
    "$TACT" "$@" >"$work/out" 2>"$work/err"
    check "$*: cannot be read" [ $? -eq 3 ]
    check "$*: $text" grep -qF "$text" "$work/err"
}
printf '\211MCAP0\r\n' >"$work/run.mcap"
kind run.mcap 'a recording in MCAP'
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$work/mug.obj"
kind mug.obj 'tact convert MESH --sdf 49 -o MESH.npy makes a shape of it'
cat >"$work/mug.json" <<END
{"tact": 1, "bodies": [{"name": "mug", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": {"type": "free"}}],
 "shapes": [{"name": "mug", "body": "mug", "type": "grid", "file": "mug.obj", "low": [0, 0, 0], "step": 1}]}
END
"$TACT" check "$work/mug.json" >"$work/out" 2>"$work/err"
check "a mesh in the place of its grid" grep -q '/shapes/0/file: error: .*mug.obj: a mesh, not its distance grid: tact convert MESH --sdf' "$work/err"
refuse "an export that is none" "an export is MCAP: name it $work/run.mcap" "$TACT" export "$work/run.jsonl" -o "$work/run.csv"
refuse "no such body" "no body \"nobody\" (there are: upper, lower, disc)" "$TACT" identify "$work/disc.json" "$work/run.jsonl" --mass nobody
refuse "a body near one" "no body \"dics\" (did you mean \"disc\"?)" "$TACT" identify "$work/disc.json" "$work/run.jsonl" --mass dics
"$TACT" run "$work/disc.json" --set options.dt=0.02 --steps 2 --quiet --trace "$work/slow.jsonl"
check "commands in other steps" says 0 "" "$TACT" optimise "$work/disc.json" --start "$work/slow.jsonl"

near 'hand_lif: error: No such file or directory (did you mean hand_lift, which comes along?)' run hand_lif
near 'lessn.json: error: No such file or directory (did you mean lesson, which comes along?)' check lessn.json
near "(did you mean $work/disc.json?)" check "$work/disk.json"
near 'No such file or directory' check "$work/nothing_like_this.json"
near 'No such file or directory' check nothing_like_this

test_end suspect
