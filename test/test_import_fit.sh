#!/bin/sh
# SPDX-License-Identifier: MIT
# tact import --fit: collision meshes as shapes, on the command line and in scenes; meshes that are missing, wrong or elsewhere.
. test/test.sh

mkdir -p "$work/package/robot/meshes" "$work/elsewhere"
# a block of 0.2 x 0.4 x 0.6 as OBJ in millimetres, one corner at the origin
obj() { # FILE
    cat >"$1" <<END
v 0 0 0
v 200 0 0
v 0 400 0
v 200 400 0
v 0 0 600
v 200 0 600
v 0 400 600
v 200 400 600
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
END
}
obj "$work/package/robot/meshes/block.obj"
obj "$work/elsewhere/block.obj"
# a pyramid as STL
cat >"$work/package/robot/meshes/pyramid.stl" <<END
solid pyramid
facet normal 0 0 -1
outer loop
vertex -0.1 -0.1 0
vertex 0.1 0.1 0
vertex 0.1 -0.1 0
endloop
endfacet
facet normal 0 1 0
outer loop
vertex -0.1 -0.1 0
vertex 0.1 0.1 0
vertex 0 0 0.1
endloop
endfacet
endsolid
END
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$work/package/robot/meshes/flat.obj"
printf 'v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n' >"$work/package/robot/meshes/nan.obj"
printf 'v 0 0 0\nv 1e8 0 0\nv 0 1 1e8\nf 1 2 3\n' >"$work/package/robot/meshes/huge.obj"
head -c 60 "$work/package/robot/meshes/pyramid.stl" >"$work/package/robot/meshes/cut.stl"
printf 'OFF\n' >"$work/package/robot/meshes/block.off"
mkfifo "$work/package/robot/meshes/pipe.obj"
mkdir "$work/package/robot/meshes/folder.obj"
ln -s "$work/elsewhere/block.obj" "$work/package/robot/meshes/link.obj"

robot() { # MESH: a base, and a block that turns on it
    cat >"$work/package/robot/arm.urdf" <<END
<robot name="arm">
  <link name="base"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <link name="block">
    <collision><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/><geometry><mesh filename="$1" scale="0.001 0.001 0.001"/></geometry></collision>
  </link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="block"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="2" velocity="3"/><dynamics damping="0.1"/><safety_controller k_velocity="1"/></joint>
  <transmission name="t"/><gazebo reference="block"><mu1>0.9</mu1></gazebo>
</robot>
END
}
arm=$work/package/robot/arm.urdf
shape() { # TEXT OPTIONS...: the shape of the block in what is imported
    text=$1
    shift
    "$TACT" import "$arm" "$@" 2>"$work/said" | grep '"name": "block", "body"' >"$work/shape"
    grep -qF -- "$text" "$work/shape" || { echo "no $text in"; cat "$work/shape" "$work/said"; return 1; }
}
lacks_shape() { # OPTIONS...
    "$TACT" import "$arm" "$@" 2>"$work/said" | grep '"name": "block", "body"' && return 1
    return 0
}
near() { # KEY A B C: these numbers of the shape, to 1e-6
    wanted="$2 $3 $4"
    sed "s/.*\"$1\": \[\{0,1\}\([^]}\"]*\).*/\1/" "$work/shape" | tr ',' ' ' | awk -v wanted="$wanted" '{
        count = split(wanted, w, " ")
        for (i = 1; i <= count; i++) if (($i - w[i])^2 > 1e-12) { print "got", $0, "wanted", wanted; exit 1 } }'
}

