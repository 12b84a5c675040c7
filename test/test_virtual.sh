#!/bin/sh
# SPDX-License-Identifier: MIT
# The scenes of the virtual law at the command line: they run, to the end and converged; descents reach their goals.
. "$(dirname "$0")/test.sh"

# single precision and sanitizers: fewer steps
for name in lift_circle lift_hex lift_roll_hex slide_hex rolling_disc flip_box lift_two_pushers push_to_goal two_balls hinge_fingers; do
    # single precision has too few digits for friction as stiff as that of the two pushers: some steps end at the iteration limit
    softer=
    [ "$REAL$name" != floatlift_two_pushers ] || softer="--set options.kt=700"
    for set in options.friction=none options.dt=0.004; do
        # shellcheck disable=SC2086
        check "$name $set" "$TACT" run "data/scenes/$name.json" --steps 130 --set $set $softer --quiet
    done
done
# every manifold, of which some hold what they found where a step begins: all steps converge
for name in lift_circle lift_hex lift_roll_hex slide_hex; do
    for manifold in features closest sum stein descent; do
        steps=130
        case "$manifold$REAL$SAN" in stein*|descent*) [ "$REAL$SAN" = double ] || steps=20 ;; esac
        check "$name $manifold" "$TACT" run "data/scenes/$name.json" --steps $steps --set options.manifold=$manifold --quiet
    done
    check "$name closest, hard, no friction" "$TACT" run "data/scenes/$name.json" --steps 130 --quiet --set options.manifold=closest \
        --set options.temperature=0 --set options.friction=none
done
"$TACT" grad data/scenes/lift_hex.json --set options.manifold=stein --steps 2 >"$work/held"
check "particles are held, as the status says" grep -q '"status":"held","held":"particles"' "$work/held"
"$TACT" grad data/scenes/lift_hex.json --set options.manifold=stein --steps 2 --frozen >"$work/held"
check "with frozen points nothing is left to be said" grep -q '"status":"converged","dofs"' "$work/held"
"$TACT" grad data/scenes/lift_hex.json --set options.manifold=closest --steps 2 >"$work/held"
check "the closest pair is differentiated" grep -q '"status":"converged","dofs"' "$work/held"
"$TACT" grad data/scenes/lift_hex.json --set options.manifold=descent --steps 2 --rollout >"$work/held"
check "particles are held in runs, too" grep -q '"status":"held","held":"particles"' "$work/held"
# a scene that names no penalty has softplus
sed 's/"penalty": "[a-z]*", //' data/scenes/lift_two_pushers.json >"$work/unsaid.json"
check "no penalty is named" sh -c "! grep -q penalty '$work/unsaid.json'"
for penalty in softplus algebraic exp quadratic; do
    "$TACT" run "$work/unsaid.json" --steps 20 --set options.penalty=$penalty --trace "$work/$penalty.jsonl" --quiet
done
"$TACT" run "$work/unsaid.json" --steps 20 --trace "$work/unsaid.jsonl" --quiet
check "softplus is the default" cmp -s "$work/unsaid.jsonl" "$work/softplus.jsonl"
for penalty in algebraic exp quadratic; do
    check "$penalty is not" sh -c "! cmp -s '$work/unsaid.jsonl' '$work/$penalty.jsonl'"
done
check "tact help scene says so" sh -c "'$TACT' help scene | grep -A 1 '^  penalty' | grep -Eq 'softplus +virtual'"
# fingers without mass, on which a contact that turns with them presses harder than their drives hold
for command in 0.3 -0.5; do
    check "massless fingers, $command" "$TACT" run data/scenes/two_fingers_disc.json --law virtual --steps 100 --quiet \
        --set "command={\"mode\":\"fixed\",\"q\":{\"left_1\":$command}}"
done
# friction that is hardly any
for mu in 5e-324 1e-310 1e-38; do
    sed -E "s/\"mu\": [0-9.]+/\"mu\": $mu/g" data/scenes/hinge_fingers.json >"$work/slide.json"
    check "friction of $mu" "$TACT" run "$work/slide.json" --steps 50 --quiet
done
check "pile" "$TACT" run data/scenes/pile_200.json --steps 5 --quiet

"$TACT" run data/scenes/flip_box.json --steps 280 --trace "$work/flip.jsonl" --quiet
check "the box is tipped" sh -c "tail -n 1 '$work/flip.jsonl' | grep -Eq '\"q\":\[[^,]*,[^,]*,-1\.[5-9][0-9]*,'"

