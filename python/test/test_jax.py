# SPDX-License-Identifier: MIT
"""tact.jax against Worlds.rollout and Worlds.pullback, by the bit. Where JAX is not installed, with the stand-in beside this file,
which is NumPy with JAX's signatures; jit, grad and vmap are tried with JAX only."""
import doctest
import pathlib
import sys

import numpy as np
import pytest
import tact

try:
    import jax
except ImportError:
    sys.path.insert(0, str(pathlib.Path(__file__).parent / "standin"))
    import jax

import tact.jax

jax.config.update("jax_enable_x64", True)
REAL = not getattr(jax, "STANDIN", False)
needs_jax = pytest.mark.skipif(not REAL, reason="JAX is not installed")
TIGHT = ["options.tolerance=1e-13"]
CASES = [
    ("lesson.json", ["options.kappa", "bodies.0.mass"]),
    ("roll_to_goal.json", ["bodies.ball.mass"]),
    ("push_to_goal.json", ["options.kn", "bodies.0.mass"]),
    ("cart_stop.json", ["bodies.0.mass"]),
    ("two_carts.json", []),
]


def saved(w):
    return np.frombuffer(b"".join(w.save(i) for i in range(w.n)), dtype=np.uint8).reshape(w.n, -1)


def begin(name, paths, n=3, steps=4):
    w = tact.Worlds(name, n, set=TIGHT)
    w.step(steps=5)
    random = np.random.default_rng(7)
    u = w.u[:, None, :] + random.uniform(-1e-3, 1e-3, (n, steps, w.nu))
    values = {path: w[path] * random.uniform(0.9, 1.1, n) for path in paths}
    return w, u, w.q.copy(), w.v.copy(), values, random


@pytest.mark.parametrize("callback", [False, True])
@pytest.mark.parametrize("name, paths", CASES)
def test_bits(scenes, name, paths, callback):
    w, u, q, v, values, random = begin(name, paths)

    def run(u, q, v):
        return tact.jax.rollout(w, u, q, v, values, velocities=True, callback=callback)

    results, pull = jax.vjp(run, u, q, v)
    bars = [random.standard_normal(x.shape) for x in results]
    if w.law == "barrier":
        bars[2][...] = 0
    if w.law == "virtual":
        bars[1][...] = 0
    by = pull(tuple(bars))
    before = w.q.copy()
    for path in paths:
        w[path] = values[path]
    wanted = w.rollout(u, q, v, velocities=True)
    for got, x in zip(results, wanted):
        assert np.array_equal(got, x)
    pulled = w.pullback(
        u, bars[0], None if w.law == "virtual" else bars[1], None if w.law == "barrier" else bars[2], q, v, list(paths)
    )
    for got, x in zip(by, pulled[:3]):
        assert np.array_equal(got, x) and np.isfinite(x).all()
    assert np.abs(by[1]).max() > 0
    assert np.array_equal(w.q, before)


def test_parameters(scenes):
    w, u, q, v, values, random = begin("hand_lift.json", ["bodies.ball.mass"])
    w.step(steps=120)
    path = "bodies.ball.mass"
    first = tact.jax.rollout(w, u, parameters={path: values[path]})[0]
    by = {}
    for callback in (False, True):
        copy = tact.jax._Copy(w, (path, "gravity.2"), 1, callback)
        both = np.stack([values[path], w["gravity.2"]])
        bars = [np.ones((3, 5, w.nq)), np.zeros((3, 4, w.npair, 3)), np.zeros((3, 5, w.nv))]
        by[callback] = np.asarray(copy.call(True, saved(w), u, w.q.copy(), w.v.copy(), both, *bars)[3])
        copy.close()
    w[path] = values[path]
    pulled = w.pullback(u, q_bar=np.ones((3, 5, w.nq)), parameters=[path])
    assert np.array_equal(first, w.rollout(u)[0])
    assert np.array_equal(by[False][0], pulled.parameters[0]) and np.abs(by[False][0]).min() > 0
    assert np.array_equal(by[False], by[True]) and (by[True][1] == 0).all()


@needs_jax
def test_gradient_by_parameters(scenes):
    w, u, q, v, values, random = begin("hand_lift.json", ["bodies.ball.mass"])
    w.step(steps=120)
    slope = jax.grad(lambda mass: tact.jax.rollout(w, u, parameters={"bodies.ball.mass": mass})[0].sum())(values["bodies.ball.mass"])
    w["bodies.ball.mass"] = values["bodies.ball.mass"]
    assert np.array_equal(slope, w.pullback(u, q_bar=np.ones((3, 5, w.nq)), parameters=["bodies.ball.mass"]).parameters[0])