robot meshes/block.obj
check "a box" shape '"type": "box"' --fit box
check "its size" near size 0.2 0.4 0.6
check "its place: the mesh's, turned and raised" near xyz -0.2 0.1 1.3
check "a fit is told" grep -qF '"block": box of 0.2 x 0.4 x 0.6 m round "meshes/block.obj" (8 points)' "$work/said"
same=$work/package/robot/same.urdf mesh=$(sed -n '/<collision><origin/p' "$arm")
{
    sed "s,<link name=\"base\">.*,<link name=\"base\">$mesh</link>," "$arm" | sed '/<\/robot>/d'
    echo "<link name=\"tip\">$mesh$mesh</link><joint name=\"j\" type=\"fixed\"><parent link=\"block\"/><child link=\"tip\"/></joint></robot>"
} >"$same"
check "equal fits" answers 0 "$TACT" import "$same" --fit box --fit tip=sphere
check "the same box of two links is told once" grep -qF 'tact: "base", "block" (2 alike): box of 0.2 x 0.4 x 0.6 m round' "$work/said"
check "and two spheres of one link" grep -qF 'tact: "tip" (2 alike): sphere of radius 0.3742 m round' "$work/said"
check "no line of them is left" sh -c "[ \$(grep -c round '$work/said') -eq 2 ]"
check "a sphere" shape '"type": "sphere"' --fit sphere
check "its radius" near radius 0.374165738
check "its centre" near xyz -0.2 0.1 1.3
check "a capsule" shape '"type": "capsule"' --fit capsule
check "the last rule holds" shape '"type": "sphere"' --fit box --fit 'bl*=sphere'
check "and not an earlier one" shape '"type": "box"' --fit 'bl*=sphere' --fit box
check "a hull" shape '"type": "hull"' --fit hull
[ "$REAL" = float ] || check "of all corners" grep -qF '"block": hull of 8 of the 8 points of "meshes/block.obj": the others lie up to 0 m outside' "$work/said"
check "in its place" near xyz 0 0 1
check "a hull has the mass of its volume" sh -c "'$TACT' import '$arm' --fit hull --density 1000 2>/dev/null | grep -qF '\"name\": \"block\", \"parent\": \"base\", \"mass\": 48'"
same_mass() { # the hull of a box in any frame weighs as the box
    for fit in box hull; do
        "$TACT" import "$arm" --fit $fit --density 1000 2>/dev/null | sed -n 's/.*"name": "block", "parent"[^,]*, "mass": \([^,]*\), \("com": [^]]*\]\)*.*"inertia": \[\([^]]*\).*/\1 \2 \3/p' |
            tr -d '[],"com:' >"$work/mass.$fit"
    done
    [ -s "$work/mass.hull" ] && awk 'NR == FNR { for (i = 1; i <= NF; i++) a[i] = $i; n = NF; next }
        { for (i = 1; i <= NF; i++) if (($i - a[i]) ^ 2 > 1e-20) exit 1; exit NF != n }' "$work/mass.box" "$work/mass.hull"
}
check "and its inertia" same_mass
check "none" lacks_shape --fit none
check "none is silent" sh -c "! grep -q mesh '$work/said'"
check "without fits as ever" lacks_shape
check "with a warning" grep -qF 'mesh "meshes/block.obj" is not read' "$work/said"
check "what is left out is told once" says 0 "left out: effort limits of 1, velocity limits of 1, damping or friction of 1, safety controllers of 1 joints, gazebo's friction of 1 links, 1 transmissions" \
    "$TACT" import "$arm"
check "mass by density" sh -c "'$TACT' import '$arm' --fit box --density 1000 2>/dev/null | grep -qF '\"name\": \"block\", \"parent\": \"base\", \"mass\": 48'"
# m/12 (b^2 + c^2) about its middle, in the axes of the link, to which it is turned by a right angle
inertia() {
    "$TACT" import "$arm" --fit box --density 1000 2>/dev/null | sed -n 's/.*"name": "block", "parent".*"inertia": \[\([^]]*\).*/\1/p' |
        tr ',' ' ' | awk '{ good = ($1 - 1.6)^2 + ($2 - 2.08)^2 + ($3 - 0.8)^2 + $4^2 + $5^2 + $6^2 < 1e-8 } END { exit !good }'
}
check "inertia by density" inertia
check "it is told" says 0 '"block": mass of 48 kg and inertia from its shapes' "$TACT" import "$arm" --fit box --density 1000

check "no such kind" says 4 'unknown kind "ball"' "$TACT" import "$arm" --fit ball
check "sdf without a file" says 4 'sdf writes files beside the robot file' "$TACT" import "$arm" --fit sdf
check "sdf to standard output" says 4 'sdf writes files beside the robot file' "$TACT" import "$arm" --fit sdf -o -
check "too few numbers" says 4 "sdf:N: N must be a whole number within [9, 256]" "$TACT" import "$arm" --fit sdf:8 -o "$work/no.json"
check "an empty pattern" says 4 "there is no pattern" "$TACT" import "$arm" --fit =box
check "a pattern that matches nothing" says 2 'fit "blok": no link with a collision mesh has such a name' "$TACT" import "$arm" --fit blok=box
check "density 0" says 4 "--density: must be > 0" "$TACT" import "$arm" --fit box --density 0
check "no density" says 4 "--density: must be > 0" "$TACT" import "$arm" --fit box --density heavy

