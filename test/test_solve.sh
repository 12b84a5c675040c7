#!/bin/sh
# SPDX-License-Identifier: MIT
# tact solve against the 100 barrier problems solved elsewhere (../shared/oracle, where it is there): in double to a few roundings.
# Before them: problems whose gaps nearly touch, or whose contacts squeeze, from several x0.
. test/test.sh

# a feasible problem whose gap is open by 1e-17: once called infeasible; and one whose internal forces are 1e8 times the others
cat >"$work/hard" <<'END'
{"id":1,"n":1,"nc":1,"P":[0.0074],"b":[-0.59],"J":[-0.04180215832409042,0.05422611209125438,-0.026817999110944492],"c":[0.003438676021310877,-0.004460679516387132,0.0022060681596230026],"mu":[1.1929820994650413],"kappa":7.1}
{"id":2,"n":2,"nc":2,"P":[1258.172787413887,1.857420704816387e-05],"b":[8.523635130722,-3.2950887134405556e-08],"J":[-1.7778957595566969,0.5999412731635467,-0.04302956019642438,-0.0,-2.8522788251354867,5.706988442815295,0.0,0.0,-0.0,2.8792534036581596,-0.0,-6.194541502189669],"c":[0.00020671972191306796,4.05774975931168e-06,0.0006408688624446628,1.1049918440348508e-09,0.00018761652027937862,-0.00040371098324764796],"mu":[1.0512310315502098,0.01487619681177952],"kappa":17011.09032798307}
END
check "hard problems" answers "$([ "$REAL" = float ] && echo 1 || echo 0)" "$TACT" solve "$work/hard"
check "none is called infeasible" sh -c "! grep infeasible '$work/answer'"
check "the balance is told" sh -c "[ \$(grep -c '\"balance\":[0-9]' '$work/answer') -eq 2 ]"
cp "$work/answer" "$work/first"
for start in 0 1e-3 -7 1e12; do
    sed "s/}\$/,\"x0\":[$start]}/; /\"n\":2/s/\[$start\]}/[$start,$start]}/" "$work/hard" >"$work/started"
    "$TACT" solve "$work/started" >"$work/answer"
    check "the answer does not depend on x0, $start" cmp -s "$work/first" "$work/answer"
done

stored=../shared/oracle/barrier.jsonl
if [ "$REAL" = float ]; then
    test_end "solve (the problems need double precision)"
    exit
elif [ ! -r $stored ]; then
    test_end "solve (no $stored here)"
    exit
fi

# what of each problem is not as it was found elsewhere: x relative to its largest, lambda also by what rounding does to it
cat >"$work/compare.awk" <<'END'
function list(text, key, out,    from) { # how many numbers
    from = index(text, "\"" key "\":[")
    if (!from) return -1
    text = substr(text, from + length(key) + 4)
    sub(/\].*/, "", text)
    return split(text, out, ",")
}
function number(text, key) {
    return match(text, "\"" key "\": *[-+0-9.e]*") ? substr(text, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0 : -1
}
function size(x) { return x < 0 ? -x : x }
function off(key, wanted_key, allowed,    got, wanted, n, i, most, worst) {
    n = list(wanted_text, wanted_key, wanted)
    if (n < 0 || list(got_text, key, got) != n) { print id ": another length of " key; bad = 1; return }
    for (i = 1; i <= n; i++) {
        if (size(wanted[i]) > most) most = size(wanted[i])
        if (size(got[i] - wanted[i]) > worst) worst = size(got[i] - wanted[i])
    }
    if (!(worst <= allowed * most)) { print id ": " key " off by " worst " of " most; bad = 1 }
}
{
    wanted_text = $0
    if ((getline got_text < answers) <= 0) { print "an answer is missing"; exit bad = 1 }
    id = number($0, "id")
    if (number(got_text, "id") != id) { print id ": another id"; bad = 1 }
    solvable = $0 ~ /"feasible": *true/
    if (got_text !~ "\"status\":\"" (solvable ? "converged" : "infeasible") "\"") { print id ": " substr(got_text, 1, 60); bad = 1 }
    if (!solvable) { refuted++; next }
    solved++
    rounding = number($0, "lambda_rounding")
    off("x", "x_opt", 1e-13)
    off("lambda", "lambda_opt", 20 * rounding > 1e-13 ? 20 * rounding : 1e-13)
}
END {
    print solved " solved, " refuted " refuted"
    exit bad || solved != 95 || refuted != 5
}
END
check "the command" answers 1 "$TACT" solve $stored
check "the answers" awk -v answers="$work/answer" -f "$work/compare.awk" $stored
test_end solve
