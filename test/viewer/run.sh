#!/bin/sh
# SPDX-License-Identifier: MIT
# The page in a real browser, and its solver against the native one. Needs `make viewer` to have been run; says "skipped" without
# node or Chromium.
. test/test.sh
LC_ALL=C
export LC_ALL
command -v node >/dev/null || { echo "viewer (no node): 0 passed, 0 failed"; exit 0; }
[ -f "$WASM" ] && [ -f "$VIEWER" ] || { echo "$0: no $WASM or no $VIEWER: make viewer"; exit 1; }
browser=
for name in "${CHROMIUM:-chromium}" chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && break
done

for scene in hand_lift two_fingers_disc egg_cup incline cube_in_hand lift_roll_hex lift_two_pushers hinge_fingers box_stack; do
    "$TACT" run data/scenes/$scene.json --steps 500 --quiet --trace "$work/$scene.jsonl" 2>/dev/null
    check "500 steps of $scene have the same bits" \
        node test/viewer/bits.mjs "$WASM" "$work/$scene.jsonl" 500 data/scenes/$scene.json data/robots/*.json
done

# a robot in MJCF comes into a page as the robot file that is made of it, under its own name, with its drives, springs and pairs
mkdir "$work/page"
cat >"$work/slider.xml" <<'END'
<mujoco><compiler autolimits="true"/><worldbody><body name="cart"><joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
<geom type="sphere" size="0.1" mass="1"/></body></worldbody>
<actuator><position joint="x" kp="50" forcerange="-5 5"/><position joint="y" kp="20"/></actuator></mujoco>
END
echo '{"tact":1,"robots":[{"file":"slider.xml"}],"command":{"mode":"fixed","q":{"x":0.3,"y":-0.2}}}' >"$work/slider.json"
"$TACT" run "$work/slider.json" --steps 50 --quiet --trace "$work/slider.jsonl" 2>/dev/null
"$TACT" import "$work/slider.xml" >"$work/page/slider.xml" 2>/dev/null
check "a robot in MJCF has its drives in the page" node test/viewer/bits.mjs "$WASM" "$work/slider.jsonl" 50 "$work/slider.json" "$work/page/slider.xml"

for scene in allegro_cube push_t fingertips_lift; do
    "$TACT" mpc data/scenes/$scene.json --trace "$work/$scene.mpc.jsonl" >/dev/null 2>&1
    check "the controller in the page goes through the bits of tact mpc: $scene" \
        node test/viewer/follow.mjs "$WASM" "$work/$scene.mpc.jsonl" data/scenes/$scene.json data/robots/*.json
done

# the command
sed 's/"ball"/"<\/script><img src=x onerror=alert(1)>"/g; s/"name": "ball_drop"/"name": "<script>alert(1)<\/script>"/' \
    data/scenes/ball_drop.json >"$work/hostile.json"
export TACT_VIEWER="$VIEWER"
for scene in hand_lift ball_drop lesson two_fingers_disc fingertips_cube; do
    check "page of $scene" "$TACT" view data/scenes/$scene.json -o "$work/$scene.html" --no-open
done
check "page of a trace" "$TACT" view "$work/hand_lift.jsonl" -o "$work/trace.html" --no-open
check "page of a trace with its scene" "$TACT" view "$work/two_fingers_disc.jsonl" --scene data/scenes/two_fingers_disc.json -o "$work/origin.html" --no-open
"$TACT" run data/scenes/lift_two_pushers.json --steps 400 --set options.dt=0.002 --quiet --trace "$work/options.jsonl" 2>/dev/null
check "page of a trace with other options" "$TACT" view "$work/options.jsonl" --scene data/scenes/lift_two_pushers.json -o "$work/options.html" --no-open
check "page of a trace with another scene" "$TACT" view "$work/hand_lift.jsonl" --scene data/scenes/lesson.json -o "$work/stranger.html" --no-open
check "a robot of URDF with meshes" node test/viewer/robot.mjs "$work"
check "page of it" "$TACT" view "$work/robot.json" -o "$work/robot.html" --no-open
"$TACT" run "$work/robot.json" --steps 100 --quiet --trace "$work/robot.jsonl" 2>/dev/null
check "page of hostile names" "$TACT" view "$work/hostile.json" -o "$work/hostile.html" --no-open
check "two scripts in it, as in every page" sh -c "[ \$(grep -o '<script' '$work/hostile.html' | wc -l) -eq \$(grep -o '<script' '$VIEWER' | wc -l) ]"
check "one file of at most 1.5 MB" sh -c "[ \$(wc -c <'$work/hand_lift.html') -le 1500000 ]"
check "it names no other file" sh -c "! grep -qE '(src|href)=\"(https?:)?//' '$work/hand_lift.html'"
refuse "a broken scene" "unknown key" sh -c "sed 's/gravity/grafity/' data/scenes/ball_drop.json >'$work/bad.json'; '$TACT' view '$work/bad.json' -o '$work/bad.html'"
refuse "no page" "which TACT_VIEWER names" env TACT_VIEWER="$work/none" "$TACT" view data/scenes/lesson.json -o "$work/none.html"

if [ -n "$browser" ]; then
    mkdir -p "$BUILD/viewer"
    "$TACT" run data/scenes/hand_lift.json --steps 2500 --quiet --trace "$work/long.jsonl" 2>/dev/null
    BROWSER=$browser SHOTS=$BUILD/viewer timeout 560 node test/viewer/browser.mjs "$work" >"$work/answers" 2>&1
    code=$?
    while IFS= read -r line; do
        case $line in
        "ok "*) check "${line#ok }" true ;;
        "failed "*) echo "$line"; check "${line#failed }" false ;;
        *) echo "$line" ;;
        esac
    done <"$work/answers"
    check "the browser's tests came to an end" [ $code -eq 0 ]
else
    echo "skipped: the page in a browser (no Chromium)"
fi
test_end viewer
