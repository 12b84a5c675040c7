# SPDX-License-Identifier: MIT
"""Drawings of a world as SVG, and pages that hold the viewer."""
import html
import json
import math
import os
import sys
import warnings

# tact_shape_type of include/tact/model.h
SPHERE, PLANE, CAPSULE, BOX, CYLINDER, ELLIPSOID, CIRCLE, RECTANGLE, POLYGON, HALFPLANE = range(10)
HULL = 12
MARK = '<script type="application/json" id="tact-data">null</script>'
AROUND = [(math.cos(k * math.pi / 16), math.sin(k * math.pi / 16)) for k in range(32)]


def _row(view, world):
    # memoryviews have no rows
    return view.tolist()[world] if isinstance(view, memoryview) else view[world].tolist()


def _apply(R, p, x):
    return tuple(sum(R[3 * i + k] * x[k] for k in range(3)) + p[i] for i in range(3))


def _compose(R, p, S, q):
    return [sum(R[3 * i + k] * S[3 * k + j] for k in range(3)) for i in range(3) for j in range(3)], _apply(R, p, q)


def _points(kind, size, corners):
    """Points of which the shape is the convex hull, in its frame, and the radius around them."""
    a, b, c, r = size
    if kind in (SPHERE, CIRCLE):
        return [(0, 0, 0)], a
    if kind == CAPSULE:
        return [(0, 0, -b), (0, 0, b)], a
    if kind == BOX:
        return [(x * (a - r), y * (b - r), z * (c - r)) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], r
    if kind == CYLINDER:
        return [(a * x, a * y, z) for x, y in AROUND for z in (-b, b)], 0
    if kind == ELLIPSOID:
        rings = [(math.cos(t), math.sin(t)) for t in (-1.2, -0.8, -0.4, 0, 0.4, 0.8, 1.2)]
        return [(a * x * w, b * y * w, c * z) for x, y in AROUND for w, z in rings], 0
    if kind == RECTANGLE:
        return [(x * (a - c), y * (b - c), 0) for x in (-1, 1) for y in (-1, 1)], c
    if kind == POLYGON:
        return [(a * x, a * y, 0) for x, y in corners], b
    if kind == HULL:
        return corners, a
    return [], 0


def _hull(points):
    """Corners of the convex hull in the plane, counter-clockwise (Andrew's monotone chain)."""
    points = sorted(set(points))
    half = []
    for row in (points, points[::-1]):
        chain = []
        for x in row:
            while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (x[1] - chain[-2][1]) <= (chain[-1][1] - chain[-2][1]) * (
                x[0] - chain[-2][0]
            ):
                chain.pop()
            chain.append(x)
        half += chain[:-1]
    return half or points


def svg(worlds, world, width):
    poses = _row(worlds.pose, world)
    placed = []
    for body, kind, size, R, p, corners in worlds._shapes():
        if body >= 0:
            R, p = _compose(poses[body][:9], poses[body][9:], R, p)
        placed.append((kind, size, R, p, corners, body))
    # planar scenes in their plane, x to the right; the others from the front
    flat = [R for kind, _, R, _, _, _ in placed if CIRCLE <= kind <= HALFPLANE]
    up = 1 if len(flat) == len(placed) and flat and abs(flat[0][8]) > 0.9 else 2
    outlines, planes = [], []
    for kind, size, R, p, corners, body in placed:
        if kind in (PLANE, HALFPLANE):
            n = [R[2 + 3 * i] if kind == PLANE else R[1 + 3 * i] for i in range(3)]
            planes.append(((p[0], p[up]), (n[0], n[up])))
            continue
        points, radius = _points(kind, size, corners)
        seen = _hull([(x[0], x[up]) for x in (_apply(R, p, point) for point in points)])
        if seen:
            outlines.append((seen, radius, body))
    for pose in poses if not outlines else []:
        outlines.append(([(pose[9], pose[9 + up])], 0.01, 0))
    return _paint(outlines, planes, width)


