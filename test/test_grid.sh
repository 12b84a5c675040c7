#!/bin/sh
# SPDX-License-Identifier: MIT
# tact convert --sdf, and grids at the command line: scenes, distances, bake, drawings, the page's data, refusals.
. test/test.sh
LC_ALL=C
export LC_ALL
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac

# a cube of 40 mm in millimetres, its faces quadrilaterals
cat >"$work/cube.obj" <<'END'
v -20 -20 -20
v 20 -20 -20
v 20 20 -20
v -20 20 -20
v -20 -20 20
v 20 -20 20
v 20 20 20
v -20 20 20
f 1 4 3 2
f 5 6 7 8
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 4 1 5 8
END
grep -v '^f 5 6' "$work/cube.obj" >"$work/open.obj"

check "a mesh as a grid" answers 0 "$tact" convert "$work/cube.obj" --sdf 21 --scale 0.001 -o "$work/cube.npy"
check "its keys" line 1 '{ "type": "grid", "file": "cube.npy", "low": [-0.02'
check "where it lies, how fine" line 1 '"step": 0.0025 }'
cp "$work/answer" "$work/keys"
check "how exact it is" grep -q '21 x 21 x 21 numbers, step 0.0025 m, volume of the mesh 6.4e-05 m^3; .* off the grid' "$work/said"
check "what it weighs" grep -qF '"com": [0, 0, 0], "mass": 0.064, "inertia": [1.70667e-05, 1.70667e-05, 1.70667e-05, 0, 0, 0] with 1000 kg/m^3' "$work/said"
check "the array" sh -c "head -c 128 '$work/cube.npy' | grep -aq \"'descr': '.f8', 'fortran_order': False, 'shape': (21, 21, 21)\""
check "again" answers 0 "$tact" convert "$work/cube.obj" --sdf 21 --scale 0.001 -o "$work/again.npy"
check "the same bytes" cmp "$work/cube.npy" "$work/again.npy"
check "numbers of 16 bits" answers 0 "$tact" convert "$work/cube.obj" --sdf 21 --scale 1e-3 --int16 -o "$work/cube16.npy"
check "their scale" line 1 '"step": 0.0025, "scale": '
cp "$work/answer" "$work/keys16"
check "a quarter of the size" sh -c "[ \$(wc -c <'$work/cube16.npy') -eq $((128 + 2 * 21 * 21 * 21)) ]"
sed 's/^f \(.*\) \(.*\) \(.*\) \(.*\)$/f \4 \3 \2 \1/' "$work/cube.obj" >"$work/inward.obj"
check "faces that look inward" says 0 "its faces look inward: turned" "$tact" convert "$work/inward.obj" --sdf 21 --scale 0.001 -o "$work/again.npy"
check "have the same place" grep -q '"file": "again.npy", "low": .-0.025, -0.025' "$work/stdout"

refuse "an open mesh" "open.obj: error: is not a closed surface: 4 edges have one face only, 0 more than two, 0 two that run in the same direction: (-20, -20, 20)-(" \
    "$tact" convert "$work/open.obj" --sdf 21 -o "$work/no.npy"
refuse "no mesh" "not a mesh of a known format" "$tact" convert data/scenes/lesson.json --sdf 21 -o "$work/no.npy"
refuse "no such mesh" "No such file" "$tact" convert "$work/none.obj" --sdf 21 -o "$work/no.npy"
refuse "without a file" "--sdf needs a file" "$tact" convert "$work/cube.obj" --sdf 21
refuse "to standard output" "--sdf needs a file" "$tact" convert "$work/cube.obj" --sdf 21 -o -
refuse "too few" "--sdf" "$tact" convert "$work/cube.obj" --sdf 8 -o "$work/no.npy"
refuse "too many" "--sdf" "$tact" convert "$work/cube.obj" --sdf 257 -o "$work/no.npy"
refuse "no factor" "--scale must be a number" "$tact" convert "$work/cube.obj" --sdf 21 --scale 0 -o "$work/no.npy"
refuse "a factor that is none" "--scale must be a number" "$tact" convert "$work/cube.obj" --sdf 21 --scale x -o "$work/no.npy"
refuse "bits of a scene" "--int16 and --scale go with --sdf" "$tact" convert data/scenes/lesson.json --int16
refuse "a factor of a scene" "--int16 and --scale go with --sdf" "$tact" convert data/scenes/lesson.json --scale 2
refuse "no folder" "No such file" "$tact" convert "$work/cube.obj" --sdf 21 -o "$work/none/cube.npy"
check "nothing was written" sh -c "! ls '$work'/no.npy '$work'/none 2>/dev/null"

