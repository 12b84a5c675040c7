#!/bin/sh
# SPDX-License-Identifier: MIT
# Pairs that every step finds (max_contacts): commands say what they say of listed pairs, overlaps are told, the page takes a run,
# and a run goes on from its trace's state.
. test/test.sh

# two boxes, a hull, a capsule and a ball that fall on each other
pile() { # LAW FILE
    awk -v law="$1" 'BEGIN {
        printf "{\"tact\":1,\"law\":\"%s\",\"options\":{\"dt\":0.005", law
        if (law == "barrier") printf ",\"kappa\":10000,\"margin\":0.01,\"anchor\":true"
        printf "},\"pairs\":\"auto\",\"mu\":0.5,\"bodies\":["
        for (i = 0; i < 5; i++) printf "%s{\"name\":\"b%d\",\"parent\":\"world\",\"mass\":0.05,\"inertia\":[2e-5,2e-5,2e-5,0,0,0]," \
            "\"joint\":{\"name\":\"j%d\",\"type\":\"free\"}}", i ? "," : "", i, i
        print "],\"shapes\":[{\"name\":\"floor\",\"type\":\"plane\",\"body\":\"world\"},"
        print "{\"name\":\"crate\",\"body\":\"b0\",\"type\":\"box\",\"size\":[0.06,0.05,0.04]},"
        print "{\"name\":\"brick\",\"body\":\"b1\",\"type\":\"box\",\"size\":[0.05,0.03,0.03],\"rpy\":[0.2,0.1,0.5]},"
        print "{\"name\":\"rod\",\"body\":\"b2\",\"type\":\"capsule\",\"radius\":0.01,\"length\":0.06,\"rpy\":[0,1.4,0]},"
        print "{\"name\":\"stone\",\"body\":\"b3\",\"type\":\"hull\",\"points\":[[0.03,0,0],[-0.02,0.02,0],[-0.02,-0.02,0],[0,0,0.03]]},"
        print "{\"name\":\"ball\",\"body\":\"b4\",\"type\":\"sphere\",\"radius\":0.015}],\"state\":{\"q\":{"
        for (i = 0; i < 5; i++) printf "%s\"j%d\":[%g,%g,%g,1,0,0,0]", i ? "," : "", i, 0.004 * (i % 2), 0.003 * i, 0.021 + 0.047 * i
        print "}}}" }' >"$2"
}
pile barrier "$work/barrier.json"
pile rigid "$work/rigid.json"

same() { # LAW COMMAND...: the command says the same of pairs that are listed and of those found
    scene=$work/$1.json
    shift
    "$TACT" "$@" "$scene" >"$work/listed" 2>&1 || { cat "$work/listed"; return 1; }
    "$TACT" "$@" "$scene" --set max_contacts=500 >"$work/found" 2>&1 || { cat "$work/found"; return 1; }
    [ -s "$work/found" ] && cmp "$work/listed" "$work/found"
}
for law in barrier rigid; do
    for steps in 3 30 60; do
        check "$law: the state after $steps steps" same "$law" run --steps "$steps" --quiet --json
        check "$law: derivatives of step $steps" same "$law" grad --steps "$steps"
    done
    check "$law: a run is recorded" "$TACT" run "$work/$law.json" --set max_contacts=500 --steps 40 --quiet -o "$work/$law.jsonl"
    check "$law: the page takes it" "$TACT" view "$work/$law.jsonl" -o "$work/$law.html"
    check "$law: a picture of it" "$TACT" render "$work/$law.jsonl" -o "$work/$law.svg"
done

# what is told, listed or found
sink=state.q.j1.2=0.04
check "an overlap at the start" says 0 'overlap at the start, deepest "crate" and "brick#0"' "$TACT" run "$work/rigid.json" --set max_contacts=500 --set "$sink" \
    --steps 0 --quiet
"$TACT" run "$work/rigid.json" --set "$sink" --steps 0 --quiet 2>"$work/told"
check "is that of listed pairs" cmp "$work/told" "$work/said"
refuse "too little room" "pairs come near: raise max_contacts (5)" "$TACT" run "$work/rigid.json" --set max_contacts=5 --steps 60 --quiet
refuse "a command that finds none" "find pairs: leave it out here" "$TACT" optimise "$work/barrier.json" --set max_contacts=500
refuse "a whole run's matrices" "(of a step) find pairs" "$TACT" grad "$work/barrier.json" --set max_contacts=500 --rollout --steps 5

# the hand in the bin: every step of the first that touch something, and the bodies stay above the floor
check "clutter" answers 0 "$TACT" run data/scenes/clutter.json --steps 90 --quiet --json
check "clutter: all steps converge" grep -q '"converged":90,' "$work/answer"
check "clutter: nothing falls through" sh -c "! grep -qE '\"p\":\[[^],]*,[^],]*,-' '$work/answer'"
test_end found
