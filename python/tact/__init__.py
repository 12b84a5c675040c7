# SPDX-License-Identifier: MIT
"""Tact: many worlds of one scene, stepped by threads and vector lanes, with gradients through contact.

    >>> import tact
    >>> w = tact.Worlds("data/scenes/lesson.json", n=3)
    >>> status = w.step()
    >>> w.q.shape == (3, w.nq)
    True

Arrays are NumPy's where NumPy is installed, views without copies; otherwise memoryviews.
"""
import array
import collections
import collections.abc
import difflib
import json
import operator
import os
import warnings

from tact import _tact
from tact._tact import SceneError

try:
    import numpy
except ImportError:
    numpy = None

__version__ = _tact.version
__all__ = ["Worlds", "SceneError", "SceneWarning", "scenes", "Pulled", "Plan", "Mpc", "plan", "interpolate", "view", "status_name"]

_COORDINATE, _DOF, _COMMAND, _BODY, _SHAPE, _PAIR = range(6)
_Q, _V, _LAMBDA, _ANCHOR, _TIME, _U, _POSE, _GAP, _POINT, _NORMAL, _FORCE, _TOUCH = range(12)

Pulled = collections.namedtuple("Pulled", "u q v parameters status kinks")
Pulled.__doc__ = "What Worlds.pullback gives: the gradient by commands, by where the worlds begin, and by parameters."


class SceneWarning(UserWarning):
    """What a scene says that its writer hardly meant: FILE:LINE:COL: /json/path: warning: reason."""


_STATUS = {
    0: "converged",
    1: "iteration_limit",
    2: "stationary",
    3: "ambiguous",
    4: "held",
    -1: "infeasible",
    -2: "singular",
    -3: "bad_input",
    -4: "no_memory",
    -5: "undecided",
    -6: "unsolvable",
    -7: "ray",
}


def status_name(status):
    """The name of a status, as in traces.

    >>> tact.status_name(-1)
    'infeasible'
    """
    return _STATUS.get(_whole("status", status), "unknown")


def _new(shape, kind="d"):
    """An array of zeros: float64, or int32 with the kind "i"."""
    if numpy:
        return numpy.zeros(shape, dtype=numpy.float64 if kind == "d" else numpy.int32)
    count = 1
    for size in shape:
        count *= size
    if count == 0:
        raise ValueError("arrays without items need NumPy")
    flat = memoryview(bytearray(count * (8 if kind == "d" else 4)))
    return flat.cast(kind, shape)


def _only(array):
    """The array of the only world, without the first axis."""
    # memoryviews have no rows
    return array[0] if numpy else array.cast("B").cast(array.format, array.shape[1:])


def _text(name, value, wanted="a string"):
    """A string that can be given to the library."""
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected {wanted}, found {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{name}: expected {wanted}, found a null character in it")
    if any("\ud800" <= x <= "\udfff" for x in value):
        raise ValueError(f"{name}: expected {wanted}, found a character that is not in Unicode: {value!r}")
    return value


def _folder(folder):
    if isinstance(folder, os.PathLike):
        folder = os.fsdecode(folder)
    return None if folder is None else _text("folder", folder, "a string or None")


def _path(path):
    path = _text("path", path, 'a string as "bodies.ball.mass"')
    if "=" in path:
        raise ValueError(f'path: expected a string as "bodies.ball.mass", found an "=" in {path!r}')
    return path


def _whole(name, value):
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found {type(value).__name__}") from None


_KINDS = {"b": "true or false", "c": "complex numbers", "U": "text", "S": "bytes", "M": "dates", "m": "times", "V": "records"}


def _spread(name, values, shape):
    """Values as float64 that numpy spreads over a shape."""
    try:
        kind = numpy.asarray(values).dtype.kind
    except ValueError:
        kind = "O"
    except RuntimeError as reason:
        # a tensor that is part of a graph
        raise TypeError(f"{name}: expected numbers: {reason}") from None
    if kind not in "iuf":
        found = _KINDS.get(kind, "objects")
        if kind == "O" and not isinstance(values, (list, tuple, numpy.ndarray)):
            found = type(values).__name__
        raise TypeError(f"{name}: expected numbers, found {found}; numbers are spread over the shape {tuple(shape)}")
    try:
        spread = numpy.broadcast_to(numpy.asarray(values, dtype=numpy.float64), shape)
    except (TypeError, ValueError):
        found = getattr(values, "shape", None) or type(values).__name__
        raise ValueError(f"{name}: expected numbers that can be spread over the shape {tuple(shape)}, found {found}") from None
    if not numpy.isfinite(spread).all():
        raise ValueError(f"{name}: expected finite numbers, found {spread[~numpy.isfinite(spread)][0]}")
    return spread


_SCENES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "scenes")