def _paint(outlines, planes, width):
    xs = [x + s * r for seen, r, _ in outlines for x, _ in seen for s in (-1, 1)]
    ys = [y + s * r for seen, r, _ in outlines for _, y in seen for s in (-1, 1)]
    left, right, low, high = (min(xs), max(xs), min(ys), max(ys)) if xs else (-1, 1, -1, 1)
    margin = 0.1 * max(right - left, high - low, 1e-3)
    left, right, low, high = left - margin, right + margin, low - margin, high + margin
    scale = width / (right - left)
    height = min(scale * (high - low), 2 * width)

    def at(x, y):
        return f"{(x - left) * scale:.2f},{(high - y) * scale:.2f}"

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}" viewBox="0 0 {width} {height:.0f}">']
    far = 2 * (right - left + high - low)
    for (x, y), (nx, ny) in planes:
        length = math.hypot(nx, ny)
        if length < 1e-6:
            continue
        nx, ny = nx / length, ny / length
        # the foot of the picture's middle, so that the line crosses it
        along = (left + right) / 2 * ny - (low + high) / 2 * nx - (x * ny - y * nx)
        x, y = x + along * ny, y - along * nx
        a, b = (x + far * ny, y - far * nx), (x - far * ny, y + far * nx)
        corners = [a, b, (b[0] - far * nx, b[1] - far * ny), (a[0] - far * nx, a[1] - far * ny)]
        out.append(f'<polygon points="{" ".join(at(*c) for c in corners)}" fill="#e4e4e4"/>')
    for seen, radius, body in outlines:
        colour = "#b8b8b8" if body < 0 else "#4c78a8"
        stroke = max(2 * radius * scale, 1)
        style = f'fill="{colour}" fill-opacity="0.75" stroke="{colour}" stroke-width="{stroke:.2f}" stroke-linejoin="round"'
        if len(seen) == 1:
            x, y = at(*seen[0]).split(",")
            out.append(f'<circle cx="{x}" cy="{y}" r="{max(radius * scale, 1.5):.2f}" fill="{colour}" fill-opacity="0.75"/>')
        else:
            out.append(f'<polygon points="{" ".join(at(*c) for c in seen)}" {style}/>')
    return "\n".join(out + ["</svg>"])


def _find_page():
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.path.join(here, "viewer.html"), "build/viewer.html", os.path.join(sys.prefix, "share/tact/viewer.html")]
    given = os.environ.get("TACT_VIEWER")
    for path in [given] if given else places + ["/usr/local/share/tact/viewer.html"]:
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    return None


def _state(worlds, world):
    """The coordinates by joint, as a scene has them."""
    several = {"x", "y", "z", "angle", "qw", "qx", "qy", "qz"}
    state, names = {}, worlds.names
    for name, value in zip(names, _row(worlds.q, world)):
        joint, dot, component = name.rpartition(".")
        if dot and component in several and joint + ".x" in names:
            state.setdefault(joint, []).append(value)
        else:
            state[name] = value
    return state


def _files(worlds, scene):
    """The scene and the robots' files, by name; None when one is not JSON."""
    folder = worlds._origin[4]
    files = {"scene.json": json.dumps(scene)}
    for robot in scene.get("robots", []):
        with open(os.path.join(folder, robot["file"]), encoding="utf-8") as file:
            text = file.read()
        if text.lstrip()[:1] != "{":
            return None
        files[robot["file"]] = text
    return files


class Page:
    """A page on the disk; notebooks show it in a frame."""

    def __init__(self, path, text):
        self.path, self.text = path, text

    def _repr_html_(self):
        return f'<iframe srcdoc="{html.escape(self.text, quote=True)}" width="100%" height="600" style="border:0"></iframe>'

    def __repr__(self):
        return f"<tact page {self.path!r}>"


def page(worlds, path, world):
    template = _find_page()
    if template is None or MARK not in template:
        given = os.environ.get("TACT_VIEWER")
        if given:
            warnings.warn(f"tact.view: TACT_VIEWER={given} is no page of this version, as `make viewer` builds it; nothing is written", stacklevel=3)
            return None
        text = "tact.view: this wheel has no page, and nothing is written: in Tact's sources `make viewer python` builds a wheel that has one"
        warnings.warn(text + " (needs node, npm, clang, lld, wasi-libc); or TACT_VIEWER=FILE names the viewer.html that `make viewer` built", stacklevel=3)
        return None
    scene = json.loads(worlds.text)
    scene["law"] = worlds.law
    scene.setdefault("state", {})["q"] = _state(worlds, world)
    files = _files(worlds, scene)
    if files is None:
        warnings.warn("tact.view: a robot's file is not JSON: `tact import` converts it", stacklevel=3)
        return None
    data = {"scene": "scene.json", "files": files, "law": "", "settings": [], "meshes": []}
    text = json.dumps(data).replace("<", "\\u003c")
    result = Page(path, template.replace(MARK, MARK.replace("null", text)))
    if path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(result.text)
    return result
