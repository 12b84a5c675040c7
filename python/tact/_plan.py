# SPDX-License-Identifier: MIT
"""Plans and model predictive control: commands that bring a body to its goal."""
import array
import collections.abc
import math

import tact
from tact import _tact

_METHODS = ("auto", "ilqr", "lbfgs")
_GOAL = ("body", "position", "orientation", "position_tolerance", "angle_tolerance", "hold")


def _frame(data, *shape):
    """An array over bytes."""
    flat = memoryview(data).cast("d")
    return tact.numpy.asarray(flat).reshape(shape) if tact.numpy else flat.cast("B").cast("d", shape)


def _source(scene, world, given, folder, law):
    """Text or path of a scene, its settings, folder and law; of worlds with the numbers that one of them has."""
    if not isinstance(scene, tact.Worlds):
        text, path = tact._scene(scene), None
        return text, tact._settings(given), tact._folder(folder), law
    if folder is not None:
        raise TypeError("folder: expected None with worlds, which know theirs")
    world = tact._find_world(scene, world)
    numbers = [f"{path}={float(scene[path][world])!r}" for path in scene._paths()]
    return scene.text, numbers + tact._settings(given), scene._origin[4], law or scene.law


def _goal_settings(goal):
    """A goal as settings, key by key, so that the others of the scene's goal stay."""
    if goal is None:
        return []
    if not isinstance(goal, collections.abc.Mapping):
        raise TypeError(f'goal: expected a dict as {{"body": "cube", "position": [x, y, z]}}, found {type(goal).__name__}')
    return tact._settings({f"goal.{key}": value for key, value in goal.items()})


def _count(name, value, low, high):
    if not low <= tact._whole(name, value) <= high:
        raise ValueError(f"{name}: expected {low} to {high}, found {value}")
    return value


class Plan:
    """What tact.plan found.

    u: commands of every step (N, nu); q: coordinates on the way (N + 1, nq); knots (K, nu) at times (K,) [s], between which the
    commands are linear; reached: whether every tolerance is met; errors: what separates each term of the goal from it [m, rad];
    excess: the largest of these over its tolerance; value: of the loss; advice: what to try
    where it was not reached, or that it was reached from the beginning.
    """

    __slots__ = ("u", "q", "knots", "times", "status", "method", "iterations", "evaluations", "value", "excess", "errors", "advice")

    @property
    def reached(self):
        return self.excess <= 1

    def __repr__(self):
        told = "reached" + (self.advice and ": " + self.advice) if self.reached else f"not reached, {self.excess:.3g} times the tolerance off: " + (self.advice or "try more knots or other starts")
        return f"<tact.Plan: {len(self.u)} steps, {self.iterations} iterations of {self.method}, loss {self.value:.4g}, {told}>"


def plan(
    scene, goal=None, world=0, method="auto", iterations=100, starts=1, seed=1, start=None, progress=None, set=None, folder=None, law=None
):
    """Commands that bring a body to its goal, of all driven joints: a search through contacts, as of `tact optimise`, with the same
    bits. Gives a Plan.

    scene: as of tact.Worlds, or worlds, from one of which the plan begins (its coordinates, velocities, time and numbers; stored
    displacements are taken as none). goal: a dict of what a scene's "goal" holds (tact help scene), as {"body": "cube",
    "position": [x, y, z], "orientation": [w, x, y, z]}; its keys take the place of the scene's. method: "ilqr", "lbfgs" or "auto". start: commands to begin with (N, nu), as
    a plan's u, the last of which is held where they are fewer than the plan's, or "scene" for the scene's own; None: hold. starts: searches from so many beginnings, of which the one with the least excess is kept, or, of those that reach the goal, the one with the least loss.
    progress: called with (start, iteration, loss, excess); False ends the search. Ctrl-C ends it, too: the KeyboardInterrupt has the
    best Plan so far as its attribute plan.

    >>> plan = tact.plan("data/scenes/roll_to_goal.json", {"position": [0.225, 0.04, -0.16]})
    >>> plan.reached, plan.u.shape, plan.q.shape
    (True, (200, 21), (201, 28))
    """
    if not isinstance(method, str) or method not in _METHODS:
        raise ValueError(f"method: expected one of {', '.join(_METHODS)}, found {method!r}")
    iterations, starts = _count("iterations", iterations, 1, 100000), _count("starts", starts, 1, 100000)
    seed = _count("seed", seed, 0, 2**63)
    if progress is not None and not callable(progress):
        raise TypeError(f"progress: expected a function or None, found {type(progress).__name__}")
    rows = 0
    if isinstance(start, str):
        if start not in ("scene", "hold"):
            raise ValueError(f'start: expected "scene", "hold", commands (N, nu) or None, found {start!r}')
        start = True if start == "scene" else None
    elif start is not None:
        shape = getattr(start, "shape", None)
        if shape is None or len(shape) != 2 or shape[0] < 1:
            raise ValueError(f"start: expected commands of shape (N, nu), found {type(start).__name__ if shape is None else tuple(shape)}")
        rows = shape[0]
    text, settings, folder, law = _source(scene, world, set, folder, law)
    settings += _goal_settings(goal)
    begin = (None, None, 0.0)
    if isinstance(scene, tact.Worlds):
        begin = (_row(scene.q, world), _row(scene.v, world) if scene.nv else None, float(scene.time[world]))
    one = tact._quiet_worlds(text, law=law, set=settings, folder=folder)
    if not isinstance(scene, tact.Worlds):
        one._tell(3)
    found = _tact._plan(
        text, law, settings, folder, *begin, start, rows, _METHODS.index(method), iterations, starts, seed, progress
    )
    status, step, used, count, evaluations, value, excess, u, knots, times, errors, advice, N, K, nu, interrupted = found
    if status < 0:
        raise ArithmeticError(f"step {step + 1} of the start has no answer: {tact.status_name(status)}")
    result = Plan()
    result.u, result.knots = _frame(u, N, nu), _frame(knots, K, nu)
    result.times, result.errors, result.status, result.method = times, errors, status, used
    result.iterations, result.evaluations, result.value, result.excess, result.advice = count, evaluations, value, excess, advice
    with one:
        if begin[0] is not None:
            one.time[0] = begin[2]
        result.q, _ = one.rollout(result.u, begin[0], begin[1])
    if interrupted:
        stop = KeyboardInterrupt("the search was interrupted; the attribute plan is the best so far")
        stop.plan = result
        raise stop
    return result


