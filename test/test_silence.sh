#!/bin/sh
# SPDX-License-Identifier: MIT
# What passed in silence: an overlap at the start, a step without an answer, options and lists that do nothing, numbers in other
# units, files under the name of another kind. Each is told once; under --strict a scene with it is refused.
. test/test.sh
tact="$TACT"
cat >"$work/base.json" <<'END2'
{"tact": 1, "mu": 0.5, "pairs": "auto",
 "bodies": [{"name": "ball", "parent": "world", "mass": 0.1, "inertia": [4e-5, 4e-5, 4e-5, 0, 0, 0],
             "joint": {"name": "ball", "type": "free"}},
            {"name": "finger", "parent": "world", "mass": 0.05,
             "joint": {"name": "finger", "type": "prismatic", "axis": [1, 0, 0], "xyz": [-0.1, 0, 0.03]}}],
 "shapes": [{"name": "table", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0},
            {"name": "ball", "body": "ball", "type": "sphere", "radius": 0.03},
            {"name": "tip", "body": "finger", "type": "sphere", "radius": 0.01}],
 "drives": [{"joint": "finger", "stiffness": 100}],
 "state": {"q": {"ball": [0, 0, 0.05, 1, 0, 0, 0]}},
 "command": {"mode": "fixed", "q": {"finger": 0.08}}}
END2
base="$work/base.json"

# silent NAME WORDS...: nothing is told on standard error
silent() {
    name=$1
    shift
    "$@" >"$work/out" 2>"$work/err"
    check "$name" sh -c "cat '$work/err'; [ ! -s '$work/err' ]"
}
# warns NAME TEXT [--set PATH=VALUE | --law LAW]...: told once by check, alone, and refused under --strict
warns() {
    name=$1 text=$2
    shift 2
    "$tact" check "$base" "$@" >"$work/out" 2>"$work/err"
    check "$name: check goes on" [ $? -eq 0 ]
    check "$name: told once" sh -c "cat '$work/err'; [ \$(grep -cF -- '$text' '$work/err') = 1 ]"
    check "$name: alone" sh -c "cat '$work/err'; [ \$(wc -l <'$work/err') -eq 1 ]"
    check "$name: refused under --strict" says 2 "${text##*warning: }" "$tact" check --strict "$base" "$@"
}
silent "the scene without a mistake" "$tact" check --strict "$base"

# shapes that overlap where the scene begins, and what comes of it
over='state.q.ball=[-0.1,0,0.03,1,0,0,0]' overlap='1 pair overlaps at the start, deepest "ball" and "tip" by 0.04 m'
infeasible='step 1: infeasible: the contacts contradict each other'
warns "an overlap" "$overlap" --set "$over"
twins='1 pair overlaps at the start, deepest "ball" and "tip" by 0.04 m'
twin() { # LAW Y: two equal boxes, 0.01 m apart along x
    warns "boxes with faces in one plane, $1, $2" "$twins" --set law="$1" --set state.q.ball="[-0.09,$2,0.03,1,0,0,0]" \
        --set 'shapes=[{"name":"ball","body":"ball","type":"box","size":[0.05,0.05,0.05]},{"name":"tip","body":"finger","type":"box","size":[0.05,0.05,0.05]}]'
}
for y in 0 0.003; do twin barrier $y && twin rigid $y; done
warns "an overlap under the law rigid" "$overlap" --set "$over" --set law=rigid
check "run tells it under the law rigid" says 1 "$overlap" "$tact" run "$base" --quiet --set "$over" --set law=rigid
check "run --strict refuses it" says 2 "error: $overlap" "$tact" run "$base" --strict --quiet --set "$over"
silent "half a millimetre under the law rigid" "$tact" check "$base" --set 'state.q.ball=[0,0,0.0295,1,0,0,0]' --set law=rigid
check "plot" says 1 "plot: error: $infeasible" "$tact" plot "$base" --set "$over"
check "plot tells the overlap" says 1 "plot: warning: $overlap" "$tact" plot "$base" --set "$over"
check "plot --body" says 1 "plot: error: $infeasible" "$tact" plot "$base" --body ball --set "$over"
check "render" says 2 "render: error: $infeasible" "$tact" render "$base" --step 3 --set "$over"
check "grad" says 1 "grad: error: $infeasible" "$tact" grad "$base" --set "$over"
check "grad --rollout" says 1 "grad: error: $infeasible" "$tact" grad "$base" --rollout --steps 3 --set "$over"

