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
    check "$name: refused under --strict" says 2 "$text" "$tact" check --strict "$base" "$@"
}
silent "the scene without a mistake" "$tact" check --strict "$base"

# shapes that overlap where the scene begins, and what comes of it
over='state.q.ball=[-0.1,0,0.03,1,0,0,0]' overlap='1 pair overlaps at the start, deepest "ball" and "tip" by 0.04 m'
infeasible='step 1: infeasible: the contacts contradict each other'
warns "an overlap" "$overlap" --set "$over"
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

test_end silence
