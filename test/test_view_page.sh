#!/bin/sh
# SPDX-License-Identifier: MIT
# What tact view puts into the page: robots of URDF, meshes and what becomes of bad ones, long runs. A stand-in takes the place of
# the page, which make test-viewer tests.
. test/test.sh
LC_ALL=C
export LC_ALL
scenes=data/scenes
printf '<p>\n<script type="application/json" id="tact-data">null</script>\n</p>\n' >"$work/page.html"
export TACT_VIEWER="$work/page.html"
view() { "$TACT" view --no-open "$@"; }

if ! command -v python3 >/dev/null; then
    echo "skipped: the data of the page are read by python3"
    test_end view_page
    exit
fi
cat >"$work/make.py" <<'END'
# a finger of two links with visual meshes, as URDF in a package, and meshes in each format
import math, os, struct, sys
work = sys.argv[1]
package = f"{work}/ws/finger_description"
for folder in ("urdf", "meshes"):
    os.makedirs(f"{package}/{folder}")
os.makedirs(f"{work}/ws/other/meshes")
def box(x, y, z):
    corner = lambda i: tuple(((i >> k & 1) - .5) * s for k, s in enumerate((x, y, z)))
    faces = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return [[corner(f[i]) for i in pick] for f in faces for pick in ((0, 1, 2), (0, 2, 3))]
def ball(rings, around, radius):
    at = lambda i, j: tuple(radius * x for x in (math.sin(math.pi * i / rings) * math.cos(2 * math.pi * j / around),
                            math.sin(math.pi * i / rings) * math.sin(2 * math.pi * j / around), math.cos(math.pi * i / rings)))
    return [t for i in range(rings) for j in range(around) for t in ([at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)])]
def binary(path, triangles):
    with open(path, "wb") as f:
        f.write(bytes(80) + struct.pack("<I", len(triangles)))
        for t in triangles:
            f.write(struct.pack("<12f", 0, 0, 0, *[x for p in t for x in p]) + b"\0\0")
def words(path, triangles):
    with open(path, "w") as f:
        f.write("solid x\n")
        for t in triangles:
            f.write("facet normal 0 0 0\nouter loop\n" + "".join("vertex %g %g %g\n" % p for p in t) + "endloop\nendfacet\n")
        f.write("endsolid x\n")
binary(f"{package}/meshes/link.stl", box(20, 20, 100))
words(f"{package}/meshes/tip.stl", box(.02, .02, .1))
binary(f"{package}/meshes/ball.stl", ball(150, 200, .03))
binary(f"{work}/ws/other/meshes/far.stl", box(1, 1, 1))
binary(f"{work}/outside.stl", box(1, 1, 1))
with open(f"{package}/meshes/cut.stl", "wb") as f:
    f.write(open(f"{package}/meshes/link.stl", "rb").read()[:300])
with open(f"{package}/meshes/huge.stl", "wb") as f:
    f.write(bytes(80) + b"\xff\xff\xff\xff" + bytes(50))
binary(f"{package}/meshes/nan.stl", [[(0, 0, 0), (1, 0, 0), (1, math.nan, 0)]])
os.truncate(os.open(f"{package}/meshes/large.stl", os.O_CREAT | os.O_WRONLY), 1 << 31)
os.symlink(f"{work}/outside.stl", f"{package}/meshes/link_out.stl")
os.symlink("link.stl", f"{package}/meshes/link_in.stl")
os.mkfifo(f"{package}/meshes/pipe.stl")
os.mkdir(f"{package}/meshes/folder.stl")
def link(name, mesh, more=""):
    return f"""<link name="{name}"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 0.05" rpy="0 0 0"/><geometry><mesh filename="{mesh}" {more}/></geometry></visual>
<collision><origin xyz="0 0 0.1"/><geometry><sphere radius="0.01"/></geometry></collision></link>"""
def robot(first, second, more=""):
    return f"""<robot name="finger">{link("lower", first, 'scale="0.001 0.001 0.001"')}{link("upper", second, more)}
<joint name="bend" type="revolute"><parent link="lower"/><child link="upper"/><origin xyz="0 0 0.1"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robong>""".replace("robong", "robot")
def scene(name, first, second, more=""):
    open(f"{package}/urdf/{name}.URDF", "w").write(robot(first, second, more))
    open(f"{work}/{name}.json", "w").write("""{"tact":1,"robots":[{"file":"ws/finger_description/urdf/%s.URDF","prefix":"r_"}],
"bodies":[{"name":"ball","parent":"world","mass":0.2,"joint":{"name":"ball","type":"translation"},"meshes":[{"file":"ws/finger_description/meshes/ball.stl","rpy":[0,0,1]}]}],
"shapes":[{"name":"ball","body":"ball","type":"sphere","radius":0.03},{"name":"floor","body":"world","type":"plane","offset":-0.1}],
"pairs":"auto","mu":0.5,"drives":[{"joint":"r_bend","stiffness":1}],"state":{"q":{"ball":[0,0.05,0.2]}}}""" % name)
open(f"{package}/package.xml", "w").write("<package/>")
# a folder that only has the name, as that of a user above all files
scene("user", "../meshes/link.stl", "package://ws/finger_description/meshes/tip.stl")
scene("good", "package://finger_description/meshes/link.stl", "../meshes/tip.stl", 'scale="1 1 1.5"')
scene("links", "package://finger_description/meshes/link_in.stl", "../meshes/link_out.stl")
for name in "missing cut huge nan large pipe folder".split():
    scene(name, "../meshes/link.stl", f"../meshes/{name}.stl")
