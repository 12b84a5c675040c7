#!/bin/sh
# SPDX-License-Identifier: MIT
# tact distance: the form of its answers, closed forms, the patch, derivatives, bad lines and exit codes.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac

cat >"$work/good" <<'END'
{"id":1,"a":{"type":"plane"},"b":{"type":"box","size":[1,2,0.5],"xyz":[0,0,0.5]}}
{"name":"skew","a":{"type":"capsule","radius":0.125,"length":1},"b":{"type":"sphere","radius":0.25,"xyz":[1,0,0.25]}}

{"id":3,"a":{"type":"box","size":[1,1,1]},"b":{"type":"box","size":[1,1,1],"xyz":[0.125,0.875,0.25]},"note":"overlap"}
{"id":4,"a":{"type":"ellipsoid","radii":[1,2,3]},"b":{"type":"plane","normal":[0,0,-1],"offset":-4}}
END
# the points of its upper side are off a plane by rounding, and one of them is the origin
cat >"$work/uneven" <<'END'
{"a":{"type":"hull","points":[[0,0,0],[1,0,1e-5],[0,1,1e-5],[1,1,0],[0,0,-1],[1,0,-1],[0,1,-1],[1,1,-1],[0.11,0,1e-5]]},"b":{"type":"sphere","radius":0.05,"xyz":[0.137,0.162,2e-5]}}
END
check "a ball in a side that is flat but for rounding" sh -c "'$tact' distance '$work/uneven' | grep -q '^{\"gap\":-0.0\(4999\|5,\|5000\)'"
check "distances" answers 0 "$tact" distance "$work/good"
check "as many answers as pairs" sh -c "[ \$(wc -l <'$work/answer') -eq 4 ]"
check "a box over a plane" line 1 '{"id":1,"gap":0.25,"a":'
check "its four corners" sh -c "[ \$(head -n 1 '$work/answer' | grep -o '\"point\"' | wc -l) -eq 4 ]"
check "the form, without an id" line 2 '{"gap":0.625,"a":[0.125,0,0.25],"b":[0.75,0,0.25],"normal":[1,0,0],"contacts":[{"gap":0.625,"point":[0.4375,0,0.25],"normal":[1,0,0]}]}'
check "an overlap: the shortest way" line 3 '"gap":-0.125,'
check "along y" line 3 '"normal":[0,1,0]'
check "an ellipsoid under a ceiling" line 4 '"gap":1,"a":[0,0,3],"b":[0,0,4]'
cat >"$work/hulls" <<'END'
{"id":"box","a":{"type":"box","size":[1,1.5,2],"round":0.125},"b":{"type":"box","size":[0.5,0.5,0.75],"xyz":[1,0.75,1.25],"rpy":[0.3,0.7,-0.2]}}
{"id":"hull","a":{"type":"box","size":[1,1.5,2],"round":0.125},"b":{"type":"hull","points":[[-0.25,-0.25,-0.375],[0.25,-0.25,-0.375],[-0.25,0.25,-0.375],[0.25,0.25,-0.375],[-0.25,-0.25,0.375],[0.25,-0.25,0.375],[-0.25,0.25,0.375],[0.25,0.25,0.375]],"xyz":[1,0.75,1.25],"rpy":[0.3,0.7,-0.2]}}
{"id":"deep","a":{"type":"box","size":[1,1,1]},"b":{"type":"hull","points":[[0,0,0.375],[-1,-1,2],[1,-1,2],[0,1,2]],"round":0.0625}}
END
check "hulls" answers 0 "$tact" distance --derivatives "$work/hulls"
check "a box and the hull of its corners" sh -c "sed 's/\"id\":\"[a-z]*\"//; s/\(-*[0-9]\.[0-9]\{9\}\)[0-9]*/\1/g; s/\"contacts.*gradient/gradient/; s/\"hessian.*//' '$work/answer' | head -n 2 | uniq | wc -l | grep -q '^ *1$'"
check "a tip within a face" line 3 '"gap":-0.1875,'
cat >"$work/turned" <<'END'
{"a":{"type":"box","size":[1,1.5,2]},"b":{"type":"box","size":[0.5,0.5,0.75],"xyz":[1,0.75,1.75],"rpy":[0,0,0.643501108793284386803]}}
{"a":{"type":"box","size":[1,1.5,2]},"b":{"type":"box","size":[0.5,0.5,0.75],"xyz":[1,0.75,1.75],"quat":[0.94868329805051379959,0,0,0.31622776601683793319]}}
{"a":{"type":"box","size":[1,1.5,2],"quat":[1,0,0,0],"rpy":[0,0,0]},"b":{"type":"plane"}}
{"a":{"type":"box","size":[1,1.5,2],"quat":[1,0,0,1]},"b":{"type":"plane"}}
END
check "a quaternion" answers 1 "$tact" distance "$work/turned"
check "it turns as roll, pitch, yaw do" sh -c "head -n 2 '$work/answer' | cut -c 1-20 | uniq | wc -l | grep -q '^ *1$'"
check "one of the two" line 3 '/a/quat: \"rpy\" turns it, too'
check "of length 1" line 4 'norm 1.4142135623730951: must be 1 within 1e-3 (w, x, y, z)'
check "standard input" answers 0 sh -c "head -n 2 '$work/good' | '$tact' distance -"
echo '{"a":{"type":"sphere","radius":1},"b":{"type":"sphere","radius":1,"xyz":[4,0,0]}}' >"$work/balls"
check "derivatives" answers 0 "$tact" distance --derivatives "$work/balls"
check "the slope" line 1 '"gradient":[0,0,0,1,0,0],"hessian":['
check "the curvature 1/4" line 1 '0,0,0,0,0.25,0,0,0,0,0,0,0.25]}'