def scenes():
    """Names of the scenes that come along.

    >>> "hand_lift" in tact.scenes()
    True
    """
    return sorted(name[:-5] for name in os.listdir(_SCENES) if name.endswith(".json")) if os.path.isdir(_SCENES) else []


def _shipped(scene):
    """The path of a scene that comes along, where a name is no file here."""
    if scene.lstrip()[:1] == "{" or os.sep in scene or os.path.exists(scene):
        return scene
    here = os.path.join(_SCENES, scene)
    found = next((path for path in (here, here + ".json") if os.path.isfile(path)), None)
    if found is None:
        near = difflib.get_close_matches(scene.removesuffix(".json"), scenes(), 1)
        if near:
            raise SceneError(f"{scene}: No such file or directory (did you mean {near[0]}, which comes along?)")
    return found or scene


def _scene(scene):
    """The path or the text of a scene, which may be given as a dict."""
    if isinstance(scene, collections.abc.Mapping):
        scene = _json("scene", scene)
    return _shipped(_text("scene", os.fsdecode(scene) if isinstance(scene, (bytes, os.PathLike)) else scene, "a path or the text of a scene"))


def _json(name, value):
    """JSON of a value, in which arrays are lists."""

    def lists(x):
        if not hasattr(x, "tolist"):
            raise TypeError(f"{name}: expected numbers, strings, lists and dicts, found {type(x).__name__}")
        return x.tolist()

    try:
        return json.dumps(value, default=lists, allow_nan=False)
    except (ValueError, RecursionError) as reason:
        # of numbers, where JSON has neither NaN nor infinity
        wanted = "finite numbers" if str(reason).startswith("Out of range float") else "numbers"
        raise ValueError(f"{name}: expected {wanted}, strings, lists and dicts: {reason}") from None
    except TypeError as reason:
        # of keys; a reason of ours names what it is about
        raise reason if str(reason).startswith(name) else TypeError(f"{name}: {reason}") from None


def _settings(given):
    """Settings of a scene as a list of "path=value"."""
    if isinstance(given, collections.abc.Mapping):
        given = [f"{path}={_json(path if isinstance(path, str) else 'set', x)}" for path, x in given.items()]
    if given is not None and (isinstance(given, (str, bytes)) or not isinstance(given, collections.abc.Iterable)):
        raise TypeError(f'set: expected a list of "path=value", or a dict, found {type(given).__name__}')
    return [_text("set", x, 'strings "path=value"') for x in given or ()]


def _array(view):
    return numpy.asarray(view) if numpy else memoryview(view)


def _check_name(thing, name, hint=""):
    """A misspelt w.mass = 3 would do nothing. Classes that are derived may have attributes of their own."""
    own = type(thing).__module__.split(".")[0] == "tact"
    if own and not name.startswith("_") and not hasattr(type(thing), name):
        raise AttributeError(f'{type(thing).__name__} has no attribute "{name}"{hint}')


