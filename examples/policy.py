# SPDX-License-Identifier: MIT
"""A policy trained through contact: a net with two layers sees where a disc, its goal and a finger are, and says where the finger
shall go next. The loss is the disc's distance from its goal after ten decisions, 100 steps of contact; its gradient goes back
through all of them.

    python examples/policy.py [SECONDS]     trains for two minutes of one core, then tries 1,000 new goals

Prints the mean distance on goals that were not trained; exit code 1 where it is 5 mm or more.
"""
import json
import sys
import time

import numpy as np
import torch

import tact
import tact.torch

WORLDS, DECISIONS, STEPS, REACH = 64, 10, 10, 0.03

SCENE = json.dumps(
    {
        "tact": 1,
        "name": "disc",
        "law": "barrier",
        "gravity": [0, 0, 0],
        "options": {"dt": 0.01, "kappa": 2e4, "epsilon": 0.1, "margin": 0.3, "limits": "off"},
        "bodies": [
            {"name": "rail", "parent": "world", "joint": {"name": "finger_x", "type": "prismatic", "axis": [1, 0, 0]}},
            {"name": "finger", "parent": "rail", "joint": {"name": "finger_y", "type": "prismatic", "axis": [0, 1, 0]}},
            {"name": "disc", "parent": "world", "mass": 0.2, "inertia": [1e-4, 1e-4, 1e-4, 0, 0, 0], "joint": {"name": "disc", "type": "planar"}},
        ],
        "shapes": [
            {"name": "tip", "body": "finger", "type": "sphere", "radius": 0.01},
            {"name": "disc", "body": "disc", "type": "sphere", "radius": 0.03},
        ],
        "pairs": [{"a": "tip", "b": "disc", "mu": 0.5}],
        "drives": [{"joint": "finger_*", "stiffness": 500}],
        "state": {"q": {"finger_x": -0.05, "finger_y": 0, "disc": [0, 0, 0]}},
    }
)


def draw_goals(count, random):
    return torch.tensor(np.stack([random.uniform(0.10, 0.18, count), random.uniform(-0.05, 0.05, count)], axis=1))


def make_net():
    net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2)).double()
    with torch.no_grad():
        # at first the finger goes towards the disc
        net[2].weight *= 0.1
        net[2].bias.copy_(torch.tensor([0.5, 0.0]))
    return net


def run(worlds, net, goals):
    """Where the disc is after all decisions (n, 2), and how near the goal it was after each."""
    q = torch.tensor(worlds.q.copy())
    share = torch.linspace(1 / STEPS, 1, STEPS, dtype=torch.float64).reshape(1, STEPS, 1)
    for _ in range(DECISIONS):
        finger, disc = q[:, 0:2], q[:, 2:4]
        target = finger + REACH * torch.tanh(net(torch.cat([goals - disc, finger - disc], dim=1) / 0.1))
        u = finger[:, None] + share * (target - finger)[:, None]
        path, _ = tact.torch.rollout(worlds, u, q)
        q = path[:, -1]
    return q[:, 2:4]


def train(seconds, random):
    worlds = tact.Worlds(SCENE, WORLDS, threads=1)
    net = make_net()
    adam = torch.optim.Adam(net.parameters(), lr=3e-3)
    start, rounds = time.process_time(), 0
    while (spent := time.process_time() - start) < seconds:
        for group in adam.param_groups:
            group["lr"] = 3e-3 * (1 - spent / seconds) + 1e-5
        goals = draw_goals(WORLDS, random)
        off = ((run(worlds, net, goals) - goals) ** 2).sum(1)
        # near the distance itself, and smooth at the goal
        loss = (off + 1e-6).sqrt().mean()
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        adam.step()
        rounds += 1
        if rounds % 200 == 0:
            print(f"{spent:6.0f} s, {rounds} rounds: {1e3 * off.sqrt().mean().item():.2f} mm", file=sys.stderr, flush=True)
    return net, rounds


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 120
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random = np.random.default_rng(1)
    net, rounds = train(seconds, random)
    goals = draw_goals(1000, np.random.default_rng(2))
    worlds = tact.Worlds(SCENE, 1000, threads=1)
    with torch.no_grad():
        off = (run(worlds, net, goals) - goals).norm(dim=1)
    print(f"{rounds} rounds in {seconds:.0f} s of one core; 1,000 new goals: mean {1e3 * off.mean():.2f} mm, worst {1e3 * off.max():.2f} mm")
    return 0 if off.mean() < 0.005 else 1


if __name__ == "__main__":
    sys.exit(main())
