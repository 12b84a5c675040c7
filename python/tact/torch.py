# SPDX-License-Identifier: MIT
"""Rollouts as one node of PyTorch's autograd."""
import collections.abc
import warnings

import numpy
import torch
from torch.autograd.function import once_differentiable

from tact import Worlds, _quiet_worlds, status_name

__all__ = ["rollout"]


def _numpy(tensor):
    return None if tensor is None else tensor.detach().to(dtype=torch.float64, device="cpu").contiguous().numpy()


def _like(array, tensor):
    """A gradient as the tensor is; worlds that share a number add theirs up."""
    gradient = torch.from_numpy(array)
    gradient = gradient.reshape(tensor.shape) if gradient.numel() == tensor.numel() else gradient.sum_to_size(tensor.shape)
    return gradient.to(dtype=tensor.dtype, device=tensor.device)


class _Kept:
    """The numbers and states of worlds, and how to bring them back; what is still there costs a comparison."""

    def __init__(self, worlds):
        self.numbers = {path: worlds[path] for path in worlds._paths()}
        self.states = [worlds.save(i) for i in range(worlds.n)]

    def restore(self, worlds):
        paths = worlds._paths()
        # once set, a path stays; the scene's number is the one that it had before
        plain = [path for path in paths if path not in self.numbers]
        scene = _quiet_worlds(worlds.text, law=worlds.law, folder=worlds._origin[4]) if plain else None
        for path in paths:
            try:
                values = self.numbers[path] if path in self.numbers else scene[path].repeat(worlds.n)
            except ValueError as reason:
                raise RuntimeError(f"the rollout was before {path} was set, and there is no way back: {reason}") from None
            if not numpy.array_equal(worlds[path], values):
                worlds[path] = values
        for i, state in enumerate(self.states):
            if worlds.save(i) != state:
                worlds.load(i, state)


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(context, worlds, velocities, paths, u, q, v, *parameters):
        for path, values in zip(paths, parameters):
            worlds[path] = _numpy(values)
        arrays = [_numpy(x) for x in (u, q, v)]
        results = worlds.rollout(*arrays, velocities=velocities)
        context.worlds, context.paths = worlds, paths
        # copies: a tensor may be written to, and worlds be stepped, before the way back
        context.arrays = [None if x is None else x.copy() for x in arrays]
        context.kept = _Kept(worlds) if any(context.needs_input_grad) else None
        context.like = (u, q, v) + parameters
        # forces along turning frames have no derivative under the virtual law, velocities none under the barrier law
        outputs = [torch.from_numpy(x).to(dtype=u.dtype, device=u.device) for x in results]
        if worlds.law == "virtual":
            context.mark_non_differentiable(outputs[1])
        if velocities and worlds.law == "barrier":
            context.mark_non_differentiable(outputs[2])
        return tuple(outputs)

    @staticmethod
    @once_differentiable
    def backward(context, q_bar, force_bar, v_bar=None):
        worlds, wanted = context.worlds, context.needs_input_grad[3:]
        slopes = [path for path, want in zip(context.paths, wanted[3:]) if want]
        found = _Kept(worlds)
        try:
            context.kept.restore(worlds)
            bars = worlds.pullback(
                context.arrays[0],
                q_bar=_numpy(q_bar),
                force_bar=None if worlds.law == "virtual" else _numpy(force_bar),
                v_bar=None if worlds.law == "barrier" else _numpy(v_bar),
                q=context.arrays[1],
                v=context.arrays[2],
                parameters=slopes,
            )
        finally:
            found.restore(worlds)
        bad = numpy.flatnonzero(bars.status < 0)
        if bad.size:
            name = status_name(bars.status[bad[0]])
            warnings.warn(f"world {bad[0]}: a step has no answer or no derivative ({name}); so {bad.size} of {worlds.n}", RuntimeWarning)
        by = dict(zip(slopes, bars.parameters)) if slopes else {}
        gradients = [bars.u, bars.q, bars.v] + [by.get(path) for path in context.paths]
        results = [
            _like(g, x) if x is not None and want else None
            for g, x, want in zip(gradients, context.like, wanted)
        ]
        return (None, None, None, *results)


def rollout(worlds, u, q=None, v=None, parameters=None, velocities=False):
    """Worlds.rollout of tensors, with the gradient by u (n, N, nu), by q (n, nq) and v (n, nv) where it begins, and by numbers of
    the scene: parameters {path: tensor (n) or (1)}, which are set in the worlds. One node of the graph for the whole rollout; the
    derivative can be taken once, also after the worlds were stepped or given other numbers. Of quaternions the gradient is along the
    unit sphere. A single world's u may be (N, nu).

    >>> import tact.torch, torch
    >>> w = tact.Worlds("data/scenes/lesson.json")
    >>> u = torch.tensor(w.u).repeat(10, 1).requires_grad_()
    >>> q, force = tact.torch.rollout(w, u)
    >>> q[-1].sum().backward()
    >>> u.grad.shape == u.shape
    True
    """
    if not isinstance(worlds, Worlds):
        raise TypeError(f"worlds: expected tact.Worlds, found {type(worlds).__name__}")
    if not isinstance(parameters or {}, collections.abc.Mapping):
        raise TypeError(f"parameters: expected {{path: tensor}}, found {type(parameters).__name__}")
    paths = list(parameters or {})
    named = {"u": u, "q": q, "v": v, **(parameters or {})}
    for name, x in named.items():
        if not isinstance(x, torch.Tensor) and (x is not None or name not in ("q", "v")):
            raise TypeError(f"{name}: expected a tensor, found {type(x).__name__}")
        if x is not None and not x.is_floating_point():
            raise TypeError(f"{name}: expected a tensor of floating-point numbers, found {x.dtype}")
        if x is not None and (x.layout != torch.strided or x.is_meta):
            raise TypeError(f"{name}: expected a dense tensor, found one {'without numbers, of the device meta' if x.is_meta else f'of the layout {x.layout}'}")
    return _Rollout.apply(worlds, velocities, paths, u, q, v, *[parameters[path] for path in paths])