check "times" answers 0 "$tact" distance --time "data/pairs.jsonl"
check "a number of nanoseconds" sh -c "[ \$(grep -c '\"ns\":[1-9][0-9]*}$' '$work/answer') -eq \$(wc -l <'data/pairs.jsonl') ]"

cat >"$work/bad" <<'END'
nonsense
{"id":2,"a":{"type":"plane"},"b":{"type":"plane"}}
{"id":3,"a":{"type":"circle","radius":1},"b":{"type":"plane"}}
{"id":4,"a":{"type":"box"},"b":{"type":"plane"}}
{"id":5,"a":{"type":"sphere","radius":-1},"b":{"type":"plane"}}
{"id":6,"b":{"type":"plane"}}
{"id":7,"a":{"type":"sphere","radius":1,"colour":2},"b":{"type":"plane"}}
[1]
{"id":"last","a":{"type":"sphere","radius":1},"b":{"type":"plane","offset":-2}}
END
check "bad lines" answers 1 "$tact" distance "$work/bad"
for answer in 1 2 3 4 5 6 7 8; do check "bad line $answer" line $answer '"error":"'; done
check "which key" line 5 '/a/radius: must be >= 0 (found -1)'
check "planar shapes by name" line 3 'circle has no distance from another shape'
check "and the next one is answered" line 9 '{"id":"last","gap":1,'
# Faces of boxes 0.7 m wide that are parallel but for 7e-6 rad, and both moved: Newton's equations are singular but for its damping.
cat >"$work/flush" <<'END'
{"id": "flush", "a": {"type": "box", "size": [0.6650452165447776, 0.7824909360948742, 1], "xyz": [0, 0, 0], "quat": [1, 0, 0, 0]}, "b": {"type": "hull", "points": [[-0.5, -0.5, -0.5], [-0.5, -0.5, 0.5], [-0.5, 0.5, -0.5], [-0.5, 0.5, 0.5], [0.5, -0.5, -0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5], [0.5, 0.5, 0.5]], "xyz": [1.198548010440802, 0, 0], "quat": [0.9999999999936544, -5.130352291484113e-10, 3.5625012164867525e-06, 1.904884781001998e-09]}}
{"id": "moved", "a": {"type": "box", "size": [0.6650452165447776, 0.7824909360948742, 1], "xyz": [-0.6640799931698957, 0.9443755497824344, 0.7703907759277762], "quat": [0.3949462882831121, -0.09830807555830696, -0.5548695603731273, -0.7255844007575876]}, "b": {"type": "hull", "points": [[-0.5, -0.5, -0.5], [-0.5, -0.5, 0.5], [-0.5, 0.5, -0.5], [-0.5, 0.5, 0.5], [0.5, -0.5, -0.5], [0.5, -0.5, 0.5], [0.5, 0.5, -0.5], [0.5, 0.5, 0.5]], "xyz": [-1.465556123143522, 0.38820442986535675, 1.4666859947712543], "quat": [0.394948266335809, -0.09830549192195673, -0.554868152813458, -0.7255847505079625]}}
END
check "faces that are almost parallel" answers 0 "$tact" distance "$work/flush"
end=1838189
[ "$REAL" = float ] && end=
check "a gap" line 1 "\"gap\":0.36602$end"
check "the same of both, moved" line 2 "\"gap\":0.36602$end"
# Cylinders about one axis leave each other across it, in any direction.
cat >"$work/coaxial" <<'END'
{"a": {"type": "cylinder", "radius": 0.3, "length": 1, "quat": [0.5072158438169214, -0.3843915533646237, -0.5561659779982079, 0.5344666747331559], "xyz": [0.5, -0.25, 0.75]}, "b": {"type": "cylinder", "radius": 0.2, "length": 1.5, "quat": [0.5072158438169214, -0.3843915533646237, -0.5561659779982079, 0.5344666747331559], "xyz": [0.5, -0.25, 0.75]}}
{"a": {"type": "cylinder", "radius": 0.3, "length": 1, "quat": [0.5072158438169214, -0.3843915533646237, -0.5561659779982079, 0.5344666747331559], "xyz": [0.5, -0.25, 0.75]}, "b": {"type": "capsule", "radius": 0.2, "length": 1.5, "quat": [0.5072158438169214, -0.3843915533646237, -0.5561659779982079, 0.5344666747331559], "xyz": [0.5, -0.25, 0.75]}}
END
check "one within the other" answers 0 "$tact" distance "$work/coaxial"
[ "$REAL" = float ] || check "cylinders" sh -c "grep -c '\"gap\":-0\.\(5\|5000000000[0-9]*\|4999999999[0-9]*\),' '$work/answer' | grep -q '^2$'"
refuse "unknown option" 'unknown option' "$tact" distance --derivative "$work/good"

test_end distance