# values of another law, set beside --law
warns "an option of another law beside --law" '/options/temperature: warning: is of the law virtual and does nothing under rigid' \
    --law rigid --set options.temperature=0.01
warns "a restitution beside --law" 'does nothing under barrier' --law barrier --set restitution=0.5
warns "two laws" '/law: warning: --set law=rigid does nothing: --law barrier stands above it' --set law=rigid --law barrier
warns "a long step" '/options/dt: warning: 0.1 s: laws with velocities, as rigid, want 0.01 s or less' --law rigid --set options.dt=0.1
sed 's/"tact": 1,/& "law": "rigid",/' "$base" >"$work/rigid.json"
for dt in 1 0.15; do
    sed "s/\"tact\": 1,/& \"options\": {\"dt\": $dt},/" "$work/rigid.json" >"$work/endless.json"
    check "a step of $dt s in the scene" says 0 "/options/dt: warning: $dt s: laws with velocities, as rigid, want 0.01 s or less" \
        "$tact" check "$work/endless.json"
    check "and by --set" says 0 "/options/dt: warning: $dt s: laws with velocities" "$tact" check "$work/rigid.json" --set "options.dt=$dt"
done
sed 's/"tact": 1/"tact": 1, "law": "rigid", "options": {"dt": 0.1, "kn": 1}/' "$base" >"$work/own.json"
silent "a long step of the scene's own law" sh -c "'$tact' check '$work/own.json' 2>&1 >/dev/null | grep -v options/kn >&2"

# options that do nothing, and an input without a line
"$tact" run "$base" --quiet --steps 20 --trace "$work/run.jsonl" 2>"$work/err"
check "render --set of a trace" says 4 '--set is of a scene' "$tact" render "$work/run.jsonl" --set mu=1
check "plot --steps of a trace" says 4 '--steps is of a scene' "$tact" plot "$work/run.jsonl" --steps 10
check "but of one beside a scene" answers 0 "$tact" plot "$work/run.jsonl" "$base" --steps 10
check "--frames of one picture" says 4 '--frames: only with --animate' "$tact" render "$work/run.jsonl" --frames 10
check "two traces" says 4 '--trace: given twice' "$tact" run "$base" --trace "$work/a.jsonl" --trace "$work/b.jsonl"
check "--seed without --starts" says 4 '--seed: only with --starts' "$tact" optimise "$base" --seed 4
check "--time 0" sh -c "'$tact' mpc data/scenes/allegro_cube.json --time 0 2>&1 | grep -q 'warning: --time 0: goals are drawn, and none is pursued'"
for command in "fk $base" "ik $base" lcp solve distance; do
    # shellcheck disable=SC2086 # the command and its operand
    check "$command of nothing" sh -c "'$tact' $command </dev/null 2>&1 | grep -q '<stdin>: warning: holds no lines: a JSON object'"
done

# names of another kind
ending() { # NAME TEXT WORDS...
    name=$1 text=$2
    shift 2
    check "$1 writes no $name" says 4 "$text" "$tact" "$@" "$work/a.$name"
    check "$1: no $name is there" [ ! -e "$work/a.$name" ]
}
ending obj "a scene becomes MJCF or URDF: name it $work/a.xml" convert "$base" -o
ending npy "a scene becomes MJCF or URDF: name it $work/a.xml" convert "$base" -o
ending jsonl "pictures are SVG: name it $work/a.svg" plot "$work/run.jsonl" -o
ending urdf "an export is MCAP: name it $work/a.mcap" export "$work/run.jsonl" -o
ending svg "a trace is JSON Lines: name it $work/a.jsonl" run "$base" --trace
ending PNG "constants are C: name it $work/a.c" bake "$base" -o
ending stl "the page is HTML: name it $work/a.html" view "$base" --no-open -o
check "a name without an ending" answers 0 "$tact" run "$base" --steps 1 --quiet --trace "$work/a.b-1"

# a robot file in the place of a scene
cat >"$work/arm.json" <<'END2'
{"tact": 1, "bodies": [{"name": "upper", "parent": "world", "mass": 1, "inertia": [0.01, 0.01, 0.01, 0, 0, 0],
  "joint": {"name": "shoulder", "type": "revolute", "axis": [0, 1, 0]}},
 {"name": "lower", "parent": "upper", "mass": 1, "inertia": [0.01, 0.01, 0.01, 0, 0, 0],
  "joint": {"name": "elbow", "type": "revolute", "axis": [0, 1, 0], "xyz": [0, 0, 0.3]}}]}
