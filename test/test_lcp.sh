#!/bin/sh
# SPDX-License-Identifier: MIT
# tact lcp: the form of its answers, their ends, its methods and exit codes.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac

cat >"$work/good" <<'END'
{"id":"cart","n":1,"M":[0.5],"q":[-60],"note":"f = 120"}

{"name":"open","n":2,"M":[2,1,1,2],"q":[0.5,0]}
{"id":3,"n":2,"M":[1,-1,-1,1],"q":[1,-1]}
{"id":4,"n":2,"M":[2,0,0,4],"q":[-8,-8],"lo":[null,0],"hi":[3,null]}
{"id":5,"n":2,"M":[0,1,-1,0],"q":[-2,1],"lo":[null,null]}
END
check "solved" answers 0 "$tact" lcp "$work/good"
check "as many answers as problems" sh -c "[ \$(wc -l <'$work/answer') -eq 5 ]"
check "the form" grep -qE '^\{"id":"cart","status":"solved","z":\[120\],"residual":0,"pivots":[0-9]+,"method":"pivot"\}$' "$work/answer"
check "name for id; z = 0" line 2 '{"id":"open","status":"solved","z":[0,0],'
check "a tie" line 3 '"z":[0,1]'
check "bounds" line 4 '"z":[3,2]'
check "free unknowns" line 5 '"z":[1,2]'
for method in pivot lemke interior; do
    check "method $method" answers 0 sh -c "head -n 4 '$work/good' | '$tact' lcp --method $method"
    check "$method: the cart" line 1 '"z":[120]'
done
check "standard input, sweeps" answers 0 sh -c "head -n 1 '$work/good' | '$tact' lcp --method=sweep -"
check "sweeps say so" line 1 '"method":"sweep"'

cat >"$work/ends" <<'END'
{"id":1,"n":1,"M":[-1],"q":[-1]}
{"id":2,"n":3,"M":[2,-1,3,-1,1,6,1,5,-2],"q":[-2,5,-1.5]}
END
check "no solution" answers 1 "$tact" lcp "$work/ends"
check "infeasible, with proof" line 1 '"status":"infeasible","certificate":[1]'
check "unsolvable" line 2 '"status":"unsolvable"'
check "Lemke alone" answers 1 "$tact" lcp --method lemke "$work/ends"
check "a ray" line 2 '"status":"ray","ray":['
echo '{"id":"rod","n":1,"M":[-0.5],"q":[4]}' >"$work/rod"
check "all solutions" answers 0 "$tact" lcp --method enumerate "$work/rod"
check "two of them" line 1 '"solutions":[[0],[8]],"continuum":false'

cat >"$work/bad" <<'END'
nonsense
{"id":2,"n":2,"M":[1,2,3],"q":[1,1]}
{"id":3,"n":2,"M":[1,0,0,1],"q":[1]}
{"id":4,"n":1,"q":[1]}
{"id":5,"n":0,"M":[],"q":[]}
{"id":6,"n":1,"M":[1e999],"q":[1]}
{"id":7,"n":1,"M":[1],"q":[1],"lo":[2],"hi":[1]}
{"id":8,"n":1,"M":[1],"q":[1],"hi":[1,2]}
{"id":9,"n":1,"M":[1],"q":[1],"hi":["x"]}
{"id":10,"n":2,"M":[2,1,1,1e200],"q":[1,2]}
[1]
{"id":"last","n":1,"M":[1],"q":[-1]}
END
check "bad lines" answers 1 "$tact" lcp "$work/bad"
for answer in 1 2 3 4 5 6 7 8 9 10 11; do check "bad line $answer" line $answer '"status":"bad_input","reason":"'; done
check "which number is too large" line 10 "/M/3: "
check "and the next one is solved" line 12 '{"id":"last","status":"solved","z":[1]'
refuse "unknown method" 'unknown method "pivt"' "$tact" lcp --method pivt "$work/good"
check "usage" answers 4 "$tact" lcp --method pivt "$work/good"
check "no file" answers 3 "$tact" lcp "$work/none"
awk 'BEGIN { printf "{\"n\":20,\"q\":["; for (i = 0; i < 20; i++) printf "%s-1", i ? "," : ""; printf "],\"M\":["
    for (i = 0; i < 400; i++) printf "%s%d", i ? "," : "", i % 21 == 0; print "]}" }' >"$work/twenty"
check "too many to enumerate" answers 1 "$tact" lcp --method enumerate "$work/twenty"
check "says so" line 1 'at most 12 unknowns'
check "twenty otherwise" answers 0 "$tact" lcp "$work/twenty"

oracle=../shared/oracle/lcp.jsonl
if [ "$REAL" != float ] && [ -f $oracle ]; then
    check "collected problems" answers 1 "$tact" lcp $oracle
    check "solved ones" sh -c "[ \$(grep -c '\"status\":\"solved\"' '$work/answer') -eq 70 ]"
    check "others" sh -c "[ \$(grep -cE '\"status\":\"(infeasible|unsolvable)\"' '$work/answer') -eq 8 ]"
elif [ "$REAL" != float ]; then
    echo "skipped: no $oracle here"
fi
# contacts of piles of spheres with polyhedral cones, degenerate to rounding
piles=../shared/cases/st_lcp.jsonl.gz
if [ "$REAL" != float ] && [ -f $piles ]; then
    gzip -dc $piles >"$work/piles"
    for method in lemke auto; do
        check "piles by $method" answers 0 "$tact" lcp --method $method "$work/piles"
        check "all of them" sh -c "[ \$(grep -c '\"status\":\"solved\"' '$work/answer') -eq 76 ]"
    done
elif [ "$REAL" != float ]; then
    echo "skipped: no $piles here"
fi
test_end lcp-command