bad() { # CODE TEXT MESH
    robot "$3"
    says "$1" "$2" timeout 20 "$TACT" import "$arm" --fit box && grep -qE 'arm.urdf:[0-9]+:[0-9]+: /robot/link' "$work/said" &&
        "$TACT" import "$arm" --fit none >/dev/null 2>&1
}
check "a mesh that is not there" bad 3 "No such file" meshes/none.obj
check "a folder" bad 3 "cannot be fitted" meshes/folder.obj
check "a pipe is not waited for" bad 3 "cannot be fitted" meshes/pipe.obj
check "a mesh cut off" bad 2 "not a number" meshes/cut.stl
check "not a number" bad 2 "not a number" meshes/nan.obj
check "too large" bad 2 "not a mesh of a known format" meshes/block.off
check "a plane has no box" bad 2 "a plane" meshes/flat.obj
check "a plane has no hull" says 2 "meshes/flat.obj" "$TACT" import "$arm" --fit hull
check "outside the package" bad 2 "outside the package root" ../../elsewhere/block.obj
check "an absolute path" bad 2 "outside the package root" /etc/passwd
check "a link that leads out" bad 3 "outside the package root" meshes/link.obj
check "no such package" bad 3 "package" package://none/meshes/block.obj
robot meshes/huge.obj
sed -i 's/scale="[^"]*"/scale="1 1 1"/' "$arm"
check "coordinates too large" says 2 "it is too large" "$TACT" import "$arm" --fit sphere
robot meshes/pyramid.stl
sed -i 's/ scale="[^"]*"//' "$arm"
check "STL" shape '"type": "sphere"' --fit sphere
check "its radius" near radius 0.141421356
mkdir -p "$work/packages/some/meshes"
cp "$work/elsewhere/block.obj" "$work/packages/some/meshes"
robot package://some/meshes/block.obj
check "a package" shape '"type": "box"' --fit box --packages "$work/packages"

# MJCF
small='scale="0.001 0.001 0.001"'
mjcf() { # GEOMS COMPILER MESH
    cat >"$work/package/robot/arm.xml" <<END
<mujoco><compiler angle="radian" $2/><asset><mesh name="block" file="meshes/block.obj" ${3:-$small}/></asset>
<worldbody><geom type="mesh" mesh="block" contype="0" conaffinity="0"/><body name="base"><geom type="mesh" mesh="block" contype="0" conaffinity="0"/>
<body name="tip" pos="0 0 1"><joint/>$1</body></body></worldbody></mujoco>
END
}
arm_xml=$work/package/robot/arm.xml
fitted() { # WANTED OPTIONS...: a part of the robot file
    wanted=$1
    shift
    "$TACT" import "$arm_xml" "$@" >"$work/answer" 2>"$work/said" && grep -qF "$wanted" "$work/answer" ||
        { cat "$work/answer" "$work/said"; return 1; }
}
collision='<geom type="mesh" mesh="block"/>'
mjcf "$collision"
check "MJCF: a box" fitted '{ "name": "tip", "body": "tip", "type": "box", "size": [0.2, 0.4, 0.6]' --fit box
check "it is told" grep -qF '"tip": box of 0.2 x 0.4 x 0.6 m round "meshes/block.obj" (8 points): its points lie up to' "$work/said"
check "what is only drawn is no shape" sh -c "! grep -qF '\"body\": \"base\"' '$work/answer'"
check "MJCF: a hull" fitted '"body": "tip", "type": "hull"' --fit hull
check "MJCF: a pattern" fitted '"body": "tip", "type": "sphere"' --fit capsule --fit 't*=sphere'
check "MJCF: none" fitted '"shapes": []' --fit box --fit tip=none
check "in silence" sh -c "! grep -q collision '$work/said'"
check "MJCF: without a rule" fitted '"shapes": []'
check "with a warning" grep -qF ", collision of mesh block" "$work/said"
check "MJCF: no such body" says 2 "arm.xml:1:1: /mujoco: error: fit \"base\": no body with a collision mesh has such a name (they are: tip)" "$TACT" import "$arm_xml" --fit base=box
# MuJoCo takes refpos off the file's numbers, turns by refquat, and then scales
mjcf '<geom name="pad" type="mesh" mesh="block" pos="1 0 0"/>' "" 'refpos="0 0 50" refquat="0.7071067811865476 0 0 0.7071067811865476" scale="0.001 -0.001 0.001"'
check "MJCF: a mesh that is moved, turned, scaled and mirrored" fitted '{ "name": "pad", "body": "tip", "type": "sphere", "radius": 0.37416' --fit sphere
# its centre (100, 200, 250), turned back by a quarter about z: (200, -100, 250)
check "its place" sh -c "sed -n 's/.*\"xyz\": \[\([^]]*\).*/\1/p' '$work/answer' | tail -n 1 |
    awk -F , '{ exit !((\$1 - 1.2)^2 + (\$2 - 0.1)^2 + (\$3 - 0.25)^2 < 1e-10) }'"
