# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# Small inputs for every command, made in the present folder; TACT is the command.

# a ball on a table, before the tip of an arm that slides and turns
cat >arm.urdf <<'END1'
<?xml version="1.0"?>
<robot name="arm">
  <link name="rail"/>
  <link name="base"/>
  <link name="arm"><inertial><origin xyz="0.07 0 0" rpy="0 0 0"/><mass value="0.1"/>
    <inertia ixx="1e-5" ixy="0" ixz="0" iyy="1e-4" iyz="0" izz="1e-4"/></inertial>
    <collision><origin xyz="0.14 0 0"/><geometry><sphere radius="0.01"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="base"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.15" effort="1" velocity="1"/></joint>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="-0.25 0 0.04"/><axis xyz="0 0 1"/>
    <limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
</robot>
END1
mkdir -p robots
"$TACT" import arm.urdf >robots/arm.json || exit 1
cat >scene.json <<'END1'
{ "tact": 1, "name": "roll", "options": { "kappa": 2000, "margin": 0.3 },
  "robots": [ { "file": "robots/arm.json" } ],
  "bodies": [ { "name": "ball", "parent": "world", "mass": 0.5, "inertia": [3e-4, 3e-4, 3e-4, 0, 0, 0],
                "joint": { "name": "ball", "type": "free" } } ],
  "shapes": [ { "name": "table", "body": "world", "type": "plane", "normal": [0, 0, 1], "offset": 0 },
              { "name": "tip", "body": "arm", "type": "sphere", "radius": 0.01, "xyz": [0.14, 0, 0] },
              { "name": "ball", "body": "ball", "type": "sphere", "radius": 0.04 } ],
  "pairs": [ { "a": "table", "b": "ball", "mu": 0.5 }, { "a": "tip", "b": "ball", "mu": 0.4 } ],
  "drives": [ { "joint": "slide", "stiffness": 300 }, { "joint": "turn", "stiffness": 2 } ],
  "state": { "q": { "slide": 0.015625, "ball": [0, 0, 0.0402, 1, 0, 0, 0] } },
  "goal": { "body": "ball", "position": [0.04, 0, 0.0402], "horizon": 10, "knots": 1 } }
END1
sed 's|robots/arm.json|arm.urdf|' scene.json >urdf.json
cat >cart.json <<'END1'
{ "tact": 1, "name": "cart", "law": "rigid", "options": { "dt": 0.01 },
  "bodies": [ { "name": "cart", "parent": "world", "mass": 1, "joint": { "name": "cart", "type": "prismatic", "axis": [1, 0, 0] } } ],
  "shapes": [ { "name": "wall", "body": "world", "type": "plane", "normal": [-1, 0, 0], "offset": -1 },
              { "name": "cart", "body": "cart", "type": "sphere", "radius": 0.1 } ],
  "pairs": [ { "a": "wall", "b": "cart", "mu": 0.1 } ],
  "state": { "q": { "cart": 0.8 }, "v": { "cart": 1 } } }
END1
printf '{"tact_batch":1,"scene":"scene.json","envs":24,"steps":4,"seed":3,"parameters":[{"path":"bodies.0.mass","uniform":[0.3,0.7]},
{"path":"pairs.0.mu","choice":[0.3,0.5]}],"record":{"every":2,"forces":true}}\n' >batch.json
# the direction of a plane goes through its frame: such a scene is loaded for each environment
printf '{"tact_batch":1,"scene":"cart.json","envs":4,"steps":2,"seed":3,
"parameters":[{"path":"shapes.0.normal.1","uniform":[-0.1,0.1]},{"path":"command.mode","choice":["hold","fixed"]}]}\n' >loaded.json
# commands of two joints for four steps
printf '\223NUMPY\001\000\166\000' >u.npy
printf '%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }" >>u.npy
head -c 64 /dev/zero >>u.npy
printf '{"tact_batch":1,"scene":"urdf.json","envs":6,"steps":4,"command":"u.npy","record":{"derivatives":true}}\n' >array.json
printf '{"tact_batch":1,"scenes":["scene.json","urdf.json"],"envs":6,"steps":4,
"command":{"mode":"trajectory","times":[0,0.1],"q":{"slide":[0,0.1]}}}\n' >given.json
"$TACT" run scene.json --steps 6 --quiet --trace trace.jsonl || exit 1
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >page.html
printf '{"q":{"slide":0.1}}\n{"q":[0.1,0.2,0,0,0.04,1,0,0,0]}\n' >fk.jsonl
printf '{"targets":[{"body":"arm","position":[-0.2,0,0.04]}]}\n' >ik.jsonl
printf '{"id":1,"n":1,"nc":1,"P":[1],"b":[-1],"J":[1,0,0],"c":[0,0,0],"mu":[1],"kappa":100}\n' >solve.jsonl
printf '{"id":"cart","n":1,"M":[0.5],"q":[-60]}\n{"id":3,"n":2,"M":[1,-1,-1,1],"q":[1,-1]}\n' >lcp.jsonl
printf '{"id":1,"n":1,"objective":{},"constraints":[{"r":[1]},{"r":[[0,5e-5]],"c":-6e-3},{"Q":[-1e-4],"r":[6e-3]}]}
{"id":2,"n":2,"objective":{"Q":[2,0,0,2],"r":[-2,0],"c":1},"constraints":[{"r":[0,1],"type":">="},{"r":[-1,1]}]}\n' >qcqp.jsonl
printf '{"id":"slide","nc":1,"W":[1,0,0,0,1,0,0,0,1],"q":[-1,2,0],"mu":[0.5]}
{"id":3,"nc":1,"W_csr":{"indptr":[0,1,2,3],"indices":[0,1,2],"data":[1,1,1]},"q":[-1,2,0],"mu":[0.5]}\n' >friction.jsonl
for i in 0 1; do "$TACT" batch batch.json --shard $i/2 --output shard$i --quiet || exit 1; done
