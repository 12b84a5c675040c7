#!/bin/sh
# SPDX-License-Identifier: MIT
# Pairs that every step finds (max_contacts): commands say what they say of listed pairs, overlaps are told, the page takes a run,
# and a run goes on from its trace's state.
. test/test.sh

# a page of the test's own stands for that of make viewer, which test-viewer looks at
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
export TACT_VIEWER="$work/page.html"

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
    for steps in 3 30 70; do
        check "$law: the state after $steps steps" same "$law" run --steps "$steps" --quiet --json
        check "$law: derivatives of step $steps" same "$law" grad --steps "$steps"
    done
    check "$law: a run is recorded" "$TACT" run "$work/$law.json" --set max_contacts=500 --steps 40 --quiet -o "$work/$law.jsonl"
    check "$law: the page takes it" "$TACT" view "$work/$law.jsonl" -o "$work/$law.html"
    check "$law: a picture of it" "$TACT" render "$work/$law.jsonl" -o "$work/$law.svg"
done

# what is told, listed or found
sink=state.q.j1.2=0.04
check "an overlap at the start" says 0 'overlaps at the start, deepest "crate" and "brick" by ' "$TACT" run "$work/rigid.json" --set max_contacts=500 --set "$sink" \
    --steps 0 --quiet
"$TACT" run "$work/rigid.json" --set "$sink" --steps 0 --quiet 2>"$work/told"
check "is that of listed pairs" cmp "$work/told" "$work/said"
refuse "too little room" "pairs come near: raise max_contacts (5)" "$TACT" run "$work/rigid.json" --set max_contacts=5 --steps 60 --quiet
lists='max_contacts: warning: this command lists all pairs instead'
check "a whole run's matrices" says 0 "$lists" "$TACT" grad "$work/barrier.json" --set max_contacts=500 --rollout --steps 5
check "are those of listed pairs" sh -c "'$TACT' grad '$work/barrier.json' --rollout --steps 5 >'$work/listed' &&
    '$TACT' grad '$work/barrier.json' --set max_contacts=500 --rollout --steps 5 2>/dev/null | cmp - '$work/listed'"

# a batch: the same motions, forces that say of which shapes they are, and numbers drawn that every pair found goes by
for law in barrier rigid; do
    for kind in listed found; do
        sed "s/\"mu\":0.5/\"mu\":0.5$([ $kind = found ] && echo ',\"max_contacts\":300')/" "$work/$law.json" >"$work/$kind.json"
        printf '{"tact_batch":1,"scene":"%s.json","envs":12,"steps":20,"seed":3,"record":{"final":true,"every":10,"forces":true,"derivatives":true},
            "parameters":[{"path":"mu","uniform":[0.2,0.8]},{"path":"bodies.b0.mass","uniform":[0.03,0.1]}]}' $kind >"$work/spec_$kind.json"
        rm -rf "$work/$kind"
        check "$law: a batch of pairs $kind" "$TACT" batch "$work/spec_$kind.json" -o "$work/$kind" --quiet
    done
    for array in parameters q v path_q path_v A B kink status iterations; do
        check "$law: $array of the batch" cmp "$work/listed/$array.npy" "$work/found/$array.npy"
    done
    check "$law: whose forces they are" grep -q '"npair": 300, .*"pairs": \[\], "shapes": \["floor", "crate", "brick", "rod", "stone", "ball"\]' "$work/found/manifest.json"
    # 300 pairs of two whole numbers for each of 12 environments, and of three rows of their paths
    check "$law: touch" sh -c "[ \$(wc -c <'$work/found/touch.npy') -eq $((128 + 12 * 300 * 8)) ] && [ \$(wc -c <'$work/found/path_touch.npy') -eq $((128 + 3 * 12 * 300 * 8)) ]"
    check "$law: the first pairs are of the floor" sh -c "tail -c +129 '$work/found/touch.npy' | od -An -v -t d4 -w8 | awk '
        \$1 >= 0 && \$2 > \$1 && \$2 < 6 { found++ } \$1 == 0 { floor++ } \$1 < 0 && \$2 != -1 { exit 1 } END { exit !(floor >= 12 && found > floor) }'"