def _row(view, world):
    """A world's row, as an array of its own."""
    return view[world].copy() if tact.numpy else array.array("d", view.tolist()[world])


class Mpc(_tact.Mpc):
    """Model predictive control: replans in every tick from the measured coordinates which commands bring a body to its goal, as `tact
    mpc` does, with the same bits.

    scene: as of tact.Worlds, or worlds, whose scene it takes with the numbers of the first; the controller plans by the law barrier
    whatever law the scene has. goal: as of tact.plan; without it the scene's. rate: solves a second, without it the scene's; set
    changes the scene, as {"mpc.horizon": 10} (tact help scene has all of "mpc"). A copy and what comes of a pickle have the scene, the rate
    and the goal; they plan anew from the coordinates of their first step.

    >>> mpc = tact.Mpc("data/scenes/allegro_cube.json", goal={"orientation": [0.924, 0, 0, 0.383]})
    >>> hand = mpc.plant()
    >>> for tick in range(100):
    ...     u = mpc.step(hand.q[0])
    ...     status = hand.step(u, steps=mpc.substeps)
    >>> before, now = mpc.error(mpc.first), mpc.error(hand.q[0])
    >>> now[1] < before[1]
    True
    """

    def __init__(self, scene, goal=None, rate=None, set=None, folder=None):
        if rate is not None:
            (rate,) = _numbers("rate", (rate,), 1)
            if not 1e-3 <= rate <= 1e6:
                raise ValueError(f"rate: expected 0.001 to 1000000 solves a second, found {rate}")
        text, settings, folder, _ = _source(scene, 0, set, folder, None)
        settings += _goal_settings(goal)
        super().__init__(text, settings, folder, float(rate or 0))
        self._origin = (text, settings, folder)
        self._rate, self._anew, self._given = rate, False, None
        with tact._quiet_worlds(text, law="barrier", set=settings, folder=folder) as one:
            one._tell(3)
        self._nq, self._nu, self._horizon, self._tick, self._dt, self._plant_dt = self._sizes()
        self._bodies = None
        self._held = 0.0

    def __setattr__(self, name, value):
        tact._check_name(self, name)
        super().__setattr__(name, value)

    def __reduce__(self):
        return _reopen, (type(self), self._origin, self._rate, self._given)

    horizon = property(lambda self: self._horizon, doc="planning steps")
    tick = property(lambda self: self._tick, doc="time between two solves [s]")
    dt = property(lambda self: self._dt, doc="of a planning step [s]")
    substeps = property(lambda self: round(self._tick / self._plant_dt), doc="steps of plant() in a tick")
    nq = property(lambda self: self._nq, doc="coordinates")
    nu = property(lambda self: self._nu, doc="commands")
    status = property(lambda self: self._told()[0], doc="of the last solve, as of Worlds.step")
    cost = property(lambda self: self._told()[1], doc="of the last rollout")
    regrasps = property(lambda self: self._told()[2], doc="how often it opened the hand and began anew, since the last reset")
    u = property(lambda self: _frame(*self._array(3))[0], doc="(nu,) the command in force, a copy")
    plan = property(lambda self: _frame(*self._array(0)), doc="(horizon, nu) commands of the plan, a copy")
    path = property(lambda self: _frame(*self._array(1)), doc="(steps + 1, nq) coordinates of the last rollout, a copy")
    gain = property(lambda self: _frame(*self._array(2)), doc="(nu, nv) du/dq of the first planned command, a copy")
    reached = property(lambda self: self._held >= self._get_goal()[5] - self._tick / 2, doc="whether the body has stayed at its goal for the goal's hold")

    @property
    def goal(self):
        """What is wanted, a dict; setting it changes the keys that are given, from the next step on.

        >>> mpc = tact.Mpc("data/scenes/allegro_cube.json")
        >>> mpc.goal = {"position": [0, 0, 0.05]}
        >>> mpc.goal["body"], mpc.goal["position"]
        ('cube', [0.0, 0.0, 0.05])
        """
        return dict(zip(_GOAL, self._get_goal()))

    @goal.setter
    def goal(self, goal):
        if goal is None:
            raise TypeError("goal: expected a dict of what changes, found None")
        _goal_settings(goal)
        for key in goal:
            if key not in _GOAL:
                raise tact.SceneError(f'goal: no key "{key}" (allowed {", ".join(_GOAL)})')
        # as it was given: a quaternion that is normalised twice may change its last bit
        wanted = {**(self._given or self.goal), **goal}
        position, turn = _numbers("goal.position", wanted["position"], 3), wanted["orientation"]
        if turn is not None:
            turn = _numbers("goal.orientation", turn, 4)
            if abs(math.hypot(*turn) - 1) > 1e-3:
                raise ValueError(f"goal.orientation: expected a unit quaternion w, x, y, z, found one of length {math.hypot(*turn):.6g}")
        limits = _numbers("goal.position_tolerance, angle_tolerance, hold", [wanted[key] for key in _GOAL[3:]], 3)
        if min(limits) < 0:
            raise ValueError(f"goal: expected tolerances and hold from 0, found {min(limits)}")
        if self._bodies is None:
            with tact._quiet_worlds(self._origin[0], law="barrier", set=self._origin[1], folder=self._origin[2]) as one:
                self._bodies = one.bodies
        if wanted["body"] not in self._bodies:
            raise tact.SceneError(f'goal.body: there is no "{wanted["body"]}" (bodies: {", ".join(self._bodies)})')
        self._set_goal(self._bodies.index(wanted["body"]), position, turn, *limits)
        self._given = wanted
        self._held = 0.0

    def step(self, q):
        """Replans from the measured coordinates q (nq,) and gives the command of the coming tick, (nu,).

        >>> mpc = tact.Mpc("data/scenes/allegro_cube.json")
        >>> mpc.step(mpc.first).shape, mpc.plan.shape
        ((16,), (8, 16))
        """
        u = tact._new((self._nu,))
        if self._anew:
            self.reset(q)
        self._step(q, u)
        goal = self._get_goal()
        distance, angle = self._error(q)
        inside = distance < goal[3] and angle < goal[4]
        self._held = self._held + self._tick if inside else 0.0
        return u

    def reset(self, q=None):
        """Plans to hold q (nq,), without it the scene's: forgets the plan and what was waited for.

        >>> mpc = tact.Mpc("data/scenes/allegro_cube.json")
        >>> _ = mpc.step(mpc.first)
        >>> mpc.reset()
        >>> bool((mpc.plan == mpc.u).all())
        True
        """
        self._reset(q)
        self._held, self._anew = 0.0, False

    def error(self, q):
        """How far the goal's body is from its goal at q (nq,): distance [m] and angle [rad].

        >>> mpc = tact.Mpc("data/scenes/allegro_cube.json")
        >>> distance, angle = mpc.error(mpc.first)
        >>> round(distance, 4), round(angle, 3)
        (0.0039, 1.571)
        """
        return self._error(q)

    def plant(self, n=1, law="rigid", **options):
        """Worlds of the same scene to control, of which substeps steps make a tick: under the rigid law with steps of at most 5 ms.
        options as of tact.Worlds.

        >>> mpc = tact.Mpc("data/scenes/allegro_cube.json")
        >>> hand = mpc.plant()
        >>> hand.law, mpc.substeps
        ('rigid', 4)
        """
        text, settings, folder = self._origin
        settings = settings + [f"options.dt={self._plant_dt!r}"] + tact._settings(options.pop("set", None))
        return tact._quiet_worlds(text, n, law=law, set=settings, folder=folder, **options)

    @property
    def first(self):
        """(nq,) coordinates at which the scene begins."""
        with tact._quiet_worlds(self._origin[0], law="barrier", set=self._origin[1], folder=self._origin[2]) as one:
            return _row(one.q, 0)

    def __repr__(self):
        goal = self.goal
        return f"<tact.Mpc: {goal['body']} to {goal['position']}, {self.nu} commands, horizon {self.horizon} of {self.dt} s>"


def _reopen(kind, origin, rate, goal):
    """A controller of a pickle: commands of a plan that it does not have hold nothing, so its first step plans from where the robot is."""
    text, settings, folder = origin
    mpc = kind(text, rate=rate, set=settings, folder=folder)
    if goal:
        mpc.goal = goal
    mpc._anew = True
    return mpc


def _numbers(name, values, count):
    try:
        values = tuple(float(x) for x in values)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected {count} numbers") from None
    if len(values) != count or not all(map(math.isfinite, values)):
        raise ValueError(f"{name}: expected {count} finite numbers, found {list(values)}")
    return values