weighs() { # MASS X Y Z: the tip, and where its centre of mass is
    sed -n 's/.*"name": "tip", "parent".*"mass": \([^,]*, \)"com": \[\([^]]*\).*/\1\2/p' "$work/answer" | awk -F , -v m="$1" -v x="$2" -v y="$3" -v z="$4" '{
        n++; bad += ($1 / m - 1)^2 + ($2 - x)^2 + ($3 - y)^2 + ($4 - z)^2 > 1e-10 } END { exit !(n == 1 && !bad) }'
}
check "its mass and the centre of it" weighs 48 1.2 0.1 0.25
mjcf '<geom type="mesh" mesh="block" pos="1 0 0"/>' "" 'refpos="0 0 50" refquat="0.7071067811865476 0 0 0.7071067811865476" scale="0.003 0.001 0.001"'
check "MJCF: a mesh that is sheared" fitted '"shapes": []' --fit none
check "weighs what it does in MuJoCo" weighs 144 1.6 -0.1 0.25
check "and is not drawn" grep -qF "geom (drawn mesh turned before an unequal scale)" "$work/said"
check "and is not fitted" says 2 'mesh "block" cannot be fitted: refquat turns it before it is scaled by unequal factors' "$TACT" import "$arm_xml" --fit box
for bad in flat:2 none:3; do
    mjcf "$collision"
    sed -i "s/block.obj/${bad%:*}.obj/" "$arm_xml"
    check "MJCF: ${bad%:*}" says "${bad#*:}" "arm.xml:" "$TACT" import "$arm_xml" --fit box
done
# primitives round a mesh: MuJoCo's sizes by moments of inertia, and those within which the points lie
mjcf '<geom type="box" mesh="block"/>'
check "MJCF: a box by moments" fitted '"type": "box", "size": ['
check "its size" sh -c "sed -n 's/.*\"size\": \[\([^]]*\).*/\1/p' '$work/answer' | awk -F , '{ exit !((\$1 - 0.2)^2 + (\$2 - 0.4)^2 + (\$3 - 0.6)^2 < 1e-10) }'"
mjcf '<geom type="capsule" mesh="block"/>' 'fitaabb="true"'
# radius sqrt(0.1^2 + 0.2^2); at the corners the cap has no height
check "MJCF: a capsule round the points" fitted '"type": "capsule", "radius": 0.223606'
mjcf '<geom type="cylinder" mesh="block" fitscale="2"/>' 'fitaabb="true"'
check "MJCF: a cylinder round the points" fitted '"type": "cylinder", "radius": 0.447213'
mjcf '<geom type="sphere" mesh="block"/>' 'fitaabb="true"'
check "MJCF: a sphere round the points" fitted '"type": "sphere", "radius": 0.374165'

# distance grids: a ball of 30 mm, mirrored, on a link that slides along z; 48 x 32 facets are off it by 0.1 mm
awk 'BEGIN {
    pi = atan2(0, -1); a = 32; b = 48
    print "v 0 0 30"
    for (i = 1; i < a; i++) for (j = 0; j < b; j++) { u = pi * i / a; v = 2 * pi * j / b
        printf "v %.9g %.9g %.9g\n", 30 * sin(u) * cos(v), 30 * sin(u) * sin(v), 30 * cos(u) }
    print "v 0 0 -30"
    for (j = 0; j < b; j++) { n = (j + 1) % b; last = 2 + (a - 1) * b
        print "f", 1, 2 + j, 2 + n; print "f", last, 2 + (a - 2) * b + n, 2 + (a - 2) * b + j
        for (i = 0; i < a - 2; i++) { p = 2 + i * b; print "f", p + j, p + b + j, p + b + n, p + n } } }' >"$work/package/robot/meshes/ball.obj"
