#!/bin/sh
# SPDX-License-Identifier: MIT
# Hulls of meshes: open and flat ones, scales, units, files that are not there; and the commands that read, copy and write them.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac

mkdir -p "$work/scene/meshes" "$work/out"
# a cube of 40 mm in millimetres, without its lid, and a point within; a square
cube="v -20 -20 -20
v 20 -20 -20
v 20 20 -20
v -20 20 -20
v -20 -20 20
v 20 -20 20
v 20 20 20
v -20 20 20
v 0 0 0"
printf '%s\nf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 1 2 9\n' "$cube" >"$work/scene/meshes/open.obj"
printf '%s\nf 4 3 2 1\n' "$cube" >"$work/scene/meshes/flat.obj"
# 33 x 33 points of a hill on a square
awk 'BEGIN { for (i = 0; i <= 32; i++) for (k = 0; k <= 32; k++) print "v", i, k, 40 - (i - 16)^2 / 8 - (k - 16)^2 / 8
    for (i = 0; i < 32; i++) for (k = 1; k <= 32; k++) print "f", 33 * i + k, 33 * i + k + 1, 33 * i + k + 34 }' >"$work/scene/meshes/hill.obj"
cat >"$work/scene/scene.json" <<'END'
{"tact": 1, "mu": 0.5, "pairs": "auto",
 "bodies": [{"name": "rock", "parent": "world", "mass": 0.1, "inertia": [2e-5, 2e-5, 2e-5, 0, 0, 0],
             "joint": {"name": "rock", "type": "free"}}],
 "shapes": [{"name": "table", "body": "world", "type": "plane"},
            {"name": "rock", "body": "rock", "type": "hull", "file": "meshes/open.obj", "scale": 0.001}],
 "options": {"kappa": 20000},
 "state": {"q": {"rock": [0, 0, 0.021, 1, 0, 0, 0]}}}
END
scene=$work/scene/scene.json
# the same with the points of the mesh
sed 's#"file": "meshes/open.obj", "scale": 0.001#"points": [[-0.02,-0.02,-0.02],[0.02,-0.02,-0.02],[0.02,0.02,-0.02],[-0.02,0.02,-0.02],[-0.02,-0.02,0.02],[0.02,-0.02,0.02],[0.02,0.02,0.02],[-0.02,0.02,0.02]]#' "$scene" >"$work/out/points.json"
same() { # SCENE: its end is that of the scene with points
    "$TACT" run "$1" --steps 50 --json 2>"$work/said" | sed 's/"scene":"[^"]*"//; s/"seconds":[^,]*,//; s/"step":[^,]*,//' >"$work/answer"
    grep -q '"converged":50' "$work/answer" || { cat "$work/said"; return 1; }
    sed 's/.*"bodies"//' "$work/answer" >"$work/bodies"
    "$TACT" run "$work/out/points.json" --steps 50 --json 2>/dev/null | sed 's/.*"bodies"//' | cmp - "$work/bodies"
}
check "it is read without a word" sh -c "'$TACT' check '$scene' >'$work/checked' 2>'$work/said' && [ ! -s '$work/said' ]"
check "a vertex for each corner" grep -qE 'table +rock +0.5 +8 slots' "$work/checked"
[ "$REAL" = float ] || check "an open mesh is as good as its points" same "$scene"
with() { # TEXT SETTING: refused at its place in the scene
    says 2 "$1" "$TACT" check "$scene" --set "$2" && grep -q ': /shapes/1' "$work/said"
}
check "a file that is not there" says 3 '/shapes/1/file: error: ' "$TACT" check "$scene" --set 'shapes.1.file="none.obj"'
check "it is named" grep -q 'scene/none.obj: No such file' "$work/said"
check "a flat mesh" with 'flat.obj: the points lie in one plane: a hull needs a volume' 'shapes.1.file="meshes/flat.obj"'
check "no mesh" with 'scene.json: not a mesh of a known format (.stl, .obj, .ply or .dae)' 'shapes.1.file="scene.json"'
check "a scale of 0" with 'must be > 0' shapes.1.scale=0
check "two scales" with 'expected 3 numbers' 'shapes.1.scale=[1,2]'
check "a word" with 'expected an array of 3 numbers, found a string' 'shapes.1.scale="mm"'
check "too large" with 'too large' 'shapes.1.scale=1e9'
check "too few vertices" with 'must be within [4, 64]' shapes.1.vertices=3
check "points and a file" with '"points" and "file" exclude each other' 'shapes.1.points=[[0,0,0],[1,0,0],[0,1,0],[0,0,1]]'
sed 's#"file": "meshes/open.obj", "scale": 0.001#"round": 0#' "$scene" >"$work/out/none.json"
check "neither" says 2 'key "points" is missing, or "file": a mesh' "$TACT" check "$work/out/none.json"
check "millimetres" says 0 '/shapes/1/file: warning: the mesh is 4 m long: the unit is the metre ("scale": 0.001 is for millimetres)' \
    "$TACT" check "$scene" --set shapes.1.scale=0.1
check "told once" sh -c "[ \$(grep -c metre '$work/said') -eq 1 ]"
slots() { # COUNT SETTINGS: vertices of the hull
    count=$1
    shift
    "$TACT" check "$scene" "$@" 2>/dev/null | grep -qE "table +rock +0.5 +$count slots"
}
check "of many points those that are the farthest in 64 directions" slots '3[0-9]' --set 'shapes.1.file="meshes/hill.obj"'
check "or fewer" slots 20 --set 'shapes.1.file="meshes/hill.obj"' --set shapes.1.vertices=20
check "scales along three axes" sh -c "'$TACT' run '$scene' --steps 1 --set 'shapes.1.scale=[0.001,0.001,0.0005]' --json | grep -q '\"converged\":1'"