END2
robot='has the keys of a robot file only, and nothing is driven: a scene names such a file under "robots" (tact new --robot FILE makes one)'
check "a robot file is stepped, and told" says 0 "/: warning: $robot" "$tact" run "$work/arm.json" --quiet --steps 2
check "with --strict it is refused" says 2 "/: error: $robot" "$tact" check --strict "$work/arm.json"
check "one that cannot begin" says 2 'of a scene that names this robot file under "robots"' "$tact" run data/robots/allegro_right.json

# objects that fall past a plane, or rest far above it
warns "no pair with the table" '/bodies/0: warning: is in no pair with "table" below it, and would fall through' \
    --set 'pairs=[{"a":"tip","b":"ball"}]'
silent "a table that is above" "$tact" check "$base" --set 'pairs=[{"a":"tip","b":"ball"}]' --set shapes.table.offset=1
silent "without weight" "$tact" check "$base" --set 'pairs=[{"a":"tip","b":"ball"}]' --set 'gravity=[0,0,0]'
warns "kappa" '/options/kappa: warning: with kappa 1 "ball" rests 2.04 m above what bears it, more than half its size of 0.06 m: options.kappa=340' \
    --set options.kappa=1
silent "the kappa that it names" "$tact" check "$base" --set options.kappa=340
# an object of an MJCF model is one, too
cat >"$work/cube.xml" <<'END2'
<mujoco><worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body name="cube" pos="0 0 .2"><freejoint/><geom type="box" size=".015 .015 .015"/></body></worldbody></mujoco>
END2
echo '{"tact":1,"robots":[{"file":"cube.xml"}],"mu":0.5,"pairs":"auto"}' >"$work/cube.json"
"$tact" check "$work/cube.json" >"$work/out" 2>"$work/err"
check "kappa, of an object of a robot file" grep -qF 'with kappa 100 "cube" rests 0.0755 m above what bears it' "$work/err"

# masses and inertias
warns "grams" '/bodies/0/mass: warning: 100 kg in 0.0001131 m^3, denser than any metal' --set bodies.ball.mass=100
warns "grams, and the inertia of them" '/bodies/0/mass: warning: 500 kg in' --set bodies.ball.mass=500 \
    --set 'bodies.ball.inertia=[0.18,0.18,0.18,0,0,0]'
warns "a milligram" '/bodies/0/mass: warning: 1e-6 kg in 0.0001131 m^3, lighter than air' --set bodies.ball.mass=1e-6 \
    --set options.kappa=1e7
warns "a small inertia" '/bodies/0/inertia: warning: with its mass a radius of gyration of 3.873e-6 m, far within its shapes' \
    --set 'bodies.ball.inertia=[1e-12,1e-12,1e-12,0,0,0]'
hull='{"name":"ball","body":"ball","type":"hull","points":[[0.03,0,0],[-0.03,0.03,0],[-0.03,-0.03,0],[0,0,0.03]]}'
warns "grams of a hull" '/bodies/0/mass: warning: 200 kg, where no length reaches 1 m' --set bodies.ball.mass=200 --set "shapes.ball=$hull"

# w at the end of a quaternion
turn='half a turn about z: the order is w, x, y, z'
warns "a joint's frame" "/bodies/1/joint/quat: warning: $turn" --set 'bodies.finger.joint.quat=[0,0,0,1]'
warns "a shape's frame" "/shapes/1/quat: warning: $turn" --set 'shapes.ball.quat=[0,0,0,1]'
sed 's/"mu": 0.5,/&"robots": [{"file": "arm.json", "base": {"quat": [0, 0, 0, 1], "xyz": [1, 0, 1]}, "drives": {"shoulder": {"stiffness": 1}}}],/' \
    "$base" >"$work/quat.json"
check "a robot's base" says 0 "/robots/0/base/quat: warning: $turn" "$tact" check "$work/quat.json"

# millimetres
warns "limits" '/bodies/1/joint/limits: warning: 50 m, where all else is within 0.1 m' --set 'bodies.finger.joint.limits=[0,50]'
warns "a plane" '/shapes/0/offset: warning: 200 m, where all else is within 0.1 m' --set shapes.table.offset=-200
warns "a command" '/command/q/finger: warning: 80 m, where all else is within 0.1 m' --set command.q.finger=80
warns "a trajectory" '/command/q/finger: warning: 80 m, where all else is within 0.1 m' \
    --set 'command={"mode":"trajectory","times":[0,1],"q":{"finger":[0,80]}}'
