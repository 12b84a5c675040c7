#!/bin/sh
# SPDX-License-Identifier: MIT
# tact plot and tact render: their pictures are well-formed, the same each time, show what the trace says, and hold no script.
. test/test.sh
LC_ALL=C
export LC_ALL
scenes=data/scenes


"$TACT" run $scenes/two_fingers_disc.json --steps 200 --quiet --trace "$work/run.jsonl" 2>/dev/null
"$TACT" run $scenes/two_fingers_disc.json --steps 200 --set options.kappa=1e4 --quiet --trace "$work/soft.jsonl" 2>/dev/null
check "plot of a trace" answers 0 "$TACT" plot "$work/run.jsonl" -o "$work/plot.svg"
check "nothing on standard output" sh -c "[ ! -s '$work/answer' ]"
check "plot of the scene is the same" sh -c "'$TACT' plot $scenes/two_fingers_disc.json --steps 200 2>/dev/null | cmp - '$work/plot.svg'"
check "plot from standard input" sh -c "'$TACT' plot - <'$work/run.jsonl' | cmp - '$work/plot.svg'"
check "two traces" answers 0 "$TACT" plot "$work/run.jsonl" "$work/soft.jsonl" --what forces,v,u,energy --only disc -o "$work/two.svg"
check "the legend names both" grep -q 'disc (soft.jsonl)' "$work/two.svg"
check "a body is in no name of a command" says 4 '--only: no curve of these charts has "disc" in its name (there are: ' "$TACT" plot "$work/run.jsonl" --what u --only disc -o "$work/none.svg"
check "a chart without such a curve" sh -c "'$TACT' plot '$work/run.jsonl' --what forces,u --only disc -o '$work/some.svg' && grep -q '>without a curve of --only: command u' '$work/some.svg'"
check "is not said to be at rest" sh -c "! grep -q 'nothing changes' '$work/some.svg'"
check "a name that no curve has" says 4 '--only: no curve of these charts has "dics" in its name' "$TACT" plot "$work/run.jsonl" --only dics -o "$work/none.svg"
check "nothing is written then" sh -c "[ ! -e '$work/none.svg' ]"
# commands of a passage are forces, those of drives places; a chart in which nothing changes is named and not drawn
"$TACT" qcqp --scene $scenes/cart_stop.json --trace "$work/stop.jsonl" >"$work/out" 2>"$work/err"
check "units of forces are in the trace" grep -q '"command_units":\["N"\]' "$work/stop.jsonl"
check "units of a force" sh -c "'$TACT' plot '$work/stop.jsonl' --what q,v,u | grep -c '>q \[m\]<\|>v \[m/s\]<\|>command u \[N\]<' | grep -q '^3$'"
check "units of a place" sh -c "'$TACT' plot $scenes/hand_lift.json --steps 20 --what u 2>/dev/null | grep -q '>command u \[m, rad\]'"
check "what stays is named" sh -c "'$TACT' plot $scenes/incline.json --steps 3 --what q,u 2>/dev/null | grep -q '>not drawn, as nothing changes: command u'"
check "gaps over decades have a logarithmic axis" sh -c "'$TACT' plot $scenes/hand_lift.json --steps 170 --what forces,gaps --only ball 2>/dev/null >'$work/gaps.svg' && grep -q '>1e-6<' '$work/gaps.svg'"
check "one legend for the same pairs" [ "$(grep -c '>thumb_1 – ball</text>' "$work/gaps.svg")" = 1 ]
check "one body" answers 0 "$TACT" plot $scenes/ball_drop.json --steps 40 --body ball --vary options.kappa=100,1e4 -o "$work/body.svg"
check "nine charts of two runs" sh -c "[ \$(grep -c '<rect class=\"box\"' '$work/body.svg') -eq 9 ]"
check "the input, which stays, is named" grep -q '>not drawn, as nothing changes: input<' "$work/body.svg"
check "its legend" grep -q '>kappa=1e4<' "$work/body.svg"
long=name_of_a_run_that_is_longer_than_a_legend
for kappa in 100 1e4; do "$TACT" run $scenes/hand_lift.json --steps 20 --quiet --set options.kappa=$kappa --trace "$work/$long.$kappa"; done
check "long names" answers 0 "$TACT" plot "$work/$long.100" "$work/$long.1e4" --column -o "$work/long.svg"
check "runs are told apart by their lines" sh -c "grep -q '>solid: $long.100<' '$work/long.svg' && grep -q '>dashed: $long.1e4<' '$work/long.svg'"
check "a legend names the curves of one run" sh -c "[ \$(grep -c '>ball.qy</text>' '$work/long.svg') -eq 1 ]"
check "a long name keeps its end" grep -q 'finger_r_j…_3_middle2</text>' "$work/long.svg"
check "render a scene" answers 0 "$TACT" render $scenes/lesson.json -o "$work/hand.svg"
check "render a step" answers 0 "$TACT" render "$work/run.jsonl" --step 150 -o "$work/disc.svg"
check "render of the scene is the same" sh -c "'$TACT' render $scenes/two_fingers_disc.json --step 150 2>/dev/null | cmp - '$work/disc.svg'"
check "animate" answers 0 "$TACT" render "$work/run.jsonl" --animate --frames 12 -o "$work/moving.svg"
check "at most as many frames" sh -c "n=\$(grep -c '<animate ' '$work/moving.svg'); [ \$n -gt 6 ] && [ \$n -le 12 ]"
check "no script, no link" sh -c "! grep -qiE '<script|href|javascript|onload' '$work'/*.svg"