"$TACT" grad data/scenes/lift_hex.json --steps 65 >"$work/grad"
check "grad has its matrices" grep -q '"A":\[.*"A_qv":\[.*"F":\[.*"parameters":{.*"kn":' "$work/grad"
# bodies behind drives have mass, too, and where they accelerate it counts
"$TACT" grad data/scenes/hinge_fingers.json --steps 20 >"$work/grad"
sed 's/.*"mass":\[//; s/"stiffness":.*//' "$work/grad" >"$work/masses"
for body in left_1 left_2 right_1 right_2 disc; do
    check "grad has the mass of $body" grep -Eq "\"body\":\"$body\",\"dq\":\\[-?[0-9.e-]*[1-9]" "$work/masses"
done
"$TACT" grad data/scenes/push_to_goal.json --steps 20 --rollout >"$work/run"
check "grad of a run" grep -q '"B":\[' "$work/run"
check "grad with frozen contact points" answers 0 "$TACT" grad data/scenes/lift_roll_hex.json --steps 20 --frozen
mv "$work/answer" "$work/frozen"
check "grad without" answers 0 "$TACT" grad data/scenes/lift_roll_hex.json --steps 20
check "frozen contact points are another derivative" sh -c "grep -q '\"A\"' '$work/frozen' && ! cmp -s '$work/frozen' '$work/answer'"

# friction that creeps lets bodies sink: both are lifted and still held a second, ten and twenty after it
for steps in 150 1000 2000; do
    "$TACT" run data/scenes/lift_two_pushers.json --steps $steps >"$work/held"
    check "two pushers hold what they lift for $steps steps" awk '/^  (disc|hexagon)  *[-0-9]/ { held += $4 > 0.125 }
        END { exit held != 2 }' "$work/held"
done

if [ "$REAL" = double ] && [ -z "$SAN" ]; then
    "$TACT" optimise data/scenes/two_balls.json --iterations 20 >"$work/balls" 2>"$work/errors"
    check "two balls" grep -Eq '^ *second .*: reached' "$work/balls"
    "$TACT" optimise data/scenes/push_to_goal.json --iterations 60 >"$work/push" 2>"$work/errors"
    check "push" awk '/^ *hard loss/ { found = $3 } END { exit !(found > 0 && found <= 0.009) }' "$work/push"
    "$TACT" optimise data/scenes/lift_two_pushers.json --iterations 40 >"$work/lift" 2>"$work/errors"
    check "two pushers, all steps converged" test $? -eq 0
    # a temperature at which nothing is felt at the start
    "$TACT" optimise data/scenes/push_to_goal.json --set options.temperature=1e-4 --iterations 60 >"$work/cold" 2>"$work/errors"
    check "cold, nothing is found" grep -q 'not reached' "$work/cold"
    "$TACT" optimise data/scenes/push_to_goal.json --set options.temperature=1e-4 --anneal 0.02 --iterations 60 >"$work/annealed" 2>"$work/errors"
    check "annealed" awk '/^ *hard loss/ { found = $3 } END { exit !(found > 0 && found <= 0.009) }' "$work/annealed"
    "$TACT" optimise data/scenes/hinge_fingers.json --iterations 40 >"$work/grip" 2>"$work/errors"
    check "hinge fingers, commands found" grep -Eq '^ *disc .*: reached' "$work/grip"
    check "two pushers lift" grep -Eq '^ *disc .*: reached' "$work/lift"
fi

# BDF2 goes on from a trace as if it had not ended: its history is there
"$TACT" run data/scenes/lift_hex.json --steps 3 --set options.integrator=bdf2 --trace "$work/two.jsonl" --quiet
check "a trace of bdf2 has the state before" sh -c "tail -n 1 '$work/two.jsonl' | grep -q '\"q_past\":\['"

# slopes in the trace are those of tact grad, and change nothing else
"$TACT" run data/scenes/lift_circle.json --steps 66 --trace "$work/bare.jsonl" --quiet
"$TACT" run data/scenes/lift_circle.json --steps 66 --slopes --trace "$work/slopes.jsonl" --quiet
check "a slope for each step" test "$(grep -c '"slope":\[' "$work/slopes.jsonl")" -eq 66
check "the rest of the trace is the same" sh -c "sed 's/,\"slope\":[^]]*\]//' '$work/slopes.jsonl' | cmp - '$work/bare.jsonl'"

"$TACT" bench data/scenes/lift_hex.json --samples 3 >"$work/bench"
check "bench has the pass back" sh -c "grep -q '^  rollout and adjoint, a step  *[0-9]' '$work/bench' && grep -q 'forward and adjoint take [0-9.]* times forward' '$work/bench'"
check "bench of a pile" "$TACT" bench data/scenes/pile_200.json --samples 3 --once cold