awk 'BEGIN { for (i = 0; i < 8; i++) printf "v %d %d %d\n", i % 2 * 50, int(i / 2) % 2 * 50, int(i / 4) * 50
    split("1 3 4 2 5 6 8 7 1 2 6 5 3 7 8 4 1 5 7 3 2 4 8 6", c)
    for (i = 1; i < 24; i += 4) printf "f %d %d %d %d\n", c[i], c[i + 1], c[i + 2], c[i + 3] }' >"$work/cube.obj"
check "a mesh" says 0 'cube.obj: warning: 50 m long: the unit is the metre; of a mesh in millimetres: --scale 0.001' \
    "$tact" convert "$work/cube.obj" --sdf 9 -o "$work/cube.npy"
check "a mesh with its scale" sh -c "'$tact' convert '$work/cube.obj' --sdf 9 --scale 0.001 -o '$work/cube.npy' 2>&1 | grep -q 'unit is the metre' && exit 1 || exit 0"
cat >"$work/cube.urdf" <<'END2'
<robot name="r"><link name="base"/><link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><mesh filename="cube.obj"/></geometry></collision></link>
<joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>
END2
check "a robot's mesh" says 0 'shape "tip" is 50 m large: the unit is the metre; of a mesh in millimetres: scale="0.001 0.001 0.001"' \
    "$tact" import "$work/cube.urdf" --fit box

# a box that stands on spheres at its corners is not all of its volume
silent "a body of corner spheres" "$tact" check "$base" --set 'shapes.ball={"name":"ball","body":"ball","type":"sphere","radius":0.002,"xyz":[0.025,0.025,0.025]}'
# half a turn in a robot's own file
sed 's#<joint name="j" type="continuous">#&<origin rpy="0 0 3.14159265358979"/>#; s#<mesh filename="cube.obj"/>#<sphere radius="0.1"/>#' "$work/cube.urdf" >"$work/turned.urdf"
"$tact" import "$work/turned.urdf" >"$work/turned.json" 2>"$work/said"
check "half a turn of a robot" sh -c "! '$tact' check '$base' --set 'robots=[{\"file\":\"turned.json\",\"prefix\":\"r_\"}]' 2>&1 | grep -q 'half a turn'"

# drives that do nothing
warns "a drive without stiffness" '/drives/0/stiffness: warning: does not drive it: a drive has a stiffness above 0' \
    --set drives.0.stiffness=0 --set 'command={"mode":"hold"}'
warns "nothing that can move" '/: warning: nothing can move: no body has a joint that is not fixed' --set 'bodies=[{"name":"a","parent":"world","joint":{"type":"fixed"}}]' --set shapes=[] --set drives=[] \
    --set 'state={}' --set 'command={"mode":"hold"}'
warns "nothing that moves it" '/: warning: nothing will move: there is no drive, gravity, pair, spring, force or velocity' \
    --set 'drives=[]' --set 'pairs=[]' --set gravity=[0,0,0] --set 'command={"mode":"hold"}' --set 'shapes=[{"name":"tip","body":"finger","type":"sphere","radius":0.01}]'
silent "a velocity alone" "$tact" check "$base" --set law='"rigid"' --set 'drives=[]' --set 'pairs=[]' --set gravity=[0,0,0] --set 'command={"mode":"hold"}' \
    --set 'shapes=[]' --set 'state.v={"finger":1}'
warns "a second drive" '/drives/1: warning: has no effect: /drives/0 comes first' \
    --set 'drives=[{"joint":"finger","stiffness":100},{"joint":"finger","stiffness":5}]'
warns "a drive behind a pattern" '/drives/1: warning: has no effect: /drives/0 comes first' \
    --set 'drives=[{"joint":"f*","stiffness":100},{"joint":"finger","stiffness":5}]'
silent "a joint that is taken out of a pattern" "$tact" check "$base" --set 'drives=[{"joint":"ball","stiffness":0},{"joint":"*","stiffness":5}]'

