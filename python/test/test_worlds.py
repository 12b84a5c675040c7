# SPDX-License-Identifier: MIT
"""The module against the command, by the bit; what it refuses; copies; misuse."""
import ast
import copy
import doctest
import gc
import importlib.util
import inspect
import json
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import tact

from conftest import SCENES

SAN = bool(os.environ.get("SAN"))
needs_torch = pytest.mark.skipif(SAN, reason="PyTorch does not run under sanitizers")
ALL = sorted(path.name for path in SCENES.glob("*.json"))


def last_line(name, steps):
    command = [os.environ["TACT"], "run", name, "--steps", str(steps), "--quiet", "--trace", "-"]
    return json.loads(subprocess.run(command, capture_output=True, text=True).stdout.splitlines()[-1])


@pytest.mark.parametrize("name", ALL)
def test_bits_of_the_command(scenes, name):
    steps = {"pile_200.json": 4, "pile_1000.json": 1 if SAN else 4}.get(name, 40)  # a thousand spheres take 0.4 s a step
    wanted = last_line(name, steps)
    with tact.Worlds(name, 3) as w:
        for _ in range(wanted["step"]):
            w.step()
        assert w.q[1].tolist() == wanted["q"]
        assert w.v[2].tolist() == wanted["v"]
        assert float(w.time[0]) == wanted["t"]
        del w


def test_threads_and_lanes(scenes):
    results = []
    for threads, lanes in [(1, 1), (1, 0), (2, 0), (7, 0)]:
        w = tact.Worlds("hand_lift.json", 50, threads=threads, lanes=lanes)
        u = np.tile(w.u[0], (w.n, 1))
        u[:, 0] -= np.linspace(0, 0.1, w.n)
        status = w.step(u, 30)
        assert (status >= 0).all()
        results.append(w.q.tobytes())
    assert len(set(results)) == 1


def test_views(scenes):
    w = tact.Worlds("hand_lift.json", 1000)
    assert w.q.shape == (1000, w.nq) and w.q.strides[1] == 8
    assert w.q.strides[0] == w.v.strides[0] == w.reaction.strides[0]
    w.q[3, 0] = 0.5
    assert w.q[3, 0] == 0.5
    w.q = w.q.copy()
    assert np.isinf(w.gap).all()
    w.step()
    assert np.isfinite(w.gap).any(axis=1).all()
    rows = w.pose.reshape(1000, w.nbody, 12)[:, :, :9].reshape(1000, w.nbody, 3, 3)
    assert np.allclose(rows @ rows.transpose(0, 1, 3, 2), np.eye(3))
    assert len(w.names) == w.nq and len(w.dofs) == w.nv and len(w.driven) == w.nu and len(w.pairs) == w.npair
    q = w.q
    w.close()
    assert q[3, 0] == q[3, 0]  # the memory stays while it is seen
    with pytest.raises(ValueError, match="closed"):
        w.step()
    with pytest.raises(ValueError, match="closed"):
        w.q
    assert repr(w) == "<tact.Worlds, closed>"


def test_contacts_are_told_or_warned_of(scenes):
    w = tact.Worlds("hand_lift.json", 3)
    w.step()
    with pytest.warns(RuntimeWarning, match="taken down from now on"):
        assert not w.force.any()
    w.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert w.force.any() and np.isfinite(w.gap).any()
        w.reset(1, 1)
        assert np.isinf(w.gap[1]).all() and not w.force[1].any() and w.force[0].any() and w.force[2].any()


def test_refused_arrays(scenes):
    w = tact.Worlds("hand_lift.json", 4)
    u = np.tile(w.u[0], (4, 1))
    with pytest.raises(ValueError, match=r"u: expected a C-ordered array of float64 with shape \(4, 21\), found \(3, 21\)"):
        w.step(u[:3].copy())
    with pytest.raises(ValueError, match='u: expected .* float64 .* found items of the format "f"'):
        w.step(u.astype(np.float32))
    with pytest.raises(ValueError, match="found another order"):
        w.step(np.asfortranarray(u))
    with pytest.raises(ValueError, match="found another order or steps"):
        w.step(np.repeat(u, 2, axis=1)[:, ::2])
    with pytest.raises(ValueError, match="an object of the type [a-z]+, without a buffer; numpy.array"):
        w.step([0.0] * 21)
    with pytest.raises(TypeError, match="u: expected commands, found a whole number: steps=N"):
        w.step(10)
    for shape in (20, 4, 21), (4, 5, 20):
        with pytest.raises(ValueError, match=r"shape \(4, N, 21\), found \(%d, %d, %d\)" % shape):
            w.rollout(np.zeros(shape))
    bad = u.copy()
    bad[2, 5] = np.nan
    with pytest.raises(ValueError, match=r"u: expected finite numbers, found nan at \(2, 5\)"):
        w.step(bad)
    bad[2, 5] = -np.inf
    with pytest.raises(ValueError, match=r"found an infinity at \(2, 5\)"):
        w.step(bad)
    with pytest.raises(ValueError, match=r"wrench: .*shape \(4, 2., 6\)"):
        w.step(u, wrench=np.zeros((4, 6)))
    frozen = np.zeros(4, dtype=np.int32)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="status: expected a writable .* found a read-only one"):
        w._bind(frozen)
    with pytest.raises(ValueError, match="steps"):
        w.step(u, -1)
    with pytest.raises(TypeError):
        w.step(u, 1, None, None)
    with pytest.raises(TypeError):
        w.step(u, u=u)
    with pytest.raises(ValueError, match=r"u: expected .* shape \(4, N, 21\)"):
        w.rollout(u)
    with pytest.raises(ValueError, match="q_bar"):
        w.pullback(u[:, None, :].copy(), q_bar=np.zeros((4, 1, w.nq)))
    with pytest.raises(IndexError):
        w.save(4)
    assert (w.time == 0).all()


