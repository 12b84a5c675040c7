#!/bin/sh
# SPDX-License-Identifier: MIT
# The README's C example compiles and runs as printed, against the library of this build, and so does each of its commands, in a
# copy of the folders that they name, with a robot, problems, a scene and a spec of the names that they give.
. "$(dirname "$0")/test.sh"

awk '/^<!-- example/ { armed = 1 } armed && /^```$/ { exit } inside { print } armed && /^```c$/ { inside = 1 }' README.md >"$work/example.c"
check "the example is there" test -s "$work/example.c"
check "at most 25 lines" test "$(wc -l <"$work/example.c")" -le 25
# shellcheck disable=SC2046
check "it compiles" ${CC:-cc} -Wall -Wextra -Werror $([ "$REAL" = float ] && echo -DTACT_FLOAT) \
    $([ -n "$SAN" ] && echo -fsanitize=address,undefined) "$work/example.c" -Iinclude "$BUILD/libtact.a" \
    $(pkg-config --libs libcjson expat) -lm -o "$work/example"
check "it runs" sh -c "\"$work/example\" >\"$work/said\""
check "it finds the ball" grep -q "force on b" "$work/said"
for name in $(grep -oE 'data/[a-z_/]+\.jsonl?' README.md | sort -u); do check "$name exists" test -f "$name"; done
for name in $(sed -n 's/^| \([a-z_]*\.json\) |.*/\1/p' README.md); do check "scene $name exists" test -f "data/scenes/$name"; done

case $TACT in /*) ;; *) TACT=$PWD/$TACT ;; esac
mkdir -p "$work/copy/test/firmware" "$work/bin"
cp -r data "$work/copy" && cp test/firmware/hand.json "$work/copy/test/firmware"
ln -s "$TACT" "$work/bin/tact"
sed -n 's/^    \(tact .*\)/\1/p; s/^    \(echo .*tact .*\)/\1/p; s/^    \(python3 .*\)/\1/p' README.md | grep -v '^tact help COMMAND' >"$work/lines"
check "the README has commands" test "$(wc -l <"$work/lines")" -gt 25
cd "$work/copy" || exit 1
PATH=$work/bin:/usr/bin:$PATH
unset DISPLAY WAYLAND_DISPLAY
cat >hand.urdf <<'END'
<robot name="hand"><link name="palm"/><link name="tip"/><joint name="j" type="revolute"><parent link="palm"/><child link="tip"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
END
sed 's|"../robots|"data/robots|' data/scenes/hand_lift.json >scene.json
sed 's|"../scenes|"data/scenes|' data/batch/grasp.json >spec.json
tact run scene.json --steps 60 --quiet --trace run.jsonl
while IFS= read -r command; do
    case $command in
    *"tact view"*) [ -f "$(dirname "$TACT")/viewer.html" ] || continue ;;
    *numpy*) python3 -c 'import numpy' 2>/dev/null || continue ;;
    *"tact lcp"*) echo '{"id":1,"n":2,"M":[2,1,1,2],"q":[-5,-6]}' >problems.jsonl ;;
    *"tact friction"*) echo '{"id":1,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[0.5]}' >problems.jsonl ;;
    # six thousand steps with sanitizers
    *6500*) [ -z "${SAN:-}" ] || continue ;;
    esac
    check "$command" sh -c "$command" </dev/null
done <"$work/lines"
for word in check run import fk ik solve lcp friction bench grad optimise identify plot render view; do check "tact $word" "$TACT" help "$word"; done
test_end readme
