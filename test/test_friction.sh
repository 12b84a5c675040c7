#!/bin/sh
# SPDX-License-Identifier: MIT
# tact friction: answers, refusals, the table.
. test/test.sh

cat >"$work/problems" <<'END'
{"id":"slide","nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[0.5],"note":{"other":1}}
{"name":"stick","nc":1,"W":[2,0,0,0,2,0,0,0,2],"q":[-1,0.25,0],"mu":[0.5]}
{"id":3,"nc":1,"W_csr":{"indptr":[0,1,2,3],"indices":[0,1,2],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}
{"id":4,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[1,2,3],"mu":[0]}
{"id":5,"nc":0,"W":[],"q":[],"mu":[]}
{"id":6,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[1,0,0],"mu":[0]}
END
check "friction" answers 0 "$TACT" friction "$work/problems"
check "as many answers as problems" sh -c "[ \$(wc -l <'$work/answer') -eq 6 ]"
check "slides" line 1 '{"id":"slide","status":"converged","r":[1,-0.5,'
check "residual" line 1 '"residual":'
check "sticks" line 2 '{"id":"stick","status":"converged","r":[0.5,-0.125,'
check "sparse" line 3 '{"id":3,"status":"converged","r":[1,-0.5,'
check "separates" line 4 '{"id":4,"status":"converged","r":[0,0,0],"residual":0,'
check "nothing" line 5 '{"id":5,"status":"converged","r":[],"residual":0,'
check "separates without friction or slip" line 6 '{"id":6,"status":"converged","r":[0,0,0],"residual":0,'
check "table" answers 0 "$TACT" friction --timing - <"$work/problems"
check "its rows" sh -c "[ \$(wc -l <'$work/said') -eq 7 ] && grep -q 'problem .*contacts .*residual .*ms' '$work/said'"

cat >"$work/bad" <<'END'
{"id":1,"nc":2,"W":[1,0,0,-1,0,0,0,1,0,0,1,0,0,0,1,0,0,1,-1,0,0,1,0,0,0,1,0,0,1,0,0,0,1,0,0,1],"q":[-1,0,0,-1,0,0],"mu":[0.5,0.5]}
{"id":2,"nc":1,"W":[1,0,0],"q":[-1,2,0],"mu":[0.5]}
{"id":3,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[-0.5]}
{"id":4,"nc":1,"q":[-1,2,0],"mu":[0.5]}
{"id":5,"nc":1,"W_csr":{"indptr":[0,1,2,3],"indices":[0,1,3],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}
{"id":6,"nc":1,"W_csr":{"indptr":[0,2,1,3],"indices":[0,1,2],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}
{"id":7,"nc":1,"W_csr":{"indptr":[0,1,2,3],"indices":[0,1],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}
{"id":8,"nc":1,"W_csr":{"indptr":[0,1,2,3],"indices":[0,1.5,2],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}
{"id":9,"nc":1000000,"W":[1],"q":[-1,2,0],"mu":[0.5]}
{"id":10,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,1e999],"mu":[0.5]}
{"id":11,"nc":1,"W":3,"q":[-1,2,0],"mu":[0.5]}
{"id":12,"nc":1,"W_csr":3,"q":[-1,2,0],"mu":[0.5]}
{"id":13,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[0.5]}
{"id":14,"nc":1,"W":[2,-4,-1,-4,8,2,-1,2,1],"q":[-2,-2,-1],"mu":[0.5]}
{"id":15,"nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,1e300],"mu":[0.5]}
{"id":16,"nc":1,"W":[1e-90,0,0,0,1e-90,0,0,0,1e-90],"q":[-1e90,2,0],"mu":[0.5]}
END
check "bad problems" answers 1 "$TACT" friction - <"$work/bad"
check "as many answers" sh -c "[ \$(wc -l <'$work/answer') -eq 16 ]"
check "walls that close" line 1 '{"id":1,"status":"infeasible","certificate":[0.'
check "length of W" line 2 "/W: expected 9 numbers, found 3"
check "negative friction" line 3 "/mu/0: must be >= 0 (found -0.5)"
check "no W" line 4 'key \"W\" is missing'
check "column" line 5 "/W_csr/indices/2: must be within [0, 2] (found 3)"
check "falling rows" line 6 "/W_csr/indptr: must begin with 0 and not decrease"
check "lengths" line 7 "/W_csr/indices: expected 3 numbers, found 2"
check "no index" line 8 "/W_csr/indices: entry 1 is not a whole number"
check "too many contacts" line 9 "/nc: must be within [0, 2000] (found 1000000)"
check "overflow" line 10 "number too large"
check "no array" line 11 "/W: expected an array"
check "no object" line 12 "/W_csr: expected an object"
check "and goes on" line 13 '{"id":13,"status":"converged"'
check "no answer: its velocities are told" line 14 '"u":[-'
check "a number too large" line 15 "/q/2: "
check "products too large, or a number" line 16 "too large for"
[ "$REAL" = float ] || check "and how large it may be" line 15 "too large: at most 1e+150 in magnitude (found 1e+300)"
check "no such file" answers 3 "$TACT" friction "$work/none"
check "usage" answers 4 "$TACT" friction --max-iterations 0

test_end friction