mkdir "$work/out"
finger() { # MESH SCALE: the collision mesh of both of its links
    for link in tip pad; do
        echo "<link name=\"$link\"><inertial><mass value=\"0.1\"/><inertia ixx=\"4e-5\" iyy=\"4e-5\" izz=\"4e-5\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>
<collision><origin xyz=\"0.01 0.02 0.1\" rpy=\"0 0 0.5\"/><geometry><mesh filename=\"$1\" scale=\"$2\"/></geometry></collision></link>"
        echo "<joint name=\"$link\" type=\"prismatic\"><parent link=\"base\"/><child link=\"$link\"/><axis xyz=\"0 0 1\"/><limit lower=\"-1\" upper=\"1\" effort=\"5\" velocity=\"1\"/></joint>"
    done | sed '1i <robot name="finger"><link name="base"/>' | sed '$a </robot>' >"$work/package/robot/finger.urdf"
}
gripped() { "$TACT" import "$work/package/robot/finger.urdf" "$@" -o "$work/out/finger.json" 2>"$work/said"; }
has() { # TEXT: in the robot file
    grep -qF -- "$1" "$work/out/finger.json" || { cat "$work/out/finger.json" "$work/said"; return 1; }
}
finger meshes/ball.obj "0.001 -0.001 0.001"
check "grids" gripped --fit 'tip=sdf:33' --fit 'pad=sdf:33'
check "one array for both links" files 2
check "its name" has '"type": "grid", "file": "finger-ball-33.npy", "low": ['
check "its place" has '"xyz": [0.01, 0.02, 0.1]'
check "its error is told" grep -qF '"tip", "pad" (2 alike): grid of 33 x 33 x 33 numbers, step 0.002143 m, of "meshes/ball.obj" (1490 points): its triangles are off the surface by ' "$work/said"
"$TACT" convert "$work/package/robot/meshes/ball.obj" --sdf 33 --scale 0.001 -o "$work/ball.npy" >"$work/answer" 2>"$work/said"
grids() { # the gap to points on all sides is |x| - 0.03, to the facets and the grid
    keys=$(sed -n 's/.*\("type": "grid".*"scale": 1\), .*/\1/p' "$work/out/finger.json" | head -n 1)
    awk -v keys="$keys" 'BEGIN { srand(7); for (i = 0; i < 40; i++) {
        printf "{\"a\": {%s}, \"b\": {\"type\": \"sphere\", \"radius\": 0, \"xyz\": [%.9g, %.9g, %.9g]}}\n", keys, x = 0.04 * (2 * rand() - 1), y = 0.04 * (2 * rand() - 1), z = 0.035 + 0.01 * rand()
        printf "%.9g\n", sqrt(x * x + y * y + z * z) - 0.03 >"'"$work/wanted"'" } }' >"$work/out/pairs"
    (cd "$work/out" && case $TACT in /*) "$TACT" distance pairs ;; *) "$OLDPWD/$TACT" distance pairs ;; esac) | sed 's/.*"gap":\([^,]*\).*/\1/' | paste - "$work/wanted" |
        awk '{ n++; bad += ($1 - $2) ^ 2 > 4e-8 } END { exit !(n == 40 && !bad) }'
}
check "distances are those of a ball" grids
rm -f "$work/out/pairs"
steps() { # LAW SHAPE LEAST MOST: pressed with 200 N/m on the shape, whose top is at 0.05, the tip stops there: at -0.02 where it just touches
    cat >"$work/steps.json" <<END
{ "tact": 1, "law": "$1", "robots": [{ "file": "out/finger.json" }], "drives": [{ "joint": "*", "stiffness": 200, "damping": 2 }], "mu": 0.5,
  "gravity": [0, 0, 0], "shapes": [{ "name": "floor", "body": "world", $2 }], "pairs": [{ "a": "tip", "b": "floor" }],
  "command": { "mode": "fixed", "q": { "tip": -0.05 } }, "options": { "dt": 0.01, "kappa": 1e5 } }
END
    "$TACT" check "$work/steps.json" >"$work/answer" 2>"$work/said" && "$TACT" run "$work/steps.json" --steps 40 --trace "$work/steps.jsonl" >"$work/answer" 2>>"$work/said" &&
        ! grep -q error "$work/said" && tail -n 1 "$work/steps.jsonl" | sed 's/.*"q":\[\([^],]*\).*/\1/' | awk -v low="$3" -v high="$4" '{ good = $1 > low && $1 < high } END { exit !good }' ||
        { cat "$work/answer" "$work/said"; return 1; }
}
check "a grid on a ball, barrier" steps barrier '"type": "sphere", "radius": 0.05, "xyz": [0.01, 0.02, 0]' -0.0201 -0.0199
check "a grid on a ball, rigid" steps rigid '"type": "sphere", "radius": 0.05, "xyz": [0.01, 0.02, 0]' -0.0201 -0.0199
# of a grid 256 points touch what is no ball: the lowest is up to 0.2 mm above the bottom
check "a grid on a box, rigid" steps rigid '"type": "box", "size": [0.2, 0.2, 0.1]' -0.0203 -0.0199
check "a grid on a plane, barrier" steps barrier '"type": "plane", "offset": 0.05' -0.0203 -0.01
rm -rf "$work/out" && mkdir "$work/out"
check "other numbers, another array" gripped --fit sdf:9 --fit 'pad=sdf:13'
check "with its number" has '"file": "finger-ball-13.npy"'
check "three files" files 3
check "again, over the same arrays" gripped --fit sdf:9 --fit 'pad=sdf:13'
cp "$work/out/finger-ball-9.npy" "$work/other.npy"
printf x >>"$work/other.npy"
cp "$work/other.npy" "$work/out/finger-ball-9.npy"
rm "$work/out/finger-ball-13.npy"
check "over another array" says 2 'finger-ball-9.npy: error: is there already and holds something else' "$TACT" import "$work/package/robot/finger.urdf" --fit sdf:9 --fit 'pad=sdf:13' -o "$work/out/finger.json"
check "which stays" cmp "$work/other.npy" "$work/out/finger-ball-9.npy"
check "and none beside it" files 2
sed '0,/0.001 -0.001 0.001/s//0.001 -0.001 0.002/' "$work/package/robot/finger.urdf" >"$work/package/robot/two.urdf"
rm -rf "$work/out" && mkdir "$work/out"
check "two scales of a mesh" "$TACT" import "$work/package/robot/two.urdf" --fit sdf:9 -o "$work/out/finger.json"
check "with a number behind it" has '"file": "finger-ball-9-2.npy"'
# more grids than a process may have files
awk 'BEGIN { print "<robot name=\"many\"><link name=\"base\">"; for (i = 1; i <= 120; i++)
    printf "<collision><geometry><mesh filename=\"meshes/block.obj\" scale=\"%d 1 1\"/></geometry></collision>\n", i; print "</link></robot>" }' >"$work/package/robot/many.urdf"
