#!/bin/sh
# SPDX-License-Identifier: MIT
# tact ik: poses of five fingertips at once, judged by other kinematics, beside SciPy (where it is there); restarts as options.
. test/test.sh

far='{"targets":[{"body":"finger_r_link_2_index4","position":[9,0,0]}]}'
ask() { echo "$far" | "$TACT" ik data/scenes/lesson.json "$@"; }
out_of_reach() { # RESTARTS OPTIONS...: the answer is a closest point and says how often it was tried
    wanted=$1
    shift
    ask "$@" >"$work/answer"
    [ $? -eq 1 ] && grep -q '"status":"stationary"' "$work/answer" && grep -q "\"restarts\":$wanted}\$" "$work/answer"
}
check "out of reach" out_of_reach 60
check "three restarts" out_of_reach 3 --restarts 3
check "none" out_of_reach 0 --restarts 0
check "another seed" out_of_reach 3 --restarts 3 --seed 2
check "the same bits" sh -c "echo '$far' | '$TACT' ik data/scenes/lesson.json >'$work/again' ; echo '$far' | '$TACT' ik data/scenes/lesson.json | cmp - '$work/again'"
refuse "too many" "must be" ask --restarts 9999999
refuse "no seed" "must be" ask --seed -1

seed=${TACT_SEED:-5}
echo "seed $seed"
if [ "$REAL" != double ]; then
    echo "skipped: the peer compares in double"
elif /usr/bin/python3 -c 'import scipy.optimize' 2>/dev/null; then
    check "beside SciPy" /usr/bin/python3 test/ik_peer.py "$TACT" "${TACT_COUNT:-$([ "$few" ] && echo 12 || echo 60)}" "$seed"
    [ ! -f "$work/output" ] || cat "$work/output"
else
    echo "skipped: SciPy is not there"
fi
test_end ik_peer