class Worlds(_tact.Worlds):
    """n worlds of a scene.

    scene: the path of a scene, its JSON text or a dict of that; a name like "hand_lift" that is no file is one of scenes().
    n: how many worlds; threads: that step them, 0 for as many as there are processors; law: instead of the scene's; set: a list of
    "path=value", as the command's --set, or a dict; folder: where the robots' files of a text are; lanes: how many scenes the vector
    registers hold, 0 for the most.

    Whatever threads and lanes are, every world gets the same bits. A SceneError names file, line and reason; a SceneWarning what
    the scene says that its writer hardly meant. Ctrl-C ends a long call: worlds stay after the last step that each has made.

    >>> with tact.Worlds("data/scenes/lesson.json", set=["options.kappa=200"]) as w:
    ...     w.n, w.law
    (1, 'barrier')
    """

    def __init__(self, scene, n=1, threads=0, law=None, set=None, folder=None, lanes=0):
        self._open(scene, n, threads, law, set, folder, lanes)
        self._tell(3)

    def _open(self, scene, n=1, threads=0, law=None, set=None, folder=None, lanes=0):
        n, threads, lanes = _whole("n", n), _whole("threads", threads), _whole("lanes", lanes)
        for name, x, low, high in (("n", n, 1, 10**8), ("threads", threads, 0, 256), ("lanes", lanes, 0, 64)):
            if not low <= x <= high:
                raise ValueError(f"{name}: expected {low} to {high}, found {x}")
        law = None if law is None else _text("law", law, "a string or None")
        folder = _folder(folder)
        text, set = _scene(scene), _settings(set)
        _tact.Worlds.__init__(self, text, n, threads, law, set, folder, lanes)
        given = text.lstrip()[:1] == "{"
        self._origin = (text, n, law, set, os.path.abspath(folder or ".") if given else os.path.dirname(os.path.abspath(text)))
        self._copies = {}  # of tact.jax
        self._bind(_new((n,), "i"))

    def _tell(self, level):
        """Warns of what the scene hardly means, at the line of so many callers up."""
        for text in self._warnings():
            warnings.warn(text, SceneWarning, level)

    def __setattr__(self, name, value):
        _check_name(self, name, '; parameters are set by path: w["bodies.ball.mass"] = 0.5')
        super().__setattr__(name, value)

    # ---- states

    q = property(lambda self: _array(self._view(_Q)), lambda self, x: self._assign(_Q, x), doc="(n, nq) coordinates, a view")
    v = property(lambda self: _array(self._view(_V)), lambda self, x: self._assign(_V, x), doc="(n, nv) velocities, a view")
    u = property(lambda self: _array(self._view(_U)), lambda self, x: self._refuse_u(), doc="(n, nu) commands of the last step, a view")
    time = property(lambda self: _array(self._view(_TIME)), lambda self, x: self._assign(_TIME, x), doc="(n,) [s], a view")
    reaction = property(lambda self: _array(self._view(_LAMBDA)), doc="(n, npair, 3) forces along the contact frame [N], a view")
    anchor = property(lambda self: _array(self._view(_ANCHOR)), doc="(n, npair, 3) stored displacements [m], a view")

    # ---- contacts of the last step, of steps since the first time that one of these was asked for

    _watched = False

    gap = property(lambda self: self._contacts(_GAP), doc="(n, npair) [m], infinite where there is no contact")
    point = property(lambda self: self._contacts(_POINT), doc="(n, npair, 3) in the world [m]")
    normal = property(lambda self: self._contacts(_NORMAL), doc="(n, npair, 3) from a to b")
    force = property(lambda self: self._contacts(_FORCE), doc="(n, npair, 3) on b, in the world [N]")
    touch = property(lambda self: self._contacts(_TOUCH), doc="(n, npair, 2) numbers in shapes of a and b of each pair; of pairs that every step finds those of that step, else -1")
    pose = property(lambda self: _array(self._view(_POSE)), doc="(n, nbody, 12) rotation row by row, position: where bodies are")

    def _contacts(self, what):
        if not self._watched and bool((self.time != 0).any() if numpy else any(self.time)):
            warnings.warn("contacts are taken down from now on: these are those of no step yet; look at them once before stepping", RuntimeWarning, 3)
        self._watched = True
        return _array(self._view(what))

    # ---- names

    names = property(lambda self: self._names(_COORDINATE), doc="of the coordinates, in the order of q")
    dofs = property(lambda self: self._names(_DOF), doc="in the order of v")
    driven = property(lambda self: self._names(_COMMAND), doc="in the order of u")
    bodies = property(lambda self: self._names(_BODY), doc="names of the bodies")
    shapes = property(lambda self: self._names(_SHAPE), doc="names of the shapes")
    pairs = property(lambda self: self._names(_PAIR), doc="names of the pairs, a:b")

    @property
    def limits(self):
        """(nv, 2) limits of the coordinates of the dofs, infinite where there is none, a copy.

        >>> w = tact.Worlds("hand_lift")
        >>> w.limits.shape == (w.nv, 2)
        True
        """
        limits = _new((self.nv, 2))
        for i, (low, high) in enumerate(self._limits()):
            limits[i, 0], limits[i, 1] = low, high
        return limits

    def _assign(self, what, values):
        if not numpy:
            raise TypeError("assigning whole arrays needs NumPy")
        view = _array(self._view(what))
        view[...] = _spread({_Q: "q", _V: "v", _TIME: "time"}[what], values, view.shape)

    def _refuse_u(self):
        raise AttributeError("u: shows the commands of the last step; give those of the next one to step(u)")

    def reset(self, first=0, count=None):
        """Puts worlds back to the scene's state: count of them from the first on, all that follow it by default.

        One world i alone is reset(i, 1); a list of indices, or an array of n bools, names several: w.reset(w.status < 0). Their
        contacts are those of no step.

        >>> w = tact.Worlds("data/scenes/lesson.json", 2)
        >>> _ = w.step(steps=5)
        >>> w.reset()
        >>> float(w.time[1])
        0.0
        """
        if getattr(first, "ndim", 0) > 1:
            raise TypeError(f"first: expected the index of a world, a list of them or a bool for each world, found an array of shape {tuple(first.shape)}")
        if getattr(first, "ndim", 0) == 1 or isinstance(first, (list, tuple)):
            if count is not None:
                raise TypeError("count: expected None with a list of worlds")
            for i in self._listed(first):
                self.reset(i, 1)
            return
        if type(first).__name__ in ("bool", "bool_"):
            raise TypeError("first: expected the index of a world, a list of them or a bool for each world, found one bool")
        first = _whole("first", first)
        if count is None and not 0 <= first <= self.n:
            raise ValueError(f"first: expected a world of 0 to {self.n - 1}, found {first}")
        count = self.n - first if count is None else _whole("count", count)
        if first < 0 or count < 0 or first + count > self.n:
            raise ValueError(f"first, count: expected worlds of 0 to {self.n - 1}, found {first}, {count}")
        self._reset(first, count)
        for i in range(first, first + count):
            self.status[i] = 0

    def _listed(self, which):
        """Indices of worlds, or as many bools as there are worlds, as a list of indices."""
        if numpy:
            which = numpy.asarray(which).tolist()
        if which and all(isinstance(x, bool) for x in which):
            if len(which) != self.n:
                raise ValueError(f"first: expected {self.n} bools, one for each world, found {len(which)}")
            return [i for i, x in enumerate(which) if x]
        return [_find_world(self, i) for i in which]

    def close(self):
        """Gives the memory back, as soon as no view shows it.

        >>> w = tact.Worlds("data/scenes/lesson.json")
        >>> w.close()
        >>> w.closed
        True
        """
        for copy in getattr(self, "_copies", {}).values():
            copy.close()
        super().close()

    def __enter__(self):
        if self.closed:
            raise ValueError("the worlds are closed")
        return self

    def __exit__(self, *reason):
        self.close()

    def __len__(self):
        return self.n

    def __iter__(self):
        raise TypeError("worlds are not iterated: w.q[i] and the like are those of world i")

    def __repr__(self):
        if self.closed:
            return "<tact.Worlds, closed>"
        return f"<tact.Worlds: {self.n} of {self.nq} coordinates, {self.nu} commands, {self.npair} pairs, law {self.law}>"

    # ---- parameters

    def __getitem__(self, path):
        """The number of each world at a path, as of --set.

        >>> w = tact.Worlds("data/scenes/lesson.json", 2)
        >>> w["options.kappa"] = [100, 200]
        >>> w["options.kappa"].tolist()
        [100.0, 200.0]
        """
        values = _new((self.n,))
        self._get(_path(path), values)
        return values

    def __setitem__(self, path, values):
        """Gives each world a number of its own, or all of them one, at a path as of --set.

        >>> w = tact.Worlds("data/scenes/lesson.json", 2)
        >>> w["options.kappa"] = 150
        """
        if isinstance(values, str):
            raise TypeError(f"{path}: expected numbers, found {values!r}: text is of new worlds, tact.Worlds(scene, set=[{f'{path}={values}'!r}])")
        if numpy:
            values = numpy.ascontiguousarray(_spread(_path(path), values, (self.n,)))
        elif isinstance(values, (int, float)):
            values = array.array("d", [values] * self.n)
        elif isinstance(values, (list, tuple)):
            values = array.array("d", values)
        said = self._set(_path(path), values)
        if said:
            warnings.warn(said, SceneWarning, 2)

    # ---- derivatives

    def linearise(self, u=None, forces=False):
        """A (n, nx, nx) and B (n, nx, nu) of the step that u would make: of x = q in the tangent space, and where velocities
        count (nx = 2 nv) then v. With forces also C (n, 3 npair, nx) and D (n, 3 npair, nu). The states stay.

        >>> w = tact.Worlds("data/scenes/lesson.json")
        >>> A, B = w.linearise()
        >>> A.shape == (1, w.nx, w.nx)
        True
        """
        n, nx, nu, rows = self.n, self.nx, self.nu, 3 * self.npair
        A, B = _new((n, nx, nx)), _new((n, nx, nu))
        C, D = (_new((n, rows, nx)), _new((n, rows, nu))) if forces else (None, None)
        status = _new((n,), "i")
        self._linearise(u, A, B, C, D, status, None)
        for i in range(n):
            if status[i] < 0:
                raise ArithmeticError(f"world {i}: the step has no derivative: {status_name(status[i])}")
        return (A, B, C, D) if forces else (A, B)

    def _run(self, u):
        """Commands as (n, N, nu), and N; a single world's may be (N, nu)."""
        try:
            view = memoryview(u)
        except (TypeError, ValueError, BufferError):
            raise ValueError(f"u: expected a C-ordered array of float64 with shape ({self.n}, N, {self.nu}), found {type(u).__name__}") from None
        shape = view.shape
        fits = len(shape) in (2, 3) and shape[-1] == self.nu and (shape[0] if len(shape) == 3 else 1) == self.n
        if not fits:
            raise ValueError(f"u: expected a C-ordered array of float64 with shape ({self.n}, N, {self.nu}), found {shape}")
        return shape[-2], len(shape) == 2

    def rollout(self, u, q=None, v=None, velocities=False):
        """Steps from where the worlds are, or from q and v, without moving them: coordinates (n, N + 1, nq) and forces
        (n, N, npair, 3) along the contact frames; with velocities also those. A single world's u may be (N, nu); then the
        results have no first axis. The contact forces that a solver would begin with are taken as none: the result depends on q,
        v and u only. A world without an answer stays where it was; see status.

        >>> w = tact.Worlds("data/scenes/lesson.json")
        >>> q, force = w.rollout(w.u.reshape(1, -1).repeat(10, axis=0))
        >>> q.shape == (11, w.nq), force.shape == (10, w.npair, 3)
        (True, True)
        """
        N, single = self._run(u)
        path = _new((self.n, N + 1, self.nq))
        force = _new((self.n, N, self.npair, 3))
        speed = _new((self.n, N + 1, self.nv)) if velocities else None
        self._rollout(N, u, q, v, path, speed, force, self.status)
        results = (path, force, speed) if velocities else (path, force)
        return tuple(map(_only, results)) if single else results

    def pullback(self, u, q_bar=None, force_bar=None, v_bar=None, q=None, v=None, parameters=()):
        """The reverse of rollout: given dL by its results, dL by u, by q and v where it begins, and by the numbers of the scene
        at the paths in parameters, (paths, n). u (n, nu) is a single step. A world without a gradient has zeros and a negative
        status; kinks counts steps at which it holds to one side.

        >>> import numpy
        >>> w = tact.Worlds("data/scenes/lesson.json")
        >>> u = w.u.reshape(1, -1).repeat(10, axis=0)
        >>> bars = w.pullback(u, q_bar=numpy.ones((11, w.nq)), parameters=["options.kappa"])
        >>> bars.u.shape == u.shape, bars.parameters.shape
        (True, (1, 1))
        """
        if numpy and self.n > 1 and getattr(u, "shape", None) == (self.n, self.nu):
            u = numpy.asarray(u)[:, None, :]
        if isinstance(parameters, str) or not isinstance(parameters, collections.abc.Sequence):
            raise TypeError(f"parameters: expected a list of paths, found {type(parameters).__name__}")
        N, single = self._run(u)
        if q_bar is None and force_bar is None and v_bar is None:
            raise ValueError("q_bar, v_bar, force_bar: expected one of them at least, dL by what rollout returns; all gradients are 0 without")
        u_bar, q0_bar = _new((self.n, N, self.nu)), _new((self.n, self.nq))
        v0_bar = _new((self.n, self.nv))
        by = _new((len(parameters), self.n)) if len(parameters) > 0 else None
        status, kinks = _new((self.n,), "i"), _new((self.n,), "i")
        self._pullback(N, u, q, v, q_bar, v_bar, force_bar, u_bar, q0_bar, v0_bar, by, status, kinks, list(parameters))
        if single:
            u_bar, q0_bar, v0_bar = map(_only, (u_bar, q0_bar, v0_bar))
        return Pulled(u_bar, q0_bar, v0_bar, by, status, kinks)

    # what other libraries call it
    def __getattr__(self, name):
        here = {"qpos": "q", "qvel": "v", "ctrl": "u", "contacts": "gap, point, normal, force of pairs", "positions": "pose", "xpos": "pose", "dt": 'w["options.dt"]', "timestep": 'w["options.dt"]'}
        hint = f" (here it is {here[name]})" if name in here else ""
        raise AttributeError(f"'Worlds' object has no attribute {name!r}{hint}", name=name, obj=self)

    # ---- copies

    def __reduce__(self):
        text, paths = self.text, self._paths()
        _, n, law, _, folder = self._origin
        values = [list(self[path]) for path in paths]
        own = {name: x for name, x in vars(self).items() if name not in ("_origin", "_copies", "_watched")}
        return _restore, (type(self), text, n, self.threads, law, folder, paths, values, [self.save(i) for i in range(n)]), own or None

    # ---- drawing

    def render(self, world=0, width=480):
        """A drawing of a world as SVG, from the front; planar scenes in their plane.

        >>> tact.Worlds("data/scenes/lesson.json").render()[:4]
        '<svg'
        """
        from tact import _draw

        self.law  # refuses worlds that are closed
        if isinstance(world, str):
            raise TypeError("world: expected a whole number, found str (render returns the drawing: open(name, 'w').write(...))")
        world = _find_world(self, world)
        if not _whole("width", width) > 0:
            raise ValueError(f"width: expected 1 or more, found {width}")
        return _draw.svg(self, world, width)

    def _repr_svg_(self):
        return None if self.closed else self.render()


