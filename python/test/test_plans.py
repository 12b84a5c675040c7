# SPDX-License-Identifier: MIT
"""Plans and model predictive control against the commands tact optimise and tact mpc, by the bit; what they refuse."""
import copy
import gc
import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
import tact

from test_worlds import resident

TACT = os.environ.get("TACT", "build/tact")
SAN = bool(os.environ.get("SAN"))


@pytest.mark.parametrize(
    "name, options", [("allegro_cube", []), ("allegro_cube", ["mpc.region=contact"]), ("push_t", []), ("allegro_lid", ["mpc.rate=100"])]
)
def test_bits_of_mpc(scenes, tmp_path, name, options):
    trace = tmp_path / "trace.jsonl"
    command = [TACT, "mpc", f"{name}.json", "--time", "0.6", "--trace", str(trace)]
    subprocess.run(command + [word for x in options for word in ("--set", x)], capture_output=True)
    lines = [json.loads(line) for line in trace.read_text().splitlines()[1:]]
    mpc = tact.Mpc(name, set=options)
    hand = mpc.plant()
    assert len(lines) > 20 and lines[0]["q"] == hand.q[0].tolist() == mpc.first.tolist()
    for line in lines[1:]:
        u = mpc.step(hand.q[0])
        hand.step(u, steps=mpc.substeps)
        assert hand.q[0].tolist() == line["q"] and u.tolist() == mpc.u.tolist() == line["u"]
    assert mpc.status >= 0 and mpc.path.shape[1] == mpc.nq and mpc.plan.shape == (mpc.horizon, mpc.nu) and mpc.gain.shape[0] == mpc.nu


@pytest.mark.parametrize(
    "name, options",
    [("roll_to_goal", {}), ("roll_to_goal", {"method": "lbfgs", "iterations": 5}), ("push_to_goal", {"iterations": 9}), ("cart_stop", {"starts": 3, "seed": 4, "iterations": 4})],
)
def test_bits_of_optimise(scenes, tmp_path, name, options):
    found = tmp_path / "found.json"
    words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    subprocess.run([TACT, "optimise", f"{name}.json", "--quiet", "--output", str(found)] + words, capture_output=True)
    wanted = json.loads(found.read_text())["command"]
    plan = tact.plan(name, **options)
    columns = [wanted["q"][dof] for dof in tact.Worlds(name).driven]
    assert plan.times == wanted["times"] and plan.knots.T.tolist() == columns
    assert plan.u.shape[0] + 1 == plan.q.shape[0] and len(plan.errors) > 0
    assert plan.reached == ("reached" in repr(plan) and "not" not in repr(plan))


def test_plan_from_worlds(scenes):
    """From where a world is, with its numbers; and its steps lead where the plan says."""
    w = tact.Worlds("roll_to_goal.json", 2)
    w["bodies.ball.mass"] = [0.3, 0.5]
    w.step(steps=20)
    plan = tact.plan(w, {"position": [0.225, 0.03, -0.16]}, world=1)
    assert plan.q[0].tolist() == w.q[1].tolist() and plan.reached
    heavier = tact.plan(w, {"position": [0.225, 0.03, -0.16]}, world=0)
    assert heavier.q[0].tolist() == w.q[0].tolist() and np.abs(heavier.u - plan.u).max() > 1e-6
    for u in plan.u:
        assert (w.step(np.tile(u, (2, 1))) >= 0).all()
    assert np.abs(w.q[1] - plan.q[-1]).max() < 1e-6
    assert np.linalg.norm(w.q[1, 21:24] - [0.225, 0.03, -0.16]) < 0.002
    # a plan as the start of the next one
    again = tact.plan("roll_to_goal.json", start=tact.plan("roll_to_goal.json").u, iterations=3)
    assert again.reached and again.iterations <= 3
    # and what to try where nothing is near
    far = tact.plan("roll_to_goal.json", set=["options.margin=1e-6", "state.q.ball=[0.5,0.5,-0.16,1,0,0,0]"], iterations=2)
    assert not far.reached and "margin" in far.advice and "not reached" in repr(far)
    blind = tact.plan("allegro_cube", {"body": "cube", "position": [-0.01, 0.005, 0.04]}, law="rigid", iterations=3)
    assert "no forces before contact" in blind.advice


