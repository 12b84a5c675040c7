# SPDX-License-Identifier: MIT
"""Rollouts as one node of PyTorch's autograd."""
import collections.abc

import torch
from torch.autograd.function import once_differentiable

from tact import Worlds

__all__ = ["rollout"]


def _numpy(tensor):
    return None if tensor is None else tensor.detach().to(dtype=torch.float64, device="cpu").contiguous().numpy()


def _like(array, tensor):
    return torch.from_numpy(array).to(dtype=tensor.dtype, device=tensor.device)


class _Rollout(torch.autograd.Function):
    @staticmethod
    def forward(context, worlds, velocities, paths, u, q, v, *parameters):
        for path, values in zip(paths, parameters):
            worlds[path] = _numpy(values)
        arrays = [_numpy(x) for x in (u, q, v)]
        results = worlds.rollout(*arrays, velocities=velocities)
        context.worlds, context.paths, context.arrays = worlds, paths, arrays
        context.like = (u, q, v) + parameters
        context.values = [_numpy(x).copy() for x in parameters]
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
        worlds = context.worlds
        for path, values in zip(context.paths, context.values):
            worlds[path] = values
        bars = worlds.pullback(
            context.arrays[0],
            q_bar=_numpy(q_bar),
            force_bar=None if worlds.law == "virtual" else _numpy(force_bar),
            v_bar=None if worlds.law == "barrier" else _numpy(v_bar),
            q=context.arrays[1],
            v=context.arrays[2],
            parameters=context.paths,
        )
        gradients = [bars.u, bars.q, bars.v] + [bars.parameters[k] for k in range(len(context.paths))]
        wanted = context.needs_input_grad[3:]
        results = [
            _like(g.reshape(x.shape), x) if x is not None and want else None
            for g, x, want in zip(gradients, context.like, wanted)
        ]
        return (None, None, None, *results)


def rollout(worlds, u, q=None, v=None, parameters=None, velocities=False):
    """Worlds.rollout of tensors, with the gradient by u (n, N, nu), by q (n, nq) and v (n, nv) where it begins, and by numbers of
    the scene: parameters {path: tensor (n)}, which are set in the worlds. One node of the graph for the whole rollout; the
    derivative can be taken once. Of quaternions the gradient is along the unit sphere. A single world's u may be (N, nu).

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
    return _Rollout.apply(worlds, velocities, paths, u, q, v, *[parameters[path] for path in paths])