check "in the help" sh -c "'$TACT' help scene | grep -qE '^ *vertices .*maximum'"
check "and the schema" sh -c "'$TACT' help scene --schema | grep -qF '\"vertices\":{\"type\":\"integer\",\"minimum\":4,\"maximum\":64'"

# as a robot's shape the mesh lies beside the robot's file
mkdir "$work/scene/robot"
cp "$work/scene/meshes/open.obj" "$work/scene/robot/tool.obj"
printf '{"bodies":[{"name":"tool","parent":"world","joint":{"type":"prismatic","axis":[0,0,1]}}],"shapes":[{"name":"tool","body":"tool","type":"hull","file":"tool.obj","scale":0.001}],"drives":[{"joint":"tool","stiffness":100}]}\n' >"$work/scene/robot/tool.json"
printf '{"tact":1,"robots":[{"file":"robot/tool.json"}]}\n' >"$work/scene/tool.json"
check "of a robot" answers 0 "$tact" check "$work/scene/tool.json"

# commands that read the mesh, write the scene elsewhere, or what it is made of
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
for name in scene tool; do
    check "the page of $name" env TACT_VIEWER="$work/page.html" "$tact" view --no-open "$work/scene/$name.json" -o "$work/$name.html"
done
check "holds the mesh" grep -q 'meshes/open.obj":{"base64":"diAtMjAg' "$work/scene.html"
check "and that of a robot" grep -q 'robot/tool.obj":{"base64":"diAtMjAg' "$work/tool.html"
check "bake" answers 0 "$tact" bake "$scene" --name rock
check "its vertices" grep -q 'rock_vertices_1\[8\]' "$work/answer"
check "MJCF" answers 0 "$tact" convert "$scene"
check "as a mesh" grep -q '<mesh name="rock" vertex="' "$work/answer"
check "a trace" answers 0 "$tact" run "$scene" --steps 10 --trace "$work/out/run.jsonl"
check "a drawing" answers 0 "$tact" render "$work/out/run.jsonl" -o "$work/out/run.svg"
check "of its faces" sh -c "[ \$(grep -c '<polygon' '$work/out/run.svg') -ge 3 ]"
check "distance" sh -c "cd '$work/scene' && echo '{\"a\":{\"type\":\"hull\",\"file\":\"meshes/open.obj\",\"scale\":0.001},\"b\":{\"type\":\"sphere\",\"radius\":0.01,\"xyz\":[0,0,0.05]}}' | '$tact' distance | grep -qE '\"gap\":0.0(2|199999[0-9]*|200000[0-9]*),'"

batch() { # NAME SCENE PARAMETERS
    printf '{"tact_batch":1,"scene":"%s","envs":6,"steps":20,"parameters":[%s]}\n' "$2" "$3" >"$work/scene/$1"
}
batch still.json scene.json '{"path":"state.q.rock.2","uniform":[0.021,0.023]}'
check "a batch" answers 0 "$tact" batch "$work/scene/still.json" --shard 0/2 --output "$work/still0" --quiet
check "a scene of it elsewhere" answers 0 "$tact" batch "$work/scene/still.json" --env 0 --write-scene "$work/out/e.json"
check "names the mesh" grep -q '"file": *"\.\./scene/meshes/open.obj"' "$work/out/e.json"
check "and is read" answers 0 "$tact" check "$work/out/e.json"
check "another half" answers 0 "$tact" batch "$work/scene/still.json" --shard 1/2 --output "$work/still1" --quiet
sed -i 's/^v 20 20 20$/v 20 20 21/' "$work/scene/meshes/open.obj"
refuse "to go on with another mesh" "of another batch" "$tact" batch "$work/scene/still.json" --shard 1/2 --output "$work/still1"
batch scale.json scene.json '{"path":"shapes.rock.scale","uniform":[0.0008,0.001]}'
check "a drawn scale" answers 0 "$tact" batch "$work/scene/scale.json" --output "$work/scale"
"$tact" batch "$work/scene/scale.json" --env 5 --write-scene "$work/out/five.json" 2>"$work/said"
last() { # FILE: the last seven numbers of an array
    header=$(od -An -tu2 -j8 -N2 "$1" | tr -d ' ')
    od -An -v -tf8 -w8 -j$((10 + header)) "$1" | tail -n 7
}
"$tact" run "$work/out/five.json" --steps 20 --quiet --trace - | tail -n 1 | sed 's/.*"q":\[\([^]]*\)\].*/\1/' | tr ',' '\n' >"$work/alone"
last "$work/scale/q.npy" >"$work/together"
check "as alone" sh -c "paste '$work/alone' '$work/together' | awk 'NF != 2 || \$1 + 0 != \$2 + 0 { print; bad = 1 } END { exit bad || NR != 7 }'"

# what wants a closed mesh points to the hull
check "an open mesh has no grid" says 2 'is not a closed surface' "$tact" convert "$work/scene/meshes/open.obj" --sdf 20 -o "$work/out/open.npy"
check "but a hull" grep -qF 'a shape of type "hull" also takes an open mesh' "$work/said"
printf '{"tact":1,"shapes":[{"name":"a","body":"world","type":"grid","file":"meshes/open.obj","low":[0,0,0],"step":0.01}]}' >"$work/scene/grid.json"
check "a mesh in a grid's place" says 2 'the type "hull" takes the mesh as it is' "$tact" check "$work/scene/grid.json"
test_end hull_file