scene("format", "../meshes/link.stl", "../meshes/link.off")
scene("broken_xml", "../meshes/link.stl", "../meshes/link.dae")
scene("other", "../meshes/link.stl", "package://other/meshes/far.stl")
END
cat >"$work/data.py" <<'END'
import base64, json, re, struct, sys
work, name, what = sys.argv[1:]
data = json.loads(re.search(r'id="tact-data">(.*)</script>', open(f"{work}/{name}.html").read(), re.S).group(1))
meshes = data.get("meshes")
def points(surface):
    raw = base64.b64decode(surface["points"])
    k = struct.unpack(f"<{len(raw) // 2}H", raw)
    return [tuple(surface["low"][j] + surface["step"][j] * k[i + j] for j in range(3)) for i in range(0, len(k), 3)]
def triangles(surface):
    raw = base64.b64decode(surface["triangles"])
    k = struct.unpack(f"<{len(raw) // 2}H", raw)
    return [k[i:i + 3] for i in range(0, len(k), 3)]
def steps():
    return [json.loads(line)["step"] for line in data["trace"].rstrip("\n").split("\n")[1:]]
exec(what)
END
data() { python3 "$work/data.py" "$work" "$@"; }
python3 "$work/make.py" "$work"

check "a robot of URDF with meshes" view "$work/good.json" -o "$work/good.html"
cp "$work/output" "$work/said"
check "nothing is warned of" sh -c "! grep -q mesh '$work/said'"
check "the robot is JSON in the page" data good 'assert "r_" not in json.loads(data["files"][[f for f in data["files"] if f.endswith(".URDF")][0]])["bodies"][0]["name"]'
check "three surfaces for three bodies" data good 'assert [b["body"] for b in meshes["bodies"]] == ["r_lower", "r_upper", "ball"] and len(meshes["surfaces"]) == 3 and meshes["notes"] == []'
check "where the file says, as large as it says" data good 'l, u, b = meshes["bodies"]
near = lambda x, y: all(abs(a - b) < 1e-7 * (1 + abs(b)) for a, b in zip(x, y))
assert near(l["p"], [0, 0, .05]) and near(l["scale"], [.001] * 3) and near(u["scale"], [1, 1, 1.5]) and near(b["R"][3:4], [.8414709848])'
check "the box has its eight corners" data good 'p = points(meshes["surfaces"][0])
assert len(p) == 8 and len(triangles(meshes["surfaces"][0])) == 12
assert all(abs(abs(x) - w) < 1e-9 for q in p for x, w in zip(q, (10, 10, 50)))'
check "the ball is coarser, and still the ball" data good 's = meshes["surfaces"][2]
assert 8000 < len(triangles(s)) <= 24000 and all(abs(sum(x * x for x in p) ** .5 - .03) < 6e-4 for p in points(s))'
check "the page is small" sh -c "[ \$(wc -c <'$work/good.html') -lt 400000 ]"
check "the same twice" sh -c "cp '$work/good.html' '$work/again.html' && '$TACT' view '$work/good.json' -o '$work/good.html' --no-open && cmp '$work/good.html' '$work/again.html'"

