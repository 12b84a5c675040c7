# SPDX-License-Identifier: MIT
"""Rollouts as one function of JAX, with its reverse. On a processor a handler in C is called by XLA itself (jax.ffi, JAX 0.5 or
later), without Python; elsewhere, and with an older JAX, jax.pure_callback calls this module."""
import ctypes
import threading

import jax
import jax.numpy as jnp
import numpy as np

try:
    import jax.ffi  # noqa: F401 (JAX 0.5 or later)
except ImportError:
    pass

from tact import Worlds, _quiet_worlds, _tact

__all__ = ["rollout"]

_TARGETS = {False: "tact_rollout", True: "tact_pullback"}
_registered = []


def _register():
    """The handlers, made known to XLA once."""
    if _registered:
        return
    kind = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
    for back, address in [(False, _tact.xla_rollout), (True, _tact.xla_pullback)]:
        function = kind(address)
        jax.ffi.register_ffi_target(_TARGETS[back], jax.ffi.pycapsule(function), platform="cpu")
        _registered.append(function)


class _Copy:
    """Worlds of our own, which nothing else moves: a program that was compiled once may run at any time and in any thread. paths are
    the numbers of the scene that a call sets, and the gradient is by the first of them, slopes."""

    def __init__(self, worlds, paths, slopes, callback):
        _, n, law, _, folder = worlds._origin
        self.worlds = _quiet_worlds(worlds.text, n, worlds.threads, law, folder=folder)
        self.n, self.nq, self.nv, self.nu, self.npair = n, worlds.nq, worlds.nv, worlds.nu, worlds.npair
        self.paths, self.slopes, self.lock = paths, slopes, threading.Lock()
        self.number = None if callback else self.worlds._lend(list(paths), slopes)

    def close(self):
        self.worlds.close()

    def shapes(self, steps, back, dtype):
        """Results of the handlers: see tact/xla.h."""
        n, integers = self.n, jax.ShapeDtypeStruct((self.n,), np.int32)
        forward = [(n, steps + 1, self.nq), (n, steps, self.npair, 3), (n, steps + 1, self.nv)]
        reverse = [(n, steps, self.nu), (n, self.nq), (n, self.nv), (len(self.paths), n)]
        real = [jax.ShapeDtypeStruct(shape, dtype) for shape in (reverse if back else forward)]
        return tuple(real + [integers] * (2 if back else 1))

    def call(self, back, *operands):
        """The handler by XLA, or the same by Python."""
        u = operands[1]
        shapes = self.shapes(u.shape[-2], back, u.dtype)
        if self.number is not None:
            results = jax.ffi.ffi_call(_TARGETS[back], shapes, vmap_method="broadcast_all")(*operands, worlds=np.int32(self.number))
        else:
            results = jax.pure_callback(
                lambda *arrays: self.run(back, shapes, *arrays), shapes, *operands, vmap_method="broadcast_all"
            )
        return tuple(results)

    def run(self, back, shapes, *arrays):
        arrays = [np.asarray(x) for x in arrays]
        more = arrays[0].shape[:-2]
        results = [np.zeros(more + tuple(s.shape), s.dtype) for s in shapes]
        with self.lock:
            for i in np.ndindex(*more):
                for result, x in zip(results, self.portion(back, *[a[i] for a in arrays])):
                    result[i] = x
        return tuple(results)

    def portion(self, back, state, *reals):
        w = self.worlds
        u, q, v, values, *bars = [np.ascontiguousarray(x, dtype=np.float64) for x in reals]
        for path, numbers in zip(self.paths, values):
            w[path] = numbers
        for i in range(self.n):
            w.load(i, state[i].tobytes())
        if not back:
            path, force, speed = w.rollout(u, q, v, velocities=True)
            return path, force, speed, w.status
        # what a loss does not depend on: the law may have no derivative of it
        q_bar, force_bar, v_bar = [x if x.any() else None for x in bars]
        pulled = w.pullback(u, q_bar, force_bar, v_bar, q, v, self.paths[: self.slopes])
        by_values = np.zeros((len(self.paths), self.n))
        if self.slopes:
            by_values[: self.slopes] = pulled.parameters
        return pulled.u, pulled.q, pulled.v, by_values, pulled.status, pulled.kinks