# a ball falls onto it
scene() { # KEYS
    printf '{"tact":1,"mu":0.5,"bodies":[{"name":"ball","parent":"world","mass":0.1,"joint":{"type":"translation"}}],"shapes":[%s,\n' \
        "$(sed 's/{/{ "name": "block", "body": "world",/' "$1")"
    printf '{"name":"ball","body":"ball","type":"sphere","radius":0.01}],"pairs":[{"a":"block","b":"ball"}],\n'
    printf '"state":{"q":{"ball":[0,0,0.04]}},"options":{"dt":0.01,"kappa":1e6}}\n'
}
scene "$work/keys" >"$work/cube.json"
scene "$work/keys16" >"$work/cube16.json"
for name in cube cube16; do
    check "check $name" answers 0 "$tact" check "$work/$name.json"
    check "its shape $name" grep -q '^  block *(*world)* *grid' "$work/answer"
    for law in barrier rigid; do
        check "run $name $law" answers 0 "$tact" run "$work/$name.json" --law $law --steps 300 --trace "$work/$name.jsonl"
        check "rests on the top $name $law" grep -q '^  ball  .*  0\.0\(3\|2999\)[0-9]*  ' "$work/answer"
    done
    check "draw $name" answers 0 "$tact" render "$work/$name.jsonl" --step 300 -o "$work/$name.svg"
    check "many faces $name" sh -c "[ \$(grep -c '<polygon' '$work/$name.svg') -gt 300 ]"
    check "bake $name" answers 0 "$tact" bake "$work/$name.json" --name block
done
check "whole numbers in flash" grep -q 'static const int16_t block_coefficients_0\[9261\]' "$work/answer"
# two that are alike have the most samples both
cp data/scenes/spot.npy "$work/spot.npy"
sed 's/.*"name": "cow", "body": "spot"/"body":"world"/; s/, "xyz.*//' >"$work/cow" <<END
$(sed -n '/"name": "cow"/,/"scale"/p' data/scenes/spot_lift.json | tr '\n' ' ')
END
printf '{"tact":1,"mu":1,"pairs":"auto","max_contacts":100,"shapes":[{"name":"a",%s,"samples":4096},{"name":"b",%s,"samples":4096}]}' \
    "$(cat "$work/cow")" "$(cat "$work/cow")" >"$work/herd.json"
refuse "two grids of too many samples to be found" "have too many contacts to be found: list the pairs" "$tact" check "$work/herd.json"
refuse "virtual" "a shape of type \"grid\" has no outline in a plane" "$tact" check "$work/cube.json" --law virtual
refuse "not in MuJoCo" "a shape that MuJoCo does not have: block" "$tact" convert "$work/cube.json"
check "a size from the command line" answers 0 "$tact" check "$work/cube.json" --set shapes.block.round=0.005
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
check "the page's data" env TACT_VIEWER="$work/page.html" "$tact" view --no-open "$work/cube16.json" -o "$work/cube.html"
check "hold the array" grep -q 'cube16.npy":{"base64":"k05VTVBZ' "$work/cube.html"
printf 'no array' >"$work/cube16.npy"
refuse "no array" "/shapes/0/file: error: $work/cube16.npy: is not a .npy file" "$tact" check "$work/cube16.json"

# what the command makes of solids with sharp edges and thin parts is read: its coefficients have the slopes of a distance
for size in "20 20 20" "20 20 1" "20 1 1"; do
    # shellcheck disable=SC2086 # three words
    set -- $size
    awk -v x="$1" -v y="$2" -v z="$3" '/^v/ { print "v", $2 * x / 20, $3 * y / 20, $4 * z / 20; next } { print }' "$work/cube.obj" >"$work/part.obj"
    for count in 9 10 30; do
        for bits in "" --int16; do
            # shellcheck disable=SC2086 # none or one
            "$tact" convert "$work/part.obj" --sdf $count --scale 0.001 $bits -o "$work/part.npy" >"$work/partkeys" 2>"$work/said"
            scene "$work/partkeys" >"$work/part.json"
            check "half sizes $size, $count numbers $bits" answers 0 "$tact" check "$work/part.json"
        done
    done
done

# a mug with a handle, of one closed mesh: the array of the scene in which a hand holds it, which it does
awk -f test/mug.awk </dev/null >"$work/mug.obj"
check "a mug" answers 0 "$tact" convert "$work/mug.obj" --sdf 49 --scale 0.001 --int16 -o "$work/mug.npy"
check "is that of the scene" cmp "$work/mug.npy" data/scenes/mug.npy
check "a hand holds it" answers 0 "$tact" run data/scenes/allegro_mug.json --steps 100 --trace "$work/mug.jsonl"
check "by less than a millimetre" sh -c "grep '^  mug ' '$work/answer' | awk '{ bad = !(\$5 < 0.001); n++ } END { exit bad || n < 1 }'"

# as a robot's shape the array lies beside the robot's file
mkdir "$work/robot"
mv "$work/cube.npy" "$work/robot/"
printf '{"bodies":[{"name":"tool","parent":"world","joint":{"type":"prismatic","axis":[0,0,1]}}],"shapes":[%s],"drives":[{"joint":"tool","stiffness":100}]}\n' \
    "$(sed 's/{/{ "name": "block", "body": "tool",/' "$work/keys")" >"$work/robot/tool.json"