def test_what_is_done_later_changes_nothing(scenes):
    w, u, q, v, values, random = begin("lesson.json", [])
    w["gravity.2"] = -9.0
    states = [w.save(i) for i in range(w.n)]
    first, force = tact.jax.rollout(w, u)
    (_, _), pull = jax.vjp(lambda u: tact.jax.rollout(w, u), u)
    w.step(steps=3)
    w["options.kappa"] = 500
    w["gravity.2"] = -3.0
    second, force = tact.jax.rollout(w, u)
    assert not np.array_equal(first, second)
    # the other number has no derivative, which does no harm to the gradient by u
    assert np.abs(pull((np.ones(first.shape), np.zeros(force.shape)))[0]).max() > 0
    for i, state in enumerate(states):
        w.load(i, state)
    w["gravity.2"] = -9.0
    w["options.kappa"] = tact.Worlds("lesson.json")["options.kappa"][0]
    assert np.array_equal(tact.jax.rollout(w, u)[0], first)


def test_documentation(root):
    result = doctest.testmod(tact.jax, extraglobs={"tact": tact})
    assert result.failed == 0 and result.attempted > 4


def test_single_world(scenes):
    w = tact.Worlds("lesson.json")
    u = w.u.repeat(6, axis=0)
    q, force, status = tact.jax.rollout(w, u, status=True)
    assert q.shape == (7, w.nq) and force.shape == (6, w.npair, 3) and status.tolist() == 0
    assert np.array_equal(q, w.rollout(u)[0])


def test_axes_of_vmap(scenes):
    """Operands with a leading axis, as vmap_method="broadcast_all" hands them on."""
    w, u, q, v, values, random = begin("lesson.json", [])
    wanted = [w.rollout(u + shift, q, v)[0] for shift in (0, 1e-3)]
    for callback in (False, True):
        tact.jax.rollout(w, u, callback=callback)
        copy = tact.jax._find_copy(w, (), 0, callback)
        operands = [saved(w), u, q, v, np.zeros((0, w.n))]
        several = [np.stack([x, x]) for x in operands]
        several[1][1] += 1e-3
        if REAL:
            path = jax.vmap(lambda *x: copy.call(False, *x))(*several)[0]
        else:
            path = copy.call(False, *several)[0]
        assert np.array_equal(path, np.stack(wanted))


def test_single_precision(scenes):
    w, u, q, v, values, random = begin("lesson.json", [])
    small = u.astype(np.float32)
    for callback in (False, True):
        path, force = tact.jax.rollout(w, small, callback=callback)
        assert path.dtype == np.float32 and force.dtype == np.float32
        wanted = w.rollout(small.astype(np.float64), q.astype(np.float32).astype(np.float64))[0]
        assert np.array_equal(path, wanted.astype(np.float32))


def test_refused(scenes):
    w, u, q, v, values, random = begin("push_to_goal.json", [])
    with pytest.raises(ValueError, match=r"u: expected an array of shape \(3, N, 1\), found \(3, 4, 2\)"):
        tact.jax.rollout(w, np.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match=r"q: expected an array of shape \(3, 3\)|q: expected an array of shape"):
        tact.jax.rollout(w, u, q[:, :1])
    with pytest.raises(TypeError, match="worlds: expected tact.Worlds"):
        tact.jax.rollout(None, u)
    with pytest.raises(TypeError, match="u: expected float32 or float64, found int"):
        tact.jax.rollout(w, np.zeros((3, 4, 1), dtype=np.int32))
    with pytest.raises(Exception, match="mass"):
        np.asarray(tact.jax.rollout(w, u, parameters={"bodies.0.mass": -np.ones(3)})[0])
    with pytest.raises(Exception, match="u: expected finite numbers"):
        np.asarray(tact.jax.rollout(w, np.full_like(u, np.nan))[0])
    (x, force), pull = jax.vjp(lambda u: tact.jax.rollout(w, u), u)
    with pytest.raises(Exception, match="force_bar: the virtual law"):
        np.asarray(pull((np.zeros(x.shape), np.ones(force.shape)))[0])
    w.close()
    with pytest.raises(Exception, match="worlds: they are closed"):
        np.asarray(pull((np.ones(x.shape), np.zeros(force.shape)))[0])


def test_lent_worlds(scenes):
    w = tact.Worlds("lesson.json")
    with pytest.raises(ValueError, match="slopes: expected 0 to 0"):
        w._lend([], 1)
    assert w._lend([], 0) > 0
    with pytest.raises(RuntimeError, match="lent to XLA"):
        w.step()
    w.close()


@needs_jax
def test_jit_grad_vmap(scenes):
    w, u, q, v, values, random = begin("lesson.json", [])

    def loss(u):
        path, force = tact.jax.rollout(w, u)
        return (path[:, -1] ** 2).sum() + 1e-3 * (force**2).sum()

    slope = jax.grad(loss)(u)
    assert np.array_equal(jax.jit(jax.grad(loss))(u), slope)
    assert np.array_equal(jax.vmap(jax.grad(loss))(np.stack([u, u]))[1], slope)
    step = 1e-6 * random.standard_normal(u.shape)
    difference = (loss(u + step) - loss(u - step)) / 2
    assert np.isclose(difference, (slope * step).sum(), rtol=1e-4)


def test_stubs():
    from test_worlds import check_stubs

    check_stubs(tact.jax)