def _find_copy(worlds, paths, slopes, callback):
    copies = worlds._copies
    key = (paths, slopes, callback, worlds.threads)
    if key not in copies:
        copies[key] = _Copy(worlds, paths, slopes, callback)
    return copies[key]


def _fit(name, x, dtype, shape):
    """An argument as an array; its first axis may be left out by a single world."""
    x = jnp.asarray(x, dtype=dtype)
    if x.ndim == len(shape) - 1 and shape[0] == 1:
        x = x.reshape((1,) + tuple(x.shape))
    if len(x.shape) != len(shape) or any(b is not None and a != b for a, b in zip(x.shape, shape)):
        wanted = "(" + ", ".join("N" if b is None else str(b) for b in shape) + ")"
        raise ValueError(f"{name}: expected an array of shape {wanted}, found {tuple(x.shape)}")
    return x


def rollout(worlds, u, q=None, v=None, parameters=None, velocities=False, status=False, callback=None):
    """Worlds.rollout as a function of JAX, for jit, grad and vmap: of u (n, N, nu), of q (n, nq) and v (n, nv) where it begins, and
    of numbers of the scene, parameters {path: array (n,)}. Returns q (n, N + 1, nq) and the forces (n, N, npair, 3); with velocities
    also v, with status also that of each world. A single world's u may be (N, nu).

    What is not given is taken from the worlds as they are when the function is traced; they do not move, and nothing that is done to
    them later changes the function. Numbers are float64 inside; results have the type of u, which is float32 unless jax_enable_x64 is
    set. callback=True calls by jax.pure_callback, False by XLA; None chooses.

    >>> import jax, tact.jax
    >>> w = tact.Worlds("data/scenes/lesson.json")
    >>> u = jax.numpy.asarray(w.u.repeat(10, axis=0))
    >>> (q, force), pull = jax.vjp(lambda u: tact.jax.rollout(w, u), u)
    >>> (by_u,) = pull((jax.numpy.ones_like(q), jax.numpy.zeros_like(force)))
    >>> by_u.shape == u.shape
    True
    """
    if not isinstance(worlds, Worlds):
        raise TypeError(f"worlds: expected tact.Worlds, found {type(worlds).__name__}")
    n, given = worlds.n, dict(parameters or {})
    single = n == 1 and len(jnp.shape(u)) == 2
    dtype = jnp.asarray(u).dtype
    if dtype not in (np.float32, np.float64):
        raise TypeError(f"u: expected float32 or float64, found {dtype}")
    u = _fit("u", u, dtype, (n, None, worlds.nu))
    # copies: an array of JAX may share the memory of the worlds
    q = _fit("q", worlds.q.copy() if q is None else q, dtype, (n, worlds.nq))
    v = _fit("v", worlds.v.copy() if v is None else v, dtype, (n, worlds.nv))
    paths = tuple(dict.fromkeys(list(given) + worlds._paths()))
    rows = [jnp.broadcast_to(jnp.asarray(given[path] if path in given else worlds[path], dtype=dtype), (n,)) for path in paths]
    values = jnp.stack(rows) if rows else jnp.zeros((0, n), dtype=dtype)
    state = jnp.asarray(np.frombuffer(b"".join(worlds.save(i) for i in range(n)), dtype=np.uint8).reshape(n, -1))
    if callback is None:
        callback = not hasattr(jax, "ffi") or jax.default_backend() != "cpu"
    if not callback:
        _register()
    copy = _find_copy(worlds, paths, len(given), bool(callback))

    @jax.custom_vjp
    def run(u, q, v, values):
        return copy.call(False, state, u, q, v, values)

    def forward(u, q, v, values):
        return copy.call(False, state, u, q, v, values), (u, q, v, values)

    def reverse(kept, bars):
        return copy.call(True, state, *kept, *bars[:3])[:4]

    run.defvjp(forward, reverse)
    path, force, speed, codes = run(u, q, v, values)
    results = [path, force] + ([speed] if velocities else []) + ([codes] if status else [])
    return tuple(x[0] for x in results) if single else tuple(results)
