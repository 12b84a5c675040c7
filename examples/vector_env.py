# SPDX-License-Identifier: MIT
"""A vector environment of Gymnasium (1.0 and later), which it derives from where that is installed, and does without where it is not: a
hand shall lift a ball. An environment whose episode ends is reset in the same step. python examples/vector_env.py"""
import numpy as np

import tact

try:
    from gymnasium.spaces import Box
    from gymnasium.vector import AutoresetMode, VectorEnv

    SAME_STEP = AutoresetMode.SAME_STEP
except ImportError:
    VectorEnv, SAME_STEP = object, "SameStep"

    class Box:
        """The part of gymnasium.spaces.Box that is used here."""

        def __init__(self, low, high, shape, dtype):
            self.low, self.high, self.shape, self.dtype = np.full(shape, low, dtype), np.full(shape, high, dtype), shape, np.dtype(dtype)
            self.seed()

        def seed(self, seed=None):
            self.random = np.random.default_rng(seed)

        def sample(self):
            return self.random.uniform(self.low, self.high).astype(self.dtype)

        def contains(self, x):
            return np.shape(x) == self.shape and bool(((self.low <= x) & (x <= self.high)).all())


class LiftBall(VectorEnv):
    """num_envs hands. Observations are q, actions changes of the commands in [-1, 1]; the ball's mass is drawn for each episode."""

    metadata = {"render_modes": [], "autoreset_mode": SAME_STEP}
    render_mode, spec = None, None

    def __init__(self, num_envs, scene="hand_lift", horizon=200, scale=0.02):
        self.worlds = tact.Worlds(scene, num_envs)
        self.num_envs, self.horizon, self.scale = num_envs, horizon, scale
        nq, nu = self.worlds.nq, self.worlds.nu
        self.single_observation_space = Box(-np.inf, np.inf, (nq,), np.float64)
        self.single_action_space = Box(-1, 1, (nu,), np.float64)
        self.observation_space = Box(-np.inf, np.inf, (num_envs, nq), np.float64)
        self.action_space = Box(-1, 1, (num_envs, nu), np.float64)
        self.height = self.worlds.names.index("ball.z")
        self.age = np.zeros(num_envs, dtype=int)
        self.command = self.worlds.u.copy()
        self._random = np.random.default_rng()

    def _begin(self, which):
        """New episodes of those environments that a mask names."""
        mass = self.worlds["bodies.ball.mass"]
        mass[which] = self._random.uniform(0.3, 0.7, int(which.sum()))
        self.worlds["bodies.ball.mass"] = mass
        self.worlds.reset(which)
        self.command[which] = self.worlds.u[which]
        self.age[which] = 0

    def reset(self, *, seed=None, options=None):
        """options: {"reset_mask": bools} resets those alone. Without a seed the draws go on."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        mask = (options or {}).get("reset_mask")
        self._begin(np.ones(self.num_envs, dtype=bool) if mask is None else np.asarray(mask, dtype=bool))
        return self.worlds.q.copy(), {}

    def step(self, actions):
        self.command += self.scale * np.clip(actions, -1, 1)
        before = self.worlds.q[:, self.height].copy()
        terminated = self.worlds.step(self.command) < 0
        self.age += 1
        reward = self.worlds.q[:, self.height] - before
        truncated = ~terminated & (self.age >= self.horizon)
        over, info = terminated | truncated, {}
        if over.any():
            last = np.full(self.num_envs, None, dtype=object)
            for i in np.flatnonzero(over):
                last[i] = self.worlds.q[i].copy()
            info = {"final_obs": last, "_final_obs": over, "final_info": {}, "_final_info": over.copy()}
            self._begin(over)
        return self.worlds.q.copy(), reward, terminated, truncated, info

    def close_extras(self, **kwargs):
        self.worlds.close()

    if VectorEnv is object:
        close = close_extras


if __name__ == "__main__":
    env = LiftBall(64)
    observations, info = env.reset(seed=1)
    total, random = np.zeros(env.num_envs), np.random.default_rng(2)
    for _ in range(250):
        observations, reward, terminated, truncated, info = env.step(random.uniform(-1, 1, env.action_space.shape))
        total += reward
    print(f"{env.num_envs} hands, 250 steps: mean rise of the ball {1e3 * total.mean():.4f} mm")
    env.close()
