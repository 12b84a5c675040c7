#!/bin/sh
# SPDX-License-Identifier: MIT
# Mistakes of a first hour: each is told in words that say what to do, and none passes in silence.
. test/test.sh
tact="$TACT"
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

mistake() { # TEXT SED: the scene so changed is refused, or with --strict, in words that hold TEXT
    sed "$2" "$work/good.json" >"$work/bad.json"
    if cmp -s "$work/good.json" "$work/bad.json"; then check "$2 changes the scene" false; fi
    check "$2" says 2 "$1" "$tact" check --strict "$work/bad.json"
}
mistake '"lower" (here it is "limits": [lower, upper])' 's/"limits": \[-1, 1\]/"lower": -1/'
mistake '(here it is "size", twice that)' 's/"sphere", "radius": 0.02/"box", "half_extents": [1, 1, 1]/'
mistake '(here it is "fixed")' 's/"hold"/"constant"/'
mistake 'expected 6 numbers, found 3: xx, yy, zz, xy, xz, yz' 's/, 0, 0, 0\], "joint"/], "joint"/'
mistake 'how far it is goes into "offset"' 's/"normal": \[0, 0, 1\]/"normal": [0, 0, 1, 0.1]/'
mistake '("inertia": [xx, yy, zz, xy, xz, yz])' 's/"inertia": \[[^]]*\], //'
mistake 'motion is undetermined ("mass" in kg)' 's/"mass": 0.5, //'
mistake 'no shape "cart" (there are: tip, ball, floor)' 's/"a": "tip"/"a": "cart"/'
mistake 'no joint "cart" (there are: slide, ball)' 's/"slide": -0.2/"cart": -0.2/'
mistake 'found an array: {"a": ..., "b": ...}' 's/{"a": "tip", "b": "ball", "mu": 0.5}/["tip", "ball"]/'
mistake 'expected an object, found an array: {NAME: ...}' 's/"q": {[^}]*}/"q": [0, 1]/'
mistake 'key "mu" is missing: the friction of this pair, or one for all' 's/, "mu": 0.5//'
mistake 'key "parent" is missing: "world", or the body that carries it' 's/"parent": "world", "mass": 1, /"mass": 1, /'
mistake 'is of the free joint "ball", which cannot be driven' 's/{"joint": "slide"/{"joint": "ball"/'
mistake 'JSON has neither pi' 's/-0.2/-pi/'
mistake 'JSON writes 0.5, not .5' 's/0.04/.04/'
mistake 'the sign in a number is a point' 's/0.04/0,04/'
mistake 'straight double quotes only' "s/\"drop\"/'drop'/"
mistake 'straight double quotes only' 's/"drop"/“drop”/'
mistake 'a law without velocities' 's/"state": {/"state": {"v": {"slide": 1}, /'
mistake 'the unit is m/s^2' 's/"name": "drop"/"name": "drop", "gravity": [0, 0, -981]/'
echo 'tact: 1' >"$work/bad.json"
check "YAML" says 2 'not JSON, in which a document begins with {' "$tact" check "$work/bad.json"

check "an option of another command" says 4 'unknown option "--what": it is one of tact plot' "$tact" run "$work/good.json" --what q
check "a value of the scene as an option" says 4 '--set options.dt=0.005' "$tact" run "$work/good.json" --dt 0.01
check "--set without =" says 4 '--set: must be PATH=VALUE' "$tact" run "$work/good.json" --set options.kappa 1e4
check "--set of an option, misspelt" says 2 'did you mean "options.kappa"?' "$tact" run "$work/good.json" --set kapa=1e4
check "--set of a body" says 2 'did you mean "bodies.cart"?' "$tact" run "$work/good.json" --set cart.mass=2
check "no such body in a figure" says 4 'did you mean "ball"?' "$tact" plot "$work/good.json" --body bal
check "no such folder" says 3 'its folder does not exist' "$tact" run "$work/good.json" --trace "$work/none/run.jsonl"
check "a scene in place of a run" says 3 'is a scene, not a recorded run' "$tact" export hand_lift -o "$work/a.mcap"
check "no such command" says 4 'there are: run, check' "$tact" frobnicate hand_lift
check "one of another tool" says 4 'here: tact run' "$tact" simulate hand_lift
check "two that plan" says 4 'tact mpc plans on the way' "$tact" plan hand_lift
gzip -c data/scenes/lesson.json >"$work/lesson.json.gz"
check "gzip" says 2 "the file is no JSON but compressed by gzip: gunzip it first" "$tact" run "$work/lesson.json.gz"
check "UTF-16" says 2 "UTF-16: save it as UTF-8" sh -c "printf '\\377\\376{\\0' >'$work/wide.json'; '$tact' run '$work/wide.json'"
echo "<robot/>" | gzip -c >"$work/robot.urdf"
check "a robot in gzip" says 2 "the file is no XML but compressed by gzip" "$tact" import "$work/robot.urdf"
check "a scene as lines" says 1 "a whole value stands on each line here" "$tact" solve data/scenes/lesson.json
check "a number of steps" says 4 "takes the trace of a run, not a number" "$tact" bench hand_lift --steps 100
check "a robot as operand" says 4 "unexpected \"hand.urdf\": --robot hand.urdf" "$tact" new hand.urdf --object sphere:0.03
check "a scene of another folder" says 3 "did you mean lesson, which comes along?" "$tact" run nowhere/scenes/lesson.json
check "a unit" says 2 "numbers have no unit" "$tact" run lesson --set "options.dt=2 ms"
check "no brackets" says 2 "several numbers stand in brackets" "$tact" run lesson --set gravity=0,0,-9.81
check "no page" says 3 "TACT_VIEWER names it" env TACT_VIEWER=/none.html "$tact" view lesson -o "$work/a.html" --no-open
check "a body that nothing drives" sh -c "echo '{\"targets\":[{\"body\":\"ball\",\"position\":[0,0,1]}]}' | '$tact' ik hand_lift 2>&1 | grep -q 'no driven joint moves \"ball\": --all'"

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
test_end mistakes
