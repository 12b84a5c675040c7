#!/bin/sh
# SPDX-License-Identifier: MIT
# tact qcqp: lines, stored problems, plans of scenes.
. test/test.sh
tact=$TACT
case ${REAL:-double} in float) close=1e-4 ;; *) close=1e-9 ;; esac

objective() { # NUMBER VALUE
    sed -n "$1p" "$work/answer" | awk -v wanted="$2" -v off="$close" '{
        if (!match($0, /"objective":[-+0-9.e]+/)) exit 1
        d = substr($0, RSTART + 12, RLENGTH - 12) - wanted; if (d < 0) d = -d
        size = wanted < 0 ? -wanted : wanted; if (d > off * (1 + size)) { print "off by " d; exit 1 }
    }'
}

cat >"$work/problems" <<'END'
{"id":"step","n":1,"objective":{},"constraints":[{"r":[1]},{"r":[[0,5e-5]],"c":-6e-3},{"Q":[-1e-4],"r":[6e-3]}]}
{"name":"dense","n":2,"objective":{"Q":[2,0,0,2],"r":[-2,0],"c":1},"constraints":[{"r":[0,1],"type":">="},{"r":[-1,1]},{"Q":[0,1,1,-2]}]}
{"id":3,"n":1,"objective":{"r":[1]},"constraints":[{"r":[1],"c":-1},{"r":[-1]}]}
{"id":4,"n":1,"objective":{"r":[-1]},"constraints":[{"r":[1]}],"x0":null}
{"id":5,"n":2,"objective":{"Q":[[0,0,-2],[1,1,2]],"r":[[1,2]]},"constraints":[{"Q":[[0,0,-2],[1,1,-2]],"c":1}],"x0":[1,1]}
{"id":6,"n":2,"objective":{"Q":[1,2,3]},"constraints":[]}
{"id":7,"n":2,"objective":{"r":[[2,1]]},"constraints":[]}
{"id":8,"n":0,"objective":{},"constraints":[]}
{"id":9,"n":1,"objective":{},"constraints":[{"type":"<="}]}
{"id":10,"n":1,"objective":{},"constraints":[{"Q":[1e200]}]}
nonsense
END
check "lines" answers 1 "$tact" qcqp "$work/problems"
check "a step of contact" line 1 '"status":"solved","certificate":"global","x":[120'
check "a dense problem" line 2 '"id":"dense","status":"solved","certificate":"global"'
check "a dense problem: best" objective 2 0.5
check "infeasible" line 3 '"status":"infeasible","certificate":"global"'
check "unbounded" line 4 '"status":"unbounded"'
check "hard case" objective 5 -1.5
check "hard case is certified" line 5 '"certificate":"global"'
check "count" line 6 '"status":"bad_input","reason":'
check "index" line 7 '"status":"bad_input","reason":'
check "no unknowns" line 8 '/n: must be'
check "type" line 9 '/constraints/0/type'
check "a number too large" line 10 '/constraints/0/Q/0: '
check "no JSON" line 11 '"status":"bad_input"'
check "every line has an answer" [ "$(wc -l <"$work/answer")" -eq 11 ]

# the cart that brakes by its wall: J* = q0^2 m^2 / (2 h^3 S), S = (N-1) N (2N-1) / 6
for N in 3 10 40; do
    h=$(awk -v N=$N 'BEGIN { printf "%.17g", 1 / N }')
    best=$(awk -v N=$N 'BEGIN { printf "%.17g", 2 * N ^ 3 / ((N - 1) * N * (2 * N - 1) / 6) }')
    check "cart, $N steps" answers 0 "$tact" qcqp --scene data/scenes/cart_stop.json --steps $N --set options.dt="$h"
    check "cart, $N steps: best" objective 1 "$best"
    check "cart, $N steps: certified" line 1 '"certificate":"global"'
    check "cart, $N steps: exact" line 1 '"complementarity":0,'
done
check "problem of a scene" answers 0 "$tact" qcqp --scene data/scenes/cart_stop.json --problem
cp "$work/answer" "$work/problem"
check "is a problem" answers 0 "$tact" qcqp "$work/problem"
check "and has its answer" objective 1 7.0175438596491
check "trace" answers 0 "$tact" qcqp --scene data/scenes/cart_stop.json --trace "$work/trace"
check "trace has all steps" [ "$(wc -l <"$work/trace")" -eq 12 ]
refuse "no goal" "no goal" "$tact" qcqp --scene data/scenes/incline.json
refuse "not linear" "qcqp: " "$tact" qcqp --scene data/scenes/roll_to_goal.json
refuse "both" "do not go together" "$tact" qcqp --scene data/scenes/cart_stop.json "$work/problems"

# problems solved elsewhere
if [ -r ../shared/oracle/qcqp.jsonl ]; then
    check "stored problems" answers 0 "$tact" qcqp ../shared/oracle/qcqp.jsonl
    i=0
    for best in $(sed 's/.*"f_opt": *\([-+0-9.e]*\).*/\1/' ../shared/oracle/qcqp.jsonl); do
        i=$((i + 1))
        check "stored problem $i" objective $i "$best"
        [ "$close" = 1e-4 ] || check "stored problem $i: exact" line $i '"complementarity":0,'
    done
    check "how many" [ $i -gt 10 ]
else
    echo "skipped: no stored problems here"
fi
test_end qcqp_command