rm -rf "$work/out" && mkdir "$work/out"
check "120 grids" sh -c "ulimit -n 40; '$TACT' import '$work/package/robot/many.urdf' --fit sdf:9 -o '$work/out/many.json' 2>/dev/null"
check "each with its array" files 121
rm -rf "$work/out" && mkdir -p "$work/out/finger-ball-9.npy"
check "where an array cannot be" says 2 "finger-ball-9.npy: error: " "$TACT" import "$work/package/robot/finger.urdf" --fit sdf:9 -o "$work/out/finger.json"
check "nothing stays" files 1
rm -rf "$work/out" && mkdir "$work/out"
check "no file beside which arrays lie" says 2 "/dev/null: error: must be a regular file" "$TACT" import "$work/package/robot/finger.urdf" --fit sdf:9 -o /dev/null
finger meshes/pyramid.stl "1 1 1"
check "an open mesh" says 2 'it is not a closed surface: 4 edges have one face only' "$TACT" import "$work/package/robot/finger.urdf" --fit sdf -o "$work/out/finger.json"
check "what takes it" grep -qF 'the fit "hull" takes meshes that are open' "$work/said"
check "and no file" files 0
mjcf '<geom name="pad" type="mesh" mesh="block" pos="1 0 0"/>' "" 'refpos="0 0 500" refquat="0.7071067811865476 0 0 0.7071067811865476" scale="0.001 -0.001 0.001"'
check "MJCF: a grid" "$TACT" import "$arm_xml" --fit 't*=sdf:17' -o "$work/out/finger.json"
# the file's origin less refpos, and turned by a quarter about z: back, and mirrored
check "its place" has '"file": "finger-block-17.npy"'
check "in the mesh's frame" grep -qE '"pad".*"xyz": \[1, 0, -0\.(5|4999999)[0-9]*\], "rpy": \[0, 0, 1\.5707' "$work/out/finger.json"