# annealing is of this law, and goes down
refuse "no annealing upwards" "not above the scene's temperature" "$TACT" optimise data/scenes/push_to_goal.json --anneal 1e-9
refuse "no annealing of the barrier" "only the virtual law" "$TACT" optimise data/scenes/roll_to_goal.json --anneal 0.1

# twenty particles at both lower corners of a tilted hexagon, and by plain descent all at one
hexagon="--contacts --set state.q.body=[0,1.334899,0.05] --set options.spread=0.1 --width 480 --height 400"
for manifold in stein descent; do
    "$TACT" render data/scenes/lift_roll_hex.json $hexagon --set options.manifold=$manifold -o "$work/$manifold.svg"
done
dots() { grep 'circle class="head"' "$work/$1.svg" | sed 's/.*cx="\([^"]*\)".*/\1/'; }
check "twenty dots" test "$(dots stein | wc -l)" -eq 20
check "at both corners" sh -c "echo '$(dots stein)' | awk '\$1 < 200 { left++ } \$1 > 290 { right++ } END { exit !(left > 2 && right > 2) }'"
check "twenty dots by descent" test "$(dots descent | wc -l)" -eq 20
check "at one corner" sh -c "echo '$(dots descent)' | awk '\$1 < 172 || \$1 > 178 { off++ } END { exit off > 0 }'"
refuse "dots are of this law" "under the virtual law" "$TACT" render data/scenes/lesson.json --contacts

# fingers of two hinges squeeze a disc and lift it by 11 cm; a scene of another law with such fingers
"$TACT" run data/scenes/hinge_fingers.json --steps 220 --trace "$work/grip.jsonl" --quiet
check "hinge fingers hold the disc" sh -c "tail -n 1 '$work/grip.jsonl' | grep -Eq '\"q\":\[([^,]*,){5}0\.15'"
check "fingers of another law" "$TACT" run data/scenes/two_fingers_disc.json --law virtual --steps 200 --quiet

# what cannot be stepped is refused with its place
cat >"$work/follower.json" <<'END'
{ "tact": 1, "law": "virtual",
  "bodies": [
    { "name": "a", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "joint": { "name": "a", "type": "continuous", "axis": [0, 1, 0] } },
    { "name": "b", "parent": "world", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0],
      "joint": { "name": "b", "type": "continuous", "axis": [0, 1, 0], "mimic": { "joint": "a", "ratio": -1 } } } ] }
END
"$TACT" run "$work/follower.json" >"$work/said" 2>&1
check "a joint that follows one of another tree is refused" grep -q '/bodies/1.*follows a joint of another tree ("mimic"): give it a drive of its own, or take the law barrier or rigid' "$work/said"

# the corner of a member that stands out of its smooth union, pushed into a face: no minimum, but a contact
cat >"$work/corner.json" <<'END'
{ "tact": 1, "name": "corner", "law": "virtual", "options": { "dt": 0.002, "penalty": "softplus", "temperature": 0.0005, "kn": 2000, "kd": 20, "kt": 50 },
  "bodies": [ { "name": "box", "parent": "world", "mass": 0.5, "inertia": [8e-4, 8e-4, 8e-4, 0, 0, 0],
                "joint": { "name": "box", "type": "planar", "rpy": [1.5707963267948966, 0, 0] } } ],
  "shapes": [ { "name": "outer", "body": "box", "type": "rectangle", "size": [0.1, 0.1] },
              { "name": "inner", "body": "box", "type": "rectangle", "size": [0.06, 0.06] },
              { "name": "both", "body": "box", "type": "smooth_union", "of": ["outer", "inner"], "temperature": 0.002 },
              { "name": "table", "body": "world", "type": "rectangle", "size": [1, 0.2], "xyz": [0, 0, -0.1], "rpy": [1.5707963267948966, 0, 0] } ],
  "pairs": [ { "a": "both", "b": "table", "mu": 0.5 } ],
  "state": { "q": { "box": [0, 0.06, 0.785398] } } }
END
"$TACT" run "$work/corner.json" --steps 1 >"$work/said" 2>/dev/null
check "a corner that stands out of a smooth union touches" grep -q '^  both  table  -0.00' "$work/said"
"$TACT" grad "$work/corner.json" >"$work/said" 2>/dev/null
check "derivatives are by the sizes of the other shape" grep -q '"size":\[{"shape":"table","dq":' "$work/said"
check "and not by those of the union's members" sh -c "! grep -q '\"shape\":\"outer\"' '$work/said'"
test_end virtual-command