def test_scene_errors(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{"tact": 1,\n "bodies": [{"name": "a", "parent": "b"}]}')
    with pytest.raises(tact.SceneError, match=r"bad\.json:2:\d+: /bodies/0"):
        tact.Worlds(path)
    with pytest.raises(tact.SceneError, match="No such file"):
        tact.Worlds("none.json")
    with pytest.raises(tact.SceneError, match=r"scene:1:\d+"):
        tact.Worlds('{"tact": 2}')
    with pytest.raises(ValueError):
        tact.Worlds('{"tact": 1}', 0)
    worlds = tact.Worlds.__new__(tact.Worlds)
    with pytest.raises(ValueError, match="not opened"):
        worlds.step()


def test_parameters(scenes):
    w = tact.Worlds("hand_lift.json", 3)
    w["bodies.ball.mass"] = [0.4, 0.5, 0.6]
    assert w["bodies.ball.mass"].tolist() == [0.4, 0.5, 0.6]
    w["pairs.0.mu"] = 0.4
    w.step(steps=150)
    for i, mass in enumerate([0.4, 0.5, 0.6]):
        one = tact.Worlds("hand_lift.json", set=[f"bodies.ball.mass={mass}", "pairs.0.mu=0.4"])
        one.step(steps=150)
        assert one.q[0].tolist() == w.q[i].tolist()
    with pytest.raises(ValueError, match='there is no "bell" in /bodies'):
        w["bodies.bell.mass"] = 1
    with pytest.raises(ValueError, match="mass"):
        w["bodies.ball.mass"] = [1, 1, -1]
    with pytest.raises(ValueError, match="nan"):
        w["bodies.ball.mass"] = [1, 1, np.nan]


def test_parameters_of_a_hull(scenes):
    w = tact.Worlds("pinched_rock.json", 3)
    w["bodies.rock.mass"] = [0.1, 0.12, 0.2]
    w["shapes.stone.round"] = [0.003, 0.004, 0.002]
    w.step(steps=20)
    for i in range(3):
        one = tact.Worlds("pinched_rock.json", set=[f"{path}={float(w[path][i])!r}" for path in ("bodies.rock.mass", "shapes.stone.round")])
        one.step(steps=20)
        assert one.q[0].tolist() == w.q[i].tolist()
    assert len({x.tobytes() for x in w.q}) == 3


def test_copies(scenes):
    w = tact.Worlds("cube_in_hand.json", 2, set=["options.kappa=3000"])
    w["bodies.0.mass"] = [0.1, 0.2]
    w.step(steps=20)
    copy = pickle.loads(pickle.dumps(w))
    assert copy.q.tolist() == w.q.tolist() and copy["bodies.0.mass"].tolist() == [0.1, 0.2]
    w.step(steps=5)
    copy.step(steps=5)
    assert copy.q.tolist() == w.q.tolist()
    state = w.save(0)
    w.load(1, state)
    assert w.q[1].tolist() == w.q[0].tolist()
    with pytest.raises(ValueError, match="not the state"):
        w.load(0, state[:-1])
    with pytest.raises(ValueError, match="not the state"):
        w.load(0, bytes(len(state)))


def test_drawing(scenes, tmp_path, monkeypatch):
    for name in ALL:
        w = tact.Worlds(name)
        text = w.render()
        assert text.startswith("<svg") and text.endswith("</svg>") and "nan" not in text, name
        assert w._repr_svg_() == text
    # each body has its outline: a hull with many corners
    stone = tact.Worlds("pinched_rock.json").render().split("<polygon points=")[-1]
    assert stone.split('"')[1].count(",") > 6
    monkeypatch.setenv("TACT_VIEWER", "/none")
    with pytest.warns(UserWarning, match="make viewer"):
        assert tact.view(w) is None
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    monkeypatch.setenv("TACT_VIEWER", str(page))
    shown = tact.view(tact.Worlds("hand_lift.json"), str(tmp_path / "out.html"))
    text = (tmp_path / "out.html").read_text()
    data = json.loads(text.split(">")[2].split("<")[0])
    assert "../robots/robotis_5f_hand.json" in data["files"] and "iframe" in shown._repr_html_()
    again = json.loads(data["files"]["scene.json"])
    assert len(again["state"]["q"]["ball"]) == 7


def test_misuse_of_threads(scenes):
    w = tact.Worlds("hand_lift.json", 256)
    refused, go = [], threading.Event()

    def use():
        go.wait()
        for _ in range(20):
            try:
                w.step(steps=3)
            except RuntimeError as error:
                refused.append(str(error))

    users = [threading.Thread(target=use) for _ in range(4)]
    for user in users:
        user.start()
    go.set()
    for user in users:
        user.join()
    assert all("another thread" in text for text in refused)
    assert (w.status >= 0).all()


def test_fork(scenes):
    w = tact.Worlds("hand_lift.json", 300, threads=3)
    w.step(steps=2)
    child = os.fork()
    if child == 0:
        w.step(steps=3)
        os._exit(int(not (w.status >= 0).all()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    w.step(steps=3)
    assert (w.status >= 0).all()


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_open_and_close(scenes):
    text = (SCENES / "lesson.json").read_text()
    for k in range(2000 if SAN else 10000):
        w = tact.Worlds(text, 2)
        w.step()
        w.close()
        if k == 1000:
            gc.collect()
            before = resident()
    gc.collect()
    # a sanitizer keeps what was freed for a while
    assert SAN or resident() - before < 1 << 20


def test_collected(scenes):
    w = tact.Worlds("lesson.json", 2)
    count = sys.getrefcount(w)
    for _ in range(100):
        w.q, w.gap, w.step()
    assert sys.getrefcount(w) == count


PAGE = '<html><script type="application/json" id="tact-data">null</script></html>'


def examples(module):
    """Examples of a module and of the classes in it, and those of what they inherit from _tact: names to how many."""
    found = {}
    for test in doctest.DocTestFinder().find(module, extraglobs={"tact": tact}):
        found[test.name] = len(test.examples)
    return found


@needs_torch
def test_documentation(root, monkeypatch, tmp_path):
    import tact.torch

    page = tmp_path / "viewer.html"
    page.write_text(PAGE)
    monkeypatch.setenv("TACT_VIEWER", str(page))
    for module in [tact, tact.torch, tact._tact, tact._plan]:
        assert doctest.testmod(module, extraglobs={"tact": tact}, optionflags=doctest.ELLIPSIS).failed == 0


@needs_torch
@pytest.mark.parametrize("name", ["python.md"])
def test_manual(root, name):
    assert doctest.testfile(str(root / "docs" / name), module_relative=False, optionflags=doctest.ELLIPSIS).failed == 0


@needs_torch
def test_every_public_function_has_an_example():
    import tact.torch

    found = {**examples(tact), **examples(tact._tact), **examples(tact.torch), **examples(tact._plan)}
    # views and names are shown in docs/python.md; what Python calls by itself needs none
    plain = {name for name, x in vars(tact.Worlds).items() if isinstance(x, property)}
    special = {"__init__", "__enter__", "__exit__", "__len__", "__repr__", "__reduce__", "_repr_svg_"}
    functions = ["tact." + name for name in tact.__all__ if callable(getattr(tact, name)) and name not in ("SceneError", "SceneWarning", "Pulled", "Plan", "Mpc", "plan")]
    functions += ["tact.torch." + name for name in tact.torch.__all__] + ["tact._plan.plan", "tact._plan.Mpc", "tact._plan.Mpc.goal"]
    functions += ["tact._plan.Mpc." + name for name, x in vars(tact.Mpc).items() if callable(x) and not name.startswith("_")]
    methods = {name for kind in (tact.Worlds, tact._tact.Worlds) for name, x in vars(kind).items() if callable(x)}
    for name in sorted(methods - plain - special):
        if not name.startswith("_") or name in ("__getitem__", "__setitem__"):
            own = name in vars(tact.Worlds)
            functions.append(("tact.Worlds." if own else "tact._tact.Worlds.") + name)
    assert len(functions) > 14
    assert [name for name in functions if not found.get(name)] == []


@needs_torch
def test_scripts(scenes, tmp_path):
    source = (SCENES.parents[1] / "python" / "test" / "scripts.py").read_text()
    for name in ["hand_lift.json", "roll_to_goal.json"]:
        (tmp_path / name).write_text((SCENES / name).read_text().replace("../robots", str(SCENES.parent / "robots")))
    command = [sys.executable, "-W", "ignore", "-c", source]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("0 [")


@needs_torch
def test_script_of_the_readme(root, monkeypatch, tmp_path):
    """From an empty folder, with what the wheel holds."""
    monkeypatch.chdir(tmp_path)
    [script] = (root / "README.md").read_text().split("```python\n")[1:]
    script = script.split("```")[0]
    assert (root / "python" / "test" / "scripts.py").read_text().startswith(script) and "print" in script
    result = subprocess.run([sys.executable, "-W", "error", "-c", script], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.startswith("0 ["), result.stderr


def test_turn_cube(root):
    result = subprocess.run([sys.executable, "examples/turn_cube.py"], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout.count("reached") == 2, result.stdout + result.stderr


def test_vector_environment(root):
    result = subprocess.run([sys.executable, "examples/vector_env.py"], capture_output=True, text=True)
    assert result.returncode == 0 and "mean rise" in result.stdout, result.stderr


def test_vector_environment_as_gymnasium(root):
    """What gymnasium.vector.VectorEnv says of reset, step, spaces and automatic resets in the same step."""
    specification = importlib.util.spec_from_file_location("vector_env", "examples/vector_env.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    env, twin = module.LiftBall(5, horizon=4), module.LiftBall(5, horizon=4)
    nq, nu = env.worlds.nq, env.worlds.nu
    assert env.single_observation_space.shape == (nq,) and env.single_action_space.shape == (nu,)
    assert env.observation_space.shape == (5, nq) and env.action_space.shape == (5, nu)
    assert getattr(env.metadata["autoreset_mode"], "value", env.metadata["autoreset_mode"]) == "SameStep"
    first, info = env.reset(seed=3, options={})
    assert first.shape == (5, nq) and first.dtype == env.observation_space.dtype and info == {} and env.observation_space.contains(first)
    masses = env.worlds["bodies.ball.mass"]
    assert (twin.reset(seed=3)[0] == first).all() and (twin.worlds["bodies.ball.mass"] == masses).all()
    assert (env.reset()[0] == first).all() and (env.worlds["bodies.ball.mass"] != masses).all()  # without a seed the draws go on
    env.reset(seed=3)
    env.action_space.seed(1)
    for k in range(1, 9):
        actions = env.action_space.sample()
        assert env.action_space.contains(actions)
        results, others = env.step(actions), twin.step(actions)
        observations, reward, terminated, truncated, info = results
        for a, b in zip(results[:4], others[:4]):
            assert (a == b).all()  # the same seed, the same episodes
        assert reward.shape == terminated.shape == truncated.shape == (5,) and terminated.dtype == truncated.dtype == bool
        assert not terminated.any() and (truncated == (k % 4 == 0)).all()
        if k % 4:
            assert info == {}
            continue
        assert (observations == first).all() and info["_final_obs"].all()
        assert all(x.shape == (nq,) and (x != first[0]).any() for x in info["final_obs"])
    env.step(actions)
    mask = np.array([True, False, False, True, False])
    observations, info = env.reset(options={"reset_mask": mask})
    assert ((observations == first).all(axis=1) == mask).all()
    env.worlds.q[1] = np.inf  # a world without an answer ends its episode
    observations, reward, terminated, truncated, info = env.step(actions)
    assert terminated.tolist() == [False, True, False, False, False] and not truncated.any() and info["_final_obs"].tolist() == terminated.tolist()
    assert info["final_obs"][0] is None and (observations[1] == first[1]).all() and np.isfinite(reward[[0, 2, 3, 4]]).all()
    env.close()
    assert env.worlds.closed


@needs_torch
def test_policy_learns(root):
    result = subprocess.run([sys.executable, "examples/policy.py", "4"], capture_output=True, text=True)
    # 160 mm away at the beginning; two minutes lead to less than 5 mm
    assert float(result.stdout.split("mean ")[1].split()[0]) < 40, result.stdout + result.stderr


def refusals(w, u):
    """Calls that must be refused: what is called, the exception, and what it says."""
    scene = "lesson.json"
    return [
        (lambda: tact.Worlds(3), TypeError, "scene: expected a path or the text of a scene, found int"),
        (lambda: tact.Worlds("a\0b"), ValueError, "scene: expected"),
        (lambda: tact.Worlds(scene, "a"), TypeError, "n: expected a whole number, found str"),
        (lambda: tact.Worlds(scene, 2**40), ValueError, "n: expected 1 to 100000000"),
        (lambda: tact.Worlds(scene, 1, 10**6), ValueError, "threads: expected 0 to 256"),
        (lambda: tact.Worlds(scene, lanes=3), ValueError, r"lanes: 3 \(allowed 0, 1"),
        (lambda: tact.Worlds(scene, law=3), TypeError, "law: expected a string or None, found int"),
        (lambda: tact.Worlds(scene, law="soft"), ValueError, 'no law "soft"'),
        (lambda: tact.Worlds(scene, set="a=1"), TypeError, "set: expected a list"),
        (lambda: tact.Worlds(scene, set=[1]), TypeError, "set: expected strings"),
        (lambda: tact.Worlds(scene, folder=3), TypeError, "folder: expected a string or None"),
        (lambda: setattr(w, "q", np.zeros((2, 2))), ValueError, r"q: expected numbers .* shape \(4, 28\), found \(2, 2\)"),
        (lambda: setattr(w, "v", np.full(w.nv, np.nan)), ValueError, "v: expected finite numbers, found nan"),
        (lambda: w.__setitem__("bodies.ball.mass", [1, 2]), ValueError, r"bodies.ball.mass: expected .* shape \(4,\), found list"),
        (lambda: w.__setitem__(3, 1), TypeError, "path: expected a string"),
        (lambda: w[0], TypeError, "path: expected a string"),
        (lambda: w["bodies.bell.mass"], ValueError, "bodies.bell.mass"),
        (lambda: w.step(u, 1.5), TypeError, "steps: expected a whole number"),
        (lambda: w.step(u, 2**70), ValueError, "steps: expected 0 to 1e9"),
        (lambda: w.step(v=u), TypeError, "allowed u, steps, wrench"),
        (lambda: w.reset("a"), TypeError, "first: expected a whole number"),
        (lambda: w.reset(2, 5), ValueError, "first, count: expected worlds of 0 to 3"),
        (lambda: w.reset(9), ValueError, "first: expected a world of 0 to 3, found 9$"),
        (lambda: w.reset(np.zeros((2, 2), bool)), TypeError, r"first: expected .* a list of them .* found an array of shape \(2, 2\)"),
        (lambda: tact.Worlds(scene, set={"options.kappa": np.nan}), ValueError, "options.kappa: expected finite numbers"),
        (lambda: tact.plan("roll_to_goal", {"position": [0, np.inf, 0]}), ValueError, "goal.position: expected finite numbers"),
        (lambda: w.save("a"), TypeError, "i: expected a whole number"),
        (lambda: w.save(2**70), IndexError, "expected 0 to 3"),
        (lambda: w.load(0, "x"), TypeError, "state: expected bytes"),
        (lambda: w.rollout(None), ValueError, r"u: expected .* shape \(4, N, 21\), found NoneType"),
        (lambda: w.rollout(u[:, None].copy(), q=np.zeros((4, 2))), ValueError, r"q: expected .* shape \(4, 28\), found \(4, 2\)"),
        (lambda: w.rollout(u[:, None].copy(), q=0 * w.q), ValueError, 'q: the quaternion of body "ball" of world 0 is 0'),
        (lambda: w.pullback(u, q_bar=np.zeros((4, 2, 28)), q=0 * w.q), ValueError, 'q: the quaternion of body "ball" of world 0 is 0'),
        (lambda: tact.World, AttributeError, "did you mean 'Worlds'?"),
        (lambda: w.pullback([1.0]), ValueError, r"u: expected .* shape \(4, N, 21\), found list"),
        (lambda: w.pullback(u, parameters="gravity.2"), TypeError, "parameters: expected a list of paths, found str"),
        (lambda: w.pullback(u, parameters=None), TypeError, "parameters: expected a list of paths, found NoneType"),
        (lambda: w.linearise(u[:2].copy()), ValueError, r"u: expected .* shape \(4, 21\), found \(2, 21\)"),
        (lambda: tact.interpolate([1, 2], 3), ValueError, r"knots: expected an array of shape \(.., K, nu\), found list"),
        (lambda: tact.interpolate(np.zeros((2, 2)), 2.5), TypeError, "steps: expected a whole number, found float"),
        (lambda: tact.status_name("x"), TypeError, "status: expected a whole number"),
        (lambda: tact.view(3), TypeError, "worlds: expected tact.Worlds, found int"),
        (lambda: tact.view(w, None, 7), IndexError, "world 7: expected 0 to 3"),
        (lambda: w.render(9), IndexError, "world 9: expected 0 to 3"),
        (lambda: w.render("a"), TypeError, "world: expected a whole number"),
        (lambda: w.render(0, -4), ValueError, "width: expected 1 or more, found -4"),
        (lambda: setattr(w, "threads", -2), ValueError, "threads: expected 0 to 256"),
        (lambda: setattr(w, "threads", "a"), TypeError, "threads: expected a whole number"),
        (lambda: w.__init__("lesson.json"), ValueError, "open already"),
        (lambda: w.step(u.astype(">f8")), ValueError, 'u: .* found items of the format ">d"'),
    ]


def test_refusals_name_the_argument(scenes):
    w = tact.Worlds("hand_lift.json", 4)
    u = np.tile(w.u[0], (4, 1))
    before = w.q.tobytes()
    for call, kind, text in refusals(w, u):
        with pytest.raises(kind, match=text):
            call()
    assert w.q.tobytes() == before


class Own(tact.Worlds):
    """Has attributes, as classes that are derived may."""

    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.wanted = [1, 2]


def test_derived_classes(scenes):
    with Own("lesson.json", 2) as w:
        w.step(steps=3)
        for copied in (pickle.loads(pickle.dumps(w)), copy.copy(w), copy.deepcopy(w)):
            assert type(copied) is Own and copied.wanted == [1, 2] and copied.q.tolist() == w.q.tolist()
        del copied
    for use in (pickle.dumps, tact.Worlds.render):
        with pytest.raises(ValueError, match="the worlds are closed"):
            use(w)
        with pytest.raises(ValueError, match="not opened"):
            use(Own.__new__(Own))


class Raising:
    def __index__(self):
        raise RuntimeError("raised")

    __array__ = __float__ = __len__ = __index__


# what arrays may be that do not fit: each takes a shape
BAD_ARRAYS = [
    lambda shape: np.zeros(shape, np.float32),
    lambda shape: np.zeros(shape, np.float16),
    lambda shape: np.zeros(shape, np.int64),
    lambda shape: np.zeros(shape, ">f8"),
    lambda shape: np.zeros(shape, complex),
    lambda shape: np.zeros(shape, bool),
    lambda shape: np.zeros(shape, object),
    lambda shape: np.zeros(shape, "S8"),
    lambda shape: np.zeros(shape, "U8"),
    lambda shape: np.zeros(shape, "M8[s]"),
    lambda shape: np.zeros(shape, [("a", float)]),
    lambda shape: np.zeros(shape).T if len(shape) > 1 else np.zeros(shape + (2,)),
    lambda shape: np.zeros(tuple(2 * s for s in shape))[tuple(slice(None, None, 2) for s in shape)],
    lambda shape: np.zeros(shape)[::-1],
    lambda shape: np.broadcast_to(0.0, shape),
    lambda shape: np.array(1.0),
    lambda shape: np.full(shape, np.nan),
    lambda shape: np.full(shape, -np.inf),
    lambda shape: np.zeros(shape).tolist(),
    lambda shape: ["0.5"] * shape[0],
    lambda shape: np.zeros(tuple(s + 1 for s in shape)),
    lambda shape: np.zeros((1,) + shape + (1,)),
    lambda shape: np.zeros(0),
    lambda shape: "abc",
    lambda shape: b"abc",
    lambda shape: {},
    lambda shape: 1j,
    lambda shape: object(),
    lambda shape: Raising(),
]
BAD_NUMBERS = ["a", 1.5, [1], 2**70, -(2**70), -1, np.array([1, 2]), float("nan"), b"1", object(), {}]
BAD_TEXTS = [3, 2.5, [], "a\0b", "\ud800", object()]
BAD_PATHS = [3, None, "", "no.such", "bodies", "bodies.99.mass", "a" * 5000, "\0", "mu\0", b"mu", "..", "/", "\u00e9", "\ud800", "mu=3"]
BAD_SETTINGS = [3, 2.5, "mu=1", b"mu=1", ["x"], ["no=1"], [3], ["mu=1\0"], ["\ud800=1"], ["mu=1"] * 300, {3: 4}, {"mu": object()}, {"mu": 1j}]
BAD_TEXTS_OF_SCENES = ["", "{", "{}", "/dev/null", "{" * 5000, {"tact": object()}, {"tact": {object(): 2}}, {"tact": float("nan")}]
BAD_PATH_LISTS = [3, "mu", None, [3], ["no"], ["\0"], ["mu\0"], ["mu"] * 300, {1: 2}]


def bad_calls(w, mpc):
    """What may be wrong: the argument's name, its bad values by a shape or as a list, and a call that takes one."""
    n, u, q = w.n, np.zeros((w.n, 3, w.nu)), np.zeros((w.n, 4, w.nq))
    knots = [3, None, [1], "a", np.zeros(3), np.zeros((0, 2)), np.zeros((2, 2), object), np.zeros((2, 2), "U3"), np.zeros((2, 2), complex)]
    return [
        ("u", (n, w.nu), w.step),
        ("wrench", (n, w.nbody, 6), lambda x: w.step(wrench=x)),
        ("steps", BAD_NUMBERS, lambda x: w.step(None, x)),
        ("u", (n, w.nu), w.linearise),
        ("u", u.shape, w.rollout),
        ("q", (n, w.nq), lambda x: w.rollout(u, x)),
        ("v", (n, w.nv), lambda x: w.rollout(u, None, x)),
        ("u", u.shape, lambda x: w.pullback(x, q)),
        ("q", (n, w.nq), lambda x: w.pullback(u, q, q=x)),
        ("v", (n, w.nv), lambda x: w.pullback(u, q, v=x)),
        ("q_bar", q.shape, lambda x: w.pullback(u, x)),
        ("force_bar", (n, 3, w.npair, 3), lambda x: w.pullback(u, force_bar=x)),
        ("v_bar", (n, 4, w.nv), lambda x: w.pullback(u, v_bar=x)),
        ("parameters|path|\"", BAD_PATH_LISTS, lambda x: w.pullback(u, q, parameters=x)),
        ("u", (n, w.nu), lambda x: setattr(w, "u", x)),
        ("path|no|\"", BAD_PATHS, lambda x: w.__setitem__(x, 1.0)),
        ("path|no|\"", BAD_PATHS, lambda x: w[x]),
        ("first|count|world", [x for x in BAD_NUMBERS if not isinstance(x, (list, np.ndarray))], w.reset),
        ("count", BAD_NUMBERS, lambda x: w.reset(0, x)),
        ("i:|world", BAD_NUMBERS, w.save),
        ("i:|world", BAD_NUMBERS, w.reason),
        ("i:|world", BAD_NUMBERS, lambda x: w.load(x, w.save(0))),
        ("state", [b"", b"abc", "x", None, 3, bytes(len(w.save(0))), w.save(0)[::2], np.zeros(5)], lambda x: w.load(0, x)),
        ("world", BAD_NUMBERS, w.render),
        ("width", ["a", 1.5, -1, 0, [1]], lambda x: w.render(0, x)),
        ("threads", BAD_NUMBERS, lambda x: setattr(w, "threads", x)),
        ("scene|:", BAD_TEXTS[:-1] + BAD_TEXTS_OF_SCENES, tact.Worlds),
        ("n:", BAD_NUMBERS, lambda x: tact.Worlds("lesson", x)),
        ("threads", BAD_NUMBERS, lambda x: tact.Worlds("lesson", threads=x)),
        ("lanes", BAD_NUMBERS, lambda x: tact.Worlds("lesson", lanes=x)),
        ("law", BAD_TEXTS + ["soft"], lambda x: tact.Worlds("lesson", law=x)),
        ("folder", BAD_TEXTS, lambda x: tact.Worlds("lesson", folder=x)),
        ("set|mu:|no|path", BAD_SETTINGS, lambda x: tact.Worlds("lesson", set=x)),
        ("knots", knots, lambda x: tact.interpolate(x, 5)),
        ("steps", BAD_NUMBERS, lambda x: tact.interpolate(np.zeros((2, 2)), x)),
        ("worlds", [3, None, "x"], tact.view),
        ("world", BAD_NUMBERS, lambda x: tact.view(w, None, x)),
        ("status", ["a", 1.5, None], tact.status_name),
        ("goal", [3, "x", [1], {"bod": 3}, {"position": object()}, {"position": [1]}, {3: 4}], lambda x: tact.plan("roll_to_goal", x)),
        ("method", [3, "x", None, [], np.zeros(3)], lambda x: tact.plan("roll_to_goal", method=x)),
        ("iterations", BAD_NUMBERS, lambda x: tact.plan("roll_to_goal", iterations=x)),
        ("starts", BAD_NUMBERS, lambda x: tact.plan("roll_to_goal", starts=x)),
        ("seed", BAD_NUMBERS, lambda x: tact.plan("roll_to_goal", seed=x)),
        ("folder", BAD_TEXTS, lambda x: tact.plan("roll_to_goal", folder=x)),
        ("q", (mpc.nq,), mpc.step),
        ("q", (mpc.nq,), mpc.error),
        ("goal", [3, None, {"bod": 3}, {"position": "abc"}, {"position": object()}, {"hold": "a"}, {"body": []}], lambda x: setattr(mpc, "goal", x)),
        ("rate", ["a", float("nan"), -1, 0, 1e9, [], object(), 1j], lambda x: tact.Mpc("allegro_cube", rate=x)),
        ("folder", BAD_TEXTS, lambda x: tact.Mpc("allegro_cube", folder=x)),
        ("set|mu:|no|path", BAD_SETTINGS, lambda x: tact.Mpc("allegro_cube", set=x)),
    ]


def test_whatever_is_given(scenes):
    """Each bad value for each argument: an exception that names it, worlds that stay, and no crash."""
    w, mpc = tact.Worlds("hand_lift.json", 4), tact.Mpc("allegro_cube")
    before, count, poor = [w.save(i) for i in range(4)], 0, []
    for name, bad, call in bad_calls(w, mpc):
        values = [make(bad) for make in BAD_ARRAYS] if isinstance(bad, tuple) else bad
        for x in values:
            count += 1
            try:
                call(x)
                poor.append((name, x, "accepted"))
            except (TypeError, ValueError, IndexError, AttributeError) as reason:
                if not re.search(name, str(reason)):
                    poor.append((name, x, repr(reason)))
            except RuntimeError as reason:
                assert str(reason) == "raised"
    assert poor == [] and count > 700
    assert [w.save(i) for i in range(4)] == before


def test_assigned_arrays(scenes):
    """What is assigned is spread as NumPy does, and a bad one is told of."""
    w = tact.Worlds("hand_lift.json", 4)
    for bad, found in (
        (np.zeros((4, 28), "U3"), "text"),
        (["0.5"] * 28, "text"),
        (np.zeros((4, 28), object), "objects"),
        ([[1.0], [1.0, 2.0]], "objects"),
        (np.zeros((4, 28), complex), "complex numbers"),
        (np.zeros((4, 28), "M8[s]"), "dates"),
        (None, "NoneType"),
        ({}, "dict"),
    ):
        with pytest.raises(TypeError, match=rf"q: expected numbers, found {found}; numbers are spread over the shape \(4, 28\)"):
            w.q = bad
    w.q = w.q[0].astype(">f8")
    w.time = 0.5
    assert (w.time == 0.5).all()


@needs_torch
def test_tensors_refused_and_shared(scenes):
    import torch

    import tact.torch

    w = tact.Worlds("hand_lift.json", 4)
    u = torch.zeros(4, 2, w.nu)
    for call, text in [
        (lambda: tact.torch.rollout(None, u), "worlds: expected tact.Worlds"),
        (lambda: tact.torch.rollout(w, u.numpy()), "u: expected a tensor, found ndarray"),
        (lambda: tact.torch.rollout(w, u.int()), "u: expected a tensor of floating-point numbers, found torch.int32"),
        (lambda: tact.torch.rollout(w, u, np.zeros(3)), "q: expected a tensor"),
        (lambda: tact.torch.rollout(w, u.to_sparse()), "u: expected a dense tensor, found one of the layout torch.sparse_coo"),
        (lambda: tact.torch.rollout(w, u.to("meta")), "u: expected a dense tensor, found one without numbers"),
        (lambda: tact.torch.rollout(w, u, parameters=[1]), "parameters: expected {path: tensor}"),
    ]:
        with pytest.raises(TypeError, match=text):
            call()
    # by DLPack and the array interface: no copies
    assert torch.from_dlpack(w.q).data_ptr() == w.q.ctypes.data == torch.from_numpy(w.q).data_ptr()


def test_without_numpy(root):
    """Arrays are memoryviews then, with the same bits."""
    program = """
import sys
sys.modules["numpy"] = None
import tact
w = tact.Worlds("data/scenes/lesson.json", 2)
w["options.kappa"] = [150, 250]
w["bodies.0.mass"] = 2
w.step(steps=4)
q, force = w.rollout(memoryview(bytes(2 * 3 * w.nu * 8)).cast("d", (2, 3, w.nu)))
bars = w.pullback(memoryview(bytes(2 * 3 * w.nu * 8)).cast("d", (2, 3, w.nu)), q_bar=q)
print(w.q.tolist(), q.tolist(), bars.u.tolist(), w["options.kappa"].tolist(), w.render()[:4])
"""
    w = tact.Worlds("data/scenes/lesson.json", 2)
    w["options.kappa"] = [150, 250]
    w["bodies.0.mass"] = 2
    w.step(steps=4)
    q, force = w.rollout(np.zeros((2, 3, w.nu)))
    bars = w.pullback(np.zeros((2, 3, w.nu)), q_bar=q)
    wanted = [w.q.tolist(), q.tolist(), bars.u.tolist(), [150.0, 250.0], "<svg"]
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.split() == " ".join(map(str, wanted)).split(), result.stderr


def declared(path):
    """Functions, classes and members of a stub: names to the names of their parameters, or None of what is not called."""
    found = {}

    def note(nodes, prefix):
        for node in nodes:
            if isinstance(node, ast.FunctionDef):
                plain = not any(getattr(d, "id", "") == "property" for d in node.decorator_list)
                found[prefix + node.name] = [a.arg for a in node.args.args + node.args.kwonlyargs + [x for x in (node.args.kwarg,) if x]] if plain else None
            elif isinstance(node, ast.ClassDef):
                found[prefix + node.name] = None
                note(node.body, prefix + node.name + ".")
            elif isinstance(node, ast.AnnAssign):
                found[prefix + node.target.id] = None

    note(ast.parse(pathlib.Path(path).read_text()).body, "")
    return found


def check_stubs(module):
    """What is declared is there with these parameters, and what is public is declared."""
    found = declared(os.path.splitext(module.__file__)[0] + ".pyi")
    for path, parameters in found.items():
        if path in ("torch", "jax"):
            continue
        thing = module
        for part in path.split("."):
            thing = getattr(thing, part)
        if parameters is not None and path != "Worlds.__exit__":
            assert list(inspect.signature(thing).parameters) == parameters, path
    public = list(module.__all__)
    if module is tact:
        public += ["Worlds." + x for kind in (tact.Worlds, tact._tact.Worlds) for x in vars(kind) if not x.startswith("_")]
        public += [f"{kind.__name__}.{x}" for kind in (tact.Mpc, tact.Plan) for x in vars(kind) if not x.startswith("_")]
    assert found and [x for x in public if x not in found] == []


def test_stubs():
    check_stubs(tact)


@needs_torch
def test_stubs_of_torch():
    import tact.torch

    check_stubs(tact.torch)


def test_scenes_that_come_along(tmp_path, monkeypatch):
    """Names of shipped scenes work from anywhere; a file of that name comes first."""
    monkeypatch.chdir(tmp_path)
    for name in ("hand_lift.json", "hand_lift"):
        with tact.Worlds(name, 2) as w:
            assert w.nu == 21
    (tmp_path / "hand_lift.json").write_text("{}")
    with pytest.raises(tact.SceneError, match="hand_lift.json"):
        tact.Worlds("hand_lift.json")
    with pytest.raises(tact.SceneError, match="No such file"):
        tact.Worlds("hand_lif")


def test_what_would_do_nothing():
    with tact.Worlds(SCENES / "lesson.json", set={"options.kappa": 200, "mu": 0.3}) as w:
        assert w["options.kappa"][0] == 200
        for name in ("mass", "qq"):
            with pytest.raises(AttributeError, match=f'Worlds has no attribute "{name}"'):
                setattr(w, name, 3)


def test_warnings_and_reasons():
    """What tact run says of a scene and of a step without an answer."""
    ball = {
        "tact": 1,
        "bodies": [{"name": "a", "parent": "world", "mass": 1, "inertia": [0.004, 0.004, 0.004, 0, 0, 0], "joint": {"type": "translation"}}],
        "shapes": [
            {"name": "ball", "body": "a", "type": "sphere", "radius": 0.1},
            {"name": "floor", "body": "world", "type": "plane", "normal": [0, 0, 1]},
            {"name": "roof", "body": "world", "type": "plane", "normal": [0, 0, -1], "offset": 0.1},
        ],
        "mu": 0.5,
        "pairs": [{"a": "ball", "b": "floor"}, {"a": "ball", "b": "roof"}],
        "state": {"q": {"a": [0, 0, 0.05]}},
    }
    with pytest.warns(tact.SceneWarning, match=r"""overlap at the start, deepest "(ball|floor|roof)" and"""):
        w = tact.Worlds(ball, 3)
    assert w.step().tolist() == [-1, -1, -1]
    assert all("the contacts contradict each other, most of all" in w.reason(i) for i in range(3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pickle.loads(pickle.dumps(w))
    with pytest.raises(IndexError):
        w.reason(3)
    with pytest.raises(TypeError, match=r"""law: expected numbers, found 'virtual': text is of new worlds, .*set=\['law=virtual'\]"""):
        w["law"] = "virtual"
    told, reasons = tact.Worlds("cube_in_hand.json"), {"cube.x": "is not finite or too large", "cube.qw": "begins a quaternion w, x, y, z"}
    for name, reason in reasons.items():
        told.reset()
        at = told.names.index(name)
        told.q[0, at] = 2 if name == "cube.qw" else 1e30
        told.step()
        assert told.reason(0).startswith(f"bad_input: state.q[{at}] ({name}) {reason}")
    w["bodies.a.mass"] = [1, 2, 3]
    w["/bodies/a/mass"] = [1, 2, 3]
    with pytest.raises(ValueError, match='"bodies.0.mass" is given twice: before, as "bodies.a.mass"'):
        w["bodies.0.mass"] = 1
    for u, hint in ((np.zeros((3, 0), int), "whole numbers"), ([[]], "type list")):
        with pytest.raises((TypeError, ValueError), match=hint):
            w.step(u)
    with pytest.raises(ValueError, match=r'"bodies.a.mass" of world 1: -2: .*must be > 0'):
        w["bodies.a.mass"] = [1, -2, 3]
    assert w["bodies.a.mass"].tolist() == [1, 2, 3]


def test_reading_paths():
    w = tact.Worlds("lesson")
    assert w["options.max_iterations"][0] >= 1 and w["options.margin"][0] > 0 and w["options.dt"][0] > 0
    with pytest.raises(ValueError, match=r'"options.kapa": there is no "kapa" in /options \(did you mean "kappa"\?\)'):
        w["options.kapa"]
    for values, found in ((True, "true or false"), ("0.3", "'0.3'")):
        with pytest.raises(TypeError, match=f"options.kappa: expected numbers, found {found}"):
            w["options.kappa"] = values
    with pytest.raises(AttributeError, match="give those of the next one to step"):
        w.u = 0
    with pytest.raises(TypeError, match="not iterated"):
        list(w)


def test_a_number_that_reaches_nothing():
    w = tact.Worlds("hand_lift.json", 2)
    with pytest.warns(tact.SceneWarning, match='"mu" changes nothing in this scene'):
        w["mu"] = [0.3, 0.4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        w["pairs.0.mu"] = [0.3, 0.4]


def test_pairs_that_every_step_finds():
    settings = ['pairs="auto"', "mu=0.5", "options.margin=0.02"]
    listed = tact.Worlds("cube_in_hand.json", 2, set=settings)
    found = tact.Worlds("cube_in_hand.json", 2, set=settings + ["max_contacts=900"])
    for w in (listed, found):
        w.touch
        w.step(steps=12)
    assert found.npair == 900 and np.array_equal(listed.q, found.q)
    assert len(set(found.pairs)) == 900

    def forces(w, world):
        names, sums = w.shapes, {}
        for (a, b), f in zip(w.touch[world], w.force[world]):
            if a >= 0 and f.any():
                key = (names[int(a)], names[int(b)])
                sums[key] = sums.get(key, 0) + f
        return sums

    a, b = forces(listed, 1), forces(found, 1)
    assert a and a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a)

def test_closed_worlds_are_not_entered():
    w = tact.Worlds("lesson")
    w.close()
    with pytest.raises(ValueError, match="the worlds are closed"):
        with w:
            pass


@needs_torch
def test_tensors_of_a_graph_are_no_numbers():
    import torch

    w = tact.Worlds("hand_lift", 2)
    w["bodies.ball.mass"] = torch.tensor([0.4, 0.5])
    with pytest.raises(TypeError, match=r"bodies.ball.mass: expected numbers: .*detach"):
        w["bodies.ball.mass"] = torch.tensor([0.4, 0.5], requires_grad=True)


def test_reset_of_some():
    w = tact.Worlds("lesson", 4)
    w.step(steps=3)
    w.reset(np.array([True, False, False, True]))
    assert (w.time == 0).tolist() == [True, False, False, True]
    w.reset([1])
    assert (w.time == 0).tolist() == [True, True, False, True]
    with pytest.raises(TypeError, match="found one bool"):
        w.reset(w.status[0] < 0)
    w.step(np.full((4, w.nu), 1e300))
    assert (w.status < 0).all()
    w.reset(w.status < 0)
    assert (w.status == 0).all()
    with pytest.warns(tact.SceneWarning, match="changes nothing: each pair has its own"):
        tact.Worlds("hand_lift", set={"mu": 0.9})
    with pytest.raises(ValueError, match="expected 4 bools"):
        w.reset([True])
    with pytest.raises(IndexError):
        w.reset([4])
    limits = w.limits
    assert limits.shape == (w.nv, 2) and (limits[:, 0] <= limits[:, 1]).all()


@pytest.mark.parametrize("call", ["step", "rollout", "pullback"])
@pytest.mark.parametrize("threads", [1, 2])
def test_interrupt(call, threads):
    """Ctrl-C ends a long call soon, and leaves worlds that go on."""
    w = tact.Worlds("hand_lift", 40, threads=threads)
    u = np.repeat(w.u[:, None, :], 20000, 1)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        if call == "step":
            w.step(steps=10**7)
        elif call == "rollout":
            while True:
                w.rollout(u)
        else:
            while True:
                w.pullback(u[:, :500].copy(), q_bar=np.ones((40, 501, w.nq)))
    timer.join()
    # the machine may be busy; ten million steps take minutes
    assert time.monotonic() - begin < 30
    assert (w.step() == 0).all()


@pytest.mark.parametrize("law", ["barrier", "rigid"])
@pytest.mark.parametrize("name", ["hand_lift", "allegro_cube", "box_stack"])
def test_contacts_of_many_worlds(name, law):
    """What is shown of the contacts of several worlds, which lanes step, is that of one alone."""
    one, many = tact.Worlds(name, law=law), tact.Worlds(name, 5, law=law)
    for w in (one, many):
        w.point
        w.step(steps=12)
    assert np.isfinite(one.gap).any() and np.any(one.point)
    for what in ("gap", "point", "normal", "force"):
        assert np.array_equal(getattr(many, what), np.repeat(getattr(one, what), 5, 0)), what