told() { # SCENE TEXT: made all the same, with a message; the first body's mesh is there, the second's is not
    says 0 "$2" view "$work/$1.json" -o "$work/$1.html" && grep -q "drawn as limbs" "$work/said" &&
        data "$1" 'assert [b["body"] for b in meshes["bodies"]] == ["r_lower", "ball"] and len(meshes["notes"]) == 1'
}
check "a link within the package, and one out of it" told links 'link_out.stl": outside the package root'
check "a mesh that is not there" told missing "No such file"
check "a mesh that is cut off" told cut "says 12 triangles, and is of 300 bytes"
check "2^32 triangles" told huge "says 4294967295 triangles"
check "a corner that is not a number" told nan "triangle 1 has a corner that is not finite"
check "2 GiB" told large "larger than the limit of 67108864"
check "a pipe" told pipe "not a regular file"
check "a folder" told folder "is a directory"
for name in off dae; do echo x >"$work/ws/finger_description/meshes/link.$name"; done
check "another format" told format "not a mesh of a known format (.stl, .obj, .ply or .dae)"
check "a COLLADA file that is none" told broken_xml "link.dae:1:1: /: "
check "another package" told other "no folder above the robot file has the package's name"
check "a folder's name is no package" told user "no folder above the robot file has the package's name and a package.xml"
check "another package, where it is said to be" view "$work/other.json" --packages "$work/ws" -o "$work/other.html"
check "its mesh is there" data other 'assert len(meshes["bodies"]) == 3 and meshes["notes"] == []'
check "a robot file of the same" sh -c "'$TACT' import '$work/ws/finger_description/urdf/good.URDF' >'$work/ws/finger_description/urdf/good.json'"
sed 's/good.URDF/good.json/' "$work/good.json" >"$work/imported.json"
check "shows the same" sh -c "'$TACT' view '$work/imported.json' -o '$work/imported.html' --no-open"
check "the same meshes" data imported "other = json.loads(re.search(r'id=\"tact-data\">(.*)</script>', open(f'{work}/good.html').read(), re.S).group(1))
assert meshes == other['meshes']"
check "runs do not know them" sh -c "'$TACT' run '$work/good.json' --steps 20 --quiet --trace '$work/a.jsonl' && '$TACT' run '$work/missing.json' --steps 20 --quiet --trace '$work/b.jsonl' && sed 's/\"good\"/\"missing\"/' '$work/a.jsonl' | cmp - '$work/b.jsonl'"

# traces
"$TACT" run $scenes/ball_drop.json --steps 100 --quiet --trace "$work/run.jsonl" 2>/dev/null
check "a trace" view "$work/run.jsonl" -o "$work/run.html"
check "all of it, no scene" data run 'assert steps() == list(range(101)) and "scene" not in data'
check "every 30th step and the last" view "$work/run.jsonl" --every 30 -o "$work/run.html"
check "are there" data run 'assert steps() == [0, 30, 60, 90, 100]'
check "with its scene" view "$work/run.jsonl" --scene $scenes/ball_drop.json -o "$work/run.html"
check "which is there" data run "assert data['files'][data['scene']] == open('$scenes/ball_drop.json').read() and meshes['bodies'] == [] and steps()[100] == 100"
check "--scene goes with a trace" says 4 "go with a trace" view $scenes/ball_drop.json --scene $scenes/ball_drop.json -o "$work/none.html"
check "--every 0" says 4 "must be a whole number" view "$work/run.jsonl" --every 0 -o "$work/none.html"
check "a scene that is none" says 2 "unknown key" sh -c "sed 's/gravity/grafity/' $scenes/ball_drop.json >'$work/bad.json'; '$TACT' view '$work/run.jsonl' --scene '$work/bad.json' -o '$work/none.html'"
check "nothing was written" sh -c "[ ! -e '$work/none.html' ]"
# a long run: more than 32 MiB of lines; too long a test for sanitizers
[ -n "${SAN:-}" ] && { test_end view_page; exit; }
awk 'NR == 1 { print; next } { step[NR] = $0; n = NR } END { for (k = 0; k < 1300; k++) for (i = 2; i <= n; i++) print step[i] }' "$work/run.jsonl" >"$work/long.jsonl"
check "a long run is thinned, and this is told" says 0 "1 of 2 of the 131300 steps" view "$work/long.jsonl" -o "$work/long.html"
check "to less than 32 MiB" data long 'assert 65650 <= len(data["trace"].split("\n")) - 2 <= 65651 and len(data["trace"]) < 1 << 25'
test_end view_page