# bases
robot meshes/block.obj
based() { # KIND WANTED
    "$TACT" import "$arm" --fit box --base "$1" >"$work/answer" 2>"$work/said" && grep -qF "$2" "$work/answer" ||
        { cat "$work/answer" "$work/said"; return 1; }
}
check "a free base" based free '"joint": { "name": "base_free", "type": "free" }'
check "a driven base" based driven '{ "name": "base", "parent": "base_roll"'
check "its drives" grep -qE '"joint": "base_yaw", "stiffness": [1-9]' "$work/answer"
check "a fixed base" based fixed '"joint": { "name": "base_fixed", "type": "fixed" }'
printf '<mujoco><worldbody><body name="base_free"><joint/><geom size="1"/></body></worldbody></mujoco>' >"$work/package/robot/turns.xml"
printf '<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/></body></worldbody></mujoco>' >"$work/package/robot/free.xml"
printf '<mujoco><worldbody><geom size="1"/></worldbody></mujoco>' >"$work/package/robot/empty.xml"
"$TACT" import "$work/package/robot/turns.xml" --base free >"$work/answer" 2>"$work/said"
check "a robot that turns on a free base" grep -qF '"name": "base_free", "parent": "base_free_2"' "$work/answer"
check "one that is free already" says 2 'free.xml: error: base free: body "a" is free already' "$TACT" import "$work/package/robot/free.xml" --base free
check "one of nothing" says 2 "has no body that the world carries" "$TACT" import "$work/package/robot/empty.xml" --base driven

# drives by effort limits: at 0.5 rad, at 10 mm; none for what follows, and none twice
body='<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>'
cat >"$work/limits.urdf" <<END
<robot name="r"><link name="a"/><link name="b">$body<link name="c">$body<link name="d">$body<link name="e">$body
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="1"/></joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/><limit lower="0" upper="1" effort="4" velocity="1"/></joint>
<joint name="spin" type="continuous"><parent link="c"/><child link="d"/><axis xyz="0 0 1"/><limit effort="2" velocity="1"/></joint>
<joint name="also" type="revolute"><parent link="d"/><child link="e"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="3" velocity="1"/>
<mimic joint="turn"/></joint></robot>
END
"$TACT" import "$work/limits.urdf" --drives >"$work/limits.json" 2>"$work/said"
grep '"stiffness"' "$work/limits.json" | tr -d ' ,' >"$work/got"
printf '{"joint":"%s}\n' 'turn""stiffness":6"force_limit":3' 'slide""stiffness":400"force_limit":4' 'spin""stiffness":4"force_limit":2' >"$work/wanted"
check "drives by effort limits" diff "$work/wanted" "$work/got"
check "what follows has none" grep -q 'left out: effort limits of 1, velocity' "$work/said"
check "without them none" sh -c "'$TACT' import '$work/limits.urdf' 2>/dev/null | grep -c stiffness | grep -qx 0"
"$TACT" import "$work/limits.urdf" >"$work/bare.json" 2>/dev/null
check "new says how to drive it" says 2 'tact import --drives writes some' "$TACT" new --robot "$work/bare.json" --object box:0.1x0.1x0.1 --on table

# what is surely in degrees, folders and names that are not there
turning() { # rpy, lower, upper
    cat >"$work/turn.urdf" <<END
<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<origin rpy="$1"/><axis xyz="0 0 1"/><limit lower="$2" upper="$3" effort="1" velocity="1"/></joint></robot>
END
}
turning "0 0 0" -90 90
check "limits in degrees" says 0 'warning: limits of more than two turns: angles are in radians (90 degrees are 1.571)' "$TACT" import "$work/turn.urdf"
# not one of many warnings, and in a new scene, too
ball='<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><collision><geometry><sphere radius="0.1"/></geometry></collision>'
sed "s|<link name=\"b\"/>|<link name=\"b\">$ball<collision><geometry><mesh filename=\"m.obj\"/></geometry></collision></link>|" "$work/turn.urdf" >"$work/round.urdf"
check "limits in degrees beside a mesh" says 0 'warning: limits of more than two turns' "$TACT" import "$work/round.urdf"
sed "s|<link name=\"b\"/>|<link name=\"b\">$ball</link>|" "$work/turn.urdf" >"$work/round.urdf"
check "limits in degrees in a new scene" says 0 'warning: limits of more than two turns' "$TACT" new --robot "$work/round.urdf" --object sphere:0.02 -o "$work/turned.json"
check "limits in degrees in a new scene, strictly" says 2 'error: limits of more than two turns' "$TACT" new --robot "$work/round.urdf" --object sphere:0.02 --strict
turning "0 0 90" -1 1
check "a frame in degrees" says 0 'warning: rpy of more than a turn: angles are in radians (90 degrees are 1.571)' "$TACT" import "$work/turn.urdf"
turning "0 0 1.5" -1e20 1e20
check "none of them" sh -c "'$TACT' import '$work/turn.urdf' 2>&1 >/dev/null | grep -c radians | grep -qx 0"
check "no folder of packages" says 4 '--packages: no folder "/nowhere"' "$TACT" import "$work/turn.urdf" --packages /nowhere
check "no link of this name" says 2 'fit "tips": no link with a collision mesh has such a name (they are: none)' "$TACT" import "$work/turn.urdf" --fit tips=box