printf '{"tact":1,"robots":[{"file":"robot/tool.json"}]}\n' >"$work/tool.json"
check "a robot's grid" answers 0 "$tact" check "$work/tool.json"
check "in the page" env TACT_VIEWER="$work/page.html" "$tact" view --no-open "$work/tool.json" -o "$work/tool.html"
check "its array, too" grep -q 'robot/cube.npy":{"base64":"k05VTVBZ' "$work/tool.html"

# batches: their digest holds the array, of a robot too; a drawn place of the grid is another scene
batch() { # NAME SCENE PARAMETERS
    printf '{"tact_batch":1,"scene":"%s","envs":6,"steps":60,"parameters":[%s]}\n' "$2" "$3" >"$work/$1"
}
cp "$work/robot/cube.npy" "$work/cube.npy"
batch still.json cube.json '{"path":"state.q.ball.2","uniform":[0.031,0.033]}'
batch robot.json tool.json '{"path":"robots.0.file","choice":["robot/tool.json"]}'
for name in still robot; do
    for i in 0 1; do check "shard $i of $name" answers 0 "$tact" batch "$work/$name.json" --shard $i/2 --output "$work/$name$i" --quiet; done
    check "merged $name" answers 0 "$tact" merge "$work/$name" "$work/${name}0" "$work/${name}1"
done
"$tact" convert "$work/cube.obj" --sdf 21 --scale 0.00101 -o "$work/other.npy" >"$work/stdout" 2>"$work/said"
for name in still robot; do
    case $name in still) there=$work/cube.npy ;; robot) there=$work/robot/cube.npy ;; esac
    mv "$there" "$work/kept.npy"
    cp "$work/other.npy" "$there"
    refuse "to resume $name with another array" "of another batch" "$tact" batch "$work/$name.json" --shard 1/2 --output "$work/${name}1"
    check "a shard of $name with another array" answers 0 "$tact" batch "$work/$name.json" --shard 1/2 --output "$work/${name}2" --quiet
    check "is of another batch" says 2 "is of another batch" "$tact" merge "$work/none" "$work/${name}0" "$work/${name}2"
    mv "$work/kept.npy" "$there"
done
sed 's/0\.04\]/0.0305]/' "$work/cube.json" >"$work/low.json"
for key in low.2:-0.0255,-0.0245 step:0.00249,0.00252 scale:0.9,1.1; do
    range=${key#*:} key=${key%%:*}
    sed 's/"step"/"scale": 1, "step"/' "$work/low.json" >"$work/drawn.json"
    batch place.json drawn.json "{\"path\":\"shapes.0.$key\",\"uniform\":[$range]}"
    check "a drawn $key" answers 0 "$tact" batch "$work/place.json" --output "$work/place_$key"
    check "changes the model: $key" sh -c "! grep -q 'no number of the model' '$work/said'"
    "$tact" batch "$work/place.json" --env 5 --write-scene "$work/five.json" >/dev/null
    "$tact" run "$work/five.json" --steps 60 --quiet --trace - | tail -n 1 | sed 's/.*"q":\[\([^]]*\)\].*/\1/' | tr ',' '\n' >"$work/alone"
    header=$(od -An -tu2 -j8 -N2 "$work/place_$key/q.npy" | tr -d ' ')
    od -An -v -tf8 -w8 -j$((10 + header)) "$work/place_$key/q.npy" | tail -n "$(wc -l <"$work/alone")" >"$work/together"
    check "as alone: $key" sh -c "paste '$work/alone' '$work/together' | awk 'NF != 2 || \$1 + 0 != \$2 + 0 { print; bad = 1 } END { exit bad || NR < 3 }'"
done

# a scene in another folder names the array from there
mkdir "$work/sub"
check "a scene of a batch elsewhere" answers 0 "$tact" batch "$work/still.json" --env 0 --write-scene "$work/sub/e.json"
check "names the array" grep -q '"file": *"\.\./cube\.npy"' "$work/sub/e.json"
check "and is read" answers 0 "$tact" check "$work/sub/e.json"

# distances
cd "$work/robot" || exit 1
{
    printf '{"id":1,"a":%s,"b":{"type":"sphere","radius":0.01,"xyz":[0.05,0.002,0.001]}}\n' "$(cat "$work/keys")"
    printf '{"id":2,"a":{"type":"box","size":[0.01,0.01,0.01],"xyz":[0.002,0.001,0.05]},"b":%s}\n' "$(cat "$work/keys")"
} >"$work/pairs"
check "distances" answers 0 "$tact" distance --derivatives "$work/pairs"
check "a ball beside the cube" sh -c "sed -n 1p '$work/answer' | grep -q '\"gap\":0.0[12][09][09]*.*\"gradient\":\[.*\"hessian\":\['"
check "a box over the cube" sh -c "sed -n 2p '$work/answer' | grep -q '\"gap\":0.0\(24\|25\)[0-9]*,.*\"hessian\":\['"
test_end grid
