#!/bin/sh
# SPDX-License-Identifier: MIT
# Mistakes of a first hour: each is told in words that say what to do, and none passes in silence.
. test/test.sh
tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") scenes=data/scenes
cat >"$work/good.json" <<'END'
{"tact": 1, "name": "drop", "law": "barrier", "options": {"dt": 0.01, "kappa": 1000},
"bodies": [
{"name": "cart", "parent": "world", "mass": 1, "joint": {"name": "slide", "type": "prismatic", "axis": [1, 0, 0], "limits": [-1, 1]}},
{"name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0], "joint": {"name": "ball", "type": "free"}}],
"shapes": [{"name": "tip", "body": "cart", "type": "sphere", "radius": 0.02}, {"name": "ball", "body": "ball", "type": "sphere", "radius": 0.04},
{"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": -0.1}],
"pairs": [{"a": "tip", "b": "ball", "mu": 0.5}, {"a": "floor", "b": "ball", "mu": 0.5}],
"drives": [{"joint": "slide", "stiffness": 100}],
"state": {"q": {"slide": -0.2, "ball": [0, 0, 0, 1, 0, 0, 0]}}, "command": {"mode": "hold"}}
END
check "the scene without a mistake" sh -c "[ -z \"\$('$tact' check --strict '$work/good.json' 2>&1 >/dev/null)\" ]"

prints() { # TEXT COMMAND...: the command succeeds and its output holds TEXT
    text=$1
    shift
    "$@" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }
    grep -qF -- "$text" "$work/said" || { echo "no \"$text\" in"; cat "$work/said"; return 1; }
}
mistake() { # TEXT SED: the scene so changed is refused, or with --strict, in words that hold TEXT
    sed "$2" "$work/good.json" >"$work/bad.json"
    if cmp -s "$work/good.json" "$work/bad.json"; then check "$2 changes the scene" false; fi
    check "$2" says 2 "$1" "$tact" check --strict "$work/bad.json"
}
mistake '"lower" (here it is "limits": [lower, upper])' 's/"limits": \[-1, 1\]/"lower": -1/'
mistake 'here it is of "springs": {"joints": {NAME: 1}, "stiffness": 0' 's/"limits": \[-1, 1\]/"limits": [-1, 1], "frictionloss": 1/'
mistake '(here it is "size", twice that)' 's/"sphere", "radius": 0.02/"box", "half_extents": [1, 1, 1]/'
mistake '(here it is "fixed")' 's/"hold"/"constant"/'
mistake 'expected 6 numbers, found 3: xx, yy, zz, xy, xz, yz' 's/, 0, 0, 0\], "joint"/], "joint"/'
mistake 'how far it is goes into "offset"' 's/"normal": \[0, 0, 1\]/"normal": [0, 0, 1, 0.1]/'
mistake 'the { of line 3 is not closed' '3s/}},$/},/'
mistake 'the [ of line 2 is not closed' '4s/}}\],$/}},/'
mistake 'the { of line 1 is not closed' '9s/}$//'
mistake 'found "\""; a comma is missing before it' '8s/,$//'
mistake 'this bracket closes none that is open' '9s/}$/}}/'
mistake 'found a string ("0.5"): numbers have no quotes' '7s/"mu": 0.5/"mu": "0.5"/'
mistake '("inertia": [xx, yy, zz, xy, xz, yz])' 's/"inertia": \[[^]]*\], //'
mistake 'motion is undetermined ("mass" in kg)' 's/"mass": 0.5, //'
mistake 'no shape "cart" (there are: tip, ball, floor)' 's/"a": "tip"/"a": "cart"/'
mistake 'no joint "cart" (there are: slide, ball)' 's/"slide": -0.2/"cart": -0.2/'
mistake 'found an array: {"a": ..., "b": ...}' 's/{"a": "tip", "b": "ball", "mu": 0.5}/["tip", "ball"]/'
mistake 'expected an object, found an array: {NAME: ...}' 's/"q": {[^}]*}/"q": [0, 1]/'
mistake 'key "mu" is missing: the friction of this pair, or one for all' 's/, "mu": 0.5//'
mistake 'key "parent" is missing: "world", or the body that carries it' 's/"parent": "world", "mass": 1, /"mass": 1, /'
mistake 'is of the free joint "ball", which cannot be driven' 's/{"joint": "slide"/{"joint": "ball"/'
mistake '(here it is "state")' 's/"state"/"start"/'
mistake 'no direction, as [0, 0, 1] is that of z' 's/"axis": \[1, 0, 0\]/"axis": [0, 0, 0]/'
mistake 'no turn is 1, 0, 0, 0)' 's/0, 1, 0, 0, 0\]/0, 0, 0, 0, 0]/'
mistake 'more than half its size of 0.08 m: options.kappa=51 makes that a tenth' 's/"kappa": 1000/"kappa": 8/'
mistake 'more than half its size' 's/"kappa": 1000/"kappa": 8/; s/"pairs": \[[^]]*\]/"pairs": "auto", "mu": 0.5/'
mistake 'JSON has neither pi' 's/-0.2/-pi/'
mistake 'JSON writes 0.5, not .5' 's/0.04/.04/'
mistake 'the decimal sign is a point' 's/0.04/0,04/'
mistake 'straight double quotes only' "s/\"drop\"/'drop'/"
mistake 'straight double quotes only' 's/"drop"/“drop”/'
mistake 'a law without velocities' 's/"state": {/"state": {"v": {"slide": 1}, /'
mistake 'the unit is m/s^2' 's/"name": "drop"/"name": "drop", "gravity": [0, 0, -981]/'
echo 'tact: 1' >"$work/bad.json"
check "YAML" says 2 'not JSON, in which a document begins with {' "$tact" check "$work/bad.json"

sed 's/"normal": \[0, 0, 1\], "offset": -0.1/"normal": [0, 0, -1], "offset": 0.1/' "$work/good.json" >"$work/bad.json"
check "a floor upside down" says 2 'to the side of "ball" ("floor" has 0, 0, -1;' "$tact" check --strict "$work/bad.json"
sed 's/"normal": \[0, 0, 1\], "offset": -0.1/"normal": [0, 1, 0], "offset": 0/' "$work/good.json" >"$work/bad.json"
check "a floor of a world with y up" says 2 'to the side of "ball" ("floor" has 0, 1, 0;' "$tact" check --strict "$work/bad.json"
cat >"$work/arm.urdf" <<'END'
<robot name="arm"><link name="base"/><link name="finger"><inertial><mass value="0.05"/>
<inertia ixx="20" iyy="20" izz="5" ixy="0" ixz="0" iyz="0"/></inertial>
<collision><geometry><sphere radius="0.01"/></geometry></collision></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="finger"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
END
echo '{"tact": 1, "law": "rigid", "options": {"dt": 0.01}, "robots": [{"file": "arm.urdf"}], "drives": [{"joint": "hinge", "stiffness": 1}]}' \
    >"$work/arm.json"
check "an inertia of a URDF in kg mm^2" says 2 'a radius of gyration of 21.21 m' "$tact" check --strict "$work/arm.json"
printf '%s\n' '{"tact": 1, "law": "rigid", "options": {"dt": 0.01}, "bodies": [{"name": "pin", "parent": "world", "mass": 1,' \
    '"inertia": [1, 1, 1, 0, 0, 0], "joint": {"name": "pin", "type": "revolute", "axis": [0, 1, 0]}}, {"name": "ball", "parent": "world",' \
    '"mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": {"name": "ball", "type": "free"}}]}' >"$work/mixed.json"
check "a free body's row has its quaternion" prints '  qw  ' "$tact" run "$work/mixed.json" --steps 2
check "joints have a table of their own" prints 'unactuated joints at the end [m, rad]' "$tact" run "$work/mixed.json" --steps 2
check "an option of another command" says 4 'unknown option "--what": it is one of tact plot' "$tact" run "$work/good.json" --what q
check "a value of the scene as an option" says 4 '--set options.dt=0.005' "$tact" run "$work/good.json" --dt 0.01
check "two scenes" says 4 'unexpected "good.json": usage: tact check SCENE' "$tact" check "$work/good.json" good.json
check "--set without =" says 4 '--set: must be PATH=VALUE' "$tact" run "$work/good.json" --set options.kappa 1e4
check "--set of an option, misspelt" says 2 'did you mean "options.kappa"?' "$tact" run "$work/good.json" --set kapa=1e4
check "--set of a body" says 2 'did you mean "bodies.cart"?' "$tact" run "$work/good.json" --set cart.mass=2
check "steps of a controller" says 4 'unknown option "--steps": this command runs for seconds: --time 30' "$tact" mpc "$work/good.json" --steps 10
check "seconds of a run" says 4 'unknown option "--time": this command makes steps, each of options.dt seconds' "$tact" run "$work/good.json" --time=3
check "no such body in a figure" says 4 'did you mean "ball"?' "$tact" plot "$work/good.json" --body bal
check "no such folder" says 3 'its folder does not exist' "$tact" run "$work/good.json" --trace "$work/none/run.jsonl"
check "a scene in place of a run" says 3 'is a scene, not a recorded run' "$tact" export hand_lift -o "$work/a.mcap"
check "a folder as the file" says 3 'Is a directory: name the file in it' "$tact" new --robot "$work/none.xml" --object sphere:0.02 -o "$work"
check "a format that is not written" says 4 'a scene becomes MJCF or URDF: name it' "$tact" convert "$work/good.json" -o "$work/a.sdf"
printf '<mujoco><keyframe><key name="home" qpos="0 1"/><key qpos="1 1"/></keyframe></mujoco>\n' >"$work/keys.xml"
check "keyframes alone" says 2 'expected 0 numbers, found 2: there are no bodies, take the model that includes this file' "$tact" import "$work/keys.xml"
check "once" sh -c "[ \$('$tact' import '$work/keys.xml' 2>&1 | wc -l) = 1 ]"
"$tact" check "$work/good.json" >"$work/checked"
check "the gap in words" grep -qF 'rests at the gap 2/(kappa F):' "$work/checked"
check "of the ball's weight, 2/(1000 0.5 9.81)" grep -qF ' N, on one contact at 0.000408 m, shared' "$work/checked"
check "pairs in words" grep -qF 'contacts that can close: 2 of free bodies, 0 of others; 0 without friction' "$work/checked"
check "drives in words" grep -qF 'no force_limit: 1 drive(s)' "$work/checked"
check "no such command" says 4 'there are: run, check' "$tact" frobnicate hand_lift

# a figure for a column of a paper, and completion in a shell
check "a figure of 85 mm" answers 0 "$tact" plot "$work/good.json" --steps 20 --column -o "$work/column.svg"
check "as wide" grep -q '^<svg [^>]*width="321"' "$work/column.svg"
check "--column is of runs" says 4 '--column is not of --body' "$tact" plot "$work/good.json" --column --body ball
if command -v bash >/dev/null; then
    cat >"$work/complete" <<'END'
eval "$("$1" help --bash)"
COMP_WORDS=(tact run --ste) COMP_CWORD=2
_tact && echo "${COMPREPLY[@]}"
COMP_WORDS=(tact opt) COMP_CWORD=1
_tact && echo "${COMPREPLY[@]}"
COMP_WORDS=(tact run --law r) COMP_CWORD=3
_tact && echo "${COMPREPLY[@]}"
COMP_WORDS=(tact help scen) COMP_CWORD=2
_tact && echo "${COMPREPLY[@]}"
END
    check "completion" sh -c "[ \"\$(bash '$work/complete' '$tact' | tr '\n' ' ')\" = '--steps optimise rigid scene ' ]"
fi

# a file of another kind: one line says which, and what to do
gzip -c "$work/good.json" >"$work/good.json.gz"
{ printf '\377\376' && sed 's/./&\n/g' "$work/good.json" | head -n 40 | tr '\n' '\000'; } >"$work/utf16.json"
printf '\211PNG\r\n\032\n\000\000\000' >"$work/a.png"
printf '<?xml version="1.0"?>\n<sdf version="1.6"><model name="m"/></sdf>\n' >"$work/a.sdf"
printf '<robot name="r"><link name="a"/></robot>\n' | gzip -c >"$work/a.urdf.gz"
"$tact" run "$work/good.json" --steps 2 --quiet --trace "$work/run.jsonl"
other() { # TEXT COMMAND...: refused in one line that holds TEXT
    check "$2 of another kind" says 2 "$@"
    check "$2: in one line" sh -c "[ \$(grep -c error: '$work/said') -eq 1 ]"
}
other 'compressed by gzip: gunzip it first' "$tact" run "$work/good.json.gz"
other 'compressed by gzip: gunzip it first' "$tact" import "$work/a.urdf.gz"
other 'text in UTF-16: save it as UTF-8' "$tact" run "$work/utf16.json"
other 'not a scene but a binary file' "$tact" render "$work/a.png"
other 'convert it to URDF or MJCF first' "$tact" import "$work/a.sdf"
other 'not lines of problems but a scene' "$tact" solve "$work/good.json"
other 'not lines of problems but a recorded run' "$tact" solve "$work/run.jsonl"
cube=data/scenes/allegro_cube.json
other 'not lines of goals ({"goal": {"body": ...' "$tact" mpc $cube --goals "$work/good.json"
printf 'x,y,z\n0.1,0.2,0.3\n' >"$work/goals.csv"
other 'not lines of goals ({"goal": {"body": ..., "position": [x, y, z]}}) but a table' "$tact" mpc $cube --goals "$work/goals.csv"
other 'not lines of problems but a table or other text: a line is JSON' "$tact" solve "$work/goals.csv"
echo '[0, 0, 0.1]' >"$work/goals.jsonl"
check "a goal as an array" says 1 'found an array: {"goal": {"body": ..., "position": [x, y, z]}}' "$tact" mpc $cube --goals "$work/goals.jsonl"
other 'not a roadmap but a scene' "$tact" mpc $cube --roadmap "$work/good.json"
other 'not a roadmap but a recorded run' "$tact" roadmap $cube -o "$work/run.jsonl"
other 'its "goal" names no body with a free joint' "$tact" roadmap "$work/good.json" -o "$work/x.roadmap"
goal='goal={"body": "ball", "position": [0, 0, 0]}'
other 'not lines of commands, nor a recorded run, but a scene' "$tact" optimise "$work/good.json" --set "$goal" --start "$work/good.json"

# a step without an answer is told with its cause, and what ends at the limit of iterations with the option
cause() { # TEXT SET: the run ends with exit code 1 and that text
    check "$2" says 1 "$1" "$tact" run "$work/good.json" --steps 3 --set "$2"
}
check "a plane upside down" says 1 'undecided: shapes overlap, deepest "ball" and "floor" by 0.14 m: a plane' "$tact" run "$work/good.json" \
    --set 'shapes.floor={"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, -1], "offset": 0.1}' --set 'pairs="auto"' --set mu=0.5
cause 'the limits of "slide" leave it no room' 'bodies.cart.joint.limits=[-0.2, -0.2]'
# in single precision the step ends otherwise
[ "$REAL" = float ] || cause 'no drive holds "ball.wx": raise options.epsilon' options.epsilon=0
cause 'raise options.max_iterations (1)' options.max_iterations=1
cause 'options.tolerance is below rounding (1e-30)' options.tolerance=1e-30

mistake 'is free, and cannot be driven' 's/{"mode": "hold"}/{"mode": "fixed", "q": {"ball": 1}}/'
mistake 'found an array: {"slide": [one value for each time]' 's/{"mode": "hold"}/{"mode": "trajectory", "times": [0, 1], "q": [[0], [1]]}/'
mistake "the scene's plane, the x-z plane: one of type \"planar\" stays in it" 's/"law": "barrier"/"law": "virtual"/; s/, "kappa": 1000//'
printf '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>\n' >"$work/r.urdf"
sed 's/"bodies"/"robots": [{"file": "r.urdf"}, {"file": "r.urdf"}], "bodies"/' "$work/good.json" >"$work/twice.json"
other 'a "prefix" in /robots/1 goes before all its names' "$tact" check "$work/twice.json"
check "a shape that is turned out of the plane" says 2 "the shape does not lie in the scene's plane, the x-z plane: turn it" \
    "$tact" check data/scenes/lift_hex.json --set 'shapes.1.rpy=[1.57, 0, 0]'

# options: what was meant by them, and settings named as they were given
check "a number of steps in bench" says 4 '--steps takes a trace' "$tact" bench "$work/good.json" --steps 100
check "mpc of a virtual scene" says 2 'goes by the law "barrier", and this scene suits its own law "virtual" only' "$tact" mpc data/scenes/lift_hex.json --time 1
check "a setting of the plant" says 2 '--plant-set mass=1: error: there is no "mass" in / (did you mean "bodies.cart.mass"?)' \
    "$tact" mpc "$work/good.json" --set "$goal" --plant-set mass=1
check "a setting that is varied" says 2 '--vary options.kapa=1: error' "$tact" plot "$work/good.json" --body ball --vary options.kapa=1,2 -o "$work/v.svg"
check "ik of a body without a drive" says 1 'no driven joint moves "ball": --all' \
    sh -c "echo '{\"targets\": [{\"body\": \"ball\", \"position\": [0, 0, 1]}]}' | '$tact' ik '$work/good.json'"
target() { # POSITION
    echo "{\"targets\": [{\"body\": \"finger_r_link_1_thumb4\", \"position\": [$1]}]}" | "$tact" ik data/scenes/lesson.json
}
check "ik in millimetres" says 1 'a target of "finger_r_link_1_thumb4" is 233 m away, where all else is within 0.233 m: targets are in metres' target 3,-120,200
check "ik of what is out of reach" answers 1 target 0,0,3
check "says nothing of units" sh -c "! grep -q metres '$work/said'"
check "TACT_VIEWER" says 3 'no page "/none.html", which TACT_VIEWER names' env TACT_VIEWER=/none.html "$tact" view "$work/run.jsonl" -o "$work/v.html"
for set in 'bodies.ball.mass=2 kg|a number has no unit behind it' 'gravity=0,0,-9.81|a list has brackets around it' \
    'options.kappa=abc|--set options.kappa=abc: /options/kappa: error: expected a number'; do
    other "${set#*|}" "$tact" run "$work/good.json" --set "${set%|*}"
done
# what is written in Python, and with a comma in a number
for set in 'options.anchor=True|JSON writes true, false, null in small letters' 'gravity=(0,0,-9.81)|a list has brackets around it' \
    'gravity={0, 0, -9.81}|a list has brackets around it' 'options.dt=0,01|the decimal sign is a point: 0.5' \
    'options.dt=10ms|a number has no unit behind it' 'options.anchor=yes|expected true or false, found a string ("yes")'; do
    other "${set#*|}" "$tact" run "$work/good.json" --set "${set%|*}"
done
mistake '(found "("; a list has brackets: [0, 0, 1])' 's/"limits": \[-1, 1\]/"limits": (-1, 1)/'
mistake '(found "-1"; a list has brackets: [0, 0, 1])' 's/"limits": \[-1, 1\]/"limits": {-1, 1}/'
mistake 'expected an array of 3 numbers, found a string: [x, y, z]' 's/"axis": \[1, 0, 0\]/"axis": "x"/'
check "a scene without a command" says 4 'a scene follows a command: tact run SCENE steps one' "$tact" "$work/good.json"
check "a setting that is right is not blamed" sh -c "! '$tact' run '$work/good.json' --set mu=-1 --set name=x 2>&1 | grep -q 'read with'"
check "new with a robot as operand" says 4 'a robot is given as --robot "a.urdf"' "$tact" new a.urdf --object sphere:0.03

# forms that other programs have, and where a file that is wrong is named
mistake 'is "grid": tact convert MESH --sdf 49' 's/"type": "sphere", "radius": 0.02/"type": "mesh", "file": "a.stl"/'
mistake '/exclude: error: expected a list of pairs: [["cart", "ball"]]' 's/"name": "drop"/"name": "drop", "exclude": ["cart", "ball"], "mu": 0.5/; s/"pairs": .*/"pairs": "auto",/'
check "told once" sh -c "[ \$(grep -c error: '$work/said') -eq 1 ]"
grid='s/"type": "sphere", "radius": 0.02/"type": "grid", "low": [0, 0, 0], "step": 0.1, "file": "none.npy"/'
sed "$grid" "$work/good.json" >"$work/bad.json"
check "a grid that is not there" says 3 "/shapes/0/file: error: $work/none.npy: No such file" "$tact" check "$work/bad.json"
sed 's/"bodies"/"robots": [{"file": "a.png"}], "bodies"/' "$work/good.json" >"$work/bad.json"
check "a robot that is none" says 2 "/robots/0/file: error: $work/a.png: not a robot file but a binary file" "$tact" check "$work/bad.json"
printf '[0, 0]\n' >"$work/line"
check "fk of a list" says 1 'expected an object, found an array: {"q": ...}' sh -c "'$tact' fk '$work/good.json' <'$work/line'"
printf '{"a": "ball", "b": "tip"}\n' >"$work/line"
check "distance of names" says 1 'found a string: {"type": ..., ...}' "$tact" distance "$work/line"

# commands, laws and folders: told before any work is done
check "plan" says 4 'tact optimise makes a whole plan' "$tact" plan "$work/good.json"
check "-v" says 4 'tact --version' "$tact" -v
check "a shipped scene by its path" says 3 'did you mean lesson, which comes along?' sh -c "t=\$(realpath '$tact'); cd '$work' && \"\$t\" run data/scenes/lesson.json"
check "a law, misspelt" says 4 'did you mean "barrier"?' "$tact" run "$work/good.json" --law bariers
for words in "new --robot $work/r.urdf --object sphere:0.03 -o" "batch $work/good.json --output"; do
    # shellcheck disable=SC2086
    check "no folder: ${words%% *}" says 3 'its folder does not exist' "$tact" $words "$work/none/sub/out"
    check "told first: ${words%% *}" sh -c "[ \$(wc -l <'$work/said') -eq 1 ]"
done
printf '<mujoco><asset><mesh name="m" file="none.stl"/></asset><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody></mujoco>\n' >"$work/m.xml"
check "MJCF without its mesh" says 3 'file "none.stl": No such file' "$tact" import "$work/m.xml" --fit box
check "told once" sh -c "[ \$(grep -c error: '$work/said') -eq 1 ]"

# words of other tools that are at home elsewhere here, before words that are near in letters
top() { mistake "$2" "s/\"name\": \"drop\"/\"$1\": 1/"; }
top timestep 'here it is "dt" in "options"'
top time_step '{"options": {"dt": 0.01}}'
top friction 'here it is "mu", a number for all pairs'
top time 'tact run SCENE --steps N'
top include '"robots": [{"file": "hand.urdf"}]'
top comment 'a scene has no comments'
top solver 'here it is "options"'
top worldbody 'a shape of the body "world"'
top initial_state 'here it is "state"'
top ctrl 'here it is "command"'
mistake 'expected an array of 3 numbers, found a number: [x, y, z]' 's/"name": "drop"/"gravity": -9.81/'
of_body() { mistake "$2" "s/\"name\": \"cart\"/\"$1\": 1, &/"; }
of_body pos '"xyz", "rpy", "quat" of "joint", or "state"'
of_body geom "of the scene's \"shapes\""
of_body diaginertia '[xx, yy, zz, xy, xz, yz]'
of_body static '{"type": "fixed"}'
of_body velocity "in the scene's \"state\""
mistake "of a drive, in the scene's" 's/"axis"/"damping": 1, &/'
mistake 'a joint that turns every way is "free"' 's/"prismatic"/"ball"/'
mistake 'here it is "fixed"' 's/"prismatic"/"weld"/'
mistake '"type", with its sizes' 's/"radius": 0.02/&, "geometry": "sphere"/'
mistake 'here it is of the body' 's/"radius": 0.02/&, "mass": 1/'
mistake 'here it is "force_limit"' 's/"stiffness": 100/&, "effort": 1/'
mistake "in the scene's \"command\"" 's/"stiffness": 100/&, "target": 1/'
mistake 'tact convert MESH --sdf 49 -o GRID.npy prints it' 's/"type": "sphere", "radius": 0.02/"type": "grid", "file": "a.npy"/'

# options that a command would pass over
"$tact" run "$work/good.json" --steps 5 --quiet --trace "$work/run.jsonl"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >"$work/tetra.obj"
for words in --what --only; do check "--body $words" says 4 "$words is not of --body" "$tact" plot "$work/good.json" --body ball $words q; done
check "--body --all" says 4 '--all is not of --body' "$tact" plot "$work/good.json" --body ball --all
check "no chart" says 4 '--what: no chart is named' "$tact" plot "$work/run.jsonl" --what ''
check "--step of a moving picture" says 4 '--step: not with --animate' "$tact" render "$work/run.jsonl" --animate --step 3
check "a scene is stepped so far" answers 0 "$tact" render "$work/good.json" --animate --step 3 -o "$work/a.svg"
check "view --set of a trace" says 4 '--set is of a scene' "$tact" view "$work/run.jsonl" --set options.dt=0.1 --no-open -o "$work/a.html"
check "view --packages" says 4 '--packages: no folder "none"' "$tact" view "$work/good.json" --packages none --no-open -o "$work/a.html"
for words in "--law rigid" "--set law=rigid" --gravcomp "--scene-to a.json"; do
    # shellcheck disable=SC2086
    check "--sdf $words" says 4 "${words%% *} applies to a scene, --sdf to a mesh" "$tact" convert "$work/tetra.obj" --sdf 9 -o "$work/a.npy" $words
done
check "nothing is written" test ! -e "$work/a.npy"
check "--frozen of the rigid law" says 4 '--frozen: the law rigid has no such' "$tact" grad "$work/good.json" --law rigid --frozen
check "a roadmap to standard output" says 4 'a roadmap must be a file' "$tact" roadmap "$scenes/allegro_cube.json" -o -
check "two plants" says 4 '--plant: not with --plant-scene' "$tact" mpc "$scenes/allegro_cube.json" --plant barrier --plant-scene "$scenes/allegro_cube.json"
check "a plant of its own" answers 1 "$tact" mpc "$scenes/allegro_cube.json" --plant-scene "$scenes/allegro_cube.json" --time 0.02
check "sizes of a board" says 4 'make sizes SCENE=FILE prints what memory a board takes, in float32' "$tact" bake "$work/good.json" --target float32
check "a part of a scene as a topic" says 4 'tact help scene has all keys' "$tact" help bodies

# a file in another's place, whole or in part
sed 1d "$work/run.jsonl" >"$work/steps.jsonl"
check "a trace without its first line" says 2 'steps of a recorded run without its first line' "$tact" plot "$work/steps.jsonl"
head -n 1 "$work/run.jsonl" >"$work/head.jsonl"
check "and that line alone" says 2 'the trace has no steps' "$tact" plot "$work/head.jsonl" -o "$work/none.svg"
check "no picture" test ! -e "$work/none.svg"
check "a scene in a trace's place" says 2 'is not a trace: tact run SCENE --trace FILE writes one' "$tact" identify "$work/good.json" "$work/good.json" --mass ball
check "a file in a shard's place" says 2 'is a file: a shard is the folder' "$tact" merge "$work/all" "$work/good.json"
printf '<mujoco><option timestep="0.001" cone="elliptic"><flag contact="disable"/></option><worldbody/></mujoco>\n' >"$work/option.xml"
"$tact" import "$work/option.xml" >"$work/out" 2>"$work/err"
check "options one by one" grep -qF 'left out: option@timestep, option@cone, flag@contact' "$work/err"
check "a robot file whose joints begin elsewhere" answers 0 "$tact" new --robot data/robots/allegro_right.json --object sphere:0.03 -o "$work/allegro.json"

# batch MEMBERS: a spec of two environments of the scene with these members
batch() { printf '{"tact_batch": 1, "scene": "%s", "envs": 2, "steps": 3, %s}\n' "$1" "$2" >"$work/spec.json"; }
# npy FILE TYPE BYTES: an array (3, 1) of such a type
npy() { { printf '\223NUMPY\1\0\166\0' && printf "%-117s\n" "{'descr': $2, 'fortran_order': False, 'shape': (3, 1), }" && printf "$3"; } >"$work/$1"; }
for path in bodies.ball bodies.ball.name; do
    batch good.json "\"parameters\": [{\"path\": \"$path\", \"uniform\": [1, 2]}]"
    check "a batch of $path" says 2 'go on to a number in it' "$tact" batch "$work/spec.json" --output "$work/b"
done
batch good.json '"command": "u.npy"'
npy u.npy "'<f8'" '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\370\177\0\0\0\0\0\0\0\0'
check "a command that is no number" says 2 'u.npy: error: command 0 of step 1 is not a finite number' "$tact" batch "$work/spec.json" --output "$work/b"
npy u.npy "'<i8'" '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
check "whole numbers" says 2 'numpy.save(FILE, x.astype(float))' "$tact" batch "$work/spec.json" --output "$work/b"
npy u.npy "'|O'" ''
check "objects" says 2 'holds Python objects' "$tact" batch "$work/spec.json" --output "$work/b"
npy u.npy "'<c16'" ''
check "complex numbers" says 2 'holds complex numbers' "$tact" batch "$work/spec.json" --output "$work/b"
npy u.npy "[('a', '<f8')]" ''
check "a table" says 2 'a table of several columns' "$tact" batch "$work/spec.json" --output "$work/b"
printf 'PK\3\4, and so on' >"$work/u.npy"
check "an archive" says 2 'an archive (.npz): numpy.save one of its arrays' "$tact" batch "$work/spec.json" --output "$work/b"
batch tetra.obj '"seed": 1'
check "a mesh in a scene's place" says 2 'not a scene but a mesh (OBJ)' "$tact" batch "$work/spec.json" --output "$work/b"
check "no folder is left" test ! -e "$work/b"
batch good.json '"record": {"every": 10}'
check "states of every tenth of three steps" says 0 'the first states alone are recorded' "$tact" batch "$work/spec.json" --output "$work/b"

# pages, parts and other text in a robot's place; lines with keys that nothing reads; settings in brackets
printf '<!DOCTYPE html>\n<html><body>Not Found</body></html>\n' >"$work/page.urdf"
printf '<html/>' >"$work/page.json"
printf 'solid s\nendsolid s\n' >"$work/s.xml"
printf '<mujocoinclude><body/></mujocoinclude>\n' >"$work/part.xml"
printf '<mujoco><worldbody><body><geom type="ellipsoid" size="0.1"/></body></worldbody></mujoco>\n' >"$work/size.xml"
other 'a web page (HTML): download the file itself' "$tact" import "$work/page.urdf"
other 'a web page (HTML): download the file itself' "$tact" check "$work/page.json"
other 'not XML, in which a document begins with <' "$tact" import "$work/s.xml"
other 'take the model that includes it' "$tact" import "$work/part.xml"
other 'type "ellipsoid": expected 3 numbers, found 1' "$tact" import "$work/size.xml"
printf '{"q": {}, "joints": {}}\n' >"$work/line"
check "fk of a key that is none" says 0 'warning: key "joints" is ignored (allowed: q, id, name)' sh -c "'$tact' fk '$work/good.json' <'$work/line'"
printf '{"targets": [{"body": "cart", "position": [0, 0, 0]}], "seed": 1}\n' >"$work/line"
check "ik of a key that is none" says 0 'warning: key "seed" is ignored (allowed: targets, q, id, name)' sh -c "'$tact' ik '$work/good.json' <'$work/line'"
printf '{"n": 1, "M": [[2]], "q": [-1]}\n' >"$work/line"
check "a matrix in rows" says 1 'list the numbers in one array, row by row' sh -c "'$tact' lcp <'$work/line'"
printf '\n \n' >"$work/line"
check "blank lines alone" says 0 'holds no lines: a JSON object for each answer is expected' sh -c "'$tact' ik '$work/good.json' <'$work/line'"
check "brackets in a path" says 2 'items go by name or number, as bodies.0.mass' "$tact" run "$work/good.json" --set 'bodies[0].mass=1'
sed 's/"ball"/"ball.x.1"/g' "$work/good.json" >"$work/dots.json"
check "a name with dots in a path with dots" says 2 'did you mean "ball.x.1"? --set needs slashes: q/NAME)' \
    "$tact" run "$work/dots.json" --set bodies.ball.x.1.mass=1
check "likewise of what is found later" says 2 'did you mean "ball.x.1"? --set needs slashes' "$tact" run "$work/dots.json" --set 'goal={"body": "ball", "position": [0, 0, 0]}'
check "a name with dots in a path with slashes" "$tact" check "$work/dots.json" --set bodies/ball.x.1/mass=1
# contacts of boxes along their edges, all of which a scene without a margin solves for
awk 'BEGIN { printf "{\"tact\":1,\"law\":\"barrier\",\"mu\":0.5,\"pairs\":\"auto\",\"gravity\":[0,0,0],\"bodies\":["; for (i = 0; i < 20; i++) printf "%s{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":1,\"inertia\":[1,1,1,0,0,0],\"joint\":{\"type\":\"free\",\"xyz\":[%d,0,0]}}", i ? "," : "", i, i; printf "],\"shapes\":["; for (i = 0; i < 20; i++) printf "%s{\"name\":\"s%d\",\"body\":\"b%d\",\"type\":\"box\",\"size\":[0.1,0.1,0.1]}", i ? "," : "", i, i; print "]}" }' >"$work/boxes.json"
check "many contacts without a margin" says 0 'contacts are in every step, near or far' "$tact" run "$work/boxes.json" --steps 0
check "not with one" sh -c "! '$tact' run '$work/boxes.json' --steps 0 --set options.margin=0.1 2>&1 | grep -q 'in every step'"
check "no bodies" says 2 'no body "ball"' "$tact" run "$work/good.json" --set 'bodies=[]'
check "what follows from it is not told" sh -c "! grep -q 'both shapes belong' '$work/said'"
check "an object in other units" says 4 'lengths are in metres (of a mesh in other units: MESH:SCALE)' "$tact" new --robot "$work/r.urdf" --object "$work/tetra.obj"
# the trace of a stiff drive, under a soft one: no mass of the block makes it so, and the best one is without bound
"$tact" run data/scenes/pusher.json --quiet --trace "$work/pusher.jsonl"
check "a run that no value explains" says 1 'the run does not determine mass block: its standard error is at least as large as its value' \
    "$tact" identify data/scenes/pusher.json "$work/pusher.jsonl" --mass block --set bodies.block.mass=0.02 --set drives.0.stiffness=3

# what follows from a drive that is refused is not told
for words in s/slide.,\ .stiff/slid\",\ \"stiff/ s/.stiffness./\"kp\"/; do
    sed '3s/"mass": 1, //' "$work/good.json" | sed "8$words" >"$work/bad.json"
    check "a drive: $words" says 2 '/drives/0' "$tact" check "$work/bad.json"
    check "alone" sh -c "[ \$(grep -c error: '$work/said') -eq 1 ]"
done
check "an option that is none" says 4 'unknown option "-s" (there are: --steps, --law, --set,' "$tact" run "$work/good.json" -s 5
# a batch of equal environments, and one whose robot has more than a scene holds
check "nothing varies" says 0 'all 3 environments are alike: "parameters" of a spec' "$tact" batch "$work/good.json" --envs 3 --output "$work/alike"
sed 's#{"name": "cart"#{"name": "cart"#; s#"bodies": \[#"robots": [{"file": "r.urdf", "prefix": "r_"}], "bodies": [#' "$work/good.json" >"$work/robot.json"
cat >"$work/r.urdf" <<'END'
<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="3" velocity="2"/></joint></robot>
END
echo '{"tact_batch": 1, "scene": "robot.json", "envs": 2, "parameters": [{"path": "bodies.ball.mass", "uniform": [0.4, 0.6]}]}' >"$work/spec.json"
check "a batch with a robot" answers 0 "$tact" batch "$work/spec.json" --output "$work/robots"
check "its limits are not blamed on the values" sh -c "! '$tact' batch '$work/spec.json' --output '$work/again' 2>&1 | grep 'read with'"
# a plan whose start has no answer names the shapes
sed 's/"command": {"mode": "hold"}/"goal": {"body": "ball", "position": [0.1, 0, 0], "horizon": 10, "knots": 2}/; s/"offset": -0.1/"offset": 0.01/' \
    "$work/good.json" | sed 's/"pairs": \[/"pairs": [{"a": "roof", "b": "ball", "mu": 0.5}, /; s/"shapes": \[/"shapes": [{"name": "roof", "body": "world", "type": "plane", "normal": [0, 0, -1], "offset": 0.01}, /' >"$work/press.json"
check "a plan without an answer" says 1 'step 1: infeasible: the contacts contradict each other, most of all "' "$tact" optimise "$work/press.json"

# an option where the value of another is expected, in every command: the option is named
check "--lift without its value" says 4 '--lift needs a value (found the option -o)' "$tact" new --robot "$work/r.urdf" --object sphere:0.03 --lift -o "$work/can.json"
check "a trace without its name" says 4 '--trace needs a value (found the option --quiet)' "$tact" run "$work/good.json" --trace --quiet
check "a number of steps that is a question" says 4 '--steps needs a value (found the option -h)' "$tact" run "$work/good.json" --steps -h
check "a number below 0 is a value" says 4 '--steps: must be a whole number within [0, 1000000000] (found "-5")' "$tact" run "$work/good.json" --steps -5
for command in $("$tact" help | sed -n 's/^  \([a-z]*\) .*[A-Z].*/\1/p'); do
    "$tact" help "$command" 2>/dev/null | sed -n 's/^  \(--[a-z-]*\) [A-Z[].*/\1/p' >"$work/options"
    while read -r option; do
        grep -q "^  $option  " "$work/options" && continue
        "$tact" "$command" "$option" -o x 2>&1 | grep -qF -- "$option needs a value (found the option -o)" || echo "$command $option"
    done <"$work/options"
done >"$work/wrong"
check "so of every option of every command that takes one" sh -c "cat '$work/wrong'; [ ! -s '$work/wrong' ]"
printf '\n' >"$work/none"
# a file of goals without a goal, and scenes that are not where the spec is
sed 's/"command": {"mode": "hold"}/"goal": {"body": "ball", "position": [0.1, 0, 0]}/' "$work/good.json" >"$work/goal.json"
check "goals without a line" says 2 'error: holds no lines: a JSON object for each answer is expected, one a line, as {"goal"' "$tact" mpc "$work/goal.json" --goals "$work/none"
mkdir -p "$work/specs"
echo '{"tact_batch": 1, "scene": "nope.json", "envs": 2, "steps": 3}' >"$work/specs/spec.json"
check "a scene that is not beside the spec" says 3 'nope.json: No such file or directory: looked for from the folder of the spec, in ' "$tact" batch "$work/specs/spec.json"
check "or here" says 3 'nope.json: No such file or directory: looked for from the folder of the spec, where the command was started' \
    sh -c "tact=\$(cd \$(dirname '$tact') && pwd)/tact && cd '$work/specs' && \$tact batch spec.json"
# what tact check says of axes, sums and margins
sed 's/, "axis": \[1, 0, 0\]//' "$work/good.json" >"$work/axis.json"
check "a joint without an axis" sh -c "'$tact' check '$work/axis.json' | grep -q 'slide *prismatic .* x$'"
sed 's/"drives": \[[^]]*\]/"springs": [{"joints": {"slide": 1, "lift": 1}, "stiffness": 5, "command": true}]/; s/"bodies": \[/"bodies": [{"name": "top", "parent": "cart", "mass": 1, "joint": {"name": "lift", "type": "prismatic", "axis": [0, 0, 1]}},/' \
    "$work/good.json" >"$work/sum.json"
check "a drive on a sum" prints 'prismatic  of a sum   of a sum' "$tact" check "$work/sum.json"
check "a margin beyond the bodies" prints 'farther than the largest shape is long, 0.08 m' "$tact" check "$work/good.json" --set options.kappa=1000 --set bodies.ball.mass=0.05
mistake '"ball" rests at a gap of ' 's/"kappa": 1000/"kappa": 1000, "margin": 0/'
mistake '500 m, where all else is within' 's/"ball": \[0, 0, 0,/"ball": [500, 0, 0,/'
mistake 'it stands beside "options", at the top of the scene' 's/"kappa": 1000/"kappa": 1000, "gravity": [0, 0, -9.81]/'
mistake 'there are none: see keyframes in tact help scene' 's/"state": {"q".*}}, "command"/"state": {"keyframe": "home"}, "command"/'
sed 's/"type": "sphere", "radius": 0.04/"type": "hull", "file": "stone.obj"/' "$work/good.json" >"$work/stone.json"
check "a mesh that is not there" says 3 'stone.obj: No such file or directory: "file" is a path from the folder of the scene' "$tact" check "$work/stone.json"

# numbers with commas
sed 's/xyz="0 1 0"/xyz="0, 1, 0"/' "$work/r.urdf" >"$work/commas.urdf"
check "commas between numbers" says 2 '"0,": not a number (blanks stand between numbers, and the decimal sign is a point)' "$tact" import "$work/commas.urdf"

# a robot whose range leaves 0 out is no mistake of the scene that names it
printf '<mujoco><option><flag gravity="disable"/></option><worldbody><body name="arm"><joint name="elbow" type="hinge" range="0.3 1" limited="true"/>
<geom type="sphere" size="0.1"/></body></worldbody></mujoco>' | sed 's/<mujoco>/<mujoco><compiler angle="radian"\/>/' >"$work/bent.xml"
printf '{"tact": 1, "robots": [{"file": "bent.xml"}]}\n' >"$work/bent.json"
check "a robot begins within its limits" says 0 'joint "elbow" begins at 0.3, the limit nearest to 0, which is outside [0.3, 1]' "$tact" check "$work/bent.json"
check "a flag of MuJoCo's is listed" says 0 'flag@gravity' "$tact" import "$work/bent.xml"
check "a robot of nothing but 0 is told" says 2 'begins at 0.3, the limit nearest to 0' "$tact" check "$work/bent.json" --strict

# words and numbers of robot files that say nothing there
cat >"$work/two.xml" <<'END'
<mujoco><worldbody><body name="upper" pos="0 0 0.1"><joint name="shoulder" axis="0 1 0" range="-1.5 1.5"/><geom type="sphere" size="0.02"/>
<body name="lower" pos="0.2 0 0"><joint name="elbow" axis="0 1 0" range="-90 90"/><geom type="sphere" size="0.02"/></body></body></worldbody>
<actuator><position joint="shoulder" kp="10"/><position joint="elbow" kp="10"/></actuator></mujoco>
END
cat >"$work/two.urdf" <<'END'
<robot name="two"><link name="base"/><link name="upper"><inertial><mass value="0.5"/>
<inertia ixx="1e-3" iyy="1e-3" izz="1e-3" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="shoulder" type="revolute">
<parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" effort="10" velocity="2"/></joint></robot>
END
# told TEXT FILE SED: an import of the file so changed says TEXT, whatever comes of it
told() {
    sed "$3" "$work/$2" >"$work/changed.${2##*.}"
    "$tact" import "$work/changed.${2##*.}" >"$work/out" 2>"$work/err"
    check "$3" sh -c "cat '$work/err'; grep -qF -- '$1' '$work/err'"
}
told 'joint[name="shoulder"]@range: warning: in degrees, as MJCF is without <compiler angle="radian"/>' two.xml ''
told 'joint[name="elbow"]@range: warning: the lower end is above the upper one: the joint has no limits' two.xml 's/-1.5 1.5/-80 80/; s/-90 90/90 -90/'
told 'boddy[name="lower"]: warning: unknown element "boddy" is not read (did you mean "body"?)' two.xml 's/<body name="lower"/<boddy name="lower"/; s/<.body><.body>/<\/boddy><\/body>/'
told 'limit@uper: warning: unknown attribute "uper" is not read (did you mean "upper"?)' two.urdf 's/ upper=/ uper=/'
told 'origin@position: warning: unknown attribute "position" is not read (there are: xyz, rpy)' two.urdf 's/origin xyz=/origin position=/'
"$tact" import "$work/two.urdf" >"$work/out" 2>"$work/err"
check "attributes of URDF are known" sh -c "! grep -q unknown '$work/err'"
sed 's/joint name="\([a-z]*\)"[^/]*/joint name="\1" axis="0 1 0" range="-80 80"/' "$work/two.xml" >"$work/80.xml"
"$tact" import "$work/80.xml" >"$work/out" 2>"$work/err"
check "ranges in degrees are no mistake" sh -c "! grep -q degrees '$work/err'"
sed 's/<geom [^/]*/<geom type="sphere" size="0.02" contype="0" conaffinity="0"/g' "$work/two.xml" >"$work/bare.xml"
check "a robot that can touch nothing" answers 0 "$tact" new --robot "$work/bare.xml" --object sphere:0.03 -o "$work/bare.json"
"$tact" new --robot "$work/bare.xml" --object sphere:0.03 >"$work/out" 2>"$work/err"
check "and that is told" grep -qF 'new: warning: the robot has no shapes to touch the object' "$work/err"
"$tact" new --robot "$work/80.xml" --object sphere:0.03 >"$work/out" 2>"$work/err"
check "of one with shapes it is not" sh -c "! grep -q 'no shapes' '$work/err'"
check "qd of a state" says 2 'here it is "v"' "$tact" check "$work/good.json" --set state.qd=1
sed 's/"type": "prismatic"/"type": "revolute"/; s/{"mode": "hold"}/{"mode": "fixed", "q": {"slide": 90}}/' "$work/good.json" >"$work/turn.json"
"$tact" check "$work/turn.json" >"$work/out" 2>"$work/err"
check "degrees of a command" grep -qF '90 outside [-1, 1]: angles are in radians (90 degrees are 1.571)' "$work/err"

mistake '/restitution: error: is of the law rigid with "level": "velocity" and does nothing under "position"' 's/"law": "barrier"/"law": "rigid", "restitution": 0.8/'
sed 's/"type": "free"/"type": "planar"/; s/, "ball": \[[^]]*\]//; s/"joint": "slide", "stiff/"joint": "*", "stiff/' "$work/good.json" >"$work/all.json"
check "a drive of all joints" says 0 'drives the object of joint "ball", too: list it first with stiffness 0' "$tact" check "$work/all.json"
check "an option of what stands without one" says 4 'it is given without one; usage: tact render TRACE|SCENE' "$tact" render "$work/good.json" --scene "$work/good.json"

# gravity along or off the plane that should bear an object; slopes, and hands beside a wall, are meant
slope() { # GRAVITY
    sed 's/"law": "barrier",/"law": "barrier", "gravity": '"$1"',/' "$work/good.json" >"$work/slope.json"
    "$tact" check "$work/slope.json" >"$work/out" 2>"$work/err"
}
slope '[0, -9.81, 0]'
check "gravity along the plane" grep -qF '/gravity: warning: draws "ball" along "floor", whose normal is 0, 0, 1' "$work/err"
slope '[0, -9, 3]'
check "gravity beyond 60 degrees" grep -qF 'draws "ball" along "floor"' "$work/err"
slope '[0, -6, -6]'
check "a slope" [ ! -s "$work/err" ]
sed 's/"law": "barrier",/"law": "barrier", "gravity": [0, 0, -9.81],/; s/"normal": \[0, 0, 1\], "offset": -0.1/"normal": [0, 1, 0], "offset": -0.1/' "$work/good.json" >"$work/wall.json"
sed 's/{"a": "tip", "b": "ball", "mu": 0.5}, //; s/\[0, 0, 0, 1, 0, 0, 0\]/[0, 0.1, 0, 1, 0, 0, 0]/' "$work/wall.json" >"$work/up.json"
check "y is up, and gravity is not" says 0 'draws "ball" along "floor", whose normal is 0, 1, 0' "$tact" check "$work/up.json"
sed 's/"normal": \[0, 1, 0\]/"normal": [0, -0.932, 0.362]/; s/"shapes": \[/&{"name": "left", "body": "world", "type": "plane", "normal": [0, 0.932, 0.362], "offset": -0.1}, /
s/{"a": "tip", "b": "ball", "mu": 0.5}/{"a": "left", "b": "ball", "mu": 0.5}/' "$work/wall.json" >"$work/steep.json"
check "a groove" sh -c "! '$tact' check '$work/steep.json' 2>&1 >/dev/null | grep -q gravity"
sed -i 's/{"a": "left", "b": "ball", "mu": 0.5}, //' "$work/steep.json"
check "one side of it" says 0 '/gravity: warning: draws "ball" along "floor"' "$tact" check "$work/steep.json"
check "a wall" sh -c "! '$tact' check '$work/wall.json' 2>&1 >/dev/null | grep -q gravity"

# masses of links in grams, in scenes and robot files
check "a slider that does not give way" "$tact" check --strict "$work/good.json" --set bodies.cart.mass=50
told 'kg, and nothing of it is farther than' two.urdf 's/mass value="0.5"/mass value="500"/; s/<inertial>/<inertial><origin xyz="0.02 0 0"\/>/'
told 'lower"]@position: warning: unknown attribute "position" is not read' two.xml 's/body name="lower" pos=/body name="lower" position=/'
told 'unknown attribute "rnage" is not read (did you mean "range"?)' two.xml 's/ range="-90/ rnage="-90/'
told 'unknown attribute "pk" is not read (did you mean "kp"?)' two.xml 's/kp=/pk=/'
told 'unknown element "world" is not read (there are: worldbody' two.xml 's/worldbody/world/g'
told 'unknown element "joint" is not read (there are: body' two.xml 's/<worldbody>/<worldbody><joint name="j"\/>/'
"$tact" import "$work/two.xml" >"$work/out" 2>"$work/err"
sed 's/<worldbody>/<default><muscle range="0.7 1.1" tausmooth="0.1"\/><dcmotor nominal="12 0.1 300" input="voltage"\/><\/default>&/' "$work/two.xml" >"$work/muscle.xml"
"$tact" import "$work/muscle.xml" >>"$work/out" 2>>"$work/err"
check "attributes of MJCF are known" sh -c "! grep -q unknown '$work/err'"

told 'warning: it has no collision shapes: nothing can touch it' two.urdf ''
told 'warning: it has no collision shapes: nothing can touch it' two.xml 's/size="0.02"/size="0.02" contype="0" conaffinity="0"/g'
"$tact" import "$work/two.xml" >"$work/out" 2>"$work/err"
check "one with shapes" sh -c "! grep -q 'collision shapes' '$work/err'"

sed 's/type="sphere" size="0.02"/type="mesh" mesh="none"/' "$work/two.xml" >"$work/mesh.xml"
"$tact" import "$work/mesh.xml" >"$work/out" 2>"$work/err"
check "a mesh that is none is told once for each geom" [ "$(grep -c 'error: no mesh "none"' "$work/err")" = 2 ]

# a box beside the spheres at its corners
spheres='' pairs='' k=0
for x in -0.023 0.023; do for y in -0.018 0.018; do for z in -0.028 0.028; do
    k=$((k + 1)) spheres="$spheres, {\"name\": \"c$k\", \"body\": \"b\", \"type\": \"sphere\", \"radius\": 0.002, \"xyz\": [$x, $y, $z]}"
    pairs="$pairs${pairs:+, }{\"a\": \"floor\", \"b\": \"c$k\", \"mu\": 0.5}"
done; done; done
cat >"$work/corners.json" <<END
{"tact": 1, "law": "barrier", "gravity": [0, 0, -9.81], "options": {"dt": 0.01, "kappa": 1e4},
"bodies": [{"name": "b", "parent": "world", "mass": 0.1, "inertia": [5e-5, 5e-5, 5e-5, 0, 0, 0], "joint": {"name": "b", "type": "free"}}],
"shapes": [{"name": "box", "body": "b", "type": "box", "size": [0.05, 0.04, 0.06]}$spheres,
{"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1]}], "pairs": [$pairs],
"state": {"q": {"b": [0, 0, 0.03, 1, 0, 0, 0]}}}
END
check "spheres at the corners of a box" "$tact" check --strict "$work/corners.json"
check "a box that was made larger" says 0 '0.1 m along x, and the spheres at its corners are those of 0.05 m' "$tact" check "$work/corners.json" --set 'shapes.box.size=[0.1,0.04,0.06]'
sed 's/"shapes": \[/&{"name": "cross", "body": "b", "type": "box", "size": [0.03, 0.06, 0.03]}, /' "$work/corners.json" >"$work/cross.json"
check "one of two boxes of a centre" "$tact" check --strict "$work/cross.json"
check "and smaller" says 0 '0.01 m along z, and the spheres at its corners are those of 0.06 m' "$tact" check "$work/corners.json" --set 'shapes.box.size=[0.05,0.04,0.01]'

# a hollow box, whose radius of gyration is longer than half an edge
cat >"$work/hollow.json" <<'END'
{"tact": 1, "gravity": [0, 0, -9.81], "mu": 0.5, "options": {"kappa": 1e4},
"bodies": [{"name": "b", "parent": "world", "mass": 0.5, "inertia": [1e-3, 1e-3, 1e-3, 0, 0, 0], "joint": {"name": "b", "type": "free"}}],
"shapes": [{"name": "b", "body": "b", "type": "box", "size": [0.1, 0.1, 0.1]}, {"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1]}],
"pairs": [{"a": "floor", "b": "b"}], "state": {"q": {"b": [0, 0, 0.05, 1, 0, 0, 0]}}}
END
check "a hollow box" "$tact" check --strict "$work/hollow.json"

# goals that cannot be reached
goal() { # TEXT GOAL: the warning about it, "" for none
    "$tact" check "$work/arm.json" --set "goal=$2" >"$work/out" 2>"$work/err"
    if [ "$1" ]; then check "$2" grep -qF -- "/goal/$1" "$work/err"; else check "$2" [ ! -s "$work/err" ]; fi
}
cat >"$work/arm.json" <<'END'
{"tact": 1, "law": "barrier", "gravity": [0, 0, 0], "options": {"dt": 0.01, "kappa": 1e4, "epsilon": 0.1, "margin": 0.1},
"bodies": [{"name": "upper", "parent": "world", "mass": 0.05, "joint": {"name": "shoulder", "type": "revolute", "axis": [0, 0, 1]}},
{"name": "lower", "parent": "upper", "mass": 0.05, "joint": {"name": "elbow", "type": "revolute", "axis": [0, 0, 1], "xyz": [0.12, 0, 0]}},
{"name": "disc", "parent": "world", "mass": 0.2, "inertia": [8e-5, 8e-5, 1.6e-4, 0, 0, 0], "joint": {"name": "disc", "type": "planar"}}],
"shapes": [{"name": "tip", "body": "lower", "type": "sphere", "radius": 0.01, "xyz": [0.1, 0, 0]},
{"name": "disc", "body": "disc", "type": "cylinder", "radius": 0.04, "length": 0.02}],
"pairs": [{"a": "tip", "b": "disc", "mu": 0.5}], "drives": [{"joint": "shoulder", "stiffness": 20}, {"joint": "elbow", "stiffness": 20}],
"state": {"q": {"shoulder": 1.2, "elbow": -2.2, "disc": [0.16, 0.02, 0]}}}
END
check "a link in grams" says 0 '/bodies/1/mass: warning: 50 kg, and nothing of it is farther than 0.11 m from its joint: the unit is the kilogram' \
    "$tact" check "$work/arm.json" --set bodies.lower.mass=50
check "a heavy link" "$tact" check --strict "$work/arm.json" --set bodies.lower.mass=5
goal '' '{"body":"disc","position":[0.22,0.04,0]}'
goal '' '{"body":"lower","position":[0,0.12,0]}'
goal 'position: warning: out of reach: its joints hold the origin of "lower" between 0.12 and 0.12 m from the first of them' '{"body":"lower","position":[0.22,0.04,0]}'
goal 'position: warning: 0.1 m off the plane in which the joint of "disc" moves' '{"body":"disc","position":[0.22,0.04,0.1]}'
goal 'position: warning: out of reach: it lies 0.63 m beyond where any driven link can touch "disc"' '{"body":"disc","position":[0.9,0.04,0]}'
goal 'orientation: warning: tilted by 0.7854 rad out of the plane in which the joint of "disc" moves' '{"body":"disc","position":[0.22,0.04,0],"orientation":[0.9238795,0.3826834,0,0]}'
goal '' '{"body":"disc","position":[0.22,0.04,0],"orientation":[0.9238795,0,0,0.3826834]}'
goal 'angle_tolerance: warning: more than a right angle' '{"body":"disc","position":[0.22,0.04,0],"angle_tolerance":3}'
check "degrees of a planar joint" says 0 '/state/q/disc: warning: more than a turn: angles are in radians (90 degrees are 1.571)' \
    "$TACT" check "$work/arm.json" --set 'state.q.disc=[0.16,0.02,90]'
goal 'horizon: warning: fewer steps than the 4 knots of a command' '{"body":"disc","position":[0.22,0.04,0],"horizon":1}'
check "a throw may go farther" sh -c "[ -z \"\$('$tact' check '$work/arm.json' --law rigid --set 'goal={\"body\":\"disc\",\"position\":[0.9,0.04,0]}' 2>&1 >/dev/null)\" ]"

# ways to a goal beside driven links, and what they reach
reach() { # TEXT NAME OPTIONS...: the warning about the goal, "" for none
    text=$1 name=$2
    shift 2
    "$tact" check "$work/reach.json" "$@" >"$work/out" 2>"$work/err"
    if [ "$text" ]; then check "$name" grep -qF -- "/goal/position: warning: $text" "$work/err"; else check "$name" [ ! -s "$work/err" ]; fi
}
cat >"$work/reach.json" <<'END'
{"tact": 1, "gravity": [0, 0, -9.81], "options": {"kappa": 1e4, "margin": 0.01},
"bodies": [{"name": "f", "parent": "world", "mass": 0.1, "joint": {"name": "f", "type": "prismatic", "axis": [1, 0, 0], "limits": [0, 0.3]}},
{"name": "o", "parent": "world", "mass": 0.1, "inertia": [1e-4, 1e-4, 1e-4, 0, 0, 0], "joint": {"name": "o", "type": "free"}},
{"name": "s", "parent": "world", "mass": 0.1, "joint": {"name": "s", "type": "prismatic", "axis": [1, 0, 0], "limits": [-2, 2]}},
{"name": "post", "parent": "world", "mass": 0.1, "joint": {"name": "post", "type": "fixed"}}],
"shapes": [{"name": "f", "body": "f", "type": "capsule", "radius": 0.05, "length": 0.2, "rpy": [0, 1.5707963, 0]},
{"name": "o", "body": "o", "type": "sphere", "radius": 0.02}, {"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": -0.02}],
"mu": 0.3, "pairs": [{"a": "f", "b": "o"}, {"a": "floor", "b": "o"}], "drives": [{"joint": "f", "stiffness": 200}],
"state": {"q": {"o": [0.2, 0, 0, 1, 0, 0, 0]}}, "springs": [], "loops": [], "forces": [], "goal": {"body": "o", "position": [0.65, 0, 0]}}
END
reach 'out of reach: it lies 0.18 m beyond where any driven link can touch "o"' "a goal that is beyond all"
reach '' "the round end of a capsule" --set goal.position=[0.5,0,0]
reach '' "the corner of a box" --set 'shapes.f={"name":"f","body":"f","type":"box","size":[0.2,0.2,0.2]}' --set goal.position=[0.46,0,0]
reach '' "what has no weight and drifts as far as contacts push" --set 'gravity=[0,0,0]' --set options.margin=0.3
reach '' "the tolerance of the goal" --set goal.tolerance=0.2
reach '' "a start at the goal" --set state.q.o=[0.65,0,0,1,0,0,0]
reach '' "a fall to the goal" --set state.q.o=[0.65,0,0.1,1,0,0,0]
reach '' "a slope" --set 'shapes.floor.normal=[0.16,0,0.98]'
reach '' "a force" --set 'forces=[{"body":"o","force":[1,0,0]}]'
reach '' "a slider that nothing driven touches" --set 'goal={"body":"s","position":[1,0,0]}'
reach '' "a drive on a sum" --set 'springs=[{"joints":{"f":1,"s":1},"stiffness":50,"command":true}]' --set 'drives=[]' --set 'goal={"body":"s","position":[1,0,0]}'
reach 'out of reach: no joint moves "post", which is fixed to the world' "a body that is fixed" --set 'goal={"body":"post","position":[0.1,0,0]}'
sed 's/"name": "post", "parent": "world"/"name": "post", "parent": "o"/; s/"type": "fixed"/&, "xyz": [0, 0, 0.2]/; s/"type": "free"/"type": "planar"/; s/0, 0, 1, 0, 0, 0\]/0, 0]/' "$work/reach.json" >"$work/carried.json"
check "what a planar body carries beside its plane" "$tact" check --strict "$work/carried.json" --set 'goal={"body":"post","position":[0.3,0.1,0.2]}'

# a trace of another scene, and a draw out of range
"$tact" run "$work/good.json" --steps 3 --quiet --trace "$work/good.jsonl"
check "the trace of another scene" says 2 'error: the trace is of another model, "drop": other joints' "$tact" identify "$work/arm.json" "$work/good.jsonl" --mass disc
echo '{"tact_batch": 1, "scene": "arm.json", "envs": 4, "steps": 3, "parameters": [{"path": "bodies.disc.mass", "uniform": [-0.1, 0.1]}]}' >"$work/draws.json"
check "a draw out of range" says 2 'draws.json:1:87: /parameters/0/path: error: draws "bodies.disc.mass" = 0: ' "$tact" batch "$work/draws.json" --output "$work/draws"
echo '{"tact_batch": 1, "scene": "arm.json", "envs": 40, "steps": 3, "parameters": [{"path": "pairs.0.mu", "normal": [0.1, 0.1]}]}' >"$work/normal.json"
check "some draws out of range" says 1 'warning: bad_input: a draw or a command out of range' "$tact" batch "$work/normal.json" --output "$work/normal"
check "an option that another command has" says 4 'unknown option "--step": it is one of tact render (' "$tact" view "$work/good.jsonl" --step 3

# what word processors, shells and other tools leave in a file
mistake 'found "−"; the minus sign is -' 's/-0.2/−0.2/'
mistake 'found "–"; the minus sign is -' 's/-0.2/–0.2/'
mistake 'it is no blank' 's/"mass": 1,/"mass":\xc2\xa01,/'
told 'not well-formed XML: & is written &amp;' two.urdf 's/name="two"/name="a\&b"/'
told 'not well-formed XML: & is written &amp;' two.urdf 's/name="two"/name="a \& b"/'
told 'not well-formed XML: -- may stand in no comment' two.urdf 's/<link name="base"/<!-- a -- b --><link name="base"/'
check "an angle in radians" says 4 '--azimuth: must be a whole number of degrees within [-360, 360] (found "1.57")' "$tact" render "$work/good.json" --azimuth 1.57
printf '{"targets": [\n{"body": "cart", "position": [0, 0, 0]}]}\n' >"$work/line"
check "an object over several lines" says 1 ':1: warning: an object stands in one line' sh -c "'$tact' ik '$work/good.json' <'$work/line'"
mkdir -p "$work/my_arm/meshes"
real=$(cd "$work" && pwd -P)
echo '<package/>' >"$work/my_arm/package.xml"
cat >"$work/pack.urdf" <<'END'
<robot name="r"><link name="a"><collision><geometry><mesh filename="package://my_arm/meshes/a.obj"/></geometry></collision></link></robot>
END
check "the place of a mesh that is not there" says 3 "No such file or directory: $real/my_arm/meshes/a.obj" "$tact" import "$work/pack.urdf" --fit box --packages "$work"
check "likewise below the package itself" says 3 "No such file or directory: $real/my_arm/meshes/a.obj" "$tact" import "$work/pack.urdf" --fit box --packages "$work/my_arm"

check "with the slash of a shell" says 3 "No such file or directory: $real/my_arm/meshes/a.obj" "$tact" import "$work/pack.urdf" --fit box --packages "$work/my_arm/"
check "and from within" says 3 "No such file or directory: $real/my_arm/meshes/a.obj" sh -c "cd '$work/my_arm' && '$tact' import ../pack.urdf --fit box --packages ."

# pairs by the names of their shapes, and the friction of all that is not that of all
cat >"$work/pads.json" <<'END'
{ "tact": 1, "mu": 0.5, "bodies": [ { "name": "ball", "parent": "world", "mass": 1, "inertia": [1e-3, 1e-3, 1e-3, 0, 0, 0],
    "joint": { "type": "free", "xyz": [0, 0, 0.0505] } } ],
  "shapes": [ { "name": "floor", "body": "world", "type": "plane" }, { "name": "pad", "body": "world", "type": "sphere", "radius": 0.01, "xyz": [1, 0, 0], "mu": 0.8 },
    { "name": "ball", "body": "ball", "type": "sphere", "radius": 0.05 } ],
  "pairs": [ { "a": "floor", "b": "ball" }, { "a": "pad", "b": "ball" } ] }
END
for pair in pad,ball ball,pad; do
    check "the pair $pair" sh -c "'$tact' check '$work/pads.json' --set pairs.$pair.mu=11 2>&1 | grep -q '/pairs/1/mu'"
done
check "a pair that is nearly so" says 2 '(did you mean "ball,pad"?)' "$tact" check "$work/pads.json" --set pairs.ball,pat.mu=1
check "a pair that is not there" says 2 '(there are: "floor,ball", "pad,ball")' "$tact" check "$work/pads.json" --set pairs.thumb,cylinder.mu=1
check "a pair whose name has a dot" says 2 '"pad,ball"); a name that has a dot needs slashes: /LIST/NAME/KEY' "$tact" check "$work/pads.json" --set pairs.thumb,cyl.0.mu=1
check "a number of an item's list" says 2 '(there are: ball)' "$tact" check "$work/pads.json" --set bodies.thumb.inertia.2=1
check "and no more" sh -c "! grep -q slashes '$work/said'"
check "pairs that are not listed" says 2 'there is no "pad,ball" in /pairs, which is no list: "shapes.A.mu" is the friction of shape A' \
    "$tact" check "$work/pads.json" --set 'pairs="auto"' --set pairs.pad,ball.mu=1
check "friction that some keep" says 0 '1 of 2 pairs keep friction of their own or of their shapes' "$tact" check "$work/pads.json" --set mu=0.3
sed 's/, "mu": 0.8//' "$work/pads.json" >"$work/equal.json"
check "where all take it" answers 0 "$tact" check "$work/equal.json" --set mu=0.3
check "nothing is said of it" sh -c "! grep -q warning '$work/said'"
echo '{"tact_batch": 1, "scene": "pads.json", "envs": 4, "steps": 3, "parameters": [{"path": "mu", "uniform": [0.1, 0.2]}]}' >"$work/all.json"
check "nor in a batch" says 0 "1 of 2 contacts keep friction of their pair's own" "$tact" batch "$work/all.json" --output "$work/all"
sed 's/"mu", /"pairs.ball,pad.mu", /' "$work/all.json" >"$work/one.json"
sed 's/"pairs": .*/"pairs": "auto" }/; s/"pad", "body": "world"/"pad", "body": "ball"/' "$work/pads.json" >"$work/auto.json"
sed 's/pads.json/auto.json/' "$work/all.json" >"$work/found.json"
check "in a batch of all pairs" says 0 'under "pairs": "auto" "shapes.A.mu" that of shape A' "$tact" batch "$work/found.json" --output "$work/found"
check "which takes that" sh -c "'$tact' check '$work/auto.json' --set shapes.pad.mu=0.3"
check "where a pair is named" answers 0 "$tact" batch "$work/one.json" --output "$work/one"
check "nothing is said" sh -c "! grep -q warning '$work/said'"
sed 's/"mu", "uniform": .0.1, 0.2/"bodies.ball.mass", "uniform": [0.0001, 1/' "$work/all.json" >"$work/light.json"
check "what a draw makes doubtful" says 0 'the warning above holds for "bodies.ball.mass" = 0.0001, which this distribution draws: narrow it, or draw the body'"'s inertia, too" \
    "$tact" batch "$work/light.json" --output "$work/light"

test_end mistakes