done

# environments that are refused have no pairs: -1, not shape 0 with itself
printf '{"tact_batch":1,"scene":"found.json","envs":64,"steps":2,"seed":3,"record":{"final":true,"every":1,"forces":true},
    "parameters":[{"path":"bodies.b0.mass","normal":[0.05,0.02]}]}' >"$work/spec.json"
check "a batch with masses below 0" answers 1 "$TACT" batch "$work/spec.json" -o "$work/refused"
check "refuses some" grep -q "bad_input" "$work/answer"
for array in touch path_touch; do
    check "$array has no pair of a shape with itself" sh -c "tail -c +129 '$work/refused/$array.npy' | od -An -v -t d4 -w8 | awk '\$1 == \$2 && \$1 >= 0 { exit 1 }'"
done

# the hand in the bin: every step of the first that touch something, and the bodies stay above the floor
check "clutter" answers 0 "$TACT" run data/scenes/clutter.json --steps 90 --quiet --json
check "clutter: all steps converge" grep -q '"converged":90,' "$work/answer"
check "clutter: nothing falls through" sh -c "! grep -qE '\"p\":\[[^],]*,[^],]*,-' '$work/answer'"

# what a palm is to fingers that stand on it: a base that moves carries it
printf '{"tact":1,"robots":[{"file":"%s/data/robots/allegro_right.json","base":{"joint":"driven"}}],"pairs":[],"state":{"q":{"th_base_j":0.3}}}' "$PWD" >"$work/hand.json"
"$TACT" run "$work/hand.json" --steps 0 --quiet --trace - >"$work/trace" 2>/dev/null
check "the palm goes with the base" grep -q '"name":"palm","body":"base_roll"' "$work/trace"

# cylinders and ellipsoids have contacts with all that is solid: a can stands, a box on it, an egg beside them
cat >"$work/can.json" <<'END'
{"tact": 1, "law": "rigid", "options": {"dt": 0.005}, "mu": 0.5, "pairs": "auto",
 "bodies": [
  {"name": "can", "parent": "world", "mass": 0.3, "inertia": [4e-4, 4e-4, 1.6e-4, 0, 0, 0], "joint": {"name": "can", "type": "free"}},
  {"name": "box", "parent": "world", "mass": 0.1, "inertia": [4e-5, 4e-5, 4e-5, 0, 0, 0], "joint": {"name": "box", "type": "free"}},
  {"name": "egg", "parent": "world", "mass": 0.05, "inertia": [2e-5, 2e-5, 1e-5, 0, 0, 0], "joint": {"name": "egg", "type": "free"}}],
 "shapes": [{"name": "table", "body": "world", "type": "plane"},
  {"name": "can", "body": "can", "type": "cylinder", "radius": 0.033, "length": 0.115},
  {"name": "box", "body": "box", "type": "box", "size": [0.05, 0.05, 0.05]},
  {"name": "egg", "body": "egg", "type": "ellipsoid", "radii": [0.02, 0.02, 0.028]}],
 "state": {"q": {"can": [0, 0, 0.0577, 1, 0, 0, 0], "box": [0.001, 0, 0.141, 1, 0, 0, 0], "egg": [0.1, 0, 0.03, 0.7071067811865476, 0, 0.7071067811865476, 0]}}}
END
for more in "" "--set max_contacts=900"; do
    # shellcheck disable=SC2086
    "$TACT" run "$work/can.json" $more --steps 300 --quiet --json >"$work/answer" 2>"$work/said"
    check "a can, a box and an egg $more" grep -q '"converged":300,' "$work/answer"
    # heights at rest: half of 115 mm, 115 and half of 50 mm, and the egg on its side within a hundredth of 20 mm
    check "stand where they should $more" awk 'function z(name) { match($0, "\"" name "\":{\"p\":\\[[^]]*"); split(substr($0, RSTART, RLENGTH), at, ","); return at[3] }
        { exit !(z("can") > 0.057499 && z("can") < 0.057501 && z("box") > 0.139999 && z("box") < 0.140001 && z("egg") > 0.0197 && z("egg") < 0.02001) }' "$work/answer"
done
test_end found