# in scenes
robot meshes/block.obj
scene() { # ENTRY
    cat >"$work/scene.json" <<END
{ "tact": 1, "robots": [ { "file": "package/robot/arm.urdf", $1 } ], "drives": [ { "joint": "*", "stiffness": 1 } ] }
END
}
shapes() { # COUNT: of the scene
    "$TACT" check "$work/scene.json" >"$work/answer" 2>"$work/said" && grep -qE "^ *shapes +$1\$" "$work/answer" ||
        { cat "$work/answer" "$work/said"; return 1; }
}
scene '"fit": "box"'
check "a fit in a scene" shapes 2
scene '"fit": ["box", "block=none"]'
check "several" shapes 1
check "silently" sh -c "! grep -q . '$work/said'"
scene '"fit": ["box", "block=sdf"]'
check "wrong in a scene" says 2 "scene.json:1:77: /robots/0/fit/1: error: sdf" "$TACT" check "$work/scene.json"
scene '"fit": "box", "base": { "joint": "driven" }'
check "six more joints" sh -c "'$TACT' check '$work/scene.json' 2>&1 | grep -qE '^ *driven .u. +7\$'"
scene '"fit": "box", "base": { "joint": "floats" }'
check "an unknown base" says 2 "/robots/0/base/joint: error: unknown" "$TACT" check "$work/scene.json"
scene '"fit": 3'
check "no text" says 2 "/robots/0/fit" "$TACT" check "$work/scene.json"
scene '"fit": "box", "density": -1'
check "a wrong density" says 2 "/robots/0/density" "$TACT" check "$work/scene.json"
"$TACT" import "$arm" --fit box >"$work/package/robot/arm.json" 2>/dev/null
scene '"file_": 1'
sed -i 's/arm.urdf", "file_": 1/arm.json", "fit": "box"/' "$work/scene.json"
check "not of a robot file" says 2 "for robots in URDF" "$TACT" check "$work/scene.json"
scene '"fit": "box"'
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/viewer.html"
page() {
    TACT_VIEWER="$work/viewer.html" "$TACT" view "$work/scene.json" --no-open -o "$work/page.html" 2>"$work/said" && grep -qF '\"type\": \"box\", \"size\": [0.2' "$work/page.html" ||
        { cat "$work/said"; return 1; }
}
check "the page has the shapes" page

data=../shared/data/urdf
if [ -d "$data" ]; then
    tips() { # FILE COUNT KIND...: so many shapes are fitted
        file=$1 wanted=$2
        shift 2
        for kind; do
            "$TACT" import "$data/$file" --fit "$kind" >"$work/answer" 2>"$work/said" || { cat "$work/said"; return 1; }
            got=$(sed -n "s/: $kind of .* round.*//p" "$work/said" | grep -o '"[^"]*"' | wc -l)
            [ "$got" -eq "$wanted" ] || { echo "$kind: $got, wanted $wanted"; cat "$work/said"; return 1; }
        done
    }
    check "Allegro" tips allegro_hand/allegro_hand_right.urdf 4 sphere capsule box
    check "LEAP" tips leap_hand/leap_hand_right.urdf 4 sphere capsule box
    check "UR5e" tips ur5e/ur5e.urdf 7 sphere capsule box
    hulls() {
        "$TACT" import "$data/ur5e/ur5e.urdf" --fit hull >"$work/answer" 2>"$work/said" || { cat "$work/said"; return 1; }
        # none lies farther outside than 10 mm, of links that are up to half a metre long
        sed -n 's/.*lie up to \([^ ]*\) m outside/\1/p' "$work/said" | awk '{ n++; bad += $1 > 0.01 } END { exit !(n == 7 && !bad) }' ||
            { cat "$work/said"; return 1; }
    }
    if [ "$REAL" = float ]; then
        echo "skipped: hulls of UR5e's meshes (of double only)"
    else
        check "hulls" hulls
    fi
    # the tip is half a ball of 12 mm on a cylinder
    check "the tip is a capsule to 0.1 mm" sh -c "'$TACT' import '$data/allegro_hand/allegro_hand_right.urdf' --fit capsule 2>&1 >/dev/null | grep -q '(4 alike).* radius 0.012 m .* up to 2.3[0-9]*e-5 m below'"
else
    echo "skipped: ../shared/data/urdf is not there"
fi
test_end import_fit
