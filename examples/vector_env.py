# SPDX-License-Identifier: MIT
"""A vector environment in the manner of Gymnasium (reset, step with five results, automatic reset), without needing it: a hand shall
lift a ball. python examples/vector_env.py"""
import numpy as np

import tact


class LiftBall:
    """num_envs hands. Observations are q, actions changes of the commands in [-1, 1]."""

    def __init__(self, num_envs, scene="data/scenes/hand_lift.json", horizon=200, scale=0.02):
        self.worlds = tact.Worlds(scene, num_envs)
        self.num_envs, self.horizon, self.scale = num_envs, horizon, scale
        self.single_observation_shape, self.single_action_shape = (self.worlds.nq,), (self.worlds.nu,)
        self.height = self.worlds.names.index("ball.z")
        self.age = np.zeros(num_envs, dtype=int)

    def reset(self, *, seed=None, options=None):
        random = np.random.default_rng(seed)
        self.worlds["bodies.ball.mass"] = random.uniform(0.3, 0.7, self.num_envs)
        self.worlds.reset()
        self.command = self.worlds.u.copy()
        self.age[:] = 0
        return self.worlds.q.copy(), {}

    def step(self, actions):
        self.command += self.scale * np.clip(actions, -1, 1)
        before = self.worlds.q[:, self.height].copy()
        status = self.worlds.step(self.command)
        self.age += 1
        reward = self.worlds.q[:, self.height] - before
        terminated, truncated = status < 0, self.age >= self.horizon
        info = {}
        if (terminated | truncated).any():
            info["final_observation"] = self.worlds.q.copy()
            for i in np.flatnonzero(terminated | truncated):
                self.worlds.reset(int(i), 1)
                self.command[i] = self.worlds.u[i]
                self.age[i] = 0
        return self.worlds.q.copy(), reward, terminated, truncated, info

    def close(self):
        self.worlds.close()


if __name__ == "__main__":
    env = LiftBall(64)
    observations, info = env.reset(seed=1)
    total, random = np.zeros(env.num_envs), np.random.default_rng(2)
    for _ in range(250):
        observations, reward, terminated, truncated, info = env.step(random.uniform(-1, 1, (env.num_envs, env.worlds.nu)))
        total += reward
    print(f"{env.num_envs} hands, 250 steps: mean rise of the ball {total.mean():.4f} m")
    env.close()
