#!/bin/sh
# SPDX-License-Identifier: MIT
# A box twice as high as wide tips on an incline of atan(1/2): it stands at 0.01 degrees less and falls at 0.01 degrees more, as a
# box and as a hull, under the rigid law and under the barrier law where that is sharp. The gravity is turned instead of the plane.
. test/test.sh
# single precision: within a degree, and no barrier as sharp
case $("$TACT" --version) in *single*) off=1 single=1 ;; *) off=0.01 single= ;; esac

box='"type": "box", "size": [0.1, 0.1, 0.2]'
hull='"type": "hull", "points": [[-0.05, -0.05, -0.1], [0.05, -0.05, -0.1], [-0.05, 0.05, -0.1], [0.05, 0.05, -0.1],
    [-0.05, -0.05, 0.1], [0.05, -0.05, 0.1], [-0.05, 0.05, 0.1], [0.05, 0.05, 0.1]]'
# SHAPE LAW OFF OPTIONS Z STEPS: how far the upright box moves in that time, at so many degrees off the critical angle
moved() {
    awk -v off="$3" -v law="$2" -v shape="$1" -v options="$4" -v z="$5" 'BEGIN {
        a = atan2(1, 2) + off * atan2(0, -1) / 180
        printf "{\"tact\": 1, \"law\": \"%s\", \"gravity\": [%.17g, 0, %.17g], \"mu\": 2, \"options\": {%s}, \"bodies\": [{\"name\": \"b\", " \
            "\"parent\": \"world\", \"mass\": 50, \"inertia\": [%.17g, %.17g, %.17g, 0, 0, 0], \"joint\": {\"name\": \"b\", \"type\": \"free\"}}], " \
            "\"shapes\": [{\"name\": \"f\", \"body\": \"world\", \"type\": \"plane\"}, {\"name\": \"s\", \"body\": \"b\", %s}], " \
            "\"pairs\": [{\"a\": \"f\", \"b\": \"s\"}], \"state\": {\"q\": {\"b\": [0, 0, %.17g, 1, 0, 0, 0]}}}\n", \
            law, 9.81 * sin(a), -9.81 * cos(a), options, 2.5 / 12, 2.5 / 12, 1 / 12, shape, z }' | tr '\n' ' ' >"$work/tip.json"
    "$TACT" run "$work/tip.json" --steps "$6" --json --quiet 2>/dev/null | sed 's/.*"moved":\([0-9.e-]*\).*/\1/'
}
stands() { [ "$(moved "$@" | awk '{ print ($1 < 1e-3) }')" = 1 ]; }
falls() { [ "$(moved "$@" | awk '{ print ($1 > 0.03) }')" = 1 ]; }

for shape in "$box" "$hull"; do
    check "rigid, $off degrees less" stands "$shape" rigid -$off '"dt": 0.001' 0.1 1500
    check "rigid, $off degrees more" falls "$shape" rigid $off '"dt": 0.001' 0.1 1500
    [ "$single" ] && continue
    # each of four corners bears 50 * 9.81 * cos(atan(1/2)) / 4 = 110 N at a gap of 2/(kappa * 110 N)
    check "barrier, 0.01 degrees less" stands "$shape" barrier -0.01 '"dt": 0.01, "kappa": 1e8, "margin": 0.02' 0.1000000001823 400
    check "barrier, 0.01 degrees more" falls "$shape" barrier 0.01 '"dt": 0.01, "kappa": 1e8, "margin": 0.02' 0.1000000001823 400
done

test_end tip