def _quiet_worlds(*arguments, kind=Worlds, **named):
    """Worlds of a scene that was opened before, and told its warnings then."""
    worlds = kind.__new__(kind)
    worlds._open(*arguments, **named)
    return worlds


def _find_world(worlds, world):
    if not 0 <= _whole("world", world) < worlds.n:
        raise IndexError(f"world {world}: expected 0 to {worlds.n - 1}")
    return world


def _restore(kind, text, n, threads, law, folder, paths, values, states):
    worlds = _quiet_worlds(text, n, threads, law, folder=folder, kind=kind)
    for path, numbers in zip(paths, values):
        worlds[path] = numbers
    for i, state in enumerate(states):
        worlds.load(i, state)
    return worlds


def interpolate(knots, steps):
    """Commands (.., steps, nu) that are linear between knots (.., K, nu), the first and the last of them included. Of a tensor of
    torch the result is one, with its gradient.

    >>> tact.interpolate(numpy.array([[0.0], [2.0]]), 5)[:, 0].tolist()
    [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    if not numpy:
        raise TypeError("interpolate needs NumPy")
    shape = getattr(knots, "shape", None)
    if shape is None or len(shape) < 2:
        raise ValueError(f"knots: expected an array of shape (.., K, nu), found {type(knots).__name__ if shape is None else tuple(shape)}")
    count, steps = shape[-2], _whole("steps", steps)
    if count < 1 or not 1 <= steps <= 10**9:
        raise ValueError(f"knots, steps: expected one knot or more and 1 to 1000000000 steps, found {count} and {steps}")
    tensor = type(knots).__module__.split(".")[0] == "torch"
    kind = "f" if tensor else numpy.asarray(knots).dtype.kind
    if kind not in "iuf":
        raise TypeError(f"knots: expected numbers, found {_KINDS.get(kind, 'objects')}")
    weights = numpy.zeros((steps, count))
    for i in range(steps):
        at = i * (count - 1) / (steps - 1) if steps > 1 else 0.0
        low = min(int(at), max(count - 2, 0))
        weights[i, low] = 1 - (at - low)
        if count > 1:
            weights[i, low + 1] = at - low
    if tensor:
        import torch

        return torch.as_tensor(weights, dtype=knots.dtype) @ knots
    return weights @ knots


def view(worlds, path=None, world=0):
    """Writes a page of its own in which a world can be looked at and stepped on, and shows it in a notebook; see `tact help view`.
    The page comes from `make viewer`.

    >>> tact.view(tact.Worlds("data/scenes/lesson.json"))
    <tact page None>
    """
    from tact import _draw

    if not isinstance(worlds, Worlds):
        raise TypeError(f"worlds: expected tact.Worlds, found {type(worlds).__name__}")
    return _draw.page(worlds, path, _find_world(worlds, world))


def __getattr__(name):
    if name in ("torch", "jax"):
        import importlib

        return importlib.import_module("tact." + name)
    near = difflib.get_close_matches(name, __all__, 1)
    raise AttributeError(f"module 'tact' has no attribute {name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))


from tact._plan import Mpc, Plan, plan  # noqa: E402 (they need what stands above)
