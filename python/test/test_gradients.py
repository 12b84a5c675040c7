# SPDX-License-Identifier: MIT
"""torch's gradcheck in double precision: by commands, by where a rollout begins, and by parameters, under all laws."""
import numpy as np
import pytest
import torch

import tact
import tact.torch

TIGHT = "options.tolerance=1e-13"
CASES = [
    ("lesson.json", 3, 4, ["options.kappa", "bodies.0.mass"], []),
    ("roll_to_goal.json", 5, 3, ["bodies.ball.mass", "shapes.ball.radius"], []),
    ("hand_lift.json", 120, 3, ["bodies.ball.mass"], []),
    ("push_to_goal.json", 20, 5, ["options.kn", "bodies.0.mass"], []),
    (
        "lift_two_pushers.json",
        12,
        5,
        ["bodies.0.mass", "pairs.0.mu", "shapes.0.radius", "drives.0.damping", "options.kn", "options.kd", "options.kt", "options.temperature"],
        [],
    ),
    ("pusher.json", 12, 4, ["shapes.0.radius", "drives.0.stiffness", "options.kappa", "options.epsilon", "options.dt"], []),
    ("two_carts.json", 5, 4, [], []),
    ("cart_stop.json", 0, 4, ["bodies.0.mass", "drives.0.stiffness"], []),
    ("roll_to_goal.json", 5, 3, ["gravity.2", "options.kappa", "pairs.0.mu"], []),
    ("lesson.json", 3, 4, ["pairs.0.mu", "drives.0.stiffness", "options.epsilon", "options.dt"], []),
    ("block_on_slope.json", 5, 5, ["gravity.2", "mu", "bodies.0.mass"], ["mu=0.2"]),
    ("flip_box.json", 10, 5, ["gravity.2", "bodies.0.inertia.2", "bodies.1.inertia.2", "bodies.0.mass"], []),
]
# what has no derivative, by law
NONE = [
    ("lesson.json", "barrier", ["options.kn", "options.margin", "drives.0.damping", "shapes.1.offset", "state.q.ball.0"]),
    ("block_on_slope.json", "rigid", ["options.dt", "options.kappa", "bodies.0.inertia.0", "shapes.1.radius"]),
    ("lift_two_pushers.json", "virtual", ["gravity.2", "options.dt", "options.kappa"]),
    ("hand_lift.json", "barrier", ["options.kappa", "pairs.0.mu", "bodies.ball.inertia.0"]),
]


@pytest.mark.parametrize("name, before, steps, paths, settings", CASES)
def test_gradcheck(scenes, name, before, steps, paths, settings):
    w = tact.Worlds(name, 2, set=[TIGHT] + settings)
    w.step(steps=before)
    fast = w.law != "barrier"
    random = np.random.default_rng(3)
    u = torch.tensor(w.u[:, None, :] + random.uniform(-1e-3, 1e-3, (2, steps, w.nu)), requires_grad=w.nu > 0)
    q = torch.tensor(w.q.copy(), requires_grad=True)
    v = torch.tensor(w.v.copy(), requires_grad=fast)
    parameters = [torch.tensor(w[path], requires_grad=True) for path in paths]

    def run(u, q, v, *values):
        results = tact.torch.rollout(w, u, q, v, dict(zip(paths, values)), velocities=True)
        # forces of redundant contacts are not determined
        return tuple(x for k, x in enumerate(results) if x.requires_grad and not (k == 1 and name == "block_on_slope.json"))

    assert torch.autograd.gradcheck(run, (u, q, v, *parameters), eps=1e-7, atol=1e-4, rtol=1e-3)


def test_forces_of_redundant_contacts_are_told(scenes):
    w = tact.Worlds("block_on_slope.json", 1, set=["gravity=[0.5, 0, -9.81]"])
    w.step(steps=46)
    u = np.zeros((1, 1, w.nu))
    assert w.pullback(u, force_bar=np.ones_like(w.rollout(u)[1])).kinks[0] == 1
    assert w.pullback(u, q_bar=np.ones_like(w.rollout(u)[0])).kinks[0] == 0


@pytest.mark.parametrize("name", ["two_carts", "incline", "allegro_cube", "rods"])
def test_touching_at_velocity_level_is_told(scenes, name):
    """There the speed closes a gap, and a displacement without speed an overlap: by q it holds to one side."""
    for level, wanted in ("position", 0), ("velocity", 1):
        w = tact.Worlds(name, law="rigid", set=["options.level=" + level])
        w.step(steps=3)
        u = w.u[:, None].copy()
        q, force = w.rollout(u)
        assert force[..., 0].max() > 0 and w.pullback(u, q_bar=np.ones_like(q)).kinks[0] == wanted, level


def test_pullback_is_that_of_linearise(scenes):
    w = tact.Worlds("lesson.json", 3, set=[TIGHT])
    w.step(steps=4)
    A, B = w.linearise(w.u.copy())
    random = np.random.default_rng(1)
    bar = random.standard_normal((3, 2, w.nq))
    bar[:, 0] = 0
    # where the worlds are, forces of the step before are a start of the solver only
    bars = w.pullback(w.u.copy(), q_bar=bar)
    assert np.allclose(bars.u[:, 0], np.einsum("nij,ni->nj", B, bar[:, 1]), rtol=1e-6, atol=1e-9)
    assert np.allclose(bars.q, np.einsum("nij,ni->nj", A, bar[:, 1]), rtol=1e-6, atol=1e-9)


