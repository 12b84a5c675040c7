#!/bin/sh
# SPDX-License-Identifier: MIT
# The commands that answer line by line: solve, fk, ik; and import and bench.
. test/test.sh
case $TACT in */*) tact=$(cd "$(dirname "$TACT")" && pwd)/$(basename "$TACT") ;; *) tact=$TACT ;; esac

number() { # ANSWER KEY INDEX VALUE TOLERANCE: an entry of an array of that answer is about VALUE
    sed -n "$1p" "$work/answer" | awk -v key="\"$2\":[" -v at="$3" -v wanted="$4" -v off="$5" '{
        from = index($0, key); if (!from) { print "no " key; exit 1 }
        rest = substr($0, from + length(key)); sub(/\].*/, "", rest); n = split(rest, x, ",")
        d = x[at + 1] - wanted; if (d < 0) d = -d
        if (at + 1 > n || d > off) { print "got " x[at + 1] " wanted " wanted; exit 1 }
        found = 1
    }
    END { exit !found }'
}

# solve: min 1/2 |x|^2 + p'x on the axis of a cone with kappa 100 and mu 1, worked out by hand or in more digits elsewhere
cat >"$work/problems" <<'END'
{"id":"G3","n":3,"nc":1,"P":[1,1,1],"b":[0.41669826,0.46413128,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100}

{"name":"full","n":3,"nc":1,"P":[1,0,0,0,1,0,0,0,1],"b":[0.41669826,0.46413128,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100,"x0":[0,0.1,0],"note":{"a":[1]}}
{"id":18446744073709551617,"n":3,"nc":1,"P":[1,1,1],"b":[0.41669826,0.46413128,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100,"x0":[30,-20,7]}
{"id":"none","n":2,"nc":0,"P":[2,4],"b":[2,-4],"J":[],"c":[],"mu":[],"kappa":1}
{"id":"frictionless","n":1,"nc":1,"P":[1],"b":[1],"J":[1,0,0],"c":[0,0,0],"mu":[0],"kappa":200}
{"id":"far","n":3,"nc":1,"P":[1,1,1],"b":[0.41669826,0.46413128,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100,"x0":[1e15,-1e15,3]}
{"id":"beyond","n":3,"nc":1,"P":[1,1,1],"b":[0.4,1e16,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100}
{"id":"walls","n":1,"nc":2,"P":[1],"b":[0],"J":[1,0,0,-1,0,0],"c":[-1,0,0,0.5,0,0],"mu":[0.5,0.5],"kappa":100}
END
check "solve" answers 1 "$tact" solve "$work/problems"
check "as many answers as problems" sh -c "[ \$(wc -l <'$work/answer') -eq 8 ]"
check "G3" line 1 '{"id":"G3","status":"converged","x":['
for answer in 1 2 3 6; do
    check "G3: x, $answer" number $answer x 0 -0.217378340410113 2e-5
    check "G3: z, $answer" number $answer x 2 -0.199319919589887 2e-5
done
case $("$tact" --version) in *single*) single=1 ;; *) single= ;; esac
[ "$single" ] || for answer in 1 2 3 6; do check "G3, all digits, $answer" number $answer x 1 0.0462397035606607 1e-14; done
check "name for id, other keys" line 2 '{"id":"full","status":"converged"'
check "once is enough" sh -c "sed -n 2p '$work/answer' | grep -q '\"iterations\":[1-9],'"
check "id as it is written" line 3 '{"id":18446744073709551617,'
check "no contacts" line 4 '{"id":"none","status":"converged","x":[-1,1],"lambda":[],'
# x = 2/(kappa lambda), lambda = x + 1: x^2 + x - 0.01 = 0
check "frictionless" number 5 x 0 0.00990195135927848 1e-6
check "no tangential force" number 5 lambda 1 0 0
# a force of 1e16 at a gap of 2e-18, beyond single precision
if [ "$REAL" != float ]; then
    check "forces far apart" number 7 x 1 2e-18 1e-30
    check "forces far apart, friction" number 7 lambda 1 -0.2 1e-9
fi
check "infeasible" line 8 '{"id":"far","n":3,"nc":1,"P":[1,1,1],"b":[0.41669826,0.46413128,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100,"x0":[1e15,-1e15,3]}
{"id":"beyond","n":3,"nc":1,"P":[1,1,1],"b":[0.4,1e16,0],"J":[0,1,0,-1,0,1,0,0,0],"c":[0,0,0],"mu":[1],"kappa":100}
{"id":"walls","status":"infeasible","certificate":['
check "certificate, normal" number 8 certificate 0 0.70710678118654752 1e-6
check "certificate, the other" number 8 certificate 3 0.70710678118654752 1e-6

cat >"$work/bad" <<'END'
nonsense
{"id":1,"n":1,"nc":0,"P":[1],"b":[1],"J":[],"c":[],"mu":[]}
{"id":2,"n":2,"nc":0,"P":[1,2,3],"b":[1,1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":3,"n":2,"nc":0,"P":[1,2,2,1],"b":[1,1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":4,"n":2,"nc":0,"P":[1,0.1,0.2,1],"b":[1,1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":5,"n":1,"nc":0,"P":[-1],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":6,"n":1,"nc":1,"P":[1],"b":[1],"J":[1,0,0],"c":[0,0,0],"mu":[-0.5],"kappa":1}
{"id":7,"n":1,"nc":1,"P":[1],"b":[1],"J":[1,0,0],"c":[0,0,0],"mu":[0.5],"kappa":0}
{"id":8,"n":1,"nc":0,"P":[0],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":9,"n":0,"nc":0,"P":[],"b":[],"J":[],"c":[],"mu":[],"kappa":1}
{"id":10,"n":1000000,"nc":1000000,"P":[1],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":11,"n":1,"nc":0,"P":[1e999],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":12,"n":1,"n":1,"nc":0,"P":[1],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
{"id":13,"n":2,"nc":0,"P":[0,1,1,1],"b":[0,0],"J":[],"c":[],"mu":[],"kappa":1}
{"id":15,"n":1,"nc":0,"P":[1e200],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
[1,2]
{"id":14,"n":1,"nc":0,"P":[1],"b":[1],"J":[],"c":[],"mu":[],"kappa":1}
END
check "bad problems" answers 1 "$tact" solve - <"$work/bad"
check "as many answers" sh -c "[ \$(wc -l <'$work/answer') -eq 17 ]"
check "no JSON" line 1 '{"id":null,"status":"bad_input","reason":"<stdin>:1:1: '
check "key missing" line 2 '{"id":1,"status":"bad_input","reason":"<stdin>:2:1: /: key \"kappa\" is missing"}'
check "length of P" line 3 "/P: expected 4 numbers, found 3"
check "not semi-definite" line 4 "/P: is not positive semi-definite"
check "not symmetric" line 5 "/P: is not symmetric: entries (1, 0) and (0, 1) differ"
check "negative diagonal" line 6 "diagonal entry 0 is negative"
check "negative friction" line 7 "/mu/0: must be >= 0 (found -0.5)"
check "kappa" line 8 "/kappa: must be > 0 (found 0)"
check "singular" line 9 "no answer: P and J leave a direction free"
check "no unknowns" line 10 "/n: must be within [1, 16777216] (found 0)"
check "more than a line can hold" line 11 "more than a line can hold"
check "overflow" line 12 '"id":null,"status":"bad_input","reason":"<stdin>:12:28: /P/0: number too large for a double (1e999)"'
check "key twice" line 13 'key \"n\" given twice'
check "zero diagonal with a coupling" line 14 "is not positive semi-definite"
check "a number too large" line 15 "/P/0: "
check "no object" line 16 "expected an object, found an array"
check "and goes on" line 17 '{"id":14,"status":"converged","x":[-1],'
check "said on standard error, too" sh -c "[ \$(wc -l <'$work/said') -eq 16 ]"
check "iteration limit" answers 1 "$tact" solve --max-iterations 1 "$work/problems"
check "iteration limit: status" line 1 '"status":"iteration_limit","x":['
: >"$work/empty"
check "nothing to solve" answers 0 "$tact" solve "$work/empty"
check "no such file" answers 3 "$tact" solve "$work/none"
check "a folder" answers 3 "$tact" solve "$work"
# 17 MB in one line, then a good one
{ printf '{"id":1,"n":1,"P":[1'; head -c 17000000 /dev/zero | tr '\0' ' '; echo ']}'; tail -n 1 "$work/bad"; } >"$work/long"
check "a line too long" answers 1 "$tact" solve "$work/long"
check "too long" line 1 "line larger than the limit of 16777216 bytes"
check "the next one" line 2 '{"id":14,"status":"converged"'
# without an end in sight nothing is answered, and at once
check "a line without end" answers 2 sh -c "timeout 20 '$tact' solve </dev/zero"
check "nothing is answered" sh -c "! [ -s '$work/answer' ]"
truncate -s 2G "$work/sparse"
check "2 GB of nothing" answers 2 timeout 20 "$tact" solve "$work/sparse"
mkfifo "$work/pipe"
check "a pipe as a file" answers 3 timeout 20 "$tact" solve "$work/pipe"
check "a device as a file" answers 3 timeout 20 "$tact" solve /dev/zero
# an answer is told by its id, a string or a number
for id in '{"a":1}' '[1]' true; do
    echo "{\"id\":$id,\"n\":1,\"nc\":0,\"P\":[1],\"b\":[1],\"J\":[],\"c\":[],\"mu\":[],\"kappa\":1}" >"$work/ids"
    check "id $id" answers 1 "$tact" solve "$work/ids"
    check "id $id: named" line 1 '/id: must be a string or a number'
done
# an answer comes before the next question
talk() {
    mkfifo "$work/ask" "$work/tell"
    "$tact" solve <"$work/ask" >"$work/tell" &
    exec 3>"$work/ask" 4<"$work/tell"
    for _ in 1 2 3; do
        tail -n 1 "$work/bad" >&3
        read -r reply <&4
        case $reply in *converged*) ;; *) echo "got $reply"; return 1 ;; esac
    done
    exec 3>&- 4<&-
    wait $!
}
check "question and answer" talk

# fk and ik on two joints of 1 m and 0.5 m in the plane, and a free box
cat >"$work/arm.json" <<'END'
{ "tact": 1, "name": "arm", "bodies": [
    { "name": "upper", "parent": "world", "joint": { "name": "shoulder", "type": "revolute", "axis": [0, 0, 1], "limits": [-2, 2] } },
    { "name": "lower", "parent": "upper", "joint": { "name": "elbow", "type": "revolute", "axis": [0, 0, 1], "limits": [-2, 2], "xyz": [1, 0, 0] } },
    { "name": "follower", "parent": "lower", "joint": { "name": "copy", "type": "revolute", "axis": [0, 0, 1], "limits": [-9, 9],
      "xyz": [0.5, 0, 0], "mimic": { "joint": "elbow", "ratio": 2, "offset": 0 } } },
    { "name": "box", "parent": "world", "mass": 1, "inertia": [1e-3, 1e-3, 1e-3, 0, 0, 0], "joint": { "name": "box", "type": "free" } } ],
  "drives": [ { "joint": "shoulder", "stiffness": 1 }, { "joint": "elbow", "stiffness": 1 } ],
  "state": { "q": { "elbow": 0.5 } } }
END
cat >"$work/configurations" <<'END'
{"q":{}}
{"id":"a","q":{"shoulder":1.5707963267948966,"elbow":0}}
{"q":[0,0,1,2,3,0,0,0,1]}
{"q":{"box":[1,2,3,0.7073,0,0,0.7073]}}
{"q":{"box":[1,2,3,2,0,0,0]}}
{"q":{"copy":1}}
{"q":{"elbw":1}}
{"q":{"elbow":[1,2]}}
{"q":[1]}
{"q":3}
{"p":3}
{"q":{"elbow":1e7}}
{"q":[0,0,1,2,3,2,0,0,0]}
{"q":{"zzzzzz":1}}
END
check "fk" answers 1 "$tact" fk "$work/arm.json" <"$work/configurations"
check "as many" sh -c "[ \$(wc -l <'$work/answer') -eq 14 ]"
check "initial values" line 1 '"lower":{"p":[1,0,0],"R":[0.87758'
check "id and order" line 2 '{"id":"a","bodies":{"upper":{"p":[0,0,0],"R":['
check "pose" line 3 '"box":{"p":[1,2,3],"R":[-1,0,0,0,-1,0,0,0,1]}'
check "jacobian of a body of its own" line 3 '"upper":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1,0,0,0,0,0,0,0,'
sed -i '4s/.*"box":{"p"/{"p"/' "$work/answer"
check "quaternion normalised" number 4 R 0 0 1e-6
check "quaternion" line 5 '{"error":"<stdin>:5:13: /q/box: joint \"box\": quaternion of norm 2: must be 1 within 1e-3 (the last four of x y z w x y z; no turn is 1, 0, 0, 0)"}'
check "follower" line 6 "the joint follows another one"
check "misspelt" line 7 'no joint \"elbw\" (did you mean \"elbow\"?)'
check "too many values" line 8 "expected 1 number, found 2"
check "too few" line 9 "expected 9 numbers, found 1"
check "neither" line 10 "expected an array of 9 numbers or an object of joints"
check "no q" line 11 'key \"q\" is missing'
check "too far" line 12 "must be within"
check "quaternion in an array" line 13 '/q: joint \"box\": quaternion of norm 2'
check "joints that have coordinates, in their order" line 14 '(there are: shoulder, elbow, box)'

check "a bad line first" sh -c "echo '{\"q\":{\"elbw\":1}}' | '$tact' fk '$work/arm.json' | grep -q '^{\"error\":'"

cat >"$work/targets" <<'END'
{"id":1,"targets":[{"body":"lower","point":[0.5,0,0],"position":[1,0.5,0]}]}
{"targets":[{"body":"lower","point":[0.5,0,0],"position":[3,0,0]}],"q":{"shoulder":0.4}}
{"targets":[{"body":"hand","position":[1,0,0]}]}
{"targets":[{"body":"lower"}]}
{"targets":[]}
{"targets":[{"body":"box","position":[1,2,3]}]}
{"targets":[{"body":"lower","position":[1,0,0],"orientation":[2,0,0,0]}]}
{"targets":[{"body":"lower","position":[1,0,0],"positon":[1,0,0]}]}
{"targets":[{"body":"box","position":[1,2,3]}],"q":{"box":[1,2,3,0.7073,0,0,0.7073]}}
END
check "ik" answers 1 "$tact" ik "$work/arm.json" <"$work/targets"
check "reached" line 1 '{"id":1,"status":"converged","q":{"shoulder":'
check "out of reach" line 2 '{"status":"stationary","q":{"shoulder":'
check "residual" number 2 residual 0 1.5 1e-6
check "no body" line 3 'no body \"hand\"'
check "no position" line 4 'key \"position\" is missing'
check "no targets" line 5 "0 targets (allowed 1 to 4096)"
check "undriven stays" line 6 '"status":"stationary"'
check "orientation" line 7 "norm 2: must be 1 within 1e-3"
check "unknown key" line 8 'unknown key \"positon\" (did you mean \"position\"?)'
check "start normalised" number 9 box 3 0.70710678118654752 1e-6
check "ik --all" answers 1 "$tact" ik "$work/arm.json" --all <"$work/targets"
check "all joints move" line 6 '"status":"converged"'
check "to the target" number 6 box 1 2 1e-5

# import, and bench on what was imported
cat >"$work/arm.urdf" <<'END'
<robot name="arm"><link name="base"/><link name="upper"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
END
check "import" answers 0 "$tact" import "$work/arm.urdf"
check "a robot file" grep -q '"shoulder"' "$work/answer"
cp "$work/answer" "$work/robot.json"
echo '{"tact":1,"robots":[{"file":"robot.json"}],"drives":[{"joint":"*","stiffness":1}]}' >"$work/robot_scene.json"
check "the robot file in a scene" answers 0 "$tact" check "$work/robot_scene.json"
cp "$work/arm.urdf" "$work/ARM.Urdf"
echo '{"tact":1,"robots":[{"file":"ARM.Urdf"}],"drives":[{"joint":"*","stiffness":1}]}' >"$work/capitals.json"
check "the end of a file name in capitals" answers 0 "$tact" check "$work/capitals.json"
check "no such robot" answers 3 "$tact" import "$work/none.urdf"
echo '<robot' >"$work/bad.urdf"
check "a bad robot" answers 2 "$tact" import "$work/bad.urdf"
check "nothing printed" sh -c "[ ! -s '$work/answer' ]"
# what is wrong but can be read: one line for each file, all lines, or refused, wherever a robot is read
cat >"$work/odd.urdf" <<'END'

<?xml version="1.0"?>
<robot name="odd"><link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="upper"/>
<joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/>
<limit lower="1" upper=" -1"/><mimic joint="none"/></joint>
</robot>
END
cp "$work/odd.urdf" "$work/odder.urdf"
echo '{"tact":1,"robots":[{"file":"odd.urdf","prefix":"a"},{"file":"odder.urdf","prefix":"b"}],"drives":[{"joint":"*","stiffness":1}]}' >"$work/odd.json"
lines() { # NUMBER FILE
    [ "$(wc -l <"$2")" -eq "$1" ]
}
"$tact" import "$work/odd.urdf" >"$work/odd_robot.json" 2>"$work/said"
check "an odd robot is read" grep -q shoulder "$work/odd_robot.json"
check "it is told in one line" lines 1 "$work/said"
check "the first of four" grep -q ':2:1: /: warning: <?xml is allowed only as the very first bytes (and 3 more warnings: --verbose tells all)$' "$work/said"
"$tact" import "$work/odd.urdf" --verbose >/dev/null 2>"$work/said"
check "all of them" lines 4 "$work/said"
check "an odd robot, strictly" answers 2 "$tact" import "$work/odd.urdf" --strict
"$tact" run "$work/odd.json" --steps 1 --quiet >/dev/null 2>"$work/said"
check "a run does not tell of the robot again" lines 0 "$work/said"
"$tact" check "$work/odd.json" >/dev/null 2>"$work/said"
check "a scene of two such: a line each" lines 2 "$work/said"
check "both are named" sh -c "grep -q odd.urdf '$work/said' && grep -q odder.urdf '$work/said'"
check "a scene of such, strictly" answers 2 "$tact" check "$work/odd.json" --strict
check "a run of such, strictly" answers 2 "$tact" run "$work/odd.json" --steps 1 --strict
# what a model in MJCF loses is told by the commands that look at it first, in full
echo '<mujoco><option timestep="1"/><worldbody><body name="a"><joint name="j" type="slide"/><geom type="sphere" size="0.1"/></body></worldbody></mujoco>' >"$work/loses.xml"
echo '{"tact":1,"robots":[{"file":"loses.xml"}],"drives":[{"joint":"j","stiffness":1}]}' >"$work/loses.json"
"$tact" import "$work/loses.xml" >/dev/null 2>"$work/said"
check "an import tells what is lost" grep -q 'warning: left out: option' "$work/said"
"$tact" check "$work/loses.json" >/dev/null 2>"$work/said"
check "a check tells it" grep -q 'warning: left out: option' "$work/said"
"$tact" run "$work/loses.json" --steps 1 --quiet >/dev/null 2>"$work/said"
check "a run does not tell it again" lines 0 "$work/said"
"$tact" run "$work/loses.json" --steps 1 --quiet --verbose >/dev/null 2>"$work/said"
check "but when it is asked" grep -q 'warning: left out: option' "$work/said"
# what the scene finds wrong with a robot's numbers is told as what the reader finds
cat >"$work/flat.urdf" <<'END'
<robot name="flat"><link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="3" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="one" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>
<joint name="two" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/></joint>
</robot>
END
echo '{"tact":1,"robots":[{"file":"flat.urdf"}],"drives":[{"joint":"*","stiffness":1}]}' >"$work/flat.json"
"$tact" import "$work/flat.urdf" >"$work/flat_robot.json" 2>"$work/said"
check "inertias of two links that no body has: one line" lines 1 "$work/said"
check "it names place, links and reason" grep -q 'flat.urdf:2:[0-9]*: /robot/link\[name="a"\]/inertial/inertia: warning: link "a" has an inertia that no rigid body has, taken as it is: principal moments 3, 1, 1, the largest more than the sum of the others (so have 1 more: "b")$' "$work/said"
for command in check "run --steps 1 --quiet"; do
    "$tact" $command "$work/flat.json" >/dev/null 2>"$work/said"
    check "$command of a scene with the URDF is quiet" lines 0 "$work/said"
done
"$tact" check "$work/flat.json" --verbose >/dev/null 2>"$work/said"
check "but when it is asked" grep -q 'no rigid body has' "$work/said"
sed 's/flat.urdf/flat_robot.json/' "$work/flat.json" >"$work/flat2.json"
"$tact" check "$work/flat2.json" >/dev/null 2>"$work/said"
check "and of one with what was imported" lines 0 "$work/said"
"$tact" check "$work/flat2.json" --set 'robots.0.bodies.b.inertia=[1,1,4,0,0,0]' >/dev/null 2>"$work/said"
check "what is new is told" grep -q 'of a rigid body the largest' "$work/said"
check "bench" answers 0 "$tact" bench "$work/robot_scene.json" --samples 3
check "bench rows" sh -c "[ \$(wc -l <'$work/answer') -eq 10 ]"
check "bench, own scene" sh -c "cd '$work' && '$tact' bench --samples 3 | grep -q 'five fingers: 24 dofs, 6 pairs'"
check "a run" answers 0 "$tact" run "$work/robot_scene.json" --steps 5 --quiet --trace "$work/run.jsonl"
check "bench, states of a trace" answers 0 "$tact" bench "$work/robot_scene.json" --samples 3 --steps "$work/run.jsonl"
check "its states" sh -c "head -n 1 '$work/answer' | grep -q '6 states'"
check "bench, another trace" answers 2 "$tact" bench "$work/arm.json" --samples 3 --steps "$work/run.jsonl"
check "bench, one step of each state" answers 0 "$tact" bench "$work/robot_scene.json" --once warm
check "bench, steps counted" grep -qx '16 steps' "$work/answer"
check "bench, neither cold nor warm" answers 4 "$tact" bench "$work/robot_scene.json" --once luke
check "bench, scaling" answers 0 "$tact" bench --scaling --samples 3
check "its piles" grep -q '^rigid law, spheres in a box, piled up: time of a warm step' "$work/answer"
check "bench, scaling as lines" answers 0 "$tact" bench --scaling --samples 3 --json
check "piles as lines" grep -q '"table":"barrier law, spheres in a box, falling","exponent":' "$work/answer"
check "bench, lanes" answers 0 "$tact" bench "$work/robot_scene.json" --samples 3 --lanes
check "bench, a row per width" grep -q '^  1  ' "$work/answer"

test_end app_lines