# a weight along another axis than that which everything stands on
wide() { # SIZE XYZ: the table as a box
    echo "shapes=[{\"name\":\"table\",\"body\":\"world\",\"type\":\"box\",\"size\":$1,\"xyz\":$2},{\"name\":\"ball\",\"body\":\"ball\",\"type\":\"sphere\",\"radius\":0.03},{\"name\":\"tip\",\"body\":\"finger\",\"type\":\"sphere\",\"radius\":0.01}]"
}
for gravity in 0,-9.81,0 9.81,0,0; do
    warns "a weight of $gravity beside a box" '/gravity: warning: draws "ball" along "table", which is not below it: z is up' \
        --set gravity="[$gravity]" --set "$(wide [1,1,0.1] [0,0,-0.05])"
done
silent "a weight towards the box" "$tact" check "$base" --set gravity=[0,0,-9.81] --set "$(wide [1,1,0.1] [0,0,-0.05])"
silent "a slope" "$tact" check "$base" --set gravity=[3,0,-9.3] --set "$(wide [1,1,0.1] [0,0,-0.05])"
silent "where y is up" "$tact" check "$base" --set gravity=[0,-9.81,0] --set state.q.ball=[0.4,0.05,0.4,1,0,0,0] --set bodies.finger.joint.xyz=[-0.1,0.03,0] --set "$(wide [1,0.1,1] [0,-0.05,0])"
check "a weight out of the plane" says 0 "/gravity: warning: draws out of the scene's plane, the x-z plane" "$tact" check data/scenes/lift_hex.json --set gravity=[0,-9.81,0]

# a step as long as a whole motion
warns "half a second of its own law" '/options/dt: warning: 0.5 s: laws with velocities, as rigid, want 0.01 s or less' --set law=rigid --set options.dt=0.5
warns "a second of moving drives" '/options/dt: warning: 1 s: joints move far in such a step' --set law=barrier --set options.dt=1
silent "a tenth of a second" "$tact" check "$base" --set law=barrier --set options.dt=0.1
# drives stronger than any hand
warns "a drive of a crane" '/drives/0/force_limit: warning: 20000 N, of a robot of 0.05 kg' --set drives.0.force_limit=20000
silent "a drive that has a limit" "$tact" check "$base" --set drives.0.force_limit=9000
silent "a drive of a crane" "$tact" check "$base" --set drives.0.force_limit=20000 --set bodies.finger.mass=30

# a goal to which only links without friction lift
lift='goal={"body": "ball", "position": [0, 0, 0.2]}'
warns "a lift without friction" '/goal/position: warning: 0.15 m above the start, and no pair of "ball" with a driven link has friction (1, first "ball" and "tip")' \
    --set mu=0 --set gravity=[0,0,-9.81] --set "$lift"
silent "a lift with friction" "$tact" check "$base" --set gravity=[0,0,-9.81] --set "$lift"
silent "without friction, along the table" "$tact" check "$base" --set mu=0 --set gravity=[0,0,-9.81] --set 'goal={"body": "ball", "position": [0.1, 0, 0.05]}'
silent "without friction, up what may be a ramp" "$tact" check "$base" --set mu=0 --set gravity=[0,0,-9.81] --set "$lift" \
    --set 'shapes=[{"name": "ramp", "body": "world", "type": "sphere", "radius": 0.05, "xyz": [0.1, 0, 0]},
        {"name": "ball", "body": "ball", "type": "sphere", "radius": 0.03}, {"name": "tip", "body": "finger", "type": "sphere", "radius": 0.01}]'

# batches: a value that a parameter draws, and a shard of nothing
echo '{"tact_batch": 1, "scene": "base.json", "envs": 4, "steps": 3, "parameters": [{"path": "bodies.0.mass", "uniform": [0.1, 0.2]}]}' >"$work/batch.json"
for path in bodies.0.mass /bodies/ball/mass; do
    check "--set $path" says 0 "warning: \"$path\" does nothing: a parameter of the batch draws this value" \
        "$tact" batch "$work/batch.json" --quiet --set $path=0.2 --output "$work/drawn"
    check "--set $path --strict" says 2 "a parameter of the batch draws this value" \
        "$tact" batch "$work/batch.json" --strict --set $path=0.2 --output "$work/strict"
done
silent "--set of another body" "$tact" batch "$work/batch.json" --quiet --set bodies.1.mass=0.06 --output "$work/other"
check "a shard of nothing" says 0 'warning: shard 0 has no environment: shards are of whole chunks of' \
    "$tact" batch "$work/batch.json" --quiet --shard 0/2 --output "$work/part"

test_end silence
