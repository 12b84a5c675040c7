#!/bin/sh
# SPDX-License-Identifier: MIT
# tact solve against the 100 barrier problems solved elsewhere (../shared/oracle, where it is there): in double to a few roundings.
. test/test.sh
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
