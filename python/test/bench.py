# SPDX-License-Identifier: MIT
"""Figures of the module: python python/test/bench.py TACT, with the wheel installed (`make bench-python`). Prints the time of a call
beyond the step, worlds beside `tact bench --lanes`, the memory of many worlds, the time of a rollout with its gradient."""
import os
import re
import resource
import subprocess
import sys
import time

import numpy as np
import tact

SCENE = "data/scenes/hand_lift.json"
ROUNDS = 40


def call():
    """The least over rounds of a call with a single step, less that of a step within a call."""
    w = tact.Worlds(SCENE, threads=1)
    u = w.u.copy()
    w.step(u, 300)
    single = inside = 1e9
    for _ in range(4000):
        begin = time.perf_counter()
        for _ in range(50):
            w.step(u)
        single = min(single, (time.perf_counter() - begin) / 50)
        begin = time.perf_counter()
        w.step(u, 50)
        inside = min(inside, (time.perf_counter() - begin) / 50)
    empty = 1e9
    for _ in range(40):
        begin = time.perf_counter()
        for _ in range(500):
            w.threads
        empty = min(empty, (time.perf_counter() - begin) / 500)
    print(f"call: {1e6 * single:.2f} us with a step, {1e6 * inside:.2f} us a step within a call: {1e6 * (single - inside):.3f} us beyond")
    print(f"      of which Python's loop and the look-up of an attribute take {1e6 * empty:.3f} us")


def bench_lanes(command):
    text = subprocess.run([command, "bench", SCENE, "--lanes", "--samples", "3"], capture_output=True, text=True, check=True).stdout
    return float(re.findall(r"^ +\d+ +([0-9.]+)", text.split("warm steps")[1], re.M)[-1])


def lanes(command, count):
    """Warm steps of worlds from the states that the command takes: those after the first 16 steps. Taken in turn with the command,
    of which the least of the medians of three samples is compared with the least sample here."""
    w, one = tact.Worlds(SCENE, count, threads=1), tact.Worlds(SCENE)
    states = []
    for _ in range(16):
        one.step()
        states.append(one.save(0))

    def restore():
        for i in range(w.n):
            w.load(i, states[i % 16])

    restore()
    w.step()
    u = w.u.copy()
    ours, theirs = [], []
    for _ in range(ROUNDS):
        for _ in range(10):
            restore()
            begin = time.perf_counter()
            w.step(u)
            ours.append(1e6 * (time.perf_counter() - begin) / w.n)
        theirs.append(bench_lanes(command))
    print(f"worlds: {min(ours):.3f} us a step of {count} worlds, one thread; tact bench --lanes {min(theirs):.3f} us: ratio {min(ours) / min(theirs):.3f}")


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def memory():
    before = resident()
    w = tact.Worlds(SCENE, 100000)
    u = w.u.copy()
    w.step(u)
    after = resident() - u.nbytes
    print(f"memory: {(after - before) / 1e6:.0f} MB for {w.n} worlds of the hand, stepped by {w.threads} threads")


def rollouts():
    w = tact.Worlds("data/scenes/roll_to_goal.json", threads=1)
    u = np.repeat(w.u[:, None, :], 200, axis=1)
    best = [1e9, 1e9]
    for _ in range(10):
        begin = time.perf_counter()
        q, force = w.rollout(u)
        best[0] = min(best[0], time.perf_counter() - begin)
        begin = time.perf_counter()
        w.pullback(u, q_bar=q)
        best[1] = min(best[1], time.perf_counter() - begin)
    print(f"rollout: {1e3 * best[0]:.2f} ms for 200 steps, {1e3 * best[1]:.2f} ms for the way back")


COMMAND = os.path.abspath(sys.argv[1])
os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
call()
lanes(COMMAND, 1024)  # as many as the command has
memory()
rollouts()