# names that would break out
sed 's/"disc"/"<script>alert(1)<\/script>\\u0022 onload=x"/g; s/"name": "two_fingers_disc"/"name": "<\/title><script>"/' \
    $scenes/two_fingers_disc.json >"$work/hostile.json"
for what in "plot --what forces,q,energy" "plot --body left_1" "render --animate --step 20"; do
    # shellcheck disable=SC2086 # the words are several
    check "hostile names: $what" answers 0 "$TACT" $what "$work/hostile.json" -o "$work/hostile.svg"
    check "and no script: $what" sh -c "! grep -q '<script' '$work/hostile.svg'"
    cp "$work/hostile.svg" "$work/hostile_$(echo "$what" | tr -dc a-z).svg"
done

# what is refused
for end in png PDF gif jpg; do
    check "no picture in $end" says 4 "pictures are SVG" "$TACT" plot "$work/run.jsonl" -o "$work/a.$end"
    check "no drawing in $end" says 4 "rsvg-convert" "$TACT" render "$work/run.jsonl" -o "$work/a.$end"
    check "nothing is written" [ ! -e "$work/a.$end" ]
done

# many curves: the strongest, and how many there are; pairs by their bodies; the order that is asked for
"$TACT" plot $scenes/pile_200.json --steps 60 --what q,forces -o "$work/pile.svg" 2>"$work/err"
check "the strongest of many" grep -qE 'normal force \[N\]: the 8 strongest of [0-9]+' "$work/pile.svg"
check "the ones that change most" grep -q 'q \[m, rad\]: the 8 that change most of 600' "$work/pile.svg"
check "sixteen curves" [ "$(grep -c '<path class="curve[^>]*><title>' "$work/pile.svg")" = 16 ]
check "in the order of --what" sh -c "grep -n 'that change most\|8 strongest' '$work/pile.svg' | head -1 | grep -q 'change most'"
check "a step of six digits" grep -q 'step 0.00416667 s' "$work/pile.svg"
"$TACT" plot $scenes/pile_200.json --steps 60 --what q --all -o "$work/pile.svg" 2>"$work/err"
check "all of them" [ "$(grep -c '<path class="curve[^>]*><title>' "$work/pile.svg")" = 600 ]
"$TACT" plot $scenes/allegro_cube.json --steps 5 --what forces,gaps,energy --only cube -o "$work/cube.svg" 2>"$work/err"
check "corners of the cube are the cube's" grep -q 'palm – corner_' "$work/cube.svg"
check "pairs without load are counted or none are" grep -q 'strongest of\|without load' "$work/cube.svg"
"$TACT" plot $scenes/two_carts.json --steps 3 --what gaps -o "$work/apart.svg" 2>"$work/err"
check "gaps without forces" grep -q 'gap \[m\]' "$work/apart.svg"

# a free ball that a torque turns: 1 rad in ten steps, and its derivative 0.01 s^2 / 1e-3 kg m^2 / ... is what the step says
cat >"$work/turn.json" <<END
{"tact": 1, "gravity": [0, 0, 0], "bodies": [{"name": "ball", "parent": "world", "mass": 1, "inertia": [1e-3, 1e-3, 1e-3, 0, 0, 0],
 "joint": {"type": "free"}}], "shapes": [], "forces": [{"body": "ball", "torque": [0, 0.1, 0]}]}
END
"$TACT" plot "$work/turn.json" --steps 10 --body ball -o "$work/turn.svg" 2>"$work/err"
check "a turn has a unit" grep -q 'place: turn of ball about y \[rad\]' "$work/turn.svg"
check "a place has its name" grep -q 'place: ball.x \[m\]' "$work/turn.svg"
check "a derivative has a unit" grep -q 'dq+/dinput: turn of ball about x \[rad/(N m)\]' "$work/turn.svg"
check "turns are drawn" [ "$(grep -c '<path class="curve[^>]*d="M' "$work/turn.svg")" = 18 ]
# from the frame's lower to its upper part: not a line along zero
check "the turn grows" sh -c "grep 'place: turn of ball about y' '$work/turn.svg' | grep '<path' | sed 's/.*d=\"M\([^,]*\),\([^ ]*\) \([^,]*\),\([^ \"]*\).*/\2 \4/' | awk '{ exit !(\$1 - \$2 > 100) }'"
check "the derivative is not zero" sh -c "grep 'dq+/dinput: turn of ball about y' '$work/turn.svg' | grep '<path' | sed 's/.*d=\"M\([^,]*\),\([^ ]*\) \([^,]*\),.*/\2/' | awk '{ exit !(\$1 > 0) }'"
"$TACT" plot $scenes/two_fingers_disc.json --steps 3 --body left_1 -o "$work/drive.svg" 2>"$work/err"
check "a drive is told where to go" grep -q 'command: .* \[rad\]' "$work/drive.svg"
check "the derivative by a command has no unit" grep -q 'dq+/dinput: .* \[1\]' "$work/drive.svg"
"$TACT" plot $scenes/cart_stop.json --steps 3 --body cart -o "$work/cart.svg" 2>"$work/err"
check "a slide is in metres" grep -q 'speed: .* \[m/s\]' "$work/cart.svg"
"$TACT" plot $scenes/two_fingers_disc.json --steps 3 --body disc -o "$work/plane.svg" 2>"$work/err"
check "a planar body turns by its third" grep -q 'angle \[rad\]' "$work/plane.svg"

# arrows end in the picture: no head below the legend's line; what would not is dashed
"$TACT" render $scenes/pile_200.json --step 100 -o "$work/pile.svg" 2>"$work/err"
check "heads are within" sh -c "grep -o 'class=\"head\" points=\"[^ ]*' '$work/pile.svg' | sed 's/.*,//' | awk '\$1 > 470 { bad = 1 } END { exit bad }'"
check "cut arrows are dashed, and that is told" sh -c "grep -q 'stroke-dasharray=\"4 3\"' '$work/pile.svg' && grep -q 'dashed: cut at the edge' '$work/pile.svg'"
check "three letters from above" sh -c "'$TACT' render $scenes/lesson.json --elevation 80 2>/dev/null | grep -c '>[xyz]</text>' | grep -q 3"
check "no such chart" says 4 'no chart "heat"' "$TACT" plot "$work/run.jsonl" --what q,heat
check "no such body" says 4 'no body "cup"' "$TACT" plot $scenes/lesson.json --body cup
check "a body of a trace" says 4 "takes a scene, not a trace" "$TACT" plot "$work/run.jsonl" --body disc
check "vary alone" says 4 "needs --body" "$TACT" plot "$work/run.jsonl" --vary options.kappa=1
check "a step behind the end" says 2 "the run ends at step 200" "$TACT" render "$work/run.jsonl" --step 201
check "no such file" says 3 "No such file" "$TACT" plot "$work/none"
check "no such folder" answers 3 "$TACT" render $scenes/lesson.json -o "$work/none/hand.svg"
check "a folder" says 3 "is a directory" "$TACT" render "$work"
check "another version" answers 2 sh -c "sed '1s/tact_trace\":1/tact_trace\":9/' '$work/run.jsonl' | '$TACT' render -"
check "a broken trace" answers 2 sh -c "head -c 9000 '$work/run.jsonl' | '$TACT' plot - -o '$work/broken.svg'"
check "leaves no picture" sh -c "[ ! -e '$work/broken.svg' ]"
check "a trace without shapes that fit" answers 2 sh -c "sed '1s/\"type\":\"sphere\"/\"type\":\"blob\"/' '$work/run.jsonl' | '$TACT' render -"
sed 's/"gravity"/"x_gravity"/' $scenes/ball_drop.json >"$work/bad.json"
check "a bad scene" answers 2 "$TACT" render "$work/bad.json"

if command -v python3 >/dev/null; then
    cat >"$work/look.py" <<'END'
import json, math, re, sys, xml.etree.ElementTree as tree
work = sys.argv[1]
names = ["plot", "two", "body", "hand", "disc", "moving", "hostile_plotwhatforcesqenergy", "hostile_plotbodyleft", "hostile_renderanimatestep"]
for name in names:
    root = tree.parse(f"{work}/{name}.svg").getroot()
    assert root.tag.endswith("svg") and root.get("role") == "img" and root.get("aria-label"), name
    tags = {element.tag.split("}")[1] for element in root.iter()}
    allowed = set("svg title desc style rect text line path polygon circle g defs radialGradient stop animate".split())
    assert tags <= allowed, tags - allowed
# the picture is to scale: finger tips, disc and their distances as the trace has them
root = tree.parse(f"{work}/disc.svg").getroot()
mark = [e for e in root.iter() if e.get("class") == "mark" and e.get("y1") == e.get("y2") == "460"][0]
label = [e.text for e in root.iter() if e.text and e.text.endswith(" m")][0]
metre = (float(mark.get("x2")) - float(mark.get("x1"))) / float(label[:-2])
step = [json.loads(line) for line in open(f"{work}/run.jsonl")][151]
assert step["step"] == 150
q = step["q"]
balls = [e for e in root.iter() if e.tag.endswith("circle") and e.get("class") == "edge"]
assert len(balls) == 2
for ball in balls:
    assert abs(float(ball.get("r")) - .01 * metre) < .02
face = [e for e in root.iter() if e.tag.endswith("polygon") and e.get("class") == "edge"]
points = [[float(x) for x in point.split(",")] for point in face[-1].get("points").split()]
centre = [sum(p[i] for p in points) / len(points) for i in (0, 1)]
for ball, contact in zip(balls, step["contacts"]):
    far = math.hypot(float(ball.get("cx")) - centre[0], float(ball.get("cy")) - centre[1])
    gap = far / metre - .05
    assert min(abs(gap - c["gap"]) for c in step["contacts"]) < 4e-4, (gap, contact["gap"])
    assert all(abs(math.dist(p, centre) - .04 * metre) < .1 for p in points)
# force arrows end where the forces say: in units of the arrow of the legend, which comes last
heads = [[float(x) for x in e.get("points").split()[0].split(",")] for e in root.iter() if e.get("class") == "head"]
starts = [[float(e.get("x1")), float(e.get("y1"))] for e in root.iter() if e.get("class") == "arrow"]
newton = float(next(e.text for e in root.iter() if e.text and "force on b" in e.text).split()[0])
lengths = [math.dist(a, b) for a, b in zip(starts, heads)]
drawn = sorted(x / lengths[-1] * newton for x in lengths[:-1])
forces = sorted(math.hypot(*c["force"]) for c in step["contacts"])
assert len(drawn) == 2 and all(abs(a - b) < .01 * b for a, b in zip(drawn, forces[-2:])), (drawn, forces)
END
    check "read by another reader" python3 "$work/look.py" "$work"
else
    echo "skipped: read by another reader (no python3)"
fi
# the page itself is tested by make test-viewer; here a stand-in shows what is put into it
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
export TACT_VIEWER="$work/page.html"
check "view a scene" answers 0 "$TACT" view "$work/hostile.json" --no-open --set options.kappa=50 -o "$work/scene.html"
check "view a trace" answers 0 "$TACT" view "$work/run.jsonl" --no-open -o "$work/trace.html"
check "view a robot" answers 0 "$TACT" view $scenes/lesson.json --no-open -o "$work/robot.html"
check "one script block in each" sh -c "for f in scene trace robot; do [ \$(grep -o '<script' '$work/'\$f.html | wc -l) -eq 1 ] || exit 1; done"
check "a page of another version" says 2 "not one of this version" sh -c "echo >'$work/old.html'; TACT_VIEWER='$work/old.html' '$TACT' view $scenes/lesson.json -o '$work/none.html'"
check "no page" says 3 "nowhere\", which TACT_VIEWER names" env TACT_VIEWER="$work/nowhere" "$TACT" view $scenes/lesson.json -o "$work/none.html"
check "a bad scene is not put into it" answers 2 "$TACT" view "$work/bad.json" -o "$work/none.html"
check "a broken trace is not, either" answers 2 sh -c "head -c 9000 '$work/run.jsonl' >'$work/broken.jsonl'; '$TACT' view '$work/broken.jsonl' -o '$work/none.html'"
check "nothing was written" sh -c "[ ! -e '$work/none.html' ]"
if command -v python3 >/dev/null; then
    cat >"$work/page.py" <<'END'
import json, re, sys
work = sys.argv[1]
def data(name):
    return json.loads(re.search(r'id="tact-data">(.*)</script>', open(f"{work}/{name}.html").read(), re.S).group(1))
scene = data("scene")
assert scene["files"][scene["scene"]] == open(f"{work}/hostile.json").read() and scene["settings"] == ["options.kappa=50"]
assert data("trace")["trace"] == open(f"{work}/run.jsonl").read()
robot = data("robot")
assert any(name.endswith("robotis_5f_hand.json") for name in robot["files"]) and len(robot["files"]) == 2
END
    check "the data are those of the files" python3 "$work/page.py" "$work"
else
    echo "skipped: the data are those of the files (no python3)"
fi
test_end view_pictures