def test_goals(scenes):
    mpc = tact.Mpc("allegro_cube")
    first = mpc.first
    assert mpc.goal["body"] == "cube" and mpc.error(first)[1] > 1
    mpc.goal = {"position": first[16:19], "orientation": None}
    assert max(mpc.error(first)) < 1e-9 and mpc.goal["orientation"] is None
    mpc.goal = {"hold": 0.1, "orientation": [0, 0, 0, -1]}
    assert abs(mpc.error(first)[1] - np.pi) < 1e-9 and mpc.goal["hold"] == 0.1
    # that of a new controller, and of one whose goal is set later
    goal = {"position": [0, 0.01, 0.05], "orientation": [0.6, 0, 0, 0.8]}
    new = tact.Mpc("allegro_cube", goal)
    mpc.goal = {**goal, "hold": new.goal["hold"]}
    assert {**mpc.goal} == {**new.goal}
    assert mpc.step(first).tolist() == new.step(first).tolist() and mpc.plan.tolist() == new.plan.tolist()
    assert not mpc.reached and "cube" in repr(mpc)
    # a scene without a goal takes one; worlds give their numbers
    text = json.loads((scenes / "allegro_cube.json").read_text())
    text.pop("goal")
    w = tact.Worlds(json.dumps(text), folder=str(scenes), set=["bodies.cube.mass=0.12"])
    w["mu"] = 0.4
    with pytest.raises(ValueError, match="the scene has no goal"):
        tact.Mpc(w)
    there = tact.Mpc(w, {"body": "cube", **goal})
    same = tact.Mpc("allegro_cube", goal, set={"bodies.cube.mass": 0.12, "mu": 0.4})
    assert there.step(first).tolist() == same.step(first).tolist() != new.plan[0].tolist()
    # reached: inside for as long as the goal says
    mpc.goal = {"position": first[16:19], "orientation": first[19:23], "hold": 0.06}
    assert [(mpc.step(first) is None) or mpc.reached for _ in range(4)] == [False, False, True, True]
    mpc.reset()
    assert not mpc.reached and (mpc.plan == mpc.u).all()


def test_refusals(scenes):
    mpc = tact.Mpc("allegro_cube")
    q = mpc.first
    bad, off = q.copy(), q.copy()
    bad[3] = np.nan
    off[19] = 2
    before = mpc.plan.tolist()
    for call, kind, text in [
        (lambda: mpc.step(q[:3].copy()), ValueError, r"q: expected .* shape \(23,\), found \(3,\)"),
        (lambda: mpc.step(q.astype(np.float32)), ValueError, "q: .* found items of the format \"f\""),
        (lambda: mpc.step(np.repeat(q, 2)[::2]), ValueError, "q: .* found another order"),
        (lambda: mpc.step(bad), ValueError, r"q: expected finite numbers, found nan at \(3,\)"),
        (lambda: mpc.step(off), ValueError, "q: expected a unit quaternion w, x, y, z at 19 to 22, found one of length 2"),
        (lambda: mpc.step(None), TypeError, "q: expected the measured coordinates, found None"),
        (lambda: mpc.step(list(q)), ValueError, "q: .* an object of the type list, without a buffer"),
        (lambda: mpc.error(bad), ValueError, "q: expected finite numbers"),
        (lambda: mpc.reset(bad), ValueError, "q: expected finite numbers"),
        (lambda: setattr(mpc, "goal", {"body": "cub"}), tact.SceneError, 'goal.body: there is no "cub"'),
        (lambda: setattr(mpc, "goal", {"place": 1}), tact.SceneError, 'goal: no key "place"'),
        (lambda: setattr(mpc, "goal", {"position": [1, 2]}), ValueError, "goal.position: expected 3 finite numbers, found"),
        (lambda: setattr(mpc, "goal", {"position": "abc"}), TypeError, "goal.position: expected 3 numbers"),
        (lambda: setattr(mpc, "goal", {"position": [1, 2, np.inf]}), ValueError, "goal.position: expected finite numbers"),
        (lambda: setattr(mpc, "goal", {"orientation": [1, 1, 0, 0]}), ValueError, "goal.orientation: expected a unit quaternion"),
        (lambda: setattr(mpc, "goal", {"hold": -1}), ValueError, "from 0, found -1"),
        (lambda: setattr(mpc, "goal", 3), TypeError, "goal: expected a dict"),
        (lambda: setattr(mpc, "gaol", {}), AttributeError, "gaol"),
        (lambda: mpc.__init__("allegro_cube"), ValueError, "open already"),
        (lambda: tact.Mpc.__new__(tact.Mpc).step(q), (ValueError, AttributeError), ""),
        (lambda: tact.Mpc("hand_lift"), ValueError, "the scene has no goal: expected goal="),
        (lambda: tact.Mpc("allegro_cube", {"body": "cub", "position": [0, 0, 0]}), tact.SceneError, "cub"),
        (lambda: tact.Mpc("allegro_cube", {"plaice": 3}), tact.SceneError, "plaice"),
        (lambda: tact.Mpc("allegro_cube", rate=0), ValueError, "rate: expected"),
        (lambda: tact.Mpc("allegro_cube", set="a=1"), TypeError, "set: expected a list"),
        (lambda: tact.Mpc("none.json"), tact.SceneError, "No such file"),
        (lambda: tact.Mpc(3), TypeError, "scene: expected"),
        (lambda: tact.plan("roll_to_goal", method="newton"), ValueError, "method: expected one of auto, ilqr, lbfgs"),
        (lambda: tact.plan("push_to_goal", method="ilqr"), ValueError, "the plan is refused: options.method"),
        (lambda: tact.plan("hand_lift"), ValueError, "the scene has no goal"),
        (lambda: tact.plan("roll_to_goal", iterations=0), ValueError, "iterations: expected 1 to 100000, found 0"),
        (lambda: tact.plan("roll_to_goal", starts=1.5), TypeError, "starts: expected a whole number"),
        (lambda: tact.plan("roll_to_goal", start=np.zeros((4, 3))), ValueError, r"start: expected .* shape \(4, 21\), found \(4, 3\)"),
        (lambda: tact.plan("roll_to_goal", start=np.zeros(3)), ValueError, r"start: expected commands of shape \(N, nu\), found \(3,\)"),
        (lambda: tact.plan("roll_to_goal", start="here"), ValueError, "start: expected \"scene\""),
        (lambda: tact.plan("roll_to_goal", progress=3), TypeError, "progress: expected a function"),
        (lambda: tact.plan("roll_to_goal", goal=3), TypeError, "goal: expected a dict"),
        (lambda: tact.plan("roll_to_goal", {"horizon": 0}), tact.SceneError, "horizon"),
        (lambda: tact.plan(tact.Worlds("roll_to_goal.json"), world=1), IndexError, "world 1"),
        (lambda: tact.plan(tact.Worlds("roll_to_goal.json"), folder="x"), TypeError, "folder: expected None"),
    ]:
        with pytest.raises(kind, match=text):
            call()
    assert mpc.plan.tolist() == before