def test_what_has_no_gradient(scenes):
    w = tact.Worlds("lesson.json")
    u = w.u.reshape(1, 1, -1).copy()
    with pytest.raises(ValueError, match="v_bar: the barrier law has no velocities"):
        w.pullback(u, v_bar=np.zeros((1, 2, w.nv)))
    with pytest.raises(ValueError, match="no derivative by it"):
        w.pullback(u, q_bar=np.zeros((1, 2, w.nq)), parameters=["options.margin"])
    w = tact.Worlds("push_to_goal.json")
    with pytest.raises(ValueError, match="force_bar: the virtual law"):
        w.pullback(w.u.reshape(1, 1, -1).copy(), force_bar=np.zeros((1, 1, w.npair, 3)))
    q, force = tact.torch.rollout(w, torch.tensor(w.u.reshape(1, 1, -1).copy(), requires_grad=True))
    assert q.requires_grad and not force.requires_grad


@pytest.mark.parametrize("name, law, paths", NONE)
def test_refusal_names_law_and_parameter(scenes, name, law, paths):
    for path in paths:
        w = tact.Worlds(name, 2)
        assert w.law == law
        try:
            value = w[path]
        except ValueError:
            w[path] = 1 if path != "options.kappa" else 100  # a default, of which the scene says nothing
            value = w[path]
        u = torch.tensor(w.u[:, None, :].copy(), requires_grad=w.nu > 0)
        q0 = torch.tensor(w.q.copy(), requires_grad=True)
        number = torch.tensor(value, requires_grad=True)
        q, force = tact.torch.rollout(w, u, q0, parameters={path: number})
        with pytest.raises(ValueError, match=f'"{path}": the law {law} has no derivative by it'):
            q.sum().backward()
        # where its gradient is not wanted it does no harm
        q, force = tact.torch.rollout(w, u, q0, parameters={path: number.detach()})
        q.sum().backward()
        assert q0.grad.abs().max() > 0


def test_a_number_that_worlds_share(scenes):
    w = tact.Worlds("lesson.json", 3)
    w.step(steps=3)
    u = torch.tensor(w.u[:, None, :].repeat(4, axis=1))
    each, one = torch.full((3,), 0.7, dtype=torch.float64, requires_grad=True), torch.tensor([0.7], requires_grad=True)
    tact.torch.rollout(w, u, parameters={"bodies.0.mass": each})[0].sum().backward()
    tact.torch.rollout(w, u, parameters={"bodies.0.mass": one.double()})[0].sum().backward()
    assert each.grad.abs().min() > 0 and torch.allclose(one.grad.double(), each.grad.sum(), rtol=1e-6)


def test_what_is_done_between_there_and_back(scenes):
    w = tact.Worlds("lesson.json", 2)
    w.step(steps=3)
    u = torch.tensor(w.u[:, None, :].repeat(4, axis=1), requires_grad=True)
    (wanted,) = torch.autograd.grad(tact.torch.rollout(w, u)[0].sum(), u)
    q, force = tact.torch.rollout(w, u)
    w["options.kappa"] = [150, 300]
    w["bodies.0.mass"] = 0.9
    w.step(steps=2)
    with torch.no_grad():
        u += 0.01
    states = [w.save(i) for i in range(2)]
    q.sum().backward()
    assert torch.equal(u.grad, wanted) and wanted.abs().max() > 0
    # and the worlds are as they were found
    assert [w.save(i) for i in range(2)] == states and w["options.kappa"].tolist() == [150, 300] and w["bodies.0.mass"][0] == 0.9


def test_a_world_without_gradient_is_told_of(scenes):
    w = tact.Worlds("cart.json")
    u = torch.zeros((1, 3, w.nu), dtype=torch.float64)
    q0 = torch.tensor(w.q.copy(), requires_grad=True)
    q, force = tact.torch.rollout(w, u, q0)
    monkey = w.pullback
    def none(*arguments, **more):
        bars = monkey(*arguments, **more)
        bars.status[0] = -2
        return bars
    w.pullback = none
    with pytest.warns(RuntimeWarning, match=r"world 0: .* \(singular\); so 1 of 1"):
        q.sum().backward()


def test_overflow_is_told_of(scenes):
    w = tact.Worlds("lesson.json", 2)
    w.step(steps=3)
    bar = np.zeros((2, 4, w.nq))
    bar[0], bar[1] = 1e308, 1
    bars = w.pullback(w.u[:, None, :].repeat(3, axis=1), q_bar=bar, parameters=["bodies.0.mass"])
    assert bars.status.tolist() == [-3, 0]
    assert not bars.u[0].any() and not bars.q[0].any() and bars.parameters[0, 0] == 0 and bars.u[1].any()


def test_twice_is_refused(scenes):
    w = tact.Worlds("lesson.json")
    u = torch.tensor(w.u.reshape(1, 1, -1).copy(), requires_grad=True)
    q, force = tact.torch.rollout(w, u)
    (g,) = torch.autograd.grad((q**2).sum(), u, create_graph=True)
    with pytest.raises(RuntimeError):
        g.sum().backward()


def test_interpolate(scenes):
    knots = torch.rand(3, 2, dtype=torch.float64, requires_grad=True)
    u = tact.interpolate(knots, 5)
    assert torch.allclose(u[2], knots[1]) and torch.allclose(u[1], (knots[0] + knots[1]) / 2)
    assert tact.interpolate(np.ones((1, 2)), 3).tolist() == [[1, 1]] * 3
    u.sum().backward()
    assert knots.grad.shape == knots.shape
