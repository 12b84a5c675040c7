# SPDX-License-Identifier: MIT
"""A stand-in for JAX where that is not installed: NumPy's arrays, vjp of functions that are one custom_vjp, and foreign functions
called by frames that are laid out as XLA's interface 0.1 has them on a 64-bit machine. It shows that tact.jax calls with the
signatures that JAX documents, and that the handlers read such frames; it does not show that JAX takes them."""
import collections

import numpy as np

from jax import ffi, numpy  # noqa: F401

STANDIN = True
ShapeDtypeStruct = collections.namedtuple("ShapeDtypeStruct", "shape dtype")
_tape = []


def _same(a, b):
    return np.shares_memory(a, b) or (np.size(a) == 0 and np.shape(a)[-1:] == np.shape(b)[-1:])


class config:
    @staticmethod
    def update(name, value):
        assert name == "jax_enable_x64" and value is True


def default_backend():
    return "cpu"


class custom_vjp:
    def __init__(self, function):
        self.function = function

    def defvjp(self, forward, backward):
        self.forward, self.backward = forward, backward

    def __call__(self, *arguments):
        if not _tape:
            return self.function(*arguments)
        results, kept = self.forward(*arguments)
        _tape[-1].append((arguments, results, kept, self.backward))
        return results


def vjp(function, *arguments):
    """Of a function that makes one call of a custom_vjp, whose arguments and results are its own, or whose first axis is left out."""
    _tape.append([])
    results = function(*arguments)
    [(inner, outer, kept, backward)] = _tape.pop()

    def pull(bars):
        full = [np.zeros_like(x) for x in outer]
        for result, bar in zip(results, bars):
            [at] = [i for i, x in enumerate(outer) if _same(x, result)]
            assert np.shape(bar) == result.shape
            full[at][...] = np.reshape(bar, outer[at].shape)
        by = backward(kept, tuple(full))
        assert len(by) == len(inner) and all(x.shape == a.shape for x, a in zip(by, inner))
        return tuple(by[[i for i, a in enumerate(inner) if _same(a, x)][0]].reshape(x.shape) for x in arguments)

    return results, pull


def pure_callback(callback, shapes, *arguments, vmap_method):
    assert vmap_method == "broadcast_all"
    results = callback(*arguments)
    more = arguments[0].shape[:-2]
    assert all(r.shape == more + tuple(s.shape) and r.dtype == s.dtype for r, s in zip(results, shapes))
    return results