def test_progress(scenes):
    seen = []
    plan = tact.plan("roll_to_goal", progress=lambda *x: seen.append(x) or len(seen) < 4)
    assert [x[:2] for x in seen] == [(0, 0), (0, 1), (0, 2), (0, 3)] and plan.iterations == 3
    assert seen[-1][2] < seen[0][2] and plan.value == pytest.approx(seen[-1][2])

    def fall(*at):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        tact.plan("roll_to_goal", progress=fall)


def test_interrupt(scenes):
    """Control-C ends a search as it ends Python code."""
    program = "import os, signal, threading, tact; threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start(); tact.plan('roll_to_goal', starts=1000)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.returncode != 0 and "\nKeyboardInterrupt: the search was interrupted" in result.stderr, result.stderr


def test_interrupt_keeps_the_best(scenes):
    """What a search of minutes has found is not lost."""
    seen = []

    def report(start, iteration, value, excess):
        seen.append((start, iteration, value))
        if start == 2 and iteration == 3:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        tact.plan("roll_to_goal", starts=1000, progress=report)
    best = caught.value.plan
    assert best.u.shape == (200, 21) and best.q.shape == (201, 28)
    assert best.value <= min(value for start, _, value in seen if start < 2)
    assert seen[-1][0] == 2 and seen[-1][1] <= 4


def test_pickled_controller(scenes):
    mpc = tact.Mpc("allegro_cube", rate=25, set={"mpc.horizon": 6})
    mpc.goal = {"orientation": [0.924, 0, 0, 0.383]}
    for copied in (pickle.loads(pickle.dumps(mpc)), copy.copy(mpc), copy.deepcopy(mpc)):
        assert copied.goal == mpc.goal and (copied.horizon, copied.tick) == (6, 0.04)
        # from where the robot is, as a controller that was reset there
        q = mpc.first
        q[7] += 0.1
        mpc.reset(q)
        assert (copied.step(q) == mpc.step(q)).all() and (copied.plan == mpc.plan).all()
        assert (copied.step(q) == mpc.step(q)).all()


def test_threads(scenes):
    mpc = tact.Mpc("allegro_cube", set=["mpc.sweeps=20"])
    q, refused = mpc.first, []

    def use():
        for _ in range(10):
            try:
                mpc.step(q)
            except RuntimeError as error:
                refused.append(str(error))

    users = [threading.Thread(target=use) for _ in range(4)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert all("another thread" in text for text in refused) and mpc.status >= 0


def test_no_growth(scenes):
    text = (scenes / "push_t.json").read_text()
    for k in range(60 if SAN else 600):
        mpc = tact.Mpc(text, folder=str(scenes))
        mpc.step(mpc.first)
        if k % 20 == 0:
            tact.plan("two_balls", iterations=1)
        if k == 100:
            gc.collect()
            before = resident()
    gc.collect()
    assert SAN or resident() - before < 1 << 20
    assert sys.getrefcount(mpc) == 2


def test_controllers_without_numpy(root):
    program = """
import sys
sys.modules["numpy"] = None
import tact
mpc = tact.Mpc("allegro_cube")
hand = mpc.plant()
u = mpc.step(mpc.first)
hand.step(u, steps=mpc.substeps)
plan = tact.plan("two_balls", iterations=3)
print(u.tolist(), mpc.plan.tolist(), hand.q.tolist(), plan.u.tolist(), plan.q.tolist())
"""
    mpc = tact.Mpc("allegro_cube")
    hand = mpc.plant()
    u = mpc.step(mpc.first)
    hand.step(u, steps=mpc.substeps)
    plan = tact.plan("two_balls", iterations=3)
    wanted = [u.tolist(), mpc.plan.tolist(), hand.q.tolist(), plan.u.tolist(), plan.q.tolist()]
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.stdout.split() == " ".join(map(str, wanted)).split(), result.stderr


def test_reached_by_holding_still():
    plan = tact.plan("roll_to_goal", {"tolerance": 1})
    assert plan.reached and "by holding still" in plan.advice and "by holding still" in repr(plan)
